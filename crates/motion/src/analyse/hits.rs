//! Being struck: head or trunk are jerked as nobody jerks them alone, and the rest of the body follows.

use std::ops::Range;

use glam::Vec3;

use crate::annotation::Annotation;
use crate::bone::Bone;
use crate::tracks::gradient;

use super::Stroke;
use super::signals::Signals;

/// Reactions to blows, in order of time. The blow that fells somebody is the beginning of one of `falls`.
pub(super) fn reactions(signals: &Signals, falls: &mut [Stroke]) -> Vec<Stroke> {
    let Some(head) = signals.path(Bone::Head) else { return Vec::new() };
    let (places, rates) = signals.relative(head, signals.hips());
    let jolts = gradient(&rates, signals.fps);
    let mut found: Vec<Stroke> = Vec::new();
    let mut frame = signals.frames(0.15);
    while frame + signals.frames(0.4) < signals.n_frames {
        let Some(onset) = snap(signals, frame).or_else(|| jolt(signals, &rates, &jolts, frame)) else {
            frame += 1;
            continue;
        };
        let hit = hit(signals, &places, onset);
        frame = hit.end.max(frame + signals.frames(0.3));
        let near = |fall: &&mut Stroke| fall.start <= hit.end + signals.frames(0.2) && hit.start <= fall.end;
        match falls.iter_mut().find(near) {
            Some(fall) if fall.annotation.name() == "knock-down" => {
                fall.start = fall.start.min(hit.start);
                frame = fall.end + 1;
            }
            None if stands(signals, hit.peak) => found.push(hit),
            _ => {}
        }
    }
    found
}

/// Whether somebody is up; who lies, falls or rises is moved by the ground.
fn stands(signals: &Signals, frame: usize) -> bool {
    signals.hips()[frame].y - signals.floor > 0.7 * signals.standing
}

/// Least acceleration of the head relative to the hips (m/s²) and least speed that it leads to (m/s), for legs
/// of 0.88 m.
const JOLT: f32 = 15.0;
const FLUNG: f32 = 1.05;
/// Longest time from rest to the greatest speed (s): own muscles take longer.
const SUDDEN: f32 = 0.06;
/// How much harder the head is thrown than stopped (-); people stop their own movements as hard as they start them.
const SKEW: f32 = 1.2;
/// A head that swings faster than this (rad/s), and swings so after this time (s), was struck itself. Captured
/// boxers swing theirs as fast, but take 0.067 s and more for it.
const STRUCK_HEAD: (f32, f32) = (4.5, 0.05);

/// The frame in which a blow lands on the head, if a frame is that of its fastest swing.
fn snap(signals: &Signals, frame: usize) -> Option<usize> {
    let swing = |frame: usize| signals.head_swing.get(frame).copied().unwrap_or(0.0);
    let near = signals.around(frame, 0.15, 0.15);
    if swing(frame) < STRUCK_HEAD.0 || near.clone().any(|other| swing(other) > swing(frame)) {
        return None;
    }
    let rest = (near.start..frame).rev().find(|before| swing(*before) < 0.25 * swing(frame))?;
    (frame - rest <= signals.frames(STRUCK_HEAD.1)).then_some(rest)
}

/// The frame in which a blow lands, if a frame is the height of the jolt that it gives to head and trunk.
fn jolt(signals: &Signals, rates: &[Vec3], jolts: &[Vec3], frame: usize) -> Option<usize> {
    let scale = signals.leg / 0.88;
    let jolt = jolts[frame].length();
    let before = signals.around(frame, 0.15, 0.0);
    if jolt < JOLT * scale || before.clone().any(|other| jolts[other].length() > jolt) {
        return None;
    }
    let soon = signals.around(frame, 0.0, 0.12);
    let fastest = soon.max_by(|a, b| rates[*a].length().total_cmp(&rates[*b].length()))?;
    let speed = rates[fastest].length();
    let way = rates[fastest].normalize_or_zero();
    let moves = |frame: usize| rates[frame].dot(way) > 0.2 * speed;
    let rest = (before.start..fastest).rev().find(|frame| !moves(*frame))?;
    let stop = (fastest..signals.n_frames.min(fastest + signals.frames(0.4))).find(|frame| !moves(*frame))?;
    let most = |frames: Range<usize>, sign: f32| {
        frames.map(|frame| sign * jolts[frame].dot(way)).fold(0.0f32, f32::max)
    };
    let thrown = most(rest.saturating_sub(2)..fastest + 1, 1.0);
    let is_sudden = fastest - rest <= signals.frames(SUDDEN);
    let is_blow = is_sudden && speed > FLUNG * scale && thrown > SKEW * most(fastest..stop + 1, -1.0);
    is_blow.then_some(rest)
}

/// The reaction to a blow that lands in a frame.
fn hit(signals: &Signals, places: &[Vec3], start: usize) -> Stroke {
    let away = |frame: usize| places[frame] - places[start];
    let span = signals.around(start, 0.0, 0.3);
    let peak = span.clone().max_by(|a, b| away(*a).length().total_cmp(&away(*b).length())).unwrap_or(start);
    let most = away(peak).length();
    let mut end = peak;
    while end + 1 < signals.n_frames && end < peak + signals.frames(0.45) && away(end).length() > 0.4 * most {
        end += 1;
    }
    let class = class(signals, away(peak), start, peak);
    if class != "stagger" {
        return Stroke { start, peak, end, annotation: Annotation::of(class), confidence: 0.7 };
    }
    // It lasts until the feet have caught the body.
    while end + 1 < signals.n_frames && end < start + signals.frames(2.0) && signals.speed(end) > 0.25 {
        end += 1;
    }
    Stroke { start, peak: (start + end) / 2, end, annotation: Annotation::of(class), confidence: 0.7 }
}

/// How far hips and shoulders of somebody who stands with one foot ahead are turned off where they face (rad).
const BLADED: f32 = 0.45;
/// Whoever goes farther than this in [`STAGGER_TIME`] staggers, for legs of 0.88 m (m).
const STAGGER: f32 = 0.42;
const STAGGER_TIME: f32 = 0.75;

fn class(signals: &Signals, away: Vec3, start: usize, peak: usize) -> &'static str {
    let scale = signals.leg / 0.88;
    let lead = signals.lead(start, signals.ahead[start]);
    let turn = if lead.abs() > 0.15 * signals.leg { BLADED * lead.signum() } else { 0.0 };
    let angle = |way: Vec3| crate::math::wrap_angle(libm::atan2f(way.x, way.z) - turn);
    let later = signals.around(start, 0.0, STAGGER_TIME).end - 1;
    let gone = |frame: usize| (signals.hips()[frame] - signals.hips()[start]).with_y(0.0);
    if gone(later).length() > STAGGER * scale {
        return "stagger";
    }
    let swing = signals.head_swing.get(start..peak).unwrap_or(&[]).iter().copied().fold(0.0, f32::max);
    let side = angle(away);
    let pushed = signals.local(start, gone((peak + signals.frames(0.08)).min(later)));
    let is_from_behind = libm::cosf(angle(pushed)) > 0.0;
    match (swing > STRUCK_HEAD.0, side.abs()) {
        (_, angle) if angle > 2.3 && is_from_behind => "hit-back",
        (true, angle) if angle > 2.3 => "hit-head-front",
        (true, _) if side < 0.0 => "hit-head-left",
        (true, _) => "hit-head-right",
        (false, angle) if angle < 0.75 => "hit-torso-front",
        (false, _) if side > 0.0 => "hit-torso-left",
        (false, _) => "hit-torso-right",
    }
}

//! What happens in a crowd: pushes, stumbles and falls by the way they go, steps aside, looks.

use std::f32::consts::{FRAC_PI_4, FRAC_PI_8, TAU};
use std::ops::Range;

use glam::Vec3;

use crate::annotation::{Annotation, PUSHES, PUSHES_HARD, STEPS_ASIDE};
use crate::bone::Bone;
use crate::contacts::runs;
use crate::tracks::gradient;

use super::Stroke;
use super::signals::Signals;
use super::trunk;

/// Everything that befalls somebody in a crowd, and what they do about it, in order of time.
pub(super) fn events(signals: &Signals) -> Vec<Stroke> {
    let mut found = falls(signals);
    let shoves = shoves(signals, &mut found);
    found.extend(shoves);
    for detect in [frights, steps_aside, looks] {
        let is_free = |event: &Stroke| !found.iter().any(|other| overlap(other, event));
        let events: Vec<Stroke> = detect(signals).into_iter().filter(is_free).collect();
        found.extend(events);
    }
    found.sort_by_key(|stroke| stroke.peak);
    found
}

/// The head of somebody who lies is slower than this (m/s), and comes to rest in less than this after the hips did (s).
const LIES: f32 = 0.3;
const LONGEST_LANDING: f32 = 0.7;

/// Falls by the side to which the head goes down, seen from where somebody faced before, and getting up.
pub(super) fn falls(signals: &Signals) -> Vec<Stroke> {
    let mut found = trunk::falls(signals);
    let head = signals.path(Bone::Head).unwrap_or(signals.chest());
    let speeds: Vec<f32> = gradient(head, signals.fps).iter().map(|rate| rate.length()).collect();
    for fall in found.iter_mut().filter(|fall| fall.annotation.name() == "knock-down") {
        let before = fall.start.saturating_sub(signals.frames(0.3));
        fall.annotation = Annotation::of(way_down(signals, before, fall.peak));
        // The trunk meets the floor before it has come to rest.
        let floor = signals.hips()[fall.peak].y + 0.06 * signals.standing;
        let meets = (fall.start..fall.peak).find(|frame| signals.hips()[*frame].y < floor);
        fall.peak = meets.unwrap_or(fall.peak);
        let latest = (fall.end + signals.frames(LONGEST_LANDING)).min(signals.n_frames - 1);
        let is_still = |frame: &usize| speeds[*frame] < LIES;
        fall.end = (fall.end..latest).find(is_still).unwrap_or(fall.end);
    }
    found
}

/// The way somebody goes down who lies in a frame, as seen from another one.
fn way_down(signals: &Signals, seen_from: usize, lies: usize) -> &'static str {
    let head = signals.path(Bone::Head).unwrap_or(signals.chest());
    let way = signals.local(seen_from, head[lies] - signals.hips()[lies]);
    match part_of_turn(way, 4) {
        0 => "fall-forward",
        1 => "fall-left",
        2 => "fall-back",
        _ => "fall-right",
    }
}

/// Which of `n` equal parts of a turn a way points into: ahead first, then on to the left.
fn part_of_turn(way: Vec3, n: usize) -> usize {
    let part = TAU / n as f32;
    (libm::floorf(libm::atan2f(way.x, way.z) / part + 0.5) as i32).rem_euclid(n as i32) as usize
}

fn overlap(one: &Stroke, other: &Stroke) -> bool {
    one.start < other.end && other.start < one.end
}

/// How fast the shoulders of somebody who is pushed leave the hips behind, for legs of 0.88 m (m/s).
const SHOVED: f32 = 0.26;
/// How far they are ahead of them then (m).
const AHEAD: f32 = 0.028;
/// Whoever is faster than this before (m/s) is on the way somewhere, and stumbles.
const WALKS: f32 = 0.7;
/// The hips of somebody who was pushed hard are faster than this (m/s).
const HARD: f32 = 1.2;
/// Slower hips stand (m/s).
const STANDS: f32 = 0.25;

/// Pushes and stumbles: the shoulders go first, and the hips go the same way. Those that fell somebody are the beginning of
/// one of `falls`.
fn shoves(signals: &Signals, falls: &mut [Stroke]) -> Vec<Stroke> {
    let scale = signals.leg / 0.88;
    let (places, rates) = signals.relative(signals.chest(), signals.hips());
    let speed = |frame: usize| rates[frame].with_y(0.0).length();
    let mut found: Vec<Stroke> = Vec::new();
    let mut frame = 1;
    while frame + signals.frames(0.5) < signals.n_frames {
        let mut near = signals.around(frame, 0.15, 0.15);
        if speed(frame) < SHOVED * scale || near.any(|other| speed(other) > speed(frame)) {
            frame += 1;
            continue;
        }
        let earliest = frame.saturating_sub(signals.frames(0.3));
        let start = (earliest..frame).rev().find(|at| speed(*at) < 0.15 * speed(frame)).unwrap_or(earliest);
        let after = signals.around(start, 0.0, 0.45);
        let gone = |at: usize| (signals.hips()[at] - signals.hips()[start]).with_y(0.0);
        let led = |at: usize| (places[at] - places[start]).with_y(0.0);
        let farthest = after.clone().max_by(|a, b| led(*a).length().total_cmp(&led(*b).length()));
        let (peak, soon) = (farthest.unwrap_or(frame), after.end - 1);
        let way = signals.local(start, gone(soon));
        let goes_along = led(peak).dot(way) > 0.4 * led(peak).length() * way.length();
        frame += 1;
        if led(peak).length() < AHEAD * scale || !goes_along || way.length() < 0.5 * AHEAD {
            continue;
        }
        let stands_at = |at: &usize| signals.speed(*at) < STANDS;
        let latest = (start + signals.frames(2.0)).min(signals.n_frames - 1);
        let end = (soon..latest).find(stands_at).unwrap_or(latest);
        let fastest = (start..end).map(|at| signals.speed(at)).fold(0.0, f32::max);
        let travels = signals.speed(start.saturating_sub(signals.frames(0.1)));
        let name = match (travels > WALKS, fastest > HARD * scale) {
            (true, _) => "stumble",
            (_, false) => PUSHES[(part_of_turn(way, 8) + 4) % 8],
            (_, true) => PUSHES_HARD[(part_of_turn(way, 8) + 4) % 8],
        };
        let shove = Stroke { start, peak, end, annotation: Annotation::of(name), confidence: 0.7 };
        frame = match falls.iter_mut().find(|fall| fall.start < shove.end && shove.start < fall.end) {
            Some(fall) => {
                if fall.annotation.name() != "get-up" {
                    fall.start = fall.start.min(shove.start);
                }
                fall.end.max(frame)
            }
            None => {
                found.push(shove);
                end.max(frame)
            }
        };
    }
    found
}

/// Jumps back in fright, from the start of the whole body until it stands again.
fn frights(signals: &Signals) -> Vec<Stroke> {
    let mut jumps = trunk::jumps(signals);
    for jump in &mut jumps {
        let from = jump.start.saturating_sub(signals.frames(0.1));
        let latest = (jump.peak + signals.frames(1.2)).min(signals.n_frames - 1);
        jump.start = from;
        jump.end = (jump.end..latest).find(|frame| signals.speed(*frame) < STANDS).unwrap_or(latest);
    }
    jumps
}

/// The slowest and the fastest step aside at its fastest (m/s), and the shortest (m), for legs of 0.88 m.
const ASIDE: (f32, f32, f32) = (0.55, 1.5, 0.3);

/// Steps out of the way of somebody: aside from a stand to a stand, facing on.
fn steps_aside(signals: &Signals) -> Vec<Stroke> {
    let scale = signals.leg / 0.88;
    let speeds: Vec<f32> = (0..signals.n_frames).map(|frame| signals.speed(frame)).collect();
    let moves: Vec<bool> = speeds.iter().map(|speed| *speed > 0.6 * STANDS).collect();
    let of = |way: Range<usize>| {
        let fastest = way.clone().max_by(|a, b| speeds[*a].total_cmp(&speeds[*b]))?;
        let last = way.end.min(signals.n_frames - 1);
        let gone = signals.local(way.start, signals.hips()[last] - signals.hips()[way.start]).with_y(0.0);
        let turned = signals.ahead[way.start].dot(signals.ahead[last]) < libm::cosf(FRAC_PI_4);
        let is_step = (ASIDE.0 * scale..ASIDE.1 * scale).contains(&speeds[fastest])
            && gone.length() > ASIDE.2 * scale
            && way.len() < signals.frames(1.6);
        let name = STEPS_ASIDE[part_of_turn(gone, 8)].filter(|_| is_step && !turned)?;
        let annotation = Annotation::of(name);
        let from = signals.hips()[way.start];
        let half_way = |at: &usize| (signals.hips()[*at] - from).with_y(0.0).length() > 0.5 * gone.length();
        let peak = way.clone().find(half_way).unwrap_or(fastest);
        Some(Stroke { start: way.start, peak, end: last, annotation, confidence: 0.7 })
    };
    runs(&moves, true).into_iter().filter_map(of).collect()
}

/// How far the head of somebody who looks aside is turned from where hips and shoulders face (rad), for how long at least,
/// and how long after one look the next belongs to it (s).
const LOOK: (f32, f32, f32) = (0.52, 0.2, 0.9);

/// Looks to the sides of somebody who stands.
fn looks(signals: &Signals) -> Vec<Stroke> {
    if signals.head_ahead.is_empty() {
        return Vec::new();
    }
    let turned = |frame: usize| {
        let way = signals.local(frame, signals.head_ahead[frame]);
        libm::atan2f(way.x, way.z)
    };
    let turns: Vec<f32> = (0..signals.n_frames).map(turned).collect();
    let away: Vec<bool> = (0..signals.n_frames)
        .map(|frame| turns[frame].abs() > LOOK.0 && signals.speed(frame) < 2.0 * STANDS)
        .collect();
    let mut found: Vec<Stroke> = Vec::new();
    // Who turns round looks there first.
    let turns_round = |look: &Range<usize>| {
        let ends = signals.around(look.start, 0.3, 0.0).start..signals.around(look.end, 0.0, 0.6).end;
        signals.ahead[ends.start].dot(signals.ahead[ends.end - 1]) < libm::cosf(FRAC_PI_8)
    };
    let is_look = |look: &Range<usize>| look.len() >= signals.frames(LOOK.1) && !turns_round(look);
    for look in runs(&away, true).into_iter().filter(is_look) {
        let around = signals.around(look.start, 0.25, 0.0).start..signals.around(look.end, 0.0, 0.25).end;
        let name = if turns[look.start] > 0.0 { "look-left" } else { "look-right" };
        match found.last_mut() {
            Some(last)
                if look.start < last.end + signals.frames(LOOK.2) && last.annotation.name() != name =>
            {
                last.annotation = Annotation::of("look-around");
                last.end = around.end - 1;
            }
            _ => {
                let annotation = Annotation::of(name);
                let peak = (look.start + look.end) / 2;
                found.push(Stroke {
                    start: around.start,
                    peak,
                    end: around.end - 1,
                    annotation,
                    confidence: 0.6,
                });
            }
        }
    }
    found
}

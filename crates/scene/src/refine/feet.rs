//! Feet that stand where they stand.
//!
//! A foot that is down is held at one place; what that changes is made good while the foot is in the air. A foot that
//! glides far without ever being lifted is made to step: it stands, is lifted over, and stands again.

use std::ops::Range;

use glam::Vec3;
use randori_motion::contacts::{ContactSettings, Contacts, FootContacts, runs};
use randori_motion::math::smootherstep;
use randori_motion::tracks::Tracks;
use randori_motion::{Bone, Character, Event, EventKind};

use super::Ban;
use super::figure::{Change, Figure};
use super::geometry::along_floor;
use super::shape::hermite;

/// A foot that wanders less than this while it stands is left alone (m).
const STILL: f32 = 0.01;
/// A foot that wanders farther than this in one contact takes a step on the way (m).
const LONGEST_SLIDE: f32 = 0.2;
/// How long such a step takes (s).
const STEP: f64 = 0.24;
/// A foot stands below this height above where it usually does (m).
const LOW: f32 = 0.04;
/// Shorter contacts are no stand (s).
const SHORTEST: f64 = 0.08;
/// Landing and leaving: up to this long at either end of a contact (s)...
const ROLL: f64 = 0.08;
/// ...a foot that moves faster than this (m/s) does not stand yet, or no more.
const ROLLING: f32 = 0.15;
/// Corrections are made good within this time where no other stand follows sooner (s).
const FADE: f64 = 0.4;
/// What one correction of velocity may add to a foot's way in the air (m).
const OVERSHOOT: f32 = 0.04;

/// The changes that hold the feet of one character, and how many stands they hold.
pub(super) fn plan(
    character: &Character,
    figure: &Figure,
    events: &[Event],
    ban: &Ban,
) -> Option<(Vec<Change>, usize)> {
    let clip = &character.clip;
    let tracks = Tracks::of(clip);
    let contacts = Contacts::of_tracks(clip, &tracks, &ContactSettings::default())?;
    let fps = clip.rate().fps();
    let mut changes = vec![Change::default(); clip.n_frames()];
    let mut n_held = 0;
    for (side, foot) in contacts.feet.iter().enumerate() {
        let (Some(ball), Some(_)) = (figure.balls[side], figure.legs[side]) else { continue };
        let path = tracks.path(ball);
        let stance = foot.ball.as_ref().unwrap_or(&foot.ankle).stance_height;
        let standing = standing(foot, &path, stance, character, events);
        let banned = |frames: &Range<usize>| {
            ban.meets(character.enter + frames.start as f64 / fps..character.enter + frames.end as f64 / fps)
        };
        let stands = stands(&standing, &path, fps, banned);
        n_held += stands.iter().filter(|stand| stand.anchor.is_some()).count();
        for (change, offset) in changes.iter_mut().zip(offsets(&path, stance, &stands, fps)) {
            change.feet[side] = offset;
        }
    }
    figure.give_way(clip, &mut changes);
    Some((changes, n_held))
}

/// Frames in which a foot stands: found in its motion, or said by a footstep.
fn standing(
    foot: &FootContacts,
    path: &[Vec3],
    stance: f32,
    character: &Character,
    events: &[Event],
) -> Vec<bool> {
    let mut standing: Vec<bool> =
        foot.down.iter().zip(path).map(|(down, ball)| *down && ball.y < stance + LOW).collect();
    let fps = character.clip.rate().fps();
    let part = Bone::LeftFoot.on(foot.side);
    let mine = events.iter().filter(|event| {
        event.kind == EventKind::Footstep
            && event.who.as_ref() == Some(&character.name)
            && event.part.as_deref().and_then(Bone::from_name) == Some(part)
    });
    for event in mine {
        let first = ((event.t - character.enter) * fps).max(0.0) as usize;
        let n_frames = (SHORTEST * fps) as usize + 1;
        let frames = (standing.iter_mut().zip(path)).skip(first).take(n_frames);
        frames.filter(|(_, ball)| ball.y < stance + LOW).for_each(|(stands, _)| *stands = true);
    }
    standing
}

/// A stretch of frames in which a foot stands.
struct Stand {
    frames: Range<usize>,
    /// Where it is held (m), if it does not stand still by itself.
    anchor: Option<Vec3>,
}

fn stands(standing: &[bool], path: &[Vec3], fps: f64, banned: impl Fn(&Range<usize>) -> bool) -> Vec<Stand> {
    let shortest = ((SHORTEST * fps) as usize).max(2);
    let mut stands = Vec::new();
    for run in runs(standing, true) {
        let frames = without_roll(run, path, fps);
        if frames.len() < shortest {
            continue;
        }
        let first = path[frames.start];
        let wander = frames.clone().map(|at| along_floor(path[at] - first)).fold(0.0, f32::max);
        if wander <= STILL || banned(&frames) {
            stands.push(Stand { frames, anchor: None });
            continue;
        }
        // Pieces of about even length, each long enough to be a stand beside its steps.
        let step = (STEP * fps) as usize;
        let most = (frames.len() / (2 * step + shortest)).max(1);
        let n_pieces = (libm::ceilf(wander / LONGEST_SLIDE) as usize).clamp(1, most);
        for piece in 0..n_pieces {
            let at = |share: usize| frames.start + frames.len() * share / n_pieces;
            let start = at(piece) + if piece > 0 { step / 2 } else { 0 };
            let end = at(piece + 1) - if piece + 1 < n_pieces { step / 2 } else { 0 };
            stands.push(Stand { frames: start..end, anchor: Some(middle(&path[start..end])) });
        }
    }
    stands
}

/// The contact without the frames of landing and leaving.
fn without_roll(run: Range<usize>, path: &[Vec3], fps: f64) -> Range<usize> {
    let most = (ROLL * fps) as usize;
    let speed = |at: usize| along_floor(path[at + 1] - path[at]) * fps as f32;
    let mut speeds: Vec<f32> = (run.start..run.end - 1).map(speed).collect();
    speeds.sort_by(f32::total_cmp);
    // A foot that slides all the time does not roll.
    let usual = speeds.get(speeds.len() / 2).copied().unwrap_or(0.0);
    let rolls = |at: usize| speed(at) > ROLLING.max(2.0 * usual);
    let Range { mut start, mut end } = run;
    let (first, last) = (start, end);
    while start + 1 < end && start - first < most && rolls(start) {
        start += 1;
    }
    while start + 1 < end && last - end < most && rolls(end - 2) {
        end -= 1;
    }
    start..end
}

/// The median place along the floor.
fn middle(path: &[Vec3]) -> Vec3 {
    let median = |of: fn(&Vec3) -> f32| {
        let mut values: Vec<f32> = path.iter().map(of).collect();
        values.sort_by(f32::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    };
    Vec3::new(median(|point| point.x), 0.0, median(|point| point.z))
}

/// How far the foot is moved in every frame (m).
fn offsets(path: &[Vec3], stance: f32, stands: &[Stand], fps: f64) -> Vec<Vec3> {
    let mut offsets = vec![Vec3::ZERO; path.len()];
    for stand in stands {
        let Some(anchor) = stand.anchor else { continue };
        for at in stand.frames.clone() {
            offsets[at] = Vec3::new(anchor.x - path[at].x, 0.0, anchor.z - path[at].z);
        }
    }
    // The value and the change per frame of the correction where a stand ends or begins.
    let end_of = |stand: &Stand, offsets: &[Vec3]| match stand.anchor {
        Some(_) => {
            (offsets[stand.frames.end - 1], offsets[stand.frames.end - 1] - offsets[stand.frames.end - 2])
        }
        None => (Vec3::ZERO, Vec3::ZERO),
    };
    let start_of = |stand: &Stand, offsets: &[Vec3]| match stand.anchor {
        Some(_) => {
            (offsets[stand.frames.start], offsets[stand.frames.start + 1] - offsets[stand.frames.start])
        }
        None => (Vec3::ZERO, Vec3::ZERO),
    };
    let still = (Vec3::ZERO, Vec3::ZERO);
    let fade = ((FADE * fps) as usize).max(1);
    if let Some(first) = stands.first() {
        let goal = start_of(first, &offsets);
        let from = first.frames.start.saturating_sub(fade);
        join(&mut offsets, (from, still), (first.frames.start, goal));
    }
    if let Some(last) = stands.last() {
        let goal = end_of(last, &offsets);
        let to = (last.frames.end - 1 + fade).min(path.len());
        join(&mut offsets, (last.frames.end - 1, goal), (to, still));
    }
    for pair in stands.windows(2) {
        let (leaves, lands) = (end_of(&pair[0], &offsets), start_of(&pair[1], &offsets));
        let (from, to) = (pair[0].frames.end - 1, pair[1].frames.start);
        if to - from > 2 * fade {
            join(&mut offsets, (from, leaves), (from + fade, still));
            join(&mut offsets, (to - fade, still), (to, lands));
        } else {
            join(&mut offsets, (from, leaves), (to, lands));
        }
        let is_held = pair.iter().any(|stand| stand.anchor.is_some());
        lift(&mut offsets, path, stance, from..to, fps, is_held);
    }
    offsets
}

/// Fills the frames between two with a curve.
fn join(offsets: &mut [Vec3], (from, a): (usize, (Vec3, Vec3)), (to, b): (usize, (Vec3, Vec3))) {
    let n = (to - from) as f32;
    let limited = |(value, change): (Vec3, Vec3)| (value, change.clamp_length_max(OVERSHOOT / n.max(1.0)));
    let (a, b) = (limited(a), limited(b));
    for at in from + 1..to.min(offsets.len()) {
        offsets[at] = hermite(a, b, n, (at - from) as f32);
    }
}

/// Lifts a foot that would glide over the floor on its way from one stand to the next: always if it glides far, and on
/// any way if one of the stands is held.
fn lift(offsets: &mut [Vec3], path: &[Vec3], stance: f32, gap: Range<usize>, fps: f64, is_held: bool) {
    /// Ways shorter than this need no step (m).
    const SHORT: f32 = 0.02;
    /// Ways longer than this, never higher than that, are gliding (m).
    const FAR: f32 = 0.06;
    const FLAT: f32 = 0.025;
    const HIGHEST: f32 = 0.06;
    /// The height of a step (m) is this and a share of its length...
    const HEIGHT: f32 = 0.03;
    const SHARE: f32 = 0.2;
    /// ...but no step rises faster than this on average (m/s).
    const RISE: f32 = 0.25;
    let travel = along_floor((path[gap.end] + offsets[gap.end]) - (path[gap.start] + offsets[gap.start]));
    let apex = path[gap.clone()].iter().map(|ball| ball.y - stance).fold(0.0, f32::max);
    let seconds = (gap.len() as f64 / fps) as f32;
    let wanted = (HEIGHT + SHARE * travel).min(HIGHEST).min(RISE * seconds);
    if travel < SHORT || apex >= wanted || !(is_held || travel > FAR && apex < FLAT) {
        return;
    }
    for at in gap.clone() {
        let share = (at - gap.start) as f32 / gap.len() as f32;
        offsets[at].y += (wanted - apex) * smootherstep(2.0 * share.min(1.0 - share));
    }
}

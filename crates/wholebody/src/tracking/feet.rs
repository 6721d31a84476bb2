//! When and where feet stand: a schedule that somebody can keep.
//!
//! Captured feet hop, shuffle and slide. Here one foot swings at a time, long enough to be moved and stopped again, and
//! both stand for a moment in between: whichever foot is farther from where the clip's will rest makes the next step.

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};

use crate::phase::smooth;
use crate::spatial::{Pose, rotation_vector};

/// A foot on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stance {
    /// From when (s); at once for the first.
    pub from: f64,
    /// Until when (s); for ever for the last.
    pub until: f64,
    /// Where the sole is, flat on the ground.
    pub sole: Pose,
}

/// How long a foot is in the air (s).
const SWING: f64 = 34.0 / 60.0;
/// Both feet stand at least this long between two swings (s) ...
const BETWEEN: f64 = 0.12;
/// ... and a foot between two swings of its own (s).
const SHORTEST_STANCE: f64 = 0.3;
/// A foot that is to go farther makes a step (m); a radian counts as so much.
const STEP: f64 = 0.12;
const RADIAN: f64 = 0.2;
/// It waits until it sees where the clip's foot will rest: for so long (s) ...
const REST: f64 = 0.2;
/// ... slower than this (m/s), unless it is left behind by more than this (m).
const SLOW: f64 = 0.3;
const BEHIND: f64 = 0.3;

/// A foot lands so far from the other at most, from middle to middle (m): soles that stand flat reach less far than those
/// that roll over heel and toes.
const REACH: f64 = 0.42;
/// It stays so far on its own side of the other (m), and turns so far inwards and outwards of it at most (rad).
const APART: f64 = 0.12;
const TURN: [f64; 2] = [-0.5, 1.1];

/// When and where feet stand, and how far the person is moved beside the clip by then.
pub(super) struct Schedule {
    pub(super) stances: [Vec<Stance>; 2],
    /// From a time (s) to another the person comes to be so far beside the clip (m): who makes shorter steps gets less far.
    pub(super) shifts: Vec<(f64, f64, DVec3)>,
}

impl Schedule {
    /// How far beside the clip the person is at a time (m).
    pub(super) fn beside(&self, time: f64) -> DVec3 {
        let mut before = DVec3::ZERO;
        for (from, until, shift) in &self.shifts {
            if time < *until {
                return before.lerp(*shift, smooth((time - from) / (until - from)));
            }
            before = *shift;
        }
        before
    }
}

/// Makes a schedule from where the soles of a clip are, frame by frame. Both feet stand at both ends.
pub(super) fn schedule(soles: &[Vec<Pose>; 2], fps: f64) -> Schedule {
    let last = soles[0].len() - 1;
    let frames = |seconds: f64| libm::ceil(seconds * fps) as usize;
    let rest = frames(REST);
    let stood = |foot: usize, from: usize| {
        let from = from.min(last);
        flat(soles[foot][from..=(from + rest).min(last)].iter()).unwrap_or(Pose::IDENTITY)
    };
    let first = |sole: Pose| Stance { from: f64::NEG_INFINITY, until: f64::INFINITY, sole };
    let left = stood(0, 0);
    let mut stances = [vec![first(left)], vec![first(within_reach(&left, &stood(1, 0), 1).0)]];
    let mut shifts = Vec::new();
    let mut shift = DVec3::ZERO;
    let mut free = frames(BETWEEN);
    let mut own = [0; 2];
    for frame in 0..last.saturating_sub(frames(SWING + BETWEEN)) {
        if frame < free {
            continue;
        }
        let landing = frame + frames(SWING);
        let wish = |foot: usize| {
            let here = stances[foot].last()?.sole;
            let mut there = stood(foot, landing);
            there.translation += shift;
            let (there, short) = within_reach(&stances[1 - foot].last()?.sole, &there, foot);
            let path = &soles[foot][landing.min(last)..=(landing + rest).min(last)];
            let way: f64 =
                path.windows(2).map(|pair| pair[0].translation.distance(pair[1].translation)).sum();
            let is_slow = way * fps < SLOW * path.len() as f64;
            let now = soles[foot][frame].translation + shift - here.translation;
            let is_behind = DVec3::new(now.x, 0.0, now.z).length() > BEHIND;
            let off = distance(&here, &there);
            (frame >= own[foot] && off > STEP && (is_slow || is_behind)).then_some((off, foot, there, short))
        };
        let wishes = [0, 1].into_iter().filter_map(wish);
        let Some((_, foot, sole, short)) = wishes.max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        let [leaves, lands] = [frame, landing].map(|frame| frame as f64 / fps);
        if let Some(stance) = stances[foot].last_mut() {
            stance.until = leaves;
        }
        stances[foot].push(Stance { from: lands, until: f64::INFINITY, sole });
        if short != DVec3::ZERO {
            shift += short;
            shifts.push((leaves, lands, shift));
        }
        free = landing + frames(BETWEEN);
        own[foot] = landing + frames(SHORTEST_STANCE);
    }
    Schedule { stances, shifts }
}

/// Where a foot can land that should land there, if the other stands; and by how much the way there is shortened.
fn within_reach(stands: &Pose, there: &Pose, foot: usize) -> (Pose, DVec3) {
    let side = if foot == 0 { 1.0 } else { -1.0 };
    let heading = |pose: &Pose| libm::atan2(pose.rotation.z_axis.x, pose.rotation.z_axis.z);
    let turn = heading(there) - heading(stands);
    let turn = side * (turn - TAU * libm::round(turn / TAU));
    let way = there.translation - stands.translation;
    let short = way.clamp_length_max(REACH) - way;
    let out = side * stands.rotation.x_axis;
    let lacks = (APART - (way + short).dot(out)).max(0.0);
    let rotation = DQuat::from_rotation_y(heading(stands) + side * turn.clamp(TURN[0], TURN[1]));
    (Pose::new(rotation, there.translation + short + lacks * out), short)
}

/// How far one sole is from another (m).
fn distance(a: &Pose, b: &Pose) -> f64 {
    let turn = rotation_vector(&(b.rotation * a.rotation.transpose())).length();
    a.translation.distance(b.translation) + RADIAN * turn
}

/// The mean of some soles, flat on the ground; none for none.
fn flat<'a>(soles: impl Iterator<Item = &'a Pose>) -> Option<Pose> {
    let (mut place, mut ahead, mut count) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for sole in soles {
        place += sole.translation;
        ahead += sole.rotation.z_axis;
        count += 1.0;
    }
    let heading = libm::atan2(ahead.x, ahead.z);
    let place = place / count;
    (count > 0.0).then(|| Pose::new(DQuat::from_rotation_y(heading), DVec3::new(place.x, 0.0, place.z)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two feet that hop at once every half second, forwards.
    #[test]
    fn hops_become_steps_with_one_foot_down() {
        let n = 300;
        let place = |x: f64, k: usize| Pose::from_translation(DVec3::new(x, 0.0, 0.2 * (k / 30) as f64));
        let soles = [0.1, -0.1].map(|x| (0..n).map(|k| place(x, k)).collect::<Vec<_>>());
        let schedule = schedule(&soles, 60.0).stances;
        assert!(schedule.iter().all(|foot| foot.len() >= 3), "{schedule:?}");
        let stands =
            |foot: &[Stance], t: f64| foot.iter().any(|stance| (stance.from..stance.until).contains(&t));
        for k in 0..5000 {
            let t = f64::from(k) * 1e-3;
            assert!(schedule.iter().any(|foot| stands(foot, t)), "nobody stands at {t}");
        }
        for foot in &schedule {
            assert!(foot.windows(2).all(|pair| (pair[1].from - pair[0].until - SWING).abs() < 1e-9));
            assert!(foot.windows(2).all(|pair| pair[0].sole.translation.z < pair[1].sole.translation.z));
        }
    }

    #[test]
    fn who_lifts_a_foot_without_going_anywhere_keeps_it_down() {
        let lifted = |k: usize| DVec3::new(0.1, if (80..100).contains(&k) { 0.1 } else { 0.0 }, 0.0);
        let soles: Vec<Pose> = (0..200).map(|k| Pose::from_translation(lifted(k))).collect();
        let schedule = schedule(&[soles.clone(), soles], 60.0).stances;
        assert!(schedule.iter().all(|foot| foot.len() == 1), "{schedule:?}");
    }
}

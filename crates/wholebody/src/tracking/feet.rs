//! When and where feet stand: a schedule that somebody can keep.

use std::ops::Range;

use glam::{DQuat, DVec3};
use randori_motion::contacts::runs;

use crate::spatial::Pose;

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

/// A foot stands at least this long (s) ...
const SHORTEST_STANCE: f64 = 0.1;
/// ... and is in the air at least this long (s): faster swings are stretched, or not made.
const SHORTEST_SWING: f64 = 0.24;
/// A swing that leads no farther is no step (m, and rad).
const NO_STEP: [f64; 2] = [0.03, 0.2];

/// Makes a schedule of what is down in a clip: always one foot stands, nobody hurries, and both stand at both
/// ends.
pub(super) fn stances(mut down: [Vec<bool>; 2], soles: &[Vec<Pose>; 2], fps: f64) -> [Vec<Stance>; 2] {
    let n = down[0].len();
    let frames = |seconds: f64| libm::ceil(seconds * fps) as usize;
    let (stance, swing) = (frames(SHORTEST_STANCE), frames(SHORTEST_SWING));
    for foot in &mut down {
        let edge = swing.min(n);
        foot[..edge].fill(true);
        foot[n - edge..].fill(true);
        for island in runs(foot, true) {
            if island.len() < stance && island.start > 0 && island.end < n {
                foot[island].fill(false);
            }
        }
    }
    // Who is in the air with both feet keeps the one longer that left later.
    let flights: Vec<bool> = down[0].iter().zip(&down[1]).map(|(a, b)| !a && !b).collect();
    for flight in runs(&flights, true) {
        let left_before = (0..2).find(|foot| flight.start > 0 && down[*foot][flight.start - 1]);
        let keeps = left_before.unwrap_or(0);
        let lands = (0..2).find(|foot| flight.end < n && down[*foot][flight.end]).unwrap_or(1 - keeps);
        let middle = flight.start + flight.len() / 2;
        if keeps == lands {
            down[keeps][flight].fill(true);
        } else {
            down[keeps][flight.start..middle + 1].fill(true);
            down[lands][middle..flight.end].fill(true);
        }
    }
    for foot in 0..2 {
        for gap in runs(&down[foot].clone(), false) {
            settle_swing(&mut down, foot, gap, &soles[foot], swing);
        }
    }
    [0, 1].map(|foot| {
        let phases = runs(&down[foot], true);
        let n_phases = phases.len();
        (phases.into_iter().enumerate())
            .map(|(k, phase)| Stance {
                from: if k == 0 { f64::NEG_INFINITY } else { phase.start as f64 / fps },
                until: if k + 1 == n_phases { f64::INFINITY } else { phase.end as f64 / fps },
                sole: flat(&soles[foot][phase]),
            })
            .collect()
    })
}

/// Fills a gap that is no step, and stretches one that is too short while the other foot stands.
fn settle_swing(down: &mut [Vec<bool>; 2], foot: usize, gap: Range<usize>, soles: &[Pose], shortest: usize) {
    let n = soles.len();
    if gap.start == 0 || gap.end >= n {
        return;
    }
    let (a, b) = (flat(&soles[gap.start - 1..gap.start]), flat(&soles[gap.end..gap.end + 1]));
    let turn = crate::spatial::rotation_vector(&(b.rotation * a.rotation.transpose())).length();
    let rise = soles[gap.clone()].iter().map(|sole| sole.translation.y).fold(0.0, f64::max)
        - soles[gap.start].translation.y.max(soles[gap.end].translation.y);
    let is_step = a.translation.distance(b.translation) > NO_STEP[0] || turn > NO_STEP[1] || rise > 0.08;
    if !is_step {
        down[foot][gap].fill(true);
        return;
    }
    let (mut start, mut end) = (gap.start, gap.end);
    while end - start < shortest {
        let earlier = start > 1 && down[foot][start - 1] && down[1 - foot][start - 1];
        let later = end < n && down[foot][end] && down[1 - foot][end];
        if earlier {
            start -= 1;
            down[foot][start] = false;
        }
        if later && end - start < shortest {
            down[foot][end] = false;
            end += 1;
        }
        if !earlier && !later {
            break;
        }
    }
}

/// The mean of some soles, flat on the ground.
fn flat(soles: &[Pose]) -> Pose {
    let share = 1.0 / soles.len().max(1) as f64;
    let place: DVec3 = soles.iter().map(|sole| sole.translation * share).sum();
    let ahead: DVec3 = soles.iter().map(|sole| sole.rotation.z_axis).sum();
    let heading = libm::atan2(ahead.x, ahead.z);
    Pose::new(DQuat::from_rotation_y(heading), DVec3::new(place.x, 0.0, place.z))
}

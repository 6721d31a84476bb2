//! Bodies against each other.

use std::ops::Range;

use glam::Vec3;
use randori_motion::Bone;
use randori_motion::contacts::runs;
use randori_motion::math::nearest_points;
use rayon::prelude::*;
use serde::Serialize;

use super::footage::{Footage, Performer, Track};
use super::{Finding, Kind, Limits};

/// Two characters that came near each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// Their names.
    pub pair: [String; 2],
    /// The least distance of their hips along the floor (m).
    pub closest_hips_m: f64,
    /// How deep one torso or head was inside the other's (cm).
    pub core_penetration_cm_max: f64,
    /// How deep any part was inside any other (cm).
    pub limb_penetration_cm_max: f64,
    /// Share of all frames in which torsos or heads were deeper than 3 cm in each other (%).
    pub frames_core_deeper_3cm_percent: f64,
}

/// Pairs whose hips never come nearer than this cannot touch (m).
const NEAR: f32 = 2.5;
/// In frames with hips farther apart than this nobody can reach the other (m).
const OUT_OF_REACH: f32 = 3.5;
/// What counts as inside rather than in touch (m).
const DEEP: f32 = 0.03;

/// The volume that any humanoid is taken to have: from bone to bone with a radius (m). The first four are
/// its core.
const VOLUME: [(Bone, Bone, f32); 12] = [
    (Bone::Hips, Bone::Spine, 0.13),
    (Bone::Spine, Bone::Chest, 0.13),
    (Bone::Chest, Bone::Neck, 0.13),
    (Bone::Neck, Bone::Head, 0.08),
    (Bone::LeftUpperLeg, Bone::LeftLowerLeg, 0.075),
    (Bone::RightUpperLeg, Bone::RightLowerLeg, 0.075),
    (Bone::LeftLowerLeg, Bone::LeftFoot, 0.055),
    (Bone::RightLowerLeg, Bone::RightFoot, 0.055),
    (Bone::LeftUpperArm, Bone::LeftLowerArm, 0.045),
    (Bone::RightUpperArm, Bone::RightLowerArm, 0.045),
    (Bone::LeftLowerArm, Bone::LeftHand, 0.04),
    (Bone::RightLowerArm, Bone::RightHand, 0.04),
];
const N_CORE: usize = 4;

pub(super) fn measure(footage: &Footage, limits: &Limits, findings: &mut Vec<Finding>) -> Vec<Pair> {
    let performers = &footage.performers;
    let couples: Vec<(usize, usize)> =
        (0..performers.len()).flat_map(|second| (0..second).map(move |first| (first, second))).collect();
    let measured: Vec<_> = (couples.par_iter())
        .filter_map(|(first, second)| {
            measure_pair(&performers[*first], &performers[*second], footage.n_frames, limits)
        })
        .collect();
    measured
        .into_iter()
        .map(|(pair, found)| {
            findings.extend(found);
            pair
        })
        .collect()
}

fn measure_pair(
    a: &Performer,
    b: &Performer,
    n_frames: usize,
    limits: &Limits,
) -> Option<(Pair, Vec<Finding>)> {
    let (hips_a, hips_b) = (a.bone(Bone::Hips)?, b.bone(Bone::Hips)?);
    let together = a.present.start.max(b.present.start)..a.present.end.min(b.present.end);
    let apart = |frame: usize| {
        let between = hips_a.positions[frame] - hips_b.positions[frame];
        libm::hypotf(between.x, between.z)
    };
    let closest = together.clone().map(apart).fold(f32::INFINITY, f32::min);
    if closest > NEAR {
        return None;
    }
    let [volume_a, volume_b] = [a, b].map(|performer| volume_of(performer, &together));
    let (mut deepest_limb, mut core) = (0.0f32, vec![0.0f64; n_frames]);
    for frame in together.filter(|frame| apart(*frame) < OUT_OF_REACH) {
        let middles: Vec<Vec3> = volume_b.iter().map(|part| part.middle(frame)).collect();
        for part_a in &volume_a {
            let middle = part_a.middle(frame);
            for (part_b, middle_b) in volume_b.iter().zip(&middles) {
                // Too far away to touch, whichever way they lie.
                let near = part_a.reach + part_b.reach;
                if middle.distance_squared(*middle_b) > near * near {
                    continue;
                }
                let depth = part_a.radius + part_b.radius
                    - segment_distance(part_a.segment(frame), part_b.segment(frame));
                deepest_limb = deepest_limb.max(depth);
                if part_a.is_core && part_b.is_core {
                    core[frame] = core[frame].max(f64::from(depth));
                }
            }
        }
    }
    let core_cm: Vec<f64> = core.iter().map(|depth| 100.0 * depth).collect();
    let deep = core.iter().filter(|depth| **depth > f64::from(DEEP)).count();
    let beyond: Vec<bool> = core_cm.iter().map(|depth| *depth > limits.core_penetration_cm).collect();
    let findings = runs(&beyond, true)
        .into_iter()
        .map(|Range { start, end }| Finding {
            kind: Kind::Penetration,
            who: a.name.clone(),
            whom: Some(b.name.clone()),
            part: None,
            frames: [start, end - 1],
            value: core_cm[start..end].iter().copied().fold(0.0, f64::max),
            limit: limits.core_penetration_cm,
            unit: "cm",
        })
        .collect();
    let pair = Pair {
        pair: [a.name.clone(), b.name.clone()],
        closest_hips_m: f64::from(closest),
        core_penetration_cm_max: core_cm.iter().copied().fold(0.0, f64::max),
        limb_penetration_cm_max: 100.0 * f64::from(deepest_limb),
        frames_core_deeper_3cm_percent: 100.0 * deep as f64 / n_frames as f64,
    };
    Some((pair, findings))
}

struct Part<'a> {
    from: &'a Track,
    to: &'a Track,
    radius: f32,
    /// From its middle no point of it is farther away than this (m).
    reach: f32,
    is_core: bool,
}

impl Part<'_> {
    fn middle(&self, frame: usize) -> Vec3 {
        0.5 * (self.from.positions[frame] + self.to.positions[frame])
    }

    fn segment(&self, frame: usize) -> (Vec3, Vec3) {
        (self.from.positions[frame], self.to.positions[frame])
    }
}

/// The volumes of somebody, as far as they reach in these frames.
fn volume_of<'a>(performer: &'a Performer, frames: &Range<usize>) -> Vec<Part<'a>> {
    (VOLUME.iter().enumerate())
        .filter_map(|(idx, (from, to, radius))| {
            let (from, to) = (performer.bone(*from)?, performer.bone(*to)?);
            let length = |frame: usize| from.positions[frame].distance(to.positions[frame]);
            let longest = frames.clone().map(length).fold(0.0, f32::max);
            // A little more, for what rounding makes of it.
            let reach = 0.5 * longest + radius + 1e-4;
            Some(Part { from, to, radius: *radius, reach, is_core: idx < N_CORE })
        })
        .collect()
}

/// The least distance between two segments.
fn segment_distance((p1, q1): (Vec3, Vec3), (p2, q2): (Vec3, Vec3)) -> f32 {
    let [p, q] = nearest_points([p1, q1], [p2, q2]);
    p.distance(q)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_as_far_apart_as_their_nearest_points() {
        let x = (Vec3::ZERO, Vec3::X);
        for (other, expected) in [
            ((Vec3::Y, Vec3::Y + Vec3::X), 1.0),
            ((Vec3::new(0.5, 1.0, -1.0), Vec3::new(0.5, 1.0, 1.0)), 1.0),
            ((Vec3::new(3.0, 0.0, 0.0), Vec3::new(4.0, 0.0, 0.0)), 2.0),
            ((Vec3::new(0.5, -1.0, 0.0), Vec3::new(0.5, 1.0, 0.0)), 0.0),
            ((Vec3::new(-3.0, 4.0, 0.0), Vec3::new(-3.0, 4.0, 0.0)), 5.0),
        ] {
            assert!((segment_distance(x, other) - expected).abs() < 1e-6, "{other:?}");
            assert!((segment_distance(other, x) - expected).abs() < 1e-6, "{other:?}");
        }
    }

    #[test]
    fn distances_agree_with_dense_sampling() {
        let mut seed = 1u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / (1 << 24) as f32 * 2.0 - 1.0
        };
        for _ in 0..200 {
            let mut point = || Vec3::new(next(), next(), next());
            let (a, b) = ((point(), point()), (point(), point()));
            let steps = 100;
            let sampled = (0..=steps * steps + steps)
                .map(|step| {
                    let (s, t) = ((step / (steps + 1)) as f32, (step % (steps + 1)) as f32);
                    a.0.lerp(a.1, s / steps as f32).distance(b.0.lerp(b.1, t / steps as f32))
                })
                .fold(f32::INFINITY, f32::min);
            let exact = segment_distance(a, b);
            assert!(exact <= sampled + 1e-5 && sampled - exact < 0.03, "{exact} {sampled}");
        }
    }
}

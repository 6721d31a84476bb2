//! Postures at the ends of actions, and the groups that become the nodes of the graph.

use glam::Vec3;

use crate::annotation::Load;
use crate::bone::Bone;
use crate::clip::Clip;
use crate::placement::Placement;
use crate::pose::GlobalPose;
use crate::skeleton::{JointId, Skeleton};

/// How alike two postures must be to share a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Likeness {
    /// Root mean square distance of the joints relative to the placement, at most (m). Default 0.12.
    pub distance: f32,
    /// Seconds of difference in velocity that count as much as a difference in place (s). Default 0.03.
    pub velocity: f32,
    /// How far a foot that stands may be from where the other posture has it, at most (m): what it would slide if
    /// the seam did not keep it. Default 0.22: a stride that the next lift of the foot makes good.
    pub foot: f32,
}

impl Default for Likeness {
    fn default() -> Likeness {
        Likeness { distance: 0.12, velocity: 0.03, foot: 0.22 }
    }
}

/// One posture with its velocity, relative to its placement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Posture {
    places: Vec<Vec3>,
    velocities: Vec<Vec3>,
    /// Balls of the feet and whether they stand; left, then right.
    feet: [(Vec3, bool); 2],
    /// What is in the hands.
    load: Option<Load>,
}

/// Postures with other things in the hands are as different as this.
const OTHER_LOAD: f32 = 1e3;

impl Posture {
    /// The posture of a clip at a frame, seen from `placement`, whose own motion is no part of the velocity.
    pub(super) fn of(
        clip: &Clip,
        frame: usize,
        placement: Placement,
        standing: [bool; 2],
        load: Option<Load>,
    ) -> Posture {
        let around = [frame.saturating_sub(1), frame, (frame + 1).min(clip.n_frames() - 1)];
        let globals = around.map(|frame| clip.skeleton().global_pose(clip.frame(frame)));
        let seconds = ((around[2] - around[0]).max(1) as f64 * clip.rate().dt()) as f32;
        let posture = Posture::between(clip.skeleton(), &globals, seconds, placement, standing);
        Posture { load, ..posture }
    }

    /// The posture in the middle of three moments, the first and the last of which are `seconds` apart, seen from
    /// `placement`, with nothing in the hands.
    pub(crate) fn between(
        skeleton: &Skeleton,
        [before, now, after]: &[GlobalPose; 3],
        seconds: f32,
        placement: Placement,
        standing: [bool; 2],
    ) -> Posture {
        let relative =
            |globals: &GlobalPose, joint: JointId| placement.point_from_world(globals.positions[joint.idx()]);
        let joints: Vec<JointId> = Bone::LANDMARKS.iter().filter_map(|bone| skeleton.bone(*bone)).collect();
        let velocity = |joint: &JointId| (relative(after, *joint) - relative(before, *joint)) / seconds;
        let ball = |bone: Bone, standing| {
            (ball_of(skeleton, bone).map_or(Vec3::ZERO, |j| relative(now, j)), standing)
        };
        Posture {
            places: joints.iter().map(|joint| relative(now, *joint)).collect(),
            velocities: joints.iter().map(velocity).collect(),
            feet: [ball(Bone::LeftFoot, standing[0]), ball(Bone::RightFoot, standing[1])],
            load: None,
        }
    }

    /// How different two postures are, in units of what is allowed: up to 1 they may share a node.
    pub(crate) fn difference(&self, other: &Posture, likeness: &Likeness) -> f32 {
        if self.load != other.load {
            return OTHER_LOAD;
        }
        let square = |pairs: std::iter::Zip<std::slice::Iter<'_, Vec3>, std::slice::Iter<'_, Vec3>>| {
            pairs.map(|(a, b)| a.distance_squared(*b)).sum::<f32>()
        };
        let places = square(self.places.iter().zip(&other.places));
        let velocities = square(self.velocities.iter().zip(&other.velocities));
        let n_joints = self.places.len().max(1) as f32;
        let mean = (places + likeness.velocity * likeness.velocity * velocities) / n_joints;
        let foot = |at: usize| {
            let ((a, a_stands), (b, b_stands)) = (self.feet[at], other.feet[at]);
            if a_stands && b_stands { (a - b).with_y(0.0).length() } else { 0.0 }
        };
        (libm::sqrtf(mean) / likeness.distance).max(foot(0).max(foot(1)) / likeness.foot)
    }
}

fn ball_of(skeleton: &Skeleton, foot: Bone) -> Option<JointId> {
    let toes = foot.side().and_then(|side| skeleton.bone(Bone::LeftToes.on(side)));
    toes.or_else(|| skeleton.bone(foot))
}

/// Groups postures so that those of two groups that were joined differed by at most 1 on average: the group of each,
/// numbered from 0 in order of first appearance.
///
/// Average linkage by chains of nearest neighbours, cut at 1. Ties go to the lower index.
pub(super) fn group(postures: &[Posture], likeness: &Likeness) -> Vec<u32> {
    let n = postures.len();
    let mut difference = vec![0.0_f32; n * n];
    for i in 0..n {
        for j in 0..i {
            let d = postures[i].difference(&postures[j], likeness);
            difference[i * n + j] = d;
            difference[j * n + i] = d;
        }
    }
    let mut into: Vec<usize> = (0..n).collect();
    let mut sizes = vec![1.0_f32; n];
    let mut alive = vec![true; n];
    let mut chain: Vec<usize> = Vec::new();
    loop {
        let Some(&top) = chain.last() else {
            match (0..n).find(|at| alive[*at] && into[*at] == *at) {
                Some(start) => chain.push(start),
                None => break,
            }
            continue;
        };
        let previous = chain.len().checked_sub(2).map(|at| chain[at]);
        let mut nearest: Option<usize> = previous;
        for other in (0..n).filter(|other| *other != top && alive[*other] && into[*other] == *other) {
            if nearest.is_none_or(|nearest| difference[top * n + other] < difference[top * n + nearest]) {
                nearest = Some(other);
            }
        }
        let Some(nearest) = nearest.filter(|nearest| difference[top * n + nearest] <= 1.0) else {
            // Nothing will come nearer by merging: the mean of two is no less than the lesser.
            alive[top] = false;
            chain.clear();
            continue;
        };
        if Some(nearest) != previous {
            chain.push(nearest);
            continue;
        }
        chain.truncate(chain.len() - 2);
        let (keep, gone) = (top.min(nearest), top.max(nearest));
        into[gone] = keep;
        for other in 0..n {
            let total =
                difference[keep * n + other] * sizes[keep] + difference[gone * n + other] * sizes[gone];
            let mean = total / (sizes[keep] + sizes[gone]);
            difference[keep * n + other] = mean;
            difference[other * n + keep] = mean;
        }
        sizes[keep] += sizes[gone];
    }
    let mut number_of = vec![None; n];
    let mut n_groups = 0;
    (0..n)
        .map(|at| {
            let mut root = at;
            while into[root] != root {
                root = into[root];
            }
            *number_of[root].get_or_insert_with(|| {
                n_groups += 1;
                n_groups - 1
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f32) -> Posture {
        let foot = (Vec3::ZERO, false);
        Posture { places: vec![Vec3::X * x], velocities: vec![Vec3::ZERO], feet: [foot; 2], load: None }
    }

    #[test]
    fn groups_are_tight_and_few() {
        let likeness = Likeness { distance: 1.0, velocity: 0.1, foot: 1.0 };
        let postures: Vec<Posture> = (0..200).map(|k| at(10.0 * libm::sinf(7.0 * k as f32))).collect();
        let groups = group(&postures, &likeness);
        let n_groups = groups.iter().max().unwrap() + 1;
        for number in 0..n_groups {
            let inside = || (0..200).filter(|at| groups[*at] == number);
            let sum: f32 = inside()
                .flat_map(|i| inside().map(move |j| (i, j)))
                .map(|(i, j)| postures[i].difference(&postures[j], &likeness))
                .sum();
            let n = inside().count() as f32;
            assert!(sum / (n * n) <= 1.0, "{number}: {n} {sum}");
        }
        // A line of 20 in groups of at most 2.
        assert!((10..25).contains(&n_groups), "{n_groups}");
        assert_eq!(group(&[], &likeness), Vec::<u32>::new());
    }

    #[test]
    fn standing_feet_must_be_near_and_swinging_ones_need_not() {
        let likeness = Likeness::default();
        let foot = |z: f32, stands| {
            let feet = [(Vec3::Z * z, stands), (Vec3::ZERO, true)];
            Posture { places: vec![Vec3::ZERO], velocities: vec![Vec3::ZERO], feet, load: None }
        };
        assert!(foot(0.0, true).difference(&foot(0.5, true), &likeness) > 1.0);
        assert!(foot(0.0, true).difference(&foot(0.5, false), &likeness) <= 1.0);
    }
}

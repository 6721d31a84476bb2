//! Standard poses: how two people stand from where many patches begin.
//!
//! Reference: \[Shum2008\], section 4.3, equations (2) and (3).

use randori_motion::library::NodeId;
use randori_motion::math::wrap_angle;

use crate::patch::{Initial, Role};
use crate::set::Patches;

/// r0 (m).
const DISTANCE: f32 = 3.0;
/// θ0 (rad).
const ANGLE: f32 = std::f32::consts::PI;
/// Conditions nearer to each other than this by F are of one group.
const ALIKE: f32 = 0.02;

/// The average of a group of like conditions in which patches begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StandardPose {
    /// How the two stand.
    pub initial: Initial,
    /// Their postures.
    pub nodes: [NodeId; 2],
    /// How many patches begin like this.
    pub n_patches: u32,
}

/// F of \[Shum2008\], equation (2).
pub fn distance(a: &Initial, b: &Initial) -> f32 {
    let angle = |k: usize| wrap_angle(a.angles[k] - b.angles[k]) / ANGLE;
    let apart = (a.distance - b.distance) / DISTANCE;
    apart * apart + angle(0) * angle(0) + angle(1) * angle(1)
}

/// The standard poses of a set of patches, in the order of the first patch of each.
pub fn standard_poses(patches: &Patches) -> Vec<StandardPose> {
    let mut poses: Vec<StandardPose> = Vec::new();
    for patch in patches.all() {
        let [Some(first), Some(second)] = [Role::First, Role::Second].map(|role| patch.of(role).entry) else {
            continue;
        };
        let nodes = [first, second];
        let same =
            |pose: &&mut StandardPose| pose.nodes == nodes && distance(&pose.initial, &patch.initial) < ALIKE;
        match poses.iter_mut().find(same) {
            Some(pose) => {
                // The mean, one by one.
                pose.n_patches += 1;
                let share = 1.0 / pose.n_patches as f32;
                let mean = &mut pose.initial;
                mean.distance += share * (patch.initial.distance - mean.distance);
                for k in 0..2 {
                    let off = wrap_angle(patch.initial.angles[k] - mean.angles[k]);
                    mean.angles[k] = wrap_angle(mean.angles[k] + share * off);
                }
            }
            None => poses.push(StandardPose { initial: patch.initial, nodes, n_patches: 1 }),
        }
    }
    poses
}

/// The standard pose nearest to how two people stand, whatever their postures, and whether their parts are exchanged.
pub fn nearest(poses: &[StandardPose], now: &Initial) -> Option<(StandardPose, bool)> {
    let both = poses.iter().flat_map(|pose| [(*pose, false), (*pose, true)]);
    both.min_by(|a, b| {
        let far = |(pose, is_swapped): &(StandardPose, bool)| {
            distance(&pose.initial, &if *is_swapped { now.swapped() } else { *now })
        };
        far(a).total_cmp(&far(b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_measure_is_the_papers() {
        let a = Initial { distance: 1.0, angles: [0.0, 3.0], delay: 0 };
        let b = Initial { distance: 4.0, angles: [std::f32::consts::PI / 2.0, -3.0], delay: 9 };
        let turn = (2.0 * std::f32::consts::PI - 6.0) / std::f32::consts::PI;
        assert!((distance(&a, &b) - (1.0 + 0.25 + turn * turn)).abs() < 1e-5);
        assert!((distance(&a.swapped(), &b.swapped()) - distance(&a, &b)).abs() < 1e-6);
    }
}

//! The placement of a posture: where on the floor it is and which way it faces.

use glam::Vec3;

use crate::bone::Bone;
use crate::math::heading_of;
use crate::placement::{Ground, Placement};
use crate::pose::{GlobalPose, PoseView};
use crate::skeleton::Skeleton;

/// Where somebody is: the floor below the hips, facing across the lines between the hip joints and between
/// the shoulders.
///
/// Both lines count the same, so that neither a wound-up chest nor a turned pelvis leads alone. Skeletons
/// without these joints, and somebody who lies on the side, face where the hips' own +Z points.
///
/// ```
/// use randori_motion::{Build, analyse::placement_of};
/// let skeleton = Build::AVERAGE.skeleton();
/// let globals = skeleton.global_pose(skeleton.rest_pose().view());
/// assert!(placement_of(&skeleton, &globals).heading.abs() < 1e-5);
/// ```
pub fn placement_of(skeleton: &Skeleton, globals: &GlobalPose) -> Placement {
    let hips = skeleton.bone(Bone::Hips).map_or(0, |id| id.idx());
    let place = |bone: Bone| skeleton.bone(bone).map(|id| globals.positions[id.idx()]);
    let line = |left: Bone| Some((place(left)?, place(left.mirrored())?));
    let lines = [line(Bone::LeftUpperLeg), line(Bone::LeftUpperArm)];
    let ahead = lines.into_iter().flatten().map(|(left, right)| across(left, right)).sum::<Vec3>();
    let heading = match ahead.length() > LEAST_LINE {
        true => libm::atan2f(ahead.x, ahead.z),
        false => heading_of(globals.rotations[hips]),
    };
    Placement { position: Ground::below(globals.positions[hips]), heading }
}

/// As [`placement_of`], of a local pose. Computes forward kinematics.
pub fn placement_of_pose(skeleton: &Skeleton, pose: PoseView<'_>) -> Placement {
    placement_of(skeleton, &skeleton.global_pose(pose))
}

/// Unit horizontal direction ahead of somebody whose left and right are here; zero if one is above the other.
pub(super) fn across(left: Vec3, right: Vec3) -> Vec3 {
    let (x, z) = (left.x - right.x, left.z - right.z);
    let length = libm::hypotf(x, z);
    if length < 1e-4 { Vec3::ZERO } else { Vec3::new(-z / length, 0.0, x / length) }
}

/// Sums of two unit directions shorter than this have no direction worth the name.
pub(super) const LEAST_LINE: f32 = 0.1;

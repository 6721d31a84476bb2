//! The library's skeleton with somebody else's lengths.

use glam::{Quat, Vec3};

use super::ground::scale_by_legs;
use super::transfer::body_frame;
use crate::body::Build;
use crate::bone::{Bone, Side};
use crate::pose::GlobalPose;
use crate::skeleton::{Joint, Skeleton};

/// The library's skeleton with the lengths of the source: limbs as long, hips and shoulders as wide, the spine as high
/// as in its rest pose. Bones that the source lacks are the average build's, scaled by the length of the legs.
///
/// Like every skeleton of the library it stands in a T-pose that faces +Z, soles at y = 0, all joints' frames aligned
/// with the world's.
pub fn fitted_skeleton(source: &Skeleton) -> Skeleton {
    let rest = source.global_pose(source.rest_pose().view());
    let body_from_world = body_frame(source, &rest).map_or(Quat::IDENTITY, upright);
    let average = Build::AVERAGE.skeleton();
    let average_rest = average.global_pose(average.rest_pose().view());
    let scale = scale_by_legs(&average, source).unwrap_or(1.0);
    let source = Measured { skeleton: source, rest: &rest, body_from_world };

    let mut places: Vec<Vec3> = Vec::with_capacity(average.n_joints());
    let mut joints: Vec<Joint> = Vec::with_capacity(average.n_joints());
    for (joint, average_place) in average.joints().iter().zip(&average_rest.positions) {
        let Some(bone) = joint.bone else { continue };
        let parent_place = joint.parent.map_or(Vec3::ZERO, |parent| places[parent.idx()]);
        let parent_bone = joint.parent.and_then(|parent| average.joint(parent).bone);
        let scaled = joint.offset * scale;
        let offset = match parent_bone {
            None => *average_place * scale,
            Some(parent) => source.offset(parent, bone, joint.offset).unwrap_or(scaled),
        };
        let tips = joint.tips.iter().map(|tip| match source.tip_length(bone) {
            Some(length) => tip.normalize_or_zero() * length,
            None => *tip * scale,
        });
        places.push(parent_place + offset);
        joints.push(Joint { offset, tips: tips.collect(), ..joint.clone() });
    }
    // Soles on the floor: both ankles at the average height above it, by however much the legs differ.
    let ankle = |side: Side| average.bone(Bone::LeftFoot.on(side)).map_or(0, |id| id.idx());
    let ankles = Side::BOTH.map(ankle);
    let low = places[ankles[0]].y.min(places[ankles[1]].y);
    joints[0].offset.y += average_rest.positions[ankles[0]].y * scale - low;
    Skeleton::new(joints).expect("the library's own joints with finite lengths form a tree")
}

/// The turn out of a frame of the body, or none if the body is upright and faces +Z up to its proportions.
fn upright(world_from_body: Quat) -> Quat {
    const ROUGHLY: f32 = 0.4;
    let angle = crate::math::angle_between(world_from_body, Quat::IDENTITY);
    if angle < ROUGHLY { Quat::IDENTITY } else { world_from_body.inverse() }
}

struct Measured<'a> {
    skeleton: &'a Skeleton,
    rest: &'a GlobalPose,
    body_from_world: Quat,
}

impl Measured<'_> {
    fn place(&self, bone: Bone) -> Option<Vec3> {
        self.skeleton.bone(bone).map(|id| self.body_from_world * self.rest.positions[id.idx()])
    }

    /// From one bone to the next: in the trunk as the source has it, in limbs as long but as the library points.
    fn offset(&self, parent: Bone, bone: Bone, own: Vec3) -> Option<Vec3> {
        let between = self.place(bone)? - self.place(parent)?;
        let limb = bone.side().is_some() && !matches!(parent, Bone::Hips | Bone::UpperChest);
        match bone.on(Side::Left) {
            _ if !limb => Some(between),
            Bone::LeftUpperArm => Some(between),
            // The ball keeps its height above the sole; the foot's length lies in front of it.
            Bone::LeftToes => {
                let length = between.length().max(1.2 * own.y.abs());
                let level = Vec3::new(own.x, 0.0, own.z).normalize_or_zero();
                Some(level * libm::sqrtf(length * length - own.y * own.y) + Vec3::Y * own.y)
            }
            _ => Some(own.normalize_or_zero() * between.length()),
        }
    }

    /// Length of a bone beyond its last joint, if the source tells.
    fn tip_length(&self, bone: Bone) -> Option<f32> {
        let id = self.skeleton.bone(bone)?;
        let tip = self.skeleton.joint(id).tips.first()?;
        (tip.length() > 1e-3).then(|| tip.length())
    }
}

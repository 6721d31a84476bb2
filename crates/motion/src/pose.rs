//! Poses: local rotations and translations, and the world transforms they lead to.

use glam::{Quat, Vec3};

use crate::skeleton::{JointId, Skeleton};

/// The posture of one skeleton at one moment.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Pose {
    /// Positions in the parent's frame (m), one per joint of [`Skeleton::translating`], the root first.
    pub translations: Vec<Vec3>,
    /// Rotations relative to the parent, one per joint.
    pub rotations: Vec<Quat>,
}

impl Pose {
    /// The pose, borrowed.
    pub fn view(&self) -> PoseView<'_> {
        PoseView { translations: &self.translations, rotations: &self.rotations }
    }

    /// Where the root is (m).
    pub fn root(&self) -> Vec3 {
        self.translations[0]
    }

    /// Copies another pose of the same skeleton into this one's memory.
    pub fn copy_from(&mut self, pose: PoseView<'_>) {
        self.translations.clear();
        self.translations.extend_from_slice(pose.translations);
        self.rotations.clear();
        self.rotations.extend_from_slice(pose.rotations);
    }
}

/// A borrowed pose: a frame of a clip, or a [`Pose`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseView<'a> {
    /// As in [`Pose::translations`].
    pub translations: &'a [Vec3],
    /// As in [`Pose::rotations`].
    pub rotations: &'a [Quat],
}

impl PoseView<'_> {
    /// Where the root is (m).
    pub fn root(self) -> Vec3 {
        self.translations[0]
    }

    /// A copy that owns its numbers.
    pub fn to_pose(self) -> Pose {
        Pose { translations: self.translations.to_vec(), rotations: self.rotations.to_vec() }
    }
}

/// World transforms of all joints of one pose.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct GlobalPose {
    /// Joint positions in the world (m).
    pub positions: Vec<Vec3>,
    /// `world_from_joint` rotations.
    pub rotations: Vec<Quat>,
}

impl GlobalPose {
    /// A point given in a joint's own frame, in the world (m).
    pub fn point(&self, joint: JointId, point_in_joint: Vec3) -> Vec3 {
        self.positions[joint.idx()] + self.rotations[joint.idx()] * point_in_joint
    }

    /// The local pose that forward kinematics would turn into these transforms.
    ///
    /// Joints that only rotate keep their skeleton's offset, whatever their world position says.
    pub fn to_pose(&self, skeleton: &Skeleton) -> Pose {
        let rotations = (skeleton.joints().iter().zip(&self.rotations))
            .map(|(joint, world_from_joint)| match joint.parent {
                None => *world_from_joint,
                Some(parent) => (self.rotations[parent.idx()].inverse() * *world_from_joint).normalize(),
            })
            .collect();
        let translations = (skeleton.translating().iter())
            .map(|id| match skeleton.joint(*id).parent {
                None => self.positions[id.idx()],
                Some(parent) => {
                    let parent_from_world = self.rotations[parent.idx()].inverse();
                    parent_from_world * (self.positions[id.idx()] - self.positions[parent.idx()])
                }
            })
            .collect();
        Pose { translations, rotations }
    }
}

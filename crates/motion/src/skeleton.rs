//! The skeleton: a tree of joints that never changes once made.

use std::collections::BTreeMap;

use glam::{Quat, Vec3};

use crate::bone::Bone;
use crate::pose::{GlobalPose, Pose, PoseView};

/// The largest number of joints a skeleton may have; files that declare more are refused.
pub const MAX_JOINTS: usize = 4096;

/// A joint of one skeleton: its place in [`Skeleton::joints`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(pub u32);

impl JointId {
    /// The root of every skeleton.
    pub const ROOT: JointId = JointId(0);

    /// As an index into arrays that hold one entry per joint.
    pub fn idx(self) -> usize {
        self.0 as usize
    }
}

/// One joint, in the frame of its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The name as the file spells it, or VRM's for skeletons of our own. Unique in its skeleton.
    pub name: String,
    /// The joint it hangs from; `None` for the root alone.
    pub parent: Option<JointId>,
    /// Where the joint sits in its parent's frame when it does not translate (m).
    pub offset: Vec3,
    /// Its rotation relative to its parent in the rest pose.
    pub rest_rotation: Quat,
    /// Whether poses hold a translation for it. Always true for the root.
    pub translates: bool,
    /// The part it plays in a humanoid.
    pub bone: Option<Bone>,
    /// Ends of the bone where no joint follows (BVH's end sites), in the joint's own frame (m).
    pub tips: Vec<Vec3>,
}

impl Joint {
    /// A joint that only rotates, with identity rest rotation and no role.
    pub fn new(name: impl Into<String>, parent: Option<JointId>, offset: Vec3) -> Joint {
        Joint {
            name: name.into(),
            parent,
            offset,
            rest_rotation: Quat::IDENTITY,
            translates: parent.is_none(),
            bone: None,
            tips: Vec::new(),
        }
    }

    /// The same joint in the role of a humanoid's bone.
    pub fn with_bone(self, bone: Bone) -> Joint {
        Joint { bone: Some(bone), ..self }
    }

    /// The same joint with one more end of its bone, in its own frame (m).
    pub fn with_tip(mut self, tip: Vec3) -> Joint {
        self.tips.push(tip);
        self
    }
}

/// Why a list of joints is no skeleton.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkeletonError {
    /// There is no joint at all.
    #[error("a skeleton needs at least one joint")]
    Empty,
    /// More joints than [`MAX_JOINTS`].
    #[error("{0} joints; at most {MAX_JOINTS} are allowed")]
    TooManyJoints(usize),
    /// The first joint has a parent, or a later one has none.
    #[error("joint \"{0}\": only the first joint may be, and must be, without a parent")]
    NotOneRoot(String),
    /// A joint comes before its parent.
    #[error("joint \"{0}\" stands before its parent")]
    ParentAfterChild(String),
    /// Two joints share a name.
    #[error("two joints are named \"{0}\"")]
    DuplicateName(String),
    /// Two joints play the same bone.
    #[error("joints \"{0}\" and \"{1}\" both play the bone {2}")]
    DuplicateBone(String, String, &'static str),
    /// An offset, tip or rest rotation is not finite, or a rest rotation is not of unit length.
    #[error("joint \"{0}\" has a rest transform that is not finite or not a rotation")]
    BadTransform(String),
}

/// An immutable tree of joints, parents before children.
///
/// ```
/// use randori_motion::{Joint, JointId, Skeleton, math::Vec3};
/// let arm = Skeleton::new(vec![
///     Joint::new("upper", None, Vec3::ZERO),
///     Joint::new("lower", Some(JointId(0)), Vec3::X * 0.3).with_tip(Vec3::X * 0.25),
/// ]).unwrap();
/// let rest = arm.rest_pose();
/// assert_eq!(arm.global_pose(rest.view()).positions[1], Vec3::X * 0.3);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    joints: Vec<Joint>,
    by_bone: BTreeMap<Bone, JointId>,
    translating: Vec<JointId>,
    links: Vec<Link>,
}

/// What forward kinematics asks of a joint, side by side in memory.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Link {
    parent: Option<JointId>,
    /// Its place among the translating ones.
    translation: Option<u32>,
    offset: Vec3,
}

impl Skeleton {
    /// Checks the joints and fixes them for good.
    pub fn new(mut joints: Vec<Joint>) -> Result<Skeleton, SkeletonError> {
        if joints.len() > MAX_JOINTS {
            return Err(SkeletonError::TooManyJoints(joints.len()));
        }
        let root = joints.first_mut().ok_or(SkeletonError::Empty)?;
        root.translates = true;

        let mut names = std::collections::BTreeSet::new();
        let mut by_bone: BTreeMap<Bone, JointId> = BTreeMap::new();
        for (joint_idx, joint) in joints.iter().enumerate() {
            match joint.parent {
                None if joint_idx > 0 => return Err(SkeletonError::NotOneRoot(joint.name.clone())),
                Some(_) if joint_idx == 0 => return Err(SkeletonError::NotOneRoot(joint.name.clone())),
                Some(parent) if parent.idx() >= joint_idx => {
                    return Err(SkeletonError::ParentAfterChild(joint.name.clone()));
                }
                _ => {}
            }
            if !names.insert(joint.name.as_str()) {
                return Err(SkeletonError::DuplicateName(joint.name.clone()));
            }
            let finite = joint.offset.is_finite() && joint.tips.iter().all(|tip| tip.is_finite());
            if !finite || !joint.rest_rotation.is_finite() || !joint.rest_rotation.is_normalized() {
                return Err(SkeletonError::BadTransform(joint.name.clone()));
            }
            if let Some(bone) = joint.bone
                && let Some(other) = by_bone.insert(bone, JointId(joint_idx as u32))
            {
                let other = joints[other.idx()].name.clone();
                return Err(SkeletonError::DuplicateBone(other, joint.name.clone(), bone.name()));
            }
        }

        let mut translating = Vec::new();
        let links = (joints.iter().enumerate())
            .map(|(joint_idx, joint)| {
                let translation = joint.translates.then(|| {
                    translating.push(JointId(joint_idx as u32));
                    translating.len() as u32 - 1
                });
                Link { parent: joint.parent, translation, offset: joint.offset }
            })
            .collect();
        Ok(Skeleton { joints, by_bone, translating, links })
    }

    /// All joints, parents before children.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// How many joints there are; at least one.
    pub fn n_joints(&self) -> usize {
        self.joints.len()
    }

    /// The ids of all joints, parents before children.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = JointId> + use<> {
        (0..self.joints.len() as u32).map(JointId)
    }

    /// One joint.
    pub fn joint(&self, id: JointId) -> &Joint {
        &self.joints[id.idx()]
    }

    /// The joint with this exact name.
    pub fn find(&self, name: &str) -> Option<JointId> {
        self.ids().find(|id| self.joint(*id).name == name)
    }

    /// The joint that plays this bone.
    pub fn bone(&self, bone: Bone) -> Option<JointId> {
        self.by_bone.get(&bone).copied()
    }

    /// The bones that are played, with their joints, in VRM's order.
    pub fn bones(&self) -> impl Iterator<Item = (Bone, JointId)> + '_ {
        self.by_bone.iter().map(|(bone, id)| (*bone, *id))
    }

    /// The joints that hang from this one.
    pub fn children(&self, parent: JointId) -> impl Iterator<Item = JointId> + '_ {
        self.ids().skip(parent.idx() + 1).filter(move |id| self.joint(*id).parent == Some(parent))
    }

    /// The joints whose translation is part of a pose, the root first.
    pub fn translating(&self) -> &[JointId] {
        &self.translating
    }

    /// Where the translation of this joint stands in [`Pose::translations`]; `None` if it only rotates.
    pub fn translation_idx(&self, id: JointId) -> Option<usize> {
        self.links[id.idx()].translation.map(|idx| idx as usize)
    }

    /// The same joints in another rest pose: one rotation relative to the parent for each joint.
    pub fn with_rest_rotations(&self, rotations: &[Quat]) -> Result<Skeleton, SkeletonError> {
        let joints = (self.joints.iter().zip(rotations))
            .map(|(joint, rotation)| Joint { rest_rotation: *rotation, ..joint.clone() })
            .collect();
        Skeleton::new(joints)
    }

    /// The same joints with roles given by `bone_of`; joints it answers `None` for play none.
    pub fn with_bones(&self, bone_of: impl Fn(&Joint) -> Option<Bone>) -> Result<Skeleton, SkeletonError> {
        let joints =
            self.joints.iter().map(|joint| Joint { bone: bone_of(joint), ..joint.clone() }).collect();
        Skeleton::new(joints)
    }

    /// The pose in which every joint is at rest, the root at its offset.
    pub fn rest_pose(&self) -> Pose {
        Pose {
            translations: self.translating.iter().map(|id| self.joint(*id).offset).collect(),
            rotations: self.joints.iter().map(|joint| joint.rest_rotation).collect(),
        }
    }

    /// Forward kinematics: world transforms of all joints. Allocates; see [`Skeleton::globals_into`].
    pub fn global_pose(&self, pose: PoseView<'_>) -> GlobalPose {
        let mut out = GlobalPose::default();
        self.globals_into(pose, &mut out);
        out
    }

    /// Forward kinematics into a buffer that keeps its memory from call to call.
    ///
    /// The pose must have been made for this skeleton (as many rotations and translations).
    pub fn globals_into(&self, pose: PoseView<'_>, out: &mut GlobalPose) {
        self.branches_into(pose, self.ids(), out);
    }

    /// The same of some joints alone, each after its parent, which has to be one of them; what `out` has for the others
    /// means nothing.
    pub fn branches_into(
        &self,
        pose: PoseView<'_>,
        joints: impl IntoIterator<Item = JointId>,
        out: &mut GlobalPose,
    ) {
        out.positions.resize(self.joints.len(), Vec3::ZERO);
        out.rotations.resize(self.joints.len(), Quat::IDENTITY);
        for id in joints {
            let (position, rotation) = match self.links[id.idx()].parent {
                None => self.local(pose, id),
                Some(parent) => {
                    let parent = (out.positions[parent.idx()], out.rotations[parent.idx()]);
                    follow(parent, self.local(pose, id))
                }
            };
            out.positions[id.idx()] = position;
            out.rotations[id.idx()] = rotation;
        }
    }

    /// Where the last of some joints is in the world (m), each of which hangs from the one before, the first from nothing.
    pub fn end_of(&self, pose: PoseView<'_>, chain: &[JointId]) -> Vec3 {
        let locals = chain.iter().map(|id| self.local(pose, *id));
        locals.reduce(follow).map_or(Vec3::ZERO, |(position, _)| position)
    }

    /// Where a joint is in its parent's frame (m), and how it is turned there.
    fn local(&self, pose: PoseView<'_>, id: JointId) -> (Vec3, Quat) {
        let Link { translation, offset, .. } = self.links[id.idx()];
        let translation = translation.map_or(offset, |idx| pose.translations[idx as usize]);
        (translation, pose.rotations[id.idx()])
    }
}

/// What is somewhere in a parent's frame, in the world in which the parent is.
fn follow((place, world_from_parent): (Vec3, Quat), (translation, rotation): (Vec3, Quat)) -> (Vec3, Quat) {
    (place + world_from_parent * translation, world_from_parent * rotation)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_refused(joints: Vec<Joint>, expected: &str) {
        assert_eq!(Skeleton::new(joints).unwrap_err().to_string(), expected);
    }

    #[test]
    fn broken_trees_are_refused_by_name() {
        let root = || Joint::new("root", None, Vec3::ZERO);
        let child = |name: &str, parent| Joint::new(name, Some(JointId(parent)), Vec3::Y);
        check_refused(vec![], "a skeleton needs at least one joint");
        check_refused(
            vec![root(), Joint::new("b", None, Vec3::ZERO)],
            "joint \"b\": only the first joint may be, and must be, without a parent",
        );
        check_refused(vec![root(), child("b", 2), child("c", 0)], "joint \"b\" stands before its parent");
        check_refused(vec![root(), child("b", 0), child("b", 0)], "two joints are named \"b\"");
        check_refused(
            vec![root(), child("b", 0).with_bone(Bone::Head), child("c", 0).with_bone(Bone::Head)],
            "joints \"b\" and \"c\" both play the bone head",
        );
        check_refused(
            vec![root().with_tip(Vec3::NAN)],
            "joint \"root\" has a rest transform that is not finite or not a rotation",
        );
    }

    #[test]
    fn rotations_add_up_along_the_chain() {
        let skeleton = Skeleton::new(vec![
            Joint::new("a", None, Vec3::ZERO),
            Joint::new("b", Some(JointId(0)), Vec3::X),
            Joint::new("c", Some(JointId(1)), Vec3::X),
        ])
        .unwrap();
        let mut pose = skeleton.rest_pose();
        pose.rotations[0] = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
        pose.rotations[1] = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
        let globals = skeleton.global_pose(pose.view());
        assert!((globals.positions[2] - Vec3::new(-1.0, 1.0, 0.0)).length() < 1e-6);
    }
}

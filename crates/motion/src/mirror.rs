//! Left becomes right: poses and clips mirrored across the plane x = 0.

use glam::{Quat, Vec3};

use crate::clip::{Clip, ClipError};
use crate::pose::{GlobalPose, Pose, PoseView};
use crate::skeleton::{JointId, Skeleton};

/// Which joint is whose mirror image, made once for a skeleton.
///
/// Joints with a role are paired by role, others by names that differ only in left and right; the rest are
/// their own image. What is mirrored is how far each joint has turned from its rest, so that it does not
/// matter how the joint's axes lie; positions are exact images where the rest pose is symmetric.
///
/// ```
/// use randori_motion::{Bone, Build, math::Quat, mirror::Mirror};
/// let skeleton = Build::AVERAGE.skeleton();
/// let [left, right] = [Bone::LeftUpperArm, Bone::RightUpperArm].map(|bone| skeleton.bone(bone).unwrap().idx());
/// let mut pose = skeleton.rest_pose();
/// pose.rotations[left] = Quat::from_rotation_z(0.5);
/// let image = Mirror::new(&skeleton).pose(&skeleton, pose.view());
/// assert!(image.rotations[right].abs_diff_eq(Quat::from_rotation_z(-0.5), 1e-6));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mirror {
    partners: Vec<JointId>,
    rest: GlobalPose,
}

impl Mirror {
    /// Finds the pairs.
    pub fn new(skeleton: &Skeleton) -> Mirror {
        let by_name: std::collections::BTreeMap<String, JointId> =
            skeleton.ids().map(|id| (skeleton.joint(id).name.to_lowercase(), id)).collect();
        let candidate = |id: JointId| {
            let joint = skeleton.joint(id);
            match joint.bone {
                Some(bone) => skeleton.bone(bone.mirrored()),
                None => mirrored_names(&joint.name)
                    .iter()
                    .find_map(|name| by_name.get(name).copied())
                    .filter(|other| skeleton.joint(*other).bone.is_none()),
            }
        };
        let mut partners: Vec<JointId> = Vec::with_capacity(skeleton.n_joints());
        for id in skeleton.ids() {
            // A pair whose parents are no pair is none: mirrored, it would hang from the wrong limb.
            let fits = |other: &JointId| {
                let parents = [id, *other].map(|id| skeleton.joint(id).parent);
                match parents {
                    [Some(mine), Some(theirs)] => {
                        partners.get(mine.idx()) == Some(&theirs) || {
                            // The partner's parent may be listed later than this joint.
                            candidate(mine) == Some(theirs) && candidate(theirs) == Some(mine)
                        }
                    }
                    [None, None] => true,
                    _ => false,
                }
            };
            let partner = candidate(id).filter(|other| candidate(*other) == Some(id)).filter(fits);
            partners.push(partner.unwrap_or(id));
        }
        // Whatever the doubts above, a partner's partner is the joint itself.
        for joint_idx in 0..partners.len() {
            let partner = partners[joint_idx];
            if partners[partner.idx()].idx() != joint_idx {
                partners[joint_idx] = JointId(joint_idx as u32);
            }
        }
        Mirror { partners, rest: skeleton.global_pose(skeleton.rest_pose().view()) }
    }

    /// The joint that plays this one's part on the other side.
    pub fn partner(&self, joint: JointId) -> JointId {
        self.partners[joint.idx()]
    }

    /// The mirror image of one pose of the skeleton this was made for.
    pub fn pose(&self, skeleton: &Skeleton, pose: PoseView<'_>) -> Pose {
        let world = skeleton.global_pose(pose);
        let mut image = GlobalPose { positions: world.positions.clone(), rotations: world.rotations.clone() };
        let mut out = pose.to_pose();
        for id in skeleton.ids() {
            let partner = self.partner(id);
            let parent = skeleton.joint(id).parent;
            if parent.is_some_and(|parent| partner == id && self.partner(parent) != parent) {
                // Something worn on one side only: it stays as it is on its limb.
                let parent = parent.map_or(0, JointId::idx);
                image.rotations[id.idx()] = image.rotations[parent] * pose.rotations[id.idx()];
                continue;
            }
            let turn = world.rotations[partner.idx()] * self.rest.rotations[partner.idx()].inverse();
            image.rotations[id.idx()] = mirrored_rotation(turn) * self.rest.rotations[id.idx()];
            let parent_from_world =
                parent.map_or(Quat::IDENTITY, |parent| image.rotations[parent.idx()].inverse());
            out.rotations[id.idx()] = (parent_from_world * image.rotations[id.idx()]).normalize();
            if let Some(at) = skeleton.translation_idx(id) {
                let origin =
                    skeleton.joint(partner).parent.map_or(Vec3::ZERO, |it| world.positions[it.idx()]);
                let from_parent = world.positions[partner.idx()] - origin;
                out.translations[at] = parent_from_world * mirrored_point(from_parent);
            }
        }
        out
    }

    /// The mirror image of a clip of the skeleton this was made for; an error if positions in the world leave the range
    /// of numbers.
    pub fn clip(&self, clip: &Clip) -> Result<Clip, ClipError> {
        clip.map_poses(|frame, pose| *pose = self.pose(clip.skeleton(), clip.frame(frame)))
    }
}

/// A point or direction mirrored across x = 0.
pub fn mirrored_point(point: Vec3) -> Vec3 {
    Vec3::new(-point.x, point.y, point.z)
}

/// The rotation whose effect is the mirror image, across x = 0, of this one's.
pub fn mirrored_rotation(rotation: Quat) -> Quat {
    // A rotation vector is an axial vector: its component along the mirror's normal stays, the others flip.
    Quat::from_xyzw(rotation.x, -rotation.y, -rotation.z, rotation.w)
}

/// The names a joint's counterpart may have, in lower case.
fn mirrored_names(name: &str) -> Vec<String> {
    let name = name.to_lowercase();
    let mut names = Vec::new();
    for (from, to) in [("left", "right"), ("right", "left")] {
        if name.contains(from) {
            names.push(name.replacen(from, to, 1));
        }
    }
    for (from, to) in [("l", "r"), ("r", "l")] {
        for separator in ["_", ".", "-", " "] {
            if let Some(rest) = name.strip_suffix(&format!("{separator}{from}")) {
                names.push(format!("{rest}{separator}{to}"));
            }
            if let Some(rest) = name.strip_prefix(&format!("{from}{separator}")) {
                names.push(format!("{to}{separator}{rest}"));
            }
            names.extend(name.contains(&format!("{separator}{from}{separator}")).then(|| {
                name.replacen(
                    &format!("{separator}{from}{separator}"),
                    &format!("{separator}{to}{separator}"),
                    1,
                )
            }));
        }
        // lThumb and rThumb, LHipJoint and RHipJoint.
        names.extend(name.strip_prefix(from).map(|rest| format!("{to}{rest}")));
    }
    names
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::body::Build;
    use crate::bone::Bone;
    use crate::math::{angle_between, quat_from_rotation_vector};
    use crate::skeleton::Joint;

    /// The library's skeleton with extra joints, and every joint's axes turned some way of its own.
    fn oddly_framed() -> Skeleton {
        let mut joints = Build::AVERAGE.skeleton().joints().to_vec();
        let find = |joints: &[Joint], bone| {
            JointId(joints.iter().position(|joint| joint.bone == Some(bone)).unwrap() as u32)
        };
        for (name, bone, offset) in [
            ("LThumb", Bone::LeftHand, Vec3::new(0.03, 0.0, 0.03)),
            ("RThumb", Bone::RightHand, Vec3::new(-0.03, 0.0, 0.03)),
            ("Watch", Bone::LeftLowerArm, Vec3::new(0.2, 0.0, 0.0)),
            ("Tail", Bone::Hips, Vec3::new(0.0, 0.0, -0.1)),
            ("hair_l", Bone::Head, Vec3::new(0.1, 0.1, 0.0)),
        ] {
            let parent = find(&joints, bone);
            let mut joint = Joint::new(name, Some(parent), offset);
            joint.translates = name.ends_with("Thumb");
            joints.push(joint);
        }
        let frame = |joint_idx: usize| {
            let k = joint_idx as f32;
            quat_from_rotation_vector(Vec3::new(
                (k * 1.3) % 2.0 - 1.0,
                (k * 0.7) % 2.0 - 1.0,
                (k * 2.1) % 2.0 - 1.0,
            ))
        };
        let reframed = joints.iter().enumerate().map(|(joint_idx, joint)| {
            let parent = joint.parent.map_or(Quat::IDENTITY, |parent| frame(parent.idx()));
            Joint {
                offset: parent.inverse() * joint.offset,
                rest_rotation: (parent.inverse() * frame(joint_idx)).normalize(),
                tips: Vec::new(),
                ..joint.clone()
            }
        });
        Skeleton::new(reframed.collect()).unwrap()
    }

    fn some_pose(skeleton: &Skeleton) -> Pose {
        let mut pose = skeleton.rest_pose();
        for (joint_idx, rotation) in pose.rotations.iter_mut().enumerate() {
            let k = joint_idx as f32;
            *rotation *= quat_from_rotation_vector(Vec3::new(libm::sinf(k), libm::cosf(2.0 * k), 0.3));
        }
        pose.translations[0] += Vec3::new(0.7, 0.1, -0.4);
        for translation in &mut pose.translations[1..] {
            *translation *= 1.3;
        }
        pose
    }

    #[test]
    fn positions_are_mirror_images_whatever_the_frames() {
        for skeleton in [Build::AVERAGE.skeleton(), oddly_framed()] {
            let mirror = Mirror::new(&skeleton);
            let pose = some_pose(&skeleton);
            let world = skeleton.global_pose(pose.view());
            let image = skeleton.global_pose(mirror.pose(&skeleton, pose.view()).view());
            for id in skeleton.ids().filter(|id| skeleton.joint(*id).name != "Watch") {
                // A lone strand of hair has its image on its own side.
                if skeleton.joint(id).name == "hair_l" {
                    continue;
                }
                let expected = mirrored_point(world.positions[mirror.partner(id).idx()]);
                let found = image.positions[id.idx()];
                assert!((found - expected).length() < 1e-5, "{} {found} {expected}", skeleton.joint(id).name);
            }
        }
    }

    #[test]
    fn twice_is_as_before() {
        let skeleton = oddly_framed();
        let mirror = Mirror::new(&skeleton);
        let pose = some_pose(&skeleton);
        let twice = mirror.pose(&skeleton, mirror.pose(&skeleton, pose.view()).view());
        for (a, b) in pose.rotations.iter().zip(&twice.rotations) {
            assert!(angle_between(*a, *b) < 2e-3);
        }
        for (a, b) in pose.translations.iter().zip(&twice.translations) {
            assert!((*a - *b).length() < 1e-5);
        }
    }

    #[test]
    fn pairs_come_from_roles_then_names() {
        let skeleton = oddly_framed();
        let mirror = Mirror::new(&skeleton);
        let partner = |name: &str| skeleton.joint(mirror.partner(skeleton.find(name).unwrap())).name.clone();
        for (name, expected) in [
            ("leftFoot", "rightFoot"),
            ("LThumb", "RThumb"),
            ("RThumb", "LThumb"),
            ("Watch", "Watch"),
            ("Tail", "Tail"),
            ("hair_l", "hair_l"),
            ("hips", "hips"),
        ] {
            assert_eq!(partner(name), expected);
        }
    }

    #[test]
    fn clips_keep_their_rate_and_length() {
        let skeleton = Arc::new(Build::AVERAGE.skeleton());
        let poses = vec![some_pose(&skeleton); 3];
        let clip = Clip::from_poses("three", Arc::clone(&skeleton), crate::FrameRate::HOUSE, poses).unwrap();
        let image = Mirror::new(&skeleton).clip(&clip).unwrap();
        assert_eq!((image.n_frames(), image.rate()), (3, clip.rate()));
        assert_eq!(image.frame(1).root().x, -clip.frame(1).root().x);
    }

    #[test]
    fn positions_beyond_all_numbers_are_an_error() {
        let mut hand = Joint::new("hand", Some(JointId(0)), Vec3::X);
        hand.translates = true;
        let skeleton = Arc::new(Skeleton::new(vec![Joint::new("root", None, Vec3::ZERO), hand]).unwrap());
        let mut pose = skeleton.rest_pose();
        pose.translations.fill(Vec3::splat(f32::MAX));
        let clip = Clip::from_poses("far", Arc::clone(&skeleton), crate::FrameRate::HOUSE, [pose]).unwrap();
        assert!(matches!(Mirror::new(&skeleton).clip(&clip), Err(ClipError::NotFinite { .. })));
    }
}

//! Turning the target's bones as the source's are turned.

use std::sync::Arc;

use glam::{Mat3, Quat, Vec3};

use super::ground::Grounding;
use crate::bone::{Bone, Side};
use crate::clip::{Clip, ClipError};
use crate::math::rotation_between;
use crate::pose::{GlobalPose, Pose};
use crate::skeleton::{JointId, Skeleton};
use crate::tracks::Tracks;

/// How each joint of the target takes its world rotation from the source.
pub(super) struct Transfer {
    /// One per joint of the target.
    rules: Vec<Rule>,
}

enum Rule {
    /// At rest on its parent.
    Rest,
    /// `world_from_target = turn * fixed`, where `turn` is how far the source's bones have turned from rest: that
    /// of `below`, or between two bones if `above` is given with its share.
    Follow { below: SourceBone, above: Option<(SourceBone, f32)>, fixed: Quat },
}

#[derive(Clone, Copy)]
struct SourceBone {
    joint: JointId,
    /// `joint_from_world` in the source's rest pose.
    rest_from_world: Quat,
}

impl SourceBone {
    fn turn(self, tracks: &Tracks, frame: usize) -> Quat {
        tracks.rotation(frame, self.joint) * self.rest_from_world
    }
}

impl Transfer {
    pub(super) fn new(source: &Skeleton, target: &Skeleton) -> Transfer {
        let source_rest = source.global_pose(source.rest_pose().view());
        let target_rest = target.global_pose(target.rest_pose().view());
        let facing = facing_between(source, &source_rest, target, &target_rest);
        let source_bone = |bone: Bone| {
            let joint = source.bone(bone)?;
            Some(SourceBone { joint, rest_from_world: source_rest.rotations[joint.idx()].inverse() })
        };
        let mut rules: Vec<Rule> = target.ids().map(|_| Rule::Rest).collect();
        for (bone, joint) in target.bones() {
            let Some((below, above)) = followed(source, target, bone, &source_bone) else { continue };
            // The turn that makes the target at rest look like the source at rest: the body faces the same way,
            // and trunk, neck and bones of limbs point the same way.
            let pointing = [(target, &target_rest), (source, &source_rest)].map(|(skeleton, rest)| {
                trunk_line(bone, source, target)
                    .map_or_else(|| direction_of(skeleton, rest, bone), |line| line.along(skeleton, rest))
            });
            let align = match pointing {
                [Some(mine), Some(theirs)] => rotation_between(facing * mine, theirs) * facing,
                _ => facing,
            };
            let fixed = align * target_rest.rotations[joint.idx()];
            rules[joint.idx()] = Rule::Follow { below, above, fixed };
        }
        inherit_alignment(source, target, &target_rest, &mut rules);
        Transfer { rules }
    }

    /// The target's motion with the source's bone directions, its hip joints at their scaled place.
    pub(super) fn clip(
        &self,
        source: &Clip,
        tracks: &Tracks,
        target: &Arc<Skeleton>,
        grounding: &Grounding,
    ) -> Result<Clip, ClipError> {
        let mut globals = GlobalPose::default();
        let poses = (0..source.n_frames()).map(|frame| {
            let mut pose = target.rest_pose();
            self.rotations(tracks, frame, target, &mut pose);
            target.globals_into(pose.view(), &mut globals);
            let shift = grounding.hips_shift(tracks, frame, &globals);
            pose.translations[0] += shift;
            pose
        });
        Clip::from_poses(source.name.clone(), Arc::clone(target), source.rate(), poses)
    }

    fn rotations(&self, tracks: &Tracks, frame: usize, target: &Skeleton, pose: &mut Pose) {
        let mut world: Vec<Quat> = Vec::with_capacity(self.rules.len());
        for (joint_idx, rule) in self.rules.iter().enumerate() {
            let joint = &target.joints()[joint_idx];
            let world_from_parent = joint.parent.map_or(Quat::IDENTITY, |parent| world[parent.idx()]);
            let world_from_joint = match rule {
                Rule::Rest => world_from_parent * joint.rest_rotation,
                Rule::Follow { below, above, fixed } => {
                    let turn = below.turn(tracks, frame);
                    let turn =
                        above.map_or(turn, |(above, share)| turn.slerp(above.turn(tracks, frame), share));
                    (turn * *fixed).normalize()
                }
            };
            world.push(world_from_joint);
            pose.rotations[joint_idx] = (world_from_parent.inverse() * world_from_joint).normalize();
        }
    }
}

const SPINE: [Bone; 3] = [Bone::Spine, Bone::Chest, Bone::UpperChest];

/// The source's bone that a bone of the target follows, or two and the share of the second.
fn followed(
    source: &Skeleton,
    target: &Skeleton,
    bone: Bone,
    source_bone: &impl Fn(Bone) -> Option<SourceBone>,
) -> Option<(SourceBone, Option<(SourceBone, f32)>)> {
    let chain = |skeleton: &Skeleton| -> Vec<Bone> {
        SPINE.into_iter().filter(|bone| skeleton.bone(*bone).is_some()).collect()
    };
    if let Some(at) = chain(target).iter().position(|it| *it == bone) {
        // Both spines go from the hips, 0, to their topmost bone, 1, in even steps.
        let steps: Vec<Bone> = std::iter::once(Bone::Hips).chain(chain(source)).collect();
        let along = (at + 1) as f32 / chain(target).len() as f32 * (steps.len() - 1) as f32;
        let below = (along + 1e-4) as usize;
        let share = (along - below as f32).max(0.0);
        let above = steps.get(below + 1).filter(|_| share > 1e-3).and_then(|above| source_bone(*above));
        return Some((source_bone(steps[below.min(steps.len() - 1)])?, above.map(|above| (above, share))));
    }
    match source_bone(bone) {
        Some(own) => Some((own, None)),
        None if bone == Bone::Neck => {
            let top = chain(source).last().copied().unwrap_or(Bone::Hips);
            Some((source_bone(top)?, source_bone(Bone::Head).map(|head| (head, 0.5))))
        }
        None => None,
    }
}

/// A line through the trunk: from the middle of some bones to the middle of others.
struct TrunkLine {
    from: &'static [Bone],
    to: &'static [Bone],
}

/// The line that a bone of the trunk or the neck shall keep; `None` for other bones, or if the two skeletons have no
/// such line in common.
///
/// The joints of a spine stand in different places from skeleton to skeleton, so that its bones have no directions to
/// compare. But whoever leans leans as a whole: all bones of the trunk are turned alike until its ends agree.
fn trunk_line(bone: Bone, source: &Skeleton, target: &Skeleton) -> Option<TrunkLine> {
    const MIDDLES_OF_HIPS: [&[Bone]; 2] = [&[Bone::LeftUpperLeg, Bone::RightUpperLeg], &[Bone::Hips]];
    const TOPS: [&[Bone]; 3] = [&[Bone::Neck], &[Bone::LeftUpperArm, Bone::RightUpperArm], &[Bone::Head]];
    let shared = |ends: &[&'static [Bone]]| {
        let has =
            |bones: &[Bone]| bones.iter().all(|it| source.bone(*it).is_some() && target.bone(*it).is_some());
        ends.iter().copied().find(|bones| has(bones))
    };
    match bone {
        Bone::Hips | Bone::Spine | Bone::Chest | Bone::UpperChest => {
            Some(TrunkLine { from: shared(&MIDDLES_OF_HIPS)?, to: shared(&TOPS)? })
        }
        Bone::Neck => Some(TrunkLine { from: shared(&[&[Bone::Neck]])?, to: shared(&[&[Bone::Head]])? }),
        _ => None,
    }
}

impl TrunkLine {
    /// Where it points in a pose.
    fn along(&self, skeleton: &Skeleton, pose: &GlobalPose) -> Option<Vec3> {
        let middle = |bones: &[Bone]| -> Option<Vec3> {
            let places = bones.iter().map(|bone| Some(pose.positions[skeleton.bone(*bone)?.idx()]));
            Some(places.sum::<Option<Vec3>>()? / bones.len() as f32)
        };
        let line = middle(self.to)? - middle(self.from)?;
        line.try_normalize().filter(|_| line.length() > SHORTEST)
    }
}

/// Bones shorter than this have no direction worth keeping, in metres.
const SHORTEST: f32 = 1e-3;

/// Where a bone of a limb points in the rest pose; `None` for the trunk, the head and the collar bones, whose joints
/// stand in different places from skeleton to skeleton, and for ends of which nothing is known.
fn direction_of(skeleton: &Skeleton, rest: &GlobalPose, bone: Bone) -> Option<Vec3> {
    let left_form = bone.on(Side::Left);
    if bone.side().is_none() || matches!(left_form, Bone::LeftShoulder | Bone::LeftEye) {
        return None;
    }
    let joint = skeleton.bone(bone)?;
    let here = rest.positions[joint.idx()];
    let next = match left_form {
        Bone::LeftHand => [Bone::LeftMiddleProximal, Bone::LeftIndexProximal, Bone::LeftRingProximal]
            .into_iter()
            .find_map(|finger| skeleton.bone(finger.on(bone.side()?))),
        _ => {
            Bone::ALL.iter().filter(|next| next.parent() == Some(bone)).find_map(|next| skeleton.bone(*next))
        }
    };
    let end = match next {
        Some(next) => rest.positions[next.idx()],
        None => far_end(skeleton, rest, joint)?,
    };
    (end - here).try_normalize().filter(|_| end.distance(here) > SHORTEST)
}

/// The end of a bone that no role follows: its own tip, or the place of the first joint below that has one.
fn far_end(skeleton: &Skeleton, rest: &GlobalPose, joint: JointId) -> Option<Vec3> {
    let here = rest.positions[joint.idx()];
    let own = skeleton.joint(joint).tips.first().map(|tip| rest.point(joint, *tip));
    own.filter(|tip| tip.distance(here) > SHORTEST).or_else(|| {
        let below = |id: JointId| {
            std::iter::successors(skeleton.joint(id).parent, |id| skeleton.joint(*id).parent)
                .any(|id| id == joint)
        };
        let places = skeleton.ids().filter(|id| below(*id)).map(|id| rest.positions[id.idx()]);
        places.into_iter().find(|place| place.distance(here) > SHORTEST)
    })
}

/// Hands and toes whose own direction is not known in both skeletons keep the alignment of the bone they hang from.
fn inherit_alignment(source: &Skeleton, target: &Skeleton, target_rest: &GlobalPose, rules: &mut [Rule]) {
    let source_rest = source.global_pose(source.rest_pose().view());
    for (bone, joint) in target.bones() {
        let known = direction_of(target, target_rest, bone).is_some()
            && direction_of(source, &source_rest, bone).is_some();
        if known
            || !matches!(bone.on(Side::Left), Bone::LeftHand | Bone::LeftToes | Bone::LeftFoot)
            || bone.side().is_none()
        {
            continue;
        }
        let parent = bone.parent().and_then(|parent| target.bone(parent));
        let Some(Rule::Follow { fixed: parent_fixed, .. }) = parent.map(|parent| &rules[parent.idx()]) else {
            continue;
        };
        let parent_rest = parent.map_or(Quat::IDENTITY, |parent| target_rest.rotations[parent.idx()]);
        let align = *parent_fixed * parent_rest.inverse();
        if let Rule::Follow { fixed, .. } = &mut rules[joint.idx()] {
            *fixed = align * target_rest.rotations[joint.idx()];
        }
    }
}

/// The turn from the way the target faces at rest to the way the source does; none if they agree roughly, because
/// then the difference is in their proportions.
fn facing_between(
    source: &Skeleton,
    source_rest: &GlobalPose,
    target: &Skeleton,
    target_rest: &GlobalPose,
) -> Quat {
    const ROUGHLY: f32 = 0.4;
    let frames = body_frame(source, source_rest).zip(body_frame(target, target_rest));
    let between = frames.map_or(Quat::IDENTITY, |(theirs, mine)| theirs * mine.inverse());
    if crate::math::angle_between(between, Quat::IDENTITY) < ROUGHLY { Quat::IDENTITY } else { between }
}

/// The frame of the body in a pose: x to its own left, y from the hips to the head, z ahead.
pub(super) fn body_frame(skeleton: &Skeleton, pose: &GlobalPose) -> Option<Quat> {
    let place = |bone: Bone| skeleton.bone(bone).map(|id| pose.positions[id.idx()]);
    let across = |left: Bone| (place(left)? - place(left.mirrored())?).try_normalize();
    let left = across(Bone::LeftUpperLeg).or_else(|| across(Bone::LeftUpperArm))?;
    let top = [Bone::Head, Bone::Neck, Bone::UpperChest, Bone::Chest].into_iter().find_map(place)?;
    let up = top - place(Bone::Hips)?;
    let up = (up - left * up.dot(left)).try_normalize()?;
    Some(Quat::from_mat3(&Mat3::from_cols(left, up, left.cross(up))))
}

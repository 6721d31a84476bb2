//! Bodies: the volume and the mass that hang on a skeleton, and the library's own skeleton.

use std::sync::Arc;

use glam::Vec3;

use crate::bone::{Bone, Side};
use crate::pose::GlobalPose;
use crate::skeleton::{Joint, JointId, Skeleton};

/// A segment with a radius, fixed to a joint: one piece of a body's volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// The joint it moves with.
    pub joint: JointId,
    /// The bone it clothes.
    pub bone: Bone,
    /// One end of the segment, in the joint's frame (m).
    pub a: Vec3,
    /// The other end, in the joint's frame (m).
    pub b: Vec3,
    /// Everything within this distance of the segment is inside (m).
    pub radius: f32,
}

/// Something held in a hand that strikes and is struck in the place of that hand: a capsule in the frame of a bone.
///
/// ```
/// use randori_motion::{Bone, Build, Weapon};
/// use randori_motion::math::Vec3;
/// let stick = Weapon { bone: Bone::RightHand, ends: [Vec3::ZERO, Vec3::Z], radius: 0.02 };
/// let armed = Build::AVERAGE.body().armed(stick);
/// assert_eq!(armed.held().map(|capsule| capsule.b), Some(Vec3::Z));
/// assert!(armed.capsules.iter().all(|capsule| Some(*capsule) != armed.held()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weapon {
    /// The bone that holds it.
    pub bone: Bone,
    /// Both ends of its axis in the bone's frame (m): next to the hand, and the tip.
    pub ends: [Vec3; 2],
    /// Its radius (m).
    pub radius: f32,
}

impl Weapon {
    /// From the hand to the tip (m).
    pub fn length(&self) -> f32 {
        self.ends[0].distance(self.ends[1])
    }

    /// Whether its numbers are those of a thing: finite, and no farther from the hand than anybody could hold.
    pub fn is_sound(&self) -> bool {
        /// Longer than any pole (m).
        const FARTHEST: f32 = 10.0;
        let is_near = |end: &Vec3| end.is_finite() && end.length() <= FARTHEST;
        self.ends.iter().all(is_near) && (0.0..=FARTHEST).contains(&self.radius)
    }
}

/// Size and weight of a person, from which the library's skeleton and body are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Build {
    /// From sole to crown (m).
    pub height: f32,
    /// Of the whole body (kg).
    pub mass: f32,
    /// Width of shoulders and hips relative to the average of that height (-).
    pub breadth: f32,
    /// Thickness of torso and limbs relative to the average of that height (-).
    pub girth: f32,
}

impl Build {
    /// Of average size.
    pub const AVERAGE: Build = Build { height: 1.75, mass: 74.0, breadth: 1.0, girth: 1.0 };
    /// Tall and thin.
    pub const SLIM: Build = Build { height: 1.82, mass: 68.0, breadth: 0.95, girth: 0.88 };
    /// Short, wide and strong.
    pub const STOCKY: Build = Build { height: 1.68, mass: 84.0, breadth: 1.08, girth: 1.14 };

    /// The library's skeleton for a person of this build.
    ///
    /// It stands in a T-pose that faces +Z with its soles at y = 0; every joint's frame is aligned with
    /// the world's there. Proportions after \[Winter2009\], figure 4.1.
    pub fn skeleton(self) -> Skeleton {
        let h = self.height;
        let w = self.height * self.breadth;
        let mut joints: Vec<Joint> = Vec::new();
        let mut places: Vec<Vec3> = Vec::new();
        let mut ids = std::collections::BTreeMap::new();
        let mut add = |bone: Bone, parent: Option<Bone>, place: Vec3, tip: Option<Vec3>| {
            let parent: Option<JointId> = parent.map(|parent| ids[&parent]);
            let offset = parent.map_or(place, |parent| place - places[parent.idx()]);
            let mut joint = Joint::new(bone.name(), parent, offset).with_bone(bone);
            joint.tips.extend(tip.map(|tip| tip - place));
            ids.insert(bone, JointId(joints.len() as u32));
            joints.push(joint);
            places.push(place);
        };

        add(Bone::Hips, None, Vec3::new(0.0, 0.54 * h, 0.0), None);
        add(Bone::Spine, Some(Bone::Hips), Vec3::new(0.0, 0.585 * h, -0.006 * h), None);
        add(Bone::Chest, Some(Bone::Spine), Vec3::new(0.0, 0.655 * h, -0.01 * h), None);
        add(Bone::UpperChest, Some(Bone::Chest), Vec3::new(0.0, 0.735 * h, -0.012 * h), None);
        add(Bone::Neck, Some(Bone::UpperChest), Vec3::new(0.0, 0.838 * h, -0.01 * h), None);
        let crown = Vec3::new(0.0, h, 0.008 * h);
        add(Bone::Head, Some(Bone::Neck), Vec3::new(0.0, 0.885 * h, 0.002 * h), Some(crown));
        for side in Side::BOTH {
            let out = if side == Side::Left { 1.0 } else { -1.0 };
            let at = |x: f32, y: f32, z: f32| Vec3::new(out * x, y, z);
            let mut add = |bone: Bone, parent: Bone, place: Vec3, tip: Option<Vec3>| {
                let parent = if parent.side().is_some() { parent.on(side) } else { parent };
                add(bone.on(side), Some(parent), place, tip);
            };
            add(Bone::LeftUpperLeg, Bone::Hips, at(0.052 * w, 0.52 * h, 0.0), None);
            add(Bone::LeftLowerLeg, Bone::LeftUpperLeg, at(0.052 * w, 0.283 * h, 0.004 * h), None);
            add(Bone::LeftFoot, Bone::LeftLowerLeg, at(0.052 * w, 0.044 * h, -0.008 * h), None);
            let toe_tip = at(0.056 * w, 0.014 * h, 0.115 * h);
            add(Bone::LeftToes, Bone::LeftFoot, at(0.055 * w, 0.02 * h, 0.072 * h), Some(toe_tip));
            let arm = 0.812 * h;
            let shoulder = 0.108 * w;
            add(Bone::LeftShoulder, Bone::UpperChest, at(0.018 * w, 0.808 * h, -0.006 * h), None);
            add(Bone::LeftUpperArm, Bone::LeftShoulder, at(shoulder, arm, -0.01 * h), None);
            add(Bone::LeftLowerArm, Bone::LeftUpperArm, at(shoulder + 0.168 * h, arm, -0.01 * h), None);
            let wrist = shoulder + 0.314 * h;
            let fingertip = at(wrist + 0.1 * h, arm, -0.01 * h);
            add(Bone::LeftHand, Bone::LeftLowerArm, at(wrist, arm, -0.01 * h), Some(fingertip));
        }
        Skeleton::new(joints).expect("the library's own joints form a tree; a test makes every build")
    }

    /// The library's skeleton with its volume and mass.
    pub fn body(self) -> Body {
        let skeleton = Arc::new(self.skeleton());
        Body::of(skeleton, self.mass, self.girth)
    }
}

/// A skeleton with volume and mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The joints it hangs on.
    pub skeleton: Arc<Skeleton>,
    /// Its thickness, as in [`Build::girth`] (-).
    pub girth: f32,
    /// Its volume: at most a few capsules per bone.
    pub capsules: Vec<Capsule>,
    /// Mass that moves with each joint (kg), one per joint.
    pub masses: Vec<f32>,
    /// Centre of that mass in the joint's frame (m), one per joint.
    pub centers: Vec<Vec3>,
    /// What it holds; no part of its own volume and mass.
    pub weapon: Option<Weapon>,
}

/// Share of the body's mass in each bone (-), after \[deLeva1996\], table 4 (men): the trunk is split at
/// the joints of the spine, head and neck by volume. Both sides together with the middle make 1.
const MASS_SHARES: [(Bone, f32); 14] = [
    (Bone::Hips, 0.1117),
    (Bone::Spine, 0.0817),
    (Bone::Chest, 0.0816),
    (Bone::UpperChest, 0.1496),
    (Bone::Neck, 0.0140),
    (Bone::Head, 0.0554),
    (Bone::LeftShoulder, 0.0050),
    (Bone::LeftUpperArm, 0.0271),
    (Bone::LeftLowerArm, 0.0162),
    (Bone::LeftHand, 0.0061),
    (Bone::LeftUpperLeg, 0.1416),
    (Bone::LeftLowerLeg, 0.0433),
    (Bone::LeftFoot, 0.0117),
    (Bone::LeftToes, 0.0020),
];

/// Radius of each bone's capsule relative to stature (-), for a girth of 1.
const RADII: [(Bone, f32); 14] = [
    (Bone::Hips, 0.066),
    (Bone::Spine, 0.068),
    (Bone::Chest, 0.066),
    (Bone::UpperChest, 0.062),
    (Bone::Neck, 0.032),
    (Bone::Head, 0.054),
    (Bone::LeftShoulder, 0.033),
    (Bone::LeftUpperArm, 0.027),
    (Bone::LeftLowerArm, 0.022),
    (Bone::LeftHand, 0.021),
    (Bone::LeftUpperLeg, 0.043),
    (Bone::LeftLowerLeg, 0.031),
    (Bone::LeftFoot, 0.020),
    (Bone::LeftToes, 0.014),
];

impl Body {
    /// Clothes any humanoid skeleton: capsules along its bones, masses by the usual shares.
    ///
    /// `mass` in kilograms; `girth` as in [`Build::girth`]. Joints without a role get neither volume nor
    /// mass; the share of a bone that the skeleton lacks goes to the nearest bone above it.
    pub fn of(skeleton: Arc<Skeleton>, mass: f32, girth: f32) -> Body {
        let rest = skeleton.global_pose(skeleton.rest_pose().view());
        let stature = stature(&skeleton, &rest);
        let mut body = Body {
            girth,
            capsules: Vec::new(),
            masses: vec![0.0; skeleton.n_joints()],
            centers: vec![Vec3::ZERO; skeleton.n_joints()],
            weapon: None,
            skeleton,
        };
        let skeleton = Arc::clone(&body.skeleton);
        for (left_form, radius) in RADII {
            for bone in both_sides(left_form) {
                let Some(joint) = skeleton.bone(bone) else { continue };
                let (a, b) = axis_of(&skeleton, &rest, joint, bone, stature);
                // Feet do not grow fat: their soles would sink into the floor.
                let girth = if matches!(left_form, Bone::LeftFoot | Bone::LeftToes) { 1.0 } else { girth };
                body.capsules.push(Capsule { joint, bone, a, b, radius: radius * girth * stature });
                body.centers[joint.idx()] = 0.5 * (a + b);
            }
        }
        for (left_form, share) in MASS_SHARES {
            for bone in both_sides(left_form) {
                let bearer = std::iter::successors(Some(bone), |bone| bone.parent())
                    .find_map(|bone| skeleton.bone(bone))
                    .unwrap_or(JointId::ROOT);
                body.masses[bearer.idx()] += share * mass;
            }
        }
        body
    }

    /// The same body with something in its hand.
    pub fn armed(self, weapon: Weapon) -> Body {
        Body { weapon: Some(weapon), ..self }
    }

    /// The volume of what it holds; none without a joint for the bone that would hold it.
    pub fn held(&self) -> Option<Capsule> {
        let Weapon { bone, ends: [a, b], radius } = self.weapon?;
        Some(Capsule { joint: self.skeleton.bone(bone)?, bone, a, b, radius })
    }

    /// Of the whole body (kg).
    pub fn total_mass(&self) -> f32 {
        self.masses.iter().sum()
    }

    /// The centre of mass in the world (m); without any mass, the root.
    pub fn center_of_mass(&self, globals: &GlobalPose) -> Vec3 {
        let total = self.total_mass();
        if total <= 0.0 {
            return globals.positions[JointId::ROOT.idx()];
        }
        let weighted: Vec3 = (self.skeleton.ids())
            .map(|id| globals.point(id, self.centers[id.idx()]) * self.masses[id.idx()])
            .sum();
        weighted / total
    }
}

/// The bone and, if it has a side, its mirror.
fn both_sides(left_form: Bone) -> impl Iterator<Item = Bone> {
    let mirror = left_form.mirrored();
    std::iter::once(left_form).chain((mirror != left_form).then_some(mirror))
}

/// Height of the person (m): from the legs where there are any, else from the extent of the rest pose.
fn stature(skeleton: &Skeleton, rest: &GlobalPose) -> f32 {
    /// Hip to ankle relative to stature, as in [`Build::skeleton`].
    const LEG: f32 = 0.476;
    if let Some(leg) = leg_length(skeleton) {
        return leg / LEG;
    }
    let points = skeleton.ids().flat_map(|id| {
        let tips = skeleton.joint(id).tips.iter().map(move |tip| rest.point(id, *tip));
        std::iter::once(rest.positions[id.idx()]).chain(tips)
    });
    let (low, high) = points
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high), point| (low.min(point), high.max(point)));
    (high - low).max_element()
}

/// From hip over knee to ankle in the rest pose, the mean of both legs (m); `None` unless both are there and have a
/// length.
pub fn leg_length(skeleton: &Skeleton) -> Option<f32> {
    let rest = skeleton.global_pose(skeleton.rest_pose().view());
    let of_side = |side: Side| {
        let place = |bone: Bone| skeleton.bone(bone.on(side)).map(|id| rest.positions[id.idx()]);
        let [hip, knee, ankle] = [Bone::LeftUpperLeg, Bone::LeftLowerLeg, Bone::LeftFoot].map(place);
        Some(hip?.distance(knee?) + knee?.distance(ankle?))
    };
    let length = 0.5 * (of_side(Side::Left)? + of_side(Side::Right)?);
    (length > 0.0).then_some(length)
}

/// The axis of a bone's capsule, in its joint's frame (m).
fn axis_of(skeleton: &Skeleton, rest: &GlobalPose, joint: JointId, bone: Bone, stature: f32) -> (Vec3, Vec3) {
    let world_from_joint = rest.rotations[joint.idx()];
    let here = rest.positions[joint.idx()];
    let local = |point: Vec3| world_from_joint.inverse() * (point - here);
    let place = |bone: Bone| skeleton.bone(bone).map(|id| local(rest.positions[id.idx()]));
    // Widths of the torso lie across it, between the joints of its limbs.
    let across = |left: Bone, share: f32| {
        let (left, right) = (place(left)?, place(left.mirrored())?);
        let middle = 0.5 * (left + right);
        Some((middle + share * (left - middle), middle + share * (right - middle)))
    };
    let towards = |next: &[Bone]| next.iter().find_map(|bone| place(*bone)).map(|end| (Vec3::ZERO, end));
    let from = |share: f32, (start, end): (Vec3, Vec3)| (start.lerp(end, share), end);

    let axis = match bone {
        Bone::Hips => across(Bone::LeftUpperLeg, 0.9).map(|(a, b)| {
            // A little above the hip joints, where the pelvis is.
            let lift = place(Bone::Spine).map_or(Vec3::ZERO, |spine| 0.3 * (spine - 0.5 * (a + b)));
            (a + lift, b + lift)
        }),
        Bone::Spine => {
            let (_, up) = towards(&[Bone::Chest, Bone::UpperChest, Bone::Neck]).unwrap_or_default();
            across(Bone::LeftUpperLeg, 0.5).map(|(a, b)| {
                let middle = 0.5 * (a + b);
                (a - middle + 0.5 * up, b - middle + 0.5 * up)
            })
        }
        Bone::Chest => {
            let (_, up) = towards(&[Bone::UpperChest, Bone::Neck]).unwrap_or_default();
            across(Bone::LeftUpperArm, 0.42).map(|(a, b)| {
                let middle = 0.5 * (a + b);
                (a - middle + 0.5 * up, b - middle + 0.5 * up)
            })
        }
        // Below the shoulders' line, where the ribs are widest.
        Bone::UpperChest => across(Bone::LeftUpperArm, 0.5).map(|(a, b)| {
            let drop = -0.38 * 0.5 * (a + b);
            (a + drop, b + drop)
        }),
        Bone::Neck => towards(&[Bone::Head]),
        Bone::LeftShoulder => towards(&[Bone::LeftUpperArm]).map(|axis| from(0.4, axis)),
        Bone::RightShoulder => towards(&[Bone::RightUpperArm]).map(|axis| from(0.4, axis)),
        _ => Bone::ALL.iter().find(|next| next.parent() == Some(bone)).and_then(|next| towards(&[*next])),
    };
    let axis = match bone {
        // The heads of captures end at the crown; the skull's middle is what a capsule wants.
        Bone::Head => {
            let crown =
                tip_of(skeleton, joint).unwrap_or(world_from_joint.inverse() * Vec3::Y * 0.11 * stature);
            Some((0.42 * crown, 0.53 * crown))
        }
        Bone::LeftHand | Bone::RightHand => {
            let reach = place(bone.parent().unwrap_or(bone)).map_or(Vec3::ZERO, |elbow| -elbow);
            let end = tip_of(skeleton, joint).unwrap_or(reach.normalize_or_zero() * 0.1 * stature);
            Some((Vec3::ZERO, 0.75 * end.clamp_length_max(0.11 * stature)))
        }
        Bone::LeftToes | Bone::RightToes => {
            let ankle = place(bone.parent().unwrap_or(bone)).unwrap_or_default();
            let ahead = tip_of(skeleton, joint).unwrap_or(-0.5 * ankle);
            Some((Vec3::ZERO, ahead.clamp_length_max(0.05 * stature)))
        }
        Bone::LeftFoot | Bone::RightFoot => axis.map(|(ankle, ball)| (ankle.lerp(ball, 0.1), ball)),
        _ => axis,
    };
    axis.unwrap_or((Vec3::ZERO, tip_of(skeleton, joint).unwrap_or_default()))
}

/// The end of a bone that no joint follows, in the joint's frame (m): its own, or that of the first of
/// the joints without a role below it.
fn tip_of(skeleton: &Skeleton, joint: JointId) -> Option<Vec3> {
    if let Some(tip) = skeleton.joint(joint).tips.first() {
        return Some(*tip);
    }
    let child = skeleton.children(joint).find(|child| skeleton.joint(*child).offset.length() > 1e-4)?;
    let child = skeleton.joint(child);
    let beyond = child.tips.first().copied().unwrap_or(Vec3::ZERO);
    Some(child.offset + child.rest_rotation * beyond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_stand_on_the_floor_as_tall_as_they_say() {
        for build in [Build::AVERAGE, Build::SLIM, Build::STOCKY] {
            let body = build.body();
            let rest = body.skeleton.global_pose(body.skeleton.rest_pose().view());
            let head = body.skeleton.bone(Bone::Head).unwrap();
            let crown = rest.point(head, body.skeleton.joint(head).tips[0]);
            assert!((crown.y - build.height).abs() < 1e-5);
            assert!((stature(&body.skeleton, &rest) / build.height - 1.0).abs() < 0.01);
            assert!((body.total_mass() - build.mass).abs() < 1e-3);
            let com = body.center_of_mass(&rest);
            // Men carry their centre of mass at 53 to 58 % of their height, arms out in a T a bit above.
            assert!((0.53..0.62).contains(&(com.y / build.height)), "{}", com.y / build.height);
            assert!(com.x.abs() < 1e-4);
            for capsule in &body.capsules {
                let lowest =
                    rest.point(capsule.joint, capsule.a).y.min(rest.point(capsule.joint, capsule.b).y);
                assert!(lowest - capsule.radius > -0.002, "{:?} reaches below the floor", capsule.bone);
            }
        }
    }

    #[test]
    fn a_body_without_mass_has_a_centre() {
        let body = Body::of(Arc::new(Build::AVERAGE.skeleton()), 0.0, 1.0);
        let rest = body.skeleton.global_pose(body.skeleton.rest_pose().view());
        assert_eq!(body.center_of_mass(&rest), rest.positions[0]);
    }

    #[test]
    fn left_and_right_are_mirror_images() {
        let body = Build::AVERAGE.body();
        for capsule in &body.capsules {
            let other = body.capsules.iter().find(|other| other.bone == capsule.bone.mirrored()).unwrap();
            assert_eq!(capsule.radius, other.radius);
            if capsule.bone.side().is_some() {
                assert!(
                    (capsule.b * Vec3::new(-1.0, 1.0, 1.0) - other.b).length() < 1e-5,
                    "{:?}",
                    capsule.bone
                );
            }
        }
    }

    #[test]
    fn missing_bones_leave_their_mass_to_the_bone_above() {
        let full = Build::AVERAGE.skeleton();
        let joints = full.joints().iter().map(|joint| {
            let bone = joint.bone.filter(|bone| *bone != Bone::UpperChest && *bone != Bone::LeftToes);
            Joint { bone, ..joint.clone() }
        });
        let body = Body::of(Arc::new(Skeleton::new(joints.collect()).unwrap()), 70.0, 1.0);
        assert!((body.total_mass() - 70.0).abs() < 1e-3);
        assert!(body.capsules.iter().all(|capsule| capsule.bone != Bone::UpperChest));
    }
}

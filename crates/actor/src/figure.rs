//! From what a body shall do at one moment to a pose: hips, trunk and head are turned, hands and feet reached for.

use std::sync::Arc;

use glam::{Quat, Vec3};
use randori_motion::ik::LimbGoal;
use randori_motion::math::{angle_between, rotation_of_heading};
use randori_motion::{Body, Bone, GlobalPose, JointId, Placement, Pose, Side, Skeleton};

/// What a body is asked to do at one moment. Everything is in the world's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Posture {
    /// Where the joint of the hips is (m).
    pub hips: Vec3,
    /// The turn of the pelvis; identity stands upright and faces +Z.
    pub pelvis: Quat,
    /// The turn of the rib cage. The spine spreads the difference to the pelvis over its joints.
    pub chest: Quat,
    /// Where the head would like to face; the neck gives so far and no farther.
    pub head: Quat,
    /// Left, then right.
    pub hands: [HandGoal; 2],
    /// Left, then right.
    pub feet: [FootGoal; 2],
}

/// What a hand is asked to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HandGoal {
    /// Where the wrist is (m); the arm points there if that is too far.
    pub wrist: Vec3,
    /// The direction in which the elbow points from the line between shoulder and wrist; any length.
    pub elbow: Vec3,
    /// How far the shoulder blade goes forward about the rib cage (rad).
    pub protraction: f32,
    /// How far the shoulder is shrugged (rad).
    pub shrug: f32,
    /// The turn of the hand against the forearm; identity is straight on.
    pub bend: Quat,
}

/// What a foot is asked to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootGoal {
    /// Where the ball of the foot is: y is its height above where it is when the foot stands (m).
    pub ball: Vec3,
    /// The turn of the sole; identity is level and points to +Z.
    pub sole: Quat,
    /// How far the heel is up about the ball, the toes staying on the sole (rad). If the leg is too short for the
    /// ball to stay where it is, the heel rises further by itself.
    pub heel: f32,
    /// The direction in which the knee points; any length.
    pub knee: Vec3,
}

impl FootGoal {
    /// A foot that stands: its ball at the placement, pointing along its heading, the heel up by `heel` (rad).
    pub fn standing(placement: Placement, heel: f32) -> FootGoal {
        let sole = placement.rotation();
        FootGoal { ball: placement.position.at_height(0.0), sole, heel, knee: sole * Vec3::Z }
    }
}

/// A body that can be posed.
///
/// ```
/// use std::sync::Arc;
/// use randori_actor::Figure;
/// use randori_motion::{Bone, Build};
/// let figure = Figure::new(Arc::new(Build::AVERAGE.body()));
/// let mut posture = figure.at_ease();
/// posture.hips.y -= 0.2; // the knees bend, the feet stay
/// let pose = figure.pose(&posture);
/// let skeleton = &figure.body().skeleton;
/// let ankle = skeleton.global_pose(pose.view()).positions[skeleton.bone(Bone::LeftFoot).unwrap().idx()];
/// assert!((ankle.y - 0.044 * 1.75).abs() < 1e-3);
/// ```
#[derive(Clone, Debug)]
pub struct Figure {
    body: Arc<Body>,
    joints: Joints,
    rest: GlobalPose,
    stature: f32,
}

/// The joints that are driven.
#[derive(Clone, Debug)]
struct Joints {
    hips: JointId,
    trunk: [JointId; 3],
    neck: JointId,
    head: JointId,
    /// Shoulder, upper arm, lower arm, hand; left and right.
    arms: [[JointId; 4]; 2],
    /// Upper leg, lower leg, foot, toes; left and right.
    legs: [[JointId; 4]; 2],
}

/// How far a neck turns (rad).
const NECK: f32 = 1.1;
/// Share of its length to which a leg stretches: people do not lock their knees.
const STRETCH: f32 = 0.985;
/// Over how many radians the heel eases into rising by itself.
const HEEL_EASE: f32 = 0.06;
/// A heel does not rise farther than this (rad).
const HIGHEST_HEEL: f32 = 1.35;

impl Figure {
    /// A figure of one body.
    ///
    /// # Panics
    /// If the body's skeleton is not the library's, as [`randori_motion::Build`] makes it.
    pub fn new(body: Arc<Body>) -> Figure {
        let joints = Joints::of(&body.skeleton).expect("the library's own skeleton has all these bones");
        let rest = body.skeleton.global_pose(body.skeleton.rest_pose().view());
        // The library's skeletons carry their hips at 54 % of their height.
        let stature = rest.positions[joints.hips.idx()].y / 0.54;
        Figure { joints, rest, stature, body }
    }

    /// The body that is posed.
    pub fn body(&self) -> &Arc<Body> {
        &self.body
    }

    /// From sole to crown (m).
    pub fn stature(&self) -> f32 {
        self.stature
    }

    /// Height of the hips' joint when standing upright (m).
    pub fn hip_height(&self) -> f32 {
        self.rest.positions[self.joints.hips.idx()].y
    }

    /// From hip joint to ankle along the leg (m).
    pub fn leg_length(&self) -> f32 {
        let [_, lower, ankle, _] = self.joints.legs[0];
        let length = |joint: JointId| self.body.skeleton.joint(joint).offset.length();
        length(lower) + length(ankle)
    }

    /// From shoulder joint to wrist along the arm (m).
    pub fn arm_length(&self) -> f32 {
        let [_, _, lower, hand] = self.joints.arms[0];
        let length = |joint: JointId| self.body.skeleton.joint(joint).offset.length();
        length(lower) + length(hand)
    }

    /// From wrist to knuckles (m).
    pub fn fist(&self) -> f32 {
        0.0486 * self.stature
    }

    /// Standing upright at the origin, arms hanging.
    pub fn at_ease(&self) -> Posture {
        let side = |side: Side| if side == Side::Left { 1.0 } else { -1.0 };
        Posture {
            hips: Vec3::new(0.0, 0.985 * self.hip_height(), 0.0),
            pelvis: Quat::IDENTITY,
            chest: Quat::IDENTITY,
            head: Quat::IDENTITY,
            hands: Side::BOTH.map(|hand| HandGoal {
                wrist: Vec3::new(side(hand) * 0.14, 0.50, 0.03) * self.stature,
                elbow: Vec3::new(0.6 * side(hand), 0.0, -1.0),
                protraction: 0.0,
                shrug: 0.0,
                bend: Quat::IDENTITY,
            }),
            feet: Side::BOTH.map(|foot| {
                let [.., toes] = self.joints.legs[foot as usize];
                let ball = self.rest.positions[toes.idx()];
                FootGoal { ball: ball.with_y(0.0), sole: Quat::IDENTITY, heel: 0.0, knee: Vec3::Z }
            }),
        }
    }

    /// Where the ball of a foot is, as [`FootGoal::ball`] has it, when its ankle is somewhere and its sole turned so (m).
    pub fn ball_below(&self, side: Side, ankle: Vec3, sole: Quat) -> Vec3 {
        let [.., toes] = self.joints.legs[side as usize];
        let standing = self.rest.positions[toes.idx()].y;
        ankle + sole * self.body.skeleton.joint(toes).offset - Vec3::Y * standing
    }

    /// The pose that does what is asked, as nearly as the body allows.
    pub fn pose(&self, posture: &Posture) -> Pose {
        self.globals(posture).to_pose(&self.body.skeleton)
    }

    /// As [`Figure::pose`], in the world's frame.
    pub fn globals(&self, posture: &Posture) -> GlobalPose {
        let mut limner = Limner { figure: self, globals: self.rest.clone() };
        limner.trunk(posture);
        limner.head(posture);
        for side in Side::BOTH {
            limner.leg(side, &posture.feet[side as usize]);
            limner.arm(side, &posture.hands[side as usize]);
        }
        limner.globals
    }

    /// Where a joint of trunk, neck or head or a shoulder's root comes to lie, arms and legs aside (m): for goals
    /// that are given relative to them.
    pub fn place_of(&self, bone: Bone, posture: &Posture) -> Vec3 {
        let mut limner = Limner { figure: self, globals: self.rest.clone() };
        limner.trunk(posture);
        limner.head(posture);
        let joint = self.body.skeleton.bone(bone).unwrap_or(JointId::ROOT);
        limner.hang(joint);
        limner.globals.positions[joint.idx()]
    }
}

impl Joints {
    fn of(skeleton: &Skeleton) -> Option<Joints> {
        let limb = |bones: [Bone; 4], side| -> Option<[JointId; 4]> {
            let [a, b, c, d] = bones.map(|bone| skeleton.bone(bone.on(side)));
            Some([a?, b?, c?, d?])
        };
        let arm = [Bone::LeftShoulder, Bone::LeftUpperArm, Bone::LeftLowerArm, Bone::LeftHand];
        let leg = [Bone::LeftUpperLeg, Bone::LeftLowerLeg, Bone::LeftFoot, Bone::LeftToes];
        Some(Joints {
            hips: skeleton.bone(Bone::Hips)?,
            trunk: [
                skeleton.bone(Bone::Spine)?,
                skeleton.bone(Bone::Chest)?,
                skeleton.bone(Bone::UpperChest)?,
            ],
            neck: skeleton.bone(Bone::Neck)?,
            head: skeleton.bone(Bone::Head)?,
            arms: [limb(arm, Side::Left)?, limb(arm, Side::Right)?],
            legs: [limb(leg, Side::Left)?, limb(leg, Side::Right)?],
        })
    }
}

/// A figure half drawn, from the hips outwards.
struct Limner<'a> {
    figure: &'a Figure,
    globals: GlobalPose,
}

impl Limner<'_> {
    /// Hangs a joint from its parent, where that one is now.
    fn hang(&mut self, joint: JointId) {
        let description = self.figure.body.skeleton.joint(joint);
        if let Some(parent) = description.parent {
            self.globals.positions[joint.idx()] = self.globals.point(parent, description.offset);
        }
    }

    /// Turns a joint to a world rotation and hangs it from its parent.
    fn set(&mut self, joint: JointId, world_from_joint: Quat) {
        self.hang(joint);
        self.globals.rotations[joint.idx()] = world_from_joint;
    }

    fn trunk(&mut self, posture: &Posture) {
        let joints = &self.figure.joints;
        self.globals.positions[joints.hips.idx()] = posture.hips;
        self.globals.rotations[joints.hips.idx()] = posture.pelvis;
        for (joint, share) in joints.trunk.into_iter().zip([0.3, 0.7, 1.0]) {
            self.set(joint, posture.pelvis.slerp(posture.chest, share));
        }
    }

    fn head(&mut self, posture: &Posture) {
        let joints = &self.figure.joints;
        let away = angle_between(posture.chest, posture.head);
        let head = posture.chest.slerp(posture.head, (NECK / away.max(1e-3)).min(1.0));
        self.set(joints.neck, posture.chest.slerp(head, 0.45));
        self.set(joints.head, head);
    }

    fn leg(&mut self, side: Side, foot: &FootGoal) {
        let [upper, lower, ankle, toes] = self.figure.joints.legs[side as usize];
        let standing = self.figure.rest.positions[toes.idx()].y;
        let ball = foot.ball + Vec3::Y * standing;
        let ankle_from_ball = -self.figure.body.skeleton.joint(toes).offset;
        let turned = |heel: f32| foot.sole * Quat::from_rotation_x(heel);
        self.hang(upper);
        let hip = self.globals.positions[upper.idx()];
        let reach = STRETCH * self.figure.leg_length();
        let distance = |heel: f32| hip.distance(ball + turned(heel) * ankle_from_ball);
        let heel = foot.heel + ease_above(heel_within(reach, distance) - foot.heel);
        let world_from_foot = turned(heel);
        self.reach([upper, lower, ankle], ball + world_from_foot * ankle_from_ball, foot.knee);
        self.set(ankle, world_from_foot);
        self.set(toes, foot.sole);
    }

    fn arm(&mut self, side: Side, goal: &HandGoal) {
        let [shoulder, upper, lower, hand] = self.figure.joints.arms[side as usize];
        let out = if side == Side::Left { 1.0 } else { -1.0 };
        let chest = self.globals.rotations[self.figure.joints.trunk[2].idx()];
        let blade = Quat::from_rotation_y(-out * goal.protraction) * Quat::from_rotation_z(out * goal.shrug);
        self.set(shoulder, chest * blade);
        self.reach([upper, lower, hand], goal.wrist, goal.elbow);
        self.set(hand, self.globals.rotations[lower.idx()] * goal.bend);
    }

    /// Bends a limb until its end is at `target`, the middle joint pointing along `pole`.
    fn reach(&mut self, [upper, lower, end]: [JointId; 3], target: Vec3, pole: Vec3) {
        let skeleton = &self.figure.body.skeleton;
        let description = skeleton.joint(upper);
        let Some(parent) = description.parent else { return };
        let rest = self.globals.rotations[parent.idx()];
        // Begin with the limb at rest and slightly bent the way its hinge goes, so that the hinge stays
        // the body's own whatever the target.
        // Legs ease into straightness only beyond the stretch at which heels give way.
        let (hinge, softness) = match description.bone {
            Some(Bone::LeftUpperArm) => (Vec3::NEG_Y, 0.02),
            Some(Bone::RightUpperArm) => (Vec3::Y, 0.02),
            _ => (Vec3::X, 0.9 * (1.0 - STRETCH)),
        };
        let bent = rest * Quat::from_axis_angle(hinge, 0.2);
        let start = self.globals.point(parent, description.offset);
        let middle = start + rest * skeleton.joint(lower).offset;
        let joints = [start, middle, middle + bent * skeleton.joint(end).offset];
        let goal = LimbGoal { target, pole: Some(pole), softness, ..LimbGoal::of(joints) };
        let solution = goal.solve();
        self.set(upper, solution.start_turn * rest);
        self.set(lower, solution.middle_turn * bent);
    }
}

/// The smallest angle of the heel at which the ankle is within reach of the hip; `distance` gives how far it is.
fn heel_within(reach: f32, distance: impl Fn(f32) -> f32) -> f32 {
    let (mut low, mut high) = (-0.6, HIGHEST_HEEL);
    if distance(low) <= reach {
        return low;
    }
    for _ in 0..18 {
        let middle = 0.5 * (low + high);
        if distance(middle) > reach { low = middle } else { high = middle }
    }
    high
}

/// 0 for what is well below 0, the value itself for what is well above, smooth between.
fn ease_above(x: f32) -> f32 {
    if x < -HEEL_EASE {
        0.0
    } else if x > HEEL_EASE {
        x
    } else {
        (x + HEEL_EASE) * (x + HEEL_EASE) / (4.0 * HEEL_EASE)
    }
}

/// The turn that faces a point from another: heading and pitch.
pub(crate) fn facing(from: Vec3, to: Vec3) -> Quat {
    let away = to - from;
    let pitch = -libm::atan2f(away.y, libm::hypotf(away.x, away.z));
    rotation_of_heading(libm::atan2f(away.x, away.z)) * Quat::from_rotation_x(pitch)
}

#[cfg(test)]
mod tests {
    use randori_motion::Build;

    use super::*;

    #[test]
    fn planted_balls_stay_while_the_body_moves_about() {
        for build in [Build::AVERAGE, Build::SLIM, Build::STOCKY] {
            let figure = Figure::new(Arc::new(build.body()));
            let ball = |posture: &Posture, side: Side| {
                let toes = figure.joints.legs[side as usize][3];
                figure.globals(posture).positions[toes.idx()]
            };
            let still = figure.at_ease();
            for k in 0..200 {
                let k = k as f32;
                let mut posture = still;
                let sway = Vec3::new(0.15 * libm::sinf(k), 0.0, 0.2 * libm::sinf(0.7 * k));
                posture.hips += sway - Vec3::Y * (0.2 + 0.1 * libm::cosf(1.3 * k));
                posture.pelvis = rotation_of_heading(0.6 * libm::sinf(2.1 * k));
                for side in Side::BOTH {
                    let moved = ball(&posture, side).distance(ball(&still, side));
                    assert!(moved < 1e-4, "{build:?} {k} {side:?} {moved}");
                }
            }
        }
    }

    #[test]
    fn hands_reach_what_is_within_reach() {
        let figure = Figure::new(Arc::new(Build::AVERAGE.body()));
        for side in Side::BOTH {
            let out = if side == Side::Left { 1.0 } else { -1.0 };
            let mut posture = figure.at_ease();
            posture.chest = Quat::from_rotation_x(0.3);
            posture.hands[side as usize].wrist = Vec3::new(out * 0.1, 1.3, 0.45);
            let hand = figure.joints.arms[side as usize][3];
            let there = figure.globals(&posture).positions[hand.idx()];
            assert!(there.distance(posture.hands[side as usize].wrist) < 1e-3, "{there}");
        }
    }

    #[test]
    fn the_neck_gives_so_far_and_no_farther() {
        let figure = Figure::new(Arc::new(Build::AVERAGE.body()));
        let mut posture = figure.at_ease();
        posture.head = rotation_of_heading(2.5);
        let globals = figure.globals(&posture);
        let head = globals.rotations[figure.joints.head.idx()];
        assert!((angle_between(head, posture.chest) - NECK).abs() < 1e-3);
    }
}

//! The body over the steps: hips, trunk, arms and head at every moment.

use std::f32::consts::{PI, TAU};

use glam::{Quat, Vec3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::math::{rotation_of_heading, smootherstep};
use randori_motion::{Bone, Pose, Side};

use super::curve::Curve;
use super::feet::{FootAt, foot_at};
use super::plan::{Plan, Step};
use crate::figure::{Figure, FootGoal, HandGoal, Posture};

/// Somebody who runs a plan.
pub(super) struct Runner<'a> {
    figure: &'a Figure,
    plan: &'a Plan,
    first: Side,
    manner: Manner,
    reaches: Vec<Reach>,
    /// Phases of breath and sway.
    phases: [f32; 3],
    /// Hip joints against the hips, left and right (m).
    hip_joints: [Vec3; 2],
    /// Balls of the feet against the ankles (m).
    ball_joints: [Vec3; 2],
    /// Height of the balls' joints when they stand (m).
    stance: f32,
    /// Shoulders against the upper chest (m).
    shoulders: [Vec3; 2],
    /// Upper arm and forearm (m).
    arm: [f32; 2],
}

/// Quantities of the gaits as curves over time.
struct Manner {
    hip_turn: Curve,
    chest_turn: Curve,
    hip_drop: Curve,
    shift: Curve,
    lean: Curve,
    surge: Curve,
    arm_swing: Curve,
    arm_middle: Curve,
    elbow: Curve,
    elbow_swing: Curve,
    /// Horizontal acceleration along x and z (m/s²), evened out over steps.
    push: [Curve; 2],
}

/// A hand thrown out to touch somebody.
struct Reach {
    side: Side,
    peak: f32,
    /// Height and reach differ from time to time.
    height: f32,
    aside: f32,
}

/// How long a hand goes out and comes back (s).
const REACH_OUT: f32 = 0.26;
const REACH_BACK: f32 = 0.34;
/// Share of its length to which the leg of a carried foot is stretched.
const CARRIED_REACH: f32 = 0.955;
/// Height of the ball's joint over the sole, share of the stature.
const BALL_HEIGHT: f32 = 0.02;
/// How far ahead of the body the head looks (s).
const FORESIGHT: f32 = 0.38;
const GRAVITY: f32 = 9.81;

impl<'a> Runner<'a> {
    pub(super) fn new(figure: &'a Figure, plan: &'a Plan, seed: u64) -> Runner<'a> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let skeleton = &figure.body().skeleton;
        let offset = |bone: Bone, side: Side| {
            skeleton.bone(bone.on(side)).map_or(Vec3::ZERO, |joint| skeleton.joint(joint).offset)
        };
        let reaches = plan.steps.iter().filter_map(|step| {
            let side = step.order.reach?;
            Some(Reach {
                side,
                peak: step.reach_peak(),
                height: rng.random_range(-0.08..0.06),
                aside: rng.random_range(-0.04..0.14),
            })
        });
        let reaches = reaches.collect();
        let of = |quantity: fn(&Step) -> f32| plan.curve(0.12, quantity);
        Runner {
            figure,
            plan,
            first: plan.steps.first().map_or(Side::Left, |step| step.side),
            manner: Manner {
                hip_turn: of(|step| step.order.gait.hip_turn),
                chest_turn: of(|step| step.order.gait.chest_turn),
                hip_drop: of(|step| step.order.gait.hip_drop),
                shift: of(|step| step.order.gait.shift),
                surge: of(|step| step.order.gait.surge),
                lean: of(|step| step.order.gait.lean),
                arm_swing: of(|step| step.order.gait.arm_swing),
                arm_middle: of(|step| step.order.gait.arm_middle),
                elbow: of(|step| step.order.gait.elbow),
                elbow_swing: of(|step| step.order.gait.elbow_swing),
                push: [plan.curve(0.14, |step| step.push.x), plan.curve(0.14, |step| step.push.z)],
            },
            reaches,
            phases: std::array::from_fn(|_| rng.random_range(0.0..TAU)),
            hip_joints: Side::BOTH.map(|side| offset(Bone::LeftUpperLeg, side)),
            ball_joints: Side::BOTH.map(|side| offset(Bone::LeftToes, side)),
            stance: BALL_HEIGHT * figure.stature(),
            shoulders: Side::BOTH
                .map(|side| offset(Bone::LeftShoulder, side) + offset(Bone::LeftUpperArm, side)),
            arm: [Bone::LeftLowerArm, Bone::LeftHand].map(|bone| offset(bone, Side::Left).length()),
        }
    }

    /// The pose at a time (s).
    pub(super) fn pose(&self, t: f32) -> Pose {
        self.figure.pose(&self.posture(t))
    }

    fn posture(&self, t: f32) -> Posture {
        let manner = &self.manner;
        let stature = self.figure.stature();
        let facing = rotation_of_heading(self.plan.heading(t));
        // The beat is 1 when the left foot strikes and -1 when the right one does.
        let count = self.plan.phase(t) + if self.first == Side::Left { 0.0 } else { 1.0 };
        let (beat, carry) = (libm::cosf(PI * count), libm::sinf(PI * count));
        let breath = libm::sinf(TAU * 0.45 * t + self.phases[0]);
        let sway = libm::sinf(TAU * 0.11 * t + self.phases[1]);

        // The body tips towards where it accelerates, as far as its feet make room.
        let push = facing.inverse() * Vec3::new(manner.push[0].at(t), 0.0, manner.push[1].at(t));
        let (aside, ahead) = (libm::atanf(0.75 * push.x / GRAVITY), libm::atanf(0.55 * push.z / GRAVITY));
        let reach = self.reach(t);
        let lean = manner.lean.at(t);
        let hip_turn = -manner.hip_turn.at(t) * beat;
        let pelvis = facing
            * Quat::from_rotation_y(hip_turn + 0.25 * reach.turn)
            * Quat::from_rotation_z(-0.6 * aside + manner.hip_drop.at(t) * carry)
            * Quat::from_rotation_x(0.6 * lean + 0.5 * ahead.clamp(-0.3, 0.5));
        let chest = facing
            * Quat::from_rotation_y(manner.chest_turn.at(t) * beat + 0.02 * sway + reach.turn)
            * Quat::from_rotation_z(-0.9 * aside - 0.25 * manner.hip_drop.at(t) * carry)
            * Quat::from_rotation_x(lean + ahead.clamp(-0.35, 0.55) + 0.012 * breath + reach.bow);
        let surge = manner.surge.at(t) * stature * libm::cosf(TAU * count);
        let shift = Vec3::new(manner.shift.at(t) * stature * carry + 0.004 * sway, 0.0, surge);
        let tipped = Vec3::new(-0.10 * aside, 0.0, -0.10 * (ahead + lean));
        // Leaning legs reach less high.
        let low = 0.30 * (aside * aside + ahead * ahead).min(0.3) * stature;
        let hips = self.plan.place(t)
            + facing * (shift + tipped)
            + Vec3::Y * (self.plan.height(t) - low + 0.002 * breath);
        let mut posture = Posture { hips, pelvis, chest, head: self.look(t, lean), ..self.figure.at_ease() };
        posture.feet = self.feet(t, &posture);
        posture.hands = self.hands(t, beat, &reach, &posture);
        self.figure.keep_hands_clear(&mut posture);
        posture
    }

    /// Eyes stay level and go where the way goes.
    fn look(&self, t: f32, lean: f32) -> Quat {
        let ahead = self.plan.heading(t + FORESIGHT);
        let wander = 0.05 * libm::sinf(TAU * 0.23 * t + self.phases[2]);
        rotation_of_heading(ahead + wander) * Quat::from_rotation_x(0.04 + 0.2 * lean)
    }

    fn feet(&self, t: f32, posture: &Posture) -> [FootGoal; 2] {
        let under_way = self.plan.step_at(t);
        Side::BOTH.map(|side| {
            let steps = &self.plan.steps;
            let here = if steps[under_way].side == side { under_way } else { under_way.saturating_sub(1) };
            let here = if steps[here].side == side { here } else { (here + 1).min(steps.len() - 1) };
            let mut foot = foot_at(&steps[here], steps.get(here + 2), t, self.figure.stature());
            let hip = posture.hips + posture.pelvis * self.hip_joints[side as usize];
            foot.ball += self.held_in(&foot, hip, side);
            let FootAt { ball, sole, heel, .. } = foot;
            // Knees bend in the plane of the foot's and the pelvis' facing.
            let left = (posture.pelvis * Vec3::X + sole * Vec3::X).with_y(0.0).normalize_or(Vec3::X);
            FootGoal { ball, sole, heel, knee: (ball - hip).cross(left) }
        })
    }

    /// How far a foot in the air is drawn towards the hip: legs are not thrown straight (m).
    fn held_in(&self, foot: &FootAt, hip: Vec3, side: Side) -> Vec3 {
        let turned = foot.sole * Quat::from_rotation_x(foot.heel);
        let ankle = foot.ball + Vec3::Y * self.stance - turned * self.ball_joints[side as usize];
        let too_far = ankle.distance(hip) - CARRIED_REACH * self.figure.leg_length();
        let excess = 0.5 * (too_far + libm::sqrtf(too_far * too_far + 1e-4));
        (hip - ankle).normalize_or_zero() * (excess * foot.free)
    }

    fn hands(&self, t: f32, beat: f32, reach: &ReachAt, posture: &Posture) -> [HandGoal; 2] {
        let manner = &self.manner;
        let upper_chest = self.figure.place_of(Bone::UpperChest, posture);
        Side::BOTH.map(|side| {
            let out = if side == Side::Left { 1.0 } else { -1.0 };
            let forward = -out * beat;
            let swing = manner.arm_middle.at(t) + manner.arm_swing.at(t) * forward;
            let bend = manner.elbow.at(t) + manner.elbow_swing.at(t) * forward;
            let free = self.hanging(out, swing, bend);
            let shoulder = upper_chest + posture.chest * self.shoulders[side as usize];
            let thrown = reach.hands[side as usize];
            let bent = free.elbow.lerp(Vec3::new(0.5 * out, -1.0, -0.2), thrown.amount);
            let wrist = free.wrist.lerp(thrown.to, thrown.amount);
            HandGoal {
                wrist: shoulder + posture.chest * wrist,
                elbow: posture.chest * bent,
                protraction: 0.12 * swing.clamp(-1.0, 1.0) + 0.25 * thrown.amount,
                shrug: 0.0,
                bend: Quat::IDENTITY,
            }
        })
    }

    /// An arm that hangs from the shoulder, swung forward and bent; in the chest's frame.
    fn hanging(&self, out: f32, swing: f32, bend: f32) -> Hanging {
        // Elbows stand off a little more as they go back, and hands cross inwards as they come forward.
        let off = 0.16 + 0.12 * (-swing).max(0.0);
        let upper = Quat::from_rotation_x(-swing) * Quat::from_rotation_z(out * off);
        let inward = Quat::from_rotation_y(-out * (0.25 + 0.25 * swing.clamp(-0.5, 1.0)));
        let elbow = upper * (Vec3::NEG_Y * self.arm[0]);
        let fore = upper * inward * Quat::from_rotation_x(-bend) * (Vec3::NEG_Y * self.arm[1]);
        let wrist = elbow + fore;
        Hanging { wrist, elbow: elbow - 0.5 * wrist }
    }

    /// What reaching adds at a time.
    fn reach(&self, t: f32) -> ReachAt {
        let mut at = ReachAt::default();
        let arm = self.arm[0] + self.arm[1];
        let from = self.reaches.partition_point(|reach| reach.peak + REACH_BACK < t);
        for reach in self.reaches[from..].iter().take_while(|reach| reach.peak - REACH_OUT - 0.1 < t) {
            let out = if reach.side == Side::Left { 1.0 } else { -1.0 };
            // The trunk goes first, the hand follows.
            let stroke = |lead: f32| {
                let s = t - reach.peak + lead;
                if s < 0.0 { smootherstep(1.0 + s / REACH_OUT) } else { 1.0 - smootherstep(s / REACH_BACK) }
            };
            at.turn -= 0.38 * out * stroke(0.05);
            at.bow += 0.16 * stroke(0.04);
            let to = Vec3::new(out * reach.aside, reach.height, 0.97).normalize_or(Vec3::Z) * (0.94 * arm);
            at.hands[reach.side as usize] = Thrown { amount: stroke(0.0), to };
        }
        at
    }
}

/// Wrist against shoulder, and where the elbow points.
struct Hanging {
    wrist: Vec3,
    elbow: Vec3,
}

#[derive(Default)]
struct ReachAt {
    /// How far the chest turns to the left (rad).
    turn: f32,
    /// How far it bends forward (rad).
    bow: f32,
    hands: [Thrown; 2],
}

#[derive(Clone, Copy, Default)]
struct Thrown {
    amount: f32,
    /// Where the wrist goes, from the shoulder, in the chest's frame (m).
    to: Vec3,
}

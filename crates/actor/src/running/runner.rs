//! The body over the steps: hips, trunk, arms and head at every moment.

use std::f32::consts::{PI, TAU};

use glam::{Quat, Vec3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::math::{rotation_of_heading, smootherstep};
use randori_motion::{Bone, Ground, Placement, Side};

use super::curve::Curve;
use super::feet::{FootAt, foot_at};
use super::plan::{Plan, Step};
use crate::figure::{Figure, FootGoal, HandGoal, Posture};
use crate::fling::Fling;
use crate::stroke::{Channel, Strokes, Sums};
use crate::timeline::Timeline;

/// Somebody who runs a plan.
pub(crate) struct Runner<'a> {
    figure: &'a Figure,
    plan: &'a Plan,
    first: Side,
    manner: Manner,
    reaches: Vec<Reach>,
    mishaps: &'a Mishaps,
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
    /// How much an arm holds a ball, left and right (-).
    ball: [Curve; 2],
}

/// What comes over the steps: trunk, head and hands give way to something or turn to it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mishaps {
    /// Of trunk and head.
    pub(crate) strokes: Strokes,
    /// Of the hands.
    pub(crate) flings: Timeline<Fling>,
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
/// How much higher, seen from the chest, both hands go together: it is bent over then.
const RAISED: f32 = 0.55;
/// Share of its length to which the leg of a carried foot is stretched.
const CARRIED_REACH: f32 = 0.955;
/// Height of the ball's joint over the sole, share of the stature.
const BALL_HEIGHT: f32 = 0.02;
/// How far ahead of the body the head looks (s).
const FORESIGHT: f32 = 0.38;
const GRAVITY: f32 = 9.81;

impl<'a> Runner<'a> {
    pub(crate) fn new(figure: &'a Figure, plan: &'a Plan, mishaps: &'a Mishaps, seed: u64) -> Runner<'a> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let skeleton = &figure.body().skeleton;
        let offset = |bone: Bone, side: Side| {
            skeleton.bone(bone.on(side)).map_or(Vec3::ZERO, |joint| skeleton.joint(joint).offset)
        };
        let hands = plan.steps.iter().flat_map(|step| {
            let hands = Side::BOTH.into_iter().filter(|side| step.order.reach[*side as usize]);
            let peak = step.order.reach_peak(step.strike).unwrap_or(step.strike);
            hands.map(move |side| (side, peak, step.order.reach == [true; 2]))
        });
        let reaches = hands.map(|(side, peak, both)| {
            let (height, aside) = (rng.random_range(-0.08..0.06), rng.random_range(-0.04..0.14));
            Reach { side, peak, height: height + if both { RAISED } else { 0.0 }, aside }
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
                push: [
                    plan.curve(0.14, |step| step.order.tips * step.push.x),
                    plan.curve(0.14, |step| step.order.tips * step.push.z),
                ],
                ball: Side::BOTH
                    .map(|side| plan.curve(0.12, |step| f32::from(u8::from(step.order.ball == Some(side))))),
            },
            reaches,
            mishaps,
            phases: std::array::from_fn(|_| rng.random_range(0.0..TAU)),
            hip_joints: Side::BOTH.map(|side| offset(Bone::LeftUpperLeg, side)),
            ball_joints: Side::BOTH.map(|side| offset(Bone::LeftToes, side)),
            stance: BALL_HEIGHT * figure.stature(),
            shoulders: Side::BOTH
                .map(|side| offset(Bone::LeftShoulder, side) + offset(Bone::LeftUpperArm, side)),
            arm: [Bone::LeftLowerArm, Bone::LeftHand].map(|bone| offset(bone, Side::Left).length()),
        }
    }

    /// Where the body is and which way it faces at a time (s).
    pub(crate) fn placement(&self, t: f32) -> Placement {
        let heading = self.plan.heading(t);
        Placement { position: Ground::below(self.plan.place(t)), heading }
    }

    /// The posture at a time (s).
    pub(crate) fn posture(&self, t: f32) -> Posture {
        let mut posture = self.core(t);
        posture.feet = self.feet(t, &posture);
        posture.hands = self.hands(t, &posture);
        let facing = rotation_of_heading(self.plan.heading(t));
        for fling in self.mishaps.flings.under_way(t) {
            let by = fling.at(facing, t);
            let hand = &mut posture.hands[fling.side as usize];
            hand.wrist += by;
            // Below a raised hand hangs the elbow.
            let out = if fling.side == Side::Left { 0.6 } else { -0.6 };
            let raised = smootherstep(by.y / 0.35);
            hand.elbow = hand.elbow.normalize_or_zero().lerp(facing * Vec3::new(out, -1.0, -0.3), raised);
        }
        self.figure.keep_hands_clear(&mut posture);
        posture
    }

    /// Hips, trunk and head at a time, the limbs at ease.
    pub(crate) fn core(&self, t: f32) -> Posture {
        let manner = &self.manner;
        let sums = self.mishaps.strokes.at(t);
        let sum = |channel| sums.get(channel);
        let stature = self.figure.stature();
        let facing = rotation_of_heading(self.plan.heading(t));
        let count = self.count(t);
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
            * Quat::from_rotation_y(hip_turn + 0.25 * reach.turn + sum(Channel::HipTurn))
            * Quat::from_rotation_z(
                -0.6 * aside + manner.hip_drop.at(t) * carry
                    - 0.35 * sum(Channel::Lean)
                    - sum(Channel::HipLean),
            )
            * Quat::from_rotation_x(
                0.6 * lean + 0.5 * ahead.clamp(-0.3, 0.5) + 0.35 * sum(Channel::Bow) + sum(Channel::HipBow),
            );
        let chest = facing
            * Quat::from_rotation_y(
                manner.chest_turn.at(t) * beat + 0.02 * sway + reach.turn + sum(Channel::ChestTurn),
            )
            * Quat::from_rotation_z(-0.9 * aside - 0.25 * manner.hip_drop.at(t) * carry - sum(Channel::Lean))
            * Quat::from_rotation_x(
                lean + ahead.clamp(-0.35, 0.55) + 0.012 * breath + reach.bow + sum(Channel::Bow),
            );
        let surge = manner.surge.at(t) * stature * libm::cosf(TAU * count);
        let shift = Vec3::new(manner.shift.at(t) * stature * carry + 0.004 * sway, 0.0, surge);
        let tipped = Vec3::new(-0.10 * aside, 0.0, -0.10 * (ahead + lean));
        // Leaning legs reach less high.
        let low = 0.30 * (aside * aside + ahead * ahead).min(0.3) * stature;
        let hips = self.plan.place(t)
            + facing * (shift + tipped)
            + Vec3::Y * (self.plan.height(t) - low + 0.002 * breath);
        let moved = Vec3::new(sum(Channel::Aside), -sum(Channel::Crouch), sum(Channel::Ahead));
        let hips = hips + facing * moved;
        Posture { hips, pelvis, chest, head: self.look(t, lean, &sums), ..self.figure.at_ease() }
    }

    /// Steps counted so that even numbers are strikes of the left foot.
    fn count(&self, t: f32) -> f32 {
        self.plan.phase(t) + if self.first == Side::Left { 0.0 } else { 1.0 }
    }

    /// Eyes stay level and go where the way goes.
    fn look(&self, t: f32, lean: f32, sums: &Sums) -> Quat {
        let ahead = self.plan.heading(t + FORESIGHT);
        let wander = 0.05 * libm::sinf(TAU * 0.23 * t + self.phases[2]);
        rotation_of_heading(ahead + wander + sums.get(Channel::HeadTurn))
            * Quat::from_rotation_x(0.04 + 0.2 * lean + sums.get(Channel::HeadNod))
            * Quat::from_rotation_z(-sums.get(Channel::HeadTilt))
    }

    /// Where the feet are below hips that are here.
    pub(crate) fn feet(&self, t: f32, posture: &Posture) -> [FootGoal; 2] {
        let under_way = self.plan.step_at(t);
        Side::BOTH.map(|side| {
            let steps = &self.plan.steps;
            let here = if steps[under_way].side == side { under_way } else { under_way.saturating_sub(1) };
            let here = if steps[here].side == side { here } else { (here + 1).min(steps.len() - 1) };
            let mut foot = foot_at(&steps[here], steps.get(here + 2), t, self.figure.stature());
            foot.sole = rotation_of_heading(self.pivoted(here, t)) * foot.sole;
            let hip = posture.hips + posture.pelvis * self.hip_joints[side as usize];
            foot.ball += self.held_in(&foot, hip, side);
            let FootAt { ball, sole, heel, .. } = foot;
            // Knees bend in the plane of the foot's and the pelvis' facing.
            let left = (posture.pelvis * Vec3::X + sole * Vec3::X).with_y(0.0).normalize_or(Vec3::X);
            FootGoal { ball, sole, heel, knee: (ball - hip).cross(left) }
        })
    }

    /// How far a foot is turned about its ball with the body, to the left (rad).
    fn pivoted(&self, here: usize, t: f32) -> f32 {
        /// The share of the body's turn that feet go along with.
        const ALONG: f32 = 0.85;
        let steps = &self.plan.steps;
        let turned = |step: &Step, t: f32| {
            let planted =
                step.points - if step.side == Side::Left { 1.0 } else { -1.0 } * step.order.gait.toe_out;
            if step.order.pivots { ALONG * (self.plan.heading(t) - planted) } else { 0.0 }
        };
        let step = &steps[here];
        let Some(next) = steps.get(here + 2).filter(|_| t > step.lift) else { return turned(step, t) };
        let share = smootherstep((t - step.lift) / (next.strike - step.lift).max(1e-3));
        (1.0 - share) * turned(step, step.lift) + share * turned(next, next.strike)
    }

    /// How far a foot in the air is drawn towards the hip: legs are not thrown straight (m).
    fn held_in(&self, foot: &FootAt, hip: Vec3, side: Side) -> Vec3 {
        let turned = foot.sole * Quat::from_rotation_x(foot.heel);
        let ankle = foot.ball + Vec3::Y * self.stance - turned * self.ball_joints[side as usize];
        let too_far = ankle.distance(hip) - CARRIED_REACH * self.figure.leg_length();
        let excess = 0.5 * (too_far + libm::sqrtf(too_far * too_far + 1e-4));
        (hip - ankle).normalize_or_zero() * (excess * foot.free)
    }

    /// Where the hands are, swinging from a trunk that is here.
    pub(crate) fn hands(&self, t: f32, posture: &Posture) -> [HandGoal; 2] {
        let manner = &self.manner;
        // The beat is 1 when the left foot strikes and -1 when the right one does.
        let beat = libm::cosf(PI * self.count(t));
        let reach = self.reach(t);
        let upper_chest = self.figure.place_of(Bone::UpperChest, posture);
        Side::BOTH.map(|side| {
            let out = if side == Side::Left { 1.0 } else { -1.0 };
            let forward = -out * beat;
            let swing = manner.arm_middle.at(t) + manner.arm_swing.at(t) * forward;
            let bend = manner.elbow.at(t) + manner.elbow_swing.at(t) * forward;
            let free = self.hanging(out, swing, bend);
            let shoulder = upper_chest + posture.chest * self.shoulders[side as usize];
            let held = manner.ball[side as usize].at(t);
            let free = free.towards(&self.tucked(out, forward), held);
            let thrown = reach.hands[side as usize];
            let bent = free.elbow.lerp(Vec3::new(0.5 * out, -1.0, -0.2), thrown.amount);
            let wrist = free.wrist.lerp(thrown.to, thrown.amount);
            HandGoal {
                wrist: shoulder + posture.chest * wrist,
                elbow: posture.chest * bent,
                protraction: 0.12 * (1.0 - held) * swing.clamp(-1.0, 1.0) + 0.25 * thrown.amount,
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

    /// An arm that presses a ball to the ribs, the hand over its tip; in the chest's frame.
    fn tucked(&self, out: f32, forward: f32) -> Hanging {
        let [upper, fore] = self.arm;
        let wrist = Vec3::new(-0.10 * out, -0.62 * upper - 0.02 * forward, 0.82 * fore + 0.02 * forward);
        Hanging { wrist, elbow: Vec3::new(0.75 * out, -0.5, -1.0) }
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

impl Hanging {
    fn towards(&self, other: &Hanging, share: f32) -> Hanging {
        Hanging { wrist: self.wrist.lerp(other.wrist, share), elbow: self.elbow.lerp(other.elbow, share) }
    }
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

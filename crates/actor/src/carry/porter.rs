//! The body of somebody who carries: bent by strokes over the steps, both hands on the load.

use std::f32::consts::TAU;

use glam::{Quat, Vec3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::math::rotation_of_heading;
use randori_motion::{Bone, JointId, Pose, Side};

use super::grip::{Grip, Places};
use crate::figure::{Figure, HandGoal, Posture};
use crate::performer::sign;
use crate::running::plan::Plan;
use crate::running::runner::{Mishaps, Runner};
use crate::stroke::{Channel, Strokes, Sums};
use crate::timeline::{Span, Timeline};

/// Somebody who carries.
pub(super) struct Porter<'a> {
    figure: &'a Figure,
    plan: &'a Plan,
    runner: Runner<'a>,
    strokes: Strokes,
    grips: Timeline<Held>,
    /// Upper arms and forearms, left and right.
    arms: [[JointId; 2]; 2],
    /// Phases in which a load sways.
    phases: [f32; 3],
}

/// A grip and where its load lies before and after.
#[derive(Clone, Copy, Debug)]
struct Held {
    grip: Grip,
    floor: [Vec3; 2],
}

impl Span for Held {
    fn start(&self) -> f32 {
        self.grip.start()
    }

    fn end(&self) -> f32 {
        self.grip.end()
    }
}

/// How late a load follows the rise and fall of the hips (s).
const LAG: f32 = 0.045;
/// Share of its length to which an arm stretches under a load.
const STRETCH: f32 = 0.97;
/// Over what distance arms begin to give way before that (m).
const EASE: f32 = 0.008;
/// Where the elbow of a loaded arm points: down, back and out; x is outwards.
const ELBOW: Vec3 = Vec3::new(0.5, -0.6, -0.7);

impl<'a> Porter<'a> {
    pub(super) fn new(
        figure: &'a Figure,
        (plan, mishaps): (&'a Plan, &'a Mishaps),
        strokes: Strokes,
        grips: Vec<Grip>,
        seed: u64,
    ) -> Porter<'a> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let skeleton = &figure.body().skeleton;
        let joint = |bone: Bone, side: Side| skeleton.bone(bone.on(side)).unwrap_or(JointId::ROOT);
        let mut held = Timeline::default();
        for grip in grips {
            let lies = |t: f32| {
                plan.place(t) + rotation_of_heading(plan.heading(t)) * (grip.manner.floor * figure.stature())
            };
            held.push(Held { grip, floor: [lies(grip.closes), lies(grip.opens)] });
        }
        Porter {
            figure,
            plan,
            runner: Runner::new(figure, plan, mishaps, rng.random()),
            strokes,
            grips: held,
            arms: Side::BOTH.map(|side| [joint(Bone::LeftUpperArm, side), joint(Bone::LeftLowerArm, side)]),
            phases: std::array::from_fn(|_| rng.random_range(0.0..TAU)),
        }
    }

    /// The pose at a time (s).
    pub(super) fn pose(&self, t: f32) -> Pose {
        self.figure.pose(&self.posture(t))
    }

    fn posture(&self, t: f32) -> Posture {
        let sums = self.strokes.at(t);
        let mut posture = self.bent(t, &sums);
        posture.feet = self.runner.feet(t, &posture);
        self.squat(&mut posture, &sums, t);
        posture.hands = self.runner.hands(t, &posture);
        self.figure.keep_hands_clear(&mut posture);
        for held in self.grips.under_way(t) {
            self.take_hold(held, &mut posture, t);
        }
        posture
    }

    /// Hips, trunk and head where steps and strokes have them.
    fn bent(&self, t: f32, sums: &Sums) -> Posture {
        let sum = |channel| sums.get(channel);
        let facing = rotation_of_heading(self.plan.heading(t));
        let mut posture = self.runner.core(t);
        posture.hips += facing * Vec3::new(sum(Channel::Aside), -sum(Channel::Crouch), sum(Channel::Ahead));
        let bend = |bow: f32, lean: f32, turn: f32| {
            facing
                * Quat::from_rotation_x(bow)
                * Quat::from_rotation_z(-lean)
                * Quat::from_rotation_y(turn)
                * facing.inverse()
        };
        let (bow, lean) = (sum(Channel::Bow), sum(Channel::Lean));
        posture.pelvis =
            bend(0.5 * bow + sum(Channel::HipBow), 0.4 * lean, sum(Channel::HipTurn)) * posture.pelvis;
        posture.chest = bend(bow, lean, sum(Channel::ChestTurn)) * posture.chest;
        posture.head = bend(0.0, 0.0, sum(Channel::HeadTurn))
            * posture.head
            * Quat::from_rotation_x(0.45 * bow + sum(Channel::HeadNod));
        posture
    }

    /// Knees go out and heels up as the hips sink.
    fn squat(&self, posture: &mut Posture, sums: &Sums, t: f32) {
        let left = rotation_of_heading(self.plan.heading(t)) * Vec3::X;
        let deep = sums.get(Channel::Crouch).max(0.0) / (0.25 * self.figure.stature());
        for side in Side::BOTH {
            let foot = &mut posture.feet[side as usize];
            foot.knee = foot.knee.normalize_or(Vec3::Z) + left * (0.5 * sign(side) * deep);
            let channel = if side == Side::Left { Channel::LeftHeel } else { Channel::RightHeel };
            foot.heel += sums.get(channel);
        }
    }

    /// Moves both hands to the load, as far as they are on it.
    fn take_hold(&self, held: &Held, posture: &mut Posture, t: f32) {
        let grip = &held.grip;
        let share = grip.share(t);
        let facing = rotation_of_heading(self.plan.heading(t));
        let shrug = 0.04 * share;
        for hand in &mut posture.hands {
            hand.protraction += share * (0.12 - hand.protraction);
            hand.shrug = shrug;
        }
        let shoulders = self.shoulders(posture);
        let half = grip.half_width(t);
        let palm = 0.5 * self.figure.fist();
        let mut middle = grip.middle(t, &self.places(held, posture, t));
        // Arms that are too short draw the load to them, both the same way, so that hands keep their distance.
        let mut wrists = [Vec3::ZERO; 2];
        let mut tilt = Quat::IDENTITY;
        for _ in 0..3 {
            tilt = self.tilt(facing, 0.5 * (shoulders[0] + shoulders[1]), middle);
            wrists =
                Side::BOTH.map(|side| middle + facing * (tilt * Vec3::new(sign(side) * half, 0.0, -palm)));
            let [left, right] =
                Side::BOTH.map(|side| self.pull(shoulders[side as usize], wrists[side as usize]));
            let pull = 0.5 * (left + right);
            middle += pull;
            wrists = wrists.map(|wrist| wrist + pull);
        }
        let free = posture.hands;
        for side in Side::BOTH {
            let hand = &mut posture.hands[side as usize];
            let elbow = facing * (ELBOW * Vec3::new(sign(side), 1.0, 1.0));
            *hand = HandGoal {
                wrist: hand.wrist.lerp(wrists[side as usize], share),
                elbow: hand.elbow.normalize_or_zero().lerp(elbow.normalize(), share),
                ..*hand
            };
        }
        let globals = self.figure.globals(posture);
        for side in Side::BOTH {
            let [_, forearm] = self.arms[side as usize];
            let flat = facing * tilt * palm_inwards(side);
            let bend = globals.rotations[forearm.idx()].inverse() * flat;
            posture.hands[side as usize].bend = free[side as usize].bend.slerp(bend, share);
        }
    }

    /// Where the load is taken, carried and given at this moment (m).
    fn places(&self, held: &Held, posture: &Posture, t: f32) -> Places {
        let manner = &held.grip.manner;
        let stature = self.figure.stature();
        let facing = rotation_of_heading(self.plan.heading(t));
        let wave = |hertz: f32, phase: usize| libm::sinf(TAU * hertz * t + self.phases[phase]);
        let wander = Vec3::new(0.004 * wave(0.31, 0), 0.005 * wave(0.47, 1), 0.004 * wave(0.23, 2));
        let late = Vec3::Y * (self.plan.height(t - LAG) - self.plan.height(t));
        let seen = |at: Vec3| posture.hips + late + facing * (at * stature + wander);
        Places { floor: held.floor, offered: seen(manner.offered), carried: seen(manner.carried) }
    }

    /// Which way both hands point: with the forearms, as nearly as wrists like it.
    fn tilt(&self, facing: Quat, shoulders: Vec3, middle: Vec3) -> Quat {
        let away = facing.inverse() * (middle - shoulders);
        let below = libm::atan2f(-away.y, away.z.max(0.05));
        // Elbows that are bent hang below the line to the load, so that forearms point up from it.
        let bent = libm::acosf((away.length() / self.figure.arm_length()).min(1.0));
        Quat::from_rotation_x((0.8 * (below - bent)).clamp(-0.4, 1.25))
    }

    /// How far a wrist has to come nearer (m).
    fn pull(&self, shoulder: Vec3, wrist: Vec3) -> Vec3 {
        let away = shoulder - wrist;
        let excess = away.length() - STRETCH * self.figure.arm_length();
        let eased = 0.5 * (excess + libm::sqrtf(excess * excess + EASE * EASE));
        away.normalize_or_zero() * eased
    }

    fn shoulders(&self, posture: &Posture) -> [Vec3; 2] {
        let globals = self.figure.globals(posture);
        self.arms.map(|[upper, _]| globals.positions[upper.idx()])
    }
}

/// A hand whose fingers point to +Z and whose palm faces the other hand's.
fn palm_inwards(side: Side) -> Quat {
    // Hands rest along ±X, palms down.
    let (fingers, back) = (Vec3::Z, Vec3::X * sign(side));
    let x = fingers * sign(side);
    Quat::from_mat3(&glam::Mat3::from_cols(x, back, x.cross(back)))
}

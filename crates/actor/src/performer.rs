//! One performer: stance, strokes, feet and fists to poses.

use std::f32::consts::TAU;
use std::sync::Arc;

use glam::{Quat, Vec3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::ik::LimbGoal;
use randori_motion::math::{angle_between, rotation_of_heading, smootherstep, wrap_angle};
use randori_motion::{Body, Bone, GlobalPose, Ground, JointId, Placement, Pose, Side, Skeleton};

use crate::footwork::{FootAt, Footwork, Plant};
use crate::stroke::{Channel, Stroke, Strokes, Sums};

/// How somebody stands when nothing else is asked of them: a boxer's guard, left foot ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stance {
    /// Height of the hips relative to standing upright (-).
    pub height: f32,
    /// Distance of the feet ahead of and behind the middle, relative to stature (-).
    pub depth: f32,
    /// Distance of the feet to both sides of the middle, relative to stature (-).
    pub width: f32,
    /// How far hips and chest are turned to the own right of where the person faces (rad).
    pub bladed: f32,
    /// How far the trunk bends forward (rad).
    pub bow: f32,
    /// Height of the bounce (m).
    pub bounce: f32,
    /// Bounces per second (Hz).
    pub tempo: f32,
}

impl Stance {
    /// A boxer's guard.
    pub const BOXER: Stance =
        Stance { height: 0.93, depth: 0.125, width: 0.07, bladed: 0.55, bow: 0.2, bounce: 0.011, tempo: 1.9 };
}

/// What a fist aims at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// The point in the world that the knuckles reach (m).
    pub point: Vec3,
    /// How far the fist swings out to the side of the straight line, and up (m): hooks and uppercuts.
    pub swing: Vec3,
}

/// A blow with one fist.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Punch {
    /// The hand.
    pub side: Side,
    /// When the fist is there (s).
    pub impact: f32,
    /// How long it takes to get there (s).
    pub rise: f32,
    /// How long it takes to come back (s).
    pub fall: f32,
    /// Where it goes.
    pub aim: Aim,
}

/// Somebody who performs.
pub struct Performer {
    /// Whose body it is: made by [`randori_motion::Build`].
    body: Arc<Body>,
    stance: Stance,
    joints: Joints,
    feet: [Footwork; 2],
    headings: Vec<(f32, f32)>,
    gaze: Vec3,
    strokes: Strokes,
    punches: Vec<Punch>,
    /// Phases of breath, bounce and sway, so that no two people move in step.
    phases: [f32; 4],
}

/// The joints that are driven.
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

/// The distance from wrist to knuckles (m).
const FIST: f32 = 0.085;
/// How far the heels are up in the guard, front and rear (rad).
const GUARD_HEELS: [f32; 2] = [0.08, 0.42];

impl Performer {
    /// Somebody in a stance at a place.
    ///
    /// # Panics
    /// If the body's skeleton is not the library's.
    pub fn new(body: Arc<Body>, stance: Stance, placement: Placement, seed: u64) -> Performer {
        let joints = Joints::of(&body.skeleton).expect("the library's own skeleton has all these bones");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut performer = Performer {
            joints,
            feet: Side::BOTH.map(|_| Footwork::standing(Placement::default())),
            headings: vec![(0.0, placement.heading)],
            gaze: placement.point(Vec3::new(0.0, 1.6, 10.0)),
            strokes: Strokes::default(),
            punches: Vec::new(),
            phases: std::array::from_fn(|_| rng.random_range(0.0..TAU)),
            body,
            stance,
        };
        performer.feet = Side::BOTH.map(|side| Footwork::standing(performer.foot_place(placement, side)));
        performer
    }

    /// The body that performs.
    pub fn body(&self) -> &Arc<Body> {
        &self.body
    }

    /// Where this person looks from now on (m).
    pub fn look_at(&mut self, point: Vec3) {
        self.gaze = point;
    }

    /// Adds a stroke.
    pub fn stroke(&mut self, stroke: Stroke) {
        self.strokes.push(stroke);
    }

    /// Adds a blow.
    pub fn punch(&mut self, punch: Punch) {
        self.punches.push(punch);
    }

    /// Shuffles to another place, one foot after the other, so that the second has landed at `landed`.
    ///
    /// The foot on the side of the movement goes first, so that the legs never cross.
    pub fn shuffle(&mut self, landed: f32, to: Placement) {
        /// A quick step of a boxer.
        const SWING: f32 = 0.24;
        const BETWEEN: f32 = 0.17;
        let from = self.feet[0].last();
        let ahead = Placement { position: from.position, heading: to.heading };
        let moved = ahead.relative(self.foot_place(to, Side::Left)).position;
        let left_first = moved.z + 0.5 * moved.x > 0.0;
        for side in Side::BOTH {
            let is_first = (side == Side::Left) == left_first;
            let landed = if is_first { landed - BETWEEN } else { landed };
            let placement = self.foot_place(to, side);
            self.feet[side as usize].step(Plant { landed, swing: SWING, placement });
        }
        let turned = self.headings.last().map_or(to.heading, |(_, heading)| *heading);
        self.headings.push((landed - SWING - BETWEEN, turned));
        self.headings.push((landed, turned + wrap_angle(to.heading - turned)));
    }

    /// The pose at a time.
    pub fn pose(&self, t: f32) -> Pose {
        let mut solver = Solver::new(self, t);
        solver.trunk();
        solver.head();
        for side in Side::BOTH {
            solver.leg(side);
            solver.arm(side);
        }
        solver.globals.to_pose(&self.body.skeleton)
    }

    /// World transforms of trunk and head at a time, arms and legs left at rest: what an opponent aims at.
    pub fn core(&self, t: f32) -> GlobalPose {
        let mut solver = Solver::new(self, t);
        solver.trunk();
        solver.head();
        solver.globals
    }

    /// Where a bone of trunk or head is at a time (m).
    pub fn place_of(&self, bone: Bone, t: f32) -> Vec3 {
        let joint = self.body.skeleton.bone(bone).unwrap_or(JointId::ROOT);
        self.core(t).positions[joint.idx()]
    }

    /// Where one foot stands when the person is placed somewhere: its ball, and the way it points.
    fn foot_place(&self, placement: Placement, side: Side) -> Placement {
        let stature = self.stature();
        let (x, z, heading) = match side {
            Side::Left => (self.stance.width, self.stance.depth, -0.25),
            Side::Right => (-self.stance.width, -self.stance.depth, -0.8),
        };
        placement.then(Placement { position: Ground { x: x * stature, z: z * stature }, heading })
    }

    fn stature(&self) -> f32 {
        let hips = self.body.skeleton.joint(self.joints.hips).offset.y;
        // The library's skeletons carry their hips at 54 % of their height.
        hips / 0.54
    }

    fn heading(&self, t: f32) -> f32 {
        let next = self.headings.partition_point(|(at, _)| *at <= t);
        let (from, heading) = self.headings[next.saturating_sub(1)];
        match self.headings.get(next) {
            None => heading,
            Some((to, next)) => heading + smootherstep((t - from) / (to - from)) * (next - heading),
        }
    }

    /// A slow wave of its own phase, from -1 to 1.
    fn wave(&self, t: f32, hertz: f32, phase: usize) -> f32 {
        libm::sinf(TAU * hertz * t + self.phases[phase])
    }
}

/// One moment of one performer, solved from the hips outwards.
struct Solver<'a> {
    performer: &'a Performer,
    t: f32,
    sums: Sums,
    facing: Quat,
    feet: [FootAt; 2],
    globals: GlobalPose,
}

impl<'a> Solver<'a> {
    fn new(performer: &'a Performer, t: f32) -> Solver<'a> {
        let skeleton = &performer.body.skeleton;
        Solver {
            performer,
            t,
            sums: performer.strokes.at(t),
            facing: rotation_of_heading(performer.heading(t)),
            feet: [performer.feet[0].at(t), performer.feet[1].at(t)],
            globals: skeleton.global_pose(skeleton.rest_pose().view()),
        }
    }

    /// Turns a joint to a world rotation and hangs it from its parent.
    fn set(&mut self, joint: JointId, world_from_joint: Quat) {
        let description = self.performer.body.skeleton.joint(joint);
        if let Some(parent) = description.parent {
            self.globals.positions[joint.idx()] = self.globals.point(parent, description.offset);
        }
        self.globals.rotations[joint.idx()] = world_from_joint;
    }

    fn place(&self, joint: JointId) -> Vec3 {
        self.globals.positions[joint.idx()]
    }

    fn trunk(&mut self) {
        let (performer, stance, t) = (self.performer, self.performer.stance, self.t);
        let sum = |channel| self.sums.get(channel);
        let standing = performer.body.skeleton.joint(performer.joints.hips).offset.y;

        // Hips: between the feet, a little towards the foot that carries.
        let [left, right] = self.feet;
        let load = 0.5 + 0.18 * (left.planted - right.planted);
        let level = |ball: Vec3| Vec3::new(ball.x, 0.0, ball.z);
        let middle = level(right.ball).lerp(level(left.ball), load);
        let bounce = stance.bounce * performer.wave(t, stance.tempo, 0);
        let sway = 0.012 * performer.wave(t, 0.31, 1);
        let hips = middle
            + self.facing * Vec3::new(sum(Channel::Aside) + sway, 0.0, sum(Channel::Ahead) - 0.01)
            + Vec3::Y * (standing * stance.height - sum(Channel::Crouch) + bounce);
        let breath = 0.015 * performer.wave(t, 0.45, 2);
        let bow = stance.bow + sum(Channel::Bow) + breath;
        let lean = sum(Channel::Lean) + 0.02 * performer.wave(t, 0.23, 3);

        let bent = |share: f32, turn: f32| {
            self.facing
                * Quat::from_rotation_x(share * bow)
                * Quat::from_rotation_z(-share * lean)
                * Quat::from_rotation_y(turn)
        };
        let pelvis = bent(0.35, sum(Channel::HipTurn) - 0.8 * stance.bladed);
        let chest = bent(1.0, sum(Channel::ChestTurn) - stance.bladed);
        self.globals.positions[performer.joints.hips.idx()] = hips;
        self.globals.rotations[performer.joints.hips.idx()] = pelvis;
        for (joint, share) in performer.joints.trunk.into_iter().zip([0.3, 0.7, 1.0]) {
            self.set(joint, pelvis.slerp(chest, share));
        }
    }

    fn head(&mut self) {
        let joints = &self.performer.joints;
        let chest = self.globals.rotations[joints.trunk[2].idx()];
        self.set(joints.neck, chest);
        let away = self.performer.gaze - self.place(joints.neck);
        let pitch = -libm::atan2f(away.y - 0.1, libm::hypotf(away.x, away.z));
        let look = rotation_of_heading(libm::atan2f(away.x, away.z))
            * Quat::from_rotation_y(self.sums.get(Channel::HeadTurn))
            * Quat::from_rotation_x(pitch + 0.12 + self.sums.get(Channel::HeadNod))
            * Quat::from_rotation_z(-self.sums.get(Channel::HeadTilt));
        // A neck turns so far and no farther.
        let away = angle_between(chest, look);
        let look = chest.slerp(look, (1.1 / away.max(1e-3)).min(1.0));
        self.set(joints.neck, chest.slerp(look, 0.45));
        self.set(joints.head, look);
    }

    fn leg(&mut self, side: Side) {
        let [upper, lower, ankle, toes] = self.performer.joints.legs[side as usize];
        let foot = self.feet[side as usize];
        let skeleton = &self.performer.body.skeleton;
        let ball_at_rest = skeleton.joint(toes).offset;
        let is_front = side == Side::Left;
        let asked = self.sums.get(if is_front { Channel::FrontHeel } else { Channel::RearHeel });
        let guard = GUARD_HEELS[side as usize] * foot.planted;
        let heel = (guard + asked).clamp(0.0, 1.0) + foot.heel;
        let world_from_foot = foot.turn * Quat::from_rotation_x(heel);
        let ball = foot.ball + Vec3::Y * self.ball_height(toes);
        let ankle_at = ball - world_from_foot * ball_at_rest;

        let pelvis = self.globals.rotations[self.performer.joints.hips.idx()];
        let outwards = if is_front { 0.15 } else { -0.15 };
        let knee_towards =
            foot.turn * Vec3::Z + 0.5 * (pelvis * Vec3::Z) + self.facing * (Vec3::X * outwards);
        self.reach([upper, lower, ankle], ankle_at, knee_towards);
        self.set(ankle, world_from_foot);
        // The toes stay flat while the heel rises.
        self.set(toes, foot.turn * Quat::from_rotation_x(heel * (1.0 - foot.planted)));
    }

    fn arm(&mut self, side: Side) {
        let [shoulder, upper, lower, hand] = self.performer.joints.arms[side as usize];
        let out = if side == Side::Left { 1.0 } else { -1.0 };
        let chest = self.globals.rotations[self.performer.joints.trunk[2].idx()];

        // The guard moves with the head that it guards.
        let head = self.place(self.performer.joints.head);
        let cover = self.sums.get(Channel::Cover).clamp(0.0, 1.0);
        let idle = Vec3::new(0.006, 0.012, 0.008) * self.performer.wave(self.t, 0.9, 1 + side as usize);
        let guard = match side {
            Side::Left => Vec3::new(0.10, -0.10, 0.30),
            Side::Right => Vec3::new(-0.10, -0.12, 0.17),
        };
        let covering = Vec3::new(out * 0.085, 0.02, 0.16);
        let guard = head + self.facing * (guard.lerp(covering, cover) + idle);

        let mut wrist = guard;
        let mut elbow_towards = self.facing * Vec3::new(out * 0.55, -1.0, -0.15);
        let mut reaching = 0.0f32;
        for punch in self.performer.punches.iter().filter(|punch| punch.side == side) {
            let since = self.t - (punch.impact - punch.rise);
            let until = punch.impact + punch.fall - self.t;
            if since <= 0.0 || until <= 0.0 {
                continue;
            }
            let share = into_the_target(since / punch.rise) * smootherstep(until / punch.fall);
            let target = punch.aim.point;
            let direction = (target - guard - 0.5 * punch.aim.swing).normalize_or(self.facing * Vec3::Z);
            let end = target - direction * FIST;
            let arc = 4.0 * share * (1.0 - share);
            wrist = wrist.lerp(end, share) + self.facing * punch.aim.swing * (arc * 0.5);
            let swung = (punch.aim.swing.length() / 0.25).min(1.0);
            let lifted = self.facing * Vec3::new(out, 0.15, -0.35);
            elbow_towards = elbow_towards.lerp(lifted, share * (0.25 + 0.75 * swung));
            reaching = reaching.max(share);
        }
        // The shoulder blade follows the fist.
        let protraction = Quat::from_rotation_y(-out * 0.3 * reaching);
        self.set(shoulder, chest * protraction);
        self.reach([upper, lower, hand], wrist, elbow_towards);
        let forearm = self.globals.rotations[lower.idx()];
        self.set(hand, forearm);
    }

    /// Bends a limb until its end is at `target`, the middle joint pointing along `pole`.
    fn reach(&mut self, [upper, lower, end]: [JointId; 3], target: Vec3, pole: Vec3) {
        let skeleton = &self.performer.body.skeleton;
        let description = skeleton.joint(upper);
        let Some(parent) = description.parent else { return };
        let rest = self.globals.rotations[parent.idx()];
        // Begin with the limb at rest and slightly bent the way its hinge goes, so that the hinge stays
        // the body's own whatever the target.
        let hinge = match description.bone.and_then(Bone::side) {
            _ if matches!(description.bone, Some(Bone::LeftUpperLeg | Bone::RightUpperLeg)) => Vec3::X,
            Some(Side::Left) => Vec3::NEG_Y,
            _ => Vec3::Y,
        };
        let bent = rest * Quat::from_axis_angle(hinge, 0.2);
        let start = self.globals.point(parent, description.offset);
        let middle = start + rest * skeleton.joint(lower).offset;
        let joints = [start, middle, middle + bent * skeleton.joint(end).offset];
        let goal = LimbGoal { target, pole: Some(pole), softness: 0.02, ..LimbGoal::of(joints) };
        let solution = goal.solve();
        self.set(upper, solution.start_turn * rest);
        self.set(lower, solution.middle_turn * bent);
    }

    /// The height of a foot's ball when it stands (m).
    fn ball_height(&self, toes: JointId) -> f32 {
        let skeleton = &self.performer.body.skeleton;
        let up = std::iter::successors(Some(toes), |joint| skeleton.joint(*joint).parent);
        up.map(|joint| skeleton.joint(joint).offset.y).sum()
    }
}

/// A ramp from 0 to 1 that is still fast when it arrives: the target stops the fist, not the boxer.
fn into_the_target(t: f32) -> f32 {
    /// The share of a smooth ramp that is run before it is cut off.
    const CUT: f32 = 0.62;
    smootherstep(CUT * t.min(1.0)) / smootherstep(CUT)
}

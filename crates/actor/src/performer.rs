//! One performer: stance, strokes, feet and fists to poses.

use std::f32::consts::TAU;
use std::sync::Arc;

use glam::{Quat, Vec3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::math::{rotation_of_heading, smootherstep};
use randori_motion::{Body, Bone, Ground, Placement, Pose, Side};

use crate::bounce::{Bounce, Hop};
use crate::figure::{Figure, FootGoal, HandGoal, Posture, facing};
use crate::footwork::{FootAt, Footwork, Plant};
use crate::limb::{Kick, Punch};
use crate::path::Path;
use crate::stroke::{Channel, Stroke, Strokes, Sums};
use crate::timeline::Timeline;

/// How somebody stands when nothing else is asked of them. It is given for the left foot ahead and mirrored for the right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stance {
    /// Height of the hips at the top of the legs' push relative to standing upright (-).
    pub height: f32,
    /// Distance of the feet ahead of and behind the middle, relative to stature (-).
    pub depth: f32,
    /// Distance of the feet to both sides of the middle, relative to stature (-).
    pub width: f32,
    /// How far hips and chest are turned to the own right of where the person faces (rad).
    pub bladed: f32,
    /// How far the trunk bends forward (rad).
    pub bow: f32,
    /// How far the front and the rear foot are turned to the own right (rad).
    pub toes: [f32; 2],
    /// How far the heels are up, front and rear (rad).
    pub heels: [f32; 2],
    /// Where the wrists are relative to the joint of the head, front and rear, in the frame of where the person faces (m).
    pub guard: [Vec3; 2],
}

impl Stance {
    /// A boxer's guard.
    pub const BOXER: Stance = Stance {
        height: 0.937,
        depth: 0.176,
        width: 0.084,
        bladed: 0.55,
        bow: 0.22,
        toes: [0.3, 0.85],
        heels: [0.12, 0.42],
        guard: [Vec3::new(0.125, -0.16, 0.27), Vec3::new(-0.12, -0.155, 0.17)],
    };
}

/// Somebody who performs.
pub struct Performer {
    figure: Figure,
    stance: Stance,
    path: Path,
    bounce: Bounce,
    feet: [Footwork; 2],
    /// The side that is ahead at first.
    first: Side,
    /// When the other foot goes ahead, and how long that takes (s).
    switches: Vec<(f32, f32)>,
    /// A point of the world that the eyes keep to (m); ahead of the body without one.
    gaze: Option<Vec3>,
    strokes: Strokes,
    punches: Timeline<Punch>,
    kicks: Timeline<Kick>,
    /// Phases of breath and sway, so that no two people move in step.
    phases: [f32; 6],
}

/// How far ahead of the body's turns the eyes are (s).
const EYES_LEAD: f32 = 0.12;
/// How late the hands follow the bounce (s), and how much of it they leave out (-).
const HANDS_LAG: f32 = 0.05;
const HANDS_SLACK: f32 = 0.24;

impl Performer {
    /// Somebody in a stance at a place, the left foot ahead.
    ///
    /// # Panics
    /// If the body's skeleton is not the library's.
    pub fn new(body: Arc<Body>, stance: Stance, placement: Placement, seed: u64) -> Performer {
        Performer::leading(body, stance, placement, Side::Left, seed)
    }

    /// Somebody in a stance at a place, the foot of one side ahead.
    ///
    /// # Panics
    /// If the body's skeleton is not the library's.
    pub fn leading(
        body: Arc<Body>,
        stance: Stance,
        placement: Placement,
        first: Side,
        seed: u64,
    ) -> Performer {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut performer = Performer {
            feet: Side::BOTH.map(|_| Footwork::standing(Placement::default())),
            path: Path::from(placement),
            bounce: Bounce::default(),
            first,
            switches: Vec::new(),
            gaze: None,
            strokes: Strokes::default(),
            punches: Timeline::default(),
            kicks: Timeline::default(),
            phases: std::array::from_fn(|_| rng.random_range(0.0..TAU)),
            figure: Figure::new(body),
            stance,
        };
        performer.feet =
            Side::BOTH.map(|side| Footwork::standing(performer.foot_place(placement, side, first)));
        performer
    }

    /// The body that performs.
    pub fn body(&self) -> &Arc<Body> {
        self.figure.body()
    }

    /// The figure that is posed.
    pub fn figure(&self) -> &Figure {
        &self.figure
    }

    /// The stance.
    pub fn stance(&self) -> &Stance {
        &self.stance
    }

    /// The way over the floor.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where this person looks all the time (m).
    pub fn look_at(&mut self, point: Vec3) {
        self.gaze = Some(point);
    }

    /// Adds a stroke.
    pub fn stroke(&mut self, stroke: Stroke) {
        self.strokes.push(stroke);
    }

    /// Adds a punch.
    pub fn punch(&mut self, punch: Punch) {
        self.punches.push(punch);
    }

    /// Adds a kick. The foot stands before and after as its steps say.
    pub fn kick(&mut self, kick: Kick) {
        self.kicks.push(kick);
    }

    /// Adds a hop of the whole body. Hops must be given in order of time.
    pub fn hop(&mut self, hop: Hop) {
        self.bounce.push(hop);
    }

    /// Moves the middle of the body to another place between two times.
    pub fn glide(&mut self, start: f32, end: f32, to: Placement) {
        self.path.glide(start, end, to);
    }

    /// Sets a foot elsewhere. Steps of a foot must be given in order of time.
    pub fn step(&mut self, side: Side, plant: Plant) {
        self.feet[side as usize].step(plant);
    }

    /// Brings the other side ahead between two times; hands, hips and chest follow. The feet are stepped separately.
    pub fn switch(&mut self, start: f32, duration: f32) {
        self.switches.push((start, duration));
    }

    /// Whether the left and the right foot stand at a time.
    pub(crate) fn standing(&self, t: f32) -> [bool; 2] {
        [0, 1].map(|side| self.feet[side].at(t).planted > 0.999)
    }

    /// The pose at a time.
    pub fn pose(&self, t: f32) -> Pose {
        self.figure.pose(&Moment::new(self, t).posture())
    }

    /// What the body is asked to do at a time.
    pub fn posture(&self, t: f32) -> Posture {
        Moment::new(self, t).posture()
    }

    /// Where a bone of trunk or head is at a time (m): what an opponent aims at.
    pub fn place_of(&self, bone: Bone, t: f32) -> Vec3 {
        self.figure.place_of(bone, &Moment::new(self, t).core())
    }

    /// Where the joint of a shoulder is at a time when its blade is forward by so much (m, rad).
    pub fn shoulder(&self, side: Side, protraction: f32, t: f32) -> Vec3 {
        let mut posture = Moment::new(self, t).core();
        posture.hands[side as usize].protraction = protraction;
        self.joint(Bone::LeftUpperArm.on(side), &posture)
    }

    /// Where the joint of a hip is at a time (m).
    pub fn hip(&self, side: Side, t: f32) -> Vec3 {
        self.joint(Bone::LeftUpperLeg.on(side), &Moment::new(self, t).core())
    }

    /// Where a wrist is in the guard at a time, blows aside (m).
    pub fn guard(&self, side: Side, t: f32) -> Vec3 {
        let moment = Moment::new(self, t);
        let head = self.figure.place_of(Bone::Head, &moment.core());
        moment.guard(side, head)
    }

    /// Where one foot stands when the person is placed somewhere with one side ahead: its ball, and the way it points.
    pub fn foot_place(&self, placement: Placement, side: Side, lead: Side) -> Placement {
        let stature = self.figure.stature();
        let mirror = sign(lead);
        let (x, z, toes) = if side == lead {
            (self.stance.width, self.stance.depth, self.stance.toes[0])
        } else {
            (-self.stance.width, -self.stance.depth, self.stance.toes[1])
        };
        let position = Ground { x: mirror * x * stature, z: z * stature };
        placement.then(Placement { position, heading: -mirror * toes })
    }

    fn joint(&self, bone: Bone, posture: &Posture) -> Vec3 {
        let globals = self.figure.globals(posture);
        self.body().skeleton.bone(bone).map_or(posture.hips, |joint| globals.positions[joint.idx()])
    }

    /// 1 with the left side ahead, -1 with the right one.
    fn lead(&self, t: f32) -> f32 {
        let done = self.switches.partition_point(|(start, _)| *start <= t);
        let before = if done % 2 == 0 { sign(self.first) } else { -sign(self.first) };
        match done.checked_sub(1).map(|last| self.switches[last]) {
            None => before,
            Some((start, duration)) => before * (2.0 * smootherstep((t - start) / duration.max(1e-3)) - 1.0),
        }
    }

    /// A slow wave of its own phase, from -1 to 1, that never quite repeats.
    pub(crate) fn wave(&self, t: f32, hertz: f32, phase: usize) -> f32 {
        let at = self.phases[phase];
        0.65 * libm::sinf(TAU * hertz * t + at) + 0.35 * libm::sinf(TAU * 1.618 * hertz * t + 2.3 * at)
    }
}

/// 1 for the left, -1 for the right.
pub(crate) fn sign(side: Side) -> f32 {
    if side == Side::Left { 1.0 } else { -1.0 }
}

/// The other side.
pub(crate) fn other(side: Side) -> Side {
    match side {
        Side::Left => Side::Right,
        Side::Right => Side::Left,
    }
}

/// One moment of one performer: what strokes, feet and blows ask of the body.
struct Moment<'a> {
    performer: &'a Performer,
    t: f32,
    sums: Sums,
    placement: Placement,
    facing: Quat,
    lead: f32,
    height: f32,
    feet: [FootAt; 2],
}

impl<'a> Moment<'a> {
    fn new(performer: &'a Performer, t: f32) -> Moment<'a> {
        let placement = performer.path.at(t);
        Moment {
            performer,
            t,
            sums: performer.strokes.at(t),
            placement,
            facing: placement.rotation(),
            lead: performer.lead(t),
            height: performer.bounce.height(t),
            feet: [performer.feet[0].at(t), performer.feet[1].at(t)],
        }
    }

    fn posture(&self) -> Posture {
        let mut posture = self.core();
        for side in Side::BOTH {
            posture.feet[side as usize] = self.foot(side, posture.pelvis);
        }
        // The guard moves with the head that it guards.
        let head = self.performer.figure.place_of(Bone::Head, &posture);
        for side in Side::BOTH {
            posture.hands[side as usize] = self.hand(side, head);
        }
        self.performer.figure.keep_hands_clear(&mut posture);
        posture
    }

    /// Hips, trunk and head, the limbs at ease.
    fn core(&self) -> Posture {
        let (performer, stance, t) = (self.performer, self.performer.stance, self.t);
        let sum = |channel| self.sums.get(channel);

        let sway = 0.014 * performer.wave(t, 0.37, 1);
        let rock = 0.014 * performer.wave(t, 0.53, 5);
        let middle = self.placement.position.at_height(performer.figure.hip_height() * stance.height);
        let mut hips = middle + Vec3::Y * (self.height - sum(Channel::Crouch));
        hips += self.facing * Vec3::new(sum(Channel::Aside) + sway, 0.0, sum(Channel::Ahead) + rock);
        // Weight goes over the foot that carries.
        let load = sum(Channel::Load);
        let carrying = self.feet[if load > 0.0 { 0 } else { 1 }].ball;
        hips += load.abs() * (carrying - middle).with_y(0.0);

        let breath = 0.015 * performer.wave(t, 0.45, 2);
        // The trunk gives a little when the legs give.
        let bow = stance.bow + sum(Channel::Bow) + breath - 0.6 * self.height;
        let lean = sum(Channel::Lean) + 0.025 * performer.wave(t, 0.31, 3);
        let bladed = stance.bladed * self.lead;
        let twist = 0.05 * performer.wave(t, 0.43, 4) + 0.035 * performer.wave(t, 1.27, 5);
        let bent = |bow: f32, lean: f32, turn: f32| {
            self.facing
                * Quat::from_rotation_x(bow)
                * Quat::from_rotation_z(-lean)
                * Quat::from_rotation_y(turn)
        };
        let mut posture = Posture {
            hips,
            pelvis: bent(
                0.35 * bow + sum(Channel::HipBow),
                0.35 * lean + sum(Channel::HipLean),
                sum(Channel::HipTurn) - 0.8 * bladed + twist,
            ),
            chest: bent(bow, lean, sum(Channel::ChestTurn) - bladed - twist),
            ..performer.figure.at_ease()
        };
        let neck = performer.figure.place_of(Bone::Neck, &posture);
        let ahead = performer.path.at(t + EYES_LEAD);
        let target = performer
            .gaze
            .unwrap_or_else(|| ahead.point(Vec3::new(0.0, 0.92 * performer.figure.stature(), 2.0)));
        posture.head = facing(neck + Vec3::Y * 0.1, target)
            * Quat::from_rotation_y(sum(Channel::HeadTurn) + 0.05 * performer.wave(t, 0.29, 0))
            * Quat::from_rotation_x(0.2 + sum(Channel::HeadNod))
            * Quat::from_rotation_z(-sum(Channel::HeadTilt) + 0.3 * lean);
        posture
    }

    fn foot(&self, side: Side, pelvis: Quat) -> FootGoal {
        let foot = self.feet[side as usize];
        let (heel, pivot) = match side {
            Side::Left => (Channel::LeftHeel, Channel::LeftPivot),
            Side::Right => (Channel::RightHeel, Channel::RightPivot),
        };
        let [front, rear] = self.performer.stance.heels;
        let ahead = 0.5 + 0.5 * self.lead * sign(side);
        // Heels go down as the legs give and up as they push.
        let guard = rear + ahead * (front - rear) + 1.2 * (self.height + 0.04);
        let sole = rotation_of_heading(self.sums.get(pivot)) * foot.turn;
        let knee =
            sole * Vec3::Z + 0.5 * (pelvis * Vec3::Z) + self.facing * Vec3::new(0.15 * sign(side), 0.0, 0.0);
        let heel = (guard + self.sums.get(heel)).clamp(0.0, 1.1) + foot.heel;
        let standing = FootGoal { ball: foot.ball, sole, heel, knee };
        let kicks = self.performer.kicks.under_way(self.t).filter(|kick| kick.side == side);
        kicks.fold(standing, |foot, kick| kick.foot(foot, self.placement, self.t))
    }

    /// Where a wrist is in the guard (m).
    fn guard(&self, side: Side, head: Vec3) -> Vec3 {
        let performer = self.performer;
        let out = sign(side);
        let cover = self.sums.get(Channel::Cover).clamp(0.0, 1.0);
        let mirror = Vec3::new(out, 1.0, 1.0);
        let [front, rear] = performer.stance.guard;
        let (front, rear) = (front * mirror, rear * Vec3::new(-out, 1.0, 1.0));
        let guard = rear.lerp(front, 0.5 + 0.5 * self.lead * out);
        let covering = Vec3::new(out * 0.085, 0.02, 0.16);
        // Hands are carried, not fixed: they follow the body late.
        let late = performer.bounce.height(self.t - HANDS_LAG - 0.02 * (1.0 + out)) + 0.04;
        let wander = Vec3::new(
            0.016 * performer.wave(self.t, 0.83, side as usize) + 0.015 * out,
            0.024 * performer.wave(self.t, 0.71, 2 + side as usize)
                + 0.035 * performer.wave(self.t, 0.17, 4 + side as usize),
            0.030 * performer.wave(self.t, 0.61, 4 + side as usize),
        );
        let slack = Vec3::new(0.0, -HANDS_SLACK * late, -0.15 * late);
        head + self.facing * (guard.lerp(covering, cover) + (wander + slack) * (1.0 - 0.6 * cover))
    }

    fn hand(&self, side: Side, head: Vec3) -> HandGoal {
        let out = sign(side);
        let guard = self.guard(side, head);
        let mut wrist = guard;
        let mut elbow = (self.facing * Vec3::new(out * 0.55, -1.0, -0.15)).normalize();
        let mut protraction = 0.0;
        for punch in self.performer.punches.under_way(self.t).filter(|punch| punch.side == side) {
            let (offset, share) = punch.offset(guard, self.placement, self.t);
            let share = share.clamp(0.0, 1.0);
            wrist += offset;
            elbow = elbow.lerp(self.facing * punch.elbow.normalize_or_zero(), punch.elbow_share(self.t));
            protraction += punch.protraction * share;
        }
        HandGoal {
            wrist,
            elbow,
            protraction,
            shrug: 0.13 + 0.12 * self.sums.get(Channel::Cover),
            bend: Quat::IDENTITY,
        }
    }
}

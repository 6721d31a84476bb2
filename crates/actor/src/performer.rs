//! One performer: stance, strokes, feet and fists to poses.

use std::f32::consts::TAU;
use std::sync::Arc;

use glam::{Quat, Vec3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::math::{rotation_of_heading, smootherstep, wrap_angle};
use randori_motion::{Body, Bone, Ground, Placement, Pose, Side};

use crate::figure::{Figure, FootGoal, HandGoal, Posture, facing};
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
    figure: Figure,
    stance: Stance,
    feet: [Footwork; 2],
    headings: Vec<(f32, f32)>,
    gaze: Vec3,
    strokes: Strokes,
    punches: Vec<Punch>,
    /// Phases of breath, bounce and sway, so that no two people move in step.
    phases: [f32; 4],
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
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut performer = Performer {
            feet: Side::BOTH.map(|_| Footwork::standing(Placement::default())),
            headings: vec![(0.0, placement.heading)],
            gaze: placement.point(Vec3::new(0.0, 1.6, 10.0)),
            strokes: Strokes::default(),
            punches: Vec::new(),
            phases: std::array::from_fn(|_| rng.random_range(0.0..TAU)),
            figure: Figure::new(body),
            stance,
        };
        performer.feet = Side::BOTH.map(|side| Footwork::standing(performer.foot_place(placement, side)));
        performer
    }

    /// The body that performs.
    pub fn body(&self) -> &Arc<Body> {
        self.figure.body()
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
        self.figure.pose(&Moment::new(self, t).posture())
    }

    /// Where a bone of trunk or head is at a time (m): what an opponent aims at.
    pub fn place_of(&self, bone: Bone, t: f32) -> Vec3 {
        self.figure.place_of(bone, &Moment::new(self, t).core())
    }

    /// Where one foot stands when the person is placed somewhere: its ball, and the way it points.
    fn foot_place(&self, placement: Placement, side: Side) -> Placement {
        let stature = self.figure.stature();
        let (x, z, heading) = match side {
            Side::Left => (self.stance.width, self.stance.depth, -0.25),
            Side::Right => (-self.stance.width, -self.stance.depth, -0.8),
        };
        placement.then(Placement { position: Ground { x: x * stature, z: z * stature }, heading })
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

/// One moment of one performer: what strokes, feet and punches ask of the body.
struct Moment<'a> {
    performer: &'a Performer,
    t: f32,
    sums: Sums,
    facing: Quat,
    feet: [FootAt; 2],
}

impl<'a> Moment<'a> {
    fn new(performer: &'a Performer, t: f32) -> Moment<'a> {
        Moment {
            performer,
            t,
            sums: performer.strokes.at(t),
            facing: rotation_of_heading(performer.heading(t)),
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
        posture
    }

    /// Hips, trunk and head, the limbs at ease.
    fn core(&self) -> Posture {
        let (performer, stance, t) = (self.performer, self.performer.stance, self.t);
        let sum = |channel| self.sums.get(channel);
        let standing = performer.figure.hip_height();

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
        let mut posture = Posture {
            hips,
            pelvis: bent(0.35, sum(Channel::HipTurn) - 0.8 * stance.bladed),
            chest: bent(1.0, sum(Channel::ChestTurn) - stance.bladed),
            ..performer.figure.at_ease()
        };
        let neck = performer.figure.place_of(Bone::Neck, &posture);
        posture.head = facing(neck + Vec3::Y * 0.1, performer.gaze)
            * Quat::from_rotation_y(sum(Channel::HeadTurn))
            * Quat::from_rotation_x(0.12 + sum(Channel::HeadNod))
            * Quat::from_rotation_z(-sum(Channel::HeadTilt));
        posture
    }

    fn foot(&self, side: Side, pelvis: Quat) -> FootGoal {
        let foot = self.feet[side as usize];
        let is_front = side == Side::Left;
        let asked = self.sums.get(if is_front { Channel::FrontHeel } else { Channel::RearHeel });
        let guard = GUARD_HEELS[side as usize] * foot.planted;
        let outwards = if is_front { 0.15 } else { -0.15 };
        let knee = foot.turn * Vec3::Z + 0.5 * (pelvis * Vec3::Z) + self.facing * (Vec3::X * outwards);
        let heel = (guard + asked).clamp(0.0, 1.0) + foot.heel;
        FootGoal { ball: foot.ball, sole: foot.turn, heel, knee }
    }

    fn hand(&self, side: Side, head: Vec3) -> HandGoal {
        let out = if side == Side::Left { 1.0 } else { -1.0 };
        let cover = self.sums.get(Channel::Cover).clamp(0.0, 1.0);
        let idle = Vec3::new(0.006, 0.012, 0.008) * self.performer.wave(self.t, 0.9, 1 + side as usize);
        let guard = match side {
            Side::Left => Vec3::new(0.10, -0.10, 0.30),
            Side::Right => Vec3::new(-0.10, -0.12, 0.17),
        };
        let covering = Vec3::new(out * 0.085, 0.02, 0.16);
        let guard = head + self.facing * (guard.lerp(covering, cover) + idle);

        let mut wrist = guard;
        let mut elbow = self.facing * Vec3::new(out * 0.55, -1.0, -0.15);
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
            elbow = elbow.lerp(lifted, share * (0.25 + 0.75 * swung));
            reaching = reaching.max(share);
        }
        // The shoulder blade follows the fist.
        HandGoal { wrist, elbow, protraction: 0.3 * reaching, shrug: 0.0, bend: Quat::IDENTITY }
    }
}

/// A ramp from 0 to 1 that is still fast when it arrives: the target stops the fist, not the boxer.
fn into_the_target(t: f32) -> f32 {
    /// The share of a smooth ramp that is run before it is cut off.
    const CUT: f32 = 0.62;
    smootherstep(CUT * t.min(1.0)) / smootherstep(CUT)
}

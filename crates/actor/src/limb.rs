//! What hands and feet do on their own: blows, and kicks.

use glam::{Quat, Vec3};
use randori_motion::math::smootherstep;
use randori_motion::{Placement, Side};

use crate::curve::{Along, Blow, bezier};
use crate::figure::FootGoal;
use crate::timeline::Span;

/// A point that a limb goes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// A point of the world (m).
    World(Vec3),
    /// A point that moves along with the body: in the frame of its place on the floor (m).
    Own(Vec3),
}

impl Aim {
    /// The point in the world, the body being placed somewhere (m).
    pub fn in_world(self, placement: Placement) -> Vec3 {
        match self {
            Aim::World(point) => point,
            Aim::Own(point) => placement.point(point),
        }
    }
}

/// A hand goes out of the guard to a point and comes back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Punch {
    /// The hand.
    pub side: Side,
    /// When, and how fast.
    pub blow: Blow,
    /// Where the wrist goes.
    pub aim: Aim,
    /// The way leaves the guard in this direction: half way to the first handle of a curve, in the body's frame (m).
    pub leave: Vec3,
    /// The way arrives from here: from the target to the second handle, in the body's frame (m).
    pub arrive: Vec3,
    /// The direction of the elbow when the hand is there, in the body's frame.
    pub elbow: Vec3,
    /// How far the shoulder blade follows (rad).
    pub protraction: f32,
}

impl Span for Punch {
    fn start(&self) -> f32 {
        self.blow.start() - ELBOW_LEAD
    }

    fn end(&self) -> f32 {
        self.blow.end()
    }
}

/// How long before the hand the elbow leaves the guard (s).
const ELBOW_LEAD: f32 = 0.05;

impl Punch {
    /// How far the wrist is from the guard at a time (m), and how far it has gone (-).
    pub fn offset(&self, guard: Vec3, placement: Placement, t: f32) -> (Vec3, f32) {
        let along = self.blow.at(t);
        let points = match along {
            Along::Out(_) => self.way(guard, placement),
            // Fists come back on a straighter, lower way than they went.
            Along::Back(_) => {
                let [guard, _, _, target] = self.way(guard, placement);
                let low = placement.rotation() * (0.25 * self.arrive + Vec3::new(0.0, -0.05, 0.0));
                [guard, guard.lerp(target, 0.33) + low, guard.lerp(target, 0.67) + low, target]
            }
        };
        (bezier(points, along.share()) - guard, along.share())
    }

    /// How far the elbow has gone to where it shall point: at leisure, not with the hand (-).
    pub fn elbow_share(&self, t: f32) -> f32 {
        let start = self.blow.start() - ELBOW_LEAD;
        let rise = smootherstep((t - start) / (self.blow.impact - start));
        rise * smootherstep((self.blow.end() - t) / (self.blow.stay + self.blow.back))
    }

    /// The way out: the points of a cubic Bézier curve (m).
    pub fn way(&self, guard: Vec3, placement: Placement) -> [Vec3; 4] {
        let target = self.aim.in_world(placement);
        let turn = placement.rotation();
        let straight = target - guard;
        let first = guard + straight * 0.33 + turn * self.leave;
        [guard, first, target - straight * 0.33 + turn * self.arrive, target]
    }
}

/// A foot leaves the floor, is drawn up, shoots out to a point, is drawn back, and is set down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kick {
    /// The foot.
    pub side: Side,
    /// When it leaves the floor (s).
    pub lifted: f32,
    /// When it is down again (s).
    pub landed: f32,
    /// How it shoots out.
    pub blow: Blow,
    /// Where the ball of the foot is when the leg is drawn up, in the body's frame (m).
    pub chamber: Vec3,
    /// Where the ball of the foot goes.
    pub aim: Aim,
    /// How far the way bulges, in the body's frame (m): kicks from the side.
    pub bulge: Vec3,
    /// The turn of the sole when drawn up and when there, in the body's frame.
    pub soles: [Quat; 2],
    /// The direction of the knee when drawn up and when there, in the body's frame.
    pub knees: [Vec3; 2],
}

impl Span for Kick {
    fn start(&self) -> f32 {
        self.lifted
    }

    fn end(&self) -> f32 {
        self.landed
    }
}

impl Kick {
    /// The foot at a time, where it would stand there otherwise.
    pub fn foot(&self, standing: FootGoal, placement: Placement, t: f32) -> FootGoal {
        let turn = placement.rotation();
        let rise = (self.blow.impact - 0.7 * self.blow.rise() - self.lifted).max(0.05);
        let fall = (self.landed - self.blow.impact - self.blow.stay - 0.35 * self.blow.back).max(0.05);
        let up = smootherstep((t - self.lifted) / rise) * smootherstep((self.landed - t) / fall);
        let out = self.blow.at(t).share();
        let chamber = placement.point(self.chamber);
        let shot = self.aim.in_world(placement) - chamber;
        let bulge = turn * self.bulge * (4.0 * out * (1.0 - out));
        let drawn = standing.ball.lerp(chamber, up);
        let sole = standing.sole.slerp(turn * self.soles[0], up);
        let knee = standing.knee.normalize_or_zero().lerp(turn * self.knees[0].normalize_or_zero(), up);
        FootGoal {
            ball: drawn + (shot * out + bulge) * up,
            sole: sole.slerp(turn * self.soles[1], out.clamp(0.0, 1.0) * up),
            heel: standing.heel * (1.0 - up),
            knee: knee.lerp(turn * self.knees[1].normalize_or_zero(), self.knee_share(t) * up),
        }
    }

    /// How far the knee has gone to where it points with the leg out: at leisure, not with the foot (-).
    fn knee_share(&self, t: f32) -> f32 {
        let start = self.lifted + 0.4 * (self.blow.impact - self.lifted);
        let rise = smootherstep((t - start) / (self.blow.impact + self.blow.stay - start));
        rise * smootherstep((self.landed - t) / (self.landed - self.blow.impact - self.blow.stay))
    }
}

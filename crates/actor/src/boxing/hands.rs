//! What a boxer does with the hands, the whole body behind them; and how one keeps out of the way.

use glam::Vec3;
use randori_motion::{Annotation, Side};

use crate::curve::{Blow, bezier_length};
use crate::fighter::{Fighter as Boxer, Height, Push};
use crate::limb::{Aim, Punch};
use crate::performer::{other, sign};
use crate::stroke::Channel;

/// A blow of a fist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fist {
    /// Straight ahead: a jab of the leading hand, a straight of the rear one.
    Straight,
    /// From the side.
    Hook,
    /// From below.
    Uppercut,
}

/// What the body does behind a blow of the leading and of the rear hand, all in the direction of the blow.
struct Backing {
    /// How far the chest turns (rad).
    chest: f32,
    /// How far the hips turn (rad).
    hips: f32,
    /// How far the hips go ahead (m).
    ahead: f32,
    /// How far they sink (m).
    crouch: f32,
    /// How far the trunk bends forward (rad).
    bow: f32,
    /// How far the foot on the side of the blow turns about its ball (rad).
    pivot: f32,
    /// How far its heel rises (rad).
    heel: f32,
    /// Greatest speed of the wrist relative to the body (m/s).
    speed: f32,
}

impl Backing {
    fn of(fist: Fist, is_lead: bool) -> Backing {
        let row = |[chest, hips, ahead, crouch, bow, pivot, heel, speed]: [f32; 8]| Backing {
            chest,
            hips,
            ahead,
            crouch,
            bow,
            pivot,
            heel,
            speed,
        };
        match (fist, is_lead) {
            (Fist::Straight, true) => row([0.30, 0.12, 0.09, 0.01, 0.06, 0.05, 0.05, 7.7]),
            (Fist::Straight, false) => row([1.05, 0.75, 0.12, 0.03, 0.10, 0.65, 0.35, 8.2]),
            (Fist::Hook, true) => row([0.65, 0.50, 0.05, 0.02, 0.02, 0.55, 0.30, 6.5]),
            (Fist::Hook, false) => row([1.15, 0.80, 0.10, 0.03, 0.04, 0.65, 0.35, 6.6]),
            (Fist::Uppercut, true) => row([0.40, 0.35, 0.07, 0.0, -0.06, 0.30, 0.25, 6.4]),
            (Fist::Uppercut, false) => row([0.90, 0.70, 0.10, 0.0, -0.04, 0.60, 0.35, 6.6]),
        }
    }
}

impl Boxer {
    /// A blow that arrives at `t`. Returns when the fist is back (s).
    pub fn throw(&mut self, fist: Fist, side: Side, height: Height, t: f32) -> f32 {
        self.throw_at(fist, side, height, t, None)
    }

    /// As [`Boxer::throw`], with a point of the world that the knuckles reach (m).
    pub fn throw_at(&mut self, fist: Fist, side: Side, height: Height, t: f32, target: Option<Vec3>) -> f32 {
        let is_lead = side == self.lead;
        let back = Backing::of(fist, is_lead);
        let power = self.about(0.14);
        let to_front = -sign(side);
        let low = if height == Height::Head { 0.0 } else { 1.0 };
        let shape = Push { peak: t, rise: 0.24, hold: 0.05, fall: 0.40 };

        // Feet first, then hips, chest, and the fist last.
        let (heel, pivot) = foot_channels(side);
        self.push(heel, shape.earlier(0.06), back.heel * power);
        self.push(pivot, shape.earlier(0.06), to_front * back.pivot * power);
        self.push(Channel::HipTurn, shape.earlier(0.045), to_front * back.hips * power);
        self.push(Channel::ChestTurn, shape.earlier(0.015), to_front * back.chest * power);
        self.push(Channel::Ahead, shape.earlier(0.04), back.ahead * power);
        let crouch = back.crouch + 0.085 * low;
        self.push(Channel::Crouch, shape.earlier(0.05), crouch * power);
        self.push(Channel::Bow, shape.earlier(0.02), (back.bow + 0.27 * low) * power);
        if fist == Fist::Uppercut {
            // Down before it goes up.
            let dip = Push { peak: t - 0.16, rise: 0.18, hold: 0.0, fall: 0.22 };
            self.push(Channel::Crouch, dip, 0.07 * power);
            self.push(Channel::Lean, dip, 0.16 * sign(side));
            self.push(Channel::ChestTurn, dip, -to_front * 0.2);
        } else if fist == Fist::Hook {
            let load = Push { peak: t - 0.17, rise: 0.16, hold: 0.0, fall: 0.18 };
            self.push(Channel::ChestTurn, load, -to_front * 0.22);
        }

        let protraction = if fist == Fist::Straight { 0.32 } else { 0.18 };
        let punch = self.aimed(fist, side, height, t, protraction, target);
        let start = t - 0.2;
        let way = punch.way(self.performer.guard(side, start), self.performer.path().at(t));
        let speed = back.speed * self.pace * self.about(0.12) / bezier_length(way).max(0.2);
        let draw = if fist == Fist::Straight { 0.05 } else { 0.0 };
        let blow = Blow { speed, draw, stay: 0.02, back: 0.37 + self.spread(0.03), ..punch.blow };
        self.performer.punch(Punch { blow, ..punch });
        self.free[side as usize] = blow.end();
        let name = match (fist, is_lead) {
            (Fist::Straight, true) => "jab",
            (Fist::Straight, false) => "straight",
            (Fist::Hook, _) => "hook",
            (Fist::Uppercut, _) => "uppercut",
        };
        self.note(Annotation::sided(side, name), blow.start(), Some(t), blow.end());
        blow.end()
    }

    /// The way of a fist, its timing left open.
    fn aimed(
        &mut self,
        fist: Fist,
        side: Side,
        height: Height,
        t: f32,
        protraction: f32,
        target: Option<Vec3>,
    ) -> Punch {
        let out = sign(side);
        let stature = self.performer.figure().stature();
        let arm = self.performer.figure().arm_length();
        let shoulder = self.performer.shoulder(side, protraction, t);
        let own = self.own(shoulder, t);
        let aimed_height = match height {
            Height::Head => 0.885 * stature,
            Height::Body | Height::Legs => 0.70 * stature,
        } + self.spread(0.03);
        let across = self.spread(0.05);
        let (ahead, reach) = match fist {
            Fist::Straight => (Vec3::new(across, aimed_height, 1.15) - own, 0.95 + self.spread(0.03)),
            Fist::Hook => {
                let level = aimed_height - if height == Height::Head { 0.055 * stature } else { 0.02 };
                let ahead = Vec3::new(-0.10 * out + across, level, own.z + 0.36) - own;
                (ahead, 0.80 + self.spread(0.04))
            }
            Fist::Uppercut => {
                let up = if height == Height::Head { aimed_height - 0.04 } else { aimed_height + 0.02 };
                (Vec3::new(0.02 * out + across, up, own.z + 0.36) - own, 0.74 + self.spread(0.04))
            }
        };
        let aim = match target {
            None => Aim::Own(own + ahead.normalize_or(Vec3::Z) * (reach * arm)),
            Some(target) => {
                let along = match fist {
                    Fist::Straight => (target - shoulder).normalize_or(Vec3::Z),
                    // The forearm points in the direction that it comes from, mostly.
                    Fist::Hook => self.performer.path().at(t).rotation() * Vec3::new(-0.75 * out, 0.0, 0.66),
                    Fist::Uppercut => self.performer.path().at(t).rotation() * Vec3::new(0.0, 0.8, 0.6),
                };
                Aim::World(target - along * self.performer.figure().fist())
            }
        };
        let (leave, arrive, elbow) = match fist {
            Fist::Straight => (Vec3::ZERO, Vec3::ZERO, Vec3::new(0.75 * out, -0.8, -0.2)),
            Fist::Hook => (
                Vec3::new(0.24 * out, -0.03, -0.04),
                Vec3::new(0.30 * out, 0.0, 0.06),
                Vec3::new(out, -0.12, -0.5),
            ),
            Fist::Uppercut => (
                Vec3::new(0.05 * out, -0.24, -0.06),
                Vec3::new(0.02 * out, -0.26, 0.05),
                Vec3::new(0.45 * out, -1.0, -0.35),
            ),
        };
        let blow = Blow { impact: t, speed: 1.0, draw: 0.0, stay: 0.0, back: 0.3 };
        Punch { side, blow, aim, leave, arrive, elbow, protraction }
    }

    /// Both fists before the face from `t` on.
    pub fn cover(&mut self, t: f32, hold: f32) -> f32 {
        let shape = Push { peak: t, rise: 0.17, hold, fall: 0.28 };
        self.push(Channel::Cover, shape, 1.0);
        self.push(Channel::Crouch, shape, 0.05);
        self.push(Channel::Bow, shape, 0.10);
        self.push(Channel::HeadNod, shape, 0.18);
        self.note(Annotation::of("guard"), t - 0.17, Some(t + 0.5 * hold), t + hold + 0.28);
        t + hold + 0.25
    }

    /// Sweeps a straight blow aside with one hand.
    pub fn parry(&mut self, side: Side, t: f32) -> f32 {
        let out = sign(side);
        let head = self.own(self.performer.place_of(randori_motion::Bone::Head, t), t);
        let aim = Aim::Own(head + Vec3::new(-0.06 * out, -0.06 + self.spread(0.02), 0.38));
        let blow = Blow { impact: t, speed: 10.0, draw: 0.0, stay: 0.03, back: 0.25 };
        let elbow = Vec3::new(0.6 * out, -1.0, -0.1);
        let leave = Vec3::new(0.03 * out, 0.02, 0.0);
        let arrive = Vec3::new(0.07 * out, 0.03, 0.0);
        self.performer.punch(Punch { side, blow, aim, leave, arrive, elbow, protraction: 0.08 });
        let shape = Push { peak: t, rise: 0.18, hold: 0.04, fall: 0.28 };
        self.push(Channel::ChestTurn, shape, -0.22 * out);
        self.push(Channel::Lean, shape, 0.08 * out);
        self.note(Annotation::of("parry"), blow.start(), Some(t), blow.end());
        blow.end()
    }

    /// Bends back out of the way.
    pub fn sway(&mut self, t: f32) -> f32 {
        let shape = Push { peak: t, rise: 0.22, hold: 0.08, fall: 0.36 };
        let power = self.about(0.15);
        self.push(Channel::Bow, shape, -0.62 * power);
        self.push(Channel::Ahead, shape.earlier(0.02), -0.13 * power);
        self.push(Channel::Crouch, shape, 0.03);
        self.push(Channel::HeadNod, shape, 0.15);
        self.note(Annotation::of("sway-back"), t - 0.22, Some(t + 0.04), t + 0.44);
        t + 0.40
    }

    /// Brings the head to one side.
    pub fn slip(&mut self, side: Side, t: f32) -> f32 {
        let out = sign(side);
        let shape = Push { peak: t, rise: 0.20, hold: 0.05, fall: 0.30 };
        let power = self.about(0.15);
        self.push(Channel::Lean, shape, 0.42 * out * power);
        self.push(Channel::Aside, shape.earlier(0.03), 0.09 * out * power);
        self.push(Channel::Crouch, shape.earlier(0.03), 0.08 * power);
        self.push(Channel::Bow, shape, 0.12);
        self.push(Channel::ChestTurn, shape, 0.35 * out * power);
        let name = if side == Side::Left { "slip-left" } else { "slip-right" };
        self.note(Annotation::of(name), t - 0.20, Some(t + 0.02), t + 0.35);
        t + 0.30
    }

    /// Goes down under a blow.
    pub fn duck(&mut self, t: f32) -> f32 {
        let shape = Push { peak: t, rise: 0.26, hold: 0.08, fall: 0.36 };
        let power = self.about(0.12);
        self.push(Channel::Crouch, shape, 0.24 * power);
        self.push(Channel::Bow, shape.earlier(0.02), 0.42 * power);
        self.push(Channel::HeadNod, shape, -0.15);
        let (heel, _) = foot_channels(other(self.lead));
        self.push(heel, shape, 0.25);
        self.note(Annotation::of("duck"), t - 0.26, Some(t + 0.04), t + 0.44);
        t + 0.40
    }
}

/// The channels of a foot: its heel and its turn.
pub(crate) fn foot_channels(side: Side) -> (Channel, Channel) {
    match side {
        Side::Left => (Channel::LeftHeel, Channel::LeftPivot),
        Side::Right => (Channel::RightHeel, Channel::RightPivot),
    }
}

//! What a boxer does with the legs: kicks.

use glam::{Mat3, Quat, Vec3};
use randori_motion::{Annotation, Ground, Placement, Side};

use super::hands::foot_channels;
use crate::curve::Blow;
use crate::fighter::{Fighter as Boxer, Height, Push};
use crate::footwork::Plant;
use crate::limb::{Aim, Kick, Punch};
use crate::performer::{other, sign};
use crate::stroke::Channel;

/// A kick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leg {
    /// The sole goes straight ahead.
    Front,
    /// The instep comes from the side: a roundhouse, or a low kick.
    Round,
}

impl Boxer {
    /// A kick that begins with the feet on the floor at `t`. Returns when the foot is down again (s).
    pub fn kick(&mut self, leg: Leg, side: Side, height: Height, t: f32) -> f32 {
        let figure = self.performer.figure();
        let (stature, leg_length) = (figure.stature(), figure.leg_length());
        let out = sign(side);
        let support = other(side);
        let is_lead = side == self.lead;
        let power = self.about(0.1);
        let lifted = t + 0.13;
        let impact = lifted + if is_lead { 0.45 } else { 0.51 } + self.spread(0.02);
        let landed = impact + if height == Height::Legs { 0.54 } else { 0.63 };

        // The weight goes over the other foot first and stays there until the foot is down.
        let standing = Push { peak: lifted + 0.06, rise: 0.24, hold: landed - lifted - 0.14, fall: 0.30 };
        self.push(Channel::Load, standing, sign(support) * 0.72);
        let shape = Push { peak: impact, rise: 0.32, hold: 0.06, fall: 0.44 };
        let (heel, pivot) = foot_channels(support);
        match leg {
            Leg::Front => {
                let high = if height == Height::Head { 1.0 } else { 0.0 };
                self.push(Channel::HipTurn, shape.earlier(0.04), -out * if is_lead { 0.15 } else { 0.7 });
                self.push(Channel::ChestTurn, shape.earlier(0.02), -out * if is_lead { -0.1 } else { 0.55 });
                self.push(Channel::Bow, shape.earlier(0.03), -0.34 - 0.2 * high);
                self.push(Channel::HipBow, shape.earlier(0.03), -0.30 - 0.15 * high);
                self.push(Channel::Ahead, shape, 0.06 * power);
                self.push(pivot, shape.earlier(0.05), -out * 0.25);
                self.push(Channel::Crouch, standing, -0.015);
            }
            Leg::Round => {
                let (turn, lean) = match height {
                    Height::Legs => (0.75, 0.12),
                    Height::Body => (1.0, 0.34),
                    Height::Head => (1.1, 0.52),
                };
                let turn = turn * if is_lead { 0.7 } else { 1.0 };
                self.push(Channel::HipTurn, shape.earlier(0.05), -out * turn * power);
                self.push(Channel::ChestTurn, shape.earlier(0.0), -out * 0.65 * turn * power);
                self.push(Channel::Lean, shape.earlier(0.03), -out * lean);
                self.push(Channel::HipLean, shape.earlier(0.03), -out * 0.8 * lean);
                self.push(
                    Channel::Bow,
                    shape.earlier(0.02),
                    if height == Height::Legs { -0.08 } else { -0.28 },
                );
                self.push(pivot, shape.earlier(0.07), -out * 0.9 * turn);
                self.push(heel, shape.earlier(0.04), 0.2);
                self.push(Channel::Crouch, standing, if height == Height::Legs { 0.02 } else { -0.02 });
            }
        }

        self.counter(leg, side, impact);
        let hip = self.own(self.performer.hip(side, impact), impact);
        let aimed_height = match height {
            Height::Head => 0.83,
            Height::Body => 0.60,
            Height::Legs => 0.24,
        } * stature
            + self.spread(0.04);
        let (kick, speed) = match leg {
            Leg::Front => {
                let soles = [Quat::from_rotation_x(0.5), Quat::from_rotation_x(-1.05)];
                let to = Vec3::new(0.0, aimed_height - 0.05, 1.2) - hip;
                let ankle = hip + to.normalize_or(Vec3::Z) * (0.95 * leg_length);
                let drawn = hip + Vec3::new(0.02 * out, -0.16, 0.30) * (leg_length / 0.83);
                let knees = [Vec3::new(0.10 * out, 0.4, 0.9), Vec3::new(0.05 * out, 0.9, 0.5)];
                (self.kick_from(side, drawn, ankle, Vec3::new(0.0, -0.02, 0.0), soles, knees), 10.8)
            }
            Leg::Round => {
                let to = Vec3::new(-0.12 * out, aimed_height, 0.85) - hip;
                let to = to.normalize_or(Vec3::Z);
                let ankle = hip + to * (0.965 * leg_length);
                // The instep leads: toes along the shin, turned into the swing.
                let swing = Vec3::new(-out, 0.0, 0.0);
                let toes = (0.62 * swing + 0.78 * to).normalize();
                let soles = [
                    sole(Vec3::new(-0.2 * out, -0.75, 0.3), Vec3::new(-0.3 * out, 0.3, 0.9)),
                    sole(toes, 0.78 * swing - 0.62 * to),
                ];
                let low = if height == Height::Legs { 1.0 } else { 0.0 };
                let drawn = hip + Vec3::new(0.26 * out, -0.34 - 0.16 * low, -0.16) * (leg_length / 0.83);
                let knees = [Vec3::new(0.5 * out, 0.35, 0.9), Vec3::new(-0.7 * out, 0.45, 0.35)];
                (self.kick_from(side, drawn, ankle, Vec3::new(0.20 * out, 0.0, 0.06), soles, knees), 11.3)
            }
        };
        let Aim::Own(ball) = kick.aim else { return landed };
        let way = (ball - kick.chamber).length() + kick.bulge.length();
        let blow = Blow {
            impact,
            speed: speed * (0.5 + 0.5 * self.pace) * self.about(0.08) / way.max(0.3),
            draw: 0.0,
            stay: 0.02,
            back: landed - impact - 0.12,
        };
        self.performer.kick(Kick { lifted, landed, blow, ..kick });
        let stray =
            Placement { position: Ground { x: self.spread(0.03), z: self.spread(0.04) }, heading: 0.0 };
        let placement = self.performer.foot_place(self.performer.path().last(), side, self.lead).then(stray);
        self.performer.step(side, Plant { landed, swing: landed - lifted, lift: 0.0, placement });
        self.landed = landed;
        let name = match (leg, height) {
            (Leg::Front, _) => "front-kick",
            (Leg::Round, Height::Legs) => "low-kick",
            (Leg::Round, _) => "roundhouse",
        };
        self.note(Annotation::sided(side, name), lifted - 0.1, Some(impact), landed);
        landed
    }

    /// The arm on the side of the kick swings against it.
    fn counter(&mut self, leg: Leg, side: Side, impact: f32) {
        let out = sign(side);
        let shoulder = self.own(self.performer.shoulder(side, 0.0, impact), impact);
        let to = match leg {
            Leg::Front => Vec3::new(0.14 * out, -0.36, 0.14),
            Leg::Round => Vec3::new(0.26 * out, -0.40, -0.02),
        };
        let blow = Blow { impact, speed: 3.6, draw: 0.0, stay: 0.03, back: 0.42 };
        let leave = Vec3::new(0.10 * out, -0.02, 0.08);
        let elbow = Vec3::new(0.35 * out, -0.35, -1.0);
        self.performer.punch(Punch {
            side,
            blow,
            aim: Aim::Own(shoulder + to),
            leave,
            arrive: leave,
            elbow,
            protraction: 0.0,
        });
        self.free[side as usize] = blow.end();
    }

    /// A kick between two places of the ankle in the body's frame (m), its timing left open.
    fn kick_from(
        &self,
        side: Side,
        drawn: Vec3,
        ankle: Vec3,
        bulge: Vec3,
        soles: [Quat; 2],
        knees: [Vec3; 2],
    ) -> Kick {
        let figure = self.performer.figure();
        Kick {
            side,
            lifted: 0.0,
            landed: 0.0,
            blow: Blow { impact: 0.0, speed: 1.0, draw: 0.0, stay: 0.0, back: 0.3 },
            chamber: figure.ball_below(side, drawn, soles[0]),
            aim: Aim::Own(figure.ball_below(side, ankle, soles[1])),
            bulge,
            soles,
            knees,
        }
    }
}

/// The turn of a sole whose toes point one way and whose instep faces another.
fn sole(toes: Vec3, instep: Vec3) -> Quat {
    let z = toes.normalize_or(Vec3::Z);
    let x = instep.cross(z).normalize_or(Vec3::X);
    Quat::from_mat3(&Mat3::from_cols(x, z.cross(x), z))
}

//! Somebody who stands in a crowd: steps, and what comes over them.

use glam::Vec3;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use randori_motion::Side;

use super::Event;
use super::pushes::Push;
use crate::falling::{Descent, Fall};
use crate::performer::sign;
use crate::running::act::Act;
use crate::running::draft::Draft;
use crate::running::gait::{Gait, STAND};
use crate::running::plan::Order;
use crate::running::player::{Pace, Player, Who};
use crate::stroke::Channel;

pub(super) struct Bystander<'a> {
    draft: Draft<'a>,
}

impl<'a> Bystander<'a> {
    pub(super) fn new(rng: &'a mut ChaCha8Rng, who: Who, first: Side) -> Bystander<'a> {
        let mut player = Player::new(rng, who, first);
        player.stand(0.05);
        player.stand(0.4);
        Bystander { draft: Draft::new(player, first) }
    }

    /// How long all that was done takes (s).
    pub(super) fn seconds(&self) -> f32 {
        self.draft.player.seconds
    }

    pub(super) fn rng(&mut self) -> &mut ChaCha8Rng {
        self.draft.player.rng
    }

    /// Stands until so many seconds are over; what comes of it all.
    pub(super) fn rest(mut self, seconds: f32) -> Act {
        let left = seconds - self.draft.player.seconds;
        self.draft.player.stand(left.max(0.0) + 0.5);
        self.draft.act()
    }

    /// One event, and a moment to get over it.
    pub(super) fn suffer(&mut self, event: Event) {
        match event {
            Event::Wait => self.wait(),
            Event::Look(side) => self.look(side),
            Event::Turn(side) => self.turn(side),
            Event::Walk => self.walk(),
            Event::StepAside(side, way) => self.step_aside(side, way),
            Event::Fright => self.fright(),
            Event::Push(push) => self.pushed(push),
            Event::Stumble => self.stumble(),
            Event::Fall(fall) => self.fall(fall),
        }
        let seconds = self.draft.spread(0.55, 0.15);
        self.draft.player.stand(seconds);
    }

    /// Makes it this foot's turn to step.
    fn until(&mut self, foot: Side) {
        if self.draft.player.side != foot {
            self.draft.player.stand(0.34);
        }
    }

    /// A way of stepping about near where one stands.
    fn nimble(&self, period: f32, swing: f32) -> Gait {
        Gait {
            period,
            swing,
            level: 0.955,
            width: 0.062,
            push: 0.55,
            fold: 0.55,
            fold_height: 0.05,
            pass_height: 0.03,
            hip_drop: 0.03,
            arm_swing: 0.10,
            elbow: 0.45,
            lean: 0.05,
            ..STAND
        }
    }

    fn wait(&mut self) {
        let start = self.draft.player.seconds;
        let seconds = self.draft.spread(1.5, 0.3);
        let side = if self.draft.player.rng.random_bool(0.5) { 1.0 } else { -1.0 };
        let (rise, fall) = (0.55, 0.6);
        let hold = seconds - rise - fall - 0.1;
        for (channel, amount) in [
            (Channel::Aside, 0.045 * side),
            (Channel::HipLean, 0.06 * side),
            (Channel::Lean, -0.05 * side),
            (Channel::HeadTurn, -0.22 * side),
            (Channel::ChestTurn, -0.06 * side),
        ] {
            self.draft.stroke(channel, start + 0.05, [rise, hold, fall], amount);
        }
        self.draft.player.stand(seconds);
        self.draft.note("idle", start, None);
    }

    /// The eyes go first, head, chest and hips follow.
    fn look(&mut self, to: Option<Side>) {
        let start = self.draft.player.seconds;
        let first =
            to.unwrap_or(if self.draft.player.rng.random_bool(0.5) { Side::Left } else { Side::Right });
        let mut glance = |at: f32, side: Side, hold: f32, share: f32| {
            let out = sign(side) * share;
            for (channel, delay, rise, amount) in [
                (Channel::HeadTurn, 0.0, 0.34, 1.0 * out),
                (Channel::ChestTurn, 0.07, 0.42, 0.34 * out),
                (Channel::HipTurn, 0.13, 0.45, 0.13 * out),
                (Channel::Aside, 0.1, 0.45, 0.02 * out),
                (Channel::HeadNod, 0.0, 0.3, 0.06),
            ] {
                self.draft.stroke(channel, at + delay, [rise, hold - delay, 0.42], amount);
            }
        };
        let name = match to {
            Some(side) => {
                glance(start + 0.04, side, 0.5, 1.0);
                if side == Side::Left { "look-left" } else { "look-right" }
            }
            None => {
                glance(start + 0.04, first, 0.38, 1.0);
                glance(start + 0.86, first.other(), 0.42, 1.05);
                "look-around"
            }
        };
        let seconds = if to.is_some() { 1.36 } else { 2.25 };
        self.draft.player.stand(0.5 * seconds);
        self.draft.player.stand(0.5 * seconds);
        let peak = if to.is_some() { start + 0.6 } else { start + 0.95 };
        self.draft.note(name, start, Some(peak));
    }

    /// Round on the spot in small steps.
    fn turn(&mut self, to: Side) {
        self.until(to.other());
        let start = self.draft.player.seconds;
        let angle = sign(to) * self.draft.spread(1.1, 0.3);
        let gait = self.nimble(0.40, 0.30);
        self.draft.stroke(Channel::HeadTurn, start, [0.3, 0.2, 0.5], 0.3 * sign(to));
        for (k, share) in [0.0, 0.45, 0.45, 0.1].into_iter().enumerate() {
            self.draft.player.step(Order {
                stays: k == 0,
                turn: share * angle,
                ..Order::ahead("idle", gait, 0.0)
            });
        }
        self.draft.note(if to == Side::Left { "turn-left" } else { "turn-right" }, start, None);
    }

    /// A few steps ahead, round a corner perhaps.
    fn walk(&mut self) {
        let start = self.draft.player.seconds;
        self.draft.player.start(Pace::Walk);
        let turn = self.draft.player.way(0.6);
        let angle = turn * self.draft.spread(0.6, 0.3);
        self.draft.player.stride(0.5 * angle);
        self.draft.player.stride(0.5 * angle);
        self.draft.player.cruise(1);
        self.draft.note("walk", start + 0.9, None);
        self.draft.player.stop();
    }

    /// Room for somebody: two quick steps, facing on.
    fn step_aside(&mut self, to: Side, way: i8) {
        // The far foot pushes, the near one goes first.
        self.until(to.other());
        let start = self.draft.player.seconds;
        let speed = self.draft.spread(0.95, 0.1);
        let slant = if way == 0 { 1.0 } else { 0.76 };
        let (aside, ahead) = (slant * sign(to) * speed, slant * f32::from(way) * speed);
        let gait = self.nimble(0.34, 0.25);
        let turn = -0.12 * sign(to);
        for (k, share) in [0.75, 1.0, 0.35, 0.0].into_iter().enumerate() {
            self.draft.player.step(Order {
                aside: share * aside,
                turn: if k < 2 { turn } else { -turn },
                stays: k == 0,
                tips: 0.4,
                ..Order::ahead("idle", gait, share * ahead)
            });
        }
        self.draft.stroke(Channel::HeadTurn, start, [0.25, 0.3, 0.45], -0.35 * sign(to));
        for side in Side::BOTH {
            let by = Vec3::new(0.05 * sign(side), 0.10, 0.10);
            self.draft.fling(side, [start + 0.1, 0.3, 0.2, 0.5], by);
        }
        let name = match (to, way) {
            (Side::Left, 0) => "step-aside-left",
            (Side::Right, 0) => "step-aside-right",
            (Side::Left, 1) => "step-aside-forward-left",
            (Side::Right, 1) => "step-aside-forward-right",
            (Side::Left, _) => "step-aside-back-left",
            (Side::Right, _) => "step-aside-back-right",
        };
        self.draft.note(name, start, Some(start + 0.62));
    }

    /// A start of the whole body, then back with both feet at once.
    fn fright(&mut self) {
        self.draft.player.stand(0.15);
        let start = self.draft.player.seconds;
        let speed = -self.draft.spread(1.75, 0.2);
        let spring = Gait { lean: 0.08, level: 0.945, ..self.nimble(0.10, 0.25) };
        let stays =
            |gait: Gait, ahead: f32| Order { stays: true, tips: 0.3, ..Order::ahead("idle", gait, ahead) };
        self.draft.player.step(stays(Gait { period: 0.12, ..spring }, 0.0));
        self.draft.player.step(stays(Gait { period: 0.33, ..spring }, speed));
        for (period, swing, share) in
            [(0.05, 0.25, 0.9), (0.34, 0.25, 0.25), (0.36, 0.26, 0.0), (0.36, 0.26, 0.0)]
        {
            let gait = Gait { period, swing, push: 0.3, ..spring };
            self.draft.player.step(Order { tips: 0.3, ..Order::ahead("idle", gait, share * speed) });
        }
        for (channel, delay, [rise, hold, fall], amount) in [
            (Channel::Crouch, 0.0, [0.16, 0.0, 0.18], 0.07),
            (Channel::Bow, 0.0, [0.14, 0.30, 0.7], 0.20),
            (Channel::HeadNod, 0.0, [0.10, 0.25, 0.6], -0.22),
            (Channel::Crouch, 0.42, [0.16, 0.05, 0.5], 0.07),
        ] {
            self.draft.stroke(channel, start + delay, [rise, hold, fall], amount);
        }
        for side in Side::BOTH {
            let late = 0.03 * self.draft.player.rng.random::<f32>();
            let by = Vec3::new(0.02 * sign(side), 0.46, 0.24);
            self.draft.fling(side, [start + late, 0.2, 0.42, 0.6], by);
        }
        self.draft.note("jump-back", start, Some(start + 0.36));
    }

    /// The body is driven off, the feet come after it.
    fn pushed(&mut self, push: Push) {
        let way = push.sends();
        let aside =
            if way.x.abs() > 0.3 { Some(if way.x > 0.0 { Side::Left } else { Side::Right }) } else { None };
        if let Some(near) = aside {
            self.until(near.other());
        }
        let start = self.draft.player.seconds + 0.02;
        let power = if push.is_hard { 1.0 } else { 0.55 } * self.draft.about(0.1);
        let speed = if push.is_hard { self.draft.spread(1.55, 0.15) } else { self.draft.spread(0.62, 0.06) };
        let shares: &[f32] = if push.is_hard { &[1.0, 0.85, 0.5, 0.18, 0.0] } else { &[1.0, 0.3, 0.0] };
        let gait = self.nimble(0.28, 0.21);
        let turn = self.draft.spread(0.0, 0.08) - 0.05 * way.x;
        for (k, share) in shares.iter().enumerate() {
            let gait =
                Gait { period: if k == 0 { 0.33 } else { gait.period * self.draft.about(0.06) }, ..gait };
            self.draft.player.step(Order {
                aside: share * speed * way.x,
                turn: turn * share,
                stays: k == 0,
                driven: k == 0,
                tips: 0.25,
                ..Order::ahead("idle", gait, share * speed * way.z)
            });
        }
        self.give_way(start, way, power);
        self.draft.note(push.name(), start - 0.02, Some(start + 0.3));
    }

    /// Trunk, head and hands are sent a way by a push of some power (1 is hard).
    fn give_way(&mut self, start: f32, way: Vec3, power: f32) {
        for (channel, [delay, rise, hold, fall], amount) in Push::strokes(way, power) {
            self.draft.stroke(channel, start + delay, [rise, hold, fall], amount);
        }
        for side in Side::BOTH {
            let [behind, balance] = Push::flings(way, power, side);
            let late = 0.04 * self.draft.player.rng.random::<f32>();
            self.draft.fling(side, [start + 0.02, 0.13, 0.02, 0.24], behind);
            self.draft.fling(side, [start + 0.14 + late, 0.22, 0.10 + 0.25 * power, 0.6], balance);
        }
    }

    /// The toes of a walker catch: the trunk goes on, and quick long steps get the feet under it again.
    fn stumble(&mut self) {
        self.draft.player.start(Pace::Walk);
        self.draft.player.cruise(1);
        let start = self.draft.player.seconds;
        let speed = self.draft.player.usual(Pace::Walk);
        let gait = Gait { level: 0.93, lean: 0.10, ..self.nimble(0.36, 0.30) };
        for (k, share) in [1.1, 1.25, 1.0, 0.75].into_iter().enumerate() {
            let period = [0.30, 0.32, 0.36, 0.42][k] * self.draft.about(0.05);
            let gait = Gait { period, swing: 0.26, fold_height: 0.07, ..gait };
            self.draft.player.step(Order {
                tips: 0.2,
                driven: k == 0,
                ..Order::ahead("idle", gait, share * speed)
            });
        }
        for (channel, delay, [rise, hold, fall], amount) in [
            (Channel::Bow, 0.0, [0.22, 0.18, 0.6], 0.62),
            (Channel::HipBow, 0.0, [0.22, 0.18, 0.6], 0.10),
            (Channel::Crouch, 0.05, [0.25, 0.2, 0.5], 0.07),
            (Channel::HeadNod, 0.0, [0.16, 0.25, 0.6], -0.2),
        ] {
            self.draft.stroke(channel, start + delay, [rise, hold, fall], amount);
        }
        for side in Side::BOTH {
            let late = 0.06 * self.draft.player.rng.random::<f32>();
            let by = Vec3::new(0.16 * sign(side), 0.16, 0.34);
            self.draft.fling(side, [start + 0.04 + late, 0.2, 0.25, 0.6], by);
        }
        self.draft.note("stumble", start, Some(start + 0.3));
        self.draft.player.pace = Pace::Walk;
        self.draft.player.stop();
    }

    /// Pushed over: down, still for a moment, and up again.
    fn fall(&mut self, fall: Fall) {
        let lies = self.draft.spread(0.45, 0.2);
        let mut descent = Descent::of(fall, 0.0, lies);
        let is_mirrored =
            matches!(fall, Fall::Back | Fall::Forward) && self.draft.player.rng.random_bool(0.5);
        if is_mirrored {
            descent = descent.mirrored();
        }
        let pace = self.draft.about(0.05);
        let descent = descent.paced(pace);
        let name = match fall {
            Fall::Back => "fall-back",
            Fall::Aside(Side::Left) => "fall-left",
            Fall::Aside(Side::Right) => "fall-right",
            _ => "fall-forward",
        };
        self.draft.fall(name, descent);
    }
}

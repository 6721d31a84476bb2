//! Somebody who plays football: steps, leaps, spins and falls.

use std::f32::consts::TAU;

use glam::Vec3;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use randori_motion::Side;

use super::{BEHIND, LEFT, LEGS, Play, RIGHT};
use crate::falling::{Descent, Fall};
use crate::performer::sign;
use crate::running::act::Act;
use crate::running::draft::Draft;
use crate::running::gait::Gait;
use crate::running::plan::Order;
use crate::running::player::{COMING_TO_A_STAND, Pace, Player, Who};
use crate::stroke::Channel;

pub(super) struct Footballer<'a> {
    draft: Draft<'a>,
}

impl<'a> Footballer<'a> {
    pub(super) fn new(rng: &'a mut ChaCha8Rng, who: Who, first: Side, ball: Option<Side>) -> Footballer<'a> {
        let mut player = Player::new(rng, who, first);
        player.ball = ball;
        player.stand(0.05);
        player.stand(0.5);
        player.start(Pace::Run);
        Footballer { draft: Draft::new(player, first) }
    }

    /// When somebody could stand again (s).
    pub(super) fn busy_until(&self) -> f32 {
        self.draft.player.seconds + COMING_TO_A_STAND
    }

    pub(super) fn rng(&mut self) -> &mut ChaCha8Rng {
        self.draft.player.rng
    }

    /// Runs on until it is time to stop; what comes of it all.
    pub(super) fn rest(mut self, seconds: f32) -> Act {
        while self.busy_until() < seconds {
            self.draft.player.cruise(1);
        }
        self.draft.player.stop();
        let left = seconds - self.draft.player.seconds;
        self.draft.player.stand(left.max(0.0) + 0.5);
        self.draft.act_with_steps()
    }

    /// One play, at a run before and after.
    pub(super) fn make(&mut self, play: Play) {
        let player = &mut self.draft.player;
        match play {
            Play::Turn(angle) => {
                let way = player.way(angle);
                player.turn(way * angle);
            }
            Play::QuickStep(side) => {
                let aside = player.rng.random_range(0.75..1.0);
                let asides = [1.0, 0.5, 0.4].map(|share| share * aside);
                player.sidestep(side, ("quick-step-left", "quick-step-right"), asides, 0.95, 0.0);
            }
            Play::Dodge(side) => {
                let aside = player.rng.random_range(1.7..2.1);
                let asides = [1.0, 0.55, 0.4].map(|share| share * aside);
                player.sidestep(side, ("dodge-left", "dodge-right"), asides, 0.8, 0.04);
            }
            Play::Spin(side) => self.spin(side),
            Play::JumpOver => self.jump_over(),
            Play::Sprint => self.change_and_back(Pace::Sprint),
            Play::Jog => self.change_and_back(Pace::Jog),
            Play::Halt(side) => self.halt(side),
            Play::Down(fall) => self.down(fall),
        }
    }

    fn change_and_back(&mut self, pace: Pace) {
        let player = &mut self.draft.player;
        player.change(pace);
        let turn = player.way(0.4);
        player.turn(0.4 * turn);
        player.change(Pace::Run);
    }

    /// Once round to one side on the way ahead, over four short steps, low.
    fn spin(&mut self, to: Side) {
        self.draft.player.until(to);
        let start = self.draft.player.seconds;
        let name = if to == Side::Left { "spin-left" } else { "spin-right" };
        let way = sign(to);
        let speed = self.draft.player.speed(Pace::Run);
        let mut turned = 0.0;
        let steps = [(0.16, 0.80), (0.30, 0.66), (0.32, 0.66), (0.22, 0.78)];
        for (share, slow) in steps {
            let turn = way * share * TAU;
            turned += turn;
            let mut gait = self.draft.player.in_rhythm(speed * slow);
            gait.level -= 0.055;
            gait.period = 0.30;
            gait.swing = 0.39;
            gait.width = 0.065;
            gait.arm_swing *= 0.3;
            let (ahead, aside) = (libm::cosf(turned), -libm::sinf(turned));
            self.draft.player.step(Order {
                turn,
                aside: speed * slow * aside,
                pivots: true,
                tips: 0.2,
                ..Order::ahead("run", gait, speed * slow * ahead)
            });
        }
        let seconds = self.draft.player.seconds - start;
        self.draft.note(name, start, Some(start + 0.5 * seconds));
        self.draft.stroke(Channel::ChestTurn, start - 0.05, [0.3, 0.3, 0.5], 0.25 * way);
        self.draft.stroke(Channel::Bow, start - 0.05, [0.3, 0.5 * seconds, 0.5], 0.20);
        self.draft.stroke(Channel::Lean, start, [0.35, 0.3, 0.4], 0.10 * way);
        self.draft.player.cruise(2);
    }

    /// A leap off one foot, knees high, arms out.
    fn jump_over(&mut self) {
        let player = &mut self.draft.player;
        player.cruise(1);
        let speed = player.speed(Pace::Run) * 0.92;
        let run = player.in_rhythm(speed);
        let start = player.seconds;
        let flight = player.rng.random_range(0.46..0.54);
        let period = STANCE + flight;
        let leap = Gait { period, ..run };
        player.step(Order::ahead("run", leap, speed));
        self.draft.note("jump-over", start, Some(start + STANCE + 0.5 * flight));
        let player = &mut self.draft.player;
        // The knee that leads comes up in front, the other one follows beside the trunk.
        let lands = Gait {
            swing: period + 0.02,
            haste: 1.0,
            fold_height: 0.22,
            pass_height: 0.26,
            level: run.level - 0.03,
            ..run
        };
        player.step(Order::ahead("run", lands, speed));
        let follows = Gait {
            swing: period + lands.period - STANCE,
            fold_height: 0.27,
            pass_height: 0.20,
            fold: 1.3,
            ..run
        };
        player.step(Order::ahead("run", follows, speed));
        let takeoff = start + STANCE;
        let ball = player.ball;
        self.draft.stroke(Channel::Crouch, start - 0.25, [0.25, 0.0, 0.2], 0.04);
        self.draft.stroke(Channel::Bow, takeoff - 0.1, [0.25, 0.15, 0.4], 0.22);
        for side in Side::BOTH.into_iter().filter(|side| Some(*side) != ball) {
            let by = Vec3::new(0.28 * sign(side), 0.22, 0.10);
            self.draft.fling(side, [takeoff - 0.08, 0.26, 0.16, 0.4], by);
        }
        self.draft.player.cruise(2);
    }

    fn halt(&mut self, to: Option<Side>) {
        let player = &mut self.draft.player;
        player.stop();
        let seconds = player.rng.random_range(0.3..0.5);
        player.stand(seconds);
        let speed = player.rng.random_range(0.85..1.05);
        match to {
            Some(Side::Left) => player.shuffle("step-left", 0.0, speed, Side::Left),
            Some(Side::Right) => player.shuffle("step-right", 0.0, -speed, Side::Right),
            None => {}
        }
        player.start(Pace::Run);
    }

    /// Brought down, or diving at somebody; up again and on.
    fn down(&mut self, fall: Fall) {
        let player = &mut self.draft.player;
        let name = match fall {
            Fall::Back => "fall-back",
            Fall::Forward => "fall-forward",
            Fall::Aside(Side::Left) => "fall-left",
            Fall::Aside(Side::Right) => "fall-right",
            Fall::TackledFront => "tackled-front",
            Fall::TackledSide(Side::Left) => "tackled-left",
            Fall::TackledSide(Side::Right) => "tackled-right",
            Fall::TackledBehind => "tackled-behind",
            Fall::Dive(dive) if dive == LEGS => "tackle-legs",
            Fall::Dive(dive) if dive == LEFT => "tackle-left",
            Fall::Dive(dive) if dive == RIGHT => "tackle-right",
            Fall::Dive(dive) if dive == BEHIND => "tackle-behind",
            Fall::Dive(_) => "tackle-waist",
        };
        match fall {
            Fall::Back | Fall::Forward | Fall::Aside(_) => {
                player.stop();
                player.stand(0.3);
            }
            Fall::Dive(dive) if dive == BEHIND => player.change(Pace::Sprint),
            _ => player.cruise(1),
        }
        let speed = player.orders.last().map_or(0.0, |order| order.ahead) / player.who.stature;
        let lies = player.rng.random_range(0.3..0.7);
        let mut descent = Descent::of(fall, speed, lies);
        let is_sided = matches!(fall, Fall::Aside(_) | Fall::TackledSide(_))
            || matches!(fall, Fall::Dive(dive) if dive.yaw != 0.0);
        if !is_sided && player.rng.random_bool(0.5) {
            descent = descent.mirrored();
        }
        if let Some(arm) = player.ball {
            descent = descent.holding(arm);
        }
        let pace = player.rng.random_range(0.96..1.04);
        self.draft.fall(name, descent.paced(pace));
        self.draft.player.start(Pace::Run);
    }
}

/// How long the foot stands from which somebody leaps (s).
const STANCE: f32 = 0.18;

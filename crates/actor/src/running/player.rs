//! Somebody who goes about on foot: paces, steps and turns from which a choreography is made.

use std::f32::consts::PI;

use rand::{Rng, RngExt};
use randori_motion::{Annotation, FrameRate, Side};

use super::gait::{Gait, STAND};
use super::plan::Order;
use crate::performance::Temperament;

pub(crate) struct Player<'a, R> {
    pub(crate) rng: &'a mut R,
    pub(crate) who: Who,
    /// The foot of the next step.
    pub(crate) side: Side,
    /// The arm that holds a ball, if there is one.
    pub(crate) ball: Option<Side>,
    pub(crate) orders: Vec<Order>,
    /// How long they take together (s).
    pub(crate) seconds: f32,
    pub(crate) pace: Pace,
    /// Turns to the left less turns to the right (rad), by pace.
    turned: [f32; 5],
    /// Where about the player is: they come back to the middle (m).
    x: f32,
    z: f32,
    heading: f32,
}

/// Who plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Who {
    pub(crate) temperament: Temperament,
    /// From sole to crown (m).
    pub(crate) stature: f32,
    /// How many takes they have played before.
    pub(crate) take: u64,
}

/// How fast somebody goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    Stand,
    Walk,
    Jog,
    Run,
    Sprint,
}

/// How far from the middle players go before they turn back (m).
const FIELD: f32 = 8.0;
/// Turns of more than this (rad) can lead back.
const LARGE_TURN: f32 = 1.3;
/// Turns of less than this in one step are not meant (rad).
const STRAIGHT: f32 = 0.07;
/// How long it takes from a run to a stand (s), about.
pub(crate) const COMING_TO_A_STAND: f32 = 2.6;
/// Slower than this nobody runs (m/s).
const SLOWEST_RUN: f32 = 1.8;
/// Slower runs than this are called jogs (m/s).
const SLOWEST_FAST_RUN: f32 = 3.6;

impl<'a, R: Rng> Player<'a, R> {
    /// Somebody who stands in the middle and begins with one foot.
    pub(crate) fn new(rng: &'a mut R, who: Who, first: Side) -> Player<'a, R> {
        let even = if who.take.is_multiple_of(2) { 1.0 } else { -1.0 };
        Player {
            rng,
            who,
            side: first,
            ball: None,
            orders: Vec::new(),
            seconds: 0.0,
            pace: Pace::Stand,
            turned: [0.5, -0.5, 0.5, -0.5, 0.5].map(|turned| even * turned),
            x: 0.0,
            z: 0.0,
            heading: 0.0,
        }
    }

    /// The usual speed of a pace (m/s).
    pub(crate) fn usual(&self, pace: Pace) -> f32 {
        let eager = if self.who.temperament == Temperament::Fierce { 1.08 } else { 0.97 };
        let usual = match pace {
            Pace::Stand => 0.0,
            Pace::Walk => 1.35,
            Pace::Jog => 3.1,
            Pace::Run => 4.2,
            Pace::Sprint => 5.5,
        };
        usual * eager * libm::sqrtf(self.who.stature / 1.75)
    }

    /// A little different every time (m/s).
    pub(crate) fn speed(&mut self, pace: Pace) -> f32 {
        self.usual(pace) * self.rng.random_range(0.97..1.03)
    }

    /// How this player goes at a speed (m/s).
    pub(crate) fn gait(&self, speed: f32, runs: bool) -> Gait {
        if runs { Gait::run(speed, self.who.stature) } else { Gait::walk(speed, self.who.stature) }
    }

    /// The same in the rhythm of the pace: people keep that while they vary their steps.
    pub(crate) fn in_rhythm(&self, speed: f32) -> Gait {
        let runs = self.pace != Pace::Walk;
        let Gait { period, swing, .. } = self.gait(self.usual(self.pace), runs);
        Gait { period, swing, ..self.gait(speed, runs) }
    }

    /// Appends a step, no two of them quite alike, and keeps count.
    pub(crate) fn step(&mut self, mut order: Order) {
        let mut vary =
            |quantity: &mut f32, share: f32| *quantity *= self.rng.random_range(1.0 - share..1.0 + share);
        vary(&mut order.gait.arm_swing, 0.12);
        vary(&mut order.gait.chest_turn, 0.10);
        vary(&mut order.gait.elbow, 0.04);
        vary(&mut order.gait.fold_height, 0.10);
        vary(&mut order.gait.hip_drop, 0.15);
        vary(&mut order.gait.width, 0.10);
        // Strikes fall on whole frames, so that steps cut there begin and end alike.
        let beats = FrameRate::HOUSE.fps() as f32;
        order.gait.period = libm::roundf(order.gait.period * beats).max(1.0) / beats;
        self.heading += order.turn;
        let (sin, cos) = (libm::sinf(self.heading), libm::cosf(self.heading));
        self.x += (order.ahead * sin + order.aside * cos) * order.gait.period;
        self.z += (order.ahead * cos - order.aside * sin) * order.gait.period;
        self.side = self.side.other();
        self.seconds += order.gait.period;
        order.ball = self.ball;
        self.orders.push(order);
    }

    /// A step of the pace.
    pub(crate) fn stride(&mut self, turn: f32) {
        // Corners are taken slower.
        let speed = self.speed(self.pace) * (1.0 - 0.3 * turn.abs().min(0.8));
        let way = usize::from(turn.abs() > STRAIGHT) + usize::from(turn < -STRAIGHT);
        let names = match self.pace {
            Pace::Stand => ["idle", "turn-left", "turn-right"],
            Pace::Walk => ["walk", "walk-left", "walk-right"],
            Pace::Jog => ["jog", "jog-left", "jog-right"],
            Pace::Run => ["run", "run-left", "run-right"],
            Pace::Sprint => ["sprint", "run-left", "run-right"],
        };
        let gait = self.in_rhythm(speed);
        self.step(Order { turn, ..Order::ahead(names[way], gait, speed) });
    }

    pub(crate) fn cruise(&mut self, n_steps: usize) {
        for _ in 0..n_steps {
            let turn = self.rng.random_range(-0.03..0.03);
            self.stride(turn);
        }
    }

    /// Steps on until it is a foot's turn to strike.
    pub(crate) fn until(&mut self, foot: Side) {
        if self.side != foot {
            self.cruise(1);
        }
    }

    /// A turn by an angle to the left (rad) over as many steps as the speed needs.
    pub(crate) fn turn(&mut self, angle: f32) {
        let most = match self.pace {
            Pace::Stand | Pace::Walk => 0.55,
            Pace::Jog => 0.35,
            Pace::Run => 0.28,
            Pace::Sprint => 0.2,
        };
        let way = libm::copysignf(1.0, angle);
        let angle = (angle.abs() * self.rng.random_range(0.9..1.1)).min(PI);
        let n_steps = libm::ceilf(angle / most) as usize;
        // The first and the last step of a turn turn less.
        let share = |k: usize| if n_steps > 2 && (k == 0 || k + 1 == n_steps) { 0.6 } else { 1.0 };
        let total: f32 = (0..n_steps).map(share).sum();
        for k in 0..n_steps {
            self.stride(way * angle * share(k) / total);
        }
        self.cruise(2);
    }

    /// The side to turn to (1 is left) by an angle (rad): a large turn away from the middle goes the short way
    /// back, any other to the side that had less of them.
    pub(crate) fn way(&mut self, angle: f32) -> f32 {
        let (sin, cos) = (libm::sinf(self.heading), libm::cosf(self.heading));
        let leaves = self.x * sin + self.z * cos > 0.0 && libm::hypotf(self.x, self.z) > FIELD;
        let middle_is_left = self.z * sin - self.x * cos;
        let turned = &mut self.turned[self.pace as usize];
        let way = libm::copysignf(1.0, if leaves && angle > LARGE_TURN { middle_is_left } else { -*turned });
        *turned += way * angle;
        way
    }

    /// Speeds aside (m/s): the far foot pushes off, the near foot brakes, twice.
    pub(crate) fn sidestep(
        &mut self,
        to: Side,
        names: (&'static str, &'static str),
        asides: [f32; 3],
        slowing: f32,
        low: f32,
    ) {
        self.until(to.other());
        let way = if to == Side::Left { 1.0 } else { -1.0 };
        let (left, right) = names;
        let annotation = Annotation::of(if to == Side::Left { left } else { right });
        let speed = self.speed(self.pace) * slowing;
        for (k, aside) in asides.into_iter().enumerate() {
            let mut gait = self.in_rhythm(speed);
            if k < 2 {
                gait.level -= low;
                gait.width += 0.015;
            }
            let plain = Order::ahead("jog", gait, speed);
            let annotation = if k < 2 { annotation.clone() } else { plain.annotation.clone() };
            self.step(Order { annotation, aside: way * aside, ..plain });
        }
        self.cruise(2);
    }

    /// Faster or slower, over two steps.
    pub(crate) fn change(&mut self, pace: Pace) {
        let (from, to) = (self.orders.last().map_or(0.0, |order| order.ahead), self.speed(pace));
        for share in [0.4, 0.8] {
            let speed = from + share * (to - from);
            let runs = speed > SLOWEST_RUN;
            let name = if !runs {
                "walk"
            } else if speed > SLOWEST_FAST_RUN {
                "run"
            } else {
                "jog"
            };
            self.step(Order::ahead(name, self.gait(speed, runs), speed));
        }
        self.pace = pace;
        self.cruise(2);
    }

    /// From standing to a pace: the body falls forward before the first foot is lifted.
    pub(crate) fn start(&mut self, pace: Pace) {
        let to = self.speed(pace);
        let shares: &[f32] = if pace == Pace::Walk { &[0.5, 0.9] } else { &[0.28, 0.6, 0.85] };
        for (k, &share) in shares.iter().enumerate() {
            let speed = to * share;
            let mut gait = self.gait(speed, speed > SLOWEST_RUN);
            gait.period = gait.period.min(if k == 0 { 0.46 } else { 0.38 });
            gait.swing = gait.swing.min(0.40);
            self.step(Order { stays: k == 0, ..Order::ahead("start", gait, speed) });
        }
        self.pace = pace;
        self.cruise(2);
    }

    /// To a stand by short braking steps.
    pub(crate) fn stop(&mut self) {
        let from = self.orders.last().map_or(0.0, |order| order.ahead);
        let shares: &[f32] = if from > SLOWEST_RUN { &[0.7, 0.42, 0.17, 0.0] } else { &[0.6, 0.15, 0.0] };
        for &share in shares {
            let speed = from * share;
            let mut gait = self.gait(speed.max(0.5), speed > SLOWEST_RUN);
            gait.period = gait.period.min(0.42);
            gait.swing = gait.swing.min(0.38);
            gait.level = gait.level.min(0.962);
            self.step(Order::ahead("stop", gait, speed));
        }
        self.pace = Pace::Stand;
    }

    /// Standing where the feet are.
    pub(crate) fn stand(&mut self, seconds: f32) {
        let gait = Gait { period: seconds, ..STAND };
        self.step(Order { stays: true, ..Order::ahead("idle", gait, 0.0) });
    }

    /// Quick low steps aside or back, facing ahead, begun with the foot `leads`.
    pub(crate) fn shuffle(&mut self, name: &'static str, ahead: f32, aside: f32, leads: Side) {
        let gait = Gait::shuffle(self.who.stature);
        if self.side == leads {
            self.stand(0.2);
        }
        for k in 0..4 {
            self.step(Order { aside, stays: k == 0, ..Order::ahead(name, gait, ahead) });
        }
        self.step(Order::ahead("stop", gait, 0.0));
        self.step(Order::ahead("stop", gait, 0.0));
        let seconds = self.rng.random_range(0.4..0.6);
        self.stand(seconds);
    }
}

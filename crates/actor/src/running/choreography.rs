//! What a player of tag does: a seeded sequence of steps.

use std::f32::consts::PI;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use randori_motion::{Annotation, FrameRate, Side};

use super::gait::{Gait, STAND};
use super::plan::Order;
use crate::performance::Temperament;

/// Steps until `seconds` are filled, from standing to standing; the first is made with `first`.
pub(super) fn tag(rng: &mut impl Rng, player: Who, seconds: f32, first: Side) -> Vec<Order> {
    let mut player = Player {
        who: player,
        side: first,
        orders: Vec::new(),
        seconds: 0.0,
        pace: Pace::Stand,
        deck: Vec::new(),
        halts: (0..PAUSES.len() as u64).map(|k| PAUSES[(player.take + k) as usize % PAUSES.len()]).collect(),
        turned: [0.5, -0.5, 0.5, -0.5]
            .map(|turned| if player.take.is_multiple_of(2) { turned } else { -turned }),
        rng,
        x: 0.0,
        z: 0.0,
        heading: 0.0,
    };
    player.stand(0.05);
    player.stand(0.6);
    player.start(Pace::Jog);
    loop {
        let left = seconds - COMING_TO_A_STAND - player.seconds;
        if left <= 0.0 {
            break;
        }
        player.play(left);
    }
    player.stop();
    let left = seconds - player.seconds;
    player.stand(left.max(0.5));
    player.orders
}

/// Who plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Who {
    pub(super) temperament: Temperament,
    /// From sole to crown (m).
    pub(super) stature: f32,
    /// How many takes they have played before.
    pub(super) take: u64,
}

/// How fast somebody goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    Stand,
    Walk,
    Jog,
    Run,
}

/// Something a player does, over several steps.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Move {
    /// Turns by an angle (rad), to whichever side brings the player back to the field.
    Turn(f32),
    QuickStep(Side),
    Dodge(Side),
    Catch(Side),
    /// Runs for a while, round corners of about an angle (rad).
    Dash(f32),
    /// Walks for a while, round corners of about an angle (rad).
    Stroll(f32),
    /// Stops, does something, and starts again.
    Halt,
}

impl Move {
    /// How long it takes at most (s), about.
    fn seconds(self) -> f32 {
        match self {
            Move::Turn(angle) => 1.3 + 1.2 * angle,
            Move::QuickStep(_) | Move::Dodge(_) => 2.2,
            Move::Catch(_) => 1.4,
            Move::Dash(_) => 6.5,
            Move::Stroll(_) => 7.0,
            Move::Halt => 9.0,
        }
    }
}

/// What is done between stopping and starting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    ShuffleLeft,
    ShuffleRight,
    StepBack,
}

/// Every kind of pause. Takes begin with different ones, so that a few takes have all.
const PAUSES: [Pause; 3] = [Pause::ShuffleLeft, Pause::StepBack, Pause::ShuffleRight];

struct Player<'a, R> {
    rng: &'a mut R,
    who: Who,
    /// The foot of the next step.
    side: Side,
    orders: Vec<Order>,
    /// How long they take together (s).
    seconds: f32,
    pace: Pace,
    /// Moves to come: all are made before any is made again.
    deck: Vec<Move>,
    halts: Vec<Pause>,
    /// Turns to the left less turns to the right (rad), by pace.
    turned: [f32; 4],
    /// Where about the player is: they come back to the middle (m).
    x: f32,
    z: f32,
    heading: f32,
}

/// How far from the middle players go before they turn back (m).
const FIELD: f32 = 8.0;
/// Turns of more than this (rad) can lead back.
const LARGE_TURN: f32 = 1.3;
/// Turns of less than this in one step are not meant (rad).
const STRAIGHT: f32 = 0.07;
/// How long it takes from a run to a stand (s), about.
const COMING_TO_A_STAND: f32 = 2.6;
/// Slower than this nobody runs (m/s).
const SLOWEST_RUN: f32 = 1.8;
/// Slower runs than this are called jogs (m/s).
const SLOWEST_FAST_RUN: f32 = 3.6;

impl<R: Rng> Player<'_, R> {
    /// The next move from the deck that can be made in the time left (s).
    fn play(&mut self, left: f32) {
        if self.deck.is_empty() {
            // One turn of each size: slight, quarter, and about.
            let turns = [30.0..50.0, 50.0..75.0, 75.0..110.0, 110.0..185.0_f32]
                .map(|degrees| Move::Turn(self.rng.random_range(degrees).to_radians()));
            let sided = Side::BOTH
                .map(|side| [Move::QuickStep(side), Move::Dodge(side), Move::Catch(side), Move::Catch(side)]);
            self.deck.extend(turns.into_iter().chain(sided.into_iter().flatten()));
            let corner = [35.0, 50.0, 65.0_f32][self.rng.random_range(0..3)];
            self.deck.push(Move::Dash(self.rng.random_range(0.5..1.1)));
            self.deck.push(Move::Stroll(corner.to_radians()));
            if self.who.temperament == Temperament::Fierce {
                self.deck.extend(Side::BOTH.map(Move::Catch));
            }
            self.deck.shuffle(self.rng);
            // Halts take long: early in the deck, so that short takes have one too.
            let n_moves = self.deck.len();
            self.deck.insert(self.rng.random_range(n_moves / 2..=n_moves), Move::Halt);
        }
        let fitting = self.deck.iter().rposition(|next| next.seconds() < left);
        match fitting.map(|k| self.deck.remove(k)) {
            Some(Move::Turn(angle)) => {
                let way = self.way(angle);
                self.turn(way * angle);
            }
            Some(Move::QuickStep(side)) => self.quick_step(side),
            Some(Move::Dodge(side)) => self.dodge(side),
            Some(Move::Catch(side)) => self.catch(side),
            Some(Move::Dash(corner)) => {
                self.change(Pace::Run);
                self.wind(corner);
                self.change(Pace::Jog);
            }
            Some(Move::Stroll(corner)) => {
                self.change(Pace::Walk);
                self.wind(corner);
                self.change(Pace::Jog);
            }
            Some(Move::Halt) => self.halt(),
            None => self.cruise(1),
        }
    }

    /// The usual speed of a pace (m/s).
    fn usual(&self, pace: Pace) -> f32 {
        let eager = if self.who.temperament == Temperament::Fierce { 1.08 } else { 0.97 };
        let usual = match pace {
            Pace::Stand => 0.0,
            Pace::Walk => 1.35,
            Pace::Jog => 3.1,
            Pace::Run => 4.2,
        };
        usual * eager * libm::sqrtf(self.who.stature / 1.75)
    }

    /// A little different every time (m/s).
    fn speed(&mut self, pace: Pace) -> f32 {
        self.usual(pace) * self.rng.random_range(0.97..1.03)
    }

    /// How this player goes at a speed (m/s).
    fn gait(&self, speed: f32, runs: bool) -> Gait {
        if runs { Gait::run(speed, self.who.stature) } else { Gait::walk(speed, self.who.stature) }
    }

    /// The same in the rhythm of the pace: people keep that while they vary their steps.
    fn in_rhythm(&self, speed: f32) -> Gait {
        let runs = self.pace != Pace::Walk;
        let Gait { period, swing, .. } = self.gait(self.usual(self.pace), runs);
        Gait { period, swing, ..self.gait(speed, runs) }
    }

    /// Appends a step, no two of them quite alike, and keeps count.
    fn step(&mut self, mut order: Order) {
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
        self.orders.push(order);
    }

    /// A step of the pace.
    fn stride(&mut self, turn: f32) {
        // Corners are taken slower.
        let speed = self.speed(self.pace) * (1.0 - 0.3 * turn.abs().min(0.8));
        let way = usize::from(turn.abs() > STRAIGHT) + usize::from(turn < -STRAIGHT);
        let names = match self.pace {
            Pace::Stand => ["idle", "turn-left", "turn-right"],
            Pace::Walk => ["walk", "walk-left", "walk-right"],
            Pace::Jog => ["jog", "jog-left", "jog-right"],
            Pace::Run => ["run", "run-left", "run-right"],
        };
        let gait = self.in_rhythm(speed);
        self.step(Order { turn, ..Order::ahead(names[way], gait, speed) });
    }

    fn cruise(&mut self, n_steps: usize) {
        for _ in 0..n_steps {
            let turn = self.rng.random_range(-0.03..0.03);
            self.stride(turn);
        }
    }

    /// Steps on until it is a foot's turn to strike.
    fn until(&mut self, foot: Side) {
        if self.side != foot {
            self.cruise(1);
        }
    }

    /// A corner of an angle (rad), and a smaller one the other way.
    fn wind(&mut self, corner: f32) {
        let way = self.way(corner);
        self.turn(way * corner);
        self.turn(-0.6 * way * corner);
    }

    /// A turn by an angle to the left (rad) over as many steps as the speed needs.
    fn turn(&mut self, angle: f32) {
        let most = match self.pace {
            Pace::Stand | Pace::Walk => 0.55,
            Pace::Jog => 0.35,
            Pace::Run => 0.28,
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
    fn way(&mut self, angle: f32) -> f32 {
        let (sin, cos) = (libm::sinf(self.heading), libm::cosf(self.heading));
        let leaves = self.x * sin + self.z * cos > 0.0 && libm::hypotf(self.x, self.z) > FIELD;
        let middle_is_left = self.z * sin - self.x * cos;
        let turned = &mut self.turned[self.pace as usize];
        let way = libm::copysignf(1.0, if leaves && angle > LARGE_TURN { middle_is_left } else { -*turned });
        *turned += way * angle;
        way
    }

    /// Aside by two steps while going on.
    fn quick_step(&mut self, to: Side) {
        let aside = self.rng.random_range(0.85..1.15);
        self.sidestep(
            to,
            ("quick-step-left", "quick-step-right"),
            [1.0, 0.5, 0.4].map(|share| share * aside),
            0.95,
            0.0,
        );
    }

    /// Out of somebody's reach: low, far aside, and on.
    fn dodge(&mut self, to: Side) {
        let aside = self.rng.random_range(1.5..1.9);
        self.sidestep(
            to,
            ("dodge-left", "dodge-right"),
            [1.0, 0.55, 0.4].map(|share| share * aside),
            0.82,
            0.035,
        );
    }

    /// Speeds aside (m/s): the far foot pushes off, the near foot brakes, twice.
    fn sidestep(
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

    /// A hand thrown out to tag somebody, while the other foot carries.
    fn catch(&mut self, hand: Side) {
        self.until(hand.other());
        let speed = self.speed(self.pace);
        let gait = self.in_rhythm(speed);
        let annotation = Annotation::sided(hand, "catch");
        self.step(Order { annotation, reach: Some(hand), ..Order::ahead("jog", gait, speed) });
        self.cruise(2);
    }

    /// Faster or slower, over two steps.
    fn change(&mut self, pace: Pace) {
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
    fn start(&mut self, pace: Pace) {
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
    fn stop(&mut self) {
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

    fn halt(&mut self) {
        self.stop();
        if self.halts.is_empty() {
            self.halts.extend(PAUSES);
            self.halts.shuffle(self.rng);
        }
        let seconds = self.rng.random_range(0.4..0.8);
        self.stand(seconds);
        let speed = self.rng.random_range(0.8..1.0);
        match self.halts.pop() {
            Some(Pause::ShuffleLeft) => self.shuffle("step-left", 0.0, speed, Side::Left),
            Some(Pause::ShuffleRight) => self.shuffle("step-right", 0.0, -speed, Side::Right),
            Some(Pause::StepBack) => self.shuffle("step-back", -speed, 0.0, self.side.other()),
            None => {}
        }
        let pace = if self.rng.random_bool(0.3) { Pace::Walk } else { Pace::Jog };
        self.start(pace);
        if pace == Pace::Walk {
            self.change(Pace::Jog);
        }
    }

    /// Standing where the feet are.
    fn stand(&mut self, seconds: f32) {
        let gait = Gait { period: seconds, ..STAND };
        self.step(Order { stays: true, ..Order::ahead("idle", gait, 0.0) });
    }

    /// Quick low steps aside or back, facing ahead, begun with the foot `leads`.
    fn shuffle(&mut self, name: &'static str, ahead: f32, aside: f32, leads: Side) {
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

//! What a porter does: a seeded sequence of loads and of steps with them.

use std::f32::consts::{FRAC_PI_4, FRAC_PI_8};

use glam::{Quat, Vec3};
use rand::{Rng, RngExt};
use randori_motion::annotation::{Annotation, Load, STEPS};
use randori_motion::math::{rotation_of_heading, wrap_angle};
use randori_motion::{Bone, FrameRate, Side};

use super::deck::{Deck, Exchange, Passing, WAYS, Way};
use super::grip::{Grip, Place};
use super::manner::{Manner, READY};
use crate::figure::Figure;
use crate::performance::{Beat, Temperament};
use crate::performer::sign;
use crate::running::gait::{Gait, STAND};
use crate::running::plan::{Order, Plan};
use crate::stroke::{Channel, Stroke, Strokes};

/// All that is planned of a take.
pub(super) struct Routine {
    /// Steps, in turn.
    pub(super) orders: Vec<Order>,
    /// What each of them is part of.
    pub(super) meanings: Vec<Meaning>,
    pub(super) strokes: Strokes,
    pub(super) grips: Vec<Grip>,
}

/// What a step is part of.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meaning {
    /// Something that its order names; with the moment in which hands close or open (s), if they do.
    Named(Option<f32>),
    /// Going somewhere with a load, wherever the step leads.
    Carries(Load),
}

/// Plays until `seconds` are filled, from standing to standing; the first step is made with `first`.
pub(super) fn play(
    rng: &mut impl Rng,
    figure: &Figure,
    temperament: Temperament,
    seconds: f32,
    first: Side,
    deck: &mut Deck,
) -> Routine {
    let mut hand = Hand::ready(rng, figure, temperament, first);
    while seconds - hand.seconds > SHORTEST_ERRAND {
        hand.run(deck, seconds);
    }
    hand.rest_until(seconds)
}

/// The same of somebody to whom others bring loads, and who passes them on.
pub(super) fn pass_on(
    rng: &mut impl Rng,
    figure: &Figure,
    temperament: Temperament,
    seconds: f32,
    first: Side,
    deck: &mut Deck,
) -> Routine {
    let mut hand = Hand::ready(rng, figure, temperament, first);
    while seconds - hand.seconds > LONGEST_EXCHANGE {
        hand.exchange(deck);
    }
    hand.rest_until(seconds)
}

/// What was meant, step by step: where a load is carried is read off the plan, since feet need a step to follow.
pub(super) fn script(plan: &Plan, meanings: &[Meaning], seconds: f32) -> Vec<Beat> {
    let mut beats: Vec<Beat> = Vec::with_capacity(plan.steps.len());
    for (step, meaning) in plan.steps.iter().zip(meanings).filter(|(step, _)| step.strike < seconds) {
        let end = (step.strike + step.order.gait.period).min(seconds);
        let (annotation, peak) = match meaning {
            Meaning::Named(peak) => (step.order.annotation.clone(), *peak),
            Meaning::Carries(load) => (way_of(plan, step.strike, end, *load), None),
        };
        match beats.last_mut() {
            Some(last) if last.annotation == annotation && annotation.stem().ends_with(STANDING) => {
                last.end = end;
            }
            Some(last) if last.annotation == annotation && annotation.name() == "idle" => last.end = end,
            _ => beats.push(Beat { start: step.strike, peak, end, annotation }),
        }
    }
    beats
}

const STANDING: &str = "carry-stand";
/// Turns of more than this from strike to strike are meant (rad), alone and with somebody at the other end.
const TURNS: (f32, f32) = (0.18, 0.08);
/// Ways of less than this are none (m).
const NOWHERE: f32 = 0.09;

/// Where a load is carried from one moment to another (s).
fn way_of(plan: &Plan, start: f32, end: f32, load: Load) -> Annotation {
    let turn = wrap_angle(plan.heading(end) - plan.heading(start));
    let middle = 0.5 * (plan.heading(end) + plan.heading(start));
    let way = rotation_of_heading(-middle) * (plan.place(end) - plan.place(start));
    let most = if load.is_shared { TURNS.1 } else { TURNS.0 };
    let name = if turn > most {
        "carry-turn-left".to_owned()
    } else if turn < -most {
        "carry-turn-right".to_owned()
    } else if way.length() < NOWHERE {
        STANDING.to_owned()
    } else {
        let eighth = libm::floorf((libm::atan2f(way.x, way.z) + FRAC_PI_8) / FRAC_PI_4) as i32;
        STEPS[eighth.rem_euclid(8) as usize].replace("step", "carry")
    };
    Annotation::new(&name).unwrap_or(Annotation::of(STANDING)).with(load)
}

/// In less time nobody begins to carry anything (s).
const SHORTEST_ERRAND: f32 = 12.0;
/// No exchange takes longer than this (s).
const LONGEST_EXCHANGE: f32 = 14.0;
/// How long it takes to come to a stand, give a load away and stand (s), at most.
const GIVING: f32 = 6.5;
/// A way takes no longer than this (s).
const LONGEST_WAY: f32 = 3.0;
/// How long an errand takes at least that is worth beginning after another (s).
const NEXT_ERRAND: f32 = 20.0;
/// How far from the middle porters go before they turn back (m).
const FIELD: f32 = 4.0;
/// How far people stand from each other who carry something together, from hips to hips (m).
const APART: f32 = 1.5;

/// Somebody at work.
struct Hand<'a, R> {
    rng: &'a mut R,
    figure: &'a Figure,
    /// How much faster than usual (-).
    eager: f32,
    /// The foot of the next step.
    side: Side,
    /// How long all steps take together (s).
    seconds: f32,
    /// Of the last step, to the left and ahead (m/s).
    velocity: Vec3,
    /// Where about the porter is (m), and which way they face (rad).
    place: Vec3,
    heading: f32,
    routine: Routine,
}

impl<'a, R: Rng> Hand<'a, R> {
    /// Somebody who stands with empty hands.
    fn ready(rng: &'a mut R, figure: &'a Figure, temperament: Temperament, first: Side) -> Hand<'a, R> {
        let routine = Routine {
            orders: Vec::new(),
            meanings: Vec::new(),
            strokes: Strokes::default(),
            grips: Vec::new(),
        };
        let mut hand = Hand {
            rng,
            figure,
            eager: if temperament == Temperament::Fierce { 1.07 } else { 1.0 },
            side: first,
            seconds: 0.0,
            velocity: Vec3::ZERO,
            place: Vec3::ZERO,
            heading: 0.0,
            routine,
        };
        hand.stand(0.05);
        hand.stand(0.5);
        hand
    }

    /// Stands for what is left of the time (s).
    fn rest_until(mut self, seconds: f32) -> Routine {
        let left = seconds - self.seconds;
        self.stand(left.max(0.5));
        self.routine
    }

    /// One exchange: a load comes, and goes on.
    fn exchange(&mut self, deck: &mut Deck) {
        let Exchange { load, passing } = deck.exchange(self.rng);
        let manner = Manner::of(load);
        let seconds = self.rng.random_range(0.6..1.0);
        self.stay("idle", Gait { period: seconds, ..READY }, None);
        let mut grip = match passing {
            Passing::Up => self.lift(load, &manner),
            _ => self.receive(load, &manner),
        };
        match passing {
            Passing::Round(side) => self.turn(load, &manner, side),
            Passing::Along => self.carry(load, &manner, 0),
            Passing::On | Passing::Up | Passing::Down => {}
        }
        self.halt(load, &manner);
        grip.to = if passing == Passing::Down { Place::Floor } else { Place::Hands };
        match grip.to {
            Place::Floor => self.put_down(&mut grip, load),
            Place::Hands => self.hand_over(&mut grip, load),
        }
        self.routine.grips.push(grip);
    }

    /// One errand: to a load, about with it, and rid of it.
    fn run(&mut self, deck: &mut Deck, seconds: f32) {
        let errand = deck.errand(self.rng);
        let load = errand.load;
        self.walk();
        let manner = Manner::of(load);
        let mut grip = match errand.from {
            Place::Floor => self.lift(load, &manner),
            Place::Hands => self.receive(load, &manner),
        };
        grip.to = errand.to;
        for way in 0.. {
            let left = seconds - self.seconds - GIVING;
            // The last load of a take is carried to its end.
            if left < LONGEST_WAY || way >= WAYS && left > NEXT_ERRAND {
                break;
            }
            match deck.way(load, self.rng) {
                Way::Steps(eighth) => self.carry(load, &manner, eighth),
                Way::Turn(side) => self.turn(load, &manner, side),
                Way::Round(side) => self.round(load, &manner, side),
                Way::Wait => self.wait(load, &manner),
            }
        }
        self.halt(load, &manner);
        match errand.to {
            Place::Floor => self.put_down(&mut grip, load),
            Place::Hands => self.hand_over(&mut grip, load),
        }
        self.routine.grips.push(grip);
    }

    /// Appends a step, no two of them quite alike, and keeps count.
    fn step(&mut self, mut order: Order, meaning: Meaning) {
        let mut vary =
            |quantity: &mut f32, share: f32| *quantity *= self.rng.random_range(1.0 - share..1.0 + share);
        vary(&mut order.gait.arm_swing, 0.12);
        vary(&mut order.gait.chest_turn, 0.15);
        vary(&mut order.gait.fold_height, 0.12);
        vary(&mut order.gait.hip_drop, 0.15);
        vary(&mut order.gait.width, 0.06);
        // Strikes fall on whole frames, so that steps cut there begin and end alike.
        let beats = FrameRate::HOUSE.fps() as f32;
        order.gait.period = libm::roundf(order.gait.period * beats).max(1.0) / beats;
        self.heading += order.turn;
        self.velocity = Vec3::new(order.aside, 0.0, order.ahead);
        self.place += rotation_of_heading(self.heading) * self.velocity * order.gait.period;
        self.side = self.side.other();
        self.seconds += order.gait.period;
        self.routine.orders.push(order);
        self.routine.meanings.push(meaning);
    }

    fn stroke(&mut self, channel: Channel, start: f32, rise: f32, hold: f32, fall: f32, amount: f32) {
        self.routine.strokes.push(Stroke { channel, start, rise, hold, fall, amount });
    }

    fn about(&mut self, share: f32) -> f32 {
        self.rng.random_range(1.0 - share..1.0 + share)
    }

    /// Standing empty-handed.
    fn stand(&mut self, seconds: f32) {
        self.stay("idle", Gait { period: seconds, ..STAND }, None);
    }

    /// Standing where the feet are, for a reason.
    fn stay(&mut self, name: &'static str, gait: Gait, peak: Option<f32>) {
        self.step(Order { stays: true, ..Order::ahead(name, gait, 0.0) }, Meaning::Named(peak));
    }

    /// To the next load, empty-handed: a turn on the spot, some steps ahead with a corner, and a stand.
    fn walk(&mut self) {
        let stature = self.figure.stature();
        let home = rotation_of_heading(-self.heading) * -self.place;
        let leaves = self.place.length() > FIELD;
        let back = if leaves { libm::atan2f(home.x, home.z) } else { 0.0 };
        let side = if self.rng.random_bool(0.5) { 1.0 } else { -1.0 };
        let turn = if back.abs() > 0.5 { back } else { side * self.rng.random_range(0.7..1.9) };
        let n_turns = libm::ceilf(turn.abs() / 0.75) as usize;
        let name = if turn > 0.0 { "turn-left" } else { "turn-right" };
        for _ in 0..n_turns {
            let gait = Gait { period: 0.58, swing: 0.40, width: 0.06, ..STAND }.paced_for(stature);
            let order = Order { turn: turn / n_turns as f32, ..Order::ahead(name, gait, 0.0) };
            self.step(order, Meaning::Named(None));
        }
        let seconds = self.rng.random_range(0.65..0.9);
        self.stand(seconds);
        let speed = 1.25 * self.eager * self.about(0.05) * libm::sqrtf(stature / 1.75);
        let corner = side * self.rng.random_range(0.28..0.5);
        let corner_name = if corner > 0.0 { "walk-left" } else { "walk-right" };
        let walk = |share: f32| Gait::walk(speed * share, stature);
        let ways: [(&'static str, f32, f32); 10] = [
            ("start", 0.55, 0.0),
            ("start", 1.0, 0.0),
            ("walk", 1.0, 0.0),
            ("walk", 1.0, 0.0),
            (corner_name, 0.94, corner),
            (corner_name, 0.92, corner),
            ("walk", 1.0, 0.0),
            ("stop", 0.62, 0.0),
            ("stop", 0.2, 0.0),
            ("stop", 0.0, 0.0),
        ];
        for (k, (name, share, turn)) in ways.into_iter().enumerate() {
            let mut gait = walk(share.max(0.4));
            gait.period = gait.period.min(0.56);
            gait.swing = gait.swing.min(0.42);
            if share < 0.3 {
                gait = Gait { width: READY.width, toe_out: READY.toe_out, level: 0.97, ..gait };
            }
            let wander = if turn == 0.0 { self.rng.random_range(-0.03..0.03) } else { turn };
            let order = Order { turn: wander, stays: k == 0, ..Order::ahead(name, gait, speed * share) };
            self.step(order, Meaning::Named(None));
        }
        let seconds = self.rng.random_range(0.7..1.0);
        self.stay("idle", Gait { period: seconds, ..READY }, None);
    }

    /// From the floor into the hands.
    fn lift(&mut self, load: Load, manner: &Manner) -> Grip {
        let t = self.seconds;
        let (down, up) = (manner.down * self.about(0.08), manner.up * self.about(0.08));
        let pause = self.rng.random_range(0.16..0.28);
        let closes = t + down + 0.6 * pause;
        self.bend(manner, t, down, pause, up);
        // Under the weight the body sets itself back once the load is up.
        let settles = closes + 0.4 * pause + up;
        let ends = settles + 0.15;
        self.event("lift", load, manner.stance(), ends - t, closes);
        let far = f32::INFINITY;
        Grip {
            manner: *manner,
            from: Place::Floor,
            to: Place::Floor,
            reaches: t + 0.1,
            closes,
            settles,
            leaves: far,
            arrives: far,
            opens: far,
            ends: far,
        }
    }

    /// From the hands to the floor.
    fn put_down(&mut self, grip: &mut Grip, load: Load) {
        let t = self.seconds;
        let manner = grip.manner;
        let (down, up) = (1.1 * manner.down * self.about(0.08), 0.85 * manner.up * self.about(0.08));
        let pause = self.rng.random_range(0.2..0.32);
        self.bend(&manner, t, down, pause, up);
        grip.leaves = t + 0.05;
        grip.arrives = t + down + 0.05;
        grip.opens = grip.arrives + 0.35 * pause;
        grip.ends = t + down + pause + 0.85 * up;
        self.event("put-down", load, READY, down + pause + up + 0.1, grip.opens);
    }

    /// Out of somebody's hands.
    fn receive(&mut self, load: Load, manner: &Manner) -> Grip {
        let t = self.seconds;
        let slow = if load.is_heavy { 1.15 } else { 1.0 };
        let (out, hold) = (0.62 * slow * self.about(0.08), self.rng.random_range(0.16..0.26));
        let back = 0.72 * slow * self.about(0.08);
        let closes = t + out + 0.25;
        let settles = closes + hold + back;
        self.lean_out(t, out + 0.1, hold + 0.15, back, load);
        // The weight comes all at once, and the knees give.
        let give = if load.is_heavy { 0.045 } else { 0.015 };
        self.stroke(Channel::Crouch, closes - 0.05, 0.25, 0.0, 0.5, give);
        self.event("receive", load, manner.stance(), settles + 0.1 - t, closes);
        let far = f32::INFINITY;
        Grip {
            manner: *manner,
            from: Place::Hands,
            to: Place::Floor,
            reaches: t + 0.05,
            closes,
            settles,
            leaves: far,
            arrives: far,
            opens: far,
            ends: far,
        }
    }

    /// Into somebody's hands.
    fn hand_over(&mut self, grip: &mut Grip, load: Load) {
        let t = self.seconds;
        let slow = if load.is_heavy { 1.2 } else { 1.0 };
        let (out, hold) = (0.68 * slow * self.about(0.08), self.rng.random_range(0.26..0.4));
        let back = 0.62 * self.about(0.08);
        self.lean_out(t, out, hold, back, load);
        grip.leaves = t + 0.05;
        grip.arrives = t + out + 0.05;
        grip.opens = grip.arrives + hold - 0.05;
        grip.ends = grip.opens + back;
        self.event("hand-over", load, READY, grip.ends + 0.1 - t, grip.opens);
    }

    /// Standing while something is done with a load that has a moment of its own.
    fn event(&mut self, name: &'static str, load: Load, gait: Gait, seconds: f32, peak: f32) {
        let order = Order::ahead(name, Gait { period: seconds, ..gait }, 0.0);
        let annotation = order.annotation.with(load);
        self.step(Order { annotation, stays: true, ..order }, Meaning::Named(Some(peak)));
    }

    /// Down to the floor and up again: the trunk leads the way down, the legs the way up.
    fn bend(&mut self, manner: &Manner, t: f32, down: f32, pause: f32, up: f32) {
        let stature = self.figure.stature();
        let back = -0.055 * stature;
        let least = manner.bow * self.about(0.06);
        let (bow, crouch) = reach_floor(self.figure, least, back, manner);
        self.stroke(Channel::Bow, t - 0.04, 0.92 * down, pause + 0.12 * down, up, bow);
        self.stroke(Channel::Crouch, t + 0.05, down - 0.05, pause, 0.88 * up, crouch);
        self.stroke(Channel::Ahead, t, down, pause, 0.9 * up, back);
        self.stroke(Channel::HeadNod, t - 0.1, 0.6 * down, pause + 0.3 * down, 0.7 * up, 0.25);
        let deep = (crouch / (0.25 * stature)).min(1.3);
        for channel in [Channel::LeftHeel, Channel::RightHeel] {
            let heel = 0.22 * deep * deep * self.about(0.3);
            self.stroke(channel, t + 0.25 * down, 0.75 * down, pause, 0.7 * up, heel);
        }
    }

    /// Towards the other person and back.
    fn lean_out(&mut self, t: f32, out: f32, hold: f32, back: f32, load: Load) {
        let far = self.about(0.15);
        let bow = if load.is_heavy { 0.26 } else { 0.2 };
        self.stroke(Channel::Ahead, t - 0.02, 0.9 * out, hold + 0.1 * out, back, 0.045 * far);
        self.stroke(Channel::Bow, t, out, hold, back, bow * far);
        self.stroke(Channel::HeadNod, t - 0.1, 0.8 * out, hold, back, 0.14 * far);
    }

    /// Some steps in one of eight directions.
    fn carry(&mut self, load: Load, manner: &Manner, eighth: u8) {
        let angle = f32::from(eighth) * FRAC_PI_4 + self.rng.random_range(-0.1..0.1);
        let (sin, cos) = (libm::sinf(angle), libm::cosf(angle));
        // Back and aside people go slower than ahead.
        let slower = 1.0 - 0.30 * sin * sin - 0.32 * (-cos).max(0.0);
        let speed = manner.speed * slower * self.eager * self.about(0.06);
        let velocity = Vec3::new(speed * sin, 0.0, speed * cos);
        let n_steps = self.rng.random_range(3..=4);
        self.look_along(eighth, n_steps);
        let leads = if sin > 0.3 {
            Some(Side::Left)
        } else if sin < -0.3 {
            Some(Side::Right)
        } else {
            None
        };
        self.set_off(load, manner, velocity, leads);
        let sway = if load.is_shared { 0.03 } else { 0.07 };
        for _ in 0..n_steps {
            let turn = self.rng.random_range(-sway..sway);
            let share = self.about(0.05);
            self.pace(load, manner, velocity * share, turn);
        }
        if self.rng.random_bool(0.25) {
            self.halt(load, manner);
        }
    }

    /// A step with a load at a velocity (m/s), turning to the left by so much (rad).
    fn pace(&mut self, load: Load, manner: &Manner, velocity: Vec3, turn: f32) {
        let gait = manner.gait(velocity.x, velocity.z, self.figure.stature());
        let order = Order { aside: velocity.x, turn, ..Order::ahead(STANDING, gait, velocity.z) };
        self.step(order, Meaning::Carries(load));
    }

    /// Standing with a load where the feet are (s).
    fn hold(&mut self, load: Load, manner: &Manner, seconds: f32) {
        let gait = Gait { period: seconds, ..manner.stance() };
        let order = Order { stays: true, ..Order::ahead(STANDING, gait, 0.0) };
        self.step(order, Meaning::Carries(load));
    }

    /// The weight goes over one foot before the other leaves the floor, the one that `leads` if it matters.
    fn set_off(&mut self, load: Load, manner: &Manner, velocity: Vec3, leads: Option<Side>) {
        if self.velocity.length() > 0.05 {
            return;
        }
        if leads == Some(self.side) {
            self.hold(load, manner, 0.25);
        }
        let gait = manner.gait(velocity.x, velocity.z, self.figure.stature());
        // The other foot stays down until the weight is off it.
        let gait = Gait { period: gait.swing + 0.05, ..gait };
        let order = Order {
            aside: 0.45 * velocity.x,
            stays: true,
            ..Order::ahead(STANDING, gait, 0.45 * velocity.z)
        };
        self.step(order, Meaning::Carries(load));
    }

    /// To a stand: a short step, and the feet beside each other.
    fn halt(&mut self, load: Load, manner: &Manner) {
        if self.velocity.length() > 0.05 {
            let slow = 0.4 * self.velocity;
            self.pace(load, manner, slow, 0.0);
            for _ in 0..2 {
                let gait = manner.gait(0.0, 0.0, self.figure.stature());
                let gait = Gait { width: READY.width, toe_out: READY.toe_out, ..gait };
                let order = Order::ahead(STANDING, gait, 0.0);
                self.step(order, Meaning::Carries(load));
            }
        }
        let seconds = self.rng.random_range(0.35..0.55);
        self.hold(load, manner, seconds);
    }

    /// Standing with a load for a while, the weight on one foot and on the other.
    fn wait(&mut self, load: Load, manner: &Manner) {
        self.halt(load, manner);
        let t = self.seconds;
        let (first, second) = (self.rng.random_range(0.9..1.2), self.rng.random_range(0.8..1.1));
        let way = if self.rng.random_bool(0.5) { 0.02 } else { -0.02 };
        self.stroke(Channel::Aside, t, 0.6, first - 0.5, 0.7, way);
        self.stroke(Channel::Lean, t + 0.05, 0.6, first - 0.5, 0.7, -1.2 * way);
        let look = 14.0 * way * self.about(0.3);
        self.stroke(Channel::HeadTurn, t + 0.2, 0.5, 0.4, 0.6, look);
        self.hold(load, manner, first + second);
    }

    /// On the spot, by steps of both feet.
    fn turn(&mut self, load: Load, manner: &Manner, side: Side) {
        if self.velocity.length() > 0.05 {
            self.halt(load, manner);
        }
        let turn = if load.is_shared {
            0.26
        } else if load.is_heavy {
            0.36
        } else {
            0.48
        };
        self.set_off(load, manner, Vec3::ZERO, Some(side));
        for _ in 0..self.rng.random_range(3..5) {
            let turn = sign(side) * turn * self.about(0.1);
            self.pace(load, manner, Vec3::Z * 0.08, turn);
        }
        if self.rng.random_bool(0.35) {
            self.halt(load, manner);
        }
    }

    /// Round a corner, or round the one at the other end, facing them.
    fn round(&mut self, load: Load, manner: &Manner, side: Side) {
        let speed = manner.speed * self.eager;
        let (velocity, turn) = if load.is_shared {
            // Who turns to the left about somebody ahead goes to the right.
            let aside = 0.85 * speed;
            let period = manner.gait(aside, 0.0, self.figure.stature()).period;
            (Vec3::new(-sign(side) * aside, 0.0, 0.0), aside * period / APART)
        } else {
            (Vec3::Z * (0.75 * speed), if load.is_heavy { 0.26 } else { 0.32 })
        };
        let leads = load.is_shared.then_some(side.other());
        self.set_off(load, manner, velocity, leads);
        for _ in 0..self.rng.random_range(3..5) {
            let turn = sign(side) * turn * self.about(0.08);
            self.pace(load, manner, velocity, turn);
        }
    }

    /// Eyes go where the feet will go before they do.
    fn look_along(&mut self, eighth: u8, n_steps: usize) {
        let t = self.seconds;
        let stay = 0.5 * n_steps as f32;
        let amount = match eighth {
            1 | 2 => 0.35,
            6 | 7 => -0.35,
            3 => 0.7,
            5 => -0.7,
            4 if self.rng.random_bool(0.5) => 0.8,
            4 => -0.8,
            _ => return,
        };
        let amount = amount * self.about(0.2);
        self.stroke(Channel::HeadTurn, t - 0.15, 0.45, stay, 0.5, amount);
        self.stroke(Channel::ChestTurn, t - 0.05, 0.5, stay, 0.5, 0.12 * amount);
    }
}

/// How far the trunk has to bend, at least by `bow` (rad), and the hips to sink (m) for the hands to reach what lies on
/// the floor, with the hips back by -`ahead` (m). Who would have to squat too deep bends more.
fn reach_floor(figure: &Figure, bow: f32, ahead: f32, manner: &Manner) -> (f32, f32) {
    let standing = READY.level * figure.hip_height();
    let palm = manner.floor * figure.stature() + Vec3::X * (0.5 * manner.width);
    // Hands point down and ahead there.
    let wrist = palm + Vec3::new(0.0, 0.4, -0.3) * figure.fist();
    let joint = figure.body().skeleton.bone(Bone::LeftUpperArm).map_or(0, |joint| joint.idx());
    let is_near = |bow: f32, crouch: f32| {
        let mut posture = figure.at_ease();
        posture.hips = Vec3::new(0.0, standing - crouch, ahead);
        posture.pelvis = Quat::from_rotation_x(0.5 * bow);
        posture.chest = Quat::from_rotation_x(bow);
        figure.globals(&posture).positions[joint].distance(wrist) < 0.945 * figure.arm_length()
    };
    let deepest = DEEPEST * standing;
    let bow = (0..12).map(|k| bow + 0.05 * k as f32).find(|bow| is_near(*bow, deepest)).unwrap_or(bow + 0.6);
    let (mut low, mut high) = (0.0, deepest);
    for _ in 0..16 {
        let middle = 0.5 * (low + high);
        if is_near(bow, middle) { high = middle } else { low = middle }
    }
    (bow, high)
}

/// Share of their height by which hips sink at most.
const DEEPEST: f32 = 0.565;

//! What a player of tag does: a seeded sequence of steps.

use rand::{Rng, RngExt};
use randori_motion::{Annotation, Side};

use super::gait::{Gait, STAND};
use super::plan::Order;
use crate::performance::Temperament;

/// Steps until `seconds` are filled, from standing to standing; the first is made with `first`.
pub(super) fn tag(
    rng: &mut impl Rng,
    temperament: Temperament,
    stature: f32,
    seconds: f32,
    first: Side,
) -> Vec<Order> {
    let mut player = Player {
        rng,
        temperament,
        stature,
        side: first,
        orders: Vec::new(),
        pace: Pace::Stand,
        x: 0.0,
        z: 0.0,
        heading: 0.0,
    };
    player.stand(0.7);
    player.start(Pace::Jog);
    // Coming to a stand takes about two seconds.
    while player.elapsed() < seconds - 2.0 {
        player.turn_of_play();
    }
    player.stop();
    let left = seconds - player.elapsed();
    player.stand(left.max(0.6));
    player.orders
}

/// How fast somebody goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    Stand,
    Walk,
    Jog,
    Run,
}

struct Player<'a, R> {
    rng: &'a mut R,
    temperament: Temperament,
    stature: f32,
    /// The foot of the next step.
    side: Side,
    orders: Vec<Order>,
    pace: Pace,
    /// Where about the player is: they come back to the middle (m).
    x: f32,
    z: f32,
    heading: f32,
}

/// How far from the middle players go before they turn back (m).
const FIELD: f32 = 8.0;
/// Turns of less than this in one step are not meant (rad).
const STRAIGHT: f32 = 0.07;

impl<R: Rng> Player<'_, R> {
    /// One decision and its steps.
    fn turn_of_play(&mut self) {
        let fierce = self.temperament == Temperament::Fierce;
        let dice = self.rng.random_range(0.0..1.0_f32);
        match self.pace {
            Pace::Stand => match dice {
                d if d < 0.3 => self.shuffle(),
                d if d < 0.6 => self.start(Pace::Walk),
                _ => self.start(Pace::Jog),
            },
            Pace::Walk => match dice {
                d if d < 0.30 => self.cruise(2),
                d if d < 0.62 => self.turn(),
                d if d < 0.95 => self.change(Pace::Jog),
                _ => self.halt(),
            },
            Pace::Jog | Pace::Run => match dice {
                d if d < 0.20 => self.cruise(2),
                d if d < 0.52 => self.turn(),
                d if d < 0.63 => self.quick_step(),
                d if d < 0.74 => self.dodge(),
                d if d < 0.86 => self.catch(),
                d if d < 0.94 => {
                    let other = if self.pace == Pace::Run { Pace::Jog } else { Pace::Run };
                    self.change(other);
                }
                d if d < 0.975 || fierce => self.change(Pace::Walk),
                _ => self.halt(),
            },
        }
    }

    fn elapsed(&self) -> f32 {
        self.orders.iter().map(|order| order.gait.period).sum()
    }

    /// The usual speed of a pace (m/s), a little different every time.
    fn speed(&mut self, pace: Pace) -> f32 {
        let eager = if self.temperament == Temperament::Fierce { 1.08 } else { 0.97 };
        let usual = match pace {
            Pace::Stand => 0.0,
            Pace::Walk => 1.35,
            Pace::Jog => 3.0,
            Pace::Run => 3.9,
        };
        let scale = libm::sqrtf(self.stature / 1.75);
        usual * eager * scale * self.rng.random_range(0.97..1.03)
    }

    fn gait(&self, pace: Pace, speed: f32) -> Gait {
        match pace {
            Pace::Stand => STAND,
            Pace::Walk => Gait::walk(speed, self.stature),
            Pace::Jog | Pace::Run => Gait::run(speed, self.stature),
        }
    }

    /// Appends a step and keeps count.
    fn step(&mut self, order: Order) {
        self.heading += order.turn;
        let (sin, cos) = (libm::sinf(self.heading), libm::cosf(self.heading));
        self.x += (order.ahead * sin + order.aside * cos) * order.gait.period;
        self.z += (order.ahead * cos - order.aside * sin) * order.gait.period;
        self.side = self.side.other();
        self.orders.push(order);
    }

    /// A step of the pace, turning a little to stay on the field.
    fn stride(&mut self, turn: f32) {
        let speed = self.speed(self.pace);
        // Corners are taken slower.
        let ahead = speed * (1.0 - 0.35 * turn.abs().min(0.8));
        let gait = self.gait(self.pace, ahead);
        let name = match (self.pace, turn) {
            (Pace::Stand, _) => "idle",
            (Pace::Walk, turn) if turn > STRAIGHT => "walk-left",
            (Pace::Walk, turn) if turn < -STRAIGHT => "walk-right",
            (Pace::Walk, _) => "walk",
            (Pace::Jog, turn) if turn > STRAIGHT => "jog-left",
            (Pace::Jog, turn) if turn < -STRAIGHT => "jog-right",
            (Pace::Jog, _) => "jog",
            (Pace::Run, turn) if turn > STRAIGHT => "run-left",
            (Pace::Run, turn) if turn < -STRAIGHT => "run-right",
            (Pace::Run, _) => "run",
        };
        self.step(Order { annotation: Annotation::of(name), gait, ahead, aside: 0.0, turn, reach: None });
    }

    fn cruise(&mut self, n_steps: usize) {
        for _ in 0..n_steps {
            let turn = self.rng.random_range(-0.03..0.03);
            self.stride(turn);
        }
    }

    /// A turn by some angle over as many steps as the speed needs.
    fn turn(&mut self) {
        let (most, sharpest) = match self.pace {
            Pace::Stand | Pace::Walk => (0.62, 0.9),
            Pace::Jog => (0.40, 1.0),
            Pace::Run => (0.30, 0.8),
        };
        let angle = self.rng.random_range(0.35..1.0_f32) * std::f32::consts::PI * sharpest;
        let way = self.way_back();
        let n_steps = libm::ceilf(angle / most) as usize;
        // The first and the last step of a turn turn less.
        let share = |k: usize| if n_steps > 2 && (k == 0 || k + 1 == n_steps) { 0.6 } else { 1.0 };
        let total: f32 = (0..n_steps).map(share).sum();
        for k in 0..n_steps {
            self.stride(way * angle * share(k) / total);
        }
    }

    /// The side to turn to (1 is left): towards the middle if it is far, any otherwise.
    fn way_back(&mut self) -> f32 {
        let left = self.x * -libm::cosf(self.heading) + self.z * libm::sinf(self.heading);
        let far = libm::hypotf(self.x, self.z) > 0.5 * FIELD;
        let coin = self.rng.random_bool(0.5);
        if far {
            libm::copysignf(1.0, left)
        } else if coin {
            1.0
        } else {
            -1.0
        }
    }

    /// Aside by two steps while going on: pushed off with the foot on the other side.
    fn quick_step(&mut self) {
        let (way, name) = self.sidestep("quick-step-left", "quick-step-right");
        let aside = way * self.rng.random_range(0.8..1.15);
        self.aside_steps(name, &[aside, 0.5 * aside], 0.95, 0.0);
    }

    /// Out of somebody's reach: low, far aside, and on.
    fn dodge(&mut self) {
        let (way, name) = self.sidestep("dodge-left", "dodge-right");
        let aside = way * self.rng.random_range(1.4..1.9);
        self.aside_steps(name, &[aside, aside], 0.78, 0.045);
    }

    /// A side for a side step, such that the other foot pushes off next.
    fn sidestep(&mut self, left: &'static str, right: &'static str) -> (f32, &'static str) {
        let to_left = self.rng.random_bool(0.5);
        let pushes = if to_left { Side::Right } else { Side::Left };
        if self.side != pushes {
            self.cruise(1);
        }
        if to_left { (1.0, left) } else { (-1.0, right) }
    }

    fn aside_steps(&mut self, name: &'static str, asides: &[f32], slowing: f32, low: f32) {
        let speed = self.speed(self.pace) * slowing;
        for &aside in asides {
            let mut gait = self.gait(self.pace, speed);
            gait.level -= low;
            gait.width += 0.02;
            self.step(Order {
                annotation: Annotation::of(name),
                gait,
                ahead: speed,
                aside,
                turn: 0.0,
                reach: None,
            });
        }
        self.cruise(1);
    }

    /// A hand thrown out to tag somebody, while the other foot strikes.
    fn catch(&mut self) {
        let hand = if self.rng.random_bool(0.5) { Side::Left } else { Side::Right };
        if self.side == hand {
            self.cruise(1);
        }
        let speed = self.speed(self.pace);
        let gait = self.gait(self.pace, speed);
        let annotation = Annotation::sided(hand, "catch");
        self.step(Order { annotation, gait, ahead: speed, aside: 0.0, turn: 0.0, reach: Some(hand) });
        self.cruise(1);
    }

    /// Faster or slower, over two steps.
    fn change(&mut self, pace: Pace) {
        let (from, to) = (self.orders.last().map_or(0.0, |order| order.ahead), self.speed(pace));
        let runs = pace != Pace::Walk || from > 2.2;
        for share in [0.5, 0.9] {
            let speed = from + share * (to - from);
            let running = runs && speed > 1.9;
            let gait = self.gait(if running { Pace::Jog } else { Pace::Walk }, speed);
            let name = if running { if speed > 3.4 { "run" } else { "jog" } } else { "walk" };
            self.step(Order {
                annotation: Annotation::of(name),
                gait,
                ahead: speed,
                aside: 0.0,
                turn: 0.0,
                reach: None,
            });
        }
        self.pace = pace;
        self.cruise(1);
    }

    /// From standing to a pace.
    fn start(&mut self, pace: Pace) {
        let to = self.speed(pace);
        let shares: &[f32] = if pace == Pace::Walk { &[0.75] } else { &[0.4, 0.8] };
        for &share in shares {
            let speed = to * share;
            let gait = self.gait(if speed > 1.9 { pace } else { Pace::Walk }, speed);
            self.step(Order {
                annotation: Annotation::of("start"),
                gait,
                ahead: speed,
                aside: 0.0,
                turn: 0.0,
                reach: None,
            });
        }
        self.pace = pace;
        self.cruise(2);
    }

    /// To a stand, feet beside each other.
    fn stop(&mut self) {
        let from = self.orders.last().map_or(0.0, |order| order.ahead);
        let shares: &[f32] = if from > 2.0 { &[0.62, 0.30, 0.06] } else { &[0.5, 0.06] };
        for &share in shares {
            let speed = from * share;
            let gait = if speed > 1.8 {
                self.gait(Pace::Jog, speed)
            } else {
                Gait::walk(speed.max(0.7), self.stature)
            };
            self.step(Order {
                annotation: Annotation::of("stop"),
                gait,
                ahead: speed,
                aside: 0.0,
                turn: 0.0,
                reach: None,
            });
        }
        let gait = Gait { period: 0.4, ..STAND };
        self.step(Order {
            annotation: Annotation::of("stop"),
            gait,
            ahead: 0.0,
            aside: 0.0,
            turn: 0.0,
            reach: None,
        });
        self.pace = Pace::Stand;
    }

    fn halt(&mut self) {
        self.stop();
        let seconds = self.rng.random_range(0.5..1.1);
        self.stand(seconds);
    }

    fn stand(&mut self, seconds: f32) {
        let gait = Gait { period: seconds, ..STAND };
        for gait in [Gait { period: 0.05, ..gait }, gait] {
            if self.orders.is_empty() || gait.period > 0.1 {
                self.step(Order {
                    annotation: Annotation::of("idle"),
                    gait,
                    ahead: 0.0,
                    aside: 0.0,
                    turn: 0.0,
                    reach: None,
                });
            }
        }
    }

    /// Quick low steps aside or back, facing ahead.
    fn shuffle(&mut self) {
        let gait = Gait::shuffle(self.stature);
        let speed = self.rng.random_range(0.8..1.1);
        let (name, ahead, aside, leads) = match self.rng.random_range(0..3) {
            0 => ("step-left", 0.0, speed, Side::Left),
            1 => ("step-right", 0.0, -speed, Side::Right),
            _ => ("step-back", -speed, 0.0, self.side),
        };
        if self.side != leads {
            self.step(Order {
                annotation: Annotation::of("idle"),
                gait,
                ahead: 0.0,
                aside: 0.0,
                turn: 0.0,
                reach: None,
            });
        }
        for _ in 0..4 {
            self.step(Order { annotation: Annotation::of(name), gait, ahead, aside, turn: 0.0, reach: None });
        }
        self.step(Order {
            annotation: Annotation::of("stop"),
            gait,
            ahead: 0.0,
            aside: 0.0,
            turn: 0.0,
            reach: None,
        });
        let seconds = self.rng.random_range(0.4..0.6);
        self.stand(seconds);
    }
}

//! A routine: what a swordsman does in one take, in which order, and when.

use std::f32::consts::{FRAC_PI_4, TAU};
use std::sync::Arc;

use glam::Vec3;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::annotation::STEPS;
use randori_motion::{Annotation, Ground, Placement};

use super::BLADE;
use super::moves::Line;
use super::swordsman::{Guard, Swordsman};
use crate::fighter::Push;
use crate::performance::{Casting, Performance, Temperament};
use crate::performer::Stance;
use crate::stroke::Channel;

/// One thing in a phrase.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    /// A cut where one stands.
    Cut(Line),
    /// A cut with a step ahead.
    Pass(Line),
    Block(Line),
    Feint(Line),
    Lunge,
}

use Act::{Block, Cut, Feint, Lunge, Pass};
use Line::{Left, LeftUpper, Overhead, Right, RightUpper};

/// What swordsmen do in one go. A take goes through all of them in an order of its own, then again.
const PHRASES: &[&[Act]] = &[
    &[Cut(Overhead)],
    &[Cut(Left)],
    &[Cut(LeftUpper)],
    &[Cut(Right)],
    &[Cut(RightUpper)],
    &[Pass(Overhead)],
    &[Pass(Left)],
    &[Pass(LeftUpper)],
    &[Pass(Right)],
    &[Pass(RightUpper)],
    &[Pass(RightUpper), Cut(LeftUpper)],
    &[Cut(LeftUpper), Cut(RightUpper)],
    &[Cut(Right), Pass(Left)],
    &[Pass(Left), Cut(Right)],
    &[Cut(Overhead), Pass(Right)],
    &[Pass(RightUpper), Cut(Left), Cut(Overhead)],
    &[Block(Overhead)],
    &[Block(Left)],
    &[Block(LeftUpper)],
    &[Block(Right)],
    &[Block(RightUpper)],
    &[Block(Overhead), Cut(Right)],
    &[Block(Left), Cut(RightUpper)],
    &[Block(Right), Cut(LeftUpper)],
    &[Block(LeftUpper), Pass(RightUpper)],
    &[Block(RightUpper), Cut(Left)],
    &[Block(Left), Block(Right)],
    &[Block(RightUpper), Block(LeftUpper)],
    &[Block(Overhead), Cut(Overhead)],
    &[Feint(Overhead), Cut(Right)],
    &[Feint(RightUpper), Pass(LeftUpper)],
    &[Feint(Left), Cut(Overhead)],
    &[Feint(LeftUpper), Cut(RightUpper)],
    &[Feint(Right), Cut(Left)],
    &[Lunge],
    &[Lunge],
    &[Block(Right), Lunge],
];

/// How somebody goes about sword work.
pub(crate) struct Manner {
    /// How fast cuts are (-).
    pace: f32,
    /// Steps and pauses between phrases, at least and at most.
    moves: [u32; 2],
    /// How long one stands between two steps (s), at least and at most.
    pub(crate) stands: [f32; 2],
    /// Lowers the stance by so much (-).
    low: f32,
}

impl Manner {
    pub(crate) fn of(temperament: Temperament) -> Manner {
        match temperament {
            Temperament::Calm => Manner { pace: 0.98, moves: [1, 3], stands: [0.10, 0.45], low: 0.0 },
            Temperament::Fierce => Manner { pace: 1.06, moves: [0, 2], stands: [0.06, 0.25], low: 0.015 },
        }
    }

    /// How somebody of this manner stands.
    pub(crate) fn stance(&self) -> Stance {
        Stance { height: Stance::SWORDSMAN.height - self.low, ..Stance::SWORDSMAN }
    }
}

/// One take.
pub(super) fn perform(casting: &Casting, take: usize, seconds: f32) -> Performance {
    let mut rng = ChaCha8Rng::seed_from_u64(casting.seed ^ 0x0073_776f_7264);
    rng.set_stream(take as u64);
    let manner = Manner::of(casting.temperament);
    let origin = Placement { position: Ground::default(), heading: rng.random_range(0.0..TAU) };
    let body = Arc::new(casting.build.body().armed(BLADE));
    let man = Swordsman::new(body, manner.stance(), origin, rng.random());
    let mut routine = Routine { man, manner, rng, idle_since: Some(0.0), guard: Guard::Middle };
    routine.man.fighter.pace = routine.manner.pace;
    routine.play(seconds);
    let name = format!("sword-{}", take + 1);
    let clip = routine.man.clip(&name, seconds);
    let mut script = routine.man.fighter.script;
    script.retain(|beat| beat.end <= seconds);
    script.sort_by(|a, b| a.start.total_cmp(&b.start));
    Performance { name, body: Arc::clone(routine.man.fighter.performer.body()), clip, script }
}

struct Routine {
    man: Swordsman,
    manner: Manner,
    rng: ChaCha8Rng,
    /// Since when nothing was noted (s).
    idle_since: Option<f32>,
    /// Where the sword waits.
    guard: Guard,
}

/// How far from where they began people stay (m).
const ROOM: f32 = 1.8;

impl Routine {
    fn play(&mut self, seconds: f32) {
        self.man.fighter.landed = 0.2;
        let mut deck: Vec<&[Act]> = Vec::new();
        while self.man.fighter.landed < seconds {
            for _ in 0..self.rng.random_range(self.manner.moves[0]..=self.manner.moves[1]) {
                self.move_about();
            }
            if deck.is_empty() {
                deck.extend_from_slice(PHRASES);
                deck.shuffle(&mut self.rng);
            }
            if let Some(phrase) = deck.pop() {
                self.phrase(phrase);
            }
        }
    }

    /// A pause, a step in one of eight directions, or a turn.
    fn move_about(&mut self) {
        let here = self.man.fighter.performer.path().last();
        let homewards = libm::hypotf(here.position.x, here.position.z) > ROOM;
        let kind: f32 = self.rng.random();
        if kind < 0.22 && !homewards {
            self.wait();
        } else if kind < 0.80 || homewards {
            let home = here.point_from_world(Vec3::ZERO);
            let eighth = if homewards {
                libm::roundf(libm::atan2f(home.x, home.z) / FRAC_PI_4) as i32
            } else {
                self.rng.random_range(0..8)
            };
            self.step(eighth.rem_euclid(8));
        } else {
            let turn = self.rng.random_range(0.6..1.0f32);
            let turn = if self.rng.random() { turn } else { -turn };
            self.turn(turn);
        }
    }

    /// Stands a while, shifts the weight and gathers the feet, the sword ready.
    fn wait(&mut self) {
        let fighter = &mut self.man.fighter;
        self.idle_since.get_or_insert(fighter.landed);
        let start = fighter.landed + self.rng.random_range(0.1..0.35f32);
        let shift = fighter.spread(0.16);
        let shape = Push { peak: start + 0.3, rise: 0.35, hold: 0.15, fall: 0.4 };
        fighter.push(Channel::Load, shape, shift);
        let gives = 0.012 + fighter.spread(0.012);
        fighter.push(Channel::Crouch, shape, gives);
        let stray = Placement {
            position: Ground { x: fighter.spread(0.04), z: fighter.spread(0.04) },
            heading: fighter.spread(0.08),
        };
        let to = fighter.performer.path().last().then(stray);
        let swing = 0.19 * fighter.about(0.1);
        fighter.landed = fighter.step_to(start, to, swing, 0.03) + 0.08;
        if self.man.track.end() < start {
            let duration = 0.45 * self.man.fighter.about(0.2);
            let end = self.man.recover(self.guard, start, duration);
            self.man.fighter.landed = self.man.fighter.landed.max(end - 0.1);
        }
    }

    fn idle_ends(&mut self) {
        let end = self.man.fighter.landed;
        if let Some(since) = self.idle_since.take().filter(|since| end > since + 0.3) {
            self.man.fighter.note(Annotation::of("idle"), since, None, end);
        }
    }

    /// A step: 0 is ahead, then on to the left in eighths of a turn.
    fn step(&mut self, eighth: i32) {
        self.idle_ends();
        let angle = eighth as f32 * FRAC_PI_4 + self.man.fighter.spread(0.14);
        let length = self.rng.random_range(0.26..0.48f32);
        let position = Ground { x: length * libm::sinf(angle), z: length * libm::cosf(angle) };
        // Steps to the side go round the opponent who is not there.
        let heading = -0.35 * position.x + self.man.fighter.spread(0.05);
        self.go(Placement { position, heading }, STEPS[eighth as usize % 8]);
    }

    fn turn(&mut self, by: f32) {
        self.idle_ends();
        let position = Ground { x: self.man.fighter.spread(0.03), z: self.man.fighter.spread(0.03) };
        let name = if by > 0.0 { "turn-left" } else { "turn-right" };
        self.go(Placement { position, heading: by }, name);
    }

    /// The feet go, one after the other; weight comes off each before it leaves.
    fn go(&mut self, by: Placement, name: &'static str) {
        let pause = self.rng.random_range(self.manner.stands[0]..self.manner.stands[1]);
        let fighter = &mut self.man.fighter;
        let begins = fighter.landed;
        let start = begins + pause.max(0.08);
        let to = fighter.performer.path().last().then(by);
        let length = libm::hypotf(by.position.x, by.position.z) + 0.25 * by.heading.abs();
        let swing = (0.17 + 0.12 * length) * fighter.about(0.08);
        let lift = 0.025 + 0.055 * length;
        let end = fighter.step_to(start, to, swing, lift);
        let dip = Push { peak: start + 0.5 * swing, rise: 0.2, hold: swing, fall: 0.3 };
        let gives = 0.018 * fighter.about(0.4);
        fighter.push(Channel::Crouch, dip, gives);
        let lean = 0.16 * by.position.x;
        fighter.push(Channel::Lean, dip, lean);
        fighter.push(Channel::Bow, dip, 0.12 * by.position.z);
        fighter.landed = end;
        fighter.note(Annotation::of(name), begins.max(start - 0.15), None, end);
    }

    /// Does one thing after the other, and comes back to the guard.
    fn phrase(&mut self, phrase: &[Act]) {
        self.idle_ends();
        let pause = 0.06 + 0.08 * self.rng.random::<f32>();
        let mut t = (self.man.fighter.landed + pause).max(self.man.track.end());
        let mut is_back = false;
        for act in phrase {
            (t, is_back) = match act {
                Cut(line) => {
                    let ahead = 0.05 + self.man.fighter.spread(0.06);
                    (self.man.cut(*line, t, ahead), false)
                }
                Pass(line) => {
                    let ahead = self.rng.random_range(0.24..0.46f32);
                    (self.man.cut(*line, t, ahead), false)
                }
                Block(line) => {
                    let stay = self.rng.random_range(0.12..0.34f32);
                    let back = self.rng.random_bool(0.3);
                    if back {
                        let by = Placement {
                            position: Ground { x: 0.0, z: -self.rng.random_range(0.1..0.25f32) },
                            heading: 0.0,
                        };
                        let fighter = &mut self.man.fighter;
                        let to = fighter.performer.path().last().then(by);
                        let start = t.max(fighter.landed + 0.02);
                        fighter.landed = fighter.step_to(start, to, 0.19, 0.035);
                    }
                    (self.man.block(*line, t, stay), false)
                }
                Feint(line) => (self.man.feint(*line, t), false),
                Lunge => {
                    self.guard = Guard::Middle;
                    (self.man.lunge(t), true)
                }
            };
        }
        if !is_back {
            self.guard = if self.rng.random_bool(0.45) { Guard::High } else { Guard::Middle };
            let duration = 0.46 * self.man.fighter.about(0.12);
            t = self.man.recover(self.guard, t, duration) - 0.1;
        }
        self.man.fighter.landed = self.man.fighter.landed.max(t);
    }
}

//! Football: somebody runs with the ball and gets past tacklers or is brought down, and somebody else tackles.

mod footballer;

use std::sync::Arc;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::Side;

use crate::falling::{Dive, Fall};
use crate::figure::Figure;
use crate::performance::{Casting, Performance};
use crate::running::player::Who;
use footballer::Footballer;

/// How long one take is, about (s).
const TAKE: f32 = 40.0;
/// Nobody asks for more than this (s): an hour.
const LONGEST: f32 = 3600.0;

/// Takes that last so long together, in turn of a runner with the ball under one arm, who turns, dodges, spins, jumps over
/// somebody, is tackled from all sides and gets up, and of a tackler, who dives at legs and waist of somebody ahead, aside
/// or running away.
///
/// ```
/// use randori_actor::{Casting, Temperament, football};
/// use randori_motion::Build;
/// let casting = Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds: 60.0 };
/// let takes = football(&casting);
/// assert_eq!(takes.len(), 2);
/// assert!(takes[1].script.iter().any(|beat| beat.annotation.name().starts_with("tackle-")));
/// ```
pub fn football(casting: &Casting) -> Vec<Performance> {
    let seconds = if casting.seconds.is_finite() { casting.seconds.clamp(0.0, LONGEST) } else { 0.0 };
    let n_takes = (libm::roundf(seconds / TAKE) as u64).max(1);
    let seconds = seconds / n_takes as f32;
    let figure = Figure::new(Arc::new(casting.build.body()));
    let mut rng = ChaCha8Rng::seed_from_u64(casting.seed ^ 0x666f_6f74_6261);
    let mut decks = Role::BOTH.map(|role| Deck { role, cards: Vec::new() });
    (0..n_takes)
        .map(|take| {
            let first = if rng.random_bool(0.5) { Side::Left } else { Side::Right };
            let who = Who { temperament: casting.temperament, stature: figure.stature(), take };
            let deck = &mut decks[take as usize % 2];
            // Runners carry the ball in one arm in one take and in the other in the next.
            let ball = match deck.role {
                Role::Runner if take.is_multiple_of(4) => Some(Side::Right),
                Role::Runner => Some(Side::Left),
                Role::Tackler => None,
            };
            let name = format!("{}-{}", deck.role.name(), take / 2 + 1);
            let mut player = Footballer::new(&mut rng, who, first, ball);
            while let Some(play) = deck.draw(seconds - player.busy_until(), player.rng()) {
                player.make(play);
            }
            let act = player.rest(seconds);
            act.perform(&figure, &name, seconds, rng.random())
        })
        .collect()
}

/// What somebody is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Runner,
    Tackler,
}

impl Role {
    const BOTH: [Role; 2] = [Role::Runner, Role::Tackler];

    fn name(self) -> &'static str {
        match self {
            Role::Runner => "football-runner",
            Role::Tackler => "football-tackler",
        }
    }
}

/// Something a player does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Play {
    /// Turns by an angle (rad).
    Turn(f32),
    QuickStep(Side),
    Dodge(Side),
    /// Once round while running on.
    Spin(Side),
    /// Over somebody who lies or dives there.
    JumpOver,
    /// As fast as can be for a while.
    Sprint,
    /// Slower for a while.
    Jog,
    /// Stops, steps aside or back, and starts again.
    Halt(Option<Side>),
    /// Goes down at a run, or out of a stand.
    Down(Fall),
}

impl Play {
    /// The longest it takes (s).
    fn longest(self) -> f32 {
        match self {
            Play::Turn(angle) => 1.3 + 1.2 * angle,
            Play::QuickStep(_) | Play::Dodge(_) => 2.2,
            Play::Spin(_) | Play::JumpOver => 2.4,
            Play::Sprint | Play::Jog => 4.0,
            Play::Halt(_) => 6.5,
            Play::Down(_) => 9.0,
        }
    }
}

/// Dives at the legs and at the waist of somebody ahead, to either side, and after somebody who runs away.
const LEGS: Dive = Dive { flight: 0.22, heights: [0.42, 0.17], yaw: 0.0 };
const WAIST: Dive = Dive { flight: 0.30, heights: [0.50, 0.24], yaw: 0.0 };
const LEFT: Dive = Dive { flight: 0.27, heights: [0.46, 0.20], yaw: 0.85 };
const RIGHT: Dive = Dive { yaw: -0.85, ..LEFT };
const BEHIND: Dive = Dive { flight: 0.38, heights: [0.46, 0.16], yaw: 0.0 };

/// What is still to be done in a role, drawn from the end; what one take has no time for is done in the next.
struct Deck {
    role: Role,
    cards: Vec<Play>,
}

impl Deck {
    /// The next play that is over in so many seconds, if there is one.
    fn draw(&mut self, within: f32, rng: &mut ChaCha8Rng) -> Option<Play> {
        if self.cards.is_empty() {
            let turns = [30.0..60.0, 60.0..110.0, 110.0..185.0_f32]
                .map(|degrees| Play::Turn(rng.random_range(degrees).to_radians()));
            self.cards.extend(turns);
            self.cards.extend(Side::BOTH.map(Play::QuickStep));
            self.cards.extend([Play::Sprint, Play::Jog]);
            match self.role {
                Role::Runner => {
                    self.cards.extend(Side::BOTH.map(Play::Dodge));
                    self.cards.extend(Side::BOTH.map(Play::Spin));
                    self.cards.extend([Play::JumpOver, Play::JumpOver, Play::Halt(None)]);
                    let falls = [Fall::TackledFront, Fall::TackledBehind, Fall::Forward, Fall::Back];
                    self.cards.extend(falls.map(Play::Down));
                    self.cards.extend(Side::BOTH.map(|side| Play::Down(Fall::TackledSide(side))));
                    self.cards
                        .push(Play::Down(Fall::Aside([Side::Left, Side::Right][rng.random_range(0..2)])));
                }
                Role::Tackler => {
                    self.cards.extend(Side::BOTH.map(|side| Play::Halt(Some(side))));
                    let dives = [LEGS, WAIST, LEFT, RIGHT, BEHIND];
                    self.cards.extend(dives.map(|dive| Play::Down(Fall::Dive(dive))));
                }
            }
            self.cards.shuffle(rng);
        }
        let at = self.cards.iter().rposition(|card| card.longest() <= within)?;
        Some(self.cards.remove(at))
    }
}

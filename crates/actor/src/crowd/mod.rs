//! People in a crowd: they stand about, look, step aside, take fright, and are pushed until they stumble or fall.

mod bystander;
mod pushes;

use std::sync::Arc;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::Side;

use crate::falling::Fall;
use crate::figure::Figure;
use crate::performance::{Casting, Performance};
use crate::running::player::Who;
use bystander::Bystander;
use pushes::Push;

/// Longest take (s).
const TAKE: f32 = 40.0;
/// Nobody asks for more than this (s): an hour.
const LONGEST: f32 = 3600.0;

/// Takes that last so long together, in which somebody stands in a crowd that nobody sees: waits and shifts the weight, looks
/// around, walks and turns a little, steps aside, jumps back in fright, is pushed from eight directions lightly and hard,
/// stumbles, falls to all sides and gets up.
///
/// ```
/// use randori_actor::{Casting, Temperament, crowd};
/// use randori_motion::Build;
/// let casting = Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds: 30.0 };
/// let takes = crowd(&casting);
/// assert_eq!(takes.len(), 1);
/// assert!(takes[0].script.iter().any(|beat| beat.annotation.name().starts_with("pushed-")));
/// ```
pub fn crowd(casting: &Casting) -> Vec<Performance> {
    let seconds = if casting.seconds.is_finite() { casting.seconds.clamp(0.0, LONGEST) } else { 0.0 };
    let n_takes = libm::ceilf(seconds / TAKE).max(1.0) as u64;
    let seconds = seconds / n_takes as f32;
    let figure = Figure::new(Arc::new(casting.build.body()));
    let mut rng = ChaCha8Rng::seed_from_u64(casting.seed ^ 0x0063_726f_7764);
    let mut deck = Deck::default();
    (0..n_takes)
        .map(|take| {
            let first = if rng.random_bool(0.5) { Side::Left } else { Side::Right };
            let who = Who { temperament: casting.temperament, stature: figure.stature(), take };
            let mut bystander = Bystander::new(&mut rng, who, first);
            while let Some(event) = deck.draw(seconds - bystander.seconds(), bystander.rng()) {
                bystander.suffer(event);
            }
            let act = bystander.rest(seconds);
            act.perform(&figure, &format!("crowd-{}", take + 1), seconds, rng.random())
        })
        .collect()
}

/// What happens to somebody in a crowd, or what they do about it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    /// Stands and shifts the weight.
    Wait,
    /// Looks to one side, or to both.
    Look(Option<Side>),
    /// Turns on the spot.
    Turn(Side),
    /// Walks a few steps.
    Walk,
    /// Makes room: to one side, ahead (1), straight (0) or back (-1).
    StepAside(Side, i8),
    /// Jumps back in fright.
    Fright,
    Push(Push),
    /// The toes catch on something.
    Stumble,
    Fall(Fall),
}

impl Event {
    /// The longest it takes (s).
    fn longest(self) -> f32 {
        match self {
            Event::Wait | Event::Turn(_) => 2.4,
            Event::Look(_) => 3.0,
            Event::Walk => 4.2,
            Event::StepAside(..) | Event::Fright => 2.0,
            Event::Push(push) => {
                if push.is_hard {
                    3.2
                } else {
                    2.0
                }
            }
            Event::Stumble => 5.2,
            Event::Fall(_) => 6.4,
        }
    }
}

/// What is still to happen, drawn from the end; what one take has no time for happens in the next.
#[derive(Default)]
struct Deck {
    cards: Vec<Event>,
}

impl Deck {
    /// The next event that is over in so many seconds, if there is one.
    fn draw(&mut self, within: f32, rng: &mut ChaCha8Rng) -> Option<Event> {
        if self.cards.is_empty() {
            let sides = Side::BOTH;
            self.cards.extend(Push::all().map(Event::Push));
            self.cards
                .extend(sides.into_iter().flat_map(|side| [1, 0, -1].map(|way| Event::StepAside(side, way))));
            self.cards.extend(sides.map(|side| Event::Look(Some(side))));
            self.cards.extend(sides.map(Event::Turn));
            self.cards.extend(sides.map(|side| Event::Fall(Fall::Aside(side))));
            self.cards.extend([Event::Fall(Fall::Back), Event::Fall(Fall::Forward)]);
            self.cards.extend([Event::Look(None), Event::Stumble, Event::Stumble]);
            self.cards.extend([Event::Wait, Event::Walk, Event::Fright]);
            self.cards.extend([Event::Wait, Event::Walk, Event::Fright]);
            self.cards.shuffle(rng);
        }
        let at = self.cards.iter().rposition(|card| card.longest() <= within)?;
        Some(self.cards.remove(at))
    }
}

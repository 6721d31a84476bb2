//! Two people who act at once, and are unpredictable on purpose: tag and sword as Markov games on motion graphs.
//!
//! What it refuses to do: it makes no motion, opens no file, reads no clock and prints nothing; graphs come from outside,
//! results are the same bits for any number of threads.
//!
//! Where to start reading: [`game`] says what is played, [`tag`] and [`sword`] are the rules, [`moves`] is what a graph has
//! to offer. [`table`] is the game as it is learned by [`mod@learn`] into [`values`]; [`decide`] is who decides and how,
//! [`habits`] what the adaptive ones learn. [`round`], [`contest`], [`answer`], [`behaviour`] and [`map`] play and measure, [`record`]
//! shows.
//!
//! Reference: \[Wampler2010\], sections 4, 7, 8 and 9.

pub mod game;
mod going;
pub mod moves;
pub mod sword;
pub mod tag;

pub mod learn;
pub mod table;
pub mod values;
mod visited;

pub mod decide;
pub mod habits;

pub mod answer;
pub mod behaviour;
pub mod contest;
pub mod map;
pub mod record;
pub mod round;

pub use decide::{Manner, Mind, Role};
pub use game::{Choices, Game, Outcome, Relation, Rules, Situation};
pub use learn::{Lesson, Size, learn};
pub use moves::{Doing, Move, Repertoire};
pub use values::Values;

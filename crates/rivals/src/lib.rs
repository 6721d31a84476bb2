//! Two people who act at once, and are unpredictable on purpose: tag and sword as Markov games on motion graphs.

pub mod contest;
pub mod decide;
pub mod game;
pub mod habits;
pub mod learn;
pub mod map;
pub mod moves;
pub mod round;
pub mod sword;
pub mod table;
pub mod tag;
pub mod values;

pub use game::{Choices, Game, Outcome, Relation, Rules, Situation};
pub use moves::{Doing, Move, Repertoire};

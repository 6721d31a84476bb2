//! Planning against somebody and with them: the game tree over two objectives.
//!
//! Two sides choose actions that take time, so turns need not alternate: a long action may be answered by several short
//! ones. Every choice is scored twice, for what it wins over the other ([`Edge::comp`]) and for what it gives to the
//! scene that both play in ([`Edge::coop`]). The side that plans looks a number of choices ahead and takes the one that
//! serves it best, given that the other does the same.
//!
//! What it refuses to do: it knows no body, no motion, no weights and no file, reads no clock and prints nothing. It
//! sees a [`World`] through one small trait, so that the same search plays duels of people, formations of teams and the
//! toy games of its tests. Nothing is kept from one search to the next, so weights and data may change in between. The
//! decision is the same, bit by bit, for any number of threads.
//!
//! Where to start reading: [`world`] says what is searched, [`search`](fn@search) is the way in, [`plain`] is the
//! definition of what is found, and [`pruned`] finds the same sooner, with the proof that it does.
//!
//! Reference: \[Shum2012\], section V; section IX for opponents with habits.
//! Differs from the paper: the tree is pruned exactly, and scores are kept on a [grid](score::GRID).
//!
//! ```
//! use randori_gametree::{Edge, Player, Settings, Workspace, World, search};
//!
//! /// Whoever is to move takes one, two or three matches, and wins a point by taking the last.
//! struct Matches;
//!
//! impl World for Matches {
//!     type State = (Player, u32);
//!     type Choice = u32;
//!     fn turn(&self, &(player, left): &Self::State) -> Option<Player> {
//!         (left > 0).then_some(player)
//!     }
//!     fn choices(&self, &(_, left): &Self::State, out: &mut Vec<u32>) {
//!         out.extend(1..=left.min(3));
//!     }
//!     fn play(&self, &(player, left): &Self::State, taken: u32) -> (Self::State, Edge) {
//!         let won = if taken == left { 1.0 } else { 0.0 };
//!         ((player.opponent(), left - taken), Edge { comp: won, coop: 0.0 })
//!     }
//! }
//!
//! let decision = search(&Matches, &(Player::Max, 7), &Settings { depth: 7, ..Settings::default() }, &mut Workspace::default());
//! assert_eq!(decision.choice, Some(3), "leave a multiple of four");
//! assert_eq!(decision.scores.comp, 1.0);
//! ```

pub mod world;

pub mod score;

mod search;

pub mod plain;

pub mod pruned;

mod early;

mod last;

mod memory;

pub use score::Scores;
pub use search::{Candidate, Decision, Method, Opponent, Rule, Settings, Statistics, Workspace, search};
pub use world::{Bounds, Edge, Player, Promise, World};

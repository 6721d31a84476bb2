//! People on a stage who plan: the arena as a game, searched by the game tree.
//!
//! [`game`] shows a stage to the search as a [`World`](randori_gametree::World): plausible actions as choices, what the
//! stage makes of them, what both objectives say. [`planner`] is the controller that asks it; [`census`] counts what
//! such trees are made of, and [`explain`] shows one to people. [`wits`] is a controller of another kind: it draws from the
//! mixed policy of tag.
//!
//! What it refuses to do: the arena knows no search and the search no body; this is where they meet, and nothing else is
//! here. It opens no file, reads no clock and prints nothing.
//!
//! Reference: \[Shum2012\], sections V to VII.

pub mod census;
pub mod explain;
pub mod game;
pub mod planner;
pub mod teams;
pub mod wits;

pub use game::Game;
pub use planner::Planner;
pub use wits::Wits;

//! Two people in constant time: a graph of what they can get into with each other, and policies on it.
//!
//! Made ahead of time: [`duel`] lays out two people of one library, [`sample`] explores what they get into, led by what
//! [`interaction`] says about how much they have to do with each other, [`build`](mod@build) makes a [`Graph`] of it,
//! [`file`](mod@file) keeps it, and [`draft`](mod@draft) what is not finished. Nothing up to here knows a reward.
//!
//! Asked at run time: [`reward`] says what an edge is worth, [`policy`] looks several choices ahead over all states at
//! once, [`background`] does so while play goes on, and [`player`] is the controller that looks up what to do; [`carriers`]
//! does so for two who carry something.
//! Start reading with [`pairing`], which says what a state is.
//!
//! What it refuses to do: it moves nobody. A state says what to do; the stage goes on from where people are, so that
//! nothing slides for having been looked up. It opens no file, reads no clock and prints nothing.
//!
//! Reference: \[Shum2008b\].

pub mod background;
pub mod build;
pub mod carriers;
mod cluster;
pub mod draft;
pub mod duel;
pub mod file;
pub mod graph;
pub mod interaction;
mod manner;
pub mod pairing;
pub mod player;
pub mod policy;
pub mod reward;
pub mod sample;

pub use build::{Settings, build};
pub use duel::Duel;
pub use graph::{Graph, StateId};
pub use pairing::Pairing;
pub use player::Player;
pub use policy::Policy;

//! Several people in one world: what happens when they act at the same time.
//!
//! [`bodies`] lays out who is where in every frame, [`hits`] tells which blows land, [`sweep`] when a moving part of one body meets a moving part of another, [`combination`] how well a defence
//! suits an attack, [`style`] what somebody is after.
//!
//! It knows no particular planner, opens no file, reads no clock and prints nothing.

pub mod bodies;
pub mod combination;
pub mod hits;
pub mod particles;
pub mod reactions;
pub mod style;
pub mod sweep;

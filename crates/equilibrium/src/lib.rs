//! The mathematics of zero-sum games: matrix games, Markov games, their value functions, and opponents with habits.
//!
//! What it refuses to do: it knows no body and no file, reads no clock and prints nothing. Results are the same bits
//! for any number of threads.

pub mod arcade;
pub mod basis;
pub mod bias;
pub mod conformance;
pub mod exploit;
pub mod finite;
pub mod game;
pub mod grid;
pub mod incremental;
mod linear;
pub mod lspi;
pub mod lsqr;
pub mod matrix;
pub mod nested;
pub mod report;
pub mod toys;

//! The mathematics of zero-sum games: matrix games, Markov games, their value functions, and opponents with habits.
//!
//! What it refuses to do: it knows no body and no file, reads no clock and prints nothing. Results are the same bits
//! for any number of threads. Everywhere the agent maximises and chooses columns, the opponent minimises and chooses
//! rows.
//!
//! Where to start reading: [`matrix`] solves a game given as a matrix, [`incremental`] one whose entries are dear;
//! [`game`] says what a Markov game is, [`finite`] and [`grid`] solve one exactly; [`lspi`] learns a value function over
//! a [`basis`], [`nested`] makes the basis small; [`bias`] and [`exploit`] are about opponents who err. [`report`] and
//! [`figures`] are what the command prints.
//!
//! Reference: \[Wampler2010\], Wampler, Andersen, Herbst, Lee and Popović, "Character animation in two-player adversarial
//! games", ACM Transactions on Graphics, 2010.

pub mod matrix;

pub mod incremental;

pub mod game;

pub mod conformance;

pub mod finite;

pub mod grid;

pub mod toys;

pub mod arcade;

pub mod basis;

pub mod lsqr;

pub mod lspi;

pub mod nested;

#[cfg(feature = "mpi")]
pub mod mpi;

pub mod bias;

pub mod exploit;

pub mod figures;

pub mod report;

mod linear;

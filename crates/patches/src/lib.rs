//! Interaction patches: short interactions of two people, made ahead of time and joined into scenes of hundreds.
//!
//! Made ahead of time: a [`pattern`] says who does what in which order; [`making`] finds all ways in which two people of
//! a library do so, each a [`patch`](mod@patch), and how patches can be joined, which the [`tables`] tell. The [`set`] holds both and
//! [`file`](mod@file) keeps it. Start reading with [`patch`](mod@patch).
//!
//! On line: [`composing`] puts scenes together from them.
//!
//! It opens no file, reads no clock and prints nothing.
//!
//! Reference: \[Shum2008\].

pub mod composing;
pub mod making;

pub mod file;
pub mod patch;
pub mod pattern;
pub mod set;
pub mod tables;

pub use patch::{Initial, Lines, Patch, Role, Stint};
pub use pattern::Pattern;
pub use set::{PatchId, Patches};

//! The mathematics of zero-sum games.
pub mod matrix;

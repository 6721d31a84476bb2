//! Takes out: files, pictures and the linter.
//!
//! Everything here starts from a [`randori_motion::Take`] or from a file that holds one, and knows nothing
//! of the browser or of any particular planner.

pub mod check;
pub mod export;
pub mod files;
pub mod mannequin;
pub mod pictures;
pub mod refine;
pub mod render;

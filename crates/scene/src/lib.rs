//! Scene files in; takes out: files, pictures and the linter.
//!
//! [`screenplay`] holds what an animator writes, [`director`] has it played, and [`contest`] plays controllers against
//! each other. Everything else starts from a [`randori_motion::Take`] or from a file that holds one, and knows nothing of
//! the browser or of any particular planner.

pub mod check;
pub mod contacts;
pub mod contest;
pub mod director;
pub mod export;
pub mod files;
pub mod mannequin;
pub mod pictures;
pub mod refine;
pub mod render;
pub mod screenplay;
pub mod shipped;

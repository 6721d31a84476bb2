//! Takes out of the house: bytes of files that other tools open.
//!
//! Exporters return bytes; [`crate::files`] writes them.

mod buffers;
mod bvh;
pub mod glb;
mod positions;
mod usd;

pub use bvh::bvh;
pub use glb::{GlbOptions, glb};
pub use positions::joint_positions;
pub use usd::usd;

use randori_motion::formats::bvh::WriteError;
use randori_motion::take::TakeError;

/// Why a take could not be exported.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExportError {
    /// The take itself is broken.
    #[error(transparent)]
    Take(#[from] TakeError),
    /// Two frames have the same time as far as 32-bit numbers can tell.
    #[error("\"{name}\": frames {frame} and {next} both fall on {seconds} s in the file's 32-bit times", next = frame + 1)]
    Times {
        /// The character or prop.
        name: String,
        /// The first of the two frames, from 0.
        frame: usize,
        /// The time (s).
        seconds: f32,
    },
    /// An event holds what JSON cannot.
    #[error("the events cannot be written as JSON: {0}")]
    Events(String),
    /// The file would not fit its own 32-bit lengths.
    #[error("the file would be {0} bytes long; a GLB holds at most 4 GiB")]
    TooLarge(u64),
    /// A clip does not fit a BVH file.
    #[error("\"{name}\": {error}")]
    Bvh {
        /// The character.
        name: String,
        /// Why.
        error: WriteError,
    },
}

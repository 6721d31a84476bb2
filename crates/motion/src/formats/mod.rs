//! Captured motion in: bytes of a file to a [`Clip`] with warnings.
//!
//! Each format is a module of its own that reads bytes into a model of the file and turns that model into
//! a clip in house units. Nothing here opens a file. Any bytes give a result or an [`ImportError`] that
//! names the place and what was expected there: no panic, no hang, no memory beyond a small multiple of
//! the input.

pub mod asf;
pub mod bvh;
#[cfg(feature = "fbx")]
pub mod fbx;
pub mod gltf;

mod capture;
mod import;
mod scale;
mod text;

pub use import::{clip_name, import};

use std::fmt;

use crate::clip::Clip;
use crate::rate::FrameRate;

/// What an import should do where the file leaves a choice.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct ImportOptions {
    /// Metres per unit of the file; detected if `None`.
    pub scale: Option<f64>,
    /// The true rate; the file's own if `None`.
    pub rate: Option<FrameRate>,
    /// The axis that points up in the file; detected if `None`.
    pub up: Option<UpAxis>,
}

impl ImportOptions {
    /// Checks what no file can make sense of; every reader does so.
    pub fn validate(&self) -> Result<(), ImportError> {
        match self.scale {
            Some(scale) if !(1e-6..=1e6).contains(&scale) => {
                let expected = "a scale between 1e-6 and 1e6 metres per unit";
                Err(ImportError::new(Place::Whole, expected, scale.to_string()))
            }
            _ => Ok(()),
        }
    }
}

/// The axis of a file that points up. Its frames are right-handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpAxis {
    /// As in the house: nothing is turned.
    Y,
    /// As in robotics and many a studio: (x, y, z) becomes (x, z, -y).
    Z,
}

/// A clip and all that a person should know about how it came in.
#[derive(Clone, Debug)]
pub struct Import {
    /// The motion, in house units.
    pub clip: Clip,
    /// What the file says and what was made of it.
    pub source: Source,
    /// What was odd, but lost nothing.
    pub warnings: Vec<Warning>,
}

/// What an import found in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// The format.
    pub format: Format,
    /// Metres per unit of the file that were applied.
    pub metres_per_unit: f64,
    /// How the scale was found.
    pub scale_basis: Basis,
    /// The seconds per frame exactly as the file states them, if it does.
    pub stated_frame_time: Option<f64>,
    /// The axis that was taken to point up.
    pub up: UpAxis,
    /// Frames of the file before the clip's first: 1 where a T-pose in frame 0 was kept as rest pose only.
    pub frames_skipped: usize,
}

/// Where a choice of the import comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The format or the file says so.
    Stated,
    /// Guessed from the numbers.
    Detected,
    /// Forced by the caller.
    Given,
}

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Biovision hierarchy.
    Bvh,
    /// Acclaim skeleton and motion.
    AsfAmc,
    /// glTF 2.0, binary or text.
    Gltf,
    /// Autodesk FBX (feature `fbx`).
    Fbx,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Bvh => "BVH",
            Format::AsfAmc => "ASF/AMC",
            Format::Gltf => "glTF",
            Format::Fbx => "FBX",
        })
    }
}

/// Something odd in a file that lost nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// Where.
    pub place: Place,
    /// What, as a sentence without a full stop.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Whole => f.write_str(&self.message),
            place => write!(f, "{place}: {}", self.message),
        }
    }
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A line of a text file and a column in bytes, both from 1.
    Line {
        /// The line, from 1.
        line: usize,
        /// The byte of the line, from 1.
        column: usize,
    },
    /// A byte of a binary file, from 0.
    Offset(u64),
    /// A named part of the file, such as `accessors[3]`.
    Element(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Whole => f.write_str("file"),
            Place::Line { line, column } => write!(f, "line {line}, column {column}"),
            Place::Offset(offset) => write!(f, "byte {offset}"),
            Place::Element(element) => f.write_str(element),
        }
    }
}

/// Why a file could not be imported: where, what was expected and what was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: expected {expected}, found {found}")]
pub struct ImportError {
    /// Where.
    pub place: Place,
    /// What should have stood there.
    pub expected: String,
    /// What stands there.
    pub found: String,
    /// The offending line of a text file, shortened, for people to look at.
    pub excerpt: Option<String>,
}

impl ImportError {
    /// An error without an excerpt.
    pub fn new(place: Place, expected: impl Into<String>, found: impl Into<String>) -> ImportError {
        ImportError { place, expected: expected.into(), found: found.into(), excerpt: None }
    }
}

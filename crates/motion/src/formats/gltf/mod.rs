//! glTF 2.0, binary (GLB) and text, in two layers.
//!
//! [`Document`] is the file: nodes, skins and animations with all references checked, and an
//! [`Evaluator`] that says where every node is at any time. It makes sense of anybody's file.
//! [`import`] makes clips out of it: one for each character and animation.
//!
//! Buffers come from the file itself, from `data:` URIs, or through a function of the caller's, which is
//! only asked for files in the folder of the file or below.

mod accessor;
mod adapter;
mod cast;
mod container;
mod document;
mod evaluate;
mod json;
mod ours;
mod tempo;
mod uri;

#[cfg(feature = "fbx")]
pub(super) use adapter::characters;
pub use adapter::{ImportedCharacter, ImportedScene, import};
pub use document::{Animation, Channel, Document, Interpolation, Local, Node, Property, Sampler, Skin};
pub use evaluate::{Evaluator, WorldPose};
pub use uri::Resolve;
#[cfg(feature = "fbx")]
pub(super) use uri::shorten;

use crate::formats::{ImportError, Place};

/// An error at a named element of the file.
fn bad(element: impl Into<String>, expected: impl Into<String>, found: impl Into<String>) -> ImportError {
    ImportError::new(Place::Element(element.into()), expected, found)
}

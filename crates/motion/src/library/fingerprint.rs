//! Which library something was made of.

use serde::{Deserialize, Serialize};

use super::ActionLibrary;

/// Tells libraries apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Its name, for people.
    pub name: String,
    /// How many actions it has.
    pub actions: u32,
    /// How many nodes its graph has.
    pub nodes: u32,
    /// CRC-32 of its file.
    pub sum: u32,
}

impl Fingerprint {
    /// Of a library.
    pub fn of(library: &ActionLibrary) -> Fingerprint {
        Fingerprint {
            name: library.name.clone(),
            actions: library.actions().len() as u32,
            nodes: library.n_nodes() as u32,
            sum: crc32fast::hash(&library.to_bytes()),
        }
    }
}

//! Graphs that are not finished, in bytes: what a build goes on from that was interrupted.
//!
//! Behind the header of the [envelope](randori_motion::sealed) stand blocks as in a [graph](mod@crate::file): samples and pool
//! (20 bytes a pairing), rounds (24 bytes), edges of each state that has them (u32), and the edges.

use serde::{Deserialize, Serialize};

use randori_motion::ActionId;
use randori_motion::library::{Fingerprint, NodeId};
use randori_motion::sealed::{Broken, Seal};

use crate::build::{Draft, Settings};
use crate::duel::Duel;
use crate::file::{Blocks, read_edges, write_block, write_edges};
use crate::graph::EDGE_BYTES;
use crate::pairing::{Pairing, Relation};
use crate::sample::{Archive, Exploration, Round};

const SEAL: Seal = Seal { magic: b"randgrd\x1a", version: 1 };

/// Why bytes are not a draft that a build can go on from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DraftError {
    /// These bytes are something else.
    #[error("not an unfinished interaction graph")]
    NotADraft,
    /// Written by a later program, or an earlier one.
    #[error("an unfinished interaction graph of version {found}; this program reads version {}", SEAL.version)]
    Version {
        /// The version found.
        found: u32,
    },
    /// Cut off or changed.
    #[error("the unfinished interaction graph is damaged: {0}")]
    Damaged(String),
    /// Of something else.
    #[error("the unfinished interaction graph was made {what}")]
    Other {
        /// What is another: library, settings or program.
        what: &'static str,
    },
}

impl From<Broken> for DraftError {
    fn from(broken: Broken) -> DraftError {
        match broken {
            Broken::Other => DraftError::NotADraft,
            Broken::Version { found } => DraftError::Version { found },
            Broken::Damaged(what) => DraftError::Damaged(what),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Header {
    program: String,
    settings: String,
    library: String,
    actions: u32,
    nodes: u32,
    sum: u32,
    samples: usize,
    pool: usize,
    rounds: usize,
    is_over: bool,
    states: usize,
    edges: usize,
}

impl Draft {
    /// The draft as a file: versioned, with a checksum. It says which duel, which settings and which program it is of;
    /// `program` changes with all code that a graph depends on.
    pub fn to_bytes(&self, duel: &Duel, settings: &Settings, program: &str) -> Vec<u8> {
        let Draft { exploration: Exploration { archive, pool, is_over }, counts, edges } = self;
        let Fingerprint { name, actions, nodes, sum } = Fingerprint::of(duel.bodies().library());
        let header = Header {
            program: program.to_owned(),
            settings: told(duel, settings),
            library: name,
            actions,
            nodes,
            sum,
            samples: archive.samples.len(),
            pool: pool.len(),
            rounds: archive.rounds.len(),
            is_over: *is_over,
            states: counts.len(),
            edges: edges.targets.len(),
        };
        SEAL.close(&header, |body| {
            body.reserve(
                20 * (archive.samples.len() + pool.len()) + EDGE_BYTES * edges.targets.len() + 65536,
            );
            for pairings in [&archive.samples, pool] {
                write_block(body, &mut pairings.iter().flat_map(packed));
            }
            let round = |it: &Round| [it.expanded, it.explored, it.new].map(|n| (n as u64).to_le_bytes());
            write_block(body, &mut archive.rounds.iter().flat_map(round).flatten());
            write_block(body, &mut counts.iter().flat_map(|it| it.to_le_bytes()));
            write_edges(edges, body);
        })
    }

    /// Reads a draft of this duel, these settings and this program.
    pub fn from_bytes(
        bytes: &[u8],
        duel: &Duel,
        settings: &Settings,
        program: &str,
    ) -> Result<Draft, DraftError> {
        let (header, body, at) = SEAL.open::<Header>(bytes)?;
        let Header { library, actions, nodes, sum, .. } = &header;
        let of = Fingerprint { name: library.clone(), actions: *actions, nodes: *nodes, sum: *sum };
        for (is_same, what) in [
            (header.program == program, "by another version of the program"),
            (of == Fingerprint::of(duel.bodies().library()), "of another library"),
            (header.settings == told(duel, settings), "with other settings"),
        ] {
            if !is_same {
                return Err(DraftError::Other { what });
            }
        }
        let mut blocks = Blocks { body, at };
        let known = |it: &Pairing| {
            let Relation { distance, own, other } = it.relation;
            it.theirs.0 < *actions && it.node.0 < *nodes && (distance + own + other).is_finite()
        };
        let mut pairings = |n: usize| -> Result<Vec<Pairing>, DraftError> {
            let found: Vec<Pairing> = blocks.next(n)?.iter().map(unpacked).collect();
            if !found.iter().all(known) {
                return Err(DraftError::Damaged("it names actions that there are not".to_owned()));
            }
            Ok(found)
        };
        let (samples, pool) = (pairings(header.samples)?, pairings(header.pool)?);
        let round = |bytes: &[u8; 24]| {
            let n = |at: usize| bytes[at..at + 8].iter().rev().fold(0, |n, byte| n << 8 | usize::from(*byte));
            Round { expanded: n(0), explored: n(8), new: n(16) }
        };
        let rounds = blocks.next(header.rounds)?.iter().map(round).collect();
        let counts: Vec<u32> =
            (blocks.next(header.states)?.iter()).map(|it| u32::from_le_bytes(*it)).collect();
        let edges = read_edges(&mut blocks, header.edges)?;
        if counts.iter().map(|n| u64::from(*n)).sum::<u64>() != edges.targets.len() as u64 {
            return Err(DraftError::Damaged("its edges are not those of its states".to_owned()));
        }
        let starts = duel.openings(&settings.sampling.distances);
        let archive = Archive { starts, samples, rounds };
        Ok(Draft { exploration: Exploration { archive, pool, is_over: header.is_over }, counts, edges })
    }
}

/// All that decides what a graph of a library is.
fn told(duel: &Duel, settings: &Settings) -> String {
    let poise = duel.stage().cast[0].poise;
    format!("{:?} {poise:?} {settings:?}", duel.activity())
}

/// Set in the frame of somebody whose blow is spent.
const SPENT: u16 = 1 << 15;

fn packed(pairing: &Pairing) -> [u8; 20] {
    let Pairing { node, theirs, frame, is_spent, relation: Relation { distance, own, other } } = *pairing;
    let spent = if is_spent { SPENT } else { 0 };
    let mut bytes = [0; 20];
    bytes[0..2].copy_from_slice(&(node.0 as u16).to_le_bytes());
    bytes[2..4].copy_from_slice(&(theirs.0 as u16).to_le_bytes());
    bytes[4..6].copy_from_slice(&(frame & !SPENT | spent).to_le_bytes());
    for (at, value) in [distance, own, other].into_iter().enumerate() {
        bytes[8 + 4 * at..12 + 4 * at].copy_from_slice(&value.to_le_bytes());
    }
    bytes
}

fn unpacked(bytes: &[u8; 20]) -> Pairing {
    let short = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let number = |at: usize| f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    Pairing {
        node: NodeId(u32::from(short(0))),
        theirs: ActionId(u32::from(short(2))),
        frame: short(4) & !SPENT,
        is_spent: short(4) & SPENT != 0,
        relation: Relation { distance: number(8), own: number(12), other: number(16) },
    }
}

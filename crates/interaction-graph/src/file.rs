//! Graphs in bytes.
//!
//! Behind the header of the [envelope](randori_motion::sealed) stand, after spaces up to a multiple of eight, blocks that each
//! begin at a multiple of eight: manners (8 bytes an action), buckets (u32), places (8 bytes a state), what the other does
//! (4 bytes a state), first edges (u32), then of all edges targets (u32), actions (u16), distances (u16), angles (i16), given
//! (u8), taken (i8) and velocities (2 bytes). They lie as they do in memory, so that a file could be mapped; reading copies
//! them once.

use serde::{Deserialize, Serialize};

use randori_motion::ActionLibrary;
use randori_motion::library::Fingerprint;
use randori_motion::sealed::{Broken, Seal};

use crate::duel::Activity;
use crate::graph::{About, EDGE_BYTES, Edges, Graph, Index, SPARE, STATE};
use crate::manner::{Manner, Manners};
use crate::pairing::{Place, Theirs};
use crate::sample::Tolerance;

const SEAL: Seal = Seal { magic: b"randgrf\x1a", version: 3 };

/// Why bytes are not a graph, or not the right one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// These bytes are something else.
    #[error("not an interaction graph")]
    NotAGraph,
    /// Written by a later program, or an earlier one.
    #[error(
        "an interaction graph of version {found}; this program reads version {}: build the graph again",
        SEAL.version
    )]
    Version {
        /// The version found.
        found: u32,
    },
    /// Cut off or changed.
    #[error("the interaction graph is damaged: {0}")]
    Damaged(String),
    /// Made of another library.
    #[error(
        "the graph was made of the library {} ({} actions, checksum {:08x}), not of this {} ({} actions, checksum \
         {:08x}): build the graph again",
        .graph.name, .graph.actions, .graph.sum, .library.name, .library.actions, .library.sum
    )]
    Mismatch {
        /// What the graph was made of.
        graph: Fingerprint,
        /// What it was to be used with.
        library: Fingerprint,
    },
}

impl Graph {
    /// The graph as a file: versioned, with a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        SEAL.close(&Header::of(self), |body| self.write_blocks(body))
    }

    fn write_blocks(&self, body: &mut Vec<u8>) {
        body.reserve(EDGE_BYTES * self.n_edges() + 16 * self.n_states() + 65536);
        let mut block = |bytes: &mut dyn Iterator<Item = u8>| write_block(body, bytes);
        let Index { manners, buckets, places, theirs, .. } = &self.index;
        let shorts = |it: [u16; 4]| it.into_iter().flat_map(u16::to_le_bytes);
        let manner = |it: &Manner| shorts([it.threat, it.harmless, it.until, it.length]);
        block(&mut manners.actions.iter().flat_map(manner));
        block(&mut buckets.iter().flat_map(|it| it.to_le_bytes()));
        let place = |it: &Place| shorts([it.rest, it.distance, it.own as u16, it.other as u16]);
        block(&mut places.iter().flat_map(place));
        let their = |it: &Theirs| [it.action, it.frame].into_iter().flat_map(u16::to_le_bytes);
        block(&mut theirs.iter().flat_map(their));
        block(&mut self.firsts.iter().flat_map(|it| it.to_le_bytes()));
        write_edges(&self.edges, body);
    }

    /// Reads a graph.
    pub fn from_bytes(bytes: &[u8]) -> Result<Graph, GraphError> {
        let (header, body, at) = SEAL.open::<Header>(bytes)?;
        let graph = header.graph(Blocks { body, at })?;
        check(&graph)?;
        Ok(graph)
    }

    /// Whether it was made of this library.
    pub fn check_library(&self, library: &ActionLibrary) -> Result<(), GraphError> {
        let library = Fingerprint::of(library);
        if self.about.library == library {
            return Ok(());
        }
        Err(GraphError::Mismatch { graph: self.about.library.clone(), library })
    }
}

/// Appends a block where it may begin.
pub(crate) fn write_block(body: &mut Vec<u8>, bytes: &mut dyn Iterator<Item = u8>) {
    while !body.len().is_multiple_of(8) {
        body.push(b' ');
    }
    body.extend(bytes);
}

/// Appends the blocks of edges.
pub(crate) fn write_edges(edges: &Edges, body: &mut Vec<u8>) {
    let mut block = |bytes: &mut dyn Iterator<Item = u8>| write_block(body, bytes);
    block(&mut edges.targets.iter().flat_map(|it| it.to_le_bytes()));
    block(&mut edges.actions.iter().flat_map(|it| it.to_le_bytes()));
    block(&mut edges.distances.iter().flat_map(|it| it.to_le_bytes()));
    block(&mut edges.angles.iter().flat_map(|it| it.to_le_bytes()));
    block(&mut edges.given.iter().copied());
    block(&mut edges.taken.iter().map(|it| *it as u8));
    block(&mut edges.velocities.iter().flat_map(|it| it.map(|it| it as u8)));
}

/// Reads the blocks of so many edges.
pub(crate) fn read_edges(blocks: &mut Blocks<'_>, n: usize) -> Result<Edges, Broken> {
    Ok(Edges {
        targets: blocks.next(n)?.iter().map(|it| u32::from_le_bytes(*it)).collect(),
        actions: blocks.next(n)?.iter().map(|it| u16::from_le_bytes(*it)).collect(),
        distances: blocks.next(n)?.iter().map(|it| u16::from_le_bytes(*it)).collect(),
        angles: blocks.next(n)?.iter().map(|it| i16::from_le_bytes(*it)).collect(),
        given: blocks.next::<1>(n)?.as_flattened().to_vec(),
        taken: blocks.next::<1>(n)?.iter().map(|it| it[0] as i8).collect(),
        velocities: blocks.next::<2>(n)?.iter().map(|it| it.map(|it| it as i8)).collect(),
    })
}

impl From<Broken> for GraphError {
    fn from(broken: Broken) -> GraphError {
        match broken {
            Broken::Other => GraphError::NotAGraph,
            Broken::Version { found } => GraphError::Version { found },
            Broken::Damaged(what) => GraphError::Damaged(what),
        }
    }
}

fn damaged(what: &str) -> GraphError {
    GraphError::Damaged(what.to_owned())
}

#[derive(Serialize, Deserialize)]
struct Header {
    library: String,
    actions: u32,
    nodes: u32,
    sum: u32,
    poise: f32,
    activity: Activity,
    unlike: f32,
    frames: u16,
    samples: u64,
    gaze: Vec<f32>,
    manners: u32,
    states: usize,
    edges: usize,
}

impl Header {
    fn of(graph: &Graph) -> Header {
        let About { library, poise, activity, tolerance, samples, gaze } = graph.about.clone();
        let Fingerprint { name, actions, nodes, sum } = library;
        Header {
            library: name,
            actions,
            nodes,
            sum,
            poise,
            activity,
            unlike: tolerance.unlike,
            frames: tolerance.frames,
            samples,
            gaze,
            manners: graph.index.manners.n,
            states: graph.n_states(),
            edges: graph.n_edges(),
        }
    }

    fn graph(self, mut blocks: Blocks<'_>) -> Result<Graph, GraphError> {
        let Header { actions, nodes, manners, states, edges, .. } = self;
        let word = |it: &[u8; 4]| u32::from_le_bytes(*it);
        let n_buckets = u64::from(nodes) * u64::from(manners) + 1;
        let n_buckets = usize::try_from(n_buckets).map_err(|_| damaged("it claims too many buckets"))?;
        let all_manners = blocks.next::<8>(actions as usize)?.iter().map(|it| {
            let [threat, harmless, until, length] = shorts(it);
            Manner { threat, harmless, until, length }
        });
        let index = Index {
            manners: Manners { actions: all_manners.collect(), n: manners },
            tolerance: Tolerance { unlike: self.unlike, frames: self.frames },
            buckets: blocks.next(n_buckets)?.iter().map(word).collect(),
            places: (blocks.next::<8>(states)?.iter())
                .map(|it| {
                    let [rest, distance, own, other] = shorts(it);
                    Place { rest, distance, own: own as i16, other: other as i16 }
                })
                .collect(),
            theirs: (blocks.next::<4>(states)?.iter())
                .map(|it| {
                    let [action, frame] = [[it[0], it[1]], [it[2], it[3]]].map(u16::from_le_bytes);
                    Theirs { action, frame }
                })
                .collect(),
        };
        let firsts = blocks.next(states.saturating_add(1))?.iter().map(word).collect();
        let edges = read_edges(&mut blocks, edges)?;
        let about = About {
            library: Fingerprint { name: self.library, actions, nodes, sum: self.sum },
            poise: self.poise,
            activity: self.activity,
            tolerance: index.tolerance,
            samples: self.samples,
            gaze: self.gaze,
        };
        Ok(Graph { about, index, firsts, edges })
    }
}

fn shorts(bytes: &[u8; 8]) -> [u16; 4] {
    [0, 2, 4, 6].map(|at| u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

/// What is left to read.
pub(crate) struct Blocks<'a> {
    pub(crate) body: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Blocks<'a> {
    /// The next block of so many entries of N bytes.
    pub(crate) fn next<const N: usize>(&mut self, n: usize) -> Result<&'a [[u8; N]], Broken> {
        let from = self.at.next_multiple_of(8);
        let to = n.checked_mul(N).and_then(|size| from.checked_add(size)).ok_or_else(Broken::short)?;
        let bytes = self.body.get(from..to).ok_or_else(Broken::short)?;
        self.at = to;
        Ok(bytes.as_chunks().0)
    }
}

/// Whether a state has edges that count, and no more than can be numbered.
fn leads_on(targets: &[u32], pair: &[u32]) -> bool {
    let own = targets.get(pair[0] as usize..pair[1] as usize).unwrap_or_default();
    own.len() < usize::from(u16::MAX) && own.iter().any(|target| target & SPARE == 0)
}

/// Whether everything in a graph leads to something in it.
fn check(graph: &Graph) -> Result<(), GraphError> {
    let Graph { about, index, firsts, edges } = graph;
    let (n_states, n_edges) = (graph.n_states() as u64, graph.n_edges() as u64);
    let rises = |list: &[u32], last: u64| {
        list.first() == Some(&0)
            && list.is_sorted()
            && list.last().is_some_and(|found| u64::from(*found) == last)
    };
    let n_actions = about.library.actions;
    let known = |action: &u16| u32::from(*action) < n_actions;
    let manners = &index.manners;
    let sound = [
        (n_states > 0 && n_states <= u64::from(STATE), "it has no states, or too many"),
        (rises(&index.buckets, n_states), "its buckets are not in order"),
        (rises(firsts, n_edges), "its edges are not in order"),
        (firsts.windows(2).all(|pair| leads_on(&edges.targets, pair)), "a state leads nowhere"),
        (edges.targets.iter().all(|it| u64::from(it & STATE) < n_states), "an edge leads to no state"),
        (edges.actions.iter().all(known), "an edge has no action"),
        (index.theirs.iter().all(|it| known(&it.action)), "a state has no action"),
        (
            manners.actions.iter().all(|it| u32::from(it.threat.max(it.harmless)) < manners.n),
            "an action has no manner",
        ),
        (about.gaze.len() == about.library.nodes as usize, "a posture has no gaze"),
        (about.gaze.iter().all(|it| it.is_finite()) && about.poise >= 0.0, "its numbers are none"),
        (index.tolerance.unlike.is_finite(), "its tolerance is none"),
    ];
    match sound.iter().find(|(holds, _)| !holds) {
        Some((_, what)) => Err(damaged(what)),
        None => Ok(()),
    }
}

//! The action library: all that planners know of motion.
//!
//! A library holds the takes of one person, cut into [`Action`]s, and the action-level motion graph over them
//! (\[Shum2012\], section IV): nodes are groups of like postures, edges are actions, and [`ActionLibrary::next`]
//! lists what may follow. [`assemble`] makes one of takes and their segments, [`ActionLibrary::to_bytes`] and
//! [`ActionLibrary::from_bytes`] are its file, [`Player`] performs its actions one after the other.
//!
//! It opens no file and knows nothing of opponents.

mod assemble;
mod bake;
pub(crate) mod feet;
pub(crate) mod file;
mod fingerprint;
mod graph;
mod player;
pub(crate) mod posture;
mod stats;
mod walk;

use std::ops::Range;
use std::sync::Arc;

pub use assemble::{AssembleError, Recording, assemble};
pub use bake::Baked;
pub use file::LibraryError;
pub use fingerprint::Fingerprint;
pub use player::{Player, play};
pub use posture::Likeness;
pub use stats::{Stats, seam_slides};
pub use walk::walk;

use crate::analyse::{ActiveWindow, ValidRange};
use crate::annotation::{Annotation, Direction, Target};
use crate::body::{Body, Build, Weapon};
use crate::clip::Clip;
use crate::placement::Placement;

/// An action of a library, by its place in [`ActionLibrary::actions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActionId(pub u32);

/// A node of the graph: a group of like postures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl ActionId {
    /// Its place in the list of actions.
    pub fn idx(self) -> usize {
        self.0 as usize
    }
}

/// A semantic segment of a take. Frames are counted from the start of the take.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Unique in its library: the annotation and a number.
    pub name: String,
    /// What it is.
    pub annotation: Annotation,
    /// The take it is cut from, by its place in [`ActionLibrary::takes`].
    pub take: u32,
    /// From the first pose to the last; the last is the first of whatever follows.
    pub frames: Range<u32>,
    /// The posture it begins in.
    pub from: NodeId,
    /// The posture it ends in.
    pub to: NodeId,
    /// Where the root's placement is at the end, seen from that at the start.
    pub displacement: Placement,
    /// The frame in which a stroke is farthest or a defence deepest.
    pub peak: Option<u32>,
    /// When and with what it can hit.
    pub windows: Vec<ActiveWindow>,
    /// Where an attack goes or what a defence covers.
    pub targets: Vec<Target>,
    /// The ways an attack comes, or that a defence keeps off.
    pub directions: Vec<Direction>,
    /// When the feet stand; left, then right.
    pub contacts: [Vec<Range<u32>>; 2],
    /// Nothing follows it: the body stays where it fell.
    pub is_terminal: bool,
    /// How sure the analyser is of the annotation, 0 to 1.
    pub confidence: f32,
}

impl Action {
    /// Frames from start to end: at 60 frames per second, its duration.
    pub fn n_frames(&self) -> u32 {
        self.frames.end - self.frames.start
    }
}

/// One take of a library.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryTake {
    /// The motion, on the library's body, at 60 poses per second.
    pub clip: Clip,
    /// Whether the left and the right foot stand, frame by frame.
    pub standing: Vec<[bool; 2]>,
    /// Where the root is on the floor, frame by frame.
    pub placements: Vec<Placement>,
}

/// Actions with their graph. See the [module](self).
#[derive(Clone, Debug, PartialEq)]
pub struct ActionLibrary {
    /// Its name.
    pub name: String,
    /// What is done in it, for instance `boxing`.
    pub discipline: String,
    /// How it was made, in the words of whoever made it; empty if nobody said.
    pub origin: String,
    build: Build,
    body: Arc<Body>,
    takes: Vec<LibraryTake>,
    actions: Vec<Action>,
    ranges: Vec<(Annotation, ValidRange)>,
    /// Share of the actions that were there before those without a way back were left out.
    connected: f32,
    /// Actions by the node they start from: those of node n are `starting[starts[n]..starts[n + 1]]`.
    starts: Vec<u32>,
    starting: Vec<ActionId>,
    baked: Vec<Baked>,
}

impl ActionLibrary {
    /// Size and weight of the person.
    pub fn build(&self) -> Build {
        self.build
    }

    /// The body that all takes move.
    pub fn body(&self) -> &Arc<Body> {
        &self.body
    }

    /// The same library performed by somebody who holds something: it strikes and is struck in the place of the hand.
    pub fn armed(self, weapon: Weapon) -> ActionLibrary {
        let body = Body::clone(&self.body).armed(weapon);
        ActionLibrary { body: Arc::new(body), ..self }
    }

    /// All takes.
    pub fn takes(&self) -> &[LibraryTake] {
        &self.takes
    }

    /// All actions.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// One action.
    pub fn action(&self, id: ActionId) -> &Action {
        &self.actions[id.idx()]
    }

    /// The ids of all actions.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = ActionId> + use<> {
        (0..self.actions.len() as u32).map(ActionId)
    }

    /// The take an action is cut from.
    pub fn take_of(&self, id: ActionId) -> &LibraryTake {
        &self.takes[self.action(id).take as usize]
    }

    /// The capsules of the body, frame by frame of a take, relative to the root's placement.
    pub fn baked(&self, take: u32) -> &Baked {
        &self.baked[take as usize]
    }

    /// The action of this name.
    pub fn find(&self, name: &str) -> Option<ActionId> {
        self.actions.iter().position(|action| action.name == name).map(|at| ActionId(at as u32))
    }

    /// How many nodes the graph has.
    pub fn n_nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// The actions that start from a node, in order of their ids.
    pub fn starting_from(&self, node: NodeId) -> &[ActionId] {
        let at = node.0 as usize;
        &self.starting[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// The actions that may follow one; none after a terminal one.
    pub fn next(&self, id: ActionId) -> &[ActionId] {
        let action = self.action(id);
        if action.is_terminal { &[] } else { self.starting_from(action.to) }
    }

    /// Distances, angles and delays at which an annotation's actions make sense.
    pub fn valid_range(&self, annotation: &Annotation) -> Option<&ValidRange> {
        self.ranges.iter().find(|(known, _)| known == annotation).map(|(_, range)| range)
    }

    /// The share of all analysed actions that can be left and come back to; the others are not in the library.
    pub fn connected(&self) -> f32 {
        self.connected
    }

    /// Lists the actions by the node they start from.
    fn index(&mut self, n_nodes: usize) {
        let mut starts = vec![0_u32; n_nodes + 1];
        for action in &self.actions {
            starts[action.from.0 as usize + 1] += 1;
        }
        for node in 0..n_nodes {
            starts[node + 1] += starts[node];
        }
        let mut starting: Vec<ActionId> = self.ids().collect();
        starting.sort_by_key(|id| (self.action(*id).from, *id));
        (self.starts, self.starting) = (starts, starting);
    }
}

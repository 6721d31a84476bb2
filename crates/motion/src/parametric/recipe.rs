//! What a parametric motion graph is made of.

use glam::Vec3;

use crate::analyse::placement_of_pose;
use crate::annotation::Annotation;
use crate::body::Build;
use crate::bone::Side;
use crate::clip::Clip;
use crate::library::{ActionId, ActionLibrary, Likeness};
use crate::math::wrap_angle;
use crate::placement::Placement;

/// All that a graph is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// The graph's name.
    pub name: String,
    /// Whose skeleton the samples move.
    pub build: Build,
    /// What is held, if anything.
    pub blade: Option<Blade>,
    /// The kinds of motion.
    pub nodes: Vec<NodeRecipe>,
    /// What may follow what.
    pub links: Vec<Link>,
    /// How alike two postures must be for one motion to go over into the other.
    pub likeness: Likeness,
}

/// One kind of motion: samples that differ in a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeRecipe {
    /// Unique in its graph.
    pub name: String,
    /// What it is.
    pub annotation: Annotation,
    /// What the parameter is.
    pub measure: Measure,
    /// The parameters that are offered; `None` for all that the samples span.
    pub range: Option<[f32; 2]>,
    /// In any order. Their feet come down and leave the floor in the same order.
    pub samples: Vec<Sample>,
}

/// What a parameter says, and how it is read off a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// How far the placement turns to the left from start to end (rad).
    Turn,
    /// Which way the placement ends from where it started: 0 is ahead, positive is to the left (rad).
    Direction,
    /// How fast it goes from start to end, along the straight line (m/s).
    Speed,
    /// What the sample says itself, in whatever unit.
    Given,
}

/// One motion of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// From the first moment of the node to the last.
    pub clip: Clip,
    /// Whether the left and the right foot stand, frame by frame. A foot that comes down in the last frame belongs
    /// to what follows.
    pub standing: Vec<[bool; 2]>,
    /// Where the person is taken to be, frame by frame.
    pub placements: Vec<Placement>,
    /// The parameter, for [`Measure::Given`].
    pub parameter: f32,
}

/// Something straight in one hand, in the frame of that hand's joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blade {
    /// The hand that holds it.
    pub hand: Side,
    /// Where its near end is (m).
    pub hilt: Vec3,
    /// Where its far end is (m).
    pub tip: Vec3,
}

/// A pair of nodes of which one may follow the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The name of the first.
    pub from: String,
    /// The name of the second; may be the same.
    pub to: String,
    /// When.
    pub when: When,
}

/// When one motion may go over into another.
#[derive(Clone, Debug, PartialEq)]
pub enum When {
    /// From the end of the first to the start of the second.
    AtEnd,
    /// At these times of the first (0 to 1, both excluded), each to the moment of the second that is most like it and has
    /// the same feet on the floor.
    During(Vec<f32>),
    /// At each of these times of the first (above 0, at most 1) to that time of the second (from 0 to below 1).
    Between(Vec<[f32; 2]>),
}

/// Why no graph can be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum BadRecipe {
    #[error("node \"{node}\" has no samples")]
    NoSamples { node: String },
    #[error("node \"{node}\", sample {sample}: {problem}")]
    BadSample { node: String, sample: usize, problem: String },
    #[error("node \"{node}\": samples {first} and {second} have the same parameter, {parameter}")]
    SameParameter { node: String, first: usize, second: usize, parameter: f32 },
    #[error(
        "node \"{node}\": the feet of sample {sample} stand in the order {found}, those of sample {reference} in the \
         order {expected} (L left, R right, B both, - none)"
    )]
    ContactsDisagree { node: String, reference: usize, expected: String, sample: usize, found: String },
    #[error("node \"{node}\": its range {range:?} is not within {spanned:?}, which its samples span")]
    Range { node: String, range: [f32; 2], spanned: [f32; 2] },
    #[error("two nodes are named \"{0}\"")]
    DuplicateName(String),
    #[error("{0} nodes; at most {MAX_NODES} are allowed")]
    TooManyNodes(usize),
    #[error("a link names the node \"{0}\", which there is not")]
    UnknownNode(String),
    #[error("the link from \"{from}\" to \"{to}\" names the time {time}, which is not between 0 and 1")]
    BadTime { from: String, to: String, time: f32 },
    #[error(
        "nothing of \"{from}\" at {time} is like anything of \"{to}\": the nearest differ {difference:.2} times as much \
         as is allowed"
    )]
    Unlike { from: String, to: String, time: f32, difference: f32 },
    #[error("nothing can follow the end of \"{node}\" at its parameter {parameter}")]
    DeadEnd { node: String, parameter: f32 },
    #[error("the graph cannot be kept: {0}")]
    Unkept(#[from] super::GraphError),
}

/// No graph has more nodes than this.
pub(super) const MAX_NODES: usize = 4096;

impl Sample {
    /// A sample whose placements are those of its poses. `standing` has an entry for each frame.
    pub fn new(clip: Clip, standing: Vec<[bool; 2]>) -> Sample {
        let placements = clip.frames().map(|pose| placement_of_pose(clip.skeleton(), pose)).collect();
        Sample { clip, standing, placements, parameter: 0.0 }
    }

    /// An action of a library.
    pub fn of_action(library: &ActionLibrary, id: ActionId) -> Option<Sample> {
        let take = library.take_of(id);
        let frames = &library.action(id).frames;
        let frames = frames.start as usize..frames.end as usize + 1;
        Some(Sample {
            clip: take.clip.slice(frames.clone())?,
            standing: take.standing.get(frames.clone())?.to_vec(),
            placements: take.placements.get(frames)?.to_vec(),
            parameter: 0.0,
        })
    }

    /// The same with a parameter of its own.
    #[must_use]
    pub fn with_parameter(self, parameter: f32) -> Sample {
        Sample { parameter, ..self }
    }

    /// How long it is (s).
    pub fn seconds(&self) -> f32 {
        self.clip.duration() as f32
    }
}

impl Measure {
    /// The parameter of somebody who goes from the origin along these placements in this time (s).
    pub fn of(self, placements: &[Placement], seconds: f32, given: f32) -> f32 {
        let (Some(first), Some(last)) = (placements.first(), placements.last()) else { return given };
        let gone = first.relative(*last).position;
        match self {
            // Step by step, so that a whole turn is not nothing.
            Measure::Turn => {
                placements.windows(2).map(|pair| wrap_angle(pair[1].heading - pair[0].heading)).sum()
            }
            Measure::Direction => libm::atan2f(gone.x, gone.z),
            Measure::Speed => libm::hypotf(gone.x, gone.z) / seconds.max(1e-6),
            Measure::Given => given,
        }
    }

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Turn => "turn",
            Measure::Direction => "direction",
            Measure::Speed => "speed",
            Measure::Given => "given",
        }
    }

    /// The measure of this name.
    pub fn from_name(name: &str) -> Option<Measure> {
        [Measure::Turn, Measure::Direction, Measure::Speed, Measure::Given]
            .into_iter()
            .find(|measure| measure.name() == name)
    }
}

impl Recipe {
    /// Whether names are unique, and links name nodes and times that there are.
    pub(super) fn check_names(&self) -> Result<(), BadRecipe> {
        if self.nodes.len() > MAX_NODES {
            return Err(BadRecipe::TooManyNodes(self.nodes.len()));
        }
        let mut names = std::collections::BTreeSet::new();
        for node in &self.nodes {
            if !names.insert(node.name.as_str()) {
                return Err(BadRecipe::DuplicateName(node.name.clone()));
            }
        }
        for link in &self.links {
            for name in [&link.from, &link.to] {
                if !names.contains(name.as_str()) {
                    return Err(BadRecipe::UnknownNode(name.clone()));
                }
            }
            let bad = match &link.when {
                When::AtEnd => None,
                When::During(times) => times.iter().copied().find(|time| !(*time > 0.0 && *time < 1.0)),
                When::Between(times) => {
                    let leaves = times.iter().map(|pair| pair[0]).find(|time| !(*time > 0.0 && *time <= 1.0));
                    let enters = || times.iter().map(|pair| pair[1]).find(|time| !(0.0..1.0).contains(time));
                    leaves.or_else(enters)
                }
            };
            if let Some(time) = bad {
                let (from, to) = (link.from.clone(), link.to.clone());
                return Err(BadRecipe::BadTime { from, to, time });
            }
        }
        Ok(())
    }
}

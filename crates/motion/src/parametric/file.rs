//! Graphs in bytes.
//!
//! Behind the header of the [envelope](crate::sealed) stand for each sample of each node, key by key, its times (f32), its
//! placements (3 × f32: x, z, heading), its root positions (3 × f32) and its rotations (6 bytes a joint). What else is known
//! of the keys follows from the poses and is made again on reading.

use std::sync::Arc;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::edges::{ANCHORS, Edge};
use super::node::{Key, Node};
use super::recipe::{Blade, MAX_NODES, Measure};
use super::warp::Phase;
use super::{Graph, NodeId};
use crate::annotation::Annotation;
use crate::bone::Side;
use crate::clip::Clip;
use crate::library::file::{BuildRecord, packed, unpacked};
use crate::placement::{Ground, Placement};
use crate::rate::FrameRate;
use crate::sealed::{Broken, Seal};
use crate::skeleton::Skeleton;

const SEAL: Seal = Seal { magic: b"randpmg\x1a", version: 1 };

/// Why bytes are not a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// These bytes are something else.
    #[error("not a parametric motion graph")]
    NotAGraph,
    /// Written by a later program, or an earlier one.
    #[error("a graph of version {found}; this program reads version {}: make the graph again", SEAL.version)]
    Version {
        /// The version found.
        found: u32,
    },
    /// Cut off or changed.
    #[error("the graph is damaged: {0}")]
    Damaged(String),
}

impl Graph {
    /// The graph as a file: compact, versioned, with a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            name: self.name.clone(),
            build: BuildRecord::of(self.build),
            blade: self.blade.map(BladeRecord::of),
            nodes: self.nodes.iter().map(NodeRecord::of).collect(),
            edges: self.edges.iter().map(EdgeRecord::of).collect(),
        };
        SEAL.close(&header, |body| {
            for node in &self.nodes {
                for (clip, keys) in node.clips.iter().zip(node.keys.chunks(node.n_keys)) {
                    let mut floats =
                        |numbers: &[f32]| body.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
                    keys.iter().for_each(|key| floats(&[key.time]));
                    for Key { placement: Placement { position, heading }, .. } in keys {
                        floats(&[position.x, position.z, *heading]);
                    }
                    clip.frames().for_each(|pose| floats(&pose.root().to_array()));
                    for pose in clip.frames() {
                        body.extend(pose.rotations.iter().flat_map(|rotation| packed(*rotation)));
                    }
                }
            }
        })
    }

    /// Reads a graph.
    pub fn from_bytes(bytes: &[u8]) -> Result<Graph, GraphError> {
        let (header, body, at) = SEAL.open::<Header>(bytes)?;
        header.graph(&body[at..])
    }
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

/// Numbers are doubles, which decimals bring back exactly as far as a single goes.
#[derive(Serialize, Deserialize)]
struct Header {
    name: String,
    build: BuildRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blade: Option<BladeRecord>,
    nodes: Vec<NodeRecord>,
    edges: Vec<EdgeRecord>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct BladeRecord {
    is_left: bool,
    hilt: [f64; 3],
    tip: [f64; 3],
}

#[derive(Serialize, Deserialize)]
struct NodeRecord {
    name: String,
    annotation: String,
    measure: String,
    range: [f64; 2],
    n_keys: usize,
    samples: Vec<SampleRecord>,
    /// When each begins, and which feet stand: bit 0 left, bit 1 right.
    phases: Vec<(f64, u8)>,
}

#[derive(Serialize, Deserialize)]
struct SampleRecord {
    name: String,
    parameter: f64,
}

#[derive(Serialize, Deserialize)]
struct EdgeRecord {
    nodes: [u16; 2],
    times: [f64; 2],
    targets: [[f64; 2]; ANCHORS],
}

impl BladeRecord {
    fn of(blade: Blade) -> BladeRecord {
        let point = |point: Vec3| point.to_array().map(f64::from);
        BladeRecord { is_left: blade.hand == Side::Left, hilt: point(blade.hilt), tip: point(blade.tip) }
    }

    fn blade(self) -> Option<Blade> {
        let hand = if self.is_left { Side::Left } else { Side::Right };
        let [hilt, tip] = [self.hilt, self.tip].map(|point| Vec3::from_array(point.map(|x| x as f32)));
        (hilt.is_finite() && tip.is_finite()).then_some(Blade { hand, hilt, tip })
    }
}

impl NodeRecord {
    fn of(node: &Node) -> NodeRecord {
        let sample = |(clip, parameter): (&Clip, &f32)| SampleRecord {
            name: clip.name.clone(),
            parameter: f64::from(*parameter),
        };
        let phase = |phase: &Phase| {
            let [left, right] = phase.standing;
            (f64::from(phase.start), u8::from(left) | u8::from(right) << 1)
        };
        NodeRecord {
            name: node.name.clone(),
            annotation: node.annotation.name().to_owned(),
            measure: node.measure.name().to_owned(),
            range: node.range.map(f64::from),
            n_keys: node.n_keys,
            samples: node.clips.iter().zip(&node.parameters).map(sample).collect(),
            phases: node.phases.iter().map(phase).collect(),
        }
    }

    /// The node from its samples' blocks, each split into times, placements, roots and rotations.
    fn node(
        &self,
        skeleton: &Arc<Skeleton>,
        blade: Option<Blade>,
        blocks: &[[&[u8]; 4]],
    ) -> Result<Node, String> {
        let parameters: Vec<f32> = self.samples.iter().map(|sample| sample.parameter as f32).collect();
        let range = self.range.map(|end| end as f32);
        let ascending = |numbers: &[f32]| {
            numbers.windows(2).all(|pair| pair[0] < pair[1]) && numbers.iter().all(|x| x.is_finite())
        };
        let within =
            |(least, most): (&f32, &f32)| *least <= range[0] && range[0] <= range[1] && range[1] <= *most;
        let spans = parameters.first().zip(parameters.last()).is_some_and(within);
        if !spans || !ascending(&parameters) || self.n_keys < 2 {
            return Err("its parameters are in no order".to_owned());
        }
        let phase = |(start, bits): &(f64, u8)| Phase {
            start: *start as f32,
            standing: [bits & 1 != 0, bits & 2 != 0],
        };
        let phases: Vec<Phase> = self.phases.iter().map(phase).collect();
        let starts: Vec<f32> = phases.iter().map(|phase| phase.start).collect();
        if !ascending(&starts) || starts.first() != Some(&0.0) || starts.last() != Some(&1.0) {
            return Err("its contacts are in no order".to_owned());
        }
        let (mut clips, mut times, mut placements) = (Vec::new(), Vec::new(), Vec::new());
        for (record, [seconds, places, roots, rotations]) in self.samples.iter().zip(blocks) {
            let seconds: Vec<f32> = floats(seconds).collect();
            if seconds[0] != 0.0 || !ascending(&seconds) {
                return Err(format!("sample {} does not go on", record.name));
            }
            times.push(seconds);
            let places: Vec<f32> = floats(places).collect();
            if !places.iter().all(|x| x.is_finite()) {
                return Err(format!("sample {} is placed nowhere", record.name));
            }
            let place = |[x, z, heading]: &[f32; 3]| Placement {
                position: Ground { x: *x, z: *z },
                heading: *heading,
            };
            placements.push(places.as_chunks::<3>().0.iter().map(place).collect());
            let roots: Vec<f32> = floats(roots).collect();
            let translations = roots.as_chunks::<3>().0.iter().map(|root| Vec3::from_array(*root)).collect();
            let rotations = rotations.as_chunks::<6>().0.iter().map(|bytes| unpacked(*bytes)).collect();
            let skeleton = Arc::clone(skeleton);
            let clip = Clip::new(&record.name, skeleton, FrameRate::HOUSE, translations, rotations);
            clips.push(clip.map_err(|error| error.to_string())?);
        }
        let mut node = Node {
            name: self.name.clone(),
            annotation: Annotation::new(&self.annotation).map_err(|error| error.to_string())?,
            measure: Measure::from_name(&self.measure).ok_or("its parameter is of no known kind")?,
            range,
            parameters,
            clips,
            keys: Vec::new(),
            n_keys: self.n_keys,
            phases,
            weights: Vec::new(),
        };
        node.index(skeleton, blade, &times, &placements);
        Ok(node)
    }
}

fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> + '_ {
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes))
}

impl EdgeRecord {
    fn of(edge: &Edge) -> EdgeRecord {
        EdgeRecord {
            nodes: [edge.from.0, edge.to.0],
            times: [f64::from(edge.at), f64::from(edge.start)],
            targets: edge.targets.map(|ends| ends.map(f64::from)),
        }
    }

    /// The edge, if it fits the nodes.
    fn edge(&self, nodes: &[Node]) -> Option<Edge> {
        let [from, to] = self.nodes.map(NodeId);
        let (source, target) = (nodes.get(from.idx())?, nodes.get(to.idx())?);
        let [at, start] = self.times.map(|time| time as f32);
        let targets = self.targets.map(|ends| ends.map(|end| end as f32));
        let [least, most] = target.range;
        let fits = |[from, to]: [f32; 2]| from > to || (from >= least && to <= most);
        let sound = at > 0.0 && at <= 1.0 && (0.0..1.0).contains(&start) && targets.into_iter().all(fits);
        sound.then_some(Edge { from, at, to, start, sources: source.range, targets })
    }
}

impl Header {
    fn graph(self, blocks: &[u8]) -> Result<Graph, GraphError> {
        let damaged = |what: &str| GraphError::Damaged(what.to_owned());
        let build = self.build.build().map_err(|error| GraphError::Damaged(error.to_string()))?;
        if self.nodes.len() > MAX_NODES {
            return Err(damaged("it has more nodes than any graph"));
        }
        let blade = match self.blade {
            Some(record) => Some(record.blade().ok_or_else(|| damaged("its blade is nowhere"))?),
            None => None,
        };
        let body = Arc::new(build.body());
        let n_joints = body.skeleton.n_joints();
        let mut rest = blocks;
        let mut nodes = Vec::with_capacity(self.nodes.len());
        for record in &self.nodes {
            let mut samples = Vec::new();
            for _ in &record.samples {
                let mut part = |size: usize| {
                    let split = record.n_keys.checked_mul(size).and_then(|size| rest.split_at_checked(size));
                    let (block, after) = split.ok_or_else(|| damaged("it ends too early"))?;
                    rest = after;
                    Ok::<_, GraphError>(block)
                };
                samples.push([part(4)?, part(12)?, part(12)?, part(6 * n_joints)?]);
            }
            let node = record.node(&body.skeleton, blade, &samples);
            nodes.push(node.map_err(|what| GraphError::Damaged(format!("node {}: {what}", record.name)))?);
        }
        let edges = self.edges.iter().map(|record| record.edge(&nodes)).collect::<Option<Vec<Edge>>>();
        let edges = edges.ok_or_else(|| damaged("an edge fits no nodes"))?;
        if !edges.is_sorted_by(|a, b| (a.from, a.at) <= (b.from, b.at)) {
            return Err(damaged("its edges are in no order"));
        }
        Ok(Graph::of_parts(self.name, build, body, blade, nodes, edges))
    }
}

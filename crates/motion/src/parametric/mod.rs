//! Parametric motion graphs: nodes that are whole spaces of like motions, each with one parameter.
//!
//! A node is made of clips of one kind of motion, say a step of a run that turns by different angles. They are brought
//! onto one time line by dynamic time warping (`warp`), and what lies between two of them is their convex
//! combination (`node`). Edges (`edges`) join points of the parameter spaces of two nodes, at the end of the first or on
//! the way. [`Graph::actions`] lists what can have happened after a while: the paths that end exactly then, in plain
//! numbers for whoever plans with them. [`Player`] performs paths, pose by pose, with the feet kept.
//!
//! A [`Recipe`] says what a graph is made of, [`Graph::new`] makes it, [`Graph::to_bytes`] and [`Graph::from_bytes`] are its
//! file. It knows no game and opens no file.
//!
//! Reference: \[Wampler2010\], section 4, after \[HeckGleicher2007\]. Differs from the former: what may follow is found from
//! the postures, for the points in time that the recipe names, and not chosen by hand.

mod actions;
mod edges;
mod file;
mod node;
mod player;
mod recipe;
mod stats;
mod warp;

use std::sync::Arc;

pub use actions::{Action, ActionSet, Leg, LookAhead, MOMENTS, Moment};
pub use edges::Edge;
pub use file::GraphError;
pub use node::Node;
pub use player::{Player, play, walk};
pub use recipe::{BadRecipe, Blade, Link, Measure, NodeRecipe, Recipe, Sample, When};
pub use stats::{GraphStats, NodeStats};

use crate::body::{Body, Build};
use crate::bone::Side;
use crate::library::feet::KeptFoot;
use crate::placement::Placement;
use crate::pose::Pose;
use crate::skeleton::Skeleton;

/// A node, by its place in [`Graph::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u16);

impl NodeId {
    /// Its place in the list of nodes.
    pub fn idx(self) -> usize {
        usize::from(self.0)
    }
}

/// Where in the graph somebody is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// The kind of motion under way.
    pub node: NodeId,
    /// How far it has come: 0 at its start, 1 at its end. Goes evenly with time for the mean of the samples, and nearly
    /// so for any of them.
    pub time: f32,
    /// Which motion of that kind, in the node's own unit.
    pub parameter: f32,
}

/// A parametric motion graph. See the [module](self).
///
/// ```
/// use std::sync::Arc;
/// use randori_motion::library::Likeness;
/// use randori_motion::parametric::*;
/// use randori_motion::{Annotation, Build, Clip, FrameRate};
/// let skeleton = Arc::new(Build::AVERAGE.skeleton());
/// // Somebody who stands for half a second or for a whole one; the parameter says how long.
/// let stand = |seconds: f32| {
///     let poses = vec![skeleton.rest_pose(); (60.0 * seconds) as usize + 1];
///     let standing = vec![[true; 2]; poses.len()];
///     let clip = Clip::from_poses("stand", Arc::clone(&skeleton), FrameRate::HOUSE, poses).unwrap();
///     Sample::new(clip, standing).with_parameter(seconds)
/// };
/// let node = NodeRecipe {
///     name: "stand".to_owned(),
///     annotation: Annotation::of("idle"),
///     measure: Measure::Given,
///     range: None,
///     samples: vec![stand(0.5), stand(1.0)],
/// };
/// let again = Link { from: node.name.clone(), to: node.name.clone(), when: When::AtEnd };
/// let graph = Graph::new(&Recipe {
///     name: "patience".to_owned(),
///     build: Build::AVERAGE,
///     blade: None,
///     nodes: vec![node],
///     links: vec![again],
///     likeness: Likeness::default(),
/// }).unwrap();
/// let state = graph.start(graph.find("stand").unwrap());
/// assert!((graph.node(state.node).seconds(state.parameter) - 0.75).abs() < 1e-3);
/// let mut set = ActionSet::default();
/// graph.actions(State { time: 0.9, ..state }, &LookAhead::default(), &mut set);
/// assert_eq!(set.actions().len(), 3); // stands again, for as long as three parameters say
/// ```
#[derive(Clone, Debug)]
pub struct Graph {
    /// Its name, for instance `tag-agent`.
    pub name: String,
    build: Build,
    body: Arc<Body>,
    blade: Option<Blade>,
    nodes: Vec<Node>,
    /// By the node they leave, then by when; see [`Graph::edges`].
    edges: Vec<Edge>,
    /// The edges of node n are `edges[starts[n]..starts[n + 1]]`.
    starts: Vec<u32>,
    feet: [KeptFoot; 2],
}

impl Graph {
    /// Makes a graph.
    pub fn new(recipe: &Recipe) -> Result<Graph, BadRecipe> {
        let body = Arc::new(recipe.build.body());
        let skeleton = &body.skeleton;
        let nodes = (recipe.nodes.iter())
            .map(|node| Node::new(node, skeleton, recipe.blade))
            .collect::<Result<Vec<Node>, BadRecipe>>()?;
        recipe.check_names()?;
        let edges = edges::found(recipe, skeleton, &nodes)?;
        let graph = Graph::of_parts(recipe.name.clone(), recipe.build, body, recipe.blade, nodes, edges);
        // Through its file, which rounds: a graph that was read is the graph that was made.
        Ok(Graph::from_bytes(&graph.to_bytes())?)
    }

    /// Puts a graph together; `edges` are in order.
    fn of_parts(
        name: String,
        build: Build,
        body: Arc<Body>,
        blade: Option<Blade>,
        nodes: Vec<Node>,
        edges: Vec<Edge>,
    ) -> Graph {
        let starts =
            (0..=nodes.len()).map(|node| edges.partition_point(|edge| edge.from.idx() < node) as u32);
        let starts = starts.collect();
        let feet = Side::BOTH.map(|side| KeptFoot::new(&body.skeleton, side));
        Graph { name, build, body, blade, nodes, edges, starts, feet }
    }

    /// Size and weight of the person.
    pub fn build(&self) -> Build {
        self.build
    }

    /// The body that moves.
    pub fn body(&self) -> &Arc<Body> {
        &self.body
    }

    /// What is held, if anything.
    pub fn blade(&self) -> Option<Blade> {
        self.blade
    }

    /// All nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// One node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.idx()]
    }

    /// The ids of all nodes.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u16).map(NodeId)
    }

    /// The node of this name.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.ids().find(|id| self.node(*id).name == name)
    }

    /// The edges that leave a node, in order of when they do; then of where they lead.
    pub fn edges(&self, from: NodeId) -> &[Edge] {
        &self.edges[self.starts[from.idx()] as usize..self.starts[from.idx() + 1] as usize]
    }

    /// The state at the start of a node, in the middle of its parameters.
    pub fn start(&self, node: NodeId) -> State {
        let [least, most] = self.node(node).range();
        State { node, time: 0.0, parameter: 0.5 * (least + most) }
    }

    /// Whether this is a state of this graph: a node it has, a time from 0 to 1, a parameter within the node's.
    pub fn holds(&self, state: State) -> bool {
        self.nodes.get(state.node.idx()).is_some_and(|node| {
            let [least, most] = node.range();
            (0.0..=1.0).contains(&state.time) && (least..=most).contains(&state.parameter)
        })
    }

    /// The posture of a state, seen from where the person is: their placement is the origin. Feet that stand do not
    /// slide as the time of the state goes on.
    pub fn pose(&self, state: State) -> Pose {
        let node = self.node(state.node);
        let there = node.placement(state.time, state.parameter);
        let mut pose = node.pose(state.time, state.parameter, self.skeleton(), &self.feet);
        carry(there.relative(Placement::default()), &mut pose);
        pose
    }

    /// The same motions in so many times the time, 0.1 to 10: above 1, somebody large and heavy.
    #[must_use]
    pub fn slowed(mut self, times: f32) -> Graph {
        let times = if times.is_nan() { 1.0 } else { times.clamp(0.1, 10.0) };
        self.nodes.iter_mut().for_each(|node| node.slow(times));
        for edge in &mut self.edges {
            let slows = [edge.from, edge.to].map(|node| self.nodes[node.idx()].measure == Measure::Speed);
            if slows[0] {
                edge.sources.iter_mut().for_each(|speed| *speed /= times);
            }
            if slows[1] {
                edge.targets.iter_mut().flatten().for_each(|speed| *speed /= times);
            }
        }
        self
    }

    fn skeleton(&self) -> &Arc<Skeleton> {
        &self.body.skeleton
    }
}

/// Carries a pose from a frame into the world's.
fn carry(world_from_frame: Placement, pose: &mut Pose) {
    pose.translations[0] = world_from_frame.point(pose.translations[0]);
    pose.rotations[0] = world_from_frame.rotation() * pose.rotations[0];
}

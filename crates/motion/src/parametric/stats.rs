//! Figures of a graph.

use serde::Serialize;

use super::edges::spread;
use super::{ActionSet, Graph, LookAhead, NodeId, State};

/// A graph in figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GraphStats {
    /// Its name.
    pub name: String,
    /// How many nodes there are.
    pub nodes: usize,
    /// How many edges.
    pub edges: usize,
    /// How many samples, in all nodes together.
    pub samples: usize,
    /// How long all samples are together (s).
    pub seconds: f64,
    /// Actions that a state offers within [`GraphStats::look_ahead`], on average over nodes, times and parameters.
    pub mean_actions: f64,
    /// The fewest that a state offers.
    pub least_actions: usize,
    /// The most.
    pub most_actions: usize,
    /// How far was looked (s).
    pub look_ahead: f64,
    /// Node by node.
    pub by_node: Vec<NodeStats>,
}

/// A node in figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeStats {
    /// Its name.
    pub name: String,
    /// What its parameter is.
    pub measure: &'static str,
    /// The least and the greatest parameter.
    pub range: [f64; 2],
    /// How many samples it is made of.
    pub samples: usize,
    /// How long it takes in the middle of its parameters (s).
    pub seconds: f64,
    /// Edges that leave it.
    pub edges: usize,
    /// Actions that its states offer, on average.
    pub mean_actions: f64,
    /// The fewest that one of them offers.
    pub least_actions: usize,
    /// The most.
    pub most_actions: usize,
    /// The times of states that offer one action alone, 0 to 1: the first and the last of those that were looked at, in
    /// the middle of the parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<[f64; 2]>,
}

/// Times and parameters of a node at which actions are counted.
const TIMES: usize = 10;
const PARAMETERS: usize = 5;

impl GraphStats {
    /// Measures a graph.
    pub fn of(graph: &Graph, look_ahead: &LookAhead) -> GraphStats {
        let mut set = ActionSet::default();
        let by_node: Vec<NodeStats> =
            graph.ids().map(|id| NodeStats::of(graph, id, look_ahead, &mut set)).collect();
        let n_nodes = by_node.len().max(1) as f64;
        let lengths = graph
            .nodes()
            .iter()
            .flat_map(|node| node.parameters().iter().map(|parameter| f64::from(node.seconds(*parameter))));
        GraphStats {
            name: graph.name.clone(),
            nodes: graph.nodes().len(),
            edges: by_node.iter().map(|node| node.edges).sum(),
            samples: by_node.iter().map(|node| node.samples).sum(),
            seconds: lengths.sum(),
            mean_actions: by_node.iter().map(|node| node.mean_actions).sum::<f64>() / n_nodes,
            least_actions: by_node.iter().map(|node| node.least_actions).min().unwrap_or(0),
            most_actions: by_node.iter().map(|node| node.most_actions).max().unwrap_or(0),
            look_ahead: f64::from(look_ahead.seconds),
            by_node,
        }
    }
}

impl NodeStats {
    fn of(graph: &Graph, id: NodeId, look_ahead: &LookAhead, set: &mut ActionSet) -> NodeStats {
        let node = graph.node(id);
        let [least, most] = node.range();
        let mut counts = Vec::with_capacity(TIMES * PARAMETERS);
        let mut bound: Option<[f64; 2]> = None;
        for at in 0..TIMES * PARAMETERS {
            let time = (at % TIMES) as f32 / TIMES as f32;
            let parameter = spread(node.range(), at / TIMES, PARAMETERS);
            graph.actions(State { node: id, time, parameter }, look_ahead, set);
            counts.push(set.actions().len());
            if at / TIMES == PARAMETERS / 2 && set.actions().len() <= 1 {
                let first = bound.map_or(f64::from(time), |[first, _]| first);
                bound = Some([first, f64::from(time)]);
            }
        }
        NodeStats {
            name: node.name.clone(),
            measure: node.measure.name(),
            range: node.range().map(f64::from),
            samples: node.parameters().len(),
            seconds: f64::from(node.seconds(0.5 * (least + most))),
            edges: graph.edges(id).len(),
            mean_actions: counts.iter().sum::<usize>() as f64 / counts.len() as f64,
            least_actions: counts.iter().min().copied().unwrap_or(0),
            most_actions: counts.iter().max().copied().unwrap_or(0),
            bound,
        }
    }
}

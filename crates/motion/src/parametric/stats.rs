//! Figures of a graph.

use serde::Serialize;

use super::edges::spread;
use super::{ActionSet, Graph, LookAhead, State};

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
}

/// Times and parameters of a node at which actions are counted.
const TIMES: usize = 10;
const PARAMETERS: usize = 5;

impl GraphStats {
    /// Measures a graph.
    pub fn of(graph: &Graph, look_ahead: &LookAhead) -> GraphStats {
        let mut set = ActionSet::default();
        let (mut n_states, mut total, mut least, mut most) = (0_usize, 0, usize::MAX, 0);
        for node in graph.ids() {
            for at in 0..TIMES * PARAMETERS {
                let time = (at % TIMES) as f32 / TIMES as f32;
                let parameter = spread(graph.node(node).range(), at / TIMES, PARAMETERS);
                graph.actions(State { node, time, parameter }, look_ahead, &mut set);
                let n = set.actions().len();
                (n_states, total, least, most) = (n_states + 1, total + n, least.min(n), most.max(n));
            }
        }
        let by_node: Vec<NodeStats> = (graph.ids())
            .map(|id| {
                let node = graph.node(id);
                let [least, most] = node.range();
                NodeStats {
                    name: node.name.clone(),
                    measure: node.measure.name(),
                    range: node.range().map(f64::from),
                    samples: node.parameters().len(),
                    seconds: f64::from(node.seconds(0.5 * (least + most))),
                    edges: graph.edges(id).len(),
                }
            })
            .collect();
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
            mean_actions: total as f64 / n_states.max(1) as f64,
            least_actions: if n_states == 0 { 0 } else { least },
            most_actions: most,
            look_ahead: f64::from(look_ahead.seconds),
            by_node,
        }
    }
}

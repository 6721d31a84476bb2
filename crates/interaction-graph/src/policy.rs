//! What to do in every state: value tables by depth.
//!
//! Reference: \[Shum2008b\], algorithm 1 and section 6.3. With W\[i, j\] the reward of edge j of state i and s(i, j) where
//! it leads: V\[i, 0\] = 0, V\[i, d\] = best over j of W\[i, j\] + γ V\[s(i, j), d - 1\].
//! Differs from the paper: a state says who decides, not on whose side they are. So each has two values, one if whoever
//! plans decides there and one if the other does; where both are after the same, one is the other with its sign turned.

use rayon::prelude::*;

use crate::graph::{Graph, SWAPPED, StateId};
use crate::reward::{Reward, Turn};

/// Depths that tables are made for.
pub const MAX_DEPTH: usize = 8;

/// How a policy is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Looking {
    /// Choices looked ahead, 1 to [`MAX_DEPTH`].
    pub depth: usize,
    /// γ (-).
    pub discount: f32,
    /// What the other is after.
    pub other: Other,
    /// Whether all threads of the pool work on it; the result is the same.
    pub parallel: bool,
}

/// What the other is after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Other {
    /// The opposite of what whoever plans is after, with the same weights: min-max with one table.
    Mirrored,
    /// The opposite, with weights of their own: min-max with two tables.
    Opposed,
    /// The same: both choose what is best for both.
    Allied,
}

impl Default for Looking {
    fn default() -> Looking {
        Looking { depth: 5, discount: 1.0, other: Other::Opposed, parallel: true }
    }
}

/// Values of all states, and the best edge in each, by depth.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    looking: Looking,
    /// V by depth from 0, of whoever plans; then of the other, if their weights differ.
    values: Vec<[Vec<f32>; 2]>,
    /// E by depth from 1: the best edge of whoever plans, by its place among the state's.
    best: Vec<Vec<u16>>,
}

impl Policy {
    /// Looks ahead from all states at once.
    pub fn of(graph: &Graph, reward: &impl Reward, looking: Looking) -> Policy {
        let looking = Looking { depth: looking.depth.clamp(1, MAX_DEPTH), ..looking };
        let two = looking.other == Other::Opposed;
        let rewards = |turn: Turn| edge_rewards(graph, reward, turn, looking.parallel);
        let weights = [rewards(Turn::Own), if two { rewards(Turn::Other) } else { Vec::new() }];
        let zeros = vec![0.0_f32; graph.n_states()];
        let mut policy = Policy {
            looking,
            values: vec![[zeros.clone(), if two { zeros } else { Vec::new() }]],
            best: Vec::new(),
        };
        for _ in 0..looking.depth {
            let [own, other] = &policy.values[policy.values.len() - 1];
            let (own_values, best) = match looking.other {
                Other::Mirrored => improve(graph, &weights[0], [own, own], [1.0, -1.0], &looking),
                Other::Allied => improve(graph, &weights[0], [own, own], [1.0, 1.0], &looking),
                Other::Opposed => improve(graph, &weights[0], [own, other], [1.0, -1.0], &looking),
            };
            // Kept as what it is worth to the other, who makes the most of it.
            let others = if two {
                improve(graph, &weights[1], [other, own], [1.0, -1.0], &looking).0
            } else {
                Vec::new()
            };
            policy.values.push([own_values, others]);
            policy.best.push(best);
        }
        policy
    }

    /// How it was made.
    pub fn looking(&self) -> Looking {
        self.looking
    }

    /// V: what a state is worth to whoever plans, if they decide there, looking so many choices ahead (points).
    pub fn value(&self, state: StateId, depth: usize) -> f32 {
        self.values[depth.min(self.looking.depth)][0][state.0 as usize]
    }

    /// E: the best edge of a state, by its place among the state's, looking at least one choice ahead.
    pub fn best(&self, state: StateId, depth: usize) -> usize {
        self.best[depth.clamp(1, self.looking.depth) - 1][state.0 as usize] as usize
    }

    /// What an edge leads to is worth to whoever plans, with `depth - 1` more choices (points).
    pub fn ahead(&self, target: u32, depth: usize) -> f32 {
        let [own, other] = &self.values[depth.clamp(1, self.looking.depth) - 1];
        let at = (target & !SWAPPED) as usize;
        self.looking.discount
            * match self.looking.other {
                _ if target & SWAPPED == 0 => own[at],
                Other::Mirrored => -own[at],
                Other::Opposed => -other[at],
                Other::Allied => own[at],
            }
    }
}

/// States that are weighed at a time.
const CHUNK: usize = 1024;

/// Applies `work` to the states of every chunk, on one thread or on many, in order.
fn by_chunks<T: Send>(
    graph: &Graph,
    parallel: bool,
    work: impl Fn(std::ops::Range<usize>) -> T + Sync,
) -> Vec<T> {
    let n = graph.n_states();
    let chunk = |at: usize| at * CHUNK..((at + 1) * CHUNK).min(n);
    if parallel {
        (0..n.div_ceil(CHUNK)).into_par_iter().map(|at| work(chunk(at))).collect()
    } else {
        (0..n.div_ceil(CHUNK)).map(|at| work(chunk(at))).collect()
    }
}

/// W of all edges.
fn edge_rewards(graph: &Graph, reward: &impl Reward, turn: Turn, parallel: bool) -> Vec<f32> {
    let parts = by_chunks(graph, parallel, |states| {
        let first = graph.firsts[states.start] as usize;
        let mut out = Vec::with_capacity(graph.firsts[states.end] as usize - first);
        for state in states {
            let state = StateId(state as u32);
            let base = reward.of_state(graph, state, turn);
            for at in graph.range(state) {
                out.push(reward.of_edge(&base, graph.edges.actions[at], &graph.edges.facts(at), turn));
            }
        }
        out
    });
    parts.concat()
}

/// V and E of one more choice: the values where the same person decides again, and where the other does, with the sign
/// that either counts.
fn improve(
    graph: &Graph,
    weights: &[f32],
    values: [&[f32]; 2],
    signs: [f32; 2],
    looking: &Looking,
) -> (Vec<f32>, Vec<u16>) {
    let signs = signs.map(|sign| sign * looking.discount);
    let parts = by_chunks(graph, looking.parallel, |states| {
        let (mut best_values, mut best_edges) =
            (Vec::with_capacity(states.len()), Vec::with_capacity(states.len()));
        for state in states {
            let range = graph.firsts[state] as usize..graph.firsts[state + 1] as usize;
            let (mut best, mut best_at) = (f32::NEG_INFINITY, 0);
            let edges = graph.edges.targets[range.clone()].iter().zip(&weights[range]);
            for (at, (target, weight)) in edges.enumerate() {
                let swapped = (target >> 31) as usize;
                let value = weight + signs[swapped] * values[swapped][(target & !SWAPPED) as usize];
                if value > best {
                    (best, best_at) = (value, at as u16);
                }
            }
            best_values.push(best);
            best_edges.push(best_at);
        }
        (best_values, best_edges)
    });
    let (values, edges): (Vec<Vec<f32>>, Vec<Vec<u16>>) = parts.into_iter().unzip();
    (values.concat(), edges.concat())
}

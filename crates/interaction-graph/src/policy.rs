//! What to do in every state: value tables by depth.
//!
//! Reference: \[Shum2008b\], algorithm 1 and section 6.3. With W\[i, j\] the reward of edge j of state i and s(i, j) where
//! it leads: V\[i, 0\] = 0, V\[i, d\] = best over j of W\[i, j\] + γ V\[s(i, j), d - 1\].
//! Differs from the paper: a state says who decides, not on whose side they are. So each has two values, one if whoever
//! plans decides there and one if the other does; where both are after the same, one is the other with its sign turned.

use rayon::prelude::*;

use crate::graph::{DEFENCE, Graph, SPARE, STATE, SWAPPED, StateId};
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
    /// The same: both choose what is best for both. What that is, is seen by each from where they are: two tables.
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
    /// E by depth from 1, of whoever plans: the best edge that is not spare, the best that is no defence, and the best
    /// defence, by their place among the state's.
    best: Vec<Vec<[u16; 3]>>,
}

impl Policy {
    /// Looks ahead from all states at once.
    pub fn of(graph: &Graph, reward: &impl Reward, looking: Looking) -> Policy {
        let looking = Looking { depth: looking.depth.clamp(1, MAX_DEPTH), ..looking };
        let two = looking.other != Other::Mirrored;
        let sign = if looking.other == Other::Allied { 1.0 } else { -1.0 };
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
            let elsewhere = if two { other } else { own };
            let (own_values, best) = improve(graph, &weights[0], [own, elsewhere], [1.0, sign], &looking);
            // Kept as what it is worth to the other, who makes the most of it.
            let others = if two {
                improve(graph, &weights[1], [other, own], [1.0, sign], &looking).0
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

    /// E: the best edge of a state, by its place among the state's, looking at least one choice ahead; spare edges do not
    /// count.
    pub fn best(&self, state: StateId, depth: usize) -> usize {
        self.best[depth.clamp(1, self.looking.depth) - 1][state.0 as usize][0] as usize
    }

    /// The best of a state's edges that are a defence, or of those that are none, spare ones included; `None` if there is
    /// none.
    pub fn best_of(&self, state: StateId, depth: usize, is_defence: bool) -> Option<usize> {
        let best = self.best[depth.clamp(1, self.looking.depth) - 1][state.0 as usize];
        let at = best[1 + usize::from(is_defence)];
        (at != NONE).then_some(at as usize)
    }

    /// What an edge leads to is worth to whoever decides, whoever that is, with `depth - 1` more choices, as it counts in a
    /// table (points).
    pub(crate) fn ahead(&self, turn: Turn, target: u32, depth: usize) -> f32 {
        self.looking.discount * self.worth(turn, target, depth.clamp(1, self.looking.depth) - 1)
    }

    /// The same by itself, with `left` more choices.
    pub(crate) fn worth(&self, turn: Turn, target: u32, left: usize) -> f32 {
        let [own, other] = &self.values[left.min(self.looking.depth)];
        // Whoever plans is the other to the other; of one table, both are.
        let (same, swapped) = match turn {
            _ if other.is_empty() => (own, own),
            Turn::Own => (own, other),
            Turn::Other => (other, own),
        };
        let at = (target & STATE) as usize;
        let sign = if self.looking.other == Other::Allied { 1.0 } else { -1.0 };
        if target & SWAPPED == 0 { same[at] } else { sign * swapped[at] }
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
) -> (Vec<f32>, Vec<[u16; 3]>) {
    let signs = signs.map(|sign| sign * looking.discount);
    let parts = by_chunks(graph, looking.parallel, |states| {
        let (mut best_values, mut best_edges) =
            (Vec::with_capacity(states.len()), Vec::with_capacity(states.len()));
        for state in states {
            let range = graph.firsts[state] as usize..graph.firsts[state + 1] as usize;
            let (mut best, mut best_at) = ([f32::NEG_INFINITY; 3], [NONE; 3]);
            let edges = graph.edges.targets[range.clone()].iter().zip(&weights[range]);
            for (at, (target, weight)) in edges.enumerate() {
                let swapped = (target >> 31) as usize;
                let value = weight + signs[swapped] * values[swapped][(target & STATE) as usize];
                let sort = 1 + usize::from(target & DEFENCE != 0);
                if value > best[sort] {
                    (best[sort], best_at[sort]) = (value, at as u16);
                }
                if value > best[0] && target & SPARE == 0 {
                    (best[0], best_at[0]) = (value, at as u16);
                }
            }
            best_values.push(best[0]);
            best_edges.push(best_at);
        }
        (best_values, best_edges)
    });
    let (values, edges): (Vec<Vec<f32>>, Vec<Vec<[u16; 3]>>) = parts.into_iter().unzip();
    (values.concat(), edges.concat())
}

/// The place of an edge that is not there.
const NONE: u16 = u16::MAX;

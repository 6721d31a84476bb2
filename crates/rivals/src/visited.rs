//! States of a graph that stand for all of a node's.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::parametric::{ActionSet, Graph, NodeId, State};

use crate::game::STATES;
use crate::moves::Repertoire;

/// Decisions of somebody who wanders about.
const WANDERINGS: usize = 20_000;

/// States of a graph that stand for all others, by node.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Known {
    /// The states; those of a node stand together.
    pub states: Vec<State>,
    /// Those of node n are `states[starts[n]..starts[n + 1]]`.
    starts: Vec<usize>,
}

impl Known {
    /// Of lists by node.
    fn of(nodes: Vec<Vec<State>>) -> Known {
        let mut known = Known { states: Vec::new(), starts: vec![0] };
        for node in nodes {
            known.states.extend(node);
            known.starts.push(known.states.len());
        }
        known
    }

    /// Which of the states of its node is most like a state: its place among all of them.
    #[inline]
    pub(crate) fn nearest(&self, graph: &Graph, state: State) -> usize {
        let [least, most] = graph.node(state.node).range();
        let per_parameter = 0.5 / (most - least).max(1e-6);
        let unlike = |at: usize| {
            let other = &self.states[at];
            (other.time - state.time).abs() + per_parameter * (other.parameter - state.parameter).abs()
        };
        let of_node = self.starts[state.node.idx()]..self.starts[state.node.idx() + 1];
        of_node.clone().min_by(|a, b| unlike(*a).total_cmp(&unlike(*b))).unwrap_or(of_node.start)
    }
}

/// All states that somebody comes through who decides again and again, from the start of any node; moments of a node closer
/// than `apart` (s) are one.
pub(crate) fn met(side: &Repertoire, apart: f32) -> Known {
    let graph = &side.graph;
    let mut found: Vec<Vec<State>> = vec![Vec::new(); graph.nodes().len()];
    let mut open: Vec<State> = graph.ids().map(|node| graph.start(node)).collect();
    let mut set = ActionSet::default();
    while let Some(state) = open.pop() {
        let node = graph.node(state.node);
        let seconds = |state: &State| node.seconds_at(state.time, state.parameter);
        let same = |other: &State| (seconds(other) - seconds(&state)).abs() < apart;
        if found[state.node.idx()].iter().any(same) {
            continue;
        }
        found[state.node.idx()].push(state);
        graph.actions(state, &side.look_ahead, &mut set);
        open.extend(set.actions().iter().map(|action| action.end));
    }
    for states in &mut found {
        states.sort_by(|a, b| a.time.total_cmp(&b.time));
    }
    Known::of(found)
}

/// States of every node that somebody comes through who does anything at all, each as likely as the next.
pub(crate) fn wandering(side: &Repertoire, seed: u64) -> Known {
    let graph = &side.graph;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut found: Vec<Vec<State>> = vec![Vec::new(); graph.nodes().len()];
    let mut n_seen = vec![0_usize; graph.nodes().len()];
    let mut set = ActionSet::default();
    let mut state = graph.start(NodeId(0));
    for _ in 0..WANDERINGS {
        graph.actions(state, &side.look_ahead, &mut set);
        if set.actions().is_empty() {
            break;
        }
        state = set.actions()[rng.random_range(0..set.actions().len())].end;
        // A reservoir: all that were seen are as likely to be kept.
        let node = state.node.idx();
        n_seen[node] += 1;
        if found[node].len() < STATES {
            found[node].push(state);
        } else {
            let at = rng.random_range(0..n_seen[node]);
            if let Some(kept) = found[node].get_mut(at) {
                *kept = state;
            }
        }
    }
    let filled = found.into_iter().zip(graph.ids()).map(|(mut kept, node)| {
        if kept.is_empty() {
            kept.push(graph.start(node));
        }
        (0..STATES).map(move |k| kept[k % kept.len()]).collect::<Vec<State>>()
    });
    Known::of(filled.collect())
}

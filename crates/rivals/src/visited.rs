//! States of a graph that stand for all of a node's.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::parametric::{ActionSet, NodeId, State};

use crate::game::STATES;
use crate::moves::Repertoire;

/// Decisions of somebody who wanders about.
const WANDERINGS: usize = 20_000;

/// States of every node, spread over its time.
pub(crate) fn spread(side: &Repertoire) -> Vec<State> {
    let of = |node: NodeId| {
        let start = side.graph.start(node);
        (0..STATES).map(move |k| State { time: k as f32 / (STATES - 1) as f32, ..start })
    };
    side.graph.ids().flat_map(of).collect()
}

/// States of every node that somebody comes through who does anything at all, each as likely as the next.
pub(crate) fn wandering(side: &Repertoire, seed: u64) -> Vec<State> {
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
    let filled = found.into_iter().zip(graph.ids()).flat_map(|(mut kept, node)| {
        if kept.is_empty() {
            kept.push(graph.start(node));
        }
        (0..STATES).map(move |k| kept[k % kept.len()]).collect::<Vec<State>>()
    });
    filled.collect()
}

//! A game as it is learned: over the axes of its value function, with what can be done looked up.
//!
//! What somebody can do depends on the node they are in, on when in it they are and on its parameter; of these the value
//! function of tag sees the node alone (\[Wampler2010\], section 8.1). The others are unseen coordinates: states that people
//! do come through, found by wandering about, of which every node has as many. Values are learned over all of them.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_equilibrium::game::{ActionCounts, ActionPair, Axis, MarkovGame};
use randori_motion::parametric::{ActionSet, NodeId, State};

use crate::game::{Game, Rules};
use crate::moves::{Move, Repertoire};

/// States of every node that are looked up.
const STATES: usize = 12;
/// Decisions of those who wander about to find them.
const WANDERINGS: usize = 20_000;

/// A game with its moves in tables.
#[derive(Debug)]
pub struct Table<'a> {
    game: &'a Game,
    axes: Vec<Axis>,
    /// Of the agent and of the opponent, node by node, [`STATES`] each.
    states: [Vec<State>; 2],
    /// What can be done there; what begins an attack stands last.
    moves: [Vec<Vec<Move>>; 2],
    /// How many of them begin no attack.
    quiet: [Vec<usize>; 2],
    /// Which state of its last node each of them ends nearest to.
    unseen: [Vec<Vec<u8>>; 2],
}

impl Game {
    /// The game as it is learned.
    pub fn table(&self) -> Table<'_> {
        let states = [0, 1].map(|side| match self.rules {
            Rules::Tag(_) => visited(&self.sides[side], side as u64),
            Rules::Sword(_) => spread(&self.sides[side]),
        });
        let mut set = ActionSet::default();
        let mut quiet = [Vec::new(), Vec::new()];
        let moves: [Vec<Vec<Move>>; 2] = [0, 1].map(|side| {
            let of = |state: &State| {
                let mut moves = Vec::new();
                self.sides[side].moves(*state, &mut set, &mut moves);
                moves.sort_by_key(Move::begins_attack);
                quiet[side].push(moves.partition_point(|it| !it.begins_attack()));
                moves
            };
            states[side].iter().map(of).collect()
        });
        let mut axes = self.axes.clone();
        if let Rules::Tag(_) = self.rules {
            axes.extend([Axis::Discrete { count: STATES as u32 }; 2]);
        }
        let unseen = [0, 1].map(|side| {
            let of = |it: &Move| nearest(&self.sides[side], &states[side], it.end);
            moves[side].iter().map(|moves| moves.iter().map(of).collect()).collect()
        });
        Table { game: self, axes, states, moves, quiet, unseen }
    }
}

impl Table<'_> {
    /// Which of the tables holds what a side can do.
    fn place(&self, point: &[f64], side: usize) -> usize {
        match self.game.rules {
            Rules::Tag(_) => point[3 + side] as usize * STATES + point[5 + side] as usize,
            Rules::Sword(_) => {
                point[2 + side] as usize * STATES
                    + libm::round(point[side] * (STATES - 1) as f64).clamp(0.0, (STATES - 1) as f64) as usize
            }
        }
    }

    /// What both can do at a point.
    pub(crate) fn moves(&self, point: &[f64]) -> [&[Move]; 2] {
        let places = [0, 1].map(|side| self.place(point, side));
        let all = [0, 1].map(|side| &self.moves[side][places[side]][..]);
        if let Rules::Tag(_) = self.game.rules {
            return all;
        }
        let attacks =
            [0, 1].map(|side| self.game.sides[side].doing(self.states[side][places[side]]).attacks());
        [0, 1].map(|side| match attacks[1 - side] && !attacks[side] {
            true => &all[side][..self.quiet[side][places[side]]],
            false => all[side],
        })
    }
}

impl MarkovGame for Table<'_> {
    fn axes(&self) -> &[Axis] {
        &self.axes
    }

    fn discount(&self) -> f64 {
        self.game.discount
    }

    fn action_counts(&self, state: &[f64]) -> ActionCounts {
        let [agent, opponent] = self.moves(state).map(<[Move]>::len);
        ActionCounts { agent, opponent }
    }

    fn reward(&self, state: &[f64], pair: ActionPair) -> f64 {
        self.play(state, pair, &mut |_, _| ())
    }

    fn visit_successors(&self, state: &[f64], pair: ActionPair, visit: &mut dyn FnMut(f64, &[f64])) {
        self.play(state, pair, visit);
    }

    fn play(&self, state: &[f64], pair: ActionPair, visit: &mut dyn FnMut(f64, &[f64])) -> f64 {
        let chosen = [pair.agent.index(), pair.opponent.index()];
        let [agent, opponent] = self.moves(state);
        let relation = self.game.relation_at(state);
        let outcome = self.game.outcome(relation, &agent[chosen[0]], &opponent[chosen[1]]);
        let mut reward = outcome.reward - self.game.potential(relation);
        if outcome.goes_on {
            reward += self.game.discount * self.game.potential(outcome.relation);
            let point = self.game.point(outcome.relation, outcome.ends);
            let n = point.len();
            let mut next = [0.0; 7];
            next[..n].copy_from_slice(&point);
            for side in 0..self.axes.len() - n {
                next[n + side] = f64::from(self.unseen[side][self.place(state, side)][chosen[side]]);
            }
            visit(1.0, &next[..self.axes.len()]);
        }
        reward
    }
}

/// Which of a node's states is most like a state.
fn nearest(side: &Repertoire, states: &[State], state: State) -> u8 {
    let of_node = &states[state.node.idx() * STATES..][..STATES];
    let [least, most] = side.graph.node(state.node).range();
    let unlike = |other: &State| {
        let parameter = (other.parameter - state.parameter) / (most - least).max(1e-6);
        (other.time - state.time).abs() + 0.5 * parameter.abs()
    };
    (0..STATES).min_by(|a, b| unlike(&of_node[*a]).total_cmp(&unlike(&of_node[*b]))).unwrap_or(0) as u8
}

/// States of every node, spread over its time.
fn spread(side: &Repertoire) -> Vec<State> {
    let of = |node: NodeId| {
        let start = side.graph.start(node);
        (0..STATES).map(move |k| State { time: k as f32 / (STATES - 1) as f32, ..start })
    };
    side.graph.ids().flat_map(of).collect()
}

/// States of every node that somebody comes through who does anything at all, each as likely as the next.
fn visited(side: &Repertoire, seed: u64) -> Vec<State> {
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

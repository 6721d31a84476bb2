//! A game as it is learned: over the axes of its value function, with what can be done looked up.
//!
//! What somebody can do depends on the node they are in, on when in it they are and on its parameter; of these the value
//! function of tag sees the node alone (\[Wampler2010\], section 8.1). The others are unseen coordinates: states that people
//! do come through, found by wandering about, of which every node has as many. Values are learned over all of them.

use randori_equilibrium::game::{ActionCounts, ActionPair, Axis, MarkovGame};
use randori_motion::parametric::{ActionSet, NodeId, State};

use crate::game::{Game, Rules, STATES};
use crate::moves::Move;

/// A game with its moves in tables.
#[derive(Debug)]
pub struct Table<'a> {
    game: &'a Game,
    axes: Vec<Axis>,
    /// What can be done in each of the game's known states; what begins an attack stands last.
    moves: [Vec<Vec<Move>>; 2],
    /// How many of them begin no attack.
    quiet: [Vec<usize>; 2],
    /// Which of the known states each of them ends nearest to.
    ends: [Vec<Vec<u32>>; 2],
    /// Whether states are pairs of known ones.
    is_finite: bool,
}

impl Game {
    /// The game as it is learned.
    pub fn table(&self) -> Table<'_> {
        let mut set = ActionSet::default();
        let mut quiet = [Vec::new(), Vec::new()];
        let moves: [Vec<Vec<Move>>; 2] = [0, 1].map(|side| {
            let of = |state: &State| {
                let mut moves = Vec::new();
                self.sides[side].moves(*state, &mut set, &mut moves);
                moves.sort_by_key(|it| it.begins_attack);
                quiet[side].push(moves.partition_point(|it| !it.begins_attack));
                moves
            };
            self.visited[side].states.iter().map(of).collect()
        });
        let mut axes = self.axes.clone();
        if let Rules::Tag(_) = self.rules {
            axes.extend([Axis::Discrete { count: STATES as u32 }; 2]);
        }
        let ends = [0, 1].map(|side| {
            let of = |it: &Move| self.known(side, it.end) as u32;
            moves[side].iter().map(|moves| moves.iter().map(of).collect()).collect()
        });
        Table { game: self, axes, moves, quiet, ends, is_finite: false }
    }

    /// A duel over what both are at: a state is a pair of known ones, by their numbers. Where motions keep a beat that
    /// decisions keep, too, this is the game as it is played and not one like it.
    pub fn moments(&self) -> Table<'_> {
        let axes = self.visited.iter().map(|known| Axis::Discrete { count: known.states.len() as u32 });
        Table { axes: axes.collect(), is_finite: true, ..self.table() }
    }
}

impl Table<'_> {
    /// Which of the tables holds what a side can do.
    fn place(&self, point: &[f64], side: usize) -> usize {
        match self.game.rules {
            _ if self.is_finite => point[side] as usize,
            Rules::Tag(_) => point[3 + side] as usize * STATES + point[5 + side] as usize,
            Rules::Sword(_) => {
                let start = self.game.sides[side].graph.start(NodeId(point[2 + side] as u16));
                self.game.known(side, State { time: point[side] as f32, ..start })
            }
        }
    }

    /// One of the game's known states.
    fn known(&self, side: usize, place: usize) -> State {
        self.game.visited[side].states[place]
    }

    /// What both can do at a point.
    pub(crate) fn moves(&self, point: &[f64]) -> [&[Move]; 2] {
        let places = [0, 1].map(|side| self.place(point, side));
        let all = [0, 1].map(|side| &self.moves[side][places[side]][..]);
        if let Rules::Tag(_) = self.game.rules {
            return all;
        }
        let attacks =
            [0, 1].map(|side| self.game.sides[side].doing(self.known(side, places[side])).attacks());
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
        let places = [0, 1].map(|side| self.place(state, side));
        if self.is_finite {
            if outcome.goes_on {
                let made = [&agent[chosen[0]], &opponent[chosen[1]]];
                let next = [0, 1].map(|side| match outcome.ends[side] == made[side].end {
                    true => f64::from(self.ends[side][places[side]][chosen[side]]),
                    false => self.game.known(side, outcome.ends[side]) as f64,
                });
                visit(1.0, &next);
            }
            return outcome.reward;
        }
        let states = [0, 1].map(|side| self.known(side, places[side]));
        let mut reward = outcome.reward - self.game.potential(relation, states);
        if outcome.goes_on {
            reward += self.game.discount * self.game.potential(outcome.relation, outcome.ends);
            let point = self.game.point(outcome.relation, outcome.ends);
            let n = point.len();
            let mut next = [0.0; 7];
            next[..n].copy_from_slice(&point);
            for side in 0..self.axes.len() - n {
                let end = self.ends[side][places[side]][chosen[side]];
                next[n + side] = f64::from(end % STATES as u32);
            }
            visit(1.0, &next[..self.axes.len()]);
        }
        reward
    }
}

//! A game of two people on motion graphs: the state, what can be done in it, and what comes of two things done at once.
//!
//! [`Game`] is what is played: people in states of their graphs, wherever they are. [`Game::table`] is what is learned: a
//! [`MarkovGame`](randori_equilibrium::game::MarkovGame) over the axes of the value function, see [`crate::table`].

use randori_equilibrium::game::Axis;
use randori_motion::Placement;
use randori_motion::parametric::{ActionSet, Leg, NodeId, State};
use rayon::prelude::*;

use crate::going::{Errand, Going};
use crate::moves::{Doing, Move, Repertoire};
use crate::sword::SwordRules;
use crate::tag::TagRules;
use crate::visited::{self, Known};

/// Where the opponent is, seen from the agent: to the left and ahead (m), and how far turned to the left (rad).
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Relation {
    /// To the agent's left (m).
    pub x: f64,
    /// Ahead of the agent (m).
    pub z: f64,
    /// The opponent's heading less the agent's (rad).
    pub theta: f64,
}

impl Relation {
    /// As one placement sees the other.
    pub fn of(agent: Placement, opponent: Placement) -> Relation {
        let relative = agent.relative(opponent);
        let [x, z, theta] = [relative.position.x, relative.position.z, relative.heading].map(f64::from);
        Relation { x, z, theta }
    }

    /// How far apart they are (m).
    pub fn distance(&self) -> f64 {
        libm::hypot(self.x, self.z)
    }
}

/// All that decides about what comes next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Situation {
    /// Where they are.
    pub relation: Relation,
    /// What the agent and the opponent are at.
    pub states: [State; 2],
}

/// What comes of two moves at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// What the agent gets.
    pub reward: f64,
    /// Where they are after it.
    pub relation: Relation,
    /// The states they are in after it.
    pub ends: [State; 2],
    /// Whether the game goes on.
    pub goes_on: bool,
    /// How well a tackle or a cut met the other, 0 to 1; below 0 if it was the opponent's.
    pub caught: f64,
}

/// The rules of a game.
#[derive(Clone, Debug, PartialEq)]
pub enum Rules {
    /// One chases, the other runs.
    Tag(TagRules),
    /// Both cut and block.
    Sword(SwordRules),
}

/// Two people, their motions, and the rules between them.
#[derive(Clone, Debug)]
pub struct Game {
    /// The motions of the agent and of the opponent.
    pub sides: [Repertoire; 2],
    /// The rules.
    pub rules: Rules,
    /// What a reward is worth one decision later.
    pub discount: f64,
    pub(crate) axes: Vec<Axis>,
    /// States of every node that people come through, of the agent and of the opponent: in tag [`STATES`] of each node, with
    /// swords all.
    pub(crate) visited: [Known; 2],
    /// What they do there if they go on with what is under way.
    going_on: [Vec<Move>; 2],
    /// In tag: how well both get along when the other is far away.
    going: Option<[Going; 2]>,
    /// With swords: what comes of it if both go on with what is under way, by their known states.
    prospects: Vec<f32>,
}

/// States of every node that are known in tag.
pub(crate) const STATES: usize = 12;

/// What both can do in a situation. Keeps its memory from call to call.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// What the agent can do, then what the opponent can.
    pub moves: [Vec<Move>; 2],
    sets: [ActionSet; 2],
    /// Which action of the set each of the moves is.
    actions: [Vec<u32>; 2],
}

impl Choices {
    /// The way of one of the moves through its graph.
    pub fn path(&self, side: usize, at: usize) -> &[Leg] {
        let action = self.actions[side].get(at).map_or(0, |action| *action as usize);
        self.sets[side].actions().get(action).map_or(&[], |action| self.sets[side].path(action))
    }
}

/// Ordinary look-ahead, for which discounts and rewards are given (s).
pub const LOOK_AHEAD: f64 = 0.25;
/// Nobody is followed farther than this along an axis (m).
pub const FARTHEST: f64 = 8.0;
/// Moments of a motion closer than this (s) are the same to whoever learns. Duels are performed to a beat that is longer.
const APART: f32 = 0.03;
/// Decisions for which both are taken to go on with what is under way: until any cut has landed.
const PROSPECT: usize = 4;
/// At this distance (m) half of what people make of a distance is what each makes of it alone.
const ALONE: f64 = 1.0;
/// Near the agent the axes are about linear: within this (m).
const NEAR: f64 = 0.8;

impl Game {
    /// Tag: the agent chases the opponent.
    pub fn tag(sides: [Repertoire; 2], rules: TagRules) -> Game {
        let count = |side: usize| Axis::Discrete { count: sides[side].graph.nodes().len() as u32 };
        let place = Axis::Continuous { low: -1.0, high: 1.0 };
        let turn = Axis::Periodic { low: -std::f64::consts::PI, high: std::f64::consts::PI };
        let axes = vec![place, place, turn, count(0), count(1)];
        let discount = libm::pow(0.8, f64::from(sides[0].look_ahead.seconds) / LOOK_AHEAD);
        let visited = [0, 1].map(|side| visited::wandering(&sides[side], side as u64));
        let share = f64::from(sides[0].look_ahead.seconds) / LOOK_AHEAD;
        let going = [(0, Doing::Tackle), (1, Doing::Dodge)].map(|(side, useless)| {
            let [metre, idle] = [rules.apart * share, rules.idle * share];
            Going::of(&sides[side], &Errand { metre, idle, useless, discount })
        });
        let game = Game::with_states(sides, Rules::Tag(rules), discount, axes, visited);
        Game { going: Some(going), ..game }
    }

    /// Sword: both attack and block, opposite each other.
    pub fn sword(sides: [Repertoire; 2]) -> Game {
        let rules = SwordRules::of(&sides);
        let count = |side: usize| Axis::Discrete { count: sides[side].graph.nodes().len() as u32 };
        let time = Axis::Continuous { low: 0.0, high: 1.0 };
        let axes = vec![time, time, count(0), count(1)];
        let discount = libm::pow(0.5, f64::from(sides[0].look_ahead.seconds) / LOOK_AHEAD);
        let visited = [0, 1].map(|side| visited::met(&sides[side], APART));
        let mut game = Game::with_states(sides, Rules::Sword(rules), discount, axes, visited);
        game.prospects = game.prospects();
        game
    }

    /// What comes of it if both go on with what is under way for a few decisions, for all pairs of known states.
    fn prospects(&self) -> Vec<f32> {
        let relation = self.relation_at(&[]);
        let of = |pair: usize| {
            let n = self.going_on[1].len();
            let mut at = [pair / n, pair % n];
            let (mut sum, mut weight) = (0.0, 1.0);
            for _ in 0..PROSPECT {
                let outcome = self.outcome(relation, &self.going_on[0][at[0]], &self.going_on[1][at[1]]);
                sum += weight * outcome.reward;
                weight *= self.discount;
                if !outcome.goes_on {
                    break;
                }
                at = [0, 1].map(|side| self.known(side, outcome.ends[side]));
            }
            sum as f32
        };
        (0..self.going_on[0].len() * self.going_on[1].len()).into_par_iter().map(of).collect()
    }

    fn with_states(
        sides: [Repertoire; 2],
        rules: Rules,
        discount: f64,
        axes: Vec<Axis>,
        visited: [Known; 2],
    ) -> Game {
        let (mut set, mut moves) = (ActionSet::default(), Vec::new());
        let going_on = [0, 1].map(|side| {
            let mut first = |state: &State| {
                sides[side].moves(*state, &mut set, &mut moves);
                moves.first().copied()
            };
            visited[side].states.iter().filter_map(&mut first).collect()
        });
        Game { sides, rules, discount, axes, visited, going_on, going: None, prospects: Vec::new() }
    }

    /// Which of the known states is most like a state: its place among all of them.
    #[inline]
    pub(crate) fn known(&self, side: usize, state: State) -> usize {
        self.visited[side].nearest(&self.sides[side].graph, state)
    }

    /// `tag` or `sword`.
    pub fn name(&self) -> &'static str {
        match self.rules {
            Rules::Tag(_) => "tag",
            Rules::Sword(_) => "sword",
        }
    }

    /// How long a decision holds (s).
    pub fn seconds(&self) -> f64 {
        f64::from(self.sides[0].look_ahead.seconds)
    }

    /// The axes of the value function.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The names of these axes.
    pub fn axis_names(&self) -> &'static [&'static str] {
        match self.rules {
            Rules::Tag(_) => &["x", "z", "theta", "agent node", "opponent node"],
            Rules::Sword(_) => &["agent time", "opponent time", "agent node", "opponent node"],
        }
    }

    /// A situation as a point of the value function's axes.
    #[inline]
    pub fn point(&self, relation: Relation, states: [State; 2]) -> Point {
        let node = |side: usize| states[side].node.0 as f64;
        match self.rules {
            Rules::Tag(_) => {
                let turn = self.axes[2].snap(relation.theta);
                Point { at: [bent(relation.x), bent(relation.z), turn, node(0), node(1)], n: 5 }
            }
            Rules::Sword(_) => {
                let time = |side: usize| f64::from(states[side].time);
                Point { at: [time(0), time(1), node(0), node(1), 0.0], n: 4 }
            }
        }
    }

    /// The relation at a point of tag's axes.
    pub(crate) fn relation_at(&self, point: &[f64]) -> Relation {
        match self.rules {
            Rules::Tag(_) => {
                Relation { x: straightened(point[0]), z: straightened(point[1]), theta: point[2] }
            }
            Rules::Sword(ref rules) => rules.opposite(),
        }
    }

    /// What comes of two moves at once.
    #[inline]
    pub fn outcome(&self, relation: Relation, agent: &Move, opponent: &Move) -> Outcome {
        let mut outcome = match &self.rules {
            Rules::Tag(rules) => rules.outcome(relation, agent, opponent),
            Rules::Sword(rules) => rules.outcome(relation, agent, opponent),
        };
        if let Rules::Tag(_) = self.rules {
            outcome.reward *= self.seconds() / LOOK_AHEAD;
        }
        outcome
    }

    /// What a situation is worth to the agent if both go on as they are: what is learned is the difference from it.
    ///
    /// As a potential it changes no policy (\[Ng1999\]). It spares the splines the slope that goes on for ever, what both
    /// make of it when they are far apart, and what decides within a hand's breadth and a tenth of a second: the hands of a
    /// tackle under way, and whether a cut under way meets a block.
    #[inline]
    pub fn potential(&self, relation: Relation, states: [State; 2]) -> f64 {
        let (Rules::Tag(rules), Some([chases, runs])) = (&self.rules, &self.going) else {
            let pair = self.known(0, states[0]) * self.going_on[1].len() + self.known(1, states[1]);
            return self.prospects.get(pair).map_or(0.0, |worth| f64::from(*worth));
        };
        let share = self.seconds() / LOOK_AHEAD;
        let squared = relation.x * relation.x + relation.z * relation.z;
        let mut worth = -rules.apart * share / (1.0 - self.discount) * (squared + 0.25).sqrt();
        let direction = libm::atan2(relation.x, relation.z);
        let alone = chases.worth(states[0], direction) - runs.worth(states[1], direction - relation.theta);
        worth += alone * squared / (squared + ALONE * ALONE);
        if self.sides[0].doing(states[0]) == Doing::Tackle {
            let on = [0, 1].map(|side| self.going_on[side].get(self.known(side, states[side])));
            if let [Some(agent), Some(opponent)] = on {
                worth += share * rules.hands * rules.outcome(relation, agent, opponent).caught;
            }
        }
        worth
    }

    /// What both can do in a situation: whoever is attacked with a sword has no right of way to attack.
    pub fn choices(&self, situation: &Situation, choices: &mut Choices) {
        let attacks = [0, 1].map(|side| self.sides[side].doing(situation.states[side]).attacks());
        for side in 0..2 {
            let Choices { moves, sets, actions } = choices;
            self.sides[side].moves(situation.states[side], &mut sets[side], &mut moves[side]);
            let waits = attacks[1 - side] && !attacks[side];
            let open = |it: &Move| !(waits && it.begins_attack);
            actions[side].clear();
            actions[side].extend((0..).zip(&moves[side]).filter(|(_, it)| open(it)).map(|(at, _)| at));
            moves[side].retain(open);
        }
    }

    /// The start of a node of this name; of the first node if there is none.
    pub fn start(&self, side: usize, name: &str) -> State {
        let graph = &self.sides[side].graph;
        graph.start(graph.find(name).unwrap_or(NodeId(0)))
    }
}

/// A point of a value function's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    at: [f64; 5],
    n: usize,
}

impl std::ops::Deref for Point {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.at[..self.n]
    }
}

/// Metres along an axis as a coordinate from -1 to 1 that is finest around 0, where hands decide.
fn bent(metres: f64) -> f64 {
    (libm::asinh(metres / NEAR) / libm::asinh(FARTHEST / NEAR)).clamp(-1.0, 1.0)
}

fn straightened(coordinate: f64) -> f64 {
    NEAR * libm::sinh(coordinate * libm::asinh(FARTHEST / NEAR))
}

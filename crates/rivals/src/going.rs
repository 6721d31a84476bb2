//! How well somebody gets along in one direction: tag as it is when the other is far away.
//!
//! Far away the distance between two people grows by what the one gains along the line between them and shrinks by what
//! the other does, and that line hardly turns: each is alone with a direction. What a state is worth to somebody who wants
//! to go that way is found by value iteration over a grid of times, parameters and angles of every node. It sees when in a step
//! somebody is, which the learned values do not, and it is exact where they would be lost in their own noise.

use randori_motion::parametric::{ActionSet, Graph, MOMENTS, NodeId, State};
use rayon::prelude::*;

use crate::moves::{Doing, Move, Repertoire};

/// Times, parameters and angles of the grid.
const TIMES: usize = 9;
const PARAMETERS: usize = 5;
const ANGLES: usize = 48;
/// Sweeps over all that can be done, and over what was found best after each of them.
const SWEEPS: usize = 10;
const REPEATS: usize = 6;

/// What somebody wants who goes somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Errand {
    /// What a metre is worth during one decision (1/m).
    pub metre: f64,
    /// What it costs to spend a decision with what is of no use alone.
    pub idle: f64,
    /// What that is.
    pub useless: Doing,
    /// What a reward is worth one decision later.
    pub discount: f64,
}

/// What states are worth to somebody who wants to go in one direction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Going {
    /// By node, time, parameter and angle to the left; the last runs fastest.
    worth: Vec<f32>,
    /// The least parameter of every node, and how many steps of the grid one of them is.
    parameters: Vec<[f32; 2]>,
}

/// Something that can be done, as far as it matters to somebody alone.
struct Way {
    /// Metres to the left and ahead, each weighted with what it is worth.
    gain: [f64; 2],
    /// What it costs.
    cost: f64,
    /// How far it turns, in angles of the grid.
    turn: f64,
    /// The states of the grid around its end, with their weights.
    ends: [(u32, f32); 4],
}

impl Going {
    /// Works out what states are worth.
    pub(crate) fn of(side: &Repertoire, errand: &Errand) -> Going {
        let graph = &side.graph;
        let parameters = graph.nodes().iter().map(|node| {
            let [least, most] = node.range();
            [least, (PARAMETERS - 1) as f32 / (most - least).max(1e-6)]
        });
        let n = graph.nodes().len() * TIMES * PARAMETERS;
        let mut going = Going { worth: vec![0.0; n * ANGLES], parameters: parameters.collect() };
        let ways: Vec<Vec<Way>> = (0..n)
            .into_par_iter()
            .map_init(Default::default, |(set, moves): &mut (ActionSet, Vec<_>), at| {
                side.moves(going.state(graph, at), set, moves);
                moves.iter().map(|it| going.way(it, errand)).collect()
            })
            .collect();
        let directions: [[f64; 2]; ANGLES] = std::array::from_fn(|angle| {
            let angle = std::f64::consts::TAU * angle as f64 / ANGLES as f64;
            [libm::sin(angle), libm::cos(angle)]
        });
        // What comes of a way if the direction is at one of the angles.
        let after = |going: &Going, way: &Way, angle: usize| {
            let along = way.gain[0] * directions[angle][0] + way.gain[1] * directions[angle][1];
            along - way.cost + errand.discount * going.blended(&way.ends, angle as f64 - way.turn)
        };
        for _ in 0..SWEEPS {
            let best = |at: usize| {
                let all = ways[at / ANGLES].iter().map(|way| after(&going, way, at % ANGLES));
                let best = all.enumerate().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
                best.map_or(0, |(way, _)| way as u32)
            };
            let best: Vec<u32> = (0..n * ANGLES).into_par_iter().map(best).collect();
            for _ in 0..REPEATS {
                let worth = |at: usize| {
                    let way = ways[at / ANGLES].get(best[at] as usize);
                    way.map_or(0.0, |way| after(&going, way, at % ANGLES)) as f32
                };
                going.worth = (0..n * ANGLES).into_par_iter().map(worth).collect();
            }
        }
        going
    }

    /// What a state is worth if the direction lies so far to the left (rad).
    #[inline]
    pub(crate) fn worth(&self, state: State, angle: f64) -> f64 {
        self.blended(&self.around(state), angle * (ANGLES as f64 / std::f64::consts::TAU))
    }

    /// The worth of a blend of states of the grid at an angle in steps of the grid.
    #[inline]
    fn blended(&self, states: &[(u32, f32); 4], angle: f64) -> f64 {
        let whole = libm::floor(angle);
        let share = (angle - whole) as f32;
        let first = (whole as i64).rem_euclid(ANGLES as i64) as usize;
        let next = if first + 1 == ANGLES { 0 } else { first + 1 };
        let mut sum = 0.0;
        for (state, weight) in states {
            let of = &self.worth[*state as usize * ANGLES..][..ANGLES];
            sum += weight * (of[first] * (1.0 - share) + of[next] * share);
        }
        f64::from(sum)
    }

    /// The states of the grid around a state, with their weights.
    #[inline]
    fn around(&self, state: State) -> [(u32, f32); 4] {
        let [least, steps] = self.parameters[state.node.idx()];
        let split = |at: f32, n: usize| {
            let at = at.clamp(0.0, (n - 1) as f32);
            let first = (at as usize).min(n - 2);
            (first, at - first as f32)
        };
        let (time, late) = split(state.time * (TIMES - 1) as f32, TIMES);
        let (parameter, more) = split((state.parameter - least) * steps, PARAMETERS);
        let at = ((state.node.idx() * TIMES + time) * PARAMETERS + parameter) as u32;
        [
            (at, (1.0 - late) * (1.0 - more)),
            (at + 1, (1.0 - late) * more),
            (at + PARAMETERS as u32, late * (1.0 - more)),
            (at + PARAMETERS as u32 + 1, late * more),
        ]
    }

    /// One of the states of the grid.
    fn state(&self, graph: &Graph, at: usize) -> State {
        let (node, time, parameter) = (at / (TIMES * PARAMETERS), at / PARAMETERS % TIMES, at % PARAMETERS);
        let node = NodeId(node as u16);
        let [least, most] = graph.node(node).range();
        let share = parameter as f32 / (PARAMETERS - 1) as f32;
        let parameter = (least + share * (most - least)).clamp(least, most);
        State { node, time: time as f32 / (TIMES - 1) as f32, parameter }
    }

    fn way(&self, made: &Move, errand: &Errand) -> Way {
        let mut gain = [0.0; 2];
        let mut useless = 0.0;
        for at in &made.instants {
            for (sum, metres) in gain.iter_mut().zip(at.place) {
                *sum += errand.metre * metres / MOMENTS as f64;
            }
            useless += f64::from(at.doing == errand.useless) / MOMENTS as f64;
        }
        // What is gained stays gained: it counts in all decisions to come.
        let later = errand.discount * errand.metre / (1.0 - errand.discount);
        for (sum, metres) in gain.iter_mut().zip(made.place()) {
            *sum += later * metres;
        }
        let turn = made.turn[0] * ANGLES as f64 / std::f64::consts::TAU;
        Way { gain, cost: errand.idle * useless, turn, ends: self.around(made.end) }
    }
}

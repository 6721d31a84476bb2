//! Where it pays to be unpredictable: the spread of what somebody plans, over the floor.
//!
//! Reference: \[Wampler2010\], figures 8 and 9: the deviation of the agent's planned positions, weighted with the
//! probabilities of the actions that lead there, as a function of where the agent is.

use rayon::prelude::*;
use serde::Serialize;

use crate::decide::{Manner, Mind, Role};
use crate::game::{Choices, Game, Relation, Situation};
use crate::values::Values;

/// The mean distance of planned places from their mean, weighted with their probabilities (m).
pub fn spread(game: &Game, mind: &mut Mind<'_>, situation: &Situation, choices: &mut Choices) -> f64 {
    game.choices(situation, choices);
    let side = 0;
    let probabilities = mind.decide(situation, choices);
    let places = choices.moves[side].iter().map(crate::moves::Move::place).zip(probabilities);
    let mut mean = [0.0; 2];
    for ([x, z], p) in places.clone() {
        mean[0] += p * x;
        mean[1] += p * z;
    }
    places.map(|([x, z], p)| p * libm::hypot(x - mean[0], z - mean[1])).sum()
}

/// A thing that somebody may do: where it leads, and how likely it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Plan {
    /// Where it leads, seen from where somebody is now (m): to their left, and ahead.
    pub to: [f64; 2],
    /// How likely it is.
    pub probability: f64,
}

/// What both may do in a situation, seen from where the agent is.
pub fn plans(game: &Game, values: &Values, situation: &Situation) -> [Vec<Plan>; 2] {
    let mut choices = Choices::default();
    game.choices(situation, &mut choices);
    let Relation { x, z, theta } = situation.relation;
    let (sin, cos) = (libm::sin(theta), libm::cos(theta));
    [Role::Agent, Role::Opponent].map(|role| {
        let mut mind = Mind::new(game, values, Manner::Optimal, role);
        let probabilities = mind.decide(situation, &choices);
        let moves = choices.moves[role.side()].iter();
        let plan = |(it, probability): (&crate::moves::Move, &f64)| {
            let [left, ahead] = it.place();
            let to = match role {
                Role::Agent => [left, ahead],
                Role::Opponent => [x + cos * left + sin * ahead, z - sin * left + cos * ahead],
            };
            Plan { to, probability: *probability }
        };
        moves.zip(probabilities).map(plan).collect()
    })
}

/// A map of the floor around the opponent, who faces +Z in its middle.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// Squares on a side.
    pub n: usize,
    /// From the middle to the edge (m).
    pub reach: f64,
    /// Spread of the agent's plans in each square (m), row by row from +Z to -Z, each from +X to -X.
    pub spread: Vec<f64>,
}

impl Map {
    /// The map for an agent who faces the opponent, both at the start of nodes of these names.
    pub fn of(game: &Game, values: &Values, nodes: [&str; 2], heading: f64, n: usize, reach: f64) -> Map {
        let states = [0, 1].map(|side| game.start(side, nodes[side]));
        let of = |square: usize| {
            let at = |k: usize| reach * (1.0 - 2.0 * (k as f64 + 0.5) / n as f64);
            let (z, x) = (at(square / n), at(square % n));
            // The agent is at (x, z), turned by `heading` from facing the opponent.
            let facing = libm::atan2(-x, -z) + heading;
            let (sin, cos) = (libm::sin(facing), libm::cos(facing));
            let relation = Relation { x: cos * -x - sin * -z, z: sin * -x + cos * -z, theta: -facing };
            let mut mind = Mind::new(game, values, Manner::Optimal, Role::Agent);
            spread(game, &mut mind, &Situation { relation, states }, &mut Choices::default())
        };
        Map { n, reach, spread: (0..n * n).into_par_iter().map(of).collect() }
    }

    /// The mean over squares whose distance from the middle lies in a range (m).
    pub fn mean(&self, range: std::ops::Range<f64>) -> f64 {
        let at = |k: usize| self.reach * (1.0 - 2.0 * (k as f64 + 0.5) / self.n as f64);
        let inside = |square: &usize| range.contains(&libm::hypot(at(square / self.n), at(square % self.n)));
        let of: Vec<f64> = (0..self.n * self.n).filter(inside).map(|square| self.spread[square]).collect();
        of.iter().sum::<f64>() / of.len().max(1) as f64
    }
}

/// How far plans spread, by how near the opponent is: means over orientations of the agent (m).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spreads {
    /// Within 1.5 m of the opponent.
    pub near: f64,
    /// From there to 5 m.
    pub middle: f64,
    /// Beyond that.
    pub far: f64,
    /// Everywhere.
    pub mean: f64,
}

/// From the middle of maps to their edge (m).
pub const REACH: f64 = 7.0;
/// Orientations of the agent that spreads are means of.
const ORIENTATIONS: usize = 8;

impl Spreads {
    /// Of both at the start of nodes of these names, on maps of so many squares on a side.
    pub fn of(game: &Game, values: &Values, nodes: [&str; 2], squares: usize) -> Spreads {
        let turned = |k: usize| std::f64::consts::TAU * k as f64 / ORIENTATIONS as f64;
        let maps: Vec<Map> =
            (0..ORIENTATIONS).map(|k| Map::of(game, values, nodes, turned(k), squares, REACH)).collect();
        let mean = |range: std::ops::Range<f64>| {
            maps.iter().map(|map| map.mean(range.clone())).sum::<f64>() / ORIENTATIONS as f64
        };
        Spreads {
            near: mean(0.0..1.5),
            middle: mean(1.5..5.0),
            far: mean(5.0..REACH),
            mean: mean(0.0..REACH),
        }
    }
}

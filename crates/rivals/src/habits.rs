//! What somebody is used to, learned from what they did.

use randori_equilibrium::bias::{BiasMatrix, LearnedBias, PlayRecord};
use randori_equilibrium::game::ActionId;
use serde::Serialize;

use crate::game::Situation;
use crate::moves::{Doing, Move};

/// Sorts of moves that people can be used to.
pub const SORTS: [&str; 12] = [
    "left",
    "ahead",
    "right",
    "quick left",
    "quick ahead",
    "quick right",
    "lunge left",
    "lunge ahead",
    "lunge right",
    "attack",
    "block",
    "wait",
];

/// Regions of situations in which habits may differ: near, and far (m).
const NEAR: f64 = 2.5;

/// What somebody believes of the other, near and far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Belief {
    /// When they are near.
    pub near: LearnedBias,
    /// When they are far.
    pub far: LearnedBias,
    /// The sorts of moves that habits are given over.
    pub sorts: [&'static str; 12],
}

/// A record of the other's play and what follows from it.
#[derive(Clone, Debug)]
pub struct Habits {
    record: PlayRecord,
    learned: [Option<LearnedBias>; 2],
    /// Region, sorts of the other's moves, and how likely each was, in the situation under way.
    expected: Option<(usize, Vec<u8>, Vec<f64>)>,
}

impl Default for Habits {
    fn default() -> Habits {
        let record = PlayRecord::new(2, SORTS.len()).expect("there are sorts of moves");
        Habits { record, learned: [None, None], expected: None }
    }
}

/// The sort of a move.
fn sort(it: &Move) -> u8 {
    let side = |turn: f64| {
        if turn > TURN {
            0
        } else if turn < -TURN {
            2
        } else {
            1
        }
    };
    let [x, z] = it.place();
    let turned = side(it.turn[0] + 0.5 * libm::atan2(x, z.abs().max(0.05)));
    match it.begins.unwrap_or(it.instants[0].doing) {
        Doing::Gather(_) | Doing::Strike(_) => 9,
        Doing::Block(_) => 10,
        Doing::Quick => 3 + turned,
        Doing::Tackle | Doing::Dodge => 6 + turned,
        _ if libm::hypot(x, z) < 0.02 => 11,
        _ => turned,
    }
}

/// A move that turns farther than this goes to a side (rad).
const TURN: f64 = 0.06;

fn region(situation: &Situation) -> usize {
    usize::from(situation.relation.distance() > NEAR)
}

impl Habits {
    /// How the other departs from reason here; `None` as long as nothing speaks against reason.
    pub(crate) fn bias(&self, situation: &Situation, other: &[Move]) -> Option<BiasMatrix> {
        let learned = self.learned[region(situation)].as_ref().filter(|it| it.rationality < 1.0)?;
        let sorts: Vec<u8> = other.iter().map(sort).collect();
        let mut habit: Vec<f64> = sorts
            .iter()
            .map(|sort| {
                let alike = sorts.iter().filter(|it| *it == sort).count();
                learned.habit[*sort as usize] / alike as f64
            })
            .collect();
        let mass: f64 = habit.iter().sum();
        if mass < 1e-9 {
            return None;
        }
        habit.iter_mut().for_each(|it| *it /= mass);
        BiasMatrix::mixture(learned.rationality, &habit).ok()
    }

    /// Is told what reason would have the other do.
    pub(crate) fn expect(&mut self, situation: &Situation, other: &[Move], reason: &[f64]) {
        let sorts: Vec<u8> = other.iter().map(sort).collect();
        let mut likely = vec![0.0; SORTS.len()];
        for (sort, probability) in sorts.iter().zip(reason) {
            likely[*sort as usize] += probability;
        }
        self.expected = Some((region(situation), sorts, likely));
    }

    /// Sees what the other did.
    pub(crate) fn see(&mut self, chosen: ActionId) {
        let Some((region, sorts, likely)) = self.expected.take() else { return };
        // Where there is no choice nothing is learned.
        if sorts.iter().all(|it| *it == sorts[0]) {
            return;
        }
        let Some(sort) = sorts.get(chosen.index()) else { return };
        if self.record.observe(region, &likely, ActionId(u32::from(*sort))).is_ok() {
            self.learned[region] = self.record.learn(region).ok();
        }
    }

    /// What is believed of the other.
    pub(crate) fn belief(&self) -> Belief {
        let of = |region: usize| {
            self.record.learn(region).unwrap_or(LearnedBias {
                rationality: 1.0,
                habit: Vec::new(),
                observations: 0,
                evidence: 0.0,
            })
        };
        Belief { near: of(0), far: of(1), sorts: SORTS }
    }
}

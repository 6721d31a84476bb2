//! Sword: five cuts, a block for each, and lines that change on the way.
//!
//! Reference: \[Wampler2010\], section 8.2.

use randori_motion::parametric::{NodeId, State};

use crate::game::{Outcome, Relation};
use crate::moves::{Doing, LINES, Move, Repertoire};

/// The rules of a bout with swords.
#[derive(Clone, Debug, PartialEq)]
pub struct SwordRules {
    /// How far apart the two stand (m).
    pub apart: f64,
    /// From when on a block is up, 0 to 1.
    pub raised: f64,
    /// From when to when somebody who steps back is out of reach, 0 to 1.
    pub away: [f64; 2],
    /// The states into which the agent and the opponent are thrown when their cut is blocked, line by line.
    pub parried: [[State; 5]; 2],
}

/// Moments of a motion closer than this are the same.
const SAME: f64 = 1e-3;

/// The line of the block that stops a cut: what comes from the own right comes to the other's left.
pub fn stopped_by(line: u8) -> u8 {
    [0, 3, 4, 1, 2][line as usize % 5]
}

impl SwordRules {
    /// Rules for people with these motions; states of nodes that are missing are the first node's.
    pub fn of(sides: &[Repertoire; 2]) -> SwordRules {
        let parried = [0, 1].map(|side| {
            let graph = &sides[side].graph;
            LINES.map(|line| graph.start(graph.find(&format!("parried-{line}")).unwrap_or(NodeId(0))))
        });
        SwordRules { apart: 1.75, raised: 0.5, away: [0.3, 0.6], parried }
    }

    /// Opposite each other.
    pub fn opposite(&self) -> Relation {
        Relation { x: 0.0, z: self.apart, theta: std::f64::consts::PI }
    }

    /// What comes of two moves at once. Whoever hits wins 1 and ends the bout; if both attack, the agent has the right of way.
    pub(crate) fn outcome(&self, from: Relation, agent: &Move, opponent: &Move) -> Outcome {
        let mut outcome = Outcome {
            reward: 0.0,
            relation: from,
            ends: [agent.end, opponent.end],
            goes_on: true,
            caught: 0.0,
        };
        let pair = [agent, opponent];
        // In order of time; at the same time the agent's first.
        let mut order = [0, 1];
        let when = |side: usize| pair[side].lands.map_or(u8::MAX, |(_, moment)| moment);
        if when(1) < when(0) {
            order = [1, 0];
        }
        for side in order {
            let Some((line, moment)) = pair[side].lands else { continue };
            let other = &pair[1 - side].instants[moment as usize];
            if side == 1 && other.doing.attacks() {
                continue;
            }
            if other.doing == Doing::Block(stopped_by(line)) && other.time >= self.raised - SAME {
                outcome.ends[side] = self.parried[side][line as usize];
                continue;
            }
            let [leaves, returns] = self.away;
            let is_away = (leaves - SAME..=returns + SAME).contains(&other.time);
            if other.doing == Doing::Retreat && is_away {
                continue;
            }
            outcome.reward = if side == 0 { 1.0 } else { -1.0 };
            outcome.caught = outcome.reward;
            outcome.goes_on = false;
            break;
        }
        outcome
    }
}

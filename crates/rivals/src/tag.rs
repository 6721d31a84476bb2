//! Tag: one chases and throws themselves at the other, who runs, steps and dodges.
//!
//! Reference: \[Wampler2010\], section 8.1. The reward is the sum of the four components named there.

use randori_motion::parametric::MOMENTS;

use crate::game::{Outcome, Relation};
use crate::moves::{Doing, Move};

/// What the one who chases gets. All of it is for a look-ahead of 0.25 s, and proportional to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TagRules {
    /// For every metre between the two (1/m): the agent wants to be near.
    pub apart: f64,
    /// For hands on the opponent in a tackle.
    pub hands: f64,
    /// Within how far hands are on the opponent (m): at this distance from the middle of the body a tackle is worth
    /// 1/e of one that meets it.
    pub reach: f64,
    /// What is left of a tackle against somebody who dodges (share).
    pub dodged: f64,
    /// What a tackle that is begun far away costs, and what a dodge far away costs the opponent.
    pub idle: f64,
    /// From where on tackles and dodges are useless (m), and how wide the way there is.
    pub far: [f64; 2],
}

impl Default for TagRules {
    fn default() -> TagRules {
        TagRules { apart: 0.10, hands: 4.0, reach: 0.40, dodged: 0.1, idle: 0.3, far: [1.8, 1.2] }
    }
}

impl TagRules {
    /// What comes of two moves at once.
    pub(crate) fn outcome(&self, from: Relation, agent: &Move, opponent: &Move) -> Outcome {
        let (sin, cos) = (libm::sin(from.theta), libm::cos(from.theta));
        let turned = |[x, z]: [f64; 2]| [from.x + cos * x + sin * z, from.z - sin * x + cos * z];
        let mut reward = 0.0;
        let mut best = 0.0_f64;
        let mut apart = [0.0; 2];
        for (mine, theirs) in agent.instants.iter().zip(&opponent.instants) {
            let there = turned(theirs.place);
            apart = [there[0] - mine.place[0], there[1] - mine.place[1]];
            let squared = apart[0] * apart[0] + apart[1] * apart[1];
            let distance = squared.sqrt();
            reward -= self.apart * distance / MOMENTS as f64;
            let (tackles, dodges) = (mine.doing == Doing::Tackle, theirs.doing == Doing::Dodge);
            if tackles || dodges {
                let far = smooth((distance - self.far[0]) / self.far[1]);
                reward += self.idle * far * (f64::from(dodges) - f64::from(tackles)) / MOMENTS as f64;
            }
            if tackles && squared < NEAR * NEAR {
                let off = |hand: [f64; 2]| {
                    let [x, z] = [there[0] - hand[0], there[1] - hand[1]];
                    x * x + z * z
                };
                let off = off(mine.hands[0]).min(off(mine.hands[1]));
                let caught = libm::exp(-off / (self.reach * self.reach));
                best = best.max(if dodges { self.dodged * caught } else { caught });
            }
        }
        reward += self.hands * best;
        let [turn, sin, cos] = agent.turn;
        let relation = Relation {
            x: cos * apart[0] - sin * apart[1],
            z: sin * apart[0] + cos * apart[1],
            theta: from.theta + opponent.turn[0] - turn,
        };
        Outcome { reward, relation, ends: [agent.end, opponent.end], goes_on: true, caught: best }
    }
}

/// Nobody is caught from farther away (m).
const NEAR: f64 = 3.0;

/// From 0 at 0 to 1 at 1 without a corner.
fn smooth(x: f64) -> f64 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

//! What an edge is worth: read off what was simulated, and free to change at any time.
//!
//! Reference: \[Shum2008b\], equations 3 and 4.

use std::f32::consts::TAU;

use randori_arena::style::Style;
use randori_motion::ActionLibrary;
use randori_motion::annotation::Kind;

use crate::duel::Facts;
use crate::graph::{Graph, StateId};

/// Whose edges are weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Of whoever plans.
    Own,
    /// Of the other.
    Other,
}

impl Turn {
    /// Those of whoever does not decide.
    pub fn other(self) -> Turn {
        match self {
            Turn::Own => Turn::Other,
            Turn::Other => Turn::Own,
        }
    }
}

/// What edges are worth.
pub trait Reward: Sync {
    /// What is the same for all edges of a state, to whoever decides there (points).
    fn of_state(&self, graph: &Graph, state: StateId, turn: Turn) -> Base;

    /// What an edge is worth to whoever decides (points).
    fn of_edge(&self, base: &Base, action: u16, facts: &Facts, turn: Turn) -> f32;
}

/// What is the same for all edges of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Base {
    /// What being there is worth already: taken off, so that many short actions do not pay more often than a long one.
    pub now: f32,
    /// What a unit of damage taken costs.
    pub taken: f32,
}

/// Equation 4: w_θ θ² + w_d (d - d_p)² + w+ D+ - w- D-, for two styles against each other.
///
/// The quadratic terms are penalties, and count as what the action changes, as in
/// [`objectives`](randori_arena::objectives); a blow counts as given by the one and as taken by the other.
#[derive(Clone, Debug)]
pub struct Fighting {
    styles: [Style; 2],
    /// w+ of each action, of both, with w- of the other.
    given: [Vec<f32>; 2],
}

impl Fighting {
    /// What somebody is after, and the other.
    pub fn of(library: &ActionLibrary, own: Style, other: Style) -> Fighting {
        let weights = |style: Style, victim: Style| -> Vec<f32> {
            let weight = |action: &randori_motion::library::Action| match action.annotation.kind() {
                Kind::Attack => style.damage_weight(&action.annotation) + victim.taken_weight,
                _ => 0.0,
            };
            library.actions().iter().map(|action| weight(action) as f32).collect()
        };
        Fighting { styles: [own, other], given: [weights(own, other), weights(other, own)] }
    }
}

impl Fighting {
    /// What a unit of damage is worth that whoever plans gives with an action, or the other (points).
    pub(crate) fn weight(&self, action: randori_motion::ActionId, turn: Turn) -> f32 {
        self.given[turn as usize][action.idx()]
    }
}

impl Reward for Fighting {
    fn of_state(&self, graph: &Graph, state: StateId, turn: Turn) -> Base {
        let pairing = graph.pairing(state);
        let angle = pairing.relation.own - graph.about().gaze[pairing.node.0 as usize];
        let now = self.styles[turn as usize].movement(pairing.relation.distance, angle) as f32;
        Base { now, taken: self.given[1 - turn as usize][pairing.theirs.idx()] }
    }

    fn of_edge(&self, base: &Base, action: u16, facts: &Facts, turn: Turn) -> f32 {
        let moved = self.styles[turn as usize].movement(facts.distance, facts.angle) as f32;
        let given = self.given[turn as usize][action as usize];
        moved - base.now + given * facts.given - base.taken * facts.taken
    }
}

/// Equation 3: w_θ θ² + w_d (d - d_p)² + w_v (v - v_φ)², for two who move something together.
///
/// All terms are penalties; both weigh alike. Differs from the paper: two who face each other have no average direction in
/// which both face, so v and φ are seen along the line from one to the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carrying {
    /// d_p (m).
    pub distance: f32,
    /// v_φ: to the left, then ahead, seen along the line from whoever plans to the other (m/s).
    pub velocity: [f32; 2],
    /// w_d, w_θ and w_v, of metres, radians and metres per second.
    pub weights: [f32; 3],
}

impl Default for Carrying {
    fn default() -> Carrying {
        Carrying { distance: 1.5, velocity: [0.0, 0.5], weights: [100.0, 1.0, 100.0] }
    }
}

impl Carrying {
    /// The same in eight ways: ahead, then on to the left in eighths of a turn.
    pub fn eight_ways(self) -> [Carrying; 8] {
        std::array::from_fn(|eighth| self.turned(TAU * eighth as f32 / 8.0))
    }

    /// The same as fast, but this far to the left of straight ahead (rad).
    pub(crate) fn turned(self, angle: f32) -> Carrying {
        let [left, ahead] = self.velocity;
        let speed = (left * left + ahead * ahead).sqrt();
        Carrying { velocity: [speed * libm::sinf(angle), speed * libm::cosf(angle)], ..self }
    }
}

impl Reward for Carrying {
    fn of_state(&self, _: &Graph, _: StateId, _: Turn) -> Base {
        Base::default()
    }

    fn of_edge(&self, _: &Base, _: u16, facts: &Facts, turn: Turn) -> f32 {
        let off = facts.distance - self.distance;
        // The other sees the same line from its other end.
        let sign = if turn == Turn::Own { 1.0 } else { -1.0 };
        let [left, ahead] = [0, 1].map(|axis| facts.velocity[axis] - sign * self.velocity[axis]);
        let [distance, angle, velocity] = self.weights;
        -(distance * off * off + angle * facts.angle * facts.angle + velocity * (left * left + ahead * ahead))
    }
}

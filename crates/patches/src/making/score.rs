//! How good an interaction is.
//!
//! Reference: \[Shum2008\], section 2.3: a weighted sum of a contact, a relation and a timing criterion.

use randori_arena::bodies::{Bodies, Doing};
use randori_motion::Placement;

use crate::pattern::Weights;

/// What an interaction has earned so far: each criterion is the mean of its marks, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Marks {
    contact: Mean,
    relation: Mean,
    timing: Mean,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Mean {
    sum: f32,
    n: u32,
}

impl Mean {
    fn add(&mut self, mark: f32) {
        self.sum += mark.clamp(0.0, 1.0);
        self.n += 1;
    }

    /// Where nothing was asked for, nothing is missing.
    fn value(self) -> f32 {
        if self.n == 0 { 1.0 } else { self.sum / self.n as f32 }
    }
}

impl Marks {
    /// A contact that the pattern wants happens (1), or an attack that is avoided passes this near.
    pub(super) fn contact(&mut self, mark: f32) {
        self.contact.add(mark);
    }

    /// Things that belong together are late by this share of what is bearable (-).
    pub(super) fn timing(&mut self, late: f32) {
        self.timing.add(1.0 - late);
    }

    /// Somebody who acts looks at the other: 1 straight, 0 with the back to them.
    pub(super) fn facing(&mut self, bodies: &Bodies, doing: &Doing, other: &Doing, tick: i32) {
        let there = doing
            .placement(bodies, tick)
            .relative(Placement { position: other.position(bodies, tick), heading: 0.0 });
        let distance = libm::hypotf(there.position.x, there.position.z).max(1e-3);
        self.relation.add(0.5 + 0.5 * there.position.z / distance);
    }

    /// All together (-).
    pub(super) fn score(&self, weights: &Weights) -> f32 {
        let Weights { contact, relation, timing } = *weights;
        let sum =
            contact * self.contact.value() + relation * self.relation.value() + timing * self.timing.value();
        sum / (contact + relation + timing).max(1e-6)
    }
}

//! Chance by how good a choice is.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::graph::StateId;

/// Draws a choice by its score, and less often what was drawn in that state before.
///
/// Reference: \[Shum2008b\], section 8.
#[derive(Clone, Debug)]
pub struct Roulette {
    /// How much worse a choice has to be to be drawn a third as often (points).
    pub heat: f32,
    /// How much less often something is drawn for every time it was drawn in that state (-).
    pub again: f32,
    chance: ChaCha8Rng,
    /// What was drawn lately, the oldest overwritten first.
    drawn: Vec<(StateId, u16)>,
    next: usize,
    scores: Vec<f32>,
}

/// Draws that are remembered.
const REMEMBERED: usize = 256;
/// The most edges of a state that are drawn from.
const MOST: usize = 4096;

impl Roulette {
    /// One of many, by a seed.
    pub fn new(seed: u64, heat: f32) -> Roulette {
        Roulette {
            heat,
            again: 0.5,
            chance: ChaCha8Rng::seed_from_u64(seed),
            drawn: Vec::with_capacity(REMEMBERED),
            next: 0,
            scores: Vec::with_capacity(MOST),
        }
    }

    /// Draws one of some edges.
    pub(super) fn spin(
        &mut self,
        state: StateId,
        edges: impl Iterator<Item = usize> + Clone,
        worth: impl Fn(usize) -> f32,
        action: impl Fn(usize) -> u16,
    ) -> Option<usize> {
        self.scores.clear();
        self.scores.extend(edges.clone().take(MOST).map(worth));
        let best = self.scores.iter().fold(f32::NEG_INFINITY, |best, score| best.max(*score));
        let (drawn, heat) = (&self.drawn, self.heat.max(1e-6));
        let mut sum = 0.0;
        for (score, at) in self.scores.iter_mut().zip(edges.clone()) {
            let times = drawn.iter().filter(|it| **it == (state, action(at))).count();
            sum += libm::expf((*score - best) / heat) * libm::powf(self.again, times as f32);
            *score = sum;
        }
        if self.scores.is_empty() {
            return None;
        }
        let pick = sum * self.chance.random::<f32>();
        let at = self.scores.partition_point(|up_to| *up_to <= pick).min(self.scores.len() - 1);
        let edge = edges.clone().nth(at)?;
        let draw = (state, action(edge));
        if self.drawn.len() < REMEMBERED {
            self.drawn.push(draw);
        } else {
            self.drawn[self.next] = draw;
        }
        self.next = (self.next + 1) % REMEMBERED;
        Some(edge)
    }
}

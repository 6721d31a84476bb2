//! The continuous games that value functions are measured on: an inverted pendulum and particles in pursuit.
//!
//! Reference: \[Wampler2010\], sections 6.2.1 and 6.2.2, which name them but fix no numbers; these are the numbers of
//! the reference values in `shared/peers/games`.

use std::f64::consts::PI;

use crate::game::{ActionCounts, ActionPair, Axis, MarkovGame};

/// A pendulum to be held upright: a decision problem, for the opponent has one action only.
///
/// State: angle \[rad\], 0 upright, and angular velocity \[rad/s\].
#[derive(Clone, Debug, PartialEq)]
pub struct Pendulum {
    /// Time step \[s\].
    pub dt: f64,
    /// Gravity over length \[1/s²\].
    pub gravity: f64,
    /// Damping \[1/s\].
    pub damping: f64,
    /// Torques to choose from, over inertia \[rad/s²\].
    pub torques: Vec<f64>,
    /// Largest angular velocity \[rad/s\].
    pub largest_velocity: f64,
    /// Discount per step.
    pub discount: f64,
    axes: [Axis; 2],
}

impl Default for Pendulum {
    fn default() -> Self {
        let largest_velocity = 8.0;
        Self {
            dt: 0.1,
            gravity: 4.9,
            damping: 1.0,
            torques: vec![-6.0, 0.0, 6.0],
            largest_velocity,
            discount: 0.9,
            axes: [
                Axis::Periodic { low: -PI, high: PI },
                Axis::Continuous { low: -largest_velocity, high: largest_velocity },
            ],
        }
    }
}

impl MarkovGame for Pendulum {
    fn axes(&self) -> &[Axis] {
        &self.axes
    }

    fn discount(&self) -> f64 {
        self.discount
    }

    fn action_counts(&self, _state: &[f64]) -> ActionCounts {
        ActionCounts { agent: self.torques.len(), opponent: 1 }
    }

    fn reward(&self, state: &[f64], _pair: ActionPair) -> f64 {
        -0.5 * (1.0 - libm::cos(state[0]))
    }

    fn visit_successors(&self, state: &[f64], pair: ActionPair, visit: &mut dyn FnMut(f64, &[f64])) {
        let (angle, velocity) = (state[0], state[1]);
        let push =
            self.gravity * libm::sin(angle) - self.damping * velocity + self.torques[pair.agent.index()];
        let velocity = (velocity + self.dt * push).clamp(-self.largest_velocity, self.largest_velocity);
        visit(1.0, &[self.axes[0].snap(angle + self.dt * velocity), velocity]);
    }
}

/// Largest number of space dimensions of [`Pursuit`].
pub const MAX_PURSUIT_DIMENSIONS: usize = 3;

/// One particle tries to be where another is; each pushes along one axis of space, or not at all.
///
/// State: per space dimension the agent's position and velocity relative to the opponent's.
#[derive(Clone, Debug, PartialEq)]
pub struct Pursuit {
    /// The agent's push \[m/s²\].
    pub agent_push: f64,
    /// The opponent's push \[m/s²\].
    pub opponent_push: f64,
    /// Time step \[s\].
    pub dt: f64,
    /// Share of the velocity kept per step.
    pub glide: f64,
    /// Positions are clamped to ± this \[m\].
    pub reach: f64,
    /// Width of the reward \[m\].
    pub width: f64,
    /// Discount per step.
    pub discount: f64,
    axes: Vec<Axis>,
}

impl Pursuit {
    /// The game in one, two or three dimensions of space; none for any other number.
    pub fn in_dimensions(dimensions: usize) -> Option<Self> {
        if !(1..=MAX_PURSUIT_DIMENSIONS).contains(&dimensions) {
            return None;
        }
        let (agent_push, opponent_push, dt, glide, reach) = (2.5, 1.5, 0.25, 0.75, 4.0);
        // The fastest that pushing for ever gets: the velocities never leave this box.
        let fastest = (agent_push + opponent_push) * dt / (1.0 - glide);
        let pair = [
            Axis::Continuous { low: -reach, high: reach },
            Axis::Continuous { low: -fastest, high: fastest },
        ];
        let axes = std::iter::repeat_n(pair, dimensions).flatten().collect();
        Some(Self { agent_push, opponent_push, dt, glide, reach, width: 1.0, discount: 0.8, axes })
    }

    /// Number of space dimensions.
    pub fn dimensions(&self) -> usize {
        self.axes.len() / 2
    }

    /// Action 0 is no push; then along +1, -1, +2, -2, …
    fn push(action: usize, dimension: usize, size: f64) -> f64 {
        if action == 2 * dimension + 1 {
            size
        } else if action == 2 * dimension + 2 {
            -size
        } else {
            0.0
        }
    }
}

impl MarkovGame for Pursuit {
    fn axes(&self) -> &[Axis] {
        &self.axes
    }

    fn discount(&self) -> f64 {
        self.discount
    }

    fn action_counts(&self, _state: &[f64]) -> ActionCounts {
        let count = 1 + self.axes.len();
        ActionCounts { agent: count, opponent: count }
    }

    fn reward(&self, state: &[f64], _pair: ActionPair) -> f64 {
        let squared: f64 = state.iter().step_by(2).map(|p| p * p).sum();
        libm::exp(-squared / (2.0 * self.width * self.width))
    }

    fn visit_successors(&self, state: &[f64], pair: ActionPair, visit: &mut dyn FnMut(f64, &[f64])) {
        let mut next = [0.0; 2 * MAX_PURSUIT_DIMENSIONS];
        let next = &mut next[..state.len()];
        let fastest = (self.agent_push + self.opponent_push) * self.dt / (1.0 - self.glide);
        for (k, (from, to)) in state.chunks_exact(2).zip(next.chunks_exact_mut(2)).enumerate() {
            let push = Self::push(pair.agent.index(), k, self.agent_push)
                - Self::push(pair.opponent.index(), k, self.opponent_push);
            // Rounding alone could leave the box.
            to[1] = (self.glide * from[1] + self.dt * push).clamp(-fastest, fastest);
            to[0] = (from[0] + self.dt * to[1]).clamp(-self.reach, self.reach);
        }
        visit(1.0, next);
    }
}

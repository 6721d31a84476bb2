//! Exact value iteration on a grid of states: slow, monotone, and the measure of everything faster.
//!
//! Values live at nodes; between them they are interpolated linearly along each axis. Interpolation never leaves the
//! range of its nodes, so the backup is a contraction and the iteration converges for every discount below 1.

use rayon::prelude::*;

use crate::game::{Axis, GameError, MarkovGame, payoff_matrix, validate};
use crate::matrix::{self, PayoffMatrix, Workspace};

/// Values at the nodes of a grid over a game's axes.
#[derive(Clone, Debug, PartialEq)]
pub struct GridValues {
    axes: Vec<(Axis, usize)>,
    values: Vec<f64>,
    /// Sweeps made.
    pub sweeps: usize,
    /// Largest change in the last sweep.
    pub residual: f64,
}

/// When to stop [`solve_on_grid`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridSettings {
    /// Nodes per continuous axis, at least two; discrete axes have one per value.
    pub nodes: usize,
    /// Stop when no value changes by more.
    pub tolerance: f64,
    /// Stop after so many sweeps.
    pub max_sweeps: usize,
}

impl Default for GridSettings {
    fn default() -> Self {
        Self { nodes: 65, tolerance: 1e-9, max_sweeps: 5000 }
    }
}

/// What keeps a game from being solved on a grid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GridError {
    /// The game breaks its promises.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A look ahead gave a matrix that cannot be solved.
    #[error("at {state:?}: {source}")]
    Matrix {
        /// The state.
        state: Vec<f64>,
        /// What is wrong with the matrix.
        source: matrix::MatrixError,
    },
    /// More nodes than memory is spent on.
    #[error("{nodes} nodes on each of {axes} axes are too many for a grid")]
    TooLarge {
        /// Nodes per continuous axis.
        nodes: usize,
        /// Number of axes.
        axes: usize,
    },
}

/// Solves a game by value iteration on a grid; the sweeps run in parallel and give the same bits for any number of
/// threads.
pub fn solve_on_grid(game: &dyn MarkovGame, settings: &GridSettings) -> Result<GridValues, GridError> {
    let mut grid = GridValues::new(game, settings.nodes)?;
    while grid.residual > settings.tolerance && grid.sweeps < settings.max_sweeps {
        grid.sweep(game)?;
    }
    Ok(grid)
}

impl GridValues {
    /// Nothing known yet: so many nodes per continuous axis of the game, at least two.
    pub fn new(game: &dyn MarkovGame, nodes: usize) -> Result<GridValues, GridError> {
        validate(game)?;
        let nodes = nodes.max(2);
        let of = |&axis: &Axis| match axis {
            Axis::Discrete { count } => (axis, count as usize),
            _ => (axis, nodes),
        };
        let axes: Vec<(Axis, usize)> = game.axes().iter().map(of).collect();
        let size = axes.iter().try_fold(1usize, |size, (_, count)| size.checked_mul(*count));
        let Some(size) = size.filter(|&size| size <= 1 << 26) else {
            return Err(GridError::TooLarge { nodes, axes: axes.len() });
        };
        Ok(GridValues { axes, values: vec![0.0; size], sweeps: 0, residual: f64::INFINITY })
    }

    /// The same with these values, as they were after so many sweeps; `None` if there are not as many as nodes.
    pub fn with_values(self, values: Vec<f64>, sweeps: usize, residual: f64) -> Option<GridValues> {
        (values.len() == self.values.len()).then_some(GridValues { values, sweeps, residual, ..self })
    }

    /// Node by node; the last axis runs fastest.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Backs all nodes up once.
    pub fn sweep(&mut self, game: &dyn MarkovGame) -> Result<(), GridError> {
        let new: Vec<f64> = (0..self.values.len())
            .into_par_iter()
            .map_init(Default::default, |scratch, node| self.backup(game, node, scratch))
            .collect::<Result<_, _>>()?;
        self.residual = new.iter().zip(&self.values).fold(0.0, |a, (x, y)| f64::max(a, (x - y).abs()));
        self.values = new;
        self.sweeps += 1;
        Ok(())
    }

    /// The coordinates of a node.
    fn node_state(&self, node: usize, state: &mut Vec<f64>) {
        state.clear();
        state.resize(self.axes.len(), 0.0);
        let mut rest = node;
        for (x, &(axis, count)) in state.iter_mut().zip(&self.axes).rev() {
            let k = (rest % count) as f64;
            rest /= count;
            *x = match axis {
                Axis::Continuous { low, high } => low + (high - low) * k / (count - 1) as f64,
                Axis::Periodic { low, high } => low + (high - low) * k / count as f64,
                Axis::Discrete { .. } => k,
            };
        }
    }

    fn backup(&self, game: &dyn MarkovGame, node: usize, scratch: &mut Scratch) -> Result<f64, GridError> {
        self.node_state(node, &mut scratch.state);
        self.lookahead_with(game, &scratch.state, &mut scratch.payoff, &mut scratch.workspace)
    }

    fn lookahead_with(
        &self,
        game: &dyn MarkovGame,
        state: &[f64],
        payoff: &mut Vec<f64>,
        workspace: &mut Workspace,
    ) -> Result<f64, GridError> {
        let counts = payoff_matrix(game, state, &mut |next| self.value(next), payoff);
        let matrix = PayoffMatrix::new(counts.opponent, counts.agent, payoff)
            .map_err(|source| GridError::Matrix { state: state.to_vec(), source })?;
        Ok(matrix::solve(matrix, workspace).value)
    }

    /// The value at a state by one exact step from it: closer than reading the grid.
    pub fn lookahead(&self, game: &dyn MarkovGame, state: &[f64]) -> Result<f64, GridError> {
        self.lookahead_with(game, state, &mut Vec::new(), &mut Workspace::default())
    }

    /// The value at a state, interpolated.
    pub fn value(&self, state: &[f64]) -> f64 {
        self.interpolate(state, 0, 0)
    }

    fn interpolate(&self, state: &[f64], axis: usize, base: usize) -> f64 {
        let Some(&(kind, count)) = self.axes.get(axis) else { return self.values[base] };
        let at = |k: usize| self.interpolate(state, axis + 1, base * count + k);
        let (position, last) = match kind {
            Axis::Discrete { .. } => return at(kind.snap(state[axis]) as usize),
            Axis::Continuous { low, high } => {
                if high == low {
                    return at(0);
                }
                ((kind.snap(state[axis]) - low) / (high - low) * (count - 1) as f64, count - 1)
            }
            Axis::Periodic { low, high } => {
                ((kind.snap(state[axis]) - low) / (high - low) * count as f64, count)
            }
        };
        let below = (position as usize).min(last.saturating_sub(1));
        let share = position - below as f64;
        if share == 0.0 {
            return at(below);
        }
        (1.0 - share) * at(below) + share * at((below + 1) % count)
    }
}

#[derive(Default)]
struct Scratch {
    state: Vec<f64>,
    payoff: Vec<f64>,
    workspace: Workspace,
}

//! Games with finitely many states, written as JSON, and their exact solution.
//!
//! [`solve_finite`] is Shapley's value iteration (1953) made fast near the end by Newton steps: with both policies
//! held, the values solve a linear system (Pollatschek and Avi-Itzhak, 1969). A Newton step counts only if it lowers
//! the Bellman residual; otherwise the plain backup is taken, so convergence is never worse than Shapley's.

use serde::{Deserialize, Serialize};

use crate::bias::BiasMatrix;
use crate::game::{ActionCounts, ActionPair, Axis, MarkovGame};
use crate::matrix::{self, MatrixError, PayoffMatrix, Workspace};

/// A finite game as it is written in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FiniteGame {
    /// What a reward is worth one decision later.
    #[serde(rename = "gamma")]
    pub discount: f64,
    /// The states, numbered from 0.
    pub states: Vec<FiniteState>,
    /// Whether probabilities may add to less than one, the rest being the end of the game. Without it only an empty
    /// list of successors ends it, and any other sum than one is taken for a mistake.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_end: bool,
    /// The axis of state numbers, for [`MarkovGame`].
    #[serde(skip, default = "no_states")]
    axis: [Axis; 1],
}

/// One state: a payoff matrix and what follows each of its cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FiniteState {
    /// Number of the opponent's actions.
    pub rows: usize,
    /// Number of the agent's actions.
    pub cols: usize,
    /// Rewards, row-major.
    pub reward: Vec<f64>,
    /// Per cell, row-major: successors and their probabilities. An empty list ends the game.
    pub next: Vec<Vec<(usize, f64)>>,
}

/// What is wrong with a finite game.
#[derive(Debug, thiserror::Error)]
pub enum FiniteError {
    /// The text is not such a game.
    #[error("not a finite game: {0}")]
    Json(#[from] serde_json::Error),
    /// There is nothing to solve.
    #[error("a game needs at least one state")]
    NoStates,
    /// The discount is outside [0, 1].
    #[error("gamma is {0}; it must lie between 0 and 1")]
    Discount(f64),
    /// A state's matrix is empty, misshapen or not finite.
    #[error("state {state}: {source}")]
    Matrix {
        /// Which state.
        state: usize,
        /// What is wrong with it.
        source: MatrixError,
    },
    /// The list of successors does not fit the matrix.
    #[error("state {state} has {expected} cells, but successors for {found}")]
    Cells {
        /// Which state.
        state: usize,
        /// Rows times columns.
        expected: usize,
        /// Length of the list.
        found: usize,
    },
    /// A successor does not exist.
    #[error("state {state}, row {row}, column {col}: there is no state {successor}, only {count}")]
    Successor {
        /// Which state.
        state: usize,
        /// Row of the cell.
        row: usize,
        /// Column of the cell.
        col: usize,
        /// The state that does not exist.
        successor: usize,
        /// How many there are.
        count: usize,
    },
    /// Probabilities are negative, not finite, or do not add to one.
    #[error(
        "state {state}, row {row}, column {col}: probabilities add to {total}, not to 1 (an empty list ends the game; \
         \"may_end\": true lets the missing part end it)"
    )]
    Probability {
        /// Which state.
        state: usize,
        /// Row of the cell.
        row: usize,
        /// Column of the cell.
        col: usize,
        /// What they add to, or the offending one.
        total: f64,
    },
    /// A bias does not fit a state.
    #[error("state {state} has {rows} rows, but its bias is for {found}")]
    Bias {
        /// Which state.
        state: usize,
        /// Number of the opponent's actions.
        rows: usize,
        /// Size of the bias matrix.
        found: usize,
    },
}

fn no_states() -> [Axis; 1] {
    [Axis::Discrete { count: 0 }]
}

impl FiniteGame {
    /// A checked game.
    pub fn new(discount: f64, states: Vec<FiniteState>, may_end: bool) -> Result<Self, FiniteError> {
        let mut game = Self { discount, states, may_end, axis: no_states() };
        game.check()?;
        Ok(game)
    }

    /// Reads and checks a game; unknown fields such as a name are passed over.
    pub fn from_json(text: &str) -> Result<Self, FiniteError> {
        let mut game: Self = serde_json::from_str(text)?;
        game.check()?;
        Ok(game)
    }

    fn check(&mut self) -> Result<(), FiniteError> {
        let count = self.states.len();
        if count == 0 {
            return Err(FiniteError::NoStates);
        }
        if !(0.0..=1.0).contains(&self.discount) {
            return Err(FiniteError::Discount(self.discount));
        }
        self.axis = [Axis::Discrete { count: count as u32 }];
        for (state, found) in self.states.iter().enumerate() {
            PayoffMatrix::new(found.rows, found.cols, &found.reward)
                .map_err(|source| FiniteError::Matrix { state, source })?;
            let expected = found.rows * found.cols;
            if found.next.len() != expected {
                return Err(FiniteError::Cells { state, expected, found: found.next.len() });
            }
            for (cell, list) in found.next.iter().enumerate() {
                let (row, col) = (cell / found.cols, cell % found.cols);
                let mut total = 0.0;
                for &(successor, probability) in list {
                    if successor >= count {
                        return Err(FiniteError::Successor { state, row, col, successor, count });
                    }
                    if !(probability >= 0.0 && probability.is_finite()) {
                        return Err(FiniteError::Probability { state, row, col, total: probability });
                    }
                    total += probability;
                }
                let whole = (total - 1.0f64).abs() <= 1e-9;
                if !(whole || list.is_empty() || self.may_end && total < 1.0) {
                    return Err(FiniteError::Probability { state, row, col, total });
                }
            }
        }
        Ok(())
    }
}

impl MarkovGame for FiniteGame {
    fn axes(&self) -> &[Axis] {
        &self.axis
    }

    fn discount(&self) -> f64 {
        self.discount
    }

    fn action_counts(&self, state: &[f64]) -> ActionCounts {
        let state = &self.states[state[0] as usize];
        ActionCounts { agent: state.cols, opponent: state.rows }
    }

    fn reward(&self, state: &[f64], pair: ActionPair) -> f64 {
        let state = &self.states[state[0] as usize];
        state.reward[pair.opponent.index() * state.cols + pair.agent.index()]
    }

    fn visit_successors(&self, state: &[f64], pair: ActionPair, visit: &mut dyn FnMut(f64, &[f64])) {
        let state = &self.states[state[0] as usize];
        for &(next, probability) in &state.next[pair.opponent.index() * state.cols + pair.agent.index()] {
            if probability > 0.0 {
                visit(probability, &[next as f64]);
            }
        }
    }
}

/// When to stop [`solve_finite`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FiniteSettings {
    /// Stop when no value changes by more than this share of the largest.
    pub tolerance: f64,
    /// Stop after so many backups.
    pub max_iterations: usize,
    /// Newton steps solve a dense system; larger games get plain value iteration.
    pub newton_up_to: usize,
}

impl Default for FiniteSettings {
    fn default() -> Self {
        Self { tolerance: 1e-13, max_iterations: 200_000, newton_up_to: 1500 }
    }
}

/// How an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FiniteStatus {
    /// The values are fixed to the tolerance.
    Converged,
    /// The iteration limit came first.
    IterationLimit,
}

/// Both players' policies at one state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StatePolicies {
    /// The agent's probabilities, one per column.
    pub agent: Vec<f64>,
    /// The opponent's probabilities, one per row.
    pub opponent: Vec<f64>,
}

/// Values and policies of a finite game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FiniteSolution {
    /// What each state is worth to the agent.
    pub values: Vec<f64>,
    /// How both play at each state.
    pub policies: Vec<StatePolicies>,
    /// Backups made.
    pub iterations: usize,
    /// Largest change that one more backup makes.
    pub residual: f64,
    /// How it ended.
    pub status: FiniteStatus,
}

/// Solves a finite game.
///
/// ```
/// use randori_equilibrium::finite::{FiniteGame, FiniteSettings, solve_finite};
///
/// let pennies_for_ever = r#"{"gamma": 0.5, "states": [
///     {"rows": 2, "cols": 2, "reward": [3, -1, -1, 1], "next": [[[0, 1]], [[0, 1]], [[0, 1]], [[0, 1]]]}]}"#;
/// let solution = solve_finite(&FiniteGame::from_json(pennies_for_ever)?, &FiniteSettings::default());
/// assert!((solution.values[0] - 2.0 / 3.0).abs() < 1e-12); // 1/3 a round, doubled by the discount
/// # Ok::<(), randori_equilibrium::finite::FiniteError>(())
/// ```
pub fn solve_finite(game: &FiniteGame, settings: &FiniteSettings) -> FiniteSolution {
    solve(game, settings, None)
}

/// Solves a finite game for an agent that plans against a biased opponent; one bias per state.
pub fn solve_finite_biased(
    game: &FiniteGame,
    biases: &[BiasMatrix],
    settings: &FiniteSettings,
) -> Result<FiniteSolution, FiniteError> {
    for (state, found) in game.states.iter().enumerate() {
        let size = biases.get(state).map_or(0, BiasMatrix::size);
        if size != found.rows {
            return Err(FiniteError::Bias { state, rows: found.rows, found: size });
        }
    }
    Ok(solve(game, settings, Some(biases)))
}

struct Backup<'g> {
    game: &'g FiniteGame,
    biases: Option<&'g [BiasMatrix]>,
    workspace: Workspace,
    payoff: Vec<f64>,
    biased: Vec<f64>,
    policies: Vec<StatePolicies>,
}

impl Backup<'_> {
    /// One sweep of `new = val(reward + γ P old)`, with the policies that attain it; returns the largest change.
    fn sweep(&mut self, old: &[f64], new: &mut [f64]) -> f64 {
        let mut residual = 0.0f64;
        for (s, state) in self.game.states.iter().enumerate() {
            self.payoff.clear();
            for (reward, next) in state.reward.iter().zip(&state.next) {
                let expected: f64 = next.iter().map(|&(t, p)| p * old[t]).sum();
                self.payoff.push(reward + self.game.discount * expected);
            }
            if let Some(biases) = self.biases {
                biases[s].apply(state.cols, &self.payoff, &mut self.biased);
                std::mem::swap(&mut self.payoff, &mut self.biased);
            }
            // A value that has run away is no payoff any more: report it as no progress.
            let Ok(matrix) = PayoffMatrix::new(state.rows, state.cols, &self.payoff) else {
                return f64::INFINITY;
            };
            let solution = matrix::solve(matrix, &mut self.workspace);
            new[s] = solution.value;
            let policies = &mut self.policies[s];
            policies.agent.clone_from_slice(solution.agent);
            match self.biases {
                None => policies.opponent.clone_from_slice(solution.opponent),
                Some(biases) => biases[s].bend(solution.opponent, &mut policies.opponent),
            }
            residual = residual.max((new[s] - old[s]).abs());
        }
        residual
    }

    /// Values of the present policies: (I - γ P) v = r, dense. None if singular.
    fn evaluate(&self) -> Option<Vec<f64>> {
        let n = self.game.states.len();
        let mut system = vec![0.0; n * n];
        let mut values = vec![0.0; n];
        for (s, (state, policies)) in self.game.states.iter().zip(&self.policies).enumerate() {
            system[s * n + s] += 1.0;
            for (i, &o) in policies.opponent.iter().enumerate().filter(|(_, o)| **o > 0.0) {
                for (j, &a) in policies.agent.iter().enumerate().filter(|(_, a)| **a > 0.0) {
                    let cell = i * state.cols + j;
                    values[s] += o * a * state.reward[cell];
                    for &(t, p) in &state.next[cell] {
                        system[s * n + t] -= self.game.discount * o * a * p;
                    }
                }
            }
        }
        crate::linear::solve_in_place(&mut system, &mut values).then_some(values)
    }
}

fn solve(game: &FiniteGame, settings: &FiniteSettings, biases: Option<&[BiasMatrix]>) -> FiniteSolution {
    let n = game.states.len();
    let policies = game
        .states
        .iter()
        .map(|state| StatePolicies { agent: vec![0.0; state.cols], opponent: vec![0.0; state.rows] })
        .collect();
    let mut backup = Backup {
        game,
        biases,
        workspace: Workspace::default(),
        payoff: Vec::new(),
        biased: Vec::new(),
        policies,
    };
    let mut values = vec![0.0; n];
    let mut backed = vec![0.0; n];
    let mut residual = backup.sweep(&values, &mut backed);
    let mut iterations = 1;
    // After a failed Newton step, so many plain backups before the next attempt.
    let (mut patience, mut wait) = (1usize, 0usize);
    let converged = |residual: f64, values: &[f64]| {
        residual <= settings.tolerance * values.iter().fold(1.0f64, |a, v| a.max(v.abs()))
    };
    while !converged(residual, &backed) && iterations < settings.max_iterations {
        if wait == 0 && n <= settings.newton_up_to {
            let kept = backup.policies.clone();
            if let Some(newton) = backup.evaluate().filter(|v| v.iter().all(|x| x.is_finite())) {
                let mut after = vec![0.0; n];
                let newton_residual = backup.sweep(&newton, &mut after);
                iterations += 1;
                if newton_residual < residual * game.discount.min(0.999) {
                    (values, backed, residual) = (newton, after, newton_residual);
                    continue;
                }
            }
            backup.policies = kept;
            patience *= 2;
            wait = patience;
        }
        wait = wait.saturating_sub(1);
        std::mem::swap(&mut values, &mut backed);
        residual = backup.sweep(&values, &mut backed);
        iterations += 1;
    }
    let status =
        if converged(residual, &backed) { FiniteStatus::Converged } else { FiniteStatus::IterationLimit };
    FiniteSolution { values: backed, policies: backup.policies, iterations, residual, status }
}

//! What the command does, as pure functions: text in, report out.
//!
//! `randori game solve` is [`solve_matrix_json`], `game markov` is [`solve_finite_json`], `game learn` is
//! [`learn_game`]. Reports serialise to the command's JSON as they are.

use serde::{Deserialize, Serialize};

use crate::arcade::{Pendulum, Pursuit};
use crate::basis::{Basis, BasisError, SparseRow, ValueFunction};
use crate::finite::{FiniteError, FiniteGame, FiniteSettings, FiniteSolution, solve_finite};
use crate::game::{MarkovGame, payoff_matrix};
use crate::lspi::{
    Control, Host, LspiError, LspiSettings, LspiStatus, PhaseSeconds, Progress, fit, learn, resume,
};
use crate::matrix::{self, MatrixError, PayoffMatrix, Workspace};
use crate::nested::{NestedError, NestedEvent, NestedLevel, NestedSettings, learn_nested, resume_nested};

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The text is not a matrix.
    #[error(
        "not a matrix game: {0} (expected {{\"rows\":m,\"cols\":n,\"payoff\":[row-major]}} or an array of rows)"
    )]
    Json(#[from] serde_json::Error),
    /// Rows of different lengths.
    #[error("row {row} has {found} columns, row 0 has {expected}")]
    Ragged {
        /// The row.
        row: usize,
        /// Its length.
        found: usize,
        /// The first row's.
        expected: usize,
    },
    /// The matrix cannot be solved.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// The finite game cannot be solved.
    #[error(transparent)]
    Finite(#[from] FiniteError),
    /// No such game.
    #[error("no game {0:?}; there are pendulum, pursuit-1d, pursuit-2d and pursuit-3d")]
    UnknownGame(String),
    /// The basis cannot be made.
    #[error(transparent)]
    Basis(#[from] BasisError),
    /// The game cannot be learned.
    #[error(transparent)]
    Lspi(#[from] LspiError),
    /// The game cannot be learned by nested PCA.
    #[error(transparent)]
    Nested(#[from] NestedError),
}

/// A solved matrix game, as `randori game solve --json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatrixReport {
    /// What the game is worth to the agent.
    pub value: f64,
    /// The agent's probabilities, one per column.
    pub agent: Vec<f64>,
    /// The opponent's probabilities, one per row.
    pub opponent: Vec<f64>,
    /// Entries that were looked at: all of them, for a matrix that is there already.
    pub entries_used: usize,
    /// What the two policies can lose together.
    pub exploitability: f64,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum MatrixText {
    Shaped { rows: usize, cols: usize, payoff: Vec<f64> },
    Rows(Vec<Vec<f64>>),
}

/// Solves a matrix game written as `{"rows":m,"cols":n,"payoff":[row-major]}` or as an array of rows; rows are the
/// opponent's actions, columns the agent's.
///
/// ```
/// use randori_equilibrium::report::solve_matrix_json;
///
/// let report = solve_matrix_json("[[-2, 3], [3, -4]]")?;
/// assert!((report.value - 1.0 / 12.0).abs() < 1e-15);
/// assert_eq!(report.entries_used, 4);
/// # Ok::<(), randori_equilibrium::report::ReportError>(())
/// ```
pub fn solve_matrix_json(text: &str) -> Result<MatrixReport, ReportError> {
    let (rows, cols, payoff) = match serde_json::from_str(text)? {
        MatrixText::Shaped { rows, cols, payoff } => (rows, cols, payoff),
        MatrixText::Rows(lines) => {
            let expected = lines.first().map_or(0, Vec::len);
            if let Some(row) = lines.iter().position(|line| line.len() != expected) {
                return Err(ReportError::Ragged { row, found: lines[row].len(), expected });
            }
            (lines.len(), expected, lines.concat())
        }
    };
    let mut workspace = Workspace::default();
    let solution = matrix::solve(PayoffMatrix::new(rows, cols, &payoff)?, &mut workspace);
    Ok(MatrixReport {
        value: solution.value,
        agent: solution.agent.to_vec(),
        opponent: solution.opponent.to_vec(),
        entries_used: payoff.len(),
        exploitability: solution.gap,
    })
}

/// Solves a finite Markov game written as in [`FiniteGame`].
pub fn solve_finite_json(text: &str) -> Result<FiniteSolution, ReportError> {
    Ok(solve_finite(&FiniteGame::from_json(text)?, &FiniteSettings::default()))
}

/// A game that can be learned, by its name on the command line.
pub fn continuous_game(name: &str) -> Result<Box<dyn MarkovGame>, ReportError> {
    let dimensions = match name {
        "pendulum" => return Ok(Box::new(Pendulum::default())),
        "pursuit-1d" => 1,
        "pursuit-2d" => 2,
        "pursuit-3d" => 3,
        _ => return Err(ReportError::UnknownGame(name.to_owned())),
    };
    match Pursuit::in_dimensions(dimensions) {
        Some(game) => Ok(Box::new(game)),
        None => Err(ReportError::UnknownGame(name.to_owned())),
    }
}

/// Full outer product or nested PCA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The outer product of all axes' bases.
    Full,
    /// Axis by axis with principal components.
    Nested,
}

/// What to learn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearnRequest {
    /// Basis functions per continuous axis.
    pub bases: usize,
    /// Basis functions per continuous axis while learning, if more: what is learned with them is fitted to
    /// [`Self::bases`] at the end. Of the full method only.
    pub learn_with: usize,
    /// Full or nested.
    pub method: Method,
    /// Seed of samples and slices.
    pub seed: u64,
}

/// So many samples per basis function for the one fit at the end: they cost little, and their chance counts.
const FIT_SAMPLES: f64 = 60.0;

/// A learned game, as `randori game learn --json` prints it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LearnReport {
    /// The game's name.
    pub game: String,
    /// Full or nested.
    pub method: Method,
    /// Basis functions per continuous axis.
    pub bases_per_axis: usize,
    /// Basis functions of the last system.
    pub bases: usize,
    /// Numbers stored: weights and components.
    pub stored_numbers: usize,
    /// Samples of the last system.
    pub samples: usize,
    /// Sweeps of policy iteration.
    pub sweeps: usize,
    /// Backups after them.
    pub backups: usize,
    /// Root mean square Bellman error, sweep by sweep.
    pub residuals: Vec<f64>,
    /// Bytes of the cached matrix.
    pub matrix_bytes: usize,
    /// Why learning ended.
    pub status: LspiStatus,
    /// Where the time of the last system went, by the host's clock.
    pub seconds: PhaseSeconds,
    /// Levels of nested PCA.
    pub levels: Vec<NestedLevel>,
    /// States on a regular grid over the first two axes, the others in the middle.
    pub probe_states: Vec<Vec<f64>>,
    /// Values there, with one exact step ahead.
    pub probe_values: Vec<f64>,
}

/// A learned game: its report and its value function.
pub struct LearnedGame {
    /// For people and scripts.
    pub report: LearnReport,
    /// For play.
    pub value: ValueFunction,
}

/// Learns one of the continuous games, from a checkpoint if there is one; `observer` hears of every level of nested PCA
/// and of every sweep over the whole game.
pub fn learn_game(
    name: &str,
    request: &LearnRequest,
    host: Host<'_>,
    checkpoint: Option<&[u8]>,
    observer: &mut dyn FnMut(NestedEvent<'_>) -> Control,
) -> Result<LearnedGame, ReportError> {
    let game = continuous_game(name)?;
    let n_axes = game.axes().len();
    let (learned, levels) = match request.method {
        Method::Full => {
            let all: Vec<usize> = (0..n_axes).collect();
            let plain = Basis::over_axes(game.axes(), &all, request.bases)?;
            let finer = request.learn_with > request.bases;
            let basis = match finer {
                true => Basis::over_axes(game.axes(), &all, request.learn_with)?,
                false => plain.clone(),
            };
            let settings = LspiSettings { seed: request.seed, ..Default::default() };
            let observer = &mut |progress: &Progress<'_>| observer(NestedEvent::Sweep(progress));
            let mut learned = match checkpoint {
                Some(checkpoint) => resume(game.as_ref(), &basis, &settings, host, checkpoint, observer)?,
                None => learn(game.as_ref(), &basis, &settings, host, observer)?,
            };
            if finer {
                let settings = LspiSettings { samples_per_basis: FIT_SAMPLES, ..settings };
                let fine = &learned.value;
                learned.value = fit(game.as_ref(), &plain, &settings, host, &|state| fine.value(state))?;
            }
            (learned, Vec::new())
        }
        Method::Nested => {
            let mut settings = NestedSettings::axis_by_axis(n_axes, request.bases);
            settings.slice.seed = request.seed;
            settings.whole.seed = request.seed;
            let learned = match checkpoint {
                Some(checkpoint) => resume_nested(game.as_ref(), &settings, host, checkpoint, observer)?,
                None => learn_nested(game.as_ref(), &settings, host, observer)?,
            };
            (learned.learned, learned.levels)
        }
    };
    let mut report = LearnReport {
        game: name.to_owned(),
        method: request.method,
        bases_per_axis: request.bases,
        bases: learned.value.weights.len(),
        stored_numbers: learned.value.stored_numbers(),
        samples: learned.samples,
        sweeps: learned.sweeps,
        backups: learned.backups,
        residuals: learned.residuals,
        matrix_bytes: learned.matrix_bytes,
        status: learned.status,
        seconds: learned.seconds,
        levels,
        probe_states: Vec::new(),
        probe_values: Vec::new(),
    };
    let value = learned.value.unfolded(1 << 20);
    for k in 0..81 {
        let share = |step: usize| (step as f64 + 0.5) / 9.0;
        let state: Vec<f64> = game
            .axes()
            .iter()
            .enumerate()
            .map(|(axis, kind)| {
                kind.at_share(match axis {
                    0 => share(k / 9),
                    1 => share(k % 9),
                    _ => 0.5,
                })
            })
            .collect();
        report.probe_values.push(lookahead_value(game.as_ref(), &value, &state)?);
        report.probe_states.push(state);
    }
    Ok(LearnedGame { report, value: learned.value })
}

/// The value at a state by one exact step from it: closer to the game's value than the function itself.
pub fn lookahead_value(
    game: &dyn MarkovGame,
    value: &ValueFunction,
    state: &[f64],
) -> Result<f64, MatrixError> {
    let (mut payoff, mut scratch) = (Vec::new(), SparseRow::default());
    let counts = payoff_matrix(game, state, &mut |next| value.value_with(next, &mut scratch), &mut payoff);
    let matrix = PayoffMatrix::new(counts.opponent, counts.agent, &payoff)?;
    Ok(matrix::solve(matrix, &mut Workspace::default()).value)
}

//! Exact solution of dense zero-sum matrix games.
//!
//! Convention of the whole crate: payoffs go to the *agent*; **rows are the opponent's actions, who minimises;
//! columns are the agent's, who maximises**. Reference: \[Wampler2010\], section 5.1, equation (2).
//!
//! [`solve`] answers with the value, both policies and the *gap*, the sum of what the two policies can lose, measured
//! on the payoffs as given. Route: a pure saddle point if there is one; else a condensed-tableau simplex; if rounding
//! shows, the kernel of the optimal basis is solved again on the original payoffs; if that is not enough, the simplex
//! is run again in double-double arithmetic. The workspace belongs to the caller: nothing is allocated per solve once
//! it has seen the largest game. [`solve_batch`] does many games of one shape.

mod batch;
mod double;
mod kernel;
mod lanes;
mod precise;
mod tableau;

pub use batch::{BatchEquilibria, solve_batch};

use kernel::Kernel;
use lanes::LaneTableau;
use precise::PreciseTableau;
use tableau::{ColumnSide, Ending, Tableau};

/// What is wrong with a payoff matrix.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MatrixError {
    /// A player has nothing to do.
    #[error("a game of {rows} rows and {cols} columns: both players need at least one action")]
    Empty {
        /// Number of the opponent's actions.
        rows: usize,
        /// Number of the agent's actions.
        cols: usize,
    },
    /// The number of payoffs does not fit the shape.
    #[error("{rows} rows of {cols} columns need {expected} payoffs, found {found}", expected = .rows.saturating_mul(*.cols))]
    Shape {
        /// Number of the opponent's actions.
        rows: usize,
        /// Number of the agent's actions.
        cols: usize,
        /// How many payoffs were given.
        found: usize,
    },
    /// A payoff is infinite or not a number.
    #[error("the payoff at row {row}, column {col} is {value}; payoffs must be finite")]
    NotFinite {
        /// Row of the payoff, from 0.
        row: usize,
        /// Column of the payoff, from 0.
        col: usize,
        /// The payoff.
        value: f64,
    },
    /// The difference of two payoffs is not a number any more.
    #[error("payoffs from {low:e} to {high:e} span more than 1e300")]
    TooWide {
        /// Smallest payoff.
        low: f64,
        /// Largest payoff.
        high: f64,
    },
}

/// A checked view of a payoff matrix: at least one action each, all payoffs finite.
#[derive(Clone, Copy, Debug)]
pub struct PayoffMatrix<'a> {
    rows: usize,
    cols: usize,
    payoff: &'a [f64],
    low: f64,
    high: f64,
}

impl<'a> PayoffMatrix<'a> {
    /// Checks `payoff`, row-major: `payoff[row * cols + col]` is what the agent gets.
    #[inline]
    pub fn new(rows: usize, cols: usize, payoff: &'a [f64]) -> Result<Self, MatrixError> {
        if rows == 0 || cols == 0 {
            return Err(MatrixError::Empty { rows, cols });
        }
        if rows.checked_mul(cols) != Some(payoff.len()) {
            return Err(MatrixError::Shape { rows, cols, found: payoff.len() });
        }
        let (low, high, finite) = extremes(payoff);
        if !finite {
            let at = payoff.iter().position(|x| !x.is_finite()).unwrap_or(0);
            return Err(MatrixError::NotFinite { row: at / cols, col: at % cols, value: payoff[at] });
        }
        if high - low > 1e300 || high.abs().max(low.abs()) > 1e300 {
            return Err(MatrixError::TooWide { low, high });
        }
        Ok(Self { rows, cols, payoff, low, high })
    }

    /// Number of the opponent's actions.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of the agent's actions.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The payoffs, row-major.
    pub fn payoff(&self) -> &'a [f64] {
        self.payoff
    }

    /// One row: what the agent gets for each of its actions against one of the opponent's.
    pub fn row(&self, row: usize) -> &'a [f64] {
        &self.payoff[row * self.cols..][..self.cols]
    }

    /// Largest payoff less smallest.
    pub fn span(&self) -> f64 {
        self.high - self.low
    }
}

/// How a solution was found; each needs more work than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Route {
    /// A pure saddle point, exact.
    Saddle,
    /// The simplex tableau was accurate enough.
    Tableau,
    /// The kernel of its basis was solved again on the original payoffs.
    Kernel,
    /// The simplex was run in double-double arithmetic.
    DoubleDouble,
}

/// A solved game; policies live in the workspace until the next solve.
#[derive(Clone, Copy, Debug)]
pub struct Equilibrium<'w> {
    /// What the agent can be sure of and the opponent can hold it to.
    pub value: f64,
    /// The agent's probabilities, one per column.
    pub agent: &'w [f64],
    /// The opponent's probabilities, one per row.
    pub opponent: &'w [f64],
    /// Measured on the payoffs: what a best response gains against each policy, added. The value is right to half of it.
    pub gap: f64,
    /// Simplex pivots made.
    pub pivots: u32,
    /// How it was found.
    pub route: Route,
}

/// Scratch space and results of [`solve`].
///
/// ```
/// use randori_equilibrium::matrix::{PayoffMatrix, Workspace, solve};
///
/// let payoff = [0.0, 1.0, -1.0, -1.0, 0.0, 1.0, 1.0, -1.0, 0.0]; // rock, paper, scissors
/// let mut workspace = Workspace::default();
/// let solution = solve(PayoffMatrix::new(3, 3, &payoff)?, &mut workspace);
/// assert!(solution.value.abs() < 1e-15 && solution.gap < 1e-15);
/// assert!(solution.agent.iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-15));
/// # Ok::<(), randori_equilibrium::matrix::MatrixError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    tableau: Tableau,
    kernel: Kernel,
    precise: PreciseTableau,
    lanes: LaneTableau,
    agent: Vec<f64>,
    opponent: Vec<f64>,
    trial_agent: Vec<f64>,
    trial_opponent: Vec<f64>,
    /// Per column: smallest payoff, later the opponent's policy times the column.
    per_column: Vec<f64>,
    agent_actions: Vec<u32>,
    opponent_actions: Vec<u32>,
}

/// What two policies are worth, on payoffs less `centre`.
#[derive(Clone, Copy)]
struct Guarantee {
    lower: f64,
    upper: f64,
    /// How far the payoffs that they meet lie from `centre`, on average.
    deviation: f64,
}

impl Guarantee {
    /// The gap that rounding alone explains: it goes with how far the payoffs that the policies meet lie from the
    /// value, not with the span, which a single outlier can blow up.
    #[inline(always)]
    fn rounding(&self, centre: f64) -> f64 {
        1e-12 * self.deviation + 8.0 * f64::EPSILON * centre.abs()
    }
}

/// Solves a game exactly, up to rounding of the payoffs; see the module's documentation for the route taken.
pub fn solve<'w>(game: PayoffMatrix<'_>, workspace: &'w mut Workspace) -> Equilibrium<'w> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[expect(unsafe_code, reason = "the one way to call a function compiled for a wider vector unit")]
        // SAFETY: the processor has just been asked whether it has AVX2.
        return unsafe { solve_avx2(game, workspace) };
    }
    solve_any(game, workspace)
}

/// The same code compiled for AVX2, with the same bits: nothing is fused or reordered, only done four at a time.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn solve_avx2<'w>(game: PayoffMatrix<'_>, workspace: &'w mut Workspace) -> Equilibrium<'w> {
    solve_any(game, workspace)
}

#[inline(always)]
fn solve_any<'w>(game: PayoffMatrix<'_>, workspace: &'w mut Workspace) -> Equilibrium<'w> {
    workspace.agent.clear();
    workspace.agent.resize(game.cols, 0.0);
    workspace.opponent.clear();
    workspace.opponent.resize(game.rows, 0.0);
    let pure = pure_bounds(game, &mut workspace.per_column);
    if pure.lower == pure.upper {
        workspace.agent[pure.col] = 1.0;
        workspace.opponent[pure.row] = 1.0;
        let Workspace { agent, opponent, .. } = workspace;
        return Equilibrium { value: pure.lower, agent, opponent, gap: 0.0, pivots: 0, route: Route::Saddle };
    }
    let side = if game.rows > game.cols { ColumnSide::Opponent } else { ColumnSide::Agent };
    let first = if side == ColumnSide::Opponent { pure.row } else { pure.col };
    workspace.solve_mixed(game, side, first)
}

impl Workspace {
    #[inline(always)]
    fn solve_mixed(&mut self, game: PayoffMatrix<'_>, side: ColumnSide, first: usize) -> Equilibrium<'_> {
        self.tableau.load(game.rows, game.cols, game.payoff, game.low, game.high, side);
        let ending = self.tableau.solve(first);
        let pivots = self.tableau.pivots;
        let (column_side, row_side) = match side {
            ColumnSide::Opponent => (&mut self.opponent, &mut self.agent),
            ColumnSide::Agent => (&mut self.agent, &mut self.opponent),
        };
        self.tableau.policies(column_side, row_side);
        let total: f64 = column_side.iter().sum();
        let sound = normalise(column_side) & normalise(row_side);
        // Σu is one over the scaled value, which lies in [1, 2].
        let scaled = (1.0 / total - 1.0).clamp(0.0, 1.0) * game.span();
        let centre = match side {
            ColumnSide::Opponent => game.low + scaled,
            ColumnSide::Agent => game.high - scaled,
        };
        let centre = if centre.is_finite() { centre } else { game.low };
        let bounds = measure(game, centre, &self.agent, &self.opponent, &mut self.per_column);
        let gap = bounds.upper - bounds.lower;
        if ending == Ending::Optimal && sound && gap <= bounds.rounding(centre) {
            return self.answer(centre, bounds, pivots, Route::Tableau);
        }
        self.repair(game, side, centre, bounds, sound, pivots)
    }

    fn answer(&self, centre: f64, bounds: Guarantee, pivots: u32, route: Route) -> Equilibrium<'_> {
        Equilibrium {
            value: centre + 0.5 * (bounds.lower + bounds.upper),
            agent: &self.agent,
            opponent: &self.opponent,
            gap: (bounds.upper - bounds.lower).max(0.0),
            pivots,
            route,
        }
    }

    /// The slow routes, in turn, keeping whichever policies lose least.
    #[cold]
    fn repair(
        &mut self,
        game: PayoffMatrix<'_>,
        side: ColumnSide,
        centre: f64,
        mut bounds: Guarantee,
        mut sound: bool,
        pivots: u32,
    ) -> Equilibrium<'_> {
        let mut route = Route::Tableau;
        let mut centre = centre;
        for attempt in [Route::Kernel, Route::DoubleDouble] {
            match attempt {
                Route::Kernel => {
                    let (column_actions, row_actions) = match side {
                        ColumnSide::Opponent => (&mut self.opponent_actions, &mut self.agent_actions),
                        ColumnSide::Agent => (&mut self.agent_actions, &mut self.opponent_actions),
                    };
                    self.tableau.kernel(column_actions, row_actions);
                }
                _ => {
                    self.precise.solve(game.rows, game.cols, game.payoff);
                    self.precise.kernel(&mut self.agent_actions, &mut self.opponent_actions);
                }
            }
            for from_kernel in [true, false] {
                self.trial_agent.clear();
                self.trial_agent.resize(game.cols, 0.0);
                self.trial_opponent.clear();
                self.trial_opponent.resize(game.rows, 0.0);
                let new_centre = if from_kernel {
                    let solved = self.kernel.solve(
                        game,
                        &self.opponent_actions,
                        &self.agent_actions,
                        &mut self.trial_opponent,
                        &mut self.trial_agent,
                    );
                    let Some(value) = solved else { continue };
                    value
                } else if attempt == Route::DoubleDouble {
                    self.precise.policies(&mut self.trial_agent, &mut self.trial_opponent)
                } else {
                    continue;
                };
                if !(normalise(&mut self.trial_agent)
                    & normalise(&mut self.trial_opponent)
                    & new_centre.is_finite())
                {
                    continue;
                }
                let trial =
                    measure(game, new_centre, &self.trial_agent, &self.trial_opponent, &mut self.per_column);
                if !sound || trial.upper - trial.lower < bounds.upper - bounds.lower {
                    std::mem::swap(&mut self.agent, &mut self.trial_agent);
                    std::mem::swap(&mut self.opponent, &mut self.trial_opponent);
                    (bounds, centre, route, sound) = (trial, new_centre, attempt, true);
                }
            }
            if sound && bounds.upper - bounds.lower <= bounds.rounding(centre) {
                break;
            }
        }
        self.answer(centre, bounds, pivots, route)
    }
}

struct PureBounds {
    /// Best that a pure column can be sure of.
    lower: f64,
    col: usize,
    /// Best that a pure row can hold the agent to.
    upper: f64,
    row: usize,
}

/// Maximin column and minimax row among pure actions, first of equals.
#[inline(always)]
fn pure_bounds(game: PayoffMatrix<'_>, column_low: &mut Vec<f64>) -> PureBounds {
    column_low.clear();
    column_low.extend_from_slice(game.row(0));
    let (mut upper, mut row) = (f64::INFINITY, 0);
    for (i, line) in game.payoff.chunks_exact(game.cols).enumerate() {
        for (low, &x) in column_low.iter_mut().zip(line) {
            *low = if x < *low { x } else { *low };
        }
        let high = largest(line);
        if high < upper {
            (upper, row) = (high, i);
        }
    }
    let (mut lower, mut col) = (f64::NEG_INFINITY, 0);
    for (j, &low) in column_low.iter().enumerate() {
        if low > lower {
            (lower, col) = (low, j);
        }
    }
    PureBounds { lower, col, upper, row }
}

/// What the agent's policy is sure of and what the opponent's holds it to, on payoffs less `centre`.
#[inline(always)]
fn measure(
    game: PayoffMatrix<'_>,
    centre: f64,
    agent: &[f64],
    opponent: &[f64],
    per_column: &mut Vec<f64>,
) -> Guarantee {
    per_column.clear();
    per_column.resize(game.cols, 0.0);
    let (mut lower, mut deviation) = (f64::INFINITY, 0.0);
    for (line, &p) in game.payoff.chunks_exact(game.cols).zip(opponent) {
        // Four running sums, always combined alike: fast, and the same bits everywhere.
        let ((xs, x_rest), (qs, q_rest)) = (line.as_chunks::<4>(), agent.as_chunks::<4>());
        let (mut sums, mut apart) = ([0.0; 4], [0.0; 4]);
        for (k, (&x, &q)) in x_rest.iter().zip(q_rest).enumerate() {
            sums[k] = (x - centre) * q;
            apart[k] = (x - centre).abs() * q;
        }
        for (x, q) in xs.iter().zip(qs) {
            for k in 0..4 {
                sums[k] += (x[k] - centre) * q[k];
                apart[k] += (x[k] - centre).abs() * q[k];
            }
        }
        let sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        lower = if sum < lower { sum } else { lower };
        deviation += p * ((apart[0] + apart[1]) + (apart[2] + apart[3]));
        for (total, &x) in per_column.iter_mut().zip(line) {
            *total += p * (x - centre);
        }
    }
    Guarantee { lower, upper: largest(per_column), deviation }
}

/// Smallest and largest of some numbers, and whether all are finite.
///
/// Four of each at a time: one after another, every comparison would wait for the one before.
#[inline(always)]
fn extremes(numbers: &[f64]) -> (f64, f64, bool) {
    let (fours, rest) = numbers.as_chunks::<4>();
    let (mut low, mut high, mut finite) = ([f64::INFINITY; 4], [f64::NEG_INFINITY; 4], [true; 4]);
    for four in fours {
        for k in 0..4 {
            low[k] = if four[k] < low[k] { four[k] } else { low[k] };
            high[k] = if four[k] > high[k] { four[k] } else { high[k] };
            finite[k] &= four[k].abs() < f64::INFINITY;
        }
    }
    for (k, &x) in rest.iter().enumerate() {
        low[k] = if x < low[k] { x } else { low[k] };
        high[k] = if x > high[k] { x } else { high[k] };
        finite[k] &= x.is_finite();
    }
    let least = low.into_iter().fold(f64::INFINITY, f64::min);
    let most = high.into_iter().fold(f64::NEG_INFINITY, f64::max);
    (least, most, finite == [true; 4])
}

/// The largest of some numbers, of which none is NaN; found as [`extremes`] does.
#[inline(always)]
fn largest(numbers: &[f64]) -> f64 {
    let (fours, rest) = numbers.as_chunks::<4>();
    let mut high = [f64::NEG_INFINITY; 4];
    for four in fours {
        for k in 0..4 {
            high[k] = if four[k] > high[k] { four[k] } else { high[k] };
        }
    }
    for (high, &x) in high.iter_mut().zip(rest) {
        *high = if x > *high { x } else { *high };
    }
    high.into_iter().fold(f64::NEG_INFINITY, |a, x| if x > a { x } else { a })
}

/// Drops negative rounding noise and divides by the sum; false if nothing is left of it.
#[inline(always)]
fn normalise(policy: &mut [f64]) -> bool {
    let total: f64 = policy.iter().map(|p| p.max(0.0)).sum();
    if !(total > 0.0 && total.is_finite()) {
        policy.fill(1.0 / policy.len() as f64);
        return false;
    }
    for p in policy.iter_mut() {
        *p = p.max(0.0) / total;
    }
    true
}

/// What a best response gains against each policy, added: zero exactly for an equilibrium.
///
/// Rows and columns as in [`PayoffMatrix`]; policies must have one probability per action.
pub fn exploitability(game: PayoffMatrix<'_>, agent: &[f64], opponent: &[f64]) -> f64 {
    assert_eq!((agent.len(), opponent.len()), (game.cols, game.rows), "one probability per action");
    let centre = game.row(0)[0];
    let bounds = measure(game, centre, agent, opponent, &mut Vec::new());
    bounds.upper - bounds.lower
}

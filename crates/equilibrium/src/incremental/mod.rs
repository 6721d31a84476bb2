//! Matrix games whose entries are dear: rows and columns computed on demand.
//!
//! Reference: \[Wampler2010\], section 5.3 and figure 2, after Sadovskii (1978). Two subsets of actions grow in turn, the
//! opponent's and the agent's, until neither player has anything to gain outside them. Two rules say what joins, see
//! [`Growth`]; both find figure 2's game by the same entries in the same order.

mod printed;
mod response;

use crate::matrix::{self, MatrixError, PayoffMatrix, Workspace};

/// When to stop growing, and when not to start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IncrementalSettings {
    /// Games with at most so many entries are computed whole: growing them would take longer than it saves.
    pub whole_up_to: usize,
    /// Stop after so many rounds, one round growing both subsets; the first alone is a turn-based controller.
    pub max_rounds: usize,
    /// Stop when the policies are known to lose together no more than this share of the payoffs seen.
    pub tolerance: f64,
    /// What joins the subsets.
    pub growth: Growth,
}

/// What joins the subsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Growth {
    /// The best answers to the policies of the game of both subsets: about as many entries, and smaller programs.
    #[default]
    BestResponse,
    /// As the paper prints it: the opponent's most probable action in the game of the agent's subset against all rows,
    /// and the other way round.
    Printed,
}

impl Default for IncrementalSettings {
    fn default() -> Self {
        Self { whole_up_to: 30, max_rounds: usize::MAX, tolerance: 1e-12, growth: Growth::BestResponse }
    }
}

/// Why the subsets stopped growing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncrementalStatus {
    /// No support outside the subsets: the policies solve the whole game.
    Solved,
    /// The round limit came first: the bounds tell how good the policies are.
    RoundLimit,
}

/// A game solved by rows and columns; policies live in the workspace until the next solve.
#[derive(Clone, Copy, Debug)]
pub struct IncrementalEquilibrium<'w> {
    /// The agent's probabilities, one per column.
    pub agent: &'w [f64],
    /// The opponent's probabilities, one per row.
    pub opponent: &'w [f64],
    /// What the agent's policy is sure of, whatever the opponent does.
    pub lower: f64,
    /// What the opponent's policy holds the agent to.
    pub upper: f64,
    /// How many entries were computed.
    pub entries_used: usize,
    /// How often both subsets were offered a new action.
    pub rounds: usize,
    /// Why it ended.
    pub status: IncrementalStatus,
}

impl IncrementalEquilibrium<'_> {
    /// The middle of the bounds, which meet when the game is solved.
    pub fn value(&self) -> f64 {
        0.5 * (self.lower + self.upper)
    }
}

/// Where to begin: subsets of actions, such as the supports found at a neighbouring state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start<'a> {
    /// The agent's first columns; with none, column 0.
    pub agent: &'a [u32],
    /// The opponent's first rows; may be empty.
    pub opponent: &'a [u32],
}

/// Scratch space and results of [`solve_incrementally`].
#[derive(Clone, Debug, Default)]
pub struct IncrementalWorkspace {
    matrix: Workspace,
    /// Every entry computed so far, row-major; NaN where none.
    known: Vec<f64>,
    sub: Vec<f64>,
    /// Actions that are played in the subsets' game, with their probabilities.
    agent_played: Vec<(u32, f64)>,
    opponent_played: Vec<(u32, f64)>,
    agent_set: Vec<u32>,
    opponent_set: Vec<u32>,
    agent: Vec<f64>,
    opponent: Vec<f64>,
}

impl IncrementalWorkspace {
    /// The agent's columns that were considered, in the order they joined.
    pub fn agent_subset(&self) -> &[u32] {
        &self.agent_set
    }

    /// The opponent's rows that were considered, in the order they joined.
    pub fn opponent_subset(&self) -> &[u32] {
        &self.opponent_set
    }

    /// The entry at a row and column of the last game, if it was computed.
    pub fn known_entry(&self, row: usize, col: usize) -> Option<f64> {
        let entry = self.known[row * self.agent.len() + col];
        (!entry.is_nan()).then_some(entry)
    }
}

/// Solves a `rows × cols` game whose entries come from `entry(row, col)`, asked at most once each.
///
/// ```
/// use randori_equilibrium::incremental::{IncrementalSettings, IncrementalWorkspace, Start, solve_incrementally};
///
/// // Figure 2 of the paper, from its third column.
/// let figure = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.0, 2.0, 4.0, 3.0], [7.0, 8.0, 5.0, 6.0]];
/// let mut workspace = IncrementalWorkspace::default();
/// let settings = IncrementalSettings { whole_up_to: 0, ..Default::default() };
/// let start = Start { agent: &[2], opponent: &[] };
/// let solution = solve_incrementally(4, 4, start, &settings, &mut workspace, |i, j| figure[i][j])?;
/// assert_eq!((solution.value(), solution.entries_used), (3.5, 12));
/// let off = solution.agent.iter().zip([0.0, 0.0, 0.5, 0.5]).map(|(found, known)| (found - known).abs());
/// assert!(off.fold(0.0, f64::max) < 1e-12);
/// # Ok::<(), randori_equilibrium::matrix::MatrixError>(())
/// ```
pub fn solve_incrementally<'w>(
    rows: usize,
    cols: usize,
    start: Start<'_>,
    settings: &IncrementalSettings,
    workspace: &'w mut IncrementalWorkspace,
    entry: impl FnMut(usize, usize) -> f64,
) -> Result<IncrementalEquilibrium<'w>, MatrixError> {
    let Some(size) = rows.checked_mul(cols).filter(|&size| size > 0) else {
        return Err(MatrixError::Empty { rows, cols });
    };
    workspace.known.clear();
    workspace.known.resize(size, f64::NAN);
    workspace.agent.clear();
    workspace.agent.resize(cols, 0.0);
    workspace.opponent.clear();
    workspace.opponent.resize(rows, 0.0);
    workspace.agent_set.clear();
    workspace.opponent_set.clear();
    if size <= settings.whole_up_to {
        return workspace.solve_whole(rows, cols, entry);
    }
    for &j in start.agent {
        join(&mut workspace.agent_set, j, cols);
    }
    for &i in start.opponent {
        join(&mut workspace.opponent_set, i, rows);
    }
    if workspace.agent_set.is_empty() {
        workspace.agent_set.push(0);
    }
    let entries = Entries { cols, entry, used: 0, low: f64::INFINITY, high: f64::NEG_INFINITY };
    let ending = match settings.growth {
        Growth::BestResponse => workspace.grow_by_response(rows, cols, entries, settings)?,
        Growth::Printed => workspace.grow_as_printed(rows, cols, entries, settings)?,
    };
    let IncrementalWorkspace { agent, opponent, .. } = workspace;
    let Ending { lower, upper, entries_used, rounds, status } = ending;
    Ok(IncrementalEquilibrium { agent, opponent, lower, upper, entries_used, rounds, status })
}

/// How growing ended.
struct Ending {
    lower: f64,
    upper: f64,
    entries_used: usize,
    rounds: usize,
    status: IncrementalStatus,
}

/// Where entries come from: each is asked for once and kept in the workspace's table.
struct Entries<F> {
    cols: usize,
    entry: F,
    used: usize,
    low: f64,
    high: f64,
}

impl<F: FnMut(usize, usize) -> f64> Entries<F> {
    fn at(&mut self, table: &mut [f64], row: usize, col: usize) -> Result<f64, MatrixError> {
        let slot = &mut table[row * self.cols + col];
        if slot.is_nan() {
            let value = (self.entry)(row, col);
            if !value.is_finite() {
                return Err(MatrixError::NotFinite { row, col, value });
            }
            *slot = value;
            self.used += 1;
            self.low = self.low.min(value);
            self.high = self.high.max(value);
        }
        Ok(*slot)
    }

    /// Largest entry seen less the smallest.
    fn span(&self) -> f64 {
        self.high - self.low
    }
}

impl IncrementalWorkspace {
    fn solve_whole(
        &mut self,
        rows: usize,
        cols: usize,
        mut entry: impl FnMut(usize, usize) -> f64,
    ) -> Result<IncrementalEquilibrium<'_>, MatrixError> {
        for (k, slot) in self.known.iter_mut().enumerate() {
            *slot = entry(k / cols, k % cols);
        }
        let solution = matrix::solve(PayoffMatrix::new(rows, cols, &self.known)?, &mut self.matrix);
        self.agent.copy_from_slice(solution.agent);
        self.opponent.copy_from_slice(solution.opponent);
        let (lower, upper) = (solution.value - 0.5 * solution.gap, solution.value + 0.5 * solution.gap);
        self.agent_set.extend(0..cols as u32);
        self.opponent_set.extend(0..rows as u32);
        let status = IncrementalStatus::Solved;
        let Self { agent, opponent, .. } = self;
        Ok(IncrementalEquilibrium {
            agent,
            opponent,
            lower,
            upper,
            entries_used: rows * cols,
            rounds: 1,
            status,
        })
    }
}

/// Adds an action of a start set, if it exists in this game and is new.
fn join(set: &mut Vec<u32>, action: u32, count: usize) {
    if (action as usize) < count && !set.contains(&action) {
        set.push(action);
    }
}

fn scatter(policy: &mut [f64], set: &[u32], probabilities: &[f64]) {
    policy.fill(0.0);
    for (&action, &p) in set.iter().zip(probabilities) {
        policy[action as usize] = p;
    }
}

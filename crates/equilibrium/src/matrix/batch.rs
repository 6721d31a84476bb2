//! Many games of one shape in one call.

use super::lanes::{LARGEST_SIDE, LaneState, LaneTableau, WIDTH};
use super::{MatrixError, PayoffMatrix, Workspace, measure, normalise, pure_bounds, solve};

/// Values and policies of [`solve_batch`], one game after another.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchEquilibria {
    /// One value per game.
    pub values: Vec<f64>,
    /// `cols` probabilities per game.
    pub agents: Vec<f64>,
    /// `rows` probabilities per game.
    pub opponents: Vec<f64>,
    /// The largest gap of all games; see [`super::Equilibrium::gap`].
    pub largest_gap: f64,
}

/// Solves games of `rows × cols` that lie one after another in `payoffs`, into `out`.
///
/// An error names the first bad game's place; `out` then holds the games before it. Nothing is allocated once
/// workspace and output have grown.
///
/// ```
/// use randori_equilibrium::matrix::{BatchEquilibria, Workspace, solve_batch};
///
/// let two_games = [1.0, -1.0, -1.0, 1.0, /* and */ 3.0, 5.0, 2.0, 1.0];
/// let mut out = BatchEquilibria::default();
/// solve_batch(2, 2, &two_games, &mut Workspace::default(), &mut out)?;
/// assert!(out.values[0].abs() < 1e-15 && out.values[1] == 2.0);
/// assert_eq!(out.agents[2..], [1.0, 0.0]);
/// # Ok::<(), randori_equilibrium::matrix::MatrixError>(())
/// ```
pub fn solve_batch(
    rows: usize,
    cols: usize,
    payoffs: &[f64],
    workspace: &mut Workspace,
    out: &mut BatchEquilibria,
) -> Result<(), MatrixError> {
    out.values.clear();
    out.agents.clear();
    out.opponents.clear();
    out.largest_gap = 0.0;
    let Some(size) = rows.checked_mul(cols).filter(|&size| size > 0) else {
        return Err(MatrixError::Empty { rows, cols });
    };
    let games = payoffs.chunks_exact(size);
    if !games.remainder().is_empty() {
        return Err(MatrixError::Shape { rows, cols, found: games.remainder().len() });
    }
    let n_games = games.len();
    out.values.resize(n_games, 0.0);
    out.agents.resize(n_games * cols, 0.0);
    out.opponents.resize(n_games * rows, 0.0);
    let batch = Batch { rows, cols, payoffs };
    let done = batch.solve(workspace, out);
    if let Err((solved, error)) = done {
        out.values.truncate(solved);
        out.agents.truncate(solved * cols);
        out.opponents.truncate(solved * rows);
        return Err(error);
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct Batch<'a> {
    rows: usize,
    cols: usize,
    payoffs: &'a [f64],
}

/// The first bad game's number and what is wrong with it.
type Refusal = (usize, MatrixError);

impl<'a> Batch<'a> {
    fn solve(self, workspace: &mut Workspace, out: &mut BatchEquilibria) -> Result<(), Refusal> {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(
                unsafe_code,
                reason = "the one way to call a function compiled for a wider vector unit"
            )]
            // SAFETY: the processor has just been asked whether it has AVX2.
            return unsafe { self.solve_avx2(workspace, out) };
        }
        self.solve_any(workspace, out)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn solve_avx2(self, workspace: &mut Workspace, out: &mut BatchEquilibria) -> Result<(), Refusal> {
        self.solve_any(workspace, out)
    }

    #[inline(always)]
    fn solve_any(self, workspace: &mut Workspace, out: &mut BatchEquilibria) -> Result<(), Refusal> {
        let n_games = out.values.len();
        let in_lanes = (2..=LARGEST_SIDE).contains(&self.rows) && (2..=LARGEST_SIDE).contains(&self.cols);
        let mut lanes = std::mem::take(&mut workspace.lanes);
        lanes.reset(self.rows, self.cols);
        let (mut next, mut busy) = (0, 0);
        let mut refused = None;
        loop {
            // Games with a saddle point never enter a lane.
            while next < n_games && busy < WIDTH && refused.is_none() {
                match self.game(next) {
                    Err(error) => refused = Some((next, error)),
                    Ok(game) if !in_lanes || game.span() < 1e-290 => {
                        self.solve_singly(next, game, workspace, out)
                    }
                    Ok(game) => {
                        let pure = pure_bounds(game, &mut workspace.per_column);
                        if pure.lower == pure.upper {
                            out.values[next] = pure.lower;
                            out.agents[next * self.cols..][..self.cols].fill(0.0);
                            out.agents[next * self.cols + pure.col] = 1.0;
                            out.opponents[next * self.rows..][..self.rows].fill(0.0);
                            out.opponents[next * self.rows + pure.row] = 1.0;
                        } else if let Some(lane) = lanes.game.iter().position(Option::is_none) {
                            lanes.load(lane, next, game.payoff, game.low, game.high);
                            busy += 1;
                        }
                    }
                }
                next += 1;
            }
            if busy == 0 {
                break;
            }
            for (lane, state) in lanes.step().into_iter().enumerate() {
                if state == LaneState::Optimal || state == LaneState::Stuck {
                    self.finish(&lanes, lane, state, workspace, out);
                    lanes.game[lane] = None;
                    busy -= 1;
                }
            }
        }
        workspace.lanes = lanes;
        refused.map_or(Ok(()), Err)
    }

    #[inline(always)]
    fn game(self, number: usize) -> Result<PayoffMatrix<'a>, MatrixError> {
        let size = self.rows * self.cols;
        PayoffMatrix::new(self.rows, self.cols, &self.payoffs[number * size..][..size])
    }

    #[cold]
    fn solve_singly(
        self,
        number: usize,
        game: PayoffMatrix<'_>,
        workspace: &mut Workspace,
        out: &mut BatchEquilibria,
    ) {
        let solution = solve(game, workspace);
        out.values[number] = solution.value;
        out.agents[number * self.cols..][..self.cols].copy_from_slice(solution.agent);
        out.opponents[number * self.rows..][..self.rows].copy_from_slice(solution.opponent);
        out.largest_gap = out.largest_gap.max(solution.gap);
    }

    /// Checks a lane's policies on the payoffs; what rounding has spoilt is solved again by itself.
    #[inline(always)]
    fn finish(
        self,
        lanes: &LaneTableau,
        lane: usize,
        state: LaneState,
        workspace: &mut Workspace,
        out: &mut BatchEquilibria,
    ) {
        let Some(number) = lanes.game[lane] else { return };
        // It was checked when it was loaded.
        let Ok(game) = self.game(number) else { return };
        workspace.agent.resize(self.cols, 0.0);
        workspace.opponent.resize(self.rows, 0.0);
        lanes.policies(lane, &mut workspace.agent, &mut workspace.opponent);
        let total: f64 = workspace.agent.iter().sum();
        let sound = normalise(&mut workspace.agent) & normalise(&mut workspace.opponent);
        let centre = game.high - (1.0 / total - 1.0).clamp(0.0, 1.0) * game.span();
        if state == LaneState::Optimal && sound && centre.is_finite() {
            let bounds =
                measure(game, centre, &workspace.agent, &workspace.opponent, &mut workspace.per_column);
            let gap = bounds.upper - bounds.lower;
            if gap <= workspace.accuracy(game, centre) {
                out.values[number] = centre + 0.5 * (bounds.lower + bounds.upper);
                out.agents[number * self.cols..][..self.cols].copy_from_slice(&workspace.agent);
                out.opponents[number * self.rows..][..self.rows].copy_from_slice(&workspace.opponent);
                out.largest_gap = out.largest_gap.max(gap);
                return;
            }
        }
        self.solve_singly(number, game, workspace, out);
    }
}

//! Many games of one shape in one call.

use pulp::{Arch, Simd, WithSimd};

use super::lanes::{LARGEST_SIDE, LaneState, MOST_LANES};
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

/// A batch, its scratch space and where its results go: what is run with the machine's widest vectors.
struct Run<'a, 'w> {
    batch: Batch<'a>,
    workspace: &'w mut Workspace,
    out: &'w mut BatchEquilibria,
}

impl WithSimd for Run<'_, '_> {
    type Output = Result<(), Refusal>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let Self { batch, workspace, out } = self;
        // One more than there are columns, for the right-hand sides.
        match batch.cols {
            ..=4 => batch.solve_in_lanes::<S, 5>(simd, workspace, out),
            5..=8 => batch.solve_in_lanes::<S, 9>(simd, workspace, out),
            _ => batch.solve_in_lanes::<S, { LARGEST_SIDE + 1 }>(simd, workspace, out),
        }
    }
}

impl<'a> Batch<'a> {
    fn solve(self, workspace: &mut Workspace, out: &mut BatchEquilibria) -> Result<(), Refusal> {
        let in_lanes = (2..=LARGEST_SIDE).contains(&self.rows) && (2..=LARGEST_SIDE).contains(&self.cols);
        if in_lanes {
            return Arch::new().dispatch(Run { batch: self, workspace, out });
        }
        for number in 0..out.values.len() {
            let game = self.game(number).map_err(|error| (number, error))?;
            self.solve_singly(number, game, workspace, out);
        }
        Ok(())
    }

    #[inline(always)]
    fn solve_in_lanes<S: Simd, const STRIDE: usize>(
        self,
        simd: S,
        workspace: &mut Workspace,
        out: &mut BatchEquilibria,
    ) -> Result<(), Refusal> {
        let n_games = out.values.len();
        let mut lanes = std::mem::take(&mut workspace.lanes);
        lanes.reset::<S, STRIDE>(self.rows, self.cols);
        workspace.agent.resize(self.cols, 0.0);
        workspace.opponent.resize(self.rows, 0.0);
        // What each lane works on.
        let mut at_work: [Option<(usize, PayoffMatrix<'a>)>; MOST_LANES] = [None; MOST_LANES];
        let (mut next, mut busy) = (0, 0);
        let mut refused = None;
        loop {
            // Games with a saddle point never enter a lane.
            while next < n_games && busy < S::F64_LANES && refused.is_none() {
                match self.game(next) {
                    Err(error) => refused = Some((next, error)),
                    // Too narrow for a finite scale.
                    Ok(game) if game.span() < 1e-290 => self.solve_singly(next, game, workspace, out),
                    Ok(game) => {
                        let pure = pure_bounds(game, &mut workspace.per_column);
                        if pure.lower == pure.upper {
                            out.values[next] = pure.lower;
                            out.agents[next * self.cols..][..self.cols].fill(0.0);
                            out.agents[next * self.cols + pure.col] = 1.0;
                            out.opponents[next * self.rows..][..self.rows].fill(0.0);
                            out.opponents[next * self.rows + pure.row] = 1.0;
                        } else if let Some(lane) = at_work.iter().position(Option::is_none) {
                            lanes.load::<S, STRIDE>(lane, game.payoff, game.low, game.high, pure.col);
                            at_work[lane] = Some((next, game));
                            busy += 1;
                        }
                    }
                }
                next += 1;
            }
            if busy == 0 {
                break;
            }
            for (lane, state) in lanes.step::<S, STRIDE>(simd).into_iter().enumerate() {
                if state != LaneState::Pivoted
                    && let Some((number, game)) = at_work[lane].take()
                {
                    lanes.policies::<S, STRIDE>(lane, &mut workspace.agent, &mut workspace.opponent);
                    self.finish(number, game, state, workspace, out);
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

    /// Checks a lane's policies, left in the workspace, on the payoffs; what rounding has spoilt is solved again by
    /// itself.
    #[inline(always)]
    fn finish(
        self,
        number: usize,
        game: PayoffMatrix<'_>,
        state: LaneState,
        workspace: &mut Workspace,
        out: &mut BatchEquilibria,
    ) {
        let total: f64 = workspace.agent.iter().sum();
        let sound = normalise(&mut workspace.agent) & normalise(&mut workspace.opponent);
        let centre = game.high - (1.0 / total - 1.0).clamp(0.0, 1.0) * game.span();
        if state == LaneState::Optimal && sound && centre.is_finite() {
            let bounds =
                measure(game, centre, &workspace.agent, &workspace.opponent, &mut workspace.per_column);
            let gap = bounds.upper - bounds.lower;
            if gap <= bounds.rounding(centre) {
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

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// One lane is what a machine without vectors has.
    #[test]
    fn bits_do_not_depend_on_the_number_of_lanes() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for (rows, cols) in [(8, 8), (3, 4), (9, 5), (16, 16), (2, 11)] {
            let payoffs: Vec<f64> =
                (0..60 * rows * cols).map(|_| f64::from(rng.random_range(-20..20_i32)) / 7.0).collect();
            let mut wide = BatchEquilibria::default();
            solve_batch(rows, cols, &payoffs, &mut Workspace::default(), &mut wide).unwrap();
            let mut narrow = wide.clone();
            narrow.values.fill(f64::NAN);
            narrow.agents.fill(f64::NAN);
            narrow.opponents.fill(f64::NAN);
            narrow.largest_gap = 0.0;
            let run = Run {
                batch: Batch { rows, cols, payoffs: &payoffs },
                workspace: &mut Workspace::default(),
                out: &mut narrow,
            };
            pulp::Scalar::new().vectorize(run).unwrap();
            assert_eq!(wide, narrow, "{rows} x {cols}");
        }
    }
}

//! Many games of one shape in one call.

use super::{MatrixError, PayoffMatrix, Workspace, solve};

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
    out.values.reserve(games.len());
    out.agents.reserve(games.len() * cols);
    out.opponents.reserve(games.len() * rows);
    for payoff in games {
        let solution = solve(PayoffMatrix::new(rows, cols, payoff)?, workspace);
        out.values.push(solution.value);
        out.agents.extend_from_slice(solution.agent);
        out.opponents.extend_from_slice(solution.opponent);
        out.largest_gap = out.largest_gap.max(solution.gap);
    }
    Ok(())
}

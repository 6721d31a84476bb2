//! Growing as the paper prints it: by the most probable action of the opponent's, and then of the agent's, program.
//!
//! Differs from the paper: each player's policy is taken from the *other* player's program. The column game is solved
//! to choose the opponent's next action, but its dual is the agent's best policy on its subset, safe against *all*
//! rows; and the other way round. With ties the printed rule can end on policies that lose (`[[1, 1], [-1, 1]]` from
//! its second column loses 2); these cannot, and at any time they bracket the value.

use super::{Ending, Entries, IncrementalSettings, IncrementalStatus, IncrementalWorkspace, scatter};
use crate::matrix::{self, MatrixError, PayoffMatrix};

impl IncrementalWorkspace {
    pub(super) fn grow_as_printed<F: FnMut(usize, usize) -> f64>(
        &mut self,
        rows: usize,
        cols: usize,
        mut entries: Entries<F>,
        settings: &IncrementalSettings,
    ) -> Result<Ending, MatrixError> {
        let mut rounds = 0;
        let Self { matrix, sub, agent_set, opponent_set, agent, opponent, known, .. } = self;
        let (status, lower, upper) = loop {
            // The agent's subset against all rows: the opponent looks for a new action, the agent learns what it is
            // sure of.
            sub.clear();
            for i in 0..rows {
                for &j in agent_set.iter() {
                    sub.push(entries.at(known, i, j as usize)?);
                }
            }
            let solution = matrix::solve(PayoffMatrix::new(rows, agent_set.len(), sub)?, matrix);
            let lower = solution.value - 0.5 * solution.gap;
            scatter(agent, agent_set, solution.agent);
            let opponent_grew = grow(opponent_set, solution.opponent);
            // The opponent's subset against all columns.
            sub.clear();
            for &i in opponent_set.iter() {
                for j in 0..cols {
                    sub.push(entries.at(known, i as usize, j)?);
                }
            }
            let solution = matrix::solve(PayoffMatrix::new(opponent_set.len(), cols, sub)?, matrix);
            let upper = solution.value + 0.5 * solution.gap;
            scatter(opponent, opponent_set, solution.opponent);
            rounds += 1;
            if upper - lower <= settings.tolerance * entries.span() {
                break (IncrementalStatus::Solved, lower, upper);
            }
            if rounds == settings.max_rounds {
                break (IncrementalStatus::RoundLimit, lower, upper);
            }
            let agent_grew = grow(agent_set, solution.agent);
            if !opponent_grew && !agent_grew {
                break (IncrementalStatus::Solved, lower, upper);
            }
        };
        Ok(Ending { lower, upper, entries_used: entries.used, rounds, status })
    }
}

/// Adds the most probable action that is not yet in the subset; false if none has probability.
fn grow(set: &mut Vec<u32>, policy: &[f64]) -> bool {
    let mut best = None;
    let mut most = 0.0;
    for (action, &p) in policy.iter().enumerate() {
        if p > most && !set.contains(&(action as u32)) {
            (best, most) = (Some(action as u32), p);
        }
    }
    set.extend(best);
    best.is_some()
}

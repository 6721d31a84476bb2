//! The linear program that takes the place of least squares where that diverges.
//!
//! Reference: \[Wampler2010\], appendix A, after Treuille et al. (2007): the least value function, on average over the
//! samples, that is nowhere below its own one-step look ahead. With the policies held:
//! `min Σ Φ w  subject to  (Φ - γ P Φ) w ≥ r`.
//!
//! Differs from the paper: weights are bounded by twice the largest value there can be. Samples are finite, and without
//! bounds the program falls for ever along functions that no sample holds up.

use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOutcome};

use super::shards::{Shard, ShardedSystem};
use crate::basis::Basis;

/// More unknowns would take a general solver longer than anyone waits.
const LARGEST_PROGRAM: usize = 1500;

/// The weights, or none where there are too many, or where the program has no finite solution.
pub(super) fn solve(
    system: &ShardedSystem<'_>,
    basis: &Basis,
    shards: &[Shard],
    largest_value: f64,
) -> Option<Vec<f64>> {
    let n = basis.len();
    if n > LARGEST_PROGRAM || !shards.iter().all(|shard| shard.owned) {
        return None;
    }
    let mut cost = vec![0.0; n];
    let mut row = Default::default();
    for state in shards.iter().flat_map(Shard::states) {
        basis.evaluate(state, &mut row);
        row.iter().for_each(|(index, value)| cost[index as usize] += value);
    }
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let variables: Vec<_> =
        cost.iter().map(|&c| problem.add_var(c, (-2.0 * largest_value, 2.0 * largest_value))).collect();
    system.for_each_row(|entries, reward| {
        let terms: Vec<_> =
            entries.iter().map(|&(index, value)| (variables[index as usize], value)).collect();
        problem.add_constraint(terms, ComparisonOp::Ge, reward);
    });
    match problem.solve() {
        Ok(SolveOutcome::Solution(solution)) => {
            let weights: Vec<f64> = variables.iter().map(|&v| solution.var_value(v)).collect();
            weights.iter().all(|w| w.is_finite()).then_some(weights)
        }
        Ok(SolveOutcome::Interrupted(_)) | Err(_) => None,
    }
}

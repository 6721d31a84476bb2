//! Samples in fixed shards: policies at them, and the products of the sample matrix with vectors.

use std::sync::Mutex;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::{Host, LspiError};
use crate::basis::{Basis, Preconditioner, SparseRow, ValueFunction};
use crate::game::{ActionPair, MarkovGame, lookahead, sample_state};
use crate::incremental::{IncrementalSettings, IncrementalWorkspace, Start, solve_incrementally};
use crate::lsqr::LinearOperator;

/// How shards are divided over processes, and how what was computed of them is shared.
///
/// Called by one thread of each process, in the same order everywhere.
pub trait Exchange: Sync {
    /// Whether this process computes a shard; exactly one process does.
    fn owns(&self, shard: usize, n_shards: usize) -> bool;

    /// Completes `parts`, one per shard: each process has filled those it owns and leaves with all of them.
    fn share(&self, parts: &mut [&mut [f64]]);
}

/// All shards in this process.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneProcess;

impl Exchange for OneProcess {
    fn owns(&self, _shard: usize, _n_shards: usize) -> bool {
        true
    }

    fn share(&self, _parts: &mut [&mut [f64]]) {}
}

/// Never more shards than this: the transposed product keeps one vector for each.
const MOST_SHARDS: usize = 64;
/// Shards smaller than this are not worth a thread.
const SMALLEST_SHARD: usize = 512;

/// Some of the samples, and the policies there.
pub(super) struct Shard {
    pub(super) owned: bool,
    /// The first sample's number.
    start: usize,
    n_axes: usize,
    states: Vec<f64>,
    pub(super) policies: Policies,
    /// What the game at each sample was worth when the policies were solved.
    backed_up: Vec<f64>,
}

/// Draws all samples. How many shards there are depends on their number alone.
pub(super) fn sample(
    game: &dyn MarkovGame,
    n_samples: usize,
    seed: u64,
    exchange: &dyn Exchange,
) -> Vec<Shard> {
    let n_shards = (n_samples / SMALLEST_SHARD).clamp(1, MOST_SHARDS);
    let n_axes = game.axes().len();
    (0..n_shards)
        .map(|number| {
            let (start, end) = (number * n_samples / n_shards, (number + 1) * n_samples / n_shards);
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(number as u64);
            let mut states = Vec::with_capacity((end - start) * n_axes);
            let mut state = Vec::new();
            for _ in start..end {
                sample_state(game, &mut rng, &mut state);
                states.extend_from_slice(&state);
            }
            let policies = Policies { ends: vec![(0, 0); end - start], ..Default::default() };
            Shard {
                owned: exchange.owns(number, n_shards),
                start,
                n_axes,
                states,
                policies,
                backed_up: Vec::new(),
            }
        })
        .collect()
}

/// Both players' supports and probabilities at every sample of a shard, packed.
#[derive(Clone, Debug, Default)]
pub(super) struct Policies {
    /// The agent's actions and then the opponent's, sample after sample.
    actions: Vec<u32>,
    probabilities: Vec<f64>,
    /// Where the agent's and the opponent's actions of each sample end.
    ends: Vec<(u32, u32)>,
}

impl Policies {
    /// Actions and probabilities of the agent and of the opponent at a sample.
    fn at(&self, sample: usize) -> [(&[u32], &[f64]); 2] {
        let start = if sample == 0 { 0 } else { self.ends[sample - 1].1 as usize };
        let (middle, end) = (self.ends[sample].0 as usize, self.ends[sample].1 as usize);
        [start..middle, middle..end].map(|range| (&self.actions[range.clone()], &self.probabilities[range]))
    }

    fn push(&mut self, agent: &[f64], opponent: &[f64]) {
        let mut ends = [0; 2];
        for (end, policy) in ends.iter_mut().zip([agent, opponent]) {
            for (action, &p) in policy.iter().enumerate().filter(|(_, p)| **p > 0.0) {
                self.actions.push(action as u32);
                self.probabilities.push(p);
            }
            *end = self.actions.len() as u32;
        }
        self.ends.push((ends[0], ends[1]));
    }

    /// The supports alone, as words: per sample how many of each, then the actions.
    pub(super) fn supports(&self) -> Vec<u32> {
        let mut words = Vec::with_capacity(self.actions.len() + 2 * self.ends.len());
        for sample in 0..self.ends.len() {
            let [(agent, _), (opponent, _)] = self.at(sample);
            words.extend([agent.len() as u32, opponent.len() as u32]);
            words.extend_from_slice(agent);
            words.extend_from_slice(opponent);
        }
        words
    }

    /// Supports come back with probability zero: they only warm-start the next policies.
    pub(super) fn from_supports(words: &[u32], n_samples: usize) -> Option<Self> {
        let mut policies = Self::default();
        let mut rest = words;
        while let [agent, opponent, tail @ ..] = rest {
            let (agent, both) = (*agent as usize, (*agent as usize).checked_add(*opponent as usize)?);
            policies.actions.extend_from_slice(tail.get(..both)?);
            let end = policies.actions.len();
            policies.ends.push(((end - both + agent) as u32, end as u32));
            rest = &tail[both..];
        }
        policies.probabilities.resize(policies.actions.len(), 0.0);
        (rest.is_empty() && policies.ends.len() == n_samples).then_some(policies)
    }
}

impl Shard {
    pub(super) fn len(&self) -> usize {
        self.states.len() / self.n_axes
    }

    /// The sampled states.
    pub(super) fn states(&self) -> impl Iterator<Item = &[f64]> {
        self.states.chunks_exact(self.n_axes)
    }

    /// Takes the values at the samples from a function, in the place of what backing up gives.
    pub(super) fn set_values(&mut self, function: &(dyn Fn(&[f64]) -> f64 + Sync)) {
        self.backed_up = self.states().map(function).collect();
    }

    /// Solves both policies at every sample, warm-started with the supports of the last sweep.
    pub(super) fn solve_policies(
        &mut self,
        game: &dyn MarkovGame,
        value: &ValueFunction,
    ) -> Result<(), LspiError> {
        // An entry costs a look ahead; beyond 3×3 even two small programs are cheaper than the rest of the matrix.
        let settings = IncrementalSettings { whole_up_to: 9, ..Default::default() };
        let mut workspace = IncrementalWorkspace::default();
        let mut scratch = SparseRow::default();
        let mut solved = Policies::default();
        self.backed_up.clear();
        for (sample, state) in self.states.chunks_exact(self.n_axes).enumerate() {
            let counts = game.action_counts(state);
            let [(agent, _), (opponent, _)] = self.policies.at(sample);
            let entry = |row, col| {
                lookahead(game, state, ActionPair::at(row, col), &mut |next| {
                    value.value_with(next, &mut scratch)
                })
            };
            let start = Start { agent, opponent };
            let solution =
                solve_incrementally(counts.opponent, counts.agent, start, &settings, &mut workspace, entry)
                    .map_err(|source| LspiError::Matrix { state: state.to_vec(), source })?;
            solved.push(solution.agent, solution.opponent);
            self.backed_up.push(solution.value());
        }
        self.policies = solved;
        Ok(())
    }

    /// Calls `visit` with the entries of one row of `Φ - γ P Φ`, an index possibly several times; returns the reward.
    fn visit_row(
        &self,
        game: &dyn MarkovGame,
        basis: &Basis,
        matrix: Matrix,
        sample: usize,
        row: &mut SparseRow,
        visit: &mut dyn FnMut(&SparseRow, f64),
    ) -> f64 {
        let state = &self.states[sample * self.n_axes..][..self.n_axes];
        basis.evaluate(state, row);
        visit(row, 1.0);
        if matrix == Matrix::Values {
            return 0.0;
        }
        let mut reward = 0.0;
        let [(agent, agent_p), (opponent, opponent_p)] = self.policies.at(sample);
        for (&o, &p) in opponent.iter().zip(opponent_p) {
            for (&a, &q) in agent.iter().zip(agent_p) {
                let pair = ActionPair::at(o as usize, a as usize);
                reward += p
                    * q
                    * game.play(state, pair, &mut |probability, next| {
                        basis.evaluate(next, row);
                        visit(row, -game.discount() * p * q * probability);
                    });
            }
        }
        reward
    }
}

/// Which matrix a [`ShardedSystem`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matrix {
    /// `Φ - γ P Φ` with the policies held: Bellman errors.
    Bellman,
    /// `Φ` alone: values.
    Values,
}

/// Compressed rows of one shard, each index once, by rising index.
struct Rows {
    indices: Vec<u32>,
    values: Vec<f64>,
    ends: Vec<usize>,
}

impl Rows {
    fn entries(&self, sample: usize) -> (&[u32], &[f64]) {
        let start = if sample == 0 { 0 } else { self.ends[sample - 1] };
        (&self.indices[start..self.ends[sample]], &self.values[start..self.ends[sample]])
    }
}

/// What stays the same from system to system.
#[derive(Clone, Copy)]
pub(super) struct Setup<'a> {
    pub(super) game: &'a dyn MarkovGame,
    pub(super) basis: &'a Basis,
    pub(super) preconditioner: &'a Preconditioner,
    pub(super) host: Host<'a>,
    pub(super) cache_bytes: usize,
}

/// The system `r = (Φ - γ P Φ) w` with the policies held, or `v = Φ w`, in preconditioned unknowns; see [`Preconditioner`].
pub(super) struct ShardedSystem<'a> {
    game: &'a dyn MarkovGame,
    basis: &'a Basis,
    shards: &'a [Shard],
    host: Host<'a>,
    n_samples: usize,
    matrix: Matrix,
    /// Kept rows of the owned shards, or none if they are made anew for every product.
    rows: Option<Vec<Option<Rows>>>,
    /// Rewards under the policies, or the values backed up with them.
    pub(super) targets: Vec<f64>,
    preconditioner: &'a Preconditioner,
    /// One vector per shard for the transposed product.
    partial: Mutex<Vec<f64>>,
}

impl<'a> ShardedSystem<'a> {
    pub(super) fn new(setup: Setup<'a>, shards: &'a [Shard], n_samples: usize, matrix: Matrix) -> Self {
        let Setup { game, basis, preconditioner, host, cache_bytes } = setup;
        let n = basis.len();
        let mut system = Self {
            game,
            basis,
            shards,
            host,
            n_samples,
            matrix,
            rows: None,
            targets: vec![0.0; n_samples],
            preconditioner,
            partial: Mutex::new(vec![0.0; n * shards.len()]),
        };
        if system.estimated_bytes() <= cache_bytes {
            let rows = shards.par_iter().map(|shard| shard.owned.then(|| system.make_rows(shard))).collect();
            system.rows = Some(rows);
        }
        let mut targets = std::mem::take(&mut system.targets);
        system.fill_by_shard(&mut targets, |_, shard, out| match matrix {
            Matrix::Values => out.iter_mut().zip(&shard.backed_up).for_each(|(to, from)| *to = *from),
            Matrix::Bellman => {
                let mut row = SparseRow::default();
                for (sample, reward) in out.iter_mut().enumerate() {
                    *reward = shard.visit_row(game, basis, matrix, sample, &mut row, &mut |_, _| {});
                }
            }
        });
        system.targets = targets;
        system
    }

    /// Bytes of the cached rows in this process.
    pub(super) fn cached_bytes(&self) -> usize {
        let rows = self.rows.iter().flatten().flatten();
        rows.map(|rows| rows.indices.len() * 12 + rows.ends.len() * 8).sum()
    }

    /// What caching would take, from the first sample of each shard.
    fn estimated_bytes(&self) -> usize {
        let mut row = SparseRow::default();
        let mut total = 0;
        for shard in self.shards.iter().filter(|shard| shard.owned) {
            let (mut probed, mut entries) = (0, 0);
            for sample in (0..shard.len()).step_by(shard.len().div_ceil(8)) {
                shard.visit_row(self.game, self.basis, self.matrix, sample, &mut row, &mut |row, _| {
                    entries += row.len()
                });
                probed += 1;
            }
            total += 12 * entries / probed.max(1) * shard.len();
        }
        total
    }

    fn make_rows(&self, shard: &Shard) -> Rows {
        let mut rows =
            Rows { indices: Vec::new(), values: Vec::new(), ends: Vec::with_capacity(shard.len()) };
        let mut dense = vec![0.0; self.basis.len()];
        let mut touched = vec![false; self.basis.len()];
        let mut order = Vec::new();
        let mut row = SparseRow::default();
        for sample in 0..shard.len() {
            order.clear();
            shard.visit_row(self.game, self.basis, self.matrix, sample, &mut row, &mut |row, factor| {
                for (index, value) in row.iter() {
                    let k = index as usize;
                    if !touched[k] {
                        touched[k] = true;
                        order.push(index);
                    }
                    dense[k] += factor * value;
                }
            });
            order.sort_unstable();
            for &index in &order {
                rows.indices.push(index);
                rows.values.push(dense[index as usize]);
                dense[index as usize] = 0.0;
                touched[index as usize] = false;
            }
            rows.ends.push(rows.indices.len());
        }
        rows
    }

    /// Calls `visit(sample, indices, values)` for every row of a shard; a row may come in several pieces.
    fn visit_rows(&self, at: usize, shard: &Shard, mut visit: impl FnMut(usize, &[u32], &[f64])) {
        if let Some(rows) = self.rows.as_ref().and_then(|rows| rows[at].as_ref()) {
            for sample in 0..shard.len() {
                let (indices, values) = rows.entries(sample);
                visit(sample, indices, values);
            }
            return;
        }
        let mut row = SparseRow::default();
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for sample in 0..shard.len() {
            indices.clear();
            values.clear();
            shard.visit_row(self.game, self.basis, self.matrix, sample, &mut row, &mut |row, factor| {
                for (index, value) in row.iter() {
                    indices.push(index);
                    values.push(factor * value);
                }
            });
            visit(sample, &indices, &values);
        }
    }

    /// Every row with its reward, in order; for the linear program. Only where all shards are owned.
    pub(super) fn for_each_row(&self, mut visit: impl FnMut(&[(u32, f64)], f64)) {
        let mut merged: Vec<(u32, f64)> = Vec::new();
        for (at, shard) in self.shards.iter().enumerate() {
            self.visit_rows(at, shard, |sample, indices, values| {
                merged.clear();
                merged.extend(indices.iter().copied().zip(values.iter().copied()));
                merged.sort_by_key(|&(index, _)| index);
                merged.dedup_by(|next, kept| {
                    let same = next.0 == kept.0;
                    kept.1 += if same { next.1 } else { 0.0 };
                    same
                });
                visit(&merged, self.targets[shard.start + sample]);
            });
        }
    }

    /// Root mean square of `r - A w`.
    pub(super) fn residual(&self, weights: &[f64]) -> f64 {
        let mut fitted = vec![0.0; self.n_samples];
        self.multiply(weights, &mut fitted);
        let total: f64 = fitted.iter().zip(&self.targets).map(|(f, r)| (r - f) * (r - f)).sum();
        (total / self.n_samples as f64).sqrt()
    }

    /// `out = (Φ - γ P Φ) weights`.
    pub(super) fn multiply(&self, weights: &[f64], out: &mut [f64]) {
        self.fill_by_shard(out, |at, shard, out| {
            self.visit_rows(at, shard, |sample, indices, values| {
                out[sample] = dot(indices, values, weights);
            });
        });
    }

    /// Fills a vector over samples shard by shard, in parallel, and shares it.
    fn fill_by_shard(&self, out: &mut [f64], fill: impl Fn(usize, &Shard, &mut [f64]) + Sync) {
        let mut parts = split(out, self.shards.iter().map(Shard::len));
        let work = parts.par_iter_mut().zip(self.shards).enumerate();
        let work = work.filter(|(_, (_, shard))| shard.owned && !self.is_abandoned());
        work.for_each(|(at, (part, shard))| fill(at, shard, part));
        self.host.exchange.share(&mut parts);
    }

    /// Adds up one vector over basis functions per shard, in shard order.
    fn sum_over_shards(&self, out: &mut [f64], fill: impl Fn(usize, &Shard, &mut [f64]) + Sync) {
        let n = out.len();
        let mut partial = self.partial.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut parts = split(&mut partial, self.shards.iter().map(|_| n));
        let work = parts.par_iter_mut().zip(self.shards).enumerate();
        let work = work.filter(|(_, (_, shard))| shard.owned && !self.is_abandoned());
        work.for_each(|(at, (part, shard))| {
            part.fill(0.0);
            fill(at, shard, part);
        });
        self.host.exchange.share(&mut parts);
        out.par_chunks_mut(4096).enumerate().for_each(|(chunk, out)| {
            out.fill(0.0);
            for part in &parts {
                out.iter_mut().zip(&part[chunk * 4096..]).for_each(|(sum, x)| *sum += x);
            }
        });
    }
}

impl LinearOperator for ShardedSystem<'_> {
    fn n_rows(&self) -> usize {
        self.n_samples
    }

    fn n_cols(&self) -> usize {
        self.basis.len()
    }

    fn is_abandoned(&self) -> bool {
        (self.host.stop)()
    }

    fn apply(&self, x: &[f64], out: &mut [f64]) {
        let mut weights = x.to_vec();
        self.preconditioner.unknowns_to_weights(&mut weights);
        self.multiply(&weights, out);
    }

    fn apply_transposed(&self, y: &[f64], out: &mut [f64]) {
        self.sum_over_shards(out, |at, shard, out| {
            self.visit_rows(at, shard, |sample, indices, values| {
                let factor = y[shard.start + sample];
                indices.iter().zip(values).for_each(|(&k, &v)| out[k as usize] += factor * v);
            });
        });
        self.preconditioner.unknowns_to_weights_transposed(out);
    }
}

/// Four running sums, always combined alike.
fn dot(indices: &[u32], values: &[f64], vector: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let ((index4, index_rest), (value4, value_rest)) = (indices.as_chunks::<4>(), values.as_chunks::<4>());
    for (k, v) in index4.iter().zip(value4) {
        for ((sum, &k), &v) in sums.iter_mut().zip(k).zip(v) {
            *sum += v * vector[k as usize];
        }
    }
    for (lane, (&k, &v)) in index_rest.iter().zip(value_rest).enumerate() {
        sums[lane] += v * vector[k as usize];
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

fn split(mut rest: &mut [f64], lengths: impl Iterator<Item = usize>) -> Vec<&mut [f64]> {
    let mut parts = Vec::new();
    for length in lengths {
        let (part, tail) = rest.split_at_mut(length);
        parts.push(part);
        rest = tail;
    }
    parts
}

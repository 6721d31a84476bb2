//! The condensed simplex tableau of a matrix game, in plain `f64`.
//!
//! After a shift and a scale every payoff lies in [1, 2], so the value is positive and the game is the pair of
//! programs `max Σu, P u ≤ 1` and its dual. One tableau row per action of the *row side*, one column per action of
//! the *column side*, one more row for the reduced costs; the right-hand side is kept apart. The column side is the
//! minimiser of `P`.
//!
//! Pricing is Devex: Forrest and Goldfarb, "Steepest-edge simplex algorithms for linear programming", 1992. When
//! pivots stop making progress the rule changes to Bland's until they do, so degenerate games end.

use std::array;

/// Four numbers, one vector register.
type Lane = [f64; 4];

/// Which player's actions index the tableau's columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnSide {
    /// Columns are the opponent's actions: `P = (R - low) / span + 1`, transposed.
    Opponent,
    /// Columns are the agent's actions: `P = (high - R) / span + 1`.
    Agent,
}

/// How a run of pivots ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Optimal,
    /// The pivot budget ran out, or no acceptable pivot was left: rounding has won.
    Stuck,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tableau {
    /// `(n_rows + 1) × stride`, row-major; row `n_rows` holds the reduced costs. Columns past `n_cols` stay zero.
    cells: Vec<f64>,
    stride: usize,
    n_rows: usize,
    n_cols: usize,
    /// Right-hand sides, one per row, padded with zeros to a multiple of four.
    rhs: Vec<f64>,
    /// Scratch: the pivot column as it was before the pivot, padded alike.
    column: Vec<f64>,
    /// Scratch: what the pricing or the ratio test compares.
    scores: Vec<f64>,
    /// Scratch: the scaled pivot row.
    pivot_row: Vec<f64>,
    /// Devex reference weights, one per column.
    weights: Vec<f64>,
    /// What is basic in each row: below `n_cols` a column action, otherwise `n_cols` + a row action (its slack).
    basic: Vec<u32>,
    /// What is non-basic in each column, numbered alike.
    nonbasic: Vec<u32>,
    pub(super) pivots: u32,
}

/// A reduced cost above minus this is not worth a pivot; payoffs are scaled to [1, 2].
const PRICE_TOLERANCE: f64 = 1e-12;
/// Pivots smaller than this are rounding noise.
const PIVOT_TOLERANCE: f64 = 1e-10;
/// So many pivots without progress, and Bland's rule takes over.
const STALL_LIMIT: u32 = 24;

impl Tableau {
    /// Loads a game; `payoff` is row-major with `cols` columns.
    #[inline(always)]
    pub(super) fn load(
        &mut self,
        rows: usize,
        cols: usize,
        payoff: &[f64],
        low: f64,
        high: f64,
        side: ColumnSide,
    ) {
        let (n_rows, n_cols) = match side {
            ColumnSide::Opponent => (cols, rows),
            ColumnSide::Agent => (rows, cols),
        };
        let stride = n_cols.next_multiple_of(4);
        let height = n_rows.next_multiple_of(4);
        self.n_rows = n_rows;
        self.n_cols = n_cols;
        self.stride = stride;
        self.pivots = 0;
        reset(&mut self.cells, (n_rows + 1) * stride, 0.0);
        reset(&mut self.rhs, height, 0.0);
        reset(&mut self.column, height + 4, 0.0);
        reset(&mut self.scores, height.max(stride), 0.0);
        reset(&mut self.pivot_row, stride, 0.0);
        reset(&mut self.weights, stride, 1.0);
        self.basic.clear();
        self.basic.extend((n_cols as u32)..(n_cols + n_rows) as u32);
        self.nonbasic.clear();
        self.nonbasic.extend(0..n_cols as u32);
        // A span below the normal range has no finite reciprocal; a power of two on both sides changes no bit.
        let boost = if high - low < 1e-290 { 2f64.powi(600) } else { 1.0 };
        let scale = 1.0 / ((high - low) * boost);
        match side {
            ColumnSide::Agent => {
                for (line, source) in self.cells.chunks_exact_mut(stride).zip(payoff.chunks_exact(cols)) {
                    for (cell, &r) in line.iter_mut().zip(source) {
                        *cell = (high - r) * boost * scale + 1.0;
                    }
                }
            }
            ColumnSide::Opponent => {
                for (i, source) in payoff.chunks_exact(cols).enumerate() {
                    for (line, &r) in self.cells.chunks_exact_mut(stride).zip(source) {
                        line[i] = (r - low) * boost * scale + 1.0;
                    }
                }
            }
        }
        self.rhs[..n_rows].fill(1.0);
        self.cells[n_rows * stride..n_rows * stride + n_cols].fill(-1.0);
    }

    /// Pivots until optimal, starting with column `first`.
    ///
    /// Small strides are compile-time constants, so that a row is a handful of vector registers.
    #[inline(always)]
    pub(super) fn solve(&mut self, first: usize) -> Ending {
        match self.stride {
            4 => self.run::<4>(first),
            8 => self.run::<8>(first),
            12 => self.run::<12>(first),
            20 => self.run::<20>(first),
            _ => self.run::<0>(first),
        }
    }

    #[inline(always)]
    fn run<const STRIDE: usize>(&mut self, first: usize) -> Ending {
        let stride = if STRIDE == 0 { self.stride } else { STRIDE };
        let budget = 40 * (self.n_rows + self.n_cols) as u32 + 200;
        let mut entering = Some(first);
        let mut stalled = 0;
        while let Some(c) = entering {
            let bland = stalled > STALL_LIMIT;
            let Some(r) = self.ratio_test(stride, c, bland) else {
                return Ending::Stuck;
            };
            if self.pivots == budget {
                return Ending::Stuck;
            }
            stalled = if self.rhs[r] > 1e-14 { 0 } else { stalled + 1 };
            self.pivot(stride, r, c);
            entering =
                if stalled > STALL_LIMIT { self.price_bland(stride) } else { self.price_devex(stride) };
        }
        Ending::Optimal
    }

    /// The column with the largest cost² / weight.
    #[inline(always)]
    fn price_devex(&mut self, stride: usize) -> Option<usize> {
        let costs = lanes(&self.cells[self.n_rows * stride..][..stride]);
        let scores = lanes_mut(&mut self.scores[..stride]);
        let mut best: Lane = [0.0; 4];
        for ((score, cost), weight) in scores.iter_mut().zip(costs).zip(lanes(&self.weights[..stride])) {
            let able: Lane = array::from_fn(|k| if cost[k] < -PRICE_TOLERANCE { cost[k] } else { 0.0 });
            let new: Lane = array::from_fn(|k| able[k] * able[k] / weight[k]);
            best = array::from_fn(|k| if new[k] > best[k] { new[k] } else { best[k] });
            *score = new;
        }
        let best = best[0].max(best[1]).max(best[2].max(best[3]));
        if best > 0.0 { self.scores[..stride].iter().position(|&s| s == best) } else { None }
    }

    #[cold]
    fn price_bland(&self, stride: usize) -> Option<usize> {
        let costs = &self.cells[self.n_rows * stride..][..self.n_cols];
        let candidates = costs.iter().zip(&self.nonbasic).enumerate();
        candidates
            .filter(|(_, (cost, _))| **cost < -PRICE_TOLERANCE)
            .min_by_key(|(_, (_, id))| **id)
            .map(|(c, _)| c)
    }

    /// The leaving row: least ratio; of equals the largest pivot, or by Bland's rule the first variable. Copies the
    /// pivot column aside on the way.
    #[inline(always)]
    fn ratio_test(&mut self, stride: usize, c: usize, bland: bool) -> Option<usize> {
        let n_rows = self.n_rows;
        for (entry, line) in self.column[..n_rows].iter_mut().zip(self.cells.chunks_exact(stride)) {
            *entry = line[c];
        }
        let height = self.rhs.len();
        let mut least: Lane = [f64::INFINITY; 4];
        let ratios = lanes_mut(&mut self.scores[..height]);
        for ((ratio, entry), rhs) in
            ratios.iter_mut().zip(lanes(&self.column[..height])).zip(lanes(&self.rhs))
        {
            let top: Lane = array::from_fn(|k| if rhs[k] > 0.0 { rhs[k] } else { 0.0 });
            let quotient: Lane = array::from_fn(|k| top[k] / entry[k]);
            let new: Lane =
                array::from_fn(|k| if entry[k] > PIVOT_TOLERANCE { quotient[k] } else { f64::INFINITY });
            least = array::from_fn(|k| if new[k] < least[k] { new[k] } else { least[k] });
            *ratio = new;
        }
        let least = least[0].min(least[1]).min(least[2].min(least[3]));
        if least == f64::INFINITY {
            return None;
        }
        let bound = least + 1e-13 * least.max(1e-3);
        let mut best = None;
        let mut largest = 0.0;
        let column = &self.column[..n_rows];
        for (q, &ratio) in self.scores[..n_rows].iter().enumerate() {
            if ratio <= bound {
                let better = match best {
                    Some(b) if bland => self.basic[q] < self.basic[b],
                    _ => column[q] > largest,
                };
                if better {
                    (best, largest) = (Some(q), column[q]);
                }
            }
        }
        best
    }

    #[inline(always)]
    fn pivot(&mut self, stride: usize, r: usize, c: usize) {
        let n_rows = self.n_rows;
        self.column[n_rows] = self.cells[n_rows * stride + c];
        let inverse = 1.0 / self.column[r];
        let source = &mut self.cells[r * stride..][..stride];
        let pivot_row = lanes_mut(&mut self.pivot_row[..stride]);
        for (at, (target, cell)) in pivot_row.iter_mut().zip(lanes(source)).enumerate() {
            *target = array::from_fn(|k| if 4 * at + k == c { 0.0 } else { cell[k] * inverse });
        }
        source.copy_from_slice(pivot_row.as_flattened());
        // The pivot row has just been written: a factor of zero leaves it alone.
        self.column[r] = 0.0;
        subtract_product(&mut self.cells, stride, &self.column[..=n_rows], pivot_row);
        // Written last: a narrow store before the wide load of the same place would stall it.
        for (line, &factor) in self.cells.chunks_exact_mut(stride).zip(&self.column[..=n_rows]) {
            line[c] = -factor * inverse;
        }
        self.cells[r * stride + c] = inverse;
        self.column[n_rows] = 0.0;
        let step = self.rhs[r] * inverse;
        for (rhs, factor) in lanes_mut(&mut self.rhs).iter_mut().zip(lanes(&self.column)) {
            *rhs = array::from_fn(|k| rhs[k] - factor[k] * step);
        }
        self.rhs[r] = step;
        let entering_weight = self.weights[c];
        for (weight, p) in lanes_mut(&mut self.weights[..stride]).iter_mut().zip(pivot_row.iter()) {
            let reference: Lane = array::from_fn(|k| p[k] * p[k] * entering_weight);
            *weight = array::from_fn(|k| if reference[k] > weight[k] { reference[k] } else { weight[k] });
        }
        self.weights[c] = (entering_weight * inverse * inverse).max(1.0);
        std::mem::swap(&mut self.basic[r], &mut self.nonbasic[c]);
        self.pivots += 1;
    }

    /// Writes both sides' unnormalised policies: the primal solution and the dual one.
    pub(super) fn policies(&self, column_side: &mut [f64], row_side: &mut [f64]) {
        column_side.fill(0.0);
        row_side.fill(0.0);
        for (q, &id) in self.basic.iter().enumerate() {
            if (id as usize) < self.n_cols {
                column_side[id as usize] = self.rhs[q].max(0.0);
            }
        }
        let costs = &self.cells[self.n_rows * self.stride..];
        for (c, &id) in self.nonbasic.iter().enumerate() {
            if id as usize >= self.n_cols {
                row_side[id as usize - self.n_cols] = costs[c].max(0.0);
            }
        }
    }

    /// The square kernel of the basis: column actions that are basic, row actions whose slack is not.
    pub(super) fn kernel(&self, column_side: &mut Vec<u32>, row_side: &mut Vec<u32>) {
        let n_cols = self.n_cols as u32;
        column_side.clear();
        column_side.extend(self.basic.iter().filter(|&&id| id < n_cols));
        column_side.sort_unstable();
        row_side.clear();
        row_side.extend(self.nonbasic.iter().filter(|&&id| id >= n_cols).map(|&id| id - n_cols));
        row_side.sort_unstable();
    }
}

/// `cells -= column ⊗ row`, for rows of `stride` numbers: the bulk of all work.
///
/// So many columns at a time that their part of `row` stays in registers.
#[inline(always)]
fn subtract_product(cells: &mut [f64], stride: usize, column: &[f64], row: &[Lane]) {
    if stride <= LARGEST_UNROLLED {
        for (line, &factor) in cells.chunks_exact_mut(stride).zip(column) {
            for (cell, p) in lanes_mut(line).iter_mut().zip(row) {
                *cell = array::from_fn(|k| cell[k] - factor * p[k]);
            }
        }
        return;
    }
    let n_parts = row.len().div_ceil(MOST_LANES).max(1);
    let mut first = 0;
    for part in 0..n_parts {
        let next = (part + 1) * row.len() / n_parts;
        match next - first {
            1 => subtract_part::<1>(cells, stride, column, row, first),
            2 => subtract_part::<2>(cells, stride, column, row, first),
            3 => subtract_part::<3>(cells, stride, column, row, first),
            4 => subtract_part::<4>(cells, stride, column, row, first),
            5 => subtract_part::<5>(cells, stride, column, row, first),
            6 => subtract_part::<6>(cells, stride, column, row, first),
            7 => subtract_part::<7>(cells, stride, column, row, first),
            8 => subtract_part::<8>(cells, stride, column, row, first),
            9 => subtract_part::<9>(cells, stride, column, row, first),
            10 => subtract_part::<10>(cells, stride, column, row, first),
            11 => subtract_part::<11>(cells, stride, column, row, first),
            12 => subtract_part::<12>(cells, stride, column, row, first),
            _ => subtract_part::<MOST_LANES>(cells, stride, column, row, first),
        }
        first = next;
    }
}

/// Rows up to this are in registers as they are.
const LARGEST_UNROLLED: usize = 12;
/// Of the sixteen vector registers, three are needed for other things.
const MOST_LANES: usize = 13;

#[inline(always)]
fn subtract_part<const LANES: usize>(
    cells: &mut [f64],
    stride: usize,
    column: &[f64],
    row: &[Lane],
    first: usize,
) {
    let Some(row) = row.get(first..).and_then(|rest| rest.first_chunk::<LANES>()).copied() else { return };
    for (line, &factor) in cells.chunks_exact_mut(stride).zip(column) {
        let Some(line) = lanes_mut(&mut line[4 * first..]).first_chunk_mut::<LANES>() else { return };
        for (cell, p) in line.iter_mut().zip(&row) {
            *cell = array::from_fn(|k| cell[k] - factor * p[k]);
        }
    }
}

#[inline(always)]
fn reset(vector: &mut Vec<f64>, len: usize, value: f64) {
    vector.clear();
    vector.resize(len, value);
}

#[inline(always)]
fn lanes(slice: &[f64]) -> &[Lane] {
    slice.as_chunks().0
}

#[inline(always)]
fn lanes_mut(slice: &mut [f64]) -> &mut [Lane] {
    slice.as_chunks_mut().0
}

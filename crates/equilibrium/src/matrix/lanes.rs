//! Small games side by side, one per vector lane, pivoting in step.
//!
//! Each lane has a tableau of [`super::tableau`]'s kind with the agent's actions as columns; where lanes want different
//! pivots, rows and columns are picked by masks. A pivot is one rank-one update `T -= c ⊗ p` for all lanes: with `p` the
//! scaled pivot row, its entry in the pivot column set to `1 + 1/pivot`, and `c` the pivot column, its entry in the
//! pivot row set to `pivot - 1`, the update also writes the pivot row and column. Lanes that are done have `c = 0`.
//!
//! There are as many lanes as the machine's vectors hold numbers. A lane never looks at another and nothing is fused,
//! so a game's bits do not depend on how many there are.

use pulp::Simd;

/// No machine has more lanes than this.
pub(super) const MOST_LANES: usize = 8;
/// Larger games fill a vector by themselves.
pub(super) const LARGEST_SIDE: usize = 16;
/// Vectors that do not lie across two lines of the cache are read and written faster.
const CACHE_LINE: usize = 64;
const PRICE_TOLERANCE: f64 = 1e-12;
const PIVOT_TOLERANCE: f64 = 1e-10;

/// Tableaus of one shape, a line of each `STRIDE` vectors long: columns, some of which may be unused and stay zero, and
/// right-hand sides. A constant, so that the loops over a line are written out.
#[derive(Clone, Debug, Default)]
pub(super) struct LaneTableau {
    n_rows: usize,
    n_cols: usize,
    /// `(n_rows + 1) × STRIDE` vectors from `start` on: reduced costs in the last row, right-hand sides in the last
    /// column.
    cells: Vec<f64>,
    start: usize,
    /// The pivot column, vectors too.
    column: Vec<f64>,
    /// Per lane: what is basic in each row and non-basic in each column, numbered as in [`super::tableau`].
    basic: Vec<[u8; MOST_LANES]>,
    nonbasic: Vec<[u8; MOST_LANES]>,
    /// Per lane: the column of its first pivot, -1 after that.
    first: [f64; MOST_LANES],
    pivots: [u32; MOST_LANES],
}

/// What a step did to a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneState {
    Pivoted,
    Optimal,
    /// Too many pivots, or none possible: for the solver of single games.
    Stuck,
}

impl LaneTableau {
    /// Empties all lanes. `STRIDE` must be larger than `n_cols`, and the same until the next reset.
    #[inline(always)]
    pub(super) fn reset<S: Simd, const STRIDE: usize>(&mut self, n_rows: usize, n_cols: usize) {
        (self.n_rows, self.n_cols) = (n_rows, n_cols);
        let len = (n_rows + 1) * STRIDE * S::F64_LANES;
        self.cells.clear();
        self.cells.resize(len + CACHE_LINE / size_of::<f64>(), 0.0);
        // Anything will do where a pointer cannot be aligned.
        self.start = self.cells.as_ptr().align_offset(CACHE_LINE).min(CACHE_LINE / size_of::<f64>());
        self.cells.truncate(self.start + len);
        self.column.clear();
        self.column.resize((n_rows + 1) * S::F64_LANES, 0.0);
        self.basic.clear();
        self.basic.resize(n_rows, [0; MOST_LANES]);
        self.nonbasic.clear();
        self.nonbasic.resize(n_cols, [0; MOST_LANES]);
        self.first = [-1.0; MOST_LANES];
        self.pivots = [0; MOST_LANES];
    }

    /// Puts a game with payoffs from `low` to `high` into a lane, to start with column `first`.
    #[inline(always)]
    pub(super) fn load<S: Simd, const STRIDE: usize>(
        &mut self,
        lane: usize,
        payoff: &[f64],
        low: f64,
        high: f64,
        first: usize,
    ) {
        let (n_rows, n_cols) = (self.n_rows, self.n_cols);
        let scale = 1.0 / (high - low);
        let (lines, costs) = self.cells[self.start..].split_at_mut(n_rows * STRIDE * S::F64_LANES);
        for (line, source) in lines.chunks_exact_mut(STRIDE * S::F64_LANES).zip(payoff.chunks_exact(n_cols)) {
            for (cell, &r) in line.chunks_exact_mut(S::F64_LANES).zip(source) {
                cell[lane] = (high - r) * scale + 1.0;
            }
            line[(STRIDE - 1) * S::F64_LANES + lane] = 1.0;
        }
        for cost in costs.chunks_exact_mut(S::F64_LANES).take(n_cols) {
            cost[lane] = -1.0;
        }
        costs[(STRIDE - 1) * S::F64_LANES + lane] = 0.0;
        for (k, id) in self.basic.iter_mut().enumerate() {
            id[lane] = (n_cols + k) as u8;
        }
        for (k, id) in self.nonbasic.iter_mut().enumerate() {
            id[lane] = k as u8;
        }
        self.first[lane] = first as f64;
        self.pivots[lane] = 0;
    }

    /// One pivot in every lane that needs one.
    #[inline(always)]
    pub(super) fn step<S: Simd, const STRIDE: usize>(&mut self, simd: S) -> [LaneState; MOST_LANES] {
        let n_rows = self.n_rows;
        let last = STRIDE - 1;
        let (lines, _) = S::as_mut_simd_f64s(&mut self.cells[self.start..]).0.as_chunks_mut::<STRIDE>();
        let (lines, column) =
            (&mut lines[..=n_rows], &mut S::as_mut_simd_f64s(&mut self.column).0[..=n_rows]);
        let none = simd.splat_f64s(-1.0);

        // The most negative reduced cost.
        let mut cost = simd.splat_f64s(-PRICE_TOLERANCE);
        let mut entering = none;
        for (c, &now) in lines[n_rows][..last].iter().enumerate() {
            let better = simd.less_than_f64s(now, cost);
            cost = simd.select_f64s(better, now, cost);
            entering = simd.select_f64s(better, simd.splat_f64s(c as f64), entering);
        }
        let first = S::as_simd_f64s(&self.first).0[0];
        entering = simd.select_f64s(simd.greater_than_f64s(first, none), first, entering);

        // Its column; lanes without one take the first, which `active` leaves out below. The least ratio; of equals
        // the larger pivot.
        let mut here = [simd.equal_f64s(entering, none); STRIDE];
        for (c, here) in here.iter_mut().enumerate() {
            *here = simd.equal_f64s(entering, simd.splat_f64s(c as f64));
        }
        let mut ratio = simd.splat_f64s(f64::INFINITY);
        let mut pivot = simd.splat_f64s(0.0);
        let mut leaving = none;
        for q in 0..=n_rows {
            let line = &lines[q];
            let mut entry = line[0];
            for c in 1..last {
                entry = simd.select_f64s(here[c], line[c], entry);
            }
            column[q] = entry;
            if q == n_rows {
                break;
            }
            let now = simd.div_f64s(line[last], entry);
            let able = simd.greater_than_f64s(entry, simd.splat_f64s(PIVOT_TOLERANCE));
            let less = simd.less_than_f64s(now, simd.mul_f64s(ratio, simd.splat_f64s(1.0 - 1e-13)));
            let alike =
                simd.and_m64s(simd.less_than_or_equal_f64s(now, ratio), simd.greater_than_f64s(entry, pivot));
            let better = simd.and_m64s(able, simd.or_m64s(less, alike));
            ratio = simd.select_f64s(better, now, ratio);
            pivot = simd.select_f64s(better, entry, pivot);
            leaving = simd.select_f64s(better, simd.splat_f64s(q as f64), leaving);
        }
        leaving = simd.select_f64s(simd.equal_f64s(entering, none), none, leaving);

        // The pivot row, scaled.
        let active = simd.greater_than_f64s(leaving, none);
        let one = simd.splat_f64s(1.0);
        let inverse = simd.div_f64s(one, simd.select_f64s(active, pivot, one));
        let mut row = lines[0];
        for (q, line) in lines[..n_rows].iter().enumerate().skip(1) {
            let here = simd.equal_f64s(leaving, simd.splat_f64s(q as f64));
            for c in 0..STRIDE {
                row[c] = simd.select_f64s(here, line[c], row[c]);
            }
        }
        for c in 0..STRIDE {
            let own = simd.add_f64s(one, inverse);
            row[c] = simd.select_f64s(here[c], own, simd.mul_f64s(row[c], inverse));
        }

        for (q, (line, &entry)) in lines.iter_mut().zip(column.iter()).enumerate() {
            let here = simd.equal_f64s(leaving, simd.splat_f64s(q as f64));
            let own = simd.select_f64s(here, simd.sub_f64s(pivot, one), entry);
            let factor = simd.select_f64s(active, own, simd.splat_f64s(0.0));
            for c in 0..STRIDE {
                line[c] = simd.sub_f64s(line[c], simd.mul_f64s(factor, row[c]));
            }
        }
        let (mut enters, mut leaves) = ([-1.0; MOST_LANES], [-1.0; MOST_LANES]);
        simd.partial_store_f64s(&mut enters[..S::F64_LANES], entering);
        simd.partial_store_f64s(&mut leaves[..S::F64_LANES], leaving);
        self.book(enters, leaves)
    }

    /// Exchanges the names of what entered and what left.
    #[inline(always)]
    fn book(&mut self, entering: [f64; MOST_LANES], leaving: [f64; MOST_LANES]) -> [LaneState; MOST_LANES] {
        let budget = 8 * (self.n_rows + self.n_cols) as u32;
        let mut states = [LaneState::Optimal; MOST_LANES];
        for (k, state) in states.iter_mut().enumerate().filter(|(k, _)| entering[*k] >= 0.0) {
            if leaving[k] < 0.0 || self.pivots[k] == budget {
                *state = LaneState::Stuck;
                continue;
            }
            let (r, c) = (leaving[k] as usize, entering[k] as usize);
            std::mem::swap(&mut self.basic[r][k], &mut self.nonbasic[c][k]);
            self.first[k] = -1.0;
            self.pivots[k] += 1;
            *state = LaneState::Pivoted;
        }
        states
    }

    /// Writes a lane's unnormalised policies; the agent's actions are the columns.
    #[inline(always)]
    pub(super) fn policies<S: Simd, const STRIDE: usize>(
        &self,
        lane: usize,
        agent: &mut [f64],
        opponent: &mut [f64],
    ) {
        let (lines, costs) = self.cells[self.start..].split_at(self.n_rows * STRIDE * S::F64_LANES);
        agent.fill(0.0);
        opponent.fill(0.0);
        for (id, line) in self.basic.iter().zip(lines.chunks_exact(STRIDE * S::F64_LANES)) {
            if let Some(p) = agent.get_mut(usize::from(id[lane])) {
                *p = line[(STRIDE - 1) * S::F64_LANES + lane];
            }
        }
        for (id, cost) in self.nonbasic.iter().zip(costs.chunks_exact(S::F64_LANES)) {
            if let Some(p) = usize::from(id[lane]).checked_sub(self.n_cols) {
                opponent[p] = cost[lane];
            }
        }
    }
}

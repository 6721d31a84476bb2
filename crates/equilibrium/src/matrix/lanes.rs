//! Eight small games at a time, one per vector lane, pivoting in step.
//!
//! Each lane has a tableau of [`super::tableau`]'s kind with the agent's actions as columns; where lanes want different
//! pivots, rows and columns are picked by masks. A pivot is one rank-one update `T -= c ⊗ p` for all lanes: with `p` the
//! scaled pivot row, its entry in the pivot column set to `1 + 1/pivot`, and `c` the pivot column, its entry in the
//! pivot row set to `pivot - 1`, the update also writes the pivot row and column. Lanes that are done have `c = p = 0`.

use std::array::from_fn;

pub(super) const WIDTH: usize = 8;
type Lanes = [f64; WIDTH];

/// Larger games fill a vector by themselves.
pub(super) const LARGEST_SIDE: usize = 16;
const PRICE_TOLERANCE: f64 = 1e-12;
const PIVOT_TOLERANCE: f64 = 1e-10;

#[derive(Clone, Debug, Default)]
pub(super) struct LaneTableau {
    n_rows: usize,
    n_cols: usize,
    /// `(n_rows + 1) × (n_cols + 1)`: reduced costs in the last row, right-hand sides in the last column.
    cells: Vec<Lanes>,
    column: Vec<Lanes>,
    row: Vec<Lanes>,
    /// Per lane: what is basic in each row and non-basic in each column, numbered as in [`super::tableau`].
    basic: Vec<[u8; WIDTH]>,
    nonbasic: Vec<[u8; WIDTH]>,
    /// Which game each lane works on.
    pub(super) game: [Option<usize>; WIDTH],
    pivots: [u32; WIDTH],
}

/// What a step did to a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneState {
    Idle,
    Pivoted,
    Optimal,
    /// Too many pivots, or none possible: for the solver of single games.
    Stuck,
}

impl LaneTableau {
    pub(super) fn reset(&mut self, n_rows: usize, n_cols: usize) {
        (self.n_rows, self.n_cols) = (n_rows, n_cols);
        self.cells.clear();
        self.cells.resize((n_rows + 1) * (n_cols + 1), [0.0; WIDTH]);
        self.column.clear();
        self.column.resize(n_rows + 1, [0.0; WIDTH]);
        self.row.clear();
        self.row.resize(n_cols + 1, [0.0; WIDTH]);
        self.basic.clear();
        self.basic.resize(n_rows, [0; WIDTH]);
        self.nonbasic.clear();
        self.nonbasic.resize(n_cols, [0; WIDTH]);
        self.game = [None; WIDTH];
    }

    /// Puts a game into a lane.
    #[inline(always)]
    pub(super) fn load(&mut self, lane: usize, game: usize, payoff: &[f64], low: f64, high: f64) {
        let (n_rows, n_cols) = (self.n_rows, self.n_cols);
        let scale = 1.0 / (high - low);
        for (line, source) in self.cells.chunks_exact_mut(n_cols + 1).zip(payoff.chunks_exact(n_cols)) {
            for (cell, &r) in line.iter_mut().zip(source) {
                cell[lane] = (high - r) * scale + 1.0;
            }
            line[n_cols][lane] = 1.0;
        }
        let costs = &mut self.cells[n_rows * (n_cols + 1)..];
        costs.iter_mut().for_each(|cell| cell[lane] = -1.0);
        costs[n_cols][lane] = 0.0;
        for (k, id) in self.basic.iter_mut().enumerate() {
            id[lane] = (n_cols + k) as u8;
        }
        for (k, id) in self.nonbasic.iter_mut().enumerate() {
            id[lane] = k as u8;
        }
        self.game[lane] = Some(game);
        self.pivots[lane] = 0;
    }

    /// One pivot in every lane that needs one.
    #[inline(always)]
    pub(super) fn step(&mut self) -> [LaneState; WIDTH] {
        let (n_rows, n_cols) = (self.n_rows, self.n_cols);
        let stride = n_cols + 1;
        // The most negative reduced cost.
        let mut cost: Lanes = [-PRICE_TOLERANCE; WIDTH];
        let mut entering: Lanes = [-1.0; WIDTH];
        for (c, now) in self.cells[n_rows * stride..][..n_cols].iter().enumerate() {
            let better: [bool; WIDTH] = from_fn(|k| now[k] < cost[k]);
            cost = from_fn(|k| if better[k] { now[k] } else { cost[k] });
            entering = from_fn(|k| if better[k] { c as f64 } else { entering[k] });
        }
        // The pivot column.
        self.column.iter_mut().for_each(|entry| *entry = [0.0; WIDTH]);
        for c in 0..n_cols {
            let here: [bool; WIDTH] = from_fn(|k| entering[k] == c as f64);
            for (entry, line) in self.column.iter_mut().zip(self.cells.chunks_exact(stride)) {
                let cell = &line[c];
                *entry = from_fn(|k| if here[k] { cell[k] } else { entry[k] });
            }
        }
        // The least ratio; of equals the larger pivot.
        let mut ratio: Lanes = [f64::INFINITY; WIDTH];
        let mut pivot: Lanes = [0.0; WIDTH];
        let mut leaving: Lanes = [-1.0; WIDTH];
        for (q, (entry, line)) in
            self.column.iter().zip(self.cells.chunks_exact(stride)).enumerate().take(n_rows)
        {
            let rhs = &line[n_cols];
            let now: Lanes = from_fn(|k| rhs[k] / entry[k]);
            let able: [bool; WIDTH] = from_fn(|k| entry[k] > PIVOT_TOLERANCE);
            let better: [bool; WIDTH] = from_fn(|k| {
                able[k]
                    & ((now[k] < ratio[k] * (1.0 - 1e-13)) | ((now[k] <= ratio[k]) & (entry[k] > pivot[k])))
            });
            ratio = from_fn(|k| if better[k] { now[k] } else { ratio[k] });
            pivot = from_fn(|k| if better[k] { entry[k] } else { pivot[k] });
            leaving = from_fn(|k| if better[k] { q as f64 } else { leaving[k] });
        }
        // The pivot row, scaled.
        self.row.iter_mut().for_each(|entry| *entry = [0.0; WIDTH]);
        for (q, line) in self.cells.chunks_exact(stride).enumerate().take(n_rows) {
            let here: [bool; WIDTH] = from_fn(|k| leaving[k] == q as f64);
            for (entry, cell) in self.row.iter_mut().zip(line) {
                *entry = from_fn(|k| if here[k] { cell[k] } else { entry[k] });
            }
        }
        let active: [bool; WIDTH] = from_fn(|k| leaving[k] >= 0.0);
        let inverse: Lanes = from_fn(|k| if active[k] { 1.0 / pivot[k] } else { 0.0 });
        for (c, entry) in self.row.iter_mut().enumerate() {
            *entry =
                from_fn(|k| if entering[k] == c as f64 { 1.0 + inverse[k] } else { entry[k] * inverse[k] });
        }
        for (q, entry) in self.column.iter_mut().enumerate() {
            let own: Lanes = from_fn(|k| if leaving[k] == q as f64 { pivot[k] - 1.0 } else { entry[k] });
            *entry = from_fn(|k| if active[k] { own[k] } else { 0.0 });
        }
        for (factor, line) in self.column.iter().zip(self.cells.chunks_exact_mut(stride)) {
            for (cell, entry) in line.iter_mut().zip(&self.row) {
                *cell = from_fn(|k| cell[k] - factor[k] * entry[k]);
            }
        }
        self.book(entering, leaving)
    }

    /// Exchanges the names of what entered and what left.
    #[inline(always)]
    fn book(&mut self, entering: Lanes, leaving: Lanes) -> [LaneState; WIDTH] {
        let budget = 8 * (self.n_rows + self.n_cols) as u32;
        from_fn(|k| {
            if self.game[k].is_none() {
                return LaneState::Idle;
            }
            if entering[k] < 0.0 {
                return LaneState::Optimal;
            }
            if leaving[k] < 0.0 || self.pivots[k] == budget {
                return LaneState::Stuck;
            }
            let (r, c) = (leaving[k] as usize, entering[k] as usize);
            std::mem::swap(&mut self.basic[r][k], &mut self.nonbasic[c][k]);
            self.pivots[k] += 1;
            LaneState::Pivoted
        })
    }

    /// Writes a lane's unnormalised policies; the agent's actions are the columns.
    #[inline(always)]
    pub(super) fn policies(&self, lane: usize, agent: &mut [f64], opponent: &mut [f64]) {
        let stride = self.n_cols + 1;
        agent.fill(0.0);
        opponent.fill(0.0);
        for (id, line) in self.basic.iter().zip(self.cells.chunks_exact(stride)) {
            if let Some(p) = agent.get_mut(usize::from(id[lane])) {
                *p = line[self.n_cols][lane];
            }
        }
        for (id, cost) in self.nonbasic.iter().zip(&self.cells[self.n_rows * stride..]) {
            if let Some(p) = usize::from(id[lane]).checked_sub(self.n_cols) {
                opponent[p] = cost[lane];
            }
        }
    }
}

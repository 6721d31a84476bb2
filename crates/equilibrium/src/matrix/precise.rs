//! The simplex once more in double-double arithmetic, for the rare games whose basis `f64` cannot find.

use super::double::Double;

/// A condensed tableau with the opponent's actions as columns; see [`super::tableau`] for its layout.
#[derive(Clone, Debug, Default)]
pub(super) struct PreciseTableau {
    cells: Vec<Double>,
    column: Vec<Double>,
    basic: Vec<u32>,
    nonbasic: Vec<u32>,
    n_rows: usize,
    n_cols: usize,
    low: f64,
    span: f64,
}

/// Both tolerances lie half-way, in digits, between 1 and the last digit of a double-double: a pivot on a true entry
/// of 1e-14 leaves noise of 1e-18, which must not be taken for an entry.
const PRICE_TOLERANCE: f64 = 1e-17;
const PIVOT_TOLERANCE: f64 = 1e-17;
const STALL_LIMIT: u32 = 12;

impl PreciseTableau {
    /// Runs the simplex to its end, or until its pivot budget is used up; either way the basis can be read.
    pub(super) fn solve(&mut self, rows: usize, cols: usize, payoff: &[f64]) {
        let stride = rows + 1;
        (self.n_rows, self.n_cols) = (cols, rows);
        self.low = payoff.iter().fold(f64::INFINITY, |a, &x| a.min(x));
        self.span = payoff.iter().fold(f64::NEG_INFINITY, |a, &x| a.max(x)) - self.low;
        self.cells.clear();
        self.cells.resize((cols + 1) * stride, Double::default());
        for i in 0..rows {
            for j in 0..cols {
                let shifted = Double::from(payoff[i * cols + j]) - Double::from(self.low);
                self.cells[j * stride + i] = shifted / Double::from(self.span) + Double::ONE;
            }
            self.cells[cols * stride + i] = -Double::ONE;
        }
        for j in 0..cols {
            self.cells[j * stride + rows] = Double::ONE;
        }
        self.basic.clear();
        self.basic.extend(rows as u32..(rows + cols) as u32);
        self.nonbasic.clear();
        self.nonbasic.extend(0..rows as u32);
        let mut stalled = 0;
        for _ in 0..60 * (rows + cols) + 400 {
            let bland = stalled > STALL_LIMIT;
            let Some(c) = self.entering(bland) else { break };
            let Some(r) = self.leaving(c, bland) else { break };
            stalled = if self.cells[r * stride + rows].to_f64() > 1e-22 { 0 } else { stalled + 1 };
            self.pivot(r, c);
        }
    }

    fn entering(&self, bland: bool) -> Option<usize> {
        let costs = &self.cells[self.n_rows * (self.n_cols + 1)..][..self.n_cols];
        let able = (0..self.n_cols).filter(|&c| costs[c].to_f64() < -PRICE_TOLERANCE);
        if bland {
            able.min_by_key(|&c| self.nonbasic[c])
        } else {
            able.min_by(|&a, &b| costs[a].to_f64().total_cmp(&costs[b].to_f64()).then(a.cmp(&b)))
        }
    }

    fn leaving(&self, c: usize, bland: bool) -> Option<usize> {
        let stride = self.n_cols + 1;
        let mut best: Option<(usize, Double)> = None;
        for q in 0..self.n_rows {
            let entry = self.cells[q * stride + c];
            if entry.to_f64() <= PIVOT_TOLERANCE {
                continue;
            }
            let ratio = self.cells[q * stride + self.n_cols] / entry;
            let better = best.is_none_or(|(b, least)| {
                let tie = (ratio - least).to_f64().abs() <= 1e-22;
                match (tie, bland) {
                    (true, true) => self.basic[q] < self.basic[b],
                    (true, false) => self.cells[b * stride + c].less(entry),
                    (false, _) => ratio.less(least),
                }
            });
            if better {
                best = Some((q, ratio));
            }
        }
        best.map(|(q, _)| q)
    }

    fn pivot(&mut self, r: usize, c: usize) {
        let stride = self.n_cols + 1;
        self.column.clear();
        self.column.extend((0..=self.n_rows).map(|q| self.cells[q * stride + c]));
        let inverse = Double::ONE / self.column[r];
        for k in 0..stride {
            self.cells[r * stride + k] = if k == c { inverse } else { self.cells[r * stride + k] * inverse };
        }
        for q in (0..=self.n_rows).filter(|&q| q != r) {
            let factor = self.column[q];
            if factor == Double::default() {
                continue;
            }
            self.cells[q * stride + c] = Double::default();
            for k in 0..stride {
                self.cells[q * stride + k] = self.cells[q * stride + k] - factor * self.cells[r * stride + k];
            }
        }
        std::mem::swap(&mut self.basic[r], &mut self.nonbasic[c]);
    }

    /// The agent's and the opponent's actions that make up the basis.
    pub(super) fn kernel(&self, agent: &mut Vec<u32>, opponent: &mut Vec<u32>) {
        let n_cols = self.n_cols as u32;
        opponent.clear();
        opponent.extend(self.basic.iter().filter(|&&id| id < n_cols));
        opponent.sort_unstable();
        agent.clear();
        agent.extend(self.nonbasic.iter().filter(|&&id| id >= n_cols).map(|&id| id - n_cols));
        agent.sort_unstable();
    }

    /// Writes unnormalised policies and returns the value.
    pub(super) fn policies(&self, agent: &mut [f64], opponent: &mut [f64]) -> f64 {
        let stride = self.n_cols + 1;
        let mut total = Double::default();
        for (q, &id) in self.basic.iter().enumerate() {
            if (id as usize) < self.n_cols {
                let u = self.cells[q * stride + self.n_cols];
                total = total + u;
                opponent[id as usize] = u.to_f64();
            }
        }
        for (c, &id) in self.nonbasic.iter().enumerate() {
            if id as usize >= self.n_cols {
                agent[id as usize - self.n_cols] = self.cells[self.n_rows * stride + c].to_f64();
            }
        }
        let scaled = Double::ONE / total - Double::ONE;
        (scaled * Double::from(self.span) + Double::from(self.low)).to_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::PreciseTableau;

    /// Outliers of 1e12 around a 4×4 game of value -1/3: the small game's digits survive the common scale.
    #[test]
    fn outliers_leave_the_inner_game_intact() {
        let payoff = [
            1e12, 2e12, 3e12, 4e12, 5e12, 0.0, 1.0, 1.0, -1.0, -2e12, -1.0, 0.0, 1.0, 1.0, -3e12, 0.0, -1.0,
            -1.0, -1.0, -4e12, -1.0, 0.0, 1.0, 1.0, -5e12,
        ];
        let mut tableau = PreciseTableau::default();
        tableau.solve(5, 5, &payoff);
        let (mut agent, mut opponent) = ([0.0; 5], [0.0; 5]);
        let value = tableau.policies(&mut agent, &mut opponent);
        assert!((value + 1.0 / 3.0).abs() < 1e-12, "{value} {agent:?} {opponent:?}");
    }
}

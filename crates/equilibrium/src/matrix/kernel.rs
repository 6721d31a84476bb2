//! The kernel of a matrix game's optimal basis, solved on the payoffs as they were given.

use super::PayoffMatrix;
use super::double::Double;

/// LU factors of the bordered kernel `[[R, -1], [1ᵀ, 0]]`, with scaled partial pivoting.
///
/// Its solution for right-hand side (0, 1) is the agent's policy and the value; the transposed system gives the
/// opponent's.
#[derive(Clone, Debug, Default)]
pub(super) struct Kernel {
    size: usize,
    /// Original bordered matrix, row-major, payoffs less the centre.
    original: Vec<f64>,
    factors: Vec<f64>,
    order: Vec<usize>,
    scale: Vec<f64>,
    solution: Vec<f64>,
    residual: Vec<f64>,
    scratch: Vec<f64>,
}

impl Kernel {
    /// Writes both policies into full-length vectors (zero outside the kernel) and returns the value; none if the
    /// kernel is not square or is singular.
    pub(super) fn solve(
        &mut self,
        game: PayoffMatrix<'_>,
        rows: &[u32],
        cols: &[u32],
        opponent: &mut [f64],
        agent: &mut [f64],
    ) -> Option<f64> {
        if rows.len() != cols.len() || rows.is_empty() {
            return None;
        }
        let k = rows.len();
        let size = k + 1;
        self.size = size;
        self.original.clear();
        self.original.resize(size * size, 0.0);
        // The border's weight is that of the payoffs, so that scaled pivoting compares like with like.
        let centre = game.row(rows[0] as usize)[cols[0] as usize];
        for (a, &i) in rows.iter().enumerate() {
            for (b, &j) in cols.iter().enumerate() {
                self.original[a * size + b] = game.row(i as usize)[j as usize] - centre;
            }
            self.original[a * size + k] = -1.0;
        }
        self.original[k * size..k * size + k].fill(1.0);
        self.factorise()?;
        let agent_value = self.refined(false)?;
        for (b, &j) in cols.iter().enumerate() {
            agent[j as usize] = self.solution[b];
        }
        let opponent_value = self.refined(true)?;
        for (a, &i) in rows.iter().enumerate() {
            opponent[i as usize] = -self.solution[a];
        }
        Some(centre + 0.5 * (agent_value + opponent_value))
    }

    fn factorise(&mut self) -> Option<()> {
        let n = self.size;
        self.factors.clone_from(&self.original);
        self.order.clear();
        self.order.extend(0..n);
        self.scale.clear();
        for line in self.original.chunks_exact(n) {
            let largest = line.iter().fold(0.0f64, |a, x| a.max(x.abs()));
            self.scale.push(1.0 / largest);
        }
        for c in 0..n {
            let (mut best, mut best_size) = (c, 0.0);
            for r in c..n {
                let size = self.factors[self.order[r] * n + c].abs() * self.scale[self.order[r]];
                if size > best_size {
                    (best, best_size) = (r, size);
                }
            }
            if best_size == 0.0 {
                return None;
            }
            self.order.swap(c, best);
            let top = self.order[c];
            let inverse = 1.0 / self.factors[top * n + c];
            for r in c + 1..n {
                let below = self.order[r];
                let factor = self.factors[below * n + c] * inverse;
                self.factors[below * n + c] = factor;
                if factor != 0.0 {
                    for b in c + 1..n {
                        self.factors[below * n + b] -= factor * self.factors[top * n + b];
                    }
                }
            }
        }
        Some(())
    }

    /// Solves with right-hand side (0, …, 0, 1), refined with residuals in double-double; returns the border's part.
    fn refined(&mut self, transposed: bool) -> Option<f64> {
        let n = self.size;
        self.solution.clear();
        self.solution.resize(n, 0.0);
        let mut last = f64::INFINITY;
        for _ in 0..4 {
            self.residual.clear();
            for r in 0..n {
                let mut sum = Double::from(if r == n - 1 { 1.0 } else { 0.0 });
                for c in 0..n {
                    let entry = if transposed { self.original[c * n + r] } else { self.original[r * n + c] };
                    sum = sum - Double::product(entry, self.solution[c]);
                }
                self.residual.push(sum.to_f64());
            }
            self.correct(transposed);
            let change = self.scratch.iter().fold(0.0f64, |a, x| a.max(x.abs()));
            if !change.is_finite() {
                return None;
            }
            if change >= last {
                break;
            }
            last = change;
            for (x, d) in self.solution.iter_mut().zip(&self.scratch) {
                *x += d;
            }
        }
        Some(self.solution[n - 1])
    }

    /// `scratch = A⁻¹ residual`, or with the transpose.
    fn correct(&mut self, transposed: bool) {
        let n = self.size;
        let Self { factors, order, residual, scratch, .. } = self;
        scratch.clear();
        scratch.resize(n, 0.0);
        if transposed {
            // Uᵀ z = b, then Lᵀ y = z, then undo the row order.
            for r in 0..n {
                let mut sum = residual[r];
                for c in 0..r {
                    sum -= factors[order[c] * n + r] * scratch[c];
                }
                scratch[r] = sum / factors[order[r] * n + r];
            }
            for r in (0..n).rev() {
                for c in r + 1..n {
                    scratch[r] -= factors[order[c] * n + r] * scratch[c];
                }
            }
            residual.copy_from_slice(scratch);
            for (r, &at) in order.iter().enumerate() {
                scratch[at] = residual[r];
            }
        } else {
            for r in 0..n {
                let mut sum = residual[order[r]];
                for c in 0..r {
                    sum -= factors[order[r] * n + c] * scratch[c];
                }
                scratch[r] = sum;
            }
            for r in (0..n).rev() {
                for c in r + 1..n {
                    scratch[r] -= factors[order[r] * n + c] * scratch[c];
                }
                scratch[r] /= factors[order[r] * n + r];
            }
        }
    }
}

//! Any strictly or merely convex quadratic program, by a dual active-set method.
//!
//! Reference: \[Goldfarb1983\]. One starts at the unconstrained optimum and adds violated rows one at a
//! time, each time giving up rows whose multiplier would change sign; a row that depends on the active
//! ones and cannot be satisfied by giving any up proves that there is no solution. Differs: rows may be
//! equalities or two-sided, a guess of the active set may be given, and an objective that is not strictly
//! convex is solved by a sequence of strictly convex ones (proximal points).

use super::kernels::{self, dot};
use super::kkt::{Multipliers, Residuals};
use super::{RowId, Status};

/// `minimise ½ xᵀHx + gᵀx` subject to `A x = b`, `lower <= C x <= upper`, `x_lower <= x <= x_upper`.
///
/// Matrices are row after row; missing limits are infinite.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "the formula names every field")]
pub struct DenseQp {
    pub n: usize,
    pub h: Vec<f64>,
    pub g: Vec<f64>,
    pub a: Vec<f64>,
    pub b: Vec<f64>,
    pub c: Vec<f64>,
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
    pub x_lower: Vec<f64>,
    pub x_upper: Vec<f64>,
}

impl DenseQp {
    /// An unconstrained problem of `n` variables with a zero objective.
    pub fn new(n: usize) -> DenseQp {
        DenseQp {
            n,
            h: vec![0.0; n * n],
            g: vec![0.0; n],
            x_lower: vec![f64::NEG_INFINITY; n],
            x_upper: vec![f64::INFINITY; n],
            ..DenseQp::default()
        }
    }

    /// Adds the row `row · x = value`.
    pub fn add_equality(&mut self, row: &[f64], value: f64) {
        self.a.extend_from_slice(row);
        self.b.push(value);
    }

    /// Adds the row `lower <= row · x <= upper`.
    pub fn add_inequality(&mut self, row: &[f64], lower: f64, upper: f64) {
        self.c.extend_from_slice(row);
        self.lower.push(lower);
        self.upper.push(upper);
    }

    /// Value of the objective.
    pub fn objective(&self, x: &[f64]) -> f64 {
        let rows = self.h.chunks_exact(self.n.max(1));
        let quadratic: f64 = rows.zip(x).map(|(row, xi)| xi * dot(row, x)).sum();
        0.5 * quadratic + dot(&self.g, x)
    }

    /// How far a point and its multipliers are from optimal.
    pub fn residuals(&self, x: &[f64], multipliers: &Multipliers) -> Residuals {
        let n = self.n.max(1);
        let mut gradient: Vec<f64> =
            self.h.chunks_exact(n).zip(&self.g).map(|(row, g)| dot(row, x) + g).collect();
        let mut primal: f64 = 0.0;
        let mut complementarity: f64 = 0.0;
        for ((row, b), y) in self.a.chunks_exact(n).zip(&self.b).zip(&multipliers.y) {
            primal = primal.max((dot(row, x) - b).abs());
            kernels::axpy(*y, row, &mut gradient);
        }
        let mut limits = |value: f64, lower: f64, upper: f64, z: f64| {
            primal = primal.max(lower - value).max(value - upper);
            let above = (upper - value).abs().min(z.max(0.0));
            let below = (value - lower).abs().min((-z).max(0.0));
            complementarity = complementarity.max(above).max(below);
        };
        for (i, row) in self.c.chunks_exact(n).enumerate() {
            limits(dot(row, x), self.lower[i], self.upper[i], multipliers.z[i]);
            kernels::axpy(multipliers.z[i], row, &mut gradient);
        }
        for i in 0..self.n {
            limits(x[i], self.x_lower[i], self.x_upper[i], multipliers.z_bound[i]);
            gradient[i] += multipliers.z_bound[i];
        }
        let stationarity = gradient.iter().fold(0.0, |worst: f64, x| worst.max(x.abs()));
        Residuals { primal, stationarity, complementarity }
    }

    fn n_rows(&self) -> usize {
        self.b.len() + self.lower.len() + self.n
    }

    fn row_id(&self, row: usize) -> RowId {
        let (me, mi) = (self.b.len(), self.lower.len());
        match row {
            _ if row < me => RowId::Equality(row),
            _ if row < me + mi => RowId::Inequality(row - me),
            _ => RowId::Bound(row - me - mi),
        }
    }

    /// Coefficients of any row into `out`.
    fn write_row(&self, row: usize, out: &mut [f64]) {
        match self.row_id(row) {
            RowId::Equality(i) => out.copy_from_slice(&self.a[i * self.n..(i + 1) * self.n]),
            RowId::Inequality(i) => out.copy_from_slice(&self.c[i * self.n..(i + 1) * self.n]),
            RowId::Bound(i) => {
                out.fill(0.0);
                out[i] = 1.0;
            }
        }
    }

    fn row_value(&self, row: usize, x: &[f64]) -> f64 {
        match self.row_id(row) {
            RowId::Equality(i) => dot(&self.a[i * self.n..(i + 1) * self.n], x),
            RowId::Inequality(i) => dot(&self.c[i * self.n..(i + 1) * self.n], x),
            RowId::Bound(i) => x[i],
        }
    }

    fn limits(&self, row: usize) -> (f64, f64) {
        match self.row_id(row) {
            RowId::Equality(i) => (self.b[i], self.b[i]),
            RowId::Inequality(i) => (self.lower[i], self.upper[i]),
            RowId::Bound(i) => (self.x_lower[i], self.x_upper[i]),
        }
    }

    fn is_finite(&self) -> bool {
        let sizes = self.h.len() == self.n * self.n
            && self.g.len() == self.n
            && self.a.len() == self.n * self.b.len()
            && self.c.len() == self.n * self.lower.len()
            && self.lower.len() == self.upper.len()
            && self.x_lower.len() == self.n
            && self.x_upper.len() == self.n;
        let numbers = [&self.h, &self.g, &self.a, &self.b, &self.c];
        let limits = [&self.lower, &self.upper, &self.x_lower, &self.x_upper];
        let some = |x: &f64| !x.is_nan();
        sizes
            && numbers.iter().all(|list| list.iter().all(|x| x.is_finite()))
            && limits.iter().all(|list| list.iter().all(some))
            && self.lower.iter().chain(&self.x_lower).all(|x| *x < f64::INFINITY)
            && self.upper.iter().chain(&self.x_upper).all(|x| *x > f64::NEG_INFINITY)
    }
}

/// An active row: its normal points out of the feasible side.
#[derive(Clone, Copy, Debug)]
struct Active {
    row: usize,
    /// +1 at its upper limit, -1 at its lower.
    side: f64,
    equality: bool,
}

/// The solver with its memory; solve as many problems with it as you like.
///
/// ```
/// use randori_wholebody::qp::{DenseQp, DenseSolver, Status};
/// // The point of the half plane x + y >= 2 nearest to the origin.
/// let mut problem = DenseQp::new(2);
/// problem.h = vec![1.0, 0.0, 0.0, 1.0];
/// problem.add_inequality(&[1.0, 1.0], 2.0, f64::INFINITY);
/// let mut solver = DenseSolver::default();
/// assert_eq!(solver.solve(&problem), Status::Solved);
/// assert!((solver.x[0] - 1.0).abs() < 1e-12 && (solver.x[1] - 1.0).abs() < 1e-12);
/// ```
#[derive(Clone, Debug, Default)]
pub struct DenseSolver {
    /// The point found.
    pub x: Vec<f64>,
    /// Its multipliers.
    pub multipliers: Multipliers,
    /// Rows added or given up in the last solve.
    pub iterations: usize,
    factor: Vec<f64>,
    inverse: Vec<f64>,
    free_optimum: Vec<f64>,
    active: Vec<Active>,
    lambda: Vec<f64>,
    /// `L⁻¹ n` of each active row, one after the other.
    half_rows: Vec<f64>,
    /// Lower Cholesky factor of the Gram matrix of `half_rows`, row after row with stride `n`.
    gram: Vec<f64>,
    norms: Vec<f64>,
    /// Rows that depend on active ones and are met but for rounding.
    met: Vec<usize>,
    scratch: Vec<f64>,
    row: Vec<f64>,
    step: Vec<f64>,
    coefficients: Vec<f64>,
}

/// Violations below this, relative to the row's length, are none.
const FEASIBLE: f64 = 1e-10;

impl DenseSolver {
    /// Solves the problem; the result is in `x` and `multipliers`.
    pub fn solve(&mut self, qp: &DenseQp) -> Status {
        self.solve_from(qp, &[])
    }

    /// Solves the problem, guessing that these rows are active at their lower (-1) or upper (+1) limit.
    pub fn solve_from(&mut self, qp: &DenseQp, guess: &[(RowId, f64)]) -> Status {
        self.prepare(qp);
        if !qp.is_finite() {
            return Status::Invalid;
        }
        let n = qp.n;
        let mut guess: Vec<(usize, f64)> = guess
            .iter()
            .map(|(id, side)| match id {
                RowId::Equality(i) => (*i, *side),
                RowId::Inequality(i) => (qp.b.len() + i, *side),
                RowId::Bound(i) => (qp.b.len() + qp.lower.len() + i, *side),
            })
            .collect();
        transpose_into(&qp.h, n, &mut self.factor);
        self.inverse.resize(n, 0.0);
        if kernels::cholesky(&mut self.factor, n, &mut self.inverse) {
            let mut status = self.solve_strictly(qp, &qp.g, &guess);
            if !guess.is_empty() && (status != Status::Solved || !self.active_rows_hold(qp)) {
                // A guess of nearly dependent rows leads astray: start without it.
                self.iterations = 0;
                status = self.solve_strictly(qp, &qp.g, &[]);
            }
            return self.finish(qp, status);
        }
        // Not strictly convex: minimise with a small pull towards the last point until it stays.
        let size = (0..n).fold(0.0, |worst: f64, i| worst.max(qp.h[i * n + i].abs())).max(1e-3);
        let pull = 1e-6 * size;
        transpose_into(&qp.h, n, &mut self.factor);
        (0..n).for_each(|i| self.factor[i * n + i] += pull);
        if !kernels::cholesky(&mut self.factor, n, &mut self.inverse) {
            return Status::Invalid;
        }
        let mut g = qp.g.clone();
        for _ in 0..200 {
            let before = self.x.clone();
            g.iter_mut().zip(&qp.g).zip(&before).for_each(|((g, start), x)| *g = start - pull * x);
            let status = self.solve_strictly(qp, &g, &guess);
            if status != Status::Solved {
                return self.finish(qp, status);
            }
            let far = self.x.iter().fold(0.0, |worst: f64, x| worst.max(x.abs()));
            let moved = self.x.iter().zip(&before).fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()));
            if far > 1e9 {
                return self.finish(qp, Status::Unbounded);
            }
            if moved * pull < 1e-11 * size.min(1.0) && moved <= 1e-5 * (1.0 + far) {
                return self.finish(qp, Status::Solved);
            }
            guess.clear();
            guess.extend(self.active.iter().map(|active| (active.row, active.side)));
        }
        self.finish(qp, Status::Unbounded)
    }

    /// The rows active at the end of the last solve.
    pub fn active_rows<'a>(&'a self, qp: &'a DenseQp) -> impl Iterator<Item = (RowId, f64)> + 'a {
        self.active.iter().map(|active| (qp.row_id(active.row), active.side))
    }

    fn prepare(&mut self, qp: &DenseQp) {
        self.iterations = 0;
        self.active.clear();
        self.lambda.clear();
        for list in [&mut self.x, &mut self.scratch, &mut self.row, &mut self.step, &mut self.free_optimum] {
            list.clear();
            list.resize(qp.n, 0.0);
        }
        self.gram.resize(qp.n * qp.n, 0.0);
        self.multipliers.y.clear();
        self.multipliers.y.resize(qp.b.len(), 0.0);
        self.multipliers.z.clear();
        self.multipliers.z.resize(qp.lower.len(), 0.0);
        self.multipliers.z_bound.clear();
        self.multipliers.z_bound.resize(qp.n, 0.0);
    }

    fn finish(&mut self, qp: &DenseQp, status: Status) -> Status {
        let (me, mi) = (qp.b.len(), qp.lower.len());
        for (active, lambda) in self.active.iter().zip(&self.lambda) {
            let value = active.side * lambda;
            match active.row {
                row if row < me => self.multipliers.y[row] = value,
                row if row < me + mi => self.multipliers.z[row - me] = value,
                row => self.multipliers.z_bound[row - me - mi] = value,
            }
        }
        status
    }

    /// The method itself, for the factored objective and gradient `g`.
    fn solve_strictly(&mut self, qp: &DenseQp, g: &[f64], guess: &[(usize, f64)]) -> Status {
        let n = qp.n;
        self.active.clear();
        self.lambda.clear();
        self.half_rows.clear();
        self.met.clear();
        for (x, g) in self.free_optimum.iter_mut().zip(g) {
            *x = -g;
        }
        kernels::forward(&self.factor, n, &mut self.free_optimum);
        kernels::backward(&self.factor, n, &mut self.free_optimum);
        self.x.copy_from_slice(&self.free_optimum);
        self.norms.clear();
        for row in 0..qp.n_rows() {
            qp.write_row(row, &mut self.row);
            self.norms.push(libm::sqrt(dot(&self.row, &self.row)));
        }
        if !guess.is_empty() {
            self.start_from(qp, guess);
        }
        let limit = 50 + if guess.is_empty() { 20 } else { 2 } * qp.n_rows();
        let mut polished = false;
        loop {
            let Some(mut entering) = self.most_violated(qp) else {
                if polished {
                    return Status::Solved;
                }
                // Wipe out what the many small steps have gathered, and look again.
                self.resolve(qp);
                polished = true;
                continue;
            };
            polished = false;
            let mut gained = 0.0;
            loop {
                self.iterations += 1;
                if self.iterations > limit {
                    return Status::Stalled;
                }
                let (lower, upper) = qp.limits(entering.row);
                let value = qp.row_value(entering.row, &self.x);
                let excess = if entering.side > 0.0 { value - upper } else { lower - value };
                let (free2, full2) = self.project(qp, entering);
                let independent = free2 > 1e-10 * full2 && self.active.len() < n;
                let full_step = if independent { excess / free2 } else { f64::INFINITY };
                let m = self.active.len();
                let blocking = (0..m)
                    .filter(|k| !self.active[*k].equality && self.step[*k] > 1e-12)
                    .map(|k| (self.lambda[k].max(0.0) / self.step[k], k))
                    .min_by(|a, b| a.0.total_cmp(&b.0));
                let (partial_step, leaving) = blocking.map_or((f64::INFINITY, None), |(t, k)| (t, Some(k)));
                let t = full_step.min(partial_step);
                if t == f64::INFINITY && excess < self.rounding(qp, entering) {
                    self.met.push(entering.row);
                    break;
                }
                if t == f64::INFINITY {
                    let tight = |k: &usize| self.step[*k].abs() > 1e-9;
                    let mut conflict: Vec<RowId> =
                        (0..m).filter(tight).map(|k| qp.row_id(self.active[k].row)).collect();
                    conflict.push(qp.row_id(entering.row));
                    conflict.sort_unstable();
                    return Status::Infeasible { conflict };
                }
                for k in 0..m {
                    self.lambda[k] -= t * self.step[k];
                }
                gained += t;
                if independent {
                    // scratch holds the half-transformed free part of the normal.
                    kernels::backward(&self.factor, n, &mut self.scratch);
                    kernels::axpy(-t, &self.scratch, &mut self.x);
                }
                if full_step <= partial_step {
                    entering.equality = qp.limits(entering.row).0 == qp.limits(entering.row).1;
                    self.append(qp, entering, gained);
                    break;
                }
                self.remove(n, leaving.expect("a finite partial step has its row"));
            }
        }
    }

    /// How far a dependent row may be off because of rounding alone: the free optimum may be far away.
    fn rounding(&self, qp: &DenseQp, entering: Active) -> f64 {
        let (lower, upper) = qp.limits(entering.row);
        let limit = if entering.side > 0.0 { upper } else { lower };
        let far = self.free_optimum.iter().fold(0.0, |worst: f64, x| worst.max(x.abs()));
        let norm = self.norms[entering.row];
        1e-8 * (norm + limit.abs()) + 1e-13 * far * norm
    }

    fn active_rows_hold(&self, qp: &DenseQp) -> bool {
        self.active.iter().all(|active| {
            let (lower, upper) = qp.limits(active.row);
            let limit = if active.side > 0.0 { upper } else { lower };
            let off = (qp.row_value(active.row, &self.x) - limit).abs();
            off <= 1e-7 * (self.norms[active.row] + limit.abs())
        })
    }

    /// Equalities first, then the row that is violated most for its length.
    fn most_violated(&self, qp: &DenseQp) -> Option<Active> {
        let mut worst: Option<(f64, Active)> = None;
        let is_active = |row: usize| self.active.iter().any(|active| active.row == row);
        for row in 0..qp.n_rows() {
            let (lower, upper) = qp.limits(row);
            if lower == f64::NEG_INFINITY && upper == f64::INFINITY {
                continue;
            }
            let value = qp.row_value(row, &self.x);
            let (excess, side) =
                if value - upper >= lower - value { (value - upper, 1.0) } else { (lower - value, -1.0) };
            let limit = if side > 0.0 { upper } else { lower };
            let norm = self.norms[row].max(1e-300);
            let relative = excess / norm;
            let tolerance = FEASIBLE * (1.0 + limit.abs() / norm);
            let first = if lower == upper { f64::INFINITY } else { relative };
            if relative > tolerance
                && worst.is_none_or(|(value, _)| first > value)
                && !is_active(row)
                && !self.met.contains(&row)
            {
                worst = Some((first, Active { row, side, equality: lower == upper }));
                if first == f64::INFINITY {
                    break;
                }
            }
        }
        worst.map(|(_, active)| active)
    }

    /// Splits the row's half-transformed normal into what the active rows span (coefficients into
    /// `step`) and the rest (into `scratch`); answers the squared lengths of the rest and of the whole.
    fn project(&mut self, qp: &DenseQp, entering: Active) -> (f64, f64) {
        let n = qp.n;
        qp.write_row(entering.row, &mut self.scratch);
        self.scratch.iter_mut().for_each(|x| *x *= entering.side);
        kernels::forward(&self.factor, n, &mut self.scratch);
        let m = self.active.len();
        let full = dot(&self.scratch, &self.scratch);
        if self.step.len() < m.max(n) {
            self.step.resize(m.max(n), 0.0);
        }
        // Twice: the second pass removes what rounding left of the active rows' span.
        self.coefficients.clear();
        self.coefficients.resize(m, 0.0);
        for _ in 0..2 {
            for k in 0..m {
                self.step[k] = dot(&self.half_rows[k * n..(k + 1) * n], &self.scratch);
            }
            self.gram_solve(n, m);
            for k in 0..m {
                kernels::axpy(-self.step[k], &self.half_rows[k * n..(k + 1) * n], &mut self.scratch);
                self.coefficients[k] += self.step[k];
            }
        }
        self.step[..m].copy_from_slice(&self.coefficients);
        (dot(&self.scratch, &self.scratch), full)
    }

    /// Solves with the Gram matrix, in place in `step[..m]`.
    fn gram_solve(&mut self, n: usize, m: usize) {
        for k in 0..m {
            let sum = dot(&self.gram[k * n..k * n + k], &self.step[..k]);
            self.step[k] = (self.step[k] - sum) / self.gram[k * n + k];
        }
        for k in (0..m).rev() {
            let value = self.step[k] / self.gram[k * n + k];
            self.step[k] = value;
            for i in 0..k {
                self.step[i] -= value * self.gram[k * n + i];
            }
        }
    }

    /// Adds a row to the active ones; false, and nothing added, if it depends on them.
    fn append(&mut self, qp: &DenseQp, entering: Active, lambda: f64) -> bool {
        let n = qp.n;
        let m = self.active.len();
        if m >= n {
            return false;
        }
        let (rest, full) = self.project(qp, entering);
        if rest <= 1e-10 * full {
            return false;
        }
        qp.write_row(entering.row, &mut self.scratch);
        self.scratch.iter_mut().for_each(|x| *x *= entering.side);
        kernels::forward(&self.factor, n, &mut self.scratch);
        for k in 0..m {
            let along = dot(&self.half_rows[k * n..(k + 1) * n], &self.scratch);
            let sum = dot(&self.gram[k * n..k * n + k], &self.gram[m * n..m * n + k]);
            self.gram[m * n + k] = (along - sum) / self.gram[k * n + k];
        }
        self.gram[m * n + m] = libm::sqrt(rest);
        self.half_rows.extend_from_slice(&self.scratch);
        self.active.push(entering);
        self.lambda.push(lambda);
        true
    }

    /// Gives up the `k`-th active row: the factor below loses a row and is made triangular again.
    fn remove(&mut self, n: usize, k: usize) {
        let m = self.active.len();
        self.active.remove(k);
        self.lambda.remove(k);
        self.half_rows.drain(k * n..(k + 1) * n);
        for row in k + 1..m {
            self.gram.copy_within(row * n..row * n + row + 1, (row - 1) * n);
        }
        for j in k..m - 1 {
            let (a, b) = (self.gram[j * n + j], self.gram[j * n + j + 1]);
            let length = libm::sqrt(a * a + b * b);
            let (cosine, sine) = (a / length, b / length);
            for row in j..m - 1 {
                let (x, y) = (self.gram[row * n + j], self.gram[row * n + j + 1]);
                self.gram[row * n + j] = cosine * x + sine * y;
                self.gram[row * n + j + 1] = cosine * y - sine * x;
            }
        }
    }

    /// Point and multipliers of the active rows as equalities, from scratch.
    fn resolve(&mut self, qp: &DenseQp) {
        let (n, m) = (qp.n, self.active.len());
        if self.step.len() < m.max(n) {
            self.step.resize(m.max(n), 0.0);
        }
        for (k, active) in self.active.iter().enumerate() {
            let (lower, upper) = qp.limits(active.row);
            let limit = if active.side > 0.0 { upper } else { lower };
            self.step[k] = active.side * (qp.row_value(active.row, &self.free_optimum) - limit);
        }
        self.gram_solve(n, m);
        self.lambda.copy_from_slice(&self.step[..m]);
        self.scratch.fill(0.0);
        for k in 0..m {
            kernels::axpy(self.lambda[k], &self.half_rows[k * n..(k + 1) * n], &mut self.scratch);
        }
        kernels::backward(&self.factor, n, &mut self.scratch);
        for (x, (start, moved)) in self.x.iter_mut().zip(self.free_optimum.iter().zip(&self.scratch)) {
            *x = start - moved;
        }
    }

    /// Takes as many of the guessed rows as are independent, and gives up those that pull the wrong way.
    fn start_from(&mut self, qp: &DenseQp, guess: &[(usize, f64)]) {
        for &(row, side) in guess {
            let (lower, upper) = qp.limits(row);
            let limit = if side > 0.0 { upper } else { lower };
            if limit.is_finite() && !self.active.iter().any(|active| active.row == row) {
                self.append(qp, Active { row, side, equality: lower == upper }, 0.0);
            }
        }
        loop {
            self.resolve(qp);
            let wrong = (0..self.active.len())
                .filter(|k| !self.active[*k].equality && self.lambda[*k] < 0.0)
                .min_by(|a, b| self.lambda[*a].total_cmp(&self.lambda[*b]));
            let Some(wrong) = wrong else { break };
            self.remove(qp.n, wrong);
        }
    }
}

fn transpose_into(h: &[f64], n: usize, out: &mut Vec<f64>) {
    out.clear();
    out.resize(n * n, 0.0);
    for i in 0..n {
        for j in 0..n {
            out[j * n + i] = 0.5 * (h[i * n + j] + h[j * n + i]);
        }
    }
}

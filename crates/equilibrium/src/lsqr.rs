//! LSQR: sparse least squares by bidiagonalisation.
//!
//! Reference: Paige and Saunders, "LSQR: an algorithm for sparse linear equations and sparse least squares", 1982. The
//! operator is known only by its products, so that it may be sharded over threads or machines.

/// A linear map known by its products with vectors.
pub trait LinearOperator {
    /// Length of a result of [`Self::apply`].
    fn n_rows(&self) -> usize;
    /// Length of an argument of [`Self::apply`].
    fn n_cols(&self) -> usize;
    /// `out = A x`.
    fn apply(&self, x: &[f64], out: &mut [f64]);
    /// `out = Aᵀ y`.
    fn apply_transposed(&self, y: &[f64], out: &mut [f64]);
    /// Whether nobody waits for the result any more; asked once an iteration.
    fn is_abandoned(&self) -> bool {
        false
    }
}

/// When to stop [`lsqr`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LsqrSettings {
    /// Stop when the residual is orthogonal to the columns up to this relative size, or small itself.
    pub tolerance: f64,
    /// Stop after so many iterations.
    pub max_iterations: usize,
}

impl Default for LsqrSettings {
    fn default() -> Self {
        Self { tolerance: 1e-9, max_iterations: 2000 }
    }
}

/// Why [`lsqr`] stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LsqrStatus {
    /// The equations hold.
    Solved,
    /// They cannot all hold; the residual is as small as it gets.
    LeastSquares,
    /// The iteration limit came first.
    IterationLimit,
    /// The operator was abandoned: what was found is of no use.
    Abandoned,
}

/// What [`lsqr`] found out beside the solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LsqrOutcome {
    /// Iterations made.
    pub iterations: usize,
    /// `|b - A x|`.
    pub residual: f64,
    /// Why it stopped.
    pub status: LsqrStatus,
}

/// Minimises `|b - A x|` from the `x` given, which becomes the solution.
///
/// Symbols as in the reference: `u`, `v` = Lanczos vectors, `alpha`, `beta` = entries of the bidiagonal matrix, `phi_bar`
/// = norm of the residual, `w` = search direction.
///
/// ```
/// use randori_equilibrium::lsqr::{LinearOperator, LsqrSettings, LsqrStatus, lsqr};
///
/// struct Line; // fit y = x0 + x1 t at t = 0, 1, 2
/// impl LinearOperator for Line {
///     fn n_rows(&self) -> usize { 3 }
///     fn n_cols(&self) -> usize { 2 }
///     fn apply(&self, x: &[f64], out: &mut [f64]) {
///         (0..3).for_each(|t| out[t] = x[0] + x[1] * t as f64);
///     }
///     fn apply_transposed(&self, y: &[f64], out: &mut [f64]) {
///         out[0] = y.iter().sum();
///         out[1] = y[1] + 2.0 * y[2];
///     }
/// }
/// let mut fit = [0.0, 0.0];
/// let outcome = lsqr(&Line, &[0.0, 3.0, 3.0], &mut fit, &LsqrSettings::default());
/// assert!((fit[0] - 0.5).abs() < 1e-12 && (fit[1] - 1.5).abs() < 1e-12);
/// assert_eq!(outcome.status, LsqrStatus::LeastSquares);
/// ```
pub fn lsqr(a: &dyn LinearOperator, b: &[f64], x: &mut [f64], settings: &LsqrSettings) -> LsqrOutcome {
    let (m, n) = (a.n_rows(), a.n_cols());
    let mut u = vec![0.0; m];
    a.apply(x, &mut u);
    for (u, b) in u.iter_mut().zip(b) {
        *u = b - *u;
    }
    let b_norm = norm(b);
    let mut beta = normalise(&mut u);
    let mut v = vec![0.0; n];
    a.apply_transposed(&u, &mut v);
    let mut alpha = normalise(&mut v);
    let mut outcome = LsqrOutcome { iterations: 0, residual: beta, status: LsqrStatus::Solved };
    if beta <= settings.tolerance * b_norm || beta == 0.0 {
        return outcome;
    }
    outcome.status = LsqrStatus::LeastSquares;
    if alpha == 0.0 {
        return outcome;
    }
    let mut w = v.clone();
    let (mut rho_bar, mut phi_bar) = (alpha, beta);
    let mut a_norm_squared = 0.0;
    let (mut u_next, mut v_next) = (vec![0.0; m], vec![0.0; n]);
    while outcome.iterations < settings.max_iterations {
        if a.is_abandoned() {
            outcome.status = LsqrStatus::Abandoned;
            return outcome;
        }
        outcome.iterations += 1;
        a_norm_squared += alpha * alpha;
        a.apply(&v, &mut u_next);
        for (u, next) in u.iter_mut().zip(&u_next) {
            *u = next - alpha * *u;
        }
        beta = normalise(&mut u);
        a_norm_squared += beta * beta;
        a.apply_transposed(&u, &mut v_next);
        for (v, next) in v.iter_mut().zip(&v_next) {
            *v = next - beta * *v;
        }
        alpha = normalise(&mut v);
        let rho = (rho_bar * rho_bar + beta * beta).sqrt();
        let (c, s) = (rho_bar / rho, beta / rho);
        let theta = s * alpha;
        rho_bar = -c * alpha;
        let phi = c * phi_bar;
        phi_bar *= s;
        let (step, turn) = (phi / rho, theta / rho);
        for ((x, w), v) in x.iter_mut().zip(w.iter_mut()).zip(&v) {
            *x += step * *w;
            *w = v - turn * *w;
        }
        outcome.residual = phi_bar;
        if phi_bar <= settings.tolerance * b_norm {
            outcome.status = LsqrStatus::Solved;
            return outcome;
        }
        // |Aᵀ r| / (|A| |r|), the paper's second stopping rule.
        if alpha * c.abs() <= settings.tolerance * a_norm_squared.sqrt() {
            return outcome;
        }
    }
    outcome.status = LsqrStatus::IterationLimit;
    outcome
}

/// Sums in chunks whose size depends on nothing: the same bits for any caller.
fn norm(vector: &[f64]) -> f64 {
    vector.chunks(4096).map(|chunk| chunk.iter().map(|x| x * x).sum::<f64>()).sum::<f64>().sqrt()
}

fn normalise(vector: &mut [f64]) -> f64 {
    let size = norm(vector);
    if size > 0.0 {
        let inverse = 1.0 / size;
        vector.iter_mut().for_each(|x| *x *= inverse);
    }
    size
}

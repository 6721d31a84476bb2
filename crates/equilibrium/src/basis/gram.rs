//! The Gram matrix of a basis under the uniform measure, factor by factor, as a preconditioner.
//!
//! Samples are uniform and an outer product's Gram matrix is the Kronecker product of its factors', so the columns of a
//! sampled basis matrix become nearly orthonormal when each factor is divided by its Cholesky factor. LSQR then needs
//! tens of iterations where it needed a thousand.

use super::Basis;

/// Cholesky factors `G = L Lᵀ`, one per factor of an outer product.
#[derive(Clone, Debug)]
pub(crate) struct Preconditioner {
    factors: Vec<Factor>,
}

#[derive(Clone, Debug)]
struct Factor {
    len: usize,
    /// Row-major, lower triangle.
    lower: Vec<f64>,
    /// First column of each row that is not zero: splines have bands.
    first: Vec<usize>,
}

impl Preconditioner {
    pub(crate) fn of(basis: &Basis) -> Self {
        let factors = match basis {
            Basis::Outer(factors) => factors.iter().map(Factor::of).collect(),
            single => vec![Factor::of(single)],
        };
        Self { factors }
    }

    /// `x ← L⁻ᵀ x` along every axis: from preconditioned unknowns to weights.
    pub(crate) fn unknowns_to_weights(&self, x: &mut [f64]) {
        self.along_axes(x, &Factor::solve_transposed);
    }

    /// `x ← L⁻¹ x` along every axis, the transpose of [`Self::unknowns_to_weights`].
    pub(crate) fn unknowns_to_weights_transposed(&self, x: &mut [f64]) {
        self.along_axes(x, &Factor::solve);
    }

    /// `x ← Lᵀ x` along every axis: from weights to preconditioned unknowns.
    pub(crate) fn weights_to_unknowns(&self, x: &mut [f64]) {
        self.along_axes(x, &Factor::multiply_transposed);
    }

    fn along_axes(&self, x: &mut [f64], line_op: &dyn Fn(&Factor, &mut [f64], usize)) {
        let mut inner = x.len();
        for factor in &self.factors {
            let block = inner;
            inner /= factor.len.max(1);
            for part in x.chunks_exact_mut(block) {
                line_op(factor, part, inner);
            }
        }
    }
}

impl Factor {
    fn of(basis: &Basis) -> Self {
        let len = basis.len();
        let mut lower = gram(basis);
        // Functions that vanish everywhere, or repeat each other, get a pivot of their own.
        let ridge = 1e-12 * (0..len).map(|k| lower[k * len + k]).fold(1e-300, f64::max);
        for r in 0..len {
            for c in 0..=r {
                let mut sum = lower[r * len + c];
                for k in 0..c {
                    sum -= lower[r * len + k] * lower[c * len + k];
                }
                lower[r * len + c] = if r == c { sum.max(ridge).sqrt() } else { sum / lower[c * len + c] };
            }
        }
        let first = (0..len).map(|r| (0..r).find(|&c| lower[r * len + c] != 0.0).unwrap_or(r)).collect();
        Self { len, lower, first }
    }

    /// All lines of a block at once: entry `k` of each is a run of `inner` numbers.
    fn solve(&self, block: &mut [f64], inner: usize) {
        for r in 0..self.len {
            let (before, rest) = block.split_at_mut(r * inner);
            let row = &mut rest[..inner];
            for c in self.first[r]..r {
                axpy(-self.lower[r * self.len + c], &before[c * inner..][..inner], row);
            }
            let inverse = 1.0 / self.lower[r * self.len + r];
            row.iter_mut().for_each(|x| *x *= inverse);
        }
    }

    fn solve_transposed(&self, block: &mut [f64], inner: usize) {
        for r in (0..self.len).rev() {
            let (before, rest) = block.split_at_mut(r * inner);
            let row = &mut rest[..inner];
            let inverse = 1.0 / self.lower[r * self.len + r];
            row.iter_mut().for_each(|x| *x *= inverse);
            for c in self.first[r]..r {
                axpy(-self.lower[r * self.len + c], row, &mut before[c * inner..][..inner]);
            }
        }
    }

    fn multiply_transposed(&self, block: &mut [f64], inner: usize) {
        for c in 0..self.len {
            let (before, rest) = block.split_at_mut((c + 1) * inner);
            let row = &mut before[c * inner..];
            row.iter_mut().for_each(|x| *x *= self.lower[c * self.len + c]);
            for r in c + 1..self.len {
                axpy(self.lower[r * self.len + c], &rest[(r - c - 1) * inner..][..inner], row);
            }
        }
    }
}

fn axpy(factor: f64, from: &[f64], to: &mut [f64]) {
    if factor != 0.0 {
        to.iter_mut().zip(from).for_each(|(t, f)| *t += factor * f);
    }
}

/// Dense Gram matrix; that of a reduced basis is `Cᵀ G C`.
fn gram(basis: &Basis) -> Vec<f64> {
    let n = basis.len();
    let mut matrix = vec![0.0; n * n];
    match basis {
        Basis::Indicators { .. } => (0..n).for_each(|k| matrix[k * n + k] = 1.0 / n as f64),
        Basis::Splines { splines, .. } => {
            // Between two knots a product of cubics has degree six: four Gauss points are exact.
            let points = [0.069_431_844_202_973_71, 0.330_009_478_207_571_9];
            let weights = [0.173_927_422_568_726_93, 0.326_072_577_431_273_07];
            let cells = splines.cells();
            for cell in 0..cells {
                for (point, weight) in points.iter().zip(weights) {
                    for at in [*point, 1.0 - point] {
                        let (indices, values) = splines.at_share((cell as f64 + at) / cells as f64);
                        for (&i, &x) in indices.iter().zip(&values) {
                            for (&j, &y) in indices.iter().zip(&values) {
                                matrix[i * n + j] += weight * x * y / cells as f64;
                            }
                        }
                    }
                }
            }
        }
        Basis::Outer(factors) => {
            let parts: Vec<(usize, Vec<f64>)> = factors.iter().map(|f| (f.len(), gram(f))).collect();
            for (at, entry) in matrix.iter_mut().enumerate() {
                let (mut i, mut j) = (at / n, at % n);
                *entry = 1.0;
                for (len, part) in parts.iter().rev() {
                    *entry *= part[(i % len) * len + j % len];
                    (i, j) = (i / len, j / len);
                }
            }
        }
        Basis::Reduced(reduced) => {
            let source = reduced.source();
            let m = source.len();
            let mut product = vec![0.0; m * n];
            multiply_gram(source, reduced.coefficients(), n, &mut product);
            for (line, g) in reduced.coefficients().chunks_exact(n).zip(product.chunks_exact(n)) {
                for (i, c) in line.iter().enumerate() {
                    axpy(*c, g, &mut matrix[i * n..(i + 1) * n]);
                }
            }
        }
    }
    matrix
}

/// `out = G C` for `C` of `width` columns, without writing a large `G` out.
fn multiply_gram(basis: &Basis, columns: &[f64], width: usize, out: &mut [f64]) {
    out.copy_from_slice(columns);
    let factors = match basis {
        Basis::Outer(factors) => factors.as_slice(),
        single => std::slice::from_ref(single),
    };
    let mut inner = out.len();
    for factor in factors {
        let (len, g) = (factor.len(), gram(factor));
        let block = inner;
        inner /= len.max(1);
        for part in out.chunks_exact_mut(block) {
            let old = part.to_vec();
            part.fill(0.0);
            for r in 0..len {
                for c in 0..len {
                    axpy(g[r * len + c], &old[c * inner..][..inner], &mut part[r * inner..][..inner]);
                }
            }
        }
    }
    debug_assert_eq!(inner, width);
}

#[cfg(test)]
mod tests {
    use super::{Preconditioner, gram};
    use crate::basis::{Basis, SparseRow};
    use crate::game::Axis;

    #[test]
    fn gram_matrices_are_integrals_and_the_preconditioner_inverts() {
        let axes = [Axis::Continuous { low: -1.0, high: 2.0 }, Axis::Periodic { low: 0.0, high: 1.0 }];
        let wave: Vec<f64> = (0..3 * 7).map(|k| (f64::from(k) * 0.61).cos()).collect();
        let first = Basis::reduced(Basis::on_axis(&axes, 0, 7).unwrap(), &wave).unwrap();
        let basis = Basis::outer(vec![first, Basis::on_axis(&axes, 1, 5).unwrap()]).unwrap();
        let n = basis.len();
        let exact = gram(&basis);
        // The same integral by a fine midpoint rule.
        let (mut sums, mut row, fine) = (vec![0.0; n * n], SparseRow::default(), 400);
        for a in 0..fine {
            for b in 0..fine {
                let state = [-1.0 + 3.0 * (f64::from(a) + 0.5) / 400.0, (f64::from(b) + 0.5) / 400.0];
                basis.evaluate(&state, &mut row);
                for (i, x) in row.iter() {
                    for (j, y) in row.iter() {
                        sums[i as usize * n + j as usize] += x * y / 160_000.0;
                    }
                }
            }
        }
        for (a, b) in exact.iter().zip(&sums) {
            assert!((a - b).abs() < 1e-4, "{a} against {b}");
        }
        let preconditioner = Preconditioner::of(&basis);
        let start: Vec<f64> = (0..n).map(|k| (k as f64).sin()).collect();
        let mut x = start.clone();
        preconditioner.weights_to_unknowns(&mut x);
        // |Lᵀ w|² = wᵀ G w
        let energy: f64 = (0..n * n).map(|k| start[k / n] * exact[k] * start[k % n]).sum();
        assert!((x.iter().map(|x| x * x).sum::<f64>() - energy).abs() < 1e-10 * energy);
        preconditioner.unknowns_to_weights(&mut x);
        assert!(x.iter().zip(&start).all(|(a, b)| (a - b).abs() < 1e-9));
        // <L⁻ᵀ a, b> = <a, L⁻¹ b>
        let other: Vec<f64> = (0..n).map(|k| (k as f64 * 1.7).cos()).collect();
        let (mut left, mut right) = (start.clone(), other.clone());
        preconditioner.unknowns_to_weights(&mut left);
        preconditioner.unknowns_to_weights_transposed(&mut right);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        assert!((dot(&left, &other) - dot(&start, &right)).abs() < 1e-9 * dot(&left, &left).sqrt());
    }
}

//! Small dense linear algebra: one solver, one symmetric eigenproblem.

/// Solves `A x = b` by Gaussian elimination with partial pivoting; `b` becomes `x`. False if `A` is singular.
pub(crate) fn solve_in_place(a: &mut [f64], b: &mut [f64]) -> bool {
    let n = b.len();
    for c in 0..n {
        let (mut best, mut size) = (c, 0.0);
        for r in c..n {
            if a[r * n + c].abs() > size {
                (best, size) = (r, a[r * n + c].abs());
            }
        }
        if size < 1e-14 {
            return false;
        }
        if best != c {
            for k in c..n {
                a.swap(c * n + k, best * n + k);
            }
            b.swap(c, best);
        }
        let (upper, lower) = a.split_at_mut((c + 1) * n);
        let pivot_row = &upper[c * n..];
        for (below, line) in lower.chunks_exact_mut(n).enumerate() {
            let factor = line[c] / pivot_row[c];
            if factor != 0.0 {
                for (x, p) in line[c..].iter_mut().zip(&pivot_row[c..]) {
                    *x -= factor * p;
                }
                b[c + 1 + below] -= factor * b[c];
            }
        }
    }
    for r in (0..n).rev() {
        let sum: f64 = a[r * n + r + 1..(r + 1) * n].iter().zip(&b[r + 1..]).map(|(x, y)| x * y).sum();
        b[r] = (b[r] - sum) / a[r * n + r];
    }
    true
}

/// Eigenvalues and eigenvectors of a symmetric matrix by Jacobi's rotations, largest first; vector `k` is row `k`.
pub(crate) fn symmetric_eigen(mut a: Vec<f64>, n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut vectors = vec![0.0; n * n];
    for k in 0..n {
        vectors[k * n + k] = 1.0;
    }
    let total: f64 = a.iter().map(|x| x * x).sum();
    for _ in 0..60 {
        let mut off = 0.0;
        for p in 0..n {
            for q in p + 1..n {
                off += a[p * n + q] * a[p * n + q];
            }
        }
        if off <= 1e-30 * total {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut vectors, n, p, q);
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&x, &y| a[y * n + y].total_cmp(&a[x * n + x]).then(x.cmp(&y)));
    let values = order.iter().map(|&k| a[k * n + k]).collect();
    let sorted = order.iter().flat_map(|&k| vectors[k * n..(k + 1) * n].to_vec()).collect();
    (values, sorted)
}

fn rotate(a: &mut [f64], vectors: &mut [f64], n: usize, p: usize, q: usize) {
    let apq = a[p * n + q];
    if apq == 0.0 {
        return;
    }
    let theta = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let t = if theta == 0.0 { 1.0 } else { t };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..n {
        let (x, y) = (a[k * n + p], a[k * n + q]);
        a[k * n + p] = c * x - s * y;
        a[k * n + q] = s * x + c * y;
    }
    for k in 0..n {
        let (x, y) = (a[p * n + k], a[q * n + k]);
        a[p * n + k] = c * x - s * y;
        a[q * n + k] = s * x + c * y;
        let (x, y) = (vectors[p * n + k], vectors[q * n + k]);
        vectors[p * n + k] = c * x - s * y;
        vectors[q * n + k] = s * x + c * y;
    }
}

#[cfg(test)]
mod tests {
    use super::{solve_in_place, symmetric_eigen};

    #[test]
    fn a_known_system_and_a_singular_one() {
        let mut b = [3.0, 5.0, 3.0];
        assert!(solve_in_place(&mut [0.0, 2.0, 1.0, 1.0, 1.0, 3.0, 2.0, 1.0, 0.0], &mut b));
        assert!(b.iter().all(|x| (x - 1.0).abs() < 1e-14));
        assert!(!solve_in_place(&mut [1.0, 2.0, 2.0, 4.0], &mut [1.0, 1.0]));
    }

    #[test]
    fn eigenvectors_rebuild_the_matrix() {
        let n = 9;
        let a: Vec<f64> =
            (0..n * n).map(|k| (((k / n) * (k % n) + k / n + k % n) as f64 * 0.7).sin()).collect();
        let (values, vectors) = symmetric_eigen(a.clone(), n);
        assert!(values.windows(2).all(|w| w[0] >= w[1]));
        for i in 0..n {
            for j in 0..n {
                let sum: f64 = (0..n).map(|k| values[k] * vectors[k * n + i] * vectors[k * n + j]).sum();
                assert!((sum - a[i * n + j]).abs() < 1e-12);
            }
        }
    }
}

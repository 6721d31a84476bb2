//! An independent judge of quadratic programs.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};
use randori_wholebody::qp::DenseQp;

/// What the interior-point method says.
#[derive(Debug, PartialEq)]
pub(crate) enum Judged {
    /// The optimum's value.
    Solved(f64),
    /// No point satisfies all rows.
    Infeasible,
    /// It did not come to a clear end.
    Unclear,
}

/// Solves the problem with clarabel.
pub(crate) fn judge(qp: &DenseQp) -> Judged {
    let n = qp.n;
    let (mut rows, mut rhs): (Vec<Vec<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
    for (i, b) in qp.b.iter().enumerate() {
        rows.push(qp.a[i * n..(i + 1) * n].to_vec());
        rhs.push(*b);
    }
    let unit = |i: usize| (0..n).map(|j| f64::from(u8::from(i == j))).collect::<Vec<_>>();
    let ranges = (0..qp.lower.len()).map(|i| (qp.c[i * n..(i + 1) * n].to_vec(), qp.lower[i], qp.upper[i]));
    let bounds = (0..n).map(|i| (unit(i), qp.x_lower[i], qp.x_upper[i]));
    for (row, lower, upper) in ranges.chain(bounds) {
        if upper.is_finite() {
            rows.push(row.clone());
            rhs.push(upper);
        }
        if lower.is_finite() {
            rows.push(row.iter().map(|x| -x).collect());
            rhs.push(-lower);
        }
    }
    let cones =
        [SupportedConeT::ZeroConeT(qp.b.len()), SupportedConeT::NonnegativeConeT(rhs.len() - qp.b.len())];
    let upper: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| if j >= i { qp.h[i * n + j] } else { 0.0 }).collect()).collect();
    let h = sparse(&upper, n);
    let a = sparse(&rows, n);
    let settings = DefaultSettings { verbose: false, ..DefaultSettings::default() };
    let Ok(mut solver) = DefaultSolver::new(&h, &qp.g, &a, &rhs, &cones, settings) else {
        return Judged::Unclear;
    };
    solver.solve();
    match solver.solution.status {
        SolverStatus::Solved => Judged::Solved(solver.solution.obj_val),
        SolverStatus::PrimalInfeasible => Judged::Infeasible,
        _ => Judged::Unclear,
    }
}

fn sparse(rows: &[Vec<f64>], n: usize) -> CscMatrix<f64> {
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for j in 0..n {
        for (i, row) in rows.iter().enumerate() {
            if row[j] != 0.0 {
                indices.push(i);
                values.push(row[j]);
            }
        }
        starts.push(indices.len());
    }
    CscMatrix::new(rows.len(), n, starts, indices, values)
}

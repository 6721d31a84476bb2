//! The dense solver against an independent interior-point method, over thousands of random problems.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::needless_range_loop,
    reason = "tests fail by panicking and speak by printing"
)]

mod common;

use common::{Judged, judge};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_wholebody::qp::{DenseQp, DenseSolver, Status};

/// A random problem: some rows dependent, some limits one-sided, some equal, the objective sometimes
/// rank-deficient, and rows sometimes contradictory.
fn random_problem(seed: u64) -> DenseQp {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let n = rng.random_range(1..12);
    let mut qp = DenseQp::new(n);
    let rank = if rng.random_bool(0.8) { n } else { rng.random_range(0..n) };
    for _ in 0..rank.max(1) {
        let row: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
        for i in 0..n {
            for j in 0..n {
                qp.h[i * n + j] += row[i] * row[j];
            }
        }
    }
    if rank == n {
        (0..n).for_each(|i| qp.h[i * n + i] += 0.05);
    }
    qp.g.fill_with(|| rng.random_range(-2.0..2.0));
    let inside: Vec<f64> = (0..n).map(|_| rng.random_range(-1.0..1.0)).collect();
    let tight = if rng.random_bool(0.7) { 1.0 } else { -1.0 };
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for _ in 0..rng.random_range(0..2 * n + 2) {
        let row: Vec<f64> = match rng.random_range(0..4) {
            0 if !rows.is_empty() => {
                let (a, b) = (rng.random_range(0..rows.len()), rng.random_range(0..rows.len()));
                rows[a].iter().zip(&rows[b]).map(|(x, y)| x - 2.0 * y).collect()
            }
            _ => {
                (0..n).map(|_| if rng.random_bool(0.3) { 0.0 } else { rng.random_range(-1.0..1.0) }).collect()
            }
        };
        let value: f64 = row.iter().zip(&inside).map(|(a, b)| a * b).sum();
        rows.push(row.clone());
        match rng.random_range(0..4) {
            0 if qp.b.len() < n => qp.add_equality(&row, value),
            1 => qp.add_inequality(&row, f64::NEG_INFINITY, value + tight * rng.random_range(0.0..0.5)),
            2 => qp.add_inequality(&row, value - tight * rng.random_range(0.0..0.5), f64::INFINITY),
            _ => qp.add_inequality(&row, value - 0.2, value + rng.random_range(-0.2..0.5) * 1.0),
        }
    }
    for i in 0..n {
        if rng.random_bool(0.4) {
            qp.x_lower[i] = inside[i] - rng.random_range(0.0..0.5);
        }
        if rng.random_bool(0.4) {
            qp.x_upper[i] = inside[i] + rng.random_range(0.0..0.5);
        }
    }
    // Bound everything loosely so that a rank-deficient objective has a minimum.
    if rank < n {
        for i in 0..n {
            qp.x_lower[i] = qp.x_lower[i].max(-5.0);
            qp.x_upper[i] = qp.x_upper[i].min(5.0);
        }
    }
    qp
}

#[test]
fn verdicts_and_optima_agree_with_an_interior_point_method() {
    let mut solver = DenseSolver::default();
    let (mut solved, mut infeasible, mut unclear) = (0, 0, 0);
    for seed in 0..5000 {
        let qp = random_problem(seed);
        let status = solver.solve(&qp);
        match (judge(&qp), &status) {
            (Judged::Solved(best), Status::Solved) => {
                solved += 1;
                let residuals = solver_residuals(&qp, &solver);
                assert!(residuals < 1e-6, "seed {seed}: residual {residuals:e}");
                let found = qp.objective(&solver.x);
                assert!(
                    (found - best).abs() < 1e-5 * (1.0 + best.abs()),
                    "seed {seed}: {found} is not {best}"
                );
            }
            (Judged::Infeasible, Status::Infeasible { conflict }) => {
                infeasible += 1;
                assert!(!conflict.is_empty(), "seed {seed}");
            }
            (Judged::Unclear, _) => unclear += 1,
            (judged, found) => panic!("seed {seed}: {found:?} but the judge says {judged:?}"),
        }
    }
    eprintln!("{solved} solved, {infeasible} infeasible, {unclear} that the judge left open");
    assert!(solved > 1000 && infeasible > 500 && unclear < 100);
}

fn solver_residuals(qp: &DenseQp, solver: &DenseSolver) -> f64 {
    qp.residuals(&solver.x, &solver.multipliers).max()
}

#[test]
fn a_conflict_names_rows_that_contradict_each_other() {
    let mut solver = DenseSolver::default();
    let mut checked = 0;
    for seed in 0..3000 {
        let qp = random_problem(seed);
        let Status::Infeasible { conflict } = solver.solve(&qp) else { continue };
        // The named rows alone, with a trivial objective, must already be infeasible.
        let mut alone = DenseQp::new(qp.n);
        (0..qp.n).for_each(|i| alone.h[i * qp.n + i] = 1.0);
        for row in conflict {
            match row {
                randori_wholebody::qp::RowId::Equality(i) => {
                    alone.add_equality(&qp.a[i * qp.n..(i + 1) * qp.n], qp.b[i]);
                }
                randori_wholebody::qp::RowId::Inequality(i) => {
                    alone.add_inequality(&qp.c[i * qp.n..(i + 1) * qp.n], qp.lower[i], qp.upper[i]);
                }
                randori_wholebody::qp::RowId::Bound(i) => {
                    (alone.x_lower[i], alone.x_upper[i]) = (qp.x_lower[i], qp.x_upper[i]);
                }
            }
        }
        assert!(matches!(solver.solve(&alone), Status::Infeasible { .. }), "seed {seed}");
        checked += 1;
    }
    assert!(checked > 300, "{checked}");
}

#[test]
fn a_good_guess_saves_the_work() {
    let mut solver = DenseSolver::default();
    for seed in 0..500 {
        let qp = random_problem(seed);
        if solver.solve(&qp) != Status::Solved {
            continue;
        }
        let (cold, guess) = (solver.x.clone(), solver.active_rows(&qp).collect::<Vec<_>>());
        assert_eq!(solver.solve_from(&qp, &guess), Status::Solved);
        let off = solver.x.iter().zip(&cold).fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()));
        assert!(off < 1e-6, "seed {seed}: {off:e}");
    }
}

#[test]
fn numbers_that_are_none_are_refused() {
    let mut solver = DenseSolver::default();
    for spoil in [f64::NAN, f64::INFINITY] {
        let mut qp = random_problem(4);
        qp.g[0] = spoil;
        assert_eq!(solver.solve(&qp), Status::Invalid);
    }
    let mut qp = DenseQp::new(2);
    qp.h = vec![1.0, 0.0, 0.0, -1.0];
    assert_eq!(solver.solve(&qp), Status::Invalid);
    let mut qp = DenseQp::new(1);
    qp.g = vec![1.0];
    assert_eq!(solver.solve(&qp), Status::Unbounded);
}

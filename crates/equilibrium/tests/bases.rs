//! Bases and least squares, each against a second way of computing the same.

#![allow(clippy::unwrap_used, reason = "what fails, fails")]

use proptest::prelude::*;
use randori_equilibrium::basis::{Basis, BasisError, CubicSplines, SparseRow, ValueFunction};
use randori_equilibrium::game::Axis;
use randori_equilibrium::lsqr::{LinearOperator, LsqrSettings, LsqrStatus, lsqr};

/// Cox and de Boor's recursion straight from its definition.
fn de_boor(knots: &[f64], index: usize, degree: usize, x: f64) -> f64 {
    if degree == 0 {
        let last = knots[index + 1] == knots[knots.len() - 1] && x == knots[index + 1] && knots[index] < x;
        return if (knots[index] <= x && x < knots[index + 1]) || last { 1.0 } else { 0.0 };
    }
    let part = |num: f64, den: f64| if den > 0.0 { num / den } else { 0.0 };
    part(x - knots[index], knots[index + degree] - knots[index]) * de_boor(knots, index, degree - 1, x)
        + part(knots[index + degree + 1] - x, knots[index + degree + 1] - knots[index + 1])
            * de_boor(knots, index + 1, degree - 1, x)
}

#[test]
fn clamped_splines_follow_the_recursion() {
    for len in [4, 5, 6, 9, 20] {
        let (low, high) = (-4.0, 3.0);
        let cells = len - 3;
        let mut knots = vec![low; 3];
        knots.extend((0..=cells).map(|k| low + (high - low) * k as f64 / cells as f64));
        knots.extend([high; 3]);
        let splines = CubicSplines::clamped(low, high, len).unwrap();
        for step in 0..=100 {
            let x = low + (high - low) * f64::from(step) / 100.0;
            let (indices, values) = splines.at(x);
            for (index, value) in indices.iter().zip(values) {
                assert!(
                    (value - de_boor(&knots, *index, 3, x)).abs() < 1e-12,
                    "{len} splines, {index} at {x}"
                );
            }
            assert!((values.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        }
        // Greville points reproduce straight lines.
        for x in [-4.0, -1.3, 0.7, 3.0] {
            let (indices, values) = splines.at(x);
            let line: f64 = indices.iter().zip(values).map(|(k, v)| splines.centres()[*k] * v).sum();
            assert!((line - x).abs() < 1e-13);
        }
    }
}

#[test]
fn periodic_splines_close_smoothly_and_outside_points_are_wrapped_or_clamped() {
    let circle = CubicSplines::periodic(-1.0, 1.0, 7).unwrap();
    let weights: Vec<f64> = (0..7).map(|k| f64::from(k * k % 5)).collect();
    let value = |x: f64| -> f64 {
        let (indices, values) = circle.at(x);
        indices.iter().zip(values).map(|(k, v)| weights[*k] * v).sum()
    };
    let slope = |x: f64| (value(x + 1e-5) - value(x - 1e-5)) / 2e-5;
    assert!((value(-1.0 + 1e-9) - value(1.0 - 1e-9)).abs() < 1e-7);
    assert!((slope(-1.0 + 1e-4) - slope(1.0 - 1e-4)).abs() < 0.05);
    assert!((value(0.3) - value(2.3)).abs() < 1e-12 && (value(0.3) - value(-1.7)).abs() < 1e-12);
    let line = CubicSplines::clamped(0.0, 1.0, 6).unwrap();
    assert_eq!(line.at(7.0), line.at(1.0));
    assert_eq!(line.at(-7.0), line.at(0.0));
    assert_eq!(CubicSplines::clamped(0.0, 1.0, 3), Err(BasisError::TooFew(3)));
}

const AXES: [Axis; 3] = [
    Axis::Continuous { low: -2.0, high: 2.0 },
    Axis::Discrete { count: 3 },
    Axis::Periodic { low: 0.0, high: 1.0 },
];

#[test]
fn outer_products_are_products() {
    let basis = Basis::over_axes(&AXES, &[0, 1, 2], 6).unwrap();
    assert_eq!(basis.len(), 6 * 3 * 6);
    let parts: Vec<Basis> = (0..3).map(|axis| Basis::on_axis(&AXES, axis, 6).unwrap()).collect();
    let dense = |basis: &Basis, state: &[f64]| {
        let mut row = SparseRow::default();
        basis.evaluate(state, &mut row);
        assert!(row.iter().zip(row.iter().skip(1)).all(|((a, _), (b, _))| a < b), "indices rise");
        let mut full = vec![0.0; basis.len()];
        row.iter().for_each(|(index, value)| full[index as usize] += value);
        full
    };
    for state in [[0.3, 1.0, 0.99], [-2.0, 0.0, 0.01], [1.99, 2.0, 0.5]] {
        let whole = dense(&basis, &state);
        let [a, b, c] = [0, 1, 2].map(|k| dense(&parts[k], &state));
        for (index, value) in whole.iter().enumerate() {
            assert!((value - a[index / 18] * b[index / 6 % 3] * c[index % 6]).abs() < 1e-15);
        }
    }
    assert_eq!(Basis::over_axes(&AXES, &[5], 6), Err(BasisError::NoSuchAxis { axis: 5, count: 3 }));
    assert_eq!(Basis::over_axes(&AXES, &[], 6), Err(BasisError::NoAxes));
    assert_eq!(Basis::over_axes(&AXES, &[0; 12], 60), Err(BasisError::TooLarge));
    assert!(matches!(Basis::reduced(parts[0].clone(), &[1.0; 7]), Err(BasisError::Coefficients { .. })));
}

/// A reduced basis evaluated as it is, and multiplied into the weights, level by level.
#[test]
fn unfolding_changes_the_cost_and_nothing_else() {
    let wave = |n: usize| -> Vec<f64> { (0..n).map(|k| (k as f64 * 0.37).sin()).collect() };
    let first = Basis::reduced(Basis::on_axis(&AXES, 0, 9).unwrap(), &wave(3 * 9)).unwrap();
    let pair = Basis::outer(vec![first, Basis::on_axis(&AXES, 1, 0).unwrap()]).unwrap();
    let second = Basis::reduced(pair, &wave(5 * 9)).unwrap();
    let basis = Basis::outer(vec![second, Basis::on_axis(&AXES, 2, 7).unwrap()]).unwrap();
    assert_eq!((basis.len(), basis.stored_numbers()), (35, 27 + 45));
    let function = ValueFunction { weights: wave(35), basis };
    let mut scratch = SparseRow::default();
    for table in [0, 63, 1000] {
        let unfolded = function.unfolded(table);
        assert_eq!(
            unfolded.weights.len(),
            [35, 63, 189][[0, 63, 1000].iter().position(|t| *t == table).unwrap()]
        );
        for state in [[0.3, 1.0, 0.99], [-2.0, 0.0, 0.01], [1.99, 2.0, 0.5]] {
            assert!((function.value(&state) - unfolded.value_with(&state, &mut scratch)).abs() < 1e-13);
            assert!((unfolded.value(&state) - unfolded.value_with(&state, &mut scratch)).abs() < 1e-14);
        }
    }
}

struct Dense(usize, Vec<f64>);

impl LinearOperator for Dense {
    fn n_rows(&self) -> usize {
        self.1.len() / self.0
    }
    fn n_cols(&self) -> usize {
        self.0
    }
    fn apply(&self, x: &[f64], out: &mut [f64]) {
        for (o, line) in out.iter_mut().zip(self.1.chunks(self.0)) {
            *o = line.iter().zip(x).map(|(a, b)| a * b).sum();
        }
    }
    fn apply_transposed(&self, y: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (y, line) in y.iter().zip(self.1.chunks(self.0)) {
            out.iter_mut().zip(line).for_each(|(o, a)| *o += y * a);
        }
    }
}

proptest! {
    /// The residual of a least-squares solution is orthogonal to every column, from any start.
    #[test]
    fn least_squares_residuals_are_orthogonal(
        entries in prop::collection::vec(-3.0f64..3.0, 12 * 5), b in prop::collection::vec(-3.0f64..3.0, 12),
        start in prop::collection::vec(-3.0f64..3.0, 5),
    ) {
        let a = Dense(5, entries);
        let mut x = start;
        let settings = LsqrSettings { tolerance: 1e-13, max_iterations: 200 };
        let outcome = lsqr(&a, &b, &mut x, &settings);
        let (mut r, mut g) = (vec![0.0; 12], vec![0.0; 5]);
        a.apply(&x, &mut r);
        r.iter_mut().zip(&b).for_each(|(r, b)| *r = b - *r);
        a.apply_transposed(&r, &mut g);
        prop_assert!(g.iter().all(|x| x.abs() < 1e-8), "{g:?}");
        let size = r.iter().map(|x| x * x).sum::<f64>().sqrt();
        prop_assert!((size - outcome.residual).abs() < 1e-8);
    }
}

#[test]
fn least_squares_statuses() {
    let identity = Dense(3, vec![1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0]);
    let mut x = [0.0; 3];
    let outcome = lsqr(&identity, &[1.0, 2.0, 3.0], &mut x, &LsqrSettings::default());
    assert_eq!(outcome.status, LsqrStatus::Solved);
    assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-8));
    // Started at the answer there is nothing to do; from a zero right-hand side either.
    assert_eq!(
        lsqr(&identity, &[1.0, 2.0, 3.0], &mut x, &LsqrSettings { tolerance: 1e-7, max_iterations: 9 })
            .iterations,
        0
    );
    assert_eq!(lsqr(&identity, &[0.0; 3], &mut [0.0; 3], &LsqrSettings::default()).iterations, 0);
    let limit = LsqrSettings { tolerance: 1e-15, max_iterations: 1 };
    assert_eq!(lsqr(&identity, &[1.0, 2.0, 3.0], &mut [0.0; 3], &limit).status, LsqrStatus::IterationLimit);
}

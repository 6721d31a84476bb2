//! Nothing is allocated per solve once a workspace has seen the largest game.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_equilibrium::incremental::{
    IncrementalSettings, IncrementalWorkspace, Start, solve_incrementally,
};
use randori_equilibrium::matrix::{BatchEquilibria, PayoffMatrix, Workspace, solve, solve_batch};

/// Games of all sizes up to `most`, well and badly scaled, with ties, saddle points and copies.
fn games(most: usize, n: usize) -> Vec<(usize, usize, Vec<f64>)> {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut game = |k: usize| {
        let (rows, cols) = (rng.random_range(1..=most), rng.random_range(1..=most));
        let mut entry = || match k % 4 {
            0 => rng.random_range(-1.0..1.0),
            1 => f64::from(rng.random_range(-2_i32..=2)),
            2 => rng.random_range(-1.0..1.0) * libm::pow(10.0, rng.random_range(-9.0..9.0)),
            _ => 1.0,
        };
        (rows, cols, (0..rows * cols).map(|_| entry()).collect())
    };
    let mut games: Vec<_> = (0..n).map(&mut game).collect();
    games.push((most, most, (0..most * most).map(|k| libm::sin(k as f64)).collect()));
    games
}

#[test]
fn warm_solves_allocate_nothing() {
    let games = games(24, 200);
    let mut workspace = Workspace::default();
    let mut solve_all = || {
        for (rows, cols, payoff) in &games {
            let game = PayoffMatrix::new(*rows, *cols, payoff).unwrap();
            assert!(solve(game, &mut workspace).gap <= 1e-9 * game.span());
        }
    };
    solve_all();
    let counted = allocation_counter::measure(solve_all);
    assert_eq!(counted.count_total, 0, "{counted:?}");
}

#[test]
fn warm_batches_allocate_nothing() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let payoffs: Vec<f64> = (0..8 * 8 * 100).map(|_| rng.random_range(-1.0..1.0)).collect();
    let (mut workspace, mut out) = (Workspace::default(), BatchEquilibria::default());
    let mut solve_all = || solve_batch(8, 8, &payoffs, &mut workspace, &mut out).unwrap();
    solve_all();
    let counted = allocation_counter::measure(solve_all);
    assert_eq!(counted.count_total, 0, "{counted:?}");
}

#[test]
fn warm_incremental_solves_allocate_nothing() {
    let games = games(40, 60);
    let settings = IncrementalSettings { whole_up_to: 0, ..Default::default() };
    let mut workspace = IncrementalWorkspace::default();
    let mut solve_all = || {
        for (rows, cols, payoff) in &games {
            let start = Start { agent: &[0], opponent: &[] };
            let entry = |row: usize, col: usize| payoff[row * cols + col];
            solve_incrementally(*rows, *cols, start, &settings, &mut workspace, entry).unwrap();
        }
    };
    solve_all();
    let counted = allocation_counter::measure(solve_all);
    assert_eq!(counted.count_total, 0, "{counted:?}");
}

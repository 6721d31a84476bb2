//! Matrix games against exact references, a general LP solver, and games made to break a simplex.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "what fails, fails; what was measured is said")]

mod common;

use common::{FAMILIES, family_game, microlp_value, reference};
use proptest::prelude::*;
use randori_equilibrium::matrix::{
    BatchEquilibria, Equilibrium, MatrixError, PayoffMatrix, Route, Workspace, exploitability, solve,
    solve_batch,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct ReferenceGames {
    games: Vec<ReferenceGame>,
}

#[derive(Deserialize)]
struct ReferenceGame {
    name: String,
    rows: usize,
    cols: usize,
    payoff: Vec<f64>,
    value: f64,
    unique_agent: Option<Vec<f64>>,
    unique_opponent: Option<Vec<f64>>,
}

/// Solves, checks that policies are probabilities and that the reported gap is what they lose.
fn checked<'w>(rows: usize, cols: usize, payoff: &[f64], workspace: &'w mut Workspace) -> Equilibrium<'w> {
    let game = PayoffMatrix::new(rows, cols, payoff).expect("a sound matrix");
    let solution = solve(game, workspace);
    for policy in [solution.agent, solution.opponent] {
        assert!(policy.iter().all(|p| (0.0..=1.0).contains(p)), "not a probability: {policy:?}");
        assert!((policy.iter().sum::<f64>() - 1.0).abs() < 1e-14);
    }
    let lost = exploitability(game, solution.agent, solution.opponent);
    let rounding = 1e-15 * cols as f64 * payoff.iter().fold(0.0f64, |a, x| a.max(x.abs()));
    assert!(
        (lost - solution.gap).abs() <= 1e-14 * game.span() + rounding,
        "gap {} but loses {lost}",
        solution.gap
    );
    solution
}

#[test]
fn reference_games_are_solved_to_1e_12_of_their_span() {
    let mut workspace = Workspace::default();
    for file in ["matrix_games.json", "known_games.json"] {
        let Some(text) = reference(file) else { return };
        let games: ReferenceGames = serde_json::from_str(&text).unwrap();
        assert!(games.games.len() > 20);
        for game in &games.games {
            let span = PayoffMatrix::new(game.rows, game.cols, &game.payoff).unwrap().span();
            let solution = checked(game.rows, game.cols, &game.payoff, &mut workspace);
            assert!(solution.gap <= 1e-12 * span, "{}: gap {}", game.name, solution.gap);
            assert!(
                (solution.value - game.value).abs() <= 1e-12 * span,
                "{}: value {}",
                game.name,
                solution.value
            );
            for (unique, found) in
                [(&game.unique_agent, solution.agent), (&game.unique_opponent, solution.opponent)]
            {
                let Some(unique) = unique else { continue };
                assert!(
                    unique.iter().zip(found).all(|(a, b)| (a - b).abs() < 1e-9),
                    "{}: {found:?}",
                    game.name
                );
            }
        }
    }
}

#[test]
fn a_general_lp_solver_agrees() {
    let mut workspace = Workspace::default();
    for (rows, cols) in [(1, 1), (1, 7), (7, 1), (2, 2), (3, 5), (8, 8), (5, 13), (13, 5), (20, 20)] {
        for family in FAMILIES {
            for seed in 0..6 {
                let payoff = family_game(family, rows, cols, seed);
                let span = PayoffMatrix::new(rows, cols, &payoff).unwrap().span();
                let solution = checked(rows, cols, &payoff, &mut workspace);
                assert!(solution.gap <= 1e-12 * span);
                let other = microlp_value(rows, cols, &payoff);
                assert!(
                    (solution.value - other).abs() <= 1e-8 * span,
                    "{family} {rows}x{cols} {seed}: {other}"
                );
            }
        }
    }
}

#[test]
fn constant_duplicate_and_thin_games() {
    let mut workspace = Workspace::default();
    let constant = checked(4, 6, &[2.5; 24], &mut workspace);
    assert_eq!((constant.value, constant.gap, constant.route), (2.5, 0.0, Route::Saddle));
    let single = checked(1, 1, &[-7.0], &mut workspace);
    assert_eq!((single.value, single.agent, single.opponent), (-7.0, &[1.0][..], &[1.0][..]));
    let wide = checked(1, 5, &[1.0, 4.0, 4.0, -2.0, 3.0], &mut workspace);
    assert_eq!((wide.value, wide.agent), (4.0, &[0.0, 1.0, 0.0, 0.0, 0.0][..]));
    let tall = checked(5, 1, &[1.0, 4.0, 4.0, -2.0, 3.0], &mut workspace);
    assert_eq!((tall.value, tall.opponent), (-2.0, &[0.0, 0.0, 0.0, 1.0, 0.0][..]));
    // Matching pennies with every row and column three times.
    let doubled: Vec<f64> = (0..36).map(|k| if (k / 6 + k % 6) % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let solution = checked(6, 6, &doubled, &mut workspace);
    assert!(solution.value.abs() < 1e-15 && solution.gap < 1e-15);
    // Degenerate: the identity, where every pivot ties.
    for n in [2, 7, 30, 64] {
        let identity: Vec<f64> = (0..n * n).map(|k| if k / n == k % n { 1.0 } else { 0.0 }).collect();
        let solution = checked(n, n, &identity, &mut workspace);
        assert!((solution.value - 1.0 / n as f64).abs() < 1e-14 && solution.gap < 1e-13);
    }
}

#[test]
fn badly_scaled_payoffs_are_solved_in_their_own_scale() {
    let mut workspace = Workspace::default();
    for seed in 0..40 {
        let (rows, cols) = (4 + seed as usize % 5, 4 + seed as usize % 7);
        let base = family_game("uniform", rows, cols, seed);
        // Entries of 1e-9 to 1e9 in one matrix.
        let mixed: Vec<f64> =
            base.iter().enumerate().map(|(k, x)| x * 10f64.powi((k * 7 % 19) as i32 - 12)).collect();
        let span = PayoffMatrix::new(rows, cols, &mixed).unwrap().span();
        assert!(checked(rows, cols, &mixed, &mut workspace).gap <= 1e-12 * span);
        // A small span far from zero, and both ends of the number range.
        let plain = solve(PayoffMatrix::new(rows, cols, &base).unwrap(), &mut workspace).value;
        let far: Vec<f64> = base.iter().map(|x| x + 1e9).collect();
        let shifted = checked(rows, cols, &far, &mut workspace);
        assert!((shifted.value - 1e9 - plain).abs() < 1e-6 && shifted.gap < 1e-6);
        for scale in [1e-305, 1e-12, 1e290] {
            let scaled: Vec<f64> = base.iter().map(|x| x * scale).collect();
            let solution = solve(PayoffMatrix::new(rows, cols, &scaled).unwrap(), &mut workspace);
            assert!((solution.value - plain * scale).abs() <= 1e-11 * 2000.0 * scale, "scale {scale}");
            assert!(solution.gap <= 1e-12 * 2000.0 * scale);
        }
    }
}

#[test]
fn outliers_of_1e12_do_not_blur_the_rest() {
    let mut workspace = Workspace::default();
    let mut slow_routes = 0;
    for seed in 0..60 {
        let n = 4 + seed as usize % 9;
        let mut payoff = family_game(["uniform", "ternary", "lowrank"][seed as usize % 3], n, n, seed);
        // Dominated: row 0 costs the opponent dearly, column n - 1 costs the agent dearly.
        for (k, entry) in payoff[..n].iter_mut().enumerate() {
            *entry = 1e12 * (1.0 + k as f64);
        }
        for i in 1..n {
            payoff[i * n + n - 1] = -1e12 * (1.0 + i as f64);
        }
        let inner: Vec<f64> = (1..n).flat_map(|i| payoff[i * n..i * n + n - 1].to_vec()).collect();
        let exact = solve(PayoffMatrix::new(n - 1, n - 1, &inner).unwrap(), &mut workspace).value;
        let game = PayoffMatrix::new(n, n, &payoff).unwrap();
        let solution = solve(game, &mut workspace);
        assert!((solution.value - exact).abs() < 1e-9, "seed {seed}: {} for {exact}", solution.value);
        assert!(solution.gap < 1e-9, "seed {seed}: gap {}", solution.gap);
        slow_routes += usize::from(solution.route > Route::Tableau);
    }
    assert!(slow_routes > 10, "the slow routes were not needed: the games are too easy");
}

#[test]
fn bad_matrices_are_refused_with_their_place() {
    let refused = |rows, cols, payoff: &[f64]| PayoffMatrix::new(rows, cols, payoff).unwrap_err();
    assert_eq!(refused(0, 3, &[]), MatrixError::Empty { rows: 0, cols: 3 });
    assert_eq!(refused(2, 2, &[1.0; 3]), MatrixError::Shape { rows: 2, cols: 2, found: 3 });
    assert_eq!(refused(usize::MAX, 2, &[1.0]), MatrixError::Shape { rows: usize::MAX, cols: 2, found: 1 });
    assert!(matches!(
        refused(2, 2, &[1.0, 0.0, f64::NAN, 1.0]),
        MatrixError::NotFinite { row: 1, col: 0, .. }
    ));
    assert!(matches!(refused(1, 2, &[1.0, f64::INFINITY]), MatrixError::NotFinite { row: 0, col: 1, .. }));
    assert!(matches!(refused(1, 2, &[-1e308, 1e308]), MatrixError::TooWide { .. }));
    let mut out = BatchEquilibria::default();
    let ragged = solve_batch(2, 2, &[1.0; 6], &mut Workspace::default(), &mut out);
    assert_eq!(ragged, Err(MatrixError::Shape { rows: 2, cols: 2, found: 2 }));
}

#[test]
fn a_batch_gives_what_single_solves_give() {
    let mut workspace = Workspace::default();
    for (rows, cols) in [(8, 8), (3, 3), (5, 7), (7, 5), (1, 4), (16, 16), (40, 3)] {
        let games: Vec<Vec<f64>> =
            (0..200).map(|k| family_game(FAMILIES[k % 5], rows, cols, k as u64)).collect();
        let mut out = BatchEquilibria::default();
        solve_batch(rows, cols, &games.concat(), &mut workspace, &mut out).unwrap();
        for (k, payoff) in games.iter().enumerate() {
            let game = PayoffMatrix::new(rows, cols, payoff).unwrap();
            let single = solve(game, &mut workspace).value;
            assert!((out.values[k] - single).abs() <= 1e-12 * game.span());
            let lost =
                exploitability(game, &out.agents[k * cols..][..cols], &out.opponents[k * rows..][..rows]);
            assert!(lost <= 1e-12 * game.span(), "{rows}x{cols} game {k} loses {lost}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Few distinct payoffs make ties and degenerate vertices; transposing swaps the players.
    #[test]
    fn any_small_game_is_solved_and_mirrors(
        rows in 1usize..9, cols in 1usize..9, levels in 1i32..5, exponent in -9i32..10, seed in any::<u64>(),
    ) {
        let draw = family_game("uniform", rows, cols, seed);
        let payoff: Vec<f64> =
            draw.iter().map(|x| (x / 999.0 * f64::from(levels)).round() * 10f64.powi(exponent)).collect();
        let mut workspace = Workspace::default();
        let span = PayoffMatrix::new(rows, cols, &payoff).unwrap().span();
        let solution = checked(rows, cols, &payoff, &mut workspace);
        let value = solution.value;
        prop_assert!(solution.gap <= 1e-12 * span);
        let mirror: Vec<f64> = (0..rows * cols).map(|k| -payoff[k % rows * cols + k / rows]).collect();
        let mirrored = checked(cols, rows, &mirror, &mut workspace).value;
        prop_assert!((value + mirrored).abs() <= 1e-12 * span);
    }
}

//! The row and column method: figure 2 entry by entry, ties, any-time bounds, agreement with the whole matrix.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "what fails, fails; what was measured is said")]

mod common;

use std::cell::RefCell;
use std::collections::BTreeSet;

use common::{FAMILIES, family_game};
use randori_equilibrium::incremental::{
    Growth, IncrementalSettings, IncrementalStatus, IncrementalWorkspace, Start, solve_incrementally,
};
use randori_equilibrium::matrix::{MatrixError, PayoffMatrix, Workspace, exploitability, solve};

const GROW: IncrementalSettings = IncrementalSettings {
    whole_up_to: 0,
    max_rounds: usize::MAX,
    tolerance: 1e-12,
    growth: Growth::BestResponse,
};
const PRINTED: IncrementalSettings = IncrementalSettings { growth: Growth::Printed, ..GROW };

/// [Wampler2010], figure 2: the order in which entries appear, and the four that never do.
#[test]
fn figure_2_entry_by_entry() {
    check_figure_2(&GROW);
    check_figure_2(&PRINTED);
}

fn check_figure_2(settings: &IncrementalSettings) {
    let figure = [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [1.0, 2.0, 4.0, 3.0], [7.0, 8.0, 5.0, 6.0]];
    let asked = RefCell::new(Vec::new());
    let ask = |i: usize, j: usize| {
        asked.borrow_mut().push((i + 1, j + 1));
        figure[i][j]
    };
    let mut workspace = IncrementalWorkspace::default();
    let start = Start { agent: &[2], opponent: &[] };
    // One round: column 3, then row 1; the turn-based answer.
    let one_round = IncrementalSettings { max_rounds: 1, ..*settings };
    let first = solve_incrementally(4, 4, start, &one_round, &mut workspace, ask).unwrap();
    assert_eq!((first.opponent, first.agent), (&[1.0, 0.0, 0.0, 0.0][..], &[0.0, 0.0, 1.0, 0.0][..]));
    assert_eq!((first.lower, first.upper, first.status), (3.0, 4.0, IncrementalStatus::RoundLimit));
    assert_eq!(*asked.borrow(), [(1, 3), (2, 3), (3, 3), (4, 3), (1, 1), (1, 2), (1, 4)]);
    // To the end: column 4, then row 3.
    asked.borrow_mut().clear();
    let solved = solve_incrementally(4, 4, start, settings, &mut workspace, ask).unwrap();
    assert_eq!((solved.value(), solved.entries_used, solved.rounds), (3.5, 12, 2));
    let close =
        |found: &[f64], printed: [f64; 4]| found.iter().zip(printed).all(|(a, b)| (a - b).abs() < 1e-15);
    assert!(close(solved.agent, [0.0, 0.0, 0.5, 0.5]) && close(solved.opponent, [0.5, 0.0, 0.5, 0.0]));
    assert_eq!(asked.borrow()[7..], [(2, 4), (3, 4), (4, 4), (3, 1), (3, 2)]);
    assert_eq!((workspace.agent_subset(), workspace.opponent_subset()), (&[2, 3][..], &[0, 2][..]));
    for (i, j) in [(1, 0), (1, 1), (3, 0), (3, 1)] {
        assert_eq!(workspace.known_entry(i, j), None);
    }
    assert_eq!(workspace.known_entry(2, 3), Some(3.0));
}

/// Taken as printed, the rule ends on policies that lose 2 here; taken from the other program's dual they lose nothing.
#[test]
fn ties_do_not_cost_anything() {
    check_ties(&GROW);
    check_ties(&PRINTED);
}

fn check_ties(settings: &IncrementalSettings) {
    let tie = [[1.0, 1.0], [-1.0, 1.0]];
    for first in 0..2 {
        let mut workspace = IncrementalWorkspace::default();
        let start = Start { agent: &[first], opponent: &[] };
        let solution = solve_incrementally(2, 2, start, settings, &mut workspace, |i, j| tie[i][j]).unwrap();
        let game = PayoffMatrix::new(2, 2, tie.as_flattened()).unwrap();
        assert_eq!(exploitability(game, solution.agent, solution.opponent), 0.0, "from column {first}");
    }
    // Every 3×3 game of -1, 0 and 1, from every column.
    let mut workspace = IncrementalWorkspace::default();
    for code in 0..3u32.pow(9) {
        let payoff: Vec<f64> = (0..9).map(|k| f64::from(code / 3u32.pow(k) % 3) - 1.0).collect();
        let game = PayoffMatrix::new(3, 3, &payoff).unwrap();
        for first in 0..3 {
            let start = Start { agent: &[first], opponent: &[] };
            let solution =
                solve_incrementally(3, 3, start, settings, &mut workspace, |i, j| payoff[i * 3 + j]).unwrap();
            assert!(
                exploitability(game, solution.agent, solution.opponent) < 1e-14,
                "{payoff:?} from {first}"
            );
        }
    }
}

#[test]
fn the_whole_matrix_agrees_and_entries_are_asked_once() {
    check_agreement(&GROW);
    check_agreement(&PRINTED);
}

fn check_agreement(settings: &IncrementalSettings) {
    let (mut whole, mut grown) = (Workspace::default(), IncrementalWorkspace::default());
    for family in FAMILIES {
        for (rows, cols, seed) in
            [(5, 5, 1), (12, 9, 2), (9, 12, 3), (30, 30, 4), (1, 6, 5), (6, 1, 6), (50, 50, 7)]
        {
            let payoff = family_game(family, rows, cols, seed);
            let game = PayoffMatrix::new(rows, cols, &payoff).unwrap();
            let value = solve(game, &mut whole).value;
            let asked = RefCell::new(BTreeSet::new());
            let solution = solve_incrementally(rows, cols, Start::default(), settings, &mut grown, |i, j| {
                assert!(asked.borrow_mut().insert((i, j)), "asked twice for ({i}, {j})");
                payoff[i * cols + j]
            })
            .unwrap();
            assert_eq!(solution.entries_used, asked.borrow().len());
            assert!((solution.value() - value).abs() <= 1e-12 * game.span(), "{family} {rows}x{cols}");
            assert!(exploitability(game, solution.agent, solution.opponent) <= 2e-12 * game.span());
        }
    }
}

/// Stopped after any number of rounds, the bounds hold and close.
#[test]
fn bounds_hold_at_any_time() {
    let payoff = family_game("lowrank", 25, 25, 9);
    let game = PayoffMatrix::new(25, 25, &payoff).unwrap();
    let value = solve(game, &mut Workspace::default()).value;
    let mut workspace = IncrementalWorkspace::default();
    for (max_rounds, rule) in (1..12).flat_map(|rounds| [(rounds, GROW), (rounds, PRINTED)]) {
        let settings = IncrementalSettings { max_rounds, ..rule };
        let solution = solve_incrementally(25, 25, Start::default(), &settings, &mut workspace, |i, j| {
            payoff[i * 25 + j]
        })
        .unwrap();
        assert!(solution.lower <= value + 1e-9 && value <= solution.upper + 1e-9);
        let lost = exploitability(game, solution.agent, solution.opponent);
        assert!((lost - (solution.upper - solution.lower)).abs() < 1e-9, "bounds are what the policies lose");
    }
}

#[test]
fn a_warm_start_asks_for_less_and_bad_input_is_refused() {
    let payoff = family_game("tag", 60, 60, 3);
    let mut workspace = IncrementalWorkspace::default();
    let entry = |i: usize, j: usize| payoff[i * 60 + j];
    let cold = solve_incrementally(60, 60, Start::default(), &GROW, &mut workspace, entry).unwrap();
    let cold_rounds = cold.rounds;
    let support = |policy: &[f64]| -> Vec<u32> { (0..60).filter(|&k| policy[k as usize] > 0.0).collect() };
    let (agent, opponent) = (support(cold.agent), support(cold.opponent));
    // Actions beyond the game's, as another state may have had, are left out.
    let start = Start { agent: &[agent, vec![999]].concat(), opponent: &opponent };
    let warm = solve_incrementally(60, 60, start, &GROW, &mut workspace, entry).unwrap();
    assert_eq!(warm.rounds, 1);
    assert!(cold_rounds > 1);
    let nan = solve_incrementally(3, 3, Start::default(), &GROW, &mut workspace, |_, _| f64::NAN);
    assert!(matches!(nan.unwrap_err(), MatrixError::NotFinite { row: 0, col: 0, .. }));
    let empty = solve_incrementally(0, 3, Start::default(), &GROW, &mut workspace, |_, _| 0.0);
    assert_eq!(empty.unwrap_err(), MatrixError::Empty { rows: 0, cols: 3 });
}

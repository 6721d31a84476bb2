//! The figures' data, checked where the paper prints numbers, and the command's reports.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "what fails, fails; what was measured is said")]

use std::cell::Cell;

use randori_equilibrium::figures::{equation_1, figure_2, figure_3, figure_4, figure_5_point, figure_6};
use randori_equilibrium::lspi::{Control, Host, LspiSettings};
use randori_equilibrium::report::{
    LearnRequest, Method, ReportError, learn_game, solve_finite_json, solve_matrix_json,
};

#[test]
fn equation_1_and_figure_2_are_as_printed() {
    let rock = equation_1().unwrap();
    assert!(rock.value.abs() < 1e-15 && rock.agent.iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-15));
    let panels = figure_2().unwrap();
    assert_eq!((panels[0].lower, panels[0].upper), (3.0, 4.0));
    let last = &panels[1];
    assert_eq!((&last.agent_subset[..], &last.opponent_subset[..]), (&[3, 4][..], &[1, 3][..]));
    assert_eq!(last.entries[1], [None, None, Some(7.0), Some(8.0)]);
    assert_eq!(last.entries.iter().flatten().filter(|entry| entry.is_none()).count(), 4);
}

/// Counted in entries, which no other process can disturb: large tag-like games need a fraction of the matrix.
#[test]
fn figure_3_saves_entries_where_games_are_large() {
    let calls = Cell::new(0usize);
    let points = figure_3(&[4, 50], 6, &|| 0.0, &|| calls.set(calls.get() + 1)).unwrap();
    assert_eq!(points[0].entries_used, 16.0, "small games are computed whole");
    let share = points[1].entries_used / points[1].entries as f64;
    println!("50 actions: {:.1} % of the entries", 100.0 * share);
    assert!(share < 0.5, "less than half of the matrix: {share}");
    assert!(points.iter().all(|p| p.least_entries <= p.entries_used), "fewer than a proof needs");
    let expected: f64 = points.iter().map(|p| 6.0 * (p.entries as f64 + p.entries_used)).sum();
    assert_eq!(calls.get() as f64, expected);
}

#[test]
fn figures_4_to_6_have_their_shape() {
    let four = figure_4(12).unwrap();
    assert!(four.components.len() < 12 && four.components.iter().all(|curve| curve.len() == 64));
    assert_eq!((four.surface.len(), four.surface[0].len()), (33, 64));
    let quick = LspiSettings { max_sweeps: 2, max_backups: 0, samples_per_basis: 4.0, ..Default::default() };
    let full = figure_5_point(4, 5, false, &quick, Host::default()).unwrap();
    assert_eq!(full.stored_numbers, 5usize.pow(4));
    let nested = figure_5_point(4, 10, true, &quick, Host::default()).unwrap();
    println!("4 axes, 10 per axis: nested stores {} numbers for 10000", nested.stored_numbers);
    assert!(2 * nested.stored_numbers < 10usize.pow(4));
    // Full bases converge; nested PCA levels off.
    let settings = LspiSettings::default();
    let points = figure_6("pursuit-1d", &[8, 12, 16], &[12, 16, 24], 24, &settings).unwrap();
    let errors: Vec<f64> = points.iter().map(|point| point.mean_squared_error).collect();
    println!("full {:?}, nested {:?}", &errors[..3], &errors[3..]);
    assert!(errors[0] > errors[1] && errors[1] > errors[2]);
    assert!(errors[5] > errors[2], "more bases do not help nested PCA past its level");
    assert!(errors[3..].iter().all(|&error| error < 0.02));
}

#[test]
fn reports_and_refusals() {
    let shaped = solve_matrix_json(r#"{"name":"x","rows":2,"cols":3,"payoff":[1,2,3,6,5,4]}"#).unwrap();
    assert_eq!((shaped.entries_used, shaped.agent.len(), shaped.opponent.len()), (6, 3, 2));
    let json = serde_json::to_value(&shaped).unwrap();
    assert!(["value", "agent", "opponent", "entries_used"].iter().all(|key| json.get(key).is_some()));
    assert!(matches!(
        solve_matrix_json("[[1,2],[3]]"),
        Err(ReportError::Ragged { row: 1, found: 1, expected: 2 })
    ));
    for bad in ["", "{", "[]", "[[]]", "3", r#"{"rows":2,"cols":2,"payoff":[1]}"#, "[[1e999]]", "[[null]]"] {
        let error = solve_matrix_json(bad).unwrap_err().to_string();
        assert!(!error.is_empty(), "{bad}");
    }
    let finite =
        solve_finite_json(r#"{"gamma":0,"states":[{"rows":1,"cols":1,"reward":[2],"next":[[[0,1]]]}]}"#)
            .unwrap();
    assert_eq!(finite.values, [2.0]);
    let json = serde_json::to_value(&finite).unwrap();
    assert!(["values", "policies", "iterations"].iter().all(|key| json.get(key).is_some()));
    let request = LearnRequest { bases: 8, learn_with: 0, method: Method::Nested, seed: 1 };
    let learned =
        learn_game("pursuit-1d", &request, Host::default(), None, &mut |_| Control::Continue).unwrap();
    assert_eq!((learned.report.levels.len(), learned.report.probe_values.len()), (1, 81));
    assert!(learned.report.probe_values.iter().all(|v| (-1.0..6.0).contains(v)));
    let unknown = learn_game("chess", &request, Host::default(), None, &mut |_| Control::Continue);
    assert!(matches!(unknown, Err(ReportError::UnknownGame(_))));
    let few = LearnRequest { bases: 3, ..request };
    assert!(matches!(
        learn_game("pendulum", &few, Host::default(), None, &mut |_| Control::Continue),
        Err(ReportError::Nested(_))
    ));
}

//! Finite Markov games: references, closed forms, conformance, refusals.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "what fails, fails; what was measured is said")]

mod common;

use common::reference;
use randori_equilibrium::arcade::{Pendulum, Pursuit};
use randori_equilibrium::conformance::check;
use randori_equilibrium::finite::{
    FiniteError, FiniteGame, FiniteSettings, FiniteSolution, FiniteState, FiniteStatus, solve_finite,
};
use randori_equilibrium::game::{ActionCounts, ActionPair, Axis, GameError, MarkovGame};
use randori_equilibrium::toys;
use serde_json::Value;

fn solved(game: &FiniteGame) -> FiniteSolution {
    let solution = solve_finite(game, &FiniteSettings::default());
    assert_eq!(solution.status, FiniteStatus::Converged, "residual {}", solution.residual);
    solution
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[test]
fn reference_games_with_written_states() {
    let Some(text) = reference("finite_games.json") else { return };
    let file: Value = serde_json::from_str(&text).unwrap();
    let mut compared = 0;
    for game in file["games"].as_array().unwrap().iter().filter(|game| game.get("states").is_some()) {
        let solution = solved(&FiniteGame::from_json(&game.to_string()).unwrap());
        let values = numbers(&game["values"]);
        let scale = values.iter().fold(1.0f64, |a, v| a.max(v.abs()));
        for (found, expected) in solution.values.iter().zip(&values) {
            // The reference iterates without Newton steps and stops 1e-11 of its values short.
            assert!((found - expected).abs() <= 2e-11 * scale, "{}: {found} for {expected}", game["name"]);
        }
        assert!(solution.iterations < 60, "{}: {} backups", game["name"], solution.iterations);
        compared += 1;
    }
    assert!(compared >= 9);
}

#[test]
fn littmans_soccer() {
    let solution = solved(&toys::soccer(0.9).unwrap());
    let states = toys::soccer_states();
    // Mirrored left to right with the players exchanged, every state is worth the opposite.
    for (state, value) in states.iter().zip(&solution.values) {
        let flip = |(r, c): (i32, i32)| (r, 4 - c);
        let mirror = toys::SoccerState {
            agent: flip(state.opponent),
            opponent: flip(state.agent),
            agent_has_ball: !state.agent_has_ball,
        };
        let at = states.iter().position(|&other| other == mirror).unwrap();
        assert!((value + solution.values[at]).abs() < 1e-11);
    }
    let Some(text) = reference("finite_games.json") else { return };
    let file: Value = serde_json::from_str(&text).unwrap();
    let soccer = file["games"].as_array().unwrap().iter().find(|g| g["name"] == "soccer_littman").unwrap();
    assert_eq!(soccer["state_keys"].as_array().unwrap().len(), states.len());
    for ((key, expected), (state, found)) in soccer["state_keys"]
        .as_array()
        .unwrap()
        .iter()
        .zip(numbers(&soccer["values"]))
        .zip(states.iter().zip(&solution.values))
    {
        let ball = if state.agent_has_ball { 0 } else { 1 };
        let own = [state.agent.0, state.agent.1, state.opponent.0, state.opponent.1, ball].map(f64::from);
        assert_eq!(numbers(key), own);
        assert!((found - expected).abs() < 1e-11, "{state:?}: {found} for {expected}");
    }
}

/// Buro 2003: both bid some of their coins, the higher bid pushes the wrestler; off the edge, or with all coins spent, the
/// side it is on decides. The reference solves it in exact fractions.
#[test]
fn oshi_zumo_is_solved_as_in_exact_fractions() {
    let Some(text) = reference("finite_games.json") else { return };
    let file: Value = serde_json::from_str(&text).unwrap();
    let games = file["games"].as_array().unwrap();
    let game = games.iter().find(|game| game["name"] == "oshi_zumo_7_2").unwrap();
    let keys: Vec<[i32; 3]> = (game["state_keys"].as_array().unwrap().iter())
        .map(|key| {
            let key = numbers(key);
            [key[0] as i32, key[1] as i32, key[2] as i32]
        })
        .collect();
    let bids = |coins: i32| if coins > 0 { (1..=coins).collect() } else { vec![0] };
    let states = keys.iter().map(|&[own, other, offset]| {
        let (columns, rows): (Vec<i32>, Vec<i32>) = (bids(own), bids(other));
        let mut state = FiniteState { rows: rows.len(), cols: columns.len(), reward: vec![], next: vec![] };
        for b in &rows {
            for a in &columns {
                let after = [own - a, other - b, offset + (a - b).signum()];
                let is_over = after[2].abs() > 2 || (after[0] == 0 && after[1] == 0);
                state.reward.push(if is_over { f64::from(after[2].signum()) } else { 0.0 });
                let next = keys.iter().position(|key| *key == after);
                state.next.push(if is_over { vec![] } else { vec![(next.unwrap(), 1.0)] });
            }
        }
        state
    });
    let solution = solved(&FiniteGame::new(1.0, states.collect(), true).unwrap());
    assert_eq!(solution.values.len(), 113);
    for (found, expected) in solution.values.iter().zip(numbers(&game["values"])) {
        assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
    }
}

/// Dresher 1962: m inspections left in n periods are worth -C(n-1, m) / Σ_{i≤m} C(n, i).
#[test]
fn the_inspection_game_has_its_closed_form() {
    let choose = |n: usize, k: usize| (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64);
    let number = |n: usize, m: usize| n * (n - 1) / 2 + m + n - 1;
    let mut states = Vec::new();
    for n in 1..=10usize {
        for m in 0..=n {
            assert_eq!(states.len(), number(n, m));
            let ends =
                |reward: f64| FiniteState { rows: 1, cols: 1, reward: vec![reward], next: vec![vec![]] };
            states.push(match m {
                0 => ends(-1.0),
                _ if m == n => ends(0.0),
                _ => {
                    let next = vec![
                        vec![],
                        vec![],
                        vec![(number(n - 1, m - 1), 1.0)],
                        vec![(number(n - 1, m), 1.0)],
                    ];
                    FiniteState { rows: 2, cols: 2, reward: vec![1.0, -1.0, 0.0, 0.0], next }
                }
            });
        }
    }
    let solution = solved(&FiniteGame::new(1.0, states, false).unwrap());
    for n in 1..=10usize {
        for m in 0..=n {
            let total: f64 = (0..=m).map(|i| choose(n, i)).sum();
            let expected = if m >= n { 0.0 } else { -choose(n - 1, m) / total };
            assert!((solution.values[number(n, m)] - expected).abs() < 1e-12, "V({n}, {m})");
        }
    }
}

#[test]
fn closed_forms() {
    for discount in [0.0, 0.3, 0.9, 0.99, 0.9999] {
        let big = solved(&toys::big_match(discount).unwrap());
        assert!((big.values[0] * (1.0 - discount) - 0.5).abs() < 1e-11);
        let pennies = solved(&toys::pennies_at_two_tables(discount).unwrap());
        let expected = (0.5 + discount / 4.0) / (1.0 - discount);
        assert!((pennies.values[0] - expected).abs() < 1e-10 * expected);
        assert!((pennies.values[1] - expected - 0.5).abs() < 1e-10 * expected);
        let rock = solved(&toys::rock_paper_scissors(discount).unwrap());
        assert!(rock.values[0].abs() < 1e-12);
        assert!(rock.policies[0].agent.iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-12));
    }
    let stopping = solved(&toys::shapley_stopping().unwrap());
    assert!((stopping.values[0] - 5.0 / 2f64.sqrt()).abs() < 1e-12);
}

/// Value iteration alone, slow and sure, agrees with the Newton steps.
#[test]
fn newton_steps_change_nothing_but_the_speed() {
    let game = toys::soccer(0.9).unwrap();
    let fast = solved(&game);
    let slow = solve_finite(&game, &FiniteSettings { newton_up_to: 0, ..Default::default() });
    assert!(fast.iterations * 3 < slow.iterations, "{} against {}", fast.iterations, slow.iterations);
    for (a, b) in fast.values.iter().zip(&slow.values) {
        assert!((a - b).abs() < 1e-11);
    }
}

/// A game of no discount that never ends has no value: a status, not a hang.
#[test]
fn what_never_ends_reaches_the_limit() {
    let endless = toys::repeated(1.0, 1, 1, &[1.0]).unwrap();
    let settings = FiniteSettings { max_iterations: 100, ..Default::default() };
    let solution = solve_finite(&endless, &settings);
    assert_eq!((solution.status, solution.iterations), (FiniteStatus::IterationLimit, 100));
    assert!(solution.values[0].is_finite());
}

#[test]
fn unsound_games_are_refused_with_their_place() {
    let refused = |text: &str| FiniteGame::from_json(text).unwrap_err();
    let state = |next: &str| {
        format!(r#"{{"gamma":0.9,"states":[{{"rows":1,"cols":2,"reward":[1,2],"next":{next}}}]}}"#)
    };
    assert!(matches!(refused("{"), FiniteError::Json(_)));
    assert!(matches!(refused(r#"{"gamma":0.9,"states":[]}"#), FiniteError::NoStates));
    assert!(matches!(
        refused(r#"{"gamma":1.5,"states":[{"rows":1,"cols":1,"reward":[1],"next":[[]]}]}"#),
        FiniteError::Discount(_)
    ));
    assert!(matches!(
        refused(r#"{"gamma":0.5,"states":[{"rows":0,"cols":1,"reward":[],"next":[]}]}"#),
        FiniteError::Matrix { state: 0, .. }
    ));
    assert!(matches!(refused(&state("[[]]")), FiniteError::Cells { expected: 2, found: 1, .. }));
    assert!(matches!(
        refused(&state("[[],[[1,1.0]]]")),
        FiniteError::Successor { col: 1, successor: 1, count: 1, .. }
    ));
    assert!(matches!(refused(&state("[[],[[0,0.9]]]")), FiniteError::Probability { col: 1, .. }));
    assert!(matches!(refused(&state("[[],[[0,0.9],[0,0.2]]]")), FiniteError::Probability { col: 1, .. }));
    assert!(matches!(refused(&state("[[[0,-1.0],[0,2.0]],[]]")), FiniteError::Probability { col: 0, .. }));
    let ending = state("[[],[[0,0.9]]]").replace(r#""gamma""#, r#""may_end":true,"gamma""#);
    assert!(FiniteGame::from_json(&ending).is_ok());
}

#[test]
fn every_game_of_the_crate_conforms() {
    let games: Vec<(&str, Box<dyn MarkovGame>)> = vec![
        ("soccer", Box::new(toys::soccer(0.9).unwrap())),
        ("big match", Box::new(toys::big_match(0.9).unwrap())),
        ("stopping", Box::new(toys::shapley_stopping().unwrap())),
        ("pennies", Box::new(toys::pennies_at_two_tables(0.9).unwrap())),
        ("pendulum", Box::new(Pendulum::default())),
        ("pursuit 1", Box::new(Pursuit::in_dimensions(1).unwrap())),
        ("pursuit 2", Box::new(Pursuit::in_dimensions(2).unwrap())),
        ("pursuit 3", Box::new(Pursuit::in_dimensions(3).unwrap())),
    ];
    for (name, game) in games {
        let met = check(game.as_ref(), 40, 30, 7).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(met.states > 40 && met.pairs >= met.states, "{name}: {met:?}");
        assert_eq!(met.endings > 0, ["soccer", "stopping"].contains(&name), "{name}: {met:?}");
    }
}

/// Each broken promise is found.
#[test]
fn the_conformance_suite_can_fail() {
    struct Broken(&'static str, [Axis; 1]);
    impl MarkovGame for Broken {
        fn axes(&self) -> &[Axis] {
            if self.0 == "axes" { &[] } else { &self.1 }
        }
        fn discount(&self) -> f64 {
            if self.0 == "discount" { 1.5 } else { 0.5 }
        }
        fn action_counts(&self, _: &[f64]) -> ActionCounts {
            ActionCounts { agent: if self.0 == "actions" { 0 } else { 2 }, opponent: 1 }
        }
        fn reward(&self, _: &[f64], _: ActionPair) -> f64 {
            if self.0 == "reward" { f64::NAN } else { 1.0 }
        }
        fn visit_successors(&self, state: &[f64], _: ActionPair, visit: &mut dyn FnMut(f64, &[f64])) {
            match self.0 {
                "successor" => visit(1.0, &[2.0]),
                "probability" => (0..2).for_each(|_| visit(0.6, state)),
                _ => visit(1.0, state),
            }
        }
    }
    let run = |what| check(&Broken(what, [Axis::Continuous { low: 0.0, high: 1.0 }]), 2, 2, 1);
    assert!(run("nothing").is_ok());
    assert!(matches!(run("axes"), Err(GameError::NoAxes)));
    assert!(matches!(run("discount"), Err(GameError::Discount(_))));
    assert!(matches!(run("actions"), Err(GameError::NoActions { agent: 0, .. })));
    assert!(matches!(run("reward"), Err(GameError::Reward { .. })));
    assert!(matches!(run("successor"), Err(GameError::Successor { .. })));
    assert!(matches!(run("probability"), Err(GameError::Probability { .. })));
}

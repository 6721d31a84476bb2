//! Learned value functions against references and grids; determinism; checkpoints; refusals.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "what fails, fails; what was measured is said")]

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};

use common::reference;
use randori_equilibrium::arcade::{Pendulum, Pursuit};
use randori_equilibrium::basis::{Basis, ValueFunction};
use randori_equilibrium::exploit::{FixedPolicyGame, LookaheadPolicy, Side};
use randori_equilibrium::finite::{FiniteSettings, solve_finite};
use randori_equilibrium::game::{ActionCounts, ActionPair, Axis, MarkovGame};
use randori_equilibrium::grid::{GridSettings, solve_on_grid};
use randori_equilibrium::lspi::{
    CheckpointError, Control, Host, Learned, LspiError, LspiSettings, LspiStatus, Projection, fit, learn,
    resume,
};
use randori_equilibrium::nested::{NestedError, NestedEvent, NestedSettings, learn_nested, resume_nested};
use randori_equilibrium::report::lookahead_value;
use randori_equilibrium::toys;
use serde_json::Value;

fn full_basis(game: &dyn MarkovGame, count: usize) -> Basis {
    Basis::over_axes(game.axes(), &(0..game.axes().len()).collect::<Vec<_>>(), count).unwrap()
}

fn learned(game: &dyn MarkovGame, count: usize, settings: &LspiSettings) -> Learned {
    learn(game, &full_basis(game, count), settings, Host::default(), &mut |_| Control::Continue).unwrap()
}

/// Root mean square error at the reference's probes, with one exact step from each.
fn probe_error(name: &str, game: &dyn MarkovGame, value: &ValueFunction) -> Option<(f64, Value)> {
    let file: Value = serde_json::from_str(&reference("continuous_games.json")?).unwrap();
    let record = file["games"].as_array().unwrap().iter().find(|game| game["name"] == name).unwrap().clone();
    let numbers = |value: &Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let values = numbers(&record["probe_values"]);
    let mut total = 0.0;
    for (state, expected) in record["probe_states"].as_array().unwrap().iter().zip(&values) {
        let found = lookahead_value(game, value, &numbers(state)).unwrap();
        total += (found - expected) * (found - expected);
    }
    Some(((total / values.len() as f64).sqrt(), record))
}

/// Within the reference's own error and the best that any function of the basis can do.
#[test]
fn learned_values_reach_the_projection_floor() {
    let games: [(&str, Box<dyn MarkovGame>, usize); 2] = [
        ("pursuit_1d", Box::new(Pursuit::in_dimensions(1).unwrap()), 24),
        ("pendulum", Box::new(Pendulum::default()), 32),
    ];
    for (name, game, count) in games {
        let result = learned(game.as_ref(), count, &LspiSettings::default());
        assert_eq!(result.status, LspiStatus::Converged);
        let Some((error, record)) = probe_error(name, game.as_ref(), &result.value) else { return };
        let floor = record["projection_floor_rms"][count.to_string()].as_f64().unwrap();
        let estimate = record["error_estimate"]["rms"].as_f64().unwrap();
        println!("{name}, {count} per axis: rms {error:.3e}, floor {floor:.3e} + {estimate:.1e}");
        assert!(error <= floor + estimate, "{name}: {error} above {floor} + {estimate}");
        // Coarse bases do so once they are fitted to what was learned over finer ones.
        for coarse in [8, 12, 16] {
            let settings = LspiSettings { samples_per_basis: 60.0, ..Default::default() };
            let basis = full_basis(game.as_ref(), coarse);
            let fine = |state: &[f64]| result.value.value(state);
            let fitted = fit(game.as_ref(), &basis, &settings, Host::default(), &fine).unwrap();
            let Some((error, _)) = probe_error(name, game.as_ref(), &fitted) else { return };
            let floor = record["projection_floor_rms"][coarse.to_string()].as_f64().unwrap();
            println!("{name}, {coarse} per axis by way of {count}: rms {error:.3e}, floor {floor:.3e}");
            assert!(error <= floor + estimate, "{name}, {coarse}: {error} above {floor} + {estimate}");
        }
    }
}

/// The slow way and the learned way agree: linear grid, and splines.
#[test]
fn a_grid_agrees() {
    let game = Pursuit::in_dimensions(1).unwrap();
    let grid =
        solve_on_grid(&game, &GridSettings { nodes: 121, tolerance: 1e-7, ..Default::default() }).unwrap();
    assert!(grid.residual <= 1e-7);
    let Some((_, record)) =
        probe_error("pursuit_1d", &game, &learned(&game, 8, &LspiSettings::default()).value)
    else {
        return;
    };
    let mut total = 0.0;
    let states = record["probe_states"].as_array().unwrap();
    for (state, expected) in states.iter().zip(record["probe_values"].as_array().unwrap()) {
        let state: Vec<f64> = state.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        let error = grid.lookahead(&game, &state).unwrap() - expected.as_f64().unwrap();
        total += error * error;
    }
    let rms = (total / states.len() as f64).sqrt();
    assert!(rms < 4e-3, "a linear grid of 121 nodes is off by {rms}");
}

/// Indicators make learning exact: it must find the values of a finite game.
#[test]
fn a_finite_game_is_learned_exactly() {
    let game = toys::pennies_at_two_tables(0.9).unwrap();
    let exact = solve_finite(&game, &FiniteSettings::default()).values;
    for projection in [Projection::Auto, Projection::LinearProgram] {
        let settings = LspiSettings { projection, tolerance: 1e-10, lsqr: tight(), ..Default::default() };
        let result = learned(&game, 4, &settings);
        assert_eq!(result.linear_programs > 0, projection == Projection::LinearProgram);
        for (found, expected) in result.value.weights.iter().zip(&exact) {
            assert!((found - expected).abs() < 1e-6, "{projection:?}: {found} for {expected}");
        }
    }
}

/// The linear program holds near a discount of 1, too: it is bounded however few samples hold it up, and ends above the
/// game's values, never at nothing.
#[test]
fn the_linear_program_holds_near_a_discount_of_one() {
    let mut game = Pursuit::in_dimensions(1).unwrap();
    game.discount = 0.97;
    let grid = GridSettings { nodes: 33, tolerance: 1e-3, ..Default::default() };
    let exact = solve_on_grid(&game, &grid).unwrap();
    let settings = LspiSettings {
        projection: Projection::LinearProgram,
        samples_per_basis: 6.0,
        max_backups: 0,
        max_sweeps: 4,
        ..Default::default()
    };
    let result = learned(&game, 6, &settings);
    assert_eq!(result.linear_programs, result.sweeps, "every sweep is a program");
    let (mut off, mut total) = (0.0, 0.0);
    for k in 0..400 {
        let state = [-3.8 + f64::from(k % 20) * 0.4, -3.8 + f64::from(k / 20) * 0.4];
        let (found, expected) = (result.value.value(&state), exact.value(&state));
        off += (found - expected) * (found - expected);
        total += expected * expected;
    }
    let share = f64::sqrt(off / total);
    println!("off by {share:.3} of the values");
    assert!(share < 0.35, "{share}");
}

/// Left to itself, learning takes the linear program near a discount of 1 where the basis cannot hold the values, and ends
/// closer to them than least squares does; elsewhere, and where the basis is exact, it takes least squares.
#[test]
fn the_linear_program_is_taken_near_a_discount_of_one() {
    for (discount, backups) in [(0.8, 0), (0.95, 0), (0.98, 0), (0.98, 60), (0.99, 60)] {
        let mut game = Pursuit::in_dimensions(1).unwrap();
        game.discount = discount;
        let grid = GridSettings { nodes: 41, tolerance: 1e-3, ..Default::default() };
        let exact = solve_on_grid(&game, &grid).unwrap();
        let off = |projection: Projection| {
            let settings =
                LspiSettings { projection, max_backups: backups, max_sweeps: 12, ..Default::default() };
            let result = learned(&game, 8, &settings);
            let (mut off, mut total) = (0.0, 0.0);
            for k in 0..400 {
                let state = [-3.8 + f64::from(k % 20) * 0.4, -3.8 + f64::from(k / 20) * 0.4];
                let (found, expected) = (result.value.value(&state), exact.value(&state));
                off += (found - expected) * (found - expected);
                total += expected * expected;
            }
            (f64::sqrt(off / total), result.linear_programs, result.sweeps)
        };
        let (left, programs, sweeps) = off(Projection::Auto);
        let (squares, none, _) = off(Projection::LeastSquares);
        println!(
            "discount {discount}, {backups} backups at most: off by {left:.4} with {programs} programs in {sweeps} sweeps, \
             by {squares:.4} with least squares alone"
        );
        assert_eq!(none, 0);
        if discount < 0.95 {
            assert_eq!((programs, left), (0, squares));
        } else {
            assert_eq!(programs, sweeps, "the program is kept once it is taken");
            assert!(left < squares && left < 0.08, "{discount}: {left} against {squares}");
        }
    }
    let game = toys::pennies_at_two_tables(0.99).unwrap();
    let exact = solve_finite(&game, &FiniteSettings::default()).values;
    let result = learned(&game, 4, &LspiSettings { tolerance: 1e-10, lsqr: tight(), ..Default::default() });
    assert_eq!(result.linear_programs, 0, "indicators hold any values");
    assert!(result.value.weights.iter().zip(&exact).all(|(a, b)| (a - b).abs() < 1e-6 * b.abs()));
}

fn tight() -> randori_equilibrium::lsqr::LsqrSettings {
    randori_equilibrium::lsqr::LsqrSettings { tolerance: 1e-12, max_iterations: 500 }
}

/// Without the cache every product makes its rows anew: the same values to rounding.
#[test]
fn the_cache_changes_nothing_but_the_speed() {
    let game = Pursuit::in_dimensions(1).unwrap();
    let settings = LspiSettings { max_backups: 2, max_sweeps: 3, lsqr: tight(), ..Default::default() };
    let cached = learned(&game, 8, &settings);
    let anew = learned(&game, 8, &LspiSettings { cache_bytes: 0, ..settings });
    assert!(cached.matrix_bytes > 0 && anew.matrix_bytes == 0);
    for (a, b) in cached.value.weights.iter().zip(&anew.value.weights) {
        assert!((a - b).abs() < 1e-6, "{a} against {b}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let game = Pursuit::in_dimensions(2).unwrap();
    let quick = LspiSettings { max_sweeps: 2, max_backups: 1, samples_per_basis: 4.0, ..Default::default() };
    let mut nested = NestedSettings::axis_by_axis(4, 5);
    (nested.slices, nested.whole) = (5, quick);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let full = learned(&game, 5, &quick).value.weights;
            let nested = learn_nested(&game, &nested, Host::default(), &mut |_| Control::Continue).unwrap();
            (full, nested.learned.value.weights)
        })
    };
    let bits = |weights: &[f64]| weights.iter().map(|w| w.to_bits()).collect::<Vec<_>>();
    let (one, three) = (run(1), run(3));
    assert_eq!(bits(&one.0), bits(&three.0));
    assert_eq!(bits(&one.1), bits(&three.1));
    assert!(one.0.iter().any(|w| *w != 0.0));
}

#[test]
fn a_checkpoint_goes_on_where_it_stopped() {
    let game = Pursuit::in_dimensions(1).unwrap();
    let basis = full_basis(&game, 7);
    let settings = LspiSettings { max_sweeps: 5, ..Default::default() };
    let through = learn(&game, &basis, &settings, Host::default(), &mut |_| Control::Continue).unwrap();
    let mut bytes = Vec::new();
    let broken = learn(&game, &basis, &settings, Host::default(), &mut |progress| {
        bytes = progress.checkpoint();
        if progress.sweep == 2 { Control::Stop } else { Control::Continue }
    })
    .unwrap();
    assert_eq!((broken.status, broken.sweeps), (LspiStatus::Stopped, 2));
    let resumed =
        resume(&game, &basis, &settings, Host::default(), &bytes, &mut |_| Control::Continue).unwrap();
    assert_eq!(resumed, through);
    let other = LspiSettings { seed: 9, ..settings };
    let refused = resume(&game, &basis, &other, Host::default(), &bytes, &mut |_| Control::Continue);
    assert_eq!(refused, Err(LspiError::Checkpoint(CheckpointError::OtherProblem)));
    bytes[20] ^= 1;
    let refused = resume(&game, &basis, &settings, Host::default(), &bytes, &mut |_| Control::Continue);
    assert_eq!(refused, Err(LspiError::Checkpoint(CheckpointError::Damaged)));
}

/// A host that gives up is heard in the middle of a sweep, which is then as if it had not begun.
#[test]
fn a_host_gives_up_at_any_time() {
    let game = Pursuit::in_dimensions(1).unwrap();
    let basis = full_basis(&game, 7);
    let settings = LspiSettings { max_sweeps: 5, ..Default::default() };
    let mut sweeps = Vec::new();
    let asked = AtomicUsize::new(0);
    let count = || {
        asked.fetch_add(1, Ordering::Relaxed);
        false
    };
    let host = Host { stop: &count, ..Host::default() };
    let through = learn(&game, &basis, &settings, host, &mut |progress| {
        sweeps.push((progress.sweep, progress.backup, asked.load(Ordering::Relaxed)));
        Control::Continue
    })
    .unwrap();
    assert_ne!(through.status, LspiStatus::Stopped);
    let all = asked.load(Ordering::Relaxed);
    assert!(all > 10 * sweeps.len(), "asked {all} times in {} sweeps", sweeps.len());
    for limit in [0, 1, sweeps[0].2 + 7, sweeps[2].2 - 2, all - 20] {
        let asked = AtomicUsize::new(0);
        let stop = || asked.fetch_add(1, Ordering::Relaxed) >= limit;
        let host = Host { stop: &stop, ..Host::default() };
        let broken = learn(&game, &basis, &settings, host, &mut |_| Control::Continue).unwrap();
        assert_eq!(broken.status, LspiStatus::Stopped, "after {limit}");
        let done = sweeps.iter().filter(|(_, _, asked)| *asked <= limit);
        assert_eq!(
            (broken.sweeps, broken.backups),
            done.clone().next_back().map_or((0, 0), |it| (it.0, it.1))
        );
        assert_eq!(broken.value.weights.iter().any(|w| *w != 0.0), done.count() > 0);
        let refused =
            learn_nested(&game, &NestedSettings::axis_by_axis(2, 6), host, &mut |_| Control::Continue);
        assert_eq!(refused.unwrap_err(), NestedError::Stopped { level: 0 });
    }
}

/// Broken off after a level, a sweep or a backup, nested learning goes on to the same bits, and learns no level twice.
#[test]
fn nested_learning_goes_on_where_it_stopped() {
    let game = Pursuit::in_dimensions(2).unwrap();
    let mut settings = NestedSettings::axis_by_axis(4, 5);
    let whole = LspiSettings { max_sweeps: 3, max_backups: 3, samples_per_basis: 4.0, ..Default::default() };
    (settings.slices, settings.whole, settings.slice.max_sweeps) = (4, whole, 2);
    let mut checkpoints = Vec::new();
    let through = learn_nested(&game, &settings, Host::default(), &mut |event| {
        let levels = usize::from(matches!(event, NestedEvent::Level(_)));
        checkpoints.push((levels, event.checkpoint()));
        Control::Continue
    })
    .unwrap();
    let n_levels: usize = checkpoints.iter().map(|(levels, _)| levels).sum();
    assert_eq!((n_levels, through.levels.len()), (3, 3));
    assert!(through.learned.backups > 0 && checkpoints.len() > n_levels + through.learned.sweeps);
    for (done, (_, bytes)) in checkpoints.iter().enumerate() {
        let mut levels_again = 0;
        let resumed = resume_nested(&game, &settings, Host::default(), bytes, &mut |event| {
            levels_again += usize::from(matches!(event, NestedEvent::Level(_)));
            Control::Continue
        })
        .unwrap();
        assert_eq!(resumed, through, "from checkpoint {done}");
        assert_eq!(levels_again, n_levels.saturating_sub(done + 1));
    }
    let bytes = &checkpoints[4].1;
    let refused = |settings: &NestedSettings, bytes: &[u8]| {
        resume_nested(&game, settings, Host::default(), bytes, &mut |_| Control::Continue).unwrap_err()
    };
    let other = NestedSettings { tolerance: 0.1, ..settings.clone() };
    let other_problem = NestedError::Lspi(LspiError::Checkpoint(CheckpointError::OtherProblem));
    assert_eq!(refused(&other, bytes), other_problem);
    let mut flipped = bytes.clone();
    flipped[200] ^= 1;
    let damaged = NestedError::Lspi(LspiError::Checkpoint(CheckpointError::Damaged));
    assert_eq!(refused(&settings, &flipped), damaged);
    assert_eq!(refused(&settings, &bytes[..bytes.len() - 3]), damaged);
    let nothing = NestedError::Lspi(LspiError::Checkpoint(CheckpointError::NotACheckpoint));
    assert_eq!(refused(&settings, &[]), nothing);
}

/// Nested PCA keeps most of the value function with few functions, and levels off where full bases go on.
#[test]
fn nested_pca_is_small_and_levels_off() {
    let game = Pursuit::in_dimensions(1).unwrap();
    let settings = NestedSettings::axis_by_axis(2, 24);
    let nested = learn_nested(&game, &settings, Host::default(), &mut |_| Control::Continue).unwrap();
    let full = learned(&game, 24, &LspiSettings::default());
    assert!(nested.learned.value.stored_numbers() < full.value.stored_numbers());
    assert!(nested.levels[0].components < 24 && nested.levels[0].left_out <= settings.tolerance);
    let Some((nested_error, _)) = probe_error("pursuit_1d", &game, &nested.learned.value) else { return };
    let Some((full_error, _)) = probe_error("pursuit_1d", &game, &full.value) else { return };
    println!("24 per axis: full {full_error:.3e}, nested {nested_error:.3e}");
    assert!(full_error < nested_error && nested_error < 0.1);
    // Grouped axes: one group is the full method.
    let one_group = NestedSettings { groups: vec![vec![0, 1]], ..NestedSettings::axis_by_axis(2, 24) };
    let same = learn_nested(&game, &one_group, Host::default(), &mut |_| Control::Continue).unwrap();
    assert_eq!(same.learned.value, full.value);
    let refused = NestedSettings { groups: vec![vec![0], vec![0]], ..settings };
    let refused = learn_nested(&game, &refused, Host::default(), &mut |_| Control::Continue);
    assert!(matches!(refused, Err(NestedError::Groups { axes: 2, .. })));
}

/// The best response to a learned policy gains little, to a policy of standing still much.
#[test]
fn learned_policies_are_hard_to_exploit() {
    let game = Pursuit::in_dimensions(1).unwrap();
    let result = learned(&game, 16, &LspiSettings::default());
    let value = result.value.unfolded(1 << 20);
    let grid = GridSettings { nodes: 33, tolerance: 1e-5, ..Default::default() };
    let equilibrium = solve_on_grid(&game, &grid).unwrap();
    let agent = LookaheadPolicy { game: &game, value: &value, side: Side::Agent };
    let still = |_: &[f64], p: &mut Vec<f64>| p.clone_from(&vec![1.0, 0.0, 0.0]);
    let lost = |policy: &dyn randori_equilibrium::exploit::Policy| {
        let response =
            solve_on_grid(&FixedPolicyGame { game: &game, side: Side::Agent, policy }, &grid).unwrap();
        let mut most = 0.0f64;
        for k in 0..400 {
            let state = [-4.0 + f64::from(k % 20) * 0.42, -4.0 + f64::from(k / 20) * 0.42];
            most = most.max(equilibrium.value(&state) - response.value(&state));
        }
        most
    };
    let (clever, idle) = (lost(&agent), lost(&still));
    assert!(clever < 0.12 && idle > 1.0, "learned loses {clever}, standing still {idle}");
}

#[test]
fn unsound_games_are_refused() {
    struct Bad([Axis; 1], &'static str);
    impl MarkovGame for Bad {
        fn axes(&self) -> &[Axis] {
            &self.0
        }
        fn discount(&self) -> f64 {
            0.5
        }
        fn action_counts(&self, _: &[f64]) -> ActionCounts {
            ActionCounts { agent: usize::from(self.1 != "actions"), opponent: 1 }
        }
        fn reward(&self, _: &[f64], _: ActionPair) -> f64 {
            if self.1 == "reward" { f64::NAN } else { 0.0 }
        }
        fn visit_successors(&self, state: &[f64], _: ActionPair, visit: &mut dyn FnMut(f64, &[f64])) {
            visit(1.0, state);
        }
    }
    let axis = Axis::Continuous { low: 0.0, high: 1.0 };
    let run = |what, axis, samples_per_basis| {
        let game = Bad([axis], what);
        let basis = Basis::on_axis(&[Axis::Continuous { low: 0.0, high: 1.0 }], 0, 5).unwrap();
        let settings = LspiSettings { samples_per_basis, ..Default::default() };
        learn(&game, &basis, &settings, Host::default(), &mut |_| Control::Continue)
    };
    assert!(run("nothing", axis, 12.0).is_ok());
    assert!(matches!(run("actions", axis, 12.0), Err(LspiError::Matrix { .. })));
    assert!(matches!(run("reward", axis, 12.0), Err(LspiError::Matrix { .. })));
    assert!(matches!(run("axis", Axis::Continuous { low: 1.0, high: 0.0 }, 12.0), Err(LspiError::Game(_))));
    assert!(matches!(run("samples", axis, 0.5), Err(LspiError::TooFewSamples(_))));
    assert!(matches!(run("samples", axis, f64::NAN), Err(LspiError::TooFewSamples(_))));
}

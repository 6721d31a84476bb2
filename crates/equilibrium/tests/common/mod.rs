//! Shared by the integration tests: the reference files beside the repository, games by family, a general LP solver.
#![allow(dead_code, reason = "each test file uses a part")]
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "what is missing is said aloud; what is wrong fails"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "tests read the reference files that lie beside the repository"
)]

use std::io::Write;
use std::path::{Path, PathBuf};

use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOutcome};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The text of a reference file of `shared/peers/games/reference/`, or none, said aloud, where it does not exist.
pub(crate) fn reference(name: &str) -> Option<String> {
    let found = shared_folder().map(|shared| shared.join("peers/games/reference").join(name));
    let text = found.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
    if text.is_none() {
        // Past the harness, which keeps what passing tests print.
        let what = format!(
            "SKIPPED: no shared/peers/games/reference/{name} beside the repository; set RANDORI_SHARED\n"
        );
        std::io::stderr().write_all(what.as_bytes()).unwrap();
    }
    text
}

fn shared_folder() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("RANDORI_SHARED") {
        return Some(path.into());
    }
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.map(|folder| folder.join("shared")).find(|shared| shared.join("peers/games").is_dir())
}

/// The families of the reference set.
pub(crate) const FAMILIES: [&str; 5] = ["uniform", "lowrank", "saddle", "tag", "ternary"];

/// A seeded game of a family, row-major, made as the reference's generator makes them.
pub(crate) fn family_game(family: &str, rows: usize, cols: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut uniform = |low: f64, high: f64| low + (high - low) * rng.random::<f64>();
    match family {
        "uniform" => (0..rows * cols).map(|_| uniform(-999.0, 999.0).round()).collect(),
        "ternary" => (0..rows * cols).map(|_| uniform(-1.499, 1.499).round()).collect(),
        "lowrank" => {
            let mut gauss = || (0..12).map(|_| uniform(-0.5, 0.5)).sum::<f64>();
            let left: Vec<[f64; 3]> = (0..rows).map(|_| [gauss(), gauss(), gauss()]).collect();
            let right: Vec<[f64; 3]> = (0..cols).map(|_| [gauss(), gauss(), gauss()]).collect();
            let dot = |u: &[f64; 3], w: &[f64; 3]| u[0] * w[0] + u[1] * w[1] + u[2] * w[2];
            let mut payoff = Vec::new();
            for u in &left {
                payoff.extend(right.iter().map(|w| (300.0 * dot(u, w) + 30.0 * gauss()).round()));
            }
            payoff
        }
        "saddle" => {
            let mut payoff: Vec<f64> = (0..rows * cols).map(|_| uniform(-999.0, 999.0).round()).collect();
            let (row, col) = (uniform(0.0, rows as f64) as usize, uniform(0.0, cols as f64) as usize);
            let value = uniform(-200.0, 200.0).round();
            for j in 0..cols {
                payoff[row * cols + j] = value - uniform(1.0, 700.0).round();
            }
            for i in 0..rows {
                payoff[i * cols + col] = value + uniform(1.0, 700.0).round();
            }
            payoff[row * cols + col] = value;
            payoff
        }
        "tag" => {
            let mut moves = |count: usize| -> Vec<[f64; 2]> {
                (0..count)
                    .map(|k| {
                        let angle = std::f64::consts::TAU * (k as f64 + uniform(0.0, 1.0)) / count as f64;
                        let reach = [0.3, 0.7, 1.0][uniform(0.0, 3.0) as usize];
                        [reach * libm::cos(angle), reach * libm::sin(angle)]
                    })
                    .collect()
            };
            let (agent, opponent) = (moves(cols), moves(rows));
            let (distance, bearing) = (uniform(0.2, 1.2), uniform(0.0, std::f64::consts::TAU));
            let offset = [distance * libm::cos(bearing), distance * libm::sin(bearing)];
            let mut payoff = Vec::new();
            for o in &opponent {
                payoff.extend(agent.iter().map(|a| {
                    let (x, y) = (offset[0] + a[0] - o[0], offset[1] + a[1] - o[1]);
                    (1000.0 * libm::exp(-(x * x + y * y) / 0.32)).round()
                }));
            }
            payoff
        }
        other => panic!("no family {other}"),
    }
}

/// The value of a game by a general linear-programming solver: the program of equation (2) as printed.
pub(crate) fn microlp_value(rows: usize, cols: usize, payoff: &[f64]) -> f64 {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let policy: Vec<_> = (0..cols).map(|_| problem.add_var(0.0, (0.0, f64::INFINITY))).collect();
    let value = problem.add_var(1.0, (f64::NEG_INFINITY, f64::INFINITY));
    for row in payoff.chunks_exact(cols).take(rows) {
        let terms = policy.iter().copied().zip(row.iter().copied()).chain([(value, -1.0)]);
        problem.add_constraint(terms.collect::<Vec<_>>(), ComparisonOp::Ge, 0.0);
    }
    problem.add_constraint(policy.iter().map(|&p| (p, 1.0)).collect::<Vec<_>>(), ComparisonOp::Eq, 1.0);
    match problem.solve().unwrap() {
        SolveOutcome::Solution(solution) => solution.objective(),
        SolveOutcome::Interrupted(_) => unreachable!("no limit was set"),
    }
}

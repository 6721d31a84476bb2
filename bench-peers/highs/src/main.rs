//! Times Randori, microlp and HiGHS on the same matrix games, in one run, and prints one line per family and size.
//!
//! `cargo run --release` in this folder; needs cmake and a C++ compiler.

use std::hint::black_box;
use std::time::Instant;

use highs::{HighsModelStatus, RowProblem, Sense};
use randori_equilibrium::matrix::{PayoffMatrix, Workspace, exploitability, solve};

#[path = "../../../crates/equilibrium/tests/common/mod.rs"]
mod common;

use common::{FAMILIES, family_game, microlp_value};

fn highs_value(cols: usize, payoff: &[f64]) -> f64 {
    let mut problem = RowProblem::default();
    let policy: Vec<_> = (0..cols).map(|_| problem.add_column(0.0, 0.0..)).collect();
    let value = problem.add_column(1.0, f64::NEG_INFINITY..);
    for row in payoff.chunks_exact(cols) {
        let terms: Vec<_> = policy.iter().copied().zip(row.iter().copied()).chain([(value, -1.0)]).collect();
        problem.add_row(0.0.., terms);
    }
    problem.add_row(1.0..=1.0, policy.iter().map(|&p| (p, 1.0)).collect::<Vec<_>>());
    let mut model = problem.optimise(Sense::Maximise);
    model.make_quiet();
    model.set_option("threads", 1);
    let solved = model.solve();
    assert_eq!(solved.status(), HighsModelStatus::Optimal);
    solved.get_solution().columns()[cols]
}

/// The least of several runs [µs]: what is left of other processes' noise.
fn microseconds(mut run: impl FnMut() -> f64) -> f64 {
    let mut best = f64::INFINITY;
    let begin = Instant::now();
    while begin.elapsed().as_millis() < 40 || best == f64::INFINITY {
        let start = Instant::now();
        black_box(run());
        best = best.min(start.elapsed().as_secs_f64() * 1e6);
    }
    best
}

/// Games of every family and size: fewer where the others take long.
fn games(size: usize) -> u64 {
    match size {
        0..=50 => 5,
        51..=100 => 3,
        _ => 2,
    }
}

fn main() {
    println!("                    mean time of a game [µs]                times faster than the faster   lost, share");
    println!("family    size         randori      microlp        HiGHS        of both: mean, least         of span");
    let mut workspace = Workspace::default();
    for size in [3, 5, 10, 20, 35, 50, 100, 200] {
        for family in FAMILIES {
            let n = games(size);
            let (mut times, mut least, mut lost) = ([0.0; 3], f64::INFINITY, 0.0_f64);
            for seed in 1..=n {
                let payoff = family_game(family, size, size, seed);
                let game = PayoffMatrix::new(size, size, &payoff).expect("a sound matrix");
                let solution = solve(game, &mut workspace);
                lost = lost.max(exploitability(game, solution.agent, solution.opponent) / game.span());
                let (ours, theirs) = (solution.value, highs_value(size, &payoff));
                assert!((ours - theirs).abs() <= 1e-6 * game.span().max(1.0), "{ours} against {theirs}");
                // Small games by the hundred, or the clock is what is measured.
                let repeats = (40_000 / (size * size)).max(1);
                let randori =
                    microseconds(|| (0..repeats).map(|_| solve(black_box(game), &mut workspace).value).sum())
                        / repeats as f64;
                let microlp = microseconds(|| microlp_value(size, size, &payoff));
                let highs = microseconds(|| highs_value(size, &payoff));
                least = least.min(microlp.min(highs) / randori);
                for (sum, time) in times.iter_mut().zip([randori, microlp, highs]) {
                    *sum += time / n as f64;
                }
            }
            let [randori, microlp, highs] = times;
            let mean = microlp.min(highs) / randori;
            println!(
                "{family:8} {size:4}x{size:<4} {randori:13.2} {microlp:12.1} {highs:12.1} {mean:14.1} {least:12.1} {lost:15.1e}"
            );
        }
    }
}

//! Matrix games by family and size beside microlp, batches of 8×8, and rows and columns on demand with a dear callback.
//!
//! `cargo bench -p randori-equilibrium --bench matrix`; HiGHS stands in `bench-peers/highs`.
#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "a bench measures time and fails loudly")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use randori_equilibrium::incremental::{
    IncrementalSettings, IncrementalWorkspace, Start, solve_incrementally,
};
use randori_equilibrium::matrix::{BatchEquilibria, PayoffMatrix, Workspace, solve, solve_batch};

#[path = "../tests/common/mod.rs"]
mod common;

use common::{FAMILIES, family_game, microlp_value};

const SIZES: [(usize, usize); 6] = [(3, 3), (10, 10), (20, 20), (50, 50), (100, 100), (200, 200)];

fn families(criterion: &mut Criterion) {
    for family in FAMILIES {
        let mut group = criterion.benchmark_group(family);
        for (rows, cols) in SIZES {
            let games: Vec<Vec<f64>> = (0..4).map(|seed| family_game(family, rows, cols, seed)).collect();
            let name = format!("{rows}x{cols}");
            let mut workspace = Workspace::default();
            group.bench_function(BenchmarkId::new("randori", &name), |bencher| {
                bencher.iter(|| {
                    for payoff in &games {
                        black_box(
                            solve(PayoffMatrix::new(rows, cols, payoff).unwrap(), &mut workspace).value,
                        );
                    }
                });
            });
            group.bench_function(BenchmarkId::new("microlp", &name), |bencher| {
                bencher.iter(|| {
                    for payoff in &games {
                        black_box(microlp_value(rows, cols, payoff));
                    }
                });
            });
        }
        group.finish();
    }
}

fn batch(criterion: &mut Criterion) {
    let games: Vec<f64> = (0..10_000).flat_map(|seed| family_game("uniform", 8, 8, seed)).collect();
    let (mut workspace, mut out) = (Workspace::default(), BatchEquilibria::default());
    let mut group = criterion.benchmark_group("batch");
    group.throughput(Throughput::Elements(10_000));
    group.bench_function("8x8", |bencher| {
        bencher.iter(|| solve_batch(8, 8, &games, &mut workspace, &mut out).unwrap());
    });
    group.finish();
}

fn incremental(criterion: &mut Criterion) {
    let dear = || {
        let start = Instant::now();
        while start.elapsed() < Duration::from_micros(1) {
            std::hint::spin_loop();
        }
    };
    let mut group = criterion.benchmark_group("callback of 1 us");
    for n in [5, 20, 50, 100] {
        let payoff = family_game("tag", n, n, 1);
        let (mut whole, mut grown) = (Workspace::default(), IncrementalWorkspace::default());
        group.bench_function(BenchmarkId::new("whole matrix", n), |bencher| {
            bencher.iter(|| {
                let entries: Vec<f64> = payoff
                    .iter()
                    .map(|&x| {
                        dear();
                        x
                    })
                    .collect();
                solve(PayoffMatrix::new(n, n, &entries).unwrap(), &mut whole).value
            });
        });
        group.bench_function(BenchmarkId::new("on demand", n), |bencher| {
            bencher.iter(|| {
                let entry = |i: usize, j: usize| {
                    dear();
                    payoff[i * n + j]
                };
                let settings = IncrementalSettings::default();
                solve_incrementally(n, n, Start::default(), &settings, &mut grown, entry).unwrap().value()
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400));
    targets = families, batch, incremental
}
criterion_main!(benches);

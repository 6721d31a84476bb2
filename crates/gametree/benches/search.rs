//! Edges played by plain and by pruned expansion of the same duels, at depths 2 to 4 with 35 choices at each node.
//!
//! `cargo bench -p randori-gametree --bench search` prints the edges and their ratio before it measures time.
#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]
#![allow(clippy::print_stdout, reason = "a bench reports")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use randori_gametree::{Method, Settings, Workspace, search};

#[path = "../tests/toys/mod.rs"]
mod toys;

use toys::duel::{Duel, Moment};

/// Points per metre squared off the path, and how far off the two begin (mm). A light blow is worth 10⁵ points.
const PATHS: [(&str, f64, i64); 4] = [
    ("competitive", 0.0, 0),
    ("loose path", 1e4, 200),
    ("strict path", 1e5, 200),
    ("far from path", 1e5, 1500),
];

fn states(world: &Duel) -> Vec<Moment> {
    let cases = [(450, 0), (700, 150), (900, 80), (1200, 300), (2000, 200)];
    cases.map(|(distance, wait)| world.begin(distance, wait)).to_vec()
}

fn edges(_: &mut Criterion) {
    println!(
        "{:<13} {:>5} {:>12} {:>10} {:>8} {:>9}",
        "duel", "depth", "plain", "pruned", "ratio", "no keys"
    );
    for (name, path, goal) in PATHS {
        for depth in 2..=4 {
            let settings = Settings { depth, ..Settings::default() };
            let plain = Settings { method: Method::Plain, ..settings.clone() };
            let world = Duel { path, goal, ..Duel::default() };
            let keyless = Duel { keys: false, ..world.clone() };
            let [mut all, mut some, mut without] = [0; 3];
            for state in states(&world) {
                let workspace = &mut Workspace::default();
                let reference = search(&world, &state, &plain, workspace);
                let found = search(&world, &state, &settings, workspace);
                assert_eq!((found.choice, found.scores), (reference.choice, reference.scores));
                all += reference.statistics.edges;
                some += found.statistics.edges;
                without += search(&keyless, &state, &settings, workspace).statistics.edges;
            }
            let ratio = |part: u64| all as f64 / part as f64;
            println!(
                "{name:<13} {depth:>5} {all:>12} {some:>10} {:>8.1} {:>9.1}",
                ratio(some),
                ratio(without)
            );
        }
    }
}

fn time(criterion: &mut Criterion) {
    for (name, path, goal) in PATHS {
        let world = Duel { path, goal, ..Duel::default() };
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        for (method, depth) in [(Method::Plain, 3), (Method::Pruned, 3), (Method::Pruned, 4)] {
            let settings = Settings { depth, method, ..Settings::default() };
            let mut workspace = Workspace::default();
            group.bench_function(BenchmarkId::new(format!("{method:?}"), depth), |bencher| {
                bencher.iter(|| {
                    for state in states(&world) {
                        black_box(search(&world, &state, &settings, &mut workspace));
                    }
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, edges, time);
criterion_main!(benches);

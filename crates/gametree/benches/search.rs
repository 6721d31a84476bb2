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
use toys::mix;

/// Points per metre squared off the path, and how far off the two begin (mm). A light blow is worth 10⁵ points.
const PATHS: [(&str, f64, i64); 4] = [
    ("competitive", 0.0, 0),
    ("loose path", 1e4, 200),
    ("strict path", 1e5, 200),
    ("far from path", 1e5, 1500),
];

/// Duels drawn at random; the order of choices was not tuned on these.
fn drawn(path: f64, goal: i64) -> impl Iterator<Item = (Duel, Moment)> {
    (777..801_u64).map(move |case| {
        let pick = |what: u64, n: u64| (mix(case ^ what << 40) % n) as i64;
        let liked = [400 + pick(1, 1800), 400 + pick(2, 1800)];
        let world = Duel { liked, path, goal, ..Duel::default() };
        let state = world.begin(400 + pick(3, 2000), pick(4, 600));
        (world, state)
    })
}

fn edges(_: &mut Criterion) {
    println!(
        "{:<13} {:>5} {:>12} {:>10} {:>7} {:>7} {:>8}",
        "duel", "depth", "plain", "pruned", "ratio", "worst", "no keys"
    );
    for (name, path, goal) in PATHS {
        for depth in 2..=4 {
            let settings = Settings { depth, ..Settings::default() };
            let plain = Settings { method: Method::Plain, ..settings.clone() };
            let [mut all, mut some, mut without] = [0; 3];
            let mut worst = f64::INFINITY;
            for (world, state) in drawn(path, goal) {
                let workspace = &mut Workspace::default();
                let reference = search(&world, &state, &plain, workspace);
                let found = search(&world, &state, &settings, workspace);
                assert_eq!((found.choice, found.scores), (reference.choice, reference.scores));
                let [of_plain, of_pruned] = [reference, found].map(|decision| decision.statistics.edges);
                all += of_plain;
                some += of_pruned;
                worst = worst.min(of_plain as f64 / of_pruned as f64);
                let keyless = Duel { keys: false, ..world };
                without += search(&keyless, &state, &settings, workspace).statistics.edges;
            }
            let [ratio, keyless] = [some, without].map(|part| all as f64 / part as f64);
            println!("{name:<13} {depth:>5} {all:>12} {some:>10} {ratio:>7.1} {worst:>7.1} {keyless:>8.1}");
        }
    }
}

fn time(criterion: &mut Criterion) {
    for (name, path, goal) in PATHS {
        let duels: Vec<_> = drawn(path, goal).take(5).collect();
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10);
        for (method, depth) in [(Method::Plain, 3), (Method::Pruned, 3), (Method::Pruned, 4)] {
            let settings = Settings { depth, method, ..Settings::default() };
            let mut workspace = Workspace::default();
            group.bench_function(BenchmarkId::new(format!("{method:?}"), depth), |bencher| {
                bencher.iter(|| {
                    for (world, state) in &duels {
                        black_box(search(world, state, &settings, &mut workspace));
                    }
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, edges, time);
criterion_main!(benches);

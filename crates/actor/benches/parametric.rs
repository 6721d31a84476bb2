//! How fast a parametric motion graph is made, and how fast it tells what can happen.
//!
//! `cargo bench -p randori-actor --bench parametric`

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use randori_actor::{tag_agent, tag_opponent};
use randori_motion::Build;
use randori_motion::parametric::{ActionSet, Graph, LookAhead, Recipe, State};

/// States all over a graph.
fn states(graph: &Graph) -> Vec<State> {
    let spread = (0..20).map(|k| ((k % 5) as f32 / 5.0, (k / 5) as f32 / 3.0));
    let of = |node| {
        let [least, most] = graph.node(node).range();
        let state = move |(time, share)| State { node, time, parameter: least + (most - least) * share };
        spread.clone().map(state)
    };
    graph.ids().flat_map(of).collect()
}

fn making(c: &mut Criterion) {
    let mut group = c.benchmark_group("making a graph");
    group.sample_size(10);
    group.bench_function("samples of tag-agent", |b| b.iter(|| tag_agent(black_box(Build::AVERAGE))));
    let recipe = tag_agent(Build::AVERAGE);
    group.bench_function("tag-agent", |b| b.iter(|| Graph::new(black_box(&recipe)).expect("sound")));
    let bytes = Graph::new(&recipe).expect("sound").to_bytes();
    group.bench_function("tag-agent from bytes", |b| b.iter(|| Graph::from_bytes(&bytes).expect("sound")));
    group.finish();
}

/// The time of one set, on average over states.
fn looking_ahead(c: &mut Criterion) {
    let mut group = c.benchmark_group("actions");
    let recipes: [fn(Build) -> Recipe; 2] = [tag_agent, tag_opponent];
    for recipe in recipes {
        let graph = Graph::new(&recipe(Build::AVERAGE)).expect("sound");
        let states = states(&graph);
        for seconds in [0.25, 0.33] {
            let look_ahead = LookAhead { seconds, ..LookAhead::default() };
            let mut set = ActionSet::default();
            group.throughput(Throughput::Elements(states.len() as u64));
            group.bench_function(format!("{} {seconds} s", graph.name), |b| {
                b.iter(|| {
                    for state in &states {
                        graph.actions(*black_box(state), &look_ahead, &mut set);
                        black_box(set.actions());
                    }
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, making, looking_ahead);
criterion_main!(benches);

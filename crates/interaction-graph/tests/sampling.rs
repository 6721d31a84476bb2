//! Exploring: what it brings, when it stops, and what it does not depend on.

mod common;

use std::collections::BTreeSet;
use std::sync::Arc;

use common::{boxer, duel, runner, small};
use randori_arena::stage::Contest;
use randori_arena::style::Style;
use randori_interaction_graph::background::{Matchup, Policies};
use randori_interaction_graph::build::graph_of;
use randori_interaction_graph::interaction::{Carrying, Chasing, Fighting};
use randori_interaction_graph::sample::{Archive, Sampling, explore};
use randori_interaction_graph::{Duel, StateId};

fn explored(most: usize) -> Archive {
    let settings = small();
    explore(duel(), &Fighting, settings.tolerance, &Sampling { most, ..settings.sampling }, &|_, _| ())
}

#[test]
fn samples_are_the_same_for_any_number_of_threads() {
    let on = |n_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| explored(3000))
    };
    let (one, three) = (on(1), on(3));
    assert_eq!(one.samples, three.samples);
    assert_eq!(one.rounds, three.rounds);
}

#[test]
fn weights_change_policies_and_no_samples() {
    // There is no way to tell exploring what anybody wants. What it found serves styles that want opposite things.
    let before = explored(4000);
    let graph = Arc::new(graph_of(duel(), &before, &small(), &|_, _| ()).unwrap());
    let policies = Policies::of(Arc::clone(&graph), Arc::clone(boxer().library()));
    let plan = |name: &str| {
        let style = Style::preset(name).unwrap();
        policies.get(&Matchup { own: style, other: style, depth: 3 })
    };
    let (near, far) = (plan("infighter"), plan("outboxer"));
    let differs = |state: &u32| near.policy.best(StateId(*state), 3) != far.policy.best(StateId(*state), 3);
    assert!((0..graph.n_states() as u32).filter(differs).count() > graph.n_states() / 4);
    assert_eq!(explored(4000).samples, before.samples);
}

#[test]
fn both_rules_stop_it() {
    let full = explored(2000);
    assert!(full.samples.len() == 2000 && full.rounds.len() > 1);
    let settings = small();
    let sated = Sampling { most: 1_000_000, least_new: 0.6, ..settings.sampling };
    let archive = explore(duel(), &Fighting, settings.tolerance, &sated, &|_, _| ());
    assert!(archive.samples.len() < 100_000, "{}", archive.samples.len());
    let (last, earlier) = archive.rounds.split_last().unwrap();
    assert!((last.new as f32) < 0.6 * last.explored as f32, "{last:?}");
    assert!(earlier.iter().all(|round| round.new as f32 >= 0.6 * round.explored as f32));
}

#[test]
fn no_two_samples_are_alike_and_all_can_be_played() {
    let archive = explored(3000);
    let distinct: BTreeSet<String> = archive.samples.iter().map(|sample| format!("{sample:?}")).collect();
    assert_eq!(distinct.len(), archive.samples.len());
    for sample in archive.samples.iter().step_by(50) {
        let moment = duel().moment(sample).unwrap();
        assert_eq!(duel().stage().turn(&moment), Some(0), "{sample:?}");
    }
}

#[test]
fn more_of_what_is_explored_has_to_do_with_the_other() {
    // Against plain spreading, which counts neither edges nor interactions.
    let settings = small();
    let with = |interaction: f32, probes: usize| {
        let sampling = Sampling { most: 6000, interaction, probes, ..settings.sampling.clone() };
        let archive = explore(duel(), &Fighting, settings.tolerance, &sampling, &|_, _| ());
        let near = archive.samples.iter().filter(|it| it.relation.distance < 1.2).count();
        near as f32 / archive.samples.len() as f32
    };
    let (led, blind) = (with(10.0, 8), with(0.0, 0));
    assert!(led > blind, "{led} and {blind}");
}

#[test]
fn other_activities_lead_elsewhere() {
    let settings = small();
    let sampling = Sampling { most: 1500, distances: vec![1.0], ..settings.sampling };
    let carrying = Carrying { apart: [0.8, 1.3] };
    let carried = explore(duel(), &carrying, settings.tolerance, &sampling, &|_, _| ());
    for sample in &carried.samples {
        // A little more for what the other does in the fifth of a second that is looked ahead.
        assert!((0.3..1.8).contains(&sample.relation.distance), "{sample:?}");
    }
    let chase = Duel::of(Arc::clone(runner()), None, f32::INFINITY, Contest::Chase);
    let sampling = Sampling { distances: vec![1.5, 3.0], ..sampling };
    let chased = explore(&chase, &Chasing::default(), settings.tolerance, &sampling, &|_, _| ());
    assert_eq!(chased.samples.len(), 1500);
    assert!(chased.samples.iter().any(|it| it.relation.distance > 2.0));
}

//! Policies: the tables are the definition, and say what the weights say.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use common::{boxer, graph};
use randori_arena::style::Style;
use randori_interaction_graph::graph::Edge;
use randori_interaction_graph::policy::{Looking, Other};
use randori_interaction_graph::reward::{Carrying, Fighting, Reward, Turn};
use randori_interaction_graph::{Graph, Policy, StateId};

fn style(name: &str) -> Style {
    Style::preset(name).unwrap()
}

/// Plain recursion over all paths: what a state is worth to whoever plans.
fn plain(
    graph: &Graph,
    reward: &dyn Fn(StateId, &Edge, Turn) -> f32,
    state: StateId,
    turn: Turn,
    depth: usize,
    looking: &Looking,
) -> f32 {
    if depth == 0 {
        return 0.0;
    }
    let allied = looking.other == Other::Allied;
    let worth = |edge: Edge| {
        let next = if edge.is_swapped { opposite(turn) } else { turn };
        let own = reward(state, &edge, turn);
        let sign = if turn == Turn::Own || allied { 1.0 } else { -1.0 };
        sign * own + looking.discount * plain(graph, reward, edge.to, next, depth - 1, looking)
    };
    let all = graph.edges(state).filter(|edge| !edge.is_spare).map(worth);
    if turn == Turn::Own || allied { all.fold(f32::MIN, f32::max) } else { all.fold(f32::MAX, f32::min) }
}

fn opposite(turn: Turn) -> Turn {
    if turn == Turn::Own { Turn::Other } else { Turn::Own }
}

/// The tables against plain recursion.
fn check(reward: &impl Reward, looking: Looking) {
    let graph = graph();
    let policy = Policy::of(graph, reward, looking);
    let of = |state: StateId, edge: &Edge, turn: Turn| {
        reward.of_edge(&reward.of_state(graph, state, turn), edge.action.0 as u16, &edge.facts, turn)
    };
    for state in (0..graph.n_states() as u32).step_by(graph.n_states() / 12).map(StateId) {
        for depth in 1..=looking.depth {
            let expected = plain(graph, &of, state, Turn::Own, depth, &looking);
            let found = policy.value(state, depth);
            assert!((expected - found).abs() <= 1e-4 * expected.abs().max(1e3), "{expected} {found}");
        }
        let best = graph.edges(state).nth(policy.best(state, 1)).unwrap();
        assert_eq!(of(state, &best, Turn::Own), policy.value(state, 1));
    }
}

#[test]
fn tables_are_plain_recursion() {
    let library = boxer().library();
    let (near, far) = (style("infighter"), style("outboxer"));
    let looking = Looking { depth: 3, ..Looking::default() };
    check(&Fighting::of(library, near, far), Looking { discount: 0.9, ..looking });
    check(&Fighting::of(library, near, near), Looking { other: Other::Mirrored, ..looking });
    let [ahead, ..] = Carrying { distance: 1.0, velocity: [0.0, 0.8], ..Carrying::default() }.eight_ways();
    check(&ahead, Looking { other: Other::Allied, ..looking });
}

#[test]
fn one_table_does_for_two_of_a_kind() {
    let boxer_style = style("general-boxer");
    let reward = Fighting::of(boxer().library(), boxer_style, boxer_style);
    let one = Policy::of(graph(), &reward, Looking { other: Other::Mirrored, ..Looking::default() });
    let two = Policy::of(graph(), &reward, Looking { other: Other::Opposed, ..Looking::default() });
    for state in (0..graph().n_states() as u32).map(StateId) {
        assert_eq!(one.value(state, 5), two.value(state, 5));
        assert_eq!(one.best(state, 5), two.best(state, 5));
    }
}

#[test]
fn tables_are_the_same_for_any_number_of_threads() {
    let reward = Fighting::of(boxer().library(), style("infighter"), style("outboxer"));
    let alone = Policy::of(graph(), &reward, Looking { parallel: false, ..Looking::default() });
    for n_threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        let policy = pool.install(|| Policy::of(graph(), &reward, Looking::default()));
        for state in (0..graph().n_states() as u32).map(StateId) {
            assert_eq!(
                (alone.value(state, 5), alone.best(state, 5)),
                (policy.value(state, 5), policy.best(state, 5))
            );
        }
    }
}

#[test]
fn eight_ways_go_eight_ways() {
    let graph = graph();
    let ways = Carrying { distance: 1.0, velocity: [0.0, 0.6], ..Carrying::default() }.eight_ways();
    let looking = Looking { other: Other::Allied, depth: 4, ..Looking::default() };
    for way in [0, 2, 4, 6] {
        let policy = Policy::of(graph, &ways[way], looking);
        let mut along = 0.0;
        for state in (0..graph.n_states() as u32).step_by(11).map(StateId) {
            let [left, ahead] = graph.edges(state).nth(policy.best(state, 4)).unwrap().facts.velocity;
            along += left * ways[way].velocity[0] + ahead * ways[way].velocity[1];
        }
        assert!(along > 0.0, "{way}: {along}");
    }
}

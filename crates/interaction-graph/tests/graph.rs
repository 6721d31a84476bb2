//! The graph: what is in it, that it is what the stage says, and its file.

mod common;

use common::{boxer, duel, graph, runner, small};
use randori_interaction_graph::build::{BuildError, graph_of};
use randori_interaction_graph::file::GraphError;
use randori_interaction_graph::interaction::Fighting;
use randori_interaction_graph::pairing::{Relation, unlikeness};
use randori_interaction_graph::sample::{Archive, explore};
use randori_interaction_graph::{Graph, Pairing, Settings, StateId};
use randori_motion::ActionId;
use randori_motion::annotation::Kind;
use randori_motion::library::NodeId;

#[test]
fn play_never_stops() {
    let graph = graph();
    assert!(graph.n_states() > 1000 && graph.n_edges() > 5 * graph.n_states(), "{}", graph.n_states());
    for state in (0..graph.n_states() as u32).map(StateId) {
        assert!(graph.edges(state).len() > 0);
        assert!(graph.edges(state).all(|edge| (edge.to.0 as usize) < graph.n_states()));
    }
}

#[test]
fn every_state_can_be_reached() {
    let graph = graph();
    let mut coming = vec![0_u32; graph.n_states()];
    for state in (0..graph.n_states() as u32).map(StateId) {
        graph.edges(state).for_each(|edge| coming[edge.to.0 as usize] += 1);
    }
    // Nothing leads back to some of those where exploring started.
    let lonely = coming.iter().filter(|n| **n == 0).count();
    assert!(lonely * 20 < graph.n_states(), "{lonely} of {}", graph.n_states());
}

#[test]
fn states_are_found_where_they_are() {
    let graph = graph();
    let mut n = 0;
    for state in (0..graph.n_states() as u32).step_by(7).map(StateId) {
        let pairing = graph.pairing(state);
        let found = graph.find(&pairing).unwrap();
        assert!(found.unlike <= 1e-3, "{pairing:?}");
        n += u32::from(found.state == state);
        let far = Relation { distance: pairing.relation.distance + 5.0, ..pairing.relation };
        assert_eq!(graph.find(&Pairing { relation: far, ..pairing }), None);
    }
    assert!(n as usize > graph.n_states() / 8, "{n}");
    let pairing = graph.pairing(StateId(0));
    assert_eq!(graph.find(&Pairing { theirs: ActionId(u32::MAX), ..pairing }), None);
    assert_eq!(graph.find(&Pairing { node: NodeId(60_000), ..pairing }), None);
}

#[test]
fn edges_are_what_the_stage_says() {
    let (graph, duel) = (graph(), duel());
    let (mut n, mut blows, mut spare, mut sums) = (0, 0, 0, [0.0; 2]);
    for state in (0..graph.n_states() as u32).step_by(97).map(StateId) {
        let moment = duel.moment(&graph.pairing(state)).unwrap();
        let mut choices = Vec::new();
        duel.choices(&moment, &mut choices);
        let strikes = duel.bodies().of_action(moment.people[1].doing.action).kind == Kind::Attack;
        for edge in graph.edges(state) {
            // What answers nothing is there only while the other's blow is under way.
            assert_eq!(choices.contains(&edge.action), !edge.is_spare);
            assert!(strikes || !edge.is_spare);
            spare += u32::from(edge.is_spare);
            let (doing, outcome) = duel.play(&moment, edge.action);
            let consequence = duel.consequence(&moment, &doing, &outcome);
            let next = consequence.next.unwrap();
            let there = graph.pairing(edge.to);
            assert_eq!((next.node, consequence.is_swapped), (there.node, edge.is_swapped));
            assert!(unlikeness(next.relation, there.relation).sqrt() <= small().tolerance.unlike + 1e-3);
            let (found, kept) = (consequence.facts, edge.facts);
            assert!((found.distance - kept.distance).abs() < 1e-3);
            assert!((found.angle - kept.angle).abs() < 1e-3);
            sums = [sums[0] + f64::from(found.given), sums[1] + f64::from(kept.given)];
            n += 1;
            blows += u32::from(kept.given > 0.0);
        }
    }
    // A blow counts as it does on average around a state: one that only just lands counts less, others more.
    let [found, kept] = sums;
    assert!((found - kept).abs() < 0.5 * found, "{found} and {kept}");
    assert!(n > 200 && blows > 10 && spare > 10, "{n} edges, {blows} blows, {spare} spare");
}

#[test]
fn states_by_hand_are_kept_as_they_are() {
    let settings = small();
    let archive = explore(duel(), &Fighting, settings.tolerance, &settings.sampling, &|_, _| ());
    let known = graph().pairing(StateId(5));
    let own = Relation { distance: known.relation.distance + 0.07, ..known.relation };
    let by_hand = Pairing { relation: own, ..known };
    let nobody = Pairing { theirs: ActionId(u32::MAX), ..known };
    let settings = Settings { by_hand: vec![by_hand, nobody], ..settings };
    let made = graph_of(duel(), &archive, &settings, &|_, _| ()).unwrap();
    let found = made.find(&by_hand).unwrap();
    assert!(found.unlike < 1e-3, "{found:?}");
}

#[test]
fn nothing_makes_no_graph() {
    let empty = Archive::default();
    let error = graph_of(duel(), &empty, &small(), &|_, _| ()).unwrap_err();
    assert!(matches!(error, BuildError::Empty { .. }), "{error}");
}

#[test]
fn files_keep_everything() {
    let bytes = graph().to_bytes();
    let again = Graph::from_bytes(&bytes).unwrap();
    assert_eq!(again, **graph());
    assert_eq!(again.to_bytes(), bytes);
    again.check_library(boxer().library()).unwrap();
}

#[test]
fn bad_files_are_refused_with_words() {
    let bytes = graph().to_bytes();
    let check = |bytes: &[u8], word: &str| {
        let error = Graph::from_bytes(bytes).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    };
    check(b"", "not an interaction graph");
    check(&boxer().library().to_bytes(), "not an interaction graph");
    let mut newer = bytes.clone();
    newer[8] = 99;
    check(&newer, "version 99");
    for at in [16, 20, 100, bytes.len() / 2, bytes.len() - 1] {
        check(&bytes[..at], "damaged");
        let mut changed = bytes.clone();
        changed[at] ^= 0x40;
        check(&changed, "damaged");
    }
    // With the checksum put right, what is claimed still has to fit.
    for (from, to) in
        [("\"states\":", "\"states\":9"), ("\"actions\":", "\"actions\":1"), ("\"edges\":", "\"edges\":7")]
    {
        let length = u32::from_le_bytes(bytes[16..20].try_into().unwrap()) as usize;
        let header = std::str::from_utf8(&bytes[20..20 + length]).unwrap().replacen(from, to, 1);
        let mut body = (header.len() as u32).to_le_bytes().to_vec();
        body.extend(header.bytes());
        body.extend(&bytes[20 + length..]);
        let mut forged = bytes[..12].to_vec();
        forged.extend(crc32fast::hash(&body).to_le_bytes());
        forged.extend(body);
        check(&forged, "damaged");
    }
    let error = graph().check_library(runner().library()).unwrap_err();
    assert!(
        matches!(error, GraphError::Mismatch { .. }) && error.to_string().contains("build the graph again")
    );
}

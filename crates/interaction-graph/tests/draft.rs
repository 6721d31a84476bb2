//! Builds that are interrupted: they go on from what was kept, to the same graph.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as the tests themselves do")]

mod common;

use common::{boxer, duel, reactions_of_boxer, runner, small};
use randori_arena::stage::Contest;
use randori_interaction_graph::build::{Draft, go_on};
use randori_interaction_graph::draft::DraftError;
use randori_interaction_graph::interaction::Fighting;
use randori_interaction_graph::sample::Sampling;
use randori_interaction_graph::{Duel, Settings};
use std::sync::Arc;

fn settings() -> Settings {
    Settings { sampling: Sampling { most: 30_000, ..small().sampling }, ..small() }
}

/// The graph from a draft in bytes or from nothing, and everything that was kept on the way.
fn built(kept: Option<&[u8]>) -> (Vec<u8>, Vec<Vec<u8>>) {
    let settings = settings();
    let draft = kept.map(|bytes| Draft::from_bytes(bytes, duel(), &settings, "a").unwrap());
    let mut drafts = Vec::new();
    let mut keep = |draft: &Draft| drafts.push(draft.to_bytes(duel(), &settings, "a"));
    let graph = go_on(duel(), &Fighting, &settings, draft, &|_, _, _| (), &mut keep).unwrap();
    (graph.to_bytes(), drafts)
}

#[test]
fn what_was_interrupted_goes_on_to_the_same_bytes() {
    let (whole, drafts) = built(None);
    assert!(drafts.len() > 4, "{}", drafts.len());
    let last = drafts.len() - 1;
    for at in [0, last / 2, last - 1, last] {
        let (graph, more) = built(Some(&drafts[at]));
        assert_eq!(graph, whole, "from draft {at} of {last}");
        assert_eq!(more[..], drafts[at + 1..], "from draft {at} of {last}");
    }
}

#[test]
fn drafts_of_something_else_are_refused_with_words() {
    let settings = settings();
    let mut kept = None;
    let few = Settings { sampling: Sampling { most: 2000, ..settings.sampling.clone() }, ..settings.clone() };
    let mut keep = |draft: &Draft| kept = Some(draft.to_bytes(duel(), &few, "a"));
    go_on(duel(), &Fighting, &few, None, &|_, _, _| (), &mut keep).unwrap();
    let kept = kept.unwrap();
    assert!(Draft::from_bytes(&kept, duel(), &few, "a").is_ok());
    let other = |duel: &Duel, settings: &Settings, program: &str, words: &str| {
        let error = Draft::from_bytes(&kept, duel, settings, program).unwrap_err();
        assert!(matches!(error, DraftError::Other { .. }) && error.to_string().contains(words), "{error}");
    };
    other(duel(), &few, "b", "another version");
    other(duel(), &settings, "a", "other settings");
    let softer = Duel::of(Arc::clone(boxer()), Some(Arc::clone(reactions_of_boxer())), 1.0, Contest::Fight);
    other(&softer, &few, "a", "other settings");
    other(&Duel::of(Arc::clone(runner()), None, 1.0, Contest::Chase), &few, "a", "another library");
    let refused = |bytes: &[u8], words: &str| {
        let error = Draft::from_bytes(bytes, duel(), &few, "a").unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(b"", "not an unfinished");
    for at in [20, kept.len() / 2, kept.len() - 1] {
        refused(&kept[..at], "damaged");
        let mut changed = kept.clone();
        changed[at] ^= 1;
        refused(&changed, "damaged");
    }
    let mut newer = kept.clone();
    newer[8] = 9;
    refused(&newer, "version 9");
}

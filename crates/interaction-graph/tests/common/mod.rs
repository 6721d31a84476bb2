//! A small graph of two boxers, made once for all tests of a file.

#![allow(dead_code, reason = "every test uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

#[path = "../../../arena/tests/common/mod.rs"]
mod arena;

use std::sync::{Arc, OnceLock};

#[allow(unused_imports, reason = "every test uses a part of it")]
pub(crate) use arena::{aims, boxer, fight, reactions_of_boxer, ring, runner};
use randori_arena::stage::Contest;
use randori_interaction_graph::background::Policies;
use randori_interaction_graph::interaction::Fighting;
use randori_interaction_graph::sample::{Sampling, Tolerance};
use randori_interaction_graph::{Duel, Graph, Settings, build};

/// Two boxers of the tests' library.
pub(crate) fn duel() -> &'static Duel {
    static MADE: OnceLock<Duel> = OnceLock::new();
    MADE.get_or_init(|| {
        Duel::of(Arc::clone(boxer()), Some(Arc::clone(reactions_of_boxer())), POISE, Contest::Fight)
    })
}

/// The impulse that fells them (N s).
pub(crate) const POISE: f32 = 65.0;

/// A graph that is made in seconds.
pub(crate) fn small() -> Settings {
    Settings {
        sampling: Sampling { most: 15_000, width: 128, ..Sampling::default() },
        tolerance: Tolerance { unlike: 0.9, frames: 8 },
        ..Settings::default()
    }
}

/// It.
pub(crate) fn graph() -> &'static Arc<Graph> {
    static MADE: OnceLock<Arc<Graph>> = OnceLock::new();
    MADE.get_or_init(|| Arc::new(build(duel(), &Fighting, &small(), &|_, _, _| ()).unwrap()))
}

/// Policies on it.
pub(crate) fn policies() -> &'static Arc<Policies> {
    static MADE: OnceLock<Arc<Policies>> = OnceLock::new();
    MADE.get_or_init(|| Arc::new(Policies::of(Arc::clone(graph()), Arc::clone(boxer().library()))))
}

//! Policies for whoever asks, made once, and on a thread of their own while play goes on.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

use randori_arena::style::Style;
use randori_motion::ActionLibrary;

use crate::carriers::Carriers;
use crate::graph::Graph;
use crate::player::Repertoire;
use crate::policy::{Looking, MAX_DEPTH, Other, Policy};
use crate::reward::Fighting;

/// The policies of a graph, by what both are after: shared by all who play on it.
#[derive(Debug)]
pub struct Policies {
    graph: Arc<Graph>,
    library: Arc<ActionLibrary>,
    repertoire: Repertoire,
    carriers: OnceLock<Arc<Carriers>>,
    known: Mutex<Vec<(Matchup, Arc<Plan>)>>,
}

/// A policy, and what it is after.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What to do in every state.
    pub policy: Policy,
    /// What it is after.
    pub reward: Fighting,
}

/// What two are after, the one who plans first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matchup {
    /// Of whoever plans.
    pub own: Style,
    /// Of the other.
    pub other: Style,
    /// How many choices ahead are looked at.
    pub depth: usize,
}

impl Policies {
    /// Of a graph of this library, with none made yet.
    pub fn of(graph: Arc<Graph>, library: Arc<ActionLibrary>) -> Policies {
        let repertoire = Repertoire::of(&library);
        Policies { graph, library, repertoire, carriers: OnceLock::new(), known: Mutex::new(Vec::new()) }
    }

    /// The graph.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// The library.
    pub fn library(&self) -> &Arc<ActionLibrary> {
        &self.library
    }

    /// What two need to know who carry something on this graph.
    pub fn carriers(&self) -> &Arc<Carriers> {
        self.carriers
            .get_or_init(|| Arc::new(Carriers::of(Arc::clone(&self.graph), Arc::clone(&self.library))))
    }

    /// What the actions of the library are.
    pub(crate) fn repertoire(&self) -> &Repertoire {
        &self.repertoire
    }

    /// The policy for two styles, made first if nobody asked for it before.
    pub fn get(&self, matchup: &Matchup) -> Arc<Plan> {
        if let Some(plan) = self.known(matchup) {
            return plan;
        }
        let Matchup { own, other, depth } = *matchup;
        let looking = Looking {
            depth: depth.clamp(1, MAX_DEPTH),
            other: if own == other { Other::Mirrored } else { Other::Opposed },
            // Whoever waits for it may hold a thread of the pool.
            parallel: false,
            discount: DISCOUNT,
        };
        let reward = Fighting::of(&self.library, own, other);
        let plan = Arc::new(Plan { policy: Policy::of(&self.graph, &reward, looking), reward });
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody else may have been faster: everybody is to have the same one.
        if let Some((_, plan)) = known.iter().find(|(made, _)| made == matchup) {
            return Arc::clone(plan);
        }
        if known.len() >= KEPT {
            known.remove(0);
        }
        known.push((*matchup, Arc::clone(&plan)));
        plan
    }

    fn known(&self, matchup: &Matchup) -> Option<Arc<Plan>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|(made, _)| made == matchup).map(|(_, plan)| Arc::clone(plan))
    }
}

/// γ of those who play on a graph (-). The paper takes 1. With every choice that is looked ahead, what the graph says is
/// less sure to come about. Of five values from 0.2 to 1, this one won most in series of 16 rounds against game trees of
/// depth 2, which is too few to tell it from its neighbours.
const DISCOUNT: f32 = 0.6;

/// Policies that are kept; styles that grow more daring by the second would fill the memory otherwise.
const KEPT: usize = 32;

/// A policy that is being made while play goes on.
///
/// When it is taken up depends on the time of the scene alone: at the first decision from a tick on, waiting for it if
/// need be. So the same scene plays the same however long it takes.
#[derive(Debug)]
pub struct Coming {
    matchup: Matchup,
    from: i32,
    thread: JoinHandle<Arc<Plan>>,
}

impl Coming {
    /// Has it made, to be taken up from a tick on.
    pub fn new(policies: &Arc<Policies>, matchup: Matchup, from: i32) -> Coming {
        let policies = Arc::clone(policies);
        let thread = std::thread::spawn(move || policies.get(&matchup));
        Coming { matchup, from, thread }
    }

    /// What it is for.
    pub fn matchup(&self) -> &Matchup {
        &self.matchup
    }

    /// Whether it is to be taken up at a tick.
    pub fn is_due(&self, tick: i32) -> bool {
        tick >= self.from
    }

    /// The policy; `None` if its thread came to grief.
    pub fn wait(self) -> Option<Arc<Plan>> {
        self.thread.join().ok()
    }
}

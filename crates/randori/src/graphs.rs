//! Interaction graphs of libraries: made on first use, and kept in the user's cache folder beside the libraries.

use std::sync::Arc;

use randori_arena::bodies::Bodies;
use randori_arena::reactions::Reactions;
use randori_arena::stage::Contest;
use randori_interaction_graph::background::Policies;
use randori_interaction_graph::build::{self, BuildError, Draft, Phase};
use randori_interaction_graph::carriers::EXPLORED;
use randori_interaction_graph::duel::Activity;
use randori_interaction_graph::interaction::{Carrying, Chasing, Fighting, Interaction};
use randori_interaction_graph::{Duel, Graph, Settings};
use randori_motion::ActionLibrary;
use randori_motion::library::Fingerprint;
use randori_scene::contest::Ring;
use randori_scene::files;

use crate::libraries::cache_folder;

/// What is told of a graph that is being made: the phase, how much of it is done, and of how much.
pub type Step<'a> = &'a (dyn Fn(Phase, usize, usize) + Sync);

/// Two people of a library, opposite each other, who do what there is to do in it.
pub fn duel(library: &Arc<ActionLibrary>) -> Duel {
    let bodies = Arc::new(Bodies::of(Arc::clone(library)));
    let reactions = || Some(Arc::new(Reactions::of(Arc::clone(library)).remembering(ANSWERS)));
    match Activity::of(library) {
        Activity::Carry => Duel::carrying(bodies, EXPLORED),
        Activity::Fight => Duel::of(bodies, reactions(), Ring::POISE, Contest::Fight),
        Activity::Chase => Duel::of(bodies, reactions(), Ring::POISE, Contest::Chase),
    }
}

/// Reactions to as many blows are remembered while a graph is made.
const ANSWERS: usize = 1 << 21;

/// The graph of a library, made from nothing.
pub fn make(library: &Arc<ActionLibrary>, settings: &Settings, step: Step<'_>) -> Result<Graph, BuildError> {
    go_on(&duel(library), settings, None, step, &mut |_| ())
}

/// The graph of two people, from where an earlier attempt was left, if there is one. `keep` is shown what there is every now
/// and then.
pub fn go_on(
    duel: &Duel,
    settings: &Settings,
    draft: Option<Draft>,
    step: Step<'_>,
    keep: &mut dyn FnMut(&Draft),
) -> Result<Graph, BuildError> {
    let go_on = |interaction: &dyn Interaction, keep: &mut dyn FnMut(&Draft)| {
        build::go_on(duel, interaction, settings, draft, step, keep)
    };
    match duel.activity() {
        Activity::Fight => go_on(&Fighting, keep),
        Activity::Chase => go_on(&Chasing::default(), keep),
        Activity::Carry => go_on(&Carrying { apart: EXPLORED }, keep),
    }
}

/// The graph of a library as it is in the user's cache folder, made first if it is not there, with no policy yet.
pub fn open(library: &Arc<ActionLibrary>, step: Step<'_>) -> Result<Arc<Policies>, BuildError> {
    let Fingerprint { name, sum, .. } = Fingerprint::of(library);
    let name: String = name.chars().filter(|it| it.is_ascii_alphanumeric() || *it == '-').collect();
    let path = cache_folder().map(|folder| folder.join(format!("{name}-{sum:08x}-{CODE}.graph")));
    let known = path.as_ref().and_then(|path| Graph::from_bytes(&files::read(path).ok()?).ok());
    let graph = match known.filter(|graph| graph.fits(library)) {
        Some(graph) => graph,
        None => {
            let graph = make(library, &Settings::of(Activity::of(library)), step)?;
            if let Some(path) = &path {
                // A cache that cannot be written costs time, nothing else.
                files::write_atomically(path, &graph.to_bytes()).ok();
            }
            graph
        }
    };
    Ok(Arc::new(Policies::of(Arc::new(graph), Arc::clone(library))))
}

/// Changes with the code that simulates and makes graphs.
pub const CODE: &str = env!("RANDORI_GRAPH_CODE");

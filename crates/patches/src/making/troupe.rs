//! What two people of a library can do, by the words of patterns.

use std::collections::BTreeMap;
use std::sync::Arc;

use randori_arena::bodies::Bodies;
use randori_arena::reactions::Reactions;
use randori_motion::library::NodeId;
use randori_motion::{ActionId, Bone};

use super::touch::Girths;
use crate::pattern::{Pattern, is_reaction, matches};

/// Two people of one library, with all that patterns ask of them.
pub(super) struct Troupe {
    pub(super) bodies: Arc<Bodies>,
    pub(super) girths: Girths,
    words: BTreeMap<String, Repertoire>,
}

/// What a word means in a library.
struct Repertoire {
    /// Whatever somebody may begin a patch with: an action and the frames of it that are left out.
    openings: Vec<(ActionId, u32)>,
    /// What may be chosen in each node.
    by_node: Vec<Vec<(ActionId, u32)>>,
    /// How somebody reacts, if the word means a reaction.
    reactions: Option<Reactions>,
}

impl Troupe {
    /// All that these patterns need.
    pub(super) fn of(bodies: &Arc<Bodies>, patterns: &[Pattern]) -> Troupe {
        let words = patterns.iter().flat_map(|pattern| &pattern.steps).map(|step| step.word.clone());
        let words = words.map(|word| {
            let repertoire = Repertoire::of(bodies, &word);
            (word, repertoire)
        });
        Troupe { girths: Girths::of(bodies), bodies: Arc::clone(bodies), words: words.collect() }
    }

    /// What somebody may begin a patch with.
    pub(super) fn openings(&self, word: &str) -> &[(ActionId, u32)] {
        self.words.get(word).map_or(&[], |it| &it.openings)
    }

    /// What somebody may go on with.
    pub(super) fn following(&self, after: ActionId, word: &str) -> &[(ActionId, u32)] {
        let action = self.bodies.library().action(after);
        let node = (!action.is_terminal).then_some(action.to.0 as usize);
        let of_node = |it: &'_ Repertoire| -> Option<usize> { node.filter(|node| *node < it.by_node.len()) };
        self.words.get(word).and_then(|it| Some(&it.by_node[of_node(it)?][..])).unwrap_or(&[])
    }

    /// How somebody reacts in the way that a word means.
    pub(super) fn reactions(&self, word: &str) -> Option<&Reactions> {
        self.words.get(word)?.reactions.as_ref()
    }
}

impl Repertoire {
    fn of(bodies: &Bodies, word: &str) -> Repertoire {
        let library = bodies.library();
        let reactions = is_reaction(word)
            .then(|| Reactions::among(Arc::clone(library), &|action| matches(word, &action.annotation)));
        let by_node: Vec<Vec<(ActionId, u32)>> = (0..library.n_nodes() as u32)
            .map(|node| {
                let all = library.starting_from(NodeId(node)).iter();
                let is_meant = |id: &&ActionId| matches(word, &library.action(**id).annotation);
                all.filter(is_meant).filter(|id| starts_upright(bodies, **id)).map(|id| (*id, 0)).collect()
            })
            .collect();
        let openings = match &reactions {
            // Whoever begins with a reaction reacts to somebody who is not in the patch, in any way they might.
            Some(reactions) => reactions.beginnings().collect(),
            None => by_node.iter().flatten().copied().collect(),
        };
        Repertoire { openings, by_node, reactions }
    }
}

/// Somebody whose hips are lower than this share of their height when standing lies, kneels or sits.
const UPRIGHT: f32 = 0.6;

/// Whether somebody is on the feet when an action begins: who lies on the floor has to do with nobody.
pub(super) fn starts_upright(bodies: &Bodies, action: ActionId) -> bool {
    let skeleton = &bodies.library().body().skeleton;
    let Some(hips) = skeleton.bone(Bone::Hips) else { return true };
    let standing = skeleton.global_pose(skeleton.rest_pose().view()).positions[hips.idx()].y;
    let its = bodies.of_action(action);
    bodies.stance(its.take, its.first).trunk[0].y > UPRIGHT * standing
}

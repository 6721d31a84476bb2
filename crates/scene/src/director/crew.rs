//! Who decides for whom: controllers by what a scene file says.

use std::sync::Arc;

use randori_arena::bout::Bout;
use randori_arena::controller::{self, Random, Scripted, Situation, StaticTarget, Still, Verdict};
use randori_gametree::Settings;
use randori_interaction_graph::Player;
use randori_interaction_graph::background::Policies;
use randori_interaction_graph::carriers::Carrier;
use randori_interaction_graph::duel::Activity;
use randori_interaction_graph::player::{Commander, Looks};
use randori_tactics::wits::Taught;
use randori_tactics::{Planner, Wits};

use crate::screenplay::Controller;

/// What controllers look things up in.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Knowledge<'a> {
    /// The interaction graph of the library.
    pub(crate) graph: Option<&'a Arc<Policies>>,
    /// Tag and its values.
    pub(crate) tag: Option<&'a Arc<Taught>>,
    /// How many people share the time there is to decide.
    pub(crate) n_people: usize,
}

/// The controller that a scene file asks for; chance is that of the scene's seed and the place in the cast. Whoever
/// looks things up brings along what in; without it there is nothing to look up, and one stands.
pub(crate) fn hired(
    wanted: &Controller,
    seed: u64,
    who: usize,
    knows: Knowledge<'_>,
) -> Box<dyn controller::Controller> {
    match (wanted, knows.graph, knows.tag) {
        (Controller::Graph { .. }, Some(graph), _) if graph.graph().about().activity == Activity::Carry => {
            Box::new(Carrier::new(graph.carriers()))
        }
        (Controller::Graph { depth }, Some(graph), _) => {
            let mut player = Player::new(graph, usize::from(*depth));
            // Of many, nobody is worth more than one look: a hundred decide in the time of one duel.
            if knows.n_people > 2 {
                player.looks = Looks::Once;
            }
            Box::new(player)
        }
        (Controller::Commander, Some(graph), _) => Box::new(Commander::new(Player::new(graph, 1))),
        (Controller::Markov, _, Some(tag)) => Box::new(Wits::new(Arc::clone(tag), child_seed(seed, who))),
        (other, ..) => hired_without(other, seed, who),
    }
}

fn hired_without(wanted: &Controller, seed: u64, who: usize) -> Box<dyn controller::Controller> {
    match wanted {
        Controller::GameTree { depth, rule, opponent, .. } => {
            let settings =
                Settings { depth: *depth, rule: *rule, opponent: *opponent, ..Settings::default() };
            Box::new(Planner::new(settings))
        }
        Controller::Static => Box::new(StaticTarget),
        Controller::Random => Box::new(Random::new(child_seed(seed, who))),
        Controller::Scripted { actions, repeat } => {
            let lines = actions.iter().map(|annotation| annotation.name().to_owned());
            Box::new(Scripted::new(lines.collect(), *repeat))
        }
        Controller::Still | Controller::Graph { .. } | Controller::Commander | Controller::Markov => {
            Box::new(Still)
        }
    }
}

/// Whether somebody stages exchanges with the opponent.
pub(crate) fn is_staged(wanted: &Controller) -> bool {
    matches!(wanted, Controller::GameTree { staged: true, .. })
}

/// For somebody whose part is over: whoever lies stays there, whoever stands stands.
pub(super) fn dismiss(bout: &mut Bout, who: usize, lies: bool) {
    if lies { bout.control(who, Box::new(Lying)) } else { bout.control(who, Box::new(Still)) }
}

/// Does nothing any more.
struct Lying;

impl controller::Controller for Lying {
    fn decide(&mut self, _: &Situation<'_>) -> Option<Verdict> {
        None
    }
}

/// A stream of chance for each of the cast.
pub(super) fn child_seed(seed: u64, who: usize) -> u64 {
    let mixed = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (who as u64 + 1);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 31)
}

//! A controller that looks ahead with the game tree.

use randori_arena::controller::{Considered, Controller, Situation, Verdict};
use randori_arena::objectives::Judge;
use randori_arena::plausible::Choice;
use randori_gametree::{Settings, Workspace, search};

use crate::game::Game;

/// Plans against the opponent and with them.
///
/// Reference: \[Shum2012\], section V. The depth is the paper's level of intelligence.
///
/// ```
/// use randori_arena::controller::Controller;
/// use randori_tactics::Planner;
/// let mut planner = Planner::of_depth(3);
/// planner.settings.parallel = false;
/// let _hired: Box<dyn Controller> = Box::new(planner);
/// ```
#[derive(Debug, Default)]
pub struct Planner {
    /// How far and by which rule it plans; may be changed between any two decisions.
    pub settings: Settings,
    workspace: Workspace<Choice>,
}

impl Planner {
    /// A planner with these settings.
    pub fn new(settings: Settings) -> Planner {
        Planner { settings, workspace: Workspace::default() }
    }

    /// A planner of a level.
    pub fn of_depth(depth: u8) -> Planner {
        Planner::new(Settings { depth, ..Settings::default() })
    }
}

impl Controller for Planner {
    fn decide(&mut self, situation: &Situation<'_>) -> Option<Verdict> {
        let Situation { stage, moment, aims, who, explain } = *situation;
        let judge = Judge::of(stage, aims);
        let game = Game { stage, judge: &judge, side: stage.cast[who].side };
        let decision = search(&game, moment, &self.settings, &mut self.workspace);
        let (_, screening) = situation.choices();
        let asked_for = if explain { &decision.candidates[..] } else { &[] };
        let mut candidates: Vec<Considered> = (asked_for.iter())
            .map(|candidate| {
                let doing = stage.begin(moment, who, candidate.choice.action);
                let outcome = stage.perform(moment, who, doing);
                let terms = judge.terms(stage, moment, who, &doing, &outcome);
                let scores = candidate.scores.map(|scores| [scores.comp, scores.coop]);
                Considered { action: candidate.choice.action, terms, scores }
            })
            .collect();
        let worth = |considered: &Considered| considered.scores.map_or(f64::NEG_INFINITY, |[a, b]| a + b);
        candidates.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
        Some(Verdict {
            action: decision.choice?.action,
            screening,
            candidates,
            edges: decision.statistics.edges,
        })
    }

    fn forgets(&self) -> bool {
        true
    }
}

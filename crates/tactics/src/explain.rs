//! What a planner sees: the tree behind a decision, as far as anybody wants to look.

use randori_arena::bodies::Doing;
use randori_arena::controller::Situation;
use randori_arena::objectives::{Judge, Terms};
use randori_arena::plausible::Choice;
use randori_arena::stage::Moment;
use randori_gametree::{Candidate, Player, Settings, Workspace, World, search};
use randori_motion::ActionId;

use crate::game::Game;

/// A choice of somebody in the tree, and what may follow it.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// Who chooses, by their place in the cast.
    pub who: usize,
    /// What.
    pub action: ActionId,
    /// Whether the rule takes it.
    pub is_taken: bool,
    /// The terms of the action itself, for whoever chooses (points).
    pub terms: Terms,
    /// S_comp and S_coop of the line from here to the depth of the tree, for the planner (points).
    pub scores: Option<[f64; 2]>,
    /// What may be chosen next, the best for whoever chooses first.
    pub next: Vec<Branch>,
}

/// In trees of this depth at most every candidate has its score.
pub const ALL_SCORED: u8 = 4;

/// The tree of a planner with these settings: all its candidates with their scores, and behind each of the first
/// `breadth[0]` the best `breadth[1]` answers, and so on to the planner's depth.
///
/// Every node is searched by itself, to the depth that is left, so that each score is the one that the planner goes by. In
/// trees deeper than [`ALL_SCORED`] what cannot be the best is cut as the planner does, and has no score.
pub fn expand(situation: &Situation<'_>, settings: &Settings, breadth: &[usize]) -> Vec<Branch> {
    let Situation { stage, moment, aims, who, .. } = *situation;
    let judge = Judge::of(stage, aims);
    let game = Game { stage, judge: &judge, side: stage.cast[who].side };
    let settings = Settings { score_all: settings.depth <= ALL_SCORED, ..settings.clone() };
    branches(&game, moment, &settings, breadth, usize::MAX)
}

fn branches(
    game: &Game<'_>,
    moment: &Moment,
    settings: &Settings,
    breadth: &[usize],
    most: usize,
) -> Vec<Branch> {
    let (Some(who), Some(player)) = (game.stage.turn(moment), game.turn(moment)) else { return Vec::new() };
    let decision = search(game, moment, settings, &mut Workspace::default());
    let taken = decision.choice;
    let mut candidates = decision.candidates;
    // The one that is taken first, the others by what they are worth to whoever chooses.
    let worth = |it: &Candidate<Choice>| {
        it.scores.map_or(f64::NEG_INFINITY, |scores| match player {
            Player::Max => scores.comp + scores.coop,
            Player::Min => scores.coop - scores.comp,
        })
    };
    let rank = |it: &Candidate<Choice>| if Some(it.choice) == taken { f64::INFINITY } else { worth(it) };
    candidates.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
    candidates.truncate(most);
    let (wide, deeper) = breadth.split_first().map_or((0, breadth), |(wide, deeper)| (*wide, deeper));
    let branch = |(place, candidate): (usize, &Candidate<Choice>)| {
        let doing: Doing = game.stage.begin(moment, who, candidate.choice.action);
        let outcome = game.stage.perform(moment, who, doing);
        let is_open = place < wide && settings.depth > 1;
        let left = Settings { depth: settings.depth.saturating_sub(1), ..settings.clone() };
        let answers = deeper.first().copied().unwrap_or(1);
        Branch {
            who,
            action: candidate.choice.action,
            is_taken: Some(candidate.choice) == taken,
            terms: game.judge.terms(game.stage, moment, who, &doing, &outcome),
            scores: candidate.scores.map(|scores| [scores.comp, scores.coop]),
            next: if is_open { branches(game, &outcome.next, &left, deeper, answers) } else { Vec::new() },
        }
    };
    candidates.iter().enumerate().map(branch).collect()
}

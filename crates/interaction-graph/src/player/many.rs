//! One among many: one look at what the edges of a state bring from where people really are. Of many on a stage anybody may be
//! the next to decide, so that looking any farther is the tables'.

use randori_arena::controller::Situation;
use randori_motion::ActionId;

use super::looking::Threat;
use crate::background::Plan;
use crate::duel::exchange;
use crate::graph::{DEFENCE, Graph, SWAPPED, StateId};
use crate::pairing::Pairing;
use crate::reward::{Reward, Turn};

/// Edges that are worth another look at where they lead.
const FEW: usize = 8;

/// An edge, and what it is worth as far as it was looked at (points).
#[derive(Clone, Copy, Default)]
struct Candidate {
    at: usize,
    worth: f32,
    /// What it leads to, by the graph: a part of it.
    ahead: f32,
    /// Nothing lands in it.
    is_quiet: bool,
}

/// The best edge of a state that is asked for, less what each takes away, looking so many choices ahead.
pub(super) fn best(
    (plan, graph): (&Plan, &Graph),
    state: StateId,
    situation: &Situation<'_>,
    depth: usize,
    asked: impl Fn(ActionId) -> Option<f32>,
) -> Option<ActionId> {
    let Situation { stage, moment, aims, who, .. } = *situation;
    let (own, whom) = (&aims[who], aims[who].opponent);
    let them = &moment.people[whom];
    let bodies = [who, whom].map(|who| &*stage.cast[who].bodies);
    let threat = Threat::of(stage, moment, own, (who, whom));
    let ahead = them.ahead.filter(|ahead| ahead.whom as usize == who);
    let coming = ahead.map_or(0.0, |ahead| own.scoring.worth(&ahead.hit));
    let base = plan.reward.of_state(graph, state, Turn::Own);
    let taken_weight = plan.reward.weight(them.doing.action, Turn::Other);
    let (actions, targets) = (&graph.edges.actions, &graph.edges.targets);
    let action = |at: usize| ActionId(u32::from(actions[at]));
    // What answers the opponent as things stand; if nothing does, whatever the state has.
    let answers = |at: usize| threat.is_answered_by(targets[at] & DEFENCE != 0);
    let is_any = !graph.range(state).any(|at| asked(action(at)).is_some() && answers(at));
    let (mut few, mut n) = ([Candidate::default(); FEW], 0);
    for at in graph.range(state).filter(|at| is_any || answers(*at)) {
        let Some(takes) = asked(action(at)) else { continue };
        let facts = graph.edges.facts(at);
        let its = bodies[0].of_action(action(at));
        let (mut more, mut is_quiet) = (0.0, true);
        if its.window[0] < its.window[1] || coming > 0.0 {
            let doing = stage.begin(moment, who, action(at));
            let blows = exchange(own.scoring, (bodies[0], &doing), (bodies[1], them), moment.tick);
            let [given, taken] = blows.worth;
            more = plan.reward.weight(action(at), Turn::Own) * (given - facts.given)
                - taken_weight * (taken - coming)
                + base.taken * facts.taken;
            is_quiet = blows.is_quiet;
        }
        let ahead = plan.policy.ahead(Turn::Own, targets[at], depth);
        let worth = plan.reward.of_edge(&base, actions[at], &facts, Turn::Own) + ahead + more - takes;
        let mut slot = n;
        while slot > 0 && worth > few[slot - 1].worth {
            slot -= 1;
        }
        if slot < FEW {
            n = (n + 1).min(FEW);
            few[slot..n].rotate_right(1);
            few[slot] = Candidate { at, worth, ahead, is_quiet };
        }
    }
    let mut best: Option<(f32, usize)> = None;
    for candidate in &few[..n] {
        let leads = candidate.is_quiet.then(|| {
            let doing = stage.begin(moment, who, action(candidate.at));
            let (next, is_swapped) = Pairing::next(bodies, &doing, them, moment.tick);
            let target = graph.find(&next)?.state.0 | if is_swapped { SWAPPED } else { 0 };
            Some(plan.policy.ahead(Turn::Own, target, depth) - candidate.ahead)
        });
        let worth = candidate.worth + leads.flatten().unwrap_or(0.0);
        if best.is_none_or(|(most, _)| worth > most) {
            best = Some((worth, candidate.at));
        }
    }
    best.map(|(_, at)| action(at))
}

//! Looking at what edges bring from where people really are: a state says what happens around it, not what happens here.

use randori_arena::bodies::TICKS_PER_SECOND;
use randori_arena::objectives::Aims;
use randori_arena::stage::{Moment, Stage};
use randori_motion::ActionId;
use randori_motion::annotation::Kind;

use super::Repertoire;
use crate::background::Plan;
use crate::duel::exchange;
use crate::graph::{DEFENCE, Graph, SWAPPED, StateId};
use crate::pairing::Pairing;
use crate::reward::{Base, Reward, Turn};

/// Edges that are worth a closer look.
pub const FEW: usize = 8;

/// Somebody who decides, where people really are.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    stage: &'a Stage,
    moment: &'a Moment,
    pub(super) aims: &'a [Aims],
    pub(super) who: usize,
    whom: usize,
    /// Whether it is whoever plans, or the other.
    turn: Turn,
    /// What the opponent's blow is worth that is on its way, if nobody does anything.
    coming: f32,
    pub(super) threat: Threat,
}

/// What the opponent is up to, as far as it can be seen: what answers it is plausible, as in
/// [`plausible`](mod@randori_arena::plausible).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threat {
    /// No blow is under way.
    None,
    /// One is, and meets nobody if nobody does anything.
    Misses,
    /// One is about to land.
    Lands,
}

impl Threat {
    fn of(stage: &Stage, moment: &Moment, aims: &Aims, (who, whom): (usize, usize)) -> Threat {
        let them = &moment.people[whom];
        let its = stage.cast[whom].bodies.of_action(them.doing.action);
        let since = (moment.tick - them.doing.start) as f32;
        let is_seen = since >= aims.plausibility.notice * TICKS_PER_SECOND;
        let ends = them.doing.start + (its.window[1] - its.first) as i32;
        if is_seen && them.ahead.is_some_and(|ahead| ahead.whom as usize == who) {
            Threat::Lands
        } else if is_seen && its.kind == Kind::Attack && !them.is_spent && ends > moment.tick {
            Threat::Misses
        } else {
            Threat::None
        }
    }

    /// Whether a defence, or anything else, is in order.
    fn is_answered_by(self, is_defence: bool) -> bool {
        match self {
            Threat::None => !is_defence,
            Threat::Misses => true,
            Threat::Lands => is_defence,
        }
    }
}

impl<'a> Scene<'a> {
    /// Of somebody who decides, and whom they face.
    pub(super) fn of(
        (stage, moment, aims): (&'a Stage, &'a Moment, &'a [Aims]),
        (who, whom): (usize, usize),
        turn: Turn,
    ) -> Scene<'a> {
        let own = &aims[who];
        let ahead = moment.people[whom].ahead.filter(|ahead| ahead.whom as usize == who);
        Scene {
            stage,
            moment,
            aims,
            who,
            whom,
            turn,
            coming: ahead.map_or(0.0, |ahead| own.scoring.worth(&ahead.hit)),
            threat: Threat::of(stage, moment, own, (who, whom)),
        }
    }

    /// What an edge is worth by the graph alone, to whoever decides (points).
    pub(super) fn promised(&self, plan: &Plan, graph: &Graph, at: usize, base: &Base, depth: usize) -> f32 {
        let action = graph.edges.actions[at];
        let own = plan.reward.of_edge(base, action, &graph.edges.facts(at), self.turn);
        own + plan.policy.ahead(self.turn, graph.edges.targets[at], depth)
    }

    /// By how much the blows of an edge are worth more than from its state (points), and whether any lands.
    fn blows(&self, plan: &Plan, graph: &Graph, at: usize, base: &Base) -> (f32, bool) {
        let (action, promised) = (ActionId(u32::from(graph.edges.actions[at])), graph.edges.facts(at));
        let (doing, them) = (self.stage.begin(self.moment, self.who, action), &self.moment.people[self.whom]);
        let [own, other] = [self.who, self.whom].map(|who| &*self.stage.cast[who].bodies);
        let scoring = self.aims[self.who].scoring;
        let [given, taken] = exchange(scoring, (own, &doing), (other, them), self.moment.tick);
        let more = plan.reward.weight(action, self.turn) * (given - promised.given)
            - plan.reward.weight(them.doing.action, self.turn.other()) * (taken - self.coming)
            + base.taken * promised.taken;
        (more, given > 0.0 || taken > 0.0)
    }
}

/// An edge, and what it is worth as far as it was looked at.
#[derive(Clone, Copy, Default)]
pub(super) struct Candidate {
    at: usize,
    /// All in all (points).
    worth: f32,
    /// What it leads to, by the graph (points): a part of it.
    ahead: f32,
    /// Nothing lands in it.
    is_quiet: bool,
}

/// The best few edges, the best first.
#[derive(Default)]
pub(super) struct Few {
    n: usize,
    edges: [Candidate; FEW],
}

impl Few {
    fn offer(&mut self, candidate: Candidate) {
        let mut slot = self.n;
        while slot > 0 && candidate.worth > self.edges[slot - 1].worth {
            slot -= 1;
        }
        if slot < FEW {
            self.n = (self.n + 1).min(FEW);
            self.edges[slot..self.n].rotate_right(1);
            self.edges[slot] = candidate;
        }
    }

    /// The best as it was offered.
    pub(super) fn first(&self) -> Option<usize> {
        (self.n > 0).then_some(self.edges[0].at)
    }

    /// The best when each leads to something else than the graph says, if more is known of it (points).
    pub(super) fn best(&self, ahead: impl FnMut(&Candidate) -> Option<f32>) -> Option<usize> {
        self.best_worth(ahead).map(|(at, _)| at)
    }

    fn best_worth(&self, mut ahead: impl FnMut(&Candidate) -> Option<f32>) -> Option<(usize, f32)> {
        let mut best: Option<(usize, f32)> = None;
        for candidate in &self.edges[..self.n] {
            let more = ahead(candidate).map_or(0.0, |ahead| ahead - candidate.ahead);
            let worth = candidate.worth + more;
            if best.is_none_or(|(_, most)| worth > most) {
                best = Some((candidate.at, worth));
            }
        }
        best
    }
}

/// What is looked at, and how far ahead.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) plan: &'a Plan,
    pub(super) graph: &'a Graph,
    pub(super) repertoire: &'a Repertoire,
    pub(super) depth: usize,
    /// Whether blows are looked at.
    pub(super) closely: bool,
}

impl View<'_> {
    /// The best few edges of a state for somebody who is about there: of those that are asked for, less what each takes
    /// away.
    pub(super) fn best_few(
        &self,
        state: StateId,
        scene: &Scene<'_>,
        asked: impl Fn(u16) -> (bool, f32),
    ) -> Few {
        let View { plan, graph, repertoire, depth, closely } = *self;
        let base = plan.reward.of_state(graph, state, scene.turn);
        let (range, actions, targets) = (graph.range(state), &graph.edges.actions, &graph.edges.targets);
        // What answers the opponent as things stand; if nothing does, whatever the state has.
        let answers = |at: usize| scene.threat.is_answered_by(targets[at] & DEFENCE != 0);
        let is_any = !range.clone().any(|at| asked(actions[at]).0 && answers(at));
        let mut few = Few::default();
        for at in range {
            let (is_asked, takes) = asked(actions[at]);
            if !is_asked || !(answers(at) || is_any) {
                continue;
            }
            let strikes = repertoire.strikes[actions[at] as usize];
            let is_seen = closely && (strikes || scene.coming > 0.0);
            let (more, lands) = if is_seen { scene.blows(plan, graph, at, &base) } else { (0.0, false) };
            few.offer(Candidate {
                at,
                worth: scene.promised(plan, graph, at, &base, depth) + more - takes,
                ahead: plan.policy.ahead(scene.turn, targets[at], depth),
                is_quiet: !lands,
            });
        }
        few
    }

    /// What an edge leads to is worth from where people are, if nothing lands in it (points).
    pub(super) fn leads(&self, scene: &Scene<'_>, edge: &Candidate) -> Option<f32> {
        if !edge.is_quiet {
            return None;
        }
        let Scene { stage, moment, who, whom, .. } = *scene;
        let doing = stage.begin(moment, who, ActionId(u32::from(self.graph.edges.actions[edge.at])));
        let bodies = [who, whom].map(|who| &*stage.cast[who].bodies);
        let (next, is_swapped) = Pairing::next(bodies, &doing, &moment.people[whom], moment.tick);
        let found = self.graph.find(&next)?;
        let target = found.state.0 | if is_swapped { SWAPPED } else { 0 };
        Some(self.plan.policy.ahead(scene.turn, target, self.depth))
    }

    /// What an edge leads to is worth when whoever decides next looks once at what they can do then (points).
    pub(super) fn follow(&self, scene: &Scene<'_>, edge: &Candidate) -> Option<f32> {
        let Scene { stage, moment, aims, who, whom, turn, .. } = *scene;
        if self.depth < 2 || stage.cast.len() != 2 {
            return self.leads(scene, edge);
        }
        let doing = stage.begin(moment, who, ActionId(u32::from(self.graph.edges.actions[edge.at])));
        let mut next = moment.clone();
        stage.start(&mut next, who, doing);
        // Where two blows cross, the graph has to do: nobody knows whose lands, and a list of both would be allocated.
        if next.people.iter().filter(|person| person.ahead.is_some()).count() > 1 {
            return None;
        }
        stage.run(&mut next, i32::MAX);
        let decides = stage.turn(&next)?;
        let (faces, sign) = if decides == who { (whom, 1.0) } else { (who, -1.0) };
        let bodies = [decides, faces].map(|who| &*stage.cast[who].bodies);
        let found = self.graph.find(&Pairing::of(&next, decides, faces, bodies))?;
        let turn = if decides == who { turn } else { turn.other() };
        let then = Scene::of((stage, &next, aims), (decides, faces), turn);
        let view = View { depth: self.depth - 1, ..*self };
        let few = view.best_few(found.state, &then, |_| (true, 0.0));
        let (_, worth) = few.best_worth(|edge| view.leads(&then, edge))?;
        Some(self.plan.policy.looking().discount * sign * worth)
    }
}

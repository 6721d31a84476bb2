//! Looking at what actions bring from where people really are: a state says what happens around it, not what happens here.
//!
//! The first few choices are looked at one by one: what may be done, where it leaves both, and whose blow lands. What is
//! beyond them is read off the tables of the state that they lead to. Only the few best of a moment are followed, the best
//! first, and none that somebody could not let happen, so that the work is bounded.

use randori_arena::bodies::{Bodies, Doing, TICKS_PER_SECOND};
use randori_arena::objectives::Aims;
use randori_arena::plausible::{Choice, penetrates, sketch};
use randori_arena::stage::{Moment, Stage};
use randori_motion::ActionId;
use randori_motion::annotation::Kind;

use crate::background::Plan;
use crate::duel::exchange;
use crate::graph::{Graph, SWAPPED, StateId};
use crate::pairing::Pairing;
use crate::reward::Turn;

/// Choices that are looked at one after another, at most.
pub const PLIES: usize = 3;

/// How many of the choices of a moment are followed, by how many more are looked at after them.
pub const WIDTHS: [usize; PLIES] = [3, 10, 16];

/// The widest of them.
const FEW: usize = 16;

/// Lists that are filled anew in every decision, one for each choice that is looked ahead.
#[derive(Debug, Default)]
pub(super) struct Rooms {
    choices: [Vec<Choice>; PLIES],
    /// What was too good for the other to let it happen, last, of both.
    killers: [Option<ActionId>; 2],
    /// Actions that were weighed in the last decision.
    pub(super) weighed: u64,
}

/// What is looked at, and with what.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) plan: &'a Plan,
    pub(super) graph: &'a Graph,
    pub(super) stage: &'a Stage,
    pub(super) aims: &'a [Aims],
    /// Who plans, and whom they face.
    pub(super) pair: [usize; 2],
    /// Choices that are read off the tables, behind those that are looked at.
    pub(super) beyond: usize,
}

/// Somebody who decides in a moment.
#[derive(Clone, Copy)]
struct Decider {
    who: usize,
    whom: usize,
    /// Whether it is whoever plans.
    turn: Turn,
}

/// An action, and what it is worth as far as it was weighed.
#[derive(Clone, Copy)]
struct Candidate {
    doing: Doing,
    /// Of itself (points).
    own: f32,
    /// What it leads to, by the tables (points).
    ahead: f32,
}

/// The best few, the best first.
#[derive(Default)]
struct Few {
    n: usize,
    list: [Option<Candidate>; FEW],
}

impl Few {
    /// Puts one in its place, if it is among the best; asked last is whether it is a choice at all.
    fn offer(&mut self, width: usize, candidate: Candidate, is_one: impl FnOnce() -> bool) {
        let worth = |it: &Candidate| it.own + it.ahead;
        let behind = |it: &Option<Candidate>| it.is_some_and(|it| worth(&candidate) > worth(&it));
        let mut slot = self.n;
        while slot > 0 && behind(&self.list[slot - 1]) {
            slot -= 1;
        }
        if slot < width && is_one() {
            self.n = (self.n + 1).min(width);
            self.list[slot..self.n].rotate_right(1);
            self.list[slot] = Some(candidate);
        }
    }

    fn iter(&self) -> impl Iterator<Item = &Candidate> {
        self.list[..self.n].iter().flatten()
    }
}

impl View<'_> {
    /// The best of what somebody who plans might do in a moment and is asked for, less what each takes away, looking at so
    /// many choices one by one; `None` if there is none.
    pub(super) fn best(
        &self,
        moment: &Moment,
        plies: usize,
        asked: impl Fn(ActionId) -> Option<f32>,
        rooms: &mut Rooms,
    ) -> Option<ActionId> {
        (rooms.weighed, rooms.killers) = (0, [None; 2]);
        let plies = plies.clamp(1, PLIES);
        let decider = Decider { who: self.pair[0], whom: self.pair[1], turn: Turn::Own };
        let few = self.few(moment, decider, plies, asked, rooms);
        let mut best: Option<(f32, ActionId)> = None;
        for candidate in few.iter() {
            let least = best.map_or(f32::NEG_INFINITY, |(worth, _)| worth - candidate.own);
            let ahead = self.then(moment, decider, candidate, plies, [least, f32::INFINITY], rooms);
            let worth = candidate.own + ahead;
            if best.is_none_or(|(most, _)| worth > most) {
                best = Some((worth, candidate.doing.action));
            }
        }
        best.map(|(_, action)| action)
    }

    /// What a moment is worth to whoever decides there (points), if that is between two limits; else on the same side of
    /// them.
    fn value(
        &self,
        moment: &Moment,
        decider: Decider,
        plies: usize,
        [mut least, most]: [f32; 2],
        rooms: &mut Rooms,
    ) -> f32 {
        if plies <= 1 {
            return self.last(moment, decider, most, rooms);
        }
        let few = self.few(moment, decider, plies, |_| Some(0.0), rooms);
        let mut best: Option<f32> = None;
        for candidate in few.iter() {
            let limits = [least - candidate.own, most - candidate.own];
            let worth = candidate.own + self.then(moment, decider, candidate, plies, limits, rooms);
            best = Some(best.map_or(worth, |best| best.max(worth)));
            least = least.max(worth);
            if least >= most {
                break;
            }
        }
        best.unwrap_or(0.0)
    }

    /// The same of the last moment that is looked at: all choices count, but nobody looks on who has seen enough.
    fn last(&self, moment: &Moment, decider: Decider, most: f32, rooms: &mut Rooms) -> f32 {
        let mut choices = self.choices(moment, decider, 1, rooms);
        // What was too good elsewhere is likely to be so here.
        let killer = rooms.killers[decider.turn as usize];
        if let Some(at) = choices.iter().position(|choice| Some(choice.action) == killer) {
            choices.swap(0, at);
        }
        let scales = self.scales(moment, decider);
        let mut best: Option<f32> = None;
        for choice in &choices {
            rooms.weighed += 1;
            let candidate = self.weigh(moment, decider, &scales, choice.action);
            let worth = candidate.own + candidate.ahead;
            if best.is_none_or(|best| worth > best) && self.is_one(moment, decider, choice, &candidate.doing)
            {
                best = Some(worth);
                if worth >= most {
                    rooms.killers[decider.turn as usize] = Some(choice.action);
                    break;
                }
            }
        }
        rooms.choices[0] = choices;
        best.unwrap_or(0.0)
    }

    /// What an action leads to is worth to whoever did it (points), between limits as in [`View::value`].
    fn then(
        &self,
        moment: &Moment,
        decider: Decider,
        candidate: &Candidate,
        plies: usize,
        [least, most]: [f32; 2],
        rooms: &mut Rooms,
    ) -> f32 {
        if plies <= 1 {
            return candidate.ahead;
        }
        let Some(next) = self.next(moment, decider.who, candidate.doing) else { return candidate.ahead };
        let Some(who) = self.stage.turn(&next) else { return 0.0 };
        if who != decider.who {
            let other = Decider { who: decider.whom, whom: decider.who, turn: decider.turn.other() };
            -self.value(&next, other, plies - 1, [-most, -least], rooms)
        } else {
            self.value(&next, decider, plies - 1, [least, most], rooms)
        }
    }

    /// The moment in which somebody decides next. `None` if two blows land at once: a list of both would be allocated.
    fn next(&self, moment: &Moment, who: usize, doing: Doing) -> Option<Moment> {
        let mut next = moment.clone();
        self.stage.start(&mut next, who, doing);
        let blow = |who: usize| next.people[who].ahead.map(|ahead| ahead.hit.tick);
        if let (Some(a), Some(b)) = (blow(0), blow(1)) {
            if a == b {
                return None;
            }
            self.stage.run(&mut next, a.min(b));
        }
        self.stage.run(&mut next, i32::MAX);
        Some(next)
    }

    fn bodies(&self, who: usize, whom: usize) -> [&Bodies; 2] {
        [who, whom].map(|who| &*self.stage.cast[who].bodies)
    }

    /// The best few of what somebody might do, as far as one look at each tells.
    fn few(
        &self,
        moment: &Moment,
        decider: Decider,
        plies: usize,
        asked: impl Fn(ActionId) -> Option<f32>,
        rooms: &mut Rooms,
    ) -> Few {
        let choices = self.choices(moment, decider, plies, rooms);
        let scales = self.scales(moment, decider);
        let mut few = Few::default();
        for choice in &choices {
            let Some(takes) = asked(choice.action) else { continue };
            rooms.weighed += 1;
            let weighed = self.weigh(moment, decider, &scales, choice.action);
            let candidate = Candidate { own: weighed.own - takes, ..weighed };
            few.offer(WIDTHS[plies - 1], candidate, || {
                self.is_one(moment, decider, choice, &candidate.doing)
            });
        }
        rooms.choices[plies - 1] = choices;
        few
    }

    /// What somebody might do; whether bodies get into each other is another question.
    fn choices(&self, moment: &Moment, decider: Decider, plies: usize, rooms: &mut Rooms) -> Vec<Choice> {
        let mut choices = std::mem::take(&mut rooms.choices[plies - 1]);
        choices.clear();
        let limits = &self.aims[decider.who].plausibility;
        sketch(self.stage, moment, decider.who, (limits, decider.whom), &mut choices);
        choices
    }

    fn is_one(&self, moment: &Moment, decider: Decider, choice: &Choice, doing: &Doing) -> bool {
        let limits = &self.aims[decider.who].plausibility;
        choice.is_certain || !penetrates(self.stage, moment, (decider.who, doing), limits)
    }

    fn scales(&self, moment: &Moment, Decider { who, whom, turn }: Decider) -> Scales {
        let (own, them) = (&self.aims[who], &moment.people[whom]);
        let (distance, angle) =
            self.stage.relation(moment, (who, &moment.people[who].doing), whom, moment.tick);
        let coming = them.ahead.filter(|ahead| ahead.whom as usize == who);
        let pairing = Pairing::of(moment, who, whom, self.bodies(who, whom));
        Scales {
            state: if self.beyond > 0 { self.graph.find(&pairing).map(|found| found.state) } else { None },
            now: own.style.movement(distance, angle) as f32,
            coming: coming.map_or(0.0, |ahead| own.scoring.worth(&ahead.hit)),
            taken: self.plan.reward.weight(them.doing.action, turn.other()),
        }
    }

    /// One look at an action.
    fn weigh(&self, moment: &Moment, decider: Decider, scales: &Scales, action: ActionId) -> Candidate {
        let Decider { who, whom, turn } = decider;
        let (stage, own, them) = (self.stage, &self.aims[who], &moment.people[whom]);
        let bodies = self.bodies(who, whom);
        let doing = stage.begin(moment, who, action);
        let blows = exchange(own.scoring, (bodies[0], &doing), (bodies[1], them), moment.tick);
        let [given, taken] = blows.worth;
        let (distance, angle) = stage.relation(moment, (who, &doing), whom, doing.end(bodies[0]));
        let worth = own.style.movement(distance, angle) as f32 - scales.now
            + self.plan.reward.weight(action, turn) * given
            - scales.taken * (taken - scales.coming);
        let target = match blows.is_quiet {
            _ if self.beyond == 0 => None,
            true => {
                let (pairing, is_swapped) = Pairing::next(bodies, &doing, them, moment.tick);
                let swapped = if is_swapped { SWAPPED } else { 0 };
                self.graph.find(&pairing).map(|found| found.state.0 | swapped)
            }
            // What follows a blow that lands is what follows it in the state that this moment is most like.
            false => scales.state.and_then(|state| self.graph.target(state, action)),
        };
        let ahead = target.map_or(0.0, |target| self.plan.policy.worth(turn, target, self.beyond));
        Candidate { doing, own: worth, ahead }
    }
}

/// What is the same for all actions of a moment.
struct Scales {
    /// The state that it is most like.
    state: Option<StateId>,
    /// What being there is worth already (points).
    now: f32,
    /// The opponent's blow that is about to land, and what a unit of it costs (points).
    coming: f32,
    taken: f32,
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
    pub(super) fn of(stage: &Stage, moment: &Moment, aims: &Aims, (who, whom): (usize, usize)) -> Threat {
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
    pub(super) fn is_answered_by(self, is_defence: bool) -> bool {
        match self {
            Threat::None => !is_defence,
            Threat::Misses => true,
            Threat::Lands => is_defence,
        }
    }
}

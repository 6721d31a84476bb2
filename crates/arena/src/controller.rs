//! Whoever decides: one small trait, and the simplest of those who implement it.

use std::collections::VecDeque;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::ActionId;
use randori_motion::annotation::Kind;

use crate::objectives::{Aims, Terms};
use crate::plausible::{Screening, plausible};
use crate::stage::{Moment, Stage};

/// What somebody who has to decide knows: everything.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// Those who matter to the decision.
    pub stage: &'a Stage,
    /// What they do now.
    pub moment: &'a Moment,
    /// What they are after, one for each of the cast.
    pub aims: &'a [Aims],
    /// Who decides, by their place in the cast.
    pub who: usize,
    /// Whether anybody will ask what else was considered; if not, nobody need keep it.
    pub explain: bool,
}

/// What was decided, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What to do.
    pub action: ActionId,
    /// How many choices there were.
    pub screening: Screening,
    /// What else was considered, the best first; empty for those who do not compare, and where nobody asked for an
    /// explanation.
    pub candidates: Vec<Considered>,
    /// Actions simulated to get there.
    pub edges: u64,
}

/// A choice that was considered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Considered {
    /// What.
    pub action: ActionId,
    /// The terms of the action itself.
    pub terms: Terms,
    /// Where it leads: S_comp and S_coop at the end of the line, if that was worked out (points).
    pub scores: Option<[f64; 2]>,
}

/// Somebody who decides what one or more people do.
///
/// Asked whenever the action of one of them is over. `None` means that there is nothing to do: the person stays in the
/// last frame, and is asked again at the next moment at which anybody decides.
pub trait Controller: Send {
    /// What the person does next: one of [`Stage::options`].
    fn decide(&mut self, situation: &Situation<'_>) -> Option<Verdict>;

    /// Whether it decides by the situation alone, so that a decision that is known need not be asked for again.
    fn forgets(&self) -> bool {
        false
    }
}

impl Situation<'_> {
    /// What the person might plausibly do.
    pub fn choices(&self) -> (Vec<ActionId>, Screening) {
        let aims = &self.aims[self.who];
        let mut choices = Vec::new();
        let screening =
            plausible(self.stage, self.moment, self.who, (&aims.plausibility, aims.opponent), &mut choices);
        (choices, screening)
    }
}

/// Takes anything plausible.
#[derive(Clone, Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// One of many, by a seed.
    pub fn new(seed: u64) -> Random {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }
}

impl Controller for Random {
    fn decide(&mut self, situation: &Situation<'_>) -> Option<Verdict> {
        let (choices, screening) = situation.choices();
        if choices.is_empty() {
            return None;
        }
        let action = choices[self.0.random_range(0..choices.len())];
        Some(Verdict { action, screening, candidates: Vec::new(), edges: 0 })
    }
}

/// Thinks that the opponent will only ever finish what it does: comes near, hits, and never defends itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct StaticTarget;

impl Controller for StaticTarget {
    fn forgets(&self) -> bool {
        true
    }

    fn decide(&mut self, situation: &Situation<'_>) -> Option<Verdict> {
        let Situation { stage, moment, aims, who, .. } = *situation;
        let (choices, screening) = situation.choices();
        let own = &aims[who];
        let bodies = &stage.cast[who].bodies;
        let is_defence = |id: &ActionId| bodies.of_action(*id).kind == Kind::Defence;
        let worth = |id: ActionId| {
            let doing = stage.begin(moment, who, id);
            let mut next = moment.clone();
            stage.start(&mut next, who, doing);
            let (distance, angle) = stage.relation(moment, (who, &doing), own.opponent, doing.end(bodies));
            let hit = next.people[who].ahead.map_or(0.0, |ahead| own.scoring.worth(&ahead.hit));
            let weight = own.style.damage_weight(&bodies.library().action(id).annotation);
            own.style.movement(distance, angle) + weight * f64::from(hit)
        };
        let mut left: Vec<ActionId> = choices.iter().copied().filter(|id| !is_defence(id)).collect();
        if left.is_empty() {
            left = choices;
        }
        let mut best: Option<(f64, ActionId)> = None;
        for id in &left {
            let worth = worth(*id);
            if best.is_none_or(|(known, _)| worth > known) {
                best = Some((worth, *id));
            }
        }
        best.map(|(_, action)| Verdict {
            action,
            screening,
            candidates: Vec::new(),
            edges: left.len() as u64,
        })
    }
}

/// Stays where it is as well as its library allows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Still;

impl Controller for Still {
    fn forgets(&self) -> bool {
        true
    }

    fn decide(&mut self, situation: &Situation<'_>) -> Option<Verdict> {
        let (choices, screening) = situation.choices();
        let bodies = &situation.stage.cast[situation.who].bodies;
        let of_kind = |id: &ActionId| bodies.of_action(*id).kind != Kind::Transition;
        let roam = |id: &ActionId| bodies.of_action(*id).roam;
        let calmest = choices
            .iter()
            .copied()
            .min_by(|a, b| of_kind(a).cmp(&of_kind(b)).then(roam(a).total_cmp(&roam(b))).then(a.cmp(b)));
        calmest.map(|action| Verdict { action, screening, candidates: Vec::new(), edges: 0 })
    }
}

/// Performs a list of actions, by name or by annotation, then stays where it is, or begins again.
#[derive(Clone, Debug)]
pub struct Scripted {
    lines: VecDeque<String>,
    repeats: bool,
}

impl Scripted {
    /// Somebody with these lines: names of actions (`left-jab-3`) or annotations (`left-jab`).
    pub fn new(lines: VecDeque<String>, repeats: bool) -> Scripted {
        Scripted { lines, repeats }
    }
}

impl Controller for Scripted {
    fn decide(&mut self, situation: &Situation<'_>) -> Option<Verdict> {
        let Situation { stage, moment, who, .. } = *situation;
        let library = stage.cast[who].bodies.library();
        let Some(line) = self.lines.front() else { return Still.decide(situation) };
        let meant = |id: &ActionId| {
            let action = library.action(*id);
            action.name == *line || action.annotation.name() == line
        };
        match stage.options(moment, who).iter().map(|option| option.id).find(meant) {
            Some(action) => {
                let said = self.lines.pop_front();
                self.lines.extend(said.filter(|_| self.repeats));
                let screening = Screening { options: 1, left: 1, ..Screening::default() };
                Some(Verdict { action, screening, candidates: Vec::new(), edges: 0 })
            }
            // Not from this posture: the next one may do.
            None => Still.decide(situation),
        }
    }
}

//! Two people of one library, and what comes of what either of them does: all that the graph is made of.

use std::sync::Arc;

use randori_arena::bodies::{Bodies, Brief, Doing, Rigid, TICKS_PER_SECOND};
use randori_arena::hits::{self, Hit, Part};
use randori_arena::objectives::Scoring;
use randori_arena::plausible::{Plausibility, plausible};
use randori_arena::reactions::Reactions;
use randori_arena::stage::{Cast, Contest, Moment, Outcome, Person, Stage};
use randori_motion::annotation::{Kind, Load};
use randori_motion::library::{Action, NodeId};
use randori_motion::{ActionId, ActionLibrary, Ground, Placement};
use serde::{Deserialize, Serialize};
use smallvec::smallvec;

use crate::manner::Manners;
use crate::pairing::{FARTHEST, Pairing, Relation, SIGMA_ANGLE, SIGMA_DISTANCE};
use crate::sample::Tolerance;

/// What two people do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activity {
    /// Blows hurt.
    Fight,
    /// Hands catch.
    Chase,
    /// Both hold one thing.
    Carry,
}

impl Activity {
    /// What people of a library do with each other: they carry if they ever hold one end of something, fight if they have
    /// blows, and chase each other otherwise.
    pub fn of(library: &ActionLibrary) -> Activity {
        let actions = library.actions();
        let is_blow = |action: &Action| {
            action.annotation.kind() == Kind::Attack && !action.annotation.name().ends_with("catch")
        };
        if actions.iter().any(|action| holds_on(action).is_some()) {
            Activity::Carry
        } else if actions.iter().any(is_blow) {
            Activity::Fight
        } else {
            Activity::Chase
        }
    }
}

/// Two who can do the same, opposite each other.
#[derive(Clone, Debug)]
pub struct Duel {
    /// Both of them; whoever decides is the first.
    stage: Stage,
    /// What neither would ever do, whatever they are after.
    limits: Plausibility,
    /// An action that ends in each node; none for nodes that only falls for good lead to.
    endings: Vec<Option<ActionId>>,
    manners: Manners,
    carrying: Option<Carrying>,
}

/// What two have to mind who carry something.
#[derive(Clone, Debug)]
struct Carrying {
    /// How far apart they may be at any time (m).
    apart: [f32; 2],
    /// What each action holds from its beginning to its end, if that is one end of something and stays so.
    holds: Vec<Option<Load>>,
}

/// What came of an action, as far as the graph is concerned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Consequence {
    /// What both get into; `None` if nobody decides any more, or they lost sight of each other.
    pub next: Option<Pairing>,
    /// Whether it is the other who decides then.
    pub is_swapped: bool,
    /// All that a reward may ask for.
    pub facts: Facts,
}

/// The ingredients of any reward: equations 3 and 4 of \[Shum2008b\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// d: between the roots when the action ends, if the other goes on (m).
    pub distance: f32,
    /// θ: by how much the gaze misses the other then (rad).
    pub angle: f32,
    /// D+: what own blows gave, and will give if everybody goes on.
    pub given: f32,
    /// D-: what the other's blows gave, and will give, less what was about to be given before.
    pub taken: f32,
    /// v: how the middle of both moved, seen along the line from whoever decides to the other: to the left, then ahead
    /// (m/s).
    pub velocity: [f32; 2],
}

impl Duel {
    /// Two of this library, who fall from this impulse on (N s).
    pub fn of(bodies: Arc<Bodies>, reactions: Option<Arc<Reactions>>, poise: f32, contest: Contest) -> Duel {
        let library = bodies.library();
        let mut endings = vec![None; library.n_nodes()];
        for id in library.ids().filter(|id| !library.action(*id).is_terminal) {
            let ending = &mut endings[library.action(id).to.0 as usize];
            *ending = ending.or(Some(id));
        }
        let limits = Plausibility {
            // Whoever runs away is a part of the chase.
            facing: if contest == Contest::Chase {
                std::f32::consts::PI
            } else {
                Plausibility::default().facing
            },
            ..Plausibility::default()
        };
        let cast = |side: u8| Cast { bodies: Arc::clone(&bodies), reactions: reactions.clone(), side, poise };
        Duel {
            stage: Stage { cast: vec![cast(0), cast(1)], contest },
            limits,
            endings,
            manners: Manners::of(&bodies),
            carrying: None,
        }
    }

    /// Two of this library who carry one thing, and are never nearer to each other or farther apart than this (m).
    pub fn carrying(bodies: Arc<Bodies>, apart: [f32; 2]) -> Duel {
        let holds = bodies.library().actions().iter().map(holds_on).collect();
        let duel = Duel::of(bodies, None, f32::MAX, Contest::Chase);
        // Whoever walks backwards with something looks over it, not always at the other.
        let limits = Plausibility { facing: Plausibility::default().facing, ..duel.limits };
        Duel { limits, carrying: Some(Carrying { apart, holds }), ..duel }
    }

    /// What both do.
    pub fn activity(&self) -> Activity {
        match (self.stage.contest, &self.carrying) {
            (_, Some(_)) => Activity::Carry,
            (Contest::Fight, None) => Activity::Fight,
            (Contest::Chase, None) => Activity::Chase,
        }
    }

    /// The stage with both.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// What both can do.
    pub fn bodies(&self) -> &Arc<Bodies> {
        &self.stage.cast[0].bodies
    }

    pub(crate) fn manners(&self) -> &Manners {
        &self.manners
    }

    /// What a blow counts, before anybody weighs it.
    pub fn scoring(&self) -> Scoring {
        match self.stage.contest {
            Contest::Fight => Scoring::Damage,
            Contest::Chase => Scoring::Catch,
        }
    }

    /// The moment of a pairing: whoever decides is the first, at the origin. `None` if nobody can be in it.
    pub fn moment(&self, pairing: &Pairing) -> Option<Moment> {
        let bodies = self.bodies();
        let ending = (*self.endings.get(pairing.node.0 as usize)?)?;
        let its = bodies.of_action(ending);
        let take_from_root = bodies.stance(its.take, its.last).root.inverse();
        let doing = Doing { action: ending, start: -its.length(), world_from_take: take_from_root };
        let own = Person { doing, is_spent: false, is_present: true, ahead: None };
        let mut moment = Moment { tick: 0, people: smallvec![own, pairing.other(bodies)] };
        self.stage.start(&mut moment, 0, doing);
        Some(moment)
    }

    /// All that may follow in a posture.
    pub fn options(&self, node: NodeId) -> &[Brief] {
        let ending = self.endings.get(node.0 as usize).copied().flatten();
        ending.map_or(&[], |ending| self.bodies().options(ending))
    }

    /// What somebody might do in a moment, whatever they are after.
    pub fn choices(&self, moment: &Moment, out: &mut Vec<ActionId>) {
        let from = out.len();
        plausible(&self.stage, moment, 0, (&self.limits, 1), out);
        if let Some(carrying) = &self.carrying {
            let mut kept = from;
            for at in from..out.len() {
                let action = out[at];
                if carrying.holds[action.idx()].is_some() && self.stays(moment, action, carrying.apart) {
                    out[kept] = action;
                    kept += 1;
                }
            }
            out.truncate(kept);
        }
    }

    /// The same, and whether each is spare: with what would answer the blow of the other if it were about to land, or were
    /// not, as long as it can.
    pub(crate) fn all_choices(&self, moment: &Moment, out: &mut Vec<(ActionId, bool)>) {
        let mut choices = Vec::new();
        self.choices(moment, &mut choices);
        out.extend(choices.iter().map(|action| (*action, false)));
        let Person { doing, is_spent, .. } = moment.people[1];
        let its = self.bodies().of_action(doing.action);
        let can_land = its.window[0] < its.window[1] && !is_spent;
        if !can_land || doing.start + (its.window[1] - its.first) as i32 <= moment.tick {
            return;
        }
        let limits = Plausibility { logical: false, ..self.limits };
        let mut more = Vec::new();
        plausible(&self.stage, moment, 0, (&limits, 1), &mut more);
        out.extend(more.iter().filter(|action| !choices.contains(action)).map(|action| (*action, true)));
    }

    /// Whether both stay as far apart as they should, up to the next decision, if whoever decides does this.
    fn stays(&self, moment: &Moment, action: ActionId, [least, most]: [f32; 2]) -> bool {
        let bodies = &**self.bodies();
        let (doing, theirs) = (self.stage.begin(moment, 0, action), &moment.people[1].doing);
        // Up to the next decision.
        let until = doing.end(bodies).min(theirs.end(bodies).max(moment.tick + 1));
        apart((bodies, &doing), (bodies, theirs), moment.tick)
            .take((until - moment.tick) as usize + 1)
            .all(|distance| (least..=most).contains(&distance))
    }

    /// What happens if whoever decides does this.
    pub fn play(&self, moment: &Moment, action: ActionId) -> (Doing, Outcome) {
        let doing = self.stage.begin(moment, 0, action);
        (doing, self.stage.perform(moment, 0, doing))
    }

    /// The same, and what the blows of both are worth if both go on, given and taken.
    pub(crate) fn play_out(&self, moment: &Moment, action: ActionId) -> (Doing, Outcome, [f32; 2]) {
        let doing = self.stage.begin(moment, 0, action);
        let mut next = moment.clone();
        self.stage.start(&mut next, 0, doing);
        let [given, taken] = [0, 1].map(|who: usize| next.people[who].ahead.map(|ahead| ahead.hit));
        let blows = Blows::of(self.scoring(), given, taken);
        let landed = self.stage.run(&mut next, i32::MAX);
        (doing, Outcome { next, landed }, blows.worth)
    }

    /// What the graph keeps of it.
    pub fn consequence(&self, before: &Moment, doing: &Doing, outcome: &Outcome) -> Consequence {
        let (stage, bodies) = (&self.stage, &**self.bodies());
        let next = &outcome.next;
        let turn = stage.turn(next);
        let pairing = turn.map(|who| Pairing::of(next, who, 1 - who, [bodies; 2]));
        let scoring = self.scoring();
        let coming = |moment: &Moment, who: usize| {
            moment.people[who].ahead.map_or(0.0, |ahead| scoring.worth(&ahead.hit))
        };
        let landed = |who: u16| -> f32 {
            let own = outcome.landed.iter().filter(|landed| landed.who == who);
            own.map(|landed| scoring.worth(&landed.hit)).sum()
        };
        let (distance, angle) = stage.relation(before, (0, doing), 1, doing.end(bodies));
        let facts = Facts {
            distance,
            angle,
            given: landed(0) + coming(next, 0),
            taken: landed(1) + coming(next, 1) - coming(before, 1),
            velocity: self.velocity(before, next),
        };
        Consequence {
            next: pairing.filter(|pairing| pairing.relation.distance < FARTHEST),
            is_swapped: turn == Some(1),
            facts,
        }
    }

    /// The same with blows that count as much as they do on average around a pairing: whoever is somewhat elsewhere, or
    /// somewhat later, should not be told that a blow lands which only just does.
    pub(crate) fn around(&self, pairing: &Pairing, tolerance: Tolerance) -> Around {
        let bodies = self.bodies();
        let (near, ticks) = (SPREAD * tolerance.unlike, i32::from(tolerance.frames / 2));
        let length = bodies.of_action(pairing.theirs).length();
        let other = |[distance, own, other, late]: [f32; 4]| {
            let Relation { distance: r, own: a, other: b } = pairing.relation;
            let relation = Relation {
                distance: (r + distance * near * SIGMA_DISTANCE).max(0.1),
                own: a + own * near * SIGMA_ANGLE,
                other: b + other * near * SIGMA_ANGLE,
            };
            let frame = (i32::from(pairing.frame) + late as i32 * ticks).clamp(0, length) as u16;
            Pairing { relation, frame, ..*pairing }.other(bodies)
        };
        Around(CORNERS.map(other))
    }

    /// What the blows of both are worth, given and taken, if whoever decides does this: on average of where the other is,
    /// for which it is known, and of all around.
    pub(crate) fn blows(&self, around: &Around, doing: &Doing, here: [f32; 2]) -> [f32; 2] {
        let bodies = &**self.bodies();
        let mut sums = here;
        for other in &around.0 {
            let [given, taken] = exchange(self.scoring(), (bodies, doing), (bodies, other), 0).worth;
            sums = [sums[0] + given, sums[1] + taken];
        }
        sums.map(|sum| sum / (1 + around.0.len()) as f32)
    }

    fn velocity(&self, before: &Moment, next: &Moment) -> [f32; 2] {
        let places = |moment: &Moment| {
            [0, 1].map(|who: usize| moment.people[who].doing.position(self.bodies(), moment.tick))
        };
        velocity_of_middle(places(before), places(next), next.tick - before.tick)
    }

    /// What both would get into if no blow landed: where many ask, and few need to be right.
    pub(crate) fn guess(&self, pairing: &Pairing, action: ActionId) -> Option<Pairing> {
        let bodies = &**self.bodies();
        let own = Doing::begin(bodies, action, 0, 0, Rigid::of(Placement::default()));
        let (next, _) = Pairing::next([bodies; 2], &own, &pairing.other(bodies), 0);
        (next.relation.distance < FARTHEST).then_some(next)
    }

    /// Both standing opposite each other at these distances (m), in every posture in which one can wait: where
    /// exploring starts.
    pub fn openings(&self, distances: &[f32]) -> Vec<Pairing> {
        let bodies = self.bodies();
        let library = bodies.library();
        let calm = library.ids().filter(|id| {
            let its = bodies.of_action(*id);
            let is_held = self.carrying.as_ref().is_none_or(|carrying| carrying.holds[id.idx()].is_some());
            its.kind == Kind::Transition && !its.is_terminal && its.roam < CALM && is_held
        });
        let mut by_node: Vec<Option<ActionId>> = vec![None; library.n_nodes()];
        for id in calm {
            let known = &mut by_node[library.action(id).from.0 as usize];
            *known = known.or(Some(id));
        }
        let waiting: Vec<ActionId> = by_node.into_iter().flatten().collect();
        let mut found = Vec::new();
        let holds = |id: &ActionId| self.carrying.as_ref().map(|carrying| carrying.holds[id.idx()]);
        for own in &waiting {
            for theirs in &waiting {
                if holds(own) != holds(theirs) {
                    continue;
                }
                for distance in distances {
                    let relation = Relation { distance: *distance, own: 0.0, other: 0.0 };
                    let node: NodeId = library.action(*own).from;
                    let pairing = Pairing { node, theirs: *theirs, frame: 0, is_spent: false, relation };
                    found.extend(self.endings[node.0 as usize].map(|_| pairing));
                }
            }
        }
        found
    }
}

/// The other around where a pairing has them.
#[derive(Clone, Debug)]
pub(crate) struct Around([Person; 4]);

/// The corners of a tetrahedron: distance, both angles, time.
const CORNERS: [[f32; 4]; 4] =
    [[1.0, 1.0, 1.0, 1.0], [1.0, -1.0, -1.0, -1.0], [-1.0, 1.0, -1.0, 1.0], [-1.0, -1.0, 1.0, -1.0]];
/// How far out they are, as a share of the tolerance (-): about as far as people are from the state they are found in.
const SPREAD: f32 = 0.33;

/// What the blows of two are worth, given and taken, if both go on from a tick: whoever is hurt first strikes no more.
pub(crate) fn exchange(
    scoring: Scoring,
    (own, doing): (&Bodies, &Doing),
    (other, theirs): (&Bodies, &Person),
    tick: i32,
) -> Blows {
    let strikes = |bodies: &Bodies, doing: &Doing| {
        let its = bodies.of_action(doing.action);
        its.window[0] < its.window[1] && doing.start + (its.window[1] - its.first) as i32 > tick
    };
    let given =
        strikes(own, doing).then(|| hits::first((own, doing), (other, &theirs.doing), tick)).flatten();
    let threatens = !theirs.is_spent && strikes(other, &theirs.doing);
    let taken = threatens.then(|| hits::first((other, &theirs.doing), (own, doing), tick)).flatten();
    Blows::of(scoring, given, taken)
}

/// What the blows of two come to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blows {
    /// Given and taken.
    pub(crate) worth: [f32; 2],
    /// None hurts.
    pub(crate) is_quiet: bool,
}

impl Blows {
    /// Of what either will meet if both go on.
    fn of(scoring: Scoring, given: Option<Hit>, taken: Option<Hit>) -> Blows {
        let worth = |hit: Option<Hit>| hit.map_or(0.0, |hit| scoring.worth(&hit));
        let worth = match (given, taken) {
            (Some(first), Some(second)) if first.tick < second.tick && first.part() != Part::Limb => {
                [worth(given), 0.0]
            }
            (Some(second), Some(first)) if first.tick < second.tick && first.part() != Part::Limb => {
                [0.0, worth(taken)]
            }
            _ => [worth(given), worth(taken)],
        };
        Blows { worth, is_quiet: worth == [0.0; 2] }
    }
}

/// What an action holds one end of from beginning to end.
pub(crate) fn holds_on(action: &Action) -> Option<Load> {
    match action.annotation.holds() {
        [Some(before), Some(after)] if before == after && before.is_shared => Some(before),
        _ => None,
    }
}

/// How far apart two are at every tick until the first of them is done, if the other stands when it is done before (m).
pub(crate) fn apart<'a>(
    (own, doing): (&'a Bodies, &'a Doing),
    (other, theirs): (&'a Bodies, &'a Doing),
    tick: i32,
) -> impl Iterator<Item = f32> + 'a {
    (tick..=doing.end(own)).map(move |tick| doing.position(own, tick).distance(theirs.position(other, tick)))
}

/// How the middle of both moves from two places to two others in some ticks, seen along the line from the first to the
/// second of those they leave: to the left, then ahead (m/s).
pub(crate) fn velocity_of_middle(before: [Ground; 2], after: [Ground; 2], ticks: i32) -> [f32; 2] {
    let seconds = ticks.max(1) as f32 / TICKS_PER_SECOND;
    let [a, b] = [0, 1].map(|who| [after[who].x - before[who].x, after[who].z - before[who].z]);
    let [x, z] = [0, 1].map(|axis| 0.5 * (a[axis] + b[axis]) / seconds);
    let [here, there] = before;
    let (sin, cos) = (there.x - here.x, there.z - here.z);
    let length = (sin * sin + cos * cos).sqrt();
    let (sin, cos) = if length < 1e-3 { (0.0, 1.0) } else { (sin / length, cos / length) };
    [cos * x - sin * z, sin * x + cos * z]
}

/// Whoever gets no farther than this in an action waits (m).
const CALM: f32 = 0.1;

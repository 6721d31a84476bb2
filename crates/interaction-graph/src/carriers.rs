//! Two who carry one thing: which way to go, and what each of them does for it.
//!
//! There are eight ways to go, seen along the line from whoever decides to the other, and standing: a policy for each. The
//! first step of a way between two of them is weighed by itself, what comes after by the nearer one.
//! Where both are to go is where [`Aims::goal`](randori_arena::objectives::Aims::goal) of either has the middle between them.
//!
//! What it refuses to do: it lets go of nothing. Lifting and putting down are for whoever tells the story.
//!
//! Reference: \[Shum2008b\], sections 6.3 and 7.2.

use std::f32::consts::{FRAC_PI_4, PI};
use std::sync::{Arc, OnceLock};

use randori_arena::controller::{Controller, Situation, Verdict};
use randori_arena::plausible::Screening;
use randori_motion::math::wrap_angle;
use randori_motion::{ActionId, ActionLibrary, Ground};

use crate::duel::{apart, holds_on};
use crate::graph::Graph;
use crate::pairing::Pairing;
use crate::policy::{Looking, Other, Policy};
use crate::reward::{Carrying, Reward, Turn};

/// How far apart two are who carry something, at least and at most (m): arms are nearly straight at 1.5 m.
pub const APART: [f32; 2] = [1.2, 1.8];
/// The same for a graph of them: people are not quite in its states, and should have some room left.
pub const EXPLORED: [f32; 2] = [1.24, 1.76];
/// Whoever is nearer than this to where they are to be stands (m).
const THERE: f32 = 0.2;
/// People do not come nearer than this to what they must not be (m): the other may have nothing better to do than to come
/// nearer still.
const ROOM: f32 = 0.04;
/// Choices looked ahead.
const DEPTH: usize = 5;
/// The place of standing behind the eight ways.
const STANDING: usize = 8;

/// What two need to know who carry something; shared by all who do.
#[derive(Debug)]
pub struct Carriers {
    graph: Arc<Graph>,
    library: Arc<ActionLibrary>,
    rewards: [Carrying; 9],
    policies: [OnceLock<Policy>; 9],
    /// Whether each action keeps hold of one end.
    holds: Vec<bool>,
}

impl Carriers {
    /// On a graph of this library, made of [`Duel::carrying`](crate::Duel::carrying), after what is usual.
    pub fn of(graph: Arc<Graph>, library: Arc<ActionLibrary>) -> Carriers {
        Carriers::after(graph, library, Carrying::default())
    }

    /// The same after something else; which way its velocity goes does not matter. Policies are made when they are needed
    /// first.
    pub fn after(graph: Arc<Graph>, library: Arc<ActionLibrary>, wanted: Carrying) -> Carriers {
        let ways = wanted.eight_ways();
        let standing = Carrying { velocity: [0.0; 2], ..wanted };
        Carriers {
            holds: library.actions().iter().map(|action| holds_on(action).is_some()).collect(),
            graph,
            library,
            rewards: std::array::from_fn(|way| ways.get(way).copied().unwrap_or(standing)),
            policies: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    /// The graph.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// Makes all policies, so that nobody waits for one later.
    pub fn ready(&self) {
        for way in 0..self.policies.len() {
            self.policy(way);
        }
    }

    fn policy(&self, way: usize) -> &Policy {
        let looking = Looking { depth: DEPTH, discount: 1.0, other: Other::Allied, parallel: false };
        self.policies[way].get_or_init(|| Policy::of(&self.graph, &self.rewards[way], looking))
    }

    /// What going exactly this way is worth, and the policy of the nearest of the eight; of standing, if it leads nowhere.
    fn towards(&self, way: Option<f32>) -> (&Policy, Carrying) {
        match way {
            Some(angle) => (self.policy(eighth_of(angle)), self.rewards[0].turned(angle)),
            None => (self.policy(STANDING), self.rewards[STANDING]),
        }
    }
}

/// One of two who carry something.
#[derive(Debug)]
pub struct Carrier {
    carriers: Arc<Carriers>,
}

impl Carrier {
    /// Somebody at one end.
    pub fn new(carriers: &Arc<Carriers>) -> Carrier {
        Carrier { carriers: Arc::clone(carriers) }
    }
}

impl Controller for Carrier {
    fn decide(&mut self, situation: &Situation<'_>) -> Option<Verdict> {
        let Situation { stage, moment, aims, who, .. } = *situation;
        let whom = aims[who].opponent;
        let carriers = &*self.carriers;
        let known = |who: usize| {
            let library = stage.cast[who].bodies.library();
            Arc::ptr_eq(library, &carriers.library) || carriers.graph.fits(library)
        };
        if whom == who || !known(who) || !known(whom) {
            return None;
        }
        let bodies = [who, whom].map(|who| &*stage.cast[who].bodies);
        let way = way_to_go(situation, whom);
        let scene = Scene { situation, whom, carriers };
        let pairing = Pairing::of(moment, who, whom, bodies);
        let graph = &carriers.graph;
        let found = graph.find(&pairing).or_else(|| graph.nearest(&pairing));
        let best = found.and_then(|found| {
            let (policy, reward) = carriers.towards(way);
            let base = reward.of_state(graph, found.state, Turn::Own);
            let mut best: Option<(f32, ActionId)> = None;
            for at in graph.range(found.state) {
                let worth = reward.of_edge(&base, graph.edges.actions[at], &graph.edges.facts(at), Turn::Own)
                    + policy.ahead(Turn::Own, graph.edges.targets[at], DEPTH);
                let action = ActionId(u32::from(graph.edges.actions[at]));
                if best.is_none_or(|(most, _)| worth > most) && scene.is_in_order(action) {
                    best = Some((worth, action));
                }
            }
            best.map(|(_, action)| action)
        });
        let action = best.or_else(|| scene.safest())?;
        let options = stage.options(moment, who).len() as u32;
        let screening = Screening { options, left: options, ..Screening::default() };
        Some(Verdict { action, screening, candidates: Vec::new(), edges: 0 })
    }

    fn forgets(&self) -> bool {
        true
    }
}

/// The way to where the middle between both is to be, to the left of straight ahead (rad) along the line from whoever
/// decides to the other; `None` if it is there, or is to be nowhere.
fn way_to_go(situation: &Situation<'_>, whom: usize) -> Option<f32> {
    let Situation { stage, moment, aims, who, .. } = *situation;
    let goal = aims[who].goal.or(aims[whom].goal)?;
    let [here, there] = [who, whom].map(|who| stage.position(moment, who, moment.tick));
    let middle = Ground { x: 0.5 * (here.x + there.x), z: 0.5 * (here.z + there.z) };
    if middle.distance(goal.position) < THERE {
        return None;
    }
    let heading = |from: Ground, to: Ground| libm::atan2f(to.x - from.x, to.z - from.z);
    Some(heading(middle, goal.position) - heading(here, there))
}

/// The nearest eighth of a turn to an angle (rad): 0 is ahead, 2 to the left.
fn eighth_of(angle: f32) -> usize {
    (libm::roundf((wrap_angle(angle) + PI) / FRAC_PI_4) as usize + 4) % 8
}

/// Where people really are.
struct Scene<'a> {
    situation: &'a Situation<'a>,
    whom: usize,
    carriers: &'a Carriers,
}

impl Scene<'_> {
    /// By how much an action gets both too near or too far apart (m), not more than nothing if it does not: before anybody
    /// decides again, and before it ends if the other then stands.
    fn excess(&self, action: ActionId) -> [f32; 2] {
        let Situation { stage, moment, who, .. } = *self.situation;
        let doing = stage.begin(moment, who, action);
        let theirs = &moment.people[self.whom].doing;
        let [own, other] = [who, self.whom].map(|who| &*stage.cast[who].bodies);
        let [least, most] = APART;
        let until = doing.end(own).min(theirs.end(other).max(moment.tick + 1));
        let mut excess = [f32::NEG_INFINITY; 2];
        for (tick, distance) in (moment.tick..).zip(apart((own, &doing), (other, theirs), moment.tick)) {
            let off = (least - distance).max(distance - most);
            excess[1] = excess[1].max(off);
            if tick <= until {
                excess[0] = excess[0].max(off);
            }
        }
        excess
    }

    /// Whether an action keeps both together for sure until somebody decides, and to its end even if the other then stands.
    fn is_in_order(&self, action: ActionId) -> bool {
        let [soon, later] = self.excess(action);
        soon <= -ROOM && later <= 0.0
    }

    /// What keeps hold, and both best apart: before all else until somebody decides.
    fn safest(&self) -> Option<ActionId> {
        let Situation { stage, moment, who, .. } = *self.situation;
        let holds = stage.options(moment, who).iter().map(|option| option.id);
        let holds = holds.filter(|id| self.carriers.holds[id.idx()]);
        let off = |id: ActionId| {
            let [soon, later] = self.excess(id);
            [soon.max(-ROOM), later]
        };
        let order = |[a, b]: [[f32; 2]; 2]| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]));
        holds.map(|id| (off(id), id)).min_by(|(a, _), (b, _)| order([*a, *b])).map(|(_, id)| id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eighths_are_the_nearest_ways() {
        for (degrees, eighth) in [
            (0.0, 0),
            (20.0, 0),
            (25.0, 1),
            (90.0, 2),
            (-90.0, 6),
            (180.0, 4),
            (-180.0, 4),
            (-40.0, 7),
            (700.0, 0),
        ] {
            assert_eq!(eighth_of(f32::to_radians(degrees)), eighth, "{degrees}");
        }
    }
}

//! Two who carry one thing: which way to go, and what each of them does for it.
//!
//! There are eight ways to go and eight between them, seen along the line from whoever decides to the other, and standing:
//! a policy for each, made when it is needed first. The first steps are weighed by the way that is really meant
//! (`Outlook`), the very first as it really goes from where both are, what comes after by the nearest of those.
//! Steps drift to the side, more so backwards than ahead, so each keeps to the line on which both were sent (`Course`).
//! Where both are to go is where [`Aims::goal`](randori_arena::objectives::Aims::goal) of either has the middle between them.
//!
//! What it refuses to do: it lets go of nothing. Lifting and putting down are for whoever tells the story.
//!
//! Reference: \[Shum2008b\], sections 6.3 and 7.2.

use std::f32::consts::TAU;
use std::sync::{Arc, OnceLock};

use randori_arena::controller::{Controller, Situation, Verdict};
use randori_arena::plausible::Screening;
use randori_motion::math::wrap_angle;
use randori_motion::{ActionId, ActionLibrary, Ground};
use rayon::prelude::*;
use smallvec::SmallVec;

use crate::duel::{Facts, apart, holds_on, velocity_of_middle};
use crate::graph::{Graph, STATE, SWAPPED, StateId};
use crate::pairing::Pairing;
use crate::policy::{Looking, Other, Policy};
use crate::reward::{Base, Carrying, Reward, Turn};

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
/// Ways that there are policies for: eighths of a turn, and one between any two.
const WAYS: usize = 16;
/// The place of standing behind the ways.
const STANDING: usize = WAYS;
/// Ways that differ by less are the same way still (rad).
const SAME_WAY: f32 = 0.2;
/// Whoever is off the line heads for where it will be after so much of it (m).
const AHEAD: f32 = 0.5;
/// How many of the first choices are looked at closely, and how many choices ahead that is.
const CLOSELY: usize = 12;
const PLIES: usize = 2;

/// What two need to know who carry something; shared by all who do.
#[derive(Debug)]
pub struct Carriers {
    graph: Arc<Graph>,
    library: Arc<ActionLibrary>,
    rewards: [Carrying; WAYS + 1],
    policies: [OnceLock<Policy>; WAYS + 1],
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
        let standing = Carrying { velocity: [0.0; 2], ..wanted };
        let towards = |way: usize| wanted.turned(TAU * way as f32 / WAYS as f32);
        Carriers {
            holds: library.actions().iter().map(|action| holds_on(action).is_some()).collect(),
            graph,
            library,
            rewards: std::array::from_fn(|way| if way == STANDING { standing } else { towards(way) }),
            policies: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    /// The graph.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// Makes all policies, so that nobody waits for one later.
    pub fn ready(&self) {
        (0..self.policies.len()).into_par_iter().for_each(|way| {
            self.policy(way);
        });
    }

    fn policy(&self, way: usize) -> &Policy {
        let looking = Looking { depth: DEPTH, discount: 1.0, other: Other::Allied, parallel: false };
        self.policies[way].get_or_init(|| Policy::of(&self.graph, &self.rewards[way], looking))
    }

    /// What going exactly this way comes to; standing, if it leads nowhere.
    fn towards(&self, way: Option<f32>) -> Outlook<'_> {
        let (policy, reward) = match way {
            Some(angle) => (self.policy(nearest_way(angle)), self.rewards[0].turned(angle)),
            None => (self.policy(STANDING), self.rewards[STANDING]),
        };
        Outlook { graph: &self.graph, policy, reward }
    }
}

/// One of two who carry something.
#[derive(Debug)]
pub struct Carrier {
    carriers: Arc<Carriers>,
    course: Option<Course>,
}

impl Carrier {
    /// Somebody at one end.
    pub fn new(carriers: &Arc<Carriers>) -> Carrier {
        Carrier { carriers: Arc::clone(carriers), course: None }
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
        let way = way_to_go(situation, whom, &mut self.course);
        let scene = Scene { situation, whom, carriers };
        let pairing = Pairing::of(moment, who, whom, bodies);
        let graph = &carriers.graph;
        let found = graph.find(&pairing).or_else(|| graph.nearest(&pairing));
        let best = found.and_then(|found| scene.best(&carriers.towards(way), found.state));
        let action = best.or_else(|| scene.safest())?;
        let options = stage.options(moment, who).len() as u32;
        let screening = Screening { options, left: options, ..Screening::default() };
        Some(Verdict { action, screening, candidates: Vec::new(), edges: 0 })
    }
}

/// A line on the floor that two were sent along.
#[derive(Clone, Copy, Debug)]
struct Course {
    /// Where the middle between them was.
    from: Ground,
    /// Its heading (rad).
    heading: f32,
}

impl Course {
    /// The heading (rad) that leads back to the line somewhat ahead.
    fn back_from(&self, middle: Ground) -> f32 {
        let (sin, cos) = libm::sincosf(self.heading);
        let to_the_left = (middle.x - self.from.x) * cos - (middle.z - self.from.z) * sin;
        self.heading - libm::atan2f(to_the_left, AHEAD)
    }
}

/// The way to where the middle between both is to be, to the left of straight ahead (rad) along the line from whoever
/// decides to the other, led back to the course that was begun when this way was first meant; `None` if it is there, or is
/// to be nowhere.
fn way_to_go(situation: &Situation<'_>, whom: usize, course: &mut Option<Course>) -> Option<f32> {
    let Situation { stage, moment, aims, who, .. } = *situation;
    let goal = aims[who].goal.or(aims[whom].goal)?;
    let [here, there] = [who, whom].map(|who| stage.position(moment, who, moment.tick));
    let middle = Ground { x: 0.5 * (here.x + there.x), z: 0.5 * (here.z + there.z) };
    if middle.distance(goal.position) < THERE {
        return None;
    }
    let heading = |from: Ground, to: Ground| libm::atan2f(to.x - from.x, to.z - from.z);
    let meant = heading(middle, goal.position);
    let kept = course.filter(|course| wrap_angle(meant - course.heading).abs() < SAME_WAY);
    let course = course.insert(kept.unwrap_or(Course { from: middle, heading: meant }));
    Some(course.back_from(middle) - heading(here, there))
}

/// The nearest of the ways to an angle (rad): 0 is ahead, a quarter of them to the left.
fn nearest_way(angle: f32) -> usize {
    libm::roundf(angle / TAU * WAYS as f32).rem_euclid(WAYS as f32) as usize % WAYS
}

/// What choices come to for a way that is really meant.
struct Outlook<'a> {
    graph: &'a Graph,
    /// Of the nearest way.
    policy: &'a Policy,
    reward: Carrying,
}

impl Outlook<'_> {
    /// What an edge is worth and what comes after it, with so many choices weighed by themselves after its own and `left`
    /// in all (points).
    fn of_edge(&self, turn: Turn, at: usize, plies: usize, left: usize) -> f32 {
        let edges = &self.graph.edges;
        self.of_facts(turn, &edges.facts(at)) + self.of_target(turn, edges.targets[at], plies, left - 1)
    }

    /// What an action is worth by itself: neither which it is nor the state that it begins in counts (points).
    fn of_facts(&self, turn: Turn, facts: &Facts) -> f32 {
        self.reward.of_edge(&Base::default(), 0, facts, turn)
    }

    fn of_target(&self, turn: Turn, target: u32, plies: usize, left: usize) -> f32 {
        if plies == 0 || left == 0 {
            return self.policy.worth(turn, target, left);
        }
        let decides = if target & SWAPPED == 0 { turn } else { turn.other() };
        let all = self.graph.range(StateId(target & STATE));
        all.map(|at| self.of_edge(decides, at, plies - 1, left)).fold(f32::NEG_INFINITY, f32::max)
    }
}

/// Where people really are.
struct Scene<'a> {
    situation: &'a Situation<'a>,
    whom: usize,
    carriers: &'a Carriers,
}

impl Scene<'_> {
    /// The best action in a state that keeps both together: those that promise most are looked at closely.
    fn best(&self, outlook: &Outlook<'_>, state: StateId) -> Option<ActionId> {
        let graph = outlook.graph;
        let mut promising: SmallVec<[(f32, usize); 128]> =
            graph.range(state).map(|at| (outlook.of_edge(Turn::Own, at, 0, DEPTH), at)).collect();
        promising.sort_unstable_by(|(a, first), (b, second)| b.total_cmp(a).then(first.cmp(second)));
        let action = |at: usize| ActionId(u32::from(graph.edges.actions[at]));
        let in_order = promising.iter().map(|(_, at)| *at).filter(|at| self.is_in_order(action(*at)));
        let closely = in_order.take(CLOSELY).map(|at| {
            let facts = Facts { velocity: self.velocity(action(at)), ..graph.edges.facts(at) };
            let after = outlook.of_target(Turn::Own, graph.edges.targets[at], PLIES, DEPTH - 1);
            (outlook.of_facts(Turn::Own, &facts) + after, at)
        });
        let best = closely.reduce(|best, it| if it.0 > best.0 { it } else { best });
        best.map(|(_, at)| action(at))
    }

    /// How the middle of both moves to the end of an action if the other goes on, seen as [`Facts::velocity`] is (m/s):
    /// people are not quite in a state of the graph, and what they are off it adds up along a way.
    fn velocity(&self, action: ActionId) -> [f32; 2] {
        let Situation { stage, moment, who, .. } = *self.situation;
        let doing = stage.begin(moment, who, action);
        let theirs = &moment.people[self.whom].doing;
        let [own, other] = [who, self.whom].map(|who| &*stage.cast[who].bodies);
        let end = doing.end(own);
        let both = |tick: i32| [doing.position(own, tick), theirs.position(other, tick)];
        velocity_of_middle(both(moment.tick), both(end), end - moment.tick)
    }

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
    fn ways_are_the_nearest() {
        for (degrees, way) in [
            (0.0, 0),
            (11.0, 0),
            (12.0, 1),
            (90.0, 4),
            (-90.0, 12),
            (180.0, 8),
            (-180.0, 8),
            (-12.0, 15),
            (-11.0, 0),
            (715.0, 0),
        ] {
            assert_eq!(nearest_way(f32::to_radians(degrees)), way, "{degrees}");
        }
    }

    #[test]
    fn courses_are_kept_from_both_sides() {
        let ground = |x: f32, z: f32| Ground { x, z };
        for (from, heading, middle, back) in [
            (ground(0.0, 0.0), 0.0, ground(0.0, 2.0), 0.0),
            // To the left of a way along z is x; as far off as one looks ahead is half of a right angle.
            (ground(0.0, 0.0), 0.0, ground(AHEAD, 2.0), -45.0),
            (ground(0.0, 0.0), 0.0, ground(-AHEAD, 2.0), 45.0),
            (ground(3.0, 1.0), 90.0, ground(5.0, 1.0 - AHEAD), 45.0),
            (ground(3.0, 1.0), 180.0, ground(3.0 - AHEAD, 1.0), 135.0),
        ] {
            let course = Course { from, heading: f32::to_radians(heading) };
            let angle = wrap_angle(course.back_from(middle)).to_degrees();
            assert!(
                (angle - back).abs() < 1e-3,
                "{heading} from {from:?} at {middle:?}: {angle}, not {back}"
            );
        }
    }
}

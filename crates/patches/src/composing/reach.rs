//! Getting to a place, turned a certain way, in a posture from which something can follow.
//!
//! The [locomotion engine](super::locomotion) takes the next best movement; this looks some movements ahead, because
//! somebody who hands something over has to stand just so. What is still off in the end is shared by all movements of the
//! way ([`bent`]), so that no foot slides for it.
//!
//! Reference: \[Shum2008\], section 6, on patches that are deformed.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use randori_arena::bodies::{Bodies, Doing, Rigid, TICKS_PER_SECOND};
use randori_motion::library::NodeId;
use randori_motion::math::wrap_angle;
use randori_motion::{ActionId, Ground, Placement};

use super::crowd::Crowd;
use super::locomotion::Standing;
use super::moves::Moves;

/// Ways that are followed at a time.
const WIDTH: usize = 96;
/// Movements of a way at most.
const LONGEST: usize = 14;
/// How fast somebody gets nearer at best, on which ways that are under way are compared (m/s, rad/s).
const SPEED: f32 = 1.2;
const TURNING: f32 = 2.0;
/// What a metre and a radian off count in the end (s).
const OFF: f32 = 8.0;
const TURNED: f32 = 3.0;
/// Ways that end within this are alike (m, rad).
const ALIKE: [f32; 2] = [0.12, 0.25];

/// Looks for ways with the movements of a library.
#[derive(Clone, Copy)]
pub struct Reach<'a> {
    /// Everybody, for the bodies.
    pub crowd: &'a Crowd,
    /// What they walk with.
    pub moves: &'a Moves,
}

/// A way that was found.
#[derive(Clone, Debug)]
pub struct Way {
    /// What is done, in order of time.
    pub doings: Vec<(i32, Doing)>,
    /// How somebody stands at the far end of it.
    pub end: Standing,
    /// How far that is from the goal (m), and turned (rad).
    pub off: [f32; 2],
}

/// A place on a way, and how it was come by.
#[derive(Clone, Copy)]
struct Step {
    at: Standing,
    doing: Option<Doing>,
    before: usize,
    /// How far each foot is from where the movement has it, when that is over.
    dragged: [Ground; 2],
}

/// Places that somebody could get to, and how.
pub struct Reached {
    steps: Vec<Step>,
}

impl Reached {
    /// How somebody stands in each of them; where they are now comes first.
    pub fn standings(&self) -> impl ExactSizeIterator<Item = &Standing> {
        self.steps.iter().map(|step| &step.at)
    }

    /// What is done to get to one of them, in order of time.
    pub fn way(&self, at: usize) -> Vec<(i32, Doing)> {
        path(&self.steps, at)
    }

    /// How many movements that is.
    pub fn n_movements(&self, at: usize) -> usize {
        let before = |at: &usize| Some(self.steps[*at].before).filter(|before| *before != usize::MAX);
        std::iter::successors(Some(at), before).count() - 1
    }
}

impl Reach<'_> {
    /// From here to about a place, in a posture that may be the end; the one that takes the least time, what is off counted
    /// as time.
    pub fn ahead(&self, from: Standing, goal: Placement, is_end: &dyn Fn(NodeId) -> bool) -> Option<Way> {
        let mut best: Option<(f32, Way)> = None;
        self.spread(from, goal, &mut |steps, at| {
            let step = steps[at];
            if !is_end(step.at.node) {
                return;
            }
            let left = off(&step.at, goal);
            let seconds = (step.at.tick - from.tick).abs() as f32 / TICKS_PER_SECOND;
            let cost = seconds + OFF * left[0] + TURNED * left[1];
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, Way { doings: path(steps, at), end: step.at, off: left }));
            }
        });
        best.map(|(_, way)| way)
    }

    /// Everything that somebody could get to with as many movements at most, nearest to a goal first, in the order in which
    /// it was found.
    pub fn about(&self, from: Standing, goal: Placement) -> Reached {
        Reached { steps: self.spread(from, goal, &mut |_, _| ()) }
    }

    /// Follows the best ways, movement by movement, and shows each place that is come by. Nobody goes on with something that
    /// leaves a foot behind: half a step after the same half of a step moves the hips and not the foot that stands.
    fn spread(&self, from: Standing, goal: Placement, show: &mut dyn FnMut(&[Step], usize)) -> Vec<Step> {
        let bodies = self.crowd.bodies();
        let mut steps =
            vec![Step { at: from, doing: None, before: usize::MAX, dragged: [Ground::default(); 2] }];
        let mut layer = vec![0];
        let mut seen: HashSet<(NodeId, [i32; 3])> = HashSet::new();
        for n_movements in 0..=LONGEST {
            for at in &layer {
                show(&steps, *at);
            }
            if n_movements == LONGEST {
                break;
            }
            // All that could be done next, by what it would cost: whether feet come along is asked of the best alone.
            let mut next: Vec<(usize, ActionId)> = Vec::new();
            let mut order: Vec<Reverse<(u32, u32)>> = Vec::new();
            for before in layer {
                let Step { at, .. } = steps[before];
                for id in self.moves.from(at.node) {
                    let after = Standing::after(self.crowd, &Doing::begin(bodies, *id, at.tick, 0, at.here));
                    let left = off(&after, goal);
                    let seconds = (after.tick - from.tick).abs() as f32 / TICKS_PER_SECOND;
                    let cost = seconds + 1.5 * (left[0] / SPEED + left[1] / TURNING);
                    // The bits of numbers that are not negative are in their order.
                    order.push(Reverse((cost.to_bits(), next.len() as u32)));
                    next.push((before, *id));
                }
            }
            let mut order = BinaryHeap::from(order);
            layer = Vec::new();
            while let Some(Reverse((_, choice))) = order.pop().filter(|_| layer.len() < WIDTH) {
                let (before, id) = next[choice as usize];
                let Step { at, doing: last, dragged, .. } = steps[before];
                let doing = Doing::begin(bodies, id, at.tick, 0, at.here);
                let dragged = match last {
                    Some(last) => self.moves.dragged(bodies, (&last, dragged), &doing),
                    None => Some(dragged),
                };
                let Some(dragged) = dragged else { continue };
                let at = Standing::after(self.crowd, &doing);
                if seen.insert((at.node, cell(&at))) {
                    layer.push(steps.len());
                    steps.push(Step { at, doing: Some(doing), before, dragged });
                }
            }
        }
        steps
    }
}

fn path(steps: &[Step], at: usize) -> Vec<(i32, Doing)> {
    let mut doings = Vec::new();
    let mut at = at;
    while let Some(doing) = steps[at].doing {
        doings.push((doing.start, doing));
        at = steps[at].before;
    }
    doings.reverse();
    doings
}

/// How far somebody is from a place (m), and turned (rad).
fn off(at: &Standing, goal: Placement) -> [f32; 2] {
    let here = at.here.placement();
    [here.position.distance(goal.position), wrap_angle(here.heading - goal.heading).abs()]
}

fn cell(at: &Standing) -> [i32; 3] {
    let Placement { position, heading } = at.here.placement();
    let [apart, turned] = ALIKE;
    [position.x / apart, position.z / apart, heading / turned].map(|it| it.floor() as i32)
}

/// How far a way is bent at one of its seams at most (m, rad): what legs make good while feet that stand stay.
pub const AT_A_SEAM: [f32; 2] = [0.05, 0.09];

/// The same movements from a place a little off where they begin to one a little off where they end: what is off is shared
/// by all seams, that with whatever follows included.
pub fn bent(
    bodies: &Bodies,
    way: &[(i32, Doing)],
    planned_end: Placement,
    [start, end]: [Placement; 2],
) -> Vec<(i32, Doing)> {
    let Some((tick, first)) = way.first() else { return Vec::new() };
    let from_start = Rigid::of(start).then(first.root(bodies, *tick).inverse());
    let from_end = Rigid::of(end).then(Rigid::of(planned_end).inverse());
    let share = 1.0 / way.len() as f32;
    let bend = |(at, (tick, doing)): (usize, &(i32, Doing))| {
        let planned = doing.placement(bodies, *tick);
        let here = between(from_start.placed(planned), from_end.placed(planned), at as f32 * share);
        let skipped = (tick - doing.start).max(0) as u32;
        (*tick, Doing::begin(bodies, doing.action, *tick, skipped, Rigid::of(here)))
    };
    way.iter().enumerate().map(bend).collect()
}

/// How much a way is bent altogether if it is to lead from one place to another (m, rad).
pub fn bend_of(
    bodies: &Bodies,
    way: &[(i32, Doing)],
    planned_end: Placement,
    [start, end]: [Placement; 2],
) -> [f32; 2] {
    let led = way.first().map_or(start, |(tick, first)| {
        Rigid::of(start).then(first.root(bodies, *tick).inverse()).placed(planned_end)
    });
    [led.position.distance(end.position), wrap_angle(led.heading - end.heading).abs()]
}

/// A place between two others, from 0 at the first to 1 at the second.
pub fn between(from: Placement, to: Placement, part: f32) -> Placement {
    let place = |from: f32, to: f32| from + part * (to - from);
    let position =
        Ground { x: place(from.position.x, to.position.x), z: place(from.position.z, to.position.z) };
    Placement { position, heading: from.heading + part * wrap_angle(to.heading - from.heading) }
}

//! The locomotion engine: what people do before and after they have to do with others.
//!
//! Reference: \[Shum2008\], section 4.2: among the movements that get in nobody's way, the one that brings somebody closest
//! to where they are to be, planned backward in time from an interaction, and forward after it.
//! Differs from the paper: when nothing is free, the next best movement before that is tried, a bounded number of times.

use randori_arena::bodies::{Doing, Rigid, TICKS_PER_SECOND};
use randori_motion::library::NodeId;
use randori_motion::math::wrap_angle;
use randori_motion::{ActionId, Ground};

use super::crowd::{Crowd, Leave};
use super::moves::Moves;

/// How many movements are tried at most for one way.
const TRIES: u32 = 60;
/// How many of the best movements are tried at each step, and how many ways to wait.
const BEST: usize = 5;
const CALM: usize = 6;
/// Where else to go if the place is taken: turned from the way there (rad), and farther (m).
const ELSEWHERE: [(f32, f32); 8] =
    [(0.0, 0.0), (0.25, 0.0), (-0.25, 0.0), (0.0, 1.2), (0.5, 0.6), (-0.5, 0.6), (0.3, 1.8), (-0.3, 1.8)];
/// A radian off the way counts as this much of it (m).
const TURN: f32 = 0.8;
/// Going backwards counts as this much slower (m/s), if it is more than a shift of weight (m).
const BACKWARDS: f32 = 0.8;
const SHIFT: f32 = 0.15;
/// Doing the same again counts as this much slower (m/s).
const AGAIN: f32 = 0.05;

/// Somebody about to begin an action, or who just ended one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// In which posture.
    pub node: NodeId,
    /// Where.
    pub here: Rigid,
    /// When (ticks).
    pub tick: i32,
}

impl Standing {
    /// After an action has ended.
    pub fn after(crowd: &Crowd, doing: &Doing) -> Standing {
        let bodies = crowd.bodies();
        let tick = doing.end(bodies);
        Standing { node: bodies.library().action(doing.action).to, here: doing.root(bodies, tick), tick }
    }

    /// The distance to a place (m).
    pub fn from(&self, place: Ground) -> f32 {
        self.here.shift().distance(place)
    }
}

/// Where somebody goes to or comes from.
#[derive(Clone, Copy, Debug)]
pub struct Errand {
    /// The place.
    pub goal: Ground,
    /// How near to it is near enough (m).
    pub within: f32,
    /// What tells apart people who wait.
    pub variety: usize,
    /// Of somebody who comes: not seen before this tick, nor before they set off; `None` if they wait from the start.
    pub enters: Option<i32>,
}

impl Errand {
    /// The same, and others about there, seen from somewhere.
    fn about(&self, from: Ground) -> Vec<Errand> {
        let (heading, far) = (bearing(from, self.goal), from.distance(self.goal));
        let turned = |(by, farther): (f32, f32)| {
            let (heading, far) = (heading + by, far + farther);
            let goal =
                Ground { x: from.x + far * libm::sinf(heading), z: from.z + far * libm::cosf(heading) };
            Errand { goal, ..*self }
        };
        ELSEWHERE.map(turned).to_vec()
    }
}

/// Plans ways among everybody who is in a scene already.
#[derive(Clone, Copy)]
pub struct Locomotion<'a> {
    /// Everybody.
    pub crowd: &'a Crowd,
    /// What they walk with.
    pub moves: &'a Moves,
}

impl Locomotion<'_> {
    /// How somebody gets where an interaction begins: from a far place, waiting there from tick 0 on if there is time;
    /// in order of time, the first action at tick 0, or when they [enter](Errand::enters). `None` if there is no way, nor
    /// one from about there.
    pub fn arrive(&self, to: Standing, errand: &Errand, leave: &Leave<'_>) -> Option<Vec<(i32, Doing)>> {
        errand.about(to.here.shift()).into_iter().find_map(|errand| {
            let mut way = Vec::new();
            let travel = bearing(errand.goal, to.here.shift());
            let mut tries = TRIES;
            self.back(to, travel, &errand, leave, &mut tries, &mut way).then(|| {
                way.reverse();
                way
            })
        })
    }

    /// How somebody gets away after an interaction, and waits there until a tick. `None` if there is no way, nor one to
    /// about there.
    pub fn leave(
        &self,
        from: Standing,
        errand: &Errand,
        leave: &Leave<'_>,
        until: i32,
    ) -> Option<Vec<(i32, Doing)>> {
        errand.about(from.here.shift()).into_iter().find_map(|errand| {
            let mut way = Vec::new();
            let travel = bearing(from.here.shift(), errand.goal);
            let mut tries = TRIES;
            self.ahead(from, travel, &errand, leave, until, &mut tries, &mut way).then_some(way)
        })
    }

    fn back(
        &self,
        at: Standing,
        travel: f32,
        errand: &Errand,
        leave: &Leave<'_>,
        tries: &mut u32,
        way: &mut Vec<(i32, Doing)>,
    ) -> bool {
        if at.tick <= errand.enters.unwrap_or(0).max(0) {
            return errand.enters.is_none_or(|tick| tick <= 0);
        }
        let bodies = self.crowd.bodies();
        let is_there = at.from(errand.goal) <= errand.within;
        if is_there && errand.enters.is_some() {
            return true;
        }
        if is_there && !self.moves.calm(at.node).is_empty() {
            return self.wait_before(at, errand, leave, way);
        }
        if *tries == 0 || is_there && self.moves.from_rest(at.node) == u32::MAX {
            return false;
        }
        *tries -= 1;
        let last = way.last().map(|(_, doing)| doing.action);
        let value = |id: ActionId| {
            let length = bodies.of_action(id).length();
            let doing = Doing::begin(bodies, id, at.tick, length as u32, at.here);
            let start = doing.root(bodies, doing.start);
            let hops = self.moves.from_rest(bodies.library().action(id).from);
            let value = if is_there {
                hops as f32
            } else {
                self.pace(id, at.here, start, travel, errand.goal, last == Some(id))
            };
            (value, doing)
        };
        let mut options: Vec<(f32, Doing)> = self.moves.to(at.node).iter().map(|id| value(*id)).collect();
        options.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, doing) in options.into_iter().take(BEST) {
            let begins = doing.start.max(0);
            if !self.crowd.is_free(&[(begins, doing)], at.tick, leave) {
                continue;
            }
            way.push((begins, doing));
            let before = Standing {
                node: bodies.library().action(doing.action).from,
                here: doing.root(bodies, doing.start),
                tick: doing.start,
            };
            if self.back(before, travel, errand, leave, tries, way) {
                return true;
            }
            way.pop();
        }
        false
    }

    #[expect(clippy::too_many_arguments, reason = "a step of a search, with all that it carries along")]
    fn ahead(
        &self,
        at: Standing,
        travel: f32,
        errand: &Errand,
        leave: &Leave<'_>,
        until: i32,
        tries: &mut u32,
        way: &mut Vec<(i32, Doing)>,
    ) -> bool {
        if at.tick >= until {
            return true;
        }
        let bodies = self.crowd.bodies();
        let is_there = at.from(errand.goal) <= errand.within;
        if is_there && self.wait_after(at, errand, leave, until, way) {
            return true;
        }
        if *tries == 0 {
            return false;
        }
        *tries -= 1;
        let last = way.last().map(|(_, doing)| doing.action);
        let value = |id: ActionId| {
            let doing = Doing::begin(bodies, id, at.tick, 0, at.here);
            let after = Standing::after(self.crowd, &doing);
            let value = if is_there {
                self.moves.to_rest(after.node) as f32
            } else {
                self.pace(id, at.here, after.here, travel, errand.goal, last == Some(id))
            };
            (value, doing, after)
        };
        let mut options: Vec<(f32, Doing, Standing)> =
            self.moves.from(at.node).iter().map(|id| value(*id)).collect();
        options.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, doing, after) in options.into_iter().take(BEST) {
            if !self.crowd.is_free(&[(at.tick, doing)], after.tick.min(until), leave) {
                continue;
            }
            way.push((at.tick, doing));
            if self.ahead(after, travel, errand, leave, until, tries, way) {
                return true;
            }
            way.pop();
        }
        false
    }

    /// What is left of the way after a movement less what was left before, by its time (m/s): negative is good.
    fn pace(&self, id: ActionId, here: Rigid, there: Rigid, travel: f32, goal: Ground, again: bool) -> f32 {
        let bodies = self.crowd.bodies();
        let left = |at: Rigid| {
            let off = wrap_angle(at.placement().heading - travel).abs();
            at.shift().distance(goal) + TURN * off
        };
        let seconds = bodies.of_action(id).length() as f32 / TICKS_PER_SECOND;
        let moved = bodies.library().action(id).displacement.position;
        let is_backwards = moved.z < -0.3 * libm::fabsf(moved.x) && -moved.z > SHIFT;
        let slower = f32::from(u8::from(is_backwards)) * BACKWARDS + f32::from(u8::from(again)) * AGAIN;
        (left(there) - left(here)) / seconds.max(0.1) + slower
    }

    /// Waits from tick 0 on, backward in time; whether there is room for it.
    fn wait_before(
        &self,
        at: Standing,
        errand: &Errand,
        leave: &Leave<'_>,
        way: &mut Vec<(i32, Doing)>,
    ) -> bool {
        let (before, bodies) = (way.len(), self.crowd.bodies());
        let calm = self.moves.calm(at.node);
        let (mut tick, mut here) = (at.tick, at.here);
        let mut turn = errand.variety;
        while tick > 0 {
            let found = (0..calm.len().min(CALM)).find_map(|k| {
                let id = calm[(turn + k) % calm.len()];
                let doing = Doing::begin(bodies, id, tick, bodies.of_action(id).length() as u32, here);
                self.crowd.is_free(&[(doing.start.max(0), doing)], tick, leave).then_some(doing)
            });
            let Some(doing) = found else {
                way.truncate(before);
                return false;
            };
            way.push((doing.start.max(0), doing));
            (tick, here) = (doing.start, doing.root(bodies, doing.start));
            turn += 1;
        }
        true
    }

    /// Waits until a tick; whether there is room for it.
    pub fn wait_after(
        &self,
        at: Standing,
        errand: &Errand,
        leave: &Leave<'_>,
        until: i32,
        way: &mut Vec<(i32, Doing)>,
    ) -> bool {
        let (before, bodies) = (way.len(), self.crowd.bodies());
        let calm = self.moves.calm(at.node);
        let mut now = at;
        let mut turn = errand.variety;
        while now.tick < until {
            let found = (0..calm.len().min(CALM)).find_map(|k| {
                let doing = Doing::begin(bodies, calm[(turn + k) % calm.len()], now.tick, 0, now.here);
                let after = Standing::after(self.crowd, &doing);
                self.crowd
                    .is_free(&[(now.tick, doing)], after.tick.min(until), leave)
                    .then_some((doing, after))
            });
            let Some((doing, after)) = found else {
                way.truncate(before);
                return false;
            };
            way.push((now.tick, doing));
            now = after;
            turn += 1;
        }
        true
    }
}

/// The heading of the way from one place to another (rad).
pub fn bearing(from: Ground, to: Ground) -> f32 {
    libm::atan2f(to.x - from.x, to.z - from.z)
}

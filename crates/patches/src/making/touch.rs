//! Bodies that touch: where, how fast, and how far apart they are otherwise.

use std::ops::{Range, RangeInclusive};

use glam::Vec3;
use randori_arena::bodies::{Bodies, Doing, Rigid, TICKS_PER_SECOND};
use randori_arena::hits::Part;
use randori_arena::stage::mass_behind;
use randori_motion::Bone;
use randori_motion::library::LibraryTake;
use randori_motion::math::nearest_points;

/// The mass that a trunk or a head brings to bear on whoever is in its way (kg): about half a body.
const TRUNK_MASS: f32 = 35.0;

/// Two parts that touch at a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Touch {
    pub(super) tick: i32,
    /// What touches.
    pub(super) with: Bone,
    /// What is touched.
    pub(super) bone: Bone,
    /// Where, in the world (m).
    pub(super) point: Vec3,
    /// How fast the one goes against the other (m/s).
    pub(super) velocity: Vec3,
    /// The mass behind it (kg).
    pub(super) mass: f32,
    /// What it pushes with (N s).
    pub(super) impulse: f32,
}

/// Somebody who does something, with the body.
pub(super) type Performer<'a> = (&'a Bodies, &'a Doing);

/// How far from its root a body reaches in every frame: who is farther apart does not touch.
pub(super) struct Girths(Vec<Vec<f32>>);

impl Girths {
    /// Of a library.
    pub(super) fn of(bodies: &Bodies) -> Girths {
        let takes = bodies.library().takes().iter().enumerate();
        let girth = |take: u32, frame: u32| {
            let root = bodies.stance(take, frame).root.shift();
            let ends = bodies.frame(take, frame).iter().zip(bodies.radii());
            let off = |end: &Vec3| libm::hypotf(end.x - root.x, end.z - root.z);
            ends.map(|(ends, radius)| off(&ends[0]).max(off(&ends[1])) + radius).fold(0.0, f32::max)
        };
        let of_take = |(number, take): (usize, &LibraryTake)| {
            (0..take.clip.n_frames() as u32).map(|frame| girth(number as u32, frame)).collect()
        };
        Girths(takes.map(of_take).collect())
    }

    fn at(&self, bodies: &Bodies, doing: &Doing, tick: i32) -> f32 {
        self.0[bodies.of_action(doing.action).take as usize][doing.frame(bodies, tick) as usize]
    }

    /// Whether two are near enough to touch at a tick.
    fn are_near(&self, bodies: &Bodies, [own, other]: [&Doing; 2], tick: i32) -> bool {
        let near = self.at(bodies, own, tick) + self.at(bodies, other, tick);
        let (here, there) = (own.position(bodies, tick), other.position(bodies, tick));
        let (x, z) = (here.x - there.x, here.z - there.z);
        x * x + z * z < near * near
    }

    /// The first touch of these ticks with which the first pushes the second with at least some impulse (N s).
    pub(super) fn first_push(
        &self,
        bodies: &Bodies,
        [doing, theirs]: [&Doing; 2],
        ticks: RangeInclusive<i32>,
        impulse: f32,
    ) -> Option<Touch> {
        let other_from_own = theirs.world_from_take.inverse().then(doing.world_from_take);
        ticks.into_iter().filter(|tick| self.are_near(bodies, [doing, theirs], *tick)).find_map(|tick| {
            let mut hardest = hardest_push((bodies, doing), (bodies, theirs), &other_from_own, tick)?;
            if hardest.impulse < impulse {
                return None;
            }
            hardest.point = theirs.world_from_take.point(hardest.point);
            hardest.velocity = theirs.world_from_take.turned(hardest.velocity);
            Some(hardest)
        })
    }

    /// Whether any parts of two get deeper into each other than a limit (m).
    pub(super) fn are_deeper(
        &self,
        bodies: &Bodies,
        [doing, theirs]: [&Doing; 2],
        mut ticks: Range<i32>,
        limit: f32,
    ) -> bool {
        let other_from_own = theirs.world_from_take.inverse().then(doing.world_from_take);
        ticks.any(|tick| {
            self.are_near(bodies, [doing, theirs], tick)
                && deepest((bodies, doing), (bodies, theirs), &other_from_own, tick) > limit
        })
    }
}

/// How deep any two parts are in each other at a tick (m); 0 if they do not touch.
fn deepest(
    (own, doing): Performer<'_>,
    (other, theirs): Performer<'_>,
    other_from_own: &Rigid,
    tick: i32,
) -> f32 {
    let frame =
        |bodies: &'_ Bodies, doing: &Doing| (bodies.of_action(doing.action).take, doing.frame(bodies, tick));
    let (own_frame, frame) = (frame(own, doing), frame(other, theirs));
    let bodies = other.frame(frame.0, frame.1);
    let mut deepest = 0.0_f32;
    for (at, ends) in own.frame(own_frame.0, own_frame.1).iter().enumerate() {
        let moved = ends.map(|end| other_from_own.point(end));
        let here = 0.5 * (moved[0] + moved[1]);
        for (capsule, theirs) in bodies.iter().enumerate() {
            let reach = own.radii()[at] + other.radii()[capsule];
            let near = reach + own.halves()[at] + other.halves()[capsule];
            if here.distance_squared(0.5 * (theirs[0] + theirs[1])) < near * near {
                let [p, q] = nearest_points(moved, *theirs);
                deepest = deepest.max(reach - p.distance(q));
            }
        }
    }
    deepest
}

/// The touch with the greatest impulse at one tick, in the coordinates of the other's take.
fn hardest_push(
    (own, doing): Performer<'_>,
    (other, theirs): Performer<'_>,
    other_from_own: &Rigid,
    tick: i32,
) -> Option<Touch> {
    let frames = |bodies: &Bodies, doing: &Doing| {
        let take = bodies.of_action(doing.action).take;
        [tick - 1, tick].map(|tick| (take, doing.frame(bodies, tick)))
    };
    let ([own_before, own_now], [before, now]) = (frames(own, doing), frames(other, theirs));
    let [own_before, own_now] = [own_before, own_now].map(|(take, frame)| own.frame(take, frame));
    let [before, now] = [before, now].map(|(take, frame)| other.frame(take, frame));
    let middle = |ends: &[Vec3; 2]| 0.5 * (ends[0] + ends[1]);
    let mut hardest: Option<Touch> = None;
    for (at, ends) in own_now.iter().enumerate() {
        let moved = ends.map(|end| other_from_own.point(end));
        let (here, earlier) = (middle(&moved), other_from_own.point(middle(&own_before[at])));
        for (capsule, theirs) in now.iter().enumerate() {
            let there = middle(theirs);
            let reach = own.radii()[at] + other.radii()[capsule];
            let near = reach + own.halves()[at] + other.halves()[capsule];
            if here.distance_squared(there) > near * near {
                continue;
            }
            let [p, q] = nearest_points(moved, *theirs);
            let gap = q - p;
            if gap.length_squared() > reach * reach {
                continue;
            }
            let velocity = ((here - earlier) - (there - middle(&before[capsule]))) * TICKS_PER_SECOND;
            let way = if gap.length_squared() > 1e-8 {
                gap.normalize()
            } else {
                (there - here).normalize_or_zero()
            };
            let mass = mass_of(own.bones()[at]);
            let impulse = mass * velocity.dot(way).max(0.0);
            if hardest.is_none_or(|known| impulse > known.impulse) {
                let (with, bone) = (own.bones()[at], other.bones()[capsule]);
                hardest = Some(Touch { tick, with, bone, point: 0.5 * (p + q), velocity, mass, impulse });
            }
        }
    }
    hardest
}

fn mass_of(bone: Bone) -> f32 {
    match Part::of(bone) {
        Part::Limb => mass_behind(bone),
        Part::Head | Part::Torso => TRUNK_MASS,
    }
}

/// How far the striking part of an attack is from another body in its window, where it is nearest (m): 0 if it touches.
/// `None` for an action that strikes nothing.
pub(super) fn gap((own, doing): Performer<'_>, (other, theirs): Performer<'_>) -> Option<f32> {
    let its = own.of_action(doing.action);
    let [from, to] = its.window.map(|frame| doing.start + (frame - its.first) as i32);
    let with = usize::from(its.with);
    let other_from_own = theirs.world_from_take.inverse().then(doing.world_from_take);
    let take = other.of_action(theirs.action).take;
    let mut least: Option<f32> = None;
    for tick in from..to {
        let fist = own.frame(its.take, doing.frame(own, tick))[with].map(|end| other_from_own.point(end));
        for (capsule, ends) in other.frame(take, theirs.frame(other, tick)).iter().enumerate() {
            let [p, q] = nearest_points(fist, *ends);
            let gap = (p.distance(q) - own.radii()[with] - other.radii()[capsule]).max(0.0);
            least = Some(least.map_or(gap, |least| least.min(gap)));
        }
    }
    least
}

//! A patch: how two people begin to have to do with each other, and what each of them does.
//!
//! Times are ticks (sixtieths of a second) of the patch's own clock, which begins with whoever of the two begins first.
//! Places are in the patch's own frame: the first one's root is at the origin and faces +Z when the first one begins.
//!
//! Reference: \[Shum2008\], section 2: the initial condition r, θ1, θ2, t_diff, and a list of clips for each.

use std::ops::Range;

use glam::Vec3;
use randori_arena::bodies::{Bodies, Doing, Rigid};
use randori_arena::bout::Track;
use randori_arena::hits::Hit;
use randori_arena::stage::Landed;
use randori_motion::library::NodeId;
use randori_motion::math::wrap_angle;
use randori_motion::{ActionId, ActionLibrary, Annotation, Bone, Ground, Placement};

/// One of the two people of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Character 1 of the pattern.
    First,
    /// Character 2 of the pattern, written in capitals in the paper.
    Second,
}

impl Role {
    /// Both.
    pub const BOTH: [Role; 2] = [Role::First, Role::Second];

    /// The other one.
    pub fn other(self) -> Role {
        match self {
            Role::First => Role::Second,
            Role::Second => Role::First,
        }
    }

    /// Its place in pairs: 0 or 1.
    pub fn idx(self) -> usize {
        self as usize
    }
}

/// How two people stand when they begin: where each is when its own first action begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Initial {
    /// r: the distance between them (m).
    pub distance: f32,
    /// θ1 and θ2: by how much each has to turn to its own left to face the other (rad).
    pub angles: [f32; 2],
    /// t_diff: how much later the second begins (ticks); negative if it begins first.
    pub delay: i32,
}

impl Initial {
    /// How two people stand who are here when each of them begins.
    pub fn of(first: Placement, second: Placement, delay: i32) -> Initial {
        let to = first.relative(second);
        let back = second.relative(first);
        let bearing = |place: Ground| libm::atan2f(place.x, place.z);
        Initial {
            distance: libm::hypotf(to.position.x, to.position.z),
            angles: [bearing(to.position), bearing(back.position)],
            delay,
        }
    }

    /// Where the second is, seen from where the first is.
    pub fn second_in_first(&self) -> Placement {
        let [own, other] = self.angles;
        let position = Ground { x: self.distance * libm::sinf(own), z: self.distance * libm::cosf(own) };
        Placement { position, heading: wrap_angle(own + std::f32::consts::PI - other) }
    }

    /// The same with the roles exchanged.
    pub fn swapped(&self) -> Initial {
        let [first, second] = self.angles;
        Initial { distance: self.distance, angles: [second, first], delay: -self.delay }
    }
}

/// An action of one of the two, for as long as it is performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stint {
    /// What is done.
    pub action: ActionId,
    /// Frames of the action that are left out: a reaction begins in the frame that fits best.
    pub skipped: u16,
    /// When it begins (ticks of the patch).
    pub start: i32,
    /// How long it is performed (ticks): less than what is left of the action if a blow cuts it.
    pub length: u16,
}

impl Stint {
    /// When the next one begins.
    pub fn end(&self) -> i32 {
        self.start + i32::from(self.length)
    }
}

/// What one of the two does.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    /// One after the other; there is at least one.
    pub stints: Vec<Stint>,
    /// Where the root is when the first one begins.
    pub from: Placement,
    /// Where it is when the last one ends.
    pub to: Placement,
    /// The posture to begin in; `None` for somebody who begins in the middle of a reaction.
    pub entry: Option<NodeId>,
    /// The posture to go on from; `None` if nothing follows.
    pub exit: Option<NodeId>,
    /// Whether somebody ends on the floor.
    pub falls: bool,
}

impl Lines {
    /// When the first action begins (ticks of the patch).
    pub fn start(&self) -> i32 {
        self.stints.first().map_or(0, |stint| stint.start)
    }

    /// When the last action ends (ticks of the patch).
    pub fn end(&self) -> i32 {
        self.stints.last().map_or(0, Stint::end)
    }

    /// Everything that is done, placed in a world: `world_from_patch`, and the tick at which the patch's clock begins.
    pub fn doings(&self, bodies: &Bodies, world_from_patch: Rigid, begins: i32) -> Vec<(i32, Doing)> {
        let mut here = world_from_patch.then(Rigid::of(self.from));
        let mut doings: Vec<(i32, Doing)> = Vec::with_capacity(self.stints.len());
        for stint in &self.stints {
            let tick = begins + stint.start;
            if let Some((_, last)) = doings.last() {
                here = last.root(bodies, tick);
            }
            let doing = Doing::begin(bodies, stint.action, tick, u32::from(stint.skipped), here);
            doings.push((tick, doing));
        }
        doings
    }

    /// The action under way at a tick of the patch: the first one before the start, the last one after the end.
    pub fn stint_at(&self, tick: i32) -> Option<&Stint> {
        self.stints.iter().rev().find(|stint| stint.start <= tick).or(self.stints.first())
    }

    /// The annotations of the actions, in order.
    pub fn annotations<'a>(&'a self, library: &'a ActionLibrary) -> impl Iterator<Item = &'a Annotation> {
        self.stints.iter().map(|stint| &library.action(stint.action).annotation)
    }
}

/// Two bodies that touch as the pattern wants it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// When (ticks of the patch).
    pub tick: i32,
    /// Who touches the other: who strikes, pushes, falls on somebody or gives something.
    pub who: Role,
    /// With what.
    pub with: Bone,
    /// The bone of the other that is touched.
    pub bone: Bone,
    /// Where, in the patch's frame (m).
    pub point: Vec3,
    /// The velocity of what touches, in the patch's frame (m/s).
    pub velocity: Vec3,
}

/// A short interaction of two people.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// The pattern it follows, by its place in [`Patches::patterns`](crate::Patches::patterns).
    pub pattern: u16,
    /// How they begin.
    pub initial: Initial,
    /// What each of them does.
    pub lines: [Lines; 2],
    /// Touches that the pattern wants, in order of time.
    pub contacts: Vec<Contact>,
    /// How good it is, from 0 to 1.
    pub score: f32,
}

impl Patch {
    /// What one of the two does.
    pub fn of(&self, role: Role) -> &Lines {
        &self.lines[role.idx()]
    }

    /// How long it lasts (ticks), from the first who begins to the last who ends.
    pub fn length(&self) -> i32 {
        self.lines.iter().map(Lines::end).max().unwrap_or(0)
    }

    /// Whether somebody is on the feet at the end.
    pub fn stays_up(&self, role: Role) -> bool {
        !self.of(role).falls
    }

    /// How they stand to each other when each of them ends: the initial condition of whatever follows for both.
    pub fn final_condition(&self) -> Initial {
        let [first, second] = &self.lines;
        Initial::of(first.to, second.to, second.end() - first.end())
    }

    /// What both do, placed in a world.
    pub fn tracks(&self, bodies: &Bodies, world_from_patch: Rigid, begins: i32) -> [Track; 2] {
        self.lines.each_ref().map(|lines| Track {
            performed: lines.doings(bodies, world_from_patch, begins),
            left: Some(begins + lines.end()),
        })
    }

    /// The blows and pushes in it, in the patch's frame and on its clock; who is who by [`Role::idx`]. Hands that meet are
    /// none.
    pub fn landed(&self) -> Vec<Landed> {
        let blows = self.contacts.iter().filter(|contact| contact.velocity != Vec3::ZERO);
        let doing =
            |role: Role, tick: i32| self.of(role).stint_at(tick).map_or(ActionId(0), |stint| stint.action);
        blows
            .map(|contact| Landed {
                who: contact.who.idx() as u16,
                whom: contact.who.other().idx() as u16,
                action: doing(contact.who, contact.tick),
                during: doing(contact.who.other(), contact.tick - 1),
                hit: Hit {
                    tick: contact.tick,
                    with: contact.with,
                    bone: contact.bone,
                    on_weapon: false,
                    point: contact.point,
                    velocity: contact.velocity,
                },
                answer: None,
                reacting: None,
            })
            .collect()
    }

    /// Where somebody's root is at a tick of the patch, in the patch's frame: the first place before the start, the last
    /// one after the end.
    pub fn placement(&self, bodies: &Bodies, role: Role, tick: i32) -> Placement {
        let lines = self.of(role);
        if tick >= lines.end() {
            return lines.to;
        }
        let doings = lines.doings(bodies, Rigid::of(Placement::default()), 0);
        let under_way = doings.iter().rev().find(|(start, _)| *start <= tick);
        under_way.map_or(lines.from, |(_, doing)| doing.placement(bodies, tick))
    }

    /// What both do, from when the later one begins: ticks during which neither starts anything else, and what the first
    /// and the second do in them, in the patch's frame. Whoever ends first stays as they are.
    pub fn together(&self, bodies: &Bodies) -> Vec<(Range<i32>, [Doing; 2])> {
        let length = self.length() + 1;
        let from_patch = Rigid::of(Placement::default());
        let [first, second] = self.lines.each_ref().map(|lines| lines.doings(bodies, from_patch, 0));
        let span = |doings: &[(i32, Doing)], at: usize| {
            doings[at].0..doings.get(at + 1).map_or(length, |(next, _)| *next)
        };
        let mut together = Vec::new();
        for (a, (_, own)) in first.iter().enumerate() {
            for (b, (_, other)) in second.iter().enumerate() {
                let (one, two) = (span(&first, a), span(&second, b));
                let ticks = one.start.max(two.start)..one.end.min(two.end);
                if !ticks.is_empty() {
                    together.push((ticks, [*own, *other]));
                }
            }
        }
        together
    }

    /// `world_from_patch` for somebody who begins here.
    pub fn placed_by_start(&self, role: Role, here: Rigid) -> Rigid {
        here.then(Rigid::of(self.of(role).from).inverse())
    }

    /// Whether somebody does something of this name: an annotation, or a family of them (see
    /// [`matches`](crate::pattern::matches)).
    pub fn has(&self, library: &ActionLibrary, role: Role, word: &str) -> bool {
        self.of(role).annotations(library).any(|annotation| crate::pattern::matches(word, annotation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initial_conditions_and_placements_are_the_same() {
        for k in 0..50 {
            let k = k as f32;
            let initial = Initial {
                distance: 0.5 + 0.1 * k,
                angles: [libm::sinf(k), 3.0 * libm::cosf(1.3 * k)],
                delay: 3,
            };
            let here = Placement { position: Ground { x: k, z: -2.0 }, heading: libm::sinf(2.0 * k) };
            let found = Initial::of(here, here.then(initial.second_in_first()), 3);
            let close = |a: f32, b: f32| assert!(wrap_angle(a - b).abs() < 1e-4, "{found:?} {initial:?}");
            close(found.distance, initial.distance);
            close(found.angles[0], initial.angles[0]);
            close(found.angles[1], initial.angles[1]);
            let swapped = Initial::of(here.then(initial.second_in_first()), here, -3);
            close(swapped.angles[0], initial.swapped().angles[0]);
            assert_eq!(swapped.delay, initial.swapped().delay);
        }
    }
}

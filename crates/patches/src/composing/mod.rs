//! Composing: scenes of many people, put together from patches.
//!
//! Whoever takes part gets a line of actions: on the way to an interaction, in it, and after it. A [`Composer`] holds
//! [everybody](crowd::Crowd) who is in the scene so far; [`lead`] adds one interaction after another for somebody who meets
//! many, [`duel`] for two who go on with each other, [`dominoes`] for people who fall over each other until an area of the
//! [`floor`] is full. [`choice`] says which patch is best, [`locomotion`] how people come
//! and go.
//!
//! What is chosen stays: nobody who is in the scene is moved for the sake of a newcomer.
//!
//! Reference: \[Shum2008\], section 4.

pub mod appointments;
pub mod bystanders;
pub mod choice;
pub mod crowd;
pub mod dominoes;
pub mod duel;
pub mod floor;
pub mod footprint;
pub mod lead;
pub mod locomotion;
mod lots;
pub mod luggage;
pub mod moves;
pub mod reach;
pub mod standard;

use std::sync::Arc;

use randori_arena::bodies::{Bodies, Doing, Rigid};
use randori_motion::{Ground, Placement};

use crate::patch::{Patch, Role};
use crate::set::{PatchId, Patches};
use appointments::{Appointment, Kept};
use choice::{Command, Usage, Weights, Wishes};
use crowd::{Crowd, LOOK};
use footprint::{Footprint, Girth};
use locomotion::Standing;
use moves::Moves;

/// A scene under way. See the [module](self).
#[derive(Clone)]
pub struct Composer<'a> {
    /// The patches it is made of.
    pub patches: &'a Patches,
    /// Everybody so far.
    pub crowd: Crowd,
    /// What they walk with.
    pub moves: Moves,
    /// What counts.
    pub weights: Weights,
    /// What the user asks of the main character, in order of time.
    pub commands: Vec<Command>,
    /// What has to happen at a time and a place, in order of time.
    pub appointments: Vec<Appointment>,
    /// Those that were kept or missed.
    pub kept: Vec<Kept>,
    /// Whether nobody is seen before they set off for the main character, nor sets off for a command before it is given:
    /// for whoever gives commands while they look on. See [`lead`].
    pub late: bool,
    /// Where the middle of two who go on with each other is to be, and when (ticks), in order of time; nowhere in particular
    /// if there are none.
    pub path: Vec<(i32, Ground)>,
    /// When the scene ends (ticks).
    pub end: i32,
    /// Which patches were used, in the order in which they were chosen.
    pub uses: Vec<Use>,
    /// How often the user was listened to.
    pub wishes: Wishes,
    /// What choosing took.
    pub effort: Effort,
    usage: Usage,
}

/// How much was looked at to choose patches for a main character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Families that were looked into.
    pub families: u64,
    /// Patches that were compared.
    pub patches: u64,
}

/// How a patch was joined to what was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Join {
    /// Right after another, or at the start of the scene.
    Temporal,
    /// Somebody has to do with two others at once.
    Spatial,
    /// After movements that brought people where it begins.
    Recycled,
}

/// One use of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Use {
    /// Which.
    pub patch: PatchId,
    /// The tick at which its clock begins.
    pub begins: i32,
    /// Where it is.
    pub world_from_patch: Rigid,
    /// Who plays the first and the second part.
    pub people: [usize; 2],
    /// How it was joined.
    pub join: Join,
}

impl<'a> Composer<'a> {
    /// An empty scene of patches of a library, for so many people at most and so long (ticks).
    pub fn new(patches: &'a Patches, bodies: Arc<Bodies>, n_people: usize, end: i32) -> Composer<'a> {
        Composer {
            moves: Moves::of(&bodies, false),
            crowd: Crowd::new(bodies, n_people),
            weights: Weights::default(),
            commands: Vec::new(),
            appointments: Vec::new(),
            kept: Vec::new(),
            late: false,
            path: Vec::new(),
            end,
            uses: Vec::new(),
            wishes: Wishes::default(),
            effort: Effort::default(),
            usage: Usage::new(patches.len()),
            patches,
        }
    }

    /// The bodies of everybody.
    pub fn bodies(&self) -> &Arc<Bodies> {
        self.crowd.bodies()
    }

    fn bodies_handle(&self) -> Arc<Bodies> {
        Arc::clone(self.crowd.bodies())
    }

    /// What the user asks for at a tick.
    fn command_at(&self, tick: i32) -> Option<&Command> {
        self.commands.iter().rev().find(|command| command.from <= tick && tick < command.until)
    }

    /// Where the path is at a tick, in straight lines from one of its places to the next.
    fn path_at(&self, tick: i32) -> Option<Ground> {
        let next = self.path.partition_point(|(at, _)| *at <= tick);
        let (Some(from), Some(to)) = (self.path.get(next.max(1) - 1), self.path.get(next)) else {
            return self.path.last().map(|(_, place)| *place);
        };
        let part = (tick - from.0) as f32 / (to.0 - from.0).max(1) as f32;
        let part = part.clamp(0.0, 1.0);
        let along = |a: f32, b: f32| a + part * (b - a);
        Some(Ground { x: along(from.1.x, to.1.x), z: along(from.1.z, to.1.z) })
    }

    /// How far the middle of two places is from the path at a tick (m); 0 if there is none.
    fn off_path(&self, [a, b]: [Ground; 2], tick: i32) -> f32 {
        let middle = Ground { x: 0.5 * (a.x + b.x), z: 0.5 * (a.z + b.z) };
        self.path_at(tick).map_or(0.0, |place| place.distance(middle))
    }

    /// Writes down that a patch is used.
    fn note(&mut self, patch: PatchId, begins: i32, world_from_patch: Rigid, people: [usize; 2], join: Join) {
        self.usage.choose(patch);
        self.uses.push(Use { patch, begins, world_from_patch, people, join });
    }

    /// How somebody gets up who lies: from a tick on, one action after the other, and how they stand then. `None` if
    /// nothing gets them up.
    fn rise(&self, now: Standing, tick: i32) -> Option<(Vec<(i32, Doing)>, Standing)> {
        let bodies = self.bodies();
        let mut way = Vec::new();
        let mut at = Standing { tick, ..now };
        for id in self.moves.rise(bodies.library(), now.node) {
            let doing = Doing::begin(bodies, id, at.tick, 0, at.here);
            way.push((at.tick, doing));
            at = Standing::after(&self.crowd, &doing);
        }
        (!way.is_empty()).then_some((way, at))
    }

    /// How somebody stands at the end of a part; `None` if nothing can follow.
    fn after_part(
        &self,
        patch: &Patch,
        role: Role,
        world_from_patch: Rigid,
        begins: i32,
    ) -> Option<Standing> {
        let lines = patch.of(role);
        let node = lines.exit?;
        let here = world_from_patch.then(Rigid::of(lines.to));
        Some(Standing { node, here, tick: begins + lines.end() })
    }
}

/// What somebody of a girth does.
type Course<'a> = (Girth, &'a [(i32, Doing)]);

/// What two people cover at a tick who do these things.
fn prints(crowd: &Crowd, a: Course<'_>, b: Course<'_>, tick: i32) -> Option<[Footprint; 2]> {
    Some([crowd.print_with(a.0, a.1, tick)?, crowd.print_with(b.0, b.1, tick)?])
}

/// The least distance of two people who do these things, from one tick to another (m).
fn least_distance(crowd: &Crowd, a: Course<'_>, b: Course<'_>, from: i32, until: i32) -> f32 {
    let looks = (from..until).step_by(LOOK as usize);
    looks
        .filter_map(|tick| prints(crowd, a, b, tick).map(|[a, b]| a.distance(&b)))
        .fold(f32::INFINITY, f32::min)
}

/// How near two people may come who are as near as this already (m).
fn room([a, b]: &[Footprint; 2]) -> f32 {
    (a.distance(b) - 0.03).min(a.clearance(b))
}

/// The place on the way from one to another, this far (m).
fn beyond(from: Ground, to: Ground, far: f32) -> Ground {
    let (x, z) = (to.x - from.x, to.z - from.z);
    let length = libm::hypotf(x, z);
    let (x, z) = if length > 1e-3 { (x / length, z / length) } else { (0.0, 1.0) };
    Ground { x: from.x + far * x, z: from.z + far * z }
}

/// The place so far behind somebody (m).
fn behind(here: Placement, far: f32) -> Ground {
    let (x, z) = (libm::sinf(here.heading), libm::cosf(here.heading));
    Ground { x: here.position.x - far * x, z: here.position.z - far * z }
}

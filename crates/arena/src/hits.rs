//! Blows that land: the striking part of one body against the other body, between one tick and the next.

use glam::Vec3;
use randori_motion::Bone;

use crate::bodies::{Bodies, Doing, TICKS_PER_SECOND};
use crate::sweep::{Sweep, meet};

/// What was struck.
///
/// ```
/// use randori_arena::hits::Part;
/// use randori_motion::Bone;
/// assert_eq!(Part::of(Bone::Neck), Part::Head);
/// assert!(Part::Head.vulnerability() > Part::Torso.vulnerability());
/// assert_eq!(Part::of(Bone::LeftLowerArm).vulnerability(), 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// Head and neck.
    Head,
    /// From the hips to the upper chest.
    Torso,
    /// Shoulders, arms and legs: what is in the way of a blow.
    Limb,
}

impl Part {
    /// The part that a bone belongs to.
    pub fn of(bone: Bone) -> Part {
        match bone {
            Bone::Head | Bone::Neck => Part::Head,
            Bone::Hips | Bone::Spine | Bone::Chest | Bone::UpperChest => Part::Torso,
            _ => Part::Limb,
        }
    }

    /// How vulnerable it is (-): \[Shum2012\], below equation (6).
    pub fn vulnerability(self) -> f32 {
        match self {
            Part::Head => 2.0,
            Part::Torso => 1.0,
            Part::Limb => 0.0,
        }
    }
}

/// A blow that met something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The tick before which it landed.
    pub tick: i32,
    /// The striking bone.
    pub with: Bone,
    /// The bone that was struck.
    pub bone: Bone,
    /// Not the bone itself was struck, but what it holds.
    pub on_weapon: bool,
    /// Where, in the world (m).
    pub point: Vec3,
    /// Velocity of the striking part in the world (m/s).
    pub velocity: Vec3,
}

impl Hit {
    /// What was struck.
    pub fn part(&self) -> Part {
        Part::of(self.bone)
    }

    /// D of \[Shum2012\], equation (6): speed in metres per second times vulnerability.
    pub fn damage(&self) -> f32 {
        self.velocity.length() * self.part().vulnerability()
    }
}

/// The first thing that the blow under way meets after the tick `after`, if both go on with what they do; `None` if
/// there is no blow, or it meets nothing. Whoever ends before stays in the last frame.
pub fn first(attacker: (&Bodies, &Doing), victim: (&Bodies, &Doing), after: i32) -> Option<Hit> {
    let ((own, doing), (other, struck)) = (attacker, victim);
    let its = own.of_action(doing.action);
    let [from, to] = its.window.map(|frame| doing.start + (frame - its.first) as i32);
    let with = its.with as usize;
    // The striking part in the other's take: the one transform that is needed.
    let there = struck.world_from_take.inverse().then(doing.world_from_take);
    let moved = |tick: i32| own.frame(its.take, doing.frame(own, tick))[with].map(|end| there.point(end));
    let (fist, theirs) = (own.radii()[with] + own.halves()[with], other.of_action(struck.action));
    let mut last: Option<(i32, [Vec3; 2])> = None;
    for tick in from.max(after + 1)..to {
        let now = moved(tick);
        let middle = 0.5 * (now[0] + now[1]);
        let frame = struck.frame(other, tick);
        let root = other.stance(theirs.take, frame).root.shift();
        let (x, z, near) = (middle.x - root.x, middle.z - root.z, other.reach() + fist + FASTEST);
        if x * x + z * z > near * near {
            continue;
        }
        let before =
            last.take().filter(|(at, _)| at + 1 == tick).map_or_else(|| moved(tick - 1), |(_, ends)| ends);
        last = Some((tick, now));
        let earlier = struck.frame(other, tick - 1);
        let bodies = [earlier, frame].map(|frame| other.frame(theirs.take, frame));
        let blow = Sweep { from: before, to: now, radius: own.radii()[with] };
        let Some((capsule, point)) = first_met(&blow, own.halves()[with], bodies, other) else { continue };
        let way = (now[0] + now[1] - before[0] - before[1]) * 0.5;
        return Some(Hit {
            tick,
            with: own.bones()[with],
            bone: other.bones()[capsule],
            on_weapon: other.weapon() == Some(capsule),
            point: struck.world_from_take.point(point),
            velocity: struck.world_from_take.turned(way) * TICKS_PER_SECOND,
        });
    }
    None
}

/// No part of a body goes farther than this in one tick (m).
const FASTEST: f32 = 0.5;

/// The capsule that a blow meets first on its way through one tick, and where.
fn first_met(
    blow: &Sweep,
    half: f32,
    [before, now]: [&[[Vec3; 2]]; 2],
    other: &Bodies,
) -> Option<(usize, Vec3)> {
    let middle = |ends: &[Vec3; 2]| 0.5 * (ends[0] + ends[1]);
    let (own_from, own_to) = (middle(&blow.from), middle(&blow.to));
    let mut first: Option<(f32, usize, Vec3)> = None;
    for (capsule, (from, to)) in before.iter().zip(now).enumerate() {
        // Middles that are farther apart than both halves, both radii and both ways: these cannot meet.
        let (from_middle, to_middle) = (middle(from), middle(to));
        let reach = half + blow.radius + other.halves()[capsule] + other.radii()[capsule];
        let apart = (own_to - to_middle).length_squared().min((own_from - from_middle).length_squared());
        let way = (own_to - own_from) - (to_middle - from_middle);
        let near = reach + way.length_squared().sqrt();
        if apart > near * near {
            continue;
        }
        let body = Sweep { from: *from, to: *to, radius: other.radii()[capsule] };
        if let Some(meeting) = meet(blow, &body)
            && first.is_none_or(|(share, ..)| meeting.share < share)
        {
            first = Some((meeting.share, capsule, meeting.point));
        }
    }
    first.map(|(_, capsule, point)| (capsule, point))
}

//! Blows that land: the striking part of one body against the other body, between one tick and the next.

use glam::Vec3;
use randori_motion::{Bone, FrameRate};

use crate::bodies::{Bodies, Doing};
use crate::sweep::{Sweep, meet};

/// What was struck.
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
    pub tick: u32,
    /// The striking bone.
    pub with: Bone,
    /// The bone that was struck.
    pub bone: Bone,
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

/// Farther from the other's root no part of a body is (m).
const REACH: f32 = 1.3;

/// The first thing that the attack under way meets between `tick` - 1 and `tick`; `None` if it is not in an active
/// window, or meets nothing.
pub fn strike(attacker: (&Bodies, &Doing), victim: (&Bodies, &Doing), tick: u32) -> Option<Hit> {
    let ((own, doing), (other, struck)) = (attacker, victim);
    let action = own.library().action(doing.action);
    let frames = [doing.frame(own.library(), tick.wrapping_sub(1)), doing.frame(own.library(), tick)];
    let window = action.windows.iter().find(|window| window.frames.contains(&(frames[1] as usize)))?;
    let at = own.bones().iter().position(|bone| *bone == window.part)?;
    // The striking part in the other's take: the one transform that is needed.
    let there = struck.world_from_take.inverse().then(doing.world_from_take);
    let [from, to] = frames.map(|frame| own.frame(action.take, frame)[at]);
    let blow = Sweep {
        from: from.map(|end| there.point(end)),
        to: to.map(|end| there.point(end)),
        radius: own.radii()[at],
    };
    let take = other.library().action(struck.action).take;
    let theirs = [tick.wrapping_sub(1), tick].map(|tick| struck.frame(other.library(), tick));
    let [before, now] = theirs.map(|frame| other.frame(take, frame));
    let root = other.library().takes()[take as usize].placements[theirs[1] as usize].position;
    let middle = 0.5 * (blow.to[0] + blow.to[1]);
    if (middle - root.at_height(middle.y)).length() > REACH {
        return None;
    }
    let mut first: Option<(f32, usize, Vec3)> = None;
    for (at, (from, to)) in before.iter().zip(now).enumerate() {
        let body = Sweep { from: *from, to: *to, radius: other.radii()[at] };
        if let Some(meeting) = meet(&blow, &body)
            && first.is_none_or(|(share, ..)| meeting.share < share)
        {
            first = Some((meeting.share, at, meeting.point));
        }
    }
    let (_, struck_at, point) = first?;
    let fps = FrameRate::HOUSE.fps() as f32;
    let world = |ends: [Vec3; 2]| {
        let [a, b] = ends.map(|end| doing.world_from_take.point(end));
        0.5 * (a + b)
    };
    Some(Hit {
        tick,
        with: window.part,
        bone: other.bones()[struck_at],
        point: struck.world_from_take.point(point),
        velocity: (world(to) - world(from)) * fps,
    })
}

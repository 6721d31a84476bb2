//! Blows that land: the striking part of one body against the other body, between one tick and the next.

use glam::Vec3;
use randori_motion::Bone;

use crate::bodies::{Bodies, Doing, TICKS_PER_SECOND};
use crate::hulls::Ball;
use crate::sweep::{Sweep, meet_before, pass_aside, to_segment};

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
    let (its, theirs) = (own.of_action(doing.action), other.of_action(struck.action));
    let [from, to] = its.window.map(|frame| doing.start + (frame - its.first) as i32);
    let ticks = from.max(after + 1)..to;
    if ticks.is_empty() {
        return None;
    }
    // The striking part in the other's take: the one transform that is needed.
    let there = struck.world_from_take.inverse().then(doing.world_from_take);
    if !theirs.extent.may_touch(&Ball { center: there.point(its.swing.center), ..its.swing }) {
        return None;
    }
    let with = its.with as usize;
    let (radius, half) = (own.radii()[with], own.halves()[with]);
    let (first, strikes) = own.strikes(its);
    let moved =
        |tick: i32| strikes[(its.shown(tick - doing.start) - first) as usize].map(|end| there.point(end));
    let shown = |tick: i32| theirs.shown(tick - struck.start);
    let hulls = other.hulls(theirs.take);
    let mut before = moved(ticks.start - 1);
    for tick in ticks {
        let now = moved(tick);
        let blow = Sweep { from: std::mem::replace(&mut before, now), to: now, radius };
        let ball = Ball::of(blow.from, blow.to, half, radius);
        let frame = shown(tick);
        if !hulls.extent(frame).may_touch(&ball) {
            continue;
        }
        let bodies = [shown(tick - 1), frame].map(|frame| other.frame(theirs.take, frame));
        let Some((capsule, point)) = first_met(&blow, &ball, hulls.near(frame, ball), bodies, other.radii())
        else {
            continue;
        };
        let way = (blow.to[0] + blow.to[1] - blow.from[0] - blow.from[1]) * 0.5;
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

/// Whether a blow can meet anything at all, if both go on with what they do: `false` only if it cannot.
pub(crate) fn may_meet((own, doing): (&Bodies, &Doing), (other, struck): (&Bodies, &Doing)) -> bool {
    let (its, theirs) = (own.of_action(doing.action), other.of_action(struck.action));
    let there = struck.world_from_take.inverse().then(doing.world_from_take);
    theirs.extent.may_touch(&Ball { center: there.point(its.swing.center), ..its.swing })
}

/// The one of these capsules that a blow, which stays within a ball, meets first on its way through one tick, and where.
fn first_met(
    blow: &Sweep,
    ball: &Ball,
    capsules: impl Iterator<Item = usize>,
    [before, now]: [&[[Vec3; 2]]; 2],
    radii: &[f32],
) -> Option<(usize, Vec3)> {
    let mut first: Option<(f32, usize, Vec3)> = None;
    for capsule in capsules {
        let body = Sweep { from: before[capsule], to: now[capsule], radius: radii[capsule] };
        // Half way through the tick, no point of it has more than half of its ends' way before or behind it.
        let way =
            (body.to[0] - body.from[0]).length_squared().max((body.to[1] - body.from[1]).length_squared());
        // Most of what is that near is passed aside, which is sooner seen than how near it comes.
        let off = to_segment(body.at(0.5), ball.center);
        let reach = ball.radius + body.radius + 0.5 * way.sqrt();
        if off.length_squared() > reach * reach || pass_aside(blow, &body, 0.0, off) {
            continue;
        }
        let until = first.map_or(f32::INFINITY, |(share, ..)| share);
        if let Some(meeting) = meet_before(blow, &body, until)
            && first.is_none_or(|(share, ..)| meeting.share < share)
        {
            first = Some((meeting.share, capsule, meeting.point));
        }
    }
    first.map(|(_, capsule, point)| (capsule, point))
}

//! How people go down, lie and get up: the key postures of each kind of fall.
//!
//! They are written for somebody with the left side ahead, and those to a side for falling to the right; the rest is
//! seen in a mirror. Times count from the blow. Feet and hands that stand on the floor keep their place from key to key.

mod aside;
mod back;
mod forward;

use glam::Vec3;
use randori_motion::{Ground, Side};

use super::keys::{Foot, Hand, Hold, Key, Tilt};

/// The way somebody falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fall {
    /// Onto the seat and the back.
    Back,
    /// Onto one side.
    Aside(Side),
    /// Onto knees and hands.
    Forward,
}

/// A fall and the way up, without the guard that it begins and ends in.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    pub keys: Vec<Key>,
    /// When the trunk meets the floor (s).
    pub down: f32,
    /// When the body has come to rest (s).
    pub still: f32,
    /// When it begins to get up (s).
    pub rises: f32,
    /// When it stands in guard again (s).
    pub up: f32,
    /// Where it stands then, relative to where it stood, in statures (-).
    pub ends: Ground,
}

impl Course {
    /// The course of a fall with one side ahead, lying still for so long (s).
    pub(crate) fn of(fall: Fall, lead: Side, lies: f32) -> Course {
        let course = match fall {
            Fall::Back => back::course(lies),
            Fall::Forward => forward::course(lies),
            // Falling to the left with the left side ahead mirrors falling to the right with the right ahead.
            Fall::Aside(side) => aside::course(side != lead, lies),
        };
        let is_mirrored = match fall {
            Fall::Back | Fall::Forward => lead == Side::Right,
            Fall::Aside(side) => side == Side::Left,
        };
        if is_mirrored { course.mirrored() } else { course }
    }

    fn mirrored(self) -> Course {
        let ends = Ground { x: -self.ends.x, z: self.ends.z };
        Course { keys: self.keys.into_iter().map(Key::mirrored).collect(), ends, ..self }
    }
}

pub(crate) fn tilt(ahead: f32, left: f32, twist: f32) -> Tilt {
    Tilt::new(ahead, left, twist)
}

/// A hand that moves with the chest; `out` is 1 for the left one.
pub(crate) fn held(out: f32, at: [f32; 3]) -> Hand {
    let [x, y, z] = at;
    Hand { at: Hold::Chest(Vec3::new(out * x, y, z)), elbow: Vec3::new(0.6 * out, -1.0, -0.3) }
}

/// A hand thrown out: the elbow points outwards and back.
pub(crate) fn thrown(out: f32, at: [f32; 3]) -> Hand {
    Hand { elbow: Vec3::new(out, -0.5, -0.6), ..held(out, at) }
}

/// A hand on the floor at x and z, its elbow outwards and back.
pub(crate) fn on_floor(out: f32, x: f32, z: f32) -> Hand {
    Hand { at: Hold::Floor(Vec3::new(x, 0.015, z)), elbow: Vec3::new(0.8 * out, 0.4, -0.6) }
}

/// A foot on its sole.
pub(crate) fn stands(x: f32, z: f32, twist: f32, heel: f32) -> Foot {
    let sole = tilt(0.0, 0.0, twist);
    Foot { ball: Vec3::new(x, 0.0, z), sole, heel, knee: Tilt::turn(sole.vector()) * Vec3::Z }
}

/// A foot off the floor or on its edge.
pub(crate) fn lifted(ball: [f32; 3], sole: Tilt, knee: [f32; 3]) -> Foot {
    Foot { ball: Vec3::from_array(ball), sole, heel: 0.0, knee: Vec3::from_array(knee) }
}

/// Where the feet of the guard are with the left side ahead.
fn guard_left() -> Foot {
    stands(0.068, 0.165, -0.3, 0.1)
}

fn guard_right() -> Foot {
    stands(-0.068, -0.165, -0.85, 0.4)
}

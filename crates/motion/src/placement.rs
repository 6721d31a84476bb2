//! Where somebody stands on the floor and which way they face.

use glam::{Quat, Vec3};

use crate::math::{rotation_of_heading, wrap_angle};

/// A point of the floor (m). Not a `Vec2`, so that nobody mistakes z for y.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Ground {
    /// Towards the own left of somebody who faces +Z.
    pub x: f32,
    /// Ahead of somebody with heading 0.
    pub z: f32,
}

impl Ground {
    /// The point of the floor below a point of the world.
    #[inline]
    pub fn below(point: Vec3) -> Ground {
        Ground { x: point.x, z: point.z }
    }

    /// The point at this height (m).
    #[inline]
    pub fn at_height(self, y: f32) -> Vec3 {
        Vec3::new(self.x, y, self.z)
    }

    /// The distance to another point of the floor (m).
    pub fn distance(self, other: Ground) -> f32 {
        libm::hypotf(self.x - other.x, self.z - other.z)
    }
}

/// Position and heading of a character on the floor.
///
/// ```
/// use randori_motion::{Ground, Placement};
/// let here = Placement { position: Ground { x: 1.0, z: 2.0 }, heading: 0.5 };
/// let step = Placement { position: Ground { x: 0.0, z: 1.0 }, heading: 0.1 };
/// let there = here.then(step);
/// let back = here.relative(there);
/// assert!((back.position.z - 1.0).abs() < 1e-6 && (back.heading - 0.1).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Placement {
    /// Where on the floor (m).
    pub position: Ground,
    /// The way they face (rad): 0 is +Z, positive turns to their own left (+X).
    pub heading: f32,
}

impl Placement {
    /// `world_from_placement`: the turn from the placement's own frame into the world's.
    pub fn rotation(self) -> Quat {
        rotation_of_heading(self.heading)
    }

    /// A point given in the placement's own frame, in the world (m).
    pub fn point(self, point_in_placement: Vec3) -> Vec3 {
        self.position.at_height(0.0) + self.rotation() * point_in_placement
    }

    /// A point of the world in the placement's own frame (m).
    pub fn point_from_world(self, point_in_world: Vec3) -> Vec3 {
        self.rotation().inverse() * (point_in_world - self.position.at_height(0.0))
    }

    /// The world placement of something placed relative to this.
    pub fn then(self, relative: Placement) -> Placement {
        Placement {
            position: Ground::below(self.point(relative.position.at_height(0.0))),
            heading: wrap_angle(self.heading + relative.heading),
        }
    }

    /// Another world placement as seen from this one: the inverse of [`Placement::then`].
    pub fn relative(self, other: Placement) -> Placement {
        Placement {
            position: Ground::below(self.point_from_world(other.position.at_height(0.0))),
            heading: wrap_angle(other.heading - self.heading),
        }
    }
}

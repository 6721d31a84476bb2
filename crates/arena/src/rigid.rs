//! Turns about the vertical with shifts on the floor: where a take is performed.

use glam::Vec3;
use randori_motion::{Ground, Placement};

/// A turn about the vertical and a shift on the floor.
///
/// ```
/// use randori_arena::bodies::Rigid;
/// use randori_motion::{Ground, Placement};
/// let there = Rigid::of(Placement { position: Ground { x: 2.0, z: 1.0 }, heading: std::f32::consts::FRAC_PI_2 });
/// let ahead = there.ground(Ground { x: 0.0, z: 1.0 });
/// assert!(ahead.distance(Ground { x: 3.0, z: 1.0 }) < 1e-6);
/// assert!(there.inverse().ground(ahead).distance(Ground { x: 0.0, z: 1.0 }) < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rigid {
    cos: f32,
    sin: f32,
    shift: Ground,
    heading: f32,
}

impl Rigid {
    /// From the coordinates of a placement to the world's.
    pub fn of(placement: Placement) -> Rigid {
        let Placement { position, heading } = placement;
        Rigid { cos: libm::cosf(heading), sin: libm::sinf(heading), shift: position, heading }
    }

    /// What it makes of the origin that faces +Z.
    pub fn placement(&self) -> Placement {
        Placement { position: self.shift, heading: randori_motion::math::wrap_angle(self.heading) }
    }

    /// A point carried over (m).
    pub fn point(&self, p: Vec3) -> Vec3 {
        let turned = self.turned(p);
        Vec3::new(turned.x + self.shift.x, p.y, turned.z + self.shift.z)
    }

    /// A direction carried over: turned, not shifted.
    pub fn turned(&self, p: Vec3) -> Vec3 {
        // A positive heading turns +Z to +X.
        Vec3::new(self.cos * p.x + self.sin * p.z, p.y, self.cos * p.z - self.sin * p.x)
    }

    /// A direction on the floor carried over: turned, not shifted.
    pub fn turned_ground(&self, p: Ground) -> Ground {
        Ground { x: self.cos * p.x + self.sin * p.z, z: self.cos * p.z - self.sin * p.x }
    }

    /// A place on the floor carried over (m).
    pub fn ground(&self, p: Ground) -> Ground {
        let x = self.cos * p.x + self.sin * p.z + self.shift.x;
        Ground { x, z: self.cos * p.z - self.sin * p.x + self.shift.z }
    }

    /// Where the origin goes (m).
    pub fn shift(&self) -> Ground {
        self.shift
    }

    /// How far from the carried origin a point is, on the floor (m).
    pub(crate) fn off(&self, p: Vec3) -> f32 {
        self.shift.distance(Ground::below(p))
    }

    /// The way back.
    pub fn inverse(self) -> Rigid {
        let back = Rigid { sin: -self.sin, heading: -self.heading, shift: Ground::default(), ..self };
        let shift = back.ground(Ground { x: -self.shift.x, z: -self.shift.z });
        Rigid { shift, ..back }
    }

    /// `other` first, then this.
    pub fn then(self, other: Rigid) -> Rigid {
        Rigid {
            cos: self.cos * other.cos - self.sin * other.sin,
            sin: self.sin * other.cos + self.cos * other.sin,
            shift: self.ground(other.shift),
            heading: self.heading + other.heading,
        }
    }

    /// The same without what rounding did to its length: a step of Newton's method towards cos² + sin² = 1.
    pub(crate) fn straightened(self) -> Rigid {
        let scale = 1.5 - 0.5 * (self.cos * self.cos + self.sin * self.sin);
        let heading = randori_motion::math::wrap_angle(self.heading);
        Rigid { cos: self.cos * scale, sin: self.sin * scale, heading, ..self }
    }

    /// A placement carried over.
    pub fn placed(&self, placement: Placement) -> Placement {
        self.then(Rigid::of(placement)).placement()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rigid_motions_agree_with_placements() {
        for k in 0..100 {
            let k = k as f32;
            let placement = |a: f32| Placement {
                position: Ground { x: 3.0 * libm::sinf(a * k), z: 3.0 * libm::cosf(1.7 * a * k) },
                heading: 3.0 * libm::sinf(2.3 * a * k),
            };
            let (a, b) = (placement(1.0), placement(0.6));
            let p = Vec3::new(libm::sinf(k), libm::cosf(k), libm::sinf(0.3 * k));
            let near = |p: Vec3, q: Vec3| assert!(p.distance(q) < 1e-5, "{p} {q}");
            near(Rigid::of(a).point(p), a.point(p));
            near(Rigid::of(a).inverse().point(p), a.point_from_world(p));
            near(Rigid::of(a).then(Rigid::of(b)).point(p), a.point(b.point(p)));
            let (found, expected) = (Rigid::of(a).placed(b), a.then(b));
            assert!(found.position.distance(expected.position) < 1e-5);
            assert!(randori_motion::math::wrap_angle(found.heading - expected.heading).abs() < 1e-5);
        }
    }
}

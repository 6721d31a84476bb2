//! Six-dimensional vectors of rigid-body dynamics: poses, motions, forces, inertias.
//!
//! Reference: \[Featherstone2008\], chapter 2. Differs: the linear part comes first, and every quantity of
//! one model is expressed in world axes about one common point (the position of its base), so that
//! neighbouring bodies' quantities add without any transform.

use glam::{DMat3, DQuat, DVec3};

/// A rigid placement: `parent_from_child`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Orientation; columns are the child's axes seen from the parent.
    pub rotation: DMat3,
    /// The child's origin seen from the parent (m).
    pub translation: DVec3,
}

impl Pose {
    /// No displacement.
    pub const IDENTITY: Pose = Pose { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// A pure displacement (m).
    pub fn from_translation(translation: DVec3) -> Pose {
        Pose { rotation: DMat3::IDENTITY, translation }
    }

    /// From an orientation and the child's origin.
    pub fn new(rotation: DQuat, translation: DVec3) -> Pose {
        Pose { rotation: DMat3::from_quat(rotation), translation }
    }

    /// The placement the other way round.
    pub fn inverse(&self) -> Pose {
        let rotation = self.rotation.transpose();
        Pose { rotation, translation: -(rotation * self.translation) }
    }

    /// A point of the child, seen from the parent.
    pub fn point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }
}

impl std::ops::Mul for Pose {
    type Output = Pose;

    fn mul(self, child: Pose) -> Pose {
        Pose { rotation: self.rotation * child.rotation, translation: self.point(child.translation) }
    }
}

/// Velocity or acceleration of a rigid body: of the body's point at the reference point, and angular.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Linear part (m/s or m/s²).
    pub linear: DVec3,
    /// Angular part (rad/s or rad/s²).
    pub angular: DVec3,
}

impl Motion {
    /// At rest.
    pub const ZERO: Motion = Motion { linear: DVec3::ZERO, angular: DVec3::ZERO };

    /// Power of a force on this motion.
    pub fn dot(&self, force: &Force) -> f64 {
        self.linear.dot(force.linear) + self.angular.dot(force.angular)
    }

    /// Velocity of the body's point at `point`, relative to the reference point.
    pub fn at(&self, point: DVec3) -> DVec3 {
        self.linear + self.angular.cross(point)
    }

    /// Six numbers, linear first.
    pub fn to_array(self) -> [f64; 6] {
        let (l, a) = (self.linear, self.angular);
        [l.x, l.y, l.z, a.x, a.y, a.z]
    }
}

impl std::ops::Add for Motion {
    type Output = Motion;

    fn add(self, other: Motion) -> Motion {
        Motion { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

impl std::ops::Sub for Motion {
    type Output = Motion;

    fn sub(self, other: Motion) -> Motion {
        Motion { linear: self.linear - other.linear, angular: self.angular - other.angular }
    }
}

impl std::ops::Mul<f64> for Motion {
    type Output = Motion;

    fn mul(self, factor: f64) -> Motion {
        Motion { linear: self.linear * factor, angular: self.angular * factor }
    }
}

/// A force and the moment about the reference point; also momentum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Force {
    /// Linear part (N or kg m/s).
    pub linear: DVec3,
    /// Angular part (N m or kg m²/s).
    pub angular: DVec3,
}

impl Force {
    /// No force.
    pub const ZERO: Force = Force { linear: DVec3::ZERO, angular: DVec3::ZERO };
}

impl std::ops::Add for Force {
    type Output = Force;

    fn add(self, other: Force) -> Force {
        Force { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

/// A symmetric 3×3 matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Symmetric {
    /// Diagonal: xx, yy, zz.
    pub diagonal: DVec3,
    /// Off the diagonal: yz, xz, xy.
    pub off: DVec3,
}

impl Symmetric {
    /// From the six numbers a URDF gives.
    pub fn new(xx: f64, yy: f64, zz: f64, xy: f64, xz: f64, yz: f64) -> Symmetric {
        Symmetric { diagonal: DVec3::new(xx, yy, zz), off: DVec3::new(yz, xz, xy) }
    }

    /// A diagonal matrix.
    pub fn from_diagonal(diagonal: DVec3) -> Symmetric {
        Symmetric { diagonal, off: DVec3::ZERO }
    }

    /// All nine entries.
    pub fn to_mat(self) -> DMat3 {
        let (d, o) = (self.diagonal, self.off);
        DMat3::from_cols(DVec3::new(d.x, o.z, o.y), DVec3::new(o.z, d.y, o.x), DVec3::new(o.y, o.x, d.z))
    }

    /// Product with a vector.
    pub fn times(&self, v: DVec3) -> DVec3 {
        let (d, o) = (self.diagonal, self.off);
        DVec3::new(
            d.x * v.x + o.z * v.y + o.y * v.z,
            o.z * v.x + d.y * v.y + o.x * v.z,
            o.y * v.x + o.x * v.y + d.z * v.z,
        )
    }

    /// `rotation * self * rotationᵀ`.
    pub fn rotated(&self, rotation: &DMat3) -> Symmetric {
        let half = *rotation * self.to_mat();
        // Only the six different entries of half * rotationᵀ.
        let row = |m: &DMat3, r: usize| DVec3::new(m.x_axis[r], m.y_axis[r], m.z_axis[r]);
        let (h0, h1, h2) = (row(&half, 0), row(&half, 1), row(&half, 2));
        let (r0, r1, r2) = (row(rotation, 0), row(rotation, 1), row(rotation, 2));
        Symmetric::new(h0.dot(r0), h1.dot(r1), h2.dot(r2), h0.dot(r1), h0.dot(r2), h1.dot(r2))
    }

    /// `mass (|c|² 1 - c cᵀ)`: what a point mass at `c` adds to the inertia about the origin.
    fn of_point(mass: f64, c: DVec3) -> Symmetric {
        let m = c * mass;
        Symmetric::new(
            m.y * c.y + m.z * c.z,
            m.x * c.x + m.z * c.z,
            m.x * c.x + m.y * c.y,
            -m.x * c.y,
            -m.x * c.z,
            -m.y * c.z,
        )
    }

    fn is_finite(&self) -> bool {
        self.diagonal.is_finite() && self.off.is_finite()
    }

    /// Smallest principal minor, each scaled to the size of the matrix (-): negative exactly when the
    /// matrix is indefinite or negative, zero when it is singular.
    fn definiteness(&self) -> f64 {
        let scale = self.diagonal.abs().max_element().max(self.off.abs().max_element());
        if scale == 0.0 {
            return 0.0;
        }
        let (d, o) = (self.diagonal / scale, self.off / scale);
        let pairs = [d.x * d.y - o.z * o.z, d.x * d.z - o.y * o.y, d.y * d.z - o.x * o.x];
        let all = Symmetric { diagonal: d, off: o }.to_mat().determinant();
        pairs.into_iter().fold(d.min_element().min(all), f64::min)
    }
}

impl std::ops::Add for Symmetric {
    type Output = Symmetric;

    fn add(self, other: Symmetric) -> Symmetric {
        Symmetric { diagonal: self.diagonal + other.diagonal, off: self.off + other.off }
    }
}

/// Mass distribution of a rigid body, in the frame of the body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inertia {
    /// (kg)
    pub mass: f64,
    /// Centre of mass (m).
    pub center: DVec3,
    /// Moments about the centre of mass, axes of the body (kg m²).
    pub about_center: Symmetric,
}

impl Inertia {
    /// Nothing at all.
    pub const ZERO: Inertia = Inertia {
        mass: 0.0,
        center: DVec3::ZERO,
        about_center: Symmetric { diagonal: DVec3::ZERO, off: DVec3::ZERO },
    };

    /// A solid box of the given edge lengths about its centre.
    pub fn of_box(mass: f64, size: DVec3) -> Inertia {
        let s = size * size * (mass / 12.0);
        let about_center = Symmetric::from_diagonal(DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y));
        Inertia { mass, center: DVec3::ZERO, about_center }
    }

    /// A solid capsule whose segment runs from `a` to `b` (m).
    pub fn of_capsule(mass: f64, a: DVec3, b: DVec3, radius: f64) -> Inertia {
        let length = a.distance(b);
        let cylinder = length * radius * radius;
        let balls = 4.0 / 3.0 * radius * radius * radius;
        let (m_cylinder, m_balls) = (mass * cylinder / (cylinder + balls), mass * balls / (cylinder + balls));
        let along = radius * radius * (0.5 * m_cylinder + 0.4 * m_balls);
        let across = m_cylinder * (length * length / 12.0 + radius * radius / 4.0)
            + m_balls * (0.4 * radius * radius + 0.25 * length * length + 0.375 * length * radius);
        let axis = (b - a).try_normalize().unwrap_or(DVec3::Y);
        let rotation = DMat3::from_quat(DQuat::from_rotation_arc(DVec3::Y, axis));
        let local = Symmetric::from_diagonal(DVec3::new(across, along, across));
        Inertia { mass, center: 0.5 * (a + b), about_center: local.rotated(&rotation) }
    }

    /// The same body seen from the frame in which its own frame has pose `parent_from_body`.
    pub fn seen_from(&self, parent_from_body: &Pose) -> Inertia {
        Inertia {
            mass: self.mass,
            center: parent_from_body.point(self.center),
            about_center: self.about_center.rotated(&parent_from_body.rotation),
        }
    }

    /// Both bodies as one.
    pub fn joined(&self, other: &Inertia) -> Inertia {
        let mass = self.mass + other.mass;
        if mass == 0.0 {
            return Inertia { about_center: self.about_center + other.about_center, ..*self };
        }
        let center = (self.center * self.mass + other.center * other.mass) / mass;
        let about = self.about_center
            + other.about_center
            + Symmetric::of_point(self.mass, self.center - center)
            + Symmetric::of_point(other.mass, other.center - center);
        Inertia { mass, center, about_center: about }
    }

    /// Why this cannot be part of a body, in words; `None` if it can. Nothing at all and point masses are
    /// allowed: they may be fixed to other parts.
    pub fn fault(&self) -> Option<String> {
        if !(self.mass.is_finite() && self.center.is_finite() && self.about_center.is_finite()) {
            return Some("mass, centre or inertia is not a finite number".into());
        }
        if self.mass < 0.0 {
            return Some(format!("mass is negative ({} kg)", self.mass));
        }
        if self.mass == 0.0 {
            let empty = self.about_center == Symmetric::default();
            return (!empty).then(|| "mass is zero but the inertia is not".into());
        }
        let indefinite = self.about_center.definiteness() < -1e-12;
        indefinite.then(|| "inertia about the centre of mass is not positive".into())
    }

    /// Whether the inertia resists turning about every axis.
    pub fn is_definite(&self) -> bool {
        self.about_center.definiteness() > 0.0
    }
}

/// Rotation vector (axis times angle) of a rotation matrix, by the shorter way round (rad).
pub fn rotation_vector(rotation: &DMat3) -> DVec3 {
    let q = DQuat::from_mat3(rotation);
    let q = if q.w < 0.0 { -q } else { q };
    let axis = DVec3::new(q.x, q.y, q.z);
    let sine = axis.length();
    if sine < 1e-12 { 2.0 * axis } else { axis * (2.0 * libm::atan2(sine, q.w) / sine) }
}

/// Quaternion of a rotation vector (axis times angle) (rad).
pub fn quaternion_of(rotation: DVec3) -> DQuat {
    let angle = rotation.length();
    if angle < 1e-9 {
        let half = 0.5 * rotation;
        return DQuat::from_xyzw(half.x, half.y, half.z, 1.0).normalize();
    }
    let axis = rotation * (libm::sin(0.5 * angle) / angle);
    DQuat::from_xyzw(axis.x, axis.y, axis.z, libm::cos(0.5 * angle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_boxes_make_the_bigger_box() {
        let half = Inertia::of_box(1.0, DVec3::new(1.0, 2.0, 3.0));
        let left = half.seen_from(&Pose::from_translation(DVec3::new(-0.5, 0.0, 0.0)));
        let right = half.seen_from(&Pose::from_translation(DVec3::new(0.5, 0.0, 0.0)));
        let whole = Inertia::of_box(2.0, DVec3::new(2.0, 2.0, 3.0));
        let joined = left.joined(&right);
        assert!((joined.about_center.diagonal - whole.about_center.diagonal).length() < 1e-14);
        assert_eq!(joined.center, DVec3::ZERO);
    }

    #[test]
    fn capsules_tend_to_balls_and_rods() {
        let ball = Inertia::of_capsule(2.0, DVec3::ZERO, DVec3::ZERO, 0.5);
        assert!((ball.about_center.diagonal - DVec3::splat(0.4 * 2.0 * 0.25)).length() < 1e-14);
        let rod = Inertia::of_capsule(2.0, DVec3::ZERO, DVec3::X * 3.0, 1e-6);
        let expected = DVec3::new(0.0, 1.5, 1.5);
        assert!((rod.about_center.diagonal - expected).length() < 1e-5, "{rod:?}");
    }

    #[test]
    fn rotation_vectors_go_there_and_back() {
        for v in [DVec3::ZERO, DVec3::new(1e-13, 0.0, 0.0), DVec3::new(0.3, -1.0, 2.0)] {
            let back = rotation_vector(&DMat3::from_quat(quaternion_of(v)));
            assert!((v - back).length() < 1e-12, "{v} {back}");
        }
    }
}

//! Rotations and the trigonometry behind them.
//!
//! Every transcendental function goes through `libm`, so that results have the same bits on every
//! platform (`glam` is built with its `libm` feature for the same reason).

pub use glam::{DQuat, DVec3, Mat3, Mat4, Quat, Vec3};

/// Rotation vectors (axis times angle in radians) to unit quaternions.
pub fn quat_from_rotation_vector(rotation: Vec3) -> Quat {
    let angle = rotation.length();
    if angle < 1e-8 {
        return Quat::from_xyzw(0.5 * rotation.x, 0.5 * rotation.y, 0.5 * rotation.z, 1.0).normalize();
    }
    let scale = libm::sinf(0.5 * angle) / angle;
    Quat::from_xyzw(rotation.x * scale, rotation.y * scale, rotation.z * scale, libm::cosf(0.5 * angle))
}

/// Unit quaternions to rotation vectors (axis times angle in radians), by the shorter way round.
pub fn rotation_vector_from_quat(rotation: Quat) -> Vec3 {
    let q = if rotation.w < 0.0 { -rotation } else { rotation };
    let axis = Vec3::new(q.x, q.y, q.z);
    let sine = axis.length();
    if sine < 1e-8 {
        return 2.0 * axis;
    }
    axis * (2.0 * libm::atan2f(sine, q.w) / sine)
}

/// The angle in radians, 0 to π, between two orientations.
///
/// ```
/// use randori_motion::math::{angle_between, Quat};
/// let quarter = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
/// assert!((angle_between(Quat::IDENTITY, quarter) - std::f32::consts::FRAC_PI_2).abs() < 1e-6);
/// ```
pub fn angle_between(a: Quat, b: Quat) -> f32 {
    rotation_vector_from_quat(a.inverse() * b).length()
}

/// `rotation` with the sign that is nearer to `reference`: both stand for the same orientation.
pub fn nearest_sign(rotation: Quat, reference: Quat) -> Quat {
    if rotation.dot(reference) < 0.0 { -rotation } else { rotation }
}

/// The shortest rotation that turns direction `from` into direction `to`.
///
/// Neither needs unit length; a zero vector gives the identity.
pub fn rotation_between(from: Vec3, to: Vec3) -> Quat {
    match (from.try_normalize(), to.try_normalize()) {
        (Some(from), Some(to)) => Quat::from_rotation_arc(from, to),
        _ => Quat::IDENTITY,
    }
}

/// Splits `rotation` into `swing * twist`, the twist being about the unit vector `axis`.
pub fn swing_twist(rotation: Quat, axis: Vec3) -> (Quat, Quat) {
    let along = Vec3::new(rotation.x, rotation.y, rotation.z).dot(axis);
    let twist = Quat::from_xyzw(axis.x * along, axis.y * along, axis.z * along, rotation.w);
    let length = twist.length();
    // A half turn about an axis across: every twist is as good as another.
    let twist = if length < 1e-6 { Quat::IDENTITY } else { twist / length };
    (rotation * twist.inverse(), twist)
}

/// Heading in radians of the horizontal direction that `rotation` turns +Z to.
///
/// Positive turns to the person's own left (towards +X). Looking straight up or down gives 0.
pub fn heading_of(rotation: Quat) -> f32 {
    let forward = rotation * Vec3::Z;
    if forward.x * forward.x + forward.z * forward.z < 1e-12 {
        return 0.0;
    }
    libm::atan2f(forward.x, forward.z)
}

/// The rotation about +Y that turns +Z to this heading.
pub fn rotation_of_heading(heading: f32) -> Quat {
    Quat::from_xyzw(0.0, libm::sinf(0.5 * heading), 0.0, libm::cosf(0.5 * heading))
}

/// An angle brought into (-π, π].
pub fn wrap_angle(angle: f32) -> f32 {
    use std::f32::consts::{PI, TAU};
    let wrapped = angle - TAU * libm::floorf((angle + PI) / TAU);
    if wrapped <= -PI { wrapped + TAU } else { wrapped }
}

/// Smooth ramp from 0 to 1 as `t` goes from 0 to 1, with zero velocity and acceleration at both ends.
pub fn smootherstep(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    t * t * t * (t * (6.0 * t - 15.0) + 10.0)
}

/// The points of two segments that are nearest to each other.
///
/// Reference: \[Ericson2005\], section 5.1.9.
#[inline]
pub fn nearest_points([p1, q1]: [Vec3; 2], [p2, q2]: [Vec3; 2]) -> [Vec3; 2] {
    const SMALL: f32 = 1e-12;
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, e, f) = (d1.dot(d1), d2.dot(d2), d2.dot(r));
    let (s, t) = if a <= SMALL && e <= SMALL {
        (0.0, 0.0)
    } else if a <= SMALL {
        (0.0, (f / e).clamp(0.0, 1.0))
    } else {
        let c = d1.dot(r);
        if e <= SMALL {
            ((-c / a).clamp(0.0, 1.0), 0.0)
        } else {
            let b = d1.dot(d2);
            let slack = a * e - b * b;
            // Parallel segments: any point of the first will do.
            let s = if slack > SMALL { ((b * f - c * e) / slack).clamp(0.0, 1.0) } else { 0.0 };
            let t = (b * s + f) / e;
            if t < 0.0 {
                ((-c / a).clamp(0.0, 1.0), 0.0)
            } else if t > 1.0 {
                (((b - c) / a).clamp(0.0, 1.0), 1.0)
            } else {
                (s, t)
            }
        }
    };
    [p1 + d1 * s, p2 + d2 * t]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotation_vectors_go_there_and_back() {
        for (x, y, z) in [(0.0, 0.0, 0.0), (1e-9, 0.0, 0.0), (0.3, -1.0, 2.0), (0.0, 3.1, 0.0)] {
            let vector = Vec3::new(x, y, z);
            let back = rotation_vector_from_quat(quat_from_rotation_vector(vector));
            assert!((vector - back).length() < 1e-5, "{vector} {back}");
        }
    }

    #[test]
    fn swing_and_twist_multiply_back() {
        let rotation = Quat::from_rotation_y(0.7) * Quat::from_rotation_x(-1.1) * Quat::from_rotation_z(0.4);
        let (swing, twist) = swing_twist(rotation, Vec3::Y);
        assert!(angle_between(swing * twist, rotation) < 1e-5);
        let axis = rotation_vector_from_quat(twist);
        assert!(axis.x.abs() < 1e-6 && axis.z.abs() < 1e-6);
    }

    #[test]
    fn headings_turn_to_the_left() {
        assert!((heading_of(rotation_of_heading(0.5)) - 0.5).abs() < 1e-6);
        assert!((rotation_of_heading(0.5) * Vec3::Z).x > 0.0);
    }

    #[test]
    fn wrapped_angles_stay_in_range() {
        use std::f32::consts::PI;
        for (angle, expected) in [(3.0 * PI, PI), (-PI, PI), (0.1, 0.1), (-7.0, -7.0 + 2.0 * PI)] {
            assert!((wrap_angle(angle) - expected).abs() < 1e-5, "{angle}");
        }
    }

    #[test]
    fn nearest_points_are_nearest() {
        let mut seed = 5u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as f32 / (1 << 24) as f32 * 2.0 - 1.0
        };
        let mut point = || Vec3::new(next(), next(), next());
        for k in 0..500 {
            let mut segment = || [point(), point()];
            let (a, b) = (segment(), segment());
            let [p, q] = nearest_points(a, b);
            let found = p.distance(q);
            for i in 0..=40 {
                for j in 0..=40 {
                    let there = a[0].lerp(a[1], i as f32 / 40.0).distance(b[0].lerp(b[1], j as f32 / 40.0));
                    assert!(there >= found - 1e-4, "{k}: {there} {found}");
                }
            }
        }
        // Points, and parallel segments.
        let [o, x, y] = [Vec3::ZERO, Vec3::X, Vec3::Y];
        for (a, b, apart) in
            [([o, o], [x, x], 1.0), ([o, x], [y, y], 1.0), ([o, x], [y, x + y], 1.0), ([o, x], [o, x], 0.0)]
        {
            let [p, q] = nearest_points(a, b);
            assert!((p.distance(q) - apart).abs() < 1e-6);
        }
    }
}

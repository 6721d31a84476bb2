//! The area in which feet can push: the convex hull of the areas under them, seen from above.

use glam::DVec2;

use crate::phase::World;
use crate::scene::ContactArea;
use crate::spatial::Pose;

/// A convex area of the ground, its corners in order; coordinates are x and z (m).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Support {
    corners: Vec<DVec2>,
}

/// The corners of a rectangular sole of half edges `half` (m) at a pose.
pub fn sole(pose: &Pose, half: [f64; 2]) -> [DVec2; 4] {
    [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)].map(|(x, z)| {
        let corner = pose.point(glam::DVec3::new(x * half[0], 0.0, z * half[1]));
        DVec2::new(corner.x, corner.z)
    })
}

impl Support {
    /// The hull of some points.
    pub fn of(points: impl IntoIterator<Item = DVec2>) -> Support {
        let mut support = Support::default();
        support.set(points);
        support
    }

    /// Becomes the hull of some points, in the memory it has.
    pub fn set(&mut self, points: impl IntoIterator<Item = DVec2>) {
        let corners = &mut self.corners;
        corners.clear();
        corners.extend(points.into_iter().filter(|point| point.is_finite()));
        corners.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        corners.dedup();
        let n = corners.len();
        if n < 3 {
            return;
        }
        // Andrew's monotone chain, behind the sorted points: the lower side, then the upper.
        for upper in [false, true] {
            let first = corners.len();
            for k in 0..n {
                let point = corners[if upper { n - 1 - k } else { k }];
                while corners.len() >= first + 2 {
                    let [a, b] = [corners[corners.len() - 2], corners[corners.len() - 1]];
                    if (b - a).perp_dot(point - a) > 0.0 {
                        break;
                    }
                    corners.pop();
                }
                corners.push(point);
            }
            corners.pop();
        }
        corners.drain(..n);
    }

    /// Of everything of a subsystem that stands flat on something.
    pub fn under(world: &World, subsystem: usize) -> Support {
        let standing = world.scene.contacts.iter().filter(|contact| contact.on.subsystem == subsystem);
        Support::of(standing.flat_map(|contact| match contact.area {
            ContactArea::Planar { half } => {
                sole(&(world.pose(contact.on) * contact.on_from_patch), half).to_vec()
            }
            ContactArea::Grasp { .. } => Vec::new(),
        }))
    }

    /// How far inside a point is (m); below zero outside, minus infinity for no area.
    pub fn margin(&self, point: DVec2) -> f64 {
        let n = self.corners.len();
        if n < 3 {
            return f64::NEG_INFINITY;
        }
        let sides = (0..n).map(|k| (self.corners[k], self.corners[(k + 1) % n]));
        sides
            .map(|(a, b)| (b - a).try_normalize().map_or(f64::INFINITY, |along| along.perp_dot(point - a)))
            .fold(f64::INFINITY, f64::min)
    }

    /// The nearest point of the area; the point itself where there is none.
    pub fn nearest(&self, point: DVec2) -> DVec2 {
        let n = self.corners.len();
        if n == 0 || self.margin(point) >= 0.0 {
            return point;
        }
        let sides = (0..n).map(|k| (self.corners[k], self.corners[(k + 1) % n]));
        let on_side = |(a, b): (DVec2, DVec2)| {
            let along = b - a;
            let share = (point - a).dot(along) / along.length_squared().max(1e-18);
            a + share.clamp(0.0, 1.0) * along
        };
        let nearer = |a: &DVec2, b: &DVec2| a.distance_squared(point).total_cmp(&b.distance_squared(point));
        sides.map(on_side).min_by(nearer).unwrap_or(point)
    }
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;

    #[test]
    fn two_feet_span_what_is_between_them() {
        let foot = |x: f64, z: f64| sole(&Pose::from_translation(DVec3::new(x, 0.0, z)), [0.04, 0.1]);
        let support = Support::of(foot(0.1, 0.0).into_iter().chain(foot(-0.1, 0.3)));
        assert!((support.margin(DVec2::new(0.0, 0.15)) - 0.1).abs() < 0.05);
        assert!(support.margin(DVec2::new(-0.1, -0.05)) < 0.0, "beside the left foot");
        for point in [DVec2::new(2.0, -1.0), DVec2::new(-0.5, 0.3), DVec2::new(0.0, 0.1)] {
            let nearest = support.nearest(point);
            assert!(support.margin(nearest) > -1e-12);
            // No corner is nearer.
            assert!(support.corners.iter().all(|c| c.distance(point) >= nearest.distance(point) - 1e-12));
        }
    }

    #[test]
    fn a_turned_sole_keeps_its_size() {
        let pose = Pose::new(DQuat::from_rotation_y(0.7), DVec3::new(1.0, 0.0, 2.0));
        let support = Support::of(sole(&pose, [0.04, 0.1]));
        assert!((support.margin(DVec2::new(1.0, 2.0)) - 0.04).abs() < 1e-12);
        assert_eq!(Support::default().margin(DVec2::ZERO), f64::NEG_INFINITY);
    }
}

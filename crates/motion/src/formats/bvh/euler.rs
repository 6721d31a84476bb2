//! Rotations to the angles of a channel order.

use glam::{DMat3, DQuat};

use super::document::{Axis, Channel, Node};

/// The order in which a joint's three rotation channels stand: `R = R1 · R2 · R3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RotationOrder([Axis; 3]);

impl RotationOrder {
    /// `Zrotation Yrotation Xrotation`: what is written unless told otherwise.
    pub const ZYX: RotationOrder = RotationOrder([Axis::Z, Axis::Y, Axis::X]);

    /// All six.
    pub const ALL: [RotationOrder; 6] = [
        RotationOrder::ZYX,
        RotationOrder([Axis::Z, Axis::X, Axis::Y]),
        RotationOrder([Axis::Y, Axis::Z, Axis::X]),
        RotationOrder([Axis::Y, Axis::X, Axis::Z]),
        RotationOrder([Axis::X, Axis::Z, Axis::Y]),
        RotationOrder([Axis::X, Axis::Y, Axis::Z]),
    ];

    /// The order of a joint's rotation channels; axes it has none for follow in the order Z, Y, X.
    pub fn of(node: &Node) -> RotationOrder {
        let listed = node.channels.iter().filter_map(|channel| match channel {
            Channel::Rotation(axis) => Some(*axis),
            Channel::Position(_) => None,
        });
        let mut order = RotationOrder::ZYX.0;
        for (place, axis) in listed.take(3).enumerate() {
            let at = order.iter().position(|other| *other == axis).unwrap_or(place);
            // What stands between keeps its order.
            order[place..=at.max(place)].rotate_right(1);
        }
        RotationOrder(order)
    }

    /// The axes, first to last.
    pub fn axes(self) -> [Axis; 3] {
        self.0
    }

    /// The rotation that these angles in radians make.
    pub fn rotation(self, angles: [f64; 3]) -> DQuat {
        let [a, b, c] = self.0;
        a.rotation(angles[0]) * b.rotation(angles[1]) * c.rotation(angles[2])
    }

    /// The angles in radians that make `rotation`, of all that do the nearest to `previous`.
    ///
    /// In gimbal lock, where only a sum of the first and the last angle counts, the first stays as it was.
    pub fn angles(self, rotation: DQuat, previous: [f64; 3]) -> [f64; 3] {
        /// Below this cosine of the middle angle the other two are no longer told apart.
        const LOCKED: f64 = 1e-7;
        let [i, j, k] = self.0.map(Axis::idx);
        let parity = if (i + 1) % 3 == j { 1.0 } else { -1.0 };
        let matrix = DMat3::from_quat(rotation.normalize());
        let m = |row: usize, column: usize| matrix.col(column)[row];

        let cosine = libm::hypot(m(i, i), m(i, j));
        let middle = libm::atan2(parity * m(i, k), cosine);
        if cosine < LOCKED {
            let first = previous[0];
            let rest = (self.0[0].rotation(first) * self.0[1].rotation(middle)).inverse() * rotation;
            let last = 2.0 * libm::atan2([rest.x, rest.y, rest.z][k], rest.w);
            return nearest([first, middle, last], previous);
        }
        let first = libm::atan2(-parity * m(j, k), m(k, k));
        let last = libm::atan2(-parity * m(i, j), m(i, i));
        let here = nearest([first, middle, last], previous);
        use std::f64::consts::PI;
        let there = nearest([first + PI, PI - middle, last + PI], previous);
        let way = |angles: [f64; 3]| -> f64 { (0..3).map(|at| (angles[at] - previous[at]).abs()).sum() };
        if way(there) < way(here) { there } else { here }
    }
}

/// Each angle with as many whole turns as bring it nearest to the previous one.
fn nearest(angles: [f64; 3], previous: [f64; 3]) -> [f64; 3] {
    use std::f64::consts::TAU;
    std::array::from_fn(|at| angles[at] + TAU * libm::round((previous[at] - angles[at]) / TAU))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_go_there_and_back_in_every_order() {
        use std::f64::consts::FRAC_PI_2;
        let grid = [-3.0, -FRAC_PI_2, -0.4, 0.0, 1.1, FRAC_PI_2, 2.9];
        for order in RotationOrder::ALL {
            for first in grid {
                for middle in grid {
                    for last in grid {
                        let rotation = order.rotation([first, middle, last]);
                        let angles = order.angles(rotation, [0.3, -0.2, 7.0]);
                        let back = order.rotation(angles);
                        assert!(1.0 - back.dot(rotation).abs() < 1e-13, "{order:?} {first} {middle} {last}");
                    }
                }
            }
        }
    }

    #[test]
    fn angles_stay_near_the_previous_ones() {
        let order = RotationOrder::ZYX;
        let mut angles = [0.0; 3];
        for step in 0..2000 {
            let t = f64::from(step) * 0.01;
            let truth = [t, 0.8 * libm::sin(t), -0.5 * t];
            angles = order.angles(order.rotation(truth), angles);
            for at in 0..3 {
                assert!((angles[at] - truth[at]).abs() < 1e-9, "{t}: {angles:?} {truth:?}");
            }
        }
    }

    #[test]
    fn orders_of_joints_are_completed() {
        let node = |channels: &[Channel]| Node {
            name: String::new(),
            parent: None,
            offset: Default::default(),
            channels: channels.to_vec(),
            first_channel: 0,
            end_sites: Vec::new(),
        };
        use Axis::{X, Y, Z};
        use Channel::{Position, Rotation};
        for (channels, expected) in [
            (&[][..], [Z, Y, X]),
            (&[Rotation(X)], [X, Z, Y]),
            (&[Rotation(Y), Position(X), Rotation(X)], [Y, X, Z]),
            (&[Rotation(X), Rotation(Y), Rotation(Z)], [X, Y, Z]),
            (&[Rotation(Z), Rotation(X), Rotation(Y)], [Z, X, Y]),
        ] {
            assert_eq!(RotationOrder::of(&node(channels)).axes(), expected, "{channels:?}");
        }
    }
}

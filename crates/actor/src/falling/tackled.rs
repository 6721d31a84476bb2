//! Out of a run, brought down by somebody: hips and legs are stopped, the rest goes on.
//!
//! Distances ahead are those of somebody who runs at 2.4 statures a second; slower people go less far.

use glam::Vec3;
use randori_motion::Side;

use super::pushed::{later, rest_of};
use super::{Lie, Way, kept};
use crate::reactions::falls::{self, Course, held, lifted, on_floor, thrown, tilt};
use crate::reactions::keys::{Foot, Key};

/// Statures a second for which the keys are written (1/s).
const SPEED: f32 = 2.4;

/// A foot in the air.
fn hung(x: f32, y: f32, z: f32, over: f32) -> Foot {
    lifted([x, y, z], tilt(over, 0.0, 0.0), [0.2 * x, 0.1, 1.0])
}

/// Keys for somebody who runs at another speed.
fn at_speed(keys: Vec<Key>, speed: f32) -> Vec<Key> {
    let slack = |key: &Key| (speed / SPEED - 1.0) * key.hips.z;
    keys.into_iter().map(|key| key.moved(Vec3::Z * slack(&key))).collect()
}

/// Folded over a shoulder in the belly, driven back and dropped on the back.
pub(super) fn from_the_front(speed: f32) -> Way {
    let keys = vec![
        Key {
            t: 0.07,
            hips: Vec3::new(0.0, 0.53, 0.13),
            pelvis: tilt(0.12, 0.0, 0.0),
            chest: tilt(0.42, 0.0, 0.0),
            head: tilt(0.45, 0.0, 0.0),
            hands: [held(1.0, [0.14, -0.14, 0.24]), held(-1.0, [0.14, -0.14, 0.24])],
            feet: [kept(0.2), kept(0.2)],
        },
        Key {
            t: 0.18,
            hips: Vec3::new(0.0, 0.52, 0.18),
            pelvis: tilt(0.10, 0.0, 0.0),
            chest: tilt(0.58, 0.0, 0.0),
            head: tilt(0.50, 0.0, 0.0),
            hands: [thrown(1.0, [0.20, -0.06, 0.28]), thrown(-1.0, [0.20, -0.06, 0.28])],
            feet: [hung(0.06, 0.07, 0.13, 0.2), hung(-0.06, 0.07, 0.13, 0.2)],
        },
        Key {
            t: 0.32,
            hips: Vec3::new(0.0, 0.44, 0.12),
            pelvis: tilt(-0.28, 0.0, 0.0),
            chest: tilt(0.05, 0.0, 0.0),
            head: tilt(0.25, 0.0, 0.0),
            hands: [thrown(1.0, [0.27, 0.03, 0.18]), thrown(-1.0, [0.27, 0.03, 0.18])],
            feet: [hung(0.08, 0.11, 0.28, -0.2), hung(-0.07, 0.08, 0.24, -0.1)],
        },
        Key {
            t: 0.46,
            hips: Vec3::new(0.0, 0.29, 0.02),
            pelvis: tilt(-0.75, 0.0, 0.0),
            chest: tilt(-0.55, 0.0, 0.0),
            head: tilt(0.0, 0.0, 0.0),
            hands: [thrown(1.0, [0.28, -0.02, 0.06]), thrown(-1.0, [0.28, -0.02, 0.06])],
            feet: [hung(0.09, 0.22, 0.34, -0.6), hung(-0.09, 0.17, 0.32, -0.4)],
        },
        Key {
            t: 0.57,
            hips: Vec3::new(0.0, 0.10, -0.07),
            pelvis: tilt(-1.10, 0.0, 0.0),
            chest: tilt(-0.98, 0.0, 0.0),
            head: tilt(-0.45, 0.0, 0.0),
            hands: [on_floor(1.0, 0.24, -0.22), on_floor(-1.0, -0.24, -0.22)],
            feet: [hung(0.10, 0.26, 0.30, -0.9), hung(-0.10, 0.20, 0.30, -0.7)],
        },
        Key {
            t: 0.66,
            hips: Vec3::new(0.0, -0.03, -0.11),
            pelvis: tilt(-1.35, 0.0, 0.0),
            chest: tilt(-1.25, 0.0, 0.0),
            head: tilt(-0.75, 0.0, 0.0),
            hands: [on_floor(1.0, 0.28, -0.30), on_floor(-1.0, -0.28, -0.32)],
            feet: [hung(0.10, 0.25, 0.28, -1.0), hung(-0.10, 0.16, 0.26, -0.8)],
        },
    ];
    let course = Course::of(falls::Fall::Back, Side::Left, 0.2);
    let lies = Vec3::new(0.0, 0.0, -0.13);
    let keys =
        keys.into_iter().chain(later(&course, 0.95, -0.15).map(|key| key.moved(lies - rest_of(&course))));
    Way {
        keys: at_speed(keys.collect(), speed),
        keeps: [1, 1],
        flies: None,
        down: 0.66,
        still: 1.25,
        lies: Lie::Supine,
        hips: lies * (speed / SPEED),
        yaw: 0.0,
    }
}

/// Carried off the feet to the right by somebody from the left.
pub(super) fn from_the_left(speed: f32) -> Way {
    let keys = vec![
        Key {
            t: 0.08,
            hips: Vec3::new(-0.05, 0.53, 0.18),
            pelvis: tilt(0.12, -0.10, 0.0),
            chest: tilt(0.28, 0.16, 0.0),
            head: tilt(0.15, 0.22, 0.0),
            hands: [held(1.0, [0.17, -0.16, 0.16]), held(-1.0, [0.17, -0.16, 0.16])],
            feet: [kept(0.3), kept(0.3)],
        },
        Key {
            t: 0.20,
            hips: Vec3::new(-0.19, 0.50, 0.37),
            pelvis: tilt(0.12, -0.32, 0.0),
            chest: tilt(0.28, -0.02, -0.1),
            head: tilt(0.15, 0.12, -0.1),
            hands: [thrown(1.0, [0.27, -0.04, 0.12]), thrown(-1.0, [0.24, -0.12, 0.14])],
            feet: [hung(0.02, 0.13, 0.16, 0.5), hung(-0.03, 0.08, 0.22, 0.4)],
        },
        Key {
            t: 0.34,
            hips: Vec3::new(-0.38, 0.37, 0.54),
            pelvis: tilt(0.12, -0.72, 0.0),
            chest: tilt(0.20, -0.55, -0.1),
            head: tilt(0.12, -0.18, -0.1),
            hands: [thrown(1.0, [0.30, 0.05, 0.10]), thrown(-1.0, [0.22, -0.14, 0.16])],
            feet: [hung(0.0, 0.23, 0.38, 0.5), hung(-0.06, 0.12, 0.42, 0.4)],
        },
        Key {
            t: 0.47,
            hips: Vec3::new(-0.50, 0.17, 0.65),
            pelvis: tilt(0.10, -1.08, 0.0),
            chest: tilt(0.15, -1.0, 0.0),
            head: tilt(0.10, -0.50, 0.0),
            hands: [thrown(1.0, [0.28, 0.0, 0.15]), on_floor(-1.0, -0.78, 0.78)],
            feet: [
                lifted([-0.05, 0.27, 0.62], tilt(0.2, -0.8, 0.0), [0.0, 0.2, 1.0]),
                lifted([-0.10, 0.12, 0.60], tilt(0.2, -0.8, 0.0), [0.0, 0.2, 1.0]),
            ],
        },
        Key {
            t: 0.58,
            hips: Vec3::new(-0.56, -0.03, 0.72),
            pelvis: tilt(0.05, -1.36, 0.0),
            chest: tilt(0.10, -1.26, 0.0),
            head: tilt(0.10, -0.80, 0.0),
            hands: [held(1.0, [0.18, -0.14, 0.24]), on_floor(-1.0, -0.86, 0.88)],
            feet: [
                lifted([-0.13, 0.24, 0.82], tilt(0.0, -1.2, 0.1), [-0.1, 0.2, 1.0]),
                lifted([-0.16, 0.09, 0.74], tilt(0.0, -1.2, 0.1), [-0.1, 0.2, 1.0]),
            ],
        },
    ];
    let course = Course::of(falls::Fall::Aside(Side::Right), Side::Left, 0.2);
    let lies = Vec3::new(-0.62, 0.0, 0.80);
    let keys =
        keys.into_iter().chain(later(&course, 0.9, -0.18).map(|key| key.moved(lies - rest_of(&course))));
    Way {
        keys: at_speed(keys.collect(), speed),
        keeps: [1, 1],
        flies: None,
        down: 0.58,
        still: 1.2,
        lies: Lie::Side,
        hips: lies * Vec3::new(1.0, 1.0, speed / SPEED),
        yaw: 0.0,
    }
}

/// The legs held: flat on the front, and on for a while.
pub(super) fn from_behind(speed: f32) -> Way {
    let toes =
        |x: f32, y: f32, z: f32, over: f32| lifted([x, y, z], tilt(over, 0.0, 0.0), [0.3 * x, -0.5, 1.0]);
    let floor = |z: f32| [on_floor(1.0, 0.17, z), on_floor(-1.0, -0.17, z - 0.02)];
    let keys = vec![
        Key {
            t: 0.08,
            hips: Vec3::new(0.0, 0.53, 0.19),
            pelvis: tilt(0.22, 0.0, 0.0),
            chest: tilt(0.36, 0.0, 0.0),
            head: tilt(-0.05, 0.0, 0.0),
            hands: [held(1.0, [0.17, -0.14, 0.18]), held(-1.0, [0.17, -0.14, 0.18])],
            feet: [kept(0.5), kept(0.5)],
        },
        Key {
            t: 0.20,
            hips: Vec3::new(0.0, 0.47, 0.46),
            pelvis: tilt(0.55, 0.0, 0.0),
            chest: tilt(0.76, 0.0, 0.0),
            head: tilt(0.15, 0.0, 0.0),
            hands: [held(1.0, [0.17, -0.02, 0.30]), held(-1.0, [0.17, -0.02, 0.30])],
            feet: [toes(0.055, 0.07, 0.10, 1.1), toes(-0.055, 0.06, 0.10, 1.1)],
        },
        Key {
            t: 0.33,
            hips: Vec3::new(0.0, 0.33, 0.73),
            pelvis: tilt(0.98, 0.0, 0.0),
            chest: tilt(1.10, 0.0, 0.0),
            head: tilt(0.40, 0.0, 0.0),
            hands: [held(1.0, [0.15, 0.08, 0.31]), held(-1.0, [0.15, 0.08, 0.31])],
            feet: [toes(0.06, 0.08, 0.28, 1.4), toes(-0.055, 0.07, 0.26, 1.4)],
        },
        Key {
            t: 0.44,
            hips: Vec3::new(0.0, 0.16, 0.92),
            pelvis: tilt(1.28, 0.0, 0.0),
            chest: tilt(1.30, 0.0, 0.0),
            head: tilt(0.65, 0.0, 0.0),
            hands: floor(1.30),
            feet: [toes(0.06, 0.06, 0.44, 1.6), toes(-0.055, 0.06, 0.42, 1.6)],
        },
        Key {
            t: 0.56,
            hips: Vec3::new(0.0, 0.0, 1.06),
            pelvis: tilt(1.47, 0.0, 0.0),
            chest: tilt(1.42, 0.0, 0.0),
            head: tilt(0.90, 0.0, 0.1),
            hands: floor(1.40),
            feet: [toes(0.065, 0.09, 0.55, 1.9), toes(-0.06, 0.07, 0.54, 1.9)],
        },
        Key {
            t: 0.78,
            hips: Vec3::new(0.0, -0.03, 1.20),
            pelvis: tilt(1.52, 0.0, 0.0),
            chest: tilt(1.50, 0.0, 0.0),
            head: tilt(1.15, 0.0, 0.3),
            hands: floor(1.54),
            feet: [toes(0.07, 0.04, 0.67, 1.9), toes(-0.07, 0.04, 0.67, 1.9)],
        },
    ];
    Way {
        keys: at_speed(keys, speed),
        keeps: [1, 1],
        flies: None,
        down: 0.56,
        still: 1.1,
        lies: Lie::Prone,
        hips: Vec3::new(0.0, 0.0, 1.25 * speed / SPEED),
        yaw: 0.0,
    }
}

//! Out of a stand: the shoulders go first, a step comes too late, arms are thrown out.

use glam::Vec3;

use super::{Lie, Way, hanging, kept, on_heel};
use crate::reactions::falls::{self, Course, held, lifted, on_floor, stands, thrown, tilt};
use crate::reactions::keys::{Foot, Key};
use randori_motion::Side;

/// Onto the seat and the back.
pub(super) fn back() -> Way {
    let mut keys = vec![
        Key {
            t: 0.10,
            hips: Vec3::new(0.0, 0.525, -0.02),
            pelvis: tilt(-0.02, 0.0, 0.0),
            chest: tilt(-0.14, 0.0, 0.0),
            head: tilt(0.12, 0.0, 0.0),
            hands: [held(1.0, [0.13, -0.20, 0.13]), held(-1.0, [0.13, -0.21, 0.11])],
            feet: [kept(0.0), kept(0.0)],
        },
        Key {
            t: 0.22,
            hips: Vec3::new(0.0, 0.515, -0.085),
            pelvis: tilt(-0.10, 0.0, -0.05),
            chest: tilt(-0.36, 0.0, -0.08),
            head: tilt(0.02, 0.0, 0.0),
            hands: [thrown(1.0, [0.19, -0.04, 0.23]), thrown(-1.0, [0.18, -0.08, 0.20])],
            feet: [kept(0.0), lifted([-0.06, 0.035, -0.10], tilt(0.1, 0.0, -0.15), [-0.2, 0.0, 1.0])],
        },
        Key {
            t: 0.36,
            hips: Vec3::new(0.0, 0.47, -0.20),
            pelvis: tilt(-0.16, 0.0, -0.08),
            chest: tilt(-0.44, 0.0, -0.10),
            head: tilt(-0.02, 0.0, 0.0),
            hands: [thrown(1.0, [0.25, 0.02, 0.18]), thrown(-1.0, [0.23, -0.04, 0.13])],
            feet: [on_heel(0.18), stands(-0.08, -0.30, -0.2, 0.1)],
        },
        Key {
            t: 0.49,
            hips: Vec3::new(0.0, 0.38, -0.32),
            pelvis: tilt(-0.25, 0.0, -0.08),
            chest: tilt(-0.50, 0.0, -0.10),
            head: tilt(0.05, 0.0, 0.0),
            hands: [thrown(1.0, [0.27, -0.06, 0.08]), thrown(-1.0, [0.26, -0.12, 0.03])],
            feet: [
                on_heel(0.45),
                Foot { knee: Vec3::new(-0.3, 0.3, 1.0), ..stands(-0.08, -0.30, -0.2, 0.3) },
            ],
        },
    ];
    let course = Course::of(falls::Fall::Back, Side::Left, 0.2);
    let down = keys.len();
    keys.extend(later(&course, 0.7, -0.04));
    // The head is held up while the seat meets the floor.
    for key in &mut keys[down..] {
        key.head.ahead = key.head.ahead.max(key.chest.ahead + 0.25);
    }
    let hips = rest_of(&course);
    Way { keys, keeps: [4, 1], flies: None, down: 0.77, still: 1.36, lies: Lie::Supine, hips, yaw: 0.0 }
}

/// Onto hands and chest.
pub(super) fn forward() -> Way {
    let hands = [on_floor(1.0, 0.17, 0.91), on_floor(-1.0, -0.17, 0.89)];
    let toes =
        |x: f32, y: f32, z: f32, over: f32| lifted([x, y, z], tilt(over, 0.0, 0.0), [0.3 * x, -0.6, 1.0]);
    let keys = vec![
        Key {
            t: 0.10,
            hips: Vec3::new(0.0, 0.525, 0.045),
            pelvis: tilt(0.04, 0.0, 0.0),
            chest: tilt(0.10, 0.0, 0.0),
            head: tilt(-0.22, 0.0, 0.0),
            hands: [held(1.0, [0.17, -0.26, -0.05]), held(-1.0, [0.17, -0.26, -0.04])],
            feet: [kept(0.15), kept(0.15)],
        },
        Key {
            t: 0.24,
            hips: Vec3::new(0.0, 0.51, 0.15),
            pelvis: tilt(0.22, 0.0, 0.05),
            chest: tilt(0.46, 0.0, 0.08),
            head: tilt(0.10, 0.0, 0.0),
            hands: [thrown(1.0, [0.23, -0.16, 0.10]), thrown(-1.0, [0.21, -0.18, 0.13])],
            feet: [kept(0.6), lifted([-0.06, 0.05, 0.13], tilt(0.25, 0.0, 0.0), [-0.1, 0.0, 1.0])],
        },
        Key {
            t: 0.38,
            hips: Vec3::new(0.0, 0.445, 0.29),
            pelvis: tilt(0.42, 0.0, 0.05),
            chest: tilt(0.80, 0.0, 0.05),
            head: tilt(0.2, 0.0, 0.0),
            hands: [held(1.0, [0.17, -0.02, 0.30]), held(-1.0, [0.16, -0.05, 0.31])],
            feet: [kept(1.1), stands(-0.06, 0.29, 0.0, 0.1)],
        },
        Key {
            t: 0.51,
            hips: Vec3::new(0.0, 0.33, 0.42),
            pelvis: tilt(0.78, 0.0, 0.0),
            chest: tilt(1.08, 0.0, 0.0),
            head: tilt(0.42, 0.0, 0.0),
            hands: [held(1.0, [0.15, 0.08, 0.31]), held(-1.0, [0.15, 0.06, 0.32])],
            feet: [
                toes(0.06, 0.07, 0.10, 1.0),
                Foot { knee: Vec3::new(-0.1, -0.3, 1.0), ..stands(-0.06, 0.29, 0.0, 1.0) },
            ],
        },
        Key {
            t: 0.63,
            hips: Vec3::new(0.0, 0.18, 0.51),
            pelvis: tilt(1.12, 0.0, 0.0),
            chest: tilt(1.30, 0.0, 0.0),
            head: tilt(0.72, 0.0, 0.0),
            hands,
            feet: [toes(0.065, 0.03, 0.17, 1.3), toes(-0.065, 0.02, 0.26, 1.3)],
        },
        Key {
            t: 0.76,
            hips: Vec3::new(0.0, 0.03, 0.55),
            pelvis: tilt(1.42, 0.0, 0.0),
            chest: tilt(1.40, 0.0, 0.0),
            head: tilt(0.92, 0.0, 0.1),
            hands,
            feet: [toes(0.07, 0.08, 0.08, 1.8), toes(-0.07, 0.06, 0.11, 1.8)],
        },
        Key {
            t: 0.96,
            hips: Vec3::new(0.0, -0.03, 0.57),
            pelvis: tilt(1.52, 0.0, 0.0),
            chest: tilt(1.50, 0.0, 0.0),
            head: tilt(1.20, 0.0, 0.35),
            hands,
            feet: [toes(0.075, 0.03, 0.04, 1.9), toes(-0.075, 0.03, 0.05, 1.9)],
        },
    ];
    let hips = Vec3::new(0.0, 0.0, 0.57);
    Way { keys, keeps: [3, 1], flies: None, down: 0.76, still: 1.2, lies: Lie::Prone, hips, yaw: 0.0 }
}

/// To the right, over the outer foot onto hip and shoulder.
pub(super) fn aside() -> Way {
    let out = stands(-0.27, 0.04, -0.15, 0.0);
    let mut keys = vec![
        Key {
            t: 0.10,
            hips: Vec3::new(-0.03, 0.525, 0.01),
            pelvis: tilt(0.0, -0.03, 0.0),
            chest: tilt(0.04, -0.15, 0.0),
            head: tilt(0.02, 0.14, 0.0),
            hands: [hanging(1.0), hanging(-1.0)],
            feet: [kept(0.0), kept(0.0)],
        },
        Key {
            t: 0.24,
            hips: Vec3::new(-0.12, 0.51, 0.015),
            pelvis: tilt(0.04, -0.14, 0.0),
            chest: tilt(0.08, -0.42, -0.05),
            head: tilt(0.08, -0.14, -0.05),
            hands: [thrown(1.0, [0.25, -0.10, 0.06]), thrown(-1.0, [0.22, -0.19, 0.08])],
            feet: [kept(0.2), lifted([-0.17, 0.045, 0.04], tilt(0.1, 0.0, -0.1), [-0.2, 0.0, 1.0])],
        },
        Key {
            t: 0.38,
            hips: Vec3::new(-0.24, 0.455, 0.02),
            pelvis: tilt(0.06, -0.32, 0.0),
            chest: tilt(0.10, -0.68, -0.05),
            head: tilt(0.10, -0.42, -0.05),
            hands: [thrown(1.0, [0.30, 0.04, 0.06]), thrown(-1.0, [0.22, -0.19, 0.10])],
            feet: [kept(0.6), out],
        },
        Key {
            t: 0.53,
            hips: Vec3::new(-0.37, 0.33, 0.02),
            pelvis: tilt(0.10, -0.62, 0.0),
            chest: tilt(0.12, -0.88, 0.0),
            head: tilt(0.10, -0.52, 0.0),
            hands: [thrown(1.0, [0.31, 0.08, 0.08]), thrown(-1.0, [0.22, -0.22, 0.10])],
            feet: [
                lifted([-0.02, 0.07, 0.05], tilt(0.15, -0.3, 0.0), [0.1, 0.1, 1.0]),
                Foot { knee: Vec3::new(-0.3, 0.1, 1.0), sole: tilt(0.0, -0.2, -0.15), ..out },
            ],
        },
    ];
    let course = Course::of(falls::Fall::Aside(Side::Right), Side::Left, 0.2);
    keys.extend(later(&course, 0.65, -0.02));
    let hips = rest_of(&course);
    Way { keys, keeps: [3, 1], flies: None, down: 0.78, still: 1.34, lies: Lie::Side, hips, yaw: 0.0 }
}

/// The keys of the end of another fall, from a time on until it is still, so much later (s).
pub(super) fn later(course: &Course, from: f32, by: f32) -> impl Iterator<Item = Key> {
    let until = course.still - 1e-3;
    let keys = course.keys.iter().filter(move |key| key.t > from && key.t < until);
    keys.map(move |key| {
        let mut key = Key { t: key.t + by, ..*key };
        for tilt in [&mut key.pelvis, &mut key.chest] {
            tilt.twist *= 0.3;
        }
        key
    })
}

/// Where the hips are once such a fall is over (-).
pub(super) fn rest_of(course: &Course) -> Vec3 {
    course.keys.iter().find(|key| key.t >= course.still - 1e-3).map_or(Vec3::ZERO, |key| key.hips)
}

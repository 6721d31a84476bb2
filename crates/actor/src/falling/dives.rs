//! Dives at somebody: low off one foot, arms out and round, down on the chest and on for a while.

use glam::Vec3;

use super::{Dive, Lie, Way, kept};
use crate::reactions::falls::{held, lifted, on_floor, tilt};
use crate::reactions::keys::Key;

/// When both feet leave the floor (s).
const TAKE_OFF: f32 = 0.18;

/// A dive out of a run at so many statures a second (1/s).
pub(super) fn dive(dive: Dive, speed: f32) -> Way {
    let [high, low] = dive.heights;
    let flat = (1.0 - low / high).clamp(0.0, 1.0);
    let toes =
        |x: f32, y: f32, z: f32, over: f32| lifted([x, y, z], tilt(over, 0.0, 0.0), [0.3 * x, -0.4, 1.0]);
    let floor = |z: f32| [on_floor(1.0, 0.13, z), on_floor(-1.0, -0.13, z - 0.02)];
    let off = speed * TAKE_OFF;
    let lands = TAKE_OFF + dive.flight;
    let far = off + speed * dive.flight;
    let (down, slides) = (far + 0.09 * speed, far + 0.19 * speed);
    let keys = vec![
        Key {
            t: 0.09,
            hips: Vec3::new(0.0, 0.5 * (0.53 + high), 0.5 * off),
            pelvis: tilt(0.42, 0.0, 0.0),
            chest: tilt(0.78, 0.0, 0.0),
            head: tilt(0.05, 0.0, 0.0),
            hands: [held(1.0, [0.17, -0.15, 0.20]), held(-1.0, [0.17, -0.15, 0.20])],
            feet: [kept(0.5), kept(0.5)],
        },
        Key {
            t: TAKE_OFF,
            hips: Vec3::new(0.0, high, off),
            pelvis: tilt(0.72 + 0.2 * flat, 0.0, 0.0),
            chest: tilt(0.98 + 0.15 * flat, 0.0, 0.0),
            head: tilt(0.20, 0.0, 0.0),
            hands: [held(1.0, [0.20, 0.03, 0.30]), held(-1.0, [0.20, 0.03, 0.30])],
            feet: [toes(0.05, 0.03, off - 0.40, 1.2), toes(-0.06, 0.14, off - 0.34, 1.4)],
        },
        Key {
            t: lands,
            hips: Vec3::new(0.0, low, far),
            pelvis: tilt(1.30, 0.0, 0.0),
            chest: tilt(1.32, 0.0, 0.0),
            head: tilt(0.55, 0.0, 0.0),
            hands: [held(1.0, [0.09, 0.16, 0.27]), held(-1.0, [0.09, 0.15, 0.28])],
            feet: [toes(0.06, 0.11, far - 0.52, 1.9), toes(-0.06, 0.15, far - 0.50, 1.9)],
        },
        Key {
            t: lands + 0.12,
            hips: Vec3::new(0.0, 0.0, down),
            pelvis: tilt(1.46, 0.0, 0.0),
            chest: tilt(1.40, 0.0, 0.0),
            head: tilt(0.85, 0.0, 0.1),
            hands: [held(1.0, [0.06, 0.12, 0.20]), held(-1.0, [0.05, 0.10, 0.20])],
            feet: [toes(0.065, 0.11, down - 0.53, 2.0), toes(-0.065, 0.09, down - 0.53, 2.0)],
        },
        Key {
            t: lands + 0.34,
            hips: Vec3::new(0.0, -0.03, slides - 0.03),
            pelvis: tilt(1.52, 0.0, 0.0),
            chest: tilt(1.50, 0.0, 0.0),
            head: tilt(1.10, 0.0, 0.3),
            hands: floor(slides + 0.32),
            feet: [toes(0.07, 0.04, slides - 0.55, 1.9), toes(-0.07, 0.04, slides - 0.55, 1.9)],
        },
    ];
    // Feet push where they are; the body turns into the dive.
    let turned = |(k, key): (usize, Key)| key.turned(if k == 0 { 0.5 * dive.yaw } else { dive.yaw }, 1.0);
    let hips = Vec3::new(libm::sinf(dive.yaw), 0.0, libm::cosf(dive.yaw)) * slides;
    Way {
        keys: keys.into_iter().enumerate().map(turned).collect(),
        keeps: [1, 1],
        flies: Some(TAKE_OFF),
        down: lands,
        still: lands + 0.62,
        lies: Lie::Prone,
        hips,
        yaw: dive.yaw,
    }
}

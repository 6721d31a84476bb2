//! Forwards: doubled over, the knees give, knees and hands meet the floor; up over one foot.

use glam::Vec3;
use randori_motion::Ground;

use super::super::keys::{Foot, Key};
use super::{Course, guard_left, guard_right, held, lifted, on_floor, stands, tilt};

/// The keys for somebody with the left side ahead.
pub(super) fn course(lies: f32) -> Course {
    // Knees apart, so that there is room for the trunk between them.
    let kneels = |x: f32, z: f32| Foot { knee: Vec3::new(4.0 * x, -0.5, 1.0), ..stands(x, z, 0.0, 1.25) };
    let right_knee = Foot { sole: tilt(0.0, 0.0, -0.5), ..kneels(-0.068, -0.165) };
    let all_fours = [on_floor(1.0, 0.15, 0.31), on_floor(-1.0, -0.15, 0.29)];
    let mut keys = vec![
        Key {
            t: 0.10,
            hips: Vec3::new(0.0, 0.50, -0.02),
            pelvis: tilt(0.18, 0.0, -0.42),
            chest: tilt(0.5, 0.0, -0.5),
            head: tilt(0.2, 0.0, -0.2),
            hands: [held(1.0, [0.08, -0.04, 0.18]), held(-1.0, [0.06, -0.06, 0.16])],
            feet: [guard_left(), guard_right()],
        },
        Key {
            t: 0.26,
            hips: Vec3::new(0.0, 0.47, -0.035),
            pelvis: tilt(0.32, 0.0, -0.38),
            chest: tilt(0.78, 0.0, -0.4),
            head: tilt(0.75, 0.0, -0.2),
            hands: [held(1.0, [0.05, -0.20, 0.15]), held(-1.0, [0.04, -0.23, 0.14])],
            feet: [guard_left(), guard_right()],
        },
        Key {
            t: 0.46,
            hips: Vec3::new(0.0, 0.40, 0.0),
            pelvis: tilt(0.3, 0.0, -0.3),
            chest: tilt(0.8, 0.0, -0.28),
            head: tilt(0.9, 0.0, -0.1),
            hands: [held(1.0, [0.05, -0.22, 0.15]), held(-1.0, [0.04, -0.24, 0.14])],
            feet: [
                Foot { heel: 0.5, ..guard_left() },
                Foot { heel: 0.9, sole: tilt(0.0, 0.0, -0.7), ..guard_right() },
            ],
        },
        Key {
            t: 0.56,
            hips: Vec3::new(0.0, 0.33, 0.02),
            pelvis: tilt(0.3, 0.0, -0.22),
            chest: tilt(0.75, 0.0, -0.2),
            head: tilt(0.8, 0.0, 0.0),
            hands: [held(1.0, [0.09, -0.20, 0.18]), held(-1.0, [0.09, -0.22, 0.18])],
            feet: [
                lifted([0.07, 0.04, 0.04], tilt(0.7, 0.0, -0.15), [0.25, -0.2, 1.0]),
                Foot { heel: 1.1, ..right_knee },
            ],
        },
        Key {
            t: 0.66,
            hips: Vec3::new(0.0, 0.275, 0.02),
            pelvis: tilt(0.4, 0.0, -0.1),
            chest: tilt(0.85, 0.0, -0.1),
            head: tilt(0.7, 0.0, 0.0),
            hands: [held(1.0, [0.14, -0.08, 0.24]), held(-1.0, [0.14, -0.10, 0.24])],
            feet: [kneels(0.07, -0.18), right_knee],
        },
        Key {
            t: 0.80,
            hips: Vec3::new(0.0, 0.265, 0.01),
            pelvis: tilt(0.95, 0.0, 0.0),
            chest: tilt(1.38, 0.0, 0.0),
            head: tilt(0.8, 0.0, 0.0),
            hands: all_fours,
            feet: [kneels(0.07, -0.18), right_knee],
        },
        Key {
            t: 0.98,
            hips: Vec3::new(0.0, 0.225, -0.06),
            pelvis: tilt(1.1, 0.0, 0.0),
            chest: tilt(1.62, 0.0, 0.0),
            head: tilt(1.35, 0.0, 0.0),
            hands: all_fours,
            feet: [kneels(0.07, -0.18), right_knee],
        },
        Key {
            t: 1.2,
            hips: Vec3::new(0.0, 0.20, -0.09),
            pelvis: tilt(1.05, 0.0, 0.0),
            chest: tilt(1.50, 0.0, 0.0),
            head: tilt(1.65, 0.05, 0.1),
            hands: all_fours,
            feet: [kneels(0.07, -0.18), right_knee],
        },
    ];
    let still = 1.35;
    let rest = Key { t: still, head: tilt(1.7, -0.05, 0.05), ..keys[keys.len() - 1] };
    keys.push(rest);
    let rises = still + lies;
    keys.push(Key { t: rises, head: tilt(1.6, -0.1, -0.1), ..rest });
    let up = |t: f32| rises + t;
    let foot_ahead = Foot { knee: Vec3::new(0.0, 0.5, 1.0), ..stands(0.068, 0.165, -0.25, 0.0) };
    let right_foot = Foot { sole: tilt(0.0, 0.0, -0.6), ..right_knee };
    keys.extend([
        Key {
            t: up(0.30),
            hips: Vec3::new(-0.01, 0.265, -0.02),
            pelvis: tilt(1.0, -0.05, -0.05),
            chest: tilt(1.36, -0.08, -0.05),
            head: tilt(0.8, 0.0, 0.0),
            hands: all_fours,
            feet: [kneels(0.07, -0.18), right_knee],
        },
        Key {
            t: up(0.56),
            hips: Vec3::new(-0.01, 0.285, 0.0),
            pelvis: tilt(0.65, -0.06, -0.1),
            chest: tilt(1.08, -0.14, -0.1),
            head: tilt(0.4, 0.0, 0.0),
            hands: [held(1.0, [0.13, -0.19, 0.20]), all_fours[1]],
            feet: [lifted([0.085, 0.06, 0.03], tilt(0.1, 0.0, -0.15), [0.2, 0.2, 1.0]), right_knee],
        },
        Key {
            t: up(0.80),
            hips: Vec3::new(0.0, 0.295, 0.01),
            pelvis: tilt(0.4, 0.0, -0.2),
            chest: tilt(0.64, 0.0, -0.25),
            head: tilt(0.18, 0.0, 0.0),
            hands: [held(1.0, [0.12, -0.19, 0.20]), held(-1.0, [0.12, -0.20, 0.19])],
            feet: [foot_ahead, right_foot],
        },
        Key {
            t: up(1.12),
            hips: Vec3::new(0.0, 0.41, 0.015),
            pelvis: tilt(0.26, 0.0, -0.35),
            chest: tilt(0.46, 0.0, -0.45),
            head: tilt(0.12, 0.0, -0.05),
            hands: [held(1.0, [0.09, -0.05, 0.19]), held(-1.0, [0.08, -0.06, 0.17])],
            feet: [foot_ahead, Foot { heel: 0.8, sole: tilt(0.0, 0.0, -0.75), ..right_foot }],
        },
    ]);
    Course { keys, down: 0.66, still, rises, up: up(1.55), ends: Ground { x: 0.0, z: 0.0 } }
}

//! Backwards: a step that comes too late, the seat, the back; up over one hand and a squat.

use glam::Vec3;
use randori_motion::Ground;

use super::super::keys::{Foot, Key};
use super::{Course, guard_left, guard_right, held, lifted, on_floor, stands, thrown, tilt};

/// The keys for somebody with the left side ahead.
pub(super) fn course(lies: f32) -> Course {
    let knee_up = |foot: Foot, knee: [f32; 3]| Foot { knee: Vec3::from_array(knee), ..foot };
    let seat = stands(-0.085, -0.19, -0.25, 0.0);
    let mut keys = vec![
        Key {
            t: 0.08,
            hips: Vec3::new(0.0, 0.503, -0.005),
            pelvis: tilt(0.05, 0.0, -0.42),
            chest: tilt(0.08, 0.0, -0.5),
            head: tilt(-0.65, 0.0, -0.1),
            hands: [held(1.0, [0.09, 0.0, 0.17]), held(-1.0, [0.05, 0.0, 0.15])],
            feet: [guard_left(), guard_right()],
        },
        Key {
            t: 0.20,
            hips: Vec3::new(0.0, 0.497, -0.045),
            pelvis: tilt(-0.06, 0.0, -0.4),
            chest: tilt(-0.27, 0.0, -0.45),
            head: tilt(-1.0, 0.0, -0.1),
            hands: [held(1.0, [0.15, 0.02, 0.22]), held(-1.0, [0.13, -0.02, 0.20])],
            feet: [guard_left(), guard_right()],
        },
        Key {
            t: 0.32,
            hips: Vec3::new(-0.005, 0.478, -0.115),
            pelvis: tilt(-0.12, 0.0, -0.38),
            chest: tilt(-0.38, 0.0, -0.4),
            head: tilt(-0.95, 0.0, -0.1),
            hands: [thrown(1.0, [0.20, 0.02, 0.22]), thrown(-1.0, [0.18, -0.02, 0.18])],
            feet: [guard_left(), lifted([-0.075, 0.035, -0.25], tilt(0.1, 0.0, -0.7), [-0.3, 0.0, 1.0])],
        },
        Key {
            t: 0.44,
            hips: Vec3::new(-0.01, 0.43, -0.21),
            pelvis: tilt(-0.18, 0.0, -0.35),
            chest: tilt(-0.45, 0.0, -0.35),
            head: tilt(-0.75, 0.0, -0.1),
            hands: [thrown(1.0, [0.25, 0.0, 0.20]), thrown(-1.0, [0.23, -0.06, 0.12])],
            feet: [
                lifted([0.068, 0.005, 0.165], tilt(-0.12, 0.0, -0.3), [0.0, 0.0, 1.0]),
                stands(-0.08, -0.33, -0.5, 0.1),
            ],
        },
        Key {
            t: 0.60,
            hips: Vec3::new(-0.01, 0.29, -0.37),
            pelvis: tilt(-0.28, 0.0, -0.3),
            chest: tilt(-0.52, 0.0, -0.25),
            head: tilt(-0.35, 0.0, -0.1),
            hands: [thrown(1.0, [0.26, -0.12, 0.06]), thrown(-1.0, [0.25, -0.20, -0.02])],
            feet: [
                lifted([0.07, 0.05, 0.16], tilt(-0.45, 0.0, -0.3), [0.1, 0.2, 1.0]),
                knee_up(stands(-0.08, -0.33, -0.5, 0.35), [-0.3, 0.4, 1.0]),
            ],
        },
        Key {
            t: 0.73,
            hips: Vec3::new(-0.01, 0.10, -0.46),
            pelvis: tilt(-0.6, 0.0, -0.25),
            chest: tilt(-0.68, 0.0, -0.2),
            head: tilt(-0.3, 0.0, -0.1),
            hands: [on_floor(1.0, 0.21, -0.64), on_floor(-1.0, -0.23, -0.62)],
            feet: [
                lifted([0.08, 0.12, 0.07], tilt(-0.6, 0.0, -0.3), [0.1, 0.4, 1.0]),
                knee_up(stands(-0.08, -0.30, -0.4, 0.2), [-0.3, 0.6, 1.0]),
            ],
        },
        Key {
            t: 0.82,
            hips: Vec3::new(-0.01, -0.03, -0.49),
            pelvis: tilt(-1.0, 0.0, -0.2),
            chest: tilt(-0.95, 0.0, -0.15),
            head: tilt(-0.5, 0.0, -0.1),
            hands: [on_floor(1.0, 0.22, -0.65), on_floor(-1.0, -0.24, -0.63)],
            feet: [
                lifted([0.085, 0.19, 0.01], tilt(-0.8, 0.0, -0.3), [0.1, 0.6, 1.0]),
                knee_up(
                    lifted([-0.085, 0.03, -0.26], tilt(-0.2, 0.0, -0.4), [-0.2, 0.8, 1.0]),
                    [-0.2, 0.8, 1.0],
                ),
            ],
        },
        Key {
            t: 0.99,
            hips: Vec3::new(0.0, -0.03, -0.50),
            pelvis: tilt(-1.5, 0.0, -0.12),
            chest: tilt(-1.52, 0.0, -0.08),
            head: tilt(-1.15, 0.0, -0.1),
            hands: [on_floor(1.0, 0.31, -0.80), on_floor(-1.0, -0.32, -0.82)],
            feet: [
                lifted([0.09, 0.24, -0.06], tilt(-0.95, 0.0, -0.2), [0.1, 1.0, 0.8]),
                lifted([-0.085, 0.09, -0.20], tilt(-0.4, 0.0, -0.3), [-0.2, 1.0, 0.8]),
            ],
        },
        Key {
            t: 1.20,
            hips: Vec3::new(0.0, -0.03, -0.50),
            pelvis: tilt(-1.5, 0.0, -0.1),
            chest: tilt(-1.55, 0.0, -0.05),
            head: tilt(-1.5, 0.0, 0.1),
            hands: [on_floor(1.0, 0.33, -0.79), on_floor(-1.0, -0.33, -0.84)],
            feet: [
                lifted([0.10, 0.07, -0.01], tilt(-1.2, 0.3, -0.1), [0.3, 1.0, 0.3]),
                knee_up(seat, [-0.2, 1.0, 0.6]),
            ],
        },
    ];
    let still = 1.42;
    let rest = Key { t: still, head: tilt(-1.48, 0.0, 0.25), ..keys[keys.len() - 1] };
    keys.push(rest);
    let rises = still + lies;
    keys.push(Key { t: rises, ..rest });
    let planted = stands(0.09, -0.14, -0.2, 0.0);
    let drawn_in = stands(-0.085, -0.26, -0.35, 0.0);
    let up = |t: f32| rises + t;
    keys.extend([
        Key {
            t: up(0.32),
            hips: Vec3::new(0.0, -0.02, -0.50),
            pelvis: tilt(-1.2, -0.12, -0.12),
            chest: tilt(-0.95, -0.28, -0.2),
            head: tilt(-0.45, -0.1, 0.0),
            hands: [held(1.0, [0.16, -0.10, 0.20]), on_floor(-1.0, -0.27, -0.74)],
            feet: [
                lifted([0.10, 0.06, -0.08], tilt(-0.4, 0.0, -0.15), [0.3, 1.0, 0.5]),
                knee_up(seat, [-0.3, 1.0, 0.6]),
            ],
        },
        Key {
            t: up(0.62),
            hips: Vec3::new(0.0, -0.01, -0.475),
            pelvis: tilt(-0.5, -0.1, -0.15),
            chest: tilt(-0.02, -0.30, -0.3),
            head: tilt(0.15, -0.1, 0.0),
            hands: [held(1.0, [0.16, -0.20, 0.20]), on_floor(-1.0, -0.25, -0.62)],
            feet: [
                knee_up(planted, [0.2, 0.8, 1.0]),
                lifted([-0.085, 0.04, -0.23], tilt(0.1, 0.0, -0.3), [-0.4, 0.8, 1.0]),
            ],
        },
        Key {
            t: up(0.94),
            hips: Vec3::new(0.0, 0.15, -0.40),
            pelvis: tilt(0.35, -0.08, -0.2),
            chest: tilt(0.70, -0.2, -0.3),
            head: tilt(0.25, -0.05, -0.1),
            hands: [held(1.0, [0.14, -0.17, 0.22]), on_floor(-1.0, -0.24, -0.52)],
            feet: [knee_up(planted, [0.25, 0.4, 1.0]), knee_up(drawn_in, [-0.5, 0.4, 1.0])],
        },
        Key {
            t: up(1.22),
            hips: Vec3::new(0.0, 0.27, -0.315),
            pelvis: tilt(0.48, -0.03, -0.3),
            chest: tilt(0.74, -0.06, -0.4),
            head: tilt(0.2, 0.0, -0.1),
            hands: [held(1.0, [0.12, -0.12, 0.22]), held(-1.0, [0.13, -0.20, 0.16])],
            feet: [knee_up(planted, [0.2, 0.2, 1.0]), knee_up(drawn_in, [-0.4, 0.2, 1.0])],
        },
        Key {
            t: up(1.45),
            hips: Vec3::new(0.02, 0.37, -0.28),
            pelvis: tilt(0.35, 0.02, -0.38),
            chest: tilt(0.58, 0.0, -0.48),
            head: tilt(0.15, 0.0, -0.1),
            hands: [held(1.0, [0.09, -0.05, 0.20]), held(-1.0, [0.08, -0.10, 0.16])],
            feet: [planted, lifted([-0.075, 0.05, -0.37], tilt(0.2, 0.0, -0.6), [-0.4, 0.0, 1.0])],
        },
        Key {
            t: up(1.66),
            hips: Vec3::new(0.0, 0.45, -0.295),
            pelvis: tilt(0.18, 0.0, -0.42),
            chest: tilt(0.38, 0.0, -0.53),
            head: tilt(0.14, 0.0, -0.05),
            hands: [held(1.0, [0.08, -0.02, 0.18]), held(-1.0, [0.06, -0.03, 0.15])],
            feet: [stands(0.09, -0.14, -0.25, 0.05), stands(-0.055, -0.46, -0.85, 0.4)],
        },
    ]);
    Course { keys, down: 0.82, still, rises, up: up(2.05), ends: Ground { x: 0.018, z: -0.30 } }
}

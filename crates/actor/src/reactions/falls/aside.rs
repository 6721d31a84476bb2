//! To one side: over the outer foot onto hip and shoulder; up over hands, knees and one foot.

use glam::Vec3;
use randori_motion::Ground;

use super::super::keys::{Foot, Key};
use super::{Course, guard_left, guard_right, held, lifted, on_floor, stands, thrown, tilt};

/// To the right, with the left side ahead or the right one.
pub(super) fn course(left_ahead: bool, lies: f32) -> Course {
    let turn = if left_ahead { -1.0 } else { 1.0 };
    let [left, right] = if left_ahead {
        [guard_left(), guard_right()]
    } else {
        [stands(0.068, -0.165, 0.85, 0.4), stands(-0.068, 0.165, 0.3, 0.1)]
    };
    let on_edge = |ball: [f32; 3], over: f32| lifted(ball, tilt(0.0, over, 0.1 * turn), [-0.1, 0.2, 1.0]);
    let [left_z, right_z] = [left.ball.z, right.ball.z];
    let mut keys = vec![
        Key {
            t: 0.08,
            hips: Vec3::new(-0.01, 0.503, 0.0),
            pelvis: tilt(0.08, -0.02, 0.42 * turn),
            chest: tilt(0.2, -0.08, 0.5 * turn),
            head: tilt(0.1, -0.55, -0.5),
            hands: [held(1.0, [0.08, 0.0, 0.17]), held(-1.0, [0.06, 0.0, 0.15])],
            feet: [left, right],
        },
        Key {
            t: 0.21,
            hips: Vec3::new(-0.065, 0.50, 0.0),
            pelvis: tilt(0.06, -0.10, 0.36 * turn),
            chest: tilt(0.12, -0.36, 0.4 * turn - 0.15),
            head: tilt(0.1, -0.85, -0.6),
            hands: [held(1.0, [0.16, 0.0, 0.17]), held(-1.0, [0.10, -0.02, 0.15])],
            feet: [left, right],
        },
        Key {
            t: 0.40,
            hips: Vec3::new(-0.20, 0.46, 0.0),
            pelvis: tilt(0.08, -0.30, 0.25 * turn),
            chest: tilt(0.10, -0.66, 0.25 * turn - 0.1),
            head: tilt(0.1, -0.85, -0.3),
            hands: [thrown(1.0, [0.29, 0.03, 0.07]), thrown(-1.0, [0.20, -0.16, 0.12])],
            feet: [Foot { heel: 0.6, ..left }, Foot { heel: 0.1, ..right }],
        },
        Key {
            t: 0.56,
            hips: Vec3::new(-0.35, 0.33, 0.015),
            pelvis: tilt(0.12, -0.62, 0.15 * turn),
            chest: tilt(0.12, -0.86, 0.15 * turn),
            head: tilt(0.1, -0.6, -0.2),
            hands: [thrown(1.0, [0.31, 0.08, 0.08]), thrown(-1.0, [0.22, -0.22, 0.10])],
            feet: [
                lifted([0.05, 0.06, 0.85 * left_z], tilt(0.15, -0.3, 0.4 * turn), [0.1, 0.1, 1.0]),
                Foot { sole: tilt(0.0, -0.2, 0.7 * turn), knee: Vec3::new(-0.2, 0.1, 1.0), ..right },
            ],
        },
        Key {
            t: 0.70,
            hips: Vec3::new(-0.46, 0.14, 0.025),
            pelvis: tilt(0.1, -1.0, 0.05 * turn),
            chest: tilt(0.15, -0.98, 0.05 * turn),
            head: tilt(0.1, -0.6, -0.1),
            hands: [thrown(1.0, [0.27, -0.02, 0.16]), on_floor(-1.0, -0.74, 0.12)],
            feet: [
                lifted([-0.02, 0.16, 0.5 * left_z + 0.06], tilt(0.0, -0.8, 0.2 * turn), [0.0, 0.2, 1.0]),
                on_edge([-0.09, 0.05, 0.7 * right_z + 0.02], -0.6),
            ],
        },
        Key {
            t: 0.80,
            hips: Vec3::new(-0.495, -0.03, 0.03),
            pelvis: tilt(0.05, -1.3, 0.0),
            chest: tilt(0.1, -1.16, 0.0),
            head: tilt(0.1, -0.75, 0.0),
            hands: [held(1.0, [0.18, -0.14, 0.24]), on_floor(-1.0, -0.76, 0.15)],
            feet: [
                on_edge([-0.08, 0.20, 0.3 * left_z + 0.10], -1.1),
                on_edge([-0.12, 0.07, 0.4 * right_z + 0.04], -1.1),
            ],
        },
        Key {
            t: 0.97,
            hips: Vec3::new(-0.50, -0.03, 0.03),
            pelvis: tilt(0.05, -1.42, 0.0),
            chest: tilt(0.08, -1.40, 0.0),
            head: tilt(0.1, -1.15, 0.05),
            hands: [on_floor(1.0, -0.68, 0.25), on_floor(-1.0, -0.80, 0.22)],
            feet: [on_edge([-0.12, 0.17, 0.15], -1.25), on_edge([-0.15, 0.05, 0.06], -1.3)],
        },
        Key {
            t: 1.18,
            hips: Vec3::new(-0.50, -0.03, 0.03),
            pelvis: tilt(0.08, -1.42, -0.05),
            chest: tilt(0.12, -1.42, -0.05),
            head: tilt(0.15, -1.42, 0.0),
            hands: [on_floor(1.0, -0.66, 0.25), on_floor(-1.0, -0.81, 0.24)],
            feet: [on_edge([-0.13, 0.08, 0.18], -1.25), on_edge([-0.16, 0.0, 0.07], -1.3)],
        },
    ];
    let still = 1.36;
    let rest = Key { t: still, ..keys[keys.len() - 1] };
    keys.push(rest);
    let rises = still + lies;
    keys.push(Key { t: rises, ..rest });
    let up = |t: f32| rises + t;
    let crawl = |x: f32| Foot { knee: Vec3::new(0.2, -0.6, 1.0), ..stands(x, -0.20, 0.0, 1.25) };
    let hands = [on_floor(1.0, -0.52, 0.30), on_floor(-1.0, -0.68, 0.24)];
    let all_fours = [on_floor(1.0, -0.29, 0.30), on_floor(-1.0, -0.52, 0.29)];
    let ahead = |x: f32, twist: f32| Foot { knee: Vec3::new(0.0, 0.5, 1.0), ..stands(x, 0.165, twist, 0.0) };
    let stepped = if left_ahead {
        [ahead(-0.337, -0.25), Foot { sole: tilt(0.0, 0.0, -0.4), ..crawl(-0.47) }]
    } else {
        [Foot { sole: tilt(0.0, 0.0, 0.4), ..crawl(-0.337) }, ahead(-0.47, 0.25)]
    };
    let stepping = if left_ahead {
        [lifted([-0.32, 0.06, 0.02], tilt(0.1, 0.0, -0.15), [0.2, 0.2, 1.0]), crawl(-0.47)]
    } else {
        [crawl(-0.337), lifted([-0.49, 0.06, 0.02], tilt(0.1, 0.0, 0.15), [-0.2, 0.2, 1.0])]
    };
    keys.extend([
        Key {
            t: up(0.34),
            hips: Vec3::new(-0.48, -0.02, 0.03),
            pelvis: tilt(0.35, -1.05, -0.1),
            chest: tilt(0.55, -0.88, -0.15),
            head: tilt(0.4, -0.5, 0.0),
            hands,
            feet: [on_edge([-0.20, 0.10, 0.06], -0.9), on_edge([-0.22, 0.07, -0.04], -1.0)],
        },
        Key {
            t: up(0.62),
            hips: Vec3::new(-0.43, 0.17, 0.01),
            pelvis: tilt(0.75, -0.55, -0.1),
            chest: tilt(1.15, -0.50, -0.1),
            head: tilt(0.6, -0.2, 0.0),
            hands: [all_fours[0], hands[1]],
            feet: [
                lifted([-0.29, 0.07, -0.10], tilt(0.9, -0.4, 0.0), [0.4, -0.2, 0.9]),
                lifted([-0.38, 0.05, -0.15], tilt(1.0, -0.4, 0.0), [0.6, -0.2, 0.8]),
            ],
        },
        Key {
            t: up(0.88),
            hips: Vec3::new(-0.405, 0.28, 0.0),
            pelvis: tilt(1.2, -0.08, 0.0),
            chest: tilt(1.52, -0.08, 0.0),
            head: tilt(0.7, 0.0, 0.0),
            hands: all_fours,
            feet: [crawl(-0.337), crawl(-0.47)],
        },
        Key {
            t: up(1.10),
            hips: Vec3::new(-0.405, 0.285, -0.01),
            pelvis: tilt(1.0, 0.0, 0.1 * turn),
            chest: tilt(1.38, 0.0, 0.1 * turn),
            head: tilt(0.45, 0.0, 0.0),
            hands: all_fours,
            feet: stepping,
        },
        Key {
            t: up(1.32),
            hips: Vec3::new(-0.405, 0.295, 0.0),
            pelvis: tilt(0.42, 0.0, 0.2 * turn),
            chest: tilt(0.68, 0.0, 0.25 * turn),
            head: tilt(0.25, 0.0, 0.0),
            hands: [held(1.0, [0.12, -0.19, 0.20]), held(-1.0, [0.12, -0.20, 0.19])],
            feet: stepped,
        },
        Key {
            t: up(1.62),
            hips: Vec3::new(-0.405, 0.41, 0.01),
            pelvis: tilt(0.28, 0.0, 0.35 * turn),
            chest: tilt(0.48, 0.0, 0.45 * turn),
            head: tilt(0.15, 0.0, 0.05 * turn),
            hands: [held(1.0, [0.09, -0.06, 0.18]), held(-1.0, [0.09, -0.07, 0.17])],
            feet: stepped,
        },
    ]);
    Course { keys, down: 0.80, still, rises, up: up(2.05), ends: Ground { x: -0.405, z: 0.0 } }
}

//! Dynamics against reference values of another library (see `data/README.md`), and against themselves.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests fail by panicking and speak by printing")]

use glam::DVec3;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_wholebody::dynamics::{self, Workspace};
use randori_wholebody::model::{JointKind, JointSpec, Model, ModelBuilder};
use randori_wholebody::report::dynamics_report;
use randori_wholebody::spatial::{Inertia, Pose};
use randori_wholebody::{humanoid, urdf};
use serde_json::Value;

/// Largest difference between two JSON trees, over the keys of `expected` that hold numbers.
fn distance(found: &Value, expected: &Value, path: &str, worst: &mut (f64, String)) {
    match (found, expected) {
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{path}");
            for (idx, (a, b)) in a.iter().zip(b).enumerate() {
                distance(a, b, &format!("{path}[{idx}]"), worst);
            }
        }
        (Value::Object(a), Value::Object(b)) => {
            for (key, b) in b {
                distance(&a[key], b, &format!("{path}.{key}"), worst);
            }
        }
        (Value::Number(a), Value::Number(b)) => {
            let off = (a.as_f64().unwrap() - b.as_f64().unwrap()).abs();
            if off > worst.0 {
                *worst = (off, path.into());
            }
        }
        (Value::String(a), Value::String(b)) => assert_eq!(a, b, "{path}"),
        _ => panic!("{path}: {found} is not like {expected}"),
    }
}

#[track_caller]
fn check(urdf: &str, reference: &str) -> f64 {
    let report = serde_json::to_value(dynamics_report(urdf, reference).unwrap()).unwrap();
    let expected: Value = serde_json::from_str(reference).unwrap();
    let mut worst = (0.0, String::new());
    for key in ["nq", "nv", "mass", "dof_names", "states"] {
        distance(&report[key], &expected[key], key, &mut worst);
    }
    assert!(worst.0 < 1e-9, "{} at {}", worst.0, worst.1);
    worst.0
}

#[test]
fn an_odd_robot_agrees_with_the_reference() {
    let robot = include_str!("data/odd.urdf");
    check(robot, include_str!("data/odd.floating.json"));
    check(robot, include_str!("data/odd.fixed.json"));
}

/// Other robots: `RANDORI_DYNAMICS` is a folder of pairs NAME.urdf, NAME.json.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test may read files it is pointed to")]
fn robots_outside_the_repository_agree_with_the_reference() {
    let Ok(folder) = std::env::var("RANDORI_DYNAMICS") else {
        eprintln!("SKIPPED: RANDORI_DYNAMICS names no folder; this test checked NOTHING");
        return;
    };
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|e| e == "urdf")) {
        let read = |extension| std::fs::read_to_string(path.with_extension(extension)).unwrap();
        eprintln!("{}: {:e}", path.display(), check(&read("urdf"), &read("json")));
    }
}

fn random_state(model: &Model, rng: &mut ChaCha8Rng) -> (Vec<f64>, Vec<f64>) {
    let mut q = model.neutral();
    let step: Vec<f64> = (0..model.n_v).map(|_| rng.random_range(-1.0..1.0)).collect();
    model.integrate(&mut q, &step);
    (q, (0..model.n_v).map(|_| rng.random_range(-1.0..1.0)).collect())
}

/// A tree with spherical and floating joints in its middle, which URDF readers rarely have.
fn juggler() -> Model {
    let mut builder = ModelBuilder::new("juggler");
    let lump = |m: f64| {
        Inertia::of_box(m, DVec3::new(0.3, 0.1, 0.2))
            .seen_from(&Pose::from_translation(DVec3::new(0.1, -0.2, 0.05)))
    };
    let base =
        builder.add_body(None, "base", JointSpec::new("base", JointKind::Spherical), lump(4.0)).unwrap();
    let place = Pose::from_translation(DVec3::new(0.3, 0.1, -0.2));
    let arm = builder
        .add_body(Some(base), "arm", JointSpec::new("arm", JointKind::Spherical).at(place), lump(2.0))
        .unwrap();
    builder
        .add_body(Some(arm), "ball", JointSpec::new("ball", JointKind::Floating).at(place), lump(1.0))
        .unwrap();
    let slide = JointSpec::new("slide", JointKind::Prismatic(DVec3::new(0.6, 0.8, 0.0))).at(place);
    builder.add_body(Some(base), "slide", slide, lump(1.5)).unwrap();
    builder.build().unwrap()
}

/// A floating base with two arms that were built in turns: what lies beyond a joint is not all in one piece.
fn weaver() -> Model {
    let mut builder = ModelBuilder::new("weaver");
    let lump = Inertia::of_box(1.0, DVec3::new(0.2, 0.1, 0.3))
        .seen_from(&Pose::from_translation(DVec3::new(0.05, -0.1, 0.02)));
    let mut tips =
        [builder.add_body(None, "base", JointSpec::new("base", JointKind::Floating), lump).unwrap(); 2];
    for (idx, axis) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate() {
        for (side, tip) in tips.iter_mut().enumerate() {
            let name = format!("{side}.{idx}");
            let place = Pose::from_translation(DVec3::new(0.2 - 0.4 * side as f64, 0.1, 0.05));
            let joint = JointSpec::new(&name, JointKind::Revolute(axis)).at(place);
            *tip = builder.add_body(Some(*tip), &name, joint, lump).unwrap();
        }
    }
    builder.build().unwrap()
}

fn models() -> Vec<Model> {
    let options = urdf::UrdfOptions::default();
    let odd = urdf::read_urdf(include_str!("data/odd.urdf"), &options).unwrap().model;
    vec![humanoid::person(), juggler(), weaver(), odd]
}

#[test]
fn velocities_and_biases_are_derivatives() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let eps = 1e-6;
    for model in models() {
        let (q, v) = random_state(&model, &mut rng);
        let step = |sign: f64| {
            let mut moved = q.clone();
            model.integrate(&mut moved, &v.iter().map(|x| sign * eps * x).collect::<Vec<_>>());
            let mut ws = Workspace::new(&model);
            dynamics::update(&model, &mut ws, &moved, &v);
            dynamics::mass_matrix(&model, &mut ws);
            dynamics::nonlinear_terms(&model, &mut ws, DVec3::ZERO);
            ws
        };
        let (before, now, after) = (step(-1.0), step(0.0), step(1.0));
        let slope = |a: DVec3, b: DVec3| (b - a) / (2.0 * eps);
        for idx in 0..model.frames.len() {
            let frame = randori_wholebody::model::FrameId(idx as u32);
            let place = |ws: &Workspace| dynamics::frame_pose(&model, ws, frame).translation;
            let speed = |ws: &Workspace| dynamics::frame_velocity(&model, ws, frame);
            let (velocity, bias) = (speed(&now), dynamics::frame_bias(&model, &now, frame));
            assert!((slope(place(&before), place(&after)) - velocity.linear).length() < 1e-7);
            assert!((slope(speed(&before).linear, speed(&after).linear) - bias.linear).length() < 1e-7);
            assert!((slope(speed(&before).angular, speed(&after).angular) - bias.angular).length() < 1e-7);
            let mut jacobian = vec![0.0; 6 * model.n_v];
            dynamics::frame_jacobian(&model, &now, frame, &mut jacobian);
            for (row, expected) in jacobian.chunks(model.n_v).zip(velocity.to_array()) {
                let found: f64 = row.iter().zip(&v).map(|(a, b)| a * b).sum();
                assert!((found - expected).abs() < 1e-12);
            }
        }
        let center = |ws: &Workspace| dynamics::center_of_mass(&model, ws);
        assert!(
            (slope(center(&before).position, center(&after).position) - center(&now).velocity).length()
                < 1e-7
        );
        assert!(
            (slope(center(&before).velocity, center(&after).velocity) - center(&now).bias).length() < 1e-7
        );
        let mut matrix = vec![0.0; 6 * model.n_v];
        dynamics::momentum_matrix(&model, &now, &mut matrix);
        let momentum = dynamics::momentum(&model, &now);
        let expected = momentum.linear.to_array().into_iter().chain(momentum.angular.to_array());
        for (row, expected) in matrix.chunks(model.n_v).zip(expected) {
            let found: f64 = row.iter().zip(&v).map(|(a, b)| a * b).sum();
            assert!((found - expected).abs() < 1e-11);
        }
    }
}

#[test]
fn jacobian_rates_are_derivatives() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let eps = 1e-6;
    for model in models() {
        let (q, v) = random_state(&model, &mut rng);
        let mut ws = Workspace::new(&model);
        for frame in 0..model.frames.len() {
            let frame = randori_wholebody::model::FrameId(frame as u32);
            let body = model.frames[frame.idx()].body;
            let mut jacobian_at = |time: f64| {
                let mut moved = q.clone();
                model.integrate(&mut moved, &v.iter().map(|x| time * x).collect::<Vec<_>>());
                dynamics::place(&model, &mut ws, &moved);
                let mut jacobian = vec![0.0; 6 * model.n_v];
                dynamics::frame_jacobian(&model, &ws, frame, &mut jacobian);
                jacobian
            };
            let (before, after) = (jacobian_at(-eps), jacobian_at(eps));
            dynamics::place(&model, &mut ws, &q);
            dynamics::set_in_motion(&model, &mut ws, &v);
            dynamics::jacobian_rates(&model, &mut ws);
            let at = dynamics::frame_pose(&model, &ws, frame).translation;
            let mut rate = vec![0.0; 6 * model.n_v];
            dynamics::point_jacobian_rate(&model, &ws, body, at, &mut rate);
            for (rate, (before, after)) in rate.iter().zip(before.iter().zip(&after)) {
                assert!((rate - (after - before) / (2.0 * eps)).abs() < 1e-8);
            }
            let bias = dynamics::point_bias(&ws, body, at).to_array();
            for (row, expected) in rate.chunks(model.n_v).zip(bias) {
                let found: f64 = row.iter().zip(&v).map(|(a, b)| a * b).sum();
                assert!((found - expected).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn inverse_dynamics_is_mass_times_acceleration_plus_the_rest() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for model in models() {
        let (q, v) = random_state(&model, &mut rng);
        let a: Vec<f64> = (0..model.n_v).map(|_| rng.random_range(-5.0..5.0)).collect();
        let mut ws = Workspace::new(&model);
        dynamics::update(&model, &mut ws, &q, &v);
        dynamics::mass_matrix(&model, &mut ws);
        let gravity = DVec3::new(0.3, -9.81, 0.1);
        dynamics::nonlinear_terms(&model, &mut ws, gravity);
        let mut found = vec![0.0; model.n_v];
        dynamics::inverse_dynamics(&model, &mut ws, gravity, &a, &mut found);
        for (k, row) in ws.mass_matrix.chunks(model.n_v).enumerate() {
            let expected = ws.nonlinear[k] + row.iter().zip(&a).map(|(m, a)| m * a).sum::<f64>();
            assert!((found[k] - expected).abs() < 1e-10);
        }
    }
}

/// Accelerations of a free model from its mass matrix, by Gauss elimination.
fn accelerations(model: &Model, ws: &Workspace) -> Vec<f64> {
    let n = model.n_v;
    let mut m = ws.mass_matrix.clone();
    let mut x: Vec<f64> = ws.nonlinear.iter().map(|x| -x).collect();
    for k in 0..n {
        for row in k + 1..n {
            let factor = m[row * n + k] / m[k * n + k];
            for column in k..n {
                m[row * n + column] -= factor * m[k * n + column];
            }
            x[row] -= factor * x[k];
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| m[k * n + j] * x[j]).sum();
        x[k] = (x[k] - sum) / m[k * n + k];
    }
    x
}

#[test]
fn a_person_in_free_space_keeps_energy_and_momentum() {
    let model = humanoid::person();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let (mut q, mut v) = random_state(&model, &mut rng);
    let mut ws = Workspace::new(&model);
    let measure = |ws: &mut Workspace, q: &[f64], v: &[f64]| {
        dynamics::update(&model, ws, q, v);
        dynamics::mass_matrix(&model, ws);
        dynamics::nonlinear_terms(&model, ws, DVec3::ZERO);
        (dynamics::kinetic_energy(ws), dynamics::momentum(&model, ws))
    };
    let (energy, momentum) = measure(&mut ws, &q, &v);
    let dt = 2e-4;
    for _ in 0..500 {
        // Midpoint rule: second order, so the drift over a tenth of a second is small.
        measure(&mut ws, &q, &v);
        let a = accelerations(&model, &ws);
        let half_v: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v + 0.5 * dt * a).collect();
        let mut half_q = q.clone();
        model.integrate(&mut half_q, &v.iter().map(|v| 0.5 * dt * v).collect::<Vec<_>>());
        measure(&mut ws, &half_q, &half_v);
        let a = accelerations(&model, &ws);
        model.integrate(&mut q, &half_v.iter().map(|v| dt * v).collect::<Vec<_>>());
        v.iter_mut().zip(&a).for_each(|(v, a)| *v += dt * a);
    }
    let (energy_after, momentum_after) = measure(&mut ws, &q, &v);
    assert!((energy_after / energy - 1.0).abs() < 1e-5, "{energy} {energy_after}");
    assert!((momentum_after.linear - momentum.linear).length() < 1e-4, "{momentum:?} {momentum_after:?}");
    assert!((momentum_after.angular - momentum.angular).length() < 1e-4, "{momentum:?} {momentum_after:?}");
}

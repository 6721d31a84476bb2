//! Scenes step by step: contacts hold, limits hold, and what cannot be is explained.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests fail by panicking and speak by printing")]

use std::sync::Arc;

use glam::{DMat3, DVec3};
use randori_wholebody::humanoid;
use randori_wholebody::model::{JointKind, JointSpec, Limits, Model, ModelBuilder, Shape};
use randori_wholebody::qp::{DenseSolver, Status};
use randori_wholebody::scene::{
    CollisionPair, ContactArea, Controller, Feature, Obstacle, Scene, Softness, Subsystem, Task, Verdict,
};
use randori_wholebody::spatial::{Inertia, Pose};

const SOLE: ContactArea = ContactArea::Planar { half: [0.04, 0.1] };

/// A person with slightly bent knees whose soles are on the floor, at `x`, facing `yaw`.
fn add_person(scene: &mut Scene, name: &str, x: f64, yaw: f64, strength: f64) -> usize {
    let stature = humanoid::Stature { strength, ..humanoid::Stature::default() };
    let model = Arc::new(humanoid::person_of(name, stature).unwrap());
    let person = scene.add(Subsystem::new(name, Arc::clone(&model)));
    let mut set = |joint: &str, value: f64| {
        let joint = &model.joints[model.joint(joint).unwrap().idx()];
        scene.subsystems[person].q[joint.q_start] = value;
    };
    for side in ["left", "right"] {
        set(&format!("{side}_thigh_x"), -0.3);
        set(&format!("{side}_shank_x"), 0.6);
        set(&format!("{side}_foot_x"), -0.3);
        set(&format!("{side}_forearm_x"), -1.2);
    }
    let q = &mut scene.subsystems[person].q;
    q[0] = x;
    (q[4], q[6]) = ((0.5 * yaw).sin(), (0.5 * yaw).cos());
    let sole = scene.place(person, "left_sole").unwrap();
    let height = scene.pose_of(sole).translation.y;
    scene.subsystems[person].q[1] -= height;
    person
}

fn stand(scene: &mut Scene, person: usize) {
    for sole in ["left_sole", "right_sole"] {
        let place = scene.place(person, sole).unwrap();
        let pose = scene.pose_of(place);
        let name = format!("{} {sole}", scene.subsystems[person].name);
        let contact = scene.contact_here(name, place, None, pose, SOLE, 0.7);
        scene.contacts.push(contact);
    }
    let q = scene.subsystems[person].q.clone();
    scene.tasks.push(Task::new("posture", Feature::Posture { subsystem: person, q }, 1.0, 20.0));
    let position = scene.center_of(&[person]);
    let feature = Feature::CenterOfMass { subsystems: vec![person], position };
    scene.tasks.push(Task::new("balance", feature, 50.0, 20.0));
}

fn free_box(mass: f64, size: DVec3) -> Arc<Model> {
    let mut builder = ModelBuilder::new("box");
    let joint = JointSpec::new("box", JointKind::Floating).with_limits(Limits::PASSIVE);
    builder.add_body(None, "box", joint, Inertia::of_box(mass, size)).unwrap();
    Arc::new(builder.build().unwrap())
}

/// The block solver's result is also the dense solver's.
#[track_caller]
fn check_against_dense(controller: &mut Controller, scene: &Scene) {
    let outcome = controller.solve(scene);
    assert_eq!(outcome.verdict, Verdict::Solved, "{:?}", outcome.explanation.map(ToString::to_string));
    let qdd = outcome.solution.qdd.clone();
    let (dense, _) = controller.assembly.qp.to_dense();
    let mut solver = DenseSolver::default();
    assert_eq!(solver.solve(&dense), Status::Solved);
    let off = qdd.iter().zip(&solver.x).fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()));
    let size = qdd.iter().fold(1.0, |worst: f64, a| worst.max(a.abs()));
    assert!(off < 1e-6 * size, "{off:e} of {size}");
}

#[test]
fn a_person_stands_and_sways_without_slipping() {
    let mut scene = Scene::default();
    let person = add_person(&mut scene, "anna", 0.3, 0.7, 1.0);
    stand(&mut scene, person);
    let sole = scene.place(person, "left_sole").unwrap();
    let start = scene.pose_of(sole).translation;
    let center = scene.center_of(&[person]);
    let mut controller = Controller::default();
    for step in 0..300 {
        let t = f64::from(step) * scene.settings.dt;
        if let Feature::CenterOfMass { position, .. } = &mut scene.tasks[1].feature {
            *position = center + DVec3::new(0.03 * (3.0 * t).sin(), 0.0, 0.0);
        }
        if step % 50 == 0 {
            check_against_dense(&mut controller, &scene);
        }
        let outcome = controller.step(&mut scene);
        assert_eq!(outcome.verdict, Verdict::Solved, "step {step}: {:?}", outcome.explanation);
        let push: f64 = outcome.solution.wrenches.chunks(6).map(|w| w[1]).sum();
        assert!((300.0..1500.0).contains(&push), "step {step}: the floor bears {push} N");
        let model = &scene.subsystems[person].model;
        for joint in &model.joints {
            if let Some(limit) = joint.limits.torque {
                assert!(outcome.solution.torques[joint.v_start].abs() <= limit + 1e-6);
            }
        }
    }
    assert!(scene.pose_of(sole).translation.distance(start) < 1e-6);
    assert!(scene.center_of(&[person]).distance(center) < 0.05);
}

#[test]
fn drift_at_a_contact_is_corrected_in_the_right_direction() {
    let mut scene = Scene::default();
    let person = add_person(&mut scene, "anna", 0.0, 0.0, 1.0);
    stand(&mut scene, person);
    // Both feet stand two millimetres off where they should be.
    for contact in &mut scene.contacts {
        contact.with_from_patch.translation.x += 0.002;
    }
    let goal = scene.contacts[0].with_from_patch.translation;
    let sole = scene.contacts[0].on;
    let mut controller = Controller::default();
    for _ in 0..20 {
        controller.step(&mut scene);
    }
    assert!(scene.pose_of(sole).translation.distance(goal) < 1e-4);
}

/// Two people hold a box with both hands each, four grasps in all: more than enough.
fn carried_box() -> (Scene, usize) {
    let mut scene = Scene::default();
    let a = add_person(&mut scene, "anna", 0.0, std::f64::consts::FRAC_PI_2, 2.0);
    let b = add_person(&mut scene, "bert", 1.2, -std::f64::consts::FRAC_PI_2, 2.0);
    stand(&mut scene, a);
    stand(&mut scene, b);
    let load = scene.add(Subsystem::new("load", free_box(10.0, DVec3::new(0.8, 0.1, 0.4))));
    let grips: Vec<_> = [a, b]
        .into_iter()
        .flat_map(|person| ["left_grip", "right_grip"].map(|grip| (person, grip)))
        .map(|(person, grip)| scene.place(person, grip).unwrap())
        .collect();
    let middle = grips.iter().map(|place| scene.pose_of(*place).translation).sum::<DVec3>() / 4.0;
    scene.subsystems[load].q[..3].copy_from_slice(&middle.to_array());
    let body = scene.place(load, "box").unwrap();
    for (idx, grip) in grips.into_iter().enumerate() {
        let pose = scene.pose_of(grip);
        let area = ContactArea::Grasp { radius: 0.02, half_length: 0.03 };
        let contact = scene.contact_here(format!("grip {idx}"), grip, Some(body), pose, area, 0.7);
        scene.contacts.push(contact);
    }
    let pose = scene.pose_of(body);
    scene.tasks.push(Task::new("load", Feature::Pose { place: body, pose }, 50.0, 30.0));
    let position = scene.center_of(&[a, b, load]);
    let group = Feature::CenterOfMass { subsystems: vec![a, b, load], position };
    scene.tasks.push(Task::new("all together", group, 20.0, 20.0));
    (scene, load)
}

#[test]
fn a_box_held_by_four_hands_is_lifted() {
    let (mut scene, load) = carried_box();
    let mut controller = Controller::default();
    check_against_dense(&mut controller, &scene);
    let start = scene.subsystems[load].q[1];
    for task in &mut scene.tasks {
        if let Feature::Pose { pose, .. } = &mut task.feature {
            pose.translation.y += 0.08;
        }
    }
    for step in 0..200 {
        let outcome = controller.step(&mut scene);
        assert_eq!(outcome.verdict, Verdict::Solved, "step {step}: {:?}", outcome.explanation);
    }
    // The posture and balance tasks hold against it: not all of the eight centimetres.
    assert!(scene.subsystems[load].q[1] - start > 0.03, "{}", scene.subsystems[load].q[1] - start);
    check_against_dense(&mut controller, &scene);
}

#[test]
fn redundant_contacts_are_solved_all_the_same() {
    // The same foot held twice: its rows depend on each other, but do not contradict.
    let (mut scene, _) = carried_box();
    let twice = scene.contacts[0].clone();
    scene.contacts.push(twice);
    let mut controller = Controller::default();
    let outcome = controller.solve(&scene);
    assert_eq!(outcome.verdict, Verdict::Solved, "{:?}", outcome.explanation.map(ToString::to_string));
}

#[test]
fn contradictory_contacts_are_explained_by_name() {
    let mut scene = Scene::default();
    let person = add_person(&mut scene, "anna", 0.0, 0.0, 1.0);
    stand(&mut scene, person);
    let mut elsewhere = scene.contacts[0].clone();
    elsewhere.name = "the same sole elsewhere".into();
    elsewhere.with_from_patch.translation.y += 0.05;
    scene.contacts.push(elsewhere);
    let mut controller = Controller::default();
    let outcome = controller.step(&mut scene);
    assert_eq!(outcome.verdict, Verdict::Relaxed);
    let explanation = outcome.explanation.unwrap();
    let text = explanation.to_string();
    assert!(text.contains("the same sole elsewhere") && text.contains("anna left_sole"), "{text}");
    assert_eq!(explanation.softened, Some(Softness::Contact));
    assert!(explanation.tasks.iter().any(|(task, _)| task == "balance"), "{text}");
    assert!(outcome.solution.qdd.iter().all(|x| x.is_finite()));
}

#[test]
fn too_heavy_a_load_is_explained_by_torque_limits() {
    let mut scene = Scene::default();
    let person = add_person(&mut scene, "anna", 0.0, 0.0, 0.05);
    stand(&mut scene, person);
    // Feet and hands fixed, and far too weak: something has to give, and the scene goes on.
    for velocity in [0.0, 30.0] {
        scene.subsystems[person].v[8] = velocity;
        let outcome = Controller::default().solve(&scene).verdict;
        assert!(outcome != Verdict::Refused);
    }
}

#[test]
fn a_hand_stops_short_of_an_obstacle() {
    let mut scene = Scene::default();
    let person = add_person(&mut scene, "anna", 0.0, 0.0, 1.0);
    stand(&mut scene, person);
    let hand = scene.place(person, "left_grip").unwrap();
    let start = scene.pose_of(hand).translation;
    let model = Arc::clone(&scene.subsystems[person].model);
    let solid =
        model.solids.iter().position(|s| model.frames[s.frame.idx()].name == "left_hand#shape").unwrap();
    let wall = Pose::from_translation(start + DVec3::new(0.0, 0.0, 0.25));
    let shape = Shape::Box { half: DVec3::new(0.5, 0.5, 0.05) };
    scene.pairs.push(CollisionPair {
        name: "hand and wall".into(),
        a: Obstacle::Solid { subsystem: person, solid },
        b: Obstacle::Fixed { shape, world_from_shape: wall },
    });
    let reach = Feature::Position { place: hand, position: start + DVec3::new(0.0, 0.0, 0.5) };
    scene.tasks.push(Task::new("reach", reach, 100.0, 30.0));
    let mut controller = Controller::default();
    let mut nearest = f64::INFINITY;
    for step in 0..300 {
        let outcome = controller.step(&mut scene);
        assert_eq!(outcome.verdict, Verdict::Solved, "step {step}: {:?}", outcome.explanation);
        nearest = nearest.min(controller.assembly.distances[0].unwrap_or(f64::INFINITY));
    }
    assert!(nearest > 0.0 && nearest < 0.05, "{nearest}");
    assert!(scene.pose_of(hand).translation.z > start.z + 0.05);
}

#[test]
fn zero_weights_and_bad_numbers_are_no_trouble() {
    let mut scene = Scene::default();
    let person = add_person(&mut scene, "anna", 0.0, 0.0, 1.0);
    stand(&mut scene, person);
    scene.tasks.iter_mut().for_each(|task| task.weight = 0.0);
    let mut controller = Controller::default();
    assert_eq!(controller.solve(&scene).verdict, Verdict::Solved);
    scene.subsystems[person].v[3] = f64::NAN;
    let outcome = controller.step(&mut scene);
    assert_eq!(outcome.verdict, Verdict::Refused);
    assert!(outcome.explanation.unwrap().to_string().contains("`anna`"));
    let feature = Feature::Orientation { place: scene.contacts[0].on, rotation: DMat3::NAN };
    scene.subsystems[person].v[3] = 0.0;
    scene.tasks.push(Task::new("nonsense", feature, 1.0, 1.0));
    let outcome = controller.solve(&scene);
    assert!(outcome.explanation.unwrap().to_string().contains("`nonsense`"));
}

#[test]
fn groups_that_do_not_meet_do_not_change_each_other() {
    let mut alone = Scene::default();
    let person = add_person(&mut alone, "anna", 0.0, 0.0, 1.0);
    stand(&mut alone, person);
    let mut two = alone.clone();
    let other = add_person(&mut two, "bert", 5.0, 0.0, 1.0);
    stand(&mut two, other);
    let (mut first, mut second) = (Controller::default(), Controller::default());
    let expected = first.solve(&alone).solution.qdd.clone();
    let found = second.solve(&two).solution.qdd.clone();
    assert_eq!(expected[..], found[..expected.len()], "the same bits");
}

#[test]
fn a_near_singular_body_is_no_trouble() {
    let mut scene = Scene::default();
    let speck = scene.add(Subsystem::new("speck", free_box(1e-7, DVec3::new(1e-3, 2e-3, 1e-3))));
    scene.subsystems[speck].q[1] = 1.0;
    let place = scene.place(speck, "box").unwrap();
    let pose = scene.pose_of(place);
    let contact =
        scene.contact_here("rest", place, None, pose, ContactArea::Planar { half: [1e-3, 1e-3] }, 0.5);
    scene.contacts.push(contact);
    let outcome = Controller::default().solve(&scene).verdict;
    assert!(outcome != Verdict::Refused);
}

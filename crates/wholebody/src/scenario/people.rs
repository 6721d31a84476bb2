//! People in the postures that scenarios start from.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use crate::humanoid::{self, Stature};
use crate::model::{Model, ModelError};
use crate::phase::World;
use crate::scene::{
    CollisionPair, ContactArea, Controller, Feature, Obstacle, Place, Scene, Subsystem, Task,
};
use crate::spatial::Pose;

/// Half edges of the area under a sole (m).
pub(crate) const SOLE: ContactArea = ContactArea::Planar { half: [0.04, 0.1] };
/// Friction of soles (-).
pub(crate) const SOLE_FRICTION: f64 = 0.8;

/// A person to be added.
#[derive(Clone, Debug)]
pub(crate) struct Person<'a> {
    pub(crate) name: &'a str,
    pub(crate) stature: Stature,
    /// Between the soles (m).
    pub(crate) at: DVec3,
    /// Heading (rad about +y).
    pub(crate) yaw: f64,
    /// Joints without `left_` or `right_` are set on both sides; those about y and z mirrored.
    pub(crate) joints: &'a [(&'a str, f64)],
}

/// Adds a person with the soles at the given place; answers the subsystem.
pub(crate) fn add(world: &mut World, person: &Person<'_>) -> Result<usize, ModelError> {
    let model = Arc::new(humanoid::person_of(person.name, person.stature)?);
    let mut subsystem = Subsystem::new(person.name, Arc::clone(&model));
    subsystem.q = posture(&model, &subsystem.q, person.joints);
    let turn = DQuat::from_rotation_y(person.yaw);
    turn.write_to_slice(&mut subsystem.q[3..7]);
    let idx = world.add(subsystem);
    let soles = ["left_sole", "right_sole"].map(|sole| place(world, idx, sole));
    let middle = 0.5 * (world.pose(soles[0]).translation + world.pose(soles[1]).translation);
    let shift = person.at - middle;
    let q = &mut world.scene.subsystems[idx].q;
    (q[0], q[1], q[2]) = (q[0] + shift.x, q[1] + shift.y, q[2] + shift.z);
    world.refresh();
    Ok(idx)
}

/// `q` with some joints set, on both sides where no side is named.
pub(crate) fn posture(model: &Model, q: &[f64], joints: &[(&str, f64)]) -> Vec<f64> {
    let mut q = q.to_vec();
    for (name, value) in joints {
        if let Some(joint) = model.joint(name) {
            q[model.joints[joint.idx()].q_start] = *value;
            continue;
        }
        let sign = if name.ends_with('x') { 1.0 } else { -1.0 };
        for (side, value) in [("left", *value), ("right", sign * value)] {
            if let Some(joint) = model.joint(&format!("{side}_{name}")) {
                q[model.joints[joint.idx()].q_start] = value;
            }
        }
    }
    q
}

/// A frame that the built-in models have.
pub(crate) fn place(world: &World, subsystem: usize, frame: &str) -> Place {
    world.scene.place(subsystem, frame).expect("the built-in models have it; tests build them")
}

/// The solid of a subsystem that is fixed to the frame of that name.
fn solid(world: &World, subsystem: usize, frame: &str) -> Obstacle {
    let model = &world.scene.subsystems[subsystem].model;
    let solid = model.solids.iter().position(|solid| model.frames[solid.frame.idx()].name == frame);
    Obstacle::Solid { subsystem, solid: solid.expect("the built-in models have it; tests build them") }
}

/// Keeps two solids apart, each given by subsystem and frame; a person's link stands for its shape.
pub(crate) fn keep_apart(world: &mut World, a: (usize, &str), b: (usize, &str)) {
    let full = |world: &World, (subsystem, name): (usize, &str)| {
        let model = &world.scene.subsystems[subsystem].model;
        let shape = format!("{name}#shape");
        if model.frame(&shape).is_some() { shape } else { name.to_owned() }
    };
    let names = [full(world, a), full(world, b)];
    let name = format!(
        "{} {} and {} {}",
        world.scene.subsystems[a.0].name, a.1, world.scene.subsystems[b.0].name, b.1
    );
    let (a, b) = (solid(world, a.0, &names[0]), solid(world, b.0, &names[1]));
    world.scene.pairs.push(CollisionPair { name, a, b });
}

/// Both soles stand where they are, on the environment or on frames of another.
pub(crate) fn stand(world: &mut World, person: usize, on: Option<[Place; 2]>) {
    for (k, sole) in ["left_sole", "right_sole"].into_iter().enumerate() {
        let sole_place = place(world, person, sole);
        let name = format!("{} {sole}", world.scene.subsystems[person].name);
        let pose = world.pose(sole_place);
        let with = on.map(|places| places[k]);
        let contact = world.scene.contact_here(name, sole_place, with, pose, SOLE, SOLE_FRICTION);
        world.scene.contacts.push(contact);
    }
}

/// Keeps the posture it has; named `NAME posture`.
pub(crate) fn keep_posture(world: &mut World, person: usize, weight: f64, stiffness: f64) {
    let subsystem = &world.scene.subsystems[person];
    let feature = Feature::Posture { subsystem: person, q: subsystem.q.clone() };
    let task = Task::new(format!("{} posture", subsystem.name), feature, weight, stiffness);
    world.scene.tasks.push(task);
}

/// Keeps the common centre of mass where it is.
pub(crate) fn keep_balance(world: &mut World, name: &str, group: &[usize], weight: f64, stiffness: f64) {
    let position = world.center(group);
    let feature = Feature::CenterOfMass { subsystems: group.to_vec(), position };
    world.scene.tasks.push(Task::new(name, feature, weight, stiffness));
}

/// Keeps a frame's orientation, upright as it is.
pub(crate) fn keep_upright(world: &mut World, name: &str, at: Place, weight: f64, stiffness: f64) {
    let rotation = world.pose(at).rotation;
    world.scene.tasks.push(Task::new(name, Feature::Orientation { place: at, rotation }, weight, stiffness));
}

/// Puts a free object so that its `frame` is at `pose`.
pub(crate) fn put(world: &mut World, object: usize, frame: &str, pose: &Pose) {
    let here = world.pose(place(world, object, frame));
    let base = {
        let q = &world.scene.subsystems[object].q;
        Pose::new(DQuat::from_slice(&q[3..7]), DVec3::from_slice(q))
    };
    let moved = *pose * here.inverse() * base;
    let q = &mut world.scene.subsystems[object].q;
    moved.translation.write_to_slice(q);
    DQuat::from_mat3(&moved.rotation).normalize().write_to_slice(&mut q[3..7]);
    world.refresh();
}

/// Brings frames to places by gentle pulls on a copy without gravity: the configuration they have there.
///
/// Hands (`_grip`) are pulled in position only. Feet that stand keep standing, and whoever stands stays
/// balanced over the feet.
pub(crate) fn pull(world: &mut World, person: usize, goals: &[(&str, Pose)]) {
    let mut scene = Scene { settings: world.scene.settings, ..Scene::default() };
    scene.settings.dt = 0.02;
    scene.settings.gravity = DVec3::ZERO;
    let mut model = (*world.scene.subsystems[person].model).clone();
    model
        .joints
        .iter_mut()
        .filter_map(|joint| joint.limits.torque.as_mut())
        .for_each(|torque| *torque *= 100.0);
    let mut subsystem = Subsystem::new("copy", Arc::new(model));
    subsystem.q.clone_from(&world.scene.subsystems[person].q);
    let q = subsystem.q.clone();
    scene.add(subsystem);
    scene.tasks.push(Task::new("posture", Feature::Posture { subsystem: 0, q }, 1.0, 10.0));
    let mut feet = Vec::new();
    let stands = world.scene.contacts.iter().filter(|contact| contact.on.subsystem == person);
    let pulls: Vec<(Place, Pose)> = stands
        .map(|contact| (contact.on, world.pose(contact.on)))
        .chain(goals.iter().map(|(frame, pose)| (place(world, person, frame), *pose)))
        .collect();
    for (at, pose) in pulls {
        let at = Place { subsystem: 0, ..at };
        let name = scene.subsystems[0].model.frames[at.frame.idx()].name.clone();
        if name.ends_with("_sole") {
            feet.push(pose.translation);
        }
        let feature = if name.ends_with("_grip") {
            Feature::Position { place: at, position: pose.translation }
        } else {
            Feature::Pose { place: at, pose }
        };
        scene.tasks.push(Task::new(name, feature, 1e4, 60.0));
    }
    if !goals.iter().any(|(frame, _)| *frame == "seat") && !feet.is_empty() {
        let middle = feet.iter().sum::<DVec3>() / feet.len() as f64;
        let height = scene.center_of(&[0]).y;
        let feature =
            Feature::CenterOfMass { subsystems: vec![0], position: DVec3::new(middle.x, height, middle.z) };
        scene.tasks.push(Task::new("balance", feature, 100.0, 60.0));
    }
    let mut controller = Controller::default();
    for _ in 0..150 {
        controller.step(&mut scene);
    }
    world.scene.subsystems[person].q.clone_from(&scene.subsystems[0].q);
    world.refresh();
}

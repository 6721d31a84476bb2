//! Door, Valve, Box and Lever: one person and something to open, turn, carry or pull.

use std::sync::Arc;

use glam::DVec3;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::inputs::Inputs;
use super::people::{self, Person, place};
use super::{Options, Parts, Script, Value};
use crate::humanoid::Stature;
use crate::model::{Model, ModelError};
use crate::objects::{self, BOX_HALF};
use crate::phase::blocks::{self, Step};
use crate::phase::{Action, Area, At, Condition, Machine, Phase, Side, Spring, Waypoint, World};
use crate::scene::{Feature, Subsystem, Task};
use crate::spatial::{Pose, quaternion_of};

const WHO: &str = "person";

/// Somebody who stands at the origin and faces +z.
fn person(world: &mut World, arms: &[(&str, f64)]) -> Result<usize, ModelError> {
    let stance =
        [("thigh_x", -0.35), ("shank_x", 0.7), ("foot_x", -0.35), ("thigh_z", 0.1), ("foot_z", -0.1)];
    let joints: Vec<(&str, f64)> = stance.into_iter().chain(arms.iter().copied()).collect();
    let stature = Stature { strength: 1.5, ..Stature::default() };
    let idx = people::add(world, &Person { name: WHO, stature, at: DVec3::ZERO, yaw: 0.0, joints: &joints })?;
    people::stand(world, idx, None);
    people::keep_posture(world, idx, 1.0, 15.0);
    people::keep_balance(world, "balance", &[idx], 2000.0, 20.0);
    let chest = place(world, idx, "chest");
    people::keep_upright(world, "upright", chest, 2.0, 15.0);
    Ok(idx)
}

/// An articulated part of the environment, with friction (N m s/rad) at its joints.
fn fixture(world: &mut World, model: Model, springs: &[[f64; 2]]) -> usize {
    let name = model.name.clone();
    let idx = world.add(Subsystem::new(name, Arc::new(model)));
    for (dof, [stiffness, damping]) in springs.iter().enumerate() {
        let q = world.scene.subsystems[idx].model.joints[dof].q_start;
        world.springs.push(Spring {
            subsystem: idx,
            dof,
            q,
            stiffness: *stiffness,
            damping: *damping,
            rest: 0.0,
        });
    }
    idx
}

fn joint_task(world: &mut World, name: &str, subsystem: usize, joint: &str, weight: f64) {
    let joint = world.scene.subsystems[subsystem].model.joint(joint).expect("the built-in objects have it");
    let feature = Feature::Joint { subsystem, joint, position: 0.0 };
    world.scene.tasks.push(Task::new(name, feature, weight, 30.0));
}

/// The right hand goes to a handle and grasps it.
fn reach(what: &str, frame: &str, radius: f64) -> [Phase; 2] {
    let (hand, handle) = (At::new(WHO, "right_grip"), At::new(what, frame));
    let hold = Action::Hold {
        task: "hand".into(),
        at: hand.clone(),
        position_only: true,
        weight: 2000.0,
        stiffness: 60.0,
    };
    let go = Action::Move {
        task: "hand".into(),
        through: vec![Waypoint::default()],
        seen_from: Some(handle.clone()),
        seconds: 1.4,
    };
    let until =
        vec![Condition::After { seconds: 1.4 }, Condition::Arrived { task: "hand".into(), within: 0.01 }];
    let mut grasp = blocks::add("grasp", blocks::grasp("grasp", &hand, &handle, radius));
    grasp.actions.push(Action::Drop { task: "hand".into() });
    [Phase { name: "reach".into(), actions: vec![hold, go], until, next: None }, grasp]
}

fn turn(name: &str, task: &str, to: f64, seconds: f64, within: f64) -> Phase {
    Phase {
        name: name.into(),
        actions: vec![Action::Turn { task: task.into(), to, seconds }],
        until: vec![Condition::After { seconds }, Condition::Arrived { task: task.into(), within }],
        next: None,
    }
}

/// The handle is let go and the arm returns to the rest pose.
fn let_go() -> [Phase; 2] {
    let last = blocks::interactive("rest", None);
    [blocks::remove("release", "grasp"), last]
}

/// Both feet go by `by` (m) along z, right first.
fn walk(name: &str, from: f64, by: f64, width: f64) -> Vec<Phase> {
    let step = |foot: Side, x: f64| Step {
        who: WHO.into(),
        foot,
        landing: [x, 0.0, from + by],
        height: 0.05,
        aside: 0.0,
        on: None,
    };
    let mut phases = Vec::new();
    for (foot, x) in [(Side::Right, -width), (Side::Left, width)] {
        phases.extend(blocks::step(
            &format!("{name}, {}", foot.name()),
            "balance",
            &[step(foot, x)],
            [0.9, 0.7],
        ));
    }
    let soles = ["left_sole", "right_sole"].map(|sole| At::new(WHO, sole)).to_vec();
    phases.push(blocks::shift(&format!("{name}, stand"), "balance", crate::phase::Over::Frames(soles), 0.8));
    phases
}

/// How far the door opens (rad).
const OPEN: f64 = 0.75;

pub(super) fn door(_options: &Options) -> Result<Parts, ModelError> {
    let mut world = super::empty(0.005);
    let who =
        person(&mut world, &[("upper_arm_z", 0.12), ("right_upper_arm_x", -0.2), ("right_forearm_x", -1.2)])?;
    let hinge = DVec3::new(0.5, 0.0, 0.5);
    let door = fixture(&mut world, objects::door(hinge)?, &[[0.0, 2.0], [3.0, 0.03]]);
    world.fixtures.push(objects::post("door post", hinge + DVec3::new(0.05, 2.05, 0.0)));
    joint_task(&mut world, "knob", door, "knob", 0.0);
    joint_task(&mut world, "hinge", door, "hinge", 0.0);
    people::keep_apart(&mut world, (who, "left_hand"), (door, "leaf"));
    let width = world.pose(place(&world, who, "left_sole")).translation.x;
    let weigh = |task: &str, weight: f64| Action::Weigh { task: task.into(), weight };
    let mut phases: Vec<Phase> = reach("door", "handle", 0.012).into();
    let mut knob = turn("turn the knob", "knob", -0.6, 1.2, 0.05);
    knob.actions.insert(0, weigh("knob", 100.0));
    knob.actions.insert(1, weigh("hinge", 100.0));
    phases.push(knob);
    phases.push(turn("open", "hinge", 0.3, 1.5, 0.06));
    phases.extend(walk("forward", 0.0, 0.3, width));
    phases.push(turn("open wide", "hinge", OPEN, 1.8, 0.06));
    phases.push(turn("begin to close", "hinge", 0.3, 1.8, 0.06));
    phases.extend(walk("back", 0.3, -0.3, width));
    phases.push(turn("close", "hinge", 0.0, 1.8, 0.03));
    phases.push(turn("let the knob back", "knob", 0.0, 1.0, 0.06));
    let [mut release, rest] = let_go();
    release.actions.extend([weigh("knob", 0.0), weigh("hinge", 0.0)]);
    phases.extend([release, rest]);
    let script = Opening { door, widest: 0.0, turned: 0.0 };
    Ok(Parts { world, phases, inputs: opening(OPEN), script: Box::new(script), seconds: 26.0 })
}

fn opening(widest: f64) -> Inputs {
    let mut inputs = Inputs::default();
    inputs.number("hinge", [0.0, widest], "rad", 0.0);
    inputs
}

struct Opening {
    door: usize,
    widest: f64,
    turned: f64,
}

impl Script for Opening {
    fn drive(&mut self, world: &mut World, _machine: &mut Machine, inputs: &mut Inputs) {
        // A user who moves the hinge moves it from where it is; the phases go on around it.
        if inputs.0.iter().any(|input| !input.scripted)
            && world.touches("grasp")
            && let Some(task) = world.task_mut("hinge")
            && let Feature::Joint { position, .. } = &mut task.feature
        {
            *position += (inputs.get_number("hinge") - *position).clamp(-0.004, 0.004);
        }
    }

    fn after(&mut self, world: &mut World, _controller: &crate::scene::Controller) {
        let q = &world.scene.subsystems[self.door].q;
        self.widest = self.widest.max(q[0]);
        self.turned = self.turned.max(-q[1]);
    }

    fn results(&self, world: &World) -> Vec<(&'static str, f64)> {
        let q = &world.scene.subsystems[self.door].q;
        vec![
            ("widest opening (rad)", self.widest),
            ("opening now (rad)", q[0]),
            ("knob turned by (rad)", self.turned),
        ]
    }
}

pub(super) fn valve(_options: &Options) -> Result<Parts, ModelError> {
    let mut world = super::empty(0.005);
    let who =
        person(&mut world, &[("upper_arm_z", 0.12), ("right_upper_arm_x", -0.4), ("right_forearm_x", -1.3)])?;
    let center = DVec3::new(-0.15, 1.1, 0.52);
    let valve = fixture(&mut world, objects::valve(center)?, &[[0.0, 1.0], [0.0, 0.002]]);
    world.fixtures.push(objects::post("valve post", center + DVec3::new(0.0, 0.04, 0.075)));
    joint_task(&mut world, "valve", valve, "valve", 0.0);
    for (a, b) in [("right_hand", "disc"), ("right_forearm", "disc"), ("left_hand", "disc")] {
        people::keep_apart(&mut world, (who, a), (valve, b));
    }
    let mut phases: Vec<Phase> = reach("valve", "handle", 0.014).into();
    let whole = std::f64::consts::TAU;
    let mut first = turn("turn", "valve", whole, 6.0, 0.15);
    first.actions.insert(0, Action::Weigh { task: "valve".into(), weight: 100.0 });
    phases.push(first);
    phases.push(turn("turn back", "valve", 0.5 * whole, 3.5, 0.15));
    phases.push(blocks::interactive("turn as asked", None));
    let mut inputs = Inputs::default();
    inputs.number("valve", [-whole, 2.0 * whole], "rad", 0.5 * whole);
    let script = Turning { valve, most: 0.0 };
    Ok(Parts { world, phases, inputs, script: Box::new(script), seconds: 15.0 })
}

struct Turning {
    valve: usize,
    most: f64,
}

impl Script for Turning {
    fn drive(&mut self, world: &mut World, machine: &mut Machine, inputs: &mut Inputs) {
        if !machine.is_interactive() {
            return;
        }
        let target = inputs.get_number("valve");
        let most = 2.0 * world.scene.settings.dt;
        if let Some(task) = world.task_mut("valve")
            && let Feature::Joint { position, .. } = &mut task.feature
        {
            *position += (target - *position).clamp(-most, most);
            task.velocity.clear();
            task.acceleration.clear();
        }
    }

    fn after(&mut self, world: &mut World, _controller: &crate::scene::Controller) {
        self.most = self.most.max(world.scene.subsystems[self.valve].q[0]);
    }

    fn results(&self, world: &World) -> Vec<(&'static str, f64)> {
        let q = &world.scene.subsystems[self.valve].q;
        vec![
            ("valve turned by, most (rad)", self.most),
            ("valve now (rad)", q[0]),
            ("handle now (rad)", q[1]),
        ]
    }
}

pub(super) fn lever(_options: &Options) -> Result<Parts, ModelError> {
    let mut world = super::empty(0.005);
    let who =
        person(&mut world, &[("upper_arm_z", 0.12), ("right_upper_arm_x", -0.2), ("right_forearm_x", -1.1)])?;
    let foot = DVec3::new(-0.24, 0.4, 0.5);
    let lever = fixture(&mut world, objects::lever(foot)?, &[[12.0, 3.0]]);
    world.fixtures.push(objects::post("lever post", foot));
    joint_task(&mut world, "lever", lever, "lever", 0.0);
    for link in
        ["right_forearm", "right_upper_arm", "right_hand", "chest", "spine", "head", "pelvis", "right_thigh"]
    {
        people::keep_apart(&mut world, (who, link), (lever, "bulk"));
    }
    let mut phases: Vec<Phase> = reach("lever", "grip", 0.016).into();
    let mut pull = turn("pull", "lever", -0.5, 2.5, 0.08);
    pull.actions.insert(0, Action::Weigh { task: "lever".into(), weight: 100.0 });
    phases.push(pull);
    phases.push(turn("push", "lever", 0.35, 3.0, 0.08));
    phases.push(turn("back", "lever", 0.0, 2.0, 0.08));
    phases.push(blocks::interactive("move as asked", None));
    let mut inputs = Inputs::default();
    inputs.number("lever", [-0.6, 0.5], "rad", 0.0);
    let script = Pulling { lever, range: [0.0; 2], nearest: f64::INFINITY };
    Ok(Parts { world, phases, inputs, script: Box::new(script), seconds: 14.0 })
}

struct Pulling {
    lever: usize,
    range: [f64; 2],
    nearest: f64,
}

impl Script for Pulling {
    fn drive(&mut self, world: &mut World, machine: &mut Machine, inputs: &mut Inputs) {
        if !machine.is_interactive() {
            return;
        }
        let most = 0.6 * world.scene.settings.dt;
        let target = inputs.get_number("lever");
        if let Some(task) = world.task_mut("lever")
            && let Feature::Joint { position, .. } = &mut task.feature
        {
            *position += (target - *position).clamp(-most, most);
            task.velocity.clear();
            task.acceleration.clear();
        }
    }

    fn after(&mut self, world: &mut World, controller: &crate::scene::Controller) {
        let q = world.scene.subsystems[self.lever].q[0];
        self.range = [self.range[0].min(q), self.range[1].max(q)];
        let distances = controller.assembly.distances.iter().flatten();
        self.nearest = distances.fold(self.nearest, |nearest, d| nearest.min(*d));
    }

    fn results(&self, world: &World) -> Vec<(&'static str, f64)> {
        vec![
            ("lever pulled to (rad)", self.range[0]),
            ("lever pushed to (rad)", self.range[1]),
            ("lever now (rad)", world.scene.subsystems[self.lever].q[0]),
            ("nearest to the bulky end (m)", self.nearest),
        ]
    }
}

pub(super) fn carry(options: &Options) -> Result<Parts, ModelError> {
    let mut world = super::empty(0.005);
    let arms = [("upper_arm_z", 0.15), ("upper_arm_x", -0.45), ("forearm_x", -1.0)];
    let who = person(&mut world, &arms)?;
    let center = DVec3::new(0.0, 1.0, 0.42);
    let held = world.add(Subsystem::new("box", Arc::new(objects::box_to_hold(3.0)?)));
    people::put(&mut world, held, "box", &Pose::from_translation(center));
    world.fixtures.extend(objects::platform(
        "stand",
        center - DVec3::Y * BOX_HALF.y,
        [0.1, 0.1],
        [center.x, center.z],
    ));
    // Palms beside the faces.
    let goals = [("left_grip", 1.0), ("right_grip", -1.0)].map(|(hand, x)| {
        let rotation = world.pose(place(&world, who, hand)).rotation;
        (hand, Pose { rotation, translation: center + DVec3::X * (x * (BOX_HALF.x + 0.032)) })
    });
    people::pull(&mut world, who, &goals);
    let q = world.scene.subsystems[who].q.clone();
    for task in &mut world.scene.tasks {
        if let Feature::Posture { q: rest, .. } = &mut task.feature {
            rest.clone_from(&q);
        }
    }
    let position = world.center(&[who, held]);
    for task in &mut world.scene.tasks {
        if let Feature::CenterOfMass { subsystems, position: at } = &mut task.feature {
            (*subsystems, *at) = (vec![who, held], position);
        }
    }
    let at = place(&world, held, "box");
    let pose = world.pose(at);
    world.scene.tasks.push(Task::new("box", Feature::Pose { place: at, pose }, 200.0, 40.0));
    let area = crate::scene::ContactArea::Planar { half: [0.08, 0.08] };
    let below = Pose::from_translation(center - DVec3::Y * BOX_HALF.y);
    let contact = world.scene.contact_here("stand", at, None, below, area, 0.8);
    world.scene.contacts.push(contact);
    for (a, b) in
        [("left_upper_arm", "block"), ("right_upper_arm", "block"), ("chest", "block"), ("head", "block")]
    {
        people::keep_apart(&mut world, (who, a), (held, b));
    }
    let press = ["left", "right"].map(|side| Action::AddContact {
        name: format!("{side} palm"),
        on: At::new("box", "box"),
        with: Some(At::new(WHO, format!("{side}_grip"))),
        patch: At::new("box", format!("{side}_face")),
        area: Area::Planar([0.04, 0.05]),
        friction: 0.9,
    });
    let lift = Action::Move {
        task: "box".into(),
        through: vec![Waypoint::at(center + DVec3::new(0.0, 0.1, -0.03))],
        seen_from: None,
        seconds: 1.2,
    };
    let phases = vec![
        Phase {
            name: "press".into(),
            actions: press.into(),
            until: vec![
                Condition::ContactMade { contact: "left palm".into() },
                Condition::ContactMade { contact: "right palm".into() },
                Condition::After { seconds: 0.3 },
            ],
            next: None,
        },
        Phase {
            name: "lift".into(),
            actions: vec![Action::RemoveContact { name: "stand".into() }, lift],
            until: vec![Condition::After { seconds: 1.4 }],
            next: None,
        },
        blocks::interactive("follow", None),
    ];
    let mut inputs = Inputs::default();
    let most = DVec3::new(0.15, 0.12, 0.08);
    inputs.point("place", -most, most, DVec3::ZERO);
    inputs.point("turn", DVec3::splat(-0.4), DVec3::splat(0.4), DVec3::ZERO);
    let mut rng = ChaCha8Rng::seed_from_u64(options.seed ^ 0x0062_6f78);
    let waves = std::array::from_fn(|_| {
        std::array::from_fn(|_| [rng.random_range(0.5..1.8), rng.random_range(0.0..std::f64::consts::TAU)])
    });
    let script = Carrying { held, waves, began: None, base: pose, worst: 0.0 };
    Ok(Parts { world, phases, inputs, script: Box::new(script), seconds: 17.0 })
}

struct Carrying {
    held: usize,
    /// For each of the six coordinates two waves: rate (rad/s) and phase (rad).
    waves: [[[f64; 2]; 2]; 6],
    began: Option<f64>,
    base: Pose,
    worst: f64,
}

impl Carrying {
    fn way(&self, t: f64) -> [f64; 6] {
        let grow = crate::phase::smooth(t / 2.0);
        std::array::from_fn(|k| {
            let sum: f64 = self.waves[k].iter().map(|[rate, phase]| libm::sin(rate * t + phase)).sum();
            grow * sum * if k < 3 { 0.045 } else { 0.11 }
        })
    }
}

impl Script for Carrying {
    fn drive(&mut self, world: &mut World, machine: &mut Machine, inputs: &mut Inputs) {
        if !machine.is_interactive() {
            return;
        }
        if self.began.is_none() {
            self.base = world.pose(place(world, self.held, "box"));
        }
        let t = world.time - *self.began.get_or_insert(world.time);
        let way = self.way(t);
        inputs.script("place", Value::Point([way[0], way[1], way[2]]));
        inputs.script("turn", Value::Point([way[3], way[4], way[5]]));
        let (shift, turn) = (inputs.get_point("place"), inputs.get_point("turn"));
        let rotation = glam::DMat3::from_quat(quaternion_of(turn)) * self.base.rotation;
        let target = Pose { rotation, translation: self.base.translation + shift };
        let h = 1e-3;
        let (a, b) = (self.way(t - h), self.way(t + h));
        if let Some(task) = world.task_mut("box") {
            task.velocity.clear();
            task.acceleration.clear();
            if inputs.0.iter().all(|input| input.scripted) {
                task.velocity.extend((0..6).map(|k| (b[k] - a[k]) / (2.0 * h)));
                task.acceleration.extend((0..6).map(|k| (b[k] - 2.0 * way[k] + a[k]) / (h * h)));
            }
            if let Feature::Pose { pose, .. } = &mut task.feature {
                *pose = target;
            }
        }
    }

    fn after(&mut self, world: &mut World, _controller: &crate::scene::Controller) {
        if self.began.is_some_and(|began| world.time > began + 1.0)
            && let Some(task) = world.task("box")
        {
            self.worst = self.worst.max(world.distance(task));
        }
    }

    fn results(&self, world: &World) -> Vec<(&'static str, f64)> {
        let at = world.pose(place(world, self.held, "box")).translation;
        let here = world.task("box").map_or(f64::INFINITY, |task| world.distance(task));
        vec![
            ("box to its target, worst (m or rad)", self.worst),
            ("box to its target now (m or rad)", here),
            ("height of the box (m)", at.y),
        ]
    }
}

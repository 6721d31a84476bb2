//! King: two carry a third on a litter; she reaches for a point, and the carriers help by themselves.

use std::sync::Arc;

use glam::{DMat3, DVec3};

use super::inputs::Inputs;
use super::people::{self, Person, place};
use super::{Options, Parts, Script, Value};
use crate::humanoid::Stature;
use crate::model::ModelError;
use crate::objects::{self, LITTER_GRIP, LITTER_HEIGHT};
use crate::phase::blocks::{self, Step};
use crate::phase::{Action, At, Condition, Machine, Over, Phase, Side, Waypoint, World};
use crate::scene::{ContactArea, Controller, Feature, Subsystem, Task};
use crate::spatial::Pose;

const CARRIERS: [(&str, &str, f64); 2] = [("front", "front", LITTER_GRIP), ("back", "back", -LITTER_GRIP)];
/// How far the litter is lifted (m).
const LIFT: f64 = 0.08;
/// Length of a step (m).
const STRIDE: f64 = 0.12;

pub(super) fn build(options: &Options) -> Result<Parts, ModelError> {
    let mut world = super::empty(1.0 / 30.0);
    let litter = world.add(Subsystem::new("litter", Arc::new(objects::litter()?)));
    world.scene.subsystems[litter].q[1] = LITTER_HEIGHT;
    world.refresh();
    let king = sit(&mut world, litter, options.separate)?;
    let mut everybody = vec![litter, king];
    for (name, end, z) in CARRIERS {
        let stature = Stature { strength: 2.0, ..Stature::default() };
        let joints = [
            ("thigh_x", -0.55),
            ("shank_x", 1.1),
            ("foot_x", -0.55),
            ("upper_arm_z", 0.17),
            ("forearm_x", -0.1),
        ];
        let at = DVec3::new(0.0, 0.0, z - 0.04);
        let person = people::add(&mut world, &Person { name, stature, at, yaw: 0.0, joints: &joints })?;
        people::stand(&mut world, person, None);
        let goals = ["left", "right"].map(|side| {
            let grip = place(&world, litter, &format!("{end}_{side}"));
            (format!("{side}_grip"), Pose::from_translation(world.pose(grip).translation))
        });
        let goals: Vec<(&str, Pose)> = goals.iter().map(|(name, pose)| (name.as_str(), *pose)).collect();
        people::pull(&mut world, person, &goals);
        people::keep_posture(&mut world, person, 0.4, 12.0);
        everybody.push(person);
    }
    let legs = place(&world, litter, "legs");
    let area = ContactArea::Planar { half: [0.26, 0.38] };
    let contact = world.scene.contact_here("legs", legs, None, world.pose(legs), area, 0.8);
    world.scene.contacts.push(contact);
    // In separate programs nobody knows of the others.
    let group: Vec<usize> = if options.separate { everybody[2..].to_vec() } else { everybody.clone() };
    people::keep_balance(&mut world, "balance", &group, 400.0, 15.0);
    let at = place(&world, litter, "litter");
    let pose = world.pose(at);
    world.scene.tasks.push(Task::new("litter", Feature::Pose { place: at, pose }, 40.0, 20.0));
    add_pairs(&mut world, litter, king);

    let seat = world.pose(place(&world, litter, "seat")).translation;
    let reach = seat + DVec3::new(0.25, 0.35, 0.45);
    let mut inputs = Inputs::default();
    inputs.point("hand", reach - DVec3::new(1.5, 0.8, 1.0), reach + DVec3::new(1.5, 1.2, 3.0), reach);
    let script = King { king, litter, separate: options.separate, began: None, path: None };
    let seconds = if options.separate { 12.0 } else { 28.0 };
    Ok(Parts { world, phases: phases(options.separate), inputs, script: Box::new(script), seconds })
}

/// She sits, feet on the litter; in a program of her own, on something that never moves.
fn sit(world: &mut World, litter: usize, separate: bool) -> Result<usize, ModelError> {
    let joints = [("thigh_x", -1.5), ("shank_x", 1.45), ("upper_arm_z", 0.15), ("forearm_x", -1.0)];
    let stature = Stature { mass: 60.0, height: 1.66, strength: 1.0 };
    let person = Person { name: "king", stature, at: DVec3::new(0.0, 1.0, 0.0), yaw: 0.0, joints: &joints };
    let king = people::add(world, &person)?;
    let parts = [
        ("seat", "seat", ContactArea::Planar { half: [0.13, 0.1] }),
        ("left_sole", "left_rest", people::SOLE),
        ("right_sole", "right_rest", people::SOLE),
    ];
    let goals = parts.map(|(mine, theirs, _)| (mine, world.pose(place(world, litter, theirs))));
    people::put(world, king, "seat", &goals[0].1);
    people::pull(world, king, &goals);
    // What is left of the way, exactly.
    people::put(world, king, "seat", &goals[0].1);
    for (mine, _, area) in parts {
        let on = place(world, king, mine);
        let with = (!separate).then(|| place(world, litter, "litter"));
        let pose = world.pose(on);
        let contact = world.scene.contact_here(format!("king {mine}"), on, with, pose, area, 0.8);
        world.scene.contacts.push(contact);
    }
    people::keep_posture(world, king, 0.5, 8.0);
    Ok(king)
}

/// Six pairs: her hands and the front carrier's head, the carriers' thighs and the platform.
fn add_pairs(world: &mut World, litter: usize, king: usize) {
    let (front, back) = (king + 1, king + 2);
    for (a, b) in [
        ((king, "left_hand"), (front, "head")),
        ((king, "right_hand"), (front, "head")),
        ((litter, "platform"), (front, "left_shank")),
        ((litter, "platform"), (front, "right_shank")),
        ((litter, "platform"), (back, "left_shank")),
        ((litter, "platform"), (back, "right_shank")),
    ] {
        people::keep_apart(world, a, b);
    }
}

fn phases(separate: bool) -> Vec<Phase> {
    let mut phases = Vec::new();
    let mut grasps = Vec::new();
    for (name, end, _) in CARRIERS {
        for side in ["left", "right"] {
            let (hand, grip) =
                (At::new(name, format!("{side}_grip")), At::new("litter", format!("{end}_{side}")));
            grasps.push(blocks::grasp(&format!("{name} {side} grasp"), &hand, &grip, 0.02));
        }
    }
    let made = |(name, _, _): (&str, &str, f64)| {
        ["left", "right"].map(|side| Condition::GraspMade { contact: format!("{name} {side} grasp") })
    };
    let mut until: Vec<Condition> = CARRIERS.into_iter().flat_map(made).collect();
    until.push(Condition::After { seconds: 0.6 });
    phases.push(Phase { name: "grasp".into(), actions: grasps, until, next: None });
    let upright = [("thigh_x", -0.28), ("shank_x", 0.56), ("foot_x", -0.28)];
    let sides =
        |(joint, value): (&str, f64)| ["left", "right"].map(|side| (format!("{side}_{joint}"), value));
    let joints: Vec<(String, f64)> = upright.into_iter().flat_map(sides).collect();
    let mut lift = vec![Action::RemoveContact { name: "legs".into() }];
    let height = LITTER_HEIGHT + LIFT;
    lift.push(move_litter(DVec3::Y * height, 1.5));
    lift.push(Action::Shift { task: "balance".into(), over: Over::By([0.0, LIFT, 0.0]), seconds: 1.5 });
    for (name, ..) in CARRIERS {
        let task = format!("{name} posture");
        lift.push(Action::Posture { task, joints: joints.clone(), seconds: 1.5 });
    }
    let until = vec![Condition::ContactBroken { contact: "legs".into() }, Condition::After { seconds: 2.0 }];
    phases.push(Phase { name: "lift".into(), actions: lift, until, next: None });
    if !separate {
        walk(&mut phases, height);
    }
    let hand = Action::Hold {
        task: "hand".into(),
        at: At::new("king", "left_grip"),
        position_only: true,
        weight: 0.0,
        stiffness: 12.0,
    };
    phases.push(Phase {
        name: "reach".into(),
        actions: vec![Action::Weigh { task: "litter".into(), weight: 0.0 }, hand, Action::Interact],
        until: vec![Condition::Never],
        next: None,
    });
    phases
}

/// Both carriers step at once, four times, the litter with them.
fn walk(phases: &mut Vec<Phase>, height: f64) {
    // The left sole first goes half a stride, then whole ones, and the last brings the feet level.
    let mut feet = [[0.0_f64; 2]; 2];
    for (carrier, (_, _, z)) in feet.iter_mut().zip(CARRIERS) {
        *carrier = [z - 0.04; 2];
    }
    for k in 0..4 {
        let (side, foot) = if k % 2 == 0 { (Side::Left, 0) } else { (Side::Right, 1) };
        let advance = if k == 0 || k == 3 { STRIDE } else { 2.0 * STRIDE };
        let steps: Vec<Step> = (feet.iter_mut().zip(CARRIERS))
            .map(|(feet, (name, ..))| {
                feet[foot] += advance;
                let x = if side == Side::Left { 0.096 } else { -0.096 };
                let landing = [x, 0.0, feet[foot]];
                Step { who: name.into(), foot: side, landing, height: 0.05, aside: 0.0, on: None }
            })
            .collect();
        let [mut shift, swing] = blocks::step(&format!("step {}", k + 1), "balance", &steps, [1.2, 0.8]);
        // The litter goes over the feet that stay.
        let stay = 0.5 * feet.iter().map(|feet| feet[1 - foot]).sum::<f64>() + 0.04;
        let x = if side == Side::Left { -0.08 } else { 0.08 };
        shift.actions.push(move_litter(DVec3::new(x, height, stay), 1.2));
        phases.extend([shift, swing]);
    }
    let soles =
        CARRIERS.iter().flat_map(|(name, ..)| [At::new(*name, "left_sole"), At::new(*name, "right_sole")]);
    let mut stand = blocks::shift("stand", "balance", Over::Frames(soles.collect()), 1.2);
    let end = 0.25 * feet.iter().flatten().sum::<f64>() + 0.04;
    stand.actions.push(move_litter(DVec3::new(0.0, height, end), 1.2));
    phases.push(stand);
}

fn move_litter(to: DVec3, seconds: f64) -> Action {
    Action::Move { task: "litter".into(), through: vec![Waypoint::at(to)], seen_from: None, seconds }
}

struct King {
    king: usize,
    litter: usize,
    separate: bool,
    began: Option<f64>,
    /// Where the seat was when the reaching began.
    path: Option<DVec3>,
}

impl Script for King {
    fn drive(&mut self, world: &mut World, machine: &mut Machine, inputs: &mut Inputs) {
        if !machine.is_interactive() {
            return;
        }
        let began = *self.began.get_or_insert(world.time);
        let seat =
            *self.path.get_or_insert_with(|| world.pose(place(world, self.litter, "seat")).translation);
        let t = world.time - began;
        // First near, then too far for her arm alone.
        let places = [DVec3::new(0.3, 0.35, 0.4), DVec3::new(0.75, 0.75, 0.75)];
        let s = crate::phase::smooth((t - 2.0) / 3.0);
        let target = seat + places[0].lerp(places[1], s);
        inputs.script("hand", Value::Point(target.to_array()));
        // The pull begins softly.
        if let Some(task) = world.task_mut("hand") {
            task.weight = 800.0 * crate::phase::smooth(t / 1.0);
        }
        world.aim("hand", inputs.get_point("hand"));
    }

    /// In separate programs the litter learns of her weight after she has moved.
    fn after(&mut self, world: &mut World, controller: &Controller) {
        if !self.separate {
            return;
        }
        let origin = world.pose(place(world, self.litter, "litter"));
        let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
        for (k, contact) in world.scene.contacts.iter().enumerate() {
            if contact.on.subsystem != self.king {
                continue;
            }
            let wrench = &controller.solver.solution.wrenches[6 * k..6 * k + 6];
            let (f, m) = (-DVec3::from_slice(wrench), -DVec3::from_slice(&wrench[3..]));
            force += f;
            moment += m + (controller.assembly.patch_origin(k) - origin.translation).cross(f);
        }
        let back: DMat3 = origin.rotation.transpose();
        let applied = &mut world.scene.subsystems[self.litter].applied;
        (back * force).write_to_slice(applied);
        (back * moment).write_to_slice(&mut applied[3..]);
    }

    fn results(&self, world: &World) -> Vec<(&'static str, f64)> {
        let litter = world.pose(place(world, self.litter, "litter")).translation;
        let distance = world.task("hand").map_or(f64::INFINITY, |task| world.distance(task));
        let seat = world.pose(place(world, self.litter, "seat")).translation;
        let help = self.path.map_or(0.0, |start| seat.distance(start));
        vec![
            ("hand to target (m)", distance),
            ("carried forward (m)", litter.z),
            ("lifted (m)", litter.y - LITTER_HEIGHT),
            ("seat moved by the carriers while she reaches (m)", help),
        ]
    }
}

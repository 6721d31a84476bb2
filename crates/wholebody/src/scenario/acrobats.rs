//! Acrobats: a tower of three is built storey by storey, then shaken at its top.

use glam::DVec3;

use super::inputs::Inputs;
use super::people::{self, Person, place};
use super::{Options, Parts, Script, Value};
use crate::humanoid::Stature;
use crate::model::ModelError;
use crate::objects;
use crate::phase::blocks::{self, Step};
use crate::phase::{Action, At, Condition, Machine, Over, Phase, Side, World};
use crate::scene::{Damper, Feature, Task};

/// From the middle of a person's shoulders to the soles of the one who waits behind (m).
const BEHIND: f64 = 0.34;

pub(super) fn build(_options: &Options) -> Result<Parts, ModelError> {
    let mut world = super::empty(0.01);
    world.scene.settings.collision_damper = Damper { gain: 1.0, security: 0.005, influence: 0.1 };
    let stance = [("thigh_x", -0.25), ("shank_x", 0.5), ("foot_x", -0.25), ("upper_arm_z", 0.2)];
    let wide = [("thigh_z", 0.1), ("foot_z", -0.1)];
    let joints: Vec<(&str, f64)> = stance.into_iter().chain(wide).collect();
    let mut persons = Vec::new();
    let mut floor = 0.0;
    // Without torque limits below, strong in the middle.
    for (k, (name, strength, mass)) in
        [("bottom", f64::INFINITY, 85.0), ("middle", 5.0, 66.0), ("top", 2.0, 52.0)].into_iter().enumerate()
    {
        // The middle one waits behind, the top one in front and looks back.
        let (z, yaw) = [(0.0, 0.0), (-BEHIND, 0.0), (BEHIND, std::f64::consts::PI)][k];
        let height = [1.8, 1.7, 1.62][k];
        let stature = Stature { height, mass, strength };
        let at = DVec3::new(0.0, floor, z);
        let person = people::add(&mut world, &Person { name, stature, at, yaw, joints: &joints })?;
        people::stand(&mut world, person, None);
        // Whoever is stood on is a pillar.
        let (posture, upright) = [(30.0, 100.0), (3.0, 30.0), (1.0, 3.0)][k];
        people::keep_posture(&mut world, person, posture, 20.0);
        let chest = place(&world, person, "chest");
        people::keep_upright(&mut world, &format!("{name} upright"), chest, upright, 20.0);
        people::keep_balance(&mut world, &format!("{name} balance"), &[person], 2000.0, 20.0);
        floor = world.pose(place(&world, person, "left_shoulder")).translation.y;
        if k > 0 {
            let out = z.signum();
            let top = DVec3::new(0.0, at.y, out * (BEHIND + 0.13));
            let foot = [0.0, out * (BEHIND + 0.3)];
            world.fixtures.extend(objects::platform(&format!("{name} platform"), top, [0.35, 0.26], foot));
        }
        persons.push(person);
    }
    let [bottom, middle, top] = [persons[0], persons[1], persons[2]];
    for (name, group) in [("two", vec![bottom, middle]), ("tower", vec![bottom, middle, top])] {
        let feature = Feature::CenterOfMass { subsystems: group.clone(), position: world.center(&group) };
        world.scene.tasks.push(Task::new(name, feature, 0.0, 20.0));
    }
    for (a, b) in [
        ((bottom, "head"), (middle, "left_shank")),
        ((bottom, "head"), (middle, "right_shank")),
        ((middle, "head"), (top, "left_shank")),
        ((middle, "head"), (top, "right_shank")),
        ((middle, "left_shank"), (middle, "right_shank")),
        ((top, "left_shank"), (top, "right_shank")),
    ] {
        people::keep_apart(&mut world, a, b);
    }
    let mut inputs = Inputs::default();
    let center = world.center(&[top]);
    // Straight knees are as high as it gets.
    inputs.point("top", DVec3::new(-0.1, -0.12, -0.08), DVec3::new(0.1, 0.0, 0.08), DVec3::ZERO);
    let script = Acrobats { top, began: None, base: center };
    Ok(Parts { world, phases: phases(), inputs, script: Box::new(script), seconds: 32.0 })
}

/// Onto the shoulders of the one below: one foot, the other, and then everybody's balance is one.
fn climb(who: &str, below: &str, group: &str, feet: &str, faces_back: bool, phases: &mut Vec<Phase>) {
    let sides = if faces_back { ["right", "left"] } else { ["left", "right"] };
    let balance = format!("{who} balance");
    for (k, foot) in [Side::Left, Side::Right].into_iter().enumerate() {
        let on = At::new(below, format!("{}_shoulder", sides[k]));
        let step = Step { who: who.into(), foot, landing: [0.0; 3], height: 0.06, aside: 0.0, on: Some(on) };
        let [shift, mut swing] =
            blocks::step(&format!("{who} climbs, {} foot", foot.name()), &balance, &[step], [1.6, 1.2]);
        if faces_back && let Some(Action::Swing { heading, .. }) = swing.actions.first_mut() {
            *heading = std::f64::consts::PI;
        }
        phases.extend([shift, swing]);
    }
    let shoulders = ["left", "right"].map(|side| At::new(below, format!("{side}_shoulder")));
    phases.push(blocks::shift(
        &format!("{who} stands on {below}"),
        &balance,
        Over::Frames(shoulders.to_vec()),
        1.2,
    ));
    let soles = ["left_sole", "right_sole"].map(|sole| At::new(feet, sole));
    let mut together = blocks::shift(&format!("{group} balances"), group, Over::Frames(soles.to_vec()), 1.0);
    together.actions.insert(0, Action::Weigh { task: group.into(), weight: 1000.0 });
    together.actions.push(Action::Weigh { task: format!("{below} balance"), weight: 5.0 });
    together.actions.push(Action::Weigh { task: format!("{who} posture"), weight: 10.0 });
    phases.push(together);
}

fn phases() -> Vec<Phase> {
    let mut phases = vec![Phase {
        name: "settle".into(),
        actions: Vec::new(),
        until: vec![Condition::After { seconds: 0.4 }],
        next: None,
    }];
    climb("middle", "bottom", "two", "bottom", false, &mut phases);
    climb("top", "middle", "tower", "bottom", true, &mut phases);
    let mut shake = blocks::interactive("shake", None);
    for (task, weight) in
        [("two", 1000.0), ("middle balance", 500.0), ("tower", 3000.0), ("top balance", 300.0)]
    {
        shake.actions.push(Action::Weigh { task: task.into(), weight });
    }
    phases.push(shake);
    phases
}

struct Acrobats {
    top: usize,
    began: Option<f64>,
    /// Where the top one's centre of mass was when the shaking began (m).
    base: DVec3,
}

impl Script for Acrobats {
    fn drive(&mut self, world: &mut World, machine: &mut Machine, inputs: &mut Inputs) {
        if !machine.is_interactive() {
            return;
        }
        if self.began.is_none() {
            self.base = world.center(&[self.top]);
        }
        let t = world.time - *self.began.get_or_insert(world.time);
        let grow = crate::phase::smooth(t / 2.0);
        let way = DVec3::new(
            0.035 * libm::sin(1.7 * t),
            -0.02 * (1.0 - libm::cos(1.3 * t)),
            0.02 * libm::sin(1.4 * t),
        );
        inputs.script("top", Value::Point((way * grow).to_array()));
        let target = self.base + inputs.get_point("top");
        world.aim("top balance", target);
    }

    fn results(&self, world: &World) -> Vec<(&'static str, f64)> {
        let head = world.pose(place(world, self.top, "crown")).translation.y;
        let shaken = world.task("top balance").map_or(0.0, |task| world.distance(task));
        let standing = |name: &str| {
            let on =
                |contact: &&crate::scene::Contact| contact.name.starts_with(name) && contact.with.is_some();
            world.scene.contacts.iter().filter(on).count() as f64
        };
        vec![
            ("height of the tower (m)", head),
            ("feet of the middle one on shoulders", standing("middle")),
            ("feet of the top one on shoulders", standing("top")),
            ("top's centre of mass to its target (m)", shaken),
            ("shaken for (s)", self.began.map_or(0.0, |began| world.time - began)),
        ]
    }
}

//! Funambulist: along a beam as wide as a foot, with a barbell whose end weights change.

use std::f64::consts::TAU;
use std::sync::Arc;

use glam::{DMat3, DVec3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::inputs::Inputs;
use super::people::{self, Person, place};
use super::{Options, Parts, Script, Value};
use crate::humanoid::Stature;
use crate::model::{BodyId, ModelError};
use crate::objects;
use crate::phase::blocks::{self, Step};
use crate::phase::{Action, At, Condition, Machine, Over, Phase, Side, World};
use crate::scene::{Controller, Subsystem};
use crate::spatial::Pose;

/// Height of the beam (m).
const HEIGHT: f64 = 1.0;
/// From one foot to the other along the beam (m).
const STRIDE: f64 = 0.28;
/// Steps of the script.
const STEPS: usize = 6;
/// Fastest change of a weight (kg/s).
const POUR: f64 = 3.0;

pub(super) fn build(options: &Options) -> Result<Parts, ModelError> {
    let mut world = super::empty(0.005);
    world.fixtures.push(objects::beam(
        DVec3::new(0.0, HEIGHT, -0.6),
        0.6 + STRIDE * (STEPS as f64 + 3.0),
        0.08,
    ));
    let joints = [
        ("thigh_x", -0.35),
        ("shank_x", 0.7),
        ("foot_x", -0.35),
        ("upper_arm_z", 0.3),
        ("upper_arm_x", -0.2),
        ("forearm_x", -1.25),
    ];
    let at = DVec3::new(0.0, HEIGHT, 0.0);
    let stature = Stature::default();
    let name = "funambulist";
    let person = people::add(&mut world, &Person { name, stature, at, yaw: 0.0, joints: &joints })?;
    let weights = [2.0, 2.0];
    let barbell = world.add(Subsystem::new("barbell", Arc::new(objects::barbell(weights)?)));
    let grip = place(&world, person, "left_grip");
    let hand = world.pose(grip);
    people::put(
        &mut world,
        barbell,
        "barbell",
        &Pose::from_translation(DVec3::new(0.0, hand.translation.y, hand.translation.z)),
    );
    let sole = |z: f64| Pose::from_translation(DVec3::new(0.0, HEIGHT, z));
    let grips = ["left_grip", "right_grip"].map(|side| {
        let there = world.pose(place(&world, barbell, side)).translation;
        let rotation = world.pose(place(&world, person, side)).rotation;
        Pose { rotation, translation: there }
    });
    let goals = [
        ("left_sole", sole(0.5 * STRIDE)),
        ("right_sole", sole(-0.5 * STRIDE)),
        ("left_grip", grips[0]),
        ("right_grip", grips[1]),
    ];
    people::pull(&mut world, person, &goals);
    people::stand(&mut world, person, None);
    for side in ["left", "right"] {
        let on = place(&world, person, &format!("{side}_grip"));
        let with = place(&world, barbell, &format!("{side}_grip"));
        let area = crate::scene::ContactArea::Grasp { radius: 0.014, half_length: 0.035 };
        let pose = world.pose(with);
        let contact = world.scene.contact_here(format!("{side} grasp"), on, Some(with), pose, area, 0.9);
        world.scene.contacts.push(contact);
    }
    people::keep_posture(&mut world, person, 1.0, 15.0);
    people::keep_balance(&mut world, "balance", &[person, barbell], 300.0, 25.0);
    let chest = place(&world, person, "chest");
    people::keep_upright(&mut world, "upright", chest, 3.0, 15.0);
    let bar = place(&world, barbell, "barbell");
    people::keep_upright(&mut world, "level barbell", bar, 3.0, 15.0);
    add_pairs(&mut world, person, barbell);

    let mut inputs = Inputs::default();
    inputs.number("left weight", [0.5, 6.0], "kg", weights[0]);
    inputs.number("right weight", [0.5, 6.0], "kg", weights[1]);
    let mut rng = ChaCha8Rng::seed_from_u64(options.seed ^ 0x6675_6e61);
    let waves = std::array::from_fn(|_| {
        std::array::from_fn(|_| Wave { rate: rng.random_range(0.5..2.2), phase: rng.random_range(0.0..TAU) })
    });
    let script = Funambulist { person, barbell, weights, waves, furthest: 0.0 };
    Ok(Parts { world, phases: phases(), inputs, script: Box::new(script), seconds: 24.0 })
}

/// Seven pairs: legs among each other, the bar and the body.
fn add_pairs(world: &mut World, person: usize, barbell: usize) {
    for (a, b) in [
        ((person, "left_foot"), (person, "right_foot")),
        ((person, "left_foot"), (person, "right_shank")),
        ((person, "left_shank"), (person, "right_foot")),
        ((person, "left_shank"), (person, "right_shank")),
        ((barbell, "bar"), (person, "left_thigh")),
        ((barbell, "bar"), (person, "right_thigh")),
        ((barbell, "bar"), (person, "spine")),
    ] {
        people::keep_apart(world, a, b);
    }
}

fn phases() -> Vec<Phase> {
    let who = "funambulist";
    let mut phases = vec![Phase {
        name: "settle".into(),
        actions: Vec::new(),
        until: vec![Condition::After { seconds: 0.5 }],
        next: None,
    }];
    let mut ahead = 0.5 * STRIDE;
    for k in 0..STEPS {
        let foot = if k.is_multiple_of(2) { Side::Right } else { Side::Left };
        ahead += STRIDE;
        let step = Step {
            who: who.into(),
            foot,
            landing: [0.0, HEIGHT, ahead],
            height: 0.06,
            aside: 0.17,
            on: None,
        };
        phases.extend(blocks::step(&format!("step {}", k + 1), "balance", &[step], [1.0, 1.1]));
    }
    let soles = ["left_sole", "right_sole"].map(|sole| At::new(who, sole));
    phases.push(blocks::shift("stand", "balance", Over::Frames(soles.to_vec()), 1.0));
    let mut last = blocks::interactive("keep balance", None);
    last.actions.push(Action::Weigh { task: "balance".into(), weight: 300.0 });
    phases.push(last);
    phases
}

#[derive(Clone, Copy, Debug)]
struct Wave {
    rate: f64,
    phase: f64,
}

struct Funambulist {
    person: usize,
    barbell: usize,
    weights: [f64; 2],
    waves: [[Wave; 3]; 2],
    furthest: f64,
}

impl Script for Funambulist {
    fn drive(&mut self, world: &mut World, _machine: &mut Machine, inputs: &mut Inputs) {
        let dt = world.scene.settings.dt;
        let mut changed = false;
        for (k, name) in ["left weight", "right weight"].into_iter().enumerate() {
            let t = world.time;
            let sum: f64 = self.waves[k].iter().map(|wave| libm::sin(wave.rate * t + wave.phase)).sum();
            inputs.script(name, Value::Number(3.0 + 0.8 * sum * (t / 2.0).min(1.0)));
            let step = (inputs.get_number(name) - self.weights[k]).clamp(-POUR * dt, POUR * dt);
            self.weights[k] += step;
            changed |= step != 0.0;
        }
        if changed {
            let model = Arc::make_mut(&mut world.scene.subsystems[self.barbell].model);
            // Positive weights within their range always make a body.
            let _ = model.set_inertia(BodyId(0), objects::barbell_inertia(self.weights));
        }
    }

    fn after(&mut self, world: &mut World, _controller: &Controller) {
        let center = world.center(&[self.person, self.barbell]);
        self.furthest = self.furthest.max(center.x.abs());
    }

    fn results(&self, world: &World) -> Vec<(&'static str, f64)> {
        let at = place(world, self.person, "pelvis");
        let pose = world.pose(at);
        let up: DMat3 = pose.rotation;
        vec![
            ("walked (m)", pose.translation.z),
            ("height of the pelvis above the beam (m)", pose.translation.y - HEIGHT),
            ("tilt of the pelvis (rad)", libm::acos(up.y_axis.y.clamp(-1.0, 1.0))),
            ("centre of mass aside of the beam, largest (m)", self.furthest),
        ]
    }
}

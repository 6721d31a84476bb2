//! Sword: one swings, the other dodges by balance and collision avoidance alone.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use parry3d_f64::math::{Pose3, Rot3, Vec3};
use parry3d_f64::query;
use parry3d_f64::shape::Capsule;

use super::inputs::Inputs;
use super::people::{self, Person, place};
use super::{Options, Parts, Script, Value};
use crate::humanoid::Stature;
use crate::model::{ModelError, Shape};
use crate::objects::{self, BLADE};
use crate::phase::{Machine, Sight, World, blocks};
use crate::scene::{ContactArea, Controller, Damper, Feature, Obstacle, Place, Subsystem, Task};
use crate::spatial::Pose;

/// Between the two (m).
const APART: f64 = 1.28;
/// From one swing to the next (s).
const PERIOD: f64 = 1.9;
/// Where the guard of the sword is held (m).
const GUARD: DVec3 = DVec3::new(0.0, 1.2, 0.55);

/// The links of the one who dodges.
const LINKS: [&str; 16] = [
    "pelvis",
    "spine",
    "chest",
    "head",
    "left_thigh",
    "left_shank",
    "left_foot",
    "left_upper_arm",
    "left_forearm",
    "left_hand",
    "right_thigh",
    "right_shank",
    "right_foot",
    "right_upper_arm",
    "right_forearm",
    "right_hand",
];

pub(super) fn build(_options: &Options) -> Result<Parts, ModelError> {
    let mut world = super::empty(0.01);
    world.scene.settings.collision_damper = Damper { gain: 3.0, security: 0.02, influence: 0.4 };
    world.scene.settings.joint_damper = Damper { gain: 3.0, security: 0.01, influence: 0.3 };
    let stance =
        [("thigh_x", -0.3), ("shank_x", 0.6), ("foot_x", -0.3), ("thigh_z", 0.12), ("foot_z", -0.12)];
    let arms = [("upper_arm_x", -0.5), ("upper_arm_z", -0.1), ("forearm_x", -1.1)];
    let joints: Vec<(&str, f64)> = stance.into_iter().chain(arms).collect();
    let strong = Stature { strength: 4.0, ..Stature::default() };
    let swordsman = people::add(
        &mut world,
        &Person { name: "swordsman", stature: strong, at: DVec3::ZERO, yaw: 0.0, joints: &joints },
    )?;
    people::stand(&mut world, swordsman, None);
    let sword = world.add(Subsystem::new("sword", Arc::new(objects::sword()?)));
    let (guard, tip) = swing(0.0);
    let blade = DQuat::from_rotation_arc(DVec3::Y, (tip - guard).normalize());
    people::put(&mut world, sword, "sword", &Pose::new(blade, guard));
    let goals = [("right_grip", "upper_grip"), ("left_grip", "lower_grip")].map(|(hand, hilt)| {
        let there = world.pose(place(&world, sword, hilt)).translation;
        (hand, Pose { rotation: world.pose(place(&world, swordsman, hand)).rotation, translation: there })
    });
    people::pull(&mut world, swordsman, &goals);
    for (hand, hilt) in [("right_grip", "upper_grip"), ("left_grip", "lower_grip")] {
        let (on, with) = (place(&world, swordsman, hand), place(&world, sword, hilt));
        let area = ContactArea::Grasp { radius: 0.016, half_length: 0.035 };
        let contact = world.scene.contact_here(hand, on, Some(with), world.pose(with), area, 0.9);
        world.scene.contacts.push(contact);
    }
    people::keep_posture(&mut world, swordsman, 1.0, 15.0);
    people::keep_balance(&mut world, "swordsman balance", &[swordsman, sword], 2000.0, 30.0);
    for (name, frame, weight) in [("tip", "tip", 1000.0), ("guard", "sword", 300.0)] {
        let at = place(&world, sword, frame);
        let position = world.pose(at).translation;
        world.scene.tasks.push(Task::new(name, Feature::Position { place: at, position }, weight, 100.0));
    }

    let joints: Vec<(&str, f64)> =
        stance.into_iter().chain([("upper_arm_z", 0.25), ("forearm_x", -0.5)]).collect();
    let at = DVec3::new(0.0, 0.0, APART);
    let stature = Stature { strength: 3.0, ..Stature::default() };
    let yaw = std::f64::consts::PI;
    let dodger = people::add(&mut world, &Person { name: "dodger", stature, at, yaw, joints: &joints })?;
    people::stand(&mut world, dodger, None);
    people::keep_posture(&mut world, dodger, 0.3, 12.0);
    people::keep_balance(&mut world, "dodger balance", &[dodger], 30.0, 20.0);
    add_pairs(&mut world, swordsman, sword, dodger);

    let frozen = LINKS.map(|link| {
        let model = &world.scene.subsystems[dodger].model;
        let frame = model.frame(&format!("{link}#shape"));
        let solid = model.solids.iter().find(|solid| Some(solid.frame) == frame);
        match solid.map(|solid| (&solid.shape, solid.frame)) {
            Some((Shape::Capsule { half_length, radius }, frame)) => {
                (world.pose(Place { subsystem: dodger, frame }), *half_length, *radius)
            }
            _ => (Pose::IDENTITY, 0.0, 0.0),
        }
    });
    let mut inputs = Inputs::default();
    let reach = DVec3::new(1.2, 0.9, 0.8);
    inputs.point("tip", tip - reach, tip + reach, tip);
    let script = Sword {
        sword,
        dodger,
        frozen,
        swings: 0,
        strikes: 0,
        struck: false,
        last: 0,
        nearest: f64::INFINITY,
        hits: 0,
        touched: false,
        sight: Sight::of(blade_of(&world, sword)),
    };
    let phases = vec![blocks::interactive("fight", None)];
    Ok(Parts { world, phases, inputs, script: Box::new(script), seconds: 62.0 })
}

/// Thirty-three pairs: the blade and everything of the dodger, the blade and the swordsman's own head and
/// legs, and the dodger's own limbs.
fn add_pairs(world: &mut World, swordsman: usize, sword: usize, dodger: usize) {
    for link in LINKS {
        people::keep_apart(world, (sword, "blade"), (dodger, link));
    }
    for link in ["head", "left_thigh", "left_shank", "left_foot", "right_thigh", "right_shank", "right_foot"]
    {
        people::keep_apart(world, (sword, "blade"), (swordsman, link));
    }
    for (a, b) in [
        ("left_hand", "left_thigh"),
        ("right_hand", "right_thigh"),
        ("left_forearm", "spine"),
        ("right_forearm", "spine"),
        ("left_forearm", "right_forearm"),
        ("left_hand", "right_hand"),
        ("left_shank", "right_shank"),
        ("left_hand", "head"),
        ("right_hand", "head"),
        ("left_hand", "right_thigh"),
    ] {
        people::keep_apart(world, (dodger, a), (dodger, b));
    }
}

/// Guard and tip of the scripted sword at a time (s): swings to and fro through where the dodger stands, at
/// heights about that of the head.
fn swing(t: f64) -> (DVec3, DVec3) {
    let k = (t / PERIOD) as usize;
    let s = crate::phase::smooth((t / PERIOD - k as f64) / 0.85);
    let from = if k.is_multiple_of(2) { -1.0 } else { 1.0 };
    let angle = from * (1.0 - 2.0 * s) * 0.7;
    // Rises and falls between swings.
    let heights = [0.58, 0.52, 0.62, 0.55];
    let (h0, h1) = (heights[k % 4], heights[(k + 1) % 4]);
    let rise = h0 + (h1 - h0) * crate::phase::smooth((t / PERIOD - k as f64 - 0.8) / 0.2);
    let along = DVec3::new(libm::sin(angle), rise, libm::cos(angle)).normalize();
    let guard = GUARD + DVec3::new(0.2 * libm::sin(angle), 0.0, 0.0);
    (guard, guard + along * BLADE)
}

struct Sword {
    sword: usize,
    dodger: usize,
    /// Capsules of the dodger where they were at the beginning.
    frozen: [(Pose, f64, f64); 16],
    swings: usize,
    strikes: usize,
    struck: bool,
    last: usize,
    nearest: f64,
    /// Swings that met the dodger.
    hits: usize,
    touched: bool,
    /// The blade as the dodger sees it.
    sight: Sight,
}

fn blade_of(world: &World, sword: usize) -> Place {
    Place { subsystem: sword, frame: world.scene.subsystems[sword].model.solids[0].frame }
}

impl Sword {
    /// The dodger keeps away from where the blade was a while ago, the swordsman does not care.
    fn see_late(&mut self, world: &mut World) {
        let (world_from_shape, velocity) = self.sight.look(world, world.delay);
        let shape = world.scene.subsystems[self.sword].model.solids[0].shape.clone();
        for pair in world.scene.pairs.iter_mut().take(LINKS.len()) {
            pair.a = Obstacle::Seen { shape: shape.clone(), world_from_shape, velocity };
        }
    }

    /// From the blade to the dodger as they are (m).
    fn gap(&self, world: &World) -> f64 {
        let pose = parry(&world.pose(blade_of(world, self.sword)));
        let steel = Capsule::new_y(0.5 * BLADE, 0.016);
        let model = &world.scene.subsystems[self.dodger].model;
        let limbs = model.solids.iter().filter_map(|solid| match solid.shape {
            Shape::Capsule { half_length, radius } => {
                let place = Place { subsystem: self.dodger, frame: solid.frame };
                Some((parry(&world.pose(place)), Capsule::new_y(half_length, radius)))
            }
            _ => None,
        });
        let gaps = limbs.filter_map(|(place, limb)| query::distance(&pose, &steel, &place, &limb).ok());
        gaps.map(|gap| gap.distance).fold(f64::INFINITY, f64::min)
    }
}

impl Script for Sword {
    fn drive(&mut self, world: &mut World, _machine: &mut Machine, inputs: &mut Inputs) {
        let (guard, tip) = swing(world.time);
        inputs.script("tip", Value::Point(tip.to_array()));
        let target = inputs.get_point("tip");
        let scripted = inputs.0.iter().all(|input| input.scripted);
        let guard = if scripted {
            guard
        } else {
            // The hands follow the way the tip points.
            let out = target - GUARD;
            GUARD + out - out.clamp_length(BLADE, BLADE)
        };
        let dt = world.scene.settings.dt;
        let later = swing(world.time + dt);
        for (name, at, next) in [("tip", target, later.1), ("guard", guard, later.0)] {
            if let Some(task) = world.task_mut(name) {
                task.velocity.clear();
                if scripted {
                    task.velocity.extend(((next - at) / dt).to_array());
                }
            }
            world.aim(name, at);
        }
        if world.delay > 0.0 {
            self.see_late(world);
        }
    }

    fn after(&mut self, world: &mut World, _controller: &Controller) {
        let k = (world.time / PERIOD) as usize;
        if k != self.last {
            self.swings += 1;
            self.strikes += usize::from(self.struck);
            self.hits += usize::from(self.touched);
            (self.struck, self.touched, self.last) = (false, false, k);
        }
        let pose = parry(&world.pose(blade_of(world, self.sword)));
        let steel = Capsule::new_y(0.5 * BLADE, 0.016);
        for (place, half_length, radius) in &self.frozen {
            let limb = Capsule::new_y(*half_length, *radius);
            if query::distance(&pose, &steel, &parry(place), &limb).is_ok_and(|gap| gap.distance <= 0.0) {
                self.struck = true;
            }
        }
        let gap = self.gap(world);
        self.nearest = self.nearest.min(gap);
        self.touched |= gap <= 0.0;
    }

    fn results(&self, world: &World) -> Vec<(&'static str, f64)> {
        let head = world.pose(place(world, self.dodger, "head")).translation;
        let share = if self.swings > 0 { self.strikes as f64 / self.swings as f64 } else { 0.0 };
        vec![
            ("swings", self.swings as f64),
            ("share of swings that would strike a frozen dodger", share),
            ("swings that met the dodger", self.hits as f64),
            ("nearest the blade came to the dodger (m)", self.nearest),
            ("height of the dodger's head (m)", head.y),
        ]
    }
}

fn parry(pose: &Pose) -> Pose3 {
    let q = DQuat::from_mat3(&pose.rotation);
    let t = pose.translation;
    Pose3::from_parts(Vec3::new(t.x, t.y, t.z), Rot3::from_xyzw(q.x, q.y, q.z, q.w))
}

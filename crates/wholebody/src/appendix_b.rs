//! Why one program for everybody: four ways to push an object to its place.
//!
//! Reference: \[Vaillant2017\], appendix B and figure 13. Object 1 has a thrust of limited force, object 2
//! none; object 2 must come to rest at a given place. Both slide without friction up an incline, so that
//! the weight of object 2 has to be borne as well as accelerated (the source leaves open what resists the
//! motion; on level ground any force suffices in the end). Positions are those of the touching faces
//! along the incline; object 2 rests against a stop at its start.
//!
//! 1. One program for both: thrust limit, both equations of motion and the contact are all known.
//! 2. A program for object 1 alone, towards the same place: it does not know what it pushes.
//! 3. A kinematic program for object 2, then one for object 1 that follows: the thrust meets its limit.
//! 4. The same with the contact enforced: the thrust exceeds its limit.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use serde::Serialize;

use crate::model::{BodyId, JointKind, JointSpec, Limits, Model, ModelBuilder, ModelError};
use crate::scene::{ContactArea, Controller, Feature, Place, Scene, Subsystem, Task, Verdict};
use crate::spatial::{Inertia, Pose};

/// The two objects and their task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PushSettings {
    /// Mass of object 1 and object 2 (kg).
    pub masses: [f64; 2],
    /// Largest thrust of object 1 (N).
    pub thrust: f64,
    /// Slope of the incline (rad).
    pub slope: f64,
    /// Where object 1 starts; object 2 starts at zero (m).
    pub start: f64,
    /// Where object 2 must come to rest (m).
    pub goal: f64,
    /// Of all tasks (1/s²).
    pub stiffness: f64,
    /// Time step and duration of the push (s).
    pub dt: f64,
    /// Duration after contact (s).
    pub duration: f64,
}

impl Default for PushSettings {
    fn default() -> Self {
        PushSettings {
            masses: [2.0, 6.0],
            thrust: 18.0,
            slope: 10.0_f64.to_radians(),
            start: -0.8,
            goal: 1.0,
            stiffness: 9.0,
            dt: 0.005,
            duration: 8.0,
        }
    }
}

/// How one of the four ways went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PushCase {
    /// 1 to 4, as in the source.
    pub case: u32,
    /// What was tried.
    pub name: &'static str,
    /// Object 2 came to its place, pushed by a thrust within its limit.
    pub success: bool,
    /// Where object 2 ended (m).
    pub final_position: f64,
    /// Largest thrust used (N).
    pub max_thrust: f64,
    /// Smallest distance between the objects before object 2 had arrived (m).
    pub min_gap: f64,
    /// In words.
    pub verdict: String,
}

/// All four.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PushReport {
    /// Where object 2 must come to rest (m).
    pub goal: f64,
    /// Largest thrust allowed (N).
    pub thrust_limit: f64,
    /// In the order of the source.
    pub cases: Vec<PushCase>,
}

/// Runs the four cases.
pub fn appendix_b(settings: &PushSettings) -> Result<PushReport, ModelError> {
    let cases =
        vec![integrated(settings)?, independent(settings)?, follow(settings)?, forced_contact(settings)?];
    Ok(PushReport { goal: settings.goal, thrust_limit: settings.thrust, cases })
}

/// Within this of its place object 2 has arrived (m).
const ARRIVED: f64 = 0.01;

fn integrated(s: &PushSettings) -> Result<PushCase, ModelError> {
    let mut scene = scene_of(s, &[object(s, 0, s.thrust)?]);
    scene.subsystems[0].q[0] = s.start;
    let mut controller = Controller::default();
    let mut max_thrust: f64 = 0.0;
    // First to the face of object 2, which its stop holds.
    scene.tasks = vec![place_task("reach object 2", 0, 0.0, s)];
    for _ in 0..steps(s) {
        let outcome = controller.step(&mut scene);
        max_thrust = max_thrust.max(outcome.solution.torques[0].abs());
    }
    // Then both, in contact.
    let reached = scene.subsystems[0].clone();
    let mut both = scene_of(s, &[object(s, 0, s.thrust)?, object(s, 1, 0.0)?]);
    both.subsystems[0].q = reached.q;
    touch(&mut both, s);
    both.tasks = vec![place_task("object 2 to its place", 1, s.goal, s)];
    let mut solved = true;
    for _ in 0..steps(s) {
        let outcome = controller.step(&mut both);
        max_thrust = max_thrust.max(outcome.solution.torques[0].abs());
        solved &= outcome.verdict == Verdict::Solved;
    }
    let final_position = both.subsystems[1].q[0];
    let success = solved && (final_position - s.goal).abs() < ARRIVED && max_thrust <= s.thrust + 1e-6;
    let verdict = "one program knows both masses, the contact and the limit: object 2 arrives".into();
    let gap = (both.subsystems[1].q[0] - both.subsystems[0].q[0]).abs();
    Ok(PushCase {
        case: 1,
        name: "one integrated program",
        success,
        final_position,
        max_thrust,
        min_gap: gap,
        verdict,
    })
}

fn independent(s: &PushSettings) -> Result<PushCase, ModelError> {
    let mut scene = scene_of(s, &[object(s, 0, s.thrust)?]);
    scene.subsystems[0].q[0] = s.start;
    scene.tasks = vec![place_task("object 1 to the place", 0, s.goal, s)];
    let mut controller = Controller::default();
    let mut world = World { x: [s.start, 0.0], v: [0.0, 0.0] };
    let (mut max_thrust, mut min_gap): (f64, f64) = (0.0, f64::INFINITY);
    for _ in 0..2 * steps(s) {
        scene.subsystems[0].q[0] = world.x[0];
        scene.subsystems[0].v[0] = world.v[0];
        let thrust = controller.solve(&scene).solution.torques[0];
        max_thrust = max_thrust.max(thrust.abs());
        world.advance(s, thrust);
        min_gap = min_gap.min(world.x[1] - world.x[0]);
    }
    let final_position = world.x[1];
    let success = (final_position - s.goal).abs() < ARRIVED;
    let verdict = format!(
        "the thrust is that of object 1 alone: object 2 stops {:.2} m short",
        s.goal - final_position
    );
    Ok(PushCase {
        case: 2,
        name: "a program for object 1 alone",
        success,
        final_position,
        max_thrust,
        min_gap,
        verdict,
    })
}

fn follow(s: &PushSettings) -> Result<PushCase, ModelError> {
    let mut scene = scene_of(s, &[object(s, 0, s.thrust)?]);
    scene.subsystems[0].q[0] = s.start;
    let mut controller = Controller::default();
    let (mut max_thrust, mut min_gap): (f64, f64) = (0.0, f64::INFINITY);
    let (mut x, mut v) = (0.0, 0.0);
    while s.goal - x > ARRIVED {
        // Object 2 as if it could move by itself.
        let a = s.stiffness * (s.goal - x) - 2.0 * libm::sqrt(s.stiffness) * v;
        let mut task = place_task("follow object 2", 0, x, s);
        (task.velocity, task.acceleration) = (vec![v], vec![a]);
        scene.tasks = vec![task];
        max_thrust = max_thrust.max(controller.step(&mut scene).solution.torques[0].abs());
        v += s.dt * a;
        x += s.dt * v;
        min_gap = min_gap.min(x - scene.subsystems[0].q[0]);
    }
    let verdict = format!(
        "the thrust meets its limit and object 2's motion is never caught: {:.2} m apart when it has arrived without \
         being pushed",
        x - scene.subsystems[0].q[0]
    );
    let name = "a kinematic program for object 2, object 1 follows";
    Ok(PushCase { case: 3, name, success: min_gap <= 1e-3, final_position: x, max_thrust, min_gap, verdict })
}

fn forced_contact(s: &PushSettings) -> Result<PushCase, ModelError> {
    // Nothing limits the thrust: it is whatever object 2's kinematic motion and the contact ask for.
    let mut scene = scene_of(s, &[object(s, 0, f64::INFINITY)?, object(s, 1, 0.0)?]);
    touch(&mut scene, s);
    scene.tasks = vec![place_task("object 2 to its place", 1, s.goal, s)];
    let mut controller = Controller::default();
    let mut max_thrust: f64 = 0.0;
    for _ in 0..steps(s) {
        max_thrust = max_thrust.max(controller.step(&mut scene).solution.torques[0].abs());
    }
    let final_position = scene.subsystems[1].q[0];
    let success = max_thrust <= s.thrust && (final_position - s.goal).abs() < ARRIVED;
    let verdict =
        format!("the contact holds, but asks for {max_thrust:.0} N of the {:.0} N there are", s.thrust);
    let name = "a kinematic program for object 2, contact enforced";
    Ok(PushCase { case: 4, name, success, final_position, max_thrust, min_gap: 0.0, verdict })
}

fn steps(s: &PushSettings) -> usize {
    ((s.duration / s.dt) as usize).min(1_000_000)
}

fn along(s: &PushSettings) -> DVec3 {
    DVec3::new(libm::cos(s.slope), libm::sin(s.slope), 0.0)
}

/// Object 1 (with thrust) or 2 (without): a body that slides along the incline.
fn object(s: &PushSettings, idx: usize, thrust: f64) -> Result<Arc<Model>, ModelError> {
    let mut builder = ModelBuilder::new(["object 1", "object 2"][idx]);
    let limits = if idx == 0 { Limits { torque: Some(thrust), ..Limits::PASSIVE } } else { Limits::PASSIVE };
    let joint = JointSpec::new("slide", JointKind::Prismatic(along(s))).with_limits(limits);
    builder.add_body(None, "body", joint, Inertia::of_box(s.masses[idx], DVec3::splat(0.2)))?;
    Ok(Arc::new(builder.build()?))
}

fn scene_of(s: &PushSettings, models: &[Arc<Model>]) -> Scene {
    let mut scene = Scene::default();
    scene.settings.dt = s.dt;
    // Small against the tasks' weight of 1, so that the objects arrive and not only nearly so.
    scene.settings.acceleration_cost = 1e-6;
    scene.settings.force_cost = 1e-6;
    for (idx, model) in models.iter().enumerate() {
        scene.add(Subsystem::new(["object 1", "object 2"][idx], Arc::clone(model)));
    }
    scene
}

/// The contact through which object 1 pushes object 2.
fn touch(scene: &mut Scene, s: &PushSettings) {
    let place = |scene: &Scene, subsystem: usize| -> Option<Place> { scene.place(subsystem, "body") };
    if let (Some(pusher), Some(pushed)) = (place(scene, 0), place(scene, 1)) {
        let normal = DQuat::from_rotation_arc(DVec3::Y, along(s));
        let patch = Pose::new(normal, scene.pose_of(pushed).translation);
        let area = ContactArea::Planar { half: [0.1, 0.1] };
        let contact = scene.contact_here("push", pushed, Some(pusher), patch, area, 0.5);
        scene.contacts.push(contact);
    }
}

fn place_task(name: &str, subsystem: usize, position: f64, s: &PushSettings) -> Task {
    let feature = Feature::Joint { subsystem, joint: BodyId(0), position };
    Task::new(name, feature, 1.0, s.stiffness)
}

/// What really happens to the two objects under a thrust.
struct World {
    x: [f64; 2],
    v: [f64; 2],
}

impl World {
    fn advance(&mut self, s: &PushSettings, thrust: f64) {
        let weight = 9.81 * libm::sin(s.slope);
        let [m1, m2] = s.masses;
        let (mut a1, mut a2) = (thrust / m1 - weight, -weight);
        let touching = self.x[1] - self.x[0] < 1e-9;
        let at_stop = self.x[1] <= 1e-9;
        if touching {
            // Inelastic: from now on one body, unless object 1 draws back.
            let common = (m1 * self.v[0] + m2 * self.v[1]) / (m1 + m2);
            if self.v[0] > self.v[1] {
                self.v = [common; 2];
            }
            let together = thrust / (m1 + m2) - weight;
            if a1 > a2 {
                (a1, a2) = (together, together);
            }
        }
        if at_stop && a2 < 0.0 && self.v[1] <= 0.0 {
            a2 = 0.0;
            self.v[1] = 0.0;
            if touching && a1 > 0.0 {
                a1 = 0.0;
                self.v[0] = self.v[0].min(0.0);
            }
        }
        self.v = [self.v[0] + s.dt * a1, self.v[1] + s.dt * a2];
        self.x = [self.x[0] + s.dt * self.v[0], self.x[1] + s.dt * self.v[1]];
        self.x[1] = self.x[1].max(0.0);
        self.x[0] = self.x[0].min(self.x[1]);
    }
}

//! Models, states and forces of a run as plain numbers, so that other programs can work the physics out again.

use glam::DVec3;
use serde::Serialize;

use crate::dynamics;
use crate::model::{BodyId, JointKind, Model};
use crate::scenario::Scenario;
use crate::spatial::Pose;

/// A run: what everything is made of, and what happened in some of its steps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StatesReport {
    /// Name of the scenario.
    pub scenario: &'static str,
    /// Time step (s).
    pub dt: f64,
    /// (m/s²)
    pub gravity: [f64; 3],
    /// Subsystem by subsystem.
    pub models: Vec<ModelText>,
    /// Some of the steps.
    pub steps: Vec<StepText>,
}

/// A model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelText {
    /// Name of the subsystem.
    pub name: String,
    /// Joints with their bodies; parents come before children.
    pub joints: Vec<JointText>,
}

/// A joint and the body that it moves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointText {
    /// Unique in its model.
    pub name: String,
    /// Place of its parent in the list; `null` is the world.
    pub parent: Option<u32>,
    /// `floating`, `revolute`, `continuous`, `prismatic` or `spherical`.
    pub kind: &'static str,
    /// Of a joint with one degree of freedom, in its own frame.
    pub axis: [f64; 3],
    /// Where it is in the parent at position zero: rotation by rows, then translation (m).
    pub rotation: [[f64; 3]; 3],
    /// (m)
    pub translation: [f64; 3],
    /// Whether it has a drive.
    pub driven: bool,
}

/// A step: state before it, what was decided, and what pushed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepText {
    /// When it began (s).
    pub t: f64,
    /// Subsystem by subsystem.
    pub bodies: Vec<BodyText>,
    /// Contact by contact.
    pub contacts: Vec<ContactText>,
}

/// State and accelerations of a subsystem.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BodyText {
    /// Configuration: floating joints have place, then quaternion x y z w.
    pub q: Vec<f64>,
    /// Velocity: floating joints linear, then angular, in their own frame.
    pub v: Vec<f64>,
    /// Acceleration, likewise.
    pub qdd: Vec<f64>,
    /// Torques and forces of the drives (N m or N).
    pub tau: Vec<f64>,
    /// Generalised forces from elsewhere: springs (N m or N).
    pub applied: Vec<f64>,
    /// Masses (kg), centres (m) and moments about them (xx yy zz xy xz yz, kg m²) of the bodies, in their own frames:
    /// weights change while a scenario runs.
    pub inertias: Vec<(f64, [f64; 3], [f64; 6])>,
}

/// A contact and its force.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContactText {
    /// Its name.
    pub name: String,
    /// Subsystem and body that is pushed.
    pub on: (usize, Option<u32>),
    /// Those that push back; `null` is the environment.
    pub with: Option<(usize, Option<u32>)>,
    /// Where (m), in the world.
    pub point: [f64; 3],
    /// Axis of the area's normal in the world.
    pub normal: [f64; 3],
    /// (N), world axes.
    pub force: [f64; 3],
    /// (N m) about the point, world axes.
    pub moment: [f64; 3],
    /// Friction coefficient (-).
    pub friction: f64,
    /// Whether it is a grasp.
    pub grasp: bool,
}

/// Runs a scenario for so many seconds and keeps every `every`-th step.
pub fn states(scenario: &mut Scenario, seconds: f64, every: usize) -> StatesReport {
    let dt = scenario.world().scene.settings.dt;
    let total = ((seconds / dt).round() as usize).clamp(1, 10_000_000);
    let models = scenario.world().scene.subsystems.iter().map(|s| model_text(&s.name, &s.model)).collect();
    let mut steps = Vec::new();
    for k in 0..total {
        let wanted = k.is_multiple_of(every.max(1));
        let before = wanted.then(|| scenario.world().clone());
        scenario.step();
        // A step that had to give way is no physics to be checked.
        if let Some(before) = before.filter(|_| scenario.trouble().is_none()) {
            steps.push(step_text(&before, scenario));
        }
    }
    let gravity = scenario.world().scene.settings.gravity.to_array();
    StatesReport { scenario: scenario.name(), dt, gravity, models, steps }
}

fn model_text(name: &str, model: &Model) -> ModelText {
    // Placements are told from the poses at the neutral state, where every joint is at zero.
    let q = model.neutral();
    let mut workspace = dynamics::Workspace::new(model);
    dynamics::update(model, &mut workspace, &q, &vec![0.0; model.n_v]);
    let pose = |body: BodyId| dynamics::body_pose(model, &workspace, body);
    let joints = model.joints.iter().enumerate().map(|(idx, joint)| {
        let parent = joint.parent.map_or(Pose::IDENTITY, pose);
        let place = parent.inverse() * pose(BodyId(idx as u32));
        let (kind, axis) = match joint.kind {
            JointKind::Revolute(axis) => ("revolute", axis),
            JointKind::Continuous(axis) => ("continuous", axis),
            JointKind::Prismatic(axis) => ("prismatic", axis),
            JointKind::Spherical => ("spherical", DVec3::ZERO),
            JointKind::Floating => ("floating", DVec3::ZERO),
        };
        JointText {
            name: joint.name.clone(),
            parent: joint.parent.map(|parent| parent.0),
            kind,
            axis: axis.to_array(),
            rotation: place.rotation.transpose().to_cols_array_2d(),
            translation: place.translation.to_array(),
            driven: joint.limits.torque.is_some(),
        }
    });
    ModelText { name: name.into(), joints: joints.collect() }
}

fn step_text(before: &crate::phase::World, scenario: &Scenario) -> StepText {
    let controller = scenario.controller();
    let solution = &controller.solver.solution;
    let scene = &scenario.world().scene;
    let mut start = 0;
    // Contacts and inertias are those of the step: phases and scripts change them before it.
    let bodies = (scene.subsystems.iter().zip(&before.scene.subsystems))
        .map(|(now, then)| {
            let n = now.model.n_v;
            let part = start..start + n;
            start += n;
            let mut tau = vec![0.0; n];
            now.model.actuated.iter().for_each(|dof| tau[*dof] = solution.torques[part.start + dof]);
            BodyText {
                q: then.q.clone(),
                v: then.v.clone(),
                qdd: solution.qdd[part].to_vec(),
                tau,
                applied: now.applied.clone(),
                inertias: now.model.joints.iter().map(|joint| inertia_text(&joint.inertia)).collect(),
            }
        })
        .collect();
    let body = |place: crate::scene::Place| {
        let frame = &scene.subsystems[place.subsystem].model.frames[place.frame.idx()];
        (place.subsystem, frame.body.map(|body| body.0))
    };
    let contacts = (scene.contacts.iter().enumerate())
        .filter_map(|(k, contact)| {
            let wrench = solution.wrenches.get(6 * k..6 * k + 6)?;
            Some(ContactText {
                name: contact.name.clone(),
                on: body(contact.on),
                with: contact.with.map(body),
                point: controller.assembly.patch_origin(k).to_array(),
                normal: (before.pose(contact.on) * contact.on_from_patch).rotation.y_axis.to_array(),
                force: [wrench[0], wrench[1], wrench[2]],
                moment: [wrench[3], wrench[4], wrench[5]],
                friction: contact.friction,
                grasp: matches!(contact.area, crate::scene::ContactArea::Grasp { .. }),
            })
        })
        .collect();
    StepText { t: before.time, bodies, contacts }
}

fn inertia_text(inertia: &crate::spatial::Inertia) -> (f64, [f64; 3], [f64; 6]) {
    let m = inertia.about_center.to_mat();
    let moments = [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.y_axis.x, m.z_axis.x, m.z_axis.y];
    (inertia.mass, inertia.center.to_array(), moments)
}

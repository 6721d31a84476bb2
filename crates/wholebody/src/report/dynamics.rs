//! Dynamics of a URDF at given states.

use std::collections::BTreeMap;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::ReportError;
use crate::dynamics::{self as dyn_, Workspace};
use crate::model::{FrameId, JointKind, Model};
use crate::urdf::{UrdfOptions, read_urdf};

/// States one report may hold; a million numbers each are possible, so few are enough.
const MAX_STATES: usize = 10_000;

/// The states to report on.
#[derive(Deserialize)]
struct StatesFile {
    #[serde(default = "yes")]
    floating_base: bool,
    #[serde(default)]
    locked: Vec<String>,
    #[serde(default = "down")]
    gravity: [f64; 3],
    #[serde(default)]
    frames: Vec<String>,
    states: Vec<StateInput>,
}

#[derive(Deserialize)]
struct StateInput {
    q: Vec<f64>,
    v: Vec<f64>,
    #[serde(default)]
    a: Vec<f64>,
    #[serde(default)]
    frames: BTreeMap<String, serde_json::Value>,
}

fn yes() -> bool {
    true
}

fn down() -> [f64; 3] {
    [0.0, 0.0, -9.81]
}

/// Rigid-body quantities of a model at some states. Matrices are lists of rows.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the keys are those of the reference this is compared with")]
pub struct DynamicsReport {
    pub format: &'static str,
    pub version: u32,
    pub robot: String,
    pub locked: Vec<String>,
    pub floating_base: bool,
    pub nq: usize,
    pub nv: usize,
    pub mass: f64,
    pub gravity: [f64; 3],
    pub joints: Vec<JointReport>,
    pub dof_names: Vec<String>,
    pub warnings: Vec<String>,
    pub states: Vec<StateReport>,
}

/// One joint and its place in the state.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the keys are those of the reference this is compared with")]
pub struct JointReport {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub parent: String,
    pub idx_q: usize,
    pub nq: usize,
    pub idx_v: usize,
    pub nv: usize,
}

/// Everything at one state.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the keys are those of the reference this is compared with")]
pub struct StateReport {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub a: Vec<f64>,
    #[serde(rename = "M")]
    pub mass_matrix: Vec<Vec<f64>>,
    pub nle: Vec<f64>,
    pub gravity: Vec<f64>,
    pub rnea: Vec<f64>,
    pub frames: BTreeMap<String, FrameReport>,
    pub com: CenterReport,
}

/// One frame; world axes, reference point at its origin.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the keys are those of the reference this is compared with")]
pub struct FrameReport {
    pub position: [f64; 3],
    pub rotation: [[f64; 3]; 3],
    #[serde(rename = "J")]
    pub jacobian: Vec<Vec<f64>>,
    pub velocity: [f64; 6],
    #[serde(rename = "Jdot_v")]
    pub bias: [f64; 6],
}

/// The centre of mass and the momentum about it.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the keys are those of the reference this is compared with")]
pub struct CenterReport {
    pub com: [f64; 3],
    pub vcom: [f64; 3],
    #[serde(rename = "J")]
    pub jacobian: Vec<Vec<f64>>,
    #[serde(rename = "Jdot_v")]
    pub bias: [f64; 3],
    /// Momentum about the centre of mass: linear, angular.
    pub momentum: [f64; 6],
}

/// Mass matrix, non-linear terms, Jacobians and centre of mass of a URDF at the states of a JSON text.
///
/// The text is an object with `states`, a list of `{"q", "v", "a"}`; optional are `frames` (names),
/// `floating_base` (true), `locked` (joints frozen at zero) and `gravity` (0 0 -9.81). A report is such a
/// text too. A frame is named by its link or by the joint that moves the link; the mass includes links
/// fixed to the world.
pub fn dynamics_report(urdf: &str, states: &str) -> Result<DynamicsReport, ReportError> {
    let input = |what: String, why: String| ReportError::Input { what, why };
    let file: StatesFile =
        serde_json::from_str(states).map_err(|error| input("states".into(), error.to_string()))?;
    if file.states.len() > MAX_STATES {
        let why = format!("{} states, at most {MAX_STATES} are read", file.states.len());
        return Err(input("states".into(), why));
    }
    let options = UrdfOptions { floating_base: file.floating_base, locked: file.locked.clone() };
    let read = read_urdf(urdf, &options)?;
    let model = &read.model;
    let gravity = DVec3::from_array(file.gravity);
    if !(gravity.abs().max_element() < 1e6) {
        return Err(input("gravity".into(), "must be three finite numbers".into()));
    }
    let mut workspace = Workspace::new(model);
    let mut reports = Vec::new();
    for (idx, state) in file.states.into_iter().enumerate() {
        let what = format!("state {idx}");
        if let Some(why) = model.state_fault(&state.q, &state.v) {
            return Err(input(what, why));
        }
        let a = if state.a.is_empty() { vec![0.0; model.n_v] } else { state.a };
        if a.len() != model.n_v || a.iter().any(|x| !x.is_finite()) {
            return Err(input(what, format!("a must be {} finite numbers", model.n_v)));
        }
        let mut frames = BTreeMap::new();
        for name in file.frames.iter().chain(state.frames.keys()) {
            let of_joint = || read.link_of_joint.get(name).and_then(|link| model.frame(link));
            let frame = model.frame(name).or_else(of_joint);
            let frame = frame.ok_or_else(|| input(what.clone(), format!("no frame `{name}`")))?;
            frames.insert(name.clone(), frame);
        }
        reports.push(state_report(model, &mut workspace, gravity, (state.q, state.v, a), &frames));
    }
    let mut dof_names = vec![String::new(); model.n_v];
    for joint in &model.joints {
        dof_names[joint.v_start..joint.v_start + joint.kind.n_v()].fill(joint.name.clone());
    }
    Ok(DynamicsReport {
        format: "randori-dynamics",
        version: 1,
        robot: model.name.clone(),
        locked: file.locked,
        floating_base: file.floating_base,
        nq: model.n_q,
        nv: model.n_v,
        mass: model.mass + read.fixed_mass,
        gravity: file.gravity,
        joints: model.joints.iter().map(|joint| joint_report(model, joint)).collect(),
        dof_names,
        warnings: read.warnings,
        states: reports,
    })
}

fn joint_report(model: &Model, joint: &crate::model::Joint) -> JointReport {
    JointReport {
        name: joint.name.clone(),
        kind: match joint.kind {
            JointKind::Revolute(_) => "revolute",
            JointKind::Continuous(_) => "continuous",
            JointKind::Prismatic(_) => "prismatic",
            JointKind::Spherical => "spherical",
            JointKind::Floating => "floating",
        },
        parent: joint.parent.map_or("universe".into(), |parent| model.joints[parent.idx()].name.clone()),
        idx_q: joint.q_start,
        nq: joint.kind.n_q(),
        idx_v: joint.v_start,
        nv: joint.kind.n_v(),
    }
}

fn state_report(
    model: &Model,
    ws: &mut Workspace,
    gravity: DVec3,
    (q, v, a): (Vec<f64>, Vec<f64>, Vec<f64>),
    frames: &BTreeMap<String, FrameId>,
) -> StateReport {
    let n = model.n_v;
    let rows = |flat: &[f64]| flat.chunks(n).map(<[f64]>::to_vec).collect::<Vec<_>>();
    dyn_::update(model, ws, &q, &vec![0.0; n]);
    dyn_::nonlinear_terms(model, ws, gravity);
    let weight = ws.nonlinear.clone();
    dyn_::update(model, ws, &q, &v);
    dyn_::mass_matrix(model, ws);
    dyn_::nonlinear_terms(model, ws, gravity);
    let mut rnea = vec![0.0; n];
    dyn_::inverse_dynamics(model, ws, gravity, &a, &mut rnea);
    let mut jacobian = vec![0.0; 6 * n];
    let frames = frames.iter().map(|(name, frame)| {
        dyn_::frame_jacobian(model, ws, *frame, &mut jacobian);
        let pose = dyn_::frame_pose(model, ws, *frame);
        let report = FrameReport {
            position: pose.translation.to_array(),
            rotation: pose.rotation.transpose().to_cols_array_2d(),
            jacobian: rows(&jacobian),
            velocity: dyn_::frame_velocity(model, ws, *frame).to_array(),
            bias: dyn_::frame_bias(model, ws, *frame).to_array(),
        };
        (name.clone(), report)
    });
    let frames = frames.collect();
    let center = dyn_::center_of_mass(model, ws);
    let mut center_jacobian = vec![0.0; 3 * n];
    dyn_::center_of_mass_jacobian(model, ws, &mut center_jacobian);
    let momentum = dyn_::momentum(model, ws);
    let momentum = crate::spatial::Motion { linear: momentum.linear, angular: momentum.angular }.to_array();
    let com = CenterReport {
        com: center.position.to_array(),
        vcom: center.velocity.to_array(),
        jacobian: rows(&center_jacobian),
        bias: center.bias.to_array(),
        momentum,
    };
    StateReport {
        q,
        v,
        a,
        mass_matrix: rows(&ws.mass_matrix),
        nle: ws.nonlinear.clone(),
        gravity: weight,
        rnea,
        frames,
        com,
    }
}

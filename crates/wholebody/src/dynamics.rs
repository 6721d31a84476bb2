//! Rigid-body dynamics of one model: mass matrix, non-linear terms, Jacobians, centre of mass, momentum.
//!
//! Reference: \[Featherstone2008\], chapters 5 and 6 (recursive Newton–Euler, composite rigid bodies).
//! Differs: all quantities are in world axes about the position of the base, so that the recursions add
//! without transforming, and the mass matrix visits only the ancestors of each degree of freedom.
//!
//! Order of calls for one state: [`update`], then any of the others; [`mass_matrix`] before
//! [`center_of_mass_jacobian`] and [`momentum_matrix`], [`nonlinear_terms`] before [`center_of_mass`]'s
//! bias is meaningful. None of them allocates. Matrices are dense, row after row.

use glam::{DMat3, DVec3};

use crate::model::{BodyId, FrameId, JointKind, Model, quaternion_at};
use crate::spatial::{Force, Motion, Pose, WorldInertia};

/// Scratch memory and results for one model; made once, used for every state.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The reference point of all spatial quantities: the base's position in the world (m).
    pub origin: DVec3,
    /// Mass matrix, `n_v` × `n_v`, both halves filled (kg, kg m, kg m²).
    pub mass_matrix: Vec<f64>,
    /// Coriolis, centrifugal and gravity terms (N or N m).
    pub nonlinear: Vec<f64>,
    poses: Vec<Pose>,
    columns: Vec<Motion>,
    velocities: Vec<Motion>,
    biases: Vec<Motion>,
    inertias: Vec<WorldInertia>,
    composites: Vec<WorldInertia>,
    forces: Vec<Force>,
    accelerations: Vec<Motion>,
    momentum_columns: Vec<Force>,
    center_bias: DVec3,
}

impl Workspace {
    /// Memory for the model.
    pub fn new(model: &Model) -> Workspace {
        let (n, nv) = (model.joints.len(), model.n_v);
        Workspace {
            origin: DVec3::ZERO,
            mass_matrix: vec![0.0; nv * nv],
            nonlinear: vec![0.0; nv],
            poses: vec![Pose::IDENTITY; n],
            columns: vec![Motion::ZERO; nv],
            velocities: vec![Motion::ZERO; n],
            biases: vec![Motion::ZERO; n],
            inertias: vec![WorldInertia::default(); n],
            composites: vec![WorldInertia::default(); n],
            forces: vec![Force::ZERO; n],
            accelerations: vec![Motion::ZERO; n],
            momentum_columns: vec![Force::ZERO; nv],
            center_bias: DVec3::ZERO,
        }
    }

    /// Whether it is large enough for the model, and no larger.
    pub fn fits(&self, model: &Model) -> bool {
        self.poses.len() == model.joints.len() && self.nonlinear.len() == model.n_v
    }
}

/// Places every body of the state: poses, Jacobian columns, velocities, velocity-product accelerations.
///
/// ```
/// use randori_wholebody::{dynamics, humanoid};
/// let person = humanoid::person();
/// let mut workspace = dynamics::Workspace::new(&person);
/// let (q, v) = (person.neutral(), vec![0.0; person.n_v]);
/// dynamics::update(&person, &mut workspace, &q, &v);
/// dynamics::mass_matrix(&person, &mut workspace);
/// // The first diagonal entry is the whole mass: pushing the base along x moves everything.
/// assert!((workspace.mass_matrix[0] - person.mass).abs() < 1e-9);
/// ```
pub fn update(model: &Model, ws: &mut Workspace, q: &[f64], v: &[f64]) {
    ws.origin = match model.joints[0].kind {
        JointKind::Floating if model.joints[0].parent.is_none() => {
            model.joints[0].parent_from_joint.point(DVec3::from_slice(q))
        }
        _ => DVec3::ZERO,
    };
    for (idx, joint) in model.joints.iter().enumerate() {
        let (i, k) = (joint.q_start, joint.v_start);
        let (parent_pose, parent_velocity, parent_bias) = match joint.parent {
            Some(parent) => (ws.poses[parent.idx()], ws.velocities[parent.idx()], ws.biases[parent.idx()]),
            None => (Pose::from_translation(-ws.origin), Motion::ZERO, Motion::ZERO),
        };
        let before = parent_pose * joint.parent_from_joint;
        let turn = |cosine: f64, sine: f64| {
            let (x, y) = (before.rotation.x_axis, before.rotation.y_axis);
            let rotation =
                DMat3::from_cols(x * cosine + y * sine, y * cosine - x * sine, before.rotation.z_axis);
            Pose { rotation, translation: before.translation }
        };
        let pose = match joint.kind {
            JointKind::Revolute(_) => {
                let (sine, cosine) = libm::sincos(q[i]);
                turn(cosine, sine)
            }
            JointKind::Continuous(_) => turn(q[i], q[i + 1]),
            JointKind::Prismatic(axis) => {
                Pose { translation: before.translation + before.rotation * axis * q[i], ..before }
            }
            JointKind::Spherical => {
                Pose { rotation: before.rotation * DMat3::from_quat(quaternion_at(q, i)), ..before }
            }
            JointKind::Floating => Pose {
                rotation: before.rotation * DMat3::from_quat(quaternion_at(q, i + 3)),
                translation: before.point(DVec3::from_slice(&q[i..])),
            },
        };
        let about = |axis: DVec3| Motion { linear: pose.translation.cross(axis), angular: axis };
        let along = |axis: DVec3| Motion { linear: axis, angular: DVec3::ZERO };
        let axes = [pose.rotation.x_axis, pose.rotation.y_axis, pose.rotation.z_axis];
        let columns = &mut ws.columns[k..k + joint.kind.n_v()];
        match joint.kind {
            JointKind::Revolute(_) | JointKind::Continuous(_) => columns[0] = about(axes[2]),
            JointKind::Prismatic(axis) => columns[0] = along(pose.rotation * axis),
            JointKind::Spherical => columns.copy_from_slice(&axes.map(about)),
            JointKind::Floating => {
                columns[..3].copy_from_slice(&axes.map(along));
                columns[3..].copy_from_slice(&axes.map(about));
            }
        }
        let mut velocity = parent_velocity;
        for (column, rate) in columns.iter().zip(&v[k..]) {
            velocity = velocity + *column * *rate;
        }
        // The columns are fixed in the body, so their rate of change is velocity × column; summed with
        // the rates that is velocity × (velocity - parent's) = parent's × velocity.
        ws.biases[idx] = parent_bias + parent_velocity.cross(&velocity);
        ws.velocities[idx] = velocity;
        ws.poses[idx] = pose;
        ws.inertias[idx] = WorldInertia::of(&joint.working_inertia, &pose);
    }
}

/// Fills [`Workspace::mass_matrix`].
pub fn mass_matrix(model: &Model, ws: &mut Workspace) {
    ws.composites.copy_from_slice(&ws.inertias);
    for idx in (0..model.joints.len()).rev() {
        if let Some(parent) = model.joints[idx].parent {
            let composite = ws.composites[idx];
            ws.composites[parent.idx()] += composite;
        }
    }
    let n = model.n_v;
    for row in 0..n {
        let momentum = ws.composites[model.dofs[row].joint].times(&ws.columns[row]);
        ws.momentum_columns[row] = momentum;
        let mut ancestor = Some(row);
        while let Some(column) = ancestor {
            let value = ws.columns[column].dot(&momentum);
            ws.mass_matrix[row * n + column] = value;
            ws.mass_matrix[column * n + row] = value;
            ancestor = model.dofs[column].towards_base;
        }
    }
}

/// Fills [`Workspace::nonlinear`]: the generalised forces that keep all accelerations zero.
pub fn nonlinear_terms(model: &Model, ws: &mut Workspace, gravity: DVec3) {
    let lift = Motion { linear: -gravity, angular: DVec3::ZERO };
    for idx in 0..model.joints.len() {
        let acceleration = ws.biases[idx] + lift;
        let velocity = ws.velocities[idx];
        let momentum = ws.inertias[idx].times(&velocity);
        ws.forces[idx] = ws.inertias[idx].times(&acceleration) + velocity.cross_force(&momentum);
    }
    let total = gather_forces(model, &mut ws.forces, &ws.columns, &mut ws.nonlinear);
    ws.center_bias = total.linear / model.mass + gravity;
}

/// Generalised forces for accelerations `qdd` in the state of the last [`update`], into `out`.
pub fn inverse_dynamics(model: &Model, ws: &mut Workspace, gravity: DVec3, qdd: &[f64], out: &mut [f64]) {
    let lift = Motion { linear: -gravity, angular: DVec3::ZERO };
    for (idx, joint) in model.joints.iter().enumerate() {
        let parent = joint.parent.map_or(Motion::ZERO, |parent| ws.accelerations[parent.idx()]);
        let mut relative = parent;
        for k in joint.v_start..joint.v_start + joint.kind.n_v() {
            relative = relative + ws.columns[k] * qdd[k];
        }
        ws.accelerations[idx] = relative;
        let acceleration = relative + ws.biases[idx] + lift;
        let velocity = ws.velocities[idx];
        let momentum = ws.inertias[idx].times(&velocity);
        ws.forces[idx] = ws.inertias[idx].times(&acceleration) + velocity.cross_force(&momentum);
    }
    gather_forces(model, &mut ws.forces, &ws.columns, out);
}

/// Sums forces towards the base and projects them on each joint; answers the total on the world.
fn gather_forces(model: &Model, forces: &mut [Force], columns: &[Motion], out: &mut [f64]) -> Force {
    let mut total = Force::ZERO;
    for (idx, joint) in model.joints.iter().enumerate().rev() {
        let force = forces[idx];
        for k in joint.v_start..joint.v_start + joint.kind.n_v() {
            out[k] = columns[k].dot(&force);
        }
        match joint.parent {
            Some(parent) => forces[parent.idx()] = forces[parent.idx()] + force,
            None => total = total + force,
        }
    }
    total
}

/// A frame's pose in the world.
pub fn frame_pose(model: &Model, ws: &Workspace, frame: FrameId) -> Pose {
    let frame = &model.frames[frame.idx()];
    match frame.body {
        Some(body) => {
            let local = ws.poses[body.idx()] * frame.working_from_frame;
            Pose { translation: local.translation + ws.origin, ..local }
        }
        None => frame.working_from_frame,
    }
}

/// A body's pose in the world.
pub fn body_pose(model: &Model, ws: &Workspace, body: BodyId) -> Pose {
    let working = ws.poses[body.idx()];
    let rotation = working.rotation * model.joints[body.idx()].body_from_working.transpose();
    Pose { rotation, translation: working.translation + ws.origin }
}

/// Velocity of a frame: of its origin, and angular; world axes.
pub fn frame_velocity(model: &Model, ws: &Workspace, frame: FrameId) -> Motion {
    let at = frame_pose(model, ws, frame).translation;
    point_velocity(ws, model.frames[frame.idx()].body, at)
}

/// Acceleration of a frame at zero joint accelerations (J̇q̇): of its origin, and angular; world axes.
pub fn frame_bias(model: &Model, ws: &Workspace, frame: FrameId) -> Motion {
    let at = frame_pose(model, ws, frame).translation;
    point_bias(ws, model.frames[frame.idx()].body, at)
}

/// A frame's Jacobian, 6 × `n_v`: linear rows of its origin, then angular; world axes.
pub fn frame_jacobian(model: &Model, ws: &Workspace, frame: FrameId, out: &mut [f64]) {
    let at = frame_pose(model, ws, frame).translation;
    point_jacobian(model, ws, model.frames[frame.idx()].body, at, out);
}

/// Velocity of the body's point that is at `at` in the world, and angular.
pub fn point_velocity(ws: &Workspace, body: Option<BodyId>, at: DVec3) -> Motion {
    let Some(body) = body else { return Motion::ZERO };
    let velocity = ws.velocities[body.idx()];
    Motion { linear: velocity.at(at - ws.origin), angular: velocity.angular }
}

/// Acceleration at zero joint accelerations of the body's point that is at `at` in the world, and angular.
pub fn point_bias(ws: &Workspace, body: Option<BodyId>, at: DVec3) -> Motion {
    let Some(body) = body else { return Motion::ZERO };
    let (velocity, bias) = (ws.velocities[body.idx()], ws.biases[body.idx()]);
    let arm = at - ws.origin;
    Motion { linear: bias.at(arm) + velocity.angular.cross(velocity.at(arm)), angular: bias.angular }
}

/// Jacobian, 6 × `n_v`, of the body's point that is at `at` in the world.
pub fn point_jacobian(model: &Model, ws: &Workspace, body: Option<BodyId>, at: DVec3, out: &mut [f64]) {
    let n = model.n_v;
    out[..6 * n].fill(0.0);
    let Some(body) = body else { return };
    let joint = &model.joints[body.idx()];
    let arm = at - ws.origin;
    let mut dof = Some(joint.v_start + joint.kind.n_v() - 1);
    while let Some(k) = dof {
        let column = &ws.columns[k];
        let linear = column.at(arm);
        for (row, value) in linear.to_array().into_iter().chain(column.angular.to_array()).enumerate() {
            out[row * n + k] = value;
        }
        dof = model.dofs[k].towards_base;
    }
}

/// Where a centre of mass is and how it moves; world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CenterOfMass {
    /// (kg)
    pub mass: f64,
    /// (m)
    pub position: DVec3,
    /// (m/s)
    pub velocity: DVec3,
    /// Acceleration at zero joint accelerations, without gravity (m/s²).
    pub bias: DVec3,
}

impl CenterOfMass {
    /// The common centre of two.
    pub fn joined(&self, other: &CenterOfMass) -> CenterOfMass {
        let mass = self.mass + other.mass;
        let mix = |a: DVec3, b: DVec3| (a * self.mass + b * other.mass) / mass;
        CenterOfMass {
            mass,
            position: mix(self.position, other.position),
            velocity: mix(self.velocity, other.velocity),
            bias: mix(self.bias, other.bias),
        }
    }
}

/// The model's centre of mass; its bias is that of the last [`nonlinear_terms`].
pub fn center_of_mass(model: &Model, ws: &Workspace) -> CenterOfMass {
    let (mut moment, mut momentum) = (DVec3::ZERO, DVec3::ZERO);
    for (inertia, velocity) in ws.inertias.iter().zip(&ws.velocities) {
        moment += inertia.moment;
        momentum += inertia.times(velocity).linear;
    }
    CenterOfMass {
        mass: model.mass,
        position: ws.origin + moment / model.mass,
        velocity: momentum / model.mass,
        bias: ws.center_bias,
    }
}

/// Jacobian, 3 × `n_v`, of the centre of mass; after [`mass_matrix`].
pub fn center_of_mass_jacobian(model: &Model, ws: &Workspace, out: &mut [f64]) {
    let (n, share) = (model.n_v, 1.0 / model.mass);
    for (k, momentum) in ws.momentum_columns.iter().enumerate() {
        let column = momentum.linear * share;
        (out[k], out[n + k], out[2 * n + k]) = (column.x, column.y, column.z);
    }
}

/// Momentum of the model about its centre of mass; world axes.
pub fn momentum(model: &Model, ws: &Workspace) -> Force {
    let mut total = Force::ZERO;
    for (inertia, velocity) in ws.inertias.iter().zip(&ws.velocities) {
        total = total + inertia.times(velocity);
    }
    let center = center_of_mass(model, ws).position - ws.origin;
    Force { angular: total.angular - center.cross(total.linear), ..total }
}

/// The matrix, 6 × `n_v`, that maps velocities to [`momentum`]; after [`mass_matrix`].
pub fn momentum_matrix(model: &Model, ws: &Workspace, out: &mut [f64]) {
    let n = model.n_v;
    let center = center_of_mass(model, ws).position - ws.origin;
    for (k, column) in ws.momentum_columns.iter().enumerate() {
        let angular = column.angular - center.cross(column.linear);
        for (row, value) in column.linear.to_array().into_iter().chain(angular.to_array()).enumerate() {
            out[row * n + k] = value;
        }
    }
}

/// Kinetic energy (J).
pub fn kinetic_energy(ws: &Workspace) -> f64 {
    ws.inertias.iter().zip(&ws.velocities).map(|(inertia, v)| 0.5 * v.dot(&inertia.times(v))).sum()
}

//! Rigid-body dynamics of one model: mass matrix, non-linear terms, Jacobians, centre of mass, momentum.
//!
//! Reference: \[Featherstone2008\], chapters 5 and 6 (recursive Newton–Euler, composite rigid bodies).
//! Differs: all quantities are in world axes about the position of the base, so that the recursions add
//! without transforming; masses are second moments, which a pose carries to the world in two products; and the mass
//! matrix visits only what lies beyond each degree of freedom.
//!
//! Order of calls for one state: [`update`], then any of the others; [`mass_matrix`] before
//! [`center_of_mass_jacobian`] and [`momentum_matrix`], [`nonlinear_terms`] before [`center_of_mass`]'s
//! bias is meaningful, [`jacobian_rates`] before [`point_jacobian_rate`]. Who needs only a part of it calls the parts
//! of [`update`]: [`place`] is enough for poses and Jacobians, [`place`] and [`weigh`] for the mass matrix, [`place`]
//! and [`set_in_motion`] for velocities and for rates of Jacobians. None of them allocates. Matrices are dense, row
//! after row.

mod forces;
mod kinematics;
mod lanes;
mod mass;
mod quantities;

use glam::DVec3;

use self::forces::{Inverse, Nonlinear};
use self::kinematics::{Move, Place, Rates};
use self::lanes::{Algorithm, Plain};
use self::mass::{MassMatrix, Weigh};
pub(crate) use self::quantities::MassFours;
use self::quantities::{ForceFours, MotionFours, PoseFours};
use crate::model::{BodyId, FrameId, JointKind, Model};
use crate::spatial::{Force, Motion, Pose};

/// Scratch memory and results for one model; made once, used for every state.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The reference point of all spatial quantities: the base's position in the world (m).
    pub origin: DVec3,
    /// Mass matrix, `n_v` × `n_v`, both halves filled (kg, kg m, kg m²).
    pub mass_matrix: Vec<f64>,
    /// Coriolis, centrifugal and gravity terms (N or N m).
    pub nonlinear: Vec<f64>,
    poses: Vec<PoseFours>,
    columns: Vec<MotionFours>,
    column_rates: Vec<MotionFours>,
    velocities: Vec<MotionFours>,
    biases: Vec<MotionFours>,
    masses: Vec<MassFours>,
    composites: Vec<MassFours>,
    forces: Vec<ForceFours>,
    accelerations: Vec<MotionFours>,
    /// Momentum at unit rate of each degree of freedom, one list for each of its six numbers, with some zeros behind.
    momentum: [Vec<f64>; 6],
    /// What all bodies together need from the world to have no joint accelerations.
    base_force: ForceFours,
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
            poses: vec![PoseFours::IDENTITY; n],
            columns: vec![MotionFours::ZERO; nv],
            column_rates: vec![MotionFours::ZERO; nv],
            velocities: vec![MotionFours::ZERO; n],
            biases: vec![MotionFours::ZERO; n],
            masses: vec![MassFours::ZERO; n],
            composites: vec![MassFours::ZERO; n],
            forces: vec![ForceFours::ZERO; n],
            accelerations: vec![MotionFours::ZERO; n],
            momentum: std::array::from_fn(|_| vec![0.0; nv + 3]),
            base_force: ForceFours::ZERO,
            center_bias: DVec3::ZERO,
        }
    }

    /// Whether it is large enough for the model, and no larger.
    pub fn fits(&self, model: &Model) -> bool {
        self.poses.len() == model.joints.len() && self.nonlinear.len() == model.n_v
    }
}

/// Places every body of the state, sets it in motion and weighs it: what all other functions build on.
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
    place(model, ws, q);
    set_in_motion(model, ws, v);
    weigh(model, ws);
}

/// The part of [`update`] that finds poses and Jacobian columns.
pub fn place(model: &Model, ws: &mut Workspace, q: &[f64]) {
    ws.origin = match model.joints[0].kind {
        JointKind::Floating if model.joints[0].parent.is_none() => {
            model.joints[0].parent_from_joint.point(DVec3::from_slice(q))
        }
        _ => DVec3::ZERO,
    };
    Place { model, ws, q }.run_here();
}

/// The part of [`update`] that finds velocities and accelerations at zero joint accelerations; after [`place`].
pub fn set_in_motion(model: &Model, ws: &mut Workspace, v: &[f64]) {
    Move { model, ws, v }.run_here();
}

/// The part of [`update`] that finds masses in world axes; after [`place`].
pub fn weigh(model: &Model, ws: &mut Workspace) {
    Weigh { model, ws }.run_here();
}

/// Finds how Jacobians change with time; for [`point_jacobian_rate`].
pub fn jacobian_rates(model: &Model, ws: &mut Workspace) {
    Rates { model, ws }.run_here();
}

/// Fills [`Workspace::mass_matrix`].
pub fn mass_matrix(model: &Model, ws: &mut Workspace) {
    MassMatrix { model, ws }.run_here();
}

/// Fills [`Workspace::nonlinear`]: the generalised forces that keep all accelerations zero.
pub fn nonlinear_terms(model: &Model, ws: &mut Workspace, gravity: DVec3) {
    Nonlinear { model, ws, gravity }.run_here();
    ws.center_bias = ws.base_force.to_force().linear / model.mass + gravity;
}

/// Generalised forces for accelerations `qdd` in the state of the last [`update`], into `out`.
pub fn inverse_dynamics(model: &Model, ws: &mut Workspace, gravity: DVec3, qdd: &[f64], out: &mut [f64]) {
    Inverse { model, ws, gravity, qdd, out }.run_here();
}

/// A frame's pose in the world.
pub fn frame_pose(model: &Model, ws: &Workspace, frame: FrameId) -> Pose {
    let frame = &model.frames[frame.idx()];
    match frame.body {
        Some(body) => {
            let local = ws.poses[body.idx()].to_pose() * frame.working_from_frame;
            Pose { translation: local.translation + ws.origin, ..local }
        }
        None => frame.working_from_frame,
    }
}

/// A body's pose in the world.
pub fn body_pose(model: &Model, ws: &Workspace, body: BodyId) -> Pose {
    let working = ws.poses[body.idx()].to_pose();
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
    let velocity = ws.velocities[body.idx()].to_motion();
    Motion { linear: velocity.at(at - ws.origin), angular: velocity.angular }
}

/// Acceleration at zero joint accelerations of the body's point that is at `at` in the world, and angular.
pub fn point_bias(ws: &Workspace, body: Option<BodyId>, at: DVec3) -> Motion {
    let Some(body) = body else { return Motion::ZERO };
    let (velocity, bias) = (ws.velocities[body.idx()].to_motion(), ws.biases[body.idx()].to_motion());
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
        let column = ws.columns[k].to_motion();
        let moved = Motion { linear: column.at(arm), ..column };
        for (row, value) in moved.to_array().into_iter().enumerate() {
            out[row * n + k] = value;
        }
        dof = model.dofs[k].towards_base;
    }
}

/// Rate of change of [`point_jacobian`] as the body's point moves on, 6 × `n_v`; after [`jacobian_rates`].
pub fn point_jacobian_rate(model: &Model, ws: &Workspace, body: Option<BodyId>, at: DVec3, out: &mut [f64]) {
    let n = model.n_v;
    out[..6 * n].fill(0.0);
    let Some(id) = body else { return };
    let joint = &model.joints[id.idx()];
    let arm = at - ws.origin;
    let arm_rate = point_velocity(ws, body, at).linear;
    let mut dof = Some(joint.v_start + joint.kind.n_v() - 1);
    while let Some(k) = dof {
        let (column, rate) = (ws.columns[k].to_motion(), ws.column_rates[k].to_motion());
        let moved = Motion { linear: rate.at(arm) + column.angular.cross(arm_rate), ..rate };
        for (row, value) in moved.to_array().into_iter().enumerate() {
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
    let moment = ws.masses.iter().fold(DVec3::ZERO, |sum, mass| sum + mass.moment());
    CenterOfMass {
        mass: model.mass,
        position: ws.origin + moment / model.mass,
        velocity: momentum_about_base(ws).linear / model.mass,
        bias: ws.center_bias,
    }
}

/// Jacobian, 3 × `n_v`, of the centre of mass; after [`mass_matrix`].
pub fn center_of_mass_jacobian(model: &Model, ws: &Workspace, out: &mut [f64]) {
    let share = 1.0 / model.mass;
    for (row, momentum) in out.chunks_exact_mut(model.n_v).zip(&ws.momentum[..3]) {
        for (value, momentum) in row.iter_mut().zip(momentum) {
            *value = momentum * share;
        }
    }
}

fn momentum_about_base(ws: &Workspace) -> Force {
    let bodies = ws.masses.iter().zip(&ws.velocities);
    bodies
        .fold(Force::ZERO, |sum, (mass, velocity)| sum + mass.times::<Plain>((), velocity).store().to_force())
}

/// Momentum of the model about its centre of mass; world axes.
pub fn momentum(model: &Model, ws: &Workspace) -> Force {
    let total = momentum_about_base(ws);
    let center = center_of_mass(model, ws).position - ws.origin;
    Force { angular: total.angular - center.cross(total.linear), ..total }
}

/// The matrix, 6 × `n_v`, that maps velocities to [`momentum`]; after [`mass_matrix`].
pub fn momentum_matrix(model: &Model, ws: &Workspace, out: &mut [f64]) {
    let n = model.n_v;
    let center = center_of_mass(model, ws).position - ws.origin;
    let [x, y, z, turn_x, turn_y, turn_z] = &ws.momentum;
    for k in 0..n {
        let linear = DVec3::new(x[k], y[k], z[k]);
        let angular = DVec3::new(turn_x[k], turn_y[k], turn_z[k]) - center.cross(linear);
        for (row, value) in linear.to_array().into_iter().chain(angular.to_array()).enumerate() {
            out[row * n + k] = value;
        }
    }
}

/// Kinetic energy (J).
pub fn kinetic_energy(ws: &Workspace) -> f64 {
    let bodies = ws.masses.iter().zip(&ws.velocities);
    bodies
        .map(|(mass, velocity)| {
            let momentum = mass.times::<Plain>((), velocity).store().to_force();
            0.5 * velocity.to_motion().dot(&momentum)
        })
        .sum()
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::humanoid;

    #[test]
    fn the_bits_do_not_depend_on_the_width_of_registers() {
        let Some(machine) = pulp::x86::V3::try_new() else { return };
        let model = humanoid::person();
        let wave = |shift: f64| (0..model.n_v).map(|k| libm::sin(shift + k as f64)).collect::<Vec<_>>();
        let (mut q, v, qdd) = (model.neutral(), wave(0.0), wave(1.0));
        model.integrate(&mut q, &wave(2.0));
        let gravity = DVec3::new(0.3, -9.81, 0.1);
        let (mut wide, mut plain) = (Workspace::new(&model), Workspace::new(&model));
        let mut forces = [vec![0.0; model.n_v], vec![0.0; model.n_v]];
        let [wide_forces, plain_forces] = &mut forces;
        macro_rules! on_both {
            ($algorithm:ident { $($field:ident: $value:expr),* }) => {{
                let model = &model;
                lanes::wide::run(machine, $algorithm { model, ws: &mut wide, $($field: $value),* });
                $algorithm { model, ws: &mut plain, $($field: $value),* }.run::<Plain>(());
            }};
        }
        on_both!(Place { q: &q });
        on_both!(Move { v: &v });
        on_both!(Rates {});
        on_both!(Weigh {});
        on_both!(MassMatrix {});
        on_both!(Nonlinear { gravity: gravity });
        let model = &model;
        lanes::wide::run(machine, Inverse { model, ws: &mut wide, gravity, qdd: &qdd, out: wide_forces });
        Inverse { model, ws: &mut plain, gravity, qdd: &qdd, out: plain_forces }.run::<Plain>(());
        assert_eq!(forces[0], forces[1]);
        assert_eq!(format!("{wide:?}"), format!("{plain:?}"));
    }
}

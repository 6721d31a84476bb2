//! Physics checked at every step, from what the step was solved with and from where it led.

use glam::{DMat3, DVec3};
use serde::Serialize;

use crate::dynamics;
use crate::model::FrameId;
use crate::phase::World;
use crate::qp::blocks::PatchForce;
use crate::scene::{Controller, Verdict};

/// Worst figures of one step, or of all so far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Force left over in the equations of motion without drive, relative to the largest force in them (-).
    pub eom_residual_max: f64,
    /// Sum of all momentum rates less that of all forces from the environment, relative to the weight (-).
    /// Zero exactly when the two sides of every contact between subsystems cancel.
    pub action_reaction_max: f64,
    /// How far inside its pyramid the force of a contact point is (N); not below zero.
    pub friction_margin_min: f64,
    /// How far the two sides of a contact are apart (mm).
    pub slip_mm_max: f64,
    /// How far a joint, velocity or torque limit is exceeded (rad, rad/s or N m).
    pub limit_violation_max: f64,
    /// Distance of a pair less its security distance (mm); none near is infinite, written as `null`.
    #[serde(serialize_with = "finite")]
    pub distance_margin_min_mm: f64,
    /// Force in the strongest contact (N).
    pub force_max: f64,
}

fn finite<S: serde::Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() { serializer.serialize_some(value) } else { serializer.serialize_none() }
}

impl Default for Figures {
    fn default() -> Self {
        Figures {
            eom_residual_max: 0.0,
            action_reaction_max: 0.0,
            friction_margin_min: f64::INFINITY,
            slip_mm_max: 0.0,
            limit_violation_max: 0.0,
            distance_margin_min_mm: f64::INFINITY,
            force_max: 0.0,
        }
    }
}

impl Figures {
    /// The worse of both.
    pub fn worse(&self, other: &Figures) -> Figures {
        Figures {
            eom_residual_max: self.eom_residual_max.max(other.eom_residual_max),
            action_reaction_max: self.action_reaction_max.max(other.action_reaction_max),
            friction_margin_min: self.friction_margin_min.min(other.friction_margin_min),
            slip_mm_max: self.slip_mm_max.max(other.slip_mm_max),
            limit_violation_max: self.limit_violation_max.max(other.limit_violation_max),
            distance_margin_min_mm: self.distance_margin_min_mm.min(other.distance_margin_min_mm),
            force_max: self.force_max.max(other.force_max),
        }
    }
}

/// Looks at a step that has been taken; the world is already where it led.
pub(super) fn look(world: &World, controller: &Controller, verdict: Verdict) -> Figures {
    let mut figures = Figures::default();
    if verdict == Verdict::Refused {
        return figures;
    }
    forces(world, controller, &mut figures);
    balance_of_momentum(world, controller, &mut figures);
    for contact in &world.scene.contacts {
        let mine = (world.pose(contact.on) * contact.on_from_patch).translation;
        let other = match contact.with {
            Some(place) => (world.pose(place) * contact.with_from_patch).translation,
            None => contact.with_from_patch.translation,
        };
        figures.slip_mm_max = figures.slip_mm_max.max(1e3 * mine.distance(other));
    }
    let mut limit = |by: f64| figures.limit_violation_max = figures.limit_violation_max.max(by);
    let mut start = 0;
    for subsystem in &world.scene.subsystems {
        for joint in subsystem.model.joints.iter().filter(|joint| joint.kind.n_q() == 1) {
            let Some(torque) = joint.limits.torque else { continue };
            let (q, v) = (subsystem.q[joint.q_start], subsystem.v[joint.v_start]);
            limit(joint.limits.position[0] - q);
            limit(q - joint.limits.position[1]);
            limit(v.abs() - joint.limits.velocity);
            limit(controller.solver.solution.torques[start + joint.v_start].abs() - torque);
        }
        start += subsystem.model.n_v;
    }
    let security = world.scene.settings.collision_damper.security;
    for d in controller.assembly.distances.iter().flatten() {
        figures.distance_margin_min_mm = figures.distance_margin_min_mm.min(1e3 * (d - security));
    }
    figures
}

/// Equations of motion without drive, and friction point by point.
fn forces(world: &World, controller: &Controller, figures: &mut Figures) {
    let qp = &controller.assembly.qp;
    let solution = &controller.solver.solution;
    let mut start = 0;
    for block in &qp.blocks {
        let largest = (0..block.n).map(|dof| block.nonlinear[dof].abs()).fold(1.0, f64::max);
        for dof in (0..block.n).filter(|dof| block.torque[*dof] == [0.0, 0.0]) {
            let off = solution.torques[start + dof].abs() / largest;
            figures.eom_residual_max = figures.eom_residual_max.max(off);
        }
        start += block.n;
    }
    let mut at = 0;
    for (k, patch) in qp.patches.iter().enumerate() {
        let PatchForce::Generators { columns, .. } = &patch.force else { continue };
        let total = DVec3::from_slice(&solution.wrenches[6 * k..]).length();
        figures.force_max = figures.force_max.max(total);
        // Contacts of the step; a phase may have changed them only before it.
        let Some(contact) = world.scene.contacts.get(k) else { continue };
        let slope = contact.friction / std::f64::consts::SQRT_2;
        for edges in 0..columns.len() / 4 {
            let range = at + 4 * edges..at + 4 * edges + 4;
            let columns = &columns[4 * edges..4 * edges + 4];
            let force = |c: &[f64; 6]| DVec3::new(c[0], c[1], c[2]);
            let sum: DVec3 =
                columns.iter().zip(&solution.coefficients[range]).map(|(c, x)| force(c) * *x).sum();
            // Opposite edges lie in the two planes through the normal.
            let normal = columns.iter().map(force).sum::<DVec3>().normalize();
            let across = (force(&columns[0]) - force(&columns[2])).normalize();
            let other = (force(&columns[1]) - force(&columns[3])).normalize();
            let axes = [(across + other).normalize(), (across - other).normalize()];
            let push = sum.dot(normal);
            let pull = axes.iter().map(|axis| sum.dot(*axis).abs()).fold(0.0, f64::max);
            // On an edge of the pyramid the margin is zero but for rounding.
            let margin = (slope * push - pull).min(push);
            let is_rounding = margin.abs() <= 1e-12 * push.abs().max(1.0);
            let margin = if is_rounding { 0.0 } else { margin };
            figures.friction_margin_min = figures.friction_margin_min.min(margin);
        }
        at += columns.len();
    }
}

/// Rates of momentum of all free subsystems against the forces from outside.
fn balance_of_momentum(world: &World, controller: &Controller, figures: &mut Figures) {
    let qp = &controller.assembly.qp;
    let solution = &controller.solver.solution;
    let (mut force, mut moment, mut weight) = (DVec3::ZERO, DVec3::ZERO, 1.0);
    let mut start = 0;
    for (idx, (subsystem, block)) in world.scene.subsystems.iter().zip(&qp.blocks).enumerate() {
        let n = block.n;
        if subsystem.model.is_floating() {
            let workspace = controller.assembly.workspace(idx);
            let rotation: DMat3 = dynamics::frame_pose(&subsystem.model, workspace, FrameId(0)).rotation;
            let row = |dof: usize| -> f64 {
                let inertia = &block.mass[dof * n..(dof + 1) * n];
                let qdd = &solution.qdd[start..start + n];
                block.nonlinear[dof] + inertia.iter().zip(qdd).map(|(m, a)| m * a).sum::<f64>()
            };
            let (f, m) = (DVec3::new(row(0), row(1), row(2)), DVec3::new(row(3), row(4), row(5)));
            let f = rotation * f;
            force += f;
            moment += rotation * m + workspace.origin.cross(f);
            weight += 9.81 * subsystem.model.mass;
        }
        start += n;
    }
    for (k, patch) in qp.patches.iter().enumerate() {
        let Some(contact) = world.scene.contacts.get(k) else { continue };
        let free = |s: usize| world.scene.subsystems[s].model.is_floating();
        let inner = contact.with.is_some_and(|with| free(with.subsystem)) && free(contact.on.subsystem);
        if inner || patch.sides.is_empty() {
            continue;
        }
        let sign = if free(contact.on.subsystem) { 1.0 } else { -1.0 };
        let f = DVec3::from_slice(&solution.wrenches[6 * k..]);
        let m = DVec3::from_slice(&solution.wrenches[6 * k + 3..]);
        let at = controller.assembly.patch_origin(k);
        force -= sign * f;
        moment -= sign * (m + at.cross(f));
    }
    let off = force.length().max(moment.length()) / weight;
    figures.action_reaction_max = figures.action_reaction_max.max(off);
}

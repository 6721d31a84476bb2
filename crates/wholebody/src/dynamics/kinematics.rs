//! Where bodies are and how they move, from the base outwards.

use glam::{DMat3, DVec3};

use super::Workspace;
use super::lanes::{Algorithm, Four, Lanes};
use super::quantities::{MotionFours, MotionLanes, PoseFours, PoseLanes};
use crate::model::{JointKind, Model, quaternion_at};

/// Poses, and Jacobian columns: the motions of everything beyond a degree of freedom at its unit rate.
pub(super) struct Place<'a> {
    pub(super) model: &'a Model,
    pub(super) ws: &'a mut Workspace,
    pub(super) q: &'a [f64],
}

impl Algorithm for Place<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, machine: L::Machine) {
        let Place { model, ws, q } = self;
        let world = PoseFours { origin: Four::new(-ws.origin, 1.0), ..PoseFours::IDENTITY };
        for (idx, joint) in model.joints.iter().enumerate() {
            let i = joint.q_start;
            let parent = match joint.parent {
                Some(parent) => &ws.poses[parent.idx()],
                None => &world,
            };
            let before = PoseLanes::<L>::load(machine, parent).then(&joint.parent_from_joint);
            let pose = match joint.kind {
                JointKind::Revolute(_) => {
                    let (sine, cosine) = libm::sincos(q[i]);
                    before.turned(cosine, sine)
                }
                JointKind::Continuous(_) => before.turned(q[i], q[i + 1]),
                JointKind::Prismatic(axis) => PoseLanes { origin: before.point(axis * q[i]), ..before },
                JointKind::Spherical => before.rotated(&DMat3::from_quat(quaternion_at(q, i))),
                JointKind::Floating => {
                    let origin = before.point(DVec3::from_slice(&q[i..]));
                    let rotated = before.rotated(&DMat3::from_quat(quaternion_at(q, i + 3)));
                    PoseLanes { origin, ..rotated }
                }
            };
            ws.poses[idx] = pose.store();
            let columns = &mut ws.columns[joint.dofs()];
            match joint.kind {
                JointKind::Revolute(_) | JointKind::Continuous(_) => columns[0] = pose.about(pose.z),
                JointKind::Prismatic(axis) => columns[0] = along(pose.vector(axis)),
                JointKind::Spherical => {
                    columns[0] = pose.about(pose.x);
                    columns[1] = pose.about(pose.y);
                    columns[2] = pose.about(pose.z);
                }
                JointKind::Floating => {
                    columns[0] = along(pose.x);
                    columns[1] = along(pose.y);
                    columns[2] = along(pose.z);
                    columns[3] = pose.about(pose.x);
                    columns[4] = pose.about(pose.y);
                    columns[5] = pose.about(pose.z);
                }
            }
        }
    }
}

/// Motion of everything along an axis, at unit speed.
#[inline(always)]
fn along<L: Lanes>(axis: L) -> MotionFours {
    MotionFours { linear: axis.store(), angular: Four::ZERO }
}

/// Velocities, and accelerations at zero joint accelerations.
pub(super) struct Move<'a> {
    pub(super) model: &'a Model,
    pub(super) ws: &'a mut Workspace,
    pub(super) v: &'a [f64],
}

impl Algorithm for Move<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, machine: L::Machine) {
        let Move { model, ws, v } = self;
        for (idx, joint) in model.joints.iter().enumerate() {
            let (parent_velocity, parent_bias) = match joint.parent {
                Some(parent) => (&ws.velocities[parent.idx()], &ws.biases[parent.idx()]),
                None => (&MotionFours::ZERO, &MotionFours::ZERO),
            };
            let parent_velocity = MotionLanes::<L>::load(machine, parent_velocity);
            let parent_bias = MotionLanes::<L>::load(machine, parent_bias);
            let dofs = joint.dofs();
            let mut velocity = parent_velocity;
            for (column, rate) in ws.columns[dofs.clone()].iter().zip(&v[dofs]) {
                velocity = velocity.plus(MotionLanes::load(machine, column).times(*rate));
            }
            // The columns are fixed in the body, so their rate of change is velocity × column; summed with
            // the rates that is velocity × (velocity - parent's) = parent's × velocity.
            ws.biases[idx] = parent_bias.plus(parent_velocity.cross(velocity)).store();
            ws.velocities[idx] = velocity.store();
        }
    }
}

/// Rates of change of the Jacobian columns.
pub(super) struct Rates<'a> {
    pub(super) model: &'a Model,
    pub(super) ws: &'a mut Workspace,
}

impl Algorithm for Rates<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, machine: L::Machine) {
        let Rates { model, ws } = self;
        for (joint, velocity) in model.joints.iter().zip(&ws.velocities) {
            let velocity = MotionLanes::<L>::load(machine, velocity);
            let dofs = joint.dofs();
            for (rate, column) in ws.column_rates[dofs.clone()].iter_mut().zip(&ws.columns[dofs]) {
                *rate = velocity.cross(MotionLanes::load(machine, column)).store();
            }
        }
    }
}

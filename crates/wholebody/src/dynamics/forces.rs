//! Newton and Euler: forces of every body from its motion, gathered towards the base.

use glam::DVec3;

use super::Workspace;
use super::lanes::{Algorithm, Four, Lanes};
use super::quantities::{ForceFours, ForceLanes, MotionFours, MotionLanes};
use crate::model::Model;

/// Forces that keep all joint accelerations zero.
pub(super) struct Nonlinear<'a> {
    pub(super) model: &'a Model,
    pub(super) ws: &'a mut Workspace,
    pub(super) gravity: DVec3,
}

impl Algorithm for Nonlinear<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, machine: L::Machine) {
        let Nonlinear { model, ws, gravity } = self;
        for idx in 0..model.joints.len() {
            let bias = MotionLanes::<L>::load(machine, &ws.biases[idx]);
            let force = force_on::<L>(machine, ws, idx, lifted(machine, bias, gravity));
            ws.forces[idx] = force.store();
        }
        gather::<L>(machine, model, ws);
        project::<L>(machine, model, &ws.forces, &ws.columns, &mut ws.nonlinear);
    }
}

/// Forces for given joint accelerations.
pub(super) struct Inverse<'a> {
    pub(super) model: &'a Model,
    pub(super) ws: &'a mut Workspace,
    pub(super) gravity: DVec3,
    pub(super) qdd: &'a [f64],
    pub(super) out: &'a mut [f64],
}

impl Algorithm for Inverse<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, machine: L::Machine) {
        let Inverse { model, ws, gravity, qdd, out } = self;
        for (idx, joint) in model.joints.iter().enumerate() {
            let parent = match joint.parent {
                Some(parent) => &ws.accelerations[parent.idx()],
                None => &MotionFours::ZERO,
            };
            let mut acceleration = MotionLanes::<L>::load(machine, parent);
            for k in joint.dofs() {
                let column = MotionLanes::load(machine, &ws.columns[k]);
                acceleration = acceleration.plus(column.times(qdd[k]));
            }
            ws.accelerations[idx] = acceleration.store();
            let acceleration = acceleration.plus(MotionLanes::load(machine, &ws.biases[idx]));
            let force = force_on::<L>(machine, ws, idx, lifted(machine, acceleration, gravity));
            ws.forces[idx] = force.store();
        }
        gather::<L>(machine, model, ws);
        project::<L>(machine, model, &ws.forces, &ws.columns, out);
    }
}

/// An acceleration as felt where things fall with `gravity`.
#[inline(always)]
fn lifted<L: Lanes>(machine: L::Machine, acceleration: MotionLanes<L>, gravity: DVec3) -> MotionFours {
    let linear = acceleration.linear - L::load(machine, &Four::new(gravity, 0.0));
    MotionLanes { linear, ..acceleration }.store()
}

/// What accelerates a body like this at its velocity.
#[inline(always)]
fn force_on<L: Lanes>(
    machine: L::Machine,
    ws: &Workspace,
    idx: usize,
    acceleration: MotionFours,
) -> ForceLanes<L> {
    let (mass, velocity) = (&ws.masses[idx], &ws.velocities[idx]);
    let momentum = mass.times::<L>(machine, velocity);
    mass.times::<L>(machine, &acceleration).plus(MotionLanes::load(machine, velocity).cross_force(momentum))
}

/// Sums forces towards the base; [`Workspace::base_force`] is the total on the world.
#[inline(always)]
fn gather<L: Lanes>(machine: L::Machine, model: &Model, ws: &mut Workspace) {
    let mut total = ForceLanes::<L>::load(machine, &ForceFours::ZERO);
    for (idx, joint) in model.joints.iter().enumerate().rev() {
        let force = ForceLanes::<L>::load(machine, &ws.forces[idx]);
        match joint.parent {
            Some(parent) => {
                let sum = ForceLanes::load(machine, &ws.forces[parent.idx()]).plus(force);
                ws.forces[parent.idx()] = sum.store();
            }
            None => total = total.plus(force),
        }
    }
    ws.base_force = total.store();
}

/// What the forces do along each degree of freedom.
#[inline(always)]
fn project<L: Lanes>(
    machine: L::Machine,
    model: &Model,
    forces: &[ForceFours],
    columns: &[MotionFours],
    out: &mut [f64],
) {
    for (joint, force) in model.joints.iter().zip(forces) {
        let force = ForceLanes::<L>::load(machine, force);
        for k in joint.dofs() {
            out[k] = MotionLanes::load(machine, &columns[k]).dot(force);
        }
    }
}

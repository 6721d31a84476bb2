//! The mass matrix: composite bodies from the tips inwards, then the degrees of freedom beyond each.

use super::Workspace;
use super::lanes::{Algorithm, Four, Lanes};
use super::quantities::MotionFours;
use crate::model::{Model, Run};

/// Masses of all bodies, in world axes about the reference point.
pub(super) struct Weigh<'a> {
    pub(super) model: &'a Model,
    pub(super) ws: &'a mut Workspace,
}

impl Algorithm for Weigh<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, machine: L::Machine) {
        let Weigh { model, ws } = self;
        for ((joint, pose), mass) in model.joints.iter().zip(&ws.poses).zip(&mut ws.masses) {
            *mass = joint.working_mass.placed::<L>(machine, pose);
        }
    }
}

/// Momentum of each degree of freedom at its unit rate, and the mass matrix.
pub(super) struct MassMatrix<'a> {
    pub(super) model: &'a Model,
    pub(super) ws: &'a mut Workspace,
}

impl Algorithm for MassMatrix<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, machine: L::Machine) {
        let MassMatrix { model, ws } = self;
        ws.composites.copy_from_slice(&ws.masses);
        for (idx, joint) in model.joints.iter().enumerate().rev() {
            if let Some(parent) = joint.parent {
                let sum = ws.composites[parent.idx()].plus::<L>(machine, &ws.composites[idx]);
                ws.composites[parent.idx()] = sum;
            }
        }
        let [x, y, z, turn_x, turn_y, turn_z] = &mut ws.momentum;
        for (k, (dof, column)) in model.dofs.iter().zip(&ws.columns).enumerate() {
            let momentum = ws.composites[dof.joint].times::<L>(machine, column).store();
            [x[k], y[k], z[k], _] = momentum.linear.0;
            [turn_x[k], turn_y[k], turn_z[k], _] = momentum.angular.0;
        }
        let momentum: [&[f64]; 6] = [x, y, z, turn_x, turn_y, turn_z];
        let (n, matrix) = (model.n_v, ws.mass_matrix.as_mut_slice());
        for Run { dof, beyond } in &model.runs {
            let column = &ws.columns[*dof];
            let whole = beyond.end - beyond.len() % 4;
            for k in (beyond.start..whole).step_by(4) {
                let values = powers::<L>(machine, column, momentum, k);
                matrix[dof * n + k..][..4].copy_from_slice(&values);
                for lane in 0..4 {
                    matrix[(k + lane) * n + dof] = values[lane];
                }
            }
            if whole < beyond.end {
                let values = powers::<L>(machine, column, momentum, whole);
                for lane in 0..beyond.end - whole {
                    let k = whole + lane;
                    matrix[dof * n + k] = values[lane];
                    matrix[k * n + dof] = values[lane];
                }
            }
        }
    }
}

/// Products of a column with four neighbouring momenta, from the `start`th on. The lists of momenta go on with zeros,
/// so that four can be read from anywhere.
#[inline(always)]
fn powers<L: Lanes>(
    machine: L::Machine,
    column: &MotionFours,
    momentum: [&[f64]; 6],
    start: usize,
) -> [f64; 4] {
    let [x, y, z, turn_x, turn_y, turn_z] = momentum;
    let ([a, b, c, _], [d, e, f, _]) = (column.linear.0, column.angular.0);
    let linear = four::<L>(machine, x, start).scaled(a)
        + four::<L>(machine, y, start).scaled(b)
        + four::<L>(machine, z, start).scaled(c);
    let angular = four::<L>(machine, turn_x, start).scaled(d)
        + four::<L>(machine, turn_y, start).scaled(e)
        + four::<L>(machine, turn_z, start).scaled(f);
    (linear + angular).store().0
}

/// The four numbers of a list from `start` on.
#[inline(always)]
fn four<L: Lanes>(machine: L::Machine, list: &[f64], start: usize) -> L {
    let numbers = &list[start..start + 4];
    L::load(machine, &Four([numbers[0], numbers[1], numbers[2], numbers[3]]))
}

//! When the blocks do not settle, the dense solver decides; its answer is read back into blocks.

use super::super::blocks::{BlockQp, Limit, PatchForce};
use super::super::kernels;
use super::super::{RowId, Status};
use super::{BlockSolver, has_too_many_generators};

impl BlockSolver {
    /// Lets the dense solver decide.
    pub(super) fn fall_back(&mut self, qp: &BlockQp) -> Status {
        self.fell_back = true;
        self.follow.has_factor = false;
        if !qp.is_finite() {
            self.states.clear();
            return Status::Invalid;
        }
        let (dense, map) = qp.to_dense();
        let n_qdd = self.layout.n_qdd;
        let mut guess: Vec<(RowId, f64)> = (0..dense.b.len()).map(|i| (RowId::Equality(i), 1.0)).collect();
        let state_at = |limit: Limit| self.layout.state_of(limit).map_or(0, |state| self.states[state]);
        let inequalities =
            map.inequalities.iter().enumerate().map(|(i, limit)| (RowId::Inequality(i), state_at(*limit)));
        let bounded = |i: &usize| dense.x_lower[*i].is_finite() || dense.x_upper[*i].is_finite();
        let bounds = (0..dense.n).filter(bounded).map(|i| (RowId::Bound(i), state_at(qp.bound_of(&map, i))));
        let active = inequalities.chain(bounds).filter(|(_, state)| *state != 0);
        guess.extend(active.map(|(id, state)| (id, f64::from(state))));
        let status = self.dense.solve_from(&dense, &guess);
        let states = 2 * n_qdd + self.layout.n_cone + self.layout.n_rows;
        self.states.clear();
        self.states.resize(states, 0);
        let l = &self.layout;
        let meaning = |id: RowId| match id {
            RowId::Equality(i) => map.equalities[i],
            RowId::Inequality(i) => map.inequalities[i],
            RowId::Bound(i) => qp.bound_of(&map, i),
        };
        for (id, side) in self.dense.active_rows(&dense) {
            if let (Some(state), RowId::Inequality(_) | RowId::Bound(_)) = (l.state_of(meaning(id)), id) {
                self.states[state] = if side > 0.0 { 1 } else { -1 };
            }
        }
        if let Status::Infeasible { conflict } = &status {
            self.conflict.extend(conflict.iter().map(|id| meaning(*id)));
        }
        // With the active set known, the blocks give the same point more exactly.
        let is_known = status == Status::Solved && !has_too_many_generators(qp);
        if is_known && (0..self.layout.n_scopes).all(|scope| self.confirms(qp, scope)) {
            return status;
        }
        let l = &self.layout;
        let out = &mut self.solution;
        out.qdd.clear();
        out.qdd.extend_from_slice(&self.dense.x[..n_qdd]);
        for list in [&mut out.torque_multipliers, &mut out.bound_multipliers, &mut out.torques] {
            list.clear();
            list.resize(n_qdd, 0.0);
        }
        for list in [&mut out.wrenches, &mut out.contact_multipliers] {
            list.clear();
            list.resize(6 * qp.patches.len(), 0.0);
        }
        for list in [&mut out.coefficients, &mut out.cone_multipliers] {
            list.clear();
            list.resize(l.n_cone, 0.0);
        }
        out.row_multipliers.clear();
        out.row_multipliers.resize(l.n_rows, 0.0);
        out.bound_multipliers.copy_from_slice(&self.dense.multipliers.z_bound[..n_qdd]);
        for (k, patch) in qp.patches.iter().enumerate() {
            let (at, start) = (map.force_starts[k], l.cone_starts[k]);
            match &patch.force {
                PatchForce::Generators { columns, .. } => {
                    for (idx, column) in columns.iter().enumerate() {
                        let c = self.dense.x[at + idx];
                        out.coefficients[start + idx] = c;
                        out.cone_multipliers[start + idx] = self.dense.multipliers.z_bound[at + idx];
                        kernels::axpy(c, column, &mut out.wrenches[6 * k..6 * k + 6]);
                    }
                }
                PatchForce::Faces { .. } => {
                    out.wrenches[6 * k..6 * k + 6].copy_from_slice(&self.dense.x[at..at + 6]);
                }
            }
        }
        let rows = map.equalities.iter().zip(&self.dense.multipliers.y);
        for (limit, value) in rows.chain(map.inequalities.iter().zip(&self.dense.multipliers.z)) {
            match *limit {
                Limit::Torque { block, dof } => out.torque_multipliers[l.starts[block] + dof] = *value,
                Limit::NoSlip { patch, axis } => out.contact_multipliers[6 * patch + axis] = *value,
                Limit::Cone { patch, idx } => out.cone_multipliers[l.cone_starts[patch] + idx] = *value,
                Limit::Row { row } => out.row_multipliers[row] = *value,
                Limit::Acceleration { .. } => {}
            }
        }
        status
    }

    /// Whether the active set is that of the optimum, as far as one scope goes; its solution is read.
    fn confirms(&mut self, qp: &BlockQp, scope: usize) -> bool {
        self.scope = scope;
        if !self.solve_guess(qp) {
            return false;
        }
        self.review(qp);
        self.wrong.is_empty() && self.accept(qp)
    }
}

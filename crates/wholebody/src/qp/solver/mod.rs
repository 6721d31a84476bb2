//! The fast solver for [`BlockQp`]: a guessed active set, factored block by block.
//!
//! For a guess of which limits are active the optimum is one symmetric linear system. It is eliminated
//! subsystem by subsystem: each has a dense front of its accelerations, of the wrenches and rows that
//! concern it alone, and, uneliminated, of those it shares with others; what is shared is eliminated as
//! soon as the last of its subsystems is done. A chain of characters so costs the sum of its links,
//! independent groups never meet, and a hub (a litter carried by all) comes last.
//!
//! Then every limit is looked at: those violated enter the guess, those that pull the wrong way leave it.
//! Reference: \[Judice1994\], block principal pivoting: all change at once as long as that makes fewer
//! limits wrong, else one at a time, which ends for sure when the active rows are independent. When it
//! does not end, [`super::dense`] decides.
//!
//! A patch given by generators needs six unknowns, not sixteen: with `F` the generators not at zero,
//! `½ weight |c|²` over all `c` with `G_F c = w` is `½ weight wᵀ (G_F G_Fᵀ)⁻¹ w`. Where the free generators
//! do not span all wrenches, their coefficients are the unknowns.

mod basis;
mod carry;
mod fronts;
mod layout;
mod node;

use super::blocks::{BlockQp, BlockSolution, Limit, PatchForce};
use super::dense::DenseSolver;
use super::kernels::{self, dot};
use super::{RowId, Status};
pub use basis::MAX_GENERATORS;

use basis::Basis;
use carry::Before;
use layout::Layout;
use node::{Group, NOWHERE, Node};

/// A limit is violated beyond this, relative to its size.
const VIOLATED: f64 = 1e-9;
/// A multiplier pulls the wrong way beyond this.
const WRONG: f64 = 1e-9;
/// An equality or active limit off by more than this, relative to its size, does not hold.
const MET: f64 = 1e-7;
/// Rounds in which all wrong limits may change without getting fewer.
const PATIENCE: usize = 6;
/// Limits that may be wrong in addition to half as many again as before, without taking changes back.
const OVERSHOOT: usize = 4;
/// Rounds from the active set of the last problem.
const FIRST_ROUNDS: usize = 30;
/// Rounds before the dense solver takes over.
const MAX_ROUNDS: usize = 90;

/// The solver with its memory: the active set is kept from one problem to the next of the same shape.
#[derive(Clone, Debug, Default)]
pub struct BlockSolver {
    /// Point and multipliers of the last solve.
    pub solution: BlockSolution,
    /// Factorisations of the last solve.
    pub rounds: usize,
    /// Whether the last solve was finished by the dense solver.
    pub fell_back: bool,
    /// Rows of a contradiction found in the last solve.
    pub conflict: Vec<Limit>,
    /// -1 at the lower limit, 1 at the upper, 0 free: accelerations, torques, cones, rows.
    states: Vec<i8>,
    /// The patches that the cones of `states` belong to.
    patches_before: Vec<Before>,
    /// Memory for the next `states`.
    carried: Vec<i8>,
    layout: Layout,
    bases: Vec<Basis>,
    groups: Vec<Group>,
    group_values: Vec<f64>,
    nodes: Vec<Node>,
    n_nodes: usize,
    wrong: Vec<Wrong>,
    /// What the last round changed, with the states before.
    changed: Vec<(usize, i8)>,
    dense: DenseSolver,
}

/// A state that must change.
#[derive(Clone, Copy, Debug)]
struct Wrong {
    state: usize,
    value: i8,
    /// How far its limit is violated, relative to its size; or its multiplier.
    by: f64,
}

impl BlockSolver {
    /// Forgets the active set.
    pub fn reset(&mut self) {
        self.states.clear();
    }

    /// Solves the problem, starting from the active set of the last one if the shape is the same.
    pub fn solve(&mut self, qp: &BlockQp) -> Status {
        self.rounds = 0;
        self.fell_back = false;
        self.conflict.clear();
        self.layout.update(qp);
        self.carry_over(qp);
        if qp.patches.iter().any(|patch| patch.force.len() > MAX_GENERATORS && !patch.has_faces()) {
            return self.fall_back(qp);
        }
        self.drop_missing_limits(qp);
        // An old active set can lead astray: the second time from none.
        for most in [FIRST_ROUNDS, MAX_ROUNDS] {
            if self.settle(qp, most) {
                return Status::Solved;
            }
            self.states.fill(0);
        }
        self.fall_back(qp)
    }

    /// Changes the guess until nothing is wrong, for so many rounds in all; false if it does not end.
    fn settle(&mut self, qp: &BlockQp, most: usize) -> bool {
        self.changed.clear();
        let (mut best, mut patience) = (usize::MAX, PATIENCE);
        while self.rounds < most {
            self.rounds += 1;
            if !self.solve_guess(qp) {
                // Too many changes at once can make the rows dependent.
                if !self.take_half_back() {
                    return false;
                }
                continue;
            }
            self.review(qp);
            let wrong = self.wrong.len();
            if wrong == 0 {
                // Rows left out as dependent may still contradict the others.
                return self.rows_are_met(qp);
            }
            // Many more wrong than before: the changes were too many.
            if best < usize::MAX && wrong > best + best / 2 + OVERSHOOT && self.take_half_back() {
                continue;
            }
            if wrong < best {
                (best, patience) = (wrong, PATIENCE);
            } else {
                patience = patience.saturating_sub(1);
            }
            let cautious = patience == 0;
            if cautious {
                self.keep_the_worst();
            }
            // Those that pull the wrong way first, then the most violated.
            self.wrong.sort_unstable_by(|a, b| {
                (a.value != 0).cmp(&(b.value != 0)).then(b.by.total_cmp(&a.by)).then(a.state.cmp(&b.state))
            });
            self.changed.clear();
            for wrong in self.wrong.drain(..) {
                self.changed.push((wrong.state, self.states[wrong.state]));
                self.states[wrong.state] = wrong.value;
            }
        }
        false
    }

    /// Undoes the less urgent half of the last changes; false if there is nothing to halve.
    fn take_half_back(&mut self) -> bool {
        if self.changed.len() < 2 {
            return false;
        }
        for (state, before) in self.changed.drain(self.changed.len().div_ceil(2)..) {
            self.states[state] = before;
        }
        true
    }

    /// The cautious change, in the manner of a dual method: whatever pulls the wrong way leaves; only when
    /// nothing does, the limit violated most enters.
    fn keep_the_worst(&mut self) {
        if self.wrong.iter().any(|wrong| wrong.value == 0) {
            self.wrong.retain(|wrong| wrong.value == 0);
            return;
        }
        let worst = self.wrong.iter().copied().max_by(|a, b| a.by.total_cmp(&b.by));
        self.wrong.clear();
        self.wrong.extend(worst);
    }

    /// An active limit that is no longer there cannot stay active.
    fn drop_missing_limits(&mut self, qp: &BlockQp) {
        let l = &self.layout;
        let keep = |state: &mut i8, limits: [f64; 2]| {
            let limit = if *state > 0 { limits[1] } else { limits[0] };
            if !limit.is_finite() {
                *state = 0;
            }
        };
        for (b, block) in qp.blocks.iter().enumerate() {
            for dof in 0..block.n {
                keep(&mut self.states[l.starts[b] + dof], block.bounds[dof]);
                keep(&mut self.states[l.n_qdd + l.starts[b] + dof], block.torque[dof]);
            }
        }
        let first = 2 * l.n_qdd + l.n_cone;
        for (state, row) in self.states[first..].iter_mut().zip(&qp.rows) {
            keep(state, row.limits);
        }
    }

    /// Optimum for the guessed active set, into the solution; false if the system is singular.
    fn solve_guess(&mut self, qp: &BlockQp) -> bool {
        let cones = &self.states[2 * self.layout.n_qdd..];
        self.bases.resize_with(qp.patches.len(), Basis::default);
        for ((patch, basis), start) in qp.patches.iter().zip(&mut self.bases).zip(&self.layout.cone_starts) {
            basis.choose(patch, &cones[*start..]);
        }
        self.list_groups(qp);
        self.n_nodes = 0;
        for place in 0..self.layout.order.len() {
            let node = self.next_node();
            if !self.build_front(qp, self.layout.order[place], node) || !self.build_stage(place) {
                return false;
            }
        }
        self.substitute_back();
        self.read_solution(qp);
        self.solution.qdd.iter().chain(&self.solution.wrenches).all(|x| x.is_finite())
    }

    fn next_node(&mut self) -> usize {
        if self.nodes.len() == self.n_nodes {
            self.nodes.push(Node::default());
        }
        self.n_nodes += 1;
        self.n_nodes - 1
    }

    fn substitute_back(&mut self) {
        for idx in (0..self.n_nodes).rev() {
            let node = &mut self.nodes[idx];
            node.x.clear();
            node.x.resize(node.n, 0.0);
            let Node { links, x, .. } = node;
            for &(g, at) in links.iter() {
                let group = self.groups[g];
                x[at..at + group.size]
                    .copy_from_slice(&self.group_values[group.start..group.start + group.size]);
            }
            node.back();
            for &(g, at) in &node.own {
                let group = self.groups[g];
                self.group_values[group.start..group.start + group.size]
                    .copy_from_slice(&node.x[at..at + group.size]);
            }
        }
    }

    /// Accelerations, wrenches, torques and multipliers out of the nodes.
    fn read_solution(&mut self, qp: &BlockQp) {
        let l = &self.layout;
        let out = &mut self.solution;
        for (list, size) in [
            (&mut out.qdd, l.n_qdd),
            (&mut out.torques, l.n_qdd),
            (&mut out.torque_multipliers, l.n_qdd),
            (&mut out.bound_multipliers, l.n_qdd),
            (&mut out.wrenches, 6 * qp.patches.len()),
            (&mut out.contact_multipliers, 6 * qp.patches.len()),
            (&mut out.coefficients, l.n_cone),
            (&mut out.cone_multipliers, l.n_cone),
            (&mut out.row_multipliers, l.n_rows),
        ] {
            list.clear();
            list.resize(size, 0.0);
        }
        let cones = &self.states[2 * l.n_qdd..];
        for node in &self.nodes[..self.n_nodes] {
            let Some(b) = node.block else { continue };
            let (start, nv) = (l.starts[b], qp.blocks[b].n);
            out.qdd[start..start + nv].copy_from_slice(&node.x[..nv]);
            for dof in 0..nv {
                if node.torque_at[dof] != NOWHERE {
                    out.torque_multipliers[start + dof] = node.x[node.torque_at[dof]];
                }
                if node.bound_at[dof] != NOWHERE {
                    out.bound_multipliers[start + dof] = node.x[node.bound_at[dof]];
                }
            }
            for &(r, at) in &node.row_at {
                out.row_multipliers[r] = node.x[at];
            }
            for &(k, side) in &l.patches_of[b] {
                if side != 0 {
                    continue;
                }
                let [w, y, f] = node.patch_at[k];
                let (basis, start) = (&self.bases[k], l.cone_starts[k]);
                let coefficients = &mut out.coefficients[start..start + qp.patches[k].force.len()];
                let wrench = basis.wrench(&node.x[w..w + basis.d]);
                out.wrenches[6 * k..6 * k + 6].copy_from_slice(&wrench);
                out.contact_multipliers[6 * k..6 * k + 6].copy_from_slice(&node.x[y..y + 6]);
                basis.write_coefficients(
                    &qp.patches[k],
                    &cones[start..],
                    &wrench,
                    &node.x[w..],
                    coefficients,
                );
                if let PatchForce::Faces { faces, .. } = &qp.patches[k].force {
                    let mut at = f;
                    for idx in 0..faces.len() {
                        if cones[start + idx] != 0 {
                            out.cone_multipliers[start + idx] = node.x[at];
                            at += 1;
                        }
                    }
                }
            }
        }
        for (b, block) in qp.blocks.iter().enumerate() {
            let (start, nv) = (l.starts[b], block.n);
            let qdd = &out.qdd[start..start + nv];
            let torques = &mut out.torques[start..start + nv];
            for dof in 0..nv {
                torques[dof] = block.nonlinear[dof] + dot(&block.mass[dof * nv..(dof + 1) * nv], qdd);
            }
            for &(k, side) in &l.patches_of[b] {
                let jacobian = &qp.patches[k].sides[side].jacobian;
                for axis in 0..6 {
                    let push = out.wrenches[6 * k + axis];
                    kernels::axpy(-push, &jacobian[axis * nv..(axis + 1) * nv], torques);
                }
            }
        }
        for (k, patch) in qp.patches.iter().enumerate() {
            if let PatchForce::Generators { columns, weight } = &patch.force {
                let slope = wrench_slope(qp, l, out, k);
                let start = l.cone_starts[k];
                for (idx, column) in columns.iter().enumerate() {
                    let rest: f64 = (0..6).map(|i| column[i] * slope[i]).sum();
                    out.cone_multipliers[start + idx] = if cones[start + idx] != 0 {
                        -rest
                    } else {
                        -rest - weight * out.coefficients[start + idx]
                    };
                }
            }
        }
    }

    /// Lists the states that must change: limits violated, multipliers that pull the wrong way.
    fn review(&mut self, qp: &BlockQp) {
        let l = &self.layout;
        let out = &mut self.solution;
        let wrong = &mut self.wrong;
        wrong.clear();
        let mut look = |idx: usize, state: i8, value: f64, limits: [f64; 2], multiplier: f64| match state {
            0 => {
                let above = (value - limits[1]) / (1.0 + limits[1].abs());
                let below = (limits[0] - value) / (1.0 + limits[0].abs());
                if above > VIOLATED {
                    wrong.push(Wrong { state: idx, value: 1, by: above });
                } else if below > VIOLATED {
                    wrong.push(Wrong { state: idx, value: -1, by: below });
                }
            }
            side => {
                let by = -f64::from(side) * multiplier;
                if by > WRONG {
                    wrong.push(Wrong { state: idx, value: 0, by });
                }
            }
        };
        for (b, block) in qp.blocks.iter().enumerate() {
            for dof in 0..block.n {
                let i = l.starts[b] + dof;
                look(i, self.states[i], out.qdd[i], block.bounds[dof], out.bound_multipliers[i]);
                if block.torque[dof][0] != block.torque[dof][1] {
                    let idx = l.n_qdd + i;
                    look(idx, self.states[idx], out.torques[i], block.torque[dof], out.torque_multipliers[i]);
                }
            }
        }
        for (k, patch) in qp.patches.iter().enumerate() {
            let start = l.cone_starts[k];
            match &patch.force {
                PatchForce::Generators { columns, .. } => {
                    for i in start..start + columns.len() {
                        let state = self.states[2 * l.n_qdd + i];
                        let (value, multiplier) = (out.coefficients[i], out.cone_multipliers[i]);
                        look(2 * l.n_qdd + i, state, value, [0.0, f64::INFINITY], multiplier);
                        if state == 0 {
                            // What is left of a free generator's multiplier is rounding.
                            out.cone_multipliers[i] = 0.0;
                        }
                    }
                }
                PatchForce::Faces { faces, .. } => {
                    // Neighbouring faces of a cone are nearly dependent: only the worst of each kind changes.
                    let wrench = &out.wrenches[6 * k..6 * k + 6];
                    let (mut violated, mut pulling) = ((0.0, 0), (0.0, 0));
                    for (idx, face) in faces.iter().enumerate() {
                        let i = start + idx;
                        let value = dot(face, wrench);
                        if self.states[2 * l.n_qdd + i] == 0 && value < violated.0 {
                            violated = (value, i);
                        } else if self.states[2 * l.n_qdd + i] != 0 && out.cone_multipliers[i] > pulling.0 {
                            pulling = (out.cone_multipliers[i], i);
                        }
                    }
                    look(2 * l.n_qdd + violated.1, 0, violated.0, [0.0, f64::INFINITY], 0.0);
                    look(2 * l.n_qdd + pulling.1, -1, 0.0, [0.0, f64::INFINITY], pulling.0);
                }
            }
        }
        for (r, row) in qp.rows.iter().enumerate() {
            let value =
                row.parts.iter().map(|(b, part)| dot(part, &out.qdd[l.starts[*b]..][..part.len()])).sum();
            let idx = 2 * l.n_qdd + l.n_cone + r;
            look(idx, self.states[idx], value, row.limits, out.row_multipliers[r]);
        }
    }

    /// Whether every equality and active limit holds in the solution.
    fn rows_are_met(&self, qp: &BlockQp) -> bool {
        let l = &self.layout;
        let out = &self.solution;
        let met = |value: f64, limit: f64| (value - limit).abs() <= MET * (1.0 + limit.abs());
        let held = |state: i8, value: f64, limits: [f64; 2]| match state {
            0 => true,
            side => met(value, limits[usize::from(side > 0)]),
        };
        let blocks = qp.blocks.iter().enumerate().all(|(b, block)| {
            (0..block.n).all(|dof| {
                let i = l.starts[b] + dof;
                let [lower, upper] = block.torque[dof];
                // Torques are sums of many large terms, so they are measured against those.
                let size = block.nonlinear[dof].abs();
                let torque = if lower == upper {
                    (out.torques[i] - lower).abs() <= MET * (1.0 + size)
                } else {
                    held(self.states[l.n_qdd + i], out.torques[i], [lower, upper])
                };
                torque && held(self.states[i], out.qdd[i], block.bounds[dof])
            })
        });
        let product = |b: usize, row: &[f64]| dot(row, &out.qdd[l.starts[b]..][..row.len()]);
        let patches = qp.patches.iter().all(|patch| {
            (0..6).all(|axis| {
                let sides = patch.sides.iter().map(|side| {
                    let n = qp.blocks[side.block].n;
                    product(side.block, &side.jacobian[axis * n..(axis + 1) * n])
                });
                met(sides.sum(), patch.target[axis])
            })
        });
        let rows = qp.rows.iter().enumerate().all(|(r, row)| {
            let value = row.parts.iter().map(|(b, part)| product(*b, part)).sum();
            held(self.states[2 * l.n_qdd + l.n_cone + r], value, row.limits)
        });
        blocks && patches && rows
    }

    /// Lets the dense solver decide.
    fn fall_back(&mut self, qp: &BlockQp) -> Status {
        self.fell_back = true;
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
        if status == Status::Solved && self.solve_guess(qp) {
            self.review(qp);
            if self.wrong.is_empty() && self.rows_are_met(qp) {
                return status;
            }
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
}

/// Derivative of everything but the patch's own force cost with respect to its wrench.
fn wrench_slope(qp: &BlockQp, l: &Layout, out: &BlockSolution, k: usize) -> [f64; 6] {
    let patch = &qp.patches[k];
    let mut slope = patch.gradient;
    for side in &patch.sides {
        let (start, nv) = (l.starts[side.block], qp.blocks[side.block].n);
        for axis in 0..6 {
            let jacobian = &side.jacobian[axis * nv..(axis + 1) * nv];
            slope[axis] -= dot(jacobian, &out.torque_multipliers[start..start + nv]);
            if !side.cross.is_empty() {
                slope[axis] += dot(&side.cross[axis * nv..(axis + 1) * nv], &out.qdd[start..start + nv]);
            }
        }
    }
    if !qp.wrench_cost.is_empty() {
        let size = 6 * qp.patches.len();
        for axis in 0..6 {
            slope[axis] += dot(&qp.wrench_cost[(6 * k + axis) * size..][..size], &out.wrenches);
        }
    }
    slope
}

//! What a solved system means: accelerations, wrenches, torques, multipliers; and what is wrong with them.

use super::super::blocks::{BlockQp, BlockSolution, Limit, PatchForce};
use super::super::kernels::{self, add_products, add_rows, dot, dot_six};
use super::border::Change;
use super::layout::Layout;
use super::node::NOWHERE;
use super::{BlockSolver, VIOLATED, WRONG, Wrong};

/// What the unknowns in the nodes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A point: constants count.
    Point,
    /// A change of the point: they do not.
    Direction,
}

impl BlockSolver {
    /// Accelerations, wrenches, torques and multipliers out of the nodes and borders, into the solution or the
    /// direction.
    pub(super) fn read(&mut self, qp: &BlockQp, meaning: Meaning) {
        let mut out = std::mem::take(match meaning {
            Meaning::Point => &mut self.solution,
            Meaning::Direction => &mut self.direction,
        });
        self.clear(qp, &mut out);
        self.read_nodes(qp, meaning, &mut out);
        self.read_borders(qp, &mut out);
        self.derive(qp, meaning, &mut out);
        *match meaning {
            Meaning::Point => &mut self.solution,
            Meaning::Direction => &mut self.direction,
        } = out;
    }

    /// Zeroes what belongs to the scope.
    pub(super) fn clear(&self, qp: &BlockQp, out: &mut BlockSolution) {
        let l = &self.layout;
        l.resize(qp, out);
        let scope = &l.scopes[self.scope];
        for &b in &scope.blocks {
            let range = l.starts[b]..l.starts[b] + qp.blocks[b].n;
            out.torque_multipliers[range.clone()].fill(0.0);
            out.bound_multipliers[range].fill(0.0);
        }
        for &k in &scope.patches {
            let range = l.cone_starts[k]..l.cone_starts[k] + qp.patches[k].force.len();
            out.coefficients[range.clone()].fill(0.0);
            out.cone_multipliers[range].fill(0.0);
        }
        scope.rows.iter().for_each(|r| out.row_multipliers[*r] = 0.0);
    }

    fn read_nodes(&self, qp: &BlockQp, meaning: Meaning, out: &mut BlockSolution) {
        let l = &self.layout;
        let cones = &self.base[2 * l.n_qdd..];
        for node in &self.nodes[..self.n_nodes] {
            let Some(b) = node.block else { continue };
            let (start, nv) = (l.starts[b], qp.blocks[b].n);
            let constants = meaning == Meaning::Point;
            self.reductions[b].expand(&node.x, constants, &mut out.qdd[start..start + nv]);
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
                let wrench = basis.wrench(node.x[w..w + basis.d].iter().copied());
                out.wrenches[6 * k..6 * k + 6].copy_from_slice(&wrench);
                if y != NOWHERE {
                    out.contact_multipliers[6 * k..6 * k + 6].copy_from_slice(&node.x[y..y + 6]);
                }
                let unknowns = &node.x[w..];
                basis.write_coefficients(&qp.patches[k], &cones[start..], &wrench, unknowns, coefficients);
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
    }

    /// What the changes since the factorisation add.
    fn read_borders(&self, qp: &BlockQp, out: &mut BlockSolution) {
        let l = &self.layout;
        for (border, value) in self.borders.active().zip(&self.borders.values) {
            match (border.change, l.limit_of(border.state)) {
                (Change::Leaves, _) => {}
                (Change::Freed, limit) => {
                    let Limit::Cone { patch: k, idx } = limit else { continue };
                    let PatchForce::Generators { columns, .. } = &qp.patches[k].force else { continue };
                    kernels::axpy(*value, &columns[idx], &mut out.wrenches[6 * k..6 * k + 6]);
                    out.coefficients[l.cone_starts[k] + idx] += value;
                }
                (Change::Enters, Limit::Torque { block, dof }) => {
                    out.torque_multipliers[l.starts[block] + dof] += value;
                }
                (Change::Enters, Limit::Acceleration { block, dof }) => {
                    out.bound_multipliers[l.starts[block] + dof] += value;
                }
                (Change::Enters, Limit::Row { row }) => out.row_multipliers[row] += value,
                (Change::Enters, Limit::NoSlip { .. }) => {}
                (Change::Enters, Limit::Cone { patch: k, idx }) => match &qp.patches[k].force {
                    PatchForce::Faces { .. } => out.cone_multipliers[l.cone_starts[k] + idx] += value,
                    PatchForce::Generators { columns, weight } => {
                        // The others of its patch take over its part.
                        let Some(share) = self.bases[k].share(&columns[idx]) else { continue };
                        let start = l.cone_starts[k];
                        for (i, column) in columns.iter().enumerate() {
                            if self.base[2 * l.n_qdd + start + i] == 0 {
                                let own = f64::from(u8::from(i == idx));
                                out.coefficients[start + i] +=
                                    value * (dot_six(column, &share) - own) / weight;
                            }
                        }
                    }
                },
            }
        }
    }

    /// Torques and the generators' multipliers, which follow from the rest.
    fn derive(&self, qp: &BlockQp, meaning: Meaning, out: &mut BlockSolution) {
        kernels::with_vectors(
            #[inline(always)]
            || self.derive_with_vectors(qp, meaning, out),
        );
    }

    /// Torques, given accelerations and wrenches.
    pub(super) fn derive_torques(&self, qp: &BlockQp, constants: bool, out: &mut BlockSolution) {
        let BlockSolution { qdd, wrenches, torques, .. } = out;
        for &b in &self.layout.scopes[self.scope].blocks {
            let wrench = |k: usize| six_of(wrenches, k);
            write_torques(qp, &self.layout, b, constants, (qdd, wrench), torques);
        }
    }

    #[inline(always)]
    fn derive_with_vectors(&self, qp: &BlockQp, meaning: Meaning, out: &mut BlockSolution) {
        let l = &self.layout;
        let constants = meaning == Meaning::Point;
        self.derive_torques(qp, constants, out);
        for &k in &l.scopes[self.scope].patches {
            if let PatchForce::Generators { columns, weight } = &qp.patches[k].force {
                let start = l.cone_starts[k];
                let states = &self.states[2 * l.n_qdd + start..][..columns.len()];
                let wrench = six_of(&out.wrenches, k);
                let cone = 2 * l.n_qdd + start..2 * l.n_qdd + start + columns.len();
                let changed = self.borders.active().any(|border| cone.contains(&border.state));
                let pull = if changed { None } else { self.bases[k].share(&wrench) };
                if let Some(pull) = pull {
                    // The wrench is an unknown: what its cost does is all there is against the rest.
                    for (idx, column) in columns.iter().enumerate() {
                        out.cone_multipliers[start + idx] =
                            if states[idx] != 0 { weight * dot_six(column, &pull) } else { 0.0 };
                    }
                    continue;
                }
                let slope = wrench_slope(qp, l, out, k, constants);
                for (idx, column) in columns.iter().enumerate() {
                    let rest = dot_six(column, &slope);
                    out.cone_multipliers[start + idx] = if states[idx] != 0 {
                        out.coefficients[start + idx] = 0.0;
                        -rest
                    } else {
                        -rest - weight * out.coefficients[start + idx]
                    };
                }
            }
        }
    }

    /// Lists the states that must change: limits violated, multipliers that pull the wrong way.
    pub(super) fn review(&mut self, qp: &BlockQp) {
        kernels::with_vectors(
            #[inline(always)]
            || self.review_with_vectors(qp),
        );
    }

    #[inline(always)]
    fn review_with_vectors(&mut self, qp: &BlockQp) {
        let l = &self.layout;
        let out = &mut self.solution;
        let wrong = &mut self.wrong;
        wrong.clear();
        let mut look = |idx: usize, state: i8, value: f64, limits: [f64; 2], multiplier: f64| match state {
            0 => {
                let (above, below) = (value - limits[1], limits[0] - value);
                if above <= 0.0 && below <= 0.0 {
                    return;
                }
                // So that what is no number is wrong, too: then the dense solver says what is the matter.
                let sizes = limits.map(|limit| 1.0 + limit.abs());
                if !(above <= VIOLATED * sizes[1]) {
                    wrong.push(Wrong { state: idx, value: 1, by: above / sizes[1] });
                } else if !(below <= VIOLATED * sizes[0]) {
                    wrong.push(Wrong { state: idx, value: -1, by: below / sizes[0] });
                }
            }
            side => {
                let by = -f64::from(side) * multiplier;
                if !(by <= WRONG) {
                    wrong.push(Wrong { state: idx, value: 0, by });
                }
            }
        };
        let scope = &l.scopes[self.scope];
        for &b in &scope.blocks {
            let block = &qp.blocks[b];
            for dof in 0..block.n {
                let i = l.starts[b] + dof;
                look(i, self.states[i], out.qdd[i], block.bounds[dof], out.bound_multipliers[i]);
                if block.torque[dof][0] != block.torque[dof][1] {
                    let idx = l.n_qdd + i;
                    look(idx, self.states[idx], out.torques[i], block.torque[dof], out.torque_multipliers[i]);
                }
            }
        }
        for &k in &scope.patches {
            let start = l.cone_starts[k];
            match &qp.patches[k].force {
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
                    let wrench = six_of(&out.wrenches, k);
                    let (mut violated, mut pulling) = ((0.0, 0), (0.0, 0));
                    let states = &self.states[2 * l.n_qdd + start..];
                    let multipliers = &out.cone_multipliers[start..];
                    for (idx, ((face, state), multiplier)) in
                        faces.iter().zip(states).zip(multipliers).enumerate()
                    {
                        if *state != 0 {
                            if *multiplier > pulling.0 {
                                pulling = (*multiplier, start + idx);
                            }
                            continue;
                        }
                        let value = dot_six(face, &wrench);
                        if value < violated.0 || value.is_nan() {
                            violated = (value, start + idx);
                        }
                        if value.is_nan() {
                            break;
                        }
                    }
                    look(2 * l.n_qdd + violated.1, 0, violated.0, [0.0, f64::INFINITY], 0.0);
                    look(2 * l.n_qdd + pulling.1, -1, 0.0, [0.0, f64::INFINITY], pulling.0);
                }
            }
        }
        for &r in &scope.rows {
            let row = &qp.rows[r];
            let value =
                row.parts.iter().map(|(b, part)| dot(part, &out.qdd[l.starts[*b]..][..part.len()])).sum();
            let idx = 2 * l.n_qdd + l.n_cone + r;
            look(idx, self.states[idx], value, row.limits, out.row_multipliers[r]);
        }
    }
}

/// A patch's six numbers of a list of all patches'.
#[inline(always)]
pub(super) fn six_of(list: &[f64], k: usize) -> [f64; 6] {
    std::array::from_fn(|axis| list[6 * k + axis])
}

/// What accelerations and wrenches ask of a block's degrees of freedom, `M qdd + h - Jᵀ w`; or, without constants, how
/// that changes with them.
pub(super) fn write_torques(
    qp: &BlockQp,
    l: &Layout,
    b: usize,
    constants: bool,
    (qdd, wrench): (&[f64], impl Fn(usize) -> [f64; 6]),
    torques: &mut [f64],
) {
    let block = &qp.blocks[b];
    let range = l.starts[b]..l.starts[b] + block.n;
    let torques = &mut torques[range.clone()];
    if constants {
        torques.copy_from_slice(&block.nonlinear);
    } else {
        torques.fill(0.0);
    }
    // The mass matrix is symmetric.
    add_rows(&block.mass, &qdd[range], torques);
    for &(k, side) in &l.patches_of[b] {
        add_rows(&qp.patches[k].sides[side].jacobian, &wrench(k).map(|x| -x), torques);
    }
}

/// Derivative of everything but the patch's own force cost with respect to its wrench.
#[inline(always)]
pub(super) fn wrench_slope(
    qp: &BlockQp,
    l: &Layout,
    out: &BlockSolution,
    k: usize,
    constants: bool,
) -> [f64; 6] {
    let patch = &qp.patches[k];
    let mut slope = if constants { patch.gradient } else { [0.0; 6] };
    let mut pulled = [0.0; 6];
    for side in &patch.sides {
        let range = l.starts[side.block]..l.starts[side.block] + qp.blocks[side.block].n;
        add_products(&side.jacobian, &out.torque_multipliers[range.clone()], &mut pulled);
        if !side.cross.is_empty() {
            add_products(&side.cross, &out.qdd[range], &mut slope);
        }
    }
    if !qp.wrench_cost.is_empty() {
        let size = 6 * qp.patches.len();
        add_products(&qp.wrench_cost[6 * k * size..6 * (k + 1) * size], &out.wrenches, &mut slope);
    }
    std::array::from_fn(|axis| slope[axis] - pulled[axis])
}

//! What the equations of an active set lack at a point, and what an earlier factor makes of that.

use super::super::super::blocks::{BlockQp, BlockSolution, PatchForce};
use super::super::super::kernels::{self, add_products, add_rows, axpy, dot, dot_six};
use super::super::layout::is_private;
use super::super::node::{NOWHERE, Node};
use super::super::read::{six_of, write_torques};
use super::super::{BlockSolver, FEW};
use super::{CLOSE, Follow, MANY_USES};

impl BlockSolver {
    /// Writes what each unknown's equation lacks; answers how much that is together, the root of the sum of squares.
    pub(super) fn measure(&mut self, qp: &BlockQp) -> f64 {
        kernels::with_vectors(
            #[inline(always)]
            || self.weigh(qp),
        )
    }

    /// [`Self::measure`], with whatever vectors there are.
    #[inline(always)]
    fn weigh(&mut self, qp: &BlockQp) -> f64 {
        let BlockSolver {
            follow, solution: out, layout: l, bases, states, nodes, front_of, reductions, ..
        } = self;
        let Follow { residual, slope, contacts, asked: all_asked, shared, scratch, folded, .. } = follow;
        let scope = &l.scopes[0];
        residual.fill(0.0);
        // Accelerations that follow from a block's own contacts, and what the cost of all of them asks for.
        for &b in &scope.blocks {
            let (block, reduction, node) = (&qp.blocks[b], &reductions[b], &nodes[front_of[b]]);
            let range = l.starts[b]..l.starts[b] + block.n;
            let qdd = &mut out.qdd[range.clone()];
            if !reduction.dependent.is_empty() {
                for &(k, _) in l.patches_of[b].iter().filter(|(k, _)| is_private(&qp.patches[*k])) {
                    let (patch, misses) = (&qp.patches[k], &mut contacts[6 * k..6 * k + 6]);
                    misses.copy_from_slice(&patch.target.map(|x| -x));
                    add_products(&patch.sides[0].jacobian, qdd, misses);
                }
                reduction.meet(contacts, scratch, qdd);
            }
            let slope = &mut slope[range.clone()];
            slope.copy_from_slice(&block.gradient);
            add_rows(&block.hessian, qdd, slope);
            for &(dof, at) in &node.bound_rows {
                let side = usize::from(states[range.start + dof] > 0);
                slope[dof] += out.bound_multipliers[range.start + dof];
                residual[node.unknowns[at]] = block.bounds[dof][side] - qdd[dof];
            }
            let point = (&*qdd, &out.torque_multipliers[range.clone()]);
            add_motion(&block.mass, &node.torque_rows, point, slope, scratch);
            for (&(dof, at), torque) in node.torque_rows.iter().zip(scratch.iter()) {
                let side = usize::from(states[l.n_qdd + range.start + dof] > 0);
                residual[node.unknowns[at]] = block.torque[dof][side] - block.nonlinear[dof] - torque;
            }
        }
        for task in scope.shared.iter().map(|t| &qp.shared[*t]) {
            shared.clear();
            shared.extend(task.target.iter().map(|goal| -goal));
            for (b, part) in &task.parts {
                let qdd = &out.qdd[l.starts[*b]..l.starts[*b] + qp.blocks[*b].n];
                add_products(part, qdd, shared);
            }
            for (b, part) in &task.parts {
                add_rows(part, shared, &mut slope[l.starts[*b]..l.starts[*b] + qp.blocks[*b].n]);
            }
        }
        for &r in &scope.rows {
            let state = states[2 * l.n_qdd + l.n_cone + r];
            if state == 0 {
                continue;
            }
            let row = &qp.rows[r];
            let mut miss = row.limits[usize::from(state > 0)];
            for (b, part) in &row.parts {
                let range = l.starts[*b]..l.starts[*b] + part.len();
                miss -= dot(part, &out.qdd[range.clone()]);
                axpy(out.row_multipliers[r], part, &mut slope[range]);
            }
            let node = row.parts.first().map(|part| &nodes[front_of[part.0]]);
            let place = node.and_then(|node| {
                node.row_at.iter().find(|(row, _)| *row == r).map(|(_, at)| node.unknowns[*at])
            });
            if let Some(at) = place {
                residual[at] = miss;
            }
        }
        // Wrenches, no-slip rows between blocks, and faces.
        for &k in &scope.patches {
            let patch = &qp.patches[k];
            let (mut asked, mut reached) = (patch.gradient, [0.0; 6]);
            let wrench = six_of(&out.wrenches, k);
            let multipliers = &out.contact_multipliers[6 * k..6 * k + 6];
            for side in &patch.sides {
                let (node, n) = (&nodes[front_of[side.block]], qp.blocks[side.block].n);
                let range = l.starts[side.block]..l.starts[side.block] + n;
                let (qdd, slope) = (&out.qdd[range.clone()], &mut slope[range.clone()]);
                add_rows(&side.jacobian, multipliers, slope);
                if patch.sides.len() > 1 {
                    add_products(&side.jacobian, qdd, &mut reached);
                }
                if !side.cross.is_empty() {
                    add_rows(&side.cross, &wrench, slope);
                    add_products(&side.cross, qdd, &mut asked);
                }
                let (base, others) = node.torque_rows.split_at(n_base(&node.torque_rows));
                if let Some(&(first, place)) = base.first() {
                    let multipliers = &out.torque_multipliers[range.start + first..];
                    if let Some(multipliers) = multipliers.first_chunk::<6>() {
                        let mut push = [0.0; 6];
                        for (axis, row) in side.jacobian.chunks_exact(n).enumerate() {
                            let Some(row) = row[first..].first_chunk::<6>() else { continue };
                            let (mut asks, row, multipliers) = (0.0, *row, *multipliers);
                            for i in 0..6 {
                                push[i] += row[i] * wrench[axis];
                                asks += row[i] * multipliers[i];
                            }
                            asked[axis] -= asks;
                        }
                        for (offset, push) in push.iter().enumerate() {
                            residual[node.unknowns[place + offset]] += push;
                        }
                    }
                }
                for &(dof, at) in others {
                    let multiplier = out.torque_multipliers[range.start + dof];
                    let mut push = 0.0;
                    for (axis, row) in side.jacobian.chunks_exact(n).enumerate() {
                        push += row[dof] * wrench[axis];
                        asked[axis] -= row[dof] * multiplier;
                    }
                    residual[node.unknowns[at]] += push;
                }
            }
            if !qp.wrench_cost.is_empty() {
                let size = out.wrenches.len();
                add_products(&qp.wrench_cost[6 * k * size..6 * (k + 1) * size], &out.wrenches, &mut asked);
            }
            all_asked[6 * k..6 * k + 6].copy_from_slice(&asked);
            let (basis, node) = (&bases[k], &nodes[front_of[patch.sides[0].block]]);
            let [w, y, f] = node.patch_at[k];
            let cone = l.cone_starts[k]..l.cone_starts[k] + patch.force.len();
            let active = &states[2 * l.n_qdd..][cone.clone()];
            if let PatchForce::Faces { faces, .. } = &patch.force {
                let active = faces.iter().zip(active).zip(&out.cone_multipliers[cone.clone()]);
                for (offset, ((face, _), y)) in active.filter(|((_, state), _)| **state != 0).enumerate() {
                    axpy(*y, face, &mut asked);
                    residual[node.unknowns[f + offset]] = -dot_six(face, &wrench);
                }
            }
            if basis.is_wrench {
                for (row, x) in basis.cost.as_chunks::<6>().0.iter().zip(wrench) {
                    (0..6).for_each(|i| asked[i] += row[i] * x);
                }
                asked.iter().enumerate().for_each(|(i, x)| residual[node.unknowns[w + i]] = -x);
            } else {
                let free = active.iter().zip(&out.coefficients[cone]).filter(|(state, _)| **state == 0);
                for (u, (column, (_, x))) in basis.columns[..basis.d].iter().zip(free).enumerate() {
                    residual[node.unknowns[w + u]] = -dot_six(column, &asked) - basis.diagonal * x;
                }
            }
            if patch.sides.len() > 1 {
                for axis in 0..6 {
                    residual[node.unknowns[y + axis]] = patch.target[axis] - reached[axis];
                }
            }
        }
        let mut missing = dot(residual, residual);
        // What is left of the slopes.
        for &b in &scope.blocks {
            let (reduction, node) = (&reductions[b], &nodes[front_of[b]]);
            let slope = &mut slope[l.starts[b]..l.starts[b] + qp.blocks[b].n];
            if !reduction.dependent.is_empty() {
                contacts.fill(0.0);
                reduction.balance(slope, scratch, contacts);
                for &(k, _) in l.patches_of[b].iter().filter(|(k, _)| is_private(&qp.patches[*k])) {
                    let change = &contacts[6 * k..6 * k + 6];
                    axpy(1.0, change, &mut out.contact_multipliers[6 * k..6 * k + 6]);
                    add_rows(&qp.patches[k].sides[0].jacobian, change, slope);
                }
            }
            missing += dot(slope, slope);
            reduction.fold_slope(slope, scratch, folded);
            let places = &node.unknowns[..reduction.order.len()];
            places.iter().zip(folded.iter()).for_each(|(at, x)| residual[*at] = -x);
        }
        libm::sqrt(missing)
    }

    /// Adds what the factored system makes of the residual to the solution.
    pub(super) fn improve(&mut self, qp: &BlockQp) {
        kernels::with_vectors(
            #[inline(always)]
            || self.correct(qp),
        );
    }

    /// [`Self::improve`], with whatever vectors there are.
    #[inline(always)]
    fn correct(&mut self, qp: &BlockQp) {
        let BlockSolver {
            follow,
            solution: out,
            layout: l,
            bases,
            borders,
            states,
            nodes,
            n_nodes,
            front_of,
            reductions,
            ..
        } = self;
        let Follow { residual, scratch, uses, .. } = follow;
        let nodes = &mut nodes[..*n_nodes];
        *uses += 1;
        if *uses == MANY_USES {
            nodes.iter_mut().for_each(Node::unwind);
            // Single changes may be long in coming: memory for them while memory is still being taken.
            borders.reserve(FEW, residual.len());
        }
        if *uses < MANY_USES {
            nodes.iter().for_each(|node| {
                node.forward(residual, scratch);
            });
            nodes.iter().rev().for_each(|node| node.backward(residual, scratch));
        } else {
            nodes.iter().for_each(|node| node.forward_unwound(residual, scratch));
            nodes.iter().rev().for_each(|node| node.backward_unwound(residual, scratch));
        }
        let scope = &l.scopes[0];
        for &b in &scope.blocks {
            let (n, start, reduction, node) =
                (qp.blocks[b].n, l.starts[b], &reductions[b], &nodes[front_of[b]]);
            let change = |at: usize| residual[node.unknowns[at]];
            let left = reduction.order.len();
            scratch.clear();
            scratch.resize(n, 0.0);
            scratch.extend((0..left).map(change));
            let (all, left) = scratch.split_at_mut(n);
            reduction.expand(left, false, all);
            axpy(1.0, all, &mut out.qdd[start..start + n]);
            for &(dof, at) in &node.torque_rows {
                out.torque_multipliers[start + dof] += change(at);
            }
            for &(dof, at) in &node.bound_rows {
                out.bound_multipliers[start + dof] += change(at);
            }
            for &(r, at) in
                node.row_at.iter().filter(|(r, _)| qp.rows[*r].parts.first().is_some_and(|part| part.0 == b))
            {
                out.row_multipliers[r] += change(at);
            }
        }
        for &k in &scope.patches {
            let (patch, basis) = (&qp.patches[k], &bases[k]);
            let node = &nodes[front_of[patch.sides[0].block]];
            let [w, y, f] = node.patch_at[k];
            let change = |at: usize| residual[node.unknowns[at]];
            let (cone, wrench) = (l.cone_starts[k], &mut out.wrenches[6 * k..6 * k + 6]);
            let active = states[2 * l.n_qdd + cone..][..patch.force.len()].iter().enumerate();
            if basis.is_wrench {
                wrench.iter_mut().enumerate().for_each(|(i, x)| *x += change(w + i));
            } else {
                let free = active.clone().filter(|(_, state)| **state == 0);
                for (u, (idx, _)) in free.enumerate() {
                    out.coefficients[cone + idx] += change(w + u);
                    axpy(change(w + u), &basis.columns[u], wrench);
                }
            }
            if y != NOWHERE {
                (0..6).for_each(|axis| out.contact_multipliers[6 * k + axis] += change(y + axis));
            }
            if patch.has_faces() {
                for (offset, (idx, _)) in active.filter(|(_, state)| **state != 0).enumerate() {
                    out.cone_multipliers[cone + idx] += change(f + offset);
                }
            }
        }
    }

    /// Whether the no-slip rows of one block alone hold to the last digits, those that depend on others included.
    pub(super) fn holds_contacts(&self, qp: &BlockQp) -> bool {
        let l = &self.layout;
        let mut missing = 0.0;
        for patch in l.scopes[0].patches.iter().map(|k| &qp.patches[*k]).filter(|patch| is_private(patch)) {
            let side = &patch.sides[0];
            let start = l.starts[side.block];
            let mut misses = patch.target.map(|x| -x);
            let qdd = &self.solution.qdd[start..start + qp.blocks[side.block].n];
            add_products(&side.jacobian, qdd, &mut misses);
            missing += dot(&misses, &misses);
        }
        libm::sqrt(missing) <= CLOSE
    }

    /// Torques, coefficients and multipliers of generators, which follow from the rest.
    pub(super) fn conclude(&mut self, qp: &BlockQp) {
        let BlockSolver { follow, solution: out, layout: l, bases, states, .. } = self;
        let BlockSolution { qdd, wrenches, torques, .. } = out;
        let wrench = |k: usize| six_of(wrenches, k);
        for b in 0..qp.blocks.len() {
            write_torques(qp, l, b, true, (qdd, wrench), torques);
        }
        for (k, patch) in qp.patches.iter().enumerate() {
            let PatchForce::Generators { columns, weight } = &patch.force else { continue };
            let start = l.cone_starts[k];
            let states = &states[2 * l.n_qdd + start..][..columns.len()];
            let coefficients = &mut out.coefficients[start..start + columns.len()];
            let multipliers = &mut out.cone_multipliers[start..start + columns.len()];
            let pull = match out.wrenches[6 * k..].first_chunk::<6>() {
                Some(wrench) if bases[k].is_wrench => bases[k].share(wrench),
                _ => None,
            };
            for (idx, column) in columns.iter().enumerate() {
                (coefficients[idx], multipliers[idx]) = match (pull, states[idx]) {
                    (Some(pull), 0) => (dot_six(column, &pull), 0.0),
                    (Some(pull), _) => (0.0, weight * dot_six(column, &pull)),
                    (None, 0) => (coefficients[idx], 0.0),
                    (None, _) => (0.0, -dot(column, &follow.asked[6 * k..6 * k + 6])),
                };
            }
        }
    }
}

/// How many of the rows go together: six if those of a floating base come first, whose degrees of freedom and places
/// follow each other; else none.
#[inline(always)]
fn n_base(rows: &[(usize, usize)]) -> usize {
    match rows.first_chunk::<6>() {
        Some(base) if base[5] == (base[0].0 + 5, base[0].1 + 5) => 6,
        _ => 0,
    }
}

/// The torques that accelerations need at the degrees of freedom whose equations of motion are rows, into `torques`; and
/// what the multipliers of those rows add to the slopes.
#[inline(always)]
fn add_motion(
    mass: &[f64],
    rows: &[(usize, usize)],
    (qdd, multipliers): (&[f64], &[f64]),
    slope: &mut [f64],
    torques: &mut Vec<f64>,
) {
    let n = qdd.len();
    torques.clear();
    torques.resize(rows.len(), 0.0);
    let (base, others) = rows.split_at(n_base(rows));
    let (base_torques, torques) = torques.split_at_mut(base.len());
    if let Some((first, _)) = base.first() {
        let rows = &mass[first * n..(first + 6) * n];
        add_products(rows, qdd, base_torques);
        add_rows(rows, &multipliers[*first..first + 6], slope);
    }
    for ((dof, _), torque) in others.iter().zip(torques) {
        let row = &mass[dof * n..(dof + 1) * n];
        *torque = dot(row, qdd);
        axpy(multipliers[*dof], row, slope);
    }
}

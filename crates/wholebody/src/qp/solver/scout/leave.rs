//! Everything but the wrenches is eliminated, and what follows from them.

use super::super::super::blocks::{BlockQp, Limit, PatchForce};
use super::super::super::kernels::{self, axpy, dot};
use super::super::basis::{Basis, invert_gram};
use super::super::dual::limits_of;
use super::super::node::GroupKind;
use super::super::{BlockSolver, clear_for};
use super::active::share;
use super::{Known, Scout};

impl BlockSolver {
    /// Eliminates everything but the wrenches, with no limit active; false if that cannot be done.
    pub(super) fn leave_wrenches(&mut self, qp: &BlockQp, scout: &mut Scout) -> bool {
        scout.states.clear();
        scout.states.resize(self.states.len(), 0);
        std::mem::swap(&mut self.states, &mut scout.states);
        self.bases.resize_with(qp.patches.len(), Basis::default);
        for &k in &self.layout.scopes[self.scope].patches {
            self.bases[k].be_wrench([0.0; 36]);
        }
        self.front_of.resize(qp.blocks.len(), 0);
        self.list_groups(qp);
        self.follow.has_factor = false;
        self.n_nodes = 0;
        let mut is_convex = true;
        for idx in 0..self.layout.scopes[self.scope].blocks.len() {
            let b = self.layout.scopes[self.scope].blocks[idx];
            let node = self.next_node();
            self.assemble_front(qp, b, node);
            is_convex &= self.nodes[node].eliminate_first(self.reductions[b].order.len());
        }
        std::mem::swap(&mut self.states, &mut scout.states);
        is_convex && self.gather(qp, scout) && self.factor_wrenches(qp, scout)
    }

    /// Sums what the blocks leave over and eliminates the multipliers of its equality rows.
    fn gather(&self, qp: &BlockQp, scout: &mut Scout) -> bool {
        let scope = &self.layout.scopes[self.scope];
        let Scout { wrench_at, group_at, places, runs, starts, inverse, scale, top, .. } = scout;
        wrench_at.resize(qp.patches.len(), 0);
        group_at.resize(self.groups.len(), 0);
        places.resize_with(qp.blocks.len(), Vec::new);
        starts.resize(qp.blocks.len(), 0);
        let all = self.nodes[..self.n_nodes].iter().map(|node| node.n);
        clear_for(inverse, all.sum::<usize>() + 6 * qp.patches.len());
        let mut n = 0;
        for (&b, node) in scope.blocks.iter().zip(&self.nodes) {
            let left = self.reductions[b].order.len();
            starts[b] = inverse.len();
            inverse.extend_from_slice(&node.inverse[..left]);
            places[b].clear();
            places[b].resize(node.n - left, 0);
            places[b][node.n_primal - left..node.n_eliminated - left]
                .iter_mut()
                .zip(n..)
                .for_each(|(place, at)| *place = at);
            n += node.n_eliminated - node.n_primal;
        }
        let is_carried = |kind: GroupKind| matches!(kind, GroupKind::Motion(_));
        for (group, at) in self.groups.iter().zip(group_at.iter_mut()) {
            if group.kind.is_dual() && !is_carried(group.kind) {
                *at = n;
                n += group.size;
            }
        }
        let n_dual = n;
        for &k in &scope.patches {
            wrench_at[k] = n;
            n += 6;
        }
        for (group, at) in self.groups.iter().zip(group_at.iter_mut()) {
            if let GroupKind::Wrench(k) = group.kind {
                *at = wrench_at[k];
            } else if is_carried(group.kind) {
                *at = n;
                n += group.size;
            }
        }
        let stride = (n + 1).next_multiple_of(kernels::GROUP);
        top.clear(stride * (n + 1));
        for (&b, node) in scope.blocks.iter().zip(&self.nodes) {
            let (left, places) = (self.reductions[b].order.len(), &mut places[b]);
            for &(k, _) in &self.layout.patches_of[b] {
                if node.patch_at[k][0] < node.n_primal {
                    (0..6).for_each(|i| places[node.patch_at[k][0] - left + i] = wrench_at[k] + i);
                }
            }
            for &(g, at) in &node.links {
                (0..self.groups[g].size).for_each(|i| places[at - left + i] = group_at[g] + i);
            }
            clear_for(runs, places.len());
            let mut from = 0;
            for run in places.chunk_by(|place, next| *next == place + 1) {
                runs.push((from, run.len()));
                from += run.len();
            }
            for (c, &to) in places.iter().enumerate() {
                let column = &node.a[(left + c) * node.stride + left..][..node.n + 1 - left];
                for &(from, len) in runs.iter().filter(|(from, len)| from + len > c) {
                    let values = &column[from.max(c)..from + len];
                    let at = places[from.max(c)];
                    if at >= to {
                        axpy(1.0, values, &mut top[to * stride + at..]);
                    } else {
                        for (row, x) in top[at * stride..].chunks_mut(stride).zip(values) {
                            row[to] += x;
                        }
                    }
                }
                top[to * stride + n] += column[places.len()];
            }
        }
        let first = inverse.len();
        inverse.resize(first + n, 0.0);
        scale.clear();
        scale.extend((0..n).map(|j| top[j * stride + j].abs()));
        (scout.n_dual, scout.n_top, scout.stride) = (n_dual, n, stride);
        let lost = kernels::eliminate(top, stride, n + 1, 0, n_dual, -1.0, scale, &mut inverse[first..]);
        inverse.truncate(first + n_dual);
        lost == 0
    }

    /// Factors the cost of the wrenches, that of all generators included.
    fn factor_wrenches(&self, qp: &BlockQp, scout: &mut Scout) -> bool {
        let Scout { top, stride, n_dual, n_top, wrench_at, grams, factor, optimum, pivots, scale, .. } =
            scout;
        let (n, first) = (*n_top - *n_dual, *n_dual);
        let tall = n.next_multiple_of(kernels::GROUP);
        factor.clear(tall * n);
        clear_for(optimum, n);
        for j in 0..n {
            let column = &top[(first + j) * *stride + first..][..n + 1];
            factor[j * tall + j..j * tall + n].copy_from_slice(&column[j..n]);
            optimum.push(column[n]);
        }
        grams.resize(qp.patches.len(), [0.0; 36]);
        for &k in &self.layout.scopes[self.scope].patches {
            let at = wrench_at[k] - first;
            let (cost, weight) = match &qp.patches[k].force {
                PatchForce::Generators { columns, weight } => {
                    let Some(inverse) = invert_gram(columns) else { return false };
                    grams[k] = inverse;
                    (&grams[k], *weight)
                }
                PatchForce::Faces { cost, .. } => (cost, 1.0),
            };
            for j in 0..6 {
                (j..6).for_each(|i| factor[(at + j) * tall + at + i] += weight * cost[6 * i + j]);
            }
        }
        scale.clear();
        scale.extend((0..n).map(|j| 1e-3 * factor[j * tall + j].abs()));
        pivots.clear();
        pivots.resize(n, 0.0);
        scout.tall = tall;
        let n_wrench = 6 * self.layout.scopes[self.scope].patches.len();
        if kernels::eliminate(factor, tall, n, 0, n_wrench, 1.0, scale, pivots) > 0 {
            return false;
        }
        (n_wrench..n).for_each(|j| scale[j] = factor[j * tall + j].abs());
        if kernels::eliminate(factor, tall, n, n_wrench, n, -1.0, scale, pivots) > 0 {
            return false;
        }
        kernels::with_vectors(
            #[inline(always)]
            || {
                kernels::substitute_forward(factor, tall, n, n, optimum);
                optimum.iter_mut().zip(pivots.iter()).for_each(|(x, pivot)| *x *= pivot);
                kernels::substitute_backward(factor, tall, n, n, optimum);
            },
        );
        true
    }

    /// Makes a limit known: its row in the wrenches, once all else is eliminated, and its part in that.
    pub(super) fn make_known(&self, qp: &BlockQp, scout: &mut Scout, state: usize) {
        let n = scout.optimum.len();
        scout.fresh.clear();
        scout.fresh.resize(n, 0.0);
        let limit = self.layout.limit_of(state);
        let limits = limits_of(qp, limit);
        let mut known =
            Known { state, limits, cone: None, value: 0.0, first: 0, through: scout.through.len() };
        match limit {
            Limit::Cone { patch, idx } => {
                known.cone = Some((patch, idx));
                let at = scout.wrench_at[patch] - scout.n_dual;
                known.first = at;
                scout.fresh[at..at + 6].copy_from_slice(&match &qp.patches[patch].force {
                    PatchForce::Generators { columns, .. } => share(&scout.grams[patch], &columns[idx]),
                    PatchForce::Faces { faces, .. } => faces[idx],
                });
            }
            limit => known.value = self.write_eliminated(qp, scout, limit),
        }
        let Scout { fresh, factor, tall, optimum, .. } = scout;
        kernels::with_vectors(
            #[inline(always)]
            || {
                known.value += dot(fresh, optimum);
                kernels::substitute_forward(factor, *tall, n, n, fresh);
            },
        );
        scout.solved.extend_from_slice(&scout.fresh);
        scout.known.push(known);
    }

    /// Row and part of a limit of what was eliminated; answers its constant.
    fn write_eliminated(&self, qp: &BlockQp, scout: &mut Scout, limit: Limit) -> f64 {
        let l = &self.layout;
        let (n_dual, n_top, stride) = (scout.n_dual, scout.n_top, scout.stride);
        let mut constant = 0.0;
        let Scout { fresh, x, local, top, places, starts, mixed, step: part, through, inverse, .. } = scout;
        let through_at = through.len();
        through.resize(through_at + inverse.len(), 0.0);
        let through = &mut through[through_at..];
        x.clear();
        x.resize(n_top + 1, 0.0);
        let mut add = |b: usize, row: &[f64], is_torque: Option<usize>| {
            let (node, reduction) = (&self.nodes[self.front_of[b]], &self.reductions[b]);
            let left = reduction.order.len();
            local.clear();
            local.resize(node.n + 1, 0.0);
            if let Some(dof) = is_torque {
                let n = qp.blocks[b].n;
                for &(k, s) in &l.patches_of[b] {
                    let jacobian = &qp.patches[k].sides[s].jacobian;
                    (0..6).for_each(|axis| local[node.patch_at[k][0] + axis] = -jacobian[axis * n + dof]);
                }
                constant += qp.blocks[b].nonlinear[dof];
            }
            constant += reduction.fold_into(row, part, local).0;
            kernels::with_vectors(
                #[inline(always)]
                || kernels::substitute_forward(&node.a, node.stride, node.n + 1, left, local),
            );
            through[starts[b]..starts[b] + left].copy_from_slice(&local[..left]);
            places[b].iter().zip(&local[left..]).for_each(|(at, value)| x[*at] += value);
            x[n_top] += local[node.n];
        };
        match limit {
            Limit::Torque { block, dof } => {
                let n = qp.blocks[block].n;
                let row = &qp.blocks[block].mass[dof * n..(dof + 1) * n];
                add(block, row, Some(dof));
            }
            Limit::Acceleration { block, dof } => {
                mixed.clear();
                mixed.resize(qp.blocks[block].n, 0.0);
                mixed[dof] = 1.0;
                add(block, mixed, None);
            }
            Limit::Row { row } => {
                qp.rows[row].parts.iter().for_each(|(b, part)| add(*b, part, None));
            }
            Limit::Cone { .. } | Limit::NoSlip { .. } => {}
        }
        kernels::with_vectors(
            #[inline(always)]
            || kernels::substitute_forward(top, stride, n_top + 1, n_dual, x),
        );
        let first = through.len() - n_dual;
        through[first..].copy_from_slice(&x[..n_dual]);
        fresh.copy_from_slice(&x[n_dual..n_top]);
        constant - x[n_top]
    }

    /// The accelerations that go with the wrenches and multipliers.
    #[inline(always)]
    pub(super) fn find_accelerations(&self, qp: &BlockQp, scout: &mut Scout) {
        let l = &self.layout;
        let Scout { x, local, mixed, top, stride, n_dual, n_top, through, inverse, .. } = scout;
        let (stride, n_dual, n_top) = (*stride, *n_dual, *n_top);
        let first = inverse.len() - n_dual;
        mixed.clear();
        mixed.resize(inverse.len(), 0.0);
        for row in scout.rows.iter().filter(|row| row.limit.cone.is_none()) {
            axpy(row.multiplier, &through[row.limit.through..][..inverse.len()], mixed);
        }
        mixed.iter_mut().zip(inverse).for_each(|(x, inverse)| *x *= *inverse);
        x.clear();
        x.extend((0..n_dual).map(|e| top[e * stride + n_top] - mixed[first + e]));
        x.extend_from_slice(&scout.wrenches);
        kernels::substitute_backward(top, stride, n_top, n_dual, x);
        scout.qdd.resize(l.n_qdd, 0.0);
        for &b in &l.scopes[self.scope].blocks {
            let (node, reduction) = (&self.nodes[self.front_of[b]], &self.reductions[b]);
            let (left, at) = (reduction.order.len(), scout.starts[b]);
            local.clear();
            local.extend((0..left).map(|e| node.a[e * node.stride + node.n] - mixed[at + e]));
            local.extend(scout.places[b].iter().map(|place| x[*place]));
            kernels::substitute_backward(&node.a, node.stride, node.n, left, local);
            reduction.expand(local, true, &mut scout.qdd[l.starts[b]..l.starts[b] + qp.blocks[b].n]);
        }
    }
}

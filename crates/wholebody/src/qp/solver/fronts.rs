//! Assembly of the fronts and stages for a guessed active set.

use super::super::blocks::{BlockQp, Patch, PatchForce};
use super::layout::is_private;
use super::node::{Group, GroupKind, NOWHERE};
use super::{BlockSolver, clear_for};

impl BlockSolver {
    /// Unknowns shared by several blocks, given the active set.
    pub(super) fn list_groups(&mut self, qp: &BlockQp) {
        let l = &self.layout;
        let scope = &l.scopes[self.scope];
        let most = 3 * scope.patches.len() + scope.blocks.len() + scope.shared.len() + scope.rows.len();
        clear_for(&mut self.groups, most);
        let mut start = 0;
        let groups = &mut self.groups;
        let mut add = |kind: GroupKind, size: usize, last: usize| {
            groups.push(Group { kind, size, last, start, unknown: 0 });
            start += size;
        };
        let last_of = |blocks: &mut dyn Iterator<Item = usize>| blocks.map(|b| l.place[b]).max().unwrap_or(0);
        for &k in &scope.patches {
            let patch = &qp.patches[k];
            if is_private(patch) {
                continue;
            }
            let last = last_of(&mut patch.sides.iter().map(|side| side.block));
            add(GroupKind::Wrench(k), self.bases[k].d, last);
            add(GroupKind::NoSlip(k), 6, last);
            let active = count_faces(patch, &self.states[2 * l.n_qdd + l.cone_starts[k]..]);
            if active > 0 {
                add(GroupKind::Faces(k), active, last);
            }
        }
        for &b in &scope.blocks {
            if l.is_carried(qp, b) {
                let patches = l.patches_of[b].iter().map(|(k, _)| &qp.patches[*k]);
                let last = last_of(&mut patches.flat_map(|patch| patch.sides.iter().map(|side| side.block)));
                add(GroupKind::Motion(b), qp.blocks[b].n, last);
            }
        }
        for &t in &scope.shared {
            let task = &qp.shared[t];
            add(GroupKind::Shared(t), task.rows, last_of(&mut task.parts.iter().map(|part| part.0)));
        }
        for &r in &scope.rows {
            let blocks = || qp.rows[r].parts.iter().map(|part| part.0);
            if self.states[2 * l.n_qdd + l.n_cone + r] != 0 && blocks().min() != blocks().max() {
                add(GroupKind::Row(r), 1, last_of(&mut blocks()));
            }
        }
        self.group_values.clear();
        self.group_values.resize(start, 0.0);
    }

    /// Assembles and eliminates the front of block `b`.
    pub(super) fn build_front(&mut self, qp: &BlockQp, b: usize, node: usize) -> bool {
        self.assemble_front(qp, b, node);
        self.nodes[node].eliminate(&self.groups)
    }

    /// Assembles the front of block `b`.
    pub(super) fn assemble_front(&mut self, qp: &BlockQp, b: usize, node: usize) {
        let l = &self.layout;
        let block = &qp.blocks[b];
        let nv = block.n;
        let reduction = &self.reductions[b];
        let (bound_states, rest) = self.states.split_at(l.n_qdd);
        let (torque_states, rest) = rest.split_at(l.n_qdd);
        let (cone_states, row_states) = rest.split_at(l.n_cone);
        self.front_of[b] = node;
        let front = &mut self.nodes[node];
        front.clear(Some(b), qp.patches.len());
        clear_for(&mut front.torque_at, nv);
        clear_for(&mut front.bound_at, nv);

        // Where everything goes.
        let mut n = reduction.order.len();
        for &(k, _) in &l.patches_of[b] {
            if is_private(&qp.patches[k]) {
                front.patch_at[k][0] = n;
                n += self.bases[k].d;
            }
        }
        front.n_primal = n;
        let equality = |limits: [f64; 2]| limits[0] == limits[1];
        let carried = l.is_carried(qp, b);
        for dof in 0..nv {
            if carried {
                front.torque_at.push(NOWHERE);
                continue;
            }
            let active = equality(block.torque[dof]) || torque_states[l.starts[b] + dof] != 0;
            front.torque_at.push(if active { n } else { NOWHERE });
            n += usize::from(active);
        }
        for dof in 0..nv {
            let active = bound_states[l.starts[b] + dof] != 0;
            front.bound_at.push(if active { n } else { NOWHERE });
            n += usize::from(active);
        }
        for &(k, _) in &l.patches_of[b] {
            if is_private(&qp.patches[k]) {
                front.patch_at[k][2] = n;
                n += count_faces(&qp.patches[k], &cone_states[l.cone_starts[k]..]);
            }
        }
        for &r in &l.scopes[self.scope].rows {
            if row_states[r] != 0 && qp.rows[r].parts.iter().all(|part| part.0 == b) {
                front.row_at.push((r, n));
                n += 1;
            }
        }
        front.n_eliminated = n;
        for (g, group) in self.groups.iter().enumerate() {
            let slot = match group.kind {
                GroupKind::Wrench(k) | GroupKind::NoSlip(k) | GroupKind::Faces(k) => {
                    let Some(&(_, side)) = l.patches_of[b].iter().find(|(patch, _)| *patch == k) else {
                        continue;
                    };
                    match group.kind {
                        GroupKind::Wrench(_) => front.patch_at[k][0] = n,
                        GroupKind::NoSlip(_) => front.patch_at[k][1] = n,
                        _ if side == 0 => front.patch_at[k][2] = n,
                        _ => continue,
                    }
                    n
                }
                GroupKind::Shared(t) => {
                    if !qp.shared[t].parts.iter().any(|part| part.0 == b) {
                        continue;
                    }
                    n
                }
                GroupKind::Motion(of) => {
                    if of != b {
                        continue;
                    }
                    (0..nv).for_each(|dof| front.torque_at[dof] = n + dof);
                    n
                }
                GroupKind::Row(r) => {
                    if !qp.rows[r].parts.iter().any(|part| part.0 == b) {
                        continue;
                    }
                    front.row_at.push((r, n));
                    n
                }
            };
            front.links.push((g, slot));
            n += group.size;
        }
        front.allocate(n);

        // Accelerations.
        let left = reduction.order.len();
        for c in 0..left {
            let column = c * front.stride;
            front.a[column + c..column + left]
                .copy_from_slice(&reduction.hessian[c * left + c..(c + 1) * left]);
            front.a[column + n] = -reduction.gradient[c];
        }
        clear_for(&mut front.torque_rows, nv);
        front
            .torque_rows
            .extend((0..nv).map(|dof| (dof, front.torque_at[dof])).filter(|(_, r)| *r != NOWHERE));
        front.bound_rows.clear();
        front.bound_rows.extend((0..nv).map(|dof| (dof, front.bound_at[dof])).filter(|(_, r)| *r != NOWHERE));
        front.add_motion(reduction, &block.mass);
        for dof in 0..nv {
            let r = front.torque_at[dof];
            if r != NOWHERE {
                let limits = block.torque[dof];
                let upper = torque_states[l.starts[b] + dof] > 0;
                front.a[r * front.stride + n] += limits[usize::from(upper)] - block.nonlinear[dof];
            }
            let r = front.bound_at[dof];
            if r != NOWHERE {
                let (a, stride) = (&mut front.a, front.stride);
                let row = |other: usize| f64::from(u8::from(other == dof));
                let (constant, reach) = reduction.fold(row, |at, x| a[at * stride + r] += x);
                let upper = bound_states[l.starts[b] + dof] > 0;
                a[r * stride + n] = block.bounds[dof][usize::from(upper)] - constant;
                front.scale[r] = reach;
            }
        }
        // Patches.
        for &(k, s) in &l.patches_of[b] {
            let patch = &qp.patches[k];
            front.add_patch_side(patch, s, k, &self.bases[k], reduction, &cone_states[l.cone_starts[k]..]);
            if qp.wrench_cost.is_empty() {
                continue;
            }
            for &(k2, _) in l.patches_of[b].iter().filter(|(k2, _)| *k2 <= k) {
                if first_common_block(&qp.patches[k], &qp.patches[k2]) == Some(b) {
                    front.add_wrench_cost(qp, k, k2, &self.bases[k], &self.bases[k2]);
                }
            }
        }
        // Shared tasks and rows.
        for idx in 0..front.links.len() {
            let (g, at) = front.links[idx];
            if let GroupKind::Shared(t) = self.groups[g].kind {
                let task = &qp.shared[t];
                for (part_idx, (block_idx, part)) in task.parts.iter().enumerate() {
                    if *block_idx != b {
                        continue;
                    }
                    front.add_rows(reduction, part, at);
                    if part_idx == 0 {
                        for r in at..at + task.rows {
                            front.a[r * front.stride + r] = -1.0;
                            front.a[r * front.stride + n] += task.target[r - at];
                        }
                    }
                }
            }
        }
        for idx in 0..front.row_at.len() {
            let (r, at) = front.row_at[idx];
            for (part_idx, (block_idx, part)) in qp.rows[r].parts.iter().enumerate() {
                if *block_idx != b {
                    continue;
                }
                front.add_rows(reduction, part, at);
                if part_idx == 0 {
                    front.a[at * front.stride + n] += qp.rows[r].limits[usize::from(row_states[r] > 0)];
                }
            }
        }
    }

    /// After block number `place`: sums and eliminates what no later block knows.
    pub(super) fn build_stage(&mut self, place: usize) -> bool {
        // Nodes with something left over that nobody has summed yet.
        let finished = self.groups.iter().any(|group| group.last == place);
        if !finished {
            return true;
        }
        let stage_idx = self.next_node();
        let (earlier, later) = self.nodes.split_at_mut(stage_idx);
        let stage = &mut later[0];
        stage.clear(None, 0);
        for (idx, node) in earlier.iter().enumerate() {
            if !node.absorbed && !node.links.is_empty() {
                stage.children.push(idx);
            }
        }
        // Own unknowns first (primal, then dual), the rest behind them.
        let mut n = 0;
        for dual in [false, true] {
            for (g, group) in self.groups.iter().enumerate() {
                if group.last == place && group.kind.is_dual() == dual {
                    stage.own.push((g, n));
                    n += group.size;
                }
            }
            if !dual {
                stage.n_primal = n;
            }
        }
        stage.n_eliminated = n;
        for child in &stage.children {
            for &(g, _) in &earlier[*child].links {
                let known = |list: &[(usize, usize)]| list.iter().any(|(other, _)| *other == g);
                if !known(&stage.own) && !known(&stage.links) {
                    stage.links.push((g, n));
                    n += self.groups[g].size;
                }
            }
        }
        stage.allocate(n);
        for child_idx in 0..stage.children.len() {
            let child = &mut earlier[stage.children[child_idx]];
            child.absorbed = true;
            stage.absorb(child, &self.groups);
        }
        stage.eliminate(&self.groups)
    }
}

fn count_faces(patch: &Patch, states: &[i8]) -> usize {
    match &patch.force {
        PatchForce::Faces { faces, .. } => states[..faces.len()].iter().filter(|state| **state != 0).count(),
        PatchForce::Generators { .. } => 0,
    }
}

fn first_common_block(a: &Patch, b: &Patch) -> Option<usize> {
    a.sides.iter().map(|side| side.block).find(|block| b.sides.iter().any(|side| side.block == *block))
}

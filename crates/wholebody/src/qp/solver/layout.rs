//! What follows from the shape of a problem alone: who meets whom, and in which order to eliminate.

use super::super::blocks::{BlockQp, BlockSolution, Limit, Patch};

/// What is connected by patches, shared tasks and rows: a problem of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// In the order of elimination.
    pub(super) blocks: Vec<usize>,
    pub(super) patches: Vec<usize>,
    pub(super) shared: Vec<usize>,
    pub(super) rows: Vec<usize>,
}

/// What follows from the shape of the problem alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub(super) starts: Vec<usize>,
    pub(super) cone_starts: Vec<usize>,
    pub(super) n_qdd: usize,
    pub(super) n_cone: usize,
    pub(super) n_rows: usize,
    /// Patches of each block, and which side of them it is.
    pub(super) patches_of: Vec<Vec<(usize, usize)>>,
    /// Blocks in the order of elimination, and each block's place in it.
    pub(super) order: Vec<usize>,
    pub(super) place: Vec<usize>,
    pub(super) component: Vec<usize>,
    pub(super) degree: Vec<usize>,
    /// The first `n_scopes` are in use.
    pub(super) scopes: Vec<Scope>,
    pub(super) n_scopes: usize,
}

impl Layout {
    /// Whether a block has no drive at all and is held by others. The inertia of such an object may be tiny
    /// against the wrenches on it, so its equations of motion are eliminated after those wrenches.
    pub(super) fn is_carried(&self, qp: &BlockQp, b: usize) -> bool {
        qp.blocks[b].torque.iter().all(|limits| limits[0] == limits[1])
            && self.patches_of[b].iter().any(|(k, _)| !is_private(&qp.patches[*k]))
    }

    /// Where a limit's state is; no-slip rows have none.
    pub(super) fn state_of(&self, limit: Limit) -> Option<usize> {
        match limit {
            Limit::Acceleration { block, dof } => Some(self.starts[block] + dof),
            Limit::Torque { block, dof } => Some(self.n_qdd + self.starts[block] + dof),
            Limit::Cone { patch, idx } => Some(2 * self.n_qdd + self.cone_starts[patch] + idx),
            Limit::Row { row } => Some(2 * self.n_qdd + self.n_cone + row),
            Limit::NoSlip { .. } => None,
        }
    }

    /// The limit that a state belongs to.
    pub(super) fn limit_of(&self, state: usize) -> Limit {
        let inside = |starts: &[usize], i: usize| starts.partition_point(|start| *start <= i) - 1;
        let n = self.n_qdd;
        match state {
            _ if state < n => {
                let block = inside(&self.starts, state);
                Limit::Acceleration { block, dof: state - self.starts[block] }
            }
            _ if state < 2 * n => {
                let block = inside(&self.starts, state - n);
                Limit::Torque { block, dof: state - n - self.starts[block] }
            }
            _ if state < 2 * n + self.n_cone => {
                let patch = inside(&self.cone_starts, state - 2 * n);
                Limit::Cone { patch, idx: state - 2 * n - self.cone_starts[patch] }
            }
            _ => Limit::Row { row: state - 2 * n - self.n_cone },
        }
    }

    /// Makes a solution as large as the problem.
    pub(super) fn resize(&self, qp: &BlockQp, out: &mut BlockSolution) {
        for (list, size) in [
            (&mut out.qdd, self.n_qdd),
            (&mut out.torques, self.n_qdd),
            (&mut out.torque_multipliers, self.n_qdd),
            (&mut out.bound_multipliers, self.n_qdd),
            (&mut out.wrenches, 6 * qp.patches.len()),
            (&mut out.contact_multipliers, 6 * qp.patches.len()),
            (&mut out.coefficients, self.n_cone),
            (&mut out.cone_multipliers, self.n_cone),
            (&mut out.row_multipliers, self.n_rows),
        ] {
            if list.len() != size {
                list.clear();
                list.resize(size, 0.0);
            }
        }
    }

    pub(super) fn update(&mut self, qp: &BlockQp) {
        let n = qp.blocks.len();
        self.starts.clear();
        self.n_qdd = 0;
        for block in &qp.blocks {
            self.starts.push(self.n_qdd);
            self.n_qdd += block.n;
        }
        self.cone_starts.clear();
        self.n_cone = 0;
        self.patches_of.iter_mut().for_each(Vec::clear);
        self.patches_of.resize_with(n, Vec::new);
        for (k, patch) in qp.patches.iter().enumerate() {
            self.cone_starts.push(self.n_cone);
            self.n_cone += patch.force.len();
            for (s, side) in patch.sides.iter().enumerate() {
                self.patches_of[side.block].push((k, s));
            }
        }
        self.n_rows = qp.rows.len();
        // Components, by spreading the smallest index along every meeting.
        self.component.clear();
        self.component.extend(0..n);
        self.degree.clear();
        self.degree.resize(n, 0);
        loop {
            let before = self.component.iter().sum::<usize>();
            self.degree.iter_mut().for_each(|degree| *degree = 0);
            for patch in &qp.patches {
                self.meet(patch.sides.iter().map(|side| side.block));
            }
            for task in &qp.shared {
                self.meet(task.parts.iter().map(|part| part.0));
            }
            for row in &qp.rows {
                self.meet(row.parts.iter().map(|part| part.0));
            }
            if self.component.iter().sum::<usize>() == before {
                break;
            }
        }
        // Whole components one after the other, hubs last.
        self.order.clear();
        self.order.extend(0..n);
        let (component, degree) = (&self.component, &self.degree);
        self.order.sort_unstable_by_key(|b| (component[*b], degree[*b], *b));
        self.place.clear();
        self.place.resize(n, 0);
        for (place, b) in self.order.iter().enumerate() {
            self.place[*b] = place;
        }
        self.list_scopes(qp);
    }

    /// Gathers what belongs together. What concerns no block at all goes with the first.
    fn list_scopes(&mut self, qp: &BlockQp) {
        self.n_scopes = 0;
        // From here on a component is known by the number of its scope.
        let mut last = None;
        for idx in 0..self.order.len() {
            let b = self.order[idx];
            if last != Some(self.component[b]) {
                last = Some(self.component[b]);
                if self.scopes.len() == self.n_scopes {
                    self.scopes.push(Scope::default());
                }
                let scope = &mut self.scopes[self.n_scopes];
                scope.blocks.clear();
                scope.patches.clear();
                scope.shared.clear();
                scope.rows.clear();
                self.n_scopes += 1;
            }
            self.scopes[self.n_scopes - 1].blocks.push(b);
        }
        for (number, scope) in self.scopes[..self.n_scopes].iter().enumerate() {
            scope.blocks.iter().for_each(|b| self.component[*b] = number);
        }
        if self.n_scopes == 0 {
            return;
        }
        let number = |block: Option<usize>| block.map_or(0, |b| self.component[b]);
        for (k, patch) in qp.patches.iter().enumerate() {
            self.scopes[number(patch.sides.first().map(|side| side.block))].patches.push(k);
        }
        for (t, task) in qp.shared.iter().enumerate() {
            self.scopes[number(task.parts.first().map(|part| part.0))].shared.push(t);
        }
        for (r, row) in qp.rows.iter().enumerate() {
            self.scopes[number(row.parts.first().map(|part| part.0))].rows.push(r);
        }
    }

    /// Calls with the range of states of each part of a scope.
    pub(super) fn each_range(
        &self,
        qp: &BlockQp,
        scope: &Scope,
        mut call: impl FnMut(std::ops::Range<usize>),
    ) {
        for &b in &scope.blocks {
            let (start, n) = (self.starts[b], qp.blocks[b].n);
            call(start..start + n);
            call(self.n_qdd + start..self.n_qdd + start + n);
        }
        for &k in &scope.patches {
            let start = 2 * self.n_qdd + self.cone_starts[k];
            call(start..start + qp.patches[k].force.len());
        }
        for &r in &scope.rows {
            let at = 2 * self.n_qdd + self.n_cone + r;
            call(at..at + 1);
        }
    }

    pub(super) fn meet(&mut self, blocks: impl Iterator<Item = usize> + Clone) {
        let smallest = blocks.clone().map(|b| self.component[b]).min().unwrap_or(0);
        for b in blocks {
            self.component[b] = smallest;
            self.degree[b] += 1;
        }
    }
}

pub(super) fn is_private(patch: &Patch) -> bool {
    patch.sides.len() == 1
}

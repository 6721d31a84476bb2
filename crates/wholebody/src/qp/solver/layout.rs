//! What follows from the shape of a problem alone: who meets whom, and in which order to eliminate.

use super::super::blocks::{BlockQp, Limit, Patch};

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

//! Keeping the active set while patches come and go.

use super::super::blocks::BlockQp;
use super::BlockSolver;

/// A patch of the last problem.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    pub(super) key: u64,
    /// Where its cone starts among the cones.
    pub(super) start: usize,
    pub(super) len: usize,
}

impl BlockSolver {
    /// The active set of the last problem for this one: patches are known by their keys.
    pub(super) fn carry_over(&mut self, qp: &BlockQp) {
        let l = &self.layout;
        let n_states = 2 * l.n_qdd + l.n_cone + l.n_rows;
        let known = self.patches_before.iter().map(|before| (before.key, before.len));
        let fits = self.states.len() == n_states;
        self.is_fresh = false;
        if fits && known.eq(qp.patches.iter().map(|patch| (patch.key, patch.force.len()))) {
            return;
        }
        let before: usize = self.patches_before.iter().map(|before| before.len).sum();
        let old = &self.states;
        self.carried.clear();
        if old.len() == 2 * l.n_qdd + before + l.n_rows {
            self.carried.extend_from_slice(&old[..2 * l.n_qdd]);
            for patch in &qp.patches {
                let len = patch.force.len();
                match self.patches_before.iter().find(|before| before.key == patch.key && before.len == len) {
                    Some(before) => {
                        let at = 2 * l.n_qdd + before.start;
                        self.carried.extend_from_slice(&old[at..at + len]);
                    }
                    None => self.carried.resize(self.carried.len() + len, 0),
                }
            }
            self.carried.extend_from_slice(&old[2 * l.n_qdd + before..]);
        } else {
            self.carried.resize(n_states, 0);
            self.is_fresh = true;
        }
        std::mem::swap(&mut self.states, &mut self.carried);
        self.patches_before.clear();
        let mut start = 0;
        for patch in &qp.patches {
            let len = patch.force.len();
            self.patches_before.push(Before { key: patch.key, start, len });
            start += len;
        }
    }
}

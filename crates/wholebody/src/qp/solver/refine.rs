//! Whether the rows of a found optimum hold, and to how many digits.

use super::super::blocks::{BlockQp, Limit, PatchForce};
use super::super::kernels::{self, add_products, dot, dot_six};
use super::BlockSolver;
use super::border::Change;
use super::read::{Meaning, six_of};

/// An equality or active limit off by more than this, relative to its size, does not hold.
const MET: f64 = 1e-7;
/// Rows off by more than this (m/s², rad/s², N, N m) are brought nearer by one more substitution.
pub(super) const EXACT: f64 = 4e-9;

impl BlockSolver {
    /// Whether every equality and active limit holds in the solution, which is refined if they hold only nearly.
    ///
    /// Rows left out as dependent may contradict the others; and wrenches that cost next to nothing lose digits.
    pub(super) fn accept(&mut self, qp: &BlockQp) -> bool {
        for refined in [false, true] {
            let (mut met, mut worst) = (true, 0.0f64);
            self.each_miss(qp, |_, miss, size| {
                met &= miss.abs() <= MET * (1.0 + size);
                worst = worst.max(miss.abs());
            });
            if refined || !met || worst <= EXACT {
                return met && self.find_contact_multipliers(qp);
            }
            if !self.is_numbered {
                self.begin_borders(qp);
            }
            let mut misses = std::mem::take(&mut self.misses);
            misses.clear();
            self.each_miss(qp, |limit, miss, _| misses.push((limit, miss)));
            if self.solve_misses(qp, &misses) {
                self.read(qp, Meaning::Direction);
                self.advance(qp, 1.0);
            }
            self.misses = misses;
        }
        false
    }

    /// Whether every equality and active limit holds as it is, to the last digits.
    pub(super) fn is_exact(&mut self, qp: &BlockQp) -> bool {
        let mut worst = 0.0f64;
        self.each_miss(qp, |_, miss, _| worst = worst.max(miss.abs()));
        worst <= EXACT && self.find_contact_multipliers(qp)
    }

    /// Calls for each equality and active limit with how much it lacks and its size; and for each limit given up
    /// beside the factored system with what is left of its multiplier.
    fn each_miss(&self, qp: &BlockQp, mut call: impl FnMut(Limit, f64, f64)) {
        kernels::with_vectors(
            #[inline(always)]
            || self.each_miss_with_vectors(qp, &mut call),
        );
    }

    #[inline(always)]
    fn each_miss_with_vectors(&self, qp: &BlockQp, call: &mut impl FnMut(Limit, f64, f64)) {
        let l = &self.layout;
        let out = &self.solution;
        let mut held = |limit: Limit, state: i8, value: f64, limits: [f64; 2]| {
            if state != 0 {
                let goal = limits[usize::from(state > 0)];
                call(limit, goal - value, goal.abs());
            }
        };
        let scope = &l.scopes[self.scope];
        for &b in &scope.blocks {
            let block = &qp.blocks[b];
            for dof in 0..block.n {
                let i = l.starts[b] + dof;
                held(Limit::Acceleration { block: b, dof }, self.states[i], out.qdd[i], block.bounds[dof]);
                let [lower, upper] = block.torque[dof];
                if lower != upper {
                    let state = self.states[l.n_qdd + i];
                    held(Limit::Torque { block: b, dof }, state, out.torques[i], block.torque[dof]);
                }
            }
        }
        let product = |b: usize, row: &[f64]| dot(row, &out.qdd[l.starts[b]..][..row.len()]);
        for &r in &scope.rows {
            let row = &qp.rows[r];
            let state = self.states[2 * l.n_qdd + l.n_cone + r];
            if state != 0 {
                let value = row.parts.iter().map(|(b, part)| product(*b, part)).sum();
                held(Limit::Row { row: r }, state, value, row.limits);
            }
        }
        for &k in &scope.patches {
            if let PatchForce::Faces { faces, .. } = &qp.patches[k].force {
                for (idx, face) in faces.iter().enumerate() {
                    let state = self.states[2 * l.n_qdd + l.cone_starts[k] + idx];
                    if state != 0 {
                        let wrench = six_of(&out.wrenches, k);
                        held(Limit::Cone { patch: k, idx }, state, dot_six(face, &wrench), [0.0; 2]);
                    }
                }
            }
        }
        for &b in &scope.blocks {
            let block = &qp.blocks[b];
            for dof in (0..block.n).filter(|dof| block.torque[*dof][0] == block.torque[*dof][1]) {
                // Torques are sums of many large terms, so they are measured against those.
                let (goal, size) = (block.torque[dof][0], block.nonlinear[dof].abs());
                call(Limit::Torque { block: b, dof }, goal - out.torques[l.starts[b] + dof], size);
            }
        }
        for &k in &scope.patches {
            let patch = &qp.patches[k];
            let mut reached = [0.0; 6];
            for side in &patch.sides {
                let range = l.starts[side.block]..l.starts[side.block] + qp.blocks[side.block].n;
                add_products(&side.jacobian, &out.qdd[range], &mut reached);
            }
            for (axis, (goal, reached)) in patch.target.iter().zip(reached).enumerate() {
                call(Limit::NoSlip { patch: k, axis }, goal - reached, goal.abs());
            }
        }
        for border in self.borders.active().filter(|border| border.change == Change::Leaves) {
            let limit = l.limit_of(border.state);
            let left = match limit {
                Limit::Acceleration { block, dof } => out.bound_multipliers[l.starts[block] + dof],
                Limit::Torque { block, dof } => out.torque_multipliers[l.starts[block] + dof],
                Limit::Cone { patch, idx } => out.cone_multipliers[l.cone_starts[patch] + idx],
                Limit::Row { row } => out.row_multipliers[row],
                Limit::NoSlip { .. } => 0.0,
            };
            call(limit, -left, 0.0);
        }
    }
}

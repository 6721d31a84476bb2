//! Where the solutions of a sequence lead to.

use super::super::super::blocks::BlockSolution;
use super::super::super::kernels::{self, axpy};

/// Solutions that a guess is made of.
const MOST_POINTS: usize = 6;

/// Where the solutions lead to, while the active set stays: backward differences of the last few.
#[derive(Clone, Debug, Default)]
pub(super) struct Trail {
    /// The active set of them all.
    pub(super) states: Vec<i8>,
    /// The last solution, and by how much it, that, and so on differ from those one problem before.
    differences: [Vec<f64>; MOST_POINTS],
    pub(super) known: usize,
    /// How many differences add up to the best guess, as far as the last problem tells.
    order: usize,
    /// Scratch: a solution as one list, then its differences.
    flat: Vec<f64>,
}

impl Trail {
    fn parts(of: &BlockSolution) -> [&[f64]; 8] {
        [
            &of.qdd,
            &of.wrenches,
            &of.torque_multipliers,
            &of.bound_multipliers,
            &of.contact_multipliers,
            &of.row_multipliers,
            &of.cone_multipliers,
            &of.coefficients,
        ]
    }

    fn parts_mut(of: &mut BlockSolution) -> [&mut [f64]; 8] {
        [
            &mut of.qdd,
            &mut of.wrenches,
            &mut of.torque_multipliers,
            &mut of.bound_multipliers,
            &mut of.contact_multipliers,
            &mut of.row_multipliers,
            &mut of.cone_multipliers,
            &mut of.coefficients,
        ]
    }

    /// Goes on to a solution.
    pub(super) fn learn(&mut self, states: &[i8], solution: &BlockSolution) {
        self.flat.clear();
        Self::parts(solution).iter().for_each(|part| self.flat.extend_from_slice(part));
        if self.states != states || self.differences[0].len() != self.flat.len() {
            self.states.clear();
            self.states.extend_from_slice(states);
            self.known = 0;
            self.differences.iter_mut().for_each(|list| {
                list.clear();
                list.resize(self.flat.len(), 0.0);
            });
        }
        let mut sizes = [0.0; MOST_POINTS + 1];
        kernels::with_vectors(
            #[inline(always)]
            || {
                for (order, list) in self.differences.iter_mut().enumerate().take(self.known + 1) {
                    let mut sums = [0.0; 4];
                    let (fours, before) = (self.flat.as_chunks_mut::<4>().0, list.as_chunks_mut::<4>().0);
                    for (x, before) in fours.iter_mut().zip(before) {
                        // By value: the compiler then sees one vector.
                        let (mut change, last) = (*x, *before);
                        *before = change;
                        for lane in 0..4 {
                            change[lane] -= last[lane];
                            sums[lane] += change[lane] * change[lane];
                        }
                        *x = change;
                    }
                    let (x, before) = (self.flat.as_chunks_mut::<4>().1, list.as_chunks_mut::<4>().1);
                    for (x, before) in x.iter_mut().zip(before) {
                        let change = *x - *before;
                        *before = *x;
                        *x = change;
                        sums[0] += change * change;
                    }
                    sizes[order + 1] = (sums[0] + sums[2]) + (sums[1] + sums[3]);
                }
            },
        );
        // The error of a guess of so many differences is the next one: the best has the least, or is the first of which
        // nothing is known yet.
        self.order = 1;
        for order in 2..=self.known.min(MOST_POINTS) {
            if sizes[order] < sizes[self.order] {
                self.order = order;
            }
        }
        if self.order == self.known && self.order < MOST_POINTS {
            self.order += 1;
        }
        self.known += 1;
    }

    /// The guess for the next problem, into the solution.
    pub(super) fn lead(&mut self, solution: &mut BlockSolution) {
        let Trail { differences, flat, order, .. } = self;
        kernels::with_vectors(
            #[inline(always)]
            || {
                flat.copy_from_slice(&differences[0]);
                differences[1..*order].iter().for_each(|list| axpy(1.0, list, flat));
            },
        );
        let mut from = 0;
        for part in Self::parts_mut(solution) {
            part.copy_from_slice(&flat[from..from + part.len()]);
            from += part.len();
        }
    }
}

//! Accelerations about which a block's own contacts leave no choice.
//!
//! The no-slip rows of the patches that touch one block alone, `J qdd = target`, are solved for as many of its
//! accelerations as there are rows, the dependent ones `d`, in terms of a few others, the support `s`:
//!
//! ```text
//! qdd_d = T qdd_s + c     with  J_d T = -J_s,  J_d c = target
//! ```
//!
//! What is left of the block's problem has neither those rows nor those accelerations.
//!
//! Reference: \[Nocedal2006\], elimination of variables. Differs: pivots are chosen along each row among those of some
//! size, late degrees of freedom first: a foot's rows are solved for its leg, on which little else depends.

use super::super::blocks::{Block, BlockQp};
use super::super::kernels::{self, add_products, add_rows, axpy, axpy_fours, dot};
use super::layout::is_private;
use super::node::{NOWHERE, Node};
use super::{BlockSolver, clear_for};

/// A pivot is at least this share of the largest of its row.
const LARGE: f64 = 0.25;
/// A row of which no more than this share is left depends on the others.
const NOTHING: f64 = 1e-6;

/// The dependent accelerations of a block, and what is left without them.
#[derive(Clone, Debug, Default)]
pub(super) struct Reduction {
    /// The other degrees of freedom in the order in which they are unknowns of a front; the support last.
    pub(super) order: Vec<usize>,
    /// The place of each degree of freedom in `order`.
    pub(super) place: Vec<usize>,
    pub(super) dependent: Vec<usize>,
    n_support: usize,
    /// `T` with `c` as its last column, rows of `stride`, a multiple of four.
    t: Vec<f64>,
    stride: usize,
    /// What a unit force on each dependent acceleration moves it, if nothing else did (the reciprocal of its cost).
    ease: Vec<f64>,
    /// `J_d⁻¹`: a row for each dependent acceleration, a column for each row that was solved.
    inverse: Vec<f64>,
    /// The rows that were solved, one for each dependent acceleration: patch and axis; and their place in the tableau.
    rows: Vec<(usize, usize)>,
    solved: Vec<usize>,
    /// Cost of the remaining accelerations, lower half column after column, and its linear part.
    pub(super) hessian: Vec<f64>,
    pub(super) gradient: Vec<f64>,
    /// Scratch: rows being solved, their columns' degrees of freedom, which of them the solved rows took and which are
    /// the support's.
    tableau: Vec<f64>,
    columns: Vec<usize>,
    pivots: Vec<usize>,
    support: Vec<usize>,
    /// Scratch: one for each column not taken, else zero; the largest number of each row as it was given.
    open: Vec<f64>,
    sizes: Vec<f64>,
    used: Vec<f64>,
    targets: Vec<f64>,
    product: Vec<f64>,
}

impl Reduction {
    /// Solves the rows of the block's own patches.
    pub(super) fn update(&mut self, qp: &BlockQp, b: usize, patches: &[(usize, usize)]) {
        let block = &qp.blocks[b];
        kernels::with_vectors(
            #[inline(always)]
            || {
                self.solve_rows(qp, block.n, patches);
                self.reduce_cost(block);
            },
        );
    }

    /// The row of `T` of a dependent acceleration.
    #[inline(always)]
    fn t_row(&self, k: usize) -> &[f64] {
        &self.t[k * self.stride..(k + 1) * self.stride]
    }

    /// What a dependent acceleration is when the support is still.
    #[inline(always)]
    fn constant(&self, k: usize) -> f64 {
        self.t[k * self.stride + self.n_support]
    }

    #[inline(always)]
    fn solve_rows(&mut self, qp: &BlockQp, n: usize, patches: &[(usize, usize)]) {
        let jacobian = |k: usize| qp.patches[k].sides[0].jacobian.chunks_exact(n.max(1));
        let own = || patches.iter().map(|(k, _)| *k).filter(|k| is_private(&qp.patches[*k]));
        self.used.clear();
        self.used.resize(n, 0.0);
        for row in own().flat_map(jacobian) {
            for (used, x) in self.used.iter_mut().zip(row) {
                *used += x.abs();
            }
        }
        clear_for(&mut self.columns, n);
        self.columns.extend((0..n).rev().filter(|dof| self.used[*dof] != 0.0));
        let width = self.columns.len();
        let stride = width.next_multiple_of(4);
        let n_rows = 6 * own().count();
        clear_for(&mut self.tableau, n_rows * stride);
        clear_for(&mut self.pivots, n_rows);
        clear_for(&mut self.rows, n_rows);
        clear_for(&mut self.solved, n_rows);
        clear_for(&mut self.dependent, n_rows);
        self.open.clear();
        self.open.resize(stride, 1.0);
        clear_for(&mut self.sizes, n_rows);
        if width > 0 {
            for row in own().flat_map(jacobian) {
                let start = self.tableau.len();
                self.tableau.extend(self.columns.iter().map(|dof| row[*dof]));
                self.tableau.resize(start + stride, 0.0);
                self.sizes.push(largest(&self.tableau[start..], &self.open));
            }
            for (r, (k, axis)) in own().flat_map(|k| (0..6).map(move |axis| (k, axis))).enumerate() {
                let row = &self.tableau[r * stride..(r + 1) * stride];
                let most = largest(row, &self.open);
                if !(most > NOTHING * self.sizes[r]) {
                    continue;
                }
                let is_pivot = |c: &usize| self.open[*c] != 0.0 && row[*c].abs() >= LARGE * most;
                let Some(pivot) = (0..width).find(is_pivot) else { continue };
                self.exchange(r, pivot, stride);
                self.open[pivot] = 0.0;
                self.pivots.push(pivot);
                self.rows.push((k, axis));
                self.solved.push(r);
                self.dependent.push(self.columns[pivot]);
            }
        }
        self.unpack(qp, n, stride);
    }

    /// Exchanges what a row sums to for one of the unknowns it sums.
    #[inline(always)]
    fn exchange(&mut self, r: usize, pivot: usize, stride: usize) {
        let (above, rest) = self.tableau.split_at_mut(r * stride);
        let (row, below) = rest.split_at_mut(stride);
        let inverse = 1.0 / row[pivot];
        for other in above.chunks_exact_mut(stride).chain(below.chunks_exact_mut(stride)) {
            let factor = other[pivot] * inverse;
            if factor != 0.0 {
                axpy_fours(-factor, row, other);
                other[pivot] = factor;
            }
        }
        row.iter_mut().for_each(|x| *x *= -inverse);
        row[pivot] = inverse;
    }

    /// Sorts what the tableau has become into `T`, `c` and the inverse.
    #[inline(always)]
    fn unpack(&mut self, qp: &BlockQp, n: usize, stride: usize) {
        let m = self.dependent.len();
        self.place.clear();
        self.place.resize(n, 0);
        self.dependent.iter().for_each(|dof| self.place[*dof] = NOWHERE);
        clear_for(&mut self.order, n);
        let remains = |dof: &usize| self.place[*dof] != NOWHERE;
        self.order.extend((0..n).rev().filter(|dof| remains(dof) && self.used[*dof] == 0.0));
        let apart = self.order.len();
        self.order.extend((0..n).rev().filter(|dof| remains(dof) && self.used[*dof] != 0.0));
        self.n_support = self.order.len() - apart;
        self.order.iter().enumerate().for_each(|(at, dof)| self.place[*dof] = at);
        self.stride = (self.n_support + 1).next_multiple_of(4);
        self.t.clear();
        self.t.resize(m * self.stride, 0.0);
        self.inverse.clear();
        self.inverse.resize(m * m, 0.0);
        self.targets.clear();
        self.targets.extend(self.rows.iter().map(|(patch, axis)| qp.patches[*patch].target[*axis]));
        // Columns not taken are those of the support, in its order.
        clear_for(&mut self.support, self.n_support);
        self.support.extend((0..self.columns.len()).filter(|c| self.open[*c] != 0.0));
        for k in 0..m {
            let row = &self.tableau[self.solved[k] * stride..];
            let t = &mut self.t[k * self.stride..(k + 1) * self.stride];
            for (t, c) in t.iter_mut().zip(&self.support) {
                *t = row[*c];
            }
            for (inverse, c) in self.inverse[k * m..(k + 1) * m].iter_mut().zip(&self.pivots) {
                *inverse = row[*c];
            }
            t[self.n_support] = dot(&self.inverse[k * m..(k + 1) * m], &self.targets);
        }
    }

    /// Cost of the remaining accelerations, `½ qddᵀ H qdd + gᵀ qdd` with the dependent ones put in.
    #[inline(always)]
    fn reduce_cost(&mut self, block: &Block) {
        let (nv, n, apart) = (block.n, self.order.len(), self.order.len() - self.n_support);
        self.hessian.resize(n * n, 0.0);
        for (at, dof) in self.order.iter().enumerate() {
            let row = &block.hessian[dof * nv..(dof + 1) * nv];
            for (x, other) in self.hessian[at * n + at..(at + 1) * n].iter_mut().zip(&self.order[at..]) {
                *x = row[*other];
            }
        }
        self.gradient.clear();
        self.gradient.extend(self.order.iter().map(|dof| block.gradient[*dof]));
        self.ease.clear();
        self.ease.extend(self.dependent.iter().map(|d| {
            let cost = block.hessian[d * nv + d];
            if cost > 0.0 { 1.0 / cost } else { 0.0 }
        }));
        if self.dependent.is_empty() {
            return;
        }
        // `H_·d [T c]`, then `[T c]ᵀ H_dd [T c]` behind it.
        let (stride, support) = (self.stride, self.n_support);
        let mut product = std::mem::take(&mut self.product);
        product.clear();
        product.resize((nv + stride) * stride, 0.0);
        let (each, both) = product.split_at_mut(nv * stride);
        for (row, out) in block.hessian.chunks_exact(nv).zip(each.chunks_exact_mut(stride)) {
            self.fold_row(row, out);
        }
        for (d, t) in self.dependent.iter().zip(self.t.chunks_exact(stride)) {
            let each = &each[d * stride..(d + 1) * stride];
            for ((t, out), gradient) in
                t.iter().zip(both.chunks_exact_mut(stride)).zip(&mut self.gradient[apart..])
            {
                axpy_fours(*t, each, out);
                *gradient += t * block.gradient[*d];
            }
        }
        for (at, dof) in self.order.iter().enumerate() {
            let each = &each[dof * stride..(dof + 1) * stride];
            self.gradient[at] += each[support];
            let column = &mut self.hessian[at * n..(at + 1) * n];
            let later = at.saturating_sub(apart);
            for (x, y) in column[apart + later..].iter_mut().zip(&each[later..]) {
                *x += y;
            }
        }
        for s in 0..support {
            let at = apart + s;
            self.gradient[at] += both[s * stride + support];
            for r in s..support {
                let other = self.order[apart + r];
                self.hessian[at * n + apart + r] += both[s * stride + r] + each[other * stride + s];
            }
        }
        self.product = product;
    }

    /// What a row over the accelerations becomes over the support, and its constant: `row_d [T c]`, added to `out`.
    #[inline(always)]
    fn fold_row(&self, row: &[f64], out: &mut [f64]) {
        match self.stride {
            4 => self.fold_columns::<4>(row, out),
            8 => self.fold_columns::<8>(row, out),
            12 => self.fold_columns::<12>(row, out),
            _ => {
                for (k, d) in self.dependent.iter().enumerate() {
                    axpy_fours(row[*d], self.t_row(k), out);
                }
            }
        }
    }

    /// [`Self::fold_row`] for rows of `T` of known length.
    #[inline(always)]
    fn fold_columns<const W: usize>(&self, row: &[f64], out: &mut [f64]) {
        let Some(out) = out.first_chunk_mut::<W>() else { return };
        let mut sum = *out;
        for (d, t) in self.dependent.iter().zip(self.t.as_chunks::<W>().0) {
            let x = row[*d];
            for lane in 0..W {
                sum[lane] += x * t[lane];
            }
        }
        *out = sum;
    }

    /// All accelerations of the block, given the remaining ones; with or without constants.
    #[inline(always)]
    pub(super) fn expand(&self, x: &[f64], constants: bool, out: &mut [f64]) {
        for (dof, x) in self.order.iter().zip(x) {
            out[*dof] = *x;
        }
        let support = &x[self.order.len() - self.n_support..self.order.len()];
        for (k, dof) in self.dependent.iter().enumerate() {
            let constant = if constants { self.constant(k) } else { 0.0 };
            out[*dof] = constant + dot(&self.t_row(k)[..support.len()], support);
        }
    }

    /// Changes the dependent accelerations so that the rows that were solved lose `excess`, six for each patch.
    pub(super) fn meet(&self, excess: &[f64], scratch: &mut Vec<f64>, qdd: &mut [f64]) {
        let m = self.dependent.len();
        scratch.clear();
        scratch.extend(self.rows.iter().map(|(patch, axis)| excess[6 * patch + axis]));
        scratch.resize(2 * m, 0.0);
        let (excess, changes) = scratch.split_at_mut(m);
        add_products(&self.inverse, excess, changes);
        self.dependent.iter().zip(changes).for_each(|(d, change)| qdd[*d] -= *change);
    }

    /// How the multipliers of the rows that were solved, six for each patch, change to balance the slopes of the dependent
    /// accelerations.
    pub(super) fn balance(&self, slope: &[f64], scratch: &mut Vec<f64>, multipliers: &mut [f64]) {
        let m = self.dependent.len();
        scratch.clear();
        scratch.extend(self.dependent.iter().map(|d| slope[*d]));
        scratch.resize(2 * m, 0.0);
        let (slopes, changes) = scratch.split_at_mut(m);
        add_rows(&self.inverse, slopes, changes);
        for ((patch, axis), x) in self.rows.iter().zip(changes) {
            multipliers[6 * patch + axis] = -*x;
        }
    }

    /// What of the slopes of all accelerations is left for those that remain.
    pub(super) fn fold_slope(&self, slope: &[f64], scratch: &mut Vec<f64>, left: &mut Vec<f64>) {
        left.clear();
        left.extend(self.order.iter().map(|dof| slope[*dof]));
        let m = self.dependent.len();
        if m == 0 {
            return;
        }
        scratch.clear();
        scratch.extend(self.dependent.iter().map(|d| slope[*d]));
        scratch.resize(m + self.stride, 0.0);
        let (slopes, folded) = scratch.split_at_mut(m);
        add_rows(&self.t, slopes, folded);
        let apart = self.order.len() - self.n_support;
        left[apart..].iter_mut().zip(folded).for_each(|(x, sum)| *x += *sum);
    }

    /// Calls with the place and coefficient of each remaining acceleration for a row over all of them; answers what
    /// the constants of the dependent ones add to it, and what a unit of its multiplier moves it through them.
    pub(super) fn fold(&self, row: impl Fn(usize) -> f64, mut call: impl FnMut(usize, f64)) -> (f64, f64) {
        for (at, dof) in self.order.iter().enumerate() {
            let x = row(*dof);
            if x != 0.0 {
                call(at, x);
            }
        }
        let (mut constant, mut reach) = (0.0, 0.0);
        for (k, dof) in self.dependent.iter().enumerate() {
            let x = row(*dof);
            if x != 0.0 {
                constant += x * self.constant(k);
                reach += x * x * self.ease[k];
                for (at, t) in (self.order.len() - self.n_support..).zip(&self.t_row(k)[..self.n_support]) {
                    call(at, x * t);
                }
            }
        }
        (constant, reach)
    }

    /// Writes a row over all accelerations in those that remain; answers as [`Self::fold`].
    pub(super) fn fold_into(&self, row: &[f64], part: &mut Vec<f64>, out: &mut [f64]) -> (f64, f64) {
        kernels::with_vectors(
            #[inline(always)]
            || {
                for (out, dof) in out.iter_mut().zip(&self.order) {
                    *out = row[*dof];
                }
                if self.dependent.is_empty() {
                    return (0.0, 0.0);
                }
                part.clear();
                part.resize(self.stride, 0.0);
                self.fold_row(row, part);
                let support = &mut out[self.order.len() - self.n_support..self.order.len()];
                support.iter_mut().zip(part.iter()).for_each(|(x, y)| *x += y);
                let reach = self.dependent.iter().zip(&self.ease).map(|(d, ease)| row[*d] * row[*d] * ease);
                (part[self.n_support], reach.sum())
            },
        )
    }
}

/// The largest of `|x| * weight`; the lengths are multiples of four.
#[inline(always)]
fn largest(numbers: &[f64], weights: &[f64]) -> f64 {
    let mut most = [0.0; 4];
    for (x, weight) in numbers.as_chunks::<4>().0.iter().zip(weights.as_chunks::<4>().0) {
        for lane in 0..4 {
            let x = x[lane].abs() * weight[lane];
            most[lane] = if x > most[lane] { x } else { most[lane] };
        }
    }
    most.iter().fold(0.0, |most: f64, x| if *x > most { *x } else { most })
}

impl Node {
    /// Adds rows over a block's accelerations at the unknowns from `at` on.
    pub(super) fn add_rows(&mut self, reduction: &Reduction, matrix: &[f64], at: usize) {
        kernels::with_vectors(
            #[inline(always)]
            || {
                let nv = reduction.place.len();
                if matrix.len() == 6 * nv {
                    self.scatter::<6>(reduction, matrix, at);
                } else {
                    for (r, row) in matrix.chunks_exact(nv).enumerate() {
                        self.scatter::<1>(reduction, row, at + r);
                    }
                }
            },
        );
    }

    #[inline(always)]
    fn scatter<const R: usize>(&mut self, reduction: &Reduction, matrix: &[f64], at: usize) {
        let nv = reduction.place.len();
        let rows: [&[f64]; R] = std::array::from_fn(|r| &matrix[r * nv..(r + 1) * nv]);
        for (column, dof) in self.a.chunks_exact_mut(self.stride).zip(&reduction.order) {
            if let Some(column) = column[at..].first_chunk_mut::<R>() {
                for r in 0..R {
                    column[r] += rows[r][*dof];
                }
            }
        }
        for (r, row) in rows.iter().enumerate() {
            self.fold(reduction, row, at + r);
        }
    }

    /// Adds what a row over a block's accelerations says about the dependent ones.
    #[inline(always)]
    fn fold(&mut self, reduction: &Reduction, row: &[f64], at: usize) {
        if reduction.dependent.iter().all(|d| row[*d] == 0.0) {
            return;
        }
        let Node { a, part, scale, stride, n, .. } = self;
        part.clear();
        part.resize(reduction.stride, 0.0);
        reduction.fold_row(row, part);
        let support = reduction.n_support;
        let first = reduction.order.len() - support;
        for (s, x) in part[..support].iter().enumerate() {
            a[(first + s) * *stride + at] += x;
        }
        a[at * *stride + *n] -= part[support];
        let ease = reduction.dependent.iter().zip(&reduction.ease);
        scale[at] += ease.map(|(d, ease)| row[*d] * row[*d] * ease).sum::<f64>();
    }

    /// Adds the equations of motion that are rows here.
    pub(super) fn add_motion(&mut self, reduction: &Reduction, mass: &[f64]) {
        let nv = reduction.place.len();
        // The mass matrix is symmetric: its columns are its rows.
        for (column, dof) in self.a.chunks_exact_mut(self.stride).zip(&reduction.order) {
            let mass = &mass[dof * nv..(dof + 1) * nv];
            for &(dof, r) in &self.torque_rows {
                column[r] = mass[dof];
            }
        }
        kernels::with_vectors(
            #[inline(always)]
            || {
                for idx in 0..self.torque_rows.len() {
                    let (dof, r) = self.torque_rows[idx];
                    self.fold(reduction, &mass[dof * nv..(dof + 1) * nv], r);
                }
            },
        );
    }
}

impl BlockSolver {
    /// Multipliers of the rows that were solved beforehand: they balance the cost of the dependent accelerations.
    /// They are the last to be found; answers whether they are numbers.
    pub(super) fn find_contact_multipliers(&mut self, qp: &BlockQp) -> bool {
        kernels::with_vectors(
            #[inline(always)]
            || self.find_contact_multipliers_with_vectors(qp),
        );
        let of = |k: &usize| &self.solution.contact_multipliers[6 * k..6 * k + 6];
        self.layout.scopes[self.scope].patches.iter().flat_map(of).all(|x| x.is_finite())
    }

    #[inline(always)]
    fn find_contact_multipliers_with_vectors(&mut self, qp: &BlockQp) {
        let l = &self.layout;
        let (out, slope) = (&mut self.solution, &mut self.slope);
        let scope = &l.scopes[self.scope];
        for &k in scope.patches.iter().filter(|k| is_private(&qp.patches[**k])) {
            out.contact_multipliers[6 * k..6 * k + 6].fill(0.0);
        }
        for &b in &scope.blocks {
            let (block, reduction) = (&qp.blocks[b], &self.reductions[b]);
            let (start, nv, m) = (l.starts[b], block.n, reduction.dependent.len());
            if m == 0 {
                continue;
            }
            slope.clear();
            slope.extend_from_slice(&block.gradient);
            axpy(1.0, &out.bound_multipliers[start..start + nv], slope);
            for &(k, s) in &l.patches_of[b] {
                let side = &qp.patches[k].sides[s];
                if !side.cross.is_empty() {
                    add_rows(&side.cross, &out.wrenches[6 * k..6 * k + 6], slope);
                }
                if !is_private(&qp.patches[k]) {
                    add_rows(&side.jacobian, &out.contact_multipliers[6 * k..6 * k + 6], slope);
                }
            }
            for task in scope.shared.iter().map(|t| &qp.shared[*t]) {
                for (_, part) in task.parts.iter().filter(|part| part.0 == b) {
                    for (r, row) in part.chunks_exact(nv).enumerate() {
                        let parts = task.parts.iter().map(|(b, part)| {
                            let n = qp.blocks[*b].n;
                            dot(&part[r * n..(r + 1) * n], &out.qdd[l.starts[*b]..l.starts[*b] + n])
                        });
                        axpy(parts.sum::<f64>() - task.target[r], row, slope);
                    }
                }
            }
            for &r in scope.rows.iter().filter(|r| out.row_multipliers[**r] != 0.0) {
                for (_, part) in qp.rows[r].parts.iter().filter(|part| part.0 == b) {
                    axpy(out.row_multipliers[r], part, slope);
                }
            }
            for (k, &d) in reduction.dependent.iter().enumerate() {
                let slope = slope[d]
                    + dot(&block.hessian[d * nv..(d + 1) * nv], &out.qdd[start..start + nv])
                    + dot(&block.mass[d * nv..(d + 1) * nv], &out.torque_multipliers[start..start + nv]);
                let inverse = &reduction.inverse[k * m..(k + 1) * m];
                for ((patch, axis), x) in reduction.rows.iter().zip(inverse) {
                    out.contact_multipliers[6 * patch + axis] -= x * slope;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qp::blocks::{Patch, PatchForce, Side};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    const N: usize = 20;

    fn numbers(rng: &mut ChaCha8Rng, n: usize) -> Vec<f64> {
        (0..n).map(|_| rng.random_range(-1.0..1.0)).collect()
    }

    /// A patch between block 0 and the ground that knows the last 14 degrees of freedom.
    fn patch(rng: &mut ChaCha8Rng) -> Patch {
        let mut jacobian = numbers(rng, 6 * N);
        jacobian.chunks_exact_mut(N).for_each(|row| row[..6].fill(0.0));
        let target = numbers(rng, 6);
        Patch {
            key: 0,
            sides: vec![Side { block: 0, jacobian, cross: Vec::new() }],
            target: std::array::from_fn(|axis| target[axis]),
            gradient: [0.0; 6],
            force: PatchForce::Generators { columns: Vec::new(), weight: 1.0 },
        }
    }

    /// A block with two patches of its own.
    fn problem(seed: u64) -> BlockQp {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut hessian = numbers(&mut rng, N * N);
        for i in 0..N {
            for j in 0..i {
                hessian[i * N + j] = hessian[j * N + i];
            }
            hessian[i * N + i] = N as f64;
        }
        let gradient = numbers(&mut rng, N);
        let patches = vec![patch(&mut rng), patch(&mut rng)];
        let block = Block { n: N, hessian, gradient, ..Block::default() };
        BlockQp { blocks: vec![block], patches, ..BlockQp::default() }
    }

    fn reduced(qp: &BlockQp) -> Reduction {
        let mut reduction = Reduction::default();
        reduction.update(qp, 0, &[(0, 0), (1, 0)]);
        reduction
    }

    fn expanded(reduction: &Reduction, x: &[f64]) -> Vec<f64> {
        let mut qdd = vec![0.0; N];
        reduction.expand(x, true, &mut qdd);
        qdd
    }

    #[test]
    fn whatever_is_left_the_own_contacts_hold() {
        for seed in 0..50 {
            let qp = problem(seed);
            let reduction = reduced(&qp);
            assert_eq!((reduction.dependent.len(), reduction.order.len()), (12, N - 12));
            let x = numbers(&mut ChaCha8Rng::seed_from_u64(1000 + seed), N - 12);
            let qdd = expanded(&reduction, &x);
            for patch in &qp.patches {
                for (row, target) in patch.sides[0].jacobian.chunks_exact(N).zip(&patch.target) {
                    assert!((dot(row, &qdd) - target).abs() < 1e-9, "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn costs_and_rows_are_those_of_all_accelerations() {
        for seed in 0..50 {
            let qp = problem(seed);
            let (block, reduction) = (&qp.blocks[0], reduced(&qp));
            let left = reduction.order.len();
            let cost = |qdd: &[f64]| -> f64 {
                let rows = block.hessian.chunks_exact(N).zip(qdd);
                rows.map(|(row, x)| 0.5 * x * dot(row, qdd)).sum::<f64>() + dot(&block.gradient, qdd)
            };
            let mut rng = ChaCha8Rng::seed_from_u64(2000 + seed);
            let (x, row) = (numbers(&mut rng, left), numbers(&mut rng, N));
            let entry = |i: usize, j: usize| reduction.hessian[i.min(j) * left + i.max(j)];
            let product = |i: usize| (0..left).map(|j| entry(i, j) * x[j]).sum::<f64>();
            let found = (0..left).map(|i| x[i] * (0.5 * product(i) + reduction.gradient[i])).sum::<f64>();
            let (qdd, rest) = (expanded(&reduction, &x), expanded(&reduction, &vec![0.0; left]));
            let expected = cost(&qdd) - cost(&rest);
            assert!(
                (found - expected).abs() < 1e-8 * (1.0 + cost(&rest).abs()),
                "{seed}: {found} {expected}"
            );
            let mut value = 0.0;
            let (constant, _) = reduction.fold(|dof| row[dof], |at, factor| value += factor * x[at]);
            assert!((value + constant - dot(&row, &qdd)).abs() < 1e-9, "seed {seed}");
        }
    }

    #[test]
    fn rows_said_twice_are_solved_once() {
        let mut qp = problem(7);
        qp.patches[1] = qp.patches[0].clone();
        let reduction = reduced(&qp);
        assert_eq!(reduction.dependent.len(), 6);
        assert!(reduction.rows.iter().all(|(patch, _)| *patch == 0), "{:?}", reduction.rows);
        // The same memory for a block that touches nothing.
        let mut without = reduction;
        without.update(&BlockQp { patches: Vec::new(), ..qp.clone() }, 0, &[]);
        assert_eq!((without.order.len(), without.dependent.len()), (N, 0));
    }
}

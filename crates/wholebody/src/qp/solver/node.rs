//! Dense symmetric matrices, one per subsystem or stage between them, and how they are eliminated.

use super::super::blocks::{BlockQp, Patch, PatchForce};
use super::super::kernels::{self, dot};
use super::basis::Basis;
use super::reduce::Reduction;

/// Unknowns that several fronts share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) kind: GroupKind,
    pub(super) size: usize,
    /// Place in the order of elimination of the last block that knows it.
    pub(super) last: usize,
    pub(super) start: usize,
    /// The first of its unknowns among all, once they are numbered.
    pub(super) unknown: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum GroupKind {
    Wrench(usize),
    NoSlip(usize),
    Faces(usize),
    Shared(usize),
    Row(usize),
    Motion(usize),
}

impl GroupKind {
    pub(super) fn is_dual(self) -> bool {
        !matches!(self, GroupKind::Wrench(_))
    }
}

/// Numbers that begin where a line of the cache does, so that no vector lies in two of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    numbers: Vec<f64>,
    start: usize,
    len: usize,
}

impl Lines {
    const BYTES: usize = 64;

    /// Makes room for `len` numbers; answers whether all of them are zero, else what they are is left open.
    pub(super) fn resize(&mut self, len: usize) -> bool {
        let most = Self::BYTES / size_of::<f64>();
        let is_new = self.numbers.len() < len + most;
        if is_new {
            self.numbers = vec![0.0; len + most];
        }
        self.start = self.numbers.as_ptr().align_offset(Self::BYTES).min(most);
        self.len = len;
        is_new
    }

    /// Makes room for `len` zeros.
    pub(super) fn clear(&mut self, len: usize) {
        if !self.resize(len) {
            self.fill(0.0);
        }
    }
}

impl std::ops::Deref for Lines {
    type Target = [f64];

    #[inline(always)]
    fn deref(&self) -> &[f64] {
        &self.numbers[self.start..self.start + self.len]
    }
}

impl std::ops::DerefMut for Lines {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.numbers[self.start..self.start + self.len]
    }
}

/// A dense symmetric matrix of which some unknowns are eliminated; the right-hand side is its last row.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub(super) a: Lines,
    pub(super) stride: usize,
    pub(super) n: usize,
    pub(super) n_primal: usize,
    pub(super) n_eliminated: usize,
    pub(super) inverse: Vec<f64>,
    pub(super) scale: Vec<f64>,
    /// Groups left over and where they start.
    pub(super) links: Vec<(usize, usize)>,
    pub(super) x: Vec<f64>,
    /// Which block's front this is; `None` for a stage between blocks.
    pub(super) block: Option<usize>,
    /// For fronts: where each kind of row sits.
    pub(super) torque_at: Vec<usize>,
    pub(super) torque_rows: Vec<(usize, usize)>,
    pub(super) bound_at: Vec<usize>,
    pub(super) bound_rows: Vec<(usize, usize)>,
    pub(super) patch_at: Vec<[usize; 3]>,
    pub(super) row_at: Vec<(usize, usize)>,
    /// For stages: groups eliminated here and where they start; the nodes whose rest was summed here.
    pub(super) own: Vec<(usize, usize)>,
    pub(super) children: Vec<usize>,
    /// Whether a stage has summed what is left over here.
    pub(super) absorbed: bool,
    pub(super) index: Vec<usize>,
    /// Dual unknowns left out as dependent.
    pub(super) lost: usize,
    /// The first of its eliminated unknowns among all.
    pub(super) offset: usize,
    /// Each of its unknowns among all.
    pub(super) unknowns: Vec<usize>,
    /// The eliminated columns, made ready for many right-hand sides.
    unwound: Vec<f64>,
    /// Scratch: a column of rows being added; a row being combined.
    pub(super) part: Vec<f64>,
    row: Vec<f64>,
}

pub(super) const NOWHERE: usize = usize::MAX;

impl Node {
    pub(super) fn clear(&mut self, block: Option<usize>, n_patches: usize) {
        self.block = block;
        self.absorbed = false;
        self.links.clear();
        self.own.clear();
        self.children.clear();
        self.torque_at.clear();
        self.bound_at.clear();
        self.row_at.clear();
        self.patch_at.clear();
        self.patch_at.resize(n_patches, [NOWHERE; 3]);
    }

    pub(super) fn allocate(&mut self, n: usize) {
        self.n = n;
        self.stride = (n + 1).next_multiple_of(kernels::GROUP);
        if !self.a.resize(self.stride * (n + 1)) {
            for (c, column) in self.a.chunks_exact_mut(self.stride).enumerate() {
                column[c / kernels::GROUP * kernels::GROUP..].fill(0.0);
            }
        }
        self.inverse.clear();
        self.inverse.resize(n, 0.0);
        self.scale.clear();
        self.scale.resize(n, 0.0);
    }

    /// Adds to the entry between two unknowns, whichever comes first.
    pub(super) fn add(&mut self, i: usize, j: usize, value: f64) {
        let (row, column) = if i >= j { (i, j) } else { (j, i) };
        self.a[column * self.stride + row] += value;
    }

    /// A block's part of a patch: wrench against equations of motion, no-slip rows, and on the first side
    /// what belongs to the patch itself.
    pub(super) fn add_patch_side<'a>(
        &mut self,
        patch: &'a Patch,
        s: usize,
        k: usize,
        basis: &Basis,
        reduction: &Reduction,
        states: &[i8],
    ) {
        let side = &patch.sides[s];
        let nv = reduction.place.len();
        let [w, y, f] = self.patch_at[k];
        let (stride, n) = (self.stride, self.n);
        let axes = |matrix: &'a [f64]| -> [&'a [f64]; 6] {
            std::array::from_fn(|axis| &matrix[axis * nv..(axis + 1) * nv])
        };
        let jacobian = axes(&side.jacobian);
        if y != NOWHERE {
            self.add_rows(reduction, &side.jacobian, y);
        }
        if basis.is_wrench {
            if !side.cross.is_empty() {
                self.add_rows(reduction, &side.cross, w);
            }
            for &(dof, r) in &self.torque_rows {
                if r > w {
                    for (axis, row) in jacobian.iter().enumerate() {
                        self.a[(w + axis) * stride + r] -= row[dof];
                    }
                } else {
                    let rows = &mut self.a[r * stride + w..r * stride + w + 6];
                    for (entry, row) in rows.iter_mut().zip(&jacobian) {
                        *entry -= row[dof];
                    }
                }
            }
        } else {
            let mut row = std::mem::take(&mut self.row);
            for (u, column) in basis.columns[..basis.d].iter().enumerate() {
                if !side.cross.is_empty() {
                    combine(column, &side.cross, nv, &mut row);
                    self.add_rows(reduction, &row, w + u);
                }
                combine(column, &side.jacobian, nv, &mut row);
                for idx in 0..self.torque_rows.len() {
                    let (dof, r) = self.torque_rows[idx];
                    self.add(r, w + u, -row[dof]);
                }
            }
            self.row = row;
        }
        if s != 0 {
            return;
        }
        for i in 0..basis.d {
            for j in 0..=i {
                self.a[(w + j) * stride + w + i] += basis.cost_at(i, j);
            }
            let slope =
                if basis.is_wrench { patch.gradient[i] } else { dot(&basis.columns[i], &patch.gradient) };
            self.a[(w + i) * stride + n] -= slope;
        }
        if y != NOWHERE {
            for axis in 0..6 {
                self.a[(y + axis) * stride + n] += patch.target[axis];
            }
        }
        if let PatchForce::Faces { faces, .. } = &patch.force {
            let active = faces.iter().zip(states).filter(|(_, state)| **state != 0);
            for (offset, (face, _)) in active.enumerate() {
                for i in 0..6 {
                    self.add(f + offset, w + i, face[i]);
                }
            }
        }
    }

    /// Cost between the wrenches of two patches.
    pub(super) fn add_wrench_cost(
        &mut self,
        qp: &BlockQp,
        k: usize,
        k2: usize,
        basis: &Basis,
        basis2: &Basis,
    ) {
        let size = 6 * qp.patches.len();
        let (w, w2) = (self.patch_at[k][0], self.patch_at[k2][0]);
        if basis.is_wrench && basis2.is_wrench {
            // The later one's components are rows; between a patch and itself only the lower half is needed.
            let (early, late, column, row) = if w <= w2 { (k, k2, w, w2) } else { (k2, k, w2, w) };
            for i in 0..6 {
                let first = if k == k2 { i } else { 0 };
                let costs = &qp.wrench_cost[(6 * early + i) * size + 6 * late..][first..6];
                let entries = &mut self.a[(column + i) * self.stride + row..][first..6];
                for (entry, cost) in entries.iter_mut().zip(costs) {
                    *entry += cost;
                }
            }
            return;
        }
        for (u, column) in basis.columns[..basis.d].iter().enumerate() {
            let mut row = [0.0; 6];
            for i in 0..6 {
                let costs = &qp.wrench_cost[(6 * k + i) * size + 6 * k2..][..6];
                kernels::axpy(column[i], costs, &mut row);
            }
            let end = if k == k2 { u + 1 } else { basis2.d };
            for (u2, column2) in basis2.columns[..end].iter().enumerate() {
                self.add(w + u, w2 + u2, dot(&row, column2));
            }
        }
    }

    /// Eliminates the primal unknowns and then the dual ones.
    pub(super) fn eliminate(&mut self, groups: &[Group]) -> bool {
        let (n, stride) = (self.n, self.stride);
        for j in 0..self.n_primal {
            self.scale[j] = 1e-3 * self.a[j * stride + j].abs();
        }
        let lost = kernels::eliminate(
            &mut self.a,
            stride,
            n + 1,
            0,
            self.n_primal,
            1.0,
            &self.scale,
            &mut self.inverse,
        );
        if lost > 0 {
            return false;
        }
        for j in self.n_primal..self.n_eliminated {
            self.scale[j] = self.scale[j].max(self.a[j * stride + j].abs());
        }
        for &(g, at) in &self.links {
            if groups[g].kind.is_dual() {
                for j in at..at + groups[g].size {
                    self.scale[j] = self.scale[j].max(self.a[j * stride + j].abs());
                }
            }
        }
        self.lost = kernels::eliminate(
            &mut self.a,
            stride,
            n + 1,
            self.n_primal,
            self.n_eliminated,
            -1.0,
            &self.scale,
            &mut self.inverse,
        );
        true
    }

    /// Eliminates the first unknowns alone; false if their cost is not convex.
    pub(super) fn eliminate_first(&mut self, count: usize) -> bool {
        for j in 0..count {
            self.scale[j] = 1e-3 * self.a[j * self.stride + j].abs();
        }
        let Node { a, stride, n, scale, inverse, .. } = self;
        kernels::eliminate(a, *stride, *n + 1, 0, count, 1.0, scale, inverse) == 0
    }

    /// Adds what a child has left over.
    pub(super) fn absorb(&mut self, child: &Node, groups: &[Group]) {
        self.index.clear();
        for &(g, _) in &child.links {
            let find =
                |list: &[(usize, usize)]| list.iter().find(|(other, _)| *other == g).map(|(_, at)| *at);
            self.index.push(find(&self.own).or_else(|| find(&self.links)).unwrap_or(0));
        }
        for (idx, (&(g, from), &to)) in child.links.iter().zip(&self.index).enumerate() {
            for c in 0..groups[g].size {
                let column = &child.a[(from + c) * child.stride..(from + c + 1) * child.stride];
                for (&(g2, from2), &to2) in child.links.iter().zip(&self.index).skip(idx) {
                    let first = if g2 == g { c } else { 0 };
                    let values = &column[from2 + first..from2 + groups[g2].size];
                    if to2 < to {
                        for (r, value) in values.iter().enumerate() {
                            self.a[(to2 + r) * self.stride + to + c] += value;
                        }
                        continue;
                    }
                    let entries = &mut self.a[(to + c) * self.stride + to2 + first..][..values.len()];
                    if let (Ok(entries), Ok(values)) =
                        (<&mut [f64; 6]>::try_from(&mut *entries), <&[f64; 6]>::try_from(values))
                    {
                        for i in 0..6 {
                            entries[i] += values[i];
                        }
                    } else {
                        for (entry, value) in entries.iter_mut().zip(values) {
                            *entry += value;
                        }
                    }
                }
                self.a[(to + c) * self.stride + self.n] += column[child.n];
                self.scale[to + c] = self.scale[to + c].max(child.scale[from + c]);
            }
        }
    }

    /// The eliminated unknowns, given the others.
    pub(super) fn back(&mut self) {
        let Node { a, x, stride, n, n_eliminated, .. } = self;
        for (e, x) in x[..*n_eliminated].iter_mut().enumerate() {
            *x = a[e * *stride + *n];
        }
        kernels::with_vectors(
            #[inline(always)]
            || kernels::substitute_backward(a, *stride, *n, *n_eliminated, x),
        );
    }

    /// Forward substitution of the right-hand sides `all` through this node; answers the part of their energy in
    /// its primal unknowns.
    pub(super) fn forward(&self, all: &mut [f64], local: &mut Vec<f64>) -> f64 {
        let own = &mut all[self.offset..self.offset + self.n_eliminated];
        if own.iter().all(|x| *x == 0.0) {
            return 0.0;
        }
        local.clear();
        local.extend_from_slice(own);
        local.resize(self.n, 0.0);
        kernels::with_vectors(
            #[inline(always)]
            || kernels::substitute_forward(&self.a, self.stride, self.n, self.n_eliminated, local),
        );
        let mut energy = 0.0;
        for (e, own) in own.iter_mut().enumerate() {
            *own = local[e] * self.inverse[e];
            if e < self.n_primal {
                energy += local[e] * *own;
            }
        }
        for (unknown, value) in self.unknowns.iter().zip(local.iter()).skip(self.n_eliminated) {
            all[*unknown] += value;
        }
        energy
    }

    /// Backward substitution through this node.
    pub(super) fn backward(&self, all: &mut [f64], local: &mut Vec<f64>) {
        local.clear();
        local.extend(self.unknowns.iter().map(|unknown| all[*unknown]));
        kernels::with_vectors(
            #[inline(always)]
            || kernels::substitute_backward(&self.a, self.stride, self.n, self.n_eliminated, local),
        );
        all[self.offset..self.offset + self.n_eliminated].copy_from_slice(&local[..self.n_eliminated]);
    }

    /// Makes ready for [`Self::forward_unwound`] and [`Self::backward_unwound`].
    pub(super) fn unwind(&mut self) {
        kernels::unwind(&self.a, self.stride, self.n, self.n_eliminated, &mut self.unwound);
    }

    /// [`Self::forward`] with the factor unwound.
    pub(super) fn forward_unwound(&self, all: &mut [f64], local: &mut Vec<f64>) {
        let own = &mut all[self.offset..self.offset + self.n_eliminated];
        local.clear();
        local.resize(self.stride, 0.0);
        kernels::add_rows(&self.unwound, own, local);
        for ((own, x), inverse) in own.iter_mut().zip(local.iter()).zip(&self.inverse) {
            *own = x * inverse;
        }
        for (unknown, value) in self.unknowns.iter().zip(local.iter()).skip(self.n_eliminated) {
            all[*unknown] += value;
        }
    }

    /// [`Self::backward`] with the factor unwound.
    pub(super) fn backward_unwound(&self, all: &mut [f64], local: &mut Vec<f64>) {
        let own = self.offset..self.offset + self.n_eliminated;
        local.clear();
        local.extend_from_slice(&all[own.clone()]);
        local.extend(self.unknowns[self.n_eliminated..].iter().map(|unknown| all[*unknown]));
        local.resize(self.stride, 0.0);
        let own = &mut all[own];
        own.fill(0.0);
        kernels::add_products(&self.unwound, local, own);
    }
}

/// The row `columnᵀ matrix` of a matrix of six rows.
fn combine(column: &[f64; 6], matrix: &[f64], n: usize, out: &mut Vec<f64>) {
    out.clear();
    out.resize(n, 0.0);
    kernels::add_rows(matrix, column, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Else following would be slow, and nobody would know why.
    #[test]
    fn an_unwound_node_substitutes_as_it_did_before() {
        let (n, n_eliminated, offset) = (11, 7, 3);
        let wave = |k: usize| libm::sin(1.3 * k as f64 + 0.7);
        let mut node = Node { n, n_eliminated, offset, n_primal: 5, ..Node::default() };
        node.allocate(n);
        for column in 0..n {
            for row in column + 1..n {
                node.a[column * node.stride + row] = 0.4 * wave(column * n + row);
            }
        }
        node.inverse.iter_mut().enumerate().for_each(|(k, x)| *x = 2.0 + wave(k));
        node.unknowns = (offset..offset + n_eliminated).chain([12, 1, 15, 11]).collect();
        node.unwind();
        let given: Vec<f64> = (0..16).map(|k| wave(100 + k)).collect();
        let (mut before, mut after, mut local) = (given.clone(), given, Vec::new());
        let close = |before: &[f64], after: &[f64]| {
            let mut off = before.iter().zip(after).map(|(a, b)| (a - b).abs());
            assert!(off.all(|x| x < 1e-12), "{before:?} {after:?}");
        };
        node.forward(&mut before, &mut local);
        node.forward_unwound(&mut after, &mut local);
        close(&before, &after);
        node.backward(&mut before, &mut local);
        node.backward_unwound(&mut after, &mut local);
        close(&before, &after);
    }
}

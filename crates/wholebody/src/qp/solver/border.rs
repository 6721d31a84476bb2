//! Changes of the active set beside a factored system, which is not factored again.
//!
//! With `K u = f` the factored system and `B` the columns of what has changed since, the optimum is that of
//!
//! ```text
//! K  B   u     f
//! Bᵀ D   s  =  g     and only the small S = D - Bᵀ K⁻¹ B is eliminated for each change.
//! ```
//!
//! Reference: \[Bartlett2006\]. Differs: generators of patches may be freed and tied, which changes the cost of
//! a wrench; their borders have entries in `D`.

use super::super::blocks::{BlockQp, Limit, PatchForce};
use super::super::kernels::{self, dot};
use super::BlockSolver;
use super::node::NOWHERE;

/// Borders beside one factorisation; more are factored anew.
pub(super) const MOST_BORDERS: usize = 32;

/// What a border does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Change {
    /// A limit that is active now: its row; the unknown is its multiplier.
    #[default]
    Enters,
    /// A limit that is active no longer: its multiplier is held at zero; the unknown is its slack.
    Leaves,
    /// A generator that is at zero no longer: the unknown is its coefficient.
    Freed,
}

/// A row and column beside the factored system.
#[derive(Clone, Debug, Default)]
pub(super) struct Border {
    pub(super) state: usize,
    pub(super) change: Change,
    /// Its entries: unknown and value.
    column: Vec<(usize, f64)>,
    /// `K⁻¹` times the column.
    solved: Vec<f64>,
    /// Its entry of `g`.
    target: f64,
    /// How far its limit's value would move per unit of its multiplier if no other row held it.
    pub(super) reach: f64,
}

/// The borders in use and their small system.
#[derive(Clone, Debug, Default)]
pub(super) struct Borders {
    list: Vec<Border>,
    len: usize,
    /// `S`, rows of [`MOST_BORDERS`].
    small: Vec<f64>,
    /// `s` of the last point or direction.
    pub(super) values: Vec<f64>,
    /// `K⁻¹ f`.
    optimum: Vec<f64>,
    unknowns: Vec<f64>,
    local: Vec<f64>,
    scratch: Vec<f64>,
    order: Vec<usize>,
    /// States of rows that the factorisation left out as dependent.
    lost: Vec<usize>,
}

impl Borders {
    pub(super) fn active(&self) -> impl Iterator<Item = &Border> {
        self.list[..self.len].iter()
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn position(&self, state: usize) -> Option<usize> {
        self.active().position(|border| border.state == state)
    }

    pub(super) fn get(&self, idx: usize) -> &Border {
        &self.list[idx]
    }

    /// Memory for some borders of a system of `n` unknowns, before there are any.
    pub(super) fn reserve(&mut self, count: usize, n: usize) {
        while self.list.len() < count {
            self.list.push(Border::default());
        }
        for border in &mut self.list[self.len..] {
            border.column.clear();
            border.column.reserve(n);
            border.solved.clear();
            border.solved.reserve(n);
        }
        self.values.reserve(count);
        self.unknowns.clear();
        self.unknowns.reserve(n);
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.values.clear();
    }

    /// Forgets a border; the last one takes its place.
    pub(super) fn drop(&mut self, idx: usize) {
        let last = self.len - 1;
        self.list.swap(idx, last);
        for i in 0..self.len {
            self.small.swap(idx * MOST_BORDERS + i, last * MOST_BORDERS + i);
        }
        for i in 0..self.len {
            self.small.swap(i * MOST_BORDERS + idx, i * MOST_BORDERS + last);
        }
        self.len = last;
        self.values.truncate(last);
    }

    /// Solves `S s = values` in place, leaving out the row and column `held`, whose value stays; false if
    /// singular.
    fn solve_small(&mut self, held: Option<usize>) -> bool {
        kernels::with_vectors(
            #[inline(always)]
            || self.solve_small_with_vectors(held),
        )
    }

    #[inline(always)]
    fn solve_small_with_vectors(&mut self, held: Option<usize>) -> bool {
        let Borders { small, values, scratch, order, len, .. } = self;
        order.clear();
        order.extend((0..*len).filter(|i| Some(*i) != held));
        let n = order.len();
        let width = n + 1;
        scratch.clear();
        for &i in order.iter() {
            scratch.extend(order.iter().map(|j| small[i * MOST_BORDERS + j]));
            scratch.push(values[i]);
        }
        for k in 0..n {
            let size = |row: usize| scratch[row * width + k].abs();
            let pivot = (k..n).max_by(|a, b| size(*a).total_cmp(&size(*b))).unwrap_or(k);
            if !(size(pivot) > 1e-300) {
                return false;
            }
            for c in k..width {
                scratch.swap(k * width + c, pivot * width + c);
            }
            let (above, below) = scratch.split_at_mut((k + 1) * width);
            let row = &above[k * width + k..];
            for lower in below.chunks_exact_mut(width) {
                let factor = lower[k] / row[0];
                kernels::axpy(-factor, row, &mut lower[k..]);
            }
        }
        for k in (0..n).rev() {
            let row = &scratch[k * width..(k + 1) * width];
            let known: f64 = (k + 1..n).map(|c| row[c] * values[order[c]]).sum();
            values[order[k]] = (row[n] - known) / row[k];
        }
        true
    }
}

impl BlockSolver {
    /// Starts without borders from the system just solved: numbers all unknowns, and sets limits whose rows
    /// were left out as dependent free.
    pub(super) fn begin_borders(&mut self, qp: &BlockQp) {
        self.is_numbered = true;
        let mut offset = 0;
        for node in &mut self.nodes[..self.n_nodes] {
            node.offset = offset;
            offset += node.n_eliminated;
            for &(g, at) in &node.own {
                self.groups[g].unknown = node.offset + at;
            }
        }
        let borders = &mut self.borders;
        borders.clear();
        borders.small.resize(MOST_BORDERS * MOST_BORDERS, 0.0);
        borders.optimum.clear();
        for node in &mut self.nodes[..self.n_nodes] {
            node.unknowns.clear();
            node.unknowns.extend(node.offset..node.offset + node.n_eliminated);
            for &(g, _) in &node.links {
                let start = self.groups[g].unknown;
                node.unknowns.extend(start..start + self.groups[g].size);
            }
            borders.optimum.extend_from_slice(&node.x[..node.n_eliminated]);
        }
        self.find_lost(qp);
    }

    fn find_lost(&mut self, qp: &BlockQp) {
        self.borders.lost.clear();
        if self.nodes[..self.n_nodes].iter().all(|node| node.lost == 0) {
            return;
        }
        let mut lost = std::mem::take(&mut self.borders.lost);
        self.layout.each_range(qp, &self.layout.scopes[self.scope], |range| {
            lost.extend(range.filter(|state| {
                let place = (self.base[*state] != 0).then(|| self.multiplier_at(qp, *state)).flatten();
                place.is_some_and(|(node, at)| self.pivot_of(node, at).0 == 0.0)
            }));
        });
        lost.iter().for_each(|state| self.states[*state] = 0);
        self.borders.lost = lost;
    }

    /// Reciprocal and size of the pivot of a node's unknown, wherever it was eliminated.
    fn pivot_of(&self, node: usize, at: usize) -> (f64, f64) {
        let unknown = self.nodes[node].unknowns[at];
        let owner = self.nodes[..self.n_nodes].partition_point(|node| node.offset <= unknown) - 1;
        let owner = &self.nodes[owner];
        (owner.inverse[unknown - owner.offset], owner.scale[unknown - owner.offset])
    }

    /// Node and place of the multiplier that a limit has in the factored system.
    fn multiplier_at(&self, qp: &BlockQp, state: usize) -> Option<(usize, usize)> {
        let l = &self.layout;
        let known = |node: usize, at: usize| (at != NOWHERE).then_some((node, at));
        match l.limit_of(state) {
            Limit::Acceleration { block, dof } => {
                let node = self.front_of[block];
                known(node, self.nodes[node].bound_at[dof])
            }
            Limit::Torque { block, dof } => {
                let node = self.front_of[block];
                known(node, self.nodes[node].torque_at[dof])
            }
            Limit::Row { row } => {
                let node = self.front_of[qp.rows[row].parts.first()?.0];
                let place = self.nodes[node].row_at.iter().find(|(r, _)| *r == row)?;
                Some((node, place.1))
            }
            Limit::Cone { patch, idx } if qp.patches[patch].has_faces() => {
                let node = self.front_of[qp.patches[patch].sides[0].block];
                let start = 2 * l.n_qdd + l.cone_starts[patch];
                let before = self.base[start..start + idx].iter().filter(|state| **state != 0).count();
                known(node, self.nodes[node].patch_at[patch][2]).map(|(node, at)| (node, at + before))
            }
            Limit::Cone { .. } | Limit::NoSlip { .. } => None,
        }
    }

    /// Adds a border; its value is zero.
    pub(super) fn push_border(&mut self, qp: &BlockQp, state: usize, change: Change) {
        let mut borders = std::mem::take(&mut self.borders);
        if borders.list.len() == borders.len {
            borders.list.push(Border::default());
        }
        let border = &mut borders.list[borders.len];
        border.state = state;
        border.change = change;
        border.column.clear();
        border.reach = 0.0;
        let mut column = std::mem::take(&mut border.column);
        let (target, reach) = match change {
            Change::Enters => self.write_row(qp, state, &mut column),
            Change::Leaves => {
                let mut reach = 0.0;
                if let Some((node, at)) = self.multiplier_at(qp, state) {
                    column.push((self.nodes[node].unknowns[at], 1.0));
                    reach = self.pivot_of(node, at).1;
                }
                (0.0, reach)
            }
            Change::Freed => self.write_generator(qp, state, &mut column),
        };
        let border = &mut borders.list[borders.len];
        border.target = target;
        border.column = column;
        border.solved.clear();
        border.solved.resize(borders.optimum.len(), 0.0);
        for &(unknown, value) in &border.column {
            border.solved[unknown] += value;
        }
        let energy = self.substitute(&mut border.solved, &mut borders.local);
        let last = borders.len;
        borders.len += 1;
        for i in 0..=last {
            let (this, other) = (&borders.list[last], &borders.list[i]);
            let product: f64 = other.column.iter().map(|(at, value)| value * this.solved[*at]).sum();
            let entry = self.corner(qp, other, this) - product;
            borders.small[i * MOST_BORDERS + last] = entry;
            borders.small[last * MOST_BORDERS + i] = entry;
        }
        let own = self.corner(qp, &borders.list[last], &borders.list[last]);
        borders.list[last].reach = if change == Change::Enters { energy - own + reach } else { reach };
        borders.values.push(0.0);
        self.borders = borders;
    }

    /// Coefficients of a limit that enters, over the factored unknowns; answers what they sum to at the limit, and
    /// what a unit of its multiplier moves it through accelerations that are no unknowns.
    fn write_row(&self, qp: &BlockQp, state: usize, out: &mut Vec<(usize, f64)>) -> (f64, f64) {
        let l = &self.layout;
        let side = usize::from(self.entering_side > 0);
        match l.limit_of(state) {
            Limit::Acceleration { block, dof } => {
                let row = |other: usize| f64::from(u8::from(other == dof));
                let (constant, reach) = self.write_accelerations(block, row, out);
                (qp.blocks[block].bounds[dof][side] - constant, reach)
            }
            Limit::Torque { block: b, dof } => {
                let (block, node) = (&qp.blocks[b], &self.nodes[self.front_of[b]]);
                let row = &block.mass[dof * block.n..(dof + 1) * block.n];
                let (constant, reach) = self.write_accelerations(b, |other| row[other], out);
                for &(k, s) in &l.patches_of[b] {
                    let push: [f64; 6] =
                        std::array::from_fn(|i| -qp.patches[k].sides[s].jacobian[i * block.n + dof]);
                    self.write_wrench(k, node.unknowns.as_slice(), node.patch_at[k][0], &push, out);
                }
                (block.torque[dof][side] - block.nonlinear[dof] - constant, reach)
            }
            Limit::Row { row } => {
                let (mut target, mut reach) = (qp.rows[row].limits[side], 0.0);
                for (b, part) in &qp.rows[row].parts {
                    let (constant, through) = self.write_accelerations(*b, |dof| part[dof], out);
                    target -= constant;
                    reach += through;
                }
                (target, reach)
            }
            Limit::Cone { patch: k, idx } => {
                let node = &self.nodes[self.front_of[qp.patches[k].sides[0].block]];
                let w = node.patch_at[k][0];
                match &qp.patches[k].force {
                    PatchForce::Faces { faces, .. } => {
                        self.write_wrench(k, &node.unknowns, w, &faces[idx], out);
                    }
                    PatchForce::Generators { columns, .. } => match self.bases[k].share(&columns[idx]) {
                        Some(share) => out.extend((0..6).map(|i| (node.unknowns[w + i], share[i]))),
                        None => {
                            let start = 2 * l.n_qdd + l.cone_starts[k];
                            let free = self.base[start..start + idx].iter().filter(|s| **s == 0).count();
                            out.push((node.unknowns[w + free], 1.0));
                        }
                    },
                }
                (0.0, 0.0)
            }
            Limit::NoSlip { .. } => (0.0, 0.0),
        }
    }

    /// A row over a block's accelerations in the unknowns that are left of them; answers as [`Self::write_row`].
    fn write_accelerations(
        &self,
        b: usize,
        row: impl Fn(usize) -> f64,
        out: &mut Vec<(usize, f64)>,
    ) -> (f64, f64) {
        let unknowns = &self.nodes[self.front_of[b]].unknowns;
        self.reductions[b].fold(row, |at, x| out.push((unknowns[at], x)))
    }

    /// A row over a patch's wrench in the unknowns that stand for it.
    fn write_wrench(
        &self,
        k: usize,
        unknowns: &[usize],
        w: usize,
        row: &[f64; 6],
        out: &mut Vec<(usize, f64)>,
    ) {
        let basis = &self.bases[k];
        let along = |u: usize| if basis.is_wrench { row[u] } else { dot(&basis.columns[u], row) };
        out.extend((0..basis.d).map(|u| (unknowns[w + u], along(u))));
    }

    /// Couplings of a generator that is freed; answers its target and how far a unit of its multiplier moves it
    /// at most.
    fn write_generator(&self, qp: &BlockQp, state: usize, out: &mut Vec<(usize, f64)>) -> (f64, f64) {
        let l = &self.layout;
        let Limit::Cone { patch: k, idx } = l.limit_of(state) else { return (0.0, 0.0) };
        let patch = &qp.patches[k];
        let PatchForce::Generators { columns, weight } = &patch.force else { return (0.0, 0.0) };
        let column = &columns[idx];
        let mut target = -dot(column, &patch.gradient);
        for side in &patch.sides {
            let nv = qp.blocks[side.block].n;
            let node = &self.nodes[self.front_of[side.block]];
            let along =
                |matrix: &[f64], c: usize| (0..6).map(|i| column[i] * matrix[i * nv + c]).sum::<f64>();
            for &(dof, at) in &node.torque_rows {
                out.push((node.unknowns[at], -along(&side.jacobian, dof)));
            }
            if !side.cross.is_empty() {
                target -= self.write_accelerations(side.block, |dof| along(&side.cross, dof), out).0;
            }
        }
        if !qp.wrench_cost.is_empty() {
            for &other in &l.scopes[self.scope].patches {
                let node = &self.nodes[self.front_of[qp.patches[other].sides[0].block]];
                let cost = cost_between(qp, other, k, column);
                self.write_wrench(other, &node.unknowns, node.patch_at[other][0], &cost, out);
            }
        }
        (target, 1.0 / weight)
    }

    /// Entry of `D` between two borders.
    fn corner(&self, qp: &BlockQp, a: &Border, b: &Border) -> f64 {
        let l = &self.layout;
        let generator = |state: usize| match l.limit_of(state) {
            Limit::Cone { patch, idx } => match &qp.patches[patch].force {
                PatchForce::Generators { columns, weight } => Some((patch, &columns[idx], *weight)),
                PatchForce::Faces { .. } => None,
            },
            _ => None,
        };
        match (a.change, b.change) {
            (Change::Freed, Change::Freed) => {
                let (Some((k, column, weight)), Some((other, column2, _))) =
                    (generator(a.state), generator(b.state))
                else {
                    return 0.0;
                };
                let own = if a.state == b.state { weight } else { 0.0 };
                if qp.wrench_cost.is_empty() {
                    return own;
                }
                own + dot(column, &cost_between(qp, k, other, column2))
            }
            (Change::Freed, Change::Enters) => self.corner(qp, b, a),
            (Change::Enters, Change::Freed) => {
                let (Limit::Torque { block, dof }, Some((k, column, _))) =
                    (l.limit_of(a.state), generator(b.state))
                else {
                    return 0.0;
                };
                let n = qp.blocks[block].n;
                let sides = qp.patches[k].sides.iter().filter(|side| side.block == block);
                -sides
                    .map(|side| (0..6).map(|i| column[i] * side.jacobian[i * n + dof]).sum::<f64>())
                    .sum::<f64>()
            }
            (Change::Enters, Change::Enters) => {
                let (Some((k, column, weight)), Some((other, column2, _))) =
                    (generator(a.state), generator(b.state))
                else {
                    return 0.0;
                };
                match self.bases[k].share(column2) {
                    Some(share) if k == other => {
                        (dot(column, &share) - f64::from(u8::from(a.state == b.state))) / weight
                    }
                    _ => 0.0,
                }
            }
            _ => 0.0,
        }
    }

    /// The point with all borders, into the nodes; false if their system is singular.
    pub(super) fn solve_bordered(&mut self) -> bool {
        let borders = &mut self.borders;
        for i in 0..borders.len {
            let border = &borders.list[i];
            let found: f64 = border.column.iter().map(|(at, value)| value * borders.optimum[*at]).sum();
            borders.values[i] = border.target - found;
        }
        if !borders.solve_small(None) {
            return false;
        }
        borders.unknowns.clear();
        borders.unknowns.extend_from_slice(&borders.optimum);
        self.spread();
        true
    }

    /// What makes good for the misses, into the nodes; false if the borders' system is singular.
    pub(super) fn solve_misses(&mut self, qp: &BlockQp, misses: &[(Limit, f64)]) -> bool {
        let mut borders = std::mem::take(&mut self.borders);
        borders.unknowns.clear();
        borders.unknowns.resize(borders.optimum.len(), 0.0);
        borders.values.fill(0.0);
        for &(limit, miss) in misses {
            let state = self.layout.state_of(limit);
            if let Some(idx) = state.and_then(|state| borders.position(state)) {
                borders.values[idx] = miss;
                continue;
            }
            let place = match (limit, state) {
                (Limit::NoSlip { patch, axis }, _) => {
                    let node = self.front_of[qp.patches[patch].sides[0].block];
                    let first = self.nodes[node].patch_at[patch][1];
                    (first != NOWHERE).then_some((node, first.saturating_add(axis)))
                }
                (_, Some(state)) => self.multiplier_at(qp, state),
                _ => None,
            };
            if let Some((node, at)) = place {
                borders.unknowns[self.nodes[node].unknowns[at]] += miss;
            }
        }
        self.substitute(&mut borders.unknowns, &mut borders.local);
        for i in 0..borders.len {
            let column = borders.list[i].column.iter();
            borders.values[i] -= column.map(|(at, value)| value * borders.unknowns[*at]).sum::<f64>();
        }
        let solved = borders.solve_small(None);
        self.borders = borders;
        if solved {
            self.spread();
        }
        solved
    }

    /// Solves with the factored system, in place; answers the energy in primal unknowns.
    fn substitute(&self, unknowns: &mut [f64], local: &mut Vec<f64>) -> f64 {
        let mut energy = 0.0;
        for node in &self.nodes[..self.n_nodes] {
            energy += node.forward(unknowns, local);
        }
        for node in self.nodes[..self.n_nodes].iter().rev() {
            node.backward(unknowns, local);
        }
        energy
    }

    /// How the unknowns move, into the nodes, when the multiplier of border `idx` moves by `by`: of a limit
    /// that enters it is the border's own unknown, of one that left or was freed its right-hand side.
    pub(super) fn solve_direction(&mut self, idx: usize, by: f64) -> bool {
        let borders = &mut self.borders;
        let solved = match borders.list[idx].change {
            Change::Enters => {
                for i in 0..borders.len {
                    borders.values[i] = -by * borders.small[i * MOST_BORDERS + idx];
                }
                borders.values[idx] = by;
                borders.solve_small(Some(idx))
            }
            change => {
                borders.values.fill(0.0);
                borders.values[idx] = if change == Change::Leaves { by } else { -by };
                borders.solve_small(None)
            }
        };
        if solved {
            borders.unknowns.clear();
            borders.unknowns.resize(borders.optimum.len(), 0.0);
            self.spread();
        }
        solved
    }

    /// Takes the borders' part off the unknowns and hands them to the nodes.
    fn spread(&mut self) {
        let Borders { list, len, values, unknowns, .. } = &mut self.borders;
        kernels::with_vectors(
            #[inline(always)]
            || {
                for (border, value) in list[..*len].iter().zip(values.iter()) {
                    kernels::axpy(-value, &border.solved, unknowns);
                }
            },
        );
        for node in &mut self.nodes[..self.n_nodes] {
            if node.block.is_some() {
                node.x.clear();
                node.x.extend(node.unknowns.iter().map(|unknown| unknowns[*unknown]));
            }
        }
    }
}

/// Cost between the wrench of patch `k` and the wrench `column` of patch `other`.
fn cost_between(qp: &BlockQp, k: usize, other: usize, column: &[f64; 6]) -> [f64; 6] {
    let size = 6 * qp.patches.len();
    std::array::from_fn(|i| dot(&qp.wrench_cost[(6 * k + i) * size + 6 * other..][..6], column))
}

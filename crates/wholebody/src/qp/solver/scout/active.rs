//! The dual active-set method's rows and factor.

use super::super::super::blocks::{BlockQp, PatchForce};
use super::super::super::kernels::{self, axpy, dot};
use super::super::dual::STEADY;
use super::super::{VIOLATED, WRONG, clear_for};
use super::{DEPENDENT, MOST_ACTIVE, Row, Scout};

/// How it went with a limit that should become active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Made,
    /// Others that entered before have brought it back within its limit.
    Needless,
    /// Nothing gives way to it.
    Refused,
}

/// Limits that there is room for from the beginning.
const ROOM: usize = 24;

/// Where the entry of two limits is in the lower half of a symmetric matrix, row after row.
fn entry_at(i: usize, j: usize) -> usize {
    let (row, column) = if i >= j { (i, j) } else { (j, i) };
    row * (row + 1) / 2 + column
}

impl Row {
    /// What its limit's value is to be.
    fn goal(&self) -> f64 {
        self.limit.limits[usize::from(self.side > 0)]
    }
}

impl Scout {
    /// Knows no limit any more.
    pub(super) fn forget(&mut self) {
        clear_for(&mut self.known, ROOM);
        clear_for(&mut self.solved, ROOM * self.optimum.len());
        clear_for(&mut self.through, ROOM / 2 * self.inverse.len());
        clear_for(&mut self.gram, ROOM * ROOM / 2);
        clear_for(&mut self.rows, ROOM);
        for list in [&mut self.scale, &mut self.reliefs, &mut self.step, &mut self.half] {
            clear_for(list, ROOM);
        }
    }

    /// Writes the last known limit's entries of the dual's matrix.
    pub(super) fn couple(&mut self, qp: &BlockQp) {
        kernels::with_vectors(
            #[inline(always)]
            || self.couple_with_vectors(qp),
        );
    }

    #[inline(always)]
    fn couple_with_vectors(&mut self, qp: &BlockQp) {
        let n = self.optimum.len();
        let Scout { known, gram, inverse, grams, mixed, step, pivots, solved, through, .. } = self;
        let Some(this) = known.last() else { return };
        step.clear();
        let last = &solved[(known.len() - 1) * n..];
        step.extend(last.iter().zip(pivots.iter()).map(|(x, pivot)| x * pivot));
        if this.cone.is_none() {
            mixed.clear();
            mixed.extend(through[this.through..].iter().zip(inverse.iter()).map(|(x, inverse)| x * inverse));
        }
        let own = this.cone.and_then(|(k, idx)| match &qp.patches[k].force {
            PatchForce::Generators { columns, weight } => {
                Some((k, idx, columns, *weight, share(&grams[k], &columns[idx])))
            }
            PatchForce::Faces { .. } => None,
        });
        for (other, solved) in known.iter().zip(solved.chunks_exact(n)) {
            let first = this.first.max(other.first);
            let mut entry = dot(&step[first..], &solved[first..]);
            if this.cone.is_none() && other.cone.is_none() {
                entry += dot(mixed, &through[other.through..][..mixed.len()]);
            }
            if let (Some((k, own, columns, weight, pull)), Some((of, idx))) = (&own, other.cone)
                && *k == of
            {
                let same = f64::from(u8::from(idx == *own));
                entry += (same - dot(&columns[idx], pull)) / weight;
            }
            gram.push(entry);
        }
    }

    /// Entry of the dual's matrix between two active limits.
    fn entry(&self, i: usize, j: usize) -> f64 {
        self.gram[entry_at(self.rows[i].number, self.rows[j].number)]
    }

    /// Factors the dual's matrix; limits that depend on others are given up.
    fn factor_dual(&mut self) {
        loop {
            let n = self.rows.len();
            let tall = n.max(1).next_multiple_of(kernels::GROUP);
            let Scout { work, rows, gram, scale, .. } = self;
            work.clear(tall * n);
            scale.clear();
            for (j, (row, column)) in rows.iter().zip(work.chunks_exact_mut(tall)).enumerate() {
                for (x, other) in column[j..].iter_mut().zip(&rows[j..]) {
                    *x = gram[entry_at(row.number, other.number)];
                }
                scale.push(DEPENDENT / kernels::DEPENDENT * column[j]);
            }
            self.reliefs.clear();
            self.reliefs.resize(n, 0.0);
            if kernels::eliminate(&mut self.work, tall, n, 0, n, 1.0, &self.scale, &mut self.reliefs) == 0 {
                self.dual.reserve(MOST_ACTIVE * MOST_ACTIVE - self.dual.len());
                if self.dual.len() < n * MOST_ACTIVE {
                    self.dual.resize(n * MOST_ACTIVE, 0.0);
                }
                for j in 0..n {
                    self.dual[j * MOST_ACTIVE + j + 1..j * MOST_ACTIVE + n]
                        .copy_from_slice(&self.work[j * tall + j + 1..j * tall + n]);
                }
                return;
            }
            for idx in (0..n).rev() {
                if self.reliefs[idx] == 0.0 {
                    self.take_out(idx);
                }
            }
        }
    }

    /// Sets the multipliers with which all active limits are met; those that pull the wrong way are given up, and so
    /// are limits that depend on others, until none is left.
    pub(super) fn drop_wrong(&mut self) {
        loop {
            self.factor_dual();
            self.step.clear();
            self.step.extend(self.rows.iter().map(|row| row.limit.value - row.goal()));
            self.solve_dual(self.rows.len());
            let mut is_wrong = false;
            for idx in (0..self.rows.len()).rev() {
                let row = &mut self.rows[idx];
                row.multiplier = self.step[idx];
                if -f64::from(row.side) * row.multiplier > WRONG {
                    self.take_out(idx);
                    is_wrong = true;
                }
            }
            if !is_wrong {
                return;
            }
        }
    }

    /// Solves with the dual's factor, of `n` rows, in place; answers what the right-hand side has of energy.
    fn solve_dual(&mut self, n: usize) -> f64 {
        let Scout { step, half, dual, reliefs, .. } = self;
        kernels::with_vectors(
            #[inline(always)]
            || {
                kernels::substitute_forward(dual, MOST_ACTIVE, n, n, step);
                let mut energy = 0.0;
                for (x, relief) in step.iter_mut().zip(reliefs.iter()) {
                    energy += *x * *x * relief;
                    *x *= relief;
                }
                half.clear();
                half.extend_from_slice(step);
                kernels::substitute_backward(dual, MOST_ACTIVE, n, n, step);
                energy
            },
        )
    }

    /// Meets the limit of the last row, while others that would pull the wrong way leave; unless it is `sure` to be
    /// violated, it is looked at first.
    pub(super) fn enter(&mut self, sure: bool) -> Entry {
        let row = &self.rows[self.rows.len() - 1];
        let side = f64::from(row.side);
        let goal = row.goal();
        let own = self.entry(self.rows.len() - 1, self.rows.len() - 1);
        for attempt in 0..MOST_ACTIVE {
            let p = self.rows.len() - 1;
            let Scout { step, rows, gram, .. } = self;
            let row = &rows[p];
            let mut value = row.limit.value - own * row.multiplier;
            step.clear();
            for other in &rows[..p] {
                let entry = gram[entry_at(row.number, other.number)];
                value -= entry * other.multiplier;
                step.push(entry);
            }
            let excess = side * (value - goal);
            if attempt == 0 && !sure && !(excess > VIOLATED * (1.0 + goal.abs())) {
                self.take_out(p);
                return Entry::Needless;
            }
            let relief = own - self.solve_dual(p);
            let is_free = relief > DEPENDENT * own;
            let whole = if is_free { excess.max(0.0) / relief } else { f64::INFINITY };
            let mut first: Option<(f64, usize)> = None;
            for (idx, (other, by)) in self.rows[..p].iter().zip(&self.step).enumerate() {
                let falls = f64::from(other.side) * side * by;
                if falls > STEADY {
                    let part = (f64::from(other.side) * other.multiplier).max(0.0) / falls;
                    if first.is_none_or(|(least, _)| part < least) {
                        first = Some((part, idx));
                    }
                }
            }
            let part = first.map_or(f64::INFINITY, |(part, _)| part);
            let step = whole.min(part);
            if step == f64::INFINITY {
                return Entry::Refused;
            }
            self.rows[p].multiplier += side * step;
            for (other, by) in self.rows[..p].iter_mut().zip(&self.step) {
                other.multiplier -= by * side * step;
            }
            if whole <= part {
                self.append(relief);
                return Entry::Made;
            }
            let Some((_, leaving)) = first else { return Entry::Refused };
            self.update_without(leaving, p);
            self.take_out(leaving);
        }
        Entry::Refused
    }

    /// The last row becomes part of the dual's factor.
    fn append(&mut self, relief: f64) {
        let p = self.rows.len() - 1;
        if self.dual.len() < self.rows.len() * MOST_ACTIVE {
            self.dual.resize(self.rows.len() * MOST_ACTIVE, 0.0);
        }
        for (i, x) in self.half.iter().enumerate() {
            self.dual[i * MOST_ACTIVE + p] = *x;
        }
        self.reliefs.push(1.0 / relief);
    }

    /// The dual's factor, of `n` rows, without row `idx`: what its column explained goes to the columns behind.
    ///
    /// Reference: \[Gill1974\], method C1: with `L D Lᵀ + α z zᵀ`, column by column `p = z_j`, `d' = d + α p²`,
    /// `β = α p / d'`, `α' = α d / d'`, then `z -= p l`, `l += β z`.
    fn update_without(&mut self, idx: usize, n: usize) {
        let Scout { dual, reliefs, step, .. } = self;
        step.clear();
        step.extend_from_slice(&dual[idx * MOST_ACTIVE + idx + 1..idx * MOST_ACTIVE + n]);
        let mut weight = 1.0 / reliefs[idx];
        kernels::with_vectors(
            #[inline(always)]
            || {
                for j in idx + 1..n {
                    let (head, z) = step[j - idx - 1..].split_at_mut(1);
                    let p = head[0];
                    let relief = 1.0 / reliefs[j];
                    let more = relief + weight * p * p;
                    let inverse = 1.0 / more;
                    let share = weight * p * inverse;
                    weight *= relief * inverse;
                    reliefs[j] = inverse;
                    let column = &mut dual[j * MOST_ACTIVE + j + 1..j * MOST_ACTIVE + n];
                    for (z, l) in z.iter_mut().zip(column) {
                        *z -= p * *l;
                        *l += share * *z;
                    }
                }
            },
        );
        for j in 0..idx {
            dual.copy_within(j * MOST_ACTIVE + idx + 1..j * MOST_ACTIVE + n, j * MOST_ACTIVE + idx);
        }
        for j in idx + 1..n {
            let from = j * MOST_ACTIVE + j..j * MOST_ACTIVE + n;
            dual.copy_within(from, (j - 1) * MOST_ACTIVE + j - 1);
        }
        reliefs.remove(idx);
    }

    /// Takes an active limit out.
    fn take_out(&mut self, idx: usize) {
        let row = self.rows.remove(idx);
        self.states[row.limit.state] = 0;
    }

    /// What the value of each generator or face of a patch is a product with: of faces the wrench itself.
    #[inline(always)]
    pub(super) fn pull(&self, qp: &BlockQp, k: usize) -> Option<[f64; 6]> {
        let mut wrench = *self.wrenches[self.wrench_at[k] - self.n_dual..].first_chunk::<6>()?;
        let PatchForce::Generators { columns, weight } = &qp.patches[k].force else { return Some(wrench) };
        for row in &self.rows {
            if let Some((of, idx)) = row.limit.cone
                && of == k
            {
                axpy(row.multiplier / weight, &columns[idx], &mut wrench);
            }
        }
        Some(share(&self.grams[k], &wrench))
    }

    /// The wrenches that the multipliers ask for.
    #[inline(always)]
    pub(super) fn find_wrenches(&mut self) {
        let n = self.optimum.len();
        let Scout { wrenches, rows, pivots, factor, tall, optimum, solved, .. } = self;
        wrenches.clear();
        wrenches.resize(n, 0.0);
        for row in rows.iter() {
            let first = row.limit.first;
            axpy(
                -row.multiplier,
                &solved[row.number * n + first..(row.number + 1) * n],
                &mut wrenches[first..],
            );
        }
        wrenches.iter_mut().zip(pivots.iter()).for_each(|(x, pivot)| *x *= pivot);
        kernels::substitute_backward(factor, *tall, n, n, wrenches);
        axpy(1.0, optimum, wrenches);
    }
}

/// What each component of a wrench asks of a generator.
#[inline(always)]
pub(super) fn share(gram: &[f64; 36], column: &[f64; 6]) -> [f64; 6] {
    let mut out = [0.0; 6];
    for (x, row) in column.iter().zip(gram.as_chunks::<6>().0) {
        axpy(*x, row, &mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::Known;
    use super::*;

    /// A scout with the dual's matrix of `n` limits, factored.
    fn factored(n: usize) -> Scout {
        let mut scout = Scout { states: vec![0; n], ..Scout::default() };
        let row = |state| Row { number: state, limit: Known { state, ..Known::default() }, ..Row::default() };
        scout.rows = (0..n).map(row).collect();
        for i in 0..n {
            for j in 0..=i {
                let own = if i == j { n as f64 } else { 0.0 };
                scout.gram.push(own + libm::cos((i * i + j) as f64));
            }
        }
        scout.factor_dual();
        scout
    }

    #[test]
    fn a_factor_without_a_row_is_that_of_the_matrix_without_it() {
        const N: usize = 11;
        for gone in 0..N {
            let mut updated = factored(N);
            updated.update_without(gone, N);
            updated.take_out(gone);
            let mut again = updated.clone();
            again.factor_dual();
            assert_eq!(updated.rows.iter().filter(|row| row.limit.state == gone).count(), 0);
            for j in 0..N - 1 {
                assert!((updated.reliefs[j] - again.reliefs[j]).abs() < 1e-13, "{gone}: {j}");
                for i in j + 1..N - 1 {
                    let at = j * MOST_ACTIVE + i;
                    assert!((updated.dual[at] - again.dual[at]).abs() < 1e-13, "{gone}: {i} {j}");
                }
            }
        }
    }

    #[test]
    fn limits_that_depend_on_others_are_given_up() {
        let mut scout = factored(5);
        // The last is the same as the one before it.
        for j in 0..=4 {
            scout.gram[entry_at(4, j)] = scout.gram[entry_at(3, j.min(3))];
        }
        scout.factor_dual();
        assert_eq!(scout.rows.len(), 4);
        assert!(scout.rows.iter().all(|row| row.limit.state != 4));
    }
}

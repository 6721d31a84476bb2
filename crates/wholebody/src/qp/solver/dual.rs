//! The last changes of the active set, one at a time, beside a factored system.
//!
//! Reference: \[Goldfarb1983\]. First whatever pulls the wrong way is given up. Then the limit violated most
//! enters: its multiplier grows until it is met; whatever would come to pull the wrong way meanwhile leaves.
//! Rows that depend on the active ones are no trouble: the step is one of multipliers alone. A limit that cannot be
//! met by giving up any other proves a contradiction, which is left to [`super::super::dense`] to name.

use super::super::blocks::{BlockQp, BlockSolution, Limit, PatchForce};
use super::super::kernels::{axpy, dot};
use super::border::{Change, MOST_BORDERS};
use super::read::Meaning;
use super::{BlockSolver, FEW, MAX_ROUNDS, Wrong};

/// Limits that may change singly; beyond that they go in circles. To change all that are wrong at once in between
/// undoes much of what single changes have put right.
const MOST_SINGLY: usize = 256;
/// Limits that may change singly before they are looked for among the wrenches alone: where these are few, given by
/// generators or by faces; and of more.
const DEAR: [usize; 3] = [4, 8, 12];
/// Limits that may leave while one enters.
const MOST_CHANGES: usize = 200;
/// A limit that moves less than this share of what it could is held by the others.
const HELD: f64 = 1e-10;
/// Multipliers that change less than this per unit of the entering one do not block it.
pub(super) const STEADY: f64 = 1e-12;

/// How it went with a limit that should become active.
enum Entry {
    Made,
    /// Nothing gives way to it.
    Refused,
    /// There is no room beside this factorisation.
    Crowded,
}

impl BlockSolver {
    /// From the system just solved and reviewed to the optimum; false if there is no way on, or none that ends.
    pub(super) fn settle_singly(&mut self, qp: &BlockQp) -> bool {
        self.begin_borders(qp);
        // Limits left out as dependent are free now, and may be violated.
        self.review(qp);
        // Whether the point was moved since it was last solved for.
        let mut moved = false;
        let start = self.changes;
        let patches = &self.layout.scopes[self.scope].patches;
        let has_faces = patches.iter().any(|k| qp.patches[*k].has_faces());
        let dear = DEAR[if patches.len() > FEW { 2 } else { usize::from(has_faces) }];
        while self.wrong.is_empty() || self.changes < start + MOST_SINGLY {
            if !self.wrong.is_empty() && self.changes >= start + dear && !self.is_scouted {
                if self.scout(qp) {
                    return true;
                }
                // It used the same memory.
                if !self.solve_guess(qp) {
                    return false;
                }
                self.begin_borders(qp);
                self.review(qp);
                moved = false;
                continue;
            }
            let giving_up = self.wrong.iter().filter(|wrong| wrong.value == 0).count();
            let mut crowded = self.borders.len() + giving_up + 2 > MOST_BORDERS;
            if !crowded && giving_up > 0 {
                for idx in 0..self.wrong.len() {
                    if self.wrong[idx].value == 0 {
                        self.leave(qp, self.wrong[idx].state);
                    }
                }
                if !self.solve_bordered() {
                    return false;
                }
                self.read(qp, Meaning::Point);
                moved = false;
            } else if !crowded && self.wrong.is_empty() {
                if !moved && self.accept(qp) {
                    return true;
                }
                // Borders that nearly depend on each other lose digits, which a fresh factorisation has.
                crowded = !moved;
                if crowded && self.borders.len() == 0 {
                    return false;
                }
                if !crowded && !self.solve_bordered() {
                    return false;
                }
                self.read(qp, Meaning::Point);
                moved = false;
            } else if !crowded {
                let worst = self.wrong.iter().copied().max_by(|a, b| a.by.total_cmp(&b.by));
                let Some(entering) = worst else { return false };
                match self.enter(qp, entering) {
                    Entry::Made => moved = true,
                    Entry::Refused => return false,
                    Entry::Crowded => crowded = true,
                }
            }
            if crowded {
                self.wrong.iter().filter(|wrong| wrong.value == 0).for_each(|w| self.states[w.state] = 0);
                if self.rounds >= MAX_ROUNDS || !self.solve_guess(qp) {
                    return false;
                }
                self.begin_borders(qp);
                moved = false;
            }
            self.review(qp);
        }
        false
    }

    /// Gives up an active limit.
    fn leave(&mut self, qp: &BlockQp, state: usize) {
        self.changes += 1;
        self.states[state] = 0;
        if let Some(idx) = self.borders.position(state) {
            self.borders.drop(idx);
            return;
        }
        let is_generator = match self.layout.limit_of(state) {
            Limit::Cone { patch, .. } => !qp.patches[patch].has_faces(),
            _ => false,
        };
        self.push_border(qp, state, if is_generator { Change::Freed } else { Change::Leaves });
    }

    /// Makes a violated limit active.
    fn enter(&mut self, qp: &BlockQp, entering: Wrong) -> Entry {
        let Wrong { state, value: side, .. } = entering;
        self.changes += 1;
        let limit = self.layout.limit_of(state);
        match self.borders.position(state) {
            None => {
                self.entering_side = side;
                self.push_border(qp, state, Change::Enters);
            }
            // It is factored at its other end.
            Some(idx) if self.borders.get(idx).change == Change::Leaves && self.base[state] != side => {
                return Entry::Crowded;
            }
            Some(_) => {}
        }
        for _ in 0..MOST_CHANGES {
            if self.borders.len() + 1 >= MOST_BORDERS {
                return Entry::Crowded;
            }
            let Some(idx) = self.borders.position(state) else { return Entry::Refused };
            if !self.solve_direction(idx, f64::from(side)) {
                return Entry::Refused;
            }
            self.read(qp, Meaning::Direction);
            let limits = limits_of(qp, limit);
            let excess = f64::from(side)
                * (value_of(qp, &self.layout.starts, &self.layout.cone_starts, &self.solution, limit)
                    - limits[usize::from(side > 0)]);
            let relief = -f64::from(side)
                * value_of(qp, &self.layout.starts, &self.layout.cone_starts, &self.direction, limit);
            let reach = self.borders.get(idx).reach;
            let whole = if relief > HELD * reach { excess.max(0.0) / relief } else { f64::INFINITY };
            let blocking = self.first_blocking(qp);
            let part = blocking.map_or(f64::INFINITY, |(step, _)| step);
            let step = whole.min(part);
            if step == f64::INFINITY {
                return Entry::Refused;
            }
            self.advance(qp, step);
            if whole <= part {
                if self.borders.get(idx).change != Change::Enters {
                    self.borders.drop(idx);
                }
                self.states[state] = side;
                return Entry::Made;
            }
            let Some((_, leaving)) = blocking else { return Entry::Refused };
            self.leave(qp, leaving);
        }
        Entry::Refused
    }

    /// Moves the point along the direction.
    pub(super) fn advance(&mut self, qp: &BlockQp, step: f64) {
        let l = &self.layout;
        let (to, by) = (&mut self.solution, &self.direction);
        let scope = &l.scopes[self.scope];
        for &b in &scope.blocks {
            let range = l.starts[b]..l.starts[b] + qp.blocks[b].n;
            for (to, by) in [
                (&mut to.qdd, &by.qdd),
                (&mut to.torques, &by.torques),
                (&mut to.torque_multipliers, &by.torque_multipliers),
                (&mut to.bound_multipliers, &by.bound_multipliers),
            ] {
                axpy(step, &by[range.clone()], &mut to[range.clone()]);
            }
        }
        for &k in &scope.patches {
            let cone = l.cone_starts[k]..l.cone_starts[k] + qp.patches[k].force.len();
            for (to, by, range) in [
                (&mut to.wrenches, &by.wrenches, 6 * k..6 * k + 6),
                (&mut to.contact_multipliers, &by.contact_multipliers, 6 * k..6 * k + 6),
                (&mut to.coefficients, &by.coefficients, cone.clone()),
                (&mut to.cone_multipliers, &by.cone_multipliers, cone),
            ] {
                axpy(step, &by[range.clone()], &mut to[range]);
            }
        }
        for &r in &scope.rows {
            to.row_multipliers[r] += step * by.row_multipliers[r];
        }
    }

    /// The active limit whose multiplier reaches zero first along the direction, and when.
    fn first_blocking(&self, qp: &BlockQp) -> Option<(f64, usize)> {
        let l = &self.layout;
        let (now, by) = (&self.solution, &self.direction);
        let mut first: Option<(f64, usize)> = None;
        let mut look = |states: std::ops::Range<usize>, now: &[f64], by: &[f64]| {
            for (state, (now, by)) in states.clone().zip(now[..states.len()].iter().zip(by)) {
                let side = f64::from(self.states[state]);
                let falls = -side * by;
                if falls >= STEADY {
                    let step = (side * now).max(0.0) / falls;
                    if first.is_none_or(|(least, _)| step < least) {
                        first = Some((step, state));
                    }
                }
            }
        };
        let scope = &l.scopes[self.scope];
        for &b in &scope.blocks {
            let (start, n) = (l.starts[b], qp.blocks[b].n);
            look(start..start + n, &now.bound_multipliers[start..], &by.bound_multipliers[start..]);
            let states = l.n_qdd + start..l.n_qdd + start + n;
            look(states, &now.torque_multipliers[start..], &by.torque_multipliers[start..]);
        }
        for &k in &scope.patches {
            let start = l.cone_starts[k];
            let states = 2 * l.n_qdd + start..2 * l.n_qdd + start + qp.patches[k].force.len();
            look(states, &now.cone_multipliers[start..], &by.cone_multipliers[start..]);
        }
        for &r in &scope.rows {
            let state = 2 * l.n_qdd + l.n_cone + r;
            look(state..state + 1, &now.row_multipliers[r..], &by.row_multipliers[r..]);
        }
        first
    }
}

pub(super) fn limits_of(qp: &BlockQp, limit: Limit) -> [f64; 2] {
    match limit {
        Limit::Acceleration { block, dof } => qp.blocks[block].bounds[dof],
        Limit::Torque { block, dof } => qp.blocks[block].torque[dof],
        Limit::NoSlip { patch, axis } => [qp.patches[patch].target[axis]; 2],
        Limit::Cone { .. } => [0.0, f64::INFINITY],
        Limit::Row { row } => qp.rows[row].limits,
    }
}

/// What a limit is about, at a point (or by how much it moves along a direction).
fn value_of(
    qp: &BlockQp,
    starts: &[usize],
    cone_starts: &[usize],
    point: &BlockSolution,
    limit: Limit,
) -> f64 {
    match limit {
        Limit::Acceleration { block, dof } => point.qdd[starts[block] + dof],
        Limit::Torque { block, dof } => point.torques[starts[block] + dof],
        Limit::NoSlip { .. } => 0.0,
        Limit::Cone { patch, idx } => match &qp.patches[patch].force {
            PatchForce::Generators { .. } => point.coefficients[cone_starts[patch] + idx],
            PatchForce::Faces { faces, .. } => dot(&faces[idx], &point.wrenches[6 * patch..6 * patch + 6]),
        },
        Limit::Row { row } => {
            let parts = qp.rows[row].parts.iter();
            parts.map(|(b, part)| dot(part, &point.qdd[starts[*b]..][..part.len()])).sum()
        }
    }
}

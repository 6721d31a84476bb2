//! Finding the active set among the wrenches alone.
//!
//! When a guess turns out to have many wrong limits, changing them in the whole system is dear. Here everything but
//! the wrenches `w` is eliminated without any limit, once: what is left is `½ wᵀ A w - fᵀ w`, a dozen unknowns for each
//! pair of hands or feet. A limit is a row `ρ` in them, and what its multiplier does by way of the accelerations, `e`:
//!
//! ```text
//! value of limit i = cᵢ + ρᵢ · w - Σⱼ eᵢⱼ μⱼ,    w = A⁻¹ (f - Σⱼ ρⱼ μⱼ)    so that    D = ρ A⁻¹ ρᵀ + e
//! ```
//!
//! is the dual's matrix. Generators `g` of a patch with all of them free cost `½ weight wᵀ (G Gᵀ)⁻¹ w`; their row is
//! `(G Gᵀ)⁻¹ g` and their `e` the projector `(1 - Gᵀ (G Gᵀ)⁻¹ G) / weight`.
//!
//! The equations of motion of what is carried stay beside the wrenches as equality rows: if it is light, `A` would have
//! entries so large without them that the cost of forces is lost among them.
//!
//! Reference: \[Goldfarb1983\], the dual active-set method, on the factor of `D` among active limits. Differs: it begins
//! at the guess less what pulls the wrong way, in the first rounds all violated generators enter together, and later
//! all that is violated enters in turn before wrenches are looked at again.
//!
//! What it finds is looked through as any other solution, and solved for once more in the whole system if equations or
//! the balance of wrenches do not hold to the last digits.

mod active;
mod leave;

use super::super::blocks::{BlockQp, Limit, PatchForce};
use super::super::kernels::{self, axpy, dot, dot_six};
use super::node::{Lines, NOWHERE};
use super::read::{wrench_slope, write_torques};
use super::refine::EXACT;
use super::{BlockSolver, MANY, VIOLATED, Wrong};
use active::Entry;

/// More patches than this are left to the whole system, which knows who does not meet whom.
const MOST_PATCHES: usize = 12;
/// Most active limits.
const MOST_ACTIVE: usize = 96;
/// Most limits that may be active at one time or another.
const MOST_KNOWN: usize = 160;
/// Rounds in which all violated limits enter together.
const PATIENCE: usize = 3;
/// Limits that may enter.
const MOST_STEPS: usize = 160;
/// A limit of which no more than this share is left depends on the active ones.
const DEPENDENT: f64 = 1e-9;

/// A limit whose row in the wrenches is known.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    state: usize,
    limits: [f64; 2],
    /// The patch and the number of its generator or face, if it is one; else it has a part in what was eliminated.
    cone: Option<(usize, usize)>,
    /// Its value at `A⁻¹ f`, without multipliers.
    value: f64,
    /// Before this, what it asks of the wrenches is zero.
    first: usize,
    /// Where that part begins in [`Scout::through`].
    through: usize,
}

/// An active limit.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// Its number among those known.
    number: usize,
    limit: Known,
    side: i8,
    multiplier: f64,
}

/// Memory of the search.
#[derive(Clone, Debug, Default)]
pub(super) struct Scout {
    /// Which limits are active.
    states: Vec<i8>,
    /// What the blocks leave over: multipliers of equality rows, then wrenches.
    top: Lines,
    stride: usize,
    n_dual: usize,
    n_top: usize,
    /// Where each patch's wrench is there, where each group is, and where each block's unknowns are.
    wrench_at: Vec<usize>,
    group_at: Vec<usize>,
    places: Vec<Vec<usize>>,
    /// Of one block: runs of unknowns that stay neighbours, where each begins and how long it is.
    runs: Vec<(usize, usize)>,
    /// The first of each block's accelerations among what was eliminated.
    starts: Vec<usize>,
    scale: Vec<f64>,
    /// Reciprocal pivots of accelerations and multipliers.
    inverse: Vec<f64>,
    /// Inverse of `G Gᵀ` of each patch.
    grams: Vec<[f64; 36]>,
    /// Factor `L D Lᵀ` of `A` with what is carried as rows behind, the reciprocals of `D`, and `A⁻¹ f`.
    factor: Lines,
    tall: usize,
    pivots: Vec<f64>,
    optimum: Vec<f64>,
    /// Limits that are active or have been.
    known: Vec<Known>,
    /// For each of them `L⁻¹` of what it asks of the wrenches, with `A = L D Lᵀ`; and of its part in what was
    /// eliminated.
    solved: Vec<f64>,
    through: Vec<f64>,
    /// The dual's matrix among them, the rows of its lower half one after the other.
    gram: Vec<f64>,
    /// Those that are active.
    rows: Vec<Row>,
    /// The factor `L D Lᵀ` of the dual's matrix among these, columns of [`MOST_ACTIVE`], with the reciprocals of `D`.
    dual: Vec<f64>,
    reliefs: Vec<f64>,
    wrenches: Vec<f64>,
    /// A limit's row.
    fresh: Vec<f64>,
    x: Vec<f64>,
    local: Vec<f64>,
    qdd: Vec<f64>,
    torques: Vec<f64>,
    step: Vec<f64>,
    mixed: Vec<f64>,
    /// `D⁻¹ L⁻¹` of the last right-hand side of the dual.
    half: Vec<f64>,
    work: Lines,
}

impl BlockSolver {
    /// Goes from the guess to the optimum, into the solution; false if it cannot, or not to the last digits: then the
    /// guess is as it was or better, and has to be solved for again.
    pub(super) fn scout(&mut self, qp: &BlockQp) -> bool {
        let n_patches = self.layout.scopes[self.scope].patches.len();
        self.is_scouted = true;
        if n_patches == 0 || n_patches > MOST_PATCHES {
            return false;
        }
        self.rounds += 1;
        let mut scout = std::mem::take(&mut self.scout);
        let found = self.leave_wrenches(qp, &mut scout) && self.search(qp, &mut scout);
        if found {
            self.adopt(qp, &mut scout);
        }
        self.scout = scout;
        if !found {
            return false;
        }
        self.review(qp);
        self.wrong.is_empty() && self.balances(qp) && self.is_exact(qp)
    }

    /// Whether cost and multipliers of the wrenches cancel to the last digits. They need not if something light is
    /// carried, which makes wrenches dear.
    fn balances(&self, qp: &BlockQp) -> bool {
        let l = &self.layout;
        let out = &self.solution;
        let mut worst = 0.0f64;
        kernels::with_vectors(
            #[inline(always)]
            || {
                for &k in &l.scopes[self.scope].patches {
                    let slope = wrench_slope(qp, l, out, k, true);
                    let start = l.cone_starts[k];
                    match &qp.patches[k].force {
                        PatchForce::Generators { columns, weight } => {
                            for (idx, column) in columns.iter().enumerate() {
                                let own = weight * out.coefficients[start + idx]
                                    + out.cone_multipliers[start + idx];
                                worst = worst.max((own + dot_six(column, &slope)).abs());
                            }
                        }
                        PatchForce::Faces { faces, cost } => {
                            let mut sum = slope;
                            for (x, row) in out.wrenches[6 * k..6 * k + 6].iter().zip(cost.as_chunks::<6>().0)
                            {
                                axpy(*x, row, &mut sum);
                            }
                            for (face, y) in faces.iter().zip(&out.cone_multipliers[start..]) {
                                axpy(*y, face, &mut sum);
                            }
                            sum.iter().for_each(|x| worst = worst.max(x.abs()));
                        }
                    }
                }
            },
        );
        worst <= EXACT
    }

    /// The point found, its active set and its multipliers become the solution.
    fn adopt(&mut self, qp: &BlockQp, scout: &mut Scout) {
        let mut out = std::mem::take(&mut self.solution);
        self.clear(qp, &mut out);
        let l = &self.layout;
        let scope = &l.scopes[self.scope];
        for (from, to) in [(&scout.states, &mut self.states), (&scout.states, &mut self.base)] {
            to.resize(scout.states.len(), 0);
            l.each_range(qp, scope, |range| to[range.clone()].copy_from_slice(&from[range]));
        }
        self.borders.clear();
        self.is_numbered = false;
        for &b in &scope.blocks {
            let (node, left, start) =
                (&self.nodes[self.front_of[b]], self.reductions[b].order.len(), l.starts[b]);
            let own = start..start + qp.blocks[b].n;
            out.qdd[own.clone()].copy_from_slice(&scout.qdd[own.clone()]);
            out.torques[own.clone()].copy_from_slice(&scout.torques[own]);
            let multiplier = |at: usize| scout.x[scout.places[b][at - left]];
            for &(dof, at) in &node.torque_rows {
                out.torque_multipliers[start + dof] = multiplier(at);
            }
            for &(k, _) in l.patches_of[b].iter().filter(|(k, _)| node.patch_at[*k][1] != NOWHERE) {
                (0..6).for_each(|i| out.contact_multipliers[6 * k + i] = multiplier(node.patch_at[k][1] + i));
            }
        }
        for &k in &scope.patches {
            let at = scout.wrench_at[k] - scout.n_dual;
            out.wrenches[6 * k..6 * k + 6].copy_from_slice(&scout.wrenches[at..at + 6]);
            let Some(wrench) = scout.pull(qp, k) else { continue };
            if let PatchForce::Generators { columns, .. } = &qp.patches[k].force {
                for (idx, column) in columns.iter().enumerate() {
                    let is_free = self.states[2 * l.n_qdd + l.cone_starts[k] + idx] == 0;
                    out.coefficients[l.cone_starts[k] + idx] =
                        if is_free { dot(column, &wrench) } else { 0.0 };
                }
            }
        }
        for row in &scout.rows {
            match l.limit_of(row.limit.state) {
                Limit::Torque { block, dof } => {
                    out.torque_multipliers[l.starts[block] + dof] = row.multiplier
                }
                Limit::Acceleration { block, dof } => {
                    out.bound_multipliers[l.starts[block] + dof] = row.multiplier
                }
                Limit::Row { row: r } => out.row_multipliers[r] = row.multiplier,
                Limit::Cone { patch, idx } => {
                    out.cone_multipliers[l.cone_starts[patch] + idx] = row.multiplier
                }
                Limit::NoSlip { .. } => {}
            }
        }
        self.solution = out;
    }

    /// The dual active-set method from the guess; false if it does not end.
    fn search(&mut self, qp: &BlockQp, scout: &mut Scout) -> bool {
        scout.forget();
        scout.states.fill(0);
        let (from, to) = (&self.states, &mut scout.states);
        let scope = &self.layout.scopes[self.scope];
        self.layout.each_range(qp, scope, |range| to[range.clone()].copy_from_slice(&from[range]));
        // Neighbouring faces of a cone are nearly dependent: they enter one by one.
        let mut together =
            if scope.patches.iter().any(|k| qp.patches[*k].has_faces()) { 0 } else { PATIENCE };
        for wrong in self.wrong.iter().filter(|wrong| wrong.value == 0 || together > 0) {
            scout.states[wrong.state] = wrong.value;
        }
        let mut best = usize::MAX;
        for idx in 0..scout.states.len() {
            if scout.states[idx] != 0 && !self.push_row(qp, scout, idx, scout.states[idx]) {
                return false;
            }
        }
        scout.drop_wrong();
        for round in 0..MOST_STEPS {
            self.look(qp, scout, round == 0);
            let wrong = self.wrong.len();
            if wrong == 0 {
                return true;
            }
            if wrong > MANY && wrong < best && together > 0 {
                (best, together) = (wrong, together - 1);
                for idx in 0..wrong {
                    let Wrong { state, value, .. } = self.wrong[idx];
                    if !self.push_row(qp, scout, state, value) {
                        return false;
                    }
                }
                scout.drop_wrong();
                continue;
            }
            self.wrong.sort_unstable_by(|a, b| b.by.total_cmp(&a.by).then(a.state.cmp(&b.state)));
            for idx in 0..wrong {
                let Wrong { state, value, .. } = self.wrong[idx];
                if !self.push_row(qp, scout, state, value) {
                    return false;
                }
                match scout.enter(idx == 0) {
                    Entry::Made => {}
                    Entry::Needless if matches!(self.layout.limit_of(state), Limit::Cone { .. }) => {}
                    Entry::Needless => break,
                    Entry::Refused => return false,
                }
            }
        }
        false
    }

    /// Makes a limit active; false if there is no room.
    fn push_row(&self, qp: &BlockQp, scout: &mut Scout, state: usize, side: i8) -> bool {
        if scout.rows.len() == MOST_ACTIVE {
            return false;
        }
        let number = match scout.known.iter().position(|known| known.state == state) {
            Some(number) => number,
            None if scout.known.len() == MOST_KNOWN => return false,
            None => {
                self.make_known(qp, scout, state);
                scout.couple(qp);
                scout.known.len() - 1
            }
        };
        scout.states[state] = side;
        scout.rows.push(Row { number, limit: scout.known[number], side, multiplier: 0.0 });
        true
    }

    /// Lists the limits that are violated at the wrenches that the multipliers ask for: of everything, or only if all
    /// wrenches are in their cones. Accelerations are dear.
    fn look(&mut self, qp: &BlockQp, scout: &mut Scout, everything: bool) {
        let mut wrong = std::mem::take(&mut self.wrong);
        wrong.clear();
        kernels::with_vectors(
            #[inline(always)]
            || {
                scout.find_wrenches();
                self.list_cones(qp, scout, &mut wrong);
                if everything || wrong.is_empty() {
                    self.find_accelerations(qp, scout);
                    self.list_others(qp, scout, &mut wrong);
                }
            },
        );
        self.wrong = wrong;
    }

    #[inline(always)]
    fn list_cones(&self, qp: &BlockQp, scout: &mut Scout, wrong: &mut Vec<Wrong>) {
        let l = &self.layout;
        for &k in &l.scopes[self.scope].patches {
            let start = 2 * l.n_qdd + l.cone_starts[k];
            let Some(pull) = scout.pull(qp, k) else { continue };
            match &qp.patches[k].force {
                PatchForce::Generators { columns, .. } => {
                    for (state, column) in (start..).zip(columns) {
                        let by = -dot_six(column, &pull);
                        if scout.states[state] == 0 && by > VIOLATED {
                            wrong.push(Wrong { state, value: -1, by });
                        }
                    }
                }
                PatchForce::Faces { faces, .. } => {
                    // The others are seldom violated without it.
                    let mut worst = Wrong { state: start, value: -1, by: VIOLATED };
                    for (state, face) in (start..).zip(faces) {
                        let by = -dot_six(face, &pull);
                        if scout.states[state] == 0 && by > worst.by {
                            worst = Wrong { state, by, ..worst };
                        }
                    }
                    if worst.by > VIOLATED {
                        wrong.push(worst);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn list_others(&self, qp: &BlockQp, scout: &mut Scout, wrong: &mut Vec<Wrong>) {
        let l = &self.layout;
        let Scout { states, qdd, torques, wrenches, wrench_at, n_dual, .. } = scout;
        torques.resize(l.n_qdd, 0.0);
        let mut look = |state: usize, value: f64, limits: [f64; 2]| {
            if states[state] != 0 {
                return;
            }
            let sizes = [1.0 + limits[0].abs(), 1.0 + limits[1].abs()];
            let (above, below) = (value - limits[1], limits[0] - value);
            if above > VIOLATED * sizes[1] {
                wrong.push(Wrong { state, value: 1, by: above / sizes[1] });
            } else if below > VIOLATED * sizes[0] {
                wrong.push(Wrong { state, value: -1, by: below / sizes[0] });
            }
        };
        let scope = &l.scopes[self.scope];
        for &b in &scope.blocks {
            let (block, start) = (&qp.blocks[b], l.starts[b]);
            let wrench = |k: usize| std::array::from_fn(|axis| wrenches[wrench_at[k] - *n_dual + axis]);
            write_torques(qp, l, b, true, (qdd, wrench), torques);
            let (qdd, torques) = (&qdd[start..start + block.n], &torques[start..start + block.n]);
            for (dof, (qdd, torque)) in qdd.iter().zip(torques).enumerate() {
                look(start + dof, *qdd, block.bounds[dof]);
                if block.torque[dof][0] != block.torque[dof][1] {
                    look(l.n_qdd + start + dof, *torque, block.torque[dof]);
                }
            }
        }
        for &r in &scope.rows {
            let parts = qp.rows[r].parts.iter();
            let value = parts.map(|(b, part)| dot(part, &qdd[l.starts[*b]..][..part.len()])).sum();
            look(2 * l.n_qdd + l.n_cone + r, value, qp.rows[r].limits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qp::blocks::{Block, LinkRow, Patch, Side};
    use crate::qp::{DenseSolver, Status};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Somebody with 24 degrees of freedom, three of them passive, on the ground and with two hands on a thing that is
    /// carried.
    fn carrying(seed: u64, faces: bool) -> BlockQp {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut numbers =
            |n: usize, size: f64| (0..n).map(|_| rng.random_range(-size..size)).collect::<Vec<f64>>();
        let mut qp = BlockQp::default();
        for (n, drive) in [(24, 30.0), (6, 0.0)] {
            let mut gram = |ridge: f64| {
                let rows = numbers(n * n, 0.5);
                let entry = |i: usize, j: usize| {
                    dot(&rows[i * n..(i + 1) * n], &rows[j * n..(j + 1) * n])
                        + if i == j { ridge } else { 0.0 }
                };
                (0..n * n).map(|k| entry(k / n, k % n)).collect::<Vec<f64>>()
            };
            let (hessian, mass) = (gram(0.5), gram(1.0));
            let passive = |dof: usize| dof < 3 || drive == 0.0;
            qp.blocks.push(Block {
                n,
                hessian,
                gradient: numbers(n, 3.0),
                bounds: vec![[-4.0, 4.0]; n],
                mass,
                nonlinear: numbers(n, 3.0),
                torque: (0..n).map(|dof| if passive(dof) { [0.0; 2] } else { [-drive, drive] }).collect(),
            });
        }
        for k in 0..3 {
            let mut sides = vec![Side { block: 0, jacobian: numbers(6 * 24, 1.0), cross: Vec::new() }];
            if k > 0 {
                sides.push(Side { block: 1, jacobian: numbers(6 * 6, 1.0), cross: Vec::new() });
            }
            let six = |from: Vec<f64>| std::array::from_fn(|i| from[i]);
            // Cones about the first axis.
            let mut ray = |along: f64| -> [f64; 6] {
                let mut ray: [f64; 6] = six(numbers(6, 1.0));
                ray[0] = along;
                ray
            };
            let force = if faces {
                let cost = std::array::from_fn(|i| if i % 7 == 0 { 1e-2 } else { 0.0 });
                PatchForce::Faces { faces: (0..10).map(|_| ray(1.0)).collect(), cost }
            } else {
                PatchForce::Generators { columns: (0..16).map(|_| ray(0.5)).collect(), weight: 1e-2 }
            };
            qp.patches.push(Patch { key: k, sides, target: six(numbers(6, 0.3)), gradient: [0.0; 6], force });
        }
        let parts = vec![(0, numbers(24, 1.0)), (1, numbers(6, 1.0))];
        qp.rows.push(LinkRow { parts, limits: [-0.5, f64::INFINITY] });
        qp
    }

    /// From no active set at all, and from that of the problem with the opposite gradient.
    #[test]
    fn the_wrenches_alone_find_the_optimum() {
        let (mut solved, mut scouted) = (0, 0);
        for (seed, faces) in (0..150).flat_map(|seed| [(seed, false), (seed, true)]) {
            let qp = carrying(seed, faces);
            let mut opposite = qp.clone();
            opposite.blocks[0].gradient.iter_mut().for_each(|x| *x = -*x);
            let mut solver = BlockSolver::default();
            for problem in [&qp, &opposite] {
                let plain = problem.to_dense().0;
                let mut dense = DenseSolver::default();
                if dense.solve(&plain) != Status::Solved {
                    solver.reset();
                    continue;
                }
                assert_eq!(solver.solve(problem), Status::Solved, "seed {seed}");
                let out = &solver.solution;
                let forces = if faces { &out.wrenches } else { &out.coefficients };
                let x: Vec<f64> = out.qdd.iter().chain(forces).copied().collect();
                let (found, best) = (plain.objective(&x), plain.objective(&dense.x));
                assert!(
                    (found - best).abs() < 1e-7 * (1.0 + best.abs()),
                    "seed {seed}: {found} is not {best}"
                );
                solved += 1;
                scouted += usize::from(problem == &qp && (solver.rounds, solver.changes) == (1, 0));
            }
        }
        assert!(solved > 150 && scouted * 3 > solved, "{scouted} of {solved}");
    }
}

//! The next problem of a sequence, solved with the factor of an earlier one.
//!
//! From one step of a control loop to the next a problem changes little, and its active set mostly not at all. With
//! `K x = f` its system for the same active set, and `K₀` what was factored last, each round
//!
//! ```text
//! x += K₀⁻¹ (f - K x)
//! ```
//!
//! gains two or three digits, and costs a fraction of what assembling and factoring `K` does. It begins where the
//! solutions before lead to ([`Trail`]), and ends when every equation holds to the last digits; what is found is looked
//! through as any other solution. The factor is made anew once too many rounds are needed.
//!
//! The no-slip rows that were solved beforehand ([`super::reduce`]) are met first in each round, as they are now; and
//! their multipliers follow last, so that the rest is what `K₀` was made for.
//!
//! Reference: \[Higham2002\], iterative refinement, chapter 12. Differs: the factor is that of another matrix.

use super::super::blocks::{BlockQp, BlockSolution, PatchForce};
use super::super::kernels::{self, add_products, add_rows, axpy, dot, dot_six};
use super::layout::is_private;
use super::node::{NOWHERE, Node};
use super::read::write_torques;
use super::refine::EXACT;
use super::{BlockSolver, FEW, Wrong};

/// Rounds that may be needed to follow: more would cost what a new factor does.
const MOST_ROUNDS: usize = 5;
/// A factor costs about as much as so many rounds: it is old once that many were needed in addition to those that the
/// problem right behind it needed.
const WORTH: usize = 4;
/// From this round on a factor is worth being unwound ([`kernels::unwind`]): that costs what it saves in as many.
const MANY_USES: usize = 10;
/// Equations that lack no more than this together hold to the last digits (m/s², rad/s², N, N m).
const CLOSE: f64 = 2.0 * EXACT;
/// Problems that are not followed after one that could not be: doubled each time, up to the second number.
const PAUSE: [usize; 2] = [1, 32];
/// What becomes of the share that a round leaves each time that it was thought to be too much.
const HOPE: f64 = 0.9;

/// What became of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Followed {
    /// Its optimum was found.
    Solved,
    /// The active set is another: what must change is listed.
    Wrong,
    /// There is no factor, or it is too old.
    Lost,
}

/// Memory of following.
#[derive(Clone, Debug, Default)]
pub(super) struct Follow {
    /// Whether the nodes hold the factored system of `base`, all of it.
    pub(super) has_factor: bool,
    is_old: bool,
    /// Rounds of this factor.
    uses: usize,
    /// Rounds that the first problem with this factor needed, and those that others needed in addition.
    least: usize,
    wasted: usize,
    /// The share of what is missing that a round leaves, as far as the last problems tell.
    left: f64,
    /// Problems that are not followed, and how many that will be the next time.
    pause: usize,
    next_pause: usize,
    /// What the factor was made for: sizes and who meets whom.
    shape: Vec<u64>,
    next_shape: Vec<u64>,
    trail: Trail,
    /// What each unknown's equation lacks; then what that changes.
    residual: Vec<f64>,
    /// Derivative of the cost with respect to each acceleration, contacts and active limits included.
    slope: Vec<f64>,
    /// What the no-slip rows lack, six for each patch; then how their multipliers change.
    contacts: Vec<f64>,
    /// Derivative of everything but the patches' own costs with respect to each wrench.
    asked: Vec<f64>,
    scratch: Vec<f64>,
    folded: Vec<f64>,
    shared: Vec<f64>,
}

/// Where the solutions lead to, while the active set stays: backward differences of the last few.
#[derive(Clone, Debug, Default)]
struct Trail {
    states: Vec<i8>,
    /// The last solution, and by how much it, that, and so on differ from those one problem before.
    differences: [Vec<f64>; MOST_POINTS],
    known: usize,
    /// How many differences add up to the best guess, as far as the last problem tells.
    order: usize,
    flat: Vec<f64>,
}

/// Solutions that a guess is made of.
const MOST_POINTS: usize = 6;

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
    fn learn(&mut self, states: &[i8], solution: &BlockSolution) {
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
                for (order, list) in self.differences.iter_mut().enumerate() {
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
    fn lead(&mut self, solution: &mut BlockSolution) {
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

impl Follow {
    /// The nodes hold a new factor, or none that can be used.
    pub(super) fn renew(&mut self, is_sound: bool) -> bool {
        (self.has_factor, self.is_old, self.uses) = (is_sound, false, 0);
        (self.least, self.wasted) = (usize::MAX, 0);
        is_sound
    }

    /// Whether the problem has the sizes and meetings of the last one.
    pub(super) fn recognises(&mut self, qp: &BlockQp) -> bool {
        let shape = &mut self.next_shape;
        shape.clear();
        shape.extend([qp.blocks.len() as u64, qp.patches.len() as u64, qp.shared.len() as u64]);
        for block in &qp.blocks {
            shape.push(block.n as u64);
            for dofs in block.torque.chunks(64) {
                shape.push(dofs.iter().fold(0, |bits, [lower, upper]| 2 * bits + u64::from(lower == upper)));
            }
        }
        for patch in &qp.patches {
            let kind = 2 * patch.force.len() as u64 + u64::from(patch.has_faces());
            shape.extend([patch.key, kind, patch.sides.len() as u64]);
            shape.extend(patch.sides.iter().map(|side| side.block as u64));
        }
        for task in &qp.shared {
            shape.extend([task.rows as u64, task.parts.len() as u64]);
            shape.extend(task.parts.iter().map(|part| part.0 as u64));
        }
        for row in &qp.rows {
            shape.push(row.parts.len() as u64);
            shape.extend(row.parts.iter().map(|part| part.0 as u64));
        }
        let is_known = self.shape == self.next_shape;
        if !is_known {
            std::mem::swap(&mut self.shape, &mut self.next_shape);
            (self.has_factor, self.trail.known) = (false, 0);
        }
        is_known
    }
}

impl BlockSolver {
    /// Remembers what was found, for the guess of what comes next.
    pub(super) fn learn(&mut self) {
        if self.layout.n_scopes == 1 {
            self.follow.trail.learn(&self.states, &self.solution);
        }
    }

    /// Solves a problem of the same shape with the factor there is.
    pub(super) fn follow(&mut self, qp: &BlockQp) -> Followed {
        let follow = &mut self.follow;
        let is_fit = follow.has_factor
            && !follow.is_old
            && self.layout.n_scopes == 1
            && self.base == self.states
            && follow.trail.states == self.states
            && follow.trail.known > 0;
        if !is_fit {
            return Followed::Lost;
        }
        if follow.pause > 0 {
            follow.pause -= 1;
            return Followed::Lost;
        }
        self.scope = 0;
        let is_whole = self.nodes[..self.n_nodes].iter().all(|node| node.lost == 0);
        if is_whole && !self.is_numbered {
            self.begin_borders(qp);
        }
        if !is_whole || !self.begin_following(qp) {
            self.follow.has_factor = false;
            return Followed::Lost;
        }
        let Some(rounds) = self.close_in(qp) else {
            let follow = &mut self.follow;
            follow.next_pause = (2 * follow.next_pause).clamp(PAUSE[0], PAUSE[1]);
            follow.pause = follow.next_pause;
            return Followed::Lost;
        };
        let follow = &mut self.follow;
        follow.next_pause = 0;
        follow.least = follow.least.min(rounds);
        follow.wasted += rounds - follow.least;
        follow.is_old = follow.wasted >= WORTH;
        self.review(qp);
        if self.wrong.is_empty() { Followed::Solved } else { Followed::Wrong }
    }

    /// Changes all limits that are wrong.
    pub(super) fn change_all_wrong(&mut self) {
        for Wrong { state, value, .. } in self.wrong.drain(..) {
            self.states[state] = value;
        }
    }

    /// The guess, and the costs of the wrenches as they are now; false if these have other unknowns than the factor.
    fn begin_following(&mut self, qp: &BlockQp) -> bool {
        let BlockSolver { follow, solution: out, layout: l, bases, states, nodes, n_nodes, .. } = self;
        follow.trail.lead(out);
        follow.residual.clear();
        let n_unknowns = nodes[..*n_nodes].iter().map(|node| node.n_eliminated).sum();
        follow.residual.resize(n_unknowns, 0.0);
        follow.slope.resize(l.n_qdd, 0.0);
        follow.contacts.resize(6 * qp.patches.len(), 0.0);
        follow.asked.resize(6 * qp.patches.len(), 0.0);
        for (k, patch) in qp.patches.iter().enumerate() {
            let cone = l.cone_starts[k]..l.cone_starts[k] + patch.force.len();
            let (states, basis) = (&states[2 * l.n_qdd..][cone.clone()], &mut bases[k]);
            let before = (basis.d, basis.is_wrench);
            basis.choose(patch, states);
            if (basis.d, basis.is_wrench) != before {
                return false;
            }
            if !basis.is_wrench {
                let coefficients = out.coefficients[cone].iter().zip(states);
                let free = coefficients.filter(|(_, state)| **state == 0).map(|(x, _)| *x);
                out.wrenches[6 * k..6 * k + 6].copy_from_slice(&basis.wrench(free));
            }
        }
        true
    }

    /// Refines the guess until all equations hold; answers after how many rounds, if few enough are needed.
    fn close_in(&mut self, qp: &BlockQp) -> Option<usize> {
        let mut first = 0.0;
        for round in 0..=MOST_ROUNDS {
            let missing = self.measure(qp);
            let is_close = missing <= CLOSE && self.holds_contacts(qp);
            let left = &mut self.follow.left;
            if round == 0 {
                first = missing;
            } else {
                *left = 0.5 * (*left + libm::pow((missing / first).min(1.0), 1.0 / round as f64));
            }
            if is_close {
                self.conclude(qp);
                return Some(round);
            }
            if !(missing * libm::pow(*left, (MOST_ROUNDS - round) as f64) <= CLOSE) {
                *left *= HOPE;
                return None;
            }
            self.improve(qp);
        }
        None
    }

    /// Writes what each unknown's equation lacks; answers how much that is together, the root of the sum of squares.
    fn measure(&mut self, qp: &BlockQp) -> f64 {
        kernels::with_vectors(
            #[inline(always)]
            || self.weigh(qp),
        )
    }

    /// [`Self::measure`], with whatever vectors there are.
    #[inline(always)]
    fn weigh(&mut self, qp: &BlockQp) -> f64 {
        let BlockSolver {
            follow, solution: out, layout: l, bases, states, nodes, front_of, reductions, ..
        } = self;
        let Follow { residual, slope, contacts, asked: all_asked, shared, scratch, folded, .. } = follow;
        let scope = &l.scopes[0];
        residual.fill(0.0);
        // Accelerations that follow from a block's own contacts, and what the cost of all of them asks for.
        for &b in &scope.blocks {
            let (block, reduction, node) = (&qp.blocks[b], &reductions[b], &nodes[front_of[b]]);
            let range = l.starts[b]..l.starts[b] + block.n;
            let qdd = &mut out.qdd[range.clone()];
            if !reduction.dependent.is_empty() {
                for &(k, _) in l.patches_of[b].iter().filter(|(k, _)| is_private(&qp.patches[*k])) {
                    let (patch, misses) = (&qp.patches[k], &mut contacts[6 * k..6 * k + 6]);
                    misses.copy_from_slice(&patch.target.map(|x| -x));
                    add_products(&patch.sides[0].jacobian, qdd, misses);
                }
                reduction.meet(contacts, scratch, qdd);
            }
            let slope = &mut slope[range.clone()];
            slope.copy_from_slice(&block.gradient);
            add_rows(&block.hessian, qdd, slope);
            for &(dof, at) in &node.bound_rows {
                let side = usize::from(states[range.start + dof] > 0);
                slope[dof] += out.bound_multipliers[range.start + dof];
                residual[node.unknowns[at]] = block.bounds[dof][side] - qdd[dof];
            }
            let point = (&*qdd, &out.torque_multipliers[range.clone()]);
            add_motion(&block.mass, &node.torque_rows, point, slope, scratch);
            for (&(dof, at), torque) in node.torque_rows.iter().zip(scratch.iter()) {
                let side = usize::from(states[l.n_qdd + range.start + dof] > 0);
                residual[node.unknowns[at]] = block.torque[dof][side] - block.nonlinear[dof] - torque;
            }
        }
        for task in scope.shared.iter().map(|t| &qp.shared[*t]) {
            shared.clear();
            shared.extend(task.target.iter().map(|goal| -goal));
            for (b, part) in &task.parts {
                let qdd = &out.qdd[l.starts[*b]..l.starts[*b] + qp.blocks[*b].n];
                add_products(part, qdd, shared);
            }
            for (b, part) in &task.parts {
                add_rows(part, shared, &mut slope[l.starts[*b]..l.starts[*b] + qp.blocks[*b].n]);
            }
        }
        for &r in &scope.rows {
            let state = states[2 * l.n_qdd + l.n_cone + r];
            if state == 0 {
                continue;
            }
            let row = &qp.rows[r];
            let mut miss = row.limits[usize::from(state > 0)];
            for (b, part) in &row.parts {
                let range = l.starts[*b]..l.starts[*b] + part.len();
                miss -= dot(part, &out.qdd[range.clone()]);
                axpy(out.row_multipliers[r], part, &mut slope[range]);
            }
            let node = row.parts.first().map(|part| &nodes[front_of[part.0]]);
            let place = node.and_then(|node| {
                node.row_at.iter().find(|(row, _)| *row == r).map(|(_, at)| node.unknowns[*at])
            });
            if let Some(at) = place {
                residual[at] = miss;
            }
        }
        // Wrenches, no-slip rows between blocks, and faces.
        for &k in &scope.patches {
            let patch = &qp.patches[k];
            let (mut asked, mut reached) = (patch.gradient, [0.0; 6]);
            let wrench: [f64; 6] = std::array::from_fn(|axis| out.wrenches[6 * k + axis]);
            let multipliers = &out.contact_multipliers[6 * k..6 * k + 6];
            for side in &patch.sides {
                let (node, n) = (&nodes[front_of[side.block]], qp.blocks[side.block].n);
                let range = l.starts[side.block]..l.starts[side.block] + n;
                let (qdd, slope) = (&out.qdd[range.clone()], &mut slope[range.clone()]);
                add_rows(&side.jacobian, multipliers, slope);
                if patch.sides.len() > 1 {
                    add_products(&side.jacobian, qdd, &mut reached);
                }
                if !side.cross.is_empty() {
                    add_rows(&side.cross, &wrench, slope);
                    add_products(&side.cross, qdd, &mut asked);
                }
                let (base, others) = node.torque_rows.split_at(n_base(&node.torque_rows));
                if let Some(&(first, place)) = base.first() {
                    let multipliers = &out.torque_multipliers[range.start + first..];
                    if let Some(multipliers) = multipliers.first_chunk::<6>() {
                        let mut push = [0.0; 6];
                        for (axis, row) in side.jacobian.chunks_exact(n).enumerate() {
                            let Some(row) = row[first..].first_chunk::<6>() else { continue };
                            let (mut asks, row, multipliers) = (0.0, *row, *multipliers);
                            for i in 0..6 {
                                push[i] += row[i] * wrench[axis];
                                asks += row[i] * multipliers[i];
                            }
                            asked[axis] -= asks;
                        }
                        for (offset, push) in push.iter().enumerate() {
                            residual[node.unknowns[place + offset]] += push;
                        }
                    }
                }
                for &(dof, at) in others {
                    let multiplier = out.torque_multipliers[range.start + dof];
                    let mut push = 0.0;
                    for (axis, row) in side.jacobian.chunks_exact(n).enumerate() {
                        push += row[dof] * wrench[axis];
                        asked[axis] -= row[dof] * multiplier;
                    }
                    residual[node.unknowns[at]] += push;
                }
            }
            if !qp.wrench_cost.is_empty() {
                let size = out.wrenches.len();
                add_products(&qp.wrench_cost[6 * k * size..6 * (k + 1) * size], &out.wrenches, &mut asked);
            }
            all_asked[6 * k..6 * k + 6].copy_from_slice(&asked);
            let (basis, node) = (&bases[k], &nodes[front_of[patch.sides[0].block]]);
            let [w, y, f] = node.patch_at[k];
            let cone = l.cone_starts[k]..l.cone_starts[k] + patch.force.len();
            let active = &states[2 * l.n_qdd..][cone.clone()];
            if let PatchForce::Faces { faces, .. } = &patch.force {
                let active = faces.iter().zip(active).zip(&out.cone_multipliers[cone.clone()]);
                for (offset, ((face, _), y)) in active.filter(|((_, state), _)| **state != 0).enumerate() {
                    axpy(*y, face, &mut asked);
                    residual[node.unknowns[f + offset]] = -dot_six(face, &wrench);
                }
            }
            if basis.is_wrench {
                for (row, x) in basis.cost.as_chunks::<6>().0.iter().zip(wrench) {
                    (0..6).for_each(|i| asked[i] += row[i] * x);
                }
                asked.iter().enumerate().for_each(|(i, x)| residual[node.unknowns[w + i]] = -x);
            } else {
                let free = active.iter().zip(&out.coefficients[cone]).filter(|(state, _)| **state == 0);
                for (u, (column, (_, x))) in basis.columns[..basis.d].iter().zip(free).enumerate() {
                    residual[node.unknowns[w + u]] = -dot_six(column, &asked) - basis.diagonal * x;
                }
            }
            if patch.sides.len() > 1 {
                for axis in 0..6 {
                    residual[node.unknowns[y + axis]] = patch.target[axis] - reached[axis];
                }
            }
        }
        let mut missing = dot(residual, residual);
        // What is left of the slopes.
        for &b in &scope.blocks {
            let (reduction, node) = (&reductions[b], &nodes[front_of[b]]);
            let slope = &mut slope[l.starts[b]..l.starts[b] + qp.blocks[b].n];
            if !reduction.dependent.is_empty() {
                contacts.fill(0.0);
                reduction.balance(slope, scratch, contacts);
                for &(k, _) in l.patches_of[b].iter().filter(|(k, _)| is_private(&qp.patches[*k])) {
                    let change = &contacts[6 * k..6 * k + 6];
                    axpy(1.0, change, &mut out.contact_multipliers[6 * k..6 * k + 6]);
                    add_rows(&qp.patches[k].sides[0].jacobian, change, slope);
                }
            }
            missing += dot(slope, slope);
            reduction.fold_slope(slope, scratch, folded);
            let places = &node.unknowns[..reduction.order.len()];
            places.iter().zip(folded.iter()).for_each(|(at, x)| residual[*at] = -x);
        }
        libm::sqrt(missing)
    }

    /// Adds what the factored system makes of the residual to the solution.
    fn improve(&mut self, qp: &BlockQp) {
        kernels::with_vectors(
            #[inline(always)]
            || self.correct(qp),
        );
    }

    /// [`Self::improve`], with whatever vectors there are.
    #[inline(always)]
    fn correct(&mut self, qp: &BlockQp) {
        let BlockSolver {
            follow,
            solution: out,
            layout: l,
            bases,
            borders,
            states,
            nodes,
            n_nodes,
            front_of,
            reductions,
            ..
        } = self;
        let Follow { residual, scratch, uses, .. } = follow;
        let nodes = &mut nodes[..*n_nodes];
        *uses += 1;
        if *uses == MANY_USES {
            nodes.iter_mut().for_each(Node::unwind);
            // Single changes may be long in coming: memory for them while memory is still being taken.
            borders.reserve(FEW, residual.len());
        }
        if *uses < MANY_USES {
            nodes.iter().for_each(|node| {
                node.forward(residual, scratch);
            });
            nodes.iter().rev().for_each(|node| node.backward(residual, scratch));
        } else {
            nodes.iter().for_each(|node| node.forward_unwound(residual, scratch));
            nodes.iter().rev().for_each(|node| node.backward_unwound(residual, scratch));
        }
        let scope = &l.scopes[0];
        for &b in &scope.blocks {
            let (n, start, reduction, node) =
                (qp.blocks[b].n, l.starts[b], &reductions[b], &nodes[front_of[b]]);
            let change = |at: usize| residual[node.unknowns[at]];
            let left = reduction.order.len();
            scratch.clear();
            scratch.resize(n, 0.0);
            scratch.extend((0..left).map(change));
            let (all, left) = scratch.split_at_mut(n);
            reduction.expand(left, false, all);
            axpy(1.0, all, &mut out.qdd[start..start + n]);
            for &(dof, at) in &node.torque_rows {
                out.torque_multipliers[start + dof] += change(at);
            }
            for &(dof, at) in &node.bound_rows {
                out.bound_multipliers[start + dof] += change(at);
            }
            for &(r, at) in node.row_at.iter().filter(|(r, _)| qp.rows[*r].parts[0].0 == b) {
                out.row_multipliers[r] += change(at);
            }
        }
        for &k in &scope.patches {
            let (patch, basis) = (&qp.patches[k], &bases[k]);
            let node = &nodes[front_of[patch.sides[0].block]];
            let [w, y, f] = node.patch_at[k];
            let change = |at: usize| residual[node.unknowns[at]];
            let (cone, wrench) = (l.cone_starts[k], &mut out.wrenches[6 * k..6 * k + 6]);
            let active = states[2 * l.n_qdd + cone..][..patch.force.len()].iter().enumerate();
            if basis.is_wrench {
                wrench.iter_mut().enumerate().for_each(|(i, x)| *x += change(w + i));
            } else {
                let free = active.clone().filter(|(_, state)| **state == 0);
                for (u, (idx, _)) in free.enumerate() {
                    out.coefficients[cone + idx] += change(w + u);
                    axpy(change(w + u), &basis.columns[u], wrench);
                }
            }
            if y != NOWHERE {
                (0..6).for_each(|axis| out.contact_multipliers[6 * k + axis] += change(y + axis));
            }
            if patch.has_faces() {
                for (offset, (idx, _)) in active.filter(|(_, state)| **state != 0).enumerate() {
                    out.cone_multipliers[cone + idx] += change(f + offset);
                }
            }
        }
    }

    /// Whether the no-slip rows of one block alone hold to the last digits, those that depend on others included.
    fn holds_contacts(&self, qp: &BlockQp) -> bool {
        let l = &self.layout;
        let mut missing = 0.0;
        for patch in l.scopes[0].patches.iter().map(|k| &qp.patches[*k]).filter(|patch| is_private(patch)) {
            let side = &patch.sides[0];
            let start = l.starts[side.block];
            let mut misses = patch.target.map(|x| -x);
            let qdd = &self.solution.qdd[start..start + qp.blocks[side.block].n];
            add_products(&side.jacobian, qdd, &mut misses);
            missing += dot(&misses, &misses);
        }
        libm::sqrt(missing) <= CLOSE
    }

    /// Torques, coefficients and multipliers of generators, which follow from the rest.
    fn conclude(&mut self, qp: &BlockQp) {
        let BlockSolver { follow, solution: out, layout: l, bases, states, .. } = self;
        let BlockSolution { qdd, wrenches, torques, .. } = out;
        let wrench = |k: usize| std::array::from_fn(|axis| wrenches[6 * k + axis]);
        for b in 0..qp.blocks.len() {
            write_torques(qp, l, b, true, (qdd, wrench), torques);
        }
        for (k, patch) in qp.patches.iter().enumerate() {
            let PatchForce::Generators { columns, weight } = &patch.force else { continue };
            let start = l.cone_starts[k];
            let states = &states[2 * l.n_qdd + start..][..columns.len()];
            let coefficients = &mut out.coefficients[start..start + columns.len()];
            let multipliers = &mut out.cone_multipliers[start..start + columns.len()];
            let pull = match out.wrenches[6 * k..].first_chunk::<6>() {
                Some(wrench) if bases[k].is_wrench => bases[k].share(wrench),
                _ => None,
            };
            for (idx, column) in columns.iter().enumerate() {
                (coefficients[idx], multipliers[idx]) = match (pull, states[idx]) {
                    (Some(pull), 0) => (dot_six(column, &pull), 0.0),
                    (Some(pull), _) => (0.0, weight * dot_six(column, &pull)),
                    (None, 0) => (coefficients[idx], 0.0),
                    (None, _) => (0.0, -dot(column, &follow.asked[6 * k..6 * k + 6])),
                };
            }
        }
    }
}

/// How many of the rows go together: six if those of a floating base come first, whose degrees of freedom and places
/// follow each other; else none.
#[inline(always)]
fn n_base(rows: &[(usize, usize)]) -> usize {
    match rows.first_chunk::<6>() {
        Some(base) if base[5] == (base[0].0 + 5, base[0].1 + 5) => 6,
        _ => 0,
    }
}

/// The torques that accelerations need at the degrees of freedom whose equations of motion are rows, into `torques`; and
/// what the multipliers of those rows add to the slopes.
#[inline(always)]
fn add_motion(
    mass: &[f64],
    rows: &[(usize, usize)],
    (qdd, multipliers): (&[f64], &[f64]),
    slope: &mut [f64],
    torques: &mut Vec<f64>,
) {
    let n = qdd.len();
    torques.clear();
    torques.resize(rows.len(), 0.0);
    let (base, others) = rows.split_at(n_base(rows));
    let (base_torques, torques) = torques.split_at_mut(base.len());
    if let Some((first, _)) = base.first() {
        let rows = &mass[first * n..(first + 6) * n];
        add_products(rows, qdd, base_torques);
        add_rows(rows, &multipliers[*first..first + 6], slope);
    }
    for ((dof, _), torque) in others.iter().zip(torques) {
        let row = &mass[dof * n..(dof + 1) * n];
        *torque = dot(row, qdd);
        axpy(multipliers[*dof], row, slope);
    }
}

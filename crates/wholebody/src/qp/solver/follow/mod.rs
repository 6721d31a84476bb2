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

mod equations;
mod trail;

use super::super::blocks::BlockQp;
use super::refine::EXACT;
use super::{BlockSolver, Wrong};
use trail::Trail;

/// Rounds that may be needed to follow: more would cost what a new factor does.
const MOST_ROUNDS: usize = 5;
/// A factor costs about as much as so many rounds: it is old once that many were needed in addition to those that the
/// problem right behind it needed.
const WORTH: usize = 4;
/// From this round on a factor is worth being unwound ([`super::node::Node::unwind`]): that costs what it saves in as
/// many.
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

impl Follow {
    /// The nodes hold a new factor, or none that can be used.
    pub(super) fn renew(&mut self, is_sound: bool) {
        (self.has_factor, self.is_old, self.uses) = (is_sound, false, 0);
        (self.least, self.wasted) = (usize::MAX, 0);
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

    /// The guess, and the costs of the wrenches as they are now; false if these have other unknowns than the factor, or
    /// if the problem is plainly not convex any more.
    fn begin_following(&mut self, qp: &BlockQp) -> bool {
        let mut diagonals = qp.blocks.iter().flat_map(|block| block.hessian.iter().step_by(block.n + 1));
        if diagonals.any(|x| *x < 0.0) {
            return false;
        }
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
            // Not without a round: what costs next to nothing may be far off and its equation still nearly hold.
            let is_close = round > 0 && missing <= CLOSE && self.holds_contacts(qp);
            let left = &mut self.follow.left;
            if round == 0 {
                first = missing;
            } else if first > CLOSE {
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
}

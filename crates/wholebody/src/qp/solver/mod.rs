//! The fast solver for [`BlockQp`]: a guessed active set, factored block by block.
//!
//! For a guess of which limits are active the optimum is one symmetric linear system. It is eliminated
//! subsystem by subsystem: each has a dense front of its accelerations, of the wrenches and rows that
//! concern it alone, and, uneliminated, of those it shares with others; what is shared is eliminated as
//! soon as the last of its subsystems is done. A chain of characters so costs the sum of its links,
//! independent groups never meet, and a hub (a litter carried by all) comes last.
//!
//! Then every limit is looked at: those violated enter the guess, those that pull the wrong way leave it.
//! Reference: \[Judice1994\], block principal pivoting: all change at once as long as many are wrong and that
//! makes them fewer. The last few change one at a time beside the factored system ([`dual`]), which ends for
//! sure, dependent rows or not. What has no solution is left to [`super::dense`] to prove.
//!
//! The next problem of a sequence is first tried with the factor of an earlier one ([`follow`]).
//!
//! Without a guess, and where many limits change though each change is dear, the active set is looked for
//! among the wrenches alone ([`scout`]).
//!
//! The no-slip rows of a patch that touches one subsystem alone are solved beforehand for as many of its
//! accelerations ([`reduce`]), so a standing leg is not among the unknowns.
//!
//! A patch given by generators needs six unknowns, not sixteen: with `F` the generators not at zero,
//! `½ weight |c|²` over all `c` with `G_F c = w` is `½ weight wᵀ (G_F G_Fᵀ)⁻¹ w`. Where the free generators
//! do not span all wrenches, their coefficients are the unknowns.

mod basis;
mod border;
mod carry;
mod dual;
mod fallback;
mod follow;
mod fronts;
mod layout;
mod node;
mod read;
mod reduce;
mod refine;
mod scout;

use super::Status;
use super::blocks::{BlockQp, BlockSolution, Limit};
use super::dense::DenseSolver;
pub use basis::MAX_GENERATORS;

use basis::Basis;
use border::Borders;
use carry::Before;
use follow::{Follow, Followed};
use layout::Layout;
use node::{Group, Node};
use read::Meaning;
use reduce::Reduction;
use scout::Scout;

/// A limit is violated beyond this, relative to its size.
const VIOLATED: f64 = 1e-9;
/// A multiplier pulls the wrong way beyond this.
const WRONG: f64 = 1e-9;
/// More wrong limits than this are looked into among the wrenches alone.
const MANY: usize = 8;
/// Wrong limits that are put right one at a time rather than all at once.
const FEW: usize = 4;
/// Rounds in which all wrong limits may change without getting fewer: from no active set at all; and from one that
/// is nearly right, or where cones have faces, of which no more than two a patch change in a round.
const PATIENCE: usize = 6;
const PATIENCE_WHEN_NEAR: usize = 2;
/// Limits that may be wrong in addition to half as many again as before, without taking changes back.
const OVERSHOOT: usize = 4;
/// Factorisations from one active set to begin with.
const MAX_ROUNDS: usize = 30;

/// The solver with its memory: the active set is kept from one problem to the next of the same shape.
#[derive(Clone, Debug, Default)]
pub struct BlockSolver {
    /// Point and multipliers of the last solve.
    pub solution: BlockSolution,
    /// Factorisations of the last solve, of the group of blocks that needed most; none where an earlier factor was enough.
    pub rounds: usize,
    /// Limits that changed one at a time in the last solve.
    pub changes: usize,
    /// Whether the last solve was finished by the dense solver.
    pub fell_back: bool,
    /// Rows of a contradiction found in the last solve.
    pub conflict: Vec<Limit>,
    /// -1 at the lower limit, 1 at the upper, 0 free: accelerations, torques, cones, rows.
    states: Vec<i8>,
    /// The patches that the cones of `states` belong to.
    patches_before: Vec<Before>,
    /// Memory for the next `states`.
    carried: Vec<i8>,
    layout: Layout,
    /// Which scope of the layout is being solved.
    scope: usize,
    /// What each block's own contacts leave of it.
    reductions: Vec<Reduction>,
    bases: Vec<Basis>,
    groups: Vec<Group>,
    group_values: Vec<f64>,
    nodes: Vec<Node>,
    n_nodes: usize,
    /// The node of each block.
    front_of: Vec<usize>,
    /// The states that the factored system was made for.
    base: Vec<i8>,
    borders: Borders,
    /// Whether the unknowns of the factored system are numbered for borders.
    is_numbered: bool,
    /// Rows of the last solution that do not hold to the last digits, and what they lack.
    misses: Vec<(Limit, f64)>,
    direction: BlockSolution,
    /// Scratch: derivative of a block's cost with respect to its accelerations.
    slope: Vec<f64>,
    /// Whether the limit that enters is violated at its upper (1) or lower (-1) end.
    entering_side: i8,
    wrong: Vec<Wrong>,
    /// What the last round changed, with the states before.
    changed: Vec<(usize, i8)>,
    /// Whether there is no problem before this one to guess from.
    is_fresh: bool,
    /// Whether the active set was looked for among the wrenches alone; and memory of that search.
    is_scouted: bool,
    scout: Scout,
    /// Memory of the problems before, for the next one.
    follow: Follow,
    dense: DenseSolver,
}

/// Empties a list and makes room for all that is to come: in a new solver, growing would cost as much as the work.
fn clear_for<T>(list: &mut Vec<T>, most: usize) {
    list.clear();
    list.reserve(most);
}

/// Whether a patch has more generators than there is room for.
fn has_too_many_generators(qp: &BlockQp) -> bool {
    qp.patches.iter().any(|patch| patch.force.len() > MAX_GENERATORS && !patch.has_faces())
}

/// A state that must change.
#[derive(Clone, Copy, Debug)]
struct Wrong {
    state: usize,
    value: i8,
    /// How far its limit is violated, relative to its size; or its multiplier.
    by: f64,
}

impl BlockSolver {
    /// Forgets the problems before, their active set and factor.
    pub fn reset(&mut self) {
        self.states.clear();
        self.follow = Follow::default();
    }

    /// Solves the problem, starting from the active set of the last one as far as its limits are still there.
    ///
    /// The last digits depend on the problems before. Where the factor of an earlier one is used, it is not proven anew
    /// that the problem is convex.
    pub fn solve(&mut self, qp: &BlockQp) -> Status {
        (self.rounds, self.changes) = (0, 0);
        self.fell_back = false;
        self.conflict.clear();
        let is_known = self.follow.recognises(qp);
        if !is_known {
            self.layout.update(qp);
        }
        self.carry_over(qp);
        if has_too_many_generators(qp) || !qp.has_limits() {
            return self.fall_back(qp);
        }
        self.drop_missing_limits(qp);
        self.layout.resize(qp, &mut self.solution);
        let followed = if is_known { self.follow(qp) } else { Followed::Lost };
        match followed {
            Followed::Solved => {
                self.learn();
                return Status::Solved;
            }
            Followed::Wrong => self.change_all_wrong(),
            Followed::Lost => {}
        }
        self.reductions.resize_with(qp.blocks.len(), Reduction::default);
        for (b, reduction) in self.reductions.iter_mut().enumerate() {
            reduction.update(qp, b, &self.layout.patches_of[b]);
        }
        let mut most = 0;
        for scope in 0..self.layout.n_scopes {
            (self.scope, self.rounds) = (scope, 0);
            if !self.solve_scope(qp) {
                return self.fall_back(qp);
            }
            most = most.max(self.rounds);
        }
        self.rounds = most;
        self.learn();
        Status::Solved
    }

    /// Solves what is connected, as if there were nothing else; false if it does not end.
    fn solve_scope(&mut self, qp: &BlockQp) -> bool {
        self.is_scouted = false;
        if self.settle(qp, FEW) {
            return true;
        }
        self.is_scouted = true;
        // An old active set can lead astray, and so can changes of many limits: the second time from none, one by one.
        self.rounds = 0;
        let (states, scope) = (&mut self.states, &self.layout.scopes[self.scope]);
        self.layout.each_range(qp, scope, |range| states[range].fill(0));
        self.settle(qp, usize::MAX)
    }

    /// Changes the guess until nothing is wrong, one limit at a time once no more than `few` are; false if it does not end.
    fn settle(&mut self, qp: &BlockQp, few: usize) -> bool {
        self.changed.clear();
        let scope = &self.layout.scopes[self.scope];
        let has_faces = scope.patches.iter().any(|k| qp.patches[*k].has_faces());
        let states = &self.states;
        let mut is_blank = true;
        self.layout.each_range(qp, scope, |range| is_blank &= states[range].iter().all(|state| *state == 0));
        let is_near = has_faces || !is_blank;
        // Without a guess the wrenches come first; later only if many limits change, sooner where that is dear (one by
        // one) and where wrenches are few against all the rest.
        let many = if has_faces || scope.patches.len() <= FEW { MANY } else { 2 * MANY };
        if self.is_fresh && !self.is_scouted {
            self.wrong.clear();
            if self.scout(qp) {
                return true;
            }
        }
        let (mut best, mut patience) = (usize::MAX, if is_near { PATIENCE_WHEN_NEAR } else { PATIENCE });
        while self.rounds < MAX_ROUNDS {
            if !self.solve_guess(qp) {
                // Too many changes at once can make the rows dependent.
                if !self.take_half_back() {
                    return false;
                }
                continue;
            }
            self.review(qp);
            let wrong = self.wrong.len();
            if wrong == 0 && self.accept(qp) {
                return true;
            }
            if wrong > many && !self.is_scouted {
                if self.scout(qp) {
                    return true;
                }
                // It used the same memory.
                continue;
            }
            // Many more wrong than before: the changes were too many.
            if best < usize::MAX && wrong > best + best / 2 + OVERSHOOT && self.take_half_back() {
                continue;
            }
            if wrong < best {
                best = wrong;
            } else {
                patience = patience.saturating_sub(1);
            }
            if wrong <= few || patience == 0 {
                return self.settle_singly(qp);
            }
            // Those that pull the wrong way first, then the most violated.
            self.wrong.sort_unstable_by(|a, b| {
                (a.value != 0).cmp(&(b.value != 0)).then(b.by.total_cmp(&a.by)).then(a.state.cmp(&b.state))
            });
            self.changed.clear();
            for wrong in self.wrong.drain(..) {
                self.changed.push((wrong.state, self.states[wrong.state]));
                self.states[wrong.state] = wrong.value;
            }
        }
        false
    }

    /// Undoes the less urgent half of the last changes; false if there is nothing to halve.
    fn take_half_back(&mut self) -> bool {
        if self.changed.len() < 2 {
            return false;
        }
        for (state, before) in self.changed.drain(self.changed.len().div_ceil(2)..) {
            self.states[state] = before;
        }
        true
    }

    /// An active limit that is no longer there cannot stay active.
    fn drop_missing_limits(&mut self, qp: &BlockQp) {
        let l = &self.layout;
        let keep = |state: &mut i8, limits: [f64; 2]| {
            if *state == 0 {
                return;
            }
            let limit = if *state > 0 { limits[1] } else { limits[0] };
            if !limit.is_finite() {
                *state = 0;
            }
        };
        for (b, block) in qp.blocks.iter().enumerate() {
            for dof in 0..block.n {
                keep(&mut self.states[l.starts[b] + dof], block.bounds[dof]);
                let torque = &mut self.states[l.n_qdd + l.starts[b] + dof];
                keep(torque, block.torque[dof]);
                if block.torque[dof][0] == block.torque[dof][1] {
                    *torque = 0;
                }
            }
        }
        let first = 2 * l.n_qdd + l.n_cone;
        for (state, row) in self.states[first..].iter_mut().zip(&qp.rows) {
            keep(state, row.limits);
        }
    }

    /// Optimum for the guessed active set, into the solution; false if the system is singular.
    fn solve_guess(&mut self, qp: &BlockQp) -> bool {
        self.rounds += 1;
        self.follow.has_factor = false;
        self.base.resize(self.states.len(), 0);
        let (base, states) = (&mut self.base, &self.states);
        let scope = &self.layout.scopes[self.scope];
        self.layout.each_range(qp, scope, |range| base[range.clone()].copy_from_slice(&states[range]));
        self.borders.clear();
        self.is_numbered = false;
        self.front_of.resize(qp.blocks.len(), 0);
        let cones = &self.states[2 * self.layout.n_qdd..];
        self.bases.resize_with(qp.patches.len(), Basis::default);
        for &k in &self.layout.scopes[self.scope].patches {
            self.bases[k].choose(&qp.patches[k], &cones[self.layout.cone_starts[k]..]);
        }
        self.list_groups(qp);
        self.n_nodes = 0;
        for idx in 0..self.layout.scopes[self.scope].blocks.len() {
            let b = self.layout.scopes[self.scope].blocks[idx];
            let node = self.next_node();
            if !self.build_front(qp, b, node) || !self.build_stage(self.layout.place[b]) {
                return false;
            }
        }
        self.substitute_back();
        self.read(qp, Meaning::Point);
        let is_sound = self.nodes[..self.n_nodes].iter().all(|node| node.x.iter().all(|x| x.is_finite()));
        self.follow.renew(is_sound);
        is_sound
    }

    fn next_node(&mut self) -> usize {
        if self.nodes.len() == self.n_nodes {
            self.nodes.push(Node::default());
        }
        self.n_nodes += 1;
        self.n_nodes - 1
    }

    fn substitute_back(&mut self) {
        for idx in (0..self.n_nodes).rev() {
            let node = &mut self.nodes[idx];
            node.x.clear();
            node.x.resize(node.n, 0.0);
            let Node { links, x, .. } = node;
            for &(g, at) in links.iter() {
                let group = self.groups[g];
                x[at..at + group.size]
                    .copy_from_slice(&self.group_values[group.start..group.start + group.size]);
            }
            node.back();
            for &(g, at) in &node.own {
                let group = self.groups[g];
                self.group_values[group.start..group.start + group.size]
                    .copy_from_slice(&node.x[at..at + group.size]);
            }
        }
    }
}

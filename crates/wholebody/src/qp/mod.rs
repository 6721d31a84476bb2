//! Quadratic programs: what they are, how good a solution is, and two solvers.
//!
//! [`blocks`] is the fast one: it knows that a scene is made of subsystems that meet only in contacts and
//! shared tasks, factors each subsystem on its own, and moves a whole guess of the active set at a time.
//! [`dense`] knows nothing, is slow and sure: a dual active-set method that copes with dependent rows and
//! proves infeasibility. The first hands over to the second when it cannot settle.

pub mod blocks;
pub mod dense;
pub mod dump;
pub mod file;
pub mod kernels;
mod kkt;
pub mod recognise;
mod solver;

pub use blocks::{BlockQp, BlockSolution};
pub use dense::{DenseQp, DenseSolver};
pub use kkt::{Multipliers, Residuals};
pub use solver::{BlockSolver, MAX_GENERATORS};

/// How a solve ended. None of these is an error: finding that there is no solution is finding out.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// The optimum was found.
    Solved,
    /// No point satisfies all rows; these rows contradict each other.
    Infeasible {
        /// The rows of one contradiction, see [`RowId`].
        conflict: Vec<RowId>,
    },
    /// The objective falls without end.
    Unbounded,
    /// It stopped at its limit of iterations; the point is the best it had.
    Stalled,
    /// A number in the problem is not finite, or the objective is not convex.
    Invalid,
}

/// A row of a quadratic program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowId {
    /// A row of `A x = b`.
    Equality(usize),
    /// A row of `lower <= C x <= upper`.
    Inequality(usize),
    /// The bounds of a variable.
    Bound(usize),
}

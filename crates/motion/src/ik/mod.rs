//! Inverse kinematics: poses that bring hands and feet where they should be.
//!
//! [`two_bone`] is exact and fast and made for one arm or leg; [`dls`] is iterative and takes any number of
//! goals on any skeleton.

pub mod dls;
pub mod two_bone;

pub use dls::{Goal, Limit, Outcome, Settings, Solver, Status};
pub use two_bone::{Limb, LimbGoal, LimbSolution, Reach};

//! Whole bodies: characters, objects and parts of the environment in one quadratic program.
//!
//! Reference: \[Vaillant2017\], section 3 and appendix B. The equations of motion of all subsystems, their
//! contacts and their tasks are one optimisation per time step, and its accelerations are integrated
//! directly. This crate holds the multibody [`model`]s and their [`dynamics`], the solver for the
//! quadratic programs ([`qp`]), the assembly of a scene into one ([`scene`]), the [`phase`]s of a motion and
//! the [`scenario`]s of the source's section 4 with their [`objects`]. Beyond the source, [`balance`] looks ahead
//! for those who walk, and [`tracking`] performs captured motion.
//!
//! It knows no files and no clocks. All of it computes in `f64` and allocates nothing in a
//! step once it has run at its size. Start reading at [`model`], then [`dynamics`].

#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "`!(x < limit)` refuses NaN as well")]
#![allow(clippy::needless_range_loop, reason = "rows and columns of matrices are indices in the source")]

pub mod model;
pub mod spatial;

pub mod humanoid;
pub mod urdf;

pub mod dynamics;

pub mod qp;

pub mod scene;

pub mod balance;
pub mod objects;
pub mod phase;
pub mod scenario;
pub mod tracking;

pub mod appendix_b;
pub mod report;

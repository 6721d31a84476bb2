//! Help for Randori's own tests: data beside the repository, toy clips, broken files.

pub mod glb;
pub mod mutate;
pub mod shared;
pub mod takes;
pub mod toys;

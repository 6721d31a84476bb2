//! Randori turns the motion of one captured person into scenes of many people.
//!
//! This crate is the front door: the libraries under one name for programs, and the `randori` command for
//! people. It holds no algorithm.
//!
//! ```
//! use randori::motion::{Build, FrameRate, Clip};
//! use std::sync::Arc;
//! let skeleton = Arc::new(Build::AVERAGE.skeleton());
//! let clip = Clip::from_poses("rest", skeleton.clone(), FrameRate::HOUSE, [skeleton.rest_pose()]).unwrap();
//! assert_eq!(clip.n_frames(), 1);
//! ```

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

pub mod graphs;
pub mod libraries;
pub mod patch_scenes;
pub mod patch_sets;
pub mod patch_takes;
pub mod patterns;
pub mod rivals;

pub use randori_actor as actor;
pub use randori_arena as arena;
pub use randori_equilibrium as equilibrium;
pub use randori_gametree as gametree;
pub use randori_interaction_graph as interaction_graph;
pub use randori_motion as motion;
pub use randori_patches as patches;
pub use randori_scene as scene;
pub use randori_studio as studio;
pub use randori_tactics as tactics;
pub use randori_wholebody as wholebody;

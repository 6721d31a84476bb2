//! The performer: a procedural actor that moves as a captured person would.
//!
//! A performance is a plan first: who does what, when and where. The plan becomes layers of smooth curves: [`Path`] is the
//! way over the floor, [`Bounce`] the rise and fall of the body with its hops, [`Footwork`] where the feet stand, [`Strokes`]
//! what trunk and head do, channel by channel, [`Punch`] and [`Kick`] what a hand or a foot does on its own; breath
//! and sway come on top. For every moment [`Performer`] turns them into a [`Posture`], and [`Figure`] poses the body by inverse
//! kinematics. What leaves is an ordinary clip at 60 poses per second.
//!
//! Each layer is a function of time alone, so that any moment can be asked for in any order. [`mod@boxing`] is the first
//! discipline on it: start reading there.
//!
//! It knows nothing of the analyser that its clips go through.

mod bounce;
pub mod boxing;
mod carry;
mod clearance;
mod crowd;
pub mod curve;
mod falling;
mod fighter;
mod figure;
mod fling;
mod football;
mod footwork;
mod grip;
mod limb;
mod path;
mod performance;
mod performer;
mod reactions;
mod running;
mod sparring;
mod stroke;
pub mod sword;
mod timeline;

pub use bounce::{Bounce, Hop};
pub use boxing::boxing;
pub use carry::{carrying, exchanges};
pub use crowd::crowd;
pub use figure::{Figure, FootGoal, HandGoal, Posture};
pub use football::football;
pub use footwork::{FootAt, Footwork, Plant};
pub use limb::{Aim, Kick, Punch};
pub use path::Path;
pub use performance::{Beat, Casting, Performance, Temperament};
pub use performer::{Performer, Stance};
pub use reactions::{reactions, sword_reactions};
pub use running::{running, tag_agent, tag_opponent};
pub use sparring::sparring;
pub use stroke::{Channel, Stroke, Strokes, Sums};
pub use sword::{sword, sword_duel};
pub use timeline::{Span, Timeline};

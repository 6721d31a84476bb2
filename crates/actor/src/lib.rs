//! The performer: a procedural actor that moves as a captured person would.
//!
//! A performance is made in layers. [`Strokes`] say what the body is asked to do over time, channel by
//! channel; [`Footwork`] says where the feet are; secondary layers add breath, bounce and sway. For every
//! moment [`Performer`] turns that into a [`Posture`], and [`Figure`] poses the body: it turns the trunk and
//! reaches for the targets of hands and feet by inverse kinematics. What leaves is an ordinary clip at 60 poses per second.
//!
//! It knows nothing of the analyser that its clips go through.

mod bounce;
pub mod boxing;
mod clearance;
pub mod curve;
mod figure;
mod footwork;
mod limb;
mod path;
mod performance;
mod performer;
mod running;
mod sparring;
mod stroke;
mod timeline;

pub use bounce::{Bounce, Hop};
pub use boxing::boxing;
pub use figure::{Figure, FootGoal, HandGoal, Posture};
pub use footwork::{FootAt, Footwork, Plant};
pub use limb::{Aim, Kick, Punch};
pub use path::Path;
pub use performance::{Beat, Casting, Performance, Temperament};
pub use performer::{Performer, Stance};
pub use running::running;
pub use sparring::sparring;
pub use stroke::{Channel, Stroke, Strokes, Sums};
pub use timeline::{Span, Timeline};

//! Motion of people: the ground everything in Randori stands on.
//!
//! It holds the shape of a person ([`Skeleton`], [`Body`]), what the person does ([`Pose`], [`Clip`]),
//! the result of any planner ([`Take`]), and the readers that turn captured files into clips
//! ([`formats`]). It knows nothing of games, planners or physics; it opens no files, reads no clock
//! and prints nothing.
//!
//! House rules: metres, seconds, radians, kilograms; +Y up, right-handed, floor at y = 0; a rest pose
//! faces +Z with its own left towards +X; quaternions are `x y z w`, unit, sign-continuous along a clip.
//!
//! Start reading at [`skeleton`], then [`pose`] and [`clip`].

pub mod bone;
pub mod math;
pub mod rate;
pub mod sealed;
pub mod skeleton;

pub mod clip;
pub mod placement;
pub mod pose;

pub mod analyse;
pub mod annotation;
pub mod body;
pub mod names;
pub mod retarget;
pub mod take;

pub mod blend;
pub mod contacts;
pub mod ik;
pub mod inertialize;
pub mod mirror;
pub mod tracks;

pub mod library;
pub mod parametric;

pub mod formats;

pub use annotation::{Annotation, Kind};
pub use body::{Body, Build, Capsule, Weapon};
pub use bone::{Bone, Side};
pub use clip::Clip;
pub use library::{Action, ActionId, ActionLibrary};
pub use placement::{Ground, Placement};
pub use pose::{GlobalPose, Pose, PoseView};
pub use rate::FrameRate;
pub use skeleton::{Joint, JointId, Skeleton, SkeletonError};
pub use take::{Character, CharacterId, Event, EventKind, Prop, Take};

//! Sword work alone: cuts and blocks on five lines, feints, lunges and steps, and long takes in which one does all of it.
//!
//! The sword is held in the right hand, the right foot ahead. [`Swordsman`] is told what to do; what its hand does is a
//! track of moments that it goes through, laid over a [`Fighter`](crate::boxing::Boxer)'s trunk and feet.

mod duel;
mod moves;
mod routine;
mod swordsman;
mod track;

pub use duel::sword_duel;
pub use moves::Line;
pub(crate) use routine::Manner;
pub use swordsman::{Guard, Swordsman};
pub(crate) use swordsman::{hold, in_guard};
pub(crate) use track::Track;

use glam::Vec3;
use randori_motion::{Bone, Weapon};

use crate::performance::{Casting, Performance};

/// The sword: a blade of 0.9 m that points from the fist, between thumb and fingers.
pub const BLADE: Weapon = Weapon {
    bone: Bone::RightHand,
    ends: [Vec3::new(-0.107, -0.013, 0.036), Vec3::new(-0.784, -0.013, 0.630)],
    radius: 0.025,
};

/// Longest take (s).
const TAKE: f32 = 60.0;

/// Takes of sword work that last so long together, each made from the seed and its own number alone. The bodies hold
/// [`BLADE`].
///
/// ```
/// use randori_actor::{Casting, Temperament, sword};
/// use randori_motion::Build;
/// let casting = Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds: 8.0 };
/// let takes = sword(&casting);
/// assert_eq!((takes.len(), takes[0].clip.n_frames()), (1, 481));
/// assert_eq!(takes[0].body.weapon, Some(randori_actor::sword::BLADE));
/// ```
pub fn sword(casting: &Casting) -> Vec<Performance> {
    let seconds = if casting.seconds.is_finite() { casting.seconds.clamp(0.0, 36_000.0) } else { 0.0 };
    let n_takes = libm::ceilf(seconds / TAKE).max(1.0) as usize;
    (0..n_takes).map(|take| routine::perform(casting, take, seconds / n_takes as f32)).collect()
}

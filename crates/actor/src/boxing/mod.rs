//! Shadow boxing with kicks: what a boxer can do, and long takes in which one does all of it.

mod hands;
mod legs;
mod routine;

pub use crate::fighter::{Fighter as Boxer, Height, Shuffle};
pub use hands::Fist;
pub(crate) use hands::foot_channels;
pub use legs::Leg;
pub(crate) use routine::Manner;

use crate::performance::{Casting, Performance};

/// Longest take (s).
const TAKE: f32 = 60.0;

/// Takes of shadow boxing that last so long together, each made from the seed and its own number alone.
///
/// ```
/// use randori_actor::{Casting, Temperament, boxing};
/// use randori_motion::Build;
/// let casting = Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds: 4.0 };
/// let takes = boxing(&casting);
/// assert_eq!(takes.len(), 1);
/// assert_eq!(takes[0].clip.n_frames(), 241);
/// ```
pub fn boxing(casting: &Casting) -> Vec<Performance> {
    let seconds = if casting.seconds.is_finite() { casting.seconds.clamp(0.0, 36_000.0) } else { 0.0 };
    let n_takes = libm::ceilf(seconds / TAKE).max(1.0) as usize;
    (0..n_takes).map(|take| routine::perform(casting, take, seconds / n_takes as f32)).collect()
}

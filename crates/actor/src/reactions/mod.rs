//! Being struck: hits that are taken standing, staggers, knock-downs and getting up again.

pub(crate) mod falls;
mod hits;
pub(crate) mod keys;
mod session;
pub(crate) mod tumble;

use crate::performance::{Casting, Performance};
use session::Victim;

/// Longest take (s).
const TAKE: f32 = 26.0;

/// Takes that last so long together, in which a boxer in guard is struck again and again by somebody who is not
/// there: on head and torso, lightly and heavily, from all sides, until now and then the legs give.
///
/// They begin and end in the guard of [`boxing`](crate::boxing()).
///
/// ```
/// use randori_actor::{Casting, Temperament, reactions};
/// use randori_motion::Build;
/// let casting = Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds: 12.0 };
/// let takes = reactions(&casting);
/// assert_eq!(takes.len(), 1);
/// assert!(takes[0].script.iter().any(|beat| beat.annotation.name().starts_with("hit-")));
/// ```
pub fn reactions(casting: &Casting) -> Vec<Performance> {
    takes(casting, Victim::Boxer)
}

/// The same suffered by somebody who stands as in [`sword`](crate::sword()), sword in hand.
pub fn sword_reactions(casting: &Casting) -> Vec<Performance> {
    takes(casting, Victim::Swordsman)
}

fn takes(casting: &Casting, victim: Victim) -> Vec<Performance> {
    let seconds = if casting.seconds.is_finite() { casting.seconds.clamp(0.0, 36_000.0) } else { 0.0 };
    let n_takes = libm::ceilf(seconds / TAKE).max(1.0) as usize;
    session::perform(casting, victim, n_takes, seconds / n_takes as f32)
}

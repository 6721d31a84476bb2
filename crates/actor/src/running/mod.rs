//! Running around, as in a game of tag.
//!
//! [`choreography`] decides what is done, step by step, with the paces and turns of a [`player`]; [`plan`] turns that into footfalls and the way of the
//! body, by the rhythm and manner that [`gait`] gives for a speed; [`feet`] carries the feet from strike
//! to strike; [`runner`] puts the body over them; [`act`] lays falls over all of it and makes the take;
//! [`draft`] is one in the making. [`mod@tag`] has single steps performed in all the ways that a parametric motion graph
//! blends between.

pub(crate) mod act;
mod choreography;
mod curve;
pub(crate) mod draft;
mod feet;
pub(crate) mod gait;
pub(crate) mod plan;
pub(crate) mod player;
pub(crate) mod runner;
mod tag;

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::Side;

use crate::figure::Figure;
use crate::performance::{Beat, Casting, Performance};
use act::Act;
use plan::Order;
use player::Who;
use runner::Mishaps;
pub use tag::{tag_agent, tag_opponent};

/// How long one take is, about (s).
const TAKE: f32 = 50.0;
/// Nobody asks for more than this (s): an hour.
const LONGEST: f32 = 3600.0;

/// Somebody runs around: walks, jogs, runs, turns, dodges, stops, starts and reaches out to tag, in takes that
/// together last as long as the casting asks.
///
/// ```
/// use randori_actor::{Casting, Temperament, running};
/// use randori_motion::Build;
/// let casting = Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds: 8.0 };
/// let takes = running(&casting);
/// assert_eq!(takes.len(), 1);
/// assert!(takes[0].script.iter().any(|beat| beat.annotation.name() == "start"));
/// ```
pub fn running(casting: &Casting) -> Vec<Performance> {
    let seconds = if casting.seconds.is_finite() { casting.seconds.clamp(0.0, LONGEST) } else { 0.0 };
    let n_takes = (libm::roundf(seconds / TAKE) as u64).max(1);
    let figure = Figure::new(Arc::new(casting.build.body()));
    (0..n_takes).map(|take| perform(&figure, casting, take, seconds / n_takes as f32)).collect()
}

/// One take.
fn perform(figure: &Figure, casting: &Casting, take: u64, seconds: f32) -> Performance {
    let mut rng = ChaCha8Rng::seed_from_u64(casting.seed);
    rng.set_stream(take);
    let first = if rng.random_bool(0.5) { Side::Left } else { Side::Right };
    let who = Who { temperament: casting.temperament, stature: figure.stature(), take };
    let orders = choreography::tag(&mut rng, who, seconds, first);
    let script = beats(&orders, seconds);
    let act = Act { orders, first, mishaps: Mishaps::default(), falls: Vec::new(), script };
    act.perform(figure, &format!("running-{}", take + 1), seconds, rng.random())
}

/// What was meant, step by step; standing is one beat however often weight is shifted.
pub(crate) fn beats(orders: &[Order], seconds: f32) -> Vec<Beat> {
    let mut beats: Vec<Beat> = Vec::with_capacity(orders.len());
    let mut strike = 0.0;
    for order in orders {
        let Order { annotation, gait, .. } = order;
        if strike >= seconds {
            break;
        }
        let end = (strike + gait.period).min(seconds);
        match beats.last_mut() {
            Some(last) if last.annotation == *annotation && annotation.name() == "idle" => last.end = end,
            _ => {
                let peak = order.reach_peak(strike);
                beats.push(Beat { start: strike, peak, end, annotation: annotation.clone() });
            }
        }
        strike += gait.period;
    }
    beats
}

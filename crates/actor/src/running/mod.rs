//! Running around, as in a game of tag.
//!
//! [`choreography`] decides what is done, step by step; [`plan`] turns that into footfalls and the way of the
//! body, by the rhythm and manner that [`gait`] gives for a speed; [`feet`] carries the feet from strike
//! to strike; [`runner`] puts the body over them.

mod choreography;
mod curve;
mod feet;
mod gait;
mod plan;
mod runner;

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::{Clip, FrameRate, Side};

use crate::figure::Figure;
use crate::performance::{Beat, Casting, Performance};
use choreography::Who;
use plan::{Order, Plan, Proportions};
use runner::Runner;

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
    let proportions = Proportions { stature: figure.stature(), hip_height: figure.hip_height() };
    let plan = Plan::of(orders, first, &proportions);
    let runner = Runner::new(figure, &plan, rng.random());

    let rate = FrameRate::HOUSE;
    let n_frames = (seconds * rate.fps() as f32) as usize + 1;
    let poses = (0..n_frames).map(|frame| runner.pose(rate.time_of(frame) as f32));
    let name = format!("running-{}", take + 1);
    let clip = Clip::from_poses(&name, Arc::clone(&figure.body().skeleton), rate, poses);
    Performance {
        clip: clip.expect("plans, curves and their sums are finite"),
        body: Arc::clone(figure.body()),
        script: script(&plan, seconds),
        name,
    }
}

/// What was meant, step by step; standing is one beat however often weight is shifted.
fn script(plan: &Plan, seconds: f32) -> Vec<Beat> {
    let mut beats: Vec<Beat> = Vec::with_capacity(plan.steps.len());
    for step in plan.steps.iter().filter(|step| step.strike < seconds) {
        let Order { annotation, gait, reach, .. } = &step.order;
        let end = (step.strike + gait.period).min(seconds);
        match beats.last_mut() {
            Some(last) if last.annotation == *annotation && annotation.name() == "idle" => last.end = end,
            _ => {
                let peak = reach.map(|_| step.reach_peak());
                beats.push(Beat { start: step.strike, peak, end, annotation: annotation.clone() });
            }
        }
    }
    beats
}

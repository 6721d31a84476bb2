//! Carrying things about, alone and as one end of what two people carry.
//!
//! [`choreography`] decides what is done, drawn from a [`deck`], and has it walked by the plan of [`running`](mod@crate::running); [`manner`] says
//! how somebody stands, steps and bends with a load; [`grip`] is the time that a load spends in two hands; [`porter`]
//! puts the body over the steps and the hands on the load.
//!
//! **Where the load is.** Loads are not part of a clip, but follow from its hands. The palm of a hand is half way from
//! the joint of the wrist to the knuckles, 0.0243 of the stature along the hand. From the moment at which hands close
//! (the peak of `lift` and `receive`) to that at which they open (the peak of `put-down` and `hand-over`) the palms
//! keep their distance: it is the width of the load, the middle between them is its centre, and the line between them is
//! its own left and right. It is kept level, so that its front is at right angles to that line and to the vertical. What
//! two people carry lies between the middles of their two pairs of palms.

mod choreography;
mod deck;
mod grip;
mod manner;
mod porter;

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::{Clip, FrameRate, Side};

use crate::figure::Figure;
use crate::performance::{Casting, Performance};
use crate::running::plan::{Plan, Proportions};
use crate::running::runner::Mishaps;
use choreography::Routine;
use deck::Deck;
use porter::Porter;

/// How long one take is, about (s).
const TAKE: f32 = 120.0;
/// Nobody asks for more than this (s): an hour.
const LONGEST: f32 = 3600.0;

/// Somebody lifts, carries, hands over, receives and puts down loads, light and heavy, small and large, alone and with
/// somebody else at the other end, in takes that together last as long as the casting asks.
///
/// ```
/// use randori_actor::{Casting, Temperament, carrying};
/// use randori_motion::Build;
/// let casting = Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds: 20.0 };
/// let takes = carrying(&casting);
/// assert_eq!(takes.len(), 1);
/// assert!(takes[0].script.iter().any(|beat| beat.annotation.stem() == "lift"));
/// ```
pub fn carrying(casting: &Casting) -> Vec<Performance> {
    perform_all(casting, Work::Carrying)
}

/// Somebody to whom others bring loads and who passes them on, where they stand, turned to a side or some steps farther:
/// the middle of a row of people. As [`carrying`] otherwise, but hardly anything besides exchanges.
pub fn exchanges(casting: &Casting) -> Vec<Performance> {
    perform_all(casting, Work::Exchanges)
}

/// What a take is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Work {
    Carrying,
    Exchanges,
}

fn perform_all(casting: &Casting, work: Work) -> Vec<Performance> {
    let seconds = if casting.seconds.is_finite() { casting.seconds.clamp(0.0, LONGEST) } else { 0.0 };
    let n_takes = (libm::roundf(seconds / TAKE) as u64).max(1);
    let figure = Figure::new(Arc::new(casting.build.body()));
    let mut deck = Deck::default();
    let each = seconds / n_takes as f32;
    (0..n_takes).map(|take| perform(&figure, casting, (work, take), each, &mut deck)).collect()
}

/// One take.
fn perform(
    figure: &Figure,
    casting: &Casting,
    (work, take): (Work, u64),
    seconds: f32,
    deck: &mut Deck,
) -> Performance {
    let (purpose, title) = match work {
        Work::Carrying => (0x63_6172_7279, "carrying"),
        Work::Exchanges => (0x7061_7373, "exchanges"),
    };
    let mut rng = ChaCha8Rng::seed_from_u64(casting.seed ^ purpose);
    rng.set_stream(take);
    let first = if rng.random_bool(0.5) { Side::Left } else { Side::Right };
    let seed = rng.random();
    let (rng, temperament) = (&mut rng, casting.temperament);
    let Routine { orders, meanings, strokes, grips } = match work {
        Work::Carrying => choreography::play(rng, figure, temperament, seconds, first, deck),
        Work::Exchanges => choreography::pass_on(rng, figure, temperament, seconds, first, deck),
    };
    let proportions = Proportions { stature: figure.stature(), hip_height: figure.hip_height() };
    let plan = Plan::of(orders, first, &proportions);
    let script = choreography::script(&plan, &meanings, seconds);
    let mishaps = Mishaps::default();
    let porter = Porter::new(figure, (&plan, &mishaps), strokes, grips, seed);

    let rate = FrameRate::HOUSE;
    let n_frames = (seconds * rate.fps() as f32) as usize + 1;
    let poses = (0..n_frames).map(|frame| porter.pose(rate.time_of(frame) as f32));
    let name = format!("{title}-{}", take + 1);
    let clip = Clip::from_poses(&name, Arc::clone(&figure.body().skeleton), rate, poses);
    Performance {
        clip: clip.expect("plans, curves and their sums are finite"),
        body: Arc::clone(figure.body()),
        script,
        name,
    }
}

//! A fighter: somebody who performs, the side that is ahead, and the hops and steps in between.

use std::sync::Arc;

use glam::Vec3;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::{Annotation, Body, Clip, FrameRate, Ground, Placement, Side};

use crate::bounce::Hop;
use crate::footwork::Plant;
use crate::performance::Beat;
use crate::performer::{Performer, Stance, other, sign};
use crate::stroke::{Channel, Stroke};

/// Where a blow goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Height {
    Head,
    Body,
    Legs,
}

/// Somebody in a fighting stance who is told what to do, in order of time.
pub struct Fighter {
    pub(crate) performer: Performer,
    pub(crate) rng: ChaCha8Rng,
    /// The side that is ahead at the end of what was told so far.
    pub(crate) lead: Side,
    /// When the feet came down last (s).
    pub(crate) landed: f32,
    /// How fast blows are relative to the usual (-).
    pub(crate) pace: f32,
    /// When the left and the right hand are back from their last blow (s).
    pub(crate) free: [f32; 2],
    pub(crate) script: Vec<Beat>,
}

/// A hop that brings the feet elsewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shuffle {
    /// When the second foot leaves the floor (s).
    pub takeoff: f32,
    /// How long both feet are in the air (s).
    pub flight: f32,
    /// Where the middle of the body goes.
    pub to: Placement,
}

/// How long one foot leaves before the other, and comes down before it (s).
pub(crate) const STAGGER: f32 = 0.072;

impl Fighter {
    /// Somebody in guard, the left foot ahead.
    ///
    /// # Panics
    /// If the body's skeleton is not the library's.
    pub fn new(body: Arc<Body>, stance: Stance, placement: Placement, seed: u64) -> Fighter {
        Fighter::leading(body, stance, placement, Side::Left, seed)
    }

    /// Somebody in guard, the foot of one side ahead.
    ///
    /// # Panics
    /// If the body's skeleton is not the library's.
    pub fn leading(body: Arc<Body>, stance: Stance, placement: Placement, lead: Side, seed: u64) -> Fighter {
        Fighter {
            performer: Performer::leading(body, stance, placement, lead, seed),
            rng: ChaCha8Rng::seed_from_u64(seed ^ 0x626f_7869_6e67),
            lead,
            landed: 0.0,
            pace: 1.0,
            free: [0.0; 2],
            script: Vec::new(),
        }
    }

    /// Who performs.
    pub fn performer(&self) -> &Performer {
        &self.performer
    }

    /// Writes into the script what was done.
    pub fn note(&mut self, annotation: Annotation, start: f32, peak: Option<f32>, end: f32) {
        self.script.push(Beat { start, peak, end, annotation });
    }

    /// Hops: the foot on the side of the movement first, so that the legs never cross.
    pub fn shuffle(&mut self, hop: Shuffle) {
        let Shuffle { takeoff, flight, to } = hop;
        let landing = takeoff + flight;
        let moved = self.performer.path().last().relative(to).position;
        let first = self.first_foot(to);
        let length = libm::hypotf(moved.x, moved.z);
        // The farther, the more both feet go at once.
        let stagger = STAGGER * (1.0 - 0.9 * length).clamp(0.3, 1.0);
        for side in Side::BOTH {
            let landed = if side == first { landing } else { landing + stagger };
            let stray = Placement {
                position: Ground { x: self.spread(0.02), z: self.spread(0.035) },
                heading: self.spread(0.06),
            };
            let placement = self.performer.foot_place(to, side, self.lead).then(stray);
            let lift = 0.052 + 0.05 * length + self.spread(0.008);
            self.performer.step(side, Plant { landed, swing: flight + stagger, lift, placement });
        }
        self.performer.hop(Hop { takeoff, landing });
        self.performer.glide(takeoff - 0.20 + 0.1 * length, landing + 0.18, to);
        self.landed = landing + stagger;
    }

    /// Changes the side that is ahead with a hop on the spot.
    pub fn switch(&mut self, takeoff: f32, flight: f32) {
        self.lead = other(self.lead);
        self.performer.switch(takeoff - 0.08, flight + 0.2);
        let to = self.performer.path().last();
        self.shuffle(Shuffle { takeoff, flight, to });
    }

    /// The foot on the side of the movement: it goes first, so that the legs never cross.
    fn first_foot(&self, to: Placement) -> Side {
        let moved = self.performer.path().last().relative(to).position;
        if moved.z + 0.3 * sign(self.lead) * moved.x >= 0.0 { self.lead } else { other(self.lead) }
    }

    /// Steps to another place, one foot after the other, from `t` on; returns when both are down (s). Feet are in the
    /// air for `swing` seconds each, `lift` high (m).
    pub(crate) fn step_to(&mut self, t: f32, to: Placement, swing: f32, lift: f32) -> f32 {
        let first = self.first_foot(to);
        let landed = [t + swing, t + 2.0 * swing + 0.03];
        self.performer.glide(t - 0.07, landed[1] + 0.02, to);
        for (side, landed) in [first, other(first)].into_iter().zip(landed) {
            self.plant(side, to, landed, swing, lift);
        }
        landed[1]
    }

    /// Sets one foot where it stands in the stance at a place, or nearly so.
    pub(crate) fn plant(&mut self, side: Side, to: Placement, landed: f32, swing: f32, lift: f32) {
        let stray = Placement {
            position: Ground { x: self.spread(0.015), z: self.spread(0.02) },
            heading: self.spread(0.05),
        };
        let placement = self.performer.foot_place(to, side, self.lead).then(stray);
        self.performer.step(side, Plant { landed, swing, lift, placement });
    }

    /// Hops on the spot until a time (s).
    pub fn hop_until(&mut self, t: f32) {
        while self.landed + 0.45 < t {
            let takeoff = self.landed + 0.25 * self.about(0.1);
            let to = self.performer.path().last();
            let flight = 0.11 * self.about(0.1);
            self.shuffle(Shuffle { takeoff, flight, to });
        }
    }

    /// Keeps the feet down until a time (s).
    pub fn rest_until(&mut self, t: f32) {
        self.landed = self.landed.max(t);
    }

    /// Where this fighter looks all the time (m).
    pub fn look_at(&mut self, point: Vec3) {
        self.performer.look_at(point);
    }

    /// Lays a stroke over the rest.
    pub fn stroke(&mut self, stroke: Stroke) {
        self.performer.stroke(stroke);
    }

    /// Lays a push of the trunk over the rest: at its height from `peak` on for `hold` seconds.
    pub(crate) fn push(&mut self, channel: Channel, shape: Push, amount: f32) {
        let Push { peak, rise, hold, fall } = shape;
        self.performer.stroke(Stroke { channel, start: peak - rise, rise, hold, fall, amount });
    }

    /// A number between -`by` and `by`.
    pub(crate) fn spread(&mut self, by: f32) -> f32 {
        by * self.rng.random_range(-1.0f32..1.0)
    }

    /// A number within a share of 1.
    pub(crate) fn about(&mut self, share: f32) -> f32 {
        1.0 + self.spread(share)
    }

    /// A point of the world in the frame of the body's place at a time (m).
    pub(crate) fn own(&self, point: Vec3, t: f32) -> Vec3 {
        self.performer.path().at(t).point_from_world(point)
    }

    /// What was told so far, played from 0 on for so many seconds.
    pub fn clip(&self, name: &str, seconds: f32) -> Clip {
        let rate = FrameRate::HOUSE;
        let n_frames = (f64::from(seconds) * rate.fps()) as usize + 1;
        let poses = (0..n_frames).map(|frame| self.performer.pose(rate.time_of(frame) as f32));
        let clip = Clip::from_poses(name, Arc::clone(&self.performer.body().skeleton), rate, poses);
        clip.expect("strokes, hops, blows and their sums are finite")
    }
}

/// When a push comes and goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Push {
    /// When it is at its height (s).
    pub peak: f32,
    /// How long it takes to get there (s).
    pub rise: f32,
    /// How long it stays (s).
    pub hold: f32,
    /// How long it takes to fade (s).
    pub fall: f32,
}

impl Push {
    /// The same, earlier by so much, and kept until the end as before (s).
    pub(crate) fn earlier(self, by: f32) -> Push {
        Push { peak: self.peak - by, hold: self.hold + by, ..self }
    }
}

//! Hands that are flung somewhere for a moment.

use glam::{Quat, Vec3};
use randori_motion::Side;

use crate::stroke::{Channel, Stroke};
use crate::timeline::Span;

/// A hand is flung out of where it would be, and comes back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fling {
    pub(crate) side: Side,
    /// When; its channel and amount do not matter.
    shape: Stroke,
    /// How far, in the body's frame (m).
    by: Vec3,
}

impl Fling {
    /// A fling that begins, rises, is held and fades in so many seconds (s), and goes so far in the body's frame (m).
    pub(crate) fn new(side: Side, [start, rise, hold, fall]: [f32; 4], by: Vec3) -> Fling {
        let shape = Stroke { channel: Channel::Cover, start, rise, hold, fall, amount: 1.0 };
        Fling { side, shape, by }
    }

    /// How far the hand of somebody who faces somewhere is from where it would be (m).
    pub(crate) fn at(&self, facing: Quat, t: f32) -> Vec3 {
        facing * self.by * self.shape.envelope(t)
    }
}

impl Span for Fling {
    fn start(&self) -> f32 {
        self.shape.start()
    }

    fn end(&self) -> f32 {
        self.shape.end()
    }
}

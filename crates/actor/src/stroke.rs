//! Strokes: what the body is asked to do over time, one channel at a time.

use randori_motion::math::smootherstep;

use crate::timeline::{Span, Timeline};

/// One degree of freedom of the trunk and head, relative to the stance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// The pelvis sinks by this much (m).
    Crouch,
    /// The pelvis moves ahead by this much (m).
    Ahead,
    /// The pelvis moves to the own left by this much (m).
    Aside,
    /// The pelvis turns to the own left (rad).
    HipTurn,
    /// The chest turns to the own left, relative to the stance (rad).
    ChestTurn,
    /// The trunk bends forward (rad).
    Bow,
    /// The trunk bends to the own left (rad).
    Lean,
    /// The head turns to the own left of where it would look (rad).
    HeadTurn,
    /// The head nods down from where it would look (rad).
    HeadNod,
    /// The head tilts to the own left (rad).
    HeadTilt,
    /// Both fists rise to cover the face, 0 to 1.
    Cover,
    /// The weight goes onto the left foot (1) or the right one (-1).
    Load,
    /// The pelvis alone bends forward (rad).
    HipBow,
    /// The pelvis alone bends to the own left (rad).
    HipLean,
    /// The heel of the left foot rises (rad).
    LeftHeel,
    /// The heel of the right foot rises (rad).
    RightHeel,
    /// The left foot turns about its ball to the own left (rad).
    LeftPivot,
    /// The right foot turns about its ball to the own left (rad).
    RightPivot,
}

impl Channel {
    const COUNT: usize = Channel::RightPivot as usize + 1;
}

/// A push on one channel that comes and goes: nothing before `start`, `amount` after `rise` seconds, kept
/// for `hold`, gone after `fall`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// What is pushed.
    pub channel: Channel,
    /// When it begins (s).
    pub start: f32,
    /// How long it takes to build up (s).
    pub rise: f32,
    /// How long it is kept (s).
    pub hold: f32,
    /// How long it takes to fade (s).
    pub fall: f32,
    /// Its size, in the channel's unit.
    pub amount: f32,
}

impl Stroke {
    /// How much of the stroke is there at a time, 0 to 1. Velocity and acceleration are continuous.
    pub fn envelope(&self, t: f32) -> f32 {
        let since = t - self.start;
        let until = self.start + self.rise + self.hold + self.fall - t;
        smootherstep(since / self.rise.max(1e-3)) * smootherstep(until / self.fall.max(1e-3))
    }
}

impl Span for Stroke {
    fn start(&self) -> f32 {
        self.start
    }

    fn end(&self) -> f32 {
        self.start + self.rise + self.hold + self.fall
    }
}

/// Strokes laid over each other: they add up, so one flows into the next.
#[derive(Clone, Debug, Default)]
pub struct Strokes {
    strokes: Timeline<Stroke>,
}

impl Strokes {
    /// Adds a stroke.
    pub fn push(&mut self, stroke: Stroke) {
        self.strokes.push(stroke);
    }

    /// The sum on every channel at a time.
    pub fn at(&self, t: f32) -> Sums {
        let mut sums = Sums([0.0; Channel::COUNT]);
        for stroke in self.strokes.under_way(t) {
            sums.0[stroke.channel as usize] += stroke.amount * stroke.envelope(t);
        }
        sums
    }
}

/// What all strokes together ask for at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sums([f32; Channel::COUNT]);

impl Sums {
    /// The sum on one channel.
    pub fn get(&self, channel: Channel) -> f32 {
        self.0[channel as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_come_and_go_smoothly_and_add_up() {
        let stroke =
            Stroke { channel: Channel::Bow, start: 1.0, rise: 0.2, hold: 0.1, fall: 0.4, amount: 2.0 };
        let mut strokes = Strokes::default();
        strokes.push(stroke);
        strokes.push(Stroke { amount: 1.0, ..stroke });
        let bow = |t: f32| strokes.at(t).get(Channel::Bow);
        assert_eq!((bow(0.9), bow(1.0), bow(1.8)), (0.0, 0.0, 0.0));
        assert!((bow(1.25) - 3.0).abs() < 1e-5);
        let (dt, mut worst) = (1e-3, 0.0f32);
        for step in 0..2000 {
            let t = step as f32 * dt;
            worst = worst.max((bow(t + dt) - bow(t)).abs() / dt);
        }
        // The steepest slope of the ramp is 15/8 of its mean.
        assert!((worst - 3.0 / 0.2 * 1.875).abs() < 0.5, "{worst}");
        assert_eq!(strokes.at(1.25).get(Channel::Lean), 0.0);
    }
}

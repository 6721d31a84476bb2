//! The time that a load spends in two hands.

use glam::Vec3;
use randori_motion::math::smootherstep;

use super::manner::Manner;
use crate::timeline::Span;

/// Where a load comes from or goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Floor,
    /// Somebody else's hands.
    Hands,
}

/// From reaching for a load to hands that hang again. Times in order (s).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grip {
    pub(super) manner: Manner,
    pub(super) from: Place,
    pub(super) to: Place,
    /// Hands leave for it.
    pub(super) reaches: f32,
    /// They close: from now on they keep their distance.
    pub(super) closes: f32,
    /// It is where it is carried.
    pub(super) settles: f32,
    /// It leaves there.
    pub(super) leaves: f32,
    /// It is where it goes.
    pub(super) arrives: f32,
    /// Hands open.
    pub(super) opens: f32,
    /// They hang again.
    pub(super) ends: f32,
}

/// How far to either side open hands are of what they take (m), and for how long before and after (s).
const OPEN: f32 = 0.075;
const OPENING: f32 = 0.22;

impl Span for Grip {
    fn start(&self) -> f32 {
        self.reaches
    }

    fn end(&self) -> f32 {
        self.ends
    }
}

impl Grip {
    /// How much the hands are on the load rather than free, 0 to 1.
    pub(super) fn share(&self, t: f32) -> f32 {
        // Hands are there a little before they close, and wait.
        let waits = if self.from == Place::Hands { 0.34 } else { 0.12 } * (self.closes - self.reaches);
        let there = smootherstep((t - self.reaches) / (self.closes - waits - self.reaches));
        there * (1.0 - smootherstep((t - self.opens) / (self.ends - self.opens)))
    }

    /// How far each palm is from the middle between them (m).
    pub(super) fn half_width(&self, t: f32) -> f32 {
        let closed = smootherstep((t - self.closes + OPENING) / OPENING);
        let opened = smootherstep((t - self.opens) / OPENING);
        0.5 * self.manner.width + OPEN * (1.0 - closed + opened)
    }

    /// Where the middle of the palms is, seen from where it lies, is offered and is carried at this moment (m).
    pub(super) fn middle(&self, t: f32, at: &Places) -> Vec3 {
        let from = at.of(self.from, 0);
        let to = at.of(self.to, 1);
        let rise = self.settles - self.closes;
        let up = smootherstep((t - self.closes) / rise);
        // What is lifted goes up first and comes to the body then; what is put down goes away first.
        let late = if self.from == Place::Floor { 0.18 } else { 0.0 };
        let near = smootherstep((t - self.closes - late * rise) / ((1.0 - late) * rise));
        let fall = self.arrives - self.leaves;
        let down = smootherstep((t - self.leaves) / fall);
        let early = if self.to == Place::Floor { 0.15 } else { 0.0 };
        let away = smootherstep((t - self.leaves) / ((1.0 - early) * fall));
        let mix = |a: f32, b: f32, c: f32, first: f32, last: f32| {
            let here = a + (b - a) * first;
            here + (c - here) * last
        };
        Vec3::new(
            mix(from.x, at.carried.x, to.x, near, away),
            mix(from.y, at.carried.y, to.y, up, down),
            mix(from.z, at.carried.z, to.z, near, away),
        )
    }
}

/// Points of the world between which a load is moved (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Places {
    /// Where it lies on the floor before and after.
    pub(super) floor: [Vec3; 2],
    pub(super) offered: Vec3,
    pub(super) carried: Vec3,
}

impl Places {
    fn of(&self, place: Place, end: usize) -> Vec3 {
        match place {
            Place::Floor => self.floor[end],
            Place::Hands => self.offered,
        }
    }
}

//! Names for what is neither blow nor defence: steps, turns, walks and runs.

use std::f32::consts::{FRAC_PI_4, FRAC_PI_8};
use std::ops::Range;

use glam::Vec3;

use crate::annotation::Annotation;
use crate::math::wrap_angle;

use super::signals::Signals;
use super::{Discipline, Settings};

/// The annotation of a segment without a stroke, and how sure it is.
pub(super) fn name(signals: &Signals, frames: &Range<usize>, settings: &Settings) -> (Annotation, f32) {
    let way = Way::of(signals, frames);
    let travels = if settings.discipline == Discipline::Boxing { 1.6 } else { TRAVEL };
    let (name, confidence) = if way.speed > travels { way.locomotion() } else { way.step(signals) };
    (Annotation::of(name), confidence)
}

/// Slower than this, somebody steps instead of walking (m/s).
const TRAVEL: f32 = 0.8;
/// Speeds at which walking ends and running starts (m/s).
const JOG: f32 = 2.0;
const RUN: f32 = 3.2;

/// How the hips go from the start of a segment to its end.
struct Way {
    /// Displacement as (to the left, up, ahead) at the start (m).
    moved: Vec3,
    /// Change of the facing, to the left (rad).
    turned: f32,
    /// Change of the direction of travel, to the left (rad).
    veered: f32,
    /// Mean speed over the floor (m/s).
    speed: f32,
    /// Speeds over the floor at the start and at the end (m/s).
    ends: (f32, f32),
    /// The direction of travel seen from the facing, to the left (rad).
    aside: f32,
}

impl Way {
    fn of(signals: &Signals, frames: &Range<usize>) -> Way {
        let (first, last) = (frames.start, frames.end.saturating_sub(1).max(frames.start));
        let way = signals.hips()[last] - signals.hips()[first];
        let heading = |v: Vec3| libm::atan2f(v.x, v.z);
        let (before, after) = (signals.velocity(first), signals.velocity(last));
        let seconds = (last - first).max(1) as f32 / signals.fps;
        let moved = signals.local(first, way);
        let middle = signals.ahead[(first + last) / 2];
        Way {
            moved,
            turned: wrap_angle(heading(signals.ahead[last]) - heading(signals.ahead[first])),
            veered: wrap_angle(heading(after) - heading(before)),
            speed: libm::hypotf(way.x, way.z) / seconds,
            ends: (before.length(), after.length()),
            aside: wrap_angle(heading(Vec3::new(way.x, 0.0, way.z)) - heading(middle)),
        }
    }

    fn locomotion(&self) -> (&'static str, f32) {
        /// Turning by less than this in one step is going straight (rad).
        const STRAIGHT: f32 = 0.21;
        let (from, to) = self.ends;
        if from < 0.35 * to && from < 0.8 {
            return ("start", 0.7);
        }
        if to < 0.35 * from && to < 0.8 {
            return ("stop", 0.7);
        }
        if self.aside.abs() > 0.9 && self.aside.abs() < 2.3 {
            return (if self.aside > 0.0 { "quick-step-left" } else { "quick-step-right" }, 0.6);
        }
        let names = match self.speed {
            speed if speed < JOG => ["walk", "walk-left", "walk-right"],
            speed if speed < RUN => ["jog", "jog-left", "jog-right"],
            _ => ["run", "run-left", "run-right"],
        };
        let turn = if self.veered.abs() < 1.5 { self.veered } else { self.turned };
        match turn {
            turn if turn > STRAIGHT => (names[1], 0.7),
            turn if turn < -STRAIGHT => (names[2], 0.7),
            _ => (names[0], 0.8),
        }
    }

    fn step(&self, signals: &Signals) -> (&'static str, f32) {
        let distance = libm::hypotf(self.moved.x, self.moved.z);
        let least = 0.16 * signals.leg / 0.88;
        if self.turned.abs() > 0.5 && distance < 2.0 * least {
            return (if self.turned > 0.0 { "turn-left" } else { "turn-right" }, 0.7);
        }
        if distance < least {
            return ("idle", 0.7);
        }
        const NAMES: [&str; 8] = [
            "step-forward",
            "step-forward-left",
            "step-left",
            "step-back-left",
            "step-back",
            "step-back-right",
            "step-right",
            "step-forward-right",
        ];
        let angle = libm::atan2f(self.moved.x, self.moved.z);
        let eighth = libm::floorf((angle + FRAC_PI_8) / FRAC_PI_4) as i32;
        (NAMES[eighth.rem_euclid(8) as usize], 0.7)
    }
}

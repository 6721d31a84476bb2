//! Names for what is neither blow nor defence: steps, turns, walks and runs.

use std::f32::consts::{FRAC_PI_4, FRAC_PI_8};
use std::ops::Range;

use glam::Vec3;

use crate::annotation::{Annotation, STEPS};
use crate::math::wrap_angle;
use crate::tracks::smoothed;

use super::carry::{self, Held};
use super::signals::Signals;
use super::{Discipline, Settings};

/// Names segments that hold no stroke.
pub(super) struct Namer<'a> {
    signals: &'a Signals,
    discipline: Discipline,
    sidesteps: Vec<Sidestep>,
    held: Vec<Held>,
}

/// Somebody who travels goes aside without turning.
struct Sidestep {
    frames: Range<usize>,
    /// Speed aside where it is greatest (m/s), positive to the left.
    speed: f32,
}

impl<'a> Namer<'a> {
    pub(super) fn new(signals: &'a Signals, settings: &Settings) -> Namer<'a> {
        let discipline = settings.discipline;
        let carries = discipline == Discipline::Carrying;
        let sidesteps = if !discipline.travels() || carries { Vec::new() } else { sidesteps(signals) };
        let held = if carries { carry::held(signals) } else { Vec::new() };
        Namer { signals, discipline, sidesteps, held }
    }

    /// What is held in both hands, in order of time; only looked for where things are carried.
    pub(super) fn held(&self) -> &[Held] {
        &self.held
    }

    /// The annotation of a segment, and how sure it is.
    pub(super) fn name(&self, frames: &Range<usize>) -> (Annotation, f32) {
        let way = Way::of(self.signals, frames);
        let middle = (frames.start + frames.end) / 2;
        if let Some(held) = self.held.iter().find(|held| held.frames.contains(&middle)) {
            return (held.name(self.signals, frames), 0.7);
        }
        let runs = self.discipline.travels() && self.discipline != Discipline::General;
        let least_turn = if self.discipline == Discipline::Carrying { PORTERS_TURN } else { TURN };
        let aside = self.sidesteps.iter().find(|step| step.frames.contains(&middle));
        let travels = if !self.discipline.travels() { 1.6 } else { TRAVEL };
        let (name, confidence) = match (aside, runs) {
            (Some(aside), _) => aside.name(),
            _ if way.speed < JOG && !way.goes_ahead(self.signals) => way.step(self.signals, least_turn),
            (None, true) if way.starts() => ("start", 0.7),
            (None, true) if way.stops() => ("stop", 0.7),
            (None, _)
                if self.discipline == Discipline::Football && way.speed > SPRINT && way.is_straight() =>
            {
                ("sprint", 0.7)
            }
            _ if way.speed > travels => way.locomotion(),
            _ => way.step(self.signals, least_turn),
        };
        (Annotation::of(name), confidence)
    }
}

/// Speeds aside from which somebody who travels steps aside, and from which that is a dodge (m/s).
const ASIDE: (f32, f32) = (0.62, 1.3);

impl Sidestep {
    fn name(&self) -> (&'static str, f32) {
        match (self.speed > 0.0, self.speed.abs() > ASIDE.1) {
            (true, true) => ("dodge-left", 0.7),
            (false, true) => ("dodge-right", 0.7),
            (true, false) => ("quick-step-left", 0.7),
            (false, false) => ("quick-step-right", 0.7),
        }
    }
}

/// Where the hips go aside, seen from a facing that leaves out the swing of the shoulders.
fn sidesteps(signals: &Signals) -> Vec<Sidestep> {
    let ahead = smoothed(&signals.ahead, signals.fps, 0.25);
    let aside = |frame: usize| {
        let velocity = signals.velocity(frame);
        let ahead = ahead[frame].try_normalize().unwrap_or(Vec3::Z);
        let along = velocity.dot(ahead);
        // Who goes backwards or does not travel at all steps in another sense.
        if along < TRAVEL { 0.0 } else { velocity.x * ahead.z - velocity.z * ahead.x }
    };
    let speeds: Vec<f32> = (0..signals.n_frames).map(aside).collect();
    let mut found: Vec<Sidestep> = Vec::new();
    for frame in 0..signals.n_frames {
        let speed = speeds[frame];
        let mut near = signals.around(frame, 0.4, 0.4);
        let is_greatest = speed.abs() > ASIDE.0 && near.all(|other| speeds[other].abs() <= speed.abs());
        if !is_greatest || found.last().is_some_and(|last| last.frames.contains(&frame)) {
            continue;
        }
        let goes_on = |other: &usize| speeds[*other] * speed.signum() > 0.45 * speed.abs();
        let start = (0..frame).rev().take_while(goes_on).last().unwrap_or(frame);
        let end = (frame..signals.n_frames).take_while(goes_on).last().unwrap_or(frame) + 1;
        found.push(Sidestep { frames: start..end, speed });
    }
    found
}

/// Turning by more than this on the spot is meant (rad); porters turn by several steps.
const TURN: f32 = 0.5;
const PORTERS_TURN: f32 = 0.3;
/// Slower than this, somebody steps instead of walking (m/s).
const TRAVEL: f32 = 0.8;
/// Speeds at which walking ends and running starts (m/s).
const JOG: f32 = 2.0;
const RUN: f32 = 3.4;
/// Faster footballers sprint (m/s).
const SPRINT: f32 = 4.85;
/// Turning by less than this in one step is going straight (rad).
const STRAIGHT: f32 = 0.21;

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
}

impl Way {
    fn of(signals: &Signals, frames: &Range<usize>) -> Way {
        let (first, last) = (frames.start, frames.end.saturating_sub(1).max(frames.start));
        let way = signals.hips()[last] - signals.hips()[first];
        let heading = |v: Vec3| libm::atan2f(v.x, v.z);
        let (before, after) = (signals.velocity(first), signals.velocity(last));
        let seconds = (last - first).max(1) as f32 / signals.fps;
        let moved = signals.local(first, way);
        Way {
            moved,
            turned: wrap_angle(heading(signals.ahead[last]) - heading(signals.ahead[first])),
            veered: wrap_angle(heading(after) - heading(before)),
            speed: libm::hypotf(way.x, way.z) / seconds,
            ends: (before.length(), after.length()),
        }
    }

    /// Whether the way leads ahead, or nowhere.
    fn goes_ahead(&self, signals: &Signals) -> bool {
        let distance = libm::hypotf(self.moved.x, self.moved.z);
        distance < least_step(signals) || self.moved.z > 0.5 * distance
    }

    /// Whether somebody who stood begins to travel.
    fn starts(&self) -> bool {
        let (from, to) = self.ends;
        from < 1.2 && to > from + 0.5
    }

    /// Whether somebody who travelled comes to a stand.
    fn stops(&self) -> bool {
        let (from, to) = self.ends;
        to < from - 0.3 && to < 0.75 * from && to < 2.0
    }

    /// How far somebody who travels turns in a step, to the left (rad).
    fn turn(&self) -> f32 {
        if self.veered.abs() < 1.5 { self.veered } else { self.turned }
    }

    fn is_straight(&self) -> bool {
        self.turn().abs() <= STRAIGHT
    }

    fn locomotion(&self) -> (&'static str, f32) {
        let names = match self.speed {
            speed if speed < JOG => ["walk", "walk-left", "walk-right"],
            speed if speed < RUN => ["jog", "jog-left", "jog-right"],
            _ => ["run", "run-left", "run-right"],
        };
        match self.turn() {
            turn if turn > STRAIGHT => (names[1], 0.7),
            turn if turn < -STRAIGHT => (names[2], 0.7),
            _ => (names[0], 0.8),
        }
    }

    fn step(&self, signals: &Signals, least_turn: f32) -> (&'static str, f32) {
        let distance = libm::hypotf(self.moved.x, self.moved.z);
        let least = least_step(signals);
        if self.turned.abs() > least_turn && distance < 2.0 * least {
            return (if self.turned > 0.0 { "turn-left" } else { "turn-right" }, 0.7);
        }
        if distance < least {
            return ("idle", 0.7);
        }
        (step_towards(self.moved), 0.7)
    }
}

/// The step that leads in a direction, given as (to the left, up, ahead).
pub(super) fn step_towards(way: Vec3) -> &'static str {
    let angle = libm::atan2f(way.x, way.z);
    let eighth = libm::floorf((angle + FRAC_PI_8) / FRAC_PI_4) as i32;
    STEPS[eighth.rem_euclid(8) as usize]
}

/// Shorter ways are none (m).
fn least_step(signals: &Signals) -> f32 {
    0.16 * signals.leg / 0.88
}

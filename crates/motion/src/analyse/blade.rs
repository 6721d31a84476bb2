//! What somebody does with a blade: cuts and thrusts, found where its tip is fast; blocks, where it is held across.

use glam::Vec3;

use crate::annotation::Annotation;
use crate::bone::Bone;
use crate::contacts::runs;
use crate::tracks::gradient;

use super::Stroke;
use super::signals::Signals;
use super::trunk;

/// Everything done with the blade, and falls, in order of their peaks.
pub(super) fn strokes(signals: &Signals) -> Vec<Stroke> {
    let mut found = trunk::falls(signals);
    if let Some(sword) = Sword::of(signals) {
        found.extend(sword.swings());
        let blocks = sword.blocks(&found);
        found.extend(blocks);
    }
    found.sort_by_key(|stroke| stroke.peak);
    found
}

/// The slowest tip that cuts, that thrusts, and that begins a cut only to break it off, relative to the neck (m/s).
const CUT: f32 = 10.0;
const THRUST: f32 = 1.8;
const FEINT: f32 = 4.5;
/// A blade that stops something is slower than this (m/s).
const STILL: f32 = 2.0;
/// Share of a thrust's speed that goes along the blade, at least.
const ALONG: f32 = 0.8;

/// A blade in all frames, seen from the root of the neck along the gaze as (left, up, ahead).
struct Sword<'a> {
    signals: &'a Signals,
    /// Velocity of the tip (m/s), and speed (m/s).
    rates: Vec<Vec3>,
    speeds: Vec<f32>,
    /// The hand (m).
    hands: Vec<Vec3>,
    /// Where the blade points: unit vectors.
    points: Vec<Vec3>,
}

impl<'a> Sword<'a> {
    fn of(signals: &'a Signals) -> Option<Sword<'a>> {
        let blade = signals.blade.as_ref()?;
        let hand = signals.path(blade.bone)?;
        let neck = signals.path(Bone::Neck).unwrap_or(signals.chest());
        let local = |frame: usize, v: Vec3| {
            let ahead = blade.gaze[frame];
            Vec3::new(v.x * ahead.z - v.z * ahead.x, v.y, v.x * ahead.x + v.z * ahead.z)
        };
        let tips: Vec<Vec3> = blade.tip.iter().zip(neck).map(|(tip, neck)| *tip - *neck).collect();
        let rates: Vec<Vec3> = gradient(&tips, signals.fps)
            .into_iter()
            .enumerate()
            .map(|(frame, rate)| local(frame, rate))
            .collect();
        let frames = 0..signals.n_frames;
        let hands = frames.clone().map(|frame| local(frame, hand[frame] - neck[frame])).collect();
        let points =
            frames.map(|frame| local(frame, blade.tip[frame] - blade.near[frame]).normalize_or_zero());
        let points = points.collect();
        let speeds = rates.iter().map(|rate| rate.length()).collect();
        Some(Sword { signals, rates, speeds, hands, points })
    }

    /// Cuts, thrusts, and cuts that are broken off.
    fn swings(&self) -> Vec<Stroke> {
        /// Two cuts are never closer (s).
        const APART: f32 = 0.1;
        let mut found: Vec<(Stroke, f32)> = Vec::new();
        for frame in 1..self.speeds.len().saturating_sub(1) {
            let speed = self.speeds[frame];
            if speed < THRUST {
                continue;
            }
            let mut near = self.signals.around(frame, APART, APART);
            let is_greatest = near.all(|other| match other.cmp(&frame) {
                std::cmp::Ordering::Less => self.speeds[other] < speed,
                _ => self.speeds[other] <= speed,
            });
            let Some((name, peak)) = self.class(frame).filter(|_| is_greatest) else { continue };
            let stroke = self.stroke(name, frame, peak);
            match found.last_mut() {
                // The same swing, seen twice.
                Some((last, most)) if stroke.peak <= last.peak + self.signals.frames(0.1) => {
                    if speed > *most {
                        (*last, *most) = (stroke, speed);
                    }
                }
                _ => found.push((stroke, speed)),
            }
        }
        found.into_iter().map(|(stroke, _)| stroke).collect()
    }

    /// What a swing that is fastest in a frame is, and when it arrives; `None` if it goes nowhere.
    fn class(&self, fastest: usize) -> Option<(&'static str, usize)> {
        let (rate, speed) = (self.rates[fastest] / self.speeds[fastest], self.speeds[fastest]);
        let point = self.points[fastest];
        if rate.dot(point) > ALONG && point.z > 0.6 {
            return Some(("lunge", self.slows(fastest, 0.1)));
        }
        if speed < CUT || point.z < 0.45 || rate.z < -0.45 {
            // Winding up goes back; who covers stays; who goes to the guard ends with the point ahead.
            let stop = self.slows(fastest, 0.3);
            let stays = (stop..(stop + self.signals.frames(0.13)).min(self.speeds.len()))
                .all(|frame| self.speeds[frame] < STILL);
            let breaks_off = !stays && self.speeds[stop] < 0.35 * speed && self.points[stop].z < 0.75;
            return (speed > FEINT && rate.z > 0.35 && breaks_off).then_some(("feint", stop));
        }
        // Across the way ahead, from straight down to level and beyond.
        let eighth = libm::atan2f(rate.x.abs(), -rate.y) / std::f32::consts::FRAC_PI_8;
        let name = match (eighth, rate.x > 0.0) {
            (e, _) if e < 1.0 => "cut-overhead",
            (e, true) if e < 3.0 => "cut-right-upper",
            (e, false) if e < 3.0 => "cut-left-upper",
            (e, true) if e < 5.5 => "cut-right",
            (e, false) if e < 5.5 => "cut-left",
            _ => return None,
        };
        Some((name, fastest))
    }

    /// The frame in which a swing has lost all but a share of its speed, or is slowest.
    fn slows(&self, fastest: usize, share: f32) -> usize {
        let latest = (fastest + self.signals.frames(0.25)).min(self.speeds.len() - 1);
        let mut frame = fastest;
        while frame < latest && self.speeds[frame] > share * self.speeds[fastest] {
            frame += 1;
        }
        frame
    }

    /// A swing from when it is wound up to when it is spent.
    fn stroke(&self, name: &'static str, fastest: usize, peak: usize) -> Stroke {
        /// Longest way from the guard to the fastest moment, and from there to rest (s).
        const LONGEST: (f32, f32) = (0.95, 0.35);
        let (speed, last) = (self.speeds[fastest], self.speeds.len() - 1);
        let earliest = fastest.saturating_sub(self.signals.frames(LONGEST.0));
        let mut start = fastest;
        // Back over the moment at which it is wound up, to where the winding up begins.
        while start > earliest && self.speeds[start] > 0.15 * speed {
            start -= 1;
        }
        while start > earliest && self.speeds[start - 1] >= self.speeds[start] {
            start -= 1;
        }
        while start > earliest && self.speeds[start] > 0.06 * speed {
            start -= 1;
        }
        let latest = (fastest + self.signals.frames(LONGEST.1)).min(last);
        let mut end = peak.max(fastest);
        while end < latest && self.speeds[end] > 0.15 * speed {
            end += 1;
        }
        Stroke { start, peak, end, annotation: Annotation::of(name), confidence: 0.8 }
    }

    /// Blades that are held across for a moment, and that no swing explains.
    fn blocks(&self, swings: &[Stroke]) -> Vec<Stroke> {
        /// Shorter is a gesture (s).
        const SHORTEST: f32 = 0.13;
        let lines: Vec<Option<&'static str>> = (0..self.speeds.len())
            .map(|frame| self.line(frame).filter(|_| self.speeds[frame] < STILL))
            .collect();
        let held: Vec<bool> = lines.iter().map(Option::is_some).collect();
        let mut found = Vec::new();
        for run in runs(&held, true) {
            let peak = (run.start + run.end) / 2;
            let (Some(name), true) = (lines[peak], run.len() >= self.signals.frames(SHORTEST)) else {
                continue;
            };
            if swings.iter().any(|swing| (swing.start..=swing.end).contains(&peak)) {
                continue;
            }
            let start = run.start.saturating_sub(self.signals.frames(0.2));
            let end = (run.end + self.signals.frames(0.1)).min(self.speeds.len() - 1);
            found.push(Stroke { start, peak, end, annotation: Annotation::of(name), confidence: 0.7 });
        }
        found
    }

    /// The line that a blade covers where it is held; `None` in guard, or wound up.
    fn line(&self, frame: usize) -> Option<&'static str> {
        let (point, hand) = (self.points[frame], self.hands[frame] * (0.88 / self.signals.leg));
        if !(0.05..0.62).contains(&point.z) || hand.z < 0.25 {
            return None;
        }
        if point.y < 0.6 {
            return (point.y > -0.2 && hand.y > 0.02 && point.x > 0.5).then_some("block-overhead");
        }
        match (hand.x > -0.12, hand.y > -0.21) {
            (true, false) => Some("block-left"),
            (true, true) => Some("block-left-upper"),
            (false, false) => Some("block-right"),
            (false, true) => Some("block-right-upper"),
        }
    }
}

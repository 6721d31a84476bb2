//! Kicks: found where a foot shoots out and up, named by height and by the side it swings from.

use glam::Vec3;

use crate::annotation::Annotation;
use crate::bone::{Bone, Side};

use super::signals::Signals;
use super::{Discipline, Settings, Stroke};

/// Kicks of both feet in the order of their peaks.
pub(super) fn feet(signals: &Signals, settings: &Settings) -> Vec<Stroke> {
    if settings.discipline == Discipline::Running {
        return Vec::new();
    }
    let mut kicks: Vec<Stroke> = Side::BOTH.into_iter().flat_map(|side| kicks_of(signals, side)).collect();
    kicks.sort_by_key(|kick| kick.peak);
    kicks
}

/// The slowest kick, ankle relative to the hips (m/s).
const LEAST_SPEED: f32 = 3.5;
/// How far out the ankle is at the farthest, level and from the hip joint, as a share of the leg.
const LEAST_OUT: f32 = 0.4;
/// How high the ankle is at the farthest, above its stance, as a share of the leg: heels of walkers stay below.
const LEAST_RISE: f32 = 0.24;
/// A kick that stays lower than this, as a share of the leg, goes to the legs.
const LOW: f32 = 0.62;

fn kicks_of(signals: &Signals, side: Side) -> Vec<Stroke> {
    let ankle = signals.ankle(side);
    let hip = signals.needed(Bone::LeftUpperLeg.on(side));
    let (places, rates) = signals.relative(ankle, hip);
    let stance = signals.floor + 0.1 * signals.leg;
    let speeds: Vec<f32> = rates.iter().map(|rate| rate.length()).collect();
    let out = |frame: usize| libm::hypotf(places[frame].x, places[frame].z);
    let mut found: Vec<Stroke> = Vec::new();
    for frame in 1..speeds.len().saturating_sub(1) {
        let near = signals.around(frame, 0.12, 0.12);
        let is_fast = speeds[frame] >= LEAST_SPEED * signals.leg / 0.85;
        if !is_fast || near.clone().any(|other| speeds[other] > speeds[frame]) || rates[frame].z < 0.0 {
            continue;
        }
        // The farthest moment follows within a quarter of a second.
        let after = signals.around(frame, 0.0, 0.25);
        let score = |frame: usize| out(frame) + 0.5 * (ankle[frame].y - stance);
        let peak = after.max_by(|a, b| score(*a).total_cmp(&score(*b))).unwrap_or(frame);
        let rise = (ankle[peak].y - stance) / signals.leg;
        let ahead = places[peak].z / signals.leg;
        if rise < LEAST_RISE || out(peak) < LEAST_OUT * signals.leg || ahead < 0.15 {
            continue;
        }
        let (start, end) = (start_of(signals, &speeds, ankle, frame), end_of(signals, ankle, stance, peak));
        if found.last().is_some_and(|last| start < last.peak) {
            continue;
        }
        let rest = class(signals, side, &places, start, frame, peak, rise);
        found.push(Stroke { start, peak, end, annotation: Annotation::sided(side, rest), confidence: 0.8 });
    }
    found
}

/// When the foot leaves the floor, or starts to move.
fn start_of(signals: &Signals, speeds: &[f32], ankle: &[Vec3], fastest: usize) -> usize {
    let earliest = fastest.saturating_sub(signals.frames(0.6));
    let mut start = fastest;
    while start > earliest
        && speeds[start] > 0.1 * speeds[fastest]
        && ankle[start].y > signals.floor + 0.12 * signals.leg
    {
        start -= 1;
    }
    start
}

/// When the foot is back on the floor.
fn end_of(signals: &Signals, ankle: &[Vec3], stance: f32, peak: usize) -> usize {
    let latest = (peak + signals.frames(0.9)).min(signals.n_frames - 1);
    let mut end = peak;
    while end < latest && ankle[end].y > stance + 0.08 * signals.leg {
        end += 1;
    }
    end
}

fn class(
    signals: &Signals,
    side: Side,
    places: &[Vec3],
    start: usize,
    fastest: usize,
    peak: usize,
    rise: f32,
) -> &'static str {
    let outwards = if side == Side::Left { 1.0 } else { -1.0 };
    let place = places[peak];
    // Roundhouses reach their target from the side: the foot is out to the own side on the way, or at the end.
    let aside = |frame: usize| {
        let place = places[frame];
        outwards * place.x / libm::hypotf(place.x, place.z).max(0.1 * signals.leg)
    };
    let widest = (start.max(peak.saturating_sub(signals.frames(0.25)))..=peak)
        .filter(|frame| libm::hypotf(places[*frame].x, places[*frame].z) > 0.3 * signals.leg)
        .map(aside)
        .fold(aside(peak), f32::max);
    let sweep = outwards * (places[fastest].x - place.x) / signals.leg;
    if rise < LOW && (widest > 0.45 || sweep > 0.1) {
        "low-kick"
    } else if widest > 0.55 || sweep > 0.15 {
        "roundhouse"
    } else {
        "front-kick"
    }
}

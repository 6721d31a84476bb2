//! Football: tackles, being tackled, leaps over somebody and spins, all by people who run.

use glam::Vec3;

use crate::annotation::Annotation;
use crate::bone::{Bone, Side};
use crate::contacts::runs;
use crate::math::wrap_angle;

use super::Stroke;
use super::jostling;
use super::signals::Signals;

/// Everything that is no step, in order of time.
pub(super) fn events(signals: &Signals) -> Vec<Stroke> {
    let mut found = jostling::falls(signals);
    for fall in found.iter_mut().filter(|fall| fall.annotation.name() != "get-up") {
        if let Some(name) = brought_down(signals, fall) {
            fall.annotation = Annotation::of(name);
        }
        if fall.annotation.name().starts_with("tackle-") {
            // It lands on somebody before the body lands on the floor.
            let half = signals.floor + 0.5 * signals.standing;
            let is_high = |frame: &usize| signals.hips()[*frame].y > half;
            fall.peak = (fall.start..fall.peak).rev().find(is_high).unwrap_or(fall.peak);
        }
    }
    for detect in [leaps, spins] {
        let is_free =
            |event: &Stroke| !found.iter().any(|one| one.start < event.end && event.start < one.end);
        let events: Vec<Stroke> = detect(signals).into_iter().filter(is_free).collect();
        found.extend(events);
    }
    found.sort_by_key(|stroke| stroke.peak);
    found
}

/// Whoever goes down at less than this speed fell (m/s), for legs of 0.88 m.
const RUNS: f32 = 2.2;
/// How far both hands of somebody who tackles are from their shoulders, as a share of the arm.
const REACHES: f32 = 0.72;
/// How far off straight ahead a dive to one side goes (rad).
const ASIDE: f32 = 0.4;
/// Who is faster than this dives after somebody who runs away (m/s), for legs of 0.88 m.
const CHASES: f32 = 4.9;
/// How high the hips of somebody who dives at a waist are when the feet leave the floor, as a share of standing.
const WAIST: f32 = 0.87;

/// What going down at a run is called; `None` for whom nobody brought down.
fn brought_down(signals: &Signals, fall: &Stroke) -> Option<&'static str> {
    let scale = signals.leg / 0.88;
    let before = fall.start.saturating_sub(signals.frames(0.25));
    let span = before.saturating_sub(signals.frames(0.25))..fall.peak;
    let fastest = span.clone().map(|frame| signals.speed(frame)).fold(0.0, f32::max);
    if signals.speed(before) < RUNS * scale {
        return None;
    }
    let reach = span.clone().map(|frame| least_reach(signals, frame)).fold(0.0, f32::max);
    if reach < REACHES {
        let name = match fall.annotation.name() {
            "fall-back" => "tackled-front",
            "fall-right" => "tackled-left",
            "fall-left" => "tackled-right",
            _ => "tackled-behind",
        };
        return Some(name);
    }
    let off =
        span.clone().find(|frame| !signals.grounded[*frame] && is_low(signals, *frame)).unwrap_or(fall.start);
    let way = signals.local(before, signals.hips()[fall.peak] - signals.hips()[off]);
    let angle = libm::atan2f(way.x, way.z);
    let height = (signals.hips()[off].y - signals.floor) / signals.standing;
    let name = match angle {
        angle if angle > ASIDE => "tackle-left",
        angle if angle < -ASIDE => "tackle-right",
        _ if fastest > CHASES * scale => "tackle-behind",
        _ if height > WAIST => "tackle-waist",
        _ => "tackle-legs",
    };
    Some(name)
}

/// Whether the trunk is bent far over.
fn is_low(signals: &Signals, frame: usize) -> bool {
    let trunk = signals.chest()[frame] - signals.hips()[frame];
    trunk.y < 0.75 * trunk.length()
}

/// How far the hand is that is nearest to its shoulder, as a share of the arm.
fn least_reach(signals: &Signals, frame: usize) -> f32 {
    let of = |side: Side| {
        let at = |bone: Bone| Some(signals.path(bone.on(side))?[frame]);
        let [shoulder, elbow, wrist] =
            [at(Bone::LeftUpperArm)?, at(Bone::LeftLowerArm)?, at(Bone::LeftHand)?];
        Some(shoulder.distance(wrist) / (shoulder.distance(elbow) + elbow.distance(wrist)).max(1e-3))
    };
    Side::BOTH.into_iter().map(|side| of(side).unwrap_or(0.0)).fold(f32::INFINITY, f32::min)
}

/// How long both feet of somebody who leaps are off the floor (s): runners' are for less.
const LEAPS: (f32, f32) = (0.3, 1.2);

/// Leaps over somebody, at a run.
fn leaps(signals: &Signals) -> Vec<Stroke> {
    let (shortest, longest) = (signals.frames(LEAPS.0), signals.frames(LEAPS.1));
    runs(&signals.grounded, false)
        .into_iter()
        .filter(|flight| (shortest..longest).contains(&flight.len()) && signals.speed(flight.start) > RUNS)
        .map(|flight| Stroke {
            start: signals.around(flight.start, 0.16, 0.0).start,
            peak: (flight.start + flight.end) / 2,
            end: flight.end.min(signals.n_frames - 1),
            annotation: Annotation::of("jump-over"),
            confidence: 0.8,
        })
        .collect()
}

/// How fast somebody turns who spins (rad/s), and how far at least (rad).
const SPINS: (f32, f32) = (2.4, 4.2);

/// Turns of the whole body round, while it goes on the way it went.
fn spins(signals: &Signals) -> Vec<Stroke> {
    let heading = |ahead: Vec3| libm::atan2f(ahead.x, ahead.z);
    let rate = |frame: usize| {
        let span = signals.around(frame, 0.05, 0.05);
        let turned = wrap_angle(heading(signals.ahead[span.end - 1]) - heading(signals.ahead[span.start]));
        turned * signals.fps / (span.len() - 1).max(1) as f32
    };
    let rates: Vec<f32> = (0..signals.n_frames).map(rate).collect();
    let mut found = Vec::new();
    for (way, name) in [(1.0, "spin-left"), (-1.0, "spin-right")] {
        let round: Vec<bool> = rates.iter().map(|rate| way * rate > SPINS.0).collect();
        for spin in runs(&round, true) {
            let turned: f32 = spin.clone().map(|frame| way * rates[frame] / signals.fps).sum();
            if turned > SPINS.1 {
                let span =
                    signals.around(spin.start, 0.08, 0.0).start..signals.around(spin.end, 0.0, 0.08).end;
                found.push(Stroke {
                    start: span.start,
                    peak: (spin.start + spin.end) / 2,
                    end: span.end - 1,
                    annotation: Annotation::of(name),
                    confidence: 0.8,
                });
            }
        }
    }
    found
}

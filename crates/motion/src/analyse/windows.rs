//! When an attack can land, with what, and where it goes.

use std::ops::Range;

use glam::Vec3;

use crate::annotation::{Annotation, Direction, Kind, Target};
use crate::bone::{Bone, Side};
use crate::placement::{Ground, Placement};
use crate::tracks::gradient;

use super::ActiveWindow;
use super::signals::Signals;

/// The windows of a segment with this annotation: one for an attack, none for anything else.
pub(super) fn of(
    signals: &Signals,
    frames: &Range<usize>,
    annotation: &Annotation,
    peak: Option<usize>,
) -> Vec<ActiveWindow> {
    if annotation.kind() != Kind::Attack {
        return Vec::new();
    }
    let part = part_of(annotation);
    let (Some(path), true) = (signals.striking(part), frames.len() > 1) else { return Vec::new() };
    let speeds: Vec<f32> =
        gradient(&path[frames.clone()], signals.fps).into_iter().map(Vec3::length).collect();
    let reach = |frame: usize| Ground::below(path[frame]).distance(Ground::below(signals.hips()[frame]));
    let peak = peak.filter(|peak| frames.contains(peak)).unwrap_or_else(|| {
        frames.clone().max_by(|a, b| reach(*a).total_cmp(&reach(*b))).unwrap_or(frames.start)
    });
    // It can land from the moment at which it is fast to just after it is farthest.
    let at = peak - frames.start;
    let before = at.saturating_sub(signals.frames(0.25))..at + 1;
    let fastest = before.clone().max_by(|a, b| speeds[*a].total_cmp(&speeds[*b])).unwrap_or(at);
    let mut first = fastest;
    while first > before.start && speeds[first - 1] > 0.6 * speeds[fastest] {
        first -= 1;
    }
    let mut end = (peak + signals.frames(0.03) + 1).min(frames.end);
    // A blade cuts for as long as it is swung.
    let swings = |frame: usize| speeds[frame - frames.start] > 0.6 * speeds[fastest];
    while signals.is_blade(part) && end < frames.end && swings(end) {
        end += 1;
    }
    let window = frames.start + first..end;
    let speed = window.clone().map(|frame| speeds[frame - frames.start]).fold(0.0, f32::max);
    let reach = window.clone().map(reach).fold(0.0, f32::max);
    let point = placement(signals, peak).point_from_world(path[peak]) - Vec3::Y * signals.floor;
    vec![ActiveWindow { frames: window, part, speed, reach, point }]
}

/// The part of the body that an attack lands with.
fn part_of(annotation: &Annotation) -> Bone {
    let side = annotation.side().unwrap_or(Side::Right);
    let kicks = ["kick", "roundhouse", "knee"].iter().any(|word| annotation.name().contains(word));
    let tackles = |words: &[&str]| words.iter().any(|word| annotation.name() == *word);
    if kicks {
        Bone::LeftFoot.on(side)
    } else if tackles(&["tackle-waist", "tackle-legs", "tackle-behind"]) {
        // A shoulder goes in, arms close around.
        Bone::UpperChest
    } else if tackles(&["tackle-left"]) {
        Bone::LeftHand
    } else {
        Bone::LeftHand.on(side)
    }
}

/// The placement in a frame, as `placement_of` defines it, from the smoothed paths.
fn placement(signals: &Signals, frame: usize) -> Placement {
    let ahead = signals.facing_now(frame);
    Placement { position: Ground::below(signals.hips()[frame]), heading: libm::atan2f(ahead.x, ahead.z) }
}

/// Where an action goes and how it comes: by its word, and for attacks by the height at which it arrives.
pub(super) fn aims(
    signals: &Signals,
    annotation: &Annotation,
    windows: &[ActiveWindow],
) -> (Vec<Target>, Vec<Direction>) {
    let Some(word) = annotation.word() else { return (Vec::new(), Vec::new()) };
    let targets = match windows.first() {
        Some(window) => vec![target_at(window.point.y / signals.standing)],
        None => word.targets.to_vec(),
    };
    (targets, word.directions.to_vec())
}

/// What stands at a height, given as a share of the height of the hips, of an opponent of the same size.
fn target_at(height: f32) -> Target {
    match height {
        h if h > 1.36 => Target::Head,
        h if h > 1.1 => Target::UpperTorso,
        h if h > 0.72 => Target::LowerTorso,
        _ => Target::Legs,
    }
}

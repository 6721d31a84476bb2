//! Being struck: a body that is pushed faster than it could move by itself.

use glam::Vec3;

use crate::annotation::Annotation;
use crate::bone::Bone;

use super::Stroke;
use super::signals::Signals;

/// Level acceleration of head or hips that nobody in guard gives to oneself (m/s²).
const PUSH: f32 = 12.0;
/// Once pushed, a body is not seen to be pushed again before this (s).
const APART: f32 = 0.5;
/// Hips that travel this far (m) within this time (s) after a push stagger.
const STAGGER: (f32, f32) = (0.36, 1.0);
/// How far a boxer's hips and shoulders are turned away from the opponent, behind the leading foot (rad).
const BLADED: f32 = 0.5;

/// Reactions to pushes, in order of time. What ends in one of `falls` belongs to it, and the fall then starts with the push.
pub(super) fn reactions(signals: &Signals, falls: &mut [Stroke]) -> Vec<Stroke> {
    let Some(head) = signals.path(Bone::Head) else { return Vec::new() };
    let (head, hips) = (pushes(signals, head), pushes(signals, signals.hips()));
    // Who lies, falls or rises is moved by the ground.
    let stands = |frame: usize| signals.hips()[frame].y - signals.floor > 0.75 * signals.standing;
    let is_pushed = |frame: usize| stands(frame) && head[frame].length().max(hips[frame].length()) > PUSH;
    let mut found = Vec::new();
    let mut frame = 0;
    while frame < signals.n_frames {
        let fall = falls
            .iter_mut()
            .find(|fall| (fall.start.saturating_sub(signals.frames(0.8))..=fall.end).contains(&frame));
        match fall {
            Some(fall) if is_pushed(frame) => {
                if fall.annotation.name() == "knock-down" {
                    fall.start = fall.start.min(frame);
                }
                frame = fall.end + 1;
            }
            None if is_pushed(frame) => {
                let reaction = reaction(signals, &head, &hips, frame);
                frame = reaction.end.max(frame + signals.frames(APART));
                found.push(reaction);
            }
            _ => frame += 1,
        }
    }
    found
}

/// Level accelerations of a joint (m/s²).
fn pushes(signals: &Signals, path: &[Vec3]) -> Vec<Vec3> {
    let step = signals.frames(1.0 / 30.0);
    let scale = (signals.fps / step as f32) * (signals.fps / step as f32);
    let last = path.len() - 1;
    (0..path.len())
        .map(|frame| {
            if frame < step || frame + step > last {
                return Vec3::ZERO;
            }
            let push = (path[frame + step] - 2.0 * path[frame] + path[frame - step]) * scale;
            Vec3::new(push.x, 0.0, push.z)
        })
        .collect()
}

/// The reaction to a push that begins in a frame.
fn reaction(signals: &Signals, head: &[Vec3], hips: &[Vec3], frame: usize) -> Stroke {
    let last = signals.n_frames - 1;
    let after = (frame + signals.frames(STAGGER.1)).min(last);
    let way = signals.hips()[after] - signals.hips()[frame];
    let (name, peak, end) = if libm::hypotf(way.x, way.z) > STAGGER.0 * signals.leg / 0.88 {
        ("stagger", frame + signals.frames(0.5 * STAGGER.1), after)
    } else {
        (struck(signals, head, hips, frame), frame + signals.frames(0.11), frame + signals.frames(0.5))
    };
    let start = frame.saturating_sub(signals.frames(0.04));
    let (peak, end) = (peak.min(last), end.min(last));
    Stroke { start, peak, end, annotation: Annotation::of(name), confidence: 0.6 }
}

/// Where a push came from: the part that moves first, and the way it goes.
fn struck(signals: &Signals, head: &[Vec3], hips: &[Vec3], frame: usize) -> &'static str {
    let first = |pushes: &[Vec3]| {
        let mut frames = signals.around(frame, 0.04, 0.1);
        frames.find(|frame| pushes[*frame].length() > 0.6 * PUSH).unwrap_or(usize::MAX)
    };
    let (head_first, hips_first) = (first(head), first(hips));
    let (part, pushes, onset) =
        if hips_first < head_first { ("torso", hips, hips_first) } else { ("head", head, head_first) };
    let push = signals.around(onset.min(signals.n_frames - 1), 0.0, 0.065).map(|frame| pushes[frame]);
    let push = push.fold(Vec3::ZERO, |most, push| if push.length() > most.length() { push } else { most });
    let ahead = signals.ahead[frame];
    let turn = BLADED * (signals.lead(frame, ahead) / 0.3).clamp(-1.0, 1.0);
    let (sine, cosine) = (libm::sinf(turn), libm::cosf(turn));
    let local = signals.local(frame, push);
    let (left, forward) = (local.x * cosine - local.z * sine, local.x * sine + local.z * cosine);
    match (part, forward.abs() > left.abs(), forward > 0.0, left > 0.0) {
        (_, true, true, _) => "hit-back",
        ("head", true, false, _) => "hit-head-front",
        (_, true, false, _) => "hit-torso-front",
        ("head", false, _, true) => "hit-head-right",
        ("head", false, _, false) => "hit-head-left",
        (_, false, _, true) => "hit-torso-right",
        (_, false, _, false) => "hit-torso-left",
    }
}

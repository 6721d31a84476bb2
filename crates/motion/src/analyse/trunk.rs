//! What the trunk does: ducks, slips, sways, covers, falls, and getting up again.

use glam::Vec3;

use crate::annotation::Annotation;
use crate::bone::{Bone, Side};
use crate::contacts::runs;
use crate::tracks::smoothed;

use super::signals::{Signals, percentile};
use super::{Discipline, Settings, Stroke};

/// Defences and reactions that no attack of the same person explains.
pub(super) fn events(signals: &Signals, attacks: &[Stroke], settings: &Settings) -> Vec<Stroke> {
    let mut found = falls(signals);
    if settings.discipline == Discipline::Running {
        return found;
    }
    for detect in [covers, jumps, leans] {
        let busy: Vec<&Stroke> = attacks.iter().chain(&found).collect();
        let before = signals.frames(WIND_UP);
        let free = |event: &Stroke| !busy.iter().any(|stroke| explains(stroke, event, before));
        let events: Vec<Stroke> = detect(signals).into_iter().filter(free).collect();
        found.extend(events);
    }
    found
}

/// A blow is wound up for as long as this before the hand leaves (s).
const WIND_UP: f32 = 0.12;

/// Whether a stroke is under way, or wound up, at the peak of an event.
fn explains(stroke: &Stroke, event: &Stroke, wind_up: usize) -> bool {
    (stroke.start.saturating_sub(wind_up)..=stroke.end).contains(&event.peak)
}

/// How high both wrists are when they cover the head, seen from the joint of the head, as a share of the leg, and how
/// much higher than usual.
const COVER: (f32, f32) = (-0.06, 0.09);
/// How long a cover lasts (s): less is a gesture, more a guard that is always high.
const COVER_TIME: (f32, f32) = (0.12, 1.6);

/// Both hands raised in front of the head.
fn covers(signals: &Signals) -> Vec<Stroke> {
    let (Some(head), Some(left), Some(right)) =
        (signals.path(Bone::Head), signals.path(Bone::LeftHand), signals.path(Bone::RightHand))
    else {
        return Vec::new();
    };
    let heights: Vec<f32> =
        (0..signals.n_frames).map(|frame| left[frame].y.min(right[frame].y) - head[frame].y).collect();
    let usual = percentile(&mut heights.clone(), 0.5);
    let least = (COVER.0 * signals.leg).max(usual + COVER.1 * signals.leg);
    let near = |frame: usize| {
        [left, right].iter().all(|hand| {
            let apart = hand[frame] - head[frame];
            libm::hypotf(apart.x, apart.z) < 0.45 * signals.leg
        })
    };
    let raised: Vec<bool> =
        (0..signals.n_frames).map(|frame| heights[frame] > least && near(frame)).collect();
    let (shortest, longest) = (signals.frames(COVER_TIME.0), signals.frames(COVER_TIME.1));
    runs(&raised, true)
        .into_iter()
        .filter(|cover| (shortest..=longest).contains(&cover.len()))
        .map(|cover| Stroke {
            start: cover.start.saturating_sub(signals.frames(0.12)),
            peak: (cover.start + cover.end) / 2,
            end: (cover.end + signals.frames(0.12)).min(signals.n_frames - 1),
            annotation: Annotation::of("guard"),
            confidence: 0.7,
        })
        .collect()
}

/// The slowest jump back, over the floor (m/s).
const JUMP: f32 = 1.2;

/// Jumps away from what is ahead: nothing on the floor while the hips shoot back.
pub(super) fn jumps(signals: &Signals) -> Vec<Stroke> {
    let least = JUMP * signals.leg / 0.88;
    let backwards = |frame: usize| {
        let velocity = signals.local(frame, signals.velocity(frame));
        if -velocity.z > 0.7 * velocity.length() { velocity.length() } else { 0.0 }
    };
    let speeds: Vec<f32> = (0..signals.n_frames).map(backwards).collect();
    let mut found: Vec<Stroke> = Vec::new();
    for frame in 1..signals.n_frames.saturating_sub(1) {
        let mut near = signals.around(frame, 0.15, 0.15);
        if speeds[frame] < least || near.any(|other| speeds[other] > speeds[frame]) || signals.grounded[frame]
        {
            continue;
        }
        if found.last().is_some_and(|last| last.end >= frame) {
            continue;
        }
        let span = signals.around(frame, 0.28, 0.18);
        let (start, end) = (span.start, span.end - 1);
        let annotation = Annotation::of("jump-back");
        found.push(Stroke { start, peak: frame, end, annotation, confidence: 0.6 });
    }
    found
}

/// Deviations of the head that count as much as each other (m): aside, back, down.
const UNITS: Vec3 = Vec3::new(0.12, 0.14, 0.15);
/// Width of the Gaussian that tells a posture from a movement (s).
const POSTURE: f32 = 1.0;

/// Movements of the head away from where it usually is: down, back relative to the hips, aside over the feet.
fn leans(signals: &Signals) -> Vec<Stroke> {
    let Some(head) = signals.path(Bone::Head) else { return Vec::new() };
    let (hips, left, right) = (signals.hips(), signals.ankle(Side::Left), signals.ankle(Side::Right));
    let lean: Vec<Vec3> = (0..signals.n_frames)
        .map(|frame| {
            let over_hips = signals.local(frame, head[frame] - hips[frame]);
            let over_feet = signals.local(frame, head[frame] - 0.5 * (left[frame] + right[frame]));
            Vec3::new(0.5 * (over_hips.x + over_feet.x), head[frame].y, over_hips.z)
        })
        .collect();
    let usual = smoothed(&lean, signals.fps, POSTURE);
    let away: Vec<Vec3> = lean.iter().zip(&usual).map(|(now, usual)| *now - *usual).collect();
    let size = |off: Vec3| {
        let scale = signals.leg / 0.88;
        let down = (-off.y).max(0.0) / (UNITS.z * scale);
        let back = (-off.z).max(0.0) / (UNITS.y * scale);
        let aside = off.x / (UNITS.x * scale);
        libm::sqrtf(down * down + back * back + aside * aside)
    };
    let sizes: Vec<f32> = away.iter().map(|off| size(*off)).collect();
    let mut found: Vec<Stroke> = Vec::new();
    for frame in 1..signals.n_frames.saturating_sub(1) {
        let near = signals.around(frame, 0.25, 0.25);
        if sizes[frame] < 1.0 || near.clone().any(|other| sizes[other] > sizes[frame]) {
            continue;
        }
        let (start, end) =
            (edge(&sizes, frame, signals.frames(0.45), -1), edge(&sizes, frame, signals.frames(0.5), 1));
        // It comes and goes; a posture that stays is no movement.
        let prominent = sizes[start].max(sizes[end]) < 0.65 * sizes[frame];
        if !prominent || found.last().is_some_and(|last| last.end > frame) {
            continue;
        }
        let name = if are_raised(signals, head, frame) { "guard" } else { class(away[frame]) };
        // Who turns on the spot leans, seen from a facing that comes after.
        let turned = signals.ahead[start].dot(signals.ahead[end]) < TURNED_AWAY;
        if turned && name.starts_with("slip") {
            continue;
        }
        let annotation = Annotation::of(name);
        let confidence = (0.4 + 0.2 * sizes[frame]).min(0.9);
        found.push(Stroke { start, peak: frame, end, annotation, confidence });
    }
    found
}

/// The nearest frame in a direction in which a bump has fallen to a third, or no longer falls, or the window ends.
fn edge(sizes: &[f32], peak: usize, most: usize, direction: isize) -> usize {
    let mut frame = peak;
    for _ in 0..most {
        let Some(next) = frame.checked_add_signed(direction).filter(|next| *next < sizes.len()) else {
            break;
        };
        if sizes[next] < sizes[frame] || sizes[frame] > 0.6 * sizes[peak] {
            frame = next;
        } else {
            break;
        }
        if sizes[frame] < 0.33 * sizes[peak] {
            break;
        }
    }
    frame
}

/// Cosine of the turn from start to end of an event above which it is no turn.
const TURNED_AWAY: f32 = 0.85;

/// Whether both wrists are as high as the head.
fn are_raised(signals: &Signals, head: &[Vec3], frame: usize) -> bool {
    Side::BOTH.into_iter().all(|side| {
        let wrist = signals.path(Bone::LeftHand.on(side));
        wrist.is_some_and(|wrist| wrist[frame].y > head[frame].y + COVER.0 * signals.leg)
    })
}

fn class(off: Vec3) -> &'static str {
    let (down, back, aside) = (-off.y / UNITS.z, -off.z / UNITS.y, off.x / UNITS.x);
    if back > 0.9 * down && back > aside.abs() {
        "sway-back"
    } else if down > aside.abs() {
        "duck"
    } else if aside > 0.0 {
        "slip-left"
    } else {
        "slip-right"
    }
}

/// Falls to the ground, and getting up from it: the hips sink below half their height.
pub(super) fn falls(signals: &Signals) -> Vec<Stroke> {
    let mut down: Vec<bool> =
        signals.hips().iter().map(|hips| hips.y - signals.floor < 0.5 * signals.standing).collect();
    let height = |frame: usize| (signals.hips()[frame].y - signals.floor) / signals.standing;
    // Somebody who rolls on the ground does not get up in between.
    for gap in runs(&down, false) {
        if gap.start > 0 && gap.end < down.len() && gap.len() < signals.frames(0.6) {
            down[gap].fill(true);
        }
    }
    let mut found = Vec::new();
    for lie in runs(&down, true) {
        let mut start = lie.start;
        while start > 0 && height(start) < 0.9 && height(start - 1) >= height(start) {
            start -= 1;
        }
        let mut lowest = lie.start;
        while lowest + 1 < lie.end && height(lowest + 1) < height(lowest) {
            lowest += 1;
        }
        if lie.start > 0 {
            let annotation = Annotation::of("knock-down");
            found.push(Stroke { start, peak: lowest, end: lowest, annotation, confidence: 0.8 });
        }
        if lie.end < signals.n_frames {
            let mut rise = lie.end - 1;
            while rise > lowest && height(rise - 1) < height(rise) {
                rise -= 1;
            }
            let mut end = lie.end;
            while end + 1 < signals.n_frames && height(end) < 0.9 && height(end + 1) >= height(end) {
                end += 1;
            }
            let annotation = Annotation::of("get-up");
            found.push(Stroke { start: rise, peak: lie.end, end, annotation, confidence: 0.8 });
        }
    }
    found
}

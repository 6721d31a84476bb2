//! What the trunk does: ducks, slips, sways, covers, falls, and getting up again.

use glam::Vec3;

use crate::annotation::Annotation;
use crate::bone::{Bone, Side};
use crate::contacts::runs;
use crate::tracks::smoothed;

use super::signals::Signals;
use super::{Discipline, Settings, Stroke};

/// Defences and reactions that no attack of the same person explains, in the order of their peaks.
pub(super) fn events(signals: &Signals, attacks: &[Stroke], settings: &Settings) -> Vec<Stroke> {
    let mut found = falls(signals);
    if settings.discipline != Discipline::Running {
        let busy: Vec<Stroke> = attacks.iter().chain(&found).cloned().collect();
        found.extend(defences(signals, &busy));
    }
    found
}

/// Deviations of the head that count as much as each other (m): down, back, aside.
const UNITS: Vec3 = Vec3::new(0.12, 0.14, 0.15);
/// Width of the Gaussian that tells a posture from a movement (s).
const POSTURE: f32 = 1.0;

/// Movements of the head away from where it usually is, relative to the hips, that no blow explains.
fn defences(signals: &Signals, busy: &[Stroke]) -> Vec<Stroke> {
    let Some(head) = signals.path(Bone::Head) else { return Vec::new() };
    let hips = signals.hips();
    let lean: Vec<Vec3> = (0..signals.n_frames)
        .map(|frame| {
            let apart = signals.local(frame, head[frame] - hips[frame]);
            Vec3::new(apart.x, head[frame].y, apart.z)
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
        let is_busy = busy.iter().any(|stroke| stroke.start <= frame && frame <= stroke.end);
        if !prominent || is_busy || found.last().is_some_and(|last| last.end > frame) {
            continue;
        }
        let annotation = Annotation::of(class(signals, head, frame, away[frame]));
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

fn class(signals: &Signals, head: &[Vec3], frame: usize, off: Vec3) -> &'static str {
    let raised = |side: Side| {
        let wrist = signals.path(Bone::LeftHand.on(side));
        wrist.is_some_and(|wrist| wrist[frame].y > head[frame].y - 0.05 * signals.leg)
    };
    let (down, back, aside) = (-off.y / UNITS.z, -off.z / UNITS.y, off.x / UNITS.x);
    if raised(Side::Left) && raised(Side::Right) {
        "guard"
    } else if back > 0.9 * down && back > aside.abs() {
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
fn falls(signals: &Signals) -> Vec<Stroke> {
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

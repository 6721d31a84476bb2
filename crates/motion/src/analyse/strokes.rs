//! Blows of the hands: found where a wrist shoots forward, named by the arc it takes.

use std::ops::Range;

use glam::Vec3;

use crate::annotation::Annotation;
use crate::bone::{Bone, Side};

use super::signals::{Signals, percentile};
use super::{Discipline, Settings, Stroke};

/// Blows of both hands in the order of their peaks. Arms that swing with a kick do not strike.
pub(super) fn hands(signals: &Signals, kicks: &[Stroke], settings: &Settings) -> Vec<Stroke> {
    let arms: Vec<Arm> = Side::BOTH.into_iter().filter_map(|side| Arm::of(signals, side)).collect();
    if settings.discipline == Discipline::Running {
        return catches(signals, &arms);
    }
    let least = if kicks.is_empty() { least_speed(&arms, settings) } else { settings.hand_speed };
    let with_a_kick =
        |blow: &Blow| kicks.iter().any(|kick| kick.start <= blow.peak && blow.start <= kick.end);
    let mut blows: Vec<(Blow, Side)> = Vec::new();
    for arm in &arms {
        blows.extend(arm.blows(signals, least).into_iter().map(|blow| (blow, arm.side)));
    }
    blows.sort_by_key(|(blow, _)| blow.peak);
    let together = signals.frames(TOGETHER);
    let alone = |(blow, side): &(Blow, Side)| {
        let twin = |(other, other_side): &(Blow, Side)| {
            other_side != side
                && other.fastest.abs_diff(blow.fastest) <= together
                && other.speed > 0.7 * blow.speed
                && blow.speed > 0.7 * other.speed
        };
        !blows.iter().any(twin)
    };
    (blows.iter())
        .filter(|blow| alone(blow) && !with_a_kick(&blow.0))
        .filter(|(blow, _)| settings.discipline == Discipline::Boxing || signals.speed(blow.peak) < RUNS)
        .map(|(blow, side)| blow.named(signals, *side, settings))
        .collect()
}

/// Hands that shoot out at the same moment (s) push or cover; they do not strike.
const TOGETHER: f32 = 0.04;
/// Whose hips are faster than this over the floor (m/s) swings the arms for another reason than to strike.
const RUNS: f32 = 1.6;

/// How far ahead of the chest a hand is that reaches for somebody, and how far below at most, as shares of the arm:
/// arms that swing with the legs stay bent or low.
const REACH_OUT: (f32, f32) = (0.68, 0.42);

/// Hands thrown out to catch or tag somebody.
fn catches(signals: &Signals, arms: &[Arm]) -> Vec<Stroke> {
    let mut found = Vec::new();
    for arm in arms {
        for frame in 1..arm.places.len().saturating_sub(1) {
            let place = arm.places[frame];
            let reaches = place.z > REACH_OUT.0 * arm.length && place.y > -REACH_OUT.1 * arm.length;
            let mut near = signals.around(frame, 0.2, 0.2);
            let is_farthest = near.all(|other| match other.cmp(&frame) {
                std::cmp::Ordering::Less => arm.places[other].z < place.z,
                _ => arm.places[other].z <= place.z,
            });
            if reaches && is_farthest {
                let span = signals.around(frame, 0.2, 0.15);
                found.push(Stroke {
                    start: span.start,
                    peak: frame,
                    end: span.end - 1,
                    annotation: Annotation::sided(arm.side, "catch"),
                    confidence: 0.7,
                });
            }
        }
    }
    found.sort_by_key(|stroke| stroke.peak);
    found
}

/// The slowest blow of this take (m/s): that of the settings, or less where even the fastest hands are slow.
fn least_speed(arms: &[Arm], settings: &Settings) -> f32 {
    /// Slower hands gesture.
    const SLOWEST: f32 = 1.3;
    let fastest = arms.iter().map(|arm| percentile(&mut arm.speeds.clone(), 0.99)).fold(0.0, f32::max);
    settings.hand_speed.min((0.6 * fastest).max(SLOWEST))
}

/// One arm in all frames, seen from the chest.
struct Arm<'a> {
    side: Side,
    wrist: &'a [Vec3],
    elbow: Option<&'a [Vec3]>,
    shoulder: &'a [Vec3],
    /// Wrist relative to the chest as (left, up, ahead) (m).
    places: Vec<Vec3>,
    /// Its velocity (m/s).
    rates: Vec<Vec3>,
    speeds: Vec<f32>,
    /// Shoulder to wrist when stretched (m).
    length: f32,
}

/// A blow as it was measured.
struct Blow {
    start: usize,
    fastest: usize,
    peak: usize,
    end: usize,
    speed: f32,
    /// Shoulder to wrist at the peak, share of the arm's length.
    reach: f32,
    /// Angle between upper arm and forearm at the peak (rad); π is stretched.
    elbow: f32,
    /// Shares of the speed at the fastest moment: towards the other side, up, ahead.
    inwards: f32,
    upwards: f32,
    /// How far the path bulges out to the own side, and below, of the chord from start to peak (m).
    bulge_out: f32,
    bulge_down: f32,
    /// Where the wrist goes, level, in the world (m).
    way: Vec3,
}

impl<'a> Arm<'a> {
    fn of(signals: &'a Signals, side: Side) -> Option<Arm<'a>> {
        let wrist = signals.path(Bone::LeftHand.on(side))?;
        let shoulder = signals.path(Bone::LeftUpperArm.on(side))?;
        let elbow = signals.path(Bone::LeftLowerArm.on(side));
        let (places, rates) = signals.relative(wrist, signals.chest());
        let speeds = rates.iter().map(|rate| rate.length()).collect();
        let length = match elbow {
            Some(elbow) => shoulder[0].distance(elbow[0]) + elbow[0].distance(wrist[0]),
            None => (0..wrist.len()).map(|frame| shoulder[frame].distance(wrist[frame])).fold(0.0, f32::max),
        };
        Some(Arm { side, wrist, elbow, shoulder, places, rates, speeds, length: length.max(0.05) })
    }

    fn blows(&self, signals: &Signals, least: f32) -> Vec<Blow> {
        /// Two blows of the same hand are never closer (s).
        const APART: f32 = 0.08;
        let mut found: Vec<Blow> = Vec::new();
        for frame in 1..self.speeds.len().saturating_sub(1) {
            let speed = self.speeds[frame];
            if speed < least {
                continue;
            }
            let near = signals.around(frame, APART, APART);
            let is_greatest = near.clone().all(|other| match other.cmp(&frame) {
                std::cmp::Ordering::Less => self.speeds[other] < speed,
                _ => self.speeds[other] <= speed,
            });
            if !is_greatest || !self.strikes(frame, least) {
                continue;
            }
            let blow = self.blow(signals, frame);
            if blow.reach < LEAST_REACH || blow.elbow < LEAST_ELBOW {
                continue;
            }
            match found.last_mut() {
                // The same swing, seen twice.
                Some(last) if blow.start < last.fastest || blow.peak == last.peak => {
                    if blow.speed > last.speed {
                        *last = blow;
                    }
                }
                _ => found.push(blow),
            }
        }
        found
    }

    /// Whether the wrist goes somewhere worth hitting: ahead, or across in front of the chest.
    fn strikes(&self, frame: usize, least: f32) -> bool {
        let (rate, speed) = (self.rates[frame], self.speeds[frame]);
        let ahead = rate.z > (0.4 * least).max(0.2 * speed);
        let across =
            self.inwards(rate) > ACROSS * speed && rate.z > -0.3 * speed && self.places[frame].z > 0.0;
        ahead || across
    }

    /// The part of a velocity that goes towards the other side (m/s).
    fn inwards(&self, rate: Vec3) -> f32 {
        if self.side == Side::Left { -rate.x } else { rate.x }
    }

    fn blow(&self, signals: &Signals, fastest: usize) -> Blow {
        /// Longest way to the fastest moment, and from there to the farthest (s).
        const LONGEST: (f32, f32) = (0.3, 0.25);
        /// Longest return (s).
        const RETURN: f32 = 0.5;
        let (speed, last) = (self.speeds[fastest], self.speeds.len() - 1);
        let earliest = fastest.saturating_sub(signals.frames(LONGEST.0));
        let mut start = fastest;
        while start > earliest && self.speeds[start] > 0.25 * speed {
            let is_lull = self.speeds[start] < 0.5 * speed && self.speeds[start - 1] > self.speeds[start];
            if is_lull {
                break;
            }
            start -= 1;
        }
        let latest = (fastest + signals.frames(LONGEST.1)).min(last);
        let mut peak = fastest;
        // What goes across is farthest when it has lost half its speed; the rest when it no longer goes ahead.
        let goes_on = |frame: usize| match self.rates[fastest].z > 0.3 * speed {
            true => self.rates[frame].z > 0.0,
            false => self.inwards(self.rates[frame]) > 0.5 * self.inwards(self.rates[fastest]),
        };
        while peak < latest && goes_on(peak) {
            peak += 1;
        }
        // Over when the hand comes to rest after its return, or leaves again.
        let mut end = (peak + signals.frames(0.06)).min(last);
        let latest = (peak + signals.frames(RETURN)).min(last);
        while end < latest && (self.speeds[end] > 0.2 * speed || self.speeds[end + 1] < self.speeds[end]) {
            end += 1;
        }
        let outwards = if self.side == Side::Left { 1.0 } else { -1.0 };
        let rate = self.rates[fastest] / speed;
        let bulge = bulge(&self.places, start..peak + 1);
        let chord = self.wrist[peak] - self.wrist[start];
        Blow {
            start,
            fastest,
            peak,
            end,
            speed,
            reach: self.shoulder[peak].distance(self.wrist[peak]) / self.length,
            elbow: self.elbow_angle(peak),
            inwards: self.inwards(rate),
            upwards: rate.y,
            bulge_out: outwards * bulge.x,
            bulge_down: -bulge.y,
            way: Vec3::new(chord.x, 0.0, chord.z),
        }
    }

    fn elbow_angle(&self, frame: usize) -> f32 {
        let Some(elbow) = self.elbow else { return std::f32::consts::PI };
        let upper = self.shoulder[frame] - elbow[frame];
        let lower = self.wrist[frame] - elbow[frame];
        let lengths = upper.length() * lower.length();
        if lengths < 1e-6 {
            return std::f32::consts::PI;
        }
        libm::acosf((upper.dot(lower) / lengths).clamp(-1.0, 1.0))
    }
}

/// Shorter reaches lift the guard.
const LEAST_REACH: f32 = 0.5;
/// An arm folded tighter than this (rad) hits nobody.
const LEAST_ELBOW: f32 = 0.9;
/// Arms bent more than this (rad) at the peak hook or cut upwards.
const BENT: f32 = 1.57;
/// Arms bent less than this (rad) go straight, unless they swing.
const STRETCHED: f32 = 1.92;
/// Arms that go round may be stretched up to this (rad).
const ROUND: f32 = 2.25;
/// Share of the speed towards the other side from which a hand goes across instead of ahead; captured straight blows of a
/// rear hand have up to 0.62.
const ACROSS: f32 = 0.72;

impl Blow {
    fn named(&self, signals: &Signals, side: Side, settings: &Settings) -> Stroke {
        let (annotation, confidence) = if self.parries(settings) {
            (Annotation::of("parry"), 0.6)
        } else {
            let (rest, confidence) = self.class(signals, side);
            (Annotation::sided(side, rest), confidence)
        };
        Stroke { start: self.start, peak: self.peak, end: self.end, annotation, confidence }
    }

    /// Whether the hand only brushes something aside: across, not up, and too slow for a blow.
    fn parries(&self, settings: &Settings) -> bool {
        self.inwards > 0.45 && self.upwards < 0.05 && self.speed < 1.5 * settings.hand_speed
    }

    fn class(&self, signals: &Signals, side: Side) -> (&'static str, f32) {
        let rises = self.upwards > 0.35 && self.bulge_down > 0.08 && self.bulge_down > self.bulge_out;
        let swings = self.bulge_out > 0.2 || self.inwards > ACROSS;
        let rounds = self.bulge_out > 0.09 && self.inwards > 0.2 && self.elbow < ROUND;
        let half_bent = self.elbow < STRETCHED;
        if swings || rounds {
            ("hook", 0.8)
        } else if half_bent && (rises || self.upwards > 0.55) {
            ("uppercut", 0.75)
        } else if self.elbow < BENT || half_bent && self.inwards > 0.3 {
            if self.upwards > 0.45 { ("uppercut", 0.7) } else { ("hook", 0.7) }
        } else {
            let ahead = self.way.try_normalize().unwrap_or(signals.ahead[self.peak]);
            let lead = 0.5 * (signals.lead(self.start, ahead) + signals.lead(self.peak, ahead));
            let leads = if side == Side::Left { lead > 0.0 } else { lead < 0.0 };
            let confidence = 0.7 + 0.25 * (lead.abs() / 0.3).min(1.0);
            (if leads { "jab" } else { "straight" }, confidence)
        }
    }
}

/// The point of a path that is farthest from its chord, as seen from the chord (m).
fn bulge(path: &[Vec3], frames: Range<usize>) -> Vec3 {
    let (first, last) = (path[frames.start], path[frames.end - 1]);
    let Some(along) = (last - first).try_normalize() else { return Vec3::ZERO };
    frames
        .map(|frame| {
            let from_start = path[frame] - first;
            from_start - along * from_start.dot(along)
        })
        .fold(Vec3::ZERO, |far, off| if off.length_squared() > far.length_squared() { off } else { far })
}

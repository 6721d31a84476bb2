//! What is held in both hands: hands ahead of the body that keep their distance, from where they got it to where they
//! leave it.

use std::ops::Range;

use glam::Vec3;

use crate::annotation::{Annotation, Load};
use crate::bone::{Bone, Side};
use crate::contacts::runs;
use crate::math::wrap_angle;

use super::Stroke;
use super::signals::{Signals, percentile};
use super::steps::step_towards;

/// A load in two hands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Held {
    /// From the frame in which hands close to that in which they open.
    pub(super) frames: Range<usize>,
    /// Its taking and its giving, if they are in the clip.
    pub(super) strokes: Vec<Stroke>,
    load: Load,
}

/// How much the distance of the hands changes while they hold something (m), at most, within [`WINDOW`] to either
/// side (s).
const KEEPS: f32 = 0.022;
const WINDOW: f32 = 0.12;
/// Hands that hold something are farther ahead of the hips than this, or lower than hanging hands, as shares of the leg.
const AHEAD: f32 = 0.11;
const LOW: f32 = 0.62;
/// Hands that do less are busy otherwise (s).
const SHORTEST: f32 = 1.0;
/// Shorter interruptions are none (s).
const GAP: f32 = 0.1;

/// Hands have closed so long before the window shows it, and open so long after (s).
const EDGE: f32 = 0.04;

/// Every load that is held in a take, in order.
pub(super) fn held(signals: &Signals) -> Vec<Held> {
    let Some(hands) = Hands::of(signals) else { return Vec::new() };
    let mut holds: Vec<bool> = (0..signals.n_frames).map(|frame| hands.hold(signals, frame)).collect();
    for gap in runs(&holds, false) {
        if gap.start > 0 && gap.end < holds.len() && gap.len() < signals.frames(GAP) {
            holds[gap].fill(true);
        }
    }
    let edge = signals.frames(EDGE);
    runs(&holds, true)
        .into_iter()
        .filter(|hold| hold.len() >= signals.frames(SHORTEST))
        .map(|hold| hold.start.saturating_sub(edge)..(hold.end + edge).min(signals.n_frames))
        .map(|hold| hands.between_floors(signals, hold))
        .map(|frames| {
            let upright = upright(signals, &frames);
            let load = hands.load(signals, &upright);
            let strokes = hands.strokes(signals, &frames, &upright, load);
            Held { frames, strokes, load }
        })
        .collect()
}

/// Lengths are given for legs of 0.88 m.
fn scale(signals: &Signals) -> f32 {
    signals.leg / 0.88
}

/// Hands farther apart than this hold something large (m).
const LARGE: f32 = 0.40;
/// A trunk that leans back farther than this holds against something heavy (rad).
const LEANS_BACK: f32 = -0.09;
/// Arms stretched farther than this carry one end of something (share of their length).
const STRETCHED: f32 = 0.94;

/// Hands below this share of the height of standing hips take things from the floor.
const FLOOR: f32 = 0.55;
/// The longest time from the floor to where a load is carried, or back (s).
const RISE: f32 = 1.5;
/// The longest time in which hands go to a load, or from it (s).
const LONGEST: f32 = 2.0;
/// Share of that way after which they are there.
const ARRIVED: f32 = 0.93;

/// Both hands in all frames.
struct Hands {
    /// From wrist to wrist (m).
    apart: Vec<f32>,
    /// Height of the middle between them over the floor, and how far it is ahead of the hips (m).
    places: Vec<[f32; 2]>,
}

impl Hands {
    fn of(signals: &Signals) -> Option<Hands> {
        let (left, right) = (signals.path(Bone::LeftHand)?, signals.path(Bone::RightHand)?);
        let place = |frame: usize| {
            let middle = 0.5 * (left[frame] + right[frame]);
            [middle.y - signals.floor, signals.local(frame, middle - signals.hips()[frame]).z]
        };
        Some(Hands {
            apart: left.iter().zip(right).map(|(left, right)| left.distance(*right)).collect(),
            places: (0..signals.n_frames).map(place).collect(),
        })
    }

    /// Whether they hold something around a frame.
    fn hold(&self, signals: &Signals, frame: usize) -> bool {
        let [height, ahead] = self.places[frame];
        let near = &self.apart[signals.around(frame, WINDOW, WINDOW)];
        let (least, most) = (near.iter()).fold((f32::INFINITY, 0.0_f32), |(a, b), d| (a.min(*d), b.max(*d)));
        let is_there = ahead > AHEAD * signals.leg || height < LOW * signals.leg;
        is_there && most - least < KEEPS * scale(signals)
    }

    /// The same hold from the moment at which hands were on the floor, and to the next at which they are: captured
    /// people shift their hands on the way up and down.
    fn between_floors(&self, signals: &Signals, hold: Range<usize>) -> Range<usize> {
        let floor = FLOOR * signals.standing;
        let height = |frame: &usize| self.places[*frame][0];
        let lowest = |frames: Range<usize>| {
            frames.min_by(|a, b| height(a).total_cmp(&height(b))).filter(|frame| height(frame) < floor)
        };
        let (first, last) = (hold.start, hold.end - 1);
        let start = if height(&first) < floor { None } else { lowest(signals.around(first, RISE, 0.0)) };
        let end = if height(&last) < floor { None } else { lowest(signals.around(last, 0.0, RISE)) };
        start.unwrap_or(first)..end.unwrap_or(last) + 1
    }

    /// What they hold, by the frames in which it is carried upright.
    fn load(&self, signals: &Signals, upright: &[usize]) -> Load {
        Load {
            is_large: median(upright, |frame| self.apart[frame]) > LARGE * scale(signals),
            is_heavy: median(upright, |frame| lean(signals, frame)) < LEANS_BACK,
            is_shared: median(upright, |frame| stretch(signals, frame)) > STRETCHED,
        }
    }

    /// The taking and the giving of a load, if they are in the clip.
    fn strokes(&self, signals: &Signals, held: &Range<usize>, upright: &[usize], load: Load) -> Vec<Stroke> {
        let floor = FLOOR * signals.standing;
        let ends = [(held.start, ["lift", "receive"]), (held.end - 1, ["put-down", "hand-over"])];
        (ends.into_iter())
            .filter(|(peak, _)| (1..signals.n_frames - 1).contains(peak))
            .map(|(peak, [low, far])| {
                let way = usize::from(self.places[peak][0] > floor);
                let usual = median(upright, |frame| self.places[frame][way]);
                let (start, end) = self.span(signals, held, peak, way, usual);
                let annotation = Annotation::of([low, far][way]).with(load);
                Stroke { start, peak, end, annotation, confidence: 0.8 }
            })
            .collect()
    }

    /// From where to where hands are on their way to or from the place at which they close or open: low on the floor
    /// (`way` 0) or far ahead (1). Where a load is carried is `usual` (m).
    fn span(
        &self,
        signals: &Signals,
        held: &Range<usize>,
        peak: usize,
        way: usize,
        usual: f32,
    ) -> (usize, usize) {
        let there = self.places[peak][way];
        let away = |frame: usize| (self.places[frame][way] - there).abs();
        let near = signals.around(peak, LONGEST, LONGEST);
        let at_rest = |frames: Range<usize>| {
            // Free hands hang as far off as they get; held ones are where loads are carried.
            let is_held = held.contains(&((frames.start + frames.end) / 2));
            let farthest = frames.map(away).fold(0.0, f32::max);
            ARRIVED * if is_held { (usual - there).abs().min(farthest) } else { farthest }
        };
        let (before, after) = (at_rest(near.start..peak + 1), at_rest(peak..near.end));
        let start = (near.start..peak).rev().find(|frame| away(*frame) >= before);
        let end = (peak + 1..near.end).find(|frame| away(*frame) >= after);
        (start.unwrap_or(near.start), end.unwrap_or(near.end - 1))
    }
}

/// The frames of a hold in which somebody stands upright.
fn upright(signals: &Signals, held: &Range<usize>) -> Vec<usize> {
    let height = |frame: &usize| signals.hips()[*frame].y - signals.floor;
    let usual = percentile(&mut held.clone().map(|frame| height(&frame)).collect::<Vec<_>>(), 0.75);
    held.clone().filter(|frame| height(frame) > 0.94 * usual).collect()
}

fn median(frames: &[usize], value: impl Fn(usize) -> f32) -> f32 {
    percentile(&mut frames.iter().map(|frame| value(*frame)).collect::<Vec<_>>(), 0.5)
}

/// How far the line from hips to head leans forward (rad).
fn lean(signals: &Signals, frame: usize) -> f32 {
    let top = signals.path(Bone::Neck).or_else(|| signals.path(Bone::Head)).unwrap_or(signals.chest());
    let up = signals.local(frame, top[frame] - signals.hips()[frame]);
    libm::atan2f(up.z, up.y)
}

/// How far arms are stretched, both together, as a share of their length.
fn stretch(signals: &Signals, frame: usize) -> f32 {
    let arm = |side: Side| {
        let [upper, lower, hand] = [Bone::LeftUpperArm, Bone::LeftLowerArm, Bone::LeftHand]
            .map(|bone| signals.path(bone.on(side)).map(|path| path[frame]));
        let (upper, lower, hand) = (upper?, lower?, hand?);
        let length = upper.distance(lower) + lower.distance(hand);
        (length > 0.0).then(|| upper.distance(hand) / length)
    };
    let both = Side::BOTH.map(|side| arm(side).unwrap_or(0.0));
    0.5 * (both[0] + both[1])
}

/// Turns by more than this in one step are meant (rad), alone and with somebody at the other end.
const TURNS: [f32; 2] = [0.18, 0.08];
/// Shorter ways are none (m).
const NOWHERE: f32 = 0.09;

impl Held {
    /// The name of a segment in which it is carried.
    pub(super) fn name(&self, signals: &Signals, frames: &Range<usize>) -> Annotation {
        let (first, last) = (frames.start, frames.end.saturating_sub(1).max(frames.start));
        let heading = |frame: usize| {
            let ahead: Vec3 = signals.ahead[frame];
            libm::atan2f(ahead.x, ahead.z)
        };
        let turned = wrap_angle(heading(last) - heading(first));
        let way = signals.local((first + last) / 2, signals.hips()[last] - signals.hips()[first]);
        let least = TURNS[usize::from(self.load.is_shared)];
        let name = if turned > least {
            "carry-turn-left".to_owned()
        } else if turned < -least {
            "carry-turn-right".to_owned()
        } else if libm::hypotf(way.x, way.z) < NOWHERE * scale(signals) {
            "carry-stand".to_owned()
        } else {
            step_towards(way).replace("step", "carry")
        };
        Annotation::new(&name).unwrap_or(Annotation::of("carry-stand")).with(self.load)
    }
}

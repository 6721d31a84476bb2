//! A space of like motions with one parameter.

use std::sync::Arc;

use glam::Vec3;

use super::carry;
use super::recipe::{BadRecipe, Blade, Measure, NodeRecipe, Sample};
use super::warp::{Phase, align};
use crate::annotation::Annotation;
use crate::blend::combine_into;
use crate::bone::{Bone, Side};
use crate::clip::{Clip, ClipError};
use crate::library::feet::{self, KeptFoot};
use crate::math::wrap_angle;
use crate::placement::{Ground, Placement};
use crate::pose::{GlobalPose, Pose};
use crate::rate::FrameRate;
use crate::skeleton::{JointId, Skeleton};

/// A kind of motion: samples on one time line, ordered by their parameter.
///
/// Everything is in the node's own frame: its samples start at the origin and face +Z. What lies between two samples is
/// their convex combination, place by place, so that feet that stand in both stand between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Unique in its graph.
    pub name: String,
    /// What it is.
    pub annotation: Annotation,
    /// What the parameter is.
    pub measure: Measure,
    pub(super) range: [f32; 2],
    /// Of the samples, ascending.
    pub(super) parameters: Vec<f32>,
    /// Poses at the keys of the time line, sample by sample.
    pub(super) clips: Vec<Clip>,
    /// Times and places at the keys, sample by sample.
    pub(super) keys: Vec<Key>,
    pub(super) n_keys: usize,
    pub(super) phases: Vec<Phase>,
    /// For each pair of neighbours, the weights of the second with which the blend has the parameter, at even steps from
    /// that of the first to that of the second.
    pub(super) weights: Vec<[f32; STEPS + 1]>,
}

/// Steps between two samples at which the weight of a parameter is known.
pub(super) const STEPS: usize = 8;

/// What is known of one sample at one key of the time line, besides its pose. In the node's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Key {
    /// Since the start of the sample (s).
    pub(super) time: f32,
    /// The heading is not wrapped.
    pub(super) placement: Placement,
    /// Balls of the feet (m); left, then right.
    pub(super) balls: [Vec3; 2],
    pub(super) parts: Parts,
}

/// Where parts of the body are (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Parts {
    pub(super) head: Vec3,
    pub(super) hands: [Vec3; 2],
    pub(super) blade: [Vec3; 2],
}

impl Parts {
    fn lerp(&self, other: &Parts, share: f32) -> Parts {
        let pair = |a: [Vec3; 2], b: [Vec3; 2]| [a[0].lerp(b[0], share), a[1].lerp(b[1], share)];
        Parts {
            head: self.head.lerp(other.head, share),
            hands: pair(self.hands, other.hands),
            blade: pair(self.blade, other.blade),
        }
    }
}

/// A sample has no more frames than this: aligning takes the square of them.
const MAX_FRAMES: usize = 2000;
/// Halvings of a weight until it is as exact as it need be.
const HALVINGS: usize = 16;
/// Samples with parameters nearer than this share of the range are the same.
const LEAST_STEP: f32 = 1e-4;

impl Node {
    pub(super) fn new(
        recipe: &NodeRecipe,
        skeleton: &Arc<Skeleton>,
        blade: Option<Blade>,
    ) -> Result<Node, BadRecipe> {
        if recipe.samples.is_empty() {
            return Err(BadRecipe::NoSamples { node: recipe.name.clone() });
        }
        let mut ordered = Vec::with_capacity(recipe.samples.len());
        for (at, sample) in recipe.samples.iter().enumerate() {
            let parameter = measured(sample, recipe.measure, skeleton)
                .map_err(|problem| BadRecipe::BadSample { node: recipe.name.clone(), sample: at, problem })?;
            ordered.push((parameter, at, sample));
        }
        ordered.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let spanned = [ordered[0].0, ordered[ordered.len() - 1].0];
        let least = LEAST_STEP * (spanned[1] - spanned[0]);
        if let Some(pair) = ordered.windows(2).find(|pair| pair[1].0 - pair[0].0 <= least) {
            let (node, parameter) = (recipe.name.clone(), pair[0].0);
            return Err(BadRecipe::SameParameter { node, first: pair[0].1, second: pair[1].1, parameter });
        }
        let range = recipe.range.unwrap_or(spanned);
        if !(spanned[0] <= range[0] && range[0] <= range[1] && range[1] <= spanned[1]) {
            return Err(BadRecipe::Range { node: recipe.name.clone(), range, spanned });
        }
        let samples: Vec<&Sample> = ordered.iter().map(|(_, _, sample)| *sample).collect();
        let aligned = align(&recipe.name, skeleton, &samples)?;
        let mut clips = Vec::with_capacity(samples.len());
        for ((_, at, sample), times) in ordered.iter().zip(&aligned.times) {
            clips.push(resampled(sample, times).map_err(|error| BadRecipe::BadSample {
                node: recipe.name.clone(),
                sample: *at,
                problem: error.to_string(),
            })?);
        }
        let placements = samples.iter().zip(&aligned.times).map(|(sample, times)| {
            times.iter().map(|time| placement_at(sample, *time)).collect::<Vec<Placement>>()
        });
        let mut node = Node {
            name: recipe.name.clone(),
            annotation: recipe.annotation.clone(),
            measure: recipe.measure,
            range,
            parameters: ordered.iter().map(|(parameter, ..)| *parameter).collect(),
            clips,
            keys: Vec::new(),
            n_keys: aligned.times[0].len(),
            phases: aligned.phases,
            weights: Vec::new(),
        };
        let placements: Vec<Vec<Placement>> = placements.collect();
        node.index(skeleton, blade, &aligned.times, &placements);
        Ok(node)
    }

    /// Fills the keys: times and placements as given, the rest from the poses.
    pub(super) fn index(
        &mut self,
        skeleton: &Skeleton,
        blade: Option<Blade>,
        times: &[Vec<f32>],
        placements: &[Vec<Placement>],
    ) {
        let joints = Joints::of(skeleton);
        self.keys.clear();
        for (sample, clip) in self.clips.iter().enumerate() {
            for (key, pose) in clip.frames().enumerate() {
                let globals = skeleton.global_pose(pose);
                let place = |joint: JointId| globals.positions[joint.idx()];
                let hands = joints.hands.map(place);
                let blade = blade.map_or([hands[1]; 2], |blade| {
                    let hand = joints.hands[blade.hand as usize];
                    [blade.hilt, blade.tip].map(|point| globals.point(hand, point))
                });
                self.keys.push(Key {
                    time: times[sample][key],
                    placement: placements[sample][key],
                    balls: joints.balls.map(place),
                    parts: Parts { head: place(joints.head), hands, blade },
                });
            }
        }
        self.weigh();
    }

    /// Finds the weights with which blends have the parameters asked for: half way between two samples need not be half way
    /// between their parameters.
    fn weigh(&mut self) {
        let weights = self.parameters.windows(2).enumerate().map(|(sample, ends)| {
            std::array::from_fn(|step| {
                let share = step as f32 / STEPS as f32;
                if self.measure == Measure::Given || step == 0 || step == STEPS {
                    return share;
                }
                let wanted = ends[0] + (ends[1] - ends[0]) * share;
                let (mut least, mut most) = (0.0, 1.0);
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (least + most);
                    match self.measured_by((sample, middle), wanted) < wanted {
                        true => least = middle,
                        false => most = middle,
                    }
                }
                0.5 * (least + most)
            })
        });
        self.weights = weights.collect();
    }

    /// The least and the greatest parameter that is offered.
    pub fn range(&self) -> [f32; 2] {
        self.range
    }

    /// The parameters of its samples, ascending.
    pub fn parameters(&self) -> &[f32] {
        &self.parameters
    }

    /// How long it takes with a parameter (s).
    pub fn seconds(&self, parameter: f32) -> f32 {
        self.seconds_at(1.0, parameter)
    }

    /// How long it takes with a parameter until a time from 0 to 1 (s).
    pub fn seconds_at(&self, time: f32, parameter: f32) -> f32 {
        let (at, share) = self.between(time);
        self.mix(self.weights(parameter), at, |key| key.time, share)
    }

    /// The time from 0 to 1 at which so many seconds have passed with a parameter: the inverse of
    /// [`Node::seconds_at`].
    pub fn time_at(&self, seconds: f32, parameter: f32) -> f32 {
        let mix = self.weights(parameter);
        let seconds_at = |key: usize| self.mix(mix, key, |key| key.time, 0.0);
        let last = self.n_keys - 1;
        // Times go nearly evenly: start where they would if they did.
        let whole = seconds_at(last);
        let guess = (seconds / whole * last as f32).clamp(0.0, (last - 1) as f32);
        let mut at = guess as usize;
        while at > 0 && seconds_at(at) > seconds {
            at -= 1;
        }
        while at + 1 < last && seconds_at(at + 1) <= seconds {
            at += 1;
        }
        let [from, to] = [seconds_at(at), seconds_at(at + 1)];
        let share = ((seconds - from) / (to - from).max(1e-9)).clamp(0.0, 1.0);
        (at as f32 + share) / last as f32
    }

    /// Where the person is, seen from where they were when it began. The heading is not wrapped.
    pub fn placement(&self, time: f32, parameter: f32) -> Placement {
        let (at, share) = self.between(time);
        self.mix(self.weights(parameter), at, |key| key.placement, share)
    }

    /// The parameter that the motion made for `parameter` has, by the node's measure: near it, if the samples are dense
    /// enough. Parameters that are given cannot be measured and come back as they are.
    pub fn measured(&self, parameter: f32) -> f32 {
        self.measured_by(self.weights(parameter), parameter)
    }

    /// The parameter of two neighbours' blend.
    fn measured_by(&self, mix: (usize, f32), given: f32) -> f32 {
        let placements: Vec<Placement> =
            (0..self.n_keys).map(|key| self.mix(mix, key, |key| key.placement, 0.0)).collect();
        let seconds = self.mix(mix, self.n_keys - 1, |key| key.time, 0.0);
        self.measure.of(&placements, seconds, given)
    }

    /// Which feet stand at a time; left, then right.
    pub fn standing(&self, time: f32) -> [bool; 2] {
        let after = self.phases.partition_point(|phase| phase.start <= time);
        self.phases[after.saturating_sub(1)].standing
    }

    /// Where the person and parts of the body are, in the node's frame.
    #[inline]
    pub(super) fn moment(&self, time: f32, parameter: f32) -> (Placement, Parts) {
        let (at, share) = self.between(time);
        let (sample, weight) = self.weights(parameter);
        let other = (sample + 1).min(self.parameters.len() - 1);
        let [a, b] = [sample, other].map(|sample| {
            let keys = &self.keys[sample * self.n_keys + at..][..2];
            (mixed(keys[0].placement, keys[1].placement, share), keys[0].parts.lerp(&keys[1].parts, share))
        });
        (mixed(a.0, b.0, weight), a.1.lerp(&b.1, weight))
    }

    /// The pose in the node's frame. Feet are where the samples' feet are, on average.
    pub(super) fn pose(&self, time: f32, parameter: f32, skeleton: &Skeleton, feet: &[KeptFoot; 2]) -> Pose {
        let (at, share) = self.between(time);
        let (sample, weight) = self.weights(parameter);
        let other = (sample + 1).min(self.parameters.len() - 1);
        let frame = |sample: usize, key: usize| self.clips[sample].frame(key);
        let mut pose = Pose::default();
        combine_into(
            &[
                (frame(sample, at), (1.0 - weight) * (1.0 - share)),
                (frame(sample, at + 1), (1.0 - weight) * share),
                (frame(other, at), weight * (1.0 - share)),
                (frame(other, at + 1), weight * share),
            ],
            &mut pose,
        );
        let balls = [0, 1].map(|foot| {
            let ball = |sample: usize| {
                let keys = &self.keys[sample * self.n_keys + at..][..2];
                keys[0].balls[foot].lerp(keys[1].balls[foot], share)
            };
            Some(ball(sample).lerp(ball(other), weight))
        });
        feet::place(skeleton, feet, balls, &mut GlobalPose::default(), &mut pose);
        pose
    }

    pub(super) fn slow(&mut self, times: f32) {
        self.keys.iter_mut().for_each(|key| key.time *= times);
        if self.measure == Measure::Speed {
            let all = self.parameters.iter_mut().chain(&mut self.range);
            all.for_each(|speed| *speed /= times);
            self.weigh();
        }
    }

    /// The key before a time, and the share of the way to the next.
    #[inline]
    fn between(&self, time: f32) -> (usize, f32) {
        let last = self.n_keys - 1;
        // `max` sends NaN to the start.
        let x = (time * last as f32).max(0.0).min(last as f32);
        let at = (x as usize).min(last - 1);
        (at, x - at as f32)
    }

    /// The sample below a parameter, and the weight of the next.
    #[inline]
    fn weights(&self, parameter: f32) -> (usize, f32) {
        let after = self.parameters.iter().take_while(|known| **known <= parameter).count();
        let last = self.parameters.len() - 1;
        if after == 0 || last == 0 {
            return (0, 0.0);
        }
        let at = (after - 1).min(last - 1);
        let [from, to] = [self.parameters[at], self.parameters[at + 1]];
        let x = ((parameter - from) / (to - from)).clamp(0.0, 1.0) * STEPS as f32;
        let step = (x as usize).min(STEPS - 1);
        let [from, to] = [self.weights[at][step], self.weights[at][step + 1]];
        (at, from + (to - from) * (x - step as f32))
    }

    /// A quantity of the keys, mixed over two samples and two keys.
    #[inline]
    fn mix<T: Mix>(
        &self,
        (sample, weight): (usize, f32),
        at: usize,
        of: impl Fn(&Key) -> T,
        share: f32,
    ) -> T {
        let other = (sample + 1).min(self.parameters.len() - 1);
        let along = |sample: usize| {
            let keys = &self.keys[sample * self.n_keys..][..self.n_keys];
            let from = of(&keys[at]);
            if share == 0.0 { from } else { T::mixed(from, of(&keys[at + 1]), share) }
        };
        T::mixed(along(sample), along(other), weight)
    }
}

trait Mix {
    fn mixed(a: Self, b: Self, share: f32) -> Self;
}

impl Mix for f32 {
    #[inline]
    fn mixed(a: f32, b: f32, share: f32) -> f32 {
        a + (b - a) * share
    }
}

impl Mix for Placement {
    #[inline]
    fn mixed(a: Placement, b: Placement, share: f32) -> Placement {
        mixed(a, b, share)
    }
}

/// Between two placements, headings taken as they are.
#[inline]
fn mixed(a: Placement, b: Placement, share: f32) -> Placement {
    let mix = |a: f32, b: f32| a + (b - a) * share;
    Placement {
        position: Ground { x: mix(a.position.x, b.position.x), z: mix(a.position.z, b.position.z) },
        heading: mix(a.heading, b.heading),
    }
}

/// The joints that are followed.
struct Joints {
    head: JointId,
    hands: [JointId; 2],
    balls: [JointId; 2],
}

impl Joints {
    fn of(skeleton: &Skeleton) -> Joints {
        let joint = |bone: Bone| skeleton.bone(bone).unwrap_or(JointId::ROOT);
        let ball = |side: Side| {
            let toes = skeleton.bone(Bone::LeftToes.on(side));
            toes.unwrap_or_else(|| joint(Bone::LeftFoot.on(side)))
        };
        Joints {
            head: joint(Bone::Head),
            hands: Side::BOTH.map(|side| joint(Bone::LeftHand.on(side))),
            balls: Side::BOTH.map(ball),
        }
    }
}

/// Whether a sample is sound, and its parameter.
fn measured(sample: &Sample, measure: Measure, skeleton: &Arc<Skeleton>) -> Result<f32, String> {
    let n_frames = sample.clip.n_frames();
    if sample.clip.skeleton() != skeleton {
        return Err("its clip moves another skeleton than the recipe's build has".to_owned());
    }
    if !(2..=MAX_FRAMES).contains(&n_frames) {
        return Err(format!("{n_frames} frames; expected 2 to {MAX_FRAMES}"));
    }
    if sample.clip.duration() < FrameRate::HOUSE.dt() {
        return Err(format!("it lasts {} s; expected a 60th of a second at least", sample.clip.duration()));
    }
    for (what, found) in [("contacts", sample.standing.len()), ("placements", sample.placements.len())] {
        if found != n_frames {
            return Err(format!("{found} {what} for {n_frames} frames"));
        }
    }
    let finite = |placement: &Placement| {
        placement.position.x.is_finite() && placement.position.z.is_finite() && placement.heading.is_finite()
    };
    if let Some(frame) = sample.placements.iter().position(|placement| !finite(placement)) {
        return Err(format!("frame {frame} is placed nowhere"));
    }
    let parameter = measure.of(&sample.placements, sample.seconds(), sample.parameter);
    if parameter.is_finite() { Ok(parameter) } else { Err(format!("its parameter is {parameter}")) }
}

/// Where a sample has the person at a time (s), seen from its first frame; the heading is not wrapped.
fn placement_at(sample: &Sample, time: f32) -> Placement {
    let last = sample.placements.len() - 1;
    let x = (f64::from(time) * sample.clip.rate().fps()).clamp(0.0, last as f64);
    let at = (x as usize).min(last - 1);
    let first = sample.placements[0];
    let mut turned = 0.0;
    for pair in sample.placements[..=at].windows(2) {
        turned += wrap_angle(pair[1].heading - pair[0].heading);
    }
    let [from, to] = [at, at + 1].map(|frame| first.relative(sample.placements[frame]));
    let step = wrap_angle(to.heading - from.heading);
    let (from, to) = (Placement { heading: turned, ..from }, Placement { heading: turned + step, ..to });
    mixed(from, to, (x - at as f64) as f32)
}

/// A sample at the keys of the common time line, in the node's frame.
fn resampled(sample: &Sample, times: &[f32]) -> Result<Clip, ClipError> {
    let node_from_world = sample.placements[0].relative(Placement::default());
    let poses = times.iter().map(|time| {
        let mut pose = sample.clip.sample(f64::from(*time));
        carry(node_from_world, &mut pose);
        pose
    });
    let skeleton = Arc::clone(sample.clip.skeleton());
    Clip::from_poses(&sample.clip.name, skeleton, FrameRate::HOUSE, poses)
}

//! At which times an animation is sampled: at its own keys where they are evenly spaced.

use std::collections::BTreeSet;

use super::bad;
use super::document::{Animation, Sampler};
use crate::formats::{ImportError, Place, Warning};
use crate::rate::FrameRate;

/// When poses are taken.
#[derive(Clone, Debug)]
pub(super) struct Tempo {
    /// Poses per second.
    pub(super) rate: FrameRate,
    pub(super) warning: Option<Warning>,
    times: Times,
}

#[derive(Clone, Debug)]
enum Times {
    /// The times of evenly spaced keys that span the whole motion.
    Keys(std::sync::Arc<[f32]>),
    Even {
        start: f64,
        n_frames: usize,
    },
}

impl Tempo {
    pub(super) fn n_frames(&self) -> usize {
        match &self.times {
            Times::Keys(times) => times.len(),
            Times::Even { n_frames, .. } => *n_frames,
        }
    }

    /// The time of a frame (s).
    pub(super) fn time(&self, frame: usize) -> f64 {
        match &self.times {
            Times::Keys(times) => f64::from(times[frame]),
            Times::Even { start, .. } => start + self.rate.time_of(frame),
        }
    }

    pub(super) fn start(&self) -> f64 {
        self.time(0)
    }
}

/// The tempo of the channels that move any of the `wanted` nodes; `None` if none does.
///
/// `given` is used where the keys show no rate.
pub(super) fn tempo(
    animation: &Animation,
    element: &str,
    wanted: &[bool],
    given: Option<FrameRate>,
) -> Result<Option<Tempo>, ImportError> {
    let used: BTreeSet<usize> = (animation.channels.iter())
        .filter(|channel| wanted[channel.node])
        .map(|channel| channel.sampler)
        .collect();
    let samplers: Vec<&Sampler> = used.iter().map(|idx| &animation.samplers[*idx]).collect();
    let Some(longest) =
        samplers.iter().copied().reduce(|a, b| if b.times.len() > a.times.len() { b } else { a })
    else {
        return Ok(None);
    };
    let start = samplers.iter().map(|sampler| sampler.start()).fold(f64::INFINITY, f64::min);
    let end = samplers.iter().map(|sampler| sampler.end()).fold(0.0, f64::max);

    let even = even_rate(&longest.times);
    if let Some(rate) = even
        && longest.start() == start
        && longest.end() == end
    {
        let times = Times::Keys(std::sync::Arc::clone(&longest.times));
        return Ok(Some(Tempo { rate, warning: None, times }));
    }
    let common = even.or_else(|| common_rate(&samplers, start));
    let rate = common.or(given).unwrap_or(FrameRate::HOUSE);
    let n_frames = ((end - start) * rate.fps()).round() + 1.0;
    if n_frames >= u32::MAX as f64 {
        return Err(bad(element, "a motion of bearable length", format!("{} s", end - start)));
    }
    let warning = (common.is_none() && end > start).then(|| Warning {
        place: Place::Element(element.to_owned()),
        message: format!("keys stand at uneven times; poses were taken {rate} times per second"),
    });
    Ok(Some(Tempo { rate, warning, times: Times::Even { start, n_frames: n_frames as usize } }))
}

/// How far keys may be from even spacing, in spacings.
const JITTER: f64 = 0.05;

/// The rate of keys that are evenly spaced; `None` for uneven ones or fewer than three, which any motion
/// from here to there has.
fn even_rate(times: &[f32]) -> Option<FrameRate> {
    let (first, last) = (f64::from(*times.first()?), f64::from(*times.last()?));
    let spacing = (last - first) / (times.len() - 1) as f64;
    let even = |(key, time): (usize, &f32)| {
        (f64::from(*time) - first - key as f64 * spacing).abs() < JITTER * spacing
    };
    if times.len() < 3 || !times.iter().enumerate().all(even) {
        return None;
    }
    FrameRate::from_frame_time(spacing)
}

/// The rate on whose frames all keys stand, though not on each of them; `None` if there is none.
fn common_rate(samplers: &[&Sampler], start: f64) -> Option<FrameRate> {
    let gaps = samplers.iter().flat_map(|sampler| sampler.times.windows(2)).map(|pair| pair[1] - pair[0]);
    let smallest = gaps.fold(f32::INFINITY, f32::min);
    let rate = FrameRate::from_frame_time(f64::from(smallest))?;
    let on_frame = |time: &f32| {
        let at = (f64::from(*time) - start) * rate.fps();
        (at - at.round()).abs() < 2.0 * JITTER
    };
    let n_keys: usize = samplers.iter().map(|sampler| sampler.times.len()).sum();
    (n_keys > 2 && rate.fps() >= 10.0 && samplers.iter().all(|sampler| sampler.times.iter().all(on_frame)))
        .then_some(rate)
}

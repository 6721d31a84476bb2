//! Moments at an even rate at which all characters are looked at together, whatever the rates of their clips.

use std::ops::Range;

use glam::Vec3;
use randori_motion::contacts::runs;
use randori_motion::{Bone, Character, Clip, GlobalPose, JointId, Pose};
use rayon::prelude::*;

use super::geometry::along_floor;

/// Rounding of times must not lose a moment (s).
const ROUNDING: f64 = 1e-6;

/// The moments of a take.
#[derive(Debug)]
pub(super) struct Grid {
    /// Moments per second.
    pub(super) fps: f64,
    /// Moments at which each character is there.
    pub(super) present: Vec<Range<usize>>,
    /// Where the hips of each character are (m), from when it enters.
    hips: Vec<Vec<Vec3>>,
}

/// Two characters and a stretch of time in which they are near each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Together {
    /// Their places among the characters.
    pub(super) who: [usize; 2],
    pub(super) ticks: Range<usize>,
}

impl Grid {
    pub(super) fn new(characters: &[Character], fps: f64) -> Grid {
        let present = characters.iter().map(|character| {
            let first = ((character.enter - ROUNDING) * fps).ceil().max(0.0) as usize;
            first..(((character.exit() + ROUNDING) * fps).floor() as usize + 1).max(first)
        });
        let mut grid = Grid { fps, present: present.collect(), hips: Vec::new() };
        grid.hips = (characters.par_iter().enumerate())
            .map(|(who, character)| {
                let hips = character.clip.skeleton().bone(Bone::Hips).unwrap_or(JointId::ROOT);
                if hips == JointId::ROOT {
                    // No other joint is needed to know where the root is.
                    let times = grid.present[who].clone().map(|tick| grid.time(tick) - character.enter);
                    return times.map(|t| root_at(&character.clip, t)).collect();
                }
                grid.sample(who, character, |globals| globals.positions[hips.idx()])
            })
            .collect();
        grid
    }

    /// The time of a moment (s).
    pub(super) fn time(&self, tick: usize) -> f64 {
        tick as f64 / self.fps
    }

    /// What `of` makes of a character at each moment it is there.
    pub(super) fn sample<T>(
        &self,
        who: usize,
        character: &Character,
        of: impl Fn(&GlobalPose) -> T,
    ) -> Vec<T> {
        let skeleton = character.clip.skeleton();
        let (mut pose, mut globals) = (Pose::default(), GlobalPose::default());
        (self.present[who].clone())
            .map(|tick| {
                character.clip.sample_into(self.time(tick) - character.enter, &mut pose);
                skeleton.globals_into(pose.view(), &mut globals);
                of(&globals)
            })
            .collect()
    }

    /// Values at the moments a character is there, brought onto the frames of its clip; straight in between.
    pub(super) fn onto(&self, who: usize, character: &Character, values: &[Vec3]) -> Vec<Vec3> {
        let rate = character.clip.rate();
        let value = |k: usize| values.get(k.min(values.len().saturating_sub(1))).copied().unwrap_or_default();
        (0..character.clip.n_frames())
            .map(|frame| {
                let at = (character.enter + rate.time_of(frame)) * self.fps - self.present[who].start as f64;
                let at = at.max(0.0);
                let nearest = libm::round(at);
                if (at - nearest).abs() < 1e-4 {
                    return value(nearest as usize);
                }
                let before = at as usize;
                value(before).lerp(value(before + 1), (at - before as f64) as f32)
            })
            .collect()
    }

    /// All stretches of time in which two have their hips nearer to each other along the floor than `near` (m).
    pub(super) fn pairs(&self, near: f32) -> Vec<Together> {
        let n = self.present.len();
        let couples: Vec<[usize; 2]> =
            (0..n).flat_map(|second| (0..second).map(move |first| [first, second])).collect();
        couples.into_par_iter().flat_map_iter(|who| self.stretches(who, near)).collect()
    }

    fn stretches(&self, who: [usize; 2], near: f32) -> Vec<Together> {
        let [first, second] = who.map(|who| self.present[who].clone());
        let both = first.start.max(second.start)..first.end.min(second.end);
        let close: Vec<bool> = (both.clone())
            .map(|tick| {
                let [a, b] = who.map(|who| self.hips[who][tick - self.present[who].start]);
                along_floor(a - b) < near
            })
            .collect();
        runs(&close, true)
            .into_iter()
            .map(|run| Together { who, ticks: both.start + run.start..both.start + run.end })
            .collect()
    }
}

/// Where the root of a clip is at a time (s).
fn root_at(clip: &Clip, t: f64) -> Vec3 {
    let last = clip.n_frames() - 1;
    let at = (t * clip.rate().fps()).clamp(0.0, last as f64);
    let before = at as usize;
    let after = clip.frame((before + 1).min(last)).root();
    clip.frame(before).root().lerp(after, (at - before as f64) as f32)
}

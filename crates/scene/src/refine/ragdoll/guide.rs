//! The motion that a doll is led by, step by step.

use glam::{Quat, Vec3};
use randori_motion::math::smootherstep;
use randori_motion::{Character, GlobalPose, Pose};

use super::model::Model;

/// A character's motion over a stretch of time, at an even rate.
#[derive(Clone, Debug)]
pub(super) struct Guide {
    /// The first frame of the clip.
    pub(super) first: usize,
    /// Steps in a frame.
    pub(super) per_frame: usize,
    /// The length of a step (s).
    pub(super) dt: f64,
    /// The world at each step, one more than there are steps.
    pub(super) states: Vec<GlobalPose>,
    /// How firmly the left and the right foot stand at each step, 0 to 1.
    pub(super) standing: Vec<[f32; 2]>,
}

/// Steps in a second, at least.
const RATE: f64 = 240.0;
/// A foot begins to be held this long before it stands, and is let go for as long (s).
const EASE: f64 = 0.1;

impl Guide {
    /// The motion in some frames; `down` says which feet stand in each frame of the clip.
    pub(super) fn new(character: &Character, frames: std::ops::Range<usize>, down: &[[bool; 2]]) -> Guide {
        let clip = &character.clip;
        let fps = clip.rate().fps();
        let per_frame = libm::ceil(RATE / fps).max(1.0) as usize;
        let dt = 1.0 / (fps * per_frame as f64);
        let n_frames = frames.len();
        let n_steps = n_frames.saturating_sub(1) * per_frame;
        let mut pose = Pose::default();
        let states = (0..=n_steps)
            .map(|step| {
                let t = clip.rate().time_of(frames.start) + step as f64 * dt;
                clip.sample_into(t, &mut pose);
                clip.skeleton().global_pose(pose.view())
            })
            .collect();
        let firm: Vec<[f32; 2]> = (0..n_frames).map(|at| firmness(down, frames.start + at, fps)).collect();
        let standing = (0..=n_steps)
            .map(|step| {
                let (at, share) = (step / per_frame, (step % per_frame) as f32 / per_frame as f32);
                let next = firm[(at + 1).min(n_frames - 1)];
                [0, 1].map(|foot| firm[at][foot] + share * (next[foot] - firm[at][foot]))
            })
            .collect();
        Guide { first: frames.start, per_frame, dt, states, standing }
    }

    pub(super) fn n_steps(&self) -> usize {
        self.states.len() - 1
    }

    /// Where a segment is at a step (m), and `world_from_segment`.
    pub(super) fn segment(&self, model: &Model, step: usize, segment: usize) -> (Vec3, Quat) {
        let (globals, joint) = (&self.states[step], model.segments[segment].joint.idx());
        (globals.positions[joint], globals.rotations[joint])
    }
}

/// How firmly each foot stands in a frame: in full while it is down, less the longer until it is.
fn firmness(down: &[[bool; 2]], frame: usize, fps: f64) -> [f32; 2] {
    let reach = libm::ceil(EASE * fps) as usize;
    [0, 1].map(|foot| {
        let is_down = |at: usize| down.get(at).is_some_and(|both| both[foot]);
        let away =
            (0..=reach).find(|away| is_down(frame + away) || frame.checked_sub(*away).is_some_and(is_down));
        away.map_or(0.0, |away| smootherstep(1.0 - away as f32 / (reach + 1) as f32))
    })
}

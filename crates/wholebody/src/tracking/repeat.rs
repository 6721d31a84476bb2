//! Clips that go on beyond their end.

use randori_motion::blend::JoinError;
use randori_motion::inertialize::join;
use randori_motion::math::{Quat, Vec3, angle_between};
use randori_motion::{Clip, PoseView};

use super::RATE;

/// The seam lies in the last and in the first so much of a clip ...
const ENDS: f64 = 0.45;
/// ... and at least so much of it is repeated.
const LEAST: f64 = 0.5;
/// What differs at the seam is gone after so long (s).
const FADING: f32 = 0.4;
/// How much a metre a second of the root counts beside a radian of every joint (-), and a metre of its height.
const SPEED: f32 = 1.0;
const HEIGHT: f32 = 4.0;

/// At least so many seconds of a clip: where it ends it goes on from a frame that is most like one near its end, put and
/// turned to where the first pass was. A clip that is long enough is cut.
pub fn repeated(clip: &Clip, seconds: f64) -> Result<Clip, JoinError> {
    let clip = clip.resampled(RATE);
    let n = clip.n_frames();
    let frames = (seconds * RATE.fps()) as usize + 1;
    let (from, to) = seam(&clip);
    let mut out = clip.clone();
    while out.n_frames() < frames && from > to {
        let leaves = out.n_frames() - (n - from);
        let (there, here) = (out.frame(leaves), clip.frame(to));
        let turn = Quat::from_rotation_y(heading(there) - heading(here));
        let [mut origin, start] = [there, here].map(|pose| pose.translations[0]);
        origin.y = start.y;
        let moved = clip.map_poses(|_, pose| {
            pose.translations[0] = origin + turn * (pose.translations[0] - start);
            pose.rotations[0] = (turn * pose.rotations[0]).normalize();
        })?;
        out = join(&out, leaves, &moved, to, FADING)?;
    }
    Ok(out.slice(0..frames.min(out.n_frames())).unwrap_or(out))
}

/// Heading of the root (rad).
fn heading(pose: PoseView<'_>) -> f32 {
    let ahead = pose.rotations[0] * Vec3::Z;
    libm::atan2f(ahead.x, ahead.z)
}

/// The frame to leave and the frame to go on from.
fn seam(clip: &Clip) -> (usize, usize) {
    let n = clip.n_frames();
    let ends = (ENDS * n as f64) as usize;
    let least = (LEAST * n as f64) as usize;
    // As seen along the way: what stays when a clip is put and turned.
    let seen = |frame: usize| {
        let pose = clip.frame(frame);
        let back = Quat::from_rotation_y(-heading(pose));
        let ahead = clip.frame((frame + 1).min(n - 1)).translations[0];
        let behind = clip.frame(frame.saturating_sub(1)).translations[0];
        (back * pose.rotations[0], back * (ahead - behind) * (0.5 * RATE.fps() as f32))
    };
    let views: Vec<(Quat, Vec3)> = (0..n).map(seen).collect();
    let unlike = |a: usize, b: usize| {
        let (pose, other) = (clip.frame(a), clip.frame(b));
        let joints = pose.rotations.iter().zip(other.rotations).skip(1);
        let square = |x: f32| x * x;
        let turned: f32 = joints.map(|(a, b)| square(angle_between(*a, *b))).sum();
        turned
            + square(angle_between(views[a].0, views[b].0))
            + square(SPEED) * views[a].1.distance_squared(views[b].1)
            + square(HEIGHT * (pose.translations[0].y - other.translations[0].y))
    };
    let pairs = (n - ends.min(n - 1)..n).step_by(2).flat_map(|a| (1..ends).step_by(2).map(move |b| (a, b)));
    let long = pairs.filter(|(a, b)| *a > b + least);
    long.min_by(|x, y| unlike(x.0, x.1).total_cmp(&unlike(y.0, y.1))).unwrap_or((0, 0))
}

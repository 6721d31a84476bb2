//! Tracks: where every joint of a clip is in the world, frame after frame, and how fast it moves.

use glam::{DVec3, Quat, Vec3};

use crate::clip::Clip;
use crate::math::{nearest_sign, rotation_vector_from_quat};
use crate::pose::GlobalPose;
use crate::skeleton::JointId;

/// World transforms of all joints of a clip in all frames.
///
/// ```
/// use std::sync::Arc;
/// use randori_motion::{Build, Clip, FrameRate, JointId, math::Vec3, tracks::Tracks};
/// let skeleton = Arc::new(Build::AVERAGE.skeleton());
/// let poses = (0..10).map(|frame| {
///     let mut pose = skeleton.rest_pose();
///     pose.translations[0].z = 0.02 * frame as f32;
///     pose
/// });
/// let clip = Clip::from_poses("slide", Arc::clone(&skeleton), FrameRate::HOUSE, poses).unwrap();
/// let velocity = Tracks::of(&clip).linear_velocity(5, JointId(3));
/// assert!((velocity - Vec3::Z * 1.2).length() < 1e-4);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tracks {
    n_joints: usize,
    n_frames: usize,
    fps: f32,
    positions: Vec<Vec3>,
    rotations: Vec<Quat>,
}

impl Tracks {
    /// Forward kinematics of the whole clip.
    pub fn of(clip: &Clip) -> Tracks {
        let skeleton = clip.skeleton();
        let (n_joints, n_frames) = (skeleton.n_joints(), clip.n_frames());
        let mut positions = Vec::with_capacity(n_joints * n_frames);
        let mut rotations = Vec::with_capacity(n_joints * n_frames);
        let mut globals = GlobalPose::default();
        for pose in clip.frames() {
            skeleton.globals_into(pose, &mut globals);
            positions.extend_from_slice(&globals.positions);
            rotations.extend_from_slice(&globals.rotations);
        }
        Tracks { n_joints, n_frames, fps: clip.rate().fps() as f32, positions, rotations }
    }

    /// How many frames there are; at least one.
    pub fn n_frames(&self) -> usize {
        self.n_frames
    }

    /// Where a joint is in a frame, in metres.
    pub fn position(&self, frame: usize, joint: JointId) -> Vec3 {
        self.positions[frame * self.n_joints + joint.idx()]
    }

    /// `world_from_joint` in a frame.
    pub fn rotation(&self, frame: usize, joint: JointId) -> Quat {
        self.rotations[frame * self.n_joints + joint.idx()]
    }

    /// The path of one joint, in metres.
    pub fn path(&self, joint: JointId) -> Vec<Vec3> {
        (0..self.n_frames).map(|frame| self.position(frame, joint)).collect()
    }

    /// The velocity of a joint in m/s, in the world's frame: central difference, one-sided at both ends.
    pub fn linear_velocity(&self, frame: usize, joint: JointId) -> Vec3 {
        let (before, after) = self.neighbours(frame);
        let span = (after - before).max(1) as f32;
        (self.position(after, joint) - self.position(before, joint)) * (self.fps / span)
    }

    /// The angular velocity of a joint in rad/s, in the world's frame, by the same differences; turns of more
    /// than half a circle between the frames are taken the shorter way.
    pub fn angular_velocity(&self, frame: usize, joint: JointId) -> Vec3 {
        let (before, after) = self.neighbours(frame);
        let span = (after - before).max(1) as f32;
        let turn = self.rotation(after, joint) * self.rotation(before, joint).inverse();
        rotation_vector_from_quat(nearest_sign(turn, Quat::IDENTITY)) * (self.fps / span)
    }

    fn neighbours(&self, frame: usize) -> (usize, usize) {
        (frame.saturating_sub(1), (frame + 1).min(self.n_frames - 1))
    }
}

/// Speeds along a path in m/s: central differences, one-sided at both ends.
pub fn speeds(path: &[Vec3], fps: f32) -> Vec<f32> {
    gradient(path, fps).into_iter().map(Vec3::length).collect()
}

/// Derivative of a path by time: central differences, one-sided at both ends.
pub fn gradient(path: &[Vec3], fps: f32) -> Vec<Vec3> {
    let last = path.len().saturating_sub(1);
    (0..path.len())
        .map(|frame| {
            let (before, after) = (frame.saturating_sub(1), (frame + 1).min(last));
            (path[after] - path[before]) * (fps / (after - before).max(1) as f32)
        })
        .collect()
}

/// A path smoothed by a Gaussian of `sigma` seconds; its ends are repeated beyond it.
///
/// Takes time proportional to the path: Gaussians far wider than any capture needs are made of three running means.
pub fn smoothed(path: &[Vec3], fps: f32, sigma: f32) -> Vec<Vec3> {
    let width = f64::from(sigma) * f64::from(fps);
    if path.is_empty() || width.is_nan() || width <= 0.0 {
        return path.to_vec();
    }
    let Some(half) = half_window(width, path.len()) else { return mean_three_times(path, width) };
    let weight = |k: i64| libm::exp(-0.5 * (k as f64 / width) * (k as f64 / width));
    let weights: Vec<f64> = (-(half as i64)..=half as i64).map(weight).collect();
    let total: f64 = weights.iter().sum();
    let last = path.len() as i64 - 1;
    (0..path.len() as i64)
        .map(|frame| {
            let window = (-(half as i64)..=half as i64).zip(&weights);
            let sum: DVec3 =
                window.map(|(k, w)| path[(frame + k).clamp(0, last) as usize].as_dvec3() * *w).sum();
            (sum / total).as_vec3()
        })
        .collect()
}

/// Frames on either side that a Gaussian of this width, in frames, looks at; `None` if they are too many to be weighed
/// one by one.
fn half_window(width: f64, n_frames: usize) -> Option<usize> {
    /// Paths smoothed over 16 ms, as contacts are, reach this at 4000 frames per second.
    const MOST: usize = 256;
    // Four sigmas hold all but six parts in 100,000; no window reaches further than the path is long.
    let half = (libm::ceil(4.0 * width).max(1.0) as usize).min(n_frames);
    (half <= MOST).then_some(half)
}

/// Three running means whose variances add up to that of the Gaussian: their work does not grow with its width.
fn mean_three_times(path: &[Vec3], width: f64) -> Vec<Vec3> {
    // A mean over 2 r + 1 frames has the variance r (r + 1) / 3.
    let half = (libm::round(libm::sqrt(width * width + 0.25) - 0.5) as usize).clamp(1, path.len());
    let mut means: Vec<DVec3> = path.iter().map(|point| point.as_dvec3()).collect();
    for _ in 0..3 {
        means = running_mean(&means, half);
    }
    means.into_iter().map(|mean| mean.as_vec3()).collect()
}

/// The mean over `half` frames on either side of each; the ends are repeated beyond the path.
fn running_mean(path: &[DVec3], half: usize) -> Vec<DVec3> {
    let last = path.len() - 1;
    let place = |frame: usize| path[frame.saturating_sub(half).min(last)];
    // Frames are counted from `half` before the first, so that none is negative.
    let mut sum: DVec3 = (0..2 * half).map(place).sum();
    (0..path.len())
        .map(|frame| {
            sum += place(frame + 2 * half);
            let mean = sum / (2 * half + 1) as f64;
            sum -= place(frame);
            mean
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::rate::FrameRate;
    use crate::skeleton::{Joint, Skeleton};

    /// A rod of 2 m whose root turns about an axis at a known rate and flies at a known velocity.
    fn check_rod(axis: Vec3, omega: f32, flight: Vec3) {
        let skeleton = Skeleton::new(vec![
            Joint::new("root", None, Vec3::ZERO),
            Joint::new("end", Some(JointId(0)), Vec3::new(2.0, 0.0, 0.0)),
        ]);
        let skeleton = Arc::new(skeleton.unwrap());
        let rate = FrameRate::new(240, 1).unwrap();
        let poses = (0..240).map(|frame| {
            let t = frame as f32 / 240.0;
            let mut pose = skeleton.rest_pose();
            pose.translations[0] = flight * t;
            pose.rotations[0] = Quat::from_axis_angle(axis, omega * t);
            pose
        });
        let tracks = Tracks::of(&Clip::from_poses("rod", Arc::clone(&skeleton), rate, poses).unwrap());
        for frame in [0, 1, 100, 239] {
            let spin = tracks.angular_velocity(frame, JointId(1));
            assert!((spin - axis * omega).length() < 2e-3 * omega, "{spin}");
            if (1..239).contains(&frame) {
                let arm = tracks.position(frame, JointId(1)) - tracks.position(frame, JointId(0));
                let expected = flight + (axis * omega).cross(arm);
                let found = tracks.linear_velocity(frame, JointId(1));
                assert!(
                    (found - expected).length() < 2e-3 * expected.length().max(1.0),
                    "{found} {expected}"
                );
            }
        }
    }

    #[test]
    fn a_turning_rod_has_the_velocities_of_the_textbook() {
        check_rod(Vec3::Y, 3.0, Vec3::ZERO);
        check_rod(Vec3::Z, 7.0, Vec3::new(1.0, -2.0, 0.5));
        check_rod(Vec3::new(1.0, 2.0, -2.0) / 3.0, 10.0, Vec3::ONE);
    }

    #[test]
    fn one_frame_stands_still() {
        let skeleton = Arc::new(Skeleton::new(vec![Joint::new("root", None, Vec3::ZERO)]).unwrap());
        let clip = Clip::from_poses("one", Arc::clone(&skeleton), FrameRate::HOUSE, [skeleton.rest_pose()]);
        let tracks = Tracks::of(&clip.unwrap());
        assert_eq!(tracks.linear_velocity(0, JointId(0)), Vec3::ZERO);
        assert_eq!(tracks.angular_velocity(0, JointId(0)), Vec3::ZERO);
    }

    #[test]
    fn absurd_rates_cost_no_more_than_the_path_is_long() {
        const MEGAHERTZ: f32 = 1e6;
        let n_frames = 100_000;
        // A frame is weighed against 513 others at most, whatever the rate; beyond, six additions do.
        for (width, n_frames, expected) in [
            (1.92, 1000, Some(8)),
            (7.68, 1000, Some(31)),
            (64.0, 1000, Some(256)),
            (64.1, 1000, None),
            (1e9, 200, Some(200)),
            (16_000.0, n_frames, None),
            (f64::INFINITY, n_frames, None),
        ] {
            assert_eq!(half_window(width, n_frames), expected, "{width}");
        }
        // A wave of 10 Hz at that rate is damped as the Gaussian would damp it.
        let wave: Vec<Vec3> = (0..n_frames)
            .map(|frame| Vec3::Y * libm::sinf(std::f32::consts::TAU * 10.0 * frame as f32 / MEGAHERTZ))
            .collect();
        let damped = smoothed(&wave, MEGAHERTZ, 0.01);
        let expected = libm::expf(-0.5 * (std::f32::consts::TAU * 10.0 * 0.01_f32).powi(2));
        assert!((damped[25_000].y - expected).abs() < 0.01, "{} {expected}", damped[25_000].y);
        let line: Vec<Vec3> = (0..n_frames).map(|frame| Vec3::X * frame as f32).collect();
        assert!((smoothed(&line, MEGAHERTZ, 0.01)[50_000] - line[50_000]).length() < 0.02);
    }

    #[test]
    fn smoothing_keeps_lines_and_damps_waves_as_theory_says() {
        let fps = 120.0;
        let sigma = 0.016;
        let line: Vec<Vec3> = (0..100).map(|frame| Vec3::X * frame as f32).collect();
        assert!((smoothed(&line, fps, sigma)[50] - line[50]).length() < 1e-4);
        // A wave of frequency f is damped by exp(-(2 pi f sigma)^2 / 2).
        let wave: Vec<Vec3> = (0..240)
            .map(|frame| Vec3::Y * libm::sinf(std::f32::consts::TAU * 5.0 * frame as f32 / fps))
            .collect();
        let damped = smoothed(&wave, fps, sigma);
        let crest = damped[100..150].iter().map(|point| point.y).fold(0.0, f32::max);
        let expected = libm::expf(-0.5 * (std::f32::consts::TAU * 5.0 * sigma).powi(2));
        assert!((crest - expected).abs() < 1e-3, "{crest} {expected}");
        assert_eq!(smoothed(&[], fps, sigma), []);
        assert_eq!(smoothed(&line, fps, 1e9).len(), line.len());
        assert_eq!(smoothed(&line[..1], fps, 1e9), line[..1]);
    }
}

//! Clips: poses of one skeleton at a rate.

use std::sync::Arc;

use glam::{Quat, Vec3};

use crate::math::nearest_sign;
use crate::pose::{Pose, PoseView};
use crate::rate::FrameRate;
use crate::skeleton::Skeleton;

/// The motion of one skeleton: poses at a fixed rate, stored frame after frame.
///
/// Always holds at least one pose; every number is finite, every rotation of unit length, and the
/// quaternions of a joint never change sign from one frame to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// What it is called; from the file's name or the performer.
    pub name: String,
    skeleton: Arc<Skeleton>,
    rate: FrameRate,
    n_frames: usize,
    translations: Vec<Vec3>,
    rotations: Vec<Quat>,
}

/// Why arrays of numbers are no clip.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClipError {
    /// There is no frame.
    #[error("a clip needs at least one frame")]
    Empty,
    /// The arrays do not hold the same whole number of poses.
    #[error(
        "{rotations} rotations and {translations} translations are not whole poses of {n_joints} joints, \
         {n_translating} of which translate"
    )]
    Shape {
        /// How many rotations were given.
        rotations: usize,
        /// How many translations were given.
        translations: usize,
        /// How many joints the skeleton has.
        n_joints: usize,
        /// How many joints translate.
        n_translating: usize,
    },
    /// A number is NaN or infinite, or a rotation has no direction.
    #[error("frame {frame}, joint \"{joint}\": not a finite transform")]
    NotFinite {
        /// The frame, from 0.
        frame: usize,
        /// The joint's name.
        joint: String,
    },
}

impl Clip {
    /// Checks the numbers, normalises the rotations and makes their signs continuous.
    ///
    /// `translations` holds `skeleton.translating().len()` and `rotations` holds `skeleton.n_joints()`
    /// entries per frame, frame after frame.
    pub fn new(
        name: impl Into<String>,
        skeleton: Arc<Skeleton>,
        rate: FrameRate,
        translations: Vec<Vec3>,
        mut rotations: Vec<Quat>,
    ) -> Result<Clip, ClipError> {
        let (n_joints, n_translating) = (skeleton.n_joints(), skeleton.translating().len());
        let n_frames = rotations.len() / n_joints;
        if rotations.len() != n_frames * n_joints || translations.len() != n_frames * n_translating {
            let (rotations, translations) = (rotations.len(), translations.len());
            return Err(ClipError::Shape { rotations, translations, n_joints, n_translating });
        }
        if n_frames == 0 {
            return Err(ClipError::Empty);
        }
        let not_finite = |frame, joint: usize| ClipError::NotFinite {
            frame,
            joint: skeleton.joints()[joint].name.clone(),
        };
        if let Some(at) = translations.iter().position(|translation| !translation.is_finite()) {
            let joint = skeleton.translating()[at % n_translating].idx();
            return Err(not_finite(at / n_translating, joint));
        }
        for at in 0..rotations.len() {
            let length = rotations[at].length();
            if !length.is_finite() || length < 1e-6 {
                return Err(not_finite(at / n_joints, at % n_joints));
            }
            let unit = rotations[at] / length;
            rotations[at] = if at < n_joints { unit } else { nearest_sign(unit, rotations[at - n_joints]) };
        }
        Ok(Clip { name: name.into(), skeleton, rate, n_frames, translations, rotations })
    }

    /// A clip of these poses, each made for `skeleton`.
    pub fn from_poses(
        name: impl Into<String>,
        skeleton: Arc<Skeleton>,
        rate: FrameRate,
        poses: impl IntoIterator<Item = Pose>,
    ) -> Result<Clip, ClipError> {
        let (mut translations, mut rotations) = (Vec::new(), Vec::new());
        for pose in poses {
            translations.extend(pose.translations);
            rotations.extend(pose.rotations);
        }
        Clip::new(name, skeleton, rate, translations, rotations)
    }

    /// The skeleton that moves.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// Poses per second.
    pub fn rate(&self) -> FrameRate {
        self.rate
    }

    /// The same poses played at another rate: faster or slower, nothing resampled.
    pub fn with_rate(self, rate: FrameRate) -> Clip {
        Clip { rate, ..self }
    }

    /// The same poses on a skeleton of the same shape, say with other roles or names; `None` if it has
    /// another number of joints, or others of them translate.
    pub fn with_skeleton(self, skeleton: Arc<Skeleton>) -> Option<Clip> {
        let same_shape = skeleton.n_joints() == self.skeleton.n_joints()
            && skeleton.translating() == self.skeleton.translating();
        same_shape.then_some(Clip { skeleton, ..self })
    }

    /// How many poses it holds; at least one.
    pub fn n_frames(&self) -> usize {
        self.n_frames
    }

    /// The time of the last frame, the first being at 0 (s).
    pub fn duration(&self) -> f64 {
        self.rate.time_of(self.n_frames - 1)
    }

    /// One pose; frames are counted from 0.
    ///
    /// # Panics
    /// If `frame` is not below [`Clip::n_frames`].
    pub fn frame(&self, frame: usize) -> PoseView<'_> {
        let (n_joints, n_translating) = (self.skeleton.n_joints(), self.skeleton.translating().len());
        PoseView {
            translations: &self.translations[frame * n_translating..][..n_translating],
            rotations: &self.rotations[frame * n_joints..][..n_joints],
        }
    }

    /// All poses in order.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = PoseView<'_>> + '_ {
        (0..self.n_frames).map(|frame| self.frame(frame))
    }

    /// The pose at a time (s), interpolated; before the start the first, after the end the last.
    pub fn sample(&self, seconds: f64) -> Pose {
        let mut pose = Pose::default();
        self.sample_into(seconds, &mut pose);
        pose
    }

    /// As [`Clip::sample`], into a pose that keeps its memory from call to call.
    ///
    /// Translations go straight, rotations along the great arc at even speed.
    pub fn sample_into(&self, seconds: f64, pose: &mut Pose) {
        let last = self.n_frames - 1;
        // `max` sends NaN to the first frame.
        let at = (seconds * self.rate.fps()).max(0.0).min(last as f64);
        // Rounding of `seconds * fps`, up or down, must not blend a frame with its neighbour.
        let nearest = libm::round(at);
        if (at - nearest).abs() < 1e-6 {
            pose.copy_from(self.frame(nearest as usize));
            return;
        }
        let before = at as usize;
        let fraction = (at - before as f64) as f32;
        pose.copy_from(self.frame(before));
        let after = self.frame(before + 1);
        for (mine, next) in pose.translations.iter_mut().zip(after.translations) {
            *mine = mine.lerp(*next, fraction);
        }
        for (mine, next) in pose.rotations.iter_mut().zip(after.rotations) {
            *mine = mine.slerp(*next, fraction);
        }
    }

    /// The same motion at another rate, interpolated; the first pose is kept, and so is the last if the
    /// duration is a whole number of new frames.
    pub fn resampled(&self, rate: FrameRate) -> Clip {
        if rate == self.rate {
            return self.clone();
        }
        // A hair of slack, so that 1.0 s at 60 is 61 poses whatever the rounding.
        let n_frames = (self.duration() * rate.fps() + 1e-6) as usize + 1;
        let mut translations = Vec::with_capacity(n_frames * self.skeleton.translating().len());
        let mut rotations = Vec::with_capacity(n_frames * self.skeleton.n_joints());
        let mut pose = Pose::default();
        for frame in 0..n_frames {
            self.sample_into(rate.time_of(frame), &mut pose);
            translations.extend_from_slice(&pose.translations);
            rotations.extend_from_slice(&pose.rotations);
        }
        for at in self.skeleton.n_joints()..rotations.len() {
            rotations[at] = nearest_sign(rotations[at], rotations[at - self.skeleton.n_joints()]);
        }
        let skeleton = Arc::clone(&self.skeleton);
        Clip { name: self.name.clone(), skeleton, rate, n_frames, translations, rotations }
    }

    /// The frames of a range as a clip of their own; `None` if the range is empty or leaves the clip.
    pub fn slice(&self, frames: std::ops::Range<usize>) -> Option<Clip> {
        if frames.is_empty() || frames.end > self.n_frames {
            return None;
        }
        let (n_joints, n_translating) = (self.skeleton.n_joints(), self.skeleton.translating().len());
        Some(Clip {
            name: self.name.clone(),
            skeleton: Arc::clone(&self.skeleton),
            rate: self.rate,
            n_frames: frames.len(),
            translations: self.translations[frames.start * n_translating..frames.end * n_translating]
                .to_vec(),
            rotations: self.rotations[frames.start * n_joints..frames.end * n_joints].to_vec(),
        })
    }

    /// The clip with every pose passed through `change`; signs are made continuous again.
    pub fn map_poses(&self, mut change: impl FnMut(usize, &mut Pose)) -> Result<Clip, ClipError> {
        let poses = (0..self.n_frames).map(|frame| {
            let mut pose = self.frame(frame).to_pose();
            change(frame, &mut pose);
            pose
        });
        Clip::from_poses(self.name.clone(), Arc::clone(&self.skeleton), self.rate, poses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::angle_between;
    use crate::skeleton::Joint;

    /// One joint that turns about a fixed axis at an even pace, more than once around, and flies along a line.
    fn spinning(fps: u32, seconds: u32, omega: f32) -> Clip {
        let skeleton = Arc::new(Skeleton::new(vec![Joint::new("root", None, Vec3::ZERO)]).unwrap());
        let poses = (0..=fps * seconds).map(|frame| {
            let t = frame as f32 / fps as f32;
            Pose { translations: vec![Vec3::X * t], rotations: vec![Quat::from_rotation_y(omega * t)] }
        });
        Clip::from_poses("spin", Arc::clone(&skeleton), FrameRate::new(fps, 1).unwrap(), poses).unwrap()
    }

    #[test]
    fn even_motion_is_resampled_exactly() {
        for (from, to) in [(120, 60), (60, 120), (24, 60), (100, 30), (25, 24)] {
            let clip = spinning(from, 3, 4.0).resampled(FrameRate::new(to, 1).unwrap());
            assert_eq!(clip.n_frames(), 3 * to as usize + 1);
            for (frame, pose) in clip.frames().enumerate() {
                let t = frame as f32 / to as f32;
                assert!((pose.translations[0].x - t).abs() < 1e-4, "{from} to {to}, frame {frame}");
                assert!(angle_between(pose.rotations[0], Quat::from_rotation_y(4.0 * t)) < 2e-3);
            }
        }
    }

    #[test]
    fn signs_never_jump() {
        // Quaternions of a turn by more than 360 degrees change sign; files often flip them at random.
        let clip = spinning(60, 3, 5.0);
        let flipped = clip.map_poses(|frame, pose| {
            if frame % 3 == 0 {
                pose.rotations[0] = -pose.rotations[0];
            }
        });
        for clip in
            [flipped.unwrap().resampled(FrameRate::new(25, 1).unwrap()), clip.resampled(FrameRate::HOUSE)]
        {
            let frames: Vec<Quat> = clip.frames().map(|pose| pose.rotations[0]).collect();
            assert!(frames.windows(2).all(|pair| pair[0].dot(pair[1]) > 0.0));
        }
    }

    #[test]
    fn times_of_frames_give_the_frames_themselves() {
        for (fps, denominator) in [(30, 1), (120, 1), (30_000, 1001), (7, 3)] {
            let rate = FrameRate::new(fps, denominator).unwrap();
            let clip = spinning(100, 9, 1.0).with_rate(rate);
            for frame in 0..clip.n_frames() {
                for rounding in [-1e-9, 0.0, 1e-9] {
                    let pose = clip.sample(rate.time_of(frame) + rounding);
                    assert_eq!(pose, clip.frame(frame).to_pose(), "{rate}, frame {frame}");
                }
            }
        }
    }

    #[test]
    fn samples_outside_are_the_ends() {
        let clip = spinning(30, 1, 1.0);
        assert_eq!(clip.sample(-5.0), clip.frame(0).to_pose());
        assert_eq!(clip.sample(f64::NAN), clip.frame(0).to_pose());
        assert_eq!(clip.sample(f64::INFINITY), clip.frame(30).to_pose());
        assert_eq!(clip.sample(clip.duration()), clip.frame(30).to_pose());
    }
}

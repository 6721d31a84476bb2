//! Foot contacts: when a foot is down, and how far it slides while it is.

use std::ops::Range;

use glam::Vec3;

use crate::bone::{Bone, Side};
use crate::clip::Clip;
use crate::skeleton::JointId;
use crate::tracks::{Tracks, smoothed, speeds};

/// When a foot counts as down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Ball or ankle must be slower than this, in m/s. Default 0.5: walking then has one double support per step.
    pub speed: f32,
    /// Ball or ankle must be lower than its own stance height plus this, in metres. Default 0.05: captured floors
    /// are uneven by centimetres.
    pub height: f32,
    /// Width (sigma) of the Gaussian that smooths paths before they are looked at, in seconds. Default 0.016.
    pub smoothing: f32,
    /// Shorter contacts, and shorter gaps between contacts, are taken for noise, in seconds. Default 0.05.
    pub shortest: f32,
}

impl Default for ContactSettings {
    fn default() -> ContactSettings {
        ContactSettings { speed: 0.5, height: 0.05, smoothing: 0.016, shortest: 0.05 }
    }
}

/// The contacts of both feet of a clip.
///
/// ```
/// use std::sync::Arc;
/// use randori_motion::{Build, Clip, FrameRate, contacts::{ContactSettings, Contacts}};
/// let skeleton = Arc::new(Build::AVERAGE.skeleton());
/// let poses = vec![skeleton.rest_pose(); 60];
/// let standing = Clip::from_poses("stand", skeleton, FrameRate::HOUSE, poses).unwrap();
/// let contacts = Contacts::of(&standing, &ContactSettings::default()).unwrap();
/// assert_eq!(contacts.double_support_share(), 1.0);
/// assert_eq!(contacts.feet[0].phases(), [0..60]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Contacts {
    /// Left, then right.
    pub feet: [FootContacts; 2],
    fps: f64,
}

/// The contacts of one foot, one entry per frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FootContacts {
    /// Which foot.
    pub side: Side,
    /// Whether the foot is down: ball or ankle, noise removed.
    pub down: Vec<bool>,
    /// The ball, if the skeleton has toes.
    pub ball: Option<PointContacts>,
    /// The ankle.
    pub ankle: PointContacts,
}

/// The contacts of one point of a foot.
#[derive(Clone, Debug, PartialEq)]
pub struct PointContacts {
    /// The joint.
    pub joint: JointId,
    /// Its height when the foot is down, in this clip, in metres.
    pub stance_height: f32,
    /// Whether it is low and slow, frame by frame, noise not removed.
    pub resting: Vec<bool>,
}

impl Contacts {
    /// Finds the contacts; `None` if the skeleton lacks a foot.
    pub fn of(clip: &Clip, settings: &ContactSettings) -> Option<Contacts> {
        Contacts::of_tracks(clip, &Tracks::of(clip), settings)
    }

    /// As [`Contacts::of`], where the clip's tracks are at hand.
    pub fn of_tracks(clip: &Clip, tracks: &Tracks, settings: &ContactSettings) -> Option<Contacts> {
        let fps = clip.rate().fps();
        let point = |joint: JointId| {
            let path = smoothed(&tracks.path(joint), fps as f32, settings.smoothing);
            let speeds = speeds(&path, fps as f32);
            let stance_height = stance_height(&path, &speeds);
            let limit = stance_height + settings.height;
            let resting = path
                .iter()
                .zip(&speeds)
                .map(|(point, speed)| point.y < limit && *speed < settings.speed)
                .collect();
            PointContacts { joint, stance_height, resting }
        };
        let shortest = (f64::from(settings.shortest) * fps) as usize;
        let foot = |side: Side| {
            let bone = |bone: Bone| clip.skeleton().bone(bone.on(side));
            let ankle = point(bone(Bone::LeftFoot)?);
            let ball = bone(Bone::LeftToes).map(point);
            let mut down = ankle.resting.clone();
            if let Some(ball) = &ball {
                down.iter_mut().zip(&ball.resting).for_each(|(down, ball)| *down |= ball);
            }
            remove_noise(&mut down, shortest);
            Some(FootContacts { side, down, ball, ankle })
        };
        Some(Contacts { feet: [foot(Side::Left)?, foot(Side::Right)?], fps })
    }

    /// Share of the frames in which both feet are down.
    pub fn double_support_share(&self) -> f64 {
        self.share(|left, right| left && right)
    }

    /// Share of the frames in which no foot is down.
    pub fn flight_share(&self) -> f64 {
        self.share(|left, right| !left && !right)
    }

    /// Phases in which both feet are down, per minute.
    pub fn double_supports_per_minute(&self) -> f64 {
        let both: Vec<bool> = self.frames().map(|(left, right)| left && right).collect();
        runs(&both, true).len() as f64 * 60.0 * self.fps / both.len() as f64
    }

    fn frames(&self) -> impl Iterator<Item = (bool, bool)> + '_ {
        self.feet[0].down.iter().copied().zip(self.feet[1].down.iter().copied())
    }

    fn share(&self, counts: impl Fn(bool, bool) -> bool) -> f64 {
        let n_counting = self.frames().filter(|(left, right)| counts(*left, *right)).count();
        n_counting as f64 / self.feet[0].down.len() as f64
    }
}

impl FootContacts {
    /// The phases in which the foot is down, as ranges of frames.
    pub fn phases(&self) -> Vec<Range<usize>> {
        runs(&self.down, true)
    }

    /// The points that rest in a frame in which the foot is down; both if noise hides which.
    fn resting_points(&self, frame: usize) -> impl Iterator<Item = JointId> + '_ {
        let points = self.ball.iter().chain(std::iter::once(&self.ankle));
        let any = points.clone().any(|point| point.resting[frame]);
        points.filter(move |point| point.resting[frame] || !any).map(|point| point.joint)
    }
}

/// How far feet slide while they are down.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Skate {
    /// Mean horizontal speed of the planted point of a foot over all frames with that foot down, in m/s.
    pub speed: f32,
    /// Mean way the planted point slides in one contact, in metres.
    pub slide: f32,
    /// Contacts of both feet.
    pub n_contacts: usize,
}

impl Skate {
    /// Measures the skate of a clip in contacts found in it, or in the clip it was made from; frames must agree.
    ///
    /// `points` gives the joint of this clip for a joint of the contacts. The planted point is the slower of
    /// those that rest: a foot that rolls over its ball does not skate.
    pub fn of(contacts: &Contacts, tracks: &Tracks, points: impl Fn(JointId) -> Option<JointId>) -> Skate {
        let n_frames = tracks.n_frames().min(contacts.feet[0].down.len());
        let (mut total, mut n_down, mut n_contacts) = (0.0_f64, 0_usize, 0);
        for foot in &contacts.feet {
            for phase in foot.phases() {
                n_contacts += 1;
                for frame in phase.start..phase.end.min(n_frames) {
                    let speed = |joint| {
                        let velocity = tracks.linear_velocity(frame, joint);
                        Vec3::new(velocity.x, 0.0, velocity.z).length()
                    };
                    let slowest = foot.resting_points(frame).filter_map(&points).map(speed).reduce(f32::min);
                    total += f64::from(slowest.unwrap_or(0.0));
                    n_down += 1;
                }
            }
        }
        Skate {
            speed: (total / n_down.max(1) as f64) as f32,
            slide: (total / contacts.fps / n_contacts.max(1) as f64) as f32,
            n_contacts,
        }
    }
}

/// The height at which a point comes to rest: the 15th percentile of its heights when slow, or of the lowest tenth
/// of all heights if it never is.
fn stance_height(path: &[Vec3], speeds: &[f32]) -> f32 {
    const SLOW: f32 = 0.25;
    const FEWEST: usize = 8;
    let mut heights: Vec<f32> =
        path.iter().zip(speeds).filter(|(_, speed)| **speed < SLOW).map(|(point, _)| point.y).collect();
    if heights.len() < FEWEST {
        heights = path.iter().map(|point| point.y).collect();
        heights.sort_by(f32::total_cmp);
        heights.truncate(FEWEST.max(path.len() / 10));
    }
    heights.sort_by(f32::total_cmp);
    let at = 0.15 * (heights.len() - 1) as f32;
    let below = heights[at as usize];
    let above = heights[(at as usize + 1).min(heights.len() - 1)];
    below + (above - below) * (at - libm::floorf(at))
}

/// Fills gaps, then drops islands, that are shorter than `shortest` frames; gaps at the ends stay.
fn remove_noise(mask: &mut [bool], shortest: usize) {
    for gap in runs(mask, false) {
        if gap.len() < shortest && gap.start > 0 && gap.end < mask.len() {
            mask[gap].fill(true);
        }
    }
    for island in runs(mask, true) {
        if island.len() < shortest {
            mask[island].fill(false);
        }
    }
}

/// The longest ranges over which `mask` is `value`, in order.
pub fn runs(mask: &[bool], value: bool) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in mask.iter().enumerate().filter(|(_, it)| **it == value) {
        match found.last_mut() {
            Some(last) if last.end == at => last.end = at + 1,
            _ => found.push(at..at + 1),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::body::Build;
    use crate::rate::FrameRate;

    fn mask(text: &str) -> Vec<bool> {
        text.chars().map(|c| c == '#').collect()
    }

    #[test]
    fn noise_is_removed_gaps_first() {
        for (before, after) in [
            ("..####...####..", "..####...####.."),
            ("..####.####...", "..#########..."),
            ("...##.....####", "..........####"),
            (".##.##.", ".#####."),
            ("..#.", "...."),
            ("", ""),
            ("####", "####"),
        ] {
            let mut found = mask(before);
            remove_noise(&mut found, 3);
            assert_eq!(found, mask(after), "{before}");
        }
    }

    /// A figure whose root hops and slides along z.
    fn clip(height: impl Fn(f32) -> f32, z: impl Fn(f32) -> f32) -> Clip {
        let skeleton = Arc::new(Build::AVERAGE.skeleton());
        let poses = (0..240).map(|frame| {
            let t = frame as f32 / 120.0;
            let mut pose = skeleton.rest_pose();
            pose.translations[0] += Vec3::new(0.0, height(t), z(t));
            pose
        });
        Clip::from_poses("hop", Arc::clone(&skeleton), FrameRate::new(120, 1).unwrap(), poses).unwrap()
    }

    #[test]
    fn a_hop_is_a_flight() {
        // Off the ground from 0.5 s to 1.0 s.
        let hop = clip(|t| (2.0 * (t - 0.5) * (1.0 - t) * 4.0).max(0.0), |_| 0.0);
        let contacts = Contacts::of(&hop, &ContactSettings::default()).unwrap();
        assert!((contacts.flight_share() - 0.25).abs() < 0.03, "{}", contacts.flight_share());
        assert_eq!(contacts.feet[1].phases().len(), 2);
        assert!((contacts.double_supports_per_minute() - 60.0).abs() < 1e-6);
    }

    #[test]
    fn sliding_feet_are_measured() {
        let slide = clip(|_| 0.0, |t| 0.2 * t);
        let contacts = Contacts::of(&slide, &ContactSettings::default()).unwrap();
        let skate = Skate::of(&contacts, &Tracks::of(&slide), Some);
        assert!((skate.speed - 0.2).abs() < 1e-3 && (skate.slide - 0.4).abs() < 0.01, "{skate:?}");
        assert_eq!(skate.n_contacts, 2);
    }
}

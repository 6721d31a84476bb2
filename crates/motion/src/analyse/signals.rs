//! What the analyser measures in every frame: smoothed paths of the joints, the facing, the acceleration sum.

use std::ops::Range;

use glam::Vec3;

use crate::body::Weapon;
use crate::bone::{Bone, Side};
use crate::clip::Clip;
use crate::contacts::Contacts;
use crate::tracks::{Tracks, gradient, smoothed};

use super::placement::{LEAST_LINE, across, placement_of};

/// Without these nobody can be seen to stand or step.
pub(super) const NEEDED: [Bone; 5] =
    [Bone::Hips, Bone::LeftUpperLeg, Bone::RightUpperLeg, Bone::LeftFoot, Bone::RightFoot];

/// Without these some kinds of action are not seen.
pub(super) const WANTED: [Bone; 5] =
    [Bone::Head, Bone::LeftUpperArm, Bone::RightUpperArm, Bone::LeftHand, Bone::RightHand];

/// Width of the Gaussian over the paths (s): that of the measured thresholds.
const SMOOTHING: f32 = 0.016;
/// Width of the Gaussian over the facing (s): a blow turns the shoulders, but not the one who faces somebody.
const FACING_SMOOTHING: f32 = 0.15;

/// Paths and what follows from them, one entry per frame.
pub(super) struct Signals {
    pub(super) fps: f32,
    pub(super) n_frames: usize,
    /// Unit horizontal direction ahead, slow.
    pub(super) ahead: Vec<Vec3>,
    /// Sum over the joints of squared acceleration relative to the hips (m²/s⁴).
    pub(super) s: Vec<f32>,
    /// How tall the person is: hips when standing above the ankles (m).
    pub(super) leg: f32,
    /// Height of the floor (m): stance of the ankles less what an ankle is above its sole.
    pub(super) floor: f32,
    /// Height of the hips above the floor when standing (m): the upper quartile of the take's.
    pub(super) standing: f32,
    /// Whether a foot is down.
    pub(super) grounded: Vec<bool>,
    /// Frames in which a foot comes down, of both feet.
    pub(super) strikes: Vec<usize>,
    /// How fast the head swings about its own joint (rad/s); empty if no joint plays it.
    pub(super) head_swing: Vec<f32>,
    /// What the person holds.
    pub(super) blade: Option<Blade>,
    /// Where the face points; empty if no joint plays the head.
    pub(super) head_ahead: Vec<Vec3>,
    paths: Vec<Option<Vec<Vec3>>>,
    /// Where a bone's path stands, for those of [`Bone::LANDMARKS`].
    path_of_bone: [Option<usize>; Bone::COUNT],
}

/// The smoothed paths of a weapon: next to the hand, and its tip (m).
pub(super) struct Blade {
    pub(super) bone: Bone,
    pub(super) near: Vec<Vec3>,
    pub(super) tip: Vec<Vec3>,
    /// Where the head faces, level: whoever holds a blade stands aslant, but looks at whom it is meant for.
    pub(super) gaze: Vec<Vec3>,
}

impl Blade {
    fn of(clip: &Clip, tracks: &Tracks, weapon: Weapon) -> Option<Blade> {
        let Weapon { bone, ends, .. } = weapon;
        let hand = clip.skeleton().bone(bone)?;
        let [near, tip] = ends.map(|end| {
            let at = |frame| tracks.position(frame, hand) + tracks.rotation(frame, hand) * end;
            let path: Vec<Vec3> = (0..clip.n_frames()).map(at).collect();
            smoothed(&path, clip.rate().fps() as f32, SMOOTHING)
        });
        Some(Blade { bone, near, tip, gaze: gaze(clip, tracks) })
    }
}

impl Signals {
    pub(super) fn of(clip: &Clip, tracks: &Tracks, contacts: &Contacts, weapon: Option<Weapon>) -> Signals {
        let (fps, n_frames) = (clip.rate().fps() as f32, clip.n_frames());
        let path = |bone: &Bone| {
            let joint = clip.skeleton().bone(*bone)?;
            Some(smoothed(&tracks.path(joint), fps, SMOOTHING))
        };
        let paths: Vec<Option<Vec<Vec3>>> = Bone::LANDMARKS.iter().map(path).collect();
        let mut path_of_bone = [None; Bone::COUNT];
        Bone::LANDMARKS.iter().enumerate().for_each(|(at, bone)| path_of_bone[*bone as usize] = Some(at));
        let mut signals = Signals {
            fps,
            n_frames,
            ahead: Vec::new(),
            s: acceleration_sums(&paths, fps),
            leg: 0.9,
            floor: 0.0,
            standing: 0.9,
            grounded: contacts.feet[0]
                .down
                .iter()
                .zip(&contacts.feet[1].down)
                .map(|(a, b)| *a || *b)
                .collect(),
            strikes: strikes(contacts),
            head_swing: head_swing(clip, tracks),
            blade: weapon.filter(Weapon::is_sound).and_then(|weapon| Blade::of(clip, tracks, weapon)),
            head_ahead: head_ahead(clip, tracks),
            paths,
            path_of_bone,
        };
        signals.ahead = signals.facing();
        signals.measure_body(contacts);
        signals
    }

    /// The smoothed path of a bone, if some joint plays it.
    pub(super) fn path(&self, bone: Bone) -> Option<&[Vec3]> {
        self.paths[self.path_of_bone[bone as usize]?].as_deref()
    }

    /// The path of a bone that [`NEEDED`] lists.
    pub(super) fn needed(&self, bone: Bone) -> &[Vec3] {
        self.path(bone).unwrap_or(&[])
    }

    /// The path of what a part strikes with: the tip of what it holds, or the part itself.
    pub(super) fn striking(&self, part: Bone) -> Option<&[Vec3]> {
        let held = self.blade.as_ref().filter(|blade| blade.bone == part);
        held.map(|blade| blade.tip.as_slice()).or_else(|| self.path(part))
    }

    /// Whether a part holds a weapon.
    pub(super) fn is_blade(&self, part: Bone) -> bool {
        self.blade.as_ref().is_some_and(|blade| blade.bone == part)
    }

    pub(super) fn hips(&self) -> &[Vec3] {
        self.needed(Bone::Hips)
    }

    /// The highest joint of the trunk that arms hang from.
    pub(super) fn chest(&self) -> &[Vec3] {
        [Bone::UpperChest, Bone::Chest, Bone::Spine]
            .into_iter()
            .find_map(|bone| self.path(bone))
            .unwrap_or(self.hips())
    }

    /// A direction of the world as (to the left, up, ahead) of the person in this frame.
    pub(super) fn local(&self, frame: usize, v: Vec3) -> Vec3 {
        let ahead = self.ahead[frame];
        Vec3::new(v.x * ahead.z - v.z * ahead.x, v.y, v.x * ahead.x + v.z * ahead.z)
    }

    /// How far a part is from another, as (to the left, up, ahead), and how fast that changes, in all frames.
    pub(super) fn relative(&self, part: &[Vec3], base: &[Vec3]) -> (Vec<Vec3>, Vec<Vec3>) {
        let apart: Vec<Vec3> = part.iter().zip(base).map(|(part, base)| *part - *base).collect();
        let mut rates = gradient(&apart, self.fps);
        let local = |path: &[Vec3]| path.iter().enumerate().map(|(frame, v)| self.local(frame, *v)).collect();
        let places = local(&apart);
        rates.iter_mut().enumerate().for_each(|(frame, v)| *v = self.local(frame, *v));
        (places, rates)
    }

    /// A number of frames for a time (s); at least one.
    pub(super) fn frames(&self, seconds: f32) -> usize {
        (libm::roundf(seconds * self.fps) as usize).max(1)
    }

    /// Frames around one, cut at the ends of the clip.
    pub(super) fn around(&self, frame: usize, before: f32, after: f32) -> Range<usize> {
        let start = frame.saturating_sub(self.frames(before));
        start..(frame + self.frames(after) + 1).min(self.n_frames)
    }

    /// How fast the hips travel over the floor around a frame (m/s).
    pub(super) fn speed(&self, frame: usize) -> f32 {
        self.velocity(frame).length()
    }

    /// The level velocity of the hips around a frame, over a step's time (m/s).
    pub(super) fn velocity(&self, frame: usize) -> Vec3 {
        let span = self.around(frame, 0.12, 0.12);
        let way = self.hips()[span.end - 1] - self.hips()[span.start];
        Vec3::new(way.x, 0.0, way.z) * (self.fps / (span.len() - 1).max(1) as f32)
    }

    /// How far the left foot is ahead of the right one along a horizontal direction (m).
    pub(super) fn lead(&self, frame: usize, ahead: Vec3) -> f32 {
        (self.needed(Bone::LeftFoot)[frame] - self.needed(Bone::RightFoot)[frame]).dot(ahead)
    }

    /// Height of a foot's ankle above the floor (m).
    pub(super) fn ankle(&self, side: Side) -> &[Vec3] {
        self.needed(Bone::LeftFoot.on(side))
    }

    /// Whether nothing moves: no followed joint leaves a ball of a centimetre.
    pub(super) fn is_still(&self) -> bool {
        const LEAST: f32 = 0.01;
        self.paths.iter().flatten().all(|path| path.iter().all(|place| place.distance(path[0]) < LEAST))
    }

    /// Horizontal direction ahead in one frame, of any length.
    pub(super) fn facing_now(&self, frame: usize) -> Vec3 {
        self.lines().map(|(left, right)| across(left[frame], right[frame])).sum()
    }

    /// The lines between the hip joints and between the shoulders: left and right ends.
    fn lines(&self) -> impl Iterator<Item = (&[Vec3], &[Vec3])> {
        let ends = |(left, right)| Some((self.path(left)?, self.path(right)?));
        [(Bone::LeftUpperLeg, Bone::RightUpperLeg), (Bone::LeftUpperArm, Bone::RightUpperArm)]
            .into_iter()
            .filter_map(ends)
    }

    fn facing(&self) -> Vec<Vec3> {
        let mut raw = vec![Vec3::ZERO; self.n_frames];
        for (left, right) in self.lines() {
            let ends = left.iter().zip(right);
            raw.iter_mut().zip(ends).for_each(|(ahead, (left, right))| *ahead += across(*left, *right));
        }
        let mut last = Vec3::Z;
        smoothed(&raw, self.fps, FACING_SMOOTHING)
            .into_iter()
            .map(|ahead| {
                let length = ahead.length();
                if length > LEAST_LINE {
                    last = ahead / length;
                }
                last
            })
            .collect()
    }

    fn measure_body(&mut self, contacts: &Contacts) {
        let stance = contacts.feet.iter().map(|foot| foot.ankle.stance_height).sum::<f32>() / 2.0;
        let mut heights: Vec<f32> = self.hips().iter().map(|hips| hips.y).collect();
        let standing = percentile(&mut heights, 0.75);
        self.leg = (standing - stance).max(0.2);
        // An ankle is about a tenth of the leg above the sole.
        self.floor = stance - 0.1 * self.leg;
        self.standing = standing - self.floor;
    }
}

/// Whether the head is below the hips in most frames.
pub(super) fn is_upside_down(clip: &Clip, tracks: &Tracks) -> bool {
    let bone = |bone: Bone| clip.skeleton().bone(bone);
    let Some(hips) = bone(Bone::Hips) else { return false };
    let Some(head) = bone(Bone::Head).or(bone(Bone::Neck)).or(bone(Bone::Chest)) else { return false };
    let below = (0..clip.n_frames())
        .filter(|frame| {
            let line = tracks.position(*frame, head) - tracks.position(*frame, hips);
            line.y < -0.5 * line.length()
        })
        .count();
    2 * below > clip.n_frames()
}

/// Where the head faces, level, in all frames; zero where it faces up or down, or no joint plays it.
fn gaze(clip: &Clip, tracks: &Tracks) -> Vec<Vec3> {
    let skeleton = clip.skeleton();
    let Some(head) = skeleton.bone(Bone::Head) else { return vec![Vec3::ZERO; clip.n_frames()] };
    let rest = skeleton.global_pose(skeleton.rest_pose().view());
    let ahead = rest.rotations[head.idx()].inverse() * placement_of(skeleton, &rest).rotation() * Vec3::Z;
    let raw: Vec<Vec3> =
        (0..clip.n_frames()).map(|frame| (tracks.rotation(frame, head) * ahead).with_y(0.0)).collect();
    let smooth = smoothed(&raw, clip.rate().fps() as f32, FACING_SMOOTHING);
    smooth.into_iter().map(Vec3::normalize_or_zero).collect()
}

/// How fast the crown swings about the joint of the head, in all frames (rad/s).
fn head_swing(clip: &Clip, tracks: &Tracks) -> Vec<f32> {
    let Some(head) = clip.skeleton().bone(Bone::Head) else { return Vec::new() };
    let fps = clip.rate().fps() as f32;
    let tip = clip.skeleton().joint(head).tips.first().copied().unwrap_or(Vec3::Y).normalize_or(Vec3::Y);
    let crown: Vec<Vec3> = (0..clip.n_frames()).map(|frame| tracks.rotation(frame, head) * tip).collect();
    gradient(&smoothed(&crown, fps, SMOOTHING), fps).iter().map(|rate| rate.length()).collect()
}

/// Where the face points in all frames: what was ahead when the skeleton was at rest.
fn head_ahead(clip: &Clip, tracks: &Tracks) -> Vec<Vec3> {
    let Some(head) = clip.skeleton().bone(Bone::Head) else { return Vec::new() };
    (0..clip.n_frames()).map(|frame| tracks.rotation(frame, head) * Vec3::Z).collect()
}

/// Sum over the joints of squared acceleration relative to the hips; the first and last two frames, which lack
/// neighbours, repeat the next ones.
fn acceleration_sums(paths: &[Option<Vec<Vec3>>], fps: f32) -> Vec<f32> {
    let Some(hips) = &paths[0] else { return Vec::new() };
    let n_frames = hips.len();
    let mut sums = vec![0.0; n_frames];
    if n_frames < 5 {
        return sums;
    }
    // Differences of central differences, as the thresholds were measured with.
    let scale = 0.25 * fps * fps;
    for path in paths.iter().flatten() {
        let at = |frame: usize| path[frame] - hips[frame];
        for (frame, sum) in sums.iter_mut().enumerate().take(n_frames - 2).skip(2) {
            let acceleration = (at(frame + 2) - 2.0 * at(frame) + at(frame - 2)) * scale;
            *sum += acceleration.length_squared();
        }
    }
    for (edge, inner) in [(0, 2), (1, 2), (n_frames - 1, n_frames - 3), (n_frames - 2, n_frames - 3)] {
        sums[edge] = sums[inner];
    }
    sums
}

/// Frames in which a foot comes down after having been up, in order.
fn strikes(contacts: &Contacts) -> Vec<usize> {
    let mut strikes: Vec<usize> = contacts
        .feet
        .iter()
        .flat_map(|foot| foot.phases())
        .map(|phase| phase.start)
        .filter(|start| *start > 0)
        .collect();
    strikes.sort_unstable();
    strikes
}

/// The value below which this share of the values lies; sorts them. Zero if there are none.
pub(super) fn percentile(values: &mut [f32], share: f32) -> f32 {
    if values.is_empty() {
        return 0.0;
    }
    let at = (share * (values.len() - 1) as f32) as usize;
    *values.select_nth_unstable_by(at, f32::total_cmp).1
}

/// The frame of the least value in a range that is not empty; the first of equals.
pub(super) fn least(values: &[f32], frames: Range<usize>) -> usize {
    frames.clone().min_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap_or(frames.start)
}

//! Joint tracks at an even rate: what the linter looks at.

use glam::{Quat, Vec3};
use randori_motion::{Bone, Character, GlobalPose, Pose, Take};

/// Characters of one file or take, sampled together.
#[derive(Clone, Debug)]
pub struct Footage {
    /// Samples per second.
    pub fps: f64,
    /// How many samples every track has.
    pub n_frames: usize,
    /// The characters.
    pub performers: Vec<Performer>,
}

/// One character.
#[derive(Clone, Debug)]
pub struct Performer {
    /// Its name.
    pub name: String,
    /// Its joints, the hips first.
    pub tracks: Vec<Track>,
    /// The samples in which it is there.
    pub present: std::ops::Range<usize>,
}

/// One joint over time.
#[derive(Clone, Debug)]
pub struct Track {
    /// Its name in the file.
    pub name: String,
    /// The bone it plays.
    pub bone: Option<Bone>,
    /// The track it hangs from.
    pub parent: Option<usize>,
    /// Its position in the rest pose (m).
    pub rest_position: Vec3,
    /// `world_from_joint` in the rest pose.
    pub rest_rotation: Quat,
    /// Its position in the world in every frame (m).
    pub positions: Vec<Vec3>,
    /// `world_from_joint` in every frame.
    pub rotations: Vec<Quat>,
}

impl Performer {
    /// The track of a bone.
    pub fn bone(&self, bone: Bone) -> Option<&Track> {
        self.tracks.iter().find(|track| track.bone == Some(bone))
    }
}

/// Why there is nothing to look at.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FootageError {
    /// Nobody was found.
    #[error(
        "no character found: expected a table of VRM bones or a node tree whose joints are named as a humanoid's"
    )]
    Nobody,
    /// Too many samples to hold.
    #[error("{seconds:.0} s at {fps} frames per second is too long to check at once")]
    TooLong {
        /// The length (s).
        seconds: f64,
        /// The rate asked for.
        fps: f64,
    },
    /// The rate is not usable.
    #[error("{0} frames per second; expected between 1 and 1000")]
    Rate(f64),
}

/// Samples that one footage may hold: joints times frames, a few gigabytes at most.
const MAX_SAMPLES: f64 = 5e7;

/// Files keep times in 32 bits: the last frame must not be lost to their rounding (s).
const ROUNDING: f64 = 1e-6;

/// How many frames cover `seconds`, the first at 0; checks the rate.
pub(super) fn n_frames(seconds: f64, fps: f64) -> Result<usize, FootageError> {
    if !(1.0..=1000.0).contains(&fps) {
        return Err(FootageError::Rate(fps));
    }
    Ok((((seconds + ROUNDING) * fps).floor().max(0.0) as usize).saturating_add(1))
}

/// Checks the memory that samples of all joints take.
pub(super) fn check_samples(n_samples: f64, seconds: f64, fps: f64) -> Result<(), FootageError> {
    if n_samples > MAX_SAMPLES { Err(FootageError::TooLong { seconds, fps }) } else { Ok(()) }
}

impl Footage {
    /// The characters of a take.
    pub fn of_take(take: &Take, fps: f64) -> Result<Footage, FootageError> {
        let n_joints: usize =
            take.characters.iter().map(|character| character.clip.skeleton().n_joints()).sum();
        let n_frames = n_frames(take.duration(), fps)?;
        check_samples(n_frames as f64 * n_joints as f64, take.duration(), fps)?;
        if take.characters.is_empty() {
            return Err(FootageError::Nobody);
        }
        let performers =
            take.characters.iter().map(|character| performer_of(character, fps, n_frames)).collect();
        Ok(Footage { fps, n_frames, performers })
    }
}

fn performer_of(character: &Character, fps: f64, n_frames: usize) -> Performer {
    let skeleton = character.clip.skeleton();
    let rest = skeleton.global_pose(skeleton.rest_pose().view());
    let mut tracks: Vec<Track> = (skeleton.ids().zip(skeleton.joints()))
        .map(|(id, joint)| Track {
            name: joint.name.clone(),
            bone: joint.bone,
            parent: joint.parent.map(|parent| parent.idx()),
            rest_position: rest.positions[id.idx()],
            rest_rotation: rest.rotations[id.idx()],
            positions: Vec::with_capacity(n_frames),
            rotations: Vec::with_capacity(n_frames),
        })
        .collect();
    let (mut pose, mut globals) = (Pose::default(), GlobalPose::default());
    for frame in 0..n_frames {
        character.clip.sample_into(frame as f64 / fps - character.enter, &mut pose);
        skeleton.globals_into(pose.view(), &mut globals);
        for ((track, position), rotation) in tracks.iter_mut().zip(&globals.positions).zip(&globals.rotations)
        {
            track.positions.push(*position);
            track.rotations.push(*rotation);
        }
    }
    let present = present(character.enter, character.exit(), fps, n_frames);
    Performer { name: character.name.clone(), tracks, present }
}

/// The frames that lie between two times (s).
pub(super) fn present(enter: f64, exit: f64, fps: f64, n_frames: usize) -> std::ops::Range<usize> {
    let first = (((enter - ROUNDING) * fps).ceil().max(0.0) as usize).min(n_frames);
    let end = (((exit + ROUNDING) * fps).floor() as usize).saturating_add(1).clamp(first, n_frames);
    first..end
}

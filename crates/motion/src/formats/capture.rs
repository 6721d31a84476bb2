//! Captured numbers in a file's own units and axes, on their way to a clip.

use std::sync::Arc;

use glam::{DQuat, DVec3, Quat, Vec3};

use super::scale::{Scale, longest_way};
use super::{Basis, Format, Import, ImportError, ImportOptions, Place, Source, UpAxis, Warning};
use crate::clip::Clip;
use crate::names;
use crate::rate::FrameRate;
use crate::skeleton::{Joint, JointId, Skeleton};

/// What a text format hands over: lengths in the file's units, vectors and rotations in its axes.
pub(super) struct Capture<'a> {
    /// The clip's name.
    pub(super) name: &'a str,
    pub(super) format: Format,
    /// Parents first.
    pub(super) joints: Vec<Joint>,
    /// Whether the file moves the root; if so its offset means nothing.
    pub(super) root_moves: bool,
    /// One per frame and translating joint.
    pub(super) translations: Vec<DVec3>,
    /// One per frame and joint.
    pub(super) rotations: Vec<Quat>,
    pub(super) rate: FrameRate,
    pub(super) stated_frame_time: Option<f64>,
    /// Metres per unit if the format knows them.
    pub(super) scale: Option<(f64, Basis)>,
    /// The axis that points up if the format knows it.
    pub(super) up: Option<UpAxis>,
    pub(super) frames_skipped: usize,
    pub(super) warnings: Vec<Warning>,
}

impl Capture<'_> {
    /// Finds what the file leaves open, and turns everything into house units and axes.
    pub(super) fn settle(mut self, options: &ImportOptions) -> Result<Import, ImportError> {
        let scale = Scale::find(options, self.scale, || self.reach())?;
        self.warnings.extend(scale.warning);
        let (up, warning) = match options.up.or(self.up) {
            Some(up) => (up, None),
            None => self.guess_up(),
        };
        self.warnings.extend(warning);

        let metres = |vector: DVec3| (turned(vector, up) * scale.metres_per_unit).as_vec3();
        for joint in &mut self.joints {
            joint.offset = metres(joint.offset.as_dvec3());
            for tip in &mut joint.tips {
                *tip = metres(tip.as_dvec3());
            }
            joint.rest_rotation = turned_rotation(joint.rest_rotation, up);
        }
        if self.root_moves {
            stand_on_floor(&mut self.joints);
        }
        let translations: Vec<Vec3> = self.translations.into_iter().map(metres).collect();
        for rotation in &mut self.rotations {
            *rotation = turned_rotation(*rotation, up);
        }
        let no_clip = |found: String| ImportError::new(Place::Whole, "a clip", found);
        let mut skeleton = Skeleton::new(self.joints).map_err(|error| no_clip(error.to_string()))?;
        match names::assign_bones(&skeleton) {
            Ok((with_bones, _)) => skeleton = with_bones,
            Err(error) => self.warnings.push(Warning { place: Place::Whole, message: error.to_string() }),
        }
        let clip = Clip::new(self.name, Arc::new(skeleton), self.rate, translations, self.rotations)
            .map_err(|error| no_clip(error.to_string()))?;
        let source = Source {
            format: self.format,
            metres_per_unit: scale.metres_per_unit,
            scale_basis: scale.basis,
            stated_frame_time: self.stated_frame_time,
            up,
            frames_skipped: self.frames_skipped,
        };
        Ok(Import { clip, source, warnings: self.warnings })
    }

    /// The longest way along bones from the root in the first frame, in the file's units.
    fn reach(&self) -> f64 {
        let mut translations = self.translations.iter();
        longest_way(self.joints.iter().map(|joint| {
            let translation = if joint.translates { translations.next() } else { None };
            let bone = translation.copied().unwrap_or(joint.offset.as_dvec3());
            let tip = joint.tips.iter().map(|tip| tip.as_dvec3().length()).fold(0.0, f64::max);
            (joint.parent.map(JointId::idx), bone.length(), tip)
        }))
    }

    /// The axis along which the body extends most: in the motion if that is clear, else at rest.
    fn guess_up(&self) -> (UpAxis, Option<Warning>) {
        /// How many frames are looked at.
        const SAMPLES: usize = 32;
        /// How much longer the body must be along one axis than along the other.
        const CLEAR: f64 = 1.25;
        let n_frames = self.rotations.len() / self.joints.len().max(1);
        let step = n_frames.div_ceil(SAMPLES).max(1);
        let moving = (0..n_frames).step_by(step).map(|frame| self.extent(frame)).sum::<DVec3>();
        let (low, high) = bounds(&self.joints, None);
        let resting = high - low;
        let longer = |extent: DVec3| match (extent.y, extent.z) {
            (y, z) if y > CLEAR * z => Some(UpAxis::Y),
            (y, z) if z > CLEAR * y => Some(UpAxis::Z),
            _ => None,
        };
        let (up, message) = match (longer(moving), longer(resting)) {
            (Some(UpAxis::Y), Some(UpAxis::Y) | None) | (None, Some(UpAxis::Y)) => return (UpAxis::Y, None),
            (Some(UpAxis::Z), Some(UpAxis::Z) | None) | (None, Some(UpAxis::Z)) => {
                (UpAxis::Z, "the body extends along the file's z axis, which is taken to point up")
            }
            (Some(up), Some(_)) => {
                (up, "rest pose and motion extend along different axes; the motion's is taken to point up")
            }
            (None, None) => (
                UpAxis::Y,
                "neither y nor z is clearly the axis along which the body extends; y is taken to point up",
            ),
        };
        (up, Some(Warning { place: Place::Whole, message: message.to_owned() }))
    }

    /// The size of the body along each axis in one frame.
    fn extent(&self, frame: usize) -> DVec3 {
        let n_joints = self.joints.len();
        let n_translating = self.joints.iter().filter(|joint| joint.translates).count();
        let translations = &self.translations[frame * n_translating..];
        let rotations = &self.rotations[frame * n_joints..];
        let (low, high) = bounds(&self.joints, Some((translations, rotations)));
        high - low
    }
}

/// The box around all joints and tips in a pose (one translation per translating joint, one rotation per
/// joint), or in the rest pose.
fn bounds(joints: &[Joint], pose: Option<(&[DVec3], &[Quat])>) -> (DVec3, DVec3) {
    let mut translations = pose.map_or(&[][..], |(translations, _)| translations).iter();
    let mut world_from_joint: Vec<(DVec3, DQuat)> = Vec::with_capacity(joints.len());
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for (joint_idx, joint) in joints.iter().enumerate() {
        let moved = if joint.translates { translations.next() } else { None };
        let mut position = moved.copied().unwrap_or(joint.offset.as_dvec3());
        let mut rotation = pose.map_or(joint.rest_rotation, |(_, rotations)| rotations[joint_idx]).as_dquat();
        if let Some(parent) = joint.parent {
            let (parent_position, parent_rotation) = world_from_joint[parent.idx()];
            position = parent_position + parent_rotation * position;
            rotation = (parent_rotation * rotation).normalize();
        }
        world_from_joint.push((position, rotation));
        let tips = joint.tips.iter().map(|tip| position + rotation * tip.as_dvec3());
        for point in tips.chain([position]) {
            (low, high) = (low.min(point), high.max(point));
        }
    }
    (low, high)
}

/// Refuses a motion whose poses would take far more memory than the file: a clip holds a rotation for every
/// joint in every frame, a file only numbers for those that have channels.
pub(super) fn check_size(n_joints: usize, n_channels: usize, n_frames: usize) -> Result<(), ImportError> {
    /// Rotations, 64 MiB of them, that any file may have.
    const FREE: usize = 1 << 22;
    /// Joints for each channel that a longer motion may have; bodies have fewer joints than channels.
    const JOINTS_PER_CHANNEL: usize = 4;
    if n_joints.saturating_mul(n_frames) <= FREE || n_joints <= JOINTS_PER_CHANNEL * n_channels {
        return Ok(());
    }
    let expected =
        format!("at most {JOINTS_PER_CHANNEL} joints to a channel in a motion of {n_frames} frames");
    Err(ImportError::new(Place::Whole, expected, format!("{n_joints} joints and {n_channels} channels")))
}

/// A vector of the file in the house's axes.
fn turned(vector: DVec3, up: UpAxis) -> DVec3 {
    match up {
        UpAxis::Y => vector,
        UpAxis::Z => DVec3::new(vector.x, vector.z, -vector.y),
    }
}

/// A rotation of the file in the house's axes: its axis is turned as any vector is.
fn turned_rotation(rotation: Quat, up: UpAxis) -> Quat {
    match up {
        UpAxis::Y => rotation,
        UpAxis::Z => Quat::from_xyzw(rotation.x, rotation.z, -rotation.y, rotation.w),
    }
}

/// Puts the root of the rest pose above the origin, the lowest point of the body at height 0.
fn stand_on_floor(joints: &mut [Joint]) {
    let Some(root) = joints.first_mut() else { return };
    root.offset = Vec3::ZERO;
    let (low, _) = bounds(joints, None);
    joints[0].offset.y = -low.y as f32;
}

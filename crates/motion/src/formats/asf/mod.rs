//! Acclaim skeletons and motions (ASF and AMC): the original form of Carnegie Mellon's database.
//!
//! [`Asf`] is what a skeleton file says, [`Amc`] what a motion file says of that skeleton, [`import`] what
//! the two mean as a clip.
//!
//! # Conventions
//! - Column vectors. A bone starts where its parent ends and extends by `direction · length` in the
//!   skeleton's own, global axes. The joint of the same name sits at its start; a bone that no other hangs
//!   from ends in a tip. Joints on the root sit at the root.
//! - `axis a b c XYZ` is the bone's frame of rotation, `C = Rz(c) · Ry(b) · Rx(a)`: the first letter
//!   turns first. The degrees of freedom make `M` in the same manner, and the bone turns by `C · M · C⁻¹`;
//!   `tx ty tz` move it by `C · t`. In the rest pose nothing turns.
//! - The root turns by `C · M · C⁻¹` with `C` from its `orientation`, and stands at `position + t`.
//! - Limits and masses are passed over. A bone that changes its length (`l`) is refused.
//! - Files with `length 0.45` (CMU's) are in inches divided by that factor, so 0.0254 / 0.45 m per
//!   unit; others are guessed by the size of the body.

mod motion;
mod skeleton;

pub use motion::Amc;
pub use skeleton::{Asf, Bone, Dof};

use glam::{DQuat, DVec3};

use super::capture::{Capture, check_size};
use super::{Basis, Format, Import, ImportError, ImportOptions, Place, UpAxis, Warning};
use crate::formats::bvh::Axis;
use crate::rate::FrameRate;
use crate::skeleton::{Joint, JointId};

/// The factor CMU's files state, and the unit it stands for.
const CMU_LENGTH: f64 = 0.45;

/// Reads a skeleton file and a motion file as a clip called `name`.
///
/// AMC states no rate as a rule: 120 poses per second are assumed, with a warning, unless the options or
/// the file say otherwise.
pub fn import(name: &str, asf: &[u8], amc: &[u8], options: &ImportOptions) -> Result<Import, ImportError> {
    let asf = Asf::parse(asf).map_err(|error| in_file("ASF", error))?;
    let amc = Amc::parse(amc, &asf).map_err(|error| in_file("AMC", error))?;
    let mut warnings: Vec<Warning> = asf.warnings.iter().chain(&amc.warnings).cloned().collect();

    let rate = match (options.rate, amc.rate) {
        (Some(rate), _) | (None, Some(rate)) => rate,
        (None, None) => {
            let message =
                "the motion file states no rate; taken as 120 poses per second, as CMU's mostly are";
            warnings.push(Warning { place: Place::Whole, message: message.to_owned() });
            FrameRate::from_fps(120.0).expect("a rate")
        }
    };
    let n_joints = asf.bones.len() + 1;
    check_size(n_joints, asf.n_channels(), amc.n_frames())?;
    let joints = joints(&asf);
    let mut translations = Vec::new();
    let mut rotations = Vec::with_capacity(amc.n_frames() * n_joints);
    for row in amc.frames() {
        let (root_row, mut row) = row.split_at(asf.root_order.len());
        let (translation, rotation) = moved(&asf.root_order, root_row, asf.root_orientation, &amc);
        translations.push(asf.root_position + translation);
        rotations.push(rotation.as_quat());
        for (bone, joint) in asf.bones.iter().zip(&joints[1..]) {
            let (bone_row, rest) = row.split_at(bone.dofs.len());
            row = rest;
            let (translation, rotation) = moved(&bone.dofs, bone_row, bone.axis, &amc);
            if joint.translates {
                translations.push(joint.offset.as_dvec3() + translation);
            }
            rotations.push(rotation.as_quat());
        }
    }
    let is_cmu = asf.length == Some(CMU_LENGTH);
    Capture {
        name,
        format: Format::AsfAmc,
        joints,
        root_moves: asf.root_order.iter().any(|dof| matches!(dof, Dof::Move(_))),
        translations,
        rotations,
        rate,
        stated_frame_time: amc.rate.map(FrameRate::dt),
        scale: is_cmu.then_some((0.0254 / CMU_LENGTH, Basis::Stated)),
        up: is_cmu.then_some(UpAxis::Y),
        frames_skipped: 0,
        warnings,
    }
    .settle(options)
}

/// Two files are read at once: says which of them an error speaks of.
fn in_file(file: &str, error: ImportError) -> ImportError {
    ImportError { expected: format!("{} in the {file} file", error.expected), ..error }
}

/// The root and then a joint at the start of every bone.
fn joints(asf: &Asf) -> Vec<Joint> {
    let mut joints = vec![Joint::new("root", None, asf.root_position.as_vec3())];
    let mut has_child = vec![false; asf.bones.len()];
    for bone in &asf.bones {
        let offset = bone.parent.map_or(DVec3::ZERO, |parent| asf.bones[parent].vector);
        let parent = bone.parent.map_or(JointId::ROOT, |parent| JointId(parent as u32 + 1));
        let mut joint = Joint::new(bone.name.clone(), Some(parent), offset.as_vec3());
        joint.translates = bone.dofs.iter().any(|dof| matches!(dof, Dof::Move(_)));
        joints.push(joint);
        if let Some(parent) = bone.parent {
            has_child[parent] = true;
        }
    }
    for ((joint, bone), has_child) in joints[1..].iter_mut().zip(&asf.bones).zip(has_child) {
        if !has_child {
            joint.tips.push(bone.vector.as_vec3());
        }
    }
    joints
}

/// The translation and rotation that a row of degrees of freedom makes in the frame `axis`.
fn moved(dofs: &[Dof], row: &[f64], axis: DQuat, amc: &Amc) -> (DVec3, DQuat) {
    let mut translation = DVec3::ZERO;
    let mut motion = DQuat::IDENTITY;
    for (dof, value) in dofs.iter().zip(row) {
        match dof {
            Dof::Move(along) => translation[along.idx()] = *value,
            // The first turns first, so it stands last.
            Dof::Turn(about) => motion = about.rotation(amc.radians(*value)) * motion,
        }
    }
    if axis == DQuat::IDENTITY {
        return (translation, motion);
    }
    (axis * translation, axis * motion * axis.inverse())
}

/// `Rc · Rb · Ra` for angles in radians about the axes a, b, c.
fn axis_frame(order: [Axis; 3], angles: [f64; 3]) -> DQuat {
    order.iter().zip(angles).fold(DQuat::IDENTITY, |frame, (axis, angle)| axis.rotation(angle) * frame)
}

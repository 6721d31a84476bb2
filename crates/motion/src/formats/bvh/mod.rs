//! Biovision hierarchy (BVH): the text format of most free captures.
//!
//! [`Document`] is what a file says, [`import`] what it means as a clip, [`write()`] the way back.
//!
//! # Conventions
//! - Column vectors. A joint's transform is `T · R1 · R2 · R3` with the rotations in the order of its own
//!   channels, right-handed, about its own axes, in degrees.
//! - A position channel *replaces* that coordinate of the joint's `OFFSET`, on the root as on any other
//!   joint. Blender does the same if all three are there; where one or two are missing it takes 0 for
//!   them and we keep the offset's. (Some readers add the two; files whose roots have a zero
//!   offset, as nearly all have, mean the same to everybody.) A root without position channels stays at
//!   its offset.
//! - Each frame is one line.
//! - Files state no unit, axis or handedness: see [`import`] for what is guessed.

mod cmu;
mod document;
mod euler;
mod parse;
mod write;

pub use cmu::write_as_cmu;
pub use document::{Axis, Channel, Document, Node};
pub use euler::RotationOrder;
pub use write::{WriteError, WriteOptions, write};

use super::capture::{Capture, check_size};
use super::scale::{Scale, longest_way};
use super::{Basis, Format, Import, ImportError, ImportOptions, Place, UpAxis, Warning};
use crate::rate::FrameRate;
use crate::skeleton::{Joint, JointId};

/// Reads a BVH file as a clip called `name`.
///
/// Unless the options say otherwise, the unit comes from the joints' names for CMU's skeleton (exactly
/// 0.0254 / 0.45 m) and is otherwise guessed from the size of the body; the rate is the file's own frame
/// time, snapped to a rate that people use; the axis that points up is the one along which the body
/// extends. A first row that is a reference pose (CMU's T-pose, or all rotations zero and then a jump) is
/// kept as the rest pose and is no part of the motion.
pub fn import(name: &str, bytes: &[u8], options: &ImportOptions) -> Result<Import, ImportError> {
    let document = Document::parse(bytes)?;
    rate(&document, options).map_err(|error| parse::at_frame_time(bytes, error))?;
    import_document(name, &document, options)
}

/// As [`import`], from a file that was read before.
pub fn import_document(
    name: &str,
    document: &Document,
    options: &ImportOptions,
) -> Result<Import, ImportError> {
    let rate = rate(document, options)?;
    if document.n_frames() == 0 {
        return Err(ImportError::new(Place::Whole, "at least one frame of motion", "none"));
    }
    check_size(document.nodes().len(), document.n_channels(), document.n_frames())?;
    let is_cmu = cmu::has_cmu_names(document);
    let has_rest_row = has_rest_row(document, is_cmu);
    let frames_skipped = usize::from(has_rest_row);
    let mut warnings = Vec::new();
    if has_rest_row && !is_cmu {
        let message =
            "the first row is a reference pose; it is kept as rest pose and is no part of the motion";
        warnings.push(Warning { place: Place::Whole, message: message.to_owned() });
    }

    let mut joints: Vec<Joint> = document.nodes().iter().map(joint).collect();
    if has_rest_row && let Some(row) = document.frame(0) {
        for (joint, node) in joints.iter_mut().zip(document.nodes()) {
            joint.rest_rotation = node.local(row).1.as_quat().normalize();
        }
    }
    let n_frames = document.n_frames() - frames_skipped;
    let n_translating = joints.iter().filter(|joint| joint.translates).count();
    let mut translations = Vec::with_capacity(n_frames * n_translating);
    let mut rotations = Vec::with_capacity(n_frames * joints.len());
    for row in (frames_skipped..document.n_frames()).filter_map(|frame| document.frame(frame)) {
        for (node, joint) in document.nodes().iter().zip(&joints) {
            let (translation, rotation) = node.local(row);
            if joint.translates {
                translations.push(translation);
            }
            rotations.push(rotation.as_quat());
        }
    }
    Capture {
        name,
        format: Format::Bvh,
        joints,
        root_moves: document.nodes().first().is_some_and(Node::translates),
        translations,
        rotations,
        rate,
        stated_frame_time: Some(document.frame_time()),
        scale: known_scale(document, is_cmu),
        up: is_cmu.then_some(UpAxis::Y),
        frames_skipped,
        warnings,
    }
    .settle(options)
}

/// Metres per unit of a file, as [`import`] finds them, with a warning if they are a mere guess.
pub fn metres_per_unit(
    document: &Document,
    options: &ImportOptions,
) -> Result<(f64, Basis, Option<Warning>), ImportError> {
    let known = known_scale(document, cmu::has_cmu_names(document));
    let scale = Scale::find(options, known, || reach(document))?;
    Ok((scale.metres_per_unit, scale.basis, scale.warning))
}

fn known_scale(document: &Document, is_cmu: bool) -> Option<(f64, Basis)> {
    // The same names at another scale are somebody's own conversion.
    let is_person = || (0.6..2.5).contains(&(reach(document) * cmu::METRES_PER_UNIT));
    (is_cmu && is_person()).then_some((cmu::METRES_PER_UNIT, Basis::Detected))
}

/// The longest way along bones from the root in the first frame, in the file's units.
fn reach(document: &Document) -> f64 {
    let row = document.frame(0);
    longest_way(document.nodes().iter().map(|node| {
        let bone = row.map_or(node.offset, |row| node.local(row).0);
        let tip = node.end_sites.iter().map(|end_site| end_site.length()).fold(0.0, f64::max);
        (node.parent, bone.length(), tip)
    }))
}

fn joint(node: &Node) -> Joint {
    let parent = node.parent.map(|parent| JointId(parent as u32));
    let mut joint = Joint::new(node.name.clone(), parent, node.offset.as_vec3());
    joint.translates |= node.translates();
    joint.tips = node.end_sites.iter().map(|end_site| end_site.as_vec3()).collect();
    joint
}

fn rate(document: &Document, options: &ImportOptions) -> Result<FrameRate, ImportError> {
    let stated = || FrameRate::from_frame_time(document.frame_time());
    options.rate.or_else(stated).ok_or_else(|| {
        let expected = "a frame time between a millionth of a second and 1000 s (or a rate given by force)";
        ImportError::new(
            Place::Element("Frame Time".into()),
            expected,
            format!("{} s", document.frame_time()),
        )
    })
}

/// Whether the first row is a reference pose that was put before the motion: the root unturned, the
/// body in the zero pose (or in CMU's T-pose), and a leap to the next row that the motion does not go on with.
fn has_rest_row(document: &Document, is_cmu: bool) -> bool {
    /// Radians that all joints together do not turn from one captured frame to the next.
    const LEAP: f64 = 0.25;
    /// How much larger the leap must be than the step that follows.
    const OUTSTANDING: f64 = 4.0;
    let [Some(first), Some(second)] = [0, 1].map(|frame| document.frame(frame)) else { return false };
    let is_unturned = |node: &Node| {
        let values = first[node.first_channel..].iter().zip(&node.channels);
        values.filter(|(_, channel)| matches!(channel, Channel::Rotation(_))).all(|(value, _)| *value == 0.0)
    };
    let (root, others) = document.nodes().split_first().expect("a document has a root");
    if !is_unturned(root) || !(is_cmu || others.iter().all(is_unturned)) {
        return false;
    }
    let turn = |from: &[f64], to: &[f64]| -> f64 {
        let turns = others.iter().map(|node| {
            let cosine = node.local(from).1.dot(node.local(to).1).abs();
            2.0 * libm::acos(cosine.min(1.0))
        });
        turns.sum()
    };
    let leap = turn(first, second);
    let step = document.frame(2).map_or(0.0, |third| turn(second, third));
    leap > LEAP && leap > OUTSTANDING * step
}

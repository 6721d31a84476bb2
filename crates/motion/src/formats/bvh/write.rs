//! [`Clip`] to [`Document`] to text.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use glam::{DQuat, DVec3, Quat, Vec3};

use super::document::{Channel, Document, Node};
use super::euler::RotationOrder;
use crate::clip::Clip;
use crate::formats::text::MAX_MAGNITUDE;
use crate::pose::PoseView;
use crate::skeleton::Skeleton;

/// How a clip is put into a BVH file.
///
/// ```
/// use randori_motion::formats::{ImportOptions, bvh};
/// # use randori_motion::{Clip, FrameRate, Joint, Skeleton, math::Vec3};
/// # let skeleton = Skeleton::new(vec![Joint::new("hips", None, Vec3::Y).with_tip(Vec3::Y)]).unwrap();
/// # let pose = skeleton.rest_pose();
/// # let clip = Clip::from_poses("stand", skeleton.into(), FrameRate::HOUSE, [pose]).unwrap();
/// let centimetres = bvh::WriteOptions { metres_per_unit: 0.01, ..Default::default() };
/// let text = bvh::write(&clip, &centimetres).unwrap();
/// let options = ImportOptions { scale: Some(0.01), ..Default::default() };
/// assert_eq!(bvh::import("stand", text.as_bytes(), &options).unwrap().clip.frame(0), clip.frame(0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WriteOptions {
    /// Metres per unit of the file, between a millionth and a million.
    pub metres_per_unit: f64,
    /// The order of rotations of each joint of the clip's skeleton; `Zrotation Yrotation Xrotation` for
    /// joints beyond the end of the list.
    pub orders: Vec<RotationOrder>,
    /// Whether the rest pose is put before the motion, at the root position of the first pose, as in CMU's
    /// files. Without it a file tells no rest pose but the one in which all rotations are zero.
    pub rest_row: bool,
}

impl Default for WriteOptions {
    /// Metres, one order for all joints, the motion alone.
    fn default() -> WriteOptions {
        WriteOptions { metres_per_unit: 1.0, orders: Vec::new(), rest_row: false }
    }
}

/// Why a clip cannot be written.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WriteError {
    /// The unit is out of range.
    #[error("a unit of {0} m; it must be between 1e-6 and 1e6")]
    Unit(f64),
    /// A length is larger than a reader would take.
    #[error("joint \"{joint}\": {length} units are more than the {MAX_MAGNITUDE} a file may hold")]
    TooFar {
        /// The joint's name.
        joint: String,
        /// The length in units of the file.
        length: f64,
    },
}

/// The text of a BVH file that holds this clip; the same clip gives the same bytes.
///
/// Positions keep a millionth of a unit, angles a millionth of a degree.
pub fn write(clip: &Clip, options: &WriteOptions) -> Result<String, WriteError> {
    Ok(Document::from_clip(clip, options)?.to_text())
}

impl Document {
    /// A clip as a BVH file: root first, then depth first; root and translating joints with six channels,
    /// the others with three; angles that go on smoothly from frame to frame.
    ///
    /// The offset of the root is written as zero, because some readers add it to the position and some do
    /// not. Blanks, braces and control characters in names become `_`.
    pub fn from_clip(clip: &Clip, options: &WriteOptions) -> Result<Document, WriteError> {
        let units_per_metre = 1.0 / options.metres_per_unit;
        if !(1e-6..=1e6).contains(&options.metres_per_unit) {
            return Err(WriteError::Unit(options.metres_per_unit));
        }
        let skeleton = clip.skeleton();
        let to_units = |joint: usize, vector: Vec3| -> Result<DVec3, WriteError> {
            let units = (vector.as_dvec3() * units_per_metre).map(rounded);
            match units.abs().max_element() {
                length if length <= MAX_MAGNITUDE => Ok(units),
                length => Err(WriteError::TooFar { joint: skeleton.joints()[joint].name.clone(), length }),
            }
        };

        let order_of = |joint: usize| options.orders.get(joint).copied().unwrap_or(RotationOrder::ZYX);
        let joints = depth_first(skeleton);
        let mut node_of_joint = vec![0; joints.len()];
        let mut names = BTreeSet::new();
        let mut nodes: Vec<Node> = Vec::with_capacity(joints.len());
        for joint_idx in joints.iter().copied() {
            let joint = &skeleton.joints()[joint_idx];
            let positions: &[Channel] = if joint.translates { &Channel::ALL[..3] } else { &[] };
            let rotations = order_of(joint_idx).axes().map(Channel::Rotation);
            node_of_joint[joint_idx] = nodes.len();
            nodes.push(Node {
                name: file_name(&joint.name, &mut names),
                parent: joint.parent.map(|parent| node_of_joint[parent.idx()]),
                offset: match joint.parent {
                    None => DVec3::ZERO,
                    Some(_) => to_units(joint_idx, joint.offset)?,
                },
                channels: positions.iter().copied().chain(rotations).collect(),
                first_channel: nodes.last().map_or(0, |node| node.first_channel + node.channels.len()),
                end_sites: (joint.tips.iter())
                    .map(|tip| to_units(joint_idx, *tip))
                    .collect::<Result<_, _>>()?,
            });
        }

        let rest = options.rest_row.then(|| {
            let mut rest = skeleton.rest_pose();
            rest.translations[0] = clip.frame(0).root();
            rest
        });
        let rows = rest.iter().map(|rest| rest.view()).chain(clip.frames());
        let mut angles = vec![[0.0; 3]; joints.len()];
        let mut values = Vec::new();
        for pose in rows {
            for joint_idx in joints.iter().copied() {
                if let Some(translation) = translation(skeleton, pose, joint_idx) {
                    values.extend(to_units(joint_idx, translation)?.to_array());
                }
                let angles = &mut angles[joint_idx];
                *angles = order_of(joint_idx).angles(exact(pose.rotations[joint_idx]), *angles);
                values.extend(angles.map(|angle| rounded(angle.to_degrees())));
            }
        }
        let n_frames = clip.n_frames() + usize::from(options.rest_row);
        Ok(Document { nodes, frame_time: clip.rate().dt(), n_frames, values })
    }

    /// The file as text. Reading it gives the same document, every number to the bit.
    pub fn to_text(&self) -> String {
        let mut text = String::from("HIERARCHY\n");
        let mut open: Vec<usize> = Vec::new();
        for (node_idx, node) in self.nodes.iter().enumerate() {
            while open.last().copied() != node.parent && open.pop().is_some() {
                line(&mut text, open.len(), "}");
            }
            let keyword = if node.parent.is_none() { "ROOT" } else { "JOINT" };
            line(&mut text, open.len(), &format!("{keyword} {}", node.name));
            line(&mut text, open.len(), "{");
            open.push(node_idx);
            line(&mut text, open.len(), &offset(node.offset));
            let channels: Vec<&str> = node.channels.iter().map(|channel| channel.name()).collect();
            line(
                &mut text,
                open.len(),
                format!("CHANNELS {} {}", channels.len(), channels.join(" ")).trim_end(),
            );
            for end_site in &node.end_sites {
                line(&mut text, open.len(), "End Site");
                line(&mut text, open.len(), "{");
                line(&mut text, open.len() + 1, &offset(*end_site));
                line(&mut text, open.len(), "}");
            }
        }
        while open.pop().is_some() {
            line(&mut text, open.len(), "}");
        }
        let frame_time = decimal(self.frame_time);
        line(&mut text, 0, &format!("MOTION\nFrames: {}\nFrame Time: {frame_time}", self.n_frames));
        for frame in 0..self.n_frames {
            for (column, value) in self.frame(frame).into_iter().flatten().enumerate() {
                if column > 0 {
                    text.push(' ');
                }
                push_decimal(&mut text, *value);
            }
            text.push('\n');
        }
        text
    }
}

/// Joints such that each is followed by all that hang from it, as nested braces demand.
fn depth_first(skeleton: &Skeleton) -> Vec<usize> {
    let mut children = vec![Vec::new(); skeleton.n_joints()];
    for (joint_idx, joint) in skeleton.joints().iter().enumerate() {
        if let Some(parent) = joint.parent {
            children[parent.idx()].push(joint_idx);
        }
    }
    let mut order = Vec::with_capacity(skeleton.n_joints());
    let mut to_visit = vec![0];
    while let Some(joint_idx) = to_visit.pop() {
        order.push(joint_idx);
        to_visit.extend(children[joint_idx].iter().rev());
    }
    order
}

fn translation(skeleton: &Skeleton, pose: PoseView<'_>, joint_idx: usize) -> Option<Vec3> {
    let id = crate::skeleton::JointId(joint_idx as u32);
    skeleton.translation_idx(id).map(|idx| pose.translations[idx])
}

/// A name that every reader takes as one word, and no other joint has.
fn file_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    let replace = |c: char| if c.is_whitespace() || c.is_control() || "{}".contains(c) { '_' } else { c };
    let plain: String = name.chars().map(replace).collect();
    let plain = if plain.is_empty() { "_".to_owned() } else { plain };
    let numbered = (2..).map(|number| format!("{plain}_{number}"));
    let free = std::iter::once(plain.clone()).chain(numbered).find(|name| !taken.contains(name));
    let free = free.unwrap_or(plain);
    taken.insert(free.clone());
    free
}

fn exact(rotation: Quat) -> DQuat {
    rotation.as_dquat().normalize()
}

/// To a millionth, without negative zeros.
fn rounded(value: f64) -> f64 {
    libm::round(value * 1e6) / 1e6 + 0.0
}

fn line(text: &mut String, depth: usize, content: &str) {
    /// A chain of thousands of joints must not make the file grow with the square of its depth.
    const DEEPEST: usize = 32;
    text.extend(std::iter::repeat_n('\t', depth.min(DEEPEST)));
    text.push_str(content);
    text.push('\n');
}

fn offset(offset: DVec3) -> String {
    format!("OFFSET {} {} {}", decimal(offset.x), decimal(offset.y), decimal(offset.z))
}

fn decimal(value: f64) -> String {
    let mut text = String::new();
    push_decimal(&mut text, value);
    text
}

/// The shortest decimal that reads back as this number.
fn push_decimal(text: &mut String, value: f64) {
    let tiny = value != 0.0 && value.abs() < 1e-6;
    let written = if tiny { write!(text, "{value:e}") } else { write!(text, "{value}") };
    written.expect("a string takes all that is written");
}

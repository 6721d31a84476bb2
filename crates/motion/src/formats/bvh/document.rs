//! What a BVH file says, in its own units and degrees.

use std::collections::BTreeSet;

use glam::{DQuat, DVec3};

/// A coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Axis {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third.
    Z,
}

impl Axis {
    /// All three.
    pub const ALL: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

    /// 0, 1 or 2.
    pub fn idx(self) -> usize {
        self as usize
    }

    /// The right-handed rotation about this axis by an angle in radians.
    pub(crate) fn rotation(self, angle: f64) -> DQuat {
        if angle == 0.0 {
            return DQuat::IDENTITY;
        }
        let (sine, cosine) = libm::sincos(0.5 * angle);
        let mut xyz = [0.0; 3];
        xyz[self.idx()] = sine;
        DQuat::from_xyzw(xyz[0], xyz[1], xyz[2], cosine)
    }
}

/// What one column of the motion drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// A coordinate of the joint's position in its parent's frame, in the file's units.
    Position(Axis),
    /// A rotation about one of the joint's own axes, in degrees.
    Rotation(Axis),
}

impl Channel {
    /// Every channel there is.
    pub const ALL: [Channel; 6] = [
        Channel::Position(Axis::X),
        Channel::Position(Axis::Y),
        Channel::Position(Axis::Z),
        Channel::Rotation(Axis::X),
        Channel::Rotation(Axis::Y),
        Channel::Rotation(Axis::Z),
    ];

    /// The name in files, such as `Xposition`.
    pub fn name(self) -> &'static str {
        match self {
            Channel::Position(Axis::X) => "Xposition",
            Channel::Position(Axis::Y) => "Yposition",
            Channel::Position(Axis::Z) => "Zposition",
            Channel::Rotation(Axis::X) => "Xrotation",
            Channel::Rotation(Axis::Y) => "Yrotation",
            Channel::Rotation(Axis::Z) => "Zrotation",
        }
    }
}

/// A joint of the hierarchy.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The name as spelled in the file; unique in it.
    pub name: String,
    /// The place in [`Document::nodes`] of the joint it hangs from; `None` for the root.
    pub parent: Option<usize>,
    /// `OFFSET`, in the parent's frame and the file's units.
    pub offset: DVec3,
    /// The channels in the order of the columns, none of them twice.
    pub channels: Vec<Channel>,
    /// The column of the first channel.
    pub first_channel: usize,
    /// `End Site`s in the joint's own frame and the file's units.
    pub end_sites: Vec<DVec3>,
}

impl Node {
    /// Whether any position channel drives it.
    pub fn translates(&self) -> bool {
        self.channels.iter().any(|channel| matches!(channel, Channel::Position(_)))
    }

    /// The transform relative to the parent in one row of the motion: `T(position) · R1 · R2 · R3`, the
    /// rotations in the order of the channels. A position channel replaces that coordinate of the offset.
    pub fn local(&self, row: &[f64]) -> (DVec3, DQuat) {
        let mut position = self.offset;
        let mut rotation = DQuat::IDENTITY;
        for (channel, value) in self.channels.iter().zip(&row[self.first_channel..]) {
            match channel {
                Channel::Position(axis) => position[axis.idx()] = *value,
                Channel::Rotation(axis) => rotation *= axis.rotation(value.to_radians()),
            }
        }
        (position, rotation)
    }
}

/// A whole BVH file: hierarchy and motion.
///
/// Whatever made it, it holds: at least one joint, parents before children, unique names, finite numbers,
/// and `n_frames` rows of as many values as there are channels.
///
/// ```
/// use randori_motion::formats::bvh::Document;
/// let text = b"HIERARCHY ROOT hips\n{ OFFSET 0 0 0 CHANNELS 1 Yposition End Site\n{ OFFSET 0 1 0 } }
/// MOTION Frames: 2 Frame Time: 0.5\n7\n8\n";
/// let document = Document::parse(text).unwrap();
/// assert_eq!(document.point_names(), ["hips", "hips_end"]);
/// assert_eq!(document.world_positions(1).unwrap()[1].to_array(), [0.0, 9.0, 0.0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    pub(super) nodes: Vec<Node>,
    pub(super) frame_time: f64,
    pub(super) n_frames: usize,
    pub(super) values: Vec<f64>,
}

impl Document {
    /// The joints in file order, parents before children.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Seconds per frame as the file states them; finite, but possibly zero or negative.
    pub fn frame_time(&self) -> f64 {
        self.frame_time
    }

    /// How many rows the motion has; may be none.
    pub fn n_frames(&self) -> usize {
        self.n_frames
    }

    /// How many columns the motion has.
    pub fn n_channels(&self) -> usize {
        self.nodes.last().map_or(0, |node| node.first_channel + node.channels.len())
    }

    /// How many end sites there are in all.
    pub fn n_end_sites(&self) -> usize {
        self.nodes.iter().map(|node| node.end_sites.len()).sum()
    }

    /// One row of the motion, numbered from 0; `None` beyond the last.
    pub fn frame(&self, frame: usize) -> Option<&[f64]> {
        if frame >= self.n_frames {
            return None;
        }
        let n_channels = self.n_channels();
        self.values.get(frame * n_channels..(frame + 1) * n_channels)
    }

    /// Names of all joints and end sites, in the order of [`Document::world_positions`].
    ///
    /// An end site is `<joint>_end`, further ones of the same joint `<joint>_end2` and so on; a name that
    /// a joint bears already is passed over.
    pub fn point_names(&self) -> Vec<String> {
        let taken: BTreeSet<&str> = self.nodes.iter().map(|node| node.name.as_str()).collect();
        let mut names = Vec::with_capacity(self.nodes.len() + self.n_end_sites());
        for node in &self.nodes {
            names.push(node.name.clone());
            let numbers = (1..).map(|number| match number {
                1 => format!("{}_end", node.name),
                _ => format!("{}_end{number}", node.name),
            });
            names.extend(numbers.filter(|name| !taken.contains(name.as_str())).take(node.end_sites.len()));
        }
        names
    }

    /// World positions of all joints and end sites in one frame, numbered from 0 as in the file, in the
    /// file's units and axes; each joint is followed by its end sites. `None` beyond the last frame.
    pub fn world_positions(&self, frame: usize) -> Option<Vec<DVec3>> {
        let row = self.frame(frame)?;
        let mut world_from_node: Vec<(DVec3, DQuat)> = Vec::with_capacity(self.nodes.len());
        let mut points = Vec::with_capacity(self.nodes.len() + self.n_end_sites());
        for node in &self.nodes {
            let (mut position, mut rotation) = node.local(row);
            if let Some(parent) = node.parent {
                let (parent_position, parent_rotation) = world_from_node[parent];
                position = parent_position + parent_rotation * position;
                rotation = (parent_rotation * rotation).normalize();
            }
            world_from_node.push((position, rotation));
            points.push(position);
            points.extend(node.end_sites.iter().map(|end_site| position + rotation * *end_site));
        }
        Some(points)
    }
}

//! Where every node of a file is at any time.

use std::borrow::Cow;

use glam::{DAffine3, DQuat, DVec3, DVec4};

use super::document::{Document, Interpolation, Local, Property, Sampler};

/// World transforms of all nodes of a file at one moment; indexed by node.
///
/// `world_from_node[i]` is exact, scale and shear included. `rotations[i]` is the product of the
/// rotations alone from the root down, which is what a skeleton wants to know of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorldPose {
    /// Transforms from each node's own frame to the world.
    pub world_from_node: Vec<DAffine3>,
    /// Orientations in the world, scale left out.
    pub rotations: Vec<DQuat>,
}

impl WorldPose {
    /// Where a node is (m).
    pub fn position(&self, node: usize) -> DVec3 {
        self.world_from_node[node].translation
    }
}

/// Plays animations of a [`Document`]; made by [`Document::evaluator`].
#[derive(Clone, Debug)]
pub struct Evaluator<'a> {
    document: &'a Document,
    /// The nodes to evaluate, parents first.
    order: Cow<'a, [usize]>,
    moves: Vec<Move<'a>>,
    /// For every node, its place in `moves`.
    move_of: Vec<Option<u32>>,
    start: f64,
    end: f64,
}

/// The samplers that move one node.
#[derive(Clone, Copy, Debug, Default)]
struct Move<'a> {
    translation: Option<&'a Sampler>,
    rotation: Option<&'a Sampler>,
    scale: Option<&'a Sampler>,
}

impl<'a> Evaluator<'a> {
    /// See [`Document::evaluator`], which also says who wins where two animations move the same thing.
    pub(super) fn new(document: &'a Document, animations: &[usize]) -> Evaluator<'a> {
        let mut moves: Vec<Move<'a>> = Vec::new();
        let mut move_of: Vec<Option<u32>> = vec![None; document.nodes.len()];
        let (mut start, mut end) = (f64::INFINITY, 0.0f64);
        for animation in animations.iter().filter_map(|idx| document.animations.get(*idx)) {
            for channel in &animation.channels {
                let sampler = &animation.samplers[channel.sampler];
                let at = *move_of[channel.node].get_or_insert_with(|| {
                    moves.push(Move::default());
                    moves.len() as u32 - 1
                });
                let entry = &mut moves[at as usize];
                let slot = match channel.property {
                    Property::Translation => &mut entry.translation,
                    Property::Rotation => &mut entry.rotation,
                    Property::Scale => &mut entry.scale,
                };
                if slot.is_none() {
                    *slot = Some(sampler);
                    start = start.min(sampler.start());
                    end = end.max(sampler.end());
                }
            }
        }
        let order = Cow::Borrowed(document.parents_first());
        Evaluator { document, order, moves, move_of, start: start.min(end), end }
    }

    /// The same for these nodes and all above them only; others keep whatever the pose held for them.
    pub fn only(self, nodes: &[usize]) -> Evaluator<'a> {
        let order = self.document.with_ancestors(nodes);
        Evaluator { order: Cow::Owned(order), ..self }
    }

    /// The nodes that are evaluated, parents first.
    pub fn nodes(&self) -> &[usize] {
        &self.order
    }

    /// When the first key stands (s); 0 without any.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// When the last key stands (s); 0 without any.
    pub fn end(&self) -> f64 {
        self.end
    }

    /// World transforms of all nodes at a time (s): before the first key of a channel its first value
    /// holds, after the last its last.
    pub fn evaluate(&self, seconds: f64, out: &mut WorldPose) {
        let nodes = &self.document.nodes;
        out.world_from_node.resize(nodes.len(), DAffine3::IDENTITY);
        out.rotations.resize(nodes.len(), DQuat::IDENTITY);
        for &node in self.order.iter() {
            let local = nodes[node].local;
            let (mut parent_from_node, mut rotation) = (local.to_affine(), local.rotation());
            if let Some(at) = self.move_of[node] {
                let moving = self.moves[at as usize];
                let (rest_translation, rest_rotation, rest_scale) = local.to_trs();
                let translation = moving.translation.map_or(rest_translation, |keys| keys.vector(seconds));
                let scale = moving.scale.map_or(rest_scale, |keys| keys.vector(seconds));
                rotation = moving.rotation.map_or(rest_rotation, |keys| keys.rotation(seconds));
                parent_from_node = DAffine3::from_scale_rotation_translation(scale, rotation, translation);
            }
            (out.world_from_node[node], out.rotations[node]) = match nodes[node].parent {
                None => (parent_from_node, rotation),
                Some(parent) => (
                    out.world_from_node[parent] * parent_from_node,
                    (out.rotations[parent] * rotation).normalize(),
                ),
            };
        }
    }
}

impl Local {
    pub(super) fn to_affine(self) -> DAffine3 {
        match self {
            Local::Trs { translation, rotation, scale } => {
                DAffine3::from_scale_rotation_translation(scale, rotation, translation)
            }
            Local::Matrix(matrix) => matrix,
        }
    }

    pub(super) fn rotation(self) -> DQuat {
        self.to_trs().1
    }

    /// Translation, rotation and scale; of a matrix that has shear, the nearest by its columns.
    pub(super) fn to_trs(self) -> (DVec3, DQuat, DVec3) {
        match self {
            Local::Trs { translation, rotation, scale } => (translation, rotation, scale),
            Local::Matrix(matrix) => {
                let m = matrix.matrix3;
                let flip = if m.determinant() < 0.0 { -1.0 } else { 1.0 };
                let scale = DVec3::new(m.x_axis.length() * flip, m.y_axis.length(), m.z_axis.length());
                // Gram-Schmidt keeps the first axis; a flat matrix has no orientation of its own.
                let x = (m.x_axis * flip).normalize_or_zero();
                let y = (m.y_axis - x * x.dot(m.y_axis)).normalize_or_zero();
                let rotation = match x.length_squared() > 0.5 && y.length_squared() > 0.5 {
                    true => DQuat::from_mat3(&glam::DMat3::from_cols(x, y, x.cross(y))).normalize(),
                    false => DQuat::IDENTITY,
                };
                (matrix.translation, rotation, scale)
            }
        }
    }
}

impl Sampler {
    /// The time of the first key (s).
    pub fn start(&self) -> f64 {
        f64::from(self.times[0])
    }

    /// The time of the last key (s).
    pub fn end(&self) -> f64 {
        f64::from(self.times[self.times.len() - 1])
    }

    /// A translation or scale at a time (s).
    fn vector(&self, seconds: f64) -> DVec3 {
        self.interpolate(seconds, |a, b, fraction| a.lerp(b, fraction)).truncate()
    }

    /// A rotation at a time (s), of unit length.
    fn rotation(&self, seconds: f64) -> DQuat {
        let value = self.interpolate(seconds, |a, b, fraction| {
            let (a, b) = (DQuat::from_vec4(a).normalize(), DQuat::from_vec4(b).normalize());
            DVec4::from(a.slerp(b, fraction))
        });
        // A spline through opposite quaternions can pass through zero; the key before is as good as any.
        let value = if value.length() < 1e-9 { self.value(self.segment(seconds).0) } else { value };
        DQuat::from_vec4(value).normalize()
    }

    fn interpolate(&self, seconds: f64, linear: impl Fn(DVec4, DVec4, f64) -> DVec4) -> DVec4 {
        let (key, fraction, length) = self.segment(seconds);
        if fraction <= 0.0 {
            return self.value(key);
        }
        match self.interpolation {
            Interpolation::Step => self.value(key),
            Interpolation::Linear => linear(self.value(key), self.value(key + 1), fraction),
            Interpolation::CubicSpline => {
                let (t, t2, t3) = (fraction, fraction * fraction, fraction * fraction * fraction);
                self.value(key) * (2.0 * t3 - 3.0 * t2 + 1.0)
                    + self.tangent(key, 2) * (length * (t3 - 2.0 * t2 + t))
                    + self.value(key + 1) * (-2.0 * t3 + 3.0 * t2)
                    + self.tangent(key + 1, 0) * (length * (t3 - t2))
            }
        }
    }

    /// The key at or before a time, how far it is to the next (0 to 1), and how long that way is (s).
    fn segment(&self, seconds: f64) -> (usize, f64, f64) {
        let after = self.times.partition_point(|time| f64::from(*time) <= seconds);
        if after == 0 || after == self.times.len() {
            return (after.saturating_sub(1), 0.0, 0.0);
        }
        let (from, to) = (f64::from(self.times[after - 1]), f64::from(self.times[after]));
        (after - 1, (seconds - from) / (to - from), to - from)
    }

    fn value(&self, key: usize) -> DVec4 {
        match self.interpolation {
            Interpolation::CubicSpline => self.entry(3 * key + 1),
            _ => self.entry(key),
        }
    }

    /// A tangent of a spline: 0 the one into the key, 2 the one out of it.
    fn tangent(&self, key: usize, which: usize) -> DVec4 {
        self.entry(3 * key + which)
    }

    fn entry(&self, at: usize) -> DVec4 {
        let numbers = &self.values[at * self.width..][..self.width];
        let number = |idx: usize| numbers.get(idx).copied().map_or(0.0, f64::from);
        DVec4::new(number(0), number(1), number(2), number(3))
    }
}

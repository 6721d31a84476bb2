//! The file as a model: nodes, skins and animations, all references checked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::{DAffine3, DMat4, DQuat, DVec3, Mat4};
use serde_json::Value;

use super::accessor::{Kind, Reader, missing};
use super::evaluate::Evaluator;
use super::json::{self, Root};
use super::uri::{Fetcher, Resolve, shorten};
use super::{bad, container};
use crate::bone::Bone;
use crate::formats::{ImportError, Place, Warning};

/// What a glTF file holds of nodes and their motion; meshes and pictures are left alone.
///
/// All references are checked: nodes form trees, channels point at nodes and samplers that exist, times
/// increase, numbers are finite.
///
/// ```
/// use randori_motion::formats::gltf::{Document, WorldPose};
/// let text = r#"{
///     "asset": {"version": "2.0"},
///     "nodes": [
///         {"name": "hand", "translation": [0, 1, 0]},
///         {"name": "arm", "children": [0], "translation": [2, 0, 0]}
///     ]
/// }"#;
/// let document = Document::parse(text.as_bytes(), &|path| Err(format!("{path}: no files here"))).unwrap();
/// let mut pose = WorldPose::default();
/// document.evaluator(&[]).evaluate(0.0, &mut pose);
/// assert_eq!(pose.position(0).to_array(), [2.0, 1.0, 0.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Document {
    /// All nodes, in the file's order.
    pub nodes: Vec<Node>,
    /// All skins.
    pub skins: Vec<Skin>,
    /// All animations.
    pub animations: Vec<Animation>,
    /// Which node plays which bone, by the tables of VRM (`VRMC_vrm`, `VRMC_vrm_animation`).
    pub humanoid: BTreeMap<Bone, usize>,
    /// `extras.randori` of the file, of its first scene that has it, or of its asset.
    pub randori: Option<Value>,
    /// What was odd, but lost nothing.
    pub warnings: Vec<Warning>,
    parents_first: Vec<usize>,
}

/// A node of the scene.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name; files need not give any, nor unique ones.
    pub name: Option<String>,
    /// The node it hangs from.
    pub parent: Option<usize>,
    /// The nodes that hang from it.
    pub children: Vec<usize>,
    /// Its transform at rest, relative to its parent.
    pub local: Local,
    /// Whether a mesh is drawn here.
    pub has_mesh: bool,
    /// The skin that deforms its mesh.
    pub skin: Option<usize>,
    /// Its `extras.randori`; what other applications put into `extras` is left alone.
    pub randori: Option<Value>,
}

/// The transform of a node relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Local {
    /// Scaled, then rotated, then translated.
    Trs {
        /// (m).
        translation: DVec3,
        /// Of unit length.
        rotation: DQuat,
        /// One factor per axis (-).
        scale: DVec3,
    },
    /// As a matrix.
    Matrix(DAffine3),
}

/// A skin: nodes that act as joints, and where they were when the mesh was bound to them.
#[derive(Clone, Debug)]
pub struct Skin {
    /// Its name.
    pub name: Option<String>,
    /// The nodes that act as joints; none twice.
    pub joints: Vec<usize>,
    /// `joint_from_mesh` when bound, one per joint; `None` if the file leaves them out.
    pub inverse_bind: Option<Vec<Mat4>>,
}

/// An animation: channels that move nodes.
#[derive(Clone, Debug)]
pub struct Animation {
    /// Its name.
    pub name: Option<String>,
    /// What moves what; no two move the same property of a node. Weights of morph targets are left out.
    pub channels: Vec<Channel>,
    /// The keys that channels refer to.
    pub samplers: Vec<Sampler>,
}

impl Animation {
    /// The time of the last key of any channel (s); 0 without any.
    pub fn end(&self) -> f64 {
        self.channels.iter().map(|channel| self.samplers[channel.sampler].end()).fold(0.0, f64::max)
    }
}

/// One property of one node that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The node.
    pub node: usize,
    /// The property.
    pub property: Property,
    /// An index into [`Animation::samplers`].
    pub sampler: usize,
}

/// What a channel moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// Translation (m).
    Translation,
    /// Rotation, as quaternions.
    Rotation,
    /// Scale (-).
    Scale,
}

/// Keys over time.
#[derive(Clone, Debug)]
pub struct Sampler {
    /// Times of the keys (s): at least one, not negative, strictly increasing.
    pub times: Arc<[f32]>,
    /// How it goes from key to key.
    pub interpolation: Interpolation,
    /// Numbers per value: 3 for translations and scales, 4 for rotations.
    pub(in crate::formats) width: usize,
    /// One value per key; splines have the tangent in, the value and the tangent out.
    pub(in crate::formats) values: Arc<[f32]>,
}

/// How values go from key to key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolation {
    /// The value before holds.
    Step,
    /// Straight, or along the great arc.
    Linear,
    /// A cubic Hermite spline.
    CubicSpline,
}

impl Document {
    /// Reads a GLB or the JSON of a `.gltf`; `resolve` fetches buffers that lie beside the file.
    pub fn parse(bytes: &[u8], resolve: &Resolve<'_>) -> Result<Document, ImportError> {
        let parts = container::split(bytes)?;
        let root = json::parse(parts.json, parts.json_offset)?;
        if !root.asset.version.starts_with("2.") {
            return Err(bad("asset.version", "2.0", shorten(&root.asset.version)));
        }
        let mut warnings = Vec::new();
        let (nodes, parents_first) = read_nodes(&root, &mut warnings)?;
        let mut reader = Reader::new(&root, parts.binary, &mut Fetcher::new(resolve))?;
        let skins = read_skins(&root, &mut reader)?;
        let animations = read_animations(&root, &nodes, &mut reader, &mut warnings)?;
        let humanoid = read_humanoid(&root)?;
        cap_warnings(&mut warnings);
        let scenes = root.scenes.iter().map(|scene| &scene.extras);
        let extras = std::iter::once(&root.extras).chain(scenes).chain([&root.asset.extras]);
        let randori = extras.flatten().find_map(|extras| extras.randori.clone());
        Ok(Document { nodes, skins, animations, humanoid, randori, warnings, parents_first })
    }

    /// A document that was not read from a glTF file; `None` if the nodes are no trees.
    #[cfg(feature = "fbx")]
    pub(in crate::formats) fn from_parts(
        nodes: Vec<Node>,
        skins: Vec<Skin>,
        animations: Vec<Animation>,
    ) -> Option<Document> {
        let parents_first = parents_first(&nodes).ok()?;
        Some(Document {
            nodes,
            skins,
            animations,
            humanoid: BTreeMap::new(),
            randori: None,
            warnings: Vec::new(),
            parents_first,
        })
    }

    /// Plays these animations at once (by index; an empty list shows the file at rest).
    ///
    /// Where several move the same property of a node, the first in the list wins.
    pub fn evaluator(&self, animations: &[usize]) -> Evaluator<'_> {
        Evaluator::new(self, animations)
    }

    /// All nodes, each after its parent.
    pub fn parents_first(&self) -> &[usize] {
        &self.parents_first
    }

    /// These nodes and all above them, parents first.
    pub fn with_ancestors(&self, nodes: &[usize]) -> Vec<usize> {
        let mut wanted = vec![false; self.nodes.len()];
        for node in nodes {
            let mut up = Some(*node).filter(|node| !wanted[*node]);
            while let Some(node) = up {
                wanted[node] = true;
                up = self.nodes[node].parent.filter(|parent| !wanted[*parent]);
            }
        }
        self.parents_first.iter().copied().filter(|node| wanted[*node]).collect()
    }

    /// The node and those above it, going up.
    pub fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(node), |node| self.nodes[*node].parent)
    }
}

/// Keeps the first warnings and the number of the others: every node of a file may deserve one, and every
/// clip made of the file repeats them.
pub(super) fn cap_warnings(warnings: &mut Vec<Warning>) {
    const MOST: usize = 50;
    if warnings.len() > MOST {
        let message = format!("{} more warnings like these", warnings.len() - MOST);
        warnings.truncate(MOST);
        warnings.push(Warning { place: Place::Whole, message });
    }
}

/// The nodes with their parents, and an order in which parents come first.
fn read_nodes(root: &Root, warnings: &mut Vec<Warning>) -> Result<(Vec<Node>, Vec<usize>), ImportError> {
    let mut nodes = Vec::with_capacity(root.nodes.len());
    for (idx, node) in root.nodes.iter().enumerate() {
        if let Some(skin) = node.skin.filter(|skin| *skin >= root.skins.len()) {
            return Err(missing(&format!("nodes[{idx}].skin"), "skins", skin));
        }
        nodes.push(Node {
            name: node.name.clone(),
            parent: None,
            children: node.children.clone(),
            local: read_local(node, idx, warnings)?,
            has_mesh: node.mesh.is_some(),
            skin: node.skin,
            randori: node.extras.as_ref().and_then(|extras| extras.randori.clone()),
        });
    }
    for (parent, node) in root.nodes.iter().enumerate() {
        for (place, child) in node.children.iter().enumerate() {
            let element = format!("nodes[{parent}].children[{place}]");
            let child_node = nodes.get_mut(*child).ok_or_else(|| missing(&element, "nodes", *child))?;
            if let Some(other) = child_node.parent.replace(parent) {
                let found = format!("{child}, already a child of nodes[{other}]");
                return Err(bad(element, "a node without another parent", found));
            }
        }
    }
    let order = parents_first(&nodes).map_err(|node| {
        bad(format!("nodes[{node}]"), "a tree of nodes", "a node that is its own ancestor")
    })?;
    Ok((nodes, order))
}

/// An order of nodes in which parents come first; a node that is its own ancestor if there is one.
fn parents_first(nodes: &[Node]) -> Result<Vec<usize>, usize> {
    let mut order: Vec<usize> = (0..nodes.len()).filter(|idx| nodes[*idx].parent.is_none()).collect();
    let mut next = 0;
    while let Some(node) = order.get(next) {
        order.extend_from_slice(&nodes[*node].children);
        next += 1;
    }
    if order.len() == nodes.len() {
        return Ok(order);
    }
    // Whoever cannot be reached from a root hangs from a circle; walking up ends inside it.
    let reached: BTreeSet<usize> = order.into_iter().collect();
    let outside = (0..nodes.len()).find(|idx| !reached.contains(idx)).unwrap_or_default();
    Err((0..nodes.len()).fold(outside, |node, _| nodes[node].parent.unwrap_or(node)))
}

fn read_local(node: &json::Node, idx: usize, warnings: &mut Vec<Warning>) -> Result<Local, ImportError> {
    let finite = |numbers: &[f64], field: &str| match numbers
        .iter()
        .find(|number| number.is_nan() || number.abs() > 1e30)
    {
        None => Ok(()),
        Some(number) => Err(bad(format!("nodes[{idx}].{field}"), "finite numbers", number.to_string())),
    };
    if let Some(matrix) = &node.matrix {
        if node.translation.is_some() || node.rotation.is_some() || node.scale.is_some() {
            return Err(bad(format!("nodes[{idx}]"), "a matrix or separate parts", "both"));
        }
        finite(matrix.as_slice(), "matrix")?;
        let matrix = DMat4::from_cols_array(matrix);
        if (matrix.row(3) - glam::DVec4::W).abs().max_element() > 1e-6 {
            return Err(bad(
                format!("nodes[{idx}].matrix"),
                "a last row of 0 0 0 1",
                matrix.row(3).to_string(),
            ));
        }
        return Ok(Local::Matrix(DAffine3::from_mat4(matrix)));
    }
    let translation = node.translation.unwrap_or_default();
    let rotation = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let scale = node.scale.unwrap_or([1.0; 3]);
    finite(&translation, "translation")?;
    finite(&rotation, "rotation")?;
    finite(&scale, "scale")?;
    let rotation = DQuat::from_array(rotation);
    let length = rotation.length();
    if length < 1e-6 {
        return Err(bad(format!("nodes[{idx}].rotation"), "a unit quaternion", "one of length 0"));
    }
    if (length - 1.0).abs() > UNIT_TOLERANCE {
        let message = format!("rotation has length {length:.4}; it was made 1");
        warnings.push(Warning { place: Place::Element(format!("nodes[{idx}]")), message });
    }
    Ok(Local::Trs {
        translation: DVec3::from_array(translation),
        rotation: rotation / length,
        scale: DVec3::from_array(scale),
    })
}

/// How far a quaternion's length may be from 1 before anybody is told: 8-bit ones round to this.
const UNIT_TOLERANCE: f64 = 0.01;

fn read_skins(root: &Root, reader: &mut Reader<'_>) -> Result<Vec<Skin>, ImportError> {
    let mut skins = Vec::with_capacity(root.skins.len());
    for (idx, skin) in root.skins.iter().enumerate() {
        let mut seen = BTreeSet::new();
        for (place, joint) in skin.joints.iter().enumerate() {
            let element = format!("skins[{idx}].joints[{place}]");
            if *joint >= root.nodes.len() {
                return Err(missing(&element, "nodes", *joint));
            }
            if !seen.insert(*joint) {
                return Err(bad(element, "each joint once", format!("node {joint} again")));
            }
        }
        let inverse_bind = match skin.inverse_bind_matrices {
            None => None,
            Some(accessor) => {
                let element = format!("skins[{idx}].inverseBindMatrices");
                let numbers = reader.read(accessor, Kind::Mat4, &element)?;
                let (matrices, _) = numbers.as_chunks::<16>();
                if matrices.len() < skin.joints.len() {
                    let expected = format!("a matrix for each of {} joints", skin.joints.len());
                    return Err(bad(element, expected, matrices.len().to_string()));
                }
                Some(matrices[..skin.joints.len()].iter().map(Mat4::from_cols_array).collect())
            }
        };
        skins.push(Skin { name: skin.name.clone(), joints: skin.joints.clone(), inverse_bind });
    }
    Ok(skins)
}

fn read_animations(
    root: &Root,
    nodes: &[Node],
    reader: &mut Reader<'_>,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Animation>, ImportError> {
    // Channels share their times, and some their values: each accessor is decoded once.
    let mut cache: BTreeMap<(usize, usize), Arc<[f32]>> = BTreeMap::new();
    let mut read = |accessor: usize, kind: Kind, from: &str| -> Result<Arc<[f32]>, ImportError> {
        if let Some(numbers) = cache.get(&(accessor, kind.width())) {
            return Ok(Arc::clone(numbers));
        }
        let numbers: Arc<[f32]> = Arc::from(reader.read(accessor, kind, from)?);
        if kind == Kind::Scalar {
            check_times(&numbers, accessor)?;
        }
        cache.insert((accessor, kind.width()), Arc::clone(&numbers));
        Ok(numbers)
    };
    let mut animations = Vec::with_capacity(root.animations.len());
    for (idx, animation) in root.animations.iter().enumerate() {
        let mut channels = Vec::new();
        let mut samplers: Vec<Option<Sampler>> = vec![None; animation.samplers.len()];
        let mut taken = BTreeSet::new();
        for (place, channel) in animation.channels.iter().enumerate() {
            let element = format!("animations[{idx}].channels[{place}]");
            let sampler = (animation.samplers.get(channel.sampler))
                .ok_or_else(|| missing(&format!("{element}.sampler"), "samplers", channel.sampler))?;
            let property = match channel.target.path.as_str() {
                "translation" => Property::Translation,
                "rotation" => Property::Rotation,
                "scale" => Property::Scale,
                // Faces and pointers of extensions move no node.
                "weights" | "pointer" => continue,
                other => {
                    let place = format!("{element}.target.path");
                    return Err(bad(place, "translation, rotation, scale or weights", shorten(other)));
                }
            };
            // Without a node, the target belongs to an extension.
            let Some(node) = channel.target.node else { continue };
            if node >= nodes.len() {
                return Err(missing(&format!("{element}.target.node"), "nodes", node));
            }
            if !taken.insert((node, property)) {
                let found = format!("a second one for nodes[{node}]");
                return Err(bad(format!("{element}.target"), "one channel for each property", found));
            }
            if matches!(nodes[node].local, Local::Matrix(_)) {
                let message = format!("moves nodes[{node}], which is given as a matrix; it was taken apart");
                warnings.push(Warning { place: Place::Element(element.clone()), message });
            }
            let width = if property == Property::Rotation { 4 } else { 3 };
            let known = samplers[channel.sampler].as_ref();
            if known.is_none_or(|known| known.width != width) {
                let place = format!("animations[{idx}].samplers[{}]", channel.sampler);
                if known.is_some() {
                    return Err(bad(place, "a use for one kind of property", "vectors and rotations"));
                }
                samplers[channel.sampler] =
                    Some(read_sampler(sampler, property, &mut read, &place, warnings)?);
            }
            channels.push(Channel { node, property, sampler: channel.sampler });
        }
        // Samplers that no channel uses are dropped, so the indices move.
        let mut kept = Vec::new();
        let moved: Vec<usize> = samplers
            .into_iter()
            .map(|sampler| {
                kept.extend(sampler);
                kept.len().saturating_sub(1)
            })
            .collect();
        for channel in &mut channels {
            channel.sampler = moved[channel.sampler];
        }
        animations.push(Animation { name: animation.name.clone(), channels, samplers: kept });
    }
    Ok(animations)
}

fn read_sampler(
    sampler: &json::Sampler,
    property: Property,
    read: &mut impl FnMut(usize, Kind, &str) -> Result<Arc<[f32]>, ImportError>,
    element: &str,
    warnings: &mut Vec<Warning>,
) -> Result<Sampler, ImportError> {
    let interpolation = match sampler.interpolation.as_deref() {
        None | Some("LINEAR") => Interpolation::Linear,
        Some("STEP") => Interpolation::Step,
        Some("CUBICSPLINE") => Interpolation::CubicSpline,
        Some(other) => {
            let place = format!("{element}.interpolation");
            return Err(bad(place, "LINEAR, STEP or CUBICSPLINE", shorten(other)));
        }
    };
    let times = read(sampler.input, Kind::Scalar, &format!("{element}.input"))?;
    let kind = if property == Property::Rotation { Kind::Vec4 } else { Kind::Vec3 };
    let values = read(sampler.output, kind, &format!("{element}.output"))?;
    let per_key = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
    let (expected, found) = (times.len() * per_key, values.len() / kind.width());
    if found != expected {
        let expected = format!("{expected} values for {} times", times.len());
        return Err(bad(format!("{element}.output"), expected, found.to_string()));
    }
    if property == Property::Rotation {
        let mut worst = 0.0f64;
        for (key, value) in values.chunks_exact(4).skip(per_key / 2).step_by(per_key).enumerate() {
            let length = value.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
            if length < 1e-6 {
                let place = format!("accessors[{}][{key}]", sampler.output);
                return Err(bad(place, "a unit quaternion", "one of length 0"));
            }
            worst = if (length - 1.0).abs() > worst.abs() { length - 1.0 } else { worst };
        }
        if worst.abs() > UNIT_TOLERANCE {
            let place = Place::Element(format!("accessors[{}]", sampler.output));
            let message = format!("rotations have lengths up to {:.4}; they were made 1", 1.0 + worst);
            warnings.push(Warning { place, message });
        }
    }
    Ok(Sampler { times, interpolation, width: kind.width(), values })
}

fn check_times(times: &[f32], accessor: usize) -> Result<(), ImportError> {
    let element = |key: usize| format!("accessors[{accessor}][{key}]");
    match times.first() {
        None => return Err(bad(format!("accessors[{accessor}]"), "at least one time", "none")),
        Some(first) if *first < 0.0 => return Err(bad(element(0), "a time not below 0", first.to_string())),
        Some(_) => {}
    }
    match times.windows(2).position(|pair| pair[1] <= pair[0]) {
        None => Ok(()),
        Some(key) => {
            let expected = format!("a time after {}", times[key]);
            Err(bad(element(key + 1), expected, times[key + 1].to_string()))
        }
    }
}

fn read_humanoid(root: &Root) -> Result<BTreeMap<Bone, usize>, ImportError> {
    let mut table = BTreeMap::new();
    let Some(extensions) = &root.extensions else { return Ok(table) };
    let tables = [("VRMC_vrm", &extensions.vrm), ("VRMC_vrm_animation", &extensions.vrm_animation)];
    for (extension, humanoid) in tables {
        let Some(humanoid) = humanoid.as_ref().and_then(|table| table.humanoid.as_ref()) else { continue };
        for (name, bone) in &humanoid.human_bones {
            let element = format!("extensions.{extension}.humanoid.humanBones.{}", shorten(name));
            if bone.node >= root.nodes.len() {
                return Err(missing(&format!("{element}.node"), "nodes", bone.node));
            }
            let known =
                Bone::from_name(name).ok_or_else(|| bad(element, "a bone of VRM 1.0", "another name"))?;
            table.insert(known, bone.node);
        }
    }
    Ok(table)
}

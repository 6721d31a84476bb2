//! Autodesk FBX, binary and ASCII, read through `ufbx` (feature `fbx`).
//!
//! Whatever FBX has of pivots, pre-rotations, rotation orders and inheritance of scales is baked by `ufbx`
//! into plain transforms at the file's own rate; from there on a file goes the way of glTF: characters by
//! skins, or by trees of limb nodes where nothing is skinned.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DMat4, DQuat, DVec3, DVec4, Mat4};
use ufbx::{AllocatorOpts, CoordinateAxes, InheritModeHandling, LoadOpts, SceneRoot, SpaceConversion};

use super::gltf::{
    Animation, Channel, Document, ImportedCharacter, Interpolation, Local, Node, Property, Sampler, Skin,
    characters,
};
use super::{Basis, Format, ImportError, ImportOptions, Place, Source, UpAxis};
use crate::rate::FrameRate;

/// Memory that `ufbx` may use, per byte of the file: arrays are deflated, so a file can say much in few
/// bytes.
const MEMORY_PER_BYTE: usize = 64;

/// Memory that `ufbx` may use however small the file [bytes].
const FREE_MEMORY: usize = 64 << 20;

/// How many node transforms a file may be baked into, on top of [`TRANSFORMS_PER_BYTE`]: half an hour of
/// one person at 60 poses per second.
const FREE_TRANSFORMS: usize = 1 << 22;

/// How many node transforms each byte of the file may be baked into.
const TRANSFORMS_PER_BYTE: usize = 4;

/// Deeper trees are refused by `ufbx`; people's skeletons stay below 100.
const MAX_DEPTH: u32 = 4096;

/// Reads an FBX file and makes clips of the characters that its animation stacks move.
///
/// `name` is what clips are called where a stack has no name. The file's unit and axes are converted;
/// `options` override what it says of them, and the rate of its clock.
pub fn import(
    name: &str,
    bytes: &[u8],
    options: &ImportOptions,
) -> Result<Vec<ImportedCharacter>, ImportError> {
    options.validate()?;
    let limit = bytes.len().saturating_mul(MEMORY_PER_BYTE).saturating_add(FREE_MEMORY);
    let allocator = || AllocatorOpts { memory_limit: limit, ..Default::default() };
    let mut load = LoadOpts {
        temp_allocator: allocator(),
        result_allocator: allocator(),
        ignore_geometry: true,
        ignore_embedded: true,
        node_depth_limit: MAX_DEPTH,
        inherit_mode_handling: InheritModeHandling::HelperNodes,
        space_conversion: SpaceConversion::ModifyGeometry,
        target_unit_meters: 1.0,
        ..Default::default()
    };
    if options.up.is_none() {
        load.target_axes = CoordinateAxes::right_handed_y_up();
    }
    let scene = ufbx::load_memory(bytes, load).map_err(|error| {
        let info = error.info();
        let detail = if info.is_empty() { String::new() } else { format!(" ({info})") };
        ImportError::new(Place::Whole, "an FBX file", format!("{}{detail}", error.description.as_ref()))
    })?;

    let unit = scene.settings.original_unit_meters;
    let rate = FrameRate::from_fps(scene.settings.frames_per_second).unwrap_or(FrameRate::HOUSE);
    let source = Source {
        format: Format::Fbx,
        metres_per_unit: options.scale.unwrap_or(unit),
        scale_basis: if options.scale.is_some() { Basis::Given } else { Basis::Stated },
        stated_frame_time: Some(rate.dt()),
        up: options.up.unwrap_or(UpAxis::Y),
        frames_skipped: 0,
    };
    let document = document(&scene, rate, bytes.len())?;
    // Positions are in metres already, by the file's own unit.
    let scale = options.scale.map(|scale| if unit > 0.0 { scale / unit } else { scale });
    characters(&document, name, &ImportOptions { scale, ..*options }, &source)
}

/// The scene as nodes, skins and baked keys.
fn document(scene: &SceneRoot, rate: FrameRate, n_bytes: usize) -> Result<Document, ImportError> {
    let nodes: Vec<Node> = (scene.nodes.iter())
        .map(|node| Node {
            name: Some(node.element.name.to_string()).filter(|name| !name.is_empty()),
            parent: node.parent.as_ref().map(|parent| parent.element.typed_id as usize),
            children: node.children.iter().map(|child| child.element.typed_id as usize).collect(),
            local: local(&node.local_transform),
            has_mesh: node.mesh.is_some(),
            skin: None,
            randori: None,
        })
        .collect();
    let skins = skins(scene);
    let mut budget = n_bytes.saturating_mul(TRANSFORMS_PER_BYTE).saturating_add(FREE_TRANSFORMS);
    let mut animations = Vec::new();
    for stack in scene.anim_stacks.iter() {
        animations.push(bake(scene, stack, rate, &skins, &mut budget)?);
    }
    Document::from_parts(nodes, skins, animations)
        .ok_or_else(|| ImportError::new(Place::Whole, "a tree of nodes", "nodes that hang from each other"))
}

/// The file's skins, and one for each tree of limb nodes, skinned or not: captures often have no mesh.
fn skins(scene: &SceneRoot) -> Vec<Skin> {
    let mut skins = Vec::new();
    for deformer in scene.skin_deformers.iter() {
        // A joint may have several clusters; the first says where it was bound.
        let mut bound: BTreeMap<usize, Mat4> = BTreeMap::new();
        for cluster in deformer.clusters.iter() {
            if let Some(bone) = &cluster.bone_node {
                let bind = matrix(&cluster.bind_to_world);
                let inverse = if bind.determinant().abs() > 1e-12 { bind.inverse() } else { DMat4::ZERO };
                bound.entry(bone.element.typed_id as usize).or_insert(inverse.as_mat4());
            }
        }
        let (joints, inverse_bind) = bound.into_iter().unzip();
        skins.push(Skin { name: None, joints, inverse_bind: Some(inverse_bind) });
    }
    let mut tree_of: BTreeMap<usize, usize> = BTreeMap::new();
    let mut trees: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut by_depth: Vec<_> = scene.nodes.iter().collect();
    by_depth.sort_by_key(|node| (node.node_depth, node.element.typed_id));
    for node in by_depth {
        let idx = node.element.typed_id as usize;
        let above = node.parent.as_ref().and_then(|parent| tree_of.get(&(parent.element.typed_id as usize)));
        if let Some(top) = above.copied().or(node.bone.is_some().then_some(idx)) {
            tree_of.insert(idx, top);
            if node.bone.is_some() {
                trees.entry(top).or_default().push(idx);
            }
        }
    }
    skins.extend(trees.into_values().map(|joints| Skin { name: None, joints, inverse_bind: None }));
    skins
}

/// A stack as keys at every frame for all nodes that it moves and for all joints.
fn bake(
    scene: &SceneRoot,
    stack: &ufbx::AnimStack,
    rate: FrameRate,
    skins: &[Skin],
    budget: &mut usize,
) -> Result<Animation, ImportError> {
    let element = format!("animation stack \"{}\"", super::gltf::shorten(&stack.element.name));
    let duration = (stack.time_end - stack.time_begin).max(0.0);
    let n_frames = (duration * rate.fps()).round() + 1.0;
    let cost = n_frames * scene.nodes.len() as f64;
    if cost.is_nan() || cost > *budget as f64 {
        let expected = format!("at most {budget} transforms of nodes, in proportion to the file");
        let found = format!("{duration} s at {rate} per second for {} nodes", scene.nodes.len());
        return Err(ImportError::new(Place::Element(element), expected, found));
    }
    *budget -= cost as usize;
    let n_frames = n_frames as usize;
    let times: Arc<[f32]> = (0..n_frames).map(|frame| rate.time_of(frame) as f32).collect();
    let mut joints: Vec<usize> = skins.iter().flat_map(|skin| &skin.joints).copied().collect();
    joints.sort_unstable();

    let (mut channels, mut samplers) = (Vec::new(), Vec::new());
    for node in scene.nodes.iter() {
        let idx = node.element.typed_id as usize;
        let (mut translations, mut rotations, mut scales) = (Vec::new(), Vec::new(), Vec::new());
        for frame in 0..n_frames {
            let transform = node.evaluate_transform(&stack.anim, stack.time_begin + rate.time_of(frame));
            let (t, r, s) = (transform.translation, transform.rotation, transform.scale);
            translations.extend([t.x as f32, t.y as f32, t.z as f32]);
            rotations.extend([r.x as f32, r.y as f32, r.z as f32, r.w as f32]);
            scales.extend([s.x as f32, s.y as f32, s.z as f32]);
        }
        let is_joint = joints.binary_search(&idx).is_ok();
        for (property, width, values) in [
            (Property::Translation, 3, translations),
            (Property::Rotation, 4, rotations),
            (Property::Scale, 3, scales),
        ] {
            if let Some(value) = values.iter().find(|value| !value.is_finite()) {
                let place = Place::Element(format!(
                    "{element}, node \"{}\"",
                    super::gltf::shorten(&node.element.name)
                ));
                return Err(ImportError::new(place, "finite transforms", value.to_string()));
            }
            let moves = values.chunks_exact(width).any(|value| value != &values[..width]);
            if moves || (is_joint && property != Property::Scale) {
                channels.push(Channel { node: idx, property, sampler: samplers.len() });
                let times = Arc::clone(&times);
                samplers.push(Sampler {
                    times,
                    interpolation: Interpolation::Linear,
                    width,
                    values: values.into(),
                });
            }
        }
    }
    let name = Some(stack.element.name.to_string()).filter(|name| !name.is_empty());
    Ok(Animation { name, channels, samplers })
}

fn local(transform: &ufbx::Transform) -> Local {
    let (t, r, s) = (transform.translation, transform.rotation, transform.scale);
    let rotation = DQuat::from_xyzw(r.x, r.y, r.z, r.w);
    Local::Trs {
        translation: DVec3::new(t.x, t.y, t.z),
        rotation: if rotation.length() > 1e-6 { rotation.normalize() } else { DQuat::IDENTITY },
        scale: DVec3::new(s.x, s.y, s.z),
    }
}

fn matrix(m: &ufbx::Matrix) -> DMat4 {
    DMat4::from_cols(
        DVec4::new(m.m00, m.m10, m.m20, 0.0),
        DVec4::new(m.m01, m.m11, m.m21, 0.0),
        DVec4::new(m.m02, m.m12, m.m22, 0.0),
        DVec4::new(m.m03, m.m13, m.m23, 1.0),
    )
}

//! GLB: a whole take in one file that Blender, engines and viewers open.
//!
//! - One animation for all, named after the take. Times are the take's: a character that enters later has
//!   its first key later, and holds its first and last pose outside its span.
//! - Each character is an armature node with its name and identity transform; its bones are named
//!   `blue.hips`, after the bone they play or, without a role, after the joint. A mesh node `blue.mesh`
//!   wears the mannequin, bound in the rest pose.
//! - Props are node trees with a mesh node for each piece.
//! - Whoever is not there all the time is hidden outside its span without touching its joints: a
//!   mannequin collapses by a morph target `hidden`, the pieces of a prop are scaled to nothing.
//! - `extras.randori` of the file, and again of its scene where Blender keeps it, holds `version`, `seed`,
//!   `events` and `forces`. Armature nodes hold `character`, `enter`, `exit`, `color`, `mass` (kg) and
//!   `girth` and, of somebody armed, `weapon` (`bone`, both `ends` of its axis in the bone's frame and `radius`, m)
//!   there, bones `bone`, `joint` (the name without prefix) and `tips`; the first node of a prop
//!   `prop`, `enter`, `exit`, `color` and `pieces`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::{Mat4, Quat, Vec3};
use randori_motion::take::{CharacterId, Color, ContactForce, Piece, PropId, Shape, Touching};
use randori_motion::{Body, Character, Clip, Joint, JointId, Prop, Skeleton, Take, Weapon};
use serde_json::{Map, Value, json};

use super::ExportError;
use super::buffers::Buffers;
use crate::mannequin::{SkinnedMesh, mannequin, shape_mesh};

/// The version of what stands in `extras.randori`.
pub const EXTRAS_VERSION: u32 = 1;

/// Choices of the export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlbOptions {
    /// Whether characters and props are hidden before they enter and after they leave; otherwise they are
    /// seen standing still.
    pub hide_absent: bool,
}

impl Default for GlbOptions {
    fn default() -> GlbOptions {
        GlbOptions { hide_absent: true }
    }
}

/// The bytes of a GLB that holds the take. The same take gives the same bytes.
///
/// ```
/// use std::sync::Arc;
/// use randori_motion::{Build, Character, Clip, FrameRate, Take};
/// use randori_scene::export::{GlbOptions, glb};
///
/// let body = Arc::new(Build::AVERAGE.body());
/// let poses = vec![body.skeleton.rest_pose(); 2];
/// let clip = Clip::from_poses("stand", Arc::clone(&body.skeleton), FrameRate::HOUSE, poses).unwrap();
/// let mut take = Take::new("alone", 1);
/// take.characters.push(Character { name: "blue".into(), color: [0.1, 0.3, 0.8], body, enter: 0.0, clip });
/// let bytes = glb(&take, &GlbOptions::default()).unwrap();
/// assert!(bytes.starts_with(b"glTF"));
/// ```
pub fn glb(take: &Take, options: &GlbOptions) -> Result<Vec<u8>, ExportError> {
    take.validate()?;
    let mut writer = Writer { duration: take.duration(), options: *options, ..Writer::default() };
    for character in &take.characters {
        writer.character(character)?;
    }
    for prop in &take.props {
        writer.prop(prop)?;
    }
    writer.finish(take)
}

/// What the joints of a skeleton are called in exported files, before the character's prefix: after the
/// bone they play, else by their own name; no two alike.
pub(super) fn bone_names(skeleton: &Skeleton) -> Vec<String> {
    let mut taken = BTreeSet::new();
    skeleton.joints().iter().map(|joint| unique(bone_name(joint), &mut taken)).collect()
}

fn bone_name(joint: &Joint) -> &str {
    joint.bone.map_or(joint.name.as_str(), |bone| bone.name())
}

/// The name, with a number behind it if it is taken.
pub(super) fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut unique = name.to_owned();
    let mut number = 1;
    while !taken.insert(unique.clone()) {
        number += 1;
        unique = format!("{name}_{number}");
    }
    unique
}

/// The document under construction.
#[derive(Default)]
struct Writer {
    options: GlbOptions,
    /// Of the whole take (s).
    duration: f64,
    buffers: Buffers,
    nodes: Vec<Value>,
    names: BTreeSet<String>,
    /// Nodes at the top of the scene.
    tops: Vec<usize>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    skins: Vec<Value>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
    /// Accessors of key times, by the times' bits.
    times: BTreeMap<Vec<u32>, usize>,
    /// Attributes of mannequins: characters of one body share them.
    mannequins: Vec<(Arc<Body>, Mannequin)>,
}

/// Accessors of a mannequin's mesh.
#[derive(Clone)]
struct Mannequin {
    attributes: Value,
    indices: usize,
    /// Displacements that make it vanish; made when first needed.
    hidden: Option<usize>,
    skin: Arc<SkinnedMesh>,
}

/// The time that a character or prop is there.
struct Span<'a> {
    name: &'a str,
    enter: f64,
    clip: &'a Clip,
}

impl Writer {
    fn character(&mut self, character: &Character) -> Result<(), ExportError> {
        let span = Span { name: &character.name, enter: character.enter, clip: &character.clip };
        let skeleton = character.clip.skeleton();
        let mut extras = json!({
            "character": character.name,
            "enter": character.enter,
            "exit": character.exit(),
            "color": shown(character.color),
            "mass": character.body.total_mass(),
            "girth": character.body.girth,
        });
        if let Some(Weapon { bone, ends, radius }) = character.body.weapon {
            let ends = ends.map(|end| end.to_array());
            extras["weapon"] = json!({"bone": bone.name(), "ends": ends, "radius": radius});
        }
        let armature = self.node(&character.name, extras);
        let joints = self.joints(&character.name, skeleton, Some(armature));
        self.tops.push(armature);
        self.keys(&span, &joints)?;

        let rest = skeleton.global_pose(skeleton.rest_pose().view());
        let inverse_bind: Vec<Mat4> = (rest.rotations.iter().zip(&rest.positions))
            .map(|(rotation, position)| Mat4::from_rotation_translation(*rotation, *position).inverse())
            // Rounding must not spoil the last row.
            .map(|mut matrix| {
                for (column, value) in [0.0, 0.0, 0.0, 1.0].into_iter().enumerate() {
                    matrix.col_mut(column).w = value;
                }
                matrix
            })
            .collect();
        let inverse_bind = self.buffers.matrices(&inverse_bind);
        self.skins.push(json!({
            "name": character.name,
            "joints": joints,
            "inverseBindMatrices": inverse_bind,
            "skeleton": armature,
        }));

        let absent = self.absence(&span);
        let mannequin = self.mannequin(&character.body, absent.is_some());
        if mannequin.skin.indices.is_empty() {
            return Ok(());
        }
        let material = self.material(&character.name, character.color);
        let mut primitive =
            json!({"attributes": mannequin.attributes, "indices": mannequin.indices, "material": material});
        let mut mesh = json!({"name": format!("{}.mannequin", character.name)});
        if let Some(hidden) = mannequin.hidden.filter(|_| absent.is_some()) {
            primitive["targets"] = json!([{"POSITION": hidden}]);
            mesh["weights"] = json!([0.0]);
            mesh["extras"] = json!({"targetNames": ["hidden"]});
        }
        mesh["primitives"] = json!([primitive]);
        self.meshes.push(mesh);
        let node = self.node(&format!("{}.mesh", character.name), Value::Null);
        self.nodes[node]["mesh"] = json!(self.meshes.len() - 1);
        self.nodes[node]["skin"] = json!(self.skins.len() - 1);
        self.tops.push(node);
        if let Some((times, there)) = absent {
            let weights: Vec<f32> = there.iter().map(|there| if *there { 0.0 } else { 1.0 }).collect();
            let output = self.buffers.scalars(&weights);
            self.channel(node, "weights", &times, output, "STEP");
        }
        Ok(())
    }

    fn prop(&mut self, prop: &Prop) -> Result<(), ExportError> {
        let span = Span { name: &prop.name, enter: prop.enter, clip: &prop.clip };
        let joints = self.joints(&prop.name, prop.clip.skeleton(), None);
        let extras = &mut self.nodes[joints[0]]["extras"]["randori"];
        extras["prop"] = json!(prop.name);
        extras["enter"] = json!(prop.enter);
        extras["exit"] = json!(prop.exit());
        extras["color"] = json!(shown(prop.color));
        extras["pieces"] = prop.pieces.iter().map(|piece| written(piece, prop.clip.skeleton())).collect();
        self.tops.push(joints[0]);
        self.keys(&span, &joints)?;
        let material = self.material(&prop.name, prop.color);
        for (piece_idx, piece) in prop.pieces.iter().enumerate() {
            let shape = shape_mesh(&piece.shape);
            if shape.indices.is_empty() {
                continue;
            }
            let attributes = json!({
                "POSITION": self.buffers.positions(&shape.positions),
                "NORMAL": self.buffers.normals(&shape.normals),
            });
            let indices = self.buffers.indices(&shape.indices);
            let primitive = json!({"attributes": attributes, "indices": indices, "material": material});
            let name = format!("{}.piece{piece_idx}", prop.name);
            self.meshes.push(json!({"name": name, "primitives": [primitive]}));
            let node = self.node(&name, Value::Null);
            self.nodes[node]["mesh"] = json!(self.meshes.len() - 1);
            self.place(node, piece.center, piece.rotation.normalize());
            self.hang(node, joints[piece.joint.idx()]);
            if let Some((times, there)) = self.absence(&span) {
                let scales: Vec<Vec3> =
                    there.iter().map(|there| if *there { Vec3::ONE } else { Vec3::ZERO }).collect();
                let output = self.buffers.vectors(&scales);
                self.channel(node, "scale", &times, output, "STEP");
            }
        }
        Ok(())
    }

    /// The nodes of a skeleton in its rest pose; the first is called `owner` if it hangs nowhere.
    fn joints(&mut self, owner: &str, skeleton: &Skeleton, above: Option<usize>) -> Vec<usize> {
        let mut nodes: Vec<usize> = Vec::with_capacity(skeleton.n_joints());
        for (joint, name) in skeleton.joints().iter().zip(bone_names(skeleton)) {
            let mut extras = json!({"joint": joint.name});
            if let Some(bone) = joint.bone {
                extras["bone"] = json!(bone.name());
            }
            if !joint.tips.is_empty() {
                extras["tips"] = joint.tips.iter().map(|tip| json!(tip.to_array())).collect();
            }
            let parent = joint.parent.map(|parent| nodes[parent.idx()]).or(above);
            let node = match parent {
                None => self.node(owner, extras),
                Some(_) => self.node(&format!("{owner}.{name}"), extras),
            };
            self.place(node, joint.offset, joint.rest_rotation);
            if let Some(parent) = parent {
                self.hang(node, parent);
            }
            nodes.push(node);
        }
        nodes
    }

    /// The motion of a skeleton's nodes. Joints that keep still get no keys, or one if they keep still
    /// elsewhere than at rest; the root always has all keys, so that nobody has to guess the rate.
    fn keys(&mut self, span: &Span<'_>, joints: &[usize]) -> Result<(), ExportError> {
        let clip = span.clip;
        let skeleton = clip.skeleton();
        let times: Vec<f32> =
            (0..clip.n_frames()).map(|frame| (span.enter + clip.rate().time_of(frame)) as f32).collect();
        if let Some(frame) = times.windows(2).position(|pair| pair[1] <= pair[0]) {
            let name = span.name.to_owned();
            return Err(ExportError::Times { name, frame, seconds: times[frame] });
        }
        for (id, node) in skeleton.ids().zip(joints) {
            let joint = skeleton.joint(id);
            if let Some(at) = skeleton.translation_idx(id) {
                let keys: Vec<Vec3> = clip.frames().map(|pose| pose.translations[at]).collect();
                let still = joint.parent.is_some() && keys.iter().all(|key| *key == keys[0]);
                if !still || keys[0] != joint.offset {
                    let n_keys = if still { 1 } else { keys.len() };
                    let output = self.buffers.vectors(&keys[..n_keys]);
                    self.channel(*node, "translation", &times[..n_keys], output, "LINEAR");
                }
            }
            let keys: Vec<Quat> = clip.frames().map(|pose| pose.rotations[id.idx()]).collect();
            let still = keys.iter().all(|key| *key == keys[0]);
            if !still || keys[0] != joint.rest_rotation {
                let n_keys = if still { 1 } else { keys.len() };
                let output = self.buffers.rotations(&keys[..n_keys]);
                self.channel(*node, "rotation", &times[..n_keys], output, "LINEAR");
            }
        }
        Ok(())
    }

    /// When somebody comes and goes, as keys; `None` if it is there from beginning to end, or shall not be
    /// hidden.
    fn absence(&self, span: &Span<'_>) -> Option<(Vec<f32>, Vec<bool>)> {
        let (mut times, mut there) = (vec![0.0f32], vec![span.enter as f32 <= 0.0]);
        if !there[0] {
            times.push(span.enter as f32);
            there.push(true);
        }
        // The last pose is seen for as long as any other.
        let gone = (span.enter + span.clip.rate().time_of(span.clip.n_frames())) as f32;
        if gone <= self.duration as f32 && gone > times[times.len() - 1] {
            times.push(gone);
            there.push(false);
        }
        (self.options.hide_absent && there.len() > 1).then_some((times, there))
    }

    fn mannequin(&mut self, body: &Arc<Body>, hides: bool) -> Mannequin {
        let known = self.mannequins.iter().position(|(known, _)| Arc::ptr_eq(known, body));
        let at = known.unwrap_or_else(|| {
            let mannequin = self.new_mannequin(body);
            self.mannequins.push((Arc::clone(body), mannequin));
            self.mannequins.len() - 1
        });
        let found = &mut self.mannequins[at].1;
        if hides && found.hidden.is_none() && !found.skin.indices.is_empty() {
            found.hidden = Some(self.buffers.positions(&collapse(body, &found.skin)));
        }
        found.clone()
    }

    fn new_mannequin(&mut self, body: &Body) -> Mannequin {
        let mut skin = mannequin(body);
        for (joints, weights) in skin.joints.iter_mut().zip(&mut skin.weights) {
            tidy_weights(joints, weights);
        }
        let skin = Arc::new(skin);
        if skin.indices.is_empty() {
            return Mannequin { attributes: Value::Null, indices: 0, hidden: None, skin };
        }
        let attributes = json!({
            "POSITION": self.buffers.positions(&skin.positions),
            "NORMAL": self.buffers.normals(&skin.normals),
            "COLOR_0": self.buffers.tones(&skin.tones),
            "JOINTS_0": self.buffers.joints(&skin.joints),
            "WEIGHTS_0": self.buffers.weights(&skin.weights),
        });
        let indices = self.buffers.indices(&skin.indices);
        Mannequin { attributes, indices, hidden: None, skin }
    }

    fn material(&mut self, name: &str, color: Color) -> usize {
        let [red, green, blue] = shown(color);
        self.materials.push(json!({
            "name": name,
            "pbrMetallicRoughness": {
                "baseColorFactor": [red, green, blue, 1.0],
                "metallicFactor": 0.0,
                "roughnessFactor": 0.7,
            },
        }));
        self.materials.len() - 1
    }

    /// A new node with a name of its own and, unless null, something in `extras.randori`.
    fn node(&mut self, name: &str, randori: Value) -> usize {
        let mut node = json!({"name": unique(name, &mut self.names)});
        if !randori.is_null() {
            node["extras"] = json!({"randori": randori});
        }
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn place(&mut self, node: usize, translation: Vec3, rotation: Quat) {
        if translation != Vec3::ZERO {
            self.nodes[node]["translation"] = json!(translation.to_array());
        }
        if rotation != Quat::IDENTITY {
            self.nodes[node]["rotation"] = json!(rotation.to_array());
        }
    }

    fn hang(&mut self, node: usize, parent: usize) {
        match &mut self.nodes[parent]["children"] {
            Value::Array(children) => children.push(json!(node)),
            none => *none = json!([node]),
        }
    }

    fn channel(&mut self, node: usize, path: &str, times: &[f32], output: usize, interpolation: &str) {
        let bits: Vec<u32> = times.iter().map(|time| time.to_bits()).collect();
        let input = *self.times.entry(bits).or_insert_with(|| self.buffers.times(times));
        self.channels.push(json!({"sampler": self.samplers.len(), "target": {"node": node, "path": path}}));
        self.samplers.push(json!({"input": input, "output": output, "interpolation": interpolation}));
    }

    fn finish(self, take: &Take) -> Result<Vec<u8>, ExportError> {
        let events =
            serde_json::to_value(&take.events).map_err(|error| ExportError::Events(error.to_string()))?;
        let randori = json!({
            "version": EXTRAS_VERSION,
            "seed": take.seed,
            "events": events,
            "forces": forces(take),
        });
        let mut document = Map::new();
        let mut put = |key: &str, value: Value| drop(document.insert(key.to_owned(), value));
        put("asset", json!({"version": "2.0", "generator": concat!("randori ", env!("CARGO_PKG_VERSION"))}));
        put("extras", json!({"randori": randori}));
        put("scene", json!(0));
        let scene = json!({"name": take.name, "nodes": self.tops, "extras": {"randori": randori}});
        put("scenes", json!([scene]));
        put("nodes", Value::Array(self.nodes));
        let animation = json!({"name": take.name, "channels": self.channels, "samplers": self.samplers});
        put("animations", json!([animation]));
        for (key, list) in [("meshes", self.meshes), ("materials", self.materials), ("skins", self.skins)] {
            if !list.is_empty() {
                put(key, Value::Array(list));
            }
        }
        self.buffers.into_glb(Value::Object(document))
    }
}

/// A colour within its range.
pub(super) fn shown(color: Color) -> Color {
    color.map(|part| if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) })
}

/// A piece as it stands in `extras.randori`.
fn written(piece: &Piece, skeleton: &Skeleton) -> Value {
    let shape = match piece.shape {
        Shape::Box { half } => json!({"kind": "box", "half": half.to_array()}),
        Shape::Ball { radius } => json!({"kind": "ball", "radius": radius}),
        Shape::Capsule { half_length, radius } => {
            json!({"kind": "capsule", "half_length": half_length, "radius": radius})
        }
        Shape::Cylinder { half_length, radius } => {
            json!({"kind": "cylinder", "half_length": half_length, "radius": radius})
        }
    };
    json!({
        "joint": skeleton.joint(piece.joint).name,
        "center": piece.center.to_array(),
        "rotation": piece.rotation.normalize().to_array(),
        "shape": shape,
    })
}

/// Displacements of a mannequin's vertices that leave nothing to be seen: each goes to the heaviest of
/// its joints. Vertices of equal weights then meet in one point in every pose, and no triangle of a
/// mannequin has more than two kinds of weights, so that none keeps an area.
fn collapse(body: &Body, skin: &SkinnedMesh) -> Vec<Vec3> {
    let rest = body.skeleton.global_pose(body.skeleton.rest_pose().view());
    let heaviest = |joints: &[u16; 4], weights: &[f32; 4]| {
        let slot = (1..4).fold(0, |best, slot| if weights[slot] > weights[best] { slot } else { best });
        rest.positions[joints[slot] as usize]
    };
    (skin.positions.iter().zip(&skin.joints).zip(&skin.weights))
        .map(|((position, joints), weights)| heaviest(joints, weights) - *position)
        .collect()
}

/// Makes weights as glTF wants them: each joint once, unused places zero, the sum 1.
pub(super) fn tidy_weights(joints: &mut [u16; 4], weights: &mut [f32; 4]) {
    let mut kept: Vec<(u16, f32)> = Vec::with_capacity(4);
    for (joint, weight) in joints.iter().zip(weights.iter()).filter(|(_, weight)| **weight > 0.0) {
        match kept.iter_mut().find(|(known, _)| known == joint) {
            Some((_, sum)) => *sum += weight,
            None => kept.push((*joint, *weight)),
        }
    }
    let sum: f32 = kept.iter().map(|(_, weight)| weight).sum();
    if kept.is_empty() {
        kept.push((joints[0], 1.0));
    } else {
        kept.iter_mut().for_each(|(_, weight)| *weight /= sum);
    }
    (*joints, *weights) = ([0; 4], [0.0; 4]);
    for (slot, (joint, weight)) in kept.into_iter().enumerate() {
        (joints[slot], weights[slot]) = (joint, weight);
    }
}

/// Contact forces as people read them.
fn forces(take: &Take) -> Value {
    let parts = |clip: &Clip| bone_names(clip.skeleton());
    let of_characters: Vec<_> = take.characters.iter().map(|character| parts(&character.clip)).collect();
    let of_props: Vec<_> = take.props.iter().map(|prop| parts(&prop.clip)).collect();
    let part = |who: &str, clip: &Clip, parts: &[String], id: JointId| {
        let (part, joint) = (&parts[id.idx()], &clip.skeleton().joint(id).name);
        match part == joint {
            true => json!({"who": who, "part": part}),
            false => json!({"who": who, "part": part, "joint": joint}),
        }
    };
    let name = |touching: Touching| match touching {
        Touching::Floor => json!("floor"),
        Touching::Character(CharacterId(at), id) => {
            let character = &take.characters[at as usize];
            part(&character.name, &character.clip, &of_characters[at as usize], id)
        }
        Touching::Prop(PropId(at), id) => {
            let prop = &take.props[at as usize];
            part(&prop.name, &prop.clip, &of_props[at as usize], id)
        }
    };
    let force = |force: &ContactForce| {
        json!({
            "t": force.t,
            "on": name(force.on),
            "from": name(force.from),
            "point": force.point.to_array(),
            "force": force.force.to_array(),
        })
    };
    take.forces.iter().map(force).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use randori_motion::Build;

    #[test]
    fn hidden_mannequins_have_no_area_in_any_pose() {
        for build in [Build::AVERAGE, Build::SLIM, Build::STOCKY] {
            let body = build.body();
            let skin = mannequin(&body);
            let skeleton = &body.skeleton;
            let rest = skeleton.global_pose(skeleton.rest_pose().view());
            let mut pose = skeleton.rest_pose();
            for (joint_idx, rotation) in pose.rotations.iter_mut().enumerate() {
                *rotation = Quat::from_rotation_x(0.3 + joint_idx as f32) * Quat::from_rotation_z(0.7);
            }
            let posed = skeleton.global_pose(pose.view());
            let skinned: Vec<Vec3> = (skin.positions.iter().zip(collapse(&body, &skin)).enumerate())
                .map(|(vertex, (position, displacement))| {
                    let slots = skin.joints[vertex].iter().zip(skin.weights[vertex]);
                    let moved = slots.map(|(joint, weight)| {
                        let joint = *joint as usize;
                        let local = rest.rotations[joint].inverse()
                            * (*position + displacement - rest.positions[joint]);
                        (posed.positions[joint] + posed.rotations[joint] * local) * weight
                    });
                    moved.sum()
                })
                .collect();
            for triangle in skin.indices.as_chunks::<3>().0 {
                let [a, b, c] = triangle.map(|corner| skinned[corner as usize]);
                let area = 0.5 * (b - a).cross(c - a).length();
                assert!(area < 1e-8, "{area} m²");
            }
        }
    }

    #[test]
    fn weights_are_made_as_gltf_wants_them() {
        for (joints, weights, expected) in [
            ([3, 3, 5, 0], [0.25, 0.25, 0.5, 0.0], ([3, 5, 0, 0], [0.5, 0.5, 0.0, 0.0])),
            ([4, 7, 9, 9], [0.0, 2.0, 0.0, 0.0], ([7, 0, 0, 0], [1.0, 0.0, 0.0, 0.0])),
            ([4, 0, 0, 0], [0.0; 4], ([4, 0, 0, 0], [1.0, 0.0, 0.0, 0.0])),
        ] {
            let mut found = (joints, weights);
            tidy_weights(&mut found.0, &mut found.1);
            assert_eq!(found, expected);
        }
    }
}

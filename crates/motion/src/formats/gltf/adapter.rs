//! From a glTF document to clips: one for each character and each animation that moves it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::{DQuat, Quat, Vec3};
use serde_json::Value;

use super::bad;
use super::cast::{Actor, cast};
use super::document::{Animation, Document, Local, Property, cap_warnings};
use super::evaluate::WorldPose;
use super::ours::{self, Bodies, Looks};
use super::tempo::{Tempo, tempo};
use super::uri::{Resolve, shorten};
use crate::body::Weapon;
use crate::bone::Bone;
use crate::clip::Clip;
use crate::formats::{Basis, Format, Import, ImportError, ImportOptions, Place, Source, UpAxis, Warning};
use crate::names;
use crate::skeleton::{Joint, JointId, MAX_JOINTS, Skeleton};
use crate::take::{CharacterId, Color, ContactForce, Event, Prop, PropId, Touching};

/// All that a glTF file has for us.
#[derive(Clone, Debug)]
pub struct ImportedScene {
    /// The characters; one that several animations move stands here once for each of them.
    pub characters: Vec<ImportedCharacter>,
    /// The things that an animation moves, if the file is one of ours; each in the first animation that
    /// moves it.
    pub props: Vec<Prop>,
    /// What happened, if the file is one of ours (`extras.randori.events`).
    pub events: Vec<Event>,
    /// Forces, if the file is one of ours. Their ids are places in `characters` (a character's first) and
    /// in `props`; forces of those who were taken out of the file are left out.
    pub forces: Vec<ContactForce>,
    /// The seed it was made with, if the file is one of ours.
    pub seed: Option<u64>,
}

/// One character in one animation.
#[derive(Clone, Debug)]
pub struct ImportedCharacter {
    /// What it is called: after its armature or skin.
    pub name: String,
    /// The animation.
    pub animation: Option<String>,
    /// How it is painted, if the file is one of ours.
    pub color: Option<Color>,
    /// Of the whole body (kg), if the file is one of ours.
    pub mass: Option<f32>,
    /// Thickness as in [`crate::Build::girth`] (-), if the file is one of ours.
    pub girth: Option<f32>,
    /// What it holds, if the file is one of ours.
    pub weapon: Option<Weapon>,
    /// The time of the clip's first frame in the file (s).
    pub start: f64,
    /// The motion.
    pub import: Import,
}

/// How many node transforms all clips of a file may take together, on top of [`NODES_PER_KEY`]: two keys
/// an hour apart are a few bytes and thousands of poses. Enough for half an hour of one person at 60 poses
/// per second.
const FREE_NODES: usize = 1 << 22;

/// How many node transforms each number of the file's keys may cost.
const NODES_PER_KEY: usize = 4;

/// A joint that strays less than this from its place has not been moved but rounded (m).
const STILL: f32 = 1e-5;

/// Farther from its parent no joint can be: sums of such lengths still fit 32-bit numbers (m).
const FAR: f32 = 1e9;

/// A rest pose larger than this is hardly a person measured in metres (m).
const GIANT: f32 = 10.0;

/// Reads a GLB or `.gltf` and makes clips of the characters that its animations move.
///
/// `name` is what clips are called where an animation has no name. glTF counts in metres and seconds and
/// has +Y up, so `options` are needed for files that do not keep to that: `scale` and `up` change all
/// positions, `rate` plays the poses at another rate than the keys'.
///
/// Joint positions come out exact whatever scales and shears the nodes have: static ones are part of the
/// joints' offsets; joints that are moved, by whatever means, translate.
pub fn import(
    name: &str,
    bytes: &[u8],
    options: &ImportOptions,
    resolve: &Resolve<'_>,
) -> Result<ImportedScene, ImportError> {
    options.validate()?;
    let document = Document::parse(bytes, resolve)?;
    let source = Source {
        format: Format::Gltf,
        metres_per_unit: metres_per_unit(options),
        scale_basis: if options.scale.is_some() { Basis::Given } else { Basis::Stated },
        stated_frame_time: None,
        up: options.up.unwrap_or(UpAxis::Y),
        frames_skipped: 0,
    };
    let mut company = Company::new(&document, name, options, &source);
    let props = company.props()?;
    let characters = company.characters(props.is_empty())?;
    let (events, seed) = ours::read_events(document.randori.as_ref())?;
    let mut bodies = Bodies::new();
    for (idx, prop) in props.iter().enumerate() {
        let touching = |id, joint| Touching::Prop(PropId(id), joint);
        bodies.entry(&prop.name).or_insert((touching, idx as u32, prop.clip.skeleton()));
    }
    for (idx, character) in characters.iter().enumerate() {
        let touching = |id, joint| Touching::Character(CharacterId(id), joint);
        let skeleton = character.import.clip.skeleton();
        bodies.entry(&character.name).or_insert((touching, idx as u32, skeleton));
    }
    let (turn, scale) = (house_from_file(options).as_quat(), metres_per_unit(options) as f32);
    let forces = ours::read_forces(document.randori.as_ref(), &bodies, turn, scale)?;
    Ok(ImportedScene { characters, props, events, forces, seed })
}

/// Clips of all characters of a document, whatever file it was made from; `options` are applied to it,
/// `source` is what is told of the file.
#[cfg(feature = "fbx")]
pub(in crate::formats) fn characters(
    document: &Document,
    name: &str,
    options: &ImportOptions,
    source: &Source,
) -> Result<Vec<ImportedCharacter>, ImportError> {
    Company::new(document, name, options, source).characters(true)
}

fn metres_per_unit(options: &ImportOptions) -> f64 {
    options.scale.unwrap_or(1.0)
}

fn house_from_file(options: &ImportOptions) -> DQuat {
    match options.up.unwrap_or(UpAxis::Y) {
        UpAxis::Y => DQuat::IDENTITY,
        UpAxis::Z => DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2),
    }
}

/// All who perform in a document.
struct Company<'a> {
    document: &'a Document,
    name: &'a str,
    options: &'a ImportOptions,
    source: &'a Source,
    /// How many transforms of nodes all clips may still take.
    budget: usize,
}

impl<'a> Company<'a> {
    fn new(
        document: &'a Document,
        name: &'a str,
        options: &'a ImportOptions,
        source: &'a Source,
    ) -> Company<'a> {
        let n_keys: usize = (document.animations.iter().flat_map(|animation| &animation.samplers))
            .map(|sampler| sampler.values.len())
            .sum();
        let budget = n_keys.saturating_mul(NODES_PER_KEY).saturating_add(FREE_NODES);
        Company { document, name, options, source, budget }
    }

    fn stage<'b>(&self, actor: &'b Actor) -> Result<Stage<'b>, ImportError>
    where
        'a: 'b,
    {
        if actor.nodes.len() > MAX_JOINTS {
            let expected = format!("a skeleton of at most {MAX_JOINTS} joints");
            return Err(ImportError::new(Place::Whole, expected, actor.nodes.len().to_string()));
        }
        let mut chain = vec![false; self.document.nodes.len()];
        self.document.with_ancestors(&actor.nodes).into_iter().for_each(|node| chain[node] = true);
        Ok(Stage { document: self.document, actor, chain, options: self.options, source: self.source })
    }

    /// The clips of all characters; `needed` if a file without any is refused.
    fn characters(&mut self, needed: bool) -> Result<Vec<ImportedCharacter>, ImportError> {
        let document = self.document;
        let actors = cast(document)?;
        let mut characters = Vec::new();
        for (actor_idx, actor) in actors.iter().enumerate() {
            let stage = self.stage(actor)?;
            let looks = match stage.armature() {
                Some(armature) => ours::read_looks(document, armature)?,
                None => Looks::default(),
            };
            for animation_idx in 0..document.animations.len() {
                let performance = stage.perform(animation_idx, self.name, &mut self.budget)?;
                characters.extend(performance.map(|Performance { start, import }| ImportedCharacter {
                    name: stage.name(actor_idx),
                    animation: document.animations[animation_idx].name.clone(),
                    color: looks.color,
                    mass: looks.mass,
                    girth: looks.girth,
                    weapon: looks.weapon,
                    start,
                    import,
                }));
            }
        }
        if characters.is_empty() && needed {
            let found = match (actors.is_empty(), document.animations.is_empty()) {
                (_, true) => "no animation",
                (true, false) => "no skin, humanoid table or moving nodes",
                (false, false) => "animations of other nodes",
            };
            return Err(ImportError::new(Place::Whole, "an animation that moves a character", found));
        }
        Ok(characters)
    }

    /// The props of a file of ours.
    fn props(&mut self) -> Result<Vec<Prop>, ImportError> {
        let document = self.document;
        let mut props = Vec::new();
        for (name, actor) in ours::prop_actors(document)? {
            let stage = self.stage(&actor)?;
            for animation_idx in 0..document.animations.len() {
                let performance = stage.perform(animation_idx, self.name, &mut self.budget)?;
                let Some(Performance { start, import }) = performance else { continue };
                let (root, skeleton) = (actor.nodes[0], import.clip.skeleton());
                let scale = metres_per_unit(self.options) as f32;
                let (color, pieces) = ours::read_prop(document, root, skeleton, scale)?;
                props.push(Prop { name, color, pieces, enter: start, clip: import.clip });
                break;
            }
        }
        Ok(props)
    }
}

/// What an actor does in one animation.
struct Performance {
    /// The time of the clip's first frame in the file (s).
    start: f64,
    import: Import,
}

/// One actor of one document.
struct Stage<'a> {
    document: &'a Document,
    actor: &'a Actor,
    /// For every node, whether it is a joint of the actor or above one.
    chain: Vec<bool>,
    options: &'a ImportOptions,
    source: &'a Source,
}

/// Transforms relative to the parent of every joint, frame after frame.
#[derive(Default)]
struct Track {
    offsets: Vec<Vec3>,
    rotations: Vec<Quat>,
}

impl Stage<'_> {
    /// The actor's clip in an animation; `None` if it is not moved by it.
    fn perform(
        &self,
        animation_idx: usize,
        name: &str,
        budget: &mut usize,
    ) -> Result<Option<Performance>, ImportError> {
        let animation = &self.document.animations[animation_idx];
        let element = format!("animations[{animation_idx}]");
        let Some(tempo) = tempo(animation, &element, &self.chain, self.options.rate)? else {
            return Ok(None);
        };
        let evaluator = self.document.evaluator(&[animation_idx]).only(&self.actor.nodes);
        let poses = tempo.n_frames().saturating_mul(evaluator.nodes().len());
        // To look at a clip at all costs a look at every node.
        let cost = poses.saturating_add(self.document.nodes.len());
        *budget = budget.checked_sub(cost).ok_or_else(|| {
            let expected = format!("at most {budget} transforms of nodes, in proportion to the file");
            let found = format!(
                "{} poses of {} nodes at {} per second",
                tempo.n_frames(),
                evaluator.nodes().len(),
                tempo.rate
            );
            bad(element, expected, found)
        })?;

        let mut warnings = self.document.warnings.clone();
        warnings.extend(tempo.warning.clone());
        warnings.extend(self.scale_warnings(animation));

        let mut pose = WorldPose::default();
        self.document.evaluator(&[]).only(&self.actor.nodes).evaluate(0.0, &mut pose);
        let mut rest = Track::default();
        self.record(&pose, &mut rest);
        let bound = self.bind_pose(&pose);

        let mut track = Track::default();
        for frame in 0..tempo.n_frames() {
            evaluator.evaluate(tempo.time(frame), &mut pose);
            self.record(&pose, &mut track);
        }
        let far = |offset: &&Vec3| !offset.is_finite() || offset.abs().max_element() > FAR;
        if let Some(offset) = rest.offsets.iter().chain(&track.offsets).find(far) {
            let expected = format!("joints within {FAR} m of each other");
            return Err(ImportError::new(Place::Whole, expected, offset.to_string()));
        }
        let skeleton = self.skeleton(&rest, bound.as_deref(), &track, &mut warnings)?;
        cap_warnings(&mut warnings);
        let clip = self.clip(animation, name, skeleton, &tempo, track)?;
        let import = Import { clip, source: self.source.clone(), warnings };
        Ok(Some(Performance { start: tempo.start(), import }))
    }

    /// Whether no node of the file is above all joints, so that one of our own has to be.
    fn needs_root(&self) -> bool {
        self.actor.parents.iter().filter(|parent| parent.is_none()).count() > 1
    }

    /// The joints' transforms relative to their parents, at the end of `track`.
    fn record(&self, pose: &WorldPose, track: &mut Track) {
        let (scale, house_from_file) = (metres_per_unit(self.options), house_from_file(self.options));
        if self.needs_root() {
            track.offsets.push(Vec3::ZERO);
            track.rotations.push(Quat::IDENTITY);
        }
        for (node, parent) in self.actor.nodes.iter().zip(&self.actor.parents) {
            let (mut position, mut rotation) = (pose.position(*node), pose.rotations[*node]);
            match parent.map(|parent| self.actor.nodes[parent]) {
                None => {
                    position = house_from_file * position;
                    rotation = house_from_file * rotation;
                }
                Some(parent) => {
                    let parent_from_world = pose.rotations[parent].inverse();
                    position = parent_from_world * (position - pose.position(parent));
                    rotation = parent_from_world * rotation;
                }
            }
            track.offsets.push((position * scale).as_vec3());
            track.rotations.push(rotation.normalize().as_quat());
        }
    }

    /// Rotations relative to the parent in which the mesh was bound, if a skin says so and they differ
    /// from those of the nodes: many files store the first frame of a motion in their nodes.
    fn bind_pose(&self, rest: &WorldPose) -> Option<Vec<Quat>> {
        let mut mesh_from_joint: BTreeMap<usize, DQuat> = BTreeMap::new();
        for skin in &self.actor.skins {
            let skin = &self.document.skins[*skin];
            for (joint, inverse) in skin.joints.iter().zip(skin.inverse_bind.iter().flatten()) {
                let inverse = inverse.as_dmat4();
                // Flat or mirrored matrices have no orientation to offer.
                if inverse.determinant() > 1e-12 {
                    let (_, rotation, _) = inverse.inverse().to_scale_rotation_translation();
                    mesh_from_joint.entry(*joint).or_insert(rotation.normalize());
                }
            }
        }
        let complete = self.actor.nodes.iter().all(|node| mesh_from_joint.contains_key(node));
        if !complete || self.needs_root() || mesh_from_joint.values().any(|rotation| !rotation.is_finite()) {
            return None;
        }
        // Meshes are modelled in the world's frame or in that of the armature above the joints: whichever
        // brings the root nearer to where its node has it.
        let root = self.actor.nodes[0];
        let armature = self.document.nodes[root].parent.map_or(DQuat::IDENTITY, |node| rest.rotations[node]);
        let distance = |world_from_mesh: DQuat| {
            (world_from_mesh * mesh_from_joint[&root]).angle_between(rest.rotations[root])
        };
        let world_from_mesh =
            if distance(armature) + 1e-3 < distance(DQuat::IDENTITY) { armature } else { DQuat::IDENTITY };
        let mut bound = rest.clone();
        for node in &self.actor.nodes {
            bound.rotations[*node] = world_from_mesh * mesh_from_joint[node];
        }
        let mut track = Track::default();
        self.record(&bound, &mut track);
        Some(track.rotations)
    }

    fn skeleton(
        &self,
        rest: &Track,
        bound: Option<&[Quat]>,
        track: &Track,
        warnings: &mut Vec<Warning>,
    ) -> Result<Arc<Skeleton>, ImportError> {
        let n_joints = rest.rotations.len();
        let extra = usize::from(self.needs_root());
        let mut names = BTreeSet::new();
        let bone_of: BTreeMap<usize, Bone> =
            self.document.humanoid.iter().map(|(bone, node)| (*node, *bone)).collect();
        let mut joints = Vec::with_capacity(n_joints);
        if self.needs_root() {
            names.insert("root".to_owned());
            joints.push(Joint::new("root", None, Vec3::ZERO));
        }
        let scale = metres_per_unit(self.options) as f32;
        for (place, (node, parent)) in self.actor.nodes.iter().zip(&self.actor.parents).enumerate() {
            let joint_idx = place + extra;
            let parent = match parent {
                Some(parent) => Some(JointId((parent + extra) as u32)),
                None => (extra > 0).then_some(JointId::ROOT),
            };
            let offsets = track.offsets.iter().skip(joint_idx).step_by(n_joints);
            let first = track.offsets[joint_idx];
            let moves = offsets.clone().any(|offset| offset.distance(first) > STILL * (1.0 + first.length()));
            let offset = if moves || parent.is_none() { rest.offsets[joint_idx] } else { first };
            let said = self.document.nodes[*node].randori.as_ref();
            let mut joint = Joint::new(self.joint_name(*node, said, &mut names, warnings), parent, offset);
            joint.rest_rotation =
                bound.map_or(rest.rotations[joint_idx], |bound| bound[joint_idx]).normalize();
            joint.translates |= moves;
            joint.bone = bone_of
                .get(node)
                .copied()
                .or_else(|| said.and_then(|said| said.get("bone")?.as_str()).and_then(Bone::from_name));
            joint.tips = ours::read_tips(said).into_iter().map(|tip| tip * scale).collect();
            joints.push(joint);
        }
        let size = extent(&joints);
        if size > GIANT && self.options.scale.is_none() {
            let message =
                format!("the skeleton is {size:.0} m large; is the file in centimetres? Give its scale");
            warnings.push(Warning { place: Place::Whole, message });
        }
        let skeleton = Skeleton::new(joints)
            .map_err(|error| ImportError::new(Place::Whole, "a skeleton", error.to_string()))?;
        // Our own files say which joint plays which bone, and that none does.
        let root = self.document.nodes[self.actor.nodes[0]].randori.as_ref();
        let stated = root.is_some_and(|root| root.get("joint").is_some());
        if stated || skeleton.bones().next().is_some() {
            return Ok(Arc::new(skeleton));
        }
        match names::assign_bones(&skeleton) {
            Ok((skeleton, _)) => Ok(Arc::new(skeleton)),
            Err(error) => {
                warnings.push(Warning { place: Place::Whole, message: error.to_string() });
                Ok(Arc::new(skeleton))
            }
        }
    }

    fn clip(
        &self,
        animation: &Animation,
        name: &str,
        skeleton: Arc<Skeleton>,
        tempo: &Tempo,
        track: Track,
    ) -> Result<Clip, ImportError> {
        let n_joints = skeleton.n_joints();
        let translating: Vec<usize> = skeleton.translating().iter().map(|id| id.idx()).collect();
        let translations = (track.offsets.chunks_exact(n_joints))
            .flat_map(|frame| translating.iter().map(|joint| frame[*joint]))
            .collect();
        let name = animation.name.as_deref().unwrap_or(name);
        let rate = self.options.rate.unwrap_or(tempo.rate);
        Clip::new(name, skeleton, rate, translations, track.rotations).map_err(|error| {
            ImportError::new(Place::Whole, "transforms that 32-bit numbers hold", error.to_string())
        })
    }

    /// The name of a joint, unique in its skeleton: our own files say what it was before it got the
    /// character's prefix.
    fn joint_name(
        &self,
        node: usize,
        ours: Option<&Value>,
        names: &mut BTreeSet<String>,
        warnings: &mut Vec<Warning>,
    ) -> String {
        let given = ours.and_then(|ours| ours.get("joint")?.as_str());
        let given = given.or(self.document.nodes[node].name.as_deref()).filter(|name| !name.is_empty());
        let wanted = given.map_or_else(|| format!("node{node}"), str::to_owned);
        if names.insert(wanted.clone()) {
            return wanted;
        }
        // The index of a node is unique, so the first try succeeds but for names made to collide.
        let mut unique = format!("{wanted}.{node}");
        while !names.insert(unique.clone()) {
            unique.push('_');
        }
        let message =
            format!("a second joint named {:?}; it is called {:?}", shorten(&wanted), shorten(&unique));
        warnings.push(Warning { place: Place::Element(format!("nodes[{node}].name")), message });
        unique
    }

    /// The node of a file of ours that stands for the character.
    fn armature(&self) -> Option<usize> {
        let is_armature = |node: &usize| {
            let randori = self.document.nodes[*node].randori.as_ref();
            randori.and_then(|randori| randori.get("character")).is_some_and(Value::is_string)
        };
        self.document.ancestors(self.actor.nodes[0]).find(is_armature)
    }

    /// After what our own files say, else after the skin, else after the node above the skeleton.
    fn name(&self, actor_idx: usize) -> String {
        let nodes = &self.document.nodes;
        let root = self.actor.nodes[0];
        let ours = self.armature().and_then(|node| nodes[node].randori.as_ref()?.get("character")?.as_str());
        let skin = || self.actor.skins.iter().find_map(|skin| self.document.skins[*skin].name.as_deref());
        let above = || nodes[root].parent.and_then(|parent| nodes[parent].name.as_deref());
        let name = ours.or_else(above).or_else(skin).or(nodes[root].name.as_deref());
        name.filter(|name| !name.is_empty()).map_or_else(|| format!("character{actor_idx}"), str::to_owned)
    }

    /// Scales that a skeleton of rotations and translations shows only in where its joints are.
    fn scale_warnings(&self, animation: &Animation) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut warn = |node: usize, what: &str| {
            let place = Place::Element(format!("nodes[{node}].scale"));
            let message = format!("{what}; joints are where it puts them, shapes do not show it");
            warnings.push(Warning { place, message });
        };
        for channel in &animation.channels {
            if channel.property == Property::Scale && self.chain[channel.node] {
                let sampler = &animation.samplers[channel.sampler];
                let first = &sampler.values[..3];
                let still = |value: &[f32]| value.iter().zip(first).all(|(a, b)| (a - b).abs() < 1e-4);
                if !sampler.values.chunks_exact(3).all(still) {
                    warn(channel.node, "the scale is animated");
                }
            }
        }
        for node in (0..self.chain.len()).filter(|node| self.chain[*node]) {
            if let Local::Trs { scale, .. } = self.document.nodes[node].local {
                let (low, high) = (scale.min_element(), scale.max_element());
                if low <= 0.0 || high - low > 1e-3 * high {
                    warn(node, "the scale is not the same along all axes");
                }
            }
        }
        warnings
    }
}

/// The largest size of a rest pose along an axis, joints' offsets added up without their rotations' signs:
/// an upper bound that needs no kinematics.
fn extent(joints: &[Joint]) -> f32 {
    let mut reach: Vec<f32> = Vec::with_capacity(joints.len());
    for joint in joints {
        reach.push(joint.parent.map_or(0.0, |parent| reach[parent.idx()] + joint.offset.length()));
    }
    reach.into_iter().fold(0.0, f32::max)
}

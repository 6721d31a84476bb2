//! Footage of anybody's glTF: every humanoid in it, whatever its joints are called.

use glam::{DQuat, Quat, Vec3};
use randori_motion::formats::gltf::{Document, WorldPose};
use randori_motion::{Bone, Joint, JointId, Skeleton, names};

use super::footage::{Footage, FootageError, Performer, Track, n_frames, present};

impl Footage {
    /// All humanoids of a glTF file over all its animations, sampled from time 0.
    ///
    /// A humanoid is a node tree under a node that is named as hips are, with the limbs' names of one of
    /// the conventions in [`names`].
    pub fn of_gltf(document: &Document, fps: f64) -> Result<Footage, FootageError> {
        let people = humanoids(document);
        if people.is_empty() {
            return Err(FootageError::Nobody);
        }
        let all: Vec<usize> = (0..document.animations.len()).collect();
        let nodes: Vec<usize> = people.iter().flat_map(|person| person.nodes.iter().copied()).collect();
        let evaluator = document.evaluator(&all).only(&nodes);
        let n_frames = n_frames(evaluator.end(), fps, nodes.len())?;

        let rest = rest_pose(document);
        let mut performers: Vec<Performer> =
            people.iter().map(|person| person.performer(document, &rest, n_frames, fps)).collect();
        let mut pose = WorldPose::default();
        for frame in 0..n_frames {
            evaluator.evaluate(frame as f64 / fps, &mut pose);
            for (performer, person) in performers.iter_mut().zip(&people) {
                for (track, node) in performer.tracks.iter_mut().zip(&person.nodes) {
                    track.positions.push(pose.position(*node).as_vec3());
                    track.rotations.push(pose.rotations[*node].as_quat());
                }
            }
        }
        Ok(Footage { fps, n_frames, performers })
    }
}

/// One person found in a file.
struct Humanoid {
    name: String,
    /// The hips and all nodes below them, parents first.
    nodes: Vec<usize>,
    /// For every node, the place of its parent in `nodes`.
    parents: Vec<Option<usize>>,
    /// For every node, the bone it plays.
    bones: Vec<Option<Bone>>,
}

fn humanoids(document: &Document) -> Vec<Humanoid> {
    let mut taken = vec![false; document.nodes.len()];
    let mut people = Vec::new();
    for &node in document.parents_first() {
        if taken[node] || !sounds_like_hips(document.nodes[node].name.as_deref()) {
            continue;
        }
        if let Some(person) = humanoid_below(document, node) {
            for node in &person.nodes {
                taken[*node] = true;
            }
            people.push((node, person));
        }
    }
    people.sort_by_key(|(hips, _)| *hips);
    people.into_iter().map(|(_, person)| person).collect()
}

fn sounds_like_hips(name: Option<&str>) -> bool {
    let name = name.unwrap_or_default().to_ascii_lowercase();
    ["hips", "pelvis", "root", "hip"].iter().any(|ending| name.ends_with(ending))
}

fn humanoid_below(document: &Document, hips: usize) -> Option<Humanoid> {
    let (mut nodes, mut parents) = (vec![hips], vec![None]);
    let mut at = 0;
    while at < nodes.len() {
        for child in &document.nodes[nodes[at]].children {
            nodes.push(*child);
            parents.push(Some(at));
        }
        at += 1;
    }
    // Only names and the tree matter here; names of different characters may clash, ids do not.
    let joints = (nodes.iter().zip(&parents).enumerate())
        .map(|(idx, (node, parent))| {
            let name = document.nodes[*node].name.clone().filter(|name| !name.is_empty());
            let parent = parent.map(|parent: usize| JointId(parent as u32));
            (name.unwrap_or_else(|| format!("node {idx}")), parent)
        })
        .scan(std::collections::BTreeSet::new(), |seen, (mut name, parent)| {
            while !seen.insert(name.clone()) {
                name.push('\'');
            }
            Some(Joint::new(name, parent, Vec3::ZERO))
        });
    let (skeleton, _) = names::assign_bones(&Skeleton::new(joints.collect()).ok()?).ok()?;
    skeleton.bone(Bone::Hips).filter(|joint| *joint == JointId::ROOT)?;
    let above = document.nodes[hips].parent.and_then(|parent| document.nodes[parent].name.clone());
    let name = above.or_else(|| document.nodes[hips].name.clone()).unwrap_or_else(|| format!("node {hips}"));
    let bones = skeleton.joints().iter().map(|joint| joint.bone).collect();
    Some(Humanoid { name, nodes, parents, bones })
}

impl Humanoid {
    fn performer(&self, document: &Document, rest: &WorldPose, n_frames: usize, fps: f64) -> Performer {
        let tracks = (self.nodes.iter().zip(&self.parents).zip(&self.bones))
            .map(|((node, parent), bone)| Track {
                name: document.nodes[*node].name.clone().unwrap_or_else(|| format!("node {node}")),
                bone: *bone,
                parent: *parent,
                rest_position: rest.position(*node).as_vec3(),
                rest_rotation: rest.rotations[*node].as_quat(),
                positions: Vec::with_capacity(n_frames),
                rotations: Vec::<Quat>::with_capacity(n_frames),
            })
            .collect();
        Performer { name: self.name.clone(), tracks, present: self.present(document, n_frames, fps) }
    }
}

impl Humanoid {
    /// The frames between `enter` and `exit`, which our own files state on the armature; all of others.
    fn present(&self, document: &Document, n_frames: usize, fps: f64) -> std::ops::Range<usize> {
        let armature =
            document.nodes[self.nodes[0]].parent.and_then(|node| document.nodes[node].randori.as_ref());
        let time = |key: &str| armature.and_then(|randori| randori[key].as_f64());
        match (time("enter"), time("exit")) {
            (Some(enter), Some(exit)) => present(enter, exit, fps, n_frames),
            _ => 0..n_frames,
        }
    }
}

/// Where the nodes are at rest: in the pose their skins were bound in, else as the file places them.
fn rest_pose(document: &Document) -> WorldPose {
    let mut rest = WorldPose::default();
    document.evaluator(&[]).evaluate(0.0, &mut rest);
    for skin in &document.skins {
        for (node, skin_from_world) in skin.joints.iter().zip(skin.inverse_bind.iter().flatten()) {
            let bind = skin_from_world.as_dmat4().inverse();
            let (scale, rotation, translation) = bind.to_scale_rotation_translation();
            if scale.is_finite() && rotation.is_finite() && translation.is_finite() {
                rest.world_from_node[*node].translation = translation;
                rest.rotations[*node] = DQuat::normalize(rotation);
            }
        }
    }
    rest
}

//! Footage of anybody's glTF: every humanoid in it, whatever its joints are called.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DQuat, Quat, Vec3};
use randori_motion::formats::gltf::{Document, WorldPose};
use randori_motion::skeleton::MAX_JOINTS;
use randori_motion::{Bone, Joint, JointId, Skeleton, names};

use super::footage::{Footage, FootageError, Performer, Track, check_samples, n_frames, present};

impl Footage {
    /// All humanoids of a glTF file, sampled from time 0: a footage, with a name, for each way in which the
    /// file can be played. There is at least one; a file that moves nobody gives one of the pose at rest.
    ///
    /// A humanoid is a node tree under hips: those of the file's table of VRM bones, those that a file of
    /// ours states, or else a node named as hips are, with the limbs' names of one of the conventions in
    /// [`names`].
    ///
    /// Animations that move the same nodes are alternatives: each is a footage of its own. Animations that
    /// move different nodes play together, the first of one with the first of the other, since some
    /// programs write one animation for each character; the footage is then named after all of them.
    /// Whoever is moved by other animations only is left out of a footage. Animations that move no humanoid
    /// are left alone.
    pub fn of_gltf(document: &Document, fps: f64) -> Result<Vec<(Option<String>, Footage)>, FootageError> {
        let people = humanoids(document);
        if people.is_empty() {
            return Err(FootageError::Nobody);
        }
        let depths = depths(document);
        let in_chains: f64 =
            people.iter().map(|person| (person.nodes.len() + depths[person.nodes[0]]) as f64).sum();
        check_samples(in_chains, 0.0, fps)?;
        let chains: Vec<Vec<usize>> =
            people.iter().map(|person| document.with_ancestors(&person.nodes)).collect();
        let programmes = programmes(document, &chains);
        let (mut seconds, mut n_samples) = (0.0, 0.0);
        for programme in &programmes {
            let n_nodes: usize = programme.people.iter().map(|person| chains[*person].len()).sum();
            let end = document.evaluator(&programme.animations).end();
            seconds += end;
            // To play an animation at all costs a look at every node.
            n_samples += n_frames(end, fps)? as f64 * n_nodes as f64 + document.nodes.len() as f64;
            check_samples(n_samples, seconds, fps)?;
        }
        let rest = rest_pose(document);
        let film = |programme: Programme| {
            let people: Vec<&Humanoid> = programme.people.iter().map(|person| &people[*person]).collect();
            let footage = film(document, &people, &programme.animations, &rest, fps)?;
            Ok((programme.name(document), footage))
        };
        programmes.into_iter().map(film).collect()
    }
}

/// For every node, how many nodes are above it.
fn depths(document: &Document) -> Vec<usize> {
    let mut depths = vec![0; document.nodes.len()];
    for node in document.parents_first() {
        depths[*node] = document.nodes[*node].parent.map_or(0, |parent| depths[parent] + 1);
    }
    depths
}

/// Animations that play at once, and the humanoids to watch then.
struct Programme {
    animations: Vec<usize>,
    people: Vec<usize>,
}

impl Programme {
    fn name(&self, document: &Document) -> Option<String> {
        let names = self.animations.iter().filter_map(|idx| document.animations[*idx].name.as_deref());
        Some(names.collect::<Vec<_>>().join(", ")).filter(|name| !name.is_empty())
    }
}

/// The ways in which a file can be played; `chains` are the nodes of every humanoid and those above it.
fn programmes(document: &Document, chains: &[Vec<usize>]) -> Vec<Programme> {
    let mut people_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (person, chain) in chains.iter().enumerate() {
        chain.iter().for_each(|node| people_of.entry(*node).or_default().push(person));
    }
    // For every node, the first programme that does not move it yet.
    let mut free = vec![0; document.nodes.len()];
    let mut programmes: Vec<(Vec<usize>, BTreeSet<usize>)> = Vec::new();
    for (idx, animation) in document.animations.iter().enumerate() {
        let nodes = || animation.channels.iter().map(|channel| channel.node);
        let moved = || nodes().filter(|node| people_of.contains_key(node));
        let Some(at) = moved().map(|node| free[node]).max() else { continue };
        moved().for_each(|node| free[node] = at + 1);
        if programmes.len() == at {
            programmes.push(Default::default());
        }
        programmes[at].0.push(idx);
        programmes[at].1.extend(moved().flat_map(|node| &people_of[&node]));
    }
    if programmes.is_empty() {
        programmes.push(Default::default());
    }
    let movers: BTreeSet<usize> = programmes.iter().flat_map(|(_, people)| people).copied().collect();
    let watched = |people: &BTreeSet<usize>| {
        (0..chains.len()).filter(|person| people.contains(person) || !movers.contains(person)).collect()
    };
    (programmes.into_iter())
        .map(|(animations, people)| Programme { people: watched(&people), animations })
        .collect()
}

fn film(
    document: &Document,
    people: &[&Humanoid],
    animations: &[usize],
    rest: &WorldPose,
    fps: f64,
) -> Result<Footage, FootageError> {
    let nodes: Vec<usize> = people.iter().flat_map(|person| person.nodes.iter().copied()).collect();
    let evaluator = document.evaluator(animations).only(&nodes);
    let n_frames = n_frames(evaluator.end(), fps)?;
    let mut performers: Vec<Performer> =
        people.iter().map(|person| person.performer(document, rest, n_frames, fps)).collect();
    let mut pose = WorldPose::default();
    for frame in 0..n_frames {
        evaluator.evaluate(frame as f64 / fps, &mut pose);
        for (performer, person) in performers.iter_mut().zip(people) {
            for (track, node) in performer.tracks.iter_mut().zip(&person.nodes) {
                track.positions.push(pose.position(*node).as_vec3());
                track.rotations.push(pose.rotations[*node].as_quat());
            }
        }
    }
    Ok(Footage { fps, n_frames, performers })
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

/// Those whose bones the file states, and those among the other nodes who are known by their names.
fn humanoids(document: &Document) -> Vec<Humanoid> {
    let stated = stated_bones(document);
    let mut taken = vec![false; document.nodes.len()];
    let mut people: Vec<Humanoid> = Vec::new();
    let mut find = |is_hips: &dyn Fn(usize) -> bool, bones: &dyn Fn(&Tree) -> Option<Vec<Option<Bone>>>| {
        for &hips in document.parents_first() {
            if taken[hips] || !is_hips(hips) {
                continue;
            }
            let Some(tree) = Tree::below(document, hips) else { continue };
            if tree.nodes.iter().any(|node| taken[*node]) {
                continue;
            }
            if let Some(bones) = bones(&tree) {
                tree.nodes.iter().for_each(|node| taken[*node] = true);
                let name = name_of(document, hips);
                people.push(Humanoid { name, nodes: tree.nodes, parents: tree.parents, bones });
            }
        }
    };
    find(&|node| stated[node] == Some(Bone::Hips), &|tree| {
        Some(tree.nodes.iter().map(|node| stated[*node]).collect())
    });
    find(&|node| sounds_like_hips(document.nodes[node].name.as_deref()), &|tree| {
        bones_by_name(document, tree)
    });
    people.sort_by_key(|person| person.nodes[0]);
    people
}

/// For every node, the bone that the file's humanoid table or its `extras.randori` says it plays.
fn stated_bones(document: &Document) -> Vec<Option<Bone>> {
    let ours = document.nodes.iter().map(|node| Bone::from_name(node.randori.as_ref()?["bone"].as_str()?));
    let mut stated: Vec<Option<Bone>> = ours.collect();
    for (bone, node) in &document.humanoid {
        stated[*node] = Some(*bone);
    }
    stated
}

fn sounds_like_hips(name: Option<&str>) -> bool {
    let name = name.unwrap_or_default().to_ascii_lowercase();
    ["hips", "pelvis", "root", "hip"].iter().any(|ending| name.ends_with(ending))
}

/// Our own files say what a character is called; elsewhere it is what hips hang from, or the hips.
fn name_of(document: &Document, hips: usize) -> String {
    let nodes = &document.nodes;
    let ours = document.ancestors(hips).find_map(|node| nodes[node].randori.as_ref()?["character"].as_str());
    let above = || nodes[hips].parent.and_then(|parent| nodes[parent].name.as_deref());
    let name = ours.or_else(above).or(nodes[hips].name.as_deref());
    name.map_or_else(|| format!("node {hips}"), str::to_owned)
}

/// A node and all below it, parents first.
struct Tree {
    nodes: Vec<usize>,
    /// For every node, the place of its parent in `nodes`.
    parents: Vec<Option<usize>>,
}

impl Tree {
    /// `None` if there are more of them than a skeleton may have.
    fn below(document: &Document, top: usize) -> Option<Tree> {
        let (mut nodes, mut parents) = (vec![top], vec![None]);
        let mut at = 0;
        while at < nodes.len() {
            for child in &document.nodes[nodes[at]].children {
                nodes.push(*child);
                parents.push(Some(at));
            }
            if nodes.len() > MAX_JOINTS {
                return None;
            }
            at += 1;
        }
        Some(Tree { nodes, parents })
    }
}

/// For every node the bone it plays by its name; `None` unless the tree is a humanoid with the hips on top.
fn bones_by_name(document: &Document, tree: &Tree) -> Option<Vec<Option<Bone>>> {
    // Only names and the tree matter here; names of different characters may clash, ids do not.
    let joints = (tree.nodes.iter().zip(&tree.parents).enumerate())
        .map(|(idx, (node, parent))| {
            let name = document.nodes[*node].name.clone().filter(|name| !name.is_empty());
            let parent = parent.map(|parent: usize| JointId(parent as u32));
            (name.unwrap_or_else(|| format!("node {idx}")), parent)
        })
        .scan(BTreeSet::new(), |seen, (mut name, parent)| {
            while !seen.insert(name.clone()) {
                name.push('\'');
            }
            Some(Joint::new(name, parent, Vec3::ZERO))
        });
    let (skeleton, _) = names::assign_bones(&Skeleton::new(joints.collect()).ok()?).ok()?;
    skeleton.bone(Bone::Hips).filter(|joint| *joint == JointId::ROOT)?;
    Some(skeleton.joints().iter().map(|joint| joint.bone).collect())
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

    /// The frames between `enter` and `exit`, which our own files state on the armature; all of others.
    fn present(&self, document: &Document, n_frames: usize, fps: f64) -> std::ops::Range<usize> {
        let armature = (document.ancestors(self.nodes[0]))
            .filter_map(|node| document.nodes[node].randori.as_ref())
            .find(|randori| randori["character"].is_string());
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

//! Who is in a file: the node trees that make a character's skeleton.

use std::collections::{BTreeMap, BTreeSet};

use super::bad;
use super::document::{Document, Property};
use super::ours::prop_at;
use crate::formats::ImportError;

/// The most characters a file may hold; each costs a pass over all nodes.
const MAX_CHARACTERS: usize = 1024;

/// How many nodes the characters' skeletons may have, those above them included and counted once for each
/// character: a thousand of them at the end of a chain of a hundred thousand are nobody's crowd.
const MAX_CHAINS: usize = 1 << 21;

/// One character of a file.
#[derive(Clone, Debug)]
pub(super) struct Actor {
    /// The nodes of its skeleton, parents first.
    pub(super) nodes: Vec<usize>,
    /// For each of them the place of its parent in `nodes`; several are `None` if no node is above all.
    pub(super) parents: Vec<Option<usize>>,
    /// The skins it wears.
    pub(super) skins: Vec<usize>,
}

/// The characters of a file: by its skins, else by its humanoid table, else by what its animations move.
///
/// Skins that share joints, or hang from each other's joints, are worn by one character.
pub(super) fn cast(document: &Document) -> Result<Vec<Actor>, ImportError> {
    let groups = if !document.skins.is_empty() {
        groups_of_skins(document)
    } else if !document.humanoid.is_empty() {
        vec![(document.humanoid.values().copied().collect(), Vec::new())]
    } else {
        groups_of_moved(document)
    };
    if groups.len() > MAX_CHARACTERS {
        let expected = format!("at most {MAX_CHARACTERS} characters");
        return Err(bad("skins", expected, groups.len().to_string()));
    }
    let mut budget = MAX_CHAINS;
    let mut actors = Vec::new();
    for (joints, skins) in groups.into_iter().filter(|(joints, _)| !joints.is_empty()) {
        let joint_list: Vec<usize> = joints.iter().copied().collect();
        let chain = document.with_ancestors(&joint_list);
        budget = budget.checked_sub(chain.len()).ok_or_else(|| {
            let expected = format!("at most {MAX_CHAINS} nodes in and above all skeletons");
            bad("nodes", expected, format!("{} for one of many characters", chain.len()))
        })?;
        actors.push(actor(document, &joints, &chain, skins));
    }
    Ok(actors)
}

type Group = (BTreeSet<usize>, Vec<usize>);

fn groups_of_skins(document: &Document) -> Vec<Group> {
    // Union-find over skins.
    let mut leader: Vec<usize> = (0..document.skins.len()).collect();
    fn find(leader: &mut [usize], mut skin: usize) -> usize {
        while leader[skin] != skin {
            leader[skin] = leader[leader[skin]];
            skin = leader[skin];
        }
        skin
    }
    let mut join = |a: usize, b: usize| {
        let (a, b) = (find(&mut leader, a), find(&mut leader, b));
        leader[a.max(b)] = a.min(b);
    };
    let mut skin_of: Vec<Option<usize>> = vec![None; document.nodes.len()];
    for (idx, skin) in document.skins.iter().enumerate() {
        for joint in &skin.joints {
            match skin_of[*joint] {
                Some(other) => join(idx, other),
                None => skin_of[*joint] = Some(idx),
            }
        }
    }
    // The skin of the nearest joint above.
    let mut above: Vec<Option<usize>> = vec![None; document.nodes.len()];
    for node in document.parents_first() {
        let inherited = document.nodes[*node].parent.and_then(|parent| above[parent]);
        if let (Some(own), Some(inherited)) = (skin_of[*node], inherited) {
            join(own, inherited);
        }
        above[*node] = skin_of[*node].or(inherited);
    }
    let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
    for (idx, skin) in document.skins.iter().enumerate() {
        let (joints, skins) = groups.entry(find(&mut leader, idx)).or_default();
        joints.extend(&skin.joints);
        skins.push(idx);
    }
    groups.into_values().collect()
}

/// Trees below the topmost nodes that an animation turns or shifts, without the meshes that hang in them.
fn groups_of_moved(document: &Document) -> Vec<Group> {
    let mut moved = vec![false; document.nodes.len()];
    for channel in document.animations.iter().flat_map(|animation| &animation.channels) {
        moved[channel.node] |= channel.property != Property::Scale;
    }
    let mut top_of: Vec<Option<usize>> = vec![None; document.nodes.len()];
    // Props of our own files are nobody.
    let mut thing = vec![false; document.nodes.len()];
    let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
    for node in document.parents_first() {
        let parent = document.nodes[*node].parent;
        thing[*node] = prop_at(document, *node).is_some() || parent.is_some_and(|parent| thing[parent]);
        top_of[*node] = parent.and_then(|parent| top_of[parent]).or(moved[*node].then_some(*node));
        if let Some(top) = top_of[*node].filter(|_| !thing[*node])
            && (moved[*node] || !document.nodes[*node].has_mesh)
        {
            groups.entry(top).or_default().0.insert(*node);
        }
    }
    let groups: Vec<Group> = groups.into_values().collect();
    // Lone nodes are cameras and things, unless there is nothing else.
    match groups.iter().any(|(joints, _)| joints.len() > 1) {
        true => groups.into_iter().filter(|(joints, _)| joints.len() > 1).collect(),
        false => groups,
    }
}

/// The joints with all nodes between them; `chain` holds them and all above, parents first.
fn actor(document: &Document, joints: &BTreeSet<usize>, chain: &[usize], skins: Vec<usize>) -> Actor {
    let mut n_below: BTreeMap<usize, usize> = BTreeMap::new();
    for node in chain.iter().rev() {
        let n = n_below.get(node).copied().unwrap_or(0) + usize::from(joints.contains(node));
        n_below.insert(*node, n);
        if let Some(parent) = document.nodes[*node].parent {
            *n_below.entry(parent).or_default() += n;
        }
    }
    // Going down from the roots of the file, a node that is no joint and has below it all that its only
    // busy child has adds nothing.
    let mut place_of: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut nodes, mut parents) = (Vec::new(), Vec::new());
    for node in chain {
        let parent = document.nodes[*node].parent.and_then(|parent| place_of.get(&parent).copied());
        let only_child = |child: &usize| n_below.get(child) == Some(&n_below[node]);
        let idle = !joints.contains(node) && document.nodes[*node].children.iter().any(only_child);
        if parent.is_none() && idle {
            continue;
        }
        place_of.insert(*node, nodes.len());
        nodes.push(*node);
        parents.push(parent);
    }
    Actor { nodes, parents, skins }
}

//! A set of patches of one library, with what joins them.

use std::collections::BTreeMap;

use randori_motion::library::{Fingerprint, NodeId};
use randori_motion::{ActionId, ActionLibrary};

use crate::patch::{Patch, Role};
use crate::pattern::Pattern;
use crate::tables::Tables;

/// A patch, by its place in a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PatchId(pub u32);

impl PatchId {
    /// Its place in the list of patches.
    pub fn idx(self) -> usize {
        self.0 as usize
    }
}

/// Patches of one library, with what joins them.
#[derive(Clone, Debug, PartialEq)]
pub struct Patches {
    /// What they were made of.
    pub library: Fingerprint,
    /// The patterns they follow.
    pub patterns: Vec<Pattern>,
    /// How they can be joined.
    pub tables: Tables,
    patches: Vec<Patch>,
    /// Who can begin in each node.
    openings: Vec<Vec<(PatchId, Role)>>,
    /// The same by what they do.
    families: Vec<Vec<Family>>,
}

/// Patches in which somebody does the same: they differ in what the other one does, where and when.
///
/// Whatever depends on that somebody alone needs to be asked once for all of them; so a family is looked into only if it
/// is good enough, however many patches it has.
///
/// Reference: \[Shum2008\], section 6: a cluster is selected first, then the best patch in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// Whose part it is.
    pub role: Role,
    /// Its patches, in order; there is at least one.
    pub patches: Vec<PatchId>,
}

/// What somebody does in a patch: actions, each with the frames that are skipped and those that are shown.
type Part = Vec<(ActionId, u16, u16)>;

impl Patches {
    /// A set of patches, with tables that were made of them.
    pub fn new(library: Fingerprint, patterns: Vec<Pattern>, patches: Vec<Patch>, tables: Tables) -> Patches {
        let mut openings = vec![Vec::new(); library.nodes as usize];
        let mut by_part: BTreeMap<(NodeId, Role, Part), Vec<PatchId>> = BTreeMap::new();
        for (at, patch) in patches.iter().enumerate() {
            for role in Role::BOTH {
                if let Some(list) = patch.of(role).entry.and_then(|node| openings.get_mut(node.0 as usize)) {
                    list.push((PatchId(at as u32), role));
                }
                let part =
                    patch.of(role).stints.iter().map(|it| (it.action, it.skipped, it.length)).collect();
                if let Some(node) = patch.of(role).entry {
                    by_part.entry((node, role, part)).or_default().push(PatchId(at as u32));
                }
            }
        }
        let mut families = vec![Vec::new(); library.nodes as usize];
        for ((node, role, _), patches) in by_part {
            if let Some(list) = families.get_mut(node.0 as usize) {
                list.push(Family { role, patches });
            }
        }
        Patches { library, patterns, tables, patches, openings, families }
    }

    /// How many patches there are.
    pub fn len(&self) -> usize {
        self.patches.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.patches.is_empty()
    }

    /// All patches.
    pub fn all(&self) -> &[Patch] {
        &self.patches
    }

    /// The ids of all patches.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = PatchId> + use<> {
        (0..self.patches.len() as u32).map(PatchId)
    }

    /// One patch.
    pub fn patch(&self, id: PatchId) -> &Patch {
        &self.patches[id.idx()]
    }

    /// The pattern that a patch follows.
    pub fn pattern_of(&self, id: PatchId) -> &Pattern {
        &self.patterns[usize::from(self.patch(id).pattern)]
    }

    /// Who can begin in a node of the graph, in the order of patches.
    pub fn openings(&self, node: NodeId) -> &[(PatchId, Role)] {
        self.openings.get(node.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// What can be begun in a node of the graph, each with all patches in which it is.
    pub fn families(&self, node: NodeId) -> &[Family] {
        self.families.get(node.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// How many patches follow each pattern.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.patterns.len()];
        for patch in &self.patches {
            counts[usize::from(patch.pattern)] += 1;
        }
        counts
    }

    /// How many different actions occur in them.
    pub fn n_actions(&self) -> usize {
        let lines = self.patches.iter().flat_map(|patch| &patch.lines);
        let mut actions: Vec<u32> = lines.flat_map(|it| &it.stints).map(|it| it.action.0).collect();
        actions.sort_unstable();
        actions.dedup();
        actions.len()
    }

    /// Whether it was made of this library.
    pub fn fits(&self, library: &ActionLibrary) -> bool {
        self.library == Fingerprint::of(library)
    }
}

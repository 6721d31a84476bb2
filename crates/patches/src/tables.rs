//! Which patches can be joined, and how.
//!
//! Reference: \[Shum2008\], section 3, figures 4 and 5.

use crate::patch::Role;
use crate::set::PatchId;

/// All four tables of a set of patches.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Tables {
    pub(crate) n_patches: usize,
    /// Both go on: those of patch a are `rejoins[rejoin_starts[a]..rejoin_starts[a + 1]]`.
    pub(crate) rejoin_starts: Vec<u32>,
    pub(crate) rejoins: Vec<Rejoin>,
    /// One goes on with somebody else: bit b of row (a, role in a, role in b).
    pub(crate) relays: Vec<u64>,
    /// One has to do with two others at once: as `rejoins`.
    pub(crate) overlap_starts: Vec<u32>,
    pub(crate) overlaps: Vec<Overlap>,
}

/// Both people of a patch go on in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rejoin {
    /// The patch that follows.
    pub to: PatchId,
    /// Whether the first goes on as the second.
    pub is_swapped: bool,
}

/// Somebody has to do with two others at once: the same actions at the same time in two patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Overlap {
    /// Who of this patch is shared.
    pub own: Role,
    /// The other patch.
    pub with: PatchId,
    /// Who of the other patch is shared.
    pub theirs: Role,
    /// The tick of this patch at which the other one's clock begins; may be negative.
    pub begins: i16,
    /// What is shared.
    pub manner: Manner,
}

/// What two patches share that overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Manner {
    /// The end of this one is the start of the other.
    Ends,
    /// The start of this one is the end of the other.
    Starts,
    /// All that the shared one does in one of the two is part of what it does in the other, or the same.
    Inside,
}

impl Tables {
    /// How both can go on after a patch.
    pub fn rejoins(&self, after: PatchId) -> &[Rejoin] {
        row(&self.rejoin_starts, &self.rejoins, after)
    }

    /// Which patches one can go on with somebody else in, after a patch.
    pub fn relays(&self, after: PatchId, role: Role, as_role: Role) -> impl Iterator<Item = PatchId> + '_ {
        self.relay_row(after, role, as_role).iter().enumerate().flat_map(|(word, bits)| {
            let mut bits = *bits;
            std::iter::from_fn(move || {
                (bits != 0).then(|| {
                    let bit = bits.trailing_zeros();
                    bits &= bits - 1;
                    PatchId(word as u32 * 64 + bit)
                })
            })
        })
    }

    /// Whether one can go on with somebody else in this patch.
    pub fn can_relay(&self, after: PatchId, role: Role, to: PatchId, as_role: Role) -> bool {
        let row = self.relay_row(after, role, as_role);
        row.get(to.idx() / 64).is_some_and(|bits| bits >> (to.idx() % 64) & 1 == 1)
    }

    /// Which patches can overlap with this one in somebody they share.
    pub fn overlaps(&self, patch: PatchId) -> &[Overlap] {
        row(&self.overlap_starts, &self.overlaps, patch)
    }

    /// How many joints there are of each kind: both go on, one goes on, overlapping ends, one inside the other.
    pub fn counts(&self) -> Counts {
        let inside = self.overlaps.iter().filter(|overlap| overlap.manner == Manner::Inside).count();
        Counts {
            rejoins: self.rejoins.len(),
            relays: self.relays.iter().map(|bits| bits.count_ones() as usize).sum(),
            // Every overlap is told by both patches.
            ends: (self.overlaps.len() - inside) / 2,
            inside: inside / 2,
        }
    }

    fn relay_row(&self, after: PatchId, role: Role, as_role: Role) -> &[u64] {
        let width = row_width(self.n_patches);
        let row = after.idx() * 4 + role.idx() * 2 + as_role.idx();
        self.relays.get(row * width..(row + 1) * width).unwrap_or(&[])
    }
}

/// How many joints there are of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Both people go on in another patch.
    pub rejoins: usize,
    /// One goes on with somebody else.
    pub relays: usize,
    /// The end of one patch is the start of another for somebody they share.
    pub ends: usize,
    /// All that the shared one does in one patch is part of what it does in another.
    pub inside: usize,
}

/// Words of 64 bits in a row of relays.
pub(crate) fn row_width(n_patches: usize) -> usize {
    n_patches.div_ceil(64)
}

fn row<'a, T>(starts: &[u32], all: &'a [T], of: PatchId) -> &'a [T] {
    match (starts.get(of.idx()), starts.get(of.idx() + 1)) {
        (Some(from), Some(to)) => &all[*from as usize..*to as usize],
        _ => &[],
    }
}

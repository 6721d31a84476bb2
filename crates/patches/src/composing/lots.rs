//! The best of many patches, with chance between those that are about as good: patches lie in urns, all those of an urn are
//! as good as each other but for what they cost one by one, and lots are drawn from the urn that promises most.
//!
//! Everybody in an urn of n has a lot between 0 and 1. The greatest of n such lots is distributed like the n-th root of one
//! of them, the next like that times the (n-1)-th root of another, and so on; whose each is, is equally likely. So lots come
//! in order, and none is drawn that is not needed: what is found is what drawing all of them would have found, whether an
//! urn holds ten patches or thousands.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use smallvec::SmallVec;

use super::Effort;
use super::choice::CHANCE;
use crate::set::PatchId;

/// Patches that are as good as each other.
pub(super) struct Urn<'a> {
    /// There is at least one.
    pub(super) patches: &'a [PatchId],
    /// What each is worth, without chance and its own cost.
    pub(super) worth: f32,
    /// Of what is drawn.
    pub(super) seed: u64,
}

/// A patch that was drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lot {
    /// From which urn.
    pub(super) urn: u32,
    pub(super) patch: PatchId,
    pub(super) score: f32,
    /// How many were drawn before it from the same urn.
    turn: u32,
}

/// An urn that was looked into.
struct Opened {
    left: SmallVec<[PatchId; 4]>,
    /// The last lot.
    lot: f32,
    turn: u32,
}

/// What promises most: a patch whose score is known, or an urn in which nothing is better than this, with its place among
/// those that were opened.
enum Promise {
    Known(Lot),
    Urn { urn: u32, most: f32, turn: u32, opened: Option<u32> },
}

impl Promise {
    fn order(&self) -> (f32, u32, u32) {
        match self {
            Promise::Known(lot) => (lot.score, lot.urn, lot.turn),
            Promise::Urn { urn, most, turn, .. } => (*most, *urn, *turn),
        }
    }
}

impl Ord for Promise {
    fn cmp(&self, other: &Promise) -> Ordering {
        let ((own, urn, turn), (theirs, their_urn, their_turn)) = (self.order(), other.order());
        own.total_cmp(&theirs).then((their_urn, their_turn).cmp(&(urn, turn)))
    }
}

impl PartialOrd for Promise {
    fn partial_cmp(&self, other: &Promise) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Promise {
    fn eq(&self, other: &Promise) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Promise {}

/// The best patches of all urns, the best first, at most so many. What a patch costs of its worth is asked of those alone that
/// are drawn; `None` if it cannot be used.
pub(super) fn best(
    urns: &[Urn<'_>],
    most: usize,
    cost: &dyn Fn(PatchId) -> Option<f32>,
    effort: &mut Effort,
) -> Vec<Lot> {
    let mut all: Vec<Opened> = Vec::new();
    let closed = |(urn, it): (usize, &Urn<'_>)| Promise::Urn {
        urn: urn as u32,
        most: it.worth + CHANCE,
        turn: 0,
        opened: None,
    };
    let mut promises: BinaryHeap<Promise> = urns.iter().enumerate().map(closed).collect();
    let mut found = Vec::new();
    while found.len() < most {
        let (urn, opened) = match promises.pop() {
            Some(Promise::Known(lot)) => {
                found.push(lot);
                continue;
            }
            Some(Promise::Urn { urn, opened, .. }) => (urn, opened),
            None => break,
        };
        let from = &urns[urn as usize];
        let opened = opened.unwrap_or_else(|| {
            effort.families += 1;
            all.push(Opened { left: from.patches.into(), lot: 1.0, turn: 0 });
            all.len() as u32 - 1
        });
        let its = &mut all[opened as usize];
        effort.patches += 1;
        let (patch, score) = its.next(from);
        if let Some(cost) = cost(patch) {
            promises.push(Promise::Known(Lot { urn, patch, score: score - cost, turn: its.turn - 1 }));
        }
        if !its.left.is_empty() {
            promises.push(Promise::Urn { urn, most: score, turn: its.turn, opened: Some(opened) });
        }
    }
    found
}

impl Opened {
    /// The next patch of an urn that is not empty yet, and what it is worth with its lot.
    fn next(&mut self, urn: &Urn<'_>) -> (PatchId, f32) {
        let n = self.left.len();
        let [root, whose] = [0, 1].map(|k| number(urn.seed, 2 * self.turn + k));
        self.lot *= if n == 1 { root } else { libm::powf(root, 1.0 / n as f32) };
        self.turn += 1;
        let patch = self.left.swap_remove(((whose * n as f32) as usize).min(n - 1));
        (patch, urn.worth + CHANCE * self.lot)
    }
}

/// A number from 0 to 1 of a stream: SplitMix64, of which any number can be had without those before.
fn number(seed: u64, at: u32) -> f32 {
    let mut mixed = seed.wrapping_add((u64::from(at) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((mixed ^ (mixed >> 31)) >> 40) as f32 / (1_u32 << 24) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything is drawn, and then compared.
    fn plain(urns: &[Urn<'_>], most: usize, cost: &dyn Fn(PatchId) -> Option<f32>) -> Vec<Lot> {
        let mut all = Vec::new();
        for (urn, it) in (0..).zip(urns) {
            let mut opened = Opened { left: it.patches.into(), lot: 1.0, turn: 0 };
            for turn in 0..it.patches.len() as u32 {
                let (patch, score) = opened.next(it);
                all.extend(cost(patch).map(|cost| Lot { urn, patch, score: score - cost, turn }));
            }
        }
        all.sort_by(|a, b| b.score.total_cmp(&a.score).then((a.urn, a.turn).cmp(&(b.urn, b.turn))));
        all.truncate(most);
        all
    }

    #[test]
    fn what_is_found_is_what_drawing_all_finds() {
        let ids: Vec<PatchId> = (0..5000).map(PatchId).collect();
        for case in 0..40_u64 {
            let at = |k: u64| number(case, k as u32);
            let n_urns = 1 + (60.0 * at(0)) as u64;
            let mut first = 0;
            let urns: Vec<Urn<'_>> = (0..n_urns)
                .map(|k| {
                    let n = 1 + (80.0 * at(3 * k + 1) * at(3 * k + 1)) as usize;
                    first += n;
                    // Many are worth the same.
                    let worth = (8.0 * at(3 * k + 2)).floor();
                    Urn { patches: &ids[first - n..first], worth, seed: 1000 * case + k }
                })
                .collect();
            let cost = |id: PatchId| match id.0 % 7 {
                0 => None,
                1 => Some(2.0 * number(7, id.0)),
                _ => Some(0.0),
            };
            for most in [1, 30, 400, 10_000] {
                let mut effort = Effort::default();
                let found = best(&urns, most, &cost, &mut effort);
                assert_eq!(found, plain(&urns, most, &cost), "case {case}, {most}");
                assert!(effort.patches <= first as u64);
            }
        }
    }

    #[test]
    fn lots_are_spread_evenly_and_so_is_whose_they_are() {
        let ids: Vec<PatchId> = (0..10).map(PatchId).collect();
        let (mut firsts, mut below, n) = ([0; 10], [0; 10], 4000);
        for seed in 0..n {
            let urn = Urn { patches: &ids, worth: 0.0, seed };
            let mut effort = Effort::default();
            let found = best(&[urn], 10, &|_| Some(0.0), &mut effort);
            firsts[found[0].patch.idx()] += 1;
            for lot in found {
                below[((lot.score / CHANCE * 10.0) as usize).min(9)] += 1;
            }
        }
        assert!(firsts.iter().all(|it| (300..500).contains(it)), "{firsts:?}");
        assert!(below.iter().all(|it| (3700..4300).contains(it)), "{below:?}");
    }

    #[test]
    fn large_urns_are_not_emptied() {
        let ids: Vec<PatchId> = (0..5000).map(PatchId).collect();
        let urns: Vec<Urn<'_>> = (0..10)
            .map(|k| Urn { patches: &ids[500 * k..500 * (k + 1)], worth: -(k as f32), seed: k as u64 })
            .collect();
        let mut effort = Effort::default();
        assert_eq!(best(&urns, 400, &|_| Some(0.0), &mut effort).len(), 400);
        assert!(effort.patches < 420, "{effort:?}");
    }
}

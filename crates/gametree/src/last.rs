//! Nodes with one choice left, which are most of a tree: choices that ended the like before are tried at once, then only
//! those that promise enough are listed, and played from the most promising on.

use std::cmp::Reverse;

use crate::pruned::{Answer, NEVER, Scratch, Visit};
use crate::score::{Sum, promise};
use crate::search::Tree;
use crate::world::{Player, World};

/// The value of a node with limits and one choice left, or why it does not matter; nothing if the world does not know
/// what its choices promise. The proof is that of [`pruned`](crate::pruned).
pub(crate) fn visit<W: World>(
    tree: &Tree<'_, W>,
    scratch: &mut Scratch<'_, W::Choice>,
    node: &Visit<'_, W::State>,
    player: Player,
) -> Option<Answer> {
    let other_limit = node.limits[player.opponent() as usize];
    let cut_above = node.reach.filter(|_| other_limit > NEVER).map(|reach| reach.coop[1].saturating_mul(2));
    let is_cut =
        |utility: i64| cut_above.is_some_and(|twice_hi| twice_hi.saturating_sub(utility) <= other_limit);
    let low = node.limits[player as usize];
    let mut best = Best { low, found: None };

    let setting = tree.world.setting(node.state);
    let mut tried = [None; 2];
    if cut_above.is_some() && tree.knows_last(player) {
        for (choice, tried) in scratch.refutations(player, 1, setting).into_iter().zip(&mut tried) {
            let Some(choice) = choice else { continue };
            let Some((choice, rank)) = tree.world.offers(node.state, choice) else { continue };
            // What is no choice as it is offered may be one where nothing better is, and is listed then.
            let Some(value) = play(tree, scratch, node, player, choice) else { continue };
            *tried = Some(choice);
            best.take(value, value.utility(player), rank);
            if is_cut(value.utility(player)) {
                scratch.statistics.nodes += 1;
                scratch.statistics.cutoffs += 1;
                scratch.refuted(player, 1, setting, choice);
                return Some(Answer::Low(player.opponent()));
            }
        }
    }

    let gathered = node.so_far.utility(player);
    let mut promises = std::mem::take(&mut scratch.promises);
    let above = best.limit(0).saturating_sub(gathered);
    let is_known = tree.promising(player, node.state, above, &mut promises);
    let mut refutation = None;
    if is_known {
        scratch.statistics.nodes += 1;
        promises.retain(|promised| !tried.contains(&Some(promised.choice)));
        while let Some(at) = (0..promises.len()).reduce(|a, b| {
            let place = |at: usize| (promises[at].most, Reverse(promises[at].rank));
            if place(b) > place(a) { b } else { a }
        }) {
            let promised = promises.swap_remove(at);
            let most = gathered.saturating_add(promise(promised.most));
            if most <= best.limit(0) {
                break;
            }
            if most <= best.limit(promised.rank) {
                continue;
            }
            let Some(value) = play(tree, scratch, node, player, promised.choice) else { continue };
            let utility = value.utility(player);
            scratch.statistics.broken_bounds += u64::from(utility > most);
            best.take(value, utility, promised.rank);
            if is_cut(utility) {
                refutation = Some(promised.choice);
                break;
            }
        }
    }
    scratch.promises = promises;
    if let Some(choice) = refutation {
        scratch.statistics.cutoffs += 1;
        scratch.refuted(player, 1, setting, choice);
        return Some(Answer::Low(player.opponent()));
    }
    is_known.then_some(best.found.map_or(Answer::Low(player), |(_, value)| Answer::Value(value)))
}

/// The best choice so far, if any is worth more than a limit.
struct Best {
    low: i64,
    /// Its utility and place in the world's order, and its value.
    found: Option<((i64, Reverse<u32>), Sum)>,
}

impl Best {
    /// What a choice of this rank must be worth more than.
    fn limit(&self, rank: u32) -> i64 {
        self.found
            .map_or(self.low, |((utility, Reverse(best)), _)| self.low.max(utility - i64::from(rank < best)))
    }

    fn take(&mut self, value: Sum, utility: i64, rank: u32) {
        let place = (utility, Reverse(rank));
        if utility > self.low && self.found.is_none_or(|(best, _)| place > best) {
            self.found = Some((place, value));
        }
    }
}

/// What a choice is worth, with what was gathered before; nothing for a choice without finite scores.
fn play<W: World>(
    tree: &Tree<'_, W>,
    scratch: &mut Scratch<'_, W::Choice>,
    node: &Visit<'_, W::State>,
    player: Player,
    choice: W::Choice,
) -> Option<Sum> {
    let edge = tree.play_last(player, node.state, choice, &mut scratch.statistics)?;
    let value = node.so_far.plus(edge);
    scratch.statistics.broken_bounds += u64::from(!node.may_end_in(value));
    Some(value)
}

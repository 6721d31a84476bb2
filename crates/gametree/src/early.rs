//! Choices that are visited before those of a node are listed: what just refuted others where the like may be chosen.

use crate::pruned::{Answer, Care, NEVER, Scratch, Visit, visit_child};
use crate::score::Sum;
use crate::search::Tree;
use crate::world::{Player, World};

/// The choices of a node, and those of them that were visited already.
pub(crate) struct Children<'a, C> {
    pub(crate) choices: &'a [C],
    pub(crate) tried: Tried<C>,
}

impl<'a, C: Copy> Children<'a, C> {
    /// None of which was visited.
    pub(crate) fn of(choices: &'a [C]) -> Self {
        Self { choices, tried: [None; 2] }
    }
}

/// Children that were visited before the choices were listed: the sum by the edge alone, and the answer.
pub(crate) type Tried<C> = [Option<(C, Sum, Answer)>; 2];

/// Visits what just refuted others where the like may be chosen. The answer of the node, if one of them refutes it.
pub(crate) fn visit<W: World>(
    tree: &Tree<'_, W>,
    scratch: &mut Scratch<'_, W::Choice>,
    node: &Visit<'_, W::State>,
    player: Player,
) -> Result<Tried<W::Choice>, Answer> {
    let mut tried = [None; 2];
    let other = player.opponent();
    let Some(reach) = node.reach.filter(|_| node.limits[other as usize] > NEVER) else { return Ok(tried) };
    if tree.goes_by_habit(player) {
        return Ok(tried);
    }
    let setting = tree.world.setting(node.state);
    let refutations = scratch.refutations(player, node.left, setting);
    for (choice, tried) in refutations.into_iter().zip(&mut tried) {
        let Some(choice) = choice else { continue };
        let Some((choice, _)) = tree.world.offers(node.state, choice) else { continue };
        let limit = node.limits[player as usize];
        // What is no choice as it is offered may be one where nothing better is, and is listed then.
        let child = visit_child(tree, scratch, node, player, choice, limit, Care::Full);
        let Some((edge, Some(answer))) = child else { continue };
        let is_cut = match answer {
            Answer::Low(p) => p == other,
            Answer::Value(value) => {
                let least = reach.coop[1].saturating_mul(2).saturating_sub(value.utility(player));
                least <= node.limits[other as usize]
            }
        };
        if is_cut {
            scratch.statistics.nodes += 1;
            scratch.statistics.cutoffs += 1;
            scratch.refuted(player, node.left, setting, choice);
            scratch.memory.praise(player, node.left, choice);
            return Err(Answer::Low(other));
        }
        *tried = Some((choice, edge, answer));
    }
    Ok(tried)
}

//! Plain expansion: the definition of what a search finds.
//!
//! Every path is played to its end and the pairs are copied upwards by the rule, as in \[Shum2012\], section V-B. Nothing
//! is left out and nothing is remembered, so that there is little to be wrong about: [`pruned`](crate::pruned) is tested
//! against this.
//!
//! A path ends after [`Settings::depth`](crate::Settings::depth) choices, where nobody chooses any more, and where no
//! choice is left. Of children that serve equally well, the first in the world's order is taken.

use crate::score::Sum;
use crate::search::{Found, Statistics, Tree};
use crate::world::{Player, World};

pub(crate) fn expand<W: World>(tree: &Tree<'_, W>, state: &W::State) -> Found<W::Choice> {
    let mut found = Found::default();
    let Some(player) = tree.world.turn(state) else { return found };
    let mut choices = Vec::new();
    tree.world.choices(state, &mut choices);
    found.statistics.nodes += 1;
    let mut best: Option<(usize, i64)> = None;
    for choice in choices {
        let Some((next, edge)) = tree.play(player, state, choice, &mut found.statistics) else { continue };
        let value = value(tree, &next, edge, tree.depth - 1, &mut found.statistics);
        if best.is_none_or(|(_, utility)| value.utility(player) > utility) {
            best = Some((found.candidates.len(), value.utility(player)));
        }
        found.candidates.push((choice, Some(value)));
    }
    found.best = best.map(|(index, _)| index);
    found
}

/// The pair of a state with `so_far` gathered on the way to it and `left` choices to follow.
fn value<W: World>(
    tree: &Tree<'_, W>,
    state: &W::State,
    so_far: Sum,
    left: u8,
    statistics: &mut Statistics,
) -> Sum {
    if left == 0 {
        return so_far;
    }
    let Some(player) = tree.world.turn(state) else { return so_far };
    let mut choices = Vec::new();
    tree.world.choices(state, &mut choices);
    statistics.nodes += 1;
    let weights = tree.habit(player, state, &choices);
    let mut children = Vec::with_capacity(choices.len());
    for (index, &choice) in choices.iter().enumerate() {
        let Some((next, edge)) = tree.play(player, state, choice, statistics) else { continue };
        let value = value(tree, &next, so_far.plus(edge), left - 1, statistics);
        children.push((weights.as_ref().map_or(0.0, |weights| weights[index]), value));
    }
    back_up(player, so_far, &children)
}

/// What a node is worth: the mean of its children where they have weights, else the first of the best.
fn back_up(player: Player, so_far: Sum, children: &[(f64, Sum)]) -> Sum {
    let likely = children.iter().filter(|(weight, _)| *weight > 0.0);
    let gains: Vec<_> = likely.map(|&(weight, value)| (weight, value.minus(so_far))).collect();
    if !gains.is_empty() {
        return so_far.plus(Sum::mean(&gains));
    }
    let mut best: Option<Sum> = None;
    for &(_, value) in children {
        if best.is_none_or(|best| value.utility(player) > best.utility(player)) {
            best = Some(value);
        }
    }
    best.unwrap_or(so_far)
}

//! Pruned expansion: the decision of [`plain`](crate::plain) expansion from a fraction of the edges.
//!
//! # What is cut, and why the result is the same
//!
//! Write u_p(v) for what player p makes of a pair v = (S_comp, S_coop): u_max = S_coop + S_comp and
//! u_min = S_coop − S_comp. The rule of \[Shum2012\], equation 3, is then: whoever's turn it is takes the child whose
//! pair has the largest utility for them, the first of equals. Both utilities are coupled,
//!
//! > u_max(v) + u_min(v) = 2 S_coop(v),   (1)
//!
//! and S_coop of everything below a node n lies in an interval \[lo(n), hi(n)\], known from what was gathered on the way
//! to n and from [`World::bounds`]. If F_coop is zero everywhere, lo = hi = 0 and the game is zero-sum.
//!
//! A node n is visited with two limits, L_max and L_min, and answers with its value v(n), or with one of the
//! certificates *low for p*: u_p(v(n)) ≤ L_p. The root has no limits (−∞), so it can only answer with its value. Let p
//! be the player at n, q the other, and let c run over the children of n.
//!
//! *Limit for p.* Let b be the best child so far. Child c is visited with the limit L_p(c) = max(L_p, u_p(b)), where one
//! step of the grid is taken off u_p(b) if c stands before b in the world's order, because it then wins a tie. If c is
//! low for p, it is either worse than b by the rule, or u_p(v(c)) ≤ L_p; in both cases it can be passed over: when all
//! children are done, and some b with u_p(b) > L_p is left, all others are worse than b, and v(n) = b exactly. If none
//! is left, all children have u_p ≤ L_p, and so has n: n is low for p.
//!
//! *Cut.* A child c with known value shows that u_p(v(n)) ≥ u_p(v(c)), and by (1) u_q(v(n)) ≤ 2 hi(n) − u_p(v(c)). If
//! that is ≤ L_q, n is low for q. This is the shallow pruning of \[Korf1991\] for a bounded sum; for a zero sum it is
//! the cut-off of alpha-beta \[Knuth1975\].
//!
//! *Limit for q.* Child c is visited with L_q(c) = L_q − 2 (hi(n) − lo(c)). If c is low for q, then by (1)
//! u_p(v(c)) ≥ 2 lo(c) − L_q(c). Whatever p takes at n is at least as good for p, so u_p(v(n)) ≥ 2 lo(c) − L_q(c), and
//! by (1) again u_q(v(n)) ≤ 2 hi(n) − 2 lo(c) + L_q(c) = L_q: n is low for q, and the other children need not be
//! played. Handed down unchanged, limits would be wrong wherever the sum is not constant, as \[Korf1991\] shows for more
//! than two players; they may be handed down at the price of twice the range that is left to S_coop. For a zero sum the
//! price is nil, and these are the deep cut-offs of alpha-beta. Where S_coop can change much, what remains is shallow
//! pruning.
//!
//! *Scouting.* Most children are no better than the best one before them, and that is sooner shown than what they are
//! worth. Child c is therefore visited with the higher limit L_q(c) = 2 lo(c) − L_p(c) − 1 first. If it answers with its
//! value, or that it is low for p, that holds as it stands. If it is low for q, then by (1) u_p(v(c)) > L_p(c), and it is
//! visited again with the limit above. For a zero sum these are the empty windows of \[Pearl1980\].
//!
//! *Futility.* If the bounds show that no path below n can reach more than L_p for either p, n is low for p without
//! being expanded.
//!
//! *Promises.* Where one choice is left, a child is a leaf, and its utility for p is what was gathered plus its edge's.
//! If the world promises that this is ≤ L_p(c), c is low for p without being played, or even listed.
//!
//! *Prospects.* Where more are left, the world may know what a child and all paths below it can add to p's utility. If
//! that is ≤ L_p(c), c is low for p without being played.
//!
//! *Habits.* Where Min follows a habit, all its likely children are visited without limits, and the mean lies within
//! the same intervals, so that (1) and all that follows from it holds for it too.
//!
//! *Coinciding states.* The value of a state is what was gathered before plus something that depends on the state and
//! the choices left alone, because sums on the [grid](crate::score) are exact and comparisons do not change when the
//! same is added to both sides. Values and certificates are therefore kept relative to what was gathered.
//!
//! *Choices tried early.* What just refuted another choice in the same setting is visited before the choices of a node
//! are even listed, if the world says that it is one of them. If it cuts, nothing else needs to be known; if not, its
//! answer stands for its visit.
//!
//! Nothing above depends on the order in which children are visited, on which node is searched by which thread, or on
//! what limits happened to be known at the time. The order is that of a search two choices shallower; where there was
//! none, choices that just refuted others come first, then those that often did, then the world's order. Along the first path, where there are no limits yet, the children after the
//! first are searched in parallel in groups of fixed size; limits are renewed between groups only. A child that turns
//! out to be better is worked out after its group, so that its own children can be searched in parallel.

use std::cmp::Reverse;
use std::hash::Hash;

use rayon::prelude::*;

use crate::early::{self, Children};
use crate::last;
use crate::memory::{Known, Memory, longer};
use crate::score::{Reach, Sum, prospect};
use crate::search::{Found, Statistics, Tree};
use crate::world::{Player, Promise, World};

/// Children searched side by side. Fixed, so that statistics do not depend on the machine; small, because limits are
/// not renewed within a group.
const GROUP: usize = 8;

/// Nodes with fewer choices left than this are not worth a thread for each child.
const MIN_PARALLEL_LEFT: u8 = 3;

/// Subtrees with fewer choices than this are worked out sooner than scouted.
const MIN_SCOUTED_LEFT: u8 = 2;

/// No utility is as low as this.
pub(crate) const NEVER: i64 = i64::MIN;

const NO_LIMITS: [i64; 2] = [NEVER; 2];

pub(crate) fn expand<W: World>(
    tree: &Tree<'_, W>,
    state: &W::State,
    memory: &mut Memory<W::Choice>,
) -> Found<W::Choice> {
    memory.clear();
    let mut scratch = Scratch {
        elder: None,
        memory: std::mem::take(memory),
        statistics: Statistics::default(),
        spare_choices: Vec::new(),
        spare_visits: Vec::new(),
        spare_prospects: Vec::new(),
        promises: Vec::new(),
        last: false,
    };
    let mut found = Found::default();
    // A search of one or two choices is over before a shallower one could have helped it.
    let first = if tree.depth <= 2 { tree.depth } else { 2 - tree.depth % 2 };
    for depth in (first..=tree.depth).step_by(2) {
        scratch.last = depth == tree.depth;
        found = root(tree, &mut scratch, state, depth);
    }
    found.statistics = scratch.statistics;
    *memory = scratch.memory;
    found
}

/// What a visit to a node answers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    /// Its value.
    Value(Sum),
    /// Its utility for this player does not exceed that player's limit.
    Low(Player),
}

/// A node to be visited.
#[derive(Clone, Copy)]
pub(crate) struct Visit<'a, S> {
    pub(crate) state: &'a S,
    pub(crate) so_far: Sum,
    /// Choices still to be made.
    pub(crate) left: u8,
    /// Stands for the choices that led here, for the order of the next ones only.
    path: u64,
    pub(crate) limits: [i64; 2],
    /// Where it may end; known wherever there are limits.
    pub(crate) reach: Option<Reach>,
}

/// What one thread works with.
pub(crate) struct Scratch<'a, C> {
    /// Whose memory can be read besides one's own.
    elder: Option<&'a Memory<C>>,
    pub(crate) memory: Memory<C>,
    pub(crate) statistics: Statistics,
    spare_choices: Vec<Vec<C>>,
    spare_visits: Vec<Vec<Seen>>,
    spare_prospects: Vec<Vec<f64>>,
    /// What the choices of the last node promise.
    pub(crate) promises: Vec<Promise<C>>,
    /// Whether no deeper search follows, which would want to know the order.
    last: bool,
}

/// A child in the order of visiting, and what became of it.
#[derive(Clone, Copy)]
struct Seen {
    index: u32,
    /// For the player at the node: its utility, or the limit that it does not exceed.
    utility: i64,
    /// The same after its edge alone.
    edge: i64,
}

/// The best child so far, by the player's utility and the world's order.
#[derive(Clone, Copy)]
struct Best {
    index: u32,
    utility: i64,
    value: Sum,
}

fn root<W: World>(
    tree: &Tree<'_, W>,
    scratch: &mut Scratch<'_, W::Choice>,
    state: &W::State,
    depth: u8,
) -> Found<W::Choice> {
    let mut found = Found::default();
    let Some(player) = tree.world.turn(state) else { return found };
    let mut choices = Vec::new();
    tree.world.choices(state, &mut choices);
    scratch.statistics.nodes += 1;
    let visit = Visit { state, so_far: Sum::default(), left: depth, path: 0, limits: NO_LIMITS, reach: None };
    let mut sums: Vec<Option<Option<Sum>>> = vec![None; choices.len()];
    let open = tree.settings.score_all && scratch.last;
    let mut report = |index: u32, answer: Answer| {
        sums[index as usize] = Some(match answer {
            Answer::Value(value) => Some(value),
            Answer::Low(_) => None,
        });
    };
    let best = visit_children(tree, scratch, &visit, player, &Children::of(&choices), open, &mut report);
    let best = match best {
        Ending::Best(best) => Some(best.index),
        Ending::Nothing | Ending::AllLow | Ending::Cut => None,
    };
    for (index, (&choice, sum)) in choices.iter().zip(&sums).enumerate() {
        let Some(sum) = *sum else { continue };
        if best == Some(index as u32) {
            found.best = Some(found.candidates.len());
        }
        found.candidates.push((choice, sum));
    }
    found
}

/// The value of a node, or why it does not matter.
fn visit<W: World>(
    tree: &Tree<'_, W>,
    scratch: &mut Scratch<'_, W::Choice>,
    node: &Visit<'_, W::State>,
) -> Answer {
    if node.left == 0 {
        return Answer::Value(node.so_far);
    }
    let Some(player) = tree.world.turn(node.state) else { return Answer::Value(node.so_far) };
    if let Some(reach) = &node.reach {
        for p in [Player::Max, Player::Min] {
            if reach.most(p) <= node.limits[p as usize] {
                scratch.statistics.futile += 1;
                return Answer::Low(p);
            }
        }
    }
    let key = tree.world.key(node.state);
    let known = key.and_then(|key| scratch.state(key, node.left));
    if let Some(answer) = known.and_then(|known| recall(&known, node)) {
        scratch.statistics.transpositions += 1;
        return answer;
    }

    let limited = node.left == 1 && node.limits != NO_LIMITS;
    if let Some(answer) = if limited { last::visit(tree, scratch, node, player) } else { None } {
        if let Some(key) = key {
            scratch.memory.keep_state(key, node.left, learn(known.unwrap_or_default(), node, answer));
        }
        return answer;
    }
    let tried = match early::visit(tree, scratch, node, player) {
        Ok(tried) => tried,
        Err(answer) => {
            if let Some(key) = key {
                scratch.memory.keep_state(key, node.left, learn(known.unwrap_or_default(), node, answer));
            }
            return answer;
        }
    };
    let mut choices = scratch.spare_choices.pop().unwrap_or_default();
    choices.clear();
    tree.world.choices(node.state, &mut choices);
    scratch.statistics.nodes += 1;
    let children = Children { tried, ..Children::of(&choices) };
    let mean = tree
        .habit(player, node.state, &choices)
        .and_then(|weights| visit_likely(tree, scratch, node, player, &choices, &weights));
    let answer = mean.unwrap_or_else(|| {
        match visit_children(tree, scratch, node, player, &children, false, &mut |_, _| {}) {
            Ending::Nothing => Answer::Value(node.so_far),
            Ending::Best(best) => Answer::Value(best.value),
            Ending::AllLow => Answer::Low(player),
            Ending::Cut => Answer::Low(player.opponent()),
        }
    });
    scratch.spare_choices.push(choices);

    if let Some(key) = key {
        scratch.memory.keep_state(key, node.left, learn(known.unwrap_or_default(), node, answer));
    }
    answer
}

/// What is known of a coinciding state, if it answers the question.
fn recall<S>(known: &Known, node: &Visit<'_, S>) -> Option<Answer> {
    if let Some(value) = known.value {
        return Some(Answer::Value(node.so_far.plus(value)));
    }
    [Player::Max, Player::Min]
        .into_iter()
        .find(|&p| {
            known.at_most[p as usize].saturating_add(node.so_far.utility(p)) <= node.limits[p as usize]
        })
        .map(Answer::Low)
}

fn learn<S>(mut known: Known, node: &Visit<'_, S>, answer: Answer) -> Known {
    match answer {
        Answer::Value(value) => known.value = Some(value.minus(node.so_far)),
        Answer::Low(p) => {
            let at_most = &mut known.at_most[p as usize];
            *at_most = (*at_most).min(node.limits[p as usize].saturating_sub(node.so_far.utility(p)));
        }
    }
    known
}

/// The mean of the children that a habit makes likely; nothing if none of them is.
fn visit_likely<W: World>(
    tree: &Tree<'_, W>,
    scratch: &mut Scratch<'_, W::Choice>,
    node: &Visit<'_, W::State>,
    player: Player,
    choices: &[W::Choice],
    weights: &[f64],
) -> Option<Answer> {
    let open = Visit { limits: NO_LIMITS, ..*node };
    let mut gains = Vec::new();
    for (&choice, &weight) in choices.iter().zip(weights) {
        if weight > 0.0
            && let Some((_, Some(Answer::Value(value)))) =
                visit_child(tree, scratch, &open, player, choice, NEVER, Care::Full)
        {
            gains.push((weight, value.minus(node.so_far)));
        }
    }
    (!gains.is_empty()).then(|| Answer::Value(node.so_far.plus(Sum::mean(&gains))))
}

/// How the visits to a node's children ended.
enum Ending {
    /// There was none.
    Nothing,
    /// The best of them.
    Best(Best),
    /// None is more than the player's limit.
    AllLow,
    /// The node is low for the other player.
    Cut,
}

/// Visits the children of a node until it is decided. With `open`, all of them are visited without limits.
fn visit_children<W: World>(
    tree: &Tree<'_, W>,
    scratch: &mut Scratch<'_, W::Choice>,
    node: &Visit<'_, W::State>,
    player: Player,
    children: &Children<'_, W::Choice>,
    open: bool,
    report: &mut dyn FnMut(u32, Answer),
) -> Ending {
    let Children { choices, tried } = children;
    let other_limit = node.limits[player.opponent() as usize];
    let cut_above = node.reach.filter(|_| other_limit > NEVER).map(|reach| reach.coop[1].saturating_mul(2));
    let (mut order, guess_from) = order_of(tree, scratch, node, player, choices);
    let mut prospects = scratch.spare_prospects.pop().unwrap_or_default();
    prospects.clear();
    if node.left > 1 && node.reach.is_some() && !open {
        tree.prospects(node.state, choices, node.left, &mut prospects);
    }
    // The most that a child can be worth, if that is known.
    let most_of = |index: u32| {
        let most = prospect(*prospects.get(index as usize)?, node.left);
        Some(node.so_far.utility(player).saturating_add(most))
    };
    let is_hopeless = |index: u32, limit: i64| most_of(index).is_some_and(|most| most <= limit);
    let mut best: Option<Best> = None;
    let any = std::cell::Cell::new(false);
    let mut cut = None;
    let limit_of = |index: u32, best: Option<Best>| match best {
        _ if open => NEVER,
        None => node.limits[player as usize],
        Some(best) => node.limits[player as usize].max(best.utility - i64::from(index < best.index)),
    };
    // Takes in what a child answered; true if nothing more needs to be known.
    let mut take = |seen: &mut Seen, limit: i64, edge: Sum, answer: Answer, best: &mut Option<Best>| {
        any.set(true);
        seen.edge = edge.utility(player);
        report(seen.index, answer);
        match answer {
            Answer::Low(p) if p == player => {
                seen.utility = limit.saturating_sub(1);
                false
            }
            Answer::Low(_) => true,
            Answer::Value(value) => {
                let utility = value.utility(player);
                seen.utility = utility;
                let better = best.is_none_or(|best| {
                    utility > best.utility || (utility == best.utility && seen.index < best.index)
                });
                if better && utility > node.limits[player as usize] {
                    *best = Some(Best { index: seen.index, utility, value });
                }
                cut_above.is_some_and(|twice_hi| twice_hi.saturating_sub(utility) <= other_limit)
            }
        }
    };

    let known = |choice: W::Choice| tried.iter().flatten().find(|(known, ..)| *known == choice).copied();
    let mut at = 0;
    while at < order.len() {
        if at == guess_from {
            let merit = |seen: &Seen| scratch.merit(player, node.left, choices[seen.index as usize]);
            order[at..].sort_by_cached_key(|seen| Reverse(merit(seen)));
        }
        let together =
            tree.settings.parallel && at > 0 && scratch.elder.is_none() && node.left >= MIN_PARALLEL_LEFT;
        let end = if at < guess_from { guess_from } else { order.len() };
        let group = at..end.min(at + if together { GROUP } else { 1 });
        // Several are only scouted side by side. What is better is worked out by all threads together.
        let mut scouted = Vec::new();
        if together {
            let (elder, last) = (&scratch.memory, scratch.last);
            let scouts = order[group.clone()].par_iter().map(|seen| {
                let mut young = Scratch::young(elder, last);
                let (limit, choice) = (limit_of(seen.index, best), choices[seen.index as usize]);
                let child = if known(choice).is_some() || is_hopeless(seen.index, limit) {
                    None
                } else {
                    visit_child(tree, &mut young, node, player, choice, limit, Care::Scout)
                };
                (limit, child, young.memory, young.statistics)
            });
            let scouts: Vec<_> = scouts.collect();
            for (limit, child, memory, statistics) in scouts {
                scratch.statistics += statistics;
                scratch.memory.absorb(memory);
                scouted.push((limit, child));
            }
        }
        for place in group.clone() {
            let index = order[place].index;
            let (limit, choice) = (limit_of(index, best), choices[index as usize]);
            if known(choice).is_none() && is_hopeless(index, limit) {
                any.set(true);
                order[place].utility = limit.saturating_sub(1);
                scratch.statistics.futile += 1;
                continue;
            }
            let (limit, child) = match (known(choice), scouted.get(place - at)) {
                (Some((_, edge, answer)), _) => (node.limits[player as usize], Some((edge, Some(answer)))),
                (None, Some((limit, None))) => (*limit, None),
                (None, Some((limit, Some((edge, Some(answer)))))) => (*limit, Some((*edge, Some(*answer)))),
                (None, Some((before, Some((_, None))))) => {
                    let care = if limit > *before { Care::Full } else { Care::Scouted };
                    (limit, visit_child(tree, scratch, node, player, choice, limit, care))
                }
                (None, None) => (limit, visit_child(tree, scratch, node, player, choice, limit, Care::Full)),
            };
            if let Some((_, Some(Answer::Value(value)))) = child {
                let is_more = most_of(index).is_some_and(|most| value.utility(player) > most);
                scratch.statistics.broken_bounds += u64::from(is_more);
            }
            if let Some((edge, Some(answer))) = child
                && take(&mut order[place], limit, edge, answer, &mut best)
            {
                cut = Some(place);
                break;
            }
        }
        if cut.is_some() {
            break;
        }
        at = group.end;
    }

    scratch.spare_prospects.push(prospects);
    if let Some(at) = cut {
        scratch.statistics.cutoffs += 1;
        let setting = tree.world.setting(node.state);
        scratch.refuted(player, node.left, setting, choices[order[at].index as usize]);
        order[at].utility = i64::MAX;
    }
    let praised = cut.map(|at| order[at].index).or(best.map(|best| best.index));
    if let Some(index) = praised {
        scratch.memory.praise(player, node.left, choices[index as usize]);
    }
    scratch.keep_order(node.path, order);
    match (cut, best) {
        (Some(_), _) => Ending::Cut,
        (None, Some(best)) => Ending::Best(best),
        (None, None) if any.get() => Ending::AllLow,
        (None, None) => Ending::Nothing,
    }
}

/// How a child is visited.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Care {
    /// It is scouted if that is worth it, and worked out if need be.
    Full,
    /// It is scouted only, if that is worth it.
    Scout,
    /// It was scouted with this limit before.
    Scouted,
}

/// Plays a choice and visits where it leads; `limit` is that of the player who makes it. Nothing for a choice without
/// finite scores, else the child's sum by its edge alone and its answer, which is missing if it was to be scouted only
/// and is more than the limit.
pub(crate) fn visit_child<W: World>(
    tree: &Tree<'_, W>,
    scratch: &mut Scratch<'_, W::Choice>,
    node: &Visit<'_, W::State>,
    player: Player,
    choice: W::Choice,
    limit: i64,
    care: Care,
) -> Option<(Sum, Option<Answer>)> {
    let left = node.left - 1;
    if left == 0 {
        let edge = tree.play_last(player, node.state, choice, &mut scratch.statistics)?;
        let so_far = node.so_far.plus(edge);
        scratch.statistics.broken_bounds += u64::from(!node.may_end_in(so_far));
        return Some((so_far, Some(Answer::Value(so_far))));
    }
    let (state, edge) = tree.play(player, node.state, choice, &mut scratch.statistics)?;
    let so_far = node.so_far.plus(edge);
    let other = player.opponent();
    let other_limit = node.limits[other as usize];
    let reach = (limit > NEVER || other_limit > NEVER).then(|| tree.reach(&state, so_far, left));
    let mut limits = NO_LIMITS;
    limits[player as usize] = limit;
    if let (Some(here), Some(there)) = (node.reach, reach)
        && other_limit > NEVER
    {
        let price = here.coop[1].saturating_sub(there.coop[0]).saturating_mul(2);
        limits[other as usize] = other_limit.saturating_sub(price);
    }
    let path = longer(node.path, &choice);
    let child = Visit { state: &state, so_far, left, path, limits, reach };
    let scouting = scouting(&child, player).filter(|_| care != Care::Scouted);
    let answer = match scouting.map(|limits| visit(tree, scratch, &Visit { limits, ..child })) {
        Some(Answer::Low(p)) if p == other && care == Care::Scout => return Some((so_far, None)),
        Some(Answer::Low(p)) if p == other => visit(tree, scratch, &child),
        Some(answer) => answer,
        None => visit(tree, scratch, &child),
    };
    if let Answer::Value(value) = answer {
        scratch.statistics.broken_bounds += u64::from(!node.may_end_in(value));
    }
    Some((so_far, Some(answer)))
}

/// The limits with which a child is scouted: whether it is no more than the limit of the player who chose it; nothing if
/// that is not worth it.
fn scouting<S>(child: &Visit<'_, S>, player: Player) -> Option<[i64; 2]> {
    let (limit, other) = (child.limits[player as usize], player.opponent());
    let least = child.reach.filter(|_| limit > NEVER && child.left >= MIN_SCOUTED_LEFT)?.coop[0];
    let mut limits = child.limits;
    limits[other as usize] = least.saturating_mul(2).saturating_sub(limit).saturating_sub(1);
    (limits[other as usize] > child.limits[other as usize]).then_some(limits)
}

impl<S> Visit<'_, S> {
    pub(crate) fn may_end_in(&self, value: Sum) -> bool {
        self.reach.is_none_or(|reach| reach.holds(value))
    }
}

/// The order of visiting, and where it becomes a guess that is yet to be made.
///
/// What a search of two choices fewer visited comes first, as it found it. One choice fewer would mislead: it ends with the other side's
/// move, and what is best for the last to move is often the worst for the last but one.
fn order_of<W: World>(
    tree: &Tree<'_, W>,
    scratch: &mut Scratch<'_, W::Choice>,
    node: &Visit<'_, W::State>,
    player: Player,
    choices: &[W::Choice],
) -> (Vec<Seen>, usize) {
    let mut order = scratch.spare_visits.pop().unwrap_or_default();
    order.clear();
    if let Some(known) = scratch.recall_order(node.path, choices.len(), &mut order) {
        return (order, known);
    }
    if node.left > 2 {
        let left = node.left - 2;
        let reach = node.reach.map(|_| tree.reach(node.state, node.so_far, left));
        let last = std::mem::replace(&mut scratch.last, false);
        visit_children(
            tree,
            scratch,
            &Visit { left, reach, ..*node },
            player,
            &Children::of(choices),
            false,
            &mut |_, _| {},
        );
        scratch.last = last;
        if let Some(known) = scratch.recall_order(node.path, choices.len(), &mut order) {
            return (order, known);
        }
    }
    order.extend((0..choices.len() as u32).map(Seen::not_yet));
    let mut front = 0;
    let setting = tree.world.setting(node.state);
    for choice in scratch.refutations(player, node.left, setting).into_iter().flatten() {
        if let Some(at) = order[front..].iter().position(|seen| choices[seen.index as usize] == choice) {
            order[front..=front + at].rotate_right(1);
            front += 1;
        }
    }
    (order, front)
}

impl Seen {
    fn not_yet(index: u32) -> Self {
        Self { index, utility: i64::MIN, edge: i64::MIN }
    }
}

impl<'a, C: Copy + Eq + Hash> Scratch<'a, C> {
    fn young(elder: &'a Memory<C>, last: bool) -> Self {
        Self {
            elder: Some(elder),
            memory: Memory::default(),
            statistics: Statistics::default(),
            spare_choices: Vec::new(),
            spare_visits: Vec::new(),
            spare_prospects: Vec::new(),
            promises: Vec::new(),
            last,
        }
    }

    fn state(&self, key: u64, left: u8) -> Option<Known> {
        self.memory.state(key, left).or_else(|| self.elder?.state(key, left)).copied()
    }

    /// The latest two choices that refuted another in a setting.
    pub(crate) fn refutations(&self, player: Player, left: u8, setting: u32) -> [Option<C>; 2] {
        let of = |memory: &Memory<C>| memory.refutations(player, left, setting);
        of(&self.memory).or_else(|| of(self.elder?)).unwrap_or_default()
    }

    pub(crate) fn refuted(&mut self, player: Player, left: u8, setting: u32, choice: C) {
        let latest = self.refutations(player, left, setting);
        if latest[0] != Some(choice) {
            self.memory.keep_refutations(player, left, setting, [Some(choice), latest[0]]);
        }
    }

    /// How often a choice was the best or refuted another.
    fn merit(&self, player: Player, left: u8, choice: C) -> u64 {
        let of = |memory: &Memory<C>| memory.merit(player, left, choice);
        of(&self.memory) + self.elder.map_or(0, of)
    }

    /// Appends all of so many choices, those that a shallower search visited first; how many these are, if there was one.
    fn recall_order(&self, path: u64, n_choices: usize, order: &mut Vec<Seen>) -> Option<usize> {
        let visited = self.memory.order(path).or_else(|| self.elder?.order(path))?;
        let mut is_left = vec![true; n_choices];
        for &index in visited {
            *is_left.get_mut(index as usize)? = false;
        }
        order.extend(visited.iter().map(|&index| Seen::not_yet(index)));
        order.extend((0..n_choices as u32).filter(|index| is_left[*index as usize]).map(Seen::not_yet));
        Some(visited.len())
    }

    fn keep_order(&mut self, path: u64, mut order: Vec<Seen>) {
        if !self.last {
            order.sort_by_key(|seen| Reverse((seen.utility, seen.edge)));
            let visited = order.iter().take_while(|seen| seen.utility > i64::MIN);
            let visited: Vec<u32> = visited.map(|seen| seen.index).collect();
            self.memory.keep_order(path, &visited);
        }
        self.spare_visits.push(order);
    }
}

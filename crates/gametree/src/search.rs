//! The way in: what is asked, and what comes back.

use std::ops::AddAssign;

use crate::score::{MAX_DEPTH, Reach, Scores, Sum, more_than};
use crate::world::{Bounds, Edge, Player, Promise, World};
use crate::{memory::Memory, plain, pruned};

/// How far and by which rule a side plans.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Choices along a path, whoever makes them: the planner's level of intelligence, cut at
    /// [`MAX_DEPTH`](crate::score::MAX_DEPTH).
    ///
    /// Forced reactions do not count. Each character plans with a depth of its own, and counts its opponent's choices
    /// in it: at depth 1 it sees only what its next action does, at depth 2 also what is chosen next, by its opponent
    /// or, if its action was short, by itself. At depth 0 nothing is chosen.
    pub depth: u8,
    /// What each side tries to reach.
    pub rule: Rule,
    /// How the other side is thought to choose.
    pub opponent: Opponent,
    /// How the tree is searched; the decision does not depend on it.
    pub method: Method,
    /// Whether every [`Candidate`] is to have its score, for explanations; costs part of what pruning saves.
    pub score_all: bool,
    /// Whether subtrees may be searched by several threads; the decision does not depend on it.
    pub parallel: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            depth: 3,
            rule: Rule::TwoObjectives,
            opponent: Opponent::Rational,
            method: Method::Pruned,
            score_all: false,
            parallel: true,
        }
    }
}

/// What each side tries to reach, from the scores of a path.
///
/// Reference: \[Shum2012\], section V-B, equations 1 to 3. The printed text of equation 1 swaps the names of the two sets
/// of edges; figure 6 shows what is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// Max takes the child with the largest S_comp + S_coop, Min the one with the smallest S_comp − S_coop; the pair is
    /// copied upwards.
    #[default]
    TwoObjectives,
    /// Plain min-max with the objectives added, F = F_comp + F_coop: Min takes away from Max what it wins itself, its
    /// path included. It is what the paper compares with: the deeper, the better they are at blocking each other.
    Added,
    /// Plain min-max over the one number S_comp + S_coop, which Min makes small: even its own share of what both gain.
    AddedShared,
}

/// How the planner thinks that the other side chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Opponent {
    /// As well as the planner would, looking as far as the tree goes.
    #[default]
    Rational,
    /// As it did before: where the world knows a [habit](World::habit), Min's nodes are worth the mean of their
    /// children by its probabilities. Reference: \[Shum2012\], section IX.
    Habitual,
}

/// How the tree is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Every path: see [`plain`](crate::plain).
    Plain,
    /// Only paths that can matter: see [`pruned`](crate::pruned).
    #[default]
    Pruned,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision<C> {
    /// The choice to make; `None` where nobody has one, and at depth 0.
    pub choice: Option<C>,
    /// Scores at the end of the line that follows it when both keep to the rule. Under the rules that add, everything
    /// is in `comp`.
    pub scores: Scores,
    /// All choices at the root in the world's order, except those whose scores are not finite.
    pub candidates: Vec<Candidate<C>>,
    /// What the search cost.
    pub statistics: Statistics,
}

/// A choice at the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate<C> {
    /// The choice.
    pub choice: C,
    /// What it leads to; `None` when it was shown not to be taken before its score was known.
    pub scores: Option<Scores>,
}

/// What a search cost. The same for any number of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Calls of [`World::play`], those of shallower searches for the order of choices included.
    pub edges: u64,
    /// Choices expanded: states whose choices were asked for.
    pub nodes: u64,
    /// Nodes left before all their choices were played, because they could no longer matter.
    pub cutoffs: u64,
    /// Nodes not expanded at all, because the bounds showed that they cannot matter.
    pub futile: u64,
    /// Nodes found again under the same key.
    pub transpositions: u64,
    /// Choices left out because their scores were not finite.
    pub refused: u64,
    /// Edges whose value lay outside of the world's own bounds; more than none means that pruning cannot be trusted.
    pub broken_bounds: u64,
}

impl AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.edges += other.edges;
        self.nodes += other.nodes;
        self.cutoffs += other.cutoffs;
        self.futile += other.futile;
        self.transpositions += other.transpositions;
        self.refused += other.refused;
        self.broken_bounds += other.broken_bounds;
    }
}

/// Memory that searches use again. It holds nothing that a later search could see.
#[derive(Debug)]
pub struct Workspace<C> {
    pub(crate) memory: Memory<C>,
}

impl<C> Default for Workspace<C> {
    fn default() -> Self {
        Self { memory: Memory::default() }
    }
}

/// Finds the choice of whoever's turn it is in `state`; usually Max's, the planner's own.
///
/// The result is that of [`plain`] expansion to the last bit, by either method, with or without threads.
pub fn search<W: World>(
    world: &W,
    state: &W::State,
    settings: &Settings,
    workspace: &mut Workspace<W::Choice>,
) -> Decision<W::Choice> {
    let tree = Tree { world, settings, depth: settings.depth.min(MAX_DEPTH) };
    let found = match (tree.depth, settings.method) {
        (0, _) => Found::default(),
        (_, Method::Plain) => plain::expand(&tree, state),
        (_, Method::Pruned) => pruned::expand(&tree, state, &mut workspace.memory),
    };
    Decision {
        choice: found.best.map(|index| found.candidates[index].0),
        scores: found.best.and_then(|index| found.candidates[index].1).unwrap_or_default().scores(),
        candidates: found
            .candidates
            .iter()
            .map(|&(choice, sum)| Candidate { choice, scores: sum.map(Sum::scores) })
            .collect(),
        statistics: found.statistics,
    }
}

/// What both methods search: the world as the rule sees it.
pub(crate) struct Tree<'a, W> {
    pub(crate) world: &'a W,
    pub(crate) settings: &'a Settings,
    pub(crate) depth: u8,
}

/// What both methods find.
pub(crate) struct Found<C> {
    /// Index of the chosen candidate.
    pub(crate) best: Option<usize>,
    pub(crate) candidates: Vec<(C, Option<Sum>)>,
    pub(crate) statistics: Statistics,
}

impl<C> Default for Found<C> {
    fn default() -> Self {
        Self { best: None, candidates: Vec::new(), statistics: Statistics::default() }
    }
}

impl<W: World> Tree<'_, W> {
    /// Plays a choice; `None` instead of scores that are not finite.
    pub(crate) fn play(
        &self,
        player: Player,
        state: &W::State,
        choice: W::Choice,
        statistics: &mut Statistics,
    ) -> Option<(W::State, Sum)> {
        statistics.edges += 1;
        let (next, edge) = self.world.play(state, choice);
        Some((next, self.sum(player, edge, statistics)?))
    }

    /// The same of a choice after which nobody chooses any more.
    pub(crate) fn play_last(
        &self,
        player: Player,
        state: &W::State,
        choice: W::Choice,
        statistics: &mut Statistics,
    ) -> Option<Sum> {
        statistics.edges += 1;
        self.sum(player, self.world.play_last(state, choice), statistics)
    }

    /// An edge as the rule sees it.
    fn sum(&self, player: Player, Edge { comp, coop }: Edge, statistics: &mut Statistics) -> Option<Sum> {
        let edge = match (self.settings.rule, player) {
            (Rule::TwoObjectives, _) => Edge { comp, coop },
            (Rule::Added, _) | (Rule::AddedShared, Player::Max) => Edge { comp: comp + coop, coop: 0.0 },
            (Rule::AddedShared, Player::Min) => Edge { comp: comp - coop, coop: 0.0 },
        };
        let sum = Sum::of_edge(player, edge);
        statistics.refused += u64::from(sum.is_none());
        sum
    }

    /// Where a state may end when `so_far` is gathered and `left` choices follow.
    pub(crate) fn reach(&self, state: &W::State, so_far: Sum, left: u8) -> Reach {
        let bounds = if left == 0 {
            Bounds { comp: [0.0; 2], coop: [0.0; 2] }
        } else {
            match self.settings.rule {
                Rule::TwoObjectives => self.world.bounds(state, left),
                Rule::Added => Bounds::ZERO_SUM,
                Rule::AddedShared => {
                    let Bounds { comp, coop } = self.world.bounds(state, left);
                    Bounds { comp: [comp[0] + coop[0], comp[1] + coop[1]], coop: [0.0; 2] }
                }
            }
        };
        Reach::new(so_far, &bounds, left)
    }

    /// The choices that can add more than so many steps of the grid to their chooser's utility, if the world knows.
    pub(crate) fn promising(
        &self,
        player: Player,
        state: &W::State,
        above: i64,
        out: &mut Vec<Promise<W::Choice>>,
    ) -> bool {
        out.clear();
        self.knows_last(player) && self.world.promising(state, more_than(above), out)
    }

    /// What choices and all that may follow them can add to their chooser's utility, if the world knows.
    pub(crate) fn prospects(
        &self,
        state: &W::State,
        choices: &[W::Choice],
        left: u8,
        out: &mut Vec<f64>,
    ) -> bool {
        out.clear();
        // By the other rules, utilities are other sums.
        let is_known = self.settings.rule == Rule::TwoObjectives
            && self.world.prospects(state, choices, left, out)
            && out.len() == choices.len();
        if !is_known {
            out.clear();
        }
        is_known
    }

    /// Whether a player's last choices go by what they promise.
    pub(crate) fn knows_last(&self, player: Player) -> bool {
        // Where Min makes even its own share small, what it gains is another sum. Habits are about all choices.
        let Settings { rule, opponent, .. } = self.settings;
        player == Player::Max || (*rule != Rule::AddedShared && *opponent == Opponent::Rational)
    }

    /// Whether a player may choose by habit.
    pub(crate) fn goes_by_habit(&self, player: Player) -> bool {
        self.settings.opponent == Opponent::Habitual && player == Player::Min
    }

    /// Weights of Min's choices by its habit, if it has one here.
    pub(crate) fn habit(&self, player: Player, state: &W::State, choices: &[W::Choice]) -> Option<Vec<f64>> {
        if !self.goes_by_habit(player) {
            return None;
        }
        let mut weights = Vec::with_capacity(choices.len());
        if !self.world.habit(state, choices, &mut weights) || weights.len() != choices.len() {
            return None;
        }
        for weight in &mut weights {
            // Larger weights than this could sum to infinity, smaller ones vanish in the quotient.
            *weight = if weight.is_finite() { weight.clamp(0.0, 1e300) } else { 0.0 };
        }
        Some(weights)
    }
}

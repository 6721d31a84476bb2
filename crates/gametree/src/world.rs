//! What is searched: a world in which two sides choose actions that take time.

use std::fmt::Debug;
use std::hash::Hash;

/// The side that plans, or the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Player {
    /// The side that plans.
    Max,
    /// The other side.
    Min,
}

impl Player {
    /// The other one.
    pub fn opponent(self) -> Self {
        match self {
            Self::Max => Self::Min,
            Self::Min => Self::Max,
        }
    }
}

/// What one choice is worth to the side that made it.
///
/// A forced reaction has no chooser. Its scores belong to the choice that ended in it: what it is worth to the victim
/// is subtracted from `comp` and added to `coop`, which is what an edge of its own would have added to the sums.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Edge {
    /// F_comp: what the choice wins for its chooser (points).
    pub comp: f64,
    /// F_coop: what the choice gives to both (points).
    pub coop: f64,
}

/// What any path from a state may still add to the sums S_comp and S_coop (points, as `[least, most]`).
///
/// S_comp counts Max's competitive scores up and Min's down; S_coop counts both up. The bounds hold for every path of
/// the given number of choices, and for those that end before because nobody has a choice any more. `[0.0, 0.0]` says
/// that each single edge scores nothing at all. An infinite end means "not known".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Change of S_comp.
    pub comp: [f64; 2],
    /// Change of S_coop.
    pub coop: [f64; 2],
}

impl Bounds {
    /// Nothing is known.
    pub const UNKNOWN: Self =
        Self { comp: [f64::NEG_INFINITY, f64::INFINITY], coop: [f64::NEG_INFINITY, f64::INFINITY] };

    /// F_coop is zero everywhere; nothing is known of F_comp. Alpha-beta pruning needs no more.
    pub const ZERO_SUM: Self = Self { comp: [f64::NEG_INFINITY, f64::INFINITY], coop: [0.0, 0.0] };

    /// Bounds of paths of up to `left` choices, which may end at any time, when each edge's scores lie between
    /// `least` and `most`, whoever chose it.
    pub fn of_edges(least: Edge, most: Edge, left: u8) -> Self {
        let times = |score: f64| if score == 0.0 { 0.0 } else { score * f64::from(left) };
        let gain = most.comp.max(-least.comp).max(0.0);
        Self {
            comp: [-times(gain), times(gain)],
            coop: [times(least.coop.min(0.0)), times(most.coop.max(0.0))],
        }
    }
}

/// A choice, and the most that it can be worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promise<C> {
    /// What.
    pub choice: C,
    /// Orders the choices of a state as [`World::choices`] does.
    pub rank: u32,
    /// The most of F_comp + F_coop (points).
    pub most: f64,
}

/// A world in which two sides choose actions that take time.
///
/// All methods are functions of their arguments: the same state gives the same answers for as long as a search runs.
pub trait World: Sync {
    /// A moment at which somebody is about to choose, or nobody is any more.
    type State: Send + Sync;
    /// A choice, such as the number of an action.
    type Choice: Copy + Send + Sync + Eq + Hash + Debug;

    /// Who chooses next; `None` when nobody will any more.
    ///
    /// Turns need not alternate: whoever ends an action first chooses next.
    fn turn(&self, state: &Self::State) -> Option<Player>;

    /// Appends the plausible choices of whoever's [`turn`](Self::turn) it is.
    ///
    /// The order is part of the answer: of choices that serve equally well, the first is taken. Choices that look best
    /// should come first, because then fewer of the others have to be played. Without any choice, a state is an end.
    fn choices(&self, state: &Self::State, out: &mut Vec<Self::Choice>);

    /// The next moment at which somebody chooses after `choice`, forced reactions included, and what the choice is
    /// worth.
    ///
    /// A choice whose scores are not finite does not count as a choice at all.
    fn play(&self, state: &Self::State, choice: Self::Choice) -> (Self::State, Edge);

    /// What a choice is worth after which nobody chooses any more: the edge of [`play`](Self::play), for less if the next
    /// moment need not be worked out.
    fn play_last(&self, state: &Self::State, choice: Self::Choice) -> Edge {
        self.play(state, choice).1
    }

    /// What `left` further choices from `state` may add to the scores; `left` is at least 1.
    ///
    /// It is asked at nearly every node, so it should be cheap beside [`play`](Self::play). The tighter, the more is
    /// pruned: the range of S_coop decides how much of alpha-beta is left, most of all for few choices; that of S_comp
    /// lets hopeless nodes go unexpanded.
    ///
    /// Pruning is exact only if these hold. [`Statistics::broken_bounds`](crate::Statistics::broken_bounds) counts the
    /// edges seen to break them.
    fn bounds(&self, state: &Self::State, left: u8) -> Bounds {
        let _ = (state, left);
        Bounds::UNKNOWN
    }

    /// Appends the choices that can be worth more than `above` to whoever makes them, F_comp + F_coop of the edge
    /// (points), in any order; `false` when that is not known, or there is no choice at all.
    ///
    /// Asked instead of [`choices`](Self::choices) where one choice is left: those that do not promise enough are not
    /// even listed. What is listed may turn out to be no choice when it is played, but at least one choice of the state
    /// must have finite scores, listed or not.
    fn promising(&self, state: &Self::State, above: f64, out: &mut Vec<Promise<Self::Choice>>) -> bool {
        let _ = (state, above, out);
        false
    }

    /// Appends, for each of `choices`, the most that it and whatever follows it, `left` choices in all, can add to the
    /// utility of whoever makes it (points): F_comp + F_coop of their own choices, F_coop − F_comp of the other's;
    /// infinite where that is not known. `false` when nothing is known of any.
    ///
    /// Like [`bounds`](Self::bounds) it holds for every path, also for those that end before because nobody has a choice
    /// any more. Choices that cannot reach a limit are not played, so at least one of them must have finite scores.
    fn prospects(&self, state: &Self::State, choices: &[Self::Choice], left: u8, out: &mut Vec<f64>) -> bool {
        let _ = (state, choices, left, out);
        false
    }

    /// A choice of another state as it is in this one, with its rank among the [promising](Self::promising) ones, if it
    /// is surely a choice here, unless its scores are not finite; `None` if it is not, or if that is not known.
    ///
    /// Asked of choices from states in the same [setting](Self::setting), before any are listed.
    fn offers(&self, state: &Self::State, choice: Self::Choice) -> Option<(Self::Choice, u32)> {
        let _ = (state, choice);
        None
    }

    /// States in which the same choices are likely to be good have the same number.
    fn setting(&self, state: &Self::State) -> u32 {
        let _ = state;
        0
    }

    /// A key under which equal states coincide, if there is one.
    ///
    /// Equal keys promise the same future: the same turn, choices in the same order, scores, bounds and habits. The way
    /// that led there does not matter.
    fn key(&self, state: &Self::State) -> Option<u64> {
        let _ = state;
        None
    }

    /// Appends how likely Min is to take each of `choices`, from what was seen of it; `false` when that is not known.
    ///
    /// Asked only for [`Opponent::Habitual`](crate::Opponent::Habitual). Probabilities need not sum to one; negative
    /// ones and those that are not finite count as zero. Min chooses for itself where all are zero.
    fn habit(&self, state: &Self::State, choices: &[Self::Choice], out: &mut Vec<f64>) -> bool {
        let _ = (state, choices, out);
        false
    }
}

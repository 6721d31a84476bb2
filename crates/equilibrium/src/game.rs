//! What a zero-sum Markov game is, to everything that solves one.
//!
//! Reference: \[Wampler2010\], section 5.2. A game knows no solver and a solver no game; between them stands
//! [`MarkovGame`]. A state is one number per axis; two players choose at once; the agent gets the reward.
//! [`crate::conformance`] checks that an implementation keeps its promises.

use std::fmt;

use rand::RngExt;

/// One coordinate of the state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Axis {
    /// A real number in `[low, high]`.
    Continuous {
        /// Smallest value.
        low: f64,
        /// Largest value.
        high: f64,
    },
    /// A real number in `[low, high)`, where both ends are the same place: an angle.
    Periodic {
        /// Smallest value.
        low: f64,
        /// Where it begins again.
        high: f64,
    },
    /// A whole number below `count`.
    Discrete {
        /// How many values there are.
        count: u32,
    },
}

impl Axis {
    /// The nearest value on the axis: wrapped, clamped or rounded.
    pub fn snap(self, x: f64) -> f64 {
        match self {
            Self::Continuous { low, high } => x.clamp(low, high),
            Self::Periodic { low, high } => {
                let turn = high - low;
                let wrapped = low + (x - low) - turn * libm::floor((x - low) / turn);
                // Rounding can land on the far end, which is the near one.
                if wrapped >= low && wrapped < high { wrapped } else { low }
            }
            Self::Discrete { count } => libm::round(x).clamp(0.0, f64::from(count.saturating_sub(1))),
        }
    }

    /// Whether `x` lies on the axis.
    pub fn contains(self, x: f64) -> bool {
        match self {
            Self::Continuous { low, high } => (low..=high).contains(&x),
            Self::Periodic { low, high } => low <= x && x < high,
            Self::Discrete { count } => x >= 0.0 && x < f64::from(count) && x == libm::trunc(x),
        }
    }

    /// A uniformly drawn value.
    pub fn sample(self, rng: &mut impl RngExt) -> f64 {
        match self {
            Self::Continuous { low, high } | Self::Periodic { low, high } => {
                self.snap(low + (high - low) * rng.random::<f64>())
            }
            Self::Discrete { count } => f64::from(rng.random_range(0..count.max(1))),
        }
    }

    /// The value a share of the way along the axis.
    pub fn at_share(self, share: f64) -> f64 {
        self.snap(match self {
            Self::Continuous { low, high } | Self::Periodic { low, high } => low + (high - low) * share,
            Self::Discrete { count } => libm::floor(f64::from(count) * share),
        })
    }

    /// Whether the axis can be used: finite, not reversed, not empty.
    fn is_sound(self) -> bool {
        match self {
            Self::Continuous { low, high } => low.is_finite() && high.is_finite() && low <= high,
            Self::Periodic { low, high } => low.is_finite() && high.is_finite() && low < high,
            Self::Discrete { count } => count > 0,
        }
    }
}

/// One of a player's actions at a state, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct ActionId(pub u32);

impl ActionId {
    /// The action as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ActionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Two players' simultaneous choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionPair {
    /// What the agent does: the column.
    pub agent: ActionId,
    /// What the opponent does: the row.
    pub opponent: ActionId,
}

impl ActionPair {
    /// The pair at a row and column of the payoff matrix.
    pub fn at(row: usize, col: usize) -> Self {
        Self { agent: ActionId(col as u32), opponent: ActionId(row as u32) }
    }
}

/// How many actions each player has at a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionCounts {
    /// The agent's: the columns.
    pub agent: usize,
    /// The opponent's: the rows.
    pub opponent: usize,
}

/// A zero-sum Markov game, seen by the agent, who maximises the discounted sum of rewards.
///
/// Every method is a pure function. States handed in lie on the axes, and so must those handed out.
pub trait MarkovGame: Sync {
    /// The coordinates of a state, at least one.
    fn axes(&self) -> &[Axis];

    /// What a reward is worth one decision later; in [0, 1]. With 1 the game must end by itself.
    fn discount(&self) -> f64;

    /// How many actions the players have at `state`, at least one each.
    fn action_counts(&self, state: &[f64]) -> ActionCounts;

    /// What the agent gets for an action pair; finite.
    fn reward(&self, state: &[f64], pair: ActionPair) -> f64;

    /// Calls `visit` with the probability of each state that can follow, and the state.
    ///
    /// Probabilities are positive and add to at most one; what is missing is the probability that the game ends.
    fn visit_successors(&self, state: &[f64], pair: ActionPair, visit: &mut dyn FnMut(f64, &[f64]));

    /// [`Self::visit_successors`] and [`Self::reward`] at once, for games that find both on the same way.
    fn play(&self, state: &[f64], pair: ActionPair, visit: &mut dyn FnMut(f64, &[f64])) -> f64 {
        self.visit_successors(state, pair, visit);
        self.reward(state, pair)
    }
}

/// What is wrong with a game.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GameError {
    /// A state needs at least one coordinate.
    #[error("a game without axes has no states")]
    NoAxes,
    /// An axis is empty, reversed or not finite.
    #[error("axis {axis} is {found:?}: it must be finite, not reversed and not empty")]
    Axis {
        /// Which axis, from 0.
        axis: usize,
        /// The axis.
        found: Axis,
    },
    /// The discount is outside [0, 1].
    #[error("the discount is {0}; it must lie between 0 and 1")]
    Discount(f64),
    /// A player has nothing to do.
    #[error("at {state:?} the agent has {agent} actions and the opponent {opponent}: both need at least one")]
    NoActions {
        /// The state.
        state: Vec<f64>,
        /// Number of the agent's actions.
        agent: usize,
        /// Number of the opponent's actions.
        opponent: usize,
    },
    /// A reward is infinite or not a number.
    #[error("the reward at {state:?} for {pair:?} is {reward}; it must be finite")]
    Reward {
        /// The state.
        state: Vec<f64>,
        /// The action pair.
        pair: ActionPair,
        /// The reward.
        reward: f64,
    },
    /// Probabilities of what follows are negative or add to more than one.
    #[error("at {state:?} for {pair:?} the probabilities of what follows add to {total}")]
    Probability {
        /// The state.
        state: Vec<f64>,
        /// The action pair.
        pair: ActionPair,
        /// Their sum, or the offending one.
        total: f64,
    },
    /// A successor does not lie on the axes.
    #[error("at {state:?} for {pair:?} follows {successor:?}, which is not a state")]
    Successor {
        /// The state.
        state: Vec<f64>,
        /// The action pair.
        pair: ActionPair,
        /// What follows.
        successor: Vec<f64>,
    },
    /// Asked twice, the game answered differently.
    #[error("at {state:?} the game gave two different answers to the same question")]
    NotPure {
        /// The state.
        state: Vec<f64>,
    },
}

/// Checks what can be checked without playing: axes and discount.
pub fn validate(game: &dyn MarkovGame) -> Result<(), GameError> {
    if game.axes().is_empty() {
        return Err(GameError::NoAxes);
    }
    if let Some((axis, &found)) = game.axes().iter().enumerate().find(|(_, axis)| !axis.is_sound()) {
        return Err(GameError::Axis { axis, found });
    }
    if !(0.0..=1.0).contains(&game.discount()) {
        return Err(GameError::Discount(game.discount()));
    }
    Ok(())
}

/// A uniformly drawn state.
pub fn sample_state(game: &dyn MarkovGame, rng: &mut impl RngExt, state: &mut Vec<f64>) {
    state.clear();
    state.extend(game.axes().iter().map(|axis| axis.sample(rng)));
}

/// One entry of the payoff matrix with a look ahead: \[Wampler2010\], equation (3).
pub fn lookahead(
    game: &dyn MarkovGame,
    state: &[f64],
    pair: ActionPair,
    value: &mut dyn FnMut(&[f64]) -> f64,
) -> f64 {
    let mut expected = 0.0;
    let reward = game.play(state, pair, &mut |probability, next| expected += probability * value(next));
    reward + game.discount() * expected
}

/// Fills `payoff` with the whole matrix of [`lookahead`] entries, row-major, and returns its shape.
pub fn payoff_matrix(
    game: &dyn MarkovGame,
    state: &[f64],
    value: &mut dyn FnMut(&[f64]) -> f64,
    payoff: &mut Vec<f64>,
) -> ActionCounts {
    let counts = game.action_counts(state);
    payoff.clear();
    for row in 0..counts.opponent {
        for col in 0..counts.agent {
            payoff.push(lookahead(game, state, ActionPair::at(row, col), value));
        }
    }
    counts
}

//! Who does better: rounds with the roles exchanged, and what a manner can lose to somebody who knows it.

use rayon::prelude::*;
use serde::Serialize;

use crate::decide::{Manner, Mind, Role};
use crate::game::Game;
use crate::round::{Round, RoundSettings, minds, play};
use crate::values::Values;

/// How a contest is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContestSettings {
    /// Rounds, each with the roles exchanged as well.
    pub rounds: usize,
    /// Decisions per round at most.
    pub decisions: usize,
    /// Seed of all rounds.
    pub seed: u64,
}

/// A mean with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// Half the width of its 95 % interval.
    pub margin: f64,
}

impl Mean {
    /// Of independent numbers.
    pub fn of(numbers: &[f64]) -> Mean {
        let n = numbers.len().max(1) as f64;
        let mean = numbers.iter().sum::<f64>() / n;
        let variance = numbers.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0).max(1.0);
        Mean { mean, margin: 1.96 * (variance / n).sqrt() }
    }
}

/// One manner against another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PlayOff {
    /// The first.
    pub first: Manner,
    /// The second.
    pub second: Manner,
    /// Rounds, each with the roles exchanged as well.
    pub rounds: usize,
    /// What the first makes of the agent's role less what the second makes of it, from the same start.
    pub difference: Mean,
    /// What the agent got when the first was the agent, and when the second was.
    pub as_agent: [f64; 2],
    /// Decisions per round, on average.
    pub decisions: f64,
}

/// Rounds between two manners from the same starts, with the roles exchanged.
pub fn play_off(
    game: &Game,
    values: &Values,
    [first, second]: [Manner; 2],
    settings: &ContestSettings,
) -> PlayOff {
    let rounds: Vec<[Round; 2]> = (0..settings.rounds)
        .into_par_iter()
        .map(|round| {
            let seed = settings.seed.wrapping_mul(0x9e37_79b9).wrapping_add(round as u64);
            let settings = RoundSettings { decisions: settings.decisions, seed };
            [[first, second], [second, first]]
                .map(|manners| play(game, &mut minds(game, values, manners), &settings))
        })
        .collect();
    let differences: Vec<f64> = rounds.iter().map(|[a, b]| a.worth - b.worth).collect();
    let mean = |of: &dyn Fn(&[Round; 2]) -> f64| {
        rounds.iter().map(of).sum::<f64>() / settings.rounds.max(1) as f64
    };
    PlayOff {
        first,
        second,
        rounds: settings.rounds,
        difference: Mean::of(&differences),
        as_agent: [mean(&|it| it[0].worth), mean(&|it| it[1].worth)],
        decisions: mean(&|it| 0.5 * (it[0].turns.len() + it[1].turns.len()) as f64),
    }
}

/// Two of the same role and manner.
pub fn mind<'a>(game: &'a Game, values: &'a Values, manner: Manner, role: Role) -> Mind<'a> {
    Mind::new(game, values, manner, role)
}

//! Who does better: rounds with the roles exchanged, and what a manner loses to somebody who knows it.

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

/// Rounds that the same two people play one after the other: whoever learns has so long to do so.
const SESSION: usize = 25;

/// Both ways round from the same starts; `with` makes the two for either.
fn both_ways<'a>(
    game: &'a Game,
    settings: &ContestSettings,
    with: impl Fn(bool) -> [Mind<'a>; 2] + Sync,
) -> Vec<[Round; 2]> {
    let rounds: Vec<usize> = (0..settings.rounds).collect();
    let session = |rounds: &[usize]| {
        let mut pairs = [with(false), with(true)];
        let of = |round: &usize| {
            let seed = settings.seed.wrapping_mul(0x9e37_79b9).wrapping_add(*round as u64);
            let settings = RoundSettings { decisions: settings.decisions, seed };
            [0, 1].map(|way| play(game, &mut pairs[way], &settings))
        };
        rounds.iter().map(of).collect::<Vec<[Round; 2]>>()
    };
    rounds.par_chunks(SESSION).flat_map_iter(session).collect()
}

/// Rounds between two manners from the same starts, with the roles exchanged.
pub fn play_off(
    game: &Game,
    values: &Values,
    [first, second]: [Manner; 2],
    settings: &ContestSettings,
) -> PlayOff {
    let rounds = both_ways(game, settings, |exchanged| {
        minds(game, values, if exchanged { [second, first] } else { [first, second] })
    });
    let differences: Vec<f64> = rounds.iter().map(|[a, b]| a.worth - b.worth).collect();
    let mean =
        |of: &dyn Fn(&[Round; 2]) -> f64| rounds.iter().map(of).sum::<f64>() / settings.rounds.max(1) as f64;
    PlayOff {
        first,
        second,
        rounds: settings.rounds,
        difference: Mean::of(&differences),
        as_agent: [mean(&|it| it[0].worth), mean(&|it| it[1].worth)],
        decisions: mean(&|it| 0.5 * (it[0].turns.len() + it[1].turns.len()) as f64),
    }
}

/// What a manner loses in both roles together to somebody who knows at every decision how likely each of its moves is, and
/// takes the best answer. 0 for an equilibrium, if values are right.
pub fn exploited(game: &Game, values: &Values, manner: Manner, settings: &ContestSettings) -> Mean {
    let rounds = both_ways(game, settings, |exchanged| {
        if exchanged {
            let agent = Mind::new(game, values, manner, Role::Agent);
            [agent, Mind::knowing(game, values, manner, Role::Opponent)]
        } else {
            let opponent = Mind::new(game, values, manner, Role::Opponent);
            [Mind::knowing(game, values, manner, Role::Agent), opponent]
        }
    });
    let gaps: Vec<f64> = rounds.iter().map(|[upper, lower]| upper.worth - lower.worth).collect();
    Mean::of(&gaps)
}

/// Rounds of two manners, one way round.
pub fn rounds(game: &Game, values: &Values, manners: [Manner; 2], settings: &ContestSettings) -> Vec<Round> {
    let rounds = both_ways(game, settings, |_| minds(game, values, manners));
    rounds.into_iter().map(|[round, _]| round).collect()
}

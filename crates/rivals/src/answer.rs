//! The best answer there is to somebody whose manner is known: what a duel is worth against it.
//!
//! With swords nobody changes places, so that a situation is two states of the graph, and from the start of a bout only so
//! many of them are met while anything is worth anything. Against somebody who always decides alike, the other has a
//! decision problem over these alone, which value iteration solves. In contests the answer looks one decision ahead and takes the learned values for the rest;
//! this one knows what the other will do at every later decision, too.

use std::collections::BTreeMap;

use randori_motion::parametric::State;
use rayon::prelude::*;
use serde::Serialize;

use crate::decide::{Manner, Mind, Role};
use crate::game::{Choices, Game, Rules, Situation};
use crate::round::start;
use crate::values::Values;

/// What a manner loses to the best answers to it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Loss {
    /// What the agent makes of a bout who has the best answer to an opponent of this manner.
    pub as_opponent: f64,
    /// What an agent of this manner makes of a bout against an opponent who has the best answer to it.
    pub as_agent: f64,
    /// Both together: 0 for an equilibrium, and never less but for rounding.
    pub both: f64,
    /// Situations that are met.
    pub situations: usize,
}

/// What a manner loses in a duel to somebody who has the best answer to it. None for tag, whose situations nobody can count,
/// for those who learn, and if there are more than `most` situations.
pub fn lost(game: &Game, values: &Values, manner: Manner, most: usize) -> Option<Loss> {
    if !matches!(game.rules, Rules::Sword(_)) || manner == Manner::Adaptive {
        return None;
    }
    let worth = |manners: [Option<Manner>; 2]| {
        let problem = Problem::of(game, values, manners, most)?;
        Some((problem.worth(game.discount), problem.situations.len()))
    };
    let (as_opponent, first) = worth([None, Some(manner)])?;
    let (as_agent, second) = worth([Some(manner), None])?;
    Some(Loss { as_opponent, as_agent, both: as_opponent - as_agent, situations: first.max(second) })
}

/// What the agent makes of a duel between two manners, over all that may be drawn. None where [`lost`] has none.
pub fn expected(game: &Game, values: &Values, manners: [Manner; 2], most: usize) -> Option<f64> {
    if !matches!(game.rules, Rules::Sword(_)) || manners.contains(&Manner::Adaptive) {
        return None;
    }
    Some(Problem::of(game, values, manners.map(Some), most)?.worth(game.discount))
}

/// What is met later than after so many decisions is taken to be worth nothing: a millionth of a hit at a discount of 0.5.
const DECISIONS: usize = 20;
/// Values change by less than this when they are found.
const SMALL: f64 = 1e-9;
/// So often at most: discounts of duels leave nothing after fifty decisions.
const SWEEPS: usize = 200;

/// What may come of one thing to do: how likely it is, the reward, and which situation follows, if any.
type Chance = (f64, f64, Option<u32>);

/// The same with the situation itself, before it has a number.
type Expanded = (f64, f64, Option<Situation>);

/// What is left of a duel when it is known how one or both decide: a decision problem of the other, or a matter of chance.
struct Problem {
    /// For each situation what may come of each thing to do.
    situations: Vec<Vec<Vec<Chance>>>,
    /// 1 if whoever is free to decide is the agent, -1 if not.
    sign: f64,
}

impl Problem {
    /// All situations that are met from the start of a bout, found decision by decision. Whoever has no manner is free.
    fn of(game: &Game, values: &Values, manners: [Option<Manner>; 2], most: usize) -> Option<Problem> {
        let first = start(game, 0);
        // Both by which of the known states they are in.
        let key = |states: [State; 2]| [0, 1].map(|side| game.known(side, states[side]));
        let mut known = BTreeMap::from([(key(first.states), 0_u32)]);
        let mut situations = Vec::new();
        let mut open = vec![first];
        for _ in 0..DECISIONS {
            let expanded: Vec<Vec<Vec<Expanded>>> = open
                .par_iter()
                .map_init(
                    || {
                        let mind = |role: Role| Some(Mind::new(game, values, manners[role.side()]?, role));
                        ([Role::Agent, Role::Opponent].map(mind), Choices::default())
                    },
                    |(minds, choices), situation| expand(game, minds, choices, situation),
                )
                .collect();
            let mut next = Vec::new();
            for ways in expanded {
                let ways = ways.into_iter().map(|way| {
                    let chance = way.into_iter().map(|(probability, reward, after)| {
                        let after = after.map(|after| {
                            let number = known.len() as u32;
                            *known.entry(key(after.states)).or_insert_with(|| {
                                next.push(after);
                                number
                            })
                        });
                        (probability, reward, after)
                    });
                    chance.collect()
                });
                situations.push(ways.collect());
            }
            if known.len() > most {
                return None;
            }
            open = next;
            if open.is_empty() {
                break;
            }
        }
        situations.resize(known.len(), Vec::new());
        Some(Problem { situations, sign: if manners[0].is_none() { 1.0 } else { -1.0 } })
    }

    /// What the agent makes of the first situation.
    fn worth(&self, discount: f64) -> f64 {
        let sign = self.sign;
        let mut worth = vec![0.0; self.situations.len()];
        for _ in 0..SWEEPS {
            let of = |ways: &Vec<Vec<Chance>>| {
                let of_way = |way: &Vec<Chance>| -> f64 {
                    let of = |(probability, reward, after): &Chance| {
                        let after = after.map_or(0.0, |at| worth[at as usize]);
                        probability * (sign * reward + discount * after)
                    };
                    way.iter().map(of).sum()
                };
                ways.iter().map(of_way).max_by(f64::total_cmp).unwrap_or(0.0)
            };
            let next: Vec<f64> = self.situations.par_iter().map(of).collect();
            let change = next.iter().zip(&worth).fold(0.0_f64, |a, (x, y)| a.max((x - y).abs()));
            worth = next;
            if change < SMALL {
                break;
            }
        }
        sign * worth[0]
    }
}

/// What may come of each thing to do for whoever is free to decide; of all together if nobody is.
fn expand(
    game: &Game,
    minds: &mut [Option<Mind<'_>>; 2],
    choices: &mut Choices,
    situation: &Situation,
) -> Vec<Vec<Expanded>> {
    game.choices(situation, choices);
    let likely = minds.each_mut().map(|mind| Some(mind.as_mut()?.decide(situation, choices).to_vec()));
    let [agent, opponent] = &choices.moves;
    let mut ways: Vec<Vec<Expanded>> = Vec::new();
    let n_ways =
        [0, 1].into_iter().find(|side| likely[*side].is_none()).map_or(1, |side| choices.moves[side].len());
    ways.resize_with(n_ways, Vec::new);
    for (i, mine) in agent.iter().enumerate() {
        let first = likely[0].as_ref().map_or(1.0, |likely| likely[i]);
        if first <= 0.0 {
            continue;
        }
        for (j, theirs) in opponent.iter().enumerate() {
            let probability = first * likely[1].as_ref().map_or(1.0, |likely| likely[j]);
            if probability <= 0.0 {
                continue;
            }
            let way = match &likely {
                [None, _] => i,
                [_, None] => j,
                _ => 0,
            };
            let outcome = game.outcome(situation.relation, mine, theirs);
            let after = Situation { relation: outcome.relation, states: outcome.ends };
            ways[way].push((probability, outcome.reward, outcome.goes_on.then_some(after)));
        }
    }
    ways
}

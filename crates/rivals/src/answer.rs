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
    let worth = |answers: Role| {
        let problem = Problem::of(game, values, manner, answers, most)?;
        Some((problem.worth(game.discount), problem.situations.len()))
    };
    let (as_opponent, first) = worth(Role::Agent)?;
    let (as_agent, second) = worth(Role::Opponent)?;
    Some(Loss { as_opponent, as_agent, both: as_opponent - as_agent, situations: first.max(second) })
}

/// Moments of a motion closer than this are the same (share of it).
const MOMENT: f32 = 0.04;
/// What is met later than after so many decisions is taken to be worth nothing: four thousandths of a hit at a discount of 0.5.
const DECISIONS: usize = 8;
/// Values change by less than this when they are found.
const SMALL: f64 = 1e-9;
/// So often at most: discounts of duels leave nothing after fifty decisions.
const SWEEPS: usize = 200;

/// States of both by node, moment and parameter.
type Key = [(u16, i32, i32); 2];

fn key(states: [State; 2]) -> Key {
    states.map(|state| {
        let whole = |x: f32| libm::roundf(x / MOMENT) as i32;
        (state.node.0, whole(state.time), whole(state.parameter))
    })
}

/// What may come of one thing to do: how likely it is, the reward, and which situation follows, if any.
type Chance = (f64, f64, Option<u32>);

/// The same with the situation itself, before it has a number.
type Expanded = (f64, f64, Option<Situation>);

/// The decision problem of one player against another who always decides alike.
struct Problem {
    /// For each situation what may come of each thing to do.
    situations: Vec<Vec<Vec<Chance>>>,
    answers: Role,
}

impl Problem {
    /// All situations that are met from the start of a bout, found decision by decision.
    fn of(game: &Game, values: &Values, manner: Manner, answers: Role, most: usize) -> Option<Problem> {
        let first = start(game, 0);
        let mut known = BTreeMap::from([(key(first.states), 0_u32)]);
        let mut situations = Vec::new();
        let mut open = vec![first];
        for _ in 0..DECISIONS {
            let expanded: Vec<Vec<Vec<Expanded>>> = open
                .par_iter()
                .map_init(
                    || (Mind::new(game, values, manner, answers.other()), Choices::default()),
                    |(mind, choices), situation| expand(game, mind, choices, situation, answers),
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
        }
        situations.resize(known.len(), Vec::new());
        Some(Problem { situations, answers })
    }

    /// What the agent makes of the first situation.
    fn worth(&self, discount: f64) -> f64 {
        let sign = if self.answers == Role::Agent { 1.0 } else { -1.0 };
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

/// What may come of each thing that one can do who answers the other's policy.
fn expand(
    game: &Game,
    mind: &mut Mind<'_>,
    choices: &mut Choices,
    situation: &Situation,
    answers: Role,
) -> Vec<Vec<Expanded>> {
    game.choices(situation, choices);
    let likely = mind.decide(situation, choices);
    let [own, other] = [answers.side(), answers.other().side()].map(|side| &choices.moves[side]);
    let of = |mine: &crate::moves::Move| {
        let played = other.iter().zip(likely).filter(|(_, probability)| **probability > 0.0);
        let of = |(theirs, probability): (&crate::moves::Move, &f64)| {
            let [agent, opponent] = if answers == Role::Agent { [mine, theirs] } else { [theirs, mine] };
            let outcome = game.outcome(situation.relation, agent, opponent);
            let after = Situation { relation: outcome.relation, states: outcome.ends };
            (*probability, outcome.reward, outcome.goes_on.then_some(after))
        };
        played.map(of).collect()
    };
    own.iter().map(of).collect()
}

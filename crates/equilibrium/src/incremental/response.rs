//! Growing by best responses: the game of the two subsets alone is solved, and whoever has a better answer to the
//! other's policy than their subset holds adds the best.
//!
//! Reference: McMahan, Gordon and Blum, "Planning in the presence of cost functions controlled by an adversary", 2003
//! (double oracle). It computes about as many entries as the paper's rule, but its programs are as small as the
//! subsets, where the paper's have all the actions of one player.
//!
//! The policies kept are the surest found so far: they have been held against every action, and bracket the value at any
//! time.

use super::{Ending, Entries, IncrementalSettings, IncrementalStatus, IncrementalWorkspace};
use crate::matrix::{self, MatrixError, PayoffMatrix};

/// Who answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Responder {
    /// With a row, against the agent's policy.
    Opponent,
    /// With a column, against the opponent's policy.
    Agent,
}

/// What is known of the value.
struct Bounds {
    lower: f64,
    upper: f64,
}

impl IncrementalWorkspace {
    pub(super) fn grow_by_response<F: FnMut(usize, usize) -> f64>(
        &mut self,
        rows: usize,
        cols: usize,
        mut entries: Entries<F>,
        settings: &IncrementalSettings,
    ) -> Result<Ending, MatrixError> {
        let mut bounds = Bounds { lower: f64::NEG_INFINITY, upper: f64::INFINITY };
        let mut rounds = 0;
        let status = loop {
            rounds += 1;
            let mut value = self.solve_subsets(&mut entries)?;
            let opponent_grew =
                self.respond(Responder::Opponent, rows, value, &mut entries, settings, &mut bounds)?;
            if opponent_grew {
                value = self.solve_subsets(&mut entries)?;
            }
            let agent_grew =
                self.respond(Responder::Agent, cols, value, &mut entries, settings, &mut bounds)?;
            if opponent_grew && !agent_grew && self.is_agent_known(rows, cols) {
                // The agent's policy has changed since it was answered, and the answer costs nothing.
                self.answer(Responder::Opponent, rows, value, &mut entries, &mut bounds)?;
            }
            if bounds.upper - bounds.lower <= settings.tolerance * entries.span() {
                break IncrementalStatus::Solved;
            }
            if rounds == settings.max_rounds {
                break IncrementalStatus::RoundLimit;
            }
            if !opponent_grew && !agent_grew {
                break IncrementalStatus::Solved;
            }
        };
        let Bounds { lower, upper } = bounds;
        Ok(Ending { lower, upper, entries_used: entries.used, rounds, status })
    }

    /// Solves the game of the two subsets: who plays what, and its value. While the opponent has no action, the agent
    /// plays its first.
    fn solve_subsets<F: FnMut(usize, usize) -> f64>(
        &mut self,
        entries: &mut Entries<F>,
    ) -> Result<f64, MatrixError> {
        let Self { matrix, sub, agent_set, opponent_set, agent_played, opponent_played, known, .. } = self;
        agent_played.clear();
        opponent_played.clear();
        if opponent_set.is_empty() {
            agent_played.push((agent_set[0], 1.0));
            return entries.at(known, 0, agent_set[0] as usize);
        }
        sub.clear();
        for &i in opponent_set.iter() {
            for &j in agent_set.iter() {
                sub.push(entries.at(known, i as usize, j as usize)?);
            }
        }
        let solution = matrix::solve(PayoffMatrix::new(opponent_set.len(), agent_set.len(), sub)?, matrix);
        let played = |set: &[u32], policy: &[f64], out: &mut Vec<(u32, f64)>| {
            out.extend(set.iter().copied().zip(policy.iter().copied()).filter(|(_, p)| *p > 0.0));
        };
        played(agent_set, solution.agent, agent_played);
        played(opponent_set, solution.opponent, opponent_played);
        Ok(solution.value)
    }

    /// Adds the best answer to the responder's subset, if it gains anything there; whether it did.
    fn respond<F: FnMut(usize, usize) -> f64>(
        &mut self,
        responder: Responder,
        count: usize,
        value: f64,
        entries: &mut Entries<F>,
        settings: &IncrementalSettings,
        bounds: &mut Bounds,
    ) -> Result<bool, MatrixError> {
        let (action, gain) = self.answer(responder, count, value, entries, bounds)?;
        let set = match responder {
            Responder::Opponent => &mut self.opponent_set,
            Responder::Agent => &mut self.agent_set,
        };
        // Half of what both may lose together.
        let gains = set.is_empty() || gain > 0.5 * settings.tolerance * entries.span();
        let grows = gains && !set.contains(&action);
        if grows {
            set.push(action);
        }
        Ok(grows)
    }

    /// The best of `count` actions against what the other plays, the first of equals, and how much better it is for the
    /// responder than `value`. What was answered is kept if it is the surest so far.
    fn answer<F: FnMut(usize, usize) -> f64>(
        &mut self,
        responder: Responder,
        count: usize,
        value: f64,
        entries: &mut Entries<F>,
        bounds: &mut Bounds,
    ) -> Result<(u32, f64), MatrixError> {
        let Self { known, agent_played, opponent_played, agent, opponent, .. } = self;
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        for action in 0..count {
            let mut sum = 0.0;
            match responder {
                Responder::Opponent => {
                    for &(other, probability) in agent_played.iter() {
                        sum -= probability * (entries.at(known, action, other as usize)? - value);
                    }
                }
                Responder::Agent => {
                    for &(other, probability) in opponent_played.iter() {
                        sum += probability * (entries.at(known, other as usize, action)? - value);
                    }
                }
            }
            if sum > most {
                (best, most) = (action as u32, sum);
            }
        }
        match responder {
            Responder::Opponent if value - most > bounds.lower => {
                bounds.lower = value - most;
                spread(agent, agent_played);
            }
            Responder::Agent if value + most < bounds.upper => {
                bounds.upper = value + most;
                spread(opponent, opponent_played);
            }
            _ => {}
        }
        Ok((best, most))
    }

    /// Whether all rows are known for what the agent plays.
    fn is_agent_known(&self, rows: usize, cols: usize) -> bool {
        let is_known = |col: usize| (0..rows).all(|row| !self.known[row * cols + col].is_nan());
        self.agent_played.iter().all(|&(col, _)| is_known(col as usize))
    }
}

fn spread(policy: &mut [f64], played: &[(u32, f64)]) {
    policy.fill(0.0);
    for &(action, probability) in played {
        policy[action as usize] = probability;
    }
}

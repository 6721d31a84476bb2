//! A suite that every [`MarkovGame`] should pass: call [`check`] from the game's own tests.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::game::{ActionCounts, ActionPair, GameError, MarkovGame, sample_state, validate};

/// What random play met.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Conformance {
    /// States visited.
    pub states: usize,
    /// Action pairs tried.
    pub pairs: usize,
    /// States that followed.
    pub successors: usize,
    /// How often the game ended.
    pub endings: usize,
    /// Smallest reward met.
    pub least_reward: f64,
    /// Largest reward met.
    pub largest_reward: f64,
}

/// Plays `rounds` random rounds of up to `steps` decisions, trying every action pair at every state on the way, and
/// checks every promise of [`MarkovGame`]: actions on both sides, finite rewards, probabilities, successors on the
/// axes, and the same answer when asked again.
pub fn check(
    game: &dyn MarkovGame,
    rounds: usize,
    steps: usize,
    seed: u64,
) -> Result<Conformance, GameError> {
    validate(game)?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut met =
        Conformance { least_reward: f64::INFINITY, largest_reward: f64::NEG_INFINITY, ..Default::default() };
    let mut state = Vec::new();
    let mut outcomes: Vec<(f64, Vec<f64>)> = Vec::new();
    for _ in 0..rounds {
        sample_state(game, &mut rng, &mut state);
        for _ in 0..steps {
            met.states += 1;
            let counts = game.action_counts(&state);
            let ActionCounts { agent, opponent } = counts;
            if agent == 0 || opponent == 0 {
                return Err(GameError::NoActions { state, agent, opponent });
            }
            if counts != game.action_counts(&state) {
                return Err(GameError::NotPure { state });
            }
            for row in 0..opponent {
                for col in 0..agent {
                    check_pair(game, &state, ActionPair::at(row, col), &mut outcomes, &mut met)?;
                }
            }
            let chosen = ActionPair::at(rng.random_range(0..opponent), rng.random_range(0..agent));
            check_pair(game, &state, chosen, &mut outcomes, &mut met)?;
            let mut draw: f64 = rng.random();
            let next = outcomes.iter().position(|(probability, _)| {
                draw -= probability;
                draw < 0.0
            });
            let Some(next) = next else {
                met.endings += 1;
                break;
            };
            state = outcomes.swap_remove(next).1;
        }
    }
    Ok(met)
}

fn check_pair(
    game: &dyn MarkovGame,
    state: &[f64],
    pair: ActionPair,
    outcomes: &mut Vec<(f64, Vec<f64>)>,
    met: &mut Conformance,
) -> Result<(), GameError> {
    let reward = game.reward(state, pair);
    if !reward.is_finite() {
        return Err(GameError::Reward { state: state.to_vec(), pair, reward });
    }
    outcomes.clear();
    game.visit_successors(state, pair, &mut |probability, next| outcomes.push((probability, next.to_vec())));
    let mut again = 0;
    let mut same = game.reward(state, pair).to_bits() == reward.to_bits();
    game.visit_successors(state, pair, &mut |probability, next| {
        same &= outcomes.get(again).is_some_and(|(p, known)| *p == probability && known == next);
        again += 1;
    });
    if !same || again != outcomes.len() {
        return Err(GameError::NotPure { state: state.to_vec() });
    }
    let mut total = 0.0;
    for (probability, next) in outcomes.iter() {
        if !(*probability > 0.0 && *probability <= 1.0 + 1e-12) {
            return Err(GameError::Probability { state: state.to_vec(), pair, total: *probability });
        }
        total += probability;
        let axes = game.axes();
        if next.len() != axes.len() || next.iter().zip(axes).any(|(&x, axis)| !axis.contains(x)) {
            return Err(GameError::Successor { state: state.to_vec(), pair, successor: next.clone() });
        }
    }
    if total > 1.0 + 1e-9 {
        return Err(GameError::Probability { state: state.to_vec(), pair, total });
    }
    met.pairs += 1;
    met.successors += outcomes.len();
    met.least_reward = met.least_reward.min(reward);
    met.largest_reward = met.largest_reward.max(reward);
    Ok(())
}

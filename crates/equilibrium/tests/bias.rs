//! Biased opponents: the transpose, the presets, and learning a bias from play.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "what fails, fails; what was measured is said")]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_equilibrium::bias::{BiasError, BiasMatrix, LearnedBias, PlayRecord};
use randori_equilibrium::finite::{
    FiniteError, FiniteGame, FiniteSettings, StatePolicies, solve_finite, solve_finite_biased,
};
use randori_equilibrium::game::ActionId;
use randori_equilibrium::matrix::{PayoffMatrix, Workspace, solve};
use randori_equilibrium::toys;

const RPS: [f64; 9] = [0.0, 1.0, -1.0, -1.0, 0.0, 1.0, 1.0, -1.0, 0.0];

/// πᵀ (Mᵀ R) = (M π)ᵀ R for an M that is not symmetric, which `M R` as printed does not give.
#[test]
fn the_payoffs_planned_with_are_the_transpose_times_the_payoffs() {
    let bias = BiasMatrix::new(3, vec![0.5, 0.1, 0.0, 0.2, 0.9, 0.3, 0.3, 0.0, 0.7]).unwrap();
    let payoff = [1.0, -2.0, 0.5, 3.0, -1.0, 4.0];
    let rational = [0.2, 0.5, 0.3];
    let (mut planned, mut played) = (Vec::new(), vec![0.0; 3]);
    bias.apply(2, &payoff, &mut planned);
    bias.bend(&rational, &mut played);
    for col in 0..2 {
        let left: f64 = (0..3).map(|i| rational[i] * planned[i * 2 + col]).sum();
        let right: f64 = (0..3).map(|i| played[i] * payoff[i * 2 + col]).sum();
        assert!((left - right).abs() < 1e-15);
    }
    assert!((played.iter().sum::<f64>() - 1.0).abs() < 1e-15);
}

#[test]
fn presets() {
    let mut planned = Vec::new();
    // ρ = 1 changes nothing; ρ = 0 makes every row ζᵀ R.
    BiasMatrix::rational(3).unwrap().apply(3, &RPS, &mut planned);
    assert_eq!(planned, RPS);
    BiasMatrix::mixture(0.0, &[0.5, 0.5, 0.0]).unwrap().apply(3, &RPS, &mut planned);
    assert!(planned.chunks(3).all(|row| row == [-0.5, 0.5, 0.0]));
    // With ρ = 0 the agent's policy is deterministic: the best response.
    let mut workspace = Workspace::default();
    let solution = solve(PayoffMatrix::new(3, 3, &planned).unwrap(), &mut workspace);
    assert_eq!((solution.value, solution.agent), (0.5, &[0.0, 1.0, 0.0][..]));
    // Turn-based: the row whose worst is least; randomised: the best three of four.
    let payoff = [5.0, 0.0, 2.0, 1.0, 3.0, 3.0, 0.0, 9.0];
    let game = PayoffMatrix::new(4, 2, &payoff).unwrap();
    let mut played = vec![0.0; 4];
    BiasMatrix::turn_based(game).bend(&[1.0, 0.0, 0.0, 0.0], &mut played);
    assert_eq!(played, [0.0, 1.0, 0.0, 0.0]);
    BiasMatrix::randomised_greedy(game).bend(&[0.0, 0.0, 0.0, 1.0], &mut played);
    assert!(played[3] == 0.0 && played[..3].iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-15));
    BiasMatrix::subset(4, &[ActionId(0), ActionId(2)]).unwrap().bend(&[0.25; 4], &mut played);
    assert_eq!(played, [0.5, 0.0, 0.5, 0.0]);
}

#[test]
fn unsound_biases_are_refused() {
    assert_eq!(BiasMatrix::new(0, vec![]), Err(BiasError::Empty));
    assert_eq!(BiasMatrix::new(2, vec![1.0; 3]), Err(BiasError::Shape { size: 2, found: 3 }));
    // Rows that add to one are not enough: columns must.
    let rows = BiasMatrix::new(2, vec![0.9, 0.1, 0.5, 0.5]);
    assert!(matches!(rows, Err(BiasError::Column { column: 0, total }) if (total - 1.4).abs() < 1e-15));
    assert!(matches!(BiasMatrix::new(1, vec![f64::NAN]), Err(BiasError::Column { .. })));
    assert_eq!(BiasMatrix::mixture(1.5, &[1.0]), Err(BiasError::Rationality(1.5)));
    assert!(matches!(BiasMatrix::mixture(0.5, &[0.7, 0.7]), Err(BiasError::Column { .. })));
    assert!(matches!(BiasMatrix::subset(3, &[ActionId(3)]), Err(BiasError::Action { count: 3, .. })));
    assert!(BiasMatrix::subset(3, &[]).is_err());
    let mut record = PlayRecord::new(1, 3).unwrap();
    assert_eq!(record.observe(1, &[1.0; 3], ActionId(0)), Err(BiasError::Region { region: 1, count: 1 }));
    assert!(record.observe(0, &[1.0; 3], ActionId(7)).is_err());
    let wrong = [BiasMatrix::rational(2).unwrap()];
    let refused =
        solve_finite_biased(&toys::rock_paper_scissors(0.5).unwrap(), &wrong, &FiniteSettings::default());
    assert!(matches!(refused, Err(FiniteError::Bias { state: 0, rows: 3, found: 2 })));
}

/// Pennies at two tables, where the tables are the regions.
struct Match {
    game: FiniteGame,
    rational: Vec<StatePolicies>,
}

impl Match {
    fn new() -> Self {
        let game = toys::pennies_at_two_tables(0.9).unwrap();
        let rational = solve_finite(&game, &FiniteSettings::default()).policies;
        Self { game, rational }
    }

    /// Discounted return of one seeded round of 60 decisions; `record` hears of the opponent's choices.
    fn play(
        &self,
        agent: &[Vec<f64>],
        opponent: &[Vec<f64>],
        rng: &mut ChaCha8Rng,
        mut record: impl FnMut(usize, ActionId),
    ) -> f64 {
        let mut draw = |policy: &[f64]| {
            let mut rest: f64 = rng.random();
            policy.iter().position(|p| {
                rest -= p;
                rest < 0.0
            })
        };
        let (mut state, mut weight, mut total) = (0, 1.0, 0.0);
        for _ in 0..60 {
            let row = draw(&opponent[state]).unwrap_or(0);
            let col = draw(&agent[state]).unwrap_or(0);
            record(state, ActionId(row as u32));
            let cell = row * self.game.states[state].cols + col;
            total += weight * self.game.states[state].reward[cell];
            weight *= self.game.discount;
            state = self.game.states[state].next[cell][0].0;
        }
        total
    }

    fn opponent(&self, biases: &[BiasMatrix]) -> Vec<Vec<f64>> {
        biases
            .iter()
            .zip(&self.rational)
            .map(|(bias, policies)| {
                let mut played = vec![0.0; policies.opponent.len()];
                bias.bend(&policies.opponent, &mut played);
                played
            })
            .collect()
    }

    /// Learns from `rounds` rounds against `opponent`, played rationally.
    fn learn(&self, opponent: &[Vec<f64>], rounds: u64) -> Vec<LearnedBias> {
        let agent: Vec<Vec<f64>> = self.rational.iter().map(|p| p.agent.clone()).collect();
        let mut record = PlayRecord::new(2, 2).unwrap();
        for round in 0..rounds {
            let mut rng = ChaCha8Rng::seed_from_u64(10_000 + round);
            self.play(&agent, opponent, &mut rng, |state, action| {
                record.observe(state, &self.rational[state].opponent, action).unwrap();
            });
        }
        (0..2).map(|region| record.learn(region).unwrap()).collect()
    }

    /// Mean and half-width of the 95 % interval of (adapted - rational) over 1,000 seeded rounds.
    fn gain(&self, opponent: &[Vec<f64>], learned: &[LearnedBias]) -> (f64, f64) {
        let biases: Vec<BiasMatrix> = learned.iter().map(|bias| bias.matrix().unwrap()).collect();
        let adapted = solve_finite_biased(&self.game, &biases, &FiniteSettings::default()).unwrap();
        let plain: Vec<Vec<f64>> = self.rational.iter().map(|p| p.agent.clone()).collect();
        let adapted: Vec<Vec<f64>> = adapted.policies.iter().map(|p| p.agent.clone()).collect();
        let differences: Vec<f64> = (0..1000)
            .map(|round| {
                let score = |agent: &[Vec<f64>]| {
                    self.play(agent, opponent, &mut ChaCha8Rng::seed_from_u64(round), |_, _| {})
                };
                score(&adapted) - score(&plain)
            })
            .collect();
        let mean = differences.iter().sum::<f64>() / 1000.0;
        let variance = differences.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / 999.0;
        (mean, 1.96 * (variance / 1000.0).sqrt())
    }
}

#[test]
fn a_learned_bias_pays_against_a_biased_player() {
    let play = Match::new();
    // Rational one time in two; otherwise heads at table 0, mostly tails at table 1.
    let truth =
        [BiasMatrix::mixture(0.5, &[1.0, 0.0]).unwrap(), BiasMatrix::mixture(0.5, &[0.2, 0.8]).unwrap()];
    let opponent = play.opponent(&truth);
    let learned = play.learn(&opponent, 40);
    let mut bent = vec![0.0; 2];
    for (state, bias) in learned.iter().enumerate() {
        bias.matrix().unwrap().bend(&play.rational[state].opponent, &mut bent);
        let error = (bent[0] - opponent[state][0]).abs();
        assert!(error < 0.05, "table {state}: {bent:?} for {:?}", opponent[state]);
    }
    let (mean, half_width) = play.gain(&opponent, &learned);
    println!("against a biased player: {mean:.3} ± {half_width:.3}");
    assert!(mean - half_width > 0.0, "{mean} ± {half_width}");
}

#[test]
fn learning_from_an_unbiased_player_costs_nothing() {
    let play = Match::new();
    let opponent = play.opponent(&[BiasMatrix::rational(2).unwrap(), BiasMatrix::rational(2).unwrap()]);
    let learned = play.learn(&opponent, 40);
    assert!(learned.iter().all(|bias| bias.rationality == 1.0 && bias.evidence <= 0.0), "{learned:?}");
    let (mean, half_width) = play.gain(&opponent, &learned);
    println!("against an unbiased player: {mean:.3} ± {half_width:.3}");
    assert!(mean.abs() <= half_width.max(1e-12), "{mean} ± {half_width}");
}

/// The record survives a file, and an empty region is a rational one.
#[test]
fn records_serialise() {
    let mut record = PlayRecord::new(2, 3).unwrap();
    record.observe(0, &[0.2, 0.3, 0.5], ActionId(1)).unwrap();
    let back: PlayRecord = serde_json::from_str(&serde_json::to_string(&record).unwrap()).unwrap();
    assert_eq!((back.counts(0).unwrap(), back.counts(1).unwrap()), (vec![0, 1, 0], vec![0, 0, 0]));
    assert_eq!(back.learn(1).unwrap().rationality, 1.0);
}

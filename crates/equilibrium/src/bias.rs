//! Playing against an opponent who is not rational.
//!
//! Reference: \[Wampler2010\], section 7. A bias is a left-stochastic matrix `M`: if `π` is the rational policy, the
//! opponent plays `M π`. The agent then plans with `R̃ = Mᵀ R`, so that `πᵀ R̃ = (M π)ᵀ R`; the paper prints equation (6)
//! without the transpose, which does not type-check against its own reading of `M π`.
//!
//! Beyond the paper: [`PlayRecord`] learns the bias from recorded play.

use serde::{Deserialize, Serialize};

use crate::game::ActionId;
use crate::matrix::PayoffMatrix;

/// A left-stochastic matrix over the opponent's actions: every column is a probability vector.
///
/// ```
/// use randori_equilibrium::bias::BiasMatrix;
///
/// // A player who is rational one time in four and otherwise always plays rock.
/// let bias = BiasMatrix::mixture(0.25, &[1.0, 0.0, 0.0])?;
/// let mut plays = vec![0.0; 3];
/// bias.bend(&[0.0, 1.0, 0.0], &mut plays);
/// assert_eq!(plays, [0.75, 0.25, 0.0]);
/// # Ok::<(), randori_equilibrium::bias::BiasError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BiasMatrix {
    size: usize,
    /// Row-major: entry `(i, k)` is the probability of `i` where reason says `k`.
    entries: Vec<f64>,
}

/// What is wrong with a bias.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BiasError {
    /// Nobody to be biased.
    #[error("a bias needs at least one action")]
    Empty,
    /// The matrix is not square.
    #[error("a bias over {size} actions needs {expected} entries, found {found}", expected = .size.saturating_mul(*.size))]
    Shape {
        /// Number of actions.
        size: usize,
        /// Number of entries.
        found: usize,
    },
    /// A column is not a probability vector.
    #[error("column {column} of the bias adds to {total}; its entries must not be negative and add to 1")]
    Column {
        /// Which column.
        column: usize,
        /// What it adds to, or the offending entry.
        total: f64,
    },
    /// Rationality is a probability.
    #[error("rationality is {0}; it must lie between 0 and 1")]
    Rationality(f64),
    /// An action does not exist.
    #[error("there is no action {action}, only {count}")]
    Action {
        /// The action.
        action: ActionId,
        /// How many there are.
        count: usize,
    },
    /// A region does not exist.
    #[error("there is no region {region}, only {count}")]
    Region {
        /// The region.
        region: usize,
        /// How many there are.
        count: usize,
    },
}

impl BiasMatrix {
    /// A checked matrix, row-major.
    pub fn new(size: usize, entries: Vec<f64>) -> Result<Self, BiasError> {
        if size == 0 {
            return Err(BiasError::Empty);
        }
        if size.checked_mul(size) != Some(entries.len()) {
            return Err(BiasError::Shape { size, found: entries.len() });
        }
        for column in 0..size {
            let mut total = 0.0;
            for row in 0..size {
                let entry = entries[row * size + column];
                if !(entry >= 0.0 && entry.is_finite()) {
                    return Err(BiasError::Column { column, total: entry });
                }
                total += entry;
            }
            if (total - 1.0f64).abs() > 1e-9 {
                return Err(BiasError::Column { column, total });
            }
        }
        Ok(Self { size, entries })
    }

    /// `ρ I + (1 - ρ) [ζ … ζ]`: rational with probability `rationality`, otherwise drawing from `habit`.
    ///
    /// With 1 the opponent is game-optimal; with 0 it always follows its habit.
    pub fn mixture(rationality: f64, habit: &[f64]) -> Result<Self, BiasError> {
        if !(0.0..=1.0).contains(&rationality) {
            return Err(BiasError::Rationality(rationality));
        }
        let size = habit.len();
        let mut entries = vec![0.0; size * size];
        for (row, &p) in habit.iter().enumerate() {
            entries[row * size..(row + 1) * size].fill((1.0 - rationality) * p);
            entries[row * size + row] += rationality;
        }
        Self::new(size, entries)
    }

    /// A rational opponent.
    pub fn rational(size: usize) -> Result<Self, BiasError> {
        Self::mixture(1.0, &vec![1.0 / size.max(1) as f64; size])
    }

    /// The opponent moves first, as in a turn-based game: the row that gives the agent least when it answers best.
    pub fn turn_based(payoff: PayoffMatrix<'_>) -> Self {
        Self::greedy_over(payoff, 1)
    }

    /// A turn-based opponent with some randomness: evenly among its three best rows.
    pub fn randomised_greedy(payoff: PayoffMatrix<'_>) -> Self {
        Self::greedy_over(payoff, 3)
    }

    fn greedy_over(payoff: PayoffMatrix<'_>, count: usize) -> Self {
        let size = payoff.rows();
        let worst = |row: usize| payoff.row(row).iter().fold(f64::NEG_INFINITY, |a, &x| a.max(x));
        let mut order: Vec<usize> = (0..size).collect();
        order.sort_by(|&a, &b| worst(a).total_cmp(&worst(b)).then(a.cmp(&b)));
        order.truncate(count);
        let mut entries = vec![0.0; size * size];
        for &row in &order {
            entries[row * size..(row + 1) * size].fill(1.0 / order.len() as f64);
        }
        Self { size, entries }
    }

    /// An opponent that only knows some of its actions, such as left turns, and draws evenly among them.
    pub fn subset(size: usize, actions: &[ActionId]) -> Result<Self, BiasError> {
        let mut habit = vec![0.0; size];
        for &action in actions {
            *habit.get_mut(action.index()).ok_or(BiasError::Action { action, count: size })? = 1.0;
        }
        let known: f64 = habit.iter().sum();
        habit.iter_mut().for_each(|p| *p /= known);
        Self::mixture(0.0, &habit)
    }

    /// Number of the opponent's actions.
    pub fn size(&self) -> usize {
        self.size
    }

    /// `out = Mᵀ R` for a row-major matrix of `cols` columns: the payoffs that the agent plans with.
    ///
    /// `payoff` must have one row per action of the bias.
    pub fn apply(&self, cols: usize, payoff: &[f64], out: &mut Vec<f64>) {
        assert_eq!(payoff.len(), self.size * cols, "one row per action of the bias");
        out.clear();
        out.resize(payoff.len(), 0.0);
        for (row, line) in payoff.chunks_exact(cols.max(1)).enumerate() {
            for (target, &weight) in out.chunks_exact_mut(cols).zip(&self.entries[row * self.size..]) {
                if weight != 0.0 {
                    for (t, &x) in target.iter_mut().zip(line) {
                        *t += weight * x;
                    }
                }
            }
        }
    }

    /// `out = M π`: what the opponent plays where reason says `rational`.
    pub fn bend(&self, rational: &[f64], out: &mut [f64]) {
        for (row, p) in out.iter_mut().enumerate() {
            let weights = &self.entries[row * self.size..(row + 1) * self.size];
            *p = weights.iter().zip(rational).map(|(m, r)| m * r).sum();
        }
    }
}

/// What recorded play says of an opponent in one region of the state space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearnedBias {
    /// ρ: how often the opponent was rational.
    pub rationality: f64,
    /// ζ: what it plays otherwise.
    pub habit: Vec<f64>,
    /// How many decisions this rests on.
    pub observations: usize,
    /// Log-likelihood gained over a rational opponent, less what as many free parameters gain by chance.
    pub evidence: f64,
}

impl LearnedBias {
    /// The bias as a matrix.
    pub fn matrix(&self) -> Result<BiasMatrix, BiasError> {
        BiasMatrix::mixture(self.rationality, &self.habit)
    }
}

/// Recorded play, by region of the state space, from which a bias is learned.
///
/// Each decision is a draw from `ρ π + (1 - ρ) ζ` with known `π`: expectation-maximisation finds `ρ` and `ζ`. A bias is
/// believed only if it explains the record better than chance would (Schwarz's criterion); otherwise the opponent is
/// taken for rational, so that adapting to an unbiased player costs nothing.
///
/// ```
/// use randori_equilibrium::bias::PlayRecord;
/// use randori_equilibrium::game::ActionId;
///
/// let mut record = PlayRecord::new(1, 3)?;
/// for _ in 0..100 {
///     record.observe(0, &[1.0 / 3.0; 3], ActionId(2))?; // scissors, every time
/// }
/// let learned = record.learn(0)?;
/// assert!(learned.rationality < 0.05 && learned.habit[2] > 0.99);
/// # Ok::<(), randori_equilibrium::bias::BiasError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayRecord {
    n_actions: usize,
    /// Per region: each decision's action and the rational probability it had.
    regions: Vec<Vec<(ActionId, f64)>>,
}

impl PlayRecord {
    /// An empty record over `n_regions` regions and `n_actions` actions of the opponent.
    pub fn new(n_regions: usize, n_actions: usize) -> Result<Self, BiasError> {
        if n_actions == 0 {
            return Err(BiasError::Empty);
        }
        Ok(Self { n_actions, regions: vec![Vec::new(); n_regions] })
    }

    /// Adds a decision: where it was made, what the rational policy was, what was done.
    pub fn observe(&mut self, region: usize, rational: &[f64], action: ActionId) -> Result<(), BiasError> {
        let count = self.regions.len();
        let decisions = self.regions.get_mut(region).ok_or(BiasError::Region { region, count })?;
        let count = self.n_actions.min(rational.len());
        if action.index() >= count {
            return Err(BiasError::Action { action, count });
        }
        decisions.push((action, rational[action.index()].clamp(0.0, 1.0)));
        Ok(())
    }

    /// How often each action was chosen in a region.
    pub fn counts(&self, region: usize) -> Result<Vec<usize>, BiasError> {
        let mut counts = vec![0; self.n_actions];
        for (action, _) in self.decisions(region)? {
            counts[action.index()] += 1;
        }
        Ok(counts)
    }

    fn decisions(&self, region: usize) -> Result<&[(ActionId, f64)], BiasError> {
        let count = self.regions.len();
        self.regions.get(region).map(Vec::as_slice).ok_or(BiasError::Region { region, count })
    }

    /// The most likely bias in a region, or a rational opponent where the record does not speak against one.
    pub fn learn(&self, region: usize) -> Result<LearnedBias, BiasError> {
        let decisions = self.decisions(region)?;
        let n = self.n_actions;
        let observations = decisions.len();
        let rational =
            LearnedBias { rationality: 1.0, habit: vec![1.0 / n as f64; n], observations, evidence: 0.0 };
        if observations == 0 {
            return Ok(rational);
        }
        // Half an observation of everything keeps zero probabilities out of the logarithms.
        let total = observations as f64 + 0.5 * n as f64;
        let mut habit: Vec<f64> = self.counts(region)?.iter().map(|&c| (c as f64 + 0.5) / total).collect();
        let mut rho = 0.5;
        for _ in 0..500 {
            let mut habitual = vec![0.5; n];
            let mut reasoned = 0.0;
            for &(action, p) in decisions {
                let share = rho * p / (rho * p + (1.0 - rho) * habit[action.index()]);
                reasoned += share;
                habitual[action.index()] += 1.0 - share;
            }
            let mass: f64 = habitual.iter().sum();
            habit.iter_mut().zip(&habitual).for_each(|(h, c)| *h = c / mass);
            let next = reasoned / observations as f64;
            let change = (next - rho).abs();
            rho = next.clamp(1e-9, 1.0 - 1e-9);
            if change < 1e-9 {
                break;
            }
        }
        let gain: f64 = decisions
            .iter()
            .map(|&(action, p)| {
                let biased = rho * p + (1.0 - rho) * habit[action.index()];
                // An action that reason never takes is worth as much evidence as one chance in a million.
                libm::log(biased / p.max(1e-6))
            })
            .sum();
        let evidence = gain - 0.5 * n as f64 * libm::log(observations as f64);
        if evidence <= 0.0 {
            return Ok(LearnedBias { evidence, ..rational });
        }
        Ok(LearnedBias { rationality: rho, habit, observations, evidence })
    }
}

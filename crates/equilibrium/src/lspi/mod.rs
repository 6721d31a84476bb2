//! Least-squares policy iteration: a value function for a game with continuous states.
//!
//! Reference: \[Wampler2010\], appendix A. Sample states; repeat: solve both players' policies at every sample with the
//! present weights; then, with the policies held, solve `r = (Φ - γ P Φ) w` in the least-squares sense by LSQR.
//!
//! Differs from the paper: the rule "stop when the residual grows" is not applied to the first comparison, for from
//! `w = 0` every matrix ties and the first policies are arbitrary. LSQR is preconditioned by the Gram matrix of the basis.
//! Samples lie in fixed shards whose partial sums are added in shard order, so that neither the number of threads nor
//! the number of processes changes a bit.

mod checkpoint;
mod program;
mod shards;

pub use checkpoint::CheckpointError;
pub(crate) use checkpoint::{Reader, sealed, unsealed};
pub use shards::{Exchange, OneProcess};

use rayon::prelude::*;

use crate::basis::{Basis, Preconditioner, ValueFunction};
use crate::game::{GameError, MarkovGame, validate};
use crate::lsqr::{LsqrSettings, LsqrStatus, lsqr};
use crate::matrix::MatrixError;
use checkpoint::Checkpoint;
use shards::{Matrix, Policies, Setup, Shard, ShardedSystem};

/// How the weights are found once the policies are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Projection {
    /// Least squares; the linear program instead where least squares gives values that no policy can reach, and near a
    /// discount of 1 where the Bellman errors it leaves say nothing of the values. Once taken, it is kept.
    #[default]
    Auto,
    /// Always least squares.
    LeastSquares,
    /// Always the linear program, which does not diverge near a discount of 1.
    LinearProgram,
}

/// From this discount on a Bellman error counts for twenty times as much of a value and more, which least squares does not
/// mind: the linear program is then the closer one.
const NEAR_ONE: f64 = 0.95;
/// It is taken where the Bellman errors that are left may stand for more than this share of the values.
const LOOSE: f64 = 0.01;
/// Up to so many functions it takes seconds.
const QUICK_PROGRAM: usize = 256;

/// How to learn a value function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LspiSettings {
    /// Random states per basis function.
    pub samples_per_basis: f64,
    /// Seed of the samples.
    pub seed: u64,
    /// Stop after so many sweeps.
    pub max_sweeps: usize,
    /// The residual has converged when it changes by no more than this share of itself.
    pub tolerance: f64,
    /// Once policy iteration has ended, so many times at most the values at the samples are backed up and fitted
    /// again. Least Bellman errors are not least errors: the fixed point of backing up and fitting lies closer to the
    /// game's values. 0 is the appendix as printed.
    pub max_backups: usize,
    /// When the inner least squares stops.
    pub lsqr: LsqrSettings,
    /// The matrix is kept if it fits into so many bytes, and otherwise made anew for every product.
    pub cache_bytes: usize,
    /// Least squares or a linear program.
    pub projection: Projection,
}

impl Default for LspiSettings {
    fn default() -> Self {
        Self {
            samples_per_basis: 12.0,
            seed: 1,
            max_sweeps: 25,
            tolerance: 1e-3,
            max_backups: 60,
            lsqr: LsqrSettings { tolerance: 1e-5, max_iterations: 1000 },
            cache_bytes: 4 << 30,
            projection: Projection::Auto,
        }
    }
}

/// Where learning happens: the other processes, and a clock for the breakdown of time.
#[derive(Clone, Copy)]
pub struct Host<'a> {
    /// How shards are divided and shared.
    pub exchange: &'a dyn Exchange,
    /// Seconds since any moment. The crate reads no clock of its own; results do not depend on it.
    pub clock: &'a (dyn Fn() -> f64 + Sync),
    /// Whether to give up, asked often, also in the middle of a sweep, which is then as if it had not begun. Having said yes
    /// it must go on to, and alike in all processes.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl Default for Host<'_> {
    fn default() -> Self {
        Self { exchange: &OneProcess, clock: &|| 0.0, stop: &|| false }
    }
}

/// Why a value function could not be learned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LspiError {
    /// The game breaks its promises.
    #[error(transparent)]
    Game(#[from] GameError),
    /// A look ahead gave a matrix that cannot be solved.
    #[error("at {state:?}: {source}")]
    Matrix {
        /// The state.
        state: Vec<f64>,
        /// What is wrong with the matrix.
        source: MatrixError,
    },
    /// Too few samples to determine anything.
    #[error("{0} samples per basis function: at least 1 is needed")]
    TooFewSamples(f64),
    /// The checkpoint cannot be resumed.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

/// What an observer wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// Stop with the weights as they are.
    Stop,
}

/// Told to an observer after every sweep, and after every backup that follows them.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// Sweeps made, from 1.
    pub sweep: usize,
    /// Backups made after the last sweep; 0 while there are sweeps.
    pub backup: usize,
    /// Root mean square of the Bellman errors at the samples, after the last sweep.
    pub residual: f64,
    /// Iterations of the inner least squares.
    pub lsqr_iterations: usize,
    learner: &'a Learner<'a>,
    /// What was learned before, as nested PCA keeps it; empty where this is all there is.
    levels: &'a [u8],
}

impl<'a> Progress<'a> {
    /// The same, told of the last step of nested PCA.
    pub(crate) fn after(self, levels: &'a [u8]) -> Self {
        Self { levels, ..self }
    }

    /// Everything that [`resume`] needs to go on from here, bit for bit: versioned, with a checksum. In nested PCA, what
    /// [`crate::nested::resume_nested`] needs.
    pub fn checkpoint(&self) -> Vec<u8> {
        let bytes = self.learner.snapshot().to_bytes();
        if self.levels.is_empty() { bytes } else { crate::nested::with_levels(self.levels, &bytes) }
    }
}

/// Why learning ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LspiStatus {
    /// The residual does not change any more.
    Converged,
    /// The residual grew; the weights are those before.
    ResidualGrew,
    /// The sweep limit came first.
    SweepLimit,
    /// The observer or the host stopped it.
    Stopped,
}

/// Seconds spent, by the host's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct PhaseSeconds {
    /// Solving both players' policies.
    pub policies: f64,
    /// Evaluating bases into the matrix.
    pub rows: f64,
    /// Least squares or linear programs.
    pub projection: f64,
}

/// A learned value function.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// The function.
    pub value: ValueFunction,
    /// Sweeps of policy iteration made.
    pub sweeps: usize,
    /// Backups made after them.
    pub backups: usize,
    /// Root mean square of the Bellman errors, sweep by sweep.
    pub residuals: Vec<f64>,
    /// Iterations of the inner least squares, all sweeps together.
    pub lsqr_iterations: usize,
    /// How often the linear program took the place of least squares.
    pub linear_programs: usize,
    /// Number of samples.
    pub samples: usize,
    /// Most bytes that the cached matrix took; zero if it was made anew for every product.
    pub matrix_bytes: usize,
    /// Where the time went.
    pub seconds: PhaseSeconds,
    /// Why it ended.
    pub status: LspiStatus,
}

/// Learns a value function over `basis`; `observer` hears of every sweep and backup.
///
/// ```
/// use randori_equilibrium::arcade::Pursuit;
/// use randori_equilibrium::basis::Basis;
/// use randori_equilibrium::game::MarkovGame;
/// use randori_equilibrium::lspi::{Control, Host, LspiSettings, learn};
///
/// let game = Pursuit::in_dimensions(1).ok_or("one dimension")?;
/// let basis = Basis::over_axes(game.axes(), &[0, 1], 8)?;
/// let learned = learn(&game, &basis, &LspiSettings::default(), Host::default(), &mut |_| Control::Continue)?;
/// // Standing on the opponent is nearly worth a reward of 1 for ever, 1 / (1 - 0.8).
/// assert!((4.5..5.1).contains(&learned.value.value(&[0.0, 0.0])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn learn(
    game: &dyn MarkovGame,
    basis: &Basis,
    settings: &LspiSettings,
    host: Host<'_>,
    observer: &mut dyn FnMut(&Progress<'_>) -> Control,
) -> Result<Learned, LspiError> {
    Learner::new(game, basis, settings, host)?.run(observer)
}

/// Goes on with learning from a checkpoint; the result has the same bits as if it had never stopped.
///
/// Game, basis and settings must be those of the first run; what can be compared is.
pub fn resume(
    game: &dyn MarkovGame,
    basis: &Basis,
    settings: &LspiSettings,
    host: Host<'_>,
    checkpoint: &[u8],
    observer: &mut dyn FnMut(&Progress<'_>) -> Control,
) -> Result<Learned, LspiError> {
    let mut learner = Learner::new(game, basis, settings, host)?;
    learner.restore(Checkpoint::from_bytes(checkpoint)?)?;
    learner.run(observer)
}

/// The function of a basis that is closest to another function, by least squares at random states.
///
/// Backing up and fitting over and over to a coarse basis adds up what it cannot hold; learned over a finer one and
/// fitted once at the end, the loss is that of one fit.
pub fn fit(
    game: &dyn MarkovGame,
    basis: &Basis,
    settings: &LspiSettings,
    host: Host<'_>,
    function: &(dyn Fn(&[f64]) -> f64 + Sync),
) -> Result<ValueFunction, LspiError> {
    let mut learner = Learner::new(game, basis, settings, host)?;
    let owned = learner.shards.par_iter_mut().filter(|shard| shard.owned);
    owned.for_each(|shard| shard.set_values(function));
    let system = learner.system(Matrix::Values);
    let mut fitted = vec![0.0; basis.len()];
    lsqr(&system, &system.targets, &mut fitted, &settings.lsqr);
    drop(system);
    learner.preconditioner.unknowns_to_weights(&mut fitted);
    Ok(ValueFunction { basis: basis.clone(), weights: fitted })
}

struct Learner<'a> {
    game: &'a dyn MarkovGame,
    basis: &'a Basis,
    settings: &'a LspiSettings,
    host: Host<'a>,
    shards: Vec<Shard>,
    n_samples: usize,
    preconditioner: Preconditioner,
    weights: Vec<f64>,
    /// The weights before the last sweep.
    last_weights: Vec<f64>,
    residuals: Vec<f64>,
    lsqr_iterations: usize,
    linear_programs: usize,
    matrix_bytes: usize,
    seconds: PhaseSeconds,
    backups: usize,
    /// How much the last backup changed the weights.
    last_change: f64,
}

/// Look-ahead tables up to this size are unfolded before the policies are solved: 8 MB, which stays in the cache.
const LARGEST_TABLE: usize = 1 << 20;
/// The same where they lie in blocks, one for each value of the discrete axes: a look ahead stays within a few of them.
const LARGEST_IN_BLOCKS: usize = 1 << 24;

impl<'a> Learner<'a> {
    fn new(
        game: &'a dyn MarkovGame,
        basis: &'a Basis,
        settings: &'a LspiSettings,
        host: Host<'a>,
    ) -> Result<Self, LspiError> {
        validate(game)?;
        if !(settings.samples_per_basis >= 1.0 && settings.samples_per_basis.is_finite()) {
            return Err(LspiError::TooFewSamples(settings.samples_per_basis));
        }
        let n_samples = libm::ceil(settings.samples_per_basis * basis.len() as f64) as usize;
        Ok(Self {
            game,
            basis,
            settings,
            host,
            shards: shards::sample(game, n_samples, settings.seed, host.exchange),
            n_samples,
            preconditioner: Preconditioner::of(basis),
            weights: vec![0.0; basis.len()],
            last_weights: vec![0.0; basis.len()],
            residuals: Vec::new(),
            lsqr_iterations: 0,
            linear_programs: 0,
            matrix_bytes: 0,
            seconds: PhaseSeconds::default(),
            backups: 0,
            last_change: f64::INFINITY,
        })
    }

    fn run(mut self, observer: &mut dyn FnMut(&Progress<'_>) -> Control) -> Result<Learned, LspiError> {
        let mut status = loop {
            if let Some(status) = self.verdict() {
                break status;
            }
            let before = self.lsqr_iterations;
            if !self.sweep()? {
                break LspiStatus::Stopped;
            }
            if observer(&self.progress(before)) == Control::Stop {
                break LspiStatus::Stopped;
            }
        };
        // Whoever goes on with backups has the better weights already.
        if status == LspiStatus::ResidualGrew && self.backups == 0 {
            std::mem::swap(&mut self.weights, &mut self.last_weights);
        }
        while status != LspiStatus::Stopped && self.backups < self.settings.max_backups {
            let before = self.lsqr_iterations;
            let goes_on = self.back_up()?;
            if (self.host.stop)() {
                status = LspiStatus::Stopped;
            }
            if !goes_on {
                break;
            }
            if observer(&self.progress(before)) == Control::Stop {
                status = LspiStatus::Stopped;
            }
        }
        Ok(Learned {
            backups: self.backups,
            value: ValueFunction { basis: self.basis.clone(), weights: self.weights },
            sweeps: self.residuals.len(),
            residuals: self.residuals,
            lsqr_iterations: self.lsqr_iterations,
            linear_programs: self.linear_programs,
            samples: self.n_samples,
            matrix_bytes: self.matrix_bytes,
            seconds: self.seconds,
            status,
        })
    }

    fn progress(&self, iterations_before: usize) -> Progress<'_> {
        Progress {
            sweep: self.residuals.len(),
            backup: self.backups,
            residual: self.residuals.last().copied().unwrap_or(0.0),
            lsqr_iterations: self.lsqr_iterations - iterations_before,
            learner: self,
            levels: &[],
        }
    }

    /// Both stopping rules of the appendix, from the third sweep on: the first comparison is with ties.
    fn verdict(&self) -> Option<LspiStatus> {
        // Residuals of programs and of least squares are not alike.
        let alike = match self.linear_programs {
            0 => self.residuals.len(),
            programs => programs.min(self.residuals.len()),
        };
        if let [_, .., last, now] = self.residuals[self.residuals.len() - alike..] {
            if (now - last).abs() <= self.settings.tolerance * last {
                return Some(LspiStatus::Converged);
            }
            if now > last {
                return Some(LspiStatus::ResidualGrew);
            }
        }
        (self.residuals.len() >= self.settings.max_sweeps).then_some(LspiStatus::SweepLimit)
    }

    /// Policies, and weights for them; false if the host gave up, and nothing has changed but the time spent.
    fn sweep(&mut self) -> Result<bool, LspiError> {
        let clock = self.host.clock;
        let start = clock();
        self.solve_policies()?;
        let policies_done = clock();
        let system = self.system(Matrix::Bellman);
        let matrix_bytes = system.cached_bytes();
        let rows_done = clock();
        let mut weights = self.weights.clone();
        let (residual, iterations, program) = self.project(&system, &mut weights);
        drop(system);
        let done = clock();
        self.seconds.policies += policies_done - start;
        self.seconds.rows += rows_done - policies_done;
        self.seconds.projection += done - rows_done;
        if (self.host.stop)() {
            return Ok(false);
        }
        self.matrix_bytes = self.matrix_bytes.max(matrix_bytes);
        self.last_weights = std::mem::replace(&mut self.weights, weights);
        self.residuals.push(residual);
        self.lsqr_iterations += iterations;
        self.linear_programs += usize::from(program);
        Ok(true)
    }

    fn system(&self, matrix: Matrix) -> ShardedSystem<'_> {
        let setup = Setup {
            game: self.game,
            basis: self.basis,
            preconditioner: &self.preconditioner,
            host: self.host,
            cache_bytes: self.settings.cache_bytes,
        };
        ShardedSystem::new(setup, &self.shards, self.n_samples, matrix)
    }

    fn solve_policies(&mut self) -> Result<(), LspiError> {
        let value = ValueFunction { basis: self.basis.clone(), weights: self.weights.clone() };
        let largest = LARGEST_TABLE.saturating_mul(self.basis.n_blocks()).min(LARGEST_IN_BLOCKS);
        let value = value.unfolded(largest.max(LARGEST_TABLE)).in_blocks();
        let (game, stop) = (self.game, self.host.stop);
        let owned = self.shards.par_iter_mut().filter(|shard| shard.owned && !stop());
        owned.try_for_each(|shard| shard.solve_policies(game, &value))
    }

    /// Backs up the values at all samples and fits the basis to them; false once that changes nothing any more.
    fn back_up(&mut self) -> Result<bool, LspiError> {
        let clock = self.host.clock;
        let start = clock();
        self.solve_policies()?;
        let policies_done = clock();
        let system = self.system(Matrix::Values);
        let rows_done = clock();
        let mut fitted = self.weights.clone();
        self.preconditioner.weights_to_unknowns(&mut fitted);
        let outcome = lsqr(&system, &system.targets, &mut fitted, &self.settings.lsqr);
        self.preconditioner.unknowns_to_weights(&mut fitted);
        let largest = fitted.iter().fold(0.0f64, |a, w| a.max(w.abs()));
        let change = fitted.iter().zip(&self.weights).fold(0.0f64, |a, (x, y)| a.max((x - y).abs()));
        drop(system);
        self.lsqr_iterations += outcome.iterations;
        let done = clock();
        self.seconds.policies += policies_done - start;
        self.seconds.rows += rows_done - policies_done;
        self.seconds.projection += done - rows_done;
        // Backups contract; where fitting undoes that, the weights before were the better ones.
        if (self.host.stop)() || change > 2.0 * self.last_change {
            return Ok(false);
        }
        self.weights = fitted;
        self.last_change = change;
        self.backups += 1;
        Ok(change > self.settings.tolerance * largest)
    }

    /// New weights with the policies held: residual, iterations, and whether a linear program found them.
    fn project(&self, system: &ShardedSystem<'_>, weights: &mut Vec<f64>) -> (f64, usize, bool) {
        let mut fitted = weights.clone();
        self.preconditioner.weights_to_unknowns(&mut fitted);
        let outcome = lsqr(system, &system.targets, &mut fitted, &self.settings.lsqr);
        self.preconditioner.unknowns_to_weights(&mut fitted);
        let residual = outcome.residual / (self.n_samples as f64).sqrt();
        if outcome.status == LsqrStatus::Abandoned {
            return (residual, outcome.iterations, false);
        }
        let is_plausible = self.is_plausible(system, &fitted);
        let wants_program = match self.settings.projection {
            Projection::Auto => self.linear_programs > 0 || !is_plausible || self.is_loose(residual, &fitted),
            Projection::LeastSquares => false,
            Projection::LinearProgram => true,
        };
        if wants_program
            && let Some(solution) =
                program::solve(system, self.basis, &self.shards, self.largest_value(system))
        {
            *weights = solution;
            return (system.residual(weights), outcome.iterations, true);
        }
        // What no policy can reach is no better than what was there before.
        if self.settings.projection != Projection::Auto || is_plausible {
            *weights = fitted;
            return (residual, outcome.iterations, false);
        }
        (system.residual(weights), outcome.iterations, false)
    }

    /// Whether Bellman errors as large as these may stand for much of the values, near a discount of 1: an error of ε
    /// everywhere is one of ε / (1 - γ) of the values.
    fn is_loose(&self, residual: f64, weights: &[f64]) -> bool {
        let rest = 1.0 - self.game.discount();
        if rest > 1.0 - NEAR_ONE + 1e-12 || self.basis.len() > QUICK_PROGRAM {
            return false;
        }
        let mut row = Default::default();
        let (mut total, mut n) = (0.0, 0.0);
        for state in self.shards.iter().flat_map(|shard| shard.states()).step_by(7) {
            self.basis.evaluate(state, &mut row);
            let value = row.dot(weights);
            total += value * value;
            n += 1.0;
        }
        residual > LOOSE * rest * f64::sqrt(total / n)
    }

    /// No policy is worth more than the largest reward for ever.
    fn largest_value(&self, system: &ShardedSystem<'_>) -> f64 {
        let largest = system.targets.iter().fold(0.0f64, |a, r| a.max(r.abs()));
        largest / (1.0 - self.game.discount()).max(1e-6)
    }

    /// Whether some policy can reach these values; cubic splines may overshoot that a little.
    fn is_plausible(&self, system: &ShardedSystem<'_>, weights: &[f64]) -> bool {
        let bound = 4.0 * self.largest_value(system);
        let mut row = Default::default();
        weights.iter().all(|w| w.is_finite())
            && self.shards.iter().flat_map(|shard| shard.states()).step_by(7).all(|state| {
                self.basis.evaluate(state, &mut row);
                row.dot(weights).abs() <= bound
            })
    }

    fn snapshot(&self) -> Checkpoint {
        Checkpoint {
            seed: self.settings.seed,
            n_samples: self.n_samples as u64,
            discount: self.game.discount(),
            weights: self.weights.clone(),
            last_weights: self.last_weights.clone(),
            residuals: self.residuals.clone(),
            lsqr_iterations: self.lsqr_iterations as u64,
            linear_programs: self.linear_programs as u64,
            matrix_bytes: self.matrix_bytes as u64,
            backups: self.backups as u64,
            last_change: self.last_change,
            supports: self.shards.iter().map(|shard| shard.policies.supports()).collect(),
        }
    }

    fn restore(&mut self, checkpoint: Checkpoint) -> Result<(), CheckpointError> {
        let same = checkpoint.weights.len() == self.weights.len()
            && checkpoint.last_weights.len() == self.weights.len()
            && checkpoint.n_samples == self.n_samples as u64
            && checkpoint.seed == self.settings.seed
            && checkpoint.discount.to_bits() == self.game.discount().to_bits()
            && checkpoint.supports.len() == self.shards.len();
        if !same {
            return Err(CheckpointError::OtherProblem);
        }
        for (shard, supports) in self.shards.iter_mut().zip(&checkpoint.supports) {
            shard.policies =
                Policies::from_supports(supports, shard.len()).ok_or(CheckpointError::OtherProblem)?;
        }
        self.weights = checkpoint.weights;
        self.last_weights = checkpoint.last_weights;
        self.residuals = checkpoint.residuals;
        self.lsqr_iterations = checkpoint.lsqr_iterations as usize;
        self.linear_programs = checkpoint.linear_programs as usize;
        self.matrix_bytes = checkpoint.matrix_bytes as usize;
        self.backups = checkpoint.backups as usize;
        self.last_change = checkpoint.last_change;
        Ok(())
    }
}

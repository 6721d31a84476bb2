//! Learning what situations are worth.
//!
//! Tag is learned by nested PCA in the order (x, z), theta, (agent node, opponent node), sword directly
//! (\[Wampler2010\], section 8).

use randori_equilibrium::basis::Basis;
use randori_equilibrium::game::MarkovGame;
use randori_equilibrium::grid::{GridError, GridValues};
use randori_equilibrium::lspi::{self, Control, Host, LspiError, LspiSettings, LspiStatus, PhaseSeconds};
use randori_equilibrium::nested::{
    LevelDone, NestedError, NestedEvent, NestedLevel, NestedSettings, learn_nested, resume_nested,
};
use randori_motion::sealed::{Broken, Seal};
use serde::Serialize;

use crate::game::{Game, Rules};
use crate::values::Values;

/// How finely to learn.
#[derive(Clone, Debug, PartialEq)]
pub struct Size {
    /// Splines along x, z and theta for tag; along the times of the agent and the opponent for sword. Sword without any has
    /// a value for every pair of moments that people come through.
    pub splines: Vec<usize>,
    /// Slices per level of nested PCA.
    pub slices: usize,
    /// Components per level at most.
    pub components: usize,
    /// Samples per function of slices, and of the whole. With fewer than ten the values of states between them are noise.
    pub samples: [f64; 2],
    /// Sweeps of policy iteration at most, in slices and over the whole.
    pub sweeps: [usize; 2],
    /// Backups over the whole at most.
    pub backups: usize,
}

impl Size {
    /// As small as it can be and still play: for tests.
    pub fn small(game: &Game) -> Size {
        let tag = Size {
            splines: vec![8, 8, 5],
            slices: 8,
            components: 5,
            samples: [12.0, 10.0],
            sweeps: [2, 2],
            backups: 2,
        };
        match game.rules {
            Rules::Tag(_) => tag,
            Rules::Sword(_) => Size { splines: Vec::new(), sweeps: [0, 0], backups: 60, ..tag },
        }
    }

    /// What the program makes on first use.
    pub fn medium(game: &Game) -> Size {
        let tag = Size {
            splines: vec![14, 14, 8],
            slices: 20,
            components: 11,
            samples: [14.0, 14.0],
            sweeps: [3, 3],
            backups: 5,
        };
        match game.rules {
            Rules::Tag(_) => tag,
            Rules::Sword(_) => Size { splines: Vec::new(), sweeps: [0, 0], backups: 60, ..tag },
        }
    }

    /// The paper's.
    pub fn paper(game: &Game) -> Size {
        let tag = Size {
            splines: vec![32, 32, 16],
            slices: 40,
            components: 27,
            samples: [12.0, 14.0],
            sweeps: [4, 4],
            backups: 10,
        };
        match game.rules {
            Rules::Tag(_) => tag,
            Rules::Sword(_) => Size { splines: vec![4, 4], samples: [0.0, 16.0], sweeps: [0, 2], ..tag },
        }
    }

    /// By name: `small`, `medium` or `paper`.
    pub fn of_name(name: &str, game: &Game) -> Option<Size> {
        match name {
            "small" => Some(Size::small(game)),
            "medium" => Some(Size::medium(game)),
            "paper" => Some(Size::paper(game)),
            _ => None,
        }
    }
}

/// What is told of learning.
pub enum Step<'a> {
    /// A level of nested PCA is done.
    Level(&'a LevelDone<'a>),
    /// A sweep over the whole is done, or a backup after them.
    Sweep(&'a lspi::Progress<'a>),
    /// All pairs of moments of a duel were backed up.
    Moments(&'a GridValues),
}

impl Step<'_> {
    /// Everything that [`learn`] needs to go on from here, bit for bit.
    pub fn checkpoint(&self) -> Vec<u8> {
        match self {
            Step::Level(done) => NestedEvent::Level(done).checkpoint(),
            Step::Sweep(progress) => progress.checkpoint(),
            Step::Moments(grid) => SEAL.close(&(grid.sweeps, grid.residual), |body| {
                grid.values().iter().for_each(|value| body.extend(value.to_le_bytes()));
            }),
        }
    }
}

const SEAL: Seal = Seal { magic: b"randmom\x1a", version: 1 };

/// Why nothing was learned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LearnError {
    /// Nested PCA failed.
    #[error(transparent)]
    Nested(#[from] NestedError),
    /// Learning directly failed.
    #[error(transparent)]
    Direct(#[from] LspiError),
    /// Backing up pairs of moments failed.
    #[error(transparent)]
    Moments(#[from] GridError),
    /// The checkpoint is none.
    #[error("not a checkpoint of this duel: {0}")]
    Checkpoint(#[from] Broken),
}

impl From<randori_equilibrium::basis::BasisError> for LearnError {
    fn from(error: randori_equilibrium::basis::BasisError) -> LearnError {
        LearnError::Nested(NestedError::Basis(error))
    }
}

/// How learning went.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lesson {
    /// `tag` or `sword`.
    pub game: String,
    /// Functions of the outer product of all axes.
    pub bases: usize,
    /// The most functions that were solved for at once.
    pub solved_at_once: usize,
    /// Levels of nested PCA.
    pub levels: Vec<NestedLevel>,
    /// Samples over the whole.
    pub samples: usize,
    /// Root mean square of the Bellman errors, sweep by sweep.
    pub residuals: Vec<f64>,
    /// Backups made after them.
    pub backups: usize,
    /// Why the sweeps ended.
    pub status: LspiStatus,
    /// Where the time went over the whole (s), by the clock that was passed in.
    pub seconds: PhaseSeconds,
}

/// Learns what situations of a game are worth; the same bits for any number of threads. Goes on from a checkpoint, if there
/// is one of the same game, size and seed.
pub fn learn(
    game: &Game,
    size: &Size,
    seed: u64,
    host: Host<'_>,
    checkpoint: Option<&[u8]>,
    observer: &mut dyn FnMut(Step<'_>) -> Control,
) -> Result<(Values, Lesson), LearnError> {
    if matches!(game.rules, Rules::Sword(_)) && size.splines.is_empty() {
        return learn_moments(game, size, host, checkpoint, observer);
    }
    let table = game.table();
    let splines = |axis: usize| size.splines.get(axis).copied().unwrap_or(4);
    let whole = LspiSettings {
        seed,
        samples_per_basis: size.samples[1],
        max_sweeps: size.sweeps[1],
        max_backups: size.backups,
        tolerance: 1e-2,
        lsqr: randori_equilibrium::lsqr::LsqrSettings { tolerance: 1e-4, max_iterations: 200 },
        ..LspiSettings::default()
    };
    let (learned, levels) = match game.rules {
        Rules::Tag(_) => {
            let slice = LspiSettings {
                samples_per_basis: size.samples[0],
                max_sweeps: size.sweeps[0],
                max_backups: 2,
                ..whole
            };
            let settings = NestedSettings {
                groups: vec![vec![0, 1], vec![2], vec![3, 4]],
                bases_per_axis: splines(0),
                other_bases: vec![(1, splines(1)), (2, splines(2))],
                slices: size.slices,
                tolerance: 1e-3,
                max_components: size.components,
                slice,
                whole,
            };
            let observer = &mut |event: NestedEvent<'_>| match event {
                NestedEvent::Level(done) => observer(Step::Level(done)),
                NestedEvent::Sweep(progress) => observer(Step::Sweep(progress)),
            };
            let nested = match checkpoint {
                Some(checkpoint) => resume_nested(&table, &settings, host, checkpoint, observer)?,
                None => learn_nested(&table, &settings, host, observer)?,
            };
            (nested.learned, nested.levels)
        }
        Rules::Sword(_) => {
            let bases = (0..4).map(|axis| Basis::on_axis(table.axes(), axis, splines(axis)));
            let basis = Basis::outer(bases.collect::<Result<_, _>>()?)?;
            let observer = &mut |it: &lspi::Progress<'_>| observer(Step::Sweep(it));
            let learned = match checkpoint {
                Some(checkpoint) => lspi::resume(&table, &basis, &whole, host, checkpoint, observer)?,
                None => lspi::learn(&table, &basis, &whole, host, observer)?,
            };
            (learned, Vec::new())
        }
    };
    let solved_at_once = levels.iter().map(|level| level.bases).chain([learned.value.basis.len()]).max();
    let values = Values::new(game, &learned.value.unfolded(usize::MAX));
    let lesson = Lesson {
        game: game.name().to_owned(),
        bases: values.len(),
        solved_at_once: solved_at_once.unwrap_or(0),
        levels,
        samples: learned.samples,
        residuals: learned.residuals.clone(),
        backups: learned.backups,
        status: learned.status,
        seconds: learned.seconds,
    };
    Ok((values, lesson))
}

/// Values change by less than this when they are found: far less than a file keeps of them.
const FOUND: f64 = 1e-9;

/// Value iteration over all pairs of moments of a duel: exact where motions keep the beat of decisions.
fn learn_moments(
    game: &Game,
    size: &Size,
    host: Host<'_>,
    checkpoint: Option<&[u8]>,
    observer: &mut dyn FnMut(Step<'_>) -> Control,
) -> Result<(Values, Lesson), LearnError> {
    let table = game.moments();
    let mut grid = GridValues::new(&table, 2)?;
    if let Some(bytes) = checkpoint {
        let ((sweeps, residual), body, at): ((usize, f64), _, _) = SEAL.open(bytes)?;
        let values = body[at..].as_chunks().0.iter().map(|number| f64::from_le_bytes(*number));
        grid = grid.with_values(values.collect(), sweeps, residual).ok_or(Broken::Other)?;
    }
    let mut residuals = Vec::new();
    let mut status = LspiStatus::SweepLimit;
    let since = (host.clock)();
    while grid.sweeps < size.backups {
        if grid.residual < FOUND {
            status = LspiStatus::Converged;
            break;
        }
        grid.sweep(&table)?;
        residuals.push(grid.residual);
        if observer(Step::Moments(&grid)) == Control::Stop || (host.stop)() {
            status = LspiStatus::Stopped;
            break;
        }
    }
    let values = Values::of_table(game, grid.values())?;
    let lesson = Lesson {
        game: game.name().to_owned(),
        bases: values.len(),
        solved_at_once: values.len(),
        levels: Vec::new(),
        samples: values.len(),
        residuals,
        backups: grid.sweeps,
        status,
        seconds: PhaseSeconds { policies: (host.clock)() - since, ..PhaseSeconds::default() },
    };
    Ok((values, lesson))
}

//! `randori game`: matrix games, finite Markov games, and games that are learned.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use clap::Subcommand;
use randori_equilibrium::lspi::{Control, Host, LspiSettings};
use randori_equilibrium::nested::NestedEvent;
use randori_equilibrium::report::{self, LearnRequest, Method};

use randori_scene::files;

use crate::output::Outcome;
use crate::progress::Progress;
use crate::source::read_text;

/// Arguments of `randori game`.
#[derive(Debug, clap::Args)]
pub(crate) struct GameArgs {
    #[command(subcommand)]
    command: GameCommand,
}

#[derive(Debug, Subcommand)]
enum GameCommand {
    /// Solve a zero-sum matrix game: what it is worth and how both should play.
    Solve {
        /// JSON: `{"rows":m,"cols":n,"payoff":[row-major]}` or an array of rows. Rows are the opponent's
        /// actions, who minimises; columns the agent's, who maximises.
        file: PathBuf,
    },
    /// Solve a finite Markov game exactly.
    Markov {
        /// JSON: `{"gamma":g,"states":[{"rows":m,"cols":n,"reward":[…],"next":[[[state,probability],…],…]},…]}`.
        file: PathBuf,
    },
    /// Learn the value function of a game with continuous states.
    Learn(LearnArgs),
}

#[derive(Debug, clap::Args)]
struct LearnArgs {
    /// The game: pendulum, pursuit-1d, pursuit-2d or pursuit-3d.
    game: String,

    /// Basis functions per axis.
    #[arg(long, default_value_t = 12)]
    bases: usize,

    /// The outer product of all axes' bases.
    #[arg(long, conflicts_with = "nested")]
    full: bool,

    /// With --full: learn with so many basis functions per axis, and fit what was learned to --bases at the end
    /// [default: 24 for games of two axes, otherwise --bases].
    #[arg(long, value_name = "N", requires = "full")]
    learn_with: Option<usize>,

    /// Nested principal components, axis by axis (the default).
    #[arg(long)]
    nested: bool,

    /// Write what is known after every level and sweep into this file, and go on from it if it is there.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
}

/// Games of two axes are learned with as many basis functions per axis, which takes seconds: with fewer, what a basis
/// cannot hold adds up from backup to backup.
const FINE_BASES: usize = 24;

/// Runs one of the subcommands.
pub(crate) fn run(args: &GameArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    match &args.command {
        GameCommand::Solve { file } => solve(file),
        GameCommand::Markov { file } => markov(file),
        GameCommand::Learn(args) => learn(args, seed, progress),
    }
}

fn solve(file: &Path) -> anyhow::Result<Outcome> {
    let report = report::solve_matrix_json(&read_text(file)?).with_context(|| file.display().to_string())?;
    let text = format!(
        "value     {}\nagent     {}\nopponent  {}\n",
        report.value,
        policy(&report.agent),
        policy(&report.opponent)
    );
    Outcome::new(&report, text)
}

fn markov(file: &Path) -> anyhow::Result<Outcome> {
    let report = report::solve_finite_json(&read_text(file)?).with_context(|| file.display().to_string())?;
    let mut text = format!("{} states, {} iterations\n", report.values.len(), report.iterations);
    for (state, value) in report.values.iter().enumerate().take(20) {
        text += &format!("  state {state}: {value}\n");
    }
    if report.values.len() > 20 {
        text += &format!("  … and {} more (--json)\n", report.values.len() - 20);
    }
    Outcome::new(&report, text)
}

fn learn(args: &LearnArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    let method = if args.full { Method::Full } else { Method::Nested };
    let n_axes = report::continuous_game(&args.game)?.axes().len();
    let usual = if n_axes <= 2 { FINE_BASES } else { args.bases };
    let learn_with = args.learn_with.unwrap_or(usual).max(args.bases);
    let request = LearnRequest { bases: args.bases, learn_with, method, seed };
    let clock = clock();
    let host = Host { clock: &clock, ..Host::default() };
    let before = match &args.checkpoint {
        Some(file) if file.exists() => Some(files::read(file)?),
        _ => None,
    };
    let job = progress.job("learning");
    let settings = LspiSettings::default();
    let most = settings.max_sweeps + settings.max_backups;
    let mut failed = None;
    let learned = report::learn_game(&args.game, &request, host, before.as_deref(), &mut |event| {
        if let NestedEvent::Sweep(sweep) = &event {
            job.step(if sweep.backup == 0 { sweep.sweep } else { settings.max_sweeps + sweep.backup }, most);
        }
        let written = args.checkpoint.as_ref().map(|file| files::write_atomically(file, &event.checkpoint()));
        match written {
            Some(Err(error)) => {
                failed = Some(error);
                Control::Stop
            }
            _ => Control::Continue,
        }
    });
    drop(job);
    if let Some(error) = failed {
        return Err(error.into());
    }
    let learned = learned.with_context(|| match &args.checkpoint {
        Some(file) if before.is_some() => format!("going on from {}", file.display()),
        _ => args.game.clone(),
    })?;
    let report = learned.report;
    let text = format!(
        "{} with {} bases ({} numbers stored), {} samples, {} sweeps and {} backups: {:?}\n\
         Bellman error {:.3e}\n",
        report.game,
        report.bases,
        report.stored_numbers,
        report.samples,
        report.sweeps,
        report.backups,
        report.status,
        report.residuals.last().copied().unwrap_or(f64::NAN)
    );
    Outcome::new(&report, text)
}

/// Seconds since the command began: for breakdowns of time, never for results.
#[expect(clippy::disallowed_methods, reason = "the command is where clocks are read")]
pub(crate) fn clock() -> impl Fn() -> f64 + Sync {
    let start = Instant::now();
    move || start.elapsed().as_secs_f64()
}

/// A policy for people: actions that are played, from 0, with their probabilities.
fn policy(probabilities: &[f64]) -> String {
    let played = probabilities.iter().enumerate().filter(|(_, probability)| **probability > 0.0);
    played.map(|(action, probability)| format!("{action}: {probability:.6}")).collect::<Vec<_>>().join("  ")
}

//! `randori library build`: a built-in library from nothing.

use std::path::PathBuf;

use clap::ValueEnum;
use randori::libraries::Builtin;
use randori_actor::{Casting, Temperament};
use randori_motion::Build;
use randori_motion::library::Stats;
use randori_scene::files;
use serde::Serialize;

use crate::output::Outcome;
use crate::source::Onto;

/// Arguments of `randori library build`.
#[derive(Debug, clap::Args)]
pub(super) struct BuildArgs {
    /// The library: builtin:boxing, builtin:run or builtin:carry.
    name: String,

    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    /// The performer's body.
    #[arg(long, value_enum, default_value_t = BodyArg::Average)]
    body: BodyArg,

    /// The performer's character.
    #[arg(long, value_enum, default_value_t = TemperamentArg::Calm)]
    temperament: TemperamentArg,

    /// How long to perform, in seconds; as long as the built-in library by default.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<f32>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum BodyArg {
    Average,
    Slim,
    Stocky,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TemperamentArg {
    Calm,
    Fierce,
}

impl BodyArg {
    pub(super) fn onto(self) -> Onto {
        match self {
            BodyArg::Average => Onto::Average,
            BodyArg::Slim => Onto::Slim,
            BodyArg::Stocky => Onto::Stocky,
        }
    }

    pub(super) fn build(self) -> Build {
        match self {
            BodyArg::Average => Build::AVERAGE,
            BodyArg::Slim => Build::SLIM,
            BodyArg::Stocky => Build::STOCKY,
        }
    }
}

#[derive(Serialize)]
struct BuildReport {
    file: PathBuf,
    bytes: usize,
    #[serde(flatten)]
    stats: Stats,
}

pub(super) fn run(args: &BuildArgs, seed: u64) -> anyhow::Result<Outcome> {
    let builtin = Builtin::from_name(&args.name)?;
    let temperament = match args.temperament {
        TemperamentArg::Calm => Temperament::Calm,
        TemperamentArg::Fierce => Temperament::Fierce,
    };
    let default = builtin.casting();
    let seconds = args.seconds.unwrap_or(default.seconds);
    let casting = Casting { build: args.body.build(), temperament, seed, seconds };
    let library = builtin.make(&casting)?;
    let bytes = library.to_bytes();
    files::write_atomically(&args.out, &bytes)?;
    let report = BuildReport { file: args.out.clone(), bytes: bytes.len(), stats: Stats::of(&library) };
    let text = format!(
        "{} ({} KB): {} actions in {:.0} s, {:.0} may follow each",
        args.out.display(),
        bytes.len().div_ceil(1000),
        report.stats.actions,
        report.stats.seconds,
        report.stats.mean_choices,
    );
    Outcome::new(&report, text)
}

/// Seconds of performance: at least a few steps, at most an hour.
fn seconds(text: &str) -> Result<f32, String> {
    let seconds: f32 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    if (5.0..=3600.0).contains(&seconds) { Ok(seconds) } else { Err("expected 5 to 3600 seconds".to_owned()) }
}

//! `randori body track`: a capture, or a walk over a library's graph, performed under physics.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use randori::libraries;
use randori_motion::library::{play, walk};
use randori_motion::{Clip, Placement};
use randori_wholebody::humanoid::Stature;
use randori_wholebody::tracking::{Reference, Settings, scenario};

use super::scenarios::{Outputs, play_and_write, span};
use crate::output::Outcome;
use crate::progress::Progress;
use crate::source::ImportArgs;

/// Arguments of `randori body track`.
#[derive(Debug, clap::Args)]
pub(crate) struct TrackArgs {
    /// The motion: a capture (.bvh, .amc, .glb ...), or a library (`builtin:boxing`, a .randori file) of which a random walk
    /// is performed.
    source: PathBuf,

    /// Where in the capture to begin, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, allow_negative_numbers = true)]
    from: f64,

    /// How much of it, in seconds; all of a capture, 20 s of a library by default.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    seconds: Option<f64>,

    /// Mass of a box between the hands, in kilograms.
    #[arg(long, value_name = "KG", default_value_t = 0.0, allow_negative_numbers = true)]
    load: f64,

    /// Torque limits relative to the average person's.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.5)]
    strength: f64,

    /// The time step, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.005, allow_negative_numbers = true)]
    dt: f64,

    #[command(flatten)]
    outputs: Outputs,

    #[command(flatten)]
    import: ImportArgs,
}

/// Performs a motion and says how it went.
pub(crate) fn run(args: &TrackArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    if !(args.strength > 0.0 && args.strength <= 100.0) {
        bail!("--strength: expected more than 0 and at most 100, found {}", args.strength);
    }
    args.outputs.check()?;
    let clip = clip(args, seed)?;
    let stature = Stature { strength: args.strength, ..Stature::default() };
    let place = || args.source.display().to_string();
    let reference = Reference::of(&clip, stature).with_context(place)?;
    let mut scenario = scenario(reference, &Settings { dt: args.dt, load: args.load }).with_context(place)?;
    let seconds = scenario.seconds();
    play_and_write(&mut scenario, seconds, &args.outputs, seed, progress)
}

fn clip(args: &TrackArgs, seed: u64) -> anyhow::Result<Clip> {
    let name = args.source.to_string_lossy();
    if name.starts_with("builtin:") || args.source.extension().is_some_and(|end| end == "randori") {
        let library = libraries::open(&name)?;
        let seconds = span(args.seconds, 20.0)?;
        let actions = walk(&library, args.from.max(0.0) + seconds, seed);
        return part(play(&library, Placement::default(), &actions)?, args.from, Some(seconds), &args.source);
    }
    let file = args.import.load(&args.source)?;
    let Some(person) = file.people.into_iter().next() else {
        bail!("{}: nobody moves in it", args.source.display());
    };
    let seconds = args.seconds.map(|seconds| span(Some(seconds), seconds)).transpose()?;
    part(person.import.clip, args.from, seconds, &args.source)
}

/// The part of a clip from a time on (s), for so long.
fn part(clip: Clip, from: f64, seconds: Option<f64>, path: &Path) -> anyhow::Result<Clip> {
    if !(from >= 0.0 && from < clip.duration()) {
        bail!("--from: expected 0 to {:.2}, the length of {}, found {from}", clip.duration(), path.display());
    }
    let fps = clip.rate().fps();
    let start = (from * fps) as usize;
    let n = seconds.map_or(clip.n_frames(), |seconds| (seconds * fps) as usize + 1);
    let end = start.saturating_add(n).min(clip.n_frames());
    clip.slice(start..end).with_context(|| format!("{}: nothing is left of it", path.display()))
}

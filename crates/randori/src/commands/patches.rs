//! `randori patches`: short interactions of two, made ahead of time for scenes of many.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::Subcommand;
use randori::{libraries, patch_takes, patterns};
use randori_arena::bodies::Bodies;
use randori_patches::making::{Discard, Made, Phase, Tolerance, make};
use randori_patches::pattern::PatternFile;
use randori_patches::tables::Counts;
use randori_patches::{PatchId, Patches, Role};
use randori_scene::files;
use randori_scene::pictures::{self, Sheet};
use serde::Serialize;

use crate::commands::game::clock;
use crate::output::{Outcome, table};
use crate::progress::Progress;

/// Arguments of `randori patches`.
#[derive(Debug, clap::Args)]
pub(crate) struct PatchesArgs {
    #[command(subcommand)]
    command: PatchesCommand,
}

#[derive(Debug, Subcommand)]
enum PatchesCommand {
    /// Find all ways in which two people of a library follow patterns, and how they can be joined.
    Build(BuildArgs),
    /// A set of patches in figures.
    Stats(StatsArgs),
    /// A patch as a contact sheet.
    Show(ShowArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: {\"patches\",\"actions\",\"bytes\",\"build_seconds\",\"patterns\":[{\"name\",\"conditions\",\"samples\",\"kept\",\"discarded\":{RULE: \
COUNT}}],\"joints\":{\"rejoins\",\"relays\",\"ends\",\"inside\"}}.")]
struct BuildArgs {
    /// builtin:NAME or a library file.
    library: String,

    /// A file of patterns, or builtin:NAME: fight-one-many, fight-one-one, football, mouse, dominoes, luggage.
    patterns: PathBuf,

    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Debug, clap::Args)]
struct StatsArgs {
    /// The file of patches.
    file: PathBuf,
}

#[derive(Debug, clap::Args)]
struct ShowArgs {
    /// The file of patches.
    file: PathBuf,

    /// Which patch, from 0.
    number: u32,

    /// The picture to write: .png.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    /// The library they were made of.
    #[arg(long, value_name = "LIBRARY")]
    library: Option<String>,
}

/// Runs one of the subcommands.
pub(crate) fn run(args: &PatchesArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    match &args.command {
        PatchesCommand::Build(args) => build(args, seed, progress),
        PatchesCommand::Stats(args) => stats(args),
        PatchesCommand::Show(args) => show(args, progress),
    }
}

#[derive(Serialize)]
struct Built {
    patches: usize,
    actions: usize,
    bytes: usize,
    build_seconds: f64,
    patterns: Vec<PatternBuilt>,
    joints: Counts,
}

#[derive(Serialize)]
struct PatternBuilt {
    name: String,
    conditions: usize,
    samples: usize,
    kept: usize,
    discarded: serde_json::Map<String, serde_json::Value>,
}

impl PatternBuilt {
    fn of(made: &Made) -> PatternBuilt {
        let counted = Discard::ALL.into_iter().filter(|it| made.discards.of(*it) > 0);
        PatternBuilt {
            name: made.pattern.clone(),
            conditions: made.conditions,
            samples: made.samples,
            kept: made.kept,
            discarded: counted.map(|it| (it.name().to_owned(), made.discards.of(it).into())).collect(),
        }
    }
}

/// Makes a set while its progress is shown.
pub(crate) fn with_progress(
    bodies: &Arc<Bodies>,
    file: &PatternFile,
    seed: u64,
    progress: &Progress,
) -> anyhow::Result<(Patches, Vec<Made>)> {
    let (patterns, tables) = (progress.job("patterns"), progress.job("tables"));
    let step = |phase: Phase, done: usize, all: usize| match phase {
        Phase::Patterns => patterns.step(done, all),
        Phase::Tables => tables.step(done, all),
    };
    Ok(make(bodies, &file.patterns, &Tolerance::default(), seed, &step)?)
}

fn build(args: &BuildArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    let text = match patterns::builtin(&args.patterns.to_string_lossy()) {
        Some(text) => text.to_owned(),
        None => String::from_utf8(files::read(&args.patterns)?)
            .with_context(|| format!("{}: expected text", args.patterns.display()))?,
    };
    let file =
        PatternFile::read(&text).map_err(|bad| anyhow::anyhow!("{}:{bad}", args.patterns.display()))?;
    let library = Arc::new(libraries::open(&args.library)?);
    let since = clock();
    let bodies = Arc::new(Bodies::of(library));
    let made = with_progress(&bodies, &file, seed, progress);
    let (set, made) = made.with_context(|| args.patterns.display().to_string())?;
    let build_seconds = since();
    let bytes = set.to_bytes();
    files::write_atomically(&args.out, &bytes)?;
    let built = Built {
        patches: set.len(),
        actions: set.n_actions(),
        bytes: bytes.len(),
        build_seconds,
        patterns: made.iter().map(PatternBuilt::of).collect(),
        joints: set.tables.counts(),
    };
    let cells = |made: &Made| {
        vec![made.pattern.clone(), made.samples.to_string(), made.kept.to_string(), made.discards.to_string()]
    };
    let rows: Vec<Vec<String>> = made.iter().map(cells).collect();
    let text = format!(
        "{}{} patches of {} actions in {build_seconds:.1} s\n{}\n{}\n",
        table(&["pattern", "samples", "kept", "discarded"], &rows),
        built.patches,
        built.actions,
        joints(&built.joints),
        args.out.display()
    );
    Outcome::new(&built, text)
}

fn joints(counts: &Counts) -> String {
    let Counts { rejoins, relays, ends, inside } = counts;
    format!(
        "joints: {rejoins} where both go on, {relays} where one does, {ends} that overlap at their ends, {inside} inside \
         others"
    )
}

#[derive(Serialize)]
struct Stats {
    library: String,
    patches: usize,
    actions: usize,
    bytes: usize,
    seconds: [f64; 2],
    patterns: Vec<PatternStats>,
    joints: Counts,
    /// Share of the patches after which both, or one of them, can go on.
    go_on: f64,
}

#[derive(Serialize)]
struct PatternStats {
    name: String,
    patches: usize,
    contacts: usize,
    mean_score: f64,
}

fn open(path: &Path) -> anyhow::Result<(Patches, usize)> {
    let bytes = files::read(path)?;
    let set = Patches::from_bytes(&bytes).with_context(|| path.display().to_string())?;
    Ok((set, bytes.len()))
}

fn stats(args: &StatsArgs) -> anyhow::Result<Outcome> {
    let (set, bytes) = open(&args.file)?;
    let lengths = || set.all().iter().map(|patch| f64::from(patch.length()) / 60.0);
    let goes_on = |id: PatchId| {
        let relays =
            |role: Role| Role::BOTH.into_iter().any(|to| set.tables.relays(id, role, to).next().is_some());
        !set.tables.rejoins(id).is_empty() || Role::BOTH.into_iter().any(relays)
    };
    let patterns = set.patterns.iter().enumerate().map(|(number, pattern)| {
        let of_it = || set.all().iter().filter(move |patch| usize::from(patch.pattern) == number);
        let n = of_it().count();
        PatternStats {
            name: pattern.name.clone(),
            patches: n,
            contacts: of_it().map(|patch| patch.contacts.len()).sum(),
            mean_score: of_it().map(|patch| f64::from(patch.score)).sum::<f64>() / n.max(1) as f64,
        }
    });
    let stats = Stats {
        library: set.library.name.clone(),
        patches: set.len(),
        actions: set.n_actions(),
        bytes,
        seconds: [lengths().fold(f64::INFINITY, f64::min), lengths().fold(0.0, f64::max)],
        patterns: patterns.collect(),
        joints: set.tables.counts(),
        go_on: set.ids().filter(|id| goes_on(*id)).count() as f64 / set.len().max(1) as f64,
    };
    let cells = |it: &PatternStats| {
        vec![
            it.name.clone(),
            it.patches.to_string(),
            it.contacts.to_string(),
            format!("{:.2}", it.mean_score),
        ]
    };
    let rows: Vec<Vec<String>> = stats.patterns.iter().map(cells).collect();
    let text = format!(
        "{}{} patches of {} actions of {}, {:.1} to {:.1} s long\n{}\n",
        table(&["pattern", "patches", "contacts", "score"], &rows),
        stats.patches,
        stats.actions,
        stats.library,
        stats.seconds[0],
        stats.seconds[1],
        joints(&stats.joints),
    );
    Outcome::new(&stats, text)
}

#[derive(Serialize)]
struct Shown {
    picture: PathBuf,
    pattern: String,
    actions: [Vec<String>; 2],
    score: f32,
}

fn show(args: &ShowArgs, progress: &Progress) -> anyhow::Result<Outcome> {
    let (set, _) = open(&args.file)?;
    let name = args.library.clone().unwrap_or_else(|| format!("builtin:{}", set.library.name));
    let library = Arc::new(libraries::open(&name)?);
    set.check_library(&library).with_context(|| args.file.display().to_string())?;
    if args.number as usize >= set.len() {
        bail!("no patch {}: {} has {}, from 0", args.number, args.file.display(), set.len());
    }
    let id = PatchId(args.number);
    let patch = set.patch(id);
    let bodies = Bodies::of(Arc::clone(&library));
    let take = patch_takes::take_of(&bodies, &set, id)?;
    let actions = [Role::First, Role::Second].map(|role| {
        patch
            .of(role)
            .stints
            .iter()
            .map(|stint| library.action(stint.action).name.clone())
            .collect::<Vec<_>>()
    });
    let pattern = set.pattern_of(id).name.clone();
    let title = format!("{}: {pattern}: {} / {}", args.number, actions[0].join(" "), actions[1].join(" "));
    let options = Sheet { title, columns: 8, rows: 2, ..Sheet::default() };
    let job = progress.job("drawing");
    let bytes = pictures::sheet(&take, &options, &mut |done, total| job.step(done, total))?;
    drop(job);
    files::write_atomically(&args.out, &bytes)?;
    let text = format!("{} ({pattern})", args.out.display());
    Outcome::new(&Shown { picture: args.out.clone(), pattern, actions, score: patch.score }, text)
}

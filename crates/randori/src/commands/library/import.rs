//! `randori library import`: captures to a library.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use randori::libraries::recording;
use randori_motion::analyse::labels::{self, Label};
use randori_motion::analyse::{Analysis, analyse, analyse_labelled};
use randori_motion::library::{Likeness, Recording, Stats, assemble};
use randori_motion::{Clip, FrameRate};
use randori_scene::files;
use rayon::prelude::*;
use serde::Serialize;

use super::DisciplineArg;
use super::build::BodyArg;
use crate::output::Outcome;
use crate::progress::Progress;
use crate::source::{ImportArgs, read_text, take_of};

/// Arguments of `randori library import`.
#[derive(Debug, clap::Args)]
pub(super) struct ImportLibraryArgs {
    /// The captures. A file NAME.labels.csv beside NAME.bvh replaces what the analyser finds in it.
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// What they show.
    #[arg(long, value_enum, default_value_t = DisciplineArg::General)]
    discipline: DisciplineArg,

    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    /// The body that performs them.
    #[arg(long, value_enum, default_value_t = BodyArg::Average)]
    body: BodyArg,

    /// How far apart like postures may be: root mean square of the joints, in metres.
    #[arg(long, value_name = "METRES", default_value_t = Likeness::default().distance)]
    likeness: f32,

    #[command(flatten)]
    import: ImportArgs,
}

#[derive(Serialize)]
struct ImportReport {
    file: PathBuf,
    bytes: usize,
    takes: Vec<TakeReport>,
    #[serde(flatten)]
    stats: Stats,
}

#[derive(Serialize)]
struct TakeReport {
    name: String,
    seconds: f64,
    actions: usize,
    labelled: bool,
    warnings: Vec<String>,
}

pub(super) fn run(args: &ImportLibraryArgs, progress: &Progress) -> anyhow::Result<Outcome> {
    if !(args.likeness > 0.0 && args.likeness <= 1.0) {
        bail!("--likeness {}: expected above 0 and at most 1 metre", args.likeness);
    }
    let job = progress.job("analysing");
    let done = std::sync::atomic::AtomicUsize::new(0);
    let found = args.files.par_iter().map(|path| {
        let takes = analysed(&args.import, path, args.body, args.discipline);
        job.step(done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1, args.files.len());
        takes
    });
    let found: Vec<Vec<Analysed>> = found.collect::<anyhow::Result<_>>()?;
    drop(job);
    let found: Vec<Analysed> = found.into_iter().flatten().collect();
    let takes: Vec<TakeReport> = found.iter().map(Analysed::report).collect();
    let recordings: Vec<Recording> =
        found.into_iter().map(|take| recording(take.clip, take.analysis)).collect();
    let likeness = Likeness { distance: args.likeness, ..Likeness::default() };
    let name = args.out.file_stem().unwrap_or_default().to_string_lossy();
    let library = assemble(&name, args.discipline.name(), args.body.build(), &recordings, &likeness)?;
    let library = match args.discipline.settings().weapon {
        Some(weapon) => library.armed(weapon),
        None => library,
    };
    let bytes = library.to_bytes();
    files::write_atomically(&args.out, &bytes)?;

    let report =
        ImportReport { file: args.out.clone(), bytes: bytes.len(), takes, stats: Stats::of(&library) };
    let mut notes: Vec<String> = Vec::new();
    for take in &report.takes {
        notes.extend(take.warnings.iter().map(|warning| format!("warning: {}: {warning}", take.name)));
    }
    if report.stats.actions == 0 {
        notes.push("warning: the library is empty: no action can be left and come back to".to_owned());
    }
    let text = format!(
        "{}: {} actions from {} takes ({:.0} s), {:.1} may follow each; {:.0} % can be left and come back to",
        args.out.display(),
        report.stats.actions,
        report.takes.len(),
        report.stats.seconds,
        report.stats.mean_choices,
        100.0 * report.stats.strongly_connected,
    );
    Ok(Outcome::new(&report, text)?.with_notes(notes))
}

/// One person of a capture on the library's body, cut into actions.
pub(super) struct Analysed {
    pub(super) clip: Clip,
    pub(super) analysis: Analysis,
    labelled: bool,
    warnings: Vec<String>,
}

impl Analysed {
    fn report(&self) -> TakeReport {
        TakeReport {
            name: self.clip.name.clone(),
            seconds: self.clip.duration(),
            actions: self.analysis.segments.len(),
            labelled: self.labelled,
            warnings: self.warnings.clone(),
        }
    }
}

/// Everybody in a capture. Labels beside the file are used instead of the analyser's own cuts.
pub(super) fn analysed(
    import: &ImportArgs,
    path: &Path,
    body: BodyArg,
    discipline: DisciplineArg,
) -> anyhow::Result<Vec<Analysed>> {
    let labels = sidecar(path);
    let labels = if labels.is_file() { Some(read_labels(&labels)?) } else { None };
    let takes = on_library_body(import, path, body)?;
    if labels.is_some() && takes.len() > 1 {
        bail!("{}: labels are for one person; the file holds {}", path.display(), takes.len());
    }
    let settings = discipline.settings();
    let analyse_one = |(clip, mut warnings): (Clip, Vec<String>)| {
        let analysis = match &labels {
            Some(labels) => analyse_labelled(&clip, &settings, labels),
            None => analyse(&clip, &settings),
        };
        let analysis = analysis.with_context(|| path.display().to_string())?;
        warnings.extend(analysis.warnings.iter().map(ToString::to_string));
        Ok(Analysed { clip, analysis, labelled: labels.is_some(), warnings })
    };
    takes.into_iter().map(analyse_one).collect()
}

/// Everybody in a capture, on the library's body at its rate, with what was odd about reading them.
pub(super) fn on_library_body(
    import: &ImportArgs,
    path: &Path,
    body: BodyArg,
) -> anyhow::Result<Vec<(Clip, Vec<String>)>> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let made = take_of(import.load(path)?, &name, body.onto(), Some(FrameRate::HOUSE))
        .with_context(|| path.display().to_string())?;
    let one = made.take.characters.len() == 1;
    let clip = |character: randori_motion::Character| {
        let mut clip = character.clip;
        clip.name = if one { name.clone() } else { format!("{name}-{}", character.name) };
        (clip, made.warnings.clone())
    };
    Ok(made.take.characters.into_iter().map(clip).collect())
}

/// Where the labels of a capture are looked for.
pub(super) fn sidecar(path: &Path) -> PathBuf {
    path.with_extension("labels.csv")
}

pub(super) fn read_labels(path: &Path) -> anyhow::Result<Vec<Label>> {
    labels::read(&read_text(path)?).with_context(|| path.display().to_string())
}

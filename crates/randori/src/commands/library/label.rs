//! `randori library label`: what the analyser finds, for a person to correct.

use std::path::PathBuf;

use anyhow::bail;
use randori_motion::FrameRate;
use randori_motion::analyse::analyse;
use randori_motion::analyse::labels;
use randori_scene::files;
use serde::Serialize;

use super::DisciplineArg;
use super::build::BodyArg;
use super::import::{on_library_body, sidecar};
use crate::output::Outcome;
use crate::source::ImportArgs;

/// Arguments of `randori library label`.
#[derive(Debug, clap::Args)]
pub(super) struct LabelArgs {
    /// The capture of one person.
    file: PathBuf,

    /// The CSV file to write; by default NAME.labels.csv beside the capture, where `library import` finds it.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Write over labels that are there already.
    #[arg(long)]
    force: bool,

    /// What it shows.
    #[arg(long, value_enum, default_value_t = DisciplineArg::General)]
    discipline: DisciplineArg,

    #[command(flatten)]
    import: ImportArgs,
}

#[derive(Serialize)]
struct LabelReport {
    labels: PathBuf,
    segments: usize,
    seconds: f64,
}

pub(super) fn run(args: &LabelArgs) -> anyhow::Result<Outcome> {
    let out = args.out.clone().unwrap_or_else(|| sidecar(&args.file));
    if out.exists() && !args.force {
        bail!("{}: is there already, perhaps corrected by hand; --force writes over it", out.display());
    }
    let mut people = on_library_body(&args.import, &args.file, BodyArg::Average)?;
    let (Some((clip, mut warnings)), true) = (people.pop(), people.is_empty()) else {
        bail!("{}: labels are for one person", args.file.display());
    };
    let analysis = analyse(&clip, &args.discipline.settings())?;
    warnings.extend(analysis.warnings.iter().map(ToString::to_string));
    let labels = labels::of_segments(&analysis.segments, FrameRate::HOUSE.fps());
    files::write_atomically(&out, labels::write(&labels).as_bytes())?;
    let report =
        LabelReport { labels: out.clone(), segments: analysis.segments.len(), seconds: clip.duration() };
    let text = format!("{}: {} segments in {:.1} s", out.display(), report.segments, report.seconds);
    let notes = warnings.iter().map(|warning| format!("warning: {}: {warning}", args.file.display()));
    Ok(Outcome::new(&report, text)?.with_notes(notes.collect()))
}

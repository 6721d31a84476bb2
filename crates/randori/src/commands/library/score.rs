//! `randori library score`: the analyser against what was meant.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use randori::libraries::{Builtin, Recipe, settings_of};
use randori_actor::{Casting, Performance};
use randori_motion::FrameRate;
use randori_motion::analyse::labels::Label;
use randori_motion::analyse::score::Score;
use randori_motion::analyse::{Segment, analyse};
use randori_motion::library::{ActionLibrary, LibraryError};
use randori_scene::files;
use rayon::prelude::*;
use serde::Serialize;

use super::DisciplineArg;
use super::build::BodyArg;
use super::import::{on_library_body, read_labels};
use crate::output::Outcome;
use crate::source::ImportArgs;

/// Arguments of `randori library score`.
#[derive(Debug, clap::Args)]
pub(super) struct ScoreArgs {
    /// builtin:NAME or a library built from it, scored against the performer's own script; or a capture, scored
    /// against --labels.
    source: String,

    /// Labels made by hand: CSV with the columns start_s, end_s, peak_s, label, confidence, note.
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,

    /// What the capture shows.
    #[arg(long, value_enum, default_value_t = DisciplineArg::Boxing)]
    discipline: DisciplineArg,

    #[command(flatten)]
    import: ImportArgs,
}

#[derive(Serialize)]
struct ScoreReport {
    boundary_f1: f64,
    label_accuracy: f64,
    attack_f1: f64,
    named: f64,
    reaction_f1: f64,
    reaction_accuracy: f64,
}

pub(super) fn run(args: &ScoreArgs, seed: u64) -> anyhow::Result<Outcome> {
    let score = match (args.source.starts_with("builtin:"), &args.labels) {
        (true, None) => {
            let builtin = Builtin::from_name(&args.source)?;
            of_script(builtin, &Casting { seed, ..builtin.casting() })?
        }
        (true, Some(_)) => bail!("--labels is for captures; a built-in library has its script"),
        (false, Some(labels)) => of_labels(args, Path::new(&args.source), labels)?,
        (false, None) => match ActionLibrary::from_bytes(&files::read(Path::new(&args.source))?) {
            Err(LibraryError::NotALibrary) => {
                bail!("{}: name the labels made by hand with --labels", args.source)
            }
            Err(error) => bail!("{}: {error}", args.source),
            Ok(library) => match Recipe::of(&library) {
                Some(recipe) => of_script(recipe.builtin, &recipe.casting)?,
                None => bail!("{}: made of captures; score those, with --labels", args.source),
            },
        },
    };
    let text = format!(
        "strokes found within 0.1 s: F1 {:.3}\nattacks found within 0.2 s: F1 {:.3}\n\
        names right: {:.1} % of strokes, {:.1} % of everything\n\
        reactions found within 0.2 s: F1 {:.3}, names right: {:.1} %",
        score.boundary_f1,
        score.attack_f1,
        100.0 * score.label_accuracy,
        100.0 * score.named,
        score.reaction_f1,
        100.0 * score.reaction_accuracy
    );
    let report = ScoreReport {
        boundary_f1: score.boundary_f1,
        label_accuracy: score.label_accuracy,
        attack_f1: score.attack_f1,
        named: score.named,
        reaction_f1: score.reaction_f1,
        reaction_accuracy: score.reaction_accuracy,
    };
    Outcome::new(&report, text)
}

fn of_labels(args: &ScoreArgs, capture: &Path, labels: &Path) -> anyhow::Result<Score> {
    let labels = read_labels(labels)?;
    let mut people = on_library_body(&args.import, capture, BodyArg::Average)?;
    let (Some((clip, _)), true) = (people.pop(), people.is_empty()) else {
        bail!("{}: labels are for one person", capture.display());
    };
    let analysis =
        analyse(&clip, &args.discipline.settings()).with_context(|| capture.display().to_string())?;
    Ok(Score::of(&analysis.segments, FrameRate::HOUSE.fps(), &labels))
}

/// Every take is moved behind the one before, so that all are scored as one.
fn of_script(builtin: Builtin, casting: &Casting) -> anyhow::Result<Score> {
    let performances = builtin.perform(casting);
    let found = performances.par_iter().map(|(performance, discipline)| {
        analyse(&performance.clip, &settings_of(performance, *discipline)).map(|analysis| analysis.segments)
    });
    let found: Vec<Vec<Segment>> = found.collect::<Result<_, _>>()?;
    let (mut segments, mut labels, mut frames) = (Vec::new(), Vec::new(), 0);
    for ((performance, _), found) in performances.iter().zip(found) {
        segments.extend(found.into_iter().map(|segment| later(segment, frames)));
        labels.extend(script(performance, frames as f64 * FrameRate::HOUSE.dt()));
        // A second apart, so that nothing matches across takes.
        frames += performance.clip.n_frames() + 60;
    }
    Ok(Score::of(&segments, FrameRate::HOUSE.fps(), &labels))
}

fn later(segment: Segment, frames: usize) -> Segment {
    let range = segment.frames.start + frames..segment.frames.end + frames;
    Segment { frames: range, peak: segment.peak.map(|peak| peak + frames), windows: Vec::new(), ..segment }
}

fn script(performance: &Performance, from: f64) -> impl Iterator<Item = Label> + '_ {
    performance.script.iter().map(move |beat| Label {
        start: from + f64::from(beat.start),
        end: from + f64::from(beat.end),
        peak: beat.peak.map(|peak| from + f64::from(peak)),
        annotation: beat.annotation.clone(),
        confidence: 1.0,
        note: String::new(),
    })
}

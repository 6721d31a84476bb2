//! `randori check`: faults of anybody's GLB, as a table or as JSON.

use std::path::{Path, PathBuf};

use anyhow::Context;
use randori_motion::formats::gltf::Document;
use randori_scene::check::{self, Finding, Footage, Limits, Report};
use serde::Serialize;

use crate::output::{FileProblem, Outcome, describe_error, table};
use crate::progress::Progress;
use crate::source;

/// Arguments of `randori check`.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// GLB or glTF files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Frames per second to look at; frame numbers in the report count at this rate.
    #[arg(long, default_value_t = 60.0)]
    fps: f64,

    /// TOML file with limits to apply instead of the defaults, such as `foot_slide_cm = 3`.
    #[arg(long, value_name = "FILE")]
    limits: Option<PathBuf>,

    /// How many findings to list per file.
    #[arg(long, default_value_t = 20)]
    most: usize,
}

#[derive(Serialize)]
struct CheckReport {
    pass: bool,
    files: Vec<FileReport>,
    /// Files that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<String>,
}

#[derive(Serialize)]
struct FileReport {
    file: String,
    /// Which of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    animation: Option<String>,
    pass: bool,
    #[serde(flatten)]
    report: Report,
}

/// Runs the linter over every file.
pub(crate) fn run(args: &CheckArgs, progress: &Progress) -> anyhow::Result<Outcome> {
    let limits = match &args.limits {
        None => Limits::default(),
        Some(path) => {
            toml::from_str(&source::read_text(path)?).with_context(|| path.display().to_string())?
        }
    };
    limits.validate()?;
    let job = progress.job("checking");
    let (mut files, mut errors) = (Vec::new(), Vec::new());
    for (done, path) in args.files.iter().enumerate() {
        match check_file(path, args.fps, &limits) {
            Ok(found) => files.extend(found),
            Err(error) if args.files.len() == 1 => return Err(error),
            Err(error) => errors.push(describe_error(&error)),
        }
        job.step(done + 1, args.files.len());
    }
    drop(job);
    let pass = errors.is_empty() && files.iter().all(|file| file.pass);
    let text: String = files.iter().map(|file| describe(file, args.most)).collect();
    let notes = errors.iter().map(|error| format!("failed: {error}")).collect();
    Ok(Outcome::new(&CheckReport { pass, files, errors }, text)?.with_notes(notes).good_if(pass))
}

/// One report for each alternative animation of a file.
fn check_file(path: &Path, fps: f64, limits: &Limits) -> anyhow::Result<Vec<FileReport>> {
    let bytes = randori_scene::files::read(path)?;
    let document =
        Document::parse(&bytes, &source::beside(path)).map_err(|error| FileProblem::new(path, error))?;
    let footages = Footage::of_gltf(&document, fps).with_context(|| path.display().to_string())?;
    let several = footages.len() > 1;
    let report = |(animation, footage): (Option<String>, Footage)| {
        let report = check::check(&footage, limits);
        let animation = animation.filter(|_| several);
        FileReport { file: path.display().to_string(), animation, pass: report.passes(), report }
    };
    Ok(footages.into_iter().map(report).collect())
}

fn describe(file: &FileReport, most: usize) -> String {
    let report = &file.report;
    let mut text = format!(
        "{}{}: {} in {:.2} s: {}\n",
        file.file,
        file.animation.as_ref().map(|animation| format!(" ({animation})")).unwrap_or_default(),
        plural(report.characters.len(), "character"),
        report.seconds,
        if file.pass { "clean".to_owned() } else { plural(report.findings.len(), "finding") },
    );
    let header = [
        "",
        "slide p50",
        "p95",
        "max cm",
        "skate cm/s",
        "sink cm",
        "pops",
        "peak m/s²",
        "jumps",
        "knee",
        "elbow °",
        "wrong way °",
        "stretch mm",
    ];
    let rows: Vec<Vec<String>> = (report.characters.iter())
        .map(|character| {
            let (feet, body) = (&character.feet, &character.body);
            let slide = |idx: usize| {
                feet.foot_slide_cm_p50_p95_max.map_or("-".to_owned(), |s| format!("{:.1}", s[idx]))
            };
            let skate = feet.skate_cm_per_s.iter().copied().fold(0.0, f64::max);
            let wrong_way = body.knee_hyperextension_deg_max.max(body.elbow_hyperextension_deg_max);
            vec![
                character.name.clone(),
                slide(0),
                slide(1),
                slide(2),
                format!("{skate:.1}"),
                feet.foot_sink_cm_max.map_or("-".to_owned(), |sink| format!("{sink:.1}")),
                body.pops.to_string(),
                format!("{:.0}", body.peak_acceleration_m_s2),
                body.root_jumps.to_string(),
                format!("{:.0}", body.knee_flexion_deg_max),
                format!("{:.0}", body.elbow_flexion_deg_max),
                format!("{wrong_way:.0}"),
                format!("{:.2}", body.bone_stretch_mm),
            ]
        })
        .collect();
    text += &table(&header, &rows);
    for pair in &report.pairs {
        text += &format!(
            "{} × {}: closest {:.2} m, torsos {:.1} cm inside each other at most, {:.1} % of frames over 3 cm\n",
            pair.pair[0],
            pair.pair[1],
            pair.closest_hips_m,
            pair.core_penetration_cm_max,
            pair.frames_core_deeper_3cm_percent
        );
    }
    for finding in report.findings.iter().take(most) {
        text += &describe_finding(finding);
    }
    if report.findings.len() > most {
        text += &format!("  … and {} more (--most, --json)\n", report.findings.len() - most);
    }
    text + "\n"
}

fn describe_finding(finding: &Finding) -> String {
    let Finding { frames: [first, last], value, limit, unit, .. } = finding;
    let whom = finding.whom.as_ref().map(|whom| format!(" × {whom}")).unwrap_or_default();
    let part = finding.part.as_ref().map(|part| format!(" {part}")).unwrap_or_default();
    let frames = if first == last { format!("frame {first}") } else { format!("frames {first}-{last}") };
    // `Debug` spells kinds in one word; people read two.
    let kind = serde_json::to_value(finding.kind).ok();
    let kind = kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or_default().replace('_', " ");
    format!("  {kind}: {}{whom}{part}, {frames}: {value:.1} {unit} (limit {limit} {unit})\n", finding.who)
}

fn plural(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

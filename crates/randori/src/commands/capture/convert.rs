//! `randori capture convert`: captures to GLB or BVH.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, bail};
use clap::ValueEnum;
use randori_motion::formats::bvh::WriteOptions;
use randori_motion::{FrameRate, Take, retarget};
use randori_scene::{export, files};
use rayon::prelude::*;
use serde::Serialize;

use crate::output::{Outcome, table};
use crate::progress::Progress;
use crate::source::{ImportArgs, Made, Onto, take_of};

#[derive(Debug, clap::Args)]
pub(super) struct ConvertArgs {
    /// The files: BVH, AMC (with their ASF beside them), glTF or GLB, FBX.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The file to write; its end (.glb, .bvh) tells the format.
    #[arg(short, long, value_name = "FILE", conflicts_with = "out_dir", required_unless_present = "out_dir")]
    out: Option<PathBuf>,

    /// The folder to write into, one file per input.
    #[arg(long, value_name = "DIR")]
    out_dir: Option<PathBuf>,

    /// The format to write with --out-dir.
    #[arg(long, value_enum, default_value_t = Target::Glb)]
    to: Target,

    /// The body to put the motion on; by default `fitted` for GLB and `own` for BVH.
    #[arg(long, value_enum)]
    onto: Option<Onto>,

    /// Poses per second to write; the capture's own by default.
    #[arg(long, value_name = "FPS")]
    resample: Option<f64>,

    /// Also write joint positions of ten frames beside each file, as `NAME.positions.json`.
    #[arg(long)]
    positions: bool,

    #[command(flatten)]
    import: ImportArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Target {
    Glb,
    Bvh,
}

#[derive(Serialize)]
struct ConvertReport {
    converted: usize,
    failed: usize,
    files: Vec<FileReport>,
}

#[derive(Serialize)]
struct FileReport {
    file: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    written: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    seconds: f64,
    characters: Vec<CharacterReport>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct CharacterReport {
    name: String,
    frames: usize,
    fps: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    retarget: Option<retarget::Report>,
}

pub(super) fn run(args: &ConvertArgs, progress: &Progress) -> anyhow::Result<Outcome> {
    let resample = match args.resample {
        None => None,
        Some(fps) => {
            Some(FrameRate::from_fps(fps).with_context(|| format!("--resample {fps}: not a frame rate"))?)
        }
    };
    let targets = targets(args)?;
    if let [(source, path, target)] = targets.as_slice() {
        // One file: its error is the command's.
        let file = convert(args, source, path, *target, resample)?;
        let text = describe(std::slice::from_ref(&file));
        return Outcome::new(&ConvertReport { converted: 1, failed: 0, files: vec![file] }, text);
    }

    let job = progress.job("converting");
    let done = AtomicUsize::new(0);
    let files: Vec<FileReport> = (targets.par_iter())
        .map(|(source, path, target)| {
            let report = convert(args, source, path, *target, resample).unwrap_or_else(|error| FileReport {
                file: source.display().to_string(),
                written: Vec::new(),
                error: Some(format!("{error:#}")),
                seconds: 0.0,
                characters: Vec::new(),
                warnings: Vec::new(),
            });
            job.step(done.fetch_add(1, Ordering::Relaxed) + 1, targets.len());
            report
        })
        .collect();
    drop(job);
    let failed = files.iter().filter(|file| file.error.is_some()).count();
    let text = describe(&files);
    let report = ConvertReport { converted: files.len() - failed, failed, files };
    Ok(Outcome::new(&report, text)?.good_if(failed == 0))
}

/// Each input with the file it becomes.
fn targets(args: &ConvertArgs) -> anyhow::Result<Vec<(PathBuf, PathBuf, Target)>> {
    if let Some(out) = &args.out {
        let [source] = args.files.as_slice() else {
            bail!("--out names one file, but {} are to be converted; use --out-dir", args.files.len());
        };
        let end = out.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
        let target = match end.as_deref() {
            Some("glb") => Target::Glb,
            Some("bvh") => Target::Bvh,
            _ => bail!("{}: expected a name that ends in .glb or .bvh", out.display()),
        };
        return Ok(vec![(source.clone(), out.clone(), target)]);
    }
    let Some(folder) = &args.out_dir else { bail!("expected --out or --out-dir") };
    let end = match args.to {
        Target::Glb => "glb",
        Target::Bvh => "bvh",
    };
    let mut targets = Vec::new();
    let mut taken = std::collections::BTreeMap::new();
    for source in &args.files {
        let name = source.file_stem().with_context(|| format!("{}: expected a file", source.display()))?;
        let path = folder.join(name).with_extension(end);
        if let Some(other) = taken.insert(path.clone(), source) {
            bail!("{} and {} would both become {}", other.display(), source.display(), path.display());
        }
        targets.push((source.clone(), path, args.to));
    }
    Ok(targets)
}

fn convert(
    args: &ConvertArgs,
    source: &Path,
    path: &Path,
    target: Target,
    resample: Option<FrameRate>,
) -> anyhow::Result<FileReport> {
    let onto = args.onto.unwrap_or(match target {
        Target::Glb => Onto::Fitted,
        Target::Bvh => Onto::Own,
    });
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let file = args.import.load(source)?;
    let made = take_of(file, &name, onto, resample).with_context(|| source.display().to_string())?;
    let mut written = Vec::new();
    for (path, bytes) in outputs(&made, path, target)? {
        files::write_atomically(&path, &bytes)?;
        written.push(path.display().to_string());
    }
    if args.positions {
        let path = path.with_extension("positions.json");
        let positions = positions(&made.take)?;
        files::write_atomically(&path, &positions)?;
        written.push(path.display().to_string());
    }
    Ok(report(source, written, made))
}

/// The files that a take becomes: one GLB, or a BVH per character.
fn outputs(made: &Made, path: &Path, target: Target) -> anyhow::Result<Vec<(PathBuf, Vec<u8>)>> {
    let take = &made.take;
    match target {
        Target::Glb => Ok(vec![(path.to_owned(), export::glb(take, &export::GlbOptions::default())?)]),
        Target::Bvh => {
            let texts = export::bvh(
                take,
                // A file that began with its rest pose keeps it, and so the numbers of its frames.
                &WriteOptions { rest_row: made.had_rest_row, ..WriteOptions::default() },
            )?;
            let several = texts.len() > 1;
            let file = |(name, text): (String, String)| {
                let path = match several {
                    true => path.with_extension(format!("{}.bvh", file_safe(&name))),
                    false => path.to_owned(),
                };
                (path, text.into_bytes())
            };
            Ok(texts.into_iter().map(file).collect())
        }
    }
}

/// A character's name as part of a file's name.
fn file_safe(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '_' }).collect()
}

fn positions(take: &Take) -> anyhow::Result<Vec<u8>> {
    const FPS: f64 = 60.0;
    let last = (take.duration() * FPS) as usize;
    let frames: Vec<usize> = (0..10).map(|step| step * last / 9).collect();
    Ok(serde_json::to_vec(&export::joint_positions(take, FPS, &frames))?)
}

fn report(source: &Path, written: Vec<String>, made: Made) -> FileReport {
    let characters = (made.take.characters.iter().zip(made.retargets))
        .map(|(character, retarget)| CharacterReport {
            name: character.name.clone(),
            frames: character.clip.n_frames(),
            fps: character.clip.rate().fps(),
            retarget,
        })
        .collect();
    FileReport {
        file: source.display().to_string(),
        written,
        error: None,
        seconds: made.take.duration(),
        characters,
        warnings: made.warnings.iter().map(|warning| warning.to_string()).collect(),
    }
}

fn describe(files: &[FileReport]) -> String {
    let header = ["", "s", "fps", "error cm", "skate cm/s before", "after", "written"];
    let mut rows = Vec::new();
    let mut notes = String::new();
    for file in files {
        if let Some(error) = &file.error {
            notes += &format!("failed: {error}\n");
        }
        for warning in &file.warnings {
            notes += &format!("warning: {}: {warning}\n", file.file);
        }
        for character in &file.characters {
            let centimetres = |value: fn(&retarget::Report) -> f32| {
                character
                    .retarget
                    .as_ref()
                    .map_or("-".to_owned(), |report| format!("{:.1}", 100.0 * value(report)))
            };
            rows.push(vec![
                character.name.clone(),
                format!("{:.2}", file.seconds),
                format!("{}", character.fps),
                centimetres(|report| report.mean_error),
                centimetres(|report| report.skate_before),
                centimetres(|report| report.skate_after),
                file.written.first().cloned().unwrap_or_default(),
            ]);
        }
    }
    table(&header, &rows) + &notes
}

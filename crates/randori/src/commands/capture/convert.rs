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

use crate::output::{Outcome, describe_error, table};
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

    /// The body to put the motion on; by default `fitted` for GLB and USD, `own` for BVH.
    #[arg(long, value_enum)]
    onto: Option<Onto>,

    /// Poses per second to write; the capture's own by default.
    #[arg(long, value_name = "FPS")]
    resample: Option<f64>,

    /// Metres per unit of BVH files to write; by default the unit of the BVH that was read, or metres.
    #[arg(long, value_name = "METRES")]
    unit: Option<f64>,

    /// Also write joint positions of ten frames beside each file, as `NAME.positions.json`.
    #[arg(long)]
    positions: bool,

    #[command(flatten)]
    import: ImportArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Target {
    Glb,
    Usda,
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
    #[serde(skip)]
    written: String,
    frames: usize,
    fps: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    retarget: Option<retarget::Report>,
}

pub(super) fn run(args: &ConvertArgs, progress: &Progress) -> anyhow::Result<Outcome> {
    let resample = match args.resample {
        None => None,
        Some(fps) if (1.0..=1000.0).contains(&fps) => FrameRate::from_fps(fps),
        Some(fps) => bail!("--resample {fps}: expected between 1 and 1000"),
    };
    let targets = targets(args)?;
    if let [(source, path, target)] = targets.as_slice() {
        // One file: its error is the command's.
        let file = convert(args, source, path, *target, resample)?;
        let text = describe(std::slice::from_ref(&file));
        let notes = notes(std::slice::from_ref(&file));
        let report = ConvertReport { converted: 1, failed: 0, files: vec![file] };
        return Ok(Outcome::new(&report, text)?.with_notes(notes));
    }

    let job = progress.job("converting");
    let done = AtomicUsize::new(0);
    let files: Vec<FileReport> = (targets.par_iter())
        .map(|(source, path, target)| {
            let report = convert(args, source, path, *target, resample).unwrap_or_else(|error| FileReport {
                file: source.display().to_string(),
                written: Vec::new(),
                error: Some(describe_error(&error)),
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
    let (text, notes) = (describe(&files), notes(&files));
    let report = ConvertReport { converted: files.len() - failed, failed, files };
    Ok(Outcome::new(&report, text)?.with_notes(notes).good_if(failed == 0))
}

/// Each input with the file it becomes. No input is written over.
fn targets(args: &ConvertArgs) -> anyhow::Result<Vec<(PathBuf, PathBuf, Target)>> {
    let targets = named_targets(args)?;
    let inputs: Vec<PathBuf> = args.files.iter().filter_map(|file| file.canonicalize().ok()).collect();
    for (_, path, _) in &targets {
        if path.canonicalize().is_ok_and(|path| inputs.contains(&path)) {
            bail!("{}: is one of the files to convert; choose another name or folder", path.display());
        }
    }
    Ok(targets)
}

fn named_targets(args: &ConvertArgs) -> anyhow::Result<Vec<(PathBuf, PathBuf, Target)>> {
    if let Some(out) = &args.out {
        let [source] = args.files.as_slice() else {
            bail!("--out names one file, but {} are to be converted; use --out-dir", args.files.len());
        };
        let end = out.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
        let target = match end.as_deref() {
            Some("glb") => Target::Glb,
            Some("usda") => Target::Usda,
            Some("bvh") => Target::Bvh,
            _ => bail!("{}: expected a name that ends in .glb, .usda or .bvh", out.display()),
        };
        return Ok(vec![(source.clone(), out.clone(), target)]);
    }
    let Some(folder) = &args.out_dir else { bail!("expected --out or --out-dir") };
    let end = match args.to {
        Target::Glb => "glb",
        Target::Usda => "usda",
        Target::Bvh => "bvh",
    };
    let mut targets = Vec::new();
    let mut taken = std::collections::BTreeMap::new();
    for source in &args.files {
        let name = source.file_stem().with_context(|| format!("{}: expected a file", source.display()))?;
        let path = folder.join(format!("{}.{end}", name.to_string_lossy()));
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
        Target::Glb | Target::Usda => Onto::Fitted,
        Target::Bvh => Onto::Own,
    });
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let file = args.import.load(source)?;
    let made = take_of(file, &name, onto, resample).with_context(|| source.display().to_string())?;
    let mut outputs = outputs(args, &made, path, target)?;
    if args.positions {
        outputs.push((sibling(path, "positions.json"), positions(&made.take)?));
    }
    let mut written: Vec<PathBuf> = Vec::new();
    for (path, bytes) in &outputs {
        if let Err(error) = files::write_atomically(path, bytes) {
            // All of it or nothing.
            for path in &written {
                std::fs::remove_file(path).ok();
            }
            return Err(error.into());
        }
        written.push(path.clone());
    }
    Ok(report(source, &written, made))
}

/// The files that a take becomes: one GLB or USD, or a BVH per character.
fn outputs(
    args: &ConvertArgs,
    made: &Made,
    path: &Path,
    target: Target,
) -> anyhow::Result<Vec<(PathBuf, Vec<u8>)>> {
    match target {
        Target::Glb => {
            return Ok(vec![(path.to_owned(), export::glb(&made.take, &export::GlbOptions::default())?)]);
        }
        Target::Usda => return Ok(vec![(path.to_owned(), export::usd(&made.take)?.into_bytes())]),
        Target::Bvh => {}
    }
    let metres_per_unit = args.unit.unwrap_or(made.bvh.metres_per_unit);
    let texts = export::bvh(&made.take, &WriteOptions { metres_per_unit, ..made.bvh.clone() })?;
    let several = texts.len() > 1;
    let mut taken = std::collections::BTreeSet::new();
    let file = |(name, text): (String, String)| {
        let mut safe = file_safe(&name);
        while !taken.insert(safe.clone()) {
            safe.push('_');
        }
        let path = if several { sibling(path, &format!("{safe}.bvh")) } else { path.to_owned() };
        (path, text.into_bytes())
    };
    Ok(texts.into_iter().map(file).collect())
}

/// A file beside `path`, named after it with another end.
fn sibling(path: &Path, end: &str) -> PathBuf {
    path.with_file_name(format!("{}.{end}", path.file_stem().unwrap_or_default().to_string_lossy()))
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

fn report(source: &Path, written: &[PathBuf], made: Made) -> FileReport {
    let written: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
    let characters = (made.take.characters.iter().zip(made.retargets).enumerate())
        .map(|(idx, (character, retarget))| CharacterReport {
            name: character.name.clone(),
            written: written.get(idx).or(written.first()).cloned().unwrap_or_default(),
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
        warnings: made.warnings,
    }
}

fn describe(files: &[FileReport]) -> String {
    let header = ["", "s", "fps", "error cm", "skate cm/s before", "after", "written"];
    let mut rows = Vec::new();
    for file in files {
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
                character.written.clone(),
            ]);
        }
    }
    table(&header, &rows)
}

/// Failures and warnings, for stderr.
fn notes(files: &[FileReport]) -> Vec<String> {
    let mut notes = Vec::new();
    for file in files {
        notes.extend(file.error.iter().map(|error| format!("failed: {error}")));
        notes.extend(file.warnings.iter().map(|warning| format!("warning: {}: {warning}", file.file)));
    }
    notes
}

//! `randori run`: a scene file in, a scene out.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::bail;
use randori_motion::Take;
use randori_motion::formats::bvh::WriteOptions;
use randori_scene::director::{Director, Libraries, Report, made_at_once};
use randori_scene::pictures::{self, Animation};
use randori_scene::refine::{self, refine};
use randori_scene::screenplay::{Camera, Screenplay};
use randori_scene::{contacts, export, files};
use serde::Serialize;

use crate::output::{Outcome, table};
use crate::progress::Progress;
use crate::supplies::Supplies;

/// Arguments of `randori run`.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The scene file (docs/scenes.md).
    scene: PathBuf,

    /// The scene to write: .glb, .usda, or .bvh with one file for each character.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// An animated picture of it: .gif, .apng, .mp4 (feature `mp4`).
    #[arg(long, value_name = "FILE")]
    video: Option<PathBuf>,

    /// Write with every decision what was considered, what it was worth, and what was left out by which criterion.
    #[arg(long)]
    explain: bool,

    /// Leave the take as it was planned: feet, fists and bodies are not put right.
    #[arg(long)]
    raw: bool,
}

#[derive(Serialize)]
struct RunReport {
    #[serde(flatten)]
    scene: Report,
    /// Time spent on playing, without pictures (s).
    run_seconds: f64,
    files: Vec<PathBuf>,
}

/// Plays a scene file.
pub(crate) fn run(args: &RunArgs, seed: Option<u64>, progress: &Progress) -> anyhow::Result<Outcome> {
    let mut scene = read_scene(&args.scene)?;
    scene.seed = seed.unwrap_or(scene.seed);
    let mut supplies = Supplies::default();
    // Pictures lie beside the scene file.
    let picture = |name: &str| Ok(files::read(&args.scene.with_file_name(name))?);
    supplies.gather(&scene, &picture, progress)?;
    let libraries = supplies.libraries;
    #[expect(clippy::disallowed_methods, reason = "the command may look at the clock")]
    let start = Instant::now();
    let since = move || start.elapsed().as_secs_f64();
    let (mut take, mut report) = play(&scene, &libraries, args.explain, Some(Box::new(since)), progress)?;
    if !args.raw {
        report.refinement = Some(refine(&mut take, &refine::Settings::of(&scene)));
    }
    contacts::note(&mut take);
    let run_seconds = since();

    let mut written = Vec::new();
    if let Some(path) = &args.out {
        write_take(path, &take)?;
        written.push(path.clone());
    }
    if let Some(path) = &args.video {
        write_video(path, &take, (scene.camera, &report.cuts), progress)?;
        written.push(path.clone());
    }
    let text = describe(&report, run_seconds, &written);
    Outcome::new(&RunReport { scene: report, run_seconds, files: written }, text)
}

/// Reads a scene file.
pub(crate) fn read_scene(path: &Path) -> anyhow::Result<Screenplay> {
    let bytes = files::read(path)?;
    Ok(Screenplay::parse(&path.display().to_string(), &bytes)?)
}

/// Plays a scene from beginning to end.
pub(crate) fn play(
    scene: &Screenplay,
    libraries: &Libraries,
    explain: bool,
    clock: Option<Box<dyn Fn() -> f64 + Send>>,
    progress: &Progress,
) -> anyhow::Result<(Take, Report)> {
    if let Some(made) = made_at_once(scene, libraries)? {
        return Ok(made);
    }
    let mut director = Director::new(scene, libraries)?;
    director.bout.explain = explain;
    director.clock = clock;
    let job = progress.job("playing");
    let hundredths = |seconds: f64| (100.0 * seconds) as usize;
    while director.step() {
        job.step(hundredths(director.now()), hundredths(director.end()));
    }
    drop(job);
    Ok(director.finish()?)
}

/// Writes a take by the ending of its file.
pub(crate) fn write_take(path: &Path, take: &Take) -> anyhow::Result<()> {
    match path.extension().and_then(|it| it.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("glb") => files::write_atomically(path, &export::glb(take, &export::GlbOptions::default())?)?,
        Some("usda") => files::write_atomically(path, export::usd(take)?.as_bytes())?,
        Some("bvh") => {
            let texts = export::bvh(take, &WriteOptions::default())?;
            let is_alone = texts.len() == 1;
            for (name, text) in texts {
                let stem = path.with_extension("");
                let path =
                    if is_alone { path.to_owned() } else { format!("{}.{name}.bvh", stem.display()).into() };
                files::write_atomically(&path, text.as_bytes())?;
            }
        }
        _ => bail!("{}: scenes are written as .glb, .usda or .bvh", path.display()),
    }
    Ok(())
}

/// Writes an animated picture of a take by the ending of its file: seen from one camera, and after cuts (s) from others.
pub(crate) fn write_video(
    path: &Path,
    take: &Take,
    (camera, cuts): (Camera, &[(f64, Camera)]),
    progress: &Progress,
) -> anyhow::Result<()> {
    let format = super::render::animation_format(path)?;
    let job = progress.job("video");
    let options = Animation { camera: camera.of(take), ..Animation::default() };
    let cuts: Vec<_> = cuts.iter().map(|(at, camera)| (*at, camera.of(take))).collect();
    let bytes = pictures::film(take, format, &options, &cuts, &mut |done, total| job.step(done, total))?;
    drop(job);
    files::write_atomically(path, &bytes)?;
    Ok(())
}

fn describe(report: &Report, run_seconds: f64, written: &[PathBuf]) -> String {
    let header =
        ["who", "controller", "attacks", "defences", "head", "torso", "stopped", "damage", "distance (m)"];
    let rows: Vec<Vec<String>> = (report.characters.iter().take(12))
        .map(|it| {
            vec![
                it.name.clone(),
                it.controller.clone(),
                it.attacks.to_string(),
                it.defences.to_string(),
                it.hits_given.head.to_string(),
                it.hits_given.torso.to_string(),
                it.hits_given.limbs.to_string(),
                format!("{:.1}", it.damage_given),
                format!("{:.2}", it.mean_distance),
            ]
        })
        .collect();
    let mut text = format!(
        "{}: {:.1} s played in {run_seconds:.1} s, {} decisions\n{}",
        report.name,
        report.seconds,
        report.decisions,
        table(&header, &rows)
    );
    if report.characters.len() > rows.len() {
        text += &format!("… and {} more (--json tells all)\n", report.characters.len() - rows.len());
    }
    let responses = report.refinement.iter().flat_map(|it| &it.responses);
    let (kept, taken_back): (Vec<_>, Vec<_>) = responses.partition(|it| it.kept);
    if kept.len() + taken_back.len() > 0 {
        text += &format!(
            "{} struck bodies simulated, {} of them shown\n",
            kept.len() + taken_back.len(),
            kept.len()
        );
    }
    for path in written {
        text += &format!("{}\n", path.display());
    }
    text
}

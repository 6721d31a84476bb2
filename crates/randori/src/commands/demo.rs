//! `randori demo`: the main job on nothing but this program.

use std::path::{Path, PathBuf};

use anyhow::Context;
use randori_actor::sparring;
use randori_motion::{Event, EventKind, Take};
use randori_scene::check::{Footage, Limits, check};
use randori_scene::director::contend;
use randori_scene::pictures::{self, Animation, Moments, Sheet};
use randori_scene::refine::{self, refine};
use randori_scene::render::{Angle, Camera};
use randori_scene::screenplay::Screenplay;
use randori_scene::{export, files};
use randori_studio::Settings;
use serde::Serialize;

use crate::commands::studio::{Shelf, serve};
use crate::output::Outcome;
use crate::progress::Progress;
use crate::supplies::Supplies;

/// Arguments of `randori demo`.
#[derive(Debug, clap::Args)]
pub(crate) struct DemoArgs {
    /// The folder to write into.
    #[arg(long, value_name = "DIR", default_value = "randori-demo")]
    out: PathBuf,

    /// Do not open the studio when done.
    #[arg(long)]
    no_open: bool,
}

#[derive(Serialize)]
struct DemoReport {
    scene: PathBuf,
    animation: PathBuf,
    sheet: PathBuf,
    /// Scenes of rivals with wits, each with a sheet of pictures beside it.
    rivals: Vec<PathBuf>,
    seed: u64,
    seconds: f64,
    characters: Vec<String>,
    hits: usize,
    blocked: usize,
    /// What the linter finds.
    findings: usize,
}

/// Makes a scene, draws it, writes everything and says where.
pub(crate) fn run(args: &DemoArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    let take = sparring(seed);
    let path = |name: &str| args.out.join(name);
    let report = DemoReport {
        scene: path("demo.glb"),
        animation: path("demo.gif"),
        sheet: path("demo.png"),
        rivals: RIVALS.iter().map(|(name, _)| path(&format!("{name}.glb"))).collect(),
        seed,
        seconds: take.duration(),
        characters: take.characters.iter().map(|character| character.name.clone()).collect(),
        hits: take.events.iter().filter(|event| event.kind == EventKind::Hit).count(),
        blocked: take.events.iter().filter(|event| event.kind == EventKind::Blocked).count(),
        findings: check(&Footage::of_take(&take, 60.0)?, &Limits::default()).findings.len(),
    };

    files::write_atomically(&report.scene, &export::glb(&take, &export::GlbOptions::default())?)?;
    let job = progress.job("sheet");
    let sheet = pictures::sheet(&take, &sheet_options(&take), &mut |done, total| job.step(done, total))?;
    drop(job);
    files::write_atomically(&report.sheet, &sheet)?;
    let job = progress.job("animation");
    let options = Animation { camera: Camera::Whole(Angle::across(&take)), ..Animation::default() };
    let mut step = |done, total| job.step(done, total);
    let animation = pictures::animation(&take, pictures::Format::Gif, &options, &mut step)?;
    drop(job);
    files::write_atomically(&report.animation, &animation)?;

    for ((name, text), file) in RIVALS.iter().zip(&report.rivals) {
        rivals(name, text, file, progress)?;
    }

    let text = format!(
        "{} spar for {:.1} s: {} blows land, {} are blocked; the linter finds {} faults\n\
         scene      {}   (Blender, Godot, three.js, …)\n\
         animation  {}\n\
         sheet      {}\n\
         rivals     {}\n",
        report.characters.join(" and "),
        report.seconds,
        report.hits,
        report.blocked,
        report.findings,
        report.scene.display(),
        report.animation.display(),
        report.sheet.display(),
        report.rivals.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
    );
    if !args.no_open && is_terminal() {
        progress.note(&text);
        let mut shelf = Shelf::default();
        let first = Some(shelf.add(&report.scene)?);
        return serve(Settings { first, ..Settings::on_port(0) }, shelf, false, progress);
    }
    Outcome::new(&report, text)
}

/// Scenes of rivals that come with the program.
const RIVALS: [(&str, &str); 2] = [
    ("tag", include_str!("../../../../scenes/tag.toml")),
    ("sword-wits", include_str!("../../../../scenes/sword-wits.toml")),
];

/// Plays a scene of rivals with values that are learned in seconds; writes it, and pictures of it beside it.
fn rivals(name: &'static str, text: &str, file: &Path, progress: &Progress) -> anyhow::Result<()> {
    let scene = Screenplay::parse(&format!("{name}.toml"), text.as_bytes())?;
    let wanted = scene.rivals.as_ref().context("a scene of rivals")?;
    let mut supplies = Supplies::default();
    supplies.gather_rivals(wanted, "small", progress)?;
    let (mut take, _) = contend(&scene, &supplies.libraries)?.context("a scene of rivals")?;
    refine(&mut take, &refine::Settings::of(&scene));
    files::write_atomically(file, &export::glb(&take, &export::GlbOptions::default())?)?;
    let job = progress.job(name);
    let sheet = Sheet {
        columns: 6,
        rows: 4,
        camera: Camera::Follow(Angle::across(&take)),
        title: format!("randori demo: {name}"),
        ..Sheet::default()
    };
    let picture = pictures::sheet(&take, &sheet, &mut |done, total| job.step(done, total))?;
    files::write_atomically(&file.with_extension("png"), &picture)?;
    Ok(())
}

/// Four pictures around each blow that meets something.
fn sheet_options(take: &Take) -> Sheet {
    let met = |event: &&Event| matches!(event.kind, EventKind::Hit | EventKind::Blocked);
    let blows =
        take.events.iter().filter(met).flat_map(|event| [-0.25, -0.08, 0.0, 0.3].map(|dt| event.t + dt));
    let moments: Vec<f64> = blows.collect();
    Sheet {
        columns: 4,
        rows: (moments.len() / 4) as u32,
        cell_width: 300,
        cell_height: 210,
        camera: Camera::Follow(Angle { margin: 0.05, pitch: 0.14, ..Angle::across(take) }),
        title: format!("randori demo: {}", take.name),
        moments: Moments::At(moments),
        ..Sheet::default()
    }
}

fn is_terminal() -> bool {
    use std::io::IsTerminal;
    std::io::stdout().is_terminal()
}

//! `randori library sheet`: what a library holds, at a glance.

use std::path::PathBuf;

use anyhow::bail;
use randori::libraries::nearest_first;
use randori_motion::library::{ActionId, ActionLibrary, play};
use randori_motion::{Annotation, Clip, FrameRate, Placement, Pose};
use randori_scene::files;
use randori_scene::pictures::{self, Moments, Sheet};
use randori_scene::render::{Angle, Camera, Style};
use serde::Serialize;

use crate::output::Outcome;
use crate::progress::Progress;

/// Arguments of `randori library sheet`.
#[derive(Debug, clap::Args)]
pub(super) struct SheetArgs {
    /// A library file, or builtin:NAME.
    library: String,

    /// The picture to write: .png.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    /// The annotations to show; all by default.
    #[arg(long, value_name = "NAME")]
    annotation: Vec<String>,

    /// Which of an annotation's actions to show, from 1.
    #[arg(long, value_name = "N", default_value_t = 1)]
    number: usize,

    /// Pictures across.
    #[arg(long, value_name = "N", default_value_t = 8)]
    #[arg(value_parser = clap::value_parser!(u32).range(2..=32))]
    columns: u32,

    /// Pixels across and down each picture.
    #[arg(long, value_name = "PIXELS", default_value_t = 120)]
    #[arg(value_parser = clap::value_parser!(u32).range(16..=512))]
    size: u32,

    /// Where the camera stands, in degrees from straight ahead towards the performer's left.
    #[arg(long, value_name = "DEGREES", default_value_t = 60.0, allow_hyphen_values = true)]
    heading: f32,
}

#[derive(Serialize)]
struct SheetReport {
    picture: PathBuf,
    actions: Vec<String>,
}

/// Frames for which an action's first and last pose are held.
const STILL: usize = 45;
/// Rows of one picture.
const MOST_ROWS: usize = 64;

pub(super) fn run(args: &SheetArgs, progress: &Progress) -> anyhow::Result<Outcome> {
    let library = super::open(&args.library)?;
    let shown = args.shown(&library)?;
    let names: Vec<String> = shown.iter().map(|id| library.action(*id).name.clone()).collect();
    let (clip, moments) = one_after_the_other(&library, &shown, args.columns as usize)?;
    // Room for what is held.
    let margin = if library.body().held().is_some() { 0.2 } else { 0.05 };
    let angle = Angle { heading: args.heading.to_radians(), pitch: 0.1, margin, ..Angle::default() };
    let options = Sheet {
        columns: args.columns,
        rows: names.len() as u32,
        cell_width: args.size,
        cell_height: args.size,
        camera: Camera::Moment(angle),
        style: Style { clock: false, ..Style::default() },
        title: library.name.clone(),
        row_titles: names.clone(),
        moments: Moments::At(moments),
    };
    let job = progress.job("drawing");
    let take = super::alone(&library, clip, 0);
    let bytes = pictures::sheet(&take, &options, &mut |done, total| job.step(done, total))?;
    drop(job);
    files::write_atomically(&args.out, &bytes)?;
    let text = format!("{} ({} actions)", args.out.display(), names.len());
    Outcome::new(&SheetReport { picture: args.out.clone(), actions: names }, text)
}

impl SheetArgs {
    fn shown(&self, library: &ActionLibrary) -> anyhow::Result<Vec<ActionId>> {
        let mut known: Vec<&Annotation> = library.actions().iter().map(|action| &action.annotation).collect();
        known.sort_by_key(|annotation| (annotation.stem(), annotation.name()));
        known.dedup();
        for name in &self.annotation {
            if !known.iter().any(|annotation| annotation.name() == name) {
                let names = known.iter().map(|annotation| annotation.name().to_owned()).collect();
                let near: Vec<String> = nearest_first(name, names).into_iter().take(5).collect();
                bail!("no annotation \"{name}\" in library {}; near are {}", library.name, near.join(", "));
            }
        }
        // Of words that tell what is carried, one load has to do if all of them are too many.
        if self.annotation.is_empty() && known.len() > MOST_ROWS {
            known.dedup_by_key(|annotation| annotation.stem());
        }
        let asked = |annotation: &&Annotation| {
            self.annotation.is_empty() || self.annotation.iter().any(|name| name == annotation.name())
        };
        let one = |annotation: &Annotation| {
            let mut same = library.ids().filter(|id| library.action(*id).annotation == *annotation);
            let first = same.next();
            if self.number > 1 { same.nth(self.number - 2).or(first) } else { first }
        };
        let shown: Vec<ActionId> = known.into_iter().filter(asked).filter_map(one).collect();
        match shown.len() {
            0 => bail!("library {} is empty", library.name),
            n if n > MOST_ROWS => bail!("{n} annotations; name at most {MOST_ROWS} by --annotation"),
            _ => Ok(shown),
        }
    }
}

/// The actions, each begun at the origin, in one clip, with evenly spread moments of each.
fn one_after_the_other(
    library: &ActionLibrary,
    actions: &[ActionId],
    n_moments: usize,
) -> anyhow::Result<(Clip, Vec<f64>)> {
    let mut poses: Vec<Pose> = Vec::new();
    let mut moments = Vec::new();
    for id in actions {
        let clip = play(library, Placement::default(), &[*id])?;
        // The camera looks a little ahead and behind; it shall see nobody else there.
        poses.extend(std::iter::repeat_n(clip.frame(0).to_pose(), STILL));
        let last = (clip.n_frames() - 1) as f64;
        let frame = |k: usize| poses.len() as f64 + last * k as f64 / (n_moments - 1) as f64;
        moments.extend((0..n_moments).map(|k| frame(k).floor() * FrameRate::HOUSE.dt()));
        poses.extend(clip.frames().map(|pose| pose.to_pose()));
        poses.extend(std::iter::repeat_n(clip.frame(clip.n_frames() - 1).to_pose(), STILL));
    }
    let skeleton = library.body().skeleton.clone();
    Ok((Clip::from_poses(&library.name, skeleton, FrameRate::HOUSE, poses)?, moments))
}

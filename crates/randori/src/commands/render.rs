//! `randori render`: a still, a contact sheet or an animation of a scene or a capture.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, bail};
use clap::ValueEnum;
use randori_motion::library::play;
use randori_motion::{EventKind, FrameRate, Placement, Take};
use randori_scene::files;
use randori_scene::pictures::{self, Animation, Moments, Sheet, Still};
use randori_scene::render::{Angle, Camera, Quality, Style};
use serde::Serialize;

use crate::commands::library;
use crate::output::Outcome;
use crate::progress::Progress;
use crate::source::{ImportArgs, Onto, take_of};

/// Arguments of `randori render`.
#[derive(Debug, clap::Args)]
pub(crate) struct RenderArgs {
    /// The scene or capture: GLB, glTF, BVH, AMC, FBX. Or an action of a library: boxing.randori/left-jab-3,
    /// builtin:boxing/left-jab-3.
    file: PathBuf,

    /// The picture to write: .png (a still, or a sheet with --sheet), .gif, .apng, .mp4 (feature `mp4`).
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    /// A contact sheet of so many pictures, such as 6x3.
    #[arg(long, value_name = "COLUMNSxROWS", conflicts_with = "at")]
    sheet: Option<Pair>,

    /// Rows of the sheet show the moments around hits and blocks.
    #[arg(long, requires = "sheet", conflicts_with_all = ["from", "to"])]
    around_hits: bool,

    /// The moment of a still, in seconds; the middle by default.
    #[arg(long, value_name = "SECONDS")]
    at: Option<f64>,

    /// The first moment of an animation or a sheet, in seconds.
    #[arg(long, value_name = "SECONDS")]
    from: Option<f64>,

    /// The last moment of an animation or a sheet, in seconds.
    #[arg(long, value_name = "SECONDS")]
    to: Option<f64>,

    /// Pixels across and down: of the picture, or of each picture of a sheet.
    #[arg(long, value_name = "WIDTHxHEIGHT")]
    size: Option<Pair>,

    /// Pictures per second of an animation.
    #[arg(long, value_name = "FPS", default_value_t = 25.0)]
    rate: f64,

    /// Whether the camera moves along or stands where it sees everything.
    #[arg(long, value_enum)]
    camera: Option<CameraArg>,

    /// Where the camera stands around the scene, in degrees: 0 is in front of somebody who faces +Z.
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true)]
    heading: Option<f32>,

    /// How far above the horizon the camera stands, in degrees.
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true)]
    pitch: Option<f32>,

    /// Samples at edges.
    #[arg(long, value_enum)]
    quality: Option<QualityArg>,

    /// Write the characters' names above their heads.
    #[arg(long)]
    names: bool,

    /// The body to show captures on.
    #[arg(long, value_enum, default_value_t = Onto::Own)]
    onto: Onto,

    #[command(flatten)]
    import: ImportArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum CameraArg {
    Follow,
    Whole,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum QualityArg {
    Draft,
    Normal,
    Fine,
}

/// Two whole numbers with an x between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pair(u32, u32);

impl FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> Result<Pair, String> {
        let parse = || {
            let (a, b) = text.split_once(['x', 'X', '×'])?;
            Some(Pair(a.trim().parse().ok()?, b.trim().parse().ok()?))
        };
        parse().ok_or_else(|| "expected two whole numbers such as 640x360".to_owned())
    }
}

#[derive(Serialize)]
struct RenderReport {
    picture: PathBuf,
    kind: &'static str,
    bytes: usize,
    seconds: f64,
    characters: usize,
}

/// Draws and writes one picture.
pub(crate) fn run(args: &RenderArgs, progress: &Progress) -> anyhow::Result<Outcome> {
    let name = args.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let kind = kind_of(&args.out)?;
    let action = action_of_library(&args.file)?;
    // An action is over before a still has said anything.
    let grid = args.sheet.or((action.is_some() && args.at.is_none()).then_some(ACTION_SHEET));
    let (take, warnings) = match action {
        Some(take) => (take, Vec::new()),
        None => {
            let made = take_of(args.import.load(&args.file)?, &name, args.onto, None)
                .with_context(|| args.file.display().to_string())?;
            (made.take, made.warnings)
        }
    };
    let take = &take;
    let job = progress.job("drawing");
    let mut step = |done, total| job.step(done, total);
    let (kind, bytes) = match (kind, grid) {
        (Kind::Png, Some(grid)) => ("sheet", pictures::sheet(take, &args.sheet(take, grid), &mut step)?),
        (Kind::Png, None) => {
            ("still", pictures::still(take, args.at.unwrap_or(0.5 * take.duration()), &args.still())?)
        }
        (Kind::Animation(_), None) if args.at.is_some() => bail!("--at is for a .png; use --from and --to"),
        (Kind::Animation(_), Some(_)) if args.sheet.is_some() => {
            bail!("{}: a sheet is a .png", args.out.display())
        }
        (Kind::Animation(format), _) => {
            ("animation", pictures::animation(take, format, &args.animation()?, &mut step)?)
        }
    };
    drop(job);
    files::write_atomically(&args.out, &bytes)?;
    let report = RenderReport {
        picture: args.out.clone(),
        kind,
        bytes: bytes.len(),
        seconds: take.duration(),
        characters: take.characters.len(),
    };
    let text = format!("{} ({}, {} KB)", args.out.display(), kind, bytes.len().div_ceil(1000));
    let notes = warnings.iter().map(|warning| format!("warning: {}: {warning}", args.file.display()));
    Ok(Outcome::new(&report, text)?.with_notes(notes.collect()))
}

/// Pictures of one action.
const ACTION_SHEET: Pair = Pair(6, 2);

/// What `LIBRARY/ACTION` names; `None` if the path is no such thing.
fn action_of_library(path: &Path) -> anyhow::Result<Option<Take>> {
    let (Some(library), Some(action)) = (path.parent().and_then(Path::to_str), path.file_name()) else {
        return Ok(None);
    };
    if !(library.starts_with("builtin:") || Path::new(library).is_file()) {
        return Ok(None);
    }
    let library = library::open(library)?;
    let id = library::find_action(&library, &action.to_string_lossy())?;
    let mut clip = play(&library, Placement::default(), &[id])?;
    clip.name = action.to_string_lossy().into_owned();
    Ok(Some(library::alone(&library, clip, 0)))
}

enum Kind {
    Png,
    Animation(pictures::Format),
}

/// The format of an animation by the end of its name.
pub(super) fn animation_format(path: &Path) -> anyhow::Result<pictures::Format> {
    match kind_of(path)? {
        Kind::Animation(format) => Ok(format),
        Kind::Png => bail!("{}: expected a name that ends in .gif, .apng or .mp4", path.display()),
    }
}

fn kind_of(path: &Path) -> anyhow::Result<Kind> {
    let end = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    match end.as_deref() {
        Some("png") => Ok(Kind::Png),
        Some("apng") => Ok(Kind::Animation(pictures::Format::Apng)),
        Some("gif") => Ok(Kind::Animation(pictures::Format::Gif)),
        #[cfg(feature = "mp4")]
        Some("mp4") => Ok(Kind::Animation(pictures::Format::Mp4)),
        #[cfg(not(feature = "mp4"))]
        Some("mp4") => bail!("{}: this program was built without the feature `mp4`", path.display()),
        _ => bail!("{}: expected a name that ends in .png, .gif, .apng or .mp4", path.display()),
    }
}

impl RenderArgs {
    fn sheet(&self, take: &Take, Pair(columns, rows): Pair) -> Sheet {
        let default = Sheet::default();
        let Pair(cell_width, cell_height) =
            self.size.unwrap_or(Pair(default.cell_width, default.cell_height));
        let moments = match (self.around_hits, self.to) {
            (true, _) => {
                Moments::Around { kinds: vec![EventKind::Hit, EventKind::Blocked], before: 0.4, after: 0.6 }
            }
            (false, None) if self.from.is_none() => Moments::Whole,
            (false, to) => Moments::Between(self.from.unwrap_or(0.0), to.unwrap_or(take.duration())),
        };
        let title = take.name.clone();
        let (camera, style) = (self.camera(default.camera), self.style(default.style));
        let row_titles = Vec::new();
        Sheet { columns, rows, cell_width, cell_height, camera, style, title, row_titles, moments }
    }

    fn still(&self) -> Still {
        let default = Still::default();
        let Pair(width, height) = self.size.unwrap_or(Pair(default.width, default.height));
        Still { width, height, camera: self.camera(default.camera), style: self.style(default.style) }
    }

    fn animation(&self) -> anyhow::Result<Animation> {
        let default = Animation::default();
        let Pair(width, height) = self.size.unwrap_or(Pair(default.width, default.height));
        let rate = FrameRate::from_fps(self.rate)
            .with_context(|| format!("--rate {}: not a frame rate", self.rate))?;
        let (camera, style) = (self.camera(default.camera), self.style(default.style));
        Ok(Animation { width, height, rate, from: self.from.unwrap_or(0.0), to: self.to, camera, style })
    }

    fn camera(&self, default: Camera) -> Camera {
        let turned = |angle: Angle| Angle {
            heading: self.heading.map_or(angle.heading, f32::to_radians),
            pitch: self.pitch.map_or(angle.pitch, f32::to_radians),
            ..angle
        };
        match (self.camera, default) {
            (Some(CameraArg::Follow), other) => Camera::Follow(turned(other.angle().unwrap_or_default())),
            (Some(CameraArg::Whole), other) => Camera::Whole(turned(other.angle().unwrap_or_default())),
            (None, Camera::Whole(angle)) => Camera::Whole(turned(angle)),
            (None, Camera::Moment(angle)) => Camera::Moment(turned(angle)),
            (None, Camera::Steady(angle)) => Camera::Steady(turned(angle)),
            (None, Camera::Follow(angle)) => Camera::Follow(turned(angle)),
            (None, Camera::Fixed(view)) => Camera::Fixed(view),
        }
    }

    fn style(&self, default: Style) -> Style {
        let quality = match self.quality {
            None => default.quality,
            Some(QualityArg::Draft) => Quality::Draft,
            Some(QualityArg::Normal) => Quality::Normal,
            Some(QualityArg::Fine) => Quality::Fine,
        };
        Style { quality, names: self.names, ..default }
    }
}

//! Files in: any capture or scene, as characters ready to be shown or exported.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::ValueEnum;
use randori_motion::formats::gltf::{self, ImportedCharacter};
use randori_motion::formats::{self, Format, Import, ImportOptions, UpAxis, Warning, asf};
use randori_motion::names::{self, BoneOverride};
use randori_motion::retarget::{self, fitted_skeleton, retarget};
use randori_motion::take::Color;
use randori_motion::{Body, Build, Character, Clip, Event, FrameRate, Skeleton, Take};
use randori_scene::files;

use crate::output::FileProblem;

/// How to read captures.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reading captures")]
pub(crate) struct ImportArgs {
    /// Metres per unit of the file; detected by default (CMU's unit is 0.0254/0.45 m).
    #[arg(long, value_name = "METRES")]
    scale: Option<f64>,

    /// The true frame rate; the file's own by default.
    #[arg(long, value_name = "FPS")]
    fps: Option<f64>,

    /// The axis that points up in the file; detected by default.
    #[arg(long, value_enum)]
    up: Option<UpArg>,

    /// TOML file that names the joints of bones: `[bones]` and lines such as `hips = "Bip01 Pelvis"`.
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,

    /// The skeleton that belongs to AMC files; by default the one ASF file beside them.
    #[arg(long, value_name = "FILE")]
    asf: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum UpArg {
    Y,
    Z,
}

/// Whose body a capture is put on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Onto {
    /// The file's own skeleton, as it is.
    Own,
    /// The library's skeleton with the limb lengths of the person in the file.
    Fitted,
    /// A person of average build.
    Average,
    /// Tall and thin.
    Slim,
    /// Short and strong.
    Stocky,
}

/// Somebody read from a file.
pub(crate) struct Loaded {
    pub(crate) name: String,
    /// When the clip begins in its file (s).
    pub(crate) start: f64,
    pub(crate) import: Import,
}

/// A file that was read.
pub(crate) struct LoadedFile {
    pub(crate) people: Vec<Loaded>,
    pub(crate) events: Vec<Event>,
    pub(crate) seed: u64,
}

/// Reads whatever lies behind a relative URI of a glTF file: files of the same folder.
pub(crate) fn beside(path: &Path) -> impl Fn(&str) -> Result<Vec<u8>, String> + '_ {
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    move |relative| files::read(&folder.join(relative)).map_err(|error| error.to_string())
}

impl ImportArgs {
    /// What the formats should know.
    pub(crate) fn options(&self) -> anyhow::Result<ImportOptions> {
        let rate = match self.fps {
            None => None,
            Some(fps) => {
                let rate = FrameRate::from_fps(fps);
                Some(rate.with_context(|| format!("--fps {fps}: expected between 0.001 and 1000000"))?)
            }
        };
        let up = self.up.map(|up| match up {
            UpArg::Y => UpAxis::Y,
            UpArg::Z => UpAxis::Z,
        });
        Ok(ImportOptions { scale: self.scale, rate, up })
    }

    /// Reads one file.
    pub(crate) fn load(&self, path: &Path) -> anyhow::Result<LoadedFile> {
        let options = self.options()?;
        let bytes = files::read(path)?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let clip_name = formats::clip_name(&name).to_owned();
        let problem = |error| FileProblem::new(path, error);
        let alone = |import: Import| LoadedFile {
            people: vec![Loaded { name: clip_name.clone(), start: 0.0, import }],
            events: Vec::new(),
            seed: 0,
        };
        let mut file = match Format::detect(&name, &bytes) {
            Some(Format::AsfAmc) => {
                let skeleton_path = self.asf_for(path)?;
                let skeleton = files::read(&skeleton_path)?;
                alone(asf::import(&clip_name, &skeleton, &bytes, &options).map_err(problem)?)
            }
            Some(Format::Gltf) => {
                let scene = gltf::import(&clip_name, &bytes, &options, &beside(path)).map_err(problem)?;
                LoadedFile {
                    events: scene.events,
                    seed: scene.seed.unwrap_or(0),
                    ..together(scene.characters)
                }
            }
            #[cfg(feature = "fbx")]
            Some(Format::Fbx) => {
                together(formats::fbx::import(&clip_name, &bytes, &options).map_err(problem)?)
            }
            _ => alone(formats::import(&name, &bytes, &options).map_err(problem)?),
        };
        if let Some(map) = &self.map {
            let overrides = read_override(map)?;
            for person in &mut file.people {
                person.import.clip = with_bones(person.import.clip.clone(), &overrides)
                    .with_context(|| format!("{} for {}", map.display(), path.display()))?;
            }
        }
        Ok(file)
    }

    fn asf_for(&self, amc: &Path) -> anyhow::Result<PathBuf> {
        if let Some(asf) = &self.asf {
            return Ok(asf.clone());
        }
        let folder = match amc.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
        let mut found: Vec<PathBuf> = (entries.filter_map(|entry| entry.ok().map(|entry| entry.path())))
            .filter(|path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("asf")))
            .collect();
        match (found.pop(), found.is_empty()) {
            (Some(asf), true) => Ok(asf),
            (Some(_), false) => bail!("{}: several ASF files beside it; name one by --asf", amc.display()),
            (None, _) => bail!("{}: no ASF file beside it; name one by --asf", amc.display()),
        }
    }
}

/// Several characters of one file.
fn together(characters: Vec<ImportedCharacter>) -> LoadedFile {
    let load = |character: ImportedCharacter| Loaded {
        name: character.name,
        start: character.start,
        import: character.import,
    };
    LoadedFile { people: characters.into_iter().map(load).collect(), events: Vec::new(), seed: 0 }
}

fn read_override(path: &Path) -> anyhow::Result<BoneOverride> {
    let text = String::from_utf8(files::read(path)?)
        .with_context(|| format!("{}: expected UTF-8 text", path.display()))?;
    BoneOverride::from_toml(&text).with_context(|| path.display().to_string())
}

fn with_bones(clip: Clip, overrides: &BoneOverride) -> anyhow::Result<Clip> {
    let (skeleton, _) = names::assign_bones_with(clip.skeleton(), overrides)?;
    clip.with_skeleton(Arc::new(skeleton)).context("the skeleton keeps its shape")
}

/// A clip put on another body, with the report of how well it fits; `None` where nothing was changed.
pub(crate) fn put_onto(clip: Clip, onto: Onto) -> anyhow::Result<(Clip, Body, Option<retarget::Report>)> {
    let (target, mass, girth) = match onto {
        Onto::Own => {
            let skeleton = Arc::clone(clip.skeleton());
            return Ok((clip, Body::of(skeleton, Build::AVERAGE.mass, 1.0), None));
        }
        Onto::Fitted => (fitted_skeleton(clip.skeleton()), Build::AVERAGE.mass, 1.0),
        Onto::Average => build(Build::AVERAGE),
        Onto::Slim => build(Build::SLIM),
        Onto::Stocky => build(Build::STOCKY),
    };
    let target = Arc::new(target);
    let result = retarget(&clip, &target, &retarget::Settings::default())?;
    Ok((result.clip, Body::of(target, mass, girth), Some(result.report)))
}

fn build(build: Build) -> (Skeleton, f32, f32) {
    (build.skeleton(), build.mass, build.girth)
}

/// Colours that tell characters apart, also for people who see fewer of them.
const COLORS: [Color; 6] = [
    [0.10, 0.30, 0.72],
    [0.74, 0.13, 0.10],
    [0.85, 0.55, 0.05],
    [0.10, 0.48, 0.36],
    [0.45, 0.25, 0.60],
    [0.35, 0.36, 0.38],
];

/// What was made of a file: the take, and what there is to say about each character.
pub(crate) struct Made {
    pub(crate) take: Take,
    pub(crate) retargets: Vec<Option<retarget::Report>>,
    pub(crate) warnings: Vec<Warning>,
    /// Whether the file began with a rest pose that is no part of the motion.
    pub(crate) had_rest_row: bool,
}

/// A take of everybody in a file, on their new bodies.
pub(crate) fn take_of(
    file: LoadedFile,
    name: &str,
    onto: Onto,
    rate: Option<FrameRate>,
) -> anyhow::Result<Made> {
    let mut made = Made {
        take: Take::new(name, file.seed),
        retargets: Vec::new(),
        warnings: Vec::new(),
        had_rest_row: file.people.iter().any(|person| person.import.source.frames_skipped > 0),
    };
    for (idx, person) in file.people.into_iter().enumerate() {
        made.warnings.extend(person.import.warnings);
        let clip = match rate {
            None => person.import.clip,
            Some(rate) => person.import.clip.resampled(rate),
        };
        let (clip, body, report) = put_onto(clip, onto).with_context(|| person.name.clone())?;
        made.retargets.push(report);
        made.take.characters.push(Character {
            name: person.name,
            color: COLORS[idx % COLORS.len()],
            body: Arc::new(body),
            enter: person.start.max(0.0),
            clip,
        });
    }
    made.take.events = file.events;
    made.take.validate()?;
    Ok(made)
}

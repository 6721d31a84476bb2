//! Files in: any capture or scene, as characters ready to be shown or exported.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::ValueEnum;
use randori_motion::formats::bvh::WriteOptions;
use randori_motion::formats::gltf::{self, ImportedCharacter};
use randori_motion::formats::{self, Format, Import, ImportOptions, UpAxis, Warning, asf};
use randori_motion::math::{Quat, angle_between};
use randori_motion::names::{self, BoneOverride};
use randori_motion::retarget::{self, fitted_skeleton, retarget};
use randori_motion::take::{Color, ContactForce};
use randori_motion::{Body, Build, Character, Clip, Event, FrameRate, Joint, Prop, Skeleton, Take, Weapon};
use randori_scene::files;

use crate::output::FileProblem;

/// How to read captures.
#[derive(Debug, Clone, Default, clap::Args)]
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

    /// The animation of a glTF or FBX file to take, by name or number from 0; the first by default.
    #[arg(long, value_name = "NAME")]
    animation: Option<String>,

    /// The skeleton that belongs to AMC files; by default the ASF file beside them.
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
    looks: Looks,
}

/// What our own files say about a body beyond its bones.
#[derive(Clone, Copy, Default)]
struct Looks {
    color: Option<Color>,
    mass: Option<f32>,
    girth: Option<f32>,
    weapon: Option<Weapon>,
}

/// A file that was read.
#[derive(Default)]
pub(crate) struct LoadedFile {
    pub(crate) people: Vec<Loaded>,
    pub(crate) events: Vec<Event>,
    pub(crate) props: Vec<Prop>,
    pub(crate) forces: Vec<ContactForce>,
    pub(crate) seed: u64,
    /// What was odd about the file as a whole.
    pub(crate) notes: Vec<String>,
}

/// Reads whatever lies behind a relative URI of a glTF file: files of the same folder.
pub(crate) fn beside(path: &Path) -> impl Fn(&str) -> Result<Vec<u8>, String> + '_ {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    move |relative| {
        // A link may point anywhere; what it points to must lie in the folder, too.
        let real = |path: &Path| path.canonicalize().map_err(|error| format!("{}: {error}", path.display()));
        let (folder, file) = (real(folder)?, real(&folder.join(relative))?);
        if !file.starts_with(&folder) {
            return Err(format!("{relative} leads out of the file's folder"));
        }
        files::read(&file).map_err(|error| error.to_string())
    }
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
        self.read(path, &files::read(path)?, &beside(path))
    }

    /// Reads the bytes of a file of this name; what a glTF file refers to is read by `resolve`.
    pub(crate) fn read(
        &self,
        path: &Path,
        bytes: &[u8],
        resolve: &dyn Fn(&str) -> Result<Vec<u8>, String>,
    ) -> anyhow::Result<LoadedFile> {
        let options = self.options()?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let clip_name = formats::clip_name(&name).to_owned();
        let problem = |error| FileProblem::new(path, error);
        let alone = |import: Import| LoadedFile {
            people: vec![Loaded { name: clip_name.clone(), start: 0.0, import, looks: Looks::default() }],
            ..LoadedFile::default()
        };
        let mut file = match Format::detect(&name, bytes) {
            Some(Format::AsfAmc) => {
                if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("asf")) {
                    bail!("{}: a skeleton without motion; give its .amc file", path.display());
                }
                let skeleton_path = self.asf_for(path)?;
                let skeleton = files::read(&skeleton_path)?;
                // Read once by itself, so that its errors bear its name.
                asf::Asf::parse(&skeleton).map_err(|error| FileProblem::new(&skeleton_path, error))?;
                alone(asf::import(&clip_name, &skeleton, bytes, &options).map_err(problem)?)
            }
            Some(Format::Gltf) => {
                let scene = gltf::import(&clip_name, bytes, &options, resolve).map_err(problem)?;
                let n_characters = scene.characters.len();
                let mut file = self.one_animation(path, scene.characters)?;
                file.seed = scene.seed.unwrap_or(0);
                file.events = scene.events;
                file.props = scene.props;
                // Forces name characters by their place, which holds while nobody is left out.
                if file.people.len() == n_characters {
                    file.forces = scene.forces;
                }
                file
            }
            #[cfg(feature = "fbx")]
            Some(Format::Fbx) => {
                let characters = formats::fbx::import(&clip_name, bytes, &options).map_err(problem)?;
                self.one_animation(path, characters)?
            }
            _ => alone(formats::import(&name, bytes, &options).map_err(problem)?),
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

    /// Everybody in one animation: files may hold several that move the same people.
    fn one_animation(&self, path: &Path, characters: Vec<ImportedCharacter>) -> anyhow::Result<LoadedFile> {
        let title = |character: &ImportedCharacter| character.animation.clone().unwrap_or_default();
        let mut titles: Vec<String> = Vec::new();
        for character in &characters {
            if !titles.contains(&title(character)) {
                titles.push(title(character));
            }
        }
        let chosen = match &self.animation {
            None => None,
            Some(name) => {
                let numbered = name.parse::<usize>().ok().and_then(|number| titles.get(number));
                let Some(chosen) = titles.iter().find(|title| *title == name).or(numbered) else {
                    bail!("{}: no animation \"{name}\"; there are {}", path.display(), titles.join(", "));
                };
                Some(chosen.clone())
            }
        };
        let mut file = LoadedFile::default();
        let mut seen: Vec<(String, String)> = Vec::new();
        let mut left_out: Vec<String> = Vec::new();
        for character in characters {
            let title = title(&character);
            let alternative = seen.iter().any(|(name, other)| *name == character.name && *other != title);
            if chosen.as_ref().map_or(alternative, |chosen| *chosen != title) {
                if chosen.is_none() && !left_out.contains(&title) {
                    left_out.push(title);
                }
                continue;
            }
            let twins = seen.iter().filter(|(name, _)| *name == character.name).count();
            seen.push((character.name.clone(), title));
            let name = match twins {
                0 => character.name,
                twins => format!("{} {}", character.name, twins + 1),
            };
            let looks = Looks {
                color: character.color,
                mass: character.mass,
                girth: character.girth,
                weapon: character.weapon,
            };
            file.people.push(Loaded { name, start: character.start, import: character.import, looks });
        }
        if !left_out.is_empty() {
            file.notes.push(format!("other animations are left out (--animation): {}", left_out.join(", ")));
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
        let found: Vec<PathBuf> = (entries.filter_map(|entry| entry.ok().map(|entry| entry.path())))
            .filter(|path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("asf")))
            .collect();
        // 13_17.amc is a take of subject 13, whose skeleton is 13.asf.
        let take = amc.file_stem().unwrap_or_default().to_string_lossy();
        let subject = take.split('_').next().unwrap_or_default();
        let named = |path: &&PathBuf| path.file_stem().is_some_and(|stem| stem == subject);
        match (found.iter().find(named), found.as_slice()) {
            (Some(asf), _) | (None, [asf]) => Ok(asf.clone()),
            (None, []) => bail!("{}: no ASF file beside it; name one by --asf", amc.display()),
            (None, _) => bail!("{}: several ASF files beside it; name one by --asf", amc.display()),
        }
    }
}

/// All of a text file.
pub(crate) fn read_text(path: &Path) -> anyhow::Result<String> {
    String::from_utf8(files::read(path)?).with_context(|| format!("{}: expected UTF-8 text", path.display()))
}

fn read_override(path: &Path) -> anyhow::Result<BoneOverride> {
    BoneOverride::from_toml(&read_text(path)?).with_context(|| path.display().to_string())
}

fn with_bones(clip: Clip, overrides: &BoneOverride) -> anyhow::Result<Clip> {
    let (skeleton, _) = names::assign_bones_with(clip.skeleton(), overrides)?;
    clip.with_skeleton(Arc::new(skeleton)).context("the skeleton keeps its shape")
}

/// The body that somebody is put on; `None` for their own skeleton.
fn target(person: &Loaded, onto: Onto) -> Option<(Arc<Skeleton>, f32, f32)> {
    let build = |build: Build| Some((Arc::new(build.skeleton()), build.mass, build.girth));
    match onto {
        Onto::Own => None,
        Onto::Fitted => {
            let skeleton = fitted_skeleton(person.import.clip.skeleton());
            let mass = person.looks.mass.unwrap_or(Build::AVERAGE.mass);
            Some((Arc::new(skeleton), mass, person.looks.girth.unwrap_or(1.0)))
        }
        Onto::Average => build(Build::AVERAGE),
        Onto::Slim => build(Build::SLIM),
        Onto::Stocky => build(Build::STOCKY),
    }
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
    /// What was odd, as sentences.
    pub(crate) warnings: Vec<String>,
    /// How to write the motion as BVH again, so that a file comes back as it was.
    pub(crate) bvh: WriteOptions,
}

/// A take of everybody in a file, on their new bodies.
pub(crate) fn take_of(
    file: LoadedFile,
    name: &str,
    onto: Onto,
    rate: Option<FrameRate>,
) -> anyhow::Result<Made> {
    let bvh = bvh_options(&file, onto);
    let mut made =
        Made { take: Take::new(name, file.seed), retargets: Vec::new(), warnings: file.notes, bvh };
    let targets: Vec<_> = file.people.iter().map(|person| target(person, onto)).collect();
    // People who share a world keep their distances.
    let couples = file.people.iter().zip(&targets);
    let settings = retarget::shared_settings(couples.filter_map(|(person, target)| {
        target.as_ref().map(|(skeleton, ..)| (&person.import.clip, &**skeleton))
    }));
    for (idx, (person, target)) in file.people.into_iter().zip(targets).enumerate() {
        let warnings: Vec<String> = person.import.warnings.iter().map(Warning::to_string).collect();
        let clip = match rate {
            None => person.import.clip,
            Some(rate) => person.import.clip.resampled(rate),
        };
        let (clip, body, report) = match target {
            None => {
                let mass = person.looks.mass.unwrap_or(Build::AVERAGE.mass);
                let body = Body::of(Arc::clone(clip.skeleton()), mass, person.looks.girth.unwrap_or(1.0));
                (clip, body, None)
            }
            Some((skeleton, mass, girth)) => {
                let result = retarget(&clip, &skeleton, &settings).with_context(|| {
                    let hint = "name the bones by --map, or keep the skeleton by --onto own";
                    format!("{}: {}", person.name, [&warnings[..], &[hint.to_owned()]].concat().join("; "))
                })?;
                (result.clip, Body::of(skeleton, mass, girth), Some(result.report))
            }
        };
        let body = Body { weapon: person.looks.weapon, ..body };
        made.warnings.extend(warnings);
        made.retargets.push(report);
        made.take.characters.push(Character {
            name: person.name,
            color: person.looks.color.unwrap_or(COLORS[idx % COLORS.len()]),
            body: Arc::new(body),
            enter: person.start.max(0.0),
            clip,
        });
    }
    made.take.props = file.props;
    made.take.events = file.events;
    if onto == Onto::Own {
        made.take.forces = file.forces;
    } else if !file.forces.is_empty() {
        made.warnings.push("contact forces belong to the old bodies and are left out".to_owned());
    }
    made.take.validate()?;
    Ok(made)
}

/// BVH files keep their unit, and a rest pose that their offsets alone do not show keeps its row.
fn bvh_options(file: &LoadedFile, onto: Onto) -> WriteOptions {
    let mut options = WriteOptions::default();
    if onto != Onto::Own {
        return options;
    }
    let at_rest = |joint: &Joint| angle_between(joint.rest_rotation, Quat::IDENTITY) < 1e-3;
    for person in &file.people {
        let source = &person.import.source;
        let skeleton = person.import.clip.skeleton();
        options.rest_row |= source.frames_skipped > 0 || !skeleton.joints().iter().all(at_rest);
        if source.format == Format::Bvh {
            options.metres_per_unit = source.metres_per_unit;
        }
    }
    options
}

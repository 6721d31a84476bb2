//! `randori capture info`.

use std::path::PathBuf;

use randori_motion::formats::{Basis, UpAxis};
use randori_motion::{Skeleton, names};
use serde::Serialize;

use crate::output::Outcome;
use crate::source::{ImportArgs, Loaded};

#[derive(Debug, clap::Args)]
pub(super) struct InfoArgs {
    /// The file: BVH, AMC (with its ASF beside it), glTF or GLB, FBX.
    file: PathBuf,

    #[command(flatten)]
    import: ImportArgs,
}

#[derive(Serialize)]
struct InfoReport {
    file: String,
    characters: Vec<CharacterInfo>,
}

#[derive(Serialize)]
struct CharacterInfo {
    name: String,
    format: String,
    frames: usize,
    frames_skipped: usize,
    fps: f64,
    seconds: f64,
    stated_frame_time: Option<f64>,
    metres_per_unit: f64,
    scale_basis: &'static str,
    up: &'static str,
    names: &'static str,
    missing_bones: Vec<&'static str>,
    rest_height_m: f32,
    joints: Vec<JointInfo>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct JointInfo {
    name: String,
    parent: Option<String>,
    bone: Option<&'static str>,
    offset_m: [f32; 3],
    translates: bool,
    tips: usize,
}

pub(super) fn run(args: &InfoArgs) -> anyhow::Result<Outcome> {
    let file = args.import.load(&args.file)?;
    let characters: Vec<CharacterInfo> = file.people.iter().map(describe).collect();
    let mut text = String::new();
    for info in &characters {
        let bones = info.joints.iter().filter(|joint| joint.bone.is_some()).count();
        text += &format!("{} ({})\n", info.name, info.format);
        text += &format!("  {} frames at {} fps, {:.2} s\n", info.frames, info.fps, info.seconds);
        if info.frames_skipped > 0 {
            text += &format!("  {} frame before them is kept as rest pose only\n", info.frames_skipped);
        }
        text += &format!(
            "  {} m per unit ({}), {} up, {:.2} m tall at rest\n",
            info.metres_per_unit, info.scale_basis, info.up, info.rest_height_m
        );
        text += &format!("  {} joints, {} play bones ({} names)\n", info.joints.len(), bones, info.names);
        if !info.missing_bones.is_empty() {
            text += &format!("  missing bones: {}\n", info.missing_bones.join(", "));
        }
        for warning in &info.warnings {
            text += &format!("  warning: {warning}\n");
        }
    }
    Outcome::new(&InfoReport { file: args.file.display().to_string(), characters }, text)
}

fn describe(person: &Loaded) -> CharacterInfo {
    let (clip, source) = (&person.import.clip, &person.import.source);
    let skeleton = clip.skeleton();
    // By the names alone, whatever roles the import has already given.
    let nameless = skeleton.with_bones(|_| None);
    let detection = names::detect(nameless.as_ref().unwrap_or(skeleton));
    let missing = names::REQUIRED.into_iter().filter(|bone| skeleton.bone(*bone).is_none());
    CharacterInfo {
        name: person.name.clone(),
        format: source.format.to_string(),
        frames: clip.n_frames(),
        frames_skipped: source.frames_skipped,
        fps: clip.rate().fps(),
        seconds: clip.duration(),
        stated_frame_time: source.stated_frame_time,
        metres_per_unit: source.metres_per_unit,
        scale_basis: match source.scale_basis {
            Basis::Stated => "stated",
            Basis::Detected => "detected",
            Basis::Given => "given",
        },
        up: match source.up {
            UpAxis::Y => "Y",
            UpAxis::Z => "Z",
        },
        names: if detection.is_humanoid() { detection.map } else { "no known" },
        missing_bones: missing.map(|bone| bone.name()).collect(),
        rest_height_m: rest_height(skeleton),
        joints: joints(skeleton),
        warnings: person.import.warnings.iter().map(|warning| warning.to_string()).collect(),
    }
}

fn joints(skeleton: &Skeleton) -> Vec<JointInfo> {
    let describe = |joint: &randori_motion::Joint| JointInfo {
        name: joint.name.clone(),
        parent: joint.parent.map(|parent| skeleton.joint(parent).name.clone()),
        bone: joint.bone.map(|bone| bone.name()),
        offset_m: joint.offset.to_array(),
        translates: joint.translates,
        tips: joint.tips.len(),
    };
    skeleton.joints().iter().map(describe).collect()
}

/// From the lowest to the highest joint or tip of the rest pose (m).
fn rest_height(skeleton: &Skeleton) -> f32 {
    let rest = skeleton.global_pose(skeleton.rest_pose().view());
    let heights = skeleton.ids().flat_map(|id| {
        let tips = skeleton.joint(id).tips.iter().map(|tip| rest.point(id, *tip).y).collect::<Vec<_>>();
        std::iter::once(rest.positions[id.idx()].y).chain(tips)
    });
    let (low, high) =
        heights.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
    high - low
}

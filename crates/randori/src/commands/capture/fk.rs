//! `randori capture fk`: joint positions of single frames, for other programs to compare with.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::bail;
use clap::ValueEnum;
use randori_motion::formats::{Format, bvh};
use randori_scene::files;
use serde::Serialize;

use crate::output::{FileProblem, Outcome};
use crate::source::ImportArgs;

#[derive(Debug, clap::Args)]
pub(super) struct FkArgs {
    /// The file.
    file: PathBuf,

    /// Frames, numbered from 0 as in the file: 1,100,250 or 10-20.
    #[arg(long, value_delimiter = ',', default_value = "0", value_name = "N,N-N,…")]
    frames: Vec<Frames>,

    /// Metres, or the file's own unit.
    #[arg(long, value_enum, default_value_t = Units::M)]
    units: Units,

    #[command(flatten)]
    import: ImportArgs,
}

/// One frame or several in a row, the last included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Frames(usize, usize);

impl FromStr for Frames {
    type Err = String;

    fn from_str(text: &str) -> Result<Frames, String> {
        let number = |text: &str| text.trim().parse::<usize>().ok();
        let frames = match text.split_once('-') {
            None => number(text).map(|frame| Frames(frame, frame)),
            Some((first, last)) => number(first).zip(number(last)).map(|(first, last)| Frames(first, last)),
        };
        // A file of more frames than this would not be read in the first place.
        let sane = |frames: &Frames| frames.0 <= frames.1 && frames.1 - frames.0 < 1_000_000;
        frames.filter(sane).ok_or_else(|| "expected a frame such as 100, or several such as 10-20".to_owned())
    }
}

impl FkArgs {
    fn frames(&self) -> impl Iterator<Item = usize> + '_ {
        self.frames.iter().flat_map(|frames| frames.0..=frames.1)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Units {
    M,
    Raw,
}

#[derive(Serialize)]
struct FkReport {
    unit: &'static str,
    frames: Vec<FrameReport>,
}

#[derive(Serialize)]
struct FrameReport {
    frame: usize,
    joints: BTreeMap<String, [f64; 3]>,
}

pub(super) fn run(args: &FkArgs) -> anyhow::Result<Outcome> {
    let bytes = files::read(&args.file)?;
    let name = args.file.to_string_lossy();
    let frames = match Format::detect(&name, &bytes) {
        Some(Format::Bvh) => frames_of_bvh(args, &bytes)?,
        _ => frames_of_clip(args)?,
    };
    let unit = match args.units {
        Units::M => "m",
        Units::Raw => "raw",
    };
    let mut text = String::new();
    for frame in &frames {
        text += &format!("frame {}\n", frame.frame);
        for (joint, [x, y, z]) in &frame.joints {
            text += &format!("  {joint:<24} {x:>12.6} {y:>12.6} {z:>12.6}\n");
        }
    }
    Outcome::new(&FkReport { unit, frames }, text)
}

/// In the file's own axes and in double precision, end sites included.
fn frames_of_bvh(args: &FkArgs, bytes: &[u8]) -> anyhow::Result<Vec<FrameReport>> {
    let problem = |error| FileProblem::new(&args.file, error);
    let document = bvh::Document::parse(bytes).map_err(problem)?;
    let factor = match args.units {
        Units::Raw => 1.0,
        Units::M => bvh::metres_per_unit(&document, &args.import.options()?).map_err(problem)?.0,
    };
    let names = document.point_names();
    (args.frames())
        .map(|frame| {
            let Some(positions) = document.world_positions(frame) else {
                bail!("--frames {frame}: the file has {} frames, counted from 0", document.n_frames());
            };
            let joints =
                (names.iter().cloned()).zip(positions.iter().map(|point| (*point * factor).to_array()));
            Ok(FrameReport { frame, joints: joints.collect() })
        })
        .collect()
}

/// In house units; other formats state theirs.
fn frames_of_clip(args: &FkArgs) -> anyhow::Result<Vec<FrameReport>> {
    let file = args.import.load(&args.file)?;
    let several = file.people.len() > 1;
    let mut frames: Vec<FrameReport> =
        args.frames().map(|frame| FrameReport { frame, joints: BTreeMap::new() }).collect();
    for person in &file.people {
        let (clip, source) = (&person.import.clip, &person.import.source);
        let factor = match args.units {
            Units::M => 1.0,
            Units::Raw => 1.0 / source.metres_per_unit,
        };
        for report in &mut frames {
            let frame =
                report.frame.checked_sub(source.frames_skipped).filter(|frame| *frame < clip.n_frames());
            let Some(frame) = frame else {
                bail!("--frames {}: {} has {} frames", report.frame, person.name, clip.n_frames());
            };
            let globals = clip.skeleton().global_pose(clip.frame(frame));
            for (joint, position) in clip.skeleton().joints().iter().zip(&globals.positions) {
                let name =
                    if several { format!("{}/{}", person.name, joint.name) } else { joint.name.clone() };
                report.joints.insert(name, (position.as_dvec3() * factor).to_array());
            }
        }
    }
    Ok(frames)
}

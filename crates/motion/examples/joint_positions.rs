//! Prints where the joints of a GLB or FBX file are, for `.ci/compare_positions.py`:
//! `{"fps": 60, "frames": [0, 30], "characters": {"blue": {"hips": [[x, y, z], …]}}}` (m).
//!
//! `cargo run -p randori-motion --features fbx --example joint_positions -- FILE.fbx 60 0,30`

use std::collections::BTreeMap;

use randori_motion::formats::gltf::{self, ImportedCharacter};
use randori_motion::formats::{Format, ImportOptions};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, fps, frames] = arguments.as_slice() else {
        return Err("usage: FILE FPS FRAME,FRAME…".into());
    };
    #[expect(clippy::disallowed_methods, reason = "a program of its own")]
    let bytes = std::fs::read(path)?;
    let fps: f64 = fps.parse()?;
    let frames = frames.split(',').map(str::parse).collect::<Result<Vec<u32>, _>>()?;

    let mut characters = BTreeMap::new();
    for character in read(path, &bytes)? {
        let clip = &character.import.clip;
        let skeleton = clip.skeleton();
        let mut joints: BTreeMap<&str, Vec<[f32; 3]>> = BTreeMap::new();
        for frame in &frames {
            let pose = skeleton.global_pose(clip.sample(f64::from(*frame) / fps - character.start).view());
            for (joint, position) in skeleton.joints().iter().zip(&pose.positions) {
                let name = joint.bone.map_or(joint.name.as_str(), |bone| bone.name());
                joints.entry(name).or_default().push(position.to_array());
            }
        }
        characters.insert(character.name.clone(), json!(joints));
    }
    #[expect(clippy::print_stdout, reason = "a program of its own")]
    {
        println!("{}", json!({"fps": fps, "frames": frames, "characters": characters}));
    }
    Ok(())
}

fn read(path: &str, bytes: &[u8]) -> Result<Vec<ImportedCharacter>, Box<dyn std::error::Error>> {
    let options = ImportOptions::default();
    match Format::detect(path, bytes) {
        Some(Format::Gltf) => {
            Ok(gltf::import("capture", bytes, &options, &|_| Err("not beside".to_owned()))?.characters)
        }
        #[cfg(feature = "fbx")]
        Some(Format::Fbx) => Ok(randori_motion::formats::fbx::import("capture", bytes, &options)?),
        _ => Err("expected GLB, or FBX with the feature `fbx`".into()),
    }
}

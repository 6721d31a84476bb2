//! Where joints are, for other programs to compare with.

use std::collections::BTreeMap;

use randori_motion::{GlobalPose, Pose, Take};
use serde_json::{Value, json};

use super::glb::bone_names;

/// World positions of every joint of every character in some frames of a take at `fps`:
/// `{"fps": 60, "frames": [0, 30], "characters": {"blue": {"hips": [[x, y, z], …], …}, …}}` (m).
///
/// Joints are named as in the exported GLB, without the character's prefix. Outside its span a character
/// holds its first or last pose, as it does in the GLB.
pub fn joint_positions(take: &Take, fps: f64, frames: &[usize]) -> Value {
    let (mut pose, mut globals) = (Pose::default(), GlobalPose::default());
    let mut characters = BTreeMap::new();
    for character in &take.characters {
        let skeleton = character.clip.skeleton();
        let names = bone_names(skeleton);
        let mut joints: BTreeMap<&str, Vec<[f32; 3]>> = BTreeMap::new();
        for frame in frames {
            character.clip.sample_into(*frame as f64 / fps - character.enter, &mut pose);
            skeleton.globals_into(pose.view(), &mut globals);
            for (name, position) in names.iter().zip(&globals.positions) {
                joints.entry(name).or_default().push(position.to_array());
            }
        }
        characters.insert(&character.name, json!(joints));
    }
    json!({"fps": fps, "frames": frames, "characters": characters})
}

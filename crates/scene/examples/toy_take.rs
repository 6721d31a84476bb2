//! Writes a toy take as a GLB and, beside it, the joint positions it should show: what the checks by
//! other programs (`.ci/blender_check.py`, `.ci/validate_glb.mjs`) start from.
//!
//! `cargo run -p randori-scene --example toy_take -- OUT.glb OUT.json`

use std::path::PathBuf;

use randori_scene::export::{GlbOptions, glb, joint_positions};
use randori_scene::files;
use randori_testkit::takes;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [glb_path, json_path] = paths.as_slice() else {
        return Err("usage: toy_take OUT.glb OUT.json".into());
    };
    let take = takes::motley();
    files::write_atomically(glb_path, &glb(&take, &GlbOptions::default())?)?;
    let positions = joint_positions(&take, 60.0, &[0, 1, 17, 45, 60, 90, 119]);
    files::write_atomically(json_path, positions.to_string().as_bytes())?;
    Ok(())
}

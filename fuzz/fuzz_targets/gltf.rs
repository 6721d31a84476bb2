//! Any bytes as a glTF file: an error, or clips of finite numbers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use randori_motion::formats::ImportOptions;
use randori_motion::formats::gltf::{self, Document, WorldPose};

fuzz_target!(|bytes: &[u8]| {
    let no_files = |path: &str| {
        assert!(!path.split('/').any(|part| part == "..") && !path.starts_with('/'), "{path}");
        Ok(vec![0; 64])
    };
    let Ok(document) = Document::parse(bytes, &no_files) else { return };
    let all: Vec<usize> = (0..document.animations.len()).collect();
    let evaluator = document.evaluator(&all);
    let mut pose = WorldPose::default();
    for seconds in [evaluator.start(), 0.5 * evaluator.end(), evaluator.end(), f64::NAN] {
        evaluator.evaluate(seconds, &mut pose);
        assert_eq!(pose.rotations.len(), document.nodes.len());
    }
    let Ok(scene) = gltf::import("fuzz", bytes, &ImportOptions::default(), &no_files) else { return };
    for character in &scene.characters {
        let clip = &character.import.clip;
        for pose in clip.frames().take(100) {
            let globals = clip.skeleton().global_pose(pose);
            assert!(globals.positions.iter().all(|position| position.is_finite()));
        }
    }
});

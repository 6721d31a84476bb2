//! Any bytes as a BVH file: an error, or a clip of finite numbers that can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use randori_motion::formats::ImportOptions;
use randori_motion::formats::bvh::{self, Document};

fuzz_target!(|bytes: &[u8]| {
    let Ok(document) = Document::parse(bytes) else { return };
    assert_eq!(Document::parse(document.to_text().as_bytes()).unwrap(), document);
    if document.n_frames() > 0 {
        let points = document.world_positions(document.n_frames() - 1).unwrap();
        assert_eq!(points.len(), document.point_names().len());
        assert!(points.iter().all(|point| point.is_finite()));
    }
    let Ok(import) = bvh::import_document("fuzz", &document, &ImportOptions::default()) else { return };
    let clip = &import.clip;
    for pose in clip.frames() {
        let globals = clip.skeleton().global_pose(pose);
        assert!(globals.positions.iter().all(|position| position.is_finite()));
    }
    let text = bvh::write(clip, &bvh::WriteOptions::default()).unwrap();
    bvh::import("again", text.as_bytes(), &ImportOptions::default()).unwrap();
});

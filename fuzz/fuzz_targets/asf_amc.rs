//! Any bytes, cut in two at the first NUL, as an ASF and an AMC file: an error, or a clip of finite numbers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use randori_motion::formats::{ImportOptions, asf};

fuzz_target!(|bytes: &[u8]| {
    let cut = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (skeleton, motion) = (&bytes[..cut], bytes.get(cut + 1..).unwrap_or_default());
    let Ok(import) = asf::import("fuzz", skeleton, motion, &ImportOptions::default()) else { return };
    for pose in import.clip.frames() {
        let globals = import.clip.skeleton().global_pose(pose);
        assert!(globals.positions.iter().all(|position| position.is_finite()));
    }
});

//! Broken BVH files: each is refused with its place and what was expected there.
#![allow(clippy::unwrap_used, reason = "a test that unwraps in vain fails, as it should")]

use std::sync::Arc;

use randori_motion::formats::{ImportError, ImportOptions, Place, bvh, import};
use randori_testkit::{mutate::mutant, toys};

const GOOD: &str = "HIERARCHY\nROOT hips\n{\n\tOFFSET 0 0 0\n\tCHANNELS 6 Xposition Yposition Zposition Zrotation \
Yrotation Xrotation\n\tJOINT chest\n\t{\n\t\tOFFSET 0 10 0\n\t\tCHANNELS 3 Zrotation Yrotation Xrotation\n\t\tEnd \
Site\n\t\t{\n\t\t\tOFFSET 0 20 0\n\t\t}\n\t}\n}\nMOTION\nFrames: 2\nFrame Time: 0.0333333\n0 90 0 1 2 3 4 5 6\n0 91 0 1 2 \
3 4 5 6.5\n";

fn refusal(bytes: &[u8]) -> ImportError {
    bvh::import("broken", bytes, &ImportOptions::default()).unwrap_err()
}

/// The good file with one text replaced by another is refused in these words.
#[track_caller]
fn check(old: &str, new: &str, expected: &str) {
    assert!(GOOD.contains(old), "{old}");
    let error = refusal(GOOD.replacen(old, new, 1).as_bytes());
    assert_eq!(error.to_string(), expected);
}

#[test]
fn the_good_file_is_good() {
    let import = import("good.bvh", GOOD.as_bytes(), &ImportOptions::default()).unwrap();
    assert_eq!((import.clip.name.as_str(), import.clip.n_frames()), ("good", 2));
}

#[test]
fn structure() {
    check("HIERARCHY", "HIERARCHE", "line 1, column 1: expected HIERARCHY, found \"HIERARCHE\"");
    check("ROOT", "JOINT", "line 2, column 1: expected ROOT, found \"JOINT\"");
    check("ROOT hips", "ROOT", "line 2, column 5: expected the name of a joint, found the end of the line");
    check(
        "JOINT chest",
        "JOINT hips",
        "line 6, column 8: expected a name no other joint has, found \"hips\" again",
    );
    check("\t\tOFFSET 0 10 0\n", "", "line 9, column 3: expected OFFSET of joint \"chest\", found \"End\"");
    check(
        "\t\tCHANNELS 3 Zrotation Yrotation Xrotation\n",
        "",
        "line 9, column 3: expected CHANNELS of joint \"chest\", found \"End\"",
    );
    check("End Site", "End", "line 11, column 3: expected Site, found \"{\"");
    check(
        "\t}\n}\n",
        "\t}\n",
        "line 15, column 1: expected JOINT, End Site or } in joint \"hips\", found \"MOTION\"",
    );
    check("}\nMOTION", "}\n}\nMOTION", "line 16, column 1: expected MOTION, found \"}\"");
    check("}\nMOTION", "}\nROOT b", "line 16, column 1: expected MOTION, found \"ROOT\"");
}

#[test]
fn channels() {
    check("CHANNELS 3 ", "CHANNELS 7 ", "line 9, column 12: expected at most 6 channels, found \"7\"");
    check(
        "CHANNELS 3 ",
        "CHANNELS -3 ",
        "line 9, column 12: expected how many channels the joint has, found \"-3\"",
    );
    check(
        "CHANNELS 3 ",
        "CHANNELS 4 ",
        "line 10, column 3: expected channel 4 of 4, such as Xposition or Zrotation, found \"End\"",
    );
    check(
        "CHANNELS 3 Zrotation",
        "CHANNELS 3 Wrotation",
        "line 9, column 14: expected channel 1 of 3, such as Xposition or Zrotation, found \"Wrotation\"",
    );
    check(
        "CHANNELS 3 Zrotation Yrotation",
        "CHANNELS 3 Zrotation Zrotation",
        "line 9, column 24: expected a channel the joint does not have yet, found Zrotation again",
    );
    let none = "HIERARCHY ROOT a\n{ OFFSET 0 0 0 CHANNELS 0 }\nMOTION\nFrames: 1000000000\nFrame Time: 1\n";
    let expected = "line 3, column 1: expected a channel on at least one joint, found no channels at all";
    assert_eq!(refusal(none.as_bytes()).to_string(), expected);
}

#[test]
fn numbers() {
    check(
        "OFFSET 0 10 0",
        "OFFSET 0 1O 0",
        "line 8, column 12: expected the y coordinate of an offset, found \"1O\"",
    );
    check(
        "OFFSET 0 10 0",
        "OFFSET 0 10",
        "line 8, column 14: expected the z coordinate of an offset, found the end of the line",
    );
    for bad in ["nan", "NaN", "inf", "-Infinity", "0x10", "1,5", "1.#QNAN", "--5", "5f"] {
        let expected = "a number: value 8 of 9 (chest Yrotation) of row 1 of 2";
        check(
            "4 5 6\n",
            &format!("4 {bad} 6\n"),
            &format!("line 19, column 16: expected {expected}, found \"{bad}\""),
        );
    }
    for large in ["1e10", "-1000000001", "1e999"] {
        let expected = "a number: value 8 of 9 (chest Yrotation) of row 1 of 2, no larger than 1e9";
        check(
            "4 5 6\n",
            &format!("4 {large} 6\n"),
            &format!("line 19, column 16: expected {expected}, found \"{large}\""),
        );
    }
}

#[test]
fn rows() {
    check(
        "4 5 6\n",
        "4 5\n",
        "line 19, column 17: expected a number: value 9 of 9 (chest Xrotation) of row 1 of 2, found the end of the line",
    );
    check(
        "4 5 6\n",
        "4 5 6 7\n",
        "line 19, column 20: expected the end of the line after the 9 values of row 1, found \"7\"",
    );
    check("Frames: 2", "Frames: 3", "line 21, column 1: expected row 3 of 3, found the end of the file");
    check(
        "Frames: 2",
        "Frames: 1",
        "line 20, column 1: expected the end of the file after 1 rows, found \"0\"",
    );
    check(
        "Frames: 2",
        "Frames: 1000000000",
        "line 21, column 1: expected row 3 of 1000000000, found the end of the file",
    );
    check("Frames: 2", "Frames: 2.0", "line 17, column 9: expected the number of frames, found \"2.0\"");
    check(
        "Frames: 2",
        "Frames: 99999999999999999999",
        "line 17, column 9: expected the number of frames, found \"99999999999999999999\"",
    );
    check("Frames: 2", "Frame Time: 2", "line 17, column 1: expected Frames:, found \"Frame\"");
}

#[test]
fn frame_times() {
    for bad in ["0", "-0.1", "1e-9", "100000"] {
        let error = refusal(GOOD.replace("0.0333333", bad).as_bytes());
        assert_eq!(error.place, Place::Line { line: 18, column: 1 }, "{bad}");
        assert_eq!(error.excerpt, Some(format!("Frame Time: {bad}")));
    }
    check("0.0333333", "nan", "line 18, column 13: expected the seconds per frame, found \"nan\"");
    let none = GOOD[..GOOD.find("0 90").unwrap()].replace("Frames: 2", "Frames: 0");
    assert_eq!(
        refusal(none.as_bytes()).to_string(),
        "file: expected at least one frame of motion, found none"
    );
}

#[test]
fn names_must_be_text() {
    let mut bytes = GOOD.as_bytes().to_vec();
    let at = GOOD.find("chest").unwrap();
    bytes[at] = 0xff;
    assert_eq!(
        refusal(&bytes).to_string(),
        "line 6, column 8: expected the name of a joint in UTF-8, found \"\u{fffd}hest\""
    );
    bytes[at] = 0;
    assert!(refusal(&bytes).to_string().contains("expected the name of a joint, found"));
}

#[test]
fn no_text_at_all() {
    for (bytes, expected) in [
        (&b""[..], "line 1, column 1: expected HIERARCHY, found the end of the file"),
        (b"\xef\xbb\xbf", "line 1, column 4: expected HIERARCHY, found the end of the file"),
        (b"\0\0\0\0", "line 1, column 1: expected HIERARCHY, found \"\""),
        (b"glTF\x02\0\0\0", "line 1, column 1: expected HIERARCHY, found \"glTF\""),
        (b"\xff\xfeH\0I\0", "line 1, column 1: expected HIERARCHY, found \"\u{fffd}\u{fffd}HI\""),
    ] {
        assert_eq!(refusal(bytes).to_string(), expected);
    }
    let error = import("take.xyz", b"", &ImportOptions::default()).unwrap_err();
    assert_eq!(error.found, "an empty file");
}

#[test]
fn the_offending_line_is_shown() {
    let error = refusal(GOOD.replace("4 5 6.5", "4 5 x").as_bytes());
    assert_eq!(error.excerpt.as_deref(), Some("0 91 0 1 2 3 4 5 x"));
    let long = GOOD.replace("4 5 6.5", &format!("4 5 {}6.5 x", "0".repeat(300)));
    let excerpt = refusal(long.as_bytes()).excerpt.unwrap();
    assert!(excerpt.starts_with("…000") && excerpt.ends_with("6.5 x") && excerpt.len() < 110, "{excerpt}");
}

/// Ten thousand joints one inside the other neither overflow the stack nor pass the cap.
#[test]
fn a_deep_hierarchy() {
    let deep = |depth: usize| {
        let open = (0..depth).map(|level| {
            let keyword = if level == 0 { "ROOT" } else { "JOINT" };
            format!("{keyword} j{level}\n{{ OFFSET 0 1 0 CHANNELS 1 Xrotation ")
        });
        let row = "1 ".repeat(depth);
        let open: String = open.collect();
        format!("HIERARCHY {open} {} MOTION\nFrames: 1\nFrame Time: 0.1\n{row}\n", "}".repeat(depth))
    };
    let error = refusal(deep(10_000).as_bytes());
    assert_eq!(error.expected, "at most 4096 joints");
    let import = bvh::import("deep", deep(4096).as_bytes(), &ImportOptions::default()).unwrap();
    let text = bvh::write(&import.clip, &Default::default()).unwrap();
    assert!(text.len() < 2_000_000, "{}", text.len());
    bvh::import("deep", text.as_bytes(), &ImportOptions::default()).unwrap();
}

/// Each row of such a file is two bytes, each pose of its clip would be 64 KiB.
#[test]
fn thousands_of_joints_that_never_move() {
    let joints: String =
        (1..4000).map(|joint| format!("JOINT j{joint}\n{{ OFFSET 0 0 0 CHANNELS 0 }} ")).collect();
    let rows = |n_rows: usize| {
        let head = format!("HIERARCHY ROOT r\n{{ OFFSET 0 0 0 CHANNELS 1 Xrotation {joints} }} MOTION ");
        format!("{head}Frames: {n_rows}\nFrame Time: 0.1\n{}", "0\n".repeat(n_rows))
    };
    assert_eq!(
        refusal(rows(500_000).as_bytes()).to_string(),
        "file: expected at most 4 joints to a channel in a motion of 500000 frames, found 4000 joints and 1 channels"
    );
    assert!(bvh::import("short", rows(10).as_bytes(), &ImportOptions::default()).is_ok());
}

#[test]
fn mutants_never_panic_and_hold_only_finite_numbers() {
    let toy = toys::wriggling(Arc::new(toys::random_skeleton(7, 9)), 7, 8);
    let toy = bvh::write(&toy, &Default::default()).unwrap();
    let mut n_ok = 0;
    for seed in 0..40_000 {
        let original = if seed % 2 == 0 { GOOD } else { &toy };
        let bytes = mutant(original.as_bytes(), seed);
        let Ok(import) = bvh::import("mutant", &bytes, &ImportOptions::default()) else { continue };
        n_ok += 1;
        let clip = &import.clip;
        for pose in clip.frames() {
            let globals = clip.skeleton().global_pose(pose);
            assert!(globals.positions.iter().all(|position| position.is_finite()), "seed {seed}");
            assert!(globals.rotations.iter().all(|rotation| rotation.is_finite()), "seed {seed}");
        }
        // Whatever is read can be written, and read again.
        let text = bvh::write(clip, &Default::default()).unwrap();
        bvh::import("again", text.as_bytes(), &ImportOptions::default()).unwrap();
    }
    println!("{n_ok} of 40000 mutants are still files");
    assert!(n_ok > 300, "{n_ok}");
}

//! The command as people and programs use it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![expect(clippy::disallowed_methods, reason = "tests of files read and write files")]

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use randori_motion::formats::bvh::{WriteOptions, write};
use randori_testkit::{shared, toys};
use serde_json::Value;
use tempfile::TempDir;

fn randori(args: &[&str]) -> Output {
    Command::cargo_bin("randori").unwrap().args(args).output().unwrap()
}

fn json(args: &[&str]) -> Value {
    let output = randori(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The command ends with this code and says this on stderr, and nothing on stdout.
fn check_refused(args: &[&str], code: i32, expected: &str) {
    let output = randori(args);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
    assert!(stderr.contains(expected), "{args:?}: {stderr}");
    assert!(output.stdout.is_empty(), "{args:?}");
    assert!(!stderr.contains("panicked"), "{args:?}: {stderr}");
}

fn path(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

/// A capture that nobody was captured for.
fn capture(folder: &TempDir) -> String {
    let path = path(folder, "wriggle.bvh");
    std::fs::write(&path, write(&toys::wriggling_person(5, 90), &WriteOptions::default()).unwrap()).unwrap();
    path
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_demo_writes_a_scene_an_animation_and_a_sheet_and_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let out = path(&folder, "out");
    let report =
        json(&["demo", "--out", &out, "--no-open", "--json", "--report", &path(&folder, "report.json")]);
    assert_eq!(
        names_in(Path::new(&out)),
        ["demo.gif", "demo.glb", "demo.png", "sword-wits.glb", "sword-wits.png", "tag.glb", "tag.png"]
    );
    assert_eq!(report["findings"], 0);
    assert!(report["hits"].as_u64().unwrap() >= 2);
    let written: Value =
        serde_json::from_slice(&std::fs::read(path(&folder, "report.json")).unwrap()).unwrap();
    assert_eq!(written, report);
    // The scene passes its own linter through the file as well.
    let checked = json(&["check", &path(&folder, "out/demo.glb"), "--json"]);
    assert_eq!(checked["pass"], true);
    assert_eq!(checked["files"][0]["characters"].as_array().unwrap().len(), 2);
    // Its events stand in the file.
    let glb = std::fs::read(path(&folder, "out/demo.glb")).unwrap();
    let text = String::from_utf8_lossy(&glb);
    assert!(text.contains(r#""randori":{"#) && text.contains(r#""kind":"hit""#));
}

#[test]
fn forward_kinematics_agrees_with_the_reference() {
    let Some(reference) = shared::path("data/cmu/fk_reference.json") else { return };
    let reference: Value = serde_json::from_slice(&std::fs::read(&reference).unwrap()).unwrap();
    let metres_per_unit = reference["metres_per_unit"].as_f64().unwrap();
    let names: Vec<&str> =
        reference["joint_order"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let folder = shared::path("data/cmu").unwrap();
    let mut compared = 0;
    for take in reference["takes"].as_object().unwrap().values() {
        let file = folder.join(take["file"].as_str().unwrap());
        let frames: Vec<String> = take["frames"].as_array().unwrap().iter().map(Value::to_string).collect();
        let args =
            ["capture", "fk", file.to_str().unwrap(), "--json", "--frames", &frames.join(","), "--units"];
        let metres = json(&[&args[..], &["m"]].concat());
        let raw = json(&[&args[..], &["raw"]].concat());
        assert_eq!((metres["unit"].as_str(), raw["unit"].as_str()), (Some("m"), Some("raw")));
        for (idx, frame) in take["frames"].as_array().unwrap().iter().enumerate() {
            assert_eq!(&metres["frames"][idx]["frame"], frame);
            for (name, expected) in names.iter().zip(take["positions"][idx].as_array().unwrap()) {
                for axis in 0..3 {
                    let expected = expected[axis].as_f64().unwrap();
                    let raw = raw["frames"][idx]["joints"][name][axis].as_f64().unwrap();
                    let metres = metres["frames"][idx]["joints"][name][axis].as_f64().unwrap();
                    assert!((raw - expected).abs() < 1e-4, "{file:?} {frame} {name}");
                    assert!((metres - expected * metres_per_unit).abs() < 1e-5, "{file:?} {frame} {name}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn captures_go_to_glb_and_back_to_bvh_on_their_own_skeleton() {
    let folder = tempfile::tempdir().unwrap();
    let (bvh, glb, back) = (capture(&folder), path(&folder, "a.glb"), path(&folder, "b.bvh"));
    json(&["capture", "convert", &bvh, "-o", &glb, "--onto", "own", "--json"]);
    json(&["capture", "convert", &glb, "-o", &back, "--json"]);
    let fk = |file: &str| json(&["capture", "fk", file, "--frames", "0,40,89", "--json", "--scale", "1"]);
    let (before, after) = (fk(&bvh), fk(&back));
    let mut compared = 0;
    for (before, after) in
        before["frames"].as_array().unwrap().iter().zip(after["frames"].as_array().unwrap())
    {
        for (joint, position) in after["joints"].as_object().unwrap() {
            let joint = joint.rsplit('.').next().unwrap();
            for axis in 0..3 {
                let expected = before["joints"][joint][axis].as_f64().unwrap();
                assert!((position[axis].as_f64().unwrap() - expected).abs() < 1e-3, "{joint}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 3 * 3 * 22, "{compared}");
}

#[test]
fn batches_are_the_same_bytes_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let bvh = capture(&folder);
    let other = path(&folder, "other.bvh");
    std::fs::copy(&bvh, &other).unwrap();
    for jobs in ["1", "2", "5"] {
        let out = path(&folder, jobs);
        json(&[
            "capture",
            "convert",
            &bvh,
            &other,
            "--out-dir",
            &out,
            "--onto",
            "stocky",
            "--jobs",
            jobs,
            "--json",
        ]);
        let gif = format!("{out}/wriggle.gif");
        json(&[
            "render",
            &format!("{out}/wriggle.glb"),
            "-o",
            &gif,
            "--size",
            "96x54",
            "--jobs",
            jobs,
            "--json",
        ]);
        for name in ["wriggle.glb", "other.glb", "wriggle.gif"] {
            let bytes = std::fs::read(format!("{out}/{name}")).unwrap();
            assert_eq!(
                bytes,
                std::fs::read(folder.path().join("1").join(name)).unwrap(),
                "{name} with {jobs}"
            );
        }
    }
}

#[test]
fn dotted_names_keep_their_dots_and_bvh_its_unit() {
    let folder = tempfile::tempdir().unwrap();
    let (bvh, out) = (capture(&folder), path(&folder, "out"));
    let (first, second) = (path(&folder, "take.001.bvh"), path(&folder, "take.002.bvh"));
    std::fs::copy(&bvh, &first).unwrap();
    std::fs::copy(&bvh, &second).unwrap();
    json(&[
        "capture",
        "convert",
        &first,
        &second,
        "--out-dir",
        &out,
        "--to",
        "bvh",
        "--scale",
        "0.5",
        "--json",
    ]);
    assert_eq!(names_in(Path::new(&out)), ["take.001.bvh", "take.002.bvh"]);
    let raw = |file: &str| json(&["capture", "fk", file, "--frames", "10-12", "--units", "raw", "--json"]);
    let (before, after) = (raw(&first), raw(&format!("{out}/take.001.bvh")));
    assert_eq!(before["frames"].as_array().unwrap().len(), 3);
    let hips = |report: &Value| report["frames"][0]["joints"]["hips"][1].as_f64().unwrap();
    assert!((hips(&before) - hips(&after)).abs() < 1e-4);
}

#[test]
fn a_batch_goes_on_after_a_bad_file_and_reports_it() {
    let folder = tempfile::tempdir().unwrap();
    let (good, bad, out) = (capture(&folder), path(&folder, "bad.bvh"), path(&folder, "out"));
    std::fs::write(&bad, "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 zero 0\n}").unwrap();
    let output = randori(&["capture", "convert", &good, &bad, "--out-dir", &out, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((report["converted"].as_u64(), report["failed"].as_u64()), (Some(1), Some(1)));
    assert!(report["files"][1]["error"].as_str().unwrap().contains("line 4"));
    // Quiet or not, a failure is told.
    let quiet = randori(&["capture", "convert", &good, &bad, "--out-dir", &out, "-q"]);
    assert!(String::from_utf8_lossy(&quiet.stderr).contains("failed:"));
    assert_eq!(names_in(Path::new(&out)), ["wriggle.glb"]);
}

#[test]
fn errors_name_the_file_the_place_and_the_expectation() {
    let folder = tempfile::tempdir().unwrap();
    let bad = path(&folder, "bad.bvh");
    std::fs::write(&bad, "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 zero 0\n}").unwrap();
    let good = capture(&folder);
    let nowhere = path(&folder, "wriggle.bvh/inside.glb");
    let (glb, png) = (path(&folder, "x.glb"), path(&folder, "x.png"));
    check_refused(&["capture", "info", &bad], 2, "bad.bvh: line 4, column 12: expected");
    check_refused(&["capture", "info", &bad], 2, "4 |   OFFSET 0 zero 0");
    check_refused(&["capture", "info", folder.path().to_str().unwrap()], 2, "is a directory");
    check_refused(&["capture", "info", &path(&folder, "absent.bvh")], 2, "absent.bvh: cannot read");
    check_refused(&["capture", "convert", &good, "-o", &nowhere], 2, "cannot write");
    check_refused(
        &["capture", "convert", &good, "-o", &path(&folder, "x.doc")],
        2,
        "ends in .glb, .usda or .bvh",
    );
    check_refused(&["capture", "convert", &good, &bad, "-o", &glb], 2, "use --out-dir");
    check_refused(&["capture", "fk", &good, "--frames", "90"], 2, "has 90 frames");
    check_refused(&["capture", "fk", &good, "--frames", "9-5"], 2, "such as 10-20");
    check_refused(&["capture", "convert", &good, "-o", &good], 2, "is one of the files to convert");
    check_refused(&["capture", "convert", &good, "-o", &glb, "--resample", "1e6"], 2, "between 1 and 1000");
    check_refused(&["demo", "--jobs", "1000000"], 2, "1000000");
    check_refused(&["render", &good, "-o", &path(&folder, "x.gif"), "--at", "1"], 2, "--at is for a .png");
    check_refused(&["capture", "info", &good, "--scale=-1"], 2, "expected");
    check_refused(&["capture", "info", &good, "--fps", "0"], 2, "--fps 0");
    check_refused(&["render", &good, "-o", &png, "--size", "0x0"], 2, "1 to 8192 pixels");
    check_refused(&["render", &good, "-o", &png, "--size", "wide"], 2, "640x360");
    check_refused(&["check", &good], 2, "glTF");
    check_refused(&["dance"], 2, "unrecognized subcommand");
    assert_eq!(names_in(folder.path()), ["bad.bvh", "wriggle.bvh"], "nothing is left behind");
}

#[test]
fn the_linter_says_no_with_exit_code_one() {
    let folder = tempfile::tempdir().unwrap();
    let (bvh, glb, limits) = (capture(&folder), path(&folder, "a.glb"), path(&folder, "limits.toml"));
    json(&["capture", "convert", &bvh, "-o", &glb, "--onto", "own", "--json"]);
    std::fs::write(&limits, "acceleration_m_s2 = 0.5\n").unwrap();
    let output = randori(&["check", &glb, "--limits", &limits]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("pop: wriggle") && text.contains("(limit 0.5 m/s²)"), "{text}");
    std::fs::write(&limits, "acceleration = 1\n").unwrap();
    check_refused(&["check", &glb, "--limits", &limits], 2, "unknown field `acceleration`");
}

#[test]
fn pictures_of_every_kind_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let bvh = capture(&folder);
    for (name, extra, magic) in [
        ("still.png", &["--at", "0.5", "--size", "160x90"][..], &b"\x89PNG"[..]),
        ("sheet.png", &["--sheet", "3x2", "--size", "80x80"], b"\x89PNG"),
        ("a.gif", &["--size", "96x54", "--rate", "10"], b"GIF89a"),
        ("a.apng", &["--size", "96x54", "--rate", "10", "--camera", "follow"], b"\x89PNG"),
    ] {
        let out = path(&folder, name);
        let report = json(&[&["render", &bvh, "-o", &out, "--json"][..], extra].concat());
        let bytes = std::fs::read(&out).unwrap();
        assert!(bytes.starts_with(magic), "{name}");
        assert_eq!(report["bytes"].as_u64(), Some(bytes.len() as u64));
    }
}

#[test]
fn programs_can_follow_the_progress() {
    let folder = tempfile::tempdir().unwrap();
    let (bvh, gif) = (capture(&folder), path(&folder, "a.gif"));
    let scale = ["--scale", "1", "--size", "64x36", "--quiet"];
    let output = randori(&[&["render", &bvh, "-o", &gif, "--progress", "ndjson"], &scale[..]].concat());
    assert!(output.status.success() && output.stdout.is_empty());
    let stderr = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<Value> = stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() > 5);
    let last = lines.last().unwrap();
    assert_eq!(last["done"], last["total"]);
    // Without a terminal there are no bars.
    let silent = randori(&[&["render", &bvh, "-o", &gif], &scale[..]].concat());
    assert!(silent.stderr.is_empty());
}

#[test]
fn shells_and_manuals_are_served() {
    for shell in ["bash", "zsh", "fish"] {
        assert!(String::from_utf8(randori(&["completions", shell]).stdout).unwrap().contains("randori"));
    }
    assert!(String::from_utf8(randori(&["man"]).stdout).unwrap().contains(".TH"));
    let folder = tempfile::tempdir().unwrap();
    json(&["man", "--out", folder.path().to_str().unwrap(), "--json"]);
    assert!(names_in(folder.path()).iter().any(|name| name == "randori-capture-convert.1"));
}

#[test]
fn games_are_solved_and_learned() {
    let folder = tempfile::tempdir().unwrap();
    let (matrix, markov) = (path(&folder, "matrix.json"), path(&folder, "markov.json"));
    std::fs::write(&matrix, "[[-2, 3], [3, -4]]").unwrap();
    let solved = json(&["game", "solve", &matrix, "--json"]);
    assert!((solved["value"].as_f64().unwrap() - 1.0 / 12.0).abs() < 1e-12);
    assert_eq!(solved["entries_used"], 4);
    let game = r#"{"gamma":0.5,"states":[{"rows":1,"cols":2,"reward":[1,2],"next":[[[0,1]],[[0,1]]]}]}"#;
    std::fs::write(&markov, game).unwrap();
    let solved = json(&["game", "markov", &markov, "--json"]);
    assert!((solved["values"][0].as_f64().unwrap() - 4.0).abs() < 1e-9);
    let learned = json(&["game", "learn", "pursuit-1d", "--bases", "8", "--nested", "--json"]);
    assert_eq!(
        (&learned["method"], learned["probe_values"].as_array().unwrap().len()),
        (&"nested".into(), 81)
    );
    std::fs::write(&matrix, "[[1, 2], [3]]").unwrap();
    check_refused(&["game", "solve", &matrix], 2, "matrix.json: row 1 has 1 columns");
    check_refused(&["game", "learn", "chess"], 2, "no game \"chess\"");
}

#[test]
fn figures_of_a_paper_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let out = path(&folder, "out");
    let report = json(&["reproduce", "001", "--effort", "quick", "--out", &out, "--json"]);
    let files = names_in(Path::new(&out));
    for name in
        ["001.json", "equation1.json", "figure2.json", "figure3.png", "figure5-time.png", "figure6.json"]
    {
        assert!(files.iter().any(|file| file == name), "{name}");
    }
    let kept: Value = serde_json::from_slice(&std::fs::read(format!("{out}/001.json")).unwrap()).unwrap();
    assert_eq!(kept, report);
    let row = |what: &str| {
        let mut rows = report["rows"].as_array().unwrap().iter();
        rows.find(|row| row["what"].as_str().unwrap().starts_with(what)).unwrap().clone()
    };
    for (what, paper) in [("equation 1: value", 0.0), ("figure 2: value", 3.5), ("figure 2: entries", 4.0)] {
        let row = row(what);
        assert_eq!((&row["paper"], &row["holds"]), (&paper.into(), &true.into()), "{row}");
        assert!((row["ours"].as_f64().unwrap() - paper).abs() < 1e-12, "{row}");
    }
    for what in ["figure 3", "figure 4", "figure 5: times faster nested, 4 axes", "figure 6", "sword: feints"]
    {
        assert!(row(what)["ours"].as_f64().unwrap() > 0.0, "{what}");
    }
    let figure_2: Value =
        serde_json::from_slice(&std::fs::read(format!("{out}/figure2.json")).unwrap()).unwrap();
    assert_eq!(figure_2[1]["agent_subset"], serde_json::json!([3, 4]));
}

#[test]
fn bodies_have_dynamics_and_appendix_b_its_four_cases() {
    let report = json(&["body", "appendix-b", "--json"]);
    let successes: Vec<bool> =
        report["cases"].as_array().unwrap().iter().map(|case| case["success"].as_bool().unwrap()).collect();
    assert_eq!(successes, [true, false, false, false]);
    let folder = tempfile::tempdir().unwrap();
    let (model, states) = (path(&folder, "model.urdf"), path(&folder, "states.json"));
    std::fs::write(&model, "<robot name=\"r\"><link name=\"a\"/></robot").unwrap();
    let refused = |text: &str, faulty: &str| {
        std::fs::write(&states, text).unwrap();
        check_refused(&["body", "dynamics", &model, "--states", &states], 2, &format!("{faulty}: "));
    };
    refused("{\"states\": []}", "model.urdf");
    refused("{\"states\": 1}", "states.json");
    check_refused(
        &["body", "qp", folder.path().to_str().unwrap()],
        2,
        "expected pairs of SCENARIO.FORM.json",
    );
}

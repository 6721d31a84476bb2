//! `randori library` as people and programs use it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![expect(clippy::disallowed_methods, reason = "tests of files read and write files")]

use std::path::Path;
use std::process::Output;
use std::sync::Arc;

use assert_cmd::Command;
use randori_motion::formats::bvh::{WriteOptions, write};
use randori_motion::math::{Quat, Vec3};
use randori_motion::{ActionLibrary, Build, Clip, FrameRate, Joint, Pose, Skeleton};
use randori_testkit::shared;
use serde_json::Value;
use tempfile::TempDir;

/// Runs the command with a cache folder of its own.
fn randori(folder: &TempDir, args: &[&str]) -> Output {
    let mut command = Command::cargo_bin("randori").unwrap();
    command.env("RANDORI_CACHE", folder.path().join("cache")).args(args).output().unwrap()
}

fn json(folder: &TempDir, args: &[&str]) -> Value {
    let output = randori(folder, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn check_refused(folder: &TempDir, args: &[&str], expected: &str) {
    let output = randori(folder, args);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
    assert!(stderr.contains(expected) && !stderr.contains("panicked"), "{args:?}: {stderr}");
}

fn path(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

/// A short library of the built-in boxer.
fn short_library(folder: &TempDir) -> String {
    let out = path(folder, "short.randori");
    let report =
        json(folder, &["library", "build", "builtin:boxing", "--seconds", "40", "-o", &out, "--json"]);
    assert!(report["actions"].as_u64().unwrap() > 20, "{report}");
    out
}

#[test]
fn a_runners_library_comes_with_the_graphs_of_tag() {
    let folder = tempfile::tempdir().unwrap();
    let library = path(&folder, "run.randori");
    json(&folder, &["library", "build", "builtin:run", "--seconds", "20", "-o", &library, "--json"]);
    let stats = json(&folder, &["library", "stats", &library, "--json"]);
    for (at, name, n_nodes) in [(0, "tag-agent", 18), (1, "tag-opponent", 20)] {
        let graph = &stats["pmg"][at];
        assert_eq!((graph["name"].as_str(), graph["nodes"].as_u64()), (Some(name), Some(n_nodes)));
        assert_eq!(graph["by_node"].as_array().map(Vec::len), Some(n_nodes as usize));
        assert!(graph["edges"].as_u64().unwrap() > n_nodes && graph["samples"].as_u64().unwrap() > n_nodes);
        assert!(graph["mean_actions"].as_f64().unwrap() >= 10.0, "{graph}");
    }
    let output = randori(&folder, &["library", "stats", &library]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("parametric motion graph tag-opponent: 20 nodes"), "{text}");
}

#[test]
fn a_swordsmans_library_comes_with_the_graph_of_a_duel() {
    let folder = tempfile::tempdir().unwrap();
    let library = path(&folder, "sword.randori");
    json(&folder, &["library", "build", "builtin:sword", "--seconds", "20", "-o", &library, "--json"]);
    let stats = json(&folder, &["library", "stats", &library, "--json"]);
    let graph = &stats["pmg"][0];
    assert_eq!((graph["name"].as_str(), graph["nodes"].as_u64()), (Some("sword-duel"), Some(32)));
    assert!(graph["edges"].as_u64().unwrap() > 32 && graph["samples"].as_u64().unwrap() >= 32, "{graph}");
    assert_eq!(stats["pmg"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_library_is_built_described_exported_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let library = short_library(&folder);
    let stats = json(&folder, &["library", "stats", &library, "--json"]);
    for key in
        ["actions", "nodes", "edges", "mean_choices", "seconds", "strongly_connected", "seam_slide_cm_p95"]
    {
        assert!(stats[key].is_number(), "{key}: {stats}");
    }
    // A boxer's library comes without parametric motion graphs.
    assert!(stats.get("pmg").is_none());
    let annotations = stats["annotations"].as_object().unwrap();
    let total: u64 = annotations.values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(Some(total), stats["actions"].as_u64());

    // The short library knows who performed it, so that its script can be asked for again.
    let score = json(&folder, &["library", "score", &library, "--json"]);
    assert!(score["boundary_f1"].as_f64().unwrap() > 0.8, "{score}");

    let jab = format!("{}-1", annotations.keys().find(|name| name.ends_with("-jab")).unwrap());
    for (what, name) in
        [(["--walk", "5"], "walk.glb"), (["--take", "0"], "take.bvh"), (["--action", &jab], "jab.bvh")]
    {
        let out = path(&folder, name);
        let report = json(&folder, &["library", "export", &library, what[0], what[1], "-o", &out, "--json"]);
        assert!(report["seconds"].as_f64().unwrap() > 0.1 && Path::new(&out).is_file(), "{report}");
    }
    let cmu = path(&folder, "cmu.bvh");
    json(
        &folder,
        &["library", "export", &library, "--walk", "3", "--convention", "cmu", "-o", &cmu, "--json"],
    );
    assert!(std::fs::read_to_string(&cmu).unwrap().contains("JOINT LeftForeArm"));
    let sheet = path(&folder, "jab.png");
    let report =
        json(&folder, &["render", &format!("{library}/{jab}"), "-o", &sheet, "--size", "60x60", "--json"]);
    assert_eq!(report["kind"], "sheet");
}

#[test]
fn wrong_names_list_the_near_ones() {
    let folder = tempfile::tempdir().unwrap();
    let library = short_library(&folder);
    check_refused(&folder, &["library", "stats", "builtin:boxin"], "builtin:boxing, builtin:run");
    check_refused(&folder, &["library", "stats", "nowhere.randori"], "nowhere.randori");
    let out = path(&folder, "x.bvh");
    let stats = json(&folder, &["library", "stats", &library, "--json"]);
    let known = format!("{}-1", stats["annotations"].as_object().unwrap().keys().next().unwrap());
    let args = ["library", "export", &library, "--action", &format!("x{known}"), "-o", &out];
    check_refused(&folder, &args, &format!("near are {known}"));
    check_refused(&folder, &["library", "export", &library, "--take", "99", "-o", &out], "no take 99");
    check_refused(&folder, &["library", "export", &library, "--walk", "-1", "-o", &out], "--walk");
    check_refused(
        &folder,
        &["library", "export", &library, "--walk", "1", "-o", "x.txt"],
        ".glb, .usda or .bvh",
    );
    check_refused(&folder, &["library", "score", &out], "cannot read");
    check_refused(
        &folder,
        &["library", "build", "builtin:boxing", "--seconds", "nan", "-o", &out],
        "seconds",
    );
    std::fs::write(&out, "HIERARCHY").unwrap();
    check_refused(&folder, &["library", "stats", &out], "not a library");
}

#[test]
fn labels_are_written_corrected_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let library = short_library(&folder);
    let take = path(&folder, "take.bvh");
    json(&folder, &["library", "export", &library, "--take", "0", "-o", &take, "--json"]);
    let first = json(&folder, &["library", "label", &take, "--discipline", "boxing", "--json"]);
    check_refused(&folder, &["library", "label", &take], "--force");
    let labels = first["labels"].as_str().unwrap();
    let text = std::fs::read_to_string(labels).unwrap();
    assert!(text.starts_with("start_s,end_s,peak_s,label,confidence,note\n"), "{text}");

    // A person finds that what is there most often are cartwheels.
    let n_before = text.lines().count() - 1;
    let names = || text.lines().skip(1).map(|line| line.split(',').nth(3).unwrap());
    let most = names().max_by_key(|name| names().filter(|other| other == name).count()).unwrap();
    std::fs::write(labels, text.replace(&format!(",{most},"), ",cartwheel,")).unwrap();
    let out = path(&folder, "mine.randori");
    let args = ["library", "import", &take, "--discipline", "boxing", "-o", &out, "--json"];
    let report = json(&folder, &args);
    assert_eq!(report["takes"][0]["labelled"], true);
    assert_eq!(report["takes"][0]["actions"].as_u64(), Some(n_before as u64));
    assert!(report["annotations"]["cartwheel"].as_u64().unwrap() > 1, "{report}");

    // Whoever does sword work holds a sword.
    let is_armed = |file: &str| {
        let library = ActionLibrary::from_bytes(&std::fs::read(file).unwrap()).unwrap();
        library.body().weapon.is_some()
    };
    let armed = path(&folder, "armed.randori");
    json(&folder, &["library", "import", &take, "--discipline", "sword", "-o", &armed, "--json"]);
    assert!(is_armed(&armed) && !is_armed(&out));

    std::fs::write(labels, "start_s,end_s,peak_s,label,confidence,note\n1,soon,,left-jab,1,\n").unwrap();
    check_refused(&folder, &args, "line 2");
}

/// Writes a capture of `n_frames` poses.
fn capture(
    folder: &TempDir,
    name: &str,
    skeleton: Skeleton,
    n_frames: usize,
    pose: impl Fn(usize, &mut Pose),
) -> String {
    let skeleton = Arc::new(skeleton);
    let poses = (0..n_frames).map(|frame| {
        let mut posed = skeleton.rest_pose();
        pose(frame, &mut posed);
        posed
    });
    let clip = Clip::from_poses("x", Arc::clone(&skeleton), FrameRate::HOUSE, poses).unwrap();
    let out = path(folder, name);
    std::fs::write(&out, write(&clip, &WriteOptions { rest_row: true, ..WriteOptions::default() }).unwrap())
        .unwrap();
    out
}

#[test]
fn captures_of_nothing_give_a_clear_error_or_an_empty_library() {
    let folder = tempfile::tempdir().unwrap();
    let person = || Build::AVERAGE.skeleton();
    let out = path(&folder, "x.randori");
    let import =
        |file: &str| randori(&folder, &["library", "import", file, "--scale", "1", "-o", &out, "--json"]);
    for (name, n_frames) in [("still.bvh", 200), ("moment.bvh", 1)] {
        let file = capture(&folder, name, person(), n_frames, |_, _| ());
        let output = import(&file);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && stderr.contains("warning"), "{name}: {stderr}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["actions"], 0, "{name}: {report}");
    }
    // Head over heels, and walking on it.
    let upside_down = capture(&folder, "upside-down.bvh", person(), 240, |frame, pose| {
        pose.rotations[0] = Quat::from_rotation_x(std::f32::consts::PI);
        pose.translations[0] += Vec3::new(0.0, 0.0, frame as f32 * 0.01);
        pose.rotations[3] = Quat::from_rotation_x(0.3 * (frame % 20) as f32 * 0.1);
    });
    // Somebody without legs.
    let ghost = Skeleton::new(vec![
        Joint::new("hips", None, Vec3::Y),
        Joint::new("head", Some(randori_motion::JointId(0)), Vec3::Y * 0.7).with_tip(Vec3::Y * 0.2),
    ]);
    let ghost = capture(&folder, "ghost.bvh", ghost.unwrap(), 240, |frame, pose| {
        pose.translations[0].z = frame as f32 * 0.01;
    });
    for file in [upside_down, ghost] {
        let output = import(&file);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("panicked"), "{file}: {stderr}");
        assert!(!output.status.success() || stderr.contains("warning"), "{file}: {stderr}");
    }
}

#[test]
fn captured_boxers_make_a_library() {
    let names = ["13_17", "13_18", "14_02", "14_03"];
    let Some(cmu) = shared::path("data/cmu") else { return };
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<String> =
        names.iter().map(|name| cmu.join(format!("bvh/{name}.bvh")).to_str().unwrap().to_owned()).collect();
    let out = path(&folder, "captured.randori");
    let mut args = vec!["library", "import", "--discipline", "boxing", "-o", &out, "--json"];
    args.extend(files.iter().map(String::as_str));
    let report = json(&folder, &args);
    for take in report["takes"].as_array().unwrap() {
        assert!(take["actions"].as_u64().unwrap() >= 20, "{take}");
    }
    assert!(report["strongly_connected"].as_f64().unwrap() >= 0.7, "{report}");
    let labels = cmu.join("labels_13_18.csv");
    let score =
        json(&folder, &["library", "score", &files[1], "--labels", labels.to_str().unwrap(), "--json"]);
    assert!(score["attack_f1"].as_f64().unwrap() >= 0.7, "{score}");
}

#[test]
fn the_analyser_finds_what_the_performers_meant() {
    let folder = tempfile::tempdir().unwrap();
    // Of what kinds there is enough to be counted in each.
    for (builtin, counted) in [
        ("builtin:boxing", ["boundary_f1", "label_accuracy"]),
        ("builtin:run", ["boundary_f1", "label_accuracy"]),
        ("builtin:sword", ["boundary_f1", "label_accuracy"]),
        ("builtin:carry", ["boundary_f1", "named"]),
        ("builtin:crowd", ["reaction_f1", "reaction_accuracy"]),
        ("builtin:football", ["reaction_f1", "reaction_accuracy"]),
    ] {
        let score = json(&folder, &["library", "score", builtin, "--json"]);
        for what in counted {
            assert!(score[what].as_f64().unwrap() >= 0.9, "{builtin}: {score}");
        }
    }
}

//! `randori patches`: made small, for tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::Path;

use assert_cmd::Command;
use randori::libraries::Builtin;
use randori::patterns::BUILTIN;
use randori_actor::Casting;
use randori_patches::pattern::PatternFile;
use randori_scene::files;

const PATTERNS: &str = r#"
[[pattern]]
steps = ["1 stand", "2 fall", "1 fall"]
samples = 60
choices = 4
most = 12
impulse = 20.0
distance = [0.4, 1.6]
angle1 = [-180, 180]
angle2 = [-180, 180]
delay = [0.0, 0.4]
"#;

fn randori(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("randori").unwrap();
    command.args(args);
    command
}

#[test]
fn patches_are_built_looked_into_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (library, patterns, set, again, picture) =
        (at("crowd.randori"), at("some.toml"), at("some.patches"), at("again.patches"), at("0.png"));
    let casting = Casting { seconds: 60.0, ..Builtin::Crowd.casting() };
    let write = |path: &str, bytes: &[u8]| files::write_atomically(Path::new(path), bytes).unwrap();
    write(&library, &Builtin::Crowd.make(&casting).unwrap().to_bytes());
    write(&patterns, PATTERNS.as_bytes());

    let build = |out: &str, jobs: &str| {
        let args = ["patches", "build", &library, &patterns, "-o", out, "--json", "--jobs", jobs];
        let output = randori(&args).assert().success().get_output().stdout.clone();
        serde_json::from_slice::<serde_json::Value>(&output).unwrap()
    };
    let built = build(&set, "1");
    build(&again, "2");
    let read = |path: &str| files::read(Path::new(path)).unwrap();
    assert!(read(&set) == read(&again));
    assert_eq!(built["patterns"][0]["name"], "stand FALL fall");
    assert_eq!(built["patches"], 12);
    assert!(built["patterns"][0]["discarded"]["no contact"].as_u64().unwrap() > 0, "{built}");

    let output = randori(&["patches", "stats", &set, "--json"]).assert().success();
    let stats: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!((&stats["patches"], &stats["joints"]), (&built["patches"], &built["joints"]));

    let show =
        |number: &str| randori(&["patches", "show", &set, number, "-o", &picture, "--library", &library]);
    show("0").assert().success();
    assert!(read(&picture).starts_with(b"\x89PNG"));
    let wrong = String::from_utf8(show("12").assert().code(2).get_output().stderr.clone()).unwrap();
    assert!(wrong.contains("no patch 12"), "{wrong}");

    write(&patterns, b"[[pattern]]\nsteps = [\"1 stand\", \"2 tackle\"]\n");
    let said = |args: &[&str]| {
        String::from_utf8(randori(args).assert().code(2).get_output().stderr.clone()).unwrap()
    };
    let args = ["patches", "build", &library, &patterns, "-o", &again];
    assert!(said(&args).contains("no action of the library crowd is called \"tackle\""));
    write(&patterns, b"[[pattern]]\nsteps = [\"1 stand\", \"zwei\"]\n");
    assert!(said(&args).contains("some.toml:2:21: expected a step"), "{}", said(&args));
}

#[test]
fn patterns_that_come_with_the_program_can_be_read() {
    for (name, text) in BUILTIN {
        let file = PatternFile::read(text).unwrap_or_else(|bad| panic!("{name}:{bad}"));
        assert!(Builtin::from_name(&file.library).is_ok(), "{name}");
    }
}

#[test]
fn the_sizes_of_the_papers_scenes_stand_beside_ours() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let output = randori(&["reproduce", "003", "--quick", "--json", "--out", out]).assert().success();
    let report: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let rows = report["rows"].as_array().unwrap();
    for row in rows {
        let keys: Vec<&String> = row.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["holds", "ours", "paper", "unit", "what"]);
    }
    // Even an eighth of the samples finds something for every pattern of every scene.
    let of = |words: &str| -> Vec<&serde_json::Value> {
        rows.iter().filter(|row| row["what"].as_str().unwrap().contains(words)).collect()
    };
    assert_eq!(of(": patches").len() - of(": patches of").len(), BUILTIN.len());
    assert!(of(": patches of").iter().all(|row| row["ours"].as_f64().unwrap() > 0.0), "{rows:?}");
    assert!(of("actions of the library").iter().all(|row| row["holds"] == true), "{rows:?}");
    assert!(folder.path().join("003.json").exists());
}

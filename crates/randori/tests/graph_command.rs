//! `randori graph`, and scenes whose people play on a graph: made small, for tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::Path;
use std::sync::{Arc, OnceLock};

use assert_cmd::Command;
use randori::graphs;
use randori::libraries::Builtin;
use randori_actor::Casting;
use randori_arena::style::Style;
use randori_interaction_graph::Settings;
use randori_interaction_graph::background::Policies;
use randori_interaction_graph::duel::Activity;
use randori_motion::ActionLibrary;
use randori_scene::contest::Ring;
use randori_scene::contest::switch::switch;
use randori_scene::director::{Director, DirectorError, Libraries, Report, library_key};
use randori_scene::files;
use randori_scene::screenplay::{Controller, Screenplay};

fn library() -> &'static Arc<ActionLibrary> {
    static MADE: OnceLock<Arc<ActionLibrary>> = OnceLock::new();
    MADE.get_or_init(|| {
        let usual = Builtin::Boxing.casting();
        Arc::new(Builtin::Boxing.make(&Casting { seconds: 90.0, ..usual }).unwrap())
    })
}

/// A graph of it that is made in seconds.
fn policies() -> &'static Arc<Policies> {
    static MADE: OnceLock<Arc<Policies>> = OnceLock::new();
    MADE.get_or_init(|| {
        let mut settings = Settings::default();
        settings.sampling.most = 12_000;
        settings.tolerance.unlike = 0.9;
        let graph = graphs::make(library(), &settings, &|_, _, _| ()).unwrap();
        Arc::new(Policies::of(Arc::new(graph), Arc::clone(library())))
    })
}

fn write(path: &str, bytes: &[u8]) {
    files::write_atomically(Path::new(path), bytes).unwrap();
}

fn read(path: &str) -> Vec<u8> {
    files::read(Path::new(path)).unwrap()
}

fn randori(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("randori").unwrap();
    command.args(args);
    command
}

#[test]
fn graphs_are_built_and_looked_into() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (lib, graph, again) = (at("boxer.randori"), at("boxer.graph"), at("again.graph"));
    write(&lib, &library().to_bytes());
    let build = |out: &str, jobs: &str| {
        let args = [
            "graph",
            "build",
            &lib,
            "-o",
            out,
            "--samples",
            "3000",
            "--unlike",
            "0.9",
            "--jobs",
            jobs,
            "--json",
        ];
        let output = randori(&args).assert().success().get_output().stdout.clone();
        serde_json::from_slice::<serde_json::Value>(&output).unwrap()
    };
    let built = build(&graph, "2");
    build(&again, "1");
    assert_eq!(read(&graph), read(&again), "for any number of threads");
    let stats = ["graph", "stats", &graph, "--library", &lib, "--rounds", "1", "--seconds", "2", "--json"];
    let output = randori(&stats).assert().success().get_output().stdout.clone();
    let told: serde_json::Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(told["states"], built["states"]);
    assert!(told["edges"].as_u64().unwrap() > told["states"].as_u64().unwrap());
    for key in ["coverage", "slide_cm_p95", "policy_ms"] {
        assert!(told[key].is_number(), "{key}");
    }
    assert!(told.get("build_seconds").is_some());
}

#[test]
fn a_build_that_was_interrupted_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (lib, whole, graph, part) =
        (at("boxer.randori"), at("whole.graph"), at("boxer.graph"), at("boxer.graph.part"));
    write(&lib, &library().to_bytes());
    let args = |out: &str| -> Vec<String> {
        let args =
            ["graph", "build", &lib, "-o", out, "--samples", "9000", "--unlike", "0.9", "--every", "0"];
        args.map(str::to_owned).to_vec()
    };
    let program = &assert_cmd::cargo::cargo_bin("randori");
    Command::new(program).args(args(&whole)).assert().success();
    let mut child = std::process::Command::new(program)
        .args(args(&graph))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while !Path::new(&part).exists() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().ok();
    child.wait().unwrap();
    assert!(!Path::new(&graph).exists(), "it was to be interrupted");
    let kept = read(&part);
    // What was changed in between is told, and left alone.
    let refused = |bytes: &[u8], more: &[&str], words: &str| {
        write(&part, bytes);
        let output =
            Command::new(program).args(args(&graph)).args(more).assert().code(2).get_output().clone();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(words) && text.contains("remove it"), "{text}");
        assert_eq!(read(&part), bytes);
    };
    refused(&kept[..kept.len() / 2], &[], "damaged");
    let mut newer = kept.clone();
    newer[8] += 1;
    refused(&newer, &[], "version 2");
    write(&part, &kept);
    Command::new(program).args(args(&graph)).assert().success();
    assert_eq!(read(&graph), read(&whole));
    assert!(!Path::new(&part).exists());
    write(&part, &kept);
    let mut others = args(&graph);
    others[6] = "8000".to_owned();
    let output = Command::new(program).args(others).assert().code(2).get_output().clone();
    assert!(String::from_utf8(output.stderr).unwrap().contains("made with other settings"));
}

#[test]
fn graphs_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (lib, graph) = (at("boxer.randori"), at("boxer.graph"));
    write(&lib, &library().to_bytes());
    let bytes = policies().graph().to_bytes();
    let refused = |bytes: &[u8], library: &str, words: &str| {
        write(&graph, bytes);
        let output = randori(&["graph", "stats", &graph, "--library", library, "--rounds", "0"])
            .assert()
            .code(2)
            .get_output()
            .stderr
            .clone();
        let text = String::from_utf8(output).unwrap();
        assert!(text.contains(words), "{text}");
    };
    refused(&bytes[..bytes.len() / 2], &lib, "damaged");
    let mut newer = bytes.clone();
    newer[8] += 1;
    refused(&newer, &lib, "version 3");
    let other = at("other.randori");
    let usual = Builtin::Boxing.casting();
    let others = Builtin::Boxing.make(&Casting { seconds: 60.0, ..usual }).unwrap();
    write(&other, &others.to_bytes());
    refused(&bytes, &other, "build the graph again");
}

fn scene(name: &str) -> Screenplay {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{name}.toml"));
    Screenplay::parse(name, &files::read(&path).unwrap()).unwrap()
}

/// A scene with the small library and its graph.
fn play(scene: &Screenplay) -> Report {
    let mut libraries = Libraries::default();
    for role in scene.expanded() {
        let key = library_key(scene, &role);
        if !libraries.has(&key) {
            libraries.add(&key, Arc::clone(library()));
            libraries.add_graph(&key, Arc::clone(policies()));
        }
    }
    let mut director = Director::new(scene, &libraries).unwrap();
    director.run();
    director.finish().unwrap().1
}

#[test]
fn boxers_who_look_things_up_fight() {
    let report = play(&scene("graph-boxing"));
    let hits: u32 = report.characters.iter().map(|it| it.hits_given.head + it.hits_given.torso).sum();
    let attacks: u32 = report.characters.iter().map(|it| it.attacks).sum();
    assert!(attacks >= 15 && hits >= 5, "{attacks} attacks, {hits} hits");
}

#[test]
fn outboxers_keep_farther_away_than_infighters() {
    let of = |style: &str| {
        let mut scene = scene("graph-boxing");
        for role in &mut scene.characters {
            role.style = style.to_owned();
        }
        play(&scene).characters[0].mean_distance
    };
    let (near, far) = (of("infighter"), of("outboxer"));
    assert!(far > near + 0.3, "{near} m and {far} m");
}

#[test]
fn teams_meet() {
    let mut scene = scene("graph-teams");
    scene.seconds = 6.0;
    assert_eq!(scene.characters.len(), 100);
    scene.characters.retain(|role| role.name.ends_with('1') || role.name.ends_with('2'));
    let report = play(&scene);
    let attacks: u32 = report.characters.iter().map(|it| it.attacks).sum();
    assert!(attacks > 20, "{attacks}");
}

/// Runners, and a small graph of what they get into.
fn chasers() -> (Arc<ActionLibrary>, Arc<Policies>) {
    let library = Arc::new(Builtin::Running.make(&Builtin::Running.casting()).unwrap());
    let mut settings = Settings::of(Activity::of(&library));
    assert_eq!(Activity::of(&library), Activity::Chase);
    settings.sampling.most = 120_000;
    let graph = graphs::make(&library, &settings, &|_, _, _| ()).unwrap();
    assert_eq!(graph.about().activity, Activity::Chase);
    let policies = Arc::new(Policies::of(Arc::new(graph), Arc::clone(&library)));
    (library, policies)
}

#[test]
fn a_chaser_who_looks_things_up_catches_a_runaway() {
    let (library, policies) = chasers();
    let scene = scene("graph-chase");
    let mut libraries = Libraries::default();
    let key = library_key(&scene, &scene.characters[0]);
    libraries.add(&key, library);
    libraries.add_graph(&key, policies);
    let mut director = Director::new(&scene, &libraries).unwrap();
    director.run();
    let (take, _) = director.finish().unwrap();
    let is_catch = |event: &&randori_motion::Event| {
        event.kind == randori_motion::EventKind::Hit && event.whom.as_deref() == Some("runaway")
    };
    let caught = take.events.iter().find(is_catch).map(|event| event.t);
    assert!(caught.is_some_and(|t| t > 1.0), "{caught:?}");
}

#[test]
fn a_change_of_style_shows_within_seconds() {
    let ring = Ring::of(Arc::clone(library()), 30.0).unwrap().with_graph(Arc::clone(policies()));
    let [far, near] = ["outboxer", "infighter"].map(|name| Style::preset(name).unwrap());
    for (way, sign) in [([far, near], 1.0), ([near, far], -1.0)] {
        let mut sum = 0.0;
        for seed in 0..12 {
            let [before, after, later] = switch(&ring, &Controller::Graph { depth: 5 }, way, seed);
            println!("{before:.2} m, then {after:.2} m and {later:.2} m");
            sum += sign * (before - later) / 12.0;
        }
        assert!(sum >= 0.4, "{sum} m");
    }
}

#[test]
fn whoever_plays_on_a_graph_needs_one() {
    let scene = scene("graph-boxing");
    let mut libraries = Libraries::default();
    libraries.add(&library_key(&scene, &scene.characters[0]), Arc::clone(library()));
    let error = Director::new(&scene, &libraries).err().unwrap();
    assert!(matches!(error, DirectorError::Graph { .. }), "{error}");
}

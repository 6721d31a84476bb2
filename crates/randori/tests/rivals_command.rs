//! `randori rivals`: learned small, played, drawn and counted.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use assert_cmd::Command;

fn randori(args: &[&str]) -> serde_json::Value {
    let output = Command::cargo_bin("randori").unwrap().args(args).arg("--json").output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn sword_is_learned_played_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (values, glb) = (at("sword.values"), at("sword.glb"));
    let learned = randori(&["rivals", "learn", "sword", "--size", "small", "-o", &values]);
    assert_eq!(learned["bases"], 216 * 216);
    let play = ["rivals", "play", "sword", "--values", &values, "--seconds", "3", "-o", &glb];
    let played = randori(&play);
    assert_eq!(played["agent"], "optimal");
    assert!(std::path::Path::new(&glb).exists());
    let counted = randori(&["rivals", "contest", "sword", "--values", &values, "--rounds", "4"]);
    assert_eq!(counted["play_offs"].as_array().unwrap().len(), 3);
    assert!(counted["optimal"]["attacks"].as_u64().unwrap() > 0);
    // Values of one game are none of another's.
    let mut wrong = Command::cargo_bin("randori").unwrap();
    wrong.args(["rivals", "play", "sword", "--look-ahead", "0.3", "--values", &values]);
    wrong.assert().code(2);
    let map = ["rivals", "map", "sword", "--values", &values, "-o", "map.png"];
    Command::cargo_bin("randori").unwrap().args(map).assert().code(2);
}

#[test]
fn tag_is_learned_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (values, map, arrows) = (at("tag.values"), at("map.png"), at("arrows.png"));
    let learned = randori(&["rivals", "learn", "tag", "--size", "small", "-o", &values]);
    assert_eq!(learned["levels"].as_array().unwrap().len(), 2);
    let drawn = randori(&["rivals", "map", "tag", "--values", &values, "--squares", "12", "-o", &map]);
    assert!(drawn["near"].as_f64().unwrap() >= 0.0);
    let drawn = randori(&["rivals", "map", "tag", "--values", &values, "--arrows", "1.5", "-o", &arrows]);
    assert!(!drawn["agent"].as_array().unwrap().is_empty());
    let png = [map, arrows].map(|path| std::path::Path::new(&path).exists());
    assert_eq!(png, [true; 2]);
}

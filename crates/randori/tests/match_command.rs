//! Controllers against each other, and the paper's numbers beside ours.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::process::Output;
use std::sync::Once;

use assert_cmd::Command;
use serde_json::Value;

fn run(args: &[&str]) -> Output {
    // One folder for all tests of this file: libraries take a while to make.
    let cache = concat!(env!("CARGO_TARGET_TMPDIR"), "/libraries");
    Command::cargo_bin("randori").unwrap().env("RANDORI_CACHE", cache).args(args).output().unwrap()
}

fn randori(args: &[&str]) -> Output {
    static MADE: Once = Once::new();
    MADE.call_once(|| {
        for library in ["builtin:boxing", "builtin:run"] {
            run(&["match", "still", "still", "--rounds", "1", "--seconds", "0.1", "--library", library]);
        }
    });
    run(args)
}

fn json(args: &[&str]) -> Value {
    let output = randori(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The result of a match, after checks of what every result must be.
fn check_match(args: &[&str], rounds: u64) -> Value {
    let count = rounds.to_string();
    let result = json(&[&["match"], args, &["--rounds", &count, "--json"]].concat());
    let keys: Vec<&str> = result.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["damage", "draws", "hits", "rounds", "score_ci95", "wins"], "{args:?}");
    let number = |value: &Value| value.as_u64().unwrap();
    let wins = &result["wins"];
    assert_eq!(number(&result["rounds"]), rounds);
    assert_eq!(number(&wins[0]) + number(&wins[1]) + number(&result["draws"]), rounds, "{result}");
    for pair in ["wins", "hits", "damage", "score_ci95"] {
        assert_eq!(result[pair].as_array().unwrap().len(), 2, "{pair}");
        assert!(result[pair].as_array().unwrap().iter().all(|it| it.as_f64().unwrap() >= 0.0), "{pair}");
    }
    let score = (number(&wins[0]) as f64 + 0.5 * number(&result["draws"]) as f64) / rounds as f64;
    let [low, high] = [0, 1].map(|end| result["score_ci95"][end].as_f64().unwrap());
    assert!(low <= score && score <= high && high <= 1.0, "{result}");
    result
}

#[test]
fn looking_ahead_beats_chance() {
    let result = check_match(&["gametree:2", "random", "--seconds", "12", "--seed", "3"], 4);
    assert!(result["wins"][0].as_u64() >= Some(3), "{result}");
    assert!(result["damage"][0].as_f64() > result["damage"][1].as_f64(), "{result}");
    assert!(result["hits"][0].as_u64() >= Some(4), "{result}");
}

#[test]
fn who_is_named_first_does_not_matter() {
    let result = check_match(&["random", "gametree:2", "--seconds", "12", "--seed", "3"], 4);
    assert!(result["wins"][1].as_u64() >= Some(3), "{result}");
}

#[test]
fn a_match_is_the_same_for_any_number_of_threads_and_another_for_another_seed() {
    let play = |more: &[&str]| {
        check_match(&[&["static", "random", "--seconds", "8", "--style-a", "infighter"], more].concat(), 5)
    };
    let once = play(&["--seed", "11", "--jobs", "1"]);
    assert_eq!(once, play(&["--seed", "11", "--jobs", "2"]));
    assert_ne!(once, play(&["--seed", "12", "--jobs", "2"]));
}

#[test]
fn where_nobody_strikes_a_catch_wins_and_so_does_getting_away() {
    let library = ["--library", "builtin:run", "--seconds", "15"];
    let caught = check_match(&[&["gametree:2", "still"], &library[..]].concat(), 2);
    assert_eq!(caught["wins"], serde_json::json!([2, 0]), "{caught}");
    assert_eq!(caught["hits"], serde_json::json!([2, 0]), "a round ends with the catch");
    assert_eq!(caught["damage"], serde_json::json!([0.0, 0.0]));
    let escaped = check_match(&[&["still", "still"], &library[..]].concat(), 2);
    assert_eq!(escaped["wins"], serde_json::json!([0, 2]), "{escaped}");
    let styles = ["--style-a", "chaser", "--style-b", "chaser"];
    let waiting = check_match(&[&["still", "still"], &library[..], &styles].concat(), 2);
    assert_eq!(waiting["draws"], 2, "nobody catches, and nobody was to get away");
}

#[test]
fn bad_names_say_what_is_allowed() {
    for (args, expected) in [
        (&["gametre:4", "random"][..], "no controller \"gametre:4\"; there are gametree, "),
        (&["random", "gametree:0"], "gametree:DEPTH with a depth from 1 to 16"),
        (&["random", "gametree:99"], "gametree:DEPTH with a depth from 1 to 16"),
        (&["random", "random", "--style-a", "infigther"], "no style \"infigther\"; there are infighter, "),
        (&["random", "random", "--style-b", ""], "general-boxer, "),
        (&["random", "random", "--library", "builtin:boxng"], "there are builtin:boxing, builtin:run"),
        (&["random", "random", "--library", "nowhere.randori"], "nowhere.randori"),
        (&["random", "random", "--seconds", "0"], "a round of 0 s; it lasts from 0.1 s to 3600 s"),
        (&["random", "random", "--seconds", "NaN"], "a round of NaN s"),
        (&["random", "random", "--rounds", "0"], "--rounds"),
        (&["random"], "<B>"),
    ] {
        let output = randori(&[&["match"], args].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains(expected) && !stderr.contains("panicked"), "{args:?}: {stderr}");
    }
}

#[test]
fn the_numbers_of_the_paper_stand_beside_ours() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let report = json(&["reproduce", "000", "--quick", "--json", "--out", out.to_str().unwrap()]);
    let keys: Vec<&String> = report.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["rows"]);
    let rows = report["rows"].as_array().unwrap();
    let find =
        |what: &'static str| rows.iter().filter(move |row| row["what"].as_str().unwrap().starts_with(what));
    for row in rows {
        let keys: Vec<&String> = row.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["holds", "ours", "paper", "unit", "what"]);
        assert!(row["holds"].is_boolean() && row["what"].is_string() && row["unit"].is_string(), "{row}");
        assert!(row["ours"].as_f64().is_some_and(f64::is_finite), "{row}");
    }
    let table_two: Vec<f64> = find("table II:").map(|row| row["ours"].as_f64().unwrap()).collect();
    assert_eq!(table_two, [0.75, 0.25, 0.25, 0.75]);
    assert!(find("table II:").all(|row| row["holds"] == true && row["ours"] == row["paper"]));
    for (what, count) in [
        ("table V:", 21),
        ("level 4 beats level 2", 1),
        ("level 4 chaser", 2),
        ("two level", 1),
        ("mean distance of two", 2),
        ("error on a path", 3),
        ("score of level", 2),
        ("attacks of both", 2),
        ("edges per decision", 8),
        ("time for 30 s", 1),
    ] {
        assert_eq!(find(what).count(), count, "{what}");
    }
    let sword = find("table V: sword, choices pruned").next().unwrap();
    assert!(sword["ours"].as_f64().is_some_and(|percent| percent > 1.0), "{sword}");
    // Pruning decides as plain expansion does.
    assert!(
        rows.iter().filter(|row| row["what"].as_str().unwrap().contains("the same choices")).count() == 3
    );
    assert!(
        find("edges per decision")
            .all(|row| row["what"].as_str().unwrap().contains("extrapolated") != (row["holds"] == true))
    );
    for name in ["000.json", "000-activity.png", "000-cost.png", "000-strength.png"] {
        assert!(out.join(name).exists(), "{name}");
    }
}

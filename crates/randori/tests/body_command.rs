//! `randori body run`, `randori body dump` and `randori reproduce 002`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::Path;

use assert_cmd::Command;
use randori_scene::files;
use serde_json::Value;

fn randori(args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("randori").unwrap();
    command.args(args);
    command
}

fn json(path: &str) -> Value {
    serde_json::from_slice(&files::read(Path::new(path)).unwrap()).unwrap()
}

#[test]
fn a_scenario_runs_and_reports_its_physics() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (glb, video, report) = (at("lever.glb"), at("lever.apng"), at("lever.json"));
    let args = [
        "body",
        "run",
        "lever",
        "--seconds",
        "0.4",
        "-o",
        &glb,
        "--video",
        &video,
        "--report",
        &report,
        "--quiet",
    ];
    randori(&args).assert().success();
    assert!(files::read(Path::new(&glb)).unwrap().starts_with(b"glTF"));
    assert!(files::read(Path::new(&video)).unwrap().starts_with(b"\x89PNG"));
    let report = json(&report);
    for field in [
        "dt",
        "steps",
        "assembly_ms",
        "solve_ms",
        "step_median_ms",
        "step_max_ms",
        "eom_residual_max",
        "action_reaction_max",
        "friction_margin_min",
        "slip_mm_max",
        "limit_violation_max",
        "distance_margin_min_mm",
        "infeasible_steps",
        "tasks",
    ] {
        assert!(report.get(field).is_some(), "no `{field}`");
    }
    assert_eq!(report["steps"], 80);
    assert_eq!(report["infeasible_steps"], 0);
    assert_eq!(report["per_step"]["slip_mm"].as_array().unwrap().len(), 80);
}

#[test]
fn a_scenarios_problems_are_written_and_solved_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    randori(&["body", "dump", "funambulist", path, "--seconds", "0.3", "--steps", "20"]).assert().success();
    let out = randori(&["body", "qp", path, "--json"]).assert().success().get_output().stdout.clone();
    let report: Value = serde_json::from_slice(&out).unwrap();
    let family = &report["families"][0];
    assert_eq!((&family["steps"], &family["failures"]), (&Value::from(20), &Value::from(0)), "{family}");
    assert!(family["objective_gap_max"].as_f64().unwrap() < 1e-6, "{family}");
}

#[test]
fn what_cannot_run_is_refused_in_words() {
    let told = |args: &[&str]| {
        let output = randori(args).assert().failure().get_output().stderr.clone();
        String::from_utf8(output).unwrap()
    };
    assert!(told(&["body", "run", "queen"]).contains("king"));
    assert!(told(&["body", "run", "king", "--dt", "2"]).contains("time step"));
    assert!(told(&["body", "run", "king", "--seconds", "-1"]).contains("--seconds"));
    assert!(told(&["body", "run", "king", "--seconds", "0.1", "--video", "king.doc"]).contains(".apng"));
}

#[test]
fn the_papers_tables_and_figures_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let args = ["reproduce", "002", "--quick", "--out", path, "--json"];
    let out = randori(&args).assert().success().get_output().stdout.clone();
    let report: Value = serde_json::from_slice(&out).unwrap();
    let rows = report["rows"].as_array().unwrap();
    let row = |what: &str| rows.iter().find(|row| row["what"] == what).unwrap_or_else(|| panic!("no {what}"));
    let variables = row("table 1, king: variables");
    assert_eq!((&variables["paper"], &variables["ours"]), (&Value::from(380.0), &Value::from(380.0)));
    assert_eq!((&variables["unit"], &variables["holds"]), (&Value::from("-"), &Value::from(true)));
    // The one count that differs, and why.
    let sword =
        "table 1, sword: inequalities (the paper's other columns add up to 217, 100 fewer than printed)";
    assert_eq!((&row(sword)["paper"], &row(sword)["ours"]), (&Value::from(317.0), &Value::from(217.0)));
    for name in ["002.json", "figure9.png", "figure10-king.png", "figure10-door.png"] {
        assert!(folder.path().join(name).exists(), "no {name}");
    }
}

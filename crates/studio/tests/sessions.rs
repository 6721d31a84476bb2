//! What sessions show, and what becomes of what is asked of them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use common::{Viewer, fetch, libraries, studio, time_of};
use randori_motion::{Event, EventKind};
use randori_scene::director::Director;
use randori_scene::screenplay::Screenplay;
use serde_json::{Value, json};

/// The decisions of somebody: when and what.
fn decisions(take: &Value) -> Vec<(f64, String)> {
    let acts = take["people"].as_array().unwrap().iter().flat_map(|it| it["acts"].as_array().unwrap());
    acts.filter(|act| act[3] == true)
        .map(|act| (act[0].as_f64().unwrap(), act[1].as_str().unwrap().to_owned()))
        .collect()
}

fn before(list: &[(f64, String)], t: f64) -> Vec<(f64, String)> {
    list.iter().filter(|(at, _)| *at < t).cloned().collect()
}

#[test]
fn a_scene_is_played_and_shown() {
    let studio = studio();
    let mut viewer = Viewer::at(studio.address(), None);
    let welcome = viewer.wait("welcome", |_| true);
    assert_eq!(welcome["scenes"][0], "duel");
    let take = viewer.open_duel();
    assert_eq!(take["people"].as_array().unwrap().len(), 2);
    assert!((take["ready"].as_f64().unwrap() - 6.0).abs() < 0.1);
    assert!(decisions(&take).len() > 5);
    viewer.ask(json!({ "do": "play", "on": false }));
    viewer.wait("clock", |clock| clock["runs"] == false);
    viewer.ask(json!({ "do": "seek", "t": 2.5 }));
    let frame = loop {
        let frame = viewer.frame();
        if (time_of(&frame) - 2.5).abs() < 1e-6 {
            break frame;
        }
    };
    assert_eq!(u16::from_le_bytes([frame[2], frame[3]]), 2);
    // The clock runs by itself, and stops at the end without a loop.
    viewer.ask(json!({ "do": "loop", "on": false }));
    viewer.ask(json!({ "do": "speed", "rate": 4.0 }));
    viewer.ask(json!({ "do": "play", "on": true }));
    viewer.wait("clock", |clock| clock["runs"] == true);
    viewer.wait("clock", |clock| clock["runs"] == false);
}

#[test]
fn a_slider_changes_what_comes_after_it_and_the_saved_scene_plays_the_same() {
    let studio = studio();
    let mut viewer = Viewer::at(studio.address(), None);
    let first = viewer.open_duel();
    let at = 2.0;
    viewer.ask(json!({ "do": "weight", "who": "red", "weight": "distance", "value": 2.5, "at": at }));
    viewer.wait("scene", |scene| scene["changes"].as_array().unwrap().len() == 1);
    let version = first["version"].as_u64().unwrap();
    let second = viewer.wait("take", |take| take["done"] == true && take["version"].as_u64() > Some(version));
    let (first, second) = (decisions(&first), decisions(&second));
    assert_eq!(before(&first, at), before(&second, at));
    assert_ne!(first, second);
    // The other way round: back to before the change.
    viewer.ask(json!({ "do": "save" }));
    let file = viewer.wait("download", |_| true);
    let host = format!("Host: {}\r\n", studio.address());
    let (status, text) = fetch(studio.address(), "GET", file["url"].as_str().unwrap(), &host, b"");
    assert_eq!((status, file["name"].as_str()), (200, Some("duel.toml")));
    let scene = Screenplay::parse("duel.toml", &text).unwrap();
    let mut director = Director::new(&scene, &libraries()).unwrap();
    director.run();
    let (take, _) = director.finish().unwrap();
    let is_decision = |event: &&Event| event.kind == EventKind::Decision;
    let mut again: Vec<(f64, String)> = (take.events.iter().filter(is_decision))
        .map(|event| (event.t, event.details["action"].as_str().unwrap().to_owned()))
        .collect();
    let mut told = second;
    let by_time =
        |list: &mut Vec<(f64, String)>| list.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    by_time(&mut again);
    by_time(&mut told);
    assert_eq!(again, told);
    // A file is handed over once.
    assert_eq!(fetch(studio.address(), "GET", file["url"].as_str().unwrap(), &host, b"").0, 404);
}

#[test]
fn a_rewind_forgets_what_came_after() {
    let studio = studio();
    let mut viewer = Viewer::at(studio.address(), None);
    let first = viewer.open_duel();
    viewer.ask(json!({ "do": "style", "who": "blue", "style": "outboxer", "at": 1.0 }));
    let second = viewer.wait("take", |take| take["done"] == true);
    assert_ne!(decisions(&first), decisions(&second));
    viewer.ask(json!({ "do": "rewind", "at": 0.5 }));
    let third = viewer.wait("take", |take| take["done"] == true);
    assert_eq!(decisions(&first), decisions(&third));
}

#[test]
fn starts_and_checkpoints_are_moved() {
    let studio = studio();
    let mut viewer = Viewer::at(studio.address(), None);
    viewer.open_duel();
    viewer.ask(json!({ "do": "start", "who": "red", "x": 0.5, "z": -1.25 }));
    let scene = viewer.wait("scene", |_| true);
    assert_eq!(scene["people"][0]["at"], json!([0.5, -1.25]));
    viewer.ask(
        json!({ "do": "checkpoint", "who": "red", "number": 1, "x": 1.0, "z": 0.0, "time": 4.0, "at": 0.0 }),
    );
    let scene = viewer.wait("scene", |_| true);
    assert_eq!(scene["people"][0]["paths"][0]["points"][0]["at"], json!([1.0, 0.0]));
    viewer.wait("take", |take| take["done"] == true);
    // Later on, only what is left of the way changes.
    viewer.ask(
        json!({ "do": "checkpoint", "who": "red", "number": 1, "x": -1.0, "z": 0.0, "time": 5.0, "at": 1.0 }),
    );
    let scene = viewer.wait("scene", |_| true);
    let paths = scene["people"][0]["paths"].as_array().unwrap();
    assert_eq!(paths.len(), 2);
    let due = paths[1]["points"][0]["time"].as_f64().unwrap();
    assert!((due - 5.0).abs() < 1e-9, "{due}");
    viewer.wait("take", |take| take["done"] == true);
    viewer.ask(json!({ "do": "checkpoint", "who": "red", "number": 9, "x": 0.0, "z": 0.0, "at": 0.0 }));
    assert!(
        viewer.wait("error", |_| true)["words"]
            .as_str()
            .unwrap()
            .contains("expected a checkpoint from 1 to 2")
    );
}

/// How deep a tree is.
fn depth_of(branches: &Value) -> usize {
    let deep = branches.as_array().unwrap().iter().map(|branch| 1 + depth_of(&branch["next"]));
    deep.max().unwrap_or(0)
}

#[test]
fn decisions_are_explained() {
    let studio = studio();
    let mut viewer = Viewer::at(studio.address(), None);
    let take = viewer.open_duel();
    let acts = take["people"][1]["acts"].as_array().unwrap();
    let act = acts.iter().filter(|act| act[3] == true).nth(1).unwrap();
    viewer.ask(json!({ "do": "explain", "who": "blue", "t": act[0] }));
    let told = viewer.wait("explained", |_| true);
    assert_eq!(told["chosen"], act[1]);
    let candidates = told["candidates"].as_array().unwrap();
    assert_eq!(candidates[0]["action"], act[1]);
    assert_eq!(candidates[0]["taken"], true);
    assert!(candidates[0]["scores"][0].is_number() && candidates[0]["terms"]["movement"].is_number());
    let pruned: u64 = told["pruned"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(told["options"].as_u64().unwrap(), told["plausible"].as_u64().unwrap() + pruned);
    // As deep as asked for, whatever the planner did: first a shallow tree, then deeper ones.
    viewer.ask(json!({ "do": "explain", "who": "blue", "t": act[0], "depth": 5 }));
    for depth in 3..=5 {
        let told = viewer.wait("explained", |told| told["wanted"] == 5 && told["depth"] == depth);
        assert_eq!(depth_of(&told["candidates"]), depth);
    }
    viewer.ask(json!({ "do": "explain", "who": "blue", "t": act[0], "depth": 9 }));
    viewer.wait("error", |error| error["words"].as_str().unwrap().contains("from 1 to 8"));
    viewer.ask(json!({ "do": "explain", "who": "blue", "t": 0.001 }));
    viewer.wait("error", |error| error["words"].as_str().unwrap().contains("decided nothing"));
}

#[test]
fn files_are_opened_dropped_and_compared() {
    let studio = studio();
    let mut viewer = Viewer::at(studio.address(), Some("files"));
    viewer.ask(json!({ "do": "open-file", "file": "motley.glb" }));
    let take = viewer.wait("take", |_| true);
    assert_eq!(take["things"].as_array().unwrap().len(), 3);
    viewer.ask(json!({ "do": "pin" }));
    viewer.wait("take", |take| take["picture"] == 1);
    let host = format!("Host: {0}\r\nOrigin: http://{0}\r\n", studio.address());
    let (status, _) =
        fetch(studio.address(), "POST", "/upload?session=files&name=mine.bvh", &host, b"HIERARCHY");
    assert_eq!(status, 202);
    viewer.wait("take", |take| take["picture"] == 0);
    let sides: Vec<u8> = (0..6).map(|_| viewer.frame()[1]).collect();
    assert!(sides.contains(&0) && sides.contains(&1), "{sides:?}");
    for (format, end) in [("glb", "motley.glb"), ("bvh", "motley.blue.bvh")] {
        viewer.ask(json!({ "do": "export", "format": format }));
        assert_eq!(viewer.wait("download", |_| true)["name"], end);
    }
    for ask in [
        json!({ "do": "open-file", "file": "/etc/passwd" }),
        json!({ "do": "open", "scene": "../../scene" }),
        json!({ "do": "open", "scene": "broken" }),
        json!({ "do": "export", "format": "exe" }),
        json!({ "do": "save" }),
        json!({ "do": "key", "key": "punch", "down": true }),
    ] {
        viewer.ask(ask);
        viewer.wait("error", |_| true);
    }
}

#[test]
fn a_session_that_crashes_leaves_the_others_alone() {
    let studio = studio();
    let mut good = Viewer::at(studio.address(), Some("good"));
    let mut bad = Viewer::at(studio.address(), Some("bad"));
    bad.ask(json!({ "do": "open", "scene": "crash" }));
    let error = bad.wait("error", |_| true);
    assert!(error["words"].as_str().unwrap().contains("others go on"), "{error}");
    while bad.next().is_some() {}
    good.open_duel();
    // Under the same name there is a new one.
    Viewer::at(studio.address(), Some("bad")).open_duel();
}

#[test]
fn two_viewers_share_a_session_and_strangers_do_not() {
    let studio = studio();
    let [mut one, mut two] = [0, 1].map(|_| Viewer::at(studio.address(), Some("shared")));
    two.wait("welcome", |_| true);
    let mut stranger = Viewer::at(studio.address(), Some("other"));
    one.open_duel();
    two.wait("take", |take| take["done"] == true);
    stranger.ask(json!({ "do": "pin" }));
    stranger.wait("error", |error| error["words"].as_str().unwrap().contains("no take"));
}

//! A bout against the computer.

mod common;

use common::{Viewer, studio};
use serde_json::json;

#[test]
fn keys_are_answered_and_the_rival_strikes_back() {
    let studio = studio();
    let mut viewer = Viewer::at(studio.address(), None);
    viewer.ask(json!({ "do": "match", "discipline": "boxing", "rival": "gametree", "depth": 2, "style": "infighter" }));
    let take = viewer.wait("take", |take| take["live"] == true);
    assert_eq!(take["people"][0]["name"], "you");
    for (key, kind) in [("punch", "attack"), ("kick", "attack"), ("back", "move"), ("dodge", "defence")] {
        viewer.ask(json!({ "do": "key", "key": key, "down": true }));
        let score = viewer.wait("score", |score| score["doing"][0][1] == kind);
        assert!(score["rival"]["depth"] == 2, "{score}");
        viewer.ask(json!({ "do": "key", "key": key, "down": false }));
    }
    // The rival changes while it goes on, and blows land.
    viewer.ask(json!({ "do": "rival", "depth": 5, "style": "outboxer" }));
    viewer.wait("score", |score| score["rival"]["style"] == "outboxer" && score["rival"]["depth"] == 5);
    viewer.ask(json!({ "do": "rival", "depth": 3, "style": "infighter" }));
    viewer.ask(json!({ "do": "key", "key": "forward", "down": true }));
    viewer.wait("score", |score| score["last"].is_object());
    assert!(viewer.frames.len() > 10);
    viewer.ask(json!({ "do": "rival", "depth": 9, "style": "infighter" }));
    viewer.wait("error", |error| error["words"].as_str().unwrap().contains("depth from 1 to 5"));
    viewer.ask(json!({ "do": "end" }));
    viewer.open_duel();
}

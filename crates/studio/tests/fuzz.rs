//! Ten thousand messages and requests that nobody would send: no crash, no hang, nothing served that was not named.

mod common;

use std::net::SocketAddr;
use std::time::Duration;

use common::{Viewer, raw, studio};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

/// Well-formed messages, to be broken.
fn examples() -> Vec<Value> {
    vec![
        json!({ "do": "open", "scene": "duel" }),
        json!({ "do": "open-file", "file": "motley.glb" }),
        json!({ "do": "play", "on": true }),
        json!({ "do": "seek", "t": 1.5 }),
        json!({ "do": "speed", "rate": 2.0 }),
        json!({ "do": "loop", "on": false }),
        json!({ "do": "start", "who": "red", "x": 0.5, "z": 1.0 }),
        json!({ "do": "checkpoint", "who": "red", "number": 1, "x": 1.0, "z": 2.0, "time": 3.0, "require": ["left-jab"], "at": 0.5 }),
        json!({ "do": "remove-checkpoint", "who": "red", "number": 1, "at": 1.0 }),
        json!({ "do": "style", "who": "blue", "style": "infighter", "at": 1.0 }),
        json!({ "do": "weight", "who": "blue", "weight": "distance", "value": 2.0, "at": 1.0 }),
        json!({ "do": "controller", "who": "red", "controller": "static", "at": 1.0 }),
        json!({ "do": "rewind", "at": 0.5 }),
        json!({ "do": "save" }),
        json!({ "do": "export", "format": "bvh" }),
        json!({ "do": "explain", "who": "red", "t": 1.0, "depth": 2 }),
        json!({ "do": "hero", "plan": "one-many", "seed": 1 }),
        json!({ "do": "command", "actions": ["punch"], "direction": 90.0, "turn": "left", "at": 1.0 }),
        json!({ "do": "pin" }),
        json!({ "do": "unpin" }),
        json!({ "do": "key", "key": "punch", "down": true }),
        json!({ "do": "rival", "depth": 2, "style": "infighter" }),
        json!({ "do": "end" }),
    ]
}

fn odd(chance: &mut ChaCha8Rng) -> Value {
    let values = [
        json!(null),
        json!(-1),
        json!(1e308),
        json!(-0.0),
        json!("\u{0}"),
        json!("../../../etc/passwd"),
        json!([[[[[[]]]]]]),
        json!({}),
        json!(u64::MAX),
        json!("x".repeat(3000)),
        json!(true),
        json!("🥋"),
    ];
    values[chance.random_range(0..values.len())].clone()
}

/// A message with something wrong: a field, a byte, its end, its kind.
fn broken(chance: &mut ChaCha8Rng, examples: &[Value]) -> Message {
    let mut value = examples[chance.random_range(0..examples.len())].clone();
    if let Value::Object(fields) = &mut value {
        let keys: Vec<String> = fields.keys().cloned().collect();
        let key = keys[chance.random_range(0..keys.len())].clone();
        match chance.random_range(0..5) {
            0 => drop(fields.remove(&key)),
            1 => drop(fields.insert(format!("{key}s"), odd(chance))),
            2 => {}
            _ => drop(fields.insert(key, odd(chance))),
        }
    }
    let text = value.to_string();
    match chance.random_range(0..8) {
        0 => {
            let end = (0..text.len())
                .filter(|at| text.is_char_boundary(*at))
                .nth(chance.random_range(0..text.chars().count()));
            Message::Text(text[..end.unwrap_or(0)].to_owned().into())
        }
        1 => {
            let mut letters: Vec<char> = text.chars().collect();
            let at = chance.random_range(0..letters.len());
            letters[at] = char::from(chance.random_range(1..127u8));
            Message::Text(letters.into_iter().collect::<String>().into())
        }
        2 => Message::Binary(
            (0..chance.random_range(0..64)).map(|_| chance.random::<u8>()).collect::<Vec<u8>>().into(),
        ),
        _ => Message::Text(text.into()),
    }
}

#[test]
fn messages_that_make_no_sense_are_answered() {
    const SOCKETS: usize = 8;
    const MESSAGES: usize = 1000;
    let studio = studio();
    let examples = examples();
    let mut answered = 0;
    for socket in 0..SOCKETS {
        let mut chance = ChaCha8Rng::seed_from_u64(socket as u64);
        let mut viewer = Viewer::at(studio.address(), Some(&format!("fuzz-{socket}")));
        for _ in 0..MESSAGES / 100 {
            for _ in 0..100 {
                viewer.socket.send(broken(&mut chance, &examples)).unwrap();
            }
            // Whatever came before, this one has its answer.
            viewer.ask(json!({ "do": "nothing-of-the-kind" }));
            viewer.socket.get_mut().set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            loop {
                let told = viewer.next().expect("an answer");
                answered += usize::from(told["is"] == "error");
                if told["words"].as_str().is_some_and(|words| words.contains("nothing-of-the-kind")) {
                    break;
                }
            }
            viewer.frames.clear();
        }
    }
    assert!(answered > SOCKETS * MESSAGES / 4, "{answered}");
    Viewer::at(studio.address(), Some("afterwards")).open_duel();
}

/// A request with something wrong.
fn request(chance: &mut ChaCha8Rng, address: SocketAddr) -> Vec<u8> {
    let pick = |chance: &mut ChaCha8Rng, list: &[&str]| list[chance.random_range(0..list.len())].to_owned();
    let method =
        pick(chance, &["GET", "GET", "GET", "POST", "HEAD", "PUT", "OPTIONS", "BREW", "get", "\u{7f}"]);
    let path = pick(
        chance,
        &[
            "/",
            "/main.js",
            "/ws",
            "/upload",
            "/download/1/x",
            "/../../etc/passwd",
            "/%2e%2e/%2e%2e/etc/passwd",
            "//",
            "/\\..\\x",
            "/ws?session=%00",
            "/ws?session=a&session=b",
            "/upload?session=a&name=../x",
            "*",
            "http://example.org/",
            "/download/-1/a",
            "/style.css?x=%ff%fe",
            "/download/18446744073709551616/x",
            "/./main.js",
            "/main.js%00.html",
            "/crates/studio/Cargo.toml",
        ],
    );
    let version = pick(chance, &["HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/9"]);
    let host = match chance.random_range(0..4) {
        0 => pick(chance, &["example.org", "", "127.0.0.1", "[::1", "localhost:99999", "127.0.0.1:0"]),
        _ => address.to_string(),
    };
    let more = pick(
        chance,
        &[
            "",
            "Origin: http://example.org\r\n",
            "Content-Length: 99999999999\r\n",
            "Content-Length: -1\r\n",
            "Upgrade: websocket\r\nConnection: Upgrade\r\n",
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n",
            "Transfer-Encoding: chunked\r\n",
            "X: \u{0}\r\n",
            ": \r\n",
        ],
    );
    let mut bytes =
        format!("{method} {path} {version}\r\nHost: {host}\r\n{more}Connection: close\r\n\r\n").into_bytes();
    bytes.extend((0..chance.random_range(0..40)).map(|_| chance.random::<u8>()));
    if chance.random_range(0..6) == 0 {
        let at = chance.random_range(0..bytes.len());
        bytes[at] = chance.random();
    }
    bytes
}

#[test]
fn requests_that_make_no_sense_are_answered_with_nothing_of_this_machine() {
    const REQUESTS: usize = 2500;
    let studio = studio();
    let mut chance = ChaCha8Rng::seed_from_u64(77);
    let mut served = 0;
    for _ in 0..REQUESTS {
        let request = request(&mut chance, studio.address());
        let answer = raw(studio.address(), &request, Duration::from_millis(15));
        let text = String::from_utf8_lossy(&answer);
        for secret in ["root:", "[package]", "[dependencies]"] {
            assert!(!text.contains(secret), "{}", String::from_utf8_lossy(&request));
        }
        let is_page =
            ["<!doctype html>", "import {", ":root {", "// "].iter().any(|start| text.contains(start));
        served += usize::from(text.starts_with("HTTP/1.1 200") || text.starts_with("HTTP/1.0 200"));
        assert!(
            is_page
                || !text.contains(" 200 OK")
                || text.contains("ontent-length: 0")
                || request.starts_with(b"HEAD"),
            "{text}"
        );
    }
    assert!(served > 20, "{served}");
    Viewer::at(studio.address(), None).wait("welcome", |_| true);
}

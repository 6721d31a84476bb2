//! Many viewers who ask for anything, for a while: nobody is dropped, and memory stays what it is.
//!
//! For a few seconds in the usual tests; `RANDORI_SOAK=600` makes it ten minutes, with twenty viewers.

mod common;

use std::time::{Duration, Instant};

use common::{Viewer, studio};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

/// Something that a viewer might do.
fn ask(chance: &mut ChaCha8Rng) -> Value {
    let who = ["red", "blue"][chance.random_range(0..2)];
    let at = f64::from(chance.random_range(0..6u8));
    match chance.random_range(0..12) {
        0 => json!({ "do": "open", "scene": "duel" }),
        1 => json!({ "do": "open-file", "file": "motley.glb" }),
        2 => json!({ "do": "weight", "who": who, "weight": "distance", "value": 0.5 + at / 4.0, "at": at }),
        3 => json!({ "do": "style", "who": who, "style": "infighter", "at": at }),
        4 => {
            json!({ "do": "match", "discipline": "boxing", "rival": "gametree", "depth": 2, "style": "general-boxer" })
        }
        5 => json!({ "do": "bodies", "scenario": "king" }),
        6 => json!({ "do": "explain", "who": who, "t": at, "depth": 3 }),
        7 => json!({ "do": "export", "format": "bvh" }),
        8 => json!({ "do": "end" }),
        9 => json!({ "do": "pin" }),
        10 => json!({ "do": "key", "key": "punch", "down": true }),
        _ => json!({ "do": "seek", "t": at }),
    }
}

/// Memory of this process (bytes), where the system tells.
#[allow(clippy::disallowed_methods, reason = "no library opens this file")]
fn memory() -> Option<u64> {
    let pages: u64 = std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    Some(4096 * pages)
}

#[test]
#[allow(clippy::disallowed_methods, reason = "how long to soak is for whoever runs the tests to say")]
fn nobody_is_dropped() {
    let asked = std::env::var("RANDORI_SOAK").ok().and_then(|seconds| seconds.parse().ok());
    let (seconds, viewers) = asked.map_or((4.0, 4), |seconds: f64| (seconds, 20));
    let studio = studio();
    let address = studio.address();
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let settled = Instant::now() + Duration::from_secs_f64(0.5 * seconds);
    let look = move |number: u64| {
        let mut chance = ChaCha8Rng::seed_from_u64(number);
        let mut viewer = Viewer::at(address, Some(&format!("soak-{number}")));
        viewer.socket.get_mut().set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        viewer.ask(json!({ "do": "open", "scene": "duel" }));
        let mut asks = 0;
        while Instant::now() < end {
            viewer.ask(ask(&mut chance));
            asks += 1;
            let pause = Instant::now() + Duration::from_millis(chance.random_range(50..400));
            while Instant::now() < pause.min(end) {
                // Whoever is dropped cannot be asked this, nor hears of it.
                viewer.ask(json!({ "do": "are-you-there" }));
                while viewer.next().expect("still there")["is"] != "error" {}
                viewer.frames.clear();
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        asks
    };
    let threads: Vec<_> = (0..viewers).map(|number| std::thread::spawn(move || look(number))).collect();
    std::thread::sleep(settled.saturating_duration_since(Instant::now()));
    let halfway = memory();
    let asks: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert!(asks > viewers as usize);
    if let (Some(before), Some(after), Some(_)) = (halfway, memory(), asked) {
        println!(
            "{asks} asks of {viewers} viewers; {} MB halfway, {} MB at the end",
            before >> 20,
            after >> 20
        );
        assert!(after < before + before / 4 + (64 << 20), "{before} to {after} bytes");
    }
}

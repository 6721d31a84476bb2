//! What a hundred people streamed at sixty frames a second cost the server, and how long a key takes to change a motion.
//!
//!     cargo bench -p randori-studio

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on should stop")]
#![allow(clippy::print_stdout, reason = "this is what it is for")]
#![allow(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{Props, Viewer};
use cpu_time::{ProcessTime, ThreadTime};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::Take;
use randori_scene::director::Libraries;
use randori_scene::screenplay::Screenplay;
use randori_studio::{Settings, Studio, Supply};
use serde_json::json;

const PEOPLE: usize = 100;

/// A crowd instead of a file.
struct Crowd;

impl Supply for Crowd {
    fn scenes(&self) -> Vec<String> {
        Vec::new()
    }

    fn scene(&self, name: &str) -> Result<Screenplay, String> {
        Props.scene(name)
    }

    fn files(&self) -> Vec<String> {
        vec!["crowd".to_owned()]
    }

    fn file(&self, _: &str) -> Result<Take, String> {
        let mut take = randori_testkit::takes::motley();
        let person = take.characters[0].clone();
        take.characters.clear();
        for n in 0..PEOPLE {
            take.characters.push(randori_motion::Character { name: format!("person-{n}"), ..person.clone() });
        }
        take.events.clear();
        take.forces.clear();
        Ok(take)
    }

    fn libraries(&self, scene: &Screenplay, say: &dyn Fn(&str)) -> Result<Libraries, String> {
        Props.libraries(scene, say)
    }

    fn dropped(&self, name: &str, bytes: &[u8]) -> Result<Take, String> {
        Props.dropped(name, bytes)
    }
}

fn main() {
    streaming();
    keys();
}

fn streaming() {
    let studio = Studio::open(Settings::on_port(0), Arc::new(Crowd)).unwrap();
    let mut viewer = Viewer::at(studio.address(), None);
    viewer.ask(json!({ "do": "open-file", "file": "crowd" }));
    viewer.wait("take", |_| true);
    viewer.ask(json!({ "do": "play", "on": true }));
    viewer.frame();
    let (start, all, own) = (Instant::now(), ProcessTime::now(), ThreadTime::now());
    let (mut frames, mut bytes) = (0, 0);
    while start.elapsed() < Duration::from_secs(5) {
        bytes += viewer.frame().len();
        frames += 1;
    }
    let seconds = start.elapsed().as_secs_f64();
    let cost = (all.elapsed() - own.elapsed()).as_secs_f64();
    println!(
        "{PEOPLE} people: {:.1} frames a second of {} bytes, {:.1} % of one core",
        f64::from(frames) / seconds,
        bytes / frames as usize,
        100.0 * cost / seconds
    );
}

fn keys() {
    const PRESSES: usize = 100;
    let studio = Studio::open(Settings::on_port(0), Arc::new(Props)).unwrap();
    for depth in [2, 5] {
        let mut viewer = Viewer::at(studio.address(), None);
        let bout = json!({ "do": "match", "discipline": "boxing", "rival": "gametree", "depth": depth, "style": "outboxer" });
        viewer.ask(bout);
        viewer.wait("score", |_| true);
        let mut chance = ChaCha8Rng::seed_from_u64(1);
        let mut delays: Vec<f64> = Vec::new();
        let mut last = 0;
        let mut doing = json!(null);
        let mut kind = String::new();
        while delays.len() < PRESSES {
            let until = Instant::now() + Duration::from_millis(chance.random_range(350..700));
            while Instant::now() < until {
                viewer.frame_or_score(&mut |score| {
                    doing = score["doing"][0][0].clone();
                    kind = score["doing"][0][1].as_str().unwrap().to_owned();
                });
            }
            // Whoever is struck finds their feet first, key or no key.
            if kind == "reaction" {
                continue;
            }
            // Whoever asks again for what is being done sees nothing change.
            last = (last + chance.random_range(1..5)) % 5;
            let key = ["punch", "kick", "dodge", "back", "left"][last];
            let pressed = Instant::now();
            viewer.ask(json!({ "do": "key", "key": key, "down": true }));
            let mut changed = false;
            let mut now = json!([doing, kind]);
            while !changed && pressed.elapsed() < Duration::from_secs(3) {
                viewer.frame_or_score(&mut |score| {
                    changed |= score["doing"][0][0] != doing;
                    now = score["doing"][0].clone();
                });
            }
            // The picture that shows it is sent with it.
            delays.push(1000.0 * pressed.elapsed().as_secs_f64());
            (doing, kind) = (now[0].clone(), now[1].as_str().unwrap().to_owned());
            viewer.ask(json!({ "do": "key", "key": key, "down": false }));
        }
        delays.sort_by(f64::total_cmp);
        let at = |share: f64| delays[((delays.len() - 1) as f64 * share) as usize];
        println!(
            "a key to a changed motion against depth {depth}: median {:.0} ms, 95th percentile {:.0} ms, worst {:.0} ms",
            at(0.5),
            at(0.95),
            at(1.0)
        );
    }
}

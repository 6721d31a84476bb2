//! Writes takes of running around as BVH, GLB and a script in CSV:
//! `cargo run --example running -- FOLDER [SECONDS] [SEED] [average|slim|stocky] [calm|fierce]`.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "an example that cannot go on should stop"
)]

use std::sync::Arc;

use randori_actor::{Casting, Temperament, running};
use randori_motion::formats::bvh::{WriteOptions, write};
use randori_motion::{Build, Character, Take};
use randori_scene::export::{GlbOptions, glb};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let folder = arguments.get(1).map_or(".", String::as_str);
    let seconds = arguments.get(2).map_or(40.0, |seconds| seconds.parse().unwrap());
    let seed = arguments.get(3).map_or(1, |seed| seed.parse().unwrap());
    let builds = [("average", Build::AVERAGE), ("slim", Build::SLIM), ("stocky", Build::STOCKY)];
    let who = arguments.get(4).map_or("average", String::as_str);
    let build = builds.iter().find(|(name, _)| *name == who).unwrap().1;
    let temperament = if arguments.get(5).is_some_and(|word| word == "fierce") {
        Temperament::Fierce
    } else {
        Temperament::Calm
    };
    for performance in running(&Casting { build, temperament, seed, seconds }) {
        let bvh = write(&performance.clip, &WriteOptions::default()).unwrap();
        std::fs::write(format!("{folder}/{}.bvh", performance.name), bvh).unwrap();
        let mut take = Take::new(&performance.name, seed);
        take.characters.push(Character {
            name: "runner".into(),
            color: [0.1, 0.3, 0.72],
            body: Arc::clone(&performance.body),
            enter: 0.0,
            clip: performance.clip,
        });
        std::fs::write(
            format!("{folder}/{}.glb", performance.name),
            glb(&take, &GlbOptions::default()).unwrap(),
        )
        .unwrap();
        let lines: Vec<String> = performance
            .script
            .iter()
            .map(|beat| format!("{:.3},{:.3},{}", beat.start, beat.end, beat.annotation.name()))
            .collect();
        std::fs::write(format!("{folder}/{}.csv", performance.name), lines.join("\n")).unwrap();
    }
}

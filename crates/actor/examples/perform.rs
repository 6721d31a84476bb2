//! Writes takes with the script they were played from: a GLB, a BVH and a CSV for each.
//!
//! `cargo run --example perform -- DISCIPLINE FOLDER [SECONDS] [SEED] [average|slim|stocky] [calm|fierce]`
//!
//! Disciplines: boxing, carrying, crowd, football, reactions, running, sword.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an example at the edge reads arguments and writes files"
)]

use std::error::Error;
use std::path::Path;

use randori_actor::{
    Casting, Performance, Temperament, boxing, carrying, crowd, football, reactions, running, sword,
};
use randori_motion::formats::bvh::WriteOptions;
use randori_motion::{Build, Character, Take};
use randori_scene::export::{GlbOptions, bvh, glb};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let word = |k: usize, or: &str| arguments.get(k).map_or(or.to_owned(), Clone::clone);
    let perform: fn(&Casting) -> Vec<Performance> = match word(0, "boxing").as_str() {
        "boxing" => boxing,
        "carrying" => carrying,
        "crowd" => crowd,
        "football" => football,
        "reactions" => reactions,
        "running" => running,
        "sword" => sword,
        other => {
            return Err(
                format!("no discipline {other}; they are in the comment at the top of this example").into()
            );
        }
    };
    let build = match word(4, "average").as_str() {
        "slim" => Build::SLIM,
        "stocky" => Build::STOCKY,
        _ => Build::AVERAGE,
    };
    let temperament = if word(5, "calm") == "fierce" { Temperament::Fierce } else { Temperament::Calm };
    let casting =
        Casting { build, temperament, seed: word(3, "1").parse()?, seconds: word(2, "60").parse()? };
    let folder = word(1, ".");
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    for performance in perform(&casting) {
        let mut take = Take::new(&performance.name, casting.seed);
        let name = performance.name.clone();
        take.characters.push(Character {
            name: "performer".to_owned(),
            color: [0.1, 0.3, 0.72],
            body: performance.body,
            enter: 0.0,
            clip: performance.clip,
        });
        std::fs::write(folder.join(format!("{name}.glb")), glb(&take, &GlbOptions::default())?)?;
        for (_, text) in bvh(&take, &WriteOptions::default())? {
            std::fs::write(folder.join(format!("{name}.bvh")), text)?;
        }
        let mut csv = "start,peak,end,label\n".to_owned();
        for beat in &performance.script {
            let peak = beat.peak.map_or(String::new(), |peak| format!("{peak:.3}"));
            csv += &format!("{:.3},{peak},{:.3},{}\n", beat.start, beat.end, beat.annotation.name());
        }
        std::fs::write(folder.join(format!("{name}.csv")), csv)?;
        println!("{name}: {} beats", performance.script.len());
    }
    Ok(())
}

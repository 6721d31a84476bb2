//! Writes one take in which a boxer does everything once: `boxing_repertoire FILE.glb [right]`. Every action has 1.2 s, so that each
//! row of a contact sheet with twelve columns shows one.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an example at the edge reads arguments and writes files"
)]

use std::error::Error;
use std::sync::Arc;

use randori_actor::Stance;
use randori_actor::boxing::{Boxer, Fist, Height, Leg, Shuffle};
use randori_motion::{Build, Character, Ground, Placement, Side, Take};
use randori_scene::export::{GlbOptions, glb};

const SLOT: f32 = 1.2;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(file) = arguments.first() else { return Err("boxing_repertoire FILE.glb".into()) };
    let mut boxer = Boxer::new(Arc::new(Build::AVERAGE.body()), Stance::BOXER, Placement::default(), 1);
    let mut slot = 0;
    let mut next = |boxer: &mut Boxer| {
        let t = slot as f32 * SLOT + 0.35;
        slot += 1;
        boxer.hop_until(t);
        t
    };
    let (left, right) = (Side::Left, Side::Right);
    for fist in [Fist::Straight, Fist::Hook, Fist::Uppercut] {
        for side in [left, right] {
            for height in [Height::Head, Height::Body] {
                let t = next(&mut boxer);
                boxer.throw(fist, side, height, t + 0.2);
                boxer.rest_until(t + 0.3);
            }
        }
    }
    for (leg, height) in [
        (Leg::Front, Height::Body),
        (Leg::Front, Height::Head),
        (Leg::Round, Height::Legs),
        (Leg::Round, Height::Body),
        (Leg::Round, Height::Head),
    ] {
        for side in [left, right] {
            let t = next(&mut boxer);
            boxer.kick(leg, side, height, t - 0.2);
        }
    }
    let t = next(&mut boxer);
    boxer.cover(t + 0.17, 0.25);
    let t = next(&mut boxer);
    boxer.parry(left, t + 0.18);
    let t = next(&mut boxer);
    boxer.parry(right, t + 0.18);
    let t = next(&mut boxer);
    boxer.duck(t + 0.26);
    boxer.rest_until(t + 0.4);
    let t = next(&mut boxer);
    boxer.slip(left, t + 0.2);
    let t = next(&mut boxer);
    boxer.slip(right, t + 0.2);
    let t = next(&mut boxer);
    boxer.sway(t + 0.22);
    let t = next(&mut boxer);
    let to = boxer
        .performer()
        .path()
        .last()
        .then(Placement { position: Ground { x: 0.0, z: -0.5 }, heading: 0.0 });
    boxer.shuffle(Shuffle { takeoff: t + 0.1, flight: 0.19, to });
    let t = next(&mut boxer);
    boxer.switch(t + 0.1, 0.15);
    let end = next(&mut boxer);
    let mut take = Take::new("repertoire", 1);
    let clip = boxer.clip("repertoire", end);
    let body = Arc::clone(boxer.performer().body());
    take.characters.push(Character {
        name: "boxer".to_owned(),
        color: [0.1, 0.3, 0.72],
        body,
        enter: 0.0,
        clip,
    });
    std::fs::write(file, glb(&take, &GlbOptions::default())?)?;
    println!("{end} s");
    Ok(())
}

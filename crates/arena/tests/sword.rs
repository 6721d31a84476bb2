//! Swords against swords: which block stops which cut.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::looking;
use randori_actor::{Casting, Temperament, sword};
use randori_arena::bodies::{Bodies, Doing};
use randori_arena::combination::Table;
use randori_arena::hits::{self, Part};
use randori_motion::analyse::{Discipline, Settings, analyse};
use randori_motion::library::{Likeness, Recording, assemble};
use randori_motion::{ActionId, Annotation, Build, Ground};

const LINES: [&str; 5] = ["overhead", "left", "left-upper", "right", "right-upper"];

fn swordsman() -> Bodies {
    let casting = Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 2, seconds: 180.0 };
    let blade = randori_actor::sword::BLADE;
    let settings = Settings { weapon: Some(blade), ..Settings::of(Discipline::Sword) };
    let recordings: Vec<Recording> = (sword(&casting).into_iter())
        .map(|take| {
            let analysis = analyse(&take.clip, &settings).unwrap();
            let [left, right] = analysis.contacts.feet;
            Recording { clip: take.clip, standing: [left.down, right.down], segments: analysis.segments }
        })
        .collect();
    let likeness = Likeness { distance: 0.07, ..Likeness::default() };
    let library = assemble("sword", "sword", casting.build, &recordings, &likeness).unwrap();
    Bodies::of(Arc::new(library.armed(blade)))
}

fn called(bodies: &Bodies, name: &str) -> Vec<ActionId> {
    let library = bodies.library();
    library.ids().filter(|id| library.action(*id).annotation.name() == name).collect()
}

/// What becomes of cuts: stopped by the blade, by an arm or a leg, landed, missed.
#[derive(Clone, Copy, Debug, Default)]
struct Fates {
    blade: u32,
    limb: u32,
    lands: u32,
    misses: u32,
}

#[test]
fn blocks_stop_the_cuts_that_they_are_meant_for() {
    let bodies = swordsman();
    let mut fates: BTreeMap<(&str, &str), Fates> = BTreeMap::new();
    for cut in LINES {
        for block in LINES {
            let fate = fates.entry((cut, block)).or_default();
            for attack in called(&bodies, &format!("cut-{cut}")) {
                for defence in called(&bodies, &format!("block-{block}")) {
                    for distance in [1.3, 1.5, 1.7] {
                        let places = [Ground::default(), Ground { x: 0.0, z: distance }];
                        let here = looking(&bodies, attack, places[0], places[1]);
                        let there = looking(&bodies, defence, places[1], places[0]);
                        let peak = |id: ActionId| {
                            let its = bodies.of_action(id);
                            (its.peak - its.first) as i32
                        };
                        // The block is there when the cut arrives.
                        let start = peak(attack) - peak(defence);
                        let attacker = Doing::begin(&bodies, attack, 0, 0, here);
                        let victim = Doing::begin(&bodies, defence, start, 0, there);
                        match hits::first((&bodies, &attacker), (&bodies, &victim), 0) {
                            None => fate.misses += 1,
                            Some(hit) if hit.on_weapon => fate.blade += 1,
                            Some(hit) if hit.part() == Part::Limb => fate.limb += 1,
                            Some(_) => fate.lands += 1,
                        }
                    }
                }
            }
        }
    }
    let opposite = |cut: &str| match cut.strip_prefix("left") {
        Some(rest) => format!("right{rest}"),
        None => cut.strip_prefix("right").map_or(cut.to_owned(), |rest| format!("left{rest}")),
    };
    let table = Table::of_known_words();
    let (mut wrong, mut wrong_lands) = (0, 0);
    for ((cut, block), fate) in &fates {
        println!("cut-{cut} block-{block}: {fate:?}");
        let n = fate.blade + fate.limb + fate.lands + fate.misses;
        assert!(n >= 20, "{cut} {block}");
        let [own, other] = [format!("block-{block}"), format!("cut-{cut}")];
        let suits = table.suitability(&Annotation::new(&own).unwrap(), &Annotation::new(&other).unwrap());
        // Whoever is attacked sees left and right the other way round.
        if *block == opposite(cut) {
            assert_eq!(suits, Some(1.0), "{own} {other}");
            assert!(20 * fate.lands <= n && 4 * fate.blade >= n, "{own} {other}: {fate:?}");
        } else {
            assert!(suits < Some(1.0), "{own} {other}");
            (wrong, wrong_lands) = (wrong + n, wrong_lands + fate.lands);
        }
    }
    assert!(
        5 * wrong_lands > wrong,
        "{wrong_lands} of {wrong} cuts land beside a block that is not meant for them"
    );
}

//! Planners in a live bout: the same fight whatever the number of threads, and better the farther they look.

#[path = "../../arena/tests/common/mod.rs"]
mod common;

use common::{aims, boxer, fight, ring};
use randori_arena::bout::{Bout, Happening, Pause};
use randori_arena::controller::{Controller, Random};
use randori_tactics::Planner;

/// Two boxers for so many ticks.
fn duel(controllers: [Box<dyn Controller>; 2], ticks: i32) -> Bout {
    let stage = fight(&[0, 1], f32::INFINITY);
    let moment = ring(&stage, 0.8);
    let aims = vec![aims("general-boxer", 1), aims("general-boxer", 0)];
    let mut bout = Bout::new(stage, moment, aims, controllers.into(), vec![0, 1]);
    while bout.moment.tick < ticks {
        if let Pause::Decision(who) = bout.advance(ticks) {
            bout.decide(who);
        }
    }
    bout
}

fn of_depth(depth: u8) -> Box<dyn Controller> {
    Box::new(Planner::of_depth(depth))
}

#[test]
fn the_same_fight_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let bout = duel([of_depth(2), of_depth(2)], 1200);
            (bout.happenings, bout.tracks, bout.moment)
        })
    };
    let once = run(1);
    assert!(once.0.len() > 30, "{}", once.0.len());
    assert_eq!(once, run(2));
    assert_eq!(once, run(1));
}

#[test]
fn planners_say_what_they_considered() {
    let bout = duel([of_depth(2), of_depth(1)], 300);
    for happening in &bout.happenings {
        let Happening::Decided { verdict, .. } = happening else { continue };
        assert!((1..=verdict.screening.left as usize).contains(&verdict.candidates.len()));
        assert!(verdict.candidates.iter().any(|it| it.action == verdict.action && it.scores.is_some()));
        assert!(verdict.edges >= verdict.candidates.len() as u64);
        let first = &verdict.candidates[0];
        let worth = |it: &randori_arena::controller::Considered| it.scores.map(|[comp, coop]| comp + coop);
        let best = verdict.candidates.iter().filter_map(worth).fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(worth(first), Some(best));
    }
}

#[test]
fn whoever_plans_beats_whoever_does_not() {
    let mut damage = [0.0_f32; 2];
    for seed in 0..3 {
        let bout = duel([of_depth(2), Box::new(Random::new(seed))], 1200);
        for happening in &bout.happenings {
            if let Happening::Landed(landed) = happening {
                assert!(
                    boxer().of_action(landed.action).window[0] < boxer().of_action(landed.action).window[1]
                );
                damage[landed.who as usize] += landed.hit.damage();
            }
        }
    }
    println!("damage given by the planner and by chance: {damage:?}");
    assert!(damage[0] > 2.0 * damage[1], "{damage:?}");
}

//! Planners in a live bout: the same fight whatever the number of threads, and better the farther they look.

#[path = "../../arena/tests/common/mod.rs"]
mod common;

use common::{aims, boxer, fight, ring};
use randori_arena::bout::{Bout, Happening, Pause};
use randori_arena::controller::{Controller, Random};
use randori_tactics::Planner;
use randori_tactics::explain::expand;

/// Two boxers for so many ticks.
fn duel(controllers: [Box<dyn Controller>; 2], ticks: i32) -> Bout {
    run(pair(controllers), ticks)
}

/// Two boxers before their first decision.
fn pair(controllers: [Box<dyn Controller>; 2]) -> Bout {
    let stage = fight(&[0, 1], f32::INFINITY);
    let moment = ring(&stage, 0.8);
    let aims = vec![aims("general-boxer", 1), aims("general-boxer", 0)];
    Bout::new(stage, moment, aims, controllers.into(), vec![0, 1])
}

fn run(mut bout: Bout, ticks: i32) -> Bout {
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
    let fought = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let bout = duel([of_depth(2), of_depth(2)], 1200);
            (bout.happenings, bout.tracks, bout.moment)
        })
    };
    let once = fought(1);
    assert!(once.0.len() > 30, "{}", once.0.len());
    assert_eq!(once, fought(2));
    assert_eq!(once, fought(1));
}

#[test]
fn planners_say_what_they_considered_if_anybody_asks() {
    let both = || pair([of_depth(2), of_depth(1)]);
    let quiet = run(both(), 300);
    let mut bout = both();
    bout.explain = true;
    let bout = run(bout, 300);
    assert_eq!(quiet.tracks, bout.tracks);
    let is_empty =
        |it: &Happening| matches!(it, Happening::Decided { verdict, .. } if verdict.candidates.is_empty());
    assert!(quiet.happenings.iter().all(|it| is_empty(it) || matches!(it, Happening::Landed(_))));
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
fn the_tree_shows_what_the_planner_goes_by() {
    let mut bout = pair([of_depth(3), of_depth(1)]);
    let mut seen = 0;
    while bout.moment.tick < 300 {
        let Pause::Decision(who) = bout.advance(300) else { continue };
        if who == 0 {
            let excerpt = bout.excerpt(who);
            let situation = excerpt.situation(true);
            let verdict = Planner::of_depth(3).decide(&situation).unwrap();
            let tree = expand(&situation, &Planner::of_depth(3).settings, &[2, 2, 1]);
            assert_eq!((tree[0].action, tree[0].is_taken), (verdict.action, true));
            let known = verdict.candidates.iter().find(|it| it.action == verdict.action).unwrap();
            assert_eq!((tree[0].scores, tree[0].terms), (known.scores, known.terms));
            assert!(tree.iter().all(|branch| branch.scores.is_some()));
            // Two answers behind the first two, and one behind each of those, unless somebody fell.
            assert!(tree[..2.min(tree.len())].iter().all(|branch| branch.next.len() <= 2));
            seen += tree[0].next.iter().map(|answer| answer.next.len()).sum::<usize>();
        }
        bout.decide(who);
    }
    assert!(seen > 3, "{seen}");
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

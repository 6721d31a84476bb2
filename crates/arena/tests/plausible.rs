//! What nobody would do is left out, the worst of it first; something is always left.

mod common;

use std::f32::consts::PI;

use common::{aims, attacked, boxer, calm, chase, fight, looking, of_kind, options, play, ring};
use randori_arena::bodies::{Doing, Rigid};
use randori_arena::plausible::{Plausibility, Screening, plausible};
use randori_arena::stage::{Moment, Stage};
use randori_motion::annotation::Kind;
use randori_motion::{ActionId, Ground, Placement};

/// What the first of the cast might do, and how many were left out.
fn choices(stage: &Stage, moment: &Moment, limits: &Plausibility) -> (Vec<ActionId>, Screening) {
    let mut out = Vec::new();
    let screening = plausible(stage, moment, 0, (limits, 1), &mut out);
    (out, screening)
}

fn n_of(stage: &Stage, actions: &[ActionId], kind: Kind) -> u32 {
    let is = |id: &&ActionId| stage.cast[0].bodies.of_action(**id).kind == kind;
    actions.iter().filter(is).count() as u32
}

/// Two calm boxers this far from each other (m), the first turned by an angle (rad); both have just finished.
fn calm_pair(stage: &Stage, distance: f32, turn: f32) -> Moment {
    let action = calm(boxer());
    let there = Ground { x: 0.0, z: distance };
    let here = looking(boxer(), action, Ground::default(), there);
    let turned = Rigid::of(Placement { heading: turn, ..Placement::default() }).then(here);
    let other = looking(boxer(), action, there, Ground::default());
    let mut moment = Moment::opening(stage, 0, &[Some((action, turned)), Some((action, other))]);
    stage.run(&mut moment, i32::MAX);
    assert_eq!(stage.turn(&moment), Some(0));
    moment
}

/// By how much the gaze misses the opponent at the end of an action (rad).
fn off(stage: &Stage, moment: &Moment, action: ActionId) -> f32 {
    let doing = stage.begin(moment, 0, action);
    stage.relation(moment, (0, &doing), 1, doing.end(&stage.cast[0].bodies)).1.abs()
}

#[test]
fn counts_add_up_and_something_is_always_left() {
    let mut n_fallbacks = 0;
    for (stage, style, seed) in [
        (fight(&[0, 1], 100.0), "general-boxer", 1),
        (fight(&[0, 1, 1], f32::INFINITY), "infighter", 2),
        (chase(&[0, 1]), "chaser", 3),
        (chase(&[1, 0]), "runaway", 4),
    ] {
        let all: Vec<_> = (0..stage.cast.len()).map(|who| aims(style, usize::from(who == 0))).collect();
        for step in play(&stage, &ring(&stage, 0.4), &all, seed, 150) {
            for limits in [
                all[0].plausibility,
                Plausibility { depth: -0.5, ..all[0].plausibility },
                Plausibility { depth: -5.0, facing: 0.1, ..all[0].plausibility },
            ] {
                let mut out = vec![ActionId(u32::MAX)];
                let opponent = all[step.who].opponent;
                let found = plausible(&stage, &step.before, step.who, (&limits, opponent), &mut out);
                assert_eq!(out[0], ActionId(u32::MAX), "what was there stays");
                let options = options(&stage, &step.before, step.who);
                assert_eq!(found.options as usize, options.len());
                assert_eq!(found.left as usize, out.len() - 1);
                assert!(found.left > 0);
                let left_out = found.penetrating + found.turned_away + found.out_of_range + found.illogical;
                assert_eq!(found.left + left_out, found.options, "{found:?}");
                let mut order = options.iter();
                assert!(out[1..].iter().all(|id| order.any(|option| option == id)), "order or strangers");
                n_fallbacks += usize::from(limits.depth < -1.0);
            }
        }
    }
    assert!(n_fallbacks > 0);
}

#[test]
fn bodies_stay_out_of_each_other() {
    let stage = fight(&[0, 1], 100.0);
    let limits = Plausibility::default();
    let mut n = 0;
    for distance in [0.35, 0.45, 0.6, 0.8] {
        let moment = calm_pair(&stage, distance, 0.0);
        let (left, screening) = choices(&stage, &moment, &limits);
        n += screening.penetrating;
        let depth =
            |id: &ActionId| stage.penetration(&moment, 0, &stage.begin(&moment, 0, *id), limits.depth);
        if options(&stage, &moment, 0).iter().any(|id| !depth(id).is_deeper) {
            assert!(left.iter().all(|id| !depth(id).is_deeper), "{distance} {screening:?}");
        } else {
            let least =
                options(&stage, &moment, 0).iter().map(|id| depth(id).at_end).fold(f32::MAX, f32::min);
            assert!(left.iter().all(|id| depth(id).at_end <= least.max(limits.depth)));
        }
        // With other limits fewer are left out.
        let (_, loose) = choices(&stage, &moment, &Plausibility { depth: 1.0, ..limits });
        assert_eq!(loose.penetrating, 0);
    }
    assert!(n > 3, "{n}");
}

#[test]
fn nobody_turns_the_back_unless_that_is_in_order() {
    let stage = fight(&[0, 1], 100.0);
    let limits = Plausibility { logical: false, ..Plausibility::default() };
    for turn in [0.0, 0.5, -0.8, 1.5] {
        let moment = calm_pair(&stage, 1.5, turn);
        let (left, screening) = choices(&stage, &moment, &limits);
        let faces = |id: &ActionId| off(&stage, &moment, *id) <= limits.facing + 1e-3;
        let any =
            options(&stage, &moment, 0).iter().any(|id| off(&stage, &moment, *id) <= limits.facing - 1e-3);
        if any {
            assert!(left.iter().all(faces), "{turn} {screening:?}");
            let away = options(&stage, &moment, 0).iter().filter(|id| !faces(id)).count() as u32;
            assert!(screening.turned_away.abs_diff(away) <= 1, "{away} {screening:?}");
        }
        let (_, free) = choices(&stage, &moment, &Plausibility { facing: PI, ..limits });
        assert_eq!(free.turned_away, 0);
    }
}

#[test]
fn whoever_cannot_face_the_opponent_turns_towards_it() {
    let stage = chase(&[0, 1]);
    let both = [aims("chaser", 1), aims("runaway", 0)];
    let (mut n, mut n_left_out) = (0, 0);
    for seed in 0..6 {
        for step in play(&stage, &ring(&stage, 2.0), &both, seed, 80).iter().filter(|step| step.who == 0) {
            let moment = &step.before;
            let limits = Plausibility { depth: 10.0, ..both[0].plausibility };
            let all = options(&stage, moment, 0);
            let now = stage.relation(moment, (0, &moment.people[0].doing), 1, moment.tick).1.abs();
            let faces = all.iter().any(|id| off(&stage, moment, *id) <= limits.facing + 1e-3);
            if faces || !all.iter().any(|id| off(&stage, moment, *id) < now - 1e-3) {
                continue;
            }
            let (left, screening) = choices(&stage, moment, &limits);
            assert!(left.iter().all(|id| off(&stage, moment, *id) <= now + 1e-3), "{now} {screening:?}");
            let away = all.iter().filter(|id| off(&stage, moment, **id) > now).count() as u32;
            assert!(screening.turned_away.abs_diff(away) <= 1, "{away} {screening:?}");
            (n, n_left_out) = (n + 1, n_left_out + away);
        }
    }
    assert!(n > 10 && n_left_out > 100, "{n} {n_left_out}");
}

#[test]
fn blows_at_nobody_are_left_out() {
    let stage = fight(&[0, 1], 100.0);
    let limits = Plausibility { logical: false, facing: PI, ..Plausibility::default() };
    let near = calm_pair(&stage, 0.8, 0.0);
    let far = calm_pair(&stage, 2.9, 0.0);
    let away = calm_pair(&stage, 6.0, 0.0);
    let options = options(&stage, &near, 0);
    let [attacks, defences] = [Kind::Attack, Kind::Defence].map(|kind| n_of(&stage, &options, kind));
    assert!(attacks > 2 && defences > 1, "{attacks} {defences}");
    let (left, _) = choices(&stage, &near, &limits);
    assert!(n_of(&stage, &left, Kind::Attack) > 0);
    let (left, screening) = choices(&stage, &far, &limits);
    assert_eq!((n_of(&stage, &left, Kind::Attack), screening.out_of_range), (0, attacks));
    assert_eq!(n_of(&stage, &left, Kind::Defence), defences);
    let (left, screening) = choices(&stage, &away, &limits);
    assert_eq!(screening.out_of_range, attacks + defences);
    assert_eq!(n_of(&stage, &left, Kind::Defence), 0);
}

#[test]
fn defences_answer_blows_and_blows_call_for_defences_once_they_are_seen() {
    let stage = fight(&[0, 1], 100.0);
    let limits = Plausibility { facing: PI, depth: 1.0, ..Plausibility::default() };
    let peace = calm_pair(&stage, 0.8, 0.0);
    let (left, screening) = choices(&stage, &peace, &limits);
    assert_eq!(n_of(&stage, &left, Kind::Defence), 0, "there is nothing to defend against");
    assert!(screening.illogical > 0);
    let notice = (limits.notice * 60.0).round() as i32;
    assert!(notice > 0);
    let mut n = 0;
    for attack in of_kind(boxer(), Kind::Attack) {
        let place = looking(boxer(), attack, Ground { x: 0.0, z: 0.8 }, Ground::default());
        let begun = |ago: i32| {
            let mut moment = peace.clone();
            let now = moment.tick;
            let doing = Doing::begin(boxer(), attack, now, 0, place);
            stage.start(&mut moment, 1, Doing { start: now - ago, ..doing });
            moment
        };
        let (fresh, seen) = (begun(notice - 1), begun(notice));
        let is_coming = |moment: &Moment| moment.people[1].ahead.is_some();
        if !is_coming(&fresh) || !is_coming(&seen) {
            continue;
        }
        n += 1;
        let (left, _) = choices(&stage, &fresh, &limits);
        assert_eq!(n_of(&stage, &left, Kind::Defence), 0, "not seen yet");
        let (left, screening) = choices(&stage, &seen, &limits);
        assert_eq!(n_of(&stage, &left, Kind::Defence), left.len() as u32, "{screening:?}");
        let (free, _) = choices(&stage, &seen, &Plausibility { logical: false, ..limits });
        assert!(free.len() > left.len() && left.iter().all(|id| free.contains(id)));
        // A blow that is spent threatens nobody any more.
        let mut spent = seen.clone();
        (spent.people[1].is_spent, spent.people[1].ahead) = (true, None);
        let (left, _) = choices(&stage, &spent, &limits);
        assert_eq!(n_of(&stage, &left, Kind::Defence), 0);
    }
    assert!(n > 3, "{n}");
}

#[test]
fn what_matters_more_stays_when_nothing_meets_everything() {
    let stage = fight(&[0, 1], 100.0);
    // Only defences would answer this blow, but all of them are left out by something that matters more.
    let limits = Plausibility { facing: PI, depth: 1.0, defence: 0.1, ..Plausibility::default() };
    let mut attacks = of_kind(boxer(), Kind::Attack).into_iter();
    let seen = attacks.find_map(|attack| attacked(&stage, attack, 0.8, 6)).unwrap();
    let (left, _) = choices(&stage, &seen, &limits);
    assert!(!left.is_empty());
    assert_eq!(n_of(&stage, &left, Kind::Defence), 0, "range matters more than logic");
    let (left, _) = choices(&stage, &seen, &Plausibility { defence: 3.0, ..limits });
    assert_eq!(n_of(&stage, &left, Kind::Defence), left.len() as u32);
    // Facing matters more than range: whoever is far away and may not look aside does not strike at nobody.
    let far = calm_pair(&stage, 6.0, 0.0);
    let facing = Plausibility { logical: false, ..Plausibility::default() };
    let (left, _) = choices(&stage, &far, &facing);
    assert!(left.iter().all(|id| off(&stage, &far, *id) <= facing.facing + 1e-3));
}

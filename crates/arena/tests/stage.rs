//! What happens on a stage: the same for whoever asks what would happen, and for nobody else than those who are there.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use std::f32::consts::PI;
use std::sync::Arc;

use common::{Step, aims, boxer, calm, chase, fight, looking, of_kind, opposite, options, play, ring};
use glam::Vec3;
use randori_arena::bodies::{Bodies, Doing, Rigid};
use randori_arena::hits::{self, Part};
use randori_arena::objectives::Aims;
use randori_arena::stage::{Ahead, Moment, Stage};
use randori_motion::annotation::Kind;
use randori_motion::math::wrap_angle;
use randori_motion::{ActionId, Bone, Ground, Placement, Weapon};

/// People who only ever look for the nearest of the other side.
fn everybody(stage: &Stage, style: &str) -> Vec<Aims> {
    let foe = |who: usize| stage.cast.iter().position(|other| other.side != stage.cast[who].side).unwrap();
    (0..stage.cast.len()).map(|who| aims(style, foe(who))).collect()
}

/// Plays at random of two, three and four boxers, tough and weak, and of runners.
fn plays() -> Vec<(Stage, Vec<Step>)> {
    let of = |stage: Stage, style: &str, radius: f32, seed: u64, n: usize| {
        let steps = play(&stage, &ring(&stage, radius), &everybody(&stage, style), seed, n);
        (stage, steps)
    };
    vec![
        of(fight(&[0, 1], f32::INFINITY), "general-boxer", 0.5, 1, 600),
        of(fight(&[0, 1], 25.0), "infighter", 0.5, 2, 400),
        of(fight(&[0, 1, 1], 60.0), "general-boxer", 0.6, 3, 400),
        of(fight(&[0, 1, 0, 1], f32::INFINITY), "infighter", 0.6, 4, 300),
        of(chase(&[0, 1]), "chaser", 0.5, 5, 200),
    ]
}

/// The moment right after somebody began what they decided.
fn started(stage: &Stage, step: &Step) -> Moment {
    let mut moment = step.before.clone();
    stage.start(&mut moment, step.who, stage.begin(&step.before, step.who, step.action));
    moment
}

/// What everybody's blow meets, from nothing but what everybody does.
fn ahead_from_scratch(stage: &Stage, moment: &Moment, who: usize) -> Option<Ahead> {
    let person = &moment.people[who];
    let its = stage.cast[who].bodies.of_action(person.doing.action);
    if person.is_spent || !person.is_present || its.window[0] == its.window[1] {
        return None;
    }
    let mut found: Option<Ahead> = None;
    for (whom, other) in moment.people.iter().enumerate() {
        if stage.cast[whom].side == stage.cast[who].side || !other.is_present {
            continue;
        }
        let [own, theirs] = [who, whom].map(|who| &*stage.cast[who].bodies);
        let hit = hits::first((own, &person.doing), (theirs, &other.doing), moment.tick);
        if let Some(hit) = hit.filter(|hit| found.is_none_or(|known| hit.tick < known.hit.tick)) {
            found = Some(Ahead { whom: whom as u16, hit });
        }
    }
    found
}

#[test]
fn time_goes_forward_to_the_next_who_has_to_decide() {
    let mut n_landed = 0;
    for (stage, steps) in plays() {
        for step in &steps {
            let (from, next) = (step.before.tick, &step.outcome.next);
            assert_eq!(stage.turn(&step.before), Some(step.who));
            assert!(from <= next.tick, "{from} {}", next.tick);
            let ticks: Vec<i32> = step.outcome.landed.iter().map(|landed| landed.hit.tick).collect();
            n_landed += ticks.len();
            assert!(ticks.is_sorted() && ticks.iter().all(|tick| (from + 1..=next.tick).contains(tick)));
            // Nobody is late.
            for (cast, person) in stage.cast.iter().zip(&next.people) {
                let is_over = cast.bodies.of_action(person.doing.action).is_terminal;
                assert!(is_over || person.doing.end(&cast.bodies) >= next.tick, "{person:?}");
            }
            let nobody = stage.turn(next).is_none();
            let on_the_floor = (stage.cast.iter().zip(&next.people))
                .all(|(cast, person)| cast.bodies.of_action(person.doing.action).is_terminal);
            assert_eq!(nobody, on_the_floor);
        }
    }
    assert!(n_landed > 100, "{n_landed}");
}

#[test]
fn what_lands_is_what_was_ahead_if_nobody_changes() {
    let (mut n_landed, mut n_nothing) = (0, 0);
    for (stage, steps) in plays() {
        for step in &steps {
            for moment in [&step.before, &started(&stage, step), &step.outcome.next] {
                for who in 0..moment.people.len() {
                    assert_eq!(moment.people[who].ahead, ahead_from_scratch(&stage, moment, who));
                }
            }
            let moment = started(&stage, step);
            let soonest = moment.people.iter().filter_map(|person| Some(person.ahead?.hit.tick)).min();
            let first = step.outcome.landed.first();
            let expected = soonest.filter(|tick| *tick <= step.outcome.next.tick);
            assert_eq!(first.map(|landed| landed.hit.tick), expected);
            match first {
                Some(landed) => {
                    n_landed += 1;
                    let ahead = moment.people[landed.who as usize].ahead.unwrap();
                    assert_eq!((ahead.whom, ahead.hit), (landed.whom, landed.hit));
                    assert_eq!(landed.action, moment.people[landed.who as usize].doing.action);
                    assert_eq!(landed.during, moment.people[landed.whom as usize].doing.action);
                }
                None => n_nothing += 1,
            }
        }
    }
    assert!(n_landed > 100 && n_nothing > 100, "{n_landed} {n_nothing}");
}

#[test]
fn blows_on_head_and_trunk_cut_what_the_victim_does_and_limbs_stop_them() {
    let (mut cut, mut blocked, mut fallen) = (0, 0, 0);
    for (stage, steps) in plays() {
        for step in &steps {
            let mut doings: Vec<Doing> =
                started(&stage, step).people.iter().map(|person| person.doing).collect();
            for landed in &step.outcome.landed {
                let whom = landed.whom as usize;
                assert_ne!(stage.cast[landed.who as usize].side, stage.cast[whom].side);
                let bodies = &stage.cast[whom].bodies;
                let was = doings[whom];
                let had_fallen = bodies.of_action(was.action).is_fall;
                fallen += usize::from(had_fallen);
                let Some(answer) = landed.answer else {
                    blocked += usize::from(landed.hit.part() == Part::Limb);
                    assert_eq!(landed.reacting, None);
                    continue;
                };
                assert!(landed.hit.part() != Part::Limb && !had_fallen, "{landed:?}");
                let doing = landed.reacting.unwrap();
                assert_eq!(doing.action, answer.action);
                assert_eq!(bodies.of_action(doing.action).kind, Kind::Reaction);
                let first = bodies.of_action(doing.action).first + answer.skipped;
                assert_eq!(doing.frame(bodies, landed.hit.tick), first);
                let [old, new] = [was, doing].map(|doing| doing.placement(bodies, landed.hit.tick));
                assert!(old.position.distance(new.position) < 1e-3, "{old:?} {new:?}");
                assert!(wrap_angle(old.heading - new.heading).abs() < 1e-3, "{old:?} {new:?}");
                cut += 1;
                doings[whom] = doing;
            }
            let now: Vec<Doing> = step.outcome.next.people.iter().map(|person| person.doing).collect();
            assert_eq!(doings, now, "what was not cut goes on");
        }
    }
    assert!(cut > 50 && blocked > 50, "{cut} {blocked} {fallen}");
}

#[test]
fn two_blows_that_cross_both_land() {
    let stage = fight(&[0, 1], f32::INFINITY);
    let attacks = of_kind(boxer(), Kind::Attack);
    let mut crossed = 0;
    for (k, a) in attacks.iter().enumerate() {
        for b in &attacks {
            let mut moment = opposite(&stage, [*a, *b], 0.7 + 0.05 * (k % 5) as f32);
            let [own, other] = [0, 1].map(|who| moment.people[who].ahead);
            let (Some(own), Some(other)) = (own, other) else { continue };
            let hurts = |ahead: &Ahead| ahead.hit.part() != Part::Limb;
            if own.hit.tick != other.hit.tick || !hurts(&own) || !hurts(&other) {
                continue;
            }
            let landed = stage.run(&mut moment, own.hit.tick);
            assert_eq!(landed.len(), 2);
            assert_eq!(landed.iter().map(|landed| landed.whom).collect::<Vec<_>>(), [1, 0]);
            assert!(landed.iter().all(|landed| landed.answer.is_some() && landed.hit.tick == moment.tick));
            let kinds = moment.people.iter().map(|person| boxer().of_action(person.doing.action).kind);
            assert!(kinds.into_iter().all(|kind| kind == Kind::Reaction));
            crossed += 1;
        }
    }
    assert!(crossed > 0);
}

/// An attack that lands on head or trunk of somebody calm from this far away (m), if there is one.
fn landing(stage: &Stage, distance: f32) -> Option<(ActionId, Moment)> {
    of_kind(&stage.cast[0].bodies, Kind::Attack).into_iter().find_map(|attack| {
        let moment = opposite(stage, [attack, calm(&stage.cast[1].bodies)], distance);
        let lands = moment.people[0].ahead.is_some_and(|ahead| ahead.hit.part() != Part::Limb);
        lands.then_some((attack, moment))
    })
}

#[test]
fn whoever_falls_is_not_struck_again() {
    let stage = fight(&[0, 1], 0.0);
    let (attack, mut moment) = landing(&stage, 0.8).unwrap();
    let tick = moment.people[0].ahead.unwrap().hit.tick;
    let landed = stage.run(&mut moment, tick);
    assert!(landed[0].answer.unwrap().falls);
    // The same blow again, so that it lands on whoever falls.
    let mut struck = 0;
    for _ in 0..60 {
        let now = moment.tick;
        let falling = moment.people[1].doing;
        let fist = Doing { start: now - (tick - 1), ..moment.people[0].doing };
        assert_eq!(fist.action, attack);
        stage.start(&mut moment, 0, fist);
        let mut next = moment.clone();
        let landed = stage.run(&mut next, now + 1);
        struck += landed.len();
        assert!(landed.iter().all(|landed| landed.answer.is_none()), "{landed:?}");
        assert_eq!(next.people[1].doing, falling);
        moment = next;
    }
    assert!(struck > 0);
}

#[test]
fn nobody_hits_their_own_side() {
    let (friends, foes) = (fight(&[3, 3], 0.0), fight(&[3, 4], 0.0));
    let mut n = 0;
    for attack in of_kind(boxer(), Kind::Attack) {
        let actions = [attack, calm(boxer())];
        let blow = |stage: &Stage| opposite(stage, actions, 0.7).people[0].ahead;
        assert_eq!(blow(&friends), None);
        n += usize::from(blow(&foes).is_some());
    }
    assert!(n > 5, "{n}");
}

#[test]
fn whoever_starts_later_waits_in_the_first_frame() {
    let stage = fight(&[0, 1], f32::INFINITY);
    let (attack, moment) = landing(&stage, 0.8).unwrap();
    let hit = moment.people[0].ahead.unwrap().hit;
    for delay in [1, 7, 40] {
        let mut later = moment.clone();
        let doing = Doing { start: delay, ..moment.people[0].doing };
        stage.start(&mut later, 0, doing);
        for tick in 0..=delay {
            assert_eq!(doing.frame(boxer(), tick), boxer().of_action(attack).first);
            assert_eq!(doing.placement(boxer(), tick), moment.people[0].doing.placement(boxer(), 0));
        }
        assert_eq!(doing.end(boxer()), moment.people[0].doing.end(boxer()) + delay);
        // Both wait equally long: the blow lands as much later.
        stage.start(&mut later, 1, Doing { start: delay, ..moment.people[1].doing });
        let ahead = later.people[0].ahead.unwrap().hit;
        assert_eq!((ahead.tick, ahead.bone, ahead.point), (hit.tick + delay, hit.bone, hit.point));
    }
}

#[test]
fn a_long_blade_hits_where_the_hand_does_not() {
    let blade = Weapon { bone: Bone::RightHand, ends: [Vec3::ZERO, Vec3::new(-0.9, 0.0, 0.0)], radius: 0.02 };
    let library = randori_motion::ActionLibrary::clone(boxer().library()).armed(blade);
    let armed = Arc::new(Bodies::of(Arc::new(library)));
    let bare = fight(&[0, 1], f32::INFINITY);
    let mut with_blade = bare.clone();
    with_blade.cast[0].bodies = Arc::clone(&armed);
    let (mut only_blade, mut only_hand) = (0, 0);
    for attack in of_kind(boxer(), Kind::Attack) {
        let is_right = boxer().library().action(attack).windows.first().unwrap().part == Bone::RightHand;
        for distance in [1.1, 1.3, 1.5, 1.7] {
            let [hand, sword] = [&bare, &with_blade]
                .map(|stage| opposite(stage, [attack, calm(boxer())], distance).people[0].ahead.is_some());
            if is_right {
                only_blade += usize::from(sword && !hand);
                only_hand += usize::from(hand && !sword);
                assert!(armed.of_action(attack).reach > boxer().of_action(attack).reach);
            } else {
                assert_eq!(hand, sword, "the other hand holds nothing");
            }
        }
    }
    println!("{only_blade} landed with the blade alone, {only_hand} with the hand alone");
    assert!(only_blade > 5 && only_blade > 3 * only_hand, "{only_blade} {only_hand}");
    assert_eq!((boxer().weapon(), armed.weapon()), (None, Some(boxer().radii().len())));
}

#[test]
fn a_catch_counts_anywhere_and_moves_nobody() {
    let stage = chase(&[0, 1]);
    let mut parts = [0; 3];
    let others = of_kind(&stage.cast[1].bodies, Kind::Transition);
    for (k, attack) in of_kind(&stage.cast[0].bodies, Kind::Attack).into_iter().enumerate() {
        for step in 0..24 {
            let distance = 0.4 + 0.05 * step as f32;
            let mut moment = opposite(&stage, [attack, others[(5 * k + step) % others.len()]], distance);
            let Some(ahead) = moment.people[0].ahead else { continue };
            let doing = moment.people[1].doing;
            let mut landed = stage.run(&mut moment, ahead.hit.tick);
            while moment.tick < ahead.hit.tick {
                // The other has done what it was doing, and waits.
                moment.people[1].doing.start += 1;
                landed = stage.run(&mut moment, ahead.hit.tick);
            }
            assert_eq!(landed.len(), 1);
            assert_eq!((landed[0].answer, landed[0].reacting), (None, None));
            assert_eq!(moment.people[1].doing.action, doing.action);
            assert!(moment.people[0].is_spent && moment.people[0].ahead.is_none());
            parts[landed[0].hit.part() as usize] += 1;
        }
    }
    assert!(parts.iter().sum::<usize>() > 5 && parts[Part::Limb as usize] > 0, "{parts:?}");
}

#[test]
fn where_in_the_world_they_are_changes_nothing_else() {
    let stage = fight(&[0, 1, 1], f32::INFINITY);
    let all = everybody(&stage, "general-boxer");
    let steps = play(&stage, &ring(&stage, 0.6), &all, 11, 200);
    let elsewhere = Rigid::of(Placement { position: Ground { x: 12.0, z: -7.0 }, heading: 2.1 });
    let (mut n, mut same) = (0, 0);
    for step in &steps {
        let people = step.before.people.iter().map(|person| {
            let doing =
                Doing { world_from_take: elsewhere.then(person.doing.world_from_take), ..person.doing };
            Some(doing)
        });
        let mut moved = step.before.clone();
        for (who, doing) in people.enumerate() {
            let spent = moved.people[who].is_spent;
            stage.start(&mut moved, who, doing.unwrap());
            moved.people[who].is_spent = spent;
            moved.people[who].ahead = moved.people[who].ahead.filter(|_| !spent);
        }
        let outcome = stage.simulate(&moved, step.who, step.action);
        let events = |outcome: &randori_arena::stage::Outcome| {
            let blows = outcome.landed.iter().map(|it| (it.who, it.whom, it.hit.tick, it.hit.bone));
            (outcome.next.tick, blows.collect::<Vec<_>>())
        };
        n += 1;
        if events(&outcome) != events(&step.outcome) {
            continue;
        }
        same += 1;
        for (who, person) in outcome.next.people.iter().enumerate() {
            let tick = outcome.next.tick;
            let bodies = &stage.cast[who].bodies;
            let there = elsewhere.placed(step.outcome.next.people[who].doing.placement(bodies, tick));
            let found = person.doing.placement(bodies, tick);
            assert!(found.position.distance(there.position) < 1e-3, "{found:?} {there:?}");
            assert!(wrap_angle(found.heading - there.heading).abs() < 1e-3, "{found:?} {there:?}");
        }
    }
    // Rounding may move a graze into the next tick.
    assert!(same * 100 >= 98 * n, "{same} of {n}");
}

#[test]
fn penetration_is_that_of_every_single_tick() {
    let (mut n, mut deep, mut only_on_the_way) = (0, 0, 0);
    for (stage, steps) in plays() {
        for (k, step) in steps.iter().enumerate().step_by(3) {
            for action in options(&stage, &step.before, step.who).iter().skip(k % 5).step_by(5) {
                let doing = stage.begin(&step.before, step.who, *action);
                let limit = [0.02, 0.0, 0.1, -0.3][k % 4];
                let found = stage.penetration(&step.before, step.who, &doing, limit);
                let deepest = |tick: i32| {
                    let others = (0..stage.cast.len()).filter(|whom| *whom != step.who);
                    let depths =
                        others.map(|whom| depth(&stage, &step.before, (step.who, &doing), whom, tick));
                    depths.fold(f32::NEG_INFINITY, f32::max)
                };
                let end = doing.end(&stage.cast[step.who].bodies);
                let at_end = deepest(end);
                let is_deeper = (step.before.tick + 1..=end).any(|tick| deepest(tick) > limit);
                assert_eq!((found.at_end, found.is_deeper), (at_end, is_deeper), "{action:?} {limit}");
                let penetrates = stage.penetrates(&step.before, step.who, &doing, limit);
                assert_eq!(penetrates, is_deeper, "{action:?} {limit}");
                n += 1;
                deep += usize::from(is_deeper);
                only_on_the_way += usize::from(is_deeper && at_end <= limit);
            }
        }
    }
    assert!(n > 2000 && deep > n / 50 && deep < n && only_on_the_way > 5, "{n} {deep} {only_on_the_way}");
}

/// How deep somebody is in another at a tick (m).
fn depth(stage: &Stage, moment: &Moment, (who, doing): (usize, &Doing), whom: usize, tick: i32) -> f32 {
    let theirs = &moment.people[whom].doing;
    let other_from_own = theirs.world_from_take.inverse().then(doing.world_from_take);
    let [own, other] =
        [(who, doing), (whom, theirs)].map(|(who, doing)| doing.stance(&stage.cast[who].bodies, tick));
    other.depth_in(&other_from_own, own)
}

#[test]
fn whoever_is_not_there_neither_strikes_nor_is_struck() {
    let stage = fight(&[0, 1, 1], f32::INFINITY);
    let attack = of_kind(boxer(), Kind::Attack)[0];
    let there = Ground { x: 0.0, z: 0.6 };
    let here = looking(boxer(), attack, Ground::default(), there);
    let other = looking(boxer(), calm(boxer()), there, Ground::default());
    let nobody = Moment::opening(&stage, 0, &[Some((attack, here)), None, None]);
    assert_eq!(nobody.people[0].ahead, None);
    let doing = nobody.people[0].doing;
    assert_eq!(stage.penetration(&nobody, 0, &doing, 0.0).at_end, f32::NEG_INFINITY);
    let mut next = nobody.clone();
    assert!(stage.run(&mut next, i32::MAX).is_empty());
    assert_eq!((next.tick, stage.turn(&next)), (doing.end(boxer()), Some(0)));
    let somebody = Moment::opening(&stage, 0, &[Some((attack, here)), None, Some((calm(boxer()), other))]);
    assert!(somebody.people[0].ahead.is_none_or(|ahead| ahead.whom == 2));
    assert!(stage.penetration(&somebody, 0, &doing, 0.0).at_end > -1.0);
}

#[test]
fn relations_are_distances_and_angles_of_the_gaze() {
    let stage = fight(&[0, 1], 10.0);
    for (k, turn) in [-2.5, -1.0, 0.0, 0.3, 3.0_f32].into_iter().enumerate() {
        let distance = 0.5 + k as f32;
        let here = looking(boxer(), calm(boxer()), Ground::default(), Ground { x: 0.0, z: 1.0 });
        let turned = Rigid::of(Placement { heading: turn, ..Placement::default() });
        let there = looking(boxer(), calm(boxer()), Ground { x: 0.0, z: distance }, Ground::default());
        let people = [Some((calm(boxer()), turned.then(here))), Some((calm(boxer()), there))];
        let moment = Moment::opening(&stage, 0, &people);
        let (found, angle) = stage.relation(&moment, (0, &moment.people[0].doing), 1, 0);
        assert!((found - distance).abs() < 1e-4, "{found} {distance}");
        assert!(wrap_angle(angle.abs() - turn.abs()).abs() < 1e-3 && angle.abs() <= PI, "{angle} {turn}");
    }
}

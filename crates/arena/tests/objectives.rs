//! What actions are worth, by hand: every term alone, and blows summed along whole fights.

mod common;

use std::slice;

use common::{aims, attacked, boxer, calm, chase, fight, of_kind, opposite, options, play, ring};
use randori_arena::bodies::Doing;
use randori_arena::hits::{Hit, Part};
use randori_arena::objectives::{Aims, Goal, Judge, Scoring, Terms};
use randori_arena::stage::{Landed, Moment, Stage};
use randori_arena::style::Style;
use randori_motion::annotation::Kind;
use randori_motion::{ActionId, Annotation, Ground};

/// The terms of an action of somebody who decides now.
fn terms(stage: &Stage, aims: &[Aims], moment: &Moment, who: usize, action: ActionId) -> Terms {
    let judge = Judge::of(stage, aims);
    let doing = stage.begin(moment, who, action);
    judge.terms(stage, moment, who, &doing, &stage.perform(moment, who, doing))
}

/// Two boxers who have just finished something calm, this far from each other (m).
fn peace(stage: &Stage, distance: f32) -> Moment {
    let mut moment = opposite(stage, [calm(boxer()); 2], distance);
    stage.run(&mut moment, i32::MAX);
    moment
}

fn near(found: f64, expected: f64) {
    let scale = 1.0 + found.abs().max(expected.abs());
    assert!((found - expected).abs() < 1e-6 * scale, "{found} {expected}");
}

#[test]
fn movement_is_what_changes_and_the_path_what_is_left() {
    let stage = fight(&[0, 1], 100.0);
    let goal = Goal { position: Ground { x: 2.0, z: -1.0 }, heading: Some(0.7) };
    let mut own = Aims { goal: Some(goal), ..aims("general-boxer-path", 1) };
    own.style.heading_weight = 4.0;
    let both = [own.clone(), aims("outboxer", 0)];
    let moment = peace(&stage, 1.4);
    for action in options(&stage, &moment, 0).iter().step_by(3) {
        let found = terms(&stage, &both, &moment, 0, *action);
        let doing = stage.begin(&moment, 0, *action);
        let at = |doing: &Doing, tick: i32| {
            let (distance, angle) = stage.relation(&moment, (0, doing), 1, tick);
            let root = doing.placement(boxer(), tick);
            let (x, z) = (root.position.x - goal.position.x, root.position.z - goal.position.z);
            let turned = randori_motion::math::wrap_angle(0.7 - root.heading);
            // In centimetres and degrees, as the paper has it.
            let movement = -10.0 * (f64::from(distance) * 100.0 - 80.0).powi(2)
                - 10.0 * f64::from(angle).to_degrees().powi(2);
            let path = -10.0 * 1e4 * f64::from(x * x + z * z) - 4.0 * f64::from(turned).to_degrees().powi(2);
            [movement, path]
        };
        let (end, now) = (at(&doing, doing.end(boxer())), at(&moment.people[0].doing, moment.tick));
        assert!((found.movement - (end[0] - now[0])).abs() < 1.0, "{found:?} {end:?} {now:?}");
        assert!((found.path - end[1]).abs() < 1.0, "{found:?} {end:?}");
    }
    let alone = [Aims { opponent: 0, ..aims("general-boxer", 0) }, aims("outboxer", 0)];
    let action = options(&stage, &moment, 0)[0];
    let found = terms(&stage, &alone, &moment, 0, action);
    assert_eq!((found.movement, found.path), (0.0, 0.0));
}

#[test]
fn combinations_count_for_oneself_or_for_both() {
    let stage = fight(&[0, 1], 100.0);
    let attacks = of_kind(boxer(), Kind::Attack);
    let mut n = 0;
    for attack in attacks.iter().step_by(4) {
        let mut moment = opposite(&stage, [calm(boxer()), *attack], 1.2);
        stage.run(&mut moment, i32::MAX);
        if stage.turn(&moment) != Some(0) || moment.people[1].doing.action != *attack {
            continue;
        }
        let own = aims("general-boxer", 1);
        let staged = Aims { staged: true, ..own.clone() };
        for action in &options(&stage, &moment, 0) {
            let word = |id: ActionId| &boxer().library().action(id).annotation;
            let expected = own.table.suitability(word(*action), word(*attack)).map_or(0.0, f64::from) * 1e2;
            n += usize::from(expected != 0.0);
            let of = |own: &Aims| terms(&stage, &[own.clone(), aims("infighter", 0)], &moment, 0, *action);
            let (alone, both) = (of(&own), of(&staged));
            assert_eq!((alone.combination, alone.staged), (expected, 0.0));
            assert_eq!((both.combination, both.staged), (0.0, expected));
            near(alone.competitive() + alone.cooperative(), both.competitive() + both.cooperative());
        }
    }
    assert!(n > 0);
}

#[test]
fn what_was_done_lately_is_worth_less() {
    let stage = fight(&[0, 1], 100.0);
    let moment = peace(&stage, 1.4);
    let options = options(&stage, &moment, 0);
    let word = |id: ActionId| &boxer().library().action(id).annotation;
    let alike = |id: &ActionId| options.iter().copied().find(|it| it != id && word(*it) == word(*id));
    let first = options.iter().copied().find(|id| alike(id).is_some()).unwrap();
    let (same, other) =
        (alike(&first).unwrap(), options.iter().copied().find(|id| word(*id) != word(first)).unwrap());
    let recency = |done: &[ActionId], action: ActionId| {
        let own = Aims { done: done.to_vec(), ..aims("general-boxer", 1) };
        terms(&stage, &[own, aims("general-boxer", 0)], &moment, 0, action).recency
    };
    let weight = Style::preset("general-boxer").unwrap().recency_weight;
    assert_eq!(recency(&[], first), 0.0);
    assert_eq!(recency(&[first], first), -weight);
    assert_eq!(recency(&[first], same), -0.5 * weight);
    assert_eq!(recency(&[first], other), 0.0);
    assert_eq!(recency(&[first, other], first), -0.5 * weight);
    assert_eq!(recency(&[first, other], other), -weight);
    assert_eq!(recency(&[same, first], first), -1.25 * weight);
}

#[test]
fn what_was_asked_for_counts_and_what_was_not_counts_against() {
    let stage = fight(&[0, 1], f32::INFINITY);
    // The other waits, so that a blow lands before anybody else decides.
    let mut moment = peace(&stage, 0.65);
    let waiting = Doing { start: moment.tick + 60, ..moment.people[1].doing };
    stage.start(&mut moment, 1, waiting);
    let word = |id: ActionId| &boxer().library().action(id).annotation;
    let mut forced = 0;
    for action in &options(&stage, &moment, 0) {
        let name = slice::from_ref(word(*action));
        let weight = Style::preset("general-boxer-path").unwrap().requirement_weight;
        let of = |required: &[Annotation], forbidden: &[Annotation], theirs: &[Annotation]| {
            let own = Aims {
                required: required.to_vec(),
                forbidden: forbidden.to_vec(),
                ..aims("general-boxer-path", 1)
            };
            let other = Aims { required: theirs.to_vec(), ..aims("general-boxer-path", 0) };
            terms(&stage, &[own, other], &moment, 0, *action).requirement
        };
        assert_eq!(of(&[], &[], &[]), 0.0);
        assert_eq!(of(name, &[], &[]), weight);
        assert_eq!(of(&[], name, &[]), -weight);
        assert_eq!(of(name, name, &[]), 0.0);
        assert_eq!(of(&[Annotation::of("knock-down")], &[], &[]), 0.0);
        // A reaction that is asked of the other is brought about by a blow.
        let outcome = stage.simulate(&moment, 0, *action);
        for landed in outcome.landed.iter().filter(|landed| landed.whom == 1) {
            let Some(answer) = landed.answer else { continue };
            let reaction = word(answer.action);
            let times = (outcome.landed.iter())
                .filter(|it| it.whom == 1 && it.answer.is_some_and(|it| word(it.action) == reaction));
            near(of(&[], &[], slice::from_ref(reaction)), weight * times.count() as f64);
            forced += 1;
        }
    }
    assert!(forced > 0);
}

/// What a blow is worth to whoever gives it, by hand: equation (5) for both.
fn by_hand(aims: &[Aims], landed: &Landed) -> f64 {
    let (giver, taker) = (&aims[landed.who as usize], &aims[landed.whom as usize]);
    let word = &boxer().library().action(landed.action).annotation;
    let weight = giver.style.damage_weight(word) + taker.style.taken_weight;
    weight * f64::from(landed.hit.velocity.length() * landed.hit.part().vulnerability())
}

#[test]
fn scores_along_a_fight_sum_up_to_what_landed_and_what_is_coming() {
    for (seed, sides, styles) in [
        (1, &[0, 1][..], &["general-boxer", "infighter"][..]),
        (2, &[0, 1], &["outboxer", "infighter"]),
        (3, &[0, 1, 1], &["general-boxer", "infighter", "outboxer"]),
    ] {
        let stage = fight(sides, f32::INFINITY);
        let all: Vec<Aims> =
            styles.iter().enumerate().map(|(who, style)| aims(style, usize::from(who == 0))).collect();
        let judge = Judge::of(&stage, &all);
        let steps = play(&stage, &ring(&stage, 0.5), &all, seed, 300);
        let (mut sum, mut landed, mut n) = (0.0, 0.0, 0);
        let sign = |who: usize| if stage.cast[who].side == 0 { 1.0 } else { -1.0 };
        for step in &steps {
            let doing = stage.begin(&step.before, step.who, step.action);
            let terms = judge.terms(&stage, &step.before, step.who, &doing, &step.outcome);
            sum += sign(step.who) * terms.score;
            for blow in &step.outcome.landed {
                landed += sign(blow.who as usize) * by_hand(&all, blow);
                n += 1;
            }
        }
        // Fights that began again count from there.
        let coming = |moment: &Moment| judge.coming(&stage, moment, 0);
        let mut still = coming(&steps.last().unwrap().outcome.next) - coming(&steps[0].before);
        for pair in steps.windows(2).filter(|pair| pair[0].outcome.next != pair[1].before) {
            still += coming(&pair[0].outcome.next) - coming(&pair[1].before);
        }
        near(sum, landed + still);
        for step in &steps {
            near(coming(&step.before), -judge.coming(&stage, &step.before, 1));
        }
        assert!(n > 20, "{n}");
    }
}

#[test]
fn whoever_avoids_a_blow_gets_back_exactly_what_it_was_worth() {
    let stage = fight(&[0, 1], f32::INFINITY);
    let both = [aims("general-boxer", 1), aims("infighter", 0)];
    let judge = Judge::of(&stage, &both);
    let (mut avoided, mut endured) = (0, 0);
    for attack in of_kind(boxer(), Kind::Attack) {
        let Some(moment) = attacked(&stage, attack, 0.8, 4) else { continue };
        let Some(ahead) = moment.people[1].ahead.filter(|it| it.hit.part() != Part::Limb) else { continue };
        let word = &boxer().library().action(attack).annotation;
        let worth =
            (both[1].style.damage_weight(word) + both[0].style.taken_weight) * f64::from(ahead.hit.damage());
        near(judge.coming(&stage, &moment, 0), -worth);
        for action in &options(&stage, &moment, 0) {
            let doing = stage.begin(&moment, 0, *action);
            let outcome = stage.perform(&moment, 0, doing);
            let score = judge.terms(&stage, &moment, 0, &doing, &outcome).score;
            let nothing = outcome.next.people.iter().all(|person| person.ahead.is_none());
            if outcome.landed.is_empty() && nothing {
                near(score, worth);
                avoided += 1;
            } else if let [landed] = &outcome.landed[..]
                && nothing
                && landed.who == 1
            {
                near(score, worth - by_hand(&both, landed));
                endured += 1;
            }
        }
    }
    assert!(avoided > 5 && endured > 0, "{avoided} {endured}");
}

/// A shot counts by how high it goes in, and nothing else.
fn shot(hit: &Hit) -> f32 {
    if hit.point.y > 1.2 { 3.0 } else { 0.0 }
}

#[test]
fn games_have_rules_of_their_own() {
    let stage = chase(&[0, 1]);
    let runner = &stage.cast[0].bodies;
    let mut seen = [0; 2];
    for (k, attack) in of_kind(runner, Kind::Attack).into_iter().enumerate() {
        let moment = opposite(&stage, [attack, calm(runner)], 0.5 + 0.05 * (k % 10) as f32);
        let Some(ahead) = moment.people[0].ahead else { continue };
        let worth = |scoring: Scoring| {
            let own = Aims { scoring, ..aims("chaser", 1) };
            let both = [own, aims("runaway", 0)];
            let judge = Judge::of(&stage, &both);
            let weight = both[0].style.damage_weight(&runner.library().action(attack).annotation)
                + both[1].style.taken_weight;
            judge.coming(&stage, &moment, 0) / weight
        };
        near(worth(Scoring::Catch), 10.0);
        near(worth(Scoring::Own(shot)), f64::from(shot(&ahead.hit)));
        near(worth(Scoring::Damage), f64::from(ahead.hit.damage()));
        seen[usize::from(ahead.hit.point.y > 1.2)] += 1;
    }
    assert!(seen[0] + seen[1] > 0, "{seen:?}");
}

#[test]
fn habits_are_shares_of_what_was_chosen() {
    let stage = fight(&[0, 1], 100.0);
    let library = boxer().library();
    let word = |id: ActionId| &library.action(id).annotation;
    let [a, b] = [of_kind(boxer(), Kind::Attack)[0], of_kind(boxer(), Kind::Defence)[0]];
    let own = Aims { done: vec![a, a, b], ..aims("general-boxer", 1) };
    let judge = Judge::of(&stage, &[own, aims("general-boxer", 0)]);
    for id in library.ids() {
        let alike = library.ids().filter(|it| word(*it) == word(id)).count() as f64;
        let times = [a, a, b].iter().filter(|it| word(**it) == word(id)).count() as f64;
        near(judge.habit(0, id), (0.5 + times) / alike);
        near(judge.habit(1, id), 0.5 / alike);
    }
}

#[test]
fn promises_are_kept() {
    // The most that an action can be worth is known before it is simulated: it never is worth more.
    let goal = Goal { position: Ground { x: 1.0, z: 1.0 }, heading: Some(0.0) };
    let asked = |aims: Aims| Aims {
        goal: Some(goal),
        required: vec![Annotation::of("left-jab"), Annotation::of("hit-head-front")],
        forbidden: vec![Annotation::of("duck")],
        ..aims
    };
    let cases = [
        (fight(&[0, 1], 50.0), vec![aims("general-boxer", 1), aims("infighter", 0)]),
        (
            fight(&[0, 1], f32::INFINITY),
            vec![asked(aims("general-boxer-path", 1)), asked(aims("general-boxer-path", 0))],
        ),
        (fight(&[0, 1, 1], 50.0), vec![aims("general-boxer", 1), aims("infighter", 0), aims("outboxer", 0)]),
        (chase(&[0, 1]), vec![aims("chaser", 1), aims("runaway", 0)]),
    ];
    for (case, (stage, all)) in cases.into_iter().enumerate() {
        let judge = Judge::of(&stage, &all);
        let (mut n, mut slack) = (0, f64::INFINITY);
        for (k, step) in play(&stage, &ring(&stage, 0.5), &all, 8, 300).iter().enumerate() {
            let options: Vec<ActionId> =
                options(&stage, &step.before, step.who).into_iter().skip(k % 3).step_by(3).collect();
            let mut promised = Vec::new();
            judge.promises(&stage, &step.before, step.who, options.iter().copied(), &mut promised);
            assert_eq!(promised.len(), options.len());
            for (action, promise) in options.into_iter().zip(promised) {
                let doing = stage.begin(&step.before, step.who, action);
                let outcome = stage.perform(&step.before, step.who, doing);
                let terms = judge.terms(&stage, &step.before, step.who, &doing, &outcome);
                let worth = terms.competitive() + terms.cooperative();
                assert!(worth <= promise, "{case} {k} {worth} {promise} {terms:?} {outcome:?}");
                slack = slack.min(promise - worth);
                n += 1;
            }
        }
        println!("{case}: {n} promises, kept by {slack} points at least");
    }
}

#[test]
fn prospects_are_not_exceeded() {
    // What an action and whatever the other does after it can be worth is known before either is simulated.
    let cases = [
        (fight(&[0, 1], 50.0), vec![aims("general-boxer", 1), aims("infighter", 0)]),
        (fight(&[0, 1], f32::INFINITY), vec![aims("outboxer", 1), aims("general-boxer", 0)]),
        (chase(&[0, 1]), vec![aims("chaser", 1), aims("runaway", 0)]),
    ];
    for (case, (stage, all)) in cases.into_iter().enumerate() {
        let judge = Judge::of(&stage, &all);
        let worth = |moment: &Moment, who: usize, action: ActionId| {
            let doing = stage.begin(moment, who, action);
            let outcome = stage.perform(moment, who, doing);
            (judge.terms(&stage, moment, who, &doing, &outcome).competitive(), outcome.next)
        };
        let (mut n, mut slack) = (0, f64::INFINITY);
        for (k, step) in play(&stage, &ring(&stage, 0.5), &all, 8, 150).iter().enumerate() {
            let first: Vec<ActionId> =
                options(&stage, &step.before, step.who).into_iter().skip(k % 7).step_by(7).collect();
            let mut prospects = Vec::new();
            judge.prospects(&stage, &step.before, step.who, first.iter().copied(), &mut prospects);
            for (action, prospect) in first.into_iter().zip(prospects).filter(|(_, most)| most.is_finite()) {
                let (won, next) = worth(&step.before, step.who, action);
                assert!(won <= prospect, "{case} {k} {won} {prospect}: nothing may follow");
                let Some(turn) = stage.turn(&next) else { continue };
                assert_ne!(turn, step.who, "{case} {k}");
                for answer in options(&stage, &next, turn).into_iter().skip(k % 5).step_by(5) {
                    let (lost, _) = worth(&next, turn, answer);
                    assert!(won - lost <= prospect, "{case} {k} {won} {lost} {prospect}");
                    slack = slack.min(prospect - won + lost);
                    n += 1;
                }
            }
        }
        assert!(n > 1000, "{case}: {n}");
        println!("{case}: {n} prospects, kept by {slack} points at least");
    }
    let stage = fight(&[0, 1], 50.0);
    let goal = Goal { position: Ground { x: 1.0, z: 1.0 }, heading: None };
    let both = [Aims { goal: Some(goal), ..aims("general-boxer-path", 1) }, aims("general-boxer", 0)];
    let moment = &play(&stage, &ring(&stage, 0.5), &both, 8, 1)[0].before;
    let judge = Judge::of(&stage, &both);
    assert!(!judge.prospects(&stage, moment, 0, std::iter::empty(), &mut Vec::new()), "they share a goal");
}

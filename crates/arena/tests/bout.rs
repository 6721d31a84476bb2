//! A live bout does what was planned on, and writes down all of it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod common;

use common::{aims, boxer, calm, chase, fight, looking, of_kind, opposite, options, ring};
use randori_arena::bodies::Doing;
use randori_arena::bout::{Bout, Happening, Pause};
use randori_arena::controller::{Controller, Random, Scripted, StaticTarget, Still};
use randori_arena::hits::Part;
use randori_arena::objectives::Aims;
use randori_arena::reactions::Answer;
use randori_arena::stage::{Moment, Stage};
use randori_motion::Ground;
use randori_motion::annotation::Kind;

/// A bout of people who each have a controller of their own.
fn bout(
    stage: Stage,
    moment: Moment,
    style: &str,
    controller: impl Fn(usize) -> Box<dyn Controller>,
) -> Bout {
    let foe = |who: usize| stage.cast.iter().position(|other| other.side != stage.cast[who].side).unwrap();
    let n = stage.cast.len();
    let all: Vec<Aims> = (0..n).map(|who| aims(style, foe(who))).collect();
    Bout::new(stage, moment, all, (0..n).map(controller).collect(), (0..n).collect())
}

#[test]
fn what_if_is_what_is() {
    let mut n = 0;
    for (seed, sides, style) in [
        (1, &[0, 1][..], "general-boxer"),
        (2, &[0, 1], "infighter"),
        (3, &[0, 1, 1], "infighter"),
        (4, &[0, 0, 1, 1], "general-boxer"),
        (5, &[0, 1], "chaser"),
    ] {
        let stage = if style == "chaser" { chase(sides) } else { fight(sides, 200.0) };
        let moment = ring(&stage, 0.6);
        let mut bout = bout(stage, moment, style, |who| Box::new(Random::new(seed + 100 * who as u64)));
        for _ in 0..200 {
            let Pause::Decision(who) = bout.advance(i32::MAX) else { break };
            let (before, at) = (bout.moment.clone(), bout.happenings.len());
            bout.decide(who);
            let Happening::Decided { verdict, tick, who: decided } = bout.happenings[at].clone() else {
                panic!("{:?}", bout.happenings[at]);
            };
            assert_eq!((tick, decided), (before.tick, who));
            let outcome = bout.stage.simulate(&before, who, verdict.action);
            bout.advance(i32::MAX);
            assert_eq!(bout.moment, outcome.next);
            let landed = outcome.landed.into_iter().map(Happening::Landed).collect::<Vec<_>>();
            assert_eq!(bout.happenings[at + 1..], landed);
            n += 1;
        }
    }
    assert!(n > 500, "{n}");
}

#[test]
fn everything_is_written_down_in_order_of_time() {
    let stage = fight(&[0, 1], 200.0);
    let moment = ring(&stage, 0.5);
    let mut bout = bout(stage, moment, "general-boxer", |who| Box::new(Random::new(who as u64)));
    while bout.moment.tick < 1200 {
        if let Pause::Decision(who) = bout.advance(1200) {
            bout.decide(who);
        }
    }
    assert_eq!(bout.moment.tick, 1200);
    let tick = |happening: &Happening| match happening {
        Happening::Decided { tick, .. } => *tick,
        Happening::Landed(landed) => landed.hit.tick,
    };
    assert!(bout.happenings.iter().map(tick).is_sorted());
    for (who, track) in bout.tracks.iter().enumerate() {
        // One after the other without a gap or a jump.
        for pair in track.performed.windows(2) {
            let [(from, was), (at, now)] = [pair[0], pair[1]];
            assert!(from <= at && at <= was.end(boxer()).max(from), "{who} {pair:?}");
            let [old, new] = [was, now].map(|doing| doing.placement(boxer(), at));
            assert!(old.position.distance(new.position) < 1e-3, "{who} {old:?} {new:?}");
        }
        let decided =
            |happening: &&Happening| matches!(happening, Happening::Decided { who: it, .. } if *it == who);
        let struck = |happening: &&Happening| matches!(happening, Happening::Landed(it) if it.whom as usize == who && it.answer.is_some());
        let n = |of: &dyn Fn(&&Happening) -> bool| bout.happenings.iter().filter(|it| of(it)).count();
        assert_eq!(track.performed.len(), 1 + n(&decided) + n(&struck));
        assert_eq!(bout.aims[who].done.len(), n(&decided));
    }
}

#[test]
fn people_enter_and_leave() {
    let stage = fight(&[0, 1], f32::INFINITY);
    let hurts = |moment: &Moment| moment.people[0].ahead.is_some_and(|it| it.hit.part() != Part::Limb);
    let moment = of_kind(boxer(), Kind::Attack)
        .into_iter()
        .map(|attack| opposite(&stage, [attack, calm(boxer())], 0.8))
        .find(hurts)
        .unwrap();
    let tick = moment.people[0].ahead.unwrap().hit.tick;
    let place = moment.people[1].doing.root(boxer(), 0);
    let begin = || bout(stage.clone(), moment.clone(), "general-boxer", |_| Box::new(Still));
    let land = |bout: &mut Bout| {
        while bout.moment.tick < tick {
            if let Pause::Decision(who) = bout.advance(tick) {
                // Whoever is done waits.
                bout.moment.people[who].doing.start += 1;
            }
        }
        bout.happenings.iter().filter(|it| matches!(it, Happening::Landed(_))).count()
    };
    assert_eq!(land(&mut begin()), 1);
    let mut gone = begin();
    gone.leave(1);
    assert_eq!(gone.tracks[1].left, Some(0));
    assert_eq!(land(&mut gone), 0, "nobody is there to be struck");
    let mut back = begin();
    back.leave(1);
    back.enter(1, calm(boxer()), place);
    assert_eq!(land(&mut back), 1);
    assert_eq!(back.tracks[1].performed.len(), 3, "there, back, and struck");
}

#[test]
fn others_than_blows_force_reactions_too() {
    let stage = fight(&[0, 1], f32::INFINITY);
    let moment = ring(&stage, 2.0);
    let mut bout = bout(stage, moment, "general-boxer", |_| Box::new(Still));
    bout.advance(5);
    let before = bout.moment.people[1].doing.placement(boxer(), bout.moment.tick);
    let action = of_kind(boxer(), Kind::Reaction)[0];
    bout.force(1, Answer { action, skipped: 2, falls: false });
    let doing = bout.moment.people[1].doing;
    assert_eq!(doing.action, action);
    assert_eq!(bout.tracks[1].performed.last(), Some(&(bout.moment.tick, doing)));
    assert!(doing.placement(boxer(), bout.moment.tick).position.distance(before.position) < 1e-3);
}

#[test]
fn controllers_choose_what_the_graph_allows() {
    let lines = ["left-jab", "right-straight"].map(str::to_owned);
    for name in ["random", "static", "still", "scripted"] {
        let stage = fight(&[0, 1], f32::INFINITY);
        let moment = ring(&stage, 0.5);
        let hired = |who: usize| -> Box<dyn Controller> {
            match name {
                "random" => Box::new(Random::new(who as u64)),
                "static" => Box::new(StaticTarget),
                "still" => Box::new(Still),
                _ => Box::new(Scripted::new(lines.clone().into(), true)),
            }
        };
        let mut bout = bout(stage, moment, "general-boxer", hired);
        let (mut n, mut attacks, mut defences) = (0, 0, 0);
        while n < 150 {
            let Pause::Decision(who) = bout.advance(i32::MAX) else { panic!("{name}") };
            let options = options(&bout.stage, &bout.moment, who);
            bout.decide(who);
            let doing: Doing = bout.moment.people[who].doing;
            assert!(options.contains(&doing.action), "{name}");
            attacks += usize::from(boxer().of_action(doing.action).kind == Kind::Attack);
            defences += usize::from(boxer().of_action(doing.action).kind == Kind::Defence);
            n += 1;
        }
        println!("{name}: {attacks} attacks and {defences} defences of {n}");
        match name {
            "static" => assert!(attacks > 20 && attacks > defences, "{attacks} {defences}"),
            "still" => assert_eq!(attacks, 0),
            "scripted" => assert!(attacks > 5),
            _ => assert!(attacks > 0),
        }
    }
}

#[test]
fn whoever_looks_elsewhere_is_where_one_put_them() {
    let here = looking(boxer(), calm(boxer()), Ground { x: 1.0, z: 2.0 }, Ground::default());
    assert_eq!(here.placement().position, Ground { x: 1.0, z: 2.0 });
}

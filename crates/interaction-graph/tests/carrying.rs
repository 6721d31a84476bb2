//! Two who carry something: they keep hold, keep together, and go where they are to go.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

#[path = "../../arena/tests/common/mod.rs"]
mod common;

use std::sync::{Arc, OnceLock};

use common::{aims, library};
use randori_actor::{Casting, Temperament, carrying};
use randori_arena::bodies::{Bodies, Rigid};
use randori_arena::bout::{Bout, Pause};
use randori_arena::controller::Controller;
use randori_arena::objectives::Goal;
use randori_arena::stage::{Cast, Contest, Moment, Stage};
use randori_interaction_graph::carriers::{APART, Carrier, Carriers, EXPLORED};
use randori_interaction_graph::duel::Activity;
use randori_interaction_graph::interaction::Carrying;
use randori_interaction_graph::{Duel, Graph, Settings, build};
use randori_motion::analyse::Discipline;
use randori_motion::{Build, Ground, Placement};

fn porter() -> &'static Arc<Bodies> {
    static MADE: OnceLock<Arc<Bodies>> = OnceLock::new();
    MADE.get_or_init(|| {
        let casting =
            Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds: 240.0 };
        let takes = carrying(&casting).into_iter().map(|take| (take, Discipline::Carrying));
        Arc::new(Bodies::of(Arc::new(library("carry", takes))))
    })
}

fn carriers() -> &'static Arc<Carriers> {
    static MADE: OnceLock<Arc<Carriers>> = OnceLock::new();
    MADE.get_or_init(|| {
        let duel = Duel::carrying(Arc::clone(porter()), EXPLORED);
        let mut settings = Settings::of(Activity::Carry);
        settings.sampling.most = 20_000;
        let graph = build(&duel, &Carrying { apart: EXPLORED }, &settings, &|_, _, _| ()).unwrap();
        assert_eq!(graph.about().activity, Activity::Carry);
        let again = Graph::from_bytes(&graph.to_bytes()).unwrap();
        assert_eq!(again, graph);
        Arc::new(Carriers::of(Arc::new(graph), Arc::clone(porter().library())))
    })
}

/// Both go towards a heading (rad) for some ticks; where each was at every tick.
fn go(heading: f32, ticks: i32) -> (Bout, Vec<[Ground; 2]>) {
    let bodies = porter();
    let cast = |side: u8| Cast { bodies: Arc::clone(bodies), reactions: None, side, poise: f32::MAX };
    let stage = Stage { cast: vec![cast(0), cast(1)], contest: Contest::Fight };
    let library = bodies.library();
    let stands = |name: &str| name.starts_with("pair-carry-stand-light");
    let stand = library.ids().find(|id| stands(library.action(*id).annotation.name())).unwrap();
    let place = |z: f32, heading: f32| {
        Some((stand, Rigid::of(Placement { position: Ground { x: 0.0, z }, heading })))
    };
    let moment = Moment::opening(&stage, 0, &[place(-0.75, 0.0), place(0.75, std::f32::consts::PI)]);
    let both = vec![aims("general-boxer", 1), aims("general-boxer", 0)];
    let carrier = || Box::new(Carrier::new(carriers())) as Box<dyn Controller>;
    let mut bout = Bout::new(stage, moment, both, vec![carrier(), carrier()], vec![0, 1]);
    let far = Ground { x: 50.0 * libm::sinf(heading), z: 50.0 * libm::cosf(heading) };
    for aims in &mut bout.aims {
        aims.goal = Some(Goal { position: far, heading: None });
    }
    let mut places = Vec::new();
    for tick in 1..=ticks {
        while let Pause::Decision(who) = bout.advance(tick) {
            bout.decide(who);
        }
        places.push([0, 1].map(|who| bout.stage.position(&bout.moment, who, bout.moment.tick)));
    }
    (bout, places)
}

#[test]
fn they_go_all_ways_together() {
    for eighth in 0..8 {
        let heading = std::f32::consts::FRAC_PI_4 * eighth as f32;
        let (_, places) = go(heading, 480);
        let [first, last] = [places[0], places[places.len() - 1]]
            .map(|[a, b]| Ground { x: 0.5 * (a.x + b.x), z: 0.5 * (a.z + b.z) });
        let along = (last.x - first.x) * libm::sinf(heading) + (last.z - first.z) * libm::cosf(heading);
        assert!(along > 0.8 * first.distance(last) && along > 0.8, "way {eighth}: {along} m");
        for [a, b] in places {
            assert!((APART[0]..=APART[1]).contains(&a.distance(b)), "way {eighth}: {} m", a.distance(b));
        }
    }
}

#[test]
fn they_never_let_go() {
    let (bout, _) = go(1.0, 600);
    for aims in &bout.aims {
        assert!(aims.done.len() > 5);
        for id in &aims.done {
            let held = porter().library().action(*id).annotation.holds();
            assert!(held.iter().all(|load| load.is_some_and(|load| load.is_shared)), "{held:?}");
        }
    }
}

#[test]
fn whoever_holds_nothing_has_nothing_to_look_up() {
    let boxers = common::boxer();
    assert_eq!(Activity::of(boxers.library()), Activity::Fight);
    assert_eq!(Activity::of(porter().library()), Activity::Carry);
    assert_eq!(Activity::of(common::runner().library()), Activity::Chase);
    assert!(!carriers().graph().fits(boxers.library()));
}

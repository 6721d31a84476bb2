//! People for tests and benches: libraries of the built-in actor, and stages with somebody on them.

#![allow(dead_code, reason = "every test uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::sync::{Arc, OnceLock};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_actor::{Casting, Performance, Temperament, boxing, reactions, running};
use randori_arena::bodies::{Bodies, Rigid};
use randori_arena::combination::Table;
use randori_arena::objectives::{Aims, Scoring};
use randori_arena::plausible::plausible;
use randori_arena::reactions::Reactions;
use randori_arena::stage::{Cast, Contest, Moment, Outcome, Stage};
use randori_arena::style::Style;
use randori_motion::analyse::{Discipline, Settings, analyse};
use randori_motion::annotation::Kind;
use randori_motion::library::{Likeness, Recording, assemble};
use randori_motion::{ActionId, ActionLibrary, Build, Ground, Placement};

/// A library of somebody who boxes and is struck for so long (s).
pub(crate) fn boxing_library([boxes, is_struck]: [f32; 2]) -> ActionLibrary {
    let casting =
        |seconds: f32| Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds };
    let all = |takes: Vec<Performance>, discipline| takes.into_iter().map(move |take| (take, discipline));
    let takes = all(boxing(&casting(boxes)), Discipline::Boxing)
        .chain(all(reactions(&casting(is_struck)), Discipline::Reactions));
    library("boxing", takes)
}

/// A library of somebody who runs, dodges and catches for so long (s).
pub(crate) fn running_library(seconds: f32) -> ActionLibrary {
    let casting = Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds };
    library("run", running(&casting).into_iter().map(|take| (take, Discipline::Running)))
}

/// A library of these takes.
pub(crate) fn library(name: &str, takes: impl Iterator<Item = (Performance, Discipline)>) -> ActionLibrary {
    let recordings: Vec<Recording> = takes
        .map(|(performance, discipline)| {
            let analysis = analyse(&performance.clip, &Settings::of(discipline)).unwrap();
            let [left, right] = analysis.contacts.feet;
            let standing = [left.down, right.down];
            Recording { clip: performance.clip, standing, segments: analysis.segments }
        })
        .collect();
    assemble(name, name, Build::AVERAGE, &recordings, &Likeness::default()).unwrap()
}

/// Somebody who boxes and can be struck.
pub(crate) fn boxer() -> &'static Arc<Bodies> {
    static MADE: OnceLock<Arc<Bodies>> = OnceLock::new();
    MADE.get_or_init(|| Arc::new(Bodies::of(Arc::new(boxing_library([60.0, 60.0])))))
}

/// How the boxer takes blows.
pub(crate) fn reactions_of_boxer() -> &'static Arc<Reactions> {
    static MADE: OnceLock<Arc<Reactions>> = OnceLock::new();
    MADE.get_or_init(|| Arc::new(Reactions::of(Arc::clone(boxer().library()))))
}

/// Somebody who runs, dodges and catches.
pub(crate) fn runner() -> &'static Arc<Bodies> {
    static MADE: OnceLock<Arc<Bodies>> = OnceLock::new();
    MADE.get_or_init(|| Arc::new(Bodies::of(Arc::new(running_library(60.0)))))
}

/// Boxers of these sides with this poise.
pub(crate) fn fight(sides: &[u8], poise: f32) -> Stage {
    let cast = |side: &u8| Cast {
        bodies: Arc::clone(boxer()),
        reactions: Some(Arc::clone(reactions_of_boxer())),
        side: *side,
        poise,
    };
    Stage { cast: sides.iter().map(cast).collect(), contest: Contest::Fight }
}

/// Runners of these sides.
pub(crate) fn chase(sides: &[u8]) -> Stage {
    let cast =
        |side: &u8| Cast { bodies: Arc::clone(runner()), reactions: None, side: *side, poise: f32::INFINITY };
    Stage { cast: sides.iter().map(cast).collect(), contest: Contest::Chase }
}

/// What somebody of a preset is after.
pub(crate) fn aims(style: &str, opponent: usize) -> Aims {
    static TABLE: OnceLock<Arc<Table>> = OnceLock::new();
    let table = TABLE.get_or_init(|| Arc::new(Table::of_known_words()));
    let scoring = if style.starts_with("chaser") { Scoring::Catch } else { Scoring::Damage };
    Aims { scoring, ..Aims::of(Style::preset(style).unwrap(), opponent, table) }
}

/// Where the root is of somebody who stands here in the first frame of an action and looks there.
pub(crate) fn looking(bodies: &Bodies, action: ActionId, here: Ground, there: Ground) -> Rigid {
    let library = bodies.library();
    let action = library.action(action);
    let gaze = library.baked(action.take).gaze(action.frames.start as usize);
    let heading = libm::atan2f(there.x - here.x, there.z - here.z) - gaze;
    Rigid::of(Placement { position: here, heading })
}

/// Two who look at each other from this far away (m), in the first frames of these actions.
pub(crate) fn opposite(stage: &Stage, actions: [ActionId; 2], distance: f32) -> Moment {
    let places = [Ground { x: 0.0, z: 0.0 }, Ground { x: 0.0, z: distance }];
    let person = |who: usize| {
        let here = looking(&stage.cast[who].bodies, actions[who], places[who], places[1 - who]);
        Some((actions[who], here))
    };
    Moment::opening(stage, 0, &[person(0), person(1)])
}

/// The first of two decides when a blow of the other has been under way for so many ticks, and would land.
pub(crate) fn attacked(stage: &Stage, attack: ActionId, distance: f32, ticks: i32) -> Option<Moment> {
    let bodies = &stage.cast[0].bodies;
    let mut moment = opposite(stage, [calm(bodies), attack], distance);
    stage.run(&mut moment, ticks);
    // As if what the first does were over now.
    let mut done = moment.people[0].doing;
    done.start = moment.tick - (done.end(bodies) - done.start);
    stage.start(&mut moment, 0, done);
    (moment.people[1].ahead.is_some() && stage.turn(&moment) == Some(0)).then_some(moment)
}

/// Everybody on a ring of this radius (m), looking at its middle, in the first frame of a calm action.
pub(crate) fn ring(stage: &Stage, radius: f32) -> Moment {
    let n = stage.cast.len();
    let person = |who: usize| {
        let angle = std::f32::consts::TAU * who as f32 / n as f32;
        let here = Ground { x: radius * libm::sinf(angle), z: radius * libm::cosf(angle) };
        let bodies = &stage.cast[who].bodies;
        let action = calm(bodies);
        Some((action, looking(bodies, action, here, Ground::default())))
    };
    Moment::opening(stage, 0, &(0..n).map(person).collect::<Vec<_>>())
}

/// The transition that moves the root least.
pub(crate) fn calm(bodies: &Bodies) -> ActionId {
    let upright = |id: &ActionId| {
        let its = bodies.of_action(*id);
        its.kind == Kind::Transition && bodies.stance(its.take, its.first).trunk[0].y > 0.7
    };
    let roam = |id: &ActionId| bodies.of_action(*id).roam;
    bodies.library().ids().filter(upright).min_by(|a, b| roam(a).total_cmp(&roam(b))).unwrap()
}

/// All actions of a kind that begin on one's feet.
pub(crate) fn of_kind(bodies: &Bodies, kind: Kind) -> Vec<ActionId> {
    let upright = |id: &ActionId| {
        let its = bodies.of_action(*id);
        its.kind == kind && bodies.stance(its.take, its.first).trunk[0].y > 0.6
    };
    bodies.library().ids().filter(upright).collect()
}

/// All that somebody could do next.
pub(crate) fn options(stage: &Stage, moment: &Moment, who: usize) -> Vec<ActionId> {
    stage.options(moment, who).iter().map(|option| option.id).collect()
}

/// One decision of a play at random.
pub(crate) struct Step {
    /// Before it.
    pub(crate) before: Moment,
    /// Who decided.
    pub(crate) who: usize,
    /// What.
    pub(crate) action: ActionId,
    /// What came of it.
    pub(crate) outcome: Outcome,
}

/// Decisions at random among what is plausible. It begins again where nobody decides any more, and now and then,
/// because people at random lose each other.
pub(crate) fn play(stage: &Stage, opening: &Moment, aims: &[Aims], seed: u64, n: usize) -> Vec<Step> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut steps = Vec::with_capacity(n);
    // An opening is not always a decision: everybody goes on to the first one.
    let mut first = opening.clone();
    stage.run(&mut first, i32::MAX);
    let mut moment = first.clone();
    while steps.len() < n {
        let mut choices = Vec::new();
        let who = stage.turn(&moment).filter(|_| steps.len() % 25 != 0 || moment == first);
        if let Some(who) = who {
            plausible(stage, &moment, who, (&aims[who].plausibility, aims[who].opponent), &mut choices);
        }
        let (Some(who), false) = (who, choices.is_empty()) else {
            moment = first.clone();
            continue;
        };
        let action = choices[random.random_range(0..choices.len())];
        let outcome = stage.simulate(&moment, who, action);
        let next = outcome.next.clone();
        steps.push(Step { before: moment, who, action, outcome });
        moment = next;
    }
    steps
}

//! How fast people on a stage plan: edges per second, what pruning saves, and whole bouts against real time.
//!
//! `cargo bench -p randori-tactics --bench search` prints the figures, in processor time of this process unless said
//! otherwise, before criterion measures the two smallest of them again.
#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench reports, and reads the clock")]

use std::hint::black_box;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use cpu_time::ProcessTime;
use criterion::{Criterion, criterion_group, criterion_main};
use randori_arena::bodies::Bodies;
use randori_arena::bout::{Bout, Happening, Pause};
use randori_arena::controller::Controller;
use randori_arena::objectives::{Aims, Goal, Judge};
use randori_arena::reactions::Reactions;
use randori_arena::stage::{Cast, Contest, Moment, Stage};
use randori_gametree::{Method, Settings, Workspace, World, search};
use randori_motion::Ground;
use randori_tactics::{Game, Planner};

#[path = "../../arena/tests/common/mod.rs"]
mod common;

use common::{aims, boxing_library, ring};

/// Two boxers with a library as large as the built-in one.
fn full() -> &'static Stage {
    static MADE: OnceLock<Stage> = OnceLock::new();
    MADE.get_or_init(|| stage_of([350.0, 70.0]))
}

/// Two boxers with a library so small that all paths of four choices can be played.
fn small() -> &'static Stage {
    static MADE: OnceLock<Stage> = OnceLock::new();
    MADE.get_or_init(|| stage_of([90.0, 30.0]))
}

fn stage_of(seconds: [f32; 2]) -> Stage {
    let library = Arc::new(boxing_library(seconds));
    let bodies = Arc::new(Bodies::of(Arc::clone(&library)));
    let reactions = Arc::new(Reactions::of(library));
    let cast = |side: u8| Cast {
        bodies: Arc::clone(&bodies),
        reactions: Some(Arc::clone(&reactions)),
        side,
        poise: 60.0,
    };
    Stage { cast: vec![cast(0), cast(1)], contest: Contest::Fight }
}

/// Both of a style; with a way to go, if the style asks for one.
fn both(style: &str) -> Vec<Aims> {
    let place = |who: usize| Goal { position: Ground { x: 3.0, z: who as f32 }, heading: None };
    let of = |who: usize| {
        let aims = aims(style, 1 - who);
        Aims { goal: (aims.style.path_weight > 0.0).then(|| place(who)), ..aims }
    };
    vec![of(0), of(1)]
}

/// Plays a bout of planners for so long (s); what there was to decide on the way.
fn bout(stage: &Stage, style: &str, depth: u8, seconds: i32) -> (Bout, Vec<Moment>) {
    let planner = || -> Box<dyn Controller> { Box::new(Planner::of_depth(depth)) };
    let mut bout =
        Bout::new(stage.clone(), ring(stage, 0.6), both(style), vec![planner(), planner()], vec![0, 1]);
    let mut moments = Vec::new();
    while bout.moment.tick < 60 * seconds {
        if let Pause::Decision(who) = bout.advance(60 * seconds) {
            moments.push(bout.moment.clone());
            bout.decide(who);
        }
    }
    (bout, moments)
}

/// All children of all moments, on one thread; how many there were.
fn expand(game: &Game<'_>, moments: &[Moment]) -> u64 {
    let mut choices = Vec::new();
    let mut edges = 0;
    for moment in moments {
        choices.clear();
        game.choices(moment, &mut choices);
        for choice in &choices {
            black_box(game.play(moment, *choice));
        }
        edges += choices.len() as u64;
    }
    edges
}

fn edges(criterion: &mut Criterion) {
    let (_, moments) = bout(full(), "general-boxer", 1, 60);
    let aims = both("general-boxer");
    let judge = Judge::of(full(), &aims);
    let game = Game { stage: full(), judge: &judge, side: 0 };
    let start = ProcessTime::now();
    let mut n = 0;
    while start.elapsed().as_secs_f64() < 3.0 {
        n += expand(&game, &moments);
    }
    let rate = n as f64 / start.elapsed().as_secs_f64() / 1e6;
    let choices = expand(&game, &moments) as f64 / moments.len() as f64;
    let n_actions = full().cast[0].bodies.library().actions().len();
    println!(
        "{n_actions} actions, {} moments of {choices:.1} choices: {rate:.2} M edges/s/core",
        moments.len()
    );
    criterion.bench_function("all children of the moments of a minute", |bencher| {
        bencher.iter(|| expand(&game, &moments));
    });
}

fn pruning(_: &mut Criterion) {
    let small_ones: (_, _, &[(u8, usize)]) = ("small", small(), &[(3, 12), (4, 3)]);
    for (name, stage, depths) in [small_ones, ("full", full(), &[(2, 40), (3, 6), (4, 1)])] {
        let n_actions = stage.cast[0].bodies.library().actions().len();
        println!("{name} library of {n_actions} actions; worst is the least ratio of a single state");
        println!(
            "{:<20} {:>5} {:>6} {:>12} {:>10} {:>7} {:>7} {:>8}",
            "both", "depth", "states", "plain", "pruned", "ratio", "worst", "in time"
        );
        for style in ["general-boxer", "infighter", "outboxer", "general-boxer-path"] {
            let (_, moments) = bout(stage, style, 2, 20);
            for &(depth, n_states) in depths {
                compare(stage, style, depth, &moments, n_states);
            }
        }
    }
}

/// Plain and pruned search of some of these moments, on one thread.
fn compare(stage: &Stage, style: &str, depth: u8, moments: &[Moment], n_states: usize) {
    let judge = Judge::of(stage, &both(style));
    let [mut all, mut some] = [0; 2];
    let [mut slow, mut fast] = [0.0; 2];
    let mut worst = f64::INFINITY;
    let every = (moments.len() / n_states).max(1);
    let states: Vec<&Moment> = moments.iter().skip(every / 2).step_by(every).take(n_states).collect();
    for moment in &states {
        let side = stage.turn(moment).map_or(0, |who| stage.cast[who].side);
        let game = Game { stage, judge: &judge, side };
        let workspace = &mut Workspace::default();
        let settings = Settings { depth, parallel: false, ..Settings::default() };
        let start = ProcessTime::now();
        let pruned = search(&game, moment, &settings, workspace);
        fast += start.elapsed().as_secs_f64();
        let start = ProcessTime::now();
        let plain = search(&game, moment, &Settings { method: Method::Plain, ..settings }, workspace);
        slow += start.elapsed().as_secs_f64();
        assert_eq!((pruned.choice, pruned.scores), (plain.choice, plain.scores));
        let [of_plain, of_pruned] = [plain, pruned].map(|it| it.statistics.edges);
        (all, some) = (all + of_plain, some + of_pruned);
        worst = worst.min(of_plain as f64 / of_pruned as f64);
    }
    println!(
        "{style:<20} {depth:>5} {:>6} {all:>12} {some:>10} {:>7.1} {worst:>7.1} {:>8.1}",
        states.len(),
        all as f64 / some as f64,
        slow / fast
    );
}

fn bouts(criterion: &mut Criterion) {
    for (depth, seconds) in [(2, 30), (3, 30), (4, 30), (5, 30)] {
        let (wall, own) = (Instant::now(), ProcessTime::now());
        let (bout, moments) = bout(full(), "general-boxer", depth, seconds);
        let (wall, own) = (wall.elapsed().as_secs_f64(), own.elapsed().as_secs_f64());
        let landed = bout.happenings.iter().filter(|it| matches!(it, Happening::Landed(_))).count();
        let edges: u64 = (bout.happenings.iter())
            .map(|it| if let Happening::Decided { verdict, .. } = it { verdict.edges } else { 0 })
            .sum();
        println!(
            "{seconds} s at depth {depth}: {wall:.2} s by the clock, {own:.2} s of processors, {} decisions, {landed} blows, \
             {edges} edges: {:.1} times real time",
            moments.len(),
            f64::from(seconds) / wall
        );
    }
    let (wall, own) = (Instant::now(), ProcessTime::now());
    for _ in 0..40 {
        black_box(bout(full(), "general-boxer", 2, 10));
    }
    let (wall, own) = (wall.elapsed().as_secs_f64(), own.elapsed().as_secs_f64());
    println!(
        "40 pairs at depth 2 for 10 s, one after the other: {wall:.2} s by the clock, {own:.2} s of processors: \
         {:.1} times real time",
        10.0 / wall
    );
    criterion.bench_function("a second at depth 2", |bencher| {
        bencher.iter(|| bout(full(), "general-boxer", 2, 1))
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = edges, bouts, pruning
}
criterion_main!(benches);

//! What a graph of the built-in size costs: to make, to plan on, to ask, and to have a thousand play on.
//!
//! `cargo bench -p randori-interaction-graph --bench graph` prints the figures, in processor time of this process and in
//! seconds of the clock, before criterion measures policy and decision again.
#![allow(missing_docs, reason = "criterion's macros write undocumented functions")]
#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "a bench reports, and reads the clock")]

use std::hint::black_box;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use cpu_time::ProcessTime;
use criterion::{Criterion, criterion_group, criterion_main};
use randori_actor::{Casting, Temperament};
use randori_arena::bodies::Bodies;
use randori_arena::bout::{Bout, Pause};
use randori_arena::controller::{Controller, Situation};
use randori_arena::reactions::Reactions;
use randori_arena::stage::{Cast, Contest, Stage};
use randori_arena::style::Style;
use randori_interaction_graph::background::Policies;
use randori_interaction_graph::carriers::EXPLORED;
use randori_interaction_graph::duel::Activity;
use randori_interaction_graph::interaction;
use randori_interaction_graph::player::Looks;
use randori_interaction_graph::policy::{Looking, Other};
use randori_interaction_graph::reward::{Carrying, Fighting};
use randori_interaction_graph::{Duel, Player, Policy, Settings, build};
use randori_motion::Build;
use randori_motion::analyse::Discipline;

#[path = "../../arena/tests/common/mod.rs"]
mod common;

use common::{aims, boxing_library, library, ring};

/// The impulse that fells people (N s).
const POISE: f32 = 65.0;

fn stage() -> &'static Stage {
    static MADE: OnceLock<Stage> = OnceLock::new();
    MADE.get_or_init(|| {
        let library = Arc::new(boxing_library([350.0, 70.0]));
        let bodies = Arc::new(Bodies::of(Arc::clone(&library)));
        let reactions = Arc::new(Reactions::of(library).remembering(1 << 21));
        let cast = |side: u8| Cast {
            bodies: Arc::clone(&bodies),
            reactions: Some(Arc::clone(&reactions)),
            side,
            poise: POISE,
        };
        Stage { cast: vec![cast(0), cast(1)], contest: Contest::Fight }
    })
}

/// Work, with the seconds that it took: of the clock, and of all processors together.
fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (clock, processors) = (Instant::now(), ProcessTime::now());
    let made = work();
    let (clock, processors) = (clock.elapsed().as_secs_f64(), processors.elapsed().as_secs_f64());
    println!("{what}: {clock:.3} s, {processors:.3} s of processors");
    made
}

/// The graph of the built-in size; a curve over fewer samples first.
fn policies() -> &'static Arc<Policies> {
    static MADE: OnceLock<Arc<Policies>> = OnceLock::new();
    MADE.get_or_init(|| {
        let cast = &stage().cast[0];
        let duel = Duel::of(Arc::clone(&cast.bodies), cast.reactions.clone(), POISE, Contest::Fight);
        let mut made = None;
        for share in [16, 4, 1] {
            let mut settings = Settings::default();
            settings.sampling.most /= share;
            let what = format!("a graph of {} samples", settings.sampling.most);
            let graph = timed(&what, || build(&duel, &interaction::Fighting, &settings, &|_, _, _| ()));
            let graph = graph.expect("boxers have something to do with each other");
            println!("  {} states, {} edges", graph.n_states(), graph.n_edges());
            made = Some(graph);
        }
        let graph = Arc::new(made.expect("three of them"));
        println!("  {} bytes", graph.to_bytes().len());
        Arc::new(Policies::of(graph, Arc::clone(cast.bodies.library())))
    })
}

/// Somebody of depth 5 who looks so closely.
fn player(looks: Looks) -> Player {
    let mut player = Player::new(policies(), 5);
    player.looks = looks;
    player
}

fn bout(looks: Looks) -> Bout {
    let moment = ring(stage(), 0.6);
    let both = vec![aims("general-boxer", 1), aims("general-boxer", 0)];
    let players = [0, 1].map(|_| Box::new(player(looks)) as Box<dyn Controller>);
    Bout::new(stage().clone(), moment, both, players.into(), vec![0, 1])
}

/// The most memory that this process ever held (MB); nothing where the system does not tell.
fn peak_memory() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse::<f64>().ok());
    if let Some(kilobytes) = peak {
        println!("peak memory: {:.0} MB", kilobytes / 1024.0);
    }
}

/// Two who carry something: a graph of the built-in size.
fn carrying() {
    let casting = Casting { build: Build::AVERAGE, temperament: Temperament::Calm, seed: 1, seconds: 720.0 };
    let takes = randori_actor::carrying(&casting).into_iter().map(|take| (take, Discipline::Carrying));
    let bodies = Arc::new(Bodies::of(Arc::new(library("carry", takes))));
    let duel = Duel::carrying(bodies, EXPLORED);
    let interaction = interaction::Carrying { apart: EXPLORED };
    let graph = timed("a graph of two who carry something", || {
        build(&duel, &interaction, &Settings::of(Activity::Carry), &|_, _, _| ())
    });
    let graph = graph.expect("they can carry it");
    println!("  {} states, {} edges, {} bytes", graph.n_states(), graph.n_edges(), graph.to_bytes().len());
    let ways = Carrying::default().eight_ways();
    let allied = Looking { other: Other::Allied, ..Looking::default() };
    timed("a policy of depth 5 for one of eight ways", || black_box(Policy::of(&graph, &ways[0], allied)));
}

/// How long single decisions take.
fn decisions(looks: Looks) {
    let mut bout = bout(looks);
    let mut player = player(looks);
    let mut times = Vec::new();
    while let Pause::Decision(who) = bout.advance(60 * 60) {
        let situation =
            Situation { stage: &bout.stage, moment: &bout.moment, aims: &bout.aims, who, explain: false };
        player.decide(&situation);
        for _ in 0..if looks == Looks::Table { 100 } else { 5 } {
            let start = Instant::now();
            black_box(player.decide(&situation));
            times.push(start.elapsed().as_nanos());
        }
        bout.decide(who);
    }
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let [median, most] = [at(0.5), at(0.999)];
    println!("a decision ({looks:?}): median {median} ns, 99.9th percentile {most} ns, of {}", times.len());
}

/// A thousand fighters, in pairs, for ten seconds.
fn thousand() {
    let mut bouts: Vec<Bout> = (0..500).map(|_| bout(Looks::Table)).collect();
    let start = Instant::now();
    let frames = 600;
    for frame in 1..=frames {
        for bout in &mut bouts {
            while let Pause::Decision(who) = bout.advance(frame) {
                bout.decide(who);
            }
        }
    }
    println!("1000 fighters: {:.0} frames per second", f64::from(frames) / start.elapsed().as_secs_f64());
}

fn figures(criterion: &mut Criterion) {
    let policies = policies();
    let (graph, library) = (policies.graph(), policies.library());
    let [boxer, infighter] =
        ["general-boxer", "infighter"].map(|name| Style::preset(name).expect("a preset"));
    let mirrored = Looking { other: Other::Mirrored, ..Looking::default() };
    let same = Fighting::of(library, boxer, boxer);
    timed("a policy of depth 5, one table", || black_box(Policy::of(graph, &same, mirrored)));
    let other = Fighting::of(library, boxer, infighter);
    timed("a policy of depth 5, two tables", || black_box(Policy::of(graph, &other, Looking::default())));
    for looks in [Looks::Table, Looks::Once, Looks::Twice, Looks::Thrice] {
        decisions(looks);
    }
    thousand();
    carrying();
    peak_memory();
    criterion.bench_function("policy", |b| b.iter(|| black_box(Policy::of(graph, &same, mirrored))));
    let mut bout = bout(Looks::Table);
    let Pause::Decision(who) = bout.advance(600) else { return };
    let mut player = player(Looks::Table);
    let situation =
        Situation { stage: &bout.stage, moment: &bout.moment, aims: &bout.aims, who, explain: false };
    criterion.bench_function("decision", |b| b.iter(|| black_box(player.decide(&situation))));
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = figures
}
criterion_main!(benches);

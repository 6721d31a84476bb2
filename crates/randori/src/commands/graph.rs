//! `randori graph`: what two people get into with each other, and what to do about it.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::Subcommand;
use randori::{graphs, libraries};
use randori_arena::bout::Pause;
use randori_arena::style::Style;
use randori_interaction_graph::background::Policies;
use randori_interaction_graph::build::{Draft, Phase};
use randori_interaction_graph::duel::Activity;
use randori_interaction_graph::pairing::Relation;
use randori_interaction_graph::policy::{Looking, Other};
use randori_interaction_graph::reward::Fighting;
use randori_interaction_graph::{Graph, Pairing, Policy, Settings};
use randori_motion::ActionLibrary;
use randori_scene::contest::carry::Carried;
use randori_scene::contest::series::round_seed;
use randori_scene::contest::{self, Contender, Ring};
use randori_scene::director::Libraries;
use randori_scene::files;
use randori_scene::screenplay::Controller;
use rayon::prelude::*;
use serde::Serialize;

use crate::commands::game::clock;
use crate::output::{Outcome, table};
use crate::progress::Progress;

/// Arguments of `randori graph`.
#[derive(Debug, clap::Args)]
pub(crate) struct GraphArgs {
    #[command(subcommand)]
    command: GraphCommand,
}

#[derive(Debug, Subcommand)]
enum GraphCommand {
    /// Explore what two people of a library get into, and make a graph of it.
    Build(BuildArgs),
    /// A graph in figures.
    Stats(StatsArgs),
    /// Two who carry something: whether they keep together, go where they are told, and get out of a ball's way.
    Carry(CarryArgs),
}

#[derive(Debug, clap::Args)]
struct BuildArgs {
    /// builtin:NAME or a library file.
    library: String,

    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    /// Samples to explore at most.
    #[arg(long)]
    samples: Option<usize>,

    /// What counts as the same: 0.2 is 10 cm or 6 degrees.
    #[arg(long)]
    unlike: Option<f32>,

    /// Keep what is not finished in this file, go on from it if it is there, and remove it at the end [default: the file to
    /// write, with .part behind it].
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,

    /// How often it is kept (s).
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    every: f64,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: {\"states\",\"edges\",\"coverage\",\"slide_cm_p95\",\"snap_cm_p50\",\"build_seconds\",\"policy_ms\",\"bytes\",\"samples\"}. Coverage \
is the share of the states in rounds of gametree:3 against itself that are within the tolerance of a state of the graph. \
Play moves nobody to a state: what feet slide is what they slide where actions of the library are joined, slide_cm_p95. How \
far the other is from where the state has them is snap_cm_p50. policy_ms is the time of a policy that looks five choices ahead from all states; build_seconds is measured \
with --rebuild only.")]
struct StatsArgs {
    /// The graph file.
    file: PathBuf,

    /// The library it was made of.
    #[arg(long, value_name = "LIBRARY", default_value = "builtin:boxing")]
    library: String,

    /// Rounds of gametree:3 to learn the coverage from; 0 does without.
    #[arg(long, default_value_t = 20)]
    rounds: usize,

    /// How long a round lasts (s).
    #[arg(long, default_value_t = 30.0)]
    seconds: f64,

    /// Make the graph again, to tell how long that takes.
    #[arg(long)]
    rebuild: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: {\"trials\",\"apart\",\"kept\",\"turns\",\"turned_s_p95\",\"turned_within_2_s\",\"avoided\"}. A trial is eight ways one \
after another, 4 s each, and a ball that is rolled at where both stand. Apart is the least and the most that they were (m), \
kept the share of trials in which that is within 1.2 and 1.8 m at all times. A way is taken when both go it for a second, \
within 22.5 degrees. Avoided is the share of balls that met neither of them nor what they carry.")]
struct CarryArgs {
    /// The library.
    #[arg(long, value_name = "LIBRARY", default_value = "builtin:carry")]
    library: String,

    /// The graph file; the usual one without.
    #[arg(long, value_name = "FILE")]
    graph: Option<PathBuf>,

    /// How many trials.
    #[arg(long, default_value_t = 40)]
    rounds: usize,
}

/// How two do who carry something, in many trials.
#[derive(Serialize)]
pub(crate) struct CarriedAll {
    trials: usize,
    pub(crate) apart: [f32; 2],
    pub(crate) kept: f64,
    turns: usize,
    turned_s_p95: Option<f64>,
    pub(crate) turned_within_2_s: f64,
    pub(crate) avoided: f64,
}

fn carry(args: &CarryArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    let library = Arc::new(libraries::open(&args.library)?);
    let policies = match &args.graph {
        Some(file) => {
            let graph = Graph::from_bytes(&files::read(file)?).with_context(|| file.display().to_string())?;
            graph.check_library(&library).with_context(|| file.display().to_string())?;
            Arc::new(Policies::of(Arc::new(graph), Arc::clone(&library)))
        }
        None => with_progress(progress, |step| graphs::open(&library, step))?,
    };
    anyhow::ensure!(
        policies.graph().about().activity == Activity::Carry,
        "nobody carries anything in {}",
        args.library
    );
    let all = carried(&args.library, &policies, args.rounds, seed, progress)?;
    let rows: Vec<Vec<String>> = [
        ("trials", all.trials.to_string()),
        ("apart (m)", format!("{:.3} to {:.3}", all.apart[0], all.apart[1])),
        ("kept together", format!("{:.1} %", 100.0 * all.kept)),
        ("ways taken within 2 s", format!("{:.1} % of {}", 100.0 * all.turned_within_2_s, all.turns)),
        ("balls avoided", format!("{:.1} %", 100.0 * all.avoided)),
    ]
    .map(|(what, value)| vec![what.to_owned(), value])
    .to_vec();
    Outcome::new(&all, table(&["carrying", ""], &rows))
}

/// Plays trials on a graph of two who carry something; the library goes by this name.
pub(crate) fn carried(
    name: &str,
    policies: &Arc<Policies>,
    rounds: usize,
    seed: u64,
    progress: &Progress,
) -> anyhow::Result<CarriedAll> {
    let mut shelf = Libraries::default();
    shelf.add(name, Arc::clone(policies.library()));
    shelf.add_graph(name, Arc::clone(policies));
    policies.carriers().ready();
    let job = progress.job("trials");
    let done = std::sync::atomic::AtomicUsize::new(0);
    let trials: Vec<Carried> = (0..rounds)
        .into_par_iter()
        .map(|round| {
            let trial = contest::carry::carry(&shelf, name, round_seed(seed, round));
            job.step(done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1, rounds);
            trial
        })
        .collect::<Result<_, _>>()?;
    let share = |n: usize, of: usize| n as f64 / of.max(1) as f64;
    let turned: Vec<Option<f64>> = trials.iter().flat_map(|trial| trial.turned.clone()).collect();
    let mut times: Vec<f64> = turned.iter().map(|it| it.unwrap_or(f64::INFINITY)).collect();
    times.sort_by(f64::total_cmp);
    Ok(CarriedAll {
        trials: trials.len(),
        apart: trials.iter().fold([f32::INFINITY, 0.0], |[least, most], trial| {
            [least.min(trial.apart[0]), most.max(trial.apart[1])]
        }),
        kept: share(trials.iter().filter(|trial| trial.kept()).count(), trials.len()),
        turns: turned.len(),
        turned_s_p95: times.get(times.len() * 95 / 100).copied().filter(|time| time.is_finite()),
        turned_within_2_s: share(turned.iter().flatten().count(), turned.len()),
        avoided: share(trials.iter().filter(|trial| trial.clearance > 0.0).count(), trials.len()),
    })
}

/// Runs one of the subcommands.
pub(crate) fn run(args: &GraphArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    match &args.command {
        GraphCommand::Build(args) => build(args, progress),
        GraphCommand::Stats(args) => stats(args, seed, progress),
        GraphCommand::Carry(args) => carry(args, seed, progress),
    }
}

/// Makes something while the progress of its phases is shown.
pub(crate) fn with_progress<T>(progress: &Progress, make: impl FnOnce(graphs::Step<'_>) -> T) -> T {
    let (samples, edges) = (progress.job("samples"), progress.job("edges"));
    make(&|phase, done, all| match phase {
        Phase::Samples => samples.step(done, all),
        Phase::Edges => edges.step(done, all),
    })
}

#[derive(Serialize)]
struct Built {
    states: usize,
    edges: usize,
    samples: u64,
    bytes: usize,
    build_seconds: f64,
}

fn build(args: &BuildArgs, progress: &Progress) -> anyhow::Result<Outcome> {
    let library = Arc::new(libraries::open(&args.library)?);
    let mut settings = Settings::of(Activity::of(&library));
    settings.sampling.most = args.samples.unwrap_or(settings.sampling.most);
    settings.tolerance.unlike = args.unlike.unwrap_or(settings.tolerance.unlike);
    let since = clock();
    let duel = graphs::duel(&library);
    let part = args.checkpoint.clone().unwrap_or_else(|| {
        let mut name = args.out.clone().into_os_string();
        name.push(".part");
        name.into()
    });
    let draft = part.exists().then(|| {
        let read = Draft::from_bytes(&files::read(&part)?, &duel, &settings, graphs::CODE);
        read.with_context(|| format!("{}: remove it to begin from nothing", part.display()))
    });
    let draft = draft.transpose()?;
    let mut kept = 0.0;
    let mut keep = |draft: &Draft| {
        if since() >= kept + args.every {
            // What cannot be kept costs time when it is interrupted, nothing else.
            files::write_atomically(&part, &draft.to_bytes(&duel, &settings, graphs::CODE)).ok();
            kept = since();
        }
    };
    let graph = with_progress(progress, |step| graphs::go_on(&duel, &settings, draft, step, &mut keep))?;
    let build_seconds = since();
    let bytes = graph.to_bytes();
    files::write_atomically(&args.out, &bytes)?;
    if part.exists() {
        std::fs::remove_file(&part).with_context(|| part.display().to_string())?;
    }
    let built = Built {
        states: graph.n_states(),
        edges: graph.n_edges(),
        samples: graph.about().samples,
        bytes: bytes.len(),
        build_seconds,
    };
    let text = format!(
        "{} states and {} edges of {} samples in {build_seconds:.1} s\n{}\n",
        built.states,
        built.edges,
        built.samples,
        args.out.display()
    );
    Outcome::new(&built, text)
}

#[derive(Serialize)]
struct Stats {
    states: usize,
    edges: usize,
    samples: u64,
    bytes: usize,
    coverage: Option<f64>,
    slide_cm_p95: f64,
    snap_cm_p50: Option<f64>,
    build_seconds: Option<f64>,
    policy_ms: f64,
}

fn stats(args: &StatsArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    let bytes = files::read(&args.file)?;
    let graph = Graph::from_bytes(&bytes).with_context(|| args.file.display().to_string())?;
    let library = Arc::new(libraries::open(&args.library)?);
    graph.check_library(&library).with_context(|| args.file.display().to_string())?;
    let build_seconds = if args.rebuild {
        let mut settings =
            Settings { tolerance: graph.about().tolerance, ..Settings::of(graph.about().activity) };
        settings.sampling.most = graph.about().samples as usize;
        let since = clock();
        with_progress(progress, |step| graphs::make(&library, &settings, step))?;
        Some(since())
    } else {
        None
    };
    let covered = (args.rounds > 0).then(|| cover(&graph, &library, args, seed, progress)).transpose()?;
    let stats = Stats {
        states: graph.n_states(),
        edges: graph.n_edges(),
        samples: graph.about().samples,
        bytes: bytes.len(),
        coverage: covered.map(|it| it.coverage),
        slide_cm_p95: randori_motion::library::Stats::of(&library).seam_slide_cm_p95,
        snap_cm_p50: covered.map(|it| it.snap_cm_p50),
        build_seconds,
        policy_ms: policy_ms(&graph, &library),
    };
    let or_none = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"));
    let rows: Vec<Vec<String>> = [
        ("states", stats.states.to_string()),
        ("edges", stats.edges.to_string()),
        ("samples", stats.samples.to_string()),
        ("bytes", stats.bytes.to_string()),
        ("coverage", or_none(stats.coverage)),
        ("slide (cm)", format!("{:.2}", stats.slide_cm_p95)),
        ("policy (ms)", format!("{:.1}", stats.policy_ms)),
        ("build (s)", or_none(stats.build_seconds)),
    ]
    .map(|(what, value)| vec![what.to_owned(), value])
    .to_vec();
    Outcome::new(&stats, table(&["graph", ""], &rows))
}

/// How much of what the game tree gets into is in a graph.
#[derive(Clone, Copy)]
pub(crate) struct Covered {
    pub(crate) coverage: f64,
    pub(crate) snap_cm_p50: f64,
}

fn cover(
    graph: &Graph,
    library: &Arc<ActionLibrary>,
    args: &StatsArgs,
    seed: u64,
    progress: &Progress,
) -> anyhow::Result<Covered> {
    let ring = Ring::of(Arc::clone(library), args.seconds)?;
    Ok(coverage(graph, &ring, args.rounds, seed, progress))
}

/// Plays rounds of gametree:3 against itself, and looks up every state in them.
pub(crate) fn coverage(graph: &Graph, ring: &Ring, rounds: usize, seed: u64, progress: &Progress) -> Covered {
    let job = progress.job("coverage");
    let done = std::sync::atomic::AtomicUsize::new(0);
    let visited: Vec<Vec<Pairing>> = (0..rounds)
        .into_par_iter()
        .map(|round| {
            let visited = visited(ring, round_seed(seed ^ COVERAGE, round));
            job.step(done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1, rounds);
            visited
        })
        .collect();
    let n_visited = visited.iter().map(Vec::len).sum::<usize>().max(1);
    let found = visited.iter().flatten().filter_map(|pairing| Some((pairing, graph.find(pairing)?)));
    let mut snaps: Vec<f64> = found
        .map(|(pairing, found)| {
            let there = graph.pairing(found.state).relation;
            let place = |relation: Relation| relation.placement().position;
            100.0 * f64::from(place(pairing.relation).distance(place(there)))
        })
        .collect();
    snaps.sort_by(f64::total_cmp);
    Covered {
        coverage: snaps.len() as f64 / n_visited as f64,
        snap_cm_p50: snaps.get(snaps.len() / 2).copied().unwrap_or(0.0),
    }
}

/// Rounds that coverage is learned from are no others.
const COVERAGE: u64 = 0xc0_7e5a6e;

/// All states of a round between two game trees.
fn visited(ring: &Ring, seed: u64) -> Vec<Pairing> {
    let style = |at: usize| Style::preset(ring.usual_styles()[at]);
    let contender = |at: usize| {
        Some(Contender { controller: Controller::game_tree(3), style: style(at)?, side: at as u8 })
    };
    let Some(pair) = [contender(0), contender(1)].into_iter().collect::<Option<Vec<_>>>() else {
        return Vec::new();
    };
    let mut bout = ring.bout(&pair, seed);
    let mut visited = Vec::new();
    while let Pause::Decision(who) = bout.advance(ring.ticks()) {
        let bodies = [who, 1 - who].map(|who| &*bout.stage.cast[who].bodies);
        visited.push(Pairing::of(&bout.moment, who, 1 - who, bodies));
        bout.decide(who);
    }
    visited
}

/// The time of a policy that looks five choices ahead, the best of three (ms).
pub(crate) fn policy_ms(graph: &Graph, library: &ActionLibrary) -> f64 {
    let Some(style) = Style::preset("general-boxer") else { return f64::NAN };
    let reward = Fighting::of(library, style, style);
    let time = |_| {
        let since = clock();
        std::hint::black_box(Policy::of(
            graph,
            &reward,
            Looking { other: Other::Mirrored, ..Looking::default() },
        ));
        1e3 * since()
    };
    (0..3).map(time).fold(f64::INFINITY, f64::min)
}

//! `randori match`: two controllers against each other, round after round.

use std::sync::Arc;

use anyhow::{bail, ensure};
use randori::libraries::{self, nearest_first};
use randori::{graphs, rivals};
use randori_arena::style::{PRESETS, Style};
use randori_gametree::score::MAX_DEPTH;
use randori_scene::contest::series::{Series, rounds};
use randori_scene::contest::{Contender, Ring};
use randori_scene::screenplay::{Controller, GRAPH_DEPTH};

use crate::commands::graph::with_progress;
use crate::output::{Outcome, table};
use crate::progress::Progress;

/// Arguments of `randori match`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Rounds: whoever gives more damage wins; a round in which both give the same is a draw. Distance, headings and postures \
at the start come from the seed and the number of the round. The two change places, and the order in which they are \
asked, every round. A round ends early when somebody is down for good.

Libraries without blows (builtin:run): by default A is the chaser and B the runaway. The round ends with the first \
catch, which wins it; if there is none in time, the runaway wins (between two chasers, or two runaways, it is a draw). \
Hits are catches, and there is no damage.

JSON: {\"rounds\",\"wins\":[A,B],\"draws\",\"hits\":[A,B],\"damage\":[A,B],\"score_ci95\":[low,high]}. Hits are blows to head \
and trunk; damage is the sum of speed (m/s) times 2 for the head, 1 for the trunk and 0 for arms and legs. \
score_ci95 is Wilson's 95 % interval of A's score: its wins and half the draws, as a share of the rounds.")]
pub(crate) struct MatchArgs {
    /// Who decides for the first: gametree:DEPTH, gametree, graph:DEPTH, graph, markov:tag, commander, static,
    /// random or still.
    #[arg(value_name = "A")]
    first: String,

    /// Who decides for the second.
    #[arg(value_name = "B")]
    second: String,

    /// What both can do: builtin:NAME or a library file.
    #[arg(long, value_name = "LIBRARY", default_value = "builtin:boxing")]
    library: String,

    /// How long a round lasts (s).
    #[arg(long, default_value_t = 30.0)]
    seconds: f64,

    /// How many rounds.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    rounds: u32,

    /// What the first is after; general-boxer, or chaser in a chase.
    #[arg(long, value_name = "STYLE")]
    style_a: Option<String>,

    /// What the second is after; general-boxer, or runaway in a chase.
    #[arg(long, value_name = "STYLE")]
    style_b: Option<String>,
}

/// Plays the rounds.
pub(crate) fn run(args: &MatchArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    let controllers = [controller(&args.first)?, controller(&args.second)?];
    let wanted = [&args.style_a, &args.style_b];
    for name in wanted.into_iter().flatten() {
        style(name)?;
    }
    let library = Arc::new(libraries::open(&args.library)?);
    let mut ring = Ring::of(Arc::clone(&library), args.seconds)?;
    if controllers.iter().any(Controller::needs_graph) {
        ring = ring.with_graph(with_progress(progress, |step| graphs::open(&library, step))?);
    }
    if controllers.iter().any(Controller::needs_tag) {
        ensure!(ring.is_chase(), "markov:tag plays tag: with --library builtin:run");
        let job = progress.job("learning");
        ring = ring.with_tag(rivals::tag(&mut |done, all| job.step(done, all))?);
    }
    let usual = ring.usual_styles();
    let contender = |at: usize| -> anyhow::Result<Contender> {
        let style = style(wanted[at].as_deref().unwrap_or(usual[at]))?;
        Ok(Contender { controller: controllers[at].clone(), style, side: at as u8 })
    };
    let pair = [contender(0)?, contender(1)?];
    let job = progress.job("rounds");
    let n_rounds = args.rounds as usize;
    job.step(0, n_rounds);
    let rounds = rounds(&ring, [&pair[0], &pair[1]], n_rounds, seed, &|done| job.step(done, n_rounds));
    drop(job);
    let series = Series::of(&rounds);
    Outcome::new(&series, describe(args, &series))
}

/// The controller of a short name.
fn controller(name: &str) -> anyhow::Result<Controller> {
    let Some(controller) = Controller::from_short(name) else {
        let known = nearest_first(name, Controller::NAMES.map(str::to_owned).to_vec());
        bail!(
            "no controller \"{name}\"; there are {}, gametree:DEPTH with a depth from 1 to {MAX_DEPTH}, and graph:DEPTH \
             with one from 1 to {GRAPH_DEPTH}",
            known.join(", ")
        );
    };
    Ok(controller)
}

/// The style of a name.
fn style(name: &str) -> anyhow::Result<Style> {
    let Some(style) = Style::preset(name) else {
        let known = nearest_first(name, PRESETS.map(|(known, _)| known.to_owned()).to_vec());
        bail!("no style \"{name}\"; there are {}", known.join(", "));
    };
    Ok(style)
}

fn describe(args: &MatchArgs, series: &Series) -> String {
    let row = |at: usize, name: &str| {
        let (wins, hits) = (series.wins[at].to_string(), series.hits[at].to_string());
        vec![name.to_owned(), wins, hits, format!("{:.1}", series.damage[at])]
    };
    let [low, high] = series.score_ci95.map(|share| 100.0 * share);
    format!(
        "{}{} rounds, {} draws; score of the first {:.1} % (95 % interval {low:.1} to {high:.1})\n",
        table(&["who", "wins", "hits", "damage"], &[row(0, &args.first), row(1, &args.second)]),
        series.rounds,
        series.draws,
        100.0 * series.score(),
    )
}

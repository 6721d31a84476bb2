//! `randori rivals map`: where it pays to be unpredictable, and what is planned.

use std::path::PathBuf;

use anyhow::ensure;
use clap::ValueEnum;
use randori_rivals::map::{Map, REACH, Spreads, plans};
use randori_rivals::{Rules, Situation};
use randori_scene::files;
use randori_scene::pictures::{Arrow, Chart, Curve, FloorMap, chart, floor_map};
use serde::Serialize;

use super::{GameArgs, ValuesArgs};
use crate::output::{Outcome, table};
use crate::progress::Progress;

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Going {
    Run,
    Walk,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Of every square around the opponent: the mean distance of where the agent plans to be from the middle of it, weighted with the \
probabilities of what it may do. near and far are means within 1.5 m and beyond 5 m, over eight orientations of the agent.")]
pub(super) struct MapArgs {
    #[command(flatten)]
    game: GameArgs,

    #[command(flatten)]
    values: ValuesArgs,

    /// The picture to write (PNG).
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    /// How both are going.
    #[arg(long, value_enum, default_value_t = Going::Run)]
    going: Going,

    /// How far the agent is turned away from the opponent, to the left (degrees).
    #[arg(long, default_value_t = 0.0, allow_hyphen_values = true)]
    turned: f64,

    /// Squares on a side.
    #[arg(long, default_value_t = 56)]
    squares: usize,

    /// Draw what both plan with the agent so far behind the opponent (m), as arrows, in place of the map.
    #[arg(long, value_name = "METRES")]
    arrows: Option<f64>,

    /// Draw how far plans spread for each of these look-aheads (s, with commas between), as curves, in place of the map.
    #[arg(long, value_name = "SECONDS,…", value_delimiter = ',', conflicts_with_all = ["arrows", "values"])]
    look_aheads: Vec<f32>,
}

/// How far plans spread for one look-ahead.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Latency {
    /// How long a decision holds (s).
    pub(crate) look_ahead: f32,
    /// Whether the one who chases is a giant.
    pub(crate) giant: bool,
    /// How far plans spread.
    pub(crate) spreads: Spreads,
}

/// Section 4.1: whoever decides seldom must be unpredictable.
pub(crate) fn by_look_ahead(points: &[Latency]) -> Chart {
    let curve = |name: &str, of: fn(&Latency) -> f64| Curve {
        name: name.to_owned(),
        points: points.iter().map(|it| (f64::from(it.look_ahead), of(it))).collect(),
    };
    Chart {
        title: "Section 4.1: spread of plans by look-ahead".to_owned(),
        x_label: "look-ahead (s)".to_owned(),
        y_label: "m; m/s".to_owned(),
        curves: vec![
            curve("within 1.5 m", |it| it.spreads.near),
            curve("everywhere", |it| it.spreads.mean),
            // Whoever looks farther ahead gets farther meanwhile.
            curve("everywhere, per second", |it| it.spreads.mean / f64::from(it.look_ahead)),
        ],
        ..Chart::default()
    }
}

#[derive(Serialize)]
struct Report {
    game: String,
    near: f64,
    middle: f64,
    far: f64,
    ratio: f64,
    mean: f64,
    file: PathBuf,
}

pub(super) fn run(args: &MapArgs, progress: &Progress) -> anyhow::Result<Outcome> {
    ensure!((1..=512).contains(&args.squares), "{} squares: from 1 to 512", args.squares);
    let nodes = match args.going {
        Going::Run => ["run-on-left", "run-on-right"],
        Going::Walk => ["walk-on-left", "walk-on-right"],
    };
    if !args.look_aheads.is_empty() {
        return sweep(args, nodes, progress);
    }
    let game = args.game.make()?;
    ensure!(matches!(game.rules, Rules::Tag(_)), "{ONLY_TAG}");
    let values = args.values.open(&game, progress)?;
    if let Some(distance) = args.arrows {
        return arrows(args, &game, &values, nodes, distance);
    }
    let map = Map::of(&game, &values, nodes, args.turned.to_radians(), args.squares, REACH);
    // The picture is of one orientation; figures are of all.
    let Spreads { near, middle, far, mean } = Spreads::of(&game, &values, nodes, args.squares.div_ceil(2));
    let greatest = map.spread.iter().copied().fold(0.0, f64::max).max(0.15);
    let title = format!("spread of plans, up to {greatest:.2} m");
    let picture = FloorMap {
        title,
        n: map.n,
        reach: map.reach,
        squares: map.spread.clone(),
        greatest,
        arrows: Vec::new(),
    };
    files::write_atomically(&args.out, &floor_map(&picture)?)?;
    let ratio = near / far.max(1e-9);
    let report =
        Report { game: game.name().to_owned(), near, middle, far, ratio, mean, file: args.out.clone() };
    let text = format!(
        "plans spread {near:.4} m within 1.5 m, {middle:.4} m up to 5 m, {far:.4} m beyond: {ratio:.1} times; {mean:.4} m on average\n{}\n",
        args.out.display()
    );
    Outcome::new(&report, text)
}

const ONLY_TAG: &str = "only tag is played all over a floor";

#[derive(Serialize)]
struct Sweep {
    game: String,
    look_aheads: Vec<Latency>,
    file: PathBuf,
}

fn sweep(args: &MapArgs, nodes: [&str; 2], progress: &Progress) -> anyhow::Result<Outcome> {
    let mut points = Vec::new();
    for &look_ahead in &args.look_aheads {
        let game = GameArgs { look_ahead, ..args.game }.make()?;
        ensure!(matches!(game.rules, Rules::Tag(_)), "{ONLY_TAG}");
        let values = args.values.open(&game, progress)?;
        let spreads = Spreads::of(&game, &values, nodes, args.squares.div_ceil(2));
        points.push(Latency { look_ahead, giant: args.game.giant, spreads });
    }
    files::write_atomically(&args.out, &chart(&by_look_ahead(&points))?)?;
    let rows: Vec<Vec<String>> = (points.iter())
        .map(|Latency { look_ahead, spreads, .. }| {
            let per_second = spreads.mean / f64::from(*look_ahead);
            let numbers = [spreads.near, spreads.middle, spreads.far, spreads.mean, per_second];
            [format!("{look_ahead}")].into_iter().chain(numbers.map(|it| format!("{it:.4}"))).collect()
        })
        .collect();
    let header = ["look-ahead (s)", "within 1.5 m", "up to 5 m", "beyond", "mean (m)", "per second (m/s)"];
    let text = format!("{}{}\n", table(&header, &rows), args.out.display());
    let report = Sweep { game: "tag".to_owned(), look_aheads: points, file: args.out.clone() };
    Outcome::new(&report, text)
}

#[derive(Serialize)]
struct Plans {
    game: String,
    agent: Vec<randori_rivals::map::Plan>,
    opponent: Vec<randori_rivals::map::Plan>,
    file: PathBuf,
}

fn arrows(
    args: &MapArgs,
    game: &randori_rivals::Game,
    values: &randori_rivals::Values,
    nodes: [&str; 2],
    distance: f64,
) -> anyhow::Result<Outcome> {
    let relation = randori_rivals::Relation { x: 0.0, z: distance, theta: args.turned.to_radians() };
    let states = [0, 1].map(|side| game.start(side, nodes[side]));
    let [agent, opponent] = plans(game, values, &Situation { relation, states });
    let reach = (0.5 * distance + 1.0).max(1.5);
    let middle = 0.5 * distance;
    let most =
        |plans: &[randori_rivals::map::Plan]| plans.iter().map(|it| it.probability).fold(1e-9, f64::max);
    let mut drawn = Vec::new();
    for (who, (plans, from)) in [(&agent, [0.0, 0.0]), (&opponent, [0.0, distance])].into_iter().enumerate() {
        for plan in plans.iter() {
            drawn.push(Arrow {
                from: [from[0], from[1] - middle],
                to: [plan.to[0], plan.to[1] - middle],
                share: plan.probability / most(plans),
                who,
            });
        }
    }
    drawn.sort_by(|a, b| a.share.total_cmp(&b.share));
    let title = format!("plans {distance:.1} m apart");
    let picture = FloorMap { title, n: 1, reach, squares: vec![0.55], greatest: 1.0, arrows: drawn };
    files::write_atomically(&args.out, &floor_map(&picture)?)?;
    let report = Plans { game: game.name().to_owned(), agent, opponent, file: args.out.clone() };
    let text = format!("{}\n", args.out.display());
    Outcome::new(&report, text)
}

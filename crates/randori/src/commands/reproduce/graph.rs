//! Simulating interactions of avatars in high dimensional state space (2008): its numbers, and ours.

use std::sync::Arc;

use randori::graphs;
use randori::libraries::Builtin;
use randori_arena::style::Style;
use randori_interaction_graph::Settings;
use randori_interaction_graph::background::Policies;
use randori_scene::contest::series::{Series, rounds};
use randori_scene::contest::{Contender, Ring};
use randori_scene::screenplay::Controller;

use super::{Effort, Folder, Row, Rows};
use crate::commands::game::clock;
use crate::commands::graph::{coverage, policy_ms, with_progress};
use crate::output::Outcome;
use crate::progress::Progress;

/// Who the graph plays against in table 1, with the paper's scores of depths 1, 3 and 5. In place of a human player: a
/// stand-in who gives the same commands.
const OPPONENTS: [(&str, [f64; 3]); 4] = [
    ("commander", [-15.0, 23.0, 28.0]),
    ("static", [34.0, 54.0, 55.0]),
    ("gametree:2", [-37.0, 14.0, 28.0]),
    ("gametree:3", [-53.0, -19.0, -4.0]),
];
const DEPTHS: [u8; 3] = [1, 3, 5];

/// Makes the graph, and plays on it.
pub(super) fn run(folder: Folder, effort: Effort, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    let library = Arc::new(Builtin::Boxing.open()?);
    let mut settings = Settings::default();
    if effort == Effort::Quick {
        settings.sampling.most = 20_000;
    }
    let (n_rounds, n_covered, seconds) = match effort {
        Effort::Quick => (2, 1, 10.0),
        Effort::Normal => (20, 20, 30.0),
        Effort::Whole => (100, 20, 30.0),
    };
    let since = clock();
    let graph = Arc::new(with_progress(progress, |step| graphs::make(&library, &settings, step))?);
    let build_minutes = since() / 60.0;
    let ring = Ring::of(Arc::clone(&library), seconds)?;
    let covered = coverage(&graph, &ring, n_covered, seed, progress);
    let row = |what: &str, paper: f64, ours: f64, unit, holds| Row {
        what: what.to_owned(),
        paper: Some(paper),
        ours,
        unit,
        holds,
    };
    let at_least = |what: &str, paper: f64, ours: f64, unit| row(what, paper, ours, unit, ours >= paper);
    let at_most =
        |what: &str, paper: f64, ours: f64, unit, most: f64| row(what, paper, ours, unit, ours <= most);
    let policy = policy_ms(&graph, &library);
    let mut rows = vec![
        at_least("states", 79_855.0, graph.n_states() as f64, "-"),
        at_least("edges", 3_392_297.0, graph.n_edges() as f64, "-"),
        at_most("time to build", 180.0, build_minutes, "min", 1.0),
        at_most("time of a policy (the paper: a few seconds)", 3000.0, policy, "ms", 150.0),
        at_least("states of gametree:3 that are covered", 93.0, 100.0 * covered.coverage, "%"),
    ];
    let ring = ring.with_graph(Arc::new(Policies::of(graph, library)));
    let job = progress.job("table 1");
    let n_all = OPPONENTS.len() * DEPTHS.len() * n_rounds;
    let mut done_before = 0;
    for (opponent, paper) in OPPONENTS {
        for (depth, paper) in DEPTHS.into_iter().zip(paper) {
            let own = contender(Controller::Graph { depth });
            let other = contender(Controller::from_short(opponent).unwrap_or_default());
            let (Some(own), Some(other)) = (own, other) else { continue };
            let played = rounds(&ring, [&own, &other], n_rounds, seed, &|done| {
                job.step(done_before + done, n_all);
            });
            done_before += n_rounds;
            let [given, taken] = Series::of(&played).hits.map(f64::from);
            // The paper does not say how long its matches are: scores are those of a minute.
            let minutes = n_rounds as f64 * seconds / 60.0;
            rows.push(at_least(
                &format!("table 1: graph:{depth} against {opponent}, hits given less hits taken"),
                paper,
                (given - taken) / minutes,
                "1/min",
            ));
        }
    }
    drop(job);
    Rows { rows }.told(folder, "004")
}

fn contender(controller: Controller) -> Option<Contender> {
    Some(Contender { controller, style: Style::preset("general-boxer")?, side: 0 })
}

//! Simulating interactions of avatars in high dimensional state space (2008): its numbers, and ours.

use std::sync::Arc;

use randori::graphs;
use randori::libraries::Builtin;
use randori_arena::style::Style;
use randori_interaction_graph::Settings;
use randori_interaction_graph::background::Policies;
use randori_interaction_graph::carriers::APART;
use randori_interaction_graph::duel::Activity;
use randori_scene::contest::series::{Series, round_seed, rounds};
use randori_scene::contest::switch::switch;
use randori_scene::contest::{Contender, Ring};
use randori_scene::screenplay::Controller;
use rayon::prelude::*;

use super::{Effort, Folder, Row, Rows};
use crate::commands::game::clock;
use crate::commands::graph::{carried, coverage, policy_ms, with_progress};
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
    let (n_rounds, n_covered, seconds): (usize, usize, f64) = match effort {
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
    rows.extend(switched(&ring, n_rounds, seed).into_iter().flatten());
    rows.extend(carrying(effort, seed, progress)?);
    let job = progress.job("table 1");
    let n_all = OPPONENTS.len() * DEPTHS.len() * n_rounds;
    let mut done_before = 0;
    for (opponent, papers) in OPPONENTS {
        let mut scores = Vec::new();
        for (depth, paper) in DEPTHS.into_iter().zip(papers) {
            let own = contender(Controller::Graph { depth });
            let other = contender(Controller::from_short(opponent).unwrap_or_default());
            let (Some(own), Some(other)) = (own, other) else { continue };
            let played = rounds(&ring, [&own, &other], n_rounds, seed, &|done| {
                job.step(done_before + done, n_all);
            });
            done_before += n_rounds;
            let series = Series::of(&played);
            let [given, taken] = series.hits.map(f64::from);
            // The paper does not say how long its matches are: scores are those of a minute.
            let minutes = n_rounds as f64 * seconds / 60.0;
            let score = (given - taken) / minutes;
            rows.push(at_least(
                &format!("table 1: graph:{depth} against {opponent}, hits given less hits taken"),
                paper,
                score,
                "1/min",
            ));
            scores.push(score);
            // What the paper's table shows, whatever it counts: even with the one, better than the others.
            let [_, most] = series.score_ci95.map(|share| 100.0 * share);
            let won = 100.0 * series.score();
            match opponent {
                "gametree:3" if depth == 5 => rows.push(Row {
                    what: format!("graph:5 against gametree:3, rounds won, at most by the 95 % interval ({won:.0} % won)"),
                    paper: None,
                    ours: most,
                    unit: "%",
                    holds: most >= 50.0,
                }),
                "static" | "commander" if opponent == "static" || depth >= 3 => rows.push(Row {
                    what: format!("graph:{depth} against {opponent}, rounds won"),
                    paper: None,
                    ours: won,
                    unit: "%",
                    holds: won > 50.0,
                }),
                _ => {}
            }
        }
        let least_step =
            |scores: &[f64]| scores.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        let (paper, ours) = (least_step(&papers), least_step(&scores));
        let what = format!("against {opponent}, the least that two more choices of depth add");
        rows.push(row(&what, paper, ours, "1/min", ours >= 0.0));
    }
    drop(job);
    Rows { rows }.told(folder, "004")
}

/// What a change of style does to the distance, both ways: in the five seconds after it, and in the five after those.
fn switched(ring: &Ring, n_rounds: usize, seed: u64) -> Option<[Row; 2]> {
    let styles = [Style::preset("outboxer")?, Style::preset("infighter")?];
    let controller = Controller::Graph { depth: 5 };
    let mut least = [f64::INFINITY; 2];
    for (way, sign) in [(styles, 1.0), ([styles[1], styles[0]], -1.0)] {
        let change = |round: usize| {
            let [before, after, later] = switch(ring, &controller, way, round_seed(seed, round));
            [after, later].map(|it| sign * (before - it) / n_rounds as f64)
        };
        let changes: Vec<[f64; 2]> = (0..n_rounds).into_par_iter().map(change).collect();
        for (at, least) in least.iter_mut().enumerate() {
            *least = least.min(changes.iter().map(|change| change[at]).sum());
        }
    }
    let row = |when: &str, ours: f64| Row {
        what: format!("change of the mean distance {when} a change of style, the lesser of both ways"),
        paper: None,
        ours,
        unit: "m",
        holds: ours >= 0.4,
    };
    Some([row("in the 5 s after", least[0]), row("from 5 to 10 s after", least[1])])
}

/// Two who carry a box.
fn carrying(effort: Effort, seed: u64, progress: &Progress) -> anyhow::Result<Vec<Row>> {
    let library = Arc::new(Builtin::Carrying.open()?);
    let mut settings = Settings::of(Activity::Carry);
    let n_trials = if effort == Effort::Quick { 2 } else { 40 };
    if effort == Effort::Quick {
        settings.sampling.most = 20_000;
    }
    let since = clock();
    let graph = Arc::new(with_progress(progress, |step| graphs::make(&library, &settings, step))?);
    let build_minutes = since() / 60.0;
    let (states, edges) = (graph.n_states() as f64, graph.n_edges() as f64);
    let policies = Arc::new(Policies::of(graph, library));
    let all = carried("builtin:carry", &policies, n_trials, seed, progress)?;
    let row = |what: &str, paper: Option<f64>, ours: f64, unit, holds| Row {
        what: format!("carrying: {what}"),
        paper,
        ours,
        unit,
        holds,
    };
    let [least, most] = all.apart.map(f64::from);
    Ok(vec![
        row("states", Some(128_804.0), states, "-", states >= 128_804.0),
        row("edges", Some(4_685_246.0), edges, "-", edges >= 4_685_246.0),
        row("time to build", Some(200.0), build_minutes, "min", build_minutes <= 1.5),
        row("the least that both were apart", None, least, "m", least >= f64::from(APART[0])),
        row("the most that both were apart", None, most, "m", most <= f64::from(APART[1])),
        row("ways taken within 2 s", None, 100.0 * all.turned_within_2_s, "%", all.turned_within_2_s >= 1.0),
        row("balls avoided", None, 100.0 * all.avoided, "%", all.avoided >= 0.95),
    ])
}

fn contender(controller: Controller) -> Option<Contender> {
    Some(Contender { controller, style: Style::preset("general-boxer")?, side: 0 })
}

//! Simulating multiple character interactions with collaborative and adversarial goals (2012): its numbers, and ours.
//!
//! A row holds when ours meets what is asked of it: a figure of the paper, or a limit drawn from what the paper says in
//! words. It is computed from what was played, never set by hand; with few rounds a row may fail by chance.

pub(super) mod paths;
mod plan;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use randori::libraries::Builtin;
use randori_arena::combination::suitability;
use randori_arena::style::Style;
use randori_gametree::{Method, Settings};
use randori_motion::annotation::{Direction, Target};
use randori_scene::contest::cost::{Cost, cost, dilemmas};
use randori_scene::contest::series::{Series, round_seed, rounds};
use randori_scene::contest::{Contender, Ring, Round};
use randori_scene::director::Libraries;
use randori_scene::pictures::{Chart, Curve};
use randori_scene::screenplay::Controller;
use randori_tactics::Planner;
use randori_tactics::census::{CRITERIA, Census, Counting};
use rayon::prelude::*;

use super::{Effort, Folder, Row, Rows};
use crate::commands::game::clock;
use crate::output::Outcome;
use crate::progress::Progress;
use plan::Plan;

/// Plays everything, and writes the rows.
pub(super) fn run(folder: Folder, effort: Effort, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    let [boxing, running, sword] =
        [Builtin::Boxing, Builtin::Running, Builtin::Sword].map(|builtin| builtin.open().map(Arc::new));
    let (boxing, running, sword) = (boxing?, running?, sword?);
    let plan = Plan::of(effort);
    let mut libraries = Libraries::default();
    libraries.add("builtin:boxing", Arc::clone(&boxing));
    libraries.add("builtin:sword", Arc::clone(&sword));
    let mut lab = Lab {
        boxing: Ring::of(boxing, plan.duel.seconds)?,
        running: Ring::of(running, plan.chase.seconds)?,
        sword: Ring::of(sword, plan.duel.seconds)?,
        libraries,
        plan,
        seed,
        progress,
        folder,
        rows: Vec::new(),
    };
    lab.table_two();
    lab.table_five();
    lab.levels();
    lab.chases();
    lab.distances();
    lab.paths()?;
    lab.formations()?;
    lab.strength()?;
    lab.activity()?;
    lab.costs()?;
    lab.time();
    Rows { rows: lab.rows }.told(lab.folder, "000")
}

/// What everything is played with.
struct Lab<'a> {
    boxing: Ring,
    running: Ring,
    sword: Ring,
    libraries: Libraries,
    plan: Plan,
    seed: u64,
    progress: &'a Progress,
    folder: Folder,
    rows: Vec<Row>,
}

impl Lab<'_> {
    fn row(&mut self, what: String, paper: Option<f64>, ours: f64, unit: &'static str, holds: bool) {
        self.rows.push(Row { what, paper, ours, unit, holds });
    }

    /// Table II: how well two defences suit two attacks, from the elements of table I.
    fn table_two(&mut self) {
        use Direction::{Front, Horizontal, Upwards};
        use Target::{Head, LowerTorso, UpperTorso};
        type Elements = (&'static str, &'static [Target], &'static [Direction]);
        const DUCK: Elements = ("duck", &[Head, UpperTorso], &[Front, Horizontal]);
        const JUMP_BACK: Elements = ("jump back", &[UpperTorso, LowerTorso], &[Horizontal, Upwards]);
        const RIGHT_JAB: Elements = ("right jab", &[Head, UpperTorso], &[Front]);
        const UPWARDS_KICK: Elements = ("upwards kick", &[UpperTorso, LowerTorso], &[Upwards]);
        for (defence, attack, paper) in [
            (DUCK, RIGHT_JAB, 0.75),
            (DUCK, UPWARDS_KICK, 0.25),
            (JUMP_BACK, RIGHT_JAB, 0.25),
            (JUMP_BACK, UPWARDS_KICK, 0.75),
        ] {
            let ours = f64::from(suitability((defence.1, defence.2), (attack.1, attack.2)));
            let what = format!("table II: {} against {}", defence.0, attack.0);
            self.row(what, Some(paper), ours, "-", ours == paper);
        }
    }

    /// Table V: choices before and after pruning, over all nodes that searches of depth 3 expand.
    fn table_five(&mut self) {
        let n_rounds = self.plan.census.rounds;
        for (name, ring, paper, target) in [
            ("boxing", self.boxing.lasting(self.plan.census.seconds), [120.0, 35.5, 70.4], [60.0, 80.0]),
            ("running", self.running.lasting(self.plan.census.seconds), [95.8, 40.3, 57.9], [45.0, 70.0]),
            ("sword", self.sword.lasting(self.plan.census.seconds), [94.3, 68.2, 27.7], [20.0, 50.0]),
        ] {
            let job = self.progress.job("table V");
            let census = Arc::new(Census::default());
            let pair = usual_pair(&ring, [3, 3]);
            let done = AtomicUsize::new(0);
            (0..n_rounds).into_par_iter().for_each(|round| {
                let mut bout = ring.bout(&pair, round_seed(self.seed, round));
                for who in 0..pair.len() {
                    let settings = Settings { depth: 3, parallel: false, ..Settings::default() };
                    bout.control(who, Box::new(Counting::new(settings, Arc::clone(&census))));
                }
                ring.play(&mut bout, &pair);
                job.step(done.fetch_add(1, Ordering::Relaxed) + 1, n_rounds);
            });
            let pruned = 100.0 * census.pruned();
            let holds = (target[0]..=target[1]).contains(&pruned);
            self.row(format!("table V: {name}, choices"), Some(paper[0]), census.before(), "-", holds);
            self.row(
                format!("table V: {name}, plausible choices"),
                Some(paper[1]),
                census.after(),
                "-",
                holds,
            );
            self.row(format!("table V: {name}, choices pruned"), Some(paper[2]), pruned, "%", holds);
            for (criterion, share) in CRITERIA.iter().zip(census.pruned_by()) {
                let what = format!("table V: {name}, pruned by {criterion}");
                self.row(what, None, 100.0 * share, "%", share < 1.0);
            }
        }
    }

    /// A smart fighter against a poor one.
    fn levels(&mut self) {
        let rounds = self.duel(&self.boxing, self.plan.duel.rounds, [4, 2], "levels");
        let won = 100.0 * Series::of(&rounds).wins[0] as f64 / rounds.len() as f64;
        let what = format!("level 4 beats level 2, of {} rounds", rounds.len());
        self.row(what, None, won, "%", won >= 90.0);
    }

    /// A smart chaser, a smarter one, and two of them.
    fn chases(&mut self) {
        let ring = self.running.clone();
        let plan = self.plan.chase;
        let chaser = |depth: u8| Contender { side: 0, ..contender("chaser", depth) };
        let runaway = Contender { side: 1, ..contender("runaway", 2) };
        let mut first = None;
        for depth in self.plan.chasers {
            let rounds = self.chase(&ring, &[chaser(*depth), runaway.clone()], plan.rounds);
            let caught = 100.0 * share(&rounds, |round| round.caught.is_some());
            let time = mean(rounds.iter().map(|round| round.caught.unwrap_or(round.seconds)));
            let whom = format!("level {depth} chaser, level 2 runaway");
            let what = format!("{whom}: caught, of {} rounds", rounds.len());
            self.row(what, None, caught, "%", caught >= 90.0);
            // Deeper than the first changes little: the difference of levels is already large enough.
            let known = *first.get_or_insert(time);
            let holds = caught >= 90.0 && (time - known).abs() <= 0.5 * known;
            self.row(format!("{whom}: time to the catch"), None, time, "s", holds);
        }
        // Two on one, and the same from the same places without the one or the other of the two.
        let level = self.plan.two_chasers;
        let trio = [chaser(level), chaser(level), runaway];
        let time = |round: Round| round.caught.unwrap_or(round.seconds);
        let two = mean(self.play(plan.rounds, &|seed| time(ring.round(&trio, seed))).into_iter());
        let alone = |missing: usize| {
            mean(self.play(plan.rounds, &|seed| time(ring.round_without(&trio, missing, seed))).into_iter())
        };
        let alone = 0.5 * (alone(0) + alone(1));
        self.row(
            format!("either of two level {level} chasers alone: time to the catch"),
            None,
            alone,
            "s",
            alone < plan.seconds,
        );
        self.row(format!("two level {level} chasers: time to the catch"), None, two, "s", two < alone);
    }

    /// Preferred distances.
    fn distances(&mut self) {
        let plan = self.plan.distance;
        let ring = self.boxing.lasting(plan.seconds);
        let job = self.progress.job("distances");
        for (name, paper, limit, nearer) in [("infighter", 0.5, 0.9, true), ("outboxer", 2.0, 1.4, false)] {
            let fighter = contender(name, self.plan.distance_depth);
            let rounds = rounds(&ring, [&fighter, &fighter], plan.rounds, self.seed, &|done| {
                job.step(done, plan.rounds);
            });
            let distance = mean(rounds.iter().map(|round| round.distance));
            let holds = if nearer { distance < limit } else { distance > limit };
            self.row(format!("mean distance of two {name}s"), Some(paper), distance, "m", holds);
        }
    }

    /// Each level against the one below.
    fn strength(&mut self) -> anyhow::Result<()> {
        let mut curves = Vec::new();
        for (name, ring) in [("boxing", self.boxing.clone()), ("sword", self.sword.clone())] {
            let mut curve = Curve { name: name.to_owned(), points: Vec::new() };
            for (depth, n_rounds) in (2..).zip(self.plan.strength) {
                let rounds = self.duel(&ring, *n_rounds, [depth, depth - 1], "strength");
                let score = 100.0 * Series::of(&rounds).score();
                curve.points.push((f64::from(depth), score));
                let what =
                    format!("score of level {depth} against level {}, {name}, {n_rounds} rounds", depth - 1);
                self.row(what, None, score, "%", score > 50.0);
            }
            curves.push(curve);
        }
        let picture = Chart {
            title: "Score against the level below".to_owned(),
            x_label: "level".to_owned(),
            y_label: "%".to_owned(),
            curves,
            ..Chart::default()
        };
        self.folder.chart("000-strength", &picture)
    }

    /// Attacks per minute of two of the same level. Deeper than four they become careful.
    fn activity(&mut self) -> anyhow::Result<()> {
        let plan = self.plan.activity;
        let ring = self.boxing.lasting(plan.seconds);
        let mut curves = ["attacks", "hits"].map(|name| Curve { name: name.to_owned(), points: Vec::new() });
        let mut most = 0.0_f64;
        for depth in 1..=self.plan.deepest {
            let job = self.progress.job("activity");
            let fighter = contender("general-boxer", depth);
            let played = rounds(&ring, [&fighter, &fighter], plan.rounds, self.seed, &|done| {
                job.step(done, plan.rounds);
            });
            let minutes = played.iter().map(|round| round.seconds / 60.0).sum::<f64>().max(1e-9);
            let deeds = || played.iter().flat_map(|round| &round.deeds);
            let attacks = f64::from(deeds().map(|its| its.attacks).sum::<u32>()) / minutes;
            let hits = f64::from(deeds().map(|its| its.hits).sum::<u32>()) / minutes;
            curves[0].points.push((f64::from(depth), attacks));
            curves[1].points.push((f64::from(depth), hits));
            // Up to four a fight is a fight; deeper, both avoid whatever could go wrong.
            let holds = if depth <= 4 { attacks >= 30.0 } else { attacks < most };
            let words = if depth <= 4 { "active" } else { "careful" };
            self.row(format!("attacks of both at level {depth}: {words}"), None, attacks, "1/min", holds);
            self.row(format!("hits of both at level {depth}"), None, hits, "1/min", hits >= 10.0);
            most = most.max(attacks);
        }
        let picture = Chart {
            title: "Activity of two of the same level".to_owned(),
            x_label: "level".to_owned(),
            y_label: "per minute".to_owned(),
            curves: curves.to_vec(),
            ..Chart::default()
        };
        self.folder.chart("000-activity", &picture)
    }

    /// Actions simulated per decision, by plain expansion and pruned, at the same moments.
    fn costs(&mut self) -> anyhow::Result<()> {
        let fighter = |side: u8| Contender { side, ..contender("general-boxer", 2) };
        let moments =
            dilemmas(&self.boxing.lasting(30.0), &[fighter(0), fighter(1)], self.plan.dilemmas, self.seed);
        let mut curves = ["plain", "pruned"].map(|name| Curve { name: name.to_owned(), points: Vec::new() });
        let mut plain_edges: Vec<f64> = Vec::new();
        for depth in 1..=4 {
            let is_measured = depth < 4 || self.plan.plain_dilemmas > 0;
            let moments = if depth == 4 && is_measured {
                spread(&moments, self.plan.plain_dilemmas)
            } else {
                moments.clone()
            };
            let total = moments.len();
            let job = self.progress.job("cost");
            let search = |method: Method| -> Cost {
                let done = AtomicUsize::new(0);
                let settings = Settings { depth, method, ..Settings::default() };
                cost(&moments, &settings, &|| job.step(done.fetch_add(1, Ordering::Relaxed) + 1, total))
            };
            let pruned = search(Method::Pruned);
            let (plain, agree, how) = if is_measured {
                let plain = search(Method::Plain);
                let agree = plain.choices == pruned.choices;
                (plain.edges, agree, "every path; the same choices")
            } else {
                let growth = plain_edges[2] / plain_edges[1].max(1.0);
                // What was not measured holds nothing.
                (plain_edges[2] * growth, false, "every path; extrapolated, choices not compared")
            };
            plain_edges.push(plain);
            curves[0].points.push((f64::from(depth), plain));
            curves[1].points.push((f64::from(depth), pruned.edges));
            let times = plain / pruned.edges.max(1.0);
            self.row(format!("edges per decision at level {depth}: {how}"), None, plain, "-", agree);
            let what = format!("edges per decision at level {depth}: pruned");
            self.row(what, None, pruned.edges, "-", pruned.edges <= plain);
            let least = if depth == 4 { 50.0 } else { 1.0 };
            self.row(
                format!("edges saved at level {depth}"),
                None,
                times,
                "times",
                is_measured && times >= least,
            );
        }
        let picture = Chart {
            title: "Actions simulated per decision".to_owned(),
            x_label: "level".to_owned(),
            y_is_log: true,
            curves: curves.to_vec(),
            ..Chart::default()
        };
        self.folder.chart("000-cost", &picture)
    }

    /// How long 30 s of two boxers take at level 3.
    fn time(&mut self) {
        let ring = self.boxing.lasting(self.plan.timed_seconds);
        let pair = usual_pair(&ring, [3, 3]);
        let mut bout = ring.bout(&pair, self.seed);
        for who in 0..pair.len() {
            bout.control(who, Box::new(Planner::of_depth(3)));
        }
        let clock = clock();
        let round = ring.play(&mut bout, &pair);
        let seconds = clock() * 30.0 / round.seconds.max(1e-3);
        self.row(
            "time for 30 s of two boxers at level 3".to_owned(),
            Some(300.0),
            seconds,
            "s",
            seconds < 3.0,
        );
    }

    /// Rounds of two of the ring's usual style at these levels.
    fn duel(&self, ring: &Ring, n_rounds: usize, levels: [u8; 2], name: &'static str) -> Vec<Round> {
        let [style, _] = ring.usual_styles();
        let [first, second] = levels.map(|depth| contender(style, depth));
        let job = self.progress.job(name);
        rounds(ring, [&first, &second], n_rounds, self.seed, &|done| job.step(done, n_rounds))
    }

    /// Rounds of several against each other, always from the same places.
    fn chase(&self, ring: &Ring, contenders: &[Contender], n_rounds: usize) -> Vec<Round> {
        self.play(n_rounds, &|seed| ring.round(contenders, seed))
    }

    /// What comes of rounds, by their seeds.
    fn play<T: Send>(&self, n_rounds: usize, round: &(impl Fn(u64) -> T + Sync)) -> Vec<T> {
        let job = self.progress.job("chases");
        let done = AtomicUsize::new(0);
        let play = |number: usize| {
            let played = round(round_seed(self.seed, number));
            job.step(done.fetch_add(1, Ordering::Relaxed) + 1, n_rounds);
            played
        };
        (0..n_rounds).into_par_iter().map(play).collect()
    }
}

/// Somebody of a style and level.
fn contender(style: &str, depth: u8) -> Contender {
    let style = Style::preset(style).unwrap_or(randori_arena::style::PRESETS[0].1);
    Contender { controller: Controller::game_tree(depth), style, side: 0 }
}

/// Two of the ring's usual styles.
fn usual_pair(ring: &Ring, levels: [u8; 2]) -> [Contender; 2] {
    let [first, second] = ring.usual_styles();
    [contender(first, levels[0]), Contender { side: 1, ..contender(second, levels[1]) }]
}

/// Some of many, evenly spread.
fn spread<T: Clone>(all: &[T], n: usize) -> Vec<T> {
    all.iter().step_by((all.len() / n.max(1)).max(1)).take(n).cloned().collect()
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len().max(1) as f64;
    values.sum::<f64>() / n
}

fn share(rounds: &[Round], of: impl Fn(&Round) -> bool) -> f64 {
    rounds.iter().filter(|round| of(round)).count() as f64 / rounds.len().max(1) as f64
}

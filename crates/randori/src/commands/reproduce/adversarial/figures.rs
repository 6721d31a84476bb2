//! Equation 1 and figures 2 to 6: data, pictures, and rows of the numbers that the paper prints.
//!
//! Figures 3 and 5 compare times. Ratios are of processor time, all threads together, which other programs on the
//! machine disturb least; limits on waiting are of the clock on the wall.

use cpu_time::ProcessTime;
use randori_equilibrium::figures::{
    Figure3Point, Figure5Point, Figure6Point, equation_1, figure_2, figure_3, figure_4, figure_5_point,
    figure_6,
};
use randori_equilibrium::lspi::{Host, LspiSettings};
use randori_scene::pictures::{Chart, Curve};
use serde::Serialize;

use super::{Effort, Folder, Row};
use crate::commands::game::clock;
use crate::progress::{Job, Progress};

/// As a mean squared error of values that vary by about 1.6 this is small: a fiftieth of their variance.
const SMALL: f64 = 0.05;
/// Learning four axes with twenty bases each, nested, may take so long (s).
const NESTED_LIMIT: f64 = 30.0;
/// Full bases are given up once they have taken so many times as long as nested ones: more than the paper's ratios.
const PATIENCE: f64 = 70.0;

/// The longest that full bases are learned, whatever nested ones take (s of processors).
fn longest(effort: Effort) -> f64 {
    if effort == Effort::Whole { f64::INFINITY } else { 60.0 }
}

/// Makes them all.
pub(super) fn make(
    folder: &mut Folder,
    rows: &mut Vec<Row>,
    effort: Effort,
    seed: u64,
    progress: &Progress,
) -> anyhow::Result<()> {
    let job = progress.job("figures");
    let settings = LspiSettings { seed, ..LspiSettings::default() };
    let mut made = Making { folder, rows, effort, settings };
    made.first()?;
    made.second()?;
    made.third()?;
    made.fourth()?;
    made.fifth(&job)?;
    made.sixth()
}

struct Making<'a> {
    folder: &'a mut Folder,
    rows: &'a mut Vec<Row>,
    effort: Effort,
    settings: LspiSettings,
}

/// A point of figure 5 with the processor time it took.
#[derive(Serialize)]
struct Costs {
    #[serde(flatten)]
    point: Figure5Point,
    processor_seconds: f64,
}

impl Making<'_> {
    fn row(
        &mut self,
        what: impl Into<String>,
        paper: Option<f64>,
        ours: f64,
        unit: &'static str,
        holds: bool,
    ) {
        self.rows.push(Row { what: what.into(), paper, ours, unit, holds });
    }

    /// Rock, paper, scissors.
    fn first(&mut self) -> anyhow::Result<()> {
        let solved = equation_1()?;
        let least = solved.agent.iter().chain(&solved.opponent).fold(1.0_f64, |a, p| a.min(*p));
        self.row("equation 1: value", Some(0.0), solved.value, "-", solved.value.abs() < 1e-12);
        let third = 1.0 / 3.0;
        let holds = (least - third).abs() < 1e-12;
        self.row("equation 1: least probability of an action", Some(third), least, "-", holds);
        self.folder.data("equation1", &solved)
    }

    /// Rows and columns on demand, panel by panel.
    fn second(&mut self) -> anyhow::Result<()> {
        let panels = figure_2()?;
        if let Some(last) = panels.last() {
            let (lower, upper) = (last.lower, last.upper);
            let unknown = last.entries.iter().flatten().filter(|entry| entry.is_none()).count() as f64;
            let subsets = last.agent_subset == [3, 4] && last.opponent_subset == [1, 3];
            let value = 0.5 * (lower + upper);
            self.row("figure 2: value", Some(3.5), value, "-", lower == upper && value == 3.5);
            self.row("figure 2: entries never computed", Some(4.0), unknown, "-", unknown == 4.0 && subsets);
        }
        self.folder.data("figure2", &panels)
    }

    /// Whole matrix against rows and columns on demand, with entries that cost a microsecond each.
    fn third(&mut self) -> anyhow::Result<()> {
        let games = if self.effort == Effort::Quick { 5 } else { 40 };
        let wall = clock();
        let dear = || {
            let start = wall();
            while wall() - start < 1e-6 {
                std::hint::spin_loop();
            }
        };
        let processor = processor_clock();
        let points = figure_3(&[5, 10, 20, 30, 50, 75, 100], games, &processor, &dear)?;
        for point in &points {
            let at = format!("{} actions each", point.actions);
            // Small games are computed whole by both: all that is asked there is that nothing is lost.
            let (paper, least) = if point.actions >= 50 { (Some(3.0), 3.0) } else { (None, 0.8) };
            let (mean, pooled) =
                (point.times_faster, point.whole_seconds / point.incremental_seconds.max(1e-12));
            let what = format!("figure 3: times faster on demand, {at}, mean of games");
            self.row(what, paper, mean, "times", mean >= least);
            let what = format!("figure 3: times faster on demand, {at}, all games together");
            self.row(what, paper, pooled, "times", pooled >= least);
            let most = point.entries as f64 / point.least_entries.max(1.0);
            let what = format!("figure 3: entries over those that any proof needs, {at}, all games together");
            self.row(what, None, most, "times", most >= 1.0);
        }
        let curve = |name: &str, seconds: fn(&Figure3Point) -> f64| Curve {
            name: name.to_owned(),
            points: points.iter().map(|point| (point.actions as f64, 1e3 * seconds(point))).collect(),
        };
        self.folder.data("figure3", &points)?;
        self.folder.chart(
            "figure3",
            &Chart {
                title: "Figure 3: time per game, entries of 1 us".to_owned(),
                x_label: "actions of each player".to_owned(),
                y_label: "ms".to_owned(),
                y_is_log: true,
                curves: vec![
                    curve("whole matrix", |point| point.whole_seconds),
                    curve("incremental", |point| point.incremental_seconds),
                ],
                ..Chart::default()
            },
        )
    }

    /// The pendulum: reduced bases, and the value function over angle and speed.
    fn fourth(&mut self) -> anyhow::Result<()> {
        let bases = if self.effort == Effort::Quick { 12 } else { 24 };
        let figure = figure_4(bases)?;
        let kept = figure.components.len();
        let what = format!("figure 4: functions of the angle that stand for {bases} splines");
        self.row(what, None, kept as f64, "-", kept < bases);
        let over_angles = |name: String, values: &[f64]| Curve {
            name,
            points: figure.angles.iter().copied().zip(values.iter().copied()).collect(),
        };
        let components = figure.components.iter().take(6).enumerate();
        let slices = figure.velocities.iter().zip(&figure.surface).step_by(6);
        let pictures = [
            (
                "figure4-bases",
                "Figure 4: reduced basis functions of the pendulum",
                components.map(|(k, curve)| over_angles(format!("component {}", k + 1), curve)).collect(),
            ),
            (
                "figure4-values",
                "Figure 4: value of the pendulum",
                slices
                    .map(|(velocity, curve)| over_angles(format!("at {velocity:.1} rad/s"), curve))
                    .collect(),
            ),
        ];
        self.folder.data("figure4", &figure)?;
        for (name, title, curves) in pictures {
            let (title, x_label) = (title.to_owned(), "angle (rad)".to_owned());
            self.folder.chart(name, &Chart { title, x_label, curves, ..Chart::default() })?;
        }
        Ok(())
    }

    /// Time and memory of full and nested learning.
    fn fifth(&mut self, job: &Job) -> anyhow::Result<()> {
        let wall = clock();
        // Nested first: how long they take says when full ones are given up.
        let plan: Vec<(usize, usize, bool)> = (sizes(self.effort).into_iter())
            .flat_map(|(dimensions, full, nested)| {
                let nested = nested.iter().map(move |bases| (dimensions, *bases, true));
                nested.chain(full.iter().map(move |bases| (dimensions, *bases, false)))
            })
            .collect();
        let mut points: Vec<Costs> = Vec::new();
        for (done, (dimensions, bases, nested)) in plan.iter().enumerate() {
            job.step(done, plan.len());
            let processor = processor_clock();
            let same = find(&points, *dimensions, *bases, true);
            let most = if *nested {
                f64::INFINITY
            } else {
                let patience = same.map_or(f64::INFINITY, |nested| PATIENCE * nested.processor_seconds);
                patience.min(longest(self.effort))
            };
            let stop = || processor() > most;
            let host = Host { clock: &wall, stop: &stop, ..Host::default() };
            let point = figure_5_point(*dimensions, *bases, *nested, &self.settings, host)?;
            points.push(Costs { point, processor_seconds: processor() });
        }
        for dimensions in [2, 4, 6] {
            self.compare(dimensions, &points);
        }
        if let Some(costs) = find(&points, 4, 20, true) {
            let seconds = costs.point.total_seconds;
            self.row(
                "figure 5: time to learn, 4 axes, 20 bases each, nested",
                None,
                seconds,
                "s",
                seconds <= NESTED_LIMIT,
            );
        }
        self.folder.data("figure5", &points)?;
        for (name, title, of) in [
            (
                "figure5-time",
                "Figure 5: seconds to learn",
                (|costs| costs.processor_seconds) as fn(&Costs) -> f64,
            ),
            ("figure5-memory", "Figure 5: numbers stored", |costs| costs.point.stored_numbers as f64),
        ] {
            let picture = Chart {
                title: title.to_owned(),
                x_label: "bases per axis".to_owned(),
                x_is_log: true,
                y_is_log: true,
                curves: by_kind(&points, of),
                ..Chart::default()
            };
            self.folder.chart(name, &picture)?;
        }
        for (name, nested) in [("figure5-full", false), ("figure5-nested", true)] {
            let kind = if nested { "nested" } else { "full" };
            let picture = Chart {
                title: format!("Figure 5: where the seconds go, 4 axes, {kind}"),
                x_label: "bases per axis".to_owned(),
                y_is_log: true,
                curves: breakdown(&points, nested),
                ..Chart::default()
            };
            self.folder.chart(name, &picture)?;
        }
        Ok(())
    }

    /// Full beside nested at the most bases that both were learned with; of two axes also at the fewest.
    fn compare(&mut self, dimensions: usize, points: &[Costs]) {
        let sizes = points.iter().filter(|costs| costs.point.dimensions == dimensions && costs.point.nested);
        let pairs = sizes.filter_map(|nested| {
            let bases = nested.point.bases_per_axis;
            find(points, dimensions, bases, false).map(|full| (bases, full, nested))
        });
        let pairs: Vec<_> = pairs.collect();
        let most = pairs.iter().max_by_key(|(bases, _, _)| *bases);
        let fewest = pairs.iter().min_by_key(|(bases, _, _)| *bases).filter(|_| dimensions == 2);
        // In two dimensions slices cost more than they save, until least squares take longer than all else.
        if let Some(pair) = fewest {
            self.compare_pair(dimensions, *pair, true);
        }
        if let Some(pair) = most.filter(|most| fewest.is_none_or(|fewest| fewest.0 < most.0)) {
            self.compare_pair(dimensions, *pair, false);
        }
    }

    fn compare_pair(
        &mut self,
        dimensions: usize,
        (bases, full, nested): (usize, &Costs, &Costs),
        is_slower: bool,
    ) {
        let faster = full.processor_seconds / nested.processor_seconds.max(1e-9);
        let smaller = full.point.stored_numbers as f64 / nested.point.stored_numbers.max(1) as f64;
        let paper = match (dimensions, bases) {
            (4, 20) => Some([60.0, 30.0]),
            (6, 6) => Some([65.0, 5.0]),
            _ => None,
        };
        let is_as_shown = match paper {
            Some([faster_least, _]) => faster >= faster_least,
            None => (faster < 1.0) == is_slower,
        };
        let at = format!("{dimensions} axes, {bases} bases each");
        let more = if full.point.given_up { ", or more: full bases were given up" } else { "" };
        self.row(
            format!("figure 5: times faster nested, {at}{more}"),
            paper.map(|[f, _]| f),
            faster,
            "times",
            is_as_shown,
        );
        if let Some([_, least]) = paper {
            let what = format!("figure 5: times smaller nested, {at}");
            self.row(what, Some(least), smaller, "times", smaller >= least);
        }
    }

    /// Accuracy: full bases converge; nested PCA converges on the pendulum and levels off on the pursuit.
    fn sixth(&mut self) -> anyhow::Result<()> {
        for (name, game, full, nested, reference) in accuracies(self.effort) {
            let points = figure_6(game, full, nested, reference, &self.settings)?;
            let errors = |nested: bool| {
                let chosen = points.iter().filter(move |point: &&Figure6Point| point.nested == nested);
                chosen.map(|point| (point.bases_per_axis, point.mean_squared_error))
            };
            if let (Some(first), Some(last)) = (errors(false).next(), errors(false).next_back()) {
                let what =
                    format!("figure 6: {game}, squared error of full bases, {} to {} each", first.0, last.0);
                self.row(
                    format!("{what}: times less"),
                    None,
                    first.1 / last.1.max(1e-300),
                    "times",
                    last.1 < first.1,
                );
            }
            if let Some((bases, error)) = errors(true).next_back() {
                let what = format!("figure 6: {game}, mean squared error of nested bases, {bases} each");
                self.row(what, None, error, "-", error < SMALL);
            }
            let curve = |name: &str, nested: bool| Curve {
                name: name.to_owned(),
                points: errors(nested).map(|(n, e)| (n as f64, e)).collect(),
            };
            let picture = Chart {
                title: format!("Figure 6: error of the value function, {game}"),
                x_label: "bases per axis".to_owned(),
                y_label: "mean squared error".to_owned(),
                y_is_log: true,
                curves: vec![curve("full", false), curve("nested", true)],
                ..Chart::default()
            };
            self.folder.data(name, &points)?;
            self.folder.chart(name, &picture)?;
        }
        Ok(())
    }
}

/// Bases per axis for two, four and six dimensions: with the full outer product, and nested.
fn sizes(effort: Effort) -> [(usize, &'static [usize], &'static [usize]); 3] {
    match effort {
        Effort::Quick => [(2, &[8], &[8]), (4, &[5], &[5]), (6, &[], &[])],
        Effort::Normal => [
            (2, &[8, 16, 32, 64], &[8, 16, 32, 64]),
            (4, &[4, 6, 8, 10], &[6, 8, 10, 15, 20]),
            (6, &[4], &[4, 5, 6]),
        ],
        Effort::Whole => [
            (2, &[8, 16, 32, 64, 100], &[8, 16, 32, 64, 100]),
            (4, &[4, 6, 8, 10, 15, 20], &[6, 8, 10, 15, 20]),
            (6, &[4, 5, 6], &[4, 5, 6]),
        ],
    }
}

/// Figure 6: names of the picture and of the game, bases per axis full and nested, and of the reference.
type Accuracy = (&'static str, &'static str, &'static [usize], &'static [usize], usize);

fn accuracies(effort: Effort) -> Vec<Accuracy> {
    match effort {
        Effort::Quick => vec![("figure6", "pursuit-1d", &[8, 12], &[8, 12], 16)],
        Effort::Normal => vec![
            ("figure6-pendulum", "pendulum", &[6, 8, 12, 16, 24], &[6, 8, 12, 16, 24], 40),
            ("figure6", "pursuit-1d", &[6, 8, 12, 16, 24], &[6, 8, 12, 16, 24], 40),
            ("figure6-four", "pursuit-2d", &[4, 5, 6], &[4, 5, 6, 8], 8),
        ],
        Effort::Whole => vec![
            ("figure6-pendulum", "pendulum", &[6, 8, 12, 16, 24, 32, 48], &[6, 8, 12, 16, 24, 32, 48], 80),
            ("figure6", "pursuit-1d", &[6, 8, 12, 16, 24, 32, 48], &[6, 8, 12, 16, 24, 32, 48], 80),
            ("figure6-four", "pursuit-2d", &[5, 6, 8, 10], &[5, 6, 8, 10, 12], 14),
        ],
    }
}

fn find(points: &[Costs], dimensions: usize, bases: usize, nested: bool) -> Option<&Costs> {
    points.iter().find(|Costs { point, .. }| {
        point.dimensions == dimensions && point.bases_per_axis == bases && point.nested == nested
    })
}

/// One curve for each number of axes, full and nested.
fn by_kind(points: &[Costs], of: fn(&Costs) -> f64) -> Vec<Curve> {
    let kinds = [2, 4, 6].into_iter().flat_map(|dimensions| [(dimensions, false), (dimensions, true)]);
    kinds
        .map(|(dimensions, nested)| Curve {
            name: format!("{dimensions}-D {}", if nested { "nested" } else { "full" }),
            points: (points.iter())
                .filter(|costs| costs.point.dimensions == dimensions && costs.point.nested == nested)
                .map(|costs| (costs.point.bases_per_axis as f64, of(costs)))
                .collect(),
        })
        .collect()
}

/// One curve for each phase of learning four axes.
fn breakdown(points: &[Costs], nested: bool) -> Vec<Curve> {
    let curve = |name: &str, of: fn(&Figure5Point) -> f64| {
        let chosen = points.iter().map(|costs| &costs.point);
        let chosen = chosen.filter(|point| point.dimensions == 4 && point.nested == nested);
        Curve {
            name: name.to_owned(),
            points: chosen.map(|point| (point.bases_per_axis as f64, of(point))).collect(),
        }
    };
    vec![
        curve("policies", |point| point.seconds.policies),
        curve("rows of the matrix", |point| point.seconds.rows),
        curve("least squares", |point| point.seconds.projection),
    ]
}

/// Seconds of the processor, all threads together, since the clock was made.
fn processor_clock() -> impl Fn() -> f64 {
    let start = ProcessTime::now();
    move || start.elapsed().as_secs_f64()
}

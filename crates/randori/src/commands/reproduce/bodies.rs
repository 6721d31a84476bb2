//! Multi-character physical and behavioral interactions controller (2017): tables 1 and 2, figures 9 and 10.

use randori_scene::pictures::{Chart, Curve};
use randori_wholebody::report::{self, Counts, RunReport};
use randori_wholebody::scenario::{Options, Scenario};

use super::{Effort, Folder, Row, Rows};
use crate::commands::body::processor_clock;
use crate::output::Outcome;
use crate::progress::Progress;

/// The paper's table 1: name, counts, and time (ms): min, max, median, time step.
const PAPER: [(&str, Counts, [f64; 4]); 5] = [
    ("king", counts([4, 114, 90, 28, 16, 6, 380, 246, 298]), [4.45, 84.51, 22.72, 33.33]),
    ("funambulist", counts([2, 42, 30, 8, 8, 7, 136, 90, 99]), [0.89, 5.10, 1.29, 5.0]),
    ("sword", counts([3, 78, 60, 16, 8, 33, 234, 150, 317]), [0.76, 14.97, 6.12, 10.0]),
    ("acrobats", counts([3, 108, 90, 24, 0, 6, 294, 180, 282]), [5.97, 34.88, 8.10, 10.0]),
    ("door", counts([2, 38, 30, 8, 4, 1, 116, 74, 93]), [0.77, 2.33, 0.89, 5.0]),
];

const fn counts(list: [usize; 9]) -> Counts {
    Counts {
        subsystems: list[0],
        dofs: list[1],
        actuated: list[2],
        planar_points: list[3],
        grasp_points: list[4],
        pairs: list[5],
        variables: list[6],
        equalities: list[7],
        inequalities: list[8],
    }
}

/// How many times faster a median step must be than the paper's, and how many times longer than the median the
/// longest step may be.
const FASTER: f64 = 10.0;
const PEAK: f64 = 4.0;

/// The paper's table 2: earlier work with its degrees of freedom and longest solution (ms).
const EARLIER: [(&str, f64, f64); 3] =
    [("Abe 2007", 41.0, 19.0), ("Jain 2009", 37.0, 500.0), ("de Lasa 2010", 41.0, 20.0)];

/// A scenario of table 1, run.
struct Run {
    paper: Counts,
    paper_ms: [f64; 4],
    report: RunReport,
}

/// Runs the five scenarios of table 1.
pub(super) fn run(
    mut folder: Folder,
    effort: Effort,
    seed: u64,
    progress: &Progress,
) -> anyhow::Result<Outcome> {
    let job = progress.job("reproducing");
    let mut runs = Vec::new();
    for (k, (name, paper, paper_ms)) in PAPER.into_iter().enumerate() {
        job.step(k, PAPER.len());
        let mut scenario = Scenario::build(name, &Options { seed, ..Options::default() })?;
        let seconds = match effort {
            Effort::Quick => 3.0,
            Effort::Normal | Effort::Whole => scenario.seconds(),
        };
        let report = report::run(&mut scenario, seconds, &mut processor_clock(), None, &mut |_, _| ());
        runs.push(Run { paper, paper_ms, report });
    }
    drop(job);
    figure_9(&mut folder, &runs)?;
    for run in &runs {
        figure_10(&mut folder, &run.report)?;
    }
    let mut rows: Vec<Row> = runs.iter().flat_map(table_1).collect();
    rows.extend(table_2(&runs));
    Rows { rows }.told(folder, "002")
}

/// Counts and times beside the paper's.
fn table_1(run: &Run) -> Vec<Row> {
    let name = run.report.scenario;
    let row = |what: &str, paper: Option<f64>, ours: f64, unit, holds| Row {
        what: format!("table 1, {name}: {what}"),
        paper,
        ours,
        unit,
        holds,
    };
    let (paper, ours) = (&run.paper, &run.report.counts);
    let counts = [
        ("subsystems", paper.subsystems, ours.subsystems),
        ("degrees of freedom", paper.dofs, ours.dofs),
        ("of these with a drive", paper.actuated, ours.actuated),
        ("planar contact points", paper.planar_points, ours.planar_points),
        ("grasp contact points", paper.grasp_points, ours.grasp_points),
        ("collision pairs", paper.pairs, ours.pairs),
        ("variables", paper.variables, ours.variables),
        ("equalities", paper.equalities, ours.equalities),
    ];
    let mut rows: Vec<Row> = (counts.into_iter())
        .map(|(what, paper, ours)| row(what, Some(paper as f64), ours as f64, "-", paper == ours))
        .collect();
    // Its other columns give 4 per planar point, 2 per drive and 1 per pair, in every scenario but Sword, where
    // the paper prints a hundred more.
    let sum = 4 * paper.planar_points + 2 * paper.actuated + paper.pairs;
    let what = match paper.inequalities - sum {
        0 => "inequalities".to_owned(),
        more => {
            format!("inequalities (the paper's other columns add up to {sum}, {more} fewer than printed)")
        }
    };
    let (printed, found) = (paper.inequalities as f64, ours.inequalities);
    rows.push(row(&what, Some(printed), found as f64, "-", found == sum));
    let [least, longest, median, step] = run.paper_ms;
    let report = &run.report;
    rows.extend([
        row("time step", Some(step), 1e3 * report.dt, "ms", (1e3 * report.dt - step).abs() < 0.01),
        row("shortest step", Some(least), report.step_min_ms, "ms", report.step_min_ms <= least),
        row("longest step", Some(longest), report.step_max_ms, "ms", report.step_max_ms <= longest),
        row(
            "median step",
            Some(median),
            report.step_median_ms,
            "ms",
            report.step_median_ms <= median / FASTER,
        ),
    ]);
    let peak = report.step_max_ms / report.step_median_ms;
    rows.push(row("longest step over median", Some(longest / median), peak, "-", peak <= PEAK));
    let peak = report.contact_change_max_ms / report.step_median_ms;
    rows.push(row("longest step at a change of contacts over median", None, peak, "-", peak <= PEAK));
    rows
}

/// The paper's comparison with earlier work: the longest median over the scenarios, for more degrees of freedom.
fn table_2(runs: &[Run]) -> Vec<Row> {
    let most = runs.iter().map(|run| run.report.counts.dofs).max().unwrap_or(0) as f64;
    let slowest = runs.iter().map(|run| run.report.step_median_ms).fold(0.0, f64::max);
    let row = |what: String, paper, ours, unit, holds| Row { what, paper: Some(paper), ours, unit, holds };
    let mut rows = vec![
        row("table 2: most degrees of freedom".into(), 114.0, most, "-", most >= 114.0),
        row("table 2: slowest median".into(), 22.0, slowest, "ms", slowest <= 22.0),
    ];
    for (who, dofs, ms) in EARLIER {
        let what = format!("table 2, {who}, {dofs} degrees of freedom: solution; here {most}");
        rows.push(row(what, ms, slowest, "ms", slowest <= ms));
    }
    rows
}

/// Median and longest step over the size of the program.
fn figure_9(folder: &mut Folder, runs: &[Run]) -> anyhow::Result<()> {
    let mut sorted: Vec<&Run> = runs.iter().collect();
    sorted.sort_by_key(|run| run.report.counts.variables);
    let curve = |name: &str, of: &dyn Fn(&Run) -> f64| Curve {
        name: name.to_owned(),
        points: sorted.iter().map(|run| (run.report.counts.variables as f64, of(run))).collect(),
    };
    let curves = vec![
        curve("median", &|run| run.report.step_median_ms),
        curve("longest", &|run| run.report.step_max_ms),
        curve("paper's median", &|run| run.paper_ms[2]),
        curve("paper's longest", &|run| run.paper_ms[1]),
    ];
    let title = "Figure 9: time of a step over the size of the program".to_owned();
    let (x_label, y_label) = ("variables".to_owned(), "ms".to_owned());
    folder.chart("figure9", &Chart { title, x_label, y_label, y_is_log: true, curves, ..Chart::default() })
}

/// Time of each step, and where phases begin.
fn figure_10(folder: &mut Folder, run: &RunReport) -> anyhow::Result<()> {
    let steps = &run.per_step;
    let both = steps.assembly_ms.iter().zip(&steps.solve_ms).map(|(assembly, solve)| assembly + solve);
    let times: Vec<(f64, f64)> = steps.t.iter().copied().zip(both).collect();
    let mut marks = Vec::new();
    for (t, _) in &run.phases {
        marks.extend([(*t, 0.0), (*t, run.step_max_ms), (*t, 0.0)]);
    }
    let curves = vec![
        Curve { name: "step".to_owned(), points: times },
        Curve { name: "phases begin".to_owned(), points: marks },
    ];
    let title = format!("Figure 10: {}, time of each step", run.scenario);
    let (x_label, y_label) = ("s".to_owned(), "ms".to_owned());
    folder.chart(
        &format!("figure10-{}", run.scenario),
        &Chart { title, x_label, y_label, curves, ..Chart::default() },
    )
}

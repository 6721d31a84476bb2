//! Multi-character physical and behavioral interactions controller (2017): tables 1 and 2, figures 9 and 10.

use std::path::PathBuf;

use randori_scene::pictures::{Chart, Curve};
use randori_wholebody::report::{self, Counts, RunReport};
use randori_wholebody::scenario::{Options, Scenario};
use serde::Serialize;

use super::{Effort, Folder};
use crate::commands::body::processor_clock;
use crate::output::{Outcome, table};
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

#[derive(Serialize)]
struct Row {
    scenario: &'static str,
    paper: Counts,
    ours: Counts,
    same: bool,
    paper_ms: [f64; 4],
    ours_ms: [f64; 4],
    times_faster: f64,
}

#[derive(Serialize)]
struct BodiesReport {
    paper: &'static str,
    folder: PathBuf,
    files: Vec<String>,
    table1: Vec<Row>,
}

/// Runs the five scenarios of table 1.
pub(super) fn run(
    mut folder: Folder,
    effort: Effort,
    seed: u64,
    progress: &Progress,
) -> anyhow::Result<Outcome> {
    let job = progress.job("reproducing");
    let mut rows = Vec::new();
    let mut runs = Vec::new();
    for (k, (name, paper, paper_ms)) in PAPER.into_iter().enumerate() {
        job.step(k, PAPER.len());
        let mut scenario = Scenario::build(name, &Options { seed, ..Options::default() })?;
        let seconds = match effort {
            Effort::Quick => 3.0,
            Effort::Normal | Effort::Whole => scenario.seconds(),
        };
        let report = report::run(&mut scenario, seconds, &mut processor_clock(), None, &mut |_, _| ());
        let ours_ms = [report.step_min_ms, report.step_max_ms, report.step_median_ms, 1e3 * report.dt];
        rows.push(Row {
            scenario: name,
            paper,
            ours: report.counts,
            same: paper == report.counts,
            paper_ms,
            ours_ms,
            times_faster: paper_ms[2] / report.step_median_ms,
        });
        runs.push(report);
    }
    drop(job);
    folder.data("table1", &rows)?;
    figure_9(&mut folder, &rows)?;
    for run in &runs {
        figure_10(&mut folder, run)?;
    }
    let text = format!(
        "{}\n{}\n{}:\n  {}\n",
        table_1(&rows),
        table_2(&rows),
        folder.path.display(),
        folder.files.join("\n  ")
    );
    Outcome::new(&BodiesReport { paper: "002", folder: folder.path, files: folder.files, table1: rows }, text)
}

/// Counts and times beside the paper's.
fn table_1(rows: &[Row]) -> String {
    let mut header = vec![""];
    header.extend(rows.iter().flat_map(|row| [row.scenario, "paper"]));
    let count =
        |of: fn(&Counts) -> usize| move |row: &Row| [of(&row.ours).to_string(), of(&row.paper).to_string()];
    let time =
        |k: usize| move |row: &Row| [format!("{:.3}", row.ours_ms[k]), format!("{:.2}", row.paper_ms[k])];
    type Cells<'a> = Box<dyn Fn(&Row) -> [String; 2] + 'a>;
    let lines: [(&str, Cells<'_>); 13] = [
        ("subsystems", Box::new(count(|c| c.subsystems))),
        ("DOFs", Box::new(count(|c| c.dofs))),
        ("actuated", Box::new(count(|c| c.actuated))),
        ("planar points", Box::new(count(|c| c.planar_points))),
        ("grasp points", Box::new(count(|c| c.grasp_points))),
        ("pairs", Box::new(count(|c| c.pairs))),
        ("variables", Box::new(count(|c| c.variables))),
        ("equalities", Box::new(count(|c| c.equalities))),
        ("inequalities", Box::new(count(|c| c.inequalities))),
        ("min ms", Box::new(time(0))),
        ("max ms", Box::new(time(1))),
        ("median ms", Box::new(time(2))),
        ("time step ms", Box::new(time(3))),
    ];
    let body: Vec<Vec<String>> = (lines.iter())
        .map(|(name, cells)| std::iter::once((*name).to_owned()).chain(rows.iter().flat_map(cells)).collect())
        .collect();
    table(&header, &body)
}

/// The paper's comparison with earlier work, and this program.
fn table_2(rows: &[Row]) -> String {
    let over = |k: usize| {
        let low = rows.iter().map(|row| row.ours_ms[k]).fold(f64::INFINITY, f64::min);
        let high = rows.iter().map(|row| row.ours_ms[k]).fold(0.0, f64::max);
        (low, high)
    };
    let (dofs_low, dofs_high) = (
        rows.iter().map(|row| row.ours.dofs).min().unwrap_or(0),
        rows.iter().map(|row| row.ours.dofs).max().unwrap_or(0),
    );
    let ((fast, slow), (short, long)) = (over(2), over(3));
    let header = ["", "Abe 2007", "Jain 2009", "de Lasa 2010", "paper", "here"];
    let line = |cells: [&str; 5], here: String| -> Vec<String> {
        cells.iter().map(|cell| (*cell).to_owned()).chain([here]).collect()
    };
    let body = [
        line(["DOFs", "41", "37", "41", "38-114"], format!("{dofs_low}-{dofs_high}")),
        line(["solver", "MOSEK", "SNOPT", "MOSEK/QPC", "LSSOL"], "blocks".into()),
        line(["time step ms", "33", "10", "10", "5-33"], format!("{short:.0}-{long:.0}")),
        line(["solution ms", "13-19", "100-500", "10-20", "0.9-22"], format!("{fast:.2}-{slow:.2}")),
    ];
    table(&header, &body)
}

/// Median and longest step over the size of the program.
fn figure_9(folder: &mut Folder, rows: &[Row]) -> anyhow::Result<()> {
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by_key(|row| row.ours.variables);
    let curve = |name: &str, of: &dyn Fn(&Row) -> f64| Curve {
        name: name.to_owned(),
        points: sorted.iter().map(|row| (row.ours.variables as f64, of(row))).collect(),
    };
    let curves = vec![
        curve("median", &|row| row.ours_ms[2]),
        curve("longest", &|row| row.ours_ms[1]),
        curve("paper's median", &|row| row.paper_ms[2]),
        curve("paper's longest", &|row| row.paper_ms[1]),
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

//! Character animation in two-player adversarial games (2010): equation 1 and figures 2 to 6, data and pictures.

use std::path::PathBuf;

use randori_equilibrium::figures::{
    Figure3Point, Figure5Point, Figure6Point, equation_1, figure_2, figure_3, figure_4, figure_5_point,
    figure_6,
};
use randori_equilibrium::lspi::{Host, LspiSettings};
use randori_scene::pictures::{Chart, Curve};
use serde::Serialize;

use super::{Effort, Folder};
use crate::commands::game::clock;
use crate::output::Outcome;
use crate::progress::{Job, Progress};

#[derive(Serialize)]
struct ReproduceReport {
    paper: &'static str,
    folder: PathBuf,
    files: Vec<String>,
}

/// Makes its figures.
pub(super) fn run(
    mut folder: Folder,
    effort: Effort,
    seed: u64,
    progress: &Progress,
) -> anyhow::Result<Outcome> {
    let job = progress.job("reproducing");
    let settings = LspiSettings { seed, ..LspiSettings::default() };
    folder.data("equation1", &equation_1()?)?;
    folder.data("figure2", &figure_2()?)?;
    third(&mut folder, effort)?;
    fourth(&mut folder, effort)?;
    fifth(&mut folder, effort, &settings, &job)?;
    sixth(&mut folder, effort, &settings)?;
    drop(job);
    let text = format!("{}:\n  {}\n", folder.path.display(), folder.files.join("\n  "));
    Outcome::new(&ReproduceReport { paper: "001", folder: folder.path, files: folder.files }, text)
}

/// Whole matrix against rows and columns on demand, with entries that cost a microsecond each.
fn third(folder: &mut Folder, effort: Effort) -> anyhow::Result<()> {
    let games = if effort == Effort::Quick { 5 } else { 40 };
    let clock = clock();
    let dear = || {
        let start = clock();
        while clock() - start < 1e-6 {
            std::hint::spin_loop();
        }
    };
    let points = figure_3(&[5, 10, 20, 30, 50, 75, 100], games, &clock, &dear)?;
    let curve = |name: &str, seconds: fn(&Figure3Point) -> f64| Curve {
        name: name.to_owned(),
        points: points.iter().map(|point| (point.actions as f64, 1e3 * seconds(point))).collect(),
    };
    folder.data("figure3", &points)?;
    folder.chart(
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
fn fourth(folder: &mut Folder, effort: Effort) -> anyhow::Result<()> {
    let figure = figure_4(if effort == Effort::Quick { 12 } else { 24 })?;
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
            slices.map(|(velocity, curve)| over_angles(format!("at {velocity:.1} rad/s"), curve)).collect(),
        ),
    ];
    folder.data("figure4", &figure)?;
    for (name, title, curves) in pictures {
        let (title, x_label) = (title.to_owned(), "angle (rad)".to_owned());
        folder.chart(name, &Chart { title, x_label, curves, ..Chart::default() })?;
    }
    Ok(())
}

/// Bases per axis for two, four and six dimensions: with the full outer product, and nested.
fn sizes(effort: Effort) -> [(usize, &'static [usize], &'static [usize]); 3] {
    match effort {
        Effort::Quick => [(2, &[8], &[8]), (4, &[4], &[5]), (6, &[], &[])],
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

/// Time and memory of full and nested learning.
fn fifth(folder: &mut Folder, effort: Effort, settings: &LspiSettings, job: &Job) -> anyhow::Result<()> {
    let clock = clock();
    let host = Host { clock: &clock, ..Host::default() };
    let plan: Vec<(usize, usize, bool)> = (sizes(effort).into_iter())
        .flat_map(|(dimensions, full, nested)| {
            let full = full.iter().map(move |bases| (dimensions, *bases, false));
            full.chain(nested.iter().map(move |bases| (dimensions, *bases, true)))
        })
        .collect();
    let mut points: Vec<Figure5Point> = Vec::new();
    for (done, (dimensions, bases, nested)) in plan.iter().enumerate() {
        job.step(done, plan.len());
        points.push(figure_5_point(*dimensions, *bases, *nested, settings, host)?);
    }
    folder.data("figure5", &points)?;
    let curves = |of: fn(&Figure5Point) -> f64| -> Vec<Curve> {
        let kinds = [2, 4, 6].into_iter().flat_map(|dimensions| [(dimensions, false), (dimensions, true)]);
        kinds
            .map(|(dimensions, nested)| Curve {
                name: format!("{dimensions}-D {}", if nested { "nested" } else { "full" }),
                points: (points.iter())
                    .filter(|point| point.dimensions == dimensions && point.nested == nested)
                    .map(|point| (point.bases_per_axis as f64, of(point)))
                    .collect(),
            })
            .collect()
    };
    for (name, title, of) in [
        (
            "figure5-time",
            "Figure 5: seconds to learn",
            (|point| point.total_seconds) as fn(&Figure5Point) -> f64,
        ),
        ("figure5-memory", "Figure 5: numbers stored", |point| point.stored_numbers as f64),
    ] {
        let picture = Chart {
            title: title.to_owned(),
            x_label: "bases per axis".to_owned(),
            x_is_log: true,
            y_is_log: true,
            curves: curves(of),
            ..Chart::default()
        };
        folder.chart(name, &picture)?;
    }
    Ok(())
}

/// Accuracy: full bases converge, nested PCA levels off.
fn sixth(folder: &mut Folder, effort: Effort, settings: &LspiSettings) -> anyhow::Result<()> {
    let (full, nested, reference): (&[usize], &[usize], usize) = match effort {
        Effort::Quick => (&[8, 12], &[8, 12], 16),
        Effort::Normal => (&[6, 8, 12, 16, 24], &[6, 8, 12, 16, 24], 40),
        Effort::Whole => (&[6, 8, 12, 16, 24, 32, 48], &[6, 8, 12, 16, 24, 32, 48], 80),
    };
    let points = figure_6("pursuit-1d", full, nested, reference, settings)?;
    let curve = |name: &str, nested: bool| Curve {
        name: name.to_owned(),
        points: (points.iter().filter(|point: &&Figure6Point| point.nested == nested))
            .map(|point| (point.bases_per_axis as f64, point.mean_squared_error))
            .collect(),
    };
    folder.data("figure6", &points)?;
    folder.chart(
        "figure6",
        &Chart {
            title: "Figure 6: error of the value function".to_owned(),
            x_label: "bases per axis".to_owned(),
            y_label: "mean squared error".to_owned(),
            y_is_log: true,
            curves: vec![curve("full", false), curve("nested", true)],
            ..Chart::default()
        },
    )
}

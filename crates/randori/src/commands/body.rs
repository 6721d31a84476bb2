//! `randori body`: whole bodies in one quadratic program: scenarios, dynamics of models, problems, appendix B.

mod scenarios;
mod track;

pub(crate) use scenarios::processor_clock;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Subcommand, ValueEnum};
use randori_scene::files;
use randori_wholebody::appendix_b::{PushSettings, appendix_b};
use randori_wholebody::qp::file::{Family, Form};
use randori_wholebody::report::{QpReport, ReportError, dynamics_report, qp_report};
use serde::Serialize;

use super::game::clock;
use crate::output::{Outcome, table};
use crate::progress::Progress;
use crate::source::read_text;

/// Arguments of `randori body`.
#[derive(Debug, clap::Args)]
pub(crate) struct BodyArgs {
    #[command(subcommand)]
    command: BodyCommand,
}

#[derive(Debug, Subcommand)]
enum BodyCommand {
    /// Mass matrix, non-linear terms, Jacobians and centres of mass of a model in given states.
    Dynamics {
        /// The model, a URDF file.
        model: PathBuf,
        /// The states, a JSON file.
        #[arg(long, value_name = "FILE")]
        states: PathBuf,
    },
    /// Solve sequences of quadratic programs and measure how fast and how well.
    Qp {
        /// A folder of problem files, `SCENARIO.FORM.json` with `SCENARIO.FORM.bin`.
        folder: PathBuf,
        /// Only problems of this form.
        #[arg(long, value_enum)]
        form: Option<FormArg>,
    },
    /// Run a scenario: king, funambulist, sword, acrobats, door, valve, box, lever or walk.
    Run(scenarios::RunArgs),
    /// Perform a captured motion under physics.
    Track(track::TrackArgs),
    /// Write a scenario's own problems as files for other solvers.
    Dump(scenarios::DumpArgs),
    /// The four cases of appendix B: one object with limited thrust pushes another.
    AppendixB,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormArg {
    Notau,
    Wrench,
    Six,
    Table,
}

impl FormArg {
    fn form(self) -> Form {
        match self {
            FormArg::Notau => Form::Notau,
            FormArg::Wrench => Form::Wrench,
            FormArg::Six => Form::Six,
            FormArg::Table => Form::Table,
        }
    }
}

#[derive(Serialize)]
struct QpReports {
    families: Vec<QpReport>,
}

/// Runs one of the subcommands.
pub(crate) fn run(args: &BodyArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    match &args.command {
        BodyCommand::Dynamics { model, states } => dynamics(model, states),
        BodyCommand::Qp { folder, form } => qp(folder, *form, progress),
        BodyCommand::Run(args) => scenarios::run(args, seed, progress),
        BodyCommand::Track(args) => track::run(args, seed, progress),
        BodyCommand::Dump(args) => scenarios::dump(args, seed),
        BodyCommand::AppendixB => push(),
    }
}

fn dynamics(model: &Path, states: &Path) -> anyhow::Result<Outcome> {
    let report = dynamics_report(&read_text(model)?, &read_text(states)?).map_err(|error| {
        let faulty = if matches!(error, ReportError::Model(_)) { model } else { states };
        anyhow::Error::new(error).context(faulty.display().to_string())
    })?;
    let text = serde_json::to_string_pretty(&report)?;
    Outcome::new(&report, text)
}

fn qp(folder: &Path, form: Option<FormArg>, progress: &Progress) -> anyhow::Result<Outcome> {
    let pairs = problem_files(folder)?;
    let job = progress.job("solving");
    let clock = clock();
    let mut families = Vec::new();
    for (done, json) in pairs.iter().enumerate() {
        job.step(done, pairs.len());
        let bin = json.with_extension("bin");
        let names = (json.display().to_string(), bin.display().to_string());
        let family = Family::read(&names.0, &files::read(json)?, &names.1, &files::read(&bin)?)?;
        if form.is_none_or(|form| form.form() == family.form) {
            families.push(qp_report(&family, &mut || clock()));
        }
    }
    drop(job);
    if families.is_empty() {
        bail!("{}: no problems of this form", folder.display());
    }
    let header = ["", "form", "steps", "failures", "cold ms", "warm ms", "max ms", "kkt", "gap"];
    let rows: Vec<Vec<String>> = (families.iter())
        .map(|family| {
            vec![
                family.scenario.clone(),
                family.form.to_owned(),
                family.steps.to_string(),
                family.failures.to_string(),
                format!("{:.4}", family.cold_median_ms),
                format!("{:.4}", family.warm_median_ms),
                format!("{:.4}", family.warm_max_ms),
                format!("{:.1e}", family.kkt_max),
                format!("{:.1e}", family.objective_gap_max),
            ]
        })
        .collect();
    let text = table(&header, &rows);
    let solved = families.iter().all(|family| family.failures == 0);
    Ok(Outcome::new(&QpReports { families }, text)?.good_if(solved))
}

/// The JSON halves of all problem files in a folder, sorted by name.
fn problem_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| folder.display().to_string())?.path();
        if path.extension().is_some_and(|end| end == "json") && path.with_extension("bin").exists() {
            found.push(path);
        }
    }
    if found.is_empty() {
        bail!("{}: expected pairs of SCENARIO.FORM.json and SCENARIO.FORM.bin", folder.display());
    }
    found.sort();
    Ok(found)
}

fn push() -> anyhow::Result<Outcome> {
    let report = appendix_b(&PushSettings::default())?;
    let text = serde_json::to_string_pretty(&report)?;
    Outcome::new(&report, text)
}

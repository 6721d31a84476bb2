//! `randori reproduce`: what a paper shows, made again by one command.

mod adversarial;
mod bodies;
mod graph;
mod interactions;
mod patches;

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use randori_scene::files;
use randori_scene::pictures::{Chart, chart};
use serde::Serialize;

use crate::output::{Outcome, table};
use crate::progress::Progress;

/// Arguments of `randori reproduce`.
#[derive(Debug, clap::Args)]
pub(crate) struct ReproduceArgs {
    /// The paper.
    #[arg(value_enum)]
    paper: Paper,

    /// The folder to write into.
    #[arg(long, value_name = "DIR", default_value = "randori-reproduced")]
    out: PathBuf,

    /// How far to go: `quick` takes seconds, `normal` minutes, `whole` the paper's own sizes and hours.
    #[arg(long, value_enum, default_value_t = Effort::Normal)]
    effort: Effort,

    /// The same as `--effort quick`.
    #[arg(long, conflicts_with = "effort")]
    quick: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Paper {
    /// Simulating multiple character interactions with collaborative and adversarial goals (2012): tables II and V,
    /// levels, chases, distances, paths and costs, as rows beside the paper's numbers.
    #[value(name = "000")]
    Interactions,
    /// Character animation in two-player adversarial games (2010): equation 1, figures 2 to 6, and tag and sword.
    #[value(name = "001")]
    Adversarial,
    /// Multi-character physical and behavioral interactions controller (2017): tables 1 and 2, figures 9 and 10, beside
    /// the paper's numbers.
    #[value(name = "002")]
    Bodies,
    /// Interaction patches for multi-character animation (2008): frames per second, actions and patches of table 3, beside the
    /// paper's numbers.
    #[value(name = "003")]
    Patches,
    /// Simulating interactions of avatars in high dimensional state space (2008): states, edges, coverage, times and
    /// table 1, beside the paper's numbers.
    #[value(name = "004")]
    Graph,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Effort {
    Quick,
    Normal,
    Whole,
}

/// Makes what a paper shows.
pub(crate) fn run(args: &ReproduceArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    let folder = Folder { path: args.out.clone(), files: Vec::new() };
    let effort = if args.quick { Effort::Quick } else { args.effort };
    match args.paper {
        Paper::Interactions => interactions::run(folder, effort, seed, progress),
        Paper::Adversarial => adversarial::run(folder, effort, seed, progress),
        Paper::Bodies => bodies::run(folder, effort, seed, progress),
        Paper::Patches => patches::run(folder, effort, seed, progress),
        Paper::Graph => graph::run(folder, effort, seed, progress),
    }
}

/// Numbers beside a paper's.
#[derive(Serialize)]
struct Rows {
    rows: Vec<Row>,
}

/// One number beside the paper's.
#[derive(Serialize)]
struct Row {
    what: String,
    /// What the paper gives; nothing where it has only words.
    paper: Option<f64>,
    /// What was found.
    ours: f64,
    unit: &'static str,
    /// Whether it is as it should be.
    holds: bool,
}

impl Rows {
    /// Keeps the numbers, and tells them.
    fn told(self, mut folder: Folder, name: &str) -> anyhow::Result<Outcome> {
        folder.data(name, &self)?;
        let number = |value: f64| match value.abs() {
            // Errors and probabilities, small times: two decimals would make nothing of them.
            small if small > 0.0 && small < 0.001 => format!("{value:.2e}"),
            small if small > 0.0 && small < 0.1 => format!("{value:.4}"),
            _ => format!("{value:.2}"),
        };
        let cells = |row: &Row| {
            let paper = row.paper.map_or_else(|| "–".to_owned(), number);
            let holds = if row.holds { "holds" } else { "DOES NOT HOLD" };
            vec![row.what.clone(), paper, number(row.ours), row.unit.to_owned(), holds.to_owned()]
        };
        let lines: Vec<Vec<String>> = self.rows.iter().map(cells).collect();
        let files: Vec<String> =
            folder.files.iter().map(|name| folder.path.join(name).display().to_string()).collect();
        let text =
            format!("{}\n{}\n", table(&["what", "paper", "ours", "unit", ""], &lines), files.join("\n"));
        Outcome::new(&self, text)
    }
}

/// Where data and pictures go.
struct Folder {
    path: PathBuf,
    files: Vec<String>,
}

impl Folder {
    fn data(&mut self, name: &str, data: &impl Serialize) -> anyhow::Result<()> {
        self.write(format!("{name}.json"), &serde_json::to_vec_pretty(data)?)
    }

    fn chart(&mut self, name: &str, picture: &Chart) -> anyhow::Result<()> {
        self.write(format!("{name}.png"), &chart(picture)?)
    }

    fn write(&mut self, name: String, bytes: &[u8]) -> anyhow::Result<()> {
        files::write_atomically(&self.path.join(Path::new(&name)), bytes)?;
        self.files.push(name);
        Ok(())
    }
}

//! `randori library`: motion cut into actions, with the graph of what may follow what.

mod build;
mod export;
mod import;
mod label;
mod score;
mod sheet;
mod stats;

use anyhow::{Context, bail};
use clap::{Subcommand, ValueEnum};
use randori::libraries::{self, nearest_first};
use randori_motion::analyse::{Discipline, Settings};
use randori_motion::library::{ActionId, ActionLibrary};

pub(crate) use export::alone;

use crate::output::Outcome;
use crate::progress::Progress;

/// Arguments of `randori library`.
#[derive(Debug, clap::Args)]
pub(crate) struct LibraryArgs {
    #[command(subcommand)]
    command: LibraryCommand,
}

#[derive(Debug, Subcommand)]
enum LibraryCommand {
    /// Perform and analyse a built-in library, and write it to a file.
    Build(build::BuildArgs),
    /// Cut captures into actions and make a library of them.
    Import(import::ImportLibraryArgs),
    /// A library in figures.
    Stats(stats::StatsArgs),
    /// How well the analyser finds what was meant: against the performer's script, or against labels.
    Score(score::ScoreArgs),
    /// An action, a take or a random walk over the graph, as GLB or BVH.
    Export(export::ExportArgs),
    /// A picture of what the library holds: a row for an action of each annotation.
    Sheet(sheet::SheetArgs),
    /// Write the segments and names that the analyser finds, for a person to correct.
    Label(label::LabelArgs),
}

/// Runs one of the subcommands.
pub(crate) fn run(args: &LibraryArgs, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    match &args.command {
        LibraryCommand::Build(args) => build::run(args, seed),
        LibraryCommand::Import(args) => import::run(args, progress),
        LibraryCommand::Stats(args) => stats::run(args),
        LibraryCommand::Score(args) => score::run(args, seed),
        LibraryCommand::Export(args) => export::run(args, seed),
        LibraryCommand::Sheet(args) => sheet::run(args, progress),
        LibraryCommand::Label(args) => label::run(args),
    }
}

/// What kind of motion a capture shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DisciplineArg {
    /// Blows, kicks, defences, steps.
    Boxing,
    /// Walking, running, dodging, catching.
    Running,
    /// Cuts, blocks and steps with a sword in the right hand.
    Sword,
    /// Being struck, staggering, falling, getting up.
    Reactions,
    /// Lifting, carrying, handing over, putting down.
    Carrying,
    /// Standing in a crowd, being pushed, stepping aside, falling.
    Crowd,
    /// Running with a ball, dodging, tackling and being tackled.
    Football,
    /// Anything.
    General,
}

impl DisciplineArg {
    fn discipline(self) -> Discipline {
        match self {
            DisciplineArg::Boxing => Discipline::Boxing,
            DisciplineArg::Running => Discipline::Running,
            DisciplineArg::Sword => Discipline::Sword,
            DisciplineArg::Reactions => Discipline::Reactions,
            DisciplineArg::Carrying => Discipline::Carrying,
            DisciplineArg::Crowd => Discipline::Crowd,
            DisciplineArg::Football => Discipline::Football,
            DisciplineArg::General => Discipline::General,
        }
    }

    /// How the analyser reads such a capture: whoever does sword work has our sword in the right hand.
    fn settings(self) -> Settings {
        let weapon = (self == DisciplineArg::Sword).then_some(randori_actor::sword::BLADE);
        Settings { weapon, ..Settings::of(self.discipline()) }
    }

    fn name(self) -> &'static str {
        match self {
            DisciplineArg::Boxing => "boxing",
            DisciplineArg::Running => "run",
            DisciplineArg::Sword => "sword",
            DisciplineArg::Reactions => "reactions",
            DisciplineArg::Carrying => "carry",
            DisciplineArg::Crowd => "crowd",
            DisciplineArg::Football => "football",
            DisciplineArg::General => "general",
        }
    }
}

/// A library by `builtin:NAME` or file, with an error that says what to do.
pub(crate) fn open(name: &str) -> anyhow::Result<ActionLibrary> {
    libraries::open(name).with_context(|| "expected a library file or builtin:NAME")
}

/// An action of a library by its name.
pub(crate) fn find_action(library: &ActionLibrary, name: &str) -> anyhow::Result<ActionId> {
    if let Some(id) = library.find(name) {
        return Ok(id);
    }
    let names = library.actions().iter().map(|action| action.name.clone()).collect();
    let near: Vec<String> = nearest_first(name, names).into_iter().take(5).collect();
    if near.is_empty() {
        bail!("no action \"{name}\": library {} is empty", library.name);
    }
    bail!("no action \"{name}\" in library {}; near are {}", library.name, near.join(", "))
}

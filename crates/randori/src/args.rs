//! What the command understands.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::commands::body::BodyArgs;
use crate::commands::capture::CaptureArgs;
use crate::commands::check::CheckArgs;
use crate::commands::demo::DemoArgs;
use crate::commands::game::GameArgs;
use crate::commands::graph::GraphArgs;
use crate::commands::library::LibraryArgs;
use crate::commands::match_::MatchArgs;
use crate::commands::patches::PatchesArgs;
use crate::commands::render::RenderArgs;
use crate::commands::reproduce::ReproduceArgs;
use crate::commands::rivals::RivalsArgs;
use crate::commands::run::RunArgs;
use crate::commands::studio::StudioArgs;
use crate::progress::{Progress, ProgressMode};

/// Scenes of many people from the motion of one.
#[derive(Debug, Parser)]
#[command(name = "randori", version, about, propagate_version = true)]
#[command(
    after_help = "Exit codes: 0 done and good, 1 done but `check` found faults or some files of several failed, 2 an error."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    /// How to show progress; `auto` draws bars on stderr when it is a terminal.
    #[arg(long, global = true, value_enum, default_value_t = ProgressArg::Auto, help_heading = "Global options")]
    progress: ProgressArg,

    /// Seed of everything random; by default 1, or what a scene file says.
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) seed: Option<u64>,

    /// Threads to use; all cores by default. The results are the same for any number.
    #[arg(long, global = true, value_name = "N", help_heading = "Global options")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
}

/// Where results go.
#[derive(Debug, clap::Args)]
pub(crate) struct OutputArgs {
    /// Print results as JSON to stdout.
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,

    /// Write the same JSON to a file.
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    pub(crate) report: Option<PathBuf>,

    /// Print nothing but errors (and JSON, if asked for).
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub(crate) quiet: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ProgressArg {
    /// Bars when stderr is a terminal, nothing otherwise.
    Auto,
    /// Bars.
    Tty,
    /// One JSON object per line on stderr.
    Ndjson,
    /// Nothing.
    None,
}

impl Args {
    pub(crate) fn progress(&self) -> Progress {
        use std::io::IsTerminal;
        Progress::new(match self.progress {
            ProgressArg::Ndjson => ProgressMode::Ndjson,
            ProgressArg::Tty => ProgressMode::Bars,
            ProgressArg::Auto if std::io::stderr().is_terminal() && !self.output.quiet => ProgressMode::Bars,
            ProgressArg::Auto | ProgressArg::None => ProgressMode::Silent,
        })
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show what Randori can do: a scene with pictures, from nothing but this program.
    Demo(DemoArgs),
    /// Look into captured motion, or turn it into something else.
    Capture(CaptureArgs),
    /// Motion cut into actions, with the graph of what may follow what.
    Library(LibraryArgs),
    /// What two people get into with each other, made ahead of time and looked up in no time.
    Graph(GraphArgs),
    /// Short interactions of two, made ahead of time for scenes of many.
    Patches(PatchesArgs),
    /// Play a scene file: people who compete, along paths and a story.
    Run(RunArgs),
    /// See scenes in the browser, direct them, have them explained, and play against them.
    Studio(StudioArgs),
    /// Let two controllers compete, round after round, and tell who is better.
    Match(MatchArgs),
    /// Two people who act at once and are unpredictable on purpose: tag and sword, learned and played.
    Rivals(RivalsArgs),
    /// Draw a scene or a capture: a still, a contact sheet or an animation.
    Render(RenderArgs),
    /// Look for faults in anybody's GLB: sliding feet, pops, bodies inside each other.
    Check(CheckArgs),
    /// Whole bodies: dynamics of models, quadratic programs of many bodies in contact.
    Body(BodyArgs),
    /// Zero-sum games: solve a matrix, solve a Markov game, learn one with continuous states.
    Game(GameArgs),
    /// Make the figures of a paper again, data and pictures.
    Reproduce(ReproduceArgs),
    /// Print a completion script for your shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write the pages of all commands into a folder.
    Man {
        /// The folder.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

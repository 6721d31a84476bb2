//! `randori capture`: look into captured motion, or turn it into something else.

mod convert;
mod fk;
mod info;

use clap::Subcommand;

use crate::output::Outcome;
use crate::progress::Progress;

/// Arguments of `randori capture`.
#[derive(Debug, clap::Args)]
pub(crate) struct CaptureArgs {
    #[command(subcommand)]
    command: CaptureCommand,
}

#[derive(Debug, Subcommand)]
enum CaptureCommand {
    /// What a file holds and how it would be read.
    Info(info::InfoArgs),
    /// Where joints are in some frames (forward kinematics).
    Fk(fk::FkArgs),
    /// Captures to GLB or BVH, on their own skeleton or another.
    Convert(convert::ConvertArgs),
}

/// Runs one of the subcommands.
pub(crate) fn run(args: &CaptureArgs, progress: &Progress) -> anyhow::Result<Outcome> {
    match &args.command {
        CaptureCommand::Info(args) => info::run(args),
        CaptureCommand::Fk(args) => fk::run(args),
        CaptureCommand::Convert(args) => convert::run(args, progress),
    }
}

//! The `randori` command: arguments in, library calls, words or JSON out.

mod args;
mod commands;
mod output;
mod progress;
mod source;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::output::{Outcome, complain};

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args).and_then(|outcome| outcome.deliver(&args.output)) {
        Ok(code) => code,
        Err(error) => {
            complain(&error);
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> anyhow::Result<Outcome> {
    if let Some(jobs) = args.jobs {
        rayon::ThreadPoolBuilder::new().num_threads(jobs.get()).build_global()?;
    }
    let progress = args.progress();
    match &args.command {
        Command::Demo(demo) => commands::demo::run(demo, args.seed, &progress),
        Command::Capture(capture) => commands::capture::run(capture, &progress),
        Command::Render(render) => commands::render::run(render, &progress),
        Command::Check(check) => commands::check::run(check, &progress),
        Command::Game(game) => commands::game::run(game, args.seed, &progress),
        Command::Reproduce(reproduce) => commands::reproduce::run(reproduce, args.seed, &progress),
        Command::Completions { shell } => commands::shell::completions(*shell),
        Command::Man { out } => commands::shell::man(out.as_deref()),
    }
}

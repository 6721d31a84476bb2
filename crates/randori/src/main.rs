//! The `randori` command: arguments in, library calls, words or JSON out.

mod args;
mod commands;
mod output;
mod progress;
mod source;
mod supplies;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::output::{Outcome, complain};
use crate::progress::Progress;

fn main() -> ExitCode {
    let args = Args::parse();
    let progress = args.progress();
    match run(&args, &progress).and_then(|outcome| outcome.deliver(&args.output, &progress)) {
        Ok(code) => code,
        Err(error) => {
            complain(&error, &args.output, &progress);
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args, progress: &Progress) -> anyhow::Result<Outcome> {
    if let Some(jobs) = args.jobs {
        rayon::ThreadPoolBuilder::new().num_threads(jobs.into()).build_global()?;
    }
    let seed = args.seed.unwrap_or(1);
    match &args.command {
        Command::Demo(demo) => commands::demo::run(demo, seed, progress),
        Command::Capture(capture) => commands::capture::run(capture, progress),
        Command::Library(library) => commands::library::run(library, seed, progress),
        Command::Graph(graph) => commands::graph::run(graph, seed, progress),
        Command::Patches(patches) => commands::patches::run(patches, seed, progress),
        Command::Run(scene) => commands::run::run(scene, args.seed, progress),
        Command::Studio(studio) => commands::studio::run(studio, progress),
        Command::Match(contest) => commands::match_::run(contest, seed, progress),
        Command::Rivals(rivals) => commands::rivals::run(rivals, seed, progress),
        Command::Render(render) => commands::render::run(render, progress),
        Command::Check(check) => commands::check::run(check, progress),
        Command::Body(body) => commands::body::run(body, seed, progress),
        Command::Game(game) => commands::game::run(game, seed, progress),
        Command::Reproduce(reproduce) => commands::reproduce::run(reproduce, seed, progress),
        Command::Completions { shell } => commands::shell::completions(*shell),
        Command::Man { out } => commands::shell::man(out.as_deref()),
    }
}

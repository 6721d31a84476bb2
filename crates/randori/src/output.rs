//! Words for people, JSON for programs, and errors for both.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use randori_motion::formats::{ImportError, Place};
use randori_scene::files;
use serde::Serialize;

use crate::args::OutputArgs;
use crate::progress::Progress;

/// The result of a command.
pub(crate) struct Outcome {
    json: serde_json::Value,
    text: String,
    /// Warnings and failures of parts, told on stderr whatever else is asked for.
    notes: Vec<String>,
    /// False when the job was done and the answer is bad news.
    good: bool,
}

impl Outcome {
    /// A result that is told as `text` to people and as `report` to programs.
    pub(crate) fn new(report: &impl Serialize, text: impl Into<String>) -> anyhow::Result<Outcome> {
        Ok(Outcome { json: serde_json::to_value(report)?, text: text.into(), notes: Vec::new(), good: true })
    }

    /// The same result, with exit code 1 unless `good`.
    pub(crate) fn good_if(self, good: bool) -> Outcome {
        Outcome { good, ..self }
    }

    /// The same result, with things to tell on stderr.
    pub(crate) fn with_notes(self, notes: Vec<String>) -> Outcome {
        Outcome { notes, ..self }
    }

    /// Prints and writes what was asked for.
    pub(crate) fn deliver(self, args: &OutputArgs, progress: &Progress) -> anyhow::Result<ExitCode> {
        if let Some(path) = &args.report {
            let mut bytes = serde_json::to_vec_pretty(&self.json)?;
            bytes.push(b'\n');
            files::write_atomically(path, &bytes)?;
        }
        for note in &self.notes {
            progress.note(note);
        }
        let said = match (args.json, args.quiet) {
            (true, _) => print_line(&serde_json::to_string(&self.json)?),
            (false, true) => Ok(()),
            (false, false) => print_line(self.text.trim_end()),
        };
        match said {
            // Whoever reads may stop early: `randori … | head`.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            other => other?,
        }
        Ok(if self.good { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

fn print_line(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.write_all(b"\n")?;
    stdout.flush()
}

/// An import error with the file it is about.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {error}")]
pub(crate) struct FileProblem {
    file: String,
    error: ImportError,
}

impl FileProblem {
    pub(crate) fn new(path: &Path, error: ImportError) -> FileProblem {
        FileProblem { file: path.display().to_string(), error }
    }
}

/// Tells an error to stderr, and to stdout as JSON where programs listen.
pub(crate) fn complain(error: &anyhow::Error, args: &OutputArgs, progress: &Progress) {
    progress.note(&format!("error: {}", describe_error(error)));
    if args.json {
        // If nobody listens any more, the exit code still tells.
        print_line(&serde_json::json!({ "error": format!("{error:#}") }).to_string()).ok();
    }
}

/// An error in words, with the offending line of a text file underneath.
pub(crate) fn describe_error(error: &anyhow::Error) -> String {
    let mut text = format!("{error:#}");
    let problem = error.chain().find_map(|cause| cause.downcast_ref::<FileProblem>());
    if let Some(FileProblem { error: ImportError { place, excerpt: Some(excerpt), .. }, .. }) = problem
        && let Place::Line { line, column } = place
    {
        text += &format!("\n{line:>6} | {excerpt}");
        if *column <= excerpt.chars().count() + 1 {
            text += &format!("\n{:>6} | {:>column$}", "", "^");
        }
    }
    text
}

/// A table for people: columns as wide as they need, the first to the left, the others to the right.
pub(crate) fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([header[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let mut text = String::new();
        for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            text += &if column == 0 { format!("{cell:<width$}") } else { format!("  {cell:>width$}") };
        }
        text.trim_end().to_owned() + "\n"
    };
    let mut text = line(header.to_vec());
    for row in rows {
        text += &line(row.iter().map(String::as_str).collect());
    }
    text
}

//! `randori completions` and `randori man`: what a shell and a packager want.

use std::path::Path;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Args;
use crate::output::Outcome;

/// Prints a completion script.
pub(crate) fn completions(shell: Shell) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "randori", &mut script);
    let script = String::from_utf8(script)?;
    Outcome::new(&serde_json::json!({ "shell": shell.to_string(), "script": script }), script)
}

/// Prints the manual page, or writes all of them into a folder.
pub(crate) fn man(folder: Option<&Path>) -> anyhow::Result<Outcome> {
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        clap_mangen::generate_to(Args::command(), folder).with_context(|| folder.display().to_string())?;
        let text = format!("manual pages are in {}", folder.display());
        return Outcome::new(&serde_json::json!({ "folder": folder }), text);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(Args::command()).render(&mut page)?;
    let page = String::from_utf8(page)?;
    Outcome::new(&serde_json::json!({ "page": page }), page)
}

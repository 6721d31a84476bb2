//! Character animation in two-player adversarial games (2010): what it shows, made again, as rows beside its numbers.

mod figures;
mod rivals;

use super::{Effort, Folder, Row, Rows};
use crate::output::Outcome;
use crate::progress::Progress;

/// Makes its figures and counts.
pub(super) fn run(
    mut folder: Folder,
    effort: Effort,
    seed: u64,
    progress: &Progress,
) -> anyhow::Result<Outcome> {
    let mut rows = Vec::new();
    figures::make(&mut folder, &mut rows, effort, seed, progress)?;
    rivals::make(&mut folder, &mut rows, effort, seed, progress)?;
    Rows { rows }.told(folder, "001")
}

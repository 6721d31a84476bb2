//! `randori library stats`: a library in figures.

use randori_motion::library::Stats;

use crate::output::{Outcome, table};

/// Arguments of `randori library stats`.
#[derive(Debug, clap::Args)]
pub(super) struct StatsArgs {
    /// A library file, or builtin:NAME.
    library: String,
}

pub(super) fn run(args: &StatsArgs) -> anyhow::Result<Outcome> {
    let library = super::open(&args.library)?;
    let stats = Stats::of(&library);
    let rows: Vec<Vec<String>> =
        stats.annotations.iter().map(|(name, count)| vec![name.clone(), count.to_string()]).collect();
    let text = format!(
        "{}: {} actions from {:.1} s, {} postures, {} pairs that may follow each other\n\
         {:.1} may follow each on average; {:.0} % can be left and come back to; \
         seams slide {:.1} cm (95th percentile)\n\n{}",
        library.name,
        stats.actions,
        stats.seconds,
        stats.nodes,
        stats.edges,
        stats.mean_choices,
        100.0 * stats.strongly_connected,
        stats.seam_slide_cm_p95,
        table(&["annotation", "actions"], &rows),
    );
    Outcome::new(&stats, text)
}

//! `randori library stats`: a library in figures.

use randori::libraries::Recipe;
use randori_motion::library::Stats;
use randori_motion::parametric::{GraphStats, LookAhead, NodeStats};
use serde::Serialize;

use crate::output::{Outcome, table};

/// Arguments of `randori library stats`.
#[derive(Debug, clap::Args)]
pub(super) struct StatsArgs {
    /// A library file, or builtin:NAME.
    library: String,
}

/// Figures of the library, and of the parametric motion graphs that come with it.
#[derive(Serialize)]
struct AllStats {
    #[serde(flatten)]
    library: Stats,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pmg: Vec<GraphStats>,
}

pub(super) fn run(args: &StatsArgs) -> anyhow::Result<Outcome> {
    let library = super::open(&args.library)?;
    let stats = Stats::of(&library);
    let graphs = match Recipe::of(&library) {
        Some(recipe) => recipe.builtin.graphs(library.build())?,
        None => Vec::new(),
    };
    let pmg: Vec<GraphStats> =
        graphs.iter().map(|graph| GraphStats::of(graph, &LookAhead::default())).collect();
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
    let text = pmg.iter().fold(text, |text, graph| text + &graph_text(graph));
    Outcome::new(&AllStats { library: stats, pmg }, text)
}

fn graph_text(graph: &GraphStats) -> String {
    let row = |node: &NodeStats| {
        vec![
            node.name.clone(),
            node.measure.to_owned(),
            format!("{:.2} to {:.2}", node.range[0], node.range[1]),
            node.samples.to_string(),
            format!("{:.2}", node.seconds),
            node.edges.to_string(),
            format!("{:.1}", node.mean_actions),
            format!("{} to {}", node.least_actions, node.most_actions),
        ]
    };
    let rows: Vec<Vec<String>> = graph.by_node.iter().map(row).collect();
    format!(
        "\nparametric motion graph {}: {} nodes, {} edges, {} samples of {:.1} s; {:.1} actions within {} s on average, \
         {} to {}\n\n{}",
        graph.name,
        graph.nodes,
        graph.edges,
        graph.samples,
        graph.seconds,
        graph.mean_actions,
        graph.look_ahead,
        graph.least_actions,
        graph.most_actions,
        table(&["node", "parameter", "range", "samples", "seconds", "edges", "actions", "from"], &rows),
    )
}

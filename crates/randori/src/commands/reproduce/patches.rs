//! Interaction patches (2008): the sizes of table 3, and ours.

use std::sync::Arc;

use randori::libraries;
use randori::patterns::BUILTIN;
use randori_arena::bodies::Bodies;
use randori_patches::pattern::PatternFile;
use serde::Serialize;

use super::{Effort, Folder};
use crate::commands::game::clock;
use crate::commands::patches::with_progress;
use crate::output::{Outcome, table};
use crate::progress::Progress;

#[derive(Serialize)]
struct Report {
    rows: Vec<Row>,
}

/// One number beside the paper's; patterns of their own have none there.
#[derive(Serialize)]
struct Row {
    what: String,
    paper: Option<f64>,
    ours: f64,
    unit: &'static str,
}

/// The paper's actions and patches of each scene, in the order of [`BUILTIN`].
const TABLE_3: [[f64; 2]; 6] =
    [[162.0, 157.0], [162.0, 279.0], [217.0, 21.0], [65.0, 3716.0], [39.0, 4091.0], [108.0, 72.0]];

/// Makes the patches of all scenes.
pub(super) fn run(
    mut folder: Folder,
    effort: Effort,
    seed: u64,
    progress: &Progress,
) -> anyhow::Result<Outcome> {
    let mut rows = Vec::new();
    for ((name, text), [actions, patches]) in BUILTIN.into_iter().zip(TABLE_3) {
        let mut file = PatternFile::read(text)?;
        if effort == Effort::Quick {
            for pattern in &mut file.patterns {
                pattern.sampling.samples = pattern.sampling.samples.div_ceil(8);
                pattern.sampling.most = pattern.sampling.most.div_ceil(8);
            }
        }
        let bodies = Arc::new(Bodies::of(Arc::new(libraries::open(&file.library)?)));
        let since = clock();
        let (set, made) = with_progress(&bodies, &file, seed, progress)?;
        let seconds = since();
        let mut row = |what: String, paper: Option<f64>, ours: f64, unit| {
            rows.push(Row { what: format!("{name}: {what}"), paper, ours, unit });
        };
        row("actions of the library".to_owned(), Some(actions), bodies.library().actions().len() as f64, "-");
        row("patches".to_owned(), Some(patches), set.len() as f64, "-");
        for made in &made {
            row(format!("patches of {{{}}}", made.pattern), None, made.kept as f64, "-");
        }
        row("time to build, tables included".to_owned(), None, seconds, "s");
    }
    let report = Report { rows };
    folder.data("003", &report)?;
    let cells = |row: &Row| {
        let paper = row.paper.map_or_else(|| "–".to_owned(), |paper| format!("{paper:.0}"));
        vec![row.what.clone(), paper, format!("{:.0}", row.ours), row.unit.to_owned()]
    };
    let lines: Vec<Vec<String>> = report.rows.iter().map(cells).collect();
    let text = format!("{}{}\n", table(&["", "paper", "ours", "unit"], &lines), folder.files.join("\n"));
    Outcome::new(&report, text)
}

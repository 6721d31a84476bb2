//! `randori library export`: what a library holds, in files that other programs read.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::bail;
use clap::ValueEnum;
use randori_motion::formats::bvh::{self, WriteOptions};
use randori_motion::library::{ActionLibrary, play, walk};
use randori_motion::take::Color;
use randori_motion::{Character, Clip, Placement, Take};
use randori_scene::{export, files};
use serde::Serialize;

use crate::output::Outcome;

/// Arguments of `randori library export`.
#[derive(Debug, clap::Args)]
pub(super) struct ExportArgs {
    /// A library file, or builtin:NAME.
    library: String,

    /// The file to write: .glb, .usda or .bvh.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    #[command(flatten)]
    what: What,

    /// Names and units of the joints in a BVH file.
    #[arg(long, value_enum, default_value_t = Convention::Vrm)]
    convention: Convention,
}

#[derive(Debug, Clone, clap::Args)]
#[group(required = true, multiple = false)]
struct What {
    /// One action.
    #[arg(long, value_name = "NAME")]
    action: Option<String>,

    /// A random walk over the graph, in seconds; --seed decides which.
    #[arg(long, value_name = "SECONDS")]
    walk: Option<f64>,

    /// A whole take as it was performed or captured, from 0.
    #[arg(long, value_name = "N")]
    take: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Convention {
    /// VRM's names, metres.
    Vrm,
    /// The names, the unit and the first row of Carnegie Mellon's files.
    Cmu,
}

#[derive(Serialize)]
struct ExportReport {
    file: PathBuf,
    seconds: f64,
    /// The actions in it, in order.
    actions: Vec<String>,
}

/// Nobody waits for a longer walk.
const LONGEST_WALK: f64 = 3600.0;

pub(super) fn run(args: &ExportArgs, seed: u64) -> anyhow::Result<Outcome> {
    let library = super::open(&args.library)?;
    let (clip, actions) = args.what.clip(&library, seed)?;
    let end = args.out.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    let bytes = match end.as_deref() {
        Some("glb") => export::glb(&alone(&library, clip.clone(), seed), &export::GlbOptions::default())?,
        Some("usda") => export::usd(&alone(&library, clip.clone(), seed))?.into_bytes(),
        Some("bvh") => match args.convention {
            Convention::Vrm => bvh::write(&clip, &WriteOptions::default())?.into_bytes(),
            Convention::Cmu => bvh::write_as_cmu(&clip)?.into_bytes(),
        },
        _ => bail!("{}: expected a name that ends in .glb, .usda or .bvh", args.out.display()),
    };
    files::write_atomically(&args.out, &bytes)?;
    let report = ExportReport { file: args.out.clone(), seconds: clip.duration(), actions };
    let text = format!("{} ({:.1} s, {} actions)", args.out.display(), report.seconds, report.actions.len());
    Outcome::new(&report, text)
}

impl What {
    fn clip(&self, library: &ActionLibrary, seed: u64) -> anyhow::Result<(Clip, Vec<String>)> {
        if let Some(number) = self.take {
            let Some(take) = library.takes().get(number) else {
                bail!("no take {number}: library {} has {}, from 0", library.name, library.takes().len());
            };
            return Ok((take.clip.clone(), Vec::new()));
        }
        let path = match (&self.action, self.walk) {
            (Some(name), _) => vec![super::find_action(library, name)?],
            (None, Some(seconds)) if seconds > 0.0 && seconds <= LONGEST_WALK => walk(library, seconds, seed),
            (None, seconds) => {
                bail!(
                    "--walk {}: expected above 0 and at most {LONGEST_WALK} seconds",
                    seconds.unwrap_or(0.0)
                )
            }
        };
        if path.is_empty() {
            bail!("library {} is empty", library.name);
        }
        let names = path.iter().map(|id| library.action(*id).name.clone()).collect();
        Ok((play(library, Placement::default(), &path)?, names))
    }
}

const COLOR: Color = [0.10, 0.30, 0.72];

/// A take of one person.
pub(crate) fn alone(library: &ActionLibrary, clip: Clip, seed: u64) -> Take {
    let mut take = Take::new(&clip.name, seed);
    let body = Arc::clone(library.body());
    take.characters.push(Character { name: "blue".to_owned(), color: COLOR, body, enter: 0.0, clip });
    take
}

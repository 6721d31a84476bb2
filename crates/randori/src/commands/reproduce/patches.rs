//! Interaction patches (2008): table 3, and ours.

use std::sync::Arc;

use randori::patterns::BUILTIN;
use randori::{libraries, patch_scenes};
use randori_arena::bodies::Bodies;
use randori_patches::pattern::PatternFile;
use randori_scene::director::Composition;

use super::{Effort, Folder, Row, Rows};
use crate::commands::game::clock;
use crate::commands::patches::with_progress;
use crate::output::Outcome;
use crate::progress::Progress;

/// The longest that making one set of patches with its tables may take (s).
const BUILD: f64 = 60.0;

/// How many times as fast as the paper's scenes are put together.
const FASTER: f64 = 10.0;

/// The paper's actions, patches and frames per second of each scene, in the order of [`BUILTIN`].
const TABLE_3: [[f64; 3]; 6] = [
    [162.0, 157.0, 87.0],
    [162.0, 279.0, 104.0],
    [217.0, 21.0, 194.0],
    [65.0, 3716.0, 78.0],
    [39.0, 4091.0, 72.0],
    [108.0, 72.0, 162.0],
];

/// Makes the patches of all scenes, and puts the scenes together.
pub(super) fn run(folder: Folder, effort: Effort, seed: u64, progress: &Progress) -> anyhow::Result<Outcome> {
    let mut rows = Vec::new();
    for ((name, text), [actions, patches, fps]) in BUILTIN.into_iter().zip(TABLE_3) {
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
        let mut row = |what: String, paper: Option<f64>, ours: f64, unit, holds| {
            rows.push(Row { what: format!("{name}: {what}"), paper, ours, unit, holds });
        };
        let n_actions = bodies.library().actions().len() as f64;
        row("actions of the library".to_owned(), Some(actions), n_actions, "-", n_actions >= actions);
        let n_patches = set.len() as f64;
        row("patches".to_owned(), Some(patches), n_patches, "-", n_patches >= patches);
        for made in &made {
            row(format!("patches of {{{}}}", made.pattern), None, made.kept as f64, "-", made.kept > 0);
        }
        row("time to build, tables included".to_owned(), None, seconds, "s", seconds <= BUILD);
        if effort == Effort::Quick {
            continue;
        }
        let (scene, libraries) = patch_scenes::open(name)?;
        let since = clock();
        let composed = Composition::of(&scene, &libraries)?;
        let frames = 60.0 * scene.seconds / since();
        row("frames per second, composed".to_owned(), Some(fps), frames, "1/s", frames >= FASTER * fps);
        let n_uses = composed.map_or(0, |it| it.composer().uses.len());
        row("uses of patches in the scene".to_owned(), None, n_uses as f64, "-", n_uses > 0);
    }
    Rows { rows }.told(folder, "003")
}

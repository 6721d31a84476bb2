//! Interaction patches (2008): table 3, and ours; and figure 12 of \[Shum2012\], on how patches follow a path.

use std::sync::Arc;

use randori::patterns::BUILTIN;
use randori::{libraries, patch_scenes, patch_sets};
use randori_arena::bodies::{Bodies, TICKS_PER_SECOND};
use randori_gametree::{Opponent, Rule};
use randori_motion::Ground;
use randori_patches::Patches;
use randori_patches::composing::Composer;
use randori_patches::composing::duel::{self, Duel};
use randori_patches::pattern::PatternFile;
use randori_scene::check::{Footage, Limits, check};
use randori_scene::contest::path::keep;
use randori_scene::contest::series::round_seed;
use randori_scene::director::{Composition, Libraries};
use randori_scene::screenplay::{Controller, Screenplay, placements};

use super::interactions::paths::{PAIR, PATH_WEIGHT, corner};
use super::{Effort, Folder, Row, Rows};
use crate::commands::game::clock;
use crate::commands::patches::with_progress;
use crate::output::Outcome;
use crate::progress::Progress;

/// The longest that making one set of patches with its tables may take (s).
const BUILD: f64 = 60.0;

/// How many times as fast as the paper's scenes are put together.
const FASTER: f64 = 10.0;

/// The farthest that feet slide, in 95 of 100 contacts (cm), and how often they are looked at (1/s).
const SLIDE: f64 = 3.0;
const CHECKED: f64 = 60.0;

/// How far those look ahead who follow a path by the game tree, and how near to it that keeps them (m).
const DEPTH: u8 = 3;
const NEAR_A_PATH: f64 = 0.5;
/// From one look at where people are to the next (ticks).
const EVERY: usize = 4;

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
        let Some(composed) = composed else { continue };
        let n_uses = composed.composer().uses.len();
        row("uses of patches in the scene".to_owned(), None, n_uses as f64, "-", n_uses > 0);
        let (take, _) = composed.take()?;
        let judged = check(&Footage::of_take(&take, CHECKED)?, &Limits::default());
        let slides = judged.characters.iter().filter_map(|it| it.feet.foot_slide_cm_p50_p95_max);
        let slide = slides.map(|[_, p95, _]| p95).fold(0.0, f64::max);
        let what = "slide of feet before refinement, 95th percentile of the worst person".to_owned();
        row(what, None, slide, "cm", slide <= SLIDE);
    }
    rows.extend(figure_12(effort, seed)?);
    Rows { rows }.told(folder, "003")
}

/// Two who fight along a path, by the game tree and by patches.
fn figure_12(effort: Effort, seed: u64) -> anyhow::Result<[Row; 2]> {
    let (n_scenes, seconds) = if effort == Effort::Quick { (1, 10.0) } else { (5, 20.0) };
    let mut scene = Screenplay::parse("path.toml", PAIR.as_bytes())?;
    scene.seconds = seconds;
    for role in &mut scene.characters {
        let (rule, opponent) = (Rule::TwoObjectives, Opponent::default());
        role.controller = Controller::GameTree { depth: DEPTH, rule, opponent, staged: false };
        role.weights.path_weight = Some(PATH_WEIGHT);
        role.path = corner(role.at, seconds);
    }
    let library = Arc::new(libraries::open("builtin:boxing")?);
    let patches = patch_sets::open(&library, "fight-one-one", &|_, _, _| ())?;
    let mut supplies = Libraries::default();
    supplies.add("builtin:boxing", Arc::clone(&library));
    let bodies = Arc::new(Bodies::of(library));
    let [mut tree, mut patched] = [0.0; 2];
    for round in 0..n_scenes {
        let scene = Screenplay { seed: round_seed(seed, round), ..scene.clone() };
        tree += keep(&scene, &supplies)?.error / n_scenes as f64;
        patched += kept_by_patches(&scene, &patches, &bodies) / n_scenes as f64;
    }
    let row = |by: String, ours: f64, holds: bool| Row {
        what: format!("000, figure 12: distance from a path, {by}"),
        paper: None,
        ours,
        unit: "m",
        holds,
    };
    Ok([
        row(format!("game tree, level {DEPTH}"), tree, tree <= NEAR_A_PATH),
        row(format!("{} patches, more than by the game tree", patches.len()), patched, patched > tree),
    ])
}

/// The mean distance of two from their paths who go from patch to patch (m).
fn kept_by_patches(scene: &Screenplay, patches: &Patches, bodies: &Arc<Bodies>) -> f64 {
    let ticks = |seconds: f64| (seconds * f64::from(TICKS_PER_SECOND)).round() as i32;
    let end = ticks(scene.seconds);
    let paths: Vec<Vec<(i32, Ground)>> = (scene.characters.iter())
        .map(|role| {
            let later = role.path.iter().filter_map(|it| Some((ticks(it.time?), it.at)));
            std::iter::once((0, role.at)).chain(later).collect()
        })
        .collect();
    let mut composer = Composer::new(patches, Arc::clone(bodies), 2, end);
    composer.path = (paths[0].iter().zip(&paths[1]))
        .map(|((tick, a), (_, b))| (*tick, Ground { x: 0.5 * (a.x + b.x), z: 0.5 * (a.z + b.z) }))
        .collect();
    let starts = placements(&scene.characters);
    duel::compose(&mut composer, &Duel { who: [0, 1], starts: [starts[0], starts[1]], seed: scene.seed });
    let last = paths[0].last().map_or(end, |(tick, _)| *tick);
    let mut distances = Vec::new();
    for (who, path) in paths.iter().enumerate() {
        for tick in (0..end).step_by(EVERY) {
            let performed = &composer.crowd.people[who].performed;
            let under_way = performed.iter().rev().find(|(start, _)| *start <= tick);
            let Some((_, doing)) = under_way else { continue };
            let next = path.partition_point(|(at, _)| *at <= tick.min(last)).clamp(1, path.len() - 1);
            let ((from, a), (to, b)) = (path[next - 1], path[next]);
            let part = (tick - from) as f32 / (to - from).max(1) as f32;
            let part = part.clamp(0.0, 1.0);
            let wanted = Ground { x: a.x + part * (b.x - a.x), z: a.z + part * (b.z - a.z) };
            distances.push(f64::from(doing.position(bodies, tick).distance(wanted)));
        }
    }
    distances.iter().sum::<f64>() / distances.len().max(1) as f64
}

//! How well two who fight keep to their path, by three methods.

use randori_gametree::{Opponent, Rule};
use randori_motion::Ground;
use randori_scene::contest::path::{Kept, keep};
use randori_scene::screenplay::{Checkpoint, Controller, Screenplay};

use super::{Lab, mean, round_seed};
use rayon::prelude::*;

/// Two boxers; their paths are drawn below.
pub(in crate::commands::reproduce) const PAIR: &str = r#"
seconds = 20
library = "builtin:boxing"

[[characters]]
name = "red"
style = "general-boxer-path"
at = [0, -0.45]
facing = "blue"

[[characters]]
name = "blue"
style = "general-boxer-path"
at = [0, 0.45]
facing = "red"
"#;

/// Weight of the path: w_p. By table IV it is 10, so that a metre off costs 1e5 points, which is what a blow is worth to
/// the paper; with blows of 5 to 9 m/s, given by the one and taken by the other, ours is worth some twenty times as much.
pub(in crate::commands::reproduce) const PATH_WEIGHT: f64 = 1600.0;
/// How fast the path goes on (m/s): as fast as the pairs of a formation.
const SPEED: f32 = 0.2;
/// From checkpoint to checkpoint (s).
const EVERY: f64 = 4.0;

/// The scenes of pairs that spread out on spirals, with a knock-down at the end of each way.
const SPIRALS: [(&str, &str); 2] = [
    ("boxing", include_str!("../../../../../../scenes/formation-boxing.toml")),
    ("sword", include_str!("../../../../../../scenes/formation-sword.toml")),
];
/// So many of their pairs.
const PAIRS: u32 = 4;

impl Lab<'_> {
    /// Whether people on their ways pass every checkpoint in time while they fight, and fall where they are to, over
    /// several seeds.
    pub(super) fn formations(&mut self) -> anyhow::Result<()> {
        let n_seeds = self.plan.formation_seeds;
        for (name, text) in SPIRALS {
            let mut scene = Screenplay::parse("spirals.toml", text.as_bytes())?;
            if let Some(formation) = &mut scene.formation {
                formation.pairs = PAIRS;
            }
            let job = self.progress.job("formations");
            let play = |round: usize| {
                let kept = keep(
                    &Screenplay { seed: round_seed(self.seed, round), ..scene.clone() },
                    &self.libraries,
                );
                job.step(round + 1, n_seeds);
                kept
            };
            let kept: Vec<Kept> = (0..n_seeds).into_par_iter().map(play).collect::<Result<_, _>>()?;
            let sum = |of: fn(&Kept) -> u32| f64::from(kept.iter().map(of).sum::<u32>());
            let share = |part: f64, all: f64| 100.0 * part / all.max(1.0);
            let near = share(sum(|it| it.near), sum(|it| it.timed));
            let what = format!("{name} on spirals, {n_seeds} seeds: checkpoints within 0.5 m and 0.5 s");
            self.row(what, None, near, "%", near >= 100.0);
            // Who is felled at the end of the way fights no longer.
            let fought = scene.formation.as_ref().map_or(scene.seconds, |formation| formation.until);
            let minutes = fought / 60.0 * n_seeds as f64 * f64::from(PAIRS);
            let hits = sum(|it| it.hits) / minutes.max(1e-9);
            let what = format!("{name} on spirals: hits of a pair per minute of their way");
            self.row(what, None, hits, "1/min", hits >= 10.0);
            let falls = share(sum(|it| it.falls), sum(|it| it.falls_asked));
            let what = format!(
                "{name} on spirals: knock-downs at their checkpoint, of {}",
                sum(|it| it.falls_asked)
            );
            self.row(what, None, falls, "%", falls >= 95.0);
        }
        Ok(())
    }

    /// Mean distance from the path, by two objectives, by plain min-max with both added, and without planning.
    pub(super) fn paths(&mut self) -> anyhow::Result<()> {
        let most = self.plan.paths.iter().map(|(_, n_scenes)| *n_scenes).max().unwrap_or(1);
        let alone = self.path_error(1, Rule::TwoObjectives, most)?;
        let (mut before, mut deepest): (Vec<f64>, f64) = (vec![0.0; most], f64::INFINITY);
        for (depth, n_scenes) in self.plan.paths {
            let ours = self.path_error(*depth, Rule::TwoObjectives, *n_scenes)?;
            let added = self.path_error(*depth, Rule::Added, *n_scenes)?;
            let (error, other) = (ours.error(), added.error());
            let holds = error <= 0.5 && ours.hits > 0.0;
            let what = format!("error on a path, two objectives, level {depth}, {n_scenes} scenes");
            self.row(what, None, error, "m", holds);
            // Worse than at the level before, in the same scenes.
            let known = before.len().min(*n_scenes);
            let is_worse = other >= 2.0 * error && other >= mean(before[..known].iter().copied());
            let what = format!("error on a path, plain min-max with both added, level {depth}");
            self.row(what, None, other, "m", is_worse);
            (before, deepest) = (added.errors, error);
            let what = format!("hits per minute on a path, two objectives, level {depth}");
            self.row(what, None, ours.hits, "1/min", ours.hits > 0.0);
            let what = format!("checkpoints passed, two objectives, level {depth}");
            self.row(what, None, ours.passed, "%", ours.passed >= 95.0);
        }
        let what = "error on a path, no planning (level 1)".to_owned();
        self.row(what, None, alone.error(), "m", alone.error() >= deepest);
        Ok(())
    }

    /// Means over the same seeds.
    fn path_error(&self, depth: u8, rule: Rule, n_scenes: usize) -> anyhow::Result<Means> {
        let job = self.progress.job("paths");
        let mut scene = Screenplay::parse("path.toml", PAIR.as_bytes())?;
        scene.seconds = self.plan.path_seconds;
        for role in &mut scene.characters {
            role.controller =
                Controller::GameTree { depth, rule, opponent: Opponent::default(), staged: false };
            role.weights.path_weight = Some(PATH_WEIGHT);
            role.path = corner(role.at, scene.seconds);
        }
        let play = |round: usize| {
            let kept =
                keep(&Screenplay { seed: round_seed(self.seed, round), ..scene.clone() }, &self.libraries);
            job.step(round + 1, n_scenes);
            kept
        };
        let kept: Vec<Kept> = (0..n_scenes).into_par_iter().map(play).collect::<Result<_, _>>()?;
        let passed: u32 = kept.iter().map(|it| it.passed).sum();
        let missed: u32 = kept.iter().map(|it| it.missed).sum();
        Ok(Means {
            errors: kept.iter().map(|it| it.error).collect(),
            hits: mean(kept.iter().map(|it| f64::from(it.hits))) * 60.0 / scene.seconds,
            passed: 100.0 * f64::from(passed) / f64::from((passed + missed).max(1)),
        })
    }
}

/// What some scenes have in common.
struct Means {
    /// From the path, in each of them (m).
    errors: Vec<f64>,
    /// Per minute.
    hits: f64,
    /// Checkpoints (%).
    passed: f64,
}

impl Means {
    /// Mean distance from the path (m).
    fn error(&self) -> f64 {
        mean(self.errors.iter().copied())
    }
}

/// Half of the time straight on, the other half to the left.
pub(in crate::commands::reproduce) fn corner(from: Ground, seconds: f64) -> Vec<Checkpoint> {
    // The last one leaves time to see that it was passed.
    let n_checkpoints = ((seconds - 1.0) / EVERY) as usize;
    let turn = n_checkpoints.div_ceil(2);
    let step = SPEED * EVERY as f32;
    let checkpoint = |number: usize| {
        let (ahead, aside) = (number.min(turn) as f32, number.saturating_sub(turn) as f32);
        let at = Ground { x: from.x + aside * step, z: from.z + ahead * step };
        Checkpoint { time: Some(number as f64 * EVERY), ..Checkpoint::new(at) }
    };
    (1..=n_checkpoints).map(checkpoint).collect()
}

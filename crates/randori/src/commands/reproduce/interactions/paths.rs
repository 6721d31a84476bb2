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

impl Lab<'_> {
    /// Mean distance from the path, by two objectives, by plain min-max with both added, and without planning.
    pub(super) fn paths(&mut self) -> anyhow::Result<()> {
        let alone = self.path_error(1, Rule::TwoObjectives)?;
        let (mut before, mut deepest) = (0.0, f64::INFINITY);
        for depth in self.plan.path_depths {
            let ours = self.path_error(*depth, Rule::TwoObjectives)?;
            let added = self.path_error(*depth, Rule::Added)?;
            let (error, other) = (ours.error, added.error);
            let holds = error <= 0.5 && ours.hits > 0.0;
            self.row(format!("error on a path, two objectives, level {depth}"), None, error, "m", holds);
            let is_worse = other >= 2.0 * error && other >= before;
            let what = format!("error on a path, plain min-max with both added, level {depth}");
            self.row(what, None, other, "m", is_worse);
            (before, deepest) = (other, error);
            let what = format!("hits per minute on a path, two objectives, level {depth}");
            self.row(what, None, ours.hits, "1/min", ours.hits > 0.0);
            let what = format!("checkpoints passed, two objectives, level {depth}");
            self.row(what, None, ours.passed, "%", ours.passed >= 95.0);
        }
        let what = "error on a path, no planning (level 1)".to_owned();
        self.row(what, None, alone.error, "m", alone.error >= deepest);
        Ok(())
    }

    /// Means over the same seeds.
    fn path_error(&self, depth: u8, rule: Rule) -> anyhow::Result<Means> {
        let n_scenes = self.plan.path.rounds;
        let job = self.progress.job("paths");
        let mut scene = Screenplay::parse("path.toml", PAIR.as_bytes())?;
        scene.seconds = self.plan.path.seconds;
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
            error: mean(kept.iter().map(|it| it.error)),
            hits: mean(kept.iter().map(|it| f64::from(it.hits))) * 60.0 / scene.seconds,
            passed: 100.0 * f64::from(passed) / f64::from((passed + missed).max(1)),
        })
    }
}

/// What some scenes have in common.
struct Means {
    /// From the path (m).
    error: f64,
    /// Per minute.
    hits: f64,
    /// Checkpoints (%).
    passed: f64,
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

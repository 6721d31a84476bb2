//! What decisions cost: the same moments of a contest, searched in different ways.

use randori_arena::bodies::TICKS_PER_SECOND;
use randori_arena::bout::Pause;
use randori_arena::objectives::{Aims, Judge};
use randori_arena::stage::{Moment, Stage};
use randori_gametree::{Settings, Workspace, search};
use randori_motion::ActionId;
use randori_tactics::Game;
use rayon::prelude::*;

use super::{Contender, Ring};

/// A moment of a contest at which somebody decides.
#[derive(Clone, Debug)]
pub struct Dilemma {
    stage: Stage,
    moment: Moment,
    aims: Vec<Aims>,
    side: u8,
}

/// What decisions cost, and what was decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Actions simulated per decision, on average; those that were refused before that do not count.
    pub edges: f64,
    /// The choice at each moment.
    pub choices: Vec<Option<ActionId>>,
}

/// Moments at which somebody decides, evenly spread over a round of these contenders.
pub fn dilemmas(ring: &Ring, contenders: &[Contender], n_dilemmas: usize, seed: u64) -> Vec<Dilemma> {
    let mut bout = ring.bout(contenders, seed);
    let end = (ring.seconds * f64::from(TICKS_PER_SECOND)).round() as i32;
    let mut found = Vec::new();
    while bout.moment.tick < end && !ring.is_over(&bout) {
        if let Pause::Decision(who) = bout.advance(end) {
            found.push(Dilemma {
                stage: bout.stage.clone(),
                moment: bout.moment.clone(),
                aims: bout.aims.clone(),
                side: bout.stage.cast[who].side,
            });
            bout.decide(who);
        }
    }
    let every = (found.len() / n_dilemmas.max(1)).max(1);
    found.into_iter().step_by(every).take(n_dilemmas).collect()
}

/// Decides at each of these moments; `step` is told whenever one is done.
pub fn cost(dilemmas: &[Dilemma], settings: &Settings, step: &(dyn Fn() + Sync)) -> Cost {
    let decide = |dilemma: &Dilemma| {
        let Dilemma { stage, moment, aims, side } = dilemma;
        let judge = Judge::of(stage, aims);
        let game = Game { stage, judge: &judge, side: *side };
        let decision = search(&game, moment, settings, &mut Workspace::default());
        step();
        let simulated = decision.statistics.edges - decision.statistics.refused;
        (simulated, decision.choice.map(|choice| choice.action))
    };
    let decided: Vec<(u64, Option<ActionId>)> = dilemmas.par_iter().map(decide).collect();
    let sum: u64 = decided.iter().map(|(edges, _)| edges).sum();
    Cost {
        edges: sum as f64 / dilemmas.len().max(1) as f64,
        choices: decided.into_iter().map(|(_, choice)| choice).collect(),
    }
}

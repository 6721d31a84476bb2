//! Runs of scenarios: what they took, whether the physics held, and what came of them.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

use crate::qp::blocks::{BlockQp, BlockSolution};
use crate::qp::dump::{Dumped, Named, dump};
use crate::scenario::{Figures, Recorder, Scenario};
use crate::scene::ContactArea;

/// Sizes of a scenario's program, as the source's table 1 counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Counts {
    /// Characters, objects, articulated parts of the environment.
    pub subsystems: usize,
    /// Degrees of freedom.
    pub dofs: usize,
    /// Of these, with a drive.
    pub actuated: usize,
    /// Points of planar contacts.
    pub planar_points: usize,
    /// Points of grasps.
    pub grasp_points: usize,
    /// Pairs of bodies kept apart.
    pub pairs: usize,
    /// Accelerations, torques and four coefficients per contact point.
    pub variables: usize,
    /// Equations of motion, and three no-slip rows per contact point.
    pub equalities: usize,
    /// Four per planar point, two per drive, one per pair.
    pub inequalities: usize,
}

impl Counts {
    /// Of the scenario's present contacts.
    pub fn of(scenario: &Scenario) -> Counts {
        let scene = &scenario.world().scene;
        let grasps = scene.contacts.iter().filter(|c| matches!(c.area, ContactArea::Grasp { .. })).count();
        let planar_points = 4 * (scene.contacts.len() - grasps);
        let grasp_points = 4 * grasps;
        let dofs = scene.subsystems.iter().map(|s| s.model.n_v).sum();
        let actuated = scene.subsystems.iter().map(|s| s.model.actuated.len()).sum();
        let (points, pairs) = (planar_points + grasp_points, scene.pairs.len());
        Counts {
            subsystems: scene.subsystems.len(),
            dofs,
            actuated,
            planar_points,
            grasp_points,
            pairs,
            variables: dofs + actuated + 4 * points,
            equalities: dofs + 3 * points,
            inequalities: 4 * planar_points + 2 * actuated + pairs,
        }
    }
}

/// One number per step.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[expect(missing_docs, reason = "named as in the summary")]
pub struct PerStep {
    pub t: Vec<f64>,
    pub assembly_ms: Vec<f64>,
    pub solve_ms: Vec<f64>,
    pub eom_residual: Vec<f64>,
    pub action_reaction: Vec<f64>,
    pub friction_margin: Vec<f64>,
    pub slip_mm: Vec<f64>,
    pub limit_violation: Vec<f64>,
    /// `null` where no pair is near.
    pub distance_margin_mm: Vec<Option<f64>>,
    pub contacts: Vec<usize>,
}

/// A run of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunReport {
    /// Name of the scenario.
    pub scenario: &'static str,
    /// Time step (s).
    pub dt: f64,
    /// Steps taken.
    pub steps: usize,
    /// Dynamics and assembly, median (ms).
    pub assembly_ms: f64,
    /// Solution, median (ms).
    pub solve_ms: f64,
    /// Both together, shortest (ms).
    pub step_min_ms: f64,
    /// Both together, median (ms).
    pub step_median_ms: f64,
    /// Both together, longest (ms).
    pub step_max_ms: f64,
    /// Longest of the steps at which contacts changed (ms). The first step is none of them: nothing was before it.
    pub contact_change_max_ms: f64,
    /// Worst physics of all steps.
    #[serde(flatten)]
    pub figures: Figures,
    /// Steps that could not be solved as asked.
    pub infeasible_steps: usize,
    /// Steps that the dense solver had to finish.
    pub fallbacks: usize,
    /// Words of the last trouble.
    pub trouble: Option<String>,
    /// What the scenario is judged by.
    pub results: BTreeMap<&'static str, f64>,
    /// How far tasks are from their targets at the end (m or rad).
    pub tasks: BTreeMap<String, f64>,
    /// Sizes of the program at most of the steps.
    pub counts: Counts,
    /// When phases began (s), and their names.
    pub phases: Vec<(f64, String)>,
    /// All steps.
    pub per_step: PerStep,
}

/// Steps a scenario for so many seconds or until it is over, with a clock (s), an optional recorder and somebody who
/// is told how far it is.
pub fn run(
    scenario: &mut Scenario,
    seconds: f64,
    clock: &mut dyn FnMut() -> f64,
    mut recorder: Option<&mut Recorder>,
    progress: &mut dyn FnMut(usize, usize),
) -> RunReport {
    let dt = scenario.world().scene.settings.dt;
    let total = ((seconds / dt).round() as usize).clamp(1, 10_000_000);
    let mut per_step = PerStep::default();
    let (mut figures, mut counts) = (Figures::default(), BTreeMap::<Counts, usize>::new());
    let (mut fallbacks, mut trouble, mut change_ms) = (0, None, 0.0_f64);
    let mut notes = scenario.world().notes.len();
    if let Some(recorder) = recorder.as_deref_mut() {
        recorder.look(scenario);
    }
    for k in 0..total {
        if k.is_multiple_of(100) {
            progress(k, total);
        }
        let step = scenario.step_timed(clock);
        let [assembly, solve] = step.spent.map(|seconds| 1e3 * seconds);
        let changed = scenario.world().notes[notes..].iter().any(|note| {
            matches!(note.kind, crate::phase::NoteKind::ContactBegins | crate::phase::NoteKind::ContactEnds)
        });
        notes = scenario.world().notes.len();
        // The first step has nothing before it: its contacts are there from the start.
        if changed && k > 0 {
            change_ms = change_ms.max(assembly + solve);
        }
        figures = figures.worse(&step.figures);
        fallbacks += usize::from(step.fell_back);
        trouble = scenario.trouble().or(trouble);
        *counts.entry(Counts::of(scenario)).or_default() += 1;
        let f = &step.figures;
        per_step.t.push(scenario.world().time);
        per_step.assembly_ms.push(assembly);
        per_step.solve_ms.push(solve);
        per_step.eom_residual.push(f.eom_residual_max);
        per_step.action_reaction.push(f.action_reaction_max);
        per_step.friction_margin.push(f.friction_margin_min);
        per_step.slip_mm.push(f.slip_mm_max);
        per_step.limit_violation.push(f.limit_violation_max);
        per_step.distance_margin_mm.push(Some(f.distance_margin_min_mm).filter(|margin| margin.is_finite()));
        per_step.contacts.push(scenario.world().scene.contacts.len());
        if let Some(recorder) = recorder.as_deref_mut() {
            recorder.look(scenario);
        }
        if scenario.is_over() {
            break;
        }
    }
    let both: Vec<f64> = per_step
        .assembly_ms
        .iter()
        .zip(&per_step.solve_ms)
        .map(|(assembly, solve)| assembly + solve)
        .collect();
    let phases = scenario.world().notes.iter().filter(|note| note.kind == crate::phase::NoteKind::Phase);
    RunReport {
        scenario: scenario.name(),
        dt,
        steps: both.len(),
        assembly_ms: median(&per_step.assembly_ms),
        solve_ms: median(&per_step.solve_ms),
        step_min_ms: both.iter().copied().fold(f64::INFINITY, f64::min),
        step_median_ms: median(&both),
        step_max_ms: both.iter().copied().fold(0.0, f64::max),
        contact_change_max_ms: change_ms,
        figures,
        infeasible_steps: scenario.infeasible_steps(),
        fallbacks,
        trouble,
        results: scenario.results().into_iter().collect(),
        tasks: scenario.tasks().into_iter().collect(),
        counts: counts
            .into_iter()
            .max_by_key(|(_, steps)| *steps)
            .map(|(counts, _)| counts)
            .unwrap_or_default(),
        phases: phases.map(|note| (note.t, note.text.clone())).collect(),
        per_step,
    }
}

fn median(list: &[f64]) -> f64 {
    let mut sorted = list.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

/// Runs a scenario and keeps its last problems of one shape, at most `steps` of them.
pub fn dump_problems(scenario: &mut Scenario, seconds: f64, steps: usize) -> Option<Dumped> {
    let dt = scenario.world().scene.settings.dt;
    let total = ((seconds / dt).round() as usize).clamp(1, 10_000_000);
    let mut kept: VecDeque<(BlockQp, BlockSolution)> = VecDeque::new();
    let mut names: Vec<String> = Vec::new();
    for _ in 0..total {
        scenario.step();
        let contacts = &scenario.world().scene.contacts;
        if !contacts.iter().map(|contact| &contact.name).eq(&names) {
            kept.clear();
            names = contacts.iter().map(|contact| contact.name.clone()).collect();
        }
        if kept.len() == steps.max(1) {
            kept.pop_front();
        }
        let controller = scenario.controller();
        kept.push_back((controller.assembly.qp.clone(), controller.solver.solution.clone()));
    }
    let scene = &scenario.world().scene;
    let subsystems: Vec<Named> = (scene.subsystems.iter())
        .map(|s| Named {
            name: s.name.clone(),
            mark: s.model.is_floating(),
            driven: s.model.actuated.len(),
            sides: [None; 2],
        })
        .collect();
    let contacts: Vec<Named> = (scene.contacts.iter())
        .map(|c| Named {
            name: c.name.clone(),
            mark: matches!(c.area, ContactArea::Grasp { .. }),
            driven: 0,
            sides: [Some(c.on.subsystem), c.with.map(|with| with.subsystem)],
        })
        .collect();
    dump(scenario.name(), dt, &subsystems, &contacts, kept.make_contiguous())
}

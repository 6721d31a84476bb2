//! One step of a scene: assemble, solve, integrate; and what to do when there is no solution.

use super::assembly::Assembly;
use super::explain::{self, Explanation};
use super::{Scene, Subsystem};
use crate::qp::{BlockSolution, BlockSolver, Status};

/// How a step went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything holds.
    Solved,
    /// Some limits had to give way; see the explanation.
    Relaxed,
    /// The scene itself is impossible (a number that is none, a frame that does not exist): nothing moves.
    Refused,
}

/// Result of a step, valid until the next.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    /// How it went.
    pub verdict: Verdict,
    /// Accelerations, wrenches, torques.
    pub solution: &'a BlockSolution,
    /// What contradicts what, and which limits gave way; `None` when solved.
    pub explanation: Option<&'a Explanation>,
}

/// Turns scenes into motion. Keeps memory and the last active set, so use one per scene.
///
/// ```
/// use std::sync::Arc;
/// use randori_wholebody::humanoid;
/// use randori_wholebody::scene::{ContactArea, Controller, Feature, Scene, Subsystem, Task, Verdict};
/// use randori_wholebody::spatial::Pose;
///
/// let mut scene = Scene::default();
/// let person = scene.add(Subsystem::new("person", Arc::new(humanoid::person())));
/// scene.subsystems[person].q[1] = 1.0;
/// for sole in ["left_sole", "right_sole"] {
///     let place = scene.place(person, sole).unwrap();
///     let ground = Pose::from_translation(scene.pose_of(place).translation);
///     let area = ContactArea::Planar { half: [0.04, 0.1] };
///     let contact = scene.contact_here(sole, place, None, ground, area, 0.7);
///     scene.contacts.push(contact);
/// }
/// let posture = Feature::Posture { subsystem: person, q: scene.subsystems[person].q.clone() };
/// scene.tasks.push(Task::new("stand", posture, 1.0, 20.0));
/// let mut controller = Controller::default();
/// assert_eq!(controller.step(&mut scene).verdict, Verdict::Solved);
/// ```
#[derive(Clone, Default)]
pub struct Controller {
    /// The program of the last step.
    pub assembly: Assembly,
    /// The solver with its active set.
    pub solver: BlockSolver,
    /// Time spent on the dynamics and the assembly, and on the solution, of the last step (s), by the clock
    /// given to it.
    pub spent: [f64; 2],
    explanation: Explanation,
    step: Vec<f64>,
}

impl Controller {
    /// Solves for the scene's present state and moves it on by its time step.
    pub fn step(&mut self, scene: &mut Scene) -> Outcome<'_> {
        self.step_timed(scene, &mut || 0.0)
    }

    /// The same, with the clock (s) by which [`Controller::spent`] is measured.
    pub fn step_timed(&mut self, scene: &mut Scene, clock: &mut dyn FnMut() -> f64) -> Outcome<'_> {
        let verdict = self.solve_verdict(scene, clock);
        if verdict != Verdict::Refused {
            let mut at = 0;
            for subsystem in &mut scene.subsystems {
                let n = subsystem.model.n_v;
                let qdd = &self.solver.solution.qdd[at..at + n];
                integrate(subsystem, verdict, qdd, scene.settings.dt, &mut self.step);
                at += n;
            }
        }
        self.outcome(verdict)
    }

    /// Solves for the scene's present state without moving it.
    pub fn solve(&mut self, scene: &Scene) -> Outcome<'_> {
        let verdict = self.solve_verdict(scene, &mut || 0.0);
        self.outcome(verdict)
    }

    fn outcome(&self, verdict: Verdict) -> Outcome<'_> {
        let explanation = (verdict != Verdict::Solved).then_some(&self.explanation);
        Outcome { verdict, solution: &self.solver.solution, explanation }
    }

    /// The result of the last step.
    pub fn last(&self, verdict: Verdict) -> Outcome<'_> {
        self.outcome(verdict)
    }

    fn solve_verdict(&mut self, scene: &Scene, clock: &mut dyn FnMut() -> f64) -> Verdict {
        let began = clock();
        if let Some(fault) = scene.fault() {
            self.explanation = Explanation { fault: Some(fault), ..Explanation::default() };
            return Verdict::Refused;
        }
        self.assembly.assemble(scene);
        let assembled = clock();
        let status = self.solver.solve(&self.assembly.qp);
        self.spent = [assembled - began, clock() - assembled];
        if status == Status::Solved {
            return Verdict::Solved;
        }
        let conflict = std::mem::take(&mut self.solver.conflict);
        let relaxed = explain::relax(scene, &self.assembly, &conflict);
        self.solver.conflict = conflict;
        self.solver.reset();
        match relaxed {
            Some((solution, explanation)) => {
                self.solver.solution = solution;
                self.explanation = explanation;
                Verdict::Relaxed
            }
            None => {
                let fault = "the program of this state is not finite: is a body or a velocity far too large?";
                self.explanation = Explanation { fault: Some(fault.into()), ..Explanation::default() };
                Verdict::Refused
            }
        }
    }
}

/// How fast anything may get while limits give way (rad/s or m/s): what falls from two storeys is slower.
const FASTEST: f64 = 12.0;

/// Velocity first, then the configuration with the new velocity.
///
/// Where limits gave way, those of velocities are kept after all, and nothing without a limit gets faster than
/// [`FASTEST`]: whoever is too weak to stand sinks to the floor and is not thrown about ever faster.
fn integrate(subsystem: &mut Subsystem, verdict: Verdict, qdd: &[f64], dt: f64, step: &mut Vec<f64>) {
    step.clear();
    step.extend(subsystem.v.iter().zip(qdd).map(|(v, a)| v + dt * a));
    if verdict == Verdict::Relaxed {
        for joint in &subsystem.model.joints {
            let most = joint.limits.velocity.min(FASTEST);
            step[joint.v_start..joint.v_start + joint.kind.n_v()]
                .iter_mut()
                .for_each(|v| *v = v.clamp(-most, most));
        }
    }
    subsystem.v.copy_from_slice(step);
    step.iter_mut().for_each(|v| *v *= dt);
    subsystem.model.integrate(&mut subsystem.q, step);
}

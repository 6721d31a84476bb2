//! The scenarios of \[Vaillant2017\], section 4, and a dynamic walk, for programs: build one by name, step it, move its inputs.
//!
//! ```
//! use randori_wholebody::scenario::{Options, Scenario, Value};
//!
//! let mut king = Scenario::build("king", &Options::default())?;
//! for input in king.inputs() {
//!     assert!(!input.name.is_empty());
//! }
//! king.set("hand", Value::Point([0.3, 1.4, 0.5]))?;
//! king.step();
//! assert!(king.trouble().is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nobody has to move an input: until a user does, a script moves it, so that every scenario also runs by
//! itself. [`Recorder`] makes a take of a run.

mod acrobats;
mod audit;
mod file;
mod funambulist;
mod inputs;
mod king;
mod manipulate;
pub(crate) mod people;
mod record;
mod sword;
mod walk;

use glam::DVec3;

pub use audit::Figures;
pub use file::SceneFault;
pub use inputs::{Input, InputError, InputKind, Value};
pub use record::Recorder;

pub(crate) use inputs::Inputs;
pub(crate) use record::{Cast, LINKS, cast};

use crate::model::ModelError;
use crate::phase::{Machine, NoteKind, PhaseError, World};
use crate::scene::{Controller, Place, Scene, Verdict};
use crate::spatial::Pose;

/// Names of the scenarios.
pub const NAMES: [&str; 9] =
    ["king", "funambulist", "sword", "acrobats", "door", "valve", "box", "lever", "walk"];

/// How to build a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// Time step (s); the source's for the scenario by default.
    pub dt: Option<f64>,
    /// Of everything random in the script.
    pub seed: u64,
    /// King: a program for each subsystem by itself instead of one for all (to see it fail).
    pub separate: bool,
    /// How late people know of each other (s): the common centre of mass of several of them, and the blade that
    /// comes at the one who dodges.
    pub delay: f64,
}

/// Why there is no such scenario, or why it had to stop.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScenarioError {
    /// No scenario has the name.
    #[error("expected a scenario ({known}), found `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A time step that no scenario runs at.
    #[error("time step: expected {min} to {max} s, found {found} s")]
    TimeStep {
        /// Smallest (s).
        min: f64,
        /// Largest (s).
        max: f64,
        /// What was asked for (s).
        found: f64,
    },
    /// A delay that is none.
    #[error("delay: expected 0 to {max} s, found {found} s")]
    Delay {
        /// Longest (s).
        max: f64,
        /// What was asked for (s).
        found: f64,
    },
    /// A model that cannot be built.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// Time steps that scenarios run at (s).
const TIME_STEPS: [f64; 2] = [0.001, 0.034];
/// Longest time step of the dynamic walk (s): a foot that lands a few hundredths late is a fall.
const LONGEST_WALK: f64 = 0.0125;
/// Longest delay (s).
const LONGEST_DELAY: f64 = 2.0;

/// What drives a scenario beyond its phases.
pub(crate) trait Script: Send {
    /// Before every step: turns inputs into targets, moves inputs in the user's place, and may swing feet.
    fn drive(&mut self, world: &mut World, machine: &mut Machine, inputs: &mut Inputs);

    /// After every step.
    fn after(&mut self, _world: &mut World, _controller: &Controller) {}

    /// Whether it has come to its end, which may be earlier than planned.
    fn is_over(&self) -> bool {
        false
    }

    /// What the scenario is judged by: names and values.
    fn results(&self, world: &World) -> Vec<(&'static str, f64)>;
}

/// What a scenario is made of.
pub(crate) struct Parts {
    pub(crate) world: World,
    pub(crate) phases: Vec<crate::phase::Phase>,
    pub(crate) inputs: Inputs,
    pub(crate) script: Box<dyn Script>,
    /// How long its script runs (s).
    pub(crate) seconds: f64,
}

/// A contact force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// What it acts on.
    pub on: Place,
    /// What it comes from; `None` is the environment.
    pub from: Option<Place>,
    /// Where (m).
    pub point: DVec3,
    /// (N)
    pub force: DVec3,
}

/// One step of a scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// How it went.
    pub verdict: Verdict,
    /// Dynamics and assembly, and solution, by the clock given (s).
    pub spent: [f64; 2],
    /// Physics of the step.
    pub figures: Figures,
    /// Whether the dense solver had to finish it.
    pub fell_back: bool,
}

/// A scenario on the move.
pub struct Scenario {
    name: &'static str,
    world: World,
    machine: Machine,
    controller: Controller,
    inputs: Inputs,
    script: Box<dyn Script>,
    seconds: f64,
    trouble: Option<String>,
    stopped: Option<PhaseError>,
    /// Steps that could not be solved as asked.
    infeasible: usize,
}

impl Scenario {
    /// The scenario of that name, before its first step.
    pub fn build(name: &str, options: &Options) -> Result<Scenario, ScenarioError> {
        check_step(name, options.dt)?;
        let mut parts = parts_of(name, options)?;
        if let Some(dt) = options.dt {
            parts.world.scene.settings.dt = dt;
        }
        let known = NAMES.into_iter().find(|known| *known == name).unwrap_or_default();
        Ok(Scenario::of(known, parts))
    }

    /// A scenario of its parts, before its first step.
    pub(crate) fn of(name: &'static str, parts: Parts) -> Scenario {
        Scenario {
            name,
            world: parts.world,
            machine: Machine::new(parts.phases),
            controller: Controller::default(),
            inputs: parts.inputs,
            script: parts.script,
            seconds: parts.seconds,
            trouble: None,
            stopped: None,
            infeasible: 0,
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// How long its script runs (s); it may be stepped on for ever.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Whether its script has come to its end, which may be earlier than [`Scenario::seconds`].
    pub fn is_over(&self) -> bool {
        self.script.is_over()
    }

    /// Bodies, contacts, tasks, time and what happened.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The phases and which of them runs.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The program of the last step and its solution.
    pub fn controller(&self) -> &Controller {
        &self.controller
    }

    /// What the user may move, with kinds, ranges and present values.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs.0
    }

    /// Moves an input; values beyond its range are brought into it. From now on the script leaves it alone.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), InputError> {
        self.inputs.set(name, value)
    }

    /// One time step.
    pub fn step(&mut self) -> Step {
        self.step_timed(&mut || 0.0)
    }

    /// The same, measured by a clock (s).
    pub fn step_timed(&mut self, clock: &mut dyn FnMut() -> f64) -> Step {
        if self.stopped.is_none() {
            self.stopped = self.machine.advance(&mut self.world).err();
        }
        self.script.drive(&mut self.world, &mut self.machine, &mut self.inputs);
        self.world.drive();
        self.world.hear_late();
        let verdict = self.controller.step_timed(&mut self.world.scene, clock).verdict;
        self.world.hear_at_once();
        if verdict == Verdict::Solved {
            self.trouble = None;
        } else {
            self.infeasible += 1;
            let words =
                self.controller.last(verdict).explanation.map(ToString::to_string).unwrap_or_default();
            if self.trouble.is_none() {
                self.world.note(NoteKind::Infeasible, words.clone());
            }
            self.trouble = Some(words);
        }
        self.world.time += self.world.scene.settings.dt;
        self.world.refresh();
        self.script.after(&mut self.world, &self.controller);
        let figures = audit::look(&self.world, &self.controller, verdict);
        Step { verdict, spent: self.controller.spent, figures, fell_back: self.controller.solver.fell_back }
    }

    /// Why the last step could not be solved as asked, in words; or why the phases stopped.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.clone().or_else(|| self.stopped.as_ref().map(ToString::to_string))
    }

    /// Steps so far that could not be solved as asked.
    pub fn infeasible_steps(&self) -> usize {
        self.infeasible
    }

    /// Where the bodies of each subsystem are, subsystem by subsystem.
    pub fn bodies(&self) -> impl Iterator<Item = (&str, Vec<Pose>)> + '_ {
        let subsystems = self.world.scene.subsystems.iter().enumerate();
        subsystems.map(|(idx, subsystem)| (subsystem.name.as_str(), self.world.bodies(idx).collect()))
    }

    /// Contact forces of the last step.
    pub fn forces(&self) -> impl Iterator<Item = Touch> + '_ {
        let wrenches = &self.controller.solver.solution.wrenches;
        self.world.scene.contacts.iter().enumerate().filter_map(|(k, contact)| {
            let force = DVec3::from_slice(wrenches.get(6 * k..6 * k + 3)?);
            let point = (self.world.pose(contact.on) * contact.on_from_patch).translation;
            Some(Touch { on: contact.on, from: contact.with, point, force })
        })
    }

    /// What the scenario is judged by: names and present values.
    pub fn results(&self) -> Vec<(&'static str, f64)> {
        self.script.results(&self.world)
    }

    /// All tasks and how far they are from their targets (m or rad).
    pub fn tasks(&self) -> Vec<(String, f64)> {
        let tasks = self.world.scene.tasks.iter();
        tasks.map(|task| (task.name.clone(), self.world.distance(task))).collect()
    }
}

/// The parts of the scenario of that name.
fn parts_of(name: &str, options: &Options) -> Result<Parts, ScenarioError> {
    let Some(known) = NAMES.into_iter().find(|known| *known == name) else {
        return Err(ScenarioError::Unknown { name: name.into(), known: NAMES.join(", ") });
    };
    let mut parts = match known {
        "king" => king::build(options)?,
        "funambulist" => funambulist::build(options)?,
        "sword" => sword::build(options)?,
        "acrobats" => acrobats::build(options)?,
        "door" => manipulate::door(options)?,
        "valve" => manipulate::valve(options)?,
        "box" => manipulate::carry(options)?,
        "lever" => manipulate::lever(options)?,
        _ => walk::build(options)?,
    };
    set_delay(&mut parts, options)?;
    Ok(parts)
}

/// Refuses time steps that a scenario does not run at.
fn check_step(name: &str, dt: Option<f64>) -> Result<(), ScenarioError> {
    let [min, longest] = TIME_STEPS;
    let max = if name == "walk" { LONGEST_WALK } else { longest };
    match dt {
        Some(found) if !(min..=max).contains(&found) => Err(ScenarioError::TimeStep { min, max, found }),
        _ => Ok(()),
    }
}

fn set_delay(parts: &mut Parts, options: &Options) -> Result<(), ScenarioError> {
    if !(0.0..=LONGEST_DELAY).contains(&options.delay) {
        return Err(ScenarioError::Delay { max: LONGEST_DELAY, found: options.delay });
    }
    parts.world.delay = options.delay;
    Ok(())
}

/// An empty world with the settings scenarios share.
pub(crate) fn empty(dt: f64) -> World {
    let mut scene = Scene::default();
    scene.settings.dt = dt;
    scene.settings.force_cost = 1e-6;
    World::new(scene)
}

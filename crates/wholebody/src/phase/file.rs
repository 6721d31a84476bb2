//! Phases as text: TOML tables, each a plain phase or one of the building blocks.
//!
//! A plain phase has `name`, `actions`, `until` and maybe `next`, as [`Phase`] does. With `block = "..."` it is one of
//! [`blocks`]: `step`, `shift`, `grasp`, `add`, `remove` or `interactive`. What names something that does not exist
//! is refused before anything moves.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::blocks::{self, Step};
use super::{Action, At, Condition, Over, Phase, Side, World};
use crate::scene::Feature;

/// Why a text holds no phases, or phases that a world cannot perform.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("phase {number}{}: {what}", .name.as_ref().map(|name| format!(" `{name}`")).unwrap_or_default())]
pub struct PhaseFault {
    /// Which phase, from 1.
    pub number: usize,
    /// Its name, where it has one.
    pub name: Option<String>,
    /// What was expected, and what was found.
    pub what: String,
}

/// The building blocks there are.
const BLOCKS: [&str; 6] = ["step", "shift", "grasp", "add", "remove", "interactive"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepBlock {
    name: String,
    /// The centre-of-mass task that shifts first.
    task: String,
    steps: Vec<OneStep>,
    #[serde(default = "usual_seconds")]
    seconds: [f64; 2],
}

fn usual_seconds() -> [f64; 2] {
    [1.0, 0.8]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OneStep {
    who: String,
    foot: Side,
    landing: [f64; 3],
    #[serde(default = "usual_height")]
    height: f64,
    #[serde(default)]
    aside: f64,
    #[serde(default)]
    on: Option<At>,
}

fn usual_height() -> f64 {
    0.05
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShiftBlock {
    name: String,
    task: String,
    over: Over,
    seconds: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GraspBlock {
    name: String,
    contact: String,
    hand: At,
    what: At,
    radius: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AddBlock {
    name: String,
    contact: Action,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RemoveBlock {
    name: String,
    contact: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InteractiveBlock {
    name: String,
    #[serde(default)]
    seconds: Option<f64>,
}

/// The phases that tables describe, in their order.
pub fn read(tables: &[toml::Table]) -> Result<Vec<Phase>, PhaseFault> {
    let mut phases: Vec<Phase> = Vec::new();
    for (idx, table) in tables.iter().enumerate() {
        let name = table.get("name").and_then(toml::Value::as_str).map(str::to_owned);
        let fault = |what: String| PhaseFault { number: idx + 1, name: name.clone(), what };
        phases.extend(read_one(table.clone()).map_err(fault)?);
    }
    Ok(phases)
}

fn read_one(mut table: toml::Table) -> Result<Vec<Phase>, String> {
    let next = match table.get("block") {
        None => None,
        // Plain phases read it themselves.
        Some(_) => table.remove("next").map(|next| parse::<String>(next, "`next`")).transpose()?,
    };
    let Some(block) = table.remove("block") else {
        return Ok(vec![parse(toml::Value::Table(table), "a phase")?]);
    };
    let table = toml::Value::Table(table);
    let mut phases = match block.as_str() {
        Some("step") => {
            let block: StepBlock = parse(table, "block `step`")?;
            if block.steps.is_empty() {
                return Err("`steps`: expected at least one".into());
            }
            let steps: Vec<Step> = (block.steps.into_iter())
                .map(|step| Step {
                    who: step.who,
                    foot: step.foot,
                    landing: step.landing,
                    height: step.height,
                    aside: step.aside,
                    on: step.on,
                })
                .collect();
            blocks::step(&block.name, &block.task, &steps, block.seconds).to_vec()
        }
        Some("shift") => {
            let block: ShiftBlock = parse(table, "block `shift`")?;
            vec![blocks::shift(&block.name, &block.task, block.over, block.seconds)]
        }
        Some("grasp") => {
            let block: GraspBlock = parse(table, "block `grasp`")?;
            let action = blocks::grasp(&block.contact, &block.hand, &block.what, block.radius);
            vec![blocks::add(&block.name, action)]
        }
        Some("add") => {
            let block: AddBlock = parse(table, "block `add`")?;
            if !matches!(block.contact, Action::AddContact { .. }) {
                return Err("`contact`: expected `do = \"add_contact\"`".into());
            }
            vec![blocks::add(&block.name, block.contact)]
        }
        Some("remove") => {
            let block: RemoveBlock = parse(table, "block `remove`")?;
            vec![blocks::remove(&block.name, &block.contact)]
        }
        Some("interactive") => {
            let block: InteractiveBlock = parse(table, "block `interactive`")?;
            vec![blocks::interactive(&block.name, block.seconds)]
        }
        _ => return Err(format!("`block`: expected one of {}, found {block}", BLOCKS.join(", "))),
    };
    if let Some(last) = phases.last_mut() {
        last.next = next.or(last.next.take());
    }
    Ok(phases)
}

fn parse<T: DeserializeOwned>(value: toml::Value, what: &str) -> Result<T, String> {
    value.try_into().map_err(|error: toml::de::Error| format!("{what}: {}", error.message()))
}

/// Refuses phases that name what the world does not have, or numbers that are none.
pub fn check(phases: &[Phase], world: &World) -> Result<(), PhaseFault> {
    let mut tasks: BTreeSet<String> = world.scene.tasks.iter().map(|task| task.name.clone()).collect();
    let mut contacts: BTreeSet<String> = world.scene.contacts.iter().map(|held| held.name.clone()).collect();
    for action in phases.iter().flat_map(|phase| &phase.actions) {
        match action {
            Action::Hold { task, .. } => _ = tasks.insert(task.clone()),
            Action::AddContact { name, .. } => _ = contacts.insert(name.clone()),
            _ => {}
        }
    }
    let names = Names { world, tasks, contacts };
    for (idx, phase) in phases.iter().enumerate() {
        let fault = |what: String| PhaseFault { number: idx + 1, name: Some(phase.name.clone()), what };
        if phases[..idx].iter().any(|other| other.name == phase.name) {
            return Err(fault("its name is that of an earlier phase".into()));
        }
        if let Some(next) = &phase.next {
            let known = phases.iter().map(|phase| phase.name.as_str());
            one_of("the name of a phase", next, known).map_err(fault)?;
        }
        for action in &phase.actions {
            names.check_action(action).map_err(fault)?;
        }
        for condition in &phase.until {
            names.check_condition(condition).map_err(fault)?;
        }
    }
    Ok(())
}

struct Names<'a> {
    world: &'a World,
    tasks: BTreeSet<String>,
    contacts: BTreeSet<String>,
}

impl Names<'_> {
    fn place(&self, at: &At) -> Result<(), String> {
        let subsystems = &self.world.scene.subsystems;
        let Some(subsystem) = self.world.subsystem(&at.who) else {
            return one_of("somebody or something", &at.who, subsystems.iter().map(|s| s.name.as_str()));
        };
        let frames = subsystems[subsystem].model.frames.iter().map(|frame| frame.name.as_str());
        one_of(&format!("a frame of `{}`", at.who), &at.frame, frames.filter(|name| !name.contains('#')))
    }

    fn task(&self, name: &str) -> Result<(), String> {
        one_of("a task", name, self.tasks.iter().map(String::as_str))
    }

    /// A task that is there from the beginning must be of the right kind.
    fn task_of(&self, name: &str, kind: &str, fits: impl Fn(&Feature) -> bool) -> Result<(), String> {
        self.task(name)?;
        match self.world.task(name) {
            Some(task) if !fits(&task.feature) => Err(format!("task `{name}`: expected {kind}")),
            _ => Ok(()),
        }
    }

    fn contact(&self, name: &str) -> Result<(), String> {
        one_of("a contact", name, self.contacts.iter().map(String::as_str))
    }

    fn check_action(&self, action: &Action) -> Result<(), String> {
        let center = |feature: &Feature| matches!(feature, Feature::CenterOfMass { .. });
        match action {
            Action::Swing { who, foot, landing, heading, on, height, aside, seconds } => {
                self.place(&At::new(who, format!("{}_sole", foot.name())))?;
                on.as_ref().map_or(Ok(()), |on| self.place(on))?;
                finite(
                    "`landing`, `heading`, `height` and `aside`",
                    landing.iter().chain([heading, height, aside]),
                )?;
                span(*seconds)
            }
            Action::Shift { task, over, seconds } => {
                self.task_of(task, "one of a centre of mass", center)?;
                match over {
                    Over::Point(point) | Over::By(point) => finite("`over`", point)?,
                    Over::Frames(frames) if frames.is_empty() => {
                        return Err("`over.frames`: expected at least one".into());
                    }
                    Over::Frames(frames) => frames.iter().try_for_each(|at| self.place(at))?,
                }
                span(*seconds)
            }
            Action::Move { task, through, seen_from, seconds } => {
                let joint = |f: &Feature| !matches!(f, Feature::Posture { .. } | Feature::Joint { .. });
                self.task_of(task, "one of a place", joint)?;
                seen_from.as_ref().map_or(Ok(()), |at| self.place(at))?;
                finite("`through`", through.iter().flat_map(|point| point.at.iter().chain(&point.turn)))?;
                span(*seconds)
            }
            Action::Turn { task, to, seconds } => {
                self.task_of(task, "one of a joint", |f| matches!(f, Feature::Joint { .. }))?;
                finite("`to`", [to])?;
                span(*seconds)
            }
            Action::Posture { task, joints, seconds } => {
                self.task_of(task, "one of a posture", |f| matches!(f, Feature::Posture { .. }))?;
                finite("`joints`", joints.iter().map(|(_, value)| value))?;
                if let Some(Feature::Posture { subsystem, .. }) =
                    self.world.task(task).map(|task| &task.feature)
                {
                    let model = &self.world.scene.subsystems[*subsystem].model;
                    for (joint, _) in joints {
                        one_of("a joint", joint, model.joints.iter().map(|joint| joint.name.as_str()))?;
                    }
                }
                span(*seconds)
            }
            Action::AddContact { on, with, patch, friction, area, .. } => {
                self.place(on)?;
                self.place(patch)?;
                with.as_ref().map_or(Ok(()), |with| self.place(with))?;
                let (super::Area::Planar(size) | super::Area::Grasp(size)) = area;
                positive("`friction` and `area`", size.iter().chain([friction]))
            }
            Action::RemoveContact { name } => self.contact(name),
            Action::Hold { at, weight, stiffness, .. } => {
                self.place(at)?;
                not_negative("`weight` and `stiffness`", [weight, stiffness])
            }
            Action::Drop { task } => self.task(task),
            Action::Weigh { task, weight } => {
                self.task(task)?;
                not_negative("`weight`", [weight])
            }
            Action::Interact => Ok(()),
        }
    }

    fn check_condition(&self, condition: &Condition) -> Result<(), String> {
        match condition {
            Condition::FootLanded { who, foot } => self.place(&At::new(who, format!("{}_sole", foot.name()))),
            Condition::CenterShifted { task, within } => {
                self.task_of(task, "one of a centre of mass", |f| matches!(f, Feature::CenterOfMass { .. }))?;
                positive("`within`", [within])
            }
            Condition::GraspMade { contact }
            | Condition::GraspReleased { contact }
            | Condition::ContactMade { contact }
            | Condition::ContactBroken { contact } => self.contact(contact),
            Condition::Arrived { task, within } => {
                self.task(task)?;
                positive("`within`", [within])
            }
            Condition::After { seconds } => not_negative("`seconds`", [seconds]),
            Condition::Never => Ok(()),
        }
    }
}

fn one_of<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let known: Vec<&str> = known.collect();
    if known.contains(&name) {
        return Ok(());
    }
    Err(format!("expected {what} ({}), found `{name}`", known.join(", ")))
}

fn finite<'a>(what: &str, values: impl IntoIterator<Item = &'a f64>) -> Result<(), String> {
    all(what, "finite numbers", values, f64::is_finite)
}

fn positive<'a>(what: &str, values: impl IntoIterator<Item = &'a f64>) -> Result<(), String> {
    all(what, "numbers above zero", values, |x| x > 0.0 && x.is_finite())
}

fn not_negative<'a>(what: &str, values: impl IntoIterator<Item = &'a f64>) -> Result<(), String> {
    all(what, "numbers not below zero", values, |x| x >= 0.0 && x.is_finite())
}

fn span(seconds: f64) -> Result<(), String> {
    positive("`seconds`", [&seconds])
}

fn all<'a>(
    what: &str,
    expected: &str,
    values: impl IntoIterator<Item = &'a f64>,
    fits: impl Fn(f64) -> bool,
) -> Result<(), String> {
    match values.into_iter().find(|value| !fits(**value)) {
        None => Ok(()),
        Some(value) => Err(format!("{what}: expected {expected}, found {value}")),
    }
}

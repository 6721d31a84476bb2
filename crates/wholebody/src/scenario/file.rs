//! Scenes of whole bodies as text: people, things and phases in TOML.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;
use serde::Deserialize;

use super::people::{self, Person};
use super::{Inputs, Options, Parts, Scenario, ScenarioError, Script, check_step, parts_of, set_delay};
use crate::humanoid::Stature;
use crate::model::{Model, ModelError};
use crate::objects;
use crate::phase::{self, Machine, PhaseFault, World};
use crate::scene::{Feature, Subsystem, Task};
use crate::spatial::{Pose, quaternion_of};

/// Why a text is no scene of whole bodies.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneFault {
    /// No TOML, or not of this form.
    #[error("{0}")]
    Text(String),
    /// A value that cannot be.
    #[error("{place}: expected {expected}, found {found}")]
    Value {
        /// Where.
        place: String,
        /// What it may be.
        expected: String,
        /// What it is.
        found: String,
    },
    /// A phase that cannot be.
    #[error(transparent)]
    Phase(#[from] PhaseFault),
    /// A scenario that cannot be.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
}

impl From<ModelError> for SceneFault {
    fn from(error: ModelError) -> Self {
        SceneFault::Scenario(error.into())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    body: Header,
    #[serde(default)]
    person: Vec<PersonText>,
    #[serde(default)]
    thing: Vec<ThingText>,
    #[serde(default)]
    task: Vec<TaskText>,
    #[serde(default)]
    phase: Vec<toml::Table>,
}

/// What the scene is about.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    /// A scenario whose people, things, tasks and inputs are taken; otherwise the file has its own.
    #[serde(default)]
    scenario: Option<String>,
    /// How long it runs (s).
    #[serde(default)]
    seconds: Option<f64>,
    /// Time step (s).
    #[serde(default)]
    dt: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PersonText {
    name: String,
    #[serde(default)]
    at: [f64; 3],
    #[serde(default)]
    heading: f64,
    #[serde(default)]
    height: Option<f64>,
    #[serde(default)]
    mass: Option<f64>,
    #[serde(default)]
    strength: Option<f64>,
    #[serde(default)]
    joints: BTreeMap<String, f64>,
    /// Things whose weight the person balances, too.
    #[serde(default)]
    balances: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Barbell,
    Box,
    Door,
    Lever,
    Litter,
    Sword,
    Valve,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ThingText {
    kind: Kind,
    /// Its kind by default.
    #[serde(default)]
    name: Option<String>,
    /// Of free things their origin, of articulated ones their axis at the ground (m).
    at: [f64; 3],
    /// Rotation vector of free things (rad).
    #[serde(default)]
    turn: [f64; 3],
    /// Of a box, or of each end of a barbell (kg).
    #[serde(default)]
    mass: Option<f64>,
    /// On which frame it stands, and half the edges of that area (m); free things without one fall or are held.
    #[serde(default)]
    stands: Option<Stands>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stands {
    frame: String,
    half: [f64; 2],
}

/// A joint of a thing that shall be somewhere.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskText {
    name: String,
    of: String,
    joint: String,
    #[serde(default)]
    weight: f64,
    #[serde(default = "usual_stiffness")]
    stiffness: f64,
}

fn usual_stiffness() -> f64 {
    30.0
}

impl Scenario {
    /// The scene of a text: `[body]`, `[[person]]`, `[[thing]]`, `[[task]]` and `[[phase]]`.
    ///
    /// ```
    /// use randori_wholebody::scenario::{Options, Scenario};
    /// let text = r#"
    ///     [body]
    ///     seconds = 3.0
    ///     [[person]]
    ///     name = "anna"
    ///     [[phase]]
    ///     name = "wait"
    ///     block = "interactive"
    /// "#;
    /// let mut scene = Scenario::read(text, &Options::default())?;
    /// scene.step();
    /// assert!(scene.trouble().is_none());
    /// # Ok::<(), randori_wholebody::scenario::SceneFault>(())
    /// ```
    pub fn read(text: &str, options: &Options) -> Result<Scenario, SceneFault> {
        let text: Text = toml::from_str(text).map_err(|error| SceneFault::Text(error.to_string()))?;
        let options = Options { dt: options.dt.or(text.body.dt), ..*options };
        let seconds = text.body.seconds;
        if let Some(seconds) = seconds.filter(|seconds| !(*seconds > 0.0 && seconds.is_finite())) {
            return Err(value("body.seconds", "more than zero", seconds));
        }
        check_step(text.body.scenario.as_deref().unwrap_or_default(), options.dt)?;
        let phases = phase::file::read(&text.phase)?;
        let mut parts = match &text.body.scenario {
            Some(name) => {
                if !(text.person.is_empty() && text.thing.is_empty() && text.task.is_empty()) {
                    let (expected, found) = ("no people, things and tasks beside `scenario`", name.as_str());
                    return Err(value("body.scenario", expected, found));
                }
                parts_of(name, &options)?
            }
            None => own(&text)?,
        };
        set_delay(&mut parts, &options)?;
        if !phases.is_empty() {
            parts.phases = phases;
        }
        phase::file::check(&parts.phases, &parts.world)?;
        parts.seconds = seconds.unwrap_or(parts.seconds);
        if let Some(dt) = options.dt {
            parts.world.scene.settings.dt = dt;
        }
        Ok(Scenario::of("scene", parts))
    }
}

fn value(place: impl Into<String>, expected: impl Into<String>, found: impl ToString) -> SceneFault {
    SceneFault::Value { place: place.into(), expected: expected.into(), found: found.to_string() }
}

/// Most people and things of a scene.
const MOST: usize = 32;

fn own(text: &Text) -> Result<Parts, SceneFault> {
    let mut world = super::empty(0.005);
    let count = text.person.len() + text.thing.len();
    if text.person.is_empty() || count > MOST {
        return Err(value("person", format!("1 to {MOST} people and things"), count));
    }
    for thing in &text.thing {
        add_thing(&mut world, thing)?;
    }
    for person in &text.person {
        add_person(&mut world, person)?;
    }
    for task in &text.task {
        let place = format!("task `{}`", task.name);
        let Some(subsystem) = world.subsystem(&task.of) else {
            return Err(value(place, "`of` one of the things", &task.of));
        };
        let Some(joint) = world.scene.subsystems[subsystem].model.joint(&task.joint) else {
            return Err(value(place, format!("a joint of `{}`", task.of), &task.joint));
        };
        let feature = Feature::Joint { subsystem, joint, position: 0.0 };
        world.scene.tasks.push(Task::new(&task.name, feature, task.weight, task.stiffness));
    }
    if let Some(fault) = world.scene.fault() {
        return Err(SceneFault::Text(fault));
    }
    Ok(Parts { world, phases: Vec::new(), inputs: Inputs::default(), script: Box::new(Plain), seconds: 10.0 })
}

fn unused(world: &World, name: &str) -> Result<(), SceneFault> {
    match world.subsystem(name) {
        Some(_) => Err(value(format!("`{name}`"), "a name of its own", "the name of another")),
        None => Ok(()),
    }
}

fn add_thing(world: &mut World, thing: &ThingText) -> Result<(), SceneFault> {
    let at = DVec3::from_array(thing.at);
    let turn = DVec3::from_array(thing.turn);
    let mass = thing.mass.unwrap_or(2.0);
    let place = || format!("thing `{}`", thing.name.as_deref().unwrap_or("without a name"));
    if !(at.is_finite() && turn.is_finite() && mass > 0.0 && mass < 1e4) {
        return Err(value(place(), "finite places and a mass above zero", mass));
    }
    let (model, is_free): (Model, bool) = match thing.kind {
        Kind::Barbell => (objects::barbell([mass; 2])?, true),
        Kind::Box => (objects::box_to_hold(mass)?, true),
        Kind::Litter => (objects::litter()?, true),
        Kind::Sword => (objects::sword()?, true),
        Kind::Door => (objects::door(at)?, false),
        Kind::Valve => (objects::valve(at)?, false),
        Kind::Lever => (objects::lever(at)?, false),
    };
    let name = thing.name.clone().unwrap_or_else(|| model.name.clone());
    unused(world, &name)?;
    let origin = model.name.clone();
    let idx = world.add(Subsystem::new(&name, Arc::new(model)));
    if is_free {
        people::put(world, idx, &origin, &Pose::new(quaternion_of(turn), at));
    }
    if let Some(stands) = &thing.stands {
        let Some(on) = world.scene.place(idx, &stands.frame) else {
            return Err(value(place(), "the name of one of its frames", &stands.frame));
        };
        if !stands.half.iter().all(|x| *x > 0.0 && x.is_finite()) {
            return Err(value(place(), "half edges above zero", format!("{:?}", stands.half)));
        }
        let area = crate::scene::ContactArea::Planar { half: stands.half };
        let pose = Pose::from_translation(world.pose(on).translation);
        let contact = world.scene.contact_here(format!("{name} stands"), on, None, pose, area, 0.8);
        world.scene.contacts.push(contact);
    }
    Ok(())
}

fn add_person(world: &mut World, person: &PersonText) -> Result<(), SceneFault> {
    let usual = Stature::default();
    let stature = Stature {
        height: person.height.unwrap_or(usual.height),
        mass: person.mass.unwrap_or(usual.mass),
        strength: person.strength.unwrap_or(1.5),
    };
    let place = format!("person `{}`", person.name);
    let in_range = (0.5..=2.5).contains(&stature.height)
        && (10.0..=300.0).contains(&stature.mass)
        && stature.strength > 0.0
        && !stature.strength.is_nan();
    let finite =
        person.at.iter().chain(person.joints.values()).chain([&person.heading]).all(|x| x.is_finite());
    if !in_range || !finite {
        let expected =
            "finite numbers, a height of 0.5 to 2.5 m, a mass of 10 to 300 kg and strength above zero";
        return Err(value(place, expected, format!("{stature:?}")));
    }
    unused(world, &person.name)?;
    let model = crate::humanoid::person_of(&person.name, stature)?;
    for joint in person.joints.keys() {
        let sides = [joint.clone(), format!("left_{joint}")];
        if sides.iter().all(|name| model.joint(name).is_none()) {
            return Err(value(place, "joints of a person, such as thigh_x or left_forearm_x", joint));
        }
    }
    let stance = [("thigh_x", -0.35), ("shank_x", 0.7), ("foot_x", -0.35)];
    let own = person.joints.iter().map(|(name, value)| (name.as_str(), *value));
    let joints: Vec<(&str, f64)> = stance.into_iter().chain(own).collect();
    let at = DVec3::from_array(person.at);
    let yaw = person.heading;
    let idx = people::add(world, &Person { name: &person.name, stature, at, yaw, joints: &joints })?;
    people::stand(world, idx, None);
    people::keep_posture(world, idx, 1.0, 15.0);
    let mut group = vec![idx];
    for name in &person.balances {
        match world.subsystem(name) {
            Some(thing) if world.scene.subsystems[thing].model.is_floating() => group.push(thing),
            _ => return Err(value(place, "`balances` free things", name)),
        }
    }
    people::keep_balance(world, &format!("{} balance", person.name), &group, 2000.0, 20.0);
    let chest = people::place(world, idx, "chest");
    people::keep_upright(world, &format!("{} upright", person.name), chest, 2.0, 15.0);
    Ok(())
}

/// Phases alone drive the scene.
struct Plain;

impl Script for Plain {
    fn drive(&mut self, _world: &mut World, _machine: &mut Machine, _inputs: &mut Inputs) {}

    fn results(&self, _world: &World) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}

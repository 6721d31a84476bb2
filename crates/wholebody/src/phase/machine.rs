//! Running phases.

use glam::{DMat3, DQuat, DVec3};

use super::track::Way;
use super::{Action, Area, At, Condition, NoteKind, Over, Phase, PhaseError, Side, World};
use crate::scene::{ContactArea, Feature, Place, Task};
use crate::spatial::{Pose, quaternion_of, rotation_vector};

/// Half edges of the area under a sole (m).
pub(crate) const SOLE: [f64; 2] = [0.04, 0.1];
/// Friction of soles (-).
pub(crate) const SOLE_FRICTION: f64 = 0.8;
/// A foot has landed when it is as near as this to its landing: in height (m), aside (m) and tilted (rad) ...
const LANDED: [f64; 3] = [4e-3, 0.03, 0.04];
/// ... and as slow (m/s, a tenth of rad/s).
const LANDED_SPEED: f64 = 0.06;
/// After this long beyond the end of its swing a foot stands where it is (s).
const PATIENCE: f64 = 0.6;
/// Weight of a swinging foot's task (-), and its stiffness (1/s²).
pub(crate) const SWING: [f64; 2] = [400.0, 300.0];

/// A foot in the air.
#[derive(Clone, Debug, PartialEq)]
struct Swing {
    who: String,
    foot: Side,
    task: String,
    on: Option<Place>,
    place: Place,
    until: f64,
}

/// Phases and the one that runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Machine {
    phases: Vec<Phase>,
    current: usize,
    began: f64,
    running: bool,
    interactive: bool,
    swings: Vec<Swing>,
}

impl Machine {
    /// A machine before its first phase.
    pub fn new(phases: Vec<Phase>) -> Machine {
        Machine { phases, ..Machine::default() }
    }

    /// Its phases.
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }

    /// The phase that runs; empty before the first.
    pub fn phase(&self) -> &str {
        self.phases.get(self.current).filter(|_| self.running).map_or("", |phase| &phase.name)
    }

    /// Whether the user moves targets now.
    pub fn is_interactive(&self) -> bool {
        self.interactive
    }

    /// Ends and begins phases as their conditions say.
    pub fn advance(&mut self, world: &mut World) -> Result<(), PhaseError> {
        self.land(world);
        if !self.running {
            self.running = true;
            self.begin(world)?;
            return Ok(());
        }
        let Some(phase) = self.phases.get(self.current) else { return Ok(()) };
        for condition in &phase.until {
            if !self.holds(condition, world, phase)? {
                return Ok(());
            }
        }
        let next =
            match &phase.next {
                None => self.current + 1,
                Some(name) => self.phases.iter().position(|phase| phase.name == *name).ok_or_else(|| {
                    PhaseError { phase: phase.name.clone(), what: "phase", name: name.clone() }
                })?,
            };
        if next < self.phases.len() {
            self.current = next;
            self.begin(world)?;
        }
        Ok(())
    }

    fn begin(&mut self, world: &mut World) -> Result<(), PhaseError> {
        let Some(phase) = self.phases.get(self.current).cloned() else { return Ok(()) };
        self.began = world.time;
        self.interactive = false;
        world.note(NoteKind::Phase, phase.name.clone());
        for action in &phase.actions {
            self.act(action, world, &phase.name)?;
        }
        Ok(())
    }

    fn act(&mut self, action: &Action, world: &mut World, phase: &str) -> Result<(), PhaseError> {
        let missing =
            |what: &'static str, name: &str| PhaseError { phase: phase.into(), what, name: name.into() };
        let place = |world: &World, at: &At| {
            world
                .place(&at.who, &at.frame)
                .ok_or_else(|| missing("frame", &format!("{} {}", at.who, at.frame)))
        };
        match action {
            Action::Swing { who, foot, landing, heading, on, height, aside, seconds } => {
                let frame = format!("{}_sole", foot.name());
                let sole = place(world, &At::new(who, &frame))?;
                let on = on.as_ref().map(|at| place(world, at)).transpose()?;
                let base = on.map_or(Pose::IDENTITY, |on| world.pose(on));
                let start = base.inverse() * world.pose(sole);
                let end = Pose::new(DQuat::from_rotation_y(*heading), DVec3::from_array(*landing));
                let top = start.translation.y.max(end.translation.y) + height;
                let out = end.rotation.x_axis * if *foot == Side::Left { *aside } else { -*aside };
                let quarter = |s: f64, turned: f64| {
                    let way = start.translation.lerp(end.translation, s) + out;
                    let rotation = between(&start.rotation, &end.rotation, turned);
                    Pose { rotation, translation: DVec3::new(way.x, top, way.z) }
                };
                // Turned evenly, so that the foot turns smoothly.
                let places = vec![start, quarter(0.25, 1.0 / 3.0), quarter(0.75, 2.0 / 3.0), end];
                self.swing(world, who, *foot, (sole, on), (places, *seconds), SWING);
            }
            Action::Shift { task, over, seconds } => {
                let known = world.task(task).ok_or_else(|| missing("task", task))?;
                let Feature::CenterOfMass { subsystems, .. } = &known.feature else {
                    return Err(missing("centre-of-mass task", task));
                };
                let start = world.center(subsystems);
                let way = match over {
                    Over::Point(point) => straight(start, DVec3::from_array(*point)),
                    Over::By(by) => straight(start, start + DVec3::from_array(*by)),
                    Over::Frames(frames) => {
                        let frames: Vec<Place> =
                            frames.iter().map(|at| place(world, at)).collect::<Result<_, _>>()?;
                        let from = start - world.middle(&frames).0;
                        Way::Above { frames, from, to: DVec3::new(0.0, from.y, 0.0) }
                    }
                };
                world.set_out(task, way, *seconds);
            }
            Action::Move { task, through, seen_from, seconds } => {
                let feature = world.task(task).ok_or_else(|| missing("task", task))?.feature.clone();
                let seen_from = seen_from.as_ref().map(|at| place(world, at)).transpose()?;
                let base = seen_from.map_or(Pose::IDENTITY, |at| world.pose(at));
                let here = match &feature {
                    Feature::CenterOfMass { subsystems, .. } => {
                        Pose::from_translation(world.center(subsystems))
                    }
                    Feature::Position { place, .. }
                    | Feature::Orientation { place, .. }
                    | Feature::Pose { place, .. } => world.pose(*place),
                    Feature::Posture { .. } | Feature::Joint { .. } => {
                        return Err(missing("task of a place", task));
                    }
                };
                let mut places = vec![base.inverse() * here];
                places.extend(through.iter().map(super::Waypoint::pose));
                world.set_out(task, Way::Through { places, seen_from }, *seconds);
            }
            Action::Turn { task, to, seconds } => {
                let known = world.task(task).ok_or_else(|| missing("task", task))?;
                let Feature::Joint { subsystem, joint, .. } = &known.feature else {
                    return Err(missing("task of a joint", task));
                };
                let subsystem = &world.scene.subsystems[*subsystem];
                let from = subsystem.q[subsystem.model.joints[joint.idx()].q_start];
                world.set_out(task, Way::Joint { from, to: *to }, *seconds);
            }
            Action::Posture { task, joints, seconds } => {
                let known = world.task(task).ok_or_else(|| missing("task", task))?;
                let Feature::Posture { subsystem, q } = &known.feature else {
                    return Err(missing("posture task", task));
                };
                let model = &world.scene.subsystems[*subsystem].model;
                let (from, mut to) = (q.clone(), q.clone());
                for (joint, value) in joints {
                    let id = model.joint(joint).ok_or_else(|| missing("joint", joint))?;
                    to[model.joints[id.idx()].q_start] = *value;
                }
                world.set_out(task, Way::Posture { from, to, scratch: Vec::new() }, *seconds);
            }
            Action::AddContact { name, on, with, patch, area, friction } => {
                let (on, patch) = (place(world, on)?, place(world, patch)?);
                let with = with.as_ref().map(|at| place(world, at)).transpose()?;
                let pose = world.pose(patch);
                add_contact(world, name, on, with, pose, *area, *friction);
            }
            Action::RemoveContact { name } => remove_contact(world, name),
            Action::Hold { task, at, position_only, weight, stiffness } => {
                let at = place(world, at)?;
                hold(world, task, at, *position_only, [*weight, *stiffness]);
            }
            Action::Drop { task } => drop_task(world, task),
            Action::Weigh { task, weight } => {
                world.task_mut(task).ok_or_else(|| missing("task", task))?.weight = *weight;
            }
            Action::Interact => self.interactive = true,
        }
        Ok(())
    }

    /// A foot leaves its contact and goes through places, the first where it is, as seen from what it lands on;
    /// at the last it stands. `effort` is weight and stiffness of its task.
    pub(crate) fn swing(
        &mut self,
        world: &mut World,
        who: &str,
        foot: Side,
        (sole, on): (Place, Option<Place>),
        (places, seconds): (Vec<Pose>, f64),
        effort: [f64; 2],
    ) {
        let task = format!("{who} {}_sole", foot.name());
        remove_contact(world, &task);
        hold(world, &task, sole, false, effort);
        world.set_out(&task, Way::Through { places, seen_from: on }, seconds);
        let until = world.time + seconds;
        self.swings.push(Swing { who: who.into(), foot, task, on, place: sole, until });
    }

    /// Whether a foot is in the air.
    pub(crate) fn swings(&self, who: &str, foot: Side) -> bool {
        self.swings.iter().any(|swing| swing.who == who && swing.foot == foot)
    }

    /// Feet that have come to their landing stand.
    fn land(&mut self, world: &mut World) {
        let mut k = 0;
        while k < self.swings.len() {
            let swing = &self.swings[k];
            let Some(task) = world.task(&swing.task) else {
                self.swings.remove(k);
                continue;
            };
            let velocity = world.velocity(swing.place);
            let under = swing.on.map_or_else(Default::default, |on| world.velocity(on));
            let slow = (velocity.linear - under.linear).length() < LANDED_SPEED
                && velocity.angular.length() < 10.0 * LANDED_SPEED;
            let there = slow && is_near(world, task);
            let over = world.time >= swing.until;
            if over && (there || world.time > swing.until + PATIENCE) {
                let swing = self.swings.remove(k);
                let pose = world.pose(swing.place);
                drop_task(world, &swing.task);
                add_contact(
                    world,
                    &swing.task,
                    swing.place,
                    swing.on,
                    pose,
                    Area::Planar(SOLE),
                    SOLE_FRICTION,
                );
                world.note(NoteKind::Footstep, swing.task);
            } else {
                k += 1;
            }
        }
    }

    fn holds(&self, condition: &Condition, world: &World, phase: &Phase) -> Result<bool, PhaseError> {
        let missing = |what: &'static str, name: &str| PhaseError {
            phase: phase.name.clone(),
            what,
            name: name.into(),
        };
        Ok(match condition {
            Condition::FootLanded { who, foot } => !self.swings(who, *foot),
            Condition::CenterShifted { task, within } => {
                let known = world.task(task).ok_or_else(|| missing("task", task))?;
                let Feature::CenterOfMass { subsystems, position } = &known.feature else {
                    return Err(missing("centre-of-mass task", task));
                };
                let off = world.center(subsystems) - *position;
                !world.is_under_way(task) && DVec3::new(off.x, 0.0, off.z).length() < *within
            }
            Condition::GraspMade { contact } | Condition::ContactMade { contact } => world.touches(contact),
            Condition::GraspReleased { contact } | Condition::ContactBroken { contact } => {
                !world.touches(contact)
            }
            Condition::Arrived { task, within } => {
                let known = world.task(task).ok_or_else(|| missing("task", task))?;
                !world.is_under_way(task) && world.distance(known) < *within
            }
            Condition::After { seconds } => world.time - self.began >= *seconds - 1e-9,
            Condition::Never => false,
        })
    }
}

/// The orientation at a share of the way from one to another.
pub(crate) fn between(from: &DMat3, to: &DMat3, share: f64) -> DMat3 {
    let turn = rotation_vector(&(*to * from.transpose()));
    DMat3::from_quat(quaternion_of(turn * share)) * *from
}

/// Whether a foot is where its task wants it.
fn is_near(world: &World, task: &Task) -> bool {
    let Feature::Pose { place, pose } = &task.feature else { return false };
    let here = world.pose(*place);
    let off = here.translation - pose.translation;
    let tilt = rotation_vector(&(pose.rotation * here.rotation.transpose())).length();
    off.y.abs() < LANDED[0] && DVec3::new(off.x, 0.0, off.z).length() < LANDED[1] && tilt < LANDED[2]
}

fn straight(from: DVec3, to: DVec3) -> Way {
    Way::Through { places: [from, to].map(Pose::from_translation).to_vec(), seen_from: None }
}

fn remove_contact(world: &mut World, name: &str) {
    if let Some(idx) = world.scene.contacts.iter().position(|contact| contact.name == name) {
        world.scene.contacts.remove(idx);
        world.note(NoteKind::ContactEnds, name);
    }
}

fn add_contact(
    world: &mut World,
    name: &str,
    on: Place,
    with: Option<Place>,
    patch: Pose,
    area: Area,
    friction: f64,
) {
    let area = match area {
        Area::Planar(half) => ContactArea::Planar { half },
        Area::Grasp([radius, half_length]) => ContactArea::Grasp { radius, half_length },
    };
    remove_contact(world, name);
    let contact = world.scene.contact_here(name, on, with, patch, area, friction);
    world.scene.contacts.push(contact);
    world.note(NoteKind::ContactBegins, name);
}

/// A task that keeps a frame where it is.
fn hold(world: &mut World, name: &str, place: Place, position_only: bool, [weight, stiffness]: [f64; 2]) {
    drop_task(world, name);
    let pose = world.pose(place);
    let feature = if position_only {
        Feature::Position { place, position: pose.translation }
    } else {
        Feature::Pose { place, pose }
    };
    world.scene.tasks.push(Task::new(name, feature, weight, stiffness));
}

fn drop_task(world: &mut World, name: &str) {
    world.tracks.retain(|track| track.task != name);
    world.scene.tasks.retain(|task| task.name != name);
}

//! Performing a reference under physics.

use std::sync::Arc;

use glam::{DMat3, DVec2, DVec3};

use super::lead::{SIDES, settled};
use super::pushes::Pushes;
use super::{Reference, TrackingError};
use crate::balance::support::Support;
use crate::dynamics::{self, Workspace};
use crate::model::{FrameId, Model};
use crate::objects;
use crate::phase::{Machine, World, blocks};
use crate::scenario::{Inputs, LINKS, Parts, Scenario, Script, people};
use crate::scene::{ContactArea, Controller, Feature, Place, Subsystem, Task};
use crate::spatial::{Motion, Pose};

/// How to perform a reference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Time step (s).
    pub dt: f64,
    /// Mass of a box between the hands (kg); none at zero.
    pub load: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { dt: 0.005, load: 0.0 }
    }
}

/// The person.
pub(super) const WHO: &str = "person";
/// What the person carries.
const LOAD: &str = "load";
/// Standing in the first pose before the clip begins (s).
const LEAD: f64 = 1.0;
/// Heaviest load (kg), and the time steps there are (s).
const HEAVIEST: f64 = 40.0;
const STEPS: [f64; 2] = [0.001, 0.034];
/// Who is so much lower than in the clip has fallen (m), or whose chest leans so much farther (rad).
const FALLEN: [f64; 2] = [0.25, 1.2];
/// Weight of the centre of mass (-): everything else gives way to balance.
const BALANCE: f64 = 1e6;

/// The scenario that performs a reference.
pub fn scenario(reference: Reference, settings: &Settings) -> Result<Scenario, TrackingError> {
    let setting = |what, expected, found| TrackingError::Setting { what, expected, found };
    if !(STEPS[0]..=STEPS[1]).contains(&settings.dt) {
        return Err(setting("time step (s)", "0.001 to 0.034", settings.dt));
    }
    if !(0.0..=HEAVIEST).contains(&settings.load) {
        return Err(setting("load (kg)", "0 to 40", settings.load));
    }
    let mut world = crate::scenario::empty(settings.dt);
    let mut subsystem = Subsystem::new(WHO, Arc::clone(&reference.model));
    subsystem.q.clone_from(&reference.q[0]);
    let who = world.add(subsystem);
    let soles = reference.stances.each_ref().map(|stances| stances[0].sole);
    people::pull(&mut world, who, &[("left_sole", soles[0]), ("right_sole", soles[1])]);
    people::stand(&mut world, who, None);
    let mut group = vec![who];
    if settings.load > 0.0 {
        group.push(add_load(&mut world, who, settings.load)?);
    }
    people::keep_posture(&mut world, who, 2.0, 80.0);
    people::keep_balance(&mut world, "balance", &group, BALANCE, 30.0);
    for (name, weight) in [("pelvis", 30.0), ("chest", 20.0), ("head", 2.0)] {
        let feature =
            Feature::Orientation { place: people::place(&world, who, name), rotation: DMat3::IDENTITY };
        world.scene.tasks.push(Task::new(name, feature, weight, 120.0));
    }
    for frame in ["left_grip", "right_grip"] {
        let feature = Feature::Position { place: people::place(&world, who, frame), position: DVec3::ZERO };
        world.scene.tasks.push(Task::new(frame, feature, 3.0, 80.0));
    }
    // Waiting for balance may take longer than the clip.
    let seconds = 2.5 * reference.duration() + LEAD;
    let track = Track::new(reference, &world, who, group, settings);
    let phases = vec![blocks::interactive("track", None)];
    Ok(Scenario::of(
        "track",
        Parts { world, phases, inputs: Inputs::default(), script: Box::new(track), seconds },
    ))
}

/// A box between the hands, grasped by both.
fn add_load(world: &mut World, who: usize, mass: f64) -> Result<usize, TrackingError> {
    let grips = ["left_grip", "right_grip"].map(|grip| people::place(world, who, grip));
    let [left, right] = grips.map(|grip| world.pose(grip));
    let across = left.translation - right.translation;
    let width = across.length().clamp(0.1, 0.8);
    let load = world.add(Subsystem::new(LOAD, Arc::new(objects::load(mass, width)?)));
    let x = across.try_normalize().unwrap_or(DVec3::X);
    let z = x.cross(DVec3::Y).try_normalize().unwrap_or(DVec3::Z);
    let rotation = DMat3::from_cols(x, z.cross(x), z);
    let middle = 0.5 * (left.translation + right.translation);
    people::put(world, load, LOAD, &Pose { rotation, translation: middle });
    for (grip, pose) in grips.into_iter().zip([left, right]) {
        let with = people::place(world, load, LOAD);
        let area = ContactArea::Grasp { radius: 0.02, half_length: 0.035 };
        let pose = Pose { rotation, ..pose };
        let side = if pose.translation == left.translation { "left" } else { "right" };
        let contact = world.scene.contact_here(format!("{side} grasp"), grip, Some(with), pose, area, 0.9);
        world.scene.contacts.push(contact);
    }
    Ok(load)
}

pub(super) struct Track {
    pub(super) reference: Reference,
    who: usize,
    pub(super) group: Vec<usize>,
    /// Of the group, by frame (m), and where the feet push for it.
    pub(super) centers: Vec<DVec3>,
    pub(super) pushes: Pushes,
    /// Where in the clip the person is (s): it waits for feet that are late.
    pub(super) time: f64,
    /// How long it has waited (s).
    pub(super) waited: f64,
    /// The stance each foot is in, or swings to; the foot in the air, and when it should be down (clip, s).
    pub(super) at: [usize; 2],
    pub(super) aloft: Option<usize>,
    pub(super) due: f64,
    /// How far beside its place in the clip each foot stands (m), and how far beside where it was planned to the one in the air
    /// will land (m).
    pub(super) offsets: [DVec2; 2],
    pub(super) bent: DVec2,
    /// How much lower than in the clip the person goes, so that legs reach (m).
    pub(super) dip: f64,
    /// Soles; hips, knees and ankles; names of contacts and tasks of the soles.
    pub(super) soles: [Place; 2],
    pub(super) legs: [[Place; 3]; 2],
    pub(super) names: [String; 2],
    pub(super) area: Support,
    /// The clip's person of the moment.
    pub(super) workspace: Workspace,
    pub(super) q: Vec<f64>,
    pub(super) v: Vec<f64>,
    links: Vec<FrameId>,
    chest: FrameId,
    pub(super) tally: Tally,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) steps: usize,
    moments: usize,
    tracked: f64,
    waited: f64,
    upright: Option<f64>,
    /// Sums over moments of means over links or joints, and the largest.
    off: f64,
    off_along: f64,
    off_from_pelvis: f64,
    largest: f64,
    angle: f64,
    lowest: f64,
    leaning: f64,
}

impl Track {
    fn new(reference: Reference, world: &World, who: usize, group: Vec<usize>, settings: &Settings) -> Track {
        let model = Arc::clone(&reference.model);
        let mut workspace = Workspace::new(&model);
        let zero = vec![0.0; model.n_v];
        let grips = ["left_grip", "right_grip"].map(|grip| people::place(world, who, grip).frame);
        let (mass, load) = (model.mass, settings.load);
        let centers: Vec<DVec3> = (reference.q.iter().zip(&reference.centers))
            .map(|(q, center)| {
                dynamics::update(&model, &mut workspace, q, &zero);
                let hands = grips.map(|grip| dynamics::frame_pose(&model, &workspace, grip).translation);
                (*center * mass + 0.5 * load * (hands[0] + hands[1])) / (mass + load)
            })
            .collect();
        let centers = settled(&centers, reference.fps);
        let links = LINKS.iter().filter_map(|(link, _)| model.frame(link)).collect();
        let place =
            |side: usize, part: &str| people::place(world, who, &format!("{}_{part}", SIDES[side].name()));
        let soles = [0, 1].map(|side| place(side, "sole"));
        let starts = [0, 1].map(|side| {
            let off = world.pose(soles[side]).translation - reference.stances[side][0].sole.translation;
            DVec2::new(off.x, off.z)
        });
        Track {
            pushes: Pushes::of(&centers, &reference.stances, reference.fps, LEAD),
            centers,
            time: -LEAD,
            waited: 0.0,
            at: [0; 2],
            aloft: None,
            due: 0.0,
            offsets: starts,
            bent: DVec2::ZERO,
            dip: 0.0,
            soles,
            legs: [0, 1].map(|side| ["thigh", "shank", "foot"].map(|part| place(side, part))),
            names: SIDES.map(|side| format!("{WHO} {}_sole", side.name())),
            area: Support::default(),
            workspace,
            q: Vec::new(),
            v: Vec::new(),
            links,
            chest: people::place(world, who, "chest").frame,
            tally: Tally { lowest: f64::INFINITY, ..Tally::default() },
            reference,
            who,
            group,
        }
    }

    /// Targets of the moment from the clip.
    fn aim(&mut self, world: &mut World, time: f64, moves: bool) {
        self.reference.sample(time, &mut self.q, &mut self.v);
        if !moves {
            self.v.fill(0.0);
        }
        let model = Arc::clone(&self.reference.model);
        dynamics::update(&model, &mut self.workspace, &self.q, &self.v);
        // Hands go where they are in the clip as seen from the centre of mass.
        let (mine, theirs) =
            (world.moving_center(&[self.who]), dynamics::center_of_mass(&model, &self.workspace));
        if let Some(task) = world.task_mut("person posture")
            && let Feature::Posture { q, .. } = &mut task.feature
        {
            q.clone_from(&self.q);
            task.velocity.clear();
            task.velocity.extend_from_slice(&self.v[6..]);
        }
        for name in ["pelvis", "chest", "head", "left_grip", "right_grip"] {
            let Some(task) = world.task_mut(name) else { continue };
            let at = |place: &Place| -> (Pose, Motion) {
                let pose = dynamics::frame_pose(&model, &self.workspace, place.frame);
                (pose, dynamics::frame_velocity(&model, &self.workspace, place.frame))
            };
            let velocity = match &mut task.feature {
                Feature::Orientation { place, rotation } => {
                    let (pose, motion) = at(place);
                    *rotation = pose.rotation;
                    motion.angular
                }
                Feature::Position { place, position } => {
                    let (pose, motion) = at(place);
                    *position = pose.translation + mine.position - theirs.position;
                    motion.linear + mine.velocity - theirs.velocity
                }
                _ => continue,
            };
            task.velocity.clear();
            task.velocity.extend(velocity.to_array());
        }
    }

    /// How far the person is from the clip.
    fn measure(&mut self, world: &World, time: f64) {
        let model: &Model = &self.reference.model;
        self.reference.sample(time, &mut self.q, &mut self.v);
        dynamics::update(model, &mut self.workspace, &self.q, &self.v);
        let beside = self.reference.beside(time);
        let pair = |link: FrameId| {
            let mine = world.pose(Place { subsystem: self.who, frame: link });
            (mine, dynamics::frame_pose(model, &self.workspace, link))
        };
        let share = 1.0 / self.links.len().max(1) as f64;
        let (pelvis, theirs) = pair(self.links[0]);
        let tally = &mut self.tally;
        for link in &self.links {
            let (a, b) = pair(*link);
            let off = a.translation.distance(b.translation - beside);
            tally.off += share * off;
            tally.off_along += share * a.translation.distance(b.translation);
            tally.off_from_pelvis +=
                share * (a.translation - pelvis.translation).distance(b.translation - theirs.translation);
            tally.largest = tally.largest.max(off);
        }
        let mine = &world.scene.subsystems[self.who].q;
        let joints = mine.len() - 7;
        tally.angle +=
            mine[7..].iter().zip(&self.q[7..]).map(|(a, b)| (a - b).abs()).sum::<f64>() / joints as f64;
        tally.moments += 1;
        tally.tracked += world.scene.settings.dt;
        let lower = theirs.translation.y - pelvis.translation.y;
        tally.lowest = tally.lowest.min(-lower);
        let tilt = |pose: &Pose| libm::acos(pose.rotation.y_axis.y.clamp(-1.0, 1.0));
        let (mine, theirs) = pair(self.chest);
        let leaning = tilt(&mine) - tilt(&theirs);
        tally.leaning = tally.leaning.max(leaning);
        if (lower > FALLEN[0] || leaning > FALLEN[1]) && tally.upright.is_none() {
            tally.upright = Some(tally.tracked);
        }
    }
}

impl Script for Track {
    fn drive(&mut self, world: &mut World, machine: &mut Machine, _inputs: &mut Inputs) {
        let dt = world.scene.settings.dt;
        self.land(world, machine);
        let course = self.course(world, self.time);
        let leaving = if self.aloft.is_some() { None } else { self.leaving(self.time + dt) };
        let late = self.aloft.is_some() && self.time + dt > self.due;
        let stays = leaving.is_some_and(|foot| !self.is_ready(&course, foot));
        if late || stays {
            self.waited += dt;
            self.tally.waited += dt;
        } else {
            self.time += dt;
            self.waited = 0.0;
        }
        if let Some(foot) = self.aloft {
            self.bend(world, foot, &course);
        } else if let Some(foot) = leaving.filter(|_| !stays) {
            self.lift(world, machine, foot, &course);
        }
        self.aim(world, self.time, !(late || stays));
        self.lead(world, &course, stays);
    }

    fn after(&mut self, world: &mut World, _controller: &Controller) {
        if (0.0..=self.reference.duration()).contains(&self.time) {
            self.measure(world, self.time);
        }
    }

    fn is_over(&self) -> bool {
        self.time > self.reference.duration() + LEAD
    }

    fn results(&self, _world: &World) -> Vec<(&'static str, f64)> {
        let tally = &self.tally;
        let share = 1.0 / tally.moments.max(1) as f64;
        vec![
            ("clip (s)", self.reference.duration()),
            ("tracked for (s)", tally.tracked),
            ("upright for (s)", tally.upright.unwrap_or(tally.tracked)),
            ("waited for balance (s)", tally.waited),
            ("steps", tally.steps as f64),
            ("links off their places in the clip, mean (m)", share * tally.off),
            ("links off their places along the shortened steps, mean (m)", share * tally.off_along),
            ("links off their places as seen from the pelvis, mean (m)", share * tally.off_from_pelvis),
            ("a link off its place, largest (m)", tally.largest),
            ("joints off their angles, mean (rad)", share * tally.angle),
            ("pelvis below its place, most (m)", (-tally.lowest).max(0.0)),
            ("chest leaning farther than in the clip, most (rad)", tally.leaning),
            ("shortened steps lead beside the clip by (m)", self.reference.beside(f64::INFINITY).length()),
            ("clip on the person: links off, mean (m)", self.reference.fit),
            ("share of the clip without a foot on the ground", self.reference.flight),
        ]
    }
}

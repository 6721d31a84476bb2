//! Performing a reference under physics.

use std::sync::Arc;

use glam::{DMat3, DVec2, DVec3};

use super::feet::Stance;
use super::{Reference, TrackingError};
use crate::balance::preview::{Plan, Preview, Weights};
use crate::balance::support::{Support, sole};
use crate::dynamics::{self, Workspace};
use crate::model::{FrameId, Model};
use crate::objects;
use crate::phase::{Machine, Side, World, blocks};
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
const WHO: &str = "person";
/// What the person carries.
const LOAD: &str = "load";
/// Standing in the first pose before the clip begins (s).
const LEAD: f64 = 1.0;
/// How far ahead pushes are planned (s).
const HORIZON: f64 = 1.6;
/// Pushes are planned in soles smaller by this all round (m).
const MARGIN: f64 = 0.012;
/// Heaviest load (kg), and the time steps there are (s).
const HEAVIEST: f64 = 40.0;
const STEPS: [f64; 2] = [0.001, 0.034];
/// Of the preview: to follow the clip's centre of mass matters a little.
const WEIGHTS: Weights = Weights { push: 1.0, center: 0.05, jerk: 1e-6 };
/// Shortest swing that is begun late (s).
const SHORTEST: f64 = 0.2;
/// Who is so much lower than in the clip has fallen (m).
const FALLEN: f64 = 0.25;

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
    people::keep_posture(&mut world, who, 2.0, 120.0);
    people::keep_balance(&mut world, "balance", &group, 1000.0, 30.0);
    for (name, frame, weight) in [("pelvis", "pelvis", 30.0), ("chest", "chest", 20.0), ("head", "head", 2.0)]
    {
        let feature =
            Feature::Orientation { place: people::place(&world, who, frame), rotation: DMat3::IDENTITY };
        world.scene.tasks.push(Task::new(name, feature, weight, 120.0));
    }
    for frame in ["left_grip", "right_grip"] {
        let feature = Feature::Position { place: people::place(&world, who, frame), position: DVec3::ZERO };
        world.scene.tasks.push(Task::new(frame, feature, 10.0, 120.0));
    }
    let seconds = reference.duration() + LEAD;
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

struct Track {
    reference: Reference,
    who: usize,
    group: Vec<usize>,
    /// Of the group, by frame (m).
    centers: Vec<DVec3>,
    /// Where the feet should push, by frame (x and z, m).
    pushes: Vec<DVec2>,
    preview: Option<Preview>,
    /// The stance each foot is in, or swings to.
    at: [usize; 2],
    /// The clip's person of the moment.
    workspace: Workspace,
    q: Vec<f64>,
    v: Vec<f64>,
    /// Of the centre of mass along x and z before the step (m/s), and what the step made of it (m/s²).
    speeds: [f64; 2],
    accelerations: [f64; 2],
    links: Vec<FrameId>,
    tally: Tally,
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    steps: usize,
    moments: usize,
    tracked: f64,
    upright: Option<f64>,
    /// Sums over moments of means over links or joints, and the largest.
    off: f64,
    off_from_pelvis: f64,
    largest: f64,
    angle: f64,
    lowest: f64,
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
        let height = centers.iter().map(|center| center.y).sum::<f64>() / centers.len() as f64;
        let pushes = pushes(&reference, &centers, height);
        let links = LINKS.iter().filter_map(|(link, _)| model.frame(link)).collect();
        Track {
            preview: Preview::new(settings.dt, height, 9.81, WEIGHTS),
            centers,
            pushes,
            at: [0; 2],
            workspace,
            q: Vec::new(),
            v: Vec::new(),
            speeds: [0.0; 2],
            accelerations: [0.0; 2],
            links,
            tally: Tally { lowest: f64::INFINITY, ..Tally::default() },
            reference,
            who,
            group,
        }
    }

    /// Feet leave and land as the schedule says; one that has not landed keeps the other down.
    fn step(&mut self, world: &mut World, machine: &mut Machine, time: f64) {
        for (foot, side) in [Side::Left, Side::Right].into_iter().enumerate() {
            if machine.swings(WHO, side) || machine.swings(WHO, side.other()) {
                continue;
            }
            let stances = &self.reference.stances[foot];
            let here = self.at[foot];
            if time < stances[here].until || here + 1 >= stances.len() {
                continue;
            }
            let next = stances[here + 1];
            let seconds = (next.from - time).max(SHORTEST);
            let place = people::place(world, self.who, &format!("{}_sole", side.name()));
            let places = self.way(place.frame, world.pose(place), &next, time, seconds);
            machine.swing(world, WHO, side, (place, None), places, seconds);
            self.at[foot] = here + 1;
            self.tally.steps += 1;
        }
    }

    /// The clip's way of a foot, bent so that it begins and ends where the foot does.
    fn way(&mut self, frame: FrameId, start: Pose, next: &Stance, time: f64, seconds: f64) -> Vec<Pose> {
        let model = Arc::clone(&self.reference.model);
        let mut at = |t: f64| {
            self.reference.sample(t, &mut self.q, &mut self.v);
            dynamics::update(&model, &mut self.workspace, &self.q, &self.v);
            dynamics::frame_pose(&model, &self.workspace, frame)
        };
        let (first, last) = (at(time), at(time + seconds));
        let mut places = vec![start];
        // When a target that starts and ends at rest has gone a quarter, half and three quarters of its way.
        for (share, moment, lift) in [(0.25, 0.3595, 0.025), (0.5, 0.5, 0.035), (0.75, 0.6405, 0.025)] {
            let there = at(time + moment * seconds);
            let bend =
                (start.translation - first.translation).lerp(next.sole.translation - last.translation, share);
            let mut place = there.translation + bend;
            // Toes and heels stay above the ground.
            let tilt = 0.12 * there.rotation.z_axis.y.abs() + 0.04 * there.rotation.x_axis.y.abs();
            place.y = place.y.max(lift + tilt);
            places.push(Pose { rotation: there.rotation, translation: place });
        }
        places.push(next.sole);
        places
    }

    /// Targets of the moment from the clip.
    fn aim(&mut self, world: &mut World, time: f64) {
        self.reference.sample(time, &mut self.q, &mut self.v);
        let model = Arc::clone(&self.reference.model);
        dynamics::update(&model, &mut self.workspace, &self.q, &self.v);
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
                    *position = pose.translation;
                    motion.linear
                }
                _ => continue,
            };
            task.velocity.clear();
            task.velocity.extend(velocity.to_array());
        }
    }

    /// The centre of mass, led by what the feet can do in the time ahead.
    fn lead(&mut self, world: &mut World, time: f64) {
        let Some(preview) = &self.preview else { return };
        let dt = world.scene.settings.dt;
        let center = world.moving_center(&self.group);
        let (at, speed) = (center.position.to_array(), center.velocity.to_array());
        let fps = self.reference.fps;
        let last = self.pushes.len() - 1;
        let n = (HORIZON / dt) as usize;
        let mut target = [[0.0; 3]; 3];
        for (axis, acceleration) in [0, 2].into_iter().zip(self.accelerations) {
            let plan = (1..=n).map(|k| {
                let x = ((time + k as f64 * dt) * fps).clamp(0.0, last as f64);
                let k = (x as usize).min(last.saturating_sub(1));
                let next = (k + 1).min(last);
                let mix = |a: f64, b: f64| a + (x - k as f64) * (b - a);
                Plan {
                    push: mix(self.pushes[k].to_array()[axis / 2], self.pushes[next].to_array()[axis / 2]),
                    center: mix(self.centers[k].to_array()[axis], self.centers[next].to_array()[axis]),
                }
            });
            target[axis] = preview.next(&[at[axis], speed[axis], acceleration], plan);
        }
        let height = |t: f64| {
            let x = (t * fps).clamp(0.0, last as f64);
            let k = (x as usize).min(last.saturating_sub(1));
            let (a, b) = (self.centers[k].y, self.centers[(k + 1).min(last)].y);
            a + (x - k as f64) * (b - a)
        };
        let h = 0.5 / fps;
        target[1] = [height(time), (height(time + h) - height(time - h)) / (2.0 * h), 0.0];
        if let Some(task) = world.task_mut("balance")
            && let Feature::CenterOfMass { position, .. } = &mut task.feature
        {
            *position = DVec3::from_array(target.map(|axis| axis[0]));
            task.velocity.clear();
            task.velocity.extend(target.map(|axis| axis[1]));
            task.acceleration.clear();
            task.acceleration.extend(target.map(|axis| axis[2]));
        }
        self.speeds = [speed[0], speed[2]];
    }

    /// How far the person is from the clip.
    fn measure(&mut self, world: &World, time: f64) {
        let model: &Model = &self.reference.model;
        self.reference.sample(time, &mut self.q, &mut self.v);
        dynamics::update(model, &mut self.workspace, &self.q, &self.v);
        let pairs = self.links.iter().map(|link| {
            let mine = world.pose(Place { subsystem: self.who, frame: *link }).translation;
            (mine, dynamics::frame_pose(model, &self.workspace, *link).translation)
        });
        let pairs: Vec<(DVec3, DVec3)> = pairs.collect();
        let share = 1.0 / pairs.len().max(1) as f64;
        let (pelvis, theirs) = pairs[0];
        let tally = &mut self.tally;
        for (a, b) in &pairs {
            tally.off += share * a.distance(*b);
            tally.off_from_pelvis += share * (*a - pelvis).distance(*b - theirs);
            tally.largest = tally.largest.max(a.distance(*b));
        }
        let mine = &world.scene.subsystems[self.who].q;
        let joints = mine.len() - 7;
        tally.angle +=
            mine[7..].iter().zip(&self.q[7..]).map(|(a, b)| (a - b).abs()).sum::<f64>() / joints as f64;
        tally.moments += 1;
        tally.tracked += world.scene.settings.dt;
        tally.lowest = tally.lowest.min(pelvis.y - theirs.y);
        if pelvis.y < theirs.y - FALLEN && tally.upright.is_none() {
            tally.upright = Some(tally.tracked);
        }
    }
}

/// Where the feet push in the clip: the zero-moment point of its centre of mass, brought into the area under the
/// feet that stand (x and z, m).
fn pushes(reference: &Reference, centers: &[DVec3], height: f64) -> Vec<DVec2> {
    let fps = reference.fps;
    let n = centers.len();
    let half = [crate::phase::SOLE[0] - MARGIN, crate::phase::SOLE[1] - MARGIN];
    // Accelerations over a tenth of a second: the clip's noise is no push.
    let reach = libm::ceil(0.1 * fps) as usize;
    (0..n)
        .map(|k| {
            let (before, after) = (k.saturating_sub(reach), (k + reach).min(n - 1));
            let reach = (after - k).min(k - before);
            let center = centers[k];
            let acceleration = if reach == 0 {
                DVec3::ZERO
            } else {
                let span = reach as f64 / fps;
                (centers[k + reach] - 2.0 * center + centers[k - reach]) / (span * span)
            };
            let push = center - acceleration * (height / 9.81);
            let t = k as f64 / fps;
            let standing = reference.stances.iter().flat_map(|stances| {
                stances.iter().filter(move |stance| (stance.from..stance.until).contains(&t))
            });
            let support = Support::of(standing.flat_map(|stance| sole(&stance.sole, half)));
            support.nearest(DVec2::new(push.x, push.z))
        })
        .collect()
}

impl Script for Track {
    fn drive(&mut self, world: &mut World, machine: &mut Machine, _inputs: &mut Inputs) {
        let time = world.time - LEAD;
        self.step(world, machine, time);
        self.aim(world, time + world.scene.settings.dt);
        self.lead(world, time);
    }

    fn after(&mut self, world: &mut World, _controller: &Controller) {
        let dt = world.scene.settings.dt;
        let velocity = world.moving_center(&self.group).velocity;
        let now = [velocity.x, velocity.z];
        self.accelerations = [0, 1].map(|axis| (now[axis] - self.speeds[axis]) / dt);
        let time = world.time - LEAD;
        if time >= 0.0 {
            self.measure(world, time);
        }
    }

    fn results(&self, _world: &World) -> Vec<(&'static str, f64)> {
        let tally = &self.tally;
        let share = 1.0 / tally.moments.max(1) as f64;
        vec![
            ("clip (s)", self.reference.duration()),
            ("tracked for (s)", tally.tracked),
            ("upright for (s)", tally.upright.unwrap_or(tally.tracked)),
            ("steps", tally.steps as f64),
            ("links off their places in the clip, mean (m)", share * tally.off),
            ("links off their places as seen from the pelvis, mean (m)", share * tally.off_from_pelvis),
            ("a link off its place, largest (m)", tally.largest),
            ("joints off their angles, mean (rad)", share * tally.angle),
            ("pelvis below its place, most (m)", (-tally.lowest).max(0.0)),
            ("clip on the person: links off, mean (m)", self.reference.fit),
            ("share of the clip without a foot on the ground", self.reference.flight),
        ]
    }
}

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
use crate::phase::{Machine, Side, World, between, blocks};
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

const SIDES: [Side; 2] = [Side::Left, Side::Right];
/// The person.
const WHO: &str = "person";
/// What the person carries.
const LOAD: &str = "load";
/// Standing in the first pose before the clip begins (s).
const LEAD: f64 = 1.0;
/// How far ahead pushes are planned (s).
const HORIZON: f64 = 1.6;
/// Pushes are planned in this part of a sole, half its edges (m): the rest is for what comes unplanned.
const PUSH: [f64; 2] = [0.012, 0.04];
/// Heaviest load (kg), and the time steps there are (s).
const HEAVIEST: f64 = 40.0;
const STEPS: [f64; 2] = [0.001, 0.034];
/// Of the preview: to follow the clip's centre of mass matters a little.
const WEIGHTS: Weights = Weights { push: 1.0, center: 0.01, jerk: 1e-6 };
/// Width (sigma) of the Gaussian that smooths the height of the centre of mass (s).
const HEIGHT_SMOOTHING: f64 = 0.1;
/// Weight (-) and stiffness (1/s²) of a swinging foot: a foot that lands late is a fall.
const EFFORT: [f64; 2] = [2e4, 400.0];
/// Highest that a foot is lifted (m).
const HIGHEST: f64 = 0.3;
/// A foot leaves when the person would come to rest so far inside the foot that stays (m).
const READY: f64 = 0.015;
/// A foot that has waited longer leaves anyway (s).
const LONGEST_WAIT: f64 = 3.0;
/// Legs that are less stretched let the person rise, those that are more make it sink (-), at these paces (m/s), so far
/// at most (m).
const STRETCH: [f64; 2] = [0.97, 0.985];
const DIP: [f64; 2] = [0.3, 0.15];
const DEEPEST: f64 = 0.2;
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
    people::keep_posture(&mut world, who, 2.0, 80.0);
    people::keep_balance(&mut world, "balance", &group, 2e5, 30.0);
    for (name, frame, weight) in [("pelvis", "pelvis", 30.0), ("chest", "chest", 20.0), ("head", "head", 2.0)]
    {
        let feature =
            Feature::Orientation { place: people::place(&world, who, frame), rotation: DMat3::IDENTITY };
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

struct Track {
    reference: Reference,
    who: usize,
    group: Vec<usize>,
    /// Of the group, by frame (m).
    centers: Vec<DVec3>,
    preview: Option<Preview>,
    plan: Vec<[Plan; 2]>,
    /// Where in the clip the person is (s): it waits for feet that are late.
    time: f64,
    /// How long it has waited (s).
    waited: f64,
    /// How much lower than in the clip the person goes, so that legs reach (m).
    dip: f64,
    /// The stance each foot is in, or swings to, and when a swing should end (clip, s).
    at: [usize; 2],
    due: [f64; 2],
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
    waited: f64,
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
        let centers = settled(&centers, reference.fps);
        let height = centers.iter().map(|center| center.y).sum::<f64>() / centers.len() as f64;
        let links = LINKS.iter().filter_map(|(link, _)| model.frame(link)).collect();
        Track {
            preview: Preview::new(settings.dt, height, 9.81, WEIGHTS),
            centers,
            plan: Vec::new(),
            time: -LEAD,
            waited: 0.0,
            dip: 0.0,
            at: [0; 2],
            due: [0.0; 2],
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

    /// The foot that is in the air, or is to leave now.
    fn lifted(&self, machine: &Machine, time: f64) -> Option<usize> {
        let swings = (0..2).find(|foot| machine.swings(WHO, SIDES[*foot]));
        swings.or_else(|| {
            (0..2).find(|foot| {
                let (stances, here) = (&self.reference.stances[*foot], self.at[*foot]);
                time >= stances[here].until && here + 1 < stances.len()
            })
        })
    }

    /// Whether a foot may leave: the point over which the person would come to rest is on the foot that stays.
    fn is_ready(&self, world: &World, foot: usize) -> bool {
        let center = world.moving_center(&self.group);
        let pace = libm::sqrt(center.position.y.max(0.3) / 9.81);
        let rest = center.position + pace * center.velocity;
        let stays = self.reference.stances[1 - foot][self.at[1 - foot]].sole;
        let area = Support::of(sole(&stays, crate::phase::SOLE));
        area.margin(DVec2::new(rest.x, rest.z)) > READY || self.waited > LONGEST_WAIT
    }

    /// Feet leave and land as the schedule says; one that has not landed keeps the other down.
    fn step(&mut self, world: &mut World, machine: &mut Machine, time: f64) {
        for (foot, side) in SIDES.into_iter().enumerate() {
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
            machine.swing(world, WHO, side, (place, None), (places, seconds), EFFORT);
            self.at[foot] = here + 1;
            self.due[foot] = time + seconds;
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
            place.y = place.y.clamp(lift, HIGHEST);
            // Turned evenly, so that the foot turns smoothly.
            let rotation = between(&start.rotation, &next.sole.rotation, share);
            places.push(Pose { rotation, translation: place });
        }
        places.push(next.sole);
        places
    }

    /// Targets of the moment from the clip.
    fn aim(&mut self, world: &mut World, time: f64, moves: bool) {
        self.reference.sample(time, &mut self.q, &mut self.v);
        if !moves {
            self.v.fill(0.0);
        }
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
    fn lead(&mut self, world: &mut World, time: f64, lifted: Option<usize>) {
        let Some(preview) = &self.preview else { return };
        let dt = world.scene.settings.dt;
        let center = world.moving_center(&self.group);
        let (at, speed) = (center.position.to_array(), center.velocity.to_array());
        let fps = self.reference.fps;
        let last = self.centers.len() - 1;
        let n = (HORIZON / dt) as usize;
        let at_time = |t: f64| {
            let x = (t * fps).clamp(0.0, last as f64);
            let k = (x as usize).min(last.saturating_sub(1));
            self.centers[k].lerp(self.centers[(k + 1).min(last)], x - k as f64)
        };
        // Below the clip's centre of mass, well inside the area under the feet that stay.
        let feet = (0..2).filter(|foot| Some(*foot) != lifted);
        let area =
            Support::of(feet.flat_map(|foot| sole(&self.reference.stances[foot][self.at[foot]].sole, PUSH)));
        let plan = |k: usize| {
            let center = at_time(time + if lifted.is_some() { 0.0 } else { k as f64 * dt });
            let push = area.nearest(DVec2::new(center.x, center.z));
            [Plan { push: push.x, center: push.x }, Plan { push: push.y, center: push.y }]
        };
        self.plan.clear();
        self.plan.extend((1..=n).map(plan));
        let mut target = [[0.0; 3]; 3];
        for (axis, acceleration) in [0, 2].into_iter().zip(self.accelerations) {
            let plan = self.plan.iter().map(|plan| plan[axis / 2]);
            target[axis] = preview.next(&[at[axis], speed[axis], acceleration], plan);
        }
        let height = |t: f64| {
            let x = (t * fps).clamp(0.0, last as f64);
            let k = (x as usize).min(last.saturating_sub(1));
            let (a, b) = (self.centers[k].y, self.centers[(k + 1).min(last)].y);
            a + (x - k as f64) * (b - a)
        };
        let h = 0.5 / fps;
        let stretch = self.stretch(world);
        let rate = if stretch > STRETCH[1] {
            DIP[0]
        } else if stretch < STRETCH[0] {
            -DIP[1]
        } else {
            0.0
        };
        self.dip = (self.dip + rate * dt).clamp(0.0, DEEPEST);
        target[1] = [height(time) - self.dip, (height(time + h) - height(time - h)) / (2.0 * h), 0.0];
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

    /// How far the leg of a foot that stands is stretched, at most (-).
    fn stretch(&self, world: &World) -> f64 {
        let standing =
            ["left", "right"].into_iter().filter(|side| world.touches(&format!("{WHO} {side}_sole")));
        let legs = standing.map(|side| {
            let at = |part: &str| {
                world.pose(people::place(world, self.who, &format!("{side}_{part}"))).translation
            };
            let (hip, knee, ankle) = (at("thigh"), at("shank"), at("foot"));
            hip.distance(ankle) / (hip.distance(knee) + knee.distance(ankle))
        });
        legs.fold(0.0, f64::max)
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

/// Ways of a centre of mass with smoother heights: who never leaves the ground cannot fall freely.
fn settled(centers: &[DVec3], fps: f64) -> Vec<DVec3> {
    let sigma = HEIGHT_SMOOTHING * fps;
    let reach = libm::ceil(3.0 * sigma) as isize;
    let weight = |k: isize| libm::exp(-0.5 * (k as f64 / sigma) * (k as f64 / sigma));
    let total: f64 = (-reach..=reach).map(weight).sum();
    let last = centers.len() as isize - 1;
    (0..=last)
        .map(|k| {
            let height = |j: isize| weight(j) * centers[(k + j).clamp(0, last) as usize].y;
            let y = (-reach..=reach).map(height).sum::<f64>() / total;
            DVec3 { y, ..centers[k as usize] }
        })
        .collect()
}

impl Script for Track {
    fn drive(&mut self, world: &mut World, machine: &mut Machine, _inputs: &mut Inputs) {
        let dt = world.scene.settings.dt;
        let lifted = self.lifted(machine, self.time + dt);
        let waits = lifted.is_some_and(|foot| {
            if machine.swings(WHO, SIDES[foot]) {
                self.time + dt > self.due[foot]
            } else {
                !self.is_ready(world, foot)
            }
        });
        if !waits {
            self.time += dt;
            self.waited = 0.0;
        } else {
            self.waited += dt;
            self.tally.waited += dt;
        }
        self.step(world, machine, self.time);
        self.aim(world, self.time, !waits);
        self.lead(world, self.time, lifted);
    }

    fn after(&mut self, world: &mut World, _controller: &Controller) {
        let dt = world.scene.settings.dt;
        let velocity = world.moving_center(&self.group).velocity;
        let now = [velocity.x, velocity.z];
        self.accelerations = [0, 1].map(|axis| (now[axis] - self.speeds[axis]) / dt);
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
            ("links off their places as seen from the pelvis, mean (m)", share * tally.off_from_pelvis),
            ("a link off its place, largest (m)", tally.largest),
            ("joints off their angles, mean (rad)", share * tally.angle),
            ("pelvis below its place, most (m)", (-tally.lowest).max(0.0)),
            ("clip on the person: links off, mean (m)", self.reference.fit),
            ("share of the clip without a foot on the ground", self.reference.flight),
        ]
    }
}

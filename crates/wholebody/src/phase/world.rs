//! A scene with time: what moves its targets, and what happened in it.

use glam::DVec3;

use super::delay::Hearsay;
use super::track::{Track, Way};
use crate::dynamics::{self, CenterOfMass, Workspace};
use crate::model::BodyId;
use crate::objects::Fixture;
use crate::scene::{Feature, Place, Scene, Task};
use crate::spatial::{Motion, Pose, rotation_vector};

/// A spring with damping at a degree of freedom without drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Which subsystem.
    pub subsystem: usize,
    /// Which of its degrees of freedom, index into `v`; its joint has one.
    pub dof: usize,
    /// Where its position is in `q`.
    pub q: usize,
    /// (N m/rad or N/m)
    pub stiffness: f64,
    /// (N m s/rad or N s/m)
    pub damping: f64,
    /// Where it is slack (rad or m).
    pub rest: f64,
}

/// What kind of thing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// A phase began.
    Phase,
    /// A contact began.
    ContactBegins,
    /// A contact ended.
    ContactEnds,
    /// A foot stands.
    Footstep,
    /// A step could not be solved as asked.
    Infeasible,
    /// Something the scenario has to say.
    Other,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// When (s).
    pub t: f64,
    /// What kind.
    pub kind: NoteKind,
    /// In words, or the name of what it is about.
    pub text: String,
}

/// A scene on the move.
#[derive(Clone, Default)]
pub struct World {
    /// Bodies, contacts, tasks.
    pub scene: Scene,
    /// Since the beginning (s).
    pub time: f64,
    /// What never moves.
    pub fixtures: Vec<Fixture>,
    /// Springs and dampers at passive joints.
    pub springs: Vec<Spring>,
    /// What happened, in order of time.
    pub notes: Vec<Note>,
    /// How late people know of each other (s).
    pub delay: f64,
    hearsay: Hearsay,
    pub(crate) tracks: Vec<Track>,
    kinematics: Vec<Workspace>,
}

impl World {
    /// A scene at time zero.
    pub fn new(scene: Scene) -> World {
        let mut world = World { scene, ..World::default() };
        world.refresh();
        world
    }

    /// Recomputes where everything is; after every change of a state or model.
    pub fn refresh(&mut self) {
        let scene = &self.scene;
        self.kinematics.truncate(scene.subsystems.len());
        for (idx, subsystem) in scene.subsystems.iter().enumerate() {
            if idx == self.kinematics.len() {
                self.kinematics.push(Workspace::new(&subsystem.model));
            } else if !self.kinematics[idx].fits(&subsystem.model) {
                self.kinematics[idx] = Workspace::new(&subsystem.model);
            }
            dynamics::update(&subsystem.model, &mut self.kinematics[idx], &subsystem.q, &subsystem.v);
        }
    }

    /// Adds a subsystem and answers its index.
    pub fn add(&mut self, subsystem: crate::scene::Subsystem) -> usize {
        let idx = self.scene.add(subsystem);
        self.refresh();
        idx
    }

    /// The subsystem of that name.
    pub fn subsystem(&self, name: &str) -> Option<usize> {
        self.scene.subsystems.iter().position(|subsystem| subsystem.name == name)
    }

    /// A frame, by names.
    pub fn place(&self, who: &str, frame: &str) -> Option<Place> {
        self.scene.place(self.subsystem(who)?, frame)
    }

    /// Where a frame is.
    pub fn pose(&self, place: Place) -> Pose {
        let model = &self.scene.subsystems[place.subsystem].model;
        dynamics::frame_pose(model, &self.kinematics[place.subsystem], place.frame)
    }

    /// How a frame moves; world axes.
    pub fn velocity(&self, place: Place) -> Motion {
        let model = &self.scene.subsystems[place.subsystem].model;
        dynamics::frame_velocity(model, &self.kinematics[place.subsystem], place.frame)
    }

    /// Where a subsystem's bodies are, in the order of its joints.
    pub fn bodies(&self, subsystem: usize) -> impl Iterator<Item = Pose> + '_ {
        let model = &self.scene.subsystems[subsystem].model;
        let kinematics = &self.kinematics[subsystem];
        (0..model.joints.len() as u32).map(move |idx| dynamics::body_pose(model, kinematics, BodyId(idx)))
    }

    /// The middle of some frames, and its speed.
    pub(crate) fn middle(&self, frames: &[Place]) -> (DVec3, DVec3) {
        let share = 1.0 / frames.len().max(1) as f64;
        let place = frames.iter().map(|frame| self.pose(*frame).translation).sum::<DVec3>();
        let speed = frames.iter().map(|frame| self.velocity(*frame).linear).sum::<DVec3>();
        (share * place, share * speed)
    }

    /// The common centre of mass of some subsystems.
    pub fn center(&self, subsystems: &[usize]) -> DVec3 {
        self.moving_center(subsystems).position
    }

    /// The same with its velocity.
    pub fn moving_center(&self, subsystems: &[usize]) -> CenterOfMass {
        let mut total = CenterOfMass::default();
        for idx in subsystems {
            let model = &self.scene.subsystems[*idx].model;
            total = total.joined(&dynamics::center_of_mass(model, &self.kinematics[*idx]));
        }
        total
    }

    /// The task of that name.
    pub fn task(&self, name: &str) -> Option<&Task> {
        self.scene.tasks.iter().find(|task| task.name == name)
    }

    /// The task of that name, to be changed.
    pub fn task_mut(&mut self, name: &str) -> Option<&mut Task> {
        self.scene.tasks.iter_mut().find(|task| task.name == name)
    }

    /// Whether a contact of that name holds.
    pub fn touches(&self, contact: &str) -> bool {
        self.scene.contacts.iter().any(|held| held.name == contact)
    }

    /// Moves the point that a position or centre of mass should be at; at once, at rest.
    pub fn aim(&mut self, task: &str, at: DVec3) {
        self.tracks.retain(|track| track.task != task);
        let Some(task) = self.task_mut(task) else { return };
        match &mut task.feature {
            Feature::Position { position, .. } | Feature::CenterOfMass { position, .. } => *position = at,
            Feature::Pose { pose, .. } => pose.translation = at,
            Feature::Posture { .. } | Feature::Joint { .. } | Feature::Orientation { .. } => {}
        }
    }

    /// How far a task's feature is from its target (m or rad; the larger of both for poses).
    pub fn distance(&self, task: &Task) -> f64 {
        let angle = |a: &glam::DMat3, b: &glam::DMat3| rotation_vector(&(*a * b.transpose())).length();
        match &task.feature {
            Feature::Posture { subsystem, q } => {
                let mine = &self.scene.subsystems[*subsystem];
                let first = if mine.model.is_floating() { 7 } else { 0 };
                let pairs = q[first..].iter().zip(&mine.q[first..]);
                pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
            }
            Feature::Joint { subsystem, joint, position } => {
                let subsystem = &self.scene.subsystems[*subsystem];
                (subsystem.q[subsystem.model.joints[joint.idx()].q_start] - position).abs()
            }
            Feature::CenterOfMass { subsystems, position } => self.center(subsystems).distance(*position),
            Feature::Position { place, position } => self.pose(*place).translation.distance(*position),
            Feature::Orientation { place, rotation } => angle(&self.pose(*place).rotation, rotation),
            Feature::Pose { place, pose } => {
                let here = self.pose(*place);
                here.translation.distance(pose.translation).max(angle(&here.rotation, &pose.rotation))
            }
        }
    }

    /// Writes down what happened now.
    pub fn note(&mut self, kind: NoteKind, text: impl Into<String>) {
        self.notes.push(Note { t: self.time, kind, text: text.into() });
    }

    /// A target sets out; it replaces one of the same task.
    pub(crate) fn set_out(&mut self, task: &str, way: Way, seconds: f64) {
        self.tracks.retain(|track| track.task != task);
        self.tracks.push(Track { task: task.into(), way, began: self.time, seconds });
    }

    /// Moves the end of the way of a task's target, and what is before it by its share of the way.
    pub(crate) fn bend(&mut self, task: &str, by: DVec3) {
        let Some(track) = self.tracks.iter_mut().find(|track| track.task == task) else { return };
        let Way::Through { places, .. } = &mut track.way else { return };
        let share = 1.0 / places.len().saturating_sub(1).max(1) as f64;
        for (k, place) in places.iter_mut().enumerate() {
            place.translation += k as f64 * share * by;
        }
    }

    /// Whether the target of a task is still on its way.
    pub(crate) fn is_under_way(&self, task: &str) -> bool {
        self.tracks.iter().any(|track| track.task == task && !track.is_over(self.time))
    }

    /// Makes common tasks as old as people know them, until [`World::hear_at_once`].
    pub(crate) fn hear_late(&mut self) {
        let mut hearsay = std::mem::take(&mut self.hearsay);
        hearsay.begin(self, self.delay);
        self.hearsay = hearsay;
    }

    /// Puts common tasks back.
    pub(crate) fn hear_at_once(&mut self) {
        let mut hearsay = std::mem::take(&mut self.hearsay);
        hearsay.end(self);
        self.hearsay = hearsay;
    }

    /// Moves the targets that are on their way, and the springs' forces.
    pub(crate) fn drive(&mut self) {
        // Of the end of the step: targets and bodies are compared where both will be.
        let time = self.time + self.scene.settings.dt;
        let mut tracks = std::mem::take(&mut self.tracks);
        for track in &mut tracks {
            let (mut base, mut drift) = (Pose::IDENTITY, DVec3::ZERO);
            match &track.way {
                Way::Through { seen_from: Some(place), .. } => base = self.pose(*place),
                Way::Above { frames, .. } => (base.translation, drift) = self.middle(frames),
                Way::Through { .. } | Way::Joint { .. } | Way::Posture { .. } => {}
            }
            let Some(idx) = self.scene.tasks.iter().position(|task| task.name == track.task) else {
                continue;
            };
            let task = &mut self.scene.tasks[idx];
            let model = match &task.feature {
                Feature::Posture { subsystem, .. } => Some(&*self.scene.subsystems[*subsystem].model),
                _ => None,
            };
            track.drive(task, model, &base, drift, time);
        }
        tracks.retain(|track| !track.is_over(self.time) || track.follows());
        self.tracks = tracks;
        for spring in &self.springs {
            let subsystem = &mut self.scene.subsystems[spring.subsystem];
            subsystem.applied[spring.dof] = -spring.stiffness * (subsystem.q[spring.q] - spring.rest)
                - spring.damping * subsystem.v[spring.dof];
        }
    }
}

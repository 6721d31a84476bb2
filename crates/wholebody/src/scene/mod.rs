//! Scenes: subsystems, their contacts, what they must avoid and what they try to do.
//!
//! Reference: \[Vaillant2017\], section 3. A [`Scene`] is plain data that may change between any two steps;
//! a [`Controller`] turns it into one quadratic program per step, solves it, and moves the scene on by the
//! accelerations found. Start at [`Controller::step`].
//!
//! Forces: each contact between subsystems has one wrench, which acts on one of them and, negated, on the
//! other (Newton's third law); contacts with the environment make up F0, those between subsystems F1. The
//! permutation that maps F1 to the reactions is the second side of each contact and never a matrix.
//!
//! Differs from the source: torques are substituted out (their limits become rows); each patch has one
//! six-dimensional no-slip law, at the ground too with the correction of drift; the turning of the direction
//! between two bodies is left out of the collision law: between convex bodies it only makes room.

mod assembly;
mod control;
mod explain;

use std::sync::Arc;

use glam::{DMat3, DVec3};

use crate::dynamics::{self, Workspace};
use crate::model::{BodyId, FrameId, Model, Shape};
use crate::spatial::{Motion, Pose};

pub use assembly::Assembly;
pub use control::{Controller, Outcome, Verdict};
pub use explain::{Explanation, Softness, Violation};

/// A character, an object or an articulated part of the environment.
#[derive(Clone, Debug)]
pub struct Subsystem {
    /// For messages; unique in its scene.
    pub name: String,
    /// Bodies and joints.
    pub model: Arc<Model>,
    /// Configuration, see [`crate::model`].
    pub q: Vec<f64>,
    /// Velocity.
    pub v: Vec<f64>,
    /// Generalised forces from elsewhere (springs, wind) (N or N m).
    pub applied: Vec<f64>,
}

impl Subsystem {
    /// At rest in its neutral configuration.
    pub fn new(name: impl Into<String>, model: Arc<Model>) -> Subsystem {
        let (q, n) = (model.neutral(), model.n_v);
        Subsystem { name: name.into(), model, q, v: vec![0.0; n], applied: vec![0.0; n] }
    }
}

/// A frame of a subsystem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Which subsystem.
    pub subsystem: usize,
    /// Which of its frames.
    pub frame: FrameId,
}

/// The form of a contact area, in the frame of its patch, whose y axis is the normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactArea {
    /// Four corners of a rectangle with half edges along x and z (m).
    Planar {
        /// (m)
        half: [f64; 2],
    },
    /// Four points around a cylinder along x (m).
    Grasp {
        /// (m)
        radius: f64,
        /// (m)
        half_length: f64,
    },
}

/// A contact area held together: no slip, forces inside friction pyramids.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// For messages.
    pub name: String,
    /// Whom the wrench pushes; the normal points into it.
    pub on: Place,
    /// Placement of the patch in that frame.
    pub on_from_patch: Pose,
    /// Whom it pushes back; `None` is the environment.
    pub with: Option<Place>,
    /// Placement of the patch in that frame, or in the world.
    pub with_from_patch: Pose,
    /// Form.
    pub area: ContactArea,
    /// Friction coefficient (-).
    pub friction: f64,
}

/// One of the two sides of a collision pair.
#[derive(Clone, Debug, PartialEq)]
pub enum Obstacle {
    /// A solid of a subsystem's model, by its index.
    Solid {
        /// Which subsystem.
        subsystem: usize,
        /// Index into [`Model::solids`].
        solid: usize,
    },
    /// A volume that is part of the environment.
    Fixed {
        /// Its form.
        shape: Shape,
        /// Its placement in the world.
        world_from_shape: Pose,
    },
    /// A body as somebody knows it who sees it late: it moves on as it was, whatever anybody does.
    Seen {
        /// Its form.
        shape: Shape,
        /// Its placement in the world.
        world_from_shape: Pose,
        /// How it moves: of its point at the world's origin, and angular.
        velocity: Motion,
    },
}

/// Two convex bodies that must not touch.
#[derive(Clone, Debug, PartialEq)]
pub struct CollisionPair {
    /// For messages.
    pub name: String,
    /// One of them.
    pub a: Obstacle,
    /// The other.
    pub b: Obstacle,
}

/// What a task is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Feature {
    /// All joints but the floating base, towards the configuration `q` of the subsystem.
    Posture {
        /// Which subsystem.
        subsystem: usize,
        /// Target configuration.
        q: Vec<f64>,
    },
    /// One joint with one degree of freedom, towards a position (rad or m).
    Joint {
        /// Which subsystem.
        subsystem: usize,
        /// Which joint.
        joint: BodyId,
        /// Target.
        position: f64,
    },
    /// The common centre of mass of one or several subsystems (m).
    CenterOfMass {
        /// Which subsystems.
        subsystems: Vec<usize>,
        /// Target.
        position: DVec3,
    },
    /// A frame's origin (m).
    Position {
        /// Which frame.
        place: Place,
        /// Target.
        position: DVec3,
    },
    /// A frame's orientation.
    Orientation {
        /// Which frame.
        place: Place,
        /// Target; columns are the frame's axes in the world.
        rotation: DMat3,
    },
    /// A frame's origin and orientation: a foot, a carried object, a sword.
    Pose {
        /// Which frame.
        place: Place,
        /// Target.
        pose: Pose,
    },
}

/// A feature, where it should be, and how much that matters.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// For messages.
    pub name: String,
    /// What, and its target.
    pub feature: Feature,
    /// Relative to other tasks (-); zero switches it off.
    pub weight: f64,
    /// Of the pull towards the target (1/s²); the damping is critical.
    pub stiffness: f64,
    /// Velocity of the target, as long as the feature has rows; empty for a target at rest.
    pub velocity: Vec<f64>,
    /// Acceleration of the target, likewise.
    pub acceleration: Vec<f64>,
}

impl Task {
    /// A task towards a target at rest.
    pub fn new(name: impl Into<String>, feature: Feature, weight: f64, stiffness: f64) -> Task {
        let (velocity, acceleration) = (Vec::new(), Vec::new());
        Task { name: name.into(), feature, weight, stiffness, velocity, acceleration }
    }
}

/// Velocity damper: how fast a distance may shrink inside its influence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Damper {
    /// Allowed closing speed at the influence distance (m/s or rad/s).
    pub gain: f64,
    /// Distance never to go below (m or rad).
    pub security: f64,
    /// Distance from which it acts (m or rad).
    pub influence: f64,
}

impl Damper {
    /// Smallest rate of change allowed at distance `d`.
    fn slowest(&self, d: f64) -> f64 {
        -self.gain * (d - self.security) / (self.influence - self.security)
    }
}

/// Constants of the controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Time step (s).
    pub dt: f64,
    /// (m/s²)
    pub gravity: DVec3,
    /// Cost of accelerations as such, which makes the optimum unique (-).
    pub acceleration_cost: f64,
    /// Cost of force coefficients, likewise (1/N²).
    pub force_cost: f64,
    /// At joint limits.
    pub joint_damper: Damper,
    /// At obstacles.
    pub collision_damper: Damper,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            dt: 0.01,
            gravity: DVec3::new(0.0, -9.81, 0.0),
            acceleration_cost: 1e-3,
            force_cost: 1e-5,
            joint_damper: Damper { gain: 2.0, security: 0.01, influence: 0.15 },
            collision_damper: Damper { gain: 1.0, security: 0.01, influence: 0.15 },
        }
    }
}

/// Everybody and everything.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Order matters only for the order of results.
    pub subsystems: Vec<Subsystem>,
    /// Contacts that hold now.
    pub contacts: Vec<Contact>,
    /// Bodies to keep apart.
    pub pairs: Vec<CollisionPair>,
    /// What to do.
    pub tasks: Vec<Task>,
    /// Constants.
    pub settings: Settings,
}

impl Scene {
    /// Adds a subsystem and answers its index.
    pub fn add(&mut self, subsystem: Subsystem) -> usize {
        self.subsystems.push(subsystem);
        self.subsystems.len() - 1
    }

    /// The frame of that name of a subsystem.
    pub fn place(&self, subsystem: usize, frame: &str) -> Option<Place> {
        self.subsystems[subsystem].model.frame(frame).map(|frame| Place { subsystem, frame })
    }

    /// Where a frame is now, in the world.
    pub fn pose_of(&self, place: Place) -> Pose {
        let subsystem = &self.subsystems[place.subsystem];
        let mut workspace = Workspace::new(&subsystem.model);
        dynamics::update(&subsystem.model, &mut workspace, &subsystem.q, &subsystem.v);
        dynamics::frame_pose(&subsystem.model, &workspace, place.frame)
    }

    /// Where the common centre of mass of some subsystems is now.
    pub fn center_of(&self, subsystems: &[usize]) -> DVec3 {
        let (mut sum, mut mass) = (DVec3::ZERO, 0.0);
        for idx in subsystems {
            let subsystem = &self.subsystems[*idx];
            let mut workspace = Workspace::new(&subsystem.model);
            dynamics::update(&subsystem.model, &mut workspace, &subsystem.q, &subsystem.v);
            let center = dynamics::center_of_mass(&subsystem.model, &workspace);
            sum += center.position * center.mass;
            mass += center.mass;
        }
        sum / mass
    }

    /// Joins two frames as they are now by a patch at `world_from_patch`.
    pub fn contact_here(
        &self,
        name: impl Into<String>,
        on: Place,
        with: Option<Place>,
        world_from_patch: Pose,
        area: ContactArea,
        friction: f64,
    ) -> Contact {
        let local = |place: Place| self.pose_of(place).inverse() * world_from_patch;
        Contact {
            name: name.into(),
            on,
            on_from_patch: local(on),
            with,
            with_from_patch: with.map_or(world_from_patch, local),
            area,
            friction,
        }
    }

    /// Why this scene cannot be controlled, in words; `None` if it can.
    pub fn fault(&self) -> Option<String> {
        let s = &self.settings;
        let positive = [s.dt, s.acceleration_cost, s.force_cost].iter().all(|x| *x > 0.0 && x.is_finite());
        let damper = |d: &Damper| d.gain >= 0.0 && d.influence > d.security && d.influence.is_finite();
        if !positive || !s.gravity.is_finite() || !damper(&s.joint_damper) || !damper(&s.collision_damper) {
            return Some("settings: times, costs and distances must be positive and finite".into());
        }
        for subsystem in &self.subsystems {
            if let Some(why) = subsystem.model.state_fault(&subsystem.q, &subsystem.v) {
                return Some(format!("subsystem `{}`: {why}", subsystem.name));
            }
            if subsystem.applied.len() != subsystem.model.n_v
                || subsystem.applied.iter().any(|x| !x.is_finite())
            {
                return Some(format!("subsystem `{}`: applied forces are not finite", subsystem.name));
            }
        }
        let known = |place: &Place| {
            let subsystem = self.subsystems.get(place.subsystem);
            subsystem.is_some_and(|subsystem| place.frame.idx() < subsystem.model.frames.len())
        };
        for contact in &self.contacts {
            if !known(&contact.on) || !contact.with.as_ref().is_none_or(known) {
                return Some(format!("contact `{}` names a frame that does not exist", contact.name));
            }
            if !(contact.friction > 0.0 && contact.friction.is_finite()) {
                return Some(format!("contact `{}`: friction must be positive", contact.name));
            }
        }
        for pair in &self.pairs {
            for side in [&pair.a, &pair.b] {
                if let Obstacle::Solid { subsystem, solid } = side
                    && self.subsystems.get(*subsystem).is_none_or(|s| *solid >= s.model.solids.len())
                {
                    return Some(format!("collision pair `{}` names a solid that does not exist", pair.name));
                }
            }
        }
        self.tasks
            .iter()
            .find_map(|task| self.task_fault(task).map(|why| format!("task `{}`: {why}", task.name)))
    }

    fn task_fault(&self, task: &Task) -> Option<String> {
        let model = |subsystem: usize| self.subsystems.get(subsystem).map(|s| &s.model);
        if !(task.weight >= 0.0
            && task.weight.is_finite()
            && task.stiffness >= 0.0
            && task.stiffness.is_finite())
        {
            return Some("weight and stiffness must not be negative".into());
        }
        let (rows, finite) = match &task.feature {
            Feature::Posture { subsystem, q } => {
                let Some(model) = model(*subsystem) else { return Some("no such subsystem".into()) };
                if let Some(why) = model.configuration_fault(q) {
                    return Some(why);
                }
                (model.n_v - if model.is_floating() { 6 } else { 0 }, true)
            }
            Feature::Joint { subsystem, joint, position } => {
                let Some(model) = model(*subsystem) else { return Some("no such subsystem".into()) };
                if model.joints.get(joint.idx()).is_none_or(|joint| joint.kind.n_q() != 1) {
                    return Some("needs a revolute or prismatic joint".into());
                }
                (1, position.is_finite())
            }
            Feature::CenterOfMass { subsystems, position } => {
                if subsystems.is_empty() || subsystems.iter().any(|s| model(*s).is_none()) {
                    return Some("no such subsystem".into());
                }
                (3, position.is_finite())
            }
            Feature::Position { place, position } => (self.known_rows(*place, 3)?, position.is_finite()),
            Feature::Orientation { place, rotation } => (self.known_rows(*place, 3)?, rotation.is_finite()),
            Feature::Pose { place, pose } => {
                (self.known_rows(*place, 6)?, pose.translation.is_finite() && pose.rotation.is_finite())
            }
        };
        let references = [&task.velocity, &task.acceleration];
        let fits = references.iter().all(|list| list.is_empty() || list.len() == rows);
        let numbers = references.iter().all(|list| list.iter().all(|x| x.is_finite()));
        (rows == 0 || !fits || !finite || !numbers)
            .then(|| format!("targets must be finite and have {rows} rows, of an existing frame"))
    }

    /// `rows`, or zero for a frame that does not exist.
    fn known_rows(&self, place: Place, rows: usize) -> Option<usize> {
        let known =
            self.subsystems.get(place.subsystem).is_some_and(|s| place.frame.idx() < s.model.frames.len());
        Some(if known { rows } else { 0 })
    }
}

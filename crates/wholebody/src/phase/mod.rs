//! Phases: a finite-state machine of contacts, targets and conditions by name.
//!
//! Reference: \[Vaillant2017\], section 3.6, figure 6 and appendix A. In each [`Phase`] the set of contacts and
//! tasks is fixed while targets move; it ends when all its [`Condition`]s hold. [`blocks`] are the building
//! blocks of the source's figure 6. All of it is plain data, which [`mod@file`] reads from text; [`Machine`] runs it in a [`World`].

pub mod blocks;
mod delay;
pub mod file;
mod machine;
mod track;
mod world;

use serde::{Deserialize, Serialize};

pub(crate) use delay::Sight;
pub use file::PhaseFault;
pub use machine::Machine;
pub(crate) use machine::{SWING, between};
pub use track::Waypoint;
pub(crate) use track::smooth;
pub use world::{Note, NoteKind, Spring, World};

/// Left or right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// A person's own left.
    Left,
    /// A person's own right.
    Right,
}

impl Side {
    /// `left` or `right`, as frames and joints are named.
    pub fn name(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
        }
    }

    /// The other one.
    pub fn other(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

/// A frame of a subsystem, by names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct At {
    /// The subsystem.
    pub who: String,
    /// Its frame.
    pub frame: String,
}

impl At {
    /// A frame of a subsystem.
    pub fn new(who: impl Into<String>, frame: impl Into<String>) -> At {
        At { who: who.into(), frame: frame.into() }
    }
}

/// The form of a new contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Area {
    /// Flat, half edges along the frame's x and z (m).
    Planar([f64; 2]),
    /// Around a cylinder along x: radius and half length (m).
    Grasp([f64; 2]),
}

/// Where a centre of mass goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Over {
    /// To a point (m).
    Point([f64; 3]),
    /// By so much (m).
    By([f64; 3]),
    /// Above the middle of these frames, its height unchanged.
    Frames(Vec<At>),
}

/// What a phase does when it begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// A foot leaves its contact, goes over a mid-step height to its landing, and stands there.
    Swing {
        /// Whose.
        who: String,
        /// Which.
        foot: Side,
        /// Where its sole lands (m), seen from `on` or the world.
        landing: [f64; 3],
        /// Which way it then points (rad about the vertical), seen likewise.
        #[serde(default)]
        heading: f64,
        /// What it lands on; the environment by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on: Option<At>,
        /// How high above start and landing it is mid-step (m).
        height: f64,
        /// How far aside its way-point mid-step is, towards its own side (m).
        #[serde(default)]
        aside: f64,
        /// How long the swing takes (s).
        seconds: f64,
    },
    /// The centre of mass of a task goes over something.
    Shift {
        /// The task.
        task: String,
        /// Where to.
        over: Over,
        /// How long it takes (s).
        seconds: f64,
    },
    /// The target of a task goes through way-points.
    Move {
        /// The task.
        task: String,
        /// Where to, and on what way.
        through: Vec<Waypoint>,
        /// What the way-points are seen from; the world by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seen_from: Option<At>,
        /// How long it takes (s).
        seconds: f64,
    },
    /// A joint's task goes to a position (rad or m).
    Turn {
        /// The task.
        task: String,
        /// Where to.
        to: f64,
        /// How long it takes (s).
        seconds: f64,
    },
    /// A person's rest pose changes in some joints.
    Posture {
        /// The posture task.
        task: String,
        /// Joints and where to (rad).
        joints: Vec<(String, f64)>,
        /// How long it takes (s).
        seconds: f64,
    },
    /// Two frames touch from now on, as they are.
    AddContact {
        /// Its name from now on.
        name: String,
        /// Whom it pushes.
        on: At,
        /// Whom it pushes back; the environment by default.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        with: Option<At>,
        /// The frame of `on` or `with` that the area lies in.
        patch: At,
        /// Form.
        area: Area,
        /// Friction coefficient (-).
        friction: f64,
    },
    /// A contact or grasp ends.
    RemoveContact {
        /// Its name.
        name: String,
    },
    /// A new task that keeps a frame where it is; it replaces one of the same name.
    Hold {
        /// Its name.
        task: String,
        /// The frame.
        at: At,
        /// Position only.
        #[serde(default)]
        position_only: bool,
        /// Weight (-).
        weight: f64,
        /// Stiffness (1/s²).
        stiffness: f64,
    },
    /// A task ends.
    Drop {
        /// The task.
        task: String,
    },
    /// A task matters more or less from now on.
    Weigh {
        /// The task.
        task: String,
        /// Weight (-).
        weight: f64,
    },
    /// From now on the user (or the script in the user's place) moves targets.
    Interact,
}

/// What must hold before a phase ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "when", rename_all = "snake_case", deny_unknown_fields)]
pub enum Condition {
    /// A swinging foot stands.
    FootLanded {
        /// Whose.
        who: String,
        /// Which.
        foot: Side,
    },
    /// A centre of mass has come, horizontally, to its target.
    CenterShifted {
        /// The task.
        task: String,
        /// Within this distance (m).
        within: f64,
    },
    /// A grasp exists.
    GraspMade {
        /// Its name.
        contact: String,
    },
    /// A grasp exists no more.
    GraspReleased {
        /// Its name.
        contact: String,
    },
    /// A contact exists.
    ContactMade {
        /// Its name.
        contact: String,
    },
    /// A contact exists no more.
    ContactBroken {
        /// Its name.
        contact: String,
    },
    /// A task's target has ended its way and its feature is there.
    Arrived {
        /// The task.
        task: String,
        /// Within this distance (m or rad).
        within: f64,
    },
    /// So much time has passed in the phase (s).
    After {
        /// (s)
        seconds: f64,
    },
    /// Never: the phase is the last.
    Never,
}

/// A state of the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Unique in its machine.
    pub name: String,
    /// What happens when it begins, in this order.
    pub actions: Vec<Action>,
    /// It ends when all of these hold.
    pub until: Vec<Condition>,
    /// The phase that follows; the next in the list by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// Why a phase cannot begin or be judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("phase `{phase}`: expected the name of a {what}, found `{name}`")]
pub struct PhaseError {
    /// The phase.
    pub phase: String,
    /// What was asked for.
    pub what: &'static str,
    /// By which name.
    pub name: String,
}

//! Multibody models: trees of bodies joined by joints, on a fixed or a floating base.
//!
//! A [`Model`] never changes once built and can be shared; states (`q`, `v`) and scratch memory
//! ([`crate::dynamics::Workspace`]) belong to the caller. Start at [`ModelBuilder`].
//!
//! Layout of states, joint after joint in the order of [`Model::joints`]:
//!
//! | joint | `q` | `v` |
//! |---|---|---|
//! | revolute | angle (rad) | rate (rad/s) |
//! | continuous | cos, sin | rate (rad/s) |
//! | prismatic | distance (m) | speed (m/s) |
//! | spherical | quaternion x y z w | angular velocity, child frame (rad/s) |
//! | floating | x y z (m), quaternion x y z w | linear (m/s), angular (rad/s), both in the child frame |

mod builder;

use glam::{DMat3, DQuat, DVec3};

pub use builder::ModelBuilder;

use crate::dynamics::MassFours;
use crate::spatial::{Inertia, Pose, quaternion_of, rotation_vector};

/// Bodies a model may have; far above any person or robot, low enough that quadratic work stays bounded.
pub const MAX_BODIES: usize = 1024;

/// Positions and velocities beyond this are a mistake (m, rad, and per second).
const LARGEST: f64 = 1e9;

/// A body (and the joint that moves it) in its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub u32);

impl BodyId {
    /// Index into [`Model::joints`].
    pub fn idx(self) -> usize {
        self.0 as usize
    }
}

/// A named frame of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(pub u32);

impl FrameId {
    /// Index into [`Model::frames`].
    pub fn idx(self) -> usize {
        self.0 as usize
    }
}

/// How a joint lets its body move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// About a unit axis of the joint's frame; the angle is stored.
    Revolute(DVec3),
    /// About a unit axis without end; cosine and sine are stored.
    Continuous(DVec3),
    /// Along a unit axis of the joint's frame.
    Prismatic(DVec3),
    /// About the joint's origin in every direction.
    Spherical,
    /// Freely.
    Floating,
}

impl JointKind {
    /// Numbers it takes in `q`.
    pub fn n_q(self) -> usize {
        match self {
            JointKind::Revolute(_) | JointKind::Prismatic(_) => 1,
            JointKind::Continuous(_) => 2,
            JointKind::Spherical => 4,
            JointKind::Floating => 7,
        }
    }

    /// Numbers it takes in `v`.
    pub fn n_v(self) -> usize {
        match self {
            JointKind::Revolute(_) | JointKind::Prismatic(_) | JointKind::Continuous(_) => 1,
            JointKind::Spherical => 3,
            JointKind::Floating => 6,
        }
    }
}

/// What a joint's drive and stops allow; the same for each of its degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Smallest and largest position (rad or m); infinite without stops. Ignored by joints with
    /// quaternions or cosines.
    pub position: [f64; 2],
    /// Largest speed (rad/s or m/s).
    pub velocity: f64,
    /// Largest torque or force of its drive (N m or N); `None` for a joint without drive.
    pub torque: Option<f64>,
}

impl Limits {
    /// No drive, no stops.
    pub const PASSIVE: Limits =
        Limits { position: [f64::NEG_INFINITY, f64::INFINITY], velocity: f64::INFINITY, torque: None };

    /// An unlimited drive without stops.
    pub const DRIVEN: Limits = Limits { torque: Some(f64::INFINITY), ..Limits::PASSIVE };
}

/// A joint and where it sits, as given to [`ModelBuilder::add_body`].
#[derive(Clone, Debug, PartialEq)]
pub struct JointSpec {
    /// Unique in its model.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// Placement of the joint at position zero in the parent body (or the world).
    pub parent_from_joint: Pose,
    /// Drive and stops.
    pub limits: Limits,
}

impl JointSpec {
    /// A driven joint without limits at the parent's origin.
    pub fn new(name: impl Into<String>, kind: JointKind) -> JointSpec {
        JointSpec { name: name.into(), kind, parent_from_joint: Pose::IDENTITY, limits: Limits::DRIVEN }
    }

    /// The same at another place.
    pub fn at(self, parent_from_joint: Pose) -> JointSpec {
        JointSpec { parent_from_joint, ..self }
    }

    /// The same with other limits.
    pub fn with_limits(self, limits: Limits) -> JointSpec {
        JointSpec { limits, ..self }
    }
}

/// A joint of a finished model.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Unique in its model.
    pub name: String,
    /// The body it hangs on; `None` is the world.
    pub parent: Option<BodyId>,
    /// How it moves.
    pub kind: JointKind,
    /// Drive and stops.
    pub limits: Limits,
    /// Where its numbers start in `q`.
    pub q_start: usize,
    /// Where its numbers start in `v`.
    pub v_start: usize,
    /// Mass moved with it, in its body's own frame.
    pub inertia: Inertia,
    /// From the parent's working frame to this joint's before it moves.
    pub(crate) parent_from_joint: Pose,
    /// The inertia in the working frame.
    pub(crate) working_mass: MassFours,
    /// Orientation of the working frame in the body's: about its z axis a revolute joint turns, which
    /// makes the turning of a pose twelve multiplications whatever the axis was.
    pub(crate) body_from_working: DMat3,
}

impl Joint {
    /// Where its numbers are in `v`.
    pub(crate) fn dofs(&self) -> std::ops::Range<usize> {
        self.v_start..self.v_start + self.kind.n_v()
    }
}

/// A named place on a body (or in the world).
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Unique in its model.
    pub name: String,
    /// The body it is fixed to; `None` is the world.
    pub body: Option<BodyId>,
    /// Placement in the body's own frame.
    pub body_from_frame: Pose,
    /// Placement in the working frame.
    pub(crate) working_from_frame: Pose,
}

/// A convex volume.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Everything within the radius of the origin (m).
    Ball {
        /// (m)
        radius: f64,
    },
    /// Everything within the radius of a segment of the given half length along y (m).
    Capsule {
        /// (m)
        half_length: f64,
        /// (m)
        radius: f64,
    },
    /// A box of the given half edges (m).
    Box {
        /// (m)
        half: DVec3,
    },
    /// A cylinder along y (m).
    Cylinder {
        /// (m)
        half_length: f64,
        /// (m)
        radius: f64,
    },
    /// The convex hull of points (m).
    Hull {
        /// (m)
        points: Vec<DVec3>,
    },
}

/// A volume fixed to a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// The frame it is fixed to, and named after.
    pub frame: FrameId,
    /// Its form.
    pub shape: Shape,
}

/// Why a model cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// A body that cannot exist.
    #[error("link `{link}`: {why}")]
    Inertia {
        /// Its name.
        link: String,
        /// What is wrong with it.
        why: String,
    },
    /// A joint whose motion moves no mass has no acceleration.
    #[error("joint `{joint}` moves no mass (link `{link}` and all beyond it are massless)")]
    MovesNoMass {
        /// The joint.
        joint: String,
        /// Its link.
        link: String,
    },
    /// A joint that cannot exist.
    #[error("joint `{joint}`: {why}")]
    Joint {
        /// Its name.
        joint: String,
        /// What is wrong with it.
        why: String,
    },
    /// A shape that cannot exist.
    #[error("shape at `{frame}`: {why}")]
    Shape {
        /// The frame it is fixed to.
        frame: String,
        /// What is wrong with it.
        why: String,
    },
    /// A name given twice.
    #[error("the {what} `{name}` occurs twice")]
    Duplicate {
        /// Joint, link or frame.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A name that nothing has.
    #[error("{wanted_by} names the {what} `{name}`, which does not exist")]
    Missing {
        /// Who asks.
        wanted_by: String,
        /// Joint, link or frame.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Links that hang on each other in a circle, or on two parents.
    #[error("link `{link}`: {why}; models are trees")]
    NotATree {
        /// One of the links.
        link: String,
        /// How.
        why: String,
    },
    /// Beyond a cap.
    #[error("{what}: {found}, at most {cap} are read")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much.
        found: usize,
        /// The cap.
        cap: usize,
    },
    /// Text that is no URDF.
    #[error("not a URDF: {why}")]
    Urdf {
        /// What the reader said.
        why: String,
    },
    /// Nothing in it.
    #[error("the model `{name}` has no moving body")]
    Empty {
        /// Its name.
        name: String,
    },
}

/// A tree of bodies, checked and ready for [`crate::dynamics`].
///
/// ```
/// use glam::DVec3;
/// use randori_wholebody::model::{JointKind, JointSpec, Model, ModelBuilder};
/// use randori_wholebody::spatial::{Inertia, Pose};
///
/// let mut builder = ModelBuilder::new("door");
/// let panel = Inertia::of_box(20.0, DVec3::new(0.9, 2.0, 0.04))
///     .seen_from(&Pose::from_translation(DVec3::new(0.45, 1.0, 0.0)));
/// builder.add_body(None, "panel", JointSpec::new("hinge", JointKind::Revolute(DVec3::Y)), panel)?;
/// let door: Model = builder.build()?;
/// assert_eq!((door.n_q, door.n_v), (1, 1));
/// # Ok::<(), randori_wholebody::model::ModelError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// For messages.
    pub name: String,
    /// Parents come before children.
    pub joints: Vec<Joint>,
    /// Every link has one of its name; more can be added while building.
    pub frames: Vec<Frame>,
    /// Volumes.
    pub solids: Vec<Solid>,
    /// Length of `q`.
    pub n_q: usize,
    /// Length of `v`.
    pub n_v: usize,
    /// Sum of all masses (kg).
    pub mass: f64,
    /// For each degree of freedom the next one towards the base, and its joint: branch sparsity.
    pub(crate) dofs: Vec<Dof>,
    /// For each degree of freedom itself and all beyond it, in runs of neighbours: a single one where children follow
    /// their parents depth first.
    pub(crate) runs: Vec<Run>,
    /// Degrees of freedom with a drive.
    pub actuated: Vec<usize>,
}

/// A degree of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dof {
    pub(crate) joint: usize,
    pub(crate) towards_base: Option<usize>,
}

/// Neighbouring degrees of freedom that move with another one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    /// The one they move with.
    pub(crate) dof: usize,
    /// They, or it and they.
    pub(crate) beyond: std::ops::Range<usize>,
}

impl Model {
    /// The frame of that name.
    pub fn frame(&self, name: &str) -> Option<FrameId> {
        self.frames.iter().position(|frame| frame.name == name).map(|idx| FrameId(idx as u32))
    }

    /// The joint (and body) of that joint name.
    pub fn joint(&self, name: &str) -> Option<BodyId> {
        self.joints.iter().position(|joint| joint.name == name).map(|idx| BodyId(idx as u32))
    }

    /// Gives a body another mass distribution, in its own frame: a weight is added or taken away.
    pub fn set_inertia(&mut self, body: BodyId, inertia: Inertia) -> Result<(), ModelError> {
        let joint = &mut self.joints[body.idx()];
        if let Some(why) = inertia.fault() {
            return Err(ModelError::Inertia { link: joint.name.clone(), why });
        }
        let working = Pose { rotation: joint.body_from_working, translation: DVec3::ZERO };
        joint.working_mass = MassFours::of(&inertia.seen_from(&working.inverse()));
        joint.inertia = inertia;
        self.mass = self.joints.iter().map(|joint| joint.inertia.mass).sum();
        Ok(())
    }

    /// Whether the whole model hangs on one floating joint.
    pub fn is_floating(&self) -> bool {
        self.joints.first().is_some_and(|joint| joint.kind == JointKind::Floating)
    }

    /// The state with every joint at zero.
    pub fn neutral(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.n_q];
        for joint in &self.joints {
            match joint.kind {
                JointKind::Continuous(_) => q[joint.q_start] = 1.0,
                JointKind::Spherical => q[joint.q_start + 3] = 1.0,
                JointKind::Floating => q[joint.q_start + 6] = 1.0,
                JointKind::Revolute(_) | JointKind::Prismatic(_) => {}
            }
        }
        q
    }

    /// Moves `q` by the tangent vector `step` (a velocity times a time), exactly along the screw for
    /// rotations and floating joints.
    pub fn integrate(&self, q: &mut [f64], step: &[f64]) {
        for joint in &self.joints {
            let (i, k) = (joint.q_start, joint.v_start);
            match joint.kind {
                JointKind::Revolute(_) | JointKind::Prismatic(_) => q[i] += step[k],
                JointKind::Continuous(_) => {
                    let (s, c) = (libm::sin(step[k]), libm::cos(step[k]));
                    let (x, y) = (q[i] * c - q[i + 1] * s, q[i + 1] * c + q[i] * s);
                    let length = libm::sqrt(x * x + y * y);
                    (q[i], q[i + 1]) = (x / length, y / length);
                }
                JointKind::Spherical => {
                    let turned = quaternion_at(q, i) * quaternion_of(DVec3::from_slice(&step[k..]));
                    turned.normalize().write_to_slice(&mut q[i..]);
                }
                JointKind::Floating => {
                    let rotation = quaternion_at(q, i + 3);
                    let (linear, angular) =
                        (DVec3::from_slice(&step[k..]), DVec3::from_slice(&step[k + 3..]));
                    let moved = DVec3::from_slice(&q[i..]) + rotation * along_screw(linear, angular);
                    moved.write_to_slice(&mut q[i..]);
                    (rotation * quaternion_of(angular)).normalize().write_to_slice(&mut q[i + 3..]);
                }
            }
        }
    }

    /// The tangent vector from `from` to `to`, into `step`; a floating joint's translation straight.
    pub fn difference(&self, from: &[f64], to: &[f64], step: &mut [f64]) {
        for joint in &self.joints {
            let (i, k) = (joint.q_start, joint.v_start);
            let turn = |at: usize| {
                let relative = quaternion_at(from, at).inverse() * quaternion_at(to, at);
                rotation_vector(&DMat3::from_quat(relative.normalize()))
            };
            match joint.kind {
                JointKind::Revolute(_) | JointKind::Prismatic(_) => step[k] = to[i] - from[i],
                JointKind::Continuous(_) => {
                    let sine = from[i] * to[i + 1] - from[i + 1] * to[i];
                    step[k] = libm::atan2(sine, from[i] * to[i] + from[i + 1] * to[i + 1]);
                }
                JointKind::Spherical => turn(i).write_to_slice(&mut step[k..]),
                JointKind::Floating => {
                    let shift = DVec3::from_slice(&to[i..]) - DVec3::from_slice(&from[i..]);
                    (quaternion_at(from, i + 3).inverse() * shift).write_to_slice(&mut step[k..]);
                    turn(i + 3).write_to_slice(&mut step[k + 3..]);
                }
            }
        }
    }

    /// Why `q` and `v` are no state of this model, in words; `None` if they are.
    pub fn state_fault(&self, q: &[f64], v: &[f64]) -> Option<String> {
        if q.len() != self.n_q || v.len() != self.n_v {
            let (nq, nv) = (self.n_q, self.n_v);
            return Some(format!("q has {} of {nq} numbers, v {} of {nv}", q.len(), v.len()));
        }
        if let Some(bad) = v.iter().find(|x| !(x.abs() < LARGEST)) {
            return Some(format!("{bad:e} is not a usable velocity"));
        }
        self.configuration_fault(q)
    }

    /// Why `q` is no configuration of this model, in words; `None` if it is.
    pub fn configuration_fault(&self, q: &[f64]) -> Option<String> {
        if q.len() != self.n_q {
            return Some(format!("q has {} of {} numbers", q.len(), self.n_q));
        }
        if let Some(bad) = q.iter().find(|x| !(x.abs() < LARGEST)) {
            return Some(format!("{bad:e} is not a usable position"));
        }
        let unit =
            |range: std::ops::Range<usize>| (q[range].iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-6;
        self.joints.iter().find_map(|joint| {
            let i = joint.q_start;
            let ok = match joint.kind {
                JointKind::Continuous(_) => unit(i..i + 2),
                JointKind::Spherical => unit(i..i + 4),
                JointKind::Floating => unit(i + 3..i + 7),
                JointKind::Revolute(_) | JointKind::Prismatic(_) => true,
            };
            (!ok).then(|| {
                format!("joint `{}`: its quaternion (or cosine and sine) is not of unit length", joint.name)
            })
        })
    }
}

/// The quaternion stored at `i`.
pub(crate) fn quaternion_at(q: &[f64], i: usize) -> DQuat {
    DQuat::from_xyzw(q[i], q[i + 1], q[i + 2], q[i + 3])
}

/// Displacement, in the frame at the start, of a body that moves with constant velocity in its own frame.
fn along_screw(linear: DVec3, angular: DVec3) -> DVec3 {
    let angle2 = angular.length_squared();
    let (a, b) = if angle2 < 1e-8 {
        (0.5 - angle2 / 24.0, 1.0 / 6.0 - angle2 / 120.0)
    } else {
        let angle = libm::sqrt(angle2);
        ((1.0 - libm::cos(angle)) / angle2, (angle - libm::sin(angle)) / (angle2 * angle))
    };
    let once = angular.cross(linear);
    linear + once * a + angular.cross(once) * b
}

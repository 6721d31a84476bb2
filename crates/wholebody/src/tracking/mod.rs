//! Tracking captured motion: a clip becomes physically consistent.
//!
//! Beyond \[Vaillant2017\], whose outlook names it: the rest pose is replaced by a motion. [`Reference`] is a clip on
//! the built-in person: joint angles frame by frame (`pose`), and when and where the feet stand (`feet`).
//! [`scenario`] is the [scenario](crate::scenario) that performs it: contacts as the feet say, postures as
//! the angles say, and the centre of mass led along these contacts, also those to come (`pushes`, `lead`), by its
//! [capture point](crate::balance::pendulum).
//!
//! A captured step without any foot on the ground is performed with one: nobody jumps here. Soles stand flat, so long steps are
//! shortened, and the rest of the clip is moved along ([`Reference::beside()`]).

mod feet;
mod lead;
mod perform;
mod pose;
mod pushes;
mod repeat;

use std::sync::Arc;

use glam::DVec3;
use randori_motion::contacts::{ContactSettings, Contacts};
use randori_motion::retarget::{self, RetargetError, retarget};
use randori_motion::{Clip, FrameRate};

pub use feet::Stance;
pub use perform::{Settings, scenario};
pub use repeat::repeated;

use crate::dynamics::{self, Workspace};
use crate::humanoid::{self, Stature};
use crate::model::{Model, ModelError};
use crate::scenario::cast;

/// Why a clip cannot be tracked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TrackingError {
    /// The clip's skeleton cannot be put on a person.
    #[error(transparent)]
    Retarget(#[from] RetargetError),
    /// The person cannot be built.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// No feet, so nothing to stand on.
    #[error("the skeleton of clip `{0}` has no feet to stand on; assign bones first")]
    NoFeet(String),
    /// Too short to be performed.
    #[error("clip `{name}`: expected at least {least} s, found {found:.3} s")]
    Short {
        /// The clip.
        name: String,
        /// Shortest (s).
        least: f64,
        /// Its length (s).
        found: f64,
    },
    /// A load that nobody carries, or a time step that is none.
    #[error("{what}: expected {expected}, found {found}")]
    Setting {
        /// What it is.
        what: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it is.
        found: f64,
    },
}

/// Shortest clip (s).
const SHORTEST: f64 = 0.5;
/// References are kept at this rate.
const RATE: FrameRate = FrameRate::HOUSE;
/// Width (sigma) of the Gaussian that smooths joint angles (s): captured noise is no motion.
const SMOOTHING: f64 = 0.03;

/// A clip on the built-in person.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Name of the clip.
    pub name: String,
    /// The person.
    pub model: Arc<Model>,
    /// Frames per second (1/s).
    pub fps: f64,
    /// Configurations, frame by frame.
    pub q: Vec<Vec<f64>>,
    /// Velocities in the tangent space of the configurations.
    pub v: Vec<Vec<f64>>,
    /// Where the centre of mass is, frame by frame (m).
    pub centers: Vec<DVec3>,
    /// When and where the left and the right foot stand.
    pub stances: [Vec<Stance>; 2],
    /// How far this is beside the clip, frame by frame (m): steps that flat soles do not reach are shortened.
    pub beside: Vec<DVec3>,
    /// How far links are from those of the clip, mean over links and frames (m): what the joints cannot follow.
    pub fit: f64,
    /// Share of the captured frames without a foot on the ground.
    pub flight: f64,
}

impl Reference {
    /// Puts a clip on a person of that stature.
    pub fn of(clip: &Clip, stature: Stature) -> Result<Reference, TrackingError> {
        if !(clip.duration() >= SHORTEST) {
            let (name, found) =
                (clip.skeleton().joint(randori_motion::JointId::ROOT).name.clone(), clip.duration());
            return Err(TrackingError::Short { name, least: SHORTEST, found });
        }
        let model = Arc::new(humanoid::person_of("person", stature)?);
        let no_feet = || TrackingError::NoFeet(clip.name.clone());
        let cast = cast(&model).ok_or_else(no_feet)?;
        let clip = clip.resampled(RATE);
        let put = retarget(&clip, &cast.body.skeleton, &retarget::Settings::default())?.clip;
        let fps = put.rate().fps();
        let contacts = Contacts::of(&put, &ContactSettings::default()).ok_or_else(no_feet)?;
        let (mut q, fit) = pose::angles(&model, &cast, &put);
        pose::smooth(&model, &mut q, fps * SMOOTHING);
        let down = contacts.feet.each_ref().map(|foot| foot.down.clone());
        pose::put_on_floor(&model, &mut q, &down);
        let flight = contacts.flight_share();
        let soles = pose::places(&model, &q, ["left_sole", "right_sole"]).ok_or_else(no_feet)?;
        let schedule = feet::schedule(&soles, fps);
        let beside: Vec<DVec3> = (0..q.len()).map(|k| schedule.beside(k as f64 / fps)).collect();
        for (q, beside) in q.iter_mut().zip(&beside) {
            (DVec3::from_slice(q) + *beside).write_to_slice(q);
        }
        let stances = schedule.stances;
        pose::lower(&model, &mut q, &stances, fps);
        let v = pose::velocities(&model, &q, fps);
        let mut workspace = Workspace::new(&model);
        let zero = vec![0.0; model.n_v];
        let center = |q: &Vec<f64>| {
            dynamics::update(&model, &mut workspace, q, &zero);
            dynamics::center_of_mass(&model, &workspace).position
        };
        let centers = q.iter().map(center).collect();
        Ok(Reference { name: clip.name.clone(), model, fps, q, v, centers, stances, beside, fit, flight })
    }

    /// How long it is (s).
    pub fn duration(&self) -> f64 {
        (self.q.len() - 1) as f64 / self.fps
    }

    /// The configuration at a time (s) into `q`, its velocity into `v`; beyond the ends it stands still.
    pub fn sample(&self, time: f64, q: &mut Vec<f64>, v: &mut Vec<f64>) {
        let last = self.q.len() - 1;
        let x = (time * self.fps).clamp(0.0, last as f64);
        let k = (x as usize).min(last.saturating_sub(1));
        let next = (k + 1).min(last);
        let share = x - k as f64;
        q.clone_from(&self.q[k]);
        v.resize(self.model.n_v, 0.0);
        self.model.difference(&self.q[k], &self.q[next], v);
        v.iter_mut().for_each(|x| *x *= share);
        self.model.integrate(q, v);
        for (v, (a, b)) in v.iter_mut().zip(self.v[k].iter().zip(&self.v[next])) {
            *v = a + share * (b - a);
        }
        if time < 0.0 || time > self.duration() {
            v.fill(0.0);
        }
    }

    /// How far beside the clip this is at a time (m).
    pub fn beside(&self, time: f64) -> DVec3 {
        self.between(&self.beside, time)
    }

    /// The centre of mass at a time (m).
    pub fn center(&self, time: f64) -> DVec3 {
        self.between(&self.centers, time)
    }

    fn between(&self, points: &[DVec3], time: f64) -> DVec3 {
        let last = points.len() - 1;
        let x = (time * self.fps).clamp(0.0, last as f64);
        let k = (x as usize).min(last.saturating_sub(1));
        points[k].lerp(points[(k + 1).min(last)], x - k as f64)
    }
}

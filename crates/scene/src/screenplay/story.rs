//! What happens besides: things that move, and beats.

use randori_motion::take::Color;
use randori_motion::{Annotation, Ground};

use super::camera::Camera;
use super::role::{Checkpoint, Controller, Weights};

/// A thing that moves along a given way, or between two who carry it: a box or a ball.
#[derive(Clone, Debug, PartialEq)]
pub struct PropRole {
    /// Unique among characters and props.
    pub name: String,
    /// How it is painted.
    pub color: Color,
    /// Full width (x), height (y) and length (z) of the box; with heading 0 it is longest along +Z (m).
    pub size: [f32; 3],
    /// Whether it is a ball, as wide as it is high and long; what it is wide counts.
    pub is_ball: bool,
    /// Where it is when; it stands before the first and after the last, and goes evenly in between.
    pub path: Vec<Waypoint>,
    /// The two who carry it between their hands; it then has no path.
    pub between: Option<[String; 2]>,
    /// Whether whom it runs into is knocked down.
    pub hits: bool,
    /// Whether it stays away until a beat starts it. Times of its path then count from there.
    pub waits: bool,
}

/// A place of a prop at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waypoint {
    /// The middle of its base (m).
    pub at: Ground,
    /// When (s).
    pub time: f64,
    /// Height of its base above the floor (m).
    pub height: f32,
    /// The way its length points (degrees, 0 is +Z, positive towards +X); `None` is the way it goes.
    pub heading_deg: Option<f32>,
}

/// A turn of the story: once `when` has come true, all of `then` happens, once.
#[derive(Clone, Debug, PartialEq)]
pub struct Beat {
    /// Unique among beats.
    pub name: String,
    /// What it waits for.
    pub when: When,
    /// What it does, in this order.
    pub then: Vec<Then>,
}

/// What a beat waits for.
#[derive(Clone, Debug, PartialEq)]
pub enum When {
    /// A time of the scene (s).
    Time(f64),
    /// Another beat, and some time more.
    Beat {
        /// An earlier beat of the file.
        name: String,
        /// How long after it (s).
        after: f64,
    },
    /// Somebody has done with a checkpoint: reached it, performed what it requires, and waited for its time.
    Checkpoint {
        /// Who.
        who: String,
        /// Which, counted from 1.
        number: u32,
    },
    /// Somebody has landed blows on another.
    Hits {
        /// Who hits.
        who: String,
        /// Who is hit.
        whom: String,
        /// How often.
        count: u32,
    },
    /// Two are near each other.
    Distance {
        /// The one.
        who: String,
        /// The other.
        whom: String,
        /// From hips to hips on the floor, less than this (m).
        below: f32,
    },
    /// Somebody has been knocked down.
    Down {
        /// Who.
        who: String,
    },
    /// A prop has run into somebody.
    Struck {
        /// Who.
        who: String,
        /// The prop.
        by: String,
    },
}

/// What a beat does.
#[derive(Clone, Debug, PartialEq)]
pub enum Then {
    /// Somebody is after something else.
    Style {
        /// Who.
        who: String,
        /// The preset; `None` keeps what it has.
        style: Option<String>,
        /// What differs from it.
        weights: Weights,
    },
    /// Somebody else chooses its actions.
    Controller {
        /// Who.
        who: String,
        /// The new controller.
        controller: Controller,
    },
    /// Somebody goes another way, and forgets the rest of its old one.
    Path {
        /// Who.
        who: String,
        /// The new way; its times count from the beat (s). Empty for none.
        path: Vec<Checkpoint>,
    },
    /// Somebody becomes stronger or weaker.
    Poise {
        /// Who.
        who: String,
        /// The impulse of a blow that fells it from now on (N s).
        poise: f32,
    },
    /// Somebody plays against another one.
    Opponent {
        /// Who.
        who: String,
        /// Against whom.
        whom: String,
    },
    /// Somebody that waits enters.
    Enter {
        /// Who.
        who: String,
    },
    /// Somebody leaves.
    Leave {
        /// Who.
        who: String,
    },
    /// Somebody shall perform these, wherever it is.
    Require {
        /// Who.
        who: String,
        /// By annotation; `knock-down` means to be knocked down by the opponent.
        actions: Vec<Annotation>,
    },
    /// Somebody shall not perform these from now on.
    Forbid {
        /// Who.
        who: String,
        /// By annotation.
        actions: Vec<Annotation>,
    },
    /// The picture is taken from elsewhere.
    Camera(Camera),
    /// A prop that waits starts.
    Prop {
        /// Its name.
        name: String,
    },
    /// The scene ends.
    End,
}

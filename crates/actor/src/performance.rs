//! What leaves the actor: a clip, and the script it was played from.

use std::sync::Arc;

use randori_motion::{Annotation, Body, Build, Clip};

/// One long take of one person.
#[derive(Clone, Debug, PartialEq)]
pub struct Performance {
    /// Its name, for instance `shadow-boxing-1`.
    pub name: String,
    /// Who performs.
    pub body: Arc<Body>,
    /// What was performed, at 60 poses per second.
    pub clip: Clip,
    /// What the performer meant, in order of time: kept to score the analyser, which does not see it.
    pub script: Vec<Beat>,
}

/// One thing that the performer meant to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Beat {
    /// When the body leaves what it did before (s).
    pub start: f32,
    /// When a blow is farthest, a defence deepest (s).
    pub peak: Option<f32>,
    /// When it is over (s).
    pub end: f32,
    /// What it is.
    pub annotation: Annotation,
}

/// Who performs, and how long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Casting {
    /// The performer's body.
    pub build: Build,
    /// The performer's character.
    pub temperament: Temperament,
    /// Decides what is done, in which order, and every small difference.
    pub seed: u64,
    /// How long all takes are together (s).
    pub seconds: f32,
}

/// How somebody goes about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Temperament {
    /// Measured: longer looks, rounder movements, fewer combinations.
    Calm,
    /// Always coming forward: faster, lower, more combinations.
    Fierce,
}

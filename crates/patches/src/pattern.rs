//! Patterns: who does what, in which order; and which actions their words mean.
//!
//! Reference: \[Shum2008\], section 2.2, `PatternList`, and table 2.

mod read;
mod words;

use std::ops::Range;

pub(crate) use read::PatternRecord;
pub use read::{BadPatterns, PatternFile};
pub use words::{is_reaction, matches};

use crate::patch::Role;

/// Which actions of two people make an interaction, and what is good about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// What it is called: as in the paper's table 2, the second character in capitals.
    pub name: String,
    /// The order in which actions start.
    pub steps: Vec<Step>,
    /// What counts how much.
    pub weights: Weights,
    /// The least score of a patch that is kept (-).
    pub threshold: f32,
    /// How initial conditions are sampled.
    pub sampling: Sampling,
    /// The impulse from which on a touch starts a reaction (N s).
    pub impulse: f32,
    /// How deep trunks and heads may be in each other (m).
    pub depth: f32,
    /// How deep any other parts may be in each other (m); infinite where blows go home or people fall on each other.
    pub limbs: f32,
}

/// One entry of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Who.
    pub role: Role,
    /// What: an annotation, a family of them, or `arbitrary`. See [`matches()`].
    pub word: String,
}

/// What the criteria count, together 1 (-).
///
/// Reference: \[Shum2008\], section 2.3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Desired contacts happen; attacks that are avoided pass close by.
    pub contact: f32,
    /// The two are at a good distance, and face each other.
    pub relation: f32,
    /// What belongs together happens at the same time.
    pub timing: f32,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights { contact: 0.5, relation: 0.25, timing: 0.25 }
    }
}

/// How initial conditions are sampled, and how much is tried from each.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// From one distance to the next (m).
    pub distance_step: f32,
    /// From one angle to the next (rad).
    pub angle_step: f32,
    /// From one delay to the next (ticks).
    pub delay_step: i32,
    /// Instead of the ranges that the library has for the first actions.
    pub ranges: Ranges,
    /// Initial conditions that are tried, at most; spread evenly if there are more.
    pub samples: usize,
    /// Actions tried at each step, at most.
    pub choices: usize,
    /// Patches kept, at most.
    pub most: usize,
}

impl Default for Sampling {
    fn default() -> Sampling {
        Sampling {
            distance_step: 0.2,
            angle_step: 20.0_f32.to_radians(),
            delay_step: 6,
            ranges: Ranges::default(),
            samples: 4000,
            choices: 8,
            most: 500,
        }
    }
}

/// Ranges of initial conditions; `None` leaves what the library says.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Ranges {
    /// r (m).
    pub distance: Option<Range<f32>>,
    /// θ1 and θ2 (rad).
    pub angles: [Option<Range<f32>>; 2],
    /// t_diff (ticks).
    pub delay: Option<Range<i32>>,
}

impl Pattern {
    /// A pattern of steps such as `("1 attack", "2 defence")`, with the usual weights and samples; meant for tests.
    pub fn of(name: &str, steps: &[(Role, &str)]) -> Pattern {
        Pattern {
            name: name.to_owned(),
            steps: steps.iter().map(|(role, word)| Step { role: *role, word: (*word).to_owned() }).collect(),
            weights: Weights::default(),
            threshold: 0.5,
            sampling: Sampling::default(),
            impulse: 10.0,
            depth: 0.02,
            limbs: f32::INFINITY,
        }
    }

    /// The first step of a role.
    pub fn first_of(&self, role: Role) -> Option<&Step> {
        self.steps.iter().find(|step| step.role == role)
    }
}

//! Scenes that are put together from interaction patches.

use randori_motion::take::Color;

/// What a scene of patches is about, and who takes part besides the written characters.
#[derive(Clone, Debug, PartialEq)]
pub struct Patchwork {
    /// How it is put together.
    pub plan: Plan,
    /// The patterns that its patches follow: a list that comes with the program, or a file.
    pub patterns: String,
    /// How many others take part at most.
    pub people: u32,
    /// How they are painted, in turn.
    pub colors: Vec<Color>,
    /// How far from the middle those wait who are not needed (m).
    pub radius: f32,
    /// How long those who fall stay down (s); `None` if for good.
    pub down: Option<f64>,
    /// What the user asks of the main character, in order of time.
    pub commands: Vec<Command>,
}

/// How a scene of patches is put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// The first two characters go on with each other.
    OneOne,
    /// The first character meets others who come from all around.
    OneMany,
    /// The first character runs along a line, and others stop it or try to.
    Football,
}

impl Plan {
    /// All plans by name.
    pub const NAMES: [(&'static str, Plan); 3] =
        [("one-one", Plan::OneOne), ("one-many", Plan::OneMany), ("football", Plan::Football)];

    /// Its name.
    pub fn name(self) -> &'static str {
        Plan::NAMES.iter().find(|(_, plan)| *plan == self).map_or("", |(name, _)| name)
    }

    /// The patterns of scenes that name none.
    pub fn patterns(self) -> &'static str {
        match self {
            Plan::OneOne => "fight-one-one",
            Plan::OneMany => "fight-one-many",
            Plan::Football => "football",
        }
    }

    /// How many characters are written one by one.
    pub fn n_written(self) -> usize {
        match self {
            Plan::OneOne => 2,
            Plan::OneMany | Plan::Football => 1,
        }
    }
}

/// What a user asks of the main character for some time.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// From when on (s).
    pub at: f64,
    /// Until when (s); `None` is until the next command, or the end.
    pub until: Option<f64>,
    /// What to do: annotations or families of them, one of which is enough.
    pub actions: Vec<String>,
    /// The way to go (degrees): 0 is +z, 90 is +x.
    pub direction_deg: Option<f32>,
    /// The side to turn to.
    pub turn: Option<Turn>,
}

/// A side to turn to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The own left.
    Left,
    /// The own right.
    Right,
}

//! Scenes that are put together from interaction patches.

use std::ops::RangeInclusive;

use randori_motion::Ground;
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
    /// Whether nobody is seen before they are needed, nor comes for a command before it is given: a scene whose commands
    /// are given while somebody looks on.
    pub late: bool,
    /// The area of the floor that is filled with people.
    pub floor: Option<Picture>,
    /// What is handed on, piece by piece.
    pub luggage: Vec<Piece>,
    /// What the user asks of the main character, in order of time.
    pub commands: Vec<Command>,
    /// What has to happen at a time and a place, in order of time.
    pub appointments: Vec<Appointment>,
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
    /// The first character is a mouse that runs through a crowd.
    Mouse,
    /// Those who are written fall by themselves, and over others, who fall over others.
    Dominoes,
    /// Luggage is handed on along a line that begins with the first character.
    Luggage,
}

impl Plan {
    /// All plans by name.
    pub const NAMES: [(&'static str, Plan); 6] = [
        ("one-one", Plan::OneOne),
        ("one-many", Plan::OneMany),
        ("football", Plan::Football),
        ("mouse", Plan::Mouse),
        ("dominoes", Plan::Dominoes),
        ("luggage", Plan::Luggage),
    ];

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
            Plan::Mouse => "mouse",
            Plan::Dominoes => "dominoes",
            Plan::Luggage => "luggage",
        }
    }

    /// Whether the first character can be steered while somebody looks on: nobody has to be there from the start for what
    /// comes later.
    pub fn is_steered(self) -> bool {
        matches!(self, Plan::OneOne | Plan::OneMany | Plan::Football)
    }

    /// How many characters are written one by one, at least and at most.
    pub fn n_written(self) -> RangeInclusive<usize> {
        match self {
            Plan::OneOne => 2..=2,
            Plan::Dominoes => 1..=8,
            Plan::OneMany | Plan::Football | Plan::Mouse | Plan::Luggage => 1..=1,
        }
    }
}

/// A picture of an area of the floor: its dark pixels are the area.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The file: .png, seen from the scene file's folder. Its left is -x, its top is -z, its middle the origin.
    pub file: String,
    /// The side of a pixel (m).
    pub pixel: f32,
}

/// A piece of luggage, told by how it is carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Heavy, or light.
    pub is_heavy: bool,
    /// Large, or small.
    pub is_large: bool,
}

impl Piece {
    /// All pieces by name.
    pub const NAMES: [(&'static str, Piece); 4] = [
        ("light-small", Piece { is_heavy: false, is_large: false }),
        ("light-large", Piece { is_heavy: false, is_large: true }),
        ("heavy-small", Piece { is_heavy: true, is_large: false }),
        ("heavy-large", Piece { is_heavy: true, is_large: true }),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Piece::NAMES.iter().find(|(_, piece)| *piece == self).map_or("", |(name, _)| name)
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

/// An interaction of the main character that has to happen at a time and a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Appointment {
    /// When (s).
    pub at: f64,
    /// Where the main character is then.
    pub place: Ground,
    /// What it does: annotations or families of them, one of which is enough.
    pub actions: Vec<String>,
}

/// A side to turn to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// The own left.
    Left,
    /// The own right.
    Right,
}

//! People as a scene file names them.

use std::fmt;

use randori_arena::style::{PRESETS, Style};
use randori_gametree::score::MAX_DEPTH;
use randori_gametree::{Opponent, Rule};
use randori_motion::body::Build;
use randori_motion::take::Color;
use randori_motion::{Annotation, Ground};

/// One of the people.
#[derive(Clone, Debug, PartialEq)]
pub struct Role {
    /// Unique among characters and props; exported bones are named after it.
    pub name: String,
    /// How it is painted.
    pub color: Color,
    /// `builtin:NAME` or a library file; `None` is the scene's.
    pub library: Option<String>,
    /// Size and weight; `None` is those of the library's own person.
    pub build: Option<Build>,
    /// Whose side it is on; its own name if it fights alone.
    pub team: String,
    /// Name of the preset that says what it is after: see [`randori_arena::style::PRESETS`].
    pub style: String,
    /// What differs from the preset.
    pub weights: Weights,
    /// Who chooses its actions.
    pub controller: Controller,
    /// Where it stands when it enters (m).
    pub at: Ground,
    /// The way it looks when it enters.
    pub facing: Facing,
    /// When it enters (s); of no use if it waits.
    pub enter: f64,
    /// Whether it stays away until a beat makes it enter. Times of its path then count from its entrance.
    pub waits: bool,
    /// When it leaves (s); `None` if it stays.
    pub leave: Option<f64>,
    /// The impulse of a blow that knocks it down (N s): a fist brings about 20, a kick about 60; `None` leaves it to the
    /// director.
    pub poise: Option<f32>,
    /// Whom it plays against; `None` is the nearest of another team.
    pub opponent: Option<String>,
    /// Where it goes, in order.
    pub path: Vec<Checkpoint>,
    /// The action it starts in, by annotation; `None` leaves it to the controller.
    pub opening: Option<Annotation>,
    /// How daring it becomes when it loses or has little time left.
    pub losing: Daring,
}

impl Role {
    /// What it is after: its preset with its own weights; the first preset's if there is none of this name.
    pub fn objective(&self) -> Style {
        let preset = Style::preset(&self.style).unwrap_or(PRESETS[0].1);
        self.weights.applied_to(preset)
    }
}

/// The style of who names none.
pub(super) const DEFAULT_STYLE: &str = "general-boxer";

/// What differs from a [`Style`]; `None` keeps what is there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weights {
    /// Preferred distance to the opponent (m).
    pub distance: Option<f32>,
    /// Weight of the distance.
    pub distance_weight: Option<f64>,
    /// Preferred angle between where the head faces and the opponent (degrees).
    pub angle_deg: Option<f32>,
    /// Weight of the angle.
    pub angle_weight: Option<f64>,
    /// Weight of damage given by short blows.
    pub short_damage_weight: Option<f64>,
    /// Weight of damage given by all others.
    pub long_damage_weight: Option<f64>,
    /// Weight of damage taken.
    pub taken_weight: Option<f64>,
    /// Weight of the combination table.
    pub combination_weight: Option<f64>,
    /// Weight of the way to the next checkpoint.
    pub path_weight: Option<f64>,
    /// Weight of the heading at the next checkpoint.
    pub heading_weight: Option<f64>,
    /// Weight of required and forbidden actions.
    pub requirement_weight: Option<f64>,
    /// What doing again what was just done takes away.
    pub recency_weight: Option<f64>,
    /// Metres per unit of length in the terms of movement (m).
    pub metre: Option<f64>,
    /// Radians per unit of angle in the terms of movement (rad).
    pub radian: Option<f64>,
}

impl Weights {
    /// The style with these in the place of its own.
    ///
    /// ```
    /// use randori_arena::style::Style;
    /// use randori_scene::screenplay::Weights;
    /// let boxer = Style::preset("general-boxer").unwrap();
    /// let near = Weights { distance: Some(0.6), ..Weights::default() }.applied_to(boxer);
    /// assert_eq!(near, Style { distance: 0.6, ..boxer });
    /// ```
    pub fn applied_to(&self, style: Style) -> Style {
        Style {
            distance: self.distance.unwrap_or(style.distance),
            distance_weight: self.distance_weight.unwrap_or(style.distance_weight),
            angle: self.angle_deg.map_or(style.angle, f32::to_radians),
            angle_weight: self.angle_weight.unwrap_or(style.angle_weight),
            short_damage_weight: self.short_damage_weight.unwrap_or(style.short_damage_weight),
            long_damage_weight: self.long_damage_weight.unwrap_or(style.long_damage_weight),
            taken_weight: self.taken_weight.unwrap_or(style.taken_weight),
            combination_weight: self.combination_weight.unwrap_or(style.combination_weight),
            path_weight: self.path_weight.unwrap_or(style.path_weight),
            heading_weight: self.heading_weight.unwrap_or(style.heading_weight),
            requirement_weight: self.requirement_weight.unwrap_or(style.requirement_weight),
            recency_weight: self.recency_weight.unwrap_or(style.recency_weight),
            may_turn_away: style.may_turn_away,
            metre: self.metre.unwrap_or(style.metre),
            radian: self.radian.unwrap_or(style.radian),
        }
    }
}

/// Who chooses somebody's actions.
#[derive(Clone, Debug, PartialEq)]
pub enum Controller {
    /// Plans ahead against its opponent, and with it.
    GameTree {
        /// Choices along a path of the tree, 1 to [`MAX_DEPTH`].
        depth: u8,
        /// What each side tries to reach.
        rule: Rule,
        /// How the opponent is thought to choose.
        opponent: Opponent,
        /// Whether the combination table counts for both, so that they stage an exchange together instead of each
        /// looking for its own advantage.
        staged: bool,
    },
    /// Looks up what to do in the interaction graph of its library.
    Graph {
        /// Choices that its policy looks ahead, 1 to [`GRAPH_DEPTH`].
        depth: u8,
    },
    /// A stand-in for a person at the keys, who asks for sorts of actions on the interaction graph of its library.
    Commander,
    /// Approaches and hits, and does not defend itself.
    Static,
    /// Any action that may follow.
    Random,
    /// Actions by annotation, one after the other.
    Scripted {
        /// What it does.
        actions: Vec<Annotation>,
        /// Whether it begins again after the last, instead of standing.
        repeat: bool,
    },
    /// Draws from the mixed policy of tag, for chases.
    Markov,
    /// Stands where it is.
    Still,
}

/// The farthest that a policy on an interaction graph looks ahead.
pub const GRAPH_DEPTH: u8 = randori_interaction_graph::policy::MAX_DEPTH as u8;
/// How far it looks if nobody says.
const DEFAULT_GRAPH_DEPTH: u8 = 5;

/// Depth of a game tree whose depth is not named.
pub(super) const DEFAULT_DEPTH: u8 = 3;

impl Default for Controller {
    fn default() -> Controller {
        Controller::game_tree(DEFAULT_DEPTH)
    }
}

impl Controller {
    /// Whether it looks things up in an interaction graph.
    pub fn needs_graph(&self) -> bool {
        matches!(self, Controller::Graph { .. } | Controller::Commander)
    }

    /// Whether it plays with what situations of tag are worth.
    pub fn needs_tag(&self) -> bool {
        matches!(self, Controller::Markov)
    }

    /// Names without more to say; those of a game tree and a graph may be followed by a colon and a depth.
    pub const NAMES: [&str; 7] =
        ["gametree", "graph", "markov:tag", "commander", "static", "random", "still"];

    /// A game tree of this depth by the paper's rule, against a rational opponent.
    pub fn game_tree(depth: u8) -> Controller {
        Controller::GameTree { depth, rule: Rule::default(), opponent: Opponent::default(), staged: false }
    }

    /// The controller of a short name: `gametree:4`, `gametree`, `graph:5`, `graph`, `commander`,
    /// `static`, `random` or `still`.
    ///
    /// ```
    /// use randori_scene::screenplay::Controller;
    /// assert_eq!(Controller::from_short("gametree:4"), Some(Controller::game_tree(4)));
    /// assert_eq!(Controller::from_short("static"), Some(Controller::Static));
    /// assert_eq!(Controller::from_short("gametree:-1"), None);
    /// ```
    pub fn from_short(name: &str) -> Option<Controller> {
        let depth_after = |prefix: &str, most: u8| {
            let depth = name.strip_prefix(prefix)?;
            let is_number = depth.bytes().all(|digit| digit.is_ascii_digit());
            depth.parse().ok().filter(|depth: &u8| is_number && (1..=most).contains(depth))
        };
        if let Some(depth) = depth_after("gametree:", MAX_DEPTH) {
            return Some(Controller::game_tree(depth));
        }
        if let Some(depth) = depth_after("graph:", GRAPH_DEPTH) {
            return Some(Controller::Graph { depth });
        }
        match name {
            "gametree" => Some(Controller::default()),
            "graph" => Some(Controller::Graph { depth: DEFAULT_GRAPH_DEPTH }),
            "commander" => Some(Controller::Commander),
            "static" => Some(Controller::Static),
            "random" => Some(Controller::Random),
            "markov:tag" => Some(Controller::Markov),
            "still" => Some(Controller::Still),
            _ => None,
        }
    }

    /// The short name, if it has one that says all.
    pub fn short(&self) -> Option<String> {
        match self {
            Controller::GameTree { depth, .. } if *self == Controller::game_tree(*depth) => {
                Some(format!("gametree:{depth}"))
            }
            Controller::Graph { depth } => Some(format!("graph:{depth}")),
            Controller::Commander => Some("commander".to_owned()),
            Controller::Static => Some("static".to_owned()),
            Controller::Random => Some("random".to_owned()),
            Controller::Markov => Some("markov:tag".to_owned()),
            Controller::Still => Some("still".to_owned()),
            Controller::GameTree { .. } | Controller::Scripted { .. } => None,
        }
    }
}

/// A few words for reports.
impl fmt::Display for Controller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Controller::GameTree { depth, .. } => write!(f, "gametree:{depth}"),
            Controller::Graph { depth } => write!(f, "graph:{depth}"),
            Controller::Scripted { .. } => f.write_str("scripted"),
            Controller::Commander => f.write_str("commander"),
            Controller::Static => f.write_str("static"),
            Controller::Random => f.write_str("random"),
            Controller::Markov => f.write_str("markov:tag"),
            Controller::Still => f.write_str("still"),
        }
    }
}

/// Rules of game trees by their names in files.
pub(super) const RULES: [(&str, Rule); 3] =
    [("two-objectives", Rule::TwoObjectives), ("added", Rule::Added), ("added-shared", Rule::AddedShared)];

/// Models of opponents by their names in files.
pub(super) const OPPONENTS: [(&str, Opponent); 2] =
    [("rational", Opponent::Rational), ("habitual", Opponent::Habitual)];

/// The way somebody looks when it enters.
#[derive(Clone, Debug, PartialEq)]
pub enum Facing {
    /// A heading (degrees): 0 is +Z, positive turns to the own left (+X).
    Heading(f32),
    /// Towards the character of this name, wherever that one is when this one enters.
    Towards(String),
}

/// A place on the floor to pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Where (m).
    pub at: Ground,
    /// When to be there, and until when to wait there (s); `None` goes on at once.
    pub time: Option<f64>,
    /// How near is near enough (m).
    pub within: f32,
    /// Actions to perform there, in any order. `knock-down` means to be knocked down by the opponent.
    pub require: Vec<Annotation>,
    /// Actions not to be performed on the way there.
    pub forbid: Vec<Annotation>,
}

/// How near a checkpoint is near enough, if the file does not say (m).
pub(super) const DEFAULT_WITHIN: f32 = 0.5;

impl Checkpoint {
    /// A place without time or requirements.
    pub fn new(at: Ground) -> Checkpoint {
        Checkpoint { at, time: None, within: DEFAULT_WITHIN, require: Vec::new(), forbid: Vec::new() }
    }
}

/// How daring somebody becomes: damage given counts more, damage taken less ([`Style::daring`]).
///
/// Reference: \[Shum2012\], section VI-A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Daring {
    /// At most this much, 0 to 1; 0 never.
    pub share: f64,
    /// Damage behind the opponent at which it is so in full.
    pub behind: f64,
    /// Before the end of the scene, the time in which even a small arrear makes it so (s).
    pub last: f64,
}

impl Default for Daring {
    fn default() -> Daring {
        Daring { share: 0.0, behind: 20.0, last: 10.0 }
    }
}

impl Daring {
    /// For [`Style::daring`]: of somebody with this much less damage given than taken, this long before the end (s).
    ///
    /// ```
    /// use randori_scene::screenplay::Daring;
    /// let daring = Daring { share: 0.8, behind: 20.0, last: 10.0 };
    /// assert_eq!(daring.share_at(-5.0, 30.0), 0.0);
    /// assert_eq!(daring.share_at(10.0, 30.0), 0.4);
    /// assert_eq!(daring.share_at(1.0, 0.0), 0.8);
    /// ```
    pub fn share_at(&self, behind: f64, left: f64) -> f64 {
        if behind.is_nan() || behind <= 0.0 {
            return 0.0;
        }
        let arrear = (behind / self.behind).min(1.0);
        let haste = if left < self.last { 1.0 - left.max(0.0) / self.last } else { 0.0 };
        self.share * arrear.max(haste)
    }
}

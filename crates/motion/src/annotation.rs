//! Annotations: the words that planners, pattern lists and people use for clusters of actions.
//!
//! An annotation is a name in lower case with hyphens, such as `left-jab`. [`KNOWN`] lists the words that
//! have a meaning here: their [`Kind`], and, for the action combination table, where an attack goes and
//! what a defence covers (\[Shum2012\], table I). Any other name may be given to an action by hand; it
//! then counts as a transition.

use std::borrow::Cow;
use std::fmt;

use crate::bone::Side;

/// The name of a cluster of actions.
///
/// ```
/// use randori_motion::annotation::{Annotation, Kind};
/// let jab = Annotation::new("left-jab").unwrap();
/// assert_eq!(jab.kind(), Kind::Attack);
/// assert!(Annotation::new("Left Jab!").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Annotation(Cow<'static, str>);

/// What an action is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// It can land on somebody: a blow, a kick, a catch.
    Attack,
    /// It keeps an attack from landing.
    Defence,
    /// It brings the body from one place or posture to another, or keeps it where it is.
    Transition,
    /// It answers what others did to the body, and is not chosen.
    Reaction,
}

/// Where on a body an attack goes, or what a defence covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Target {
    Head,
    UpperTorso,
    LowerTorso,
    Legs,
}

/// The way an attack comes, or from which a defence keeps it, seen by the one who is attacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Direction {
    Front,
    Horizontal,
    Upwards,
    Downwards,
}

/// A word with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The annotation's name.
    pub name: &'static str,
    /// What such actions are for.
    pub kind: Kind,
    /// Where it goes or what it covers, if nothing was measured.
    pub targets: &'static [Target],
    /// The ways it comes or keeps off.
    pub directions: &'static [Direction],
}

use Direction::{Front, Horizontal, Upwards};
use Target::{Head, Legs, LowerTorso, UpperTorso};

const fn attack(name: &'static str, targets: &'static [Target], directions: &'static [Direction]) -> Word {
    Word { name, kind: Kind::Attack, targets, directions }
}

const fn defence(name: &'static str, targets: &'static [Target], directions: &'static [Direction]) -> Word {
    Word { name, kind: Kind::Defence, targets, directions }
}

const fn transition(name: &'static str) -> Word {
    Word { name, kind: Kind::Transition, targets: &[], directions: &[] }
}

const fn reaction(name: &'static str) -> Word {
    Word { name, kind: Kind::Reaction, targets: &[], directions: &[] }
}

/// Every word with a meaning. Left and right are those of the person who acts; jab and straight are the
/// blows of the leading and of the rear hand.
pub const KNOWN: &[Word] = &[
    attack("left-jab", &[Head, UpperTorso], &[Front]),
    attack("right-jab", &[Head, UpperTorso], &[Front]),
    attack("left-straight", &[Head, UpperTorso], &[Front]),
    attack("right-straight", &[Head, UpperTorso], &[Front]),
    attack("left-hook", &[Head, UpperTorso], &[Horizontal]),
    attack("right-hook", &[Head, UpperTorso], &[Horizontal]),
    attack("left-uppercut", &[Head, UpperTorso], &[Upwards]),
    attack("right-uppercut", &[Head, UpperTorso], &[Upwards]),
    attack("left-front-kick", &[UpperTorso, LowerTorso], &[Front, Upwards]),
    attack("right-front-kick", &[UpperTorso, LowerTorso], &[Front, Upwards]),
    attack("left-roundhouse", &[UpperTorso, LowerTorso], &[Horizontal]),
    attack("right-roundhouse", &[UpperTorso, LowerTorso], &[Horizontal]),
    attack("left-low-kick", &[Legs], &[Horizontal]),
    attack("right-low-kick", &[Legs], &[Horizontal]),
    attack("left-catch", &[UpperTorso], &[Front]),
    attack("right-catch", &[UpperTorso], &[Front]),
    defence("guard", &[Head, UpperTorso], &[Front, Horizontal]),
    defence("parry", &[Head], &[Front]),
    defence("duck", &[Head, UpperTorso], &[Front, Horizontal]),
    defence("slip-left", &[Head], &[Front]),
    defence("slip-right", &[Head], &[Front]),
    defence("sway-back", &[Head], &[Horizontal, Upwards]),
    defence("jump-back", &[UpperTorso, LowerTorso], &[Horizontal, Upwards]),
    defence("dodge-left", &[UpperTorso], &[Front]),
    defence("dodge-right", &[UpperTorso], &[Front]),
    transition("idle"),
    transition("feint"),
    transition("step-forward"),
    transition("step-back"),
    transition("step-left"),
    transition("step-right"),
    transition("step-forward-left"),
    transition("step-forward-right"),
    transition("step-back-left"),
    transition("step-back-right"),
    transition("turn-left"),
    transition("turn-right"),
    transition("walk"),
    transition("walk-left"),
    transition("walk-right"),
    transition("jog"),
    transition("jog-left"),
    transition("jog-right"),
    transition("run"),
    transition("run-left"),
    transition("run-right"),
    transition("quick-step-left"),
    transition("quick-step-right"),
    transition("start"),
    transition("stop"),
    transition("get-up"),
    reaction("hit-head-front"),
    reaction("hit-head-left"),
    reaction("hit-head-right"),
    reaction("hit-torso-front"),
    reaction("hit-torso-left"),
    reaction("hit-torso-right"),
    reaction("hit-back"),
    reaction("stagger"),
    reaction("knock-down"),
];

/// Names of whole families that people give when they do not look closer: a jab of either hand, any slip.
const FAMILIES: &[(&str, Kind)] = &[
    ("punch", Kind::Attack),
    ("jab", Kind::Attack),
    ("straight", Kind::Attack),
    ("hook", Kind::Attack),
    ("uppercut", Kind::Attack),
    ("kick", Kind::Attack),
    ("front-kick", Kind::Attack),
    ("roundhouse", Kind::Attack),
    ("low-kick", Kind::Attack),
    ("catch", Kind::Attack),
    ("block", Kind::Defence),
    ("slip", Kind::Defence),
    ("dodge", Kind::Defence),
];

/// Steps in eight directions: ahead, then on to the own left in eighths of a turn.
pub const STEPS: [&str; 8] = [
    "step-forward",
    "step-forward-left",
    "step-left",
    "step-back-left",
    "step-back",
    "step-back-right",
    "step-right",
    "step-forward-right",
];

/// A name that cannot be an annotation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "an annotation is 1 to {MAX_NAME} lower-case letters, digits and hyphens, as in left-jab; found {0:?}"
)]
pub struct BadAnnotation(pub String);

/// Longest name: nothing longer is a word, and files stay small.
pub const MAX_NAME: usize = 64;

impl Annotation {
    /// A known word; meant for names written in code.
    pub const fn of(name: &'static str) -> Annotation {
        Annotation(Cow::Borrowed(name))
    }

    /// Any well-formed name.
    pub fn new(name: &str) -> Result<Annotation, BadAnnotation> {
        let is_letter = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
        if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(is_letter) {
            return Err(BadAnnotation(name.chars().take(MAX_NAME).collect()));
        }
        Ok(match KNOWN.iter().find(|word| word.name == name) {
            Some(word) => Annotation::of(word.name),
            None => Annotation(Cow::Owned(name.to_owned())),
        })
    }

    /// A word for one side: `Annotation::sided(Side::Left, "jab")` is `left-jab`.
    pub fn sided(side: Side, rest: &str) -> Annotation {
        let name = format!("{}-{rest}", side_name(side));
        Annotation::new(&name).unwrap_or(Annotation::of("idle"))
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// Its meaning, if it is a known word.
    pub fn word(&self) -> Option<&'static Word> {
        KNOWN.iter().find(|word| word.name == self.name())
    }

    /// What such actions are for, of the names of whole families too; other unknown words are transitions.
    pub fn kind(&self) -> Kind {
        let family = || FAMILIES.iter().find(|(name, _)| *name == self.name()).map(|(_, kind)| *kind);
        self.word().map(|word| word.kind).or_else(family).unwrap_or(Kind::Transition)
    }

    /// The side that acts: of `left-jab` the left.
    pub fn side(&self) -> Option<Side> {
        Side::BOTH
            .into_iter()
            .find(|side| self.name().strip_prefix(side_name(*side)).is_some_and(|rest| rest.starts_with('-')))
    }
}

fn side_name(side: Side) -> &'static str {
    match side {
        Side::Left => "left",
        Side::Right => "right",
    }
}

impl fmt::Display for Annotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Kind {
    /// Its name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Attack => "attack",
            Kind::Defence => "defence",
            Kind::Transition => "transition",
            Kind::Reaction => "reaction",
        }
    }
}

impl Target {
    /// All of them.
    pub const ALL: [Target; 4] = [Target::Head, Target::UpperTorso, Target::LowerTorso, Target::Legs];

    /// Its name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Target::Head => "head",
            Target::UpperTorso => "upper-torso",
            Target::LowerTorso => "lower-torso",
            Target::Legs => "legs",
        }
    }

    /// The one of this name.
    pub fn from_name(name: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|it| it.name() == name)
    }
}

impl Direction {
    /// All of them.
    pub const ALL: [Direction; 4] =
        [Direction::Front, Direction::Horizontal, Direction::Upwards, Direction::Downwards];

    /// Its name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Front => "front",
            Direction::Horizontal => "horizontal",
            Direction::Upwards => "upwards",
            Direction::Downwards => "downwards",
        }
    }

    /// The one of this name.
    pub fn from_name(name: &str) -> Option<Direction> {
        Direction::ALL.into_iter().find(|it| it.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_word_is_well_formed_and_listed_once() {
        for name in STEPS {
            assert_eq!(Annotation::of(name).word().map(|word| word.kind), Some(Kind::Transition));
        }
        for (at, word) in KNOWN.iter().enumerate() {
            assert_eq!(Annotation::new(word.name).unwrap().word(), Some(word));
            assert!(KNOWN[..at].iter().all(|other| other.name != word.name), "{}", word.name);
            let fights = matches!(word.kind, Kind::Attack | Kind::Defence);
            assert_eq!(fights, !word.targets.is_empty() && !word.directions.is_empty(), "{}", word.name);
        }
    }

    #[test]
    fn sides_and_unknown_words() {
        assert_eq!(Annotation::sided(Side::Right, "low-kick").side(), Some(Side::Right));
        assert_eq!(Annotation::of("slip-left").side(), None);
        let own = Annotation::new("cartwheel-2").unwrap();
        assert_eq!((own.kind(), own.word()), (Kind::Transition, None));
        for bad in ["", "Jab", "left jab", "größe", &"a".repeat(65)] {
            assert!(Annotation::new(bad).is_err(), "{bad}");
        }
    }
}

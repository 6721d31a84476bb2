//! Annotations: the words that planners, pattern lists and people use for clusters of actions.
//!
//! An annotation is a name in lower case with hyphens, such as `left-jab`. [`KNOWN`] lists the words that
//! have a meaning here: their [`Kind`], and, for the action combination table, where an attack goes and
//! what a defence covers (\[Shum2012\], table I). Words of carrying may end with what is carried, as in
//! `lift-heavy-small`: see [`Load`]. Any other name may be given to an action by hand; it then counts as a transition.

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
    FromLeft,
    FromRight,
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

use Direction::{Downwards, FromLeft, FromRight, Front, Horizontal, Upwards};
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
    // A cut comes from the side it is named after, so it meets whoever faces it on the other one.
    attack("cut-overhead", &[Head], &[Front, Downwards]),
    attack("cut-left", &[UpperTorso, LowerTorso], &[Horizontal, FromRight]),
    attack("cut-right", &[UpperTorso, LowerTorso], &[Horizontal, FromLeft]),
    attack("cut-left-upper", &[Head, UpperTorso], &[Downwards, FromRight]),
    attack("cut-right-upper", &[Head, UpperTorso], &[Downwards, FromLeft]),
    attack("lunge", &[UpperTorso], &[Front]),
    attack("tackle-waist", &[LowerTorso], &[Front]),
    attack("tackle-legs", &[Legs], &[Front]),
    attack("tackle-left", &[LowerTorso, Legs], &[Horizontal]),
    attack("tackle-right", &[LowerTorso, Legs], &[Horizontal]),
    attack("tackle-behind", &[Legs], &[Front]),
    defence("guard", &[Head, UpperTorso], &[Front, Horizontal]),
    defence("parry", &[Head], &[Front]),
    defence("duck", &[Head, UpperTorso], &[Front, Horizontal]),
    defence("slip-left", &[Head], &[Front]),
    defence("slip-right", &[Head], &[Front]),
    defence("sway-back", &[Head], &[Horizontal, Upwards]),
    defence("jump-back", &[UpperTorso, LowerTorso], &[Horizontal, Upwards]),
    defence("dodge-left", &[UpperTorso], &[Front]),
    defence("dodge-right", &[UpperTorso], &[Front]),
    // A block covers the own side it is named after.
    defence("block-overhead", &[Head], &[Front, Downwards]),
    defence("block-left", &[UpperTorso, LowerTorso], &[Horizontal, FromLeft]),
    defence("block-right", &[UpperTorso, LowerTorso], &[Horizontal, FromRight]),
    defence("block-left-upper", &[Head, UpperTorso], &[Downwards, FromLeft]),
    defence("block-right-upper", &[Head, UpperTorso], &[Downwards, FromRight]),
    defence("spin-left", &[UpperTorso, LowerTorso], &[Front, Horizontal]),
    defence("spin-right", &[UpperTorso, LowerTorso], &[Front, Horizontal]),
    defence("jump-over", &[Legs], &[Front, Horizontal]),
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
    transition("sprint"),
    transition("quick-step-left"),
    transition("quick-step-right"),
    transition("start"),
    transition("stop"),
    transition("get-up"),
    transition("lift"),
    transition("put-down"),
    transition("hand-over"),
    transition("receive"),
    transition("carry-forward"),
    transition("carry-forward-left"),
    transition("carry-left"),
    transition("carry-back-left"),
    transition("carry-back"),
    transition("carry-back-right"),
    transition("carry-right"),
    transition("carry-forward-right"),
    transition("carry-turn-left"),
    transition("carry-turn-right"),
    transition("carry-stand"),
    transition("pair-lift"),
    transition("pair-put-down"),
    transition("pair-carry-forward"),
    transition("pair-carry-forward-left"),
    transition("pair-carry-left"),
    transition("pair-carry-back-left"),
    transition("pair-carry-back"),
    transition("pair-carry-back-right"),
    transition("pair-carry-right"),
    transition("pair-carry-forward-right"),
    transition("pair-carry-turn-left"),
    transition("pair-carry-turn-right"),
    transition("pair-carry-stand"),
    transition("look-left"),
    transition("look-right"),
    transition("look-around"),
    defence("step-aside-left", &[UpperTorso], &[Front]),
    defence("step-aside-right", &[UpperTorso], &[Front]),
    defence("step-aside-forward-left", &[UpperTorso], &[Front]),
    defence("step-aside-forward-right", &[UpperTorso], &[Front]),
    defence("step-aside-back-left", &[UpperTorso], &[Front]),
    defence("step-aside-back-right", &[UpperTorso], &[Front]),
    reaction("hit-head-front"),
    reaction("hit-head-left"),
    reaction("hit-head-right"),
    reaction("hit-torso-front"),
    reaction("hit-torso-left"),
    reaction("hit-torso-right"),
    reaction("hit-back"),
    reaction("stagger"),
    reaction("knock-down"),
    reaction("stumble"),
    reaction("tackled-front"),
    reaction("tackled-left"),
    reaction("tackled-right"),
    reaction("tackled-behind"),
    reaction("fall-forward"),
    reaction("fall-back"),
    reaction("fall-left"),
    reaction("fall-right"),
    reaction("pushed-front"),
    reaction("pushed-front-left"),
    reaction("pushed-left"),
    reaction("pushed-back-left"),
    reaction("pushed-back"),
    reaction("pushed-back-right"),
    reaction("pushed-right"),
    reaction("pushed-front-right"),
    reaction("pushed-hard-front"),
    reaction("pushed-hard-front-left"),
    reaction("pushed-hard-left"),
    reaction("pushed-hard-back-left"),
    reaction("pushed-hard-back"),
    reaction("pushed-hard-back-right"),
    reaction("pushed-hard-right"),
    reaction("pushed-hard-front-right"),
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
    ("cut", Kind::Attack),
    ("block", Kind::Defence),
    ("slip", Kind::Defence),
    ("dodge", Kind::Defence),
    ("step-aside", Kind::Defence),
    ("spin", Kind::Defence),
    ("avoid", Kind::Defence),
    ("tackle", Kind::Attack),
    ("tackled", Kind::Reaction),
    ("pushed", Kind::Reaction),
    ("fall", Kind::Reaction),
    ("falling", Kind::Reaction),
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

/// What somebody holds with both hands, as the names of actions tell it.
///
/// Words of carrying end with it: `carry-back-heavy-large` is a step back with something that is heavy and as wide as
/// the trunk. What two people carry together is told by the word itself, `pair-carry-back-heavy-large`.
///
/// ```
/// use randori_motion::annotation::{Annotation, Load};
/// let load = Load { is_heavy: true, is_large: false, is_shared: false };
/// let lift = Annotation::of("lift").with(load);
/// assert_eq!((lift.name(), lift.stem()), ("lift-heavy-small", "lift"));
/// assert_eq!(lift.holds(), [None, Some(load)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Load {
    /// Heavy, or light.
    pub is_heavy: bool,
    /// Large: hands are farther apart than the hips are wide; or small.
    pub is_large: bool,
    /// Whether somebody else carries the other end.
    pub is_shared: bool,
}

/// Endings of words of carrying: heavy or not, large or not.
const LOADS: [(&str, bool, bool); 4] = [
    ("-light-small", false, false),
    ("-light-large", false, true),
    ("-heavy-small", true, false),
    ("-heavy-large", true, true),
];
/// How words begin that two people do together.
const SHARED: &str = "pair-";

impl Load {
    /// How words end that are done with it.
    fn ending(self) -> &'static str {
        let at = usize::from(self.is_heavy) * 2 + usize::from(self.is_large);
        LOADS[at].0
    }
}
/// Steps out of somebody's way by where they go: ahead, then on to the own left in eighths of a turn. Straight ahead and
/// straight back are not aside.
pub const STEPS_ASIDE: [Option<&str>; 8] = [
    None,
    Some("step-aside-forward-left"),
    Some("step-aside-left"),
    Some("step-aside-back-left"),
    None,
    Some("step-aside-back-right"),
    Some("step-aside-right"),
    Some("step-aside-forward-right"),
];

/// Light pushes by where they come from: the front, then on to the own left in eighths of a turn.
pub const PUSHES: [&str; 8] = [
    "pushed-front",
    "pushed-front-left",
    "pushed-left",
    "pushed-back-left",
    "pushed-back",
    "pushed-back-right",
    "pushed-right",
    "pushed-front-right",
];

/// Hard pushes, in the same order.
pub const PUSHES_HARD: [&str; 8] = [
    "pushed-hard-front",
    "pushed-hard-front-left",
    "pushed-hard-left",
    "pushed-hard-back-left",
    "pushed-hard-back",
    "pushed-hard-back-right",
    "pushed-hard-right",
    "pushed-hard-front-right",
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

    /// The same with something that is carried; what cannot be said in [`MAX_NAME`] letters stays as it is.
    #[must_use]
    pub fn with(&self, load: Load) -> Annotation {
        let shared = if load.is_shared && !self.stem().starts_with(SHARED) { SHARED } else { "" };
        let name = format!("{shared}{}{}", self.stem(), load.ending());
        Annotation::new(&name).unwrap_or_else(|_| self.clone())
    }

    /// The name without what is carried.
    pub fn stem(&self) -> &str {
        let ended = LOADS.iter().find_map(|(ending, ..)| self.name().strip_suffix(ending));
        ended.filter(|stem| !stem.is_empty()).unwrap_or(self.name())
    }

    /// What is in the hands when such an action begins and when it ends.
    pub fn holds(&self) -> [Option<Load>; 2] {
        let load =
            LOADS.iter().find(|(ending, ..)| self.name().ends_with(ending)).map(|(_, is_heavy, is_large)| {
                Load { is_heavy: *is_heavy, is_large: *is_large, is_shared: self.name().starts_with(SHARED) }
            });
        match self.stem().strip_prefix(SHARED).unwrap_or(self.stem()) {
            "lift" | "receive" => [None, load],
            "put-down" | "hand-over" => [load, None],
            _ => [load, load],
        }
    }

    /// Its meaning, if it is a known word, whatever is carried.
    pub fn word(&self) -> Option<&'static Word> {
        KNOWN.iter().find(|word| word.name == self.stem())
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
    pub const ALL: [Direction; 6] = [Front, Horizontal, Upwards, Downwards, FromLeft, FromRight];

    /// Its name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Direction::Front => "front",
            Direction::Horizontal => "horizontal",
            Direction::Upwards => "upwards",
            Direction::Downwards => "downwards",
            Direction::FromLeft => "from-left",
            Direction::FromRight => "from-right",
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
    fn what_is_carried_is_told_by_the_ending() {
        for (is_heavy, is_large, is_shared) in
            [(false, false, false), (true, false, true), (false, true, true), (true, true, false)]
        {
            let load = Load { is_heavy, is_large, is_shared };
            for name in STEPS {
                let carry = Annotation::new(&name.replace("step", "carry")).unwrap().with(load);
                assert_eq!(carry.holds(), [Some(load); 2], "{carry}");
                assert_eq!(carry.with(load), carry);
                assert_eq!(carry.word().map(|word| word.kind), Some(Kind::Transition), "{carry}");
            }
            assert_eq!(Annotation::of("put-down").with(load).holds(), [Some(load), None]);
        }
        assert_eq!(Annotation::of("walk").holds(), [None; 2]);
        assert_eq!(Annotation::of("walk").stem(), "walk");
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

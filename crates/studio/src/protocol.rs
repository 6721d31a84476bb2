//! What a viewer asks and what the studio tells; docs/studio.md lists every message with an example.

use randori_interaction_graph::player::Command;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a viewer asks, as `{"do": "seek", "t": 1.5}`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Ask {
    /// Opens one of the scenes that were named when the studio was started, or a shipped one.
    Open {
        /// Its name in the `welcome`.
        scene: String,
    },
    /// Opens one of the files that were named when the studio was started.
    OpenFile {
        /// Its name in the `welcome`.
        file: String,
    },
    /// Runs or stops the clock.
    Play {
        /// Whether it runs.
        on: bool,
    },
    /// Goes to a time.
    Seek {
        /// When (s).
        t: f64,
    },
    /// How fast the clock runs.
    Speed {
        /// 1 is as it is; from 0.05 to 4.
        rate: f64,
    },
    /// Whether the clock begins again at the end.
    Loop {
        /// Whether it does.
        on: bool,
    },
    /// Moves the place where somebody starts.
    Start {
        /// Who.
        who: String,
        /// Where (m).
        x: f32,
        /// Where (m).
        z: f32,
    },
    /// Changes a checkpoint, or adds one after the last.
    Checkpoint {
        /// Whose.
        who: String,
        /// Which, from 1.
        number: usize,
        /// Where (m).
        x: f32,
        /// Where (m).
        z: f32,
        /// When to be there (s); at once if not said.
        time: Option<f64>,
        /// What to perform there, by annotation.
        #[serde(default)]
        require: Vec<String>,
        /// From when on it is so (s).
        at: f64,
    },
    /// Takes a checkpoint away.
    RemoveCheckpoint {
        /// Whose.
        who: String,
        /// Which, from 1.
        number: usize,
        /// From when on it is so (s).
        at: f64,
    },
    /// Gives somebody another style.
    Style {
        /// Who.
        who: String,
        /// The preset.
        style: String,
        /// From when on (s).
        at: f64,
    },
    /// Gives somebody another weight.
    Weight {
        /// Who.
        who: String,
        /// Which, as in scene files: `distance`, `taken_weight`, …
        weight: String,
        /// Its new value.
        value: f64,
        /// From when on (s).
        at: f64,
    },
    /// Has somebody else decide: `gametree:4`, `graph:5`, `static`, …
    Controller {
        /// For whom.
        who: String,
        /// Who.
        controller: String,
        /// From when on (s).
        at: f64,
    },
    /// Forgets all changes after a time, and plays on from there.
    Rewind {
        /// When (s).
        at: f64,
    },
    /// Hands over the scene as a file.
    Save,
    /// Hands over the take as a file.
    Export {
        /// `glb`, `usda`, `bvh` or `gif`.
        format: String,
    },
    /// Tells why somebody did what they did.
    Explain {
        /// When they decided (s).
        t: f64,
        /// Who.
        who: String,
        /// How deep a tree is wanted, 1 to 8; as deep as the planner looked if not said.
        depth: Option<u8>,
    },
    /// Keeps the take as it is now beside the one under way.
    Pin,
    /// Shows one take again.
    Unpin,
    /// Starts a bout of a person at the keys against the computer.
    Match {
        /// `boxing` or `sword`.
        discipline: String,
        /// `gametree` or `graph`.
        rival: String,
        /// How far the rival looks ahead, 1 to 5.
        depth: u8,
        /// What the rival is after.
        style: String,
    },
    /// Changes the rival of the bout under way.
    Rival {
        /// How far it looks ahead, 1 to 5.
        depth: u8,
        /// What it is after.
        style: String,
    },
    /// A key of the player went down or up.
    Key {
        /// Which.
        key: Key,
        /// Whether it is down.
        down: bool,
    },
    /// Opens a scene of patches whose first character is steered.
    Hero {
        /// `one-one`, `one-many` or `football`.
        plan: String,
        /// Seed of all that is drawn.
        seed: u64,
    },
    /// Asks something of the first character of a scene of patches, or nothing any more.
    Command {
        /// One of these is done: words of patterns, as `punch`, `kick`, `avoid`.
        #[serde(default)]
        actions: Vec<String>,
        /// The way to go (degrees): 0 is +z, 90 is +x.
        direction: Option<f32>,
        /// The side to turn to.
        turn: Option<Side>,
        /// From when on (s); as soon as it can be if not said.
        at: Option<f64>,
    },
    /// Opens a game of two rivals who act at once.
    Wits {
        /// `tag` or `sword`.
        game: String,
        /// How the first decides, who chases or has the right of way.
        agent: String,
        /// How the second decides.
        opponent: String,
        /// Seed of all that is drawn.
        seed: u64,
    },
    /// Runs one of the scenarios of whole bodies in contact.
    Bodies {
        /// Its name in the `welcome`.
        scenario: String,
    },
    /// Moves what a scenario leaves to the user.
    Input {
        /// Which.
        name: String,
        /// A number, or a point (m).
        value: Value,
    },
    /// Ends the bout or the scenario.
    End,
}

/// A side to turn to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The own left.
    Left,
    /// The own right.
    Right,
}

/// What a player asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Key {
    /// Nearer.
    Forward,
    /// Away.
    Back,
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// A blow with a hand.
    Punch,
    /// A blow with a leg.
    Kick,
    /// The head out of the way.
    Dodge,
    /// The body out of the way, or the arms in it.
    Avoid,
}

impl Key {
    /// The sort of action that it asks for.
    pub fn command(self) -> Command {
        match self {
            Key::Forward => Command::Forward,
            Key::Back => Command::Back,
            Key::Left => Command::TurnLeft,
            Key::Right => Command::TurnRight,
            Key::Punch => Command::Punch,
            Key::Kick => Command::Kick,
            Key::Dodge => Command::Dodge,
            Key::Avoid => Command::Avoid,
        }
    }
}

/// Reads a message of a viewer; says what is wrong with it otherwise.
///
/// ```
/// use randori_studio::protocol::{Ask, read};
/// assert_eq!(read(r#"{"do": "seek", "t": 1.5}"#), Ok(Ask::Seek { t: 1.5 }));
/// assert!(read(r#"{"do": "fly"}"#).unwrap_err().contains("unknown variant `fly`"));
/// ```
pub fn read(text: &str) -> Result<Ask, String> {
    let ask: Ask = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let numbers: Vec<f64> = match &ask {
        Ask::Seek { t } | Ask::Explain { t, .. } => vec![*t],
        Ask::Speed { rate } => vec![*rate],
        Ask::Start { x, z, .. } => vec![f64::from(*x), f64::from(*z)],
        Ask::Checkpoint { x, z, time, at, .. } => {
            vec![f64::from(*x), f64::from(*z), time.unwrap_or(0.0), *at]
        }
        Ask::RemoveCheckpoint { at, .. }
        | Ask::Style { at, .. }
        | Ask::Controller { at, .. }
        | Ask::Rewind { at } => vec![*at],
        Ask::Weight { value, at, .. } => vec![*value, *at],
        Ask::Command { direction, at, .. } => {
            vec![direction.map_or(0.0, f64::from), at.unwrap_or(0.0)]
        }
        _ => Vec::new(),
    };
    /// Larger than any number that means something here.
    const MOST: f64 = 1e12;
    match numbers.iter().find(|number| !(number.is_finite() && number.abs() <= MOST)) {
        Some(number) => Err(format!("expected a number between -1e12 and 1e12, found {number}")),
        None => Ok(ask),
    }
}

/// What the studio tells.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Tell {
    /// Who just came learns what there is.
    Welcome(Value),
    /// What is shown: who looks how, and what happened.
    Take(Value),
    /// The scene behind it, as far as it can be changed here.
    Scene(Value),
    /// The area of the floor that it fills.
    Floor(Value),
    /// How the clock runs.
    Clock(Value),
    /// What is being worked on.
    Status(Value),
    /// Why somebody did what they did.
    Explained(Value),
    /// How the bout stands.
    Score(Value),
    /// How the scenario stands.
    Bodies(Value),
    /// Where it pays to be unpredictable.
    Wits(Value),
    /// A file to fetch.
    Download(Value),
    /// Something was asked that cannot be.
    Error(Value),
}

impl Tell {
    /// The kind, and whether a newer one of its kind takes its place.
    pub(crate) fn kind(&self) -> (&'static str, bool) {
        match self {
            Tell::Welcome(_) => ("welcome", true),
            Tell::Take(value) => {
                if value["picture"] == 1 {
                    ("pinned", true)
                } else {
                    ("take", true)
                }
            }
            Tell::Scene(_) => ("scene", true),
            Tell::Floor(_) => ("floor", true),
            Tell::Clock(_) => ("clock", true),
            Tell::Status(_) => ("status", true),
            Tell::Explained(_) => ("explained", true),
            Tell::Score(_) => ("score", true),
            Tell::Bodies(_) => ("bodies", true),
            Tell::Wits(_) => ("wits", true),
            Tell::Download(_) => ("download", false),
            Tell::Error(_) => ("error", false),
        }
    }

    /// As it is sent.
    pub(crate) fn text(&self) -> String {
        // Values and names cannot fail to be written.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// An error in these words.
    pub(crate) fn error(words: impl std::fmt::Display) -> Tell {
        Tell::Error(serde_json::json!({ "words": words.to_string() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, part: &str) {
        let error = read(text).unwrap_err();
        assert!(error.contains(part), "{text}: {error}");
    }

    #[test]
    fn messages_are_read_to_the_letter() {
        assert_eq!(
            read(r#"{"do":"key","key":"punch","down":true}"#),
            Ok(Ask::Key { key: Key::Punch, down: true })
        );
        assert_eq!(read(r#"{"do":"save"}"#), Ok(Ask::Save));
        check("", "EOF");
        check("[1,2]", "expected");
        check(r#"{"do":"seek"}"#, "missing field `t`");
        check(r#"{"do":"seek","t":"now"}"#, "invalid type");
        check(r#"{"do":"seek","t":1,"u":2}"#, "unknown field `u`");
        check(r#"{"do":"seek","t":1e999}"#, "number out of range");
        check(r#"{"do":"seek","t":1e13}"#, "expected a number");
        check(
            r#"{"do":"match","discipline":"boxing","rival":"graph","depth":300,"style":""}"#,
            "invalid value",
        );
    }

    #[test]
    fn what_is_told_names_its_kind() {
        let told = Tell::error("no").text();
        assert_eq!(told, r#"{"is":"error","words":"no"}"#);
    }
}

//! Scene files: who plays, where they go, what happens when, and from where it is seen.
//!
//! A [`Screenplay`] is what an animator writes, in TOML; docs/scenes.md explains the format by example. This module
//! reads, checks and writes such files. It opens no library and plays nothing: whether actions of these names exist, and
//! what comes of it, is for those who have the motion.
//!
//! Where to start reading: [`Screenplay`] and [`Role`] say what is in a file; `keys` is the one table of all keys, from
//! which files are read, mistakes are explained, and the [JSON schema](schema) for editors is made.

mod camera;
mod check;
mod color;
mod error;
mod formation;
mod keys;
mod patchwork;
mod read;
mod rivalry;
mod role;
pub mod schema;
mod story;
mod table;
mod teamwork;
mod write;

pub use camera::{Camera, Looks};
pub use color::{COLORS, NAMED_COLORS};
pub use error::{Mistake, SceneError};
pub use formation::{Formation, Pattern};
pub use patchwork::{Appointment, Command, Patchwork, Picture, Piece, Plan, Turn};
pub use rivalry::{RivalGame, Rivalry};
pub use role::{Checkpoint, Controller, Daring, Facing, GRAPH_DEPTH, Role, Weights};
pub use story::{Beat, PropRole, Then, Waypoint, When};
pub use teamwork::Teamwork;

use randori_motion::{Annotation, Ground, Placement};

/// A scene as it is written.
///
/// ```
/// use randori_scene::screenplay::{Controller, Screenplay};
///
/// let text = r#"
/// seconds = 30
/// library = "builtin:boxing"
///
/// [[characters]]
/// name = "red"
/// style = "infighter"
/// controller = "gametree:4"
/// at = [0, -1]
///
/// [[characters]]
/// name = "blue"
/// at = [0, 1]
/// "#;
/// let scene = Screenplay::parse("duel.toml", text.as_bytes())?;
/// assert_eq!(scene.name, "duel");
/// assert_eq!(scene.characters[0].controller, Controller::game_tree(4));
/// assert_eq!(Screenplay::parse("duel.toml", scene.to_toml().as_bytes())?, scene);
///
/// let mistake = Screenplay::parse("duel.toml", text.replace("infighter", "infigther").as_bytes()).unwrap_err();
/// assert!(mistake.to_string().starts_with(r#"duel.toml:7:9: style is "infigther" (did you mean "infighter"?)"#));
/// # Ok::<(), randori_scene::screenplay::SceneError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Screenplay {
    /// What it is called.
    pub name: String,
    /// How long it is (s), unless a beat ends it.
    pub seconds: f64,
    /// Of everything drawn at random.
    pub seed: u64,
    /// The library of characters that name none: `builtin:NAME` or a file.
    pub library: Option<String>,
    /// The people, without those of the formation; see [`Screenplay::expanded`].
    pub characters: Vec<Role>,
    /// Things that move.
    pub props: Vec<PropRole>,
    /// The story.
    pub beats: Vec<Beat>,
    /// Where it is seen from.
    pub camera: Camera,
    /// Many pairs more.
    pub formation: Option<Formation>,
    /// What is amended in the combination table.
    pub combination: Vec<Record>,
    /// What is put together from interaction patches; nobody then decides for themselves.
    pub patches: Option<Patchwork>,
    /// What the two characters play against each other as rivals; their motions are those of the game.
    pub rivals: Option<Rivalry>,
    /// How two teams of any number of people choose their formations, if they do.
    pub teamwork: Option<Teamwork>,
    /// What refinement does beyond the usual.
    pub refinement: Refinement,
}

/// What refinement does to the take of a scene beyond the usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Refinement {
    /// Whether those who are struck or bump into something give way as rigid bodies.
    pub ragdoll: bool,
}

/// A record of the combination table: how well one action suits another.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The character's action.
    pub own: Annotation,
    /// The opponent's action.
    pub other: Annotation,
    /// S; negative discourages.
    pub suitability: f32,
}

impl Screenplay {
    /// Faster than this nobody is asked to go (m/s): a brisk run. What a library can do is often less.
    pub const MAX_SPEED: f64 = 6.0;
    /// The longest scene (s).
    pub const MAX_SECONDS: f64 = 3600.0;
    /// The most people, those of a formation included.
    pub const MAX_CHARACTERS: usize = 500;

    /// Reads and checks a scene file; `file` is its name in messages, and names a scene without name.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Screenplay, SceneError> {
        read::parse(file, bytes)
    }

    /// The scene as a file that [`Screenplay::parse`] reads back to the same, if it has no mistakes.
    pub fn to_toml(&self) -> String {
        write::to_toml(self)
    }

    /// Checks a scene that was made or changed in a program; places of mistakes are those in [`Screenplay::to_toml`].
    pub fn validate(&self) -> Result<(), SceneError> {
        Screenplay::parse(&format!("{}.toml", self.name), self.to_toml().as_bytes()).map(|_| ())
    }

    /// All people: those written one by one, then those of the formation.
    pub fn expanded(&self) -> Vec<Role> {
        let formation = self.formation.iter().flat_map(Formation::roles);
        self.characters.iter().cloned().chain(formation).collect()
    }

    /// Whether somebody plays on an interaction graph, at the start or after a change of controller.
    pub fn plays_on_graph(&self, name: &str) -> bool {
        let starts = || self.expanded().iter().any(|role| role.name == name && role.controller.needs_graph());
        let turns = self.beats.iter().flat_map(|beat| &beat.then).any(|then| {
            matches!(then, Then::Controller { who, controller } if who == name && controller.needs_graph())
        });
        turns || starts()
    }

    /// Whether anybody plays with what situations of tag are worth, at the start or after a change of controller.
    pub fn plays_with_wits(&self) -> bool {
        let turns = self.beats.iter().flat_map(|beat| &beat.then);
        let turned =
            |then: &Then| matches!(then, Then::Controller { controller, .. } if controller.needs_tag());
        self.expanded().iter().any(|role| role.controller.needs_tag()) || turns.into_iter().any(turned)
    }

    /// The library of somebody; `None` only in a scene with mistakes.
    pub fn library_of<'a>(&'a self, role: &'a Role) -> Option<&'a str> {
        role.library.as_deref().or(self.library.as_deref())
    }
}

/// Where everybody stands and looks, as if all entered at the start.
///
/// Who looks at nobody of these, or at somebody in the same place, has heading 0.
pub fn placements(roles: &[Role]) -> Vec<Placement> {
    let starts: std::collections::BTreeMap<&str, Ground> =
        roles.iter().map(|role| (role.name.as_str(), role.at)).collect();
    let heading = |role: &Role| match &role.facing {
        Facing::Heading(degrees) => degrees.to_radians(),
        Facing::Towards(name) => starts
            .get(name.as_str())
            .map_or(0.0, |other| libm::atan2f(other.x - role.at.x, other.z - role.at.z)),
    };
    roles.iter().map(|role| Placement { position: role.at, heading: heading(role) }).collect()
}

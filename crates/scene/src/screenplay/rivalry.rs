//! Scenes of two people who act at once, as rivals in a game.

use randori_rivals::Manner;

/// What two rivals play, and how both decide.
#[derive(Clone, Debug, PartialEq)]
pub struct Rivalry {
    /// The game.
    pub game: RivalGame,
    /// How the first character decides, who chases or has the right of way.
    pub agent: Manner,
    /// How the second decides.
    pub opponent: Manner,
    /// How long a decision holds (s).
    pub look_ahead: f32,
    /// In tag: whether the one who chases is a slow giant.
    pub giant: bool,
}

/// A game of two rivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RivalGame {
    /// One chases, the other runs.
    Tag,
    /// Both cut and block.
    Sword,
}

impl RivalGame {
    /// All games by name.
    pub const NAMES: [(&'static str, RivalGame); 2] = [("tag", RivalGame::Tag), ("sword", RivalGame::Sword)];

    /// Its name.
    pub fn name(self) -> &'static str {
        RivalGame::NAMES.iter().find(|(_, game)| *game == self).map_or("", |(name, _)| name)
    }
}

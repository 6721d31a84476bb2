//! The scenes of interaction patches, with all that they need: to be measured.

use std::sync::Arc;

use randori_scene::director::{AreaError, Libraries, area, library_key, patches_key};
use randori_scene::screenplay::{self, Screenplay};

use crate::libraries::{self, OpenError};
use crate::patch_sets;

/// The patterns of each scene and its file, in the order of \[Shum2008\], table 3.
pub const SHIPPED: [(&str, &str); 6] = [
    ("fight-one-many", include_str!("../../../scenes/patches-one-many.toml")),
    ("fight-one-one", include_str!("../../../scenes/patches-one-one.toml")),
    ("football", include_str!("../../../scenes/patches-football.toml")),
    ("mouse", include_str!("../../../scenes/patches-mouse.toml")),
    ("dominoes", include_str!("../../../scenes/patches-dominoes.toml")),
    ("luggage", include_str!("../../../scenes/patches-luggage.toml")),
];

/// The picture of the area that the dominoes fill.
const LETTER: &[u8] = include_bytes!("../../../scenes/floor-r.png");

/// Why a scene cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
    /// There is no scene of these patterns.
    #[error("no scene of the patterns \"{0}\"")]
    Unknown(String),
    /// Its file is wrong.
    #[error(transparent)]
    Scene(#[from] screenplay::SceneError),
    /// It has nobody, or no patches.
    #[error("the scene {0} has no patches")]
    Patches(String),
    /// Its library cannot be opened.
    #[error(transparent)]
    Library(#[from] OpenError),
    /// Its patches cannot be made.
    #[error(transparent)]
    Made(#[from] patch_sets::OpenError),
    /// The picture of its area is wrong.
    #[error(transparent)]
    Area(#[from] AreaError),
}

/// The scene of some patterns, and all that it needs to be composed.
pub fn open(patterns: &str) -> Result<(Screenplay, Libraries), SceneError> {
    let found = SHIPPED.iter().find(|(name, _)| *name == patterns);
    let (name, text) = found.ok_or_else(|| SceneError::Unknown(patterns.to_owned()))?;
    let scene = Screenplay::parse(name, text.as_bytes())?;
    let (Some(patchwork), Some(first)) = (&scene.patches, scene.characters.first()) else {
        return Err(SceneError::Patches(patterns.to_owned()));
    };
    let library = Arc::new(libraries::open(scene.library_of(first).unwrap_or_default())?);
    let mut gathered = Libraries::default();
    let set = patch_sets::open(&library, &patchwork.patterns, &|_, _, _| ())?;
    gathered.add_patches(&patches_key(&scene, patchwork), set);
    gathered.add(&library_key(&scene, first), library);
    if let Some(floor) = &patchwork.floor {
        gathered.add_area(&floor.file, Arc::new(area(LETTER, floor.pixel)?));
    }
    Ok((scene, gathered))
}

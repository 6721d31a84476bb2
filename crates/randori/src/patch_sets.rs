//! Interaction patches by the names of their patterns: made on first use, and kept in the user's cache folder beside the
//! libraries.

use std::path::Path;
use std::sync::Arc;

use randori_arena::bodies::Bodies;
use randori_motion::ActionLibrary;
use randori_motion::library::Fingerprint;
use randori_patches::Patches;
use randori_patches::making::{MakeError, Progress, Tolerance, make};
use randori_patches::pattern::{BadPatterns, PatternFile};
use randori_scene::files::{self, FileError};

use crate::libraries::{cache_folder, nearest_first};

/// The lists of patterns that come with the program.
const BUILTIN: [(&str, &str); 6] = [
    ("fight-one-one", include_str!("../../../patterns/fight-one-one.toml")),
    ("fight-one-many", include_str!("../../../patterns/fight-one-many.toml")),
    ("football", include_str!("../../../patterns/football.toml")),
    ("mouse", include_str!("../../../patterns/mouse.toml")),
    ("dominoes", include_str!("../../../patterns/dominoes.toml")),
    ("luggage", include_str!("../../../patterns/luggage.toml")),
];

/// Of what is drawn at random when patches are made.
const SEED: u64 = 1;

/// Why patches cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Neither a list that comes with the program nor a file.
    #[error("no patterns \"{name}\": neither a file nor one of {}", .near.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is, the nearest name first.
        near: Vec<String>,
    },
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file holds no patterns.
    #[error("{name}:{error}")]
    Patterns {
        /// The file.
        name: String,
        /// What is wrong with it.
        error: BadPatterns,
    },
    /// The patterns cannot be followed.
    #[error(transparent)]
    Make(#[from] MakeError),
}

/// The patterns of a name, or of a file.
pub fn patterns(name: &str) -> Result<PatternFile, OpenError> {
    let builtin = BUILTIN.iter().find(|(known, _)| *known == name);
    let text = match builtin {
        Some((_, text)) => (*text).to_owned(),
        None if !name.ends_with(".toml") => {
            let names = BUILTIN.iter().map(|(name, _)| (*name).to_owned()).collect();
            return Err(OpenError::Unknown { name: name.to_owned(), near: nearest_first(name, names) });
        }
        None => String::from_utf8_lossy(&files::read(Path::new(name))?).into_owned(),
    };
    PatternFile::read(&text).map_err(|error| OpenError::Patterns { name: name.to_owned(), error })
}

/// The patches of a library that follow the patterns of a name or file, as they are in the user's cache folder, made first
/// if they are not there.
pub fn open(
    library: &Arc<ActionLibrary>,
    name: &str,
    progress: Progress<'_>,
) -> Result<Arc<Patches>, OpenError> {
    let patterns = patterns(name)?.patterns;
    let Fingerprint { name: of, sum, .. } = Fingerprint::of(library);
    let plain = |text: &str| text.chars().filter(|it| it.is_ascii_alphanumeric() || *it == '-').collect();
    let [of, name]: [String; 2] = [&of, name].map(plain);
    let path = cache_folder().map(|folder| folder.join(format!("{of}-{sum:08x}-{name}-{CODE}.patches")));
    let known = path.as_ref().and_then(|path| Patches::from_bytes(&files::read(path).ok()?).ok());
    let patches = match known.filter(|it| it.fits(library) && it.patterns == patterns) {
        Some(patches) => patches,
        None => {
            let bodies = Arc::new(Bodies::of(Arc::clone(library)));
            let (patches, _) = make(&bodies, &patterns, &Tolerance::default(), SEED, progress)?;
            if let Some(path) = &path {
                // A cache that cannot be written costs time, nothing else.
                files::write_atomically(path, &patches.to_bytes()).ok();
            }
            patches
        }
    };
    Ok(Arc::new(patches))
}

/// Changes with the code that makes patches.
const CODE: &str = env!("RANDORI_PATCH_CODE");

//! Data that lies beside the repository and is never part of it.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder `shared/` beside the repository, or the one that `RANDORI_SHARED` names; `None` if there
/// is none.
pub fn folder() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "tests may be told where the data lies")]
    let named = std::env::var("RANDORI_SHARED").ok().map(PathBuf::from);
    let beside = || {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        here.ancestors().map(|folder| folder.join("shared")).find(|folder| folder.join("data").is_dir())
    };
    named.or_else(beside)
}

/// A file or folder under `shared/`; if it is absent, says so loudly and answers `None`.
///
/// ```no_run
/// # fn test() {
/// let Some(cmu) = randori_testkit::shared::path("data/cmu/bvh") else { return };
/// # }
/// ```
pub fn path(relative: &str) -> Option<PathBuf> {
    let found = folder().map(|folder| folder.join(relative)).filter(|path| path.exists());
    if found.is_none() {
        // Written past the test harness, which hides what passing tests print.
        let message = format!("SKIPPED: ../shared/{relative} is absent; this test checked NOTHING\n");
        std::io::stderr().write_all(message.as_bytes()).expect("stderr is there");
    }
    found
}

/// All CMU takes under `shared/data/cmu/bvh`, sorted by name; empty, and loud about it, if absent.
pub fn cmu_takes() -> Vec<PathBuf> {
    let Some(folder) = path("data/cmu/bvh") else { return Vec::new() };
    let entries = std::fs::read_dir(folder).expect("the folder exists");
    let mut takes: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    takes.retain(|path| path.extension().is_some_and(|extension| extension == "bvh"));
    takes.sort();
    takes
}

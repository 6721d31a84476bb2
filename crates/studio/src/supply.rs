//! What the studio is given: scenes, libraries and files. It looks for nothing by itself.

use randori_motion::Take;
use randori_scene::director::Libraries;
use randori_scene::screenplay::Screenplay;

/// Whoever starts the studio brings what it may show. Only what is named here can be opened.
pub trait Supply: Send + Sync {
    /// Names of the scenes, in the order in which they are offered.
    fn scenes(&self) -> Vec<String>;

    /// One of those scenes; words for people if it cannot be had.
    fn scene(&self, name: &str) -> Result<Screenplay, String>;

    /// Names of the files with takes.
    fn files(&self) -> Vec<String>;

    /// The take of one of those files.
    fn file(&self, name: &str) -> Result<Take, String>;

    /// All that a scene is played with. May take its time; says meanwhile what it does.
    fn libraries(&self, scene: &Screenplay, say: &dyn Fn(&str)) -> Result<Libraries, String>;

    /// The take in the bytes of a file that somebody dropped in, by its name.
    fn dropped(&self, name: &str, bytes: &[u8]) -> Result<Take, String>;
}

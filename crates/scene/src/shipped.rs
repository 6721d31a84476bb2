//! The scenes that come with the program: all that lie in the folder `scenes/` when it is built, in order of their names.
//!
//! ```
//! use randori_scene::screenplay::Screenplay;
//! use randori_scene::shipped;
//! let text = shipped::scene("boxing-general").unwrap();
//! assert_eq!(Screenplay::parse("boxing-general.toml", text.as_bytes()).unwrap().characters.len(), 2);
//! assert!(shipped::scene("curling").is_none());
//! ```

/// Names of the scenes, each with the text of its file.
pub const SCENES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenes.rs"));

/// The pictures that scenes name, by the names of their files.
pub const PICTURES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/pictures.rs"));

/// The text of the scene of a name.
pub fn scene(name: &str) -> Option<&'static str> {
    SCENES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The bytes of the picture of a file name.
pub fn picture(file: &str) -> Option<&'static [u8]> {
    PICTURES.iter().find(|(known, _)| *known == file).map(|(_, bytes)| *bytes)
}

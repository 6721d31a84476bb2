//! Which format a file is in, and the way to its reader.

use super::{Format, Import, ImportError, ImportOptions, Place, bvh, gltf};

impl Format {
    /// The format of a file: by what it begins with, or else by the end of its name.
    ///
    /// ```
    /// use randori_motion::formats::Format;
    /// assert_eq!(Format::detect("take.txt", b"\r\nHierarchy\r\nROOT"), Some(Format::Bvh));
    /// assert_eq!(Format::detect("take.AMC", b""), Some(Format::AsfAmc));
    /// assert_eq!(Format::detect("take.txt", b"hello"), None);
    /// ```
    pub fn detect(file_name: &str, bytes: &[u8]) -> Option<Format> {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
        let begins_with =
            |word: &[u8]| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        if bytes.starts_with(b"glTF") {
            return Some(Format::Gltf);
        }
        if bytes.starts_with(b"Kaydara FBX Binary") || begins_with(b"; FBX") {
            return Some(Format::Fbx);
        }
        if begins_with(b"HIERARCHY") {
            return Some(Format::Bvh);
        }
        if begins_with(b":version") || begins_with(b":fully-specified") {
            return Some(Format::AsfAmc);
        }
        let extension = file_name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension.to_ascii_lowercase().as_str() {
            "bvh" => Some(Format::Bvh),
            "asf" | "amc" => Some(Format::AsfAmc),
            "glb" | "gltf" | "vrm" => Some(Format::Gltf),
            "fbx" => Some(Format::Fbx),
            _ => None,
        }
    }
}

/// Reads one file that holds a skeleton and its motion, in whichever format it is.
///
/// `file_name` helps to tell the format; without folders and extension it becomes the clip's name. ASF and
/// AMC come in two files: see [`super::asf::import`]; glTF with several characters or with files beside it goes
/// through [`gltf::import`].
pub fn import(file_name: &str, bytes: &[u8], options: &ImportOptions) -> Result<Import, ImportError> {
    options.validate()?;
    let name = clip_name(file_name);
    match Format::detect(file_name, bytes) {
        Some(Format::Bvh) => bvh::import(name, bytes, options),
        Some(Format::AsfAmc) => {
            Err(ImportError::new(Place::Whole, "an ASF and an AMC file together", "one of them alone"))
        }
        Some(Format::Gltf) => {
            let no_files = |path: &str| Err(format!("{path} lies in another file than the one given"));
            let scene = gltf::import(name, bytes, options, &no_files)?;
            only_character(scene.characters)
        }
        #[cfg(feature = "fbx")]
        Some(Format::Fbx) => only_character(super::fbx::import(name, bytes, options)?),
        #[cfg(not(feature = "fbx"))]
        Some(format) => {
            Err(ImportError::new(Place::Whole, "a format this build can read", format!("{format}")))
        }
        None if bytes.is_empty() => Err(ImportError::new(Place::Whole, EXPECTED, "an empty file")),
        None => Err(ImportError::new(Place::Whole, EXPECTED, "something else")),
    }
}

/// The motion of a scene that has one.
fn only_character(mut characters: Vec<gltf::ImportedCharacter>) -> Result<Import, ImportError> {
    if characters.len() > 1 {
        let named = |character: &gltf::ImportedCharacter| match &character.animation {
            Some(animation) => format!("{} in {animation}", character.name),
            None => character.name.clone(),
        };
        let names: Vec<String> = characters.iter().take(6).map(named).collect();
        let found = format!("{}: {}", characters.len(), names.join(", "));
        return Err(ImportError::new(Place::Whole, "one character in one animation", found));
    }
    let only = characters.pop().map(|character| character.import);
    only.ok_or_else(|| ImportError::new(Place::Whole, "a character", "none"))
}

const EXPECTED: &str = "a capture: BVH, ASF with AMC, glTF or GLB, FBX";

/// The name of a file without folders and extension.
pub fn clip_name(file_name: &str) -> &str {
    let base = file_name.rsplit(['/', '\\']).next().unwrap_or(file_name);
    match base.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => base,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_that_are_none_are_refused_in_any_format() {
        for scale in [0.0, -1.0, 1e-7, 1e7, f64::NAN, f64::INFINITY] {
            for file in ["a.bvh", "a.glb", "a.fbx", "a.amc", "a.txt"] {
                let options = ImportOptions { scale: Some(scale), ..ImportOptions::default() };
                let error = import(file, b"", &options).unwrap_err();
                assert_eq!(error.expected, "a scale between 1e-6 and 1e6 metres per unit", "{file}");
                assert_eq!(error.found, scale.to_string());
            }
        }
        let options = ImportOptions { scale: Some(0.01), ..ImportOptions::default() };
        assert_eq!(import("a.txt", b"", &options).unwrap_err().found, "an empty file");
    }
}

//! The JSON of a glTF file, as far as motion needs it: a plain copy of the file's own structure.

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::bad;
use crate::formats::{ImportError, Place};

/// The most elements a list of the file may have. A list of empty objects takes some hundred times the
/// memory of its text, so what a file can make us hold must have an end; scenes that people make stay
/// far below.
const MAX_ELEMENTS: usize = 1 << 17;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct Root {
    pub(super) asset: Asset,
    #[serde(default, deserialize_with = "capped")]
    pub(super) accessors: Vec<Accessor>,
    #[serde(default, deserialize_with = "capped")]
    pub(super) animations: Vec<Animation>,
    #[serde(default, deserialize_with = "capped")]
    pub(super) buffers: Vec<Buffer>,
    #[serde(default, deserialize_with = "capped")]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(default, deserialize_with = "capped")]
    pub(super) nodes: Vec<Node>,
    #[serde(default, deserialize_with = "capped")]
    pub(super) scenes: Vec<Scene>,
    #[serde(default, deserialize_with = "capped")]
    pub(super) skins: Vec<Skin>,
    pub(super) extensions: Option<RootExtensions>,
    pub(super) extras: Option<Extras>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Asset {
    pub(super) version: String,
    pub(super) extras: Option<Extras>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: usize,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) sparse: Option<Sparse>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Sparse {
    pub(super) count: usize,
    pub(super) indices: SparsePart,
    pub(super) values: SparsePart,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct SparsePart {
    pub(super) buffer_view: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    /// Of indices only.
    pub(super) component_type: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct Buffer {
    pub(super) uri: Option<String>,
    pub(super) byte_length: usize,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct BufferView {
    pub(super) buffer: usize,
    #[serde(default)]
    pub(super) byte_offset: usize,
    pub(super) byte_length: usize,
    pub(super) byte_stride: Option<usize>,
    #[serde(default)]
    pub(super) extensions: std::collections::BTreeMap<String, IgnoredAny>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Animation {
    pub(super) name: Option<String>,
    #[serde(default, deserialize_with = "capped")]
    pub(super) channels: Vec<Channel>,
    #[serde(default, deserialize_with = "capped")]
    pub(super) samplers: Vec<Sampler>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Channel {
    pub(super) sampler: usize,
    pub(super) target: Target,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Target {
    pub(super) node: Option<usize>,
    pub(super) path: String,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Sampler {
    pub(super) input: usize,
    pub(super) output: usize,
    pub(super) interpolation: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Node {
    pub(super) name: Option<String>,
    #[serde(default, deserialize_with = "capped")]
    pub(super) children: Vec<usize>,
    /// Boxed, because few nodes have one and it is large.
    pub(super) matrix: Option<Box<[f64; 16]>>,
    pub(super) translation: Option<[f64; 3]>,
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
    pub(super) mesh: Option<usize>,
    pub(super) skin: Option<usize>,
    pub(super) extras: Option<Extras>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Scene {
    pub(super) extras: Option<Extras>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct Skin {
    pub(super) name: Option<String>,
    #[serde(deserialize_with = "capped")]
    pub(super) joints: Vec<usize>,
    pub(super) inverse_bind_matrices: Option<usize>,
}

/// What applications put anywhere for themselves; only our own part is kept, others may be of any shape.
#[derive(Debug, Default)]
pub(super) struct Extras {
    pub(super) randori: Option<Value>,
}

impl<'de> Deserialize<'de> for Extras {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Extras, D::Error> {
        struct AnyShape;

        impl<'de> Visitor<'de> for AnyShape {
            type Value = Extras;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("any JSON")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Extras, A::Error> {
                let mut extras = Extras::default();
                while let Some(key) = map.next_key::<std::borrow::Cow<'de, str>>()? {
                    if key == "randori" {
                        extras.randori = Some(map.next_value()?);
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(extras)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Extras, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Extras::default())
            }

            fn visit_str<E: Error>(self, _: &str) -> Result<Extras, E> {
                Ok(Extras::default())
            }

            fn visit_bool<E: Error>(self, _: bool) -> Result<Extras, E> {
                Ok(Extras::default())
            }

            fn visit_i64<E: Error>(self, _: i64) -> Result<Extras, E> {
                Ok(Extras::default())
            }

            fn visit_u64<E: Error>(self, _: u64) -> Result<Extras, E> {
                Ok(Extras::default())
            }

            fn visit_f64<E: Error>(self, _: f64) -> Result<Extras, E> {
                Ok(Extras::default())
            }
        }

        deserializer.deserialize_any(AnyShape)
    }
}

/// The tables of humanoid bones that VRM defines.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct RootExtensions {
    #[serde(rename = "VRMC_vrm")]
    pub(super) vrm: Option<HumanoidTable>,
    #[serde(rename = "VRMC_vrm_animation")]
    pub(super) vrm_animation: Option<HumanoidTable>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct HumanoidTable {
    pub(super) humanoid: Option<Humanoid>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct Humanoid {
    pub(super) human_bones: std::collections::BTreeMap<String, HumanBone>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct HumanBone {
    pub(super) node: usize,
}

/// Reads the JSON; errors name the element, or line and column where the text itself is broken.
///
/// `offset` is where the JSON begins in its file.
pub(super) fn parse(json: &[u8], offset: usize) -> Result<Root, ImportError> {
    let text = std::str::from_utf8(json).map_err(|error| {
        let place = Place::Offset((offset + error.valid_up_to()) as u64);
        ImportError::new(place, "a GLB file or UTF-8 text of a glTF file", "bytes that are neither")
    })?;
    // Some writers pad the chunk with zeros instead of spaces, or begin it with a byte order mark.
    let text = text.trim_start_matches('\u{feff}').trim_end_matches('\0');
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let root: Root = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let element = error.path().to_string();
        let inner = error.into_inner();
        let message = inner.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        if inner.classify() != serde_json::error::Category::Data {
            let place = Place::Line { line: inner.line(), column: inner.column().max(1) };
            return ImportError::new(place, "JSON of a glTF file", message);
        }
        let element = if element == "." { "the top level".to_owned() } else { element };
        match message.split_once(", expected ") {
            Some((found, expected)) => bad(element, expected, found.trim_start_matches("invalid ")),
            None => bad(element, "what glTF 2.0 says", message),
        }
    })?;
    deserializer.end().map_err(|error| {
        let place = Place::Line { line: error.line(), column: error.column().max(1) };
        ImportError::new(place, "the end of the JSON", "more text")
    })?;
    Ok(root)
}

/// A list of at most [`MAX_ELEMENTS`].
fn capped<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    struct Capped<T>(std::marker::PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Capped<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "a list of at most {MAX_ELEMENTS} elements")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
            let mut out = Vec::new();
            while let Some(element) = list.next_element()? {
                if out.len() == MAX_ELEMENTS {
                    return Err(A::Error::invalid_length(MAX_ELEMENTS + 1, &self));
                }
                out.push(element);
            }
            Ok(out)
        }
    }

    deserializer.deserialize_seq(Capped(std::marker::PhantomData))
}

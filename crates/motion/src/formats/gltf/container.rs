//! The GLB container: a header and two chunks, JSON and binary.

use crate::formats::{ImportError, Place};

/// The two parts of a file: JSON text and the binary chunk, if there is one.
#[derive(Debug)]
pub(super) struct Parts<'a> {
    pub(super) json: &'a [u8],
    pub(super) binary: Option<&'a [u8]>,
    /// Where the JSON begins in the file.
    pub(super) json_offset: usize,
}

const MAGIC: &[u8] = b"glTF";
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;
const JSON: u32 = 0x4E4F_534A;
const BINARY: u32 = 0x004E_4942;

/// Takes a GLB apart; anything that does not begin as one is taken for the JSON of a `.gltf`.
pub(super) fn split(bytes: &[u8]) -> Result<Parts<'_>, ImportError> {
    if !bytes.starts_with(MAGIC) {
        return Ok(Parts { json: bytes, binary: None, json_offset: 0 });
    }
    let version = word(bytes, 4, "the version of the container")?;
    if version != 2 {
        return Err(bad(4, "version 2 of the container", version.to_string()));
    }
    let length = word(bytes, 8, "the length of the file")? as usize;
    if length > bytes.len() {
        return Err(bad(8, format!("{length} bytes as the header says"), format!("{}", bytes.len())));
    }
    let bytes = &bytes[..length];
    let (json, after_json) = chunk(bytes, HEADER, JSON, "a JSON chunk")?;
    let mut parts = Parts { json, binary: None, json_offset: HEADER + CHUNK_HEADER };
    // The binary chunk is optional; chunks of other kinds are for extensions to know.
    let mut at = after_json;
    while at < bytes.len() && parts.binary.is_none() {
        let kind = word(bytes, at + 4, "the kind of a chunk")?;
        let (body, next) = chunk(bytes, at, kind, "a chunk")?;
        if kind == BINARY {
            parts.binary = Some(body);
        }
        at = next;
    }
    Ok(parts)
}

/// The body of the chunk at `at`, and where the next one begins.
fn chunk<'a>(bytes: &'a [u8], at: usize, kind: u32, what: &str) -> Result<(&'a [u8], usize), ImportError> {
    let length = word(bytes, at, "the length of a chunk")? as usize;
    let found = word(bytes, at + 4, "the kind of a chunk")?;
    if found != kind {
        return Err(bad(at + 4, what, format!("a chunk of kind {found:#010x}")));
    }
    let start = at + CHUNK_HEADER;
    let body = start.checked_add(length).and_then(|end| bytes.get(start..end));
    let body = body.ok_or_else(|| {
        bad(at, format!("a chunk of {length} bytes"), format!("{} bytes", bytes.len() - start))
    })?;
    Ok((body, start + length))
}

fn word(bytes: &[u8], at: usize, what: &str) -> Result<u32, ImportError> {
    let word = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
    word.map(|word| u32::from_le_bytes(*word)).ok_or_else(|| bad(at, what, "the end of the file"))
}

fn bad(at: usize, expected: impl Into<String>, found: impl Into<String>) -> ImportError {
    ImportError::new(Place::Offset(at as u64), expected, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expected: &str) {
        let found = match split(bytes) {
            Ok(parts) => format!("{} {:?}", parts.json.len(), parts.binary.map(<[u8]>::len)),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn containers_come_apart_or_say_where_they_are_broken() {
        check(b"{}", "2 None");
        check(b"", "0 None");
        check(b"glTF", "byte 4: expected the version of the container, found the end of the file");
        check(b"glTF\x01\0\0\0\x0c\0\0\0", "byte 4: expected version 2 of the container, found 1");
        check(b"glTF\x02\0\0\0\xff\0\0\0", "byte 8: expected 255 bytes as the header says, found 12");
        let head = b"glTF\x02\0\0\0\x18\0\0\0";
        check(&[head, &b"\x04\0\0\0JSON{}  "[..]].concat(), "4 None");
        check(
            &[head, &b"\x05\0\0\0JSON{}  "[..]].concat(),
            "byte 12: expected a chunk of 5 bytes, found 4 bytes",
        );
        check(
            &[head, &b"\x04\0\0\0BIN\0{}  "[..]].concat(),
            "byte 16: expected a JSON chunk, found a chunk of kind 0x004e4942",
        );
        let head = b"glTF\x02\0\0\0\x24\0\0\0";
        check(&[head, &b"\x04\0\0\0JSON{}  \x04\0\0\0BIN\0abcd"[..]].concat(), "4 Some(4)");
    }
}

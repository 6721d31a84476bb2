//! Where buffers lie: `data:` URIs and files of the same folder, never anywhere else.

use std::collections::BTreeMap;
use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::bad;
use crate::formats::ImportError;

/// Fetches a file that lies beside the one being read, by its relative path.
///
/// It is only ever asked for plain relative paths: no scheme, no root, no `..`, nothing escaped.
pub type Resolve<'a> = dyn Fn(&str) -> Result<Vec<u8>, String> + 'a;

/// The buffers of one file, each fetched once.
pub(super) struct Fetcher<'a> {
    resolve: &'a Resolve<'a>,
    fetched: BTreeMap<String, Rc<[u8]>>,
}

impl<'a> Fetcher<'a> {
    pub(super) fn new(resolve: &'a Resolve<'a>) -> Fetcher<'a> {
        Fetcher { resolve, fetched: BTreeMap::new() }
    }

    /// The bytes behind a URI; `element` names the place that mentions it.
    pub(super) fn fetch(&mut self, uri: &str, element: &str) -> Result<Rc<[u8]>, ImportError> {
        if let Some(rest) = uri.strip_prefix("data:") {
            return decode_data(rest, element).map(Rc::from);
        }
        let path = relative_path(uri)
            .map_err(|found| bad(element, "a file in the same folder or below it, or a data: URI", found))?;
        if let Some(bytes) = self.fetched.get(&path) {
            return Ok(Rc::clone(bytes));
        }
        let bytes = (self.resolve)(&path)
            .map_err(|why| bad(element, format!("the file {path:?} to be readable"), why))?;
        let bytes: Rc<[u8]> = Rc::from(bytes);
        self.fetched.insert(path, Rc::clone(&bytes));
        Ok(bytes)
    }
}

/// The bytes of a `data:` URI after its scheme.
fn decode_data(rest: &str, element: &str) -> Result<Vec<u8>, ImportError> {
    let text = rest.split_once(',').filter(|(head, _)| head.ends_with(";base64")).map(|(_, text)| text);
    let text = text.ok_or_else(|| bad(element, "a data: URI in base64", shorten(rest)))?;
    STANDARD.decode(text).map_err(|error| bad(element, "base64", error.to_string()))
}

/// The path a URI stands for, with `%20` and its kin decoded; refused with the reason if it is not a
/// plain way down from the file's own folder.
fn relative_path(uri: &str) -> Result<String, String> {
    let path = percent_decoded(uri).ok_or_else(|| format!("broken escapes in {:?}", shorten(uri)))?;
    let refuse = |why: &str| Err(format!("{why} in {:?}", shorten(uri)));
    if path.is_empty() {
        return refuse("no file name");
    }
    // A colon makes a scheme (`http:`), a drive (`C:`) or a stream of a file; none is a plain name.
    if path.contains(':') {
        return refuse("a scheme or drive");
    }
    // What still looks escaped would be decoded by a resolver that decodes once more.
    if path.contains('%') {
        return refuse("a doubly escaped character");
    }
    if path.contains('\\') || path.chars().any(char::is_control) {
        return refuse("a backslash or control character");
    }
    if path.contains(['?', '#']) {
        return refuse("a query or fragment");
    }
    if path.starts_with(['/', '~']) {
        return refuse("an absolute path");
    }
    if path.split('/').any(|part| part.is_empty() || part.trim_matches([' ', '.']).is_empty()) {
        return refuse("an empty step or one of dots");
    }
    Ok(path)
}

/// The text with `%XX` decoded; `None` if an escape is broken or the result is not UTF-8.
fn percent_decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let high = char::from(bytes.next()?).to_digit(16)?;
            let low = char::from(bytes.next()?).to_digit(16)?;
            out.push((high * 16 + low) as u8);
        } else {
            out.push(byte);
        }
    }
    String::from_utf8(out).ok()
}

/// At most 60 characters of a text from a file, for an error.
pub(in crate::formats) fn shorten(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_ways_down_reach_the_resolver() {
        for (uri, expected) in [("a.bin", "a.bin"), ("sub/a%20b.bin", "sub/a b.bin"), ("é..bin", "é..bin")]
        {
            assert_eq!(relative_path(uri).as_deref(), Ok(expected));
        }
        for uri in [
            "",
            "/etc/passwd",
            "../a.bin",
            "sub/../../a.bin",
            "sub/./a.bin",
            "sub//a.bin",
            "%2e%2e/a.bin",
            "..%2fa.bin",
            "%252e%252e/a.bin",
            "..%5ca.bin",
            "..\\a.bin",
            "C:/a.bin",
            "http://example.org/a.bin",
            "file:///etc/passwd",
            "file:a.bin",
            "~/a.bin",
            "a%00.bin",
            "a%zz",
            "a%",
            "%ff",
            ".. /a.bin",
            "a.bin?x",
            "a.bin#x",
        ] {
            let asked = std::cell::Cell::new(false);
            let resolve = |_: &str| {
                asked.set(true);
                Ok(Vec::new())
            };
            assert!(Fetcher::new(&resolve).fetch(uri, "buffers[0].uri").is_err(), "{uri:?}");
            assert!(!asked.get(), "{uri:?}");
        }
    }

    #[test]
    fn data_uris_carry_their_bytes() {
        let nothing = |_: &str| Err("unused".to_owned());
        let mut fetcher = Fetcher::new(&nothing);
        let mut fetch = |uri: &str| fetcher.fetch(uri, "buffers[0].uri").map(|bytes| bytes.to_vec());
        assert_eq!(fetch("data:application/octet-stream;base64,AQID").unwrap(), [1, 2, 3]);
        assert!(fetch("data:,abc").unwrap_err().to_string().contains("a data: URI in base64"));
        assert!(fetch("data:;base64,A!").is_err());
    }
}

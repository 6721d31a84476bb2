//! What of a URDF's text its reader is shown, and where in it something is.

use std::ops::Range;

use crate::model::ModelError;

/// Longest text that is read (bytes): the largest published robot takes a tenth of it.
pub const MAX_TEXT: usize = 16 << 20;
/// Deepest nesting of elements: the format itself needs six.
const MAX_DEPTH: usize = 32;

/// An element of the text.
#[derive(Clone, Debug)]
pub(super) struct Element<'a> {
    /// Its name: `link`, `joint`.
    pub(super) tag: &'a str,
    /// From the first to the last of its bytes.
    pub(super) range: Range<usize>,
    /// Elements around it.
    depth: usize,
    /// The element right around it.
    parent: Option<&'a str>,
}

impl<'a> Element<'a> {
    /// An attribute of it.
    pub(super) fn attribute(&self, text: &'a str, name: &str) -> Option<&'a str> {
        let opening = &text[self.range.start..tag_end(text, self.range.start)?];
        for (at, _) in opening.match_indices(name) {
            let after = opening[at + name.len()..].trim_start();
            let Some(value) = after.strip_prefix('=').map(str::trim_start) else { continue };
            if !opening[..at].ends_with(char::is_whitespace) {
                continue;
            }
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            return value[1..].split(quote).next();
        }
        None
    }
}

/// Refuses what the XML reader should not even see.
pub(super) fn check(text: &str) -> Result<(), ModelError> {
    if text.len() > MAX_TEXT {
        return Err(ModelError::TooLarge { what: "bytes of URDF", found: text.len(), cap: MAX_TEXT });
    }
    let refuse =
        |at: usize, why: String| Err(ModelError::Urdf { why: format!("line {}: {why}", line_of(text, at)) });
    let capitals = text.to_ascii_uppercase();
    for forbidden in ["<!DOCTYPE", "<!ENTITY"] {
        if let Some(at) = capitals.find(forbidden) {
            return refuse(at, "document types and entities are refused".into());
        }
    }
    let mut depth = 0_usize;
    for tag in Tags::of(text) {
        match tag.kind {
            TagKind::Opens => depth += 1,
            TagKind::Closes => depth = depth.saturating_sub(1),
            TagKind::Stands => {}
        }
        if depth > MAX_DEPTH {
            return refuse(tag.range.start, format!("elements are nested deeper than {MAX_DEPTH}"));
        }
    }
    Ok(())
}

/// The line of a byte, from one on.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Links and joints of a robot, in the order of the text.
pub(super) fn links_and_joints(text: &str) -> Vec<Element<'_>> {
    let mut elements = elements(text);
    elements.retain(|element| element.depth == 1 && matches!(element.tag, "link" | "joint"));
    elements
}

/// A robot with no other element.
pub(super) fn alone(text: &str, element: &Element) -> String {
    let robot = Tags::of(text).next().map_or("<robot>", |robot| &text[robot.range]);
    format!("{robot}{}</robot>", &text[element.range.clone()])
}

/// The text without what a robot looks like, which no model needs: much of it depends on other files, and it comes
/// in more dialects than the rest. Lines keep their numbers.
pub(super) fn without_looks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut end = 0;
    for element in elements(text) {
        let looks = match element.depth {
            1 => element.tag == "material",
            2 => element.tag == "visual" && element.parent == Some("link"),
            _ => false,
        };
        if looks && element.range.start >= end {
            kept.push_str(&text[end..element.range.start]);
            kept.extend(text[element.range.clone()].chars().filter(|c| *c == '\n'));
            end = element.range.end;
        }
    }
    kept.push_str(&text[end..]);
    kept
}

/// All elements that are closed, by where they start.
fn elements(text: &str) -> Vec<Element<'_>> {
    let mut open: Vec<(&str, usize)> = Vec::new();
    let mut found = Vec::new();
    for tag in Tags::of(text) {
        let start = match tag.kind {
            TagKind::Opens => {
                open.push((tag.name, tag.range.start));
                continue;
            }
            TagKind::Stands => tag.range.start,
            // Wrong nesting is for the XML reader to refuse.
            TagKind::Closes => match open.pop() {
                Some((name, start)) if name == tag.name => start,
                _ => break,
            },
        };
        let parent = open.last().map(|parent| parent.0);
        found.push(Element { tag: tag.name, range: start..tag.range.end, depth: open.len(), parent });
    }
    found.sort_by_key(|element| element.range.start);
    found
}

#[derive(Clone, Copy, PartialEq)]
enum TagKind {
    Opens,
    Closes,
    Stands,
}

struct Tag<'a> {
    kind: TagKind,
    name: &'a str,
    range: Range<usize>,
}

/// The tags of a text, without those in comments and character data.
struct Tags<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tags<'a> {
    fn of(text: &'a str) -> Tags<'a> {
        Tags { text, at: 0 }
    }
}

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        loop {
            let start = self.at + self.text[self.at..].find('<')?;
            let rest = &self.text[start..];
            let hidden = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")];
            if let Some((opens, closes)) = hidden.into_iter().find(|hidden| rest.starts_with(hidden.0)) {
                self.at = start + opens.len() + rest[opens.len()..].find(closes)? + closes.len();
                continue;
            }
            let end = tag_end(self.text, start)?;
            self.at = end;
            let inside = &self.text[start + 1..end - 1];
            let (kind, inside) = match (inside.strip_prefix('/'), inside.strip_suffix('/')) {
                (Some(inside), _) => (TagKind::Closes, inside),
                (None, Some(inside)) => (TagKind::Stands, inside),
                (None, None) => (TagKind::Opens, inside),
            };
            let name = inside.split(char::is_whitespace).next().unwrap_or_default();
            return Some(Tag { kind, name, range: start..end });
        }
    }
}

/// Where the tag that starts at `start` is over: a `>` in quotes does not end it.
fn tag_end(text: &str, start: usize) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().skip(start) {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(at + 1),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(without_looks(text), expected);
    }

    #[test]
    fn looks_are_left_out_and_nothing_else() {
        check("<robot><link name='a'><visual/></link></robot>", "<robot><link name='a'></link></robot>");
        check(
            "<robot><material name=\"a>b\">\n</material><link><visual x='>'>\n<visual/></visual><collision/></link></robot>",
            "<robot>\n<link>\n<collision/></link></robot>",
        );
        let others = "<robot><!-- <material> --><joint><visual/></joint><link><collision><visual/></collision></link></robot>";
        check(others, others);
        check("<robot><link><visual></link></robot>", "<robot><link><visual></link></robot>");
        check("<robot><link", "<robot><link");
    }

    #[test]
    fn attributes_are_found_by_their_whole_name() {
        let text = "<robot>\n<joint other_name = 'no' name = 'knee' type=\"fixed\"/></robot>";
        let joint = &links_and_joints(text)[0];
        assert_eq!(joint.attribute(text, "name"), Some("knee"));
        assert_eq!(joint.attribute(text, "type"), Some("fixed"));
        assert_eq!(joint.attribute(text, "axis"), None);
    }
}

//! Bytes to [`Document`].

use std::collections::BTreeSet;

use glam::DVec3;

use super::document::{Channel, Document, Node};
use crate::formats::ImportError;
use crate::formats::text::Cursor;
use crate::skeleton::MAX_JOINTS;

impl Document {
    /// Reads a BVH file.
    ///
    /// Keywords may be in any case, words apart by any blanks and line ends, numbers with or without
    /// leading zero or exponent. Each frame is one line, blank lines apart: a value too few or too many
    /// then shows where it happens, which a mere stream of numbers would hide by shifting all that follow.
    /// There must be exactly as many frames as declared.
    pub fn parse(bytes: &[u8]) -> Result<Document, ImportError> {
        let mut cursor = Cursor::new(bytes);
        let nodes = hierarchy(&mut cursor)?;
        cursor.skip_space();
        let motion_at = cursor.at;
        let n_frames = n_frames(&mut cursor)?;
        let frame_time = frame_time(&mut cursor)?;
        let mut document = Document { nodes, frame_time, n_frames, values: Vec::new() };
        if document.n_channels() == 0 && n_frames > 0 {
            // Such a file has no rows that would bear out the number of frames.
            let expected = "a channel on at least one joint";
            return Err(cursor.error_found(motion_at, expected, "no channels at all"));
        }
        document.values = rows(&mut cursor, &document)?;
        Ok(document)
    }
}

/// The same error, shown at the frame time of the file.
pub(super) fn at_frame_time(bytes: &[u8], error: ImportError) -> ImportError {
    let mut cursor = Cursor::new(bytes);
    match hierarchy(&mut cursor).and_then(|_| n_frames(&mut cursor)) {
        Err(_) => error,
        Ok(_) => {
            cursor.skip_space();
            cursor.error_found(cursor.at, error.expected, error.found)
        }
    }
}

/// A joint whose closing brace has not come yet.
struct Open {
    node: usize,
    has_offset: bool,
    has_channels: bool,
}

fn hierarchy(cursor: &mut Cursor<'_>) -> Result<Vec<Node>, ImportError> {
    cursor.expect("HIERARCHY")?;
    cursor.expect("ROOT")?;
    let mut nodes = Vec::new();
    let mut names = BTreeSet::new();
    // A list instead of recursion: the depth of a file must not be that of our stack.
    let mut open = vec![begin_node(cursor, &mut nodes, &mut names, None)?];
    let mut n_channels = 0;
    while let Some(current) = open.last_mut() {
        let node: &mut Node = &mut nodes[current.node];
        cursor.skip_space();
        let at = cursor.at;
        let word = cursor.word();
        if word.eq_ignore_ascii_case(b"OFFSET") && !current.has_offset {
            node.offset = offset(cursor)?;
            current.has_offset = true;
        } else if word.eq_ignore_ascii_case(b"CHANNELS") && !current.has_channels {
            // Children come later in the columns, so a node's own must be known before the first child.
            node.channels = channels(cursor)?;
            node.first_channel = n_channels;
            n_channels += node.channels.len();
            current.has_channels = true;
        } else if !current.has_offset || !current.has_channels {
            let missing = if current.has_offset { "CHANNELS" } else { "OFFSET" };
            return Err(cursor.error(at, format!("{missing} of joint \"{}\"", node.name)));
        } else if word.eq_ignore_ascii_case(b"JOINT") {
            let parent = Some(current.node);
            open.push(begin_node(cursor, &mut nodes, &mut names, parent)?);
        } else if word.eq_ignore_ascii_case(b"End") {
            node.end_sites.push(end_site(cursor)?);
        } else if word == b"}" {
            open.pop();
        } else {
            let expected = format!("JOINT, End Site or }} in joint \"{}\"", node.name);
            return Err(cursor.error(at, expected));
        }
    }
    Ok(nodes)
}

/// Reads a name and an opening brace.
fn begin_node<'a>(
    cursor: &mut Cursor<'a>,
    nodes: &mut Vec<Node>,
    names: &mut BTreeSet<&'a str>,
    parent: Option<usize>,
) -> Result<Open, ImportError> {
    cursor.skip_blanks();
    let at = cursor.at;
    let name = cursor.name("the name of a joint")?;
    if nodes.len() == MAX_JOINTS {
        return Err(cursor.error_found(at, format!("at most {MAX_JOINTS} joints"), "one more"));
    }
    if !names.insert(name) {
        return Err(cursor.error_found(at, "a name no other joint has", format!("\"{name}\" again")));
    }
    cursor.expect("{")?;
    nodes.push(Node {
        name: name.to_owned(),
        parent,
        offset: DVec3::ZERO,
        channels: Vec::new(),
        first_channel: 0,
        end_sites: Vec::new(),
    });
    Ok(Open { node: nodes.len() - 1, has_offset: false, has_channels: false })
}

fn offset(cursor: &mut Cursor<'_>) -> Result<DVec3, ImportError> {
    let mut offset = [0.0; 3];
    for (coordinate, axis) in offset.iter_mut().zip(["x", "y", "z"]) {
        *coordinate = cursor.number(|| format!("the {axis} coordinate of an offset"))?;
    }
    Ok(DVec3::from_array(offset))
}

fn channels(cursor: &mut Cursor<'_>) -> Result<Vec<Channel>, ImportError> {
    cursor.skip_space();
    let count_at = cursor.at;
    let count = cursor.count("how many channels the joint has")?;
    if count > Channel::ALL.len() {
        return Err(cursor.error(count_at, "at most 6 channels"));
    }
    let mut channels = Vec::with_capacity(count);
    for number in 1..=count {
        cursor.skip_space();
        let at = cursor.at;
        let word = cursor.word();
        let named =
            Channel::ALL.into_iter().find(|channel| word.eq_ignore_ascii_case(channel.name().as_bytes()));
        match named {
            None => {
                let expected = format!("channel {number} of {count}, such as Xposition or Zrotation");
                return Err(cursor.error(at, expected));
            }
            Some(channel) if channels.contains(&channel) => {
                let found = format!("{} again", channel.name());
                return Err(cursor.error_found(at, "a channel the joint does not have yet", found));
            }
            Some(channel) => channels.push(channel),
        }
    }
    Ok(channels)
}

/// The rest of an end site, after the word `End`. A name after `Site` says nothing and is passed over.
fn end_site(cursor: &mut Cursor<'_>) -> Result<DVec3, ImportError> {
    cursor.expect("Site")?;
    cursor.skip_blanks();
    if !cursor.rest().starts_with(b"{") && !cursor.is_at_line_end() {
        cursor.name("{")?;
    }
    cursor.expect("{")?;
    cursor.expect("OFFSET")?;
    let offset = offset(cursor)?;
    cursor.expect("}")?;
    Ok(offset)
}

fn n_frames(cursor: &mut Cursor<'_>) -> Result<usize, ImportError> {
    cursor.expect("MOTION")?;
    keyword(cursor, b"frames", "Frames:")?;
    colon(cursor);
    cursor.count("the number of frames")
}

fn frame_time(cursor: &mut Cursor<'_>) -> Result<f64, ImportError> {
    keyword(cursor, b"frame", "Frame Time:")?;
    keyword(cursor, b"time", "Frame Time:")?;
    colon(cursor);
    let frame_time = cursor.number(|| "the seconds per frame".to_owned())?;
    cursor.expect_line_end("the frame time")?;
    Ok(frame_time)
}

/// A keyword that a colon or number may follow without a blank.
fn keyword(cursor: &mut Cursor<'_>, keyword: &[u8], expected: &str) -> Result<(), ImportError> {
    cursor.skip_space();
    match cursor.rest().get(..keyword.len()) {
        Some(word) if word.eq_ignore_ascii_case(keyword) => {
            cursor.at += keyword.len();
            Ok(())
        }
        _ => Err(cursor.error(cursor.at, expected)),
    }
}

fn colon(cursor: &mut Cursor<'_>) {
    cursor.skip_blanks();
    if cursor.rest().first() == Some(&b':') {
        cursor.at += 1;
    }
}

fn rows(cursor: &mut Cursor<'_>, document: &Document) -> Result<Vec<f64>, ImportError> {
    let (n_frames, n_channels) = (document.n_frames, document.n_channels());
    // A value takes at least a digit and a blank, so a lie about the number of frames reserves nothing.
    let most = cursor.rest().len() / 2 + 1;
    let mut values = Vec::with_capacity(n_frames.saturating_mul(n_channels).min(most));
    for frame in 0..n_frames {
        cursor.skip_space();
        if cursor.is_at_end() {
            let expected = format!("row {} of {n_frames}", frame + 1);
            return Err(cursor.error(cursor.at, expected));
        }
        for column in 0..n_channels {
            values.push(cursor.number(|| value_name(document, frame, column))?);
        }
        cursor.skip_blanks();
        if !cursor.is_at_line_end() {
            let expected = format!("the end of the line after the {n_channels} values of row {}", frame + 1);
            return Err(cursor.error(cursor.at, expected));
        }
    }
    cursor.skip_space();
    match cursor.is_at_end() {
        true => Ok(values),
        false => {
            let expected = format!("the end of the file after {n_frames} rows");
            Err(cursor.error(cursor.at, expected))
        }
    }
}

/// What a number stands for, for people to find it.
fn value_name(document: &Document, frame: usize, column: usize) -> String {
    let node = document.nodes.iter().rfind(|node| node.first_channel <= column && !node.channels.is_empty());
    let name = node.map_or("", |node| node.name.as_str());
    let channel = node.and_then(|node| node.channels.get(column - node.first_channel));
    let channel = channel.map_or("", |channel| channel.name());
    let (row, n_frames) = (frame + 1, document.n_frames);
    let (number, n_channels) = (column + 1, document.n_channels());
    format!("a number: value {number} of {n_channels} ({name} {channel}) of row {row} of {n_frames}")
}

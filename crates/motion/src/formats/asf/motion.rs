//! AMC: bytes to rows of numbers for an ASF skeleton.

use std::collections::BTreeMap;

use super::Asf;
use crate::formats::text::Cursor;
use crate::formats::{ImportError, Warning};
use crate::rate::FrameRate;

/// A motion file, read for a certain skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Amc {
    /// Poses per second, in the few files that state them.
    pub rate: Option<FrameRate>,
    /// Whether angles are in degrees; else in radians.
    pub degrees: bool,
    /// What was odd.
    pub warnings: Vec<Warning>,
    n_channels: usize,
    values: Vec<f64>,
}

/// A line of a frame: whose it is and where its numbers go.
struct Part<'a> {
    name: &'a str,
    first: usize,
    len: usize,
}

impl Amc {
    /// Reads a motion file for the skeleton it was made for.
    ///
    /// Frames are numbered one by one from any number, and each must hold a line for the root and for every
    /// bone that has degrees of freedom, in any order.
    pub fn parse(bytes: &[u8], asf: &Asf) -> Result<Amc, ImportError> {
        let mut cursor = Cursor::new(bytes);
        let parts = parts(asf);
        let by_name: BTreeMap<&str, usize> =
            (parts.iter().enumerate()).map(|(idx, part)| (part.name, idx)).collect();
        let mut amc = Amc {
            rate: None,
            degrees: asf.degrees,
            warnings: Vec::new(),
            n_channels: asf.n_channels(),
            values: Vec::new(),
        };
        amc.header(&mut cursor)?;

        // For every part the frame it was last seen in, and the order in which parts came in the frame before.
        let mut last_seen: Vec<Option<usize>> = vec![None; parts.len()];
        let mut order: Vec<usize> = Vec::with_capacity(parts.len());
        let mut previous_number: Option<usize> = None;
        let mut n_frames = 0;
        while cursor.next_line() {
            let number_at = cursor.at;
            let number = cursor.count("the number of a frame")?;
            cursor.expect_line_end("the number of a frame")?;
            if let Some(previous) = previous_number
                && previous.checked_add(1) != Some(number)
            {
                return Err(cursor.error(number_at, format!("a frame after frame {previous}")));
            }
            previous_number = Some(number);
            let start = amc.values.len();
            amc.values.resize(start + amc.n_channels, 0.0);
            let mut n_seen = 0;
            while cursor.next_line() && !cursor.rest()[0].is_ascii_digit() {
                let name_at = cursor.at;
                let name = cursor.line_word();
                let expected = order.get(n_seen).copied();
                let expected = expected.filter(|part| parts[*part].name.as_bytes() == name);
                let find = || std::str::from_utf8(name).ok().and_then(|name| by_name.get(name).copied());
                let Some(part) = expected.or_else(find) else {
                    return Err(
                        cursor.error(name_at, "root, a bone of the skeleton or the number of a frame")
                    );
                };
                if last_seen[part].replace(n_frames) == Some(n_frames) {
                    return Err(cursor.error(name_at, format!("one line for each bone in frame {number}")));
                }
                let Part { name, first, len } = parts[part];
                for (place, value) in amc.values[start + first..][..len].iter_mut().enumerate() {
                    *value = cursor
                        .number(|| format!("number {} of {len} of {name} in frame {number}", place + 1))?;
                }
                cursor.expect_line_end("the numbers of a bone")?;
                match order.get_mut(n_seen) {
                    Some(slot) => *slot = part,
                    None => order.push(part),
                }
                n_seen += 1;
            }
            let is_missing = |idx: &usize| parts[*idx].len > 0 && last_seen[*idx] != Some(n_frames);
            if let Some(missing) = (0..parts.len()).find(is_missing) {
                let expected = format!("{} in frame {number}", parts[missing].name);
                return Err(cursor.error(cursor.at, expected));
            }
            n_frames += 1;
        }
        match n_frames {
            0 => Err(cursor.error(cursor.at, "at least one frame")),
            _ => Ok(amc),
        }
    }

    /// Comments and keywords before the first frame.
    fn header(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ImportError> {
        while cursor.next_line() && cursor.rest().first() == Some(&b':') {
            let at = cursor.at;
            let keyword = cursor.line_word().to_ascii_lowercase();
            match keyword.as_slice() {
                b":fully-specified" => {}
                b":degrees" => self.degrees = true,
                b":radians" => self.degrees = false,
                b":samples-per-second" => {
                    let fps = cursor.number(|| "samples per second".to_owned())?;
                    self.rate = FrameRate::from_fps(fps);
                    if self.rate.is_none() {
                        return Err(cursor.error_found(at, "a rate above 0.001 per second", fps.to_string()));
                    }
                }
                _ => {
                    let keyword = String::from_utf8_lossy(&keyword).into_owned();
                    let message = format!("the keyword {keyword} is not known and was passed over");
                    cursor.warn(&mut self.warnings, at, message);
                    cursor.skip_line();
                }
            }
            cursor.expect_line_end("a keyword")?;
        }
        Ok(())
    }

    /// How many frames there are; at least one.
    pub fn n_frames(&self) -> usize {
        self.values.len() / self.n_channels.max(1)
    }

    /// The frames in order: the root's numbers, then each bone's.
    pub fn frames(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.n_channels.max(1))
    }

    /// An angle of the file in radians.
    pub(super) fn radians(&self, angle: f64) -> f64 {
        if self.degrees { angle.to_radians() } else { angle }
    }
}

fn parts(asf: &Asf) -> Vec<Part<'_>> {
    let bones = asf.bones.iter().map(|bone| (bone.name.as_str(), bone.dofs.len()));
    let mut first = 0;
    let part = |(name, len)| {
        first += len;
        Part { name, first: first - len, len }
    };
    [("root", asf.root_order.len())].into_iter().chain(bones).map(part).collect()
}

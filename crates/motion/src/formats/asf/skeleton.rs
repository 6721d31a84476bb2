//! ASF: bytes to bones.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};

use super::axis_frame;
use crate::formats::bvh::Axis;
use crate::formats::text::Cursor;
use crate::formats::{ImportError, Warning};
use crate::skeleton::MAX_JOINTS;

/// A degree of freedom of a bone or of the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dof {
    /// Along an axis, in the file's units.
    Move(Axis),
    /// About an axis, in the file's unit of angle.
    Turn(Axis),
}

impl Dof {
    fn from_word(word: &[u8]) -> Option<Dof> {
        let axis = match word {
            [_, axis] => axis_of(*axis)?,
            _ => return None,
        };
        match word[0].to_ascii_lowercase() {
            b'r' => Some(Dof::Turn(axis)),
            b't' => Some(Dof::Move(axis)),
            _ => None,
        }
    }
}

/// A bone of an ASF skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// The name; unique in the file.
    pub name: String,
    /// The bone it starts at the end of, by its place in [`Asf::bones`]; `None` for the root.
    pub parent: Option<usize>,
    /// From start to end in the skeleton's axes and the file's units: direction times length.
    pub vector: DVec3,
    /// The frame the degrees of freedom turn in: Acclaim's `C`.
    pub axis: DQuat,
    /// What the motion drives, in the order of its columns.
    pub dofs: Vec<Dof>,
}

/// A skeleton file.
///
/// ```
/// use randori_motion::formats::asf::Asf;
/// let text = b":units\nangle deg\n:root\norder TX TY TZ RX RY RZ\n:bonedata\nbegin\nname back\n\
///     direction 0 1 0\nlength 2\naxis 0 0 0 XYZ\ndof rx ry rz\nend\n:hierarchy\nbegin\nroot back\nend\n";
/// let asf = Asf::parse(text).unwrap();
/// assert_eq!(asf.bones[0].vector.to_array(), [0.0, 2.0, 0.0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Asf {
    /// `length` of the units, by which lengths are divided to give inches in CMU's files.
    pub length: Option<f64>,
    /// Whether angles are in degrees; else in radians.
    pub degrees: bool,
    /// What the motion drives of the root, in the order of its columns.
    pub root_order: Vec<Dof>,
    /// Where the root stands before the motion moves it, in the file's units.
    pub root_position: DVec3,
    /// The frame in which the root turns.
    pub root_orientation: DQuat,
    /// All bones, parents before children.
    pub bones: Vec<Bone>,
    /// What was odd.
    pub warnings: Vec<Warning>,
}

impl Asf {
    /// Reads a skeleton file.
    pub fn parse(bytes: &[u8]) -> Result<Asf, ImportError> {
        let mut reader = Reader {
            cursor: Cursor::new(bytes),
            asf: Asf {
                length: None,
                degrees: true,
                root_order: Vec::new(),
                root_position: DVec3::ZERO,
                root_orientation: DQuat::IDENTITY,
                bones: Vec::new(),
                warnings: Vec::new(),
            },
            by_name: BTreeMap::from([("root", None)]),
            sections: Vec::new(),
        };
        reader.sections()?;
        if reader.asf.n_channels() == 0 {
            let cursor = reader.cursor;
            return Err(cursor.error_found(cursor.at, "a degree of freedom of the root or a bone", "none"));
        }
        reader.asf.sort_parents_first();
        Ok(reader.asf)
    }

    /// How many columns a frame of motion has: the root's, then each bone's.
    pub fn n_channels(&self) -> usize {
        self.root_order.len() + self.bones.iter().map(|bone| bone.dofs.len()).sum::<usize>()
    }

    /// The hierarchy may list bones in any order; everything after reading relies on parents first.
    fn sort_parents_first(&mut self) {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.bones.len() + 1];
        for (bone_idx, bone) in self.bones.iter().enumerate() {
            children[bone.parent.map_or(0, |parent| parent + 1)].push(bone_idx);
        }
        let mut new_place = vec![0; self.bones.len()];
        let mut order = Vec::with_capacity(self.bones.len());
        let mut to_visit: Vec<usize> = children[0].iter().rev().copied().collect();
        while let Some(bone_idx) = to_visit.pop() {
            new_place[bone_idx] = order.len();
            order.push(bone_idx);
            to_visit.extend(children[bone_idx + 1].iter().rev());
        }
        let reordered = order.iter().map(|bone_idx| {
            let bone = self.bones[*bone_idx].clone();
            Bone { parent: bone.parent.map(|parent| new_place[parent]), ..bone }
        });
        self.bones = reordered.collect();
    }
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    asf: Asf,
    /// Every bone's place in the file; `None` for the root.
    by_name: BTreeMap<&'a str, Option<usize>>,
    /// The sections that were read.
    sections: Vec<&'static str>,
}

impl<'a> Reader<'a> {
    fn sections(&mut self) -> Result<(), ImportError> {
        if !self.cursor.next_line() || self.cursor.rest().first() != Some(&b':') {
            return Err(self.cursor.error(self.cursor.at, "a section such as :version or :units"));
        }
        while self.cursor.next_line() {
            let at = self.cursor.at;
            let word = self.cursor.line_word().to_ascii_lowercase();
            match word.as_slice() {
                b":units" => self.once(at, ":units", Reader::units)?,
                b":root" => self.once(at, ":root", Reader::root)?,
                b":bonedata" => self.once(at, ":bonedata", Reader::bone_data)?,
                b":hierarchy" => self.once(at, ":hierarchy", Reader::hierarchy)?,
                b":version" | b":name" => self.cursor.skip_line(),
                b":documentation" => self.skip_section(),
                _ if word.starts_with(b":") => {
                    let name = String::from_utf8_lossy(&word).into_owned();
                    let message = format!("the section {name} is not known and was passed over");
                    self.cursor.warn(&mut self.asf.warnings, at, message);
                    self.skip_section();
                }
                _ => return Err(self.cursor.error(at, "a section such as :units")),
            }
        }
        for section in [":root", ":bonedata", ":hierarchy"] {
            if !self.sections.contains(&section) {
                return Err(self.cursor.error(self.cursor.at, format!("the section {section}")));
            }
        }
        Ok(())
    }

    /// Reads a section that may come once only.
    fn once(
        &mut self,
        at: usize,
        section: &'static str,
        read: impl FnOnce(&mut Self) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        if self.sections.contains(&section) {
            return Err(self.cursor.error_found(at, format!("one section {section}"), "another"));
        }
        self.sections.push(section);
        self.cursor.expect_line_end(section)?;
        read(self)
    }

    /// Whether a line of this section comes next.
    fn has_line(&mut self) -> bool {
        self.cursor.next_line() && self.cursor.rest().first() != Some(&b':')
    }

    fn skip_section(&mut self) {
        self.cursor.skip_line();
        while self.has_line() {
            self.cursor.skip_line();
        }
    }

    fn units(&mut self) -> Result<(), ImportError> {
        while self.has_line() {
            let at = self.cursor.at;
            let key = self.cursor.line_word().to_ascii_lowercase();
            match key.as_slice() {
                b"mass" => {
                    self.cursor.number(|| "the unit of mass".to_owned())?;
                }
                b"length" => {
                    self.cursor.skip_blanks();
                    let length_at = self.cursor.at;
                    let length = self.cursor.number(|| "the unit of length".to_owned())?;
                    if length <= 0.0 {
                        return Err(self.cursor.error(length_at, "a positive unit of length"));
                    }
                    self.asf.length = Some(length);
                }
                b"angle" => {
                    self.cursor.skip_blanks();
                    let at = self.cursor.at;
                    self.asf.degrees = match self.cursor.line_word().to_ascii_lowercase().as_slice() {
                        b"deg" | b"degrees" => true,
                        b"rad" | b"radians" => false,
                        _ => return Err(self.cursor.error(at, "deg or rad")),
                    };
                }
                _ => return Err(self.cursor.error(at, "mass, length or angle")),
            }
            self.cursor.expect_line_end("a unit")?;
        }
        Ok(())
    }

    fn root(&mut self) -> Result<(), ImportError> {
        let mut order = [Axis::X, Axis::Y, Axis::Z];
        let mut orientation = [0.0; 3];
        while self.has_line() {
            let at = self.cursor.at;
            let key = self.cursor.line_word().to_ascii_lowercase();
            match key.as_slice() {
                b"order" => self.asf.root_order = self.dofs()?,
                b"axis" => order = self.axis_order()?,
                b"position" => self.asf.root_position = DVec3::from_array(self.three("position")?),
                b"orientation" => {
                    orientation = self.three("orientation")?;
                    if orientation != [0.0; 3] {
                        let message = "the root's orientation is taken as the frame it turns in".to_owned();
                        self.cursor.warn(&mut self.asf.warnings, at, message);
                    }
                }
                _ => return Err(self.cursor.error(at, "order, axis, position or orientation")),
            }
            self.cursor.expect_line_end("a property of the root")?;
        }
        self.asf.root_orientation = axis_frame(order, orientation.map(|angle| self.radians(angle)));
        Ok(())
    }

    fn bone_data(&mut self) -> Result<(), ImportError> {
        while self.has_line() {
            let at = self.cursor.at;
            self.cursor.expect("begin")?;
            // One place is the root's.
            if self.asf.bones.len() + 1 == MAX_JOINTS {
                return Err(self.cursor.error_found(
                    at,
                    format!("fewer than {MAX_JOINTS} bones"),
                    "one more",
                ));
            }
            self.bone()?;
        }
        Ok(())
    }

    fn bone(&mut self) -> Result<(), ImportError> {
        let (mut name, mut direction, mut length) = (None, None, None);
        let mut bone = Bone {
            name: String::new(),
            parent: None,
            vector: DVec3::ZERO,
            axis: DQuat::IDENTITY,
            dofs: Vec::new(),
        };
        loop {
            if !self.has_line() {
                return Err(self.cursor.error(self.cursor.at, "end of a bone"));
            }
            let at = self.cursor.at;
            let key = self.cursor.line_word().to_ascii_lowercase();
            match key.as_slice() {
                b"end" => {
                    let missing = [
                        (name.is_none(), "name"),
                        (direction.is_none(), "direction"),
                        (length.is_none(), "length"),
                    ];
                    if let Some((_, missing)) = missing.into_iter().find(|(is_missing, _)| *is_missing) {
                        return Err(self.cursor.error(at, format!("{missing} of the bone before its end")));
                    }
                    break;
                }
                b"name" => {
                    self.cursor.skip_blanks();
                    let at = self.cursor.at;
                    let word = self.cursor.name("the name of a bone")?;
                    if name.replace(word).is_some() {
                        return Err(self.cursor.error_found(at, "one name of the bone", "another"));
                    }
                    if word.contains(char::is_whitespace) {
                        return Err(self.cursor.error_found(at, "a name of one word", format!("\"{word}\"")));
                    }
                }
                b"direction" => direction = Some(DVec3::from_array(self.three("direction")?)),
                b"length" => length = Some(self.cursor.number(|| "the length of the bone".to_owned())?),
                b"axis" => {
                    let angles = self.three("axis")?;
                    let order = self.axis_order()?;
                    bone.axis = axis_frame(order, angles.map(|angle| self.radians(angle)));
                }
                b"dof" => bone.dofs = self.dofs()?,
                // Limits go on over lines of their own.
                b"id" | b"limits" | b"bodymass" | b"cofmass" => self.cursor.skip_line(),
                _ if key.starts_with(b"(") => self.cursor.skip_line(),
                _ => {
                    let expected = "name, direction, length, axis, dof, limits, id or end";
                    return Err(self.cursor.error(at, expected));
                }
            }
            self.cursor.expect_line_end("a property of a bone")?;
        }
        let name = name.unwrap_or_default();
        bone.name = name.to_owned();
        bone.vector = direction.unwrap_or_default() * length.unwrap_or_default();
        if self.by_name.insert(name, Some(self.asf.bones.len())).is_some() {
            let at = self.cursor.at;
            return Err(self.cursor.error_found(at, "a name no other bone has", format!("\"{name}\" again")));
        }
        self.asf.bones.push(bone);
        Ok(())
    }

    fn hierarchy(&mut self) -> Result<(), ImportError> {
        let mut is_placed = vec![false; self.asf.bones.len()];
        self.cursor.next_line();
        self.cursor.expect("begin")?;
        loop {
            if !self.has_line() {
                return Err(self.cursor.error(self.cursor.at, "end of the hierarchy"));
            }
            let at = self.cursor.at;
            let word = self.cursor.line_word();
            if word.eq_ignore_ascii_case(b"end") && !self.by_name.contains_key("end") {
                break;
            }
            let parent = self.find(at, word)?;
            loop {
                self.cursor.skip_blanks();
                let at = self.cursor.at;
                let word = self.cursor.line_word();
                if word.is_empty() {
                    break;
                }
                let child = self.find(at, word)?;
                let Some(child) = child.filter(|child| !is_placed[*child] && Some(*child) != parent) else {
                    return Err(self.cursor.error(at, "a bone that hangs from no other yet"));
                };
                is_placed[child] = true;
                self.asf.bones[child].parent = parent;
            }
        }
        let at = self.cursor.at;
        if let Some(lost) = is_placed.iter().position(|is_placed| !is_placed) {
            let expected = format!("bone \"{}\" in the hierarchy", self.asf.bones[lost].name);
            return Err(self.cursor.error_found(at, expected, "it hangs from nothing"));
        }
        if let Some(looped) = self.bone_in_a_loop() {
            let expected =
                format!("bone \"{}\" to hang from the root in the end", self.asf.bones[looped].name);
            return Err(self.cursor.error_found(at, expected, "it hangs from itself"));
        }
        Ok(())
    }

    fn find(&self, at: usize, word: &[u8]) -> Result<Option<usize>, ImportError> {
        let known = std::str::from_utf8(word).ok().and_then(|name| self.by_name.get(name));
        known.copied().ok_or_else(|| self.cursor.error(at, "root or the name of a bone of :bonedata"))
    }

    /// A bone from which the way up never comes to the root.
    fn bone_in_a_loop(&self) -> Option<usize> {
        let bones = &self.asf.bones;
        let mut comes_to_root = vec![false; bones.len()];
        for start in 0..bones.len() {
            let mut way = vec![start];
            while let Some(parent) = bones[way[way.len() - 1]].parent {
                if comes_to_root[parent] {
                    break;
                }
                if way.len() > bones.len() {
                    return Some(start);
                }
                way.push(parent);
            }
            for bone in way {
                comes_to_root[bone] = true;
            }
        }
        None
    }

    fn three(&mut self, what: &str) -> Result<[f64; 3], ImportError> {
        let mut numbers = [0.0; 3];
        for (place, number) in numbers.iter_mut().enumerate() {
            *number = self.cursor.number(|| format!("number {} of 3 of the {what}", place + 1))?;
        }
        Ok(numbers)
    }

    fn radians(&self, angle: f64) -> f64 {
        if self.asf.degrees { angle.to_radians() } else { angle }
    }

    /// Three letters such as `XYZ`.
    fn axis_order(&mut self) -> Result<[Axis; 3], ImportError> {
        self.cursor.skip_blanks();
        let at = self.cursor.at;
        let axes: Option<Vec<Axis>> = self.cursor.line_word().iter().map(|letter| axis_of(*letter)).collect();
        match axes.as_deref() {
            Some([a, b, c]) if a != b && b != c && a != c => Ok([*a, *b, *c]),
            _ => Err(self.cursor.error(at, "an order of axes such as XYZ")),
        }
    }

    fn dofs(&mut self) -> Result<Vec<Dof>, ImportError> {
        let mut dofs = Vec::new();
        loop {
            self.cursor.skip_blanks();
            let at = self.cursor.at;
            let word = self.cursor.line_word();
            if word.is_empty() {
                return Ok(dofs);
            }
            match Dof::from_word(word) {
                Some(dof) if !dofs.contains(&dof) => dofs.push(dof),
                _ => return Err(self.cursor.error(at, "each of rx ry rz tx ty tz at most once")),
            }
        }
    }
}

fn axis_of(letter: u8) -> Option<Axis> {
    match letter.to_ascii_lowercase() {
        b'x' => Some(Axis::X),
        b'y' => Some(Axis::Y),
        b'z' => Some(Axis::Z),
        _ => None,
    }
}

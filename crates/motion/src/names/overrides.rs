//! Bones named by a person, in TOML.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::bone::Bone;
use crate::skeleton::{JointId, Skeleton};

/// Which joints play which bones, as a person wrote it:
///
/// ```toml
/// [bones]
/// hips = "Bip01 Pelvis"
/// leftUpperLeg = "Bip01 L Thigh"
/// jaw = ""                        # nobody plays it, whatever the names say
/// ```
///
/// ```
/// use randori_motion::names::BoneOverride;
/// assert!(BoneOverride::from_toml("[bones]\nhips = \"Bip01 Pelvis\"").is_ok());
/// let error = BoneOverride::from_toml("[bones]\nhip = \"Bip01 Pelvis\"").unwrap_err();
/// assert_eq!(error.to_string(), "line 2: \"hip\" is no VRM 1.0 bone; did you mean \"hips\"?");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoneOverride {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    bone: Bone,
    /// Empty if no joint is to play the bone.
    joint: String,
    line: usize,
}

/// Why an override cannot be used; lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OverrideError {
    /// It is not TOML, or not of this form.
    #[error("line {line}: {message}")]
    Toml {
        /// Where.
        line: usize,
        /// What the TOML reader says.
        message: String,
    },
    /// A key is not the name of a bone.
    #[error("line {line}: \"{name}\" is no VRM 1.0 bone; did you mean \"{nearest}\"?")]
    UnknownBone {
        /// Where.
        line: usize,
        /// The key.
        name: String,
        /// The bone with the most similar name.
        nearest: &'static str,
    },
    /// The skeleton has no joint of that name.
    #[error("line {line}: the skeleton has no joint \"{joint}\" to play {bone}; did you mean \"{nearest}\"?")]
    UnknownJoint {
        /// Where.
        line: usize,
        /// The bone.
        bone: &'static str,
        /// The joint as written.
        joint: String,
        /// The joint with the most similar name.
        nearest: String,
    },
    /// One joint is to play two bones.
    #[error("line {line}: joint \"{joint}\" cannot play {bone}; line {other_line} makes it play {other}")]
    Twice {
        /// Where.
        line: usize,
        /// The joint.
        joint: String,
        /// The bone.
        bone: &'static str,
        /// Where it was given another bone.
        other_line: usize,
        /// That other bone.
        other: &'static str,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    bones: BTreeMap<Spanned<String>, Spanned<String>>,
}

impl BoneOverride {
    /// Reads the text of a TOML file with one table, `[bones]`.
    pub fn from_toml(text: &str) -> Result<BoneOverride, OverrideError> {
        let line_of =
            |at: usize| 1 + text.as_bytes()[..at.min(text.len())].iter().filter(|b| **b == b'\n').count();
        let file: File = toml::from_str(text).map_err(|error| OverrideError::Toml {
            line: error.span().map_or(1, |span| line_of(span.start)),
            message: error.message().to_owned(),
        })?;
        let mut entries: Vec<Entry> = Vec::new();
        for (key, joint) in &file.bones {
            let line = line_of(key.span().start);
            let name = key.get_ref();
            let Some(bone) = Bone::from_name(name) else {
                let names = Bone::ALL.iter().map(|bone| bone.name());
                let nearest = nearest_name(name, names).unwrap_or_default();
                return Err(OverrideError::UnknownBone { line, name: name.clone(), nearest });
            };
            entries.push(Entry { bone, joint: joint.get_ref().clone(), line });
        }
        entries.sort_by_key(|entry| entry.line);
        for (entry_idx, entry) in entries.iter().enumerate() {
            let clash = |other: &&Entry| {
                (!entry.joint.is_empty() && other.joint == entry.joint) || other.bone == entry.bone
            };
            if let Some(other) = entries[..entry_idx].iter().find(clash) {
                return Err(OverrideError::Twice {
                    line: entry.line,
                    joint: entry.joint.clone(),
                    bone: entry.bone.name(),
                    other_line: other.line,
                    other: other.bone.name(),
                });
            }
        }
        Ok(BoneOverride { entries })
    }

    /// Changes the roles as written; a joint that is given a bone loses the one it had.
    pub(super) fn apply(
        &self,
        skeleton: &Skeleton,
        bones: &mut BTreeMap<Bone, JointId>,
    ) -> Result<(), OverrideError> {
        for entry in &self.entries {
            bones.remove(&entry.bone);
            if entry.joint.is_empty() {
                continue;
            }
            let Some(id) = skeleton.find(&entry.joint) else {
                let names = skeleton.joints().iter().map(|joint| joint.name.as_str());
                return Err(OverrideError::UnknownJoint {
                    line: entry.line,
                    bone: entry.bone.name(),
                    joint: entry.joint.clone(),
                    nearest: nearest_name(&entry.joint, names).unwrap_or_default().to_owned(),
                });
            };
            bones.retain(|_, other| *other != id);
            bones.insert(entry.bone, id);
        }
        Ok(())
    }
}

/// The candidate with the fewest letters to change, case aside; of equals the first.
fn nearest_name<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    /// Names beyond this are cut before they are compared: nobody mistypes the hundredth letter.
    const LONGEST: usize = 64;
    let folded = |name: &str| name.to_lowercase().chars().take(LONGEST).collect::<Vec<char>>();
    let name = folded(name);
    candidates.min_by_key(|candidate| edits(&name, &folded(candidate)))
}

/// How many letters must be put in, left out or changed to turn one word into the other.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

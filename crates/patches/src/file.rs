//! Sets of patches in bytes.
//!
//! Behind the header of the [envelope](randori_motion::sealed) stand the patches one after the other, then the tables: first
//! rejoins (u32), rejoins (5 bytes), relays (u64), first overlaps (u32), overlaps (9 bytes); all little-endian.

use glam::Vec3;
use randori_motion::library::{Fingerprint, NodeId};
use randori_motion::sealed::{Broken, Seal};
use randori_motion::{ActionId, ActionLibrary, Bone, Ground, Placement};
use serde::{Deserialize, Serialize};

use crate::patch::{Contact, Initial, Lines, Patch, Role, Stint};
use crate::pattern::PatternRecord;
use crate::set::{PatchId, Patches};
use crate::tables::{Manner, Overlap, Rejoin, Tables, row_width};

const SEAL: Seal = Seal { magic: b"randpat\x1a", version: 1 };

/// Why bytes are not patches, or not the right ones.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchesError {
    /// These bytes are something else.
    #[error("not a set of interaction patches")]
    NotPatches,
    /// Written by a later program, or an earlier one.
    #[error("patches of version {found}; this program reads version {}: build them again", SEAL.version)]
    Version {
        /// The version found.
        found: u32,
    },
    /// Cut off or changed.
    #[error("the set of patches is damaged: {0}")]
    Damaged(String),
    /// Made of another library.
    #[error(
        "the patches were made of the library {} ({} actions, checksum {:08x}), not of this {} ({} actions, checksum \
         {:08x}): build them again",
        .patches.name, .patches.actions, .patches.sum, .library.name, .library.actions, .library.sum
    )]
    Mismatch {
        /// What they were made of.
        patches: Fingerprint,
        /// What they were to be used with.
        library: Fingerprint,
    },
}

impl From<Broken> for PatchesError {
    fn from(broken: Broken) -> PatchesError {
        match broken {
            Broken::Other => PatchesError::NotPatches,
            Broken::Version { found } => PatchesError::Version { found },
            Broken::Damaged(what) => PatchesError::Damaged(what),
        }
    }
}

fn damaged(what: &str) -> PatchesError {
    PatchesError::Damaged(what.to_owned())
}

#[derive(Serialize, Deserialize)]
struct Header {
    library: Fingerprint,
    patterns: Vec<PatternRecord>,
    patches: usize,
    rejoins: usize,
    overlaps: usize,
}

impl Patches {
    /// The set as a file: versioned, with a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            library: self.library.clone(),
            patterns: self.patterns.iter().map(PatternRecord::of).collect(),
            patches: self.len(),
            rejoins: self.tables.rejoins.len(),
            overlaps: self.tables.overlaps.len(),
        };
        SEAL.close(&header, |body| {
            for patch in self.all() {
                write_patch(body, patch);
            }
            let tables = &self.tables;
            body.extend(tables.rejoin_starts.iter().flat_map(|it| it.to_le_bytes()));
            for Rejoin { to, is_swapped } in &tables.rejoins {
                body.extend(to.0.to_le_bytes());
                body.push(u8::from(*is_swapped));
            }
            body.extend(tables.relays.iter().flat_map(|it| it.to_le_bytes()));
            body.extend(tables.overlap_starts.iter().flat_map(|it| it.to_le_bytes()));
            for Overlap { own, with, theirs, begins, manner } in &tables.overlaps {
                body.extend(with.0.to_le_bytes());
                body.extend(begins.to_le_bytes());
                body.extend([own.idx() as u8, theirs.idx() as u8, *manner as u8]);
            }
        })
    }

    /// Reads a set.
    pub fn from_bytes(bytes: &[u8]) -> Result<Patches, PatchesError> {
        let (header, body, at) = SEAL.open::<Header>(bytes)?;
        let Header { library, patterns, patches: n_patches, rejoins, overlaps } = header;
        let patterns = patterns
            .iter()
            .map(|record| record.pattern().map_err(|wrong| PatchesError::Damaged(wrong.what)))
            .collect::<Result<Vec<_>, _>>()?;
        let mut reader = Reader { body, at };
        // Nothing is kept ready for more than the bytes can hold.
        if n_patches.max(rejoins).max(overlaps) > body.len() {
            return Err(damaged("it claims more than it holds"));
        }
        let limits = Limits { library: &library, n_patterns: patterns.len() };
        let patches = (0..n_patches).map(|_| reader.patch(&limits)).collect::<Result<Vec<_>, _>>()?;
        let rejoin_starts = reader.starts(n_patches, rejoins)?;
        let rejoins = (0..rejoins)
            .map(|_| {
                let to = reader.patch_id(n_patches)?;
                Ok(Rejoin { to, is_swapped: reader.flag()? })
            })
            .collect::<Result<Vec<_>, PatchesError>>()?;
        let n_relays = 4 * n_patches * row_width(n_patches);
        let relays =
            (0..n_relays).map(|_| reader.take().map(u64::from_le_bytes)).collect::<Result<Vec<_>, _>>()?;
        let beyond = n_patches % 64;
        let is_full = |row: &[u64]| row.last().is_none_or(|last| beyond == 0 || last >> beyond == 0);
        if !relays.chunks(row_width(n_patches).max(1)).all(is_full) {
            return Err(damaged("a joint leads to no patch"));
        }
        let overlap_starts = reader.starts(n_patches, overlaps)?;
        let overlaps = (0..overlaps)
            .map(|_| {
                let with = reader.patch_id(n_patches)?;
                let begins = i16::from_le_bytes(reader.take()?);
                let (own, theirs) = (reader.role()?, reader.role()?);
                let manner = match reader.byte()? {
                    0 => Manner::Ends,
                    1 => Manner::Starts,
                    2 => Manner::Inside,
                    _ => return Err(damaged("an overlap of no kind")),
                };
                Ok(Overlap { own, with, theirs, begins, manner })
            })
            .collect::<Result<Vec<_>, _>>()?;
        if reader.at != body.len() {
            return Err(damaged("something follows its end"));
        }
        let tables = Tables { n_patches, rejoin_starts, rejoins, relays, overlap_starts, overlaps };
        Ok(Patches::new(library, patterns, patches, tables))
    }

    /// Whether it was made of this library.
    pub fn check_library(&self, library: &ActionLibrary) -> Result<(), PatchesError> {
        if self.fits(library) {
            return Ok(());
        }
        Err(PatchesError::Mismatch { patches: self.library.clone(), library: Fingerprint::of(library) })
    }
}

/// No node.
const NONE: u32 = u32::MAX;

fn write_patch(body: &mut Vec<u8>, patch: &Patch) {
    let floats =
        |body: &mut Vec<u8>, values: &[f32]| body.extend(values.iter().flat_map(|it| it.to_le_bytes()));
    let Initial { distance, angles, delay } = patch.initial;
    body.extend(patch.pattern.to_le_bytes());
    floats(body, &[patch.score, distance, angles[0], angles[1]]);
    body.extend(delay.to_le_bytes());
    for lines in &patch.lines {
        for Placement { position, heading } in [lines.from, lines.to] {
            floats(body, &[position.x, position.z, heading]);
        }
        for node in [lines.entry, lines.exit] {
            body.extend(node.map_or(NONE, |node| node.0).to_le_bytes());
        }
        body.push(u8::from(lines.falls));
        body.push(lines.stints.len() as u8);
        for Stint { action, skipped, start, length } in &lines.stints {
            body.extend(action.0.to_le_bytes());
            body.extend(start.to_le_bytes());
            body.extend(skipped.to_le_bytes());
            body.extend(length.to_le_bytes());
        }
    }
    body.push(patch.contacts.len() as u8);
    for Contact { tick, who, with, bone, point, velocity } in &patch.contacts {
        body.extend(tick.to_le_bytes());
        body.extend([who.idx() as u8, bone_number(*with), bone_number(*bone)]);
        floats(body, &point.to_array());
        floats(body, &velocity.to_array());
    }
}

fn bone_number(bone: Bone) -> u8 {
    Bone::ALL.iter().position(|known| *known == bone).unwrap_or(0) as u8
}

/// What numbers in a file may be.
struct Limits<'a> {
    library: &'a Fingerprint,
    n_patterns: usize,
}

/// What is left to read.
struct Reader<'a> {
    body: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], PatchesError> {
        let bytes = self.body.get(self.at..).and_then(|rest| rest.first_chunk()).ok_or_else(Broken::short)?;
        self.at += N;
        Ok(*bytes)
    }

    fn byte(&mut self) -> Result<u8, PatchesError> {
        Ok(self.take::<1>()?[0])
    }

    fn word(&mut self) -> Result<u32, PatchesError> {
        self.take().map(u32::from_le_bytes)
    }

    fn tick(&mut self) -> Result<i32, PatchesError> {
        let tick = self.take().map(i32::from_le_bytes)?;
        // A day at most: sums of ticks never overflow.
        if tick.unsigned_abs() > 60 * 86_400 { Err(damaged("a time that is none")) } else { Ok(tick) }
    }

    fn float(&mut self) -> Result<f32, PatchesError> {
        let value = self.take().map(f32::from_le_bytes)?;
        if value.is_finite() { Ok(value) } else { Err(damaged("a number that is none")) }
    }

    fn flag(&mut self) -> Result<bool, PatchesError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(damaged("neither yes nor no")),
        }
    }

    fn role(&mut self) -> Result<Role, PatchesError> {
        Ok(if self.flag()? { Role::Second } else { Role::First })
    }

    fn patch_id(&mut self, n_patches: usize) -> Result<PatchId, PatchesError> {
        let id = self.word()?;
        if (id as usize) < n_patches { Ok(PatchId(id)) } else { Err(damaged("a joint leads to no patch")) }
    }

    /// Where the rows of a list begin.
    fn starts(&mut self, n_rows: usize, n_entries: usize) -> Result<Vec<u32>, PatchesError> {
        let starts = (0..=n_rows).map(|_| self.word()).collect::<Result<Vec<_>, _>>()?;
        let rises = starts.first() == Some(&0) && starts.is_sorted();
        if rises && starts.last().is_some_and(|last| *last as usize == n_entries) {
            Ok(starts)
        } else {
            Err(damaged("its tables are not in order"))
        }
    }

    fn vector(&mut self) -> Result<Vec3, PatchesError> {
        Ok(Vec3::new(self.float()?, self.float()?, self.float()?))
    }

    fn placement(&mut self) -> Result<Placement, PatchesError> {
        let position = Ground { x: self.float()?, z: self.float()? };
        Ok(Placement { position, heading: self.float()? })
    }

    fn node(&mut self, limits: &Limits<'_>) -> Result<Option<NodeId>, PatchesError> {
        match self.word()? {
            NONE => Ok(None),
            node if node < limits.library.nodes => Ok(Some(NodeId(node))),
            _ => Err(damaged("a posture that the library does not have")),
        }
    }

    fn bone(&mut self) -> Result<Bone, PatchesError> {
        let number = usize::from(self.byte()?);
        Bone::ALL.get(number).copied().ok_or_else(|| damaged("a bone that is none"))
    }

    fn patch(&mut self, limits: &Limits<'_>) -> Result<Patch, PatchesError> {
        let pattern = u16::from_le_bytes(self.take()?);
        if usize::from(pattern) >= limits.n_patterns {
            return Err(damaged("a patch follows no pattern"));
        }
        let (score, distance) = (self.float()?, self.float()?);
        let angles = [self.float()?, self.float()?];
        let initial = Initial { distance, angles, delay: self.tick()? };
        let lines = [self.lines(limits)?, self.lines(limits)?];
        let contacts = (0..self.byte()?)
            .map(|_| {
                Ok(Contact {
                    tick: self.tick()?,
                    who: self.role()?,
                    with: self.bone()?,
                    bone: self.bone()?,
                    point: self.vector()?,
                    velocity: self.vector()?,
                })
            })
            .collect::<Result<_, PatchesError>>()?;
        Ok(Patch { pattern, initial, lines, contacts, score })
    }

    fn lines(&mut self, limits: &Limits<'_>) -> Result<Lines, PatchesError> {
        let (from, to) = (self.placement()?, self.placement()?);
        let (entry, exit) = (self.node(limits)?, self.node(limits)?);
        let falls = self.flag()?;
        let stints = (0..self.byte()?)
            .map(|_| {
                let action = ActionId(self.word()?);
                let start = self.tick()?;
                let skipped = u16::from_le_bytes(self.take()?);
                let length = u16::from_le_bytes(self.take()?);
                Ok(Stint { action, skipped, start, length })
            })
            .collect::<Result<Vec<_>, PatchesError>>()?;
        if stints.is_empty() || stints.iter().any(|stint| stint.action.0 >= limits.library.actions) {
            return Err(damaged("somebody does nothing that the library has"));
        }
        if stints.windows(2).any(|pair| pair[0].end() != pair[1].start) {
            return Err(damaged("actions that do not follow each other"));
        }
        Ok(Lines { stints, from, to, entry, exit, falls })
    }
}

//! Libraries in bytes.
//!
//! Layout, little-endian: magic (8 bytes), version (u32), CRC-32 of all that follows (u32), length of the header
//! (u32), the header as JSON, then for each take its root positions (3 × f32 a frame), its rotations (4 × i16 a
//! joint and frame, 32767 being 1) and its contacts (a byte a frame, bit 0 left, bit 1 right). Placements and
//! capsules follow from the poses and are made again on reading.

use std::ops::Range;
use std::sync::Arc;

use glam::{Quat, Vec3};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Action, ActionLibrary, Baked, LibraryTake, NodeId, Recording};
use crate::analyse::{ActiveWindow, ValidRange, placement_of};
use crate::annotation::{Annotation, Direction, Target};
use crate::body::Build;
use crate::bone::Bone;
use crate::clip::Clip;
use crate::placement::{Ground, Placement};
use crate::pose::GlobalPose;
use crate::rate::FrameRate;
use crate::skeleton::Skeleton;

const MAGIC: &[u8; 8] = b"randori\x1a";
/// Of the layout above; raised with every change of it.
const VERSION: u32 = 1;
/// A rotation's component of 1.
const UNIT: f32 = 32767.0;

/// Why bytes are not a library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LibraryError {
    /// These bytes are something else.
    #[error("not a library of actions")]
    NotALibrary,
    /// Written by a later program, or an earlier one.
    #[error("a library of version {found}; this program reads version {VERSION}: build the library again")]
    Version {
        /// The version found.
        found: u32,
    },
    /// Cut off or changed.
    #[error("the library is damaged: {0}")]
    Damaged(String),
}

impl ActionLibrary {
    /// The library as a file: compact, versioned, with a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            name: self.name.clone(),
            discipline: self.discipline.clone(),
            build: BuildRecord::of(self.build()),
            connected: self.connected,
            n_nodes: self.n_nodes(),
            takes: self.takes.iter().map(|take| TakeRecord::of(&take.clip)).collect(),
            actions: self.actions.iter().map(ActionRecord::of).collect(),
            ranges: self.ranges.iter().map(RangeRecord::of).collect(),
        };
        let takes = self.takes.iter().map(|take| (&take.clip, take.standing.iter().copied()));
        write(&header, takes)
    }

    /// Reads a library.
    pub fn from_bytes(bytes: &[u8]) -> Result<ActionLibrary, LibraryError> {
        decode(bytes)
    }
}

/// What is in a library that was just assembled.
pub(super) struct Contents<'a> {
    pub(super) name: String,
    pub(super) discipline: String,
    pub(super) build: Build,
    pub(super) connected: f32,
    pub(super) n_nodes: usize,
    pub(super) takes: &'a [Recording],
    pub(super) actions: &'a [Action],
    pub(super) ranges: &'a [(Annotation, ValidRange)],
}

pub(super) fn encode(contents: &Contents<'_>) -> Vec<u8> {
    let header = Header {
        name: contents.name.clone(),
        discipline: contents.discipline.clone(),
        build: BuildRecord::of(contents.build),
        connected: contents.connected,
        n_nodes: contents.n_nodes,
        takes: contents.takes.iter().map(|take| TakeRecord::of(&take.clip)).collect(),
        actions: contents.actions.iter().map(ActionRecord::of).collect(),
        ranges: contents.ranges.iter().map(RangeRecord::of).collect(),
    };
    let takes = contents.takes.iter().map(|take| {
        let [left, right] = &take.standing;
        (&take.clip, left.iter().zip(right).map(|(left, right)| [*left, *right]))
    });
    write(&header, takes)
}

fn write<'a>(
    header: &Header,
    takes: impl Iterator<Item = (&'a Clip, impl Iterator<Item = [bool; 2]>)>,
) -> Vec<u8> {
    let header = serde_json::to_vec(header).expect("plain numbers and names");
    let mut body = (header.len() as u32).to_le_bytes().to_vec();
    body.extend(header);
    for (clip, standing) in takes {
        for pose in clip.frames() {
            body.extend(pose.root().to_array().into_iter().flat_map(f32::to_le_bytes));
        }
        for pose in clip.frames() {
            let numbers = pose.rotations.iter().flat_map(|rotation| rotation.to_array());
            body.extend(numbers.flat_map(|x| (libm::rintf(x * UNIT) as i16).to_le_bytes()));
        }
        body.extend(standing.map(|[left, right]| u8::from(left) | u8::from(right) << 1));
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(crc32fast::hash(&body).to_le_bytes());
    bytes.extend(body);
    bytes
}

pub(super) fn decode(bytes: &[u8]) -> Result<ActionLibrary, LibraryError> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else { return Err(LibraryError::NotALibrary) };
    let short = || LibraryError::Damaged("it ends too early".to_owned());
    let (version, rest) = rest.split_first_chunk().ok_or_else(short)?;
    let found = u32::from_le_bytes(*version);
    if found != VERSION {
        return Err(LibraryError::Version { found });
    }
    let (sum, body) = rest.split_first_chunk().ok_or_else(short)?;
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return Err(LibraryError::Damaged("its checksum does not fit".to_owned()));
    }
    let (length, body) = body.split_first_chunk().ok_or_else(short)?;
    let (header, blocks) = body.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or_else(short)?;
    let header: Header = serde_json::from_slice(header)
        .map_err(|error| LibraryError::Damaged(format!("its header: {error}")))?;
    header.library(blocks)
}

#[derive(Serialize, Deserialize)]
struct Header {
    name: String,
    discipline: String,
    build: BuildRecord,
    connected: f32,
    n_nodes: usize,
    takes: Vec<TakeRecord>,
    actions: Vec<ActionRecord>,
    ranges: Vec<RangeRecord>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct BuildRecord {
    height: f32,
    mass: f32,
    breadth: f32,
    girth: f32,
}

#[derive(Serialize, Deserialize)]
struct TakeRecord {
    name: String,
    n_frames: usize,
}

#[derive(Serialize, Deserialize)]
struct ActionRecord {
    name: String,
    annotation: String,
    take: u32,
    frames: [u32; 2],
    nodes: [u32; 2],
    /// x, z, heading.
    displacement: [f32; 3],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    peak: Option<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    windows: Vec<WindowRecord>,
    targets: Vec<String>,
    directions: Vec<String>,
    contacts: [Vec<[u32; 2]>; 2],
    #[serde(default)]
    is_terminal: bool,
    confidence: f32,
}

#[derive(Serialize, Deserialize)]
struct WindowRecord {
    frames: [usize; 2],
    part: String,
    speed: f32,
    reach: f32,
    point: [f32; 3],
}

#[derive(Serialize, Deserialize)]
struct RangeRecord {
    annotation: String,
    distance: [f32; 2],
    own_angle: [f32; 2],
    other_angle: [f32; 2],
    delay: [f32; 2],
}

/// A person no larger than this lives (m): a larger one is a damaged file.
const TALLEST: f32 = 10.0;

impl BuildRecord {
    fn of(build: Build) -> BuildRecord {
        let Build { height, mass, breadth, girth } = build;
        BuildRecord { height, mass, breadth, girth }
    }

    fn build(self) -> Result<Build, LibraryError> {
        let BuildRecord { height, mass, breadth, girth } = self;
        let sound = |x: f32, most: f32| x > 0.0 && x < most;
        if !(sound(height, TALLEST) && sound(mass, 1e4) && sound(breadth, 10.0) && sound(girth, 10.0)) {
            return Err(LibraryError::Damaged("its body is of no size people have".to_owned()));
        }
        Ok(Build { height, mass, breadth, girth })
    }
}

impl TakeRecord {
    fn of(clip: &Clip) -> TakeRecord {
        TakeRecord { name: clip.name.clone(), n_frames: clip.n_frames() }
    }
}

impl ActionRecord {
    fn of(action: &Action) -> ActionRecord {
        let ends = |range: &Range<u32>| [range.start, range.end];
        let window = |window: &ActiveWindow| WindowRecord {
            frames: [window.frames.start, window.frames.end],
            part: window.part.name().to_owned(),
            speed: window.speed,
            reach: window.reach,
            point: window.point.to_array(),
        };
        let Placement { position, heading } = action.displacement;
        ActionRecord {
            name: action.name.clone(),
            annotation: action.annotation.name().to_owned(),
            take: action.take,
            frames: ends(&action.frames),
            nodes: [action.from.0, action.to.0],
            displacement: [position.x, position.z, heading],
            peak: action.peak,
            windows: action.windows.iter().map(window).collect(),
            targets: action.targets.iter().map(|target| target.name().to_owned()).collect(),
            directions: action.directions.iter().map(|direction| direction.name().to_owned()).collect(),
            contacts: [0, 1].map(|foot: usize| action.contacts[foot].iter().map(ends).collect()),
            is_terminal: action.is_terminal,
            confidence: action.confidence,
        }
    }

    /// The action, if it fits the takes and nodes of the library.
    fn action(self, takes: &[TakeRecord], n_nodes: usize) -> Option<Action> {
        let n_frames = takes.get(self.take as usize)?.n_frames;
        let fits = |[start, end]: [usize; 2]| (start <= end && end <= n_frames).then_some(start..end);
        let fits_short = |[start, end]: [u32; 2]| fits([start as usize, end as usize]).map(|_| start..end);
        let frames = fits_short(self.frames)
            .filter(|frames| frames.start < frames.end && (frames.end as usize) < n_frames)?;
        let node = |node: u32| ((node as usize) < n_nodes).then_some(NodeId(node));
        let window = |record: WindowRecord| {
            Some(ActiveWindow {
                frames: fits(record.frames)?,
                part: Bone::from_name(&record.part)?,
                speed: record.speed,
                reach: record.reach,
                point: Vec3::from_array(record.point),
            })
        };
        let [left, right] = self.contacts;
        let spans = |spans: Vec<[u32; 2]>| spans.into_iter().map(fits_short).collect::<Option<Vec<_>>>();
        let [x, z, heading] = self.displacement;
        Some(Action {
            name: self.name,
            annotation: Annotation::new(&self.annotation).ok()?,
            take: self.take,
            frames,
            from: node(self.nodes[0])?,
            to: node(self.nodes[1])?,
            displacement: Placement { position: Ground { x, z }, heading },
            peak: self.peak.filter(|peak| (*peak as usize) < n_frames),
            windows: self.windows.into_iter().map(window).collect::<Option<_>>()?,
            targets: self.targets.iter().map(|name| Target::from_name(name)).collect::<Option<_>>()?,
            directions: self
                .directions
                .iter()
                .map(|name| Direction::from_name(name))
                .collect::<Option<_>>()?,
            contacts: [spans(left)?, spans(right)?],
            is_terminal: self.is_terminal,
            confidence: self.confidence,
        })
    }
}

impl RangeRecord {
    fn of((annotation, range): &(Annotation, ValidRange)) -> RangeRecord {
        let ends = |range: &Range<f32>| [range.start, range.end];
        RangeRecord {
            annotation: annotation.name().to_owned(),
            distance: ends(&range.distance),
            own_angle: ends(&range.own_angle),
            other_angle: ends(&range.other_angle),
            delay: ends(&range.delay),
        }
    }

    fn range(self) -> Option<(Annotation, ValidRange)> {
        let range = |[start, end]: [f32; 2]| start..end;
        let valid = ValidRange {
            distance: range(self.distance),
            own_angle: range(self.own_angle),
            other_angle: range(self.other_angle),
            delay: range(self.delay),
        };
        Some((Annotation::new(&self.annotation).ok()?, valid))
    }
}

impl Header {
    fn library(self, blocks: &[u8]) -> Result<ActionLibrary, LibraryError> {
        let damaged = |what: String| LibraryError::Damaged(what);
        let build = self.build.build()?;
        let body = Arc::new(build.body());
        let n_joints = body.skeleton.n_joints();
        let mut rest = blocks;
        let mut block_of = Vec::new();
        for take in &self.takes {
            // A frame is 13 bytes and 8 more a joint; whoever claims more frames than there are bytes is cut off.
            let size = take.n_frames.checked_mul(13 + 8 * n_joints);
            let split = size.and_then(|size| rest.split_at_checked(size));
            let (block, after) =
                split.ok_or_else(|| damaged(format!("take {} ends too early", take.name)))?;
            block_of.push((take, block));
            rest = after;
        }
        let takes = block_of.into_par_iter().map(|(take, block)| read_take(take, block, &body.skeleton));
        let takes: Vec<LibraryTake> = takes.collect::<Result<_, _>>()?;
        let actions = self.actions.into_iter().map(|record| {
            let name = record.name.clone();
            let action = record.action(&self.takes, self.n_nodes);
            action.ok_or_else(|| damaged(format!("action {name} does not fit its take or the graph")))
        });
        let actions: Vec<Action> = actions.collect::<Result<_, _>>()?;
        let ranges = self.ranges.into_iter().map(RangeRecord::range).collect::<Option<_>>();
        let ranges = ranges.ok_or_else(|| damaged("its ranges name no annotation".to_owned()))?;
        // No more nodes than actions can have ends.
        if self.n_nodes > 2 * actions.len() {
            return Err(damaged(format!("{} nodes for {} actions", self.n_nodes, actions.len())));
        }
        let baked = takes.par_iter().map(|take| Baked::of(take, &body)).collect();
        let mut library = ActionLibrary {
            name: self.name,
            discipline: self.discipline,
            build,
            body,
            takes,
            actions,
            ranges,
            connected: self.connected,
            starts: Vec::new(),
            starting: Vec::new(),
            baked,
        };
        library.index(self.n_nodes);
        Ok(library)
    }
}

fn read_take(
    record: &TakeRecord,
    block: &[u8],
    skeleton: &Arc<Skeleton>,
) -> Result<LibraryTake, LibraryError> {
    let n_frames = record.n_frames;
    let (roots, rest) = block.split_at(12 * n_frames);
    let (rotations, contacts) = rest.split_at(8 * skeleton.n_joints() * n_frames);
    let float = |bytes: [u8; 4]| f32::from_le_bytes(bytes);
    let roots = roots.as_chunks::<4>().0.as_chunks::<3>().0;
    let translations = roots.iter().map(|root| Vec3::from_array(root.map(float))).collect();
    let short = |bytes: [u8; 2]| f32::from(i16::from_le_bytes(bytes)) / UNIT;
    let rotations = rotations.as_chunks::<2>().0.as_chunks::<4>().0;
    let rotations = rotations.iter().map(|rotation| Quat::from_array(rotation.map(short))).collect();
    let clip = Clip::new(&record.name, Arc::clone(skeleton), FrameRate::HOUSE, translations, rotations)
        .map_err(|error| LibraryError::Damaged(error.to_string()))?;
    let mut globals = GlobalPose::default();
    let placements = clip.frames().map(|pose| {
        skeleton.globals_into(pose, &mut globals);
        placement_of(skeleton, &globals)
    });
    let placements = placements.collect();
    let standing = contacts.iter().map(|bits| [bits & 1 != 0, bits & 2 != 0]).collect();
    Ok(LibraryTake { clip, standing, placements })
}

//! Libraries in bytes.
//!
//! Behind the header of the [envelope](crate::sealed) stand for each take its root positions (3 × f32 a frame), its
//! rotations (6 bytes a joint and frame, see [`packed`]) and its contacts (a byte a frame, bit 0 left, bit 1 right).
//! Placements and capsules follow from the poses and are made again on reading.

use std::ops::Range;
use std::sync::Arc;

use glam::{Quat, Vec3};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Action, ActionLibrary, Baked, LibraryTake, NodeId, Recording};
use crate::analyse::{ActiveWindow, ValidRange};
use crate::annotation::{Annotation, Direction, Target};
use crate::body::{Body, Build, Weapon};
use crate::bone::Bone;
use crate::clip::Clip;
use crate::placement::{Ground, Placement};
use crate::rate::FrameRate;
use crate::sealed::{Broken, Seal};

const SEAL: Seal = Seal { magic: b"randori\x1a", version: 1 };

/// Why bytes are not a library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LibraryError {
    /// These bytes are something else.
    #[error("not a library of actions")]
    NotALibrary,
    /// Written by a later program, or an earlier one.
    #[error("a library of version {found}; this program reads version {}: build the library again", SEAL.version)]
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
            origin: self.origin.clone(),
            build: BuildRecord::of(self.build()),
            weapon: self.body().weapon.map(WeaponRecord::of),
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
        origin: String::new(),
        build: BuildRecord::of(contents.build),
        weapon: None,
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
    SEAL.close(header, |body| {
        for (clip, standing) in takes {
            for pose in clip.frames() {
                body.extend(pose.root().to_array().into_iter().flat_map(f32::to_le_bytes));
            }
            for pose in clip.frames() {
                body.extend(pose.rotations.iter().flat_map(|rotation| packed(*rotation)));
            }
            body.extend(standing.map(|[left, right]| u8::from(left) | u8::from(right) << 1));
        }
    })
}

pub(super) fn decode(bytes: &[u8]) -> Result<ActionLibrary, LibraryError> {
    let (header, body, at) = SEAL.open::<Header>(bytes)?;
    header.library(&body[at..])
}

impl From<Broken> for LibraryError {
    fn from(broken: Broken) -> LibraryError {
        match broken {
            Broken::Other => LibraryError::NotALibrary,
            Broken::Version { found } => LibraryError::Version { found },
            Broken::Damaged(what) => LibraryError::Damaged(what),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Header {
    name: String,
    discipline: String,
    #[serde(default)]
    origin: String,
    build: BuildRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weapon: Option<WeaponRecord>,
    connected: f32,
    n_nodes: usize,
    takes: Vec<TakeRecord>,
    actions: Vec<ActionRecord>,
    ranges: Vec<RangeRecord>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct BuildRecord {
    height: f32,
    mass: f32,
    breadth: f32,
    girth: f32,
}

#[derive(Serialize, Deserialize)]
struct WeaponRecord {
    bone: String,
    ends: [[f32; 3]; 2],
    radius: f32,
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
    pub(crate) fn of(build: Build) -> BuildRecord {
        let Build { height, mass, breadth, girth } = build;
        BuildRecord { height, mass, breadth, girth }
    }

    pub(crate) fn build(self) -> Result<Build, LibraryError> {
        let BuildRecord { height, mass, breadth, girth } = self;
        let sound = |x: f32, most: f32| x > 0.0 && x < most;
        if !(sound(height, TALLEST) && sound(mass, 1e4) && sound(breadth, 10.0) && sound(girth, 10.0)) {
            return Err(LibraryError::Damaged("its body is of no size people have".to_owned()));
        }
        Ok(Build { height, mass, breadth, girth })
    }
}

impl WeaponRecord {
    fn of(weapon: Weapon) -> WeaponRecord {
        let Weapon { bone, ends, radius } = weapon;
        WeaponRecord { bone: bone.name().to_owned(), ends: ends.map(|end| end.to_array()), radius }
    }

    fn weapon(self) -> Result<Weapon, LibraryError> {
        let bone = Bone::from_name(&self.bone);
        let weapon =
            bone.map(|bone| Weapon { bone, ends: self.ends.map(Vec3::from_array), radius: self.radius });
        weapon
            .filter(Weapon::is_sound)
            .ok_or_else(|| LibraryError::Damaged("its weapon is none that a hand holds".to_owned()))
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
        let weapon = self.weapon.map(WeaponRecord::weapon).transpose()?;
        let body = Arc::new(Body { weapon, ..build.body() });
        let n_joints = body.skeleton.n_joints();
        let mut rest = blocks;
        let mut block_of = Vec::new();
        for take in &self.takes {
            // A frame is 13 bytes and 6 more a joint; whoever claims more frames than there are bytes is cut off.
            let size = take.n_frames.checked_mul(13 + 6 * n_joints);
            let split = size.and_then(|size| rest.split_at_checked(size));
            let (block, after) =
                split.ok_or_else(|| damaged(format!("take {} ends too early", take.name)))?;
            block_of.push((take, block));
            rest = after;
        }
        let takes = block_of.into_par_iter().map(|(take, block)| read_take(take, block, &body));
        let takes: Vec<(LibraryTake, Baked)> = takes.collect::<Result<_, _>>()?;
        let (takes, baked) = takes.into_iter().unzip();
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
        let mut library = ActionLibrary {
            name: self.name,
            discipline: self.discipline,
            origin: self.origin,
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
    body: &Arc<Body>,
) -> Result<(LibraryTake, Baked), LibraryError> {
    let (n_frames, skeleton) = (record.n_frames, &body.skeleton);
    let (roots, rest) = block.split_at(12 * n_frames);
    let (rotations, contacts) = rest.split_at(6 * skeleton.n_joints() * n_frames);
    let float = |bytes: [u8; 4]| f32::from_le_bytes(bytes);
    let roots = roots.as_chunks::<4>().0.as_chunks::<3>().0;
    let translations = roots.iter().map(|root| Vec3::from_array(root.map(float))).collect();
    let rotations = rotations.as_chunks::<6>().0.iter().map(|bytes| unpacked(*bytes)).collect();
    let clip = Clip::new(&record.name, Arc::clone(skeleton), FrameRate::HOUSE, translations, rotations)
        .map_err(|error| LibraryError::Damaged(error.to_string()))?;
    let (placements, baked) = Baked::of(&clip, body);
    let standing = contacts.iter().map(|bits| [bits & 1 != 0, bits & 2 != 0]).collect();
    Ok((LibraryTake { clip, standing, placements }, baked))
}

/// The greatest of three components of which a fourth is greater: half of the square root of 2.
const GREATEST: f32 = std::f32::consts::FRAC_1_SQRT_2;
/// Steps from zero to [`GREATEST`]: 15 bits hold both signs.
const STEPS: f32 = 16383.0;

/// A rotation in 6 bytes: the place of its greatest component in 2 bits, the other three in 15 bits each. The error is
/// below 0.00005 rad, and what was unpacked packs to the same bytes.
pub(crate) fn packed(rotation: Quat) -> [u8; 6] {
    let mut bytes = pack_once(rotation);
    for _ in 0..4 {
        let again = pack_once(unpacked(bytes));
        if again == bytes {
            return bytes;
        }
        bytes = again;
    }
    // Where two components are greatest, rounding may swap them for ever: the lesser of the two it is.
    bytes.min(pack_once(unpacked(bytes)))
}

fn pack_once(rotation: Quat) -> [u8; 6] {
    let components = rotation.to_array();
    let greatest =
        (1..4).fold(0, |best, at| if components[at].abs() > components[best].abs() { at } else { best });
    let sign = if components[greatest] < 0.0 { -1.0 } else { 1.0 };
    let mut bits = greatest as u64;
    for (_, component) in components.iter().enumerate().filter(|(at, _)| *at != greatest) {
        let step = libm::rintf(sign * component / GREATEST * STEPS).clamp(-STEPS, STEPS);
        bits = bits << 15 | (step as i64 + 16384) as u64;
    }
    let [a, b, c, d, e, f, ..] = bits.to_le_bytes();
    [a, b, c, d, e, f]
}

pub(crate) fn unpacked([a, b, c, d, e, f]: [u8; 6]) -> Quat {
    let bits = u64::from_le_bytes([a, b, c, d, e, f, 0, 0]);
    let component = |shift: u32| ((bits >> shift & 0x7fff) as f32 - 16384.0) / STEPS * GREATEST;
    let [x, y, z] = [component(30), component(15), component(0)];
    let w = libm::sqrtf((1.0 - x * x - y * y - z * z).max(0.0));
    match bits >> 45 & 3 {
        0 => Quat::from_xyzw(w, x, y, z),
        1 => Quat::from_xyzw(x, w, y, z),
        2 => Quat::from_xyzw(x, y, w, z),
        _ => Quat::from_xyzw(x, y, z, w),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::angle_between;

    #[test]
    fn rotations_come_back_and_pack_to_the_same_bytes() {
        let mut rotations =
            vec![Quat::IDENTITY, -Quat::IDENTITY, Quat::from_rotation_x(std::f32::consts::PI)];
        rotations.push(Quat::from_xyzw(0.5, 0.5, 0.5, 0.5));
        rotations.push(Quat::from_xyzw(0.0, -GREATEST, GREATEST, 0.0));
        // Where two or three components are nearly the greatest.
        rotations.extend((0..20_000).map(|k| {
            let [a, b] = [1.0, 1.7].map(|f: f32| 1e-4 * libm::sinf(f * k as f32));
            Quat::from_xyzw(GREATEST + a, b, GREATEST, 0.5 * (k % 2) as f32).normalize()
        }));
        rotations.extend((0..20_000).map(|k| {
            let k = k as f32;
            let [x, y, z, w] = [0.7, 1.3, 2.1, 3.7].map(|f: f32| libm::sinf(f * k + f));
            Quat::from_xyzw(x, y, z, w).normalize()
        }));
        for rotation in rotations {
            let bytes = packed(rotation);
            let back = unpacked(bytes);
            assert!(angle_between(rotation, back) < 2e-4, "{rotation} {back}");
            assert_eq!(packed(back.normalize()), bytes, "{rotation}");
            assert_eq!(packed(-back.normalize()), bytes, "{rotation}");
        }
    }
}

//! The motion analyser: from one long take of one person to actions with annotations.
//!
//! It follows section IV of \[Shum2012\]: the motion is split inside double supports, segments are joined
//! where the body is still busy (the sum `S` of squared joint accelerations is high), and each segment is
//! named after what its limbs do. Where that is not enough for captured people, rules are added: every
//! stroke of a combination is an action of its own, running is cut at foot strikes, and long stands at the
//! calm moments within.
//!
//! Read in this order: `signals` (what is measured in every frame), `strokes`, `kicks`, `blade`, `trunk`, `hits`,
//! `jostling` and `tackling` (attacks, defences and reactions found as events), `carry` (what is held in both hands), `cuts` (from events and
//! contacts to segments), `steps` (names for what is left). [`labels`] is the sidecar that a person corrects, [`score`]
//! compares with such labels, and [`valid_ranges`] says from where an action makes sense. Nothing here changes a clip.

mod blade;
mod carry;
mod cuts;
mod hits;
mod jostling;
mod kicks;
mod placement;
mod ranges;
mod signals;
mod steps;
mod strokes;
mod tackling;
mod trunk;
mod windows;

pub mod labels;
pub mod score;

use std::ops::Range;

use glam::Vec3;

use crate::annotation::{Annotation, Direction, Kind, Target};
use crate::body::Weapon;
use crate::bone::Bone;
use crate::clip::Clip;
use crate::contacts::{ContactSettings, Contacts};
use crate::tracks::Tracks;

pub use placement::{placement_of, placement_of_pose};
pub use ranges::{ValidRange, valid_ranges};

use labels::Label;
use signals::Signals;
use steps::Namer;

/// What kind of motion to expect: the same posture means a block to a boxer and a swinging arm to a runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Discipline {
    /// Blows, kicks, defences and steps on the spot.
    Boxing,
    /// Walking, running, turning, dodging, catching.
    Running,
    /// Cuts, blocks and steps of somebody with a blade, which [`Settings::weapon`] describes.
    Sword,
    /// Being struck while in guard: hits, staggers, knock-downs, getting up.
    Reactions,
    /// Lifting, carrying, handing over, receiving, putting down, alone or with somebody at the other end.
    Carrying,
    /// Standing in a crowd: pushes, steps aside, stumbles, falls, getting up.
    Crowd,
    /// Running with a ball, dodging, spinning and leaping, tackling and being tackled.
    Football,
    /// Anything: blows where somebody stands, locomotion where somebody travels.
    #[default]
    General,
}

impl Discipline {
    /// Whether people go somewhere, so that steps are cut and named as those of walks and runs.
    fn travels(self) -> bool {
        !matches!(self, Discipline::Boxing | Discipline::Sword | Discipline::Reactions)
    }
}

/// How a take is cut and named.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// What kind of motion to expect.
    pub discipline: Discipline,
    /// When a foot counts as down.
    pub contacts: ContactSettings,
    /// Segments are joined where `S`, the sum over joints of squared accelerations relative to the hips,
    /// is above this (m²/s⁴). Default 1500: the captured boxers are then cut in no stroke.
    pub merge_above: f32,
    /// Segments that hold no stroke are joined with their neighbours if shorter (s). Default 0.45.
    pub shortest: f32,
    /// Longer segments are cut at a calm moment if there is one (s). Default 1.4.
    pub longest: f32,
    /// The slowest hand, relative to the chest, that strikes (m/s). Default 2.5; takes in which all blows
    /// are slow have a lower one of their own.
    pub hand_speed: f32,
    /// What the person holds, which then strikes in the place of the hand. Default none.
    pub weapon: Option<Weapon>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            discipline: Discipline::General,
            contacts: ContactSettings::default(),
            merge_above: 1500.0,
            shortest: 0.45,
            longest: 1.4,
            hand_speed: 2.5,
            weapon: None,
        }
    }
}

impl Settings {
    /// The defaults for a discipline.
    pub fn of(discipline: Discipline) -> Settings {
        Settings { discipline, ..Settings::default() }
    }

    /// Refuses what no take can be cut with.
    pub fn validate(&self) -> Result<(), AnalyseError> {
        let contacts = &self.contacts;
        let fields = [
            ("merge_above", self.merge_above, 0.0..=1e9),
            ("shortest", self.shortest, 0.0..=10.0),
            ("longest", self.longest, 0.1..=60.0),
            ("hand_speed", self.hand_speed, 0.1..=100.0),
            ("contacts.speed", contacts.speed, 0.0..=100.0),
            ("contacts.height", contacts.height, 0.0..=10.0),
            ("contacts.smoothing", contacts.smoothing, 0.0..=1.0),
            ("contacts.shortest", contacts.shortest, 0.0..=10.0),
        ];
        for (field, value, range) in fields {
            if !range.contains(&value) {
                let (least, most) = (*range.start(), *range.end());
                return Err(AnalyseError::BadSetting { field, value, least, most });
            }
        }
        Ok(())
    }
}

/// Why a clip cannot be analysed at all.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AnalyseError {
    /// A setting is out of its range.
    #[error("setting {field} = {value}: expected {least} to {most}")]
    BadSetting {
        /// The setting's name.
        field: &'static str,
        /// What it was.
        value: f32,
        /// The least allowed.
        least: f32,
        /// The greatest allowed.
        most: f32,
    },
    /// The skeleton lacks bones without which nobody can be seen to step.
    #[error("clip \"{clip}\": no joint plays {}; name the joints' roles first", names(.bones))]
    MissingBones {
        /// The clip's name.
        clip: String,
        /// The bones that are missing.
        bones: Vec<Bone>,
    },
    /// The person hangs head down for most of the clip: the up axis was taken wrong.
    #[error("clip \"{clip}\": the head is below the hips in most frames; is another axis up?")]
    UpsideDown {
        /// The clip's name.
        clip: String,
    },
    /// Labels do not fit the clip.
    #[error("clip \"{clip}\" lasts {seconds:.2} s, but a label starts at {start:.2} s")]
    LabelOutside {
        /// The clip's name.
        clip: String,
        /// How long the clip is (s).
        seconds: f64,
        /// When the label starts (s).
        start: f64,
    },
}

fn names(bones: &[Bone]) -> String {
    bones.iter().map(|bone| bone.name()).collect::<Vec<_>>().join(", ")
}

/// What a person should know about an analysis.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// Fewer frames than a movement needs; nothing was segmented.
    TooShort {
        /// How many frames there are.
        n_frames: usize,
    },
    /// Nobody moves; nothing was segmented.
    Still,
    /// Bones without which some kinds of action cannot be found.
    Incomplete {
        /// The bones that are missing.
        bones: Vec<Bone>,
    },
    /// No foot ever comes to rest, so that segments end where the body is calm instead.
    NoContacts,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Warning::TooShort { n_frames } => write!(f, "{n_frames} frames are too few for an action"),
            Warning::Still => f.write_str("nobody moves"),
            Warning::Incomplete { bones } => {
                write!(f, "no joint plays {}: actions of these parts are not seen", names(bones))
            }
            Warning::NoContacts => f.write_str("no foot ever comes to rest on the floor"),
        }
    }
}

/// A take cut into actions.
///
/// ```
/// use std::sync::Arc;
/// use randori_motion::analyse::{Settings, Warning, analyse};
/// use randori_motion::{Build, Clip, FrameRate};
/// let skeleton = Arc::new(Build::AVERAGE.skeleton());
/// let poses = vec![skeleton.rest_pose(); 120];
/// let statue = Clip::from_poses("statue", skeleton, FrameRate::HOUSE, poses).unwrap();
/// let analysis = analyse(&statue, &Settings::default()).unwrap();
/// assert!(analysis.segments.is_empty());
/// assert_eq!(analysis.warnings, [Warning::Still]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The actions in order of time; they cover the clip without gaps, or there are none.
    pub segments: Vec<Segment>,
    /// What a person should know.
    pub warnings: Vec<Warning>,
    /// When each foot is down.
    pub contacts: Contacts,
}

/// One action of a take.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Its frames.
    pub frames: Range<usize>,
    /// What it is.
    pub annotation: Annotation,
    /// The frame in which a blow is farthest or a defence deepest; `None` for the rest.
    pub peak: Option<usize>,
    /// When it can land, and with what; attacks alone have windows.
    pub windows: Vec<ActiveWindow>,
    /// Where an attack goes, by the height at which it arrives, or what a defence covers.
    pub targets: Vec<Target>,
    /// The way an attack comes, or from which a defence keeps it.
    pub directions: Vec<Direction>,
    /// How sure the name is, 0 to 1.
    pub confidence: f32,
}

/// Frames in which a part of the body can land a hit.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveWindow {
    /// Its frames, counted from the start of the clip.
    pub frames: Range<usize>,
    /// The part that lands.
    pub part: Bone,
    /// Its greatest speed in the world in these frames (m/s).
    pub speed: f32,
    /// Greatest horizontal distance from the hips to the part in these frames (m).
    pub reach: f32,
    /// Where the part is when it is farthest, relative to the placement in that frame (m).
    pub point: Vec3,
}

/// An event that has a moment of its own: a blow, a defence, a reaction.
#[derive(Clone, Debug, PartialEq)]
struct Stroke {
    /// The frame in which the body leaves what it did before.
    start: usize,
    /// The frame in which it is farthest.
    peak: usize,
    /// The frame after which it is over.
    end: usize,
    annotation: Annotation,
    confidence: f32,
}

/// Cuts a clip of one person into actions and names them.
///
/// Works at the clip's own rate, on any skeleton whose joints have roles. Takes that hold no motion give no
/// segments and a warning.
pub fn analyse(clip: &Clip, settings: &Settings) -> Result<Analysis, AnalyseError> {
    let (tracks, contacts, mut warnings) = prepare(clip, settings)?;
    if clip.n_frames() < FEWEST_FRAMES {
        warnings.push(Warning::TooShort { n_frames: clip.n_frames() });
        return Ok(Analysis { segments: Vec::new(), warnings, contacts });
    }
    let signals = Signals::of(clip, &tracks, &contacts, settings.weapon);
    if signals.is_still() {
        warnings.push(Warning::Still);
        return Ok(Analysis { segments: Vec::new(), warnings, contacts });
    }
    if contacts.feet.iter().all(|foot| foot.down.iter().all(|down| !down)) {
        warnings.push(Warning::NoContacts);
    }
    let namer = Namer::new(&signals, settings);
    let strokes = find_strokes(&signals, &namer, settings);
    let pieces = cuts::pieces(&signals, &contacts, &strokes, settings);
    let segments = (pieces.into_iter())
        .map(|piece| match piece.stroke {
            Some(stroke) => {
                let stroke = &strokes[stroke];
                segment(
                    &signals,
                    piece.frames,
                    stroke.annotation.clone(),
                    Some(stroke.peak),
                    stroke.confidence,
                )
            }
            None => {
                let (annotation, confidence) = namer.name(&piece.frames);
                segment(&signals, piece.frames, annotation, None, confidence)
            }
        })
        .collect();
    Ok(Analysis { segments, warnings, contacts })
}

/// The analysis that a person's labels ask for: they replace the automatic segmentation, and what the
/// automatic one measures (windows, targets, directions) is measured again for each label.
///
/// Labels may overlap; segments may not, so that a segment ends where the next one starts. Time that no label
/// covers is cut and named as in [`analyse`], but holds transitions only.
pub fn analyse_labelled(
    clip: &Clip,
    settings: &Settings,
    labels: &[Label],
) -> Result<Analysis, AnalyseError> {
    let (tracks, contacts, mut warnings) = prepare(clip, settings)?;
    if clip.n_frames() < FEWEST_FRAMES {
        warnings.push(Warning::TooShort { n_frames: clip.n_frames() });
        return Ok(Analysis { segments: Vec::new(), warnings, contacts });
    }
    let signals = Signals::of(clip, &tracks, &contacts, settings.weapon);
    let namer = Namer::new(&signals, settings);
    let mut segments = Vec::with_capacity(labels.len());
    for piece in labels::pieces(clip, labels)? {
        if let Some(label) = piece.label {
            segments.push(segment(
                &signals,
                piece.frames,
                label.annotation.clone(),
                piece.peak,
                label.confidence,
            ));
            continue;
        }
        for frames in cuts::quiet_pieces(&signals, &contacts, piece.frames, settings) {
            let (annotation, confidence) = namer.name(&frames);
            segments.push(segment(&signals, frames, annotation, None, confidence));
        }
    }
    Ok(Analysis { segments, warnings, contacts })
}

/// Fewer frames hold no movement: velocities and accelerations need neighbours.
const FEWEST_FRAMES: usize = 8;

/// Forward kinematics and contacts of a clip that can be analysed.
fn prepare(clip: &Clip, settings: &Settings) -> Result<(Tracks, Contacts, Vec<Warning>), AnalyseError> {
    settings.validate()?;
    let missing = |bones: &[Bone]| -> Vec<Bone> {
        bones.iter().copied().filter(|bone| clip.skeleton().bone(*bone).is_none()).collect()
    };
    let bones = missing(&signals::NEEDED);
    if !bones.is_empty() {
        return Err(AnalyseError::MissingBones { clip: clip.name.clone(), bones });
    }
    let tracks = Tracks::of(clip);
    let Some(contacts) = Contacts::of_tracks(clip, &tracks, &settings.contacts) else {
        let bones = missing(&[Bone::LeftFoot, Bone::RightFoot]);
        return Err(AnalyseError::MissingBones { clip: clip.name.clone(), bones });
    };
    if signals::is_upside_down(clip, &tracks) {
        return Err(AnalyseError::UpsideDown { clip: clip.name.clone() });
    }
    let bones = missing(&signals::WANTED);
    let warnings = if bones.is_empty() { Vec::new() } else { vec![Warning::Incomplete { bones }] };
    Ok((tracks, contacts, warnings))
}

/// Peaks closer than this (s) belong to one action: nobody can do two things at once that end at the same moment.
const SAME_MOMENT: f32 = 0.06;

/// All events of a take in order of their peaks; of two at the same moment, the one that strikes stays.
fn find_strokes(signals: &Signals, namer: &Namer<'_>, settings: &Settings) -> Vec<Stroke> {
    if settings.discipline == Discipline::Carrying {
        return namer.held().iter().flat_map(|held| held.strokes.clone()).collect();
    }
    if settings.discipline == Discipline::Reactions {
        let mut found = trunk::falls(signals);
        let hits = hits::reactions(signals, &mut found);
        found.extend(hits);
        found.sort_by_key(|stroke| stroke.peak);
        return found;
    }
    match settings.discipline {
        Discipline::Sword => return blade::strokes(signals),
        Discipline::Crowd => return jostling::events(signals),
        Discipline::Football => return tackling::events(signals),
        _ => {}
    }
    let kicks = kicks::feet(signals, settings);
    let mut attacks = strokes::hands(signals, &kicks, settings);
    attacks.extend(kicks);
    attacks.sort_by_key(|stroke| stroke.peak);
    let others = trunk::events(signals, &attacks, settings);
    let mut found: Vec<Stroke> = Vec::new();
    attacks.extend(others);
    attacks.sort_by_key(|stroke| stroke.peak);
    for stroke in attacks {
        match found.last_mut() {
            Some(last) if stroke.peak - last.peak < signals.frames(SAME_MOMENT) => {
                let rank = |stroke: &Stroke| (stroke.annotation.kind() == Kind::Attack, stroke.confidence);
                if rank(&stroke) > rank(last) {
                    *last = stroke;
                }
            }
            _ => found.push(stroke),
        }
    }
    found
}

/// A segment with everything that is measured from its frames and annotation.
fn segment(
    signals: &Signals,
    frames: Range<usize>,
    annotation: Annotation,
    peak: Option<usize>,
    confidence: f32,
) -> Segment {
    let windows = windows::of(signals, &frames, &annotation, peak);
    let (targets, directions) = windows::aims(signals, &annotation, &windows);
    Segment { frames, annotation, peak, windows, targets, directions, confidence }
}

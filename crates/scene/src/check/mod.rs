//! The linter: what an animator would see wrong in a file, measured, with frame numbers.
//!
//! It works on anybody's GLB through [`Footage`], joint tracks sampled at an even rate, and on our own
//! takes the same way. Definitions of slide, skate, sink, pops and penetration follow what is usual in
//! the field; `docs/check.md` states each with its formula and default limit.
//!
//! Start reading at [`check`].

mod bodies;
mod feet;
mod footage;
mod gltf;
mod joints;
mod signal;

use serde::{Deserialize, Serialize};

pub use bodies::Pair;
pub use feet::Feet;
pub use footage::{Footage, FootageError, Performer, Track};
pub use joints::Joints;

/// What is still acceptable. Every number is a maximum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Sliding of a planted foot during one contact (cm).
    pub foot_slide_cm: f64,
    /// Height-weighted horizontal speed of the feet near the floor (cm/s).
    pub skate_cm_per_s: f64,
    /// Depth of a toe below the floor (cm).
    pub foot_sink_cm: f64,
    /// Depth of one torso or head inside another (cm).
    pub core_penetration_cm: f64,
    /// Acceleration of any joint (m/s²); beyond it the eye sees a pop.
    pub acceleration_m_s2: f64,
    /// Speed of the root (m/s); beyond it the character jumps.
    pub root_speed_m_s: f64,
    /// Bending of a knee or an elbow (deg).
    pub flexion_deg: f64,
    /// Bending of a knee or an elbow the wrong way (deg).
    pub hyperextension_deg: f64,
    /// Change of a bone's length over the file (mm).
    pub bone_stretch_mm: f64,
}

impl Default for Limits {
    /// What a scene should stay within; captured people who shuffle do not always, see `docs/check.md`.
    fn default() -> Limits {
        Limits {
            foot_slide_cm: 15.0,
            skate_cm_per_s: 25.0,
            foot_sink_cm: 2.0,
            core_penetration_cm: 3.0,
            acceleration_m_s2: 2000.0,
            root_speed_m_s: 12.0,
            flexion_deg: 165.0,
            hyperextension_deg: 25.0,
            bone_stretch_mm: 1.0,
        }
    }
}

/// A limit that nothing can be compared with.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("the limit {field} is {value}; expected a finite number, not below 0")]
pub struct LimitError {
    /// The field of [`Limits`].
    pub field: &'static str,
    /// What it is.
    pub value: f64,
}

impl Limits {
    /// Checks that every limit is finite and not below 0.
    ///
    /// ```
    /// use randori_scene::check::Limits;
    /// let limits = Limits { foot_slide_cm: f64::NAN, ..Limits::default() };
    /// assert_eq!(limits.validate().unwrap_err().field, "foot_slide_cm");
    /// assert!(Limits::default().validate().is_ok());
    /// ```
    pub fn validate(&self) -> Result<(), LimitError> {
        let fields = [
            ("foot_slide_cm", self.foot_slide_cm),
            ("skate_cm_per_s", self.skate_cm_per_s),
            ("foot_sink_cm", self.foot_sink_cm),
            ("core_penetration_cm", self.core_penetration_cm),
            ("acceleration_m_s2", self.acceleration_m_s2),
            ("root_speed_m_s", self.root_speed_m_s),
            ("flexion_deg", self.flexion_deg),
            ("hyperextension_deg", self.hyperextension_deg),
            ("bone_stretch_mm", self.bone_stretch_mm),
        ];
        match fields.into_iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0)) {
            Some((field, value)) => Err(LimitError { field, value }),
            None => Ok(()),
        }
    }
}

/// All that was measured in one file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Length of the footage (s).
    pub seconds: f64,
    /// The rate it was sampled at; frame numbers count at this rate from 0.
    pub fps: f64,
    /// One entry per character.
    pub characters: Vec<CharacterReport>,
    /// Pairs of characters that came near each other.
    pub pairs: Vec<Pair>,
    /// What is beyond the limits, worst kinds first in the order of [`Limits`].
    pub findings: Vec<Finding>,
    /// The limits that were applied.
    pub limits: Limits,
}

impl Report {
    /// Whether everything stays within the limits.
    pub fn passes(&self) -> bool {
        self.findings.is_empty()
    }
}

/// What was measured of one character.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CharacterReport {
    /// Its name in the file.
    pub name: String,
    /// How many joints were tracked.
    pub joints: usize,
    /// Feet against the floor.
    #[serde(flatten)]
    pub feet: Feet,
    /// Joints against what bodies can do.
    #[serde(flatten)]
    pub body: Joints,
}

/// What kind of thing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A planted foot slides.
    FootSlide,
    /// The feet glide over the floor.
    Skate,
    /// A foot is below the floor.
    FootSink,
    /// Two characters are inside each other.
    Penetration,
    /// A joint jumps.
    Pop,
    /// The whole character jumps.
    RootJump,
    /// A knee or elbow bends too far.
    Flexion,
    /// A knee or elbow bends the wrong way.
    Hyperextension,
    /// A bone changes its length.
    BoneStretch,
}

/// One thing that is beyond its limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// What kind of thing.
    pub kind: Kind,
    /// The character.
    pub who: String,
    /// The other character, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whom: Option<String>,
    /// The joint or bone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// First and last frame.
    pub frames: [usize; 2],
    /// The worst value in those frames.
    pub value: f64,
    /// The limit it broke.
    pub limit: f64,
    /// The unit of both.
    pub unit: &'static str,
}

/// Measures everything and lists what is beyond the limits.
pub fn check(footage: &Footage, limits: &Limits) -> Report {
    use rayon::prelude::*;
    let mut findings = Vec::new();
    let per_character: Vec<_> = (footage.performers.par_iter())
        .map(|performer| {
            let mut findings = Vec::new();
            let feet = feet::measure(performer, footage.fps, limits, &mut findings);
            let body = joints::measure(performer, footage.fps, limits, &mut findings);
            let name = performer.name.clone();
            (CharacterReport { name, joints: performer.tracks.len(), feet, body }, findings)
        })
        .collect();
    let mut characters = Vec::with_capacity(per_character.len());
    for (character, found) in per_character {
        characters.push(character);
        findings.extend(found);
    }
    let pairs = bodies::measure(footage, limits, &mut findings);
    findings.sort_by_key(|finding| finding.kind);
    let seconds = (footage.n_frames.saturating_sub(1)) as f64 / footage.fps;
    Report { seconds, fps: footage.fps, characters, pairs, findings, limits: *limits }
}

/// What [`check`] says of pairs alone: how deep they are inside each other, and where that is beyond the limits.
pub(crate) fn check_pairs(footage: &Footage, limits: &Limits) -> (Vec<Pair>, Vec<Finding>) {
    let mut findings = Vec::new();
    let pairs = bodies::measure(footage, limits, &mut findings);
    (pairs, findings)
}

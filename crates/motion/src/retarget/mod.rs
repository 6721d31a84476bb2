//! Retargeting: the motion of one skeleton on another, by the bones their joints play.
//!
//! First every bone of the target is turned as the source's bone is: bones point the same way
//! whatever the rest poses and the axes of the joints. Then the whole is scaled by the length of the legs and set
//! on the floor, and the feet are brought to their scaled places: the planted ones stand still.
//!
//! Start reading at [`retarget`].

mod feet;
mod fit;
mod ground;
mod lock;
mod report;
mod transfer;

use std::sync::Arc;

use crate::bone::Bone;
use crate::clip::Clip;
use crate::contacts::{ContactSettings, Contacts};
use crate::skeleton::Skeleton;
use crate::tracks::Tracks;

pub use fit::fitted_skeleton;
pub use report::{BoneLength, EndEffector, Report};

/// What retargeting shall do where there is a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Size of the target's motion relative to the source's; `None` takes the ratio of the legs' lengths. Default
    /// `None`.
    pub scale: Option<f32>,
    /// Whether planted feet are held in their places on the floor. Default true.
    pub keep_contacts: bool,
    /// What counts as planted, in the source.
    pub contacts: ContactSettings,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { scale: None, keep_contacts: true, contacts: ContactSettings::default() }
    }
}

/// A clip on its new skeleton, and how well it fits.
#[derive(Clone, Debug)]
pub struct Retargeted {
    /// The motion of the target, at the source's rate and with its frames.
    pub clip: Clip,
    /// What was kept and what was not.
    pub report: Report,
}

/// Why a clip cannot be retargeted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RetargetError {
    /// Without hips there is nothing to carry the motion.
    #[error("no joint of the {whose} skeleton plays the hips; assign bones first")]
    NoHips {
        /// `source` or `target`.
        whose: &'static str,
    },
    /// The scale is zero, negative or not finite, or the legs that give it have no length.
    #[error("the scale {0} is no size; it must be above 0 and finite")]
    Scale(f32),
    /// The result left the range of numbers.
    #[error(transparent)]
    Clip(#[from] crate::clip::ClipError),
}

/// Lets the `target` skeleton perform the source's motion.
///
/// Both need roles (see [`names`](crate::names)). Bones that only the target has, and joints without a role, stay
/// at rest; spines and necks of different bone counts share the bend out. The feet's contacts are those of the
/// source; the soles of the target stand at y = 0 there, whatever the height of the source's floor.
///
/// ```
/// use std::sync::Arc;
/// use randori_motion::{Build, Clip, FrameRate, retarget::{retarget, Settings}};
/// let tall = Arc::new(Build::SLIM.skeleton());
/// let clip = Clip::from_poses("stand", Arc::clone(&tall), FrameRate::HOUSE, vec![tall.rest_pose(); 30]).unwrap();
/// let short = Arc::new(Build::STOCKY.skeleton());
/// let result = retarget(&clip, &short, &Settings::default()).unwrap();
/// assert!((result.report.scale - 1.68 / 1.82).abs() < 1e-3);
/// // Legs never become quite straight: the hips stand a centimetre lower than at rest.
/// assert!((result.clip.frame(0).root() - short.rest_pose().root()).length() < 0.015);
/// ```
pub fn retarget(
    source: &Clip,
    target: &Arc<Skeleton>,
    settings: &Settings,
) -> Result<Retargeted, RetargetError> {
    for (skeleton, whose) in [(source.skeleton(), "source"), (target, "target")] {
        if skeleton.bone(Bone::Hips).is_none() {
            return Err(RetargetError::NoHips { whose });
        }
    }
    let source_tracks = Tracks::of(source);
    let contacts = Contacts::of_tracks(source, &source_tracks, &settings.contacts);
    let transfer = transfer::Transfer::new(source.skeleton(), target);
    let grounding =
        ground::Grounding::new(source.skeleton(), &source_tracks, target, contacts.as_ref(), settings.scale)?;

    let mut clip = transfer.clip(source, &source_tracks, target, &grounding)?;
    if let Some(contacts) = contacts.as_ref().filter(|_| settings.keep_contacts) {
        clip = feet::plant(&clip, &source_tracks, contacts, &grounding)?;
    }
    let report = Report::new(source, &source_tracks, &clip, contacts.as_ref(), &grounding);
    Ok(Retargeted { clip, report })
}

#[cfg(test)]
mod tests;

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

use glam::Vec3;

use crate::bone::Bone;
use crate::clip::Clip;
use crate::contacts::{ContactSettings, Contacts};
use crate::placement::Ground;
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
    /// The point of the floor about which the motion is scaled: it stays where it is. `None` takes the point below the
    /// root in the clip's first frame. Several people who share a world need one scale and one centre, or they drift
    /// apart: see [`shared_settings`]. Default `None`.
    pub center: Option<Ground>,
    /// Whether planted feet are held in their places on the floor. Default true.
    pub keep_contacts: bool,
    /// What counts as planted, in the source.
    pub contacts: ContactSettings,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { scale: None, center: None, keep_contacts: true, contacts: ContactSettings::default() }
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
    /// The centre of the scaling is not finite.
    #[error("the centre ({x}, {z}) is no point of the floor; it must be finite", x = .0.x, z = .0.z)]
    Center(Ground),
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
    let grounding = ground::Grounding::new(source, &source_tracks, target, contacts.as_ref(), settings)?;

    let mut clip = transfer.clip(source, &source_tracks, target, &grounding)?;
    if let Some(contacts) = contacts.as_ref().filter(|_| settings.keep_contacts) {
        clip = feet::plant(&clip, &source_tracks, contacts, &grounding)?;
    }
    let report = Report::new(source, &source_tracks, &clip, contacts.as_ref(), &grounding);
    Ok(Retargeted { clip, report })
}

/// The settings for people who share a world: one scale, the mean of all, about one centre, the middle of where they
/// start.
///
/// Whoever stands one arm's length from another then still does, give or take the difference of their builds.
///
/// ```
/// use std::sync::Arc;
/// use randori_motion::{Build, Clip, FrameRate, math::Vec3, retarget::{retarget, shared_settings}};
/// let source = Arc::new(Build::AVERAGE.skeleton());
/// let clips = [-1.0, 3.0].map(|x| {
///     let mut pose = source.rest_pose();
///     pose.translations[0] += Vec3::X * x;
///     Clip::from_poses("stand", Arc::clone(&source), FrameRate::HOUSE, vec![pose; 9]).unwrap()
/// });
/// let targets = [Build::SLIM, Build::STOCKY].map(|build| Arc::new(build.skeleton()));
/// let settings = shared_settings(clips.iter().zip(&targets).map(|(clip, target)| (clip, &**target)));
/// assert!((settings.scale.unwrap() - 1.0).abs() < 1e-3);
/// let [left, right] = [0, 1].map(|k| retarget(&clips[k], &targets[k], &settings).unwrap().clip);
/// assert!((right.frame(0).root().x - left.frame(0).root().x - 4.0).abs() < 1e-2);
/// ```
pub fn shared_settings<'a>(people: impl IntoIterator<Item = (&'a Clip, &'a Skeleton)>) -> Settings {
    let (mut scales, mut starts) = (Vec::new(), Vec::new());
    for (clip, target) in people {
        scales.extend(ground::scale_by_legs(clip.skeleton(), target));
        starts.push(clip.frame(0).root());
    }
    let n_people = starts.len();
    let center = starts.into_iter().sum::<Vec3>() / n_people.max(1) as f32;
    // The mean of factors is the geometric one: half and double make one.
    let exponent = scales.iter().map(|scale| libm::logf(*scale)).sum::<f32>() / scales.len().max(1) as f32;
    Settings { scale: Some(libm::expf(exponent)), center: Some(Ground::below(center)), ..Settings::default() }
}

#[cfg(test)]
mod tests;

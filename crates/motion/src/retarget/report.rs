//! How well a retargeted clip keeps what it was given.

use glam::Vec3;
use serde::Serialize;

use super::ground::Grounding;
use crate::bone::Bone;
use crate::clip::Clip;
use crate::contacts::{Contacts, Skate};
use crate::names::REQUIRED;
use crate::skeleton::JointId;
use crate::tracks::Tracks;

/// What retargeting kept and what it did not. Lengths in metres, speeds in m/s.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Size of the target's motion relative to the source's.
    pub scale: f32,
    /// Height of the source's floor in its own world; the target's is at 0.
    pub source_floor: f32,
    /// Contacts of both feet.
    pub n_contacts: usize,
    /// Mean speed of planted feet in the source, scaled.
    pub skate_before: f32,
    /// Mean speed of planted feet in the result.
    pub skate_after: f32,
    /// Mean slide of a foot in one contact in the source, scaled.
    pub slide_before: f32,
    /// Mean slide of a foot in one contact in the result.
    pub slide_after: f32,
    /// Mean distance of hands, feet and head from where they are in the scaled source.
    pub mean_error: f32,
    /// The same for each of them.
    pub end_effectors: Vec<EndEffector>,
    /// Greatest acceleration of any joint that plays a bone, in the source, scaled, in m/s².
    pub acceleration_before: f32,
    /// The same in the result.
    pub acceleration_after: f32,
    /// Lengths of the limbs' bones in both skeletons.
    pub lengths: Vec<BoneLength>,
    /// Bones of the target that the source does not have.
    pub unmapped: Vec<Bone>,
    /// Required bones that the source lacks.
    pub missing: Vec<Bone>,
}

/// How far one end of the body is from where it is in the scaled source.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EndEffector {
    /// Which.
    pub bone: Bone,
    /// Mean distance over all frames, in metres.
    pub mean: f32,
    /// Greatest distance, in metres.
    pub greatest: f32,
}

/// The length of one bone in both skeletons, from its joint to the next.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BoneLength {
    /// Which.
    pub bone: Bone,
    /// In the source, in metres.
    pub source: f32,
    /// In the target, in metres.
    pub target: f32,
}

const END_EFFECTORS: [Bone; 5] =
    [Bone::LeftHand, Bone::RightHand, Bone::LeftFoot, Bone::RightFoot, Bone::Head];

impl Report {
    pub(super) fn new(
        source: &Clip,
        source_tracks: &Tracks,
        result: &Clip,
        contacts: Option<&Contacts>,
        grounding: &Grounding,
    ) -> Report {
        let tracks = Tracks::of(result);
        let (from, to) = (source.skeleton(), result.skeleton());
        let scale = grounding.scale;
        let counterpart = |id: JointId| from.joint(id).bone.and_then(|bone| to.bone(bone));
        let skates = contacts.map(|contacts| {
            let before = Skate::of(contacts, source_tracks, |id| counterpart(id).map(|_| id));
            (before, Skate::of(contacts, &tracks, counterpart))
        });
        let (before, after) = skates.unwrap_or_default();

        let end_effectors: Vec<EndEffector> = (END_EFFECTORS.into_iter())
            .filter_map(|bone| {
                let (theirs, mine) = (from.bone(bone)?, to.bone(bone)?);
                let distance = |frame: usize| {
                    let wanted = grounding.point(source_tracks.position(frame, theirs));
                    wanted.distance(tracks.position(frame, mine))
                };
                let total: f64 = (0..result.n_frames()).map(|frame| f64::from(distance(frame))).sum();
                let greatest = (0..result.n_frames()).map(distance).fold(0.0, f32::max);
                Some(EndEffector { bone, mean: (total / result.n_frames() as f64) as f32, greatest })
            })
            .collect();
        let n_ends = end_effectors.len().max(1) as f32;
        let shared: Vec<(JointId, JointId)> =
            to.bones().filter_map(|(bone, mine)| Some((from.bone(bone)?, mine))).collect();
        let fps = result.rate().fps() as f32;
        Report {
            scale,
            source_floor: grounding.floor,
            n_contacts: before.n_contacts,
            skate_before: before.speed * scale,
            skate_after: after.speed,
            slide_before: before.slide * scale,
            slide_after: after.slide,
            mean_error: end_effectors.iter().map(|end| end.mean).sum::<f32>() / n_ends,
            end_effectors,
            acceleration_before: shared
                .iter()
                .map(|(theirs, _)| greatest_acceleration(source_tracks, *theirs, fps) * scale)
                .fold(0.0, f32::max),
            acceleration_after: shared
                .iter()
                .map(|(_, mine)| greatest_acceleration(&tracks, *mine, fps))
                .fold(0.0, f32::max),
            lengths: lengths(source, result),
            unmapped: to.bones().map(|(bone, _)| bone).filter(|bone| from.bone(*bone).is_none()).collect(),
            missing: REQUIRED.into_iter().filter(|bone| from.bone(*bone).is_none()).collect(),
        }
    }
}

fn greatest_acceleration(tracks: &Tracks, joint: JointId, fps: f32) -> f32 {
    let path = tracks.path(joint);
    let bends = path.windows(3).map(|three| (three[0] - 2.0 * three[1] + three[2]).length());
    bends.fold(0.0, f32::max) * fps * fps
}

fn lengths(source: &Clip, result: &Clip) -> Vec<BoneLength> {
    let rests = [source, result].map(|clip| clip.skeleton().global_pose(clip.skeleton().rest_pose().view()));
    let place = |which: usize, bone: Bone| -> Option<Vec3> {
        let skeleton = [source, result][which].skeleton();
        skeleton.bone(bone).map(|id| rests[which].positions[id.idx()])
    };
    let limbs = Bone::ALL.iter().filter(|bone| bone.side().is_some()).filter_map(|end| {
        let bone = end.parent().filter(|bone| bone.side() == end.side())?;
        let [source, target] = [0, 1].map(|which| Some(place(which, bone)?.distance(place(which, *end)?)));
        Some(BoneLength { bone, source: source?, target: target? })
    });
    limbs.filter(|length| REQUIRED.contains(&length.bone)).collect()
}

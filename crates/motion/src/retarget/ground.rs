//! The floor: how large the target's motion is, how high it stands, and how the source's feet stand.

use glam::Vec3;

use super::{RetargetError, Settings};
use crate::body::leg_length;
use crate::bone::{Bone, Side};
use crate::clip::Clip;
use crate::contacts::{Contacts, FootContacts};
use crate::placement::Ground;
use crate::pose::GlobalPose;
use crate::skeleton::{JointId, Skeleton};
use crate::tracks::Tracks;

/// From the source's world to the target's: a scale about a point of the floor, and the height of that floor.
pub(super) struct Grounding {
    /// Target metres per source metre.
    pub(super) scale: f32,
    /// The point of the floor that stays where it is.
    center: Ground,
    /// Height of the source's floor, in its own metres.
    pub(super) floor: f32,
    /// How each foot of the source stands, left and right; empty without contacts.
    pub(super) standing: Vec<Standing>,
    source_hips: Vec<JointId>,
    target_hips: Vec<JointId>,
    pub(super) target_rest: GlobalPose,
}

impl Grounding {
    pub(super) fn new(
        clip: &Clip,
        source_tracks: &Tracks,
        target: &Skeleton,
        contacts: Option<&Contacts>,
        settings: &Settings,
    ) -> Result<Grounding, RetargetError> {
        let source: &Skeleton = clip.skeleton();
        let target_rest = target.global_pose(target.rest_pose().view());
        let scale = settings.scale.unwrap_or_else(|| scale_by_legs(source, target).unwrap_or(1.0));
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(RetargetError::Scale(scale));
        }
        let center = settings.center.unwrap_or_else(|| Ground::below(clip.frame(0).root()));
        if !(center.x.is_finite() && center.z.is_finite()) {
            return Err(RetargetError::Center(center));
        }
        let leg_length = leg_length(source).unwrap_or(0.0);
        let standing: Vec<Standing> = (contacts.iter().flat_map(|contacts| &contacts.feet))
            .map(|foot| Standing::new(foot, source, source_tracks, target, leg_length))
            .collect();
        // Ankles that stand flat are as high above the floor as the target's at rest: legs then stay as straight as
        // they are, however the foot is built. Without any, the point that is led decides.
        let rest_height = |side: Side, bone: Bone| {
            target.bone(bone.on(side)).map_or(0.0, |id| target_rest.positions[id.idx()].y)
        };
        let floors = standing.iter().zip(Side::BOTH).map(|(foot, side)| {
            let led = if foot.of_ball { Bone::LeftToes } else { Bone::LeftFoot };
            let (height, bone) =
                foot.flat.map_or((foot.height, led), |flat| (flat.ankle_height, Bone::LeftFoot));
            height - rest_height(side, bone) / scale
        });
        let floor = floors.sum::<f32>() / standing.len().max(1) as f32;
        let hips = |skeleton: &Skeleton| -> Vec<JointId> {
            let joints = [Bone::LeftUpperLeg, Bone::RightUpperLeg].map(|bone| skeleton.bone(bone));
            match joints {
                [Some(left), Some(right)] => vec![left, right],
                _ => skeleton.bone(Bone::Hips).into_iter().collect(),
            }
        };
        let (mut source_hips, mut target_hips) = (hips(source), hips(target));
        if source_hips.len() != target_hips.len() {
            [source_hips, target_hips] = [source, target].map(|it| it.bone(Bone::Hips).into_iter().collect());
        }
        Ok(Grounding { scale, center, floor, standing, source_hips, target_hips, target_rest })
    }

    /// A point of the source's world in the target's.
    pub(super) fn point(&self, point_in_source: Vec3) -> Vec3 {
        let center = self.center.at_height(0.0);
        center + (point_in_source - self.center.at_height(self.floor)) * self.scale
    }

    /// How far the target's root must move for the middle of its hip joints to be where the source's is.
    pub(super) fn hips_shift(&self, tracks: &Tracks, frame: usize, target: &GlobalPose) -> Vec3 {
        let mean = |points: &mut dyn Iterator<Item = Vec3>, n: usize| points.sum::<Vec3>() / n.max(1) as f32;
        let theirs =
            mean(&mut self.source_hips.iter().map(|id| tracks.position(frame, *id)), self.source_hips.len());
        let mine =
            mean(&mut self.target_hips.iter().map(|id| target.positions[id.idx()]), self.target_hips.len());
        self.point(theirs) - mine
    }
}

/// The target's size relative to the source's by the length of their legs; `None` if either has none.
pub(super) fn scale_by_legs(source: &Skeleton, target: &Skeleton) -> Option<f32> {
    Some(leg_length(target)? / leg_length(source)?)
}

/// How a foot of the source stands: medians over the frames in which it is down and the person is upright, because a
/// foot of somebody who lies rests in other ways.
pub(super) struct Standing {
    /// Height of the ball, or of the ankle if either skeleton has no toes, in the source's metres.
    pub(super) height: f32,
    of_ball: bool,
    /// Ball and ankle both at rest; `None` if they never are for long enough.
    pub(super) flat: Option<Flat>,
}

/// A foot that stands on its whole sole.
#[derive(Clone, Copy)]
pub(super) struct Flat {
    /// Height of the ankle, in the source's metres.
    pub(super) ankle_height: f32,
    /// How far the line from ankle to ball points below the horizontal, in radians.
    pub(super) slope: f32,
}

impl Standing {
    fn new(foot: &FootContacts, source: &Skeleton, tracks: &Tracks, target: &Skeleton, leg: f32) -> Standing {
        /// Fewer frames say nothing.
        const FEWEST: usize = 8;
        /// Hips at this share of the leg's length above the ankle, or higher.
        const UPRIGHT: f32 = 0.7;
        let hip = source.bone(Bone::LeftUpperLeg.on(foot.side));
        let height = |joint: JointId, frame: usize| tracks.position(frame, joint).y;
        let upright = |frame: usize| {
            hip.is_some_and(|hip| height(hip, frame) - height(foot.ankle.joint, frame) > UPRIGHT * leg)
        };
        let frames = |counts: &dyn Fn(usize) -> bool| -> Vec<usize> {
            (0..tracks.n_frames())
                .filter(|frame| foot.down[*frame] && upright(*frame) && counts(*frame))
                .collect()
        };
        let ball = foot.ball.as_ref().filter(|_| target.bone(Bone::LeftToes.on(foot.side)).is_some());
        let led = ball.unwrap_or(&foot.ankle);
        let planted = frames(&|frame| led.resting[frame]);
        let planted_height = match planted.len() < FEWEST {
            true => led.stance_height,
            false => median(planted.iter().map(|frame| height(led.joint, *frame)).collect()),
        };
        let flat = ball.and_then(|ball| {
            let frames = frames(&|frame| ball.resting[frame] && foot.ankle.resting[frame]);
            let slope = |frame: &usize| {
                let along = tracks.position(*frame, ball.joint) - tracks.position(*frame, foot.ankle.joint);
                libm::asinf((-along.y / along.length().max(1e-6)).clamp(-1.0, 1.0))
            };
            (frames.len() >= FEWEST).then(|| Flat {
                ankle_height: median(frames.iter().map(|frame| height(foot.ankle.joint, *frame)).collect()),
                slope: median(frames.iter().map(slope).collect()),
            })
        });
        Standing { height: planted_height, of_ball: ball.is_some(), flat }
    }
}

fn median(mut values: Vec<f32>) -> f32 {
    values.sort_by(f32::total_cmp);
    values[values.len() / 2]
}

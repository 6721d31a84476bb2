//! One character as the corrections see it: limbs that can be bent, a back that can lean, and how to do so.

use std::sync::Arc;

use glam::{Quat, Vec3};
use randori_motion::ik::{Limb, LimbGoal};
use randori_motion::math::quat_from_rotation_vector;
use randori_motion::{Bone, Character, Clip, GlobalPose, JointId, Pose, Side, Skeleton};
use rayon::prelude::*;

use super::shape::envelope;

/// Changes of one frame that are shorter than this are none (m, rad).
const NOTHING: f32 = 1e-6;

/// A limb with the axis it bends about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jointed {
    pub(super) limb: Limb,
    /// The hinge's axis in the frame of the upper bone, from the rest pose.
    axis: Vec3,
    /// Both bones together (m).
    pub(super) length: f32,
}

/// A character's skeleton, as far as it is bent here.
#[derive(Clone, Debug)]
pub(super) struct Figure {
    pub(super) skeleton: Arc<Skeleton>,
    /// Left and right.
    pub(super) legs: [Option<Jointed>; 2],
    /// Left and right.
    pub(super) arms: [Option<Jointed>; 2],
    /// The balls of the feet, or the ankles of feet without toes.
    pub(super) balls: [Option<JointId>; 2],
    /// What leans, from below.
    spine: Vec<JointId>,
}

/// What is changed in one frame. All vectors are in the world's frame.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(super) struct Change {
    /// The hips shift (m); the feet stay.
    pub(super) hips: Vec3,
    /// The back leans by this rotation vector (rad), all its joints together.
    pub(super) lean: Vec3,
    /// Left and right foot move (m).
    pub(super) feet: [Vec3; 2],
    /// Left and right hand move (m), on top of what the body carries them.
    pub(super) hands: [Vec3; 2],
    /// How much each hand stays where it was instead of being carried by the body, 0 to 1.
    pub(super) pins: [f32; 2],
}

impl Change {
    pub(super) fn is_nothing(&self) -> bool {
        let vectors = [self.hips, self.lean, self.feet[0], self.feet[1], self.hands[0], self.hands[1]];
        vectors.iter().all(|vector| vector.length() < NOTHING)
    }
}

impl Figure {
    pub(super) fn of(character: &Character) -> Figure {
        let skeleton = Arc::clone(character.clip.skeleton());
        let jointed =
            |end: Bone, swings: Vec3| Side::BOTH.map(|side| jointed(&skeleton, end.on(side), swings));
        let balls = Side::BOTH
            .map(|side| skeleton.bone(Bone::LeftToes.on(side)).or(skeleton.bone(Bone::LeftFoot.on(side))));
        let front = front_of(&skeleton);
        Figure {
            legs: jointed(Bone::LeftFoot, -front),
            arms: jointed(Bone::LeftHand, front),
            balls,
            spine: [Bone::Spine, Bone::Chest, Bone::UpperChest]
                .into_iter()
                .filter_map(|bone| skeleton.bone(bone))
                .collect(),
            skeleton,
        }
    }

    /// Where the back leans from, in a pose.
    pub(super) fn small_of_back(&self, globals: &GlobalPose) -> Option<Vec3> {
        self.spine.first().map(|id| globals.positions[id.idx()])
    }

    /// Changes a pose: the hips shift, the back leans, the feet go where they shall and so do the hands. Bones keep
    /// their lengths: what is out of reach is pointed at.
    pub(super) fn apply(&self, change: &Change, pose: &mut Pose) {
        if change.is_nothing() {
            return;
        }
        let before = self.skeleton.global_pose(pose.view());
        pose.translations[0] += change.hips;
        if change.lean.length() >= NOTHING {
            let turn = quat_from_rotation_vector(change.lean / self.spine.len().max(1) as f32);
            for id in &self.spine {
                let parent = self.skeleton.joint(*id).parent;
                let world_from_parent = parent.map_or(Quat::IDENTITY, |id| before.rotations[id.idx()]);
                let in_parent = world_from_parent.inverse() * turn * world_from_parent;
                pose.rotations[id.idx()] = (in_parent * pose.rotations[id.idx()]).normalize();
            }
        }
        let carried = self.skeleton.global_pose(pose.view());
        let place = |globals: &GlobalPose, limb: Limb| globals.positions[limb.end.idx()];
        for (leg, foot) in self.legs.iter().zip(change.feet) {
            let Some(leg) = leg else { continue };
            if change.hips.length() >= NOTHING || foot.length() >= NOTHING {
                leg.reach(&self.skeleton, (&before, &carried), place(&before, leg.limb) + foot, pose);
            }
        }
        for ((arm, hand), pin) in self.arms.iter().zip(change.hands).zip(change.pins) {
            let Some(arm) = arm else { continue };
            let (was, is) = (place(&before, arm.limb), place(&carried, arm.limb));
            if hand.length() >= NOTHING || (pin > 0.0 && was.distance(is) >= NOTHING) {
                arm.reach(&self.skeleton, (&before, &carried), is + pin * (was - is) + hand, pose);
            }
        }
    }

    /// The clip with a change per frame; `None` if there is nothing to change.
    pub(super) fn applied(&self, changes: &[Change], clip: &Clip) -> Option<Clip> {
        if changes.iter().all(Change::is_nothing) {
            return None;
        }
        let poses: Vec<Pose> = (changes.par_iter().enumerate())
            .with_min_len(64)
            .map(|(frame, change)| {
                let mut pose = clip.frame(frame).to_pose();
                self.apply(change, &mut pose);
                pose
            })
            .collect();
        // Bones that turn by finite angles stay finite; if not, the clip stays as it is.
        Clip::from_poses(clip.name.clone(), Arc::clone(&self.skeleton), clip.rate(), poses).ok()
    }

    /// Lets the hips give way, smoothly, where a leg is too short for what its foot shall do.
    pub(super) fn give_way(&self, clip: &Clip, changes: &mut [Change]) {
        /// The hips begin to give this long before they must (s), and as long after.
        const HOLD: f32 = 0.08;
        const SIGMA: f32 = 0.05;
        for _ in 0..2 {
            let missing: Vec<Vec3> = (changes.par_iter().enumerate())
                .with_min_len(64)
                .map(|(frame, change)| {
                    let moves = change.hips.length() >= NOTHING
                        || change.feet.iter().any(|foot| foot.length() >= NOTHING);
                    if moves {
                        self.missing(&self.skeleton.global_pose(clip.frame(frame)), change)
                    } else {
                        Vec3::ZERO
                    }
                })
                .collect();
            if missing.iter().all(|missing| missing.length() < NOTHING) {
                return;
            }
            let shifts = envelope(&missing, clip.rate().fps() as f32, HOLD, SIGMA);
            for (change, shift) in changes.iter_mut().zip(shifts) {
                change.hips += shift;
            }
        }
    }

    /// The shift of the hips that brings both feet within reach: each leg in turn draws the hips to itself.
    fn missing(&self, globals: &GlobalPose, change: &Change) -> Vec3 {
        let goals = self.legs.iter().zip(change.feet).filter_map(|(leg, foot)| {
            let leg = (*leg)?;
            let [hip, _, ankle] = leg.limb.positions(globals);
            Some((hip + change.hips, ankle + foot, leg.longest(hip.distance(ankle))))
        });
        let goals: Vec<(Vec3, Vec3, f32)> = goals.collect();
        let mut shift = Vec3::ZERO;
        for (hip, ankle, longest) in goals.iter().cycle().take(16 * goals.len()) {
            let to_ankle = *ankle - (*hip + shift);
            let missing = to_ankle.length() - longest;
            if missing > 0.0 {
                shift += to_ankle.normalize_or_zero() * missing;
            }
        }
        shift
    }
}

impl Jointed {
    /// How far the limb may reach when it reached `before` (m): almost straight, or as straight as it was.
    pub(super) fn longest(&self, before: f32) -> f32 {
        const ALMOST_STRAIGHT: f32 = 0.992;
        before.max(ALMOST_STRAIGHT * self.length)
    }

    /// Bends the limb until its end is at `target` or as near as it can be; the end keeps the orientation it had
    /// `before` the body moved.
    fn reach(
        &self,
        skeleton: &Skeleton,
        (before, carried): (&GlobalPose, &GlobalPose),
        target: Vec3,
        pose: &mut Pose,
    ) {
        let world_from_end = before.rotations[self.limb.end.idx()];
        self.reach_for(skeleton, carried, (target, world_from_end), pose);
    }

    /// Bends the limb of a pose, whose world transforms are `globals`, until its end is at a place and turned like this,
    /// or as near as it can be.
    pub(super) fn reach_for(
        &self,
        skeleton: &Skeleton,
        globals: &GlobalPose,
        (target, world_from_end): (Vec3, Quat),
        pose: &mut Pose,
    ) {
        let joints = self.limb.positions(globals);
        let [start, _, end] = joints;
        let longest = self.longest(start.distance(end));
        let target = start + (target - start).clamp_length_max(longest);
        let hinge = Some(self.hinge(globals));
        let solution = LimbGoal { target, hinge, ..LimbGoal::of(joints) }.solve();
        self.limb.apply(skeleton, globals, &solution, world_from_end, pose);
    }

    /// The axis the limb bends about: that of its own bend, and where it is straight that of the rest pose.
    fn hinge(&self, globals: &GlobalPose) -> Vec3 {
        /// Sines of the bend between which the one gives way to the other.
        const STRAIGHT: f32 = 0.03;
        const BENT: f32 = 0.12;
        let [start, middle, end] = self.limb.positions(globals);
        let (upper, lower) = (middle - start, end - middle);
        let normal = upper.cross(lower) / (upper.length() * lower.length()).max(1e-9);
        let at_rest = globals.rotations[self.limb.start.idx()] * self.axis;
        let share = ((normal.length() - STRAIGHT) / (BENT - STRAIGHT)).clamp(0.0, 1.0);
        at_rest.lerp(normal.normalize_or(at_rest), share)
    }
}

/// The limb that ends in a bone; `swings` is the way its lower part goes when it bends in the rest pose.
fn jointed(skeleton: &Skeleton, end: Bone, swings: Vec3) -> Option<Jointed> {
    let limb = Limb::ending_in(skeleton, end)?;
    let rest = skeleton.global_pose(skeleton.rest_pose().view());
    let [start, middle, end] = limb.positions(&rest);
    let axis = (middle - start).cross(swings).try_normalize()?;
    let length = start.distance(middle) + middle.distance(end);
    Some(Jointed { limb, axis: rest.rotations[limb.start.idx()].inverse() * axis, length })
}

/// The way the person faces in the rest pose: across the hips, level.
pub(super) fn front_of(skeleton: &Skeleton) -> Vec3 {
    let rest = skeleton.global_pose(skeleton.rest_pose().view());
    let place = |bone| skeleton.bone(bone).map(|id| rest.positions[id.idx()]);
    match (place(Bone::LeftUpperLeg), place(Bone::RightUpperLeg)) {
        (Some(left), Some(right)) => (left - right).cross(Vec3::Y).normalize_or(Vec3::Z),
        _ => Vec3::Z,
    }
}

//! The volume of a body over a take, ready for tests of distance.

use glam::Vec3;

use crate::analyse::placement_of;
use crate::body::Body;
use crate::bone::Bone;
use crate::clip::Clip;
use crate::placement::Placement;
use crate::pose::GlobalPose;

/// The capsules of one body in every frame of a take, relative to the root's placement in that frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Baked {
    n_capsules: usize,
    /// Both ends of every capsule, frame after frame (m).
    ends: Vec<[Vec3; 2]>,
    /// Where the head faces relative to the root's heading, frame by frame (rad).
    gazes: Vec<f32>,
}

impl Baked {
    /// Bakes a clip for a body with the clip's skeleton; with it, where the root is on the floor in every frame.
    pub fn of(clip: &Clip, body: &Body) -> (Vec<Placement>, Baked) {
        let skeleton = clip.skeleton();
        let head = skeleton.bone(Bone::Head);
        let (n_frames, n_capsules) = (clip.n_frames(), body.capsules.len());
        let mut baked = Baked {
            n_capsules,
            ends: Vec::with_capacity(n_frames * n_capsules),
            gazes: Vec::with_capacity(n_frames),
        };
        let mut placements = Vec::with_capacity(n_frames);
        let mut globals = GlobalPose::default();
        for pose in clip.frames() {
            skeleton.globals_into(pose, &mut globals);
            let placement = placement_of(skeleton, &globals);
            placements.push(placement);
            let (origin, turn) = (placement.position.at_height(0.0), placement.rotation().inverse());
            baked.ends.extend(body.capsules.iter().map(|capsule| {
                let joint = capsule.joint.idx();
                let (place, rotation) = (globals.positions[joint] - origin, globals.rotations[joint]);
                [capsule.a, capsule.b].map(|end| turn * (place + rotation * end))
            }));
            baked.gazes.push(head.map_or(0.0, |head| {
                let ahead = turn * (globals.rotations[head.idx()] * Vec3::Z);
                libm::atan2f(ahead.x, ahead.z)
            }));
        }
        (placements, baked)
    }

    /// Both ends of the capsules in one frame, in the order of [`Body::capsules`] (m).
    pub fn frame(&self, frame: usize) -> &[[Vec3; 2]] {
        &self.ends[frame * self.n_capsules..(frame + 1) * self.n_capsules]
    }

    /// Where the head faces in one frame, relative to the root's heading (rad).
    pub fn gaze(&self, frame: usize) -> f32 {
        self.gazes[frame]
    }
}

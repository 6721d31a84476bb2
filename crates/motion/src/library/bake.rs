//! The volume of a body over a take, ready for tests of distance.

use glam::Vec3;

use super::LibraryTake;
use crate::body::Body;
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
    /// Bakes a take for a body with the take's skeleton.
    pub fn of(take: &LibraryTake, body: &Body) -> Baked {
        let skeleton = take.clip.skeleton();
        let head = skeleton.bone(crate::Bone::Head);
        let mut baked = Baked {
            n_capsules: body.capsules.len(),
            ends: Vec::with_capacity(take.clip.n_frames() * body.capsules.len()),
            gazes: Vec::with_capacity(take.clip.n_frames()),
        };
        let mut globals = GlobalPose::default();
        for (pose, placement) in take.clip.frames().zip(&take.placements) {
            skeleton.globals_into(pose, &mut globals);
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
        baked
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

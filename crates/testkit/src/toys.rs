//! Small skeletons and clips with nothing captured in them.

use std::sync::Arc;

use glam::{Quat, Vec3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use randori_motion::{Build, Clip, FrameRate, Joint, JointId, Skeleton};

/// A clip of random smooth-ish motion on the library's skeleton: no beauty, all joints busy.
pub fn wriggling_person(seed: u64, n_frames: usize) -> Clip {
    wriggling(Arc::new(Build::AVERAGE.skeleton()), seed, n_frames)
}

/// Random smooth motion of any skeleton: every joint swings about its rest, the root wanders.
pub fn wriggling(skeleton: Arc<Skeleton>, seed: u64, n_frames: usize) -> Clip {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut random_vector = || Vec3::from_array(std::array::from_fn(|_| rng.random_range(-1.0..1.0)));
    let swings: Vec<(Vec3, f32)> =
        skeleton.ids().map(|_| (random_vector(), 2.0 + 2.0 * random_vector().x)).collect();
    let drift = random_vector();
    let rate = FrameRate::HOUSE;
    let poses = (0..n_frames).map(|frame| {
        let t = rate.time_of(frame) as f32;
        let mut pose = skeleton.rest_pose();
        for (rotation, (swing, speed)) in pose.rotations.iter_mut().zip(&swings) {
            *rotation *= Quat::from_scaled_axis(*swing * 0.6 * (t * speed).sin());
        }
        pose.translations[0] += Vec3::new(drift.x, 0.1 * drift.y, drift.z) * t;
        pose
    });
    Clip::from_poses("wriggling", Arc::clone(&skeleton), rate, poses).expect("finite numbers")
}

/// A random tree of up to `max_joints` joints with random offsets, some of which translate.
pub fn random_skeleton(seed: u64, max_joints: usize) -> Skeleton {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let n_joints = rng.random_range(1..=max_joints.max(1));
    let joints = (0..n_joints)
        .map(|joint_idx| {
            let parent = (joint_idx > 0).then(|| JointId(rng.random_range(0..joint_idx as u32)));
            let mut vector = || Vec3::from_array(std::array::from_fn(|_| rng.random_range(-0.5..0.5)));
            let mut joint = Joint::new(format!("joint{joint_idx}"), parent, vector()).with_tip(vector());
            joint.translates |= vector().x > 0.4;
            joint
        })
        .collect();
    Skeleton::new(joints).expect("a tree by construction")
}

//! A weapon that meets something stops there, and springs back from what stops it.
//!
//! Whoever strikes goes on with the action as it was captured, in which nothing was in the way. Here the arm stays behind:
//! it goes back on the way it came, stays while the cut would have been spent, and takes up the action again after.

use randori_motion::math::{Quat, Vec3, nearest_points, smootherstep};
use randori_motion::{Body, Bone, Capsule, JointId, Pose};

/// How far back the arm goes on its way (ticks): from a body that gives, and from what does not.
const BACK: [f32; 2] = [1.5, 4.5];
/// How long that takes (ticks).
const SPRING: f32 = 5.0;
/// How long the arm stays there, and how long it takes to be back in the action (ticks).
const STAYS: f32 = 14.0;
const JOINS: f32 = 24.0;

/// A weapon met something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Meeting {
    /// Between this frame and the one before it.
    pub(crate) at: usize,
    /// Where, in the world (m).
    pub(crate) point: Vec3,
    /// Whether it was stopped by what does not give.
    pub(crate) is_stopped: bool,
    /// The frame from which on the arm must be back in the action.
    pub(crate) free: usize,
}

/// Stops the arm that holds the body's weapon where it met something.
pub(crate) fn recoil(body: &Body, poses: &mut [Pose], meeting: &Meeting) {
    let Meeting { at, point, is_stopped, free } = *meeting;
    let Some(held) = body.held() else { return };
    let arm: Vec<JointId> = std::iter::successors(Some(held.joint), |id| body.skeleton.joint(*id).parent)
        .take_while(|id| body.skeleton.joint(*id).bone.is_some_and(is_of_arm))
        .collect();
    let last = (at + (STAYS + JOINS) as usize).min(free).min(poses.len());
    if at >= last {
        return;
    }
    let length = (last - at) as f32;
    let before = before(body, &held, [&poses[at.saturating_sub(1)], &poses[at]], point);
    let (stays, joins) = if length < STAYS + JOINS { (0.3 * length, 0.7 * length) } else { (STAYS, JOINS) };
    let far = BACK[usize::from(is_stopped)];
    // The way to where it met: what is changed below is at or after it.
    let way: Vec<Pose> =
        (0..=(before + far) as usize + 1).map(|back| poses[at.saturating_sub(back)].clone()).collect();
    for (frame, pose) in poses.iter_mut().enumerate().take(last).skip(at) {
        let since = (frame - at) as f32;
        let back = before + far * smootherstep(since / SPRING);
        let share = 1.0 - smootherstep((since - stays) / joins);
        let (newer, older) = (&way[back as usize], &way[(back as usize + 1).min(way.len() - 1)]);
        for joint in arm.iter().map(|joint| joint.idx()) {
            let stayed = newer.rotations[joint].slerp(older.rotations[joint], back.fract());
            pose.rotations[joint] = nearest(pose.rotations[joint], stayed).slerp(stayed, share).normalize();
        }
    }
}

/// How long before the second of two frames the weapon is nearest to a point (ticks, up to 1).
fn before(body: &Body, held: &Capsule, poses: [&Pose; 2], point: Vec3) -> f32 {
    const PARTS: usize = 8;
    let [from, to] = poses.map(|pose| {
        let globals = body.skeleton.global_pose(pose.view());
        [held.a, held.b].map(|end| globals.point(held.joint, end))
    });
    let off = |back: f32| {
        let axis = [0, 1].map(|end| to[end].lerp(from[end], back));
        let [p, q] = nearest_points(axis, [point; 2]);
        p.distance_squared(q)
    };
    let parts = (0..=PARTS).map(|part| part as f32 / PARTS as f32);
    parts.min_by(|a, b| off(*a).total_cmp(&off(*b))).unwrap_or(0.0)
}

fn is_of_arm(bone: Bone) -> bool {
    matches!(
        bone.on(randori_motion::Side::Left),
        Bone::LeftShoulder | Bone::LeftUpperArm | Bone::LeftLowerArm | Bone::LeftHand
    )
}

/// The one of a rotation's two forms that is nearer to another.
fn nearest(rotation: Quat, other: Quat) -> Quat {
    if rotation.dot(other) < 0.0 { -rotation } else { rotation }
}

#[cfg(test)]
mod tests {
    use randori_motion::{Build, Weapon};

    use super::*;

    /// Somebody whose right elbow turns by a tenth of a radian a frame, until it is spent.
    fn swing(body: &Body, n_frames: usize) -> Vec<Pose> {
        let elbow = body.skeleton.bone(Bone::RightLowerArm).unwrap().idx();
        (0..n_frames)
            .map(|frame| {
                let mut pose = body.skeleton.rest_pose();
                pose.rotations[elbow] = Quat::from_rotation_y(0.1 * frame.min(15) as f32);
                pose
            })
            .collect()
    }

    #[test]
    fn a_stopped_arm_springs_back_and_finds_the_action_again() {
        let stick = Weapon { bone: Bone::RightHand, ends: [Vec3::ZERO, Vec3::Z], radius: 0.01 };
        let body = Build::AVERAGE.body().armed(stick);
        let elbow = body.skeleton.bone(Bone::RightLowerArm).unwrap().idx();
        let turned = |pose: &Pose| 2.0 * pose.rotations[elbow].y.asin();
        let before = swing(&body, 80);
        // Where the tip is half way between two frames.
        let held = body.held().unwrap();
        let tip = |pose: &Pose| body.skeleton.global_pose(pose.view()).point(held.joint, held.b);
        let point = 0.5 * (tip(&before[9]) + tip(&before[10]));
        let meeting = Meeting { at: 10, point, is_stopped: false, free: 1000 };
        for (is_stopped, least) in [(false, 0.15), (true, 0.45)] {
            let mut poses = before.clone();
            recoil(&body, &mut poses, &Meeting { is_stopped, ..meeting });
            assert_eq!(poses[..10], before[..10]);
            assert!((turned(&before[10]) - turned(&poses[10]) - 0.05).abs() < 0.01, "{is_stopped}");
            assert!((turned(&poses[10]) - turned(&poses[18]) - least).abs() < 0.01, "{is_stopped}");
            assert_eq!(poses[60..], before[60..]);
            for pair in poses[11..].windows(2) {
                assert!((turned(&pair[1]) - turned(&pair[0])).abs() < 0.2);
            }
        }
        // The next blow is not held up, and empty hands do not spring back.
        let mut poses = before.clone();
        recoil(&body, &mut poses, &Meeting { is_stopped: true, free: 20, ..meeting });
        assert_eq!(poses[20..], before[20..]);
        recoil(&Build::AVERAGE.body(), &mut poses, &Meeting { at: 30, ..meeting });
        assert_eq!(poses[20..], before[20..]);
    }
}

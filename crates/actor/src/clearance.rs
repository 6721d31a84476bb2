//! Hands that stay out of the head, the trunk and each other.

use glam::Vec3;
use randori_motion::{Bone, Capsule, GlobalPose, Side};

use crate::figure::{Figure, Posture};

/// Over what depth hands begin to give way (m).
const EASE: f32 = 0.02;
/// How often hands are moved and looked at again.
const ROUNDS: usize = 2;
const TRUNK: [Bone; 6] = [Bone::Head, Bone::Neck, Bone::UpperChest, Bone::Chest, Bone::Spine, Bone::Hips];

impl Figure {
    /// Moves the goals of the hands so that fists and forearms stay out of the head and the trunk, and fists out of each
    /// other. The farther in they would be, the farther they are moved; there is no sudden change.
    pub fn keep_hands_clear(&self, posture: &mut Posture) {
        for _ in 0..ROUNDS {
            let globals = self.globals(posture);
            let pushes = Side::BOTH.map(|side| self.push_of(side, &globals));
            for (goal, push) in posture.hands.iter_mut().zip(pushes) {
                goal.wrist += push;
            }
        }
    }

    /// How far one wrist has to move (m).
    fn push_of(&self, side: Side, globals: &GlobalPose) -> Vec3 {
        let capsules = &self.body().capsules;
        let mine = |bone: Bone| capsules.iter().find(|capsule| capsule.bone == bone.on(side));
        let other = match side {
            Side::Left => [Bone::RightHand, Bone::RightLowerArm],
            Side::Right => [Bone::LeftHand, Bone::LeftLowerArm],
        };
        let mut push = Vec3::ZERO;
        for limb in [Bone::LeftHand, Bone::LeftLowerArm].into_iter().filter_map(mine) {
            let axis = ends(limb, globals);
            for body in capsules.iter() {
                let share = if TRUNK.contains(&body.bone) {
                    1.0
                } else if other.contains(&body.bone) {
                    // The other one gives way as much.
                    0.5
                } else {
                    continue;
                };
                let (on_limb, on_body) = nearest(axis, ends(body, globals));
                let away = on_limb - on_body;
                let depth = ease(limb.radius + body.radius - away.length());
                push += away.normalize_or_zero() * (share * depth);
            }
        }
        push
    }
}

fn ends(capsule: &Capsule, globals: &GlobalPose) -> [Vec3; 2] {
    [globals.point(capsule.joint, capsule.a), globals.point(capsule.joint, capsule.b)]
}

/// 0 for what is well outside, the depth itself for what is well inside, smooth between (m).
fn ease(depth: f32) -> f32 {
    if depth < -EASE {
        0.0
    } else if depth > EASE {
        depth
    } else {
        (depth + EASE) * (depth + EASE) / (4.0 * EASE)
    }
}

/// The nearest points of two segments, after \[Ericson2005\], section 5.1.9.
fn nearest([p1, q1]: [Vec3; 2], [p2, q2]: [Vec3; 2]) -> (Vec3, Vec3) {
    let (d1, d2, r) = (q1 - p1, q2 - p2, p1 - p2);
    let (a, e) = (d1.length_squared().max(1e-9), d2.length_squared().max(1e-9));
    let (b, c, f) = (d1.dot(d2), d1.dot(r), d2.dot(r));
    let between = (a * e - b * b).max(1e-9);
    let s = ((b * f - c * e) / between).clamp(0.0, 1.0);
    let t = ((b * s + f) / e).clamp(0.0, 1.0);
    let s = ((b * t - c) / a).clamp(0.0, 1.0);
    (p1 + d1 * s, p2 + d2 * t)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use randori_motion::Build;

    use super::*;

    #[test]
    fn a_fist_in_the_face_gives_way_smoothly() {
        let figure = Figure::new(Arc::new(Build::AVERAGE.body()));
        let skeleton = &figure.body().skeleton;
        let hand = skeleton.bone(Bone::LeftHand).unwrap_or(randori_motion::JointId::ROOT);
        let mut before: Option<Vec3> = None;
        for k in 0..100 {
            let mut posture = figure.at_ease();
            posture.hands[0].wrist = Vec3::new(0.05, 1.55, 0.5 - 0.005 * k as f32);
            figure.keep_hands_clear(&mut posture);
            let there = figure.globals(&posture).positions[hand.idx()];
            if let Some(before) = before {
                assert!(there.distance(before) < 0.03, "{k} {there} {before}");
            }
            assert!(there.distance(Vec3::new(0.0, 1.65, 0.02)) > 0.09, "{k} {there}");
            before = Some(there);
        }
    }
}

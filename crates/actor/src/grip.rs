//! How a hand points what it holds.

use glam::{Quat, Vec3};
use randori_motion::math::{rotation_between, smootherstep};
use randori_motion::{Bone, Capsule, Side};

use crate::figure::{Figure, Posture};
use crate::performer::sign;

/// How far a forearm turns out of the thumb's way (rad).
const TURN: f32 = 1.6;
/// How far a wrist bends (rad).
const BEND: f32 = 1.1;

impl Figure {
    /// Bends a wrist until something fixed in the hand points in a direction of the world, as far as forearm and wrist
    /// give. `held` is the way it points in the hand's frame: fingers and thumb of a right hand are -X and Z there.
    pub fn point(&self, posture: &mut Posture, side: Side, held: Vec3, direction: Vec3) {
        let skeleton = &self.body().skeleton;
        let Some(forearm) = skeleton.bone(Bone::LeftLowerArm.on(side)) else { return };
        posture.hands[side as usize].bend = Quat::IDENTITY;
        let world_from_forearm = self.globals(posture).rotations[forearm.idx()];
        let wanted = world_from_forearm.inverse() * direction.normalize_or(Vec3::Z);
        let fingers = Vec3::X * sign(side);
        // The forearm turns the thumb to where it shall point; the nearer that is to the arm's own way, the less
        // there is to turn.
        let off = wanted - fingers * wanted.dot(fingers);
        let turn = libm::atan2f(off.dot(fingers.cross(Vec3::Z)), off.z) * smootherstep(off.length() / 0.55);
        let turned = Quat::from_axis_angle(fingers, turn.clamp(-TURN, TURN));
        let points = turned * held.normalize_or(Vec3::Z);
        let bent = rotation_between(points, wanted);
        let angle = points.angle_between(wanted).max(1e-3);
        let bent = Quat::IDENTITY.slerp(bent, (BEND / angle).min(1.0));
        posture.hands[side as usize].bend = bent * turned;
    }
}

impl Figure {
    /// Bends the wrist of whatever holds something up until it is not in the floor.
    pub(crate) fn keep_off_the_floor(&self, posture: &mut Posture) {
        let Some(Capsule { joint, bone, a, b, radius }) = self.body().held() else { return };
        let (Some(side), Some(forearm)) = (bone.side(), self.body().skeleton.joint(joint).parent) else {
            return;
        };
        let globals = self.globals(posture);
        let [near, tip] = [a, b].map(|end| globals.point(joint, end));
        let (way, length) = (tip - near, near.distance(tip).max(1e-3));
        // The tip is lifted as far as it has to be, and the closer to the floor the sooner.
        let lift = ease_above(radius + EASE - tip.y);
        let height = (way.y + lift).clamp(-length, length);
        let along =
            way.with_y(0.0).normalize_or(Vec3::Z) * (length * length - height * height).max(0.0).sqrt();
        let up = rotation_between(way.normalize_or(Vec3::Z), along.with_y(height).normalize_or(Vec3::Z));
        let turn = globals.rotations[forearm.idx()];
        let hand = &mut posture.hands[side as usize];
        hand.bend = turn.inverse() * up * turn * hand.bend;
    }
}

/// Over what height a tip begins to give way to the floor (m).
const EASE: f32 = 0.03;

/// 0 for what is well below 0, the value itself for what is well above, smooth between (m).
fn ease_above(x: f32) -> f32 {
    if x < -EASE {
        0.0
    } else if x > EASE {
        x
    } else {
        (x + EASE) * (x + EASE) / (4.0 * EASE)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use randori_motion::Build;

    use super::*;

    #[test]
    fn a_hand_points_where_a_wrist_lets_it() {
        let figure = Figure::new(Arc::new(Build::AVERAGE.body()));
        let hand = figure.body().skeleton.bone(Bone::RightHand).map_or(0, |hand| hand.idx());
        let held = Vec3::new(-0.56, 0.0, 0.83);
        let mut posture = figure.at_ease();
        posture.hands[1].wrist = Vec3::new(-0.2, 1.2, 0.4);
        posture.hands[1].elbow = Vec3::new(-0.4, -1.0, -0.2);
        for direction in [Vec3::new(0.0, 0.5, 0.85), Vec3::new(0.8, 0.4, 0.4), Vec3::new(-0.6, 0.6, 0.5)] {
            figure.point(&mut posture, Side::Right, held, direction);
            let points = figure.globals(&posture).rotations[hand] * held;
            assert!(points.angle_between(direction) < 0.02, "{direction} {points}");
        }
        // Not through the wrist's own forearm.
        figure.point(&mut posture, Side::Right, held, Vec3::NEG_Z);
        assert!((figure.globals(&posture).rotations[hand] * held).angle_between(Vec3::NEG_Z) > 0.3);
    }
}

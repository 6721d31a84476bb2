//! What a body holds: a flat blade with a guard and a hilt, or whatever else is as long and thin.

use glam::Vec3;
use randori_motion::JointId;

use super::loft::{Ring, Sculptor, Weights};

/// Where something held lies in the rest pose's world.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub(super) joint: JointId,
    /// Next to the hand, and the tip (m).
    pub(super) ends: [Vec3; 2],
    pub(super) radius: f32,
    /// The way of the fingers: the edge is turned there.
    pub(super) fingers: Vec3,
}

/// How far the hilt goes on beyond the near end, through the hand to the pommel (m).
const HILT: f32 = 0.17;
/// Paint of steel and of the hilt.
const STEEL: f32 = 0.2;
const LEATHER: f32 = 0.1;

impl Held {
    pub(super) fn sculpt(&self, sculptor: &mut Sculptor) {
        let [near, tip] = self.ends;
        let Some(along) = (tip - near).try_normalize() else { return };
        let edge = self.fingers - along * self.fingers.dot(along);
        let edge = edge.try_normalize().unwrap_or_else(|| along.any_orthonormal_vector());
        let flat = edge.cross(along);
        let (length, r) = (near.distance(tip), self.radius);
        let ring = |at: f32, wide: f32, thick: f32| Ring {
            center: near + along * at,
            across: edge * wide,
            deep: flat * thick,
            corner: 0.0,
            weights: Weights::rigid(self.joint),
        };
        let blade = [
            ring(-0.01, 0.0, 0.0),
            ring(-0.008, 0.78 * r, 0.22 * r),
            ring(0.6 * length, 0.7 * r, 0.19 * r),
            ring(0.9 * length, 0.57 * r, 0.16 * r),
            ring(length + 0.6 * r, 0.0, 0.0),
        ];
        sculptor.loft(&blade, 8, STEEL);
        let guard = [
            ring(-0.022, 0.0, 0.0),
            ring(-0.02, 3.0 * r, 0.66 * r),
            ring(-0.006, 3.0 * r, 0.66 * r),
            ring(-0.004, 0.0, 0.0),
        ];
        sculptor.loft(&guard, 12, STEEL);
        let hilt = [
            ring(-HILT - 0.012, 0.0, 0.0),
            ring(-HILT, 0.9 * r, 0.78 * r),
            ring(-HILT + 0.02, 0.6 * r, 0.54 * r),
            ring(-0.022, 0.6 * r, 0.54 * r),
            ring(-0.02, 0.0, 0.0),
        ];
        sculptor.loft(&hilt, 8, LEATHER);
    }
}

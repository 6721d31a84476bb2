//! Segments with a radius, and how near they are.

use glam::Vec3;
use randori_motion::math::nearest_points;
use randori_motion::{Body, Bone, Capsule, GlobalPose, Skeleton};

/// A capsule in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Solid {
    /// The bone it clothes.
    pub(super) bone: Bone,
    /// Its axis (m).
    pub(super) axis: [Vec3; 2],
    /// Its radius (m).
    pub(super) radius: f32,
}

impl Solid {
    pub(super) fn of(capsule: &Capsule, globals: &GlobalPose) -> Solid {
        let axis = [capsule.a, capsule.b].map(|end| globals.point(capsule.joint, end));
        Solid { bone: capsule.bone, axis, radius: capsule.radius }
    }

    pub(super) fn moved(self, by: Vec3) -> Solid {
        Solid { axis: self.axis.map(|end| end + by), ..self }
    }

    /// The middle of its axis (m).
    pub(super) fn middle(&self) -> Vec3 {
        0.5 * (self.axis[0] + self.axis[1])
    }

    /// Where it touches another, or halfway between them (m).
    pub(super) fn touch(&self, other: &Solid) -> Vec3 {
        let [on_self, on_other] = nearest_points(self.axis, other.axis);
        let way = (on_other - on_self).normalize_or_zero();
        0.5 * (on_self + self.radius * way + on_other - other.radius * way)
    }

    /// Whether the balls around both overlap; cheap, and never wrong where the capsules do.
    pub(super) fn may_meet(&self, other: &Solid) -> bool {
        let twice_middle = |solid: &Solid| solid.axis[0] + solid.axis[1];
        let half = |solid: &Solid| 0.5 * solid.axis[0].distance(solid.axis[1]) + solid.radius;
        let reach = half(self) + half(other);
        0.25 * twice_middle(self).distance_squared(twice_middle(other)) < reach * reach
    }

    /// Where this one is nearest to another.
    pub(super) fn nearest(&self, other: &Solid) -> Nearest {
        let [on_self, on_other] = nearest_points(self.axis, other.axis);
        let between = on_self - on_other;
        let radii = self.radius + other.radius;
        Nearest { between, radii, gap: between.length() - radii }
    }
}

/// How two capsules lie to each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    /// From the other's axis to this one's, where they are nearest (m).
    pub(super) between: Vec3,
    /// Both radii (m).
    pub(super) radii: f32,
    /// From surface to surface (m); negative inside.
    pub(super) gap: f32,
}

/// The bones of a body's core.
pub(super) fn is_core(bone: Bone) -> bool {
    matches!(bone, Bone::Hips | Bone::Spine | Bone::Chest | Bone::UpperChest | Bone::Neck | Bone::Head)
}

/// The core that the linter takes any humanoid to have, from bone to bone with a radius (m); see `docs/check.md`.
const LINTED_CORE: [(Bone, Bone, f32); 4] = [
    (Bone::Hips, Bone::Spine, 0.13),
    (Bone::Spine, Bone::Chest, 0.13),
    (Bone::Chest, Bone::Neck, 0.13),
    (Bone::Neck, Bone::Head, 0.08),
];

/// Torso and head, as the body has them and as the linter sees them.
pub(super) fn core(body: &Body, skeleton: &Skeleton, globals: &GlobalPose) -> Vec<Solid> {
    let own = body.capsules.iter().filter(|capsule| is_core(capsule.bone));
    let linted = LINTED_CORE.iter().filter_map(|(from, to, radius)| {
        let [from_id, to_id] = [skeleton.bone(*from)?, skeleton.bone(*to)?];
        let axis = [from_id, to_id].map(|id| globals.positions[id.idx()]);
        Some(Solid { bone: *from, axis, radius: *radius })
    });
    own.map(|capsule| Solid::of(capsule, globals)).chain(linted).collect()
}

/// The length of a vector along the floor.
pub(super) fn along_floor(vector: Vec3) -> f32 {
    libm::hypotf(vector.x, vector.z)
}

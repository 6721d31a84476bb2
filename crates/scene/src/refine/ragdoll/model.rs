//! A body as rigid segments: which bones they are, what they weigh, how they hang together and how strong they are.

use randori_motion::math::rotation_vector_from_quat;
use randori_motion::{Body, Bone, Capsule, GlobalPose, JointId, Side};

use glam::{Quat, Vec3};

/// One kind of joint between a segment and the one it hangs on.
#[derive(Clone, Copy, Debug)]
struct Kind {
    /// The bone of the segment, of a pair the left one.
    bone: Bone,
    /// How fast muscles bring the joint back: the undamped frequency (rad/s).
    recovery: f64,
    /// The farthest a blow turns it from where the motion has it, about any axis (degrees).
    give_deg: f32,
    /// The farthest it is turned from the rest pose, the motion's own turn included, about any axis (degrees).
    range_deg: f32,
}

const fn kind(bone: Bone, recovery: f64, give_deg: f32, range_deg: f32) -> Kind {
    Kind { bone, recovery, give_deg, range_deg }
}

/// All joints, from the hips on. Strong where the trunk is held, loose where arms hang.
const KINDS: [Kind; 11] = [
    kind(Bone::Spine, 16.0, 15.0, 50.0),
    kind(Bone::Chest, 18.0, 12.0, 45.0),
    kind(Bone::UpperChest, 18.0, 12.0, 45.0),
    kind(Bone::Neck, 22.0, 20.0, 50.0),
    kind(Bone::Head, 24.0, 15.0, 45.0),
    kind(Bone::LeftUpperArm, 15.0, 35.0, 180.0),
    kind(Bone::LeftLowerArm, 17.0, 35.0, 180.0),
    kind(Bone::LeftHand, 18.0, 25.0, 90.0),
    kind(Bone::LeftUpperLeg, 16.0, 30.0, 150.0),
    kind(Bone::LeftLowerLeg, 16.0, 40.0, 180.0),
    kind(Bone::LeftFoot, 20.0, 20.0, 70.0),
];

/// Knees and elbows bend this far (degrees), and not at all the other way.
const BEND_DEG: [f32; 2] = [2.0, 150.0];
/// What they give about other axes (degrees).
const SIDEWAYS_DEG: f32 = 6.0;
/// Whatever the motion does, a joint gives at least this much (degrees).
const LEAST_DEG: f32 = 2.0;

/// A rigid part of a body.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// The joint whose frame it has.
    pub(super) joint: JointId,
    pub(super) bone: Bone,
    /// The segment it hangs on; none for the hips.
    pub(super) parent: Option<usize>,
    /// Its volume, each piece with its mass (kg), in the frames of their own joints.
    pub(super) pieces: Vec<(Capsule, f32)>,
    /// How fast its joint comes back (rad/s).
    pub(super) recovery: f64,
    give: f32,
    range: f32,
    /// The axis that a knee or an elbow bends about, in its own frame, with the bend counted positive.
    hinge: Option<Vec3>,
    /// `parent_from_segment` in the rest pose.
    rest: Quat,
}

/// A body's segments; parents stand before those that hang on them.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) segments: Vec<Segment>,
    /// The segment of each joint.
    pub(super) of_joint: Vec<usize>,
}

impl Model {
    /// None for bodies without hips at the root of their skeleton, or without mass anywhere.
    pub(super) fn of(body: &Body) -> Option<Model> {
        let skeleton = &body.skeleton;
        let rest = skeleton.global_pose(skeleton.rest_pose().view());
        if skeleton.bone(Bone::Hips) != Some(JointId::ROOT) {
            return None;
        }
        let mut segments: Vec<Segment> = Vec::new();
        let mut of_joint: Vec<usize> = Vec::new();
        for id in skeleton.ids() {
            let parent = skeleton.joint(id).parent.map(|parent| of_joint[parent.idx()]);
            let bone = skeleton.joint(id).bone;
            let kind = bone.and_then(|bone| {
                let left = bone.on(Side::Left);
                KINDS.iter().find(|kind| kind.bone == left).map(|kind| (bone, *kind))
            });
            let own = |bone: Bone, kind: Kind, parent: Option<usize>| {
                let above = parent.map(|parent| rest.rotations[segments[parent].joint.idx()]);
                Segment {
                    joint: id,
                    bone,
                    parent,
                    pieces: Vec::new(),
                    recovery: kind.recovery,
                    give: kind.give_deg.to_radians(),
                    range: kind.range_deg.to_radians(),
                    hinge: hinge(bone, skeleton, &rest).map(|axis| rest.rotations[id.idx()].inverse() * axis),
                    rest: above.unwrap_or(Quat::IDENTITY).inverse() * rest.rotations[id.idx()],
                }
            };
            let place = match (parent, kind) {
                (None, _) => {
                    segments.push(own(Bone::Hips, kind_of_hips(), None));
                    0
                }
                (Some(parent), Some((bone, kind))) if has_mass(body, id) => {
                    let segment = own(bone, kind, Some(parent));
                    segments.push(segment);
                    segments.len() - 1
                }
                // Toes, shoulders and all that has no role go with what they hang on.
                (Some(parent), _) => parent,
            };
            of_joint.push(place);
        }
        for capsule in &body.capsules {
            let of_joint_with = body.capsules.iter().filter(|other| other.joint == capsule.joint).count();
            let mass = body.masses[capsule.joint.idx()] / of_joint_with as f32;
            segments[of_joint[capsule.joint.idx()]].pieces.push((*capsule, mass));
        }
        let is_solid = |segment: &Segment| segment.pieces.iter().map(|(_, mass)| mass).sum::<f32>() > 0.0;
        segments.iter().all(is_solid).then_some(Model { segments, of_joint })
    }

    /// The segment that has this bone or, for bones without one, the bone above.
    pub(super) fn with(&self, bone: Bone) -> Option<usize> {
        std::iter::successors(Some(bone), |bone| bone.parent())
            .find_map(|bone| self.segments.iter().position(|segment| segment.bone == bone))
    }

    /// What a blow on a segment has to move at once (kg): the head with the neck, the whole trunk, or what hangs on it.
    pub(super) fn mass_around(&self, segment: usize) -> f32 {
        let is_head = |bone: Bone| matches!(bone, Bone::Neck | Bone::Head);
        let is_trunk = |bone: Bone| matches!(bone, Bone::Hips | Bone::Spine | Bone::Chest | Bone::UpperChest);
        let bone = self.segments[segment].bone;
        let moves = |other: usize| match bone {
            bone if is_head(bone) => is_head(self.segments[other].bone),
            bone if is_trunk(bone) => is_trunk(self.segments[other].bone),
            _ => self.hangs(other, segment),
        };
        (0..self.segments.len()).filter(|other| moves(*other)).map(|other| self.segments[other].mass()).sum()
    }

    /// Whether a segment is another or hangs on it, through whatever is between.
    pub(super) fn hangs(&self, segment: usize, on: usize) -> bool {
        std::iter::successors(Some(segment), |at| self.segments[*at].parent).any(|at| at == on)
    }

    pub(super) fn mass(&self) -> f32 {
        self.segments.iter().map(Segment::mass).sum()
    }
}

impl Segment {
    /// (kg).
    pub(super) fn mass(&self) -> f32 {
        self.pieces.iter().map(|(_, mass)| mass).sum()
    }

    /// The axes of its joint in its own frame: the first is what a hinge bends about.
    pub(super) fn axes(&self) -> Quat {
        self.hinge.map_or(Quat::IDENTITY, |axis| Quat::from_rotation_arc(Vec3::X, axis))
    }

    /// How far the joint may be turned from where the motion has it, about each of its axes (rad); `turned` is
    /// `parent_from_segment` in the motion.
    pub(super) fn limits(&self, turned: Quat) -> [[f32; 2]; 3] {
        let least = LEAST_DEG.to_radians();
        // In the segment's own frame: what it does beyond its rest.
        let own = self.axes().inverse() * rotation_vector_from_quat(self.rest.inverse() * turned);
        let between = |least_angle: f32, most_angle: f32, now: f32, give: f32| {
            [(least_angle - now).clamp(-give, -least), (most_angle - now).clamp(least, give)]
        };
        if self.hinge.is_some() {
            let [straight, bent] = BEND_DEG.map(f32::to_radians);
            let sideways = SIDEWAYS_DEG.to_radians();
            return [between(straight, bent, own.x, self.give), [-sideways, sideways], [-sideways, sideways]];
        }
        own.to_array().map(|now| between(-self.range, self.range, now, self.give))
    }
}

/// The hips hang on nothing.
fn kind_of_hips() -> Kind {
    kind(Bone::Hips, 9.0, 180.0, 180.0)
}

fn has_mass(body: &Body, joint: JointId) -> bool {
    body.masses[joint.idx()] > 0.0 && body.capsules.iter().any(|capsule| capsule.joint == joint)
}

/// The axis, in the world of the rest pose, about which a knee or an elbow bends by positive angles.
fn hinge(bone: Bone, skeleton: &randori_motion::Skeleton, rest: &GlobalPose) -> Option<Vec3> {
    let (next, forwards) = match bone.on(Side::Left) {
        Bone::LeftLowerLeg => (Bone::LeftFoot, false),
        Bone::LeftLowerArm => (Bone::LeftHand, true),
        _ => return None,
    };
    let place = |bone: Bone| skeleton.bone(bone).map(|id| rest.positions[id.idx()]);
    let side = bone.side()?;
    let along = place(next.on(side))? - place(bone)?;
    let front = super::super::figure::front_of(skeleton);
    along.cross(if forwards { front } else { -front }).try_normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use randori_motion::Build;

    #[test]
    fn all_of_a_body_is_in_its_segments() {
        for build in [Build::AVERAGE, Build::SLIM, Build::STOCKY] {
            let body = build.body();
            let model = Model::of(&body).unwrap();
            assert_eq!(model.segments.len(), 18);
            assert!((model.mass() - build.mass).abs() < 0.01, "{}", model.mass());
            let n_pieces: usize = model.segments.iter().map(|segment| segment.pieces.len()).sum();
            assert_eq!(n_pieces, body.capsules.len());
            let head = model.with(Bone::Head).unwrap();
            assert!((4.0..7.0).contains(&model.mass_around(head)), "{}", model.mass_around(head));
        }
    }

    #[test]
    fn knees_bend_one_way() {
        let model = Model::of(&Build::AVERAGE.body()).unwrap();
        for bone in [Bone::LeftLowerLeg, Bone::RightLowerLeg, Bone::LeftLowerArm, Bone::RightLowerArm] {
            let segment = &model.segments[model.with(bone).unwrap()];
            let axis = segment.hinge.unwrap();
            let bent = |degrees: f32| segment.limits(Quat::from_axis_angle(axis, degrees.to_radians()))[0];
            let [back, on] = bent(0.0);
            assert!(back > -0.04 && on > 0.6, "{bone:?} {back} {on}");
            let [back, on] = bent(30.0);
            assert!((-0.5..-0.4).contains(&back) && on > 0.6, "{bone:?} {back} {on}");
            let [back, on] = bent(148.0);
            assert!(back < -0.6 && on < 0.04, "{bone:?} {back} {on}");
        }
    }
}

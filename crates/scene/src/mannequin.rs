//! The mannequin: a skin for any skeleton, made from the capsules of its body.
//!
//! It is jointed like an artist's wooden figure: rigid blocks for limbs, chest and pelvis, balls at the
//! joints, and a soft waist and neck between the blocks. Rigid limbs never collapse at a deeply bent elbow
//! as a smooth skin would. Joints that play no bone are shown as thin double pyramids, so that any
//! skeleton can be seen.
//!
//! Start reading at [`mannequin`]; the shaping of blocks is in `loft`.

mod held;
mod limbs;
mod loft;
mod shapes;

use glam::Vec3;
use randori_motion::{Body, Bone, Capsule, GlobalPose, JointId, Side};

use held::Held;
use limbs::{CALF, FOREARM, Section, THIGH, UPPER_ARM};
use loft::{Ring, Sculptor, Weights};
pub use shapes::shape_mesh;

/// Triangles in space.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Mesh {
    /// Corners (m).
    pub positions: Vec<Vec3>,
    /// Unit vectors outwards, one per corner.
    pub normals: Vec<Vec3>,
    /// Three per triangle, counter-clockwise seen from outside.
    pub indices: Vec<u32>,
}

/// Triangles that follow the joints of a skeleton.
///
/// ```
/// use randori_motion::Build;
/// let body = Build::AVERAGE.body();
/// let skin = randori_scene::mannequin::mannequin(&body);
/// assert_eq!(skin.indices.len() % 3, 0);
/// assert!(skin.positions.iter().all(|position| (-0.01..1.76).contains(&position.y)));
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SkinnedMesh {
    /// Corners in the world space of the skeleton's rest pose (m).
    pub positions: Vec<Vec3>,
    /// Unit vectors outwards, one per corner.
    pub normals: Vec<Vec3>,
    /// The joints each corner follows, as indices into the skeleton's joints; unused places hold 0.
    pub joints: Vec<[u16; 4]>,
    /// How much it follows each; four numbers that make 1.
    pub weights: Vec<[f32; 4]>,
    /// How bright each corner is painted relative to the character's colour, from 0 to 1: the balls of the
    /// joints are darker than the blocks.
    pub tones: Vec<f32>,
    /// Three per triangle, counter-clockwise seen from outside.
    pub indices: Vec<u32>,
}

/// The skin of a body in its skeleton's rest pose.
///
/// Bones that the skeleton lacks are left out; bones without length become balls. Parts too large or too
/// small for 32-bit numbers to tell their corners apart are left out too, so that every triangle of the
/// result has an area and every normal a direction.
pub fn mannequin(body: &Body) -> SkinnedMesh {
    let figure = Figure::new(body);
    let mut sculptor = Sculptor::default();
    figure.trunk(&mut sculptor);
    figure.head(&mut sculptor);
    for side in Side::BOTH {
        figure.arm(&mut sculptor, side);
        figure.leg(&mut sculptor, side);
    }
    figure.plain_bones(&mut sculptor);
    figure.held(&mut sculptor);
    sculptor.finish()
}

/// Paint of blocks, of what lies between them, of fists and shoes, and of the visor.
const BLOCK: f32 = 1.0;
const BALL: f32 = 0.55;
const SOFT: f32 = 0.62;
const FIST: f32 = 0.5;
const SHOE: f32 = 0.5;
const VISOR: f32 = 0.12;

/// A body in its rest pose with the directions of a person.
struct Figure<'a> {
    body: &'a Body,
    rest: GlobalPose,
    left: Vec3,
    up: Vec3,
    front: Vec3,
}

/// Where a bone's capsule lies in the rest pose's world.
#[derive(Clone, Copy)]
struct Segment {
    joint: JointId,
    a: Vec3,
    b: Vec3,
    radius: f32,
}

impl<'a> Figure<'a> {
    fn new(body: &'a Body) -> Figure<'a> {
        let skeleton = &body.skeleton;
        let rest = skeleton.global_pose(skeleton.rest_pose().view());
        let place = |bone: Bone| skeleton.bone(bone).map(|id| rest.positions[id.idx()]);
        let direction = |from: Option<Vec3>, to: Option<Vec3>| (to? - from?).try_normalize();
        let left = direction(place(Bone::RightUpperLeg), place(Bone::LeftUpperLeg))
            .or_else(|| direction(place(Bone::RightUpperArm), place(Bone::LeftUpperArm)))
            .unwrap_or(Vec3::X);
        let top = [Bone::Head, Bone::Neck, Bone::UpperChest, Bone::Chest, Bone::Spine];
        let top = top.into_iter().find_map(place);
        let up = direction(place(Bone::Hips), top)
            .map(|up| up - left * up.dot(left))
            .and_then(Vec3::try_normalize)
            .unwrap_or(if left.y.abs() < 0.9 { (Vec3::Y - left * left.y).normalize() } else { Vec3::Z });
        Figure { body, rest, left, up, front: left.cross(up) }
    }

    fn segment(&self, bone: Bone) -> Option<Segment> {
        let capsule: &Capsule = self.body.capsules.iter().find(|capsule| capsule.bone == bone)?;
        let joint = capsule.joint;
        if joint.idx() >= self.rest.positions.len() {
            return None;
        }
        let point = |point| self.rest.point(joint, point);
        Some(Segment { joint, a: point(capsule.a), b: point(capsule.b), radius: capsule.radius })
    }

    fn place(&self, bone: Bone) -> Option<Vec3> {
        self.body.skeleton.bone(bone).map(|id| self.rest.positions[id.idx()])
    }

    /// Half the distance between the two joints of a pair and the point midway.
    fn pair(&self, left: Bone) -> Option<(f32, Vec3)> {
        let (left, right) = (self.place(left)?, self.place(left.mirrored())?);
        Some((0.5 * left.distance(right), 0.5 * (left + right)))
    }

    /// Pelvis, waist and chest. Without hips, shoulders or a spine between them there is no trunk to shape
    /// and each bone of it becomes a plain capsule.
    fn trunk(&self, sculptor: &mut Sculptor) {
        const BONES: [Bone; 4] = [Bone::Hips, Bone::Spine, Bone::Chest, Bone::UpperChest];
        let (Some((hip, hips)), Some((shoulder, shoulders)), Some(pelvis)) =
            (self.pair(Bone::LeftUpperLeg), self.pair(Bone::LeftUpperArm), self.segment(Bone::Hips))
        else {
            for segment in BONES.into_iter().filter_map(|bone| self.segment(bone)) {
                self.capsule(sculptor, segment, BLOCK);
            }
            return;
        };
        // Where along the line from hips to shoulders each joint of the spine begins to lead; of joints
        // in one place the last, which carries the others' turns.
        let axis = shoulders - hips;
        let up = axis.normalize_or(self.up);
        let height = axis.length();
        let mut leads: Vec<(f32, JointId)> = Vec::new();
        for joint in BONES.into_iter().filter_map(|bone| self.body.skeleton.bone(bone)) {
            let at = (self.rest.positions[joint.idx()] - hips).dot(up) / height.max(1e-6);
            let at = leads.last().map_or(f32::NEG_INFINITY, |(before, _)| at.max(*before));
            match leads.last_mut() {
                Some(last) if at - last.0 < 0.02 => *last = (last.0, joint),
                _ => leads.push((at, joint)),
            }
        }
        let soft = |at: f32| spread(&leads, at);
        let (Some(bottom), Some(top)) = (leads.first(), leads.last()) else { return };
        let (bottom, top) = (Weights::rigid(bottom.1), Weights::rigid(top.1));

        let thigh = self.segment(Bone::LeftUpperLeg).map_or(pelvis.radius, |thigh| thigh.radius);
        let deep = pelvis.radius;
        let arm = self.segment(Bone::LeftUpperArm).map_or(0.5 * deep, |arm| arm.radius);
        let (hip_width, rib_width) = (hip + 0.72 * thigh, (shoulder - 0.25 * arm).max(0.5 * deep));
        let waist = 0.5 * (hip_width + rib_width) * 0.82;
        let front = self.front;
        let left = front.cross(up).normalize_or(self.left) * -1.0;
        let ring = |at: f32, across: f32, depth: f32, ahead: f32, weights: Weights| Ring {
            center: hips + up * (at * height) + front * (ahead * deep),
            across: left * across,
            deep: front * (depth * deep),
            corner: 0.35,
            weights,
        };

        let pelvis = [
            ring(-0.21, 0.0, 0.0, -0.05, bottom),
            ring(-0.2, 0.3 * hip_width, 0.42, -0.05, bottom),
            ring(-0.13, 0.62 * hip_width, 0.74, -0.05, bottom),
            ring(-0.03, 0.95 * hip_width, 0.98, -0.06, bottom),
            ring(0.08, hip_width, 1.02, -0.05, bottom),
            ring(0.17, 0.93 * hip_width, 0.95, -0.02, bottom),
            ring(0.235, 0.82 * hip_width, 0.8, 0.0, bottom),
            ring(0.24, 0.0, 0.0, 0.0, bottom),
        ];
        sculptor.loft(&pelvis, 18, BLOCK);
        let belly: Vec<Ring> =
            [(0.12, 0.0), (0.13, 0.8), (0.24, 1.0), (0.34, 0.98), (0.45, 1.0), (0.58, 1.06)]
                .into_iter()
                .chain([(0.6, 0.0)])
                .map(|(at, size)| ring(at, size * waist, 0.9 * size, 0.0, soft(at)))
                .collect();
        sculptor.loft(&belly, 16, SOFT);
        let chest = [
            ring(0.415, 0.0, 0.0, 0.02, top),
            ring(0.42, 0.73 * rib_width, 0.78, 0.02, top),
            ring(0.48, 0.84 * rib_width, 0.93, 0.03, top),
            ring(0.6, 0.94 * rib_width, 1.06, 0.06, top),
            ring(0.75, 1.04 * rib_width, 1.14, 0.1, top),
            ring(0.88, 1.09 * rib_width, 1.06, 0.05, top),
            ring(0.98, 1.0 * rib_width, 0.84, -0.06, top),
            ring(1.06, 0.7 * rib_width, 0.6, -0.14, top),
            ring(1.12, 0.36 * rib_width, 0.42, -0.16, top),
            ring(1.125, 0.0, 0.0, -0.16, top),
        ];
        sculptor.loft(&chest, 20, BLOCK);
    }

    fn head(&self, sculptor: &mut Sculptor) {
        let head = self.segment(Bone::Head);
        if let (Some(neck), Some(head)) = (self.segment(Bone::Neck), head) {
            // From inside the chest to inside the skull, whatever the neck's own length.
            let (base, skull) = (self.place(Bone::Neck).unwrap_or(neck.a), 0.5 * (head.a + head.b));
            let axis = skull - base;
            let rings: Vec<Ring> =
                [(-0.22, 0.0), (-0.2, 1.2), (0.1, 1.02), (0.5, 0.96), (0.7, 0.94), (0.72, 0.0)]
                    .into_iter()
                    .map(|(at, size): (f32, f32)| Ring {
                        center: base + axis * at,
                        across: self.left * (size * neck.radius),
                        deep: self.front * (size * neck.radius),
                        corner: 0.0,
                        weights: Weights::blend(neck.joint, head.joint, at.clamp(0.0, 0.6) / 0.6),
                    })
                    .collect();
            sculptor.loft(&rings, 12, SOFT);
        } else if let Some(neck) = self.segment(Bone::Neck) {
            self.capsule(sculptor, neck, SOFT);
        }

        let Some(head) = head else { return };
        let (center, r, weights) = (0.5 * (head.a + head.b), head.radius, Weights::rigid(head.joint));
        let ring = |at: f32, across: f32, depth: f32, ahead: f32| Ring {
            center: center + self.up * (at * r) + self.front * (ahead * r),
            across: self.left * (across * r),
            deep: self.front * (depth * r),
            corner: 0.0,
            weights,
        };
        let skull = [
            ring(-1.22, 0.0, 0.0, 0.42),
            ring(-1.18, 0.24, 0.2, 0.4),
            ring(-1.05, 0.42, 0.44, 0.3),
            ring(-0.8, 0.58, 0.7, 0.14),
            ring(-0.5, 0.7, 0.88, 0.05),
            ring(-0.15, 0.79, 1.0, 0.0),
            ring(0.25, 0.83, 1.06, -0.03),
            ring(0.6, 0.79, 0.98, -0.05),
            ring(0.88, 0.62, 0.76, -0.06),
            ring(1.06, 0.36, 0.44, -0.06),
            ring(1.13, 0.0, 0.0, -0.06),
        ];
        sculptor.loft(&skull, 20, BLOCK);
        let eyes = center + self.up * (0.02 * r);
        let visor = |ahead: f32, across: f32, high: f32| Ring {
            center: eyes + self.front * (ahead * r),
            across: self.left * (across * r),
            deep: self.up * (high * r),
            corner: 0.5,
            weights,
        };
        let visor = [
            visor(0.3, 0.0, 0.0),
            visor(0.31, 0.84, 0.17),
            visor(0.5, 0.8, 0.2),
            visor(0.75, 0.68, 0.2),
            visor(0.95, 0.46, 0.19),
            visor(1.06, 0.2, 0.15),
            visor(1.08, 0.0, 0.0),
        ];
        sculptor.loft(&visor, 14, VISOR);
        let nose = |at: f32, ahead: f32, size: f32| Ring {
            center: center + self.up * (at * r) + self.front * (ahead * r),
            across: self.left * (size * r),
            deep: self.front * (1.3 * size * r),
            corner: 0.0,
            weights,
        };
        let nose =
            [nose(-0.4, 0.9, 0.0), nose(-0.36, 0.95, 0.15), nose(-0.22, 0.96, 0.13), nose(0.04, 0.94, 0.0)];
        sculptor.loft(&nose, 8, BLOCK);
    }

    fn arm(&self, sculptor: &mut Sculptor, side: Side) {
        let bone = |left: Bone| left.on(side);
        if let Some(shoulder) = self.segment(bone(Bone::LeftShoulder)) {
            let arm = self.segment(bone(Bone::LeftUpperArm)).map_or(shoulder.radius, |arm| arm.radius);
            self.capsule(sculptor, Segment { radius: shoulder.radius.min(1.15 * arm), ..shoulder }, BLOCK);
        }
        if let Some(arm) = self.segment(bone(Bone::LeftUpperArm)) {
            self.limb(sculptor, arm, &UPPER_ARM, 12);
        }
        if let Some(forearm) = self.segment(bone(Bone::LeftLowerArm)) {
            sculptor.ball(forearm.a, Vec3::splat(0.98 * forearm.radius), forearm.joint, 10, BALL);
            self.limb(sculptor, forearm, &FOREARM, 12);
        }
        if let Some(hand) = self.segment(bone(Bone::LeftHand)) {
            self.fist(sculptor, hand);
        }
    }

    /// A loose fist: the block of the fingers and a thumb along its front.
    fn fist(&self, sculptor: &mut Sculptor, hand: Segment) {
        let Some(along) = (hand.b - hand.a).try_normalize() else {
            return sculptor.ball(hand.a, Vec3::splat(hand.radius), hand.joint, 10, FIST);
        };
        // Fists are drawn a little large: they are what one looks at.
        let (length, r) = (hand.a.distance(hand.b), 1.25 * hand.radius);
        // In a T-pose the palm looks down and the thumb to the front.
        let (thumb, back) = self.across(along, self.front);
        let back = if back.dot(self.up) < 0.0 { -back } else { back };
        let weights = Weights::rigid(hand.joint);
        let ring = |at: f32, wide: f32, thick: f32, palm: f32| Ring {
            center: hand.a + along * (at * length) - back * (palm * r),
            across: thumb * (wide * r),
            deep: back * (thick * r),
            corner: 0.5,
            weights,
        };
        let block = [
            ring(-0.08, 0.0, 0.0, 0.0),
            ring(-0.06, 0.56, 0.46, 0.0),
            ring(0.08, 0.72, 0.56, 0.0),
            ring(0.3, 1.08, 0.74, 0.12),
            ring(0.52, 1.2, 0.86, 0.2),
            ring(0.74, 1.2, 0.86, 0.24),
            ring(0.86, 1.04, 0.7, 0.24),
            ring(0.9, 0.0, 0.0, 0.24),
        ];
        sculptor.loft(&block, 14, FIST);
        let ring = |at: f32, size: f32, out: f32| Ring {
            center: hand.a + along * (at * length) + thumb * (out * r) - back * (0.42 * r),
            across: thumb * (size * r),
            deep: back * (1.1 * size * r),
            corner: 0.0,
            weights,
        };
        let fingers = [
            ring(0.1, 0.0, 0.6),
            ring(0.16, 0.26, 0.72),
            ring(0.4, 0.36, 1.06),
            ring(0.62, 0.32, 1.08),
            ring(0.72, 0.0, 0.96),
        ];
        sculptor.loft(&fingers, 8, FIST);
    }

    /// What the body holds.
    fn held(&self, sculptor: &mut Sculptor) {
        let Some(Capsule { joint, bone, a, b, radius }) = self.body.held() else { return };
        let ends = [a, b].map(|end| self.rest.point(joint, end));
        let fingers = self.segment(bone).map_or(self.front, |hand| hand.b - hand.a);
        Held { joint, ends, radius, fingers }.sculpt(sculptor);
    }

    fn leg(&self, sculptor: &mut Sculptor, side: Side) {
        let bone = |left: Bone| left.on(side);
        if let Some(thigh) = self.segment(bone(Bone::LeftUpperLeg)) {
            self.limb(sculptor, thigh, &THIGH, 14);
        }
        if let Some(calf) = self.segment(bone(Bone::LeftLowerLeg)) {
            sculptor.ball(calf.a, Vec3::splat(1.02 * calf.radius), calf.joint, 12, BALL);
            self.limb(sculptor, calf, &CALF, 12);
        }
        let Some(foot) = self.segment(bone(Bone::LeftFoot)) else { return };
        let ankle = self.place(bone(Bone::LeftFoot)).unwrap_or(foot.a);
        sculptor.ball(ankle, Vec3::splat(0.95 * foot.radius), foot.joint, 10, BALL);
        self.foot(sculptor, ankle, foot, self.segment(bone(Bone::LeftToes)));
    }

    /// A wedge from the heel to the ball of the foot, and the toes as a wedge of their own.
    fn foot(&self, sculptor: &mut Sculptor, ankle: Vec3, foot: Segment, toes: Option<Segment>) {
        let reach = foot.b - ankle;
        let flat = reach - self.up * reach.dot(self.up);
        let (Some(ahead), true) = (flat.try_normalize(), flat.length() > 0.4 * reach.length()) else {
            // A foot that points down, or none at all.
            self.capsule(sculptor, foot, BLOCK);
            toes.into_iter().for_each(|toes| self.capsule(sculptor, toes, BLOCK));
            return;
        };
        let (length, r) = (flat.length(), foot.radius);
        let across = self.up.cross(ahead);
        let below = |point: Vec3, radius: f32| (ankle - point).dot(self.up) + radius;
        let sole =
            toes.map_or(below(foot.b, r), |toes| below(toes.a, toes.radius).max(below(toes.b, toes.radius)));
        let sole = sole.clamp(r, 5.0 * r);
        // `low` and `high` are heights above the sole.
        let ring = |at: f32, wide: f32, low: f32, high: f32, weights: Weights| Ring {
            center: ankle + ahead * (at * length) + self.up * (0.5 * (low + high) - sole),
            across: across * (wide * r),
            deep: self.up * (0.5 * (high - low)),
            corner: 0.6,
            weights,
        };
        let weights = Weights::rigid(foot.joint);
        let wedge = [
            ring(-0.42, 0.0, 0.5 * r, 0.5 * r, weights),
            ring(-0.38, 0.62, 0.15 * r, 0.62 * sole, weights),
            ring(-0.22, 0.98, 0.0, 0.95 * sole, weights),
            ring(0.05, 1.06, 0.0, 1.12 * sole, weights),
            ring(0.3, 1.1, 0.0, 0.95 * sole, weights),
            ring(0.6, 1.2, 0.0, (0.72 * sole).max(0.8 * r), weights),
            ring(0.9, 1.28, 0.0, (0.52 * sole).max(0.8 * r), weights),
            ring(1.02, 1.2, 0.1 * r, (0.44 * sole).max(0.7 * r), weights),
            ring(1.04, 0.0, 0.5 * r, 0.5 * r, weights),
        ];
        sculptor.loft(&wedge, 14, SHOE);

        let Some(toes) = toes else { return };
        let weights = Weights::rigid(toes.joint);
        let end = ((toes.b - ankle).dot(ahead) + toes.radius) / length;
        let start = 0.94;
        if end <= start + 0.05 {
            return;
        }
        let ring = |at: f32, wide: f32, low: f32, high: f32| {
            ring(start + at * (end - start), wide, low, high, weights)
        };
        let tip = (0.52 * sole).max(0.8 * r);
        let wedge = [
            ring(0.0, 0.0, 0.4 * tip, 0.4 * tip),
            ring(0.01, 1.14, 0.06 * tip, 0.92 * tip),
            ring(0.25, 1.28, 0.0, 0.9 * tip),
            ring(0.6, 1.16, 0.0, 0.74 * tip),
            ring(0.88, 0.8, 0.04 * tip, 0.58 * tip),
            ring(1.0, 0.0, 0.3 * tip, 0.3 * tip),
        ];
        sculptor.loft(&wedge, 12, SHOE);
    }

    fn limb(&self, sculptor: &mut Sculptor, segment: Segment, profile: &[Section], n_around: usize) {
        let axis = segment.b - segment.a;
        let Some(along) = axis.try_normalize() else {
            return sculptor.ball(segment.a, Vec3::splat(segment.radius), segment.joint, n_around, BLOCK);
        };
        let (deep, across) = self.across(along, self.front);
        let rings: Vec<Ring> = (profile.iter())
            .map(|section| Ring {
                center: segment.a + axis * section.along + deep * (section.ahead * segment.radius),
                across: across * (section.across * segment.radius),
                deep: deep * (section.deep * segment.radius),
                corner: 0.0,
                weights: Weights::rigid(segment.joint),
            })
            .collect();
        sculptor.loft(&rings, n_around, BLOCK);
    }

    fn capsule(&self, sculptor: &mut Sculptor, segment: Segment, tone: f32) {
        let r = segment.radius;
        let length = segment.a.distance(segment.b);
        let Some(along) = (segment.b - segment.a).try_normalize() else {
            return sculptor.ball(segment.a, Vec3::splat(r), segment.joint, 10, tone);
        };
        let (deep, across) = self.across(along, self.front);
        let rings: Vec<Ring> = [(-1.0, 0.0), (-0.8, 0.6), (0.0, 1.0)]
            .into_iter()
            .map(|(out, size): (f32, f32)| (out * r, size))
            .chain([(length, 1.0), (length + 0.8 * r, 0.6), (length + r, 0.0)])
            .map(|(at, size)| Ring {
                center: segment.a + along * at,
                across: across * (size * r),
                deep: deep * (size * r),
                corner: 0.0,
                weights: Weights::rigid(segment.joint),
            })
            .collect();
        sculptor.loft(&rings, 10, tone);
    }

    /// Two unit vectors across a direction: the one nearest to `hint`, and the one across both.
    fn across(&self, along: Vec3, hint: Vec3) -> (Vec3, Vec3) {
        let first = (hint - along * hint.dot(along)).try_normalize();
        let first =
            first.filter(|_| hint.dot(along).abs() < 0.95).unwrap_or_else(|| along.any_orthonormal_vector());
        (first, first.cross(along))
    }

    /// Thin double pyramids along every bone with an end that plays no part in a humanoid. What hangs from
    /// head, hands and feet is hidden inside them.
    fn plain_bones(&self, sculptor: &mut Sculptor) {
        let skeleton = &self.body.skeleton;
        let mut inside = vec![false; skeleton.n_joints()];
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let mut bones: Vec<(JointId, Vec3, Vec3)> = Vec::new();
        for id in skeleton.ids() {
            let joint = skeleton.joint(id);
            let here = self.rest.positions[id.idx()];
            (low, high) = (low.min(here), high.max(here));
            if let Some(parent) = joint.parent {
                let clothed = |bone: Bone| {
                    let left_form = bone.on(Side::Left);
                    matches!(left_form, Bone::LeftHand | Bone::LeftFoot | Bone::LeftToes)
                        || bone == Bone::Head
                };
                inside[id.idx()] = inside[parent.idx()] || skeleton.joint(parent).bone.is_some_and(clothed);
                let plain = joint.bone.is_none() || skeleton.joint(parent).bone.is_none();
                if plain && !inside[id.idx()] {
                    bones.push((parent, self.rest.positions[parent.idx()], here));
                }
            }
            if joint.bone.is_none() && !inside[id.idx()] {
                bones.extend(joint.tips.iter().map(|tip| (id, here, self.rest.point(id, *tip))));
            }
        }
        let extent = (high - low).max_element();
        let mut shown = 0;
        for (joint, from, to) in bones {
            let length = from.distance(to);
            if length > 1e-3 * extent.max(1e-3) {
                shown += 1;
                sculptor.double_pyramid(from, to, (0.12 * length).min(0.015 * extent.max(length)), joint);
            }
        }
        if shown == 0 && self.body.capsules.is_empty() {
            // All joints in one place: a ball to be seen at all.
            let radius = if extent > 0.0 { 0.1 * extent } else { 0.05 };
            sculptor.ball(self.rest.positions[0], Vec3::splat(radius), JointId::ROOT, 12, BLOCK);
        }
    }
}

/// The joints that lead a place of the trunk: each leads from its own place to the next one's, and
/// neighbours share the stretch around the border.
fn spread(leads: &[(f32, JointId)], at: f32) -> Weights {
    /// Half the stretch that two joints share, relative to the height of the trunk.
    const SHARED: f32 = 0.12;
    let lead = leads.iter().rposition(|(from, _)| at >= *from).unwrap_or(0);
    let Some(&(from, joint)) = leads.get(lead) else { return Weights::rigid(JointId::ROOT) };
    let next = leads.get(lead + 1).filter(|(from, _)| from - at < SHARED);
    let before = lead.checked_sub(1).map(|before| leads[before]).filter(|_| at - from < SHARED);
    match (before, next) {
        (Some((_, before)), None) => Weights::blend(before, joint, 0.5 + 0.5 * (at - from) / SHARED),
        (None, Some((from, next))) => Weights::blend(joint, *next, 0.5 - 0.5 * (from - at) / SHARED),
        (Some((_, before)), Some((end, next))) => {
            // A short bone: straight from one neighbour to the other.
            let share = (at - from) / (end - from).max(1e-6);
            if share < 0.5 {
                Weights::blend(before, joint, 0.5 + share)
            } else {
                Weights::blend(joint, *next, share - 0.5)
            }
        }
        (None, None) => Weights::rigid(joint),
    }
}

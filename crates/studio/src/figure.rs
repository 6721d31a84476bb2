//! How a body is drawn: tapered capsules on its joints.

use glam::Vec3;
use randori_motion::{Body, Bone, Capsule, GlobalPose, JointId, Side, Skeleton};

/// A cone with round ends, fixed to a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// The joint it moves with.
    pub joint: JointId,
    /// Both ends of its axis in the joint's frame (m).
    pub ends: [Vec3; 2],
    /// The radius at each end (m).
    pub radii: [f32; 2],
    /// How it is painted.
    pub tint: Tint,
}

/// How a piece is painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Tint {
    /// In the colour of the character.
    Cloth = 0,
    /// Paler.
    Skin = 1,
    /// Darker.
    Dark = 2,
    /// As a blade.
    Metal = 3,
}

/// All pieces of one body.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The pieces, in the order of pose frames.
    pub pieces: Vec<Piece>,
    /// The pieces whose far ends leave trails: blades, or else fists.
    pub trails: Vec<u16>,
}

impl Figure {
    /// The figure of a body; a skeleton that is no person is shown by its joints.
    pub fn of(body: &Body) -> Figure {
        let skeleton = &body.skeleton;
        if body.capsules.is_empty() {
            return Figure { pieces: sticks(skeleton), trails: Vec::new() };
        }
        let rest = skeleton.global_pose(skeleton.rest_pose().view());
        let limbs = body.capsules.iter().filter(|capsule| !is_trunk(capsule.bone));
        let mut pieces: Vec<Piece> = limbs.map(limb).collect();
        let fists = pieces.iter().enumerate().filter(|(_, piece)| {
            [Bone::LeftHand, Bone::RightHand].iter().any(|bone| skeleton.bone(*bone) == Some(piece.joint))
        });
        let mut trails: Vec<u16> = fists.map(|(at, _)| at as u16).collect();
        for capsule in &body.capsules {
            pieces.extend(trimmings(skeleton, &rest, capsule));
        }
        if let Some(held) = body.held() {
            trails = vec![pieces.len() as u16];
            pieces.push(Piece { tint: Tint::Metal, ..plain(&held) });
        }
        Figure { pieces, trails }
    }
}

fn plain(capsule: &Capsule) -> Piece {
    Piece {
        joint: capsule.joint,
        ends: [capsule.a, capsule.b],
        radii: [capsule.radius; 2],
        tint: Tint::Cloth,
    }
}

/// A capsule as a limb looks: thick where the muscles are.
fn limb(capsule: &Capsule) -> Piece {
    let bone = if capsule.bone.side().is_some() { capsule.bone.on(Side::Left) } else { capsule.bone };
    let (taper, tint) = match bone {
        Bone::LeftUpperLeg => ([1.28, 0.92], Tint::Cloth),
        Bone::LeftLowerLeg => ([1.12, 0.7], Tint::Cloth),
        Bone::LeftFoot => ([1.15, 1.0], Tint::Dark),
        Bone::LeftToes => ([1.15, 0.85], Tint::Dark),
        Bone::LeftUpperArm => ([1.3, 0.95], Tint::Cloth),
        Bone::LeftLowerArm => ([1.12, 0.8], Tint::Skin),
        Bone::LeftHand => ([1.2, 1.35], Tint::Dark),
        Bone::Neck => ([1.05, 0.95], Tint::Skin),
        Bone::Head => ([0.88, 1.0], Tint::Skin),
        _ => ([1.0, 1.0], Tint::Cloth),
    };
    Piece { radii: taper.map(|share: f32| share * capsule.radius), tint, ..plain(capsule) }
}

/// What limbs lack to look like a person: a trunk that narrows to the waist, and a face.
fn trimmings(skeleton: &Skeleton, rest: &GlobalPose, capsule: &Capsule) -> Vec<Piece> {
    let (joint, radius) = (capsule.joint, capsule.radius);
    let turned = rest.rotations[joint.idx()].inverse();
    let local = |bone: Bone| {
        let there = rest.positions[skeleton.bone(bone)?.idx()];
        Some(turned * (there - rest.positions[joint.idx()]))
    };
    // From one pair of joints up to another, on both sides, so much nearer to the middle than they are.
    let sides = |low: [Bone; 2], high: [Bone; 2], inward: [f32; 2], shift: [f32; 2], radii: [f32; 2]| {
        let [low, high] = [low, high].map(|[left, right]| Some([local(left)?, local(right)?]));
        let (Some(low), Some(high)) = (low, high) else { return Vec::new() };
        let up = turned * Vec3::Y;
        let end = |pair: [Vec3; 2], side: usize, k: usize| {
            let middle = 0.5 * (pair[0] + pair[1]);
            middle + inward[k] * (pair[side] - middle) + shift[k] * radius * up
        };
        let piece = |side: usize| Piece {
            joint,
            ends: [end(low, side, 0), end(high, side, 1)],
            radii: radii.map(|share| share * radius),
            tint: Tint::Cloth,
        };
        vec![piece(0), piece(1)]
    };
    let legs = [Bone::LeftUpperLeg, Bone::RightUpperLeg];
    let arms = [Bone::LeftUpperArm, Bone::RightUpperArm];
    match capsule.bone {
        Bone::Hips => sides(legs, legs, [0.8, 0.5], [-0.1, 0.7], [0.95, 0.85]),
        Bone::Spine => sides(legs, arms, [0.5, 0.26], [0.6, -2.1], [0.84, 0.86]),
        Bone::Chest => sides(legs, arms, [0.42, 0.44], [1.9, -0.9], [0.84, 0.92]),
        Bone::UpperChest => sides(arms, arms, [0.36, 0.62], [-1.0, -0.35], [0.95, 0.75]),
        Bone::Head => {
            let eyes = capsule.a + 0.52 * (capsule.b - capsule.a) + 0.72 * radius * (turned * Vec3::Z);
            let aside = 0.42 * radius * (turned * Vec3::X);
            vec![Piece {
                joint,
                ends: [eyes + aside, eyes - aside],
                radii: [0.36 * radius; 2],
                tint: Tint::Dark,
            }]
        }
        _ => Vec::new(),
    }
}

/// Whether a bone's own capsule is no limb: those of the trunk lie across it.
fn is_trunk(bone: Bone) -> bool {
    matches!(bone, Bone::Hips | Bone::Spine | Bone::Chest | Bone::UpperChest)
}

/// Bones as lines from joint to joint.
fn sticks(skeleton: &Skeleton) -> Vec<Piece> {
    const THIN: f32 = 0.02;
    let stick = |id: JointId| {
        let joint = skeleton.joint(id);
        let parent = joint.parent?;
        Some(Piece { joint: parent, ends: [Vec3::ZERO, joint.offset], radii: [THIN; 2], tint: Tint::Cloth })
    };
    skeleton.ids().filter_map(stick).collect()
}

#[cfg(test)]
mod tests {
    use randori_motion::Build;

    use super::*;

    #[test]
    fn a_person_has_breadth_and_a_face_that_looks_ahead() {
        let body = Build::AVERAGE.body();
        let figure = Figure::of(&body);
        let rest = body.skeleton.global_pose(body.skeleton.rest_pose().view());
        let place = |piece: &Piece| rest.point(piece.joint, piece.ends[0]);
        let head = body.skeleton.bone(Bone::Head).unwrap();
        let face = figure.pieces.iter().find(|it| it.joint == head && it.tint == Tint::Dark).unwrap();
        assert!(place(face).z > rest.positions[head.idx()].z + 0.03);
        assert_eq!(figure.trails.len(), 2);
        assert!(figure.pieces.len() < 32);
    }
}

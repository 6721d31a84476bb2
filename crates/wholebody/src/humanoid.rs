//! The built-in person: 6 + 30 degrees of freedom with human masses, limits and shapes.
//!
//! Faces +Z with +Y up and its own left towards +X; at the neutral state it stands upright with its arms
//! hanging, its base (the pelvis) at the origin of the floating joint. Lengths after \[Winter2009\], figure
//! 4.1; masses after (deLeva1996), table 4; ranges of motion and strengths are those of a trained adult.

use glam::DVec3;

use crate::model::{BodyId, JointKind, JointSpec, Limits, Model, ModelBuilder, ModelError, Shape};
use crate::spatial::{Inertia, Pose};

/// Height of the pelvis above the soles in the neutral state, for a body height of 1 (-).
pub const PELVIS_HEIGHT: f64 = 0.53;

/// Size and weight of a person.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stature {
    /// From sole to crown (m).
    pub height: f64,
    /// (kg)
    pub mass: f64,
    /// Torque limits relative to the average person's (-).
    pub strength: f64,
}

impl Default for Stature {
    fn default() -> Self {
        Stature { height: 1.75, mass: 74.0, strength: 1.0 }
    }
}

/// The person of average stature.
pub fn person() -> Model {
    person_of("person", Stature::default()).expect("the built-in tables are valid; a test builds them")
}

/// A person of another stature, for example a stronger one for the bottom of a tower.
pub fn person_of(name: &str, stature: Stature) -> Result<Model, ModelError> {
    let mut build = Build { builder: ModelBuilder::new(name), stature };
    let h = stature.height;
    let base = JointSpec::new("root_joint", JointKind::Floating).with_limits(Limits::PASSIVE);
    let pelvis = build.link(None, "pelvis", base, 0.112, [-0.035, 0.0, 0.035, 0.0], [0.06, 0.055])?;
    build.builder.add_frame("seat", Some(pelvis), at(0.0, -0.055 * h, -0.02 * h))?;

    // Trunk: 3 + 1 at the waist, 2 at the neck.
    let waist = build.chain(
        pelvis,
        "spine",
        at(0.0, 0.055 * h, 0.0),
        &[(Y, 50.0, 60.0, 6.0), (X, 60.0, 150.0, 6.0), (Z, 35.0, 120.0, 6.0)],
        Bone { share: 0.163, segment: [0.0, 0.02, 0.0, 0.1], radius: 0.062 },
    )?;
    let chest = build.chain(
        waist,
        "chest",
        at(0.0, 0.13 * h, 0.0),
        &[(X, 30.0, 120.0, 6.0)],
        Bone { share: 0.16, segment: [-0.05, 0.07, 0.05, 0.07], radius: 0.065 },
    )?;
    let head = build.chain(
        chest,
        "head",
        at(0.0, 0.155 * h, 0.0),
        &[(Y, 70.0, 20.0, 8.0), (X, 50.0, 30.0, 8.0)],
        Bone { share: 0.069, segment: [0.0, 0.06, 0.0, 0.1], radius: 0.05 },
    )?;
    build.builder.add_frame("crown", Some(head), at(0.0, 0.13 * h, 0.0))?;

    for (side, out) in [("left", 1.0), ("right", -1.0)] {
        // Where somebody else can stand.
        build.builder.add_frame(
            format!("{side}_shoulder"),
            Some(chest),
            at(out * 0.105 * h, 0.133 * h, 0.0),
        )?;
        let name = |part: &str| format!("{side}_{part}");
        // Leg: 3 + 1 + 2.
        let thigh = build.chain(
            pelvis,
            &name("thigh"),
            at(out * 0.055 * h, -0.01 * h, 0.0),
            &[(Y, 45.0, 90.0, 10.0), (Z, 50.0, 160.0, 10.0), (X, 120.0, 220.0, 12.0)],
            Bone { share: 0.1416, segment: [0.0, -0.04, 0.0, -0.22], radius: 0.042 },
        )?;
        let shank = build.chain(
            thigh,
            &name("shank"),
            at(0.0, -0.245 * h, 0.0),
            &[(X, 145.0, 240.0, 14.0)],
            Bone { share: 0.0433, segment: [0.0, -0.02, 0.0, -0.22], radius: 0.03 },
        )?;
        let foot = build.chain(
            shank,
            &name("foot"),
            at(0.0, -0.236 * h, 0.0),
            &[(X, 50.0, 180.0, 12.0), (Z, 30.0, 80.0, 10.0)],
            Bone { share: 0.0137, segment: [0.0, -0.019, 0.0, -0.019], radius: 0.02 },
        )?;
        // The sole's normal is its frame's y axis.
        build.builder.add_frame(name("sole"), Some(foot), at(0.0, -0.039 * h, 0.03 * h))?;
        // Arm: 3 + 2 + 1.
        let upper = build.chain(
            chest,
            &name("upper_arm"),
            at(out * 0.108 * h, 0.128 * h, 0.0),
            &[(X, 170.0, 80.0, 14.0), (Z, 150.0, 80.0, 14.0), (Y, 90.0, 50.0, 14.0)],
            Bone { share: 0.0271, segment: [0.0, -0.02, 0.0, -0.16], radius: 0.025 },
        )?;
        let lower = build.chain(
            upper,
            &name("forearm"),
            at(0.0, -0.168 * h, 0.0),
            &[(X, 145.0, 70.0, 16.0), (Y, 85.0, 20.0, 18.0)],
            Bone { share: 0.0162, segment: [0.0, -0.02, 0.0, -0.13], radius: 0.02 },
        )?;
        let hand = build.chain(
            lower,
            &name("hand"),
            at(0.0, -0.146 * h, 0.0),
            &[(X, 70.0, 20.0, 18.0)],
            Bone { share: 0.0061, segment: [0.0, -0.03, 0.0, -0.07], radius: 0.018 },
        )?;
        build.builder.add_frame(name("grip"), Some(hand), at(0.0, -0.055 * h, 0.0))?;
    }
    build.builder.build()
}

const X: DVec3 = DVec3::X;
const Y: DVec3 = DVec3::Y;
const Z: DVec3 = DVec3::Z;

/// A limb's mass and volume: share of the body's mass, segment (x0 y0 x1 y1) and radius per body height.
struct Bone {
    share: f64,
    segment: [f64; 4],
    radius: f64,
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

struct Build {
    builder: ModelBuilder,
    stature: Stature,
}

impl Build {
    /// A chain of revolute joints at one place; only the last link has volume, and most of the mass.
    /// Joints are (axis, range either way (deg), torque (N m), speed (rad/s)).
    fn chain(
        &mut self,
        parent: BodyId,
        name: &str,
        place: Pose,
        joints: &[(DVec3, f64, f64, f64)],
        bone: Bone,
    ) -> Result<BodyId, ModelError> {
        let mut parent = parent;
        let mut place = place;
        for (idx, &(axis, range_deg, torque, velocity)) in joints.iter().enumerate() {
            let letter = if axis == X {
                "x"
            } else if axis == Y {
                "y"
            } else {
                "z"
            };
            let joint = format!("{name}_{letter}");
            let range = range_deg.to_radians();
            // Knees fold backwards and elbows forwards only.
            let position = match name.split('_').next_back() {
                Some("shank") => [-0.02, range],
                Some("forearm") if axis == X => [-range, 0.02],
                _ => [-range, range],
            };
            let torque = Some(torque * self.stature.strength);
            let spec = JointSpec::new(joint.clone(), JointKind::Revolute(axis))
                .at(place)
                .with_limits(Limits { position, velocity, torque });
            parent = if idx + 1 == joints.len() {
                self.link(Some(parent), name, spec, bone.share, bone.segment, [bone.radius; 2])?
            } else {
                self.builder.add_body(Some(parent), format!("{joint}_link"), spec, Inertia::ZERO)?
            };
            place = Pose::IDENTITY;
        }
        Ok(parent)
    }

    /// A body with one capsule; lengths per body height.
    fn link(
        &mut self,
        parent: Option<BodyId>,
        name: &str,
        joint: JointSpec,
        share: f64,
        segment: [f64; 4],
        radii: [f64; 2],
    ) -> Result<BodyId, ModelError> {
        let h = self.stature.height;
        let a = DVec3::new(segment[0], segment[1], 0.0) * h;
        let b = DVec3::new(segment[2], segment[3], 0.0) * h;
        let inertia = Inertia::of_capsule(share * self.stature.mass, a, b, radii[0] * h);
        let id = self.builder.add_body(parent, name, joint, inertia)?;
        let half_length = 0.5 * a.distance(b);
        let axis = (b - a).try_normalize().unwrap_or(DVec3::Y);
        let turn = glam::DQuat::from_rotation_arc(DVec3::Y, axis);
        let frame =
            self.builder.add_frame(format!("{name}#shape"), Some(id), Pose::new(turn, 0.5 * (a + b)))?;
        self.builder.add_shape(frame, Shape::Capsule { half_length, radius: radii[1] * h })?;
        Ok(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dynamics;

    #[test]
    fn a_person_has_thirty_drives_and_human_proportions() {
        let person = person();
        assert_eq!((person.n_v, person.actuated.len()), (36, 30));
        assert!((person.mass - 74.0).abs() < 0.5, "{}", person.mass);
        let mut workspace = dynamics::Workspace::new(&person);
        dynamics::update(&person, &mut workspace, &person.neutral(), &[0.0; 36]);
        let place = |name| dynamics::frame_pose(&person, &workspace, person.frame(name).unwrap()).translation;
        assert!((place("crown").y - place("left_sole").y - 1.75).abs() < 0.02);
        assert!((place("left_sole").y + PELVIS_HEIGHT * 1.75).abs() < 1e-9);
        assert!(place("left_grip").x > 0.1, "own left is +X");
        let com = dynamics::center_of_mass(&person, &workspace).position;
        let height = (com.y - place("left_sole").y) / 1.75;
        assert!((0.52..0.6).contains(&height), "a person's centre of mass is at about 0.56: {height}");
    }
}

//! The things of the scenarios: what is carried, held, opened and turned.
//!
//! Reference: \[Vaillant2017\], section 4; masses and sizes are those of everyday objects. Every object is an
//! ordinary [`Model`]: free ones hang on a floating joint, articulated ones on the world by joints without
//! drive. Frames named in each function's text are where hands, feet and seats touch.

use glam::{DQuat, DVec3};

use crate::model::{BodyId, JointKind, JointSpec, Limits, Model, ModelBuilder, ModelError, Shape};
use crate::spatial::{Inertia, Pose};

/// A part of the environment that never moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixture {
    /// Unique in its scene.
    pub name: String,
    /// Its form.
    pub shape: Shape,
    /// Its placement in the world.
    pub world_from_shape: Pose,
}

/// Half the distance between the poles of the [`litter`] (m).
pub const LITTER_POLE: f64 = 0.3;
/// From the middle of the [`litter`] to a carrier's hands (m).
pub const LITTER_GRIP: f64 = 0.95;
/// Height of the [`litter`]'s poles above the ends of its legs (m).
pub const LITTER_HEIGHT: f64 = 0.72;

/// A litter: two poles along z, a platform hung between them, a seat and a place for feet, on four legs.
///
/// Frames `seat`, `left_rest`, `right_rest` (soles of the one who sits), `legs` (their common middle at the
/// floor), and for each pole end `front_left`, `front_right`, `back_left`, `back_right`, x axes along
/// the pole. Its origin is between the poles.
pub fn litter() -> Result<Model, ModelError> {
    let mut build = Build::free("litter", Inertia::of_box(14.0, DVec3::new(0.7, 0.3, 1.6)))?;
    let pole = Shape::Capsule { half_length: 1.2, radius: 0.02 };
    for (name, x) in [("left_pole", LITTER_POLE), ("right_pole", -LITTER_POLE)] {
        build.piece(name, along_z(DVec3::new(x, 0.0, 0.0)), pole.clone())?;
    }
    let platform = Shape::Box { half: DVec3::new(0.28, 0.015, 0.42) };
    build.piece("platform", at(0.0, -0.28, 0.0), platform)?;
    build.piece("bench", at(0.0, -0.09, -0.2), Shape::Box { half: DVec3::new(0.2, 0.175, 0.12) })?;
    for (name, x, z) in
        [("leg_1", 0.26, 0.38), ("leg_2", -0.26, 0.38), ("leg_3", 0.26, -0.38), ("leg_4", -0.26, -0.38)]
    {
        let half_length = 0.5 * LITTER_HEIGHT;
        build.piece(name, at(x, -half_length, z), Shape::Cylinder { half_length, radius: 0.02 })?;
    }
    build.frame("seat", at(0.0, 0.085, -0.17))?;
    build.frame("left_rest", at(0.1, -0.265, 0.27))?;
    build.frame("right_rest", at(-0.1, -0.265, 0.27))?;
    build.frame("legs", at(0.0, -LITTER_HEIGHT, 0.0))?;
    let turn = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    for (end, z) in [("front", LITTER_GRIP), ("back", -LITTER_GRIP)] {
        for (side, x) in [("left", LITTER_POLE), ("right", -LITTER_POLE)] {
            build.frame(&format!("{end}_{side}"), Pose::new(turn, DVec3::new(x, 0.0, z)))?;
        }
    }
    build.finish()
}

/// Half the length of the [`barbell`] (m).
pub const BARBELL_HALF: f64 = 1.1;

/// A barbell along x with a weight at each end (kg). Frames `left_end` (+x), `right_end`, `left_grip`,
/// `right_grip`.
pub fn barbell(weights: [f64; 2]) -> Result<Model, ModelError> {
    let mut build = Build::free("barbell", barbell_inertia(weights))?;
    let turn = DQuat::from_rotation_z(-std::f64::consts::FRAC_PI_2);
    build.piece(
        "bar",
        Pose::new(turn, DVec3::ZERO),
        Shape::Capsule { half_length: BARBELL_HALF, radius: 0.014 },
    )?;
    for (side, x) in [("left", BARBELL_HALF), ("right", -BARBELL_HALF)] {
        let disc = Shape::Cylinder { half_length: 0.03, radius: 0.11 };
        build.piece(&format!("{side}_end"), Pose::new(turn, DVec3::new(x, 0.0, 0.0)), disc)?;
        build.frame(&format!("{side}_grip"), at(0.32 * x.signum(), 0.0, 0.0))?;
    }
    build.finish()
}

/// Mass distribution of the [`barbell`] with these weights at its ends (kg).
pub fn barbell_inertia(weights: [f64; 2]) -> Inertia {
    let bar = Inertia::of_capsule(
        2.5,
        DVec3::new(-BARBELL_HALF, 0.0, 0.0),
        DVec3::new(BARBELL_HALF, 0.0, 0.0),
        0.014,
    );
    let disc = |x: f64, mass: f64| {
        Inertia::of_box(mass, DVec3::new(0.06, 0.2, 0.2)).seen_from(&Pose::from_translation(DVec3::X * x))
    };
    bar.joined(&disc(BARBELL_HALF, weights[0])).joined(&disc(-BARBELL_HALF, weights[1]))
}

/// Length of the [`sword`]'s blade (m).
pub const BLADE: f64 = 0.85;

/// A sword whose blade points along +y from the guard at its origin, the hilt below. Frames `upper_grip`
/// and `lower_grip` (x axes along it), `tip`; its first solid is the blade.
pub fn sword() -> Result<Model, ModelError> {
    let steel = Inertia::of_capsule(1.1, DVec3::new(0.0, -0.25, 0.0), DVec3::new(0.0, 0.6, 0.0), 0.015);
    let mut build = Build::free("sword", steel)?;
    let half_length = 0.5 * BLADE;
    build.piece("blade", at(0.0, half_length, 0.0), Shape::Capsule { half_length, radius: 0.016 })?;
    build.piece("guard", at(0.0, 0.0, 0.0), Shape::Box { half: DVec3::new(0.09, 0.012, 0.015) })?;
    build.piece("hilt", at(0.0, -0.16, 0.0), Shape::Capsule { half_length: 0.15, radius: 0.016 })?;
    let along = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    build.frame("upper_grip", Pose::new(along, DVec3::new(0.0, -0.07, 0.0)))?;
    build.frame("lower_grip", Pose::new(along, DVec3::new(0.0, -0.2, 0.0)))?;
    build.frame("tip", at(0.0, BLADE, 0.0))?;
    build.finish()
}

/// Half the size of the [`box_to_hold`] (m).
pub const BOX_HALF: DVec3 = DVec3::new(0.17, 0.13, 0.13);

/// A box to be held between two flat hands. Frames `left_face` (+x) and `right_face`, y axes inwards.
pub fn box_to_hold(mass: f64) -> Result<Model, ModelError> {
    let mut build = Build::free("box", Inertia::of_box(mass, 2.0 * BOX_HALF))?;
    build.piece("block", Pose::IDENTITY, Shape::Box { half: BOX_HALF })?;
    for (name, x) in [("left_face", 1.0), ("right_face", -1.0)] {
        let inwards = DQuat::from_rotation_arc(DVec3::Y, DVec3::X * -x);
        build.frame(name, Pose::new(inwards, DVec3::X * (x * BOX_HALF.x)))?;
    }
    build.finish()
}

/// A box that is as wide as the hands that hold it are apart (m), along x.
pub fn load(mass: f64, width: f64) -> Result<Model, ModelError> {
    let half = DVec3::new(0.5 * width - 0.02, 0.14, 0.16);
    let mut build = Build::free("load", Inertia::of_box(mass, 2.0 * half))?;
    build.piece("block", Pose::IDENTITY, Shape::Box { half })?;
    build.finish()
}

/// A beam along +z from `from`, its upper face at the given point (m).
pub fn beam(from: DVec3, length: f64, width: f64) -> Fixture {
    let thickness = 0.12;
    let half = DVec3::new(0.5 * width, 0.5 * thickness, 0.5 * length);
    let center = from + DVec3::new(0.0, -0.5 * thickness, 0.5 * length);
    Fixture {
        name: "beam".into(),
        shape: Shape::Box { half },
        world_from_shape: Pose::from_translation(center),
    }
}

/// A slab with its upper face's middle at `top` (m), on a post below its point `foot` (x and z, m).
pub fn platform(name: &str, top: DVec3, half: [f64; 2], foot: [f64; 2]) -> [Fixture; 2] {
    let thickness = 0.06;
    let slab = DVec3::new(half[0], 0.5 * thickness, half[1]);
    let half_length = 0.5 * (top.y - thickness);
    let post = Shape::Cylinder { half_length, radius: 0.05 };
    [
        Fixture {
            name: name.into(),
            shape: Shape::Box { half: slab },
            world_from_shape: Pose::from_translation(top - DVec3::Y * slab.y),
        },
        Fixture {
            name: format!("{name} post"),
            shape: post,
            world_from_shape: Pose::from_translation(DVec3::new(foot[0], half_length, foot[1])),
        },
    ]
}

/// A post from the ground up to a point (m), so that what turns there does not float.
pub fn post(name: &str, top: DVec3) -> Fixture {
    let half_length = 0.5 * top.y;
    Fixture {
        name: name.into(),
        shape: Shape::Cylinder { half_length, radius: 0.04 },
        world_from_shape: Pose::from_translation(DVec3::new(top.x, half_length, top.z)),
    }
}

/// Distance from the hinges of the [`door`] to the axis of its knob (m).
pub const DOOR_WIDTH: f64 = 0.75;

/// A door that turns about its hinges at `hinge` (joint `hinge`, axis up) and whose lever handle turns a
/// knob (joint `knob`, axis through the panel). Closed, the panel runs along −x from the hinges; its
/// handle sticks out towards −z. Frame `handle`, its x axis along the lever.
pub fn door(hinge: DVec3) -> Result<Model, ModelError> {
    let mut build = Build::new("door");
    let half = DVec3::new(0.42, 1.0, 0.02);
    let center = DVec3::new(-0.42, 1.0, 0.0);
    let panel = Inertia::of_box(18.0, 2.0 * half).seen_from(&Pose::from_translation(center));
    build.joint(
        None,
        "panel",
        "hinge",
        JointKind::Revolute(DVec3::Y),
        Pose::from_translation(hinge),
        panel,
    )?;
    build.piece("leaf", Pose::from_translation(center), Shape::Box { half })?;
    let knob = Inertia::of_capsule(0.5, DVec3::ZERO, DVec3::new(0.12, 0.0, -0.06), 0.012);
    let place = at(-DOOR_WIDTH, 1.02, 0.0);
    build.joint(Some(BodyId(0)), "knob", "knob", JointKind::Revolute(DVec3::Z), place, knob)?;
    let neck = Pose::new(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), DVec3::new(0.0, 0.0, -0.04));
    build.piece("neck", neck, Shape::Capsule { half_length: 0.03, radius: 0.012 })?;
    let lever = Pose::new(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2), DVec3::new(0.06, 0.0, -0.075));
    build.piece("lever", lever, Shape::Capsule { half_length: 0.06, radius: 0.012 })?;
    build.frame("handle", at(0.07, 0.0, -0.075))?;
    build.finish()
}

/// Distance from the axis of the [`valve`] to that of its handle (m).
pub const VALVE_RADIUS: f64 = 0.16;

/// A valve on the axis through `center` along z (joint `valve`), with a handle that turns about a parallel
/// axis (joint `handle`) so that a hand need not turn with it. Frame `handle`, its x axis along that axis.
pub fn valve(center: DVec3) -> Result<Model, ModelError> {
    let mut build = Build::new("valve");
    let wheel = Inertia::of_box(4.0, DVec3::new(0.34, 0.34, 0.03));
    build.joint(
        None,
        "wheel",
        "valve",
        JointKind::Revolute(DVec3::Z),
        Pose::from_translation(center),
        wheel,
    )?;
    let face = Pose::new(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), DVec3::new(0.0, 0.0, 0.02));
    build.piece("disc", face, Shape::Cylinder { half_length: 0.012, radius: 0.19 })?;
    let rod = Inertia::of_capsule(0.5, DVec3::ZERO, DVec3::new(0.0, 0.0, -0.12), 0.03);
    let place = at(0.0, VALVE_RADIUS, 0.0);
    build.joint(Some(BodyId(0)), "grip", "handle", JointKind::Revolute(DVec3::Z), place, rod)?;
    let along = Pose::new(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), DVec3::new(0.0, 0.0, -0.06));
    build.piece("rod", along, Shape::Capsule { half_length: 0.06, radius: 0.014 })?;
    let turn = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    build.frame("handle", Pose::new(turn, DVec3::new(0.0, 0.0, -0.07)))?;
    build.finish()
}

/// A lever that turns about the axis through `foot` along x (joint `lever`), upright at zero, with a bulky
/// end. Frame `grip`, its x axis along the shaft; its second solid is the bulk.
pub fn lever(foot: DVec3) -> Result<Model, ModelError> {
    let mut build = Build::new("lever");
    let shaft = Inertia::of_capsule(2.0, DVec3::ZERO, DVec3::new(0.0, 0.75, 0.0), 0.016);
    let bulk = Inertia::of_box(2.5, DVec3::splat(0.2)).seen_from(&at(0.0, 0.78, 0.0));
    let joint = JointKind::Revolute(DVec3::X);
    build.joint(None, "shaft", "lever", joint, Pose::from_translation(foot), shaft.joined(&bulk))?;
    build.piece("shaft#rod", at(0.0, 0.32, 0.0), Shape::Capsule { half_length: 0.32, radius: 0.016 })?;
    build.piece("bulk", at(0.0, 0.78, 0.0), Shape::Ball { radius: 0.13 })?;
    build.frame("grip", Pose::new(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2), DVec3::Y * 0.5))?;
    build.finish()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

/// A shape along y, laid along z.
fn along_z(place: DVec3) -> Pose {
    Pose::new(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), place)
}

struct Build {
    builder: ModelBuilder,
    body: Option<BodyId>,
}

impl Build {
    fn new(name: &str) -> Build {
        Build { builder: ModelBuilder::new(name), body: None }
    }

    /// A rigid body that floats, its link of the model's name.
    fn free(name: &str, inertia: Inertia) -> Result<Build, ModelError> {
        let mut build = Build::new(name);
        build.joint(None, name, &format!("{name}_joint"), JointKind::Floating, Pose::IDENTITY, inertia)?;
        Ok(build)
    }

    /// The next body; pieces and frames go to the one added last.
    fn joint(
        &mut self,
        parent: Option<BodyId>,
        link: &str,
        joint: &str,
        kind: JointKind,
        place: Pose,
        inertia: Inertia,
    ) -> Result<(), ModelError> {
        let joint = JointSpec::new(joint, kind).at(place).with_limits(Limits::PASSIVE);
        self.body = Some(self.builder.add_body(parent, link, joint, inertia)?);
        Ok(())
    }

    fn frame(&mut self, name: &str, place: Pose) -> Result<(), ModelError> {
        self.builder.add_frame(name, self.body, place).map(|_| ())
    }

    fn piece(&mut self, name: &str, place: Pose, shape: Shape) -> Result<(), ModelError> {
        let frame = self.builder.add_frame(name, self.body, place)?;
        self.builder.add_shape(frame, shape)
    }

    fn finish(self) -> Result<Model, ModelError> {
        self.builder.build()
    }
}

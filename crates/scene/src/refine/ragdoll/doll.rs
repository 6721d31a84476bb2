//! A body of rigid segments that is struck while it performs a motion.
//!
//! Muscles are motors at the joints: proportional-derivative control towards the motion, \[Zordan2002\], and into a
//! reaction if the motion goes on with one, \[Zordan2005\]. What the motion itself needs (the forces that accelerate each
//! segment as planned, gravity and the push of the floor among them) is fed forward, so that only what a blow changes is
//! left to the motors: a doll that nobody touches follows its motion.

use glam::{Quat, Vec3};
use randori_motion::math::smootherstep;
use randori_motion::{Bone, Side};
use rapier3d_f64::prelude::*;

use super::around::Obstacle;
use super::guide::Guide;
use super::model::Model;
use super::{rotation, vector, world_pose};

/// A push on one segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Push {
    /// The step at which it begins.
    pub(super) step: usize,
    pub(super) segment: usize,
    /// Where, in the world (m).
    pub(super) point: Vec3,
    /// In the world (N s).
    pub(super) impulse: Vec3,
}

/// How far a body is from its motion in one frame.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Deviation {
    /// Of the hips (m).
    pub(super) hips: Vec3,
    /// What each segment is turned by, in the world.
    pub(super) turns: Vec<Quat>,
    /// The farthest that the middle of any segment is from where the motion has it (m).
    pub(super) farthest: f32,
    /// Of all segments as they move past the motion (J).
    pub(super) energy: f64,
}

/// How well motors damp (-).
const DAMPING: f64 = 1.0;
/// How long a fist needs to stop (s).
const CONTACT: f64 = 0.02;
/// No segment moves faster past its motion than this (m/s): a struck head is thrown at about as much.
const FASTEST: f64 = 5.0;
/// No segment turns faster past its motion than this (rad/s).
const SPINNING: f64 = 25.0;
/// The share of its strength that a body has right after a blow (-), and how long until it has all (s).
const SLACK: f64 = 0.65;
const RECOVERY: f64 = 0.35;
/// How firmly a foot that stands is held: the undamped frequency of the whole body on it (rad/s).
const STANCE: f64 = 30.0;

/// The groups of all obstacles and of all floors; segments have those below.
const OBSTACLE: Group = Group::GROUP_32;
const FLOOR: Group = Group::GROUP_31;
/// More segments than this have no groups of their own.
pub(super) const MOST_SEGMENTS: usize = 30;

/// A kinematic body that pulls at a segment.
struct Lead {
    segment: usize,
    body: RigidBodyHandle,
    joint: ImpulseJointHandle,
    foot: Option<usize>,
}

pub(super) struct Doll<'a> {
    model: &'a Model,
    guide: &'a Guide,
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
    /// The joint above each segment; none for the hips.
    joints: Vec<Option<ImpulseJointHandle>>,
    /// What hangs on each joint, turned about it (kg m²).
    inertias: Vec<f64>,
    leads: Vec<Lead>,
    /// A floor for each segment, as low as the motion has it.
    floors: Vec<RigidBodyHandle>,
    obstacles: Vec<(RigidBodyHandle, &'a Obstacle)>,
}

impl<'a> Doll<'a> {
    /// A body that follows its motion at the first step.
    pub(super) fn new(model: &'a Model, guide: &'a Guide, obstacles: &'a [Obstacle]) -> Doll<'a> {
        let mut world = PhysicsWorld { gravity: Vector::ZERO, ..PhysicsWorld::default() };
        world.integration_parameters.dt = guide.dt;
        world.integration_parameters.num_solver_iterations = 8;
        world.integration_parameters.normalized_max_corrective_velocity = 2.0;
        let n = model.segments.len();
        let bodies: Vec<RigidBodyHandle> =
            (0..n).map(|segment| insert_segment(&mut world, model, guide, segment)).collect();
        let joints = (0..n)
            .map(|segment| {
                let parent = model.segments[segment].parent?;
                let mut joint = GenericJoint::new(JointAxesMask::LOCKED_SPHERICAL_AXES);
                joint.contacts_enabled = false;
                for axis in ANGLES {
                    joint.set_motor_model(axis, MotorModel::ForceBased);
                }
                Some(world.impulse_joints.insert(bodies[parent], bodies[segment], joint, true))
            })
            .collect();
        let floors = (0..n).map(|segment| insert_floor(&mut world, segment)).collect();
        let obstacles = (obstacles.iter())
            .map(|obstacle| {
                let body = RigidBodyBuilder::kinematic_position_based().pose(world_pose(obstacle.frames[0]));
                let pushed = Group::from_bits_truncate(obstacle.pushes);
                let groups = InteractionGroups::new(OBSTACLE, pushed, InteractionTestMode::And);
                let collider =
                    ColliderBuilder::new(obstacle.shape.clone()).collision_groups(groups).friction(0.4);
                (world.insert(body, collider).0, obstacle)
            })
            .collect();
        let mut doll = Doll {
            model,
            guide,
            world,
            bodies,
            joints,
            inertias: Vec::new(),
            leads: Vec::new(),
            floors,
            obstacles,
        };
        doll.inertias = (0..n).map(|segment| doll.inertia_on(segment)).collect();
        doll.leads = doll.leads();
        doll
    }

    /// Performs the motion to its end; the deviation in each frame, the first included. None if numbers overflow.
    pub(super) fn perform(mut self, pushes: &[Push]) -> Option<Vec<Deviation>> {
        let mut found = vec![self.deviation(0)];
        for step in 0..self.guide.n_steps() {
            self.follow(step);
            self.flex(step, tone(step, pushes, self.guide.dt));
            self.push(step, pushes);
            self.world.step();
            self.restrain(step);
            if !self.bodies.iter().all(|body| is_sound(&self.world.bodies[*body])) {
                return None;
            }
            if (step + 1).is_multiple_of(self.guide.per_frame) {
                found.push(self.deviation(step + 1));
            }
        }
        Some(found)
    }

    /// The middle of a segment's mass as planned (m).
    fn planned_center(&self, step: usize, segment: usize) -> Vector {
        let body = &self.world.bodies[self.bodies[segment]];
        self.planned(step, segment).transform_point(body.local_center_of_mass())
    }

    fn planned(&self, step: usize, segment: usize) -> Pose {
        world_pose(self.guide.segment(self.model, step, segment))
    }

    /// Velocity of a segment's middle and its turning from a step to the next, as planned (m/s, rad/s).
    fn planned_velocity(&self, step: usize, segment: usize) -> (Vector, AngVector) {
        let step = step.min(self.guide.n_steps() - 1);
        let moved = self.planned_center(step + 1, segment) - self.planned_center(step, segment);
        let [before, after] = [step, step + 1].map(|step| self.planned(step, segment).rotation);
        (moved / self.guide.dt, turn_between(before, after) / self.guide.dt)
    }

    /// Accelerates everything as the motion does, and moves what goes its own way.
    fn follow(&mut self, step: usize) {
        for segment in 0..self.bodies.len() {
            let (velocity, turning) = self.planned_velocity(step, segment);
            let (before, turning_before) = match step {
                0 => (Vector::ZERO, AngVector::ZERO),
                step => self.planned_velocity(step - 1, segment),
            };
            let body = &mut self.world.bodies[self.bodies[segment]];
            body.set_linvel(body.linvel() + velocity - before, true);
            body.set_angvel(body.angvel() + turning - turning_before, true);
        }
        for lead in &self.leads {
            let pose = world_pose(self.guide.segment(self.model, step + 1, lead.segment));
            self.world.bodies[lead.body].set_next_kinematic_position(pose);
        }
        for (segment, floor) in self.floors.iter().enumerate() {
            let globals = &self.guide.states[step + 1];
            let pieces = self.model.segments[segment].pieces.iter();
            let lowest = pieces.flat_map(|(piece, _)| {
                [piece.a, piece.b].map(|end| globals.point(piece.joint, end).y - piece.radius)
            });
            let height = lowest.fold(0.0, f32::min);
            self.world.bodies[*floor].set_next_kinematic_translation(Vector::Y * f64::from(height));
        }
        for (body, obstacle) in &self.obstacles {
            self.world.bodies[*body].set_next_kinematic_position(world_pose(obstacle.frames[step + 1]));
        }
    }

    /// Sets the motors for a step: where they pull to, and how strong they are.
    fn flex(&mut self, step: usize, tone: f64) {
        for segment in 0..self.bodies.len() {
            let (Some(handle), Some(parent)) = (self.joints[segment], self.model.segments[segment].parent)
            else {
                continue;
            };
            let it = &self.model.segments[segment];
            let axes = rotation(it.axes());
            // The middle of the step is where the step as a whole has to be.
            let [above, own] = [parent, segment].map(|at| {
                let [a, b] = [step, step + 1].map(|step| self.planned(step, at));
                Pose::from_parts(0.5 * (a.translation + b.translation), a.rotation.slerp(b.rotation, 0.5))
            });
            let turned = above.rotation.inverse() * own.rotation;
            let frame = turned * axes;
            let rates = self.planned_velocity(step, segment).1 - self.planned_velocity(step, parent).1;
            let rates = frame.inverse() * (above.rotation.inverse() * rates);
            let anchor = above.inverse_transform_point(own.translation);
            let omega = it.recovery * tone;
            let stiffness = self.inertias[segment] * omega * omega;
            let damping = 2.0 * DAMPING * self.inertias[segment] * omega;
            let limits = it.limits(turned.as_quat_f32());
            let Some(joint) = self.world.impulse_joints.get_mut(handle, true) else { continue };
            joint.data.set_local_frame1(Pose::from_parts(anchor, frame));
            joint.data.set_local_frame2(Pose::from_parts(Vector::ZERO, axes));
            for ((axis, limits), rate) in ANGLES.into_iter().zip(limits).zip(rates.to_array()) {
                joint.data.set_motor(axis, 0.0, rate, stiffness, damping);
                joint.data.set_limits(axis, limits.map(f64::from));
            }
        }
        let mass = f64::from(self.model.mass());
        for lead in &self.leads {
            let (omega, inertia) = match lead.foot {
                Some(foot) => (STANCE * f64::from(self.guide.standing[step][foot]), 1.0),
                None => (self.model.segments[lead.segment].recovery * tone, self.inertias[lead.segment]),
            };
            let Some(joint) = self.world.impulse_joints.get_mut(lead.joint, true) else { continue };
            for (axes, size) in [(PLACES, mass), (ANGLES, inertia)] {
                for axis in axes {
                    joint.data.set_motor(axis, 0.0, 0.0, size * omega * omega, 2.0 * DAMPING * size * omega);
                }
            }
        }
    }

    /// Gives a step's share of what strikes.
    fn push(&mut self, step: usize, pushes: &[Push]) {
        let n = libm::ceil(CONTACT / self.guide.dt).max(1.0) as usize;
        for push in pushes.iter().filter(|push| (push.step..push.step + n).contains(&step)) {
            // The point stays on the segment that it is on when the blow lands.
            let planned = self.planned(push.step, push.segment);
            let most = FASTEST as f32 * self.model.mass_around(push.segment);
            let impulse = vector(push.impulse.clamp_length_max(most)) / n as f64;
            let body = &mut self.world.bodies[self.bodies[push.segment]];
            let point = body.position().transform_point(planned.inverse_transform_point(vector(push.point)));
            body.apply_impulse_at_point(impulse, point, true);
        }
    }

    /// Keeps all segments from flying off.
    fn restrain(&mut self, step: usize) {
        for segment in 0..self.bodies.len() {
            let (velocity, turning) = self.planned_velocity(step, segment);
            let body = &mut self.world.bodies[self.bodies[segment]];
            let (past, spin) = (body.linvel() - velocity, body.angvel() - turning);
            if past.length() > FASTEST {
                body.set_linvel(velocity + past.clamp_length_max(FASTEST), true);
            }
            if spin.length() > SPINNING {
                body.set_angvel(turning + spin.clamp_length_max(SPINNING), true);
            }
        }
    }

    fn deviation(&self, step: usize) -> Deviation {
        let mut farthest: f64 = 0.0;
        let mut energy = 0.0;
        let turns = (0..self.bodies.len())
            .map(|segment| {
                let body = &self.world.bodies[self.bodies[segment]];
                let center = body.position().transform_point(body.local_center_of_mass());
                farthest = farthest.max(center.distance(self.planned_center(step, segment)));
                let past = body.linvel() - self.planned_velocity(step.saturating_sub(1), segment).0;
                if step > 0 {
                    energy += 0.5 * body.mass() * past.length_squared();
                }
                let turn = body.rotation() * self.planned(step, segment).rotation.inverse();
                turn.normalize().as_quat_f32()
            })
            .collect();
        let hips = self.world.bodies[self.bodies[0]].translation() - self.planned(step, 0).translation;
        let hips = Vec3::from_array(hips.to_array().map(|it| it as f32));
        Deviation { hips, turns, farthest: farthest as f32, energy }
    }

    /// All that hangs on a segment's joint, turned about it (kg m²).
    fn inertia_on(&self, segment: usize) -> f64 {
        let joint = self.planned(0, segment).translation;
        let hanging = (0..self.bodies.len()).filter(|other| self.model.hangs(*other, segment));
        let inertia = |other: usize| {
            let mass = self.world.bodies[self.bodies[other]].mass();
            let radius = self.model.segments[other].pieces.iter().map(|(piece, _)| piece.radius);
            let radius = f64::from(radius.fold(0.0, f32::max));
            let arm = self.planned_center(0, other) - joint;
            mass * (arm.length_squared() + 0.5 * radius * radius)
        };
        hanging.map(inertia).sum()
    }

    /// What pulls at the hips, for balance, and at the feet that stand.
    fn leads(&mut self) -> Vec<Lead> {
        let foot = |side: Side| {
            let bone = Bone::LeftFoot.on(side);
            let at = self.model.segments.iter().position(|segment| segment.bone == bone)?;
            Some((at, Some(side as usize)))
        };
        let led: Vec<(usize, Option<usize>)> =
            [Some((0, None)), foot(Side::Left), foot(Side::Right)].into_iter().flatten().collect();
        led.into_iter()
            .map(|(segment, foot)| {
                let body = RigidBodyBuilder::kinematic_position_based().pose(self.planned(0, segment));
                let body = self.world.insert_body(body);
                let mut joint = GenericJoint::new(JointAxesMask::empty());
                joint.contacts_enabled = false;
                for axis in PLACES.into_iter().chain(ANGLES) {
                    joint.set_motor_model(axis, MotorModel::ForceBased);
                }
                let joint = self.world.impulse_joints.insert(body, self.bodies[segment], joint, true);
                Lead { segment, body, joint, foot }
            })
            .collect()
    }
}

const PLACES: [JointAxis; 3] = [JointAxis::LinX, JointAxis::LinY, JointAxis::LinZ];
const ANGLES: [JointAxis; 3] = [JointAxis::AngX, JointAxis::AngY, JointAxis::AngZ];

/// The share of its strength that a body has at a step (-).
fn tone(step: usize, pushes: &[Push], dt: f64) -> f64 {
    let since = |push: &Push| step.checked_sub(push.step).map(|steps| steps as f64 * dt);
    let ages = pushes.iter().filter_map(since);
    let recovered = |age: f64| f64::from(smootherstep((age / RECOVERY) as f32));
    ages.map(|age| SLACK + (1.0 - SLACK) * recovered(age)).fold(1.0, f64::min)
}

/// The turn from one orientation to another (rad).
fn turn_between(before: Rotation, after: Rotation) -> AngVector {
    let turn = after * before.inverse();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    turn.to_scaled_axis()
}

fn is_sound(body: &RigidBody) -> bool {
    body.is_enabled() && body.position().is_finite() && body.linvel().is_finite() && body.angvel().is_finite()
}

fn insert_segment(world: &mut PhysicsWorld, model: &Model, guide: &Guide, segment: usize) -> RigidBodyHandle {
    let start = world_pose(guide.segment(model, 0, segment));
    let body = RigidBodyBuilder::dynamic().pose(start).can_sleep(false);
    let handle = world.insert_body(body);
    let own = Group::from_bits_truncate(1 << segment);
    let groups = InteractionGroups::new(own, OBSTACLE | FLOOR, InteractionTestMode::And);
    for (piece, mass) in &model.segments[segment].pieces {
        let [a, b] = [piece.a, piece.b]
            .map(|end| start.inverse_transform_point(vector(guide.states[0].point(piece.joint, end))));
        let capsule = ColliderBuilder::capsule_from_endpoints(a, b, piece.radius.into());
        let capsule = capsule.mass((*mass).into()).collision_groups(groups).friction(0.4);
        world.insert_collider(capsule, Some(handle));
    }
    if let Some(body) = world.bodies.get_mut(handle) {
        body.recompute_mass_properties_from_colliders(&world.colliders);
    }
    handle
}

fn insert_floor(world: &mut PhysicsWorld, segment: usize) -> RigidBodyHandle {
    let own = Group::from_bits_truncate(1 << segment);
    let groups = InteractionGroups::new(FLOOR, own, InteractionTestMode::And);
    let plane = ColliderBuilder::new(SharedShape::halfspace(Vector::Y)).collision_groups(groups);
    world.insert(RigidBodyBuilder::kinematic_position_based(), plane.friction(0.8)).0
}

/// A quaternion in the precision of poses.
trait AsQuat {
    fn as_quat_f32(&self) -> Quat;
}

impl AsQuat for Rotation {
    fn as_quat_f32(&self) -> Quat {
        Quat::from_array(self.to_array().map(|it| it as f32)).normalize()
    }
}

//! From a scene's state to its quadratic program, subsystem by subsystem.

use glam::{DMat3, DVec3};
use parry3d_f64::math::{Pose3, Rot3, Vec3};
use parry3d_f64::query;
use parry3d_f64::shape::SharedShape;

use super::{CollisionPair, Contact, ContactArea, Feature, Obstacle, Place, Scene, Subsystem, Task};
use crate::dynamics::{self, Workspace};
use crate::model::{BodyId, JointKind, Shape};
use crate::qp::blocks::{Block, BlockQp, LinkRow, Patch, PatchForce, SharedTask, Side};
use crate::qp::kernels;
use crate::spatial::{Motion, Pose, rotation_vector};

/// The program of a scene and the memory to assemble it without allocating.
#[derive(Clone, Default)]
pub struct Assembly {
    /// The program.
    pub qp: BlockQp,
    /// Distance of each collision pair that is near enough to matter (m).
    pub distances: Vec<Option<f64>>,
    workspaces: Vec<Workspace>,
    origins: Vec<DVec3>,
    pairs: Vec<CollisionPair>,
    shapes: Vec<[SharedShape; 2]>,
    jacobian: Vec<f64>,
    rows: Rows,
}

/// Rows of one task: `J qdd + bias` should be `desired`.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) n: usize,
    /// Block and its part of `J`.
    pub(super) parts: Vec<(usize, Vec<f64>)>,
    /// Desired minus bias.
    pub(super) target: Vec<f64>,
    /// Memory for later.
    spare: Vec<Vec<f64>>,
    scratch: Vec<f64>,
}

impl Assembly {
    /// Assembles the program of the scene's present state.
    pub fn assemble(&mut self, scene: &Scene) {
        self.update_workspaces(scene);
        let n = scene.subsystems.len();
        self.qp.blocks.resize_with(n, Block::default);
        for (idx, subsystem) in scene.subsystems.iter().enumerate() {
            write_block(scene, subsystem, &self.workspaces[idx], &mut self.qp.blocks[idx]);
        }
        self.qp.patches.resize_with(scene.contacts.len(), || Patch {
            key: 0,
            sides: Vec::new(),
            target: [0.0; 6],
            gradient: [0.0; 6],
            force: PatchForce::Generators { columns: Vec::new(), weight: 1.0 },
        });
        self.origins.clear();
        for (idx, contact) in scene.contacts.iter().enumerate() {
            self.write_patch(scene, contact, idx);
        }
        self.write_pairs(scene);
        self.write_tasks(scene);
    }

    /// Dynamics of a subsystem in the state last assembled.
    pub fn workspace(&self, subsystem: usize) -> &Workspace {
        &self.workspaces[subsystem]
    }

    /// Where the wrench of a patch acts, in the world (m).
    pub fn patch_origin(&self, patch: usize) -> DVec3 {
        self.origins[patch]
    }

    pub(super) fn workspaces(&self) -> &[Workspace] {
        &self.workspaces
    }

    fn update_workspaces(&mut self, scene: &Scene) {
        self.workspaces.truncate(scene.subsystems.len());
        for (idx, subsystem) in scene.subsystems.iter().enumerate() {
            if idx == self.workspaces.len() {
                self.workspaces.push(Workspace::new(&subsystem.model));
            } else if !self.workspaces[idx].fits(&subsystem.model) {
                self.workspaces[idx] = Workspace::new(&subsystem.model);
            }
            let workspace = &mut self.workspaces[idx];
            dynamics::update(&subsystem.model, workspace, &subsystem.q, &subsystem.v);
            dynamics::mass_matrix(&subsystem.model, workspace);
            dynamics::nonlinear_terms(&subsystem.model, workspace, scene.settings.gravity);
        }
    }

    fn pose(&self, scene: &Scene, place: Place) -> Pose {
        dynamics::frame_pose(
            &scene.subsystems[place.subsystem].model,
            &self.workspaces[place.subsystem],
            place.frame,
        )
    }

    /// A contact's no-slip law and friction pyramids, equations (18), (20) and (25).
    fn write_patch(&mut self, scene: &Scene, contact: &Contact, idx: usize) {
        let dt = scene.settings.dt;
        let mine = self.pose(scene, contact.on) * contact.on_from_patch;
        let other = match contact.with {
            Some(place) => self.pose(scene, place) * contact.with_from_patch,
            None => contact.with_from_patch,
        };
        let motion = |place: Option<Place>, at: DVec3| match place {
            Some(place) => {
                let body = scene.subsystems[place.subsystem].model.frames[place.frame.idx()].body;
                let workspace = &self.workspaces[place.subsystem];
                (dynamics::point_velocity(workspace, body, at), dynamics::point_bias(workspace, body, at))
            }
            None => (Motion::ZERO, Motion::ZERO),
        };
        let (velocity, bias) = motion(Some(contact.on), mine.translation);
        // Both sides at one point, so that a wrench and its reaction cancel to rounding.
        let (velocity2, bias2) = motion(contact.with, mine.translation);
        // Link 2 displaced by +delta as seen from link 1 asks for v1 - v2 = +delta / dt.
        let error = Motion {
            linear: other.translation - mine.translation,
            angular: rotation_vector(&(other.rotation * mine.rotation.transpose())),
        };
        let target = error * (1.0 / (dt * dt)) - (velocity - velocity2) * (1.0 / dt) - (bias - bias2);
        self.origins.push(mine.translation);
        let patch = &mut self.qp.patches[idx];
        patch.key = key_of(&contact.name);
        patch.target = target.to_array();
        let n_sides =
            1 + usize::from(contact.with.is_some_and(|with| with.subsystem != contact.on.subsystem));
        patch.sides.resize_with(n_sides, Side::default);
        let at = mine.translation;
        let places = [(Some(contact.on), 1.0), (contact.with, -1.0)];
        for (s, (place, sign)) in places.into_iter().enumerate() {
            let Some(place) = place else { continue };
            let model = &scene.subsystems[place.subsystem].model;
            let body = model.frames[place.frame.idx()].body;
            let side = &mut patch.sides[s.min(n_sides - 1)];
            side.block = place.subsystem;
            if s < n_sides {
                side.jacobian.clear();
                side.jacobian.resize(6 * model.n_v, 0.0);
            }
            self.jacobian.resize(6 * model.n_v, 0.0);
            dynamics::point_jacobian(model, &self.workspaces[place.subsystem], body, at, &mut self.jacobian);
            kernels::axpy(sign, &self.jacobian, &mut side.jacobian);
        }
        let PatchForce::Generators { columns, weight } = &mut patch.force else { return };
        *weight = scene.settings.force_cost;
        columns.clear();
        write_generators(contact.area, contact.friction, &mine.rotation, columns);
    }

    /// Collision rows, equation (24), for pairs within the influence distance.
    fn write_pairs(&mut self, scene: &Scene) {
        if self.pairs != scene.pairs {
            self.pairs.clone_from(&scene.pairs);
            self.shapes =
                scene.pairs.iter().map(|pair| [&pair.a, &pair.b].map(|side| shape_of(scene, side))).collect();
        }
        self.distances.clear();
        self.distances.resize(scene.pairs.len(), None);
        self.qp.rows.resize_with(scene.pairs.len(), LinkRow::default);
        let damper = scene.settings.collision_damper;
        for (idx, pair) in scene.pairs.iter().enumerate() {
            self.qp.rows[idx].limits = [f64::NEG_INFINITY, f64::INFINITY];
            let sides = [&pair.a, &pair.b].map(|side| self.side_of(scene, side));
            let [a, b] = &self.shapes[idx];
            let near =
                query::contact(&parry(&sides[0].2), &*a.0, &parry(&sides[1].2), &*b.0, damper.influence);
            let row = &mut self.qp.rows[idx];
            let Ok(Some(near)) = near else {
                row.parts.iter_mut().for_each(|part| part.1.fill(0.0));
                continue;
            };
            let d = near.dist;
            self.distances[idx] = Some(d);
            let point = |v: Vec3| DVec3::new(v.x, v.y, v.z);
            let (pa, pb, u) = (point(near.point1), point(near.point2), -point(near.normal1));
            let mut relative = (DVec3::ZERO, DVec3::ZERO);
            self.rows.spare.extend(row.parts.drain(..).map(|part| part.1));
            for ((subsystem, body, _), at, sign) in [(&sides[0], pa, 1.0), (&sides[1], pb, -1.0)] {
                let Some(subsystem) = *subsystem else { continue };
                let model = &scene.subsystems[subsystem].model;
                let workspace = &self.workspaces[subsystem];
                relative.0 += sign * dynamics::point_velocity(workspace, *body, at).linear;
                relative.1 += sign * dynamics::point_bias(workspace, *body, at).linear;
                let n = model.n_v;
                self.jacobian.resize(6 * n, 0.0);
                dynamics::point_jacobian(model, workspace, *body, at, &mut self.jacobian);
                let slot = match row.parts.iter().position(|part| part.0 == subsystem) {
                    Some(slot) => slot,
                    None => {
                        let mut memory = self.rows.spare.pop().unwrap_or_default();
                        memory.clear();
                        memory.resize(n, 0.0);
                        row.parts.push((subsystem, memory));
                        row.parts.len() - 1
                    }
                };
                for axis in 0..3 {
                    kernels::axpy(
                        sign * u[axis],
                        &self.jacobian[axis * n..(axis + 1) * n],
                        &mut row.parts[slot].1,
                    );
                }
            }
            for (side, at, sign) in [(&pair.a, pa, 1.0), (&pair.b, pb, -1.0)] {
                if let Obstacle::Seen { velocity, .. } = side {
                    relative.0 += sign * velocity.at(at);
                }
            }
            let closing = u.dot(relative.0);
            let dt = scene.settings.dt;
            row.limits[0] = (damper.slowest(d) - closing) / dt - u.dot(relative.1);
        }
    }

    /// Subsystem, body and pose of one side of a pair.
    fn side_of(&self, scene: &Scene, side: &Obstacle) -> (Option<usize>, Option<BodyId>, Pose) {
        match side {
            Obstacle::Solid { subsystem, solid } => {
                let model = &scene.subsystems[*subsystem].model;
                let frame = model.solids[*solid].frame;
                let pose = self.pose(scene, Place { subsystem: *subsystem, frame });
                (Some(*subsystem), model.frames[frame.idx()].body, pose)
            }
            Obstacle::Fixed { world_from_shape, .. } | Obstacle::Seen { world_from_shape, .. } => {
                (None, None, *world_from_shape)
            }
        }
    }

    /// Objective, equations (32) and (33).
    fn write_tasks(&mut self, scene: &Scene) {
        let mut n_shared = 0;
        for task in scene.tasks.iter().filter(|task| task.weight > 0.0) {
            if let Feature::Posture { subsystem, .. } = &task.feature {
                let block = &mut self.qp.blocks[*subsystem];
                let first = posture_target(&scene.subsystems[*subsystem], task, &mut self.rows.target);
                for (dof, target) in (first..block.n).zip(&self.rows.target) {
                    block.hessian[dof * block.n + dof] += task.weight;
                    block.gradient[dof] -= task.weight * target;
                }
                continue;
            }
            task_rows(scene, &self.workspaces, task, &mut self.rows);
            if let [(b, part)] = self.rows.parts.as_slice() {
                let block = &mut self.qp.blocks[*b];
                let n = block.n;
                for (row, target) in part.chunks_exact(n).zip(&self.rows.target) {
                    kernels::axpy(-task.weight * target, row, &mut block.gradient);
                    for i in (0..n).filter(|i| row[*i] != 0.0) {
                        kernels::axpy(task.weight * row[i], row, &mut block.hessian[i * n..(i + 1) * n]);
                    }
                }
                continue;
            }
            if self.qp.shared.len() == n_shared {
                self.qp.shared.push(SharedTask::default());
            }
            let shared = &mut self.qp.shared[n_shared];
            n_shared += 1;
            let root = libm::sqrt(task.weight);
            shared.rows = self.rows.n;
            std::mem::swap(&mut shared.parts, &mut self.rows.parts);
            shared.parts.iter_mut().for_each(|part| part.1.iter_mut().for_each(|x| *x *= root));
            shared.target.clear();
            shared.target.extend(self.rows.target.iter().map(|x| x * root));
        }
        self.qp.shared.truncate(n_shared);
    }
}

/// Equation of motion, limits (28), (30) and (31), and the cost of accelerations as such.
fn write_block(scene: &Scene, subsystem: &Subsystem, workspace: &Workspace, block: &mut Block) {
    let model = &subsystem.model;
    let n = model.n_v;
    block.n = n;
    block.hessian.clear();
    block.hessian.resize(n * n, 0.0);
    (0..n).for_each(|i| block.hessian[i * n + i] = scene.settings.acceleration_cost);
    block.gradient.clear();
    block.gradient.resize(n, 0.0);
    block.mass.clone_from(&workspace.mass_matrix);
    block.nonlinear.clear();
    block.nonlinear.extend(workspace.nonlinear.iter().zip(&subsystem.applied).map(|(h, f)| h - f));
    block.bounds.clear();
    block.torque.clear();
    let (dt, damper) = (scene.settings.dt, scene.settings.joint_damper);
    for joint in &model.joints {
        let limits = &joint.limits;
        let torque = limits.torque.map_or([0.0, 0.0], |torque| [-torque, torque]);
        for dof in 0..joint.kind.n_v() {
            block.torque.push(torque);
            if limits.torque.is_none() {
                block.bounds.push([f64::NEG_INFINITY, f64::INFINITY]);
                continue;
            }
            let v = subsystem.v[joint.v_start + dof];
            let mut bounds = [(-limits.velocity - v) / dt, (limits.velocity - v) / dt];
            if matches!(joint.kind, JointKind::Revolute(_) | JointKind::Prismatic(_)) {
                let q = subsystem.q[joint.q_start];
                let (below, above) = (q - limits.position[0], limits.position[1] - q);
                if below < damper.influence {
                    bounds[0] = bounds[0].max((damper.slowest(below) - v) / dt);
                }
                if above < damper.influence {
                    bounds[1] = bounds[1].min((-damper.slowest(above) - v) / dt);
                }
            }
            // Both ends at once (a joint range narrower than the influence): hold the lower.
            bounds[1] = bounds[1].max(bounds[0] + 1e-6);
            block.bounds.push(bounds);
        }
    }
}

/// Unit forces along the edges of the friction pyramids, with their moments about the patch's origin.
fn write_generators(area: ContactArea, friction: f64, rotation: &DMat3, columns: &mut Vec<[f64; 6]>) {
    let slope = friction / std::f64::consts::SQRT_2;
    for corner in 0..4 {
        let (point, normal) = match area {
            ContactArea::Planar { half } => {
                let (sx, sz) = [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)][corner];
                (DVec3::new(sx * half[0], 0.0, sz * half[1]), DVec3::Y)
            }
            ContactArea::Grasp { radius, half_length } => {
                let (sy, sz) = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)][corner];
                let out = DVec3::new(0.0, sy, sz) * std::f64::consts::FRAC_1_SQRT_2;
                let along = if corner % 2 == 0 { half_length } else { -half_length };
                (out * radius + DVec3::X * along, out)
            }
        };
        let (across, along) = (normal.cross(DVec3::X), DVec3::X);
        for (s, t) in [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)] {
            let edge = (normal + slope * (s * along + t * across)).normalize();
            let (force, moment) = (*rotation * edge, *rotation * point.cross(edge));
            columns.push([force.x, force.y, force.z, moment.x, moment.y, moment.z]);
        }
    }
}

/// What a posture task wants of each degree of freedom from the answered one on.
pub(super) fn posture_target(subsystem: &Subsystem, task: &Task, out: &mut Vec<f64>) -> usize {
    let Feature::Posture { q, .. } = &task.feature else { return subsystem.model.n_v };
    let model = &subsystem.model;
    let first = if model.is_floating() { 6 } else { 0 };
    out.clear();
    out.resize(model.n_v, 0.0);
    model.difference(&subsystem.q, q, out);
    out.drain(..first);
    let damping = 2.0 * libm::sqrt(task.stiffness);
    for (r, x) in out.iter_mut().enumerate() {
        let reference = |list: &[f64]| list.get(r).copied().unwrap_or(0.0);
        let lag = subsystem.v[first + r] - reference(&task.velocity);
        *x = task.stiffness * *x - damping * lag + reference(&task.acceleration);
    }
    first
}

/// The rows of any task but a posture.
pub(super) fn task_rows(scene: &Scene, workspaces: &[Workspace], task: &Task, rows: &mut Rows) {
    let (place, linear, angular) = match &task.feature {
        Feature::Posture { .. } => return,
        Feature::Joint { subsystem, joint, position } => {
            let s = &scene.subsystems[*subsystem];
            let joint = &s.model.joints[joint.idx()];
            rows.begin(1);
            rows.part(*subsystem, s.model.n_v)[joint.v_start] = 1.0;
            let lag = [s.q[joint.q_start] - position];
            return rows.aim(task, &lag, &[s.v[joint.v_start]], &[0.0]);
        }
        Feature::CenterOfMass { subsystems, position } => {
            rows.begin(3);
            let mut total = dynamics::CenterOfMass::default();
            let mass: f64 = subsystems.iter().map(|s| scene.subsystems[*s].model.mass).sum();
            for idx in subsystems {
                let model = &scene.subsystems[*idx].model;
                let part = rows.part(*idx, model.n_v);
                dynamics::center_of_mass_jacobian(model, &workspaces[*idx], part);
                part.iter_mut().for_each(|x| *x *= model.mass / mass);
                total = total.joined(&dynamics::center_of_mass(model, &workspaces[*idx]));
            }
            let lag = (total.position - *position).to_array();
            return rows.aim(task, &lag, &total.velocity.to_array(), &total.bias.to_array());
        }
        Feature::Position { place, position } => (*place, Some(*position), None),
        Feature::Orientation { place, rotation } => (*place, None, Some(*rotation)),
        Feature::Pose { place, pose } => (*place, Some(pose.translation), Some(pose.rotation)),
    };
    let (model, workspace) = (&scene.subsystems[place.subsystem].model, &workspaces[place.subsystem]);
    let pose = dynamics::frame_pose(model, workspace, place.frame);
    let velocity = dynamics::frame_velocity(model, workspace, place.frame).to_array();
    let bias = dynamics::frame_bias(model, workspace, place.frame).to_array();
    let mut lag = [0.0; 6];
    if let Some(target) = linear {
        lag[..3].copy_from_slice(&(pose.translation - target).to_array());
    }
    if let Some(target) = angular {
        lag[3..].copy_from_slice(&(-rotation_vector(&(target * pose.rotation.transpose()))).to_array());
    }
    let range = if linear.is_some() { 0 } else { 3 }..if angular.is_some() { 6 } else { 3 };
    let n = model.n_v;
    rows.begin(range.len());
    rows.scratch.resize(6 * n, 0.0);
    let mut scratch = std::mem::take(&mut rows.scratch);
    dynamics::frame_jacobian(model, workspace, place.frame, &mut scratch);
    rows.part(place.subsystem, n).copy_from_slice(&scratch[range.start * n..range.end * n]);
    rows.scratch = scratch;
    rows.aim(task, &lag[range.clone()], &velocity[range.clone()], &bias[range]);
}

impl Rows {
    fn begin(&mut self, n: usize) {
        self.n = n;
        self.spare.extend(self.parts.drain(..).map(|part| part.1));
        self.target.clear();
    }

    /// The part of `J` of a subsystem, to be filled.
    fn part(&mut self, subsystem: usize, n_v: usize) -> &mut [f64] {
        let memory = self.spare.pop().unwrap_or_default();
        self.parts.push((subsystem, memory));
        let part = &mut self.parts.last_mut().expect("just pushed").1;
        part.clear();
        part.resize(self.n * n_v, 0.0);
        part
    }

    /// Desired acceleration, equation (33), less the bias.
    fn aim(&mut self, task: &Task, lag: &[f64], velocity: &[f64], bias: &[f64]) {
        let damping = 2.0 * libm::sqrt(task.stiffness);
        for r in 0..self.n {
            let reference = |list: &[f64]| list.get(r).copied().unwrap_or(0.0);
            let desired = -task.stiffness * lag[r] - damping * (velocity[r] - reference(&task.velocity))
                + reference(&task.acceleration);
            self.target.push(desired - bias[r]);
        }
    }
}

/// A number for a name (FNV-1a).
fn key_of(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn shape_of(scene: &Scene, side: &Obstacle) -> SharedShape {
    let shape = match side {
        Obstacle::Solid { subsystem, solid } => &scene.subsystems[*subsystem].model.solids[*solid].shape,
        Obstacle::Fixed { shape, .. } | Obstacle::Seen { shape, .. } => shape,
    };
    match shape {
        Shape::Ball { radius } => SharedShape::ball(*radius),
        Shape::Capsule { half_length, radius } => SharedShape::capsule_y(*half_length, *radius),
        Shape::Box { half } => SharedShape::cuboid(half.x, half.y, half.z),
        Shape::Cylinder { half_length, radius } => SharedShape::cylinder(*half_length, *radius),
        Shape::Hull { points } => {
            let points: Vec<Vec3> = points.iter().map(|p| Vec3::new(p.x, p.y, p.z)).collect();
            // Points in a plane have no hull: a ball about their middle stands in.
            SharedShape::convex_hull(&points).unwrap_or_else(|| {
                let middle = points.iter().fold(Vec3::ZERO, |sum, p| sum + *p) / points.len() as f64;
                let radius = points.iter().map(|p| (*p - middle).length()).fold(1e-3, f64::max);
                SharedShape::ball(radius)
            })
        }
    }
}

fn parry(pose: &Pose) -> Pose3 {
    let q = glam::DQuat::from_mat3(&pose.rotation);
    let t = pose.translation;
    Pose3::from_parts(Vec3::new(t.x, t.y, t.z), Rot3::from_xyzw(q.x, q.y, q.z, q.w))
}

//! Building models: parts are collected one by one and checked together.

use std::ops::Range;

use glam::{DMat3, DQuat, DVec3};

use super::{
    BodyId, Dof, Frame, FrameId, Joint, JointKind, JointSpec, MAX_BODIES, Model, ModelError, Run, Shape,
    Solid,
};
use crate::dynamics::MassFours;
use crate::spatial::{Inertia, Pose};

/// Collects bodies, frames and shapes, and checks them together.
#[derive(Clone, Debug)]
pub struct ModelBuilder {
    name: String,
    bodies: Vec<(String, JointSpec, Option<BodyId>, Inertia)>,
    frames: Vec<(String, Option<BodyId>, Pose)>,
    solids: Vec<Solid>,
}

impl ModelBuilder {
    /// An empty model.
    pub fn new(name: impl Into<String>) -> ModelBuilder {
        ModelBuilder { name: name.into(), bodies: Vec::new(), frames: Vec::new(), solids: Vec::new() }
    }

    /// Hangs a body on a joint under `parent` (`None`: the world). Its frame gets the name `link`.
    pub fn add_body(
        &mut self,
        parent: Option<BodyId>,
        link: impl Into<String>,
        joint: JointSpec,
        inertia: Inertia,
    ) -> Result<BodyId, ModelError> {
        let link = link.into();
        if self.bodies.len() >= MAX_BODIES {
            let found = self.bodies.len() + 1;
            return Err(ModelError::TooLarge { what: "bodies", found, cap: MAX_BODIES });
        }
        if let Some(why) = joint_fault(&joint) {
            return Err(ModelError::Joint { joint: joint.name, why });
        }
        if let Some(why) = inertia.fault() {
            return Err(ModelError::Inertia { link, why });
        }
        if parent.is_some_and(|parent| parent.idx() >= self.bodies.len()) {
            let why = "its parent belongs to another model".into();
            return Err(ModelError::NotATree { link, why });
        }
        if self.bodies.iter().any(|(_, other, ..)| other.name == joint.name) {
            return Err(ModelError::Duplicate { what: "joint", name: joint.name });
        }
        let id = BodyId(self.bodies.len() as u32);
        self.add_frame(link.clone(), Some(id), Pose::IDENTITY)?;
        self.bodies.push((link, joint, parent, inertia));
        Ok(id)
    }

    /// Adds mass that is rigidly fixed to a body, at a placement in it.
    pub fn add_mass(
        &mut self,
        link: &str,
        body: BodyId,
        at: &Pose,
        inertia: Inertia,
    ) -> Result<(), ModelError> {
        if let Some(why) = inertia.fault() {
            return Err(ModelError::Inertia { link: link.into(), why });
        }
        let total = &mut self.bodies[body.idx()].3;
        *total = total.joined(&inertia.seen_from(at));
        Ok(())
    }

    /// Names a place on a body or in the world.
    pub fn add_frame(
        &mut self,
        name: impl Into<String>,
        body: Option<BodyId>,
        body_from_frame: Pose,
    ) -> Result<FrameId, ModelError> {
        let name = name.into();
        if self.frames.iter().any(|frame| frame.0 == name) {
            return Err(ModelError::Duplicate { what: "frame", name });
        }
        self.frames.push((name, body, body_from_frame));
        Ok(FrameId(self.frames.len() as u32 - 1))
    }

    /// Fixes a volume to a frame.
    pub fn add_shape(&mut self, frame: FrameId, shape: Shape) -> Result<(), ModelError> {
        if let Some(why) = shape_fault(&shape) {
            return Err(ModelError::Shape { frame: self.frames[frame.idx()].0.clone(), why });
        }
        self.solids.push(Solid { frame, shape });
        Ok(())
    }

    /// The finished model.
    pub fn build(self) -> Result<Model, ModelError> {
        if self.bodies.is_empty() {
            return Err(ModelError::Empty { name: self.name });
        }
        self.check_masses()?;
        let mut joints: Vec<Joint> = Vec::with_capacity(self.bodies.len());
        let (mut n_q, mut n_v, mut dofs) = (0, 0, Vec::new());
        let mut last_dof: Vec<Option<usize>> = Vec::new();
        for (_, spec, parent, inertia) in self.bodies {
            let body_from_working = match spec.kind {
                JointKind::Revolute(axis) | JointKind::Continuous(axis) => {
                    DMat3::from_quat(DQuat::from_rotation_arc(DVec3::Z, axis))
                }
                JointKind::Prismatic(_) | JointKind::Spherical | JointKind::Floating => DMat3::IDENTITY,
            };
            let working = Pose { rotation: body_from_working, translation: DVec3::ZERO };
            let working_from_parent = parent.map_or(Pose::IDENTITY, |parent| Pose {
                rotation: joints[parent.idx()].body_from_working.transpose(),
                translation: DVec3::ZERO,
            });
            let mut towards_base = parent.and_then(|parent| last_dof[parent.idx()]);
            for _ in 0..spec.kind.n_v() {
                dofs.push(Dof { joint: joints.len(), towards_base });
                towards_base = Some(dofs.len() - 1);
            }
            last_dof.push(towards_base);
            joints.push(Joint {
                name: spec.name,
                parent,
                kind: spec.kind,
                limits: spec.limits,
                q_start: n_q,
                v_start: n_v,
                inertia,
                parent_from_joint: working_from_parent * spec.parent_from_joint * working,
                working_mass: MassFours::of(&inertia.seen_from(&working.inverse())),
                body_from_working,
            });
            n_q += spec.kind.n_q();
            n_v += spec.kind.n_v();
        }
        let frames = self.frames.into_iter().map(|(name, body, body_from_frame)| {
            let rotation =
                body.map_or(DMat3::IDENTITY, |body| joints[body.idx()].body_from_working.transpose());
            let working_from_frame = Pose { rotation, translation: DVec3::ZERO } * body_from_frame;
            Frame { name, body, body_from_frame, working_from_frame }
        });
        let frames = frames.collect();
        let mass = joints.iter().map(|joint| joint.inertia.mass).sum();
        let driven = |dof: &Dof| joints[dof.joint].limits.torque.is_some();
        let actuated = (0..n_v).filter(|dof| driven(&dofs[*dof])).collect();
        let runs = runs_beyond(&dofs);
        Ok(Model {
            name: self.name,
            joints,
            frames,
            solids: self.solids,
            n_q,
            n_v,
            mass,
            dofs,
            runs,
            actuated,
        })
    }

    /// Every joint must move some mass: a massless link may only stand between others.
    fn check_masses(&self) -> Result<(), ModelError> {
        let mut beyond: Vec<Inertia> = self.bodies.iter().map(|body| body.3).collect();
        for idx in (0..self.bodies.len()).rev() {
            let (link, joint, parent, own) = &self.bodies[idx];
            if own.mass > 0.0 && !own.is_definite() {
                let why = "inertia about the centre of mass is not positive definite".into();
                return Err(ModelError::Inertia { link: link.clone(), why });
            }
            if beyond[idx].mass <= 0.0 {
                return Err(ModelError::MovesNoMass { joint: joint.name.clone(), link: link.clone() });
            }
            if let Some(parent) = parent {
                beyond[parent.idx()].mass += beyond[idx].mass;
            }
        }
        Ok(())
    }
}

/// What moves with each degree of freedom.
fn runs_beyond(dofs: &[Dof]) -> Vec<Run> {
    let mut runs: Vec<Vec<Range<usize>>> = vec![Vec::new(); dofs.len()];
    for k in 0..dofs.len() {
        let mut ancestor = Some(k);
        while let Some(dof) = ancestor {
            match runs[dof].last_mut() {
                Some(run) if run.end == k => run.end += 1,
                _ => runs[dof].push(k..k + 1),
            }
            ancestor = dofs[dof].towards_base;
        }
    }
    let runs = runs.into_iter().enumerate();
    runs.flat_map(|(dof, runs)| runs.into_iter().map(move |beyond| Run { dof, beyond })).collect()
}

fn joint_fault(joint: &JointSpec) -> Option<String> {
    let limits = &joint.limits;
    if let JointKind::Revolute(axis) | JointKind::Continuous(axis) | JointKind::Prismatic(axis) = joint.kind
        && !((axis.length() - 1.0).abs() < 1e-6)
    {
        return Some(format!("its axis {axis} is not of unit length"));
    }
    let placement = &joint.parent_from_joint;
    let orthogonal = placement.rotation * placement.rotation.transpose() - DMat3::IDENTITY;
    let off = orthogonal.to_cols_array().iter().fold(0.0, |worst: f64, x| worst.max(x.abs()));
    if !(off < 1e-6 && placement.translation.abs().max_element() < 1e6) {
        return Some("its placement is not a usable rigid motion".into());
    }
    if limits.position[0].is_nan() || !(limits.position[0] <= limits.position[1]) {
        return Some(format!(
            "its lower limit {} is above its upper limit {}",
            limits.position[0], limits.position[1]
        ));
    }
    if !(limits.velocity >= 0.0) || limits.torque.is_some_and(|torque| !(torque >= 0.0)) {
        return Some("a velocity or torque limit is negative".into());
    }
    None
}

fn shape_fault(shape: &Shape) -> Option<String> {
    let positive = |x: f64| x > 0.0 && x < 1e6;
    let ok = match shape {
        Shape::Ball { radius } => positive(*radius),
        Shape::Capsule { half_length, radius } => {
            positive(*radius) && *half_length >= 0.0 && *half_length < 1e6
        }
        Shape::Cylinder { half_length, radius } => positive(*radius) && positive(*half_length),
        Shape::Box { half } => half.to_array().into_iter().all(positive),
        Shape::Hull { points } => points.len() >= 4 && points.iter().all(|p| p.abs().max_element() < 1e6),
    };
    (!ok).then(|| "its sizes must be positive and finite, a hull needs four points".into())
}

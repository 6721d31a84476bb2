//! A take made ready for drawing.

use std::sync::Arc;

use glam::Vec3;
use randori_motion::take::{Color, Shape};
use randori_motion::{Body, Bone, Event, EventKind, GlobalPose, JointId, Pose, Take};
use serde::Deserialize;

use super::RenderError;
use crate::mannequin::{Mesh, SkinnedMesh, mannequin, shape_mesh};

/// A take with the skins of its characters and the meshes of its props.
///
/// Bodies that several characters share are clothed once.
#[derive(Debug)]
pub struct Stage<'a> {
    pub(super) take: &'a Take,
    pub(super) wardrobe: Vec<Dressed>,
    /// For each character, its skin's place in the wardrobe.
    pub(super) skins: Vec<usize>,
    /// For each prop, the meshes of its pieces in the frames of their joints.
    pub(super) props: Vec<Vec<(JointId, Mesh)>>,
    /// Blows and where they landed, in order of time.
    pub(super) hits: Vec<Hit>,
}

/// A skin and the rest pose it was made in.
#[derive(Debug)]
pub(super) struct Dressed {
    pub(super) skin: SkinnedMesh,
    pub(super) rest: GlobalPose,
}

/// A blow at one place of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hit {
    pub(super) t: f64,
    pub(super) place: Vec3,
    pub(super) blocked: bool,
}

impl<'a> Stage<'a> {
    /// Checks the take and clothes its characters.
    pub fn new(take: &'a Take) -> Result<Stage<'a>, RenderError> {
        take.validate()?;
        let mut wardrobe: Vec<Dressed> = Vec::new();
        let mut bodies: Vec<&Arc<Body>> = Vec::new();
        let skins = (take.characters.iter())
            .map(|character| {
                let body = &character.body;
                bodies.iter().position(|other| Arc::ptr_eq(other, body) || *other == body).unwrap_or_else(
                    || {
                        let rest = body.skeleton.global_pose(body.skeleton.rest_pose().view());
                        wardrobe.push(Dressed { skin: mannequin(body), rest });
                        bodies.push(body);
                        bodies.len() - 1
                    },
                )
            })
            .collect();
        let props = (take.props.iter())
            .map(|prop| {
                let pieces = prop.pieces.iter().map(|piece| {
                    let mut mesh = shape_mesh(&piece.shape);
                    let rotation = piece.rotation.normalize();
                    let rotation = if rotation.is_finite() { rotation } else { glam::Quat::IDENTITY };
                    for position in &mut mesh.positions {
                        *position = piece.center + rotation * *position;
                    }
                    mesh.normals.iter_mut().for_each(|normal| *normal = rotation * *normal);
                    (piece.joint, mesh)
                });
                pieces.collect()
            })
            .collect();
        let hits = take.events.iter().filter_map(|event| hit_of(take, event)).collect();
        Ok(Stage { take, wardrobe, skins, props, hits })
    }

    /// The take it shows.
    pub fn take(&self) -> &'a Take {
        self.take
    }
}

/// Whether something that comes and goes at these times is there.
pub(super) fn present(enter: f64, exit: f64, t: f64) -> bool {
    // Times of frames are sums of fractions: a rounding must not hide the first or last frame.
    const ROUNDING: f64 = 1e-9;
    t >= enter - ROUNDING && t <= exit + ROUNDING
}

/// From the centre of a shape to its farthest point (m).
pub(super) fn shape_radius(shape: &Shape) -> f32 {
    match *shape {
        Shape::Box { half } => half.length(),
        Shape::Ball { radius } => radius,
        Shape::Capsule { half_length, radius } => half_length + radius,
        Shape::Cylinder { half_length, radius } => libm::hypotf(half_length, radius),
    }
}

/// A colour within its range, whatever was given.
pub(super) fn sane_color(color: Color) -> Vec3 {
    Vec3::from_array(color.map(|part| if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.5 }))
}

/// Where a blow landed: at the part that struck; else at the chest of whom it struck.
fn hit_of(take: &Take, event: &Event) -> Option<Hit> {
    let blocked = match event.kind {
        EventKind::Hit => false,
        EventKind::Blocked => true,
        _ => return None,
    };
    let find = |name: &Option<String>| {
        let name = name.as_ref()?;
        take.characters.iter().find(|character| character.name == *name)
    };
    let place = |name: &Option<String>, bone: Option<Bone>| {
        let character = find(name)?;
        let skeleton = character.clip.skeleton();
        let joint = skeleton.bone(bone?)?;
        let mut pose = Pose::default();
        character.clip.sample_into(event.t - character.enter, &mut pose);
        let globals = skeleton.global_pose(pose.view());
        // Where a weapon met something is known; of a part it is the far end: knuckles rather than the wrist.
        let met = event.details.get("point").and_then(|point| <[f32; 3]>::deserialize(point).ok());
        if let Some(met) = met.filter(|_| character.body.held().is_some_and(|held| held.joint == joint)) {
            return Some(Vec3::from_array(met));
        }
        let tip = skeleton.joint(joint).tips.first().copied().unwrap_or(Vec3::ZERO);
        Some(globals.point(joint, 0.6 * tip))
    };
    let part = event.part.as_deref().and_then(Bone::from_name);
    let chests = [Bone::UpperChest, Bone::Chest, Bone::Spine, Bone::Hips].map(Some);
    let place = place(&event.who, part)
        .or_else(|| chests.into_iter().find_map(|chest| place(&event.whom, chest)))
        .or_else(|| chests.into_iter().find_map(|chest| place(&event.who, chest)))?;
    Some(Hit { t: event.t, place, blocked })
}

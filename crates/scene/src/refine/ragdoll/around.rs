//! What stands about a doll: other people and things, which go their own way, as solid bodies.

use rapier3d_f64::parry;
use rapier3d_f64::prelude::*;

use glam::{Quat, Vec3};
use randori_motion::math::nearest_points;
use randori_motion::take::Shape;
use randori_motion::{Bone, Character, GlobalPose, Pose as BodyPose, Prop, Take};

use super::guide::Guide;
use super::model::Model;
use super::{vector, world_pose};

/// Those whose hips come nearer than this along the floor may be bumped into (m).
const NEAR: f32 = 1.6;
/// What is nearer than this at the start is not pushed away from (m).
const TOUCHING: f32 = 0.02;
/// Parts that never come nearer than this to any part of the body are left out (m).
const IN_REACH: f32 = 0.35;

/// One solid piece of somebody else or of a thing.
pub(super) struct Obstacle {
    /// Its frame at each step.
    pub(super) frames: Vec<(Vec3, Quat)>,
    pub(super) shape: SharedShape,
    /// The segments that it pushes, one bit each.
    pub(super) pushes: u32,
}

/// What is in touch with somebody by intent, theirs or another's.
pub(super) struct Meant<'a> {
    /// Whether a bone of another strikes.
    pub(super) strikes: &'a dyn Fn(usize, Bone) -> bool,
    /// Whether a bone of their own strikes another.
    pub(super) is_led: &'a dyn Fn(usize, Bone) -> bool,
}

/// All that somebody may bump into while a guide leads them.
pub(super) fn obstacles(
    take: &Take,
    who: usize,
    (model, guide): (&Model, &Guide),
    meant: &Meant<'_>,
) -> Vec<Obstacle> {
    let own = &take.characters[who];
    let start = own.enter + own.clip.rate().time_of(guide.first);
    let times: Vec<f64> = (0..=guide.n_steps()).map(|step| start + step as f64 * guide.dt).collect();
    let hips: Vec<Vec3> = guide.states.iter().map(|globals| globals.positions[0]).collect();
    let mut found = Vec::new();
    for (other, character) in take.characters.iter().enumerate() {
        if other == who || !meets(character, &times, &hips) {
            continue;
        }
        let states = states(character, &times);
        for capsule in &character.body.capsules {
            if (meant.strikes)(other, capsule.bone) {
                continue;
            }
            let joint = capsule.joint.idx();
            let frames: Vec<(Vec3, Quat)> =
                states.iter().map(|globals| (globals.positions[joint], globals.rotations[joint])).collect();
            let axis = |step: usize| {
                let (place, turn) = frames[step];
                [capsule.a, capsule.b].map(|end| place + turn * end)
            };
            let gaps = gaps(model, guide, &axis, capsule.radius);
            if gaps.iter().all(|(_, least)| *least > IN_REACH) {
                continue;
            }
            let is_led = |segment: &usize| (meant.is_led)(other, model.segments[*segment].bone);
            let led = (0..model.segments.len()).filter(is_led).fold(0, |mask, it| mask | 1 << it);
            let pushes = mask(&gaps) & !led;
            let shape = SharedShape::capsule(vector(capsule.a), vector(capsule.b), capsule.radius.into());
            found.push(Obstacle { frames, shape, pushes });
        }
    }
    for prop in &take.props {
        found.extend(pieces(prop, &times, (model, guide)));
    }
    found
}

/// Whether somebody is there all the time, and their hips come near.
fn meets(character: &Character, times: &[f64], hips: &[Vec3]) -> bool {
    let (Some(first), Some(last)) = (times.first(), times.last()) else { return false };
    if character.enter > *first || character.exit() < *last {
        return false;
    }
    let rate = character.clip.rate().fps();
    times.iter().zip(hips).any(|(t, own)| {
        let frame = ((t - character.enter) * rate) as usize;
        let place = character.clip.frame(frame.min(character.clip.n_frames() - 1)).root();
        libm::hypotf(place.x - own.x, place.z - own.z) < NEAR
    })
}

fn states(character: &Character, times: &[f64]) -> Vec<GlobalPose> {
    let mut pose = BodyPose::default();
    (times.iter())
        .map(|t| {
            character.clip.sample_into(t - character.enter, &mut pose);
            character.clip.skeleton().global_pose(pose.view())
        })
        .collect()
}

/// How far a capsule is from each segment as planned (m): at the start, and at least.
fn gaps(model: &Model, guide: &Guide, axis: &dyn Fn(usize) -> [Vec3; 2], radius: f32) -> Vec<(f32, f32)> {
    /// Every so many steps are enough to see whether something comes near.
    const STRIDE: usize = 8;
    let gap = |step: usize, segment: usize| {
        let globals = &guide.states[step];
        let pieces = model.segments[segment].pieces.iter();
        let gaps = pieces.map(|(piece, _)| {
            let own = [piece.a, piece.b].map(|end| globals.point(piece.joint, end));
            let [p, q] = nearest_points(own, axis(step));
            p.distance(q) - piece.radius - radius
        });
        gaps.fold(f32::INFINITY, f32::min)
    };
    (0..model.segments.len())
        .map(|segment| {
            let least = (0..=guide.n_steps()).step_by(STRIDE).map(|step| gap(step, segment));
            (gap(0, segment), least.fold(f32::INFINITY, f32::min))
        })
        .collect()
}

/// The segments that were free of something at the start.
fn mask(gaps: &[(f32, f32)]) -> u32 {
    let free = gaps.iter().enumerate().filter(|(_, (start, _))| *start > TOUCHING);
    free.fold(0, |mask, (segment, _)| mask | 1 << segment)
}

/// The pieces of a thing that is there all the time and comes near.
fn pieces(prop: &Prop, times: &[f64], (model, guide): (&Model, &Guide)) -> Vec<Obstacle> {
    let (Some(first), Some(last)) = (times.first(), times.last()) else { return Vec::new() };
    if prop.enter > *first || prop.exit() < *last {
        return Vec::new();
    }
    let mut pose = BodyPose::default();
    let states: Vec<GlobalPose> = (times.iter())
        .map(|t| {
            prop.clip.sample_into(t - prop.enter, &mut pose);
            prop.clip.skeleton().global_pose(pose.view())
        })
        .collect();
    let mut found = Vec::new();
    for piece in &prop.pieces {
        let frames: Vec<(Vec3, Quat)> = (states.iter())
            .map(|globals| {
                let turn = globals.rotations[piece.joint.idx()];
                (globals.point(piece.joint, piece.center), turn * piece.rotation)
            })
            .collect();
        let (shape, reach) = shape_of(&piece.shape);
        let is_near = frames
            .iter()
            .zip(&guide.states)
            .any(|(frame, own)| frame.0.distance(own.positions[0]) < reach + 1.2);
        if !is_near {
            continue;
        }
        let start = world_pose(frames[0]);
        let is_free = |segment: usize| {
            model.segments[segment].pieces.iter().all(|(own, _)| {
                let [a, b] = [own.a, own.b].map(|end| vector(guide.states[0].point(own.joint, end)));
                let capsule = Capsule::new(a, b, own.radius.into());
                let apart = parry::query::distance(&Pose::IDENTITY, &capsule, &start, &*shape);
                apart.is_ok_and(|apart| apart.distance > f64::from(TOUCHING))
            })
        };
        let pushes = (0..model.segments.len()).filter(|it| is_free(*it)).fold(0, |mask, it| mask | 1 << it);
        found.push(Obstacle { frames, shape, pushes });
    }
    found
}

/// A thing's shape, and how far it reaches from its middle (m).
pub(super) fn shape_of(shape: &Shape) -> (SharedShape, f32) {
    match *shape {
        Shape::Box { half } => {
            let [x, y, z] = half.to_array().map(f64::from);
            (SharedShape::cuboid(x, y, z), half.length())
        }
        Shape::Ball { radius } => (SharedShape::ball(radius.into()), radius),
        Shape::Capsule { half_length, radius } => {
            (SharedShape::capsule_y(half_length.into(), radius.into()), half_length + radius)
        }
        Shape::Cylinder { half_length, radius } => {
            (SharedShape::cylinder(half_length.into(), radius.into()), libm::hypotf(half_length, radius))
        }
    }
}

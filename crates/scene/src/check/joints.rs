//! Joints against what bodies can do: pops, jumps, limits, lengths.

use std::ops::Range;

use glam::Vec3;
use randori_motion::contacts::runs;
use randori_motion::tracks::gradient;
use randori_motion::{Bone, Side};
use serde::Serialize;

use super::footage::{Performer, Track};
use super::{Finding, Kind, Limits};

/// How a character's joints move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Joints {
    /// The greatest acceleration of any joint (m/s²).
    pub peak_acceleration_m_s2: f64,
    /// How many accelerations, over all joints and frames, are beyond the limit.
    pub pops: usize,
    /// The joints that pop.
    pub popping_joints: Vec<String>,
    /// Frames in which the root moves faster than the limit.
    pub root_jumps: usize,
    /// The most a knee bends (deg).
    pub knee_flexion_deg_max: f64,
    /// The most an elbow bends (deg).
    pub elbow_flexion_deg_max: f64,
    /// The most a knee bends the wrong way (deg).
    pub knee_hyperextension_deg_max: f64,
    /// The most an elbow bends the wrong way (deg).
    pub elbow_hyperextension_deg_max: f64,
    /// The most a bone changes its length (mm).
    pub bone_stretch_mm: f64,
}

pub(super) fn measure(
    performer: &Performer,
    fps: f64,
    limits: &Limits,
    findings: &mut Vec<Finding>,
) -> Joints {
    let mut out = Joints {
        peak_acceleration_m_s2: 0.0,
        pops: 0,
        popping_joints: Vec::new(),
        root_jumps: 0,
        knee_flexion_deg_max: 0.0,
        elbow_flexion_deg_max: 0.0,
        knee_hyperextension_deg_max: 0.0,
        elbow_hyperextension_deg_max: 0.0,
        bone_stretch_mm: 0.0,
    };
    let mut lint = Lint { performer, findings };
    pops(&mut lint, fps, limits, &mut out);
    root_jumps(&mut lint, fps, limits, &mut out);
    stretch(&mut lint, limits, &mut out);
    for side in Side::BOTH {
        let knee = [Bone::LeftUpperLeg, Bone::LeftLowerLeg, Bone::LeftFoot].map(|bone| bone.on(side));
        let (flexion, wrong_way) = hinge(&mut lint, knee, Bends::Backward, limits);
        out.knee_flexion_deg_max = out.knee_flexion_deg_max.max(flexion);
        out.knee_hyperextension_deg_max = out.knee_hyperextension_deg_max.max(wrong_way);
        let elbow = [Bone::LeftUpperArm, Bone::LeftLowerArm, Bone::LeftHand].map(|bone| bone.on(side));
        let (flexion, wrong_way) = hinge(&mut lint, elbow, Bends::Forward, limits);
        out.elbow_flexion_deg_max = out.elbow_flexion_deg_max.max(flexion);
        out.elbow_hyperextension_deg_max = out.elbow_hyperextension_deg_max.max(wrong_way);
    }
    out
}

/// Where findings of one character go.
struct Lint<'a> {
    performer: &'a Performer,
    findings: &'a mut Vec<Finding>,
}

impl Lint<'_> {
    /// Reports every run of frames in which `value` is beyond `limit`; frames count from the first present.
    fn report(&mut self, kind: Kind, part: &str, values: &[f64], limit: f64, unit: &'static str) {
        let first = self.performer.present.start;
        let beyond: Vec<bool> = values.iter().map(|value| *value > limit).collect();
        for Range { start, end } in runs(&beyond, true) {
            self.findings.push(Finding {
                kind,
                who: self.performer.name.clone(),
                whom: None,
                part: Some(part.to_owned()),
                frames: [first + start, first + end - 1],
                value: values[start..end].iter().copied().fold(f64::NEG_INFINITY, f64::max),
                limit,
                unit,
            });
        }
    }

    /// A joint's path while the character is there.
    fn path<'t>(&self, track: &'t Track) -> &'t [Vec3] {
        &track.positions[self.performer.present.clone()]
    }
}

fn pops(lint: &mut Lint<'_>, fps: f64, limits: &Limits, out: &mut Joints) {
    for track in &lint.performer.tracks {
        let velocity = gradient(lint.path(track), fps as f32);
        let accelerations: Vec<f64> =
            velocity.windows(2).map(|pair| f64::from((pair[1] - pair[0]).length()) * fps).collect();
        out.peak_acceleration_m_s2 = accelerations.iter().copied().fold(out.peak_acceleration_m_s2, f64::max);
        let popping = accelerations.iter().filter(|value| **value > limits.acceleration_m_s2).count();
        if popping > 0 {
            out.pops += popping;
            out.popping_joints.push(track.name.clone());
            lint.report(Kind::Pop, &track.name, &accelerations, limits.acceleration_m_s2, "m/s²");
        }
    }
}

fn root_jumps(lint: &mut Lint<'_>, fps: f64, limits: &Limits, out: &mut Joints) {
    let Some(root) = lint.performer.bone(Bone::Hips).or(lint.performer.tracks.first()) else { return };
    let speeds: Vec<f64> =
        lint.path(root).windows(2).map(|pair| f64::from((pair[1] - pair[0]).length()) * fps).collect();
    out.root_jumps = speeds.iter().filter(|speed| **speed > limits.root_speed_m_s).count();
    lint.report(Kind::RootJump, &root.name, &speeds, limits.root_speed_m_s, "m/s");
}

fn stretch(lint: &mut Lint<'_>, limits: &Limits, out: &mut Joints) {
    for track in &lint.performer.tracks {
        let Some(parent) = track.parent else { continue };
        let (mine, parent) = (lint.path(track), lint.path(&lint.performer.tracks[parent]));
        let lengths: Vec<f64> =
            mine.iter().zip(parent).map(|(a, b)| 1000.0 * f64::from(a.distance(*b))).collect();
        let shortest = lengths.iter().copied().fold(f64::INFINITY, f64::min);
        let stretches: Vec<f64> = lengths.iter().map(|length| length - shortest).collect();
        out.bone_stretch_mm = stretches.iter().copied().fold(out.bone_stretch_mm, f64::max);
        lint.report(Kind::BoneStretch, &track.name, &stretches, limits.bone_stretch_mm, "mm");
    }
}

/// Which way the lower part of a limb swings when its hinge bends, as seen in the rest pose.
#[derive(Clone, Copy)]
enum Bends {
    Forward,
    Backward,
}

/// The greatest flexion and hyperextension of a hinge (deg).
///
/// The hinge's axis is found in the rest pose, where the person's front is known, and then carried along
/// by the upper bone; so it needs no convention about the frames of the file's joints.
fn hinge(lint: &mut Lint<'_>, bones: [Bone; 3], bends: Bends, limits: &Limits) -> (f64, f64) {
    /// Nearly straight limbs, and limbs whose upper bone is twisted away from its rest, have no side.
    const SIDE_MATTERS_FROM_DEG: f64 = 5.0;
    let performer = lint.performer;
    let [Some(upper), Some(middle), Some(lower)] = bones.map(|bone| performer.bone(bone)) else {
        return (0.0, 0.0);
    };
    let front = front_of(performer);
    let upper_at_rest = middle.rest_position - upper.rest_position;
    let swing = match bends {
        Bends::Forward => front,
        Bends::Backward => -front,
    };
    let axis_at_rest = upper_at_rest.cross(swing).try_normalize();
    let axis_in_upper = axis_at_rest.map(|axis| upper.rest_rotation.inverse() * axis);

    let (mut flexions, mut wrong_ways) = (Vec::new(), Vec::new());
    for frame in performer.present.clone() {
        let above = middle.positions[frame] - upper.positions[frame];
        let below = lower.positions[frame] - middle.positions[frame];
        let across = above.cross(below);
        let angle = f64::from(libm::atan2f(across.length(), above.dot(below))).to_degrees();
        flexions.push(angle);
        let wrong = axis_in_upper.is_some_and(|axis| across.dot(upper.rotations[frame] * axis) < 0.0);
        wrong_ways.push(if wrong && angle > SIDE_MATTERS_FROM_DEG { angle } else { 0.0 });
    }
    lint.report(Kind::Flexion, &middle.name, &flexions, limits.flexion_deg, "deg");
    lint.report(Kind::Hyperextension, &middle.name, &wrong_ways, limits.hyperextension_deg, "deg");
    let most = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    (most(&flexions), most(&wrong_ways))
}

/// The way the person faces in the rest pose: across the hips, level.
fn front_of(performer: &Performer) -> Vec3 {
    let place = |bone| performer.bone(bone).map(|track| track.rest_position);
    match (place(Bone::LeftUpperLeg), place(Bone::RightUpperLeg)) {
        (Some(left), Some(right)) => (left - right).cross(Vec3::Y).normalize_or(Vec3::Z),
        _ => Vec3::Z,
    }
}

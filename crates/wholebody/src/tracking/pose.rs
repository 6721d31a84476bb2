//! Joint angles of the person for the poses of a clip.

use glam::{DMat3, DQuat, DVec3};
use randori_motion::{Clip, GlobalPose};

use super::feet::Stance;
use crate::dynamics::{self, Workspace};
use crate::model::{FrameId, Model};
use crate::qp::kernels;
use crate::scenario::{Cast, LINKS};
use crate::spatial::{Pose, rotation_vector};

/// Rounds of Gauss and Newton for the first frame and for each other.
const ROUNDS: [usize; 2] = [60, 6];
/// How much a metre of a link's place counts beside a radian of its turn: pelvis, hands and feet ...
const ENDS: f64 = 6.0;
/// ... and all other links.
const OTHERS: f64 = 1.0;
/// Pull towards the frame before, which decides what nothing else does (-).
const INERTIA: f64 = 1e-3;

/// Configurations of the model that are nearest to the clip's poses, and how far links are off on average (m).
pub(super) fn angles(model: &Model, cast: &Cast, clip: &Clip) -> (Vec<Vec<f64>>, f64) {
    let skeleton = clip.skeleton();
    let links: Vec<(FrameId, usize, f64)> = (LINKS.iter().enumerate())
        .filter_map(|(idx, (link, bone))| {
            let joint = skeleton.bone(*bone)?.idx();
            debug_assert_eq!(cast.follows[joint].0, idx, "a link's own bone follows it");
            let is_end = idx == 0 || link.ends_with("foot") || link.ends_with("hand");
            Some((model.frame(link)?, joint, if is_end { ENDS } else { OTHERS }))
        })
        .collect();
    let n = model.n_v;
    let mut workspace = Workspace::new(model);
    let zero = vec![0.0; n];
    let mut q = model.neutral();
    let mut globals = GlobalPose::default();
    let mut normal = vec![0.0; n * n];
    let (mut side, mut inverse, mut rows) = (vec![0.0; n], vec![0.0; n], vec![0.0; 6 * n]);
    let mut result = Vec::with_capacity(clip.n_frames());
    let mut off = 0.0;
    for frame in 0..clip.n_frames() {
        skeleton.globals_into(clip.frame(frame), &mut globals);
        let goal = |joint: usize| {
            let turn = cast.follows[joint].1;
            let rotation = (globals.rotations[joint] * turn.inverse()).as_dquat().normalize();
            (DMat3::from_quat(rotation), globals.positions[joint].as_dvec3())
        };
        if frame == 0 {
            let (rotation, place) = goal(links[0].1);
            place.write_to_slice(&mut q);
            DQuat::from_mat3(&rotation).normalize().write_to_slice(&mut q[3..7]);
        }
        for _ in 0..ROUNDS[usize::from(frame > 0)] {
            dynamics::update(model, &mut workspace, &q, &zero);
            normal.fill(0.0);
            side.fill(0.0);
            for (link, joint, weight) in &links {
                let here = dynamics::frame_pose(model, &workspace, *link);
                let (rotation, place) = goal(*joint);
                let lag = *weight * (place - here.translation);
                let turn = rotation_vector(&(rotation * here.rotation.transpose()));
                dynamics::frame_jacobian(model, &workspace, *link, &mut rows);
                rows[..3 * n].iter_mut().for_each(|x| *x *= weight);
                for (row, value) in
                    rows.chunks_exact(n).zip(lag.to_array().into_iter().chain(turn.to_array()))
                {
                    kernels::axpy(value, row, &mut side);
                    for i in (0..n).filter(|i| row[*i] != 0.0) {
                        kernels::axpy(row[i], row, &mut normal[i * n..(i + 1) * n]);
                    }
                }
            }
            (0..n).for_each(|i| normal[i * n + i] += INERTIA);
            if !kernels::cholesky(&mut normal, n, &mut inverse) {
                break;
            }
            kernels::forward(&normal, n, &mut side);
            kernels::backward(&normal, n, &mut side);
            let largest = side.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
            // Far away the linear picture is wrong.
            let share = (0.6 / largest.max(1e-12)).min(1.0);
            side.iter_mut().for_each(|x| *x *= share);
            model.integrate(&mut q, &side);
            within_limits(model, &mut q);
            if largest < 1e-5 {
                break;
            }
        }
        dynamics::update(model, &mut workspace, &q, &zero);
        let distance = |(link, joint, _): &(FrameId, usize, f64)| {
            dynamics::frame_pose(model, &workspace, *link).translation.distance(goal(*joint).1)
        };
        off += links.iter().map(distance).sum::<f64>() / links.len() as f64;
        result.push(q.clone());
    }
    (result, off / clip.n_frames() as f64)
}

/// Brings joints into their ranges, a little inside, where limits do not brake yet.
fn within_limits(model: &Model, q: &mut [f64]) {
    for joint in model.joints.iter().filter(|joint| joint.limits.torque.is_some() && joint.kind.n_q() == 1) {
        let [low, high] = joint.limits.position;
        let inside = 0.05_f64.min(0.25 * (high - low));
        q[joint.q_start] = q[joint.q_start].clamp(low + inside, high - inside);
    }
}

/// Smooths configurations over time with a Gaussian of that width (frames).
pub(super) fn smooth(model: &Model, q: &mut [Vec<f64>], sigma: f64) {
    let reach = libm::ceil(3.0 * sigma) as isize;
    let weight = |k: isize| libm::exp(-0.5 * (k as f64 / sigma) * (k as f64 / sigma));
    let total: f64 = (-reach..=reach).map(weight).sum();
    let last = q.len() as isize - 1;
    let raw = q.to_vec();
    let mut step = vec![0.0; model.n_v];
    let mut sum = vec![0.0; model.n_v];
    for (frame, out) in q.iter_mut().enumerate() {
        sum.fill(0.0);
        for k in -reach..=reach {
            let other = (frame as isize + k).clamp(0, last) as usize;
            model.difference(&raw[frame], &raw[other], &mut step);
            // Straight in the world, so that what moves evenly stays where it is.
            kernels::axpy(weight(k) / total, &step, &mut sum);
        }
        model.integrate(out, &sum);
        let base = straight(&raw, frame, reach, last, |k| weight(k) / total);
        base.write_to_slice(out);
    }
}

/// The weighted mean of the base's places.
fn straight(
    raw: &[Vec<f64>],
    frame: usize,
    reach: isize,
    last: isize,
    weight: impl Fn(isize) -> f64,
) -> DVec3 {
    (-reach..=reach)
        .map(|k| weight(k) * DVec3::from_slice(&raw[(frame as isize + k).clamp(0, last) as usize]))
        .sum()
}

/// Lifts all configurations by the same, so that soles that are down are at height zero: the middle of their heights.
pub(super) fn put_on_floor(model: &Model, q: &mut [Vec<f64>], down: &[Vec<bool>; 2]) {
    let mut workspace = Workspace::new(model);
    let zero = vec![0.0; model.n_v];
    let mut heights = Vec::new();
    for (k, q) in q.iter().enumerate() {
        dynamics::update(model, &mut workspace, q, &zero);
        for (down, name) in down.iter().zip(["left_sole", "right_sole"]) {
            if let Some(frame) = model.frame(name).filter(|_| down[k]) {
                heights.push(dynamics::frame_pose(model, &workspace, frame).translation.y);
            }
        }
    }
    heights.sort_by(f64::total_cmp);
    if let Some(floor) = heights.get(heights.len() / 2).copied() {
        q.iter_mut().for_each(|q| q[1] -= floor);
    }
}

/// Where two frames are in each configuration; `None` if the model lacks one.
pub(super) fn places(model: &Model, q: &[Vec<f64>], names: [&str; 2]) -> Option<[Vec<Pose>; 2]> {
    let frames = [model.frame(names[0])?, model.frame(names[1])?];
    let mut workspace = Workspace::new(model);
    let zero = vec![0.0; model.n_v];
    let mut out: [Vec<Pose>; 2] = Default::default();
    for q in q {
        dynamics::update(model, &mut workspace, q, &zero);
        for (list, frame) in out.iter_mut().zip(frames) {
            list.push(dynamics::frame_pose(model, &workspace, frame));
        }
    }
    Some(out)
}

/// Share of its length that a leg is stretched to at most.
const STRETCH: f64 = 0.985;
/// Nobody is lowered farther (m): a clip may be far beside its feet for a while.
const DEEPEST: f64 = 0.15;
/// A foot counts for so long before it lands and after it left (s).
const BESIDE: f64 = 0.12;

/// Lowers the person where legs would not reach the soles that stand flat: captured heels rise.
pub(super) fn lower(model: &Model, q: &mut [Vec<f64>], stances: &[Vec<Stance>; 2], fps: f64) {
    let neutral = [model.neutral()];
    let at = |names: [&str; 2]| places(model, &neutral, names).map(|[a, b]| [a[0], b[0]]);
    let mut drops = vec![0.0_f64; q.len()];
    for (stances, side) in stances.iter().zip(["left", "right"]) {
        let name = |part: &str| format!("{side}_{part}");
        let (Some([thigh, shank]), Some([foot, sole]), Some([hips, _])) = (
            at([&name("thigh"), &name("shank")]),
            at([&name("foot"), &name("sole")]),
            places(model, q, [&name("thigh"), &name("thigh")]),
        ) else {
            continue;
        };
        let leg =
            thigh.translation.distance(shank.translation) + shank.translation.distance(foot.translation);
        let sole_from_ankle = (sole.inverse() * foot).translation;
        for (k, (drop, hip)) in drops.iter_mut().zip(hips).enumerate() {
            let t = k as f64 / fps;
            for stance in stances.iter().filter(|s| t > s.from - BESIDE && t < s.until + BESIDE) {
                let ankle = stance.sole.point(sole_from_ankle);
                let off = hip.translation - ankle;
                let reach = STRETCH * leg;
                let height = libm::sqrt((reach * reach - off.x * off.x - off.z * off.z).max(0.0));
                *drop = drop.max((off.y - height).min(DEEPEST));
            }
        }
    }
    // As low as anywhere near, then smooth.
    let near = libm::ceil(BESIDE * fps) as usize;
    let last = drops.len() - 1;
    let lowest: Vec<f64> = (0..drops.len())
        .map(|k| drops[k.saturating_sub(near)..=(k + near).min(last)].iter().copied().fold(0.0, f64::max))
        .collect();
    for (k, q) in q.iter_mut().enumerate() {
        let window = &lowest[k.saturating_sub(near)..=(k + near).min(last)];
        q[1] -= window.iter().sum::<f64>() / window.len() as f64;
    }
}

/// Central differences in the tangent space.
pub(super) fn velocities(model: &Model, q: &[Vec<f64>], fps: f64) -> Vec<Vec<f64>> {
    let last = q.len() - 1;
    let mut before = vec![0.0; model.n_v];
    (0..q.len())
        .map(|k| {
            let mut after = vec![0.0; model.n_v];
            model.difference(&q[k], &q[(k + 1).min(last)], &mut after);
            model.difference(&q[k], &q[k.saturating_sub(1)], &mut before);
            let span = ((k + 1).min(last) - k.saturating_sub(1)).max(1) as f64;
            after.iter().zip(&before).map(|(a, b)| (a - b) * fps / span).collect()
        })
        .collect()
}

//! Mixing poses: convex combinations, additive layers, crossfades.

use std::sync::Arc;

use glam::{Quat, Vec3};

use crate::clip::Clip;
use crate::math::{nearest_sign, quat_from_rotation_vector, rotation_vector_from_quat, smootherstep};
use crate::pose::{Pose, PoseView};

/// The pose between two of one skeleton: `share` 0 gives the first, 1 the second; rotations go along the great
/// arc, the shorter way.
pub fn between(a: PoseView<'_>, b: PoseView<'_>, share: f32) -> Pose {
    let translations = a.translations.iter().zip(b.translations).map(|(a, b)| a.lerp(*b, share)).collect();
    let rotations = (a.rotations.iter().zip(b.rotations))
        .map(|(a, b)| a.slerp(nearest_sign(*b, *a), share).normalize())
        .collect();
    Pose { translations, rotations }
}

/// The convex combination of several poses of one skeleton, into a pose that keeps its memory from call to call.
///
/// Weights need not add up to 1; negative ones and NaN count as 0. If none is left, the first pose is taken.
/// Rotations are averaged as unit quaternions, each with the sign that is nearer to the heaviest pose's: for
/// two poses the great arc of [`between`], though not at even speed.
///
/// ```
/// use randori_motion::{Build, Pose, blend, math::Quat};
/// let skeleton = Build::AVERAGE.skeleton();
/// let [mut a, mut b] = [skeleton.rest_pose(), skeleton.rest_pose()];
/// a.rotations[3] = Quat::from_rotation_x(0.2);
/// b.rotations[3] = -Quat::from_rotation_x(0.6);
/// let mut mixed = Pose::default();
/// blend::combine_into(&[(a.view(), 1.0), (b.view(), 1.0)], &mut mixed);
/// assert!(mixed.rotations[3].abs_diff_eq(Quat::from_rotation_x(0.4), 1e-6));
/// ```
pub fn combine_into(poses: &[(PoseView<'_>, f32)], out: &mut Pose) {
    // `max` sends NaN to 0 as well.
    let weight = |weight: f32| weight.max(0.0);
    let total: f32 = poses.iter().map(|(_, w)| weight(*w)).sum();
    let heaviest =
        poses.iter().reduce(|best, next| if weight(next.1) > weight(best.1) { next } else { best });
    let Some((reference, _)) = heaviest else {
        out.translations.clear();
        out.rotations.clear();
        return;
    };
    out.copy_from(*reference);
    if !(total > 0.0 && total.is_finite()) {
        return;
    }
    for (at, translation) in out.translations.iter_mut().enumerate() {
        *translation =
            poses.iter().map(|(pose, w)| pose.translations[at] * (weight(*w) / total)).sum::<Vec3>();
    }
    for (at, rotation) in out.rotations.iter_mut().enumerate() {
        let sum = poses.iter().fold(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, (pose, w)| {
            sum + nearest_sign(pose.rotations[at], *rotation) * (weight(*w) / total)
        });
        // The heaviest never cancels: every term leans its way.
        *rotation = sum.normalize();
    }
}

/// `base` with the difference from `reference` to `layer` laid over it, `weight` times (0 leaves `base` as it
/// is). All are poses of one skeleton; rotations differ in each joint's own frame.
pub fn add(base: PoseView<'_>, layer: PoseView<'_>, reference: PoseView<'_>, weight: f32) -> Pose {
    let translations = (base.translations.iter().zip(layer.translations).zip(reference.translations))
        .map(|((base, layer), reference)| *base + (*layer - *reference) * weight)
        .collect();
    let rotations = (base.rotations.iter().zip(layer.rotations).zip(reference.rotations))
        .map(|((base, layer), reference)| {
            let turn = rotation_vector_from_quat(reference.inverse() * *layer);
            (*base * quat_from_rotation_vector(turn * weight)).normalize()
        })
        .collect();
    Pose { translations, rotations }
}

/// Why two clips cannot be joined.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum JoinError {
    /// They move different skeletons.
    #[error("the clips \"{0}\" and \"{1}\" move different skeletons")]
    Skeleton(String, String),
    /// They have different rates.
    #[error("the clips run at {0} and {1} poses per second; resample one of them first")]
    Rate(crate::rate::FrameRate, crate::rate::FrameRate),
    /// The frame is not in the clip.
    #[error("frame {frame} is not in the clip \"{name}\", which has {n_frames}")]
    Frame {
        /// The clip's name.
        name: String,
        /// The frame asked for.
        frame: usize,
        /// How many it has.
        n_frames: usize,
    },
    /// The clips are so far apart that what lies between them left the range of numbers.
    #[error(transparent)]
    Clip(#[from] crate::clip::ClipError),
}

pub(crate) fn check_joinable(a: &Clip, b: &Clip) -> Result<(), JoinError> {
    if !Arc::ptr_eq(a.skeleton(), b.skeleton()) && a.skeleton() != b.skeleton() {
        return Err(JoinError::Skeleton(a.name.clone(), b.name.clone()));
    }
    if a.rate() != b.rate() {
        return Err(JoinError::Rate(a.rate(), b.rate()));
    }
    Ok(())
}

/// One clip fading into the next over their last and first `n_frames` frames, or as many as both have.
///
/// The second must already stand where it is to go on. The weight's velocity and acceleration vanish at both
/// ends of the fade.
pub fn crossfade(a: &Clip, b: &Clip, n_frames: usize) -> Result<Clip, JoinError> {
    check_joinable(a, b)?;
    let n_overlap = n_frames.min(a.n_frames()).min(b.n_frames());
    let start = a.n_frames() - n_overlap;
    let poses = (0..start + b.n_frames()).map(|frame| match frame.checked_sub(start) {
        None => a.frame(frame).to_pose(),
        Some(in_b) if in_b < n_overlap => {
            let share = smootherstep((in_b + 1) as f32 / (n_overlap + 1) as f32);
            between(a.frame(frame), b.frame(in_b), share)
        }
        Some(in_b) => b.frame(in_b).to_pose(),
    });
    let clip = Clip::from_poses(a.name.clone(), Arc::clone(a.skeleton()), a.rate(), poses);
    Ok(clip.expect("poses between finite ones are finite"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Build;
    use crate::math::angle_between;
    use crate::rate::FrameRate;

    fn turned(angle: f32, x: f32) -> Pose {
        let mut pose = Build::AVERAGE.skeleton().rest_pose();
        pose.rotations[5] = Quat::from_rotation_y(angle);
        pose.translations[0].x = x;
        pose
    }

    /// Weighted turns about one axis must come out as the turn found by minimising the sum of squared sines of
    /// half the angles, which is what averaging quaternions does.
    fn check_mean(turns: &[(f32, f32)]) {
        let poses: Vec<(Pose, f32)> =
            turns.iter().map(|(angle, weight)| (turned(*angle, *angle), *weight)).collect();
        let views: Vec<_> = poses.iter().map(|(pose, weight)| (pose.view(), *weight)).collect();
        let mut mixed = Pose::default();
        combine_into(&views, &mut mixed);
        let cost = |mean: f32| -> f32 {
            turns.iter().map(|(angle, weight)| weight * (1.0 - libm::cosf(0.5 * (angle - mean)))).sum()
        };
        let best =
            (-3000..3000).map(|k| k as f32 * 1e-3).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap();
        assert!(angle_between(mixed.rotations[5], Quat::from_rotation_y(best)) < 3e-3, "{turns:?}");
        let total: f32 = turns.iter().map(|(_, weight)| weight).sum();
        let mean_x: f32 = turns.iter().map(|(x, weight)| x * weight / total).sum();
        assert!((mixed.translations[0].x - mean_x).abs() < 1e-6);
    }

    #[test]
    fn combinations_are_means() {
        check_mean(&[(0.3, 1.0)]);
        check_mean(&[(0.3, 1.0), (0.9, 3.0)]);
        check_mean(&[(-0.3, 0.2), (0.9, 0.3), (1.4, 0.5)]);
    }

    #[test]
    fn bad_weights_do_no_harm() {
        let [a, b] = [turned(0.1, 0.0), turned(0.5, 1.0)];
        for (weights, expected) in
            [([0.0, 0.0], &a), ([f32::NAN, 1.0], &b), ([-5.0, 2.0], &b), ([1.0, f32::NEG_INFINITY], &a)]
        {
            let mut mixed = Pose::default();
            combine_into(&[(a.view(), weights[0]), (b.view(), weights[1])], &mut mixed);
            assert!(angle_between(mixed.rotations[5], expected.rotations[5]) < 1e-3, "{weights:?}");
        }
        let mut mixed = a.clone();
        combine_into(&[], &mut mixed);
        assert!(mixed.rotations.is_empty());
    }

    #[test]
    fn half_way_between_two_is_the_mean_of_two() {
        let [a, mut b] = [turned(0.1, 0.0), turned(0.5, 1.0)];
        b.rotations[5] = -b.rotations[5];
        let mut mixed = Pose::default();
        combine_into(&[(a.view(), 0.5), (b.view(), 0.5)], &mut mixed);
        assert!(angle_between(between(a.view(), b.view(), 0.5).rotations[5], mixed.rotations[5]) < 1e-3);
    }

    #[test]
    fn layers_add_and_subtract() {
        let [base, layer, reference] = [turned(0.1, 1.0), turned(0.5, 3.0), turned(0.2, 2.0)];
        let sum = add(base.view(), layer.view(), reference.view(), 0.5);
        assert!(angle_between(sum.rotations[5], Quat::from_rotation_y(0.25)) < 1e-3);
        assert_eq!(sum.translations[0].x, 1.5);
        let back = add(sum.view(), layer.view(), reference.view(), -0.5);
        assert!(angle_between(back.rotations[5], base.rotations[5]) < 1e-3);
    }

    #[test]
    fn crossfades_begin_and_end_as_the_clips_do() {
        let skeleton = Arc::new(Build::AVERAGE.skeleton());
        let clip = |angle: f32, n: usize| {
            let poses = (0..n).map(|_| turned(angle, 0.0));
            Clip::from_poses("still", Arc::clone(&skeleton), FrameRate::HOUSE, poses).unwrap()
        };
        let (a, b) = (clip(0.0, 40), clip(1.0, 30));
        let joined = crossfade(&a, &b, 20).unwrap();
        assert_eq!(joined.n_frames(), 50);
        let angles: Vec<f32> =
            joined.frames().map(|pose| rotation_vector_from_quat(pose.rotations[5]).y).collect();
        assert!(angles.windows(2).all(|pair| pair[1] >= pair[0] - 1e-6));
        assert!(angles[19].abs() < 1e-6 && (angles[40] - 1.0).abs() < 1e-6 && (angles[29] - 0.5).abs() < 0.1);
        assert_eq!(crossfade(&a, &b, 0).unwrap().n_frames(), 70);
        assert_eq!(crossfade(&a, &b, 1000).unwrap().n_frames(), 40);
        let slow = b.with_rate(FrameRate::new(30, 1).unwrap());
        assert!(matches!(crossfade(&a, &slow, 5), Err(JoinError::Rate(..))));
    }
}

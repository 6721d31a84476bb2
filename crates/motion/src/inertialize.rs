//! Inertialization: a transition that plays only the new motion, plus what is left of the old.
//!
//! At the switch the difference between the pose that was shown and the pose that comes next is measured
//! together with its velocity; that offset then fades. Position and velocity stay continuous, the root's too,
//! and no second clip has to be sampled meanwhile.
//!
//! Reference: \[Bollo2018\], the quintic decay. Differs from it: the velocity across the offset fades too, instead
//! of being dropped, and so does a velocity away from the target; both would break the continuity.

use std::sync::Arc;

use glam::{Quat, Vec3};

use crate::blend::{JoinError, check_joinable};
use crate::clip::Clip;
use crate::math::{quat_from_rotation_vector, rotation_vector_from_quat};
use crate::pose::{Pose, PoseView};

/// Offsets of all joints at a switch, and how they fade.
///
/// ```
/// use randori_motion::{Build, inertialize::Transition};
/// let skeleton = Build::AVERAGE.skeleton();
/// let [mut shown, next] = [skeleton.rest_pose(), skeleton.rest_pose()];
/// shown.translations[0].x += 0.1;
/// let transition = Transition::new([shown.view(); 2], [next.view(); 2], 1.0 / 60.0, 0.3);
/// let mut pose = next.clone();
/// transition.apply(0.0, &mut pose);
/// assert_eq!(pose, shown);
/// pose.copy_from(next.view());
/// transition.apply(0.3, &mut pose);
/// assert_eq!(pose, next);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    translations: Vec<Fading>,
    /// Rotation vectors, applied in the parent's frame.
    rotations: Vec<Fading>,
}

impl Transition {
    /// Measures a switch.
    ///
    /// `shown` are the last pose but one and the last pose that were shown, `next` the poses of the new motion
    /// at the same two times, `dt` seconds apart; so `next[1]` is the new motion at time 0 of the transition.
    /// The offset is gone after `duration` seconds, or sooner where it is closing fast already.
    pub fn new(shown: [PoseView<'_>; 2], next: [PoseView<'_>; 2], dt: f32, duration: f32) -> Transition {
        let rate = if dt > 0.0 { 1.0 / dt } else { 0.0 };
        let translations = (0..next[1].translations.len()).map(|at| {
            let [before, now] = [0, 1].map(|k| shown[k].translations[at] - next[k].translations[at]);
            Fading::new(now, (now - before) * rate, duration)
        });
        let rotations = (0..next[1].rotations.len()).map(|at| {
            let [before, now] = [0, 1].map(|k| shown[k].rotations[at] * next[k].rotations[at].inverse());
            // The same side of the sphere for both, or the velocity would be that of the long way round.
            let now = if now.w < 0.0 { -now } else { now };
            let before = if before.dot(now) < 0.0 { -before } else { before };
            let [before, now] = [before, now].map(long_rotation_vector);
            Fading::new(now, (now - before) * rate, duration)
        });
        Transition { translations: translations.collect(), rotations: rotations.collect() }
    }

    /// Adds what is left of the offset, `t` seconds after the switch, to the pose of the new motion at that time.
    pub fn apply(&self, t: f32, pose: &mut Pose) {
        for (translation, fading) in pose.translations.iter_mut().zip(&self.translations) {
            *translation += fading.at(t);
        }
        for (rotation, fading) in pose.rotations.iter_mut().zip(&self.rotations) {
            let offset = fading.at(t);
            if offset != Vec3::ZERO {
                *rotation = (quat_from_rotation_vector(offset) * *rotation).normalize();
            }
        }
    }
}

/// The rotation vector without taking the shorter way: up to a full turn long.
fn long_rotation_vector(rotation: Quat) -> Vec3 {
    if rotation.w >= 0.0 {
        return rotation_vector_from_quat(rotation);
    }
    let short = rotation_vector_from_quat(rotation);
    let angle = short.length();
    if angle < 1e-6 { short } else { short * ((angle - std::f32::consts::TAU) / angle) }
}

/// `a` up to `frame`, then `b` from `b_frame` on, with the difference between them fading over `duration` seconds.
///
/// The pose of `b_frame` follows the pose of `frame` one frame later, where it shows what `a` would have shown
/// had it kept its velocity.
pub fn join(a: &Clip, frame: usize, b: &Clip, b_frame: usize, duration: f32) -> Result<Clip, JoinError> {
    check_joinable(a, b)?;
    for (clip, frame) in [(a, frame), (b, b_frame)] {
        if frame >= clip.n_frames() {
            return Err(JoinError::Frame { name: clip.name.clone(), frame, n_frames: clip.n_frames() });
        }
    }
    let dt = a.rate().dt() as f32;
    let shown = [a.frame(frame.saturating_sub(1)).to_pose(), a.frame(frame).to_pose()];
    // Where the new motion was when the last old pose was shown, and one frame before.
    let earlier = [2, 1].map(|back| before(b, b_frame, back));
    let transition = Transition::new(
        [shown[0].view(), shown[1].view()],
        [earlier[0].view(), earlier[1].view()],
        dt,
        duration,
    );
    let old = (0..=frame).map(|frame| a.frame(frame).to_pose());
    let new = (b_frame..b.n_frames()).map(|frame| {
        let mut pose = b.frame(frame).to_pose();
        transition.apply((frame - b_frame + 1) as f32 * dt, &mut pose);
        pose
    });
    Ok(Clip::from_poses(a.name.clone(), Arc::clone(a.skeleton()), a.rate(), old.chain(new))?)
}

/// The pose `back` frames before `frame`; before the start as if the first velocity had been kept.
pub(crate) fn before(clip: &Clip, frame: usize, back: usize) -> Pose {
    if frame >= back {
        return clip.frame(frame - back).to_pose();
    }
    let missing = (back - frame) as f32;
    let [first, second] = [0, 1].map(|frame| clip.frame(frame.min(clip.n_frames() - 1)));
    crate::blend::add(first, first, second, missing)
}

/// A vector that fades to zero: a quintic along its own direction, another across it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fading {
    direction: Vec3,
    along: Quintic,
    across_direction: Vec3,
    across: Quintic,
}

impl Fading {
    pub(crate) fn new(offset: Vec3, velocity: Vec3, duration: f32) -> Fading {
        let length = offset.length();
        let speed = velocity.length();
        // Without an offset all velocity is "across": it starts from zero.
        let direction = if length > 1e-7 { offset / length } else { Vec3::ZERO };
        let closing = velocity.dot(direction);
        let across = velocity - direction * closing;
        let across_speed = across.length();
        let across_direction = if across_speed > 1e-7 * speed { across / across_speed } else { Vec3::ZERO };
        Fading {
            direction,
            along: Quintic::new(length, closing, duration),
            across_direction,
            across: Quintic::new(0.0, across_speed, duration),
        }
    }

    pub(crate) fn at(&self, t: f32) -> Vec3 {
        self.direction * self.along.at(t) + self.across_direction * self.across.at(t)
    }
}

/// A scalar that goes from `x0 >= 0` with velocity `v0` to rest at zero, never below it.
///
/// With s = t / t1 it is (1 - s)^3 (x0 (1 + 3s + 6s^2) + v0 t1 s (1 + 3s) + a0 t1^2 s^2 / 2): position, velocity
/// and acceleration vanish at t1. For v0 t1 >= -5 x0 and a0 = max(0, (-8 v0 t1 - 20 x0) / t1^2) the second factor
/// is nowhere negative on \[0, 1\], hence no overshoot.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Quintic {
    x0: f32,
    /// v0 t1.
    v: f32,
    /// a0 t1^2.
    a: f32,
    t1: f32,
}

impl Quintic {
    fn new(x0: f32, v0: f32, duration: f32) -> Quintic {
        let t1 = if v0 < 0.0 { duration.min(-5.0 * x0 / v0) } else { duration };
        // `max` also catches a NaN duration.
        let t1 = t1.max(0.0);
        let v = v0 * t1;
        Quintic { x0, v, a: (-8.0 * v - 20.0 * x0).max(0.0), t1 }
    }

    fn at(self, t: f32) -> f32 {
        if t >= self.t1 {
            return 0.0;
        }
        let s = (t / self.t1).max(0.0);
        let rest = (1.0 - s) * (1.0 - s) * (1.0 - s);
        let inner =
            self.x0 * (1.0 + 3.0 * s + 6.0 * s * s) + self.v * s * (1.0 + 3.0 * s) + 0.5 * self.a * s * s;
        (rest * inner).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Build;
    use crate::rate::FrameRate;

    #[test]
    fn the_decay_starts_as_told_ends_at_rest_and_never_overshoots() {
        for (x0, v0, duration) in [
            (1.0, 0.0, 0.3),
            (1.0, -3.0, 0.3),
            (1.0, -100.0, 0.3),
            (1.0, 20.0, 0.3),
            (0.0, 5.0, 0.5),
            (1e-6, -50.0, 0.5),
            (2.0, -33.0, 0.3),
        ] {
            let quintic = Quintic::new(x0, v0, duration);
            let at = |t: f32| f64::from(quintic.at(t));
            assert_eq!(quintic.at(0.0), x0);
            let h = 1e-3 * quintic.t1;
            if quintic.t1 > 1e-5 {
                let slope = (-1.5 * at(0.0) + 2.0 * at(h) - 0.5 * at(2.0 * h)) / f64::from(h);
                assert!(
                    (slope - f64::from(v0)).abs() < 0.02 * f64::from(v0.abs()).max(1.0),
                    "{x0} {v0}: {slope}"
                );
            }
            let samples: Vec<f32> = (0..=1000).map(|k| quintic.at(duration * k as f32 * 1e-3)).collect();
            assert!(samples.iter().all(|x| *x >= 0.0));
            assert_eq!(samples[1000], 0.0);
            if v0 <= 0.0 {
                assert!(samples.windows(2).all(|pair| pair[1] <= pair[0] + 1e-6), "{x0} {v0}");
            }
        }
    }

    /// A person who walks along a line and swings one arm.
    fn walk(speed: Vec3, swing: f32, start: Vec3) -> Clip {
        let skeleton = Arc::new(Build::AVERAGE.skeleton());
        let rate = FrameRate::new(240, 1).unwrap();
        let poses = (0..480).map(|frame| {
            let t = frame as f32 / 240.0;
            let mut pose = skeleton.rest_pose();
            pose.translations[0] += start + speed * t;
            pose.rotations[7] =
                Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.5 + swing * libm::sinf(4.0 * t));
            pose.rotations[0] = Quat::from_rotation_y(0.3 * swing * t);
            pose
        });
        Clip::from_poses("walk", Arc::clone(&skeleton), rate, poses).unwrap()
    }

    #[test]
    fn joined_clips_have_no_jump_in_place_or_speed() {
        let a = walk(Vec3::new(0.0, 0.0, 1.5), 1.0, Vec3::ZERO);
        let b = walk(Vec3::new(0.8, 0.0, -0.2), -0.7, Vec3::new(0.3, 0.0, 0.9));
        let joined = join(&a, 200, &b, 100, 0.4).unwrap();
        assert_eq!(joined.n_frames(), 201 + 380);
        let tracks = crate::tracks::Tracks::of(&joined);
        let dt = 1.0 / 240.0_f32;
        let n_joints = joined.skeleton().n_joints() as u32;
        for joint in (0..n_joints).map(crate::JointId) {
            for frame in 1..joined.n_frames() - 1 {
                let [p, q, r] = [frame - 1, frame, frame + 1].map(|frame| tracks.position(frame, joint));
                // A jump of 1 cm in one frame would be 576 m/s2, a jump in speed of 1 m/s would be 240.
                let acceleration = (p - 2.0 * q + r).length() / (dt * dt);
                assert!(acceleration < 80.0, "frame {frame}: {acceleration}");
            }
        }
        // After the transition it is the new clip and nothing else.
        let last = joined.frame(joined.n_frames() - 1);
        assert_eq!(last, b.frame(479));
        // The velocity of the root goes over: right after the switch it is still the old one.
        let velocity = tracks.linear_velocity(201, crate::JointId(0));
        assert!((velocity - Vec3::new(0.0, 0.0, 1.5)).length() < 0.1, "{velocity}");
    }

    #[test]
    fn joins_at_the_very_ends_work() {
        let a = walk(Vec3::Z, 1.0, Vec3::ZERO);
        assert_eq!(join(&a, 0, &a, 0, 0.2).unwrap().n_frames(), 481);
        assert_eq!(join(&a, 479, &a, 479, 0.0).unwrap().n_frames(), 481);
        assert!(matches!(join(&a, 480, &a, 0, 0.2), Err(JoinError::Frame { frame: 480, .. })));
    }

    #[test]
    fn clips_too_far_apart_are_an_error() {
        let skeleton = Arc::new(Build::AVERAGE.skeleton());
        let [a, b] = [f32::MIN, f32::MAX].map(|x| {
            let mut pose = skeleton.rest_pose();
            pose.translations[0].x = x;
            Clip::from_poses("far", Arc::clone(&skeleton), FrameRate::HOUSE, vec![pose; 5]).unwrap()
        });
        assert!(matches!(join(&a, 2, &b, 2, 0.3), Err(JoinError::Clip(_))));
    }
}

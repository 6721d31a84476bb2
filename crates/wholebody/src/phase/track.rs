//! Targets that move: smooth ways through way-points.

use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

use crate::model::Model;
use crate::scene::{Feature, Place, Task};
use crate::spatial::{Pose, quaternion_of, rotation_vector};

/// A place on the way of a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Waypoint {
    /// Position (m).
    pub at: [f64; 3],
    /// Rotation vector: axis times angle (rad).
    #[serde(default)]
    pub turn: [f64; 3],
}

impl Waypoint {
    /// An unturned place (m).
    pub fn at(at: DVec3) -> Waypoint {
        Waypoint { at: at.to_array(), turn: [0.0; 3] }
    }

    /// A placement.
    pub fn of(pose: &Pose) -> Waypoint {
        Waypoint { at: pose.translation.to_array(), turn: rotation_vector(&pose.rotation).to_array() }
    }

    /// As a placement.
    pub fn pose(&self) -> Pose {
        Pose::new(quaternion_of(DVec3::from_array(self.turn)), DVec3::from_array(self.at))
    }
}

/// Where a target goes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Way {
    /// Through these places, the first where it starts; seen from a frame or the world.
    Through { places: Vec<Pose>, seen_from: Option<Place> },
    /// Above the middle of some frames, wherever they go: from one offset to another (m, world axes).
    Above { frames: Vec<Place>, from: DVec3, to: DVec3 },
    /// From one joint position to another (rad or m).
    Joint { from: f64, to: f64 },
    /// From one posture to another.
    Posture { from: Vec<f64>, to: Vec<f64>, scratch: Vec<f64> },
}

/// A target on its way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Track {
    /// The task it belongs to.
    pub(crate) task: String,
    pub(crate) way: Way,
    /// When it set out (s).
    pub(crate) began: f64,
    /// How long it takes (s).
    pub(crate) seconds: f64,
}

/// Time step of the differences by which targets get velocities and accelerations (s).
const H: f64 = 1e-3;

impl Track {
    /// Whether the target has arrived by `time`.
    pub(crate) fn is_over(&self, time: f64) -> bool {
        time >= self.began + self.seconds
    }

    /// Whether the target goes on following frames when it has arrived.
    pub(crate) fn follows(&self) -> bool {
        matches!(self.way, Way::Above { .. } | Way::Through { seen_from: Some(_), .. })
    }

    /// Writes target, velocity and acceleration of the moment into the task. `base` is the pose of the
    /// frame that the places are seen from (or of the middle of the frames to be above), `drift` its speed.
    pub(crate) fn drive(
        &mut self,
        task: &mut Task,
        model: Option<&Model>,
        base: &Pose,
        drift: DVec3,
        time: f64,
    ) {
        let (began, seconds) = (self.began, self.seconds.max(1e-6));
        let share = |t: f64| smooth((t - began) / seconds);
        let (s0, s1, s2) = (share(time - H), share(time), share(time + H));
        // Rates of the share along the way.
        let (rate, surge) = ((s2 - s0) / (2.0 * H), (s2 - 2.0 * s1 + s0) / (H * H));
        match (&mut self.way, &mut task.feature) {
            (Way::Above { from, to, .. }, Feature::CenterOfMass { position, .. }) => {
                let way = *to - *from;
                *position = base.translation + *from + s1 * way;
                write(&mut task.velocity, &(drift + rate * way).to_array());
                write(&mut task.acceleration, &(surge * way).to_array());
            }
            (Way::Joint { from, to }, Feature::Joint { position, .. }) => {
                *position = *from + s1 * (*to - *from);
                write(&mut task.velocity, &[rate * (*to - *from)]);
                write(&mut task.acceleration, &[surge * (*to - *from)]);
            }
            (Way::Posture { from, to, scratch }, Feature::Posture { q, .. }) => {
                let Some(model) = model else { return };
                scratch.resize(model.n_v, 0.0);
                model.difference(from, to, scratch);
                scratch.iter_mut().for_each(|x| *x *= s1);
                q.copy_from_slice(from);
                model.integrate(q, scratch);
            }
            (Way::Through { places, .. }, feature) => {
                let poses = [s0, s1, s2].map(|s| *base * along(places, s));
                let linear = [
                    (poses[2].translation - poses[0].translation) / (2.0 * H),
                    (poses[2].translation - 2.0 * poses[1].translation + poses[0].translation) / (H * H),
                ];
                let turned = |a: &DMat3, b: &DMat3| rotation_vector(&(*b * a.transpose())) / H;
                let (before, after) = (
                    turned(&poses[0].rotation, &poses[1].rotation),
                    turned(&poses[1].rotation, &poses[2].rotation),
                );
                let angular = [0.5 * (before + after), (after - before) / H];
                let here = poses[1];
                let six = |k: usize| {
                    let (l, a) = (linear[k], angular[k]);
                    [l.x, l.y, l.z, a.x, a.y, a.z]
                };
                let range = match feature {
                    Feature::CenterOfMass { position, .. } | Feature::Position { position, .. } => {
                        *position = here.translation;
                        0..3
                    }
                    Feature::Orientation { rotation, .. } => {
                        *rotation = here.rotation;
                        3..6
                    }
                    Feature::Pose { pose, .. } => {
                        *pose = here;
                        0..6
                    }
                    Feature::Posture { .. } | Feature::Joint { .. } => return,
                };
                write(&mut task.velocity, &six(0)[range.clone()]);
                write(&mut task.acceleration, &six(1)[range]);
            }
            _ => {}
        }
    }
}

fn write(list: &mut Vec<f64>, values: &[f64]) {
    list.clear();
    list.extend_from_slice(values);
}

/// From 0 to 1 with speed and acceleration zero at both ends.
pub(crate) fn smooth(s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    s * s * s * (10.0 - 15.0 * s + 6.0 * s * s)
}

/// The place at share `s` of a smooth curve through all places.
fn along(places: &[Pose], s: f64) -> Pose {
    let n = places.len();
    if n < 2 {
        return places.first().copied().unwrap_or(Pose::IDENTITY);
    }
    let x = s.clamp(0.0, 1.0) * (n - 1) as f64;
    let i = (x as usize).min(n - 2);
    let u = x - i as f64;
    let p = |k: isize| places[(i as isize + k).clamp(0, n as isize - 1) as usize].translation;
    // Catmull and Rom's cubic.
    let (a, b, c, d) = (p(-1), p(0), p(1), p(2));
    let translation = 0.5
        * (2.0 * b
            + (c - a) * u
            + (2.0 * a - 5.0 * b + 4.0 * c - d) * (u * u)
            + (3.0 * b - a - 3.0 * c + d) * (u * u * u));
    let from = places[i].rotation;
    let turn = rotation_vector(&(places[i + 1].rotation * from.transpose()));
    let rotation = DMat3::from_quat(quaternion_of(turn * u)) * from;
    Pose { rotation: DMat3::from_quat(DQuat::from_mat3(&rotation).normalize()), translation }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_starts_and_ends_at_rest_and_passes_its_way_points() {
        let places = [DVec3::ZERO, DVec3::new(0.1, 0.3, 0.0), DVec3::X].map(Pose::from_translation);
        assert!(along(&places, 0.5).translation.distance(places[1].translation) < 1e-12);
        let mut track = Track {
            task: "hand".into(),
            way: Way::Through { places: places.to_vec(), seen_from: None },
            began: 1.0,
            seconds: 2.0,
        };
        let place = Place { subsystem: 0, frame: crate::model::FrameId(0) };
        let mut task = Task::new("hand", Feature::Position { place, position: DVec3::ZERO }, 1.0, 1.0);
        for (t, expected) in [(1.0, DVec3::ZERO), (3.0, DVec3::X)] {
            track.drive(&mut task, None, &Pose::IDENTITY, DVec3::ZERO, t);
            let Feature::Position { position, .. } = task.feature else { panic!() };
            assert!(position.distance(expected) < 1e-12);
            assert!(task.velocity.iter().chain(&task.acceleration).all(|x| x.abs() < 0.02), "{task:?}");
        }
        assert!(track.is_over(3.0) && !track.is_over(2.9));
    }
}

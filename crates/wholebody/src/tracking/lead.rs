//! Balance of somebody who performs a reference: the centre of mass over the contacts to come, and steps beside their places.
//!
//! The push is planned along the clip's own contacts ([`super::pushes`]), also those to come: while a foot swings, the centre
//! of mass is already on its way to where it will land. The [pendulum](crate::balance::pendulum) says which capture point that
//! needs now; an error of it is pushed against within the feet that stand, and what pushes will not undo before the foot in
//! the air comes down moves its landing. Later contacts are planned beside their places as far as that landing was.

use std::sync::Arc;

use glam::{DVec2, DVec3};

use super::perform::{Track, WHO};
use crate::balance::pendulum::Pendulum;
use crate::balance::support::sole;
use crate::dynamics;
use crate::phase::{Machine, Side, World, between};
use crate::scene::Feature;
use crate::spatial::Pose;

pub(super) const SIDES: [Side; 2] = [Side::Left, Side::Right];
const GRAVITY: f64 = 9.81;
/// How far ahead pushes are planned (s): a pendulum forgets what is later.
const HORIZON: f64 = 1.6;
/// The feet push inside this part of a sole, half its edges (m).
const FIRM: [f64; 2] = [0.038, 0.097];
/// Steps make up for what pushes inside this part of a sole would not.
const STEADY: [f64; 2] = [0.022, 0.06];
/// How fast an error of the capture point is to fade (1/s).
const GAIN: f64 = 6.0;
/// A foot lands at most so far beside where it was planned to (m), and its landing moves at most so fast (m/s), until so
/// long before (s).
const ASIDE: f64 = 0.25;
const BENDING: f64 = 1.5;
const SETTLED: f64 = 0.06;
/// A foot that lands somewhere else stays so far on its own side of the other (m).
const APART: f64 = 0.13;
/// A foot waits while it would have to land farther than this beside its place (m), ...
const READY: f64 = 0.12;
/// ... as long as the capture point is so far inside the feet (m), and no longer than this (s).
const HELD: f64 = 0.01;
const LONGEST_WAIT: f64 = 1.5;
/// Shortest swing that is begun late (s).
const SHORTEST: f64 = 0.2;
/// Weight (-) and stiffness (1/s²) of a swinging foot: a foot that lands late is a fall.
const EFFORT: [f64; 2] = [1e4, 900.0];
/// A foot that goes farther does not dawdle where the clip's does (m).
const FAR: f64 = 0.15;
/// Highest that a foot is lifted (m).
const HIGHEST: f64 = 0.3;
/// Stiffness of the height of the centre of mass (1/s²), and how much it may rise or sink faster or slower (m/s²).
const HEIGHT: f64 = 30.0;
const CLIMB: f64 = 3.0;
/// Legs that are less stretched let the person rise, those that are more make it sink (-), at these paces (m/s), so far
/// at most (m).
const STRETCH: [f64; 2] = [0.97, 0.985];
const DIP: [f64; 2] = [0.3, 0.15];
const DEEPEST: f64 = 0.2;
/// The height of the centre of mass is the lowest within so long (s), smoothed by a Gaussian of this width (sigma, s).
const LOWEST: f64 = 0.2;
const SMOOTHING: f64 = 0.2;

/// How the centre of mass moves, on the ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    pendulum: Pendulum,
    /// Where the feet are to push now (m).
    push: DVec2,
    /// The capture point from which the contacts to come can be kept, and how far the present one is from it (m).
    bounded: DVec2,
    error: DVec2,
}

impl Track {
    /// The foot that is to leave now.
    pub(super) fn leaving(&self, time: f64) -> Option<usize> {
        (0..2).find(|foot| {
            time >= self.until(*foot) && self.at[*foot] + 1 < self.reference.stances[*foot].len()
        })
    }

    /// Until when a foot stands that is not in the air (clip, s).
    fn until(&self, foot: usize) -> f64 {
        self.reference.stances[foot][self.at[foot]].until
    }

    /// Where the sole of a foot is that stands.
    fn sole(&self, foot: usize) -> Pose {
        moved(self.reference.stances[foot][self.at[foot]].sole, self.offsets[foot])
    }

    /// How the centre of mass moves beside how it would have to for the contacts to come.
    pub(super) fn course(&self, world: &World, time: f64) -> Course {
        let center = world.moving_center(&self.group);
        let pendulum = Pendulum::new(center.position.y, GRAVITY);
        let now = pendulum.capture_point(flat(center.position), flat(center.velocity));
        // Feet to come land beside their places as far as the one that stays does; until then the push goes over to it.
        let leaves = self.aloft.unwrap_or_else(|| usize::from(self.until(1) < self.until(0)));
        let last = if self.aloft.is_some() { f64::NEG_INFINITY } else { self.until(leaves) };
        let [from, to] = [leaves, 1 - leaves]
            .map(|foot| flat(self.reference.stances[foot][self.at[foot]].sole.translation));
        let push = |t: f64| {
            let push = self.pushes.at(t);
            let over = (push - from).dot(to - from) / (to - from).length_squared().max(1e-9);
            let share = if t >= last { 1.0 } else { over.clamp(0.0, 1.0) };
            push + self.offsets[leaves].lerp(self.offsets[1 - leaves], share)
        };
        let dt = 1.0 / self.reference.fps;
        let ahead = (0..(HORIZON / dt) as usize).map(|k| push(time + (k as f64 + 0.5) * dt));
        let bounded = pendulum.bounded(ahead, dt).unwrap_or(now);
        Course { pendulum, push: push(time), bounded, error: now - bounded }
    }

    /// Where a foot is planned to land if the other stands.
    fn landing(&self, foot: usize, stance: usize) -> Pose {
        moved(self.reference.stances[foot][stance].sole, self.offsets[1 - foot])
    }

    /// How far beside its planned landing a foot has to land, after so long (s).
    fn aside(&mut self, course: &Course, foot: usize, landing: &Pose, seconds: f64) -> DVec2 {
        let stance = self.sole(1 - foot);
        self.area.set(sole(&stance, STEADY));
        let aside = course.pendulum.left_over(course.push, course.error, seconds, &self.area);
        let aside = aside.clamp_length_max(ASIDE);
        let out = if foot == 0 { stance.rotation.x_axis } else { -stance.rotation.x_axis };
        let out = flat(out).normalize_or_zero();
        let planned = flat(landing.translation - stance.translation).dot(out);
        let lacks = planned.min(APART) - (planned + aside.dot(out));
        aside + lacks.max(0.0) * out
    }

    /// Whether a foot may leave: it need not land far beside its place, or both feet cannot hold the person any more.
    pub(super) fn is_ready(&mut self, course: &Course, foot: usize) -> bool {
        let next = self.at[foot] + 1;
        let landing = self.landing(foot, next);
        let seconds = self.reference.stances[foot][next].from - self.time;
        let aside = self.aside(course, foot, &landing, seconds);
        self.stand();
        let held = self.area.margin(course.bounded + course.error);
        aside.length() < READY || held < HELD || self.waited > LONGEST_WAIT
    }

    /// The area under the feet that stand, as far as they push in it.
    fn stand(&mut self) {
        let mut area = std::mem::take(&mut self.area);
        let standing = (0..2).filter(|foot| Some(*foot) != self.aloft);
        area.set(standing.flat_map(|foot| sole(&self.sole(foot), FIRM)));
        self.area = area;
    }

    /// A foot that has come down stands where it is.
    pub(super) fn land(&mut self, world: &World, machine: &Machine) {
        let Some(foot) = self.aloft.filter(|foot| !machine.swings(WHO, SIDES[*foot])) else { return };
        let planned = self.reference.stances[foot][self.at[foot]].sole.translation;
        self.offsets[foot] = flat(world.pose(self.soles[foot]).translation - planned);
        self.aloft = None;
    }

    /// Lifts a foot; it comes down when the schedule says, beside its place there if balance asks for it.
    pub(super) fn lift(&mut self, world: &mut World, machine: &mut Machine, foot: usize, course: &Course) {
        let time = self.time;
        self.at[foot] += 1;
        self.aloft = Some(foot);
        let seconds = (self.reference.stances[foot][self.at[foot]].from - time).max(SHORTEST);
        let landing = self.landing(foot, self.at[foot]);
        self.bent = self.aside(course, foot, &landing, seconds);
        let place = self.soles[foot];
        let places = self.way(foot, world.pose(place), &moved(landing, self.bent), seconds);
        machine.swing(world, WHO, SIDES[foot], (place, None), (places, seconds), EFFORT);
        self.due = time + seconds;
        self.tally.steps += 1;
    }

    /// Moves the landing of the foot in the air.
    pub(super) fn bend(&mut self, world: &mut World, foot: usize, course: &Course) {
        let seconds = self.due - self.time;
        if seconds < SETTLED {
            return;
        }
        let landing = self.landing(foot, self.at[foot]);
        let most = BENDING * world.scene.settings.dt;
        let by = (self.aside(course, foot, &landing, seconds) - self.bent).clamp_length_max(most);
        self.bent += by;
        world.bend(&self.names[foot], DVec3::new(by.x, 0.0, by.y));
    }

    /// The way of a foot: straight, as high as the clip's, and as far aside; who stays near goes all of the clip's way.
    fn way(&mut self, foot: usize, start: Pose, landing: &Pose, seconds: f64) -> Vec<Pose> {
        let (model, time) = (Arc::clone(&self.reference.model), self.time);
        let frame = self.soles[foot].frame;
        let mut at = |t: f64| {
            self.reference.sample(t, &mut self.q, &mut self.v);
            dynamics::update(&model, &mut self.workspace, &self.q, &self.v);
            dynamics::frame_pose(&model, &self.workspace, frame).translation
        };
        let (first, last) = (at(time), at(time + seconds));
        let mut places = vec![start];
        let way = landing.translation - start.translation;
        let along = if way.length() > FAR { way.normalize() } else { DVec3::ZERO };
        // When a target that starts and ends at rest has gone a quarter, half and three quarters of its way.
        for (share, moment, lift) in [(0.25, 0.3595, 0.025), (0.5, 0.5, 0.035), (0.75, 0.6405, 0.025)] {
            let there = at(time + moment * seconds);
            let aside = there - first.lerp(last, share);
            let aside = aside - aside.dot(along) * along;
            let mut place = start.translation.lerp(landing.translation, share) + aside;
            place.y = there.y.clamp(lift, HIGHEST);
            // Turned evenly, so that the foot turns smoothly.
            let rotation = between(&start.rotation, &landing.rotation, share);
            places.push(Pose { rotation, translation: place });
        }
        places.push(*landing);
        places
    }

    /// The centre of mass, led by what the feet can do now and are going to. Who stands and waits has nowhere to go.
    pub(super) fn lead(&mut self, world: &mut World, course: &Course, stays: bool) {
        let (time, dt) = (self.time, world.scene.settings.dt);
        let center = world.moving_center(&self.group);
        self.stand();
        let planned = if stays { course.bounded } else { course.push };
        let push = self.area.nearest(course.pendulum.push_against(planned, course.error, GAIN));
        let fps = self.reference.fps;
        let last = self.centers.len() - 1;
        let height = |t: f64| {
            let x = (t * fps).clamp(0.0, last as f64);
            let k = (x as usize).min(last.saturating_sub(1));
            let (a, b) = (self.centers[k].y, self.centers[(k + 1).min(last)].y);
            a + (x - k as f64) * (b - a)
        };
        let stretch = self.stretch(world);
        let rate = if stretch > STRETCH[1] {
            DIP[0]
        } else if stretch < STRETCH[0] {
            -DIP[1]
        } else {
            0.0
        };
        self.dip = (self.dip + rate * dt).clamp(0.0, DEEPEST);
        let h = 0.5 / fps;
        let rise = if stays { 0.0 } else { (height(time + h) - height(time - h)) / (2.0 * h) };
        let below = height(time) - self.dip - center.position.y;
        let lag = rise - center.velocity.y;
        let climb = (HEIGHT * below + 2.0 * libm::sqrt(HEIGHT) * lag).clamp(-CLIMB, CLIMB);
        // Who is thrown upwards is heavier, and pushed aside by as much more.
        let heavy = Pendulum::new(center.position.y, GRAVITY + climb);
        let along = heavy.acceleration(flat(center.position), push);
        if let Some(task) = world.task_mut("balance")
            && let Feature::CenterOfMass { position, .. } = &mut task.feature
        {
            // The acceleration is all that is asked for.
            *position = center.position;
            task.velocity.clear();
            task.velocity.extend(center.velocity.to_array());
            task.acceleration.clear();
            task.acceleration.extend([along.x, climb, along.y]);
        }
    }

    /// How far the leg of a foot that stands is stretched, at most (-).
    fn stretch(&self, world: &World) -> f64 {
        let standing = (0..2).filter(|foot| Some(*foot) != self.aloft);
        let legs = standing.map(|foot| {
            let [hip, knee, ankle] = self.legs[foot].map(|joint| world.pose(joint).translation);
            hip.distance(ankle) / (hip.distance(knee) + knee.distance(ankle))
        });
        legs.fold(0.0, f64::max)
    }
}

/// Seen from above.
fn flat(point: DVec3) -> DVec2 {
    DVec2::new(point.x, point.z)
}

/// A pose beside its place.
fn moved(pose: Pose, by: DVec2) -> Pose {
    Pose { translation: pose.translation + DVec3::new(by.x, 0.0, by.y), ..pose }
}

/// Ways of a centre of mass with even heights: who never leaves the ground cannot fall freely, and legs that are bent a little
/// more reach farther.
pub(super) fn settled(centers: &[DVec3], fps: f64) -> Vec<DVec3> {
    let sigma = SMOOTHING * fps;
    let reach = libm::ceil(3.0 * sigma) as isize;
    let weight = |k: isize| libm::exp(-0.5 * (k as f64 / sigma) * (k as f64 / sigma));
    let total: f64 = (-reach..=reach).map(weight).sum();
    let last = centers.len() as isize - 1;
    let near = libm::ceil(LOWEST * fps) as isize;
    let at = |k: isize| centers[k.clamp(0, last) as usize].y;
    let lowest: Vec<f64> =
        (0..=last).map(|k| (k - near..=k + near).map(at).fold(f64::INFINITY, f64::min)).collect();
    (0..=last)
        .map(|k| {
            let height = |j: isize| weight(j) * lowest[(k + j).clamp(0, last) as usize];
            let y = (-reach..=reach).map(height).sum::<f64>() / total;
            DVec3 { y, ..centers[k as usize] }
        })
        .collect()
}

//! Where a sword is over time: the way of the hand that holds it, and where it points.

use std::f32::consts::TAU;

use glam::{Quat, Vec3};
use randori_motion::math::{rotation_between, smootherstep};

use crate::curve::{Key, quintic};

/// How a sword is held at one moment, in the frame of where the body faces: x to the own left, z ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hold {
    /// Where the wrist is, seen from the root of the neck (m), of a person of average height.
    pub wrist: Vec3,
    /// Where the elbow points.
    pub elbow: Vec3,
    /// Where the blade points: unit vector.
    pub blade: Vec3,
}

/// Moments that the hand goes through, in order of time. Between two of them it goes without a jump of velocity or
/// acceleration.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    places: Vec<Place>,
    points: Vec<Point>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    t: f32,
    wrist: Vec3,
    /// How fast the wrist goes through (m/s).
    velocity: Vec3,
    elbow: Vec3,
    /// How far the way here is bent ahead (m).
    bent: f32,
}

#[derive(Clone, Copy, Debug)]
struct Point {
    t: f32,
    blade: Vec3,
    /// How fast the blade turns as it goes through, about this axis (rad/s).
    spin: Vec3,
    /// How far the blade is turned ahead on its way here (-).
    bent: f32,
}

impl Track {
    /// A sword that has always been held like this.
    pub(crate) fn new(hold: Hold) -> Track {
        let Hold { wrist, elbow, blade } = hold;
        let t = f32::NEG_INFINITY;
        Track {
            places: vec![Place { t, wrist, velocity: Vec3::ZERO, elbow, bent: 0.0 }],
            points: vec![Point { t, blade, spin: Vec3::ZERO, bent: 0.0 }],
        }
    }

    /// How it is held after all that was told.
    pub(crate) fn last(&self) -> Hold {
        let (place, point) = (self.places[self.places.len() - 1], self.points[self.points.len() - 1]);
        Hold { wrist: place.wrist, elbow: place.elbow, blade: point.blade }
    }

    /// When the hand and the blade come to where they are last (s).
    pub(crate) fn end(&self) -> f32 {
        self.places[self.places.len() - 1].t.max(self.points[self.points.len() - 1].t)
    }

    /// How far the blade turns to come to rest elsewhere (rad).
    pub(crate) fn turn_to(&self, hold: &Hold) -> f32 {
        let from = self.last();
        from.blade.angle_between(hold.blade) + before_the_face(&from, hold)
    }

    /// Leaves where it is at `start` and comes to rest elsewhere at `end`; the blade follows the hand `late` seconds
    /// after.
    pub(crate) fn rest(&mut self, [start, end]: [f32; 2], late: f32, hold: Hold) {
        let from = self.last();
        let is_cutting = self.points[self.points.len() - 1].spin != Vec3::ZERO;
        let bent = if is_cutting { 0.0 } else { before_the_face(&from, &hold) };
        self.leave(start, late);
        let (velocity, spin) = (Vec3::ZERO, Vec3::ZERO);
        self.place(Place { t: end, wrist: hold.wrist, velocity, elbow: hold.elbow, bent: 0.12 * bent });
        self.point(Point { t: end + late, blade: hold.blade, spin, bent: 1.1 * bent });
    }

    /// Goes through a way to hold it at a time: the hand at a velocity (m/s), the blade turning (rad/s).
    pub(crate) fn pass(&mut self, t: f32, hold: Hold, velocity: Vec3, spin: Vec3) {
        self.place(Place { t, wrist: hold.wrist, velocity, elbow: hold.elbow, bent: 0.0 });
        self.point(Point { t, blade: hold.blade, spin, bent: 0.0 });
    }

    /// Stays as it is until a time (s).
    fn leave(&mut self, start: f32, late: f32) {
        let (place, point) = (self.places[self.places.len() - 1], self.points[self.points.len() - 1]);
        self.place(Place { t: start, bent: 0.0, ..place });
        self.point(Point { t: start + late, bent: 0.0, ..point });
    }

    fn place(&mut self, place: Place) {
        let last = self.places[self.places.len() - 1].t;
        self.places.push(Place { t: place.t.max(last), ..place });
    }

    fn point(&mut self, point: Point) {
        let last = self.points[self.points.len() - 1].t;
        self.points.push(Point { t: point.t.max(last), ..point });
    }

    /// How it is held at a time (s).
    pub(crate) fn at(&self, t: f32) -> Hold {
        let next = self.places.partition_point(|place| place.t <= t);
        let from = self.places[next.saturating_sub(1)];
        let (wrist, elbow) = match self.places.get(next) {
            None => (from.wrist, from.elbow),
            Some(to) => (from.way(to, t), from.elbow.lerp(to.elbow, smootherstep(share(from.t, to.t, t)))),
        };
        let next = self.points.partition_point(|point| point.t <= t);
        let from = self.points[next.saturating_sub(1)];
        let blade = self.points.get(next).map_or(from.blade, |to| from.turn(to, t));
        Hold { wrist, elbow, blade }
    }
}

/// How far the way between two holds has to be bent ahead so that the blade goes from one side of the body to the other
/// before the face, not through it: 0 to 1.
fn before_the_face(from: &Hold, to: &Hold) -> f32 {
    let crosses = smootherstep((from.wrist.x - to.wrist.x).abs() / 0.3);
    let behind = smootherstep((0.5 - 0.5 * (from.blade.z + to.blade.z)) / 0.6);
    crosses * behind
}

/// The share of the time between two moments that has passed; they may be infinitely far apart.
fn share(from: f32, to: f32, t: f32) -> f32 {
    if from.is_finite() { (t - from) / (to - from).max(1e-4) } else { 1.0 }
}

/// Comes and goes between two moments: 1 half way.
fn bump(share: f32) -> f32 {
    let done = smootherstep(share);
    4.0 * done * (1.0 - done)
}

impl Place {
    fn way(&self, to: &Place, t: f32) -> Vec3 {
        if !self.t.is_finite() {
            return to.wrist;
        }
        let along = |axis: fn(Vec3) -> f32| {
            let key = |place: &Place| Key {
                place: axis(place.wrist),
                velocity: axis(place.velocity),
                acceleration: 0.0,
            };
            quintic(key(self), key(to), to.t - self.t, t - self.t)
        };
        let ahead = Vec3::Z * (to.bent * bump(share(self.t, to.t, t)));
        Vec3::new(along(|v| v.x), along(|v| v.y), along(|v| v.z)) + ahead
    }
}

impl Point {
    fn turn(&self, to: &Point, t: f32) -> Vec3 {
        if !self.t.is_finite() {
            return to.blade;
        }
        // A blade that turns goes on about the axis it turns about; one at rest takes the shortest way.
        let Some(axis) = (self.spin + to.spin).try_normalize() else {
            let (whole, share) = (rotation_between(self.blade, to.blade), share(self.t, to.t, t));
            let blade = Quat::IDENTITY.slerp(whole, smootherstep(share)) * self.blade;
            return (blade + Vec3::Z * (to.bent * bump(share))).normalize_or(blade);
        };
        let level = |v: Vec3| v - axis * v.dot(axis);
        let (a, b) = (level(self.blade), level(to.blade));
        let angle = libm::atan2f(axis.dot(a.cross(b)), a.dot(b)).rem_euclid(TAU);
        let key = |place: f32, spin: Vec3| Key { place, velocity: spin.dot(axis), acceleration: 0.0 };
        let turned = quintic(key(0.0, self.spin), key(angle, to.spin), to.t - self.t, t - self.t);
        // What is left beside the axis is made good on the way.
        let beside = rotation_between(Quat::from_axis_angle(axis, angle) * self.blade, to.blade);
        let beside = Quat::IDENTITY.slerp(beside, smootherstep(share(self.t, to.t, t)));
        beside * (Quat::from_axis_angle(axis, turned) * self.blade)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_goes_through_without_a_jump() {
        let hold = |z: f32, blade: Vec3| Hold { wrist: Vec3::Z * z, elbow: Vec3::NEG_Y, blade };
        let mut track = Track::new(hold(0.3, Vec3::Z));
        track.rest([0.5, 0.9], 0.05, hold(0.0, Vec3::new(0.0, 0.6, -0.8)));
        track.pass(1.25, hold(0.5, Vec3::Z), Vec3::Z * 1.2, Vec3::X * 13.0);
        track.rest([1.25, 1.4], 0.0, hold(0.6, Vec3::new(0.0, -0.6, 0.8)));
        assert_eq!(track.at(0.2), hold(0.3, Vec3::Z));
        assert!((track.at(1.25).blade - Vec3::Z).length() < 1e-4);
        assert_eq!(track.at(9.0), track.last());
        let h = 1e-3;
        let (mut before, mut fastest) = (Vec3::ZERO, 0.0_f32);
        for step in 0..1200 {
            let t = 0.4 + step as f32 * h;
            let now = (track.at(t + h).blade - track.at(t).blade) / h;
            assert!((now - before).length() < 0.8, "{t}: {before} {now}");
            fastest = fastest.max(now.length());
            before = now;
        }
        assert!((12.5..14.5).contains(&fastest), "{fastest}");
    }
}

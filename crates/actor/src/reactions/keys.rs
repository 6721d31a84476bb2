//! Key postures of a fall, and the smooth way through them.

use glam::{Quat, Vec3};
use randori_motion::math::{quat_from_rotation_vector, rotation_between, rotation_vector_from_quat};

/// What the body does at one moment of a fall. Points and turns are in the frame of where the person stood and
/// faced when struck: x to the own left, z ahead; lengths are relative to stature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Key {
    /// Time since the blow (s).
    pub t: f32,
    /// Where the joint of the hips is (-). The floor holds it up: lying bodies are given a height of 0.
    pub hips: Vec3,
    pub pelvis: Tilt,
    pub chest: Tilt,
    pub head: Tilt,
    /// Left, then right.
    pub hands: [Hand; 2],
    /// Left, then right.
    pub feet: [Foot; 2],
}

/// How a part is tilted out of the upright, and then turned about its own length (rad).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Tilt {
    /// Over forward; lying on the back is a quarter turn below 0.
    pub ahead: f32,
    /// Over to the own left.
    pub left: f32,
    /// Turned to the own left about its own length.
    pub twist: f32,
}

/// Where a hand is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hand {
    pub at: Hold,
    /// The direction of the elbow, in the same frame.
    pub elbow: Vec3,
}

/// What a hand keeps to, lengths relative to stature (-).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Hold {
    /// A point that moves with the rib cage, from the root of the neck.
    Chest(Vec3),
    /// A point of the fall's frame.
    Floor(Vec3),
}

/// Where a foot is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Foot {
    /// Where the ball of the foot is (-); y is its height above where it is when it stands.
    pub ball: Vec3,
    /// The turn of the sole.
    pub sole: Tilt,
    /// How far the heel is up about the ball (rad).
    pub heel: f32,
    /// The direction of the knee.
    pub knee: Vec3,
}

impl Key {
    /// The same fall in a direction turned to the own left by `yaw` (rad), going `far` times as far.
    pub(crate) fn turned(self, yaw: f32, far: f32) -> Key {
        let turn = Quat::from_rotation_y(yaw);
        let point = |p: Vec3| turn * (p * Vec3::new(far, 1.0, far));
        let tilt = |tilt: Tilt| {
            let over = turn * Vec3::new(tilt.left, 0.0, tilt.ahead);
            Tilt { ahead: over.z, left: over.x, twist: tilt.twist + yaw }
        };
        Key {
            t: self.t,
            hips: point(self.hips),
            pelvis: tilt(self.pelvis),
            chest: tilt(self.chest),
            head: tilt(self.head),
            hands: self.hands.map(|hand| match hand.at {
                Hold::Chest(_) => hand,
                Hold::Floor(at) => Hand { at: Hold::Floor(point(at)), elbow: turn * hand.elbow },
            }),
            feet: self.feet.map(|foot| Foot {
                ball: point(foot.ball),
                sole: tilt(foot.sole),
                heel: foot.heel,
                knee: turn * foot.knee,
            }),
        }
    }

    /// The same fall somewhere else: by so many statures over the floor (-).
    pub(crate) fn moved(self, by: Vec3) -> Key {
        let by = by.with_y(0.0);
        Key {
            hips: self.hips + by,
            hands: self.hands.map(|hand| match hand.at {
                Hold::Chest(_) => hand,
                Hold::Floor(at) => Hand { at: Hold::Floor(at + by), ..hand },
            }),
            feet: self.feet.map(|foot| Foot { ball: foot.ball + by, ..foot }),
            ..self
        }
    }

    /// The same fall seen in a mirror: left is right.
    pub(crate) fn mirrored(self) -> Key {
        let flip = Vec3::new(-1.0, 1.0, 1.0);
        let tilt = |tilt: Tilt| Tilt { ahead: tilt.ahead, left: -tilt.left, twist: -tilt.twist };
        let hand = |hand: Hand| Hand {
            at: match hand.at {
                Hold::Chest(at) => Hold::Chest(at * flip),
                Hold::Floor(at) => Hold::Floor(at * flip),
            },
            elbow: hand.elbow * flip,
        };
        let foot = |foot: Foot| Foot {
            ball: foot.ball * flip,
            sole: tilt(foot.sole),
            heel: foot.heel,
            knee: foot.knee * flip,
        };
        Key {
            t: self.t,
            hips: self.hips * flip,
            pelvis: tilt(self.pelvis),
            chest: tilt(self.chest),
            head: tilt(self.head),
            hands: [hand(self.hands[1]), hand(self.hands[0])],
            feet: [foot(self.feet[1]), foot(self.feet[0])],
        }
    }
}

impl Tilt {
    pub(crate) fn new(ahead: f32, left: f32, twist: f32) -> Tilt {
        Tilt { ahead, left, twist }
    }

    /// The same as three numbers.
    pub(crate) fn vector(self) -> Vec3 {
        Vec3::new(self.ahead, self.left, self.twist)
    }

    /// The turn that three numbers stand for.
    pub(crate) fn turn(vector: Vec3) -> Quat {
        quat_from_rotation_vector(Vec3::new(vector.x, 0.0, -vector.y)) * Quat::from_rotation_y(vector.z)
    }

    /// The tilt of a turn that is not upside down.
    pub(crate) fn of(turn: Quat) -> Tilt {
        let swing = rotation_between(Vec3::Y, turn * Vec3::Y);
        let tilted = rotation_vector_from_quat(swing);
        let twist = rotation_vector_from_quat(swing.inverse() * turn);
        Tilt { ahead: tilted.x, left: -tilted.z, twist: twist.y }
    }
}

/// The way through values at given times: it passes them with a continuous velocity, never leaves the range of two
/// neighbours, and stays where both are the same, so that planted hands and feet stay planted.
///
/// Tangents after \[FritschButland1984\].
pub(crate) fn through(times: &[f32], value: impl Fn(usize) -> Vec3, t: f32) -> Vec3 {
    through_at(times, value, |_| None, t)
}

/// As [`through`], where some keys are passed at a velocity of their own (1/s).
pub(crate) fn through_at(
    times: &[f32],
    value: impl Fn(usize) -> Vec3,
    velocity: impl Fn(usize) -> Option<Vec3>,
    t: f32,
) -> Vec3 {
    let last = times.len() - 1;
    if t <= times[0] {
        return value(0);
    }
    if t >= times[last] {
        return value(last);
    }
    let at = times.partition_point(|time| *time <= t) - 1;
    let span = |k: usize| (times[k + 1] - times[k]).max(1e-4);
    let slope = |k: usize| (value(k + 1) - value(k)) / span(k);
    let passing = |k: usize| {
        let usual = || match k {
            0 => Vec3::ZERO,
            k if k == last => Vec3::ZERO,
            k => tangent(slope(k - 1), span(k - 1), slope(k), span(k)),
        };
        velocity(k).unwrap_or_else(usual)
    };
    let (before, after) = (passing(at), passing(at + 1));
    let h = span(at);
    let s = (t - times[at]) / h;
    let (s2, s3) = (s * s, s * s * s);
    value(at) * (2.0 * s3 - 3.0 * s2 + 1.0)
        + before * (h * (s3 - 2.0 * s2 + s))
        + value(at + 1) * (3.0 * s2 - 2.0 * s3)
        + after * (h * (s3 - s2))
}

/// The velocity at a key between two slopes: their weighted harmonic mean, none where the way turns back.
fn tangent(before: Vec3, span_before: f32, after: Vec3, span_after: f32) -> Vec3 {
    let share = (span_before + 2.0 * span_after) / (3.0 * (span_before + span_after));
    let mean = |a: f32, b: f32| {
        if a * b <= 0.0 { 0.0 } else { a * b / (share * b + (1.0 - share) * a) }
    };
    Vec3::new(mean(before.x, after.x), mean(before.y, after.y), mean(before.z, after.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tilts_and_turns_are_two_ways_to_say_the_same() {
        for (ahead, left, twist) in [(0.2, 0.1, -0.6), (-1.5, 0.2, 0.4), (0.3, -1.4, 0.0), (1.2, 0.0, 0.9)] {
            let tilt = Tilt::new(ahead, left, twist);
            let again = Tilt::of(Tilt::turn(tilt.vector()));
            assert!(again.vector().distance(tilt.vector()) < 1e-4, "{tilt:?} {again:?}");
        }
        // Falling to the left brings the head to +X.
        let lying = Tilt::turn(Tilt::new(0.0, 1.5, 0.0).vector()) * Vec3::Y;
        assert!(lying.x > 0.9);
    }

    #[test]
    fn the_way_passes_its_keys_and_stays_where_they_stay() {
        let times = [0.0, 0.2, 0.5, 0.6, 1.0];
        let values = [0.0, 0.4, 0.4, 0.1, -0.3];
        let at = |t: f32| through(&times, |k| Vec3::splat(values[k]), t).x;
        for (t, value) in times.into_iter().zip(values) {
            assert!((at(t) - value).abs() < 1e-5);
        }
        assert!((at(0.35) - 0.4).abs() < 1e-6);
        let (h, mut before) = (1e-3, 0.0f32);
        for step in 0..1200 {
            let t = step as f32 * h - 0.1;
            let speed = (at(t + h) - at(t)) / h;
            assert!((speed - before).abs() < 0.3, "{t} {before} {speed}");
            before = speed;
        }
    }
}

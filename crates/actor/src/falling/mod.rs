//! Going down: out of a stand when pushed, out of a run when tackled or tackling; and getting up again.
//!
//! A fall is a way down to one of three ways to lie, and the way up from there. Ways up are those of [`reactions`](crate::reactions()),
//! which end with one foot ahead.

mod dives;
mod pushed;
mod tackled;

use glam::{Quat, Vec3};
use randori_motion::{Ground, Placement, Side};

use crate::performer::sign;
use crate::reactions::falls::{self, Course, held, lifted, on_floor, stands, tilt};
use crate::reactions::keys::{Foot, Hand, Hold, Key, Tilt};

/// The way somebody goes down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fall {
    /// Pushed while standing: onto the back.
    Back,
    /// Onto the front.
    Forward,
    /// Onto one side.
    Aside(Side),
    /// Tackled while running: thrown back by somebody from the front.
    TackledFront,
    /// Brought down from one side.
    TackledSide(Side),
    /// The legs held from behind.
    TackledBehind,
    /// A dive at somebody while running.
    Dive(Dive),
}

/// A dive at somebody.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dive {
    /// How long both feet are off the floor before the body is on it (s).
    pub(crate) flight: f32,
    /// How high the hips are at the take-off and where they meet the floor (-).
    pub(crate) heights: [f32; 2],
    /// The way it goes, to the own left of straight ahead (rad).
    pub(crate) yaw: f32,
}

/// A fall from its beginning until somebody stands again.
#[derive(Clone, Debug)]
pub(crate) struct Descent {
    /// Key postures, in the frame of where somebody was when it began.
    pub(crate) keys: Vec<Key>,
    /// For each foot, how many of the first keys find it where it was.
    pub(crate) keeps: [usize; 2],
    /// When the body leaves the floor before it meets it again (s).
    pub(crate) flies: Option<f32>,
    /// When the trunk meets the floor, when the body has come to rest, begins to rise, and is up (s).
    pub(crate) down: f32,
    pub(crate) still: f32,
    pub(crate) rises: f32,
    pub(crate) up: f32,
    /// Where it stands then, seen from where it began, in statures (-).
    pub(crate) ends: Ground,
}

/// A way down, ending in a way to lie.
struct Way {
    keys: Vec<Key>,
    keeps: [usize; 2],
    flies: Option<f32>,
    down: f32,
    /// When it has come to rest (s).
    still: f32,
    lies: Lie,
    /// Where the hips lie then, and how far the body is turned to the own left of straight ahead.
    hips: Vec3,
    yaw: f32,
}

/// How somebody lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    Supine,
    Prone,
    /// On the right side.
    Side,
}

impl Descent {
    /// A fall of somebody who goes ahead at a speed in statures (1/s), and lies still for so long (s).
    pub(crate) fn of(fall: Fall, speed: f32, lies: f32) -> Descent {
        let (way, is_mirrored) = match fall {
            Fall::Back => (pushed::back(), false),
            Fall::Forward => (pushed::forward(), false),
            Fall::Aside(side) => (pushed::aside(), side == Side::Left),
            Fall::TackledFront => (tackled::from_the_front(speed), false),
            // Whoever comes from the left brings somebody down to the right.
            Fall::TackledSide(side) => (tackled::from_the_left(speed), side == Side::Right),
            Fall::TackledBehind => (tackled::from_behind(speed), false),
            Fall::Dive(dive) => (dives::dive(dive, speed), false),
        };
        let descent = way.and_up(lies);
        if is_mirrored { descent.mirrored() } else { descent }
    }

    /// The same seen in a mirror.
    pub(crate) fn mirrored(self) -> Descent {
        let ends = Ground { x: -self.ends.x, z: self.ends.z };
        let [left, right] = self.keeps;
        Descent {
            keys: self.keys.into_iter().map(Key::mirrored).collect(),
            keeps: [right, left],
            ends,
            ..self
        }
    }

    /// The same at another pace (-).
    pub(crate) fn paced(mut self, pace: f32) -> Descent {
        self.keys.iter_mut().for_each(|key| key.t *= pace);
        self.flies = self.flies.map(|t| t * pace);
        for t in [&mut self.down, &mut self.still, &mut self.rises, &mut self.up] {
            *t *= pace;
        }
        self
    }

    /// The same by somebody who holds a ball in one arm throughout.
    pub(crate) fn holding(mut self, arm: Side) -> Descent {
        let out = sign(arm);
        let at = Hold::Chest(Vec3::new(0.055 * out, -0.14, 0.12));
        let tucked = Hand { at, elbow: Vec3::new(0.75 * out, -0.5, -1.0) };
        self.keys.iter_mut().for_each(|key| key.hands[arm as usize] = tucked);
        self
    }

    /// The keys for somebody whose feet are here when it begins: those that keep a foot where it was say how far it has
    /// rolled from there.
    pub(crate) fn keys_from(&self, feet: [Foot; 2]) -> Vec<Key> {
        let mut keys = self.keys.clone();
        for (side, (foot, n_keys)) in feet.into_iter().zip(self.keeps).enumerate() {
            for key in keys.iter_mut().take(n_keys) {
                let Foot { ball, sole, heel, .. } = key.feet[side];
                let turn = Quat::from_rotation_y(foot.sole.twist);
                let over = turn * Vec3::new(sole.left, 0.0, sole.ahead);
                key.feet[side] = Foot {
                    ball: foot.ball + turn * ball,
                    sole: Tilt {
                        ahead: foot.sole.ahead + over.z,
                        left: foot.sole.left + over.x,
                        ..foot.sole
                    },
                    heel: heel.max(foot.heel),
                    ..foot
                };
            }
        }
        keys
    }

    /// Where a foot stands when somebody is up, seen from where they stand, for a stature (m).
    pub(crate) fn stands(&self, side: Side, stature: f32) -> Placement {
        let Some(last) = self.keys.last() else { return Placement::default() };
        let foot = last.feet[side as usize];
        let position =
            Ground { x: (foot.ball.x - self.ends.x) * stature, z: (foot.ball.z - self.ends.z) * stature };
        Placement { position, heading: foot.sole.twist }
    }
}

impl Way {
    /// Down, still for a while (s), and up.
    fn and_up(self, lies: f32) -> Descent {
        let Rising { rest, keys: rising, up, ends } = Rising::of(self.lies);
        let place = |key: Key| key.moved(-rest.hips).turned(self.yaw, 1.0).moved(self.hips);
        let rises = self.still + lies;
        let mut keys = self.keys;
        keys.push(Key { t: self.still, ..place(rest) });
        keys.push(Key { t: rises, ..place(rest) });
        keys.extend(rising.into_iter().map(|key| Key { t: rises + key.t, ..place(key) }));
        let ends = place(Key { hips: ends.at_height(0.0), ..rest }).hips;
        Descent {
            keys,
            keeps: self.keeps,
            flies: self.flies,
            down: self.down,
            still: self.still,
            rises,
            up: rises + up,
            ends: Ground { x: ends.x, z: ends.z },
        }
    }
}

/// How somebody lies and gets up from there; times count from the moment at which they begin to.
struct Rising {
    rest: Key,
    keys: Vec<Key>,
    /// When they are up (s).
    up: f32,
    ends: Ground,
}

impl Rising {
    fn of(lie: Lie) -> Rising {
        match lie {
            Lie::Supine => Rising::after(&Course::of(falls::Fall::Back, Side::Left, 0.2)),
            Lie::Side => Rising::after(&Course::of(falls::Fall::Aside(Side::Right), Side::Left, 0.2)),
            Lie::Prone => Rising::from_the_front(),
        }
    }

    /// The way up of somebody who was struck.
    fn after(course: &Course) -> Rising {
        let later = |key: &&Key| key.t > course.rises + 1e-3;
        let unwound = |key: &Key| {
            let mut key = Key { t: key.t - course.rises, ..*key };
            // Who is no boxer does not turn into a guard.
            for tilt in [&mut key.pelvis, &mut key.chest, &mut key.head] {
                tilt.twist *= 0.3;
            }
            key
        };
        let rest = course.keys.iter().find(|key| key.t >= course.rises - 1e-3).or(course.keys.last());
        Rising {
            rest: rest.map_or_else(|| Rising::from_the_front().rest, unwound),
            keys: course.keys.iter().filter(later).map(unwound).collect(),
            up: course.up - course.rises,
            ends: course.ends,
        }
    }

    /// From lying on the front, with the hips at the origin: on all fours, and over one foot.
    fn from_the_front() -> Rising {
        let hands = [on_floor(1.0, 0.17, 0.34), on_floor(-1.0, -0.17, 0.32)];
        let rest = lying_on_front();
        let toes =
            |x: f32, z: f32, over: f32| lifted([x, 0.02, z], tilt(over, 0.0, 0.0), [0.3 * x, -1.0, 0.3]);
        let mut keys = vec![
            Key {
                t: 0.34,
                hips: Vec3::new(0.0, 0.05, 0.0),
                pelvis: tilt(1.42, 0.0, 0.0),
                chest: tilt(1.12, 0.0, 0.0),
                head: tilt(0.7, 0.0, 0.1),
                hands,
                feet: [toes(0.075, -0.50, 1.4), toes(-0.075, -0.51, 1.4)],
            },
            Key {
                t: 0.62,
                hips: Vec3::new(0.0, 0.19, -0.03),
                pelvis: tilt(1.15, 0.0, 0.0),
                chest: tilt(1.25, 0.0, 0.0),
                head: tilt(0.7, 0.0, 0.0),
                hands,
                feet: [toes(0.08, -0.34, 1.3), toes(-0.08, -0.33, 1.3)],
            },
        ];
        let course = Course::of(falls::Fall::Forward, Side::Left, 0.2);
        let after = Rising::after(&course);
        // Hands stay where they pushed.
        let by = Vec3::new(0.0, 0.0, 0.03);
        keys.extend(after.keys.iter().map(|key| Key { t: key.t + 0.55, ..key.moved(by) }));
        Rising { rest, keys, up: after.up + 0.55, ends: Ground { x: 0.0, z: by.z + after.ends.z } }
    }
}

/// Flat on the front, the hips at the origin.
fn lying_on_front() -> Key {
    let toes = |x: f32| lifted([x, 0.02, -0.53], tilt(1.9, 0.0, 0.0), [0.2 * x, -1.0, 0.2]);
    Key {
        t: 0.0,
        hips: Vec3::new(0.0, -0.03, 0.0),
        pelvis: tilt(1.52, 0.0, 0.0),
        chest: tilt(1.52, 0.0, 0.0),
        head: tilt(1.38, 0.0, 0.5),
        hands: [on_floor(1.0, 0.17, 0.34), on_floor(-1.0, -0.17, 0.32)],
        feet: [toes(0.075), toes(-0.075)],
    }
}

/// A foot that is where it was, the heel up by so much (rad).
fn kept(heel: f32) -> Foot {
    stands(0.0, 0.0, 0.0, heel)
}

/// A foot whose heel is where it was, the sole up by so much (rad).
fn on_heel(up: f32) -> Foot {
    /// From the heel to the ball of a foot (-).
    const HEEL: f32 = 0.09;
    let [rise, back] = [libm::sinf(up), 1.0 - libm::cosf(up)].map(|part| HEEL * part);
    Foot { ball: Vec3::new(0.0, rise, -back), sole: tilt(-up, 0.0, 0.0), ..kept(0.0) }
}

/// An arm at one's side; `out` is 1 for the left one.
fn hanging(out: f32) -> Hand {
    held(out, [0.15, -0.27, 0.02])
}

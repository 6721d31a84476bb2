//! A swordsman: a fighter with a sword in the right hand.

use std::sync::Arc;

use glam::Vec3;
use randori_motion::math::smootherstep;
use randori_motion::{Body, Bone, Clip, FrameRate, Placement, Pose, Side};

use super::BLADE;
use super::track::{Hold, Track};
use crate::fighter::Fighter;
use crate::figure::Posture;
use crate::performance::Beat;
use crate::performer::{Performer, Stance};

impl Stance {
    /// A swordsman's: the foot under the sword ahead, the trunk upright, the other hand out of the way.
    pub const SWORDSMAN: Stance = Stance {
        height: 0.945,
        depth: 0.165,
        width: 0.075,
        bladed: 0.42,
        bow: 0.09,
        toes: [0.12, 0.75],
        heels: [0.03, 0.26],
        guard: [Vec3::new(0.15, -0.40, 0.40), Vec3::new(-0.21, -0.44, 0.11)],
    };
}

/// Where a sword waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Before the body; its point threatens the face of whoever stands ahead.
    Middle,
    /// Beside the head, its point up: half wound up already.
    High,
}

impl Guard {
    fn hold(self) -> Hold {
        let (wrist, elbow, blade) = match self {
            Guard::Middle => {
                (Vec3::new(-0.14, -0.29, 0.40), Vec3::new(-0.45, -1.0, -0.25), Vec3::new(0.10, 0.46, 0.88))
            }
            Guard::High => {
                (Vec3::new(-0.31, 0.01, 0.15), Vec3::new(-0.85, -0.6, -0.1), Vec3::new(-0.02, 0.93, -0.37))
            }
        };
        Hold { wrist, elbow, blade: blade.normalize_or(Vec3::Z) }
    }
}

/// Somebody with a sword who is told what to do, in order of time.
pub struct Swordsman {
    pub(crate) fighter: Fighter,
    pub(crate) track: Track,
}

impl Swordsman {
    /// Somebody in guard, the right foot ahead.
    ///
    /// # Panics
    /// If the body's skeleton is not the library's.
    pub fn new(body: Arc<Body>, stance: Stance, placement: Placement, seed: u64) -> Swordsman {
        Swordsman { fighter: Fighter::leading(body, stance, placement, Side::Right, seed), track: in_guard() }
    }

    /// What was told so far.
    pub fn script(&self) -> &[Beat] {
        &self.fighter.script
    }

    /// A guard, a little different every time.
    pub(super) fn guard(&mut self, guard: Guard) -> Hold {
        let fighter = &mut self.fighter;
        let mut spread =
            |by: Vec3| Vec3::new(fighter.spread(by.x), fighter.spread(by.y), fighter.spread(by.z));
        let Hold { wrist, elbow, blade } = guard.hold();
        Hold {
            wrist: wrist + spread(Vec3::new(0.025, 0.03, 0.025)),
            elbow,
            blade: (blade + spread(Vec3::new(0.07, 0.09, 0.05))).normalize_or(Vec3::Z),
        }
    }

    /// Brings the sword to a guard from `t` on, in no less than `duration` seconds; returns when it is there (s).
    pub fn recover(&mut self, guard: Guard, t: f32, duration: f32) -> f32 {
        let hold = self.guard(guard);
        let end = t + duration.max(self.least_time(&hold));
        self.track.rest([t, end - 0.04], 0.04, hold);
        end
    }

    /// How long the blade takes at least to where it is held like this, unless it cuts (s).
    pub(super) fn least_time(&self, hold: &Hold) -> f32 {
        /// Seconds for a radian.
        const SLOW: f32 = 0.21;
        SLOW * self.track.turn_to(hold)
    }

    /// The posture at a time, sword in hand.
    pub fn posture(&self, t: f32) -> Posture {
        let mut posture = self.fighter.performer.posture(t);
        hold(&self.fighter.performer, &self.track, &mut posture, t);
        posture
    }

    /// The pose at a time.
    pub fn pose(&self, t: f32) -> Pose {
        self.fighter.performer.figure().pose(&self.posture(t))
    }

    /// What was told so far, played from 0 on for so many seconds.
    pub fn clip(&self, name: &str, seconds: f32) -> Clip {
        let rate = FrameRate::HOUSE;
        let n_frames = (f64::from(seconds) * rate.fps()) as usize + 1;
        let poses = (0..n_frames).map(|frame| self.pose(rate.time_of(frame) as f32));
        let skeleton = Arc::clone(&self.fighter.performer.body().skeleton);
        Clip::from_poses(name, skeleton, rate, poses).expect("strokes, tracks and their sums are finite")
    }
}

/// A sword that has always been in the middle guard.
pub(crate) fn in_guard() -> Track {
    Track::new(Guard::Middle.hold())
}

/// The height for which holds are given (m).
const STATURE: f32 = 1.75;

/// Puts the right hand and the sword where the track has them.
pub(crate) fn hold(performer: &Performer, track: &Track, posture: &mut Posture, t: f32) {
    let figure = performer.figure();
    let facing = performer.path().at(t).rotation();
    let neck = figure.place_of(Bone::Neck, posture);
    let Hold { wrist, elbow, blade } = track.at(t);
    // Nobody holds a point quite still.
    let wander = Vec3::new(
        0.012 * performer.wave(t, 0.73, 0),
        0.016 * performer.wave(t, 0.57, 2),
        0.014 * performer.wave(t, 0.49, 4),
    );
    let sways = Vec3::new(0.045 * performer.wave(t, 0.61, 1), 0.05 * performer.wave(t, 0.83, 3), 0.0);
    let hand = &mut posture.hands[Side::Right as usize];
    hand.wrist = neck + facing * ((wrist + wander) * (figure.stature() / STATURE));
    hand.elbow = facing * elbow;
    hand.protraction = 0.3 * smootherstep((wrist.z - 0.35) / 0.25);
    hand.shrug = 0.06 + 0.2 * smootherstep((wrist.y + 0.1) / 0.3);
    figure.keep_hands_clear(posture);
    figure.point(posture, Side::Right, BLADE.ends[1] - BLADE.ends[0], facing * (blade + sways));
    figure.keep_off_the_floor(posture);
}

//! Pushes: which way they send somebody, and what trunk, head and hands do about it.

use std::f32::consts::FRAC_PI_4;

use glam::Vec3;
use randori_motion::Side;
use randori_motion::annotation::{PUSHES, PUSHES_HARD};

use crate::performer::sign;
use crate::stroke::Channel;

/// A push against the upper body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Push {
    /// Where it comes from: in front, and on to the own left in eighths of a turn.
    eighth: usize,
    pub(super) is_hard: bool,
}

impl Push {
    /// Every direction, lightly and hard.
    pub(super) fn all() -> impl Iterator<Item = Push> {
        [false, true].into_iter().flat_map(|is_hard| (0..8).map(move |eighth| Push { eighth, is_hard }))
    }

    /// What the script calls it.
    pub(super) fn name(self) -> &'static str {
        if self.is_hard { PUSHES_HARD[self.eighth] } else { PUSHES[self.eighth] }
    }

    /// The way it sends the body: to the own left, and ahead.
    pub(super) fn sends(self) -> Vec3 {
        let from = FRAC_PI_4 * self.eighth as f32;
        -Vec3::new(libm::sinf(from), 0.0, libm::cosf(from))
    }

    /// What trunk and head do when sent a way by a push of some power (1 is hard): channel, then delay, rise, hold and
    /// fall (s), and how far. The shoulders go first, the head stays behind and follows, the hips come last.
    pub(super) fn strokes(way: Vec3, power: f32) -> Vec<(Channel, [f32; 4], f32)> {
        // Trunks bend less far back than forward.
        let ahead = if way.z < 0.0 { 0.75 * way.z } else { way.z };
        let (hold, fall) = (0.10 + 0.22 * power, 0.55 + 0.2 * power);
        vec![
            (Channel::Bow, [0.0, 0.15, hold, fall], 0.46 * ahead * power),
            (Channel::Lean, [0.0, 0.15, hold, fall], 0.34 * way.x * power),
            (Channel::ChestTurn, [0.0, 0.13, 0.05, fall], -0.26 * way.x * power),
            (Channel::HeadNod, [0.0, 0.09, 0.02, 0.24], -0.34 * ahead * power),
            (Channel::HeadTilt, [0.0, 0.09, 0.02, 0.24], -0.26 * way.x * power),
            (Channel::HeadNod, [0.16, 0.16, 0.05, fall], 0.20 * ahead * power),
            (Channel::Ahead, [0.07, 0.16, 0.04, 0.36], -0.05 * way.z * power),
            (Channel::Aside, [0.07, 0.16, 0.04, 0.36], -0.05 * way.x * power),
            (Channel::HipBow, [0.06, 0.16, hold, fall], 0.10 * ahead * power),
            (Channel::Crouch, [0.16, 0.18, 0.8 * hold, fall], 0.055 * power),
        ]
    }

    /// How far a hand is flung, soon and then later, in the body's frame (m): it stays behind, then goes out for balance.
    pub(super) fn flings(way: Vec3, power: f32, hand: Side) -> [Vec3; 2] {
        let out = sign(hand);
        // The arm on the side to which one goes reaches out, the other goes up.
        let towards = (way.x * out).max(0.0);
        let behind = -Vec3::new(0.10 * way.x, 0.0, 0.22 * way.z);
        let balance = Vec3::new(
            out * (0.20 + 0.10 * (1.0 - towards)) + 0.06 * way.x,
            0.16 + 0.12 * (1.0 - towards),
            0.14 + 0.20 * way.z.max(0.0),
        );
        [(behind + Vec3::Y * 0.05) * power, balance * power]
    }
}

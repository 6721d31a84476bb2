//! What a blow does to somebody who keeps standing: the struck part goes first, the rest of the body after it.

use glam::Vec3;
use randori_motion::{Annotation, Side};

use crate::performer::sign;
use crate::stroke::Channel;

/// Where a blow lands, and from where it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blow {
    /// On the face.
    HeadFront,
    /// On one side of the head.
    HeadSide(Side),
    /// In the belly.
    TorsoFront,
    /// On one side of the ribs.
    TorsoSide(Side),
    /// Between the shoulder blades.
    Back,
}

/// One push of a reaction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shove {
    pub channel: Channel,
    /// How long after the blow it begins (s).
    pub delay: f32,
    /// How long it takes to build up, is kept and takes to fade (s).
    pub rise: f32,
    pub hold: f32,
    pub fall: f32,
    /// Its size for a heavy blow, in the channel's unit.
    pub amount: f32,
}

impl Blow {
    /// All of them.
    pub(super) const ALL: [Blow; 7] = [
        Blow::HeadFront,
        Blow::HeadSide(Side::Left),
        Blow::HeadSide(Side::Right),
        Blow::TorsoFront,
        Blow::TorsoSide(Side::Left),
        Blow::TorsoSide(Side::Right),
        Blow::Back,
    ];

    /// What the script calls it.
    pub(super) fn annotation(self) -> Annotation {
        Annotation::of(match self {
            Blow::HeadFront => "hit-head-front",
            Blow::HeadSide(Side::Left) => "hit-head-left",
            Blow::HeadSide(Side::Right) => "hit-head-right",
            Blow::TorsoFront => "hit-torso-front",
            Blow::TorsoSide(Side::Left) => "hit-torso-left",
            Blow::TorsoSide(Side::Right) => "hit-torso-right",
            Blow::Back => "hit-back",
        })
    }

    /// The way the body is driven: to the own left, and ahead.
    pub(super) fn drives(self) -> Vec3 {
        match self {
            Blow::HeadFront | Blow::TorsoFront => Vec3::NEG_Z,
            Blow::HeadSide(side) | Blow::TorsoSide(side) => Vec3::new(-sign(side), 0.0, -0.35),
            Blow::Back => Vec3::Z,
        }
    }

    /// What happens to trunk and head.
    pub(super) fn shoves(self) -> Vec<Shove> {
        let row = |channel, [delay, rise, hold, fall, amount]: [f32; 5]| Shove {
            channel,
            delay,
            rise,
            hold,
            fall,
            amount,
        };
        match self {
            Blow::HeadFront => vec![
                row(Channel::HeadNod, [0.0, 0.075, 0.02, 0.38, -0.95]),
                row(Channel::HeadNod, [0.24, 0.18, 0.0, 0.30, 0.14]),
                row(Channel::Bow, [0.03, 0.12, 0.03, 0.46, -0.42]),
                row(Channel::Ahead, [0.055, 0.15, 0.05, 0.45, -0.14]),
                row(Channel::HipBow, [0.06, 0.14, 0.02, 0.40, -0.07]),
                row(Channel::Crouch, [0.12, 0.17, 0.04, 0.40, 0.05]),
            ],
            Blow::HeadSide(side) => {
                let away = -sign(side);
                vec![
                    row(Channel::HeadTurn, [0.0, 0.08, 0.03, 0.44, 1.05 * away]),
                    row(Channel::HeadTilt, [0.005, 0.09, 0.02, 0.42, 0.55 * away]),
                    row(Channel::HeadNod, [0.03, 0.12, 0.02, 0.35, 0.16]),
                    row(Channel::ChestTurn, [0.03, 0.13, 0.03, 0.46, 0.46 * away]),
                    row(Channel::Lean, [0.035, 0.13, 0.03, 0.46, 0.36 * away]),
                    row(Channel::HipTurn, [0.06, 0.15, 0.02, 0.42, 0.16 * away]),
                    row(Channel::Aside, [0.055, 0.15, 0.04, 0.45, 0.12 * away]),
                    row(Channel::Crouch, [0.10, 0.16, 0.04, 0.40, 0.05]),
                ]
            }
            Blow::TorsoFront => vec![
                row(Channel::HipBow, [0.0, 0.10, 0.04, 0.45, 0.10]),
                row(Channel::Ahead, [0.0, 0.11, 0.06, 0.46, -0.15]),
                row(Channel::Bow, [0.01, 0.12, 0.06, 0.50, 0.46]),
                row(Channel::HeadNod, [0.05, 0.14, 0.04, 0.45, 0.35]),
                row(Channel::Crouch, [0.06, 0.16, 0.06, 0.45, 0.09]),
            ],
            Blow::TorsoSide(side) => {
                let out = sign(side);
                vec![
                    row(Channel::HipLean, [0.0, 0.10, 0.03, 0.40, -0.10 * out]),
                    row(Channel::Aside, [0.0, 0.11, 0.05, 0.45, -0.12 * out]),
                    row(Channel::Lean, [0.01, 0.12, 0.05, 0.46, 0.40 * out]),
                    row(Channel::ChestTurn, [0.02, 0.13, 0.04, 0.42, -0.24 * out]),
                    row(Channel::Bow, [0.04, 0.15, 0.05, 0.45, 0.18]),
                    row(Channel::HeadTilt, [0.05, 0.14, 0.03, 0.40, 0.20 * out]),
                    row(Channel::Crouch, [0.06, 0.16, 0.05, 0.42, 0.06]),
                ]
            }
            Blow::Back => vec![
                row(Channel::Bow, [0.0, 0.09, 0.0, 0.26, -0.30]),
                row(Channel::HeadNod, [0.01, 0.10, 0.0, 0.30, -0.60]),
                row(Channel::Ahead, [0.02, 0.13, 0.05, 0.48, 0.15]),
                row(Channel::Bow, [0.20, 0.20, 0.03, 0.42, 0.26]),
                row(Channel::HeadNod, [0.24, 0.18, 0.0, 0.34, 0.22]),
                row(Channel::Crouch, [0.10, 0.16, 0.05, 0.42, 0.06]),
            ],
        }
    }

    /// How far a hand is flung out of the guard by a heavy blow, in the body's frame (m): hands stay behind the
    /// head that they guard, and drop to what hurts.
    pub(super) fn flings(self, hand: Side) -> Vec3 {
        let out = sign(hand);
        match self {
            Blow::HeadFront => Vec3::new(0.05 * out, -0.07, 0.10),
            Blow::HeadSide(side) => Vec3::new(0.10 * sign(side) + 0.03 * out, -0.07, 0.02),
            Blow::TorsoFront => Vec3::new(-0.02 * out, -0.17, -0.06),
            Blow::TorsoSide(side) if side == hand => Vec3::new(0.02 * out, -0.20, -0.08),
            Blow::TorsoSide(_) => Vec3::new(0.04 * out, -0.03, 0.04),
            Blow::Back => Vec3::new(0.11 * out, 0.03, 0.02),
        }
    }
}

//! How people stand, step and bend with what they carry.

use glam::Vec3;
use randori_motion::annotation::Load;

use crate::running::gait::{Gait, STAND};

/// All that differs from load to load. Lengths are shares of the stature unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Manner {
    /// From palm to palm (m): loads do not grow with people.
    pub(super) width: f32,
    /// Where the middle of the palms is, from the joint of the hips, while it is carried.
    pub(super) carried: Vec3,
    /// Where it is while it is handed over.
    pub(super) offered: Vec3,
    /// Where it is on the floor, from below the hips of somebody who stands upright.
    pub(super) floor: Vec3,
    /// How far the trunk bends to take it from the floor (rad).
    pub(super) bow: f32,
    /// How long it takes to bend for it and to rise with it (s).
    pub(super) down: f32,
    pub(super) up: f32,
    /// Speed ahead (m/s).
    pub(super) speed: f32,
    /// Time from step to step (s).
    period: f32,
    /// Height of the hips, relative to standing upright (-).
    level: f32,
    /// How far the trunk bends forward against the weight (rad).
    lean: f32,
}

impl Manner {
    pub(super) fn of(load: Load) -> Manner {
        let light = Manner {
            width: if load.is_large { 0.50 } else { 0.30 },
            carried: Vec3::new(0.0, 0.055, if load.is_large { 0.185 } else { 0.168 }),
            offered: Vec3::new(0.0, 0.085, 0.295),
            floor: Vec3::new(0.0, if load.is_large { 0.115 } else { 0.085 }, 0.205),
            bow: 1.25,
            down: 0.75,
            up: 0.85,
            speed: 0.88,
            period: 0.55,
            level: 0.962,
            lean: 0.015,
        };
        let own = match load.is_heavy {
            false => light,
            true => Manner {
                carried: light.carried + Vec3::new(0.0, -0.018, -0.022),
                offered: Vec3::new(0.0, 0.02, 0.265),
                bow: 1.0,
                down: 1.0,
                up: 1.25,
                speed: 0.50,
                period: 0.60,
                level: 0.935,
                lean: -0.14,
                ..light
            },
        };
        if !load.is_shared {
            return own;
        }
        // The end of what two carry hangs from arms that are nearly straight.
        let carried = if load.is_heavy { Vec3::new(0.0, 0.010, 0.178) } else { Vec3::new(0.0, 0.006, 0.208) };
        Manner {
            carried,
            floor: own.floor + Vec3::new(0.0, 0.012, 0.008),
            speed: 0.78 * own.speed,
            lean: if load.is_heavy { own.lean - 0.03 } else { own.lean },
            ..own
        }
    }

    /// How such a load is walked at a velocity to the left and ahead (m/s), by somebody of a stature (m).
    pub(super) fn gait(&self, aside: f32, ahead: f32, stature: f32) -> Gait {
        let forward = (ahead / 0.9).clamp(-1.0, 1.0);
        let roll = forward.max(0.0);
        let going = (libm::hypotf(aside, ahead) / 0.5).min(1.0);
        let pace = libm::sqrtf(stature / 1.75);
        // Feet that go aside are set down beside each other, never across.
        let beside = 0.5 * (aside.abs() * self.period * pace + 0.15) / stature;
        Gait {
            period: self.period,
            swing: 0.74 * self.period,
            level: self.level,
            bob: 0.0065 * going,
            width: beside.max(0.047),
            toe_out: 0.14,
            landing: 0.02 + 0.20 * roll,
            push: 0.28 + 0.42 * roll,
            fold: 0.34 + 0.5 * roll,
            fold_height: 0.032,
            pass_height: 0.022,
            hip_turn: 0.05 * forward,
            chest_turn: 0.012,
            hip_drop: 0.035 * going,
            shift: 0.018,
            lean: self.lean,
            surge: 0.003 * forward,
            ..STAND
        }
        .paced_for(stature)
    }

    /// How somebody stands with it.
    pub(super) fn stance(&self) -> Gait {
        Gait { level: self.level + 0.008, lean: self.lean, ..READY }
    }
}

/// Standing with the feet apart and free hands.
pub(super) const READY: Gait = Gait { width: 0.07, toe_out: 0.24, ..STAND };

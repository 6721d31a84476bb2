//! Where the feet are: planted, or on their way to the next plant.

use glam::{Quat, Vec3};
use randori_motion::math::{rotation_of_heading, smootherstep, wrap_angle};
use randori_motion::{Ground, Placement};

/// A foot set down: its ball stands at a point of the floor and points somewhere until the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plant {
    /// When the foot has come down (s).
    pub landed: f32,
    /// How long it was in the air before (s).
    pub swing: f32,
    /// How high the ball was lifted on its way (m).
    pub lift: f32,
    /// Where the ball stands and which way the foot points.
    pub placement: Placement,
}

/// The plants of one foot, in order of time.
#[derive(Clone, Debug)]
pub struct Footwork {
    plants: Vec<Plant>,
}

/// How far the heel rises while the foot is carried (rad).
const CARRIED_HEEL: f32 = 0.35;

/// A foot at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootAt {
    /// The ball on or above the floor; y is its height above where it stands when planted (m).
    pub ball: Vec3,
    /// Which way the foot points, level.
    pub turn: Quat,
    /// How far the heel is up (rad).
    pub heel: f32,
    /// How much weight it may carry, 0 in the air to 1 planted.
    pub planted: f32,
}

impl Footwork {
    /// A foot that has always stood here.
    pub fn standing(placement: Placement) -> Footwork {
        Footwork { plants: vec![Plant { landed: f32::NEG_INFINITY, swing: 0.0, lift: 0.0, placement }] }
    }

    /// Steps to another place. Steps must be given in order of time; a foot that has not landed yet leaves later.
    pub fn step(&mut self, plant: Plant) {
        let landed = self.plants.last().map_or(f32::NEG_INFINITY, |last| last.landed);
        let swing = plant.swing.min(plant.landed - landed);
        self.plants.push(Plant { swing, ..plant });
    }

    /// Where the foot stood last before it is lifted again.
    pub fn last(&self) -> Placement {
        self.plants.last().map(|plant| plant.placement).unwrap_or_default()
    }

    /// The foot at a time.
    pub fn at(&self, t: f32) -> FootAt {
        let next = self.plants.partition_point(|plant| plant.landed <= t);
        let from = self.plants[next.saturating_sub(1)].placement;
        let standing = |placement: Placement| FootAt {
            ball: placement.position.at_height(0.0),
            turn: placement.rotation(),
            heel: 0.0,
            planted: 1.0,
        };
        let Some(to) = self.plants.get(next) else { return standing(from) };
        let share = 1.0 - (to.landed - t) / to.swing.max(1e-3);
        if share <= 0.0 {
            return standing(from);
        }
        // The foot is lifted before it is carried and set down after, and is highest a little before half way.
        let along = smootherstep((share - 0.1) / 0.8);
        let arc = smootherstep(share / 0.38) * smootherstep((1.0 - share) / 0.42);
        let position = Ground {
            x: from.position.x + along * (to.placement.position.x - from.position.x),
            z: from.position.z + along * (to.placement.position.z - from.position.z),
        };
        let turn = from.heading + along * wrap_angle(to.placement.heading - from.heading);
        FootAt {
            ball: position.at_height(to.lift * arc),
            turn: rotation_of_heading(turn),
            heel: CARRIED_HEEL * arc * (to.lift / 0.12).min(1.0),
            planted: 1.0 - smootherstep(share / 0.2) * smootherstep((1.0 - share) / 0.2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_feet_do_not_move_and_steps_arrive() {
        let at = |z: f32| Placement { position: Ground { x: 0.1, z }, heading: 0.2 };
        let mut foot = Footwork::standing(at(0.0));
        foot.step(Plant { landed: 1.0, swing: 0.3, lift: 0.06, placement: at(0.4) });
        for t in [-5.0, 0.0, 0.7] {
            assert_eq!(foot.at(t).ball, Vec3::new(0.1, 0.0, 0.0));
        }
        for t in [1.0, 9.0] {
            assert_eq!(foot.at(t).ball, Vec3::new(0.1, 0.0, 0.4));
        }
        let middle = foot.at(0.85);
        assert!(middle.ball.y > 0.02 && (middle.ball.z - 0.2).abs() < 1e-3 && middle.planted < 0.1);
    }
}

//! The bounce: how the body rises and sinks as its feet leave the floor and come back.

use crate::curve::{Key, quintic};

/// Both feet off the floor for a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hop {
    /// When the last foot leaves (s).
    pub takeoff: f32,
    /// When the first is down again (s).
    pub landing: f32,
}

/// The hops of somebody, in order of time.
///
/// In the air the body flies freely; between a landing and the next takeoff the legs give and push so that
/// place, velocity and acceleration go on without a break.
#[derive(Clone, Debug, Default)]
pub struct Bounce {
    hops: Vec<Hop>,
}

/// Of free fall (m/s²).
const GRAVITY: f32 = 9.81;
/// Longest time between landing and takeoff in which the legs act as one spring (s).
const SPRING: f32 = 0.40;
/// How long legs take to absorb a landing and to push off when there is more time than that (s).
const ABSORB: f32 = 0.22;
/// How far below the height of takeoff somebody stands who rests between hops (m).
const REST: f32 = 0.045;

impl Bounce {
    /// Adds a hop. Hops must be given in order of time.
    pub fn push(&mut self, hop: Hop) {
        self.hops.push(hop);
    }

    /// How high the body is above where it is when it leaves the floor (m).
    pub fn height(&self, t: f32) -> f32 {
        let next = self.hops.partition_point(|hop| hop.takeoff <= t);
        let to = self.hops.get(next);
        let Some(from) = next.checked_sub(1).and_then(|last| self.hops.get(last)) else {
            return to.map_or(-REST, |to| leave(to, ABSORB, to.takeoff - t));
        };
        if t < from.landing {
            let since = t - from.takeoff;
            return 0.5 * GRAVITY * since * (from.landing - from.takeoff - since);
        }
        let Some(to) = to else { return arrive(from, ABSORB, t - from.landing) };
        let stance = to.takeoff - from.landing;
        if stance < SPRING {
            quintic(landing(from), takeoff(to), stance, t - from.landing)
        } else if t < from.landing + 0.5 * stance {
            arrive(from, ABSORB, t - from.landing)
        } else {
            leave(to, ABSORB, to.takeoff - t)
        }
    }
}

fn speed(hop: &Hop) -> f32 {
    0.5 * GRAVITY * (hop.landing - hop.takeoff)
}

fn landing(hop: &Hop) -> Key {
    Key { place: 0.0, velocity: -speed(hop), acceleration: -GRAVITY }
}

fn takeoff(hop: &Hop) -> Key {
    Key { place: 0.0, velocity: speed(hop), acceleration: -GRAVITY }
}

fn arrive(hop: &Hop, duration: f32, since: f32) -> f32 {
    quintic(landing(hop), Key::rest(-REST), duration, since)
}

fn leave(hop: &Hop, duration: f32, until: f32) -> f32 {
    quintic(Key::rest(-REST), takeoff(hop), duration, duration - until)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_flies_and_springs_without_a_break() {
        let mut bounce = Bounce::default();
        for (takeoff, landing) in [(1.0, 1.12), (1.4, 1.52), (2.4, 2.6)] {
            bounce.push(Hop { takeoff, landing });
        }
        let h = 2e-3;
        let acceleration = |t: f32| {
            let y = |t: f32| f64::from(bounce.height(t));
            ((y(t + h) - 2.0 * y(t) + y(t - h)) / f64::from(h * h)) as f32
        };
        // Free fall in the air, and no jump of acceleration anywhere.
        assert!((acceleration(1.06) + GRAVITY).abs() < 0.5);
        let mut before = acceleration(0.5);
        for step in 0..1200 {
            let now = acceleration(0.5 + step as f32 * h);
            assert!((now - before).abs() < 3.0, "{} {now} {before}", 0.5 + step as f32 * h);
            assert!(now.abs() < 30.0);
            before = now;
        }
        // A spring gives some centimetres.
        assert!((-0.12..-0.05).contains(&bounce.height(1.26)), "{}", bounce.height(1.26));
        assert_eq!(bounce.height(0.0), -REST);
    }
}

//! Communication that takes time: what several people do together, they know late.
//!
//! Beyond \[Vaillant2017\], whose outlook names it. Everybody feels their own body at once. The common centre of mass
//! of several people is known as it was a while ago: tasks about it pull from there. What somebody sees of another is
//! as old ([`Sight`]).

use std::collections::VecDeque;

use glam::DVec3;

use super::World;
use crate::scene::{Feature, Place};
use crate::spatial::{Motion, Pose};

/// What was, in order of time: the first is the oldest that is still needed.
#[derive(Clone, Debug)]
struct History<T> {
    past: VecDeque<(f64, T)>,
}

impl<T: Copy> History<T> {
    fn new() -> History<T> {
        History { past: VecDeque::new() }
    }

    /// Keeps what is now, and answers what was at `time - delay`.
    fn pass(&mut self, time: f64, now: T, delay: f64) -> T {
        self.past.push_back((time, now));
        while self.past.len() > 1 && self.past[1].0 <= time - delay + 1e-9 {
            self.past.pop_front();
        }
        self.past.front().map_or(now, |(_, then)| *then)
    }
}

/// How somebody sees a frame of another: where it was and how it moved.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    place: Place,
    history: History<(Pose, Motion)>,
}

impl Sight {
    pub(crate) fn of(place: Place) -> Sight {
        Sight { place, history: History::new() }
    }

    /// Its pose and its velocity, at the world's origin, as they were `delay` ago (s); once per step.
    pub(crate) fn look(&mut self, world: &World, delay: f64) -> (Pose, Motion) {
        let (pose, at) = (world.pose(self.place), world.velocity(self.place));
        let linear = at.linear - at.angular.cross(pose.translation);
        self.history.pass(world.time, (pose, Motion { linear, ..at }), delay)
    }
}

/// The common centres of mass of several people, as everybody knows them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hearsay {
    centers: Vec<(String, History<[DVec3; 2]>)>,
    /// By how much targets and their velocities are moved for the step, by task.
    moved: Vec<(usize, [DVec3; 2])>,
}

impl Hearsay {
    /// Moves the targets of common centres of mass by what nobody knows yet, which is the same as measuring them
    /// late.
    pub(super) fn begin(&mut self, world: &mut World, delay: f64) {
        self.moved.clear();
        if delay <= 0.0 {
            return;
        }
        for idx in 0..world.scene.tasks.len() {
            let task = &world.scene.tasks[idx];
            let Feature::CenterOfMass { subsystems, .. } = &task.feature else { continue };
            let driven = |s: &&usize| !world.scene.subsystems[**s].model.actuated.is_empty();
            if subsystems.iter().filter(driven).count() < 2 {
                continue;
            }
            let center = world.moving_center(subsystems);
            let slot = match self.centers.iter().position(|(name, _)| *name == task.name) {
                Some(slot) => slot,
                None => {
                    self.centers.push((task.name.clone(), History::new()));
                    self.centers.len() - 1
                }
            };
            let now = [center.position, center.velocity];
            let then = self.centers[slot].1.pass(world.time, now, delay);
            self.moved.push((idx, [now[0] - then[0], now[1] - then[1]]));
        }
        self.shift(world, 1.0);
    }

    /// Puts targets back.
    pub(super) fn end(&mut self, world: &mut World) {
        self.shift(world, -1.0);
        self.moved.clear();
    }

    fn shift(&self, world: &mut World, sign: f64) {
        for (idx, [place, speed]) in &self.moved {
            let Some(task) = world.scene.tasks.get_mut(*idx) else { continue };
            let Feature::CenterOfMass { position, .. } = &mut task.feature else { continue };
            *position += sign * *place;
            task.velocity.resize(3, 0.0);
            for (axis, speed) in speed.to_array().into_iter().enumerate() {
                task.velocity[axis] += sign * speed;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_comes_back_after_the_delay() {
        let mut history = History::new();
        let seen: Vec<f64> = (0..10).map(|k| history.pass(f64::from(k) * 0.1, f64::from(k), 0.3)).collect();
        assert_eq!(seen, [0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let mut at_once = History::new();
        assert!((0..5).all(|k| at_once.pass(f64::from(k), k, 0.0) == k));
    }
}

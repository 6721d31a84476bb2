//! How far somebody got along their path.

use randori_arena::objectives::Goal;
use randori_motion::{Annotation, Ground};

use super::report::CheckpointReport;
use crate::screenplay::Checkpoint;

/// A path under way.
#[derive(Clone, Debug)]
pub(super) struct Way {
    path: Vec<Checkpoint>,
    /// The checkpoint that is next.
    next: usize,
    /// Where and when the last one was done with, or the path began.
    from: (Ground, f64),
    /// Whether the next one was reached.
    reached: Option<f64>,
    /// What it requires and has not seen yet.
    wanting: Vec<Annotation>,
    /// The nearest that somebody was to the next one around its time (m), and when (s).
    nearest: Option<(f32, f64)>,
    /// The last one that was done with, and until when somebody may still come nearer to it (s).
    left: Option<(Ground, f64)>,
}

/// Around its time somebody counts as being on time, and may do what a checkpoint requires (s).
const ON_TIME: f64 = 0.5;

impl Way {
    pub(super) fn of(path: &[Checkpoint], from: Ground, start: f64) -> Way {
        let mut way = Way {
            path: path.to_vec(),
            next: 0,
            from: (from, start),
            reached: None,
            wanting: Vec::new(),
            nearest: None,
            left: None,
        };
        way.turn_to_next();
        way
    }

    /// The same with all its times later (s).
    pub(super) fn later(mut self, by: f64) -> Way {
        for checkpoint in &mut self.path {
            checkpoint.time = checkpoint.time.map(|time| time + by);
        }
        self
    }

    fn turn_to_next(&mut self) {
        self.wanting = self.path.get(self.next).map_or_else(Vec::new, |next| next.require.clone());
        (self.reached, self.nearest) = (None, None);
    }

    /// Where to be some time (s) from now, as things stand, and which way to go from here to be on the way.
    pub(super) fn goal(&self, here: Ground, now: f64, ahead: f64) -> Option<Goal> {
        /// Whoever runs looks so far ahead along their way (s): a body that runs cannot step aside.
        const LOOKED_AHEAD: f64 = 1.0;
        /// From a place nearer than this there is no way to go (m).
        const THERE: f32 = 0.3;
        let position = self.place_at(now + ahead)?;
        let farther = self.place_at(now + LOOKED_AHEAD)?;
        let heading = libm::atan2f(farther.x - here.x, farther.z - here.z);
        Some(Goal { position, heading: (here.distance(farther) > THERE).then_some(heading) })
    }

    /// Where to be at a time (s): on the line from checkpoint to checkpoint. After the last one, about there.
    fn place_at(&self, time: f64) -> Option<Ground> {
        let mut from = self.from;
        for next in &self.path[self.next..] {
            let Some(due) = next.time.filter(|due| *due > from.1) else { return Some(next.at) };
            if time < due {
                let share = ((time - from.1) / (due - from.1)).clamp(0.0, 1.0) as f32;
                let (a, b) = (from.0, next.at);
                return Some(Ground { x: a.x + (b.x - a.x) * share, z: a.z + (b.z - a.z) * share });
            }
            if !next.require.is_empty() {
                return Some(next.at);
            }
            from = (next.at, due);
        }
        self.path.last().map(|last| last.at)
    }

    /// What is asked for now.
    pub(super) fn required(&self, now: f64) -> Vec<Annotation> {
        // Whoever is driven off is asked for it wherever they are when its time has come.
        let is_due = self.path.get(self.next).is_some_and(|next| {
            let is_soon = next.time.is_none_or(|time| now >= time - ON_TIME);
            (self.reached.is_some() && is_soon) || next.time.is_some_and(|time| now >= time)
        });
        if is_due { self.wanting.clone() } else { Vec::new() }
    }

    /// What must not be done on the way to the next one.
    pub(super) fn forbidden(&self) -> Vec<Annotation> {
        self.path.get(self.next).map_or_else(Vec::new, |next| next.forbid.clone())
    }

    /// Somebody did something.
    pub(super) fn performed(&mut self, annotation: &Annotation, now: f64) {
        if !self.required(now).is_empty() {
            self.wanting.retain(|wanted| wanted != annotation);
        }
    }

    /// Looks where somebody is; says which checkpoints are done with.
    pub(super) fn look(&mut self, place: Ground, now: f64) -> Vec<CheckpointReport> {
        let mut done = Vec::new();
        while let Some(next) = self.path.get(self.next) {
            let off = place.distance(next.at);
            if off <= next.within && self.reached.is_none() {
                self.reached = Some(now);
            }
            let counts = next.time.is_none_or(|time| (now - time).abs() <= ON_TIME);
            if counts && self.nearest.is_none_or(|(least, _)| off < least) {
                self.nearest = Some((off, now));
            }
            let is_time = next.time.is_none_or(|time| now >= time);
            // Whoever is late where nothing is to be done, and has to be elsewhere by then, goes on.
            let is_missed = next.time.is_some_and(|time| now >= time + ON_TIME)
                && self.path.get(self.next + 1).is_some_and(|after| after.time.is_some());
            let is_done = self.wanting.is_empty() && is_time && (self.reached.is_some() || is_missed);
            if !is_done {
                break;
            }
            let off = self.nearest.map_or(off, |(least, _)| least.min(off));
            done.push(CheckpointReport {
                number: self.next as u32 + 1,
                time: next.time,
                reached: self.reached,
                done: now,
                error: off,
                late: self.reached.and_then(|reached| Some((reached - next.time?).max(0.0))),
            });
            self.left = next.time.map(|time| (next.at, time + ON_TIME));
            // They are where they are, and the next one counts from the time of this one.
            self.from = (next.at, next.time.unwrap_or(now));
            self.next += 1;
            self.turn_to_next();
        }
        done
    }

    /// How far off somebody is from the last one that was done with (m), while that is still around its time.
    pub(super) fn off_last(&self, place: Ground, now: f64) -> Option<f32> {
        self.left.filter(|(_, until)| now <= *until).map(|(at, _)| place.distance(at))
    }

    /// How many checkpoints are left.
    pub(super) fn n_left(&self) -> usize {
        self.path.len() - self.next
    }
}

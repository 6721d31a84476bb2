//! The clock that viewers look at, and where it is in the take.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::clock;
use crate::film::Film;

/// The clock that viewers look at.
pub(super) struct Clock {
    /// Where it is (s).
    pub(super) t: f64,
    runs: bool,
    rate: f64,
    pub(super) loops: bool,
    /// When it was looked at last.
    since: Instant,
}

impl Clock {
    pub(super) fn new() -> Clock {
        Clock { t: 0.0, runs: false, rate: 1.0, loops: true, since: clock::now() }
    }

    pub(super) fn begin(&mut self) {
        (self.t, self.runs, self.since) = (0.0, true, clock::now());
    }

    pub(super) fn run(&mut self, on: bool, film: Option<&Film>) {
        if on && film.is_some_and(|film| self.t >= film.ready()) {
            self.t = 0.0;
        }
        (self.runs, self.since) = (on, clock::now());
    }

    pub(super) fn is_running(&self) -> bool {
        self.runs
    }

    pub(super) fn go_to(&mut self, t: f64) {
        (self.t, self.since) = (t, clock::now());
    }

    pub(super) fn speed(&mut self, rate: f64) {
        self.rate = rate;
    }

    /// How long to wait for orders before the next picture.
    pub(super) fn patience(&self) -> Duration {
        let frame = Duration::from_micros(16_667);
        if !self.runs {
            return Duration::from_millis(250);
        }
        frame.saturating_sub(clock::now().saturating_duration_since(self.since))
    }

    /// Moves on; says whether it stopped.
    pub(super) fn tick(&mut self, film: &Film) -> bool {
        let now = clock::now();
        let elapsed = now.saturating_duration_since(self.since).as_secs_f64();
        if !self.runs {
            self.since = now;
            return false;
        }
        if elapsed < 0.015 {
            return false;
        }
        self.since = now;
        self.t += self.rate * elapsed.min(0.25);
        let end = film.ready();
        if self.t < end {
            return false;
        }
        if !film.is_done {
            // What comes next is not there yet.
            self.t = end;
            return false;
        }
        if self.loops && end > 0.0 {
            self.t = 0.0;
            return false;
        }
        (self.t, self.runs) = (end, false);
        true
    }

    pub(super) fn told(&self) -> Value {
        json!({ "t": self.t, "runs": self.runs, "rate": self.rate, "loops": self.loops })
    }
}

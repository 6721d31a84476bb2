//! How much anybody may ask of the studio.

use std::time::Instant;

/// What one viewer may send, and how many may be there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The longest message (bytes).
    pub message_bytes: usize,
    /// The largest file that may be dropped in (bytes).
    pub upload_bytes: usize,
    /// Messages in a second, on average.
    pub messages_per_second: f64,
    /// Messages at once after a while of silence.
    pub burst: f64,
    /// Sessions at the same time.
    pub sessions: usize,
    /// Viewers of one session.
    pub viewers: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            message_bytes: 16 * 1024,
            upload_bytes: 64 * 1024 * 1024,
            messages_per_second: 120.0,
            burst: 240.0,
            sessions: 24,
            viewers: 32,
        }
    }
}

/// Counts what one viewer sends: a bucket that fills with time, and from which every message takes one.
#[derive(Debug)]
pub(crate) struct Pace {
    left: f64,
    since: Instant,
    limits: Limits,
}

impl Pace {
    pub(crate) fn new(limits: Limits, now: Instant) -> Pace {
        Pace { left: limits.burst, since: now, limits }
    }

    /// Whether one more message is in order.
    pub(crate) fn allows(&mut self, now: Instant) -> bool {
        let elapsed = now.saturating_duration_since(self.since).as_secs_f64();
        self.since = now;
        self.left = (self.left + elapsed * self.limits.messages_per_second).min(self.limits.burst);
        if self.left < 1.0 {
            return false;
        }
        self.left -= 1.0;
        true
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn whoever_waits_may_send_again() {
        let limits = Limits { messages_per_second: 10.0, burst: 3.0, ..Limits::default() };
        let start = crate::clock::now();
        let mut pace = Pace::new(limits, start);
        let allowed = |pace: &mut Pace, at: Duration| (0..10).filter(|_| pace.allows(start + at)).count();
        assert_eq!(allowed(&mut pace, Duration::ZERO), 3);
        assert_eq!(allowed(&mut pace, Duration::from_millis(100)), 1);
        assert_eq!(allowed(&mut pace, Duration::from_secs(60)), 3);
    }
}

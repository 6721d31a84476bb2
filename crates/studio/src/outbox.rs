//! What waits to be sent to one viewer: words in order, of pictures only the latest.
//!
//! A viewer that cannot keep up finds the newest frame whenever it is ready for one; those in between are gone.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use tokio::sync::Notify;

/// Words that wait at most; whoever lets more pile up is gone.
const MOST: usize = 512;

/// One viewer's outbox.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    waiting: Mutex<Waiting>,
    wake: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    words: VecDeque<(&'static str, Utf8Bytes)>,
    frames: [Option<Bytes>; 2],
    is_closed: bool,
}

/// Something to send.
#[derive(Debug, PartialEq)]
pub(crate) enum Parcel {
    Words(Utf8Bytes),
    Frame(Bytes),
    /// Nothing comes any more.
    End,
}

impl Outbox {
    /// Says something. What `replaces` a kind of which one is still waiting takes its place.
    pub(crate) fn say(&self, kind: &'static str, replaces: bool, text: Utf8Bytes) {
        let mut waiting = self.lock();
        if replaces {
            waiting.words.retain(|(known, _)| *known != kind);
        }
        waiting.words.push_back((kind, text));
        waiting.is_closed |= waiting.words.len() > MOST;
        drop(waiting);
        self.wake.notify_one();
    }

    /// Shows a picture in the place of the one before, sent or not.
    pub(crate) fn show(&self, picture: usize, frame: Bytes) {
        if let Some(slot) = self.lock().frames.get_mut(picture) {
            *slot = Some(frame);
        }
        self.wake.notify_one();
    }

    /// Nothing comes any more.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.wake.notify_one();
    }

    /// The next to send; words come first.
    pub(crate) async fn next(&self) -> Parcel {
        loop {
            if let Some(parcel) = self.take() {
                return parcel;
            }
            self.wake.notified().await;
        }
    }

    fn take(&self) -> Option<Parcel> {
        let mut waiting = self.lock();
        if let Some((_, text)) = waiting.words.pop_front() {
            return Some(Parcel::Words(text));
        }
        if waiting.is_closed {
            return Some(Parcel::End);
        }
        waiting.frames.iter_mut().find_map(Option::take).map(Parcel::Frame)
    }

    /// A session that crashed while it held this leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_lags_gets_the_latest_frame_and_every_word() {
        let outbox = Outbox::default();
        for n in 0..100u8 {
            outbox.show(0, Bytes::copy_from_slice(&[n]));
        }
        outbox.say("error", false, "one".into());
        outbox.say("take", true, "old".into());
        outbox.say("error", false, "two".into());
        outbox.say("take", true, "new".into());
        let next = || outbox.take();
        let words = |text: &str| Some(Parcel::Words(text.into()));
        assert_eq!(next(), words("one"));
        assert_eq!(next(), words("two"));
        assert_eq!(next(), words("new"));
        assert_eq!(next(), Some(Parcel::Frame(Bytes::copy_from_slice(&[99]))));
        assert_eq!(next(), None);
        outbox.close();
        assert_eq!(next(), Some(Parcel::End));
    }
}

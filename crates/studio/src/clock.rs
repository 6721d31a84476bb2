//! The one place of the studio that looks at the clock: it shows scenes to people, who live in real time.

use std::time::Instant;

/// Now.
#[expect(
    clippy::disallowed_methods,
    reason = "the studio shows things in real time; nothing planned depends on it"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}

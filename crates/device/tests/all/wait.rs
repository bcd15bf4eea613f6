//! Waits for a state, as long as it takes: a test that hangs is ended by the guard of `scripts/test`, not by a time of its own.

use std::time::{Duration, Instant};

/// Longer than any test: a limit of the server that a busy machine must not meet.
pub(crate) const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The guard against hangs: no state that a test waits for takes a small part of this, however busy the machine is.
const GUARD: Duration = Duration::from_secs(15 * 60);

/// Waits until something is so.
///
/// # Panics
/// If it is not within [`GUARD`].
#[track_caller]
pub(crate) fn wait_until(mut so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !so() {
        assert!(begun.elapsed() < GUARD, "the guard against hangs: not so within {GUARD:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

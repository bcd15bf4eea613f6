//! Waits for a state, as long as it takes: a test that hangs is ended by the guard of `scripts/test`, not by a time of its own.

use std::time::Duration;

/// Longer than any test: a limit of the server that a busy machine must not meet.
pub(crate) const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Waits until something is so.
pub(crate) fn wait_until(mut so: impl FnMut() -> bool) {
    while !so() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

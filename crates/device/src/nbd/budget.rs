//! Limit on what a connection has outstanding: requests, and bytes of their payloads.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// What is outstanding, and how much may be.
#[derive(Debug)]
pub(super) struct Budget {
    used: Mutex<(u32, u64)>,
    freed: Condvar,
    most: (u32, u64),
}

impl Budget {
    pub(super) fn new(requests: u32, bytes: u64) -> Self {
        Self { used: Mutex::new((0, 0)), freed: Condvar::new(), most: (requests, bytes) }
    }

    /// Waits until there is room for a request of this payload, or the client is gone, for which it looks meanwhile: then it
    /// returns false. One request is always let in.
    pub(super) fn take(&self, bytes: u64, gone: impl Fn() -> bool) -> bool {
        /// How often it looks.
        const LOOK: Duration = Duration::from_millis(20);
        let full = |used: &mut (u32, u64)| {
            used.0 > 0 && (used.0 >= self.most.0 || used.1 + bytes > self.most.1)
        };
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let waited = self.freed.wait_timeout_while(used, LOOK, full);
            let (now, waited) = waited.unwrap_or_else(PoisonError::into_inner);
            used = now;
            if !waited.timed_out() {
                *used = (used.0 + 1, used.1 + bytes);
                return true;
            }
            if gone() {
                return false;
            }
        }
    }

    pub(super) fn give_back(&self, requests: u32, bytes: u64) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        *used = (used.0 - requests, used.1 - bytes);
        drop(used);
        self.freed.notify_one();
    }
}

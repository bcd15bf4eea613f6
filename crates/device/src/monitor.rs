//! What a device does at the moment, for other threads.

use crate::summary::Summary;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Asks the thread that works a device for its account. While nobody asks, that thread pays one load per request.
#[derive(Clone, Debug, Default)]
pub struct Monitor(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    wanted: AtomicBool,
    told: Mutex<Told>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Told {
    latest: Option<Arc<Summary>>,
    /// Accounts told so far.
    count: u64,
    ended: bool,
}

impl Monitor {
    /// The device's account of now; `None` if it does not answer within this time, or has ended.
    pub fn look(&self, longest: Duration) -> Option<Arc<Summary>> {
        let told = self.0.told.lock().unwrap_or_else(PoisonError::into_inner);
        let before = told.count;
        self.0.wanted.store(true, Ordering::Release);
        let waits = |told: &mut Told| told.count == before && !told.ended;
        let waited = self.0.changed.wait_timeout_while(told, longest, waits);
        let (told, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (told.count > before).then(|| told.latest.clone()).flatten()
    }

    /// Tells the account if anybody has asked since the last call.
    pub fn tell(&self, account: impl FnOnce() -> Summary) {
        if !self.0.wanted.load(Ordering::Relaxed) || !self.0.wanted.swap(false, Ordering::Acquire) {
            return;
        }
        let account = Arc::new(account());
        let mut told = self.0.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.latest = Some(account);
        told.count += 1;
        drop(told);
        self.0.changed.notify_all();
    }

    /// The device has ended: who waits, waits no longer.
    pub fn end(&self) {
        self.0.told.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
        self.0.changed.notify_all();
    }

    /// True once the device has ended.
    pub fn has_ended(&self) -> bool {
        self.0.told.lock().unwrap_or_else(PoisonError::into_inner).ended
    }
}

//! Threads beside that of the run.

use std::sync::mpsc::channel;
use std::thread::{Builder, available_parallelism};

/// True if another thread may run beside this one.
pub(crate) fn has_processors() -> bool {
    available_parallelism().is_ok_and(|count| count.get() > 1)
}

/// Starts `work` with `value` on a thread of this name. Gives `value` back if none can be started.
pub(crate) fn start<T: Send + 'static>(
    name: &str,
    value: T,
    work: impl FnOnce(T) + Send + 'static,
) -> Result<(), T> {
    // The value is sent when the thread runs, and is still here if it does not.
    let (give, take) = channel::<T>();
    let waits = move || {
        if let Ok(value) = take.recv() {
            work(value);
        }
    };
    match Builder::new().name(name.to_owned()).spawn(waits) {
        Err(_) => Err(value),
        Ok(_) => give.send(value).map_err(|unsent| unsent.0),
    }
}

//! Ctrl-C: once to stop at the next batch and print what was measured, twice to be gone.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C is noted and the second ends the process.
pub(crate) fn listen() {
    // Fails only where a handler is there already: then the first one serves.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        eprintln!("\nstopping; the figures so far follow (Ctrl-C again: exit at once)");
    });
}

/// Whether Ctrl-C was pressed.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

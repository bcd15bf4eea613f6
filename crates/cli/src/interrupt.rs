//! Ctrl-C: the first stops the run at the next batch and prints the results so far, the second exits at once.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Installs the handler: the first Ctrl-C sets a flag, the second ends the process.
pub(crate) fn listen() {
    // Fails only if a handler is already installed, which then serves.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        eprintln!("\nstopping; the figures so far follow (Ctrl-C again: exit at once)");
    });
}

/// True if Ctrl-C was pressed.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

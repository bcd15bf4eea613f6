//! Ctrl-C: the first stops the run at the next batch and prints the results so far, the second exits at once.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Installs the handler: the first Ctrl-C sets a flag, the second ends the process.
pub(crate) fn listen() {
    listen_and_say("stopping; the figures so far follow (Ctrl-C again: exit at once)");
}

/// Same with another message.
pub(crate) fn listen_and_say(message: &'static str) {
    // Fails only if a handler is already installed, which then serves.
    let _ = ctrlc::set_handler(move || {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        eprintln!("\n{message}");
    });
}

/// True if Ctrl-C was pressed.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

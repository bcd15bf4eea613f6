//! Ctrl-C and SIGTERM: the first stops the run at the next batch and prints the results so far, the second exits at once.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Installs the handler: the first Ctrl-C sets a flag, the second ends the process.
pub(crate) fn listen() {
    listen_and_say("stopping; the figures so far follow (Ctrl-C again: exit at once)");
}

/// Same with another message.
pub(crate) fn listen_and_say(message: &'static str) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        at_each(move || {
            if ASKED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            eprintln!("\n{message}");
        });
    });
}

/// Does this at each Ctrl-C, on a thread of its own. Where the system refuses it, Ctrl-C ends the process.
#[cfg(unix)]
fn at_each(work: impl Fn() + Send + 'static) {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    // The handler stays if its signals are dropped: it is set where somebody listens.
    let listen = move || {
        if let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) {
            signals.forever().for_each(|_| work());
        }
    };
    let _ = std::thread::Builder::new().spawn(listen);
}

#[cfg(not(unix))]
fn at_each(work: impl Fn() + Send + 'static) {
    // Fails only if there is a handler, and there is none.
    let _ = ctrlc::set_handler(work);
}

/// True if Ctrl-C was pressed.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

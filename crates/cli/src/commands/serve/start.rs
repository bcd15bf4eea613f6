//! The time before a server serves: an image is made, checked and mounted. A signal ends it at once, and what was begun is
//! undone.

use crate::failure::Failure;
use device::nbd::Stop;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::{Handle, Signals};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// Listens to signals from the start on.
pub(super) struct Start {
    phase: Arc<Mutex<Phase>>,
    signals: Handle,
    thread: JoinHandle<()>,
}

/// What a signal ends.
pub(super) enum Phase {
    /// The start, which made these files.
    Starting(Vec<PathBuf>),
    /// The server, in order.
    Serving(Stop),
}

impl Phase {
    /// The start has made a file, which is of no use to anybody before it is complete.
    pub(super) fn made(&mut self, path: &Path) {
        if let Self::Starting(files) = self {
            files.push(path.to_owned());
        }
    }

    /// Removes what an unfinished start made, and tells what.
    fn undo(&mut self) -> String {
        let Self::Starting(files) = self else { return String::new() };
        let remove = |path: PathBuf| {
            let removed = match std::fs::remove_file(&path) {
                Ok(()) => "is removed: it was not complete".to_owned(),
                Err(error) => format!("is not complete, and cannot be removed: {error}"),
            };
            format!("; `{}` {removed}", path.display())
        };
        files.drain(..).map(remove).collect()
    }
}

impl Start {
    pub(super) fn new() -> Result<Self, Failure> {
        let phase = Arc::new(Mutex::new(Phase::Starting(Vec::new())));
        let mut waited = vec![SIGTERM, SIGINT, SIGXFSZ];
        // Who started the server with `nohup` wants it to outlive the terminal.
        if !is_ignored(SIGHUP) {
            waited.push(SIGHUP);
        }
        let mut signals = Signals::new(waited).map_err(Failure::internal)?;
        let (handle, ends) = (signals.handle(), Arc::clone(&phase));
        let thread = thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                match &mut *locked(&ends) {
                    // The write that met the limit fails, and tells more.
                    Phase::Starting(_) if signal == SIGXFSZ => {}
                    starting @ Phase::Starting(_) => {
                        let undone = starting.undo();
                        let told = format!("error: interrupted before it served{undone}\n");
                        let _ = io::stderr().write_all(workload::escaped_lines(&told).as_bytes());
                        std::process::exit(130);
                    }
                    Phase::Serving(stop) => stop.stop(),
                }
            }
        });
        let thread = thread.map_err(|error| Failure::internal(format!("a thread: {error}")))?;
        Ok(Self { phase, signals: handle, thread })
    }

    /// No signal ends the start as long as this is held.
    pub(super) fn phase(&self) -> MutexGuard<'_, Phase> {
        locked(&self.phase)
    }

    /// From here on a signal stops the server. `listen` is what comes last.
    pub(super) fn serve<T>(
        &self,
        stop: &Stop,
        listen: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut phase = self.phase();
        let listening = listen()?;
        *phase = Phase::Serving(stop.clone());
        Ok(listening)
    }

    /// Listens to signals no longer. Removes what the start made, if it did not succeed.
    pub(super) fn end(self) {
        self.phase().undo();
        self.signals.close();
        let _ = self.thread.join();
    }
}

fn locked(phase: &Mutex<Phase>) -> MutexGuard<'_, Phase> {
    phase.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True if this process was started with the signal ignored. Unknown: false.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

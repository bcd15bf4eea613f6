//! A progress bar on standard error for tasks longer than two seconds, if standard error is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Shorter tasks end before a bar can be read.
const PATIENCE: Duration = Duration::from_secs(2);

const KNOWN: &str = "{msg} {wide_bar} {percent:>3} %  {rate}  {eta} left";
const UNKNOWN: &str = "{msg} {spinner} {human_pos} done  {rate}  {elapsed}";
const KNOWN_BYTES: &str = "{msg} {wide_bar} {percent:>3} %  {binary_bytes_per_sec}  {eta} left";
const UNKNOWN_BYTES: &str = "{msg} {spinner} {binary_bytes}  {binary_bytes_per_sec}  {elapsed}";
const KNOWN_RUNS: &str = "{msg} {wide_bar} {percent:>3} %  {eta} left";
const BUSY: &str = "{msg} {spinner} {elapsed}";

/// The bar; hidden until [`PATIENCE`] has passed.
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
    shown: AtomicBool,
    quiet: bool,
}

impl Progress {
    /// Starts the clock. `total` steps, if known; with `quiet` nothing is ever shown.
    pub(crate) fn start(total: Option<u64>, quiet: bool) -> Self {
        Self::styled(total, quiet, if total.is_some() { KNOWN } else { UNKNOWN })
    }

    /// Same for several runs.
    pub(crate) fn start_runs(total: u64, quiet: bool) -> Self {
        Self::styled(Some(total), quiet, KNOWN_RUNS)
    }

    /// Same for bytes of a file.
    pub(crate) fn start_bytes(total: Option<u64>, quiet: bool) -> Self {
        Self::styled(total, quiet, if total.is_some() { KNOWN_BYTES } else { UNKNOWN_BYTES })
    }

    fn styled(total: Option<u64>, quiet: bool, template: &str) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("rate", |state: &ProgressState, text: &mut dyn Write| {
                // Writing into a string cannot fail.
                let _ =
                    write!(text, "{} tasks/s", sim::report::units::count(state.per_sec() as u64));
            }));
        }
        Self { bar, started: Instant::now(), shown: AtomicBool::new(false), quiet }
    }

    /// Sets the total number of steps.
    pub(crate) fn total(&self, steps: u64) {
        self.bar.set_length(steps);
    }

    /// Steps that took no time, such as runs that were there already.
    pub(crate) fn skip_to(&self, done: u64) {
        self.bar.set_position(done);
        self.bar.reset_eta();
    }

    /// Sets the number of finished steps.
    pub(crate) fn at(&self, done: u64, what: &str) {
        self.bar.set_position(done);
        if self.quiet || self.started.elapsed() < PATIENCE {
            return;
        }
        if !self.shown.swap(true, Ordering::Relaxed) {
            // Hides itself if standard error is no terminal.
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        if self.bar.message() != what {
            self.bar.set_message(what.to_owned());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A spinner for tasks without known progress.
pub(crate) struct Busy {
    done: Option<Sender<()>>,
    shower: Option<JoinHandle<()>>,
}

impl Busy {
    /// Appears after [`PATIENCE`], until it is dropped.
    pub(crate) fn start(what: &'static str, quiet: bool) -> Self {
        if quiet {
            return Self { done: None, shower: None };
        }
        let (done, over) = mpsc::channel();
        let shower = std::thread::spawn(move || {
            if over.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template(BUSY) {
                bar.set_style(style);
            }
            bar.set_message(what);
            while over.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Self { done: Some(done), shower: Some(shower) }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(shower) = self.shower.take() {
            // The thread only draws a spinner, so its result does not matter.
            let _ = shower.join();
        }
    }
}

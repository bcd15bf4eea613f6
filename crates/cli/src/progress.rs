//! A progress bar on standard error for tasks longer than two seconds, if standard error is a terminal.

use lab::report::units::{bytes, count};
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Shorter tasks end before a bar can be read.
const PATIENCE: Duration = Duration::from_secs(2);
/// From one picture to the next.
const PAUSE: Duration = Duration::from_millis(100);

/// What the steps are.
#[derive(Clone, Copy, Debug)]
enum Steps {
    Tasks,
    Bytes,
    /// Parts of runs, whose rate says nothing.
    Runs,
}

/// The bar; hidden until [`PATIENCE`] has passed.
pub(crate) struct Progress {
    steps: Steps,
    hidden: bool,
    started: Instant,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    total: Option<u64>,
    /// Steps that took no time, and when the others began.
    skipped: u64,
    since: Instant,
    drawn: Option<Instant>,
}

impl Progress {
    /// Starts the clock, for so many tasks; with `quiet` nothing is ever shown.
    pub(crate) fn start(total: u64, quiet: bool) -> Self {
        Self::of(Steps::Tasks, Some(total), quiet)
    }

    /// Same for several runs.
    pub(crate) fn start_runs(total: u64, quiet: bool) -> Self {
        Self::of(Steps::Runs, Some(total), quiet)
    }

    /// Same for bytes of a file, of a number that may be unknown.
    pub(crate) fn start_bytes(total: Option<u64>, quiet: bool) -> Self {
        Self::of(Steps::Bytes, total, quiet)
    }

    fn of(steps: Steps, total: Option<u64>, quiet: bool) -> Self {
        let since = Instant::now();
        let hidden = quiet || !io::stderr().is_terminal();
        let state = Mutex::new(State { total, skipped: 0, since, drawn: None });
        Self { steps, hidden, started: since, state }
    }

    /// Sets the total number of steps.
    pub(crate) fn total(&self, steps: u64) {
        self.with(|state| state.total = Some(steps));
    }

    /// Steps that took no time, such as runs that were there already.
    pub(crate) fn skip_to(&self, done: u64) {
        self.with(|state| (state.skipped, state.since) = (done, Instant::now()));
    }

    /// Sets the number of finished steps.
    pub(crate) fn at(&self, done: u64, what: &str) {
        if self.hidden || self.started.elapsed() < PATIENCE {
            return;
        }
        self.with(|state| {
            if state.drawn.is_none_or(|at| at.elapsed() >= PAUSE) {
                state.drawn = Some(Instant::now());
                draw(&line(self.steps, state, (done, what), Instant::now(), columns()));
            }
        });
    }

    fn with(&self, work: impl FnOnce(&mut State)) {
        // A thread that has panicked has told so, and leaves nothing to show.
        if let Ok(mut state) = self.state.lock() {
            work(&mut state);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.with(|state| {
            if state.drawn.is_some() {
                draw("");
            }
        });
    }
}

fn columns() -> usize {
    terminal_size::terminal_size_of(io::stderr()).map_or(80, |(columns, _)| columns.0.into())
}

/// Replaces the line that is shown.
fn draw(line: &str) {
    // Nothing is lost with it.
    let _ = write!(io::stderr(), "\r{line}\x1b[K");
}

fn line(
    steps: Steps,
    state: &State,
    (done, what): (u64, &str),
    now: Instant,
    columns: usize,
) -> String {
    let passed = now - state.since;
    let rate = done.saturating_sub(state.skipped) as f64 / passed.as_secs_f64().max(1e-9);
    let speed = match steps {
        Steps::Tasks => format!("  {} tasks/s", count(rate as u64)),
        Steps::Bytes => format!("  {}/s", bytes(rate as u64)),
        Steps::Runs => String::new(),
    };
    let text = match state.total {
        None => format!("{what} {} {}{speed}  {}", spinner(passed), bytes(done), short(passed)),
        Some(total) => {
            let share = (done as f64 / total.max(1) as f64).min(1.0);
            let left = total.saturating_sub(done) as f64 / rate;
            let left = Duration::try_from_secs_f64(left).map_or("?".into(), short);
            let end = format!(" {:>3.0} %{speed}  {left} left", share * 100.0);
            let room = columns.saturating_sub(what.chars().count() + end.chars().count() + 2);
            let full = (share * room as f64) as usize;
            format!("{what} {}{}{end}", "█".repeat(full), "░".repeat(room - full))
        }
    };
    text.chars().take(columns.saturating_sub(1)).collect()
}

/// A time of one unit: `42s`, `3m`, `2h`, `4d`.
fn short(time: Duration) -> String {
    match time.as_secs() {
        s @ 0..100 => format!("{s}s"),
        s @ 100..6000 => format!("{}m", (s + 30) / 60),
        s @ 6000..172_800 => format!("{}h", (s + 1800) / 3600),
        s => format!("{}d", s / 86_400),
    }
}

fn spinner(elapsed: Duration) -> char {
    const PICTURES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
    PICTURES[(elapsed.as_millis() / PAUSE.as_millis()) as usize % PICTURES.len()]
}

/// A spinner for tasks without known progress.
pub(crate) struct Busy {
    done: Option<Sender<()>>,
    shower: Option<JoinHandle<()>>,
}

impl Busy {
    /// Appears after [`PATIENCE`], until it is dropped.
    pub(crate) fn start(what: &'static str, quiet: bool) -> Self {
        if quiet || !io::stderr().is_terminal() {
            return Self { done: None, shower: None };
        }
        let (done, over) = mpsc::channel();
        let shower = std::thread::spawn(move || {
            let started = Instant::now();
            let mut wait = PATIENCE;
            while over.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = PAUSE;
                let elapsed = started.elapsed();
                draw(&format!("{what} {} {}", spinner(elapsed), short(elapsed)));
            }
            if wait == PAUSE {
                draw("");
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_the_line_and_no_more() {
        let since = Instant::now();
        let of = |steps, total, done, columns| {
            let state = State { total, skipped: 0, since, drawn: None };
            line(steps, &state, (done, "fast"), since + Duration::from_secs(10), columns)
        };
        let half = of(Steps::Tasks, Some(2000), 1000, 60);
        assert_eq!(
            half,
            format!("fast {}{}  50 %  100 tasks/s  10s left", "█".repeat(12), "░".repeat(13))
        );
        assert_eq!(half.chars().count(), 59);
        assert_eq!(
            of(Steps::Runs, Some(9), 0, 30),
            format!("fast {}   0 %  ? left", "░".repeat(10))
        );
        assert_eq!(of(Steps::Bytes, None, 4096, 60), "fast ⠋ 4.0 KiB  409 B/s  10s");
        assert_eq!(of(Steps::Bytes, Some(9), 4, 5), "fast");
        assert_eq!(
            [0, 99, 125, 7000, 400_000].map(|s| short(Duration::from_secs(s))),
            ["0s", "99s", "2m", "2h", "4d"]
        );
    }
}

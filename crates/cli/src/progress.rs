//! Progress on standard error: a bar for tasks longer than two seconds if it is a terminal, else a line now and then.

use crate::interrupt;
use lab::report::units::{bytes, count};
use lab::sweep::Watch;
use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Shorter tasks end before a bar can be read.
const PATIENCE: Duration = Duration::from_secs(2);
/// From one picture to the next.
const PAUSE: Duration = Duration::from_millis(100);
/// From one line to the next where there is no terminal, and before the first.
pub(crate) const LINES: Duration = Duration::from_secs(10);

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Never,
    /// As lines, which begin with `progress:`.
    Lines,
    /// As a bar that is drawn over.
    Bar,
}

impl Shown {
    fn of(quiet: bool) -> Self {
        // A terminal without cursor movement takes lines.
        let draws = || std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        match quiet {
            true => Self::Never,
            false if io::stderr().is_terminal() && draws() => Self::Bar,
            false => Self::Lines,
        }
    }

    /// Time before the first picture or line, and from one to the next.
    fn pauses(self) -> [Duration; 2] {
        match self {
            Self::Never => [Duration::MAX; 2],
            Self::Lines => [LINES; 2],
            Self::Bar => [PATIENCE, PAUSE],
        }
    }
}

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
    shown: Shown,
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
        let state = Mutex::new(State { total, skipped: 0, since, drawn: None });
        Self { steps, shown: Shown::of(quiet), started: since, state }
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
        let [patience, pause] = self.shown.pauses();
        if self.started.elapsed() < patience {
            return;
        }
        self.with(|state| {
            if state.drawn.is_some_and(|at| at.elapsed() < pause) {
                return;
            }
            let now = Instant::now();
            state.drawn = Some(now);
            match self.shown {
                Shown::Bar => draw(&line(self.steps, state, (done, what), now, Some(columns()))),
                _ => tell(&line(self.steps, state, (done, what), now, None)),
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
            if state.drawn.is_some() && self.shown == Shown::Bar {
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

/// Prints a line.
fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "progress: {line}");
}

/// The bar, of so many columns; without them its figures alone.
fn line(
    steps: Steps,
    state: &State,
    (done, what): (u64, &str),
    now: Instant,
    columns: Option<usize>,
) -> String {
    let passed = now - state.since;
    let rate = done.saturating_sub(state.skipped) as f64 / passed.as_secs_f64().max(1e-9);
    let speed = match steps {
        Steps::Tasks => format!("  {} tasks/s", count(rate as u64)),
        Steps::Bytes => format!("  {}/s", bytes(rate as u64)),
        Steps::Runs => String::new(),
    };
    let text = match state.total {
        None => {
            let spinner = columns.map_or(' ', |_| spinner(passed));
            format!("{what} {spinner} {}{speed}  {}", bytes(done), short(passed))
        }
        Some(total) => {
            let share = (done as f64 / total.max(1) as f64).min(1.0);
            let left = total.saturating_sub(done) as f64 / rate;
            let left = Duration::try_from_secs_f64(left).map_or("?".into(), short);
            let end = format!(" {:>3.0} %{speed}  {left} left", share * 100.0);
            let Some(columns) = columns else { return format!("{what} {}", end.trim_start()) };
            let room = columns.saturating_sub(what.chars().count() + end.chars().count() + 2);
            let full = (share * room as f64) as usize;
            format!("{what} {}{}{end}", "█".repeat(full), "░".repeat(room - full))
        }
    };
    text.chars().take(columns.map_or(usize::MAX, |columns| columns.saturating_sub(1))).collect()
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
        let shown = Shown::of(quiet);
        if shown == Shown::Never {
            return Self { done: None, shower: None };
        }
        let [patience, pause] = shown.pauses();
        let (done, over) = mpsc::channel();
        let shower = std::thread::Builder::new().spawn(move || {
            let started = Instant::now();
            let mut wait = patience;
            while over.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = pause;
                let elapsed = started.elapsed();
                match shown {
                    Shown::Bar => draw(&format!("{what} {} {}", spinner(elapsed), short(elapsed))),
                    _ => tell(&format!("{what}, {}", short(elapsed))),
                }
            }
            if wait == PAUSE && shown == Shown::Bar {
                draw("");
            }
        });
        Self { done: Some(done), shower: shower.ok() }
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

/// Progress of several runs, with the time left.
pub(crate) struct RunsProgress {
    bar: Progress,
    /// How long each run takes, in proportion to the others.
    weights: Vec<f64>,
    state: Mutex<Runs>,
}

struct Runs {
    /// Share of each run that is done.
    done: Vec<f64>,
    /// All of them, weighted.
    sum: f64,
    ended: usize,
    /// Those of kept runs.
    kept: f64,
}

/// Steps of all runs on the bar.
const ALL_RUNS: f64 = 1e9;

impl RunsProgress {
    /// For runs of these weights.
    pub(crate) fn start(weights: Vec<f64>, quiet: bool) -> Self {
        let all: f64 = weights.iter().sum();
        let weights: Vec<f64> = weights.iter().map(|of| of / all.max(f64::MIN_POSITIVE)).collect();
        let done = vec![0.0; weights.len()];
        let state = Mutex::new(Runs { done, sum: 0.0, ended: 0, kept: 0.0 });
        Self { bar: Progress::start_runs(ALL_RUNS as u64, quiet), weights, state }
    }

    fn set(&self, run: usize, share: f64, ended: bool, kept: bool) {
        let Ok(mut state) = self.state.lock() else { return };
        let more = share.clamp(0.0, 1.0) - state.done[run];
        state.done[run] += more;
        let more = more * self.weights[run];
        state.sum += more;
        state.ended += usize::from(ended);
        if kept {
            state.kept += more;
            // What was kept took no time now, so that the time left is not told from it.
            self.bar.skip_to((state.kept * ALL_RUNS) as u64);
            return;
        }
        let runs = state.done.len();
        self.bar.at((state.sum * ALL_RUNS) as u64, &format!("{} of {runs} runs", state.ended));
    }
}

impl Watch for RunsProgress {
    fn at(&self, run: usize, share: f64) {
        self.set(run, share, false, false);
    }

    fn ended(&self, run: usize, kept: bool) {
        self.set(run, 1.0, true, kept);
    }

    fn stop(&self) -> bool {
        interrupt::asked()
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
            line(steps, &state, (done, "fast"), since + Duration::from_secs(10), Some(columns))
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
        let state = State { total: Some(2000), skipped: 0, since, drawn: None };
        let plain =
            line(Steps::Tasks, &state, (1000, "fast"), since + Duration::from_secs(10), None);
        assert_eq!(plain, "fast 50 %  100 tasks/s  10s left");
        assert_eq!(
            [0, 99, 125, 7000, 400_000].map(|s| short(Duration::from_secs(s))),
            ["0s", "99s", "2m", "2h", "4d"]
        );
    }
}

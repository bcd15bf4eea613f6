//! The server's log: a line per event.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use workload::escaped;

/// Lines that a view keeps.
const KEPT: usize = 100;
/// Lines that wait for a reader of standard error. More are counted and left out, so that nobody waits for it.
const WAITING: usize = 1000;

/// Where lines go: standard error, or a view of which standard error would spoil the screen.
#[derive(Clone, Debug)]
pub(super) struct Log {
    view: Option<Arc<Mutex<Kept>>>,
    lines: Lines,
}

/// Standard error, written to by a thread of its own.
#[derive(Clone, Debug)]
struct Lines {
    /// `None` if there is no such thread.
    to: Option<SyncSender<String>>,
    waiting: Arc<AtomicUsize>,
    left_out: Arc<AtomicU64>,
}

impl Lines {
    fn start(mut out: impl Write + Send + 'static) -> Self {
        let (to, lines) = sync_channel::<String>(WAITING);
        let (waiting, left_out) = (Arc::<AtomicUsize>::default(), Arc::<AtomicU64>::default());
        let (written, lost) = (Arc::clone(&waiting), Arc::clone(&left_out));
        let thread = thread::Builder::new().name("log".into()).spawn(move || {
            for line in lines {
                let lost = lost.swap(0, Ordering::Relaxed);
                // Whoever started the server may have closed standard error: that ends nothing.
                if lost > 0 {
                    let _ = writeln!(out, "({lost} lines are left out)");
                }
                let _ = writeln!(out, "{line}");
                written.fetch_sub(1, Ordering::AcqRel);
            }
        });
        Self { to: thread.is_ok().then_some(to), waiting, left_out }
    }

    fn tell(&self, line: String) {
        let Some(to) = &self.to else { return };
        self.waiting.fetch_add(1, Ordering::AcqRel);
        if to.try_send(line).is_err() {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until all lines are written, for a second at most.
    fn drain(&self) {
        let end = Instant::now() + Duration::from_secs(1);
        while self.waiting.load(Ordering::Acquire) > 0 && Instant::now() < end {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Default for Log {
    fn default() -> Self {
        Self { view: None, lines: Lines::start(io::stderr()) }
    }
}

#[derive(Debug, Default)]
struct Kept {
    lines: VecDeque<String>,
    dropped: u64,
}

impl Log {
    /// Lines are kept for a view, until [`Log::print_kept`].
    pub(super) fn of_view() -> Self {
        Self { view: Some(Arc::default()), lines: Lines::start(io::stderr()) }
    }

    /// Takes a line, and does not wait for who reads it.
    pub(super) fn tell(&self, line: fmt::Arguments<'_>) {
        let line = line.to_string();
        let line = escaped(&line);
        let spoils = io::stderr().is_terminal();
        if let Some(kept) = &self.view {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.lines.push_back(line.to_string());
            if kept.lines.len() > KEPT {
                kept.lines.pop_front();
                kept.dropped += 1;
            }
        }
        if self.view.is_none() || !spoils {
            self.lines.tell(line.to_string());
        }
    }

    /// The newest lines, oldest first.
    #[cfg(feature = "watch")]
    pub(super) fn newest(&self, lines: usize) -> Vec<String> {
        let Some(kept) = &self.view else { return Vec::new() };
        let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.lines.iter().skip(kept.lines.len().saturating_sub(lines)).cloned().collect()
    }

    /// Prints what waits, and what was kept, now that the view is closed.
    pub(super) fn print_kept(&self) {
        self.lines.drain();
        let Some(kept) = &self.view else { return };
        if !io::stderr().is_terminal() {
            return;
        }
        let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = io::stderr().lock();
        if kept.dropped > 0 {
            let _ = writeln!(out, "({} earlier lines are gone)", kept.dropped);
        }
        for line in &kept.lines {
            let _ = writeln!(out, "{line}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, channel};

    /// A reader that takes nothing until it is told to.
    struct Late(Receiver<()>, Arc<Mutex<Vec<u8>>>);

    impl Write for Late {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // Once nobody can tell any more, everything is taken.
            let _ = self.0.recv();
            self.1.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_log_that_nobody_reads_holds_up_nothing_and_counts_what_is_left_out() {
        let ((let_on, wait), read) = (channel(), Arc::default());
        let lines = Lines::start(Late(wait, Arc::clone(&read)));
        (0..5000).for_each(|n| lines.tell(format!("line {n}")));
        drop(let_on);
        lines.drain();
        lines.tell("last".into());
        lines.drain();
        let read = String::from_utf8(read.lock().unwrap().clone()).unwrap();
        let told = read.lines().filter(|line| line.starts_with("line ")).count();
        // One line may have been on its way already, and lines may have been left out before it.
        assert!((WAITING..=WAITING + 1).contains(&told), "{told}");
        let left_out = read
            .lines()
            .filter_map(|line| line.strip_prefix('(')?.strip_suffix(" lines are left out)"));
        assert_eq!(
            left_out.map(|n| n.parse::<usize>().unwrap()).sum::<usize>(),
            5000 - told,
            "{read}"
        );
        assert!(read.ends_with("last\n"), "{read}");
    }
}

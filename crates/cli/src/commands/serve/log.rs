//! Lines about what happens, for whoever started the server.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Lines that a view keeps.
const KEPT: usize = 100;

/// Where lines go: standard error, or a view of which standard error would spoil the screen.
#[derive(Clone, Debug, Default)]
pub(super) struct Log(Option<Arc<Mutex<Kept>>>);

#[derive(Debug, Default)]
struct Kept {
    lines: VecDeque<String>,
    dropped: u64,
}

impl Log {
    /// Lines are kept for a view, until [`Log::print_kept`].
    pub(super) fn of_view() -> Self {
        Self(Some(Arc::default()))
    }

    /// Takes a line. Whoever started the server may have closed standard error: that ends nothing.
    pub(super) fn tell(&self, line: fmt::Arguments<'_>) {
        let spoils = io::stderr().is_terminal();
        if let Some(kept) = &self.0 {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.lines.push_back(line.to_string());
            if kept.lines.len() > KEPT {
                kept.lines.pop_front();
                kept.dropped += 1;
            }
        }
        if self.0.is_none() || !spoils {
            let _ = writeln!(io::stderr(), "{line}");
        }
    }

    /// The newest lines, oldest first.
    pub(super) fn newest(&self, lines: usize) -> Vec<String> {
        let Some(kept) = &self.0 else { return Vec::new() };
        let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.lines.iter().skip(kept.lines.len().saturating_sub(lines)).cloned().collect()
    }

    /// Prints what was kept, now that the view is closed.
    pub(super) fn print_kept(&self) {
        let Some(kept) = &self.0 else { return };
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

//! Lines of the log that any client can cause: a few at a time, and a count of the others.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Lines that are told within a [`WINDOW`].
const MOST: u32 = 20;
const WINDOW: Duration = Duration::from_secs(60);

/// Takes lines, and lets through so few that a log does not fill.
#[derive(Debug, Default)]
pub(super) struct Rarely(Mutex<Window>);

#[derive(Debug, Default)]
struct Window {
    began: Option<Instant>,
    told: u32,
    left_out: u64,
}

impl Rarely {
    /// Tells a line, unless there were many of late.
    pub(super) fn tell(&self, line: &str, log: &dyn Fn(&str)) {
        self.tell_at(Instant::now(), line, log);
    }

    fn tell_at(&self, now: Instant, line: &str, log: &dyn Fn(&str)) {
        let mut window = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if window.began.is_none_or(|began| now.saturating_duration_since(began) >= WINDOW) {
            window.end(log);
            window.began = Some(now);
        }
        if window.told < MOST {
            window.told += 1;
            log(line);
        } else {
            window.left_out += 1;
        }
    }

    /// Tells how many lines were left out since that was told last.
    pub(super) fn end(&self, log: &dyn Fn(&str)) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).end(log);
    }
}

impl Window {
    fn end(&mut self, log: &dyn Fn(&str)) {
        if self.left_out > 0 {
            log(&format!("{} more lines on connections are left out", self.left_out));
        }
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn many_lines_are_counted_and_few_are_told() {
        let (rarely, told) = (Rarely::default(), RefCell::new(Vec::new()));
        let log = |line: &str| told.borrow_mut().push(line.to_owned());
        let began = Instant::now();
        (0..100).for_each(|_| rarely.tell_at(began, "refused", &log));
        assert_eq!(told.take(), ["refused"; MOST as usize]);
        rarely.tell_at(began + WINDOW, "refused", &log);
        assert_eq!(told.take(), ["80 more lines on connections are left out", "refused"]);
        rarely.end(&log);
        assert!(told.take().is_empty());
    }
}

//! Page commands over time, in windows of equal length.

use crate::report::WindowSample;
use flash::Ns;

/// Number of samples at which pairs of windows are merged into windows of twice the length.
const MOST: usize = 1 << 16;

/// Counts so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub(super) page_commands: u64,
    pub(super) host_pages: u64,
    pub(super) host_written: u64,
}

/// Windows from time 0 on.
#[derive(Debug)]
pub(super) struct Windows {
    length_ns: Ns,
    /// End of the current window.
    end_ns: Ns,
    before: Totals,
    least_free_pages: u64,
    samples: Vec<WindowSample>,
}

impl Windows {
    pub(super) fn new(length_ns: Ns) -> Self {
        let length_ns = length_ns.max(1);
        Self {
            length_ns,
            end_ns: length_ns,
            before: Totals::default(),
            least_free_pages: u64::MAX,
            samples: Vec::new(),
        }
    }

    /// End of the current window.
    #[inline]
    pub(super) fn end_ns(&self) -> Ns {
        self.end_ns
    }

    /// Closes the windows that end up to `now_ns`. `totals` are the counts before `now_ns`; later counts are of that time
    /// or later.
    #[inline]
    pub(super) fn advance(&mut self, now_ns: Ns, totals: &Totals, free_pages: u64) {
        while now_ns >= self.end_ns {
            self.close(totals, free_pages);
        }
        self.least_free_pages = self.least_free_pages.min(free_pages);
    }

    #[cold]
    fn close(&mut self, totals: &Totals, free_pages: u64) {
        self.samples.push(WindowSample {
            start_ns: self.end_ns - self.length_ns,
            page_commands: totals.page_commands - self.before.page_commands,
            host_pages: totals.host_pages - self.before.host_pages,
            host_written: totals.host_written - self.before.host_written,
            least_free_pages: self.least_free_pages.min(free_pages),
        });
        self.before = *totals;
        self.least_free_pages = u64::MAX;
        if self.samples.len() == MOST {
            self.halve();
        }
        self.end_ns += self.length_ns;
    }

    fn halve(&mut self) {
        self.length_ns *= 2;
        let merge = |pair: &[WindowSample]| WindowSample {
            start_ns: pair[0].start_ns,
            page_commands: pair.iter().map(|sample| sample.page_commands).sum(),
            host_pages: pair.iter().map(|sample| sample.host_pages).sum(),
            host_written: pair.iter().map(|sample| sample.host_written).sum(),
            least_free_pages: pair.iter().map(|sample| sample.least_free_pages).min().unwrap_or(0),
        };
        self.samples = self.samples.chunks(2).map(merge).collect();
    }

    /// All whole windows, and their length.
    pub(super) fn finish(self) -> (Vec<WindowSample>, Ns) {
        (self.samples, self.length_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(page_commands: u64) -> Totals {
        Totals { page_commands, host_pages: page_commands / 2, host_written: page_commands / 4 }
    }

    #[test]
    fn counts_go_to_the_window_in_which_they_were_made() {
        let mut windows = Windows::new(10);
        windows.advance(3, &totals(0), 7);
        windows.advance(9, &totals(4), 5);
        windows.advance(31, &totals(6), 9);
        let (samples, length_ns) = windows.finish();
        let told: Vec<_> =
            samples.iter().map(|s| (s.start_ns, s.page_commands, s.least_free_pages)).collect();
        assert_eq!((told, length_ns), (vec![(0, 6, 5), (10, 0, 9), (20, 0, 9)], 10));
    }

    #[test]
    fn many_windows_become_fewer_and_longer() {
        let mut windows = Windows::new(1);
        for now in 0..=100_000 {
            windows.advance(now, &totals(3 * now), 1);
        }
        let (samples, length_ns) = windows.finish();
        assert_eq!(length_ns, 2);
        // Half of the first 65,536, and half of the remaining ones.
        assert_eq!(samples.len(), 50_000);
        assert!(
            samples.iter().zip(0u64..).all(|(s, at)| (s.start_ns, s.page_commands) == (2 * at, 6))
        );
    }
}

//! Series over the device's time, in bounded memory.

/// Most intervals kept; a longer run merges neighbours in pairs.
const INTERVALS: usize = 2048;
/// Most points of the throughput series: fewer than of free pages, because a rate needs tasks to count.
const THROUGHPUT_POINTS: usize = 256;
/// Fewest tasks per interval, on average, for a meaningful rate.
const TASKS_A_POINT: u64 = 16;
/// First interval width: 2^10 ns ≈ 1 µs, shorter than any page task.
const FIRST_SHIFT: u32 = 10;

#[derive(Clone, Copy, Debug)]
struct Interval {
    /// Fewest free pages; `u64::MAX` if no tick fell into the interval.
    least_free: u64,
    tasks: u64,
}

impl Interval {
    const EMPTY: Self = Self { least_free: u64::MAX, tasks: 0 };

    fn merged(self, next: Self) -> Self {
        Self { least_free: self.least_free.min(next.least_free), tasks: self.tasks + next.tasks }
    }
}

/// Free pages and tasks in intervals of equal length, a power of two of ns.
#[derive(Debug)]
pub(super) struct TimeSeries {
    start_ns: u64,
    shift: u32,
    /// The last interval contains the last tick.
    intervals: Vec<Interval>,
    /// End of the last interval; earlier ticks need no search.
    end_ns: u64,
    /// Fewest free pages in the last interval so far.
    least_free: u64,
    last_ns: u64,
    /// Tasks at the last tick, and at the last tick of the previous interval.
    tasks: u64,
    tasks_before: u64,
}

/// The series as reported.
#[derive(Debug, PartialEq)]
pub(super) struct Points {
    pub(super) least_free_pages: Option<u64>,
    pub(super) free_pages: Vec<(u64, u64)>,
    pub(super) throughput: Vec<(u64, f64)>,
}

impl TimeSeries {
    pub(super) fn new(start_ns: u64) -> Self {
        let mut intervals = Vec::with_capacity(INTERVALS);
        intervals.push(Interval::EMPTY);
        Self {
            start_ns,
            shift: FIRST_SHIFT,
            intervals,
            end_ns: start_ns.saturating_add(1 << FIRST_SHIFT),
            least_free: u64::MAX,
            last_ns: start_ns,
            tasks: 0,
            tasks_before: 0,
        }
    }

    /// Records the free pages and the number of finished tasks at a time.
    #[inline]
    pub(super) fn tick(&mut self, now_ns: u64, free_pages: u64, tasks: u64) {
        if now_ns >= self.end_ns {
            self.advance(now_ns);
        }
        self.tasks = tasks;
        self.last_ns = self.last_ns.max(now_ns);
        self.least_free = self.least_free.min(free_pages);
    }

    /// End of the last interval.
    pub(super) fn end_ns(&self) -> u64 {
        self.end_ns
    }

    /// Makes the interval of `now_ns` the last one.
    #[cold]
    fn advance(&mut self, now_ns: u64) {
        self.close();
        let since = now_ns - self.start_ns;
        while since >> self.shift >= INTERVALS as u64 {
            merge_pairs(&mut self.intervals);
            self.shift += 1;
        }
        let at = (since >> self.shift) as usize;
        self.intervals.resize(at + 1, Interval::EMPTY);
        let end = (u128::from(self.start_ns)) + ((at as u128 + 1) << self.shift);
        self.end_ns = u64::try_from(end).unwrap_or(u64::MAX);
    }

    fn close(&mut self) {
        if let Some(interval) = self.intervals.last_mut() {
            interval.tasks += self.tasks - self.tasks_before;
            interval.least_free = interval.least_free.min(self.least_free);
        }
        self.tasks_before = self.tasks;
        self.least_free = u64::MAX;
    }

    /// The series, with the final number of tasks.
    pub(super) fn finish(mut self, tasks: u64) -> Points {
        self.tasks = tasks;
        self.close();
        let free_pages: Vec<_> = (0u64..)
            .zip(&self.intervals)
            .filter(|(_, interval)| interval.least_free != u64::MAX)
            .map(|(at, interval)| (at << self.shift, interval.least_free))
            .collect();
        Points {
            least_free_pages: free_pages.iter().map(|&(_, pages)| pages).min(),
            free_pages,
            throughput: self.throughput(),
        }
    }

    /// Tasks per second, over intervals wide enough for a rate.
    fn throughput(mut self) -> Vec<(u64, f64)> {
        // In 128 bits, because one interval may be wider than the whole clock.
        let elapsed = u128::from(self.last_ns - self.start_ns);
        if elapsed == 0 {
            return Vec::new();
        }
        while self.intervals.len() > 1
            && (self.intervals.len() > THROUGHPUT_POINTS
                || self.tasks / (self.intervals.len() as u64) < TASKS_A_POINT)
        {
            merge_pairs(&mut self.intervals);
            self.shift += 1;
        }
        // The end of the run cuts the last interval. The rate of a sliver would be meaningless.
        let width = 1u128 << self.shift;
        let last = self.intervals.len() - 1;
        if last > 0 && elapsed - ((last as u128) << self.shift) < width / 4 {
            let sliver = self.intervals.pop().unwrap_or(Interval::EMPTY);
            self.intervals[last - 1].tasks += sliver.tasks;
        }
        let last = self.intervals.len() - 1;
        let rate = |(at, interval): (usize, &Interval)| {
            let from = (at as u128) << self.shift;
            let ns = if at == last { elapsed - from } else { width };
            (from as u64, interval.tasks as f64 * 1e9 / ns as f64)
        };
        self.intervals.iter().enumerate().map(rate).collect()
    }
}

fn merge_pairs(intervals: &mut Vec<Interval>) {
    let half = intervals.len().div_ceil(2);
    for at in 0..half {
        let next = intervals.get(2 * at + 1).copied().unwrap_or(Interval::EMPTY);
        intervals[at] = intervals[2 * at].merged(next);
    }
    intervals.truncate(half);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One task each `gap` ns; free pages count down and up again.
    fn run(tasks: u64, gap: u64, start: u64) -> Points {
        let mut series = TimeSeries::new(start);
        for n in 1..=tasks {
            series.tick(start + n * gap, 500 + n % 100, n);
        }
        series.finish(tasks)
    }

    #[test]
    fn memory_is_bounded_and_the_least_is_kept() {
        let mut series = TimeSeries::new(7);
        for n in 1..=3_000_000u64 {
            let free = if n == 1_234_567 { 3 } else { 500 };
            series.tick(7 + n * 220_900, free, n);
            assert!(series.intervals.len() <= INTERVALS);
        }
        assert_eq!(series.intervals.capacity(), INTERVALS);
        let points = series.finish(3_000_000);
        assert_eq!(points.least_free_pages, Some(3));
        assert_eq!(points.free_pages.iter().filter(|(_, pages)| *pages == 3).count(), 1);
        let (at, _) = points.free_pages.iter().rfind(|(ns, _)| *ns <= 1_234_567 * 220_900).unwrap();
        let seen = points.free_pages.iter().find(|(_, pages)| *pages == 3).unwrap().0;
        assert_eq!(*at, seen, "the least is where it was");
        assert!(points.free_pages.len() > INTERVALS / 2 - 2);
    }

    #[test]
    fn throughput_of_an_even_load_is_even_and_adds_up() {
        for tasks in [20, 1_000, 77_777, 1_000_000] {
            let points = run(tasks, 100_000, 1 << 40);
            assert!(points.throughput.len() <= THROUGHPUT_POINTS);
            for &(_, rate) in &points.throughput {
                assert!((rate - 10_000.0).abs() < 700.0, "{rate} of {tasks}");
            }
            let end = tasks * 100_000;
            let until = points.throughput.iter().skip(1).map(|p| p.0).chain([end]);
            let sum: f64 = points
                .throughput
                .iter()
                .zip(until)
                .map(|(&(from, rate), to)| rate * (to - from) as f64 / 1e9)
                .sum();
            assert!((sum - tasks as f64).abs() < 1e-3, "{sum} of {tasks}");
        }
    }

    #[test]
    fn an_idle_gap_is_a_gap() {
        let mut series = TimeSeries::new(0);
        for n in 1..=10_000u64 {
            let gap = if n > 5_000 { 3_600_000_000_000 } else { 0 };
            series.tick(n * 100_000 + gap, n, n);
        }
        let points = series.finish(10_000);
        let rates: Vec<f64> = points.throughput.iter().map(|p| p.1).collect();
        assert!(
            rates.len() > 100
                && rates[0] > 0.0
                && rates[1..rates.len() - 2].iter().all(|r| *r == 0.0)
        );
        assert!(points.free_pages.len() < 10, "nothing is invented in between");
    }

    #[test]
    fn odd_clocks_do_not_harm() {
        let mut series = TimeSeries::new(1_000_000);
        for (n, now) in [0, 5, u64::MAX, 3, u64::MAX, 1_000_001].into_iter().enumerate() {
            series.tick(now, 9, n as u64 + 1);
        }
        assert_eq!(series.finish(6).least_free_pages, Some(9));
        let mut late = TimeSeries::new(u64::MAX);
        late.tick(u64::MAX, 1, 1);
        assert_eq!(late.finish(1).throughput, vec![]);
    }

    #[test]
    fn same_input_same_series() {
        assert_eq!(run(123_456, 33_333, 5), run(123_456, 33_333, 5));
        assert_eq!(TimeSeries::new(3).finish(0).free_pages, vec![]);
    }
}

//! One pass over a stream of arrivals.

use super::curve::{ArrivalCurve, Span, TokenBucket};
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use flash::Ns;

/// Numbers of pages up to this one have an exact window each.
const EACH: u64 = 64;
/// Numbers per octave above it.
const PER_OCTAVE: u64 = 8;
/// The largest number with a window of its own.
const MOST: u64 = 1 << 20;
/// Rates: a page per 2^6 ns to one per 2^40 ns, 18 minutes; four per octave.
const PERIODS: core::ops::Range<u32> = 6..40;
/// Quarters of an octave, in 2^16.
const QUARTERS: [u64; 4] = [65_536, 77_936, 92_682, 110_218];

/// An arrival before the one that came last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "an arrival at {at_ns} ns comes after one at {last_ns} ns: arrivals must be in the order of time"
)]
pub struct Disorder {
    /// The arrival.
    pub at_ns: Ns,
    /// The one before it in the stream.
    pub last_ns: Ns,
}

/// Arrivals at one time.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at_ns: Ns,
    /// Pages that arrived before.
    before: u64,
}

/// The search for the shortest window that holds a number of pages.
#[derive(Clone, Copy, Debug)]
struct Search {
    pages: u64,
    /// Number of the last arrival from which on so many pages have come; arrivals are counted from 0.
    from: u64,
    shortest_ns: Option<Ns>,
}

/// The search for the burst at a rate.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    ns_per_page: Ns,
    work_ns: Ns,
    burst_ns: Ns,
}

/// Gathers the arrival curve of a stream.
///
/// Memory: at most 2^20 arrivals of 16 bytes, and fewer where an arrival has several pages. Time: some 300 steps per arrival.
///
/// ```
/// use ftlkit_bounds::arrivals::Gatherer;
///
/// // Two pages every millisecond.
/// let mut gatherer = Gatherer::new();
/// for at in 0..1000 {
///     gatherer.arrive(at * 1_000_000, 2)?;
/// }
/// let curve = gatherer.curve();
/// assert_eq!(curve.most_within(0), 2);
/// assert_eq!(curve.most_within(1_000_000), 4);
/// assert_eq!(curve.shortest_window(5), Some(2_000_000));
/// // A server that takes 0.25 ms per page is never late by more than both pages of one arrival.
/// assert_eq!(curve.delay_ns(250_000), Some(500_000));
/// # Ok::<(), ftlkit_bounds::arrivals::Disorder>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gatherer {
    /// Arrivals that a search still needs; the first has the number `forgotten`.
    arrivals: VecDeque<Arrival>,
    forgotten: u64,
    pages: u64,
    last_ns: Ns,
    first_ns: Option<Ns>,
    searches: Vec<Search>,
    buckets: Vec<Bucket>,
}

impl Default for Gatherer {
    fn default() -> Self {
        Self::new()
    }
}

impl Gatherer {
    /// A gatherer of an empty stream.
    pub fn new() -> Self {
        let search = |pages| Search { pages, from: 0, shortest_ns: None };
        let octaves = EACH.ilog2()..MOST.ilog2();
        let above = octaves.flat_map(|octave| {
            (1..=PER_OCTAVE).map(move |part| (1 << octave) + ((part << octave) / PER_OCTAVE))
        });
        let periods = PERIODS.flat_map(|octave| QUARTERS.map(|quarter| (quarter << octave) >> 16));
        Self {
            arrivals: VecDeque::new(),
            forgotten: 0,
            pages: 0,
            last_ns: 0,
            first_ns: None,
            searches: (1..=EACH).chain(above).map(search).collect(),
            buckets: periods
                .map(|ns_per_page| Bucket { ns_per_page, work_ns: 0, burst_ns: 0 })
                .collect(),
        }
    }

    /// Takes an arrival of so many pages; one of none changes nothing.
    ///
    /// # Errors
    /// It is before the last one.
    pub fn arrive(&mut self, at_ns: Ns, pages: u64) -> Result<(), Disorder> {
        if at_ns < self.last_ns {
            return Err(Disorder { at_ns, last_ns: self.last_ns });
        }
        if pages == 0 {
            return Ok(());
        }
        let passed_ns = at_ns - self.last_ns;
        let is_first = self.first_ns.is_none();
        if is_first || passed_ns > 0 {
            self.arrivals.push_back(Arrival { at_ns, before: self.pages });
        }
        self.first_ns.get_or_insert(at_ns);
        self.last_ns = at_ns;
        self.pages = self.pages.saturating_add(pages);
        for bucket in &mut self.buckets {
            let asked_ns = bucket.ns_per_page.saturating_mul(pages);
            bucket.work_ns = bucket.work_ns.saturating_sub(passed_ns).saturating_add(asked_ns);
            bucket.burst_ns = bucket.burst_ns.max(bucket.work_ns);
        }
        self.search(at_ns);
        Ok(())
    }

    fn search(&mut self, at_ns: Ns) {
        let (arrivals, forgotten, all) = (&self.arrivals, self.forgotten, self.pages);
        let at = |number: u64| arrivals.get((number - forgotten) as usize);
        for search in &mut self.searches {
            // Fewer have come, so all larger numbers have not come either.
            if all < search.pages {
                return;
            }
            while at(search.from + 1).is_some_and(|next| all - next.before >= search.pages) {
                search.from += 1;
            }
            if let Some(from) = at(search.from) {
                let window_ns = at_ns - from.at_ns;
                search.shortest_ns =
                    Some(search.shortest_ns.map_or(window_ns, |ns| ns.min(window_ns)));
            }
        }
        // All of them have been found once: no search looks in front of that of the largest number.
        let needed = self.searches.last().map_or(0, |last| last.from);
        self.arrivals.drain(..(needed - forgotten) as usize);
        self.forgotten = needed;
    }

    /// What has been gathered.
    pub fn curve(&self) -> ArrivalCurve {
        let span = |search: &Search| {
            search.shortest_ns.map(|window_ns| Span { pages: search.pages, window_ns })
        };
        let bucket = |bucket: &Bucket| TokenBucket {
            ns_per_page: bucket.ns_per_page,
            burst_ns: bucket.burst_ns,
        };
        ArrivalCurve {
            spans: self.searches.iter().map_while(span).collect(),
            buckets: self.buckets.iter().map(bucket).collect(),
            pages: self.pages,
            lasts_ns: self.last_ns - self.first_ns.unwrap_or(self.last_ns),
        }
    }
}

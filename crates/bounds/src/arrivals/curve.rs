//! A gathered curve, and what follows from it.

use alloc::vec::Vec;
use flash::Ns;

/// The shortest window that holds so many pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Pages.
    pub pages: u64,
    /// The window, ns from the first arrival in it to the last.
    pub window_ns: Ns,
}

/// A rate, and the burst that goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    /// The rate: a page per so many ns.
    pub ns_per_page: Ns,
    /// The burst: the largest work of a server that takes this time per page, ns. Pages: divided by `ns_per_page`. `Ns::MAX`: so much, or
    /// more.
    pub burst_ns: Ns,
}

/// Arrivals of a stream, over all windows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrivalCurve {
    pub(super) spans: Vec<Span>,
    pub(super) buckets: Vec<TokenBucket>,
    pub(super) pages: u64,
    pub(super) lasts_ns: Ns,
}

impl ArrivalCurve {
    /// A curve of these shortest windows and token buckets, over a stream of so many pages. `None` if it is none: the windows must grow
    /// with their pages, each with more than the one before, and the times per page be at least 1.
    pub fn new(
        spans: Vec<Span>,
        buckets: Vec<TokenBucket>,
        pages: u64,
        lasts_ns: Ns,
    ) -> Option<Self> {
        let grows =
            |pair: &[Span]| pair[0].pages < pair[1].pages && pair[0].window_ns <= pair[1].window_ns;
        let fits = |last: &Span| last.pages <= pages && last.window_ns <= lasts_ns;
        let is_one = spans.windows(2).all(grows)
            && spans.first().is_none_or(|first| first.pages > 0)
            && spans.last().is_none_or(fits)
            && buckets.iter().all(|bucket| bucket.ns_per_page > 0);
        is_one.then_some(Self { spans, buckets, pages, lasts_ns })
    }

    /// Shortest windows, by growing number of pages.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// Token buckets, from the highest rate to the lowest.
    pub fn buckets(&self) -> &[TokenBucket] {
        &self.buckets
    }

    /// Pages of the whole stream.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Time from the first arrival to the last, ns.
    pub fn lasts_ns(&self) -> Ns {
        self.lasts_ns
    }

    /// The most pages that arrive within a closed window of this length, for certain: so many arrive within one.
    pub fn least_within(&self, window_ns: Ns) -> u64 {
        let known = self.spans.partition_point(|span| span.window_ns <= window_ns);
        known.checked_sub(1).map_or(0, |last| self.spans[last].pages)
    }

    /// No more pages than these arrive within any closed window of this length. As [`ArrivalCurve::least_within`] where the window is
    /// one of [`ArrivalCurve::spans`] and the next number follows it.
    pub fn most_within(&self, window_ns: Ns) -> u64 {
        let known = self.spans.partition_point(|span| span.window_ns <= window_ns);
        let by_spans = self.spans.get(known).map_or(self.pages, |next| next.pages - 1);
        let of_bucket = |bucket: &TokenBucket| match bucket.burst_ns.checked_add(window_ns) {
            Some(ns) if bucket.burst_ns < Ns::MAX => ns / bucket.ns_per_page,
            _ => u64::MAX,
        };
        self.buckets.iter().map(of_bucket).fold(by_spans, u64::min)
    }

    /// The first window longer than this one for which [`ArrivalCurve::most_within`] may be larger; `Ns::MAX` if none is.
    pub fn next_after(&self, window_ns: Ns) -> Ns {
        let now = self.most_within(window_ns);
        if now >= self.pages {
            return Ns::MAX;
        }
        let bound = |more: u64| {
            let of_bucket = |bucket: &TokenBucket| match bucket.burst_ns {
                Ns::MAX => 0,
                burst_ns => bucket.ns_per_page.saturating_mul(more).saturating_sub(burst_ns),
            };
            let known = self.spans.partition_point(|span| span.pages <= more);
            let by_spans = known.checked_sub(1).map_or(0, |last| self.spans[last].window_ns);
            self.buckets.iter().map(of_bucket).fold(by_spans, Ns::max)
        };
        bound(now + 1).max(window_ns + 1)
    }

    /// No window shorter than this one holds so many pages; `None` if so many never come.
    pub fn shortest_window(&self, pages: u64) -> Option<Ns> {
        if pages > self.pages {
            return None;
        }
        let next = self.spans.partition_point(|span| span.pages < pages);
        let by_spans = match self.spans.get(next) {
            Some(span) if span.pages == pages => return Some(span.window_ns),
            _ => next.checked_sub(1).map_or(0, |before| self.spans[before].window_ns),
        };
        let of_bucket = |bucket: &TokenBucket| {
            bucket.ns_per_page.saturating_mul(pages).saturating_sub(bucket.burst_ns)
        };
        Some(self.buckets.iter().map(of_bucket).fold(by_spans, Ns::max))
    }

    /// So long at least a page of the stream itself waits and is served where one page is served at a time, in any order, and none
    /// in less than `ns_per_page`: of n pages that arrive within a window, the last to end ends n times that after it began or later.
    pub fn least_delay_ns(&self, ns_per_page: Ns) -> Ns {
        let of_span =
            |span: &Span| span.pages.saturating_mul(ns_per_page).saturating_sub(span.window_ns);
        let faster = self.buckets.iter().filter(|bucket| bucket.ns_per_page <= ns_per_page);
        let by_buckets = faster.map(|bucket| bucket.burst_ns).filter(|ns| *ns < Ns::MAX);
        self.spans.iter().map(of_span).chain(by_buckets).max().unwrap_or(0)
    }

    /// The longest time from the arrival of a page to its end in a server that does them in order, each in at most `ns_per_page`: the
    /// horizontal deviation of α from the service curve t / `ns_per_page` (Le Boudec and Thiran, Theorem 1.4.2). Not above it, whatever
    /// each takes; and reached, where `ns_per_page` is a rate of [`ArrivalCurve::buckets`] and each takes it. `None` beyond 2^64 ns.
    pub fn delay_ns(&self, ns_per_page: Ns) -> Option<Ns> {
        // At a rate of P ≥ the server's time U per page: n pages take n·U, and arrive in no window shorter than n·P − b.
        let slower = self.buckets.iter().filter(|bucket| bucket.ns_per_page >= ns_per_page);
        let by_buckets = slower.map(|bucket| bucket.burst_ns).filter(|ns| *ns < Ns::MAX).min();
        let by_spans = || {
            let ends = self.spans.iter().skip(1).map(|span| span.pages - 1).chain([self.pages]);
            self.spans.iter().zip(ends).try_fold(0, |longest: Ns, (span, end)| {
                let took_ns = end.checked_mul(ns_per_page)?;
                Some(longest.max(took_ns.saturating_sub(span.window_ns)))
            })
        };
        if self.pages == 0 {
            return Some(0);
        }
        by_buckets.into_iter().chain(by_spans()).min()
    }
}

//! Intervals of a trace's pages, placed one after another in the space: dense packing and device regions.

use crate::policy::mapped::Mapped;
use crate::policy::touched::Interval;
use crate::request::Request;

/// Intervals and their first pages in the space.
pub(crate) struct Packed {
    intervals: Vec<Interval>,
    /// First page in the space of each interval.
    begins: Vec<u64>,
    pages: u64,
    page_bytes: u64,
}

impl Packed {
    /// Intervals sorted by device and address; they must neither overlap nor adjoin.
    pub(crate) fn new(intervals: Vec<Interval>, page_bytes: u64) -> Self {
        let mut pages = 0u64;
        let begins = intervals.iter().map(|interval| {
            let begin = pages;
            pages = pages.saturating_add(interval.end - interval.first);
            begin
        });
        let begins = begins.collect();
        Self { intervals, begins, pages, page_bytes }
    }

    /// One region per device, from its first touched page to its last.
    pub(crate) fn regions(intervals: &[Interval], page_bytes: u64) -> Self {
        let mut regions: Vec<Interval> = Vec::new();
        for &interval in intervals {
            match regions.last_mut() {
                Some(region) if region.device == interval.device => region.end = interval.end,
                _ => regions.push(interval),
            }
        }
        Self::new(regions, page_bytes)
    }

    /// Pages of the space that the intervals occupy.
    pub(crate) fn pages(&self) -> u64 {
        self.pages
    }

    /// Maps a request. A request that exceeds the touched pages, as a trim may, is cut down to them.
    ///
    /// The result is contiguous because the order is kept.
    #[inline]
    pub(crate) fn map(&self, request: &Request) -> Mapped {
        let first = request.offset / self.page_bytes;
        let last = (request.offset + (request.length - 1)) / self.page_bytes;
        let of = |interval: &Interval| (interval.device, interval.end);
        let i = self.intervals.partition_point(|interval| of(interval) <= (request.device, first));
        let Some(interval) = self.intervals.get(i) else { return Mapped::Outside };
        if interval.device != request.device || last < interval.first {
            return Mapped::Outside;
        }
        if interval.first <= first && last < interval.end {
            let offset = self.begins[i] * self.page_bytes
                + (request.offset - interval.first * self.page_bytes);
            return Mapped::One(Request { offset, ..*request });
        }
        Mapped::Cut(self.cut(request, i, last))
    }

    /// The touched part of a request, from interval `i` on.
    fn cut(&self, request: &Request, i: usize, last: u64) -> Request {
        let page = self.page_bytes;
        let place =
            |i: usize, byte: u64| self.begins[i] * page + (byte - self.intervals[i].first * page);
        let begin = place(i, request.offset.max(self.intervals[i].first * page));
        let beyond = self.intervals.partition_point(|interval| {
            (interval.device, interval.first) <= (request.device, last)
        });
        let j = beyond - 1;
        let end = place(
            j,
            (request.offset + request.length).min(self.intervals[j].end.saturating_mul(page)),
        );
        Request { offset: begin, length: end - begin, ..*request }
    }
}

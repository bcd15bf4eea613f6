//! Division of requests into page tasks, a bounded number at a time.

use crate::report::LargestRequest;
use ftl::{Asks, PageTask, TaskKind, ZoneShape};
use std::ops::Range;
use workload::{Op, Request};

/// Cuts requests into page tasks.
///
/// A page read in part is one task. A page written in part is read first, so that its other bytes are kept: two tasks, unless
/// such reads are [free](Self::with_free_partial_pages). A trim covers only the pages that lie wholly within it. Zeroes are
/// written as any bytes are; of zeroes that deallocate, whole pages are trimmed.
///
/// Of a scheme [with zones](Self::with_zones), writes are in whole pages of one zone, zeroes are written, and a trim is a reset
/// of each zone that it covers. What no zone could take is refused as a whole, before any of it is done.
#[derive(Debug)]
pub struct Cutter {
    page_bytes: u64,
    /// log₂ of the page size if that is a power of two, as in nearly all cases.
    shift: Option<u32>,
    rest: Option<Rest>,
    /// True if pages written in part are not read.
    free: bool,
    /// The zones of the scheme, if it has any.
    zones: Option<ZoneShape>,
    /// Pages written in part so far.
    partial_pages: u64,
    /// The largest request so far; requests of one whole page are not counted.
    largest: LargestRequest,
}

/// Page tasks of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TaskCounts {
    /// Reads, of pages that are written in part, too.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Trims.
    pub trims: u64,
}

#[derive(Clone, Copy, Debug)]
struct Rest {
    request: Request,
    next: u64,
    end: u64,
    /// True if the next page, which is written in part, has been read.
    read: bool,
}

impl Cutter {
    /// A cutter into pages of this size.
    pub fn new(page_bytes: u32) -> Self {
        let shift = page_bytes.is_power_of_two().then(|| page_bytes.trailing_zeros());
        Self {
            page_bytes: page_bytes.into(),
            shift,
            rest: None,
            free: false,
            zones: None,
            partial_pages: 0,
            largest: LargestRequest::default(),
        }
    }

    /// As before; if `free`, pages written in part are not read.
    pub fn with_free_partial_pages(self, free: bool) -> Self {
        Self { free, ..self }
    }

    /// The same for a scheme with these zones.
    pub fn with_zones(self, zones: Option<ZoneShape>) -> Self {
        Self { zones, ..self }
    }

    /// Pages written in part so far.
    pub(crate) fn partial_pages(&self) -> u64 {
        self.partial_pages
    }

    /// The largest request so far, by kind; requests of one whole page are not counted.
    pub(crate) fn largest(&self) -> LargestRequest {
        self.largest
    }

    /// Appends tasks of `requests` to `out` until it holds `most`; returns the number of requests used. The
    /// remainder of the last one comes first in the next call.
    #[inline]
    pub fn cut(&mut self, requests: &[Request], most: usize, out: &mut Vec<PageTask>) -> usize {
        let mut used = 0;
        loop {
            if self.rest.is_some()
                && let Some(rest) = self.rest.take()
            {
                self.pages(rest, most, out);
            }
            // Requests of one page are the most frequent in many workloads.
            while out.len() < most
                && let Some(task) = requests.get(used).and_then(|request| self.single(request))
            {
                out.push(task);
                used += 1;
            }
            if out.len() >= most || used == requests.len() {
                return used;
            }
            self.begin(&requests[used], out);
            used += 1;
        }
    }

    /// The only page task of a read or write of a page, if nothing else has to be looked at: no page in part, no zones.
    #[inline]
    pub(crate) fn single(&self, request: &Request) -> Option<PageTask> {
        let shift = self.shift?;
        let is_whole = (request.length == self.page_bytes)
            & (request.offset & (self.page_bytes - 1) == 0)
            & self.zones.is_none();
        let asks = match request.op {
            Op::Read => Asks::Page(TaskKind::Read),
            Op::Write => Asks::Page(TaskKind::Write),
            _ => return None,
        };
        is_whole.then(|| PageTask {
            arrival_ns: request.arrival_ns,
            lpn: (request.offset >> shift) as u32,
            asks,
            last: true,
            forced: request.fua,
            stream: request.stream,
        })
    }

    /// The page tasks of a request, without cutting it. Zones are not asked.
    pub fn counts(&self, request: &Request) -> TaskCounts {
        let bytes_end = request.offset.saturating_add(request.length);
        let touched = self.pages_of(request);
        let touched = if request.length == 0 { 0 } else { touched.end - touched.start };
        let whole = self
            .page_of(bytes_end)
            .saturating_sub(self.page_of(request.offset.saturating_add(self.page_bytes - 1)));
        let in_part = touched - whole;
        let merges = if self.free { 0 } else { in_part };
        match request.op {
            Op::Read => TaskCounts { reads: touched, ..TaskCounts::default() },
            Op::Write | Op::WriteZeroes | Op::Append => {
                TaskCounts { reads: merges, writes: touched, trims: 0 }
            }
            Op::DeallocateZeroes => TaskCounts { reads: merges, writes: in_part, trims: whole },
            Op::Trim => TaskCounts { trims: whole, ..TaskCounts::default() },
            Op::Flush | Op::Open | Op::Close | Op::Finish => TaskCounts::default(),
        }
    }

    /// The pages that a request touches, in part or whole.
    #[inline]
    pub(crate) fn pages_of(&self, request: &Request) -> Range<u64> {
        let end = request.offset.saturating_add(request.length);
        self.page_of(request.offset)..self.page_of(end.saturating_add(self.page_bytes - 1))
    }

    #[inline]
    fn page_of(&self, byte: u64) -> u64 {
        match self.shift {
            Some(shift) => byte >> shift,
            None => byte / self.page_bytes,
        }
    }

    #[inline]
    fn begin(&mut self, request: &Request, out: &mut Vec<PageTask>) {
        let first = self.page_of(request.offset);
        let bytes_end = request.offset + request.length;
        let (next, end) = match request.op {
            Op::Read | Op::Flush => self.plain(request, first, bytes_end),
            _ if self.zones.is_some() => match self.in_zones(request) {
                Ok(range) => range,
                Err(asks) => return out.push(Self::bare(request, asks)),
            },
            Op::Append | Op::Open | Op::Close | Op::Finish => {
                return out.push(Self::bare(request, Asks::NoZones));
            }
            _ => self.plain(request, first, bytes_end),
        };
        if next >= end || request.length == 0 && request.op.has_data() {
            let asks = if request.op == Op::Flush { Asks::Flush } else { Asks::Nothing };
            out.push(Self::bare(request, asks));
        } else if end == next + 1 && (!Self::writes(request) || self.covers(request, next)) {
            // No detour over `rest`.
            out.push(self.page(request, next, end));
        } else {
            self.measure(request, next, end);
            self.rest = Some(Rest { request: *request, next, end, read: false });
        }
    }

    /// A piece that touches no page.
    fn bare(request: &Request, asks: Asks) -> PageTask {
        PageTask {
            arrival_ns: request.arrival_ns,
            lpn: 0,
            asks,
            last: true,
            forced: false,
            stream: request.stream,
        }
    }

    /// The pages that the request touches: of a trim those that it covers, of a flush none.
    #[inline]
    fn plain(&self, request: &Request, first: u64, bytes_end: u64) -> (u64, u64) {
        match request.op {
            Op::Trim => {
                (self.page_of(request.offset + self.page_bytes - 1), self.page_of(bytes_end))
            }
            Op::Flush => (0, 0),
            _ => (first, self.page_of(bytes_end + self.page_bytes - 1)),
        }
    }

    /// Pages of a write or append, or zones of another command: a range of numbers, of which each is a piece. An error is
    /// why the zones do not take it, whatever their states are.
    fn in_zones(&self, request: &Request) -> Result<(u64, u64), Asks> {
        let zone_pages = self.zones.map_or(1, |zones| u64::from(zones.pages.max(1)));
        let zone_bytes = zone_pages * self.page_bytes;
        let Request { op, offset, length, .. } = *request;
        if !(op == Op::Append || Self::writes(request)) {
            // A management command names its zone, or covers it.
            let length = if op != Op::Trim && length == 0 { zone_bytes } else { length };
            if !offset.is_multiple_of(zone_bytes) || !length.is_multiple_of(zone_bytes) {
                return Err(Asks::PartOfZone);
            }
            // Only a reset takes several zones, as a trim of a range.
            if op != Op::Trim && length != zone_bytes {
                return Err(Asks::PartOfZone);
            }
            return Ok((offset / zone_bytes, (offset + length) / zone_bytes));
        }
        if !offset.is_multiple_of(self.page_bytes) || !length.is_multiple_of(self.page_bytes) {
            return Err(Asks::PartOfPage);
        }
        if op == Op::Append && !offset.is_multiple_of(zone_bytes) {
            return Err(Asks::PartOfZone);
        }
        let (next, end) = (self.page_of(offset), self.page_of(offset + length));
        if end > next && next / zone_pages != (end - 1) / zone_pages {
            return Err(Asks::ZoneBoundary);
        }
        Ok((next, end))
    }

    /// Counts a request of these pages among the largest.
    #[inline]
    fn measure(&mut self, request: &Request, next: u64, end: u64) {
        let in_part = |page| u64::from(!self.covers(request, page));
        let merges = match Self::writes(request) && !self.free {
            true => in_part(next) + if end - 1 > next { in_part(end - 1) } else { 0 },
            false => 0,
        };
        let LargestRequest { reads, writes, merges: most, trims } = &mut self.largest;
        let pages = match request.op {
            Op::Read => reads,
            Op::Write | Op::WriteZeroes | Op::Append => writes,
            // Whole pages are trimmed, but not in zones.
            Op::DeallocateZeroes if self.zones.is_some() => writes,
            _ => trims,
        };
        *pages = (*pages).max(end - next);
        *most = (*most).max(merges);
    }

    #[inline]
    fn writes(request: &Request) -> bool {
        matches!(request.op, Op::Write | Op::WriteZeroes | Op::DeallocateZeroes)
    }

    /// The piece `at` of a request, whose pieces end at `end`.
    #[inline]
    fn page(&self, request: &Request, at: u64, end: u64) -> PageTask {
        let mut task = PageTask {
            arrival_ns: request.arrival_ns,
            lpn: at as u32,
            asks: Asks::Page(self.kind(request, at)),
            last: at + 1 == end,
            forced: request.fua,
            stream: request.stream,
        };
        if let Some(zones) = self.zones {
            self.zoned(request, zones, end, &mut task);
        }
        task
    }

    /// Changes a page task into what a scheme with zones is asked.
    fn zoned(&self, request: &Request, zones: ZoneShape, end: u64, task: &mut PageTask) {
        let asks = match request.op {
            Op::Append => {
                // The zone, and the pages that follow.
                let first = self.page_of(request.offset) as u32;
                task.lpn = first + (end as u32 - 1 - task.lpn);
                task.asks = Asks::Append;
                return;
            }
            Op::DeallocateZeroes => {
                task.asks = Asks::Page(TaskKind::Write);
                return;
            }
            Op::Trim => Asks::Reset,
            Op::Open => Asks::Open,
            Op::Close => Asks::Close,
            Op::Finish => Asks::Finish,
            Op::Read | Op::Write | Op::WriteZeroes | Op::Flush => return,
        };
        (task.asks, task.lpn) = (asks, task.lpn.saturating_mul(zones.pages));
    }

    /// Kind of the task of one page of a request.
    #[inline]
    fn kind(&self, request: &Request, page: u64) -> TaskKind {
        match request.op {
            Op::Read => TaskKind::Read,
            Op::Trim => TaskKind::Trim,
            Op::DeallocateZeroes if self.covers(request, page) => TaskKind::Trim,
            _ => TaskKind::Write,
        }
    }

    #[inline]
    fn pages(&mut self, mut rest: Rest, most: usize, out: &mut Vec<PageTask>) {
        while rest.next < rest.end {
            if out.len() >= most {
                self.rest = Some(rest);
                return;
            }
            let (request, page) = (&rest.request, rest.next);
            let task = self.page(request, page, rest.end);
            let in_part = task.asks == Asks::Page(TaskKind::Write) && !self.covers(request, page);
            if in_part && !rest.read {
                self.partial_pages += 1;
                if !self.free {
                    let asks = Asks::Page(TaskKind::Read);
                    out.push(PageTask { asks, last: false, forced: false, ..task });
                    rest.read = true;
                    continue;
                }
            }
            out.push(task);
            (rest.next, rest.read) = (page + 1, false);
        }
    }

    fn covers(&self, request: &Request, page: u64) -> bool {
        request.offset <= page * self.page_bytes
            && (page + 1) * self.page_bytes <= request.offset + request.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(op: Op, offset: u64, length: u64) -> Request {
        Request {
            arrival_ns: 5,
            offset,
            length,
            device: 0,
            op,
            fua: false,
            stream: 0,
            response_ns: None,
        }
    }

    fn cut(requests: &[Request], most: usize) -> Vec<(u32, TaskKind, bool)> {
        let mut cutter = Cutter::new(4096);
        let mut all = Vec::new();
        let mut used = 0;
        loop {
            let mut out = Vec::new();
            used += cutter.cut(&requests[used..], most, &mut out);
            assert!(out.len() <= most);
            if out.is_empty() {
                return all;
            }
            for work in out {
                if let Asks::Page(kind) = work.asks {
                    all.push((work.lpn, kind, work.last));
                }
            }
        }
    }

    #[test]
    fn a_request_of_a_page_is_the_same_task_without_a_detour() {
        let ops = [Op::Read, Op::Write, Op::WriteZeroes, Op::DeallocateZeroes, Op::Trim];
        let others = [Op::Flush, Op::Append, Op::Open, Op::Close, Op::Finish];
        let places = (0..9u64).flat_map(|at| (0..9u64).map(move |n| (at * 1024, n * 1024)));
        let mut singles = 0;
        for (op, (offset, length)) in
            places.flat_map(|place| ops.into_iter().chain(others).map(move |op| (op, place)))
        {
            for (fua, stream) in [(false, 0), (true, 3)] {
                let request = Request { fua, stream, ..request(op, offset, length) };
                let mut cutter = Cutter::new(4096);
                let Some(single) = cutter.single(&request) else { continue };
                singles += 1;
                let mut long_way = Vec::new();
                cutter.begin(&request, &mut long_way);
                let shown = |task: &PageTask| format!("{task:?}");
                assert!(cutter.rest.is_none());
                assert_eq!(long_way.iter().map(shown).collect::<Vec<_>>(), [shown(&single)]);
            }
        }
        // Reads and writes of pages 0, 1 and 2, alone.
        assert_eq!(singles, 2 * 3 * 2);
        assert!(Cutter::new(3000).single(&request(Op::Read, 0, 3000)).is_none());
        let zones = Some(ZoneShape { zones: 4, pages: 8 });
        let zoned = Cutter::new(4096).with_zones(zones);
        assert!(zoned.single(&request(Op::Write, 0, 4096)).is_none());
    }

    #[test]
    fn counts_are_those_of_the_pieces() {
        let ops = [Op::Read, Op::Write, Op::WriteZeroes, Op::DeallocateZeroes, Op::Trim, Op::Flush];
        for (op, free) in ops.into_iter().flat_map(|op| [(op, false), (op, true)]) {
            for (offset, length) in
                (0..12u64).flat_map(|at| (0..14u64).map(move |n| (at * 1024, n * 1024)))
            {
                let request = request(op, offset + 1, length);
                for request in [request, Request { offset, ..request }] {
                    let (mut cutter, mut out) =
                        (Cutter::new(4096).with_free_partial_pages(free), Vec::new());
                    cutter.cut(&[request], 64, &mut out);
                    let of = |kind| {
                        out.iter().filter(|task| task.asks == Asks::Page(kind)).count() as u64
                    };
                    let cut = TaskCounts {
                        reads: of(TaskKind::Read),
                        writes: of(TaskKind::Write),
                        trims: of(TaskKind::Trim),
                    };
                    assert_eq!(cutter.counts(&request), cut, "{request:?}");
                }
            }
        }
    }

    #[test]
    fn partial_pages_count_and_trims_take_whole_pages_only() {
        use TaskKind::{Read, Trim, Write};
        let both = [(0, Read, false), (0, Write, false), (1, Read, false), (1, Write, true)];
        for most in [1, 2, 3, 8] {
            assert_eq!(cut(&[request(Op::Write, 4095, 2)], most), both, "{most} at a time");
        }
        let ends = cut(&[request(Op::Write, 2048, 2 * 4096)], 8);
        assert_eq!(ends.len(), 5, "the page in the middle is written whole: {ends:?}");
        assert_eq!(cut(&[request(Op::Read, 8192, 1)], 8), [(2, Read, true)]);
        assert_eq!(cut(&[request(Op::Trim, 1, 4096 * 2)], 8), [(1, Trim, true)]);
        assert_eq!(cut(&[request(Op::Trim, 1, 4096)], 8), []);
        for (op, whole) in [(Op::WriteZeroes, Write), (Op::DeallocateZeroes, Trim)] {
            let zeroes = [
                (0, Read, false),
                (0, Write, false),
                (1, whole, false),
                (2, Read, false),
                (2, Write, true),
            ];
            assert_eq!(cut(&[request(op, 1, 2 * 4096)], 8), zeroes, "{op:?}");
        }
    }

    /// What is asked of zones of four pages, with the pages and whether it is the last piece.
    fn of_zones(request: Request) -> Vec<(Asks, u32, bool)> {
        let zones = Some(ZoneShape { zones: 8, pages: 4 });
        let (mut cutter, mut out) = (Cutter::new(4096).with_zones(zones), Vec::new());
        assert_eq!(cutter.cut(&[request], 64, &mut out), 1);
        assert_eq!(cutter.cut(&[], 64, &mut out), 0);
        out.iter().map(|piece| (piece.asks, piece.lpn, piece.last)).collect()
    }

    #[test]
    fn zeroes_that_deallocate_are_written_in_zones_and_trimmed_elsewhere() {
        let zones = Some(ZoneShape { zones: 8, pages: 4 });
        let cases = [
            (Op::WriteZeroes, None, (3, 0)),
            (Op::WriteZeroes, zones, (3, 0)),
            (Op::DeallocateZeroes, None, (0, 3)),
            (Op::DeallocateZeroes, zones, (3, 0)),
        ];
        for (op, zones, expected) in cases {
            let (mut cutter, mut out) = (Cutter::new(4096).with_zones(zones), Vec::new());
            cutter.cut(&[request(op, 0, 3 * 4096)], 64, &mut out);
            let largest = cutter.largest();
            assert_eq!((largest.writes, largest.trims), expected, "{op:?}");
        }
    }

    #[test]
    fn commands_for_zones_are_cut_into_pages_and_zones_or_refused_as_a_whole() {
        const PAGE: u64 = 4096;
        let write = Asks::Page(TaskKind::Write);
        for op in [Op::Write, Op::WriteZeroes, Op::DeallocateZeroes] {
            let pieces = of_zones(request(op, 5 * PAGE, 3 * PAGE));
            assert_eq!(pieces, [(write, 5, false), (write, 6, false), (write, 7, true)], "{op:?}");
            assert_eq!(of_zones(request(op, 7 * PAGE, 2 * PAGE)), [(Asks::ZoneBoundary, 0, true)]);
            assert_eq!(of_zones(request(op, 100, PAGE)), [(Asks::PartOfPage, 0, true)]);
            assert_eq!(of_zones(request(op, 0, 100)), [(Asks::PartOfPage, 0, true)]);
        }
        // The zone, and the pages that follow.
        let append = of_zones(request(Op::Append, 8 * PAGE, 2 * PAGE));
        assert_eq!(append, [(Asks::Append, 9, false), (Asks::Append, 8, true)]);
        assert_eq!(of_zones(request(Op::Append, 4 * PAGE, PAGE)), [(Asks::Append, 4, true)]);
        assert_eq!(of_zones(request(Op::Append, 5 * PAGE, PAGE)), [(Asks::PartOfZone, 0, true)]);
        assert_eq!(
            of_zones(request(Op::Append, 4 * PAGE, 5 * PAGE)),
            [(Asks::ZoneBoundary, 0, true)]
        );
        let resets = of_zones(request(Op::Trim, 4 * PAGE, 8 * PAGE));
        assert_eq!(resets, [(Asks::Reset, 4, false), (Asks::Reset, 8, true)]);
        assert_eq!(of_zones(request(Op::Trim, 4 * PAGE, 3 * PAGE)), [(Asks::PartOfZone, 0, true)]);
        let actions =
            [(Op::Open, Asks::Open), (Op::Close, Asks::Close), (Op::Finish, Asks::Finish)];
        for (op, asks) in actions {
            assert_eq!(of_zones(request(op, 4 * PAGE, 4 * PAGE)), [(asks, 4, true)]);
            assert_eq!(of_zones(request(op, 4 * PAGE, 0)), [(asks, 4, true)], "names the zone");
            assert_eq!(of_zones(request(op, PAGE, 4 * PAGE)), [(Asks::PartOfZone, 0, true)]);
            assert_eq!(of_zones(request(op, 0, 8 * PAGE)), [(Asks::PartOfZone, 0, true)]);
        }
        let read = Asks::Page(TaskKind::Read);
        let reads = of_zones(request(Op::Read, 3 * PAGE + 1, PAGE));
        assert_eq!(reads, [(read, 3, false), (read, 4, true)], "reads may cross zones");
        // Without zones.
        for op in [Op::Append, Op::Open, Op::Close, Op::Finish] {
            let (mut cutter, mut out) = (Cutter::new(4096), Vec::new());
            cutter.cut(&[request(op, 0, 4 * PAGE)], 64, &mut out);
            assert_eq!((out.len(), out[0].asks, out[0].last), (1, Asks::NoZones, true));
        }
    }

    #[test]
    fn the_largest_request_of_each_kind_is_known() {
        let requests = [
            request(Op::Read, 100, 3 * 4096),
            request(Op::Write, 0, 2 * 4096),
            request(Op::Write, 2048, 4096),
            request(Op::Write, 0, 100),
            request(Op::Trim, 0, 7 * 4096 + 1),
            request(Op::Read, 0, 4096),
        ];
        for (free, merges) in [(false, 2), (true, 0)] {
            let mut cutter = Cutter::new(4096).with_free_partial_pages(free);
            assert_eq!(cutter.cut(&requests, usize::MAX, &mut Vec::new()), requests.len());
            let found = LargestRequest { reads: 4, writes: 2, merges, trims: 7 };
            assert_eq!(cutter.largest(), found);
        }
    }

    #[test]
    fn free_partial_pages_are_counted_and_not_read() {
        let (mut cutter, mut out) = (Cutter::new(4096).with_free_partial_pages(true), Vec::new());
        let requests = [request(Op::Write, 1, 4096), request(Op::Write, 0, 4096)];
        assert_eq!(cutter.cut(&requests, 8, &mut out), 2);
        let kinds: Vec<Asks> = out.iter().map(|task| task.asks).collect();
        assert_eq!(kinds, [Asks::Page(TaskKind::Write); 3]);
        assert_eq!(cutter.partial_pages(), 2);
    }

    #[test]
    fn a_request_of_any_size_comes_in_bounded_pieces() {
        let all = cut(&[request(Op::Write, 0, 4096 * 1000), request(Op::Read, 0, 4096)], 7);
        assert_eq!(all.len(), 1001);
        assert_eq!(all.iter().filter(|task| task.2).count(), 2);
    }

    #[test]
    fn every_page_task_carries_the_stream_of_its_request() {
        let requests = [(Op::Write, 3, 9000), (Op::Trim, 7, 8192), (Op::Flush, 9, 0)]
            .map(|(op, stream, length)| Request { stream, ..request(op, 4095, length) });
        let mut out = Vec::new();
        assert_eq!(Cutter::new(4096).cut(&requests, 64, &mut out), 3);
        // Reads of pages written in part are of the same stream.
        let streams: Vec<u8> = out.iter().map(|task| task.stream).collect();
        assert_eq!(streams, [3, 3, 3, 3, 3, 3, 7, 9], "{out:?}");
    }

    #[test]
    fn every_page_of_a_forced_request_is_forced_and_of_another_none() {
        let forced = Request { fua: true, ..request(Op::Write, 4096, 4 * 4096) };
        let one = Request { length: 4096, ..forced };
        let plain = request(Op::Write, 0, 3 * 4096);
        let expected = [true, true, true, true, false, false, false, true];
        // Two at a time as well: what is left of a request is kept between two cuts.
        for most in [2, 3, 64] {
            let (mut cutter, mut used, mut flags) = (Cutter::new(4096), 0, Vec::new());
            let requests = [forced, plain, one];
            loop {
                let mut out = Vec::new();
                used += cutter.cut(&requests[used..], most, &mut out);
                if out.is_empty() {
                    break;
                }
                flags.extend(out.iter().map(|task| task.forced));
            }
            assert_eq!(flags, expected, "{most} at a time");
        }
    }
}

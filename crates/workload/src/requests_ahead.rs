//! Reads requests on a thread of its own, some batches ahead: parsing beside what is done with the requests.
//!
//! The requests, how many come at once, and the error if there is one, are those of the source, in the same order.

use crate::error::WorkloadError;
use crate::request::Request;
use crate::source::{HostLog, Source};
use crate::thread::{self, has_processors};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, scope};

/// Requests that are read before a thread is worth its start.
const ALONE: u64 = 1 << 14;
/// Least requests of a batch. Each wait of a thread for another costs much, so there are few.
const BATCH: usize = 1 << 14;
/// Batches that are kept ready.
const AHEAD: usize = 2;
/// Requests that the first pass asks for at once.
const ASKED: usize = 1 << 13;

/// Requests, and how many of them each fill has given.
#[derive(Default)]
struct Fills {
    requests: Vec<Request>,
    counts: Vec<usize>,
}

/// What a thread sends: fills, of which there are none at the end; or an error, which is an end as well.
type Batch = Result<Fills, WorkloadError>;
/// Where a thread sends batches, and gets back those that are read.
type Ends = (SyncSender<Batch>, Receiver<Fills>);
/// The same, for the reader.
type Batches = (Receiver<Batch>, Sender<Fills>);

fn ends() -> (Ends, Batches) {
    let ((give, take), (done, emptied)) = (sync_channel(AHEAD), channel());
    ((give, emptied), (take, done))
}

/// Name of the thread.
const NAME: &str = "requests";

fn ended() -> WorkloadError {
    WorkloadError::Unfit("the thread that reads the requests ahead has ended".to_owned())
}

/// Sends up to `left` requests, asked of the source by at most `most`, until nobody takes them.
fn send(source: &mut dyn Source, mut left: u64, most: usize, (to, emptied): &Ends) {
    let mut end = None;
    while end.is_none() {
        let mut batch = emptied.try_recv().unwrap_or_default();
        batch.requests.clear();
        batch.counts.clear();
        while batch.requests.len() < BATCH && end.is_none() {
            let room = usize::try_from(left).map_or(most, |left| left.min(most));
            match if room == 0 { Ok(0) } else { source.fill(&mut batch.requests, room) } {
                Ok(0) => end = Some(Ok(Fills::default())),
                Ok(count) => {
                    left -= count as u64;
                    batch.counts.push(count);
                }
                // A fill that fails gives nothing: it has no count.
                Err(error) => end = Some(Err(error)),
            }
        }
        if !batch.counts.is_empty() && to.send(Ok(batch)).is_err() {
            return;
        }
    }
    if let Some(end) = end {
        // Who takes no more needs no end.
        drop(to.send(end));
    }
}

/// Passes up to `limit` requests of a source to `take`, fill by fill. Long ones are read on a thread of its own.
///
/// # Errors
/// Those of `take`, and of the source behind the fills before. The source may have been read further.
pub(crate) fn each_fill(
    source: &mut dyn Source,
    limit: u64,
    mut take: impl FnMut(&[Request]) -> Result<(), WorkloadError>,
) -> Result<(), WorkloadError> {
    let mut left = limit;
    let mut parts = has_processors();
    let mut fill = Vec::with_capacity(ASKED);
    while left > 0 {
        if parts && limit - left >= ALONE {
            let taken = scope(|scope| {
                let (ends, batches) = ends();
                let source = &mut *source;
                let work = move || send(source, left, ASKED, &ends);
                let thread = Builder::new().name(NAME.into()).spawn_scoped(scope, work).ok()?;
                let taken = take_all(&batches, &mut take);
                // A thread that waits to be read from would not end.
                drop(batches);
                Some(taken.and(thread.join().map_err(|_| ended())))
            });
            match taken {
                Some(taken) => return taken,
                None => parts = false,
            }
        }
        fill.clear();
        let room = usize::try_from(left).map_or(ASKED, |left| left.min(ASKED));
        match source.fill(&mut fill, room)? {
            0 => return Ok(()),
            count => left -= count as u64,
        }
        take(&fill)?;
    }
    Ok(())
}

fn take_all(
    (batches, done): &Batches,
    take: &mut impl FnMut(&[Request]) -> Result<(), WorkloadError>,
) -> Result<(), WorkloadError> {
    loop {
        let batch = batches.recv().map_err(|_| ended())??;
        if batch.counts.is_empty() {
            return Ok(());
        }
        let mut rest = &batch.requests[..];
        for count in &batch.counts {
            let (fill, behind) = rest.split_at(*count);
            take(fill)?;
            rest = behind;
        }
        // A thread that has ended needs none.
        drop(done.send(batch));
    }
}

/// A source that is read ahead once it has given some requests. Where no thread can be had, it is read where it is.
pub(crate) struct Ahead {
    from: Origin,
    has_arrivals: bool,
    /// A batch of the thread; of it, the fill at hand and the requests that are taken.
    batch: Fills,
    fill: usize,
    taken: usize,
    /// What is left of that fill.
    rest: usize,
}

enum Origin {
    /// The source, and how many requests are read before its thread starts; `None`: never.
    Here(Box<dyn Source>, Option<u64>),
    /// The batches, and how many requests are left, if that was known.
    Thread(Batches, Option<u64>),
    /// All is given.
    End,
}

impl Ahead {
    /// A source with a log of its own is not read ahead: its log is that of the requests given.
    pub(crate) fn new(source: Box<dyn Source>) -> Self {
        let parts = has_processors() && source.host_log().is_none();
        let has_arrivals = source.has_arrivals();
        let from = Origin::Here(source, parts.then_some(ALONE));
        Self { from, has_arrivals, batch: Fills::default(), fill: 0, taken: 0, rest: 0 }
    }

    /// Gives the source to a thread, which asks it for as many requests at once as were asked for here.
    fn part(&mut self, most: usize) {
        let Origin::Here(source, _) = std::mem::replace(&mut self.from, Origin::End) else {
            return;
        };
        let left = source.len_hint();
        let (ends, batches) = ends();
        let work = move |mut source| send(&mut source, u64::MAX, most, &ends);
        self.from = match thread::start(NAME, source, work) {
            Ok(()) => Origin::Thread(batches, left),
            Err(source) => Origin::Here(source, None),
        };
    }

    /// Gets the next batch, once all of this one is taken.
    fn next_batch(&mut self) -> Result<(), WorkloadError> {
        let Origin::Thread((batches, done), _) = &self.from else { return Ok(()) };
        // A thread that has ended needs none.
        drop(done.send(std::mem::take(&mut self.batch)));
        (self.fill, self.taken) = (0, 0);
        let batch = batches.recv().unwrap_or_else(|_| Err(ended()));
        if !batch.as_ref().is_ok_and(|batch| !batch.counts.is_empty()) {
            self.from = Origin::End;
        }
        self.batch = batch?;
        Ok(())
    }
}

impl Source for Ahead {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        if matches!(self.from, Origin::Here(_, Some(0))) {
            self.part(max);
        }
        if let Origin::Here(source, alone) = &mut self.from {
            let count = source.fill(out, max)?;
            *alone = alone.map(|alone| alone.saturating_sub(count as u64));
            return Ok(count);
        }
        if self.rest == 0 {
            if self.fill == self.batch.counts.len() {
                self.next_batch()?;
            }
            self.rest = self.batch.counts.get(self.fill).copied().unwrap_or(0);
            self.fill += usize::from(self.rest > 0);
        }
        let count = self.rest.min(max);
        out.extend_from_slice(&self.batch.requests[self.taken..][..count]);
        self.taken += count;
        self.rest -= count;
        if let Origin::Thread(_, left) = &mut self.from {
            *left = left.map(|left| left.saturating_sub(count as u64));
        }
        Ok(count)
    }

    fn has_arrivals(&self) -> bool {
        self.has_arrivals
    }

    fn host_log(&self) -> Option<HostLog> {
        match &self.from {
            Origin::Here(source, _) => source.host_log(),
            Origin::Thread(..) | Origin::End => None,
        }
    }

    fn len_hint(&self) -> Option<u64> {
        match &self.from {
            Origin::Here(source, _) => source.len_hint(),
            Origin::Thread(_, left) => *left,
            Origin::End => Some(0),
        }
    }

    fn span_ns(&self) -> Option<f64> {
        match &self.from {
            Origin::Here(source, _) => source.span_ns(),
            Origin::Thread(..) | Origin::End => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use crate::request::Op;

    fn request(at: u64) -> Request {
        Request {
            arrival_ns: at,
            offset: at * 512,
            length: 512,
            device: 0,
            op: Op::Write,
            fua: false,
            stream: 0,
            response_ns: None,
        }
    }

    /// Gives so many requests in fills of odd sizes, at most 300; then an error, if `fails`.
    struct Pieces {
        at: u64,
        count: u64,
        fails: bool,
    }

    impl Source for Pieces {
        fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
            if self.at == self.count && self.fails {
                // What a fill that fails has given does not count.
                out.push(request(1 << 40));
                return Err(WorkloadError::Unfit("it fails".to_owned()));
            }
            let count = (self.count - self.at).min(max as u64).min(1 + self.at % 300);
            out.extend((self.at..self.at + count).map(request));
            self.at += count;
            Ok(count as usize)
        }

        fn has_arrivals(&self) -> bool {
            true
        }

        fn len_hint(&self) -> Option<u64> {
            Some(self.count - self.at)
        }
    }

    /// Breaks on a thread of its own.
    struct Broken;

    impl Source for Broken {
        fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
            assert!(std::thread::current().name() != Some(NAME), "it breaks");
            out.extend((0..max as u64).map(request));
            Ok(max)
        }
        fn has_arrivals(&self) -> bool {
            false
        }
    }

    const COUNTS: [u64; 7] = [0, 1, ALONE - 1, ALONE, ALONE + 1, ALONE + BATCH as u64, 100_003];

    /// The fills of a source to its end, each with its requests, and the error at the end.
    fn fills(source: &mut dyn Source, max: usize) -> (Vec<Vec<Request>>, Option<String>) {
        let mut fills = Vec::new();
        loop {
            let mut out = Vec::new();
            match source.fill(&mut out, max) {
                Ok(0) => return (fills, None),
                Ok(count) => assert_eq!(count, out.len()),
                Err(error) => return (fills, Some(error.to_string())),
            }
            fills.push(out);
        }
    }

    #[test]
    fn fills_errors_and_ends_are_those_of_the_source() {
        for count in COUNTS {
            for (fails, max) in [(false, 256), (true, 256), (false, 5000), (true, 7)] {
                let mut source = Ahead::new(Box::new(Pieces { at: 0, count, fails }));
                let all = fills(&mut source, max);
                assert!(all == fills(&mut Pieces { at: 0, count, fails }, max), "{count}, {max}");
                assert_eq!(all.1.is_some(), fails, "{count}");
                let parts = has_processors() && count >= ALONE;
                assert_eq!(matches!(source.from, Origin::End), parts, "{count}: a thread read it");
                assert_eq!(source.len_hint(), Some(0));
                assert!(fails || source.fill(&mut Vec::new(), max).is_ok_and(|given| given == 0));
            }
        }
    }

    #[test]
    fn a_reader_that_asks_for_less_gets_the_rest_of_a_fill_next() {
        let mut source = Ahead::new(Box::new(Pieces { at: 0, count: 99_999, fails: false }));
        let (mut all, mut draw) = (Vec::new(), 1);
        source.part(256);
        loop {
            draw = draw * 75 % 65_537;
            let (before, max) = (all.len(), 1 + draw as usize % 300);
            assert_eq!(source.len_hint(), Some(99_999 - before as u64));
            let count = source.fill(&mut all, max).unwrap();
            assert!(count <= max && all.len() == before + count);
            if count == 0 {
                break;
            }
        }
        assert!(all.iter().copied().eq((0..99_999).map(request)));
    }

    #[test]
    fn the_first_pass_has_the_fills_of_the_source_up_to_the_limit() {
        for count in COUNTS {
            for limit in [0, 5, ALONE + 700, u64::MAX] {
                for fails in [false, true] {
                    let mut source = Pieces { at: 0, count, fails };
                    let mut all = Vec::new();
                    let taken = each_fill(&mut source, limit, |fill| {
                        all.push(fill.to_vec());
                        Ok(())
                    });
                    assert_eq!(taken.is_err(), fails && limit > count, "{count}, {limit}");
                    let most = count.min(limit);
                    let expected = fills(&mut Pieces { at: 0, count: most, fails: false }, ASKED);
                    assert!(all == expected.0, "{count}, {limit}");
                    assert_eq!(source.at, most, "no further");
                }
            }
        }
    }

    #[test]
    fn a_first_pass_whose_thread_breaks_is_an_error() {
        if has_processors() {
            let end = each_fill(&mut Broken, u64::MAX, |_| Ok(()));
            assert!(end.is_err_and(|error| error.to_string().contains("has ended")));
        }
    }

    #[test]
    fn a_refusal_ends_the_reading() {
        let mut source = Pieces { at: 0, count: u64::MAX, fails: false };
        let mut taken = 0;
        let refused = each_fill(&mut source, u64::MAX, |batch| {
            taken += batch.len() as u64;
            match taken < 2 * ALONE {
                true => Ok(()),
                false => Err(WorkloadError::Unfit("enough".to_owned())),
            }
        });
        assert!(refused.is_err_and(|error| error.to_string() == "enough"));
        let most = (AHEAD + 3) as u64 * 2 * BATCH as u64;
        assert!((taken..=taken + most).contains(&source.at), "{taken} {}", source.at);
    }

    #[test]
    fn a_thread_whose_reader_is_dropped_ends() {
        struct Told {
            pieces: Pieces,
            _alive: Sender<()>,
        }
        impl Source for Told {
            fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
                self.pieces.fill(out, max)
            }
            fn has_arrivals(&self) -> bool {
                true
            }
        }
        let (alive, has_ended) = channel();
        let pieces = Pieces { at: 0, count: u64::MAX, fails: false };
        let mut source = Ahead::new(Box::new(Told { pieces, _alive: alive }));
        let mut out = Vec::new();
        while out.len() < 4 * ALONE as usize {
            source.fill(&mut out, 256).unwrap();
        }
        drop(source);
        // The thread drops the source, and with it the last sender.
        assert!(has_ended.recv().is_err());
    }

    #[test]
    fn a_source_whose_thread_ends_early_is_an_error() {
        let mut source = Ahead::new(Box::new(Broken));
        let mut out = Vec::new();
        source.fill(&mut out, 1000).unwrap();
        source.part(1000);
        let end = loop {
            if let Err(error) = source.fill(&mut out, 1000) {
                break error.to_string();
            }
        };
        assert!(end.contains("has ended"), "{end}");
        assert_eq!(out.len(), 1000);
    }

    #[test]
    fn requests_with_a_log_of_the_host_stay_where_they_are() {
        struct Logged(Memory);
        impl Source for Logged {
            fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
                self.0.fill(out, max)
            }
            fn has_arrivals(&self) -> bool {
                false
            }
            fn host_log(&self) -> Option<HostLog> {
                Some(HostLog::default())
            }
        }
        let all: Vec<_> = (0..2 * ALONE).map(request).collect();
        let mut source = Ahead::new(Box::new(Logged(Memory::new(all.into(), false))));
        let mut out = Vec::new();
        while source.fill(&mut out, 256).unwrap() > 0 {}
        assert!(source.host_log().is_some() && out.len() as u64 == 2 * ALONE);
    }
}

//! Reads requests on a thread of its own, some batches ahead: parsing or drawing them beside what is done with them.
//!
//! The requests, and the error if there is one, are those of the source, in the same order.

use crate::error::WorkloadError;
use crate::request::Request;
use crate::source::{HostLog, Source};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, available_parallelism, scope};

/// Requests that are read before a thread is worth its start.
const ALONE: u64 = 1 << 14;
/// Requests of a batch. Threads that wait for each other often take longer than one alone, so batches are large.
const BATCH: usize = 1 << 14;
/// Batches that are kept ready.
const AHEAD: usize = 2;

/// What a thread sends: requests, of which there are none at the end; or an error, which is an end as well.
type Batch = Result<Vec<Request>, WorkloadError>;

/// True if another thread may run beside this one.
fn has_processors() -> bool {
    available_parallelism().is_ok_and(|count| count.get() > 1)
}

fn thread() -> Builder {
    Builder::new().name("requests".into())
}

fn ended() -> WorkloadError {
    WorkloadError::Unfit("the thread that reads the requests ahead has ended".to_owned())
}

/// Batches for a reader, and those that it has read.
type Ends = (SyncSender<Batch>, Receiver<Vec<Request>>);
/// The same, for the reader.
type Batches = (Receiver<Batch>, Sender<Vec<Request>>);

fn ends() -> (Ends, Batches) {
    let ((give, take), (done, emptied)) = (sync_channel(AHEAD), channel());
    ((give, emptied), (take, done))
}

/// Sends up to `left` requests in batches, asked of the source by at most `most`, until nobody takes them.
fn send(source: &mut dyn Source, mut left: u64, most: usize, (to, emptied): &Ends) {
    let mut end = None;
    while end.is_none() {
        let mut batch = emptied.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH));
        batch.clear();
        while batch.len() < BATCH && end.is_none() {
            let before = batch.len();
            let room = most.min(BATCH - before);
            let room = usize::try_from(left).map_or(room, |left| left.min(room));
            match if room == 0 { Ok(0) } else { source.fill(&mut batch, room) } {
                Ok(0) => end = Some(Ok(Vec::new())),
                Ok(count) => left -= count as u64,
                Err(error) => {
                    // A fill that fails gives nothing.
                    batch.truncate(before);
                    end = Some(Err(error));
                }
            }
        }
        if !batch.is_empty() && to.send(Ok(batch)).is_err() {
            return;
        }
    }
    if let Some(end) = end {
        // Who takes no more needs no end.
        drop(to.send(end));
    }
}

/// Passes up to `limit` requests of a source to `take`, in batches. Long ones are read on a thread of its own.
///
/// # Errors
/// Those of the source and of `take`, the first in the order of requests. The source may have been read further.
pub(crate) fn each_batch(
    source: &mut dyn Source,
    limit: u64,
    mut take: impl FnMut(&[Request]) -> Result<(), WorkloadError>,
) -> Result<(), WorkloadError> {
    let mut left = limit;
    let mut parts = has_processors();
    let mut batch = Vec::with_capacity(BATCH);
    while left > 0 {
        if parts && limit - left >= ALONE {
            let taken = scope(|scope| {
                let (ends, batches) = ends();
                let source = &mut *source;
                let work = move || send(source, left, BATCH, &ends);
                thread().spawn_scoped(scope, work).ok()?;
                Some(take_all(&batches, &mut take))
            });
            match taken {
                Some(taken) => return taken,
                None => parts = false,
            }
        }
        batch.clear();
        let room = usize::try_from(left).map_or(BATCH, |left| left.min(BATCH));
        match source.fill(&mut batch, room)? {
            0 => return Ok(()),
            count => left -= count as u64,
        }
        take(&batch)?;
    }
    Ok(())
}

fn take_all(
    (batches, done): &Batches,
    take: &mut impl FnMut(&[Request]) -> Result<(), WorkloadError>,
) -> Result<(), WorkloadError> {
    loop {
        let batch = batches.recv().map_err(|_| ended())??;
        if batch.is_empty() {
            return Ok(());
        }
        take(&batch)?;
        // A thread that has ended needs none.
        drop(done.send(batch));
    }
}

/// A source that is read ahead once it has given some requests. Where no thread can be had, it is read where it is.
pub(crate) struct Ahead {
    from: Origin,
    has_arrivals: bool,
    /// A batch of the thread, and how much of it was taken.
    batch: Vec<Request>,
    taken: usize,
}

enum Origin {
    /// The source, and how many requests are read before its thread starts; `None`: never.
    Here(Box<dyn Source>, Option<u64>),
    /// The batches, and how many requests are left, if that was known.
    Thread(Batches, Option<u64>),
    /// All is given, but the error.
    End(Option<WorkloadError>),
}

impl Ahead {
    /// A source with a log of its own is not read ahead: its log is that of the requests given.
    pub(crate) fn new(source: Box<dyn Source>) -> Self {
        let parts = has_processors() && source.host_log().is_none();
        let has_arrivals = source.has_arrivals();
        let from = Origin::Here(source, parts.then_some(ALONE));
        Self { from, has_arrivals, batch: Vec::new(), taken: 0 }
    }

    /// Gives the source to a thread, which asks it for as many requests at once as were asked for here.
    fn part(&mut self, most: usize) {
        let Origin::Here(source, _) = std::mem::replace(&mut self.from, Origin::End(None)) else {
            return;
        };
        let left = source.len_hint();
        // The source is sent when the thread runs, and is still here if none can be started.
        let (give_source, take_source) = channel::<Box<dyn Source>>();
        let (ends, batches) = ends();
        let work = move || {
            if let Ok(mut source) = take_source.recv() {
                send(&mut source, u64::MAX, most, &ends);
            }
        };
        self.from = match thread().spawn(work) {
            Err(_) => Origin::Here(source, None),
            Ok(_) => match give_source.send(source) {
                Ok(()) => Origin::Thread(batches, left),
                Err(unsent) => Origin::Here(unsent.0, None),
            },
        };
    }
}

impl Source for Ahead {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        if max == 0 {
            return Ok(0);
        }
        if matches!(self.from, Origin::Here(_, Some(0))) {
            self.part(max);
        }
        let start = out.len();
        match &mut self.from {
            Origin::Here(source, alone) => {
                let count = source.fill(out, max)?;
                *alone = alone.map(|alone| alone.saturating_sub(count as u64));
            }
            Origin::Thread((batches, done), left) => {
                let mut end = None;
                while out.len() - start < max && end.is_none() {
                    if self.taken == self.batch.len() {
                        self.taken = 0;
                        // A thread that has ended needs none.
                        drop(done.send(std::mem::take(&mut self.batch)));
                        self.batch = match batches.recv().unwrap_or_else(|_| Err(ended())) {
                            Ok(batch) => batch,
                            Err(error) => {
                                end = Some(Some(error));
                                Vec::new()
                            }
                        };
                        if self.batch.is_empty() {
                            end.get_or_insert(None);
                        }
                    }
                    let rest = &self.batch[self.taken..];
                    let rest = &rest[..rest.len().min(max - (out.len() - start))];
                    out.extend_from_slice(rest);
                    self.taken += rest.len();
                }
                *left = left.map(|left| left.saturating_sub((out.len() - start) as u64));
                if let Some(end) = end {
                    self.from = Origin::End(end);
                }
            }
            Origin::End(_) => {}
        }
        match &mut self.from {
            Origin::End(error) if out.len() == start => error.take().map_or(Ok(0), Err),
            _ => Ok(out.len() - start),
        }
    }

    fn has_arrivals(&self) -> bool {
        self.has_arrivals
    }

    fn host_log(&self) -> Option<HostLog> {
        match &self.from {
            Origin::Here(source, _) => source.host_log(),
            Origin::Thread(..) | Origin::End(_) => None,
        }
    }

    fn len_hint(&self) -> Option<u64> {
        match &self.from {
            Origin::Here(source, _) => source.len_hint(),
            Origin::Thread(_, left) => *left,
            Origin::End(_) => Some(0),
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

    const COUNTS: [u64; 7] = [0, 1, ALONE - 1, ALONE, ALONE + 1, ALONE + BATCH as u64, 100_003];

    #[test]
    fn requests_errors_and_ends_are_those_of_the_source() {
        for count in COUNTS {
            for (fails, max) in [(false, 256), (true, 256), (false, 5000), (true, 7)] {
                let mut source = Ahead::new(Box::new(Pieces { at: 0, count, fails }));
                let (mut all, mut out) = (Vec::new(), Vec::new());
                let end = loop {
                    assert_eq!(source.len_hint(), Some(count - all.len() as u64));
                    out.clear();
                    match source.fill(&mut out, max) {
                        Ok(0) => break None,
                        Ok(given) => assert_eq!(given, out.len()),
                        Err(error) => break Some(error.to_string()),
                    }
                    assert!(out.len() <= max);
                    all.append(&mut out);
                };
                assert_eq!(end.is_some(), fails, "{count}");
                assert!(all.iter().copied().eq((0..count).map(request)), "{count}, {fails}, {max}");
                assert!(fails || source.fill(&mut out, max).is_ok_and(|given| given == 0));
            }
        }
    }

    #[test]
    fn batches_are_the_requests_of_the_source_up_to_the_limit() {
        for count in COUNTS {
            for limit in [0, 5, ALONE + 700, u64::MAX] {
                for fails in [false, true] {
                    let mut source = Pieces { at: 0, count, fails };
                    let mut all = Vec::new();
                    let taken = each_batch(&mut source, limit, |batch| {
                        all.extend_from_slice(batch);
                        Ok(())
                    });
                    assert_eq!(taken.is_err(), fails && limit > count, "{count}, {limit}");
                    assert!(all.iter().copied().eq((0..count.min(limit)).map(request)));
                    assert_eq!(source.at, count.min(limit), "no further");
                }
            }
        }
    }

    #[test]
    fn a_refusal_ends_the_reading() {
        let mut source = Pieces { at: 0, count: u64::MAX, fails: false };
        let mut taken = 0;
        let refused = each_batch(&mut source, u64::MAX, |batch| {
            taken += batch.len() as u64;
            match taken < 2 * ALONE {
                true => Ok(()),
                false => Err(WorkloadError::Unfit("enough".to_owned())),
            }
        });
        assert!(refused.is_err_and(|error| error.to_string() == "enough"));
        let most = (AHEAD + 3) as u64 * BATCH as u64;
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
        struct Broken;
        impl Source for Broken {
            fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
                assert!(std::thread::current().name() != Some("requests"), "it breaks");
                out.extend((0..max as u64).map(request));
                Ok(max)
            }
            fn has_arrivals(&self) -> bool {
                false
            }
        }
        if !has_processors() {
            return;
        }
        let mut source = Ahead::new(Box::new(Broken));
        let mut out = Vec::new();
        let end = loop {
            if let Err(error) = source.fill(&mut out, 1000) {
                break error.to_string();
            }
        };
        assert!(end.contains("has ended"), "{end}");
        assert!(out.len() as u64 >= ALONE);
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

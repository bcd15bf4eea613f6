//! What clients ask, recorded as a trace that `compare` reads.

use crate::nbd::{Command, Job};
use crate::threads;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use workload::Op;
use workload::output::{self, Output};

/// Requests that go to the writing thread together.
const BATCH: usize = 2048;
/// Batches that wait for the writing thread; beyond that the device waits, so that memory is bounded.
const WAITING: usize = 128;
/// How long a request stays in memory at most while requests come in.
const LONGEST: Duration = Duration::from_secs(1);

/// First line of the trace; that of one with streams has a column more.
const COLUMNS: &str = "arrival_ns,op,fua,offset_bytes,length_bytes,connection,no_hole,fast_zero";

/// A request, as it is recorded.
#[derive(Clone, Copy)]
struct Entry {
    arrival_ns: u64,
    op: Op,
    fua: bool,
    no_hole: bool,
    fast_zero: bool,
    offset: u64,
    length: u32,
    stream: u8,
    connection: u64,
}

/// Writes requests to a trace in ftlkit's own CSV format, on a thread of its own.
///
/// A line per read, write, write of zeros, trim and flush, in the order in which the device takes them; a query of block status
/// reads and writes no page, and is left out. The operation of zeros says whether the device deallocated them; `no_hole` and
/// `fast_zero` are what the client asked for. Arrivals are ns from the start of the recorder. Two connections may be out of order
/// by what their threads take: the later line then has the arrival of the one before it.
pub struct Recorder {
    started: Instant,
    last_ns: u64,
    batch: Vec<Entry>,
    sent: Instant,
    /// `None` once the thread has ended.
    to: Option<SyncSender<Vec<Entry>>>,
    writer: Option<JoinHandle<io::Result<()>>>,
}

impl Recorder {
    /// A recorder into a new file, compressed as its name asks for ([`Output`]). `streams`: with the placement stream of each
    /// request.
    ///
    /// # Errors
    /// That of the file, which must not exist; a compression that this build does not write ([`output::check`]).
    pub fn create(path: &Path, streams: bool) -> io::Result<Self> {
        output::check(path)?;
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        let output = Output::new(file.try_clone()?, path)?;
        let (to, batches) = sync_channel(WAITING);
        let thread = std::thread::Builder::new().name("record".into());
        let writer = thread.spawn(move || write(output, &file, &batches, streams))?;
        let started = Instant::now();
        Ok(Self {
            started,
            last_ns: 0,
            batch: Vec::with_capacity(BATCH),
            sent: started,
            to: Some(to),
            writer: Some(writer),
        })
    }

    /// Records a request that the device takes.
    ///
    /// # Errors
    /// The file could not be written: the trace ends there.
    pub fn add(&mut self, job: &Job) -> io::Result<()> {
        let (op, fua) = match job.command {
            Command::Read => (Op::Read, false),
            Command::Write { fua } => (Op::Write, fua),
            Command::Zeroes { fua, deallocate: true, .. } => (Op::DeallocateZeroes, fua),
            Command::Zeroes { fua, .. } => (Op::WriteZeroes, fua),
            Command::Trim { fua } => (Op::Trim, fua),
            Command::Flush => (Op::Flush, false),
            Command::Status { .. } => return Ok(()),
        };
        let (no_hole, fast_zero) = match job.command {
            Command::Zeroes { no_hole, fast, .. } => (no_hole, fast),
            _ => (false, false),
        };
        let arrived = job.arrived.saturating_duration_since(self.started);
        self.last_ns = self.last_ns.max(arrived.as_nanos() as u64);
        let length = if job.command == Command::Flush { 0 } else { job.length };
        let offset = if job.command == Command::Flush { 0 } else { job.offset };
        let (arrival_ns, stream, connection) = (self.last_ns, job.stream, job.connection);
        self.batch.push(Entry {
            arrival_ns,
            op,
            fua,
            no_hole,
            fast_zero,
            offset,
            length,
            stream,
            connection,
        });
        if self.batch.len() >= BATCH || job.arrived.saturating_duration_since(self.sent) > LONGEST {
            self.send()?;
            self.sent = job.arrived;
        }
        Ok(())
    }

    /// Hands over what waits, if it has waited long enough. For idle times.
    ///
    /// # Errors
    /// As [`Recorder::add`].
    pub fn rest(&mut self) -> io::Result<()> {
        if !self.batch.is_empty() && self.sent.elapsed() > LONGEST {
            self.send()?;
            self.sent = Instant::now();
        }
        // A compressed file fails when its text is flushed, and there may be no other batch that would tell.
        if self.writer.as_ref().is_some_and(JoinHandle::is_finished) {
            return self.end();
        }
        Ok(())
    }

    fn send(&mut self) -> io::Result<()> {
        let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(BATCH));
        match &self.to {
            Some(to) if to.send(batch).is_ok() => Ok(()),
            // The thread has ended, and knows why.
            _ => self.end(),
        }
    }

    fn end(&mut self) -> io::Result<()> {
        self.to = None;
        match self.writer.take() {
            None => Ok(()),
            Some(writer) => {
                writer.join().unwrap_or_else(|_| Err(io::Error::other("the recorder panicked")))
            }
        }
    }

    /// Writes all that is left, and completes the file.
    ///
    /// # Errors
    /// As [`Recorder::add`].
    pub fn finish(mut self) -> io::Result<()> {
        self.send()?;
        self.end()
    }
}

/// The thread: writes batches until the recorder is dropped. What was written is readable at most a second later.
fn write(
    mut output: Output,
    file: &File,
    batches: &Receiver<Vec<Entry>>,
    streams: bool,
) -> io::Result<()> {
    threads::yield_to_others();
    let mut text = COLUMNS.as_bytes().to_vec();
    text.extend_from_slice(if streams { b",stream\n" } else { b"\n" });
    let (mut flushed, mut is_flushed) = (Instant::now(), false);
    loop {
        match batches.recv_timeout(LONGEST) {
            Ok(batch) => batch.iter().for_each(|entry| line(&mut text, entry, streams)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if !text.is_empty() {
            output.write_all(&text)?;
            text.clear();
            is_flushed = false;
        }
        if !is_flushed && flushed.elapsed() > LONGEST {
            output.flush()?;
            (flushed, is_flushed) = (Instant::now(), true);
        }
    }
    output.write_all(&text)?;
    output.finish()?;
    file.sync_all()
}

fn line(text: &mut Vec<u8>, entry: &Entry, streams: bool) {
    let Entry { arrival_ns, op, fua, no_hole, fast_zero, offset, length, stream, connection } =
        *entry;
    let mut digits = itoa::Buffer::new();
    let mut number = |text: &mut Vec<u8>, number: u64, end: u8| {
        text.extend_from_slice(digits.format(number).as_bytes());
        text.push(end);
    };
    number(text, arrival_ns, b',');
    text.extend_from_slice(op.name().as_bytes());
    text.push(b',');
    number(text, fua.into(), b',');
    number(text, offset, b',');
    number(text, length.into(), b',');
    number(text, connection, b',');
    number(text, no_hole.into(), b',');
    number(text, fast_zero.into(), if streams { b',' } else { b'\n' });
    if streams {
        number(text, stream.into(), b'\n');
    }
}

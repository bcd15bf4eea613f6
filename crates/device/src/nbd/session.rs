//! One connection: the handshake, then a thread that reads requests and one that writes replies.

use super::budget::Budget;
use super::export::{Export, Session};
use super::handshake::{self, Encryption, Handshake, OPTION_BYTES, Step};
use super::outbox::{Line, Outbox, Reply, ReplyTo, Unsent, write_replies};
use super::stream::Stream;
use super::tls::Tls;
use super::wire::{Admitted, Command, NbdError, REQUEST_BYTES, Request, admit};
use std::io::{self, BufReader, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SendError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

/// Limits of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at a time that have opened an export.
    pub connections: usize,
    /// Handshakes at a time. One more ends the oldest of them.
    pub handshakes: usize,
    /// Requests outstanding of a connection.
    pub requests: u32,
    /// Payload bytes outstanding of a connection; one request may have more.
    pub payload_bytes: u64,
    /// Time of a handshake.
    pub handshake: Duration,
    /// Longest time without progress of a write to a client.
    pub write: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 16,
            handshakes: 16,
            requests: 128,
            payload_bytes: 64 << 20,
            handshake: Duration::from_secs(10),
            write: Duration::from_secs(30),
        }
    }
}

/// A request for the device.
#[derive(Debug)]
pub struct Job {
    /// What to do.
    pub command: Command,
    /// From this byte on.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
    /// Bytes of a write.
    pub data: Vec<u8>,
    /// Number of the connection.
    pub connection: u64,
    /// Placement stream of its export; 0: none.
    pub stream: u8,
    /// When the request had arrived.
    pub arrived: Instant,
    /// Where the reply goes.
    pub reply: ReplyTo,
}

/// The way from a connection to the device and back.
#[derive(Clone, Debug)]
pub(super) struct ToDevice {
    pub(super) jobs: SyncSender<Job>,
    pub(super) unsent: Unsent,
}

/// Serves a connection to its end. `enter` is asked for a place once the client opens an export.
///
/// # Errors
/// Why it ended early.
pub(super) fn run(
    mut stream: Stream,
    exports: &Arc<[Export]>,
    limits: &Limits,
    tls: Option<&Tls>,
    (connection, enter): (u64, &dyn Fn() -> io::Result<()>),
    device: &ToDevice,
    refused: &AtomicU64,
) -> io::Result<()> {
    let opened = shake_hands(&mut stream, exports, limits, tls, enter)?;
    let Some(session) = opened else { return Ok(()) };
    stream.set_timeouts(None)?;
    stream.set_write_timeout(limits.write)?;
    let export = &exports[session.export];
    let budget = Arc::new(Budget::new(limits.requests, limits.payload_bytes));
    let (outbox, line, messages) =
        Outbox::new(stream.try_clone()?, session, Arc::clone(&budget), device.unsent.clone());
    let writer = thread::Builder::new().name(format!("nbd-write-{connection}"));
    let writes = Arc::clone(&line);
    let writer = writer.spawn(move || write_replies(&writes, &messages))?;
    let each = |request: &Request, data, admitted| {
        let Request { cookie, offset, length, .. } = *request;
        let bytes = payload_bytes(request);
        let reply = ReplyTo { outbox: Arc::clone(&outbox), cookie, offset, bytes };
        match admitted {
            Admitted::Work(command) => {
                let arrived = Instant::now();
                let sent = device.jobs.send(Job {
                    command,
                    offset,
                    length,
                    data,
                    connection,
                    stream: export.stream,
                    arrived,
                    reply,
                });
                // Only while the server ends.
                if let Err(SendError(job)) = sent {
                    refused.fetch_add(1, Ordering::Relaxed);
                    let reply = Reply::Failed(NbdError::Shutdown, "the server ends".into());
                    job.reply.send_later(reply);
                }
            }
            Admitted::Refuse(error) => {
                refused.fetch_add(1, Ordering::Relaxed);
                reply.send_later(Reply::Failed(error, "the request breaks a rule".into()));
            }
            Admitted::Disconnect | Admitted::Broken(_) => {}
        }
    };
    let stream = BufReader::with_capacity(64 << 10, stream);
    let read = read_requests(stream, export, session, each, (&budget, &line));
    // The writer ends when every outstanding request has its reply.
    drop(outbox);
    let written = writer.join().unwrap_or_else(|_| Err(io::Error::other("the writer panicked")));
    read.and(written)
}

/// Lets options pass until the client starts; `None` if it leaves first.
fn shake_hands(
    stream: &mut Stream,
    exports: &Arc<[Export]>,
    limits: &Limits,
    tls: Option<&Tls>,
    enter: &dyn Fn() -> io::Result<()>,
) -> io::Result<Option<Session>> {
    let end = Instant::now() + limits.handshake;
    let read = |stream: &mut Stream, bytes: &mut [u8]| read_until(stream, bytes, end);
    write_until(stream, &handshake::greeting(), end)?;
    let mut flags = [0; 4];
    read(stream, &mut flags)?;
    let Some(mut state) = Handshake::new(Arc::clone(exports), u32::from_be_bytes(flags)) else {
        return Err(io::Error::other("the client is not a fixed newstyle client"));
    };
    let tls = tls.filter(|_| matches!(stream, Stream::Tcp(_)));
    state = state.encrypted(match tls {
        None => Encryption::Absent,
        Some(tls) if tls.is_required() => Encryption::Required,
        Some(_) => Encryption::Offered,
    });
    loop {
        let mut head = [0; OPTION_BYTES];
        read(stream, &mut head)?;
        let Some((option, length)) = handshake::option_head(&head) else {
            return Err(io::Error::other("an option without its magic number"));
        };
        if length > handshake::MOST_OPTION_BYTES {
            write_until(stream, &handshake::too_big(option), end)?;
            return Err(io::Error::other(format!("an option of {length} bytes")));
        }
        let mut data = vec![0; length as usize];
        read(stream, &mut data)?;
        match state.option(option, &data) {
            Step::Reply(bytes) => write_until(stream, &bytes, end)?,
            Step::Start(bytes, session) => {
                enter()?;
                write_until(stream, &bytes, end)?;
                return Ok(Some(session));
            }
            Step::Encrypt(bytes) => {
                write_until(stream, &bytes, end)?;
                let tls = tls.ok_or_else(|| io::Error::other("the server has no certificate"))?;
                stream.encrypt(tls, end)?;
            }
            Step::End(bytes) => {
                write_until(stream, &bytes, end)?;
                return Ok(None);
            }
        }
    }
}

/// Writes all of `bytes` before a point in time.
fn write_until(stream: &mut Stream, bytes: &[u8], end: Instant) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        stream.set_timeouts(Some(time_left(end)?))?;
        match stream.write(&bytes[done..]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => done += written,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    stream.flush()
}

fn time_left(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(io::Error::new(io::ErrorKind::TimedOut, "the handshake takes too long"));
    }
    Ok(left)
}

/// Reads all of `bytes` before a point in time.
fn read_until(stream: &mut Stream, bytes: &mut [u8], end: Instant) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        stream.set_timeouts(Some(time_left(end)?))?;
        match stream.read(&mut bytes[done..]) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => done += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Gives each request, with the payload of a write, to `each`, until the client leaves. What a client had asked for that has left
/// is of no use to anybody.
fn read_requests(
    mut stream: impl Read,
    export: &Export,
    session: Session,
    mut each: impl FnMut(&Request, Vec<u8>, Admitted),
    (budget, line): (&Budget, &Line),
) -> io::Result<()> {
    while !line.is_gone() {
        let mut head = [0; REQUEST_BYTES];
        match stream.read_exact(&mut head) {
            // A client may leave without a word. One that waits for its replies has only nothing more to send.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                line.look();
                return Ok(());
            }
            read => read?,
        }
        let Some(request) = Request::parse(&head) else {
            return Err(io::Error::other("a request without its magic number"));
        };
        let admitted = admit(&request, export, &session);
        match admitted {
            Admitted::Disconnect => return Ok(()),
            Admitted::Broken(why) => return Err(io::Error::other(why)),
            Admitted::Work(_) | Admitted::Refuse(_) => {}
        }
        if !budget.take(payload_bytes(&request), || line.look()) {
            break;
        }
        let mut data = Vec::new();
        if request.has_payload() {
            data.reserve_exact(request.length as usize);
            let payload = u64::from(request.length);
            if (&mut stream).take(payload).read_to_end(&mut data)? as u64 != payload {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        each(&request, data, admitted);
    }
    Ok(())
}

/// Bytes that a request, or its reply, carries.
fn payload_bytes(request: &Request) -> u64 {
    if request.has_payload() || request.reads() { request.length.into() } else { 0 }
}

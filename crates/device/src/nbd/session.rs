//! One connection: the handshake, then a thread that reads requests and one that writes replies.

use super::budget::Budget;
use super::export::{Export, Session};
use super::handshake::{self, Handshake, OPTION_BYTES, Step};
use super::stream::Stream;
use super::wire::{self, Admitted, Chunk, Command, NbdError, REQUEST_BYTES, Request, admit};
use std::io::{self, BufReader, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Limits of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Connections at a time.
    pub connections: usize,
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
    /// When the request had arrived.
    pub arrived: Instant,
    /// Where the reply goes.
    pub reply: ReplyTo,
}

/// The way back of a reply.
#[derive(Debug)]
pub struct ReplyTo {
    to: Sender<Done>,
    cookie: u64,
    offset: u64,
    /// Payload bytes of the request.
    bytes: u64,
}

/// What the device answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Done.
    Done,
    /// The bytes read.
    Bytes(Vec<u8>),
    /// Lengths and flags of extents.
    Extents(Vec<(u32, u32)>),
    /// An error, and one line for the client.
    Failed(NbdError, String),
}

#[derive(Debug)]
struct Done {
    cookie: u64,
    offset: u64,
    bytes: u64,
    reply: Reply,
    due: Option<Instant>,
}

impl ReplyTo {
    /// Sends the reply, not before `due`.
    pub fn send(self, reply: Reply, due: Option<Instant>) {
        let Self { to, cookie, offset, bytes } = self;
        // Fails only if the connection has ended.
        let _ = to.send(Done { cookie, offset, bytes, reply, due });
    }
}

/// Serves a connection to its end.
///
/// # Errors
/// Why it ended early.
pub(super) fn run(
    mut stream: Stream,
    exports: &Arc<[Export]>,
    limits: &Limits,
    connection: u64,
    jobs: &SyncSender<Job>,
    refused: &AtomicU64,
) -> io::Result<()> {
    let Some(session) = shake_hands(&mut stream, exports, limits)? else { return Ok(()) };
    stream.set_timeouts(None)?;
    stream.set_write_timeout(limits.write)?;
    let export = &exports[session.export];
    let budget = Arc::new(Budget::new(limits.requests, limits.payload_bytes));
    let (to, replies) = channel();
    let (out, freed) = (stream.try_clone()?, Arc::clone(&budget));
    let writer = thread::Builder::new().name(format!("nbd-write-{connection}"));
    let writer = writer.spawn(move || write_replies(out, &replies, session, &freed))?;
    let each = |request: &Request, data, admitted| {
        let Request { cookie, offset, length, .. } = *request;
        let reply = ReplyTo { to: to.clone(), cookie, offset, bytes: payload_bytes(request) };
        match admitted {
            Admitted::Work(command) => {
                let arrived = Instant::now();
                // Fails only while the server ends.
                let _ =
                    jobs.send(Job { command, offset, length, data, connection, arrived, reply });
            }
            Admitted::Refuse(error) => {
                refused.fetch_add(1, Ordering::Relaxed);
                reply.send(Reply::Failed(error, "the request breaks a rule".into()), None);
            }
            Admitted::Disconnect | Admitted::Broken(_) => {}
        }
    };
    let stream = BufReader::with_capacity(64 << 10, stream);
    let read = read_requests(stream, export, session, each, &budget);
    // The writer ends when every outstanding request has its reply.
    drop(to);
    let written = writer.join().unwrap_or_else(|_| Err(io::Error::other("the writer panicked")));
    read.and(written)
}

/// Lets options pass until the client starts; `None` if it leaves first.
fn shake_hands(
    stream: &mut Stream,
    exports: &Arc<[Export]>,
    limits: &Limits,
) -> io::Result<Option<Session>> {
    let end = Instant::now() + limits.handshake;
    let read = |stream: &mut Stream, bytes: &mut [u8]| read_until(stream, bytes, end);
    stream.set_timeouts(Some(limits.handshake))?;
    stream.write_all(&handshake::greeting())?;
    let mut flags = [0; 4];
    read(stream, &mut flags)?;
    let Some(mut state) = Handshake::new(Arc::clone(exports), u32::from_be_bytes(flags)) else {
        return Err(io::Error::other("the client is not a fixed newstyle client"));
    };
    loop {
        let mut head = [0; OPTION_BYTES];
        read(stream, &mut head)?;
        let Some((option, length)) = handshake::option_head(&head) else {
            return Err(io::Error::other("an option without its magic number"));
        };
        if length > handshake::MOST_OPTION_BYTES {
            stream.write_all(&handshake::too_big(option))?;
            return Err(io::Error::other(format!("an option of {length} bytes")));
        }
        let mut data = vec![0; length as usize];
        read(stream, &mut data)?;
        match state.option(option, &data) {
            Step::Reply(bytes) => stream.write_all(&bytes)?,
            Step::Start(bytes, session) => {
                stream.write_all(&bytes)?;
                return Ok(Some(session));
            }
            Step::End(bytes) => {
                stream.write_all(&bytes)?;
                return Ok(None);
            }
        }
    }
}

/// Reads all of `bytes` before a point in time.
fn read_until(stream: &mut Stream, bytes: &mut [u8], end: Instant) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the handshake takes too long"));
        }
        stream.set_timeouts(Some(left))?;
        match stream.read(&mut bytes[done..])? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => done += read,
        }
    }
    Ok(())
}

/// Gives each request, with the payload of a write, to `each`, until the client leaves.
fn read_requests(
    mut stream: impl Read,
    export: &Export,
    session: Session,
    mut each: impl FnMut(&Request, Vec<u8>, Admitted),
    budget: &Budget,
) -> io::Result<()> {
    loop {
        let mut head = [0; REQUEST_BYTES];
        match stream.read_exact(&mut head) {
            // A client may leave without a word.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
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
        budget.take(payload_bytes(&request));
        let mut data = Vec::new();
        if request.has_payload() {
            data.resize(request.length as usize, 0);
            stream.read_exact(&mut data)?;
        }
        each(&request, data, admitted);
    }
}

/// Bytes that a request, or its reply, carries.
fn payload_bytes(request: &Request) -> u64 {
    if request.has_payload() || request.reads() { request.length.into() } else { 0 }
}

/// Writes replies in the order in which the device gives them, each when it is due.
fn write_replies(
    mut stream: Stream,
    replies: &Receiver<Done>,
    session: Session,
    budget: &Budget,
) -> io::Result<()> {
    const ENOUGH: usize = 256 << 10;
    let mut out = Vec::new();
    let mut failed = Ok(());
    while let Ok(mut done) = replies.recv() {
        loop {
            if done.due.is_some_and(|due| due > Instant::now()) && !out.is_empty() {
                failed = failed.and_then(|()| stream.write_all(&out));
                out.clear();
            }
            wait_until(done.due);
            encode(&mut out, &done, session);
            budget.give_back(done.bytes);
            match replies.try_recv() {
                Ok(next) if out.len() < ENOUGH => done = next,
                Ok(next) => {
                    failed = failed.and_then(|()| stream.write_all(&out));
                    out.clear();
                    done = next;
                }
                Err(_) => break,
            }
        }
        // After a failure the replies are taken and dropped, so that nobody waits.
        failed = failed.and_then(|()| stream.write_all(&out));
        out.clear();
        if failed.is_err() {
            stream.shutdown(std::net::Shutdown::Both);
        }
    }
    failed
}

/// Sleeps until shortly before, then spins: a sleep ends up to a tenth of a millisecond late.
fn wait_until(due: Option<Instant>) {
    const SPIN: Duration = Duration::from_micros(80);
    let Some(due) = due else { return };
    if let Some(left) =
        due.checked_duration_since(Instant::now()).and_then(|left| left.checked_sub(SPIN))
    {
        thread::sleep(left);
    }
    while Instant::now() < due {
        std::hint::spin_loop();
    }
}

fn encode(out: &mut Vec<u8>, done: &Done, session: Session) {
    let Done { cookie, offset, .. } = *done;
    // A read fails with a simple reply, too, unless replies are structured.
    match &done.reply {
        Reply::Failed(error, message) if session.structured => {
            wire::structured(out, cookie, &Chunk::Error(*error as u32, message));
        }
        Reply::Failed(error, _) => wire::simple(out, cookie, *error as u32, &[]),
        Reply::Bytes(bytes) if session.structured && bytes.is_empty() => {
            wire::structured(out, cookie, &Chunk::None);
        }
        Reply::Bytes(bytes) if session.structured => {
            wire::structured(out, cookie, &Chunk::Data(offset, bytes));
        }
        Reply::Bytes(bytes) => wire::simple(out, cookie, 0, bytes),
        Reply::Extents(extents) => wire::structured(out, cookie, &Chunk::Status(extents)),
        Reply::Done if session.structured => wire::structured(out, cookie, &Chunk::None),
        Reply::Done => wire::simple(out, cookie, 0, &[]),
    }
}

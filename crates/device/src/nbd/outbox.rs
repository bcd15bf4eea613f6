//! The way of replies to a client.
//!
//! The thread of the device sends a reply itself where the socket takes it at once: then no other thread is woken. What has to
//! wait for the socket goes to the connection's writer.

use super::budget::Budget;
use super::export::Session;
use super::stream::Stream;
use super::wire::{self, Chunk, NbdError};
use std::io::{self, Write};
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The way back of a reply.
#[derive(Debug)]
pub struct ReplyTo {
    pub(super) outbox: Arc<Outbox>,
    pub(super) cookie: u64,
    pub(super) offset: u64,
    /// Payload bytes of the request.
    pub(super) bytes: u64,
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
pub(super) struct Done {
    cookie: u64,
    offset: u64,
    bytes: u64,
    reply: Reply,
}

/// What the writer is told.
#[derive(Debug)]
pub(super) enum Message {
    Reply(Done),
    /// The socket did not take all that the device's thread had for it.
    Rest,
}

impl ReplyTo {
    /// Sends the reply, with others that come soon. The thread that does the jobs calls this.
    pub fn send(self, reply: Reply) {
        let Self { outbox, cookie, offset, bytes } = self;
        let done = Done { cookie, offset, bytes, reply };
        match outbox.line.put(done) {
            Err(done) => outbox.tell(Message::Reply(done)),
            Ok(false) => {}
            Ok(true) => {
                let unsent = outbox.unsent.clone();
                unsent.lines().push(outbox);
            }
        }
    }

    /// Sends the reply now, as far as the socket takes it; the writer sends the rest. The thread that does the jobs calls this.
    pub(crate) fn send_at_once(self, reply: Reply) {
        let unsent = self.outbox.unsent.clone();
        self.send(reply);
        unsent.flush();
    }

    /// True if nobody is left who could take the reply.
    pub(crate) fn is_gone(&self) -> bool {
        self.outbox.line.is_gone()
    }

    /// Has the writer send the reply. Any thread may call this.
    pub(super) fn send_later(self, reply: Reply) {
        let Self { outbox, cookie, offset, bytes } = self;
        outbox.tell(Message::Reply(Done { cookie, offset, bytes, reply }));
    }
}

/// Connections for which replies are ready and not sent.
#[derive(Clone, Debug, Default)]
pub(super) struct Unsent(Arc<Mutex<Vec<Arc<Outbox>>>>);

impl Unsent {
    fn lines(&self) -> MutexGuard<'_, Vec<Arc<Outbox>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends all that is ready.
    pub(super) fn flush(&self) {
        let mut lines = self.lines();
        for outbox in lines.drain(..) {
            if !outbox.line.send_now() {
                outbox.tell(Message::Rest);
            }
        }
    }
}

/// The replies of a connection. When all requests have theirs, it is dropped, and the writer ends.
#[derive(Debug)]
pub(super) struct Outbox {
    line: Arc<Line>,
    to: Sender<Message>,
    unsent: Unsent,
}

impl Outbox {
    /// An outbox and what its writer needs ([`write_replies`]).
    pub(super) fn new(
        stream: Stream,
        session: Session,
        budget: Arc<Budget>,
        unsent: Unsent,
    ) -> (Arc<Self>, Arc<Line>, Receiver<Message>) {
        let out = Mutex::new(Out { stream, ready: Batch::default(), failed: None });
        let (waiting, gone) = (AtomicUsize::new(0), AtomicBool::new(false));
        let line = Arc::new(Line { session, budget, out, waiting, gone });
        let (to, messages) = channel();
        (Arc::new(Self { line: Arc::clone(&line), to, unsent }), line, messages)
    }

    fn tell(&self, message: Message) {
        self.line.waiting.fetch_add(1, Ordering::AcqRel);
        // Fails only if the connection has ended.
        let _ = self.to.send(message);
    }
}

/// Where the replies of a connection go out.
#[derive(Debug)]
pub(super) struct Line {
    session: Session,
    budget: Arc<Budget>,
    out: Mutex<Out>,
    /// Messages that the writer has not dealt with.
    waiting: AtomicUsize,
    /// True once the client is known to have left: what it asked for is dropped.
    gone: AtomicBool,
}

#[derive(Debug)]
struct Out {
    stream: Stream,
    /// Replies of the device's thread, which come before any other.
    ready: Batch,
    failed: Option<io::Error>,
}

/// Replies on their way.
#[derive(Debug, Default)]
struct Batch {
    bytes: Vec<u8>,
    sent: usize,
    requests: u32,
    payload: u64,
    messages: usize,
}

impl Batch {
    fn add(&mut self, done: &Done, session: Session) {
        encode(&mut self.bytes, done, session);
        self.requests += 1;
        self.payload += done.bytes;
    }

    /// All of it was sent, or is given up.
    fn clear(&mut self, budget: &Budget) {
        if self.requests > 0 {
            budget.give_back(self.requests, self.payload);
        }
        if self.bytes.capacity() > 2 * ENOUGH {
            // A long read leaves nothing behind.
            self.bytes = Vec::new();
        }
        self.bytes.clear();
        (self.sent, self.requests, self.payload, self.messages) = (0, 0, 0, 0);
    }
}

/// Bytes from which on replies are sent, whatever else there is to do.
const ENOUGH: usize = 256 << 10;

impl Line {
    pub(super) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    /// Looks whether the client has closed the connection. A reply that is on its way finds out by itself.
    pub(super) fn look(&self) -> bool {
        if let Ok(mut out) = self.out.try_lock()
            && out.failed.is_none()
            && out.stream.is_hung_up()
        {
            // A client may leave without a word.
            self.fail(&mut out.failed, io::ErrorKind::UnexpectedEof.into());
        }
        self.is_gone()
    }

    /// Nothing more is sent.
    fn fail(&self, failed: &mut Option<io::Error>, error: io::Error) {
        failed.get_or_insert(error);
        self.gone.store(true, Ordering::Relaxed);
    }

    /// Takes a reply of the device's thread, if nothing is before it that has to wait. True if it is the first one.
    fn put(&self, done: Done) -> Result<bool, Done> {
        if self.waiting.load(Ordering::Acquire) > 0 {
            return Err(done);
        }
        let Ok(mut out) = self.out.try_lock() else { return Err(done) };
        if out.ready.bytes.len() >= ENOUGH || !out.stream.sends_now() {
            return Err(done);
        }
        let first = out.ready.requests == 0;
        out.ready.add(&done, self.session);
        Ok(first)
    }

    /// Sends what is ready as far as the socket takes it at once; false if the writer has to send the rest.
    fn send_now(&self) -> bool {
        let Ok(mut out) = self.out.try_lock() else { return false };
        let Out { stream, ready, failed } = &mut *out;
        while failed.is_none() && ready.sent < ready.bytes.len() {
            match stream.send_now(&ready.bytes[ready.sent..]) {
                Ok(sent) => ready.sent += sent,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return false,
                Err(error) => {
                    self.fail(failed, error);
                    stream.shutdown(Shutdown::Both);
                }
            }
        }
        ready.clear(&self.budget);
        true
    }

    /// Sends what is ready and then these replies, and waits for the socket. After a failure replies are dropped, so that
    /// nobody waits.
    fn write(&self, batch: &mut Batch) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let Out { stream, ready, failed } = &mut *out;
        if failed.is_none() {
            let written = stream.write_all(&ready.bytes[ready.sent..]);
            if let Err(error) = written.and_then(|()| stream.write_all(&batch.bytes)) {
                self.fail(failed, error);
                stream.shutdown(Shutdown::Both);
            }
        }
        ready.clear(&self.budget);
        self.waiting.fetch_sub(batch.messages, Ordering::AcqRel);
        batch.clear(&self.budget);
    }

    /// Ends the line. Returns why it failed, if it did.
    fn end(&self) -> io::Result<()> {
        self.write(&mut Batch::default());
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        match out.failed.take() {
            Some(error) => Err(error),
            None => {
                out.stream.close();
                Ok(())
            }
        }
    }
}

/// Writes the replies that have to wait for the socket, in the order in which they come. Ends when every request has its reply.
///
/// # Errors
/// Why a reply could not be sent.
pub(super) fn write_replies(line: &Line, messages: &Receiver<Message>) -> io::Result<()> {
    let mut batch = Batch::default();
    while let Ok(first) = messages.recv() {
        let mut next = Some(first);
        while let Some(message) = next {
            if let Message::Reply(done) = message {
                if batch.bytes.len() >= ENOUGH {
                    line.write(&mut batch);
                }
                batch.add(&done, line.session);
            }
            batch.messages += 1;
            next = messages.try_recv().ok();
        }
        line.write(&mut batch);
    }
    line.end()
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

//! Listeners, connections and their end.

use super::export::Export;
use super::outbox::{Reply, Unsent};
use super::rarely::Rarely;
use super::session::{self, Job, Limits, ToDevice};
use super::stream::Stream;
use super::tls::Tls;
use super::wire::NbdError;
use crate::threads;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use socket2::SockRef;
use std::collections::BTreeMap;
use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// What is written as `%XX` in URIs: all but what has no meaning of its own there, and the separators of paths.
const IN_URI: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// Where clients come in.
#[derive(Debug)]
pub enum Listener {
    /// A Unix socket. Its file is removed before it is closed: no other file can have the same number until then.
    Unix(SocketFile, UnixListener),
    /// A TCP port; with TLS, and whether that is required.
    Tcp(TcpListener, Option<bool>),
}

/// The file of a Unix socket.
#[derive(Debug)]
pub struct SocketFile {
    path: PathBuf,
    /// Device and number of the file that was made.
    made: Option<(u64, u64)>,
}

impl SocketFile {
    fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), made: Self::at(path) }
    }

    fn at(path: &Path) -> Option<(u64, u64)> {
        use std::os::unix::fs::MetadataExt;
        std::fs::symlink_metadata(path).ok().map(|found| (found.dev(), found.ino()))
    }
}

/// Leaves what has taken the file's place meanwhile.
impl Drop for SocketFile {
    fn drop(&mut self) {
        if self.made.is_some() && Self::at(&self.path) == self.made {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Listener {
    /// Listens on a new Unix socket. A socket without a server behind it is replaced.
    ///
    /// # Errors
    /// That of the system; what is at the path, if that is no socket or another server's.
    pub fn unix(path: &Path) -> io::Result<Self> {
        if Self::is_left_over(path)? {
            std::fs::remove_file(path)?;
        }
        let listener = UnixListener::bind(path)?;
        Ok(Self::Unix(SocketFile::new(path), listener))
    }

    /// Looks whether [`Listener::unix`] would find place for the file of its socket, and leaves everything as it is.
    ///
    /// # Errors
    /// As [`Listener::unix`].
    pub fn unix_is_free(path: &Path) -> io::Result<()> {
        std::os::unix::net::SocketAddr::from_pathname(path)?;
        Self::is_left_over(path)?;
        // Whether a folder takes a new file is told by a new file.
        let tried = path.with_file_name(format!(".ftlkit-{}", std::process::id()));
        std::fs::OpenOptions::new().write(true).create_new(true).open(&tried)?;
        std::fs::remove_file(tried)
    }

    /// True if a socket without a server is there.
    fn is_left_over(path: &Path) -> io::Result<bool> {
        use std::os::unix::fs::FileTypeExt;
        let refused = |error: &io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
        let taken = |what: &str| Err(io::Error::new(io::ErrorKind::AddrInUse, what));
        if let Ok(found) = std::fs::symlink_metadata(path) {
            if !found.file_type().is_socket() {
                return taken("it is there and is no socket; it is left as it is");
            }
            match UnixStream::connect(path) {
                Err(error) if refused(&error) => return Ok(true),
                Ok(_) => return taken("another server listens there"),
                Err(_) => {}
            }
        }
        Ok(false)
    }

    /// Listens on a TCP port; port 0 is any free one. `tls`: whether it is required, if it is served at all.
    ///
    /// # Errors
    /// That of the system.
    pub fn tcp(address: SocketAddr, tls: Option<bool>) -> io::Result<Self> {
        Ok(Self::Tcp(TcpListener::bind(address)?, tls))
    }

    /// The addresses for clients, as NBD URIs: one per name, encrypted and not where both are served.
    pub fn uris(&self, names: &[&str]) -> Vec<String> {
        let of_name = |name: &&str| {
            let name = percent_encode(name.as_bytes(), IN_URI).to_string();
            match self {
                Self::Unix(file, _) => {
                    let path = percent_encode(file.path.as_os_str().as_bytes(), IN_URI);
                    vec![format!("nbd+unix:///{name}?socket={path}")]
                }
                Self::Tcp(listener, tls) => {
                    let address =
                        listener.local_addr().map_or_else(|_| String::new(), |at| at.to_string());
                    let name = if name.is_empty() { String::new() } else { format!("/{name}") };
                    let kinds: &[&str] = match tls {
                        None => &["nbd"],
                        Some(true) => &["nbds"],
                        Some(false) => &["nbds", "nbd"],
                    };
                    kinds.iter().map(|kind| format!("{kind}://{address}{name}")).collect()
                }
            }
        };
        names.iter().flat_map(of_name).collect()
    }

    fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Unix(_, listener) => Ok(Stream::Unix(listener.accept()?.0)),
            Self::Tcp(listener, _) => {
                let stream = listener.accept()?.0;
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
        }
    }

    /// Wakes the thread that waits for a client. Its socket may have lost its file, so nobody can connect to it.
    fn wake(&self) {
        let socket = match self {
            Self::Unix(_, listener) => SockRef::from(listener),
            Self::Tcp(listener, _) => SockRef::from(listener),
        };
        // Not all systems end a wait in this way.
        if socket.shutdown(Shutdown::Both).is_err() {
            let _ = match self {
                Self::Unix(file, _) => UnixStream::connect(&file.path).map(drop),
                Self::Tcp(listener, _) => {
                    listener.local_addr().and_then(TcpStream::connect).map(drop)
                }
            };
        }
    }
}

/// Configuration of a server.
pub struct Server {
    /// What clients can open.
    pub exports: Vec<Export>,
    /// Limits on clients.
    pub limits: Limits,
    /// Encryption of TCP connections.
    pub tls: Option<Tls>,
    /// Takes one line on each connection that ended early.
    pub log: Box<dyn Fn(&str) + Send + Sync>,
}

/// A server at work.
struct Running {
    server: Server,
    exports: Arc<[Export]>,
    rarely: Rarely,
}

impl Running {
    /// Tells a line that clients can cause as often as they like.
    fn tell(&self, line: &str) {
        self.rarely.tell(line, &self.server.log);
    }
}

/// Ends a server from another thread.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    stopped: AtomicBool,
    next: AtomicU64,
    /// Requests that were refused before the device saw them.
    refused: AtomicU64,
    open: Mutex<BTreeMap<u64, Open>>,
}

/// A connection that is open.
#[derive(Debug)]
struct Open {
    stream: Stream,
    /// False until its handshake is over.
    serves: bool,
}

impl Stop {
    /// Asks the server to end: no new connection, no new request; those that were read are completed.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::SeqCst);
        for open in self.open().values() {
            open.stream.shutdown(Shutdown::Read);
        }
    }

    /// True once the server was asked to end.
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::SeqCst)
    }

    /// Requests refused so far because they break a rule: they never reached the device.
    pub fn refused(&self) -> u64 {
        self.0.refused.load(Ordering::Relaxed)
    }

    /// Connections that are open.
    pub fn connections(&self) -> usize {
        self.open().len()
    }

    fn open(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, Open>> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection in for its handshake, unless there are too many or the server ends. Who does not get on with a
    /// handshake makes room: returns the connection whose handshake was ended for this one, too.
    fn enter(
        &self,
        stream: &Stream,
        limits: &Limits,
    ) -> Result<(Entered, Option<u64>), &'static str> {
        let mut open = self.open();
        if self.is_stopped() {
            return Err("the server ends");
        }
        if serving(&open) >= limits.connections {
            return Err(TOO_MANY);
        }
        let handle = stream.try_clone().map_err(|_| "no file descriptor is left")?;
        let mut ended = None;
        if open.len() - serving(&open) >= limits.handshakes {
            ended = open.iter().find(|(_, open)| !open.serves).map(|(id, _)| *id);
            if let Some(oldest) = ended.and_then(|id| open.remove(&id)) {
                oldest.stream.shutdown(Shutdown::Both);
            }
        }
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        open.insert(id, Open { stream: handle, serves: false });
        Ok((Entered { stop: self.clone(), id }, ended))
    }
}

const TOO_MANY: &str = "there are too many connections";

fn serving(open: &BTreeMap<u64, Open>) -> usize {
    open.values().filter(|open| open.serves).count()
}

/// A connection that was taken in. It leaves however its thread ends.
struct Entered {
    stop: Stop,
    id: u64,
}

impl Entered {
    /// Gives the connection, whose handshake is over, a place among those that are served.
    fn serve(&self, most: usize) -> io::Result<()> {
        let mut open = self.stop.open();
        if serving(&open) >= most {
            return Err(io::Error::other(TOO_MANY));
        }
        let Some(this) = open.get_mut(&self.id) else {
            return Err(io::Error::other("its handshake has made room for another"));
        };
        this.serves = true;
        Ok(())
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.stop.open().remove(&self.id);
    }
}

/// Serves clients until [`Stop::stop`]. `work` does each request, on the thread that calls this, and returns how long it may
/// be left alone; it is called with `None` when that time is over. An error of `work` ends the server.
///
/// # Errors
/// That of `work`.
pub fn serve<E>(
    server: Server,
    listeners: Vec<Listener>,
    stop: &Stop,
    mut work: impl FnMut(Option<Job>) -> Result<Option<Duration>, E>,
) -> Result<(), E> {
    // As many as wait here at most; what a connection may have outstanding limits the rest.
    const WAITING: usize = 256;
    let (jobs, queue) = sync_channel(WAITING);
    let device = ToDevice { jobs, unsent: Unsent::default() };
    let unsent = device.unsent.clone();
    let exports: Arc<[Export]> = server.exports.clone().into();
    let server = Arc::new(Running { server, exports, rarely: Rarely::default() });
    let listeners = Arc::new(listeners);
    let accepting: Vec<_> = (0..listeners.len())
        .map(|at| {
            let (server, stop, device) = (Arc::clone(&server), stop.clone(), device.clone());
            let listeners = Arc::clone(&listeners);
            thread::spawn(move || accept(&listeners[at], &server, &stop, &device))
        })
        .collect();
    drop(device);
    let worked = do_jobs(&queue, &unsent, stop, server.server.limits.write, &mut work);
    unsent.flush();
    stop.stop();
    listeners.iter().for_each(Listener::wake);
    // Connections end when each of their requests has its reply.
    let end = Instant::now() + Duration::from_secs(2);
    while !stop.open().is_empty() && Instant::now() < end {
        queue.try_iter().for_each(|job| refuse(job, stop, "the server ends"));
        unsent.flush();
        thread::sleep(Duration::from_millis(2));
    }
    drop(queue);
    // A thread that nothing wakes ends with the process.
    let end = Instant::now() + Duration::from_secs(1);
    while accepting.iter().any(|thread| !thread.is_finished()) && Instant::now() < end {
        thread::sleep(Duration::from_millis(1));
    }
    server.rarely.end(&server.server.log);
    worked
}

/// Does jobs until the server was asked to end and every connection has ended, or `longest` after that. After an error of
/// `work` the jobs that are left are refused.
fn do_jobs<E>(
    queue: &Receiver<Job>,
    unsent: &Unsent,
    stop: &Stop,
    longest: Duration,
    work: &mut impl FnMut(Option<Job>) -> Result<Option<Duration>, E>,
) -> Result<(), E> {
    /// How often the end is looked for without requests.
    const LOOK: Duration = Duration::from_millis(20);
    /// Jobs, and time, after which replies are sent, though more jobs wait.
    const SEND_AFTER: (u32, Duration) = (16, Duration::from_micros(500));
    threads::wake_in_time();
    let (mut rest, mut failed, mut end) = (None, None, None);
    let (mut jobs_done, mut sent) = (0, Instant::now());
    loop {
        let stopped = stop.is_stopped();
        let late = stopped && Instant::now() > *end.get_or_insert_with(|| Instant::now() + longest);
        let wait = rest.unwrap_or(LOOK).min(LOOK);
        let next = match queue.try_recv() {
            Ok(job) if jobs_done < SEND_AFTER.0 && sent.elapsed() < SEND_AFTER.1 => Ok(job),
            next => {
                unsent.flush();
                (jobs_done, sent) = (0, Instant::now());
                next.or_else(|_| match rest {
                    None => queue.recv_timeout(wait),
                    Some(_) => next_within(queue, wait),
                })
            }
        };
        jobs_done += 1;
        let worked = match next {
            Ok(job) if failed.is_some() => {
                refuse(job, stop, "the device is off");
                Ok(None)
            }
            Ok(job) if job.reply.is_gone() => {
                refuse(job, stop, "the client has left");
                Ok(rest)
            }
            Ok(job) => work(Some(job)),
            // Requests that were read before the end are in the queue, or their connection is still open.
            Err(RecvTimeoutError::Timeout) if !stopped || !stop.open().is_empty() => match failed {
                Some(_) => Ok(None),
                None => work(None),
            },
            Err(_) => return failed.map_or(Ok(()), Err),
        };
        match worked {
            Ok(left_alone) => rest = left_alone,
            Err(error) => {
                failed = Some(error);
                stop.stop();
            }
        }
        if late {
            queue.try_iter().for_each(|job| refuse(job, stop, "the server ends"));
            return failed.map_or(Ok(()), Err);
        }
    }
}

/// The next job that comes within this time. The end of the time is met to some microseconds.
fn next_within(queue: &Receiver<Job>, wait: Duration) -> Result<Job, RecvTimeoutError> {
    /// What a wake-up takes.
    const SPIN: Duration = Duration::from_micros(30);
    let end = Instant::now() + wait;
    if let Some(sleep) = wait.checked_sub(SPIN).filter(|sleep| !sleep.is_zero()) {
        match queue.recv_timeout(sleep) {
            Err(RecvTimeoutError::Timeout) => {}
            next => return next,
        }
    }
    loop {
        match queue.try_recv() {
            Ok(job) => return Ok(job),
            Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) if Instant::now() >= end => {
                return Err(RecvTimeoutError::Timeout);
            }
            Err(TryRecvError::Empty) => std::hint::spin_loop(),
        }
    }
}

/// Answers and counts a request that the device never sees.
fn refuse(job: Job, stop: &Stop, why: &str) {
    stop.0.refused.fetch_add(1, Ordering::Relaxed);
    job.reply.send(Reply::Failed(NbdError::Shutdown, why.into()));
}

fn accept(listener: &Listener, server: &Arc<Running>, stop: &Stop, device: &ToDevice) {
    while !stop.is_stopped() {
        let stream = match listener.accept() {
            Ok(stream) => stream,
            Err(_) if stop.is_stopped() => return,
            Err(error) => {
                server.tell(&format!("cannot accept a connection: {error}"));
                // Without file descriptors, the next try fails at once, too.
                thread::sleep(Duration::from_millis(100));
                continue;
            }
        };
        let entered = match stop.enter(&stream, &server.server.limits) {
            Ok((entered, None)) => entered,
            Ok((entered, Some(ended))) => {
                server.tell(&format!(
                    "connection {ended} ended early: its handshake made room for another"
                ));
                entered
            }
            Err(_) if stop.is_stopped() => return,
            Err(why) => {
                server.tell(&format!("a connection is refused: {why}"));
                continue;
            }
        };
        let (here, device) = (Arc::clone(server), device.clone());
        let connection = thread::Builder::new().spawn(move || {
            let Entered { stop, id } = &entered;
            let refused = &stop.0.refused;
            let (limits, tls) = (&here.server.limits, here.server.tls.as_ref());
            let place = (*id, &(|| entered.serve(limits.connections)) as &dyn Fn() -> _);
            let ended = session::run(stream, &here.exports, limits, tls, place, &device, refused);
            // A client may leave, or look whether anybody listens, without a word.
            let left = |error: &io::Error| error.kind() == io::ErrorKind::UnexpectedEof;
            if let Err(error) = ended
                && !left(&error)
            {
                here.tell(&format!("connection {id} ended early: {error}"));
            }
        });
        if let Err(error) = connection {
            server.tell(&format!("a connection is refused: no thread for it: {error}"));
        }
    }
}

//! A connection over a Unix socket or TCP, the latter encrypted or not.

use super::tls::Tls;
#[cfg(feature = "tls")]
use super::tls::TlsStream;
use socket2::SockRef;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Any kind of connection.
#[derive(Debug)]
pub(super) enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
    #[cfg(feature = "tls")]
    Tls(Box<TlsStream>),
}

/// Runs the same on any kind of connection, or on its socket.
macro_rules! either {
    ($self:expr, $stream:ident => $what:expr) => {
        match $self {
            Stream::Unix($stream) => $what,
            Stream::Tcp($stream) => $what,
            #[cfg(feature = "tls")]
            Stream::Tls($stream) => $what,
        }
    };
    ($self:expr, socket $stream:ident => $what:expr) => {
        match $self {
            Stream::Unix($stream) => $what,
            Stream::Tcp($stream) => $what,
            #[cfg(feature = "tls")]
            Stream::Tls(stream) => {
                let $stream = &stream.socket;
                $what
            }
        }
    };
}

impl Stream {
    pub(super) fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Unix(stream) => Self::Unix(stream.try_clone()?),
            Self::Tcp(stream) => Self::Tcp(stream.try_clone()?),
            #[cfg(feature = "tls")]
            Self::Tls(stream) => Self::Tls(Box::new(stream.try_clone()?)),
        })
    }

    pub(super) fn set_timeouts(&self, timeout: Option<Duration>) -> io::Result<()> {
        either!(self, socket stream => {
            stream.set_read_timeout(timeout)?;
            stream.set_write_timeout(timeout)
        })
    }

    /// A write that makes no progress for this long ends the connection.
    pub(super) fn set_write_timeout(&self, timeout: Duration) -> io::Result<()> {
        either!(self, socket stream => stream.set_write_timeout(Some(timeout)))
    }

    /// True if the socket may be asked to take bytes at once ([`Stream::send_now`]).
    pub(super) fn sends_now(&self) -> bool {
        matches!(self, Self::Unix(_) | Self::Tcp(_))
    }

    /// Sends as many bytes as the socket takes at once.
    pub(super) fn send_now(&self, bytes: &[u8]) -> io::Result<usize> {
        let socket = match self {
            Self::Unix(stream) => SockRef::from(stream),
            Self::Tcp(stream) => SockRef::from(stream),
            #[cfg(feature = "tls")]
            Self::Tls(_) => return Err(io::ErrorKind::WouldBlock.into()),
        };
        socket.send_with_flags(bytes, libc::MSG_DONTWAIT)
    }

    /// The same connection, encrypted from here on; `end`: when the handshake must be over.
    #[cfg(feature = "tls")]
    pub(super) fn encrypt(&mut self, tls: &Tls, end: Instant) -> io::Result<()> {
        let Self::Tcp(stream) = self else {
            return Err(io::Error::other("TLS is for TCP, and begins once"));
        };
        *self = Self::Tls(Box::new(tls.accept(stream.try_clone()?, end)?));
        Ok(())
    }

    /// Nobody has a certificate.
    #[cfg(not(feature = "tls"))]
    pub(super) fn encrypt(&mut self, tls: &Tls, _: Instant) -> io::Result<()> {
        match *tls {}
    }

    /// Tells the client of an encrypted connection that nothing more comes.
    pub(super) fn close(&mut self) {
        #[cfg(feature = "tls")]
        if let Self::Tls(stream) = self {
            stream.close();
        }
    }

    /// True if the client has closed the connection. One that only sends nothing more may still read.
    #[expect(unsafe_code, reason = "polling is a foreign call")]
    pub(super) fn is_hung_up(&self) -> bool {
        let fd = either!(self, socket stream => stream.as_raw_fd());
        let mut polled = libc::pollfd { fd, events: 0, revents: 0 };
        // SAFETY: it is given one record, which lives until it returns, and a descriptor that is open as long as `self`.
        let found = unsafe { libc::poll(&raw mut polled, 1, 0) };
        found > 0 && polled.revents & (libc::POLLHUP | libc::POLLERR) != 0
    }

    pub(super) fn shutdown(&self, how: Shutdown) {
        // Fails only if the client has gone already.
        let _ = either!(self, socket stream => stream.shutdown(how));
    }
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        either!(self, stream => stream.read(bytes))
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        either!(self, stream => stream.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        either!(self, stream => stream.flush())
    }
}

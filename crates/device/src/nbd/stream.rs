//! A connection over a Unix socket or TCP.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Either kind of connection.
#[derive(Debug)]
pub(super) enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

macro_rules! either {
    ($self:expr, $stream:ident => $what:expr) => {
        match $self {
            Stream::Unix($stream) => $what,
            Stream::Tcp($stream) => $what,
        }
    };
}

impl Stream {
    pub(super) fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Unix(stream) => Self::Unix(stream.try_clone()?),
            Self::Tcp(stream) => Self::Tcp(stream.try_clone()?),
        })
    }

    pub(super) fn set_timeouts(&self, timeout: Option<Duration>) -> io::Result<()> {
        either!(self, stream => {
            stream.set_read_timeout(timeout)?;
            stream.set_write_timeout(timeout)
        })
    }

    /// A write that makes no progress for this long ends the connection.
    pub(super) fn set_write_timeout(&self, timeout: Duration) -> io::Result<()> {
        either!(self, stream => stream.set_write_timeout(Some(timeout)))
    }

    pub(super) fn shutdown(&self, how: Shutdown) {
        // Fails only if the client has gone already.
        let _ = either!(self, stream => stream.shutdown(how));
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

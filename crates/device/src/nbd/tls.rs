//! TLS, which a client of a TCP port asks for by STARTTLS.

use rustls::ServerConfig;
use rustls::ServerConnection;
use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Certificate and key of a server, and whether clients of a TCP port may do without.
#[derive(Clone, Debug)]
pub struct Tls {
    config: Arc<ServerConfig>,
    required: bool,
}

/// A certificate or key that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file that is not PEM, or cannot be read.
    #[error("`{}`: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: pem::Error,
    },
    /// A file without a certificate.
    #[error("`{}` has no certificate: it must have a PEM section CERTIFICATE", path.display())]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
    /// A certificate and a key that do not belong together, or of a kind that is not supported.
    #[error(transparent)]
    Pair(#[from] rustls::Error),
}

impl Tls {
    /// Reads a certificate, with those of its issuers behind it, and its private key. All are PEM.
    ///
    /// # Errors
    /// [`TlsError`].
    pub fn from_files(certificate: &Path, key: &Path, required: bool) -> Result<Self, TlsError> {
        let file = |path: &Path| {
            let path = path.to_owned();
            move |error| TlsError::File { path, error }
        };
        let certificates = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(file(certificate))?;
        if certificates.is_empty() {
            return Err(TlsError::NoCertificate { path: certificate.to_owned() });
        }
        let key = PrivateKeyDer::from_pem_file(key).map_err(file(key))?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(certificates, key)?;
        Ok(Self { config: Arc::new(config), required })
    }

    pub(super) fn is_required(&self) -> bool {
        self.required
    }

    /// Shakes hands with a client, until `end` at the latest.
    pub(super) fn accept(&self, mut socket: TcpStream, end: Instant) -> io::Result<TlsStream> {
        let mut connection =
            ServerConnection::new(Arc::clone(&self.config)).map_err(io::Error::other)?;
        while connection.is_handshaking() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "the TLS handshake takes too long",
                ));
            }
            socket.set_read_timeout(Some(left))?;
            socket.set_write_timeout(Some(left))?;
            if connection.wants_write() {
                connection.write_tls(&mut socket)?;
            } else if connection.read_tls(&mut socket)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            } else if let Err(error) = connection.process_new_packets() {
                // The alert tells the client why; it may have gone.
                let _ = connection.write_tls(&mut socket);
                return Err(io::Error::other(format!("TLS: {error}")));
            }
        }
        let connection = Arc::new(Mutex::new(connection));
        let mut stream = TlsStream { socket, connection, received: Vec::new(), taken: 0 };
        stream.send()?;
        Ok(stream)
    }
}

/// An encrypted connection. One clone may read while another writes: neither waits for the socket with the state locked.
#[derive(Debug)]
pub(super) struct TlsStream {
    pub(super) socket: TcpStream,
    connection: Arc<Mutex<ServerConnection>>,
    /// Bytes from the socket, of which so many are deciphered.
    received: Vec<u8>,
    taken: usize,
}

impl TlsStream {
    pub(super) fn try_clone(&self) -> io::Result<Self> {
        let socket = self.socket.try_clone()?;
        Ok(Self {
            socket,
            connection: Arc::clone(&self.connection),
            received: Vec::new(),
            taken: 0,
        })
    }

    fn state(&self) -> MutexGuard<'_, ServerConnection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends what is enciphered.
    fn send(&mut self) -> io::Result<()> {
        let mut out = Vec::new();
        let mut state = self.state();
        while state.wants_write() {
            state.write_tls(&mut out)?;
        }
        drop(state);
        self.socket.write_all(&out)
    }

    /// Tells the client that nothing more comes.
    pub(super) fn close(&mut self) {
        self.state().send_close_notify();
        // Fails only if the client has gone already.
        let _ = self.send();
    }
}

impl Read for TlsStream {
    /// `Interrupted` where the socket gave a part of a record alone, so that whoever reads can look at the time.
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        const AT_ONCE: usize = 32 << 10;
        let mut fresh = false;
        loop {
            let mut state = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
            match state.reader().read(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return read,
            }
            if self.taken < self.received.len() {
                self.taken += state.read_tls(&mut &self.received[self.taken..])?;
                let processed = state.process_new_packets();
                processed.map_err(|error| io::Error::other(format!("TLS: {error}")))?;
                continue;
            }
            drop(state);
            if fresh {
                return Err(io::ErrorKind::Interrupted.into());
            }
            fresh = true;
            self.received.resize(AT_ONCE, 0);
            let read = self.socket.read(&mut self.received)?;
            self.received.truncate(read);
            self.taken = 0;
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

impl Write for TlsStream {
    /// Sends at once. What a key update of the client asks for goes with it.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.state().writer().write(bytes)?;
        self.send()?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.send()
    }
}

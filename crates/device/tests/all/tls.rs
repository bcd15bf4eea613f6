//! TLS on a TCP port: a client that has it, and clients that have not.

use crate::fuzz::{resident, session};
use crate::on_disk::{Folder, folder};
use crate::wait::{DAY, wait_until};
use ftlkit_device::nbd::{Command, Export, Limits, Listener, Reply, Server, Stop, Tls, serve};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, spawn};
use std::time::{Duration, Instant};

/// A server of 64 KiB in memory, with a certificate for `localhost`.
struct Served {
    folder: Folder,
    certificate: CertificateDer<'static>,
    address: String,
    stop: Stop,
    log: Arc<Mutex<Vec<String>>>,
    server: Option<JoinHandle<()>>,
}

impl Served {
    fn new(required: bool) -> Self {
        Self::with(required, DAY)
    }

    /// The same with this time for a handshake.
    fn with(required: bool, handshake: Duration) -> Self {
        let folder = folder();
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("cert.pem"), made.cert.pem()).unwrap();
        std::fs::write(path("key.pem"), made.signing_key.serialize_pem()).unwrap();
        let tls = Tls::from_files(&path("cert.pem"), &path("key.pem"), required).unwrap();
        let listener = Listener::tcp("127.0.0.1:0".parse().unwrap(), Some(required)).unwrap();
        let uris = listener.uris(&["disk"]);
        let kinds: &[&str] = if required { &["nbds"] } else { &["nbds", "nbd"] };
        let address = uris[0].strip_prefix("nbds://").unwrap().strip_suffix("/disk").unwrap();
        let address = address.to_owned();
        let all: Vec<String> =
            kinds.iter().map(|kind| format!("{kind}://{address}/disk")).collect();
        assert_eq!(uris, all);
        let (stop, log) = (Stop::default(), Arc::new(Mutex::new(Vec::new())));
        let export = Export {
            name: "disk".into(),
            description: String::new(),
            bytes: 4 << 20,
            page_bytes: 512,
            read_only: false,
            stream: 0,
            deallocates: false,
        };
        let lines = Arc::clone(&log);
        let tell = Box::new(move |line: &str| lines.lock().unwrap().push(line.to_owned()));
        let limits = Limits { handshake, ..Limits::default() };
        let server = Server { exports: vec![export], limits, tls: Some(tls), log: tell };
        let stopper = stop.clone();
        let server = spawn(move || {
            let mut bytes = vec![0; 4 << 20];
            let served: Result<(), String> = serve(server, vec![listener], &stopper, |job| {
                let Some(job) = job else { return Ok(None) };
                let range = job.offset as usize..job.offset as usize + job.length as usize;
                let reply = match job.command {
                    Command::Read => Reply::Bytes(bytes[range].to_vec()),
                    Command::Write { .. } => {
                        bytes[range].copy_from_slice(&job.data);
                        Reply::Done
                    }
                    _ => Reply::Done,
                };
                job.reply.send(reply);
                Ok(None)
            });
            served.unwrap();
        });
        let certificate = made.cert.der().clone();
        Self { folder, certificate, address, stop, log, server: Some(server) }
    }

    /// A client that has read the greeting and sent its flags.
    fn greeted(&self) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.read_exact(&mut [0; 18]).unwrap();
        stream.write_all(&3_u32.to_be_bytes()).unwrap();
        stream
    }

    /// A client with TLS that trusts this certificate.
    fn encrypted(
        &self,
        trusted: CertificateDer<'static>,
    ) -> StreamOwned<ClientConnection, TcpStream> {
        let mut stream = self.greeted();
        assert_eq!(option(&mut stream, 5, &[]), [1]);
        let mut roots = RootCertStore::empty();
        roots.add(trusted).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("localhost").unwrap();
        StreamOwned::new(ClientConnection::new(Arc::new(config), name).unwrap(), stream)
    }

    fn end(&mut self) -> String {
        self.stop.stop();
        self.server.take().unwrap().join().unwrap();
        self.log.lock().unwrap().join("\n")
    }
}

/// Sends an option; returns the types of its replies.
fn option(stream: &mut (impl Read + Write), option: u32, data: &[u8]) -> Vec<u32> {
    let head = [&b"IHAVEOPT"[..], &option.to_be_bytes(), &(data.len() as u32).to_be_bytes(), data];
    stream.write_all(&head.concat()).unwrap();
    let mut kinds = Vec::new();
    loop {
        let mut head = [0; 20];
        stream.read_exact(&mut head).unwrap();
        let word = |at: usize| u32::from_be_bytes(head[at..at + 4].try_into().unwrap());
        stream.read_exact(&mut vec![0; word(16) as usize]).unwrap();
        kinds.push(word(12));
        if word(12) == 1 || word(12) >> 31 == 1 {
            return kinds;
        }
    }
}

const GO_DISK: &[u8] = b"\0\0\0\x04disk\0\0";

fn request(command: u16, offset: u64, length: u32, data: &[u8]) -> Vec<u8> {
    let head = [&0x2560_9513_u32.to_be_bytes()[..], &[0, 0], &command.to_be_bytes(), &[7; 8]];
    [&head.concat()[..], &offset.to_be_bytes(), &length.to_be_bytes(), data].concat()
}

#[test]
fn a_client_with_tls_reads_what_it_wrote() {
    let mut served = Served::new(true);
    let mut client = served.encrypted(served.certificate.clone());
    let replies = option(&mut client, 7, GO_DISK);
    assert_eq!(replies.last(), Some(&1));
    // More than a record, and more than is deciphered at once; and many small ones outstanding.
    let data: Vec<u8> = (0..1_000_000_u32).map(|n| ((n * 7) >> 3) as u8).collect();
    client.write_all(&request(1, 100, data.len() as u32, &data)).unwrap();
    let mut head = [0; 16];
    client.read_exact(&mut head).unwrap();
    assert_eq!(&head[4..8], &[0; 4]);
    for n in 0..50_u64 {
        client.write_all(&request(0, 100 + n * 10_000, 20_000, &[])).unwrap();
    }
    for n in 0..50 {
        client.read_exact(&mut head).unwrap();
        let mut found = vec![0; 20_000];
        client.read_exact(&mut found).unwrap();
        assert!(found == data[n * 10_000..n * 10_000 + 20_000], "read {n}");
    }
    client.write_all(&request(2, 0, 0, &[])).unwrap();
    assert_eq!(client.read(&mut [0]).unwrap(), 0, "the server says that nothing more comes");
    assert_eq!(served.end(), "");
}

#[test]
fn a_client_without_tls_is_refused_where_it_is_required() {
    let mut served = Served::new(true);
    let mut plain = served.greeted();
    assert_eq!(option(&mut plain, 7, GO_DISK), [1 << 31 | 5]);
    assert_eq!(option(&mut plain, 3, &[]), [1 << 31 | 5]);
    plain.write_all(b"IHAVEOPT\0\0\0\x01\0\0\0\x04disk").unwrap();
    assert_eq!(plain.read(&mut [0]).unwrap(), 0, "the oldest way in is closed");
    // A client that does not trust the certificate, one that speaks no TLS.
    let other = Served::new(true);
    let mut client = served.encrypted(other.certificate.clone());
    assert!(client.write_all(b"x").and_then(|()| client.read(&mut [0])).is_err());
    let mut client = served.greeted();
    assert_eq!(option(&mut client, 5, &[]), [1]);
    client.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let _ = client.read_to_end(&mut Vec::new());
    wait_until(|| served.stop.connections() == 0);
    let log = served.end();
    for part in ["TLS: received fatal alert", "TLS: received corrupt message"] {
        assert!(log.contains(part), "`{part}` is not in {log}");
    }
    // One that asks for TLS, and says nothing more.
    let handshake = Duration::from_millis(300);
    let (mut served, started) = (Served::with(true, handshake), Instant::now());
    let mut client = TcpStream::connect(&served.address).unwrap();
    client.write_all(b"\0\0\0\x03IHAVEOPT\0\0\0\x05\0\0\0\0").unwrap();
    let _ = client.read_to_end(&mut Vec::new());
    assert!(started.elapsed() >= handshake, "{:?}", started.elapsed());
    wait_until(|| served.stop.connections() == 0);
    let log = served.end();
    assert!(log.contains("takes too long") || log.contains("temporarily"), "{log}");
    let mut served = Served::new(false);
    assert_eq!(option(&mut served.greeted(), 7, GO_DISK).last(), Some(&1));
    served.end();
}

#[test]
fn a_certificate_that_cannot_be_used_is_refused() {
    let folder = folder();
    let empty = folder.path().join("empty.pem");
    std::fs::write(&empty, "nothing").unwrap();
    let missing = folder.path().join("missing.pem");
    let said = |cert, key| Tls::from_files(cert, key, true).unwrap_err().to_string();
    assert!(said(&empty, &empty).contains("empty.pem` has no certificate"));
    assert!(said(&missing, &empty).contains("missing.pem"));
}

#[test]
#[cfg_attr(not(has_nbdinfo), ignore = "needs nbdinfo (Debian: libnbd-bin)")]
fn nbdinfo_comes_in_by_tls_alone() {
    let mut served = Served::new(true);
    let folder = served.folder.path();
    std::fs::copy(folder.join("cert.pem"), folder.join("ca-cert.pem")).unwrap();
    let port = served.address.rsplit_once(':').unwrap().1;
    let size = |uri: String| {
        let ran = std::process::Command::new("nbdinfo").args(["--size", &uri]).output().unwrap();
        (ran.status.success(), String::from_utf8_lossy(&ran.stdout).trim().to_owned())
    };
    let certificates = folder.display();
    let encrypted = format!("nbds://localhost:{port}/disk?tls-certificates={certificates}");
    assert_eq!(size(encrypted), (true, (4 << 20).to_string()));
    assert!(!size(format!("nbd://localhost:{port}/disk")).0);
    served.end();
}

/// Bytes of requests and options within TLS, and bytes that are no TLS where it begins.
#[test]
fn a_server_outlives_any_client_within_tls_and_before_it() {
    const MOST: usize = 1_000_000;
    let mut random = Pcg64::seed_from_u64(4);
    let mut served = Served::new(false);
    let (mut within, mut before, start) = (0, 0, resident());
    while within < MOST {
        let bytes = session(&mut random);
        let mut client = served.encrypted(served.certificate.clone());
        client.sock.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
        let mut answers = [0; 1 << 16];
        for some in bytes.get(4..).unwrap_or_default().chunks(4096) {
            if client.write_all(some).is_err() {
                break;
            }
            within += some.len();
            while matches!(client.read(&mut answers), Ok(read) if read > 0) {}
        }
    }
    while before < MOST {
        let mut stream = served.greeted();
        assert_eq!(option(&mut stream, 5, &[]), [1]);
        let mut bytes = vec![0; random.random_range(1..40_000)];
        random.fill(&mut bytes[..]);
        if random.random_bool(0.5) {
            // As the head of a record of a handshake.
            let length = bytes.len().min(16_000) as u16;
            let head = [&[22, 3, 1][..], &length.to_be_bytes()].concat();
            bytes.splice(0..0, head);
        }
        before += bytes.len();
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answers = [0; 1 << 16];
        while matches!(stream.read(&mut answers), Ok(read) if read > 0) {}
    }
    let mut client = served.encrypted(served.certificate.clone());
    assert_eq!(option(&mut client, 7, GO_DISK).last(), Some(&1));
    drop(client);
    served.end();
    if let (Some(start), Some(end)) = (start, resident()) {
        assert!(end.saturating_sub(start) < 200 << 20, "{start} bytes resident, then {end}");
    }
}

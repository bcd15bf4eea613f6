//! A server under clients that send anything: sessions begun rightly and gone wrong, requests with changed bytes, payloads that
//! end early. It answers whoever comes next, and its memory stays bounded.

use crate::served::{Client, Served, preset};
use crate::wait::wait_until;
use ftlkit_device::lab::report::SchemeReport;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::io::Write;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

/// Sends all that the server takes, and drops what it answers, to the end of the connection.
fn send(stream: &UnixStream, bytes: &[u8]) {
    let (mut answers, mut requests) = (stream, stream);
    std::thread::scope(|threads| {
        threads.spawn(move || std::io::copy(&mut answers, &mut std::io::sink()));
        let _ = requests.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
    });
}

/// The bytes of a client: a handshake, and requests.
pub(crate) fn session(random: &mut Pcg64) -> Vec<u8> {
    let mut bytes = 3_u32.to_be_bytes().to_vec();
    let name: &[u8] = [&b"disk"[..], b"look", b"", b"nothing"][random.random_range(0..4)];
    let mut option = |option: u32, data: &[u8]| {
        bytes.extend_from_slice(b"IHAVEOPT");
        bytes.extend_from_slice(&option.to_be_bytes());
        bytes.extend_from_slice(&(data.len() as u32).to_be_bytes());
        bytes.extend_from_slice(data);
    };
    if random.random_bool(0.7) {
        option(8, &[]);
    }
    if random.random_bool(0.2) {
        option(random.random_range(0..12), &[0; 7]);
    }
    let named = [&(name.len() as u32).to_be_bytes()[..], name, &[0, 0]].concat();
    option(7, &named);
    for _ in 0..random.random_range(0..60) {
        let command: u16 = random.random_range(0..9);
        let length: u32 = match random.random_range(0..20) {
            0 => random.random(),
            1..4 => random.random_range(0..40_000),
            _ => random.random_range(0..4000),
        };
        bytes.extend_from_slice(&0x2560_9513_u32.to_be_bytes());
        let flags = if random.random_bool(0.8) { 0 } else { random.random_range(0_u16..32) };
        bytes.extend_from_slice(&flags.to_be_bytes());
        bytes.extend_from_slice(&command.to_be_bytes());
        bytes.extend_from_slice(&random.random::<u64>().to_be_bytes());
        bytes.extend_from_slice(&random.random_range(0_u64..300_000).to_be_bytes());
        bytes.extend_from_slice(&length.to_be_bytes());
        if command == 1 && random.random_bool(0.95) {
            bytes.resize(bytes.len() + length.min(40_000) as usize, 0xa5);
        }
    }
    let changes = if random.random_bool(0.4) { 0 } else { random.random_range(1..5) };
    for _ in 0..changes {
        let at = random.random_range(0..bytes.len());
        bytes[at] = random.random();
    }
    if random.random_bool(0.2) {
        bytes.truncate(random.random_range(0..bytes.len()));
    }
    bytes
}

/// Resident memory of this process, bytes; `None` where the system does not tell.
pub(crate) fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib << 10)
}

/// `FTLKIT_FUZZ_BYTES` sets how many bytes (default: 100 million).
#[test]
fn a_server_outlives_any_client() {
    let text = std::env::var("FTLKIT_FUZZ_BYTES");
    let most: usize = text.map_or(100_000_000, |text| text.parse().expect("a number of bytes"));
    let mut random = Pcg64::seed_from_u64(2);
    let mut served = Served::of_shape(&preset("page-level"), [64, 16], 512);
    let (mut fed, mut sessions, before) = (0, 0, resident());
    while fed < most {
        let bytes = session(&mut random);
        let Ok(stream) = UnixStream::connect(served.socket()) else {
            panic!("after {fed} bytes nobody listens")
        };
        send(&stream, &bytes);
        fed += bytes.len();
        sessions += 1;
        if sessions % 200 == 0 {
            // Connections of clients that left are let go of before.
            wait_until(|| served.connections() == 0);
            let mut client = Client::new(&served.socket(), "disk", true);
            assert_eq!(client.bytes(0, 512).len(), 512);
        }
    }
    if let (Some(before), Some(after)) = (before, resident()) {
        let grown = after.saturating_sub(before) >> 20;
        println!("{fed} bytes in {sessions} sessions; {grown} MiB more resident");
        // Other tests run in this process; a leak of what was sent or asked for would be far more.
        assert!(grown < 400, "{grown} MiB");
    }
    let summary = served.stop();
    assert!(summary.run.requests_taken > sessions, "{summary:?}");
    let SchemeReport { requests_taken, requests, requests_refused, .. } = summary.run;
    assert_eq!(requests_taken, requests + requests_refused);
}

//! `ftlkit serve`.

use crate::common::{Scratch, command, ftlkit, wait_until, words};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::time::Duration;

/// Starts the server and waits until it listens; returns it with what it says next on standard error.
pub(crate) fn start(arguments: &[&str]) -> (Child, String, BufReader<std::process::ChildStderr>) {
    let mut server = command();
    server.arg("serve").args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = server.spawn().expect("the server starts");
    let mut said = BufReader::new(server.stderr.take().expect("its standard error"));
    let mut line = String::new();
    said.read_line(&mut line).expect("a line");
    (server, line, said)
}

/// Ends the server by a signal; returns its exit code and standard output.
pub(crate) fn end(mut server: Child, signal: &str) -> (Option<i32>, String) {
    let id = server.id().to_string();
    let kill = std::process::Command::new("kill").args([signal, &id]).status().expect("kill");
    assert!(kill.success());
    let mut out = String::new();
    server.stdout.take().expect("its output").read_to_string(&mut out).expect("text");
    (server.wait().expect("it ends").code(), out)
}

/// A connection on which the server has greeted.
fn greeted(socket: &str) -> std::io::Result<UnixStream> {
    let mut stream = UnixStream::connect(socket)?;
    stream.read_exact(&mut [0; 18])?;
    Ok(stream)
}

/// A client that opens an export in the oldest way.
pub(crate) struct Client(UnixStream);

impl Client {
    pub(crate) fn new(socket: &str) -> Self {
        Self::named(socket, "")
    }

    fn named(socket: &str, export: &str) -> Self {
        Self::greeted(greeted(socket).expect("the server listens"), export)
    }

    fn greeted(mut stream: UnixStream, export: &str) -> Self {
        let option = [&3_u32.to_be_bytes()[..], b"IHAVEOPT", &1_u32.to_be_bytes()].concat();
        let name = [&(export.len() as u32).to_be_bytes()[..], export.as_bytes()].concat();
        stream.write_all(&[option, name].concat()).unwrap();
        stream.read_exact(&mut [0; 10]).unwrap();
        Self(stream)
    }

    /// Sends a request; returns its error, and the bytes of a read.
    pub(crate) fn ask(
        &mut self,
        command: u16,
        offset: u64,
        length: u32,
        data: &[u8],
    ) -> (u32, Vec<u8>) {
        self.ask_with(0, command, offset, length, data)
    }

    fn ask_with(
        &mut self,
        flags: u8,
        command: u16,
        offset: u64,
        length: u32,
        data: &[u8],
    ) -> (u32, Vec<u8>) {
        let head = [&[0x25, 0x60, 0x95, 0x13, 0, flags][..], &command.to_be_bytes(), &[7; 8]];
        let rest = [&offset.to_be_bytes()[..], &length.to_be_bytes(), data];
        self.0.write_all(&[head.concat(), rest.concat()].concat()).unwrap();
        let mut reply = [0; 16];
        self.0.read_exact(&mut reply).unwrap();
        let error = u32::from_be_bytes(reply[4..8].try_into().unwrap());
        let mut bytes = vec![0; if command == 0 && error == 0 { length as usize } else { 0 }];
        self.0.read_exact(&mut bytes).unwrap();
        (error, bytes)
    }
}

const WRITE: u16 = 1;
const FLUSH: u16 = 3;
const TRIM: u16 = 4;
const ZEROES: u16 = 6;
const FUA: u8 = 1;
const NO_HOLE: u8 = 2;
const FAST: u8 = 16;

#[test]
fn an_image_keeps_what_clients_write_over_ends_of_all_kinds() {
    let scratch = Scratch::new("serve");
    let (image, socket) = (scratch.at("device.img"), scratch.at("socket"));
    let made = [
        "--image",
        &image,
        "--create",
        "--capacity",
        "8MiB",
        "--scheme",
        "lazy-rtgc",
        "--socket",
        &socket,
    ];
    let again = ["--image", &image, "--socket", &socket, "--json"];
    let (server, line, _) = start(&made);
    assert!(line.contains("lazy-rtgc on evaluation-slc of 7MiB: nbd+unix:///?socket="), "{line}");
    let mut client = Client::new(&socket);
    assert_eq!(client.ask(WRITE, 1000, 5, b"hello").0, 0);
    assert_eq!(client.ask(WRITE, 7 << 20, 1, b"x").0, 28, "beyond the end");
    let (code, out) = end(server, "-TERM");
    assert_eq!(code, Some(0), "{out}");
    for part in [
        "2 taken = 1 completed + 1 refused (1 write)",
        "1 pages written in part",
        "bound kept: 2220.9 µs",
    ] {
        assert!(out.contains(part), "`{part}` is not in {out}");
    }
    // The same device, without a word on it; then killed.
    let (mut server, ..) = start(&again);
    let mut client = Client::new(&socket);
    assert_eq!(client.ask(0, 998, 8, &[]).1, b"\0\0hello\0");
    assert_eq!(client.ask(WRITE, 1005, 6, b" again").0, 0);
    assert_eq!(client.ask(FLUSH, 0, 0, &[]).0, 0);
    server.kill().unwrap();
    server.wait().unwrap();
    let info = ftlkit(["image", "info", &image]).ok();
    assert!(info.contains("not shut down"), "{info}");
    let (server, ..) = start(&again);
    assert_eq!(Client::new(&socket).ask(0, 1000, 11, &[]).1, b"hello again");
    // An image has one user.
    ftlkit(["serve", "--image", &image, "--socket", &scratch.at("other")])
        .refused(&["is in use, by another"]);
    let (code, out) = end(server, "-INT");
    let json: serde_json::Value = serde_json::from_str(&out).expect("one JSON object");
    assert_eq!((code, &json["scheme"]), (Some(0), &"lazy-rtgc".into()));
    assert_eq!(json["device"]["requests"], 1);
    assert_eq!(json["device"]["commands"]["read"], 1);
    // Options that describe the same device are as good as none; others are refused.
    let (server, ..) = start(&[&made[..], &["--read-only"]].concat());
    let mut client = Client::new(&socket);
    assert_eq!(client.ask(WRITE, 0, 1, b"x").0, 1, "not permitted");
    drop(end(server, "-TERM"));
    let other = [&["serve"], &made[..6], &["page-level"], &made[7..]].concat();
    ftlkit(&other).refused(&[
        "another device",
        "its scheme is lazy-rtgc, not page-level\n",
        "leave out the options of the device",
    ]);
    assert!(ftlkit(["image", "check", &image]).ok().contains("faults       0"));
}

#[test]
fn a_server_in_memory_listens_on_loopback_alone() {
    let (server, line, _) =
        start(&["--capacity", "8MiB", "--listen", "127.0.0.1:0", "--latency", "scaled:0.001"]);
    assert!(line.contains("page-level on evaluation-slc of 7MiB: nbd://127.0.0.1:"), "{line}");
    let address = line.trim().rsplit("//").next().unwrap();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let mut greeting = [0; 18];
    stream.read_exact(&mut greeting).unwrap();
    assert!(greeting.starts_with(b"NBDMAGIC"));
    let (code, out) = end(server, "-TERM");
    assert_eq!(code, Some(0), "{out}");
    let device =
        ["--capacity", "8MiB", "--listen", "localhost:0", "--export", "a", "--export", "b:ro"];
    let (server, line, mut said) = start(&device);
    assert!(line.contains(": nbd://127.0.0.1:") && line.trim_end().ends_with("/a"), "{line}");
    let mut next = String::new();
    said.read_line(&mut next).unwrap();
    assert_eq!(next.trim_end(), format!("{}b", line.trim_end().strip_suffix('a').unwrap()));
    let (code, out) = end(server, "-TERM");
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("0 taken = 0 completed + 0 refused\n"), "{out}");
}

#[test]
fn a_refused_start_touches_no_image_and_leaves_no_trace() {
    let scratch = Scratch::new("serve-refused");
    let (image, socket) = (scratch.at("device.img"), scratch.at("socket"));
    let trace = scratch.at("asked.csv");
    let new = ["serve", "--image", &image, "--create", "--capacity", "8MiB"];
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().to_string();
    let refused: [(&[&str], &str); 6] = [
        (&["--socket", "/nowhere/x"], "cannot listen on `/nowhere/x`"),
        (&["--socket", &socket, "--metrics", &port], "cannot listen on 127.0.0.1:"),
        (&["--socket", &socket, "--record", "/nowhere/asked.csv"], "--record /nowhere/asked.csv"),
        (&["--socket", &socket, "--faults", "bad_blocks=5"], "has 0 spare blocks"),
        (&["--socket", &socket, "--record", &trace, "--scheme", "2lgc+share=2"], "share"),
        (&["--socket", &socket, "--scheme", "page-level+placement=oracle"], "oracle"),
    ];
    for (options, said) in refused {
        ftlkit([&new[..], options].concat()).refused(&[said]);
        let left = [&image, &socket, &trace].map(|path| std::path::Path::new(path).exists());
        assert_eq!(left, [false; 3], "{options:?}");
    }
    let (server, ..) = start(&[&new[1..], &["--socket", &socket]].concat());
    end(server, "-TERM");
    let info = || ftlkit(["image", "info", &image]).ok();
    let before = info();
    for (options, said) in &refused[..4] {
        ftlkit([&["serve", "--image", &image][..], options].concat()).refused(&[said]);
    }
    ftlkit(["serve", "--image", &image, "--socket", &socket, "--seed", "9"])
        .refused(&["another device than the options describe: its seed is 1, not 9\n"]);
    assert_eq!(info(), before);
    let notes = scratch.at("notes.txt");
    std::fs::write(&notes, "precious").unwrap();
    let said = ftlkit(["serve", "--image", &notes, "--socket", &socket]);
    said.refused(&["is not a flash image: it does not begin with `ftlimage`\n"]);
    drop(other);
}

#[test]
fn a_device_on_channels_is_kept_in_its_image() {
    let scratch = Scratch::new("serve-channels");
    let (image, socket) = (scratch.at("device.img"), scratch.at("socket"));
    let board = ["--part", "mqsim-mlc", "--channels", "2", "--ways", "2", "--host-first", "3"];
    let made = ["--image", &image, "--create", "--capacity", "64MiB", "--socket", &socket];
    let (server, line, _) = start(&[&made[..], &board].concat());
    assert!(line.contains("page-level on mqsim-mlc of"), "{line}");
    let data = vec![5; 64 << 10];
    assert_eq!(Client::new(&socket).ask(WRITE, 0, data.len() as u32, &data).0, 0);
    let (code, out) = end(server, "-TERM");
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("not modelled on channels with --latency none"), "{out}");
    let info = ftlkit(["image", "info", &image]).ok();
    for kept in ["channels     2", "ways         2", "host_first   3"] {
        assert!(info.contains(kept), "{kept}:\n{info}");
    }
    let again = ["--image", &image, "--socket", &socket, "--latency", "real", "--json"];
    let (server, ..) = start(&again);
    assert_eq!(Client::new(&socket).ask(0, 0, 8 << 10, &[]).1, &data[..8 << 10]);
    let (_, out) = end(server, "-TERM");
    let device = &serde_json::from_str::<serde_json::Value>(&out).unwrap()["device"];
    // `compare` on the same SSD with one request outstanding, of one page.
    let compared = [
        "compare",
        "uniform",
        "--set",
        "write_share=0",
        "--requests",
        "100",
        "--precondition",
        "footprint",
        "--queue-depth",
        "1",
        "--capacity",
        "64MiB",
        "--json",
    ];
    let compared = ftlkit([&compared[..], &board, &["--schemes", "page-level"]].concat()).ok();
    let compared: serde_json::Value = serde_json::from_str(&compared).unwrap();
    let of_page = &compared["schemes"][0]["read_response_ns"]["p50"];
    assert_eq!(
        (&device["read_response_ns"]["max"], &device["clock"]),
        (of_page, &"channels".into())
    );
    let (server, ..) = start(&[&made[..], &board].concat());
    end(server, "-TERM");
    let other = [&["serve"][..], &made, &board[..6], &["--host-first", "4"]].concat();
    ftlkit(other).refused(&["another device", ": its host_first is 3, not 4\n"]);
}

#[test]
fn a_device_that_fails_requests_ends_with_an_error() {
    let scratch = Scratch::new("serve-failed");
    let socket = scratch.at("socket");
    let device = ["--socket", &socket, "--capacity", "8MiB", "--scheme", "page-level+spare=2"];
    let (server, _, mut said) =
        start(&[&device[..], &["--faults", "erase_failures=1000000"]].concat());
    let mut client = Client::new(&socket);
    let data = vec![1; 1 << 20];
    let errors: Vec<u32> =
        (0..12).map(|n| client.ask(WRITE, (n % 6) << 20, data.len() as u32, &data).0).collect();
    assert!(errors.contains(&28), "ENOSPC: {errors:?}");
    let (code, out) = end(server, "-TERM");
    assert_eq!(code, Some(3), "{out}");
    let mut text = String::new();
    said.read_to_string(&mut text).unwrap();
    let failed = errors.iter().filter(|error| **error > 0).count();
    assert!(
        text.contains(&format!("the device failed {failed} of 12 requests; the first: ")),
        "{text}"
    );
    assert!(out.contains(&format!("{failed} refused")), "{out}");
}

#[test]
fn an_export_names_the_stream_of_its_writes() {
    let scratch = Scratch::new("serve-streams");
    let (image, socket, trace) =
        (scratch.at("device.img"), scratch.at("socket"), scratch.at("asked.csv"));
    let scheme = "page-level+placement=stream:3";
    let made = ["--image", &image, "--create", "--capacity", "8MiB", "--scheme", scheme];
    let exports = ["--export", "disk", "--export", "logs:stream=2", "--export", "keys:stream=1"];
    let served =
        [&made[..], &exports, &["--socket", &socket, "--record", &trace, "--json"]].concat();
    let (server, ..) = start(&served);
    let mut clients = ["disk", "logs", "keys"].map(|name| Client::named(&socket, name));
    for at in 0..30 {
        // In turns, so that one would take the stream of another.
        let page = [at as u8; 2048];
        for client in &mut clients[..1 + (at < 20) as usize + (at < 10) as usize] {
            assert_eq!(client.ask(WRITE, at * 2048, 2048, &page).0, 0);
        }
    }
    let (code, out) = end(server, "-TERM");
    assert_eq!(code, Some(0), "{out}");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let handles =
        json["device"]["streams"]["handles"].as_array().unwrap_or_else(|| panic!("{out}"));
    let host_pages: Vec<_> = handles.iter().map(|handle| handle["written"].as_u64()).collect();
    assert_eq!(host_pages, [Some(30), Some(10), Some(20)]);
    let text = std::fs::read_to_string(&trace).unwrap();
    let streams = |stream: &str| text.lines().filter(|line| line.ends_with(stream)).count();
    assert_eq!([",stream", ",0", ",1", ",2"].map(streams), [1, 30, 10, 20]);
    let beyond = ["serve", "--image", &image, "--socket", &socket, "--export", "a:stream=3"];
    ftlkit(beyond).refused(&["has handles for streams 1 to 2"]);
}

#[test]
fn what_clients_ask_is_recorded_and_compared() {
    for ending in ["csv", "csv.gz", "csv.zst", "csv.xz"] {
        let scratch = Scratch::new("record");
        let (socket, trace) = (scratch.at("socket"), scratch.at(&format!("asked.{ending}")));
        let served = ["--capacity", "8MiB", "--socket", &socket, "--record", &trace];
        let (server, ..) = start(&served);
        let mut first = Client::new(&socket);
        let mut second = Client::new(&socket);
        assert_eq!(first.ask(WRITE, 1000, 5, b"hello").0, 0);
        assert_eq!(second.ask_with(FUA, WRITE, 4096, 2048, &[1; 2048]).0, 0);
        std::thread::sleep(Duration::from_millis(30));
        assert_eq!(first.ask(FLUSH, 0, 0, &[]).0, 0);
        assert_eq!(first.ask(0, 4096, 512, &[]).1, [1; 512]);
        assert_eq!(second.ask(TRIM, 4096, 2048, &[]).0, 0);
        assert_eq!(second.ask(ZEROES, 8192, 4096, &[]).0, 0);
        assert_eq!(second.ask_with(NO_HOLE, ZEROES, 8192, 4096, &[]).0, 0);
        assert_eq!(second.ask_with(FAST, ZEROES, 8192, 4096, &[]).0, 0);
        assert_eq!(second.ask_with(FAST, ZEROES, 8192, 4095, &[]).0, 95, "not of whole pages");
        assert_ne!(second.ask(WRITE, 7 << 20, 1, b"x").0, 0, "beyond the end");
        assert_eq!(end(server, "-TERM").0, Some(0));
        if ending == "csv" {
            let text = std::fs::read_to_string(&trace).unwrap();
            let flags = |end| text.lines().filter(|line| line.ends_with(end)).count();
            assert_eq!([",no_hole,fast_zero", ",1,0", ",0,1"].map(flags), [1, 1, 1], "{text}");
        }
        // The fields of each request, arrivals apart.
        let plain = scratch.at("plain.csv");
        ftlkit(["trace", "convert", &trace, &plain]).ok();
        let text = std::fs::read_to_string(&plain).unwrap();
        let mut lines = text.lines();
        assert_eq!(
            lines.next(),
            Some("arrival_ns,device,op,fua,offset_bytes,length_bytes,response_ns,stream")
        );
        let (mut arrivals, mut asked) = (Vec::new(), Vec::new());
        for line in lines {
            let (arrival, rest) = line.split_once(',').unwrap();
            arrivals.push(arrival.parse::<u64>().unwrap());
            asked.push(rest);
        }
        let wanted = [
            "0,write,0,1000,5,,0",
            "0,write,1,4096,2048,,0",
            "0,flush,0,0,0,,0",
            "0,read,0,4096,512,,0",
            "0,trim,0,4096,2048,,0",
            "0,write-zeroes-deallocate,0,8192,4096,,0",
            "0,write-zeroes,0,8192,4096,,0",
            "0,write-zeroes-deallocate,0,8192,4096,,0",
        ];
        assert_eq!(asked, wanted, "{ending}");
        assert!(arrivals.is_sorted(), "{arrivals:?}");
        assert!(arrivals[2] - arrivals[1] >= 30_000_000, "{arrivals:?}");
        let report = ftlkit(["compare", &trace, "--schemes", "page-level", "--json", "-q"]).json();
        assert_eq!(report["schemes"][0]["requests"], 8);
        // No trace is written over.
        ftlkit([&["serve"], &served[..]].concat()).refused(&["there is such a file"]);
    }
}

/// Writes, zeros of each kind, trims, flushes and reads, most of whole pages: deterministic, of some 3 MiB.
fn ask_of_all_kinds(client: &mut Client, bytes: u64) {
    let mut draw = 1_u64;
    let mut next = |below: u64| {
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (draw >> 33) % below
    };
    for _ in 0..1500 {
        let unit = [2048, 2048, 2048, 512][next(4) as usize];
        let offset = next(bytes / 2 / unit) * unit;
        let length = (1 + next(3)) as u32 * unit as u32;
        let fua = u8::from(next(8) == 0);
        let (command, flags) = match next(20) {
            0..9 => (WRITE, fua),
            9..12 => (ZEROES, NO_HOLE | fua),
            12..14 => (ZEROES, fua),
            14..16 => (TRIM, fua),
            16 => (FLUSH, 0),
            _ => (0, 0),
        };
        let data = vec![7; if command == WRITE { length as usize } else { 0 }];
        let (offset, length) = if command == FLUSH { (0, 0) } else { (offset, length) };
        assert_eq!(client.ask_with(flags, command, offset, length, &data).0, 0);
    }
}

/// The figures that a device and `compare` on its recording have in common.
const SHARED: [&str; 9] = [
    "waf",
    "counts",
    "copies",
    "erases",
    "read_tasks",
    "write_tasks",
    "trim_tasks",
    "partial_pages",
    "waf_by_cause",
];

#[test]
fn compare_on_a_recording_does_what_the_device_did() {
    let settings = [
        "page-level+buffer=lru+buffer_size=64KiB",
        "bast+buffer=bplru+buffer_size=256KiB",
        "fsr+placement=sepbit",
    ];
    let plain = ftl::registry::REGISTRY.iter().map(|preset| preset.name);
    let schemes: Vec<&str> = plain.chain(settings).collect();
    let mut differing = Vec::new();
    for kept in [false, true] {
        for &scheme in &schemes {
            let scratch = Scratch::new("as-recorded");
            let (socket, trace) = (scratch.at("socket"), scratch.at("asked.csv"));
            let image = scratch.at("device.img");
            let device = ["--capacity", "4MiB", "--scheme", scheme, "--share", "0.5"];
            let served = [&device[..], &["--socket", &socket, "--record", &trace, "--json"]];
            let on_image = ["--image", &image, "--create"];
            let served = [&served.concat()[..], if kept { &on_image } else { &[] }].concat();
            let (server, line, _) = start(&served);
            assert!(line.contains(" of "), "{scheme}: {line}");
            ask_of_all_kinds(&mut Client::new(&socket), 2 << 20);
            let (code, out) = end(server, "-TERM");
            assert_eq!(code, Some(0), "{out}");
            let served = &serde_json::from_str::<serde_json::Value>(&out).unwrap()["device"];
            // With an image zeros are programmed; what is in memory alone deallocates where the client allows it.
            let text = std::fs::read_to_string(&trace).unwrap();
            assert_eq!(text.contains("write-zeroes-deallocate"), !kept);
            let replay = ["--closed", "--addresses", "exact", "--precondition", "none"];
            let compared = ["compare", &trace, "--schemes", scheme, "--json", "-q"];
            let compared = ftlkit([&compared[..], &replay, &device[..2], &device[4..]].concat());
            let compared = &compared.json()["schemes"][0];
            for figure in SHARED.iter().filter(|figure| served[**figure] != compared[**figure]) {
                let [served, compared] = [served, compared].map(|of| &of[*figure]);
                differing.push(format!("{scheme}, image {kept}: {figure}: {served} {compared}"));
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn a_terminal_does_not_obey_what_an_image_says() {
    let scratch = Scratch::new("obeyed");
    let image = scratch.at("device.img");
    let made = ["--image", &image, "--create", "--capacity", "8MiB", "--socket"];
    let (server, ..) = start(&[&made[..], &[&scratch.at("socket")]].concat());
    end(server, "-TERM");
    let made = std::fs::read(&image).unwrap();
    let length = u32::from_le_bytes(made[24..28].try_into().unwrap()) as usize;
    let text = String::from_utf8(made[4096..4096 + length].to_vec()).unwrap();
    let crc = |bytes: &[u8]| {
        !bytes.iter().fold(!0_u32, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1)))
        })
    };
    // Another description, with its checksum and that of the header.
    let describe = |text: &str| {
        let mut bytes = made.clone();
        bytes[4096..4096 + length].fill(0);
        bytes[4096..4096 + text.len()].copy_from_slice(text.as_bytes());
        bytes[24..28].copy_from_slice(&(text.len() as u32).to_le_bytes());
        bytes[28..32].copy_from_slice(&crc(text.as_bytes()).to_le_bytes());
        let check = crc(&bytes[..32]).to_le_bytes();
        bytes[32..36].copy_from_slice(&check);
        // Its copy, docs/image.md.
        let again = bytes.len() - 131_072;
        bytes.copy_within(..512, again);
        bytes.copy_within(4096..65_536, again + 4096);
        std::fs::write(&image, bytes).unwrap();
    };
    let socket = scratch.at("socket");
    let serve = ["serve", "--image", &image, "--socket", &socket];
    describe(&text.replacen("evaluation-slc", "e\\u001b[2Jb\\n", 1));
    for command in [&["image", "info", &image][..], &serve] {
        ftlkit(command).refused(&["`e\\u{1b}[2Jb\\n` is not a valid part name"]);
    }
    describe(&text.replacen("\"scheme\":\"page-level\"", "\"scheme\":\"p\\u001b[2J\"", 1));
    let info = ftlkit(["image", "info", &image]).ok();
    assert!(info.contains("scheme       p\\u{1b}[2J\n") && !info.contains('\x1b'), "{info:?}");
    let refused = ftlkit(serve);
    assert!(!refused.stderr.contains('\x1b'), "{:?}", refused.stderr);
    refused.refused(&["was not made by `ftlkit serve`", "no scheme is called `p\\u{1b}[2J`"]);
}

#[test]
fn a_recorded_trace_outlives_a_kill_but_for_its_last_seconds() {
    let scratch = Scratch::new("record-kill");
    let socket = scratch.at("socket");
    for ending in ["csv", "csv.gz", "csv.zst", "csv.xz"] {
        let trace = scratch.at(&format!("asked.{ending}"));
        let (mut server, ..) =
            start(&["--capacity", "8MiB", "--socket", &socket, "--record", &trace]);
        let mut client = Client::new(&socket);
        for at in 0..3000 {
            assert_eq!(client.ask(WRITE, at * 512, 512, &[2; 512]).0, 0);
        }
        let kept = || {
            let info = ftlkit(["trace", "info", &trace, "--json"]);
            let info: serde_json::Value = serde_json::from_str(&info.stdout).unwrap_or_default();
            info["traces"][0]["counts"]["kept"].as_u64()
        };
        // It is written without another request, and without an end.
        wait_until(|| {
            std::thread::sleep(Duration::from_millis(200));
            kept() == Some(3000)
        });
        server.kill().unwrap();
        server.wait().unwrap();
        assert_eq!(kept(), Some(3000));
    }
}

/// What an HTTP server answers to these bytes.
fn http(address: &str, request: &[u8]) -> String {
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.write_all(request).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    reply
}

#[test]
fn a_server_ends_without_the_file_of_its_socket_and_leaves_what_took_its_place() {
    let scratch = Scratch::new("serve-socket-gone");
    let socket = scratch.at("a socket");
    for replaced in [false, true] {
        let (server, _, _) = start(&["--capacity", "8MiB", "--socket", &socket]);
        std::fs::remove_file(&socket).unwrap();
        if replaced {
            std::fs::write(&socket, "a file").unwrap();
        }
        let (code, out) = end(server, "-TERM");
        assert_eq!(code, Some(0), "{out}");
    }
    assert_eq!(std::fs::read_to_string(&socket).unwrap(), "a file");
    ftlkit(["serve", "--capacity", "8MiB", "--socket", &socket]).refused(&["no socket"]);
    ftlkit(
        [
            &["serve", "--capacity", "8MiB", "--socket", &socket, "--read-only"][..],
            &["--scheme", "page-level+placement=stream:3", "--export", "disk:stream=1"],
        ]
        .concat(),
    )
    .refused(&["a stream is that of writes"]);
    std::fs::remove_file(&socket).unwrap();
    let (server, _, _) = start(&["--capacity", "8MiB", "--socket", &socket]);
    ftlkit(["serve", "--capacity", "8MiB", "--socket", &socket]).refused(&["another server"]);
    let (code, out) = end(server, "-TERM");
    assert_eq!(code, Some(0), "{out}");
    assert!(!std::path::Path::new(&socket).exists());
}

#[test]
fn figures_are_told_to_prometheus_and_at_the_end() {
    let scratch = Scratch::new("serve-metrics");
    let socket = scratch.at("socket");
    let (server, _, mut said) = start(&[
        "--capacity",
        "8MiB",
        "--scheme",
        "lazy-rtgc",
        "--socket",
        &socket,
        "--metrics",
        "127.0.0.1:0",
        "--json",
    ]);
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let address = line.trim().rsplit_once("http://").expect("an address").1;
    let address = address.strip_suffix("/metrics").unwrap();
    let mut client = Client::new(&socket);
    for n in 0..10 {
        assert_eq!(client.ask(WRITE, n * 2048, 2048, &[7; 2048]).0, 0);
    }
    assert_eq!(client.ask(0, 1000, 5, &[]).1, [7; 5]);
    assert_eq!(client.ask(WRITE, 7 << 20, 1, b"x").0, 28, "beyond the end");
    let page = http(address, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    let (head, body) = page.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK") && head.contains("version=0.0.4"), "{head}");
    assert!(head.contains(&format!("Content-Length: {}", body.len())), "{head}");
    for line in [
        "ftlkit_device_info{scheme=\"lazy-rtgc\"} 1",
        "# TYPE ftlkit_requests_total counter",
        "ftlkit_requests_total{command=\"write\"} 10",
        "ftlkit_requests_refused_total{by=\"protocol\"} 1",
        "ftlkit_connections 1",
        "ftlkit_written_bytes_total 20480",
        "ftlkit_pages_programmed_total{cause=\"host\"} 10",
        "ftlkit_write_amplification 1",
        "ftlkit_page_response_seconds_count 11",
        "ftlkit_page_response_bound_seconds 0.0022209",
        "ftlkit_bound_violations_total 0",
    ] {
        assert!(body.lines().any(|found| found == line), "`{line}` is not in\n{body}");
    }
    assert!(http(address, b"GET /other HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404 "));
    assert!(http(address, b"POST /metrics HTTP/1.1\r\n\r\n").contains("Allow: GET"));
    assert!(http(address, &[b"nonsense\r\n\r\n", &[0xff; 9][..]].concat()).contains(" 400 "));
    // Clients that send anything, and leave.
    let mut random = 1_u64;
    for n in 0..300_usize {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let bytes: Vec<u8> = (0..n * 40)
            .map(|_| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (random >> 56) as u8
            })
            .collect();
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
    assert!(http(address, b"GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 OK"));
    let (code, out) = end(server, "-TERM");
    assert_eq!(code, Some(0), "{out}");
    let json: serde_json::Value = serde_json::from_str(&out).expect("one JSON object");
    let device = &json["device"];
    // The keys of a scheme in `compare --json`, with what they mean there.
    let compared = words("compare hot-cold --capacity 8MiB --schemes lazy-rtgc --json").ok();
    let compared: serde_json::Value = serde_json::from_str(&compared).unwrap();
    let scheme = compared["schemes"][0].as_object().expect("a scheme");
    let own = [
        "commands",
        "idle_steps",
        "bytes_read",
        "bytes_written",
        "pages_programmed",
        "free_pages",
        "bad_blocks",
        "faults",
        "clock",
    ];
    let device_figures = device.as_object().expect("an object");
    assert_eq!(device_figures.len(), 40, "{device}");
    for (key, value) in device_figures {
        assert!(own.contains(&&**key) || scheme.contains_key(key), "{key}");
        if let Some(other) = scheme.get(key) {
            let kind = |value: &serde_json::Value| std::mem::discriminant(value);
            assert_eq!(kind(value), kind(other), "{key}: {value} {other}");
        }
    }
    assert_eq!((&device["name"], &device["tasks"]), (&"lazy-rtgc".into(), &11.into()));
    assert_eq!(device["bound_ns"], scheme["bound_ns"]);
    assert_eq!((&device["requests_taken"], &device["requests_refused"]), (&12.into(), &1.into()));
}

#[test]
fn exports_have_names_and_may_be_read_only() {
    let scratch = Scratch::new("serve-exports");
    let socket = scratch.at("socket");
    let device = ["--socket", &socket, "--capacity", "8MiB"];
    let (server, ..) = start(&[&device[..], &["--export", "disk", "--export", "look:ro"]].concat());
    assert_eq!(Client::named(&socket, "disk").ask(WRITE, 0, 3, b"abc").0, 0);
    let mut look = Client::named(&socket, "look");
    assert_eq!(look.ask(0, 0, 3, &[]).1, b"abc");
    assert_eq!(look.ask(WRITE, 0, 3, b"xyz").0, 1, "not permitted");
    assert_eq!(Client::new(&socket).ask(WRITE, 0, 1, b"A").0, 0, "the first stands for no name");
    end(server, "-TERM");
}

#[test]
fn an_injected_power_cut_ends_the_server_and_loses_nothing_that_was_flushed() {
    let scratch = Scratch::new("serve-cut");
    let (image, socket) = (scratch.at("device.img"), scratch.at("socket"));
    let device = [
        "--image",
        &image,
        "--create",
        "--capacity",
        "8MiB",
        "--scheme",
        "lazy-rtgc+spare=4",
        "--socket",
        &socket,
    ];
    let (mut written, mut tried) = ([0_u8; 64], None);
    for (n, faults) in [
        "power_cut=0",
        "power_cut=7+torn=true",
        "power_cut=40",
        "power_cut=41+torn=true+bad_blocks=0",
        "power_cut=900+torn=true+program_failures=1000+seed=3",
    ]
    .into_iter()
    .enumerate()
    {
        let (server, ..) = start(&[&device[..], &["--faults", faults]].concat());
        let mut client = Client::new(&socket);
        for (at, version) in written.iter().enumerate() {
            let found = client.ask(0, at as u64 * 2048, 2048, &[]).1;
            let may_be = |version: u8| found == [version; 2048];
            assert!(
                may_be(*version) || tried.is_some_and(|(page, tried)| page == at && may_be(tried)),
                "page {at} after {n} cuts"
            );
        }
        if let Some((page, version)) = tried.take()
            && client.ask(0, page as u64 * 2048, 1, &[]).1 == [version]
        {
            written[page] = version;
        }
        for number in 0_usize.. {
            let (page, version) = (number * 37 % 64, (number % 50 + n * 50) as u8 + 1);
            tried = Some((page, version));
            if client.ask(WRITE, page as u64 * 2048, 2048, &[version; 2048]).0 > 0 {
                break;
            }
            written[page] = version;
        }
        let mut said = server.wait_with_output().expect("it ends");
        assert_eq!(said.status.code(), Some(1));
        let out = String::from_utf8(std::mem::take(&mut said.stdout)).unwrap();
        assert!(out.contains("the power was cut"), "{out}");
    }
    let (server, ..) = start(&device);
    Client::new(&socket);
    end(server, "-TERM");
    let refused = |faults: &str, said: &[&str]| {
        ftlkit([&["serve"][..], &device, &["--faults", faults]].concat()).refused(said);
    };
    refused("power_cut=1+torn=maybe", &["torn is true or false"]);
    refused("bad_blocks=5", &["has 4 spare blocks", "add +spare=5"]);
    refused("bad_blocks=4", &["was made with block "]);
    refused("bit_errors=8", &["+ecc=BITS"]);
}

#[test]
fn clients_that_say_nothing_of_use_hold_up_nothing() {
    let scratch = Scratch::new("serve-log");
    let socket = scratch.at("socket");
    let (server, _, mut said) = start(&["--capacity", "8MiB", "--socket", &socket]);
    for _ in 0..3000 {
        let mut stream = UnixStream::connect(&socket).expect("the server listens");
        let _ = stream.write_all(&[0xff; 4]);
    }
    assert_eq!(Client::new(&socket).ask(WRITE, 0, 1, b"x").0, 0);
    let (code, out) = end(server, "-TERM");
    assert_eq!(code, Some(0), "{out}");
    // Each of them has its line, but a log is not filled.
    let mut text = String::new();
    said.read_to_string(&mut text).unwrap();
    assert!(text.contains("more lines on connections are left out"), "{text}");
    assert!(text.lines().count() < 1000, "{text}");
}

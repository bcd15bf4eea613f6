//! A server on a Unix socket, and a client that speaks the protocol byte by byte.

use crate::on_disk::{Folder, folder};
use crate::wait::{DAY, wait_until};
use flash::{Geometry, Part, parts};
use ftl::{BufferPolicy, BufferSettings, SchemeConfig, registry, registry::REGISTRY};
use ftlkit_device::image::{Description, Image, ImageArray};
use ftlkit_device::nbd::{Export, Limits, Listener, NbdError, Reply, Server, Stop, serve};
use ftlkit_device::{BlockDevice, Latency, Monitor, Summary};
use lab::ssd::SsdSetup;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use socket2::SockRef;
use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, spawn};
use std::time::{Duration, Instant};

const PAGE_BYTES: u32 = 512;

/// Limits of a server that no client meets, however busy the machine is.
pub(crate) fn patient() -> Limits {
    Limits { handshake: DAY, write: DAY, ..Limits::default() }
}

pub(crate) fn preset(name: &str) -> SchemeConfig {
    SchemeConfig::preset(registry::by_name(name).unwrap())
}

/// A server of a scheme on an image; unless said otherwise it has 40 blocks of 16 pages.
pub(crate) struct Served {
    folder: Folder,
    stop: Stop,
    server: Option<JoinHandle<Summary>>,
    log: Arc<Mutex<Vec<String>>>,
    monitor: Monitor,
    /// Requests that the device has taken.
    pub(crate) taken: Arc<AtomicU64>,
    /// The channels on which its operations overlap, if they do.
    ssd: Option<SsdSetup>,
    pub(crate) bytes: u64,
}

/// A device on any clock, which a server works.
struct Worked(BlockDevice);

impl Worked {
    fn new(array: ImageArray, config: &SchemeConfig, fresh: bool, latency: Latency) -> Self {
        let scheme = if fresh { array.format(config) } else { array.mount(config) }.unwrap();
        Self(BlockDevice::new(scheme, latency))
    }

    fn serve(
        mut self,
        ready: &Sender<u64>,
        (limits, read_only): (Limits, bool),
        listener: Listener,
        (stop, log): (&Stop, Arc<Mutex<Vec<String>>>),
        (monitor, taken): (&Monitor, &AtomicU64),
    ) -> Summary {
        let device = &mut self.0;
        ready.send(device.bytes()).unwrap();
        let export = |name: &str, read_only| Export {
            name: name.to_owned(),
            description: String::new(),
            bytes: device.bytes(),
            page_bytes: device.page_bytes() as u32,
            read_only,
            stream: 0,
            deallocates: false,
        };
        let exports = vec![export("disk", read_only), export("look", true)];
        let log = Box::new(move |line: &str| log.lock().unwrap().push(line.to_owned()));
        let server = Server { exports, limits, tls: None, log };
        let served = serve(server, vec![listener], stop, |job| {
            let left_alone = match job {
                Some(job) => device.serve(job).and_then(|violation| {
                    assert_eq!(violation, None);
                    taken.fetch_add(1, Ordering::Relaxed);
                    device.rest()
                }),
                None => device.rest(),
            };
            monitor.tell(|| device.summary());
            left_alone
        });
        served.unwrap();
        self.0.shut_down().unwrap()
    }
}

impl Served {
    fn new(config: &SchemeConfig) -> Self {
        Self::of_pages(config, PAGE_BYTES)
    }

    pub(crate) fn of_pages(config: &SchemeConfig, page_bytes: u32) -> Self {
        Self::of_shape(config, [40, 16], page_bytes)
    }

    /// A server on an image of this number of blocks, pages per block, and bytes per page.
    pub(crate) fn of_shape(config: &SchemeConfig, shape: [u32; 2], page_bytes: u32) -> Self {
        Self::on(config, shape, page_bytes, None)
    }

    /// The same, on the channels of an SSD if there is one.
    pub(crate) fn on(
        config: &SchemeConfig,
        [blocks, pages]: [u32; 2],
        page_bytes: u32,
        ssd: Option<SsdSetup>,
    ) -> Self {
        let folder = folder();
        let part = parts::by_name("evaluation-slc").unwrap().clone();
        let part = Part { page_bytes, pages_per_block: pages, ..part };
        let geometry = Geometry::new(blocks, pages, page_bytes).unwrap();
        drop(
            Image::create(
                &folder.path().join("device.img"),
                geometry,
                &Description::of_part(&part),
            )
            .unwrap(),
        );
        let mut served = Self {
            folder,
            stop: Stop::default(),
            server: None,
            log: Arc::default(),
            monitor: Monitor::default(),
            taken: Arc::default(),
            ssd,
            bytes: 0,
        };
        served.start(config, patient(), Latency::None, false);
        served
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    pub(crate) fn start(
        &mut self,
        config: &SchemeConfig,
        limits: Limits,
        latency: Latency,
        read_only: bool,
    ) {
        self.stop = Stop::default();
        let (image, config, stop) =
            (self.folder.path().join("device.img"), config.clone(), self.stop.clone());
        let listener = Listener::unix(&self.socket()).unwrap();
        let (log, monitor, taken) =
            (Arc::clone(&self.log), self.monitor.clone(), Arc::clone(&self.taken));
        taken.store(0, Ordering::Relaxed);
        let ssd = self.ssd.clone();
        let (ready, size) = std::sync::mpsc::channel();
        let server = spawn(move || {
            let image = Image::open(&image).unwrap();
            let fresh = image.starts().count == 1;
            let (setup, told) = ((limits, read_only), (&stop, log));
            let counts = (&monitor, &*taken);
            match ssd {
                None => Worked::new(ImageArray::new(&config, image), &config, fresh, latency)
                    .serve(&ready, setup, listener, told, counts),
                Some(ssd) => {
                    let array = ImageArray::on_channels(&config, image, &ssd).unwrap();
                    Worked::new(array, &config, fresh, latency)
                        .serve(&ready, setup, listener, told, counts)
                }
            }
        });
        self.server = Some(server);
        self.bytes = size.recv().unwrap();
    }

    /// The address of an export for clients.
    pub(crate) fn uri(&self, export: &str) -> String {
        format!("nbd+unix:///{export}?socket={}", self.socket().display())
    }

    /// The path of a file beside the image.
    pub(crate) fn file(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// Ends the server and starts it again, from the image.
    pub(crate) fn restart(&mut self, config: &SchemeConfig) {
        self.restarted(config);
    }

    /// The same; returns what the server did until then.
    pub(crate) fn restarted(&mut self, config: &SchemeConfig) -> Summary {
        let summary = self.stop();
        self.start(config, patient(), Latency::None, false);
        summary
    }

    /// The log so far.
    pub(crate) fn said(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }

    pub(crate) fn connections(&self) -> usize {
        self.stop.connections()
    }

    /// What the server has done so far: it has looked for background work since this was called.
    pub(crate) fn look(&self) -> Arc<Summary> {
        self.monitor.look(DAY).expect("the server goes on")
    }

    pub(crate) fn stop(&mut self) -> Summary {
        self.stop.stop();
        self.server.take().unwrap().join().unwrap()
    }
}

/// A client, with structured replies or without.
pub(crate) struct Client {
    stream: UnixStream,
    structured: bool,
    cookie: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Done,
    Bytes(Vec<u8>),
    Extents(Vec<(u32, u32)>),
    Error(u32),
}

fn option(stream: &mut UnixStream, option: u32, data: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let head = [&b"IHAVEOPT"[..], &option.to_be_bytes(), &(data.len() as u32).to_be_bytes(), data];
    stream.write_all(&head.concat()).unwrap();
    let mut replies = Vec::new();
    loop {
        let mut head = [0; 20];
        stream.read_exact(&mut head).unwrap();
        let word = |at: usize| u32::from_be_bytes(head[at..at + 4].try_into().unwrap());
        let mut data = vec![0; word(16) as usize];
        stream.read_exact(&mut data).unwrap();
        replies.push((word(12), data));
        if word(12) == 1 || word(12) >> 31 == 1 {
            return replies;
        }
    }
}

pub(crate) fn greet(socket: &Path) -> UnixStream {
    let mut stream = UnixStream::connect(socket).unwrap();
    let mut greeting = [0; 18];
    stream.read_exact(&mut greeting).unwrap();
    assert_eq!(&greeting, b"NBDMAGICIHAVEOPT\0\x03");
    stream.write_all(&3_u32.to_be_bytes()).unwrap();
    stream
}

impl Client {
    pub(crate) fn new(socket: &Path, export: &str, structured: bool) -> Self {
        let mut stream = greet(socket);
        let name = [&(export.len() as u32).to_be_bytes()[..], export.as_bytes()].concat();
        if structured {
            assert_eq!(option(&mut stream, 8, &[])[0].0, 1);
            let query =
                [&name[..], &1_u32.to_be_bytes(), &15_u32.to_be_bytes(), b"base:allocation"];
            assert_eq!(option(&mut stream, 10, &query.concat()).len(), 2);
        }
        let replies = option(&mut stream, 7, &[&name[..], &[0, 0]].concat());
        assert_eq!(replies.last().unwrap().0, 1);
        Self { stream, structured, cookie: 0 }
    }

    pub(crate) fn send(
        &mut self,
        flags: u16,
        command: u16,
        offset: u64,
        length: u32,
        data: &[u8],
    ) -> u64 {
        self.try_send(flags, command, offset, length, data).unwrap()
    }

    fn try_send(
        &mut self,
        flags: u16,
        command: u16,
        offset: u64,
        length: u32,
        data: &[u8],
    ) -> io::Result<u64> {
        self.cookie += 1;
        let head = [
            &0x2560_9513_u32.to_be_bytes()[..],
            &flags.to_be_bytes(),
            &command.to_be_bytes(),
            &self.cookie.to_be_bytes(),
            &offset.to_be_bytes(),
            &length.to_be_bytes(),
            data,
        ];
        self.stream.write_all(&head.concat())?;
        Ok(self.cookie)
    }

    /// Sends the same request many times, all in one.
    pub(crate) fn send_many(&mut self, times: usize, command: u16, offset: u64, length: u32) {
        let head = [&0x2560_9513_u32.to_be_bytes()[..], &[0, 0], &command.to_be_bytes(), &[7; 8]];
        let request = [&head.concat()[..], &offset.to_be_bytes(), &length.to_be_bytes()].concat();
        self.stream.write_all(&request.repeat(times)).unwrap();
    }

    pub(crate) fn says_no_more(&self) {
        self.stream.shutdown(std::net::Shutdown::Write).unwrap();
    }

    /// The next reply and its cookie; `read`: bytes of a read, whose simple reply carries them.
    pub(crate) fn receive(&mut self, read: u32) -> (u64, Answer) {
        self.try_receive(read).unwrap()
    }

    fn try_receive(&mut self, read: u32) -> io::Result<(u64, Answer)> {
        let mut head = vec![0; if self.structured { 20 } else { 16 }];
        self.stream.read_exact(&mut head)?;
        let word = |at: usize| u32::from_be_bytes(head[at..at + 4].try_into().unwrap());
        let cookie = u64::from_be_bytes(head[8..16].try_into().unwrap());
        if !self.structured {
            assert_eq!(word(0), 0x6744_6698);
            if word(4) > 0 {
                return Ok((cookie, Answer::Error(word(4))));
            }
            let mut data = vec![0; read as usize];
            self.stream.read_exact(&mut data)?;
            return Ok((cookie, if read > 0 { Answer::Bytes(data) } else { Answer::Done }));
        }
        assert_eq!((word(0), word(4) >> 16), (0x668e_33ef, 1), "one chunk, the last");
        let mut data = vec![0; word(16) as usize];
        self.stream.read_exact(&mut data)?;
        let at = |at: usize| u32::from_be_bytes(data[at..at + 4].try_into().unwrap());
        let answer = match word(4) & 0xffff {
            0 => Answer::Done,
            1 => Answer::Bytes(data[8..].to_vec()),
            5 => Answer::Extents((4..data.len()).step_by(8).map(|n| (at(n), at(n + 4))).collect()),
            0x8001 => Answer::Error(at(0)),
            kind => panic!("chunk {kind}"),
        };
        Ok((cookie, answer))
    }

    pub(crate) fn ask(
        &mut self,
        flags: u16,
        command: u16,
        offset: u64,
        length: u32,
        data: &[u8],
    ) -> Answer {
        self.try_ask(flags, command, offset, length, data).unwrap()
    }

    /// As [`Client::ask`]; an error is that of a connection that ended.
    pub(crate) fn try_ask(
        &mut self,
        flags: u16,
        command: u16,
        offset: u64,
        length: u32,
        data: &[u8],
    ) -> io::Result<Answer> {
        let cookie = self.try_send(flags, command, offset, length, data)?;
        let (answered, answer) = self.try_receive(if command == 0 { length } else { 0 })?;
        assert_eq!(answered, cookie);
        Ok(answer)
    }

    pub(crate) fn bytes(&mut self, offset: u64, length: usize) -> Vec<u8> {
        match self.ask(0, 0, offset, length as u32, &[]) {
            Answer::Bytes(bytes) => bytes,
            answer => panic!("{answer:?}"),
        }
    }
}

/// Random requests of any offset and length, against a model of bytes. Trimmed bytes read as before or as zeros; `None`.
pub(crate) fn random_requests(
    client: &mut Client,
    model: &mut [Option<u8>],
    random: &mut Pcg64,
    requests: u32,
) {
    let page = u64::from(PAGE_BYTES);
    for _ in 0..requests {
        let longest = if random.random_bool(0.2) { 9000 } else { 700 };
        let length = random.random_range(1..longest.min(model.len()));
        let offset = random.random_range(0..=model.len() - length);
        let range = offset..offset + length;
        let fua = u16::from(random.random_bool(0.2));
        let (at, bytes) = (offset as u64, length as u32);
        match random.random_range(0..10) {
            0..4 => {
                let mut data = vec![0; length];
                random.fill(&mut data[..]);
                assert_eq!(client.ask(fua, 1, at, bytes, &data), Answer::Done);
                model[range].iter_mut().zip(data).for_each(|(byte, new)| *byte = Some(new));
            }
            4..7 => {
                let found = client.bytes(at, length);
                for (n, (found, expected)) in found.iter().zip(&model[range]).enumerate() {
                    assert!(expected.is_none_or(|byte| byte == *found), "byte {}", offset + n);
                }
            }
            7 => {
                assert_eq!(client.ask(fua, 6, at, bytes, &[]), Answer::Done);
                model[range].fill(Some(0));
            }
            8 => {
                assert_eq!(client.ask(fua, 4, at, bytes, &[]), Answer::Done);
                // Whole pages alone are trimmed; after a mount they may read as before.
                let whole = at.div_ceil(page) * page..(at + u64::from(bytes)) / page * page;
                if whole.start < whole.end {
                    assert!(
                        client
                            .bytes(whole.start, (whole.end - whole.start) as usize)
                            .iter()
                            .all(|byte| *byte == 0)
                    );
                    model[whole.start as usize..whole.end as usize].fill(None);
                }
            }
            _ => assert_eq!(client.ask(0, 3, 0, 0, &[]), Answer::Done),
        }
    }
}

#[test]
fn every_scheme_keeps_every_byte_through_the_protocol() {
    for (seed, preset) in (0..).zip(REGISTRY) {
        let config = SchemeConfig::preset(preset);
        let mut random = Pcg64::seed_from_u64(seed);
        let mut served = Served::new(&config);
        let mut model = vec![Some(0); served.bytes as usize];
        for round in 0..3 {
            let structured = (round + seed) % 2 == 0;
            let mut client = Client::new(&served.socket(), "disk", structured);
            let found = client.bytes(0, model.len());
            for (at, (found, expected)) in found.iter().zip(&model).enumerate() {
                assert!(expected.is_none_or(|byte| byte == *found), "{}: byte {at}", preset.name);
            }
            random_requests(&mut client, &mut model, &mut random, 150);
            client.ask(0, 3, 0, 0, &[]);
            let summary = served.stop();
            assert_eq!(summary.run.requests_refused, 0);
            assert!(
                summary.run.requests_taken >= 150 && summary.run.waf.is_some_and(|waf| waf > 0.2),
                "{summary:?}"
            );
            assert!(summary.run.partial_pages > 20);
            drop(client);
            served.start(&config, patient(), Latency::None, false);
        }
        served.stop();
    }
}

#[test]
fn a_buffer_is_flushed_when_the_client_asks_and_at_the_end() {
    let buffer = BufferSettings {
        policy: Some(Some(BufferPolicy::LRU)),
        bytes: Some(8 << 10),
        ..BufferSettings::default()
    };
    let config = SchemeConfig { buffer, ..preset("page-level") };
    let mut served = Served::new(&config);
    let mut client = Client::new(&served.socket(), "disk", true);
    let image = std::fs::read(served.folder.path().join("device.img")).unwrap();
    assert_eq!(client.ask(0, 1, 0, 512, &[1; 512]), Answer::Done);
    let page_is_on_flash =
        |served: &Served| std::fs::read(served.folder.path().join("device.img")).unwrap() != image;
    assert!(!page_is_on_flash(&served), "it is in the buffer");
    assert_eq!(client.ask(0, 3, 0, 0, &[]), Answer::Done);
    assert!(page_is_on_flash(&served));
    assert_eq!(client.ask(1, 1, 512, 512, &[2; 512]), Answer::Done);
    assert_eq!(client.ask(0, 1, 1024, 512, &[3; 512]), Answer::Done);
    served.stop();
    served.start(&config, patient(), Latency::None, false);
    let mut client = Client::new(&served.socket(), "", false);
    assert_eq!(client.bytes(511, 514), [&[1][..], &[2; 512], &[3]].concat());
}

#[test]
fn requests_that_break_a_rule_are_refused_and_the_connection_goes_on() {
    let mut served = Served::new(&preset("page-level"));
    let size = served.bytes;
    for structured in [false, true] {
        let mut client = Client::new(&served.socket(), "disk", structured);
        assert_eq!(client.ask(0, 0, size, 1, &[]), Answer::Error(22));
        assert_eq!(client.ask(0, 1, size - 1, 2, &[1; 2]), Answer::Error(28));
        assert_eq!(client.ask(0, 8, 2 * size, 0, &[]), Answer::Error(22), "a resize");
        assert_eq!(client.ask(16, 6, 0, 512, &[]), Answer::Error(95), "fast zero");
        assert_eq!(client.ask(0x8000, 3, 0, 0, &[]), Answer::Error(22));
        assert_eq!(client.bytes(size - 1, 1), [0]);
        let mut look = Client::new(&served.socket(), "look", structured);
        assert_eq!(look.ask(0, 1, 0, 2, &[1; 2]), Answer::Error(1));
        assert_eq!(look.ask(0, 4, 0, 2, &[]), Answer::Error(1));
        assert_eq!(look.bytes(0, 2), [0, 0]);
    }
    assert_eq!(served.stop.refused(), 2 * 7);
    let summary = served.stop();
    assert_eq!((summary.run.requests_taken, summary.run.requests), (4, 4));
    // What nobody can read on from ends the connection, with a line in the log.
    served.start(&preset("page-level"), patient(), Latency::None, false);
    let mut client = Client::new(&served.socket(), "disk", false);
    client.send(0, 1, 0, (32 << 20) + 1, &[]);
    assert_eq!(client.stream.read(&mut [0]).unwrap(), 0);
    let mut client = Client::new(&served.socket(), "disk", false);
    client.stream.write_all(&[9; 28]).unwrap();
    assert_eq!(client.stream.read(&mut [0]).unwrap(), 0);
    served.stop();
    let log = served.log.lock().unwrap().join("\n");
    assert!(log.contains("more than 32 MiB") && log.contains("without its magic number"), "{log}");
}

#[test]
fn allocation_is_told_page_by_page() {
    let served = Served::new(&preset("page-level"));
    let mut client = Client::new(&served.socket(), "disk", true);
    client.ask(0, 1, 1024, 600, &[1; 600]);
    let extents =
        |client: &mut Client, flags, offset, length| client.ask(flags, 7, offset, length, &[]);
    let expected = Answer::Extents(vec![(1024, 3), (1024, 0), (952, 3)]);
    assert_eq!(extents(&mut client, 0, 0, 3000), expected);
    assert_eq!(extents(&mut client, 8, 100, 3000), Answer::Extents(vec![(924, 3)]));
    client.ask(0, 4, 1024, 512, &[]);
    assert_eq!(extents(&mut client, 0, 1000, 1000), Answer::Extents(vec![(536, 3), (464, 0)]));
    // No scheme reads a page for it, whatever its map is.
    for preset in REGISTRY {
        let mut served = Served::new(&SchemeConfig::preset(preset));
        let mut client = Client::new(&served.socket(), "disk", true);
        client.ask(0, 1, 1024, 1024, &[1; 1024]);
        client.ask(0, 4, 1024, 512, &[]);
        let before = served.look();
        let expected = Answer::Extents(vec![(1536, 3), (512, 0), (952, 3)]);
        assert_eq!(extents(&mut client, 0, 0, 3000), expected, "{}", preset.name);
        let after = served.look();
        let of = |of: &Summary| {
            (of.run.read_tasks, of.run.response_ns.mean, of.commands["block-status"])
        };
        assert_eq!(of(&after), (0, before.run.response_ns.mean, 1), "{}", preset.name);
        let reads = |of: &Summary| of.run.counts.iter().map(|of| of.reads).sum::<u64>();
        assert_eq!(reads(&after), reads(&before), "{}", preset.name);
        served.stop();
    }
}

#[test]
fn clients_are_limited() {
    let mut served = Served::new(&preset("page-level"));
    served.stop();
    // A handshake that does not end is ended, even if bytes keep coming.
    let handshake = Duration::from_millis(300);
    served.start(&preset("page-level"), Limits { handshake, ..patient() }, Latency::None, false);
    let started = Instant::now();
    let mut slow = greet(&served.socket());
    slow.write_all(b"IHAVEOPT\0\0\0\x08\0\0\x10\0").unwrap();
    wait_until(|| slow.write_all(&[0]).is_err());
    assert!(started.elapsed() >= handshake, "{:?}", started.elapsed());
    wait_until(|| served.connections() == 0);
    served.stop();
    let limits = Limits { connections: 2, requests: 4, ..patient() };
    served.start(&preset("page-level"), limits, Latency::None, false);
    let mut first = Client::new(&served.socket(), "disk", false);
    let mut second = Client::new(&served.socket(), "disk", true);
    let mut third = UnixStream::connect(served.socket()).unwrap();
    assert_eq!(third.read(&mut [0; 18]).unwrap(), 0, "too many connections");
    // Several connections see each other's writes, and one may have more requests outstanding than the limit.
    assert_eq!(second.ask(0, 1, 0, 3, b"abc"), Answer::Done);
    let cookies: Vec<u64> = (0..100).map(|_| first.send(0, 0, 0, 3, &[])).collect();
    for cookie in cookies {
        assert_eq!(first.receive(3), (cookie, Answer::Bytes(b"abc".to_vec())));
    }
    drop(first);
    wait_until(|| served.connections() == 1);
    assert_eq!(Client::new(&served.socket(), "look", false).bytes(1, 2), b"bc");
    served.stop();
    let log = served.log.lock().unwrap().join("\n");
    assert!(log.contains("too many connections") && log.contains("ended early"), "{log}");
}

#[test]
fn a_stop_completes_what_was_read_and_removes_the_socket() {
    let mut served = Served::new(&preset("lazy-rtgc"));
    let mut client = Client::new(&served.socket(), "disk", false);
    for n in 0..50_u64 {
        client.send(0, 1, n * 512, 512, &[n as u8 + 1; 512]);
    }
    // The first reply shows that the server is at work; the rest it has read, or not.
    assert_eq!(client.receive(0).1, Answer::Done);
    let summary = served.stop();
    let mut replied = 1;
    let mut head = [0; 16];
    while client.stream.read_exact(&mut head).is_ok() {
        replied += 1;
    }
    assert_eq!(summary.run.requests, replied, "every request taken has its reply");
    assert!(!served.socket().exists());
    assert!(Image::inspect(&served.folder.path().join("device.img")).unwrap().starts().clean);
    served.start(&preset("lazy-rtgc"), patient(), Latency::None, false);
    let mut client = Client::new(&served.socket(), "disk", false);
    for n in 0..replied {
        assert_eq!(client.bytes(n * 512, 1), [n as u8 + 1]);
    }
}

#[test]
fn replies_come_when_the_modelled_part_would_give_them() {
    let mut served = Served::new(&preset("page-level"));
    served.stop();
    served.start(&preset("page-level"), patient(), Latency::Scaled(10_000), false);
    let mut client = Client::new(&served.socket(), "disk", false);
    // Ten times 220.9 µs, the tPROG of the part, for each page.
    let least = Duration::from_micros(2209);
    let started = Instant::now();
    client.ask(0, 1, 0, 512, &[1; 512]);
    assert!(started.elapsed() >= least, "{:?}", started.elapsed());
    let started = Instant::now();
    let cookies: Vec<u64> = (0..20).map(|n| client.send(0, 1, n * 512, 512, &[1; 512])).collect();
    for (n, cookie) in (1..).zip(cookies) {
        assert_eq!(client.receive(0), (cookie, Answer::Done));
        assert!(started.elapsed() >= least * n, "reply {n} after {:?}", started.elapsed());
    }
    drop(client);
    let summary = served.stop();
    assert_eq!(summary.run.request_response_ns.max, 220_900);
}

#[test]
fn an_error_of_the_device_ends_the_server_and_every_request_has_an_answer() {
    let folder = folder();
    let socket = folder.path().join("socket");
    let listener = Listener::unix(&socket).unwrap();
    let stop = Stop::default();
    let (all_sent, sent) = std::sync::mpsc::channel();
    let server = spawn(move || {
        let export = Export {
            name: String::new(),
            description: String::new(),
            bytes: 1 << 20,
            page_bytes: 512,
            read_only: false,
            stream: 0,
            deallocates: false,
        };
        let server =
            Server { exports: vec![export], limits: patient(), tls: None, log: Box::new(|_| ()) };
        let mut jobs = 0;
        serve(server, vec![listener], &stop, |job| {
            let Some(job) = job else { return Ok(None) };
            jobs += 1;
            if jobs < 5 {
                job.reply.send(Reply::Done);
                return Ok(None);
            }
            // By then the client has sent more than may be outstanding.
            sent.recv().unwrap();
            job.reply.send(Reply::Failed(NbdError::Io, "full".into()));
            Err("the disk is full")
        })
    });
    let mut client = Client::new(&socket, "", false);
    for _ in 0..400 {
        client.send(0, 3, 0, 0, &[]);
    }
    all_sent.send(()).unwrap();
    let (mut done, mut refused) = (0, 0);
    let mut head = [0; 16];
    while client.stream.read_exact(&mut head).is_ok() {
        match u32::from_be_bytes(head[4..8].try_into().unwrap()) {
            0 => done += 1,
            5 => assert_eq!(done, 4),
            108 => refused += 1,
            error => panic!("{error}"),
        }
    }
    assert_eq!((done, refused), (4, 395));
    assert_eq!(server.join().unwrap(), Err("the disk is full"));
    assert!(!socket.exists());
}

#[test]
fn a_client_that_reads_late_gets_every_reply_whole() {
    let mut served = Served::of_pages(&preset("page-level"), 4096);
    let mut client = Client::new(&served.socket(), "disk", false);
    let data: Vec<u8> = (0..1_000_000_u32).map(|n| (n / 3) as u8).collect();
    assert_eq!(client.ask(0, 1, 50, 1_000_000, &data), Answer::Done);
    // More than a socket takes at once: alone, and before others that wait behind it.
    for others in [0, 3, 40] {
        let cookie = client.send(0, 0, 50, 1_000_000, &[]);
        let cookies: Vec<u64> = (0..others).map(|n| client.send(0, 0, 50 + n, 9, &[])).collect();
        // Until much of it waits there.
        let mut waiting = vec![MaybeUninit::uninit(); 1 << 16];
        let stream = SockRef::from(&client.stream);
        wait_until(|| stream.peek(&mut waiting).unwrap() == waiting.len());
        assert!(client.receive(1_000_000) == (cookie, Answer::Bytes(data.clone())));
        for (n, cookie) in cookies.into_iter().enumerate() {
            assert_eq!(client.receive(9), (cookie, Answer::Bytes(data[n..n + 9].to_vec())));
        }
    }
    drop(client);
    served.stop();
}

//! The protocol's parsers as pure functions of bytes: options, requests, and anything else.

use crate::on_disk::folder;
use ftlkit_device::nbd::{
    Admitted, Command, Encryption, Export, Handshake, Listener, MAX_REQUEST_BYTES, NbdError,
    Request, Session, Step, admit,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::sync::Arc;

const GO: u32 = 7;

fn export(name: &str, read_only: bool) -> Export {
    let (name, description) = (name.to_owned(), "a scheme".to_owned());
    let (page_bytes, stream, deallocates) = (2048, 0, false);
    Export { name, description, bytes: 1 << 20, page_bytes, read_only, stream, deallocates }
}

fn handshake() -> Handshake {
    let exports: Arc<[Export]> = Arc::new([export("disk", false), export("look", true)]);
    Handshake::new(exports, 3).expect("a fixed newstyle client")
}

/// A name, and what follows it.
fn named(name: &str, rest: &[u8]) -> Vec<u8> {
    [&(name.len() as u32).to_be_bytes()[..], name.as_bytes(), rest].concat()
}

/// Types of the replies in these bytes, which must be whole replies to the option.
fn replies(option: u32, mut bytes: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let mut replies = Vec::new();
    while !bytes.is_empty() {
        let word = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(bytes[..8], 0x3_e889_0455_65a9_u64.to_be_bytes());
        assert_eq!(word(8), option);
        let end = 20 + word(16) as usize;
        replies.push((word(12), bytes[20..end].to_vec()));
        bytes = &bytes[end..];
    }
    replies
}

fn kinds(option: u32, step: &Step) -> Vec<u32> {
    let (Step::Reply(bytes) | Step::Start(bytes, _) | Step::Encrypt(bytes) | Step::End(bytes)) =
        step;
    replies(option, bytes).into_iter().map(|(kind, _)| kind).collect()
}

const ERR_POLICY: u32 = 1 << 31 | 2;
const ERR_INVALID: u32 = 1 << 31 | 3;
const ERR_UNKNOWN: u32 = 1 << 31 | 6;

const ERR_TLS_REQD: u32 = 1 << 31 | 5;

#[test]
fn encryption_comes_first_where_it_is_required_and_forgets_what_was_said() {
    let go = named("disk", &[0, 0]);
    let mut state = handshake().encrypted(Encryption::Required);
    for option in [3, 6, GO, 8, 9, 10, 99] {
        assert_eq!(kinds(option, &state.option(option, &go)), [ERR_TLS_REQD], "{option}");
    }
    assert_eq!(state.option(1, b"disk"), Step::End(Vec::new()), "no reply tells why");
    assert!(matches!(state.option(2, &[]), Step::End(bytes) if !bytes.is_empty()));
    assert!(matches!(state.option(5, b"x"), Step::Reply(_)), "it has no data");
    assert!(matches!(state.option(5, &[]), Step::Encrypt(bytes) if replies(5, &bytes)[0].0 == 1));
    assert_eq!(kinds(5, &state.option(5, &[])), [ERR_INVALID], "it is there");
    assert!(matches!(state.option(GO, &go), Step::Start(..)));
    let mut state = handshake().encrypted(Encryption::Offered);
    assert_eq!(kinds(8, &state.option(8, &[])), [1]);
    assert!(matches!(state.option(5, &[]), Step::Encrypt(_)));
    let Step::Start(_, session) = state.option(GO, &go) else { panic!() };
    assert!(!session.structured, "somebody else may have asked for structured replies");
    let mut state = handshake().encrypted(Encryption::Offered);
    assert!(matches!(state.option(GO, &go), Step::Start(..)));
}

#[test]
fn options_are_answered_as_the_protocol_says() {
    let mut state = handshake();
    // The first export stands for no name. Info: export and block sizes, then those that were asked for.
    let step = state.option(GO, &named("", &[0, 2, 0, 1, 0, 2]));
    assert_eq!(kinds(GO, &step), [3, 3, 3, 3, 1]);
    let Step::Start(bytes, session) = step else { panic!("{step:?}") };
    assert_eq!(session, Session::default());
    let infos = replies(GO, &bytes);
    assert_eq!(infos[0].1, [&[0, 0][..], &(1_u64 << 20).to_be_bytes(), &[0x09, 0xed]].concat());
    assert_eq!(infos[1].1, b"\0\x01disk");
    assert_eq!(infos[2].1, b"\0\x02a scheme");
    assert_eq!(
        infos[3].1,
        [
            &[0, 3][..],
            &1_u32.to_be_bytes(),
            &2048_u32.to_be_bytes(),
            &MAX_REQUEST_BYTES.to_be_bytes()
        ]
        .concat()
    );
    // A read-only export takes no change.
    let Step::Reply(bytes) = state.option(6, &named("look", &[0, 0])) else { panic!() };
    assert_eq!(replies(6, &bytes)[0].1[10..], [0x01, 0x87]);
    let unknown = state.option(GO, &named("none", &[0, 0]));
    assert!(matches!(unknown, Step::Reply(_)) && kinds(GO, &unknown) == [ERR_UNKNOWN]);
    // The list, and the way out.
    let Step::Reply(list) = state.option(3, &[]) else { panic!() };
    let list = replies(3, &list);
    assert_eq!(list[0], (2, named("disk", &[])));
    assert_eq!((list[1].0, list[2].0), (2, 1));
    let end = state.option(2, &[]);
    assert!(matches!(end, Step::End(_)) && kinds(2, &end) == [1]);
    // What is not there: TLS, extended headers.
    assert_eq!(kinds(5, &state.option(5, &[])), [ERR_POLICY]);
    assert_eq!(kinds(11, &state.option(11, &[])), [1 << 31 | 1]);
    // The oldest option has no head. It ends the connection if there is no such export.
    let Step::Start(bytes, session) = state.option(1, b"look") else { panic!() };
    assert_eq!((bytes.len(), session.export), (10, 1));
    assert_eq!(state.option(1, b"none"), Step::End(Vec::new()));
    let mut old = Handshake::new(Arc::new([export("", false)]), 1).unwrap();
    let Step::Start(bytes, _) = old.option(1, b"") else { panic!() };
    assert_eq!(bytes.len(), 10 + 124, "zeros for a client that did not refuse them");
    assert!(Handshake::new(Arc::new([]), 0).is_none(), "not fixed newstyle");
    assert!(Handshake::new(Arc::new([]), 7).is_none(), "a flag that nobody knows");
}

#[test]
fn allocation_is_told_to_those_who_chose_it_for_this_export() {
    let allocation = |name: &str| {
        named(name, &[&1_u32.to_be_bytes()[..], &named("base:allocation", &[])].concat())
    };
    let session = |state: &mut Handshake, name: &str| match state.option(GO, &named(name, &[0, 0]))
    {
        Step::Start(_, session) => (session.structured, session.allocation),
        step => panic!("{step:?}"),
    };
    let mut state = handshake();
    assert_eq!(
        kinds(10, &state.option(10, &allocation("disk"))),
        [ERR_INVALID],
        "structured replies come first"
    );
    assert_eq!(kinds(8, &state.option(8, &[])), [1]);
    assert_eq!(kinds(8, &state.option(8, &[1])), [ERR_INVALID]);
    let Step::Reply(bytes) = state.option(10, &allocation("disk")) else { panic!() };
    let chosen = replies(10, &bytes);
    assert_eq!(chosen[0], (4, [&1_u32.to_be_bytes()[..], b"base:allocation"].concat()));
    assert_eq!(chosen[1].0, 1);
    assert_eq!(session(&mut state.clone(), "disk"), (true, true));
    assert_eq!(session(&mut state.clone(), "look"), (true, false), "chosen for another export");
    // A later choice replaces it, even one that fails.
    let mut other = state.clone();
    let none = named("disk", &[&1_u32.to_be_bytes()[..], &named("x:y", &[])].concat());
    assert_eq!(kinds(10, &other.option(10, &none)), [1]);
    assert_eq!(session(&mut other, "disk"), (true, false));
    let mut failed = state.clone();
    assert_eq!(kinds(10, &failed.option(10, &allocation("none"))), [ERR_UNKNOWN]);
    assert_eq!(session(&mut failed, "disk"), (true, false));
    // A list changes nothing, and its ids are 0.
    let Step::Reply(bytes) = state.option(9, &named("disk", &0_u32.to_be_bytes())) else {
        panic!()
    };
    assert_eq!(replies(9, &bytes)[0].1[..4], [0; 4]);
    assert_eq!(session(&mut state, "disk"), (true, true));
}

#[test]
fn requests_are_admitted_or_refused_for_a_reason() {
    let (disk, look) = (export("disk", false), export("look", true));
    let plain = Session::default();
    let all = Session { structured: true, allocation: true, ..plain };
    let request =
        |command, flags, offset, length| Request { flags, command, cookie: 7, offset, length };
    let size = 1 << 20;
    let refused = Admitted::Refuse;
    let work = Admitted::Work;
    let zeroes =
        |deallocate, no_hole, fast| Command::Zeroes { fua: false, deallocate, no_hole, fast };
    let cases = [
        (request(0, 0, 0, 1), work(Command::Read)),
        (request(0, 0, size - 1, 1), work(Command::Read)),
        (request(0, 0, size, 1), refused(NbdError::Invalid)),
        (request(0, 0, u64::MAX, 2), refused(NbdError::Invalid)),
        (request(0, 4, 0, 1), refused(NbdError::Invalid)),
        (request(1, 0, 5, 9), work(Command::Write { fua: false })),
        (request(1, 1, 5, 9), work(Command::Write { fua: true })),
        (request(1, 2, 5, 9), refused(NbdError::Invalid)),
        (request(1, 0, size - 1, 2), refused(NbdError::NoSpace)),
        (request(1, 0, 0, MAX_REQUEST_BYTES + 1), Admitted::Broken("a write of more than 32 MiB")),
        (request(2, 0, 0, 0), Admitted::Disconnect),
        (request(3, 0, 0, 0), work(Command::Flush)),
        (request(4, 1, 0, 1 << 20), work(Command::Trim { fua: true })),
        (request(4, 0, 1, 1 << 20), refused(NbdError::Invalid)),
        (request(6, 2, 0, 100), work(zeroes(false, true, false))),
        (request(6, 0, 0, 2048), work(zeroes(false, false, false))),
        (request(6, 8, 0, 100), refused(NbdError::Invalid)),
        (request(6, 16, 0, 2048), refused(NbdError::NotSupported)),
        (request(6, 16, size, 2048), refused(NbdError::NoSpace)),
        (request(4, 16, 0, 2048), refused(NbdError::Invalid)),
        (request(6, 0, size, 1), refused(NbdError::NoSpace)),
        (request(5, 0, 0, 1), refused(NbdError::Invalid)),
        (request(7, 0, 0, 1), refused(NbdError::Invalid)),
        (request(8, 0, 1 << 21, 0), refused(NbdError::Invalid)),
        (request(99, 0, 0, 0), refused(NbdError::Invalid)),
    ];
    for (request, expected) in cases {
        assert_eq!(admit(&request, &disk, &plain), expected, "{request:?}");
    }
    assert_eq!(admit(&request(0, 4, 0, 1), &disk, &all), work(Command::Read));
    assert_eq!(admit(&request(7, 8, 0, 1), &disk, &all), work(Command::Status { one: true }));
    assert_eq!(admit(&request(7, 0, 0, 0), &disk, &all), refused(NbdError::Invalid));
    for command in [1, 4, 6] {
        assert_eq!(admit(&request(command, 0, 0, 1), &look, &all), refused(NbdError::NotPermitted));
    }
    assert_eq!(admit(&request(3, 0, 0, 0), &look, &all), work(Command::Flush));
    // What is not mounted again deallocates where it may, and that alone is fast.
    let memory = Export { deallocates: true, ..disk.clone() };
    for (flags, length, expected) in [
        (0, 100, work(zeroes(true, false, false))),
        (2, 100, work(zeroes(false, true, false))),
        (16, 4096, work(zeroes(true, false, true))),
        (16, 100, refused(NbdError::NotSupported)),
        (18, 4096, refused(NbdError::NotSupported)),
    ] {
        assert_eq!(admit(&request(6, flags, 2048, length), &memory, &plain), expected);
    }
    let large = Export { bytes: 1 << 40, ..disk };
    assert_eq!(
        admit(&request(0, 0, 0, MAX_REQUEST_BYTES + 1), &large, &all),
        refused(NbdError::Invalid)
    );
    assert_eq!(admit(&request(0, 0, 0, MAX_REQUEST_BYTES), &large, &all), work(Command::Read));
}

/// Random bytes, and options with a few bytes changed: whole replies, nothing that panics, no more memory than the option
/// has bytes. `FTLKIT_FUZZ_BYTES` sets how many bytes (default: 20 million).
#[test]
fn any_bytes_are_answered() {
    let text = std::env::var("FTLKIT_FUZZ_BYTES");
    let most: usize = text.map_or(20_000_000, |text| text.parse().expect("a number of bytes"));
    let mut random = Pcg64::seed_from_u64(1);
    let seeds: Vec<Vec<u8>> = vec![
        named("disk", &[0, 1, 0, 3]),
        named(
            "look",
            &[&2_u32.to_be_bytes()[..], &named("base:allocation", &[]), &named("base:", &[])]
                .concat(),
        ),
        named("", &0_u32.to_be_bytes()),
        named("disk", &[255, 255]),
        vec![],
    ];
    let (mut fed, mut started, mut admitted) = (0, 0, 0);
    // With TLS for some: what the server answers then is as whole.
    let kinds = [Encryption::Absent, Encryption::Offered, Encryption::Required];
    let mut state = handshake();
    while fed < most {
        if random.random_bool(0.001) {
            state = handshake().encrypted(kinds[random.random_range(0..kinds.len())]);
        }
        let mut data = seeds[random.random_range(0..seeds.len())].clone();
        if random.random_bool(0.3) {
            data = vec![0; random.random_range(0..200)];
            random.fill(&mut data[..]);
        }
        let changed = if random.random_bool(0.5) { 0 } else { random.random_range(1..4) };
        for _ in 0..changed {
            if !data.is_empty() {
                let at = random.random_range(0..data.len());
                data[at] = random.random();
            }
        }
        if random.random_bool(0.3) {
            data.truncate(random.random_range(0..=data.len()));
        }
        let option =
            if random.random_bool(0.95) { random.random_range(0..13) } else { random.random() };
        fed += 16 + data.len();
        match state.option(option, &data) {
            Step::Reply(bytes) => {
                assert!(bytes.len() < 2048, "{} bytes for {}", bytes.len(), data.len());
                assert!(!replies(option, &bytes).is_empty());
            }
            Step::Start(bytes, session) => {
                assert!(bytes.len() < 2048 && session.export < 2);
                started += 1;
                let disk = export("disk", false);
                for _ in 0..20 {
                    let mut head: [u8; 28] = random.random();
                    if random.random_bool(0.9) {
                        head[..4].copy_from_slice(&0x2560_9513_u32.to_be_bytes());
                        head[4..8].copy_from_slice(&[
                            0,
                            random.random_range(0..32),
                            0,
                            random.random_range(0..10),
                        ]);
                        head[16..20].fill(0);
                        head[20..22].copy_from_slice(&[0, random.random_range(0..18)]);
                        head[24..26].fill(0);
                    }
                    fed += 28;
                    let Some(request) = Request::parse(&head) else { continue };
                    if let Admitted::Work(command) = admit(&request, &disk, &session) {
                        admitted += 1;
                        let end = request.offset + u64::from(request.length);
                        assert!(end <= disk.bytes || command == Command::Flush, "{request:?}");
                    }
                }
                state = handshake();
            }
            Step::Encrypt(bytes) => assert_eq!(replies(option, &bytes).len(), 1),
            Step::End(_) => state = handshake(),
        }
    }
    println!("{fed} bytes, {started} sessions, {admitted} requests admitted");
    assert!(started > most / 5000 && admitted > most / 10_000, "{started} {admitted}");
}

#[test]
fn uris_escape_paths_and_names() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let made = folder();
    let path = made.path().join(OsStr::from_bytes(b"a socket?&%\xff"));
    let listener = Listener::unix(&path).unwrap();
    let folder = made.path().display();
    let place = format!("?socket={folder}/a%20socket%3F%26%25%FF");
    assert_eq!(
        listener.uris(&["", "plain/name-1.x_~", "a b#\u{e9}"]),
        [
            format!("nbd+unix:///{place}"),
            format!("nbd+unix:///plain/name-1.x_~{place}"),
            format!("nbd+unix:///a%20b%23%C3%A9{place}"),
        ]
    );
    let tcp = Listener::tcp("127.0.0.1:0".parse().unwrap(), None).unwrap();
    assert!(tcp.uris(&["a b"])[0].ends_with("/a%20b"));
}

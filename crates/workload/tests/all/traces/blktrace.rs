//! Binary Linux block traces in both byte orders, in one file or one per processor.

use ftlkit_workload::formats::Action;
use ftlkit_workload::{OnBadLine, Op, Request, TraceOptions, TraceReader};

use crate::common::{Folder, dropped, read, read_path, refused, req, try_read};

const READ: u32 = 1 << 16;
const WRITE: u32 = 1 << 17;
const FLUSH: u32 = 1 << 18;
const PASSTHROUGH: u32 = 1 << 25;
const NOTIFY: u32 = 1 << 26;
const DISCARD: u32 = 1 << 29;
const FUA: u32 = 1 << 31;
const QUEUED: u32 = 1;
const ISSUED: u32 = 7;
const DEVICE: u32 = 259 << 20 | 3;

/// One record; `extra` is the length of the data after it.
pub(crate) fn record(
    big_endian: bool,
    time: u64,
    sector: u64,
    bytes: u32,
    action: u32,
    extra: u16,
) -> Vec<u8> {
    let mut r = Vec::new();
    let mut put = |value: u64, size: usize| {
        let bytes = value.to_le_bytes();
        if big_endian {
            r.extend(bytes[..size].iter().rev());
        } else {
            r.extend(&bytes[..size]);
        }
    };
    put(0x6561_7407, 4);
    put(1, 4);
    put(time, 8);
    put(sector, 8);
    put(u64::from(bytes), 4);
    put(u64::from(action), 4);
    put(4242, 4);
    put(u64::from(DEVICE), 4);
    put(0, 4);
    put(0, 2);
    put(u64::from(extra), 2);
    r.extend(std::iter::repeat_n(0x65, usize::from(extra)));
    r
}

fn sample(big_endian: bool) -> Vec<u8> {
    let record =
        |time, sector, bytes, action, extra| record(big_endian, time, sector, bytes, action, extra);
    [
        record(0, 0, 0, NOTIFY, 16),
        record(100, 8, 4096, READ | QUEUED, 0),
        record(110, 8, 4096, READ | ISSUED, 0),
        record(120, 16, 512, WRITE | FLUSH | FUA | QUEUED, 0),
        record(130, u64::MAX, 0, WRITE | FLUSH | QUEUED, 0),
        // The id of a control group follows.
        record(140, 24, 8192, WRITE | DISCARD | QUEUED | 1 << 8, 8),
        record(150, 0, 36, PASSTHROUGH | READ | QUEUED, 6),
        record(1_500_000_000_000_000_000, 0, 512, READ | QUEUED, 0),
        record(115, 32, 512, WRITE | FUA | QUEUED, 0),
    ]
    .concat()
}

fn expected() -> Vec<Request> {
    vec![
        req(0, DEVICE, Op::Read, 4096, 4096),
        req(20, DEVICE, Op::Flush, 0, 0),
        Request { fua: true, ..req(20, DEVICE, Op::Write, 8192, 512) },
        req(30, DEVICE, Op::Flush, 0, 0),
        req(40, DEVICE, Op::Trim, 24 * 512, 8192),
        Request { fua: true, ..req(15, DEVICE, Op::Write, 32 * 512, 512) },
    ]
}

#[test]
fn both_byte_orders_are_read() {
    for big_endian in [false, true] {
        let (requests, reader) = read("blktrace", sample(big_endian));
        assert_eq!(requests, expected());
        let counts = reader.counts();
        assert_eq!((counts.read, counts.kept, counts.requests), (9, 5, 6));
        assert_eq!(dropped(&counts, "event of another action"), 2);
        assert_eq!(dropped(&counts, "other command"), 1);
        assert_eq!(dropped(&counts, "stray time stamp"), 1);
        assert_eq!(reader.device_name(DEVICE), "259,3");
    }
}

#[test]
fn the_action_can_be_chosen() {
    let issued = TraceOptions { action: Some(Action::Issued), ..TraceOptions::default() };
    let (requests, _) = try_read("t", sample(false), &issued).unwrap();
    assert_eq!(requests, [req(0, DEVICE, Op::Read, 4096, 4096)]);
    let error = refused("t", "0,1,512,W,1\n", &issued);
    assert!(error.contains("the spc format has none"), "{error}");
}

#[test]
fn an_unknown_version_is_refused() {
    let mut trace = sample(false);
    trace[0] = 8;
    let error = refused("t", trace, &TraceOptions::default());
    assert!(error.contains("a blktrace of version 8; only version 7 is known"), "{error}");
}

#[test]
fn a_cut_or_damaged_file_says_where_even_if_bad_lines_are_skipped() {
    let skip = TraceOptions { on_bad_line: OnBadLine::Skip, ..TraceOptions::default() };
    let trace = sample(false);
    let error = refused("t", &trace[..trace.len() - 5], &skip);
    assert!(error.contains("truncated: record 9 should have 48 bytes and has 43"), "{error}");
    let mut damaged = trace.clone();
    damaged[48 + 16 + 48 + 1] = 0;
    let error = refused("t", damaged, &skip);
    assert!(error.contains(":3:1: expected the magic number"), "{error}");
}

fn merged(path: &std::path::Path) -> (Vec<Request>, TraceReader) {
    read_path(path, &TraceOptions::default()).expect("a good trace")
}

#[test]
fn the_files_of_all_processors_are_merged_by_time() {
    let folder = Folder::new();
    let of = |times: &[u64]| -> Vec<u8> {
        let records =
            times.iter().map(|&t| record(false, t, t, 512, READ | QUEUED, (t % 7) as u16));
        records.collect::<Vec<_>>().concat()
    };
    folder.file("sda.blktrace.0", of(&[10, 40, 50]));
    folder.file("sda.blktrace.1", of(&[20, 30, 60]));
    folder.file("sda.blktrace.2", []);
    folder.file("sda.blktrace.10", of(&[5, 55]));
    let (requests, reader) = merged(&folder.path("sda"));
    let arrivals: Vec<_> = requests.iter().map(|r| r.arrival_ns).collect();
    assert_eq!(arrivals, [0, 5, 15, 25, 35, 45, 50, 55]);
    let sectors: Vec<_> = requests.iter().map(|r| r.offset / 512).collect();
    assert_eq!(sectors, [5, 10, 20, 30, 40, 50, 55, 60]);
    assert_eq!(reader.counts().out_of_order, 0);
    assert!(reader.notes()[0].contains("4 files, one a processor"), "{:?}", reader.notes());
    assert_eq!(merged(&folder.path("sda.blktrace")).0, requests);

    let (one, reader) = merged(&folder.path("sda.blktrace.1"));
    assert_eq!(one.len(), 3);
    assert!(reader.notes()[0].contains("the file of one processor"), "{:?}", reader.notes());
}

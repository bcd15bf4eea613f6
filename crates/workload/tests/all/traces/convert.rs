//! Conversion: what survives, what is lost, and that a file is either complete or absent.

use ftlkit_workload::formats::{find, written};
use ftlkit_workload::{Loss, Op, Request, TraceOptions, WorkloadError, convert, open};
use proptest::prelude::*;

use super::samples;
use crate::common::{Folder, as_format, cases, read_path, req};

fn to(
    folder: &Folder,
    text: &str,
    name: &str,
    target: &str,
    allow: bool,
) -> Result<ftlkit_workload::Converted, WorkloadError> {
    let from = open(&folder.file("from", text), &TraceOptions::default()).unwrap();
    convert(from, &folder.path(name), find(target).unwrap(), allow, |_| true)
}

#[test]
fn every_format_becomes_csv_without_loss() {
    let folder = Folder::new();
    for sample in samples::all() {
        let path = folder.file("sample", &sample.bytes);
        let (requests, _) = read_path(&path, &sample.options()).unwrap();
        for name in ["out.csv", "out.csv.gz"] {
            let out = folder.path(name);
            let from = open(&path, &sample.options()).unwrap();
            let done = convert(from, &out, find("csv").unwrap(), false, |_| true).unwrap();
            assert_eq!((done.written, done.left_out), (sample.requests, 0));
            let (again, reader) = read_path(&out, &TraceOptions::default()).unwrap();
            assert_eq!(again, requests, "{}", sample.format);
            assert_eq!(reader.format().name, "csv");
        }
    }
}

fn any_request() -> impl Strategy<Value = Request> {
    let op = prop_oneof![
        Just(Op::Read),
        Just(Op::Write),
        Just(Op::Trim),
        Just(Op::Flush),
        Just(Op::WriteZeroes),
        Just(Op::Append),
        Just(Op::Finish)
    ];
    let extent = (0..u64::MAX / 2, 1..u64::MAX / 2);
    // No request is later than all clocks.
    let times = (0..1u64 << 61, any::<Option<u64>>());
    let flags = (any::<bool>(), any::<u8>());
    (times, extent, any::<u32>(), op, flags).prop_map(|(times, extent, device, op, flags)| {
        let length = if op == Op::Flush { 0 } else { extent.1 };
        Request {
            arrival_ns: times.0,
            offset: extent.0,
            length,
            device,
            op,
            fua: flags.0,
            stream: flags.1,
            response_ns: times.1,
        }
    })
}

/// Independent second implementation of the csv writer.
fn csv(requests: &[Request]) -> String {
    let mut text =
        "arrival_ns,device,op,fua,offset_bytes,length_bytes,response_ns,stream\n".to_owned();
    for r in requests {
        let op = match r.op {
            Op::Read => "read",
            Op::Write => "write",
            Op::Trim => "trim",
            Op::Flush => "flush",
            Op::WriteZeroes => "write-zeroes",
            Op::Append => "append",
            Op::Open => "open",
            Op::Close => "close",
            Op::Finish => "finish",
        };
        let response = r.response_ns.map(|ns| ns.to_string()).unwrap_or_default();
        let (fua, offset, length) = (u8::from(r.fua), r.offset, r.length);
        text += &format!(
            "{},{},{op},{fua},{offset},{length},{response},{}\n",
            r.arrival_ns, r.device, r.stream
        );
    }
    text
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn every_field_survives_csv(mut requests in prop::collection::vec(any_request(), 1..20)) {
        // Arrivals count from the first request.
        requests[0].arrival_ns = 0;
        let text = csv(&requests);
        let folder = Folder::new();
        to(&folder, &text, "out", "csv", false).unwrap();
        prop_assert_eq!(std::fs::read_to_string(folder.path("out")).unwrap(), text);
        let (again, _) = read_path(&folder.path("out"), &TraceOptions::default()).unwrap();
        prop_assert_eq!(again, requests);
    }
}

const SIMPLE: &str = "arrival_ns,device,op,offset_bytes,length_bytes\n\
                      0,0,write,4096,512\n1000,3,read,512,1000\n1234567000,0,write,0,4096\n";

#[test]
fn reads_and_writes_survive_whatever_is_written() {
    let folder = Folder::new();
    let (requests, _) =
        read_path(&folder.file("simple", SIMPLE), &TraceOptions::default()).unwrap();
    for (info, _) in written() {
        let target = info.name;
        let done = to(&folder, SIMPLE, "out", target, false).unwrap();
        assert_eq!((done.written, done.left_out, done.losses.len()), (3, 0, 0));
        let (again, reader) = read_path(&folder.path("out"), &TraceOptions::default()).unwrap();
        assert_eq!(reader.format().name, target);
        assert_eq!(again, requests, "{target}");
    }
}

#[test]
fn devices_keep_their_numbers_through_fio() {
    let csv = "arrival_ns,device,op,offset_bytes,length_bytes\n\
               0,9,write,0,512\n1000,2,write,0,512\n2000,4294967295,read,0,512\n3000,0,read,0,512\n";
    let msr = "0,web,1,Write,0,512,0\n10,sql,1,Write,0,512,0\n20,web,0,Write,0,512,0\n";
    let blkparse = "8,16 0 1 0.5 1 Q R 8 + 8 [a]\n8,0 0 2 0.75 1 Q WS 16 + 8 [a]\n";
    for text in [csv, msr, blkparse] {
        let folder = Folder::new();
        let path = folder.file("a", text);
        let (requests, _) = read_path(&path, &TraceOptions::default()).unwrap();
        let mut from = path;
        // Two conversions: a name that already has its number must not get another.
        for name in ["b", "c"] {
            let out = folder.path(name);
            let reader = open(&from, &TraceOptions::default()).unwrap();
            convert(reader, &out, find("fio").unwrap(), false, |_| true).unwrap();
            let (again, _) = read_path(&out, &TraceOptions::default()).unwrap();
            assert_eq!(again, requests, "{text}");
            from = out;
        }
        let [b, c] = ["b", "c"].map(|name| std::fs::read(folder.path(name)).unwrap());
        assert_eq!(b, c);
    }
}

#[test]
fn fio_names_that_give_the_same_number_are_different_devices() {
    let text = "fio version 2 iolog\na read 0 1\n0 read 0 1\nx#7 read 0 1\n7 read 0 1\n07 read 0 1\n\
                4294967296 read 0 1\nb read 0 1\n";
    let folder = Folder::new();
    let (requests, reader) = read_path(&folder.file("t", text), &TraceOptions::default()).unwrap();
    let devices: Vec<_> = requests.iter().map(|r| r.device).collect();
    assert_eq!(devices, [0, 1, 7, 2, 3, 4, 5]);
    let names: Vec<_> = devices.iter().map(|&device| reader.device_name(device)).collect();
    assert_eq!(names, ["a", "0", "x#7", "7", "07", "4294967296", "b"]);
}

const RICH: &str = "arrival_ns,device,op,fua,offset_bytes,length_bytes,response_ns,stream\n\
    0,0,write,0,0,512,,3\n7,0,write,1,100,512,150,0\n1000,70000,trim,0,512,512,,0\n2000,0,flush,0,0,0,,0\n\
    3000,0,write-zeroes,0,0,512,,0\n";

#[test]
fn a_loss_is_refused_and_named_and_leaves_no_file() {
    let folder = Folder::new();
    let error = to(&folder, RICH, "out", "spc", false).unwrap_err().to_string();
    for part in ["spc format cannot hold placement streams", "(request 1: write"] {
        assert!(error.contains(part), "{error}");
    }
    let left: Vec<_> = std::fs::read_dir(folder.path(".")).unwrap().collect();
    assert_eq!(left.len(), 1, "only the trace that was read");
}

#[test]
fn allowed_losses_are_counted() {
    let folder = Folder::new();
    let losses = |target| {
        let done = to(&folder, RICH, "out", target, true).unwrap();
        let (again, _) = read_path(&folder.path("out"), &as_format(target)).unwrap();
        assert_eq!(again.len() as u64, done.written);
        let losses: Vec<_> = done.losses.into_iter().collect();
        (done.written, done.left_out, losses)
    };
    use Loss::{ArrivalPrecision, Fua, OffsetWithinSector, Operation, Response, Stream};
    assert_eq!(
        losses("spc"),
        (2, 3, vec![(Operation, 3), (OffsetWithinSector, 1), (Response, 1), (Fua, 1), (Stream, 1)])
    );
    assert_eq!(
        losses("msr"),
        (2, 3, vec![(Operation, 3), (ArrivalPrecision, 1), (Response, 1), (Fua, 1), (Stream, 1)])
    );
    assert_eq!(
        losses("fio"),
        (4, 1, vec![(Operation, 1), (ArrivalPrecision, 1), (Response, 1), (Fua, 1), (Stream, 1)])
    );
}

#[test]
fn devices_that_do_not_fit_get_free_numbers() {
    let folder = Folder::new();
    let blkparse = "8,0 0 1 0.5 1 Q R 8 + 8 [a]\n8,16 0 2 0.75 1 Q W 16 + 8 [a]\n";
    let done = to(&folder, blkparse, "out", "msr", false).unwrap();
    let numbers = |done: ftlkit_workload::Converted| Vec::from_iter(done.renumbered);
    assert_eq!((done.written, done.left_out, done.losses.len()), (2, 0, 0));
    assert_eq!(numbers(done), [("8,0".to_owned(), 0), ("8,16".to_owned(), 1)]);
    // 0 is given before the device of that number comes.
    let csv = "arrival_ns,device,op,offset_bytes,length_bytes\n0,1,write,0,512\n100,70000,write,0,512\n\
               200,0,write,0,512\n300,70000,write,512,512\n400,2,write,0,512\n";
    let done = to(&folder, csv, "out", "msr", false).unwrap();
    assert_eq!(numbers(done), [("0".to_owned(), 2), ("2".to_owned(), 3), ("70000".to_owned(), 0)]);
    let (requests, _) = read_path(&folder.path("out"), &TraceOptions::default()).unwrap();
    assert_eq!(requests.iter().map(|r| r.device).collect::<Vec<_>>(), [1, 0, 2, 0, 3]);
}

#[test]
fn a_trace_without_arrivals_stays_without() {
    let text = "fio version 2 iolog\nf add\nf write 0 4096\nf read 0 4096\n";
    let folder = Folder::new();
    to(&folder, text, "out", "csv", false).unwrap();
    let (requests, reader) = read_path(&folder.path("out"), &TraceOptions::default()).unwrap();
    assert!(!ftlkit_workload::Source::has_arrivals(&reader));
    assert_eq!(requests, [req(0, 0, Op::Write, 0, 4096), req(0, 0, Op::Read, 0, 4096)]);
    // They are not there to be lost.
    let done = to(&folder, text, "out", "spc", false).unwrap();
    assert_eq!(done.losses.into_iter().collect::<Vec<_>>(), [(Loss::NoArrivals, 2)]);
}

#[test]
fn a_trace_is_not_converted_into_itself_and_errors_leave_no_file() {
    let folder = Folder::new();
    let path = folder.file("from", SIMPLE);
    let from = open(&path, &TraceOptions::default()).unwrap();
    let error =
        convert(from, &path, find("csv").unwrap(), false, |_| true).unwrap_err().to_string();
    assert!(error.contains("cannot be converted into itself"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), SIMPLE);
    let cut = format!("{SIMPLE}5,0,wr");
    assert!(to(&folder, &cut, "out", "csv", false).is_err());
    assert!(!folder.path("out").exists());
    let from = open(&folder.file("from", SIMPLE), &TraceOptions::default()).unwrap();
    let nowhere = folder.path("no such folder/out");
    let error = convert(from, &nowhere, find("csv").unwrap(), false, |_| true).unwrap_err();
    assert!(matches!(error, WorkloadError::Io { .. }), "{error}");
}

#[test]
fn a_format_that_is_only_read_is_no_target() {
    let folder = Folder::new();
    assert_eq!(
        written().map(|(info, _)| info.name).collect::<Vec<_>>(),
        ["spc", "msr", "fio", "csv"]
    );
    let error = to(&folder, SIMPLE, "out", "vscsi", false).unwrap_err().to_string();
    assert!(error.contains("the vscsi format is read but not written"), "{error}");
    assert!(!folder.path("out").exists());
}

//! Results of `trace info`.

use ftlkit_workload::{TraceInfo, TraceOptions, open};

use crate::common::Folder;

fn gather(name: &str, text: &str) -> TraceInfo {
    let folder = Folder::new();
    let reader = open(&folder.file(name, text), &TraceOptions::default()).unwrap();
    TraceInfo::gather(reader, |_| true).unwrap()
}

const TEXT: &str = "arrival_ns,device,op,fua,offset_bytes,length_bytes,response_ns\n\
    0,0,write,1,0,8192,\n10,0,write,0,8192,4096,5\n20,1,read,0,8192,512,\n15,0,read,0,4000,200,\n\
    30,0,trim,0,1048576,4096,\n40,0,flush,0,0,0,\n50,0,write-zeroes,0,1052672,4096,\n60,1,read,0,8704,0,\n";

#[test]
fn every_figure_of_a_small_trace() {
    let info = gather("t", TEXT);
    assert_eq!(info.format, "csv");
    assert_eq!((info.counts.read, info.counts.kept, info.counts.requests), (8, 7, 7));
    assert_eq!(info.counts.out_of_order, 1);
    let by_op = |name: &str| (info.ops[name].requests, info.ops[name].bytes);
    assert_eq!(by_op("write"), (2, 12_288));
    assert_eq!(by_op("read"), (2, 712));
    assert_eq!(
        (by_op("trim"), by_op("write-zeroes"), by_op("flush")),
        ((1, 4096), (1, 4096), (1, 0))
    );
    assert_eq!((info.ops["write"].mean_bytes, info.ops["write"].max_bytes), (6144.0, 8192));
    assert_eq!(info.write_percent, 100.0 * (2.0 / 7.0));
    assert_eq!((info.bytes, info.mean_bytes), (21_192, 3532.0));
    assert_eq!((info.fua_requests, info.measured_responses), (1, 1));
    // Pages 0, 1, 2 and 257 of device 0, page 2 of device 1; the trim touches none.
    assert_eq!((info.footprint_pages, info.footprint_bytes), (5, 20_480));
    // Both reads count; by offset only one of them does.
    assert_eq!(info.unaligned_percent, 100.0 * (2.0 / 6.0));
    assert_eq!(info.unaligned_offset_percent, 100.0 * (1.0 / 6.0));
    // The second write, and the write of zeros after the trim.
    assert_eq!(info.sequential_percent, 100.0 * (2.0 / 6.0));
    assert_eq!(info.duration_ns, 50);
    let places: Vec<_> = info.devices.iter().map(|d| (d.first_byte, d.end_byte)).collect();
    assert_eq!(places, [(0, 1_056_768), (8192, 8704)]);
}

#[test]
fn streams_are_counted_where_one_is_named() {
    let info = gather(
        "t",
        "op,offset_bytes,length_bytes,stream\nwrite,0,4096,2\nwrite,0,8192,2\nread,0,512,2\n\
         write,0,512,0\ntrim,0,4096,255\n",
    );
    let found: Vec<_> = info
        .streams
        .iter()
        .map(|of| (of.stream, of.requests, of.writes, of.written_bytes))
        .collect();
    assert_eq!(found, [(0, 1, 1, 512), (2, 3, 2, 12_288), (255, 1, 0, 0)]);
    let text = info.to_string();
    assert!(text.contains("  stream 2              3  of them 2 writes of 12.0 KiB\n"), "{text}");
    assert!(gather("t", TEXT).streams.is_empty());
    assert!(!gather("t", TEXT).to_string().contains("stream"));
    let none = "op,offset_bytes,length_bytes,stream\nwrite,0,4096,\nwrite,0,4096,7\n";
    let streams: Vec<_> =
        gather("t", none).streams.iter().map(|of| (of.stream, of.writes)).collect();
    assert_eq!(streams, [(0, 1), (7, 1)], "an empty field names none");
    let error = crate::common::refused(
        "t",
        "op,offset_bytes,length_bytes,stream\nwrite,0,4096,256\n",
        &TraceOptions::default(),
    );
    assert!(error.contains("a stream, 0 to 255"), "{error}");
}

#[test]
fn people_and_programs_can_read_it() {
    let info = gather("t", TEXT);
    let text = info.to_string();
    for part in [
        "csv (recognised by its header)",
        "8 read, 7 kept, 1 dropped (zero length)",
        "28.6 % writes",
        "5 distinct 4 KiB pages",
        "0.000000050 s, 1 request out of time order",
        "20.7 KiB, mean 3.4 KiB",
        "footprint    20.0 KiB",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let json = serde_json::to_value(&info).unwrap();
    assert_eq!(json["ops"]["write"]["requests"], 2);
    assert_eq!(json["counts"]["dropped"]["zero length"], 1);
    assert_eq!(json["footprint_bytes"], 20_480);
}

#[test]
fn records_before_the_first_are_told_and_the_span_is_the_traces() {
    let info = gather("t", "0,0,512,W,100\n0,8,512,W,2\n0,8,512,W,129\n0,8,512,W,3.5\n");
    assert_eq!(info.duration_ns, 127_000_000_000);
    let counts = &info.counts;
    assert_eq!((counts.before_first, counts.out_of_order), (2, 2));
    assert_eq!(
        (counts.earliest_ns, counts.latest_ns),
        (Some(2_000_000_000), Some(129_000_000_000))
    );
    let text = info.to_string();
    let note = "note         2 requests lie before the first record's time and were moved to it\n";
    assert!(text.contains(note), "{text}");
    assert!(text.contains("times        127.000000000 s, 2 requests out of"), "{text}");
    let one = gather("t", "0,0,512,W,100\n0,8,512,W,2\n0,8,512,W,129\n");
    assert_eq!(one.notes, ["1 request lies before the first record's time and was moved to it"]);
    let none = gather("t", "0,0,512,W,100\n0,8,512,W,129\n0,8,512,W,128\n");
    assert!(none.notes.is_empty(), "{:?}", none.notes);
}

#[test]
fn a_first_record_with_a_stray_time_is_told() {
    let info = gather("t", "0,0,512,W,1600000000\n0,8,512,W,0.5\n0,8,512,W,1.5\n");
    assert!(info.notes[0].starts_with("2 requests lie before"), "{:?}", info.notes);
    assert!(info.notes[0].contains("all arrive at once"), "{:?}", info.notes);
}

#[test]
fn sizes_have_units_that_fit() {
    let small = gather("t", "0,0,512,W,1\n").to_string();
    assert!(small.contains("100.0 % writes, 512 bytes, mean 512 bytes"), "{small}");
    assert!(small.contains("footprint    4.0 KiB (1 distinct 4 KiB page)"), "{small}");
    assert!(small.contains("1 request, bytes 0 to 512"), "{small}");
    let text = "op,offset_bytes,length_bytes\nwrite,0,18446744073709551615\n";
    let large = gather("t", text).to_string();
    assert!(large.contains("16.0 EiB, mean 16.0 EiB"), "{large}");
}

#[test]
fn units_are_one_short_line() {
    for info in ftlkit_workload::formats::FORMATS {
        let length = info.units.chars().count();
        assert!(length <= 90, "{}: {length}", info.name);
    }
}

#[test]
fn gathering_can_be_stopped() {
    let folder = Folder::new();
    let text = "0,20,512,W,0.5\n".repeat(20_000);
    let reader = open(&folder.file("t", text), &TraceOptions::default()).unwrap();
    let info = TraceInfo::gather(reader, |_| false).unwrap();
    assert_eq!(info.counts.requests, 8192);
}

#[test]
fn signs_of_a_table_without_units_name_the_option() {
    let told = |header: &str, length: u64, options: &TraceOptions| {
        let rows = (0..100).map(|n| format!("{n},W,{},{length}\n", n * 7919 % 1000 * 8));
        let text: String = std::iter::once(format!("{header}\n")).chain(rows).collect();
        let folder = Folder::new();
        let reader = open(&folder.file("t", text), options).unwrap();
        TraceInfo::gather(reader, |_| true).unwrap().warnings.join("\n")
    };
    let none = TraceOptions::default();
    let bytes = told("time,op,lba,sectors", 4096, &none);
    assert!(bytes.ends_with("if they are bytes, --size-unit bytes"), "{bytes}");
    let sectors = told("time,op,lba,size", 8, &none);
    assert!(sectors.ends_with("if they are sectors, --size-unit sectors"), "{sectors}");
    // A header that names its units is not doubted, and no option would be taken.
    let named = told("time,op,lba,size_bytes", 8, &none);
    assert!(named.ends_with("check the trace"), "{named}");
    assert_eq!(told("time,op,lba,sectors", 8, &none), "");
}

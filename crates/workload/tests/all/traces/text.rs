//! Pitfalls of the text formats, each with lines that trigger it.

use ftlkit_workload::formats::Action;
use ftlkit_workload::{Op, Request, Source, TimeUnit, TraceOptions};

use crate::common::{as_format, dropped, read, refused, req, try_read};

#[test]
fn spc_optional_fields_blanks_both_cases_and_devices() {
    let text = "0, 20, 512, w, 10.000000\n\
                1,20,1000,R,10.5,7,x y,,\n\
                0 ,21 ,0 ,W ,10.75\n\
                2,8,4096,r,11\r\n";
    let (requests, reader) = read("spc", text);
    assert_eq!(
        requests,
        [
            req(0, 0, Op::Write, 10_240, 512),
            req(500_000_000, 1, Op::Read, 10_240, 1000),
            req(1_000_000_000, 2, Op::Read, 4096, 4096),
        ]
    );
    let counts = reader.counts();
    assert_eq!((counts.read, counts.kept, counts.requests), (4, 3, 3));
    assert_eq!(dropped(&counts, "zero length"), 1);
}

#[test]
fn spc_asu_lba_beyond_64_bits_of_bytes_is_refused() {
    let error = refused("t", "0,36028797018963968,512,W,1\n", &as_format("spc"));
    assert!(error.contains(":1:3: expected LBA, at most 36028797018963967"), "{error}");
    let error = refused("t", "0,36028797018963967,1024,W,1\n", &as_format("spc"));
    assert!(error.contains(":1:21: expected an offset and a length that end below"), "{error}");
}

#[test]
fn msr_ticks_are_kept_to_the_last_digit_and_order_is_the_files() {
    // As floats these four time stamps would be equal.
    let text = "128166372003061629,web,1,Read,8192,4096,151\n\
                128166372003061630,web,1,Write,0,512,1\n\
                128166372003061628,web,1,read,512,512,0\n\
                128166372003061631,web,1,WRITE,512,512,2\n";
    let (requests, reader) = read("msr", text);
    let arrivals: Vec<_> = requests.iter().map(|r| r.arrival_ns).collect();
    assert_eq!(arrivals, [0, 100, 0, 200]);
    let counts = reader.counts();
    assert_eq!((counts.out_of_order, counts.before_first), (1, 1));
    let responses: Vec<_> = requests.iter().map(|r| r.response_ns).collect();
    assert_eq!(responses, [Some(15_100), Some(100), None, Some(200)]);
    let extents: Vec<_> = requests.iter().map(|r| (r.op, r.offset, r.length)).collect();
    let (read, write) = (Op::Read, Op::Write);
    assert_eq!(extents, [(read, 8192, 4096), (write, 0, 512), (read, 512, 512), (write, 512, 512)]);
    assert_eq!(requests[0].device, 1);
    assert_eq!(reader.device_name(1), "web disk 1");
}

#[test]
fn msr_hosts_have_disks_of_their_own() {
    let text = "128166372003061629,web,0,Read,8192,4096,151\n\
                128166372003061630,sql,0,Read,8192,4096,151\n";
    let (requests, reader) = read("msr", text);
    assert_ne!(requests[0].device, requests[1].device);
    assert_eq!(reader.device_name(requests[1].device), "sql disk 0");
}

#[test]
fn systor17_header_decimals_as_integers_and_no_response() {
    let text = "Timestamp,Response,IOType,LUN,Offset,Size\n\
                1455592511.000000001,0.000123456,W,3,4096,512\n\
                1455592511.000000002,,,3,4096,512\n\
                1455592511.000000003,,R,4,0,1024\n\
                Timestamp,Response,IOType,LUN,Offset,Size\n\
                1455592512.000000001,0.5,R,3,0,512\n";
    let (requests, reader) = read("systor17", text);
    let arrivals: Vec<_> = requests.iter().map(|r| r.arrival_ns).collect();
    assert_eq!(arrivals, [0, 2, 1_000_000_000]);
    assert_eq!(requests[0].response_ns, Some(123_456));
    assert_eq!(requests[1].response_ns, None);
    assert_eq!((requests[1].device, requests[1].length), (4, 1024));
    assert_eq!(dropped(&reader.counts(), "no response"), 1);
    assert_eq!(read("systor17", text.split_once('\n').unwrap().1).0, requests);
}

#[test]
fn alibaba_has_its_time_stamp_last() {
    let (requests, _) =
        read("alibaba", "419,W,8192,16384,1577808144360767\n7,R,1,2,1577808144360768\n");
    assert_eq!(requests, [req(0, 419, Op::Write, 8192, 16_384), req(1_000, 7, Op::Read, 1, 2)]);
}

#[test]
fn tencent_spreads_requests_over_their_second_and_says_so() {
    let text = "1538323200,16,8,0,1063\n1538323200,24,8,1,1063\n1538323200,0,8,1,7\n\
                1538323200,0,0,1,7\n1538323200,8,8,1,7\n1538323202,0,1,0,7\n1538323201,0,1,0,7\n";
    let (requests, reader) = read("tencent", text);
    let arrivals: Vec<_> = requests.iter().map(|r| r.arrival_ns).collect();
    let quarter = 250_000_000;
    assert_eq!(arrivals, [0, quarter, 2 * quarter, 3 * quarter, 2_000_000_000, 1_000_000_000]);
    assert_eq!((requests[1].offset, requests[1].op), (24 * 512, Op::Write));
    assert_eq!((requests[0].device, requests[0].op), (1063, Op::Read));
    assert_eq!(reader.counts().out_of_order, 1);
    assert_eq!(dropped(&reader.counts(), "zero length"), 1);
    assert!(reader.notes().iter().any(|n| n.contains("spread evenly")), "{:?}", reader.notes());
}

#[test]
fn disksim_tests_bit_0_of_the_flags_and_reads_ms() {
    let text = "1.5 0 100 8 1\n2.25 1 100 8 3\n2.250001 0 100 8 0\n1e1 0 7 1 1a\n11 0 7 1 0x1b\n";
    let (requests, reader) = try_read("a.disksim", text, &TraceOptions::default()).unwrap();
    assert_eq!(reader.format().name, "disksim");
    assert_eq!(reader.recognised_by(), "by the file's name");
    let ops: Vec<_> = requests.iter().map(|r| r.op).collect();
    assert_eq!(ops, [Op::Read, Op::Read, Op::Write, Op::Write, Op::Read]);
    let arrivals: Vec<_> = requests.iter().map(|r| r.arrival_ns).collect();
    assert_eq!(arrivals, [0, 750_000, 750_001, 8_500_000, 9_500_000]);
    assert_eq!((requests[1].device, requests[1].offset, requests[1].length), (1, 51_200, 4096));
}

#[test]
fn ssdsim_and_mqsim_call_a_read_1() {
    let text = "100 2 8 16 1\n150 0 0 1 0\n  160\t0 0 1 0 \n";
    for name in ["ssdsim", "mqsim"] {
        let expected = [
            req(0, 2, Op::Read, 4096, 8192),
            req(50, 0, Op::Write, 0, 512),
            req(60, 0, Op::Write, 0, 512),
        ];
        assert_eq!(try_read("t", text, &as_format(name)).unwrap().0, expected);
        let by_name = try_read(&format!("web-{name}"), text, &TraceOptions::default()).unwrap();
        assert_eq!((by_name.0.as_slice(), by_name.1.format().name), (&expected[..], name));
        let error = refused("t", "100 2 8 16 2\n", &as_format(name));
        assert!(
            error.contains(":1:12: expected an op: 1 (read) or 0 (write), found `2`"),
            "{error}"
        );
    }
}

#[test]
fn five_columns_cannot_be_told_by_looking() {
    let error = refused("trace.txt", "100 2 8 16 1\n", &TraceOptions::default());
    assert!(error.contains("disksim, ssdsim and mqsim look the same"), "{error}");
}

#[test]
fn fiu_process_names_hold_blanks() {
    let text = "89966527950584 4253 nfsd 16 8 W 6 0 88b93b628d84082186026d9da044f173\n\
                89966527950684 17 my long  name 8 R 32 8 R 8 17 00ff93b628d84082186026d9da044f17\n\
                89966527950784 17 (a) 9 64 8 w 6 0 00ff93b628d84082186026d9da044f17 \n";
    let (requests, reader) = read("fiu", text);
    assert_eq!(requests.len(), 3);
    assert_eq!((requests[0].offset, requests[0].length, requests[0].op), (8192, 4096, Op::Write));
    assert_eq!((requests[1].offset, requests[1].length, requests[1].op), (16_384, 4096, Op::Read));
    assert_eq!(requests[1].arrival_ns, 100);
    assert_eq!(reader.device_name(requests[1].device), "8,17");
    assert_eq!(requests[2].offset, 64 * 512);
    let eight = "89966527950584 4253 nfsd 16 8 W 6 0\n";
    let error = refused("t", eight, &as_format("fiu"));
    assert!(error.contains("t:1:") && error.contains("expected"), "{error}");
}

#[test]
fn diskmon_relative_and_absolute_times() {
    let text = "0\t1.000500\t0.00018\t0\tRead\t100\t8\n1\t1.000600\t18\t1\tWrite\t108\t16\n";
    let (requests, reader) = read("diskmon", text);
    assert_eq!(
        requests,
        [req(0, 0, Op::Read, 51_200, 4096), req(100_000, 1, Op::Write, 55_296, 8192)]
    );
    assert!(reader.notes().iter().any(|n| n.contains("durations were not used")));

    let absolute = "0\t11:59:59.5 PM\t0.1\t0\tRead\t1\t8\n1\t12:00:00.25 AM\t0.1\t0\tRead\t1\t8\n";
    let (requests, _) = read("diskmon", absolute);
    assert_eq!(requests[1].arrival_ns, 750_000_000, "over midnight");

    let whole = "0\t10:00:00\t0\t0\tRead\t1\t8\n1\t10:00:00\t0\t0\tRead\t1\t8\n2\t10:00:01\t0\t0\tRead\t1\t8\n";
    let (requests, reader) = read("diskmon", whole);
    let arrivals: Vec<_> = requests.iter().map(|r| r.arrival_ns).collect();
    assert_eq!(arrivals, [0, 500_000_000, 1_000_000_000]);
    assert!(reader.notes().iter().any(|n| n.contains("spread evenly")));
    let error = refused("t", "0\t13:00:00 PM\t0\t0\tRead\t1\t8\n", &as_format("diskmon"));
    assert!(error.contains(":1:3: expected time of day"), "{error}");
}

const BLKPARSE: &str = "\
  8,16   3        1     0.000010000  3645  Q   R 4938888 + 256 [java]
  8,16   3        2     0.000011000  3645  G   R 4938888 + 256 [java]
  8,16   3        3     0.000012000  3645  P   N [java]
  8,16   3        4     0.000013000  3645  U   N [java] 1
  8,16   3        5     0.000020000  3645  D   R 4938888 + 256 [java]
  8,16   3        6     0.000030000  3645  Q FWFSM 8 + 8 [jbd2/sdb 8]
  8,16   3        7     0.000031000  3645  Q FWS [jbd2/sdb 8]
  8,16   0        8     0.000032000     0  m   N cfq workload slice:100
  8,16   3        9     0.000033000  3645  Q  DS 2048 + 64 [fstrim]
  8,16   3       10     0.000034000  3645  Q   N [sg]
  8,16   3       11     0.000035000  3645  Q   R 36 (12 00 00 00 24 00) [sg]
  8,16   1        4 1266874889.708658509  3646  Q   R 5632664 + 256 [java]
  8,16   3       12     0.000029000  3645  Q  WFS 16 + 8 [dd]
  8,16   3       13     0.000036000  3645  D   R 0 + 8 [java]
  8,16   3       14     0.000037000  3645  C   R 4938888 + 256 [0]
CPU3 (8,16):
 Reads Queued:           0,        0KiB\t Writes Queued:           0,        0KiB

Total (8,16):
 IO unplugs:             0        \t Timer unplugs:           0
Throughput (R/W): 0KiB/s / 0KiB/s
Events (8,16): 14 entries
Skips: 0 forward (0 -   0.0%)
  8,16   3        1     0.000038000  3645  Q   R 1 + 1 [second trace]
";

#[test]
fn blkparse_takes_one_action_and_reads_the_flags() {
    let (requests, reader) = read("blkparse", BLKPARSE);
    let device = 8 << 20 | 16;
    let fua = Request { fua: true, ..req(20_000, device, Op::Write, 4096, 4096) };
    assert_eq!(
        requests,
        [
            req(0, device, Op::Read, 4_938_888 * 512, 131_072),
            req(20_000, device, Op::Flush, 0, 0),
            fua,
            req(21_000, device, Op::Flush, 0, 0),
            req(23_000, device, Op::Trim, 2048 * 512, 64 * 512),
            Request { fua: true, ..req(19_000, device, Op::Write, 8192, 4096) },
            req(28_000, device, Op::Read, 512, 512),
        ]
    );
    let counts = reader.counts();
    assert_eq!((counts.read, counts.kept, counts.requests), (16, 6, 7));
    assert_eq!(dropped(&counts, "event of another action"), 7);
    assert_eq!(dropped(&counts, "other command"), 2);
    assert_eq!(dropped(&counts, "stray time stamp"), 1);
    assert_eq!(counts.out_of_order, 1);
    let notes = reader.notes().join("; ");
    assert!(notes.contains("arrivals are those of Q events (chosen"), "{notes}");
    assert!(notes.contains("1 request with a preflush gave a flush first"), "{notes}");
    assert_eq!(reader.device_name(device), "8,16");
}

#[test]
fn blkparse_issued_events_on_demand_or_where_none_is_queued() {
    let issued = TraceOptions { action: Some(Action::Issued), ..TraceOptions::default() };
    let (asked, reader) = try_read("t", BLKPARSE, &issued).unwrap();
    let offsets: Vec<_> = asked.iter().map(|r| r.offset / 512).collect();
    assert_eq!(offsets, [4_938_888, 0]);
    assert!(reader.notes()[0].contains("D events (as requested)"));
    let none_queued: String =
        BLKPARSE.lines().filter(|l| !l.contains(" Q ")).map(|l| format!("{l}\n")).collect();
    let (chosen, reader) = read("blkparse", none_queued);
    assert_eq!(chosen, asked);
    assert!(reader.notes()[0].contains("D events (chosen: "), "{:?}", reader.notes());
}

#[test]
fn blkparse_barriers_of_older_kernels() {
    let text = "8,16 5 1 0.5 7 Q R 1000 + 8 [a]\n8,16 2 2 0.6 7 Q WBS 2000 + 16 [b]\n\
                8,16 2 3 0.7 7 Q WB 2016 + 8 [b]\n";
    let (requests, reader) = read("blkparse", text);
    let fua = |request| Request { fua: true, ..request };
    let device = 8 << 20 | 16;
    assert_eq!(
        requests,
        [
            req(0, device, Op::Read, 512_000, 4096),
            fua(req(100_000_000, device, Op::Write, 1_024_000, 8192)),
            fua(req(200_000_000, device, Op::Write, 1_032_192, 4096)),
        ]
    );
    assert!(reader.notes()[1].starts_with("2 barriers of an older kernel"), "{:?}", reader.notes());
}

#[test]
fn blkparse_completions_where_nothing_else_was_traced() {
    let text = "1,0 9 1 0.5 7 C WS 2048 + 8 [0]\n1,0 9 2 0.75 7 C R 160 + 8 [0]\n";
    let (requests, reader) = read("blkparse", text);
    assert_eq!(requests.len(), 2);
    let told = "arrivals are those of C events (chosen: the first 64 KiB have neither Q nor D events): each is late";
    assert!(reader.notes()[0].starts_with(told), "{:?}", reader.notes());
    let asked = |action| TraceOptions { action: Some(action), ..TraceOptions::default() };
    assert_eq!(try_read("t", text, &asked(Action::Completed)).unwrap().0, requests);
    let error = refused("t", text, &asked(Action::Issued));
    assert!(error.contains("has no D events: it has C events, which --action C takes"), "{error}");
}

#[test]
fn fio_v2_waits_are_ms_since_the_start_and_syncs_have_no_extent() {
    let text = "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n/dev/sda wait 5 0\n\
                /dev/sda write 4096 8192\n/dev/sda sync 4096 8192\n/dev/sda wait 7\n\
                /dev/sdb trim 0 65536\n/dev/sda datasync 1 1\n/dev/sda read 0 0\n/dev/sda close\n";
    let (requests, reader) = read("fio", text);
    assert_eq!(
        requests,
        [
            req(0, 0, Op::Write, 4096, 8192),
            req(0, 0, Op::Flush, 0, 0),
            req(2_000_000, 1, Op::Trim, 0, 65_536),
            req(2_000_000, 0, Op::Flush, 0, 0),
        ]
    );
    assert_eq!(reader.device_name(1), "/dev/sdb");
    assert!(reader.has_arrivals());
    assert_eq!(dropped(&reader.counts(), "zero length"), 1);
    let untimed: String =
        text.lines().filter(|l| !l.contains("wait")).map(|l| format!("{l}\n")).collect();
    assert!(!read("fio", untimed).1.has_arrivals());
}

#[test]
fn fio_v3_times_are_us() {
    let text =
        "fio version 3 iolog\n10 f add\n11 f open\n20 f write 0 4096\n25 f sync 7 9\n30 f close\n";
    let (requests, reader) = read("fio", text);
    assert_eq!(requests, [req(0, 0, Op::Write, 0, 4096), req(5_000, 0, Op::Flush, 0, 0)]);
    assert!(reader.has_arrivals());
    let error = refused("t", "fio version 4 iolog\n1 f add\n", &TraceOptions::default());
    assert!(error.contains(":1:1: expected first line `fio version 2 iolog`"), "{error}");
}

#[test]
fn cloudphysics_operations_in_hex_and_a_line_out_of_order() {
    let text = "version,time,op,size,lbn\n1,100,2a,512,8\n1,100,28,4096,16\n1,99,8A,512,0\n\
                1,101,88,1024,1\n1,101,35,0,0\n1,101,12,36,0\n";
    let (requests, reader) = read("cloudphysics", text);
    assert_eq!(
        requests,
        [
            req(0, 0, Op::Write, 4096, 512),
            req(500_000_000, 0, Op::Read, 8192, 4096),
            req(0, 0, Op::Write, 0, 512),
            req(1_000_000_000, 0, Op::Read, 512, 1024),
            req(1_500_000_000, 0, Op::Flush, 0, 0),
        ]
    );
    assert_eq!((reader.counts().out_of_order, reader.counts().before_first), (1, 1));
    assert_eq!(dropped(&reader.counts(), "other command"), 1);
}

#[test]
fn csv_columns_in_any_order_with_units_in_their_names() {
    let text = "op, length_sectors, offset_sectors, arrival_ms, response_us\n\
                write,8,16,1.5,0.25\nread, 1, 0, 2, \nflush,0,0,3,\n";
    let (requests, reader) = read("csv", text);
    assert_eq!(
        requests,
        [
            Request { response_ns: Some(250), ..req(0, 0, Op::Write, 8192, 4096) },
            req(500_000, 0, Op::Read, 0, 512),
            req(1_500_000, 0, Op::Flush, 0, 0),
        ]
    );
    assert!(reader.has_arrivals());
    let (_, reader) = read("csv", "op,offset_bytes,length_bytes\nread,0,1\n");
    assert!(!reader.has_arrivals());
}

#[test]
fn csv_headers_and_fields_that_make_no_sense_are_refused() {
    for (text, says) in [
        ("op,offset_bytes,offset_sectors,length_bytes\nread,0,1,2\n", "is there twice"),
        ("op,offset_bytes\nread,0\n", "the header names no length_bytes (or _sectors)"),
        ("op,offset_bytes,length_bytes\nflush,0,8\n", ":2:9: expected a flush with length 0"),
        ("op,offset_bytes,length_bytes\nerase,0,8\n", ":2:1: expected an op: read, write"),
        ("op,offset_bytes,length_bytes\nread,0,8,9\n", ":2:9: expected the end of the line"),
        ("op,fua,offset_bytes,length_bytes\nread,2,0,8\n", ":2:6: expected fua, 0 or 1"),
        ("op,no_hole,offset_bytes,length_bytes\nread,2,0,8\n", ":2:6: expected no_hole, 0 or 1"),
        (
            "op,offset_bytes,length_bytes\nread,18446744073709551615,1\n",
            "an offset and a length that end below 2^64",
        ),
    ] {
        let error = refused("t", text, &as_format("csv"));
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn tables_of_others_are_read_by_the_usual_names() {
    let expected = [
        req(0, 0, Op::Write, 8192, 4096),
        req(500_000_000, 0, Op::Read, 0, 512),
        req(1_500_000_000, 0, Op::Trim, 512, 512),
    ];
    let rows = ["7.5 W 16 4096", "8 R 0 512", "9.0 Discard 1 512"];
    for header in
        ["Time OP lba len", "TIMESTAMP type Sector Size", "Timestamp_s IO-Type start_sector bytes"]
    {
        for separator in [",", ";", "\t", " ", " , ", "; "] {
            for end in ["\n", "\r\n"] {
                let lines = std::iter::once(header).chain(rows);
                let text: String = lines.map(|line| line.replace(' ', separator) + end).collect();
                let (requests, reader) = read("csv", &text);
                assert_eq!(requests, expected, "{text}");
                assert!(reader.has_arrivals());
            }
        }
    }
    // Units by the name, in any order, beside other columns.
    let text = "pid,Size (KiB),Address [bytes],rw,time_us,disk,volume\n9,4,8192,write,10,sda,7\n9,1,512,READ,12,sdb,7\n";
    let (requests, reader) = read("csv", text);
    assert_eq!(requests, [req(0, 0, Op::Write, 8192, 4096), req(2000, 1, Op::Read, 512, 1024)]);
    assert_eq!(reader.notes(), ["columns `pid`, `volume` are not used"]);
    assert_eq!(reader.device_name(1), "sdb");
    // Numbers as operations.
    let (requests, reader) = read("csv", "op,offset_bytes,len_bytes\n0,0,512\n1,512,512\n");
    assert_eq!(requests.iter().map(|r| r.op).collect::<Vec<_>>(), [Op::Read, Op::Write]);
    assert_eq!(reader.notes(), ["operation 0 was taken as a read, 1 as a write"]);
    let (requests, reader) = read("csv", "is_write,offset_bytes,len_bytes\n0,0,512\n1,512,512\n");
    assert_eq!(requests.iter().map(|r| r.op).collect::<Vec<_>>(), [Op::Read, Op::Write]);
    assert!(reader.notes().is_empty(), "{:?}", reader.notes());
}

#[test]
fn what_a_header_leaves_open_is_told_and_set_by_options() {
    let text = "time,op,offset,len\n1700000000123,w,8,16\n1700000000125,r,0,8\n";
    let (requests, reader) = read("csv", text);
    assert_eq!(requests, [req(0, 0, Op::Write, 8, 16), req(2_000_000, 0, Op::Read, 0, 8)]);
    let notes = reader.notes().join("\n");
    for part in [
        "`time` names no unit: its times were taken as ms",
        "`offset` names no unit: taken as bytes; --lba-unit",
    ] {
        assert!(notes.contains(part), "{notes}");
    }
    let unit = Some("sectors".parse().unwrap());
    let sectors = TraceOptions { lba_unit: unit, size_unit: unit, ..TraceOptions::default() };
    let (requests, _) = try_read("t", text, &sectors).unwrap();
    assert_eq!(requests[0], req(0, 0, Op::Write, 4096, 8192));
    let error = refused("t", "op,offset_bytes,len\nw,0,8\n", &sectors);
    assert!(error.contains("--lba-unit") && error.contains("`offset_bytes`"), "{error}");
    let error = refused("t", "when,what,where\n1,w,0\n", &TraceOptions::default());
    assert!(
        error.contains(
            "`time_s,op,offset_bytes,length_bytes` and the others as `0.5,read,4096,512`"
        ),
        "{error}"
    );
}

#[test]
fn values_in_quotes_and_times_in_a_unit_are_read() {
    let expected = [req(0, 0, Op::Write, 8192, 4096), req(500_000, 0, Op::Read, 0, 512)];
    let in_unit = |unit| TraceOptions { time_unit: Some(unit), ..TraceOptions::default() };
    let us = in_unit(TimeUnit::Microseconds);
    for text in [
        "\"time\",\"op\",\"lba\",\"size\",\"a, b\"\n\"1\",\"w\",16,\"4096\",\"a,b\"\n501,R,\"0\",512,\"said \"\"x,\"\"\"\n",
        "time;note;op;lba;size\n1;5\";w;16;4096\n501;\"a;\"\";b\"; \"R\" ;0;512\n",
        "time note op lba size\n1 \"\" w 16 4096\n501 \"two words\" R 0 512\n",
    ] {
        let (requests, _) = try_read("t", text, &us).unwrap();
        assert_eq!(requests, expected, "{text}");
    }
    for (unit, ns) in [
        (TimeUnit::Nanoseconds, 2),
        (TimeUnit::Milliseconds, 2_000_000),
        (TimeUnit::Seconds, 2_000_000_000),
    ] {
        let text = "ts,op,lba_b,size_b\n1,r,0,8\n3,r,0,8\n";
        let (requests, reader) = try_read("t", text, &in_unit(unit)).unwrap();
        assert_eq!((requests[1].arrival_ns, reader.notes()), (ns, vec![]));
    }
    for (text, says) in [
        ("time_s,op,lba,size\n1,w,16,4096\n", "it names `time_s`"),
        ("op,lba,size\nw,16,4096\n", "the header names no time"),
        ("0,20,512,W,0.5\n", "the spc format has one of its own"),
    ] {
        let error = refused("t", text, &us);
        assert!(error.contains("--time-unit") && error.contains(says), "{error}");
    }
    // MSR's lines below a header.
    let header = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n";
    let row = |ticks: u64| format!("{ticks},hm,1,Read,512,4096,413\n");
    let text = format!("{header}{}{}", row(128_166_372_003_061_629), row(128_166_372_013_061_629));
    let (requests, reader) = read("csv", &text);
    assert_eq!(requests[1], req(1_000_000_000, 1, Op::Read, 512, 4096));
    assert!(
        reader.notes()[0].contains("taken as ticks of 100 ns; --time-unit"),
        "{:?}",
        reader.notes()
    );
}

#[test]
fn comments_empty_lines_and_a_byte_order_mark_are_no_records() {
    let (requests, reader) = read("spc", "\u{feff}# a comment\n\n0,1,512,W,1\n \n0,2,512,W,2");
    assert_eq!((requests.len(), reader.counts().read), (2, 2));
}

//! Refused files and the texts of their errors.

use ftlkit_workload::{OnBadLine, TraceOptions, WorkloadError, open};

use crate::common::{Folder, as_format, dropped, refused, try_read};

fn skip() -> TraceOptions {
    TraceOptions { on_bad_line: OnBadLine::Skip, ..TraceOptions::default() }
}

const BAD: &str = "0,20,512,W,0.5\n0,20,512,W,0.6\n0,2x,512,W,0.7\n0,20,512,W,0.8\n0,,512,W,1\n";

#[test]
fn a_bad_line_stops_with_its_place() {
    match try_read("t", BAD, &TraceOptions::default()).err() {
        Some(WorkloadError::BadRecord { line, column, expected, found, format, .. }) => {
            assert_eq!((line, column, format), (3, 4, "spc"));
            assert_eq!(
                (expected.as_str(), found.as_str()),
                ("a comma and then size in bytes", "x")
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn bad_lines_are_skipped_on_demand_counted_and_the_first_kept() {
    let (requests, reader) = try_read("t", BAD, &skip()).unwrap();
    assert_eq!(requests.len(), 3);
    let counts = reader.counts();
    assert_eq!((counts.read, dropped(&counts, "bad record")), (5, 2));
    let first = counts.first_bad.unwrap();
    assert!(first.contains(":3:4: expected a comma"), "{first}");
}

#[test]
fn a_first_record_that_is_stray_is_told_as_such() {
    let rows = |first: u64, n: u64| -> String {
        let late = (0..n).map(|n| format!("read,{},512,{}\n", n * 512, (1 << 62) + n));
        (0..first).map(|n| format!("read,{},512,{n}\n", n * 512)).chain(late).collect()
    };
    let table = |first, n| format!("op,offset_bytes,length_bytes,arrival_ns\n{}", rows(first, n));
    let error = refused("t", table(1, 3), &TraceOptions::default());
    assert!(error.contains("t:3:12: expected an arrival of at most 73 years"), "{error}");
    assert!(error.contains("0 ns: if the first record is stray, remove it, found"), "{error}");
    // Where no parser tells the column, none is named.
    let spc = "0,20,512,W,0.5\n0,20,512,W,9000000000.5\n";
    let error = refused("t", spc, &TraceOptions::default());
    assert!(error.contains("t:2: expected an arrival"), "{error}");
    let error = refused("t", table(1, 599), &skip());
    let words = "599 of 600 records are more than 73 years (2^61 ns) later than the first";
    assert!(error.contains(words) && error.ends_with("remove the first record"), "{error}");
    assert!(refused("t", table(2, 3), &skip()).contains("3 of 5 records"));
    assert_eq!(try_read("t", table(3, 3), &skip()).unwrap().0.len(), 3);
}

#[test]
fn a_table_that_is_refused_is_told_its_row_or_its_column() {
    for (text, words) in [
        (
            "time_s,op,offset_bytes,length_bytes\n\n0.5,read,1e6,512\n",
            "line 3, column 11: expected ",
        ),
        (
            "time_s,op,offset_kb,length_bytes\n0.5,read,4,512\n",
            "`offset_kb` has no unit that is read",
        ),
        (
            "time_s,op,offset_mib,length_bytes\n0.5,read,4,512\n",
            "`offset_mib` has no unit that is read",
        ),
        ("time_us,op,offset,size,offset\n1,read,0,512,0\n", "the column `offset` is there twice"),
    ] {
        let error = refused("t", text, &TraceOptions::default());
        assert!(error.contains(words) && error.contains("header of a table"), "{error}");
        assert!(!error.contains("no format fits"), "{error}");
    }
}

#[test]
fn errors_name_the_option_that_helps() {
    let none = TraceOptions::default;
    for (name, text) in
        [("t", &b"hello world\n"[..]), ("t", b"0 0 100 8 1\n"), ("t", b"0,20,512,W,0.5\nx\ny\nz\n")]
    {
        let error = refused(name, text, &none());
        assert!(error.contains("--format NAME"), "{error}");
    }
    assert!(refused("t", [1, 0, 2, 0, 3], &none()).contains("--format oraclegeneral"));
    let error = refused("t", [0; 48], &as_format("oraclegeneral"));
    assert!(error.contains("--assume-op read|write"), "{error}");
    let error = refused("t", "8,0 0 1 0.5 1 I R 8 + 8 [a]\n", &as_format("blkparse"));
    assert!(error.contains("--action Q|D|C"), "{error}");
}

#[test]
fn what_is_no_linux_trace_is_not_asked_for_an_action() {
    let spc = "0,20,512,W,0.5\n";
    let error = refused("t", spc, &as_format("blktrace"));
    assert!(
        error.contains(
            "this is not a blktrace: it begins with [30, 2c, 32, 30], not with the magic"
        ),
        "{error}"
    );
    assert!(error.contains("(the file looks like `spc`)"), "{error}");
    let error = refused("t", spc, &as_format("blkparse"));
    assert!(error.contains("none of its first lines is an event"), "{error}");
}

#[test]
fn a_line_too_long_for_detection_and_files_of_empty_lines_are_told_apart() {
    let none = TraceOptions::default;
    let error = refused("t", vec![b'7'; 1 << 20], &none());
    assert!(error.contains("line 1 does not end within the first 64 KiB"), "{error}");
    let mut text = b"# a comment\n".to_vec();
    text.resize(1 << 20, b'7');
    let error = refused("t", &text, &none());
    assert!(error.contains("line 2 does not end within the first 64 KiB"), "{error}");
    for empty in ["\n\n\n", "\n", "# only\n  \n"] {
        let error = refused("t", empty, &none());
        assert!(error.contains("no records: the file holds only empty lines"), "{error}");
    }
    let error = refused("t", vec![b'\n'; 1 << 20], &none());
    assert!(error.contains("no records: its first 64 KiB"), "{error}");
}

#[test]
fn a_line_cut_by_the_end_of_the_file_says_so() {
    let error = refused("t", "0,20,512,W,0.5\n0,20,512,W,0.6\n0,20,5", &TraceOptions::default());
    assert!(error.contains(":3:7: expected a comma and then opcode"), "{error}");
    assert!(error.contains("the file ends within this line"), "{error}");
}

#[test]
fn empty_missing_and_folders() {
    assert!(refused("t", "", &TraceOptions::default()).contains("the file is empty"));
    assert!(refused("t", "", &as_format("spc")).contains("the file is empty"));
    let folder = Folder::new();
    for name in ["missing", "."] {
        let error = open(&folder.path(name), &TraceOptions::default()).unwrap_err();
        assert!(matches!(error, WorkloadError::Io { .. }), "{error}");
    }
    let error = refused("t", "\n\n# nothing\n", &as_format("spc"));
    assert!(error.contains("no request in the trace (spc format): 0 records"), "{error}");
}

#[test]
fn binary_archives_and_wide_characters() {
    let none = TraceOptions::default;
    assert!(refused("t", [1, 0, 2, 0, 3], &none()).contains("this is binary"));
    assert!(refused("t.ssdsim", [0_u8; 99], &none()).contains("expected time in ns"));
    assert!(refused("t", b"PK\x03\x04xxxx", &none()).contains("zip archive"));
    assert!(refused("t", b"\xff\xfe0\x00,\x00", &none()).contains("UTF-16"));
    let mut tar = vec![b'x'; 600];
    tar[257..262].copy_from_slice(b"ustar");
    assert!(refused("t", tar, &none()).contains("tar archive"));
}

#[test]
fn bytes_that_a_power_cut_left_zero_are_a_bad_line() {
    let text = "time_s,op,offset_bytes,length_bytes\n0.1,read,0,512\n0.2,read,4\0\096,512\n0.3,read,512,512\n";
    let error = refused("t", text, &TraceOptions::default());
    assert!(error.contains("t:3:11: expected"), "{error}");
    for options in [skip(), TraceOptions { format: Some("csv".into()), ..skip() }] {
        let (requests, reader) = try_read("t", text, &options).unwrap();
        assert_eq!((requests.len(), dropped(&reader.counts(), "bad record")), (2, 1));
    }
    let (requests, _) = try_read("t", format!("#\n\n{text}"), &skip()).unwrap();
    assert_eq!(requests.len(), 2);
    // A short first line, or one with control characters, may stand in a binary file by chance.
    for binary in ["0.5,r\n\0\0\0", "0,20,512,W,0.5\x01\n0,20,512,W,0.5\n\0"] {
        let error = refused("t", binary, &TraceOptions::default());
        assert!(error.contains("this is binary"), "{error}");
    }
    let error = refused("t", "time_s,op\0", &as_format("csv"));
    assert!(error.contains("begins with a header: its first line has a byte 0"), "{error}");
}

#[test]
fn unknown_content_and_unknown_names() {
    let error = refused("t", "hello world\nthis is no trace\n", &TraceOptions::default());
    assert!(error.contains("no format fits the first line, `hello world`"), "{error}");
    assert!(error.contains("spc, msr, systor17"), "{error}");
    let header = "time_s,op,offset_bytes,length_bytes";
    let error = refused("t", format!("{header}\n"), &TraceOptions::default());
    assert!(error.contains("no records: the only line is `time_s,op"), "{error}");
    let error = refused("t", format!("{header}\nx\n"), &TraceOptions::default());
    assert!(error.contains("line 2, column 1"), "{error}");
    let error = refused("t", "0,20,512,W,0.5\n", &as_format("spd"));
    assert!(error.contains("no trace format is called `spd`; the formats are spc"), "{error}");
    let error = refused("t", "0,20,512,W,0.5\nx\ny\nz\n", &TraceOptions::default());
    assert!(error.contains("only 1 of the first 4 lines fit `spc`"), "{error}");
}

#[test]
fn the_wrong_format_is_told_what_the_file_looks_like() {
    let error = refused("t", "0,20,512,W,0.5\n", &as_format("msr"));
    assert!(error.contains(":1:") && error.contains("(the file looks like `spc`)"), "{error}");
    let error = refused("t.ssdsim", "a b c d e\n", &TraceOptions::default());
    assert!(error.contains(":1:1: expected time in ns"), "{error}");
}

#[test]
fn skipping_every_line_is_no_success() {
    let options = TraceOptions { format: Some("ssdsim".into()), ..skip() };
    let error = refused("t", "a b c d e\nf\n", &options);
    assert!(error.contains("2 records, all dropped: 2 × bad record"), "{error}");
    assert!(error.contains("the first bad one: expected time in ns"), "{error}");
}

#[test]
fn a_line_without_end_is_an_error_and_not_unbounded_memory() {
    for head in ["", "0,20,512,W,0.5\n"] {
        let mut text = head.as_bytes().to_vec();
        text.resize(3 << 20, b'7');
        for options in [as_format("spc"), TraceOptions { format: Some("spc".into()), ..skip() }] {
            let error = refused("t", &text, &options);
            assert!(error.contains("is longer than 1 MiB"), "{error}");
        }
    }
}

#[test]
fn a_second_with_too_many_requests_is_an_error_and_not_unbounded_memory() {
    let text = "1538323200,16,8,0,1063\n".repeat((1 << 20) + 1);
    let error = refused("t", text, &TraceOptions::default());
    assert!(error.contains("more than 1048576 requests in one second"), "{error}");
}

#[test]
fn options_are_read_from_a_table_and_unknown_ones_refused() {
    let text = "format = \"spc\"\non_bad_line = \"skip\"\naction = \"Q\"\nassume_op = \"write\"\n";
    let options: TraceOptions = toml::from_str(text).unwrap();
    assert_eq!(toml::to_string(&options).unwrap(), text);
    for bad in ["colour = 1", "action = \"G\"", "on_bad_line = \"ask\"", "assume_op = \"trim\""] {
        assert!(toml::from_str::<TraceOptions>(bad).is_err(), "{bad}");
    }
}

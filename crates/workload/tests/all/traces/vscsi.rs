//! Binary formats with fixed records: vscsi in both versions, oracleGeneral.

use ftlkit_workload::{Op, Request, TraceOptions};

use crate::common::{as_format, dropped, read, refused, req, try_read};

pub(crate) fn v1(cmd: u16, len: u32, lbn: u64, ts: u64) -> Vec<u8> {
    let mut r = Vec::new();
    r.extend(7_u32.to_le_bytes());
    r.extend(len.to_le_bytes());
    r.extend(1_u32.to_le_bytes());
    r.extend(cmd.to_le_bytes());
    r.extend(0x0103_u16.to_le_bytes());
    r.extend(lbn.to_le_bytes());
    r.extend(ts.to_le_bytes());
    r
}

pub(crate) fn v2(cmd: u16, len: u32, lbn: u64, ts: u64, rt: u64) -> Vec<u8> {
    let mut r = Vec::new();
    r.extend(cmd.to_le_bytes());
    r.extend(0x0200_u16.to_le_bytes());
    r.extend(7_u32.to_le_bytes());
    r.extend(len.to_le_bytes());
    r.extend(1_u32.to_le_bytes());
    r.extend(lbn.to_le_bytes());
    r.extend(ts.to_le_bytes());
    r.extend(rt.to_le_bytes());
    r
}

#[test]
fn version_1_has_32_bytes() {
    let trace = [
        v1(0x28, 4096, 8, 1_000_000),
        v1(0x8a, 512, 1, 1_000_003),
        v1(0x88, 0, 1, 1_000_004),
        v1(0x42, 24, 0, 1_000_005),
        v1(0x35, 0, 9, 1_000_006),
    ];
    let (requests, reader) = read("vscsi", trace.concat());
    assert_eq!(
        requests,
        [
            req(0, 0, Op::Read, 4096, 4096),
            req(3_000, 0, Op::Write, 512, 512),
            req(6_000, 0, Op::Flush, 0, 0),
        ]
    );
    assert_eq!(reader.notes(), ["records of version 1"]);
    assert_eq!(dropped(&reader.counts(), "zero length"), 1);
    assert_eq!(dropped(&reader.counts(), "other command"), 1);
}

#[test]
fn version_2_has_40_bytes_and_responses() {
    let trace = [v2(0x2a, 4096, 8, 50, 120), v2(0x88, 512, 1, 53, 7)].concat();
    let (requests, reader) = read("vscsi", trace);
    assert_eq!(
        requests,
        [
            Request { response_ns: Some(120_000), ..req(0, 0, Op::Write, 4096, 4096) },
            Request { response_ns: Some(7_000), ..req(3_000, 0, Op::Read, 512, 512) },
        ]
    );
    assert_eq!(reader.notes(), ["records of version 2"]);
}

#[test]
fn a_cut_record_and_a_foreign_version_are_errors() {
    let good = v1(0x28, 4096, 8, 1);
    let cut = [&good[..], &good[..17]].concat();
    let error = refused("t", cut, &TraceOptions::default());
    assert!(error.contains("truncated: record 2 should have 32 bytes and has 17"), "{error}");

    let mut many = good.repeat(100);
    many[99 * 32 + 15] = 9;
    let error = refused("t", many, &TraceOptions::default());
    assert!(error.contains(":100:15: expected version 1 in the high byte"), "{error}");

    let error = refused("t", [0_u8; 64], &as_format("vscsi"));
    assert!(error.contains("no vscsi trace"), "{error}");
    let far = v1(0x28, 4096, 1 << 60, 1);
    let error = refused("t", far, &TraceOptions::default());
    assert!(error.contains(":1:17: expected lbn in sectors, at most"), "{error}");
}

fn oracle(time: u32, id: u64, size: u32) -> Vec<u8> {
    let mut r = time.to_le_bytes().to_vec();
    r.extend(id.to_le_bytes());
    r.extend(size.to_le_bytes());
    r.extend((-1_i64).to_le_bytes());
    r
}

#[test]
fn a_format_without_operations_is_refused_until_one_is_assumed() {
    let trace = [oracle(5, 8, 4096), oracle(5, 16, 512), oracle(6, 0, 512)].concat();
    let name = "w01.oracleGeneral.bin";
    let error = refused(name, &trace, &TraceOptions::default());
    assert!(error.contains("does not say what reads and what writes"), "{error}");
    let assume = |op| TraceOptions { assume_op: Some(op), ..TraceOptions::default() };
    let (requests, reader) = try_read(name, &trace, &assume(Op::Write)).unwrap();
    assert_eq!(
        requests,
        [
            req(0, 0, Op::Write, 4096, 4096),
            req(500_000_000, 0, Op::Write, 8192, 512),
            req(1_000_000_000, 0, Op::Write, 0, 512),
        ]
    );
    assert!(reader.notes()[0].contains("assumed a Write"));
    assert!(refused(name, &trace, &assume(Op::Trim)).contains("a read or a write"));
    let error = refused("t", "0,1,512,W,1\n", &assume(Op::Read));
    assert!(error.contains("the spc format says what each request does"), "{error}");
}

//! Compressed traces: same requests as uncompressed, several streams in one file, truncated and damaged
//! files.

use std::io::Write;

use ftlkit_workload::{Compression, OnBadLine, TraceOptions};
use proptest::prelude::*;

use crate::common::{cases, read, refused, try_read};

fn text() -> String {
    (0..20_000_u64)
        .map(|i| {
            format!("{},{},4096,W,{}.{:06}\n", i % 3, i * 7919 % 65_536, i / 100, i * 37 % 1000)
        })
        .collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut out = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    structured_zstd::encoding::compress_to_vec(
        bytes,
        structured_zstd::encoding::CompressionLevel::Fastest,
    )
}

type Pack = fn(&[u8]) -> Vec<u8>;

const ALL: [(Compression, &str, Pack); 4] = [
    (Compression::Gzip, "gz", gzip),
    (Compression::Bzip2, "bz2", bzip2),
    (Compression::Xz, "xz", xz),
    (Compression::Zstd, "zst", zstd),
];

#[test]
fn the_same_requests_come_out_whatever_the_compression() {
    let text = text();
    let (plain, reader) = read("spc", &text);
    assert_eq!(reader.compression(), Compression::None);
    for (compression, suffix, pack) in ALL {
        let packed = pack(text.as_bytes());
        assert!(packed.len() < text.len(), "{suffix}");
        let (requests, reader) = read("spc", packed);
        assert_eq!(reader.compression(), compression);
        assert_eq!(requests, plain, "{suffix}");
        let (done, total) = reader.progress();
        assert_eq!(done, total);
    }
}

#[test]
fn several_streams_in_one_file_are_all_read() {
    let text = text();
    let (plain, _) = read("spc", &text);
    let (first, second) = text.as_bytes().split_at(text.len() / 3);
    for (_, suffix, pack) in ALL {
        let (requests, _) = read("spc", [pack(first), pack(second)].concat());
        assert_eq!(requests, plain, "{suffix}");
    }
    // Zstandard may have skippable frames, also at the beginning.
    let skip = [&[0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    let frames = [skip.clone(), zstd(first), skip, zstd(second)].concat();
    assert_eq!(read("spc", frames).0, plain);
}

#[test]
fn zeros_after_a_stream_are_no_part_of_it() {
    let text = text();
    let (plain, _) = read("spc", &text);
    let (first, second) = text.as_bytes().split_at(text.len() / 3);
    for (_, suffix, pack) in ALL {
        // A block of 10 KiB, as tapes have; xz streams are padded to 4 bytes.
        for zeros in [4, 10_240, 300_000] {
            let padded = [pack(text.as_bytes()), vec![0; zeros]].concat();
            assert_eq!(read("spc", padded).0, plain, "{suffix}, {zeros}");
        }
        let zeros = || vec![0; 512];
        let several = [pack(first), zeros(), pack(second), zeros()].concat();
        assert_eq!(read("spc", several).0, plain, "{suffix}");
        let rubbish = [pack(text.as_bytes()), zeros(), b"no stream".to_vec()].concat();
        assert!(!refused("t", rubbish, &TraceOptions::default()).is_empty(), "{suffix}");
    }
}

#[test]
fn names_lose_the_suffix_of_a_compression() {
    for (_, suffix, pack) in ALL {
        let name = format!("web.ssdsim.{suffix}");
        let packed = pack(b"0 0 100 8 1\n75 0 100 8 0\n");
        let (requests, reader) = try_read(&name, packed, &TraceOptions::default()).unwrap();
        assert_eq!((requests.len(), reader.format().name), (2, "ssdsim"));
    }
}

#[test]
fn a_cut_stream_is_an_error_that_says_so() {
    let text = text();
    for (compression, suffix, pack) in ALL {
        let packed = pack(text.as_bytes());
        let mut read_some = 0;
        for cut in [packed.len() / 2, packed.len() - 1] {
            let error = refused("t", &packed[..cut], &TraceOptions::default());
            assert!(error.contains("cut off or damaged"), "{suffix} at {cut}: {error}");
            assert!(error.contains(compression.name()), "{suffix} at {cut}: {error}");
            // Told in words, not as a decoder's own value.
            assert!(!error.contains(['{', '}']) && !error.contains("Error("), "{error}");
            // What is complete is read if asked for, and the end told.
            let skip = TraceOptions { on_bad_line: OnBadLine::Skip, ..TraceOptions::default() };
            let whole = try_read("t", &packed, &TraceOptions::default()).unwrap().0;
            // A block of the other compressors may hold all.
            let Ok((some, reader)) = try_read("t", &packed[..cut], &skip) else { continue };
            assert!(some.len() <= whole.len() && some[..] == whole[..some.len()], "{suffix}");
            let told = reader.counts().first_bad.unwrap_or_default();
            assert!(told.contains("cut off or damaged"), "{suffix} at {cut}: {told}");
            read_some += some.len();
        }
        assert!(read_some > 0 || suffix != "gz");
    }
}

#[test]
fn a_damaged_stream_is_an_error() {
    let text = text();
    for (_, suffix, pack) in ALL {
        let packed = pack(text.as_bytes());
        let mut damaged = packed.clone();
        let middle = damaged.len() / 2;
        damaged[middle..middle + 8].iter_mut().for_each(|b| *b ^= 0x55);
        let error = refused("t", damaged, &TraceOptions::default());
        assert!(!error.is_empty(), "{suffix}");
    }
}

#[test]
fn an_empty_stream_is_an_empty_trace() {
    for (_, suffix, pack) in ALL {
        let error = refused("t", pack(b""), &TraceOptions::default());
        assert!(error.contains("the file is empty"), "{suffix}: {error}");
    }
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn changed_bytes_in_a_stream_are_an_error_or_requests(
        which in 0..ALL.len(),
        lines in 1..300_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let (_, _, pack) = ALL[which];
        let text: String = text().lines().take(lines).map(|line| format!("{line}\n")).collect();
        let mut packed = pack(text.as_bytes());
        for (at, byte) in changes {
            let at = at.index(packed.len());
            packed[at] = byte;
        }
        // Checksums almost certainly detect the change. The test only requires that nothing panics.
        let _ = try_read("t", packed, &TraceOptions::default());
    }
}

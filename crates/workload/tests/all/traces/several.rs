//! Several files as one trace: merged by time, or in turn.

use crate::common::{Folder, cases, drain};
use ftlkit_workload::{Request, TraceOptions, TraceReader, open_all};
use proptest::prelude::*;
use std::path::PathBuf;

const DAY_S: u64 = 86_400;

/// A file of requests at these times, in s; the offset is the place in the file.
fn table(device: Option<u32>, times: &[u64]) -> String {
    let column = |name: &str| device.map_or(String::new(), |_| name.to_owned());
    let mut text = format!("{}arrival_s,op,offset_bytes,length_bytes\n", column("device,"));
    for (n, time) in times.iter().enumerate() {
        text += &format!(
            "{}{time},write,{},512\n",
            column(&format!("{},", device.unwrap_or(0))),
            n * 512
        );
    }
    text
}

fn opened(files: &[String], chain: bool) -> (Vec<Request>, TraceReader) {
    let folder = Folder::new();
    let paths: Vec<PathBuf> =
        files.iter().enumerate().map(|(n, text)| folder.file(&format!("{n}.csv"), text)).collect();
    let options = TraceOptions { chain, ..TraceOptions::default() };
    let mut reader = open_all(&paths, &options).expect("good files");
    (drain(&mut reader).expect("good files"), reader)
}

/// Arrival in s, device and place in its file of each request.
fn played(files: &[String], chain: bool) -> Vec<(u64, u32, u64)> {
    let (requests, _) = opened(files, chain);
    requests.iter().map(|r| (r.arrival_ns / 1_000_000_000, r.device, r.offset / 512)).collect()
}

/// Devices and arrivals of each file, whether they are chained, then arrivals, devices and addresses of the whole, and words of the
/// header and of a note.
type Case<'a> = (&'a [(Option<u32>, &'a [u64])], bool, &'a [(u64, u32, u64)], &'a str, &'a str);

#[test]
fn clocks_that_overlap_are_merged_and_others_follow() {
    // Files, in turn or not; what is played; what is told.
    let cases: [Case<'_>; 8] = [
        (
            &[(Some(7), &[100, 102, 104]), (Some(9), &[101, 104, 105])],
            false,
            &[(0, 0, 0), (1, 1, 0), (2, 0, 1), (4, 0, 2), (4, 1, 1), (5, 1, 2)],
            "2 files, merged by time: one begins before others have ended; --chain plays them in turn",
            "",
        ),
        (
            &[(Some(7), &[100, 102]), (Some(9), &[101, 104])],
            true,
            &[(0, 0, 0), (2, 0, 1), (2, 1, 0), (5, 1, 1)],
            "2 files, one after the other",
            "1.csv begins when the file before it ends: its clock does not go on from there",
        ),
        // The same device twice is one.
        (
            &[(Some(7), &[100, 102]), (Some(7), &[101, 104])],
            false,
            &[(0, 0, 0), (1, 0, 0), (2, 0, 1), (4, 0, 1)],
            "; device 7 of several is one; --chain",
            "",
        ),
        // Files without devices: each has addresses of its own while it overlaps.
        (
            &[(None, &[100, 102]), (None, &[101, 104]), (None, &[110])],
            false,
            &[(0, 0, 0), (1, 1, 0), (2, 0, 1), (4, 1, 1), (10, 0, 0)],
            "3 files, merged by time: one begins",
            "1.csv names no device and overlaps others: its addresses are those of a device of its own, `unnamed 1`",
        ),
        // By their clocks, whatever their order.
        (
            &[(Some(1), &[50, 51]), (Some(1), &[10, 12])],
            false,
            &[(0, 0, 0), (2, 0, 1), (40, 0, 0), (41, 0, 1)],
            "2 files, one after the other by their clocks",
            "0.csv goes on 38.000 s after the file before it",
        ),
        // More than 30 days apart: not the same clock.
        (
            &[
                (Some(1), &[0, 5]),
                (Some(1), &[31 * DAY_S, 31 * DAY_S + 7]),
                (Some(1), &[31 * DAY_S + 9]),
            ],
            false,
            &[(0, 0, 0), (5, 0, 1), (5, 0, 0), (12, 0, 1), (14, 0, 0)],
            "3 files, one after the other by their clocks; one begins more than 30 days after",
            "1.csv begins when the file before it ends",
        ),
        // Backwards within a file: right behind the one before it.
        (
            &[(Some(1), &[10, 20, 12, 21]), (Some(2), &[11, 13, 20])],
            false,
            &[(0, 0, 0), (1, 1, 0), (3, 1, 1), (10, 0, 1), (2, 0, 2), (10, 1, 2), (11, 0, 3)],
            "2 files, merged",
            "",
        ),
        (
            &[(Some(1), &[4]), (Some(2), &[4])],
            false,
            &[(0, 0, 0), (0, 1, 0)],
            "2 files, merged",
            "",
        ),
    ];
    for (files, chain, expected, header, note) in cases {
        let texts: Vec<_> = files.iter().map(|(device, times)| table(*device, times)).collect();
        assert_eq!(played(&texts, chain), expected, "{files:?}");
        let (_, reader) = opened(&texts, chain);
        let told = reader.files().unwrap();
        assert!(told.contains(header), "{files:?}: {told}");
        let notes = reader.notes();
        assert!(
            note.is_empty() == notes.is_empty() && notes.join("\n").contains(note),
            "{files:?}: {notes:?}"
        );
    }
}

#[test]
fn one_file_is_neither_merged_nor_played_in_turn() {
    let texts = [table(None, &[1, 2])];
    assert_eq!(opened(&texts, false).1.files(), None);
    let folder = Folder::new();
    let path = folder.file("t.csv", &texts[0]);
    let chain = TraceOptions { chain: true, ..TraceOptions::default() };
    let error = open_all(&[path], &chain).unwrap_err().to_string();
    assert!(error.contains("--chain") && error.contains("read by itself"), "{error}");
}

proptest! {
    #![proptest_config(cases(40))]

    /// As a stable sort of all requests by time; more requests than are read ahead.
    #[test]
    fn a_merge_is_a_stable_sort(gaps in prop::collection::vec((0_u64..50, prop::collection::vec(0_u64..4, 1..1500)), 2..5)) {
        let times = gaps.iter().map(|(begin, gaps)| {
            let mut time = *begin;
            gaps.iter().map(|gap| { time += gap; time }).collect::<Vec<_>>()
        });
        let times: Vec<_> = times.collect();
        let texts: Vec<_> = times.iter().zip(0..).map(|(times, n)| table(Some(n), times)).collect();
        // Of files that begin at one time, the first is the first.
        let mut order: Vec<usize> = (0..times.len()).collect();
        order.sort_by_key(|n| times[*n][0]);
        let all = order.iter().flat_map(|&n| times[n].iter().enumerate().map(move |(at, time)| (*time, n, at as u64)));
        let mut all: Vec<_> = all.collect();
        all.sort_by_key(|(time, ..)| *time);
        let first = all[0].0;
        let (requests, reader) = opened(&texts, false);
        let found = requests.iter().map(|r| {
            (r.arrival_ns / 1_000_000_000 + first, reader.device_name(r.device).parse().unwrap(), r.offset / 512)
        });
        prop_assert_eq!(found.collect::<Vec<_>>(), all);
    }
}

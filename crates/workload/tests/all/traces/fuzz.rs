//! Arbitrary bytes and mutated samples in every reader.
//!
//! The result must be an error or requests, never a panic, and no request may end beyond 64 bits.

use ftlkit_workload::formats::{FORMATS, find};
use ftlkit_workload::{OnBadLine, Op, Source, TraceOptions, open};
use proptest::prelude::*;

use super::samples;
use crate::common::{Folder, cases, dropped};

/// Reads a file in every way; whenever it is readable the counts must be consistent.
fn survives(bytes: &[u8], format: Option<&str>) -> Result<(), TestCaseError> {
    let folder = Folder::new();
    let path = folder.file("fuzz", bytes);
    for on_bad_line in [OnBadLine::Stop, OnBadLine::Skip] {
        let options = TraceOptions {
            format: format.map(str::to_owned),
            on_bad_line,
            assume_op: format.is_some_and(|name| find(name).unwrap().lacks_op).then_some(Op::Write),
            ..TraceOptions::default()
        };
        let Ok(mut reader) = open(&path, &options) else { continue };
        let (mut batch, mut requests) = (Vec::new(), 0);
        let end = loop {
            match reader.fill(&mut batch, 64) {
                Ok(0) => break Ok(()),
                Ok(n) => {
                    prop_assert!(n <= 64 && n == batch.len());
                    requests += n as u64;
                    for r in batch.drain(..) {
                        prop_assert!(r.offset.checked_add(r.length).is_some());
                        prop_assert!(r.length > 0 || r.op == Op::Flush);
                    }
                }
                Err(error) => break Err(error.to_string()),
            }
        };
        let counts = reader.counts();
        if end.is_ok() {
            prop_assert_eq!(counts.requests, requests);
        }
        let bad = dropped(&counts, "bad record");
        prop_assert!(bad == 0 || on_bad_line == OnBadLine::Skip);
        prop_assert_eq!(counts.first_bad.is_some(), bad > 0);
        let _ = reader.notes();
    }
    Ok(())
}

fn a_format() -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![Just(None), prop::sample::select(FORMATS).prop_map(|info| Some(info.name))]
}

/// Characters that occur in traces.
fn tracelike() -> impl Strategy<Value = Vec<u8>> {
    let character =
        prop::sample::select(b"0123456789,,,\t   .\n\n\nRWDFQreadwrit+-[]:ex#\r".to_vec());
    prop::collection::vec(character, 0..400)
}

/// A sample repeated, with bytes changed, removed and inserted.
fn mutated() -> impl Strategy<Value = (&'static str, Vec<u8>)> {
    let change = (any::<prop::sample::Index>(), 0..3, any::<u8>());
    let digit = prop::sample::select(b"0123456789,. \n\t-RW\0\xff".to_vec());
    let changes = prop::collection::vec((change, digit, any::<bool>()), 0..6);
    (prop::sample::select((0..samples::all().len()).collect::<Vec<_>>()), 1..4_usize, changes)
        .prop_map(|(which, times, changes)| {
            let sample = samples::all().swap_remove(which);
            let mut bytes = sample.bytes.repeat(times);
            for ((at, how, any), digit, likely) in changes {
                let at = at.index(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
                let byte = if likely { digit } else { any };
                match how {
                    _ if bytes.is_empty() => bytes.push(byte),
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, byte),
                    _ => drop(bytes.remove(at)),
                }
            }
            (sample.format, bytes)
        })
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..600), format in a_format()) {
        survives(&bytes, format)?;
    }

    #[test]
    fn any_characters_of_traces(bytes in tracelike(), format in a_format()) {
        survives(&bytes, format)?;
    }

    #[test]
    fn good_traces_with_bytes_changed((format, bytes) in mutated(), named in any::<bool>()) {
        survives(&bytes, named.then_some(format))?;
    }

    #[test]
    fn any_bytes_behind_the_magic_of_a_compression(
        magic in prop::sample::select(vec![
            &b"\x1f\x8b\x08"[..], b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\0", b"BZh91AY", b"\x50\x2a\x4d\x18"]),
        bytes in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        survives(&[magic, &bytes].concat(), Some("spc"))?;
    }
}

#[test]
fn numbers_of_every_length_in_every_field() {
    for sample in samples::all() {
        let Ok(text) = String::from_utf8(sample.bytes.clone()) else { continue };
        for digits in [0, 1, 19, 20, 21, 40] {
            for number in ["9", "1", "0"].map(|d| d.repeat(digits)) {
                let lines: Vec<_> = text.lines().collect();
                let last = lines[lines.len() - 1];
                let fields: Vec<_> = last.split_inclusive([' ', ',', '\t']).collect();
                for i in 0..fields.len() {
                    let mut changed = fields.clone();
                    let end =
                        fields[i].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '.');
                    let field =
                        format!("{number}{}", if end.len() < fields[i].len() { "" } else { end });
                    let separator = fields[i].chars().last().filter(|c| " ,\t".contains(*c));
                    let field = field.trim_end_matches([' ', ',', '\t']).to_owned()
                        + &separator.map(String::from).unwrap_or_default();
                    changed[i] = &field;
                    let bytes =
                        [&lines[..lines.len() - 1].join("\n"), "\n", &changed.concat()].concat();
                    survives(bytes.as_bytes(), Some(sample.format)).unwrap();
                }
            }
        }
    }
}

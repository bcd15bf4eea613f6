//! A valid sample of every format, for tests that cover all formats.

use super::vscsi;
use crate::common::{Folder, as_format, read_path, try_read};
use ftlkit_workload::formats::{FORMATS, find};
use ftlkit_workload::{Op, TraceOptions};

pub(crate) struct Sample {
    pub(crate) format: &'static str,
    pub(crate) bytes: Vec<u8>,
    pub(crate) requests: u64,
}

impl Sample {
    pub(crate) fn options(&self) -> TraceOptions {
        options(self.format)
    }

    fn told_by_name(&self) -> bool {
        find(self.format).unwrap().detection.starts_with("by --format")
    }
}

/// Options needed to read a format by its name.
pub(crate) fn options(format: &str) -> TraceOptions {
    let lacks_op = find(format).unwrap().lacks_op;
    TraceOptions { assume_op: lacks_op.then_some(Op::Read), ..as_format(format) }
}

/// The sample that each format declares, and one of vscsi's second version.
pub(crate) fn all() -> Vec<Sample> {
    let second = [vscsi::v2(0x28, 512, 8, 1, 5), vscsi::v2(0x2a, 512, 8, 2, 6)].concat();
    let samples = FORMATS.iter().map(|info| (info.name, info.sample.to_vec()));
    let samples = samples.chain([("vscsi", second)]);
    samples.map(|(format, bytes)| Sample { format, bytes, requests: 2 }).collect()
}

#[test]
fn every_format_has_a_sample_that_is_read() {
    let folder = Folder::new();
    for sample in all() {
        let path = folder.file("sample", &sample.bytes);
        let (requests, _) = read_path(&path, &sample.options()).expect(sample.format);
        assert_eq!(requests.len() as u64, sample.requests, "{}", sample.format);
    }
}

#[test]
fn every_sample_is_recognised_or_left_to_its_name() {
    for sample in all() {
        let plain = TraceOptions { format: None, ..sample.options() };
        // If the content does not identify the format, the file name must.
        let name = format!("trace.{}", sample.format);
        let names = if sample.told_by_name() { vec![name] } else { vec!["trace".into(), name] };
        for name in names {
            let (requests, reader) = try_read(&name, &sample.bytes, &plain).expect(sample.format);
            assert_eq!((requests.len(), reader.format().name), (2, sample.format));
        }
    }
}

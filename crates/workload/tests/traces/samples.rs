//! A good sample of every format, for tests that go through all of them.

use ftlkit_workload::{Op, TraceOptions};

use crate::{blktrace, read_path, vscsi};

pub(crate) struct Sample {
    pub(crate) format: &'static str,
    pub(crate) bytes: Vec<u8>,
    pub(crate) requests: u64,
}

impl Sample {
    pub(crate) fn options(&self) -> TraceOptions {
        TraceOptions {
            format: Some(self.format.into()),
            assume_op: (self.format == "oraclegeneral").then_some(Op::Read),
            ..TraceOptions::default()
        }
    }
}

pub(crate) fn all() -> Vec<Sample> {
    let text = [
        ("spc", "0,20,512,W,0.5\n1,20,1000,R,0.75,9\n"),
        ("msr", "128166372003061629,h,0,Read,7,4096,151\n128166372003061639,h,0,Write,0,512,1\n"),
        ("systor17", "1455592511.5,0.25,W,3,4096,512\n1455592511.75,0.5,R,3,4096,512\n"),
        ("alibaba", "1,W,8192,4096,1577808144360767\n1,R,0,512,1577808144360769\n"),
        ("tencent", "1538323200,16,8,0,1063\n1538323200,24,8,1,1063\n"),
        ("disksim", "0.5 0 100 8 1\n0.75 0 100 8 0\n"),
        ("ssdsim", "0 0 100 8 1\n75 0 100 8 0\n"),
        ("mqsim", "0 0 100 8 1\n75 0 100 8 0\n"),
        ("fiu", "1 2 a 8 8 W 6 0 88b9\n3 2 b c 8 8 R 6 0 88b9\n"),
        ("diskmon", "0\t0.5\t0.1\t0\tRead\t1\t8\n1\t0.75\t0.1\t0\tWrite\t1\t8\n"),
        ("blkparse", "8,0 0 1 0.5 1 Q R 8 + 8 [a]\n8,0 0 2 0.75 1 Q WS 16 + 8 [a]\n"),
        ("fio", "fio version 2 iolog\nf add\nf read 0 512\nf wait 5 0\nf write 4096 512\n"),
        ("cloudphysics", "version,time,op,size,lbn\n1,5,2a,512,8\n1,6,28,512,9\n"),
        ("csv", "arrival_ns,op,offset_bytes,length_bytes\n5,read,0,512\n9,write,512,512\n"),
    ];
    let mut samples: Vec<_> = text
        .into_iter()
        .map(|(format, text)| Sample { format, bytes: text.into(), requests: 2 })
        .collect();
    let binary = [
        ("vscsi", [vscsi::v1(0x28, 512, 8, 1), vscsi::v1(0x2a, 512, 8, 2)].concat()),
        ("vscsi", [vscsi::v2(0x28, 512, 8, 1, 5), vscsi::v2(0x2a, 512, 8, 2, 6)].concat()),
        (
            "blktrace",
            [
                blktrace::record(false, 1, 8, 512, 1 << 16 | 1, 3),
                blktrace::record(false, 2, 8, 512, 1 << 17 | 1, 0),
            ]
            .concat(),
        ),
        ("oraclegeneral", (0..48).map(|i| u8::from(i % 24 == 12)).collect()),
    ];
    samples.extend(binary.into_iter().map(|(format, bytes)| Sample { format, bytes, requests: 2 }));
    samples
}

#[test]
fn every_format_has_a_sample_that_is_read() {
    let folder = crate::Folder::new();
    for sample in all() {
        let path = folder.file("sample", &sample.bytes);
        let (requests, _) = read_path(&path, &sample.options()).expect(sample.format);
        assert_eq!(requests.len() as u64, sample.requests, "{}", sample.format);
    }
    for info in ftlkit_workload::formats::ALL {
        assert!(all().iter().any(|sample| sample.format == info.name), "{}", info.name);
    }
}

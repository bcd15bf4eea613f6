//! MQSim: times in ns, and 1 is a read.

use crate::formats::columns::{one_is_read, told_by_name};
use crate::formats::fields::Bad;
use crate::formats::format::{Format, FormatInfo, Parsed};
use crate::formats::records::{Lines, reads};

pub(super) static INFO: FormatInfo = FormatInfo {
    name: "mqsim",
    summary: "MQSim trace",
    fields: "time device sector count op",
    units: "time in ns, sector and count in 512-byte sectors; 1 read, 0 write",
    unit_bytes: Some((512, 512)),
    sample: b"0 0 100 8 1\n75 0 100 8 0\n",
    ..told_by_name(reads::<MqSim>())
};

#[derive(Default)]
struct MqSim;

impl Format for MqSim {
    type Units = Lines;

    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Bad> {
        one_is_read(line)
    }
}

//! Part files: optional fields and their defaults.

use crate::page_times::PageTimes;
use crate::part::{Cell, Part, PartError, Power, SlcMode};
use crate::time::Ns;
use alloc::{borrow::Cow, string::String};
use serde::{Deserialize, Deserializer, de::Error};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartFile {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default = "slc")]
    cell: Cell,
    page_bytes: u32,
    oob_bytes: Option<u32>,
    pages_per_block: u32,
    #[serde(default = "capacity")]
    capacity_bytes: u64,
    t_r_ns: Option<Ns>,
    #[serde(default)]
    t_r_by_page_ns: PageTimes,
    t_r_oob_ns: Option<Ns>,
    t_prog_ns: Option<Ns>,
    #[serde(default)]
    t_prog_by_page_ns: PageTimes,
    t_bers_ns: Ns,
    #[serde(default)]
    t_rc_ns: Ns,
    #[serde(default)]
    t_wc_ns: Ns,
    #[serde(default)]
    bus_mts: u32,
    #[serde(default)]
    independent_plane_reads: bool,
    slc: Option<SlcMode>,
    #[serde(default)]
    t_erase_suspend_ns: Ns,
    #[serde(default)]
    t_program_suspend_ns: Ns,
    #[serde(default)]
    power: Power,
    endurance_cycles: Option<u32>,
    ecc_bits_per_kib: Option<u32>,
    #[serde(default)]
    source: String,
}

fn slc() -> Cell {
    Cell::Slc
}

fn capacity() -> u64 {
    Part::DEFAULT_CAPACITY_BYTES
}

impl TryFrom<PartFile> for Part {
    type Error = PartError;

    fn try_from(file: PartFile) -> Result<Self, PartError> {
        let given = |one: Option<Ns>, by_page: &PageTimes, field| {
            one.or(by_page.longest()).ok_or(PartError::Missing(field))
        };
        let t_r_ns = given(file.t_r_ns, &file.t_r_by_page_ns, "t_r_ns")?;
        let part = Part {
            name: Cow::Owned(file.name),
            description: Cow::Owned(file.description),
            cell: file.cell,
            page_bytes: file.page_bytes,
            oob_bytes: file.oob_bytes.unwrap_or(file.page_bytes / 32),
            pages_per_block: file.pages_per_block,
            capacity_bytes: file.capacity_bytes,
            t_r_ns,
            t_r_by_page_ns: file.t_r_by_page_ns,
            t_r_oob_ns: file.t_r_oob_ns.unwrap_or(t_r_ns),
            t_prog_ns: given(file.t_prog_ns, &file.t_prog_by_page_ns, "t_prog_ns")?,
            t_prog_by_page_ns: file.t_prog_by_page_ns,
            t_bers_ns: file.t_bers_ns,
            t_rc_ns: file.t_rc_ns,
            t_wc_ns: file.t_wc_ns,
            bus_mts: file.bus_mts,
            independent_plane_reads: file.independent_plane_reads,
            slc: file.slc,
            t_erase_suspend_ns: file.t_erase_suspend_ns,
            t_program_suspend_ns: file.t_program_suspend_ns,
            power: file.power,
            endurance_cycles: file.endurance_cycles,
            ecc_bits_per_kib: file.ecc_bits_per_kib,
            source: Cow::Owned(file.source),
            copies: None,
            retry: None,
        };
        part.validate()?;
        Ok(part)
    }
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        PartFile::deserialize(from)?.try_into().map_err(D::Error::custom)
    }
}

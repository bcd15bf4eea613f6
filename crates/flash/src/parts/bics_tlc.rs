use super::sheet::Sheet;
use crate::page_times::PageTimes;
use crate::part::{Cell, Part};
use crate::time::US;

/// 3D TLC of Toshiba and Western Digital with 128 word-line layers.
pub static BICS_TLC: Part = Sheet {
    name: "bics-tlc",
    description: "3D TLC of Toshiba and Western Digital (128 layers), one-shot programming",
    cell: Cell::Tlc,
    page_bytes: 16_384,
    oob_bytes: 0,
    pages_per_block: 1536,
    capacity_bytes: 64 << 30,
    t_r_ns: 56 * US,
    t_prog_ns: 1_489_455,
    t_prog_by_page_ns: PageTimes::of(&[0, 0, 1_489_455]),
    t_bers_ns: 3500 * US,
    bus_mts: 1066,
    source: "AnandTech, Flash memory at ISSCC 2021, table of 3D TLC, the 128-layer die of ISSCC 2019: tR, 1.066 Gb/s, 4 \
        planes, blocks of 24 MB, 64 GiB per die; tPROG: 3 pages of 4 planes at its 132 MB/s. Not printed there: pages of \
        16 KiB are those of the ZNS model of the repository MoatLab/FEMU; tBERS is 3.5 ms of Cho et al., AERO, ASPLOS 2024, \
        abstract; no spare bytes",
    ..Sheet::USUAL
}
.part();

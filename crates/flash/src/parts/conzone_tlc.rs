use super::sheet::Sheet;
use crate::page_times::PageTimes;
use crate::part::{Cell, Part, SlcMode};
use crate::time::US;

/// 3D TLC of ConZone, with SLC mode.
pub static CONZONE_TLC: Part = Sheet {
    name: "conzone-tlc",
    description: "3D TLC of ConZone (2YY tiers), one-shot programming, with SLC mode",
    cell: Cell::Tlc,
    page_bytes: 32_768,
    oob_bytes: 0,
    pages_per_block: 768,
    capacity_bytes: 6 << 30,
    t_r_ns: 32 * US,
    t_prog_ns: 937_500,
    t_prog_by_page_ns: PageTimes::of(&[0, 0, 937_500]),
    t_bers_ns: 3500 * US,
    bus_mts: 1600,
    slc: Some(SlcMode { t_r_ns: 20 * US, t_prog_ns: 75 * US, t_bers_ns: 3500 * US }),
    source: "Yu et al., ConZone, DATE 2025: ssd_config.h of the repository DingcuiYu/ConZone (one-shot programming of 3 \
        pages of 2 planes of 16 KiB; blocks of 24 MiB; 1600 MB/s per channel; no spare bytes). 3D: it takes tPROG from the \
        throughput of A 1Tb density 3b/cell 3D-NAND flash on a 2YY-tier technology, ISSCC 2024, and that of SLC mode from \
        A 128Gb 1b/cell 96-word-line-layer 3D flash memory, ISSCC 2020. SLC mode has the erase of the other blocks there. \
        Capacity free there: 6 GiB, 256 blocks",
    ..Sheet::USUAL
}
.part();

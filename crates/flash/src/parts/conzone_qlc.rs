use super::sheet::Sheet;
use crate::page_times::PageTimes;
use crate::part::{Cell, Part, SlcMode};
use crate::time::US;

/// 3D QLC of ConZone, with SLC mode.
pub static CONZONE_QLC: Part = Sheet {
    name: "conzone-qlc",
    description: "3D QLC of ConZone (280 layers), one-shot programming, with SLC mode",
    cell: Cell::Qlc,
    page_bytes: 32_768,
    oob_bytes: 0,
    pages_per_block: 1024,
    capacity_bytes: Part::DEFAULT_CAPACITY_BYTES,
    t_r_ns: 85 * US,
    t_prog_ns: 6098 * US,
    t_prog_by_page_ns: PageTimes::of(&[0, 0, 0, 6098 * US]),
    t_bers_ns: 3500 * US,
    bus_mts: 1600,
    slc: Some(SlcMode { t_r_ns: 20 * US, t_prog_ns: 75 * US, t_bers_ns: 3500 * US }),
    source: "Yu et al., ConZone, DATE 2025: ssdconfigs/config-qlc-zoned-pageslc of the repository DingcuiYu/ConZone (4 pages \
        of 2 planes of 16 KiB programmed together; blocks of 32 MiB, a power of two for 48 MiB; 1600 MB/s per channel; no \
        spare bytes). 3D: it takes tPROG, of two steps, from the throughput of A 280-layer 1Tb 4b/cell 3D-NAND flash memory, \
        ISSCC 2024, and that of SLC mode from A 128Gb 1b/cell 96-word-line-layer 3D flash memory, ISSCC 2020. SLC mode has \
        the erase of the other blocks there. Capacity free there: the default, 4 GiB",
    ..Sheet::USUAL
}
.part();

use super::sheet::Sheet;
use crate::page_times::PageTimes;
use crate::part::{Cell, Part};
use crate::time::US;

/// TLC of Western Digital's ZN540, as NVMeVirt models it.
pub static ZN540_TLC: Part = Sheet {
    name: "zn540-tlc",
    description: "TLC of the ZN540 in NVMeVirt, one-shot programming",
    cell: Cell::Tlc,
    page_bytes: 32_768,
    oob_bytes: 0,
    pages_per_block: 2048,
    capacity_bytes: Part::DEFAULT_CAPACITY_BYTES,
    t_r_ns: 58 * US,
    t_prog_ns: 561 * US,
    t_prog_by_page_ns: PageTimes::of(&[0, 0, 561 * US]),
    t_bers_ns: 3500 * US,
    bus_mts: 450,
    source: "Kim et al., NVMeVirt, FAST 2023: ssd_config.h of the repository snu-csl/nvmevirt, WD_ZN540 (one-shot \
        programming of 3 pages of 32 KiB, 450 MB/s per channel, zones of 2 GiB over 32 dies: blocks of 64 MiB, no spare \
        bytes); it has no time of an erase: 3.5 ms of Cho et al., AERO, ASPLOS 2024, abstract; capacity free there: \
        the default, 4 GiB. 3D: reports of the ZN540's launch, November 2020, say 96 layers",
    ..Sheet::USUAL
}
.part();

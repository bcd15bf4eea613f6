use super::sheet::Sheet;
use crate::page_times::PageTimes;
use crate::part::{Cell, Part};
use crate::time::US;

/// QLC of FEMU.
pub static FEMU_QLC: Part = Sheet {
    name: "femu-qlc",
    description: "QLC of FEMU, times by page",
    cell: Cell::Qlc,
    page_bytes: 16_384,
    oob_bytes: 0,
    pages_per_block: 512,
    capacity_bytes: Part::DEFAULT_CAPACITY_BYTES,
    t_r_ns: 228_100,
    t_r_by_page_ns: PageTimes::of(&[
        47_900, 47_900, 76_200, 76_200, 134_600, 134_600, 228_100, 228_100,
    ]),
    t_prog_ns: 9_174_400,
    t_prog_by_page_ns: PageTimes::of(&[
        861_525, 861_525, 2_447_500, 2_447_500, 6_880_800, 6_880_800, 9_174_400, 9_174_400,
    ]),
    t_bers_ns: 3000 * US,
    bus_mts: 312,
    source: "Li et al., FEMU, FAST 2018: hw/femu/nand/nand.h of the repository MoatLab/FEMU. Reads as measured there \
        at 16 KiB per page; programs extrapolated there from TLC; transfer 52,433 ns per page: 312 MT/s; pairs of pages \
        of one kind in turn, as in the middle of its blocks of 512 pages; no spare bytes there; capacity free there: \
        the default, 4 GiB. Not said: planar or 3D",
    ..Sheet::USUAL
}
.part();

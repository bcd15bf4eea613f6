use super::sheet::Sheet;
use crate::part::{Cell, Part};
use crate::time::US;

/// Micron MT29E128G08CECAB, 16 GiB MLC; Lazy-RTGC.
pub static MICRON_MLC: Part = Sheet {
    name: "micron-mlc",
    description: "Micron MT29E128G08CECAB, 16 GiB MLC; Lazy-RTGC",
    cell: Cell::Mlc,
    page_bytes: 8192,
    oob_bytes: 448,
    pages_per_block: 256,
    capacity_bytes: 16 << 30,
    t_r_ns: 50 * US,
    t_prog_ns: 1600 * US,
    t_bers_ns: 5500 * US,
    source: "Zhang et al., Lazy-RTGC, TODAES 20(3):43, 2015, Table II; page and OOB size not printed: \
             usual for the series; tR of the OOB as of a page",
    ..Sheet::USUAL
}
.part();

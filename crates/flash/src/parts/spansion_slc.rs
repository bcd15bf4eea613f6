use super::sheet::Sheet;
use crate::part::{Cell, Part};
use crate::time::US;

/// Spansion S34ML04G1, 512 MiB SLC; Lazy-RTGC.
pub static SPANSION_SLC: Part = Sheet {
    name: "spansion-slc",
    description: "Spansion S34ML04G1, 512 MiB SLC; Lazy-RTGC",
    cell: Cell::Slc,
    page_bytes: 2048,
    oob_bytes: 64,
    pages_per_block: 64,
    capacity_bytes: 512 << 20,
    t_r_ns: 25 * US,
    t_prog_ns: 200 * US,
    t_bers_ns: 2000 * US,
    source: "Zhang et al., Lazy-RTGC, TODAES 20(3):43, 2015, Table II; page and OOB size not printed: \
             those usual for the series; tR of the OOB as of a page",
    ..Sheet::USUAL
}
.part();

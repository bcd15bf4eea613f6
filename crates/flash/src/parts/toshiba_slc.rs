use super::sheet::Sheet;
use crate::part::{Cell, Part};
use crate::time::US;

/// Toshiba TC58NVG3S0F, SLC, printed as 512 MB; Lazy-RTGC.
pub static TOSHIBA_SLC: Part = Sheet {
    name: "toshiba-slc",
    description: "Toshiba TC58NVG3S0F, SLC, printed as 512 MB; Lazy-RTGC",
    cell: Cell::Slc,
    page_bytes: 4096,
    oob_bytes: 232,
    pages_per_block: 64,
    capacity_bytes: 512 << 20,
    t_r_ns: 25 * US,
    t_prog_ns: 300 * US,
    t_bers_ns: 3000 * US,
    source: "Zhang et al., Lazy-RTGC, TODAES 20(3):43, 2015, Table II; page and OOB size not printed: \
             those of the data sheet it cites (which is of an 8 Gbit part with a tR of 30 µs); tR of \
             the OOB as of a page",
    ..Sheet::USUAL
}
.part();

use super::sheet::Sheet;
use crate::part::{Cell, Part};
use crate::time::US;

/// Toshiba TC58NVG4T2E, 2 GiB TLC; Lazy-RTGC.
pub static TOSHIBA_TLC: Part = Sheet {
    name: "toshiba-tlc",
    description: "Toshiba TC58NVG4T2E, 2 GiB TLC; Lazy-RTGC",
    cell: Cell::Tlc,
    page_bytes: 8192,
    oob_bytes: 376,
    pages_per_block: 192,
    capacity_bytes: 2 << 30,
    t_r_ns: 250 * US,
    t_prog_ns: 2700 * US,
    t_bers_ns: 4000 * US,
    source: "Zhang et al., Lazy-RTGC, TODAES 20(3):43, 2015, Table II; page and OOB size not printed: \
             usual for the series; tR of the OOB as of a page",
    ..Sheet::USUAL
}
.part();

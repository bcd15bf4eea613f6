use super::sheet::Sheet;
use crate::part::{Cell, Part};
use crate::time::US;

/// Samsung K9G4G08U0A, 512 MiB MLC; Lazy-RTGC.
pub static SAMSUNG_MLC_512M: Part = Sheet {
    name: "samsung-mlc-512m",
    description: "Samsung K9G4G08U0A, 512 MiB MLC; Lazy-RTGC",
    cell: Cell::Mlc,
    page_bytes: 2048,
    oob_bytes: 64,
    pages_per_block: 128,
    capacity_bytes: 512 << 20,
    t_r_ns: 60 * US,
    t_prog_ns: 800 * US,
    t_bers_ns: 1500 * US,
    source: "Zhang et al., Lazy-RTGC, TODAES 20(3):43, 2015, Table II; page and OOB size not printed: \
             usual for the series; tR of the OOB as of a page",
    ..Sheet::USUAL
}
.part();

use super::sheet::Sheet;
use crate::part::{Cell, Part};
use crate::time::US;

/// Samsung K9WBG08U1M, large-block SLC; BA-GC.
pub static K9WBG08U1M: Part = Sheet {
    name: "k9wbg08u1m",
    description: "Samsung K9WBG08U1M, large-block SLC; BA-GC",
    cell: Cell::Slc,
    page_bytes: 2048,
    oob_bytes: 64,
    pages_per_block: 64,
    capacity_bytes: 4 << 30,
    t_r_ns: 25 * US,
    t_prog_ns: 200 * US,
    t_bers_ns: 2000 * US,
    source: "Lee, Shin and Kim, BA-GC, Section 6.1; OOB and capacity (32 Gbit) not printed: from the \
             part's class and number; tR of the OOB as of a page",
    ..Sheet::USUAL
}
.part();

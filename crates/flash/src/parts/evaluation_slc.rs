use super::sheet::Sheet;
use crate::part::{Cell, Part};
use crate::time::US;

/// Large-block SLC NAND of Lazy-RTGC's evaluation.
pub static EVALUATION_SLC: Part = Sheet {
    name: "evaluation-slc",
    description: "large-block SLC NAND of Lazy-RTGC's evaluation",
    cell: Cell::Slc,
    page_bytes: 2048,
    oob_bytes: 64,
    pages_per_block: 64,
    capacity_bytes: 32 << 30,
    t_r_ns: 29 * US,
    t_prog_ns: 220_900,
    t_bers_ns: 2000 * US,
    source: "Zhang et al., Lazy-RTGC, TODAES 20(3):43, 2015, Table IV as its text fixes it",
    ..Sheet::USUAL
}
.part();

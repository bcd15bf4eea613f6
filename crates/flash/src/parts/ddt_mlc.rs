use super::sheet::Sheet;
use crate::part::{Cell, Part};
use crate::time::US;

/// MLC of the copy-back and direct-data-transfer study.
pub static DDT_MLC: Part = Sheet {
    name: "ddt-mlc",
    description: "MLC of the copy-back and direct-data-transfer study",
    cell: Cell::Mlc,
    page_bytes: 8192,
    oob_bytes: 448,
    pages_per_block: 128,
    capacity_bytes: 4 << 30,
    t_r_ns: 75 * US,
    t_prog_ns: 1300 * US,
    t_bers_ns: 3000 * US,
    t_rc_ns: 25,
    t_wc_ns: 25,
    ecc_bits_per_kib: Some(24),
    source: "Jeong and Song, direct data transfer, Table II and Section IV.A; 128 pages per block as in its \
        figures; capacity not printed: 32 Gbit, usual for the class; bus cycles apart",
    ..Sheet::USUAL
}
.part();

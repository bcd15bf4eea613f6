use super::sheet::Sheet;
use crate::part::{Cell, Part};
use crate::time::US;

/// Samsung 128 MiB large-block SLC; GFTL.
pub static SAMSUNG_LARGE_BLOCK: Part = Sheet {
    name: "samsung-large-block",
    description: "Samsung 128 MiB large-block SLC; GFTL",
    cell: Cell::Slc,
    page_bytes: 2048,
    oob_bytes: 64,
    pages_per_block: 32,
    capacity_bytes: 128 << 20,
    t_r_ns: 25 * US,
    t_prog_ns: 300 * US,
    t_bers_ns: 2000 * US,
    source: "Choudhuri and Givargis, Deterministic Service Guarantees (GFTL), CODES+ISSS 2008, Table \
             I: 65,536-byte blocks, so 32 pages (its experiments take 16, 32 and 64); voltage and \
             current from its energy evaluation",
    ..Sheet::USUAL
}
.part();

use super::sheet::Sheet;
use crate::part::{Cell, Part};
use crate::time::US;

/// Samsung 16 MiB small-block SLC; GFTL.
pub static SAMSUNG_SMALL_BLOCK: Part = Sheet {
    name: "samsung-small-block",
    description: "Samsung 16 MiB small-block SLC; GFTL",
    cell: Cell::Slc,
    page_bytes: 512,
    oob_bytes: 16,
    pages_per_block: 32,
    capacity_bytes: 16 << 20,
    t_r_ns: 36 * US,
    t_r_oob_ns: Some(10 * US),
    t_prog_ns: 200 * US,
    t_bers_ns: 2000 * US,
    source: "Choudhuri and Givargis, Deterministic Service Guarantees (GFTL), CODES+ISSS 2008, Table \
             I; voltage and current from its energy evaluation",
    ..Sheet::USUAL
}
.part();

use super::sheet::Sheet;
use crate::part::{Cell, Part};
use crate::time::US;

/// TLC of AERO's simulation.
pub static AERO_TLC: Part = Sheet {
    name: "aero-tlc",
    description: "3D TLC of AERO's simulation",
    cell: Cell::Tlc,
    page_bytes: 16_384,
    oob_bytes: 448,
    pages_per_block: 2112,
    capacity_bytes: 4 * 497 * 2112 * 16_384,
    t_r_ns: 40 * US,
    t_prog_ns: 350 * US,
    t_bers_ns: 3800 * US,
    bus_mts: 2000,
    t_erase_suspend_ns: 700 * US,
    t_program_suspend_ns: 100 * US,
    source: "Cho et al., AERO, ASPLOS 2024: ssdconfig.yaml of the repository allencho1222/MQSim (4 planes of 497 blocks; \
        LSB, CSB and MSB alike; the full erase). 3D: the paper measures 160 real 3D NAND flash chips (abstract)",
    ..Sheet::USUAL
}
.part();

use super::sheet::Sheet;
use crate::part::{Cell, Part};
use crate::time::US;

/// MLC of MQSim's published default configuration.
pub static MQSIM_MLC: Part = Sheet {
    name: "mqsim-mlc",
    description: "MLC of MQSim's default configuration",
    cell: Cell::Mlc,
    page_bytes: 8192,
    oob_bytes: 448,
    pages_per_block: 256,
    capacity_bytes: 16 << 30,
    t_r_ns: 75 * US,
    t_prog_ns: 750 * US,
    t_bers_ns: 3800 * US,
    bus_mts: 333,
    t_erase_suspend_ns: 700 * US,
    t_program_suspend_ns: 100 * US,
    source: "Tavakkol et al., MQSim, FAST 2018: ssdconfig.xml of the repository CMU-SAFARI/MQSim (NV-DDR2; LSB and \
        MSB alike; 2 dies of 2 planes of 2048 blocks per chip); it enables the suspension of erases alone. Not said: planar or 3D",
    ..Sheet::USUAL
}
.part();

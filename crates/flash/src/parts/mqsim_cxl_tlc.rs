use super::sheet::Sheet;
use crate::part::{Cell, Part, SlcMode};
use crate::time::US;

/// TLC and SLC configurations of MQSim-CXL.
pub static MQSIM_CXL_TLC: Part = Sheet {
    name: "mqsim-cxl-tlc",
    description: "TLC of MQSim-CXL, with SLC mode",
    cell: Cell::Tlc,
    page_bytes: 16_384,
    oob_bytes: 448,
    pages_per_block: 512,
    capacity_bytes: 8 << 30,
    t_r_ns: 45 * US,
    t_prog_ns: 700 * US,
    t_bers_ns: 3500 * US,
    bus_mts: 1200,
    slc: Some(SlcMode { t_r_ns: 25 * US, t_prog_ns: 200 * US, t_bers_ns: 1000 * US }),
    t_erase_suspend_ns: 100 * US,
    t_program_suspend_ns: 20 * US,
    source: "Yang et al., Overcoming the memory wall with CXL-enabled SSDs, USENIX ATC 2023: ssdconfig.xml of the \
        repository spypaul/MQSim_CXL (4 planes of 256 blocks; LSB, CSB and MSB alike); SLC mode: the SLC of its \
        examples/synthetic workloads/ssdconfig.xml, on the same bus. Not said: planar or 3D",
    ..Sheet::USUAL
}
.part();

use super::sheet::Sheet;
use crate::part::{Cell, Part};
use crate::time::US;

/// TLC of MQSim with fine-grained mapping.
pub static MQSIM_FINE_TLC: Part = Sheet {
    name: "mqsim-fine-tlc",
    description: "TLC of MQSim with fine-grained mapping",
    cell: Cell::Tlc,
    page_bytes: 16_384,
    oob_bytes: 2208,
    pages_per_block: 2048,
    capacity_bytes: 128 << 30,
    t_r_ns: 76 * US,
    t_prog_ns: 820 * US,
    t_bers_ns: 15_000 * US,
    bus_mts: 1200,
    t_erase_suspend_ns: 150 * US,
    t_program_suspend_ns: 150 * US,
    source: "Nadig, MQSim with fine-grained mapping: ssdconfig.xml of the repository \
        rakeshnadig/MQSIM_Fine_Grained_Mapping_Reference (2 dies of 4 planes of 512 blocks; LSB, CSB and MSB alike); it \
        enables the suspension of erases alone. Not said: planar or 3D",
    ..Sheet::USUAL
}
.part();

use super::sheet::Sheet;
use crate::part::{Cell, Part};
use crate::time::US;

/// Samsung's Z-NAND, as CXDVirt models it.
pub static ZNAND_SLC: Part = Sheet {
    name: "znand-slc",
    description: "3D SLC with short reads: Samsung's Z-NAND in CXDVirt",
    cell: Cell::Slc,
    page_bytes: 4096,
    oob_bytes: 0,
    pages_per_block: 256,
    capacity_bytes: Part::DEFAULT_CAPACITY_BYTES,
    t_r_ns: 3 * US,
    t_prog_ns: 100 * US,
    t_bers_ns: 1000 * US,
    bus_mts: 1200,
    source: "Cheong et al., A flash memory controller for 15 µs ultra-low-latency SSD using high-speed 3D NAND flash with \
        3 µs read time, ISSCC 2018, abstract: tR and tPROG. The rest: Chung et al., CXDVirt, arXiv 2610.08899, 2026: \
        SAMSUNG_ZNAND of ssd_config.h in the patch of the repository hschung1652/cxdvirt (4 pages of 4 KiB of the planes are \
        programmed together; blocks of 1 MiB; no spare bytes); capacity free there: the default, 4 GiB",
    ..Sheet::USUAL
}
.part();

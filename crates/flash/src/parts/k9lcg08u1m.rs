use super::sheet::Sheet;
use crate::part::{Cell, Part};
use crate::time::US;

/// Samsung K9LCG08U1M MLC on a 64 GiB board, pages clustered by four; 2LGC.
pub static K9LCG08U1M: Part = Sheet {
    name: "k9lcg08u1m",
    description: "Samsung K9LCG08U1M MLC on a 64 GiB board, pages clustered by four; 2LGC",
    cell: Cell::Mlc,
    page_bytes: 32768,
    oob_bytes: 2560,
    pages_per_block: 128,
    capacity_bytes: 64 << 30,
    t_r_ns: 250 * US,
    t_prog_ns: 1300 * US,
    t_bers_ns: 1500 * US,
    ecc_bits_per_kib: Some(32),
    source: "Jung and Song, 2LGC, Table 1: 32 KiB clustered page, 64 GB, BCH of 16 bits a 512-byte \
             sector; it prints no times: tR (with transfer), tPROG, tBERS, 640-byte OOB and 128 pages \
             from S. Kwon, Tutorial FTL, ICE3028, Sungkyunkwan University, 2014",
    ..Sheet::USUAL
}
.part();

//! The parts themselves, one static each, in the order of the papers that name them.

use crate::{Cell, Part, Power, US};
use alloc::borrow::Cow;

/// GFTL's figures for its parts; taken for the others too, since their sources give none.
const POWER: Power = Power::DEFAULT;

/// Spansion S34ML04G1, 512 MB SLC; Lazy-RTGC.
pub static SPANSION_SLC: Part = Part {
    name: Cow::Borrowed("spansion-slc"),
    description: Cow::Borrowed("Spansion S34ML04G1, 512 MB SLC; Lazy-RTGC"),
    cell: Cell::Slc,
    page_bytes: 2048,
    oob_bytes: 64,
    pages_per_block: 64,
    capacity_bytes: 512 << 20,
    t_r_ns: 25 * US,
    t_r_oob_ns: 25 * US,
    t_prog_ns: 200 * US,
    t_bers_ns: 2000 * US,
    t_rc_ns: 0,
    t_wc_ns: 0,
    power: POWER,
    endurance_cycles: None,
    ecc_bits_per_kib: None,
    source: Cow::Borrowed(
        "Zhang et al., Lazy-RTGC, TODAES 20(3):43, 2015, Table II; page and OOB size not printed: those usual for the series; tR of the OOB as of a page",
    ),
    copies: None,
};

/// Toshiba TC58NVG3S0F, SLC, printed as 512 MB; Lazy-RTGC.
pub static TOSHIBA_SLC: Part = Part {
    name: Cow::Borrowed("toshiba-slc"),
    description: Cow::Borrowed("Toshiba TC58NVG3S0F, SLC, printed as 512 MB; Lazy-RTGC"),
    cell: Cell::Slc,
    page_bytes: 4096,
    oob_bytes: 232,
    pages_per_block: 64,
    capacity_bytes: 512 << 20,
    t_r_ns: 25 * US,
    t_r_oob_ns: 25 * US,
    t_prog_ns: 300 * US,
    t_bers_ns: 3000 * US,
    t_rc_ns: 0,
    t_wc_ns: 0,
    power: POWER,
    endurance_cycles: None,
    ecc_bits_per_kib: None,
    source: Cow::Borrowed(
        "Zhang et al., Lazy-RTGC, TODAES 20(3):43, 2015, Table II; page and OOB size not printed: those of the data sheet it cites (which is of an 8 Gbit part with a tR of 30 µs); tR of the OOB as of a page",
    ),
    copies: None,
};

/// Samsung K9G4G08U0A, 512 MB MLC; Lazy-RTGC.
pub static SAMSUNG_MLC_512M: Part = Part {
    name: Cow::Borrowed("samsung-mlc-512m"),
    description: Cow::Borrowed("Samsung K9G4G08U0A, 512 MB MLC; Lazy-RTGC"),
    cell: Cell::Mlc,
    page_bytes: 2048,
    oob_bytes: 64,
    pages_per_block: 128,
    capacity_bytes: 512 << 20,
    t_r_ns: 60 * US,
    t_r_oob_ns: 60 * US,
    t_prog_ns: 800 * US,
    t_bers_ns: 1500 * US,
    t_rc_ns: 0,
    t_wc_ns: 0,
    power: POWER,
    endurance_cycles: None,
    ecc_bits_per_kib: None,
    source: Cow::Borrowed(
        "Zhang et al., Lazy-RTGC, TODAES 20(3):43, 2015, Table II; page and OOB size not printed: usual for the series; tR of the OOB as of a page",
    ),
    copies: None,
};

/// Micron MT29E128G08CECAB, 16 GB MLC; Lazy-RTGC.
pub static MICRON_MLC: Part = Part {
    name: Cow::Borrowed("micron-mlc"),
    description: Cow::Borrowed("Micron MT29E128G08CECAB, 16 GB MLC; Lazy-RTGC"),
    cell: Cell::Mlc,
    page_bytes: 8192,
    oob_bytes: 448,
    pages_per_block: 256,
    capacity_bytes: 16 << 30,
    t_r_ns: 50 * US,
    t_r_oob_ns: 50 * US,
    t_prog_ns: 1600 * US,
    t_bers_ns: 5500 * US,
    t_rc_ns: 0,
    t_wc_ns: 0,
    power: POWER,
    endurance_cycles: None,
    ecc_bits_per_kib: None,
    source: Cow::Borrowed(
        "Zhang et al., Lazy-RTGC, TODAES 20(3):43, 2015, Table II; page and OOB size not printed: usual for the series; tR of the OOB as of a page",
    ),
    copies: None,
};

/// Toshiba TC58NVG4T2E, 2 GB TLC; Lazy-RTGC.
pub static TOSHIBA_TLC: Part = Part {
    name: Cow::Borrowed("toshiba-tlc"),
    description: Cow::Borrowed("Toshiba TC58NVG4T2E, 2 GB TLC; Lazy-RTGC"),
    cell: Cell::Tlc,
    page_bytes: 8192,
    oob_bytes: 376,
    pages_per_block: 192,
    capacity_bytes: 2 << 30,
    t_r_ns: 250 * US,
    t_r_oob_ns: 250 * US,
    t_prog_ns: 2700 * US,
    t_bers_ns: 4000 * US,
    t_rc_ns: 0,
    t_wc_ns: 0,
    power: POWER,
    endurance_cycles: None,
    ecc_bits_per_kib: None,
    source: Cow::Borrowed(
        "Zhang et al., Lazy-RTGC, TODAES 20(3):43, 2015, Table II; page and OOB size not printed: usual for the series; tR of the OOB as of a page",
    ),
    copies: None,
};

/// large-block SLC NAND of Lazy-RTGC's evaluation.
pub static EVALUATION_SLC: Part = Part {
    name: Cow::Borrowed("evaluation-slc"),
    description: Cow::Borrowed("large-block SLC NAND of Lazy-RTGC's evaluation"),
    cell: Cell::Slc,
    page_bytes: 2048,
    oob_bytes: 64,
    pages_per_block: 64,
    capacity_bytes: 32 << 30,
    t_r_ns: 29 * US,
    t_r_oob_ns: 29 * US,
    t_prog_ns: 220_900,
    t_bers_ns: 2000 * US,
    t_rc_ns: 0,
    t_wc_ns: 0,
    power: POWER,
    endurance_cycles: None,
    ecc_bits_per_kib: None,
    source: Cow::Borrowed(
        "Zhang et al., Lazy-RTGC, TODAES 20(3):43, 2015, Table IV as its text fixes it",
    ),
    copies: None,
};

/// Samsung 16 MB small-block SLC; GFTL.
pub static SAMSUNG_SMALL_BLOCK: Part = Part {
    name: Cow::Borrowed("samsung-small-block"),
    description: Cow::Borrowed("Samsung 16 MB small-block SLC; GFTL"),
    cell: Cell::Slc,
    page_bytes: 512,
    oob_bytes: 16,
    pages_per_block: 32,
    capacity_bytes: 16 << 20,
    t_r_ns: 36 * US,
    t_r_oob_ns: 10 * US,
    t_prog_ns: 200 * US,
    t_bers_ns: 2000 * US,
    t_rc_ns: 0,
    t_wc_ns: 0,
    power: POWER,
    endurance_cycles: None,
    ecc_bits_per_kib: None,
    source: Cow::Borrowed(
        "Choudhuri and Givargis, Deterministic Service Guarantees (GFTL), CODES+ISSS 2008, Table I; voltage and current from its energy evaluation",
    ),
    copies: None,
};

/// Samsung 128 MB large-block SLC; GFTL.
pub static SAMSUNG_LARGE_BLOCK: Part = Part {
    name: Cow::Borrowed("samsung-large-block"),
    description: Cow::Borrowed("Samsung 128 MB large-block SLC; GFTL"),
    cell: Cell::Slc,
    page_bytes: 2048,
    oob_bytes: 64,
    pages_per_block: 32,
    capacity_bytes: 128 << 20,
    t_r_ns: 25 * US,
    t_r_oob_ns: 25 * US,
    t_prog_ns: 300 * US,
    t_bers_ns: 2000 * US,
    t_rc_ns: 0,
    t_wc_ns: 0,
    power: POWER,
    endurance_cycles: None,
    ecc_bits_per_kib: None,
    source: Cow::Borrowed(
        "Choudhuri and Givargis, Deterministic Service Guarantees (GFTL), CODES+ISSS 2008, Table I: 65,536-byte blocks, so 32 pages (its experiments take 16, 32 and 64); voltage and current from its energy evaluation",
    ),
    copies: None,
};

/// Samsung K9WBG08U1M, large-block SLC; BA-GC.
pub static K9WBG08U1M: Part = Part {
    name: Cow::Borrowed("k9wbg08u1m"),
    description: Cow::Borrowed("Samsung K9WBG08U1M, large-block SLC; BA-GC"),
    cell: Cell::Slc,
    page_bytes: 2048,
    oob_bytes: 64,
    pages_per_block: 64,
    capacity_bytes: 4 << 30,
    t_r_ns: 25 * US,
    t_r_oob_ns: 25 * US,
    t_prog_ns: 200 * US,
    t_bers_ns: 2000 * US,
    t_rc_ns: 0,
    t_wc_ns: 0,
    power: POWER,
    endurance_cycles: None,
    ecc_bits_per_kib: None,
    source: Cow::Borrowed(
        "Lee, Shin and Kim, BA-GC, Section 6.1; OOB and capacity (32 Gbit) not printed: from the part's class and number; tR of the OOB as of a page",
    ),
    copies: None,
};

/// Samsung K9LCG08U1M MLC on a 64 GB board, pages clustered by four; 2LGC.
pub static K9LCG08U1M: Part = Part {
    name: Cow::Borrowed("k9lcg08u1m"),
    description: Cow::Borrowed(
        "Samsung K9LCG08U1M MLC on a 64 GB board, pages clustered by four; 2LGC",
    ),
    cell: Cell::Mlc,
    page_bytes: 32768,
    oob_bytes: 2560,
    pages_per_block: 128,
    capacity_bytes: 64 << 30,
    t_r_ns: 250 * US,
    t_r_oob_ns: 250 * US,
    t_prog_ns: 1300 * US,
    t_bers_ns: 1500 * US,
    t_rc_ns: 0,
    t_wc_ns: 0,
    power: POWER,
    endurance_cycles: None,
    ecc_bits_per_kib: Some(32),
    source: Cow::Borrowed(
        "Jung and Song, 2LGC, Table 1: 32 KiB clustered page, 64 GB, BCH of 16 bits a 512-byte sector; it prints no times: tR (with transfer), tPROG, tBERS, 640-byte OOB and 128 pages from S. Kwon, Tutorial FTL, ICE3028, Sungkyunkwan University, 2014",
    ),
    copies: None,
};

/// MLC of the copy-back and direct-data-transfer study.
pub static DDT_MLC: Part = Part {
    name: Cow::Borrowed("ddt-mlc"),
    description: Cow::Borrowed("MLC of the copy-back and direct-data-transfer study"),
    cell: Cell::Mlc,
    page_bytes: 8192,
    oob_bytes: 448,
    pages_per_block: 128,
    capacity_bytes: 4 << 30,
    t_r_ns: 75 * US,
    t_r_oob_ns: 75 * US,
    t_prog_ns: 1300 * US,
    t_bers_ns: 3000 * US,
    t_rc_ns: 25,
    t_wc_ns: 25,
    power: POWER,
    endurance_cycles: None,
    ecc_bits_per_kib: Some(24),
    source: Cow::Borrowed(
        "Jeong and Song, direct data transfer, Table II and Section IV.A; 128 pages a block as in its figures; capacity not printed: 32 Gbit, usual for the class; bus cycles apart",
    ),
    copies: None,
};

/// Every part, in the order in which they are listed.
pub static CATALOGUE: &[&Part] = &[
    &SPANSION_SLC,
    &TOSHIBA_SLC,
    &SAMSUNG_MLC_512M,
    &MICRON_MLC,
    &TOSHIBA_TLC,
    &EVALUATION_SLC,
    &SAMSUNG_SMALL_BLOCK,
    &SAMSUNG_LARGE_BLOCK,
    &K9WBG08U1M,
    &K9LCG08U1M,
    &DDT_MLC,
];

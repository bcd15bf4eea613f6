//! Fig. 2 and Table 1: what the fields of the map entries reach, and whether the board's figures agree with each other.

use super::PAPER;
use crate::reproduce::{Row, Section};

/// Pages that a page map entry's 31 bits name, of 8 KiB each (§4.1).
const PAGE_BITS: u32 = 31;
/// `invPage` and `curPage`, bits.
const OFFSET_BITS: u32 = 8;
/// `eCount`, bits.
const ERASE_BITS: u32 = 13;

pub(super) fn map_entries() -> Section {
    let mut section = PAPER.section("fig-2");
    let why = "2³¹ pages of 2¹³ bytes";
    section.rows = vec![
        Row::exact(
            "31-bit PPN, pages of 8 KiB: log₂ of bytes",
            "",
            "44",
            f64::from(PAGE_BITS + 13),
            why,
        ),
        Row::exact(
            "the same, binary terabytes",
            "",
            "16",
            2f64.powi((PAGE_BITS + 13 - 40) as i32),
            why,
        ),
        Row::exact(
            "block map entry: three flags, two offsets, erase count",
            "bits",
            "32",
            f64::from(3 + 2 * OFFSET_BITS + ERASE_BITS),
            "the fields add up to something else",
        ),
        Row::evidence(
            "pages a block that an 8-bit count of invalid pages can tell apart (0 to all)",
            "",
            2f64.powi(OFFSET_BITS as i32) - 1.0,
            0,
        )
        .remarked("a block of 256 pages, all of them invalid, needs a ninth bit"),
        Row::evidence("erases that 13 bits count", "", 2f64.powi(ERASE_BITS as i32) - 1.0, 0)
            .remarked("enough for MLC of its day, not for SLC of 100,000"),
        Row::exact(
            "8 channels × 2 ways of dies of 4 GB",
            "GB",
            "64",
            8.0 * 2.0 * 4.0,
            "Table 1's dies do not add up to its capacity",
        ),
    ];
    section.notes = vec![
        "Table 1 has packages of 8 GB with two dies: the two ways of a channel are the dies of one package".into(),
    ];
    section
}

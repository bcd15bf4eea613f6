//! The catalogue of parts: every part that the papers name, with its source.

use crate::{Cell, Part, Power, US};
use alloc::borrow::Cow;

/// Voltage and current where a source gives none: 3.3 V and 10 mA, the figures of Choudhuri and
/// Givargis (GFTL, §VI).
const POWER_3V3_10MA: Power =
    Power { vcc_mv: 3300, read_ua: 10_000, program_ua: 10_000, erase_ua: 10_000 };

/// The single-level-cell part of Lazy-RTGC's evaluation.
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
    power: POWER_3V3_10MA,
    endurance_cycles: None,
    ecc_bits_per_kib: None,
    source: Cow::Borrowed(
        "Zhang et al., Lazy-RTGC, TODAES 20(3):43, 2015, Table IV as its text fixes it",
    ),
};

/// Every part, in the order in which they are listed.
pub static CATALOGUE: &[&Part] = &[&EVALUATION_SLC];

/// The part of this name.
pub fn by_name(name: &str) -> Option<&'static Part> {
    CATALOGUE.iter().copied().find(|part| part.name == name)
}

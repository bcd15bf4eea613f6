//! Energy of flash operations, t·V·I, in picojoules.
//!
//! Source: Choudhuri and Givargis, GFTL, §VI.
//! At 3.3 V and 10 mA: 825 nJ per page read of 25 µs, 9,900 nJ per program of 300 µs, 66,000 nJ per erase of
//! 2 ms.
//! The energies of single operations come from the part ([`flash::Part::read_pj`] and its siblings).

use crate::lazy_rtgc::alpha;
use flash::Part;

/// Energy of one page copy: read and program.
pub fn copy_pj(part: &Part) -> u64 {
    part.read_pj() + part.program_pj()
}

/// Energy of collecting a victim of `victim_valid` pages: its copies and one erase.
pub fn collection_pj(part: &Part, victim_valid: u32) -> u64 {
    u64::from(victim_valid) * copy_pj(part) + part.erase_pj()
}

/// Upper bound on one partial step: the larger of α copies and one erase.
pub fn step_pj(part: &Part) -> u64 {
    (u64::from(alpha(part)) * copy_pj(part)).max(part.erase_pj())
}

/// Upper bound on a read that finds its page by searching the OOB areas of a block (GFTL).
pub fn oob_search_pj(part: &Part) -> u64 {
    u64::from(part.pages_per_block) * part.read_oob_pj() + part.read_pj()
}

/// Mean energy per host write, including copies and erases, at a write amplification of `waf`.
///
/// `waf` ≥ 1 is the number of pages programmed per host write.
/// Each of the `waf − 1` copies is a read and a program; every π programs need one erase.
pub fn host_write_pj(part: &Part, waf: f64) -> f64 {
    let copies = (waf - 1.0) * copy_pj(part) as f64;
    let erases = waf / f64::from(part.pages_per_block) * part.erase_pj() as f64;
    part.program_pj() as f64 + copies + erases
}

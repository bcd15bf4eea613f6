//! Energy of what a scheme does, t·V·I, in picojoules.
//!
//! Source: Choudhuri and Givargis, GFTL, §VI: 3.3 V and 10 mA give 825 nJ a page read of 25 µs, 9,900 nJ a
//! program of 300 µs, 66,000 nJ an erase of 2 ms. The energies of single operations are the part's
//! ([`flash::Part::read_pj`] and its siblings).

use crate::lazy_rtgc::alpha;
use flash::Part;

/// A page copied: read and program.
pub fn copy_pj(part: &Part) -> u64 {
    part.read_pj() + part.program_pj()
}

/// A victim of `victim_valid` pages collected: its copies and one erase.
pub fn collection_pj(part: &Part, victim_valid: u32) -> u64 {
    u64::from(victim_valid) * copy_pj(part) + part.erase_pj()
}

/// The most that one partial step takes: α copies or one erase, whichever is more.
pub fn step_pj(part: &Part) -> u64 {
    (u64::from(alpha(part)) * copy_pj(part)).max(part.erase_pj())
}

/// The most that a read takes where the page is found by searching the OOB of a block (GFTL).
pub fn oob_search_pj(part: &Part) -> u64 {
    u64::from(part.pages_per_block) * part.read_oob_pj() + part.read_pj()
}

/// Mean energy of a host write, copies and erases included, at a write amplification of `waf`.
///
/// `waf` ≥ 1: pages programmed a host write. Each of the `waf − 1` copies is a read and a program; each π
/// programs need one erase.
pub fn host_write_pj(part: &Part, waf: f64) -> f64 {
    let copies = (waf - 1.0) * copy_pj(part) as f64;
    let erases = waf / f64::from(part.pages_per_block) * part.erase_pj() as f64;
    part.program_pj() as f64 + copies + erases
}

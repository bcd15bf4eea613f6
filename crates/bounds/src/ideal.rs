//! The papers' ideal case: a task costs its page operation, and the response is one erase, which cannot be
//! hidden.

use flash::{Ns, Part};

/// U(e_w) of the ideal case: one page program (GFTL, Table III; Lazy-RTGC, Table I).
pub fn write_ns(part: &Part) -> Ns {
    part.t_prog_ns
}

/// U(e_r) of the ideal case in Lazy-RTGC's Table I: one page read, with the map in RAM.
pub fn read_ns(part: &Part) -> Ns {
    part.t_r_ns
}

/// U(e_r) of the ideal case in GFTL's Table III, which also reads the page's OOB area.
pub fn read_with_oob_ns(part: &Part) -> Ns {
    part.t_r_ns + part.t_r_oob_ns
}

/// U(R) and the shortest request period that any scheme on one chip can guarantee: one erase.
///
/// An erase cannot be interrupted (Lazy-RTGC, Table I; GFTL, Table III). The papers' parts have no longer operation;
/// where one has, as a QLC program, it is that operation.
pub fn response_ns(part: &Part) -> Ns {
    part.t_bers_ns.max(part.t_prog_ns).max(part.t_r_ns)
}

//! What SCSI operation codes ask for (SPC-4, SBC-3).

use crate::request::Op;

/// The request behind an operation code; `None` for one that neither reads, writes nor flushes, or whose
/// range is in a parameter list or count that traces do not hold (UNMAP, WRITE SAME).
pub(super) fn op(code: u64) -> Option<Op> {
    match code {
        // READ (6), (10), (16), (12).
        0x08 | 0x28 | 0x88 | 0xa8 => Some(Op::Read),
        // WRITE (6), (10), (16), (12); WRITE AND VERIFY (10), (16), (12).
        0x0a | 0x2a | 0x8a | 0xaa | 0x2e | 0x8e | 0xae => Some(Op::Write),
        // SYNCHRONIZE CACHE (10), (16).
        0x35 | 0x91 => Some(Op::Flush),
        _ => None,
    }
}

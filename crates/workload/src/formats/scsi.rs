//! Meaning of SCSI operation codes (SPC-4, SBC-3).

use crate::request::Op;

/// The request of an operation code; `None` if it is not a read, write or flush.
///
/// Also `None` if its range is in a parameter list or count that traces do not contain (UNMAP, WRITE SAME).
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

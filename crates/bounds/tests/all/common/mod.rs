//! Parts for the tests, independent of the catalogue except for the evaluation part.

use flash::{Part, US, parts::EVALUATION_SLC};

/// A part with these timings in µs and these pages per block. An OOB read takes as long as a page read.
pub(crate) fn part(t_r: u64, t_prog: u64, t_bers: u64, pages_per_block: u32) -> Part {
    Part {
        name: "under-test".into(),
        t_r_ns: t_r * US,
        t_r_oob_ns: t_r * US,
        t_prog_ns: t_prog * US,
        t_bers_ns: t_bers * US,
        pages_per_block,
        ..EVALUATION_SLC.clone()
    }
}

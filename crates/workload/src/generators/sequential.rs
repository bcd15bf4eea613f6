//! Sequential passes from the first byte to the last.

use crate::error::WorkloadError;
use crate::generators::generated::{Access, Pattern};
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::mix::{self, FOOTPRINT, OPERATIONS, Operations, SIZE};
use crate::generators::pace;
use crate::parameters::ParameterInfo;
use rand_pcg::Pcg64;

static SIZES: &[ParameterInfo] = &[SIZE, FOOTPRINT];

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "sequential",
    summary: "each request where the one before ended, from the first byte to the last, again and again",
    parameters: &[OPERATIONS, SIZES, pace::PARAMETERS],
    requests: Some(1_000_000),
    source: "fio, readwrite=write and readwrite=read",
    build,
};

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let footprint = mix::footprint_bytes(request.parameters, request.space);
    let size = mix::size_bytes(request.parameters, request.space);
    mix::check_fits(request.parameters, "size", footprint, size)?;
    let pattern = Sequential {
        rng: request.rng(),
        operations: Operations::of(request.parameters),
        cursor: Cursor { at: 0, end: footprint },
        size,
    };
    Ok(request.paced(pattern, footprint))
}

/// A position that advances with each request and wraps around.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    /// First byte of the next request, below `end`.
    pub(crate) at: u64,
    /// Bytes of the space.
    pub(crate) end: u64,
}

impl Cursor {
    /// The next `size` bytes, or fewer up to the end: offset and length.
    #[inline]
    pub(crate) fn take(&mut self, size: u64) -> (u64, u64) {
        let offset = self.at;
        let length = size.min(self.end - offset);
        self.at = if offset + length == self.end { 0 } else { offset + length };
        (offset, length)
    }
}

struct Sequential {
    rng: Pcg64,
    operations: Operations,
    cursor: Cursor,
    size: u64,
}

impl Pattern for Sequential {
    #[inline]
    fn next(&mut self) -> Access {
        let op = self.operations.draw(&mut self.rng);
        let (offset, length) = self.cursor.take(self.size);
        Access::plain(op, offset, length)
    }
}

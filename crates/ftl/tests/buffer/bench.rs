//! A scheme with a buffer on a small array that remembers what was programmed for the host.

use flash::{
    Array, BlockId, Cause, Flash, FlashError, Geometry, Lpn, Oob, Part, Ppn, Store,
    parts::EVALUATION_SLC,
};
use ftlkit_ftl::registry::{self, Visitor, by_name};
use ftlkit_ftl::{BufferPolicy, BufferSettings, FtlError, Plan, SchemeConfig};

/// π of the array; not a power of two, so that units are found by division.
pub(crate) const BLOCK: u32 = 6;
/// Bytes of a page.
pub(crate) const PAGE_BYTES: u32 = 32;
const BLOCKS: u32 = 64;

/// Remembers the LPN of every data page that was programmed for the host, in order.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    inner: Array,
    pub(crate) seen: Vec<u32>,
}

impl Flash for Programs {
    fn geometry(&self) -> &Geometry {
        self.inner.geometry()
    }

    fn part(&self) -> &Part {
        self.inner.part()
    }

    fn read(&mut self, ppn: Ppn, data: &mut [u8], cause: Cause) -> Result<Oob, FlashError> {
        self.inner.read(ppn, data, cause)
    }

    fn keeps_user_bytes(&self) -> bool {
        self.inner.keeps_user_bytes()
    }

    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
        self.inner.read_oob(ppn, cause)
    }

    fn program(&mut self, ppn: Ppn, oob: Oob, data: &[u8], cause: Cause) -> Result<(), FlashError> {
        if cause == Cause::Host {
            self.seen.push(oob.lpn.0);
        }
        self.inner.program(ppn, oob, data, cause)
    }

    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        self.inner.copy(from, to, seq, cause)
    }

    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
        self.inner.erase(block, cause)
    }

    fn is_bad(&self, block: BlockId) -> bool {
        self.inner.is_bad(block)
    }

    fn mark_bad(&mut self, block: BlockId) -> Result<(), FlashError> {
        self.inner.mark_bad(block)
    }

    fn erase_count(&self, block: BlockId) -> u32 {
        self.inner.erase_count(block)
    }

    fn peek_lpn(&self, ppn: Ppn) -> Option<Lpn> {
        self.inner.peek_lpn(ppn)
    }

    fn has_bit_errors(&self) -> bool {
        self.inner.has_bit_errors()
    }

    fn corrected_bits(&self) -> u64 {
        self.inner.corrected_bits()
    }
}

/// A buffer of this policy for so many pages, all else by default.
pub(crate) fn buffer(policy: BufferPolicy, pages: u32) -> BufferSettings {
    BufferSettings {
        policy: Some(Some(policy)),
        bytes: Some(u64::from(pages * PAGE_BYTES)),
        ..BufferSettings::default()
    }
}

/// A preset with a buffer, exporting 100 pages: the last block of them is short.
pub(crate) fn config(preset: &str, buffer: BufferSettings) -> SchemeConfig {
    SchemeConfig {
        buffer,
        logical_pages: Some(100),
        ..SchemeConfig::preset(by_name(preset).unwrap())
    }
}

fn part() -> Part {
    let capacity_bytes = geometry().capacity_bytes();
    Part {
        page_bytes: PAGE_BYTES,
        pages_per_block: BLOCK,
        capacity_bytes,
        ..EVALUATION_SLC.clone()
    }
}

fn geometry() -> Geometry {
    Geometry::new(BLOCKS, BLOCK, PAGE_BYTES).unwrap()
}

/// What comes of a configuration on the array.
pub(crate) fn plan(config: &SchemeConfig) -> Result<Plan, FtlError> {
    registry::plan(config, &part(), &geometry(), BLOCKS)
}

/// Runs something on `page-level` below this buffer; the array stores `store`.
pub(crate) fn on<V: Visitor<Programs>>(
    buffer: BufferSettings,
    store: Store,
    visitor: V,
) -> V::Output {
    let flash = Programs { inner: Array::new(geometry(), part(), store), seen: Vec::new() };
    registry::format(&config("page-level", buffer), flash, visitor).unwrap()
}

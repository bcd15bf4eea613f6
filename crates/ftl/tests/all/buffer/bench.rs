//! A scheme with a buffer on a small array that logs the programs for the host.

use crate::bench::{Device, preset};
use flash::parts::EVALUATION_SLC;
use flash::{
    AnyArray, Array, Cause, DynFlash, Flash, FlashError, Geometry, Layer, Oob, Part, Ppn, Store,
};
use ftlkit_ftl::{BufferPolicy, BufferSettings, FtlError, Plan, SchemeConfig, registry};

/// π of the array; not a power of two, so that units are found by division.
pub(crate) const BLOCK: u32 = 6;
/// Bytes per page.
pub(crate) const PAGE_BYTES: u32 = 32;
const BLOCKS: u32 = 64;

/// Logs the LPN of every data page programmed for the host, in order.
#[derive(Clone, Debug)]
struct Programs {
    inner: Array,
    seen: Vec<u32>,
}

impl Layer for Programs {
    flash::layer_on!(self, self.inner, Array);

    fn program(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        if cause == Cause::Host {
            self.seen.push(oob.lpn.0);
        }
        self.inner.program(ppn, oob, data, cause)
    }
}

impl DynFlash for Programs {
    fn fork(&self) -> Option<Box<dyn DynFlash>> {
        Some(Box::new(self.clone()))
    }
}

/// LPNs programmed for the host since the last call.
pub(crate) fn programmed(scheme: &mut Device) -> Vec<u32> {
    let programs = scheme.flash_mut().downcast_mut::<Programs>().unwrap();
    core::mem::take(&mut programs.seen)
}

/// A buffer of this policy for `pages` pages, with default settings otherwise.
pub(crate) fn buffer(policy: &'static BufferPolicy, pages: u32) -> BufferSettings {
    BufferSettings {
        policy: Some(Some(policy)),
        bytes: Some(u64::from(pages * PAGE_BYTES)),
        ..BufferSettings::default()
    }
}

/// A preset with a buffer that exports 100 pages, so that the last block is short.
pub(crate) fn config(name: &str, buffer: BufferSettings) -> SchemeConfig {
    SchemeConfig { buffer, logical_pages: Some(100), ..preset(name) }
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

/// The plan of a configuration on the array.
pub(crate) fn plan(config: &SchemeConfig) -> Result<Plan, FtlError> {
    registry::plan(config, &part(), &geometry(), BLOCKS)
}

/// `page-level` with this buffer on an array that stores `store`.
pub(crate) fn on(buffer: BufferSettings, store: Store) -> Box<Device> {
    let flash = Programs { inner: Array::new(geometry(), part(), store), seen: Vec::new() };
    registry::format(&config("page-level", buffer), AnyArray::new(flash)).unwrap()
}

//! A scheme that does nothing, below a write buffer.

use crate::medium::array_without_errors;
use flash::{AnyArray, Geometry, Lpn, Part};
use ftl::{
    AnyScheme, Background, BufferPlan, CollectionLog, Ftl, FtlError, Guarantee, Ram, Telemetry,
};
use std::hint::black_box;

/// A buffer of this plan on a scheme that accepts every write and does nothing.
pub fn buffered(logical_pages: u32, plan: &BufferPlan) -> Box<AnyScheme> {
    ftl::with_buffer(Nothing::new(logical_pages), plan)
}

/// A scheme that accepts every write and does nothing.
#[derive(Clone)]
struct Nothing {
    flash: AnyArray,
    logical_pages: u32,
    log: CollectionLog,
    written: u64,
}

impl Nothing {
    fn new(logical_pages: u32) -> Self {
        let part = Part { pages_per_block: 2, ..flash::parts::EVALUATION_SLC.clone() };
        let geometry = Geometry::new(2, 2, part.page_bytes).expect("four pages are an array");
        let flash = array_without_errors(geometry, part).into();
        Self { flash, logical_pages, log: CollectionLog::default(), written: 0 }
    }
}

impl Ftl for Nothing {
    type Flash = AnyArray;

    fn flash(&self) -> &AnyArray {
        &self.flash
    }
    fn flash_mut(&mut self) -> &mut AnyArray {
        &mut self.flash
    }
    fn into_flash(self: Box<Self>) -> AnyArray {
        self.flash
    }
    fn logical_pages(&self) -> u32 {
        self.logical_pages
    }
    #[inline]
    fn write(&mut self, lpn: Lpn, _data: Option<&[u8]>) -> Result<(), FtlError> {
        self.written += 1;
        black_box(lpn);
        Ok(())
    }
    fn read(&mut self, _lpn: Lpn, _data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        Ok(false)
    }
    fn trim(&mut self, _lpn: Lpn) -> Result<(), FtlError> {
        Ok(())
    }
    fn free_pages(&self) -> u64 {
        0
    }
    fn telemetry(&self) -> Telemetry<'_> {
        Telemetry::new(Guarantee::default(), Ram::default(), &self.log)
    }
    fn restart_telemetry(&mut self) {}
}

impl Background for Nothing {}

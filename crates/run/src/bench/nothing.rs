//! A write buffer on a scheme that does nothing.

use crate::medium::array_without_errors;
use crate::sink::{Sink, ToSink};
use flash::{Geometry, Lpn, Part};
use ftl::{AnyScheme, BufferPlan};
use std::hint::black_box;

/// Lets the compiler drop no write.
#[derive(Clone)]
struct BlackBox;

impl Sink for BlackBox {
    #[inline]
    fn write(&mut self, lpn: Lpn) {
        black_box(lpn);
    }
}

/// A buffer of this plan on a scheme that accepts every write and does nothing.
pub fn buffered(logical_pages: u32, plan: &BufferPlan) -> Box<AnyScheme> {
    let part = Part { pages_per_block: 2, ..flash::parts::EVALUATION_SLC.clone() };
    let geometry = Geometry::new(2, 2, part.page_bytes).expect("four pages are an array");
    let flash = array_without_errors(geometry, part).into();
    ftl::with_buffer(ToSink::new(flash, logical_pages, BlackBox), plan)
}

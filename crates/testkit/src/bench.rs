//! The array below every scheme under test, and access to it through the scheme.

use crate::watched::{Inspect, Watched};
use flash::{AnyArray, BlockId, Serial, WearLevel};
use ftl::SchemeConfig;

/// A scheme under test, of any type and on any array. In this crate the array is a [`Bench`].
pub use ftl::AnyScheme;

/// The array below a scheme under test, with wear levelling, time and counts, and an observer.
pub type Bench = WearLevel<Serial<Watched>>;

/// A type-erased bench without wear levelling.
pub fn bench(array: impl Into<Box<dyn Inspect>>) -> AnyArray {
    AnyArray::new(WearLevel::off(Serial::new(Watched::new(array))))
}

/// A bench for a scheme's configuration. It must be recovered before a mount.
pub fn bench_for(config: &SchemeConfig, array: impl Into<Box<dyn Inspect>>) -> Bench {
    let units = config.allocation.units();
    let mut watched = Watched::new(array);
    if config.refresh {
        watched.name_blocks();
    }
    watched.compare_events(config.static_wear.is_none());
    WearLevel::new(Serial::new(watched), config.static_wear, units, config.seed)
}

/// The bench below a scheme.
///
/// # Panics
/// If the scheme is on another array.
pub fn bench_of(scheme: &AnyScheme) -> &Bench {
    scheme.flash().downcast_ref().expect("schemes under test are on a bench")
}

/// The bench below a scheme, mutable.
///
/// # Panics
/// As [`bench_of`].
pub fn bench_of_mut(scheme: &mut AnyScheme) -> &mut Bench {
    scheme.flash_mut().downcast_mut().expect("schemes under test are on a bench")
}

/// The array inside a scheme's bench, as after a power cut.
///
/// # Panics
/// As [`bench_of`].
pub fn array_of(scheme: Box<AnyScheme>) -> Box<dyn Inspect> {
    let bench: Bench = scheme.into_flash().downcast().expect("schemes under test are on a bench");
    bench.into_inner().into_inner().into_inner()
}

/// Next page of the block to program; π if the block must be erased first.
pub fn next_page(bench: &Bench, block: BlockId) -> u32 {
    bench.inner().next_page(bench.physical(block))
}

//! The array below every scheme under test, and how it is reached through the scheme.

use crate::watched::{Inspect, Watched};
use flash::{AnyArray, BlockId, Serial, WearLevel};
use ftl::{Scheme, SchemeConfig};

/// A scheme under test: any, on any array. Here the array is a [`Bench`].
pub type AnyScheme = dyn Scheme<Flash = AnyArray>;

/// The array below a scheme under test: levelled, time and counts, watched.
pub type Bench = WearLevel<Serial<Watched>>;

/// A bench whose wear is not levelled, as a scheme takes it.
pub fn bench(array: impl Into<Box<dyn Inspect>>) -> AnyArray {
    AnyArray::new(WearLevel::off(Serial::new(Watched::new(array))))
}

/// A bench for a scheme as it is configured. To be recovered before a mount.
pub fn bench_for(config: &SchemeConfig, array: impl Into<Box<dyn Inspect>>) -> Bench {
    let units = config.allocation.units();
    WearLevel::new(Serial::new(Watched::new(array)), config.static_wear, units, config.seed)
}

/// The bench below a scheme.
///
/// # Panics
/// Where the scheme is on another array.
pub fn bench_of(scheme: &AnyScheme) -> &Bench {
    scheme.flash().downcast_ref().expect("schemes under test are on a bench")
}

/// The bench below a scheme, to be changed.
///
/// # Panics
/// As [`bench_of`].
pub fn bench_of_mut(scheme: &mut AnyScheme) -> &mut Bench {
    scheme.flash_mut().downcast_mut().expect("schemes under test are on a bench")
}

/// The array that a scheme's bench is made of, as after pulling the plug.
///
/// # Panics
/// As [`bench_of`].
pub fn array_of(scheme: Box<AnyScheme>) -> Box<dyn Inspect> {
    let bench: Bench = scheme.into_flash().downcast().expect("schemes under test are on a bench");
    bench.into_inner().into_inner().into_inner()
}

/// The next page of the block that may be programmed; π where none may be before an erase.
pub fn next_page(bench: &Bench, block: BlockId) -> u32 {
    bench.inner().next_page(bench.physical(block))
}
